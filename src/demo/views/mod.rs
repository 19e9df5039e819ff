//! The pages home, search results, cart, confirmation and messages, and the layout that all pages share. The pages with
//! the forms for product choices, login and checkout are in `forms`.
//!
//! A view takes the values to show and returns markup. It makes no decisions and changes nothing.

mod forms;

pub(super) use forms::{checkout, login, product};

use super::{
    catalog::{Product, price},
    html::Html,
    order::Order,
    variation::Variation,
    visitor::Session,
};

/// A visitor's request for a page: the shop's variation (the values that depend on its seed), the visitor's session and the
/// page's address.
#[derive(Debug)]
pub(super) struct Visit<'a> {
    pub(super) variation: Variation,
    pub(super) session: &'a Session,
    /// True if the visitor has answered the cookie notice.
    pub(super) consented: bool,
    /// Path and query of the page.
    pub(super) target: &'a str,
}

impl Visit<'_> {
    /// Returns the suffix that every element id on the pages has, except the id `main`. The suffix depends on the
    /// shop's seed, so that an id learned in one shop is useless in a shop with another seed.
    fn tag(&self) -> Html {
        Html::text(self.variation.code::<4>("tag", 0).to_lowercase())
    }

    fn wording<const N: usize>(&self, topic: &str, wordings: [&'static str; N]) -> Html {
        Html::text(self.variation.pick(topic, wordings))
    }

    /// Returns a whole page. `main` is its content, which is put into the layout that all pages share.
    fn page(&self, title: &str, main: Html, script: Html) -> Html {
        let account = if self.session.logged_in {
            Html::literal(include_str!("../pages/logout.html"))
        } else {
            Html::literal(include_str!("../pages/login_link.html"))
        };
        let values = [
            ("title", Html::text(title)),
            ("style", Html::literal(include_str!("../pages/style.css"))),
            ("account", account),
            ("cart_count", Html::text(self.session.count())),
            ("main", main),
            (
                "consent",
                if self.consented {
                    Html::default()
                } else {
                    self.consent()
                },
            ),
            ("script", script),
        ];
        Html::fill(include_str!("../pages/layout.html"), &values)
    }

    fn consent(&self) -> Html {
        let accept = [
            "Accept all",
            "Accept all cookies",
            "Allow all cookies",
            "Agree and continue",
        ];
        let values = [
            ("tag", self.tag()),
            ("back", Html::text(self.target)),
            ("accept", self.wording("accept", accept)),
            (
                "necessary",
                self.wording("necessary", ["Only necessary", "Necessary cookies only"]),
            ),
        ];
        Html::fill(include_str!("../pages/consent.html"), &values)
    }

    fn search_box(&self, query: &str, products: &[&Product]) -> Html {
        let option = |p: &&Product| {
            Html::fill(
                include_str!("../pages/search_option.html"),
                &[("name", Html::text(p.name))],
            )
        };
        let values = [
            ("tag", self.tag()),
            ("query", Html::text(query)),
            ("options", products.iter().map(option).collect()),
            ("button", self.wording("search", ["Search", "Find", "Go"])),
        ];
        Html::fill(include_str!("../pages/search_box.html"), &values)
    }
}

fn script() -> Html {
    [
        Html::literal("<script>"),
        Html::literal(include_str!("../pages/search.js")),
        Html::literal("</script>"),
    ]
    .into_iter()
    .collect()
}

fn picture(product: &Product) -> Html {
    Html::fill(
        include_str!("../pages/picture.html"),
        &[("hue", Html::text(product.hue))],
    )
}

fn cards(products: &[&Product]) -> Html {
    let card = |p: &&Product| {
        let values = [
            ("picture", picture(p)),
            ("slug", Html::text(p.slug)),
            ("name", Html::text(p.name)),
            ("blurb", Html::text(p.blurb)),
            ("price", Html::text(price(p.cents))),
        ];
        Html::fill(include_str!("../pages/card.html"), &values)
    };
    products.iter().map(card).collect()
}

pub(super) fn home(visit: &Visit<'_>, products: &[&Product]) -> Html {
    let favourites = products.get(..4).unwrap_or(products);
    let values = [
        ("tag", visit.tag()),
        ("search", visit.search_box("", products)),
        ("cards", cards(favourites)),
    ];
    visit.page(
        "Home",
        Html::fill(include_str!("../pages/home.html"), &values),
        script(),
    )
}

pub(super) fn results(
    visit: &Visit<'_>,
    query: &str,
    found: &[&Product],
    products: &[&Product],
) -> Html {
    let values = [
        ("tag", visit.tag()),
        ("search", visit.search_box(query, products)),
        ("query", Html::text(query)),
        ("count", Html::text(found.len())),
        ("cards", cards(found)),
    ];
    visit.page(
        "Search",
        Html::fill(include_str!("../pages/results.html"), &values),
        script(),
    )
}

pub(super) fn cart(visit: &Visit<'_>) -> Html {
    if visit.session.cart.is_empty() {
        return visit.page(
            "Cart",
            Html::literal(include_str!("../pages/cart_empty.html")),
            Html::default(),
        );
    }
    let lines = visit.session.cart.iter().enumerate().map(|(index, line)| {
        let values = [
            ("index", Html::text(index)),
            ("slug", Html::text(line.product.slug)),
            ("name", Html::text(line.product.name)),
            ("size", Html::text(line.size)),
            ("colour", Html::text(line.colour)),
            ("quantity", Html::text(line.quantity)),
            ("price", Html::text(price(line.cents()))),
        ];
        Html::fill(include_str!("../pages/cart_line.html"), &values)
    });
    let values = [
        ("lines", lines.collect()),
        ("subtotal", Html::text(price(visit.session.cents()))),
        (
            "button",
            visit.wording(
                "checkout",
                ["Go to checkout", "Proceed to checkout", "Check out"],
            ),
        ),
    ];
    visit.page(
        "Cart",
        Html::fill(include_str!("../pages/cart.html"), &values),
        Html::default(),
    )
}

pub(super) fn confirmation(visit: &Visit<'_>, order: &Order) -> Html {
    let lines = order.lines.iter().map(|line| {
        let values = [
            ("quantity", Html::text(line.quantity)),
            ("product", Html::text(&line.product)),
            ("size", Html::text(&line.size)),
            ("colour", Html::text(&line.colour)),
            ("price", Html::text(price(line.price_cents))),
        ];
        Html::fill(include_str!("../pages/confirmation_line.html"), &values)
    });
    let values = [
        ("number", Html::text(&order.number)),
        ("lines", lines.collect()),
        ("total", Html::text(price(order.total_cents))),
        ("name", Html::text(&order.shipping.name)),
        ("street", Html::text(&order.shipping.street)),
        ("postal_code", Html::text(&order.shipping.postal_code)),
        ("city", Html::text(&order.shipping.city)),
        ("method", Html::text(&order.shipping.method)),
    ];
    visit.page(
        "Order confirmed",
        Html::fill(include_str!("../pages/confirmation.html"), &values),
        Html::default(),
    )
}

/// Returns an information page, such as the page about shipping; `None` for an unknown topic. The shop has these pages
/// because real shops have them; a purchase never needs them.
pub(super) fn info(visit: &Visit<'_>, topic: &str) -> Option<Html> {
    let (title, text) = match topic {
        "shipping" => (
            "Shipping",
            "We send from Monday to Friday. Express orders leave on the same day.",
        ),
        "returns" => (
            "Returns",
            "Send it back within thirty days, unworn, and we return what you paid.",
        ),
        "privacy" => (
            "Privacy",
            "This shop keeps your cart in memory and forgets it when it is stopped.",
        ),
        "terms" => (
            "Terms",
            "This is a demonstration. An order here binds nobody to anything.",
        ),
        "about" => (
            "About us",
            "Fernweh Outfitters exists to be visited by browser agents.",
        ),
        "sizes" => (
            "Size guide",
            "Between two sizes? Take the larger one for jackets and the smaller one for socks.",
        ),
        "account" => (
            "Your account",
            "Ask whoever started this shop for the password.",
        ),
        _ => return None,
    };
    Some(message(visit, title, text))
}

pub(super) fn not_found(visit: &Visit<'_>) -> Html {
    message(
        visit,
        "Page not found",
        "There is nothing at this address, or it is not yours to see.",
    )
}

fn message(visit: &Visit<'_>, title: &str, text: &str) -> Html {
    let values = [("title", Html::text(title)), ("text", Html::text(text))];
    visit.page(
        title,
        Html::fill(include_str!("../pages/message.html"), &values),
        Html::default(),
    )
}
