//! The shopping task of the demo: the goal in plain words, and the order that must result. Does no input or output.

use crate::demo::{Order, OrderLine};

/// A shopping task: the product to buy, the choices to make, and the shipping data.
///
/// The shop sells other products whose names begin with the same words, so an agent must read the whole name.
#[derive(Debug, Clone)]
pub(super) struct ShoppingTask {
    product: &'static str,
    size: &'static str,
    colour: &'static str,
    name: &'static str,
    street: &'static str,
    city: &'static str,
    postal_code: &'static str,
    shipping: &'static str,
}

impl Default for ShoppingTask {
    fn default() -> Self {
        Self {
            product: "Alpine Rain Jacket Light",
            size: "M",
            colour: "Sunflower",
            name: "Ada Lovelace",
            street: "Park Street 7",
            city: "Cologne",
            postal_code: "50667",
            shipping: "Express delivery",
        }
    }
}

impl ShoppingTask {
    /// Returns the goal, in the words of a person who knows what they want but not what the shop looks like.
    pub(super) fn goal(&self, user: &str, password: &str) -> String {
        let Self {
            product,
            size,
            colour,
            name,
            street,
            city,
            postal_code,
            shipping,
        } = self;
        format!(
            "Log in as \"{user}\" with the password {password}. Search for \"{product}\", open \"{product}\", choose size \
             \"{size}\" and colour \"{colour}\", add it to the cart. Check out: set the full name to \"{name}\", the street \
             to \"{street}\", the city to \"{city}\", the postal code to \"{postal_code}\", choose \"{shipping}\", accept the \
             terms and place the order. Report the confirmation number."
        )
    }

    /// Returns the first difference between an order and the order that the task asks for, in words; `None` if there is no
    /// difference.
    pub(super) fn difference(&self, order: &Order) -> Option<String> {
        let [
            OrderLine {
                product,
                size,
                colour,
                quantity,
                ..
            },
        ] = order.lines.as_slice()
        else {
            return Some(format!("it has {} lines instead of one", order.lines.len()));
        };
        let shipping = &order.shipping;
        let wanted = [
            ("product", self.product, product.as_str()),
            ("size", self.size, size),
            ("colour", self.colour, colour),
            ("quantity", "1", &quantity.to_string()),
            ("name", self.name, &shipping.name),
            ("street", self.street, &shipping.street),
            ("city", self.city, &shipping.city),
            ("postal code", self.postal_code, &shipping.postal_code),
            ("shipping method", self.shipping, &shipping.method),
        ];
        let (what, wanted, got) = wanted.into_iter().find(|(_, wanted, got)| wanted != got)?;
        Some(format!("the {what} is \"{got}\" instead of \"{wanted}\""))
    }
}
