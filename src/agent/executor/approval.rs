//! Asks a person for approval before an action.

use std::time::Duration;

use tokio::time::Instant;

use super::{Executor, InFlight, aim::judged, identities};
use crate::{
    action::{Action, Effect, ErrorClass, Outcome},
    agent::{Approval, ApprovalRequest},
    event::EventKind,
    guard::needs_approval,
    page::TargetIdentity,
    prompt::for_person,
    verify::PageNow,
    working::StopReason,
};

/// Time during which the page is assumed not to change while an approver thinks. If the answer takes longer and the
/// action has targets, the page is observed again. Source: chosen; a policy answers at once, a person takes longer.
const STALE_AFTER: Duration = Duration::from_secs(2);

/// The reason for a refusal without a person's decision.
const UNAVAILABLE: &str = "nobody is there to approve it";

impl Executor {
    /// Asks the hooks whether the action may run and, if `is_asked`, for the approval that it needs.
    pub(in crate::agent) async fn permission(
        &mut self,
        flight: &mut InFlight,
        is_asked: bool,
    ) -> Result<Option<Outcome>, StopReason> {
        let step = &flight.step;
        let (action, targets, effect) = (&step.action, &step.targets, step.effect);
        let request = self.request(action, targets, effect);
        let asked = Instant::now();
        for hook in self.settings().hooks.clone() {
            let answer = hook.before_action(&request).await;
            if answer == Approval::Yes {
                continue;
            }
            let (stop, why) = match answer {
                Approval::Stop => (true, "a hook refused it and ended the run".to_owned()),
                Approval::Deny { reason } => (false, reason),
                _ => (false, "a hook of the program refused it".to_owned()),
            };
            let why = self.redactor.text(&why);
            self.emitter.emit(EventKind::ApprovalDecided {
                action: request.action.clone(),
                effect: request.effect,
                approved: false,
                why: why.clone(),
            });
            if stop {
                self.state.error = Some(why);
                return Err(StopReason::Rejected);
            }
            return Ok(Some(Outcome::failed(ErrorClass::Rejected, &why)));
        }
        let took = asked.elapsed();
        if took > STALE_AFTER && !targets.is_empty() {
            let changed = self.still_as_approved(action, targets, effect).await?;
            if changed.is_some() {
                return Ok(changed);
            }
        }
        flight.started += took;
        if is_asked {
            self.approval(flight).await
        } else {
            Ok(None)
        }
    }

    /// Asks for approval if the action needs it. Returns `None` if the action may run. Returns a failed outcome if
    /// approval was refused, or if the page changed while the person was asked.
    async fn approval(&mut self, flight: &mut InFlight) -> Result<Option<Outcome>, StopReason> {
        let step = &flight.step;
        let (action, targets, effect) = (&step.action, &step.targets, step.effect);
        let is_doubted = effect == Effect::Irreversible && self.state.doubt.is_some();
        if !is_doubted && !needs_approval(self.options.approval, effect) {
            return Ok(None);
        }
        let asked = Instant::now();
        let what = for_person(&self.clean(action), targets);
        self.asking = Some(format!("may the run {what}?"));
        let (answer, why) = self.ask_approver(action, targets, effect).await;
        self.asking = None;
        let took = asked.elapsed();
        // The time that a person takes does not count for the step.
        flight.started += took;
        let is_approved = answer == Approval::Yes;
        if is_doubted && is_approved {
            self.state.doubt = None;
        }
        let why = self.redactor.text(&why);
        self.emitter.emit(EventKind::ApprovalDecided {
            action: self.clean(action),
            effect,
            approved: is_approved,
            why: why.clone(),
        });
        match answer {
            Approval::Yes if took > STALE_AFTER && !targets.is_empty() => {
                self.still_as_approved(action, targets, effect).await
            }
            Approval::Yes => Ok(None),
            Approval::No | Approval::Deny { .. } | Approval::Unavailable => {
                Ok(Some(Outcome::failed(ErrorClass::Rejected, &why)))
            }
            Approval::Stop => {
                self.state.error = Some(format!(
                    "the person refused the action {what} and ended the run"
                ));
                Err(StopReason::Rejected)
            }
        }
    }

    /// Observes the page again because the approver took long to answer. Returns a failed outcome unless the page
    /// and each approved target are still the same, and the action cannot do more than the `effect` that was approved.
    async fn still_as_approved(
        &mut self,
        action: &Action,
        targets: &[TargetIdentity],
        effect: Effect,
    ) -> Result<Option<Outcome>, StopReason> {
        let before = self.state.page.now().cloned();
        let url = before.as_ref().map(|page| page.head.url.clone());
        let mut now = self.look(self.deadline()).await?;
        // The browser may have gone to any page while the person decided.
        if let Some(blocked) = self.back_in_scope(None, before.as_ref(), &mut now).await? {
            self.state.page.set(now);
            return Ok(Some(blocked));
        }
        let same_page = url.as_deref() == Some(now.head.url.as_str());
        let unchanged = same_page && is_as_approved(action, targets, effect, &now);
        self.state.page.set(now);
        Ok((!unchanged).then(|| {
            Outcome::failed(
                ErrorClass::Detached,
                "the page changed while somebody was asked",
            )
        }))
    }

    /// Returns the request to approve an action on the current page.
    fn request(
        &self,
        action: &Action,
        targets: &[TargetIdentity],
        effect: Effect,
    ) -> ApprovalRequest {
        let mut request =
            ApprovalRequest::new(self.emitter.run.clone(), self.clean(action), effect);
        request.targets = targets.to_vec();
        if effect == Effect::Irreversible {
            request.doubt = self.state.doubt;
        }
        if let Some(page) = self.state.page.now() {
            request.url.clone_from(&page.head.url);
            request.title.clone_from(&page.head.title);
            request.dialog = page
                .observation
                .dialog
                .as_ref()
                .map(|dialog| dialog.message.clone());
        }
        request
    }

    async fn ask_approver(
        &self,
        action: &Action,
        targets: &[TargetIdentity],
        effect: Effect,
    ) -> (Approval, String) {
        let Some(approver) = &self.settings().approver else {
            return (Approval::Unavailable, UNAVAILABLE.to_owned());
        };
        let answer = approver
            .approve(&self.request(action, targets, effect))
            .await;
        let why = match &answer {
            Approval::Yes => "approved",
            Approval::No => "the person said no",
            Approval::Deny { reason } => &format!("the person said no: {reason}"),
            Approval::Unavailable => UNAVAILABLE,
            Approval::Stop => "the person said no and ended the run",
        };
        let why = why.to_owned();
        (answer, why)
    }
}

/// Returns true if the action would do on this page what was approved: each target is the element that was approved, and the
/// action can do no more than the `effect` then.
///
/// Another element is not enough, not even the only one like it, because the words around it may differ.
fn is_as_approved(
    action: &Action,
    targets: &[TargetIdentity],
    effect: Effect,
    now: &PageNow,
) -> bool {
    let Some(here) = identities(action, now) else {
        return false;
    };
    let are_same = here
        .iter()
        .zip(targets)
        .all(|(here, approved)| here.is_same_element(approved));
    let is_no_worse = match action {
        Action::Browser(action) => judged(action, Some(now)) <= effect,
        Action::Agent(_) | Action::Custom(_) => true,
    };
    are_same && is_no_worse
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    use crate::{page::Observation, testing::tree};

    #[test]
    fn what_was_approved_is_this_element_in_these_surroundings() {
        let page =
            |content: &str| PageNow::of(Observation::new("https://a.example/", "", tree(content)));
        let two = "row \"Bob\"\n  button \"Delete\" e12\nrow \"Alice\"\n  button \"Delete\" e13";
        let click = json!({ "tool": "click", "arguments": { "target": "e12" } });
        let action = Action::Browser(serde_json::from_value(click).unwrap());
        let approved = identities(&action, &page(two)).unwrap();
        let is_still = |content: &str| {
            is_as_approved(&action, &approved, Effect::Irreversible, &page(content))
        };
        assert!(is_still(two));
        assert!(is_still(&format!("{two}\nstatus \"saved\"")));
        // Bob's row is gone, and its elements are those of Alice's row now.
        assert!(!is_still("row \"Alice\"\n  button \"Delete\" e12"));
        assert!(!is_still("row \"Bob\"\n  button \"Delete\" e14"));
        assert!(!is_still("row \"Bob\"\n  button \"Edit\" e12"));
        let undo = identities(&action, &page("button \"Delete\" e12")).unwrap();
        let reversible = Effect::Reversible;
        assert!(!is_as_approved(
            &action,
            &undo,
            reversible,
            &page("button \"Delete\" e12")
        ));
    }
}
