//! Every budget under faults: the run ends in its name, and at most one call goes over it.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use webwise::{
    DecisionLoop, MemoryBackend, Result,
    agent::Options,
    base::TokenCount,
    chat::Usage,
    event::EventKind,
    guard::{Money, Prices},
    memory::{Committed, Edit, Shelf, ShelfFilter, ShelfState, StoreNotice},
    testing::{
        ScriptedModel,
        faults::{BrowserFault, FaultyBrowser, FaultyModel, LookFault, ModelFault, When},
    },
    working::{BudgetKind, StopReason},
};

use crate::loop_faults::{
    Tally,
    case::MODEL_FAULTS,
    club::{Club, Eyes, task},
    matrix::seeds,
    profile::full,
    run::{Played, check, end, options, play},
};

/// Too short for what the faults below take.
const SHORT: Duration = Duration::from_secs(20);
const GRACE: Duration = Duration::from_secs(2);
/// A call's input and output as the model reports them at most; it says what it likes.
const MOST: (u64, u64) = (9_000, 300);
const PRICES: Prices = Prices {
    input: Money::micros(300_000),
    cached: Money::micros(30_000),
    output: Money::micros(2_500_000),
};

/// Runs all of them and gives the number of distinct combinations.
pub(crate) fn run(tally: &Tally) -> usize {
    let mut wrong = Vec::new();
    let mut combinations = 0;
    for (name, budget) in BUDGETS {
        for fault in std::iter::once(None).chain(MODEL_FAULTS.map(Some)) {
            combinations += 1;
            // In the quick profile each meets the fault in one of the calls, by turns.
            let turn = u32::try_from(combinations % 2).expect("a bit");
            let seeds = if full() { 0..seeds() } else { turn..turn + 1 };
            for seed in seeds {
                // The third budget, say, meets the fault in its first call or in its second.
                let when = When::once(1 + seed % 2);
                let ended = end(spend(*budget, fault.map(|fault| (when, fault)), seed));
                let over = ended.map(|played| {
                    held(
                        *budget,
                        fault,
                        &played,
                        &mut wrong,
                        &format!("{name} {fault:?} seed {seed}"),
                    )
                });
                wrong.extend(
                    tally
                        .count(over)
                        .map(|complaint| format!("{name} {fault:?} seed {seed}: {complaint}")),
                );
            }
        }
    }
    combinations += in_time(tally, &mut wrong);
    assert!(
        wrong.is_empty(),
        "{} complaints, the first:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
    combinations
}

#[derive(Debug, Clone, Copy)]
enum Bound {
    Steps(u32),
    Calls(u32),
    Input(u64),
    Output(u64),
    Cost(u64),
}

/// Each is too small for the way to the end, and large enough for one call.
const BUDGETS: &[(&str, Bound)] = &[
    ("steps", Bound::Steps(3)),
    ("calls", Bound::Calls(2)),
    ("input tokens", Bound::Input(9_000)),
    ("output tokens", Bound::Output(2_300)),
    ("money", Bound::Cost(9_000)),
];

/// A run whose calls take anything up to the most, by its seed.
async fn spend(budget: Bound, fault: Option<(When, ModelFault)>, seed: u32) -> Played {
    let browser = FaultyBrowser::new(Club::new(seed, Duration::ZERO));
    let eyes = Eyes::new(browser.clone());
    let policy = eyes.policy();
    let mut turn = u64::from(seed);
    let mut model = FaultyModel::new(ScriptedModel::deciding(move |_| {
        turn += 1;
        let mut response = policy();
        let part = |most: u64| TokenCount(most * (turn * 7 % 10 + 1) / 10);
        response.usage = Some(Usage {
            input: part(MOST.0),
            output: part(MOST.1),
            cached: TokenCount(0),
        });
        Ok(response)
    }));
    if let Some((when, fault)) = fault {
        model = model.with(when, fault);
    }
    play(model, browser, eyes, bounded(budget, seed), seed, None).await
}

fn bounded(budget: Bound, seed: u32) -> Options {
    let mut options = options(seed);
    options.prices = Some(PRICES);
    let bounds = &mut options.budget;
    match budget {
        Bound::Steps(most) => bounds.max_steps = most,
        Bound::Calls(most) => bounds.max_calls = Some(most),
        Bound::Input(most) => bounds.max_input_tokens = Some(TokenCount(most)),
        Bound::Output(most) => bounds.max_output_tokens = Some(TokenCount(most)),
        Bound::Cost(most) => bounds.max_cost = Some(Money::micros(most)),
    }
    options
}

/// Checks a run and gives the number of model calls that were made, or that went on, over its budget.
fn held(
    budget: Bound,
    fault: Option<ModelFault>,
    played: &Played,
    wrong: &mut Vec<String>,
    name: &str,
) -> usize {
    let mut complaints = Vec::new();
    check(played, &mut complaints);
    let summary = &played.report.summary;
    let kind = match budget {
        Bound::Steps(_) => BudgetKind::Steps,
        Bound::Calls(_) => BudgetKind::Calls,
        Bound::Input(_) | Bound::Output(_) => BudgetKind::Tokens,
        Bound::Cost(_) => BudgetKind::Money,
    };
    let filtered =
        fault == Some(ModelFault::ContentFilter) && summary.stop == StopReason::ModelUnusable;
    if summary.stop != StopReason::Budget(kind) && !filtered {
        complaints.push(format!("it ended with {}", summary.stop));
    }
    // A fault in the second call may come after a first one that took all.
    let early = played.model.calls() < 2;
    if fault.is_some() && played.model.struck().is_empty() && !early {
        complaints.push("the fault never happened".to_owned());
    }
    let mut spent = Usage::default();
    let mut over = 0;
    for event in &played.events {
        let EventKind::ModelReplied { response, .. } = &event.kind else {
            continue;
        };
        let usage = response.usage.unwrap_or_default();
        spent.input += usage.input;
        spent.output += usage.output;
        over += usize::from(match budget {
            Bound::Input(most) => spent.input.0 > most,
            Bound::Output(most) => spent.output.0 > most,
            Bound::Cost(most) => PRICES.cost(&spent).as_micros() > most,
            Bound::Steps(_) | Bound::Calls(_) => false,
        });
    }
    match budget {
        Bound::Steps(most) if summary.steps > most => {
            complaints.push(format!("{} steps", summary.steps));
        }
        Bound::Calls(most) => over = summary.calls.saturating_sub(most) as usize,
        _ => {}
    }
    let told = summary.usage.input.0 >= spent.input.0 && summary.usage.output.0 >= spent.output.0;
    if !told || summary.cost.is_none() {
        complaints.push(format!("{:?} told of {spent:?}", summary.usage));
    }
    wrong.extend(
        complaints
            .into_iter()
            .map(|complaint| format!("{name}: {complaint}")),
    );
    over
}

/// What keeps a run waiting when its time is up.
#[derive(Debug, Clone, Copy)]
enum Waits {
    Model(ModelFault),
    Action(BrowserFault),
    Look(LookFault),
    /// The store, from its first answer on or from its second.
    Memory(u32),
}

/// Whatever a run waits for when its time is up, it ends then.
fn in_time(tally: &Tally, wrong: &mut Vec<String>) -> usize {
    let all = [
        Waits::Model(ModelFault::Silent),
        Waits::Model(ModelFault::RateLimited(Some(Duration::from_mins(1)))),
        Waits::Action(BrowserFault::Silent { done: true }),
        Waits::Action(BrowserFault::Slow(Duration::from_secs(40))),
        Waits::Look(LookFault::Silent),
        Waits::Look(LookFault::Slow(Duration::from_secs(40))),
        Waits::Memory(1),
        Waits::Memory(2),
    ];
    for waits in all {
        for seed in 0..seeds() {
            let place = 1 + seed % 3;
            let ended = end(hold_up(waits, place, seed)).map(|(elapsed, stop)| {
                // A store that is silent is given up before the time is; then the run has no memory and finishes.
                let fine = stop == StopReason::Budget(BudgetKind::Time)
                    || (matches!(waits, Waits::Memory(_)) && stop == StopReason::Finished);
                if !fine || elapsed > SHORT + GRACE {
                    wrong.push(format!("{waits:?} seed {seed}: {stop} after {elapsed:?}"));
                }
                0
            });
            wrong.extend(
                tally
                    .count(ended)
                    .map(|complaint| format!("{waits:?} seed {seed}: {complaint}")),
            );
        }
    }
    all.len()
}

async fn hold_up(waits: Waits, place: u32, seed: u32) -> (Duration, StopReason) {
    let mut options = options(seed);
    options.budget.max_duration = Some(SHORT);
    let mut browser = crate::loop_faults::run::browser(seed);
    match waits {
        Waits::Action(fault) => browser = browser.with(When::from(place), fault),
        Waits::Look(fault) => browser = browser.with_look(When::from(place), fault),
        Waits::Model(_) | Waits::Memory(_) => {}
    }
    let (mut model, eyes) = crate::loop_faults::run::model(browser.clone());
    if let Waits::Model(fault) = waits {
        model = model.with(When::from(place), fault);
    }
    let played = match waits {
        Waits::Memory(first) => {
            let kinds = webwise::memory::kinds()
                .into_iter()
                .chain([Arc::new(crate::loop_faults::run::diary()) as _])
                .collect();
            let store = Silent(first, std::sync::atomic::AtomicU32::new(0));
            let agent = DecisionLoop::builder(eyes, model, store)
                .with_options(options)
                .with_kinds(kinds)
                .build()
                .unwrap();
            let begin = tokio::time::Instant::now();
            let report = agent.run(task()).await;
            return (begin.elapsed(), report.summary.stop);
        }
        _ => play(model, browser, eyes, options, seed, None).await,
    };
    (played.elapsed, played.report.summary.stop)
}

/// A store that stops answering.
#[derive(Debug)]
struct Silent(u32, std::sync::atomic::AtomicU32);

impl Silent {
    async fn silence(&self) {
        if self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1 >= self.0 {
            std::future::pending::<()>().await;
        }
    }
}

#[async_trait]
impl MemoryBackend for Silent {
    async fn load(&self, _: &Shelf) -> Result<ShelfState> {
        self.silence().await;
        Ok(ShelfState::default())
    }

    async fn update(&self, shelf: &Shelf, edit: Edit) -> Result<Committed> {
        self.silence().await;
        webwise::store::InMemory::new().update(shelf, edit).await
    }

    async fn shelves(&self, _: &ShelfFilter) -> Result<Vec<Shelf>> {
        Ok(Vec::new())
    }

    async fn remove(&self, _: &Shelf) -> Result<()> {
        Ok(())
    }

    fn notices(&self) -> Vec<StoreNotice> {
        Vec::new()
    }
}
