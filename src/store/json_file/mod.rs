//! One readable JSON file a shelf, safe against kills, power cuts and other processes.

mod fs;
mod std_fs;

pub use fs::{Fs, FsEntry, FsFile, FsKind, FsLock};
pub use std_fs::StdFs;
