//! What was bought: the shop's own record, which a test compares with what an agent says.

use serde::{Deserialize, Serialize};

/// An order that the shop accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Order {
    /// The confirmation number, as the last page of the checkout shows it. New for each order.
    pub number: String,
    /// What was ordered, in the order of the cart.
    pub lines: Vec<OrderLine>,
    /// Where to and how.
    pub shipping: Shipping,
    /// What it costs with shipping. Unit: euro cents.
    pub total_cents: u32,
}

/// One line of an [`Order`]: a product with the choices made for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OrderLine {
    /// The product's name as the pages show it.
    pub product: String,
    /// The chosen size.
    pub size: String,
    /// The chosen colour.
    pub colour: String,
    /// How many.
    pub quantity: u32,
    /// What the line costs. Unit: euro cents.
    pub price_cents: u32,
}

/// What the checkout form asked for.
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
    /// The shipping method's name as the form shows it.
    pub method: String,
}
