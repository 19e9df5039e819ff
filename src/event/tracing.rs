//! Events as `tracing` records.

use super::{Event, EventKind, EventSink};
use crate::base::RunId;

/// Hands each event to `tracing`, target `webwise`: the model's replies with the names of the `GenAI` semantic conventions,
/// everything else as its name and its JSON.
///
/// Loses what the subscriber loses. Pages (`observed`, `interpreted`) are recorded at trace level, requests at debug, the
/// rest at info, failures at warn.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tracing;

impl EventSink for Tracing {
    fn emit(&self, event: &Event) {
        let (name, run, step) = (event.kind.name(), event.run.as_str(), event.step);
        let json = || serde_json::to_string(&event.kind).unwrap_or_default();
        match &event.kind {
            EventKind::ModelReplied { response, elapsed_ms } => {
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
            EventKind::Observed { .. } | EventKind::Interpreted { .. } => {
                tracing::trace!(target: "webwise", event = name, run, step, json = json());
            }
            EventKind::ModelAsked { .. } => tracing::debug!(target: "webwise", event = name, run, step, json = json()),
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
