//! What version 1 knows is not lost, what is imported twice counts once, and no file does harm.

use crate::{profile, random};

mod folder;
mod hostile;
mod memory;
mod merge;
mod own;
mod round;
