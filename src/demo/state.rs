//! The state of the shop: its visitors and orders, and the values that depend on its seed.

use super::{
    catalog::{PRODUCTS, Product},
    checkout::Method,
    order::{Order, OrderLine, Shipping},
    variation::Variation,
    visitor::{Session, Sessions},
};

pub(super) const USER: &str = "demo";

#[derive(Debug)]
pub(super) struct State {
    pub(super) variation: Variation,
    /// All products, in the order in which this shop shows them.
    pub(super) products: Vec<&'static Product>,
    pub(super) password: String,
    pub(super) sessions: Sessions,
    pub(super) orders: Vec<Order>,
}

impl State {
    pub(super) fn new(seed: u64) -> Self {
        let variation = Variation::new(seed);
        Self {
            variation,
            products: variation.shuffled("products", PRODUCTS),
            password: format!("pw-{}", variation.code::<10>("password", 0)),
            sessions: Sessions::default(),
            orders: Vec::new(),
        }
    }

    /// Turns the session's cart into an order, empties the cart, and returns the order's confirmation number.
    pub(super) fn place(
        &mut self,
        session: &mut Session,
        shipping: Shipping,
        method: &Method,
    ) -> String {
        let number = format!(
            "FW-{}",
            self.variation.code::<8>("order", self.orders.len())
        );
        let total_cents = session.cents().saturating_add(method.cents);
        let lines = std::mem::take(&mut session.cart)
            .iter()
            .map(|line| OrderLine {
                product: line.product.name.to_owned(),
                size: line.size.to_owned(),
                colour: line.colour.to_owned(),
                quantity: line.quantity,
                price_cents: line.cents(),
            })
            .collect();
        session.orders.push(number.clone());
        self.orders.push(Order {
            number: number.clone(),
            lines,
            shipping,
            total_cents,
        });
        number
    }
}
