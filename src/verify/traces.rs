//! Traces: whether what a page did beside its tree answers an action. Pure.

use crate::page::Trace;

/// Reports whether one of these answers the action.
///
/// What came while the page handled the action's own events was caused by it, wherever it is. What came later counts in or
/// beside the target alone, and not what goes on by itself: that is a clock.
pub(crate) fn answers(traces: &[Trace]) -> bool {
    traces
        .iter()
        .any(|trace| !trace.repeats && (trace.within || trace.near))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::TraceKind;

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
}
