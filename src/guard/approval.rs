//! Approval: finds the worst effect that an action can have, and decides whether a person must approve the action.
//!
//! The label of an element says what a click on it does, so labels are searched for words for paying, sending or
//! deleting (`base/words.rs`). If the label only says yes or continues, the headings and sentences over it say to what.
//! Such words can only make the effect worse than that of the action's tool ([`BrowserTool::effect`]), never milder. This
//! module cannot detect a page that lies about its buttons.
//!
//! # Decisions
//!
//! - A form with one password field is a login only if it says so. Any other such form asks for the password because it
//!   does something grave, so submitting it needs approval whatever its words are.
//!
//! [`BrowserTool::effect`]: crate::action::BrowserTool::effect

mod form;
mod label;

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{
    action::{BrowserAction, Effect, Fill, Key, Press, Target, Type},
    base::{
        Error, ErrorKind, Result,
        words::{BIN, LOGIN, MESSAGE},
    },
    page::{LocatorStep, Role, TargetIdentity},
};
pub(crate) use form::{FormFacts, form_kind, may_submit};
use label::{Breadth, Label, asks, asks_consent, is_of_cookies};

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

/// The kind of the form to which the target of an action belongs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FormKind {
    /// A login: its button, its heading or its address says so, and nothing in it says that it does anything else.
    /// Submitting it logs in.
    Login,
    /// A form with one password field that is no login, such as one that asks for the password before an account is
    /// deleted. Submitting it cannot be undone.
    Password,
    /// A search, or anything else on a page of search results. Submitting it searches.
    Search,
    /// A form in a cart or checkout. Submitting it may make a purchase.
    Checkout,
    /// Anything else.
    #[default]
    Other,
}

/// What stands around the target of an action.
///
/// The page wrote all texts in this struct, so they are untrusted. They are only searched for words that show the
/// effect of the action.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageContext<'a> {
    /// The kind of the form around the target.
    pub form: FormKind,
    /// True if a password field of the form is filled in, or if a secret was typed into a field of the page.
    pub has_secret: bool,
    /// True if text can be typed into the target, whatever its role is.
    pub is_field: bool,
    /// Address of the link that the action acts on; `None` if there is no such link.
    pub link: Option<&'a str>,
    /// What else the target shows or says, beside its name: the text in it and its `title`.
    pub shown: Vec<String>,
    /// The headings over the target, and the names of the groups around it.
    pub headings: Vec<String>,
    /// The sentences over the target, up to its heading, and those beside it.
    pub prose: String,
    /// True if the target is in a dialog.
    pub is_in_dialog: bool,
    /// What is chosen in the lists of the form and by its radio buttons.
    pub chosen: Vec<String>,
    /// The worst effect of the buttons that the Enter key could press; `None` if there are none.
    pub submit: Option<Effect>,
    /// The message of the dialog that blocks the page, if any.
    pub dialog: Option<&'a str>,
    /// The title of the page.
    pub title: Option<&'a str>,
}

/// Returns the worst effect that an action can have: the usual effect of its tool, or a worse one if words of the
/// target or of the page, a typed secret or the key Delete indicate it.
///
/// `target` is the element that the action acts on. For a key, it is the element with the focus. For `drag`, it is the
/// element where the drag ends. For `drag_by` and `drag_xy`, it is the target in their arguments.
///
/// A link to another page may mention paying, sending or deleting without doing it, as "Order history" does. So a
/// phrase for such an act counts only if it is the whole text of the link, or if a short text or the address says that
/// the link deletes something. A link such as "Yes" or "Continue" also counts if the page asks whether to do such an
/// act.
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
    let is_worse = match action {
        BrowserAction::Click(_)
        | BrowserAction::Dblclick(_)
        | BrowserAction::ClickAt(_)
        | BrowserAction::ClickXy(_)
        | BrowserAction::DragBy(_)
        | BrowserAction::DragXy(_) => clicks(action, target, page),
        BrowserAction::Drag(_) => clicks(action, target, page) || is_bin(target, page),
        BrowserAction::Press(Press { key, .. }) => presses(key, action, target, page),
        BrowserAction::Fill(Fill { submit: true, .. })
        | BrowserAction::Type(Type { submit: true, .. }) => submits(action, target, page),
        // A typed line break is the key Enter.
        BrowserAction::Type(Type { text, .. }) if text.has_line_break() => {
            submits(action, target, page)
        }
        BrowserAction::DialogAccept(_) => page.dialog.is_some_and(|message| {
            Label::new(message).is_grave(Breadth::Any) || asks(message, true)
        }),
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
        Some(target) => (target.role.clone(), name_of(target)),
        None => named_by_locator(action),
    };
    let breadth = match role {
        // Another element submits the choice.
        ref role if role.makes_a_choice() => return false,
        ref role if role.is_editable() || page.is_field => return false,
        Role::Link if page.link.is_some_and(is_address) => Breadth::Whole,
        Role::Button | Role::Link | Role::MenuItem | Role::Switch => Breadth::Any,
        // Other clickable content, such as a row or card. Its text may quote other people.
        _ => Breadth::Short,
    };
    does_grave(&label, role == Role::Button, breadth, target, page)
}

/// Returns true if something with this label, such as a button, does what cannot be undone.
fn does_grave(
    label: &Label,
    is_button: bool,
    breadth: Breadth,
    target: Option<&TargetIdentity>,
    page: &PageContext<'_>,
) -> bool {
    let is_plain_form = matches!(page.form, FormKind::Login | FormKind::Search);
    let is_grave =
        |label: &Label| label.is_grave(breadth) || (!is_plain_form && label.sends(breadth));
    let shown: Vec<Label> = page.shown.iter().map(|text| Label::new(text)).collect();
    let deletes = breadth == Breadth::Whole && page.link.is_some_and(destroys);
    if is_grave(label) || shown.iter().any(is_grave) || deletes {
        return true;
    }
    let is_chosen = || {
        let mut chosen = page.chosen.iter();
        chosen.any(|chosen| Label::new(chosen).destroys_or_ends())
    };
    if (label.goes_on() || label.applies()) && is_chosen() {
        return true;
    }
    if is_asked_to(label, breadth, target, page) {
        return true;
    }
    let is_login = || match page.form {
        FormKind::Login => true,
        FormKind::Password => false,
        _ => target.is_some_and(|target| LOGIN.are_all_of_text(&target.name)),
    };
    is_button && page.has_secret && !is_login() && !label.is_harmless()
}

/// Returns true if a label that only agrees, continues or rejects says so to something grave, which the headings and
/// sentences over it or a dialog tell.
fn is_asked_to(
    label: &Label,
    breadth: Breadth,
    target: Option<&TargetIdentity>,
    page: &PageContext<'_>,
) -> bool {
    if !(label.goes_on() || label.is_next() || label.rejects()) {
        return false;
    }
    let around = || {
        page.headings
            .iter()
            .map(String::as_str)
            .chain([&*page.prose])
    };
    if label.rejects() && breadth != Breadth::Whole && !around().any(asks_consent) {
        return true;
    }
    let ancestors = target.map_or(&[][..], |target| &target.ancestors);
    let names = ancestors.iter().map(String::as_str).chain(page.dialog);
    let is_asked = |text: &str| {
        let label = Label::new(text);
        label.is_grave_heading() || asks(text, true)
    };
    if label.goes_on() && names.clone().any(is_asked) {
        return true;
    }
    // A link to another page only leads there.
    if breadth == Breadth::Whole {
        return false;
    }
    if asks(&page.prose, page.is_in_dialog) {
        return true;
    }
    // An answer to a notice on cookies is none to the page behind it.
    if around().any(is_of_cookies) {
        return false;
    }
    if label.goes_on() && page.headings.iter().any(|heading| is_asked(heading)) {
        return true;
    }
    let is_matter = || {
        page.form == FormKind::Checkout
            || page
                .title
                .is_some_and(|title| Label::new(title).is_grave_heading())
            || names
                .chain(page.headings.iter().map(String::as_str))
                .any(|text| Label::new(text).names_a_matter())
    };
    let is_plain_form = matches!(page.form, FormKind::Login | FormKind::Search);
    label.agrees() && !is_plain_form && is_matter()
}

/// Returns true if a control cannot be undone that submits by itself, once it is used: a list, a checkbox or a slider.
/// It is judged like a button with its name, or with the name of the option that is chosen.
pub(crate) fn submits_itself(
    target: &TargetIdentity,
    chosen: &[String],
    page: &PageContext<'_>,
) -> bool {
    let names = chosen
        .iter()
        .map(String::as_str)
        .chain([target.best_name()]);
    page.form == FormKind::Password
        || names
            .map(Label::new)
            .any(|label| does_grave(&label, true, Breadth::Any, Some(target), page))
}

/// Returns true if pressing the key cannot be undone.
fn presses(
    key: &Key,
    action: &BrowserAction,
    target: Option<&TargetIdentity>,
    page: &PageContext<'_>,
) -> bool {
    let focus = target.filter(|target| !target.role.is_editable() && !page.is_field);
    match key.last() {
        "Enter" => focus.map_or_else(
            || submits(action, target, page),
            |focus| clicks(action, Some(focus), page),
        ),
        "Space" => focus.is_some_and(|focus| clicks(action, Some(focus), page)),
        // In a list this key deletes the selected items; in a field only a character.
        "Delete" => focus.is_some(),
        _ => false,
    }
}

/// Returns true if submitting the form around this field cannot be undone.
fn submits(action: &BrowserAction, field: Option<&TargetIdentity>, page: &PageContext<'_>) -> bool {
    let types_secret = action.texts().iter().any(|text| text.secret().is_some());
    let is_message = || field.is_some_and(|field| MESSAGE.are_in_text(field.best_name()));
    page.submit == Some(Effect::Irreversible)
        || match page.form {
            FormKind::Login => false,
            FormKind::Password => true,
            FormKind::Search => types_secret || page.has_secret,
            FormKind::Checkout => page.submit.is_none() || types_secret || page.has_secret,
            FormKind::Other => types_secret || page.has_secret || is_message(),
        }
}

/// Returns true if the target of a drag is a bin.
fn is_bin(target: Option<&TargetIdentity>, page: &PageContext<'_>) -> bool {
    let name = target.map(TargetIdentity::best_name);
    let mut names = page.shown.iter().map(String::as_str).chain(name);
    names.any(|name| BIN.are_all_of_text(name))
}

/// Returns true if a part of a link's address is a command that deletes something, such as `/items/3/delete` or
/// `deleteItem`. A part of several words, such as `remove-background`, is more often a title.
fn destroys(link: &str) -> bool {
    let is_command = |part: &str| {
        let label = Label::of_code(part);
        label.destroys() && label.len() <= 2
    };
    let mut parts = link.split(['/', '?', '&', '=', '#', ';']);
    parts.any(|part| !part.contains(['-', '_', '+', '%']) && is_command(part))
}

/// Returns the name of an element, else its label, else the values of its attributes, which programs read.
fn name_of(target: &TargetIdentity) -> Label {
    let label = target.label.as_deref().unwrap_or_default();
    if !target.name.trim().is_empty() {
        Label::new(&target.name)
    } else if !label.trim().is_empty() {
        Label::new(label)
    } else {
        let values = target.attributes.iter().map(|(_, value)| value.as_str());
        Label::of_code(&values.collect::<Vec<_>>().join(" "))
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
    (role, Label::of_code(&texts.join(" ")))
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
