//! The driver of Chromium by its own protocol: what its actions guarantee, on small pages of its own.

#[macro_use]
#[path = "../support/figure.rs"]
mod figure;
#[path = "../support/profile.rs"]
mod profile;
#[path = "../support/shared.rs"]
mod shared;
#[path = "../support/web.rs"]
mod web;

mod bed;
mod filling;
mod finding;
mod leading;
mod pressing;
mod reaching;
mod selecting;
