//! `webwise memory show`: everything about one item.

use chrono::Utc;
use serde_json::json;

use super::{args::ShowArgs, list::scope};
use crate::{
    MemoryBackend,
    cli::{Refusal, say, say::one_line},
    memory::Described,
    store::{Item, Memory},
};

pub(super) async fn run<M: MemoryBackend>(
    keeper: &Memory<M>,
    args: &ShowArgs,
) -> Result<(), Refusal> {
    let read = keeper.items().await?;
    let item = read.find(&args.key)?;
    let described = keeper.describe(item, Utc::now()).await?;
    if args.json {
        let detail = |(name, text): &(&str, String)| json!({ "name": name, "text": text });
        say(json!({
            "name": item.name(),
            "kind": item.shelf.collection,
            "shelf": item.shelf,
            "state": described.standing.to_string(),
            "shown": described.text,
            "details": described.details.iter().map(detail).collect::<Vec<_>>(),
            "prompt": described.prompt,
            "record": item.record,
        }));
    } else {
        for line in lines(item, &described) {
            say(one_line(&line));
        }
    }
    Ok(())
}

/// Returns everything about an item as lines.
pub(super) fn lines(item: &Item, described: &Described) -> Vec<String> {
    let standing = described.standing.to_string();
    let is = match described.is.as_str() {
        "" => standing,
        is => format!("{is}, {standing}"),
    };
    let head = [
        ("Key", item.name()),
        ("Applies to", scope(&item.shelf)),
        ("Is", is),
        ("Results", described.results.clone()),
    ];
    let labels = std::iter::once("Prompt").chain(std::iter::repeat(""));
    head.into_iter()
        .filter(|(_, text)| !text.is_empty())
        .chain(described.details.iter().cloned())
        .chain([("Text", described.text.clone())])
        .chain(labels.zip(described.prompt.iter().cloned()))
        .map(|(name, text)| format!("{name:<12}{text}"))
        .collect()
}
