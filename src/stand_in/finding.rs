//! Finds the element that an instruction refers to.

use super::{
    forms::day,
    seen::{Element, Page},
    words::{content, equal, fit},
};
use crate::base::text::Folded;

/// Minimum fit between an element's name and a name that a tip quotes. Unit: see [`fit`]. Source: chosen; at this fit,
/// the element's name contains all words of the quoted name and hardly any others.
const NAME_FIT: f64 = 0.9;
/// Minimum fit between a field's label and the words of the instruction. Unit: see [`fit`]. Source: chosen; for an
/// instruction with two words, a label of up to four words fits if it contains one of the two.
const FIELD_FIT: f64 = 0.3;
/// Minimum fit between a clickable element's label and the words of the instruction. Unit: see [`fit`]. Source: chosen; a
/// wrong click costs more than a search for the right element.
pub(super) const CLICK_FIT: f64 = 0.4;
/// Minimum fit of a field if the instruction names the field's kind, such as "password". If the field's label fits
/// better, the fit of the label counts. Unit: see [`fit`]. Source: chosen; a label fits better only if it contains the
/// word, and all its other words mean the same.
const KIND_FIT: f64 = 0.98;
/// Minimum fit between the label of a choice and the wanted value, if they are not equal. Unit: see [`fit`]. Source:
/// chosen.
const CHOICE_FIT: f64 = 0.6;

const FIELDS: &[&str] = &["textbox", "searchbox", "combobox", "spinbutton"];
const BOXES: &[&str] = &["checkbox", "switch", "radio"];
const CHOICES: &[&str] = &["radio", "option", "listitem", "gridcell", "button", "link"];
const CLICKABLE: &[&str] = &[
    "button", "link", "tab", "menuitem", "option", "generic", "img", "cell", "listitem",
    "checkbox", "radio",
];

/// Returns the element for which `fits` returns the highest value, the first of them if there are several. Returns `None` if
/// every value is below `least`.
fn best<'a>(
    elements: impl Iterator<Item = &'a Element>,
    least: f64,
    fits: impl Fn(&Element) -> f64,
) -> Option<&'a Element> {
    let mut found: Option<(f64, &Element)> = None;
    for element in elements {
        let fit = fits(element);
        if fit >= least && found.is_none_or(|(most, _)| fit > most) {
            found = Some((fit, element));
        }
    }
    found.map(|(_, element)| element)
}

fn enabled<'a>(page: &'a Page, roles: &'a [&str]) -> impl Iterator<Item = &'a Element> + Clone {
    page.elements
        .iter()
        .filter(|element| roles.contains(&element.role.as_str()) && !element.is("disabled"))
}

/// Returns the label of an element. If the element has no label, returns the value of its HTML attribute `name`, which
/// the prompt shows instead.
pub(super) fn label(element: &Element) -> &str {
    if element.label.is_empty() {
        hint(element, "name")
    } else {
        &element.label
    }
}

/// Returns the value of the attribute `name` that the prompt shows for an element; empty if the prompt does not show it.
fn hint<'a>(element: &'a Element, name: &str) -> &'a str {
    let mut hints = element.hints.iter();
    hints
        .find(|(own, _)| own == name)
        .map_or("", |(_, value)| value)
}

fn is_password(element: &Element) -> bool {
    hint(element, "type") == "password"
}

/// Returns true if the page has a field for a password.
pub(super) fn asks_for_password(page: &Page) -> bool {
    page.elements.iter().any(is_password)
}

/// Returns the text field whose label fits the words `name` best. If the only word is `search`, `password` or
/// `username`, the kind of a field, or its place in a login form, counts as well. If there are no words, returns the
/// first empty text field.
pub(super) fn field<'a>(page: &'a Page, name: &[String]) -> Option<&'a Element> {
    // A select box cannot be typed into.
    let fields = || enabled(page, FIELDS).filter(|element| element.options.is_empty());
    if name.is_empty() {
        return fields().find(|element| element.value.is_empty());
    }
    let has_password = fields().any(is_password);
    let by_kind = |element: &Element| match name {
        [only] if only == "search" => element.role == "searchbox",
        [only] if only == "password" => is_password(element),
        // Beside a password, "Login" is the name to log in with.
        [only] if only == "username" => {
            has_password && !is_password(element) && content(label(element)) == ["login"]
        }
        _ => false,
    };
    let fits = |element: &Element| {
        let by_label = fit(name, label(element));
        by_label.max(if by_kind(element) { KIND_FIT } else { 0.0 })
    };
    best(fields(), FIELD_FIT, fits)
}

/// Returns the field that [`field`] finds. If it finds none and the page is a form with only one text field, returns
/// this field, unless it is a search box.
pub(super) fn field_or_only<'a>(page: &'a Page, name: &[String]) -> Option<&'a Element> {
    let only = || {
        let mut fields = enabled(page, FIELDS).filter(|element| element.options.is_empty());
        let first = fields
            .next()
            .filter(|field| page.is_form() && field.role != "searchbox")?;
        fields.next().is_none().then_some(first)
    };
    field(page, name).or_else(only)
}

/// Returns the only button of the page that has a label. Returns `None` if there are several, or if the instruction's
/// words (`what`) or the label's words mean more than "submit the form".
pub(super) fn only_button<'a>(page: &'a Page, what: &[String]) -> Option<&'a Element> {
    let mut buttons = enabled(page, &["button"]).filter(|button| !button.label.is_empty());
    let first = buttons
        .next()
        .filter(|button| sends(what) && sends(&content(&button.label)))?;
    buttons.next().is_none().then_some(first)
}

/// Returns true if every one of these words means "submit the form", such as `submit` or `ok`.
pub(super) fn sends(words: &[String]) -> bool {
    const SENDING: &[&str] = &["submit", "login", "ok", "send", "go", "continue", "enter"];
    !words.is_empty() && words.iter().all(|word| SENDING.contains(&word.as_str()))
}

/// Returns the first list item whose label begins with `start` and ends with `end`.
pub(super) fn item<'a>(page: &'a Page, start: &str, end: &str) -> Option<&'a Element> {
    const ITEMS: &[&str] = &["option", "listitem", "menuitem", "treeitem", "gridcell"];
    enabled(page, ITEMS).find(|element| begins_and_ends(&element.label, start, end))
}

/// Returns true if `text` begins with `start` and ends with `end`. Case is ignored.
pub(super) fn begins_and_ends(text: &str, start: &str, end: &str) -> bool {
    let [text, start, end] = [text, start, end].map(Folded::of);
    text.starts_with(&start) && text.as_str().ends_with(end.as_str())
}

/// Returns the first text field of the page. It is taken for the field of a list: typing into it opens the list, and
/// then an item can be picked.
pub(super) fn list_field(page: &Page) -> Option<&Element> {
    enabled(page, FIELDS).find(|element| element.options.is_empty())
}

/// Returns the first link, button, cell or option whose label is the day of the month of the date `value`. Does not
/// check that the element belongs to a calendar. Returns `None` if there is no such element, or if `value` is not a
/// date.
pub(super) fn calendar_day<'a>(page: &'a Page, value: &str) -> Option<&'a Element> {
    let day = day(value)?;
    enabled(page, &["link", "gridcell", "button", "cell", "option"])
        .find(|element| element.label == day)
}

/// Returns three things: the element to use in order to choose the value `value`, the tool to use on it, and the
/// value as the page writes it. If the page does not show the value, returns a list or field that fits `name`, and the
/// value as given.
///
/// `name` contains the words of the list or field in which the value is chosen. If `name` is empty, the value may be in
/// any list. An element that is itself a choice, such as a radio button, is found by the value alone.
pub(super) fn choice<'a>(
    page: &'a Page,
    name: &[String],
    value: &str,
) -> Option<(&'a Element, &'static str, String)> {
    let belongs = |element: &&Element| name.is_empty() || fit(name, label(element)) >= FIELD_FIT;
    let lists = page
        .elements
        .iter()
        .filter(|element| !element.options.is_empty());
    for list in lists.filter(belongs) {
        if let Some(option) = list.options.iter().find(|option| equal(option, value)) {
            return Some((list, "select", option.clone()));
        }
    }
    let wanted = content(value);
    let one = |element: &Element| called(element, &wanted, value);
    if let Some(element) = best(enabled(page, CHOICES), CHOICE_FIT, one) {
        let tool = if element.role == "radio" {
            "check"
        } else {
            "click"
        };
        return Some((element, tool, element.label.clone()));
    }
    let named = |roles| {
        best(enabled(page, roles), FIELD_FIT, |element| {
            fit(name, label(element))
        })
    };
    let spinner = || enabled(page, &["spinbutton"]).find(|_| name == ["spinner"]);
    if let Some(list) = named(&["combobox", "listbox", "spinbutton"]).or_else(spinner) {
        return Some((list, "select", value.to_owned()));
    }
    named(&["textbox"]).map(|field| (field, "fill", value.to_owned()))
}

/// Returns the check box (or switch or radio button) whose label fits the words of the
/// instruction best.
pub(super) fn tick_box<'a>(page: &'a Page, what: &[String]) -> Option<&'a Element> {
    best(enabled(page, BOXES), FIELD_FIT, |element| {
        fit(what, &element.label)
    })
}

/// Returns the clickable element whose label fits a wanted name best. `name` is this name as written, and `what` contains
/// its words. If `submit` is true, only buttons count, because a link with the same name leads elsewhere.
pub(super) fn clickable<'a>(
    page: &'a Page,
    what: &[String],
    name: &str,
    submit: bool,
) -> Option<&'a Element> {
    let roles = if submit { &["button"][..] } else { CLICKABLE };
    best(enabled(page, roles), CLICK_FIT, |element| {
        called(element, what, name)
    })
}

/// Returns the clickable element that a tip calls `name`; `None` if no element's name fits at least [`NAME_FIT`]. A
/// looser fit is not accepted, because tips quote names as the page shows them.
pub(super) fn named<'a>(page: &'a Page, name: &str) -> Option<&'a Element> {
    clickable(page, &content(name), name, false)
        .filter(|element| called(element, &content(name), name) >= NAME_FIT)
}

/// Returns 2 if the element's label is equal to `name`. Otherwise returns the fit, from 0 to 1, between the label and
/// the words `what`: see [`fit`].
fn called(element: &Element, what: &[String], name: &str) -> f64 {
    if equal(&element.label, name) {
        2.0
    } else {
        fit(what, &element.label)
    }
}

/// Returns the button that most likely closes a dialog on the page; `None` if the page shows no dialog. If no button has
/// a name such as `OK`, it is the first one, because a page shows the buttons of a dialog first.
pub(super) fn way_out(page: &Page) -> Option<&Element> {
    const LEAVING: &[&str] = &["accept", "agree", "allow", "continue", "ok", "close"];
    if !page.kind.contains("dialog") {
        return None;
    }
    let leaves = |element: &&Element| {
        let words = content(&element.label);
        words.iter().any(|word| LEAVING.contains(&word.as_str()))
    };
    let mut buttons = enabled(page, &["button"]);
    buttons.clone().find(leaves).or_else(|| buttons.next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::ShownPage;

    fn page(lines: &[&str]) -> Page {
        Page {
            elements: ShownPage::read(&lines.join("\n")).elements,
            ..Page::default()
        }
    }

    fn words(text: &str) -> Vec<String> {
        content(text)
    }

    #[test]
    fn a_choice_is_found_in_a_list_and_among_radio_buttons() {
        let page = page(&[
            r#"e1 combobox "Size" options "Choose a size" "S" "M""#,
            r#"e2 radio "Forest green""#,
            r#"e3 radio "Black" [checked]"#,
        ]);
        let found = |name: &str, value: &str| {
            let name = if name.is_empty() {
                Vec::new()
            } else {
                words(name)
            };
            let (element, how, value) = choice(&page, &name, value).unwrap();
            (element.reference.clone(), how, value)
        };
        assert_eq!(found("size", "m"), ("e1".into(), "select", "M".into()));
        assert_eq!(
            found("colour", "Forest green"),
            ("e2".into(), "check", "Forest green".into())
        );
        assert_eq!(found("", "M"), ("e1".into(), "select", "M".into()));
    }

    #[test]
    fn a_form_is_sent_by_its_button_and_not_by_a_link_of_that_name() {
        let page = page(&[r#"e1 link "Log in""#, r#"e2 button "Sign in""#]);
        assert_eq!(
            clickable(&page, &words("log in"), "log in", true)
                .unwrap()
                .reference,
            "e2"
        );
        assert_eq!(
            clickable(&page, &words("log in"), "log in", false)
                .unwrap()
                .reference,
            "e1"
        );
    }

    #[test]
    fn what_an_advice_names_is_not_something_alike() {
        let page = page(&[r#"e1 button "Accept all""#, r#"e2 button "Go""#]);
        assert_eq!(named(&page, "accept all").unwrap().reference, "e1");
        assert!(clickable(&page, &words("Accept"), "Accept", false).is_some());
        assert!(named(&page, "Accept").is_none());
    }

    #[test]
    fn the_way_out_of_a_dialog_is_its_agreeing_button() {
        let mut page = page(&[
            r#"e1 button "Settings""#,
            r#"e2 button "Agree and continue""#,
        ]);
        assert!(way_out(&page).is_none());
        page.kind = "dialog_blocking".to_owned();
        assert_eq!(way_out(&page).unwrap().reference, "e2");
    }
}
