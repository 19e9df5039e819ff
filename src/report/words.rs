//! Puts actions, outcomes and stop reasons into words for a person. This module does no I/O.

use serde_json::Value;

use super::explain::{Credit, Recalled, StatusChange, Why};
use crate::{
    action::{Action, Effect, Outcome},
    base::text::{counted, squeeze, truncate},
    memory::{ReadOnly, StoreNotice, StoreNoticeKind},
    page::TargetIdentity,
    working::{BudgetKind, StopReason},
};

/// Maximum length of the name of an element in the words for an action. Unit: characters. Source: chosen for a terminal
/// 100 characters wide.
const MAX_NAME: usize = 40;
/// Maximum length of a typed text in the words for an action. Unit: characters. Source: chosen.
const MAX_TEXT: usize = 60;
/// Names of the arguments that refer to an element. The words for an action describe the element instead.
const TARGETS: [&str; 3] = ["target", "from", "to"];

/// Returns an action in words, such as `fill textbox "User name" with "demo"`.
pub(crate) fn action(action: &Action, targets: &[TargetIdentity]) -> String {
    let mut words = vec![action.tool_name().replace('_', " ")];
    words.extend(
        targets
            .iter()
            .map(|target| format!("{} {}", target.role, quoted(&target.name, MAX_NAME))),
    );
    let arguments = action.arguments();
    for (name, value) in arguments.as_object().into_iter().flatten() {
        let is_target = TARGETS.contains(&name.as_str());
        match (name.as_str(), value) {
            _ if is_target && !targets.is_empty() => {}
            ("text", Value::String(text)) => words.push(format!("with {}", quoted(text, MAX_TEXT))),
            ("url" | "key", Value::String(text)) => words.push(truncate(&squeeze(text), MAX_TEXT)),
            (_, Value::String(text)) if is_target => words.push(truncate(&squeeze(text), MAX_TEXT)),
            (_, Value::String(text)) => words.push(quoted(text, MAX_TEXT)),
            (_, Value::Array(items)) => {
                let items = items
                    .iter()
                    .filter_map(Value::as_str)
                    .map(|text| quoted(text, MAX_TEXT));
                words.push(items.collect::<Vec<_>>().join(", "));
            }
            (name, Value::Bool(true)) => words.push(format!("({name})")),
            (name, Value::Number(number)) => words.push(format!("{name} {number}")),
            _ => {}
        }
    }
    words.join(" ")
}

pub(crate) fn quoted(text: &str, max: usize) -> String {
    format!("\"{}\"", truncate(&squeeze(text), max))
}

pub(crate) fn outcome(outcome: &Outcome) -> String {
    outcome.as_str().replace('_', " ")
}

/// Returns an effect in words that can follow "an action which".
pub(crate) const fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "only reads",
        Effect::Reversible => "can be undone",
        Effect::Irreversible => "cannot be undone",
    }
}

/// Returns a notice of the store in words that can follow the word "memory".
pub(crate) fn store_notice(notice: &StoreNotice) -> String {
    let shelf = notice
        .shelf
        .as_ref()
        .map(|shelf| format!(" of {shelf}"))
        .unwrap_or_default();
    match &notice.kind {
        StoreNoticeKind::Quarantined { file } => {
            format!("put a broken file{shelf} aside as {file}")
        }
        StoreNoticeKind::Damaged { records } => {
            format!(
                "found the file{shelf} missing or broken, and read {} from its backup or from what is left of it; the next change keeps these alone and puts a broken file aside",
                counted(*records, "record")
            )
        }
        StoreNoticeKind::RestoredFromBackup => {
            format!("restored the backup{shelf}: its last change is gone")
        }
        StoreNoticeKind::Salvaged { records } => {
            format!(
                "saved {} out of a broken file{shelf}",
                counted(*records, "record")
            )
        }
        StoreNoticeKind::StartedEmpty => {
            format!("found nothing that can be read{shelf}, and began it anew")
        }
        StoreNoticeKind::ReadOnly { why } => {
            let why = match why {
                ReadOnly::NewerVersion => "a newer version wrote it",
                ReadOnly::OverCap => "it is too large",
                ReadOnly::QuarantineFull => "too many broken files of it are kept already",
                ReadOnly::QuarantineFailed => "it is broken and cannot be put aside",
            };
            format!("cannot write the file{shelf}, because {why}")
        }
        StoreNoticeKind::ModesTightened { path } => {
            format!("made {path:?} private, which others could read")
        }
        StoreNoticeKind::Compacted { hosts, .. } => {
            format!(
                "made room by forgetting {} not used for long",
                counted(*hosts, "host")
            )
        }
        StoreNoticeKind::OverCaps => {
            format!("is over its caps{shelf}, and nothing more may be forgotten")
        }
    }
}

pub(crate) fn recalled(recalled: &Recalled) -> String {
    match &recalled.why {
        Why::RunStarted => "when the run started, into the system instruction".to_owned(),
        Why::CommandFailed { command, trouble } => {
            format!(
                "after step {}, because {command} ended with {}",
                recalled.step,
                trouble.replace('_', " ")
            )
        }
        Why::HostShown { host } => format!(
            "in step {}, because a page of {host} was shown",
            recalled.step
        ),
    }
}

pub(crate) fn credited(credited: &Credit) -> String {
    let site = credited
        .site
        .as_ref()
        .map(|site| format!(" on {site}"))
        .unwrap_or_default();
    let used = match (credited.used, credited.followed) {
        (true, _) => "it was used",
        (false, true) => "it was used before anything failed",
        (false, false) => "it was shown and not used",
    };
    let shown = match (credited.used, credited.followed) {
        (_, true) => ", after it had been shown",
        (true, false) => ", without having been shown",
        (false, false) => "",
    };
    let end = match (credited.helped, credited.harmed) {
        (true, _) => ", and helped",
        (_, true) => ", in vain",
        _ => "",
    };
    format!("{used}{site}{shown}{end}")
}

pub(crate) fn became(became: &StatusChange) -> &str {
    match became {
        StatusChange::Changed(what) => what,
        StatusChange::Recorded => "new: this run taught it",
        StatusChange::Promoted => "advice for every run",
        StatusChange::Demoted => "no longer advice for every run",
        StatusChange::Retired => "retired: it harmed, and is no longer shown",
    }
}

pub(crate) const fn stop(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Finished => "the goal is reached, and the page shows it",
        StopReason::FinishedUnverified => {
            "the model says that it is done, but the page does not show it"
        }
        StopReason::GaveUp => "the model gave up",
        StopReason::RepeatedAction => "the same actions came again and again",
        StopReason::Stuck => "the page did not change any more",
        StopReason::TooManyErrors => "too many actions in a row failed",
        StopReason::Budget(BudgetKind::Steps) => "all allowed steps were taken",
        StopReason::Budget(BudgetKind::Calls) => "all allowed calls of the model were made",
        StopReason::Budget(BudgetKind::Tokens) => "the allowed tokens are used up",
        StopReason::Budget(BudgetKind::Money) => "the allowed money is spent",
        StopReason::Budget(BudgetKind::Time) => "the allowed time is over",
        StopReason::Rejected => "an action was not approved and the run ended by you",
        StopReason::Cancelled => "it was stopped",
        StopReason::ModelUnusable => "the model could not be used",
        StopReason::BrowserLost => "the browser was lost",
        StopReason::OutOfScope => "the browser stood where this run may not be",
        StopReason::Busy => "another run has the browser, so nothing was begun",
        StopReason::TakenOver => "another process has taken up the run",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        action::{BrowserAction, Click, Fill, Goto, Key, Press, Select, Target},
        page::{ElementRef, Node, Role, Tree},
    };

    fn identity(role: Role, name: &str) -> TargetIdentity {
        let mut builder = Tree::builder();
        builder.leaf(Node::new(role, name).with_ref(ElementRef::parse("e1").unwrap()));
        let tree = builder.finish();
        TargetIdentity::of(&tree, tree.by_ref("e1").unwrap())
    }

    fn words(browser: BrowserAction, targets: &[TargetIdentity]) -> String {
        action(&Action::Browser(browser), targets)
    }

    #[test]
    fn actions_are_told_by_the_names_of_their_targets() {
        let target = || Target::parse("e1").unwrap();
        let field = identity(Role::TextBox, "User name");
        let fill = Fill {
            target: target(),
            text: "<secret:PASSWORD>".into(),
            submit: true,
        };
        assert_eq!(
            words(BrowserAction::Fill(fill), &[field]),
            "fill textbox \"User name\" with \"<secret:PASSWORD>\" (submit)"
        );
        let select = Select {
            target: target(),
            values: vec!["M".into()],
        };
        assert_eq!(
            words(
                BrowserAction::Select(select),
                &[identity(Role::Combobox, "Size")]
            ),
            "select combobox \"Size\" \"M\""
        );
        assert_eq!(
            words(
                BrowserAction::Press(Press {
                    key: Key::parse("Enter").unwrap(),
                    target: None,
                    times: None,
                }),
                &[]
            ),
            "press Enter"
        );
        let goto = Goto {
            url: "http://127.0.0.1/".into(),
        };
        assert_eq!(
            words(BrowserAction::Goto(goto), &[]),
            "goto http://127.0.0.1/"
        );
        // If the element's identity is unknown, the reference is shown, which is better than nothing.
        assert_eq!(
            words(
                BrowserAction::Click(Click {
                    target: target(),
                    button: None
                }),
                &[]
            ),
            "click e1"
        );
    }

    #[test]
    fn long_names_are_cut() {
        let name = identity(Role::Button, &"x".repeat(100));
        let click = Click {
            target: Target::parse("e1").unwrap(),
            button: None,
        };
        assert!(words(BrowserAction::Click(click), &[name]).chars().count() < 60);
    }
}
