//! The items of memory in the form in which people read them, and the search for an item by its name.

use crate::{
    base::{Error, ErrorKind, Result},
    memory::{Described, Record, Shelf},
};

/// Maximum number of names that the error about an ambiguous name lists. Source: chosen.
const MAX_NAMES: usize = 5;

/// A record of memory together with its shelf and its description for a person.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Item {
    /// The shelf that holds the record. Its collection is the name of the memory kind.
    pub shelf: Shelf,
    /// The record as it is stored.
    pub record: Record,
    /// The description of the record in words, written by its memory kind.
    pub described: Described,
}

impl Item {
    /// Returns the name of the item: its key, followed by its host if it has one. The host is part of the name because items
    /// of two hosts can have the same key.
    pub fn name(&self) -> String {
        self.shelf.item_name(&self.record.key)
    }
}

/// The items of a namespace, ordered by shelf and key.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Items {
    /// The items.
    pub items: Vec<Item>,
    /// Number of records that their memory kind cannot read.
    pub unreadable: usize,
    /// Shelves whose memory kind the keeper does not know.
    pub unknown: Vec<Shelf>,
    /// Shelves that cannot be read.
    pub damaged: Vec<Damaged>,
}

/// A shelf that cannot be read, because it is damaged or too large, or because the system refused to read its file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damaged {
    /// The shelf.
    pub shelf: Shelf,
    /// The reason in words.
    pub why: String,
    /// True if the shelf is too large, false if it is damaged or was not read. A shelf that is too large is not repaired, and nothing
    /// new can be learned there.
    pub is_too_large: bool,
    /// True if the system refused to read the shelf's file, so that it is not known whether the shelf is damaged.
    pub is_refused: bool,
}

impl Damaged {
    /// Converts an error that occurred when this shelf was loaded. Returns the error unchanged if it may concern other
    /// shelves too, such as a lost connection.
    pub(super) fn of(shelf: &Shelf, error: Error) -> Result<Self> {
        // A store of files names the file in the error.
        let refused = error.said("path").map(|path| refused(path, &error));
        let is_refused = refused.is_some();
        let is_too_large = error.kind() == ErrorKind::TooLarge;
        if !is_refused && !is_too_large && error.kind() != ErrorKind::Corrupt {
            return Err(error);
        }
        let why = error.said("why").or_else(|| error.said("read_only"));
        let why = refused.or_else(|| why.map(str::to_owned));
        Ok(Self {
            shelf: shelf.clone(),
            why: why.unwrap_or_else(|| error.to_string()),
            is_too_large,
            is_refused,
        })
    }
}

/// Returns the reason why the system refused to read a file. The reason names the file once.
fn refused(path: &str, error: &Error) -> String {
    let source = std::error::Error::source(error).map(ToString::to_string);
    match source {
        Some(source) if source.contains(path) => source,
        Some(source) => format!("{path}: {source}"),
        None => path.to_owned(),
    }
}

impl Items {
    /// Returns the item with this name or key. If there is none, returns the only item whose name begins with `name`.
    ///
    /// # Errors
    /// `InvalidInput`, with the reason as `why`, if there is no such item, or more than one.
    pub fn find(&self, name: &str) -> Result<&Item> {
        let all = |is: &dyn Fn(&&Item) -> bool| self.items.iter().filter(is).collect::<Vec<_>>();
        let mut found = all(&|item| item.name() == name || item.record.key == name);
        if found.is_empty() {
            found = all(&|item| item.name().starts_with(name));
        }
        let why = match found[..] {
            [one] => return Ok(one),
            [] => {
                let damaged = self.damaged.iter();
                let damaged: Vec<String> = damaged
                    .map(|Damaged { shelf, why, .. }| format!("; {shelf} cannot be read ({why})"))
                    .collect();
                format!(
                    "nothing is remembered under {name}: `webwise memory list` shows the keys{}",
                    damaged.concat()
                )
            }
            _ => {
                let mut names: Vec<String> = found
                    .iter()
                    .take(MAX_NAMES)
                    .map(|item| item.name())
                    .collect();
                if found.len() > MAX_NAMES {
                    names.push(format!("{} more", found.len() - MAX_NAMES));
                }
                format!("{name} could be {}: give more of it", names.join(", "))
            }
        };
        Err(Error::new(ErrorKind::InvalidInput, "memory.find").with("why", why))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Namespace;

    #[test]
    fn a_refused_file_is_named_once_and_a_lost_connection_is_no_fault_of_a_shelf() {
        let shelf = Shelf::global(&Namespace::default(), "lessons");
        let unavailable = || Error::new(ErrorKind::Unavailable, "store.load");
        for (said, why) in [
            ("no rights", "a.json: no rights"),
            ("a.json is not a file", "a.json is not a file"),
        ] {
            let source = std::io::Error::other(said);
            let error = unavailable().with("path", "a.json").with_source(source);
            let damaged = Damaged::of(&shelf, error).unwrap();
            assert_eq!((&*damaged.why, damaged.is_refused), (why, true));
        }
        assert!(Damaged::of(&shelf, unavailable()).is_err());
    }
}
