//! The products of the shop. Their names are similar on purpose, because choosing the right product is part
//! of the task.

use crate::base::text::words;

#[derive(Debug)]
pub(super) struct Product {
    pub(super) slug: &'static str,
    pub(super) name: &'static str,
    pub(super) blurb: &'static str,
    /// Price of one piece. Unit: euro cents.
    pub(super) cents: u32,
    pub(super) sizes: &'static [&'static str],
    pub(super) colours: &'static [&'static str],
    /// Colour of the product's picture. Unit: degrees on the colour wheel.
    pub(super) hue: u16,
}

const CLOTHES: &[&str] = &["XS", "S", "M", "L", "XL"];
const KIDS: &[&str] = &["116", "128", "140", "152"];
const SOCKS: &[&str] = &["36-38", "39-41", "42-44", "45-47"];

macro_rules! products {
    ($($slug:literal, $name:literal, $cents:literal, $sizes:ident, [$($colour:literal),+], $hue:literal, $blurb:literal;)+) => {
        &[$(Product {
            slug: $slug, name: $name, blurb: $blurb, cents: $cents, sizes: $sizes, colours: &[$($colour),+], hue: $hue,
        }),+]
    };
}

pub(super) const PRODUCTS: &[Product] = products![
    "alpine-rain-jacket", "Alpine Rain Jacket", 14_900, CLOTHES, ["Forest green", "Slate blue", "Black"], 150,
    "Three layers, taped seams, and a hood that turns with your head.";
    "alpine-rain-jacket-light", "Alpine Rain Jacket Light", 11_900, CLOTHES, ["Slate blue", "Sunflower", "Black"], 48,
    "Two and a half layers that fold into their own pocket.";
    "alpine-rain-jacket-pro", "Alpine Rain Jacket Pro", 22_900, CLOTHES, ["Signal red", "Slate blue", "Black"], 4,
    "For days when the forecast says stay at home.";
    "alpine-rain-jacket-kids", "Alpine Rain Jacket Kids", 7_900, KIDS, ["Forest green", "Sunflower"], 96,
    "Grows along: the sleeves let out by four centimetres.";
    "alpine-wind-jacket", "Alpine Wind Jacket", 8_900, CLOTHES, ["Forest green", "Slate blue"], 190,
    "Weighs as much as an apple and keeps the wind out.";
    "alpine-down-jacket", "Alpine Down Jacket", 18_900, CLOTHES, ["Slate blue", "Black"], 222,
    "Warm, light, and dry again by morning.";
    "valley-rain-jacket", "Valley Rain Jacket", 9_900, CLOTHES, ["Forest green", "Sand", "Black"], 28,
    "Cut for the city, tested on the ferry.";
    "valley-fleece-jacket", "Valley Fleece Jacket", 6_900, CLOTHES, ["Sand", "Slate blue"], 36,
    "The one that nobody in the hut gives back.";
    "alpine-rain-trousers", "Alpine Rain Trousers", 9_900, CLOTHES, ["Black", "Slate blue"], 210,
    "Side zips that open over boots.";
    "valley-trousers", "Valley Trousers", 7_900, CLOTHES, ["Sand", "Forest green"], 40,
    "Stretch where you need it and nowhere else.";
    "merino-socks", "Merino Hiking Socks", 2_200, SOCKS, ["Forest green", "Signal red"], 330,
    "Padded at heel and toe.";
    "merino-socks-light", "Merino Hiking Socks Light", 1_900, SOCKS, ["Slate blue", "Sand"], 262,
    "For warm days and low shoes.";
];

impl Product {
    pub(super) fn get(slug: &str) -> Option<&'static Self> {
        PRODUCTS.iter().find(|product| product.slug == slug)
    }

    /// Returns the number of query words that are the beginning of a word in the product's name.
    fn matches(&self, query: &[String]) -> usize {
        let name = words(self.name);
        query
            .iter()
            .filter(|word| name.iter().any(|w| w.starts_with(word.as_str())))
            .count()
    }
}

/// Returns the products whose name contains a word that begins with a word of the query. The product that matches most words
/// of the query comes first; products that match equally many keep their order.
pub(super) fn search(query: &str, products: &[&'static Product]) -> Vec<&'static Product> {
    let query = words(query);
    let mut found: Vec<_> = products
        .iter()
        .map(|p| (p.matches(&query), *p))
        .filter(|(hits, _)| *hits > 0)
        .collect();
    found.sort_by_key(|(hits, _)| std::cmp::Reverse(*hits));
    found.into_iter().map(|(_, product)| product).collect()
}

pub(super) fn price(cents: u32) -> String {
    format!("€ {}.{:02}", cents / 100, cents % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_product_has_a_url_of_its_own_and_choices() {
        let slugs: std::collections::BTreeSet<_> = PRODUCTS.iter().map(|p| p.slug).collect();
        assert_eq!(slugs.len(), PRODUCTS.len());
        assert!(
            PRODUCTS
                .iter()
                .all(|p| p.sizes.len() > 1 && p.colours.len() > 1 && !p.blurb.is_empty())
        );
    }

    #[test]
    fn a_search_finds_many_alike_with_the_best_first() {
        let all: Vec<_> = PRODUCTS.iter().collect();
        let found = search("Alpine Rain JACKET", &all);
        assert!(found.len() >= 8);
        assert!(
            found[..4]
                .iter()
                .all(|p| p.name.starts_with("Alpine Rain Jacket"))
        );
        assert!(search("", &all).is_empty() && search("umbrella", &all).is_empty());
    }

    #[test]
    fn prices_have_two_decimals() {
        assert_eq!(
            (price(14_900).as_str(), price(1_905).as_str()),
            ("€ 149.00", "€ 19.05")
        );
    }
}
