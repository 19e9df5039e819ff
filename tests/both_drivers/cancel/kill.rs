//! The program that runs a real browser is killed at random moments; fifty times with each driver in the full profile.

use std::{
    env, fs,
    io::{self, BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use webwise::{
    BrowserDriver as _, DecisionLoop, event::RunFolder, store::InMemory,
    testing::conformance::browser::Site,
};

use crate::cancel::{
    JOB, PLACE,
    browsers::Driver,
    left::{locks, unreadable},
    processes::{family, gone},
    profile::full,
    random::Random,
    real::{folder, restless, task, wishes},
};

/// Returns the number of kills with a driver, and the minimum number of these that must hit a run in progress. The
/// quick profile has half as many kills with the slower driver.
pub(crate) fn kills(by: Driver) -> (u32, u32) {
    match by {
        _ if full() => (50, 10),
        Driver::Cdp => (8, 2),
        _ => (4, 1),
    }
}

/// So many programs run side by side.
const WORKERS: u32 = 2;
/// What a child says when its browser is there.
const UP: &str = "CHILD-UP";
/// Where a child finds the pages.
const SITE: &str = "WEBWISE_CANCEL_SITE";
/// By which driver a child runs its browser.
const DRIVER: &str = "WEBWISE_CANCEL_DRIVER";
/// How long a child may take to say so. Unit: time. Source: it takes 2 s; a loaded machine gets far more.
const START: Duration = Duration::from_mins(5);

/// What was left after all kills together.
#[derive(Debug, Default)]
pub(crate) struct Killed {
    pub(crate) kills: u32,
    /// Kills after which the folder held a run that had begun and not ended.
    pub(crate) in_a_run: u32,
    pub(crate) processes: usize,
    pub(crate) locks: usize,
    pub(crate) unreadable: usize,
    pub(crate) folders: usize,
    pub(crate) slowest: Duration,
}

/// Whether this program is a child that is going to be killed.
pub(crate) fn is_child() -> bool {
    env::var(JOB).is_ok_and(|job| job == "kill")
}

/// The child: runs a real browser round and round until it is killed.
pub(crate) fn child() {
    let place = PathBuf::from(env::var_os(PLACE).expect("the parent says where"));
    let site = env::var(SITE).expect("the parent says where the pages are");
    let name = env::var(DRIVER).expect("the parent says by what");
    let by = Driver::EACH
        .into_iter()
        .find(|driver| driver.name() == name)
        .expect("a driver of this name");
    // Its input ends with the parent: a child that nobody is going to kill any more ends by itself.
    thread::spawn(|| {
        let _ = io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(1);
    });
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let browser = by.launch(&wishes(&place.join("b"))).await;
        println!("{UP}");
        let runs = RunFolder::new(place.join("runs")).unwrap();
        let agent = DecisionLoop::builder(browser, restless(&site), InMemory::new())
            .with_sink(runs)
            .build()
            .unwrap();
        loop {
            agent.run(task(&site)).await;
        }
    });
}

/// Kills children at random moments and counts what is left.
pub(crate) fn at_random_moments(by: Driver) -> Killed {
    let site = Site::start().unwrap();
    let Random(seed) = Random::told(&format!(
        "cancel: the moments of the kills by {}",
        by.name()
    ));
    let all = Mutex::new(Killed::default());
    thread::scope(|scope| {
        for worker in 0..WORKERS {
            let (site, all) = (&site, &all);
            scope.spawn(move || {
                let place = folder();
                fs::create_dir(place.path().join("b")).unwrap();
                let mut random = Random(seed ^ u64::from(worker) << 32);
                for nth in 0..kills(by).0 / WORKERS {
                    kill_one(by, place.path(), &site.url(""), nth, &mut random, all);
                }
                let folders = after_the_next_start(by, &place.path().join("b"));
                let bad = unreadable(&place.path().join("runs"));
                for one in &bad {
                    println!("cannot be read: {one}");
                }
                let mut all = all.lock().unwrap();
                all.unreadable += bad.len();
                all.folders += folders;
            });
        }
    });
    all.into_inner().unwrap()
}

fn kill_one(
    by: Driver,
    place: &Path,
    site: &str,
    nth: u32,
    random: &mut Random,
    all: &Mutex<Killed>,
) {
    let mut child = Command::new(env::current_exe().unwrap())
        .args([
            "--exact",
            "cancel::nothing_is_left_and_all_reads_wherever_a_run_is_cut_off",
            "--nocapture",
        ])
        .env(JOB, "kill")
        .env(PLACE, place)
        .env(SITE, site)
        .env(DRIVER, by.name())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(fs::File::create(place.join("said")).unwrap())
        .spawn()
        .unwrap();
    // One of four is killed while its browser starts, the rest while it runs.
    if !nth.is_multiple_of(4) {
        wait_until_up(&mut child, &place.join("said"));
    }
    thread::sleep(Duration::from_millis(random.below(1_600)));
    let known = family(place, child.id());
    assert!(
        child.try_wait().unwrap().is_none(),
        "it runs until it is killed"
    );
    child.kill().unwrap();
    let begin = Instant::now();
    child.wait().unwrap();
    let (_, left) = gone(place, &known);
    let took = begin.elapsed();
    let locks = locks(place);
    let open = running(&place.join("runs"));
    let mut all = all.lock().unwrap();
    all.kills += 1;
    all.processes += left.len();
    all.locks += locks;
    all.in_a_run += u32::from(open);
    all.slowest = all.slowest.max(took);
    if !left.is_empty() {
        println!("left after kill {nth}: {left:?}");
    }
}

/// Waits for the child's word; its output is read to the end elsewhere, so that it never waits for a reader.
fn wait_until_up(child: &mut Child, said: &Path) {
    let (sender, receiver) = std::sync::mpsc::channel();
    let output = BufReader::new(child.stdout.take().unwrap());
    thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            if line.contains(UP) {
                let _ = sender.send(());
            }
        }
    });
    let up = receiver.recv_timeout(START);
    assert!(
        up.is_ok(),
        "the child's browser starts: {}",
        fs::read_to_string(said).unwrap_or_default()
    );
}

/// Whether the newest run began and did not end.
fn running(runs: &Path) -> bool {
    let mut folders: Vec<PathBuf> = fs::read_dir(runs)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
        .collect();
    // Their ids sort by time.
    folders.sort();
    let meta = folders
        .last()
        .and_then(|run| fs::read_to_string(run.join("run_meta.json")).ok());
    meta.is_some_and(|meta| meta.contains("\"status\":\"running\""))
}

/// The folders of dead browsers that the next start leaves there.
fn after_the_next_start(by: Driver, folder: &Path) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let next = by.launch(&wishes(folder)).await;
        let others = fs::read_dir(folder).unwrap().count() - 1;
        next.close().await.unwrap();
        others + fs::read_dir(folder).unwrap().count()
    })
}
