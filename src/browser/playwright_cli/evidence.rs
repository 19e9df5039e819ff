//! Evidence, in the tool's reply, that an action was carried out.
//!
//! An action counts as done if the reply shows the action's code. The tool prints this code if the action succeeded,
//! but also if a dialog opened before the action ended.

use super::{
    driver::{Scripted, malformed},
    failure::{self, Verdict},
    locator,
    reply::Reply,
};
use crate::{
    action::{ErrorClass, Outcome},
    base::Result,
    browser::{Execution, rules::UNFOCUSED},
};

pub(super) fn failed(error: &str) -> Execution {
    match failure::classify(error) {
        Verdict::NoEffect => Outcome::NoEffect.into(),
        Verdict::Failed(class) => failure::outcome(class, error).into(),
        // The error was caught in a script of this driver, because for every other error `send` has already failed with
        // `BrowserLost`. The page may have written it.
        Verdict::Lost => failure::outcome(ErrorClass::Other, error).into(),
    }
}

pub(super) fn told(reply: Reply, outcome: Outcome) -> Execution {
    let locator = reply.code.as_deref().and_then(locator::parse);
    Execution {
        page: reply.page.map(|page| (page.url, page.title)),
        locator,
        dialog: reply.dialog,
        ..outcome.into()
    }
}

/// Returns the result of an action from its reply. The action failed or had no effect if the reply reports an error,
/// and was done if the reply's code contains `evidence`. Any other reply is an error.
pub(super) fn execution(reply: Reply, evidence: &str) -> Result<Execution> {
    if let Some(error) = &reply.error {
        let outcome = failed(error).outcome;
        return Ok(Execution {
            locator: None,
            ..told(reply, outcome)
        });
    }
    match &reply.code {
        Some(code) if code.contains(evidence) => Ok(told(reply, Outcome::Done)),
        _ => Err(malformed("no trace of the command in the reply")),
    }
}

pub(super) fn of_script(answer: Scripted) -> Execution {
    match answer {
        Scripted::Returned(returned) if returned.done => Outcome::Done.into(),
        Scripted::Returned(returned) if returned.selecting.is_some() => {
            returned.selecting.map_or(Outcome::Done, Into::into).into()
        }
        Scripted::Returned(returned) if returned.unfocused => {
            Outcome::failed(ErrorClass::WrongElement, UNFOCUSED).into()
        }
        Scripted::Returned(returned) if returned.size.is_some() => {
            let (width, height) = returned.size.unwrap_or_default();
            let why = format!("the element is {width} by {height} pixels");
            Outcome::failed(ErrorClass::BadArguments, &why).into()
        }
        Scripted::Returned(returned) => failed(&returned.error.unwrap_or_default()),
        Scripted::Refused(error) => failed(&error),
        Scripted::Interrupted(dialog) => Scripted::done_under(dialog),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::reply::tests::recorded, *};
    use crate::base::ErrorKind;

    #[test]
    fn only_the_code_that_ran_is_evidence() {
        let done = execution(recorded("fill"), ".fill(").unwrap();
        assert!(done.outcome.is_done());
        assert_eq!(
            done.locator.unwrap().to_string(),
            r#"role=textbox[name="User name"]"#
        );
        for (name, evidence) in [
            ("process-fill-help", ".fill("),
            ("snapshot", ".click("),
            ("fill", ".click("),
        ] {
            assert_eq!(
                execution(recorded(name), evidence).unwrap_err().kind(),
                ErrorKind::MalformedReply,
                "{name}"
            );
        }
        assert!(execution(Reply::parse(""), ".click(").is_err());
    }

    #[test]
    fn a_click_that_opens_a_dialog_is_done_and_tells_of_it() {
        let execution = execution(recorded("modal-confirm"), ".click(").unwrap();
        assert!(execution.outcome.is_done());
        assert_eq!(execution.dialog.unwrap().message, "Sure?");
    }

    #[test]
    fn a_checkbox_that_refuses_has_no_effect() {
        let execution = execution(recorded("error-check-refused"), ".check(").unwrap();
        assert_eq!(execution.outcome, Outcome::NoEffect);
    }
}
