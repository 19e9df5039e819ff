//! Sight: whether a picture of the page is needed, what is marked in it, and what its points mean.
//!
//! Pure: the loop asks the driver for the scene and the picture, and these decide and draw. Nothing is put into the page for it.
//!
//! ```text
//! need     whether the tree says too little      marks    references at the corners of outlined elements
//! point    the element under a point             raster   the picture as pixels; glyphs, its few letters
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
