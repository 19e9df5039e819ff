//! The steps of a run as they happen, line by line: the action, its outcome, and the words of memory and guards.

use super::words::{self, quoted};
use crate::{
    action::Outcome,
    cli::say::Voice,
    event::{Callback, Event, EventKind},
    memory::Scope,
    page::Notice,
};

/// Width of the words of an action. Unit: characters. Source: chosen for a terminal of 100.
const WIDTH: usize = 70;
/// Longest text of a page or of memory in a line. Unit: characters. Source: chosen.
const MAX_TEXT: usize = 140;

/// A sink that prints events.
///
/// # Loss policy
/// Loses nothing; lines after the output was closed reach nobody.
pub(super) fn watch(voice: Voice) -> Callback {
    Callback::new(move |event| lines(event).iter().for_each(|line| voice.line(line)))
}

/// The lines for an event.
fn lines(event: &Event) -> Vec<String> {
    let step = event.step;
    match &event.kind {
        EventKind::Tier1Loaded { lessons, .. }
        | EventKind::DomainRecall { lessons, .. }
        | EventKind::ErrorRecall { lessons, .. } => lessons
            .iter()
            .map(|lesson| aside("memory", &quoted(lesson, MAX_TEXT)))
            .collect(),
        // A lesson for all sites is not shown until a second site confirms it.
        EventKind::LessonRecorded { lesson, item, .. } if item.shelf.scope != Scope::Global => {
            vec![aside("learned", &quoted(lesson, MAX_TEXT))]
        }
        EventKind::LessonPromoted { lesson, .. } => {
            vec![aside(
                "learned",
                &format!("for every run from now on, {}", quoted(lesson, MAX_TEXT)),
            )]
        }
        EventKind::LessonDemoted { lesson, .. } => {
            vec![aside(
                "memory",
                &format!("no longer for every run, {}", quoted(lesson, MAX_TEXT)),
            )]
        }
        EventKind::LessonRetired { lesson, .. } => {
            vec![aside(
                "forgot",
                &format!("what harmed, {}", quoted(lesson, MAX_TEXT)),
            )]
        }
        EventKind::LessonCredited {
            item,
            helped,
            followed: true,
            ..
        } => {
            let end = if *helped { "and it helped" } else { "in vain" };
            vec![aside(
                "memory",
                &format!("{} was followed, {end}", item.key),
            )]
        }
        EventKind::ActionExecuted {
            action,
            targets,
            outcome,
            elapsed_ms,
            ..
        } => {
            let mut lines = vec![done(
                step,
                &words::action(action, targets),
                &words::outcome(outcome),
                *elapsed_ms,
            )];
            if let Outcome::Failed(failure) | Outcome::Unclear(failure) = outcome
                && !failure.detail.is_empty()
            {
                lines.push(aside("because", &quoted(&failure.detail, MAX_TEXT)));
            }
            lines
        }
        EventKind::FinishChecked {
            evidence,
            verified,
            unverified,
            ..
        } => {
            let (words, outcome) = match (evidence.is_empty(), verified) {
                (true, _) => ("finish, without evidence".to_owned(), ""),
                (false, true) => (
                    format!("finish, the page says {}", quoted(evidence, MAX_TEXT)),
                    "it does",
                ),
                (false, false) => (
                    format!("finish, the page says {}", quoted(evidence, MAX_TEXT)),
                    "it does not",
                ),
            };
            let mut lines = vec![format!("{step:>3}  {words:<WIDTH$} {outcome}")];
            let claims = unverified.iter();
            lines.extend(claims.map(|claim| aside("unverified", &quoted(claim, MAX_TEXT))));
            lines
        }
        EventKind::ApprovalDecided {
            action,
            effect,
            approved,
            why,
        } => {
            let next = format!(
                "the next {}, which {}",
                action.tool_name(),
                words::effect(*effect)
            );
            vec![if *approved {
                aside("approved", &next)
            } else {
                aside("refused", &format!("{next}: {why}"))
            }]
        }
        EventKind::Extracted { name, text } => vec![aside(
            "read",
            &format!("{name} = {}", quoted(text, MAX_TEXT)),
        )],
        EventKind::CallRefused { problem } => {
            let tool = problem.tool.as_deref().unwrap_or("a call");
            vec![aside(
                "warning",
                &format!(
                    "{tool} is not a call that can run: {}",
                    problem.failure.detail
                ),
            )]
        }
        EventKind::CallsDropped { count, why } => {
            vec![aside("dropped", &format!("{count} further calls: {why}"))]
        }
        EventKind::Warned { guard, text } => vec![aside("warning", &format!("{guard}: {text}"))],
        EventKind::Noticed { notice } => vec![aside("noticed", &noticed(notice))],
        EventKind::HumanAsked { question, answer } => {
            let answer = answer
                .as_deref()
                .map_or_else(|| "nobody".to_owned(), |answer| quoted(answer, MAX_TEXT));
            vec![aside(
                "asked",
                &format!("{} answered: {answer}", quoted(question, MAX_TEXT)),
            )]
        }
        EventKind::FactProposed { key, value } => {
            vec![aside(
                "fact",
                &format!("{} = {}", quoted(key, MAX_TEXT), quoted(value, MAX_TEXT)),
            )]
        }
        EventKind::ModelFailed { error, .. } => {
            vec![aside("warning", &format!("the model failed: {error}"))]
        }
        EventKind::RecordingFailed { error } => {
            vec![aside(
                "warning",
                &format!("the run folder is not complete, the run goes on: {error}"),
            )]
        }
        EventKind::StoreNoticed { notice } => {
            vec![aside(
                "warning",
                &format!("memory {}", words::store_notice(notice)),
            )]
        }
        EventKind::MemoryFailed { operation, error } => {
            vec![aside(
                "warning",
                &format!("memory failed in {operation}, the run goes on without it: {error}"),
            )]
        }
        _ => Vec::new(),
    }
}

fn done(step: u32, words: &str, outcome: &str, elapsed_ms: u64) -> String {
    format!("{step:>3}  {words:<WIDTH$} {outcome:<12} {elapsed_ms:>6} ms")
}

fn aside(word: &str, text: &str) -> String {
    format!("     {word}: {text}")
}

fn noticed(notice: &Notice) -> String {
    match notice {
        Notice::TabOpened { url } => {
            format!("the page opened a tab with {}", quoted(url, MAX_TEXT))
        }
        Notice::DialogBehind { tab } => {
            format!("a dialog opened in tab {tab}, which is not the current one")
        }
        Notice::Download {
            suggested_name,
            kept,
        } => {
            let what = if *kept { "kept" } else { "refused" };
            format!(
                "the page offered the file {}, which was {what}",
                quoted(suggested_name, MAX_TEXT)
            )
        }
        Notice::TransportChanged { from, to, why } => {
            format!("the browser is reached by {to}, not by {from}: {why}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Host, RunId,
        action::{Action, BrowserAction, ErrorClass, Goto},
        memory::{AdviceId, Namespace, Shelf},
    };

    fn printed(kind: EventKind) -> Vec<String> {
        let at = "2026-01-02T03:04:05Z".parse().unwrap();
        lines(&Event::new(kind, RunId::parse("run_1").unwrap(), 7, at))
    }

    #[test]
    fn a_step_is_one_line_and_its_failure_says_why() {
        let executed = |outcome| EventKind::ActionExecuted {
            action: Action::Browser(BrowserAction::Goto(Goto {
                url: "http://a.example/".into(),
            })),
            targets: Vec::new(),
            outcome,
            url_before: String::new(),
            url_after: String::new(),
            changed: Vec::new(),
            elapsed_ms: 41,
        };
        let fine = printed(executed(Outcome::Done));
        assert_eq!(fine.len(), 1);
        assert!(
            fine[0].starts_with("  7  goto http://a.example/ ")
                && fine[0].ends_with("done             41 ms"),
            "{fine:?}"
        );
        let failed = printed(executed(Outcome::failed(ErrorClass::Timeout, "no answer")));
        assert_eq!(failed[1], "     because: \"no answer\"");
    }

    #[test]
    fn what_memory_offers_is_shown_and_silence_is_not() {
        let told = |lessons: Vec<String>| EventKind::Tier1Loaded {
            count: lessons.len(),
            lessons,
            items: Vec::new(),
            elapsed_ms: 0,
        };
        assert_eq!(
            printed(told(vec!["press Enter".to_owned()])),
            ["     memory: \"press Enter\""]
        );
        assert!(printed(told(Vec::new())).is_empty());
    }

    #[test]
    fn what_a_run_learned_for_its_host_is_told_and_what_waits_for_a_second_site_is_not() {
        let recorded = |shelf| EventKind::LessonRecorded {
            lesson: "click \"Accept all\" first".to_owned(),
            category: "site_specific".to_owned(),
            failed_command: None,
            error_pattern: None,
            item: AdviceId {
                shelf,
                key: "k".to_owned(),
            },
        };
        let (namespace, host) = (
            Namespace::default(),
            Host::of_domain("shop.example").unwrap(),
        );
        let said = printed(recorded(Shelf::host(&namespace, "lessons", &host)));
        assert_eq!(said, ["     learned: \"click \"Accept all\" first\""]);
        assert!(printed(recorded(Shelf::global(&namespace, "lessons"))).is_empty());
    }
}
