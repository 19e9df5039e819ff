//! What the crate makes of a page: elements, type, summary, text, fingerprints, differences, identities.

mod diff;
mod elements;
mod fingerprint;
mod identity;
mod page_type;
mod properties;
mod ranking;
mod reading;
mod sample;
mod template;
