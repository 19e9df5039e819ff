//! A driver on the fakes, and what it made them record.

use std::{fs, sync::Arc, time::Duration};

use webwise::{
    Error,
    action::BrowserAction,
    browser::{
        BrowserDriver as _, ExecuteRequest, Execution, PlaywrightCli, PlaywrightCliOptions,
        TransportChoice,
    },
};

use super::{
    cases::{Case, Script, Word, uploads},
    daemon::Daemon,
    fake::{self, Record},
    tool::{self, Line},
};

/// How long one command may take. Unit: time. Source: chosen; it takes a few milliseconds, and machines are busy.
const PATIENCE: Duration = Duration::from_secs(30);

/// Variables that the tool may get from this process. Source: the driver's documentation of its environment.
#[rustfmt::skip]
const FROM_HERE: &[&str] = &[
    "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "LD_LIBRARY_PATH",
    "FONTCONFIG_FILE", "FONTCONFIG_PATH",
];
/// Variables that the driver sets.
#[rustfmt::skip]
const OF_THE_DRIVER: &[&str] = &[
    "PATH", "TMPDIR", "PWTEST_DAEMON_SESSION_DIR", "PWTEST_SOCKETS_DIR", "PWTEST_SERVER_REGISTRY",
    "PWTEST_CLI_GLOBAL_CONFIG", "NO_UPDATE_NOTIFIER", "NODE_OPTIONS", "PLAYWRIGHT_DISABLE_FORCED_CHROMIUM_PROXIED_LOOPBACK", "WEBWISE_FOLDER",
    "BREAKPAD_DUMP_LOCATION",
];

/// One driver a transport, both on the fakes of one folder.
#[derive(Debug)]
pub(crate) struct Bed {
    process: Half,
    socket: Half,
    daemon: Daemon,
    /// The last to go: the others need what lies in it for their end.
    home: tempfile::TempDir,
}

/// A driver with the record of its start.
#[derive(Debug)]
struct Half {
    driver: PlaywrightCli,
    opened: Record,
}

/// What is wrong with what was sent.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// Words, scripts or numbers of commands that are not what was asked for.
    pub(crate) differences: Vec<String>,
    /// What the tool would have taken for an option though nobody asked for one.
    pub(crate) options: Vec<String>,
}

impl Found {
    pub(crate) fn add(&mut self, other: Self) {
        self.differences.extend(other.differences);
        self.options.extend(other.options);
    }
}

impl Bed {
    pub(crate) async fn start() -> Self {
        let home = tempfile::Builder::new()
            .prefix("ww")
            .tempdir_in("/tmp")
            .expect("a folder");
        let own = std::env::current_exe().expect("this program");
        std::os::unix::fs::symlink(own, home.path().join(fake::NAME))
            .expect("a link to this program");
        let daemon = Daemon::start(home.path());
        let process = Half::start(&home, TransportChoice::Process).await;
        let socket = Half::start(&home, TransportChoice::Socket).await;
        assert_eq!(
            (process.driver.transport(), socket.driver.transport()),
            ("process", "socket")
        );
        daemon.take();
        Self {
            process,
            socket,
            daemon,
            home,
        }
    }

    /// Puts the fakes into the mood in which they answer everything with their help.
    pub(crate) fn answer_with_help(&self) {
        fs::write(self.home.path().join(fake::MOOD), "help").expect("the mood can be written");
    }

    /// Carries an action out by both transports.
    pub(crate) async fn ask(&self, action: &BrowserAction) -> [Result<Execution, Error>; 2] {
        let files = uploads().into_iter().collect();
        let request = ExecuteRequest::new(action.clone())
            .with_files(Arc::new(files))
            .with_timeout(PATIENCE);
        [
            self.process.driver.execute(&request).await,
            self.socket.driver.execute(&request).await,
        ]
    }

    /// How often anything was started or sent since this was last asked.
    pub(crate) fn activity(&self) -> usize {
        Record::take(self.home.path()).len() + self.daemon.take().len()
    }

    /// Carries a case out by both transports, and compares what was sent with what must be sent.
    pub(crate) async fn check(&self, case: &Case) -> Found {
        let mut found = Found::default();
        for (transport, execution) in ["process", "socket"]
            .iter()
            .zip(self.ask(&case.action).await)
        {
            match execution {
                Ok(execution) if execution.outcome.is_done() => {}
                other => found.differences.push(format!("{transport}: {other:?}")),
            }
        }
        let commands = Self::commands(case);
        let (records, lines) = (Record::take(self.home.path()), self.daemon.take());
        if (records.len(), lines.len()) != (commands.len(), commands.len()) {
            let sent = (records.len(), lines.len());
            found.differences.push(format!(
                "{}: {sent:?} processes and lines for {} commands",
                case.action.tool().as_str(),
                commands.len()
            ));
        }
        for (command, (record, line)) in commands.iter().zip(records.iter().zip(&lines)) {
            found.add(self.compare_record(command, record));
            found.add(self.compare_line(command, line));
        }
        found
    }

    /// What an action sends, one after the other: what answers it in a page is watched from before it until after it, and what a
    /// script in the tool did to the page is looked for.
    pub(crate) fn commands(case: &Case) -> Vec<Case> {
        let mut commands = vec![case.clone()];
        let watch = |words| Case {
            action: case.action.clone(),
            command: "run-code",
            options: vec!["filename"],
            words: Vec::new(),
            script: Some(Script::Own(words)),
        };
        if is_watched(&case.action) {
            commands.insert(0, watch("self.webwiseTraces.begin()"));
            commands.push(watch("self.webwiseTraces.end()"));
        }
        if matches!(case.action, BrowserAction::RunCode(_)) {
            let (command, options, words, script) = ("tab-list", Vec::new(), Vec::new(), None);
            commands.push(Case {
                action: case.action.clone(),
                command,
                options,
                words,
                script,
            });
        }
        commands
    }

    fn words(&self, case: &Case) -> Vec<Word> {
        let states = self.home.path().join("states").display().to_string();
        let placed = |word: &Word| match word {
            Word::Exactly(text) => Word::Exactly(text.replace("<out>", &states)),
            quoted @ Word::Quoted(..) => quoted.clone(),
        };
        [Word::Exactly(case.command.to_owned())]
            .into_iter()
            .chain(case.words.iter().map(placed))
            .collect()
    }

    fn compare_record(&self, case: &Case, record: &Record) -> Found {
        let mut found = Found::default();
        let folder = String::from_utf8_lossy(&record.folder).into_owned();
        let session = format!("-s=ww-{}", folder.rsplit('-').next().unwrap_or_default());
        let end = record
            .arguments
            .iter()
            .position(|argument| argument == b"--");
        let (before, after) = record
            .arguments
            .split_at(end.unwrap_or(record.arguments.len()));
        // Everything before the first `--` is of a closed list.
        for argument in before {
            let text = String::from_utf8_lossy(argument);
            let is_ours = text == session
                || text == case.command
                || (text == "--submit" && case.options.contains(&"submit"));
            let is_file = case.options.contains(&"filename")
                && text.starts_with(&format!("--filename={folder}/"));
            if !is_ours && !is_file {
                found.options.push(format!("{text:?} before `--`"));
            }
        }
        // The tool itself would read the same.
        let text: Vec<String> = record
            .arguments
            .iter()
            .map(|a| String::from_utf8_lossy(a).into_owned())
            .collect();
        let line = tool::read(&text);
        found.options.extend(
            line.options
                .keys()
                .filter(|name| *name != "s" && !case.options.contains(&&***name))
                .cloned(),
        );
        if line.options.get("s").map(|name| format!("-s={name}")) != Some(session) {
            found
                .options
                .push(format!("another session: {:?}", line.options.get("s")));
        }
        let words = self.words(case);
        let sent: Vec<&[u8]> = std::iter::once(case.command.as_bytes())
            .chain(after.iter().skip(1).map(Vec::as_slice))
            .collect();
        found.differences.extend(compare(&words, &sent, case));
        found.differences.extend(compare(
            &words,
            &line.words.iter().map(String::as_bytes).collect::<Vec<_>>(),
            case,
        ));
        if !case
            .script
            .as_ref()
            .map_or(record.script.is_empty(), |script| script.is(&record.script))
        {
            found
                .differences
                .push(format!("the script of {:?}", case.action.tool()));
        }
        if !record.stdin.is_empty()
            || record.environment != self.process.opened.environment
            || record.folder != self.process.opened.folder
        {
            found
                .differences
                .push("standard input, environment or working folder".to_owned());
        }
        found
    }

    fn compare_line(&self, case: &Case, line: &str) -> Found {
        let mut found = Found::default();
        let request: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
        let params = &request["params"];
        let sent = tool::line_of(&params["args"]);
        found.options.extend(
            sent.options
                .keys()
                .filter(|name| !case.options.contains(&&***name))
                .cloned(),
        );
        let mut words = sent.words.clone();
        let script = if case.script.is_some() && words.len() > 1 {
            words.remove(1)
        } else {
            String::new()
        };
        if !case.script.as_ref().map_or(script.is_empty(), |script_is| {
            script_is.is(script.as_bytes())
        }) {
            found.differences.push(format!(
                "the script of {:?} by the socket",
                case.action.tool()
            ));
        }
        found.differences.extend(compare(
            &self.words(case),
            &words.iter().map(String::as_bytes).collect::<Vec<_>>(),
            case,
        ));
        // Nothing else in the arguments, and the rest is the same for every command.
        let folder = String::from_utf8_lossy(&self.socket.opened.folder).into_owned();
        let expected = Line {
            options: sent.options.clone(),
            words: sent.words,
        };
        let frame = (
            &request["method"],
            &params["cwd"],
            &params["raw"],
            &params["json"],
        );
        if params["args"] != tool::args_of(&expected)
            || frame != (&"run".into(), &folder.into(), &false.into(), &false.into())
        {
            found.differences.push(format!(
                "the frame of a line: {}",
                &line[..line.len().min(200)]
            ));
        }
        found
    }
}

/// A sentence if the words are not the same in number, order and bytes.
fn compare(wanted: &[Word], sent: &[&[u8]], case: &Case) -> Option<String> {
    let same =
        wanted.len() == sent.len() && wanted.iter().zip(sent).all(|(word, bytes)| word.is(bytes));
    let shown = || {
        let sent = sent
            .iter()
            .map(|bytes| String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).into_owned());
        format!(
            "{:?} sent {:?}",
            case.action.tool(),
            sent.collect::<Vec<_>>()
        )
    };
    (!same).then(shown)
}

impl Half {
    async fn start(home: &tempfile::TempDir, transport: TransportChoice) -> Self {
        let options =
            PlaywrightCliOptions::new(home.path().join(fake::NAME), "/nonexistent/chromium")
                .with_folder(home.path())
                .with_state_folder(home.path().join("states"))
                .with_scripts(true)
                .with_transport(transport);
        let driver = PlaywrightCli::launch(&options)
            .await
            .expect("the fake can be started");
        let [opened] = Record::take(home.path())
            .try_into()
            .expect("one process opens the browser");
        Self { driver, opened }
    }
}

/// Reports whether an action sends events to a page, in which something may answer.
const fn is_watched(action: &BrowserAction) -> bool {
    use BrowserAction as A;
    matches!(
        action,
        A::Click(_)
            | A::Dblclick(_)
            | A::ClickAt(_)
            | A::ClickXy(_)
            | A::DragBy(_)
            | A::DragXy(_)
            | A::Hover(_)
            | A::HoverXy(_)
            | A::Check(_)
            | A::Uncheck(_)
            | A::Drag(_)
            | A::Fill(_)
            | A::Type(_)
            | A::Press(_)
            | A::SelectText(_)
            | A::Select(_)
    )
}

impl Record {
    /// What is wrong with the start of a browser: its arguments, its environment, its folder.
    pub(crate) fn wrong(&self) -> Vec<String> {
        let folder = String::from_utf8_lossy(&self.folder).into_owned();
        let config = format!("--config={folder}/config.json");
        let mut wrong = Vec::new();
        let arguments: Vec<_> = self
            .arguments
            .iter()
            .map(|a| String::from_utf8_lossy(a))
            .collect();
        if !matches!(&arguments[..], [session, open, file] if session.starts_with("-s=ww-") && open == "open" && *file == config)
        {
            wrong.push(format!("arguments {arguments:?}"));
        }
        for pair in &self.environment {
            let pair = String::from_utf8_lossy(pair);
            let name = pair.split('=').next().unwrap_or_default();
            let passes = FROM_HERE.contains(&name)
                || OF_THE_DRIVER.contains(&name)
                || name.starts_with("LC_")
                || name.starts_with("XDG_");
            if !passes {
                wrong.push(format!("variable {name}"));
            }
        }
        wrong
    }
}

impl Bed {
    /// What is wrong with how the browsers were opened.
    pub(crate) fn wrong(&self) -> Vec<String> {
        [&self.process, &self.socket]
            .into_iter()
            .flat_map(|half| half.opened.wrong())
            .collect()
    }

    /// Whether a script stood anywhere: for the control that scripts are looked at.
    pub(crate) const fn has_script(case: &Case) -> bool {
        matches!(case.script, Some(Script::Exactly(_) | Script::Literal(..)))
    }
}
