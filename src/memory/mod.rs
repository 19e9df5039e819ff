//! Memory that outlives a run: records on shelves, and the kinds of memory that give them meaning.
//!
//! Pure. The store knows no kind, and a kind knows no store. A kind names the shelves that it wants to read for a cue,
//! turns their records into advice, and turns a run's log into changes. The loop's engine reads and writes.

mod advice;
pub mod archive;
mod cue;
mod described;
mod edit;
mod kind;
pub mod lesson;
mod log;
mod note;
mod notice;
mod shelf;
pub(crate) mod waiting;

pub use advice::{Advice, AdviceId, PageName, Piece, Placement};
pub use cue::{Cue, Moment};
pub use described::{Described, Origin, Standing};
pub use edit::{Change, Committed, Durable, Edit, apply};
pub use kind::{Index, MemoryKind, Occasion, ShelfEdit, kinds};
pub use lesson::v1;
pub use log::RunLog;
pub use note::Note;
pub use notice::{ReadOnly, StoreNotice, StoreNoticeKind};
pub use shelf::{
    MAX_RECORD_BYTES, Namespace, PENDING, Record, Scope, Shelf, ShelfFilter, ShelfState,
};
