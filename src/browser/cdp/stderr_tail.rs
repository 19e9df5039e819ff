//! The error output of a browser, and the description of how a browser ended.

use std::{
    collections::VecDeque,
    fmt,
    process::ExitStatus,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader},
    process::ChildStderr,
    task::JoinHandle,
    time::timeout,
};

use crate::base::text::{clean, truncate};

/// Maximum length of a line, and maximum number of lines that are kept from the start of the output. A longer line is
/// split. Unit: bytes and lines. Source: chosen.
const KEPT: (u64, usize) = (4 << 10, 200);
/// Maximum number of lines that are kept from the end of the output. Source: chosen.
const LAST: usize = 40;
/// Maximum number of lines in a report, and maximum length of a report. Unit: lines and characters. Source: chosen.
const REPORTED: (usize, usize) = (3, 300);
/// Texts that mark a line as useless. A browser writes such lines at every start without a desktop, or after any crash.
const NOISE: [&str; 3] = ["third_party/crashpad", "cpufreq", "dbus/"];

/// The last lines that a browser wrote to its error output. Clones share the lines.
#[derive(Clone, Default)]
pub(super) struct StderrTail(Arc<Mutex<VecDeque<String>>>);

impl fmt::Debug for StderrTail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StderrTail").finish_non_exhaustive()
    }
}

impl StderrTail {
    /// Adds a line. Does nothing after the first console message of a page, because a page chooses how many lines its
    /// message has, and what they look like.
    fn add(&self, line: String) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.back().is_some_and(|last| is_of_a_page(last)) {
            return;
        }
        if lines.len() == LAST {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// Returns the [`useful`] part of the last lines for a report, without console messages of pages.
    pub(super) fn last(&self) -> String {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<String> = lines
            .iter()
            .filter(|line| !is_of_a_page(line))
            .cloned()
            .collect();
        useful(&lines)
    }
}

/// Returns true if a console message of a page begins in this line.
fn is_of_a_page(line: &str) -> bool {
    line.contains("CONSOLE")
}

/// Reads a browser's error output, and keeps its last lines in `tail`. When the output ends, the returned task ends and
/// returns the output's first lines.
pub(super) fn listen(errors: ChildStderr, tail: StderrTail) -> JoinHandle<Vec<String>> {
    tokio::spawn(async move {
        let (longest, most) = KEPT;
        let mut reader = BufReader::new(errors);
        let mut lines = Vec::new();
        loop {
            let mut line = Vec::new();
            match (&mut reader)
                .take(longest)
                .read_until(b'\n', &mut line)
                .await
            {
                Ok(0) | Err(_) => return lines,
                Ok(_) => {
                    let line = clean(&String::from_utf8_lossy(&line));
                    if lines.len() < most {
                        lines.push(line.clone());
                    }
                    tail.add(line);
                }
            }
        }
    })
}

/// Returns a description of how the browser ended during its start: its exit status and its error output.
pub(super) async fn reason(status: Option<ExitStatus>, stderr: JoinHandle<Vec<String>>) -> String {
    let patience = Duration::from_secs(1);
    let lines = timeout(patience, stderr)
        .await
        .ok()
        .and_then(Result::ok)
        .unwrap_or_default();
    format!(
        "it ended at once ({}) and said {}",
        how(status),
        useful(&lines)
    )
}

/// Returns a description of how a browser ended. If the status is `None`, only the connection is known to have ended.
pub(super) fn how(status: Option<ExitStatus>) -> String {
    match (status, signal(status)) {
        (_, Some(signal)) => format!("signal {signal}"),
        (Some(status), None) => format!("status {}", status.code().unwrap_or_default()),
        (None, None) => "the connection closed".to_owned(),
    }
}

/// Returns the signal that ended a program. For a script, this may be the signal that ended a program started by the script:
/// the shell reports it by exiting with 128 plus the signal's number.
#[cfg(unix)]
pub(super) fn signal(status: Option<ExitStatus>) -> Option<i32> {
    let status = status?;
    let by_script = status.code().map(|code| code - 128);
    let own = std::os::unix::process::ExitStatusExt::signal(&status);
    own.or(by_script.filter(|signal| (1..=64).contains(signal)))
}

/// Returns `None`, because systems other than Unix have no signals.
#[cfg(not(unix))]
pub(super) fn signal(_: Option<ExitStatus>) -> Option<i32> {
    None
}

/// Returns the first line that states a fatal error. If there is none, returns the last lines without [`NOISE`].
fn useful(lines: &[String]) -> String {
    let (most, longest) = REPORTED;
    let is_why = |line: &&String| line.contains("FATAL") || line.contains("error while loading");
    if let Some(line) = lines.iter().find(is_why) {
        return truncate(line.trim(), longest);
    }
    let is_said = |line: &&str| !line.is_empty() && !NOISE.iter().any(|noise| line.contains(noise));
    let said: Vec<&str> = lines
        .iter()
        .map(|line| line.trim())
        .filter(is_said)
        .collect();
    match &said[said.len().saturating_sub(most)..] {
        [] => "nothing".to_owned(),
        last => truncate(&last.join(" | "), longest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRASH: &str = "[1:1:1122/1.1:ERROR:third_party/crashpad/crashpad/util/file/file_io_posix.cc:153] open \
                         /sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq: No such file or directory (2)";
    const BUS: &str = "[1:9:1122/1.1:ERROR:dbus/bus.cc:405] Failed to connect to the bus";

    #[test]
    fn the_last_lines_are_kept_and_not_what_a_page_wrote() {
        let tail = StderrTail::default();
        for at in 0..100 {
            tail.add(format!("line {at}"));
        }
        tail.add("[1:1:INFO:CONSOLE(1)] \"first".to_owned());
        tail.add("hunter2\", source: http://a.test/".to_owned());
        assert_eq!(tail.last(), "line 97 | line 98 | line 99");
    }

    #[test]
    #[cfg(unix)]
    fn a_signal_is_known_although_a_script_stands_between() {
        let ended = |status| {
            signal(Some(std::os::unix::process::ExitStatusExt::from_raw(
                status,
            )))
        };
        assert_eq!(ended(5), Some(5));
        assert_eq!(ended(133 << 8), Some(5));
        assert_eq!(ended(1 << 8), None);
        assert_eq!(ended(255 << 8), None);
        assert_eq!(ended(0), None);
    }

    #[test]
    fn the_useful_lines_of_the_output_are_reported() {
        let told = |lines: &[&str]| {
            useful(
                &lines
                    .iter()
                    .map(|line| (*line).to_owned())
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(
            told(&[BUS, "starting\n", "[FATAL:x.cc] no display\n", "bye", CRASH]),
            "[FATAL:x.cc] no display"
        );
        assert_eq!(
            told(&["one", "two", BUS, "three", "four", CRASH, ""]),
            "two | three | four"
        );
        assert_eq!(told(&[BUS, CRASH]), "nothing");
        assert_eq!(told(&[&"x".repeat(1000)]).chars().count(), 300);
    }
}
