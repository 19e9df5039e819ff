//! The stored form of a session (the record of a finished run).

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    base::{Error, ErrorKind, Host, Result, RunId, SessionId, Site, fitting, text},
    memory::Record,
    page::PageAddress,
};

/// Maximum size of the goal in a session. Longer goals are cut. Unit: bytes of a JSON string. Source: chosen; four lines of
/// a prompt.
const MAX_GOAL: usize = 600;
/// Characters that the model could take for markup. They are percent-encoded in the address of a session.
pub(super) const MARKUP: [char; 11] = ['`', '<', '>', '*', '[', ']', '{', '}', '|', '~', '#'];
/// Maximum size of the answer in a session. Longer answers are cut. Unit: bytes of a JSON string. Source: chosen; fits into
/// a record together with the goal and the address.
const MAX_OUTCOME: usize = 600;
/// Maximum size of the list of unverified claims in a session. Longer lists are cut. Unit: bytes of a JSON string. Source:
/// chosen; ten numbers, or a name and a few numbers.
const MAX_UNVERIFIED: usize = 120;
/// Maximum length of the address in a session. Unit: bytes. Source: chosen.
const MAX_URL: usize = 200;
/// Maximum length of a value in the query of a session's address. Longer values are removed, because they are often tokens.
/// Unit: bytes. Source: chosen.
const MAX_QUERY_VALUE: usize = 40;
/// Maximum number of hosts that a session lists.
pub(super) const MAX_HOSTS: usize = 5;

/// A finished run, stored for later runs on its host.
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
    /// The answer of the run, in the model's words. A long answer is cut. `None` if the run gave no answer, if it
    /// visited several hosts, or if it answered on the browser's error page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// The claims in the answer that no page of the run supports, as a list in one line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unverified: String,
    /// True if the run reached its goal and a page showed the evidence.
    pub success: bool,
    /// The address at which the run ended, without its fragment and without parts that may be secret; `None` if the run
    /// visited several hosts or the address is too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_url: Option<String>,
    /// The time when the run ended.
    pub timestamp: DateTime<Utc>,
    /// Number of the model's replies in the run, up to the last reply from which a step was taken.
    pub turns_used: u32,
    /// Duration of the run. Unit: milliseconds.
    pub duration_ms: u64,
    /// True if the session was imported from a source that the importing person did not trust, and no person has
    /// accepted it since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub imported: bool,
    /// The last hosts of the run, at most 5. Records of earlier versions have none.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub hosts: BTreeSet<Host>,
}

impl Session {
    /// Returns the session as other sites are shown it: the answer and the address stay on the site of the run.
    pub(super) fn elsewhere(&self) -> Self {
        Self {
            outcome: None,
            unverified: String::new(),
            final_url: None,
            ..self.clone()
        }
    }

    /// Returns true if the run acted on the host, or on any host of the site if `host` is `None`.
    pub(super) fn was_on(&self, site: &Site, host: Option<&Host>) -> bool {
        // Records of earlier versions name no host.
        self.hosts.is_empty()
            || self.hosts.iter().any(|own| match host {
                Some(host) => own == host,
                None => own.site().as_ref() == Some(site),
            })
    }

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

    /// Returns the record of the session. Its key is the id of the run.
    ///
    /// # Errors
    /// `Corrupt` if the session cannot be written as JSON.
    pub fn to_record(&self) -> Result<Record> {
        let body = serde_json::to_value(self)
            .map_err(|error| Error::new(ErrorKind::Corrupt, "session.write").with_source(error))?;
        Ok(Record::new(self.run.as_str(), &body))
    }

    /// Returns a goal as a session stores it.
    pub(super) fn goal(goal: &str) -> String {
        fitting(&text::squeeze(&text::clean(goal)), MAX_GOAL)
    }

    /// Cleans the texts of the session, and cuts each to its maximum size.
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

    /// Returns the words that a person reads before accepting the session: the goal and, for an imported session, its answer
    /// and address.
    pub(super) fn words(&self) -> String {
        let label = self.answer_label();
        let answer = self.outcome.iter().map(|said| format!("; {label}: {said}"));
        let url = self.final_url.iter().map(|url| format!("; ended at {url}"));
        let rest = answer.chain(url).filter(|_| self.imported);
        let words: String = std::iter::once(self.goal.clone()).chain(rest).collect();
        text::squeeze(&text::clean(&words))
    }

    /// Returns the label to show before the session's answer. It lists the answer's claims that no page supports.
    pub(super) fn answer_label(&self) -> String {
        match self.unverified.as_str() {
            "" => "answer".to_owned(),
            claims => format!("answer (unverified: {claims})"),
        }
    }

    pub(super) const fn result(&self) -> &'static str {
        if self.success { "done" } else { "not done" }
    }

    /// Returns the details of the session, each as a label and a text. The goal and `success` are not among them.
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
            ("Model calls", Some(self.turns_used.to_string())),
            ("Seconds", Some((self.duration_ms / 1_000).to_string())),
        ];
        let known = known.into_iter();
        known
            .filter_map(|(label, text)| Some((label, text?)))
            .collect()
    }
}

/// Returns an http or https address without its user name, password, fragment and long query values, and with the characters
/// of [`MARKUP`] percent-encoded. Above [`MAX_URL`], the whole query is dropped. Returns `None` for another scheme, or if
/// the address is too long without its query.
fn address(url: &str) -> Option<String> {
    let url = PageAddress::new(url).storable(|_, value| value.len() > MAX_QUERY_VALUE)?;
    let whole = PageAddress::document(url);
    let mut bare = whole.clone();
    bare.set_query(None);
    let mut plain = [whole, bare]
        .into_iter()
        .map(|url| without_markup(url.as_str()));
    plain.find(|url| url.len() <= MAX_URL)
}

/// Returns an address with the characters of [`MARKUP`] percent-encoded after the host.
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
