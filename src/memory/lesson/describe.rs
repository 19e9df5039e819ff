//! Descriptions of lessons for people.

use serde_json::{Map, Value, json};

use super::{Evidence, Lesson, LessonSource};
use crate::{
    base::text::{self, counted},
    memory::{Described, Origin, Standing, Uses},
};

/// Maximum length of a text from another program that a description quotes. Unit: characters. Source: chosen.
const MAX_QUOTED: usize = 200;

pub(super) fn describe(lesson: &Lesson) -> Described {
    let mut described = Described::new(&lesson.text.render(), origin(lesson), standing(lesson));
    described.is = format!("{}, {}", lesson.category.as_str(), lesson.source.as_str());
    described.results = results(lesson).to_string();
    described.hosts = lesson.provenance.host.iter().cloned().collect();
    described.details = details(lesson);
    described.data = data(lesson);
    described
}

/// Returns the uses of the lesson and their results, without those of the run that taught the lesson.
fn results(lesson: &Lesson) -> Uses {
    let (mut uses, taught) = (lesson.counts.uses(), lesson.taught());
    uses.used = uses.used.saturating_sub(taught);
    uses.helped = uses.helped.saturating_sub(taught);
    uses
}

const fn origin(lesson: &Lesson) -> Origin {
    match lesson.source {
        LessonSource::Seed => Origin::Shipped,
        LessonSource::Learned => Origin::Learned,
        LessonSource::User => Origin::Person,
        LessonSource::Imported => Origin::Imported,
    }
}

fn standing(lesson: &Lesson) -> Standing {
    if lesson.retired_by.is_some() {
        Standing::Retired
    } else if lesson.needs_review() {
        Standing::WaitsForReview
    } else if lesson.speaks() {
        Standing::Shown
    } else {
        Standing::Silent("seen on one site")
    }
}

fn details(lesson: &Lesson) -> Vec<(&'static str, String)> {
    let (counts, origin) = (&lesson.counts, &lesson.provenance);
    let run = |run: &Option<crate::base::RunId>| run.as_ref().map(ToString::to_string);
    let known = [
        ("Command", lesson.command().map(str::to_owned)),
        ("Failure", lesson.trouble().map(|kind| kind.to_string())),
        ("Error says", lesson.error_pattern.as_deref().map(quoted)),
        ("Domain", lesson.domain.as_deref().map(quoted)),
        ("Learned in", run(&origin.run)),
        ("Learned on", origin.host.as_ref().map(ToString::to_string)),
        ("Page", origin.page.as_ref().map(ToString::to_string)),
        ("Promoted by", run(&lesson.promoted_by)),
        ("Demoted by", run(&lesson.demoted_by)),
        ("Retired by", run(&lesson.retired_by)),
    ];
    let mut details: Vec<(&'static str, String)> = known
        .into_iter()
        .filter_map(|(name, text)| Some((name, text?)))
        .collect();
    details.push(("Made", lesson.created_at.to_rfc3339()));
    details.push(("Last used", lesson.last_used.to_rfc3339()));
    details.push((
        "Counts",
        format!(
            "{}; with the run that taught it: used after its failure {}, after it was shown {}",
            results(lesson),
            counts.used,
            counts.followed
        ),
    ));
    if !lesson.triggered_domains.is_empty() {
        let sites = lesson.triggered_domains.iter();
        let sites: Vec<&str> = sites.map(crate::base::Site::as_str).collect();
        details.push(("Used on", sites.join(", ")));
    }
    details.extend(
        lesson
            .evidence
            .iter()
            .map(|one| ("Evidence", evidence(one))),
    );
    if let Some(original) = &lesson.original {
        let (source, uses) = (&original.source, original.use_count);
        details.push((
            "Imported",
            format!("as {source}, with {}", counted(uses, "use")),
        ));
        let words = original.lesson.as_deref().map(quoted);
        details.extend(words.map(|words| ("In its file", words)));
    }
    details
}

fn data(lesson: &Lesson) -> Map<String, Value> {
    // A list counts the same in lines and as JSON.
    let (mut counts, results) = (lesson.counts.clone(), results(lesson));
    (counts.used, counts.helped) = (results.used, results.helped);
    let fields = [
        ("category", json!(lesson.category)),
        ("source", json!(lesson.source)),
        ("failed_command", json!(lesson.command())),
        ("counts", json!(counts)),
    ];
    fields
        .map(|(name, value)| (name.to_owned(), value))
        .into_iter()
        .collect()
}

fn quoted(words: &str) -> String {
    Value::from(text::truncate(&text::clean(words), MAX_QUOTED)).to_string()
}

fn evidence(evidence: &Evidence) -> String {
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
    let site = evidence.site.as_ref();
    let site = site.map(|site| format!(" on {site}")).unwrap_or_default();
    format!("{}{site}: {}", evidence.run, facts.join(", "))
}
