//! The records of a recipe: a header, and one record for each step.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{MAX_STEPS, ReadAgain};
use crate::{
    action::{BrowserAction, BrowserTool, Effect, ParameterName},
    base::{Error, ErrorKind, Result, RunId, canonical, short_hash, text},
    memory::{Advice, Change, Record, Use, Uses},
    page::{PageTemplate, Recorded},
    secret::SecretName,
};

/// Maximum size of a step's record. Unit: bytes. A shelf holds 20 recipes of 50 steps of this size.
pub const MAX_STEP_BYTES: usize = 800;
/// Maximum number of runs that a header lists.
pub const MAX_RUNS: usize = 8;
/// Maximum number of results that a header keeps.
pub const MAX_RESULTS: usize = 12;
/// Number of harmful results in a row after which a recipe is retired, which means that it is neither shown nor followed.
pub const FAILED_IN_A_ROW: usize = 3;

/// A recorded task: the steps by which a run reached its goal, without its values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Recipe {
    /// The data besides the steps.
    pub header: Header,
    /// The steps, in order.
    pub steps: Vec<RecipeStep>,
}

/// The data of a recipe besides its steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Header {
    /// The goal of the run that the steps come from, in the user's words and on one line.
    pub goal: String,
    /// The run that the steps come from, or, if that run was undone, another run that took the same steps.
    pub run: RunId,
    /// The runs that reached their goal by these steps and decided all of them, newest last, at most [`MAX_RUNS`].
    pub runs: Vec<RunId>,
    /// The end of the last run that reached its goal by these steps.
    pub timestamp: DateTime<Utc>,
    /// Number of steps.
    pub steps: usize,
    /// Number of the model's replies in the run that the steps come from.
    pub turns: u32,
    /// Duration of the run that the steps come from. Unit: milliseconds.
    pub duration_ms: u64,
    /// True if the recipe was imported from a source that the importing person did not trust, and no person has accepted it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub imported: bool,
    /// True if a run of this program recorded the steps. Only such a recipe is followed without the model's word.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own: bool,
    /// True if the run went on at another site after these steps.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leaves: bool,
    /// Where the answer stands; `None` if it had words of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<ReadAgain>,
    /// The results of the latest runs to which the recipe was shown, oldest first, at most [`MAX_RESULTS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<(RunId, Use)>,
}

/// A step of a recipe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecipeStep {
    /// The tool.
    pub tool: BrowserTool,
    /// The action without its targets and texts; `None` if memory does not keep the arguments of this action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<BrowserAction>,
    /// The kind of page on which the step was taken; `None` if it is not known. A path segment `:x` is any segment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PageTemplate>,
    /// The hash of the page's main heading, without numbers and values; `None` if it had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heading: Option<String>,
    /// The kind of page to which the step led; `None` if the run stayed on the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leads_to: Option<PageTemplate>,
    /// The elements on which the step acted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Recorded>,
    /// The text that the step typed or chose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Given>,
    /// The value that names the first target, such as the item of a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named: Option<Slot>,
    /// The value that the row or card around the first target contains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<Slot>,
    /// The value `yes` or `no` that says whether the step is taken: its box was ticked because the goal asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Slot>,
    /// The values in the query of the address that the step opens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub query: Vec<QuerySlot>,
    /// The possible effect of the step, as judged before it was taken.
    pub effect: Effect,
    /// True if the run waited for something of the page before the step.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waits: bool,
    /// True if it is not known whether the step worked when it was recorded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unclear: bool,
    /// True if the step only closed something that covered the page, such as a notice about cookies.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub closes: bool,
    /// The reason why the model must take the step itself; `None` if it can be followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<Left>,
}

/// A value in the query of an address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct QuerySlot {
    /// The name of the parameter of the address.
    pub key: String,
    /// The signs before the value, such as `~`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sign: String,
    /// The value.
    pub slot: Slot,
}

/// The reason why a step is left to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Left {
    /// Its element was chosen by what the page showed.
    Chosen,
    /// Its element was chosen by what the page showed, after values of the goal were searched for. If a page has only one such
    /// element, it can be followed.
    Found,
    /// It answered a dialog.
    Dialog,
    /// It opened an address that may belong to the goal.
    Address,
    /// Its element has no name, or is in a frame.
    Unnamed,
    /// Memory does not keep its arguments, such as a point or a file.
    Arguments,
}

impl Left {
    /// Returns the reason in words.
    pub const fn why(self) -> &'static str {
        match self {
            Self::Chosen => "choose it yourself from what the page shows",
            Self::Found => "the only result, else choose it yourself",
            Self::Dialog => "answer the dialog yourself",
            Self::Address => "open the page that fits your goal yourself",
            Self::Unnamed => "its element has no name: do it yourself",
            Self::Arguments => "do it yourself",
        }
    }
}

/// The source of a text that a step types or chooses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Given {
    /// A value that each run gives.
    Slot(Slot),
    /// A secret of the task.
    Secret(SecretName),
}

/// A value that each run gives: its name, and what is known of the recorded one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Slot {
    /// The name, made of the field's label: 1 to 24 characters of `a-z`, `0-9` and `_`. Unique in the recipe.
    pub name: String,
    /// The task's parameter that gave the value; `None` if none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter: Option<ParameterName>,
    /// The place of the value in the goal, as a range of bytes; `None` if the goal does not contain it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<(usize, usize)>,
    /// The hash of the recorded value.
    pub hash: String,
    /// The value, if two runs with different goals gave the same one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

impl Slot {
    /// Creates a slot for this recorded value.
    pub(super) fn new(name: &str, value: &str) -> Self {
        Self {
            name: name.to_owned(),
            parameter: None,
            at: None,
            hash: short_hash(value),
            default: None,
        }
    }

    /// Returns the recorded value if the goal contains exactly it.
    pub(super) fn literal<'g>(&self, goal: &'g str) -> Option<&'g str> {
        let (start, end) = self.at?;
        goal.get(start..end)
            .filter(|value| short_hash(value) == self.hash)
    }

    /// Returns the sign that stands for the value, such as `<title>` or `<quantity="1">`.
    pub(super) fn sign(&self) -> String {
        match &self.default {
            Some(value) => format!(
                "<{}={}>",
                self.name,
                serde_json::Value::from(value.as_str())
            ),
            None => format!("<{}>", self.name),
        }
    }
}

impl RecipeStep {
    /// Creates a step without targets and texts that can be taken on any page.
    pub fn new(form: BrowserAction) -> Self {
        Self {
            tool: form.tool(),
            effect: form.effect(),
            form: Some(form),
            page: None,
            heading: None,
            leads_to: None,
            targets: Vec::new(),
            text: None,
            named: None,
            item: None,
            asked: None,
            query: Vec::new(),
            waits: false,
            unclear: false,
            closes: false,
            left: None,
        }
    }

    /// Returns the slots of the step.
    pub fn slots(&self) -> impl Iterator<Item = &Slot> {
        let text = match &self.text {
            Some(Given::Slot(slot)) => Some(slot),
            _ => None,
        };
        let query = self.query.iter().map(|one| &one.slot);
        let others = [&self.named, &self.item, &self.asked].into_iter().flatten();
        text.into_iter().chain(others).chain(query)
    }

    pub(super) fn slots_mut(&mut self) -> impl Iterator<Item = &mut Slot> {
        let text = match &mut self.text {
            Some(Given::Slot(slot)) => Some(slot),
            _ => None,
        };
        let query = self.query.iter_mut().map(|one| &mut one.slot);
        let others = [&mut self.named, &mut self.item, &mut self.asked].into_iter();
        text.into_iter().chain(others.flatten()).chain(query)
    }

    /// Returns true if the step puts something into a form.
    pub(super) const fn gives(&self) -> bool {
        let is_choice = matches!(
            self.tool,
            BrowserTool::Check | BrowserTool::Uncheck | BrowserTool::Select
        );
        self.text.is_some() || is_choice
    }

    pub(super) const fn types_secret(&self) -> bool {
        matches!(self.text, Some(Given::Secret(_)))
    }

    /// Returns what two runs of one task have in common in this step.
    fn shape(&self) -> serde_json::Value {
        let names: Vec<(&str, &str)> = self
            .targets
            .iter()
            .map(|target| {
                (
                    target.role.as_str(),
                    if self.named.is_some() {
                        ""
                    } else {
                        &*target.name
                    },
                )
            })
            .collect();
        serde_json::json!([self.tool, self.form, self.page, names])
    }

    /// Drops data until the step's record is small enough. Returns false if it is still too large.
    pub(super) fn fit(&mut self) -> bool {
        let is_small = |step: &Self| {
            serde_json::to_value(step).is_ok_and(|body| body.to_string().len() <= MAX_STEP_BYTES)
        };
        if !is_small(self) {
            for target in &mut self.targets {
                target.group = None;
            }
        }
        is_small(self)
    }
}

impl Recipe {
    /// Returns the key of the recipe: recipes of the same steps with other values have the same key.
    pub fn key(&self) -> String {
        let shape: Vec<serde_json::Value> = self.steps.iter().map(RecipeStep::shape).collect();
        format!("r-{}", short_hash(canonical(&shape.into())))
    }

    /// Returns the slots of all steps, each with the position of its step.
    pub fn slots(&self) -> impl Iterator<Item = (usize, &Slot)> {
        let steps = self.steps.iter().enumerate();
        steps.flat_map(|(at, step)| step.slots().map(move |slot| (at, slot)))
    }

    /// Returns the records of the recipe under this key.
    ///
    /// # Errors
    /// `Corrupt` if the recipe cannot be written as JSON.
    pub fn to_records(&self, key: &str) -> Result<Vec<Record>> {
        let mut records = vec![self.header.to_record(key)?];
        for (step, n) in self.steps.iter().zip(0..) {
            records.push(Record::new(step_key(key, n), &json(step)?));
        }
        Ok(records)
    }

    /// Reads all recipes of a shelf, each with its key. `records` must be ordered by key. Recipes with missing or unreadable
    /// records are left out.
    pub fn all(records: &[Record]) -> Vec<(String, Self)> {
        let headers = records
            .iter()
            .filter(|record| owner(&record.key) == record.key);
        let recipes = headers.filter_map(|record| {
            let header = Header::from_record(record).ok()?;
            if !(1..=MAX_STEPS).contains(&header.steps) {
                return None;
            }
            let step = |n| {
                let key = step_key(&record.key, n);
                let at = records
                    .binary_search_by(|record| record.key.cmp(&key))
                    .ok()?;
                serde_json::from_value(records[at].body.clone()).ok()
            };
            let steps: Vec<RecipeStep> = (0..header.steps).map(step).collect::<Option<_>>()?;
            let is_in_goal = |slot: &Slot| {
                slot.at
                    .is_none_or(|(from, to)| header.goal.get(from..to).is_some())
            };
            let is_sound = steps.iter().flat_map(RecipeStep::slots).all(is_in_goal);
            is_sound.then(|| (record.key.clone(), Self { header, steps }))
        });
        recipes.collect()
    }
}

impl Header {
    /// Reads a header from its record.
    ///
    /// # Errors
    /// `Corrupt` if the record is not the header of a recipe.
    pub fn from_record(record: &Record) -> Result<Self> {
        serde_json::from_value(record.body.clone()).map_err(|error| {
            Error::new(ErrorKind::Corrupt, "recipe.read")
                .with("key", &record.key)
                .with_source(error)
        })
    }

    /// Returns the record of the header.
    ///
    /// # Errors
    /// `Corrupt` if the header cannot be written as JSON.
    pub fn to_record(&self, key: &str) -> Result<Record> {
        Ok(Record::new(key, &json(self)?))
    }

    /// Returns the goal as lists show it. While the recipe waits for review, it is not cut, because a person must see all of it to
    /// accept it.
    pub(super) fn words(&self) -> String {
        if self.imported {
            text::squeeze(&text::clean(&self.goal))
        } else {
            Advice::shown(&self.goal)
        }
    }

    /// Returns true if the last [`FAILED_IN_A_ROW`] runs that followed the recipe came to harm by it.
    pub fn is_retired(&self) -> bool {
        let results = self.results.iter().rev().map(|(_, result)| *result);
        let telling = results.filter(|result| matches!(result, Use::Helped | Use::Failed));
        telling.take_while(|result| *result == Use::Failed).count() >= FAILED_IN_A_ROW
    }

    pub(super) fn is_retired_by(&self, run: &RunId) -> bool {
        let harmed = |(last, result): &(RunId, Use)| last == run && result.is_harm();
        self.is_retired() && self.results.last().is_some_and(harmed)
    }

    /// Returns how often the recipe was shown and followed, with the results, as far as the header still keeps them.
    pub fn uses(&self) -> Uses {
        let count = |is: fn(Use) -> bool| {
            let same = self.results.iter().filter(|(_, result)| is(*result));
            same.map(|_| 1).sum()
        };
        Uses {
            shown: count(|_| true),
            used: count(Use::is_use),
            helped: count(|result| result == Use::Helped),
            harmed: count(Use::is_harm),
        }
    }

    /// Returns the number of runs that reached their goal by the recipe, and of all runs that tried.
    pub(super) fn reached(&self) -> (usize, usize) {
        let of = |result: Use| {
            self.results
                .iter()
                .filter(|(_, own)| *own == result)
                .count()
        };
        let reached = self.runs.len() + of(Use::Helped);
        (reached, reached + of(Use::Failed))
    }
}

fn json(value: &impl Serialize) -> Result<serde_json::Value> {
    serde_json::to_value(value)
        .map_err(|error| Error::new(ErrorKind::Corrupt, "recipe.write").with_source(error))
}

/// Returns the key of the recipe to which the record with this key belongs.
pub(super) fn owner(key: &str) -> &str {
    key.split_once('.').map_or(key, |(owner, _)| owner)
}

/// Returns the key of the record of step `n`. The keys sort in the order of the steps.
fn step_key(key: &str, n: usize) -> String {
    format!("{key}.{n:02}")
}

/// Returns the changes that remove a recipe.
pub(super) fn removal(records: &[Record], key: &str) -> Vec<Change> {
    let own = records.iter().filter(|record| owner(&record.key) == key);
    own.map(|record| Change::Remove(record.key.clone()))
        .collect()
}

/// Returns the changes that replace the records of a recipe by others.
pub(super) fn replacing(records: &[Record], key: &str, new: Vec<Record>) -> Vec<Change> {
    let is_gone = |change: &Change| match change {
        Change::Remove(key) => new.iter().all(|record| record.key != *key),
        Change::Put(_) => true,
    };
    let mut changes = removal(records, key);
    changes.retain(is_gone);
    changes.extend(
        new.into_iter()
            .filter(|record| !records.contains(record))
            .map(Change::Put),
    );
    changes
}
