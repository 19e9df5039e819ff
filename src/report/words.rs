//! Puts outcomes, stop reasons and notices into words for a person. This module does no I/O.

use super::explain::{Credit, Recalled, StatusChange, Why};
use crate::{
    action::{Effect, Outcome},
    base::text::{counted, squeeze, truncate},
    memory::{ReadOnly, StoreNotice, StoreNoticeKind},
    working::{BudgetKind, StopReason},
};

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

/// Returns step numbers in words, such as `step 3` or `steps 1 to 4, 7`.
pub(crate) fn steps(all: &[u32]) -> String {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for step in all {
        match parts.last_mut() {
            Some((_, last)) if *last == *step || last.checked_add(1) == Some(*step) => {
                *last = *step;
            }
            _ => parts.push((*step, *step)),
        }
    }
    let part = |(first, last): &(u32, u32)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first} to {last}")
        }
    };
    let word = if all.len() == 1 { "step" } else { "steps" };
    format!(
        "{word} {}",
        parts.iter().map(part).collect::<Vec<_>>().join(", ")
    )
}

pub(crate) fn recalled(recalled: &Recalled) -> String {
    match &recalled.why {
        Why::RunStarted => "when the run started".to_owned(),
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
        StopReason::Rejected => "the person who was asked refused an action and ended the run",
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

    #[test]
    fn steps_in_a_row_are_told_as_one() {
        assert_eq!(steps(&[3]), "step 3");
        assert_eq!(steps(&[1, 2, 3, 7, 9, 10]), "steps 1 to 3, 7, 9 to 10");
    }
}
