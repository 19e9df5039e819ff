//! The memory of one run. It can also be used without the decision loop.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::{History, Pages, Step, tally::Tally};
use crate::{
    action::{Action, AgentAction, Outcome},
    base::{Error, ErrorKind, Result, text},
};

/// Maximum number of notes that are kept; the oldest are dropped first. Source: chosen.
pub const MAX_NOTES: usize = 20;
/// Maximum length of a note. A longer note is cut to this length, and a remark that says so is added. Unit: characters.
/// Source: chosen; enough for a few rows of a table.
pub const MAX_NOTE: usize = 800;
/// Maximum number of lines that are kept from pages; the oldest are dropped first. Source: chosen.
pub const MAX_LINES: usize = 40;
/// Maximum number of texts that the program can give a run. Source: chosen.
pub const MAX_GIVEN: usize = 20;
/// Maximum length of a text that the program gives a run. Unit: characters. Source: chosen; [`MAX_GIVEN`] texts of this
/// length fill about a third of a context window of 64,000 tokens, at four characters for each token.
pub const MAX_GIVEN_TEXT: usize = 4_000;
/// Maximum length of the name of a text that the program gives to a run. Unit: characters. Source: chosen.
const MAX_NAME: usize = 60;
/// Time for which an extracted text counts as current. Prompts give the age of older texts. Source: a requirement of the
/// project.
pub const FRESH: TimeDelta = TimeDelta::seconds(300);
/// Names that the program must not use for a text that it gives to a run, because the model would take such a text for
/// an observation.
const RESERVED: [&str; 5] = [
    "current_page",
    "navigation_graph",
    "obstacle_cache",
    "page_history",
    "visited_urls",
];

/// A text that a run took from a page and stored under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Extraction {
    /// The name, chosen by the model.
    pub name: String,
    /// The text. The page wrote it, so it is untrusted.
    pub text: String,
    /// The text as a model has shortened it for prompts; `None` if no model has shortened it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short: Option<String>,
    /// The time at which the text was taken; `None` if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<DateTime<Utc>>,
}

impl Extraction {
    /// Returns the text for prompts: the shortened text, or else the whole text.
    pub fn shown(&self) -> &str {
        self.short.as_deref().unwrap_or(&self.text)
    }

    /// Returns the time since the text was taken, if it is longer than [`FRESH`]. By then, the page may show something
    /// else. Returns `None` if the time is shorter or not known.
    pub fn age(&self, now: DateTime<Utc>) -> Option<TimeDelta> {
        let age = now.signed_duration_since(self.taken?);
        (age > FRESH).then_some(age)
    }
}

/// The memory of one run. It contains the run's steps and notes, the lines and texts that the run took from pages, and
/// the texts that the program gave it.
///
/// A [`Run`](crate::agent::Run) has a memory of this type and shows it to the model, each part within its limits. A
/// program that uses the browser without a model can have its own.
///
/// ```
/// use webwise::working::WorkingMemory;
///
/// let mut memory = WorkingMemory::default();
/// memory.give("customer", "A-17, prefers mail")?;
/// memory.note("the list has two pages");
/// assert_eq!(memory.given()["customer"], "A-17, prefers mail");
/// assert!(memory.give("visited_urls", "none").is_err());
/// # Ok::<(), webwise::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Stored")]
pub struct WorkingMemory {
    steps: Vec<Step>,
    #[serde(skip)]
    tally: Box<Tally>,
    lines: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    extracted: Vec<Extraction>,
    notes: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    given: BTreeMap<String, String>,
    /// Names of the texts that the program gave and took back. When a run is resumed, it does not get these texts again
    /// from its task.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    taken_back: BTreeSet<String>,
}

/// The stored form of a memory, without the tally, which can be computed from the steps.
#[derive(Deserialize)]
struct Stored {
    steps: Vec<Step>,
    lines: Vec<String>,
    #[serde(default)]
    extracted: Vec<Extraction>,
    notes: Vec<String>,
    #[serde(default)]
    given: BTreeMap<String, String>,
    #[serde(default)]
    taken_back: BTreeSet<String>,
}

impl From<Stored> for WorkingMemory {
    fn from(stored: Stored) -> Self {
        Self {
            tally: Box::new(Tally::of(&stored.steps)),
            steps: stored.steps,
            lines: stored.lines,
            extracted: stored.extracted,
            notes: stored.notes,
            given: stored.given,
            taken_back: stored.taken_back,
        }
    }
}

impl WorkingMemory {
    /// Adds a step.
    pub fn record(&mut self, step: Step) {
        self.steps.push(step);
        self.tally.add_last(&self.steps);
    }

    /// Returns all steps, oldest first.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the last step before step `number` that tried the same action on the same kind of page, if this earlier
    /// step failed or had no effect.
    pub fn failed_before(&self, number: u32) -> Option<&Step> {
        let mut latest = self.steps.iter().rev();
        let step = latest.find(|step| step.number == number)?;
        let same = latest.find(|known| known.signature == step.signature)?;
        matches!(same.outcome, Outcome::Failed(_) | Outcome::NoEffect).then_some(same)
    }

    pub(crate) fn edit_steps<T>(&mut self, edit: impl FnOnce(&mut Vec<Step>) -> T) -> T {
        let result = edit(&mut self.steps);
        *self.tally = Tally::of(&self.steps);
        result
    }

    /// Returns the steps as a prompt shows them.
    pub fn history(&self) -> History<'_> {
        History::new(&self.steps, &self.tally)
    }

    /// Returns the pages that the steps led to.
    pub fn pages(&self) -> Pages<'_> {
        Pages::of(&self.steps)
    }

    /// Adds a note, cut to [`MAX_NOTE`]. If there are more than [`MAX_NOTES`], the oldest is dropped.
    pub fn note(&mut self, note: &str) {
        self.notes.push(text::cut(note, MAX_NOTE));
        keep_last(&mut self.notes, MAX_NOTES);
    }

    /// Returns the notes, oldest first.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Adds lines that were read on a page. If there are more than [`MAX_LINES`], the oldest are dropped.
    pub fn keep(&mut self, lines: impl IntoIterator<Item = String>) {
        self.lines.extend(lines);
        keep_last(&mut self.lines, MAX_LINES);
    }

    /// Returns the lines that were read on pages, oldest first. The pages wrote these lines, so they are untrusted.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Stores a text of a page under a name. The text replaces an earlier text of the same name.
    pub fn extract(&mut self, name: &str, text: String, now: DateTime<Utc>) {
        self.extracted.retain(|known| known.name != name);
        self.extracted.push(Extraction {
            name: name.to_owned(),
            text,
            short: None,
            taken: Some(now),
        });
    }

    /// Sets the shortened form of the text that the last step returned or extracted.
    pub(crate) fn shorten(&mut self, short: &str) {
        let Some(step) = self.steps.last_mut() else {
            return;
        };
        let Action::Agent(AgentAction::Extract(extract)) = &step.action else {
            step.short = Some(short.to_owned());
            return;
        };
        let mut all = self.extracted.iter_mut();
        if let Some(known) = all.find(|known| known.name == extract.name) {
            known.short = Some(short.to_owned());
        }
    }

    /// Removes the oldest extractions until the names, texts and shortened texts of the others have at most `bytes`
    /// bytes together.
    pub(crate) fn keep_extracted(&mut self, bytes: usize) {
        let mut room = bytes;
        let fits = |taken: &&Extraction| {
            let short = taken.short.as_ref().map_or(0, String::len);
            let size = taken.name.len() + taken.text.len() + short;
            let fits = size <= room;
            room = room.saturating_sub(size);
            fits
        };
        let kept = self.extracted.iter().rev().take_while(fits).count();
        keep_last(&mut self.extracted, kept);
    }

    /// Returns the texts that were taken from pages, oldest first.
    pub fn extracted(&self) -> &[Extraction] {
        &self.extracted
    }

    /// Stores a text that the program gives to the run: information that the task needs and no page shows. The text replaces
    /// an earlier given text of the same name. Prompts show it as data, so that the model does not follow instructions in
    /// it.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the name is blank, longer than 60 characters or reserved, if the text is longer
    /// than [`MAX_GIVEN_TEXT`], or if there are [`MAX_GIVEN`] texts already and none of them has this name.
    pub fn give(&mut self, name: &str, text: &str) -> Result<()> {
        self.check_given(name, text)?;
        self.put(name, text.to_owned());
        Ok(())
    }

    pub(crate) fn check_given(&self, name: &str, text: &str) -> Result<()> {
        let wrong = |why: &str| {
            let error = Error::new(ErrorKind::InvalidInput, "memory.give");
            Err(error
                .with("name", text::cut(name, MAX_NAME))
                .with("why", why))
        };
        if name.trim().is_empty() || name.chars().count() > MAX_NAME {
            return wrong("the name must have 1 to 60 characters");
        }
        if RESERVED.contains(&name) {
            return wrong("the name is reserved for what a run observes itself");
        }
        if text.chars().count() > MAX_GIVEN_TEXT {
            return wrong("the text must have at most 4000 characters");
        }
        if self.given.len() >= MAX_GIVEN && !self.given.contains_key(name) {
            return wrong("there are 20 texts already");
        }
        Ok(())
    }

    /// Stores a text that the program gives to the run, without checking it: the text was checked before placeholders
    /// replaced its secrets. A placeholder may be longer than its secret, so the text may now be slightly longer than
    /// [`MAX_GIVEN_TEXT`].
    pub(crate) fn put(&mut self, name: &str, text: String) {
        self.taken_back.remove(name);
        self.given.insert(name.to_owned(), text);
    }

    /// Removes the text that the program gave under this name, and returns it.
    pub fn take_back(&mut self, name: &str) -> Option<String> {
        let text = self.given.remove(name)?;
        self.taken_back.insert(name.to_owned());
        Some(text)
    }

    /// Returns true if the program gave the run a text under this name and took it back.
    pub(crate) fn was_taken_back(&self, name: &str) -> bool {
        self.taken_back.contains(name)
    }

    pub(crate) fn take_back_all(&mut self) {
        self.given.clear();
    }

    /// Returns the texts that the program gave. The keys are their names.
    pub const fn given(&self) -> &BTreeMap<String, String> {
        &self.given
    }
}

fn keep_last<T>(list: &mut Vec<T>, most: usize) {
    list.drain(..list.len().saturating_sub(most));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_extraction_replaces_the_one_of_its_name_and_is_the_last() {
        let mut memory = WorkingMemory::default();
        for (name, text) in [("a", "1"), ("b", "2"), ("a", "3")] {
            memory.extract(name, text.to_owned(), DateTime::UNIX_EPOCH);
        }
        let told = memory.extracted().iter().map(|e| (&*e.name, &*e.text));
        assert_eq!(told.collect::<Vec<_>>(), [("b", "2"), ("a", "3")]);
        memory.keep_extracted(3);
        assert_eq!(memory.extracted().len(), 1);
        assert_eq!(memory.extracted()[0].name, "a");
    }

    #[test]
    fn notes_and_lines_drop_the_oldest() {
        let mut memory = WorkingMemory::default();
        for n in 0..50 {
            memory.note(&format!("note {n}"));
            memory.keep([format!("line {n}")]);
        }
        assert_eq!(memory.notes().len(), MAX_NOTES);
        assert_eq!(memory.notes()[0], "note 30");
        assert_eq!(memory.lines().len(), MAX_LINES);
        assert_eq!(memory.lines()[0], "line 10");
    }

    #[test]
    fn what_is_given_is_bounded_and_refused_with_the_reason() {
        let mut memory = WorkingMemory::default();
        for n in 0..MAX_GIVEN {
            memory.give(&format!("name {n}"), "text").unwrap();
        }
        let long = "x".repeat(MAX_GIVEN_TEXT + 1);
        for (name, text, why) in [
            ("one more", "text", "already"),
            ("", "text", "1 to 60"),
            ("page_history", "text", "reserved"),
            ("name 1", &long, "4000"),
        ] {
            let error = memory.give(name, text).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput);
            assert!(error.to_string().contains(why), "{error}");
        }
        memory.give("name 1", "another text").unwrap();
        assert_eq!(memory.given().len(), MAX_GIVEN);
        assert_eq!(memory.take_back("name 1").unwrap(), "another text");
        assert_eq!(memory.take_back("name 1"), None);
    }
}
