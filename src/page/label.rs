//! The label of an element: its name, else its text, else the text beside it (for a field), else its placeholder, else its
//! icon, else the file name in its address.

use super::{
    NodeId, Role, Tree,
    outline::{Outline, holds_actionable, is_checkable, push_words, text_within},
};
use crate::base::text;

/// Maximum length of the label of an element. Longer labels are cut. Unit: characters. Source: chosen.
pub const MAX_LABEL: usize = 160;

/// Maximum number of levels above a field that are searched for its label. Source: chosen; a field in a wrapper in a cell
/// needs two.
const MAX_LEVELS: usize = 3;
/// Maximum number of neighbours of a node that are examined on each level. Source: chosen; an asterisk and a gap may stand
/// between a field and its label.
const MAX_NEIGHBOURS: usize = 3;
/// Maximum length of a text that can be a field's label: a text before the field or a heading in its table. Unit:
/// characters. Source: chosen; longer texts are prose.
const MAX_BESIDE: usize = 60;
/// Maximum number of words in a label that ends with a full stop or an exclamation mark. Source: chosen; `Tel.` and `Order
/// no.` are labels, longer texts are sentences.
const MAX_WORDS: usize = 3;
/// Maximum number of cells of a row that are searched for a heading. Source: chosen; the row of a calendar has eight cells.
const MAX_COLUMNS: usize = 64;

/// Returns the label of an element. `own` is its text without the text of other elements inside it.
pub(super) fn label_of(tree: &Tree, outline: &Outline, id: NodeId, own: &str) -> String {
    let node = &tree[id];
    if !node.name.is_empty() {
        return squeezed(&node.name);
    }
    let is_field = is_field(&node.role);
    if !own.is_empty() && !node.role.is_editable() {
        return text::truncate(own, MAX_LABEL);
    }
    if let Some(label) = is_field.then(|| field_label(tree, outline, id)).flatten() {
        return label;
    }
    if let Some(placeholder) = node
        .property("placeholder")
        .filter(|p| !p.trim().is_empty())
    {
        return squeezed(placeholder);
    }
    node.property("icon")
        .or_else(|| node.url.as_deref().and_then(file_name))
        .map(squeezed)
        .unwrap_or_default()
}

/// Returns true if elements of this role have their label beside them.
pub(super) const fn is_field(role: &Role) -> bool {
    role.is_editable() || is_checkable(role) || matches!(role, Role::Slider | Role::ListBox)
}

/// Returns the text as one line of at most [`MAX_LABEL`] characters.
pub(super) fn squeezed(raw: &str) -> String {
    let mut out = String::new();
    push_words(&mut out, raw, MAX_LABEL);
    text::truncate(&out, MAX_LABEL)
}

/// Returns the label of a field without a name: the heading of its column or row in a table, else the text beside it.
pub(super) fn field_label(tree: &Tree, outline: &Outline, id: NodeId) -> Option<String> {
    heading(tree, outline, id).or_else(|| beside(tree, outline, id))
}

fn heading(tree: &Tree, outline: &Outline, id: NodeId) -> Option<String> {
    let is_cell = |at: &NodeId| matches!(tree[*at].role, Role::Cell | Role::GridCell);
    let wrappers = tree.ancestors(id).take(MAX_LEVELS);
    let cell = wrappers
        .take_while(|at| is_wrapper(&tree[*at].role))
        .find(is_cell)?;
    let row = tree.parent(cell).filter(|at| tree[*at].role == Role::Row)?;
    // The heading of a column may be a link that sorts it.
    let words = |at: NodeId| {
        let found = text_within(tree, at, MAX_LABEL);
        is_label(&found).then_some(found)
    };
    let before = |at: NodeId| {
        std::iter::successors(outline.place(at).previous, |at| outline.place(*at).previous)
    };
    let column = before(cell).take(MAX_COLUMNS).count();
    // Column headings count only if the row has as many cells as the row of headings.
    let headings = heading_row(tree, row).filter(|headings| {
        let cells = |at: NodeId| tree.children(at).take(MAX_COLUMNS).count();
        *headings != row && cells(*headings) == cells(row)
    });
    let above = headings
        .and_then(|headings| tree.children(headings).nth(column))
        .filter(|at| tree[*at].role == Role::ColumnHeader)
        .and_then(words);
    let is_heading = |at: &NodeId| matches!(tree[*at].role, Role::RowHeader | Role::ColumnHeader);
    above.or_else(|| {
        before(cell)
            .take(MAX_COLUMNS)
            .filter(is_heading)
            .filter(|at| !holds_actionable(tree, *at))
            .find_map(words)
    })
}

/// Returns true if the cell is in a table with column headings, where the text in the next cell belongs to another column.
fn has_column_headings(tree: &Tree, cell: NodeId) -> bool {
    let row = tree.parent(cell).filter(|at| tree[*at].role == Role::Row);
    row.and_then(|row| heading_row(tree, row))
        .is_some_and(|first| {
            let mut cells = tree.children(first).take(MAX_COLUMNS);
            cells.any(|at| tree[at].role == Role::ColumnHeader)
        })
}

/// Returns the first row of the table around `row`; `None` if `row` is not in a table.
fn heading_row(tree: &Tree, row: NodeId) -> Option<NodeId> {
    let mut table = tree.parent(row)?;
    if tree[table].role == Role::RowGroup {
        table = tree.parent(table)?;
    }
    if !matches!(tree[table].role, Role::Table | Role::Grid | Role::TreeGrid) {
        return None;
    }
    let is_row = |at: &NodeId| tree[*at].role == Role::Row;
    let first = tree
        .children(table)
        .find(|at| is_row(at) || tree[*at].role == Role::RowGroup)?;
    if is_row(&first) {
        Some(first)
    } else {
        tree.children(first).find(is_row)
    }
}

fn is_label(text: &str) -> bool {
    let text = text.trim();
    let ends = text.ends_with(['.', '!']) && !text.ends_with("...");
    text.chars().any(char::is_alphanumeric)
        && text.chars().count() <= MAX_BESIDE
        && !text.contains(". ")
        && !(ends && text.split_whitespace().count() > MAX_WORDS)
}

/// Returns true if a text is only a number or percentage, which is the value of another element, such as a slider. Returns
/// false for `4 x 4 =` and `2.`.
fn is_quantity(text: &str) -> bool {
    let text = text.trim();
    text.ends_with(|c: char| c.is_numeric() || c == '%')
        && !text.contains(|c: char| c.is_alphabetic() || c.is_whitespace())
}

/// Returns the text beside a field: a short text before it. For a checkbox or radio button, the text after it comes
/// first. Looks past wrappers, but not past an element that can be acted on.
fn beside(tree: &Tree, outline: &Outline, id: NodeId) -> Option<String> {
    let is_box = is_checkable(&tree[id].role);
    let mut at = id;
    for _ in 0..MAX_LEVELS {
        let place = outline.place(at);
        // A box in the first cell selects the row. A box in a later cell belongs to the heading of its column.
        let is_further_on =
            matches!(tree[at].role, Role::Cell | Role::GridCell) && place.previous.is_some();
        if is_box && is_further_on && has_column_headings(tree, at) {
            return None;
        }
        let after = is_box
            .then(|| first_text(tree, place.next, |n| outline.place(n).next))
            .flatten();
        if let Some(found) = after {
            return Some(found);
        }
        if place.previous.is_some() {
            let before = first_text(tree, place.previous, |n| outline.place(n).previous);
            if before.is_some() || place.previous.is_some_and(|p| holds_actionable(tree, p)) {
                return before.filter(|text| is_label(text) && !is_quantity(text));
            }
        }
        at = tree
            .parent(at)
            .filter(|parent| is_wrapper(&tree[*parent].role))?;
    }
    None
}

fn first_text(
    tree: &Tree,
    from: Option<NodeId>,
    step: impl Fn(NodeId) -> Option<NodeId>,
) -> Option<String> {
    std::iter::successors(from, |at| step(*at))
        .take(MAX_NEIGHBOURS)
        .take_while(|at| !holds_actionable(tree, *at))
        .map(|at| text_within(tree, at, MAX_LABEL))
        .find(|found| found.chars().any(char::is_alphanumeric))
}

/// Returns true if elements of this role only lay out or format their content, such as `group` or `paragraph`.
pub(super) const fn is_wrapper(role: &Role) -> bool {
    matches!(
        role,
        Role::Generic
            | Role::Cell
            | Role::GridCell
            | Role::Paragraph
            | Role::Definition
            | Role::Group
            | Role::Strong
            | Role::None
            | Role::Presentation
    )
}

fn file_name(url: &str) -> Option<&str> {
    let path = url.split(['?', '#']).next()?;
    let path = path.split_once("://").map_or(path, |(_, rest)| {
        rest.split_once('/').map_or("", |(_, path)| path)
    });
    path.rsplit('/')
        .find(|part| !part.is_empty())
        .filter(|part| !part.contains(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantity_is_no_label_and_a_sum_or_an_ordinal_may_be() {
        for text in ["-1", "25", "80%", "1,234.50"] {
            assert!(is_quantity(text), "{text}");
        }
        for text in ["4 x 4 =", "12 + 3 =", "2.", "a)", "Room 7", "x1"] {
            assert!(!is_quantity(text), "{text}");
        }
    }

    #[test]
    fn the_file_name_of_a_link_is_never_its_host_or_a_script() {
        assert_eq!(file_name("/img/cart.svg?x=1"), Some("cart.svg"));
        assert_eq!(file_name("https://a.example/help/#top"), Some("help"));
        assert_eq!(file_name("https://a.example/"), None);
        assert_eq!(file_name("javascript:void(0)"), None);
        assert_eq!(file_name("#"), None);
    }
}
