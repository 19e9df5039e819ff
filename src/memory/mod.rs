//! Memory that outlives a run: records on shelves, and the kinds of memory that give them meaning.
//!
//! A [record](Record) is a JSON value with a key. A [shelf](Shelf) is a group of records of one collection. A shelf belongs
//! either to one host or to all sites. A [host](crate::Host) is the host of a web address, such as `shop.example.com`. A
//! [site](crate::Site) is a domain with all its hosts, such as `example.com`. A collection contains the records of one
//! [kind of memory](MemoryKind). A few collections, such as [`PENDING`], belong to no kind. An item is a record, or
//! several records that belong together, such as a recipe and its steps.
//!
//! A kind of memory names the shelves to read at a [moment](Moment) of a run. It turns their records into advice, which is
//! text for the model in a prompt. It turns the log of a run into changes of the shelves. This module does no I/O: the
//! engine that runs the agent reads and writes the shelves.

mod advice;
pub mod agent_memory;
pub(crate) mod ago;
mod aim;
pub mod archive;
mod control;
mod cue;
mod described;
mod diff;
mod edit;
mod kind;
pub mod knowledge;
pub mod lesson;
mod log;
mod note;
mod notice;
mod places;
pub mod recipe;
mod scan;
mod section;
pub mod selector;
mod selector_text;
pub mod session;
mod shelf;
mod shortest;
pub mod site_map;
mod stored_advice;
mod typed;
pub(crate) mod waiting;
mod whole;

pub use crate::working::piece::{PageName, Piece};
pub use advice::{Advice, AdviceId, Line};
pub use aim::Aim;
pub use control::is_withheld;
pub use cue::{Cue, Moment};
pub use described::{Described, Origin, Standing, Use, Uses};
pub use diff::{Comparison, Difference, Differing, compare};
pub use edit::{Change, Committed, Durable, Edit, apply};
pub(crate) use kind::UNVOUCHED;
pub use kind::{Index, KindOptions, MemoryKind, Occasion, ShelfEdit, Suggested, kinds, kinds_with};
pub use lesson::v1;
pub use log::RunLog;
pub use note::Note;
pub use notice::{ReadOnly, StoreNotice, StoreNoticeKind};
pub(crate) use places::places;
pub use recipe::Recipe;
pub(crate) use recipe::{Asked, Following, Here, MAX_SIZE, Next, PAUSE};
pub use scan::{Scan, scan};
pub use section::{Heading, Lasts, Section};
pub(crate) use shelf::is_too_deep;
pub use shelf::{
    MAX_RECORD_BYTES, MAX_RECORD_DEPTH, Namespace, PENDING, Record, Scope, Shelf, ShelfFilter,
    ShelfState,
};

// Re-exported for stores, which depend on `memory` but not on `working`.
pub(crate) use crate::working::SiteMap;
