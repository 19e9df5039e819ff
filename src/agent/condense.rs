//! Shortens the long result of a tool for the next message, with a separate model, the compressor.

use std::{sync::Arc, time::Duration};

use super::{Run, decide::estimate_request, paid::Terms};
use crate::{
    action::{Action, AgentAction, BrowserAction, ToolSet},
    base::{Error, ErrorKind, tokens::estimate},
    chat::ChatRequest,
    event::EventKind,
    guard::{CallEstimate, Spent},
    prompt::{given, shorten, shorten_tool, shortened},
};

/// Maximum time for a compressor's reply. Source: chosen; after this time, rules shorten the result at once.
const PATIENCE: Duration = Duration::from_mins(1);
/// Maximum number of failures of the compressor, after which the run no longer asks it. Source: chosen; if the API key
/// is wrong, a repetition does not help.
const MAX_FAILURES: u32 = 2;
/// A bit that makes the [nonces](crate::base::Nonce) for the compressor differ from all other nonces of the run. It is
/// set in the step number from which such a nonce is made.
const OWN: u32 = 1 << 31;

impl Run {
    /// Shortens the result of the last action, if the result is long and [compressible](Self::is_compressible), and the
    /// run has a compressor. If the compressor cannot be used, the result stays as it is, and the rules of the prompt
    /// shorten it.
    pub(super) async fn condense(&mut self, action: &Action) {
        let Some(model) = self.parts.compressor.clone() else {
            return;
        };
        let Some((label, text)) = self.executor.state.remarks.results.last().cloned() else {
            return;
        };
        let options = &self.executor.options;
        if self.compressor_failures >= MAX_FAILURES
            || !self.is_compressible(action)
            || estimate(&text) <= options.max_result
        {
            return;
        }
        let nonce = self.nonce(Some(self.executor.emitter.step | OWN));
        let goal = self.executor.state.about.goal.clone();
        let known = match action {
            Action::Custom(call) => self.content_types.get(&call.tool).copied(),
            _ => None,
        };
        let (system, message) = shorten(nonce, &goal, &text, options.max_result, known);
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
        if !fits
            || budget
                .check_before_call(&self.executor.state.spent, &worst, self.executor.elapsed())
                .is_err()
        {
            return;
        }
        let terms = Terms {
            worst,
            count: Spent::add_usage,
            operation: "agent.condense",
            patience: PATIENCE.min(options.model_timeout),
        };
        let response = match self.pay(&*model, &request, terms).await {
            Ok(response) => response,
            Err(error) => return self.not_condensed(error),
        };
        let state = &mut self.executor.state;
        let given = given(&response.calls, &response.text, &tools);
        let most = self.executor.options.max_result;
        let Some(short) = given.and_then(|given| shortened(given, &text, most)) else {
            let error = Error::new(ErrorKind::MalformedReply, "agent.condense");
            return self.not_condensed(error.with("why", "no usable shorter text"));
        };
        self.executor.emitter.emit(EventKind::ResultShortened {
            label: label.clone(),
            tokens_before: estimate(&text),
            tokens_after: estimate(&short.text),
            addresses: short.addresses,
            recovered: short.recovered,
            confidence: short.confidence,
        });
        state.memory.shorten(&short.text);
        if let Some((_, shown)) = state.remarks.results.last_mut() {
            *shown = short.text;
        }
    }

    /// Counts a failure of the compressor and emits an event about it.
    fn not_condensed(&mut self, error: Error) {
        self.compressor_failures += 1;
        let kind = error.kind();
        let error = self.executor.describe(error);
        self.executor
            .emitter
            .emit(EventKind::ModelFailed { kind, error });
    }

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
