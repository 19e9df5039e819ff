//! The transport that starts a process of the tool's client for each command, without a shell. Arguments that are not
//! options follow `--`.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use async_trait::async_trait;
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    process::Command as Child,
};
use zeroize::Zeroizing;

use super::{Command, MAX_REPLY, RawReply, Transport, TransportError};
use crate::{base::text::clean, secret::Secret};

/// Maximum length of an argument. A longer text of `fill`, `type` or `select` is passed in a script; an action with any
/// other longer text is refused. Unit: bytes. Source: Linux allows 131,072 for one argument, including the closing NUL.
pub(in super::super) const MAX_ARGUMENT: usize = 100_000;

/// Path of the bare client, relative to the folder of the tool's program. The bare client only talks to the daemon. The
/// tool's program first loads all of Playwright, which takes three quarters of the 0.4 s of a command.
const BARE_CLIENT: &str = "../../playwright-core/lib/tools/cli-client/cli.js";

#[derive(Debug)]
pub(in super::super) struct Process {
    program: PathBuf,
    /// The path of the bare client (see [`BARE_CLIENT`]); `None` if it was not found.
    bare: Option<PathBuf>,
    session: String,
    folder: PathBuf,
    environment: Vec<(OsString, OsString)>,
}

impl Process {
    /// Creates the transport for one session of the tool. `folder` is the working directory of the processes.
    pub(in super::super) fn new(
        program: PathBuf,
        session: String,
        folder: PathBuf,
        environment: Vec<(OsString, OsString)>,
    ) -> Self {
        let bare = bare_client(&program);
        Self {
            program,
            bare,
            session,
            folder,
            environment,
        }
    }

    /// Runs the tool's program and returns its output, even if it reports an error. Used to open and close a session.
    pub(in super::super) async fn output(
        &self,
        arguments: Vec<String>,
        timeout: Duration,
    ) -> Result<Output, TransportError> {
        self.start(Child::new(&self.program), arguments, timeout)
            .await
    }

    async fn start(
        &self,
        mut child: Child,
        arguments: Vec<String>,
        timeout: Duration,
    ) -> Result<Output, TransportError> {
        if arguments.iter().any(|argument| argument.contains('\0')) {
            return Err(TransportError::Nul);
        }
        child
            .args(&arguments)
            .current_dir(&self.folder)
            .env_clear()
            .envs(self.environment.iter().map(|(key, value)| (key, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        child.process_group(0);
        let mut child = child.spawn().map_err(TransportError::Spawn)?;
        let _group = Group(child.id());
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let work = async {
            let (stdout, stderr, status) = tokio::try_join!(read(stdout), read(stderr), async {
                child.wait().await.map_err(TransportError::Io)
            })?;
            Ok(Output {
                stdout,
                stderr,
                status,
            })
        };
        let output = tokio::time::timeout(timeout, work)
            .await
            .unwrap_or(Err(TransportError::Timeout(timeout)))?;
        if output.stdout.len() > MAX_REPLY {
            Err(TransportError::TooLarge)
        } else {
            Ok(output)
        }
    }
}

fn bare_client(program: &Path) -> Option<PathBuf> {
    let script = program.canonicalize().ok()?;
    let tool = script.ends_with("@playwright/cli/playwright-cli.js");
    let client = script.parent()?.join(BARE_CLIENT);
    (tool && client.is_file()).then_some(client)
}

#[derive(Debug)]
pub(in super::super) struct Output {
    stdout: Zeroizing<Vec<u8>>,
    stderr: Zeroizing<Vec<u8>>,
    status: ExitStatus,
}

impl Output {
    /// Returns the reply on standard output. After a usage error or a crash there is none; then returns the most
    /// important line of standard error instead.
    pub(in super::super) fn reply(&self) -> RawReply {
        let stdout = String::from_utf8_lossy(&self.stdout);
        let text = stdout.strip_suffix('\n').unwrap_or(&stdout);
        if self.status.success() {
            return RawReply {
                text: Secret::new(text),
                is_error: false,
            };
        }
        if text.starts_with("### ") {
            return RawReply {
                text: Secret::new(text),
                is_error: true,
            };
        }
        let stderr = clean(&String::from_utf8_lossy(&self.stderr));
        RawReply::refusal(
            own_words(&stderr)
                .or_else(|| own_words(text))
                .unwrap_or("the program failed without a word"),
        )
    }
}

/// Returns the line of standard error that gives the reason: after a crash the line with the exception, otherwise the
/// first line.
fn own_words(text: &str) -> Option<&str> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let exception = lines
        .clone()
        .find(|line| line.starts_with("Error: ") || line.starts_with("TypeError: "));
    exception.or_else(|| lines.next())
}

async fn read(pipe: Option<impl AsyncRead + Unpin>) -> Result<Zeroizing<Vec<u8>>, TransportError> {
    let mut bytes = Zeroizing::new(Vec::new());
    if let Some(pipe) = pipe {
        let mut pipe = pipe.take(MAX_REPLY as u64 + 1);
        pipe.read_to_end(&mut bytes)
            .await
            .map_err(TransportError::Io)?;
    }
    Ok(bytes)
}

/// The process group of one run of the tool's client. Dropping it kills all its processes. The daemon is not in this
/// group.
struct Group(Option<u32>);

impl Drop for Group {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(pid) = self
            .0
            .and_then(|id| i32::try_from(id).ok())
            .and_then(rustix::process::Pid::from_raw)
        {
            // This fails if the group has already ended, which is the usual case.
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        }
    }
}

/// A script's file, which only this user can read. Dropping it removes the file.
struct ScriptFile(PathBuf);

impl ScriptFile {
    fn write(folder: &Path, code: &Secret) -> std::io::Result<Self> {
        let file = Self(folder.join(format!("script-{}.js", uuid::Uuid::new_v4().simple())));
        crate::browser::chromium::write_private(&file.0, code.expose().as_bytes())?;
        Ok(file)
    }
}

impl Drop for ScriptFile {
    fn drop(&mut self) {
        // If this fails, the file is removed later with the private folder.
        let _ = std::fs::remove_file(&self.0);
    }
}

#[async_trait]
impl Transport for Process {
    fn name(&self) -> &'static str {
        "process"
    }

    async fn run(&self, command: &Command, timeout: Duration) -> Result<RawReply, TransportError> {
        let mut arguments = vec![format!("-s={}", self.session), command.name.to_owned()];
        for (name, value) in &command.flags {
            arguments.push(match value {
                Some(value) => format!("--{name}={value}"),
                None => format!("--{name}"),
            });
        }
        let script = match &command.code {
            Some(code) => {
                Some(ScriptFile::write(&self.folder, code).map_err(TransportError::Spawn)?)
            }
            None => None,
        };
        arguments.extend(
            script
                .iter()
                .map(|file| format!("--filename={}", file.0.display())),
        );
        arguments.push("--".to_owned());
        arguments.extend(command.positionals.iter().cloned());
        let child = match &self.bare {
            Some(script) => {
                let mut node = Child::new("node");
                node.arg(script);
                node
            }
            None => Child::new(&self.program),
        };
        Ok(self.start(child, arguments, timeout).await?.reply())
    }

    async fn stop(&self, timeout: Duration) -> Result<(), TransportError> {
        self.output(
            vec![format!("-s={}", self.session), "close".to_owned()],
            timeout,
        )
        .await
        .map(drop)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LONG: Duration = Duration::from_secs(20);

    fn fake(folder: &Path, script: &str) -> Process {
        let program = folder.join("fake");
        // Another process writes the file. If this process wrote it, a program that another test starts at the same
        // time would inherit the open file, and a file that is open for writing cannot be executed.
        let write = r#"printf '#!/bin/sh\n%s\n' "$2" > "$1" && chmod 700 "$1""#;
        let written = std::process::Command::new("/bin/sh")
            .args(["-c", write, "sh"])
            .args([program.as_os_str(), script.as_ref()])
            .status();
        assert!(written.unwrap().success());
        let path = std::env::var_os("PATH").unwrap_or_default();
        Process::new(
            program,
            "s1".into(),
            folder.to_owned(),
            vec![("PATH".into(), path)],
        )
    }

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
            .block_on(future)
    }

    #[test]
    fn a_process_sees_exactly_the_values_it_was_given_and_all_behind_the_dashes() {
        let folder = tempfile::tempdir().unwrap();
        let process = fake(folder.path(), "printf '%s\\0' \"$@\" > argv");
        let run = |values: Vec<String>| {
            let command = Command::new("fill").flag("submit").args(values.clone());
            block_on(process.run(&command, LONG)).unwrap();
            let argv = std::fs::read(folder.path().join("argv")).unwrap();
            let argv: Vec<String> = argv
                .split(|b| *b == 0)
                .map(|a| String::from_utf8(a.to_vec()).unwrap())
                .collect();
            assert_eq!(argv[..4], ["-s=s1", "fill", "--submit", "--"]);
            assert_eq!(argv[4..argv.len() - 1], values);
        };
        run(vec![
            "e8".into(),
            "--help".into(),
            "-s=other".into(),
            String::new(),
            "a\nb".into(),
            "$(id) `x` \\ '\"".into(),
        ]);
        let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(40));
        let checked = runner.run(&prop::collection::vec("[^\0]{0,20}", 0..4), |values| {
            run(values);
            Ok(())
        });
        checked.unwrap();
        let nul = block_on(process.run(&Command::new("fill").arg("a\0b"), LONG)).unwrap_err();
        assert!(matches!(nul, TransportError::Nul) && nul.nothing_was_sent());
    }

    #[test]
    fn a_script_reaches_the_tool_by_a_file_that_is_gone_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let process = fake(
            folder.path(),
            "f=${3#--filename=}; printf '%s\\n' \"$@\" > argv; printf '### Result\\n'; stat -c %a \"$f\"; cat \"$f\"",
        );
        let reply =
            block_on(process.run(&Command::script("async page => 'hunter2'"), LONG)).unwrap();
        assert_eq!(
            reply.text.expose(),
            "### Result\n600\nasync page => 'hunter2'"
        );
        assert!(
            !std::fs::read_to_string(folder.path().join("argv"))
                .unwrap()
                .contains("hunter2")
        );
        let left: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        assert!(
            left.iter()
                .all(|name| !name.to_string_lossy().starts_with("script")),
            "{left:?}"
        );
    }

    #[test]
    fn both_channels_of_errors_become_one() {
        let folder = tempfile::tempdir().unwrap();
        for (script, text) in [
            (
                "printf '### Error\\nError: x\\n'; exit 1",
                "### Error\nError: x",
            ),
            (
                "echo usage; echo 'Unknown option: --x' >&2; exit 1",
                "### Error\nUnknown option: --x",
            ),
            (
                "printf '/a/b.js:1\\n  throw\\n\\nError: Session closed\\n  at x\\n' >&2; exit 1",
                "### Error\nError: Session closed",
            ),
            (
                "echo \"The browser 'x' is not open\"; exit 1",
                "### Error\nThe browser 'x' is not open",
            ),
            ("exit 3", "### Error\nthe program failed without a word"),
        ] {
            let reply = block_on(fake(folder.path(), script).run(&Command::read("snapshot"), LONG))
                .unwrap();
            assert_eq!((reply.text.expose(), reply.is_error), (text, true));
        }
        let reply =
            block_on(fake(folder.path(), "echo '### Page'").run(&Command::read("snapshot"), LONG))
                .unwrap();
        assert_eq!((reply.text.expose(), reply.is_error), ("### Page", false));
    }

    #[test]
    fn a_command_that_takes_too_long_is_ended_with_its_children() {
        let folder = tempfile::tempdir().unwrap();
        let process = fake(folder.path(), "sleep 300 & echo $! > child; wait");
        let error =
            block_on(process.run(&Command::new("click"), Duration::from_millis(500))).unwrap_err();
        assert!(matches!(error, TransportError::Timeout(_)) && !error.nothing_was_sent());
        let child = std::fs::read_to_string(folder.path().join("child")).unwrap();
        let gone = || {
            std::fs::read_to_string(format!("/proc/{}/stat", child.trim()))
                .is_ok_and(|s| !s.contains(") Z "))
        };
        for _ in 0..100 {
            if !gone() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the child of the command is still there");
    }

    #[test]
    fn a_missing_program_is_told_apart() {
        let process = Process::new(
            "/nonexistent/tool".into(),
            "s".into(),
            "/".into(),
            Vec::new(),
        );
        let error = block_on(process.run(&Command::read("snapshot"), LONG)).unwrap_err();
        assert!(matches!(error, TransportError::Spawn(_)));
    }
}
