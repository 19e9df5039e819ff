//! A driver's report of a page: its address, tree, dialog and tabs, and notices about what happened during an action.

use serde::{Deserialize, Serialize};

use super::{Role, Tree, outline::Outline};
use crate::base::text::{Folded, clean, truncate};

/// Maximum length of the title of a page or tab; a longer title is cut. Unit: characters. Source: chosen; browsers show
/// about 100, and the events of every observation contain the title.
pub const MAX_TITLE: usize = 1_000;
/// Maximum length of the message of a dialog; a longer message is cut. Unit: characters. Source: chosen; browsers show
/// about 2,000, and a message may contain evidence.
pub const MAX_MESSAGE: usize = 4_000;
/// Maximum length of the selected text; a longer text is cut. Unit: characters. Source: chosen; messages to the model show
/// less, so they never show the cut end, which may be a part of a secret.
pub const MAX_SELECTED: usize = 1_000;

/// The address of the error page that Chromium shows if an address cannot be loaded. No site has this address.
pub(crate) const ERROR_PAGE: &str = "chrome-error://chromewebdata/";

/// The kind of a dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DialogKind {
    /// The dialog shows a message.
    Alert,
    /// The dialog asks a yes-or-no question.
    Confirm,
    /// The dialog asks for a text.
    Prompt,
    /// The dialog asks whether to leave the page.
    BeforeUnload,
    /// The dialog asks for files.
    FileChooser,
}

/// A dialog that blocks the page until it is answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Dialog {
    /// The kind of the dialog.
    pub kind: DialogKind,
    /// The message of the dialog, cleaned by [`clean`](crate::base::text::clean) and cut to [`MAX_MESSAGE`] characters.
    /// The page wrote this text, so it is untrusted.
    pub message: String,
}

impl Dialog {
    /// Creates a dialog with this message.
    pub fn new(kind: DialogKind, message: &str) -> Self {
        Self {
            kind,
            message: truncate(&clean(message), MAX_MESSAGE),
        }
    }
}

/// One open tab.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tab {
    /// Position of the tab in the list of open tabs, counted from 0.
    pub index: u32,
    /// True for the tab on which actions act.
    pub current: bool,
    /// Title of the page in the tab, cleaned by [`clean`](crate::base::text::clean) and cut to [`MAX_TITLE`]
    /// characters. The page wrote this text, so it is untrusted.
    pub title: String,
    /// Address of the page in the tab.
    pub url: String,
}

impl Tab {
    /// Creates a tab.
    pub fn new(index: u32, current: bool, title: &str, url: impl Into<String>) -> Self {
        Self {
            index,
            current,
            title: truncate(&clean(title), MAX_TITLE),
            url: url.into(),
        }
    }
}

/// A driver's report of the state of a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Observation {
    /// Address of the page, as the driver reports it.
    pub url: String,
    /// Title of the page, cleaned by [`clean`](crate::base::text::clean) and cut to [`MAX_TITLE`] characters. The page
    /// wrote this text, so it is untrusted.
    pub title: String,
    /// The HTTP status with which a server sent the page, such as 200 or 404; `None` if no server sent it, or if the driver does
    /// not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The tree of the page's accessible nodes; empty while a dialog blocks the page.
    pub tree: Tree,
    /// The dialog that blocks the page; `None` if no dialog is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialog: Option<Dialog>,
    /// True if the page did not answer in time. The tree is then empty because nothing could be read, and the address
    /// is the one that the browser shows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unresponsive: bool,
    /// The text that is selected in the main document or in its focused text field, cleaned by
    /// [`clean`](crate::base::text::clean) and cut to [`MAX_SELECTED`] characters. The page may have written this text,
    /// so it is untrusted. Empty in four cases: nothing is selected, the selection includes a field for a secret, the
    /// page could not be read, or the driver does not report selected text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub selected: String,
    /// The open tabs; empty if there is only one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tabs: Vec<Tab>,
    /// A picture of the page, as the bytes of a PNG file; `None` if the caller did not ask for a picture or the driver
    /// could not take one, for example because a dialog is open.
    #[serde(skip)]
    pub screenshot: Option<Vec<u8>>,
}

impl Observation {
    /// Creates an observation of a page without a dialog, tabs or a picture.
    pub fn new(url: impl Into<String>, title: &str, tree: Tree) -> Self {
        Self {
            url: url.into(),
            title: truncate(&clean(title), MAX_TITLE),
            tree,
            ..Self::default()
        }
    }

    /// Returns the texts of the page's alerts and status messages, in order, each with its role.
    pub(crate) fn messages(&self) -> impl Iterator<Item = (&Role, String)> {
        let is_message = |role: &Role| matches!(role, Role::Alert | Role::Status);
        let messages = (self.tree.iter()).filter(move |(_, node)| is_message(&node.role));
        let said = messages.map(|(id, node)| (&node.role, self.tree.text_of(id)));
        said.filter(|(_, text)| !text.trim().is_empty())
    }

    /// Creates an observation of a page that does not answer. `url` is the address that the browser shows.
    pub fn unresponsive(url: impl Into<String>, title: &str) -> Self {
        Self {
            unresponsive: true,
            ..Self::new(url, title, Tree::default())
        }
    }

    /// Returns the observation with this text as its selected text.
    #[must_use]
    pub fn with_selected(self, text: &str) -> Self {
        Self {
            selected: truncate(&clean(text), MAX_SELECTED),
            ..self
        }
    }

    /// Returns true if the title or the text of the page contains `text`, without regard to case. A run of white space
    /// counts as one space.
    pub(crate) fn shows(&self, text: &str) -> bool {
        let roots = self.tree.roots().map(|root| self.tree.text_of(root));
        let shown = roots.fold(self.title.clone(), |shown, text| shown + " " + &text);
        Folded::of(&shown).contains(&Folded::of(text))
    }

    /// Returns the heading that says what the page is about: the first one of the highest level in the main content, else on the
    /// whole page. Empty if there is none.
    pub(crate) fn main_heading(&self) -> &str {
        let outline = Outline::of(&self.tree);
        let of = |in_content: bool| {
            let headings = self.tree.iter().filter(|(id, node)| {
                node.role == Role::Heading
                    && !node.name.is_empty()
                    && (!in_content || outline.is_content(*id))
            });
            headings.min_by_key(|(id, node)| (node.states.level.unwrap_or(u8::MAX), *id))
        };
        of(true)
            .or_else(|| of(false))
            .map_or("", |(_, node)| &node.name)
    }

    /// Returns true if the page is the error page that the browser shows in place of a page that it could not load. Returns
    /// false for an error page that a server sends, such as one with status 404.
    pub fn is_browser_error(&self) -> bool {
        self.url == ERROR_PAGE
    }

    /// Returns the reason that the browser's own error page gives, such as `ERR_CONNECTION_REFUSED`. The reason is empty
    /// if the page gives none. Returns `None` for every other page.
    pub fn browser_error(&self) -> Option<&str> {
        if !self.is_browser_error() {
            return None;
        }
        let nodes = self.tree.nodes().iter();
        let mut texts =
            nodes.flat_map(|node| [&*node.name, node.value.as_deref().unwrap_or_default()]);
        Some(texts.find(|text| is_error_code(text)).unwrap_or_default())
    }

    /// Returns the observation with `f` applied to all texts except those in the tree.
    #[must_use]
    pub fn map_text_beside_tree(mut self, mut f: impl FnMut(&str) -> String) -> Self {
        let dialog = self.dialog.iter_mut().map(|dialog| &mut dialog.message);
        let tabs = self
            .tabs
            .iter_mut()
            .flat_map(|tab| [&mut tab.title, &mut tab.url]);
        for text in [&mut self.url, &mut self.title, &mut self.selected]
            .into_iter()
            .chain(dialog)
            .chain(tabs)
        {
            *text = f(text);
        }
        self
    }
}

/// Returns true if the text is a code that Chromium's error page shows, such as `ERR_TIMED_OUT`,
/// `NET::ERR_CERT_DATE_INVALID`, `DNS_PROBE_FINISHED_NXDOMAIN` or `HTTP ERROR 404`.
fn is_error_code(text: &str) -> bool {
    let is_code = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '_' | ':');
    let status = text.strip_prefix("HTTP ERROR ");
    status.is_some_and(|status| status.parse::<u16>().is_ok())
        || (text.contains('_') && text.chars().all(is_code))
}

/// An event that happened while an action was carried out, in addition to the action's own effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "notice", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Notice {
    /// The page opened another tab.
    TabOpened {
        /// The address of the new tab.
        url: String,
    },
    /// A dialog opened in a tab that is not the current tab. The dialog stays open until its tab is selected and the dialog
    /// is answered.
    DialogBehind {
        /// Position of the tab with the dialog among the open tabs, counted from 0.
        tab: u32,
    },
    /// The page offered a file for download. The driver kept the file in the folder that its options set for downloads,
    /// or refused it.
    Download {
        /// The name that the page gave the file, cleaned by [`clean`](crate::base::text::clean). The page wrote this
        /// text, so it is untrusted. It is never used as a path. If there are very many files, the last notice stands
        /// for several of them, as in `(7 more)`.
        suggested_name: String,
        /// True if the file was kept.
        kept: bool,
    },
    /// The driver changed its connection to the browser.
    TransportChanged {
        /// The name of the previous connection.
        from: String,
        /// The name of the new connection.
        to: String,
        /// The reason for the change, in the driver's words. It never contains text of a page.
        why: String,
    },
}
