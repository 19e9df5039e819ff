//! Checks that a journal keeps the contract of [`Journal`].

use std::fmt::Debug;

use chrono::{DateTime, Utc};

use crate::{
    RunId,
    action::{Action, BrowserAction, Effect, Goto},
    event::{Intent, Journal},
};

/// Runs all checks on a journal, which must have no entries yet. `kept` must return the intents (actions that were
/// about to be carried out) that the journal has recorded for a run, in order. It must read them as another process
/// would.
///
/// # Panics
/// If the journal breaks the contract.
pub async fn check(journal: &impl Journal, kept: impl Fn(&RunId) -> Vec<Intent>) {
    let runs = [run("run_1"), run("run_2")];
    for id in &runs {
        assert_eq!(
            kept(id),
            [],
            "a run of which nothing was told holds nothing"
        );
    }
    let mut told = [Vec::new(), Vec::new()];
    for step in 1..=4 {
        for (run, told) in runs.iter().zip(&mut told) {
            let intent = intent(run, step);
            is_kept(&journal.intent(&intent).await);
            told.push(intent);
            assert_eq!(
                kept(run),
                *told,
                "all of it is kept when the journal answers, in order"
            );
        }
    }
    let (first, second) = (intent(&runs[0], 5), intent(&runs[1], 5));
    let (a, b) = tokio::join!(journal.intent(&first), journal.intent(&second));
    is_kept(&a);
    is_kept(&b);
    told[0].push(first);
    told[1].push(second);
    // If the future of an intent was dropped, that intent may be kept or lost. Later intents must be kept. The future is
    // polled once before it is dropped.
    let given_up = intent(&runs[0], 6);
    tokio::select! {
        biased;
        _ = journal.intent(&given_up) => {}
        () = std::future::ready(()) => {}
    }
    let after = intent(&runs[0], 7);
    is_kept(&journal.intent(&after).await);
    told[0].push(after);
    let without: Vec<Intent> = kept(&runs[0])
        .into_iter()
        .filter(|intent| *intent != given_up)
        .collect();
    assert_eq!([without, kept(&runs[1])], told);
}

fn is_kept<E: Debug>(kept: &Result<(), E>) {
    assert!(kept.is_ok(), "{kept:?}");
}

fn run(id: &str) -> RunId {
    RunId::parse(id).expect("an id")
}

/// Returns an intent (an action that is about to be carried out) for this step of the run. Its effect is irreversible
/// if `step` is even, and reversible if `step` is odd.
fn intent(run: &RunId, step: u32) -> Intent {
    let action = Action::Browser(BrowserAction::Goto(Goto {
        url: format!("https://shop.example/{step}?\n\"{run}\""),
    }));
    let effect = if step.is_multiple_of(2) {
        Effect::Irreversible
    } else {
        Effect::Reversible
    };
    let at = DateTime::<Utc>::from_timestamp(1_767_323_045, 0).expect("a time");
    let mut intent = Intent::new(run.clone(), step, at, action, effect);
    "https://shop.example/".clone_into(&mut intent.url);
    intent
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::base::{Error, ErrorKind, Result};

    /// A journal that fails for good once the future of an intent was dropped half-way.
    #[derive(Debug, Default)]
    struct Fragile(Mutex<(bool, Vec<Intent>)>);

    #[async_trait::async_trait]
    impl Journal for Fragile {
        async fn intent(&self, intent: &Intent) -> Result<()> {
            // Two intents at the same time are no fault of the caller.
            if self.0.lock().unwrap().0 && intent.step != 5 {
                return Err(Error::new(ErrorKind::Io, "fragile.intent"));
            }
            self.0.lock().unwrap().0 = true;
            tokio::task::yield_now().await;
            let mut state = self.0.lock().unwrap();
            state.0 = false;
            state.1.push(intent.clone());
            Ok(())
        }
    }

    #[tokio::test]
    #[should_panic(expected = "fragile.intent")]
    async fn a_journal_that_a_dropped_future_breaks_does_not_pass() {
        let journal = Fragile::default();
        let kept = |run: &RunId| {
            let state = journal.0.lock().unwrap();
            let mut kept = state.1.clone();
            kept.retain(|intent| intent.run == *run);
            kept
        };
        check(&journal, kept).await;
    }
}
