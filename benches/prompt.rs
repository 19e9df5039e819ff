//! What it costs to make a prompt, alone and together with reading the page.
//!
//! `cargo bench --bench prompt`. Targets, on two cores: for `page_to_prompt` 0.5 ms at 300 elements and 10 ms at 10,000; for
//! `prompt_with_full_memory` 1 ms after 200 steps; for `record` 50 microseconds after 10,000 steps.

mod pages;

use divan::Bencher;
use webwise::{
    Nonce,
    action::{Action, BrowserAction, Goto, Outcome, Signature},
    base::text::words,
    browser::parse_snapshot,
    page::{DigestOptions, Layout, PageHead, PageView, ViewOptions, interpret},
    prompt::{StepParts, step},
    working::{History, Place, Step, WorkingMemory},
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

/// Numbers of steps of a run.
const STEPS: [u32; 3] = [50, 200, 10_000];

/// A step that led to another page: every tenth one to a page that the run had not seen.
fn led(number: u32) -> Step {
    let page = |n: u32| format!("https://shop.example/products/{}?page={}", n / 10, n % 3);
    let action = Action::Browser(BrowserAction::Goto(Goto { url: page(number) }));
    let signature = Signature::of(&action, &[], "/products/:n");
    let mut step = Step::new(number, action, Outcome::Done, signature);
    (step.before, step.after) = (Place::of(page(number - 1)), Place::of(page(number)));
    step
}

/// A memory in which every part is as full as it may be.
fn full(steps: u32) -> WorkingMemory {
    let mut memory = WorkingMemory::default();
    for number in 1..=steps {
        memory.record(led(number));
    }
    for n in 0..60 {
        memory.note(&format!("note {n}: {}", "a boat on the water, ".repeat(30)));
        memory.keep([format!(
            "paragraph {n} of the page tells of boats and of water"
        )]);
        memory.extract(
            &format!("part {n}"),
            "It costs 120 euros.\n".repeat(100),
            chrono::DateTime::UNIX_EPOCH,
        );
    }
    for n in 0..20 {
        let text = "The customer prefers mail. ".repeat(100);
        memory.give(&format!("text {n}"), &text).unwrap();
    }
    memory
}

/// The message of a step when the run's memory is full, on a page of 300 elements.
#[divan::bench(args = STEPS)]
fn prompt_with_full_memory(bencher: Bencher<'_, '_>, steps: u32) {
    let ((view, layout), goal, memory) = (read(&pages::shop(300)), words(GOAL), full(steps));
    bencher.bench(|| {
        let memory = divan::black_box(&memory);
        step(&StepParts {
            goal_words: &goal,
            history: memory.history(),
            known: memory.lines(),
            extracted: memory.extracted(),
            given: memory.given(),
            noted: memory.notes(),
            ..StepParts::new([Nonce::new(6), Nonce::new(1)], &view, &layout)
        })
    });
}

/// Recording a step in a memory that has this many already.
#[divan::bench(args = STEPS)]
fn record(bencher: Bencher<'_, '_>, steps: u32) {
    let memory = std::cell::RefCell::new(full(steps));
    bencher
        .with_inputs(|| led(steps + 1))
        .bench_local_values(|step| memory.borrow_mut().record(step));
}
