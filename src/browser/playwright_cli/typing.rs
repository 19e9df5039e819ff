//! Typing of secrets. Only the script that types a secret gets its value.
//!
//! First, the addresses of the page and of the field's frame are read from the browser. The resolver releases the value
//! only if the secret may be used at both origins. The script compares the origins again right before it types, because
//! a page can navigate in between. It also checks the addresses to which the field's form goes.
//!
//! Before each action that may send a form with a secret, another script checks these addresses too. Error texts of the
//! typing script are not kept, because they may quote the value.

use std::{slice, time::Duration};

use super::{
    driver::{PlaywrightCli, Scripted, State},
    failure::{self, Verdict},
    locator,
    scripts::{self, By, Field, Returned, Sends},
    transport::Command,
};
use crate::{
    action::{BrowserAction, ErrorClass, Outcome, Target, TextValue},
    base::{Origin, Result},
    browser::{ExecuteRequest, Execution},
    page::Locator,
    secret::{SecretName, SecretResolver},
};

const TURNED: &str = "the form was turned to another address while the value was typed";

impl PlaywrightCli {
    /// Returns the refusal of an action that would send a form with a secret to an address to which the secret must not
    /// be sent; `None` if the action is allowed.
    pub(super) async fn misdirected(
        &self,
        state: &mut State,
        request: &ExecuteRequest,
    ) -> Result<Option<Outcome>> {
        let Some((field, by)) = sending(&request.action).filter(|_| !state.secrets.is_empty())
        else {
            return Ok(None);
        };
        let script = scripts::sends(field, by, self.action_ms());
        // If the form cannot be checked, for example because a dialog is open, the action itself will report the
        // problem.
        let Scripted::Returned(returned) = self.script(state, script, request.timeout).await?
        else {
            return Ok(None);
        };
        let Returned { sends, .. } = *returned;
        let misdirected = |sends: &Sends| {
            state
                .secrets
                .misdirected(slice::from_ref(&sends.name), &sends.to)
        };
        let why = sends.iter().find_map(misdirected);
        Ok(why.map(|why| Outcome::failed(ErrorClass::SecretLeaves, &why.to_string())))
    }

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
        for address in &place.to {
            if let Err(misdirected) = secrets.may_send(name, address) {
                let why = misdirected.to_string();
                return Ok(Outcome::failed(ErrorClass::SecretLeaves, &why).into());
            }
        }
        // From here on, the field may contain the value even if the script fails. The script also marks the element; if
        // the action does not name the element by a reference, this is the only mark.
        if let Field::At(Target::Ref(reference)) = field {
            state.secret.insert(reference.to_string());
        }
        let origins = (top.as_str(), frame.as_str());
        let code = scripts::type_if_still_at(
            field,
            origins,
            &place.to,
            (name, value.expose()),
            submit,
            self.action_ms(),
        );
        state.secrets.add(name, secrets);
        state.typed.begin();
        let answer = self.script(state, code, timeout).await?;
        if matches!(answer, Scripted::Returned(_)) {
            state.typed.end();
        }
        Ok(match answer {
            Scripted::Returned(returned) if returned.done => Outcome::Done.into(),
            Scripted::Returned(returned) => match (&returned.turned, obstacle(&returned)) {
                (Some(address), _) => {
                    let why = secrets.may_send(name, address).err();
                    let why = why.map_or_else(|| TURNED.to_owned(), |why| why.to_string());
                    Outcome::failed(ErrorClass::SecretLeaves, &why).into()
                }
                (None, Some(outcome)) => outcome.into(),
                (None, None) => without_words(""),
            },
            Scripted::Refused(error) => without_words(&error),
            Scripted::Interrupted(dialog) => Scripted::done_under(dialog),
        })
    }

    /// Asks the tool for a locator that finds a target's element again on the next load. Returns `None` if the target
    /// is not a reference, or if the tool finds no locator.
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

/// Returns the element on which an action may send a form, and the kind of input: a click or a key. Returns `None` for
/// an action that sends no form.
fn sending(action: &BrowserAction) -> Option<(Field<'_>, By)> {
    match action {
        BrowserAction::Click(click) | BrowserAction::Dblclick(click) => {
            Some((Field::At(&click.target), By::Click))
        }
        BrowserAction::Fill(fill) if fill.submit => Some((Field::At(&fill.target), By::Enter)),
        BrowserAction::Type(typed) => {
            let by = match &typed.text {
                _ if typed.submit => By::Enter,
                TextValue::Literal(text) if text.contains(['\n', '\r']) => By::Enter,
                TextValue::Literal(text) if !text.contains(' ') => return None,
                // A secret may contain a space too.
                _ => By::Space,
            };
            Some((Field::Focused, by))
        }
        // The browser clicks the innermost element that contains both ends of the drag, so also a button around them.
        BrowserAction::Drag(drag) => Some((Field::At(&drag.from), By::Click)),
        // A button with the role of a checkbox can be checked too.
        BrowserAction::Check(on) | BrowserAction::Uncheck(on) => {
            Some((Field::At(&on.target), By::Click))
        }
        BrowserAction::ClickAt(click) => Some((Field::At(&click.target), By::Click)),
        BrowserAction::DragBy(drag) => Some((Field::At(&drag.target), By::Click)),
        BrowserAction::ClickXy(click) => Some((Field::At(click.target.as_ref()?), By::Click)),
        BrowserAction::DragXy(drag) => Some((Field::At(drag.target.as_ref()?), By::Click)),
        BrowserAction::Press(press) => {
            let at = press.target.as_ref().map_or(Field::Focused, Field::At);
            match press.key.last() {
                "Enter" => Some((at, By::Enter)),
                "Space" | " " => Some((at, By::Space)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns the failure that a typing script reported instead of typing.
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

/// Returns a failed execution with the class of the tool's error text, but without the text.
fn without_words(error: &str) -> Execution {
    match failure::classify(error) {
        Verdict::Failed(class) => Outcome::failed(class, "").into(),
        Verdict::NoEffect | Verdict::Lost => Outcome::failed(ErrorClass::Other, "").into(),
    }
}
