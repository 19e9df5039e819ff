//! Secrets: their values, their recipients, and how they are kept out of everything else.
//!
//! The run owns the [`Vault`]. Model and memory see only placeholders `<secret:NAME>`. A driver gets a
//! [`SecretResolver`], which releases a value only for the origins that the driver has just read, and says where a form
//! may send it. The loop passes everything that comes in and everything that goes out through one [`Redactor`].

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
