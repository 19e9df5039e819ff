//! What drivers cost on a real Chromium, side by side.
//!
//! `cargo bench --features full --bench driver` prints four tables; a name after `--` prints that one alone.
//!
//! ```text
//! drivers      playwright-cli by its socket and our own driver, call by call, at 20, 300 and 10,000 elements
//! growth       our own driver, alone and in the loop, at 10, 300, 3,000 and 10,000 buttons
//! shopping     both on the demo's task: what a step costs with the model's time taken out
//! transports   playwright-cli by its socket and by a process a command
//! ```
//!
//! A main of its own instead of a library: a call takes 1 ms to 2 s, what is compared takes turns so that a busy moment of the
//! machine meets both, and the figure that matters is their ratio. Nothing here asserts a time.

#![allow(
    clippy::too_many_lines,
    reason = "a story is told in one function, and some are tables"
)]

mod calls;
mod drivers;
mod growth;
mod shopping;
mod site;
#[path = "../../tests/support/shopping.rs"]
mod task;
mod transports;

use calls::Anything;

#[tokio::main]
async fn main() -> Anything {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let is_wanted = |table: &str| {
        wanted.is_empty() || wanted.iter().any(|name| table.starts_with(name.as_str()))
    };
    let site = site::serve()?;
    if is_wanted("drivers") {
        drivers::measure(&site).await?;
    }
    if is_wanted("growth") {
        growth::measure(&site).await?;
    }
    if is_wanted("shopping") {
        shopping::measure().await?;
    }
    if is_wanted("transports") {
        transports::measure(site).await?;
    }
    Ok(())
}
