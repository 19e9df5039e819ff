//! What a memory is for, beside what it must not do: honest lessons are learned, shown where they hold, and promoted.

use std::{sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use serde_json::Value;
use webwise::{
    DecisionLoop, Result, RunId, Task,
    agent::Options,
    guard::ApprovalMode,
    memory::{
        Change, Committed, Edit, Index, MemoryKind, Moment, Namespace, Note, Occasion, Record,
        RunLog, Shelf, ShelfEdit, kinds,
        lesson::{COLLECTION, Category, Lesson, LessonSource, LessonText, Lessons, Trace},
    },
    store::InMemory,
};

use crate::poisoning::{
    benign::{Scene, Seen, scenes, site, visitor},
    campaign::{ELSEWHERE, SITES, runtime},
};

/// Lessons without any defence: what a page is called stands in every system instruction after one run, as if a person had said it.
#[derive(Debug)]
struct Careless;

impl MemoryKind for Careless {
    fn name(&self) -> &'static str {
        COLLECTION
    }

    fn upkeep(&self, shelf: &Shelf, records: &[Record], now: DateTime<Utc>) -> Option<Edit> {
        Lessons.upkeep(shelf, records, now)
    }

    fn wants(&self, namespace: &Namespace, moment: &Moment<'_>) -> Vec<Shelf> {
        Lessons.wants(namespace, moment)
    }

    fn index(&self, shelf: &Shelf, records: &[Record]) -> Arc<dyn Index> {
        Lessons.index(shelf, records)
    }

    fn limit(&self, moment: &Moment<'_>) -> usize {
        Lessons.limit(moment)
    }

    fn distill(&self, log: &RunLog) -> Option<Value> {
        Lessons.distill(log)
    }

    fn learn(&self, namespace: &Namespace, said: &Value) -> Result<Vec<ShelfEdit>> {
        let trace: Trace = serde_json::from_value(said.clone()).unwrap();
        let put = move |_: &[Record]| {
            let told = trace.found.iter().map(|found| {
                let text = LessonText::Words(found.what.render());
                let key = text.key();
                let mut lesson = Lesson::new(
                    text,
                    Category::BestPractice,
                    LessonSource::User,
                    trace.ended_at,
                );
                // Before the ones that every memory starts with.
                lesson.counts.used = 1;
                Ok(Change::Put(lesson.to_record(key)?))
            });
            told.collect()
        };
        Ok(vec![ShelfEdit {
            shelf: Shelf::global(namespace, COLLECTION),
            edit: Edit::new(put),
        }])
    }

    fn notes(&self, _: Occasion, _: &Shelf, _: &RunId, _: &Committed, _: usize) -> Vec<Note> {
        Vec::new()
    }
}

/// A run over the whole site of a host.
fn run(
    host: &str,
    scenes: &Arc<Vec<Scene>>,
    kinds: Vec<Arc<dyn MemoryKind>>,
    memory: &InMemory,
) -> Seen {
    let mut options = Options::default();
    options.settle = Duration::ZERO;
    options.approval = ApprovalMode::Auto;
    options.budget.max_steps = 400;
    let (model, seen) = visitor(host, scenes);
    let agent = DecisionLoop::builder(site(host, scenes), model, memory.clone())
        .with_options(options)
        .with_kinds(kinds)
        .build()
        .unwrap();
    let report = runtime().block_on(agent.run(Task::new("See the whole shop").unwrap()));
    assert!(report.is_success(), "{report:?}");
    std::mem::take(&mut *seen.lock().unwrap())
}

/// Actions while learning on four sites and four names below one, then on a site that is known and on one that is not.
struct Taught {
    learning: usize,
    known: Seen,
    unknown: Seen,
}

fn taught(kinds: impl Fn() -> Vec<Arc<dyn MemoryKind>>) -> Taught {
    let (scenes, memory) = (Arc::new(scenes()), InMemory::new());
    let below = (1..5).map(|n| format!("s{n}.{}", SITES[0]));
    let hosts = SITES.iter().map(|site| (*site).to_owned()).chain(below);
    let learning = hosts
        .map(|host| run(&host, &scenes, kinds(), &memory).actions)
        .sum();
    let (known, unknown) = (
        run(SITES[0], &scenes, kinds(), &memory),
        run(ELSEWHERE, &scenes, kinds(), &memory),
    );
    Taught {
        learning,
        known,
        unknown,
    }
}

#[test]
fn ten_honest_recoveries_are_promoted_shown_at_home_and_save_as_much_as_without_defences() {
    let cold = taught(Vec::new);
    let guarded = taught(kinds);
    let careless = taught(|| vec![Arc::new(Careless)]);
    figure!(
        "poisoning utility: {} of 10 legitimate lessons promoted",
        guarded.unknown.promoted
    );
    figure!(
        "poisoning utility: {} of 10 shown on their own host before the failure",
        guarded.known.told_on_site
    );
    let mut kept = Vec::new();
    for (when, cold, guarded, careless) in [
        (
            "on a known site",
            cold.known.actions,
            guarded.known.actions,
            careless.known.actions,
        ),
        (
            "on an unknown site",
            cold.unknown.actions,
            guarded.unknown.actions,
            careless.unknown.actions,
        ),
        (
            "in the eight runs that teach",
            cold.learning,
            guarded.learning,
            careless.learning,
        ),
    ] {
        let share = (cold - guarded) * 100 / (cold - careless);
        figure!(
            "poisoning utility: {when} {cold} actions without memory, {guarded} with it, {careless} with all defences off: \
             {share} % of the gain kept"
        );
        kept.push(share);
    }
    assert_eq!(
        (guarded.unknown.promoted, guarded.known.told_on_site),
        (10, 10)
    );
    assert_eq!(
        guarded.unknown.told_on_site, 0,
        "a lesson with names was shown on another host"
    );
    // Source: the requirements. While it learns, a careful memory waits for a second site, and that costs.
    assert!(kept[0] >= 95 && kept[1] >= 95, "{kept:?}");
}
