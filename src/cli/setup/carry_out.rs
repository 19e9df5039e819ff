//! Carries out one step of `setup`: creates folders, runs commands, shows progress, and shows the output of a failed
//! command.

use std::{
    collections::VecDeque,
    fs, io,
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, BufReader},
    process,
    sync::mpsc,
    time::timeout,
};

use super::{
    environment,
    plan::{Act, Command, Step},
};
use crate::{
    base::text,
    cli::{Refusal, tell},
};

/// Maximum time that one command of a step may take. Source: chosen; Chromium with its dependencies is about 400 MB, perhaps
/// from a slow mirror.
const COMMAND_TIMEOUT: Duration = Duration::from_mins(30);
/// Maximum time to wait for the next line of output of a command that has ended. A service that the command started may keep
/// the pipes open for longer. Source: chosen.
const DRAIN: Duration = Duration::from_millis(300);
/// Number of lines that are shown from the end of a failed command's output. Source: chosen.
const SHOWN_LINES: usize = 30;
/// Maximum length of the command's output in the progress line. Unit: characters. Source: chosen for a terminal that is 80
/// characters wide.
const PROGRESS_CHARS: usize = 60;
/// Time between two updates of the progress line. Source: chosen.
const TICK: Duration = Duration::from_millis(120);

/// Carries out a step of the plan. The progress line shows it as step `number` of `count`.
pub(super) async fn carry_out(step: &Step, number: usize, count: usize) -> Result<(), Refusal> {
    let progress = Progress::start(format!("[{number}/{count}] {}", step.sentence));
    let mut failed = None;
    for act in &step.acts {
        failed = do_act(act, &progress).await.err();
        if failed.is_some() {
            break;
        }
    }
    progress.end(failed.is_none());
    match failed {
        None => Ok(()),
        Some((reason, output)) => {
            Err(Refusal::failure(format!("setup could not go on: {reason}")).with_details(output))
        }
    }
}

/// The reason why a part of a step failed, and the last lines of the command's output.
type Failed = (String, Vec<String>);

async fn do_act(act: &Act, progress: &Progress) -> Result<(), Failed> {
    match act {
        Act::Run(command) => run(command, progress).await,
        Act::PackageFolder(folder) => own_folder(folder).map_err(|error| {
            (
                format!("cannot write {}: {error}", folder.display()),
                vec![],
            )
        }),
    }
}

/// Creates a folder and its missing parents, accessible to their owner only.
pub(super) fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Creates the folder, accessible to its owner only, and a `package.json` in it, each if it is missing. The file names
/// the package and marks it as private. npm does not need it to install here, because it is called with `--prefix`.
fn own_folder(folder: &Path) -> io::Result<()> {
    private_folder(folder)?;
    match fs::File::create_new(folder.join("package.json")) {
        Ok(mut file) => io::Write::write_all(
            &mut file,
            b"{ \"name\": \"webwise-driver\", \"private\": true }\n",
        ),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Runs a command and shows its latest line of output as progress. If the command fails, returns the reason and the
/// command's last lines of output.
async fn run(command: &Command, progress: &Progress) -> Result<(), Failed> {
    let name = command
        .program
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let mut child = process::Command::new(&command.program)
        .args(&command.args)
        .env_clear()
        .envs(environment::allowed(std::env::vars_os()))
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| (format!("`{name}` cannot be started: {error}"), vec![]))?;
    let (sender, mut lines) = mpsc::channel(64);
    for pipe in [
        child.stdout.take().map(boxed),
        child.stderr.take().map(boxed),
    ]
    .into_iter()
    .flatten()
    {
        read(pipe, sender.clone());
    }
    drop(sender);
    let mut last = VecDeque::new();
    let mut keep = |line: String| {
        progress.show(&line);
        if last.len() == SHOWN_LINES {
            last.pop_front();
        }
        last.push_back(line);
    };
    let ended = timeout(COMMAND_TIMEOUT, async {
        let mut open = true;
        loop {
            tokio::select! {
                line = lines.recv(), if open => match line {
                    Some(line) => keep(line),
                    None => open = false,
                },
                status = child.wait() => return status,
            }
        }
    })
    .await;
    while let Ok(Some(line)) = timeout(DRAIN, lines.recv()).await {
        keep(line);
    }
    let reason = match ended {
        Ok(Ok(status)) if status.success() => return Ok(()),
        Ok(Ok(status)) => format!("`{name}` failed ({status}); its last lines are below"),
        Ok(Err(error)) => format!("`{name}` was lost: {error}"),
        Err(_) => format!(
            "`{name}` did not end in {} minutes",
            COMMAND_TIMEOUT.as_secs() / 60
        ),
    };
    Err((reason, last.into()))
}

fn boxed(pipe: impl AsyncRead + Unpin + Send + 'static) -> Box<dyn AsyncRead + Unpin + Send> {
    Box::new(pipe)
}

/// Starts a task that sends each line from a pipe to `lines`. The task ends when the pipe or the receiver of the lines is
/// closed.
fn read(pipe: Box<dyn AsyncRead + Unpin + Send>, lines: mpsc::Sender<String>) {
    tokio::spawn(async move {
        let mut pipe = BufReader::new(pipe);
        let mut line = Vec::new();
        while pipe.read_until(b'\n', &mut line).await.is_ok_and(|n| n > 0) {
            let text = text::squeeze(&text::clean(&String::from_utf8_lossy(&line)));
            line.clear();
            if !text.is_empty() && lines.send(text).await.is_err() {
                return;
            }
        }
    });
}

/// The display of a step's progress: on a terminal, lines that change while the step is carried out; otherwise one line at
/// the start and one at the end.
struct Progress {
    title: String,
    bar: ProgressBar,
    since: Instant,
}

impl Progress {
    fn start(title: String) -> Self {
        let bar = ProgressBar::new_spinner();
        if bar.is_hidden() {
            tell(format_args!("{title} ..."));
        } else {
            if let Ok(style) =
                ProgressStyle::with_template("{spinner:.green} {prefix} ({elapsed})\n  {msg:.dim}")
            {
                bar.set_style(style);
            }
            bar.set_prefix(title.clone());
            bar.enable_steady_tick(TICK);
        }
        Self {
            title,
            bar,
            since: Instant::now(),
        }
    }

    fn show(&self, line: &str) {
        self.bar.set_message(text::truncate(line, PROGRESS_CHARS));
    }

    fn end(&self, fine: bool) {
        self.bar.finish_and_clear();
        let word = if fine { "done" } else { "failed" };
        tell(format_args!(
            "{} {word} in {} s",
            self.title,
            self.since.elapsed().as_secs()
        ));
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn step(acts: impl IntoIterator<Item = Act>) -> Step {
        Step {
            sentence: "Try".to_owned(),
            acts: acts.into_iter().collect(),
        }
    }

    fn command(words: &[&str]) -> Act {
        Act::Run(Command::new(words[0], words[1..].iter().map(Into::into)))
    }

    #[tokio::test]
    async fn a_failed_command_shows_the_end_of_what_it_said_and_stops_the_step() {
        let dir = tempfile::tempdir().unwrap();
        let mark = dir.path().join("mark");
        let script = "for i in $(seq 1 100); do echo line $i >&2; done; echo wrong >&2; exit 4";
        let commands = [
            command(&["sh", "-c", script]),
            command(&["touch", mark.to_str().unwrap()]),
        ];
        let refusal = carry_out(&step(commands), 1, 1).await.unwrap_err();
        assert_eq!(refusal.code(), 1);
        assert!(
            refusal.sentence().contains("`sh` failed (exit status: 4)"),
            "{refusal:?}"
        );
        assert!(
            refusal.details().len() <= SHOWN_LINES
                && refusal.details().iter().any(|l| l == "wrong")
        );
        assert!(refusal.details().iter().any(|l| l == "line 100"));
        assert!(!mark.exists());
    }

    #[tokio::test]
    async fn a_program_that_is_not_there_is_named() {
        let refusal = carry_out(&step([command(&["/nowhere/npm"])]), 1, 1)
            .await
            .unwrap_err();
        assert!(
            refusal.sentence().contains("`npm` cannot be started"),
            "{refusal:?}"
        );
    }

    #[tokio::test]
    async fn the_folder_is_its_owners_and_has_a_package_of_its_own() {
        use std::os::unix::fs::PermissionsExt as _;

        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("a/b");
        for _ in 0..2 {
            carry_out(&step([Act::PackageFolder(folder.clone())]), 1, 1)
                .await
                .unwrap();
        }
        assert_eq!(
            folder.metadata().unwrap().permissions().mode() & 0o777,
            0o700
        );
        assert!(
            fs::read_to_string(folder.join("package.json"))
                .unwrap()
                .contains("private")
        );
    }
}
