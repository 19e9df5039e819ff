//! The task of a run.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

use super::{Cancel, Options, State, handle::Controls, returns::Returns};
use crate::{
    action::{ParameterName, Parameters},
    base::{Error, ErrorKind, Host, Result, RunId, SessionId, Site, text},
    memory::Advice,
    registry::{Checkpoint, Continuation},
    secret::{SecretName, Vault},
    working::WorkingMemory,
};

/// Maximum length of the goal, and of the instructions. Unit: characters. Source: chosen; every request contains both.
pub(super) const MAX_GOAL: usize = 8_000;
/// Maximum length of the name of a file. Unit: characters. Source: chosen; the same as for a given text.
const MAX_FILE_NAME: usize = 60;

/// A task: a goal, a start address, and the parameters, files, secrets and sites that the agent may use.
///
/// ```
/// use webwise::Task;
///
/// let task = Task::new("Find the opening hours")?.with_start_url("https://example.com")?;
/// assert_eq!(task.start_url().unwrap().as_str(), "https://example.com/");
/// # Ok::<(), webwise::Error>(())
/// ```
#[derive(Clone)]
pub struct Task {
    pub(super) goal: String,
    pub(super) instructions: String,
    pub(super) site_notes: Vec<(Host, String)>,
    pub(super) start_url: Option<Url>,
    pub(super) parameters: Parameters,
    pub(super) given: BTreeMap<String, String>,
    pub(super) files: Arc<BTreeMap<String, PathBuf>>,
    pub(super) vault: Arc<Vault>,
    pub(super) allow: Vec<Site>,
    pub(super) session: Option<SessionId>,
    pub(super) run: Option<RunId>,
    pub(super) parent: Option<Continuation>,
    pub(super) artifacts: Vec<String>,
    pub(super) cancel: Cancel,
    /// The form of the answer; `None` for a text.
    pub(super) returns: Option<Returns>,
    /// The options of this run; `None` for those of the agent.
    pub(super) options: Option<Box<Options>>,
    /// What the run shares with its handle; `None` if it has none.
    pub(super) controls: Option<Arc<Controls>>,
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let redactor = self.vault.redactor();
        f.debug_struct("Task")
            .field("goal", &redactor.text(&self.goal))
            .field(
                "start_url",
                &self
                    .start_url
                    .as_ref()
                    .map(|url| redactor.text(url.as_str())),
            )
            .field("parameters", &self.parameters.keys().collect::<Vec<_>>())
            .field("secrets", &self.vault.names().collect::<Vec<_>>())
            .field("allow", &self.allow)
            .field("session", &self.session)
            .field("run", &self.run)
            .finish_non_exhaustive()
    }
}

impl Task {
    /// Makes a task with this goal.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the goal is empty or longer than 8,000 characters.
    pub fn new(goal: impl Into<String>) -> Result<Self> {
        let goal = goal.into();
        if goal.trim().is_empty() || goal.chars().count() > MAX_GOAL {
            return Err(Error::new(ErrorKind::InvalidInput, "task.new")
                .with("goal", "must have 1 to 8000 characters"));
        }
        Ok(Self {
            goal,
            instructions: String::new(),
            site_notes: Vec::new(),
            start_url: None,
            parameters: Parameters::new(),
            given: BTreeMap::new(),
            files: Arc::default(),
            vault: Arc::default(),
            allow: Vec::new(),
            session: None,
            run: None,
            parent: None,
            artifacts: Vec::new(),
            cancel: Cancel::new(),
            returns: None,
            options: None,
            controls: None,
        })
    }

    /// Sets the page to open first.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the text is not an http or https URL, or if the URL contains a user name or
    /// password.
    pub fn with_start_url(mut self, url: &str) -> Result<Self> {
        let wrong =
            |why: String| Error::new(ErrorKind::InvalidInput, "task.start_url").with("why", why);
        let url = Url::parse(url).map_err(|error| wrong(format!("not a URL: {error}")))?;
        Site::of(&url).map_err(|_| wrong("an http or https address is needed".to_owned()))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong(
                "it must not hold a user name or password; use secrets".to_owned(),
            ));
        }
        self.start_url = Some(url);
        Ok(self)
    }

    /// Sets the user's instructions, which say how the work should be done. The system instruction contains them, with
    /// secrets replaced.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if they are longer than 8,000 characters.
    pub fn with_instructions(mut self, instructions: impl Into<String>) -> Result<Self> {
        let instructions = instructions.into();
        if instructions.chars().count() > MAX_GOAL {
            return Err(Error::new(ErrorKind::InvalidInput, "task.instructions")
                .with("instructions", "must have at most 8000 characters"));
        }
        self.instructions = instructions;
        Ok(self)
    }

    /// Adds a note of the user about a host and its subdomains. While the browser shows a page of one of them, each
    /// message to the model contains the note. If the host is not https or has a port of its own, the note is for this
    /// very host only.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the note is empty or longer than 300 characters.
    pub fn with_site_note(mut self, host: Host, note: impl Into<String>) -> Result<Self> {
        let note = note.into();
        if note.trim().is_empty() || note.chars().count() > Advice::MAX_TEXT {
            return Err(Error::new(ErrorKind::InvalidInput, "task.site_note")
                .with("note", "must have 1 to 300 characters"));
        }
        self.site_notes.push((host, note));
        Ok(self)
    }

    pub(super) fn notes_for(&self, host: &Host) -> Vec<&str> {
        let hosts = host.and_above();
        let here = self
            .site_notes
            .iter()
            .filter(|(host, _)| hosts.contains(host));
        here.map(|(_, note)| &**note).collect()
    }

    /// Adds a parameter: a value with a name. The goal refers to the value by this name.
    pub fn with_parameter(mut self, name: ParameterName, value: impl Into<String>) -> Self {
        self.parameters.insert(name, value.into());
        self
    }

    /// Gives the run a text that the work needs and no page shows, such as a letter to answer or a record of a
    /// customer. The model is told to read the text as data, and not to follow it like
    /// [instructions](Self::with_instructions). An earlier text of the same name is replaced.
    ///
    /// # Errors
    /// Returns the errors of [`WorkingMemory::give`], which accepts at most 20 texts of 4,000 characters each.
    pub fn with_given(mut self, name: &str, text: &str) -> Result<Self> {
        let mut memory = WorkingMemory::default();
        for (name, text) in &self.given {
            memory.give(name, text)?;
        }
        memory.give(name, text)?;
        self.given = memory.given().clone();
        Ok(self)
    }

    /// Gives the run a file that it may upload: the model is offered `upload`, and the name, but not the path. Whether an
    /// upload needs approval is decided as for every action that cannot be undone. A relative path starts in the working
    /// folder of this process. An earlier file of the same name is replaced.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the name is blank, longer than 60 characters, or has line breaks, commas or
    /// invisible characters, or if the path leads to no file.
    pub fn with_file(mut self, name: &str, path: impl AsRef<Path>) -> Result<Self> {
        let wrong = |why: String| {
            let error = Error::new(ErrorKind::InvalidInput, "task.file");
            Err(error
                .with("name", text::cut(name, MAX_FILE_NAME))
                .with("why", why))
        };
        // Prompts and refusals separate the names by commas.
        let is_plain = text::squeeze(&text::clean(name)) == name && !name.contains(',');
        if name.is_empty() || !is_plain || name.chars().count() > MAX_FILE_NAME {
            return wrong(
                "the name must have 1 to 60 characters on one line, and no comma".to_owned(),
            );
        }
        let path = match std::path::absolute(&path) {
            Ok(path) if path.is_file() => path,
            _ => return wrong(format!("{} is no file", path.as_ref().display())),
        };
        Arc::make_mut(&mut self.files).insert(name.to_owned(), path);
        Ok(self)
    }

    /// Sets the secrets that the run may use. A run with secrets may visit only the site of the start address and the
    /// sites added by [`with_allowed`](Self::with_allowed).
    pub fn with_secrets(mut self, vault: Vault) -> Self {
        self.vault = Arc::new(vault);
        self
    }

    /// Allows the run to visit this site. As soon as one site is added in this way, the run may visit only the site
    /// of the start address and the added sites.
    pub fn with_allowed(mut self, site: Site) -> Self {
        self.allow.push(site);
        self
    }

    /// Assigns the run to a session: a group of runs that belong together, such as the tasks of one conversation. A run is told
    /// the goals of the session's earlier runs. Runs of one session and one [namespace](super::Options::namespace) share cookies,
    /// storage and tabs, unless the browser is [shared](super::Context::Shared) anyway, and take turns. At most
    /// [`max_conversations`](super::Options::max_conversations) sessions keep theirs.
    pub fn with_session(mut self, session: SessionId) -> Self {
        self.session = Some(session);
        self
    }

    /// Sets the run's id, for callers that must know it before the run starts. By default the loop generates the id.
    pub fn with_run_id(mut self, run: RunId) -> Self {
        self.run = Some(run);
        self
    }

    /// Makes the task with which a run is [resumed](super::DecisionLoop::resume_run). The goal, start address,
    /// session and id come from the checkpoint. A checkpoint does not contain the secrets, parameters, given texts, files,
    /// allowed sites and site notes of the original task, so add them again.
    ///
    /// # Errors
    /// `Unsupported` if the checkpoint is in another version of the format, as another version of this crate may write
    /// it; `Corrupt` if the checkpoint cannot be read.
    pub fn of_checkpoint(checkpoint: &Checkpoint) -> Result<Self> {
        let (state, _) = State::of_checkpoint(checkpoint)?;
        let mut task = Self::new(state.about.goal)?.with_run_id(state.run);
        if let Some(start) = &state.about.start {
            task = task.with_start_url(start)?;
        }
        task.session = state.about.session;
        Ok(task)
    }

    /// Makes the run of this task continue an earlier run. The goal is that of this task. If the task has no start
    /// address, the run starts where the earlier run ended. The new run belongs to the session in `earlier` or, if
    /// there is none, to the session of this task.
    ///
    /// # Errors
    /// Returns the errors of [`with_start_url`](Self::with_start_url).
    pub fn continuing(mut self, earlier: Continuation) -> Result<Self> {
        if self.start_url.is_none() {
            self = self.with_start_url(earlier.start_url.as_str())?;
        }
        self.session = earlier.session.clone().or(self.session);
        self.parent = Some(earlier);
        Ok(self)
    }

    /// Adds the path of a folder or file that belongs to the run, so that the
    /// [register](super::Builder::with_registry) of runs lists the path.
    pub fn with_artifact(mut self, path: impl Into<String>) -> Self {
        self.artifacts.push(path.into());
        self
    }

    /// Sets a handle that stops this run only.
    pub fn with_cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// Asks for an answer of this type instead of a text. The model gets the type's schema with the tool `finish`, and an answer
    /// of another form is refused. Its doc comments are sent to the model.
    /// [`RunReport::into_result`](super::RunReport::into_result) returns the value, and lists the fields that no page supports.
    ///
    /// ```
    /// use schemars::JsonSchema;
    /// use serde::Deserialize;
    /// use webwise::Task;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Order {
    ///     /// As the confirmation shows it.
    ///     number: String,
    ///     total: f64,
    /// }
    ///
    /// let task = Task::new("Order a mug")?.returning::<Order>();
    /// # Ok::<(), webwise::Error>(())
    /// ```
    pub fn returning<T: JsonSchema + DeserializeOwned>(mut self) -> Self {
        self.returns = Some(Returns::of::<T>());
        self
    }

    /// Asks for an answer with this JSON Schema instead of a text, as [`returning`](Self::returning) does for a type. `check`
    /// says what is wrong with an answer.
    pub fn returning_json(
        mut self,
        schema: Value,
        check: impl Fn(&Value) -> std::result::Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.returns = Some(Returns::new(schema, check));
        self
    }

    /// Sets the options of this run, such as its budget, its approval mode and its model, in place of the agent's. Begin with
    /// the [agent's options](super::DecisionLoop::options). The register of runs keeps the agent's namespace.
    ///
    /// ```
    /// # use webwise::{BrowserDriver, DecisionLoop, LlmClient, MemoryBackend, Task};
    /// # fn doc<B: BrowserDriver, L: LlmClient, M: MemoryBackend>(agent: &DecisionLoop<B, L, M>) -> webwise::Result<Task> {
    /// let mut options = agent.options().clone();
    /// options.budget.max_steps = 10;
    /// options.model = Some("claude-haiku-4-5".to_owned());
    /// Task::new("Find the opening hours")?.with_options(options)
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if an option is invalid. The error names the option.
    pub fn with_options(mut self, options: Options) -> Result<Self> {
        options.check("task.options")?;
        self.options = Some(Box::new(options));
        Ok(self)
    }

    /// Returns the names of the secrets that the task lacks: the goal contains their placeholders, but
    /// [`with_secrets`](Self::with_secrets) did not provide them.
    ///
    /// ```
    /// let task = webwise::Task::new("Log in with <secret:PASSWORD>")?;
    /// assert_eq!(task.missing_secrets()[0].as_str(), "PASSWORD");
    /// # Ok::<(), webwise::Error>(())
    /// ```
    pub fn missing_secrets(&self) -> Vec<SecretName> {
        let named = self
            .goal
            .split("<secret:")
            .skip(1)
            .filter_map(|rest| rest.split_once('>'));
        named
            .filter_map(|(name, _)| SecretName::parse(name).ok())
            .filter(|name| !self.vault.contains(name))
            .collect()
    }

    /// Returns the run's id; `None` if [`with_run_id`](Self::with_run_id) did not set it.
    pub const fn run_id(&self) -> Option<&RunId> {
        self.run.as_ref()
    }

    /// Returns the goal.
    pub fn goal(&self) -> &str {
        &self.goal
    }

    /// Returns the address of the page to open first; `None` if the run starts on the page that the browser shows.
    pub const fn start_url(&self) -> Option<&Url> {
        self.start_url.as_ref()
    }
}
