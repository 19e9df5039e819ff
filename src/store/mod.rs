//! The port to what outlives a run, and its backends.

mod in_memory;
#[cfg(feature = "json-file")]
mod json_file;
pub(crate) mod port;

pub use in_memory::InMemory;
#[cfg(feature = "json-file")]
pub use json_file::{Compacted, JsonFiles, JsonFilesOptions};
#[cfg(all(feature = "json-file", feature = "testing"))]
pub use json_file::{Fs, FsEntry, FsFile, FsKind, FsLock, StdFs};
pub use port::MemoryBackend;
