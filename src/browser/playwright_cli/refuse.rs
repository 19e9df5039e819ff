//! Checks before an action is sent. They refuse texts that not every transport can carry, actions on a page of another
//! origin, filling of read-only fields, and forms that would send a secret to a wrong address.

use serde_json::Value;

use super::{
    driver::{PlaywrightCli, Scripted, State},
    scripts,
    transport::{Command, MAX_ARGUMENT},
};
use crate::{
    action::{BrowserAction, ErrorClass, Outcome},
    base::Result,
    browser::{
        ExecuteRequest,
        rules::{MOVED, is_same_origin, meets_any_page},
    },
    page::ElementRef,
};

impl PlaywrightCli {
    pub(super) async fn refused(
        &self,
        state: &mut State,
        request: &ExecuteRequest,
    ) -> Result<Option<Outcome>> {
        if let Some(why) = unsendable(&request.action) {
            return Ok(Some(Outcome::failed(ErrorClass::BadArguments, why)));
        }
        if self.has_moved(state, request).await? {
            return Ok(Some(Outcome::failed(ErrorClass::Detached, MOVED)));
        }
        if self.is_readonly(state, request).await? {
            let why = "the field is read only";
            return Ok(Some(Outcome::failed(ErrorClass::NotEditable, why)));
        }
        self.misdirected(state, request).await
    }

    /// Returns true for a `fill` action on a field that was observed as read-only and still is. The tool would wait
    /// until the time limit for the field to become editable.
    async fn is_readonly(&self, state: &mut State, request: &ExecuteRequest) -> Result<bool> {
        let BrowserAction::Fill(fill) = &request.action else {
            return Ok(false);
        };
        let reference = fill.target.as_ref().map(ElementRef::as_str);
        if !reference.is_some_and(|reference| state.readonly.contains(reference)) {
            return Ok(false);
        }
        let question = scripts::takes_text(&fill.target, u64::from(scripts::LATE_MS));
        let answer = self.script(state, question, request.timeout).await?;
        Ok(
            matches!(answer, Scripted::Returned(returned) if !returned.done && returned.error.is_none()),
        )
    }

    /// Returns true if the page's origin is not the one for which the action was decided. Ignores actions for which
    /// [`meets_any_page`] returns false, such as a click on a reference, which is invalid on another page.
    async fn has_moved(&self, state: &mut State, request: &ExecuteRequest) -> Result<bool> {
        let Some(seen) = request
            .page
            .as_deref()
            .filter(|_| meets_any_page(&request.action))
        else {
            return Ok(false);
        };
        let tabs = self
            .tabs(state, Command::read("tab-list"), request.timeout)
            .await?;
        let listed = tabs
            .ok()
            .and_then(|tabs| tabs.into_iter().find(|tab| tab.current))
            .map(|tab| tab.url);
        let now = match listed {
            Some(url) if !url.is_empty() => url,
            // The list of tabs gives no address if the title of the tab makes its line ambiguous.
            _ => match self
                .script(state, scripts::address(), request.timeout)
                .await?
            {
                Scripted::Returned(returned) => returned.top,
                // A dialog covers the page, so only the answer to a dialog could act on the wrong page.
                Scripted::Refused(_) | Scripted::Interrupted(_) => {
                    return Ok(matches!(request.action, BrowserAction::DialogAccept(_)));
                }
            },
        };
        Ok(!is_same_origin(seen, &now))
    }
}

/// Returns the reason why a transport cannot send the texts of an action; `None` if every transport can. An argument of
/// a process must not contain a NUL and has a maximum length.
fn unsendable(action: &BrowserAction) -> Option<&'static str> {
    let by_script = matches!(
        action,
        BrowserAction::Fill(_)
            | BrowserAction::Type(_)
            | BrowserAction::Select(_)
            | BrowserAction::RunCode(_)
    );
    unsendable_text(
        &action.arguments(),
        if by_script { usize::MAX } else { MAX_ARGUMENT },
    )
}

fn unsendable_text(value: &Value, limit: usize) -> Option<&'static str> {
    match value {
        Value::String(text) if text.contains('\0') => Some("a text holds a NUL character"),
        Value::String(text) if text.len() > limit => Some("a text is too long"),
        Value::Array(items) => items.iter().find_map(|item| unsendable_text(item, limit)),
        Value::Object(fields) => fields
            .values()
            .find_map(|field| unsendable_text(field, limit)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Type;

    #[test]
    fn texts_that_no_argument_can_hold_are_refused() {
        let text = |text: &str| {
            BrowserAction::Type(Type {
                text: text.into(),
                submit: false,
            })
        };
        assert!(unsendable(&text("a\0")).is_some());
        assert!(unsendable(&text(&"x".repeat(MAX_ARGUMENT + 1))).is_none());
        let goto = |url: String| BrowserAction::Goto(crate::action::Goto { url });
        assert!(unsendable(&goto("x".repeat(MAX_ARGUMENT + 1))).is_some());
        assert!(unsendable(&goto("x".repeat(MAX_ARGUMENT))).is_none());
    }
}
