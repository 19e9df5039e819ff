//! The driver of Chromium by its own protocol: what its actions guarantee, on small pages of its own.

use crate::{profile, shared, web};

mod bed;
mod choosing;
mod filling;
mod finding;
mod leading;
mod pressing;
mod printing;
mod reaching;
mod selecting;
