//! Typing secrets: the last step, and the only place in this driver that sees a value.
//!
//! First the addresses of page and frame are read from the browser. Only against those does the run's resolver release
//! the value. The script that types it compares the origins once more, in the same process and right before it types,
//! because a page can move in between. Nothing of the tool's words about that script is kept: they may quote the value.

use std::time::Duration;

use super::{
    driver::{PlaywrightCli, Scripted, State},
    failure::{self, Verdict},
    locator,
    scripts::{self, Field, Returned},
    transport::Command,
};
use crate::{
    action::{ErrorClass, Outcome, Target},
    base::{Origin, Result},
    browser::Execution,
    page::Locator,
    secret::{SecretName, SecretResolver},
};

impl PlaywrightCli {
    pub(super) async fn fill_secret(
        &self,
        state: &mut State,
        target: &Target,
        secret: (&SecretName, bool),
        secrets: &SecretResolver,
        timeout: Duration,
    ) -> Result<Execution> {
        let mut execution = self
            .type_value(state, Field::At(target), secret, secrets, timeout)
            .await?;
        if execution.outcome.is_done() && execution.dialog.is_none() {
            execution.locator = self.durable(state, target, timeout).await?;
        }
        Ok(execution)
    }

    pub(super) async fn type_secret(
        &self,
        state: &mut State,
        secret: (&SecretName, bool),
        secrets: &SecretResolver,
        timeout: Duration,
    ) -> Result<Execution> {
        self.type_value(state, Field::Focused, secret, secrets, timeout)
            .await
    }

    async fn type_value(
        &self,
        state: &mut State,
        field: Field<'_>,
        (name, submit): (&SecretName, bool),
        secrets: &SecretResolver,
        timeout: Duration,
    ) -> Result<Execution> {
        let refuse = |why: &str| Ok(Outcome::failed(ErrorClass::SecretRefused, why).into());
        let place = match self
            .script(
                state,
                scripts::read_origins(field, self.action_ms()),
                timeout,
            )
            .await?
        {
            Scripted::Returned(place) => place,
            Scripted::Refused(error) => return Ok(without_words(&error)),
            Scripted::Interrupted(dialog) => {
                let outcome = Outcome::failed(ErrorClass::DialogOpen, &dialog.message);
                return Ok(Execution {
                    dialog: Some(dialog),
                    ..outcome.into()
                });
            }
        };
        if let Some(outcome) = obstacle(&place) {
            return Ok(outcome.into());
        }
        let (Ok(top), Ok(frame)) = (Origin::parse(&place.top), Origin::parse(&place.frame)) else {
            return refuse("the page or the frame of the field has no web address of its own");
        };
        let value = match secrets.resolve(name, &top, &frame) {
            Ok(value) => value,
            Err(error) => return refuse(&error.to_string()),
        };
        // From here on the field may hold the value, whatever becomes of the script. The script itself marks the element,
        // which is all there is where no reference names it.
        if let Field::At(Target::Ref(reference)) = field {
            state.secret.insert(reference.to_string());
        }
        let origins = (top.as_str(), frame.as_str());
        let code =
            scripts::type_if_still_at(field, origins, value.expose(), submit, self.action_ms());
        state.typed.begin();
        let answer = self.script(state, code, timeout).await?;
        if matches!(answer, Scripted::Returned(_)) {
            state.typed.end();
        }
        Ok(match answer {
            Scripted::Returned(returned) if returned.done => Outcome::Done.into(),
            Scripted::Returned(returned) => match obstacle(&returned) {
                Some(outcome) => outcome.into(),
                None => without_words(""),
            },
            Scripted::Refused(error) => without_words(&error),
            Scripted::Interrupted(dialog) => Scripted::done_under(dialog),
        })
    }

    /// The durable locator of an element; the script that typed into it does not print one.
    async fn durable(
        &self,
        state: &mut State,
        target: &Target,
        timeout: Duration,
    ) -> Result<Option<Locator>> {
        let Target::Ref(reference) = target else {
            return Ok(None);
        };
        let command = Command::read("generate-locator").arg(reference.as_str());
        let reply = self.send(state, command, timeout).await?;
        Ok(reply
            .result
            .and_then(|text| locator::parse(&format!("await page.{text}.click();"))))
    }
}

/// Why a script did not type, if it did not.
fn obstacle(returned: &Returned) -> Option<Outcome> {
    if returned.moved {
        return Some(Outcome::failed(
            ErrorClass::SecretRefused,
            "the page moved to another site",
        ));
    }
    if returned.opaque {
        return Some(Outcome::failed(
            ErrorClass::SecretRefused,
            "the page or the frame is in a sandbox without an origin",
        ));
    }
    if returned.unfocused {
        return Some(Outcome::failed(
            ErrorClass::SecretRefused,
            "not exactly one field has the focus",
        ));
    }
    returned
        .error
        .as_deref()
        .map(|error| without_words(error).outcome)
}

/// The class of a refusal without the tool's words.
fn without_words(error: &str) -> Execution {
    match failure::classify(error) {
        Verdict::Failed(class) => Outcome::failed(class, "").into(),
        Verdict::NoEffect | Verdict::Lost => Outcome::failed(ErrorClass::Other, "").into(),
    }
}
