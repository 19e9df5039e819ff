use chrono::TimeDelta;

use super::*;
use crate::{
    action::{Action, BrowserAction, Click, ErrorClass, Outcome, Signature, Target},
    memory::{MAX_RECORD_BYTES, apply},
    page::{Observation, Role, TargetIdentity},
    testing::tree,
    working::{About, Place, Step},
};

const SHOP: &str = "https://shop.example/";

fn at(day: i64) -> DateTime<Utc> {
    "2026-01-02T03:04:05Z".parse::<DateTime<Utc>>().unwrap() + TimeDelta::days(day)
}

fn button(name: &str, testid: &str) -> TargetIdentity {
    let mut button = TargetIdentity::new(Role::Button, name);
    button.attributes = vec![("testid".to_owned(), testid.to_owned())];
    button
}

fn click(target: TargetIdentity) -> Step {
    let action = Action::Browser(BrowserAction::Click(Click {
        target: Target::parse("e1").unwrap(),
        button: None,
    }));
    let targets = vec![target];
    let signature = Signature::of(&action, &targets, "");
    let mut step = Step::new(1, action, Outcome::Done, signature);
    step.targets = targets;
    (step.before, step.after) = (Place::of(SHOP), Place::of(SHOP));
    step
}

fn led_to(target: TargetIdentity, outcome: Outcome) -> Step {
    let mut step = click(target);
    (step.healed, step.outcome) = (true, outcome);
    step
}

fn host() -> Host {
    Host::of_domain("shop.example").unwrap()
}

fn shelf() -> Shelf {
    Shelf::host(&Namespace::default(), COLLECTION, &host())
}

fn after(records: &[Record], run: &str, day: i64, steps: Vec<Step>) -> Vec<Record> {
    let run = RunId::parse(run).unwrap();
    let log = RunLog::new(run, About::new("Buy"), at(day), true, steps, Vec::new());
    let Some(said) = Selectors.distill(&log) else {
        return records.to_vec();
    };
    let mut now = records.to_vec();
    for edit in Selectors.learn(&Namespace::default(), &said).unwrap() {
        assert_eq!(edit.shelf, shelf());
        now = apply(&now, &edit.edit.changes(&now).unwrap());
        assert_eq!(edit.edit.changes(&now).unwrap(), [], "a run counts once");
    }
    now
}

fn known(records: &[Record]) -> Vec<KnownElement> {
    let cue = Cue::PageShown {
        host: host(),
        page: None,
        seen: Arc::new(Observation::new(SHOP, "", tree("button \"A\" e1"))),
    };
    let about = About::new("Buy");
    let moment = Moment::new(&cue, &about, &[], at(0));
    let index = Selectors.index(&shelf(), records);
    assert_eq!(index.advise(&moment, false), []);
    let known = index.elements(&moment).into_iter();
    known.map(|(_, element)| element).collect()
}

#[test]
fn an_element_is_kept_under_its_attribute_with_the_names_that_it_had() {
    let mut records = after(&[], "run_1", 0, vec![click(button("Buy now", "buy"))]);
    for (n, name) in [(2, "Order"), (3, "Purchase"), (4, "Pay"), (5, "Order")] {
        let steps = vec![click(button(name, "buy"))];
        records = after(&records, &format!("run_{n}"), n, steps);
    }
    let [element] = &known(&records)[..] else {
        panic!()
    };
    assert_eq!(element.names, ["Order", "Pay", "Purchase"]);
    assert_eq!(element.marks, [("testid".to_owned(), "buy".to_owned())]);
    let described = Selectors.describe(&records[0]).unwrap();
    let words = "button \"Order\", testid \"buy\", once \"Pay\", once \"Purchase\"";
    assert_eq!(described.text, words);
    assert_eq!(described.results, "used in 5 runs, failed in 0");
}

#[test]
fn an_element_without_an_attribute_of_a_frame_or_of_a_failed_action_is_not_kept() {
    let nameless = TargetIdentity::new(Role::Button, "Buy now");
    let mut framed = button("Buy now", "buy");
    framed.frames = vec!["shop".to_owned()];
    let mut failed = click(button("Buy now", "buy"));
    failed.outcome = Outcome::NoEffect;
    let mut left = click(button("Buy now", "buy"));
    left.after = Place::of("https://other.example/");
    for step in [click(nameless), click(framed), failed, left] {
        assert_eq!(after(&[], "run_1", 0, vec![step]), []);
    }
}

#[test]
fn an_attribute_that_leads_astray_again_and_again_is_not_used_any_more() {
    let covered = || Outcome::failed(ErrorClass::Intercepted, "");
    let mut records = after(&[], "run_0", 0, vec![click(button("Buy now", "buy"))]);
    let mut good = records.clone();
    for n in 1..=3 {
        assert_eq!(known(&records).len(), 1, "{n}");
        let run = format!("run_{n}");
        records = after(
            &records,
            &run,
            n,
            vec![led_to(button("Help", "buy"), covered())],
        );
        let outcome = if n == 2 { Outcome::Done } else { covered() };
        good = after(&good, &run, n, vec![led_to(button("Help", "buy"), outcome)]);
    }
    assert_eq!(known(&records), []);
    assert_eq!(known(&good).len(), 1);
    let text = Selectors.describe(&records[0]).unwrap().text;
    let accept = Selectors.accept(&records[0].key, &text, at(4)).unwrap();
    let back = apply(&records, &accept.changes(&records).unwrap());
    assert_eq!(known(&back).len(), 1);
    let refused = led_to(
        button("Help", "buy"),
        Outcome::failed(ErrorClass::Rejected, ""),
    );
    assert_eq!(after(&good, "run_4", 4, vec![refused]), good);
    assert_eq!(
        Selectors.describe(&records[0]).unwrap().standing,
        Standing::Retired
    );
    let undo = Selectors.undo(&RunId::parse("run_3").unwrap()).unwrap();
    let undone = apply(&records, &undo.changes(&records).unwrap());
    assert_eq!(known(&undone).len(), 1);
    let undo = Selectors.undo(&RunId::parse("run_0").unwrap()).unwrap();
    assert_eq!(apply(&undone, &undo.changes(&undone).unwrap()), []);
}

#[test]
fn undo_leaves_what_the_run_did_not_use() {
    let records = after(&[], "run_1", 0, vec![click(button("Buy now", "buy"))]);
    // Another program counted no use.
    let mut given = Selector::from_record(&records[0]).unwrap();
    (given.succeeded, given.uses) = (0, Vec::new());
    given.marks[0].value = "sell".to_owned();
    let given = given.to_record().unwrap();
    let both = apply(&records, &[Change::Put(given.clone())]);
    let undo = Selectors.undo(&RunId::parse("run_1").unwrap()).unwrap();
    assert_eq!(apply(&both, &undo.changes(&both).unwrap()), [given]);
}

#[test]
fn undo_removes_what_only_that_run_saw() {
    let named = |name: &str, icon: &str| {
        let mut target = button(name, "go");
        target.attributes.push(("icon".to_owned(), icon.to_owned()));
        vec![click(target)]
    };
    let first = after(&[], "run_1", 0, named("Go", "arrow"));
    let second = after(&first, "run_2", 1, named("Send", "plane"));
    let undone = |records: &[Record], run: &str| {
        let undo = Selectors.undo(&RunId::parse(run).unwrap()).unwrap();
        let records = apply(records, &undo.changes(records).unwrap());
        assert_eq!(undo.changes(&records).unwrap(), [], "twice is once");
        Selector::from_record(&records[0]).unwrap()
    };
    let left = undone(&second, "run_2");
    assert_eq!(left.names, ["Go"]);
    let marks: Vec<(&str, u64)> = left
        .marks
        .iter()
        .map(|m| (&*m.value, m.succeeded))
        .collect();
    assert_eq!(marks, [("go", 1)]);
    // What another run saw too stays.
    let third = after(&second, "run_3", 2, named("Send", "plane"));
    let left = undone(&third, "run_2");
    assert_eq!(left.names, ["Send", "Go"]);
    assert_eq!((left.marks.len(), left.marks[1].succeeded), (2, 1));
}

#[test]
fn undo_keeps_what_a_run_may_have_seen_that_does_not_say_so() {
    let first = after(&[], "run_1", 0, vec![click(button("Go", "go"))]);
    let mut older = Selector::from_record(&first[0]).unwrap();
    older.uses[0].saw.clear();
    let records = [older.to_record().unwrap()];
    let second = after(&records, "run_2", 1, vec![click(button("Go", "go"))]);
    let undo = Selectors.undo(&RunId::parse("run_2").unwrap()).unwrap();
    let left = apply(&second, &undo.changes(&second).unwrap());
    assert_eq!(Selector::from_record(&left[0]).unwrap().names, ["Go"]);
}

#[test]
fn what_runs_saw_does_not_crowd_out_names_and_attributes() {
    let mut records = Vec::new();
    for n in 0..8 {
        let mut target = button(&format!("{n}{}", "n".repeat(59)), "go");
        for attribute in ["name", "placeholder", "alt", "icon"] {
            target
                .attributes
                .push((attribute.to_owned(), "v".repeat(60)));
        }
        records = after(&records, &format!("run_{n}"), n, vec![click(target)]);
    }
    let kept = Selector::from_record(&records[0]).unwrap();
    assert_eq!((kept.names.len(), kept.marks.len()), (MAX_NAMES, 5));
}

#[test]
fn a_host_keeps_twenty_elements_and_each_fits_into_a_record() {
    let mut records = Vec::new();
    let long = |n: usize| format!("{n}{}", "\u{1F600}".repeat(59));
    for n in 0..30 {
        let mut target = button(&long(n), &long(n));
        for attribute in ["name", "placeholder", "alt", "icon"] {
            target.attributes.push((attribute.to_owned(), long(n)));
        }
        let day = i64::try_from(n).unwrap();
        records = after(&records, &format!("run_{n}"), day, vec![click(target)]);
    }
    assert_eq!(records.len(), MAX_SELECTORS);
    assert!(
        records
            .iter()
            .all(|record| record.size() <= MAX_RECORD_BYTES)
    );
    let oldest = known(&records)
        .iter()
        .filter(|one| one.names[0] == long(0))
        .count();
    assert_eq!(oldest, 0);
}

#[test]
fn an_imported_element_waits_for_a_person() {
    let records = after(&[], "run_1", 0, vec![click(button("Buy now", "buy"))]);
    let admitted = [Selectors.admit(&records[0], false).unwrap()];
    assert_eq!(known(&admitted), []);
    let shown = Selectors.describe(&admitted[0]).unwrap().text;
    let accept = |shown: &str| {
        let edit = Selectors.accept(&admitted[0].key, shown, at(1)).unwrap();
        edit.changes(&admitted)
            .map(|changes| apply(&admitted, &changes))
    };
    assert!(accept("button \"Sell\"").is_err());
    assert_eq!(known(&accept(&shown).unwrap()).len(), 1);
    assert_eq!(Selectors.admit(&records[0], true).unwrap(), records[0]);
    let forged = Record::new("element-1", &records[0].body);
    assert!(Selectors.admit(&forged, true).is_err());
}

#[test]
fn an_action_whose_outcome_nobody_saw_says_nothing_about_its_element() {
    let mut given_up = led_to(button("Pay", "pay"), Outcome::failed(ErrorClass::Other, ""));
    given_up.unseen = true;
    assert_eq!(after(&[], "run_1", 0, vec![given_up.clone()]), []);
    let known = after(&[], "run_1", 0, vec![click(button("Pay", "pay"))]);
    assert_eq!(after(&known, "run_2", 1, vec![given_up]), known);
}
