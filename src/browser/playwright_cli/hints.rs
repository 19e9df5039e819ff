//! Hints: facts about elements that a snapshot does not contain, such as input types and test ids. One script per
//! observation reads them.

use std::{collections::HashSet, time::Duration};

use super::{
    asking::{Asked, Hint, Need, hints},
    driver::{PlaywrightCli, Scripted, State},
};
use crate::{
    base::{
        Result,
        text::{clean, squeeze},
    },
    page::{Node, NodeId, Role, Tree},
};

/// Maximum number of elements whose hints are read in one observation. Fields and elements without words come first.
/// Source: chosen; each element takes the tool a millisecond or more.
const MAX_ASKED: usize = 300;
/// Maximum number of nodes that are searched for an element's words. Source: the page script of the `cdp` driver has
/// the same maximum.
const MOST_MUTE: usize = 50;

impl PlaywrightCli {
    /// Adds the elements' hints to the tree. Returns the tree and the selected text. If the script returns nothing, the
    /// tree is unchanged and the text empty.
    pub(super) async fn with_hints(
        &self,
        state: &mut State,
        tree: Tree,
        timeout: Duration,
    ) -> Result<(Tree, String)> {
        // After a secret was typed, a text that the snapshot does not show may be that secret.
        let (ids, asked) = questions(&tree, !state.typed.anywhere());
        if asked.is_empty() {
            return Ok((tree, String::new()));
        }
        let script = hints(&asked, timeout / 2);
        let answer = self.script(state, script, timeout).await?;
        drop(asked);
        let Scripted::Returned(returned) = answer else {
            return Ok((tree, String::new()));
        };
        let tree = told(tree, ids.into_iter().zip(returned.hints));
        Ok((tree, returned.selected))
    }
}

/// Returns the elements whose hints are to be read, the most important first, with the script's input for each. If
/// `with_texts` is true, the script is also asked for the texts of fields without a value.
fn questions(tree: &Tree, with_texts: bool) -> (Vec<NodeId>, Vec<Asked<'_>>) {
    let all = tree.iter().filter(|(_, node)| node.role != Role::Iframe);
    let mut asked: Vec<(NodeId, Asked<'_>)> = all
        .filter_map(|(id, node)| {
            let reference = node.reference.as_ref()?;
            let is_mute = is_mute(tree, id);
            let is_sure = is_asked(&node.role) || node.states.pointer;
            let is_picture = is_mute && (is_sure || node.role == Role::Img);
            let need = if is_field(&node.role) || is_picture {
                Need::All
            } else if is_sure {
                Need::Rest
            } else {
                Need::Click
            };
            let question = Asked {
                reference: reference.as_str(),
                role: node.role.as_str(),
                is_mute,
                name: (with_texts && lacks_value(node)).then_some(&*node.name),
                need,
            };
            Some((id, question))
        })
        .collect();
    asked.sort_by_key(|(_, question)| question.need);
    asked.truncate(MAX_ASKED);
    asked.into_iter().unzip()
}

fn lacks_value(node: &Node) -> bool {
    node.role.is_editable() && node.value.is_none()
}

const fn is_field(role: &Role) -> bool {
    role.is_editable()
        || matches!(
            role,
            Role::Checkbox
                | Role::Radio
                | Role::Switch
                | Role::Slider
                | Role::ListBox
                | Role::ProgressBar
                | Role::Meter
                | Role::ScrollBar
        )
}

/// Returns true if hints are wanted for every element with this role, even if it does not react to clicks.
const fn is_asked(role: &Role) -> bool {
    role.is_interactive()
        || matches!(
            role,
            Role::ProgressBar | Role::Meter | Role::ScrollBar | Role::GridCell
        )
}

/// Returns true if neither the node nor any node inside it has words. Returns false if there are more than
/// [`MOST_MUTE`] nodes.
fn is_mute(tree: &Tree, id: NodeId) -> bool {
    let inside = std::iter::once(id).chain(tree.descendants(id));
    let says = |at: NodeId| {
        let node = &tree[at];
        !node.name.is_empty() || node.value.as_ref().is_some_and(|value| !value.is_empty())
    };
    inside
        .take(MOST_MUTE + 1)
        .enumerate()
        .all(|(at, id)| at < MOST_MUTE && !says(id))
}

/// Adds the hints in `answers` to the tree. A hint is `None` if the element gave no answer.
fn told(tree: Tree, answers: impl Iterator<Item = (NodeId, Option<Hint>)>) -> Tree {
    let mut answers: Vec<(NodeId, Hint)> =
        answers.filter_map(|(id, hint)| Some((id, hint?))).collect();
    answers.sort_by_key(|(id, _)| *id);
    let mut in_editor: HashSet<NodeId> = HashSet::new();
    for (id, hint) in &mut answers {
        let editable = hint.props.iter().position(|(name, _)| name == "editable");
        match editable {
            // The element is editable only because it is inside an editable element.
            Some(at) if in_editor.contains(id) => _ = hint.props.remove(at),
            Some(_) => in_editor.extend(tree.descendants(*id)),
            None => {}
        }
    }
    let mut answers = answers.into_iter().peekable();
    tree.edit(|id, node| {
        if let Some((_, hint)) = answers.next_if(|(at, _)| *at == id) {
            give(node, hint);
        }
    })
}

fn give(
    node: &mut Node,
    Hint {
        states,
        props,
        url,
        exact,
    }: Hint,
) {
    let is_told = node.states.pointer
        || states.listens
        || node.role == Role::Img
        || is_asked(&node.role)
        || props.iter().any(|(name, _)| name == "editable");
    if !is_told {
        return;
    }
    // The tool prints the text as one line without white space around it. If that line equals the name, or if the field is
    // an editable element, the tool prints no value. A masked text stays masked.
    if let Some(exact) = exact.as_deref().map(clean) {
        let words = squeeze(&exact);
        let printed = node.value.as_deref().map(squeeze);
        if !words.is_empty() && printed.is_none_or(|printed| words == printed) {
            node.value = Some(exact.into());
        }
    }
    node.states.readonly = states.readonly;
    node.states.required = states.required;
    node.states.listens = states.listens;
    node.states.pressed = node.states.pressed.or(states.pressed);
    node.states.expanded = node.states.expanded.or(states.expanded);
    if states.selected == Some(true) {
        node.states.selected = states.selected;
    }
    if let (Some(url), true) = (url, node.url.is_some()) {
        node.url = Some(clean(&url).into());
    }
    let props = props.into_iter();
    node.properties
        .extend(props.map(|(name, value)| (clean(&name).into(), clean(&value).into())));
}
