//! The port to what outlives a run, and its backends.

mod in_memory;
pub(crate) mod port;

pub use in_memory::InMemory;
pub use port::MemoryBackend;
