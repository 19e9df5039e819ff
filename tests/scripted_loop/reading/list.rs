//! A shop's list of 200 items over five pages.

use webwise::page::Role;

use crate::reading::{
    Question,
    random::Random,
    site::{Document, Page, document},
    table::money,
};

const PAGES: usize = 5;
const ON_A_PAGE: usize = 40;
const BRANDS: [&str; 9] = [
    "Norvik",
    "Alpenrose",
    "Tarn",
    "Cairn",
    "Solvang",
    "Fjelltop",
    "Briar",
    "Hollin",
    "Marten",
];
const KINDS: [&str; 8] = [
    "tent",
    "tarp",
    "sleeping bag",
    "stove",
    "lantern",
    "rucksack",
    "bivouac",
    "hammock",
];
const NAMES: [&str; 25] = [
    "Heron", "Otter", "Lynx", "Curlew", "Badger", "Osprey", "Wren", "Marmot", "Ibex", "Falcon",
    "Plover", "Stoat", "Raven", "Bison", "Puffin", "Kestrel", "Adder", "Grouse", "Tern", "Elk",
    "Newt", "Swift", "Vole", "Crane", "Perch",
];
const FEATURES: [&str; 6] = [
    "waterproof",
    "lifetime warranty",
    "recycled fabric",
    "repair kit included",
    "made in Europe",
    "packs small",
];

#[derive(Debug, Clone)]
struct Item {
    name: String,
    brand: &'static str,
    /// In cents, all different.
    price: u64,
    /// In tenths; one item has the most.
    rating: u64,
    reviews: u64,
    features: Vec<&'static str>,
    free: bool,
}

fn items(random: &mut Random) -> Vec<Item> {
    let mut prices: Vec<u64> = Vec::new();
    let item = |n: usize| {
        let price = loop {
            let price = (1_200 + random.below(52_000)) / 10 * 10 + 5;
            if !prices.contains(&price) {
                break price;
            }
        };
        prices.push(price);
        let brand = BRANDS[random.index(BRANDS.len())];
        let mut features = vec![FEATURES[2 + random.index(4)]];
        features.extend((random.below(5) == 0).then_some(FEATURES[0]));
        features.extend((random.below(6) == 0).then_some(FEATURES[1]));
        Item {
            name: format!(
                "{brand} {} {} {}",
                NAMES[n % 25],
                KINDS[n / 25],
                1 + random.below(9)
            ),
            brand,
            price,
            rating: if n == 118 { 50 } else { 31 + random.below(18) },
            reviews: 3 + random.below(900),
            features,
            free: random.below(4) == 0,
        }
    };
    (0..PAGES * ON_A_PAGE).map(item).collect()
}

fn questions(items: &[Item]) -> Vec<Question> {
    let mut by_price: Vec<&Item> = items.iter().collect();
    by_price.sort_by_key(|item| item.price);
    let best = items
        .iter()
        .max_by_key(|item| item.rating)
        .expect("an item");
    let both = items.iter().filter(|item| {
        item.features.contains(&FEATURES[0]) && item.features.contains(&FEATURES[1])
    });
    let both: Vec<&str> = both.map(|item| item.name.as_str()).collect();
    assert!((2..14).contains(&both.len()), "{both:?}");
    let of_brand = items.iter().filter(|item| item.brand == "Tarn");
    let (known, other) = (&items[137], &items[171]);
    vec![
        Question::new(
            "Which item of all pages has the lowest Price?",
            &by_price[0].name,
        )
        .whole(),
        Question::new(
            "Which item of all pages has the third lowest Price?",
            &by_price[2].name,
        )
        .whole(),
        Question::new(
            "Which items of all pages have both \"waterproof\" and \"lifetime warranty\"?",
            both.join("; "),
        ),
        Question::new(
            "What is the sum of the Price of all items of \"Tarn\" on all pages?",
            money(of_brand.map(|item| item.price).sum()),
        )
        .computed()
        .whole(),
        Question::new(
            format!("On which page is the item \"{}\"?", known.name),
            137 / ON_A_PAGE + 1,
        ),
        Question::new(
            format!("What is the Price of the item \"{}\"?", other.name),
            money(other.price),
        ),
        Question::new(
            "How many items of all pages have \"Free delivery\"?",
            items.iter().filter(|item| item.free).count(),
        )
        .computed(),
        Question::new(
            "Which item of all pages has the highest Rating?",
            &best.name,
        )
        .whole(),
        Question::new(
            "Which is the last item of the last page?",
            &items[items.len() - 1].name,
        ),
        Question::new("Is there an item of \"Quillon\" on any page?", "no").whole(),
    ]
}

fn card(page: &mut Page, item: &Item) {
    page.open(Role::ListItem, "", |page| {
        page.open(Role::Generic, "", |page| {
            page.open(Role::Heading, &item.name, |page| {
                page.link(&item.name, "/item");
            });
            page.leaf(
                Role::Img,
                &format!("{}.{} out of 5 stars", item.rating / 10, item.rating % 10),
            );
            page.text(&format!("({} reviews)", item.reviews));
            page.open(Role::List, "", |page| {
                for feature in &item.features {
                    page.open(Role::ListItem, "", |page| page.text(feature));
                }
            });
            page.open(Role::Paragraph, "", |page| {
                page.text(&format!("€{}", money(item.price)));
            });
            page.paragraph(if item.free {
                "Free delivery"
            } else {
                "Delivery from €4.95"
            });
            page.leaf(Role::Button, "Add to cart");
        });
    });
}

fn content(page: &mut Page, items: &[Item], at: usize) {
    page.open(Role::Navigation, "Breadcrumb", |page| {
        page.links(&["Home", "Outdoor"].map(|words| (words.to_owned(), "/".to_owned())));
    });
    page.open(Role::Complementary, "Filters", |page| {
        page.heading(2, "Brand");
        for brand in BRANDS {
            page.leaf(Role::Checkbox, brand);
        }
    });
    page.open(Role::Main, "", |page| {
        page.heading(1, "Outdoor");
        let first = at * ON_A_PAGE;
        page.paragraph(&format!(
            "Items {} to {} of {}",
            first + 1,
            first + ON_A_PAGE,
            PAGES * ON_A_PAGE
        ));
        page.open(Role::List, "Items", |page| {
            items[first..first + ON_A_PAGE]
                .iter()
                .for_each(|item| card(page, item));
        });
        page.open(Role::Navigation, "Pages", |page| {
            let mut links: Vec<(String, String)> = (1..=PAGES)
                .map(|n| (n.to_string(), format!("/outdoor?page={n}")))
                .collect();
            links.extend(
                (at + 1 < PAGES)
                    .then(|| ("Next page".to_owned(), format!("/outdoor?page={}", at + 2))),
            );
            page.links(&links);
        });
    });
}

/// Makes the pages of the list and the questions.
pub(crate) fn make(random: &mut Random) -> (Vec<Document>, Vec<Question>) {
    let items = items(random);
    let page = |at: usize| {
        document(
            format!("https://shop.example/outdoor?page={}", at + 1),
            &format!("Outdoor, page {} of {PAGES}", at + 1),
            ["Hut and Hill", "Outdoor Cycling Running Climbing Sale"],
            |page| content(page, &items, at),
        )
    };
    ((0..PAGES).map(page).collect(), questions(&items))
}
