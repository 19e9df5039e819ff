//! Starting a browser: folder, configuration, the tool's `open`, and the choice of the transport.

use std::path::Path;
#[cfg(unix)]
use std::{path::PathBuf, time::Duration};

use super::{
    downloads, failure,
    folder::{self, Folder},
    options::{PlaywrightCliOptions, TransportChoice},
    reply::Reply,
    transport::{Link, Process, RawReply},
};
use crate::base::{Error, ErrorKind, Result, text::truncate};

const OPERATION: &str = "browser.launch";
/// Where the private folder goes when nobody chose a place and the path of the system's is too long for sockets.
const SHORT_TEMP: &str = "/tmp";
/// How long the first answer over a socket may take. Unit: time. Source: it takes 10 ms; a busy machine a few seconds.
#[cfg(unix)]
const HANDSHAKE: Duration = Duration::from_secs(10);

/// Starts a browser in a folder of its own; both end when the folder is dropped.
pub(super) async fn launch(options: &PlaywrightCliOptions) -> Result<(Folder, Link)> {
    let failed = |error: std::io::Error| {
        let kind = match error.kind() {
            std::io::ErrorKind::InvalidInput => ErrorKind::InvalidInput,
            _ => ErrorKind::Io,
        };
        Error::new(kind, OPERATION).with_source(error)
    };
    let folder = match &options.folder {
        Some(base) => Folder::create(base),
        None => Folder::create_in_first(&[&std::env::temp_dir(), Path::new(SHORT_TEMP)]),
    };
    let folder = folder.map_err(failed)?;
    let config = folder.file("config.json");
    folder::write_private(&config, options.config(&folder).to_string().as_bytes()).map_err(failed)?;

    if options.downloads.is_some() {
        downloads::write_watch(&folder).map_err(failed)?;
    }
    let session = session_name(&folder);
    let environment = options.environment(&folder);
    let process = Process::new(options.program.clone(), session.clone(), folder.path().to_owned(), environment);
    let arguments = vec![format!("-s={session}"), "open".to_owned(), format!("--config={}", config.display())];
    let opened = process.output(arguments, options.launch_timeout).await?.reply();
    folder.set_daemon(opened_with_pid(&opened, &session)?).map_err(failed)?;

    let link = Link::safe(Box::new(process));
    let link = match options.transport {
        TransportChoice::Process => link,
        choice => with_socket(link, &folder, &session, choice == TransportChoice::Socket).await?,
    };
    Ok((folder, link))
}

/// A name that no other session of this user has, should the tool not keep to our folder.
fn session_name(folder: &Folder) -> String {
    let name = folder.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.replace("webwise-browser-", "ww-")
}

/// The daemon's process, if the tool says that the browser is open and shows its first page.
fn opened_with_pid(opened: &RawReply, session: &str) -> Result<u32> {
    let text = opened.text.expose();
    let reply = Reply::parse(text);
    let prefix = format!("### Browser `{session}` opened with pid ");
    let pid = text.lines().next().and_then(|line| line.strip_prefix(&prefix)?.strip_suffix('.')?.parse().ok());
    if let (Some(pid), Some(_), false) = (pid, reply.page, opened.is_error) {
        return Ok(pid);
    }
    let why = reply.error.unwrap_or_else(|| crate::base::text::clean(text));
    let why = why.lines().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
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

/// Readiness is an answer, not a connection.
#[cfg(unix)]
fn is_list_of_tabs(reply: &RawReply) -> bool {
    let parsed = Reply::parse(reply.text.expose());
    !reply.is_error && parsed.result.is_some_and(|list| !super::reply::parse_tabs(&list).is_empty())
}

/// The daemon writes it into a folder named after a hash of the workspace.
#[cfg(unix)]
fn session_file(folder: &Folder, session: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder.file("sessions")).ok()?;
    let mut files = entries.flatten().map(|entry| entry.path().join(format!("{session}.session")));
    files.find(|file| file.is_file())
}

/// Whether an error text of the tool says that there is no browser any more.
pub(super) fn says_lost(error: &str) -> bool {
    failure::classify(error) == failure::Verdict::Lost
}
