//! Options of the loop. For every number, its default, unit and source are given.

use std::time::Duration;

use crate::{
    base::{Error, ErrorKind, Result, TokenCount},
    browser::COMMAND_TIMEOUT,
    guard::{ApprovalMode, Budget, Prices},
    memory::Namespace,
    page::DigestOptions,
    prompt::{MAX_RESULT, Mode},
};

/// The policy for showing pictures of the page to a model that accepts pictures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Images {
    /// The model gets a picture if it asks for one. It also gets a picture of a page that cannot be understood from
    /// its tree of elements alone, for example because of a canvas or unnamed icons.
    #[default]
    Auto,
    /// The model gets a picture in each step.
    Always,
    /// The model gets no pictures, and no tools that need them.
    Never,
}

/// The policy for following recorded tasks without asking the model. The model can follow a recipe with the tool `follow` under
/// each of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Replay {
    /// No step is taken without the model.
    Off,
    /// If memory has recorded a run with the same goal, word for word, the run begins with its steps, up to the first that sends
    /// a form or cannot be undone, except for a login or a search. All values must stand in the goal, or be parameters, whose
    /// values may differ, or secrets. A step is taken only on the recorded kind of page with the recorded heading.
    #[default]
    Known,
    /// As [`Known`](Self::Known), to the last step. An action that cannot be undone still needs its approval.
    Full,
}

/// The cookies, storage and tabs that a run finds in its browser.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Context {
    /// [`Fresh`](Self::Fresh) for a run of a [`DecisionLoop`](super::DecisionLoop) whose driver has the capability
    /// [`fresh`](crate::browser::BrowserCapabilities::fresh), as `Cdp` has with a browser that it launched. Otherwise
    /// [`Shared`](Self::Shared).
    #[default]
    Auto,
    /// The run begins without cookies, storage and tabs, and what it leaves is closed at its end. So one user's login does not
    /// reach the next user's run; [`Options::namespace`] keeps their memory apart. Such a run waits for no other run of the
    /// agent.
    ///
    /// Runs of one [conversation](super::Task::with_session) in one namespace share what they leave. It stays open until the
    /// agent is dropped; of more than [`max_conversations`](Options::max_conversations), the one that was idle longest is closed and
    /// begins anew, logged out.
    ///
    /// Needs a driver with the capability [`fresh`](crate::browser::BrowserCapabilities::fresh). With `Cdp`, it is a context of the
    /// browser that runs: measured on two cores, it opens in a quarter of a second. If Chromium dies, all runs in it end.
    Fresh,
    /// The run uses the agent's browser as it is, with its cookies, storage and tabs, and leaves its own there.
    Shared,
}

/// What a run does that finds another run in its browser.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenBusy {
    /// It ends at once with [`StopReason::Busy`](crate::working::StopReason::Busy).
    #[default]
    Stop,
    /// It waits until the other run has ended. Runs that wait take turns in the order in which they came. The wait counts in
    /// the run's time budget.
    Wait,
}

/// Options of a [`DecisionLoop`](super::DecisionLoop).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// Limits of a run. Default: 50 steps and 5 errors in a row; no other limits.
    pub budget: Budget,
    /// Prices of the model's tokens. A budget in money and the costs in reports need them. Default: `None`, the
    /// prices are unknown.
    pub prices: Option<Prices>,
    /// The actions that need approval. Default: irreversible actions.
    pub approval: ApprovalMode,
    /// Maximum number of tool calls in one reply of the model that are carried out. Default: 8. Source: chosen; enough for
    /// most forms.
    pub max_calls: usize,
    /// The kind of work that most of the runs do. If a message to the model has no room for everything that the run has
    /// noted, this setting decides which parts are kept. Default: [`Mode::Auto`].
    pub mode: Mode,
    /// Maximum size of the text in which a prompt shows a page. Default: 1,500 tokens.
    pub digest: DigestOptions,
    /// Maximum time for an action, together with the wait until the page settles and the observations afterwards. An
    /// action that takes longer fails with a time-out, and the run continues. For the action `wait`, the seconds that
    /// it waits are added. Default: 30 s. Source: [`COMMAND_TIMEOUT`].
    pub command_timeout: Duration,
    /// Maximum time for one model call including its retries. Default: 10 min. Source: chosen; a model on two cores
    /// takes half a minute, and four attempts with the waits between them take a few minutes.
    pub model_timeout: Duration,
    /// Maximum time for one answer of the memory store. Default: 10 s. Source: chosen; twice the time that a store
    /// waits for a lock.
    pub memory_timeout: Duration,
    /// Maximum time for learning at the end of a run. Learning ends earlier if the run's time budget is used up. For a
    /// cancelled run, the maximum is [`memory_timeout`](Self::memory_timeout). If memory cannot learn from the run in
    /// time, a short record of the run is stored, and the next run learns from it. Default: 60 s. Source: chosen; an
    /// update takes about 10 ms, so this is enough for some hundreds of runs that end at once and take turns.
    pub learning_timeout: Duration,
    /// Maximum time for one call of a [`Tool`](super::Tool) of your program. Default: 60 s. Source: chosen.
    pub tool_timeout: Duration,
    /// Maximum time for the journal to record one action before it is carried out. Default: 2 s. Source: chosen; a
    /// write takes less than 1 ms, and a sync on a slow disk takes about 100 ms.
    pub journal_timeout: Duration,
    /// Waiting time before the second observation of a page that an action seems to have left unchanged. Default: 300
    /// ms. Source: chosen; more than the 100 to 250 ms that an autocomplete field usually waits after input.
    pub settle: Duration,
    /// Name of the model that is asked, of the client's provider; `None` for the client's own model. Default: `None`.
    pub model: Option<String>,
    /// Sampling temperature of the model. Default: 0.2. Source: chosen.
    pub temperature: f64,
    /// Maximum number of tokens in a reply. Default: 2,048. Source: chosen; eight calls with texts take about 650
    /// tokens.
    pub max_output: TokenCount,
    /// Maximum size of one result of a tool in a message. A longer result is shortened, by rules or by the
    /// [compressor](super::Builder::with_compressor). Unit: tokens, estimated. Default: 2,000. Source: a requirement of
    /// the project.
    pub max_result: TokenCount,
    /// True if a picture of the page is taken in each step and stored in the run folder (the files that record the
    /// run). Default: false.
    pub screenshots: bool,
    /// The policy for showing pictures of the page to the model. It applies only if the model's
    /// [capabilities](crate::chat::LlmCapabilities::images) include pictures. After a secret was typed or shown, no
    /// more pictures are taken. Default: [`Images::Auto`].
    pub images: Images,
    /// True if the tools `eval` and `run_code` are offered. Default: false, because scripts bypass all safety measures.
    pub scripts: bool,
    /// True if the agent uses its memory. Default: true.
    pub memory: bool,
    /// The cookies, storage and tabs that a run finds in its browser. Default: [`Context::Auto`].
    pub context: Context,
    /// Maximum number of conversations whose cookies, storage and tabs are kept between their runs. Default: 10. Source: chosen; an
    /// open page takes up to 100 MB.
    pub max_conversations: usize,
    /// What a run does that finds another run in its browser. Default: [`WhenBusy::Stop`].
    pub when_busy: WhenBusy,
    /// The policy for following recorded tasks without asking the model. Default: [`Replay::Known`].
    pub replay: Replay,
    /// Share of the advice from memory that each run withholds from the model. Use it to compare runs with and without
    /// a piece of advice. Range: 0 to 1. Default: 0. [`is_withheld`](crate::memory::is_withheld) chooses the advice by
    /// the run's seed.
    pub withheld_share: f64,
    /// The namespace of the store in which the agent keeps its memory. Default: `default`.
    pub namespace: Namespace,
    /// Seed of the random numbers that the prompts contain. A fixed seed makes prompts reproducible if the
    /// [run's id](super::Task::with_run_id) is fixed too. Default: a random seed for each run.
    pub seed: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            budget: Budget::default(),
            prices: None,
            approval: ApprovalMode::Hybrid,
            max_calls: 8,
            mode: Mode::default(),
            digest: DigestOptions::default(),
            command_timeout: COMMAND_TIMEOUT,
            model_timeout: Duration::from_mins(10),
            memory_timeout: Duration::from_secs(10),
            learning_timeout: Duration::from_mins(1),
            tool_timeout: Duration::from_mins(1),
            journal_timeout: Duration::from_secs(2),
            settle: Duration::from_millis(300),
            model: None,
            temperature: 0.2,
            max_output: TokenCount(2_048),
            max_result: MAX_RESULT,
            screenshots: false,
            images: Images::default(),
            scripts: false,
            memory: true,
            context: Context::default(),
            max_conversations: 10,
            when_busy: WhenBusy::default(),
            replay: Replay::default(),
            withheld_share: 0.0,
            namespace: Namespace::default(),
            seed: None,
        }
    }
}

impl Options {
    /// Checks the values.
    pub(super) fn check(&self, operation: &'static str) -> Result<()> {
        let checks = [
            (
                (1..=20).contains(&self.max_calls),
                "max_calls",
                "must be 1 to 20",
            ),
            (
                self.digest.max_tokens > 0,
                "digest",
                "must show at least 1 token",
            ),
            (
                (0.0..=2.0).contains(&self.temperature),
                "temperature",
                "must be 0 to 2",
            ),
            (
                (0.0..=1.0).contains(&self.withheld_share),
                "withheld_share",
                "must be 0 to 1",
            ),
            (
                !self.command_timeout.is_zero(),
                "command_timeout",
                "must be more than 0",
            ),
        ];
        if let Some((_, option, why)) = checks.into_iter().find(|(fine, ..)| !fine) {
            return Err(Error::new(ErrorKind::InvalidInput, operation)
                .with("option", option)
                .with("why", why));
        }
        self.budget.validate(self.prices.as_ref())
    }
}
