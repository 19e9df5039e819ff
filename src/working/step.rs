//! The record of one step of a run: an action that was attempted, and its consequences.
//!
//! The event of an action, its line in the history and everything that memory learns from it are derived from this
//! record, so they cannot contradict each other. It contains placeholders of secrets, never their values.

use serde::{Deserialize, Serialize};
use url::Url;

use crate::{
    action::{Action, BrowserAction, Effect, ErrorClass, Outcome, Signature},
    base::{Host, RunId, SessionId, Site},
    page::{PageAddress, PageDiff, PageTemplate, TargetIdentity},
};

/// Maximum number of lines that [`Step::changed`] returns; twice as many are allowed if the changes of elements that
/// can be acted on need more lines. Source: chosen; a few lines are enough, because the prompt also shows the page
/// itself.
const MAX_CHANGED: usize = 6;

/// The task of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct About {
    /// The goal, in the user's words, without secrets.
    pub goal: String,
    /// The start address that the task gives, without secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The session that the run belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// The earlier run that this one continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<RunId>,
}

impl About {
    /// Creates a task with this goal.
    pub fn new(goal: impl Into<String>) -> Self {
        Self {
            goal: goal.into(),
            ..Self::default()
        }
    }
}

/// The party that decided to take a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum By {
    /// The task: the step opens the start address that the task gives, or the page at which a resumed run was
    /// interrupted.
    Task,
    /// The model.
    #[default]
    Model,
    /// The calling program, which uses the browser without a model.
    Caller,
    /// Memory: the step was recorded in a recipe, and this run follows it.
    Recipe {
        /// The number of the step in the recipe, from 1.
        step: usize,
        /// The party that decided to follow the recipe.
        chosen: Chosen,
        /// True if the page did not change as it did when the step was recorded.
        astray: bool,
    },
}

impl By {
    /// Returns true if the run follows a recipe of memory.
    pub const fn is_recipe(self) -> bool {
        matches!(self, Self::Recipe { .. })
    }
}

/// The party that decided to follow a recipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Chosen {
    /// The model, with the tool `follow`.
    Model,
    /// The task: its goal is the recorded one, word for word.
    Task,
}

/// The address of a page, with the host, site and page template that follow from it. Only the address is serialized.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Place {
    url: String,
    host: Option<Host>,
    site: Option<Site>,
    template: Option<PageTemplate>,
}

impl Place {
    /// Creates the place with this address. If the address is not an http or https URL, its host, site and template are
    /// `None`.
    pub fn of(url: impl Into<String>) -> Self {
        let url = url.into();
        let parsed = Url::parse(&url).ok();
        Self {
            host: parsed.as_ref().and_then(|url| Host::of(url).ok()),
            site: parsed.as_ref().and_then(|url| Site::of(url).ok()),
            template: parsed.as_ref().and_then(|url| PageTemplate::of(url).ok()),
            url,
        }
    }

    /// Returns the address at which the page was observed; empty if no page was observed.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the host; `None` if the address is not an http or https URL, as on a blank page.
    pub const fn host(&self) -> Option<&Host> {
        self.host.as_ref()
    }

    /// Returns the site; `None` if the address is not an http or https URL, as on a blank page.
    pub const fn site(&self) -> Option<&Site> {
        self.site.as_ref()
    }

    /// Returns the page template, which represents all pages of the same kind; `None` if the address has no host.
    pub const fn template(&self) -> Option<&PageTemplate> {
        self.template.as_ref()
    }
}

impl From<String> for Place {
    fn from(url: String) -> Self {
        Self::of(url)
    }
}

impl From<Place> for String {
    fn from(place: Place) -> Self {
        place.url
    }
}

/// The result of a `finish` step: the answer, the words that the model quoted as evidence, and the results of checking
/// the evidence and the claims in the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Finished {
    /// The answer, in the model's words.
    pub answer: String,
    /// The words that the model quoted from a page as evidence.
    pub evidence: String,
    /// True if the words of `evidence` were found on the page of the `finish`, or in a text that the run read earlier
    /// from a page or a tool.
    pub verified: bool,
    /// Claims of the answer that are not proven by the evidence, the pages of the run or the results of its tools.
    /// Empty if the model reported failure, because then the claims are not checked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unverified: Vec<String>,
}

impl Finished {
    /// Creates the result of a `finish` step from the answer and the evidence. For `verified`, see
    /// [`verified`](Self::verified).
    pub const fn new(answer: String, evidence: String, verified: bool) -> Self {
        Self {
            answer,
            evidence,
            verified,
            unverified: Vec::new(),
        }
    }

    /// Sets the claims of the answer that are not proven: see [`unverified`](Self::unverified).
    #[must_use]
    pub fn with_unverified(self, unverified: Vec<String>) -> Self {
        Self { unverified, ..self }
    }
}

/// An action that was attempted, with everything that is known about the attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about a step, each asked on its own"
)]
pub struct Step {
    /// Number of the step, from 1. Numbers grow, but some are missing: a step of the run without an action, such as a
    /// reply without a usable call, has a number but no record.
    pub number: u32,
    /// Number of model calls before the step. For a step that the model decided, the last of them returned the action;
    /// 0 for a step before the first reply.
    pub turn: u32,
    /// The party that decided to take the step.
    pub by: By,
    /// The action. Text to type is a placeholder or the model's own words.
    pub action: Action,
    /// The target elements of the action, as they were when the action was decided.
    pub targets: Vec<TargetIdentity>,
    /// The points in the window's picture that the model chose, in the order in which the pointer gets there. Empty unless
    /// they were replaced in `action` by points of an element. Unit: CSS pixels of the window.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub picked: Vec<(u32, u32)>,
    /// The possible effect of the action, judged before it was executed.
    pub effect: Effect,
    /// The signature of the action, by which repetitions are recognised.
    pub signature: Signature,
    /// The outcome of the action.
    pub outcome: Outcome,
    /// The page before the action.
    pub before: Place,
    /// The page after the action.
    pub after: Place,
    /// The title of the page after the action. The page wrote this text, so it is untrusted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// A summary of the page after the action, if the step led to another page: its type, headings and numbers of
    /// elements, as in [`PageView::summary`](crate::page::PageView::summary). It quotes the page, so it is untrusted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// True if nobody saw what came of the action, because the run or its process ended, or the caller dropped the step,
    /// while the action was carried out. It may have been done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unseen: bool,
    /// True if the action led to a page outside the run's scope and that page was left again.
    #[serde(default)]
    pub left_scope: bool,
    /// True if the step brought a new document at the same address as before: the page was loaded again, or it has
    /// replaced all of its elements.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reloaded: bool,
    /// The words around the target, if the page has other elements with the same name. The page wrote this text, so it
    /// is untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// The words of the table row or card around the target, one text for each of its parts. The page wrote these texts, so they
    /// are untrusted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub item: Vec<String>,
    /// The main heading of the page before the action; empty if it has none. The page wrote this text, so it is untrusted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub heading: String,
    /// The changes of the page; `None` if the step led to another page, if one of the two pages could not be observed,
    /// or if the action was refused or is not one of the browser. The page wrote the texts in the changes, so they are
    /// untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<PageDiff>,
    /// True if the target could not be found by its name. It was then found among the elements that earlier runs used
    /// on the host.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub healed: bool,
    /// Numbers of earlier failed steps whose purpose this step achieved: the field now has the value that those steps
    /// should have set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restores: Vec<u32>,
    /// True if this step emptied a field other than its target.
    #[serde(default)]
    pub empties: bool,
    /// The advice in the prompt for this step, as positions in the run's list of shown advice (`RunLog::offered`). For
    /// a step from memory, only the item that it was taken from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offered: Vec<usize>,
    /// The reasoning of the model, or the text in its reply beside the calls. Only the first step of a reply has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought: Option<String>,
    /// The text that the action returned, for example from `extract`, `eval` or a tool of the embedding program; of an action that
    /// led to another page, the first alert or status message there. A page may have written this text, so it is untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gave: Option<String>,
    /// The text that prompts show in place of `gave`. A model has shortened it, or a checkpoint became too large and
    /// kept only this text (then `gave` is `None`). `None` if there is no such text. Always `None` for a text that a
    /// model shortened after `extract`: see [`Extraction::short`](super::Extraction::short).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short: Option<String>,
    /// The result of a `finish` action; `None` for every other action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished: Option<Finished>,
    /// Time from the start of the step's action until its outcome was determined, without the time that a person took
    /// to approve it. Unit: milliseconds.
    pub elapsed_ms: u64,
}

impl Step {
    /// Creates a step that the model decided. The effect is [`Effect::Read`]. The fields for which there is no argument
    /// are empty, 0 or false.
    pub fn new(number: u32, action: Action, outcome: Outcome, signature: Signature) -> Self {
        Self {
            number,
            turn: 0,
            by: By::default(),
            action,
            targets: Vec::new(),
            picked: Vec::new(),
            effect: Effect::Read,
            signature,
            outcome,
            before: Place::default(),
            after: Place::default(),
            title: String::new(),
            summary: String::new(),
            unseen: false,
            left_scope: false,
            reloaded: false,
            within: None,
            item: Vec::new(),
            heading: String::new(),
            changes: None,
            healed: false,
            restores: Vec::new(),
            empties: false,
            offered: Vec::new(),
            thought: None,
            gave: None,
            short: None,
            finished: None,
            elapsed_ms: 0,
        }
    }

    /// Returns true if the step led from one site to another or to a page that belongs to no site. Also returns true if
    /// the step led to a page outside the run's scope. Memory learns nothing across such a step.
    pub fn left_site(&self) -> bool {
        let (before, after) = (self.before.site(), self.after.site());
        self.left_scope || (before.is_some() && before != after)
    }

    /// Returns the page that the step led to. Returns `None` if the address is unchanged or unknown, or if the action
    /// failed. Also returns `None` if the new page was outside the run's scope and was left again.
    pub fn led_to(&self) -> Option<&Place> {
        let is_other = !self.after.url().is_empty() && self.after.url() != self.before.url();
        let was_kept = !self.left_scope && !matches!(self.outcome, Outcome::Failed(_));
        (is_other && was_kept).then_some(&self.after)
    }

    /// Returns true if the step opened a page: another address is shown, and the elements of the page before did not live on; or the
    /// same address with another document.
    pub(crate) fn opened(&self) -> bool {
        let [before, after] =
            [&self.before, &self.after].map(|place| PageAddress::new(place.url()));
        let lives_on = self.changes.as_ref().is_some_and(|found| !found.navigated);
        self.reloaded || !lives_on && !before.is_same_page(&after)
    }

    /// Returns the text that `eval`, `run_code` or a tool of the embedding program returned. If the text was shortened
    /// for prompts, returns the shortened text.
    ///
    /// Returns `None` for other actions. An extracted text is kept under its name instead, and the text of a list, such
    /// as the list of tabs, is soon out of date.
    pub fn result(&self) -> Option<&str> {
        let is_kept = matches!(
            self.action,
            Action::Custom(_) | Action::Browser(BrowserAction::Eval(_) | BrowserAction::RunCode(_))
        );
        let text = self.short.as_deref().or(self.gave.as_deref());
        text.filter(|_| is_kept)
    }

    /// Returns the changes of the page as a few short lines. The page wrote the texts in them, so they are untrusted.
    pub fn changed(&self) -> Vec<String> {
        let changes = self.changes.as_ref();
        changes.map_or_else(Vec::new, |changes| changes.summary(MAX_CHANGED))
    }
}

/// Returns the step whose action was not approved, if no later action was carried out; otherwise `None`. Actions of the
/// agent loop itself, such as a question to a person, are ignored.
pub(crate) fn refused_last(steps: &[Step]) -> Option<&Step> {
    let is_refused = |step: &Step| step.outcome.class() == Some(ErrorClass::Rejected);
    let acts = |step: &&Step| !matches!(step.action, Action::Agent(_));
    let mut last = steps.iter().rev().filter(acts);
    let last = last.find(|step| !matches!(step.outcome, Outcome::Failed(_)) || is_refused(step));
    last.filter(|step| is_refused(step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Goto;

    fn step(before: &str, after: &str) -> Step {
        let url = after.to_owned();
        let action = Action::Browser(BrowserAction::Goto(Goto { url }));
        let signature = Signature::of(&action, &[], before);
        let mut step = Step::new(3, action, Outcome::NoEffect, signature);
        (step.before, step.after) = (Place::of(before), Place::of(after));
        step
    }

    #[test]
    fn a_place_knows_host_site_and_template_and_is_written_as_its_address() {
        let place = Place::of("https://www.shop.example/order/17?x=1");
        assert_eq!(place.host().unwrap().to_string(), "www.shop.example");
        assert_eq!(place.site().unwrap().to_string(), "shop.example");
        assert!(place.template().is_some());
        let json = serde_json::to_value(&place).unwrap();
        assert_eq!(json, "https://www.shop.example/order/17?x=1");
        assert_eq!(serde_json::from_value::<Place>(json).unwrap(), place);
        for blank in ["", "about:blank", "no address"] {
            let place = Place::of(blank);
            assert_eq!(
                (place.host(), place.site(), place.url()),
                (None, None, blank)
            );
        }
    }

    #[test]
    fn a_step_leaves_its_site_by_another_site_or_a_page_out_of_scope() {
        let on = "https://a.example/";
        assert!(!step(on, "https://www.a.example/x").left_site());
        assert!(step(on, "https://b.example/").left_site());
        assert!(step(on, "").left_site());
        assert!(!step("", on).left_site());
        let mut back = step(on, on);
        back.left_scope = true;
        assert!(back.left_site());
    }

    #[test]
    fn a_step_is_read_as_it_was_written() {
        let mut step = step("https://a.example/", "https://a.example/b");
        step.offered = vec![0, 4];
        step.thought = Some("The order is on this page.".into());
        step.gave = Some("Order 17".into());
        step.short = Some("17".into());
        step.finished = Some(Finished::new("17".into(), "Order 17".into(), true));
        let json = serde_json::to_string(&step).unwrap();
        assert_eq!(serde_json::from_str::<Step>(&json).unwrap(), step);
    }
}
