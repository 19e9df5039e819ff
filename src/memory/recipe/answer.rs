//! The answer of a run, as the places of its words on the page, so that a later run can read it again.
//!
//! No word of an answer is kept: an old answer is never told again.

use serde::{Deserialize, Serialize};

use super::{Following, Here, learn::heading};
use crate::{
    action::Finish,
    base::{short_hash, text},
    memory::RunLog,
};

/// Maximum number of words of the evidence and of the answer.
const MAX_WORDS: usize = 40;

/// The answer of a run whose words all stood in its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadAgain {
    /// The hash of the page's main heading, without numbers and values.
    heading: Option<String>,
    /// The hash of the words of the evidence that are no numbers and no codes, in their places.
    passage: String,
    /// Number of words of the evidence.
    length: usize,
    /// The positions of the answer's words among those of the evidence.
    words: Vec<usize>,
}

impl ReadAgain {
    /// Returns the answer of a run; `None` if it has words of its own, or if nothing but numbers was its evidence.
    pub(super) fn of(log: &RunLog, hidden: &[String]) -> Option<Self> {
        let step = log.steps.last()?;
        let finished = step.finished.as_ref().filter(|one| one.verified)?;
        let (evidence, answer) = (words(&finished.evidence), words(&finished.answer));
        let is_short = |words: &[&str]| (1..=MAX_WORDS).contains(&words.len());
        if !is_short(&evidence) || !is_short(&answer) || !finished.unverified.is_empty() {
            return None;
        }
        // A word that stands twice does not say which of its places is meant.
        let same = |word: &&str| {
            let mut places = evidence
                .iter()
                .enumerate()
                .filter(|(_, one)| plain(one) == plain(word));
            let (at, _) = places.next()?;
            places.next().is_none().then_some(at)
        };
        Some(Self {
            heading: heading(&step.heading, hidden),
            passage: passage(&evidence)?,
            length: evidence.len(),
            words: answer.iter().map(same).collect::<Option<_>>()?,
        })
    }

    /// Reads the answer from the page's `own` words, of which empty ones separate passages. `None` if the page is another one, or
    /// if not exactly one passage is like the recorded evidence.
    pub(crate) fn read(
        &self,
        following: &Following,
        here: &Here<'_>,
        own: &[&str],
    ) -> Option<Finish> {
        if !following.is_headed(self.heading.as_deref(), here) {
            return None;
        }
        let own: Vec<&str> = own
            .iter()
            .filter(|word| word.is_empty() || !plain(word).is_empty())
            .copied()
            .collect();
        let is_it = |words: &&[&str]| {
            words.iter().all(|word| !word.is_empty())
                && passage(words).as_ref() == Some(&self.passage)
        };
        let mut found = own.windows(self.length.max(1)).filter(is_it);
        let evidence = found.next().filter(|_| found.next().is_none())?;
        let word = |at: &usize| {
            let word = evidence.get(*at)?;
            Some(word.trim_matches(|c: char| matches!(c, '.' | ',' | ';' | ':')))
        };
        let answer: Vec<&str> = self.words.iter().map(word).collect::<Option<_>>()?;
        Some(Finish {
            answer: answer.join(" "),
            evidence: evidence.join(" "),
            success: true,
        })
    }
}

/// Returns the words of a text, without signs that stand alone.
fn words(said: &str) -> Vec<&str> {
    let all = said.split_whitespace();
    all.filter(|word| !plain(word).is_empty()).collect()
}

fn plain(word: &str) -> Vec<String> {
    text::words(word)
}

/// Returns the hash of the words without those that are values: numbers, and codes in capital letters such as `FW-TMSATVJN`. `None`
/// if there are no others.
fn passage(words: &[&str]) -> Option<String> {
    let is_value = |word: &&str| {
        let is_code = || word.chars().filter(|c| c.is_alphabetic()).count() >= 4;
        word.contains(char::is_numeric) || (is_code() && !word.contains(char::is_lowercase))
    };
    let kept = |word: &&str| {
        if is_value(word) {
            "<>".to_owned()
        } else {
            plain(word).join(" ")
        }
    };
    let all: Vec<String> = words.iter().map(kept).collect();
    (!words.iter().all(is_value)).then(|| short_hash(all.join(" ")))
}
