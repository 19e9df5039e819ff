//! The texts that a run typed. Memory keeps no name that repeats one of them, because pages offer typed text as a choice.

use crate::{
    action::{Action, BrowserAction, TextValue},
    base::text,
    working::Step,
};

/// Minimum length of a typed text that counts. Unit: characters. Source: chosen; shorter texts are parts of many words.
const MIN_TYPED: usize = 4;

/// The texts that a run typed, with case folded.
#[derive(Debug, Default)]
pub(super) struct Typed(Vec<String>);

impl Typed {
    /// Returns the texts that these steps typed.
    pub(super) fn of(steps: &[Step]) -> Self {
        let texts = steps.iter().flat_map(texts);
        let long = texts.filter(|text| text.chars().count() >= MIN_TYPED);
        Self(long.collect())
    }

    /// Returns true if the words contain one of the texts.
    pub(super) fn is_in(&self, words: &str) -> bool {
        let words = text::fold(words);
        self.0.iter().any(|text| words.contains(text.as_str()))
    }
}

fn texts(step: &Step) -> Vec<String> {
    let Action::Browser(action @ (BrowserAction::Fill(_) | BrowserAction::Type(_))) = &step.action
    else {
        return Vec::new();
    };
    let texts = action.texts().into_iter().filter_map(|text| match text {
        TextValue::Literal(text) => Some(text::fold(text.trim())),
        _ => None,
    });
    texts.collect()
}
