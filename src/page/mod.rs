//! Pages: the tree, its interpretation, the identity of elements and pages, and differences.
//!
//! Pure, and independent of any driver's text format: a driver turns its view of a page into a [`Tree`], and everything
//! else is computed from that tree. Called by the drivers (to build trees), by `prompt`, `guard` and `memory` (to read
//! views) and by the loop. Texts that are called page data were chosen by a page
//! ([`Trust::Page`](crate::base::Trust::Page)): they are shown as data and never followed as instructions.
//!
//! # Decisions
//!
//! - A text beside a field is the field's label only if the text is short and neither a sentence nor a number.
//!   Sentences and numbers, such as those of an exercise, may differ at every visit.
//! - The page tree is one flat list in document order: descendants are a range, walks are loops, and no nesting
//!   exhausts the stack.
//! - There are two fingerprints: structure for the kind of page, state for its content. Numbers outside fields and
//!   controls are ignored, so a ticking clock is not an effect of an action. A diff is empty exactly when the states
//!   are equal.
//! - A locator is a chain of steps and has a text form. The kinds of steps are a fixed set. Locators are stored, shown
//!   and passed to drivers, so no text in a locator may act as syntax. Each driver prints a locator in a syntax of its
//!   own.

mod collect;
mod context;
mod current;
mod diff;
mod element;
mod fact;
mod features;
mod fingerprint;
mod hash;
mod identity;
mod known;
mod label;
mod layout;
mod lexicon;
mod locate;
mod locator;
mod meant;
mod observation;
mod outline;
mod page_type;
mod reading;
mod reference;
mod role;
mod scene;
mod sketch;
mod summary;
mod template;
mod trace;
mod tree;
mod view;

pub(crate) use collect::is_hint;
pub use diff::{Change, Counted, MAX_CHANGES, PageDiff, diff};
pub use element::{Element, MAX_OPTIONS};
pub use fingerprint::Fingerprint;
pub(crate) use identity::Identities;
pub use identity::{Collection, TargetIdentity};
pub use known::KnownElement;
pub use label::MAX_LABEL;
pub(crate) use layout::MAX_LOOK;
pub use layout::{Digest, DigestOptions, Hits, Joint, Layout, Line, Part, Shown};
pub(crate) use lexicon::{LOGIN, PASSWORD, SEARCH};
pub use locator::{Locator, LocatorStep, MAX_LOCATOR_STEPS, MAX_LOCATOR_TEXT};
pub(crate) use meant::{Meant, Suits, meant};
pub(crate) use observation::ERROR_PAGE;
pub use observation::{
    Dialog, DialogKind, MAX_MESSAGE, MAX_SELECTED, MAX_TITLE, Notice, Observation, Tab,
};
pub use page_type::PageType;
pub use reference::ElementRef;
pub use role::Role;
pub use scene::{Area, Drawing, DrawingKind, Scene};
pub(crate) use sketch::{sketch, sketch_nodes};
pub use summary::MAX_SUMMARY;
pub use template::PageTemplate;
pub use trace::{Trace, TraceKind};
#[cfg(test)]
pub(crate) use tree::counted;
pub use tree::{MAX_NODES, Node, NodeId, States, Tree, TreeBuilder, Tri};
pub use view::{PageHead, PageView, ViewOptions, interpret};
