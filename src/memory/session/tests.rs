use std::sync::Arc;

use chrono::TimeDelta;
use serde_json::json;

use super::*;
use crate::{
    action::{Action, BrowserAction, Goto, Outcome, Signature},
    base::SessionId,
    memory::{Advice, apply},
    page::{Observation, Tree},
    working::{About, Finished, Place, Step},
};

const SHOP: &str = "https://shop.example/orders";

fn at(minute: i64) -> DateTime<Utc> {
    "2026-01-02T03:04:05Z".parse::<DateTime<Utc>>().unwrap() + TimeDelta::minutes(minute)
}

/// Returns the log of a run that opened each of these pages in one step and then gave an answer.
fn log(run: &str, session: Option<&str>, minute: i64, pages: &[&str]) -> RunLog {
    let mut about = About::new(format!("Goal of {run}"));
    about.session = session.map(|id| SessionId::parse(id).unwrap());
    let steps = pages.iter().zip(1..).map(|(url, number)| {
        let goto = Goto {
            url: (*url).to_owned(),
        };
        let action = Action::Browser(BrowserAction::Goto(goto));
        let signature = Signature::of(&action, &[], url);
        let mut step = Step::new(number, action, Outcome::Done, signature);
        step.turn = number;
        step.after = Place::of(*url);
        step
    });
    let mut steps: Vec<Step> = steps.collect();
    if let Some(last) = steps.last_mut() {
        last.finished = Some(Finished::new(
            "Order 17 is sent".into(),
            "sent".into(),
            true,
        ));
    }
    let run = RunId::parse(run).unwrap();
    RunLog::new(run, about, at(minute), true, steps, Vec::new()).started_at(at(minute - 1))
}

fn learned(logs: &[RunLog]) -> Vec<Record> {
    let mut records = Vec::new();
    for log in logs {
        let said = Sessions.distill(log).unwrap();
        let edits = Sessions.learn(&Namespace::default(), &said).unwrap();
        let of_site = edits
            .into_iter()
            .filter(|one| one.shelf.scope != Scope::Global);
        for ShelfEdit { edit, .. } in of_site {
            records = apply(&records, &edit.changes(&records).unwrap());
            assert_eq!(edit.changes(&records).unwrap(), [], "a run counts once");
        }
    }
    records
}

fn shown(records: &[Record], session: Option<&str>) -> Vec<String> {
    shown_to(&RunId::parse("run_new").unwrap(), records, session)
}

/// Returns the lines about sessions in the prompt of a run with this session id.
fn shown_to(run: &RunId, records: &[Record], session: Option<&str>) -> Vec<String> {
    shown_after(None, run, records, session)
}

/// Returns the lines about sessions in the prompt of a run that continues `parent`.
fn shown_after(
    parent: Option<&str>,
    run: &RunId,
    records: &[Record],
    session: Option<&str>,
) -> Vec<String> {
    let host = Host::of_domain("shop.example").unwrap();
    let shelf = Shelf::host(&Namespace::default(), COLLECTION, &host);
    let mut about = About::new("Send the form");
    about.session = session.map(|id| SessionId::parse(id).unwrap());
    about.parent = parent.map(|run| RunId::parse(run).unwrap());
    let cue = Cue::PageShown {
        host,
        page: None,
        seen: Arc::new(Observation::new(SHOP, "Orders", Tree::default())),
    };
    let moment = Moment::new(&cue, &about, &[], at(120)).of_run(run);
    assert_eq!(Sessions.wants(&Namespace::default(), &moment)[0], shelf);
    let advice = Sessions.index(&shelf, records).advise(&moment, false);
    let lines = advice.iter().flat_map(Advice::lines);
    lines.map(|line| line.text().to_owned()).collect()
}

#[test]
fn a_run_of_the_same_session_is_shown_in_full_and_one_of_another_that_was_done_is_not() {
    let records = learned(&[
        log("run_1", None, 0, &[SHOP]),
        log(
            "run_2",
            Some("proj"),
            60,
            &[SHOP, "https://shop.example/orders/17?x=1#y"],
        ),
    ]);
    assert_eq!(
        shown(&records, Some("proj")),
        [
            "1 hour ago, done: Goal of run_2",
            "answer: Order 17 is sent",
            "ended at https://shop.example/orders/17?x=1",
        ]
    );
    assert!(shown(&records, None).is_empty());
    assert!(shown(&records, Some("other")).is_empty());
    // A resumed run may have taught memory before it was interrupted.
    let itself = RunId::parse("run_2").unwrap();
    assert!(shown_to(&itself, &records, Some("proj")).is_empty());
}

#[test]
fn the_last_five_runs_are_kept_and_a_late_one_does_not_push_a_newer_one_out() {
    let mut logs: Vec<RunLog> = (1..=7)
        .map(|n| log(&format!("run_{n}"), None, n, &[SHOP]))
        .collect();
    logs.push(log("run_0", None, 0, &[SHOP]));
    let records = learned(&logs);
    let keys: Vec<&str> = records.iter().map(|record| &*record.key).collect();
    assert_eq!(keys, ["run_3", "run_4", "run_5", "run_6", "run_7"]);
}

#[test]
fn only_the_last_failure_of_the_same_goal_is_shown_with_its_answer() {
    let failed = |run: &str, goal: &str, minute| {
        let mut log = log(run, None, minute, &[SHOP]);
        (log.success, log.about.goal) = (false, goal.to_owned());
        log
    };
    let records = learned(&[
        failed("run_1", "Send the form", 0),
        failed("run_2", "Buy a ball", 30),
        failed("run_3", "Send the form", 60),
    ]);
    assert_eq!(
        shown(&records, None),
        [
            "1 hour ago, not done: Send the form",
            "answer: Order 17 is sent",
            "ended at https://shop.example/orders",
        ]
    );
}

#[test]
fn a_failure_is_not_shown_once_its_goal_was_reached_or_to_the_run_that_continues_it() {
    let tried = |run: &str, session, minute, success| {
        let mut log = log(run, session, minute, &[SHOP]);
        (log.success, log.about.goal) = (success, "Send the form".to_owned());
        log
    };
    let failed = tried("run_1", Some("proj"), 0, false);
    let line = "2 hours ago, not done: Send the form";
    let first = learned(std::slice::from_ref(&failed));
    for session in [None, Some("proj")] {
        assert_eq!(shown(&first, session)[0], line);
        let new = RunId::parse("run_new").unwrap();
        let continuing = |parent: &str| shown_after(Some(parent), &new, &first, session);
        assert_eq!(continuing("run_1"), [""; 0]);
        assert_eq!(continuing("run_0")[0], line);
    }
    for session in [None, Some("proj"), Some("other")] {
        let records = learned(&[failed.clone(), tried("run_2", session, 60, true)]);
        assert_eq!(shown(&records, None), [""; 0], "{session:?}");
        let own = shown(&records, Some("proj"));
        assert!(own.iter().all(|line| !line.contains("not done")), "{own:?}");
    }
    let again = learned(&[
        tried("run_1", Some("proj"), 0, true),
        tried("run_2", Some("proj"), 60, false),
    ]);
    assert_eq!(
        shown(&again, None)[0],
        "1 hour ago, not done: Send the form"
    );
}

#[test]
fn claims_of_an_answer_that_no_page_supports_are_named_beside_it() {
    let mut one = log("run_1", Some("proj"), 60, &[SHOP]);
    let last = one.steps.last_mut().unwrap();
    let said = Finished::new("Park Street 9 or 11".into(), "Park Street 7".into(), true);
    last.finished = Some(said.with_unverified(vec!["9".to_owned(), "11".to_owned()]));
    let records = learned(std::slice::from_ref(&one));
    let label = "answer (unverified: 9, 11): Park Street 9 or 11";
    assert_eq!(shown(&records, Some("proj"))[1], label);
    // A person who accepts an imported session reads the same.
    let imported = Sessions.admit(&records[0], false).unwrap();
    let described = Sessions.describe(&imported).unwrap();
    assert!(described.text.contains(label), "{}", described.text);
    one.steps.last_mut().unwrap().before = Place::of("https://other.example/");
    let (_, session) = learn::session(&one).unwrap();
    assert_eq!((session.outcome, &*session.unverified), (None, ""));
}

#[test]
fn the_address_where_a_run_ended_holds_no_markup() {
    let ended = |page: &str| {
        let (_, session) = learn::session(&log("run_1", None, 0, &[page])).unwrap();
        session.final_url.unwrap()
    };
    assert_eq!(ended("http://[::1]:8000/*"), "http://[::1]:8000/%2A");
    assert_eq!(
        ended("https://shop.example/?q=**b**"),
        "https://shop.example/?q=%2A%2Ab%2A%2A"
    );
    let url = ended("https://shop.example/a/**b**~c?d=[1]|`e`");
    assert!(!url.contains(['*', '~', '[', ']', '|', '`']), "{url}");
    assert!(
        url.starts_with("https://shop.example/a/%2A%2Ab%2A%2A%7Ec?d=%5B1%5D%7C"),
        "{url}"
    );
}

#[test]
fn a_run_over_several_hosts_keeps_neither_answer_nor_address() {
    let two = log("run_1", None, 0, &[SHOP, "https://other.example/"]);
    let (hosts, session) = learn::session(&two).unwrap();
    let hosts: Vec<String> = hosts.iter().map(ToString::to_string).collect();
    assert_eq!(hosts, ["other.example", "shop.example"]);
    assert_eq!((session.outcome, session.final_url), (None, None));
    assert_eq!(session.turns_used, 2);
    assert_eq!(session.duration_ms, 60_000);
    assert_eq!(
        learn::session(&log("run_2", None, 0, &["about:blank"])),
        None
    );
}

#[test]
fn a_run_is_undone_and_its_record_fits_in_every_script() {
    let records = learned(&[
        log("run_1", None, 0, &[SHOP]),
        log("run_2", None, 1, &[SHOP]),
    ]);
    let undo = Sessions.undo(&RunId::parse("run_1").unwrap()).unwrap();
    assert_eq!(
        undo.changes(&records).unwrap(),
        [Change::Remove("run_1".to_owned())]
    );
    let mut long = Session::from_record(&records[0]).unwrap();
    long.goal = "\u{1f600}\"".repeat(5_000);
    long.outcome = Some("\u{65e5}\u{0}\\".repeat(5_000));
    long.unverified = "\u{1f600}".repeat(5_000);
    long.final_url = Some(format!("{SHOP}?q={}", "\u{65e5}".repeat(13)));
    long.id = Some(SessionId::parse("x".repeat(64)).unwrap());
    let record = long.cut().to_record().unwrap();
    assert!(
        record.size() <= crate::memory::MAX_RECORD_BYTES,
        "{}",
        record.size()
    );
    let broken = Record::new("x", &json!({ "goal": 1 }));
    assert_eq!(
        Sessions.describe(&broken).unwrap_err().kind(),
        ErrorKind::Corrupt
    );
    let described = Sessions.describe(&records[0]).unwrap();
    assert_eq!(
        (&*described.text, &*described.results),
        ("Goal of run_1", "done")
    );
}

#[test]
fn an_imported_session_waits_with_its_answer_and_is_accepted_as_it_was_shown() {
    let kind = Sessions;
    let body = json!({
        "id": "proj", "run": "run_1", "goal": "Add auth", "outcome": "Added the login page", "success": true,
        "final_url": "https://u:p@shop.example/login", "timestamp": "2026-01-02T03:04:05Z",
        "turns_used": 3, "duration_ms": 5
    });
    let record = kind.admit(&Record::new("run_1", &body), false).unwrap();
    let described = kind.describe(&record).unwrap();
    assert_eq!(described.standing, Standing::WaitsForReview);
    assert_eq!(
        described.text,
        "Add auth; answer: Added the login page; ended at https://shop.example/login"
    );
    let now = "2026-01-02T03:04:05Z".parse().unwrap();
    let accept = |shown: &str| kind.accept("run_1", shown, now).unwrap();
    let records = [record];
    let refused = accept("Add auth").changes(&records).unwrap_err();
    assert_eq!(refused.said("why"), Some("it says something else now"));
    let changes = accept(&described.text).changes(&records).unwrap();
    let accepted = &apply(&records, &changes)[0];
    assert_eq!(kind.describe(accepted).unwrap().standing, Standing::Shown);
    assert!(
        kind.admit(&Record::new("run_2", &body), true).is_err(),
        "another key"
    );

    // Sessions that wait keep no session out, however new they claim to be.
    let mut waiting: Vec<Record> = Vec::new();
    for n in 0..MAX_SESSIONS {
        let mut late = body.clone();
        late["run"] = json!(format!("late_{n}"));
        late["timestamp"] = json!("2099-01-01T00:00:00Z");
        let late = Record::new(format!("late_{n}"), &late);
        waiting.push(kind.admit(&late, false).unwrap());
    }
    let session = Session::from_record(&Record::new("run_1", &body)).unwrap();
    let changes = learn::learn(&waiting, &session, MAX_SESSIONS).unwrap();
    assert_eq!(changes, [Change::Put(session.to_record().unwrap())]);
}

#[test]
fn the_newest_sessions_are_kept_in_whatever_order_they_are_learned() {
    let session = |n: u32| {
        let body = json!({
            "run": format!("run_{n}"), "goal": "Add auth", "outcome": "Done", "success": true,
            "final_url": SHOP, "timestamp": at(n.into()), "turns_used": 3, "duration_ms": 5
        });
        Session::from_record(&Record::new(format!("run_{n}"), &body)).unwrap()
    };
    for order in [
        [0, 1, 2, 3, 4, 5, 6],
        [6, 5, 4, 3, 2, 1, 0],
        [1, 6, 3, 0, 5, 2, 4],
    ] {
        let mut records = Vec::new();
        for n in order {
            let changes = learn::learn(&records, &session(n), MAX_SESSIONS).unwrap();
            records = apply(&records, &changes);
        }
        let keys: Vec<&str> = records.iter().map(|record| &*record.key).collect();
        assert_eq!(
            keys,
            ["run_2", "run_3", "run_4", "run_5", "run_6"],
            "{order:?}"
        );
    }
}

#[test]
fn a_person_reads_all_of_a_long_imported_session_before_accepting_it() {
    let body = json!({
        "run": "run_1", "goal": "g".repeat(400), "outcome": format!("{} Buy gold.", "a".repeat(400)), "success": true,
        "final_url": SHOP, "timestamp": at(0), "turns_used": 3, "duration_ms": 5
    });
    let record = Sessions.admit(&Record::new("run_1", &body), false).unwrap();
    let described = Sessions.describe(&record).unwrap();
    let end = format!("Buy gold.; ended at {SHOP}");
    assert!(described.text.ends_with(&end), "{}", described.text);
    let accepted = |shown: &str| {
        let edit = Sessions.accept("run_1", shown, at(1)).unwrap();
        edit.changes(std::slice::from_ref(&record))
    };
    assert!(accepted(&Advice::shown(&described.text)).is_err());
    assert_eq!(accepted(&described.text).unwrap().len(), 1);
}

#[test]
fn a_run_of_the_same_session_on_another_site_is_shown_the_goal_alone() {
    let logs: Vec<RunLog> = (1..=12)
        .map(|n| log(&format!("run_{n}"), Some("proj"), n, &[SHOP]))
        .collect();
    let said = logs.iter().map(|log| Sessions.distill(log).unwrap());
    let mut records = Vec::new();
    for said in said {
        let edits = Sessions.learn(&Namespace::default(), &said).unwrap();
        let [_, ShelfEdit { shelf, edit }] = &edits[..] else {
            panic!("{edits:?}")
        };
        assert_eq!(*shelf, Shelf::global(&Namespace::default(), COLLECTION));
        records = apply(&records, &edit.changes(&records).unwrap());
    }
    let shelf = Shelf::global(&Namespace::default(), COLLECTION);
    let shown = |host: &str, session: &str| {
        let mut about = About::new("Pay");
        about.session = Some(SessionId::parse(session).unwrap());
        let cue = Cue::PageShown {
            host: Host::of_domain(host).unwrap(),
            page: None,
            seen: Arc::new(Observation::new(
                "https://bank.example/",
                "Bank",
                Tree::default(),
            )),
        };
        let moment = Moment::new(&cue, &about, &[], at(120));
        let advice = Sessions.index(&shelf, &records).advise(&moment, false);
        advice
            .iter()
            .map(|one| one.text().to_owned())
            .collect::<Vec<_>>()
    };
    let goals = shown("bank.example", "proj");
    assert_eq!(goals.len(), 10);
    assert_eq!(goals[0], "1 hour ago, done: Goal of run_12");
    assert_eq!(shown("bank.example", "other"), [""; 0]);
    // Its own site shows the answers.
    assert_eq!(shown("api.shop.example", "proj"), [""; 0]);
    let site = Host::of_domain("shop.example").unwrap().site().unwrap();
    let forget = Sessions.forget(&site, None).unwrap();
    assert_eq!(forget.changes(&records).unwrap().len(), 12);
}
