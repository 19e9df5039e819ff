//! The map of a site: its pages, the links that lead to them, and the number of addresses that an exploration found but
//! left out.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::{
    base::text,
    page::{NodeId, PageType, PageView, Role, Tree},
};

/// Maximum number of headings that are kept for a page. The same maximum applies to the names of its fields and buttons.
/// Source: chosen.
const MAX_NAMES: usize = 8;
/// Maximum length of each title, each heading, and each name of a field or button in the map. Unit: characters. Source:
/// chosen.
const MAX_NAME: usize = 60;

/// Maximum number of links that are listed as left out. Source: chosen.
const MAX_DOUBTED: usize = 100;

/// The map of a site. The site's pages wrote the titles, headings, names and link texts in it, so these are untrusted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SiteMap {
    /// The address of the start page, as the browser showed it after redirects within the site, without a fragment.
    pub start: String,
    /// The pages, in the order in which they were opened.
    pub pages: Vec<MapPage>,
    /// Number of addresses that were found but have no page in the map, for each reason. Most of them were not opened;
    /// some were opened but led to another address, or to an error page.
    pub left_out: BTreeMap<LeftOut, usize>,
    /// The links that were left out because of what they may do; at most 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubted: Vec<DoubtedLink>,
}

/// A link that was left out because of what it may do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DoubtedLink {
    /// The address to which the link leads.
    pub url: String,
    /// The text of the link.
    pub words: String,
    /// The reason.
    pub why: LeftOut,
}

/// The reason why an address has no page in the map. It holds for the address itself, or for the address to which it
/// led.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LeftOut {
    /// The address belongs to another host.
    OtherHost,
    /// The words in the address or in the link to it say that the address leads to an account, a purchase or a change.
    /// Also used if the address contains a user name or password.
    Excluded,
    /// The query of the address asks for an action, such as a deletion.
    Action,
    /// The link is no entry of a menu or of contents, or its address is not plain: see
    /// [`Reach::Attached`](crate::explore::Reach::Attached).
    NotPlain,
    /// The address leads to a file, not to a page.
    File,
    /// Enough similar pages were opened already: see [`Limits::alike`](crate::explore::Limits::alike). Also used if the
    /// address led to an address that was already known.
    Alike,
    /// The address is more links away from the start than is allowed.
    TooDeep,
    /// The maximum number of pages was reached, or the exploration ended early.
    TooMany,
    /// The address could not be opened, or led to an error page.
    Unreachable,
}

impl LeftOut {
    /// Returns true if a link is left out because of what it may do.
    pub const fn is_doubt(self) -> bool {
        matches!(self, Self::Excluded | Self::Action | Self::NotPlain)
    }

    /// Returns the reason in words for a person.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::OtherHost => "on other hosts",
            Self::Excluded => "to accounts, purchases or changes",
            Self::Action => "that ask for an action",
            Self::NotPlain => {
                "that are not plain links of menus or contents, so they may act in your name"
            }
            Self::File => "to files",
            Self::Alike => "to more pages of the same kind",
            Self::TooDeep => "too many links away",
            Self::TooMany => "beyond the number of pages",
            Self::Unreachable => "that could not be opened",
        }
    }
}

/// A page of a [`SiteMap`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MapPage {
    /// The address that the browser showed, without a fragment.
    pub url: String,
    /// The title of the page.
    pub title: String,
    /// The type of the page.
    pub page_type: PageType,
    /// Number of links that were followed from the start page to reach this one; 0 for the start page.
    pub depth: u32,
    /// The page with the link that led to this one, as a position in [`SiteMap::pages`]; `None` for the start page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<usize>,
    /// The text of the link that led to this page.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub words: String,
    /// The headings of the page, the highest level first; at most 8, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<String>,
    /// The names of the fields, checkboxes and buttons on the page; at most 8, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub controls: Vec<String>,
    /// Number of links in the navigation menus of the page.
    pub navigation_links: usize,
    /// Number of links of the page outside its navigation menus.
    pub content_links: usize,
}

impl SiteMap {
    /// Creates a map without pages.
    pub fn new(start: impl Into<String>) -> Self {
        Self {
            start: start.into(),
            ..Self::default()
        }
    }

    /// Returns true if no address was left out as [`NotPlain`](LeftOut::NotPlain), [`TooDeep`](LeftOut::TooDeep),
    /// [`TooMany`](LeftOut::TooMany) or [`Unreachable`](LeftOut::Unreachable). Addresses left out for other reasons do not
    /// make a map incomplete.
    pub fn is_complete(&self) -> bool {
        let missed = [
            LeftOut::NotPlain,
            LeftOut::TooDeep,
            LeftOut::TooMany,
            LeftOut::Unreachable,
        ];
        !missed.iter().any(|why| self.left_out.contains_key(why))
    }

    /// Counts a link that was left out, and lists it if that was because of what it may do.
    pub(crate) fn leave_out_link(&mut self, url: &Url, words: &str, why: LeftOut) {
        self.leave_out(why);
        if why.is_doubt() && self.doubted.len() < MAX_DOUBTED {
            self.doubted.push(DoubtedLink {
                url: url.to_string(),
                words: text::squeeze(words),
                why,
            });
        }
    }

    pub(crate) fn leave_out(&mut self, why: LeftOut) {
        *self.left_out.entry(why).or_default() += 1;
    }
}

impl MapPage {
    /// Creates the entry of the page with this address, with its headings, controls and numbers of links. Its depth and the
    /// link that leads to it are not set yet.
    pub fn of(url: &str, view: &PageView, tree: &Tree) -> Self {
        let name = |id: NodeId| {
            let node = &tree[id];
            let name = if node.name.is_empty() {
                tree.text_of(id)
            } else {
                node.name.to_string()
            };
            text::truncate(&text::squeeze(&name), MAX_NAME)
        };
        let mut headings: Vec<(u8, String)> = Vec::new();
        let mut controls: Vec<String> = Vec::new();
        let (mut navigation_links, mut content_links) = (0, 0);
        for (id, node) in tree.iter() {
            match node.role {
                Role::Heading => headings.push((node.states.level.unwrap_or(u8::MAX), name(id))),
                Role::Link => {
                    let mut above = tree.ancestors(id);
                    if above.any(|above| tree[above].role == Role::Navigation) {
                        navigation_links += 1;
                    } else {
                        content_links += 1;
                    }
                }
                Role::Button => controls.push(name(id)),
                ref role
                    if role.is_editable() || matches!(role, Role::Combobox | Role::Checkbox) =>
                {
                    controls.push(name(id));
                }
                _ => {}
            }
        }
        // The sort is stable, so headings of one level keep their order.
        headings.sort_by_key(|(level, _)| *level);
        Self {
            url: url.to_owned(),
            title: text::truncate(&text::squeeze(&view.title), MAX_NAME),
            page_type: view.page_type,
            depth: 0,
            from: None,
            words: String::new(),
            headings: distinct(headings.into_iter().map(|(_, heading)| heading)),
            controls: distinct(controls),
            navigation_links,
            content_links,
        }
    }
}

/// Returns the first [`MAX_NAMES`] different texts. Empty texts are left out.
fn distinct(texts: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for text in texts {
        if kept.len() == MAX_NAMES {
            break;
        }
        if !text.is_empty() && !kept.contains(&text) {
            kept.push(text);
        }
    }
    kept
}
