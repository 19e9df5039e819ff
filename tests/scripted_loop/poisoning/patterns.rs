//! Steps that tasks with different goals share on a site whose every name is a payload: what runs read of them, on that host and on
//! another.

use webwise::store::InMemory;

use crate::poisoning::{
    attempts::QUICK_EVERY,
    payloads::payloads,
    profile::pick,
    reading::read,
    scan,
    ways::{OTHER_GOAL, run},
};

/// Goals that are like no other one here, so that no way of an earlier run is offered.
const SECOND_GOAL: &str = "Inspect harbour fees today";
const THIRD_GOAL: &str = "Weigh every parcel twice";

#[test]
fn steps_with_hostile_names_stay_in_their_fence_and_on_their_host() {
    let every = pick(QUICK_EVERY, 1);
    let (mut tried, mut shown) = (0, 0);
    for (n, payload) in payloads().iter().enumerate().step_by(every) {
        let token = scan::token(n);
        let payload_text = payload.with(&token);
        let says = |text: &str| scan::folded(text).contains(&token);
        let memory = InMemory::new();
        for goal in [OTHER_GOAL, SECOND_GOAL] {
            run(&memory, "bad.example", Some(&payload_text), goal);
        }
        tried += 1;
        let mut is_shown = false;
        for (system, message) in run(&memory, "bad.example", Some(&payload_text), THIRD_GOAL) {
            let reading =
                read(&message).unwrap_or_else(|why| panic!("{}: {why}\n{message}", payload.name));
            assert!(!says(&system), "{}: {system}", payload.name);
            assert!(!says(&reading.bare), "{}: {message}", payload.name);
            assert!(!says(&reading.outside), "{}: {message}", payload.name);
            is_shown |= reading.outside.contains("## Patterns of this site");
        }
        shown += usize::from(is_shown);
        for host in ["good.example", "sub.bad.example"] {
            for (system, message) in run(&memory, host, None, THIRD_GOAL) {
                assert!(
                    !says(&system) && !says(&message),
                    "{} on {host}: {message}",
                    payload.name
                );
            }
        }
    }
    figure!(
        "poisoning patterns: {tried} payloads as all names of a site, shown {shown} times, 0 outside the fence, 0 on another host"
    );
    assert!(2 * shown >= tried, "{shown} of {tried} were shown");
}
