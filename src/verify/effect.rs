//! Judges the worst effect that an action may have on the current page. The approval policy uses this effect. This
//! module does no I/O.

use super::{
    PageNow,
    around::{Form, around_nothing, is_search_field, shown},
};
use crate::{
    action::{BrowserAction, Click, Effect, Target},
    guard::{PageContext, classify, submits_itself},
    page::{Dialog, NodeId, Role, TargetIdentity, Tree},
    working::Step,
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
/// focus. For a drag, it is the element where the drag ends. For a part of a button's label, it is the button. For Enter
/// in a field, the buttons near the field are judged too, because Enter could press one of them. If the locator of a
/// click or drag has a part that the tree does not contain, such as a CSS selector, the action could act on anything. So
/// its effect is irreversible.
pub(crate) fn effect(action: &BrowserAction, page: Option<&PageNow>) -> Effect {
    let Some(page) = page else {
        return classify(action, None, &PageContext::default());
    };
    if matches!(action, BrowserAction::DialogAccept(_))
        && is_hidden(page.observation.dialog.as_ref())
    {
        // The question of the dialog is unknown.
        return Effect::Irreversible;
    }
    match aim(action, page.tree()) {
        Aim::Unknown => Effect::Irreversible,
        Aim::Nothing => classify(action, None, &around_nothing(page)),
        Aim::At(id) if page.tree()[id].is_editable() => {
            let form = Form::of(page, id);
            let around = PageContext {
                is_field: true,
                // A search field often stands among the buttons of the whole page.
                submit: if is_search_field(page.tree(), id) {
                    None
                } else {
                    gravest_button(page, &form)
                },
                ..form.around(page, form.last().unwrap_or(id))
            };
            classify(action, Some(&page.element(id)), &around)
        }
        Aim::At(id) => {
            let id = pressed(page.tree(), id);
            let around = Form::of(page, id).around(page, id);
            classify(action, Some(&page.element(id)), &around)
        }
    }
}

/// Returns the worst effect of using a list, a checkbox or a slider, if an earlier step
/// with it led to another page: such a control submits its form by itself.
pub(crate) fn self_submission(
    action: &BrowserAction,
    page: Option<&PageNow>,
    earlier: &[Step],
) -> Effect {
    let Some(page) = page else {
        return action.effect();
    };
    let named = action
        .targets()
        .into_iter()
        .find_map(|target| match target {
            Target::Ref(reference) => page.tree().by_ref(reference.as_str()),
            Target::Locator(_) => None,
        });
    let Some(id) = named.or_else(|| focused(page.tree())) else {
        return action.effect();
    };
    let target = page.element(id);
    let is_known = |step: &Step| {
        let is_it = |one: &TargetIdentity| one.role == target.role && one.name == target.name;
        let has_led = step.reloaded || step.before.url() != step.after.url();
        has_led && step.targets.first().is_some_and(is_it)
    };
    let may_submit = matches!(
        target.role,
        Role::Combobox | Role::ListBox | Role::Checkbox | Role::Slider
    );
    if !may_submit || !earlier.iter().any(is_known) {
        return action.effect();
    }
    let chosen: Vec<String> = match action {
        BrowserAction::Select(select) => select.values.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    };
    let around = Form::of(page, id).around(page, id);
    if submits_itself(&target, &chosen, &around) {
        Effect::Irreversible
    } else {
        action.effect()
    }
}

/// Returns the element that a click on this node presses: the button or link around it, or itself.
fn pressed(tree: &Tree, id: NodeId) -> NodeId {
    /// Maximum number of levels between a button and a part of its label.
    const LEVELS: usize = 4;
    if tree[id].role.is_interactive() {
        return id;
    }
    let is_pressed =
        |at: &NodeId| matches!(tree[*at].role, Role::Button | Role::Link | Role::MenuItem);
    tree.ancestors(id)
        .take(LEVELS)
        .find(is_pressed)
        .unwrap_or(id)
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

/// Returns the node that has the focus. If several nodes are marked as having the focus, returns the innermost one. The
/// whole document has the focus if nothing in it has it, so it does not count.
fn focused(tree: &Tree) -> Option<NodeId> {
    let is_document = |id| tree.parent(id).is_none() && tree[id].role == Role::Generic;
    tree.iter()
        .rev()
        .find(|(id, node)| node.states.active && !is_document(*id))
        .map(|(id, _)| id)
}

/// Returns the worst effect of the buttons that the key Enter in a field of this form could press; `None` if there are
/// none.
fn gravest_button(page: &PageNow, form: &Form) -> Option<Effect> {
    let last = form.last()?;
    // The headings and sentences are read once, as those over the last button.
    let mut around = form.around(page, last);
    let effects = form.buttons().iter().map(|button| {
        let Some(reference) = page.tree()[*button].reference.clone() else {
            return Effect::Reversible;
        };
        let click = BrowserAction::Click(Click {
            target: Target::Ref(reference),
            button: None,
        });
        around.shown = shown(page.tree(), *button);
        classify(&click, Some(&page.element(*button)), &around)
    });
    effects.max()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        action::{
            Action, DialogAccept, Drag, Fill, Key, OnTarget, Outcome, Press, Select, Signature,
        },
        page::{DialogKind, ElementRef, Node, Observation},
        working::Place,
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

    /// Returns the page of a form: a heading, a sentence, a user and a password field, and a button.
    fn form([title, heading, sentence, button]: [&str; 4], path: &str) -> PageNow {
        let node = |role, name: &str, reference: &str| {
            Node::new(role, name).with_ref(ElementRef::parse(reference).unwrap())
        };
        let mut b = Tree::builder();
        b.leaf(node(Role::Link, "Imprint", "e1"));
        b.open(Node::new(Role::Generic, ""));
        let mut over = Node::new(Role::Heading, heading);
        over.states.level = Some(2);
        b.leaf(over);
        b.leaf(Node::text(sentence));
        b.leaf(node(Role::TextBox, "User", "e2"));
        let mut password = node(Role::TextBox, "Password", "e3").with_value("[hidden]");
        password.properties = vec![("type".into(), "password".into())];
        password.states.active = true;
        b.leaf(password);
        b.leaf(node(Role::Button, button, "e4"));
        b.close();
        PageNow::of(Observation::new(
            format!("https://bank.example{path}"),
            title,
            b.finish(),
        ))
    }

    /// Returns the effects of each way to submit the form.
    fn submissions(page: &PageNow) -> [Effect; 3] {
        let enter = BrowserAction::Press(Press {
            key: Key::parse("Enter").unwrap(),
            target: None,
            times: None,
        });
        let fill = BrowserAction::Fill(Fill {
            target: target("e3"),
            text: "<secret:PASSWORD>".into(),
            submit: true,
        });
        let click = BrowserAction::Click(Click {
            target: target("e4"),
            button: None,
        });
        [enter, fill, click].map(|action| effect(&action, Some(page)))
    }

    #[test]
    fn a_form_with_a_password_is_harmless_only_if_it_says_that_it_logs_in() {
        for (words, path) in [
            (["Acme", "", "", "Delete my account"], "/x"),
            (["Acme", "Delete account", "", "Continue"], "/login"),
            (
                [
                    "Acme",
                    "Log in",
                    "Enter your password to delete the account",
                    "Log in",
                ],
                "/login",
            ),
            (
                ["Log in", "", "Your account will be deleted.", "Continue"],
                "/login",
            ),
            (["Acme", "", "", "Pay 500 EUR"], "/login"),
            (["Acme", "Transfer 900 EUR", "", "Send money now"], "/"),
            (["Acme", "Confirm the order of 500 EUR", "", "Confirm"], "/"),
            (["Acme", "Your address", "", "Change"], "/"),
            (["Acme", "Contract", "", "Sign"], "/"),
            (["Acme", "", "", "OK"], "/"),
            (["Bank", "Überweisung", "", "Weiter"], "/"),
        ] {
            let page = form(words, path);
            assert_eq!(submissions(&page), [Effect::Irreversible; 3], "{words:?}");
        }
        for (words, path) in [
            (["Acme", "Welcome back", "", "Log in"], "/"),
            (["Acme", "Sign in", "New here? Sign up.", "Continue"], "/"),
            (["Anmelden", "", "Passwort vergessen?", "Weiter"], "/"),
            (
                [
                    "Acme",
                    "",
                    "By continuing you agree to our terms.",
                    "Senden",
                ],
                "/login",
            ),
            (
                [
                    "Acme",
                    "",
                    "We use cookies. You can delete them in the settings.",
                    "Sign in",
                ],
                "/",
            ),
        ] {
            let page = form(words, path);
            assert_eq!(submissions(&page), [Effect::Reversible; 3], "{words:?}");
        }
    }

    #[test]
    fn a_button_is_judged_by_all_that_it_shows() {
        let over = |name: &str, shown: &str, title: Option<&str>| {
            let mut b = Tree::builder();
            let mut button = Node::new(Role::Button, name);
            button.reference = Some(ElementRef::parse("e1").unwrap());
            button
                .properties
                .extend(title.map(|title| ("title".into(), title.into())));
            b.open(button);
            b.open(Node::new(Role::Generic, "").with_ref(ElementRef::parse("e2").unwrap()));
            b.leaf(Node::text(shown));
            b.close();
            b.close();
            let page = PageNow::of(Observation::new("https://a.example/", "A", b.finish()));
            ["e1", "e2"].map(|at| {
                let target = target(at);
                effect(
                    &BrowserAction::Click(Click {
                        target,
                        button: None,
                    }),
                    Some(&page),
                )
            })
        };
        assert_eq!(
            over("Show details", "Delete account", None),
            [Effect::Irreversible; 2]
        );
        assert_eq!(
            over("×", "×", Some("Delete account")),
            [Effect::Irreversible; 2]
        );
        assert_eq!(
            over("Show details", "Details", Some("More")),
            [Effect::Reversible; 2]
        );
    }

    #[test]
    fn a_control_that_submits_by_itself_is_known_after_the_first_time() {
        let mut b = Tree::builder();
        b.leaf(Node::new(Role::Combobox, "Action").with_ref(ElementRef::parse("e1").unwrap()));
        b.leaf(Node::new(Role::Checkbox, "Archive").with_ref(ElementRef::parse("e2").unwrap()));
        let page = PageNow::of(Observation::new("https://a.example/items", "A", b.finish()));
        let select = |value: &str| {
            BrowserAction::Select(Select {
                target: target("e1"),
                values: vec![value.into()],
            })
        };
        let check = BrowserAction::Check(OnTarget {
            target: target("e2"),
        });
        let step = |action: &BrowserAction, at: &str, led_to: &str| {
            let identity = page.identity(page.tree().by_ref(at).unwrap());
            let action = Action::Browser(action.clone());
            let signature = Signature::of(&action, &[], "");
            let mut step = Step::new(1, action, Outcome::Done, signature);
            step.targets = vec![identity];
            step.before = Place::of("https://a.example/items");
            step.after = Place::of(led_to);
            step
        };
        let judge = |action: &BrowserAction, earlier: &[Step]| {
            self_submission(action, Some(&page), earlier)
        };
        let elsewhere = [
            step(&select("Open"), "e1", "https://a.example/items/1"),
            step(&check, "e2", "https://a.example/archive"),
        ];
        let same = [step(&select("Open"), "e1", "https://a.example/items")];
        assert_eq!(judge(&select("Delete all"), &[]), Effect::Reversible);
        assert_eq!(judge(&select("Delete all"), &same), Effect::Reversible);
        assert_eq!(
            judge(&select("Delete all"), &elsewhere),
            Effect::Irreversible
        );
        assert_eq!(
            judge(&select("Sort by name"), &elsewhere),
            Effect::Reversible
        );
        assert_eq!(judge(&check, &elsewhere), Effect::Irreversible);
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
