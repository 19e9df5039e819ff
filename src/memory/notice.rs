//! What a store did or found of its own accord, for the run's events.

use serde::{Deserialize, Serialize};

use super::Shelf;

/// Something that a person who relies on the store should hear of.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StoreNotice {
    /// The shelf it is about, when it is about one.
    pub shelf: Option<Shelf>,
    /// What it is.
    pub kind: StoreNoticeKind,
}

/// What a store has to tell.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StoreNoticeKind {
    /// A file that could not be understood was put aside, whole, under this name below the store's root.
    Quarantined {
        /// Where it is now.
        file: String,
    },
    /// The shelf's file is missing or broken; what is read is the state before its last change.
    RestoredFromBackup,
    /// The shelf's file and its backup are broken; these records could still be read one by one.
    Salvaged {
        /// How many.
        records: usize,
    },
    /// The shelf's file and its backup are broken and no record could be read; the shelf began anew.
    StartedEmpty,
    /// The shelf can be read as far as it is understood, and is never written.
    ReadOnly {
        /// Why.
        why: ReadOnly,
    },
    /// A file or folder was open to other users and is private now.
    ModesTightened {
        /// Its path below the store's root; empty for the root itself.
        path: String,
    },
    /// The store was over its caps, and the hosts that were written least recently were forgotten.
    Compacted {
        /// How many hosts.
        hosts: usize,
        /// How much they held, in bytes.
        bytes: u64,
    },
    /// The store is over its caps, and nothing more may be forgotten.
    OverCaps,
}

/// Why a shelf is never written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadOnly {
    /// A newer version of the program wrote it.
    NewerVersion,
    /// It is larger, or nested deeper, than what is read.
    OverCap,
    /// It is broken, and there are as many broken files of this shelf in quarantine as are kept.
    QuarantineFull,
    /// It is broken and could not be put aside.
    QuarantineFailed,
}
