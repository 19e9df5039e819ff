//! Judges the worst effect that an action may have on the current page. The approval policy uses this effect. This
//! module does no I/O.

use super::PageNow;
use crate::{
    action::{BrowserAction, Click, Effect, Target},
    guard::{PageContext, PageKind, classify},
    page::{Dialog, NodeId, PageType, Role, Tree},
    secret::holds_secret,
};

/// The text that is shown instead of a dialog's message, if the message may come from a frame that the run must not
/// visit.
pub(crate) const HIDDEN: &str =
    "(not shown: a frame that this run may not visit could have written it)";

fn is_hidden(dialog: Option<&Dialog>) -> bool {
    dialog.is_some_and(|dialog| dialog.message == HIDDEN)
}

/// Returns the worst effect that an action may have on the current page.
///
/// The effect depends on the target of the action. For a pressed key or typed text, the target is the element with the
/// focus. For a drag, it is the element where the drag ends. For Enter in a field, the buttons near the field are
/// judged too, because Enter could press one of them. If the locator of a click or drag has a part that the tree does
/// not contain, such as a CSS selector, the action could act on anything. So its effect is irreversible.
pub(crate) fn effect(action: &BrowserAction, page: Option<&PageNow>) -> Effect {
    let Some(page) = page else {
        return classify(action, None, &context(None));
    };
    if matches!(action, BrowserAction::DialogAccept(_))
        && is_hidden(page.observation.dialog.as_ref())
    {
        // The question of the dialog is unknown.
        return Effect::Irreversible;
    }
    let tree = &page.observation.tree;
    let mut around = context(Some(page));
    let at = match aim(action, tree) {
        Aim::Unknown => return Effect::Irreversible,
        Aim::Nothing => return classify(action, None, &around),
        Aim::At(id) => id,
    };
    around.link = tree[at].url.as_deref();
    let submit = gravest_button(page, at, &around);
    around.submit = submit.as_deref();
    classify(action, Some(&page.element(at)), &around)
}

/// The node that an action acts on, if this node is known.
enum Aim {
    /// The action is a click or a drag whose locator has a part that the page's tree does not contain, such as a CSS
    /// selector. So the action may act on any node.
    Unknown,
    /// No node of the tree is known to be the target. Either the action has no target, or the target was not found in
    /// the tree.
    Nothing,
    At(NodeId),
}

fn aim(action: &BrowserAction, tree: &Tree) -> Aim {
    let target = match action {
        BrowserAction::Drag(drag) => Some(&drag.to),
        BrowserAction::Press(_) | BrowserAction::Type(_) => {
            return focused(tree).map_or(Aim::Nothing, Aim::At);
        }
        other => other.targets().first().copied(),
    };
    let found = match target {
        None => None,
        Some(Target::Ref(reference)) => tree.by_ref(reference.as_str()),
        Some(Target::Locator(locator)) => match locator.find(tree) {
            Some(found) => found.first().copied(),
            None if is_pointing(action) => return Aim::Unknown,
            None => None,
        },
    };
    found.map_or(Aim::Nothing, Aim::At)
}

const fn is_pointing(action: &BrowserAction) -> bool {
    matches!(
        action,
        BrowserAction::Click(_) | BrowserAction::Dblclick(_) | BrowserAction::Drag(_)
    )
}

/// Returns the node that has the focus. If several nodes are marked as having the focus, returns the innermost one.
fn focused(tree: &Tree) -> Option<NodeId> {
    tree.iter()
        .rev()
        .find(|(_, node)| node.states.active)
        .map(|(id, _)| id)
}

/// Returns the name of the button that the key Enter in this field could press. Among the [`nearest_buttons`], this is
/// the one with the worst effect. Returns `None` if the node is not a text field, or if there is no such button.
fn gravest_button(page: &PageNow, field: NodeId, around: &PageContext<'_>) -> Option<String> {
    let tree = page.tree();
    if !tree[field].role.is_editable() {
        return None;
    }
    let mut worst: Option<(Effect, NodeId)> = None;
    for button in nearest_buttons(tree, field).into_iter().rev() {
        let effect = click_effect(page, button, around);
        if worst.is_none_or(|(known, _)| effect > known) {
            worst = Some((effect, button));
        }
        if effect == Effect::Irreversible {
            break;
        }
    }
    worst.map(|(_, id)| tree[id].name.to_string())
}

/// Returns the buttons near a field, in document order. These are all buttons inside the field's nearest ancestor that
/// contains a button.
///
/// The whole search costs no more than one walk over the tree, however deep the nesting is.
fn nearest_buttons(tree: &Tree, field: NodeId) -> Vec<NodeId> {
    let is_button = |id: &NodeId| tree[*id].role == Role::Button;
    let mut buttons: Vec<NodeId> = tree.descendants(field).filter(is_button).collect();
    let mut searched = field;
    for part in tree.ancestors(field) {
        let last = tree.descendants(searched).next_back().unwrap_or(searched);
        let before = tree.descendants(part).take_while(|id| *id < searched);
        let after = tree.descendants(part).rev().take_while(|id| *id > last);
        buttons.extend(before.chain(after).filter(is_button));
        if !buttons.is_empty() {
            break;
        }
        searched = part;
    }
    buttons.sort_unstable();
    buttons
}

fn click_effect(page: &PageNow, button: NodeId, around: &PageContext<'_>) -> Effect {
    let Some(reference) = page.tree()[button].reference.clone() else {
        return Effect::Reversible;
    };
    classify(
        &BrowserAction::Click(Click {
            target: Target::Ref(reference),
            button: None,
        }),
        Some(&page.element(button)),
        around,
    )
}

/// Returns the facts about the page that the effect of an action depends on; empty if there is no page.
fn context(page: Option<&PageNow>) -> PageContext<'_> {
    let Some(page) = page else {
        return PageContext::default();
    };
    let kind = match page.view.behind_dialog {
        PageType::Login => PageKind::Login,
        PageType::SearchHome | PageType::SearchResults => PageKind::Search,
        PageType::Cart => PageKind::Checkout,
        _ => PageKind::Other,
    };
    PageContext {
        kind,
        // Only secrets of this page count: a password typed to log in does not matter on the pages behind the login.
        has_typed_secret: page.observation.tree.nodes().iter().any(holds_secret),
        link: None,
        submit: None,
        dialog: page
            .observation
            .dialog
            .as_ref()
            .map(|dialog| dialog.message.as_str()),
        heading: Some(page.head.title.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        action::{DialogAccept, Drag, Fill, Key, Press},
        page::{DialogKind, ElementRef, Node, Observation},
    };

    /// Returns a page with two forms. The first has a field, and a focused button with an irreversible effect. The
    /// second has one harmless button.
    fn page() -> PageNow {
        let node = |role, name: &str, reference: &str| {
            Node::new(role, name).with_ref(ElementRef::parse(reference).unwrap())
        };
        let mut b = Tree::builder();
        b.open(Node::new(Role::Generic, ""));
        b.leaf(node(Role::TextBox, "Note", "e2"));
        let mut order = node(Role::Button, "Place order", "e5");
        order.states.active = true;
        b.leaf(order);
        b.close();
        b.open(Node::new(Role::Search, ""));
        b.leaf(node(Role::SearchBox, "Search", "e7"));
        b.leaf(node(Role::Button, "Go", "e8"));
        b.close();
        PageNow::of(Observation::new(
            "https://shop.example/x",
            "Shop",
            b.finish(),
        ))
    }

    fn target(text: &str) -> Target {
        Target::parse(text).unwrap()
    }

    #[test]
    fn every_way_to_press_a_grave_button_is_irreversible() {
        let fill = BrowserAction::Fill(Fill {
            target: target("e2"),
            text: "x".into(),
            submit: true,
        });
        let click = |text: &str| {
            BrowserAction::Click(Click {
                target: target(text),
                button: None,
            })
        };
        for action in [
            click("e5"),
            click(r#"css="button.primary""#),
            click("role=button >> nth=0"),
            click(r#"role=button[name="place"]"#),
            click(r#"text="Place order" exact"#),
            BrowserAction::Press(Press {
                key: Key::parse("Enter").unwrap(),
                target: None,
                times: None,
            }),
            BrowserAction::Drag(Drag {
                from: target("e2"),
                to: target("e5"),
            }),
            fill,
        ] {
            assert_eq!(
                effect(&action, Some(&page())),
                Effect::Irreversible,
                "{action:?}"
            );
        }
    }

    #[test]
    fn to_accept_a_dialog_whose_words_are_hidden_is_irreversible() {
        let accept = BrowserAction::DialogAccept(DialogAccept { text: None });
        let over = |message: &str| {
            let mut page = page();
            let mut observation = Observation::clone(&page.observation);
            observation.dialog = Some(Dialog::new(DialogKind::Confirm, message));
            page.observation = Arc::new(observation);
            effect(&accept, Some(&page))
        };
        assert_eq!(over("Show more?"), Effect::Reversible);
        assert_eq!(over("Delete all?"), Effect::Irreversible);
        assert_eq!(over(HIDDEN), Effect::Irreversible);
    }

    #[test]
    fn the_form_beside_a_grave_button_stays_harmless() {
        let search = BrowserAction::Fill(Fill {
            target: target("e7"),
            text: "x".into(),
            submit: true,
        });
        assert_eq!(effect(&search, Some(&page())), Effect::Reversible);
        let fill = BrowserAction::Fill(Fill {
            target: target("e2"),
            text: "x".into(),
            submit: false,
        });
        assert_eq!(effect(&fill, Some(&page())), Effect::Reversible);
    }
}
