//! Waits before a model is asked again, to the millisecond: the provider's own is kept, ours stays below its limit.

use std::time::Duration;

use webwise::{
    ErrorKind,
    event::EventKind,
    testing::faults::{ModelFault, When},
    working::StopReason,
};

use crate::loop_faults::{
    case::{DATE, SECONDS},
    matrix::seeds,
    run::{Played, browser, check, end, model, options, play},
};

/// A run whose third call fails so often in this way.
fn run(fault: ModelFault, when: When, seed: u32) -> Played {
    let played = end(async {
        let browser = browser(seed);
        let (model, eyes) = model(browser.clone());
        play(
            model.with(when, fault),
            browser,
            eyes,
            options(seed),
            seed,
            None,
        )
        .await
    });
    let played = played.unwrap();
    let mut wrong = Vec::new();
    check(&played, &mut wrong);
    assert!(wrong.is_empty(), "{fault:?}: {wrong:?}");
    played
}

/// How long each call took, as the events tell.
fn calls(played: &Played) -> Vec<Duration> {
    let ms = |event: &webwise::event::Event| match event.kind {
        EventKind::ModelReplied { elapsed_ms, .. } => Some(Duration::from_millis(elapsed_ms)),
        _ => None,
    };
    played.events.iter().filter_map(ms).collect()
}

/// How long the third call took, where all others take no time.
fn third(fault: ModelFault, times: u32, seed: u32) -> Duration {
    let played = run(fault, When::once(3).times(times), seed);
    assert_eq!(played.report.summary.stop, StopReason::Finished);
    let took = calls(&played);
    let others = took
        .iter()
        .enumerate()
        .filter(|(at, _)| *at != 2)
        .map(|(_, time)| *time)
        .sum::<Duration>();
    assert_eq!((took.len(), others), (5, Duration::ZERO));
    took[2]
}

#[test]
fn the_wait_of_a_rate_limit_is_kept_to_the_millisecond() {
    for seed in 0..seeds() {
        for wait in [SECONDS, DATE, Duration::ZERO, Duration::from_millis(1)] {
            for times in 1..=3 {
                assert_eq!(
                    third(ModelFault::RateLimited(Some(wait)), times, seed),
                    wait * times
                );
            }
        }
    }
}

#[test]
fn without_a_wait_of_the_provider_ours_is_below_a_limit_that_doubles() {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..seeds() {
        for (times, limit) in [(1, 1), (2, 3), (3, 7)] {
            for fault in [ModelFault::RateLimited(None), ModelFault::ServerError] {
                let wait = third(fault, times, seed);
                assert!(
                    wait <= Duration::from_secs(limit),
                    "{fault:?} {times}: {wait:?}"
                );
                assert_eq!(
                    wait,
                    third(fault, times, seed),
                    "the same seed waits the same"
                );
                seen.insert(wait);
            }
        }
    }
    assert!(
        seen.len() >= 2 * seeds() as usize,
        "waits are spread: {seen:?}"
    );
}

#[test]
fn a_model_that_is_silent_is_asked_again_after_a_minute() {
    for seed in 0..seeds() {
        let took = third(ModelFault::Silent, 1, seed);
        assert!(
            (Duration::from_mins(1)..=Duration::from_secs(61)).contains(&took),
            "{took:?}"
        );
    }
}

#[test]
fn a_model_that_stays_away_is_given_up_after_four_tries() {
    for (fault, longest) in [
        (ModelFault::Silent, 4 * 60 + 7),
        (ModelFault::ServerError, 7),
        (ModelFault::RateLimited(Some(SECONDS)), 21),
        (ModelFault::RateLimited(Some(DATE)), 231),
    ] {
        let played = run(fault, When::from(1), 0);
        assert_eq!(
            (played.report.summary.stop, played.model.calls()),
            (StopReason::ModelUnusable, 4),
            "{fault:?}"
        );
        assert!(
            played.elapsed <= Duration::from_secs(longest + 1),
            "{fault:?}: {:?}",
            played.elapsed
        );
    }
}

#[test]
fn a_wait_that_is_longer_than_all_patience_is_not_begun() {
    let played = run(
        ModelFault::RateLimited(Some(Duration::from_mins(10))),
        When::from(1),
        0,
    );
    assert_eq!(
        (played.report.summary.stop, played.model.calls()),
        (StopReason::ModelUnusable, 1)
    );
    assert_eq!(played.elapsed, Duration::ZERO);
    let told = |kind: ErrorKind| {
        played
            .events
            .iter()
            .any(|e| matches!(e.kind, EventKind::ModelFailed { kind: k, .. } if k == kind))
    };
    assert!(
        told(ErrorKind::RateLimited),
        "the provider's own error is told"
    );
}

#[test]
fn what_asking_again_cannot_help_is_asked_once() {
    let played = run(ModelFault::ContentFilter, When::from(1), 0);
    assert_eq!(
        (played.report.summary.stop, played.model.calls()),
        (StopReason::ModelUnusable, 1)
    );
    // An answer that nobody can read is told to the model, which is asked three times in all.
    let played = run(ModelFault::Garbled, When::from(1), 0);
    assert_eq!(
        (played.report.summary.stop, played.model.calls()),
        (StopReason::ModelUnusable, 3)
    );
}
