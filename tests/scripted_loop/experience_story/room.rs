//! Memory in a message that is too long: the results of the session stay longest, then the way of a similar task, then the facts.

use chrono::TimeDelta;

use super::{
    kept::{Visit, section},
    *,
};

/// The sections, the one that stays longest first.
const SECTIONS: [&str; 3] = [
    "Session history",
    "Done here before",
    "Facts about this site",
];
/// More than any message of these runs. Unit: tokens.
const ROOMY: u64 = 30_000;
/// Less than any of them. Unit: tokens.
const NARROW: u64 = 2_000;
/// Less than a line of a section. Unit: tokens.
const STEP: usize = 5;

/// A store that knows five facts (a prompt shows four), a way of four steps and two sessions.
async fn experienced() -> InMemory {
    let store = InMemory::new();
    for n in 1..=2 {
        let mut steps: Vec<ChatResponse> = (1..=5)
            .map(|n| json!({ "key": format!("rule {n}"), "value": format!("The door {n} is open.") }))
            .map(|fact| call("remember", fact))
            .collect();
        steps.extend(replies("red cars"));
        let (id, goal) = (
            format!("run_{n}"),
            format!("Look up <{n}> and close the case"),
        );
        let mut visit = Visit::new(&id, TimeDelta::minutes(n), &goal);
        visit.session = Some("proj");
        let browser = desk("red cars", "Case of Silva", "Close");
        visit.run(&store, browser, steps).await;
    }
    store
}

/// The number of lines of each section in a window of this size, and whether the page is whole.
async fn shown(store: &InMemory, window: u64) -> ([usize; 3], bool) {
    let mut visit = Visit::new(
        "run_3",
        TimeDelta::minutes(3),
        "Look up <3> and close the case",
    );
    (visit.session, visit.window) = (Some("proj"), Some(window));
    let page = desk("red cars", "Case of Silva", "Close");
    let finish = replies("").pop().unwrap();
    let ran = visit.run(&store.fork(), page, vec![finish]).await;
    if ran.messages.is_empty() {
        return ([0; 3], true);
    }
    let of = |heading| section(&ran, heading);
    let lines = SECTIONS.map(|heading| of(heading).iter().filter(|l| !l.is_empty()).count());
    (lines, ran.messages[0].contains("e2 button \"Go\""))
}

#[tokio::test]
async fn a_small_window_cuts_the_facts_first_then_the_way_and_the_session_last() {
    let store = experienced().await;
    let (all, _) = shown(&store, ROOMY).await;
    assert!(all.iter().all(|lines| *lines >= 4), "{all:?}");
    let (mut low, mut high) = (NARROW, ROOMY);
    while high - low > 1 {
        let middle = u64::midpoint(low, high);
        if shown(&store, middle).await.0 == all {
            high = middle;
        } else {
            low = middle;
        }
    }
    let mut is_ahead = [false; 2];
    for window in (NARROW..high).rev().step_by(STEP) {
        let (lines, has_page) = shown(&store, window).await;
        assert!(has_page, "{window}");
        for at in 0..2 {
            let least = lines[at + 1].min(all[at]);
            assert!(lines[at] >= least, "{window}: {lines:?} of {all:?}");
            is_ahead[at] |= lines[at] > lines[at + 1] && lines[at + 1] < all[at + 1];
        }
        // What is left is the line that says how much is missing.
        if lines.iter().all(|lines| *lines <= 1) {
            break;
        }
    }
    assert_eq!(is_ahead, [true; 2]);
}
