//! Starting a browser that belongs to this driver.
//!
//! The connection is a pipe, so no port is open to other users or to pages. The browser ends when its pipe closes, so
//! it also ends if this process is killed.

use std::{io, path::Path, process::Stdio, sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::{
    process::{Child, Command},
    time::timeout,
};

use super::{
    error::CdpError,
    hub::{self, Hub},
    options::CdpOptions,
    sending::NONE,
    stderr_tail,
    wire::{Line, PipeReader, PipeWriter},
};
use crate::{
    base::{Error, ErrorKind, Result},
    browser::chromium::{self, Folder},
};

const OPERATION: &str = "browser.launch";
/// Folders inside the browser's private folder, for the profile, downloads and temporary files.
const INSIDE: [&str; 4] = ["profile", "profile/Default", hub::FILES, "t"];
/// Path of Chromium's folder for restoring tabs. The folder would contain addresses and typed text, so this driver puts
/// a file there, and Chromium cannot create the folder.
const SESSIONS: &str = "profile/Default/Sessions";
/// The path of the profile's preferences, inside the private folder.
const PREFERENCES: &str = "profile/Default/Preferences";
/// The preferences of a new profile. They keep the browser from storing form data and passwords, and from loading pages
/// ahead, because such requests cannot be held.
const KEEP_NOTHING: &str = r#"{"autofill":{"enabled":false,"profile_enabled":false,"credit_card_enabled":false},
"credentials_enable_service":false,"net":{"network_prediction_options":2},"profile":{"password_manager_enabled":false}}"#;
/// Stack size of the browser's processes. With the usual 8 MiB, a page of 3,000 nested elements crashes Chromium. Unit:
/// KiB. Source: measured; 64 MiB are enough for 20,000 nested elements.
#[cfg(unix)]
const STACK: u32 = 64 << 10;
/// Longest time for a browser to end after it closed its pipe during the start. Source: chosen; such a browser is
/// usually ending already.
const END: Duration = Duration::from_secs(1);

/// The resources of a running browser. Dropping them ends a launched browser and disconnects from an attached one.
#[derive(Debug)]
pub(super) struct Life {
    /// The connection. It is dropped first, because the browser ends when its connection ends.
    pub(super) line: Option<Line>,
    /// The process and private folder of the browser; `None` for a browser that this driver attached to.
    pub(super) own: Option<Own>,
}

/// The process and private folder of a browser that this driver started. Dropping this value kills the process.
#[derive(Debug)]
pub(super) struct Own {
    pub(super) child: Child,
    pub(super) folder: Folder,
}

impl Own {
    /// Kills the process group of the started program. Closing the pipe ends a browser, but perhaps not a program that
    /// is not a browser.
    pub(super) fn kill(&self) {
        // The process number belongs to the process as long as nobody has waited for its end.
        #[cfg(unix)]
        if let Some(group) = self
            .child
            .id()
            .and_then(|pid| rustix::process::Pid::from_raw(i32::try_from(pid).ok()?))
        {
            // The group may have ended already, which is fine.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Starts a browser with a private folder.
///
/// A browser that crashes while starting is started once more, because Chromium sometimes crashes on a machine that is
/// short of resources.
pub(super) async fn launch(options: &CdpOptions) -> Result<(Arc<Hub>, Life)> {
    match start(options).await {
        Err(Failed { crashed: true, .. }) => start(options).await.map_err(|failed| failed.error),
        other => other.map_err(|failed| failed.error),
    }
}

#[derive(Debug)]
struct Failed {
    error: Error,
    /// True if a signal ended the browser.
    crashed: bool,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self {
            error,
            crashed: false,
        }
    }
}

async fn start(options: &CdpOptions) -> Result<(Arc<Hub>, Life), Failed> {
    let io = |error: io::Error| {
        let kind = match error.kind() {
            io::ErrorKind::InvalidInput => ErrorKind::InvalidInput,
            _ => ErrorKind::Io,
        };
        let folder = options
            .common
            .folder
            .clone()
            .unwrap_or_else(std::env::temp_dir);
        Error::new(kind, OPERATION)
            .with("folder", folder.display())
            .with_source(error)
    };
    let folder = Folder::create_for(options.common.folder.as_deref(), &INSIDE).map_err(io)?;
    match &options.profile {
        Some(profile) => prepare(profile).map_err(|error| {
            Error::new(ErrorKind::Io, OPERATION)
                .with("profile", profile.display())
                .with_source(error)
        })?,
        None => {
            for (file, text) in [(PREFERENCES, KEEP_NOTHING), (SESSIONS, "")] {
                chromium::write_private(&folder.file(file), text.as_bytes()).map_err(io)?;
            }
        }
    }
    let started = command(options, &folder).spawn();
    let mut child =
        started.map_err(|error| unavailable(options, "it cannot be started").with_source(error))?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let own = Own { child, folder };
    if let Some(pid) = own.child.id() {
        own.folder.set_process(pid).map_err(io)?;
    }
    let (Some(input), Some(output), Some(errors)) = pipes else {
        return Err(unavailable(options, "it cannot be talked to").into());
    };
    let last = stderr_tail::StderrTail::default();
    let stderr = stderr_tail::listen(errors, last.clone());
    let private = Some(own.folder.path());
    let (hub, line) = Hub::start(
        PipeReader::new(output),
        PipeWriter::new(input),
        options.clone(),
        private,
        last,
    );
    let mut life = Life {
        line: Some(line),
        own: Some(own),
    };
    match timeout(options.common.launch_timeout, begin(&hub)).await {
        Ok(Ok(())) => Ok((hub, life)),
        Ok(Err(CdpError::Lost(_))) => {
            let mut status = None;
            if let Some(own) = &mut life.own {
                // A browser that only closed its pipe is ended below.
                status = timeout(END, own.child.wait())
                    .await
                    .ok()
                    .and_then(io::Result::ok);
            }
            drop(life);
            let mut why = stderr_tail::reason(status, stderr).await;
            if options.profile.is_some() && why.contains("ProcessSingleton") {
                "another browser uses this profile".clone_into(&mut why);
            }
            let error = unavailable(options, &why);
            Err(Failed {
                error,
                crashed: stderr_tail::signal(status).is_some(),
            })
        }
        Ok(Err(trouble)) => Err(trouble.into_error(OPERATION).into()),
        Err(_) => Err(Error::new(ErrorKind::Timeout, OPERATION)
            .with("program", options.common.chromium.display())
            .into()),
    }
}

/// Makes the folder of a profile that outlives the browser, unless it is there. A new one keeps no passwords or forms either.
fn prepare(profile: &Path) -> io::Result<()> {
    let default = profile.join("Default");
    for folder in [profile, &default] {
        if !folder.exists() {
            chromium::folder::create_private_folder(folder)?;
        }
    }
    let preferences = default.join("Preferences");
    if preferences.exists() {
        return Ok(());
    }
    chromium::write_private(&preferences, KEEP_NOTHING.as_bytes())
}

fn unavailable(options: &CdpOptions, why: &str) -> Error {
    Error::new(ErrorKind::Unavailable, OPERATION)
        .with("program", options.common.chromium.display())
        .with("why", why)
}

/// Returns the command that starts the browser. The browser reads from descriptor 3 and writes to descriptor 4.
#[cfg(unix)]
fn command(options: &CdpOptions, folder: &Folder) -> Command {
    // A shell moves the ends of the pipe to these descriptors, so that no code of ours runs between fork and exec.
    let mut command = Command::new("/bin/sh");
    command
        .args([
            "-c",
            r#"ulimit -S -s "$1" 2>/dev/null; shift; exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#,
        ])
        .arg(&options.common.chromium)
        .arg(STACK.to_string());
    command
        .arg("--remote-debugging-pipe")
        .args(options.switches(folder))
        .arg("about:blank");
    command
        .env_clear()
        .envs(chromium::environment(folder))
        .env("TMPDIR", folder.file("t"))
        .envs(options.common.time_zone.iter().map(|zone| ("TZ", zone)));
    command
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // A Ctrl-C at the terminal reaches only this process, which then decides about the browser.
    command.process_group(0);
    command
}

/// Returns a command that sets up no pipe, because pipes work only on Unix. On other systems, this driver can only
/// attach to a running browser.
#[cfg(not(unix))]
fn command(options: &CdpOptions, folder: &Folder) -> Command {
    let mut command = Command::new(&options.common.chromium);
    command
        .args(options.switches(folder))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Asks a started browser to report its tabs, opens the first one of a new context, and waits until it is prepared.
pub(super) async fn begin(hub: &Arc<Hub>) -> Result<(), CdpError> {
    hub.hold_requests(NONE).await?;
    let downloads = match (hub.files(), &hub.options.common.downloads) {
        (Some(files), Some(_)) => {
            json!({ "behavior": "allowAndName", "downloadPath": files, "eventsEnabled": true })
        }
        _ => json!({ "behavior": "deny", "eventsEnabled": true }),
    };
    hub.wire
        .call::<Value>(
            None,
            "Browser.setDownloadBehavior",
            hub.in_context(downloads),
        )
        .await?;
    let discover = json!({ "discover": true, "filter": [{ "type": "page" }] });
    hub.wire
        .call::<Value>(None, "Target.setDiscoverTargets", discover)
        .await?;
    if hub.context.is_some() {
        hub.open_tab().await?;
    }
    there(hub).await
}

/// Waits until the current tab is prepared and its main frame is known.
pub(super) async fn there(hub: &Hub) -> Result<(), CdpError> {
    hub.until(|known| {
        if known.closed {
            return Some(Err(CdpError::Lost("the browser ended while it started")));
        }
        known
            .tab_mut()
            .filter(|tab| tab.prepared && tab.main().is_some())
            .map(|tab| {
                tab.told = true;
                Ok(())
            })
    })
    .await
}
