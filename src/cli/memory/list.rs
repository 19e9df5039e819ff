//! `webwise memory list`.

use serde_json::{Value, json};

use super::args::ListArgs;
use crate::{
    MemoryBackend,
    base::text::counted,
    cli::{Refusal, memory::cannot_be_read, memory_place::MemoryPlace, say, say::one_line},
    memory::{Scope, Shelf},
    store::{Item, Items, Memory},
};

pub(super) async fn run<M: MemoryBackend>(
    keeper: &Memory<M>,
    place: &MemoryPlace,
    args: &ListArgs,
) -> Result<(), Refusal> {
    let read = keeper.items().await?;
    print(&read, &read.items.iter().collect::<Vec<_>>(), args.json);
    if read.items.is_empty() && read.damaged.is_empty() && !args.json {
        let place = match place.missing() {
            Some(missing) => format!(": {missing}"),
            None => format!(" in {} yet", place.dir()?.display()),
        };
        say(one_line(&format!("Nothing is remembered{place}.")));
    }
    match read.damaged.len() {
        0 => Ok(()),
        files => Err(Refusal::failure(format!(
            "the list is incomplete: {} of memory cannot be read",
            counted(files, "file")
        ))),
    }
}

/// Prints `items`, and then the parts of the store that `read` reports as unreadable or unknown, as JSON or as lines.
pub(super) fn print(read: &Items, items: &[&Item], as_json: bool) {
    if as_json {
        let items: Vec<Value> = items.iter().map(|item| json(item)).collect();
        let damaged = read.damaged.iter();
        let damaged: Vec<Value> = damaged
            .map(|damaged| json!({ "shelf": damaged.shelf, "why": damaged.why }))
            .collect();
        say(json!({
            "items": items, "unreadable": read.unreadable, "unknown": read.unknown, "damaged": damaged,
        }));
        return;
    }
    for item in items {
        for line in lines(item) {
            say(one_line(&line));
        }
    }
    if read.unreadable > 0 {
        say(format!(
            "{} cannot be read by this version and stay unchanged.",
            counted(read.unreadable, "record")
        ));
    }
    for damaged in &read.damaged {
        say(one_line(&format!("{}.", cannot_be_read(damaged))));
    }
    for shelf in &read.unknown {
        say(one_line(&format!(
            "{shelf} belongs to a kind of memory that this program does not know, and is kept as it is."
        )));
    }
}

/// Returns the host to which a shelf (a part of the store) applies; `every site` if it applies everywhere.
pub(super) fn scope(shelf: &Shelf) -> String {
    match &shelf.scope {
        Scope::Global => "every site".to_owned(),
        Scope::Host(host) => host.to_string(),
    }
}

fn lines(item: &Item) -> [String; 2] {
    let described = &item.described;
    let standing = described.standing.to_string();
    let parts = [scope(&item.shelf), described.is.clone(), standing];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let results = match described.results.as_str() {
        "" => String::new(),
        results => format!("; {results}"),
    };
    [
        format!("{}  {}{results}", item.name(), parts.join(", ")),
        format!("    {}", described.text),
    ]
}

fn json(item: &Item) -> Value {
    let mut all = json!({
        "name": item.name(),
        "key": item.record.key,
        "kind": item.shelf.collection,
        "shelf": item.shelf,
        "state": item.described.standing.to_string(),
        "text": item.described.text,
    });
    for (name, value) in &item.described.data {
        // Fields of the item take precedence over fields of the same name from its kind.
        let fields = all.as_object_mut().into_iter();
        fields.for_each(|fields| {
            fields.entry(name.clone()).or_insert_with(|| value.clone());
        });
    }
    all
}
