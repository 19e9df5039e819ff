//! `webwise memory report`: what each item of memory was worth in the runs of a folder.

use std::fs;

use serde_json::{Value, json};

use super::args::ReportArgs;
use crate::{
    base::text::counted,
    cli::{Refusal, eval::figures, say, say::one_line},
    eval::{Difference, ItemFacts, Metric, RunFacts, Worth, worth},
    event::{Event, EventKind},
    report::{
        RunRecord,
        explain::{Item, explain},
        words::quoted,
    },
};

/// Maximum length of an item's text in the table. Unit: characters. Source: chosen.
const MAX_TEXT: usize = 100;

pub(super) fn run(args: &ReportArgs) -> Result<(), Refusal> {
    let dir = args.runs_dir.display();
    let entries = fs::read_dir(&args.runs_dir).map_err(|error| {
        Refusal::usage(format!(
            "no runs can be read in {dir} ({error}): name the folder with --runs-dir"
        ))
    })?;
    let mut folders: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|folder| RunRecord::is_at(folder))
        .collect();
    // An id begins with the time of its run.
    folders.sort();
    let (mut runs, mut unread) = (Vec::new(), 0);
    for folder in &folders {
        match RunRecord::open(folder) {
            // A run that has not ended has no figures yet.
            Ok(record) => runs.extend(facts(&record.events)),
            Err(_) => unread += 1,
        }
    }
    let items = worth(&runs);
    if args.json {
        let items: Vec<Value> = items.iter().map(item_json).collect();
        say(json!({ "runs": runs.len(), "unreadable": unread, "items": items }));
        return Ok(());
    }
    say(one_line(&format!(
        "{} in {dir}",
        counted(runs.len(), "run")
    )));
    if items.is_empty() {
        say("Memory gave no advice in them.");
    }
    for line in items.iter().flat_map(item_lines) {
        say(one_line(&line));
    }
    if unread > 0 {
        say(format!(
            "{} cannot be read by this version.",
            counted(unread, "run folder")
        ));
    }
    Ok(())
}

/// Returns a run as the comparison needs it; `None` if it has not ended.
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
        offered: !item.stood_in.is_empty(),
        withheld: item.withheld,
        used: credited.iter().any(|credit| credit.used || credit.followed),
        followed: credited.iter().any(|credit| credit.followed),
        helped: credited.iter().any(|credit| credit.helped),
        harmed: credited.iter().any(|credit| credit.harmed),
        text: item.lesson,
        id: item.id,
    }
}

/// Returns the share of the runs that held the item back.
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
