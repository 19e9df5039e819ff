//! `webwise memory explain`: why memory gave advice in a run, and what happened next.

use serde_json::json;

use super::args::ExplainArgs;
use crate::{
    base::text::counted,
    cli::{
        Refusal,
        runs::{REGISTER, Register},
        say,
        say::one_line,
        tell,
    },
    prompt::for_person,
    report::{
        RunRecord,
        explain::{Credit, Item, Recalled, Why, explain},
        words::{self, quoted, steps},
    },
};

/// Maximum number of listed actions that an item may have influenced. Source: chosen; an item in the system instruction
/// is followed by all actions of the run, which are too many for a list.
const MAX_ACTIONS: usize = 6;
/// Maximum length of an item's text in the printed lines. Unit: characters. Source: chosen.
const MAX_TEXT: usize = 300;

pub(super) async fn run(runs: &Register, args: &ExplainArgs) -> Result<(), Refusal> {
    let runs_dir = args.runs_dir.as_deref();
    let folder = runs.own_folder(&args.run, runs_dir).await?;
    let record = RunRecord::open(&folder).map_err(|error| Refusal::failure(error.to_string()))?;
    if runs_dir.is_none() && !runs.has(&folder, &record).await? {
        tell(one_line(&format!(
            "webwise: the run in {} is not in {REGISTER}",
            folder.display()
        )));
    }
    let unreadable = record.unreadable.len();
    let mut items = explain(&record.events);
    if let Some(key) = &args.key {
        items.retain(|item| name(item).starts_with(key.as_str()));
        if items.is_empty() {
            return Err(Refusal::usage(format!(
                "memory did not speak of {key} in this run"
            )));
        }
    }
    if args.json {
        say(json!({ "folder": folder, "items": items, "unreadable": unreadable }));
        return Ok(());
    }
    if items.is_empty() {
        say("Memory said and learned nothing in this run.");
    }
    items
        .iter()
        .flat_map(lines)
        .for_each(|line| say(one_line(&line)));
    if unreadable > 0 {
        say(format!(
            "{} of the run folder cannot be read by this version.",
            counted(unreadable, "line")
        ));
    }
    Ok(())
}

fn name(item: &Item) -> String {
    item.id.shelf.item_name(&item.id.key)
}

/// Returns true if the run repeated steps from the item, or if memory counted that the run used the item or was harmed by
/// it.
fn was_used(item: &Item) -> bool {
    let counts = |credit: &Credit| credit.used || credit.followed || credit.harmed;
    !item.replayed.is_empty() || item.credited.iter().any(counts)
}

/// Returns true if the item was only shown, in the system instruction of every prompt, and the run neither used nor changed
/// it.
fn was_only_there(item: &Item) -> bool {
    let is_start = |recalled: &Recalled| recalled.why == Why::RunStarted;
    let is_quiet = item.replayed.is_empty() && item.credited.is_empty();
    let is_shown = !item.withheld && !item.stood_in.is_empty();
    is_quiet && is_shown && item.became.is_empty() && item.recalled.iter().all(is_start)
}

/// Returns lines about an item: its text, why memory recalled it, where the run used it, and how the run changed it.
fn lines(item: &Item) -> Vec<String> {
    if was_only_there(item) {
        let words = quoted(&item.lesson, MAX_TEXT);
        let all = counted(item.stood_in.len(), "prompt");
        return vec![format!("{}: only shown, in {all}: {words}", name(item))];
    }
    let mut lines = vec![
        name(item),
        format!("    says      {}", quoted(&item.lesson, MAX_TEXT)),
    ];
    lines.extend(
        item.recalled
            .iter()
            .map(|recalled| format!("    recalled  {}", words::recalled(recalled))),
    );
    if item.withheld {
        lines.push("    withheld  held back as a control, so no prompt contained it".to_owned());
    }
    if !item.stood_in.is_empty() {
        lines.push(format!(
            "    stood in  the prompts of {}",
            steps(&item.stood_in)
        ));
    }
    if !item.replayed.is_empty() {
        lines.push(format!(
            "    replayed  {}, without asking the model",
            steps(&item.replayed)
        ));
    }
    // For an item that was not used, the actions that followed say nothing about it.
    let then = if was_used(item) { &item.then[..] } else { &[] };
    for done in then.iter().take(MAX_ACTIONS) {
        let action = for_person(&done.action, &done.targets);
        lines.push(format!(
            "    then      step {}: {action} -> {}",
            done.step,
            words::outcome(&done.outcome)
        ));
    }
    if then.len() > MAX_ACTIONS {
        lines.push(format!(
            "    then      {}",
            counted(then.len() - MAX_ACTIONS, "more action")
        ));
    }
    lines.extend(
        item.credited
            .iter()
            .map(|credited| format!("    credited  {}", words::credited(credited))),
    );
    if item.credited.is_empty() && item.replayed.is_empty() && !item.recalled.is_empty() {
        lines
            .push("    credited  with nothing: it was shown, and no use of it was seen".to_owned());
    }
    for became in &item.became {
        lines.push(format!("    became    {}", words::became(became)));
    }
    lines
}
