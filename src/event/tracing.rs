//! Events as `tracing` records and spans.

use tracing::{Span, field::Empty, info_span};

use super::{Event, EventKind, EventSink};
use crate::{
    base::RunId,
    memory::{AdviceId, Change, Committed, Shelf},
};

/// Passes each event to `tracing` with the target `webwise`. The model's replies have attributes named by the `GenAI`
/// semantic conventions; every other event has its name and its JSON.
///
/// Each query and each update of memory is a span of its own, as the same conventions ask. A span is made when its work is done, so its
/// field `elapsed_ms` gives the time that the work took.
///
/// | event | span and `gen_ai.operation.name` | attributes |
/// | --- | --- | --- |
/// | `tier1_loaded`, `error_recall`, `domain_recall` | `search_memory` | `gen_ai.memory.store.id`, `gen_ai.memory.record.count` |
/// | `memory_updated` | `upsert_memory`, or `delete_memory` if it only removes | the same, `gen_ai.memory.record.id` for a single record |
///
/// The store's id is the namespace. Texts of memory are in the JSON of the record inside the span, never in an attribute of the span,
/// because the conventions require consent for `gen_ai.memory.query.text` and `gen_ai.memory.records`.
///
/// Pages (`observed`, `interpreted`) are recorded at trace level, requests to the model at debug, failures at warn, everything else at
/// info. Events that the subscriber drops are lost.
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

    fn failure(&self, _: &RunId) -> Option<String> {
        None
    }
}

/// Makes the span of a memory operation. This is a macro, because the name of a span must be a literal.
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

/// Returns the span of a query to memory that found these items.
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

/// Returns the span of an update of a shelf of memory.
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
