//! The builder of a [`DecisionLoop`] or a [`GuardedBrowser`].

use std::sync::Arc;

use super::{
    Approver, Cancel, Clock, Context, DecisionLoop, GuardedBrowser, Hook, Options, Tool,
    decision_loop::Parts,
    executor::{Contexts, Guarded, Settings},
};
use crate::{
    BrowserDriver, LlmClient,
    action::{BrowserTool, ToolSet},
    base::{Error, ErrorKind, Result},
    event::{EventSink, Journal},
    guard::ApprovalMode,
    memory::{MemoryKind, kinds},
    store::{MemoryBackend, RunRegistry},
};

/// Builds a [`DecisionLoop`], or a [`GuardedBrowser`], which needs no model and no memory.
#[derive(Debug)]
pub struct Builder<B, L, M> {
    browser: B,
    model: L,
    memory: M,
    settings: Settings,
    kinds: Vec<Arc<dyn MemoryKind>>,
    tools: Vec<Arc<dyn Tool>>,
    compressor: Option<Arc<dyn LlmClient>>,
    registry: Option<Arc<dyn MemoryBackend>>,
}

impl<B, L, M> Builder<B, L, M> {
    pub(super) fn new(browser: B, model: L, memory: M) -> Self {
        Self {
            browser,
            model,
            memory,
            settings: Settings::default(),
            kinds: kinds(),
            tools: Vec::new(),
            compressor: None,
            registry: None,
        }
    }

    /// Sets all options at once.
    pub fn with_options(mut self, options: Options) -> Self {
        self.settings.options = options;
        self
    }

    /// Sets the maximum number of steps of a run. Default: 50.
    pub fn with_max_steps(mut self, steps: u32) -> Self {
        self.settings.options.budget.max_steps = steps;
        self
    }

    /// Sets the actions that need approval. Default: irreversible actions.
    pub fn with_approval(mut self, mode: ApprovalMode) -> Self {
        self.settings.options.approval = mode;
        self
    }

    /// Sets the approver. Without an approver, actions that need approval are refused.
    pub fn with_approver(mut self, approver: impl Approver) -> Self {
        self.settings.approver = Some(Arc::new(approver));
        self
    }

    /// Adds a hook, which watches the steps of runs and may hold them. Hooks are asked in the order in which they were added.
    pub fn with_hook(mut self, hook: impl Hook) -> Self {
        self.settings.hooks.push(Arc::new(hook));
        self
    }

    /// Sets the sink, which receives the events of all runs. Default: none. Combine several sinks with
    /// [`FanOut`](crate::event::FanOut).
    pub fn with_sink(mut self, sink: impl EventSink) -> Self {
        self.settings.sink = Arc::new(sink);
        self
    }

    /// Sets the journal, which records actions before they are carried out. Before each action that does more than
    /// read, a run waits until the journal has recorded the action. If the journal fails or takes too long, an
    /// irreversible action is refused, but any other action is carried out. Default: none.
    pub fn with_journal(mut self, journal: impl Journal) -> Self {
        self.settings.journal = Some(Arc::new(journal));
        self
    }

    /// Sets the source of the current time. Default: the machine's clock.
    pub fn with_clock(mut self, clock: impl Clock) -> Self {
        self.settings.clock = Arc::new(clock);
        self
    }

    /// Sets the cancel handle of the loop. Cancelling this handle stops all runs of the loop.
    pub fn with_cancel(mut self, cancel: Cancel) -> Self {
        self.settings.cancel = cancel;
        self
    }

    /// Sets the kinds of memory that the loop uses, such as lessons and site maps. Default: the kinds that
    /// [`kinds`](crate::memory::kinds()) returns.
    pub fn with_kinds(mut self, kinds: Vec<Arc<dyn MemoryKind>>) -> Self {
        self.kinds = kinds;
        self
    }

    /// Keeps the runs in a [register](RunRegistry) in this store, so that they can be listed, resumed, and continued in
    /// new runs. The store may be the one that the memory uses. The register uses the namespace [`Options::namespace`].
    /// Default: no register. A run with a register writes to the store before each action that does more than read, and
    /// before each call of the model.
    ///
    /// If the store fails, the run goes on, and one event reports the failure. But an irreversible action that cannot
    /// be recorded is refused, because a resumed run might carry it out again.
    pub fn with_registry(mut self, store: impl MemoryBackend + 'static) -> Self {
        self.registry = Some(Arc::new(store));
        self
    }

    /// Sets a model that shortens long results of tools for the prompts. A small, cheap model is enough. By default
    /// there is no such model, and rules shorten the results.
    ///
    /// The model is asked once for each result of more than [`Options::max_result`] tokens that comes from `extract`,
    /// from a script, or from a [compressible](Tool::is_compressible) tool of your program. The tokens of this model
    /// count in the run's budget. The model answers with one call of a tool `shorten`: a summary, facts, links, fields,
    /// and its confidence from 0 to 1. A reply with a confidence of less than 0.5 is not used.
    ///
    /// A part of the reply is dropped if it contains an address or a number that the result does not contain. The reply
    /// must also contain a share of the addresses in the result: 100 % if the result has up to 10 addresses, 80 % if it
    /// has up to 50, and 60 % if it has more. If the reply contains fewer, some of the missing addresses are added.
    ///
    /// If a reply cannot be used, an event says so and the rules shorten the result. After two failures the run no
    /// longer asks this model. The extracted texts in the run's report are never shortened.
    pub fn with_compressor(mut self, model: impl LlmClient) -> Self {
        self.compressor = Some(Arc::new(model));
        self
    }

    /// Adds a tool for the model.
    pub fn with_tool(mut self, tool: impl Tool) -> Self {
        self.tools.push(Arc::new(tool));
        self
    }

    /// Validates the options and builds the loop.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if an option is invalid, or if the name of a tool is taken or not allowed. The error
    /// names the option or the tool.
    pub fn build(self) -> Result<DecisionLoop<B, L, M>>
    where
        B: BrowserDriver,
        L: LlmClient,
        M: MemoryBackend + 'static,
    {
        self.check(self.browser.capabilities().fresh)?;
        let namespace = self.settings.options.namespace.clone();
        let register = self
            .registry
            .map(|store| RunRegistry::new(store, namespace));
        let browser = Arc::new(self.browser);
        let (model, memory) = (Arc::new(self.model), Arc::new(self.memory));
        let parts = Parts {
            guarded: Arc::new(Guarded {
                browser: Arc::clone(&browser) as _,
                settings: self.settings,
                contexts: Contexts::default(),
            }),
            model: Arc::clone(&model) as _,
            memory: Arc::clone(&memory) as _,
            kinds: self.kinds,
            tools: self.tools,
            compressor: self.compressor,
            register,
        };
        Ok(DecisionLoop {
            browser,
            model,
            memory,
            parts: Arc::new(parts),
        })
    }

    fn check(&self, has_fresh: bool) -> Result<()> {
        self.settings.options.check("agent.build")?;
        if self.settings.options.context == Context::Fresh && !has_fresh {
            return Err(Error::new(ErrorKind::InvalidInput, "agent.build")
                .with("option", "context")
                .with("why", "the driver cannot open a fresh browser"));
        }
        let ours = ToolSet::new(&BrowserTool::ALL.iter().copied().collect(), true, []);
        for (index, tool) in self.tools.iter().enumerate() {
            let name = tool.spec().name;
            let before = &self.tools[..index];
            let is_plain = (1..=64).contains(&name.len())
                && name
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
            if !is_plain {
                let why = "a tool's name takes 1 to 64 letters, digits, `_` or `-`";
                return Err(Error::new(ErrorKind::InvalidInput, "agent.build")
                    .with("tool", name)
                    .with("why", why));
            }
            if name == ToolSet::OTHER
                || ours.contains(&name)
                || before.iter().any(|other| other.spec().name == name)
            {
                return Err(Error::new(ErrorKind::InvalidInput, "agent.build")
                    .with("tool_name_taken", name));
            }
        }
        Ok(())
    }
}

impl<B: BrowserDriver> Builder<B, (), ()> {
    /// Validates the options and builds the guarded browser, which has neither a model nor a memory.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if an option is invalid. The error names the option.
    pub fn build_guarded(self) -> Result<GuardedBrowser<B>> {
        self.check(self.browser.capabilities().fresh)?;
        Ok(GuardedBrowser::new(self.browser, self.settings))
    }
}
