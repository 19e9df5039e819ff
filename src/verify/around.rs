//! What stands around the target of an action: its form, the headings and sentences over it. Approval needs it, because
//! a label such as "Confirm" says nothing by itself.

use super::PageNow;
use crate::{
    base::words::{PASSWORD, SEARCH},
    guard::{FormFacts, FormKind, PageContext, form_kind, may_submit},
    page::{NodeId, PageAddress, PageType, Role, Tree, Tri},
    secret::holds_secret,
};

/// Maximum number of nodes over a target that are read, and of nodes in the target itself.
const MAX_READ: usize = 300;
/// Maximum number of nodes after a target that are read: the sentence beside a button.
const MAX_BESIDE: usize = 12;
/// Maximum length of the sentences around a target. Unit: bytes.
const MAX_PROSE: usize = 4_000;

/// The fields and buttons among which a target stands. Pages rarely mark where a form ends, so this is the nearest part
/// of the page that has both.
#[derive(Debug)]
pub(super) struct Form {
    kind: FormKind,
    has_secret: bool,
    buttons: Vec<NodeId>,
    /// What is chosen in its lists and by its radio buttons.
    chosen: Vec<String>,
}

impl Form {
    /// Returns the form around a field, or around anything else that can be pressed.
    pub(super) fn of(page: &PageNow, at: NodeId) -> Self {
        let tree = page.tree();
        let is_button = |id: NodeId| tree[id].role == Role::Button;
        let is_field = |id: NodeId| tree[id].is_editable() || tree[id].role == Role::Radio;
        // A button in a field, such as one that shows the password, does not submit.
        let submits = |id: NodeId| is_button(id) && may_submit(&tree[id].name);
        let part = if is_field(at) {
            nearest_part(tree, at, submits).or_else(|| nearest_part(tree, at, is_button))
        } else {
            nearest_part(tree, at, is_field)
        };
        let nodes: Vec<NodeId> = match part {
            Some(Part::Of(id)) => tree.descendants(id).collect(),
            Some(Part::Page) => tree.iter().map(|(id, _)| id).collect(),
            None => vec![at],
        };
        let (fields, others): (Vec<_>, Vec<_>) = nodes.into_iter().partition(|id| is_field(*id));
        let buttons = others.into_iter().filter(|id| is_button(*id)).collect();
        Self::with(page, at, &fields, buttons)
    }

    fn with(page: &PageNow, at: NodeId, fields: &[NodeId], buttons: Vec<NodeId>) -> Self {
        let tree = page.tree();
        let passwords: Vec<&NodeId> = fields
            .iter()
            .filter(|id| asks_password(tree, **id))
            .collect();
        let names: Vec<&str> = buttons.iter().map(|id| &*tree[*id].name).collect();
        let last = buttons.last().copied().unwrap_or(at);
        let over = Over::of(tree, last.max(at));
        let searches = is_search_field(tree, at)
            || tree.ancestors(at).any(|id| tree[id].role == Role::Search)
            || matches!(
                page.view.behind_dialog,
                PageType::SearchHome | PageType::SearchResults
            );
        let kind = form_kind(&FormFacts {
            passwords: passwords.len(),
            is_login_page: page.view.behind_dialog == PageType::Login,
            is_checkout: page.view.behind_dialog == PageType::Cart,
            searches,
            buttons: &names,
            headings: &over.headings,
            prose: &over.prose,
            title: &page.head.title,
            path: PageAddress::new(&page.head.url).path(),
        });
        let is_filled = |id: &&NodeId| {
            tree[**id]
                .value
                .as_deref()
                .is_some_and(|text| !text.is_empty())
        };
        Self {
            kind,
            // Only secrets of this page count: a password typed to log in does not matter on the pages behind the login.
            has_secret: passwords.iter().any(is_filled) || tree.nodes().iter().any(holds_secret),
            buttons,
            chosen: fields.iter().filter_map(|id| chosen(tree, *id)).collect(),
        }
    }

    pub(super) fn buttons(&self) -> &[NodeId] {
        &self.buttons
    }

    /// Returns the last button.
    pub(super) fn last(&self) -> Option<NodeId> {
        self.buttons.last().copied()
    }

    /// Returns what stands around a part of this form.
    pub(super) fn around<'a>(&self, page: &'a PageNow, at: NodeId) -> PageContext<'a> {
        let tree = page.tree();
        let over = Over::of(tree, at);
        PageContext {
            form: self.kind,
            has_secret: self.has_secret,
            is_field: false,
            is_in_dialog: tree.ancestors(at).any(|id| tree[id].role.is_dialog()),
            link: tree[at].url.as_deref(),
            shown: shown(tree, at),
            headings: over.headings,
            prose: over.prose,
            chosen: self.chosen.clone(),
            ..of_page(page)
        }
    }
}

/// Returns what stands around every action on the page.
fn of_page(page: &PageNow) -> PageContext<'_> {
    let dialog = page.observation.dialog.as_ref();
    PageContext {
        dialog: dialog.map(|dialog| dialog.message.as_str()),
        title: Some(page.head.title.as_str()),
        ..PageContext::default()
    }
}

/// Returns what an action without a known target has around it: the whole page.
pub(super) fn around_nothing(page: &PageNow) -> PageContext<'_> {
    let tree = page.tree();
    let fields: Vec<NodeId> = tree
        .iter()
        .filter(|(_, node)| node.is_editable())
        .map(|(id, _)| id)
        .collect();
    let Some(at) = fields.first().copied() else {
        return of_page(page);
    };
    let buttons = tree
        .iter()
        .filter(|(_, node)| node.role == Role::Button)
        .map(|(id, _)| id);
    let form = Form::with(page, at, &fields, buttons.collect());
    PageContext {
        link: None,
        shown: Vec::new(),
        ..form.around(page, at)
    }
}

/// The headings and sentences over a target.
struct Over {
    headings: Vec<String>,
    prose: String,
}

impl Over {
    /// Reads back from a target to the start of its dialog or page: the headings over it, each higher than the one below,
    /// and the sentences that belong to them. What stands in another item, card, menu or footer does not count. Adds the
    /// sentences after it, up to the next element that can be acted on.
    fn of(tree: &Tree, at: NodeId) -> Self {
        let bound = tree.ancestors(at).find(|id| tree[*id].role.is_dialog());
        let mut elsewhere: Option<NodeId> = None;
        let before = Tree::before(at).take(MAX_READ);
        let mut over = Self {
            headings: Vec::new(),
            prose: String::new(),
        };
        let (mut level, mut pending) = (u8::MAX, String::new());
        for id in before {
            if bound.is_some_and(|bound| id <= bound) {
                break;
            }
            let node = &tree[id];
            if elsewhere.is_some_and(|part| id > part) {
                continue;
            }
            elsewhere = tree
                .ancestors(id)
                .filter(|part| is_apart(tree, *part, at))
                .last();
            if elsewhere.is_some() {
                continue;
            }
            if node.role == Role::Heading {
                let own = node.states.level.unwrap_or(1);
                let text = std::mem::take(&mut pending);
                if own < level {
                    level = own;
                    over.headings.push(words_in(tree, id));
                    over.prose.push_str(&text);
                }
            } else if let Some(text) = sentence(tree, id) {
                push(&mut pending, text);
            }
        }
        // Without a heading, what begins the page is over the target.
        if over.headings.is_empty() {
            over.prose.push_str(&pending);
        }
        if let Some(bound) = bound {
            over.headings.push(tree[bound].name.to_string());
        }
        let last = tree.descendants(at).next_back().unwrap_or(at);
        for id in tree.after(last).take(MAX_BESIDE) {
            let role = &tree[id].role;
            if role.is_interactive() || role.is_editable() || *role == Role::Heading {
                break;
            }
            if let Some(text) = sentence(tree, id) {
                push(&mut over.prose, text);
            }
        }
        over
    }
}

/// Returns true if this is a part of the page that is about one thing, and the target is not in it.
fn is_apart(tree: &Tree, part: NodeId, target: NodeId) -> bool {
    let role = &tree[part].role;
    let is_part = role.is_aside() || matches!(role, Role::ListItem | Role::Article | Role::Row);
    let holds = || part <= target && tree.descendants(part).next_back() >= Some(target);
    is_part && !holds()
}

fn push(prose: &mut String, text: &str) {
    if prose.len() + text.len() <= MAX_PROSE {
        prose.push_str(text);
        prose.push('\n');
    }
}

/// Returns the text of a node, unless it is part of a heading or of something that can be acted on.
fn sentence(tree: &Tree, id: NodeId) -> Option<&str> {
    let is_label = |at: NodeId| {
        tree[at].is_editable() || tree[at].role.is_interactive() || tree[at].role == Role::Heading
    };
    let is_part = is_label(id) || tree.parent(id).is_some_and(is_label);
    tree[id].value.as_deref().filter(|_| !is_part)
}

/// Returns what a person sees of an element, and what it says when the mouse points at it.
pub(super) fn shown(tree: &Tree, at: NodeId) -> Vec<String> {
    let node = &tree[at];
    if node.is_editable() {
        return Vec::new();
    }
    let title = node.property("title").map(str::to_owned);
    let texts = [node.name.to_string(), words_in(tree, at)];
    texts
        .into_iter()
        .chain(title)
        .filter(|text| !text.trim().is_empty())
        .collect()
}

/// Returns the texts in a node, or its name if it has none.
fn words_in(tree: &Tree, at: NodeId) -> String {
    let mut out = String::new();
    for id in std::iter::once(at)
        .chain(tree.descendants(at))
        .take(MAX_READ)
    {
        let node = &tree[id];
        if let Some(text) = node.value.as_deref().filter(|_| !node.is_editable()) {
            push(&mut out, text);
        }
    }
    if out.is_empty() {
        return tree[at].name.to_string();
    }
    out.replace('\n', " ")
}

/// Returns what is chosen in a list, or by a radio button; `None` for any other field.
fn chosen(tree: &Tree, field: NodeId) -> Option<String> {
    let node = &tree[field];
    if node.role == Role::Radio && node.states.checked == Some(Tri::True) {
        return Some(node.name.to_string());
    }
    if !matches!(node.role, Role::Combobox | Role::ListBox) {
        return None;
    }
    let mut options = tree.descendants(field).map(|id| &tree[id]);
    let option = options.find(|node| node.states.selected == Some(true));
    let option = option.map(|option| &*option.name);
    node.value.as_deref().or(option).map(str::to_owned)
}

/// Returns true if the element itself says that it is a field for a search.
pub(super) fn is_search_field(tree: &Tree, at: NodeId) -> bool {
    tree[at].role == Role::SearchBox
        || (tree[at].is_editable() && SEARCH.are_in_text(&tree[at].name))
}

/// Returns true if the field asks for a password that exists already.
fn asks_password(tree: &Tree, id: NodeId) -> bool {
    let node = &tree[id];
    let completes = node.property("autocomplete").unwrap_or_default();
    let is_new = completes.contains("new-password");
    let is_said = node.property("type") == Some("password")
        || completes.contains("current-password")
        || PASSWORD.are_in_text(&node.name)
        || holds_secret(node);
    is_said && !is_new
}

/// A part of a page.
#[derive(Debug, Clone, Copy)]
enum Part {
    Of(NodeId),
    Page,
}

/// Returns the nearest part around a node that contains a node of a sort; `None` if there is none. The search ends at the
/// dialog or form around the node.
///
/// The whole search costs no more than one walk over the tree, however deep the nesting is.
fn nearest_part(tree: &Tree, from: NodeId, is_wanted: impl Fn(NodeId) -> bool) -> Option<Part> {
    let mut searched = from;
    for part in tree.ancestors(from) {
        let last = tree.descendants(searched).next_back().unwrap_or(searched);
        let before = tree.descendants(part).take_while(|id| *id < searched);
        let after = tree.descendants(part).rev().take_while(|id| *id > last);
        if before.chain(after).any(&is_wanted) {
            return Some(Part::Of(part));
        }
        if tree[part].role.is_dialog() || tree[part].role == Role::Form {
            return None;
        }
        searched = part;
    }
    let is_anywhere = tree.iter().any(|(id, _)| is_wanted(id));
    is_anywhere.then_some(Part::Page)
}
