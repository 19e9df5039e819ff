//! What the crate makes of a page: elements, type, summary, text, fingerprints, differences, identities.

mod diff;
mod elements;
mod fingerprint;
mod identity;
mod layout;
mod page_type;
mod properties;
mod reading;
mod sample;
mod template;
