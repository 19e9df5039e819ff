//! Has a model shorten the long result of a tool before the next message shows it.

use std::sync::Arc;

use tokio::time::timeout;

use super::Run;
use crate::{
    BrowserDriver, LlmClient, MemoryBackend,
    action::{Action, AgentAction, BrowserAction, ToolSet},
    base::tokens::estimate,
    chat::ChatRequest,
    event::EventKind,
    guard::CallEstimate,
    prompt::{shorten, shortened},
};

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
        if !self.is_compressible(action) || estimate(&text) <= options.max_result {
            return;
        }
        let nonce = self.nonce(Some(self.executor.emitter.step));
        let goal = self.executor.state.about.goal.clone();
        let (system, message) = shorten(nonce, &goal, &text, options.max_result);
        let tools = Arc::new(ToolSet::new(&[].into(), false, []));
        let mut request = ChatRequest::new(system, message, tools);
        request.max_output = options.max_output;
        let tokens = estimate(&request.system) + estimate(&request.message);
        let prices = options.prices.as_ref();
        let worst = CallEstimate::new(tokens, request.max_output, prices);
        let is_allowed = options
            .budget
            .check_before_call(&self.executor.state.spent, &worst, self.executor.elapsed())
            .is_ok();
        if !is_allowed {
            return;
        }
        let answer = timeout(options.model_timeout, model.complete(&request)).await;
        let response = match answer {
            Ok(Ok(response)) => response.redacted(&self.executor.redactor).capped(),
            Ok(Err(_)) | Err(_) => return,
        };
        let state = &mut self.executor.state;
        state
            .spent
            .add_usage(response.usage.as_ref(), &worst, prices);
        state.estimated |= response.usage.is_none();
        let Some(short) = shortened(&response.text, &text) else {
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
