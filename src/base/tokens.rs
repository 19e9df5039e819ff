//! Estimates of token counts, made without a tokenizer.

use std::{
    iter::Sum,
    ops::{Add, AddAssign},
};

use serde::{Deserialize, Serialize};

use super::text::tokens_wide;

/// A number of tokens.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct TokenCount(pub u64);

impl Add for TokenCount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for TokenCount {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for TokenCount {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self(0), Add::add)
    }
}

/// The kind of a text, which decides how many characters a token takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentType {
    /// Prose: 4 characters a token.
    Text,
    /// Program text: 3.5 characters a token.
    Code,
    /// JSON: 3 characters a token.
    Json,
    /// Markup: 2.5 characters a token.
    Html,
}

impl ContentType {
    /// Characters per token. Source: chosen.
    const fn chars_per_token(self) -> f64 {
        match self {
            Self::Text => 4.0,
            Self::Code => 3.5,
            Self::Json => 3.0,
            Self::Html => 2.5,
        }
    }
}

/// Estimates how many tokens a text takes.
///
/// Counts ideographs, Korean syllables and emoji as one token each, as most tokenizers do, and the rest by
/// [`ContentType`]. Prefer the provider's real count if there is one.
///
/// ```
/// use webwise::base::tokens::{ContentType, TokenCount, estimate};
///
/// assert_eq!(estimate("eight ch", ContentType::Text), TokenCount(2));
/// assert_eq!(estimate("東京", ContentType::Text), TokenCount(2));
/// ```
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a text in memory is far below 2^52 characters"
)]
pub fn estimate(text: &str, content: ContentType) -> TokenCount {
    let (mut narrow, mut wide) = (0_u64, 0_u64);
    for c in text.chars() {
        if tokens_wide(c) || matches!(c, '\u{1f000}'..='\u{1ffff}') {
            wide += 1;
        } else {
            narrow += 1;
        }
    }
    TokenCount(wide + (narrow as f64 / content.chars_per_token()).ceil() as u64)
}
