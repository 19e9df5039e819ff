//! Compares the agent's answer with the shop's orders. Does no input or output.

use super::shopping::ShoppingTask;
use crate::{RunReport, cli::drive::result::cause, demo::Order};

/// Returns the requested order. Fails if one of these conditions does not hold; the error describes the first such
/// condition:
///
/// - The run succeeded with evidence.
/// - The shop has exactly one order.
/// - The agent's answer contains the number of this order.
/// - The order is the requested one.
pub(super) fn of<'a>(
    report: &RunReport,
    orders: &'a [Order],
    shopping: &ShoppingTask,
) -> Result<&'a Order, String> {
    if !report.summary.stop.is_success() {
        return Err(format!("the demo did not come out well: {}", cause(report)));
    }
    judge(
        report.answer.as_deref().unwrap_or_default(),
        orders,
        shopping,
    )
}

fn judge<'a>(
    answer: &str,
    orders: &'a [Order],
    shopping: &ShoppingTask,
) -> Result<&'a Order, String> {
    let [order] = orders else {
        let count = orders.len();
        return Err(format!(
            "the agent says that it is done, but the shop has {count} orders instead of one"
        ));
    };
    if !holds(answer, &order.number) {
        return Err(format!(
            "the shop's order has the number {}, which is not in the answer",
            order.number
        ));
    }
    shopping.difference(order).map_or(Ok(order), |difference| {
        Err(format!(
            "the shop has the order {}, but {difference}",
            order.number
        ))
    })
}

/// Returns true if the answer contains the order number as a whole word.
fn holds(answer: &str, number: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '-';
    answer.split(|c| !is_part(c)).any(|word| word == number)
}

pub(super) fn line(order: &Order) -> String {
    let lines: Vec<_> = order
        .lines
        .iter()
        .map(|line| {
            format!(
                "{} x {}, {}, {}",
                line.quantity, line.product, line.size, line.colour
            )
        })
        .collect();
    format!(
        "{}, {}, {} to {}",
        order.number,
        lines.join("; "),
        order.shipping.method,
        order.shipping.name
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn order(change: impl Fn(&mut Value)) -> Order {
        let mut order = json!({
            "number": "FW-ABCD2345",
            "lines": [{
                "product": "Alpine Rain Jacket Light", "size": "M", "colour": "Sunflower", "quantity": 1, "price_cents": 1
            }],
            "shipping": {
                "name": "Ada Lovelace", "street": "Park Street 7", "city": "Cologne", "postal_code": "50667",
                "method": "Express delivery"
            },
            "total_cents": 1
        });
        change(&mut order);
        serde_json::from_value(order).unwrap()
    }

    fn wrong(answer: &str, orders: &[Order]) -> String {
        judge(answer, orders, &ShoppingTask::default()).unwrap_err()
    }

    #[test]
    fn the_answer_must_hold_the_number_of_the_one_order() {
        let orders = [order(|_| {})];
        assert!(
            judge(
                "Your order is FW-ABCD2345.",
                &orders,
                &ShoppingTask::default()
            )
            .is_ok()
        );
        for answer in [
            "",
            "FW-ABCD234",
            "FW-ABCD23456",
            "XFW-ABCD2345",
            "FW-ABCD2345-1",
            "fw-abcd2345",
        ] {
            assert!(
                wrong(answer, &orders).contains("not in the answer"),
                "{answer}"
            );
        }
        assert!(wrong("FW-ABCD2345", &[]).contains("0 orders"));
        assert!(wrong("FW-ABCD2345", &[order(|_| {}), order(|_| {})]).contains("2 orders"));
    }

    #[test]
    fn an_order_of_something_else_is_no_success() {
        for (path, value) in [
            ("/lines/0/product", json!("Alpine Rain Jacket")),
            ("/lines/0/size", json!("L")),
            ("/lines/0/colour", json!("Black")),
            ("/lines/0/quantity", json!(2)),
            ("/shipping/name", json!("Grace Hopper")),
            ("/shipping/street", json!("Park Street 8")),
            ("/shipping/city", json!("Bonn")),
            ("/shipping/postal_code", json!("50668")),
            ("/shipping/method", json!("Standard delivery")),
        ] {
            let changed = order(|order| *order.pointer_mut(path).unwrap() = value.clone());
            assert!(
                wrong("FW-ABCD2345", &[changed]).contains(" instead of "),
                "{path}"
            );
        }
        let none = order(|order| order["lines"] = json!([]));
        assert!(wrong("FW-ABCD2345", &[none]).contains("0 lines"));
    }
}
