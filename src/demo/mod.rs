//! The demo shop: a small web shop that runs on this machine, for a first run, for examples, and for tests of memory.
//!
//! The shop has obstacles that agents meet on real sites: a cookie notice that intercepts clicks, an autocomplete
//! list that covers the search button, choices that must be made before a product goes into the cart, a login, and a
//! checkout form with error messages. The shop needs the feature `demo-site`. It can be reached only from this
//! machine.
//!
//! ```text
//! shop      starts and stops the shop, and lists the orders that were placed
//! server    sockets, limits and time-outs; independent of the shop
//! http      parses requests and writes responses
//! routes    turns a request and the state into a response; no sockets
//! views     turns the state into a page, with the templates under `pages/`
//! visitor   returning visitors, by cookie
//! state, catalog, checkout, order, variation   the shop itself
//! ```
//!
//! Nothing here depends on agents, models or memory. The command line and tests start the shop; the agent itself never does.

mod catalog;
mod checkout;
mod html;
mod http;
mod order;
mod routes;
mod server;
mod shop;
mod state;
#[cfg(test)]
mod tests;
mod variation;
mod views;
mod visitor;

pub use order::{Order, OrderLine, Shipping};
pub use shop::{Shop, ShopOptions};
