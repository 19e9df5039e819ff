//! A sink that passes events to `tracing`, as records and spans.

use tracing::{Span, field::Empty, info_span};

use super::{Event, EventKind, EventSink};
use crate::memory::{AdviceId, Change, Committed, Shelf};

/// An [`EventSink`] that passes each event to `tracing` with the target `webwise`. For a reply of the model, it sets
/// attributes with the names of the `GenAI` semantic conventions. For every other event, it sets the event's name and
/// the event's JSON.
///
/// Each event about a query or an update of memory has a span of its own, as the conventions require. The span is
/// created only after the work, so the duration of the work is in the span's field `elapsed_ms`.
///
/// | event | span and `gen_ai.operation.name` |
/// | --- | --- |
/// | `tier1_loaded`, `error_recall`, `domain_recall` | `search_memory` |
/// | `memory_updated` | `upsert_memory`, or `delete_memory` if the update only removes records |
///
/// Each of these spans has the attribute `gen_ai.memory.record.count`. It has `gen_ai.memory.store.id`, unless a query
/// found nothing. If the query found, or the update changed, exactly one record, the span also has
/// `gen_ai.memory.record.id`. The span of an update also has `webwise.shelf`.
///
/// The value of `gen_ai.memory.store.id` is the memory's namespace. Texts of memory are in the JSON of the event inside
/// the span, and never in an attribute of the span, because the conventions require consent for
/// `gen_ai.memory.query.text` and `gen_ai.memory.records`.
///
/// Pages (`observed`, `interpreted`) are recorded at trace level, and requests to the model at debug level. Failures of
/// models, memory and recording, refused calls and notices of the store are recorded at warn level. Everything else is
/// recorded at info level, even an action that failed. An event that the subscriber drops is lost.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tracing;

impl EventSink for Tracing {
    fn emit(&self, event: &Event) {
        let (name, run, step) = (event.kind.name(), event.run.as_str(), event.step);
        let json = || serde_json::to_string(&event.kind).unwrap_or_default();
        match &event.kind {
            EventKind::ModelReplied {
                response,
                elapsed_ms,
            } => {
                let usage = response.usage.unwrap_or_default();
                tracing::info!(
                    target: "webwise",
                    event = name,
                    run,
                    step,
                    gen_ai.operation.name = "chat",
                    gen_ai.response.model = response.model.as_deref().unwrap_or_default(),
                    gen_ai.usage.input_tokens = usage.input.0,
                    gen_ai.usage.output_tokens = usage.output.0,
                    elapsed_ms,
                );
            }
            EventKind::Tier1Loaded {
                items, elapsed_ms, ..
            }
            | EventKind::ErrorRecall {
                items, elapsed_ms, ..
            }
            | EventKind::DomainRecall {
                items, elapsed_ms, ..
            } => {
                search(event, items, *elapsed_ms).in_scope(|| {
                    tracing::info!(target: "webwise", event = name, run, step, json = json());
                });
            }
            EventKind::MemoryUpdated {
                shelf,
                committed,
                elapsed_ms,
            } => {
                update(event, shelf, committed, *elapsed_ms).in_scope(|| {
                    tracing::info!(target: "webwise", event = name, run, step, json = json());
                });
            }
            EventKind::Observed { .. } | EventKind::Interpreted { .. } => {
                tracing::trace!(target: "webwise", event = name, run, step, json = json());
            }
            EventKind::ModelAsked { .. } => {
                tracing::debug!(target: "webwise", event = name, run, step, json = json());
            }
            EventKind::ModelFailed { .. }
            | EventKind::MemoryFailed { .. }
            | EventKind::StoreNoticed { .. }
            | EventKind::RecordingFailed { .. }
            | EventKind::CallRefused { .. } => {
                tracing::warn!(target: "webwise", event = name, run, step, json = json());
            }
            _ => tracing::info!(target: "webwise", event = name, run, step, json = json()),
        }
    }
}

/// Creates the span of a memory operation. This is a macro, because the name of a span must be a literal.
macro_rules! memory_span {
    ($operation:literal, $event:expr, $count:expr, $elapsed_ms:expr) => {
        info_span!(
            target: "webwise",
            $operation,
            event = $event.kind.name(),
            run = $event.run.as_str(),
            step = $event.step,
            gen_ai.operation.name = $operation,
            gen_ai.memory.store.id = Empty,
            gen_ai.memory.record.count = $count,
            gen_ai.memory.record.id = Empty,
            webwise.shelf = Empty,
            elapsed_ms = $elapsed_ms,
        )
    };
}

fn search(event: &Event, items: &[AdviceId], elapsed_ms: u64) -> Span {
    let span = memory_span!("search_memory", event, items.len(), elapsed_ms);
    if let Some(first) = items.first() {
        span.record("gen_ai.memory.store.id", first.shelf.namespace.as_str());
    }
    if let [only] = items {
        span.record("gen_ai.memory.record.id", only.key.as_str());
    }
    span
}

fn update(event: &Event, shelf: &Shelf, committed: &Committed, elapsed_ms: u64) -> Span {
    let changes = &committed.changes;
    let only_removes = !changes.is_empty()
        && changes
            .iter()
            .all(|change| matches!(change, Change::Remove(_)));
    let span = if only_removes {
        memory_span!("delete_memory", event, changes.len(), elapsed_ms)
    } else {
        memory_span!("upsert_memory", event, changes.len(), elapsed_ms)
    };
    span.record("gen_ai.memory.store.id", shelf.namespace.as_str());
    span.record("webwise.shelf", shelf.to_string());
    if let [Change::Remove(key)] = changes.as_slice() {
        span.record("gen_ai.memory.record.id", key.as_str());
    }
    if let [Change::Put(record)] = changes.as_slice() {
        span.record("gen_ai.memory.record.id", record.key.as_str());
    }
    span
}
