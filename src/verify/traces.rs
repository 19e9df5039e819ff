//! Judges whether a page's traces (reactions outside the page tree) are due to an action. This module does no I/O.

use crate::page::{Trace, TraceKind};

/// Returns true if one of these traces answers the action.
///
/// A trace from the time when the page handled the action's own events counts wherever it is. A later trace counts only
/// in or beside the target. A trace that goes on by itself, like a clock, never counts.
pub(crate) fn answers(traces: &[Trace]) -> bool {
    traces
        .iter()
        .any(|trace| !trace.repeats && (trace.within || trace.near))
}

/// Returns the traces that cannot be due to a ticking clock beside the target. Changes of markup after the action's own
/// events are dropped, because the clock may have caused them.
pub(crate) fn beside_a_clock(traces: &[Trace]) -> Vec<Trace> {
    let is_told = |trace: &&Trace| trace.within || trace.kind != TraceKind::Markup;
    traces.iter().filter(is_told).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn what_the_action_caused_or_changed_beside_its_target_answers_it_and_a_clock_does_not() {
        let once = Trace::new(TraceKind::Markup);
        for answer in [once.within(), once.near(), once.near().within()] {
            assert!(answers(&[once, answer]), "{answer:?}");
            assert!(!answers(&[answer.repeating()]), "{answer:?}");
        }
        assert!(!answers(&[]));
        assert!(!answers(&[once, once.repeating()]));
    }

    #[test]
    fn what_is_written_later_beside_a_clock_is_no_answer() {
        let late = Trace::new(TraceKind::Markup).near();
        assert!(answers(&[late]) && !answers(&beside_a_clock(&[late])));
        for answer in [late.within(), Trace::new(TraceKind::Drawing).near()] {
            assert!(answers(&beside_a_clock(&[late, answer])), "{answer:?}");
        }
    }
}
