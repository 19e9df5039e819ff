//! Tests on a paused clock: waits are exact and take no time.

use std::{sync::Mutex, time::Duration};

use super::*;
use crate::action::ToolSet;

/// A model that answers from a list, last item first, and records the time of each call. After the list, it waits
/// forever.
#[derive(Debug, Default)]
struct Script {
    answers: Mutex<Vec<Result<ChatResponse>>>,
    asked: Mutex<Vec<Instant>>,
}

impl Script {
    fn new(answers: impl IntoIterator<Item = Result<ChatResponse>>) -> Self {
        let mut answers: Vec<_> = answers.into_iter().collect();
        answers.reverse();
        Self {
            answers: Mutex::new(answers),
            asked: Mutex::default(),
        }
    }

    fn gaps(&self) -> Vec<Duration> {
        self.asked
            .lock()
            .unwrap()
            .windows(2)
            .map(|pair| pair[1] - pair[0])
            .collect()
    }

    fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

#[async_trait]
impl LlmClient for Script {
    fn capabilities(&self) -> LlmCapabilities {
        LlmCapabilities::new("script")
    }

    async fn complete(&self, _request: &ChatRequest) -> Result<ChatResponse> {
        self.asked.lock().unwrap().push(Instant::now());
        let answer = self.answers.lock().unwrap().pop();
        match answer {
            Some(answer) => answer,
            None => std::future::pending().await,
        }
    }
}

fn request() -> ChatRequest {
    ChatRequest::new("s", "m", ToolSet::new(&[].into(), false, []).into())
}

fn fails(kind: ErrorKind) -> Result<ChatResponse> {
    Err(Error::new(kind, "script.complete"))
}

fn limited(wait: Duration) -> Result<ChatResponse> {
    Err(Error::new(ErrorKind::RateLimited, "script.complete").with_retry_after(wait))
}

fn answer() -> ChatResponse {
    ChatResponse::with_text("done")
}

#[tokio::test(start_paused = true)]
async fn a_first_success_counts_no_retry() {
    let model = Retrying::new(Script::new([Ok(answer())]), 1);
    assert_eq!(model.complete(&request()).await.unwrap().retries, 0);
}

#[tokio::test(start_paused = true)]
async fn failures_that_can_pass_are_retried_three_times() {
    let passing = [
        ErrorKind::Unavailable,
        ErrorKind::Timeout,
        ErrorKind::RateLimited,
    ];
    let model = Retrying::new(
        Script::new(passing.map(fails).into_iter().chain([Ok(answer())])),
        1,
    );
    assert_eq!(model.complete(&request()).await.unwrap().retries, 3);
    let gaps = model.get_ref().gaps();
    assert!(
        gaps.iter()
            .zip([1, 2, 4])
            .all(|(gap, limit)| *gap <= Duration::from_secs(limit)),
        "{gaps:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn the_last_error_is_given_with_the_number_of_attempts() {
    let model = Retrying::new(
        Script::new((0..9).map(|_| fails(ErrorKind::Unavailable))),
        1,
    );
    let error = model.complete(&request()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "script.complete: unavailable (attempts: 4)"
    );
    assert_eq!(model.get_ref().asked(), 4);
}

#[tokio::test(start_paused = true)]
async fn errors_that_stay_are_given_at_once_and_unchanged() {
    for kind in [
        ErrorKind::InvalidInput,
        ErrorKind::Unauthorized,
        ErrorKind::Refused,
        ErrorKind::MalformedReply,
    ] {
        let model = Retrying::new(Script::new([fails(kind), Ok(answer())]), 1);
        let error = model.complete(&request()).await.unwrap_err();
        assert_eq!(
            (error.kind(), error.context().len(), model.get_ref().asked()),
            (kind, 0, 1)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_waited_to_the_millisecond() {
    let waits = [Duration::from_millis(1_234), Duration::from_secs(42)];
    let model = Retrying::new(
        Script::new(waits.map(limited).into_iter().chain([Ok(answer())])),
        1,
    );
    assert_eq!(model.complete(&request()).await.unwrap().retries, 2);
    assert_eq!(model.get_ref().gaps(), waits);
}

#[tokio::test(start_paused = true)]
async fn a_wait_beyond_the_overall_deadline_is_the_callers_error_at_once() {
    let model = Retrying::new(
        Script::new([limited(Duration::from_secs(301)), Ok(answer())]),
        1,
    );
    let began = Instant::now();
    let error = model.complete(&request()).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(301)));
    assert_eq!(
        (began.elapsed(), model.get_ref().asked()),
        (Duration::ZERO, 1)
    );
}

#[tokio::test(start_paused = true)]
async fn a_model_that_never_answers_ends_at_the_overall_deadline() {
    let policy = RetryPolicy {
        retries: 100,
        overall: Duration::from_secs(150),
        ..RetryPolicy::default()
    };
    let model = Retrying::new(Script::default(), 1).with_policy(policy);
    let began = Instant::now();
    let error = model.complete(&request()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(
        began.elapsed() <= Duration::from_secs(150) && model.get_ref().asked() >= 2,
        "{:?}",
        began.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn one_call_ends_at_its_own_time_out_and_is_made_again() {
    let model = Retrying::new(Script::default(), 1);
    let error = model.complete(&request()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "llm.complete: timeout (waited_ms: 60000, attempts: 4)"
    );
    assert!(
        model
            .get_ref()
            .gaps()
            .iter()
            .all(|gap| *gap >= Duration::from_mins(1))
    );
}

/// A model that answers after this time.
#[derive(Debug)]
struct Slow(Duration);

#[async_trait]
impl LlmClient for Slow {
    fn capabilities(&self) -> LlmCapabilities {
        LlmCapabilities::new("slow")
    }

    async fn complete(&self, _request: &ChatRequest) -> Result<ChatResponse> {
        sleep(self.0).await;
        Ok(answer())
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_model_with_time_answers_the_first_call_and_one_that_takes_all_of_it_is_not_asked_again()
 {
    let policy = RetryPolicy::default().with_call_timeout(Duration::from_mins(9));
    let patient =
        |minutes| Retrying::new(Slow(Duration::from_mins(minutes)), 1).with_policy(policy);
    assert_eq!(patient(8).complete(&request()).await.unwrap().retries, 0);
    let error = patient(10).complete(&request()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "llm.complete: timeout (waited_ms: 540000)"
    );
}

#[tokio::test(start_paused = true)]
async fn equal_seeds_wait_alike_and_each_call_differently() {
    async fn waits(seed: u64) -> Vec<Duration> {
        let model = Retrying::new(
            Script::new((0..8).map(|_| fails(ErrorKind::Unavailable))),
            seed,
        );
        for _ in 0..2 {
            let _ = model.complete(&request()).await;
        }
        model.get_ref().gaps()
    }
    let first = waits(7).await;
    assert_eq!(first, waits(7).await);
    assert_ne!(first, waits(8).await);
    assert_ne!(first[..3], first[4..]);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_asks_no_more() {
    let model = Retrying::new(
        Script::new((0..9).map(|_| fails(ErrorKind::Unavailable))),
        1,
    );
    assert!(
        timeout(Duration::from_nanos(1), model.complete(&request()))
            .await
            .is_err()
    );
    let asked = model.get_ref().asked();
    sleep(Duration::from_mins(1)).await;
    assert_eq!(model.get_ref().asked(), asked);
}
