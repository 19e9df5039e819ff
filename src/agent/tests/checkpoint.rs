//! The content of a checkpoint, and the parts that are left out to make room.

use chrono::DateTime;

use crate::{
    ErrorKind, RunId,
    action::{Action, BrowserAction, CustomCall, Effect, Goto, NoArguments, Outcome, Signature},
    agent::{executor::Guards, state::State},
    event::Intent,
    registry::MAX_CHECKPOINT,
    secret::{Redactor, Secret, SecretName},
    working::{About, By, Step, StopReason},
};

fn reload() -> Action {
    Action::Browser(BrowserAction::Reload(NoArguments {}))
}

/// Returns the state of a run with this number of steps. The action of each step returned a text of `gave` characters.
fn state(steps: u32, gave: usize) -> State {
    state_of(&reload(), steps, gave)
}

fn state_of(action: &Action, steps: u32, gave: usize) -> State {
    let run = RunId::parse("run_1").unwrap();
    let guards = Guards::new(None, Vec::new(), false);
    let mut state = State::new(run, About::new("Read hunter2-canary"), 7, guards);
    for number in 1..=steps {
        let signature = Signature::of(action, &[], "");
        let mut step = Step::new(number, action.clone(), Outcome::Done, signature);
        step.gave = Some("x".repeat(gave));
        state.memory.record(step);
    }
    state
}

fn look_up() -> Action {
    Action::Custom(CustomCall {
        tool: "look-up".to_owned(),
        arguments: serde_json::json!({}),
    })
}

fn kept(state: &State) -> State {
    let none = Redactor::default();
    let checkpoint = state.checkpoint(None, &none).unwrap();
    assert!(checkpoint.state.to_string().len() <= MAX_CHECKPOINT);
    State::of_checkpoint(&checkpoint).unwrap().0
}

#[test]
fn a_checkpoint_keeps_all_that_fits_and_else_the_steps_before_their_texts() {
    let whole = state(20, 1_000);
    assert_eq!(kept(&whole), whole);
    let texts = kept(&state(20, 10_000));
    assert_eq!(texts.steps().len(), 20);
    assert!(texts.steps().iter().all(|step| step.gave.is_none()));
    // The beginnings of the last results stay. With the remark they are no longer than what a prompt shows.
    let results = kept(&state_of(&look_up(), 20, 10_000));
    assert_eq!(results.steps().len(), 20);
    for step in &results.steps()[10..] {
        let text = step.result().unwrap();
        assert!(text.starts_with("xx") && text.ends_with("400 of 10000 characters are kept)"));
        assert!(text.chars().count() < 500, "{text}");
        assert_eq!(step.gave, None, "it is not what the action returned");
    }
    let last = kept(&state(2_000, 10));
    let numbers: Vec<u32> = last.steps().iter().map(|step| step.number).collect();
    assert_eq!(numbers, (1_951..=2_000).collect::<Vec<u32>>());
    assert!(last.cut && !texts.cut);
    let mut large = state(1, 1);
    large.system = "x".repeat(MAX_CHECKPOINT);
    let refused = large.checkpoint(None, &Redactor::default()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::TooLarge);
}

#[test]
fn a_full_memory_stays_small_enough_and_keeps_the_newest_extractions_and_results() {
    let mut state = state_of(&look_up(), 60, 1_000);
    for n in 0..20 {
        let text = "一艘船在水上。".repeat(500);
        state.memory.give(&format!("text {n}"), &text).unwrap();
        state
            .memory
            .extract(&format!("part {n}"), text, DateTime::UNIX_EPOCH);
    }
    let kept = kept(&state);
    assert!(kept.memory().given().is_empty());
    let names = kept.memory().extracted().iter().map(|taken| &*taken.name);
    assert_eq!(names.collect::<Vec<_>>(), ["part 19"]);
    assert_eq!(kept.steps().len(), 50);
    let results = kept.steps().iter().filter(|step| step.result().is_some());
    let results: Vec<u32> = results.map(|step| step.number).collect();
    assert_eq!(results, (51..=60).collect::<Vec<u32>>());
}

#[test]
fn a_checkpoint_of_another_version_is_refused_whatever_its_fields_are() {
    let none = Redactor::default();
    let mut checkpoint = state(1, 1).checkpoint(None, &none).unwrap();
    checkpoint.state["version"] = 1.into();
    checkpoint.state.as_object_mut().unwrap().remove("memory");
    let refused = State::of_checkpoint(&checkpoint).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unsupported);
}

#[test]
fn a_checkpoint_holds_no_secret_and_comes_back_with_its_intent() {
    let (name, secret) = (
        SecretName::parse("P").unwrap(),
        Secret::new("hunter2-canary"),
    );
    let redactor = Redactor::new([(&name, &secret)]);
    let run = RunId::parse("run_1").unwrap();
    let at = "2026-01-02T03:04:05Z".parse().unwrap();
    let mut intent = Intent::new(run, 3, at, reload(), Effect::Irreversible);
    intent.url = "https://shop.example/?q=hunter2-canary".to_owned();
    let mut before = state(2, 1);
    before.stopped = Some(StopReason::Cancelled);
    let checkpoint = before.checkpoint(Some(&intent), &redactor).unwrap();
    assert!(!format!("{checkpoint:?}").contains("hunter2-canary"));
    let (mut after, intent) = State::of_checkpoint(&checkpoint).unwrap();
    after.go_on(
        &"https://shop.example/".parse().unwrap(),
        intent,
        None,
        None,
    );
    assert_eq!((after.stopped, after.doubt), (None, Some(3)));
    assert_eq!(after.steps().len(), 3);
    assert!(matches!(after.steps()[2].outcome, Outcome::Unclear(_)));
    assert_eq!(
        (after.steps()[2].unseen, after.steps()[2].by),
        (true, By::Model)
    );
    assert_eq!(
        (after.queue.iter().count(), after.remarks.notes.len()),
        (1, 2)
    );
}

#[test]
fn an_irreversible_step_that_an_older_checkpoint_does_not_know_is_in_doubt() {
    let home = "https://shop.example/".parse().unwrap();
    let intent = |step| {
        let run = RunId::parse("run_1").unwrap();
        let at = "2026-01-02T03:04:05Z".parse().unwrap();
        Intent::new(run, step, at, reload(), Effect::Irreversible)
    };
    // The checkpoint knows two steps.
    for (journaled, marked, doubt, steps) in [
        (None, None, None, 2),
        (Some(2), Some(2), None, 2),
        (Some(5), None, Some(5), 3),
        (Some(5), Some(5), Some(5), 3),
        (None, Some(5), Some(5), 2),
        (Some(2), Some(5), Some(5), 2),
    ] {
        let mut state = state(2, 1);
        state.go_on(&home, None, journaled.map(intent), marked);
        assert_eq!((state.doubt, state.steps().len()), (doubt, steps));
        let notes = state.remarks.notes.len();
        assert_eq!(notes, 1 + usize::from(doubt.is_some()));
        // The number is not given to another step.
        assert!(state.spent.steps >= doubt.unwrap_or_default());
    }
}

#[test]
fn an_opening_that_was_interrupted_is_an_opening_of_the_task() {
    let home = "https://shop.example/";
    let action = Action::Browser(BrowserAction::Goto(Goto {
        url: home.to_owned(),
    }));
    let run = RunId::parse("run_1").unwrap();
    let at = "2026-01-02T03:04:05Z".parse().unwrap();
    let intent = Intent::new(run, 1, at, action, Effect::Reversible);
    let mut state = state(0, 0);
    state.about.start = Some(home.to_owned());
    state.go_on(&home.parse().unwrap(), Some(intent), None, None);
    let step = &state.steps()[0];
    assert_eq!((step.by, step.unseen), (By::Task, true));
}
