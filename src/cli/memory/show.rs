//! `webwise memory show`: everything about one item.

use serde_json::json;

use super::{args::ShowArgs, list::scope};
use crate::{
    MemoryBackend,
    cli::{Refusal, say, say::one_line},
    store::{Item, Keeper},
};

pub(super) async fn run<M: MemoryBackend>(
    keeper: &Keeper<'_, M>,
    args: &ShowArgs,
) -> Result<(), Refusal> {
    let read = keeper.items().await?;
    let item = read.find(&args.key)?;
    if args.json {
        say(json!({
            "name": item.name(),
            "kind": item.shelf.collection,
            "shelf": item.shelf,
            "state": item.described.standing.to_string(),
            "shown": item.described.text,
            "record": item.record,
        }));
    } else {
        for line in lines(item) {
            say(one_line(&line));
        }
    }
    Ok(())
}

/// Returns everything about an item as lines. The last line is the text alone, as a prompt would
/// show it.
pub(super) fn lines(item: &Item) -> Vec<String> {
    let described = &item.described;
    let standing = described.standing.to_string();
    let is = match described.is.as_str() {
        "" => standing,
        is => format!("{is}, {standing}"),
    };
    let head = [
        ("Key", item.name()),
        ("Applies to", scope(&item.shelf)),
        ("Is", is),
    ];
    let details = described.details.iter().cloned();
    head.into_iter()
        .chain(details)
        .chain([("Text", described.text.clone())])
        .map(|(name, text)| format!("{name:<12}{text}"))
        .collect()
}
