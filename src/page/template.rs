//! Templates of addresses. A template is a URL without the parts that differ between pages of one kind, and without parts
//! that could carry a message.

use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::base::{Error, ErrorKind, Origin, Result};

/// Maximum number of path segments that a template keeps. Source: chosen.
const MAX_SEGMENTS: usize = 4;
/// Maximum length of a path segment that a template keeps unchanged. Unit: characters. Source: chosen.
const MAX_SEGMENT: usize = 40;
/// Minimum length of a path segment of hexadecimal digits and hyphens that counts as an id. Unit: characters. Source:
/// chosen; the shortest git hashes, with 7 digits, do not count.
const MIN_HEX_ID: usize = 8;

/// The origin and the path pattern of a URL.
///
/// In the path, each segment is written in lower case. A number becomes `:n`. A segment that is a long hexadecimal id
/// becomes `:id`. A segment that does not match `[a-z0-9._-]{1,40}` becomes `:x`. A path of more than four segments keeps
/// its first three and its last, with `:more` between them. The last segment is kept because it often names the operation,
/// such as `change` or `delete`. The query, the fragment and the user name are dropped, because they may contain access
/// tokens.
///
/// ```
/// use webwise::page::PageTemplate;
///
/// let template = PageTemplate::parse("https://bob@shop.example/item/4711/reviews?page=2#top")?;
/// assert_eq!(template.as_str(), "https://shop.example/item/:n/reviews");
/// # Ok::<(), webwise::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PageTemplate(String);

impl PageTemplate {
    /// Returns the template of a URL.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the scheme is neither http nor https, or if the URL has no host.
    pub fn of(url: &Url) -> Result<Self> {
        let mut text = Origin::of(url)?.as_str().to_owned();
        let segments: Vec<&str> = url
            .path_segments()
            .into_iter()
            .flatten()
            .filter(|s| !s.is_empty())
            .collect();
        let kept: Vec<&str> = match &*segments {
            [first, second, third, .., last] if segments.len() > MAX_SEGMENTS => {
                vec![first, second, third, ":more", last]
            }
            few => few.to_vec(),
        };
        text.push('/');
        text.push_str(&kept.into_iter().map(segment).collect::<Vec<_>>().join("/"));
        Ok(Self(text))
    }

    /// Returns the path pattern without the origin, such as `/item/:n`.
    pub fn path(&self) -> &str {
        let rest = self.0.split_once("://").map_or(&*self.0, |(_, rest)| rest);
        rest.find('/').map_or("/", |at| &rest[at..])
    }

    /// Parses the text of a URL and returns the template of the URL.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the text is not a URL, and for the same reasons as [`PageTemplate::of`].
    pub fn parse(text: &str) -> Result<Self> {
        let url = Url::parse(text).map_err(|e| {
            Error::new(ErrorKind::InvalidInput, "page_template.parse").with_source(e)
        })?;
        Self::of(&url)
    }

    /// Returns the template as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn segment(raw: &str) -> String {
    let lower = raw.to_ascii_lowercase();
    if matches!(&*lower, ":n" | ":id" | ":x" | ":more") {
        return lower;
    }
    let is_id = |part: &str| {
        part.len() >= MIN_HEX_ID
            && part.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
            && part.bytes().any(|b| b.is_ascii_digit())
            && part.bytes().any(|b| b.is_ascii_alphabetic())
    };
    if is_id(&lower) {
        return ":id".to_owned();
    }
    // A template that is read back may already contain `:n`.
    let plain = lower.replace(":n", "0");
    let fits = plain.len() <= MAX_SEGMENT
        && plain.bytes().all(|b| {
            b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-')
        });
    if !fits {
        return ":x".to_owned();
    }
    let mut out = String::with_capacity(plain.len());
    for c in plain.chars() {
        if !c.is_ascii_digit() {
            out.push(c);
        } else if !out.ends_with(":n") {
            out.push_str(":n");
        }
    }
    out
}

impl fmt::Display for PageTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for PageTemplate {
    type Error = Error;

    /// Parses a stored template. Fails if the text is not a template, for example because it is a URL with numbers.
    fn try_from(text: String) -> Result<Self> {
        let read = Self::parse(&text)?;
        if read.0 == text {
            Ok(read)
        } else {
            Err(Error::new(ErrorKind::InvalidInput, "page_template.parse")
                .with("expected", "a template, not a URL"))
        }
    }
}

impl From<PageTemplate> for String {
    fn from(template: PageTemplate) -> Self {
        template.0
    }
}
