//! `webwise memory show`: everything about one lesson.

use serde_json::json;

use super::{
    args::ShowArgs,
    book::{Book, Known},
};
use crate::{
    MemoryBackend,
    base::text,
    cli::{Refusal, memory_place::MemoryPlace, say, say::one_line},
    memory::lesson::Evidence,
};

pub(super) async fn run(
    store: &impl MemoryBackend,
    place: &MemoryPlace,
    args: &ShowArgs,
) -> Result<(), Refusal> {
    let book = Book::read(store, &place.namespace()).await?;
    let known = book.find(&args.key)?;
    if args.json {
        let shown = known.shown();
        say(
            json!({ "name": known.name(), "shelf": known.shelf, "state": known.state(), "shown": shown, "record": known.record }),
        );
    } else {
        for line in lines(known) {
            say(one_line(&line));
        }
    }
    Ok(())
}

/// Everything about a lesson, as lines. The last line is the text alone, as a prompt would show it.
pub(super) fn lines(known: &Known) -> Vec<String> {
    let lesson = &known.lesson;
    let row = |name: &str, text: String| format!("{name:<12}{text}");
    let counts = &lesson.counts;
    let mut lines = vec![
        row("Key", known.name()),
        row("Applies to", known.scope()),
        row(
            "Is",
            format!(
                "{}, {}, {}",
                lesson.category.as_str(),
                lesson.source.as_str(),
                known.state()
            ),
        ),
    ];
    let about = [
        ("Command", lesson.command().map(str::to_owned)),
        (
            "Trouble",
            lesson.trouble().map(|trouble| trouble.to_string()),
        ),
        (
            "Error says",
            lesson.error_pattern.as_ref().map(|pattern| quoted(pattern)),
        ),
        (
            "Domain",
            lesson.domain.as_ref().map(|domain| quoted(domain)),
        ),
        (
            "Learned in",
            lesson.provenance.run.as_ref().map(ToString::to_string),
        ),
        (
            "Learned on",
            lesson.provenance.host.as_ref().map(ToString::to_string),
        ),
        (
            "Page",
            lesson.provenance.page.as_ref().map(ToString::to_string),
        ),
        (
            "Promoted by",
            lesson.promoted_by.as_ref().map(ToString::to_string),
        ),
        (
            "Demoted by",
            lesson.demoted_by.as_ref().map(ToString::to_string),
        ),
        (
            "Retired by",
            lesson.retired_by.as_ref().map(ToString::to_string),
        ),
    ];
    lines.extend(
        about
            .into_iter()
            .filter_map(|(name, text)| Some(row(name, text?))),
    );
    lines.push(row("Made", lesson.created_at.to_rfc3339()));
    lines.push(row("Last used", lesson.last_used.to_rfc3339()));
    lines.push(row(
        "Counts",
        format!(
            "shown in {} runs, used {} times in {} runs, followed {}, helped {}, harmed {}",
            counts.offered, counts.used, lesson.runs, counts.followed, counts.helped, counts.harmed
        ),
    ));
    if !lesson.triggered_domains.is_empty() {
        let sites: Vec<&str> = lesson
            .triggered_domains
            .iter()
            .map(crate::base::Site::as_str)
            .collect();
        lines.push(row("Used on", sites.join(", ")));
    }
    lines.extend(
        lesson
            .evidence
            .iter()
            .map(|evidence| row("Evidence", told(evidence))),
    );
    if let Some(original) = &lesson.original {
        lines.push(row(
            "Imported",
            format!("as {}, with {} uses", original.source, original.use_count),
        ));
        lines.extend(
            original
                .lesson
                .as_ref()
                .map(|words| row("In its file", quoted(words))),
        );
    }
    lines.push(row("Text", known.shown()));
    lines
}

/// A text as JSON, on one line and cut to length.
fn quoted(words: &str) -> String {
    serde_json::Value::from(text::truncate(&text::clean(words), 200)).to_string()
}

fn told(evidence: &Evidence) -> String {
    let credit = evidence.credit;
    let facts = [
        (credit.offered, "shown"),
        (credit.used, "used"),
        (credit.followed, "followed"),
        (credit.helped, "helped"),
        (credit.harmed, "harmed"),
    ];
    let facts: Vec<&str> = facts
        .into_iter()
        .filter(|(is, _)| *is)
        .map(|(_, word)| word)
        .collect();
    let site = evidence
        .site
        .as_ref()
        .map(|site| format!(" on {site}"))
        .unwrap_or_default();
    format!("{}{site}: {}", evidence.run, facts.join(", "))
}
