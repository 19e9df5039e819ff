//! The stored form of a run's step: the tool, the kind of page, and the data that identifies the target. Of a typed
//! text, only the source is stored, such as a value of the goal. The text itself is stored only if the goal has the
//! same value in another form.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{
    Aim, Record,
    aim::{is_choice, is_menu},
    typed::Typed,
};
use crate::{
    action::{Action, BrowserAction, BrowserTool, Effect, Key, ParameterName, TextValue},
    base::text,
    page::{Collection, Fingerprint, Locator, PageTemplate, Role, TargetIdentity},
    secret::SecretName,
    working::Step,
};

/// Maximum size of a step's record. Unit: bytes. Source: chosen; a shelf holds 20 trajectories of 50 steps of this size.
pub const MAX_STEP_BYTES: usize = 512;
/// Maximum length of the key of a step's record. Unit: bytes.
const MAX_KEY: usize = 24;
/// Maximum length of a stored locator. Unit: bytes. Source: chosen; it leaves most of a step's record for the other data.
const MAX_LOCATOR: usize = 100;

/// A step of a run as memory keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StoredStep {
    /// The tool that the step used.
    pub tool: BrowserTool,
    /// The kind of page on which the step was taken; `None` if it is not known, or if the step may be taken on any page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PageTemplate>,
    /// The kind of page to which the step led; `None` if the run stayed on the page, if the kind is not known, or if
    /// the record had no room for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leads_to: Option<PageTemplate>,
    /// The element on which the step acted; `None` if the step has no target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<StoredTarget>,
    /// The source of the text that was typed or chosen; `None` if the step typed and chose nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<StoredText>,
    /// The typed or chosen text, if the goal contains the same value in another form. For example, the goal says "14
    /// September 2024" and the text is `2024-09-14`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// The key that was pressed; `None` if the step pressed no key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Key>,
    /// True if the step pressed Enter after it had typed its text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub submit: bool,
    /// True if the step cannot be repeated because something is missing: an argument of a click, a key press or a
    /// choice, such as a second option in a list, or a [`form`](Self::form) that had no room. Steps of tools that are
    /// never repeated, such as `drag`, may have lost arguments although this is false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// The hash of the words of the page that said what the step was for. The step is repeated only on a page with the
    /// same hash. `None` if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<Fingerprint>,
    /// The possible effect of the step, as judged before it was taken.
    pub effect: Effect,
    /// True if the outcome of the step was [`Done`](crate::action::Outcome::Done). Usually the page then showed an
    /// effect, but some steps need not have a visible one.
    pub verified: bool,
}

/// The element on which a stored step acted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StoredTarget {
    /// The role of the target.
    pub role: Role,
    /// The data by which the target is recognised. `None` if its name is a value of the goal or repeats a typed text,
    /// if it was chosen from a list and its name has words that are not in the goal, or if it is in a frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aim: Option<Aim>,
    /// The position of the target's name among the values of the recorded goal, counted from 0; `None` if the name is not
    /// such a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<usize>,
    /// The role of the landmark around the target. A landmark is a region of a page, such as the navigation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landmark: Option<Role>,
    /// The target's position among similar siblings, such as the third of 24 search results; `None` if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collection: Option<Collection>,
    /// A locator that can find the target on a later page load; `None` if the driver gave none. It is also not kept if
    /// it is too long, if it may contain a value of the run, if `aim` is `None`, or if the target was chosen from a
    /// list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locator: Option<Locator>,
    #[serde(skip)]
    pub(super) for_goal: ForGoal,
}

/// The target that a later run with another goal needs for the step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ForGoal {
    #[default]
    Same,
    /// The later run needs the recorded target or another element of the same list.
    SameOrOther,
    /// The later run needs another target. The recorded name contained a value of the earlier goal and was removed.
    Other,
}

/// The source of a text that a step typed or chose. The step keeps the text itself, if at all, in [`StoredStep::form`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StoredText {
    /// The text is a value of the goal. The number is its position among the goal's values, counted from 0.
    Slot(usize),
    /// The text is the value of the task's parameter with this name.
    Parameter(ParameterName),
    /// The text is the task's secret with this name.
    Secret(SecretName),
    /// The text is not in the goal, and is neither a parameter nor a secret.
    Other {
        /// The length of the text. Unit: characters.
        chars: usize,
    },
}

impl StoredStep {
    /// Creates a step that has no target and can be taken on any page.
    pub const fn new(tool: BrowserTool) -> Self {
        Self {
            tool,
            page: None,
            leads_to: None,
            target: None,
            text: None,
            form: None,
            key: None,
            submit: false,
            partial: false,
            purpose: None,
            effect: tool.effect(),
            verified: true,
        }
    }

    /// Sets the kind of page on which the step is taken.
    #[must_use]
    pub fn on_page(self, page: PageTemplate) -> Self {
        let page = Some(page);
        Self { page, ..self }
    }

    /// Sets the kind of page to which the step leads. If a pattern begins with a step that opens an address, that step
    /// must have it.
    #[must_use]
    pub fn leading_to(self, page: PageTemplate) -> Self {
        let leads_to = Some(page);
        Self { leads_to, ..self }
    }

    /// Sets the target to the element with this role and name.
    #[must_use]
    pub fn with_target(self, role: Role, name: &str) -> Self {
        let target = Some(StoredTarget::of(&TargetIdentity::new(role, name)));
        Self { target, ..self }
    }

    /// Sets the source of the text that the step types or chooses.
    #[must_use]
    pub fn with_text(self, text: StoredText) -> Self {
        let text = Some(text);
        Self { text, ..self }
    }

    /// Sets the key to press.
    #[must_use]
    pub fn with_key(self, key: Key) -> Self {
        let key = Some(key);
        Self { key, ..self }
    }

    /// Makes the step press Enter after it has typed its text.
    #[must_use]
    pub fn with_submit(self) -> Self {
        Self {
            submit: true,
            ..self
        }
    }

    /// Returns the stored form of a run's step; `None` if it is no browser action. The stored form still contains all names
    /// until [`hide`](Self::hide) removes those that are values of the run.
    pub(super) fn of(step: &Step) -> Option<Self> {
        let Action::Browser(action) = &step.action else {
            return None;
        };
        let (before, after) = (step.before.template(), step.after.template());
        let moved = before != after || step.before.url() != step.after.url();
        let chars = |text: &str| StoredText::Other {
            chars: text.chars().count(),
        };
        let given = |text: &TextValue| match text {
            TextValue::Literal(text) => chars(text),
            TextValue::Parameter(name) => StoredText::Parameter(name.clone()),
            TextValue::Secret(name) => StoredText::Secret(name.clone()),
        };
        let (key, submit) = match action {
            BrowserAction::Press(press) => (Some(press.key.clone()), false),
            BrowserAction::Fill(fill) => (None, fill.submit),
            BrowserAction::Type(typed) => (None, typed.submit),
            _ => (None, false),
        };
        let partial = match action {
            BrowserAction::Click(click) | BrowserAction::Dblclick(click) => click.button.is_some(),
            BrowserAction::Press(press) => press.times.is_some(),
            _ => action.texts().len() > 1,
        };
        let mut stored = Self {
            tool: action.tool(),
            page: before.cloned(),
            leads_to: after.filter(|_| moved).cloned(),
            target: step.targets.first().map(StoredTarget::of),
            text: action.texts().first().map(|text| given(text)),
            form: None,
            key,
            submit,
            partial,
            purpose: step.purpose,
            effect: step.effect,
            verified: step.outcome.is_done(),
        };
        stored.put_in_group(step.within.as_deref());
        Some(stored)
    }

    /// Stores the name of the group around the target, unless the target already has a group. An item of a list gets no
    /// group, because another run may choose another item. But a menu item gets one, and so does a field that the step
    /// fills in.
    fn put_in_group(&mut self, group: Option<&str>) {
        let is_of_form = self.writes();
        let Some(target) = &mut self.target else {
            return;
        };
        let is_item = target.collection.is_some() && !is_menu(target.landmark.as_ref());
        if let (Some(aim), true) = (&mut target.aim, is_of_form || !is_item) {
            let group = group.and_then(Aim::group);
            aim.within = aim.within.take().or(group);
        }
    }

    /// Removes the name of the target if it is a value of the run: if it is a value of the goal or repeats typed text,
    /// or if the target was chosen from a list and not all words of its name are in the goal. Also removes the name of
    /// a group if it repeats typed text or at least half of its words are in the goal. Removes the locator if it
    /// repeats typed text, if the target was chosen from a list, or if the target's name is gone.
    pub(super) fn hide(&mut self, typed: &Typed, goal: &str) {
        let Some(target) = &mut self.target else {
            return;
        };
        let says = |aim: &Aim| typed.is_in(&aim.name);
        let goal: BTreeSet<String> = text::words(goal).into_iter().collect();
        let is_of_goal = |aim: &Aim| share_in(&aim.name, &goal) == Share::All;
        let is_value = target.is_choice() && !target.aim.as_ref().is_some_and(is_of_goal);
        if target.slot.is_some() || is_value || target.aim.as_ref().is_some_and(says) {
            target.aim = None;
        }
        if target.is_choice() || target.aim.is_none() {
            target.locator = None;
        }
        if let Some(aim) = &mut target.aim {
            let of_run = |group: &String| typed.is_in(group) || half_is_in(group, &goal);
            aim.within = aim.within.take().filter(|group| !of_run(group));
        }
        let locator = target.locator.take();
        target.locator = locator.filter(|locator| !typed.is_in(&locator.to_string()));
    }

    pub(super) fn is_small(&self) -> bool {
        serde_json::to_value(self)
            .is_ok_and(|body| Record::new("", &body).size() <= MAX_STEP_BYTES - MAX_KEY)
    }

    /// Drops data until the step's record is small enough: first the locator, then the form of the text, the page to which
    /// the step led, and the page on which it was taken.
    pub(super) fn fit(&mut self) {
        if !self.is_small()
            && let Some(target) = &mut self.target
        {
            target.locator = None;
        }
        if !self.is_small() && self.form.take().is_some() {
            // Without the form, the value in the goal would be typed as it is, so the step must not be repeated.
            self.partial = true;
        }
        if !self.is_small() {
            self.leads_to = None;
        }
        if !self.is_small() {
            self.page = None;
        }
    }

    /// Returns the slots of the step: positions in the list of the goal's values.
    pub(super) fn slots(&self) -> impl Iterator<Item = usize> + use<> {
        let text = match self.text {
            Some(StoredText::Slot(slot)) => Some(slot),
            _ => None,
        };
        let name = self.target.as_ref().and_then(|target| target.slot);
        text.into_iter().chain(name)
    }

    /// Returns true if `taken`, a step of a run, counts as this step. All of the following must be true:
    ///
    /// - Both tools have the same effect on a target.
    /// - Both steps have a target, or none has.
    /// - Two targets have the same name and are not in different groups. If a name is not kept, the roles are compared
    ///   instead.
    /// - Two steps without a target have the same key and lead to the same kind of page. If this step opens an address and
    ///   its `leads_to` is `None`, `taken` may lead to any page.
    pub(super) fn is_same(&self, taken: &Self) -> bool {
        is_alike(self.tool, taken.tool)
            && match (&self.target, &taken.target) {
                (Some(of), Some(target)) => match (&of.aim, &target.aim) {
                    (Some(of), Some(aim)) => {
                        let is_elsewhere =
                            of.within.is_some() && aim.within.is_some() && of.within != aim.within;
                        of.is_called(aim) && !is_elsewhere
                    }
                    _ => of.role == target.role,
                },
                (None, None) => {
                    let is_any = self.tool == BrowserTool::Goto && self.leads_to.is_none();
                    (is_any || self.leads_to == taken.leads_to) && self.key == taken.key
                }
                _ => false,
            }
    }

    /// Returns true if the step clicked a link of a list, and the click only changed the view of the page, such as its
    /// filter or sort order. Another run may have to choose another link.
    pub(super) fn chooses_view(&self) -> bool {
        let is_listed = |of: &StoredTarget| of.collection.is_some() && of.role == Role::Link;
        self.tool == BrowserTool::Click
            && self.target.as_ref().is_some_and(is_listed)
            && self.leads_to.is_some()
            && self.leads_to == self.page
    }

    /// Returns true if this step and `taken`, a step of another run, clicked two links of the same list that choose
    /// different views. This step must belong to a trajectory that was adapted to another goal; otherwise the result is
    /// false.
    pub(super) fn is_other_choice(&self, taken: &Self) -> bool {
        let (Some(own), Some(other)) = (&self.target, &taken.target) else {
            return false;
        };
        let list = |of: &StoredTarget| (of.landmark.clone(), of.collection.map(|list| list.size));
        let group = |of: &StoredTarget| of.aim.as_ref().and_then(|aim| aim.within.clone());
        let is_elsewhere =
            matches!((group(own), group(other)), (Some(one), Some(two)) if one != two);
        own.for_goal == ForGoal::SameOrOther
            && taken.chooses_view()
            && self.page == taken.page
            && list(own) == list(other)
            && !is_elsewhere
            && !self.is_same(taken)
    }

    /// Returns true if the step opened another page, or the same page with other content. A value in a field may change the
    /// address without opening a page.
    pub(super) fn opens_page(&self) -> bool {
        self.leads_to.is_some() && (self.leads_to != self.page || !self.writes() || self.submit)
    }

    pub(super) const fn writes(&self) -> bool {
        use BrowserTool as T;
        matches!(
            self.tool,
            T::Fill | T::Type | T::Select | T::Check | T::Uncheck
        )
    }
}

impl StoredTarget {
    fn of(identity: &TargetIdentity) -> Self {
        let is_framed = !identity.frames.is_empty();
        let locator = identity.locator.clone();
        Self {
            role: identity.role.clone(),
            // A frame may belong to another site, so its names are not kept.
            aim: (!is_framed).then(|| aim(identity)),
            slot: None,
            landmark: identity.landmark.clone(),
            collection: identity.collection,
            locator: locator
                .filter(|locator| !is_framed && locator.to_string().len() <= MAX_LOCATOR),
            for_goal: ForGoal::Same,
        }
    }

    pub(super) fn is_choice(&self) -> bool {
        is_choice(&self.role, self.landmark.as_ref(), self.collection)
    }
}

/// Returns true if the name has words and at least half of them are in `words`.
pub(super) fn half_is_in(name: &str, words: &BTreeSet<String>) -> bool {
    let own = text::words(name);
    let among = own.iter().filter(|word| words.contains(*word)).count();
    among > 0 && 2 * among >= own.len()
}

/// The share of a name's words that are in a given set of words: all, at least half, or less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Share {
    Less,
    Half,
    All,
}

/// Returns the share of a name's words that are in `words`, ignoring a plural `s`. For a name without words, returns
/// [`Share::Less`].
pub(super) fn share_in(name: &str, words: &BTreeSet<String>) -> Share {
    let singular = |word: &String| match word.strip_suffix('s') {
        Some(one) if one.len() > 2 => one.to_owned(),
        _ => word.clone(),
    };
    let words: BTreeSet<String> = words.iter().map(singular).collect();
    let own = text::words(name);
    match own
        .iter()
        .filter(|word| words.contains(&singular(word)))
        .count()
    {
        0 => Share::Less,
        all if all == own.len() => Share::All,
        half if 2 * half >= own.len() => Share::Half,
        _ => Share::Less,
    }
}

/// Returns the data that identifies a target, including the nearest group around the target if the target has no name.
fn aim(identity: &TargetIdentity) -> Aim {
    let aim = Aim::of(identity);
    let is_nameless = aim.name.is_empty();
    let within = Aim::groups(identity).into_iter().next();
    Aim {
        within: within.filter(|_| is_nameless),
        ..aim
    }
}

/// Returns true if the tools are equal, or if both write text into the target.
fn is_alike(one: BrowserTool, other: BrowserTool) -> bool {
    use BrowserTool as T;
    let writes = |tool| matches!(tool, T::Fill | T::Type);
    one == other || (writes(one) && writes(other))
}
