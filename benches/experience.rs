//! What memory costs as runs on one host pile up, and as hosts do: the sizes of the shelves, what a page is shown of them, and the time
//! to recall it.
//!
//! `cargo bench --bench experience` prints the sizes after 10, 100 and 1,000 runs and measures at these numbers. The runs have
//! different goals and values. One in ten fails, and one in four recovers from a command that failed. The number of records should not
//! grow from 100 runs on. Then it does so for a folder with 10, 1,000 and 10,000 hosts, each visited by one run: what a page is shown, and
//! the time to recall it, should be the same.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock},
};

use chrono::{DateTime, TimeDelta, Utc};
use divan::Bencher;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use webwise::{
    Host, RunId,
    action::{Action, BrowserTool, ErrorClass, Outcome, RawCall, Signature, ToolSet, parse_calls},
    memory::{
        Advice, AdviceId, Change, Cue, Edit, Line, MemoryKind, Moment, Namespace, Record, RunLog,
        Shelf, apply, kinds,
    },
    page::{Node, Observation, PageTemplate, Role, TargetIdentity, Tree},
    store::{JsonFiles, MemoryBackend as _},
    working::{About, Finished, Place, Step},
};

/// Numbers of runs on the host.
const RUNS: [usize; 3] = [10, 100, 1_000];
/// Numbers of hosts in a folder.
const HOSTS: [usize; 3] = [10, 1_000, 10_000];
const HOME: &str = "https://shop.example/";
/// Tasks that runs do, in turn: a verb, the form that asks for the value, and the button that ends the task.
const TASKS: [(&str, &str, &str); 8] = [
    ("Order", "orders", "Place order"),
    ("Cancel", "orders", "Cancel order"),
    ("Track", "parcels", "Track parcel"),
    ("Return", "returns", "Send back"),
    ("Review", "reviews", "Publish review"),
    ("Reserve", "stores", "Reserve item"),
    ("Compare", "compare", "Compare prices"),
    ("Gift", "gifts", "Wrap gift"),
];
/// Words that are combined to values and to goals.
const WORDS: [&str; 10] = [
    "kayak", "paddle", "tent", "lantern", "rope", "helmet", "stove", "boots", "map", "whistle",
];

type Shelves = BTreeMap<Shelf, Vec<Record>>;

fn main() {
    for (runs, shelves) in LEARNED.iter() {
        print(*runs, shelves);
    }
    for (hosts, folder) in FOLDERS.iter() {
        let known = folder.path();
        let (bytes, shown) = (size(known), runtime().block_on(recall_of(known, hosts / 2)));
        println!("{hosts} hosts: {bytes} bytes on disk");
        print_shown(&format!("{hosts} hosts"), &shown);
    }
    divan::main();
}

fn at(minute: usize) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::minutes(i64::try_from(minute).expect("a small number"))
}

/// A run of about six steps over three pages. The same number gives the same run.
struct Made {
    here: String,
    steps: Vec<Step>,
}

impl Made {
    fn step(&mut self, tool: &str, mut arguments: Value, target: &TargetIdentity, to: &str) {
        arguments["target"] = json!("e1");
        let tools = ToolSet::new(&BrowserTool::ALL.iter().copied().collect(), false, []);
        let calls = parse_calls(&[RawCall::new(tool, arguments)], "", &tools).expect("a call");
        let action: Action = calls.into_iter().next().expect("one").expect("valid");
        let targets = vec![target.clone()];
        let signature = Signature::of(&action, &targets, &self.here);
        let number = u32::try_from(self.steps.len() + 1).expect("a small number");
        let mut step = Step::new(number, action, Outcome::Done, signature);
        step.turn = number;
        step.targets = targets;
        (step.before, step.after) = (Place::of(self.here.as_str()), Place::of(to));
        step.elapsed_ms = 800;
        to.clone_into(&mut self.here);
        self.steps.push(step);
    }

    /// A click that something covers, what closes it, and the click again.
    fn recovered(&mut self, run: usize, button: &TargetIdentity, to: &str) {
        let here = self.here.clone();
        self.step("click", json!({}), button, &here);
        let failed = self.steps.last_mut().expect("a step");
        failed.outcome = Outcome::failed(ErrorClass::Intercepted, "covered by a banner");
        let close = TargetIdentity::new(Role::Button, format!("Close {}", WORDS[run / 4 % 10]));
        self.step("click", json!({}), &close, &here);
        self.step("click", json!({}), button, to);
    }
}

fn log(run: usize, offered: Vec<AdviceId>) -> RunLog {
    let (verb, form, button) = TASKS[run % TASKS.len()];
    let (one, two) = (WORDS[run % 10], WORDS[run / 10 % 10]);
    let value = format!("{one} {two} {run}");
    let place = |path: &str| format!("{HOME}{path}");
    let named = TargetIdentity::new;
    let mut made = Made {
        here: HOME.to_owned(),
        steps: Vec::new(),
    };
    made.step("click", json!({}), &named(Role::Link, form), &place(form));
    let field = named(Role::TextBox, "Article");
    let found = place(&format!("{form}/{run}"));
    made.step(
        "fill",
        json!({ "text": value, "submit": true }),
        &field,
        &found,
    );
    // Half of the goals have a part of their own, so that tasks differ in more than the value.
    let own = format!("Details of the {two}");
    if run.is_multiple_of(2) {
        made.step("click", json!({}), &named(Role::Button, &own), &found);
    }
    let button = named(Role::Button, button);
    let done = place(&format!("{form}/done"));
    if run.is_multiple_of(4) {
        made.recovered(run, &button, &done);
    } else {
        made.step("click", json!({}), &button, &done);
    }
    let is_success = run % 10 != 9;
    if is_success && let Some(last) = made.steps.last_mut() {
        let (answer, words) = (format!("{verb}: {value} is done"), "is done".to_owned());
        last.finished = Some(Finished::new(answer, words, true));
    }
    for step in &mut made.steps {
        step.offered = (0..offered.len()).collect();
    }
    let goal = if run.is_multiple_of(2) {
        format!("{verb} \"{value}\" and read the details of the {two}")
    } else {
        format!("{verb} \"{value}\"")
    };
    let id = RunId::parse(format!("run_{run}")).expect("an id");
    RunLog::new(
        id,
        About::new(goal),
        at(run + 1),
        is_success,
        made.steps,
        offered,
    )
    .started_at(at(run))
}

/// The start page and what the goals speak of: everything that memory could name is on it.
fn page(home: &str) -> Cue {
    let mut tree = Tree::builder();
    for (_, form, button) in TASKS {
        tree.leaf(Node::new(Role::Link, form));
        tree.leaf(Node::new(Role::Button, button));
    }
    for word in WORDS {
        tree.leaf(Node::new(Role::Button, format!("Close {word}")));
        tree.leaf(Node::new(Role::Button, format!("Details of the {word}")));
    }
    tree.leaf(Node::new(Role::TextBox, "Article"));
    Cue::PageShown {
        host: Host::of(&home.parse().expect("a URL")).expect("a host"),
        page: PageTemplate::parse(home).ok(),
        seen: Arc::new(Observation::new(home, "Shop", tree.finish())),
    }
}

/// What a page is shown, as the engine asks for it: each kind's shelves, an index each, and at most the kind's limit.
fn recall(kinds: &[Arc<dyn MemoryKind>], shelves: &Shelves, moment: &Moment<'_>) -> Vec<Advice> {
    let mut shown: Vec<Advice> = Vec::new();
    for kind in kinds {
        let mut own = Vec::new();
        for shelf in kind.wants(&Namespace::default(), moment) {
            let records = shelves.get(&shelf).map_or(&[][..], Vec::as_slice);
            let index = kind.index(&shelf, records);
            own.extend(index.advise(moment, moment.is_above(&shelf)));
        }
        own.retain(|advice| kind.adds(advice, &shown));
        own.truncate(kind.limit(moment));
        shown.append(&mut own);
    }
    shown
}

fn learn(kinds: &[Arc<dyn MemoryKind>], shelves: &mut Shelves, log: &RunLog) {
    for kind in kinds {
        let Some(distilled) = kind.distill(log) else {
            continue;
        };
        for one in kind
            .learn(&Namespace::default(), &distilled)
            .expect("edits")
        {
            let records = shelves.entry(one.shelf).or_default();
            let changes = one.edit.changes(records).expect("changes");
            *records = apply(records, &changes);
        }
    }
}

/// The shelves after each number of runs.
static LEARNED: LazyLock<BTreeMap<usize, Shelves>> = LazyLock::new(|| {
    let (kinds, cue) = (kinds(), page(HOME));
    let mut shelves = Shelves::new();
    let mut learned = BTreeMap::new();
    for run in 0..*RUNS.last().expect("a number") {
        let about = log(run, Vec::new()).about;
        let moment = Moment::new(&cue, &about, &[], at(run));
        let shown = recall(&kinds, &shelves, &moment);
        let offered = shown.iter().map(|advice| advice.id().clone()).collect();
        learn(&kinds, &mut shelves, &log(run, offered));
        if RUNS.contains(&(run + 1)) {
            learned.insert(run + 1, shelves.clone());
        }
    }
    learned
});

/// Prints the size of each shelf and of the advice for the next run, which is one with a task that is known.
fn print(runs: usize, shelves: &Shelves) {
    for (shelf, records) in shelves {
        let bytes: usize = records.iter().map(Record::size).sum();
        println!(
            "{runs} runs: {shelf}: {} records, {bytes} bytes",
            records.len()
        );
    }
    let (cue, about) = (page(HOME), log(runs, Vec::new()).about);
    let moment = Moment::new(&cue, &about, &[], at(runs));
    print_shown(&format!("{runs} runs"), &recall(&kinds(), shelves, &moment));
}

fn print_shown(of: &str, shown: &[Advice]) {
    let lines = shown.iter().flat_map(Advice::lines);
    let characters: usize = lines.map(Line::text).map(|line| line.chars().count()).sum();
    let pieces = shown.len();
    println!("{of}: a page is shown {pieces} pieces of advice, {characters} characters");
}

/// All kinds of memory at a new page: an index for each shelf, and their advice.
#[divan::bench(args = RUNS)]
fn recall_on_a_page(bencher: Bencher<'_, '_>, runs: usize) {
    let (kinds, cue, about) = (kinds(), page(HOME), log(runs, Vec::new()).about);
    let moment = Moment::new(&cue, &about, &[], at(runs));
    let shelves = &LEARNED[&runs];
    bencher.bench_local(|| recall(&kinds, divan::black_box(shelves), &moment));
}

/// One more run: its distilled form, and the edits of all shelves.
#[divan::bench(args = RUNS)]
fn learn_from_a_run(bencher: Bencher<'_, '_>, runs: usize) {
    let (kinds, log) = (kinds(), log(runs, Vec::new()));
    bencher
        .with_inputs(|| LEARNED[&runs].clone())
        .bench_local_values(|mut shelves| learn(&kinds, &mut shelves, &log));
}

fn runtime() -> Runtime {
    let mut builder = Builder::new_current_thread();
    builder.enable_all().build().expect("a runtime")
}

/// Folders with these numbers of hosts, each of which one run has visited. All but the first host are copies, written without waiting for
/// the disk.
static FOLDERS: LazyLock<BTreeMap<usize, TempDir>> = LazyLock::new(|| {
    let mut shelves = Shelves::new();
    learn(&kinds(), &mut shelves, &log(0, Vec::new()));
    let folder = |hosts: usize| {
        let dir = tempfile::tempdir().expect("a folder");
        let store = JsonFiles::open(dir.path());
        for (shelf, records) in &shelves {
            let puts: Vec<Change> = records.iter().cloned().map(Change::Put).collect();
            let edit = Edit::new(move |_: &[Record]| Ok(puts.clone()));
            runtime()
                .block_on(store.update(shelf, edit))
                .expect("an update");
        }
        let domains = dir.path().join("default/domains");
        let first = domains.join("shop.example");
        for n in 0..hosts {
            let name = format!("shop{n}.example");
            let own = domains.join(&name);
            fs::create_dir(&own).expect("a folder");
            for file in files(&first) {
                let text = fs::read_to_string(&file).expect("it was written");
                let copy = own.join(file.file_name().expect("a file"));
                fs::write(&copy, text.replace("shop.example", &name)).expect("a copy");
                fs::set_permissions(&copy, fs::metadata(&file).expect("a file").permissions())
                    .expect("ours");
            }
            fs::set_permissions(&own, fs::metadata(&first).expect("a folder").permissions())
                .expect("ours");
        }
        fs::remove_dir_all(first).expect("ours");
        dir
    };
    HOSTS.map(|hosts| (hosts, folder(hosts))).into()
});

/// The files in a folder and below it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let below = |path: PathBuf| {
        if path.is_dir() {
            files(&path)
        } else {
            vec![path]
        }
    };
    entries.flat_map(|entry| below(entry.path())).collect()
}

/// The bytes of the files in a folder.
fn size(folder: &Path) -> u64 {
    let of = |file: &PathBuf| fs::metadata(file).map_or(0, |about| about.len());
    files(folder).iter().map(of).sum()
}

/// What the start page of a host is shown from the memory in a folder, which is opened for it.
async fn recall_of(folder: &Path, host: usize) -> Vec<Advice> {
    let (store, kinds) = (JsonFiles::open(folder), kinds());
    let cue = page(&format!("https://shop{host}.example/"));
    let about = log(8, Vec::new()).about;
    let moment = Moment::new(&cue, &about, &[], at(9));
    let mut shelves = Shelves::new();
    for kind in &kinds {
        for shelf in kind.wants(&Namespace::default(), &moment) {
            let records = store.load(&shelf).await.expect("it can be read").records;
            shelves.insert(shelf, records);
        }
    }
    recall(&kinds, &shelves, &moment)
}

/// A page of one host: the folder is opened, the shelves of all kinds are read, and asked.
#[divan::bench(args = HOSTS)]
fn recall_among_hosts(bencher: Bencher<'_, '_>, hosts: usize) {
    let (folder, runtime) = (FOLDERS[&hosts].path(), runtime());
    bencher.bench_local(|| runtime.block_on(recall_of(folder, hosts / 2)));
}
