//! `webwise eval`: measures how much memory improves the runs of the cases in a file.
//!
//! ```text
//! args     the flags
//! task     a case as the task of a run
//! output   the result as a table and as JSON
//! ```
//!
//! # Decisions
//!
//! - The result goes to stdout and not into a file, so that the caller decides where to store it. Each run has a run folder
//!   of its own, like the runs of `webwise run`.

mod args;
mod output;
mod task;

use std::{collections::BTreeMap, fs, io::Read as _, path::Path, sync::Arc, time::Duration};

pub(super) use self::args::EvalArgs;
use self::output::{Made, Outcome};
use super::{
    Refusal,
    drive::{Begin, Drive, Ended, OwnDir, Probe, Source, Stop, check_screen, model},
    run_args::OutputArgs,
    say::{Voice, one_line},
    setup, tell,
};
use crate::{
    LlmClient, MemoryBackend,
    base::TokenCount,
    eval::{Arm, Case, Figures, MemoryUse, Planned, Pool, judge, parse, plan},
    event::RunSummary,
    store::InMemory,
    working::StopReason,
};

/// Maximum size of a case file. Unit: bytes. Source: chosen; this is enough for 200 cases of 5 KiB each.
const MAX_FILE: u64 = 1_024 * 1_024;

pub(super) async fn run(args: &EvalArgs) -> Result<(), Refusal> {
    check_screen(args.browser.headed)?;
    let cases = read(args.file()?)?;
    for case in &cases {
        for values in &case.values {
            task::of(case, values, 1)?;
        }
    }
    let counts: Vec<usize> = cases.iter().map(|case| case.values.len()).collect();
    let planned = plan(&counts, &args.arms(), args.seeds, args.isolation());
    let model = model::configured(&args.model)?.ok_or_else(model::none_configured)?;
    let runs = OwnDir::of_runs(&args.runs_dir)?;
    let bed = Bed {
        args,
        cases: &cases,
        model,
        runs: &runs,
        browser: Source::Start {
            choice: setup::chosen(args.browser.driver)?,
            args: args.browser.clone(),
        },
        output: OutputArgs {
            runs_dir: args.runs_dir.clone(),
            screenshots: false,
            // Only the result goes to stdout.
            json: true,
        },
    };
    // Progress always goes to stderr.
    let stop = Stop::listen(Voice { json: true })?;
    let mut memories = Memories::new(args)?;
    let (mut made, mut problem) = (Vec::new(), None);
    for (nth, one) in planned.iter().enumerate() {
        match bed.carry_out(one, &mut memories, &stop).await {
            Ok(run) if run.stop == StopReason::Cancelled => break,
            Ok(run) => {
                let line = format!("[{}/{}] {}", nth + 1, planned.len(), run.line());
                tell(one_line(&line));
                made.push(run);
            }
            Err(refusal) => {
                problem = Some(refusal);
                break;
            }
        }
        if stop.is_asked() {
            break;
        }
    }
    if problem.is_none() && made.len() < planned.len() {
        let (done, all) = (made.len(), planned.len());
        problem = Some(Refusal::failure(format!(
            "it was stopped after {done} of {all} runs"
        )));
    }
    let outcome = Outcome::of(&made, problem.as_ref().map(Refusal::sentence));
    outcome.print(args.json);
    problem.map_or(Ok(()), |problem| Err(problem.told()))
}

/// Reads the cases of a case file. Fails if the file is larger than [`MAX_FILE`] or is not valid.
fn read(path: &Path) -> Result<Vec<Case>, Refusal> {
    let name = path.display();
    let unreadable =
        |why: &dyn std::fmt::Display| Refusal::usage(format!("{name} cannot be read: {why}"));
    let file = fs::File::open(path).map_err(|error| unreadable(&error))?;
    let mut text = String::new();
    let size = file
        .take(MAX_FILE + 1)
        .read_to_string(&mut text)
        .map_err(|error| unreadable(&error))?;
    if size as u64 > MAX_FILE {
        return Err(unreadable(&format!("it has more than {MAX_FILE} bytes")));
    }
    parse(&text).map_err(|wrong| Refusal::usage(format!("{name} is no case file: {wrong}")))
}

struct Bed<'a> {
    args: &'a EvalArgs,
    cases: &'a [Case],
    model: Arc<dyn LlmClient>,
    runs: &'a OwnDir,
    browser: Source,
    output: OutputArgs,
}

impl Bed<'_> {
    /// Carries out one planned run, in a browser of its own, and returns its figures and verdict.
    async fn carry_out(
        &self,
        planned: &Planned,
        memories: &mut Memories,
        stop: &Stop,
    ) -> Result<Made, Refusal> {
        let case = &self.cases[planned.case];
        let values = &case.values[planned.values];
        let (task, redactor) = task::of(case, values, planned.number)?;
        let mut options = self.args.options();
        options.memory = planned.memory != MemoryUse::Off;
        options.seed = Some(u64::from(planned.number));
        if planned.arm == Some(Arm::Withheld) {
            options.withheld_share = 1.0;
        }
        let drive = Drive {
            output: &self.output,
            browser: self.browser.clone(),
            runs: self.runs,
            memory_dir: None,
            model: Arc::clone(&self.model),
            options,
            memory: memories.of(planned.memory),
            kinds: self.args.ways.kinds(),
            approver: None,
            pause: Duration::ZERO,
            probe: Some(Probe {
                setup: values.setup(planned.number),
                script: values.success.javascript.clone(),
            }),
        };
        let ended = drive.carry_out(Begin::New(task), stop).await?;
        let page = match &ended.last {
            Some(page) => page.as_ref().map_err(String::as_str),
            None => Err("nobody looked"),
        };
        let verdict = judge(&values.success, page, ended.report.answer.as_deref());
        let verdict = verdict.map_err(|why| redactor.text(&why));
        Ok(made(case, planned, &ended, verdict))
    }
}

fn made(case: &Case, planned: &Planned, ended: &Ended, verdict: Result<(), String>) -> Made {
    let summary = &ended.report.summary;
    Made {
        case: case.name.clone(),
        seed: planned.seed,
        arm: planned.arm,
        figures: figures(summary, verdict.is_ok()),
        verdict,
        claimed: summary.success,
        estimated: summary.estimated,
        stop: summary.stop,
        run: ended.report.run.clone(),
        folder: ended.folder.clone(),
        model: ended.model.clone(),
        driver: ended.driver.clone(),
    }
}

/// Returns those figures of one run that an evaluation compares, such as the number of steps. `success` is true if the
/// run counts as a success.
pub(super) fn figures(summary: &RunSummary, success: bool) -> Figures {
    let tokens = |count: TokenCount| u32::try_from(count.0).map_or(f64::MAX, f64::from);
    Figures([
        if success { 1.0 } else { 0.0 },
        f64::from(summary.steps),
        f64::from(summary.errors),
        f64::from(summary.calls),
        tokens(summary.usage.input),
        tokens(summary.usage.output),
        Duration::from_millis(summary.elapsed_ms).as_secs_f64(),
    ])
}

/// The memories that the runs of an evaluation use: the user's own memory, or one memory in this process for each pool. A
/// pool is a set of runs that share a memory.
#[derive(Debug)]
struct Memories {
    own: Option<Arc<dyn MemoryBackend>>,
    /// The folder of the user's own memory. When this value is dropped, the folder is removed if it was missing before and
    /// nothing was written into it.
    _dir: Option<OwnDir>,
    pools: BTreeMap<Pool, InMemory>,
}

impl Memories {
    fn new(args: &EvalArgs) -> Result<Self, Refusal> {
        let own = args.uses_own_memory().then(|| args.memory.open());
        let dir = args
            .uses_own_memory()
            .then(|| OwnDir::of_memory(&args.memory));
        Ok(Self {
            _dir: dir.transpose()?,
            own: own.transpose()?.map(|own| Arc::new(own) as _),
            pools: BTreeMap::new(),
        })
    }

    fn of(&mut self, memory: MemoryUse) -> Arc<dyn MemoryBackend> {
        match memory {
            MemoryUse::Fill(pool) => Arc::new(self.pools.entry(pool).or_default().clone()),
            MemoryUse::Copy(pool) => Arc::new(
                self.pools
                    .get(&pool)
                    .map(InMemory::fork)
                    .unwrap_or_default(),
            ),
            MemoryUse::Own => match &self.own {
                Some(own) => Arc::clone(own),
                None => Arc::new(InMemory::new()),
            },
            MemoryUse::Off | MemoryUse::Empty => Arc::new(InMemory::new()),
        }
    }
}
