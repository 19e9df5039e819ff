//! `webwise memory report`: for each item of memory, compares two groups of runs: those that were shown the item, and those
//! that held it back.

use serde_json::{Value, json};

use super::args::ReportArgs;
use crate::{
    base::text::counted,
    cli::{
        Refusal,
        eval::figures,
        runs::{REGISTER, RUNS_DIR, Register, looked_in},
        say,
        say::one_line,
    },
    eval::{Difference, ItemFacts, Metric, RunFacts, Worth, worth},
    event::{Event, EventKind},
    report::{
        RunRecord,
        explain::{Item, explain},
        words::quoted,
    },
};

/// Maximum length of an item's text in the report. Unit: characters. Source: chosen.
const MAX_TEXT: usize = 100;

pub(super) async fn run(register: &Register, args: &ReportArgs) -> Result<(), Refusal> {
    let (folders, left_out) = register.own_folders(args.runs_dir.as_deref()).await?;
    let (mut runs, mut unread) = (Vec::new(), 0);
    for folder in folders.iter().rev() {
        match RunRecord::open(folder) {
            // A run that has not ended has no figures yet.
            Ok(record) => runs.extend(facts(&record.events)),
            Err(_) => unread += 1,
        }
    }
    let items = worth(&runs);
    if args.json {
        let items: Vec<Value> = items.iter().map(item_json).collect();
        say(
            json!({ "runs": runs.len(), "unreadable": unread, "left_out": left_out, "items": items }),
        );
        return Ok(());
    }
    let places = folders.iter().filter_map(|folder| folder.parent());
    let places = places.filter_map(|place| std::path::absolute(place).ok());
    let mut places: Vec<String> = places.map(|place| place.display().to_string()).collect();
    places.sort();
    places.dedup();
    if places.is_empty() {
        places.push(looked_in(args.runs_dir.as_deref()));
    }
    say(one_line(&format!(
        "{} in {}",
        counted(runs.len(), "run"),
        places.join(", ")
    )));
    if items.is_empty() {
        say("Memory gave no advice in them.");
    }
    for line in items.iter().flat_map(item_lines) {
        say(one_line(&line));
    }
    if left_out > 0 {
        say(format!(
            "Left out {} in {RUNS_DIR}, not in {REGISTER}: `--runs-dir {RUNS_DIR}` counts every run there.",
            counted(left_out, "run folder")
        ));
    }
    if unread > 0 {
        say(format!(
            "{} cannot be read by this version.",
            counted(unread, "run folder")
        ));
    }
    Ok(())
}

/// Returns the facts about a run that the comparison needs; `None` if the run has not ended.
fn facts(events: &[Event]) -> Option<RunFacts> {
    let summary = events.iter().rev().find_map(|event| match &event.kind {
        EventKind::RunEnded { summary, .. } => Some(summary),
        _ => None,
    })?;
    let items = explain(events).into_iter().map(item_facts).collect();
    let figures = figures(summary, summary.success);
    Some(RunFacts { items, figures })
}

fn item_facts(item: Item) -> ItemFacts {
    let credited = &item.credited;
    ItemFacts {
        offered: !item.stood_in.is_empty() || !item.replayed.is_empty(),
        withheld: item.withheld,
        used: credited.iter().any(|credit| credit.used || credit.followed),
        followed: credited.iter().any(|credit| credit.followed),
        helped: credited.iter().any(|credit| credit.helped),
        harmed: credited.iter().any(|credit| credit.harmed),
        text: item.lesson,
        id: item.id,
    }
}

/// Returns the share of runs that held the item back, among all runs that showed it or held it back. The value is from 0 to
/// 1; it is 0 if there are no such runs.
fn withheld_share(item: &Worth) -> f64 {
    let count = |n: usize| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
    count(item.withheld) / count((item.offered + item.withheld).max(1))
}

fn item_lines(item: &Worth) -> Vec<String> {
    let mut lines = vec![
        item.id.shelf.item_name(&item.id.key),
        format!("    says      {}", quoted(&item.text, MAX_TEXT)),
        format!(
            "    runs      shown in {}, held back in {} ({:.0} %); used in {} ({} after it was shown), helped in {}, harmed in {}",
            item.offered,
            item.withheld,
            100.0 * withheld_share(item),
            item.used,
            item.followed,
            item.helped,
            item.harmed
        ),
    ];
    let matters = [
        Metric::Success,
        Metric::Steps,
        Metric::FailedActions,
        Metric::ModelCalls,
        Metric::TokensIn,
        Metric::Seconds,
    ];
    let differences = item.differences.iter();
    lines.extend(
        differences
            .filter(|of| matters.contains(&of.metric))
            .map(|of| format!("    shown     {}", of.line())),
    );
    lines
}

fn item_json(item: &Worth) -> Value {
    let differences = item.differences.iter().map(Difference::entry);
    json!({
        "name": item.id.shelf.item_name(&item.id.key),
        "kind": item.id.shelf.collection,
        "key": item.id.key,
        "shelf": item.id.shelf,
        "text": item.text,
        "offered": item.offered,
        "withheld": item.withheld,
        "withheld_share": withheld_share(item),
        "used": item.used,
        "followed": item.followed,
        "helped": item.helped,
        "harmed": item.harmed,
        "differences": Value::Object(differences.collect()),
    })
}
