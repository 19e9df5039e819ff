//! The file `memory.json`, version 1: parsing and import. Another program keeps its lessons in such a file.
//!
//! Parsing is strict about the fields of version 1 and skips unknown fields. A bad lesson does not affect the others. The
//! words of an imported lesson wait for review by a person, unless the importing person vouches for them.

mod import;
#[cfg(test)]
mod tests;

use std::{collections::BTreeSet, fmt};

use chrono::NaiveDate;
use serde::Serialize;
use serde_json::{Map, Value};
use url::Url;

pub use import::{Import, MAX_ON_A_SHELF, import};

use super::Category;
use crate::base::{Error, ErrorKind, Host, Result, Site, text};

/// Version of the file format that this crate reads.
pub const VERSION: u64 = 1;
/// Maximum size of a file that is read. Unit: bytes. Source: chosen; the default limit of the JSON store
/// for a file.
pub const MAX_BYTES: usize = 8 * 1_024 * 1_024;
/// Maximum number of lessons read from one file. Source: chosen; more than fit on ten shelves.
pub const MAX_LESSONS: usize = 5_000;
/// Maximum number of problems of a file that are listed. Further problems are only counted. Source: chosen; as many as a
/// person will read.
pub const MAX_PROBLEMS: usize = 100;
/// Maximum length of a quotation in the description of a problem. Unit: characters. Source: chosen.
const MAX_SHOWN: usize = 40;
const PARSE: &str = "memory_json.parse";

/// The origin of a lesson, as version 1 names it. The value `user` is an addition of this crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The lesson was shipped with the program that wrote the file.
    Seed,
    /// The lesson was learned from runs.
    Learned,
    /// A person wrote or accepted the lesson.
    User,
}

impl Source {
    /// Returns the word that the file uses for the source.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Learned => "learned",
            Self::User => "user",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [Self::Seed, Self::Learned, Self::User]
            .into_iter()
            .find(|source| source.as_str() == word)
    }
}

/// One lesson of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The advice.
    pub lesson: String,
    /// The category of the lesson.
    pub category: Category,
    /// The command that fails; `None` if the lesson names no command.
    pub failed_command: Option<String>,
    /// The text that the error message must contain; `None` if the lesson names no text.
    pub error_pattern: Option<String>,
    /// The domain to which the lesson applies, with its subdomains; `None` if the lesson applies to every site.
    pub domain: Option<String>,
    /// Number of times that the lesson was used.
    pub use_count: u64,
    /// The day on which the lesson was created; `None` if the file does not state it.
    pub created_at: Option<NaiveDate>,
    /// The day on which the lesson was last used; `None` if the file does not state it.
    pub last_used: Option<NaiveDate>,
    /// The origin of the lesson.
    pub source: Source,
    /// The domains where the lesson was useful.
    pub triggered_domains: Vec<String>,
}

/// A problem in one lesson of a file, or in the whole file, described for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Position of the lesson in the file, counted from 1; `None` if the problem concerns the whole file.
    pub lesson: Option<usize>,
    /// The description of the problem.
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lesson {
            Some(at) => write!(f, "lesson {at}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

/// The problems of a file, in the order in which they were found. Above [`MAX_PROBLEMS`], problems are only counted.
#[derive(Debug, Default)]
struct Problems {
    told: Vec<Problem>,
    more: usize,
}

impl Problems {
    fn add(&mut self, lesson: Option<usize>, what: impl Into<String>) {
        if self.told.len() < MAX_PROBLEMS {
            self.told.push(Problem {
                lesson,
                what: what.into(),
            });
        } else {
            self.more += 1;
        }
    }

    fn told(mut self) -> Vec<Problem> {
        if self.more > 0 {
            self.told.push(Problem {
                lesson: None,
                what: format!("there are {} more problems", self.more),
            });
        }
        self.told
    }
}

/// A file `memory.json` of version 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Document {
    /// The lessons that could be read, each with its position in the file, counted from 1.
    pub lessons: Vec<(usize, Entry)>,
    /// Descriptions of the parts that could not be read.
    pub problems: Vec<Problem>,
}

/// Parses a file `memory.json` of version 1. A lesson that cannot be read is left out and listed as a problem.
///
/// ```
/// let file = br#"{"version": 1, "lessons": [{"lesson": "Close the banner.", "category": "site_specific"}, 7]}"#;
/// let read = webwise::memory::lesson::v1::parse(file)?;
/// assert_eq!(read.lessons.len(), 1);
/// assert_eq!(read.problems[0].to_string(), "lesson 2: it is not an object");
/// # Ok::<(), webwise::Error>(())
/// ```
///
/// # Errors
/// [`ErrorKind::TooLarge`] if the file has more than [`MAX_BYTES`], [`ErrorKind::Unsupported`] if it has another version,
/// and [`ErrorKind::InvalidInput`] if the bytes are not a file of version 1.
pub fn parse(bytes: &[u8]) -> Result<Document> {
    if bytes.len() > MAX_BYTES {
        return Err(Error::new(ErrorKind::TooLarge, PARSE)
            .with("bytes", bytes.len())
            .with("most", MAX_BYTES));
    }
    let wrong = |why: &str| Error::new(ErrorKind::InvalidInput, PARSE).with("why", why);
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|e| wrong("it cannot be read as JSON").with("where", e.to_string()))?;
    let Value::Object(mut map) = value else {
        return Err(wrong("it is not an object"));
    };
    match map.remove("version") {
        Some(version) if version == VERSION => {}
        Some(version) => {
            return Err(Error::new(ErrorKind::Unsupported, PARSE)
                .with("version", shown(&version))
                .with("read", VERSION));
        }
        None => return Err(wrong("it does not say its version")),
    }
    let Some(Value::Array(found)) = map.remove("lessons") else {
        return Err(wrong("its lessons are missing or not a list"));
    };
    let (mut lessons, mut problems) = (Vec::new(), Problems::default());
    let total = found.len();
    for (value, at) in found.into_iter().zip(1..=MAX_LESSONS) {
        match entry(value) {
            Ok(entry) => lessons.push((at, entry)),
            Err(what) => problems.add(Some(at), what),
        }
    }
    if total > MAX_LESSONS {
        problems.add(
            None,
            format!("only the first {MAX_LESSONS} of {total} lessons are read"),
        );
    }
    Ok(Document {
        lessons,
        problems: problems.told(),
    })
}

fn entry(value: Value) -> Result<Entry, String> {
    let Value::Object(mut map) = value else {
        return Err("it is not an object".to_owned());
    };
    let lesson = word(&mut map, "lesson")?.ok_or("it has no text")?;
    if text::squeeze(&text::clean(&lesson)).is_empty() {
        return Err("it has no text".to_owned());
    }
    let category = word(&mut map, "category")?.ok_or("it has no category")?;
    let category = Category::ALL
        .into_iter()
        .find(|known| known.as_str() == category)
        .ok_or_else(|| format!("its category is {}", shown(&category.into())))?;
    let use_count = match map.remove("use_count") {
        None | Some(Value::Null) => 0,
        Some(count) => count
            .as_u64()
            .ok_or_else(|| format!("its use_count is {}", shown(&count)))?,
    };
    let source = match word(&mut map, "source")? {
        None => Source::Learned,
        Some(source) => Source::parse(&source)
            .ok_or_else(|| format!("its source is {}", shown(&source.into())))?,
    };
    let triggered_domains = match map.remove("triggered_domains") {
        None | Some(Value::Null) => Vec::new(),
        Some(list) => serde_json::from_value(list)
            .map_err(|_| "its triggered_domains are not a list of texts")?,
    };
    Ok(Entry {
        lesson,
        category,
        failed_command: word(&mut map, "failed_command")?,
        error_pattern: word(&mut map, "error_pattern")?,
        domain: word(&mut map, "domain")?,
        use_count,
        created_at: day(&mut map, "created_at")?,
        last_used: day(&mut map, "last_used")?,
        source,
        triggered_domains,
    })
}

/// Removes the field `name` and returns its text; `None` if the field is missing or null. Fails if the value is not a
/// string.
fn word(map: &mut Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    match map.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(format!("its {name} is {}", shown(&other))),
    }
}

/// Removes the field `name` and returns its day; `None` if the field is missing or null. Fails if the value is not written
/// as `YYYY-MM-DD`.
fn day(map: &mut Map<String, Value>, name: &str) -> Result<Option<NaiveDate>, String> {
    let Some(text) = word(map, name)? else {
        return Ok(None);
    };
    let day = NaiveDate::parse_from_str(&text, "%Y-%m-%d")
        .ok()
        .filter(|day| day.to_string() == text);
    day.map(Some)
        .ok_or_else(|| format!("its {name} is {}", shown(&text.into())))
}

/// Returns `a list` for a list, `an object` for an object, and JSON for any other value.
fn shown(value: &Value) -> String {
    let piece = match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) => {
            return Value::from(text::truncate(&text::clean(text), MAX_SHOWN)).to_string();
        }
        other => other.to_string(),
    };
    text::truncate(&piece, MAX_SHOWN)
}

/// Returns the site of a domain that the file names; `None` if the text is not a valid domain or belongs to no site.
pub(super) fn site_of(domain: &str) -> Option<Site> {
    let host = Host::of_domain(domain).ok()?;
    Site::of(&Url::parse(&format!("https://{host}/")).ok()?).ok()
}

fn sites_of<'a>(domains: impl IntoIterator<Item = &'a String>) -> BTreeSet<Site> {
    domains
        .into_iter()
        .filter_map(|domain| site_of(domain))
        .collect()
}
