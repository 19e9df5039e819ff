//! Approval: finds the worst effect that an action can have, and decides whether a person must approve the action.
//!
//! The label of an element says what a click on it does, so labels are searched for words for paying, sending or
//! deleting (`words.rs`). Such words can only make the effect worse than that of the action's tool
//! ([`BrowserTool::effect`]), never milder. This module cannot detect a page that lies about its buttons.
//!
//! [`BrowserTool::effect`]: crate::action::BrowserTool::effect

mod label;
mod words;

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use self::label::{Breadth, Label};
use crate::{
    action::{BrowserAction, Effect, Fill, Key, Press, Target, Type},
    base::{Error, ErrorKind, Result},
    page::{LOGIN, LocatorStep, Role, TargetIdentity},
};

/// A rule that says which actions a person must approve.
///
/// In every mode, a person must also approve the next irreversible action of a resumed run if it is not known whether
/// such an action was carried out before. See [`ApprovalRequest::doubt`](crate::agent::ApprovalRequest::doubt).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalMode {
    /// A person must approve all actions except reads.
    Safe,
    /// A person must approve irreversible actions.
    #[default]
    Hybrid,
    /// A person need not approve any action.
    Auto,
}

impl ApprovalMode {
    /// Returns the name of the mode, as it is written in options and files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Hybrid => "hybrid",
            Self::Auto => "auto",
        }
    }

    /// Returns a phrase for the system instruction that names the actions which are refused if nobody can approve them.
    /// Returns `None` for [`Auto`](Self::Auto), which refuses none.
    pub const fn refused_unasked(self) -> Option<&'static str> {
        match self {
            Self::Safe => Some("whatever changes a page"),
            Self::Hybrid => Some("whatever cannot be undone, such as sending, deleting or paying,"),
            Self::Auto => None,
        }
    }
}

impl fmt::Display for ApprovalMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ApprovalMode {
    type Err = Error;

    /// Returns the mode with this name.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the text is not `safe`, `hybrid` or `auto`.
    fn from_str(text: &str) -> Result<Self> {
        [Self::Safe, Self::Hybrid, Self::Auto]
            .into_iter()
            .find(|mode| mode.as_str() == text)
            .ok_or_else(|| {
                Error::new(ErrorKind::InvalidInput, "approval_mode.parse")
                    .with("expected", "safe, hybrid or auto")
            })
    }
}

/// Returns true if a person must approve an action with this effect.
pub const fn needs_approval(mode: ApprovalMode, effect: Effect) -> bool {
    match mode {
        ApprovalMode::Safe => !matches!(effect, Effect::Read),
        ApprovalMode::Hybrid => matches!(effect, Effect::Irreversible),
        ApprovalMode::Auto => false,
    }
}

/// The kinds of page that approval distinguishes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PageKind {
    /// A login page. Submitting its form logs in.
    Login,
    /// A search page or a page of search results. Submitting its form searches.
    Search,
    /// A cart or checkout. Submitting its form may make a purchase.
    Checkout,
    /// Anything else.
    #[default]
    Other,
}

/// The page on which an action takes place.
///
/// The page wrote all texts in this struct, so they are untrusted. They are only searched for words that show the
/// effect of the action.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageContext<'a> {
    /// The kind of the page.
    pub kind: PageKind,
    /// True if a secret was typed into a field of this page.
    pub has_typed_secret: bool,
    /// Address of the link that the action acts on; `None` if there is no such link.
    pub link: Option<&'a str>,
    /// Name of the button that the Enter key would press, if known.
    pub submit: Option<&'a str>,
    /// The message of the dialog that blocks the page, if any.
    pub dialog: Option<&'a str>,
    /// The main heading or title of the page.
    pub heading: Option<&'a str>,
}

/// Returns the worst effect that an action can have: the usual effect of its tool, or a worse one if words of the
/// target or of the page, a typed secret or the key Delete indicate it.
///
/// `target` is the element that the action acts on. For a key, it is the element with the focus. For `drag`, it is the
/// element where the drag ends. For `drag_by` and `drag_xy`, it is the target in their arguments.
///
/// A link to another page may mention paying, sending or deleting without doing it, as "Order history" does. So a
/// phrase for such an act counts only if it is the whole text of the link. A link such as "Yes" or "Continue" also
/// counts if the page asks whether to do such an act.
///
/// ```
/// use webwise::{
///     action::{BrowserAction, Click, Effect, Target},
///     guard::{PageContext, classify},
///     page::{Role, TargetIdentity},
/// };
///
/// let click = BrowserAction::Click(Click { target: Target::parse("e7")?, button: None });
/// let on = |role, name: &str| classify(&click, Some(&TargetIdentity::new(role, name)), &PageContext::default());
/// assert_eq!(on(Role::Button, "Place your order"), Effect::Irreversible);
/// assert_eq!(on(Role::Button, "Add to cart"), Effect::Reversible);
/// assert_eq!(on(Role::Link, "Order history"), Effect::Reversible);
/// # Ok::<(), webwise::Error>(())
/// ```
pub fn classify(
    action: &BrowserAction,
    target: Option<&TargetIdentity>,
    page: &PageContext<'_>,
) -> Effect {
    let types_secret = action.texts().iter().any(|text| text.secret().is_some());
    let is_worse = match action {
        BrowserAction::Click(_)
        | BrowserAction::Dblclick(_)
        | BrowserAction::ClickAt(_)
        | BrowserAction::ClickXy(_)
        | BrowserAction::DragBy(_)
        | BrowserAction::DragXy(_)
        | BrowserAction::Drag(_) => clicks(action, target, page),
        BrowserAction::Press(Press { key, .. }) => presses(key, action, target, page),
        BrowserAction::Fill(Fill { submit: true, .. })
        | BrowserAction::Type(Type { submit: true, .. }) => submits(page, types_secret),
        BrowserAction::DialogAccept(_) => page
            .dialog
            .is_some_and(|message| Label::new(message).is_grave(Breadth::Any)),
        _ => false,
    };
    let found = if is_worse {
        Effect::Irreversible
    } else {
        Effect::Read
    };
    action.effect().max(found)
}

/// Returns true if the click cannot be undone.
fn clicks(action: &BrowserAction, target: Option<&TargetIdentity>, page: &PageContext<'_>) -> bool {
    let (role, label) = match target {
        Some(target) => (target.role.clone(), Label::new(name_of(target))),
        None => named_by_locator(action),
    };
    let breadth = match role {
        // These elements only make a choice; another element submits it.
        Role::Checkbox
        | Role::Radio
        | Role::Switch
        | Role::Tab
        | Role::Option
        | Role::MenuItemCheckbox
        | Role::MenuItemRadio
        | Role::ListBox
        | Role::Slider => return false,
        ref role if role.is_editable() => return false,
        Role::Link if page.link.is_some_and(is_address) => Breadth::Whole,
        Role::Button | Role::Link | Role::MenuItem => Breadth::Any,
        // Other clickable content, such as a row or card. Its text may quote other people.
        _ => Breadth::Short,
    };
    let is_on_form = matches!(page.kind, PageKind::Login | PageKind::Search);
    if label.is_grave(breadth) || label.sells(breadth) || (!is_on_form && label.sends(breadth)) {
        return true;
    }
    let ancestors = target
        .map(|target| target.ancestors.as_slice())
        .unwrap_or_default();
    let asked: Vec<Label> = ancestors
        .iter()
        .map(String::as_str)
        .chain(page.dialog)
        .map(Label::new)
        .collect();
    let is_asked = |label: &Label| label.is_grave(Breadth::Any) || label.sends(Breadth::Any);
    if label.goes_on() && asked.iter().any(is_asked) {
        return true;
    }
    if label.agrees()
        && (page.kind == PageKind::Checkout
            || page.heading.map(Label::new).is_some_and(|h| is_asked(&h)))
    {
        return true;
    }
    let logs_in = || {
        let name = target.map(name_of).unwrap_or_default();
        page.kind == PageKind::Login || LOGIN.are_all_of(&name)
    };
    role == Role::Button && page.has_typed_secret && !logs_in() && !label.is_harmless()
}

/// Returns true if pressing the key cannot be undone.
fn presses(
    key: &Key,
    action: &BrowserAction,
    target: Option<&TargetIdentity>,
    page: &PageContext<'_>,
) -> bool {
    let focus = target.filter(|target| !target.role.is_editable());
    match key.last() {
        "Enter" => focus.map_or_else(
            || submits(page, false),
            |focus| clicks(action, Some(focus), page),
        ),
        "Space" => focus.is_some_and(|focus| clicks(action, Some(focus), page)),
        // In a list this key deletes the selected items; in a field only a character.
        "Delete" => focus.is_some(),
        _ => false,
    }
}

/// Returns true if submitting the form of this page cannot be undone.
fn submits(page: &PageContext<'_>, types_secret: bool) -> bool {
    if page.kind == PageKind::Login {
        return false;
    }
    let button = page.submit.map(Label::new);
    let is_grave = button.as_ref().is_some_and(|label| {
        label.is_grave(Breadth::Any)
            || label.sells(Breadth::Any)
            || (page.kind != PageKind::Search && label.sends(Breadth::Any))
    });
    let may_buy = page.kind == PageKind::Checkout && button.as_ref().is_none_or(Label::agrees);
    // A page with a login form beside other content is not a login page, but its button can still log in.
    let logs_in = page.submit.is_some_and(|button| LOGIN.are_all_of(button));
    is_grave || may_buy || (!logs_in && (types_secret || page.has_typed_secret))
}

/// Returns the name of an element, else its label, else the values of its attributes.
fn name_of(target: &TargetIdentity) -> String {
    let label = target.label.as_deref().unwrap_or_default();
    if !target.name.trim().is_empty() {
        target.name.clone()
    } else if !label.trim().is_empty() {
        label.to_owned()
    } else {
        target
            .attributes
            .iter()
            .map(|(_, value)| value.as_str())
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// Returns the role and the label in the locator of an action, for a target that is not known as an element.
fn named_by_locator(action: &BrowserAction) -> (Role, Label) {
    let (mut role, mut texts) = (Role::Button, Vec::new());
    for target in action.targets() {
        let Target::Locator(locator) = target else {
            continue;
        };
        for step in locator.steps() {
            match step {
                LocatorStep::Role {
                    role: named, name, ..
                } => {
                    role = named.clone();
                    texts.extend(name.as_deref());
                }
                LocatorStep::Label(text)
                | LocatorStep::Placeholder(text)
                | LocatorStep::Text(text)
                | LocatorStep::ExactText(text)
                | LocatorStep::Alt(text)
                | LocatorStep::Title(text)
                | LocatorStep::TestId(text)
                | LocatorStep::Css(text) => texts.push(text),
                _ => {}
            }
        }
    }
    (role, Label::new(texts.join(" ")))
}

/// Returns true if a link leads to another page.
fn is_address(link: &str) -> bool {
    let link = link.trim();
    !link.is_empty()
        && !link.starts_with('#')
        && !link.to_ascii_lowercase().starts_with("javascript:")
}

#[cfg(test)]
mod tests;
