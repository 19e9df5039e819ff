//! The library as its users see it, without a browser: pages, goals, tokens, providers on loopback, and the plan of the house.

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
mod tokens;
