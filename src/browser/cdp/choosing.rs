//! The actions that choose something: ticking boxes, choosing options of lists, and selecting text.

use serde::Deserialize;
use serde_json::json;

use super::{
    act::Performed,
    driver::{Cdp, Turn},
    error::CdpError,
    pointer::Needs,
    typing::Nothing,
};
use crate::{
    action::{ErrorClass, Outcome, Target, TextValue},
    browser::rules::{OPTION_SECRET, Selecting},
};

#[derive(Debug, Deserialize)]
struct Ticked {
    checked: Option<bool>,
    radio: bool,
}

#[derive(Debug, Deserialize)]
struct Selected {
    selecting: Selecting,
}

impl Cdp {
    /// Ticks or unticks a box. Does nothing if the box is in the wanted state already.
    pub(super) async fn tick(
        &self,
        turn: &mut Turn,
        target: &Target,
        wanted: bool,
    ) -> Result<Performed, CdpError> {
        let (aim, told) = self.begin(target).await?;
        let state = || {
            self.hub
                .ask::<Ticked>(&aim.frame, "checkState", json!([aim.number]))
        };
        let before = state().await?;
        if before.checked == Some(wanted) {
            return Ok(told);
        }
        if before.radio && !wanted {
            return Err(CdpError::refused(
                ErrorClass::WrongElement,
                "a radio button is unticked by ticking another",
            ));
        }
        self.press(turn, &aim, None, Needs::CLICK, 1).await?;
        match state().await {
            Ok(after) => Ok(Performed {
                has_no_effect: after.checked != Some(wanted),
                ..told
            }),
            // The tick led to another page, or removed the box.
            Err(CdpError::Moved | CdpError::Refused(_)) => Ok(told),
            Err(trouble) => Err(trouble),
        }
    }

    pub(super) async fn select(
        &self,
        turn: &mut Turn,
        target: &Target,
        values: &[TextValue],
    ) -> Result<Performed, CdpError> {
        if values.iter().any(|value| value.secret().is_some()) {
            return Err(CdpError::refused(ErrorClass::SecretRefused, OPTION_SECRET));
        }
        let (aim, told) = self.begin(target).await?;
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        self.able(&aim, json!({ "options": values })).await?;
        turn.sent = true;
        self.hub
            .ask::<Nothing>(&aim.frame, "select", json!([aim.number, values]))
            .await
            .map(|_| told)
    }

    /// Selects `words` in the text of an element. If `words` is `None`, selects the whole text.
    pub(super) async fn select_text(
        &self,
        turn: &mut Turn,
        target: &Target,
        words: Option<&str>,
    ) -> Result<Performed, CdpError> {
        let (aim, told) = self.begin(target).await?;
        self.able(&aim, json!({})).await?;
        turn.sent = true;
        let given = json!([aim.number, words]);
        let Selected { selecting } = self.hub.ask(&aim.frame, "selectText", given).await?;
        match selecting.into() {
            Outcome::Failed(failure) => Err(CdpError::Refused(failure)),
            _ => Ok(told),
        }
    }
}
