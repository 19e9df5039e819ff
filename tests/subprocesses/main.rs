//! What is shown by starting this program again, under another name or to be killed. So it has a `main` of its own.

#![cfg(unix)]
#![allow(
    clippy::too_many_lines,
    reason = "a story is told in one function, and some are tables"
)]

#[macro_use]
#[path = "../support/figure.rs"]
mod figure;
#[path = "../support/profile.rs"]
mod profile;
#[path = "../support/random.rs"]
mod random;
#[path = "../support/runner.rs"]
mod runner;
#[path = "../support/sim_fs/mod.rs"]
mod sim_fs;

mod argv;
mod store_crash;

use std::process::ExitCode;

/// What a `cargo test` without names is told at its end.
const REST: &str = "\nNot run here are the tests that need a browser or a database. All tests, and the installation of what they need:
    cargo run --features full --example test_all";

fn main() -> ExitCode {
    if let Some(home) = argv::fake::home() {
        argv::fake::main(&home);
        return ExitCode::SUCCESS;
    }
    if let Some(code) = store_crash::child::main() {
        return code;
    }
    let code = runner::run(&[
        ("argv", argv::rules::ALL),
        ("store_crash", &store_crash::ALL),
    ]);
    if std::env::args().len() == 1 {
        figure!("{REST}");
    }
    code
}
