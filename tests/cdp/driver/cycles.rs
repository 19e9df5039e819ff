//! Starts and ends in every manner: closed, dropped, dropped while it acts, and given up while it starts; two hundred of them in
//! the full profile.

use std::{collections::BTreeSet, fs, path::Path, thread, time::Duration};

use tokio::time::timeout;
use webwise::browser::{BrowserDriver as _, Cdp};

use crate::driver::{
    bed::{act, button, folder, goto, options, site},
    left::Left,
    processes::{family, gone},
    profile::full,
    random::Random,
    web::Web,
};

/// Returns the number of cycles and the number of workers. Each worker starts one browser at a time. The number of
/// cycles is a multiple of the number of workers and of the five ways in which a cycle ends.
fn cycles() -> (u32, u32) {
    if full() { (200, 2) } else { (5, 1) }
}

/// Longest time after which a start is given up. Unit: milliseconds. Source: a start takes 300 to 600, so most are given up.
const GIVEN_UP: u64 = 700;

#[test]
fn starts_and_ends_leave_no_process_and_no_folder() {
    let web = site(&[(
        "/",
        "<title>Here</title><button onclick=\"document.title='Pressed'\">Go</button>",
    )]);
    let random = Random::told("cdp: the moments at which starts are given up");
    let (cycles, workers) = cycles();
    let left = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers)
            .map(|worker| {
                let (web, random) = (&web, Random(random.0 ^ u64::from(worker) << 32));
                scope.spawn(move || work(web, cycles / workers, random))
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("a worker"))
            .sum::<Left>()
    });
    left.tell("cycles");
    assert_eq!((left.ends, left.processes, left.folders), (cycles, 0, 0));
}

fn work(web: &Web, cycles: u32, mut random: Random) -> Left {
    let base = folder();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    let mut left = Left::default();
    for nth in 0..cycles {
        let known = runtime.block_on(cycle(base.path(), web, nth, &mut random));
        let (took, still) = gone(base.path(), &known);
        left.add(took, &still);
    }
    left.folders = runtime.block_on(crate::driver::left::after_the_next_start(base.path()));
    left
}

/// One start and its end; gives the processes that there were.
async fn cycle(base: &Path, web: &Web, nth: u32, random: &mut Random) -> BTreeSet<(u32, String)> {
    let options = options(base);
    if nth % 5 == 4 {
        let moment = Duration::from_millis(random.below(GIVEN_UP));
        // Either it is given up in the middle, or it was quick and is dropped now.
        drop(timeout(moment, Cdp::launch(&options)).await);
        return family(base, 0);
    }
    let driver = Cdp::launch(&options).await.expect("it starts");
    let known = family(base, 0);
    assert!(
        known.len() > 2,
        "a browser has several processes: {known:?}"
    );
    match nth % 5 {
        0 => driver.close().await.expect("it closes"),
        1 => {
            act(&driver, goto(web.url("127.0.0.1", "/")))
                .await
                .expect("it goes there");
            driver.close().await.expect("it closes");
            assert_eq!(
                fs::read_dir(base).expect("the folder").count(),
                0,
                "nothing is left of what was closed"
            );
        }
        2 => {
            act(&driver, goto(web.url("127.0.0.1", "/")))
                .await
                .expect("it goes there");
            let moment = Duration::from_millis(random.below(60));
            drop(timeout(moment, act(&driver, button("Go"))).await);
        }
        _ => {}
    }
    drop(driver);
    known
}
