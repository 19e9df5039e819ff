//! Did it work? What the driver said, held against what the page shows. Pure.

use std::collections::BTreeSet;

use crate::{
    action::{BrowserAction, ErrorClass, Fill, Outcome, TextValue},
    browser::Execution,
    page::{Notice, Observation, PageDiff, Role, Tri},
};

/// The outcome of an action, after looking: a `Done` that left no trace where it should have is `NoEffect`, and a failure that
/// may have been none, since another page is shown, is `Unclear`.
pub(super) fn judge(
    action: &BrowserAction,
    execution: &Execution,
    diff: &PageDiff,
    before: &Observation,
    after: &Observation,
) -> Outcome {
    if let Outcome::Failed(failure) = &execution.outcome {
        let has_moved = diff.navigated || is_another_document(before, after);
        return if has_moved && may_have_acted(action, failure.class) {
            Outcome::Unclear(failure.clone())
        } else {
            execution.outcome.clone()
        };
    }
    if !execution.outcome.is_done() || !should_show(action) {
        return execution.outcome.clone();
    }
    let seen_beside = (before.dialog.is_none()
        && (execution.dialog.is_some() || after.dialog.is_some()))
        || (before.dialog.is_some() && after.dialog.is_none())
        || before.tabs.len() != after.tabs.len()
        || execution
            .notices
            .iter()
            .any(|notice| matches!(notice, Notice::TabOpened { .. } | Notice::Download { .. }));
    if !diff.is_empty() || seen_beside || already_so(action, after) {
        Outcome::Done
    } else {
        Outcome::NoEffect
    }
}

/// Whether none of the elements that were there is there any more.
///
/// A driver that numbers the elements of each document anew is believed to show the same one.
fn is_another_document(before: &Observation, after: &Observation) -> bool {
    let references = |page: &Observation| -> BTreeSet<String> {
        let nodes = page.tree.nodes().iter();
        nodes
            .filter_map(|node| Some(node.reference.as_ref()?.as_str().to_owned()))
            .collect()
    };
    let (before, after) = (references(before), references(after));
    !before.is_empty() && !after.is_empty() && before.is_disjoint(&after)
}

/// Reports whether an action that failed like this may have reached the page. To go somewhere again does no harm.
pub(super) const fn may_have_acted(action: &BrowserAction, class: ErrorClass) -> bool {
    use BrowserAction as A;
    let acts = matches!(
        action,
        A::Click(_)
            | A::Dblclick(_)
            | A::Hover(_)
            | A::Drag(_)
            | A::Check(_)
            | A::Uncheck(_)
            | A::Fill(_)
            | A::Type(_)
            | A::Press(_)
            | A::Select(_)
            | A::Eval(_)
            | A::RunCode(_)
            | A::DialogAccept(_)
            | A::DialogDismiss(_)
    );
    acts && matches!(
        class,
        ErrorClass::NotStable
            | ErrorClass::Detached
            | ErrorClass::Timeout
            | ErrorClass::ScriptFailed
            // What a script of the page sends beside the action may be what was held back.
            | ErrorClass::SecretLeaves
            | ErrorClass::Other
    )
}

/// Whether the page must look different afterwards. Keys that scroll or move the focus need not show.
fn should_show(action: &BrowserAction) -> bool {
    const QUIET: [&str; 9] = [
        "PageUp",
        "PageDown",
        "Home",
        "End",
        "ArrowUp",
        "ArrowDown",
        "ArrowLeft",
        "ArrowRight",
        "Tab",
    ];
    match action {
        BrowserAction::Press(press) => !press
            .key
            .as_str()
            .rsplit('+')
            .next()
            .is_some_and(|key| QUIET.contains(&key)),
        other => other.tool().should_change_page(),
    }
}

/// Whether the page is in the state that the action asked for, though it was so before.
fn already_so(action: &BrowserAction, after: &Observation) -> bool {
    if let BrowserAction::Goto(goto) = action {
        return is_same_address(&goto.url, &after.url);
    }
    let target = action
        .targets()
        .into_iter()
        .find_map(|t| t.as_ref())
        .and_then(|r| after.tree.by_ref(r.as_str()));
    let Some(node) = target.map(|id| &after.tree[id]) else {
        return false;
    };
    match action {
        BrowserAction::Fill(Fill {
            text: TextValue::Literal(text),
            submit: false,
            ..
        }) => node.value.as_deref().unwrap_or_default() == text,
        BrowserAction::Check(_) => node.states.checked == Some(Tri::True),
        BrowserAction::Uncheck(_) => node.states.checked == Some(Tri::False),
        // A click into a field asks for the focus; what is to be typed waits behind it.
        BrowserAction::Click(_) => {
            node.states.active && matches!(node.role, Role::TextBox | Role::SearchBox)
        }
        _ => false,
    }
}

fn is_same_address(wanted: &str, shown: &str) -> bool {
    let parse = |text: &str| url::Url::parse(text).ok();
    parse(wanted).is_some_and(|wanted| parse(shown) == Some(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        action::{Click, OnTarget, Press, Target},
        page::{ElementRef, Node, PageHead, States, Tree, diff},
    };

    fn page(value: &str, checked: Tri) -> Observation {
        let mut b = Tree::builder();
        b.leaf(
            Node::new(Role::TextBox, "User")
                .with_ref(ElementRef::parse("e1").unwrap())
                .with_value(value),
        );
        let mut node =
            Node::new(Role::Checkbox, "Terms").with_ref(ElementRef::parse("e2").unwrap());
        node.states = States {
            checked: Some(checked),
            ..States::default()
        };
        b.leaf(node);
        Observation::new("https://x.example/", "", b.finish())
    }

    fn judged(action: &BrowserAction, before: &Observation, after: &Observation) -> Outcome {
        let head = PageHead::new("https://x.example/", "");
        let diff = diff((&head, &before.tree), (&head, &after.tree));
        judge(action, &Execution::new(Outcome::Done), &diff, before, after)
    }

    #[test]
    fn an_action_without_a_trace_had_no_effect() {
        let press = BrowserAction::Press(Press {
            key: crate::action::Key::parse("Enter").unwrap(),
        });
        let (same, other) = (page("a", Tri::False), page("b", Tri::False));
        assert_eq!(judged(&press, &same, &same), Outcome::NoEffect);
        assert_eq!(judged(&press, &same, &other), Outcome::Done);
    }

    #[test]
    fn a_failure_is_unclear_where_it_may_have_acted_and_another_page_is_shown() {
        let shown = |url: &str, reference: &str| {
            let mut b = Tree::builder();
            let node = Node::new(Role::Button, "Pay");
            b.leaf(node.with_ref(ElementRef::parse(reference).unwrap()));
            Observation::new(url, "", b.finish())
        };
        let told = |action: &BrowserAction, class, before: &Observation, after: &Observation| {
            let head = |page: &Observation| PageHead::new(page.url.clone(), "");
            let diff = diff((&head(before), &before.tree), (&head(after), &after.tree));
            let execution = Execution::new(Outcome::failed(class, "why"));
            judge(action, &execution, &diff, before, after)
        };
        let click = BrowserAction::Click(Click {
            target: Target::parse("e1").unwrap(),
            button: None,
        });
        let goto = BrowserAction::Goto(crate::action::Goto {
            url: "https://x.example/".to_owned(),
        });
        let here = shown("https://x.example/", "e1");
        let there = shown("https://x.example/paid", "e1");
        // A form that is sent to its own address is answered by another document.
        let again = shown("https://x.example/", "e7");
        let mut asks = Observation::new("https://x.example/", "", Tree::builder().finish());
        asks.dialog = Some(crate::page::Dialog::new(crate::page::DialogKind::Alert, ""));
        let failed = |class| Outcome::failed(class, "why");
        for class in [
            ErrorClass::NotStable,
            ErrorClass::Detached,
            ErrorClass::Timeout,
        ] {
            let Outcome::Failed(failure) = failed(class) else {
                unreachable!("a failure")
            };
            let unclear = Outcome::Unclear(failure);
            assert_eq!(told(&click, class, &here, &there), unclear);
            assert_eq!(told(&click, class, &here, &again), unclear);
            // The page stayed, or cannot be seen.
            assert_eq!(told(&click, class, &here, &here), failed(class));
            assert_eq!(told(&click, class, &here, &asks), failed(class));
            assert_eq!(told(&goto, class, &here, &there), failed(class));
        }
        // Nothing was pressed.
        let covered = ErrorClass::Intercepted;
        assert_eq!(told(&click, covered, &here, &there), failed(covered));
    }

    #[test]
    fn asking_for_what_is_so_already_is_done() {
        let checked = page("a", Tri::True);
        let check = BrowserAction::Check(OnTarget {
            target: Target::parse("e2").unwrap(),
        });
        let uncheck = BrowserAction::Uncheck(OnTarget {
            target: Target::parse("e2").unwrap(),
        });
        assert_eq!(judged(&check, &checked, &checked), Outcome::Done);
        assert_eq!(judged(&uncheck, &checked, &checked), Outcome::NoEffect);
        let fill = |text: &str| {
            BrowserAction::Fill(Fill {
                target: Target::parse("e1").unwrap(),
                text: text.into(),
                submit: false,
            })
        };
        assert_eq!(judged(&fill("a"), &checked, &checked), Outcome::Done);
        assert_eq!(judged(&fill("b"), &checked, &checked), Outcome::NoEffect);
    }

    #[test]
    fn a_click_into_the_field_that_has_the_focus_is_done_and_on_anything_else_that_has_it_is_not() {
        let focused = |role: Role| {
            let mut node = Node::new(role, "Tags").with_ref(ElementRef::parse("e1").unwrap());
            node.states.active = true;
            let mut b = Tree::builder();
            b.leaf(node);
            Observation::new("https://x.example/", "", b.finish())
        };
        let click = BrowserAction::Click(Click {
            target: Target::parse("e1").unwrap(),
            button: None,
        });
        for (role, outcome) in [
            (Role::TextBox, Outcome::Done),
            (Role::SearchBox, Outcome::Done),
            (Role::Combobox, Outcome::NoEffect),
            (Role::Button, Outcome::NoEffect),
        ] {
            let page = focused(role);
            assert_eq!(judged(&click, &page, &page), outcome);
        }
    }

    #[test]
    fn a_transport_that_changed_is_no_trace_of_a_click() {
        let press = BrowserAction::Press(Press {
            key: crate::action::Key::parse("Enter").unwrap(),
        });
        let same = page("a", Tri::False);
        let head = PageHead::new("https://x.example/", "");
        let diff = diff((&head, &same.tree), (&head, &same.tree));
        let mut execution = Execution::new(Outcome::Done);
        let text = String::new;
        execution.notices = vec![Notice::TransportChanged {
            from: text(),
            to: text(),
            why: text(),
        }];
        assert_eq!(
            judge(&press, &execution, &diff, &same, &same),
            Outcome::NoEffect
        );
        execution.notices = vec![Notice::TabOpened { url: text() }];
        assert_eq!(
            judge(&press, &execution, &diff, &same, &same),
            Outcome::Done
        );
    }

    #[test]
    fn going_where_one_is_and_scrolling_by_key_are_done() {
        let same = page("a", Tri::False);
        let goto = |url: &str| {
            BrowserAction::Goto(crate::action::Goto {
                url: url.to_owned(),
            })
        };
        assert_eq!(
            judged(&goto("https://x.example"), &same, &same),
            Outcome::Done
        );
        assert_eq!(
            judged(&goto("https://y.example"), &same, &same),
            Outcome::NoEffect
        );
        let press = |key: &str| {
            BrowserAction::Press(Press {
                key: crate::action::Key::parse(key).unwrap(),
            })
        };
        assert_eq!(judged(&press("PageDown"), &same, &same), Outcome::Done);
        assert_eq!(judged(&press("a"), &same, &same), Outcome::NoEffect);
    }
}
