//! Lessons on real pages in a real browser: what one run found out, the next one knows.
//!
//! The model is the stand-in, which decides from the prompt alone and keeps nothing between calls; so whatever a later run
//! does better comes from what memory put into its prompt. What the example `test_beds` installs must be there.

use crate::miniwob::episode;
use crate::miniwob::site;
use crate::{browsers, profile, shared, shopping, web};

mod bed;
mod learning;
mod novice;
mod pages;
mod prompted;
mod refusing;
mod stories;
mod unnamed;
mod unnamed_pages;
