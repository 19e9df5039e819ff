//! The `main` of targets that start themselves again as the program they test. Include it with `#[path]`.
//!
//! It reads the options of the standard test runner that such a target needs (names, `--exact`, `--list`) and ends with the
//! same summary line, so that who reads the output finds each target in it.

use std::{
    env, panic,
    process::ExitCode,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

/// A rule's name, and the test of it.
pub(crate) type Rule = (&'static str, fn());

/// Runs the rules that the command line names, or all of them. As with the standard runner a name that fits none is no failure,
/// because `cargo test NAME` asks every target for it; that all of them ran is seen by the summary.
pub(crate) fn run(groups: &[(&str, &[Rule])]) -> ExitCode {
    let mut rules: Vec<(String, fn())> = Vec::new();
    for (group, of_group) in groups {
        rules.extend((of_group.iter()).map(|&(rule, test)| (format!("{group}::{rule}"), test)));
    }
    let options: Vec<String> = env::args().skip(1).collect();
    let known = [
        "--exact",
        "--list",
        "--nocapture",
        "--show-output",
        "--quiet",
        "-q",
    ];
    for option in options.iter().filter(|option| option.starts_with('-')) {
        // Its value would be taken for a name, and nothing would run.
        assert!(
            known.contains(&option.as_str()),
            "this target does not know the option {option}"
        );
    }
    let is_given = |option: &str| options.iter().any(|given| given == option);
    let names: Vec<&String> = options
        .iter()
        .filter(|option| !option.starts_with('-'))
        .collect();
    let is_named = |rule: &str| {
        let is_it =
            |name: &&String| rule == **name || !is_given("--exact") && rule.contains(&**name);
        names.is_empty() || names.iter().any(is_it)
    };
    let chosen: Vec<&(String, fn())> = rules.iter().filter(|(rule, _)| is_named(rule)).collect();
    if is_given("--list") {
        for (rule, _) in &chosen {
            println!("{rule}: test");
        }
        return ExitCode::SUCCESS;
    }
    let failed = failures(&chosen);
    println!(
        "test result: {}. {} passed; {failed} failed; 0 ignored; 0 measured; {} filtered out",
        if failed == 0 { "ok" } else { "FAILED" },
        chosen.len() - failed,
        rules.len() - chosen.len()
    );
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Runs these rules, as many side by side as the standard runner would; returns how many failed.
fn failures(rules: &[&(String, fn())]) -> usize {
    let threads = env::var("RUST_TEST_THREADS").map_or(1, |threads| {
        threads.parse().expect("RUST_TEST_THREADS is a number")
    });
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while let Some((rule, test)) = rules.get(next.fetch_add(1, Ordering::Relaxed)) {
            let passed = panic::catch_unwind(test).is_ok();
            println!("test {rule} ... {}", if passed { "ok" } else { "FAILED" });
            failed.fetch_add(usize::from(!passed), Ordering::Relaxed);
        }
    };
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    failed.into_inner()
}
