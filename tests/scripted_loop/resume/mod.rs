//! A run whose process is killed goes on in another process: nothing irreversible is done twice, no step that was
//! reported is lost, and memory learns the whole way or none.
//!
//! ```text
//! world    the club's site and browser, which outlive the process of the run, and what kills that process
//! child    the process that carries out the run, or goes on with it
//! doubt    an irreversible action that may have been done, with nobody there to ask
//! damaged  a checkpoint that was lost or damaged after such an action
//! ```
#![cfg(target_os = "linux")]

use crate::{club, profile};

mod child;
mod damaged;
mod doubt;
mod world;

use world::{Kill, Side, World};

/// Kills in all, and the fewest of them that must meet an action before its outcome.
fn kills() -> (usize, usize) {
    profile::pick((6, 2), (50, 10))
}

#[test]
fn a_killed_run_goes_on_to_its_end_and_sends_nothing_twice() {
    if child::is_child() {
        return child::run();
    }
    let whole = World::unbroken(false);
    let (kills, least) = kills();
    let mut in_action = 0;
    let (mut asked, mut told, mut learned) = (0, 0, 0);
    assert_eq!(whole.way().len(), 4, "{whole:?}");
    for nth in 0..kills {
        let kill = kill(&whole.messages, nth, kills);
        let seen = World::broken(&kill, false);
        assert_eq!(seen.sent, 1, "{kill:?}: {seen:?}");
        assert_eq!(seen.end["stop"], "finished", "{kill:?}: {seen:?}");
        assert_eq!(seen.end["answer"], whole.end["answer"], "{kill:?}");
        for step in &seen.told {
            let steps = seen.end["steps"].as_array().unwrap();
            assert!(steps.contains(step), "{kill:?}: {step} is lost: {seen:?}");
        }
        if !seen.way().is_empty() {
            learned += 1;
            assert_eq!(seen.way(), whole.way(), "{kill:?}: {seen:?}");
        }
        in_action += usize::from(seen.killed_in_action);
        asked += seen.asked;
        told += seen.told.len();
    }
    figure!(
        "resume: {kills} kills, {in_action} of them in an action, all resumed to the end, 0 sent twice, 0 of {told} reported \
         steps lost ({asked} times a person was asked), {learned} ways learned, all of them whole"
    );
    assert!(in_action >= least, "it was killed in actions");
    assert!(told > kills, "steps were reported before the kills");
    assert!(learned * 2 >= kills, "most kills leave the way whole");
}

#[test]
fn a_run_that_is_killed_while_it_follows_a_recipe_sends_nothing_twice() {
    let whole = World::unbroken(true);
    assert_eq!(
        (whole.sent, &whole.end["stop"]),
        (1, &"finished".into()),
        "{whole:?}"
    );
    let thinks = whole.messages.iter().filter(|message| *message == "think");
    assert!(
        thinks.count() <= 1,
        "the model ends the run at most: {whole:?}"
    );
    let send = whole
        .messages
        .iter()
        .rposition(|message| message == "execute")
        .unwrap();
    let kills = profile::pick(8, 200);
    let (mut in_action, mut asked) = (0, 0);
    for nth in 0..kills {
        // Most kills are around the step that cannot be undone.
        let kill = Kill {
            at: if nth % 4 == 3 {
                nth / 4 % whole.messages.len()
            } else {
                send - nth % 2
            },
            side: if nth % 3 == 0 {
                Side::Before
            } else {
                Side::After
            },
            again_at: (nth % 5 == 4).then_some(nth % 7),
        };
        let seen = World::broken(&kill, true);
        assert_eq!(seen.sent, 1, "{kill:?}: {seen:?}");
        assert_eq!(seen.end["stop"], "finished", "{kill:?}: {seen:?}");
        in_action += usize::from(seen.killed_in_action);
        asked += seen.asked;
    }
    figure!(
        "resume: {kills} kills of a run that follows a recipe, {in_action} of them in an action, all resumed to the end, 0 sent twice \
         ({asked} times a person was asked)"
    );
    assert!(in_action * 3 >= kills, "it was killed in actions");
}

/// The kill with this number: the two around the irreversible action first, then spread over the whole run, and again
/// with a second kill when every message has had its turn.
fn kill(messages: &[String], nth: usize, kills: usize) -> Kill {
    let send = messages.iter().rposition(|message| message == "execute");
    let send = send.expect("the last action sends the form");
    let points = messages.len() * 2;
    let (first, second) = match nth {
        0 => (send * 2, None),
        1 => (send * 2 + 1, None),
        nth if kills < points => (nth * points / kills, None),
        nth => (nth % points, (nth >= points).then_some(nth % 7)),
    };
    Kill {
        at: first / 2,
        side: if first % 2 == 0 {
            Side::Before
        } else {
            Side::After
        },
        again_at: second,
    }
}
