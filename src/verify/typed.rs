//! The texts that a run has typed. In a field they prove nothing, because they show only what the run did itself.

use std::collections::{HashMap, HashSet};

use super::{finish::numbers, judge::may_have_acted};
use crate::{
    action::{Action, BrowserAction, ErrorClass, Parameters, Press, Target, TextValue},
    base::text,
    page::{ElementRef, Node},
    secret::holds_secret,
    working::Step,
};

/// Keys that do not change the text of a field.
const HARMLESS: [&str; 7] = [
    "Enter", "Escape", "Tab", "PageUp", "PageDown", "Home", "End",
];
/// Letters that change the text of a field together with Control: paste, cut, redo, undo.
const EDITING: [&str; 4] = ["v", "x", "y", "z"];

/// Number of pages to be opened after a text was typed before a field with this text shows what the site has stored: one to send
/// it, and one to show it again.
const STORED_AFTER: usize = 2;

/// The texts that a run has typed or chosen, and the fields of the current page that it has changed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Typed {
    /// The words, each with the number of pages that were opened before it was last typed.
    words: HashMap<String, usize>,
    /// The numbers, in the same way.
    numbers: HashMap<String, usize>,
    /// Number of pages that the run has opened.
    opened: usize,
    /// The address of the current page.
    address: String,
    fields: HashSet<ElementRef>,
    /// True if the run has typed at the focus, so that any field of the page may have changed.
    anywhere: bool,
}

impl Typed {
    /// Returns what these steps have typed. `parameters` are the values for the placeholders in their texts.
    pub(crate) fn of(steps: &[Step], parameters: &Parameters) -> Self {
        let mut typed = Self::default();
        for step in steps {
            if let Action::Browser(action) = &step.action {
                typed.add(action, parameters);
                let class = step.outcome.class();
                if class.is_none_or(|class| {
                    class == ErrorClass::BadValue || may_have_acted(action, class)
                }) {
                    typed.change(action);
                }
            }
            if step.opened() {
                typed.fields.clear();
                typed.anywhere = false;
                typed.opened += 1;
            }
            step.after.url().clone_into(&mut typed.address);
        }
        typed
    }

    fn add(&mut self, action: &BrowserAction, parameters: &Parameters) {
        for text in action.texts() {
            let said = match text {
                TextValue::Literal(text) => text,
                TextValue::Parameter(name) => parameters.get(name).map_or("", String::as_str),
                TextValue::Secret(_) => "",
            };
            let now = |of: String| (of, self.opened);
            self.words.extend(text::words(said).into_iter().map(now));
            self.numbers.extend(numbers(said).into_iter().map(now));
        }
    }

    /// Records the fields that the action may have changed.
    fn change(&mut self, action: &BrowserAction) {
        match action {
            BrowserAction::Fill(_) | BrowserAction::Select(_) => {
                for target in action.targets() {
                    match target {
                        Target::Ref(reference) => _ = self.fields.insert(reference.clone()),
                        Target::Locator(_) => self.anywhere = true,
                    }
                }
            }
            BrowserAction::Type(_) => self.anywhere = true,
            BrowserAction::Press(Press { key, .. }) => {
                let (held, key) = key.as_str().rsplit_once('+').unwrap_or(("", key.as_str()));
                let is_command = held.contains("Control") || held.contains("Meta");
                let is_letter = key.chars().count() == 1;
                let is_editing = EDITING.contains(&key.to_lowercase().as_str());
                let is_harmless =
                    HARMLESS.contains(&key) || (is_command && is_letter && !is_editing);
                self.anywhere |= !is_harmless;
            }
            _ => {}
        }
    }

    /// Returns true if a field may show this word only because the run has typed it.
    pub(super) fn has(&self, word: &str) -> bool {
        self.is_own_word(word, self.words.get(word))
    }

    /// As [`has`](Self::has), for a number in the form of [`numbers`].
    pub(super) fn has_number(&self, number: &str) -> bool {
        self.is_own_word(number, self.numbers.get(number))
    }

    /// The page that a form leads to may repeat what was typed, and so may a page whose address has it. Any later page shows
    /// what the site has stored.
    fn is_own_word(&self, said: &str, typed: Option<&usize>) -> bool {
        typed.is_some_and(|at| self.opened < at + STORED_AFTER) || {
            typed.is_some() && self.address.to_lowercase().contains(said)
        }
    }

    /// Returns true if the content of the field proves nothing at all: the run may have changed it, or it is a secret.
    pub(super) fn is_own(&self, field: &Node) -> bool {
        let reference = field.reference.as_ref();
        let is_fixed = field.states.readonly || field.states.disabled;
        (self.anywhere && !is_fixed)
            || reference.is_some_and(|reference| self.fields.contains(reference))
            || holds_secret(field)
    }

    /// Returns what a run has typed that typed this text on an earlier page.
    #[cfg(test)]
    pub(super) fn before(said: &str) -> Self {
        Self {
            words: text::words(said)
                .into_iter()
                .map(|word| (word, 0))
                .collect(),
            numbers: numbers(said).into_iter().map(|one| (one, 0)).collect(),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        action::{BrowserTool, ErrorClass, Outcome, RawCall, Signature, ToolSet, parse_calls},
        page::{PageDiff, Role},
    };

    fn step(tool: &str, arguments: serde_json::Value, navigated: bool) -> Step {
        let tools = ToolSet::new(&BrowserTool::ALL.iter().copied().collect(), false, []);
        let action = parse_calls(&[RawCall::new(tool, arguments)], "", &tools).unwrap();
        let action = action.into_iter().next().unwrap().unwrap();
        let signature = Signature::of(&action, &[], "");
        let mut step = Step::new(1, action, Outcome::Done, signature);
        step.changes = (!navigated).then(PageDiff::default);
        step.reloaded = navigated;
        step
    }

    fn field(reference: &str) -> Node {
        let mut field = Node::new(Role::TextBox, "");
        field.reference = Some(ElementRef::parse(reference).unwrap());
        field
    }

    #[test]
    fn a_field_that_the_run_filled_proves_nothing_until_another_page_is_shown() {
        let fill = || step("fill", json!({ "target": "e1", "text": "29.90" }), false);
        let typed = Typed::of(&[fill()], &Parameters::default());
        assert!(typed.is_own(&field("e1")) && !typed.is_own(&field("e2")));
        assert!(typed.has_number("29.9") && typed.has("90"));
        let steps = [fill(), step("click", json!({ "target": "e2" }), true)];
        let typed = Typed::of(&steps, &Parameters::default());
        assert!(!typed.is_own(&field("e1")) && typed.has_number("29.9"));
    }

    #[test]
    fn a_text_that_was_typed_and_is_loaded_again_is_what_the_site_has_stored() {
        let go = || step("click", json!({ "target": "e2" }), true);
        let fill = || step("fill", json!({ "target": "e1", "text": "Tea 29" }), false);
        for (steps, is_own) in [
            (vec![fill()], true),
            // The form may have come back with an error.
            (vec![fill(), go()], true),
            (vec![fill(), go(), go()], false),
            (vec![fill(), go(), fill(), go()], true),
        ] {
            let typed = Typed::of(&steps, &Parameters::default());
            assert_eq!(
                typed.has("tea") && typed.has_number("29"),
                is_own,
                "{steps:?}"
            );
        }
        let mut last = go();
        last.after = crate::working::Place::of("https://x.example/?q=Tea+29");
        let typed = Typed::of(&[fill(), go(), last], &Parameters::default());
        assert!(typed.has("tea"), "the address repeats it");
    }

    #[test]
    fn what_is_typed_at_the_focus_may_be_in_any_field() {
        for (call, arguments, anywhere) in [
            ("type", json!({ "text": "a" }), true),
            ("press", json!({ "key": "1" }), true),
            ("press", json!({ "key": "ArrowUp" }), true),
            ("press", json!({ "key": "Control+Enter" }), false),
            ("press", json!({ "key": "Control+f" }), false),
            ("press", json!({ "key": "Control+v" }), true),
            (
                "fill",
                json!({ "target": "textbox \"Name\"", "text": "a" }),
                true,
            ),
        ] {
            let typed = Typed::of(&[step(call, arguments, false)], &Parameters::default());
            assert_eq!(typed.is_own(&field("e1")), anywhere, "{call}");
            let mut result = field("e1");
            result.states.readonly = true;
            assert!(!typed.is_own(&result), "{call}");
        }
    }

    #[test]
    fn a_field_that_could_not_be_filled_is_as_it_was() {
        let mut fill = step("fill", json!({ "target": "e1", "text": "a" }), false);
        fill.outcome = Outcome::failed(ErrorClass::NotEditable, "");
        let typed = Typed::of(&[fill.clone()], &Parameters::default());
        assert!(!typed.is_own(&field("e1")) && typed.has("a"));
        fill.outcome = Outcome::failed(ErrorClass::Timeout, "");
        assert!(Typed::of(&[fill], &Parameters::default()).is_own(&field("e1")));
    }

    #[test]
    fn a_field_with_a_secret_proves_nothing() {
        let masked = field("e1").with_value("<secret:PASSWORD>");
        assert!(Typed::default().is_own(&masked));
    }
}
