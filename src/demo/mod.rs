//! The demo shop: a small web shop on loopback for the first run, for examples and for tests of memory.
//!
//! It has the obstacles that agents meet on real sites: a cookie notice that catches clicks, an autocomplete list that
//! covers the search button, choices that must be made before a product goes into the cart, a login, and a checkout
//! form that complains. It needs the feature `demo-site`, and nothing but loopback.
//!
//! ```text
//! shop      starts and stops the shop, and tells which orders were really placed
//! server    sockets, limits and time-outs; knows nothing of the shop
//! http      from bytes to a request, from a response to bytes
//! routes    from a request and the state to a response; no sockets
//! views     from the state to a page, with the templates under `pages/`
//! session   returning visitors, by cookie  state, catalog, checkout, order, variation   the shop itself
//! ```
//!
//! Nothing here knows of agents, models or memory. The command line and tests start the shop; no part of the loop does.

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
