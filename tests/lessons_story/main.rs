//! Lessons on real pages in a real browser: what one run found out, the next one knows.
//!
//! The model is the stand-in, which decides from the prompt alone and keeps nothing between calls; so whatever a later run
//! does better comes from what memory put into its prompt. What the example `test_beds` installs must be there.

#[macro_use]
#[path = "../support/browsers.rs"]
mod browsers;
#[path = "../support/shopping.rs"]
mod shopping;
#[macro_use]
#[path = "../support/figure.rs"]
mod figure;

mod bed;
#[path = "../miniwob/episode.rs"]
mod episode;
mod learning;
mod novice;
mod pages;
#[path = "../support/profile.rs"]
mod profile;
mod prompted;
mod refusing;
#[path = "../support/shared.rs"]
mod shared;
#[path = "../miniwob/site.rs"]
mod site;
mod stories;
mod unnamed;
mod unnamed_pages;
#[path = "../support/web.rs"]
mod web;
