//! The calls since the last message to the model, each with its result: those of the model's reply, and the steps that
//! were taken from memory.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::{
    action::{BrowserTool, Outcome},
    page::MORE_CHANGES,
};

/// Maximum number of lines that report the calls since the last message to the model. Source: chosen; a reply has up to
/// 8 calls by default, and the prompt shows the page itself after these lines.
const MAX_LINES: usize = 16;

/// A call that was carried out, or that was tried and failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CallMade {
    pub(crate) step: u32,
    pub(crate) tool: String,
    pub(crate) outcome: Outcome,
    pub(crate) changed: Vec<String>,
    /// True if another page is shown after the action.
    pub(crate) went_on: bool,
}

/// The words for an action after which another page is shown.
pub(crate) const ANOTHER_PAGE: &str = "another page is shown";

/// The tools that put something into a form.
const FILLS: [BrowserTool; 4] = [
    BrowserTool::Fill,
    BrowserTool::Select,
    BrowserTool::Check,
    BrowserTool::Uncheck,
];

impl CallMade {
    fn fills(&self) -> bool {
        let is_it = |tool: &BrowserTool| tool.as_str() == self.tool;
        FILLS.iter().any(is_it) && !self.changed.is_empty() && !self.went_on
    }

    /// Returns true if the page that the call led to shows a message, as about what was saved.
    fn announces(&self) -> bool {
        self.went_on && self.changed.len() > 1
    }

    fn came_of_it(&self, max: usize) -> String {
        match &self.outcome {
            Outcome::NoEffect => "no effect".to_owned(),
            Outcome::Unclear(_) => "it is not known whether it worked".to_owned(),
            Outcome::Failed(failure) => format!("failed, {}", failure.class),
            Outcome::Done if self.changed.is_empty() && self.went_on => ANOTHER_PAGE.to_owned(),
            Outcome::Done if self.changed.is_empty() => "done".to_owned(),
            Outcome::Done => {
                let more = self.changed.len().saturating_sub(max);
                let mut told = self.changed[..self.changed.len() - more].join("; ");
                // The last line may itself stand for several changes.
                let last = self.changed.last().filter(|_| more > 0);
                let others =
                    last.and_then(|line| line.strip_prefix("and ")?.strip_suffix(MORE_CHANGES));
                let others: usize = others.and_then(|count| count.parse().ok()).unwrap_or(1);
                if more > 0 {
                    let _ = write!(told, "; and {} more", more - 1 + others);
                }
                told
            }
        }
    }
}

/// Returns lines that report these calls, in order. Each line has the changes or the outcome of a call. The
/// changes are text of the page. If there are too many calls, the earliest have no lines of their own, and the first
/// line says how many these are.
///
/// A call that was done gets no line if another address was opened after it, because its changes are those of a page
/// that is gone. But what was put into a form is told, because it was sent. The call that `told` describes by its tool and its outcome gets no line either, because the prompt
/// reports it in another section. For a single call, returns only the changes, one in each line.
pub(crate) fn changes(calls: &[CallMade], told: Option<(&str, &Outcome)>) -> Vec<String> {
    if let [only] = calls {
        return only.changed.clone();
    }
    let opened = calls.iter().rposition(|call| call.went_on).unwrap_or(0);
    let is_told = |call: &CallMade| told == Some((&*call.tool, &call.outcome));
    let told = calls.iter().rposition(is_told);
    let is_shown = |(nth, call): &(usize, &CallMade)| {
        Some(*nth) != told
            && (*nth >= opened || !call.outcome.is_done() || call.fills() || call.announces())
    };
    let calls = calls.iter().enumerate().filter(is_shown);
    let calls: Vec<&CallMade> = calls.map(|(_, call)| call).collect();
    let skipped = (calls.len() + 1).saturating_sub(MAX_LINES);
    let skipped = if skipped > 1 { skipped } else { 0 };
    let each = MAX_LINES / calls.len().clamp(1, MAX_LINES);
    let first = (skipped > 0).then(|| format!("({skipped} earlier calls)"));
    let line =
        |call: &&CallMade| format!("{}. {}: {}", call.step, call.tool, call.came_of_it(each));
    let rest = calls.iter().skip(skipped).map(line);
    first.into_iter().chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::ErrorClass;

    fn made(step: u32, outcome: Outcome, changed: &[&str], went_on: bool) -> CallMade {
        CallMade {
            step,
            tool: "press".to_owned(),
            outcome,
            changed: changed.iter().map(|line| (*line).to_owned()).collect(),
            went_on,
        }
    }

    #[test]
    fn every_call_of_a_reply_is_told_with_what_came_of_it() {
        let calls = [
            made(4, Outcome::Done, &["~ 1", "+ 2"], false),
            made(5, Outcome::Done, &[], true),
            made(6, Outcome::Done, &[], false),
            made(7, Outcome::NoEffect, &["~ ignored"], false),
            made(8, Outcome::failed(ErrorClass::NotFound, "why"), &[], false),
        ];
        let expected = [
            "5. press: another page is shown",
            "6. press: done",
            "7. press: no effect",
            "8. press: failed, not_found",
        ];
        assert_eq!(changes(&calls, None), expected);
        // The message reports the last failure elsewhere, but not a failure before it.
        let told = Some(("press", &calls[4].outcome));
        assert_eq!(changes(&calls, told), expected[..3]);
        let told = Some(("read", &calls[4].outcome));
        assert_eq!(changes(&calls, told), expected);
        let earlier = [calls[4].clone(), calls[1].clone()];
        assert_eq!(
            changes(&earlier, None),
            [expected[3], expected[0]],
            "what was not done is told, although its page is gone"
        );
    }

    #[test]
    fn one_call_is_told_by_its_changes_and_many_are_bounded() {
        assert_eq!(
            changes(&[made(1, Outcome::Done, &["~ 1"], false)], None),
            ["~ 1"]
        );
        assert!(changes(&[made(1, Outcome::NoEffect, &[], false)], None).is_empty());
        assert!(changes(&[], None).is_empty());
        let many: Vec<CallMade> = (1..=40)
            .map(|step| made(step, Outcome::Done, &["~ 1", "~ 2", "~ 3"], false))
            .collect();
        for count in 2..many.len() {
            let lines = changes(&many[..count], None);
            assert!(lines.len() <= MAX_LINES, "{count}");
            assert!(lines.last().unwrap().starts_with(&format!("{count}. ")));
        }
        let six = changes(&many[..6], None);
        assert!(six[0].ends_with("~ 1; ~ 2; and 1 more"), "{six:?}");
        assert_eq!(changes(&many[..17], None)[0], "(2 earlier calls)");
        let whole = ["~ 1", "~ 2", "and 30 more changes"];
        let both: Vec<CallMade> = (1..=6)
            .map(|step| made(step, Outcome::Done, &whole, false))
            .collect();
        let lines = changes(&both, None);
        assert!(lines[0].ends_with("~ 1; ~ 2; and 30 more"), "{lines:?}");
    }

    #[test]
    fn what_was_put_into_a_form_is_told_although_another_page_is_shown() {
        let fill = |step, changed: &str| CallMade {
            tool: "fill".to_owned(),
            ..made(step, Outcome::Done, &[changed], false)
        };
        let calls = [
            fill(1, "~ spinbutton \"Stock\": value \"\" -> \"12.50\""),
            made(2, Outcome::Done, &["+ \"draft\""], false),
            made(3, Outcome::Done, &[], true),
        ];
        let expected = [
            "1. fill: ~ spinbutton \"Stock\": value \"\" -> \"12.50\"",
            "3. press: another page is shown",
        ];
        assert_eq!(changes(&calls, None), expected);
    }
}
