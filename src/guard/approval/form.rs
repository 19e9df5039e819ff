//! The kind of a form: whether it logs in, searches, buys, or asks for a password for another reason.

use super::{
    FormKind,
    label::{Breadth, Label, asks},
};
use crate::base::words::{LOGIN, LOGIN_PATH, WELCOME};

/// The facts about a form that decide its kind. The page wrote all texts in it.
#[derive(Debug)]
pub(crate) struct FormFacts<'a> {
    /// Number of fields that ask for a password that exists already.
    pub(crate) passwords: usize,
    /// True if the page asks for a user name first and for the password later.
    pub(crate) is_login_page: bool,
    pub(crate) is_checkout: bool,
    pub(crate) searches: bool,
    /// The names of its buttons.
    pub(crate) buttons: &'a [&'a str],
    pub(crate) headings: &'a [String],
    pub(crate) prose: &'a str,
    pub(crate) title: &'a str,
    pub(crate) path: &'a str,
}

/// Returns the kind of a form. With two password fields or more, a form sets a new password, and only its words count.
pub(crate) fn form_kind(form: &FormFacts<'_>) -> FormKind {
    if form.passwords == 1 {
        return if says_login(form) {
            FormKind::Login
        } else if signs_up(form) {
            FormKind::Other
        } else {
            FormKind::Password
        };
    }
    if form.passwords == 0 && form.is_login_page && says_login(form) {
        FormKind::Login
    } else if form.searches {
        FormKind::Search
    } else if form.is_checkout {
        FormKind::Checkout
    } else {
        FormKind::Other
    }
}

/// Returns true if the headings and sentences of a form say something grave.
fn says_grave(form: &FormFacts<'_>) -> bool {
    let mut headings = form.headings.iter();
    headings.any(|heading| Label::new(heading).is_grave(Breadth::Any)) || asks(form.prose, false)
}

/// Returns true if a form creates an account, and does not say anything grave.
fn signs_up(form: &FormFacts<'_>) -> bool {
    let mut buttons = form.buttons.iter();
    buttons.any(|button| Label::new(button).signs_up()) && !says_grave(form)
}

/// Returns true if a form says that it logs in, and does not say anything grave.
fn says_login(form: &FormFacts<'_>) -> bool {
    let is_grave = |text: &str| Label::new(text).is_grave(Breadth::Any);
    if says_grave(form) {
        return false;
    }
    let is_login = |button: &&str| LOGIN.are_in_text(button) && !is_grave(button);
    let mut around = form.headings.iter().map(String::as_str).chain([form.title]);
    let says = |text: &str| LOGIN.are_in_text(text) || WELCOME.are_in_text(text);
    let is_said = around.any(says) || LOGIN_PATH.are_in_text(form.path);
    form.buttons.iter().any(is_login) || (is_said && !is_grave(form.title))
}

/// Returns true if a button with this name may submit a form: it has a name, and the name does not say that it only
/// shows or hides something.
pub(crate) fn may_submit(name: &str) -> bool {
    !name.trim().is_empty() && !Label::new(name).is_harmless()
}
