//! The demo shop: a small web shop on loopback for the first run, for examples and for tests of memory.
//!
//! It has the obstacles that agents meet on real sites: a cookie notice that catches clicks, an autocomplete list that
//! lies over the search button, choices that must be made before a product goes into the cart, a login, and a checkout
//! form that complains. Needs the feature `demo-site`, and nothing but loopback.
//!
//! ```text
//! shop      starts and stops it, and is the oracle: which orders were really placed
//! server    sockets, limits and time-outs; knows nothing of the shop
//! http      bytes to a request, a response to bytes
//! routes    a request and the state to a response; no sockets
//! views     the state to a page, by the templates under `pages/`
//! session   who comes back, by cookie     state, catalog, checkout, order, variation   the shop itself
//! ```
//!
//! Nothing here knows of agents, models or memory. The command line and tests start it; no part of the loop does.

mod catalog;
mod checkout;
mod html;
mod http;
mod order;
mod routes;
mod server;
mod session;
mod shop;
mod state;
#[cfg(test)]
mod tests;
mod variation;
mod views;

pub use order::{Order, OrderLine, Shipping};
pub use shop::{Shop, ShopOptions};
