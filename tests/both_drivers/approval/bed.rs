//! The runs over the cases, and the count of what they did.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use webwise::{
    GuardedBrowser, Task,
    action::{BrowserAction, ErrorClass, NoArguments, Outcome},
    agent::{Approval, ApprovalRequest, Approver, Executor},
    base::Origin,
    browser::BrowserDriver,
    secret::{Secret, SecretName, Vault},
};

use crate::approval::{
    act::action,
    browsers::{Driver, Wishes},
    case::{Case, Group, PASSWORD, Way},
    profile::full,
    web::{Answer, Asked, Web},
};

/// Browsers at a time. Source: chosen.
const BROWSERS: usize = 3;
/// Number of cases of each group.
const FORMS: usize = 15;
const CONTROLS: usize = 80;
const HONEST: usize = 20;

type Browser = Arc<dyn BrowserDriver>;

/// A person who says the same to every request, and how often that was.
#[derive(Debug)]
struct Person {
    says: Approval,
    asked: AtomicUsize,
}

#[async_trait]
impl Approver for Person {
    async fn approve(&self, _: &ApprovalRequest) -> Approval {
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.says.clone()
    }

    async fn answer(&self, _: &str) -> Option<String> {
        None
    }
}

/// What is tried: a way of a case, and with whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Trial {
    /// Nobody can be asked.
    Unasked,
    /// A person says yes.
    Approved,
    /// A person who must not be asked.
    Honest,
}

/// What came of a trial.
#[derive(Debug)]
struct Tried {
    case: usize,
    trial: Trial,
    /// The place of the way among those of the case.
    way: usize,
    /// What is wrong with it; `None` if it is as promised.
    wrong: Option<String>,
}

/// Tries one case in `every` by this driver, tells the figure, and asserts that each came out as promised.
pub(crate) async fn judged_by(by: Driver, every: usize) {
    let cases = Case::all();
    let count = |group| cases.iter().filter(|case| case.group == group).count();
    let counts = [Group::Form, Group::Control, Group::Honest].map(count);
    assert_eq!(counts, [FORMS, CONTROLS, 2 * HONEST]);
    let cases: Arc<Vec<Case>> = Arc::new(cases.into_iter().step_by(every).collect());
    let waiting = Arc::new(Mutex::new((0..cases.len()).collect::<VecDeque<_>>()));
    let workers: Vec<_> = (0..BROWSERS)
        .map(|_| {
            tokio::spawn(work(
                by,
                Arc::clone(&cases),
                Arc::clone(&waiting),
                every > 1,
            ))
        })
        .collect();
    let mut all = Vec::new();
    for worker in workers {
        all.extend(worker.await.expect("a worker ends"));
    }
    all.sort_by_key(|tried| (tried.case, tried.trial, tried.way));
    let share = |of: &dyn Fn(&Case, Trial) -> bool| {
        let mut right: BTreeMap<&str, bool> = BTreeMap::new();
        for tried in &all {
            let case = &cases[tried.case];
            if of(case, tried.trial) {
                *right.entry(case.kind()).or_insert(true) &= tried.wrong.is_none();
            }
        }
        let passed = right.values().filter(|is_right| **is_right).count();
        format!("{passed} of {}", right.len())
    };
    let unasked = |group| share(&|case, trial| trial == Trial::Unasked && case.group == group);
    figure!(
        "approval: {}: {} forms with a password and {} controls refused, {} work once approved, {} honest forms not asked",
        by.name(),
        unasked(Group::Form),
        unasked(Group::Control),
        share(&|_, trial| trial == Trial::Approved),
        share(&|_, trial| trial == Trial::Honest)
    );
    let wrong: Vec<String> = all.iter().filter_map(|tried| told(&cases, tried)).collect();
    let length = wrong.len();
    assert!(
        wrong.is_empty(),
        "{} by {}:\n{}",
        length,
        by.name(),
        wrong.join("\n")
    );
}

/// A line for a trial that came out wrong.
fn told(cases: &[Case], tried: &Tried) -> Option<String> {
    let wrong = tried.wrong.as_ref()?;
    let case = &cases[tried.case];
    Some(format!(
        "{:?} {}: {}: {wrong}\n    {}",
        tried.trial,
        case.name,
        case.ways[tried.way].name(),
        case.in_a_line()
    ))
}

/// What is tried of a case, in order. In the quick suite a yes is tried in one way, and a sample tries one way of everything.
fn trials(at: usize, case: &Case, is_sample: bool) -> Vec<(Trial, usize)> {
    let mut ways = if full() {
        (0..case.ways.len()).collect()
    } else {
        case.quick_ways(at)
    };
    let one = ways[at % ways.len()];
    if is_sample && !full() {
        ways = vec![one];
    }
    if case.group == Group::Honest {
        return ways.into_iter().map(|way| (Trial::Honest, way)).collect();
    }
    let approved = if full() { ways.clone() } else { vec![one] };
    let unasked = ways.into_iter().map(|way| (Trial::Unasked, way));
    let approved = approved.into_iter().map(|way| (Trial::Approved, way));
    unasked.chain(approved).collect()
}

/// Tries what is waiting in a browser of its own, with a server of its own: each request is one of the trial under way.
async fn work(
    by: Driver,
    cases: Arc<Vec<Case>>,
    waiting: Arc<Mutex<VecDeque<usize>>>,
    is_sample: bool,
) -> Vec<Tried> {
    let next = || {
        waiting
            .lock()
            .expect("no worker panics with it")
            .pop_front()
    };
    let driver = by.launch(&Wishes::default()).await;
    let web = serve(Arc::clone(&cases));
    let mut all = Vec::new();
    while let Some(at) = next() {
        let case = &cases[at];
        let bed = Bed {
            driver: &driver,
            web: &web,
            url: web.url("127.0.0.1", &case.path()),
        };
        // A press that was refused leaves the page as it was.
        let mut is_fresh = false;
        for (trial, way) in trials(at, case, is_sample) {
            let wrong = bed.attempt(&case.ways[way], trial, is_fresh).await.err();
            is_fresh = wrong.is_none() && trial == Trial::Unasked && !case.ways[way].is_twice;
            all.push(Tried {
                case: at,
                trial,
                way,
                wrong,
            });
        }
    }
    driver.close().await.expect("the browser ends");
    all
}

/// Where a case is tried.
#[derive(Debug)]
struct Bed<'a> {
    driver: &'a Browser,
    web: &'a Web,
    /// The address of the case.
    url: String,
}

impl Bed<'_> {
    /// Does what a way asks in a run of its own, on a new page unless this one is fresh. Returns what is wrong with the
    /// result.
    async fn attempt(&self, way: &Way, trial: Trial, is_fresh: bool) -> Result<(), String> {
        let says = if trial == Trial::Approved {
            Approval::Yes
        } else {
            Approval::No
        };
        let person = Arc::new(Person {
            says,
            asked: AtomicUsize::new(0),
        });
        let builder = GuardedBrowser::builder(Arc::clone(self.driver));
        let builder = match trial {
            Trial::Unasked => builder,
            Trial::Approved | Trial::Honest => builder.with_approver(Arc::clone(&person)),
        };
        let guarded = builder.build_guarded().expect("the options make sense");
        let mut executor = guarded.start(task(&self.url)).await;
        if is_fresh {
            let look = BrowserAction::Snapshot(NoArguments {});
            let look = executor.carry_out(look).await.map(|_| ());
            look.map_err(|stop| format!("no look at the page: {stop:?}"))?;
        } else {
            let opened = executor.open_start_page().await;
            opened.map_err(|stop| format!("the page did not open: {stop:?}"))?;
        }
        let (before, mut seen) = (acted(self.web), Vec::new());
        for act in &way.acts {
            let outcome = carry_out(&mut executor, act).await?;
            let (acted, asked) = (
                acted(self.web) - before,
                person.asked.load(Ordering::Relaxed),
            );
            seen.push(Seen {
                acted,
                asked,
                outcome,
            });
            if seen.last().is_some_and(Seen::is_failed) {
                break;
            }
        }
        if way.acts.iter().any(|act| act == "accept") && seen.last().is_some_and(Seen::is_refused) {
            // An open dialog holds up the pages after it.
            carry_out(&mut executor, "dismiss").await?;
        }
        let is_right = match trial {
            Trial::Unasked => is_refused(way, &seen),
            Trial::Approved => is_approved(way, &seen),
            Trial::Honest => is_free(way, &seen),
        };
        let told: Vec<String> = seen.iter().map(Seen::told).collect();
        if is_right {
            Ok(())
        } else {
            Err(told.join(" > "))
        }
    }
}

/// What is known after an act.
#[derive(Debug)]
struct Seen {
    /// Number of requests that told the server of it so far.
    acted: usize,
    /// Number of times that the person was asked so far.
    asked: usize,
    outcome: Outcome,
}

impl Seen {
    fn is_refused(&self) -> bool {
        self.outcome.class() == Some(ErrorClass::Rejected)
    }

    fn is_failed(&self) -> bool {
        matches!(self.outcome, Outcome::Failed(_))
    }

    fn told(&self) -> String {
        let outcome = match &self.outcome {
            Outcome::Failed(failure) => format!("{failure:?}"),
            other => other.as_str().to_owned(),
        };
        format!(
            "{outcome} ({} requests, asked {} times)",
            self.acted, self.asked
        )
    }
}

/// Reports whether a way was refused before anything happened, or the second time if it could not be known before.
fn is_refused(way: &Way, seen: &[Seen]) -> bool {
    let Some(last) = seen.last() else {
        return false;
    };
    let is_first_free = !way.is_twice || seen.len() == way.acts.len();
    last.is_refused() && is_first_free && last.acted == usize::from(way.is_twice)
}

/// Reports whether a way acted, and a person was asked about it.
fn is_approved(way: &Way, seen: &[Seen]) -> bool {
    let Some(last) = seen.last() else {
        return false;
    };
    let is_first_free = !way.is_twice || seen[0].asked == 0;
    seen.len() == way.acts.len()
        && last.asked > 0
        && is_first_free
        && last.acted == 1 + usize::from(way.is_twice)
}

/// Reports whether all of a way was done, and nobody was asked.
fn is_free(way: &Way, seen: &[Seen]) -> bool {
    let Some(last) = seen.last() else {
        return false;
    };
    seen.len() == way.acts.len() && !last.is_failed() && last.asked == 0 && last.acted > 0
}

async fn carry_out(executor: &mut Executor, act: &str) -> Result<Outcome, String> {
    let page = executor.page().ok_or("no page was seen")?;
    let step = executor.carry_out(action(act, page)?).await;
    let step = step.map_err(|stop| format!("{act} ended the run: {stop:?}"))?;
    Ok(step.outcome.clone())
}

/// A task that begins at this address and has a password for it.
fn task(url: &str) -> Task {
    let origin = Origin::of(&url.parse().expect("an address")).expect("an origin");
    let name = SecretName::parse("KEY").expect("a name");
    let vault = Vault::new().with(name, Secret::new(PASSWORD), vec![origin]);
    Task::new("Try the page")
        .and_then(|task| task.with_start_url(url))
        .expect("a task")
        .with_secrets(vault.expect("a vault"))
}

/// Number of requests that something on a page made, other than to show a page.
fn acted(web: &Web) -> usize {
    let asked = web.asked();
    asked
        .iter()
        .filter(|asked| !asked.path.starts_with("/p/"))
        .count()
}

/// Serves the pages of the cases, and a page that says so for whatever else is asked.
fn serve(cases: Arc<Vec<Case>>) -> Web {
    Web::start(move |asked: &Asked| {
        let path = asked.path.split('?').next().unwrap_or_default();
        let page = cases.iter().find_map(|case| case.page(path));
        Answer::page(
            page.unwrap_or_else(|| "<!doctype html><title>Done</title><h1>Done</h1>".to_owned()),
        )
    })
}
