//! Has a model shorten the long result of a tool before the next message shows it.

use std::{sync::Arc, time::Duration};

use tokio::time::timeout;

use super::{Run, decide::estimate_request};
use crate::{
    BrowserDriver, LlmClient, MemoryBackend,
    action::{Action, AgentAction, BrowserAction, ToolSet},
    base::{Error, ErrorKind, tokens::estimate},
    chat::ChatRequest,
    event::EventKind,
    guard::CallEstimate,
    prompt::{given, shorten, shorten_tool, shortened},
};

/// Longest time for a compressor's reply. Source: chosen; the rules do the same work at once.
const PATIENCE: Duration = Duration::from_mins(1);
/// Number of failures of the compressor after which a run no longer asks it. Source: chosen; a wrong key does not get better.
const MAX_FAILURES: u32 = 2;
/// A bit that no step number has, for nonces of requests to the compressor.
const OWN: u32 = 1 << 31;

impl<B: BrowserDriver, L: LlmClient, M: MemoryBackend> Run<'_, B, L, M> {
    /// Replaces the result that the action has just given by a shorter one, if it is long and the program gave a compressor. If the budget
    /// does not allow the call, or the reply cannot be used, the result stays as it is and the rules of the prompt shorten it.
    pub(super) async fn condense(&mut self, action: &Action) {
        let Some(model) = self.parts.compressor.clone() else {
            return;
        };
        let Some((label, text)) = self.executor.state.remarks.results.last().cloned() else {
            return;
        };
        let options = &self.parts.guarded.options;
        if self.compressor_failures >= MAX_FAILURES
            || !self.is_compressible(action)
            || estimate(&text) <= options.max_result
        {
            return;
        }
        let nonce = self.nonce(Some(self.executor.emitter.step | OWN));
        let goal = self.executor.state.about.goal.clone();
        let (system, message) = shorten(nonce, &goal, &text, options.max_result);
        let tools = Arc::new(ToolSet::only(shorten_tool()));
        let mut request = ChatRequest::new(system, message, Arc::clone(&tools));
        let abilities = model.capabilities();
        request.mode = abilities.mode;
        request.max_calls = 1;
        request.max_output = options.max_output;
        let tokens = estimate_request(&request);
        let prices = options.prices.as_ref();
        let worst = CallEstimate::new(tokens, request.max_output, prices);
        let window = abilities.context_window;
        let fits = window.is_none_or(|window| tokens + request.max_output <= window);
        let budget = &options.budget;
        let before = self.executor.state.spent;
        if !fits
            || budget
                .check_before_call(&before, &worst, self.executor.elapsed())
                .is_err()
        {
            return;
        }
        // Counted before the reply, because a call also counts if the wait for its reply is given up.
        self.executor.state.spent.add_usage(None, &worst, prices);
        let patience = PATIENCE.min(options.model_timeout);
        let answer = match timeout(patience, model.complete(&request)).await {
            Ok(answer) => answer,
            Err(_) => Err(Error::new(ErrorKind::Timeout, "agent.condense")),
        };
        let state = &mut self.executor.state;
        let response = match answer {
            Ok(response) => response.redacted(&self.executor.redactor).capped(),
            Err(error) => {
                let kind = error.kind();
                if matches!(kind, ErrorKind::Timeout | ErrorKind::MalformedReply) {
                    state.estimated = true;
                } else {
                    // The provider refused the call, so no tokens were used.
                    state.spent = before;
                }
                self.compressor_failures += 1;
                let error = self.executor.describe(error);
                self.executor
                    .emitter
                    .emit(EventKind::ModelFailed { kind, error });
                return;
            }
        };
        if let Some(usage) = &response.usage {
            state.spent = before;
            state.spent.add_usage(Some(usage), &worst, prices);
        } else {
            state.estimated = true;
        }
        let given = given(&response.calls, &response.text, &tools);
        let most = options.max_result;
        let Some(short) = given.and_then(|given| shortened(given, &text, most)) else {
            self.compressor_failures += 1;
            let kind = ErrorKind::MalformedReply;
            let error = Error::new(kind, "agent.condense").with("why", "no usable shorter text");
            let error = self.executor.describe(error);
            self.executor
                .emitter
                .emit(EventKind::ModelFailed { kind, error });
            return;
        };
        self.executor.emitter.emit(EventKind::ResultShortened {
            label: label.clone(),
            tokens_before: estimate(&text),
            tokens_after: estimate(&short.text),
            addresses: short.addresses,
            recovered: short.recovered,
            confidence: short.confidence,
        });
        if matches!(action, Action::Agent(AgentAction::Extract(_))) {
            state.memory.shorten(&label, &short.text);
        }
        if let Some((_, shown)) = state.remarks.results.last_mut() {
            *shown = short.text;
        }
    }

    /// Returns true if a result of this action may be shortened by a model.
    fn is_compressible(&self, action: &Action) -> bool {
        match action {
            Action::Agent(AgentAction::Extract(_))
            | Action::Browser(BrowserAction::Eval(_) | BrowserAction::RunCode(_)) => true,
            Action::Custom(call) => {
                let mut tools = self.parts.tools.iter();
                tools.any(|tool| tool.spec().name == call.tool && tool.is_compressible())
            }
            _ => false,
        }
    }
}
