//! The start of a browser: private folder, configuration, the tool's `open` command, and choice of the transport.

use std::path::PathBuf;
#[cfg(unix)]
use std::time::Duration;

use super::{
    downloads, failure,
    options::{PlaywrightCliOptions, TransportChoice},
    reply::Reply,
    transport::{Link, Process, RawReply},
};
use crate::{
    base::{Error, ErrorKind, Result, text::truncate},
    browser::chromium::{self, Folder},
};

const OPERATION: &str = "browser.launch";
/// Folders inside the private folder. The tool searches for a folder `.playwright` from its working directory upwards,
/// so it finds this one first.
const INSIDE: [&str; 6] = [".playwright", "sessions", "s", "registry", "t", "out"];
/// Longest time for the first answer through the daemon's socket. Source: it takes 10 ms, and a few seconds on a busy
/// machine.
#[cfg(unix)]
const HANDSHAKE: Duration = Duration::from_secs(10);

/// A script that the tool's daemon loads. It connects to a socket of this process. When this process ends, the
/// connection closes. The script then ends the browser and removes the private folder.
const WATCH: &str = r"'use strict';
// Ends the browser's daemon when the program that started it is gone.
const path = require('path');
const folder = process.env.WEBWISE_FOLDER;
const PAUSE = new Int32Array(new SharedArrayBuffer(4));
if (folder && path.basename(process.argv[1] || '') === 'cliDaemon.js') {
  let ending = false;
  const end = () => {
    if (ending) return;
    ending = true;
    process.on('exit', () => {
      const remove = name => require('fs').rmSync(path.join(folder, name), { recursive: true, force: true });
      for (let left = 20; left > 0; left--) {
        // The last processes of the browser still write; what says that the folder had an owner goes last.
        try { ['t', 'out', ''].forEach(remove); return; } catch { Atomics.wait(PAUSE, 0, 0, 50); }
      }
    });
    setTimeout(() => process.exit(1), 1500);
    process.kill(process.pid, 'SIGTERM');
  };
  const owner = require('net').connect(path.join(folder, 'owner.sock'));
  owner.on('error', end);
  owner.on('close', end);
  owner.unref();
}
";

pub(super) fn watch_script(folder: &Folder) -> PathBuf {
    folder.file("watch.cjs")
}

/// Starts a browser. Returns its private folder and the link for commands. Dropping the folder ends the browser.
pub(super) async fn launch(options: &PlaywrightCliOptions) -> Result<(Folder, Link)> {
    let failed = |error: std::io::Error| {
        let kind = match error.kind() {
            std::io::ErrorKind::InvalidInput => ErrorKind::InvalidInput,
            _ => ErrorKind::Io,
        };
        Error::new(kind, OPERATION).with_source(error)
    };
    let folder = Folder::create_for(options.common.folder.as_deref(), &INSIDE).map_err(failed)?;
    chromium::write_private(&watch_script(&folder), WATCH.as_bytes()).map_err(failed)?;
    let config = folder.file("config.json");
    chromium::write_private(&config, options.config(&folder).to_string().as_bytes())
        .map_err(failed)?;

    if options.common.downloads.is_some() {
        downloads::write_watch(&folder).map_err(failed)?;
    }
    let session = session_name(&folder);
    let environment = options.environment(&folder);
    let process = Process::new(
        options.program.clone(),
        session.clone(),
        folder.path().to_owned(),
        environment,
    );
    let arguments = vec![
        format!("-s={session}"),
        "open".to_owned(),
        format!("--config={}", config.display()),
    ];
    let opened = process
        .output(arguments, options.common.launch_timeout)
        .await?
        .reply();
    folder
        .set_process(opened_with_pid(&opened, &session)?)
        .map_err(failed)?;

    let link = Link::safe(Box::new(process));
    let link = match options.transport {
        TransportChoice::Process => link,
        choice => with_socket(link, &folder, &session, choice == TransportChoice::Socket).await?,
    };
    Ok((folder, link))
}

/// Returns a session name that no other session of this user has.
fn session_name(folder: &Folder) -> String {
    let name = folder
        .path()
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    name.replace(chromium::folder::PREFIX, "ww-")
}

/// Returns the daemon's process number from the reply to `open`. Fails unless the reply reports an open browser and its
/// first page.
fn opened_with_pid(opened: &RawReply, session: &str) -> Result<u32> {
    let text = opened.text.expose();
    let reply = Reply::parse(text);
    let prefix = format!("### Browser `{session}` opened with pid ");
    let pid = text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix(&prefix)?.strip_suffix('.')?.parse().ok());
    if let (Some(pid), Some(_), false) = (pid, reply.page, opened.is_error) {
        return Ok(pid);
    }
    let why = reply
        .error
        .unwrap_or_else(|| crate::base::text::clean(text));
    let why = why
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("it said nothing");
    Err(Error::new(ErrorKind::Unavailable, OPERATION).with("tool", truncate(why, 300)))
}

#[cfg(unix)]
async fn with_socket(link: Link, folder: &Folder, session: &str, required: bool) -> Result<Link> {
    use super::transport::{Command, Socket, Transport as _, TransportError};

    let opened = match session_file(folder, session) {
        Some(file) => Socket::from_session_file(&file, folder.path()),
        None => Err(TransportError::NoSession),
    };
    let error = match opened {
        Ok(socket) => match socket.run(&Command::read("tab-list"), HANDSHAKE).await {
            Ok(reply) if is_list_of_tabs(&reply) => return Ok(link.with_fast(socket)),
            Ok(_) => TransportError::Garbage,
            Err(error) => error,
        },
        Err(error) => error,
    };
    if required {
        return Err(error.into());
    }
    link.give_up_fast("socket", &error);
    Ok(link)
}

#[cfg(not(unix))]
async fn with_socket(link: Link, _: &Folder, _: &str, required: bool) -> Result<Link> {
    if required {
        return Err(Error::new(ErrorKind::Unsupported, OPERATION).with("transport", "socket"));
    }
    Ok(link)
}

/// Returns true if the reply is a list of tabs, which shows that the daemon is ready.
#[cfg(unix)]
fn is_list_of_tabs(reply: &RawReply) -> bool {
    let parsed = Reply::parse(reply.text.expose());
    !reply.is_error
        && parsed
            .result
            .is_some_and(|list| !super::reply::parse_tabs(&list).is_empty())
}

/// Returns the path of the file in which the daemon describes its session. The name of the file's folder is not known,
/// so all possible folders are searched.
#[cfg(unix)]
fn session_file(folder: &Folder, session: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder.file("sessions")).ok()?;
    let mut files = entries
        .flatten()
        .map(|entry| entry.path().join(format!("{session}.session")));
    files.find(|file| file.is_file())
}

pub(super) fn says_lost(error: &str) -> bool {
    failure::classify(error) == failure::Verdict::Lost
}
