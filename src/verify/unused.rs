//! Finds what a goal names and a run has not used: quoted texts, numbers, dates, names and identifiers such as `notes:start` that no
//! step typed, chose or clicked and that the last page does not have.
//!
//! Evidence proves what a page says, not that the goal asks for nothing else. A field that was left empty, a unit or a filter that was
//! left out are found here. The model is told once, and the report lists what is left.

use std::collections::HashSet;

use chrono::NaiveDate;

use super::finish::{Seen, numbers, quoted};
use crate::{
    action::{Action, BrowserAction, Parameters, TextValue},
    base::{dates, text},
    page::TargetIdentity,
    working::Step,
};

/// Maximum number of texts that are listed.
const MAX_LISTED: usize = 8;
/// Maximum length of a listed text. Unit: characters.
const MAX_TEXT: usize = 80;

/// The words and numbers that a run has used.
#[derive(Debug, Default)]
pub(crate) struct Used {
    tokens: HashSet<String>,
    numbers: HashSet<String>,
    dates: HashSet<NaiveDate>,
    /// True if a step filled in a form.
    fills: bool,
}

impl Used {
    /// Returns what the steps have typed, chosen, clicked and opened. `parameters` are the values for the placeholders in their texts.
    pub(crate) fn of(steps: &[Step], parameters: &Parameters) -> Self {
        let mut used = Self::default();
        for step in steps {
            let targets = step.targets.iter().map(TargetIdentity::best_name);
            let around = step.item.iter().chain(&step.within).map(String::as_str);
            for words in targets.chain(around) {
                used.add(words);
            }
            let Action::Browser(action) = &step.action else {
                continue;
            };
            let is_given = |text: &TextValue| !matches!(text, TextValue::Secret(_));
            used.fills |= action.texts().into_iter().any(is_given)
                || matches!(action, BrowserAction::Check(_) | BrowserAction::Upload(_));
            for text in action.texts() {
                used.add(match text {
                    TextValue::Literal(text) => text,
                    TextValue::Parameter(name) => parameters.get(name).map_or("", String::as_str),
                    TextValue::Secret(_) => "",
                });
            }
            match action {
                BrowserAction::Upload(upload) => {
                    for name in &upload.files {
                        used.add(name);
                    }
                }
                BrowserAction::SelectText(select) => {
                    used.add(select.text.as_deref().unwrap_or_default());
                }
                _ => {}
            }
            used.add(&parts_of_address(step.after.url()));
        }
        used
    }

    /// Adds the words of a text.
    pub(crate) fn add(&mut self, text: &str) {
        self.tokens.extend(tokens(text).map(str::to_lowercase));
        self.tokens.extend(text::words(text));
        self.numbers.extend(numbers(text).into_iter().map(bare));
        for dated in dates(text) {
            self.dates.extend([dated.date].into_iter().chain(dated.or));
        }
    }

    fn has(&self, token: &str) -> bool {
        if token.contains("://") {
            let parts = parts_of_address(token);
            return tokens(&parts).all(|part| self.tokens.contains(&part.to_lowercase()));
        }
        let letters = token.chars().filter(|c| c.is_alphabetic()).count();
        // The hour of a time may be written as one of 24.
        let is_time = letters == 0 && token.contains(':');
        let numbers = numbers(token).into_iter().skip(usize::from(is_time));
        let mut numbers = numbers.map(bare).peekable();
        self.tokens.contains(&token.to_lowercase())
            // A date may be written in another order, and a time without its unit.
            || (letters <= MAX_UNIT
                && numbers.peek().is_some()
                && numbers.all(|number| self.numbers.contains(&number)))
    }
}

/// Returns the parts of an address, separated by spaces.
fn parts_of_address(address: &str) -> String {
    address.replace(['?', '&', '=', '/', '#'], " ")
}

/// Returns the goal without what it excludes in brackets, as in `Harbour Renewal (not Phase 2)`.
fn without_exclusions(goal: &str) -> String {
    let mut rest = goal;
    let mut kept = String::new();
    while let Some((before, after)) = rest.split_once("(not ") {
        kept.push_str(before);
        rest = after.split_once(')').map_or("", |(_, after)| after);
    }
    kept + rest
}

/// Maximum number of letters of a unit behind a number, as in `10am`.
const MAX_UNIT: usize = 2;

/// Returns a number without leading zeros.
fn bare(number: String) -> String {
    let bare = number.trim_start_matches('0');
    if bare.is_empty() {
        number
    } else {
        bare.to_owned()
    }
}

/// Splits a text at spaces and removes the punctuation around each part, but not inside of it, as in `done-2025.md`.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split_whitespace();
    let parts = parts.map(|part| part.trim_matches(|c: char| !c.is_alphanumeric()));
    parts.filter(|part| !part.is_empty())
}

/// Returns the texts of the goal that were not used, in the order of the goal; none if the run has filled in nothing. `seen` are the
/// numbers that the pages of the run have shown.
pub(crate) fn unused(goal: &str, parameters: &Parameters, used: &Used, seen: &Seen) -> Vec<String> {
    if !used.fills {
        return Vec::new();
    }
    let goal = &*without_exclusions(goal);
    let mut left: Vec<String> = Vec::new();
    let mut add = |text: &str| {
        let text = text::truncate(&text::squeeze(text), MAX_TEXT);
        if left.len() < MAX_LISTED && !left.contains(&text) {
            left.push(text);
        }
    };
    let mut goal = goal.to_owned();
    for dated in dates(&goal.clone()) {
        if used.dates.iter().any(|date| dated.may_be(*date)) {
            let blank = " ".repeat(dated.span.len());
            goal.replace_range(dated.span, &blank);
        }
    }
    let goal = &*goal;
    let mut bare = goal.replace('|', " ");
    for text in quoted(goal) {
        bare = bare.replacen(&text.replace('|', " "), " ", 1);
    }
    let values = parameters.values().map(String::as_str);
    for text in quoted(goal).into_iter().chain(values) {
        // A unit says nothing alone, and may be written otherwise: `8:15 pm` as `20:15`.
        let is_unit = |token: &str| {
            text.contains(char::is_numeric)
                && token.chars().count() <= MAX_UNIT
                && token.chars().all(char::is_alphabetic)
        };
        if !tokens(text).all(|token| used.has(token) || is_unit(token)) {
            add(text);
        }
    }
    let mut name: Vec<&str> = Vec::new();
    let is_known = |word: &&str| used.has(word);
    let mut begins = true;
    let lines = bare.lines();
    let parts = lines.flat_map(|line| line.split_whitespace().chain(std::iter::once("")));
    for part in parts {
        let token = part.trim_matches(|c: char| !c.is_alphanumeric());
        let is_name = token.starts_with(char::is_uppercase)
            && !begins
            && !part.starts_with('<')
            && !token.contains(char::is_numeric)
            && token.chars().count() > 2;
        if is_name {
            name.push(token);
        }
        if (!is_name || part.ends_with([',', ';', '.'])) && !name.is_empty() {
            if !name.iter().any(is_known) {
                add(&name.join(" "));
            }
            name.clear();
        }
        let is_number = token.contains(char::is_numeric) && token.chars().count() > 1;
        // A number of the page may be one that the goal wants to be changed.
        let is_told = || numbers(token).iter().all(|number| seen.has_number(number));
        let is_id = token.contains([':', '_', '@'])
            && token.contains(char::is_alphabetic)
            && !token.contains("://");
        let is_placeholder = part.contains(['<', '>']);
        if (is_id || is_number && !is_told()) && !is_placeholder && !used.has(token) {
            add(token);
        }
        let is_marker = part.ends_with(')') && !part.contains('(') && token.chars().count() <= 2;
        let closed = part.trim_end_matches(['"', '\'', ')', '”', '`']);
        begins = closed.ends_with(['.', '!', '?', ':', ';', '|']) || closed.is_empty() || is_marker;
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::ParameterName;

    fn used(texts: &[&str]) -> Used {
        let mut used = Used {
            fills: true,
            ..Used::default()
        };
        for text in texts {
            used.add(text);
        }
        used
    }

    fn left(goal: &str, texts: &[&str]) -> Vec<String> {
        unused(goal, &Parameters::new(), &used(texts), &Seen::default())
    }

    #[test]
    fn what_no_step_used_is_listed() {
        let goal =
            "Create a post \"Rain in May\" by Paul Smith for 2027-03-05, 12 copies. Publish it.";
        assert_eq!(
            left(goal, &["Rain"]),
            ["Rain in May", "Paul Smith", "2027-03-05", "12"]
        );
        assert_eq!(left("At 7:30 pm", &["19:30"]), [""; 0]);
        assert_eq!(left("At \"8:15 pm\"", &["20:15"]), [""; 0]);
        assert_eq!(left("Add [[soup:hot|Hot]]", &["soup:hot"]), [""; 0]);
        let all = ["rain in may", "Smith, Paul (psmith)", "03/05/2027", "12.0"];
        assert_eq!(left(goal, &all), [""; 0]);
    }

    #[test]
    fn addresses_that_were_opened_and_what_a_bracket_excludes_are_not_asked_for() {
        let goal = "Log in at http://127.0.0.1:9331/ as ada. In Harbour (not Harbour Phase 2) rename \"Rope\".";
        let used = ["http:  127.0.0.1:9331 issues", "harbour", "rope"];
        assert_eq!(left(goal, &used), [""; 0]);
        assert_eq!(left(goal, &used[1..]), ["http://127.0.0.1:9331"]);
    }

    #[test]
    fn a_date_may_be_written_in_another_way_and_a_mark_of_a_list_begins_a_sentence() {
        let goal = "Do this: 1) Add it on 12 November 2027. b) Move it to 2 May 2027.";
        assert_eq!(left(goal, &["2027-11-12", "05/02/2027"]), [""; 0]);
        assert_eq!(
            left(goal, &["2027-11-13", "05/02/2027"]),
            ["12", "November"]
        );
    }

    #[test]
    fn a_file_with_another_ending_is_another_file() {
        let goal = "Save it as done-2025.md.";
        assert_eq!(left(goal, &["done-2025.md.md"]), ["done-2025.md"]);
        assert_eq!(left(goal, &["folder done-2025.md"]), [""; 0]);
    }

    #[test]
    fn a_number_that_a_page_shows_may_be_one_to_be_changed() {
        let mut seen = Seen::default();
        seen.returned("Red lentils 200 g");
        let goal = "Change the lentils from 200 g to 350 g on recipes:soup for ann@example.com.";
        let used = used(&["recipes:soup"]);
        let left = unused(goal, &Parameters::new(), &used, &seen);
        assert_eq!(left, ["350", "ann@example.com"]);
    }

    #[test]
    fn names_of_the_site_first_words_and_placeholders_are_not_asked_for() {
        let mut used = used(&["x"]);
        let goal = "Log in to Roundup with <secret:PASSWORD> as <param:USER_1>. Then leave.";
        let none = Parameters::new();
        assert_eq!(unused(goal, &none, &used, &Seen::default()), ["Roundup"]);
        // The last page has the name of the site.
        used.add("Roundup tracker");
        let seen = Seen::default();
        assert_eq!(unused(goal, &none, &used, &seen), [""; 0]);
        let given =
            Parameters::from([(ParameterName::parse("USER_1").unwrap(), "paul".to_owned())]);
        assert_eq!(unused(goal, &given, &used, &seen), ["paul"]);
        used.fills = false;
        assert_eq!(unused(goal, &given, &used, &Seen::default()), [""; 0]);
    }
}
