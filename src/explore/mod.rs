//! The exploration of a site. It decides which pages are opened and in which order.
//! [`MapPage`](crate::working::MapPage) decides which data about each page the map keeps.
//!
//! This module does no input or output. [`Frontier`] says which page to open next, and records the page that the caller then
//! passes to it. The result is a [`SiteMap`](crate::working::SiteMap). [`explore`](crate::agent::explore()) opens the pages
//! in a browser, and [`Memory::learn_map`](crate::store::Memory::learn_map) keeps the map for the next runs.
//!
//! # Decisions
//!
//! - Pages are opened by their address alone, and only if a link of the site has this address. Nothing is clicked, so
//!   nothing can be sent, bought or deleted by a form or a script's button.
//! - A link can still have an effect, although HTTP forbids it: log out, delete, or put into a cart. So a link is left out
//!   if its words or its address name such an effect, in some thirty languages. In doubt, a link is left out. But no list of
//!   words is complete. So with the cookies of a person ([`Reach::Attached`]), only links of menus and contents are opened,
//!   and only if their addresses are plain. A site can still hide a change behind such a link.
//! - Among similar pages, such as those of a shop's products, two are opened. A map of two hundred products would leave
//!   no room for pages of other kinds.

mod exclusion;
mod frontier;
mod reach;

pub use frontier::{Frontier, Limits, Visit};
pub use reach::Reach;
