//! What a model or a page writes reaches playwright-cli byte for byte, and never as one of its options.
//!
//! The tool is this program itself, started again under the tool's name: it records how it was started and says what the
//! tool would say (`fake`), and so does a socket in the place of the daemon's (`daemon`). That is why this target has a
//! `main` of its own. Some values are also typed into a real browser and read back.

mod bed;
mod cases;
mod daemon;
mod fake;
mod real;
mod rules;
mod tool;
mod values;
#[path = "../support/web.rs"]
mod web;

use std::{env, panic, process::ExitCode};

fn main() -> ExitCode {
    if let Some(home) = fake::home() {
        fake::main(&home);
        return ExitCode::SUCCESS;
    }
    let options: Vec<String> = env::args().skip(1).collect();
    let wanted: Vec<&String> = options
        .iter()
        .filter(|option| !option.starts_with('-'))
        .collect();
    let is_exact = options.iter().any(|option| option == "--exact");
    let is_wanted = |name: &str| {
        wanted.is_empty()
            || wanted.iter().any(|w| {
                if is_exact {
                    name == *w
                } else {
                    name.contains(&**w)
                }
            })
    };
    let chosen: Vec<_> = rules::ALL
        .iter()
        .filter(|(name, _)| is_wanted(name))
        .collect();
    if options.iter().any(|option| option == "--list") {
        for (name, _) in &chosen {
            println!("{name}: test");
        }
        return ExitCode::SUCCESS;
    }
    let mut failed = 0;
    for (name, rule) in chosen {
        let passed = panic::catch_unwind(rule).is_ok();
        println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
        failed += u8::from(!passed);
    }
    ExitCode::from(failed)
}
