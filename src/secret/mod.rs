//! Secrets: the values, who may receive them, and how they are kept out of everything else.
//!
//! The run owns the [`Vault`]; model and memory see only placeholders `<secret:NAME>`; a driver gets a
//! [`SecretResolver`] that releases a value only against the origins it has just read, and says where a form may send it;
//! the loop passes everything that comes back and everything that goes out through one [`Redactor`].

mod field;
mod redact;
mod resolver;
mod sending;
mod value;
mod vault;

pub use field::{HIDDEN, holds_secret, is_secret_field, mask_fields};
pub use redact::Redactor;
pub use resolver::SecretResolver;
pub use sending::{Misdirected, Outgoing, TypedSecrets};
pub use value::{Secret, SecretName};
pub use vault::Vault;
