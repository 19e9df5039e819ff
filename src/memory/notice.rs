//! Notices of a store: what the store did or found without being asked, such as a repaired file. They become events of the
//! run.

use serde::{Deserialize, Serialize};

use super::Shelf;

/// A message of a store for the person who is responsible for it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StoreNotice {
    /// The shelf that the notice is about; `None` if it is about no single shelf.
    pub shelf: Option<Shelf>,
    /// The content of the notice.
    pub kind: StoreNoticeKind,
}

/// The content of a notice: what the store did or found.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StoreNoticeKind {
    /// The store could not understand a file, and keeps it unchanged in the folder for broken files.
    Quarantined {
        /// The path of the file in that folder, relative to the store's root.
        file: String,
    },
    /// The shelf's file is missing or broken. The records were read from the backup or from the readable part of the file.
    /// No file was changed.
    Damaged {
        /// Number of records that were read.
        records: usize,
    },
    /// The shelf's file was missing or broken. The store replaced it by its backup, which does not contain the last change.
    RestoredFromBackup,
    /// The shelf's file and its backup were broken, or one was broken and the other missing. The store replaced the
    /// shelf's file by the records that could still be read.
    Salvaged {
        /// Number of records that could still be read.
        records: usize,
    },
    /// The shelf's file and its backup were broken, or one was broken and the other missing. No record could be read,
    /// so the shelf starts empty.
    StartedEmpty,
    /// The store uses the readable part of the shelf, but does not write to the shelf. If the reason is
    /// [`ReadOnly::OverCap`], it reads nothing of the shelf either.
    ReadOnly {
        /// The reason why the store does not write to the shelf.
        why: ReadOnly,
    },
    /// A file or folder was accessible to other users, and has been made private.
    ModesTightened {
        /// Path of the file or folder, relative to the store's root; empty for the root itself.
        path: String,
    },
    /// The store came close to its limits on hosts and bytes, or one domain had too many hosts. So the store removed
    /// the files of those hosts for which nothing had been written for the longest time.
    Compacted {
        /// Number of hosts whose files were removed.
        hosts: usize,
        /// Total size of the removed files. Unit: bytes.
        bytes: u64,
    },
    /// The store exceeds its limits on hosts or bytes, but none of the remaining files could be removed.
    OverCaps,
}

/// The reason why a store does not write to a shelf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadOnly {
    /// A newer version of the program wrote the shelf.
    NewerVersion,
    /// The shelf is larger, or nested more deeply, than this program can read.
    OverCap,
    /// The shelf's file is broken. It stays in place, because the folder for broken files already has the maximum number of
    /// files of this shelf.
    QuarantineFull,
    /// The shelf's file is broken and could not be moved to the folder for broken files.
    QuarantineFailed,
}
