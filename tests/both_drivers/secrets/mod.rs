//! Secrets: 50 values in eight encodings through whole runs, and not a trace of them in anything that leaves; and nowhere
//! typed but where they belong.
//!
//! ```text
//! canaries  the values                       forms    the encodings, and the search for them
//! mirror    a page that repeats what it got  model    a provider that says it, on the wire
//! run       whole runs with every sink       taps     the sinks
//! tool      a recording playwright-cli       program  `webwise run` with it
//! browser   a real browser                   site     pages for it that repeat what they got
//! origins   where a value may be typed          pictures what is photographed
//! lessons   what memory keeps, and recalls      shadow   a page that teaches it
//! disk      every byte that a store writes      leaving  where forms and scripts send it
//! ear       a server that keeps what it gets
//! ```
#![cfg(target_os = "linux")]

use crate::{browsers, executable, profile};

mod browser;
mod canaries;
mod disk;
mod ear;
mod forms;
mod leaving;
mod lessons;
mod mirror;
mod model;
mod origins;
mod pictures;
mod program;
mod run;
mod shadow;
mod site;
mod taps;
mod tool;

use std::collections::{BTreeMap, BTreeSet};

use forms::{ENCODINGS, Scanner};
use run::{As, taps_of};
use taps::Taps;

/// What was found in all runs.
#[derive(Default)]
struct Found {
    canaries: usize,
    bytes: usize,
    leaks: Vec<String>,
    /// By sink, how many canaries it showed as ordinary text.
    controls: BTreeMap<&'static str, usize>,
    controlled: usize,
    /// The encodings that were made and found at all.
    encodings: BTreeSet<usize>,
}

impl Found {
    async fn look_for(&mut self, value: &str, is_control: bool) {
        let hidden = Box::pin(taps_of(value, As::Secret)).await;
        let shown = if is_control {
            Some(Box::pin(taps_of(value, As::Text)).await)
        } else {
            None
        };
        self.search(value, &hidden, shown.as_ref());
    }

    /// Searches what a value let out as a secret, and as ordinary text.
    fn search(&mut self, value: &str, hidden: &Taps, shown: Option<&Taps>) {
        let scanner = Scanner::new(value);
        self.canaries += 1;
        self.bytes += hidden.bytes();
        for (sink, found) in hidden.hits(&scanner) {
            self.leaks.extend(
                found
                    .iter()
                    .map(|e| format!("{value:?} as {} in {sink}", ENCODINGS[*e])),
            );
        }
        if let Some(shown) = shown {
            self.controlled += 1;
            for (sink, found) in shown.hits(&scanner) {
                *self.controls.entry(sink).or_default() += usize::from(!found.is_empty());
                self.encodings.extend(found);
            }
        }
    }

    fn add(&mut self, other: Self) {
        self.canaries += other.canaries;
        self.bytes += other.bytes;
        self.leaks.extend(other.leaks);
        other
            .controls
            .into_iter()
            .for_each(|(sink, count)| *self.controls.entry(sink).or_default() += count);
        self.controlled += other.controlled;
        self.encodings.extend(other.encodings);
    }

    /// How many sinks were watched.
    fn sinks(&self) -> usize {
        self.controls.len()
    }

    /// Fails on a leak, and on a sink or an encoding that was not watched; else says what was found.
    fn tell(self, of: &str) {
        let Self {
            canaries,
            bytes,
            leaks,
            controls,
            controlled,
            encodings,
        } = self;
        let sinks = controls.len();
        let seen = controls
            .values()
            .filter(|count| **count == controlled)
            .count();
        assert!(
            leaks.is_empty(),
            "{} leaks:\n{}",
            leaks.len(),
            leaks.join("\n")
        );
        assert_eq!(
            seen, sinks,
            "a sink that did not show the value as ordinary text was not watched: {controls:?}"
        );
        assert_eq!(
            encodings.len(),
            ENCODINGS.len(),
            "an encoding was never made: {encodings:?}"
        );
        assert_eq!((canaries, controlled), canaries::counts());
        figure!(
            "secrets: {of}: {canaries} canaries x {} encodings x {sinks} sinks: 0 hits in {bytes} bytes; \
             controls {seen} of {sinks}",
            ENCODINGS.len()
        );
    }
}

/// Threads that share the canaries. Chosen: the cores of a small machine.
const THREADS: usize = 2;

/// Finds the value nowhere when it is a secret, and everywhere when it is ordinary text: else nothing was looked at.
#[test]
fn a_secret_leaves_a_run_in_no_encoding_by_no_sink() {
    let canaries = canaries::tried();
    let mut found = Found::default();
    std::thread::scope(|scope| {
        let share = |nth: usize| {
            let canaries = &canaries;
            move || {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .unwrap();
                let mut found = Found::default();
                for (value, is_control) in canaries.iter().skip(nth).step_by(THREADS) {
                    runtime.block_on(found.look_for(value, *is_control));
                }
                found
            }
        };
        let threads: Vec<_> = (0..THREADS).map(|nth| scope.spawn(share(nth))).collect();
        for thread in threads {
            found.add(thread.join().expect("a run of a canary ends"));
        }
    });
    found.tell("runs");
}
