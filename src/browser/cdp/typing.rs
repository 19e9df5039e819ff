//! Typing secrets: the last step, and the only place in this driver that sees a value.
//!
//! The origins of page and frame are read in our own script world, where the page cannot lie; only against those does the
//! run's resolver release the value. It is typed by the very world whose origin was read: that of one document, which is gone
//! when the document is. So between the look and the typing nothing can take the document's place.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    driver::{Cdp, Turn},
    known::World,
    observe::Place,
    settle::millis,
    target::Aim,
    trouble::Trouble,
};
use crate::{
    action::{ErrorClass, TextValue},
    base::Origin,
    secret::{Secret, SecretName, SecretResolver},
};

/// What has the focus in a document.
#[derive(Debug, Deserialize)]
struct Focus {
    field: bool,
}

/// An answer without anything in it.
#[derive(Debug, Deserialize)]
pub(super) struct Nothing {}

impl Cdp {
    /// Replaces the text of a field.
    pub(super) async fn fill(
        &self,
        turn: &mut Turn,
        aim: &Aim,
        text: &TextValue,
        secrets: &SecretResolver,
    ) -> Result<(), Trouble> {
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

    /// Waits until an element is shown and enabled, and has what else is needed. Nothing is done to it meanwhile, so that
    /// whoever gives up waiting finds nothing done later.
    pub(super) async fn able(&self, aim: &Aim, mut wanted: Value) -> Result<(), Trouble> {
        wanted["visible"] = json!(true);
        wanted["enabled"] = json!(true);
        wanted["ms"] = json!(millis(self.hub.options.common.action_timeout));
        self.hub
            .ask::<Nothing>(&aim.frame, "able", json!([aim.number, wanted]))
            .await
            .map(drop)
    }

    /// Types a text into the field that has the focus.
    pub(super) async fn type_text(
        &self,
        turn: &mut Turn,
        text: &TextValue,
        secrets: &SecretResolver,
    ) -> Result<(), Trouble> {
        let TextValue::Secret(name) = text else {
            return self.type_keys(turn, &text.to_string()).await;
        };
        let frame = self.focused().await?;
        let (at, value) = self.released((&frame, None), name, secrets).await?;
        turn.sent = true;
        let given = json!([value.expose(), { "secret": true, "name": name }]);
        self.without_words(&at, "typeInto", given).await
    }

    /// The value of a secret, if page and frame are where it is bound to and the field's form goes where it may be sent; and
    /// the document that it may be typed into: that one, and none that takes its place. From then on requests are looked at.
    async fn released(
        &self,
        (frame, field): (&str, Option<u64>),
        name: &SecretName,
        secrets: &SecretResolver,
    ) -> Result<((String, World), Secret), Trouble> {
        let refuse = |why: &str| Trouble::refused(ErrorClass::SecretRefused, why);
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

    /// The origin of a document, by its own word and by its address: a sandboxed one has none, whatever its address is.
    async fn origin(&self, at: &(String, World)) -> Result<Origin, Trouble> {
        let place: Place = self.hub.ask_in(at, "place", json!([])).await?;
        let none = || {
            let why = "the page or the frame has no web address of its own";
            Trouble::refused(ErrorClass::SecretRefused, why)
        };
        // A frame that its page wrote has the page's origin and no address: whose words it holds cannot be told.
        let origins = Origin::parse(&place.origin)
            .ok()
            .zip(Origin::parse(&place.url).ok());
        origins
            .filter(|(word, address)| word == address)
            .map(|(word, _)| word)
            .ok_or_else(none)
    }

    /// The frame that holds the focused field.
    async fn focused(&self) -> Result<String, Trouble> {
        let frames: Vec<String> = self
            .hub
            .known()
            .tab()
            .map(|tab| tab.frames.keys().cloned().collect())
            .unwrap_or_default();
        let mut found = Vec::new();
        for frame in frames {
            match self.hub.ask::<Focus>(&frame, "focused", json!([])).await {
                Ok(Focus { field: true }) => found.push(frame),
                // A frame that is gone has no focus.
                Ok(_) | Err(Trouble::Moved) => {}
                Err(trouble) => return Err(trouble),
            }
        }
        match found.pop() {
            Some(frame) if found.is_empty() => Ok(frame),
            _ => Err(Trouble::refused(
                ErrorClass::SecretRefused,
                "not exactly one field has the focus",
            )),
        }
    }

    /// Asks for something with a value in it; the page's words about it may quote the value and are left out.
    async fn without_words(
        &self,
        at: &(String, World),
        function: &'static str,
        given: Value,
    ) -> Result<(), Trouble> {
        match self.hub.ask_in::<Nothing>(at, function, given).await {
            Ok(Nothing {}) => Ok(()),
            Err(Trouble::Refused(failure)) => Err(Trouble::refused(failure.class, "")),
            Err(Trouble::Moved) => Err(Trouble::refused(
                ErrorClass::SecretRefused,
                "the page moved while the value was typed",
            )),
            Err(trouble) => Err(trouble),
        }
    }
}
