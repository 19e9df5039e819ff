//! The tool's text replies, parsed into typed sections.
//!
//! A reply is a list of sections, each under a line `### Name`. The page controls some of the text. The following
//! limits what it can forge:
//!
//! - The tool prints the sections in a fixed order. A heading counts only if it comes later in that order than the
//!   previous heading. So a line `### Page` in the message of an alert is text, because `Modal state` comes
//!   after `Page`.
//! - `Page`: neither the address nor the title can contain a line break. Snapshot lines start with `-` or a space.
//!   Results of scripts are JSON.
//! - `Error`: the text may contain line breaks, so nothing after an error is trusted. The exception is the tool's own
//!   refusal because a dialog is open, or because none is.
//! - A script that runs in the tool (`run_code`) may print anything. Its reply has a type of its own, [`Untrusted`],
//!   which keeps only the result or error.
//! - `Ran Playwright code`: the command `type` repeats its text unescaped in a comment. So the driver never sends a
//!   text with a line break by this command.
//! - `Modal state`: the message is unescaped, so everything after the heading counts as the message. Therefore a page
//!   cannot forge the report of a download. The tool reports a download that ends while a dialog is open only after the
//!   dialog.
//! - `Open tabs` and the list of tabs: each tab is one line, `[title](address)`. A line with more than one `](` gives
//!   no address.
//! - Of the paths that the tool prints, only that of a complete download is opened, and only if the file is in the
//!   tool's output folder.

use crate::{
    base::text::clean,
    page::{Dialog, DialogKind, Tab},
};

/// The names of the sections of a reply, in the order in which the tool prints them.
const ORDER: [&str; 9] = [
    "Error",
    "Result",
    "Ran Playwright code",
    "Open tabs",
    "Page",
    "Modal state",
    "Snapshot",
    "Events",
    "Paused",
];

#[derive(Debug, Default)]
pub(super) struct Reply {
    pub(super) error: Option<String>,
    /// The result of a script, or of a command that prints a list.
    pub(super) result: Option<String>,
    /// The code that the tool ran. It is the evidence that the tool carried out the command.
    pub(super) code: Option<String>,
    /// The open tabs; empty if there is exactly one, or if the reply does not list them.
    pub(super) tabs: Vec<Tab>,
    pub(super) page: Option<Page>,
    pub(super) dialog: Option<Dialog>,
    /// The text of the requested snapshot, as printed.
    pub(super) snapshot: Option<String>,
    pub(super) downloads: Vec<Download>,
    /// True if the text is not empty but has no sections, such as the tool's help text.
    foreign: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) url: String,
    pub(super) title: String,
    pub(super) crashed: bool,
}

/// A file that a page offered for download.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Download {
    /// The name that the page gave the file, cleaned.
    pub(super) name: String,
    /// The path at which the tool saved the file; `None` until it is saved.
    pub(super) path: Option<String>,
}

impl Reply {
    pub(super) fn parse(text: &str) -> Self {
        Self::read(text, true)
    }

    /// Parses a reply to a script of this driver. If the reply repeats the code that ran, [`code`](Self::code) is an
    /// empty text, because that code may contain a secret.
    pub(super) fn parse_without_echo(text: &str) -> Self {
        Self::read(text, false)
    }

    fn read(text: &str, echo: bool) -> Self {
        let sections = sections(text);
        let mut reply = Self {
            foreign: sections.is_empty() && !text.trim().is_empty(),
            ..Self::default()
        };
        for (name, body) in sections {
            match name {
                "Error" => reply.error = Some(clean(body)),
                "Result" => reply.result = Some(body.to_owned()),
                "Ran Playwright code" if echo => reply.code = Some(unframe(body).to_owned()),
                "Ran Playwright code" => reply.code = Some(String::new()),
                "Open tabs" => reply.tabs = parse_tabs(body),
                "Page" => reply.page = Some(parse_page(body)),
                "Modal state" => reply.dialog = parse_dialog(body),
                "Snapshot" if body.starts_with("```") => {
                    reply.snapshot = Some(unframe(body).to_owned());
                }
                "Events" => reply.downloads = body.lines().filter_map(parse_download).collect(),
                _ => {}
            }
        }
        reply
    }

    /// Returns true if the reply has no error, result, code or page, and is not a text without sections.
    pub(super) fn is_silent(&self) -> bool {
        let told = self.error.is_some()
            || self.result.is_some()
            || self.code.is_some()
            || self.page.is_some();
        !told && !self.foreign
    }
}

/// A reply to a script that ran in the tool. The script can print anything, so no address, dialog or file is read from
/// the reply.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Untrusted {
    /// The cleaned error that the script threw, or the reason why it did not run.
    pub(super) error: Option<String>,
    pub(super) result: Option<String>,
    /// True if the reply has the form of a reply to a script. This does not prove that the script ran.
    pub(super) ran: bool,
}

impl Untrusted {
    /// Parses the reply to a script that ran in the tool. The script cannot change `is_error`, which comes from the
    /// transport.
    pub(super) fn parse(text: &str, is_error: bool) -> Self {
        let Reply { error, result, .. } = Reply::parse_without_echo(text);
        if is_error {
            let error = error.unwrap_or_else(|| "the tool gave no reason".to_owned());
            return Self {
                error: Some(error),
                ..Self::default()
            };
        }
        Self {
            error: None,
            result,
            ran: text.lines().any(|line| line == "### Ran Playwright code"),
        }
    }
}

/// Returns the name and body of each trustworthy section, in the printed order.
fn sections(text: &str) -> Vec<(&'static str, &str)> {
    let mut found: Vec<(usize, usize, usize)> = Vec::new();
    let mut at = 0;
    let mut frame = None;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        let start = at;
        at += line.len();
        let last = found.last().map(|(rank, ..)| ORDER[*rank]);
        if content.starts_with("```") && matches!(last, Some("Ran Playwright code" | "Snapshot")) {
            // Only a fence directly after a heading opens a code block, and only a fence without a language closes it.
            frame = match frame {
                None if found.last().is_some_and(|(_, _, body)| *body == start) => Some(()),
                Some(()) if content == "```" => None,
                other => other,
            };
            continue;
        }
        let Some(name) = content.strip_prefix("### ") else {
            continue;
        };
        let Some(rank) = ORDER.iter().position(|known| *known == name) else {
            continue;
        };
        let later = found.last().is_none_or(|(last, ..)| rank > *last);
        let closed = match last {
            Some("Error") => is_own_refusal(&text[found[0].2..start]),
            Some("Modal state") => false,
            _ => frame.is_none(),
        };
        if later && closed {
            found.push((rank, start, at));
        }
    }
    let ends = found
        .iter()
        .skip(1)
        .map(|(_, start, _)| *start)
        .chain([text.len()]);
    found
        .iter()
        .zip(ends)
        .map(|((rank, _, body), end)| (ORDER[*rank], text[*body..end].trim_end_matches('\n')))
        .collect()
}

/// Returns true if the error text is only the tool's own sentence that refuses a command because a dialog is open, or
/// because none is.
fn is_own_refusal(error: &str) -> bool {
    let error = error.trim_end_matches('\n');
    let (Some(first), None) = (error.lines().next(), error.lines().nth(1)) else {
        return false;
    };
    (first.starts_with("Error: Tool \"browser_")
        && first.ends_with("\" does not handle the modal state."))
        || (first.starts_with("Error: The tool \"browser_")
            && first.ends_with("\" can only be used when there is related modal state present."))
}

fn unframe(body: &str) -> &str {
    let Some(inside) = body
        .strip_prefix("```")
        .and_then(|b| b.split_once('\n'))
        .map(|(_, rest)| rest)
    else {
        return body;
    };
    let inside = inside.trim_end_matches('\n');
    inside
        .strip_suffix("\n```")
        .unwrap_or_else(|| inside.strip_suffix("```").unwrap_or(inside))
}

fn parse_page(body: &str) -> Page {
    let mut page = Page::default();
    for line in body.lines() {
        if let Some(url) = line.strip_prefix("- Page URL: ") {
            page.url = clean(url);
        } else if let Some(title) = line.strip_prefix("- Page Title: ") {
            page.title = clean(title);
        } else if line == "- Page status: crashed" {
            page.crashed = true;
        }
    }
    page
}

/// Parses a list of tabs whose lines look like `- 0: (current) [Title](http://address/)`.
pub(super) fn parse_tabs(body: &str) -> Vec<Tab> {
    body.lines().filter_map(parse_tab).collect()
}

fn parse_tab(line: &str) -> Option<Tab> {
    let (index, rest) = line.strip_prefix("- ")?.split_once(':')?;
    let rest = rest.strip_prefix(' ')?;
    let (current, rest) = match rest.strip_prefix("(current) ") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let rest = rest.strip_suffix(" [crashed]").unwrap_or(rest);
    let inside = rest.strip_prefix('[')?.strip_suffix(')')?;
    let (title, url) = inside.split_once("](")?;
    // A second `](` may come from the page; then the true address is unknown.
    let url = if url.contains("](") {
        String::new()
    } else {
        clean(url)
    };
    Some(Tab::new(index.parse().ok()?, current, title, url))
}

/// Parses the first dialog in the section `Modal state`. The dialog's message may have several lines.
fn parse_dialog(body: &str) -> Option<Dialog> {
    if body.starts_with("- [File chooser]: ") {
        return Some(Dialog::new(DialogKind::FileChooser, ""));
    }
    let (kind, rest) = body
        .strip_prefix("- [\"")?
        .split_once("\" dialog with message \"")?;
    let kind = match kind {
        "alert" => DialogKind::Alert,
        "confirm" => DialogKind::Confirm,
        "prompt" => DialogKind::Prompt,
        "beforeunload" => DialogKind::BeforeUnload,
        _ => return None,
    };
    let end = rest.rfind("\"]: can be handled by ").unwrap_or(rest.len());
    Some(Dialog::new(kind, &rest[..end]))
}

fn parse_download(line: &str) -> Option<Download> {
    if let Some(name) = line
        .strip_prefix("- Downloading file ")
        .and_then(|l| l.strip_suffix(" ..."))
    {
        return Some(Download {
            name: clean(name),
            path: None,
        });
    }
    // The path contains no quotation marks, so the last separator is the right one.
    let (name, path) = line
        .strip_prefix("- Downloaded file ")?
        .strip_suffix('"')?
        .rsplit_once(" to \"")?;
    Some(Download {
        name: clean(name),
        path: Some(path.to_owned()),
    })
}

#[cfg(test)]
pub(super) mod tests;
