//! The shop's record of an order. A test compares it with the answer of an agent that placed the order.

use serde::{Deserialize, Serialize};

/// An order that the shop accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Order {
    /// The order's confirmation number, as the last page of the checkout shows it. No two orders of a shop have the
    /// same number.
    pub number: String,
    /// The ordered products, in the sequence in which they were in the cart.
    pub lines: Vec<OrderLine>,
    /// Shipping address and method.
    pub shipping: Shipping,
    /// Price of all lines together with shipping. Unit: euro cents.
    pub total_cents: u32,
}

/// One line of an [`Order`]: a product, with its size, colour and quantity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OrderLine {
    /// The product's name, as the pages show it.
    pub product: String,
    /// The chosen size.
    pub size: String,
    /// The chosen colour.
    pub colour: String,
    /// Number of pieces of the product.
    pub quantity: u32,
    /// Price of all pieces of the line. Unit: euro cents.
    pub price_cents: u32,
}

/// The data that the visitor entered in the checkout form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Shipping {
    /// Full name of the recipient.
    pub name: String,
    /// Street and house number.
    pub street: String,
    /// City of the recipient.
    pub city: String,
    /// Postal code, five digits.
    pub postal_code: String,
    /// The name of the shipping method, as the form shows it.
    pub method: String,
}
