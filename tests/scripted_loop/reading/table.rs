//! A table of 500 orders below a form that would filter them.

use webwise::page::Role;

use crate::reading::{
    Question,
    random::Random,
    site::{Document, Page, document},
};

const COLUMNS: [&str; 7] = [
    "Order", "Date", "City", "Region", "Units", "Total", "Status",
];
const CITIES: [&str; 14] = [
    "Bergen", "Porto", "Ghent", "Turin", "Lyon", "Cork", "Malmo", "Graz", "Brno", "Tartu", "Vigo",
    "Bath", "Kiel", "Split",
];
const REGIONS: [&str; 5] = ["North", "South", "East", "West", "Coast"];
const STATUSES: [&str; 6] = [
    "Shipped", "Shipped", "Shipped", "Paid", "On hold", "Returned",
];

#[derive(Debug, Clone)]
struct Order {
    number: String,
    date: String,
    city: &'static str,
    region: &'static str,
    units: u64,
    /// In cents, all different.
    total: u64,
    status: &'static str,
}

fn orders(random: &mut Random) -> Vec<Order> {
    let mut totals: Vec<u64> = Vec::new();
    let order = |n: u64| {
        let total = loop {
            let total = 1_500 + random.below(480_000);
            if !totals.contains(&total) {
                break total;
            }
        };
        totals.push(total);
        Order {
            number: format!("PX-{}", 20_000 + n * 7 + random.below(7)),
            date: format!("2024-{:02}-{:02}", 1 + n / 42, 1 + random.below(28)),
            city: CITIES[random.index(CITIES.len())],
            region: REGIONS[random.index(REGIONS.len())],
            // One order has more than all others.
            units: if n == 331 { 97 } else { 1 + random.below(60) },
            total,
            status: STATUSES[random.index(STATUSES.len())],
        }
    };
    (0..500).map(order).collect()
}

/// Writes an amount as shops do, such as `1,204.50`.
pub(crate) fn money(cents: u64) -> String {
    let (whole, rest) = (cents / 100, cents % 100);
    if whole < 1_000 {
        format!("{whole}.{rest:02}")
    } else {
        format!("{},{:03}.{rest:02}", whole / 1_000, whole % 1_000)
    }
}

fn questions(orders: &[Order]) -> Vec<Question> {
    let mut by_total: Vec<&Order> = orders.iter().collect();
    by_total.sort_by_key(|order| order.total);
    let most = orders
        .iter()
        .max_by_key(|order| order.units)
        .expect("an order");
    let north = orders.iter().filter(|order| order.region == "North");
    let both = orders
        .iter()
        .filter(|order| order.region == "Coast" && order.status == "Returned");
    let both: Vec<&str> = both.map(|order| order.number.as_str()).collect();
    assert!((3..25).contains(&both.len()), "{both:?}");
    let held = orders.iter().filter(|order| order.status == "On hold");
    let known = &orders[268];
    vec![
        Question::new(
            "What is the City in row 217 of the table?",
            orders[216].city,
        ),
        Question::new("Which order has the lowest Total?", &by_total[0].number).whole(),
        Question::new(
            "Which order has the third lowest Total?",
            &by_total[2].number,
        )
        .whole(),
        Question::new(
            "What is the sum of the Units of all orders of the Region \"North\"?",
            north.map(|order| order.units).sum::<u64>(),
        )
        .computed()
        .whole(),
        Question::new(
            "Which orders have both the Region \"Coast\" and the Status \"Returned\"?",
            both.join("; "),
        ),
        Question::new("How many orders have the Status \"On hold\"?", held.count())
            .computed()
            .whole(),
        Question::new(
            "What is the City of the last row of the table?",
            orders[499].city,
        ),
        Question::new(
            format!("What is the Total of the order \"{}\"?", known.number),
            money(known.total),
        ),
        Question::new("Which order has the highest Units?", &most.number).whole(),
        Question::new("Is there an order of the City \"Uppsala\"?", "no").whole(),
    ]
}

fn content(page: &mut Page, orders: &[Order]) {
    page.open(Role::Main, "", |page| {
        page.heading(1, "Orders");
        page.open(Role::Form, "Filter", |page| {
            page.leaf(Role::SearchBox, "Customer");
            page.open(Role::Combobox, "Year", |page| {
                page.leaf(Role::Option, "2024");
                page.leaf(Role::Option, "2023");
            });
            page.leaf(Role::Button, "Apply");
        });
        page.paragraph("500 orders of 2024");
        page.open(Role::Table, "Orders", |page| {
            page.open(Role::RowGroup, "", |page| {
                page.open(Role::Row, "", |page| {
                    for column in COLUMNS {
                        page.leaf(Role::ColumnHeader, column);
                    }
                });
            });
            page.open(Role::RowGroup, "", |page| {
                for order in orders {
                    page.open(Role::Row, "", |page| {
                        page.open(Role::Cell, "", |page| page.link(&order.number, "/order"));
                        let units = order.units.to_string();
                        let total = money(order.total);
                        for cell in [
                            &*order.date,
                            order.city,
                            order.region,
                            &*units,
                            &*total,
                            order.status,
                        ] {
                            page.leaf(Role::Cell, cell);
                        }
                    });
                }
            });
        });
    });
}

/// Makes the table and its questions.
pub(crate) fn make(random: &mut Random) -> (Vec<Document>, Vec<Question>) {
    let orders = orders(random);
    let page = document(
        "https://office.example/orders".to_owned(),
        "Orders",
        [
            "Northline Office",
            "Orders Customers Stock Reports Settings",
        ],
        |page| content(page, &orders),
    );
    (vec![page], questions(&orders))
}
