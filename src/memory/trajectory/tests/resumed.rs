//! Runs that were interrupted and resumed: a trajectory has the whole way, or there is none.

use super::*;
use crate::working::By;

const ITEM: &str = "https://shop.example/item/3";
const CART: &str = "https://shop.example/cart";

type Did = (Action, Vec<TargetIdentity>, String);

fn click(role: Role, name: &str, to: &str) -> Did {
    step("click", json!({}), element(role, name), to)
}

fn item() -> Did {
    click(Role::Link, "Oak racket", ITEM)
}

fn note(text: &str) -> Did {
    let field = element(Role::TextBox, "Note");
    step("fill", json!({ "text": text }), field, ITEM)
}

fn add() -> Did {
    click(Role::Button, "Add to cart", ITEM)
}

fn cart() -> Did {
    click(Role::Link, "Cart", CART)
}

/// Returns the log of a run that was interrupted after `before`, opened the page at `reopened` again and did `after`.
fn resumed(before: Vec<Did>, reopened: &str, after: Vec<Did>) -> RunLog {
    let at = before.len();
    let again = step("goto", json!({ "url": reopened }), None, reopened);
    let all = before.into_iter().chain([again]).chain(after).collect();
    let mut log = log("run_1", 0, "Put the oak racket into the cart", all);
    log.steps[at].by = By::Task;
    log.steps[at].before = Place::default();
    log
}

/// Returns the same log, with no outcome of the last action before the interruption.
fn in_action(mut log: RunLog) -> RunLog {
    let mut steps = log.steps.iter();
    let at = steps.position(|step| step.by == By::Task).unwrap();
    log.steps[at - 1].unseen = true;
    log.steps[at - 1].after = Place::default();
    log
}

fn way(log: &RunLog) -> Option<Vec<String>> {
    let learned = Learned::of(log)?;
    Some(learned.steps.iter().map(ToString::to_string).collect())
}

fn whole() -> Option<Vec<String>> {
    let way = way(&log(
        "run_1",
        0,
        "Put the oak racket into the cart",
        vec![item(), note("Yellow"), add(), cart()],
    ));
    assert_eq!(way.as_ref().map(Vec::len), Some(4));
    way
}

#[test]
fn steps_on_both_sides_of_an_interruption_are_one_way() {
    let first = || vec![item(), note("Yellow")];
    for log in [
        resumed(vec![item()], ITEM, vec![note("Yellow"), add(), cart()]),
        resumed(first(), ITEM, vec![add(), cart()]),
        // What was typed was lost.
        resumed(first(), ITEM, vec![note("Yellow"), add(), cart()]),
        resumed(vec![item(), note("x"), add()], ITEM, vec![cart()]),
        // These actions leave nothing behind that the same action does not replace.
        in_action(resumed(first(), ITEM, vec![note("Yellow"), add(), cart()])),
        in_action(resumed(
            vec![item(), note("x"), add(), cart()],
            ITEM,
            vec![cart()],
        )),
    ] {
        assert_eq!(way(&log), whole(), "{log:?}");
    }
}

#[test]
fn there_is_no_way_if_the_log_does_not_prove_all_of_it() {
    let all = || vec![item(), note("Yellow"), add()];
    let mut cut = resumed(vec![note("Yellow"), add()], ITEM, vec![cart()]);
    cut.cut = true;
    let mut given_up = log("run_1", 0, GOAL, vec![item(), add(), cart()]);
    given_up.steps[1].unseen = true;
    let mut failed = resumed(all(), ITEM, vec![cart()]);
    failed.steps[3].outcome = Outcome::failed(ErrorClass::NavigationFailed, "");
    let mut never_again = resumed(all(), ITEM, vec![cart()]);
    never_again.steps[3].unseen = true;
    for log in [
        // It may have been done, or not.
        in_action(resumed(all(), ITEM, vec![cart()])),
        in_action(resumed(all(), ITEM, vec![add(), cart()])),
        in_action(resumed(vec![item(), note("x")], ITEM, vec![add(), cart()])),
        in_action(resumed(vec![item(), cart()], ITEM, vec![add()])),
        // The first one may still count.
        resumed(all(), ITEM, vec![add(), cart()]),
        // Its page was empty, so the run went back and did it once more.
        resumed(
            vec![item(), note("Yellow"), add(), cart()],
            CART,
            vec![click(Role::Link, "Back", ITEM), add(), cart()],
        ),
        // The run was not where it had been.
        resumed(all(), SHOP, vec![cart()]),
        cut,
        given_up,
        failed,
        never_again,
    ] {
        assert_eq!(way(&log), None, "{log:?}");
    }
}

#[test]
fn a_start_page_that_was_opened_twice_is_no_interruption_of_the_way() {
    let start = || step("goto", json!({ "url": SHOP }), None, SHOP);
    let steps = vec![start(), start(), item(), note("Yellow"), add(), cart()];
    let mut log = log("run_1", 0, "Put the oak racket into the cart", steps);
    for start in &mut log.steps[..2] {
        start.by = By::Task;
    }
    log.steps[0].unseen = true;
    assert_eq!(way(&log), whole());
}
