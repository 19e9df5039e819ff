//! Pages to measure with, in the text that playwright-cli prints.

use std::fmt::Write as _;

/// Sizes that the requirements name. Unit: elements to act on.
pub(crate) const SIZES: [usize; 2] = [300, 10_000];

/// Buttons and nothing else, as a hostile page may have them: 34 bytes each.
#[allow(dead_code, reason = "each bench uses what it needs")]
pub(crate) fn buttons(elements: usize) -> String {
    let mut page = String::from("- main [ref=e1]:\n");
    for at in 0..elements {
        let _ = writeln!(page, "  - button \"Button {at}\" [ref=e{}]", at + 2);
    }
    page
}

/// A shop's list with a menu: of each product a link, a text, a price, and a button to buy it.
pub(crate) fn shop(elements: usize) -> String {
    let mut page = String::from(
        "- banner [ref=e1]:\n  - navigation \"Main\" [ref=e2]:\n    - list [ref=e3]:\n",
    );
    for menu in 0..10 {
        let at = 4 + 2 * menu;
        let _ = writeln!(
            page,
            "      - listitem [ref=e{at}]:\n        - link \"Menu {menu}\" [ref=e{}] [cursor=pointer]:",
            at + 1
        );
        let _ = writeln!(page, "          - /url: /menu/{menu}");
    }
    page.push_str("- main [ref=e90]:\n  - heading \"All products\" [level=1] [ref=e91]\n  - searchbox \"Search\" [ref=e92]\n  - list [ref=e93]:\n");
    for product in 0..elements.saturating_sub(11) / 2 {
        let at = 100 + 6 * product;
        let _ = write!(
            page,
            "    - listitem [ref=e{at}]:\n      - heading \"Kayak {product} for two\" [level=2] [ref=e{}]:\n        - link \"Kayak {product} for two\" \
             [ref=e{}] [cursor=pointer]:\n          - /url: /products/kayak-{product}\n      - paragraph [ref=e{}]: 'Light, steady: holds two \
             and a tent.'\n      - text: € {}.00\n      - button \"Add to cart\" [ref=e{}] [cursor=pointer]\n",
            at + 1,
            at + 2,
            at + 3,
            100 + product % 90,
            at + 4,
        );
    }
    page
}
