//! The pages with the forms for product choices, login and checkout. A form that is shown again keeps the entered
//! values, except the password. Each error message is beside its field, except that of the login, which is above the
//! form.

use super::{Visit, picture};
use crate::demo::{
    catalog::{Product, price},
    checkout::{Complaints, METHODS},
    html::Html,
    http::Fields,
};

/// Returns the error message of the field `name` in two parts: the attributes of the field's control, and the text below the
/// control. Both are empty if `text`, the message, is `None`.
fn complaint(visit: &Visit<'_>, name: &'static str, text: Option<&str>) -> (Html, Html) {
    let Some(text) = text else {
        return Default::default();
    };
    let values = [
        ("name", Html::text(name)),
        ("tag", visit.tag()),
        ("complaint", Html::text(text)),
    ];
    (
        Html::fill(include_str!("../pages/marks.html"), &values),
        Html::fill(include_str!("../pages/error.html"), &values),
    )
}

fn alert(text: Option<&'static str>) -> Html {
    text.map(|text| {
        Html::fill(
            include_str!("../pages/alert.html"),
            &[("message", Html::text(text))],
        )
    })
    .unwrap_or_default()
}

struct Radio<'a> {
    index: usize,
    value: &'a str,
    label: String,
}

fn radios<'a>(
    visit: &Visit<'_>,
    name: &str,
    given: &str,
    marks: &Html,
    all: impl Iterator<Item = Radio<'a>>,
) -> Html {
    let radio = |radio: Radio<'_>| {
        let values = [
            ("name", Html::text(name)),
            ("index", Html::text(radio.index)),
            ("tag", visit.tag()),
            ("value", Html::text(radio.value)),
            ("chosen", Html::when(radio.value == given, " checked")),
            ("marks", marks.clone()),
            ("label", Html::text(radio.label)),
        ];
        Html::fill(include_str!("../pages/radio.html"), &values)
    };
    all.map(radio).collect()
}

/// Returns the page of a product, with its choices. `wrong` contains the name of the field that the visitor filled in
/// wrongly, and the error message for this field.
pub(in crate::demo) fn product(
    visit: &Visit<'_>,
    product: &Product,
    form: &Fields,
    wrong: Option<(&'static str, &'static str)>,
) -> Html {
    let about = |field| {
        complaint(
            visit,
            field,
            wrong
                .filter(|(name, _)| *name == field)
                .map(|(_, text)| text),
        )
    };
    let (size_marks, size_error) = about("size");
    let (colour_marks, colour_error) = about("colour");
    let (quantity_marks, quantity_error) = about("quantity");
    let size = |size: &&str| {
        let values = [
            ("value", Html::text(size)),
            (
                "chosen",
                Html::when(*size == form.text("size"), " selected"),
            ),
            ("label", Html::text(size)),
        ];
        Html::fill(include_str!("../pages/option.html"), &values)
    };
    let colours = visit.variation.shuffled("colours", product.colours);
    let colours = colours.into_iter().enumerate().map(|(index, c)| Radio {
        index,
        value: c,
        label: (*c).to_owned(),
    });
    let quantity = form.get("quantity").unwrap_or("1");
    let values = [
        ("tag", visit.tag()),
        ("picture", picture(product)),
        ("slug", Html::text(product.slug)),
        ("name", Html::text(product.name)),
        ("blurb", Html::text(product.blurb)),
        ("price", Html::text(price(product.cents))),
        ("sizes", product.sizes.iter().map(size).collect()),
        ("size_marks", size_marks),
        ("size_error", size_error),
        (
            "colours",
            radios(visit, "colour", form.text("colour"), &colour_marks, colours),
        ),
        ("colour_error", colour_error),
        ("quantity", Html::text(quantity)),
        ("quantity_marks", quantity_marks),
        ("quantity_error", quantity_error),
        (
            "button",
            visit.wording("add", ["Add to cart", "Put into cart", "Add to my cart"]),
        ),
    ];
    visit.page(
        product.name,
        Html::fill(include_str!("../pages/product.html"), &values),
        Html::default(),
    )
}

/// Returns the page with the login form. `next` is the path to which a successful login leads. `refused` is true if the last
/// login failed.
pub(in crate::demo) fn login(visit: &Visit<'_>, next: &str, user: &str, refused: bool) -> Html {
    let values = [
        ("tag", visit.tag()),
        (
            "alert",
            alert(refused.then_some("User name or password is wrong.")),
        ),
        ("next", Html::text(next)),
        ("user", Html::text(user)),
        (
            "button",
            visit.wording("login", ["Log in", "Sign in", "Continue"]),
        ),
    ];
    visit.page(
        "Log in",
        Html::fill(include_str!("../pages/login.html"), &values),
        Html::default(),
    )
}

pub(in crate::demo) fn checkout(visit: &Visit<'_>, form: &Fields, complaints: &Complaints) -> Html {
    let about = |field| complaint(visit, field, complaints.get(field).copied());
    let field = |(name, label, autocomplete)| {
        let (marks, error) = about(name);
        let values = [
            ("name", Html::text(name)),
            ("label", Html::text(label)),
            ("type", Html::literal("text")),
            ("tag", visit.tag()),
            ("value", Html::text(form.get(name).unwrap_or_default())),
            ("autocomplete", Html::text(autocomplete)),
            ("marks", marks),
            ("error", error),
        ];
        Html::fill(include_str!("../pages/field.html"), &values)
    };
    let fields = [
        ("name", "Full name", "name"),
        ("street", "Street and house number", "street-address"),
        ("postal_code", "Postal code", "postal-code"),
        ("city", "City", "address-level2"),
    ];
    let (shipping_marks, shipping_error) = about("shipping");
    let (terms_marks, terms_error) = about("terms");
    let methods = visit.variation.shuffled("methods", METHODS);
    let methods = methods
        .into_iter()
        .enumerate()
        .map(|(index, method)| Radio {
            index,
            value: method.key,
            label: format!("{} ({})", method.label, price(method.cents)),
        });
    let message = (!complaints.is_empty())
        .then_some("Please check what is marked below. Nothing was ordered yet.");
    let values = [
        ("tag", visit.tag()),
        ("alert", alert(message)),
        ("fields", fields.map(field).into_iter().collect()),
        (
            "methods",
            radios(
                visit,
                "shipping",
                form.text("shipping"),
                &shipping_marks,
                methods,
            ),
        ),
        ("shipping_error", shipping_error),
        (
            "terms_chosen",
            Html::when(form.text("terms") == "yes", " checked"),
        ),
        ("terms_marks", terms_marks),
        ("terms_error", terms_error),
        ("subtotal", Html::text(price(visit.session.cents()))),
        (
            "button",
            visit.wording("order", ["Place order", "Buy now", "Place the order"]),
        ),
    ];
    visit.page(
        "Checkout",
        Html::fill(include_str!("../pages/checkout.html"), &values),
        Html::default(),
    )
}
