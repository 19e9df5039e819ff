//! The exploration of a site: which pages to open, in which order, and what is kept of each.
//!
//! Pure. [`Frontier`] says which page to open next and is told what the page shows; the result is a
//! [`SiteMap`](crate::working::SiteMap).
//! [`explore`](crate::agent::explore()) opens the pages in a browser, and
//! [`Keeper::learn_map`](crate::store::Keeper::learn_map) keeps the map for the next runs.
//!
//! # Decisions
//!
//! - Pages are opened by their address alone, and only addresses that links of the site show. Nothing is clicked, so
//!   nothing can be sent, bought or deleted by a form or a script's button.
//! - A link can still do something, although HTTP forbids it: log out, delete, put into a cart. So links are left out if
//!   their words or their address say so, in some thirty languages. That is a list of words and no proof: explore a site where
//!   you are logged in only if it keeps to HTTP. A link too many is left out rather than one too few.
//! - Of pages that are alike, such as those of the articles of a shop, two are opened. A map of two hundred articles would
//!   take the room of the pages that differ.

mod exclusion;
mod frontier;

pub use frontier::{Frontier, Limits, Visit};
