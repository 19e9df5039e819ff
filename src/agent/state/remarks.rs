//! What the next message to the model tells beside the page, the history and the advice of memory.

use serde::{Deserialize, Serialize};

use crate::{
    action::{BrowserAction, CallProblem, Target},
    agent::pictures::Pictures,
    base::text::counted,
    page::{ElementRef, Notice},
    prompt::{LastFailure, quoted},
    verify::CallMade,
};

/// The beginning of the line that is put below the lines found or read on a page when the run leaves this page.
const LEFT: &str = "(all above is of page";
/// Maximum length of a page's title in a line that names the page of the lines above or below it. Unit: characters.
/// Source: chosen.
pub(in crate::agent) const MAX_TITLE: usize = 60;

/// The line that separates the hits of a `find` from the matches for the target of a failed call.
const MATCHES: &str = "these match the target of the call that failed:";

/// Results, refusals, notes and warnings since the last message to the model. The next message reports them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::agent) struct Remarks {
    pub(in crate::agent) calls: Vec<CallMade>,
    pub(in crate::agent) last_failure: Option<LastFailure>,
    pub(in crate::agent) found: Vec<String>,
    pub(in crate::agent) read: Vec<String>,
    /// Lines of the last reads, to be kept in the run's memory as facts.
    pub(in crate::agent) facts: Vec<String>,
    pub(in crate::agent) results: Vec<(String, String)>,
    pub(in crate::agent) answers: Vec<(String, String)>,
    pub(in crate::agent) refused: Vec<CallProblem>,
    /// Pictures that the model asked for. They are not stored, because the model can ask again.
    #[serde(skip)]
    pub(in crate::agent) pictures: Pictures,
    pub(in crate::agent) notes: Vec<String>,
    /// Warnings of the guards after the last call. Those after earlier calls are dropped, because they may no longer be
    /// true.
    pub(in crate::agent) warnings: Vec<String>,
    /// What came of the recipes that were followed, as lines. Names of a page in them are JSON strings.
    #[serde(default)]
    pub(in crate::agent) followed: Vec<String>,
}

impl Remarks {
    /// Marks the lines that were found and read so far as lines of a page that the run has left. `title` is the title
    /// of that page.
    pub(in crate::agent) fn leave(&mut self, title: &str) {
        for lines in [&mut self.found, &mut self.read] {
            if lines.last().is_some_and(|last| !last.starts_with(LEFT)) {
                let title = quoted(title, MAX_TITLE);
                lines.push(format!(
                    "{LEFT} {title}, which was left: its refs and lines are void)"
                ));
            }
        }
    }

    /// Notes that the target of the last action has another name than in earlier runs. Names the reference of the element
    /// that was found as the target, but no words of the model or of a page.
    pub(in crate::agent) fn healed(&mut self, action: &BrowserAction) {
        let targets = action.targets().into_iter().filter_map(Target::as_ref);
        let targets: Vec<&str> = targets.map(ElementRef::as_str).collect();
        self.notes.push(format!(
            "the target of the last {} has another name than in earlier runs; it was found as {}",
            action.tool().as_str(),
            targets.join(" and ")
        ));
    }

    pub(in crate::agent) fn secret_used(&mut self) {
        let note = "a secret was used, so no pictures are taken from here on";
        self.notes.push(note.to_owned());
    }

    /// Notes that the tab which the last action opened is shown, in place of the tab with this index.
    pub(in crate::agent) fn followed_tab(&mut self, before: u32) {
        self.notes.push(format!(
            "a new tab opened and is the page shown now; tab_select {{\"index\": {before}}} shows the page before"
        ));
    }

    /// Notes that calls of the last reply are not carried out.
    pub(in crate::agent) fn dropped(&mut self, count: usize, why: &str) {
        let calls = counted(count, "further call");
        let were = if count == 1 { "was" } else { "were" };
        self.notes
            .push(format!("{calls} {were} not carried out: {why}"));
    }

    /// Adds the lines that match the target of a failed call, below the hits of a `find` from the same reply.
    pub(in crate::agent) fn matches(&mut self, lines: Vec<String>) {
        if !self.found.is_empty() {
            self.found.push(MATCHES.to_owned());
        }
        self.found.extend(lines);
    }

    /// Adds a notice of the driver. Without `may_name`, the address of a tab is not shown, and neither is the name of a file.
    pub(in crate::agent) fn notice(&mut self, notice: &Notice, may_name: bool) {
        let (label, text) = match notice {
            Notice::TabOpened { url } => {
                let hidden = "at an address that this run may not visit";
                let url = if may_name { url } else { hidden };
                ("a new tab opened", url.to_owned())
            }
            Notice::DialogBehind { tab } => {
                ("a dialog opened in another tab", format!("tab {tab}"))
            }
            Notice::Download {
                suggested_name,
                kept,
            } => {
                let label = if *kept {
                    "the page offered a file, and it was kept"
                } else {
                    "the page offered a file, and this run refused it"
                };
                let name = if may_name {
                    suggested_name
                } else {
                    "its name is not shown"
                };
                (label, name.to_owned())
            }
            Notice::TransportChanged { .. } => return,
        };
        self.results.push((label.to_owned(), text));
    }
}
