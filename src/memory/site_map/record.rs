//! The record of one page of a site map.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    base::{Error, ErrorKind, Result, fitting, short_hash, text},
    memory::Record,
    page::{PageAddress, PageType},
    working::MapPage,
};

/// Maximum number of pages that memory keeps for one host. Source: chosen; enough for three explorations of the default
/// size.
pub const MAX_PAGES: usize = 60;
/// Maximum length of the address of a page. Pages with longer addresses are not kept. Unit: bytes. Source: chosen.
const MAX_URL: usize = 200;
/// Maximum length of a value in the query of an address. Longer values are removed, because they are often tokens. Unit:
/// bytes. Source: chosen.
const MAX_QUERY_VALUE: usize = 40;
/// Maximum number of headings kept of a page. Source: chosen.
const MAX_HEADINGS: usize = 3;
/// Maximum number of fields and buttons of a page whose names are kept. Source: chosen.
const MAX_CONTROLS: usize = 5;
/// Maximum size of a title, heading or name. Longer texts are cut. Unit: bytes of a JSON string. Source: chosen; all texts
/// of a page fit into a record.
const MAX_NAME: usize = 100;

/// Returns true if a query parameter with this name probably holds a credential, such as a session id.
fn is_token(key: &str) -> bool {
    let key = key.to_lowercase();
    let is_session = matches!(&*key, "s" | "sid");
    is_session
        || [
            "sess", "token", "auth", "ticket", "secret", "key", "sig", "nonce", "csrf",
        ]
        .iter()
        .any(|part| key.contains(part))
}

/// A page of a site map. The page wrote all texts in it, so they are untrusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Explored {
    /// The address, without user name, password, fragment and query parameters that may be credentials.
    pub url: String,
    /// The title of the page.
    pub title: String,
    /// The type of the page.
    pub page_type: PageType,
    /// Number of links from the start of the exploration to the page.
    pub depth: u32,
    /// The words of the link by which the exploration reached the page.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub words: String,
    /// The headings of the page, those of the highest level first. Only the first few are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<String>,
    /// The names of the first fields and buttons of the page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub controls: Vec<String>,
    /// The time when the map of the exploration was stored. It is the same for all pages of the map.
    pub explored_at: DateTime<Utc>,
}

impl Explored {
    /// Creates the record of a page with a shortened address and shortened texts. Returns `None` if the address is not valid
    /// or still too long.
    pub(super) fn of(page: &MapPage, now: DateTime<Utc>) -> Option<Self> {
        let is_left_out = |key: &str, value: &str| value.len() > MAX_QUERY_VALUE || is_token(key);
        let url = PageAddress::new(&page.url)
            .storable(is_left_out)?
            .to_string();
        let cut = |words: &str| fitting(&text::squeeze(&text::clean(words)), MAX_NAME);
        let first =
            |names: &[String], most| names.iter().take(most).map(|name| cut(name)).collect();
        (url.len() <= MAX_URL).then(|| Self {
            url,
            title: cut(&page.title),
            page_type: page.page_type,
            depth: page.depth,
            words: cut(&page.words),
            headings: first(&page.headings, MAX_HEADINGS),
            controls: first(&page.controls, MAX_CONTROLS),
            explored_at: now,
        })
    }

    /// Reads a page from its record.
    ///
    /// # Errors
    /// `Corrupt` if the record is not a page of a map.
    pub fn from_record(record: &Record) -> Result<Self> {
        serde_json::from_value(record.body.clone()).map_err(|error| {
            Error::new(ErrorKind::Corrupt, "site_map.read")
                .with("key", &record.key)
                .with_source(error)
        })
    }

    /// Returns the record of the page. Its key is derived from the address.
    ///
    /// # Errors
    /// `Corrupt` if the page cannot be written as JSON.
    pub fn to_record(&self) -> Result<Record> {
        let body = serde_json::to_value(self)
            .map_err(|error| Error::new(ErrorKind::Corrupt, "site_map.write").with_source(error))?;
        Ok(Record::new(short_hash(&self.url), &body))
    }

    /// Returns the address of the page without its scheme, host and port.
    pub(super) fn path(&self) -> &str {
        let after_scheme = self.url.find("://").map_or(0, |at| at + 3);
        let path = self.url[after_scheme..].find('/');
        path.map_or("/", |at| &self.url[after_scheme + at..])
    }

    /// Returns a line about the page: its path, its title (or else the words of the link to it), its headings, fields and
    /// buttons.
    pub(super) fn line(&self) -> String {
        let title = if self.title.is_empty() {
            &self.words
        } else {
            &self.title
        };
        let mut line = format!("{} {title}", self.path());
        let headings = self.headings.iter().filter(|heading| *heading != title);
        let headings: Vec<&str> = headings.map(String::as_str).collect();
        for (label, names) in [
            ("", headings.join(", ")),
            ("has ", self.controls.join(", ")),
        ] {
            if !names.is_empty() {
                line.push_str("; ");
                line.push_str(label);
                line.push_str(&names);
            }
        }
        line
    }

    /// Returns all words of the page's path, texts and link, in lower case.
    pub(super) fn all_words(&self) -> Vec<String> {
        let names = self.headings.iter().chain(&self.controls);
        let all = [self.path(), &*self.title, &*self.words].into_iter();
        all.chain(names.map(String::as_str))
            .flat_map(text::words)
            .collect()
    }
}
