use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

use super::*;
use crate::{
    base::{ErrorKind, RunId},
    memory::{Change, Namespace, Record, apply},
};

const SHOP: &str = "https://shop.example/";

fn at(seconds: i64) -> DateTime<Utc> {
    "2026-01-02T03:04:05Z".parse::<DateTime<Utc>>().unwrap() + TimeDelta::seconds(seconds)
}

fn id(n: usize) -> RunId {
    RunId::parse(format!("run_{n:03}")).unwrap()
}

fn begun(n: usize, seconds: i64) -> RunManifest {
    RunManifest::new(id(n), "Find the price", at(seconds)).starting_at(SHOP)
}

fn after(records: &[Record], changes: crate::Result<Vec<Change>>) -> Vec<Record> {
    apply(records, &changes.unwrap())
}

fn known(records: &[Record], n: usize) -> RunManifest {
    let all = records
        .iter()
        .map(|record| RunManifest::from_record(record).unwrap());
    all.into_iter().find(|run| run.run == id(n)).unwrap()
}

#[test]
fn a_run_is_abandoned_after_a_minute_without_a_sign_of_life_and_not_after_its_end() {
    let records = after(&[], start(&[], &begun(1, 0)));
    for (seconds, status) in [
        (0, RunStatus::Running),
        (60, RunStatus::Running),
        (61, RunStatus::Abandoned),
        // A clock that was set back.
        (-3_600, RunStatus::Running),
    ] {
        assert_eq!(
            known(&records, 1).status_at(at(seconds)),
            status,
            "{seconds}"
        );
    }
    let sign = Heartbeat::new(Some(format!("{SHOP}cart")), 3);
    let records = after(&records, beat(&records, &id(1), 1, &sign, at(60)));
    assert_eq!(known(&records, 1).status_at(at(120)), RunStatus::Running);
    let records = after(
        &records,
        end(&records, &id(1), 1, &End::new(false, false), at(60)),
    );
    assert_eq!(known(&records, 1).status_at(at(9_000)), RunStatus::Failed);
}

#[test]
fn a_heartbeat_without_an_irreversible_step_leaves_the_one_before() {
    let mut records = after(&[], start(&[], &begun(1, 0)));
    for (step, expected) in [(None, None), (Some(3), Some(3)), (None, Some(3))] {
        let mut sign = Heartbeat::new(None, 1);
        sign.irreversible_step = step;
        records = after(&records, beat(&records, &id(1), 1, &sign, at(9)));
        assert_eq!(known(&records, 1).irreversible_step, expected);
    }
    let records = after(&records, take(&records, &id(1), at(99)));
    assert_eq!(known(&records, 1).irreversible_step, Some(3));
}

#[test]
fn only_the_last_lease_writes() {
    let records = after(&[], start(&[], &begun(1, 0)));
    let sign = Heartbeat::default();
    let of = |records: &[Record], lease| {
        let now = at(70);
        let beaten = beat(records, &id(1), lease, &sign, now).unwrap().len();
        let ended = end(records, &id(1), lease, &End::new(true, true), now);
        (beaten, ended.unwrap().len())
    };
    assert_eq!((of(&records, 1), of(&records, 2)), ((1, 1), (0, 0)));
    let records = after(&records, take(&records, &id(1), at(61)));
    assert_eq!((of(&records, 1), of(&records, 2)), ((0, 0), (1, 1)));
    assert_eq!(of(&[], 1), (0, 0), "it was forgotten");
}

#[test]
fn a_run_is_taken_if_it_is_silent_or_failed_and_not_if_it_goes_on_or_is_done() {
    let records = after(&[], start(&[], &begun(1, 0)));
    let kind = |records: &[Record], n, seconds| {
        take(records, &id(n), at(seconds)).map_or_else(|error| Some(error.kind()), |_| None)
    };
    assert_eq!(kind(&records, 1, 60), Some(ErrorKind::Busy));
    assert_eq!(kind(&records, 1, 61), None);
    assert_eq!(kind(&records, 2, 61), Some(ErrorKind::InvalidInput));
    let ended = |completed| {
        after(
            &records,
            end(&records, &id(1), 1, &End::new(completed, false), at(9)),
        )
    };
    assert_eq!(
        kind(&ended(false), 1, 10),
        None,
        "a failed run need not be silent"
    );
    assert_eq!(kind(&ended(true), 1, 99), Some(ErrorKind::InvalidInput));
    let again = after(&records, take(&records, &id(1), at(61)));
    assert_eq!(kind(&again, 1, 61), Some(ErrorKind::Busy));
    assert_eq!(known(&again, 1).lease, 2);
    assert_eq!(known(&again, 1).started_at, at(0));
}

#[test]
fn a_start_removes_the_oldest_and_the_old_and_never_one_that_goes_on() {
    let month = MAX_AGE_DAYS * 24 * 3_600;
    let failed = |n, seconds| {
        let mut run = begun(n, seconds);
        run.status = RunStatus::Failed;
        run.to_record().unwrap()
    };
    let full: Vec<Record> = (0..MAX_RUNS)
        .map(|n| failed(n, i64::try_from(n).unwrap()))
        .collect();
    let removed = |records: &[Record], seconds| {
        let changes = start(records, &begun(999, seconds)).unwrap();
        let removed = changes.into_iter().filter_map(|change| match change {
            Change::Remove(key) => Some(key),
            Change::Put(_) => None,
        });
        removed.collect::<Vec<String>>()
    };
    assert_eq!(removed(&full, 200), ["run_000"]);
    assert_eq!(removed(&full[1..], 200), [""; 0]);
    assert_eq!(removed(&full, month + 1), ["run_000"]);
    assert_eq!(removed(&full, month + 3).len(), 3);
    let mut going_on = full;
    going_on[0] = begun(0, 200).to_record().unwrap();
    going_on[0].body["startedAt"] = json!(at(0));
    assert_eq!(
        removed(&going_on, 200),
        [""; 0],
        "one more than there is room for"
    );
    assert!(start(&going_on, &begun(0, 200)).is_err());
}

#[test]
fn a_checkpoint_is_replaced_whole_and_a_later_lease_keeps_it() {
    let run = id(1);
    let of = |words: &str| Checkpoint::new(json!({ "words": words }), None);
    let nothing = write(&[], &run, 1, false, &of("x")).unwrap();
    assert_eq!(nothing, [], "a forgotten run is not remembered again");
    let long = of(&"long ".repeat(1_000));
    let records = after(&[], write(&[], &run, 1, true, &long));
    assert!(records.len() > 3);
    assert_eq!(read(&records, &run).unwrap(), Some(long));
    let records = after(&records, write(&records, &run, 1, false, &of("short")));
    assert_eq!(
        (records.len(), read(&records, &run).unwrap()),
        (2, Some(of("short")))
    );
    let fenced = apply(&records, &fence(&records, &run, 3));
    for (lease, is_written) in [(1, false), (2, false), (3, true)] {
        let changes = write(&fenced, &run, lease, true, &of("x")).unwrap();
        assert_eq!(!changes.is_empty(), is_written, "{lease}");
    }
    assert_eq!(fence(&fenced, &run, 2), []);
    assert_eq!(read(&[], &run).unwrap(), None);
    assert!(
        read(&records, &id(2)).is_err(),
        "the checkpoint of another run"
    );
    let mut torn = after(&[], write(&[], &run, 1, true, &of(&"long ".repeat(1_000))));
    torn.remove(1);
    assert_eq!(read(&torn, &run).unwrap_err().kind(), ErrorKind::Corrupt);
}

#[test]
fn checkpoints_without_a_manifest_are_orphans_and_other_shelves_are_not() {
    let of = |n| checkpoint_shelf(&Namespace::default(), &id(n));
    let manifests = [begun(1, 0).to_record().unwrap()];
    let shelf = manifest_shelf(&Namespace::default());
    let found = orphans(vec![shelf.clone(), of(1), of(2)], &manifests);
    assert_eq!(found, [of(2)]);
    assert!(is_registry(&shelf) && is_registry(&of(1)));
}

#[test]
fn an_address_is_kept_without_what_may_be_secret() {
    let kept = |url: &str| {
        let mut run = begun(1, 0);
        run.final_url = Some(url.to_owned());
        RunManifest::from_record(&run.to_record().unwrap())
            .unwrap()
            .final_url
    };
    let long = "0123456789012345678901234567890123456789012";
    for (url, expected) in [
        (
            format!("{SHOP}#/orders/17"),
            Some(format!("{SHOP}#/orders/17")),
        ),
        (
            format!("https://u:p@shop.example/?page=2&token={long}#{long}"),
            Some(format!("{SHOP}?page=2")),
        ),
        (
            format!("{SHOP}?{}", "a=b&".repeat(60)),
            Some(SHOP.to_owned()),
        ),
        (format!("{SHOP}{}", "a".repeat(300)), None),
        ("data:text/html,x".to_owned(), None),
    ] {
        assert_eq!(kept(&url), expected, "{url}");
    }
}
