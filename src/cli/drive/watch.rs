//! Prints the steps of a run as they happen.

use super::model::with_flags;
use crate::{
    cli::say::Voice,
    event::{Callback, Event},
    report::lines::{self, Line},
};

/// Width of the column that shows a step's action. Unit: characters. Source: chosen for a terminal that is 100 characters
/// wide.
const WIDTH: usize = 70;

/// Returns an event sink that prints the events of a run as lines to `voice`.
///
/// # Loss policy
/// Loses no event. After the output is closed, nobody receives the lines.
pub(super) fn watch(voice: Voice) -> Callback {
    Callback::new(move |event| lines(event).iter().for_each(|line| voice.line(line)))
}

/// Returns the lines that are printed for an event; none for an event that a person need not see.
fn lines(event: &Event) -> Vec<String> {
    let step = event.step;
    let printed = |line: Line| {
        let Line { text, outcome, .. } = line;
        match (line.label, line.elapsed_ms) {
            (Some(label), _) => format!("     {label}: {text}"),
            (None, Some(ms)) => format!("{step:>3}  {text:<WIDTH$} {outcome:<12} {ms:>6} ms"),
            (None, None) => format!("{step:>3}  {text:<WIDTH$} {outcome}"),
        }
    };
    let lines = lines::lines(event).into_iter().map(printed);
    lines.map(|line| with_flags(&line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ErrorKind, Host, RunId,
        action::{Action, BrowserAction, ErrorClass, Goto, Outcome},
        event::EventKind,
        llm::GenAi,
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
    fn a_server_that_is_not_running_is_told_with_the_flag() {
        let error = format!("llm.complete: unavailable (help: {})", GenAi::NOT_RUNNING);
        let kind = ErrorKind::Unavailable;
        let said = printed(EventKind::ModelFailed { kind, error }).concat();
        assert!(
            said.contains("by WEBWISE_LLM_BASE_URL or --base-url)"),
            "{said}"
        );
    }

    #[test]
    fn what_is_no_longer_shown_to_runs_is_told() {
        let kind = EventKind::MemoryChanged {
            item: AdviceId {
                shelf: Shelf::global(&Namespace::default(), "ways"),
                key: "k".to_owned(),
            },
            what: "way_retired".to_owned(),
            text: "Send the form".to_owned(),
            data: serde_json::Value::Null,
        };
        assert_eq!(
            printed(kind),
            ["     forgot: what harmed, \"Send the form\""]
        );
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
