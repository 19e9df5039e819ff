//! What a model or a page writes reaches playwright-cli byte for byte, and never as one of its options.
//!
//! The tool is this program itself, started again under the tool's name: it records how it was started and says what the
//! tool would say (`fake`), and so does a socket in the place of the daemon's (`daemon`). That is why this target has a
//! `main` of its own. Some values are also typed into a real browser and read back.

mod bed;
mod cases;
mod daemon;
mod fake;
#[path = "../support/profile.rs"]
mod profile;
mod real;
mod rules;
#[path = "../support/runner.rs"]
mod runner;
mod tool;
mod values;
#[path = "../support/web.rs"]
mod web;

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(home) = fake::home() {
        fake::main(&home);
        return ExitCode::SUCCESS;
    }
    runner::run(rules::ALL)
}
