//! Sends requests to models, and counts the tokens and the money of each request against the run's budget.

use std::time::Duration;

use tokio::time::timeout;

use super::Run;
use crate::{
    LlmClient,
    base::{Error, ErrorKind, Result, TokenCount, tokens::estimate},
    chat::{ChatRequest, ChatResponse, Usage},
    guard::{CallEstimate, Prices, Spent},
};

/// A function that adds the tokens and the cost of one call of a model to the amounts spent. Without a reported usage,
/// it adds the estimate.
type Count = fn(&mut Spent, Option<&Usage>, &CallEstimate, Option<&Prices>);

/// The limits of one call of a model.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    /// The maximum number of tokens and the maximum cost of the call.
    pub(super) worst: CallEstimate,
    pub(super) count: Count,
    /// The operation that an error names if the reply does not come in time.
    pub(super) operation: &'static str,
    pub(super) patience: Duration,
}

impl Run {
    /// Sends a request to a model, counts what it costs, and returns the reply without secrets. The call is counted
    /// even if the run stops waiting for the reply.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`] if there is no reply within the `patience` of the terms, and the errors of the model.
    pub(super) async fn pay(
        &mut self,
        model: &(impl LlmClient + ?Sized),
        request: &ChatRequest,
        terms: Terms,
    ) -> Result<ChatResponse> {
        let Terms {
            worst,
            count,
            operation,
            patience,
        } = terms;
        let prices = self.executor.options.prices.as_ref();
        let before = self.executor.state.spent;
        count(&mut self.executor.state.spent, None, &worst, prices);
        let answer = timeout(patience, model.complete(request)).await;
        let state = &mut self.executor.state;
        let answer = answer.unwrap_or_else(|_| {
            let error = Error::new(ErrorKind::Timeout, operation);
            Err(error.with("waited", format!("{patience:?}")))
        });
        match answer {
            Ok(response) => {
                // Redact before cutting, so that a cut never leaves half a secret.
                let response = response.redacted(&self.executor.redactor);
                let usage = response
                    .usage
                    .unwrap_or_else(|| estimate_usage(&response, worst.input()));
                state.estimated |= response.usage.is_none();
                state.spent = before;
                count(&mut state.spent, Some(&usage), &worst, prices);
                Ok(response.capped())
            }
            // The cost of a call without a readable reply is unknown.
            Err(error)
                if matches!(error.kind(), ErrorKind::Timeout | ErrorKind::MalformedReply) =>
            {
                state.estimated = true;
                Err(error)
            }
            Err(error) => {
                // Any other error, such as a refusal of the provider, is assumed to have used no tokens.
                state.spent = before;
                count(&mut state.spent, Some(&Usage::default()), &worst, prices);
                Err(error)
            }
        }
    }
}

/// Returns the estimated usage of a call whose usage the provider did not report. `request` is the size of the request.
fn estimate_usage(response: &ChatResponse, request: TokenCount) -> Usage {
    let calls: TokenCount = response
        .calls
        .iter()
        .map(|call| estimate(&call.arguments.to_string()))
        .sum();
    let reasoning = response
        .reasoning
        .as_deref()
        .map_or(TokenCount(0), estimate);
    Usage {
        input: request,
        output: calls + estimate(&response.text) + reasoning,
        cached: TokenCount(0),
    }
}
