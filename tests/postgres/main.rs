//! The store `postgres` with a server of its own.

#[macro_use]
#[path = "../support/figure.rs"]
mod figure;

#[path = "../support/profile.rs"]
mod profile;

mod store_postgres;
