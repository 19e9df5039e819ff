//! A line about a page: its type, an open dialog, its headings and the numbers of its elements.

use super::{
    Element, NodeId, PageType, Tree, features::Features, label::squeezed, outline::text_within,
    page_type::counted,
};
use crate::base::text;

/// Maximum length of the summary of a page ([`PageView::summary`](super::PageView::summary)). Unit: characters. Source:
/// chosen; about 75 tokens.
pub const MAX_SUMMARY: usize = 300;
/// Maximum length of a page text that a summary quotes; a longer text is cut. Unit: characters. Source: chosen.
const MAX_QUOTE: usize = 60;
/// Maximum number of headings that a summary quotes. Source: chosen.
const MAX_QUOTED_HEADINGS: usize = 3;

/// Returns the summary of a page. Texts of the page are quoted in it as JSON strings.
pub(super) fn summary(
    tree: &Tree,
    page_type: PageType,
    under: PageType,
    f: &Features,
    elements: &[Element],
) -> String {
    let mut parts = Vec::new();
    if page_type == under {
        parts.push(page_type.to_string());
    } else {
        parts.push(format!("{page_type} over {under}"));
    }
    let quoted = |id: &NodeId| {
        let node = &tree[*id];
        let said = if node.name.is_empty() {
            text_within(tree, *id, MAX_QUOTE)
        } else {
            squeezed(&node.name)
        };
        serde_json::Value::from(text::truncate(&said, MAX_QUOTE)).to_string()
    };
    parts.extend(
        f.dialogs
            .iter()
            .take(1)
            .map(|id| format!("open dialog {}", quoted(id))),
    );
    let headings: Vec<String> = f
        .headings
        .iter()
        .take(MAX_QUOTED_HEADINGS)
        .map(quoted)
        .collect();
    if !headings.is_empty() {
        parts.push(format!("headings {}", headings.join(", ")));
    }
    if f.items > 0 {
        parts.push(format!("{} like items", f.items));
    }
    for kind in ["field", "checkbox", "button", "link"] {
        let count = elements
            .iter()
            .filter(|e| counted(&e.role) == Some(kind))
            .count();
        if count > 0 {
            let ending = match (count, kind) {
                (1, _) => "",
                (_, "checkbox") => "es",
                _ => "s",
            };
            parts.push(format!("{count} {kind}{ending}"));
        }
    }
    text::truncate(&parts.join("; "), MAX_SUMMARY)
}
