//! `webwise memory diff`: compares two memories item by item.

use std::path::Path;

use chrono::Utc;
use serde_json::{Value, json};

use super::{args::DiffArgs, folder, list::scope, tell_notices, transfer};
use crate::{
    cli::{Refusal, memory_place::MemoryPlace, say, say::one_line, tell},
    memory::{
        Described, Difference, Differing, Namespace, agent_memory,
        archive::{self, Archive},
        compare, kinds, v1,
    },
    store::{JsonFiles, Memory},
};

pub(super) async fn run(place: &MemoryPlace, args: &DiffArgs) -> Result<(), Refusal> {
    let namespace = place.namespace();
    let first = load(&args.first, &namespace).await?;
    let second = load(&args.second, &namespace).await?;
    let compared = compare(&first.shelves, &second.shelves, &kinds());
    let problems = [("A", &first), ("B", &second)].map(|(name, archive)| {
        let problems = archive.problems.iter();
        problems.map(move |problem| format!("{name}: {problem}"))
    });
    let problems: Vec<String> = problems.into_iter().flatten().collect();
    let count = |what| {
        let all = compared.differing.iter();
        all.filter(|one| one.difference == what).count()
    };
    let [only_in_a, only_in_b, changed] = [
        Difference::OnlyInFirst,
        Difference::OnlyInSecond,
        Difference::Changed,
    ]
    .map(count);
    if args.json {
        let items: Vec<Value> = compared.differing.iter().map(json).collect();
        say(
            json!({ "items": items, "only_in_a": only_in_a, "only_in_b": only_in_b, "changed": changed, "same": compared.same, "problems": problems }),
        );
        return Ok(());
    }
    for problem in &problems {
        tell(one_line(&format!("webwise: {problem}")));
    }
    let mut last = None;
    for one in &compared.differing {
        let shelf = &one.id.shelf;
        if last != Some(shelf) {
            say(one_line(&format!(
                "{}, {}:",
                shelf.collection,
                scope(shelf)
            )));
            last = Some(shelf);
        }
        for line in lines(one) {
            say(one_line(&line));
        }
    }
    say(format!(
        "Only in A: {only_in_a}. Only in B: {only_in_b}. Changed: {changed}. The same: {}.",
        compared.same
    ));
    Ok(())
}

/// Reads the memory at a path: a folder of memory, an exported document, or a documented folder `.agent-memory`. An empty
/// folder is an empty memory. Any other folder is refused, because otherwise it would look like a memory that has lost
/// everything.
async fn load(path: &Path, namespace: &Namespace) -> Result<Archive, Refusal> {
    let wrong = |error: &_| transfer::unreadable(path, error, "compared");
    // A folder with a subfolder for the namespace is this program's own memory, even if it also looks like a folder `.agent-memory`.
    let is_own = path.join(namespace.as_str()).is_dir();
    if !is_own && path.join("domains").is_dir() {
        let read = agent_memory::parse(&folder::read(path)?).map_err(|e| wrong(&e))?;
        return Ok(agent_memory::archive(
            &read,
            &kinds(),
            namespace,
            Utc::now(),
        ));
    }
    if path.read_dir().is_ok_and(|mut dir| dir.next().is_none()) {
        return Ok(Archive {
            shelves: Vec::new(),
            problems: Vec::new(),
        });
    }
    if path.is_dir() && !is_own {
        return Err(Refusal::usage(format!(
            "{} has no memory of the namespace {}",
            path.display(),
            namespace.as_str()
        )));
    }
    if is_own {
        let store = JsonFiles::open(path);
        let read = Memory::new(&store, namespace.clone())
            .read(Some(namespace))
            .await;
        tell_notices(&store);
        return Ok(Archive {
            shelves: read?,
            problems: Vec::new(),
        });
    }
    let bytes = transfer::read(path)?;
    let mut archive = archive::parse(&bytes).map_err(|error| {
        if v1::parse(&bytes).is_err() {
            return wrong(&error);
        }
        Refusal::usage(format!(
            "{0} cannot be compared, because a `memory.json` of version 1 holds no more than lessons: import it into a folder of its \
             own with `webwise memory import {0} --trust --memory-dir DIR`, and compare DIR",
            path.display()
        ))
    })?;
    archive
        .shelves
        .retain(|(shelf, _)| shelf.namespace == *namespace);
    Ok(archive)
}

/// Returns lines about an item that differs: its name and what differs, then its text and results in each memory that
/// contains it.
fn lines(one: &Differing) -> Vec<String> {
    let name = one.id.shelf.item_name(&one.id.key);
    let (what, sides) = match one.difference {
        Difference::OnlyInFirst => ("only in A", vec![("", &one.first)]),
        Difference::OnlyInSecond => ("only in B", vec![("", &one.second)]),
        Difference::Changed => ("changed", vec![("A: ", &one.first), ("B: ", &one.second)]),
    };
    let fields: Vec<&str> = one.fields.iter().map(String::as_str).collect();
    let fields = match &fields[..] {
        [] => String::new(),
        fields => format!(": {}", fields.join(", ")),
    };
    let mut lines = vec![format!("    {what:<9}  {name}{fields}")];
    let said = sides.into_iter().filter_map(|(side, described)| {
        let described = described.as_ref()?;
        let text = match described.results.as_str() {
            "" => described.text.clone(),
            results => format!("{}; {results}", described.text),
        };
        Some(format!("        {side}{text}"))
    });
    lines.extend(said);
    lines
}

fn json(one: &Differing) -> Value {
    let side = |described: &Option<Described>| {
        described.as_ref().map(|described| {
            json!({ "text": described.text, "state": described.standing.to_string(), "results": described.results })
        })
    };
    json!({
        "name": one.id.shelf.item_name(&one.id.key),
        "kind": one.id.shelf.collection,
        "shelf": one.id.shelf,
        "difference": match one.difference {
            Difference::OnlyInFirst => "only_in_a",
            Difference::OnlyInSecond => "only_in_b",
            Difference::Changed => "changed",
        },
        "fields": one.fields,
        "a": side(&one.first),
        "b": side(&one.second),
    })
}
