//! Records actions: an action in progress becomes a step of the run.

use tokio::time::Instant;

use super::{Executor, guards::TurnNow};
use crate::{
    action::{Action, BrowserAction, ErrorClass, Outcome, Signature},
    agent::{emit::elapsed_ms, state::Queued},
    base::text,
    event::EventKind,
    page::{PageTemplate, TargetIdentity, item_words},
    verify::{PageNow, empties, is_another_document, moves_the_caret, restored},
    working::{Step, StopReason},
};

/// Maximum length of the page's title that a step keeps. Unit: characters. Source: chosen; enough to tell pages apart.
const MAX_TITLE: usize = 60;
/// Maximum length of the page's main heading that a step keeps. Unit: characters.
const MAX_HEADING: usize = 120;

/// An action that is being carried out: the [`Step`] that will record it, with what is known so far.
#[derive(Debug, Clone)]
pub(in crate::agent) struct InFlight {
    /// On the heap, because the future of a run holds it.
    pub(in crate::agent) step: Box<Step>,
    /// The page before the action.
    pub(in crate::agent) before: Option<PageNow>,
    /// True if `go_back_to` queued the action to restore an earlier page.
    pub(in crate::agent) restores: bool,
    pub(super) started: Instant,
}

impl InFlight {
    /// Begins the step of a queued action. `before` is the page on which the action is tried.
    pub(in crate::agent) fn new(next: Queued, before: Option<PageNow>, started: Instant) -> Self {
        let targets = next.targets.unwrap_or_default();
        let template = before.as_ref().and_then(|page| page.place.template());
        let template = template.map_or("", PageTemplate::as_str);
        let signature = Signature::of(&next.action, &targets, template);
        let mut step = Box::new(Step::new(0, next.action, Outcome::Done, signature));
        (step.by, step.picked, step.targets) = (next.by, next.picked, targets);
        Self {
            step,
            before,
            restores: next.restores.is_some(),
            started,
        }
    }

    pub(in crate::agent) fn ended(mut self, outcome: Outcome) -> Self {
        self.step.outcome = outcome;
        self
    }
}

/// Returns the words around the first target of an action, which distinguish it from other elements of the same name.
/// Returns `None` if no other element has this name.
fn surroundings(page: &PageNow, action: &Action) -> Option<String> {
    let reference = *action.references().first()?;
    let node = page.tree().by_ref(reference.as_str())?;
    page.layout().surroundings(node)
}

/// Returns the words of the row or card around the first target of an action.
fn item_of(page: &PageNow, action: &Action) -> Vec<String> {
    let references = action.references();
    let first = references.first();
    let node = first.and_then(|reference| page.tree().by_ref(reference.as_str()));
    node.map_or_else(Vec::new, |node| item_words(page.tree(), node))
}

/// Gives each target that has no name of any kind a description of its appearance.
fn describe(targets: &mut [TargetIdentity], page: &PageNow, action: &Action) {
    for (target, reference) in targets.iter_mut().zip(action.references()) {
        if let (true, Some(node)) = (
            target.best_name().is_empty(),
            page.tree().by_ref(reference.as_str()),
        ) {
            target.appearance = page.layout().appearance(page.tree(), node);
        }
    }
}

/// Returns true if it is normal to repeat the action until it no longer has an effect: a key that moves the caret, or a
/// turn of the wheel.
pub(in crate::agent) fn ends_in_vain(action: &Action) -> bool {
    match action {
        Action::Browser(BrowserAction::Scroll(_)) => true,
        Action::Browser(key) => moves_the_caret(key),
        Action::Agent(_) | Action::Custom(_) => false,
    }
}

#[derive(Debug)]
pub(in crate::agent) struct Concluded {
    /// The changes of the page in this step, as lines.
    pub(in crate::agent) changed: Vec<String>,
    pub(in crate::agent) stop: Option<StopReason>,
}

impl Executor {
    /// Records a finished action as a step, and applies the rules that stop a run.
    pub(in crate::agent) fn conclude(&mut self, flight: InFlight, turn: TurnNow) -> Concluded {
        let verdicts = self.state.guards.record(
            &flight.step,
            (flight.before.as_ref(), self.state.page.now()),
            self.state.page.numbers(),
            turn,
        );
        let is_expected = ends_in_vain(&flight.step.action);
        self.state
            .progress
            .count(&flight.step.outcome, turn.number, is_expected);
        let changed = self.record(flight);
        for event in verdicts.events() {
            self.emitter.emit(event);
        }
        // The guards have now judged all actions so far, so their earlier warnings are out of date.
        self.state.remarks.warnings = verdicts
            .warnings
            .into_iter()
            .map(|(_, text)| text)
            .collect();
        let budget = &self.options.budget;
        let is_too_many = budget.is_too_many_errors(self.state.progress.errors_in_row());
        let too_many = is_too_many.then_some(StopReason::TooManyErrors);
        Concluded {
            changed,
            stop: verdicts.stop.or(too_many),
        }
    }

    /// Records the interrupted action as a failed step, with a note that its effect is not known.
    pub(in crate::agent) fn record_in_flight(&mut self) {
        if let Some(flight) = self.in_flight.take() {
            let why = "the run ended while this was carried out; what it did is not known";
            let mut flight = flight.ended(Outcome::failed(ErrorClass::Other, why));
            flight.step.unseen = true;
            let page = flight.before.as_ref();
            let turn = TurnNow {
                number: self.state.spent.calls,
                is_over: true,
            };
            let pages = (page, page);
            let numbers = self.state.page.numbers();
            self.state.guards.record(&flight.step, pages, numbers, turn);
            self.state.progress.count_interrupted();
            self.record(flight);
        }
    }

    /// Keeps the action as a step, emits the step's event, and returns the changes of the page as lines.
    pub(in crate::agent) fn record(&mut self, flight: InFlight) -> Vec<String> {
        self.has_taken = false;
        let mut step = flight.step;
        let (before, after) = (flight.before.as_ref(), self.state.page.now());
        let place = |page: Option<&PageNow>| page.map(|page| page.place.clone());
        step.number = self.emitter.step;
        step.action = self.clean(&step.action);
        step.turn = self.state.spent.calls;
        step.before = place(before).unwrap_or_default();
        step.after = place(after).unwrap_or_default();
        step.title = after.map_or_else(String::new, |page| text::cut(&page.head.title, MAX_TITLE));
        step.left_scope = std::mem::take(&mut self.state.left_scope);
        if let (Some(page), Some(_)) = (after, step.led_to()) {
            step.summary.clone_from(&page.view.summary);
        }
        step.reloaded = before.zip(after).is_some_and(|(before, after)| {
            before.head.url == after.head.url
                && is_another_document(&before.observation, &after.observation)
        });
        step.healed = std::mem::take(&mut self.state.healed);
        step.within = before.and_then(|page| surroundings(page, &step.action));
        if let Some(page) = before {
            step.item = item_of(page, &step.action);
            step.heading = text::cut(page.observation.main_heading(), MAX_HEADING);
        }
        step.restores = restored(self.state.memory.steps(), before, after);
        step.empties = empties(&step.targets, before, after);
        self.state.offered.now().clone_into(&mut step.offered);
        if let Some(page) = before {
            describe(&mut step.targets, page, &step.action);
        }
        step.thought = self.state.thought.take();
        let announced = after.filter(|_| step.led_to().is_some());
        let announced = announced.and_then(|page| page.observation.messages().next());
        let gave = self.state.gave.take();
        step.gave = gave.or_else(|| announced.map(|(_, text)| self.redactor.text(&text)));
        step.elapsed_ms = elapsed_ms(flight.started);
        let changed = step.changed();
        // A `finish` has another event, `FinishChecked`.
        if step.finished.is_none() {
            self.emitter.emit(EventKind::executed(&step));
        }
        self.state.memory.record(*step);
        changed
    }

    /// Keeps a text that the action in progress returned. The action's step records the text, and the next message
    /// shows it under `label`.
    pub(in crate::agent) fn keep_result(&mut self, label: &str, text: &str) {
        let text = self.redactor.text(text);
        self.state.gave = Some(text.clone());
        self.state.remarks.results.push((label.to_owned(), text));
    }
}
