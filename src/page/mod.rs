//! Pages: the tree, its interpretation, the identity of elements and pages, and differences.
//!
//! This module does no I/O, and it does not depend on any driver's text format. A driver turns its view of a page into a
//! [`Tree`], and everything else is computed from that tree. The drivers call this module to build trees. The modules
//! `prompt`, `guard` and `memory`, and the loop that runs the agent, call it to read pages.
//!
//! A text that a page wrote is untrusted ([`Trust::Page`](crate::base::Trust::Page)): prompts show it as data, and the model
//! must not follow it as an instruction.
//!
//! # Decisions
//!
//! - A text before a field is the field's label only if the text is short and neither a sentence nor a number.
//!   Sentences and numbers, such as those of an exercise, may differ at every visit.
//! - The page tree is one flat list in document order: descendants are a range, walks are loops, and no nesting
//!   exhausts the stack.
//! - There are two fingerprints. The fingerprint of the structure shows the kind of page. The fingerprint of the state shows
//!   the content of the page. Numbers outside fields and controls are ignored, so a ticking clock is not an effect of an
//!   action. If address and title stay the same, a diff is empty exactly when the states are equal.
//! - A locator is a chain of steps and has a text form. The kinds of steps are a fixed set. Locators are stored, shown
//!   and passed to drivers, so no text in a locator may act as syntax. Each driver prints a locator in a syntax of its
//!   own.

mod address;
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
mod observation;
mod outline;
mod page_type;
mod reading;
mod recorded;
mod reference;
mod resolve;
mod role;
mod scene;
mod sketch;
mod summary;
mod template;
mod trace;
mod tree;
mod view;

pub(crate) use address::PageAddress;
pub(crate) use collect::is_hint;
pub(crate) use diff::MORE_CHANGES;
pub use diff::{Change, Counted, MAX_CHANGES, PageDiff, diff};
pub use element::{Element, MAX_OPTIONS};
pub use fingerprint::Fingerprint;
pub(crate) use identity::Identities;
pub use identity::{Appearance, Collection, TargetIdentity};
pub use known::KnownElement;
pub use label::MAX_LABEL;
pub use layout::{Digest, DigestOptions, Hits, Joint, Layout, Line, Part, Shown};
pub(crate) use layout::{MAX_LOOK, shown_length};
pub use locator::{Locator, LocatorStep, MAX_LOCATOR_STEPS, MAX_LOCATOR_TEXT};
pub(crate) use observation::ERROR_PAGE;
pub use observation::{
    Dialog, DialogKind, MAX_MESSAGE, MAX_SELECTED, MAX_TITLE, Notice, Observation, Tab,
};
pub use page_type::PageType;
pub use recorded::Recorded;
pub(crate) use recorded::{item_words, says};
pub use reference::ElementRef;
pub(crate) use resolve::{Resolved, Searched, Suits, Wanted, alike, by_role_and_name, resolve};
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
