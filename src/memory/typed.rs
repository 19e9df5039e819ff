//! The texts that a run typed. Memory does not keep names that repeat such a text, because pages may show it as the name of
//! a choice.

use crate::{
    action::{Action, BrowserAction, TextValue},
    base::text::Folded,
    working::Step,
};

/// Minimum length of a typed text that is compared with names. Unit: characters. Source: chosen; shorter texts occur in many
/// words.
const MIN_TYPED: usize = 4;

/// The texts that a run typed, with case folded.
#[derive(Debug, Default)]
pub(super) struct Typed(Vec<Folded>);

impl Typed {
    pub(super) fn of(steps: &[Step]) -> Self {
        Self::texts(steps.iter().flat_map(texts))
    }

    /// Creates the collection from `texts`. Leaves out texts that are too short to be compared.
    pub(super) fn texts(texts: impl IntoIterator<Item = String>) -> Self {
        let is_long = |text: &String| text.trim().chars().count() >= MIN_TYPED;
        let long = texts.into_iter().filter(is_long);
        Self(long.map(|text| Folded::of(&text)).collect())
    }

    pub(super) fn is_in(&self, words: &str) -> bool {
        let words = Folded::of(words);
        self.0.iter().any(|text| words.contains(text))
    }
}

fn texts(step: &Step) -> Vec<String> {
    let Action::Browser(action @ (BrowserAction::Fill(_) | BrowserAction::Type(_))) = &step.action
    else {
        return Vec::new();
    };
    let texts = action.texts().into_iter().filter_map(|text| match text {
        TextValue::Literal(text) => Some(text.clone()),
        _ => None,
    });
    texts.collect()
}
