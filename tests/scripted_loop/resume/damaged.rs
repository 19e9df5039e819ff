//! A run that was killed while it placed an order, and whose checkpoint was then lost or damaged.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use async_trait::async_trait;
use chrono::TimeDelta;
use serde_json::json;
use webwise::{
    DecisionLoop, ErrorKind, Result, RunId, Task,
    agent::{Approval, ApprovalRequest, Approver, Options, StepEnd},
    event::RunFolder,
    guard::ApprovalMode,
    memory::Namespace,
    store::{JsonFiles, RunRegistry},
    testing::{FixedClock, ScriptedBrowser, ScriptedModel, call},
};

use crate::resume::{
    doubt::{NOW, SHOP, START, Shared, Stuck, shop},
    profile,
};

/// Damages the checkpoint's file, whose backup is the second path.
type Damage = fn(&Path, &Path);

/// What became of the checkpoint, by name.
const DAMAGES: [(&str, Damage); 8] = [
    ("deleted", |file, _| fs::remove_file(file).unwrap()),
    ("deleted with its backup", |file, backup| {
        fs::remove_file(file).unwrap();
        fs::remove_file(backup).unwrap();
    }),
    ("cut in the middle", |file, _| {
        change(file, |bytes| bytes.truncate(bytes.len() / 2));
    }),
    ("emptied", |file, _| change(file, Vec::clear)),
    ("overwritten with other bytes", |file, _| {
        change(file, |bytes| {
            for byte in bytes.iter_mut() {
                *byte ^= 0x55;
            }
        });
    }),
    ("replaced by its backup", |file, backup| {
        fs::copy(backup, file).unwrap();
    }),
    ("cut, and its backup behind the records", |file, backup| {
        change(file, |bytes| bytes.truncate(100));
        change(backup, |bytes| bytes.truncate(bytes.len() - 3));
    }),
    ("cut, and its backup in the records", |file, backup| {
        change(file, |bytes| bytes.truncate(100));
        change(backup, |bytes| bytes.truncate(bytes.len() - 9));
    }),
];

fn change(file: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(file).unwrap();
    change(&mut bytes);
    fs::write(file, bytes).unwrap();
}

/// A person who agrees to everything.
#[derive(Debug)]
struct Agrees;

#[async_trait]
impl Approver for Agrees {
    async fn approve(&self, _: &ApprovalRequest) -> Approval {
        Approval::Yes
    }

    async fn answer(&self, _: &str) -> Option<String> {
        None
    }
}

/// A run that was killed in the middle of its order.
struct Killed {
    place: tempfile::TempDir,
    clock: Shared,
    mode: ApprovalMode,
    has_folder: bool,
    id: RunId,
}

type Builder<B> = webwise::agent::Builder<B, ScriptedModel, JsonFiles>;

impl Killed {
    async fn new(mode: ApprovalMode, has_folder: bool) -> Self {
        let killed = Self {
            place: tempfile::tempdir().unwrap(),
            clock: Shared(Arc::new(FixedClock::at(NOW))),
            mode,
            has_folder,
            id: RunId::parse("run_1").unwrap(),
        };
        let model = ScriptedModel::new([call("goto", json!({ "url": SHOP })), order()]);
        let (browser, clicked) = Stuck::new(shop());
        let agent = killed.builder(browser, model);
        let agent = agent.with_approver(Agrees).build().unwrap();
        let task = Task::new("Buy what is in the cart").unwrap();
        let task = task.with_start_url(START).unwrap();
        let mut run = agent.start(task.with_run_id(killed.id.clone())).await;
        tokio::select! {
            () = async { while run.step().await == StepEnd::Continue {} } => panic!("it ended"),
            () = clicked.notified() => {}
        }
        drop(run);
        killed.clock.0.advance(TimeDelta::minutes(2));
        killed
    }

    fn store(&self) -> JsonFiles {
        JsonFiles::open(self.place.path().join("memory"))
    }

    fn builder<B: webwise::BrowserDriver>(&self, browser: B, model: ScriptedModel) -> Builder<B> {
        let mut options = Options::default();
        options.approval = self.mode;
        let builder = DecisionLoop::builder(browser, model, self.store())
            .with_options(options)
            .with_clock(self.clock.clone())
            .with_registry(self.store());
        if !self.has_folder {
            return builder;
        }
        let folder = Arc::new(RunFolder::new(self.place.path().join("runs")).unwrap());
        builder.with_sink(Arc::clone(&folder)).with_journal(folder)
    }

    /// The file of the checkpoint, and its backup.
    fn files(&self) -> [PathBuf; 2] {
        let entries = fs::read_dir(self.place.path().join("memory/default")).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let file = paths.into_iter().find(|path| {
            let name = path.file_name().unwrap().to_string_lossy();
            name.starts_with("agent-run-") && name.ends_with(".json")
        });
        let file = file.unwrap();
        let backup = file.with_extension("json.bak");
        [file, backup]
    }

    /// Goes on with the run, with nobody there. Returns the number of orders, and whether the model was told of the
    /// doubt.
    async fn resume(&self) -> Result<(usize, bool)> {
        let browser = shop();
        let give_up = call("finish", json!({ "answer": "not sure", "success": false }));
        let goto = call("goto", json!({ "url": SHOP }));
        let model = ScriptedModel::new([goto, order(), order(), give_up]);
        let agent = self.builder(browser.clone(), model.clone());
        let agent = agent.build().unwrap();
        let runs = RunRegistry::new(self.store(), Namespace::default());
        let task = Task::of_checkpoint(&runs.checkpoint(&self.id).await?)?;
        let mut run = agent.resume_run(task).await?;
        while run.step().await == StepEnd::Continue {}
        drop(run.finish().await);
        let told = &model.requests()[0].message;
        Ok((orders(&browser), told.contains("a person is asked")))
    }

    /// Takes the run, so that the store repairs the checkpoint, and is killed before it does anything.
    async fn take_and_die(&self) {
        let agent = self.builder(shop(), ScriptedModel::new([]));
        let agent = agent.build().unwrap();
        let runs = RunRegistry::new(self.store(), Namespace::default());
        if let Ok(checkpoint) = runs.checkpoint(&self.id).await {
            let task = Task::of_checkpoint(&checkpoint).unwrap();
            drop(agent.resume_run(task).await.unwrap());
        }
        self.clock.0.advance(TimeDelta::minutes(2));
    }
}

fn order() -> webwise::chat::ChatResponse {
    call("click", json!({ "target": "e1" }))
}

fn orders(browser: &ScriptedBrowser) -> usize {
    let all = browser.executed();
    all.iter().filter(|line| line.starts_with("click")).count()
}

#[tokio::test]
async fn a_run_with_a_damaged_checkpoint_places_no_second_order() {
    let (mut tried, mut resumed, mut second) = (0, 0, Vec::new());
    let modes = [ApprovalMode::Auto, ApprovalMode::Hybrid];
    for ((name, damage), mode) in DAMAGES.iter().flat_map(|d| modes.map(|mode| (d, mode))) {
        // Repaired by the store before: a first process took the run and was killed at once.
        for (has_folder, is_repaired) in [(false, false), (false, true), (true, false)] {
            let killed = Killed::new(mode, has_folder).await;
            let [file, backup] = killed.files();
            damage(&file, &backup);
            if is_repaired {
                killed.take_and_die().await;
            }
            let case = format!("{name}, {mode}, folder {has_folder}, repaired {is_repaired}");
            tried += 1;
            match Box::pin(killed.resume()).await {
                Ok((orders, told)) => {
                    resumed += 1;
                    if orders > 0 {
                        second.push(case);
                    } else {
                        assert!(told, "{case}");
                    }
                }
                Err(error) => {
                    let kinds = [ErrorKind::InvalidInput, ErrorKind::Corrupt];
                    assert!(kinds.contains(&error.kind()), "{case}: {error:?}");
                }
            }
        }
    }
    figure!(
        "resume: {} damaged checkpoints, {} approval modes: {} second orders ({resumed} of {tried} runs resumed, the others \
         refused)",
        DAMAGES.len(),
        modes.len(),
        second.len()
    );
    assert_eq!(second, [""; 0]);
    assert!(resumed * 3 >= tried * 2, "most are resumed");
}

#[tokio::test]
async fn one_flipped_bit_of_a_checkpoint_brings_no_second_order() {
    let flips = profile::pick(8, 200);
    for nth in 0..flips {
        let killed = Killed::new(ApprovalMode::Auto, false).await;
        let [file, _] = killed.files();
        change(&file, |bytes| {
            let at = bytes.len() * nth / flips;
            bytes[at] ^= 1 << (nth % 7);
        });
        if let Ok((orders, _)) = Box::pin(killed.resume()).await {
            assert_eq!(orders, 0, "{nth}");
        }
    }
}

/// The register was restored with the checkpoint, so only the run's folder knows of the order.
#[tokio::test]
async fn the_journal_alone_brings_the_order_into_doubt() {
    let killed = Killed::new(ApprovalMode::Auto, true).await;
    let [file, backup] = killed.files();
    fs::copy(backup, file).unwrap();
    let register = killed.place.path().join("memory/default/agent-runs.json");
    change(&register, |bytes| {
        let text = String::from_utf8(bytes.clone()).unwrap();
        let lines = text
            .lines()
            .filter(|line| !line.contains("irreversibleStep"));
        *bytes = lines.collect::<Vec<_>>().join("\n").into_bytes();
    });
    assert_eq!(Box::pin(killed.resume()).await.unwrap(), (0, true));
}
