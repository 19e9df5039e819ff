//! Typing of texts and secrets. No other code of this driver asks for the value of a secret. The message that carries
//! the value to the page passes through `ask`, `hub` and `wire`, so these must not log what they send.
//!
//! The origins of page and frame are read in our own script world, where the page cannot falsify them. The resolver
//! releases a secret only if the secret may be used at both origins. The value is typed in the same world, which
//! belongs to one document. So no other document can take the place of the checked one.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    driver::{Cdp, Turn},
    error::CdpError,
    observe::Place,
    settle::millis,
    state::World,
    target::Aim,
};
use crate::{
    action::{ErrorClass, TextValue},
    base::Origin,
    secret::{Secret, SecretName, SecretResolver},
};

/// The answer of a document: whether one of its fields has the focus.
#[derive(Debug, Deserialize)]
struct Focus {
    field: bool,
}

/// An empty answer of our script, which means success.
#[derive(Debug, Deserialize)]
pub(super) struct Nothing {}

impl Cdp {
    /// Waits until the field can be edited, then replaces its text.
    pub(super) async fn fill(
        &self,
        turn: &mut Turn,
        aim: &Aim,
        text: &TextValue,
        secrets: &SecretResolver,
    ) -> Result<(), CdpError> {
        self.able(aim, json!({ "editable": true })).await?;
        match text {
            TextValue::Secret(name) => {
                let field = (&*aim.frame, Some(aim.number));
                let (at, value) = self.released(field, name, secrets).await?;
                turn.sent = true;
                let given = json!([aim.number, value.expose(), { "secret": true, "name": name }]);
                self.without_words(&at, "fill", given).await
            }
            text => {
                turn.sent = true;
                let given = json!([aim.number, text.to_string(), { "secret": false }]);
                self.hub
                    .ask::<Nothing>(&aim.frame, "fill", given)
                    .await
                    .map(drop)
            }
        }
    }

    /// Waits until an element is visible and enabled and meets the conditions in `wanted`. The wait changes nothing on
    /// the page.
    pub(super) async fn able(&self, aim: &Aim, mut wanted: Value) -> Result<(), CdpError> {
        wanted["visible"] = json!(true);
        wanted["enabled"] = json!(true);
        wanted["ms"] = json!(millis(self.hub.options.common.action_timeout));
        self.hub
            .ask::<Nothing>(&aim.frame, "able", json!([aim.number, wanted]))
            .await
            .map(drop)
    }

    /// Types a text or a secret into the field that has the focus.
    pub(super) async fn type_text(
        &self,
        turn: &mut Turn,
        text: &TextValue,
        secrets: &SecretResolver,
    ) -> Result<(), CdpError> {
        let TextValue::Secret(name) = text else {
            return self.type_keys(turn, &text.to_string()).await;
        };
        let frame = self.focused().await?;
        let (at, value) = self.released((&frame, None), name, secrets).await?;
        turn.sent = true;
        let given = json!([value.expose(), { "secret": true, "name": name }]);
        self.without_words(&at, "typeInto", given).await
    }

    /// Returns the value of a secret, and the session and script world of the only document into which it may be typed.
    ///
    /// Fails unless the origins of page and frame, and all addresses of the field's form, may receive the secret. From
    /// this call on, the requests of all tabs are searched for typed secrets.
    async fn released(
        &self,
        (frame, field): (&str, Option<u64>),
        name: &SecretName,
        secrets: &SecretResolver,
    ) -> Result<((String, World), Secret), CdpError> {
        let refuse = |why: &str| CdpError::refused(ErrorClass::SecretRefused, why);
        let (page, at) = (
            self.hub.world(&self.page()?).await?,
            self.hub.world(frame).await?,
        );
        let (top, inner) = (self.origin(&page).await?, self.origin(&at).await?);
        let value = secrets
            .resolve(name, &top, &inner)
            .map_err(|error| refuse(&error.to_string()))?;
        self.may_be_sent(&at, field, (name, secrets)).await?;
        self.hub.guard_secret(frame, name, secrets).await?;
        Ok((at, value))
    }

    /// Returns the origin of a document. Fails if this is not the origin of the document's address, as in a sandboxed
    /// document.
    async fn origin(&self, at: &(String, World)) -> Result<Origin, CdpError> {
        let place: Place = self.hub.ask_in(at, "place", json!([])).await?;
        let none = || {
            let why = "the page or the frame has no web address of its own";
            CdpError::refused(ErrorClass::SecretRefused, why)
        };
        // A frame whose content the page wrote has the page's origin and no address of its own, so the origin does not
        // show who wrote the content.
        let origins = Origin::parse(&place.origin)
            .ok()
            .zip(Origin::parse(&place.url).ok());
        origins
            .filter(|(word, address)| word == address)
            .map(|(word, _)| word)
            .ok_or_else(none)
    }

    /// Returns the id of the frame that contains the focused field. Fails unless exactly one field has the focus.
    async fn focused(&self) -> Result<String, CdpError> {
        let frames: Vec<String> = self
            .hub
            .state()
            .tab()
            .map(|tab| tab.frames.keys().cloned().collect())
            .unwrap_or_default();
        let mut found = Vec::new();
        for frame in frames {
            match self.hub.ask::<Focus>(&frame, "focused", json!([])).await {
                Ok(Focus { field: true }) => found.push(frame),
                // A frame that is gone has no focus.
                Ok(_) | Err(CdpError::Moved) => {}
                Err(trouble) => return Err(trouble),
            }
        }
        match found.pop() {
            Some(frame) if found.is_empty() => Ok(frame),
            _ => Err(CdpError::refused(
                ErrorClass::SecretRefused,
                "not exactly one field has the focus",
            )),
        }
    }

    /// Calls a function of our script with a secret's value. The error leaves out the script's words, because they may
    /// quote the value.
    async fn without_words(
        &self,
        at: &(String, World),
        function: &'static str,
        given: Value,
    ) -> Result<(), CdpError> {
        match self.hub.ask_in::<Nothing>(at, function, given).await {
            Ok(Nothing {}) => Ok(()),
            Err(CdpError::Refused(failure)) => Err(CdpError::refused(failure.class, "")),
            Err(CdpError::Moved) => Err(CdpError::refused(
                ErrorClass::SecretRefused,
                "the page moved while the value was typed",
            )),
            Err(trouble) => Err(trouble),
        }
    }
}
