use chrono::TimeDelta;

use super::*;
use crate::{
    action::{Action, BrowserAction, Goto, Outcome, Signature},
    memory::apply,
    page::{Observation, Tree},
    working::{About, Place, Step},
};

const SHOP: &str = "https://shop.example/orders";
const BANK: &str = "https://bank.example/";

fn at(minute: i64) -> DateTime<Utc> {
    "2026-01-02T03:04:05Z".parse::<DateTime<Utc>>().unwrap() + TimeDelta::minutes(minute)
}

fn log(run: &str, session: Option<&str>, minute: i64, url: &str) -> RunLog {
    let mut about = About::new(format!("Goal of {run}"));
    about.session = session.map(|id| SessionId::parse(id).unwrap());
    let action = Action::Browser(BrowserAction::Goto(Goto {
        url: url.to_owned(),
    }));
    let signature = Signature::of(&action, &[], url);
    let mut step = Step::new(1, action, Outcome::Done, signature);
    step.after = Place::of(url);
    RunLog::new(
        RunId::parse(run).unwrap(),
        about,
        at(minute),
        true,
        vec![step],
        Vec::new(),
    )
}

fn learned(logs: &[RunLog]) -> Vec<Record> {
    let mut records = Vec::new();
    for log in logs {
        let Some(said) = Conversations.distill(log) else {
            continue;
        };
        for ShelfEdit { edit, .. } in Conversations.learn(&Namespace::default(), &said).unwrap() {
            records = apply(&records, &edit.changes(&records).unwrap());
            assert_eq!(edit.changes(&records).unwrap(), [], "a run counts once");
        }
    }
    records
}

/// Returns the lines that memory shows to a run of `session` on the page `url`.
fn shown(records: &[Record], session: Option<&str>, url: &str) -> Vec<String> {
    shown_after(records, session, url, None)
}

/// Returns the lines that a run is shown on a page, if it continues the run `parent`.
fn shown_after(
    records: &[Record],
    session: Option<&str>,
    url: &str,
    parent: Option<&str>,
) -> Vec<String> {
    let mut about = About::new("Another goal");
    about.session = session.map(|id| SessionId::parse(id).unwrap());
    about.parent = parent.map(|run| RunId::parse(run).unwrap());
    let cue = Cue::PageShown {
        host: Host::of(&url.parse().unwrap()).unwrap(),
        page: None,
        seen: Arc::new(Observation::new(url, "Page", Tree::default())),
    };
    // A resumed run may have taught memory before it was interrupted.
    let itself = RunId::parse("run_2").unwrap();
    let resumed = Moment::new(&cue, &about, &[], at(60)).of_run(&itself);
    let moment = Moment::new(&cue, &about, &[], at(60));
    let wanted = Conversations.wants(&Namespace::default(), &moment);
    assert_eq!(wanted.len(), usize::from(session.is_some()));
    let shelf = Shelf::global(&Namespace::default(), COLLECTION);
    let told = Conversations.index(&shelf, records).advise(&resumed, false);
    let of_itself = |line: &str| line.contains("Goal of run_2");
    assert!(
        told.iter()
            .flat_map(Advice::lines)
            .all(|line| !of_itself(line.text()))
    );
    let advice = Conversations.index(&shelf, records).advise(&moment, false);
    let lines = advice.iter().flat_map(Advice::lines);
    lines.map(|line| line.text().to_owned()).collect()
}

#[test]
fn the_next_run_of_a_session_is_shown_what_was_asked_on_other_hosts() {
    let records = learned(&[
        log("run_1", Some("trip"), 0, SHOP),
        log("run_2", Some("trip"), 30, BANK),
        log("run_3", Some("other"), 40, SHOP),
        log("run_4", None, 50, SHOP),
    ]);
    assert_eq!(
        shown(&records, Some("trip"), BANK),
        ["1 hour ago, done: Goal of run_1"]
    );
    let elsewhere = shown(&records, Some("trip"), "https://mail.example/");
    assert_eq!(elsewhere.len(), 2);
    assert!(
        elsewhere[0].ends_with("Goal of run_2"),
        "the newest is first: {elsewhere:?}"
    );
    assert_eq!(shown(&records, Some("new"), BANK), [""; 0]);
    assert_eq!(shown(&records, None, BANK), [""; 0]);
}

#[test]
fn a_turn_that_failed_is_not_shown_once_its_goal_was_reached_or_to_the_run_that_continues_it() {
    let tried = |run: &str, session, minute, success| {
        let mut log = log(run, Some(session), minute, SHOP);
        (log.success, log.about.goal) = (success, "Book a room".to_owned());
        log
    };
    let failed = tried("run_1", "trip", 0, false);
    let lines = |logs: &[RunLog], parent: Option<&str>| {
        let records = learned(logs);
        shown_after(&records, Some("trip"), BANK, parent)
    };
    let line = "1 hour ago, not done: Book a room".to_owned();
    let first = std::slice::from_ref(&failed);
    assert_eq!(lines(first, None), [&*line]);
    assert_eq!(lines(first, Some("run_1")), [""; 0]);
    assert_eq!(
        lines(&[failed.clone(), tried("run_3", "trip", 30, true)], None),
        ["30 minutes ago, done: Book a room"]
    );
    let elsewhere = tried("run_3", "other", 30, true);
    assert_eq!(lines(&[failed, elsewhere], None), [line]);
}

#[test]
fn the_newest_turns_and_conversations_are_kept() {
    let many: Vec<RunLog> = (10..30)
        .map(|n| log(&format!("run_{n}"), Some("long"), n, SHOP))
        .collect();
    let records = learned(&many);
    assert_eq!(records.len(), 1 + MAX_TURNS);
    assert_eq!(
        (&*records[0].key, &*records[1].key),
        ("long", "long.run_20")
    );
    let mut logs = many;
    logs.extend((30..60).map(|n| log(&format!("run_{n}"), Some(&format!("s{n}")), n, SHOP)));
    let records = learned(&logs);
    assert_eq!(
        records.len(),
        2 * MAX_CONVERSATIONS,
        "the long one is the oldest"
    );
    assert_eq!(records[0].key, "s40");
    let large = "ж".repeat(5_000);
    let mut long = log("run_1", Some(&"s".repeat(64)), 1, SHOP);
    long.about.goal = large;
    let records = learned(&[long]);
    assert!(records.iter().all(|record| record.size() < 2_048));
}

#[test]
fn a_run_that_waited_takes_its_place_by_time_and_none_from_later_runs() {
    let of = |session: &str, minutes: std::ops::Range<i64>| -> Vec<RunLog> {
        let one = |n| log(&format!("run_{n}"), Some(session), n, SHOP);
        minutes.map(one).collect()
    };
    let late = |session: &str| log("late", Some(session), 12, SHOP);
    let full = of("s", 20..30);
    assert_eq!(
        learned(&[full.clone(), vec![late("s")]].concat()),
        learned(&full)
    );
    let records = learned(&[of("s", 10..20), vec![late("s")]].concat());
    assert_eq!(records.len(), 1 + MAX_TURNS);
    assert_eq!(records[0].body["goal"], "Goal of run_19");
    assert_eq!((&*records[1].key, &*records[2].key), ("s.late", "s.run_11"));
    let one = |n: i64| of(&format!("s{n}"), n..n + 1);
    let many: Vec<RunLog> = (20..40).flat_map(one).collect();
    assert_eq!(
        learned(&[many.clone(), vec![late("s")]].concat()),
        learned(&many)
    );
}

#[test]
fn a_turn_is_undone_and_a_host_forgotten() {
    let records = learned(&[
        log("run_1", Some("trip"), 0, SHOP),
        log("run_2", Some("trip"), 1, BANK),
    ]);
    let run = RunId::parse("run_1").unwrap();
    let changes = Conversations.undo(&run).unwrap().changes(&records).unwrap();
    assert_eq!(changes[0], Change::Remove("trip.run_1".to_owned()));
    let records = apply(&records, &changes);
    let keys: Vec<&str> = records.iter().map(|record| &*record.key).collect();
    assert_eq!(keys, ["trip", "trip.run_2"]);
    let head = Conversations.describe(&records[0]).unwrap();
    assert_eq!((&*head.text, &*head.results), ("Goal of run_2", "1 run"));
    // It also saw the shop.
    let mut both = log("run_3", Some("two"), 2, SHOP);
    both.steps[0].before = Place::of(BANK);
    let host = Host::of_domain("bank.example").unwrap();
    let site = host.site().unwrap();
    let forgotten = Conversations.forget(&site, Some(&host)).unwrap();
    let records_of_both = learned(&[both]);
    assert_eq!(
        apply(
            &records_of_both,
            &forgotten.changes(&records_of_both).unwrap()
        ),
        []
    );
    for host in [None, Some(&host)] {
        let edit = Conversations.forget(&site, host).unwrap();
        assert_eq!(apply(&records, &edit.changes(&records).unwrap()), []);
    }
}

#[test]
fn a_conversation_is_one_item_for_people() {
    let records = learned(&[
        log("run_1", Some("trip"), 0, SHOP),
        log("run_2", Some("trip"), 1, BANK),
    ]);
    let keys = records.iter().map(|record| Conversations.item(&record.key));
    assert_eq!(keys.collect::<Vec<_>>(), ["trip", "trip", "trip"]);
    let shelf = Shelf::global(&Namespace::default(), COLLECTION);
    let described = Conversations
        .describe_item(&shelf, &records, "trip", at(60))
        .unwrap();
    assert_eq!(
        (&*described.is, &*described.results),
        ("conversation", "2 runs")
    );
    assert_eq!(described.prompt.len(), 2);
    assert!(
        Conversations
            .describe_item(&shelf, &records, "none", at(60))
            .is_err()
    );
}

#[test]
fn two_versions_of_a_conversation_become_one_with_the_latest_turns() {
    let turns = |numbers: std::ops::Range<i64>| {
        let logs = numbers.map(|n| log(&format!("run_{n}"), Some("trip"), n, SHOP));
        learned(&logs.collect::<Vec<_>>())
    };
    let merge = |known: &[Record], other: &[Record]| {
        let mut both = Conversations.merge(known, other).unwrap();
        both.sort_by(|a, b| a.key.cmp(&b.key));
        both
    };
    let (known, other) = (turns(10..16), turns(13..22));
    let both = merge(&known, &other);
    assert_eq!(both, turns(12..22), "each run once, the latest ones");
    assert_eq!(merge(&other, &known), both);
    assert_eq!(merge(&both, &other), both);
}

#[test]
fn a_record_is_imported_only_under_its_own_key() {
    let records = learned(&[log("run_1", Some("trip"), 0, SHOP)]);
    for record in &records {
        assert_eq!(Conversations.admit(record, true).unwrap(), *record);
        assert!(Conversations.admit(record, false).is_err());
    }
    let [head, turn] = &records[..] else {
        panic!("a head and a turn: {records:?}");
    };
    for (key, of) in [("other.run_1", turn), ("trip", turn), ("trip.run_1", head)] {
        let refused = Conversations.admit(&Record::new(key, &of.body), true);
        assert!(refused.is_err(), "{key}");
    }
}
