//! The library as its users see it, without a real browser: pages, goals, tokens, providers on loopback, browsers that are lost,
//! and the plan of the house.

#[macro_use]
#[path = "../support/figure.rs"]
mod figure;

#[path = "../support/profile.rs"]
mod profile;
#[path = "../support/random.rs"]
mod random;

mod architecture;
mod page;
mod providers;
mod relaunching;
mod tokens;
