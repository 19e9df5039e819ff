//! Notices of a store about actions and findings that no caller asked for, such as a repaired file. The loop emits them
//! as events of the run.

use serde::{Deserialize, Serialize};

use super::Shelf;

/// A notice for the person responsible for the store.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StoreNotice {
    /// The shelf concerned, if any.
    pub shelf: Option<Shelf>,
    /// The kind of notice.
    pub kind: StoreNoticeKind,
}

/// The kind of a notice: what the store did or found.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StoreNoticeKind {
    /// A file that could not be understood was moved to quarantine unchanged.
    Quarantined {
        /// The file's new path, relative to the store's root.
        file: String,
    },
    /// The shelf's file is missing or broken. The shelf was read from the backup, or from the readable part of the
    /// broken file. Nothing was changed.
    Damaged {
        /// Number of records that were read.
        records: usize,
    },
    /// The shelf's file was missing or broken, and was replaced by the state before its last change.
    RestoredFromBackup,
    /// The shelf's file and its backup were broken, and were replaced by the records that could still be read.
    Salvaged {
        /// Number of records that could still be read.
        records: usize,
    },
    /// The shelf's file and its backup are broken, and no record could be read. The shelf starts empty.
    StartedEmpty,
    /// The readable part of the shelf is used, but the shelf is not written.
    ReadOnly {
        /// The reason for not writing.
        why: ReadOnly,
    },
    /// A file or folder was accessible to other users, and has been made private.
    ModesTightened {
        /// Path relative to the store's root; empty for the root itself.
        path: String,
    },
    /// The store exceeded its size limits, so the files of the hosts that were written least recently were removed.
    Compacted {
        /// Number of removed hosts.
        hosts: usize,
        /// Total size of the removed files. Unit: bytes.
        bytes: u64,
    },
    /// The store exceeds its size limits, and there is nothing left that may be removed.
    OverCaps,
}

/// The reason why a shelf is not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadOnly {
    /// A newer version of the program wrote the shelf.
    NewerVersion,
    /// The shelf is larger, or nested more deeply, than the reader allows.
    OverCap,
    /// The shelf is broken, and quarantine already holds the maximum number of its broken files.
    QuarantineFull,
    /// The shelf is broken and could not be moved to quarantine.
    QuarantineFailed,
}
