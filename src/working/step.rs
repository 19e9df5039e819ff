//! One step of a run: the one record of an action that was tried.
//!
//! The event of an action, its line in the history, and all that memory learns from are made of this record, so none of
//! them can tell another story. It holds no resolved secret.

use serde::{Deserialize, Serialize};
use url::Url;

use crate::{
    action::{Action, Effect, Outcome, Signature},
    base::{Host, SessionId, Site},
    page::{PageDiff, PageTemplate, TargetIdentity},
};

/// Maximum number of lines in which the changes of a page are told. Source: chosen; the page itself follows.
const MAX_CHANGED: usize = 6;

/// The task of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct About {
    /// The goal, in the user's words, without secrets.
    pub goal: String,
    /// The address that the task names for the start, without secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The session that the run belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
}

impl About {
    /// A task with this goal.
    pub fn new(goal: impl Into<String>) -> Self {
        Self {
            goal: goal.into(),
            ..Self::default()
        }
    }
}

/// The one who decided a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum By {
    /// The task itself, by its start address.
    Task,
    /// The model.
    #[default]
    Model,
    /// The program that uses the browser without a model.
    Caller,
}

/// The address of a page, parsed once. In JSON it is the address alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Place {
    url: String,
    host: Option<Host>,
    site: Option<Site>,
    template: Option<PageTemplate>,
}

impl Place {
    /// The place with this address. What is no address of a host has neither host nor site.
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

    /// The address, as the page was observed; empty if no page was.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The host; `None` on a blank page.
    pub const fn host(&self) -> Option<&Host> {
        self.host.as_ref()
    }

    /// The site; `None` on a blank page.
    pub const fn site(&self) -> Option<&Site> {
        self.site.as_ref()
    }

    /// The kind of page; `None` if the address does not tell.
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

/// The answer that a step gave to the user, and what was found of its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Finished {
    /// The answer. Text of the model.
    pub answer: String,
    /// The words that the model quoted.
    pub evidence: String,
    /// True if the pages of the run have shown these words.
    pub verified: bool,
}

impl Finished {
    /// An answer with its evidence.
    pub const fn new(answer: String, evidence: String, verified: bool) -> Self {
        Self {
            answer,
            evidence,
            verified,
        }
    }
}

/// An action that was tried, with everything that is known about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Step {
    /// Number of the step, from 1.
    pub number: u32,
    /// Number of the model's reply that it comes from; 0 before the first.
    pub turn: u32,
    /// The one who decided it.
    pub by: By,
    /// The action. Typed text is a placeholder or a literal of the model.
    pub action: Action,
    /// The elements that the action was aimed at, as they were when it was decided.
    pub targets: Vec<TargetIdentity>,
    /// What the action could have done, judged before it.
    pub effect: Effect,
    /// The signature of the action.
    pub signature: Signature,
    /// The outcome.
    pub outcome: Outcome,
    /// The page before the action.
    pub before: Place,
    /// The page after it.
    pub after: Place,
    /// True if the action led to a page outside of the run's scope, which was left.
    #[serde(default)]
    pub left_scope: bool,
    /// The words around the target, if the page has other elements of that name. Page data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// The changes of the page; `None` if another page was shown, or either of the two could not be seen. Page data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<PageDiff>,
    /// Numbers of earlier failed steps whose field got, by this step, the value that they should have given it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restores: Vec<u32>,
    /// True if another field than the target lost its value by this step.
    #[serde(default)]
    pub empties: bool,
    /// The advice in the prompt that decided the step, by its position in the list of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offered: Vec<usize>,
    /// What a `finish` said; `None` for every other action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished: Option<Finished>,
    /// Duration from the decision to the verdict. Unit: milliseconds.
    pub elapsed_ms: u64,
}

impl Step {
    /// A step of the model's on no page, with nothing known about its consequences.
    pub fn new(number: u32, action: Action, outcome: Outcome, signature: Signature) -> Self {
        Self {
            number,
            turn: 0,
            by: By::default(),
            action,
            targets: Vec::new(),
            effect: Effect::Read,
            signature,
            outcome,
            before: Place::default(),
            after: Place::default(),
            left_scope: false,
            within: None,
            changes: None,
            restores: Vec::new(),
            empties: false,
            offered: Vec::new(),
            finished: None,
            elapsed_ms: 0,
        }
    }

    /// Returns true if the step moved the page to another site. Nothing is learned across that border.
    pub fn left_site(&self) -> bool {
        let (before, after) = (self.before.site(), self.after.site());
        self.left_scope || (before.is_some() && before != after)
    }

    /// The changes of the page in a few short lines of page data.
    pub fn changed(&self) -> Vec<String> {
        let changes = self.changes.as_ref();
        changes.map_or_else(Vec::new, |changes| changes.summary(MAX_CHANGED))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::{BrowserAction, Goto};

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
        step.finished = Some(Finished::new("17".into(), "Order 17".into(), true));
        let json = serde_json::to_string(&step).unwrap();
        assert_eq!(serde_json::from_str::<Step>(&json).unwrap(), step);
    }
}
