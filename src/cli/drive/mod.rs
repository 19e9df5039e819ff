//! One run from the command line, shared by `run`, `demo` and `eval`: browser, loop, run folder and output.
//!
//! ```text
//! browser    starts the driver                     person   asks the person at the terminal
//! model      configures the model                  stop     signals, and a closed output
//! own_dir    the folders of runs and of memory     result   the result, as lines and as JSON
//! watch      prints the steps as they happen
//! probe      opens a page before the run and reads the last page after the run, for an evaluation
//! ```

mod browser;
pub(super) mod model;
mod own_dir;
pub(super) mod person;
mod probe;
pub(super) mod result;
mod stop;
mod watch;

use std::{sync::Arc, time::Duration};

use uuid::Uuid;

pub(super) use self::{
    browser::{Browser, Source, check_screen},
    own_dir::OwnDir,
    probe::Probe,
    result::Ended,
    stop::Stop,
};
use super::{Refusal, run_args::OutputArgs, runs, say::Voice};
use crate::{
    BrowserDriver, DecisionLoop, Error, LlmClient, MemoryBackend, RunId, Task,
    agent::{Approver, Context, Options, StepEnd},
    event::{FanOut, RunFolder},
    memory::{KindOptions, kinds_with},
    working::StopReason,
};

#[derive(Debug)]
pub(super) enum Begin {
    New(Task),
    /// An earlier run, which continues and keeps its id. The register of runs contains this run.
    Resume(Task),
}

#[derive(Debug)]
pub(super) struct Drive<'a> {
    pub(super) output: &'a OutputArgs,
    pub(super) browser: Source,
    pub(super) runs: &'a OwnDir,
    /// The folder of memory, which the output mentions if it is new. `None` in an evaluation, or if memory is not
    /// stored in a folder.
    pub(super) memory_dir: Option<&'a OwnDir>,
    pub(super) model: Arc<dyn LlmClient>,
    pub(super) options: Options,
    pub(super) memory: Arc<dyn MemoryBackend>,
    pub(super) kinds: KindOptions,
    pub(super) approver: Option<Arc<dyn Approver>>,
    /// Pause between two steps of the run, for a person who is watching.
    pub(super) pause: Duration,
    /// The requests that an evaluation sends to the browser before and after the run; `None` for a run outside an
    /// evaluation. With a probe, only warnings are printed, because no person watches the run.
    pub(super) probe: Option<Probe>,
}

type Agent = DecisionLoop<Arc<dyn BrowserDriver>, Arc<dyn LlmClient>, Arc<dyn MemoryBackend>>;

impl Drive<'_> {
    /// Opens a browser, runs the task and closes the browser. If the person asks to stop, the run ends early and the
    /// browser is closed too. An attached browser stays open; only the tabs of the run are closed.
    pub(super) async fn carry_out(self, begin: Begin, stop: &Stop) -> Result<Ended, Refusal> {
        let voice = Voice {
            json: self.output.json,
        };
        let (task, resumes) = match begin {
            Begin::New(task) => (task, false),
            Begin::Resume(task) => (task, true),
        };
        let id = task.run_id().cloned();
        let id = id.unwrap_or_else(|| RunId::from_bits(Uuid::now_v7().as_u128()));
        let folder = Arc::new(
            RunFolder::new(self.runs.path()).map_err(|error| broken("the run folder", &error))?,
        );
        let kept_in = folder.path_of(&id);
        let browser = self.open_browser(stop).await?;
        match &self.probe {
            Some(probe) => probe.prepare(&*browser.driver()).await?,
            None => self.announce(voice),
        }
        let agent = self.agent(&browser, &folder, voice, stop)?;

        let path = std::path::absolute(&kept_in).unwrap_or_else(|_| kept_in.clone());
        let task = task
            .with_run_id(id.clone())
            .with_artifact(path.display().to_string());
        // Boxed, because the state of a run is large.
        let mut run = Box::new(if resumes {
            let resumed = Box::pin(agent.resume_run(task)).await;
            resumed.map_err(|error| runs::cannot_go_on(&id, error))?
        } else {
            Box::pin(agent.start(task)).await
        });
        while let StepEnd::Continue = run.step().await {
            tokio::select! {
                () = tokio::time::sleep(self.pause) => {}
                () = stop.asked() => {}
            }
        }
        let report = run.finish().await;

        // A driver that is closed does not tell any more which transport it used.
        let transport = browser.transport();
        let driver = browser.driver();
        let last = match &self.probe {
            Some(probe) => Some(probe.look(&*driver).await),
            None => None,
        };
        // Dropping the browser would also end it, but would not wait until it has ended.
        let closed = driver.close().await.err();
        let kept = folder.close().err();
        for (what, error) in [
            ("the browser was not closed in order", closed),
            (incomplete(kept.as_ref()), kept),
        ] {
            if let Some(error) = error {
                voice.line(format_args!("     warning: {what}: {error:?}"));
            }
        }
        let page = runs::write_report(&kept_in)
            .inspect_err(|why| voice.line(format_args!("     warning: there is no report: {why}")));
        if stop.is_unread() && report.summary.stop == StopReason::Cancelled {
            return Err(Refusal::unread());
        }
        Ok(Ended {
            report,
            driver: driver.capabilities().driver,
            transport,
            model: self.model.capabilities().model,
            folder: kept_in,
            page: page.ok(),
            last,
        })
    }

    async fn open_browser(&self, stop: &Stop) -> Result<Browser, Refusal> {
        let scripts = self.probe.as_ref().is_some_and(Probe::needs_scripts);
        tokio::select! {
            () = stop.asked() => Err(if stop.is_unread() {
                Refusal::unread()
            } else {
                Refusal::failure("it was stopped before the browser was there")
            }),
            browser = Browser::open(&self.browser, scripts) => browser,
        }
    }

    /// Prints the driver, and the folder of memory if it is new.
    fn announce(&self, voice: Voice) {
        voice.line(format_args!("Driver    {}", self.browser));
        if let Some(new) = self.memory_dir.filter(|dir| dir.is_new()) {
            voice.line(format_args!(
                "Memory    new folder {}",
                new.path().display()
            ));
        }
        voice.line("");
    }

    fn agent(
        &self,
        browser: &Browser,
        folder: &Arc<RunFolder>,
        voice: Voice,
        stop: &Stop,
    ) -> Result<Agent, Refusal> {
        let mut options = self.options.clone();
        options.screenshots = self.output.screenshots;
        // The browser has one user, and the messages of a chat and the calls of an MCP client go on in its page.
        options.context = Context::Shared;
        let has_registry = options.memory;
        let mut sinks = FanOut::new().with(Arc::clone(folder) as _);
        if self.probe.is_none() {
            sinks = sinks.with(Arc::new(watch::watch(voice)));
        }
        let (model, memory) = (Arc::clone(&self.model), Arc::clone(&self.memory));
        let mut builder = DecisionLoop::builder(browser.driver(), model, memory)
            .with_options(options)
            .with_kinds(kinds_with(self.kinds))
            .with_cancel(stop.cancel())
            .with_journal(Arc::clone(folder))
            .with_sink(sinks);
        if let Some(approver) = &self.approver {
            builder = builder.with_approver(Arc::clone(approver));
        }
        if has_registry {
            builder = builder.with_registry(Arc::clone(&self.memory));
        }
        builder.build().map_err(|error| broken("the run", &error))
    }
}

fn incomplete(error: Option<&Error>) -> &'static str {
    if error.is_some_and(|error| error.operation() == RunFolder::PRUNE) {
        "an old run could not be removed"
    } else {
        "the run folder is not complete"
    }
}

fn broken(what: &str, error: &Error) -> Refusal {
    Refusal::failure(format!("{what} cannot be started: {error}"))
}
