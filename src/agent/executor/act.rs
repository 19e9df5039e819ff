//! Carries out one browser action. The action is checked by the guards, approved, recorded, passed to the driver, and
//! judged by its effect.

use tokio::time::Instant;

use super::{Executor, InFlight, aim::judged};
use crate::{
    action::{BrowserAction, BrowserTool, ErrorClass, Goto, Outcome, TabNew, TextValue},
    agent::state::Queued,
    event::EventKind,
    verify::{Typed, self_submission},
    working::{By, StopReason},
};

impl Executor {
    pub(in crate::agent) async fn act(
        &mut self,
        action: BrowserAction,
        next: Queued,
    ) -> Result<InFlight, StopReason> {
        let started = Instant::now();
        let refused = match &next.targets {
            None => Some(Outcome::failed(ErrorClass::RefNotFound, "")),
            Some(_) => self.refusal(&action),
        };
        let by = next.by;
        let mut flight = InFlight::new(next, self.state.page.now().cloned(), started);
        // What is typed or chosen decides too. An unknown parameter is refused later.
        let parameters = &self.task.parameters;
        let whole = action
            .with_parameters(parameters)
            .unwrap_or_else(|_| action.clone());
        let mut effect = judged(&whole, self.state.page.now());
        if let (BrowserAction::DragBy(drag), None) = (&action, &refused) {
            effect = effect.max(self.drop_effect(drag).await);
        }
        let (page, earlier) = (self.state.page.now(), self.state.memory.steps());
        effect = effect.max(self_submission(&whole, page, earlier));
        flight.step.effect = effect;
        let refused = match refused {
            // The start page is requested by the task itself, so it needs no approval.
            None => {
                let is_asked = by != By::Task;
                self.permission(&mut flight, is_asked).await? // 11
            }
            known => known,
        };
        let refused = match refused {
            None => {
                let step = &flight.step;
                self.intend(&step.action, &step.targets, effect).await?
            }
            known => known,
        };
        if let Some(outcome) = refused {
            return Ok(flight.ended(outcome));
        }
        let (clean, targets) = (self.clean(&flight.step.action), flight.step.targets.clone());
        self.emitter.emit(EventKind::ActionStarted {
            action: clean,
            targets,
        });
        self.in_flight = Some(flight.clone());
        let (execution, changes) = self
            .execute(&self.normalised(&action), &flight.step.targets)
            .await?; // 12, 13
        self.in_flight = None;
        if let (Some(first), Some(locator)) = (flight.step.targets.first_mut(), execution.locator) {
            first.locator = Some(locator);
        }
        flight.step.changes = changes;
        Ok(flight.ended(execution.outcome))
    }

    /// Returns what the run has typed so far.
    pub(in crate::agent) fn typed(&self) -> Typed {
        Typed::of(self.state.memory.steps(), &self.task.parameters)
    }

    /// Returns the refusal of an action that must be refused without asking a person; `None` if there is no reason to
    /// refuse.
    fn refusal(&self, action: &BrowserAction) -> Option<Outcome> {
        let tools = self.browser.capabilities().tools;
        if !tools.contains(&action.tool()) {
            return Some(Outcome::failed(ErrorClass::Unsupported, ""));
        }
        if action.tool() == BrowserTool::Screenshot && self.state.secret_seen {
            return Some(Outcome::failed(
                ErrorClass::Blocked,
                "no picture is taken once a secret was typed or shown",
            ));
        }
        if let Some(refusal) = action
            .url()
            .and_then(|url| self.state.guards.check_url(url).err())
        {
            return Some(Outcome::failed(ErrorClass::Blocked, refusal.sentence()));
        }
        let why = action
            .texts()
            .into_iter()
            .find_map(|text| self.bad_text(text));
        why.map(|why| Outcome::failed(ErrorClass::BadArguments, &why))
    }

    /// Returns the reason why a text cannot be typed; `None` if it can. A text cannot be typed if it is a placeholder
    /// for an unknown secret or parameter, or if it contains a placeholder among other words.
    fn bad_text(&self, text: &TextValue) -> Option<String> {
        match text {
            TextValue::Secret(name) if !self.task.vault.contains(name) => {
                Some(format!("there is no secret {name}"))
            }
            TextValue::Parameter(name) if !self.task.parameters.contains_key(name) => {
                Some(format!("there is no parameter {name}"))
            }
            TextValue::Literal(text) if text.contains("<secret:") || text.contains("<param:") => {
                Some("a placeholder must be the whole text".to_owned())
            }
            _ => None,
        }
    }

    /// Returns the action with its address as the scope check has parsed it, so that the browser opens the address that
    /// was checked.
    fn normalised(&self, action: &BrowserAction) -> BrowserAction {
        let Some(Ok(url)) = action.url().map(|url| self.state.guards.check_url(url)) else {
            return action.clone();
        };
        match action {
            BrowserAction::Goto(_) => BrowserAction::Goto(Goto { url: url.into() }),
            BrowserAction::TabNew(_) => BrowserAction::TabNew(TabNew {
                url: Some(url.into()),
            }),
            other => other.clone(),
        }
    }
}
