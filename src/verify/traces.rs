//! Decides whether an action has caused a page's traces. A trace is a reaction of the page that the page's tree may not
//! show. This module does no I/O.

use crate::page::{Trace, TraceKind};

/// Returns true if the action has caused at least one of these traces.
///
/// A trace counts as caused by the action in two cases: it happened while the page handled the events of the action, or
/// it is near the target ([`Trace::near`]). A trace that goes on by itself, like the ticking of a clock, never counts.
pub(crate) fn answers(traces: &[Trace]) -> bool {
    traces
        .iter()
        .any(|trace| !trace.repeats && (trace.within || trace.near))
}

/// Returns true if a turn of the wheel may have caused at least one of these traces. The wheel moves whatever is under
/// the pointer, and many pages carry out the move themselves, in steps that look like an animation. So every scroll,
/// drawing and change of markup counts, even one that goes on by itself. Otherwise, a scroll that worked could be
/// reported as having no effect.
pub(crate) fn answers_wheel(traces: &[Trace]) -> bool {
    use TraceKind as K;
    let moves = |trace: &Trace| matches!(trace.kind, K::Scroll | K::Markup | K::Drawing);
    answers(traces) || traces.iter().any(moves)
}

/// Returns the traces without those that a clock beside the target may have caused: changes of markup, unless they
/// happened while the page handled the events of the action. The traces of a drawing that changes by itself are not
/// left out.
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
