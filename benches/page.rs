//! What it costs to read a page: from the driver's text to a tree, from a tree to its meaning, from two trees to what changed.
//!
//! `cargo bench --bench page`. Targets, on two cores: parsing at 100 MB/s or more.

mod pages;

use divan::{Bencher, counter::BytesCount};
use webwise::{
    browser::parse_snapshot,
    page::{Fingerprint, Layout, PageHead, ViewOptions, diff, interpret},
};

fn main() {
    divan::main();
}

fn head() -> PageHead {
    PageHead::new("https://shop.example/products", "All products")
}

#[divan::bench(args = pages::SIZES)]
fn parse(bencher: Bencher<'_, '_>, elements: usize) {
    let text = pages::shop(elements);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| parse_snapshot(divan::black_box(&text)));
}

#[divan::bench(args = pages::SIZES)]
fn interpretation(bencher: Bencher<'_, '_>, elements: usize) {
    let tree = parse_snapshot(&pages::shop(elements));
    bencher.bench(|| interpret(&head(), divan::black_box(&tree), &ViewOptions::default()));
}

#[divan::bench(args = pages::SIZES)]
fn fingerprints(bencher: Bencher<'_, '_>, elements: usize) {
    let tree = parse_snapshot(&pages::shop(elements));
    bencher.bench(|| {
        (
            Fingerprint::structure(divan::black_box(&tree)),
            Fingerprint::state(&tree),
        )
    });
}

#[divan::bench(args = pages::SIZES)]
fn difference(bencher: Bencher<'_, '_>, elements: usize) {
    let before = parse_snapshot(&pages::shop(elements));
    let after = parse_snapshot(&pages::shop(elements).replacen("Add to cart", "In the cart", 1));
    let head = head();
    bencher.bench(|| diff((&head, divan::black_box(&before)), (&head, &after)));
}

#[divan::bench(args = pages::SIZES)]
fn find(bencher: Bencher<'_, '_>, elements: usize) {
    let view = interpret(
        &head(),
        &parse_snapshot(&pages::shop(elements)),
        &ViewOptions::default(),
    );
    let layout = Layout::of(&parse_snapshot(&pages::shop(elements)), &view.elements);
    let find = || layout.find(&view.elements, divan::black_box("kayak 120"), 10);
    bencher.bench(|| find().lines.len());
}
