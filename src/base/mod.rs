//! Types that every module uses: errors, hosts and sites, trust classes, text functions and token estimates.
//!
//! This module is pure: it reads no files, no clock and no environment variables. It does not depend on pages, models
//! or memory.

mod address;
mod dates;
mod error;
mod hash;
mod host;
mod ids;
mod json;
mod name;
pub mod text;
pub mod tokens;
mod trust;
pub(crate) mod words;

pub(crate) use dates::{dates, month_first};
pub use error::{Error, ErrorKind, Result};
pub(crate) use hash::short_hash;
pub use host::{Host, Origin, Site};
pub use ids::{Nonce, RunId, SessionId};
pub use json::{canonical, fitting, json_len, sorted};
pub(crate) use name::{is_name, name_type};
pub use tokens::TokenCount;
pub use trust::Trust;
