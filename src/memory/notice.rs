//! Notices of a store. A notice reports what the store did or found without being asked, such as a repaired file. The loop
//! emits the notices as events of the run.

use serde::{Deserialize, Serialize};

use super::Shelf;

/// A message of a store for the person who is responsible for the store.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StoreNotice {
    /// The shelf that the notice is about; `None` if it is about no single shelf.
    pub shelf: Option<Shelf>,
    /// The content of the notice.
    pub kind: StoreNoticeKind,
}

/// The content of a notice: an action of the store, or something that it found.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StoreNoticeKind {
    /// The store could not understand a file. It moved the file, unchanged, to the quarantine folder, where it keeps broken
    /// files.
    Quarantined {
        /// The path of the file in the quarantine folder, relative to the store's root.
        file: String,
    },
    /// The shelf's file is missing or broken. The records were read from the backup, or from the readable part of the broken
    /// file. The store changed no file.
    Damaged {
        /// Number of records that were read.
        records: usize,
    },
    /// The shelf's file was missing or broken. The store replaced the file by its backup. The backup does not contain the
    /// last change.
    RestoredFromBackup,
    /// The shelf's file and its backup were broken. The store replaced both files by the records that could still be read.
    Salvaged {
        /// Number of records that could still be read.
        records: usize,
    },
    /// The shelf's file and its backup are broken, and no record could be read. The shelf starts empty.
    StartedEmpty,
    /// The store uses the readable part of the shelf, but does not write to the shelf.
    ReadOnly {
        /// The reason why the store does not write to the shelf.
        why: ReadOnly,
    },
    /// A file or folder was accessible to other users, and has been made private.
    ModesTightened {
        /// Path of the file or folder, relative to the store's root; empty for the root itself.
        path: String,
    },
    /// The store exceeded its size limits, so it removed the files of some hosts. The chosen hosts are those whose files had
    /// not been written for the longest time.
    Compacted {
        /// Number of hosts whose files were removed.
        hosts: usize,
        /// Total size of the removed files. Unit: bytes.
        bytes: u64,
    },
    /// The store exceeds its size limits, and it may not remove any of the remaining files.
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
    /// The shelf's file is broken. It stays in place, because the quarantine folder (for broken files) already has the
    /// maximum number of files of this shelf.
    QuarantineFull,
    /// The shelf's file is broken and could not be put into the quarantine folder.
    QuarantineFailed,
}
