//! The actions that choose something: ticking boxes, choosing options of lists, and selecting text.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::{
    act::{LOOK_EVERY, Performed},
    driver::{Cdp, Turn},
    error::CdpError,
    pointer::Needs,
    target::Aim,
    typing::Nothing,
};
use crate::{
    action::{ErrorClass, Key, Outcome, Target, TextValue},
    base::text::squeeze,
    browser::rules::{OPTION_SECRET, Selecting},
};

/// Maximum number of options that a failure lists, as for a native list.
const MAX_OPTIONS: usize = 20;

/// Time within which a list closes once one of its options was chosen. Animations take about 300 ms.
const CLOSING: Duration = Duration::from_millis(600);

#[derive(Debug, Deserialize)]
struct Ticked {
    checked: Option<bool>,
    radio: bool,
    stated: bool,
}

/// The options that a list made of other elements than `select` shows.
#[derive(Debug, Deserialize)]
struct Choices {
    /// True if the target is the list itself, not an element that opens it.
    is_list: bool,
    /// The number of the element that is pressed to open the list.
    opener: u64,
    /// The numbers of all lists of options that are visible on the page.
    lists: Vec<u64>,
    is_multiple: bool,
    options: Vec<Choice>,
}

#[derive(Debug, Deserialize)]
struct Choice {
    number: u64,
    name: String,
    is_selected: bool,
}

impl Choices {
    fn names(&self) -> Vec<&str> {
        self.options.iter().map(|option| &*option.name).collect()
    }

    /// Returns the reason why none of these options is chosen.
    fn listing(&self) -> String {
        let names = self.names();
        if names.is_empty() {
            return "no options were shown when it was pressed".to_owned();
        }
        let first = names[..names.len().min(MAX_OPTIONS)].join(", ");
        format!("the options are: {first}")
    }
}

/// Returns the index of the option with this name, else that of the only option whose name begins with it.
fn fitting(names: &[&str], wanted: &str) -> Option<usize> {
    let wanted = squeeze(wanted);
    let exact = names.iter().position(|name| *name == wanted);
    let mut begun = (0..names.len()).filter(|at| names[*at].starts_with(&wanted));
    exact.or_else(|| {
        begun
            .next()
            .filter(|_| !wanted.is_empty() && begun.next().is_none())
    })
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
        if before.stated && before.checked == Some(wanted) {
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
                // Without a state, what the page shows decides.
                has_no_effect: after.stated && after.checked != Some(wanted),
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
        match self.able(&aim, json!({ "options": values })).await {
            Err(CdpError::Refused(refusal)) if refusal.class == ErrorClass::WrongElement => {
                let chosen = self.choose(turn, &aim, &values).await;
                return chosen.map(|()| told);
            }
            other => other?,
        }
        turn.sent = true;
        self.hub
            .ask::<Nothing>(&aim.frame, "select", json!([aim.number, values]))
            .await
            .map(|_| told)
    }

    /// Chooses options of a list that the page made of other elements than `select`: opens it, presses each option that is not
    /// chosen yet, and closes it again. Options that are chosen already stay so in a list for several.
    async fn choose(&self, turn: &mut Turn, aim: &Aim, values: &[String]) -> Result<(), CdpError> {
        let before = self.choices(aim, &[]).await?.lists;
        let mut chosen = Ok(());
        for value in values {
            chosen = self.choose_one(turn, aim, value, &before).await;
            if chosen.is_err() {
                break;
            }
        }
        // A list for several options stays open, and covers a part of the page.
        if self.stays_open(aim, &before).await
            && let Ok(escape) = Key::parse("Escape")
        {
            self.press_key(turn, &escape).await?;
        }
        chosen
    }

    /// Returns true if the list of an element is still open after the time that lists take to close. Escape would do something else
    /// on a page whose list is closed.
    async fn stays_open(&self, aim: &Aim, before: &[u64]) -> bool {
        let deadline = Instant::now() + CLOSING;
        loop {
            let shown = self.choices(aim, before).await;
            let is_open = shown.is_ok_and(|shown| !shown.is_list && !shown.options.is_empty());
            if !is_open || Instant::now() + LOOK_EVERY > deadline {
                return is_open;
            }
            sleep(LOOK_EVERY).await;
        }
    }

    async fn choose_one(
        &self,
        turn: &mut Turn,
        aim: &Aim,
        value: &str,
        before: &[u64],
    ) -> Result<(), CdpError> {
        let deadline = Instant::now() + self.hub.options.common.action_timeout;
        let mut shown = self.choices(aim, before).await?;
        if shown.options.is_empty() && !shown.is_list {
            let number = shown.opener;
            let opener = Aim {
                number,
                ..aim.clone()
            };
            self.press(turn, &opener, None, Needs::CLICK, 1).await?;
        }
        let option = loop {
            if let Some(at) = fitting(&shown.names(), value) {
                break &shown.options[at];
            }
            if Instant::now() + LOOK_EVERY > deadline {
                return Err(CdpError::refused(
                    ErrorClass::NoSuchOption,
                    &shown.listing(),
                ));
            }
            sleep(LOOK_EVERY).await;
            shown = self.choices(aim, before).await?;
        };
        if shown.is_multiple && option.is_selected {
            return Ok(());
        }
        let option = Aim {
            number: option.number,
            ..aim.clone()
        };
        self.press(turn, &option, None, Needs::CLICK, 1).await
    }

    async fn choices(&self, aim: &Aim, known: &[u64]) -> Result<Choices, CdpError> {
        let asked = json!([aim.number, known]);
        self.hub.ask(&aim.frame, "choicesOf", asked).await
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_meant_by_its_name_or_by_a_beginning_that_no_other_has() {
        let names = ["Red", "Red wine", "Rosé (dry)", "White"];
        for (wanted, at) in [
            ("Red", Some(0)),
            (" Red  wine ", Some(1)),
            ("Ros", Some(2)),
            ("R", None),
            ("white", None),
            ("", None),
        ] {
            assert_eq!(fitting(&names, wanted), at, "{wanted}");
        }
    }
}
