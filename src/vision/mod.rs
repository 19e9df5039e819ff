//! Pictures of a page: when a picture is needed, which elements are marked in it, and which element is under a point of it.
//!
//! This module does no I/O. The loop asks the driver for the scene (the positions of elements and drawings) and for the
//! picture; this module decides and draws. Marks are drawn on the picture, never into the page.
//!
//! ```text
//! need     decides whether a picture is needed   marks    draws references at the corners of outlined elements
//! point    finds the element under a point       raster   holds a picture as pixels
//!                                                glyphs   the letters of the references
//! ```

mod glyphs;
mod marks;
mod need;
mod point;
mod raster;

pub(crate) use marks::marked;
pub(crate) use need::{lack, nameless};
pub(crate) use point::under;
#[cfg(feature = "testing")]
pub(crate) use raster::Raster;
