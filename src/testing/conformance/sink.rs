//! Checks that an event sink keeps the contract of [`EventSink`].

use std::{
    thread,
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};

use crate::{
    RunId,
    event::{Event, EventKind, EventSink},
};

/// Number of events of each run.
const EVENTS: u32 = 500;
/// Longest time for one event on average, on a busy machine.
const AT_ONCE: Duration = Duration::from_millis(5);
/// Longest time until a sink tells that it loses events.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs the checks on a sink that can receive everything. `kept` must return the events of a run that the sink has passed on
/// or written, in order; the suite calls it only after the last event, so it may close the sink first.
///
/// # Panics
/// If the sink breaks the contract.
pub fn check(sink: &impl EventSink, kept: impl Fn(&RunId) -> Vec<Event>) {
    let runs = [run("run_1"), run("run_2")];
    for run in &runs {
        assert_eq!(sink.failure(run), None, "failure: nothing was lost yet");
    }
    let begin = Instant::now();
    thread::scope(|scope| {
        for run in &runs {
            scope.spawn(|| events(run).for_each(|event| sink.emit(&event)));
        }
    });
    let took = begin.elapsed();
    let limit = AT_ONCE * EVENTS * 2;
    assert!(
        took < limit,
        "emit: it returns at once, but all events took {took:?}"
    );
    for run in &runs {
        let (expected, kept) = (events(run).collect::<Vec<_>>(), kept(run));
        assert_eq!(
            kept.len(),
            expected.len(),
            "emit: no event is lost or doubled"
        );
        for (kept, expected) in kept.iter().zip(&expected) {
            assert_eq!(
                kept, expected,
                "emit: events of one run arrive as they are, in order"
            );
        }
        assert_eq!(sink.failure(run), None, "failure: nothing was lost");
    }
}

/// Runs the checks on a sink that cannot keep what it gets, such as one that writes to a full disk.
///
/// # Panics
/// If the sink breaks the contract.
pub fn check_losing(sink: &impl EventSink) {
    let run = run("run_1");
    let begin = Instant::now();
    let failure = loop {
        events(&run).for_each(|event| sink.emit(&event));
        if let Some(failure) = sink.failure(&run) {
            break failure;
        }
        assert!(
            begin.elapsed() < PATIENCE,
            "failure: it tells that events were lost"
        );
        thread::sleep(AT_ONCE);
    };
    for event in events(&run) {
        sink.emit(&event);
        let now = sink.failure(&run);
        assert_eq!(
            now.as_ref(),
            Some(&failure),
            "failure: it stays the same for a run"
        );
    }
}

fn run(id: &str) -> RunId {
    RunId::parse(id).expect("an id")
}

fn events(run: &RunId) -> impl Iterator<Item = Event> {
    let at = DateTime::<Utc>::from_timestamp(1_767_323_045, 0).expect("a time");
    (0..EVENTS).map(move |step| {
        let text = format!("{run}, line {step}\nTür ✓ \u{1f6b2} \"quoted\" \\ \u{0}");
        let kind = if step % 2 == 0 {
            EventKind::Instructed { text }
        } else {
            let guard = "stuck".to_owned();
            EventKind::Warned { guard, text }
        };
        Event::new(kind, run.clone(), step, at)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        event::{Callback, FanOut},
        testing::Recorder,
    };

    fn of(events: Vec<Event>, run: &RunId) -> Vec<Event> {
        events
            .into_iter()
            .filter(|event| event.run == *run)
            .collect()
    }

    #[test]
    fn a_recorder_and_each_sink_of_a_fan_out_keep_the_contract() {
        let alone = Recorder::new();
        check(&alone, |run| of(alone.events(), run));
        let sinks = [Recorder::new(), Recorder::new()];
        let fan_out = sinks
            .iter()
            .fold(FanOut::new(), |all, sink| all.with(Arc::new(sink.clone())));
        check(&fan_out, |run| {
            assert_eq!(sinks[0].events(), sinks[1].events());
            of(sinks[1].events(), run)
        });
        let recorder = Recorder::new();
        let inner = recorder.clone();
        check(&Callback::new(move |event| inner.emit(event)), |run| {
            of(recorder.events(), run)
        });
    }

    #[cfg(feature = "jsonl")]
    #[test]
    fn a_file_of_lines_keeps_the_contract() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.jsonl");
        let sink = crate::event::Jsonl::create(&path).unwrap();
        check(&sink, |run| {
            sink.close().unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
            of(lines.collect(), run)
        });
    }

    #[cfg(all(feature = "jsonl", target_os = "linux"))]
    #[test]
    fn a_file_on_a_full_disk_says_so_and_so_does_a_fan_out() {
        let full = || crate::event::Jsonl::create("/dev/full").unwrap();
        check_losing(&full());
        check_losing(
            &FanOut::new()
                .with(Arc::new(Recorder::new()))
                .with(Arc::new(full())),
        );
    }

    #[test]
    #[should_panic(expected = "emit: no event is lost or doubled")]
    fn a_sink_that_drops_events_does_not_pass() {
        let recorder = Recorder::new();
        let inner = recorder.clone();
        let every_other = Callback::new(move |event| {
            if event.step % 2 == 0 {
                inner.emit(event);
            }
        });
        check(&every_other, |run| of(recorder.events(), run));
    }

    #[test]
    #[should_panic(expected = "failure: it stays the same for a run")]
    fn a_sink_that_changes_its_mind_does_not_pass() {
        #[derive(Debug, Default)]
        struct Fickle(std::sync::atomic::AtomicU32);
        impl EventSink for Fickle {
            fn emit(&self, _: &Event) {
                self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }

            fn failure(&self, _: &RunId) -> Option<String> {
                Some(format!("{:?}", self.0))
            }
        }
        check_losing(&Fickle::default());
    }
}
