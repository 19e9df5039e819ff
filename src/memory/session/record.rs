//! A session (the record of a finished run) in the form in which it is stored.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::{
    base::{Error, ErrorKind, Result, RunId, SessionId, fitting, text},
    memory::Record,
};

/// Maximum size of the goal that a session keeps; a longer goal is cut. Unit: bytes of the goal as a JSON string. Source:
/// chosen; four lines of a prompt.
const MAX_GOAL: usize = 600;
/// Characters that the model could take for markup in a prompt. They are percent-encoded in the address that a session
/// keeps.
const MARKUP: [char; 10] = ['`', '<', '>', '*', '[', ']', '{', '}', '|', '~'];
/// Maximum size of the answer that a session keeps; a longer answer is cut. Unit: bytes of the answer as a JSON string.
/// Source: chosen; an answer of this size fits into a record together with the goal and the address.
const MAX_OUTCOME: usize = 600;
/// Maximum size of the list of unverified claims that a session keeps; a longer list is cut. Unit: bytes of the list as a
/// JSON string. Source: chosen; ten numbers, or a name and a few numbers.
const MAX_UNVERIFIED: usize = 120;
/// Maximum length of the address that a session keeps. A longer address loses its query, and is not kept if it is still too
/// long. Unit: bytes. Source: chosen.
const MAX_URL: usize = 200;
/// Maximum length of one value in the query of the address that a session keeps. A longer value is removed, because it is
/// often a token. Unit: bytes. Source: chosen.
const MAX_QUERY_VALUE: usize = 40;

/// A finished run, as it is stored for later runs on its host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Session {
    /// The session id of the run; `None` if the caller gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<SessionId>,
    /// The id of the run.
    pub run: RunId,
    /// The goal of the run, in the user's words. A long goal is cut.
    pub goal: String,
    /// The answer of the run, in the model's words; `None` if the run gave no answer, or if it visited several hosts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// The claims in the answer that no page of the run supports. They are a list in one line. Empty if there are no such
    /// claims.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unverified: String,
    /// True if the run reached its goal and a page showed the evidence.
    pub success: bool,
    /// The address at which the run ended, without its fragment and without parts that may be secret; `None` if the run
    /// visited several hosts, or if the address is too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_url: Option<String>,
    /// The time when the run ended.
    pub timestamp: DateTime<Utc>,
    /// Number of replies of the model in the run.
    pub turns_used: u32,
    /// Duration of the run. Unit: milliseconds.
    pub duration_ms: u64,
    /// True if the session comes from another person's export, and no person has accepted it since the import.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub imported: bool,
}

impl Session {
    /// Reads a session from its record.
    ///
    /// # Errors
    /// `Corrupt` if the record is not a session.
    pub fn from_record(record: &Record) -> Result<Self> {
        serde_json::from_value(record.body.clone()).map_err(|error| {
            Error::new(ErrorKind::Corrupt, "session.read")
                .with("key", &record.key)
                .with_source(error)
        })
    }

    /// Returns the record of the session. The key of the record is the id of the run, so each run is recorded only once.
    ///
    /// # Errors
    /// `Corrupt` if the session cannot be written as JSON.
    pub fn to_record(&self) -> Result<Record> {
        let body = serde_json::to_value(self)
            .map_err(|error| Error::new(ErrorKind::Corrupt, "session.write").with_source(error))?;
        Ok(Record::new(self.run.as_str(), &body))
    }

    /// Cleans the texts of the session, and cuts each text to the size that a session keeps.
    pub(super) fn cut(self) -> Self {
        let cut = |words: &str, max| fitting(&text::squeeze(&text::clean(words)), max);
        Self {
            goal: cut(&self.goal, MAX_GOAL),
            outcome: self
                .outcome
                .map(|outcome| cut(&outcome, MAX_OUTCOME))
                .filter(|outcome| !outcome.is_empty()),
            unverified: cut(&self.unverified, MAX_UNVERIFIED),
            final_url: self.final_url.and_then(|url| address(&url)),
            ..self
        }
    }

    /// Returns the words that a person reads before accepting the session, in full and on one line. They are the goal and,
    /// for an imported session, its answer and address.
    pub(super) fn words(&self) -> String {
        let label = self.answer_label();
        let answer = self.outcome.iter().map(|said| format!("; {label}: {said}"));
        let url = self.final_url.iter().map(|url| format!("; ended at {url}"));
        let rest = answer.chain(url).filter(|_| self.imported);
        let words: String = std::iter::once(self.goal.clone()).chain(rest).collect();
        text::squeeze(&text::clean(&words))
    }

    /// Returns the label that stands before the answer of the session. If no page supports some claims of the answer, the
    /// label names these claims.
    pub(super) fn answer_label(&self) -> String {
        match self.unverified.as_str() {
            "" => "answer".to_owned(),
            claims => format!("answer (unverified: {claims})"),
        }
    }

    pub(super) const fn result(&self) -> &'static str {
        if self.success { "done" } else { "not done" }
    }

    /// Returns all details of the session except its goal. Each detail is a label and a text for a person.
    pub(super) fn details(&self) -> Vec<(&'static str, String)> {
        let known = [
            ("Session", self.id.as_ref().map(ToString::to_string)),
            ("Run", Some(self.run.to_string())),
            ("Answer", self.outcome.clone()),
            (
                "Unverified",
                Some(self.unverified.clone()).filter(|claims| !claims.is_empty()),
            ),
            ("Ended at", self.final_url.clone()),
            ("Time", Some(self.timestamp.to_rfc3339())),
            ("Turns", Some(self.turns_used.to_string())),
            ("Seconds", Some((self.duration_ms / 1_000).to_string())),
        ];
        let known = known.into_iter();
        known
            .filter_map(|(label, text)| Some((label, text?)))
            .collect()
    }
}

/// Returns an http or https address without its user name, password, fragment and long query values. The characters of
/// [`MARKUP`] are percent-encoded in it. If the result is longer than [`MAX_URL`], the whole query is dropped. Returns
/// `None` if the address has another scheme, or if it is too long even without its query.
fn address(url: &str) -> Option<String> {
    let mut url = Url::parse(url).ok()?;
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);
    let short: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(_, value)| value.len() <= MAX_QUERY_VALUE)
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    url.set_query(None);
    let bare = url.to_string();
    if !short.is_empty() {
        url.query_pairs_mut().extend_pairs(short);
    }
    let shown = url.to_string();
    let mut plain = [shown, bare].into_iter().map(|url| without_markup(&url));
    plain.find(|url| url.len() <= MAX_URL)
}

/// Returns an address in which the characters of [`MARKUP`] are percent-encoded everywhere after the host. A page or another
/// person's file chose this part of the address.
fn without_markup(url: &str) -> String {
    let host = url.find("://").map_or(0, |at| at + 3);
    let end = url[host..].find('/').map_or(url.len(), |at| host + at);
    let (origin, rest) = url.split_at(end);
    let encode = |c: char| {
        if MARKUP.contains(&c) {
            format!("%{:02X}", u32::from(c))
        } else {
            c.to_string()
        }
    };
    let rest: String = rest.chars().map(encode).collect();
    format!("{origin}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_kept_without_what_may_be_secret() {
        let kept = |url: &str| address(url);
        assert_eq!(
            kept(
                "https://u:p@shop.example/order/17?page=2&token=0123456789012345678901234567890123456789012#x"
            ),
            Some("https://shop.example/order/17?page=2".to_owned())
        );
        assert_eq!(
            kept(&format!("https://shop.example/?q={}", "a%20".repeat(40))),
            Some("https://shop.example/".to_owned())
        );
        assert_eq!(
            kept(&format!("https://shop.example/{}", "a".repeat(300))),
            None
        );
        assert_eq!(kept("data:text/html,x"), None);
    }
}
