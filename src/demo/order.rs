//! The shop's record of an order. A test compares it with the agent's answer.

use serde::{Deserialize, Serialize};

/// An order that the shop accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Order {
    /// The confirmation number, as shown on the last page of the checkout. Each order has a new
    /// number.
    pub number: String,
    /// The ordered products, in the order of the cart.
    pub lines: Vec<OrderLine>,
    /// Shipping address and method.
    pub shipping: Shipping,
    /// Price including shipping. Unit: euro cents.
    pub total_cents: u32,
}

/// One line of an [`Order`]: a product with the choices made for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OrderLine {
    /// The product's name, as the pages show it.
    pub product: String,
    /// The chosen size.
    pub size: String,
    /// The chosen colour.
    pub colour: String,
    /// Number of pieces.
    pub quantity: u32,
    /// Price of the line. Unit: euro cents.
    pub price_cents: u32,
}

/// The data of the checkout form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Shipping {
    /// Full name.
    pub name: String,
    /// Street and house number.
    pub street: String,
    /// City.
    pub city: String,
    /// Postal code, five digits.
    pub postal_code: String,
    /// The name of the shipping method, as the form shows it.
    pub method: String,
}
