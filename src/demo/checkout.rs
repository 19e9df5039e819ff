//! The checkout form: its fields and its error messages. Does no input or output.

use std::collections::BTreeMap;

use super::{http::Fields, order::Shipping};

/// Maximum length of a field's input. Unit: characters. Source: chosen; the longest German street name has 50 characters.
const MAX_FIELD_CHARS: usize = 100;

#[derive(Debug)]
pub(super) struct Method {
    /// The name of the shipping method in the form's data.
    pub(super) key: &'static str,
    pub(super) label: &'static str,
    /// Price of shipping by this method. Unit: euro cents.
    pub(super) cents: u32,
}

pub(super) const METHODS: &[Method] = &[
    Method {
        key: "standard",
        label: "Standard delivery",
        cents: 490,
    },
    Method {
        key: "express",
        label: "Express delivery",
        cents: 1290,
    },
    Method {
        key: "pickup",
        label: "Pickup at a parcel shop",
        cents: 290,
    },
];

/// The error messages of a form, by the name of the field.
pub(super) type Complaints = BTreeMap<&'static str, &'static str>;

/// Returns the shipping data and the chosen method. If fields are wrong, returns the error messages of all wrong fields.
pub(super) fn check(form: &Fields) -> Result<(Shipping, &'static Method), Complaints> {
    let mut complaints = Complaints::new();
    let mut need = |field: &'static str, fine: &dyn Fn(&str) -> bool, complaint: &'static str| {
        let text = form.text(field);
        if text.chars().count() > MAX_FIELD_CHARS {
            complaints.insert(field, "This is too long: use at most 100 characters.");
        } else if !fine(text) {
            complaints.insert(field, complaint);
        }
        text.to_owned()
    };
    let name = need("name", &|t| t.chars().count() >= 2, "Enter your full name.");
    let street = need(
        "street",
        &has_house_number,
        "Enter the street with the house number.",
    );
    let city = need(
        "city",
        &|t| t.chars().any(char::is_alphabetic),
        "Enter the city.",
    );
    let postal_code = need(
        "postal_code",
        &is_postal_code,
        "Enter the postal code: five digits.",
    );
    need(
        "terms",
        &|t| t == "yes",
        "Accept the terms to place the order.",
    );
    let method = METHODS.iter().find(|m| m.key == form.text("shipping"));
    if method.is_none() {
        complaints.insert("shipping", "Choose how we should send it.");
    }
    match method {
        Some(method) if complaints.is_empty() => Ok((
            Shipping {
                name,
                street,
                city,
                postal_code,
                method: method.label.to_owned(),
            },
            method,
        )),
        _ => Err(complaints),
    }
}

fn has_house_number(text: &str) -> bool {
    text.chars().any(char::is_alphabetic) && text.chars().any(|c| c.is_ascii_digit())
}

fn is_postal_code(text: &str) -> bool {
    text.len() == 5 && text.bytes().all(|b| b.is_ascii_digit())
}
