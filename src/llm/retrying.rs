//! Repetition of model calls after transient failures.
//!
//! # Decisions
//!
//! - `Retrying` has a time limit for all calls and waits together (default: 300 s). If a wait would exceed the limit,
//!   `Retrying` returns the provider's own error at once.

use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use tokio::time::{Instant, sleep, timeout};

use super::{LlmClient, RetryPolicy};
use crate::{
    base::{Error, ErrorKind, Result},
    chat::{ChatRequest, ChatResponse, LlmCapabilities},
};

/// A wrapper around a model. It repeats calls after transient failures: rate limits, timeouts, and failures of the
/// network or the server.
///
/// [`ChatResponse::retries`] is the number of retries before a reply. If all retries failed, the error has the number
/// of calls in its context, as `attempts`.
///
/// ```
/// # use webwise::llm::{LlmClient, RetryPolicy, Retrying};
/// fn patient<L: LlmClient>(model: L, seed: u64) -> Retrying<L> {
///     let mut policy = RetryPolicy::default();
///     policy.retries = 5;
///     Retrying::new(model, seed).with_policy(policy)
/// }
/// ```
#[derive(Debug)]
pub struct Retrying<L> {
    client: L,
    policy: RetryPolicy,
    seed: u64,
    calls: AtomicU64,
}

impl<L> Retrying<L> {
    /// Wraps a model. The seed determines the random part of the waits, so that a repeated run has the same waits.
    pub fn new(client: L, seed: u64) -> Self {
        Self {
            client,
            policy: RetryPolicy::default(),
            seed,
            calls: AtomicU64::new(0),
        }
    }

    /// Replaces the policy that decides on retries and waits.
    #[must_use]
    pub fn with_policy(mut self, policy: RetryPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Returns the wrapped model.
    pub const fn get_ref(&self) -> &L {
        &self.client
    }
}

#[async_trait]
impl<L: LlmClient> LlmClient for Retrying<L> {
    fn capabilities(&self) -> LlmCapabilities {
        self.client.capabilities()
    }

    async fn complete(&self, request: &ChatRequest) -> Result<ChatResponse> {
        let began = Instant::now();
        let left = || self.policy.overall.saturating_sub(began.elapsed());
        let mut jitter =
            SplitMix64(self.seed ^ self.calls.fetch_add(1, Ordering::Relaxed).rotate_left(32));
        let mut retries = 0;
        loop {
            let limit = self.policy.call_timeout.min(left());
            let error = match timeout(limit, self.client.complete(request)).await {
                Ok(Ok(mut response)) => {
                    response.retries = response.retries.saturating_add(retries);
                    return Ok(response);
                }
                Ok(Err(error)) => error,
                Err(_) => Error::new(ErrorKind::Timeout, "llm.complete")
                    .with("waited_ms", limit.as_millis()),
            };
            let Some(wait) = self
                .policy
                .wait_before(retries, &error, left(), jitter.next())
            else {
                return Err(if retries == 0 {
                    error
                } else {
                    error.with("attempts", retries + 1)
                });
            };
            sleep(wait).await;
            retries += 1;
        }
    }
}

/// A random number generator. Its numbers are predictable, so do not use them for secrets. Source: Steele, Lea and
/// Flood, OOPSLA 2014.
struct SplitMix64(u64);

impl SplitMix64 {
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests;
