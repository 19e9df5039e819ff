//! The program that drives a browser is killed at random moments, while the browser starts and while it acts; fifty times in the
//! full profile.

use std::{
    env, fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use webwise::{
    action::{BrowserAction, TabNew},
    browser::Cdp,
};

use crate::driver::{
    bed::{act, button, fill, folder, goto, options, see, site, tab_close, target},
    left::{Left, after_the_next_start},
    processes::{family, gone},
    profile::full,
    random::Random,
};

/// How often it is killed, and the fewest of these kills that must meet a browser which starts.
fn kills() -> (u32, u32) {
    if full() { (50, 5) } else { (4, WORKERS) }
}

/// So many programs run side by side.
const WORKERS: u32 = 2;
/// Where a child of this program does its work, when it is one.
const PLACE: &str = "WEBWISE_CDP_PLACE";
/// Where it finds the pages.
const SITE: &str = "WEBWISE_CDP_SITE";
/// What it makes in its place when its browser is there.
const UP: &str = "up";
/// How long it may take to do so. Unit: time. Source: it takes 0.6 s; a loaded machine gets far more.
const START: Duration = Duration::from_mins(1);
/// Latest moment of a kill while the browser starts, and while it acts. Unit: milliseconds. Source: a start takes 300 to 600.
const MOMENTS: (u64, u64) = (700, 900);
/// The same for the first kill of each worker: no browser is there so soon.
const SURELY_STARTING: u64 = 100;

const PAGE: &str = "<title>Here</title><label>Name <input></label><button onclick=\"window.open('/')\">Open</button>
<iframe src='THERE/inner'></iframe><script>setInterval(() => document.body.append('.'), 5)</script>";

#[test]
fn kills_of_the_owner_leave_no_process_and_no_folder() {
    if let Some(place) = env::var_os(PLACE) {
        return child(&PathBuf::from(place));
    }
    let web = site(&[("/", PAGE), ("/inner", "<button>In</button>")]);
    let random = Random::told("cdp: the moments of the kills");
    let (left, starting) = thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS)
            .map(|worker| {
                let (site, random) = (
                    web.url("127.0.0.1", "/"),
                    Random(random.0 ^ u64::from(worker) << 32),
                );
                scope.spawn(move || work(&site, random))
            })
            .collect();
        let done = workers
            .into_iter()
            .map(|worker| worker.join().expect("a worker"));
        let (left, starting): (Vec<Left>, Vec<u32>) = done.unzip();
        (
            left.into_iter().sum::<Left>(),
            starting.into_iter().sum::<u32>(),
        )
    });
    left.tell(&format!(
        "kills, {starting} of them while the browser started"
    ));
    let (kills, least) = kills();
    assert!(
        starting >= least,
        "{starting} met a browser that was starting"
    );
    assert_eq!((left.ends, left.processes, left.folders), (kills, 0, 0));
}

/// The child: drives a browser round and round until it is killed.
fn child(place: &Path) {
    let site = env::var(SITE).expect("the parent says where the pages are");
    // Its input ends with the parent: a child that nobody is going to kill any more ends by itself.
    thread::spawn(|| {
        let _ = io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(1);
    });
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let driver = Cdp::launch(&options(&place.join("b")))
            .await
            .expect("the browser starts");
        fs::write(place.join(UP), "").expect("the place is there");
        loop {
            let new = BrowserAction::TabNew(TabNew {
                url: Some(site.clone()),
            });
            for action in [
                goto(&*site),
                fill(target("label=\"Name\""), "x"),
                button("Open"),
                new,
                tab_close(0),
            ] {
                act(&driver, action).await.expect("it acts");
                see(&driver).await;
            }
            while see(&driver).await.tabs.len() > 1 {
                act(&driver, tab_close(1)).await.expect("it closes a tab");
            }
        }
    });
}

fn work(site: &str, mut random: Random) -> (Left, u32) {
    let place = folder();
    fs::create_dir(place.path().join("b")).expect("a new folder");
    let (mut left, mut starting) = (Left::default(), 0);
    for nth in 0..kills().0 / WORKERS {
        let up = place.path().join(UP);
        let _ = fs::remove_file(&up);
        let mut child = start(place.path(), site);
        // Every second one is killed while its browser starts.
        let latest = if nth == 0 {
            SURELY_STARTING
        } else if nth.is_multiple_of(2) {
            MOMENTS.0
        } else {
            wait_for(&up, &mut child);
            MOMENTS.1
        };
        thread::sleep(Duration::from_millis(random.below(latest)));
        let known = family(place.path(), child.id());
        assert!(
            child.try_wait().expect("it is ours").is_none(),
            "it runs until it is killed: {}",
            said(place.path())
        );
        child.kill().expect("it can be killed");
        starting += u32::from(!up.exists());
        child.wait().expect("it is ours");
        let (took, still) = gone(place.path(), &known);
        left.add(took, &still);
    }
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    left.folders = runtime.block_on(after_the_next_start(&place.path().join("b")));
    (left, starting)
}

fn start(place: &Path, site: &str) -> Child {
    Command::new(env::current_exe().expect("this program"))
        .args([
            "--exact",
            "driver::kills::kills_of_the_owner_leave_no_process_and_no_folder",
            "--nocapture",
        ])
        .env(PLACE, place)
        .env(SITE, site)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(fs::File::create(place.join("said")).expect("a new file"))
        .spawn()
        .expect("this program starts again")
}

fn said(place: &Path) -> String {
    fs::read_to_string(place.join("said")).unwrap_or_default()
}

fn wait_for(up: &Path, child: &mut Child) {
    let begin = Instant::now();
    while !up.exists() {
        let ended = child.try_wait().expect("it is ours");
        assert!(
            ended.is_none() && begin.elapsed() < START,
            "its browser starts: {}",
            said(up.parent().expect("a folder"))
        );
        thread::sleep(Duration::from_millis(5));
    }
}
