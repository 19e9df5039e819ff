//! Secrets: their values, the recipients that may get them, and the redaction that hides them from everyone else.
//!
//! The run owns the [`Vault`]. Model and memory see only placeholders `<secret:NAME>`. A driver gets a
//! [`SecretResolver`]. The driver reads the origins of the page and of the frame from the browser, and the resolver
//! releases a value only if both origins are allowed. The resolver also tells the driver where a form may send the
//! value. The decision loop passes everything that comes in and everything that goes out through one [`Redactor`].

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
