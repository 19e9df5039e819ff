//! Reads a shelf from its file, or from its backup if the file is missing or broken. If neither can be read, the intact
//! records in a broken file are read one by one. Reading writes nothing, because the reader may have no right to write.
//! Reading needs no lock, because a file is always replaced as a whole.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::{
    Files,
    failure::Failure,
    format::{Document, Parsed, parse},
    place::Place,
    salvage::salvage,
};
use crate::memory::{ReadOnly, Shelf, StoreNoticeKind};

#[derive(Debug)]
pub(super) struct Found {
    /// The document that was read. Some records may be missing if the records had to be read one by one from a broken
    /// file.
    pub(super) document: Document,
    pub(super) source: Source,
    /// The bytes of the shelf's own file (not the backup). `None` if this file is missing, broken, or written by a
    /// newer version of the program.
    pub(super) good: Option<Vec<u8>>,
    /// The broken files of the shelf, each with its path and its bytes. They are put into quarantine before the shelf
    /// is written. Empty if the shelf's own file is intact, because the backup is not read then.
    pub(super) bad: Vec<(PathBuf, Vec<u8>)>,
    pub(super) is_newer: bool,
    /// The number (generation) to which the next commit adds 1. As far as the files still show, it is at least as high
    /// as the generation of every state that the shelf had before.
    pub(super) generation: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Nobody,
    File,
    Backup,
    Salvage,
    /// Nothing was read: the files are broken or belong to another shelf, and no record of this shelf can be read.
    Lost,
}

enum Copy {
    Missing,
    Good(Document, Vec<u8>),
    Newer(Document),
    Bad {
        bytes: Vec<u8>,
        is_ours: bool,
        why: String,
    },
}

impl Files {
    pub(super) fn find(&self, place: &Place, shelf: &Shelf) -> Result<Found, Failure> {
        let missing = match self.copy(&place.file(), shelf)? {
            Copy::Good(document, bytes) => {
                let generation = document.generation;
                let (bad, good) = (Vec::new(), Some(bytes));
                return Ok(Found {
                    document,
                    source: Source::File,
                    good,
                    bad,
                    is_newer: false,
                    generation,
                });
            }
            Copy::Newer(document) => return Ok(Found::newer(document)),
            Copy::Missing => None,
            Copy::Bad { bytes, is_ours, .. } => Some((place.file(), bytes, is_ours)),
        };
        let mut broken = Vec::from_iter(missing);
        let backup = match self.copy(&place.backup(), shelf)? {
            Copy::Newer(document) => return Ok(Found::newer(document)),
            Copy::Good(document, _) => Some(document),
            Copy::Missing => None,
            Copy::Bad { bytes, is_ours, .. } => {
                broken.push((place.backup(), bytes, is_ours));
                None
            }
        };
        let salvaged: Vec<_> = broken
            .iter()
            .filter(|(.., is_ours)| *is_ours)
            .map(|(path, b, _)| (*path == place.backup(), salvage(b, shelf)))
            .collect();
        // The file was at most one commit ahead of its backup.
        let ahead = |is_backup, generation: u64| generation.saturating_add(u64::from(is_backup));
        let seen = salvaged
            .iter()
            .map(|(is_backup, found)| ahead(*is_backup, found.generation))
            .max()
            .unwrap_or_default();
        let (document, source) = match backup {
            Some(document) => (document, Source::Backup),
            None if broken.is_empty() => (Document::empty(shelf, self.schema), Source::Nobody),
            None => {
                let mut found = salvaged.into_iter().map(|(_, found)| found);
                let best = found.find(|found| !found.records.is_empty());
                let source = if best.is_some() {
                    Source::Salvage
                } else {
                    Source::Lost
                };
                let best = best.unwrap_or_default();
                let empty = Document::empty(shelf, self.schema);
                (
                    Document {
                        generation: best.generation,
                        records: best.records,
                        ..empty
                    },
                    source,
                )
            }
        };
        let generation = ahead(source == Source::Backup, document.generation).max(seen);
        let bad = broken
            .into_iter()
            .map(|(path, bytes, _)| (path, bytes))
            .collect();
        Ok(Found {
            document,
            source,
            good: None,
            bad,
            is_newer: false,
            generation,
        })
    }

    fn copy(&self, path: &Path, shelf: &Shelf) -> Result<Copy, Failure> {
        let bytes = match self.fs.read(path, self.options.max_file_bytes) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Copy::Missing),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                return Err(over_cap(format!("{}: {error}", path.display())));
            }
            read => read.map_err(Failure::io("read", path))?,
        };
        Ok(match parse(&bytes, Some(shelf), self.schema) {
            Parsed::Good(document) => Copy::Good(document, bytes),
            Parsed::Newer(document) => Copy::Newer(document),
            Parsed::TooDeep => {
                return Err(over_cap(format!("{} is nested too deep", path.display())));
            }
            Parsed::OtherShelf(whose) => Copy::Bad {
                bytes,
                is_ours: false,
                why: format!("it is the file of {whose}"),
            },
            Parsed::Broken(why) => Copy::Bad {
                bytes,
                is_ours: true,
                why: why.to_owned(),
            },
        })
    }

    /// Returns true if the backup of a shelf has records, or if it cannot be understood.
    pub(super) fn backup_has_records(&self, place: &Place, shelf: &Shelf) -> Result<bool, Failure> {
        Ok(match self.copy(&place.backup(), shelf)? {
            Copy::Missing => false,
            Copy::Good(document, _) => !document.records.is_empty(),
            Copy::Newer(_) | Copy::Bad { .. } => true,
        })
    }

    /// Returns the reason why no part of a shelf can be read, in words for a person.
    pub(super) fn why_unreadable(&self, place: &Place, shelf: &Shelf) -> String {
        match self.copy(&place.file(), shelf) {
            Ok(Copy::Bad { why, .. }) => format!("{}: {why}", place.file().display()),
            _ => format!("{} and its backup are broken", place.file().display()),
        }
    }

    pub(super) fn tell(&self, shelf: &Shelf, found: &Found) {
        let kind = match found.source {
            _ if found.is_newer => StoreNoticeKind::ReadOnly {
                why: ReadOnly::NewerVersion,
            },
            Source::Backup | Source::Salvage => StoreNoticeKind::Damaged {
                records: found.document.records.len(),
            },
            Source::Nobody | Source::File | Source::Lost => return,
        };
        self.notices.found(Some(shelf), kind);
    }
}

impl Found {
    fn newer(document: Document) -> Self {
        let generation = document.generation;
        Self {
            document,
            source: Source::File,
            good: None,
            bad: Vec::new(),
            is_newer: true,
            generation,
        }
    }
}

fn over_cap(detail: String) -> Failure {
    Failure::ReadOnly {
        why: ReadOnly::OverCap,
        detail,
    }
}
