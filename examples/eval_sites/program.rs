//! Runs `webwise eval` as a process of its own, because a secret is read from the environment of its process.

use std::{
    env,
    ffi::OsString,
    path::Path,
    process::{ExitCode, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tokio::{
    io::AsyncReadExt as _,
    process::Command,
    signal::unix::{SignalKind, signal},
};

use crate::Failed;

/// The first argument with which this program is `webwise`.
const AS_WEBWISE: &str = "--as-webwise";

/// An evaluation that is to be made.
#[derive(Debug)]
pub(crate) struct Program<'a> {
    pub(crate) cases: &'a Path,
    pub(crate) seeds: u32,
    pub(crate) runs: &'a Path,
    pub(crate) password: &'a str,
}

/// Runs `webwise` if the arguments ask for it, and returns its exit code; `None` if they do not.
pub(crate) fn is_asked_for(mut arguments: env::ArgsOs) -> Option<ExitCode> {
    let own = arguments.next()?;
    (arguments.next()? == AS_WEBWISE)
        .then(|| webwise::cli::main([own].into_iter().chain(arguments)))
}

impl Program<'_> {
    /// Returns the figures that the evaluation prints. A signal ends it after its current action; its figures then say so.
    pub(crate) async fn run(&self) -> Result<Value, Failed> {
        let words = [
            AS_WEBWISE,
            "eval",
            "--model",
            "stand-in",
            "--driver",
            "cdp",
            "--approve",
            "auto",
            "--json",
            "--arms",
            "off,cold,warm,withheld",
            "--seeds",
        ];
        // In a group of its own, so that it gets a signal once, and from here.
        let mut child = Command::new(env::current_exe()?)
            .args(words.map(OsString::from))
            .arg(self.seeds.to_string())
            .arg("--runs-dir")
            .arg(self.runs)
            .arg(self.cases)
            .env("EVAL_PASSWORD", self.password)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let pid = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let mut out = child.stdout.take().ok_or("its output is not piped")?;
        let mut interrupted = signal(SignalKind::interrupt())?;
        let mut terminated = signal(SignalKind::terminate())?;
        let mut said = String::new();
        let read = out.read_to_string(&mut said);
        tokio::pin!(read);
        loop {
            tokio::select! {
                done = &mut read => { done?; break; }
                _ = interrupted.recv() => {}
                _ = terminated.recv() => {}
            }
            if let Some(pid) = pid {
                kill_process(pid, Signal::INT)?;
            }
        }
        child.wait().await?;
        serde_json::from_str(&said).map_err(|_| "the evaluation printed no figures".into())
    }
}
