//! What it costs to make a prompt, alone and together with reading the page.
//!
//! `cargo bench --bench prompt`. Targets, on two cores, for `page_to_prompt`: 0.5 ms at 300 elements and
//! 10 ms at 10,000.

mod pages;

use divan::Bencher;
use webwise::{
    Nonce,
    base::text::words,
    browser::parse_snapshot,
    page::{DigestOptions, Layout, PageHead, PageView, ViewOptions, interpret},
    prompt::{StepParts, step},
    working::History,
};

const GOAL: &str = "Put the kayak 120 into the cart and report the price";

fn main() {
    divan::main();
}

fn read(text: &str) -> (PageView, Layout) {
    let head = PageHead::new("https://shop.example/products", "All products");
    let tree = parse_snapshot(text);
    let view = interpret(&head, &tree, &ViewOptions::default());
    let layout = Layout::of(&tree, &view.elements);
    (view, layout)
}

fn message(
    (view, layout): &(PageView, Layout),
    goal_words: &[String],
    history: History<'_>,
    digest: DigestOptions,
) -> String {
    step(&StepParts {
        goal_words,
        history,
        digest,
        ..StepParts::new([Nonce::new(6), Nonce::new(1)], view, layout)
    })
}

/// The loop's own share of a step: from the driver's text to the message, on a page of buttons.
#[divan::bench(args = pages::SIZES)]
fn page_to_prompt(bencher: Bencher<'_, '_>, elements: usize) {
    whole_way(bencher, &pages::buttons(elements));
}

/// The same on a shop's list, which has four nodes an element and five times the text.
#[divan::bench(args = pages::SIZES)]
fn page_to_prompt_of_a_shop(bencher: Bencher<'_, '_>, elements: usize) {
    whole_way(bencher, &pages::shop(elements));
}

fn whole_way(bencher: Bencher<'_, '_>, text: &str) {
    let (goal, history) = (words(GOAL), History::default());
    bencher.bench(|| {
        message(
            &read(divan::black_box(text)),
            &goal,
            history,
            DigestOptions::default(),
        )
    });
}

#[divan::bench(args = pages::SIZES)]
fn prompt(bencher: Bencher<'_, '_>, elements: usize) {
    let (view, goal, history) = (
        read(&pages::shop(elements)),
        words(GOAL),
        History::default(),
    );
    bencher.bench(|| {
        message(
            divan::black_box(&view),
            &goal,
            history,
            DigestOptions::default(),
        )
    });
}

/// What leanness costs: the same with nothing folded and nothing left out.
#[divan::bench(args = pages::SIZES)]
fn prompt_of_the_whole_page(bencher: Bencher<'_, '_>, elements: usize) {
    let (view, goal, history) = (
        read(&pages::shop(elements)),
        words(GOAL),
        History::default(),
    );
    bencher.bench(|| {
        message(
            divan::black_box(&view),
            &goal,
            history,
            DigestOptions::whole(),
        )
    });
}
