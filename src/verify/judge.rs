//! Judges the outcome of an action: checks the driver's report against what the page shows. This module does no I/O.

use std::collections::BTreeSet;

use crate::{
    action::{
        BrowserAction, ErrorClass, Fill, Key, Outcome, Target, TextValue, execution::Execution,
    },
    base::text,
    page::{Change, NodeId, Notice, Observation, PageAddress, PageDiff, Role, Trace, Tree, Tri},
    secret::holds_secret,
    verify::{
        error_page::navigates,
        finish::numbers,
        traces::{answers, answers_wheel},
    },
};

/// Duration below which a `wait` counts as having ended at once. Unit: milliseconds. Source: chosen; one look at the
/// page takes some 100 ms.
const AT_ONCE: u64 = 1_000;
/// Maximum length of the value that a field holds in the detail of a failure. Unit: characters.
const MAX_HELD: usize = 100;

/// Returns the outcome of an action. The page was observed before the action (`before`) and after it (`after`). `moved` is
/// true if the action moved the element that it dragged. The outcome differs from the outcome that the driver reports in these cases:
///
/// - `Done` becomes `NoEffect` if the action should have changed something but no change was observed that it can have
///   caused. It stays `Done` if the page was already as the action asks.
/// - A failure becomes `Unclear` if the action may have reached the page and another page is shown, because the action
///   may have worked.
/// - A `goto` that ran out of time becomes `Done` if it led to its page nevertheless.
pub(super) fn judge(
    action: &BrowserAction,
    (execution, moved): (&Execution, bool),
    diff: &PageDiff,
    before: &Observation,
    after: &Observation,
) -> Outcome {
    if let Outcome::Failed(failure) = &execution.outcome {
        let has_moved = diff.navigated || is_another_document(before, after);
        return match action {
            // The page arrived after the driver had stopped waiting for it.
            BrowserAction::Goto(goto)
                if has_moved && failure.class == ErrorClass::Timeout && is_at(&goto.url, after) =>
            {
                Outcome::Done
            }
            _ if has_moved && may_have_acted(action, failure.class) => {
                Outcome::Unclear(failure.clone())
            }
            _ => execution.outcome.clone(),
        };
    }
    if !execution.outcome.is_done() || !should_show(action, execution.traces.is_some(), before) {
        return execution.outcome.clone();
    }
    let answers_dialog = matches!(
        action,
        BrowserAction::DialogAccept(_) | BrowserAction::DialogDismiss(_)
    );
    // A new dialog is another dialog even if it has the same message as the dialog before it.
    let seen_beside = moved
        || before.dialog != after.dialog
        || (execution.dialog.is_some() && (answers_dialog || before.dialog.is_none()))
        || before.tabs.len() != after.tabs.len()
        || execution
            .notices
            .iter()
            .any(|notice| matches!(notice, Notice::TabOpened { .. } | Notice::Download { .. }))
        || has_selected(action, before, after);
    if !seen_beside && !diff.navigated && types_in_vain(action, before, after) {
        return Outcome::NoEffect;
    }
    let differs = !diff.is_empty() && !is_its_own_focus(action, diff, after);
    let is_answered = execution
        .traces
        .as_ref()
        .is_some_and(|traces| match action {
            BrowserAction::Scroll(_) => answers_wheel(traces),
            _ => answers(traces),
        });
    if !diff.navigated
        && let Some(held) = held_instead(action, after)
    {
        let held = serde_json::Value::from(text::truncate(held, MAX_HELD));
        return Outcome::failed(ErrorClass::BadValue, &format!("the field holds {held} now"));
    }
    if differs || is_answered || seen_beside || already_so(action, after) {
        Outcome::Done
    } else {
        Outcome::NoEffect
    }
}

/// Returns the value that the field of a `fill` holds although another one was typed; `None` if it holds what was typed. A page may
/// write the value in another form: a date in another order, a number with separators, a telephone number with spaces. An empty
/// field is no other value, because fields for several items take each item out of the text.
fn held_instead<'p>(action: &BrowserAction, after: &'p Observation) -> Option<&'p str> {
    let BrowserAction::Fill(Fill {
        text: TextValue::Literal(wanted),
        submit: false,
        ..
    }) = action
    else {
        return None;
    };
    let node = &after.tree[aimed_at(action, &after.tree)?];
    let held = node.value.as_deref().filter(|held| !held.is_empty())?;
    let bare = |text: &str| -> String {
        let signs = text.chars().filter(|c| c.is_alphanumeric());
        signs.flat_map(char::to_lowercase).collect()
    };
    let is_text = node.role.is_editable() && node.role != Role::Combobox && !holds_secret(node);
    let (is, asked) = (numbers(held), numbers(wanted));
    let are_numbers = !is.is_empty() && is.iter().all(|number| asked.contains(number));
    // A search field may complete what was typed.
    let is_completed = asked.is_empty() && bare(held).starts_with(&bare(wanted));
    let is_other = bare(held) != bare(wanted) && !are_numbers && !is_completed;
    (is_text && is_other && !held.ends_with('…')).then_some(held)
}

/// Returns true if the action selected a text that was not selected before. Only `press`, `click`, `click_at`,
/// `select_text` and `eval` count, because double clicks, drags and the filling of fields may select text even if the
/// page does not react.
fn has_selected(action: &BrowserAction, before: &Observation, after: &Observation) -> bool {
    use BrowserAction as A;
    let selects = matches!(
        action,
        A::Press(_) | A::Click(_) | A::ClickAt(_) | A::SelectText(_) | A::Eval(_)
    );
    selects && !after.selected.is_empty() && after.selected != before.selected
}

/// Returns true if the action typed text into a read-only field, and the field's value did not change. Other changes of
/// the page do not matter, because they may belong to the action before.
fn types_in_vain(action: &BrowserAction, before: &Observation, after: &Observation) -> bool {
    let field = |page: &Observation| {
        let mut nodes = page.tree.nodes().iter().rev();
        let node = nodes.find(|node| node.states.active)?;
        node.states.readonly.then(|| node.value.clone())
    };
    let held = field(before);
    matches!(action, BrowserAction::Type(_)) && held.is_some() && held == field(after)
}

/// Returns true if the pages before and after an action both have element references and share none of them.
///
/// If a driver begins the numbers of references anew in each document, two documents can share references. Then this
/// returns false although another document is shown.
pub(crate) fn is_another_document(before: &Observation, after: &Observation) -> bool {
    let references = |page: &Observation| -> BTreeSet<String> {
        let nodes = page.tree.nodes().iter();
        nodes
            .filter_map(|node| Some(node.reference.as_ref()?.as_str().to_owned()))
            .collect()
    };
    let (before, after) = (references(before), references(after));
    !before.is_empty() && !after.is_empty() && before.is_disjoint(&after)
}

/// Returns true if an action that failed with an error of this class may have had its effect on the page. Returns false
/// for navigation, which may safely be repeated.
pub(super) const fn may_have_acted(action: &BrowserAction, class: ErrorClass) -> bool {
    use BrowserAction as A;
    let only_looks = matches!(
        action,
        A::SelectText(_)
            | A::Scroll(_)
            | A::TabSelect(_)
            | A::TabClose(_)
            | A::StateSave(_)
            | A::StateLoad(_)
    );
    let acts = !only_looks && !navigates(action) && !action.tool().is_look();
    acts && matches!(
        class,
        ErrorClass::NotStable
            | ErrorClass::Detached
            | ErrorClass::Timeout
            | ErrorClass::ScriptFailed
            // The held-back request may come from a script of the page and not from the action.
            | ErrorClass::SecretLeaves
            | ErrorClass::Other
    )
}

/// Returns true if a key scrolls the page, moves the focus or the caret, changes the selection, or copies. An
/// observation does not always show that such a key has worked.
fn moves_quietly(key: &Key) -> bool {
    let takes_away = matches!(key.last(), "Backspace" | "Delete");
    key.moves() && !takes_away || selects(key)
}

/// Returns true if a key is the shortcut that selects everything, or the shortcut that copies the selection.
fn selects(key: &Key) -> bool {
    ["a", "A", "c", "C"].contains(&key.last())
        && key
            .modifiers()
            .any(|modifier| matches!(modifier, "Control" | "Meta" | "ControlOrMeta"))
}

fn moves_vertically(key: &str) -> bool {
    ["ArrowUp", "ArrowDown", "PageUp", "PageDown"].contains(&key)
}

/// Returns true if an action presses a key that moves the caret or the focus, deletes a character, selects everything
/// or copies. It is normal to press such a key several times in a row.
pub(crate) fn moves_the_caret(action: &BrowserAction) -> bool {
    let BrowserAction::Press(press) = action else {
        return false;
    };
    press.key.moves() || selects(&press.key)
}

/// Returns true if the page must show a change when this action has worked. `is_watched` is true if the driver watches
/// for reactions of the page; in this case, a reaction counts as a change.
///
/// A key that moves the caret or the focus, selects or copies need not show a change in a field, because it may move
/// only the caret. Vertical movement without a modifier is an exception. If the driver does not watch, no such key need
/// show a change.
fn should_show(action: &BrowserAction, is_watched: bool, before: &Observation) -> bool {
    let in_field = || {
        aimed_at(action, &before.tree).is_some_and(|id| {
            let node = &before.tree[id];
            node.role.is_editable() || node.property("editable").is_some()
        })
    };
    match action {
        BrowserAction::Press(press) if moves_quietly(&press.key) => {
            is_watched && (moves_vertically(press.key.as_str()) || !in_field())
        }
        BrowserAction::Hover(_) => is_watched,
        // A model looks for the point that answers, so most points do not.
        BrowserAction::HoverXy(_) => false,
        BrowserAction::Scroll(scroll) => is_watched && scroll.direction.is_some(),
        other => other.tool().should_change_page(),
    }
}

/// Returns true if the page may show the effect of this action only at a second look. `traces` are the reactions of the
/// page; `None` if the driver did not watch.
pub(super) fn may_show_late(action: &BrowserAction, traces: Option<&[Trace]>) -> bool {
    match action {
        BrowserAction::Hover(_) | BrowserAction::HoverXy(_) => true,
        // Most scrolls change no tree, and traces prove them at the first look.
        BrowserAction::Scroll(_) => traces.is_some_and(<[Trace]>::is_empty),
        other => other.tool().should_change_page(),
    }
}

/// Returns true if only the focus has changed, as a side effect of the action. Returns false for a click into a text
/// field, because such a click is meant to move the focus.
fn is_its_own_focus(action: &BrowserAction, diff: &PageDiff, after: &Observation) -> bool {
    let target = aimed_at(action, &after.tree).map(|id| &after.tree[id].reference);
    let is_own = |change: &Change| {
        let is_target = target.is_none_or(|target| change.reference == *target);
        !change.is_focused() || is_target && !asks_for_focus(action, &change.role)
    };
    !action.targets().is_empty() && diff.is_focus_alone() && diff.changed.iter().all(is_own)
}

/// Returns true if the action is a click into a text field. `role` is the role of the clicked element.
const fn asks_for_focus(action: &BrowserAction, role: &Role) -> bool {
    matches!(
        action,
        BrowserAction::Click(_)
            | BrowserAction::Dblclick(_)
            | BrowserAction::ClickAt(_)
            | BrowserAction::ClickXy(_)
    ) && matches!(role, Role::TextBox | Role::SearchBox)
}

/// Returns the node of the action's first target. If the action has no target, returns the node with the focus.
pub(super) fn aimed_at(action: &BrowserAction, tree: &Tree) -> Option<NodeId> {
    match action.targets().first() {
        Some(Target::Ref(reference)) => tree.by_ref(reference.as_str()),
        Some(Target::Locator(locator)) => locator.find(tree)?.first().copied(),
        None => {
            let mut nodes = tree.iter().rev();
            nodes.find(|(_, node)| node.states.active).map(|(id, _)| id)
        }
    }
}

/// Returns true if the page is in the state that the action asked for. Only these actions are judged: `goto`, `fill`
/// with a literal text and without `submit`, `select` of one value, `check`, `uncheck`, and clicks on a chosen
/// radio button or into a text field. Returns false for all
/// others, and for a target that is not given by a reference.
fn already_so(action: &BrowserAction, after: &Observation) -> bool {
    if let BrowserAction::Goto(goto) = action {
        return is_at(&goto.url, after);
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
        BrowserAction::Select(select) => {
            let is_it = |one: &TextValue| match one {
                TextValue::Literal(text) => node.value.as_deref() == Some(&**text),
                _ => false,
            };
            select.values.iter().all(is_it)
        }
        BrowserAction::Check(_) => node.states.checked == Some(Tri::True),
        BrowserAction::Uncheck(_) => node.states.checked == Some(Tri::False),
        BrowserAction::Click(_) if node.role == Role::Radio => {
            node.states.checked == Some(Tri::True)
        }
        // The click may place the caret, or two clicks may select a word; an observation shows neither.
        other => node.states.active && asks_for_focus(other, &node.role),
    }
}

/// Returns a sentence for the model about a successful `wait` that ended at once, because its text was there (or gone)
/// from the beginning. Returns `None` for every other action. `before` is the page before the wait. `took` is the time
/// of the wait in milliseconds.
pub(crate) fn waited_for_nothing(
    action: &BrowserAction,
    before: &Observation,
    took: u64,
) -> Option<&'static str> {
    let BrowserAction::Wait(wait) = action else {
        return None;
    };
    match (&wait.text, &wait.gone) {
        _ if before.unresponsive || took >= AT_ONCE => None,
        (Some(text), None) if before.shows(text) => {
            Some("the text was there already when the wait began")
        }
        (None, Some(text)) if !before.shows(text) => {
            Some("the text was not there when the wait began")
        }
        _ => None,
    }
}

fn is_at(wanted: &str, page: &Observation) -> bool {
    let (wanted, shown) = (PageAddress::new(wanted), PageAddress::new(&page.url));
    wanted.is_same_page(&shown) && wanted.position() == shown.position()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        action::{Click, DialogAccept, OnTarget, Press, Scroll, ScrollDirection},
        page::{Dialog, DialogKind, ElementRef, Node, PageHead, States, TraceKind, diff},
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
        judge(action, (&Outcome::Done.into(), false), &diff, before, after)
    }

    #[test]
    fn an_action_without_a_trace_had_no_effect() {
        let press = BrowserAction::Press(Press {
            key: crate::action::Key::parse("Enter").unwrap(),
            target: None,
            times: None,
        });
        let (same, other) = (page("a", Tri::False), page("b", Tri::False));
        assert_eq!(judged(&press, &same, &same), Outcome::NoEffect);
        assert_eq!(judged(&press, &same, &other), Outcome::Done);
    }

    #[test]
    fn text_that_a_read_only_field_does_not_take_had_no_effect_whatever_opens_late() {
        let shown = |readonly: bool, opened: bool| {
            let mut b = Tree::builder();
            let mut field = Node::new(Role::TextBox, "Date");
            (field.states.active, field.states.readonly) = (true, readonly);
            b.leaf(field);
            if opened {
                b.leaf(Node::new(Role::Link, "12"));
            }
            Observation::new("https://x.example/", "", b.finish())
        };
        let text = BrowserAction::Type(crate::action::Type {
            text: "12/12".into(),
            submit: false,
        });
        for (readonly, outcome) in [(true, Outcome::NoEffect), (false, Outcome::Done)] {
            let (before, after) = (shown(readonly, false), shown(readonly, true));
            assert_eq!(judged(&text, &before, &after), outcome);
        }
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
            let outcome = Outcome::failed(class, "why");
            judge(action, (&outcome.into(), false), &diff, before, after)
        };
        let click = BrowserAction::Click(Click {
            target: Target::parse("e1").unwrap(),
            button: None,
        });
        let click_at = BrowserAction::ClickAt(crate::action::ClickAt {
            target: Target::parse("e1").unwrap(),
            x: 3,
            y: 4,
        });
        let drag_by = crate::action::DragBy::new(Target::parse("e1").unwrap(), -40, 0);
        let drag_by = BrowserAction::DragBy(drag_by);
        let goto = BrowserAction::Goto(crate::action::Goto {
            url: "https://x.example/".to_owned(),
        });
        let here = shown("https://x.example/", "e1");
        let there = shown("https://x.example/paid", "e1");
        // A form that is sent to its own address is answered with another document.
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
            for action in [&click, &click_at, &drag_by] {
                assert_eq!(told(action, class, &here, &there), unclear);
            }
            assert_eq!(told(&click, class, &here, &again), unclear);
            // The page stayed, or cannot be seen.
            assert_eq!(told(&click, class, &here, &here), failed(class));
            assert_eq!(told(&click, class, &here, &asks), failed(class));
            assert_eq!(told(&goto, class, &here, &there), failed(class));
        }
        // The page of a `goto` may come late.
        let late = ErrorClass::Timeout;
        assert_eq!(told(&goto, late, &there, &here), Outcome::Done);
        assert_eq!(told(&goto, late, &here, &here), failed(late));
        let broken = ErrorClass::NavigationFailed;
        assert_eq!(told(&goto, broken, &there, &here), failed(broken));
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
        let held = Outcome::failed(ErrorClass::BadValue, r#"the field holds "a" now"#);
        assert_eq!(judged(&fill("b"), &checked, &checked), held);
    }

    #[test]
    fn a_fill_fails_if_its_field_holds_another_value() {
        let filled = |text: &str, held: &str| {
            let fill = BrowserAction::Fill(Fill {
                target: Target::parse("e1").unwrap(),
                text: text.into(),
                submit: false,
            });
            judged(&fill, &page("", Tri::False), &page(held, Tri::False))
        };
        for (text, held) in [
            ("2027-02-01", "02/01/2027"),
            ("1299", "1,299.00"),
            ("5551234567", "(555) 123-4567"),
            ("paul", "Paul"),
            ("sma", "smart watch"),
            // The text became an item of the field.
            ("urgent,", ""),
        ] {
            let outcome = filled(text, held);
            assert_eq!(outcome.class(), None, "{text}: {held}");
        }
        for (text, held) in [
            ("2027-02-01 00:00:00", "2026-11-28 14:45:07"),
            ("A long title", "A long"),
            ("12345", "123"),
        ] {
            let outcome = filled(text, held);
            assert_eq!(outcome.class(), Some(ErrorClass::BadValue), "{text}");
        }
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
            target: None,
            times: None,
        });
        let same = page("a", Tri::False);
        let head = PageHead::new("https://x.example/", "");
        let diff = diff((&head, &same.tree), (&head, &same.tree));
        let text = String::new;
        let changed = Notice::TransportChanged {
            from: text(),
            to: text(),
            why: text(),
        };
        let judged = |notice| {
            let mut execution = Execution::from(Outcome::Done);
            execution.notices.push(notice);
            judge(&press, (&execution, false), &diff, &same, &same)
        };
        assert_eq!(judged(changed), Outcome::NoEffect);
        assert_eq!(judged(Notice::TabOpened { url: text() }), Outcome::Done);
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
                target: None,
                times: None,
            })
        };
        for key in ["PageDown", "Shift+End", "Control+a", "Shift+ArrowLeft"] {
            assert_eq!(judged(&press(key), &same, &same), Outcome::Done, "{key}");
        }
        for key in ["a", "Enter", "Shift+a", "Backspace"] {
            assert_eq!(
                judged(&press(key), &same, &same),
                Outcome::NoEffect,
                "{key}"
            );
        }
    }

    #[test]
    fn a_dialog_that_follows_another_is_an_effect() {
        let asks = |kind, message| {
            let mut page = Observation::new("https://x.example/", "", Tree::default());
            page.dialog = Some(Dialog::new(kind, message));
            page
        };
        let accept = BrowserAction::DialogAccept(DialogAccept { text: None });
        let confirm = asks(DialogKind::Confirm, "Sure?");
        let alert = asks(DialogKind::Alert, "Sure?");
        assert_eq!(judged(&accept, &confirm, &alert), Outcome::Done);
        // The same words again.
        let execution = |dialog| Execution {
            dialog,
            ..Execution::from(Outcome::Done)
        };
        let quiet = PageDiff::default();
        let again = |action, execution| judge(action, (&execution, false), &quiet, &alert, &alert);
        assert_eq!(
            again(&accept, execution(alert.dialog.clone())),
            Outcome::Done
        );
        assert_eq!(again(&accept, execution(None)), Outcome::NoEffect);
    }

    fn told_with(
        traces: Option<&[Trace]>,
        action: &BrowserAction,
        (before, after): (&Observation, &Observation),
    ) -> Outcome {
        let head = PageHead::new("https://x.example/", "");
        let diff = diff((&head, &before.tree), (&head, &after.tree));
        let execution = Execution {
            traces: traces.map(<[Trace]>::to_vec),
            ..Execution::from(Outcome::Done)
        };
        judge(action, (&execution, false), &diff, before, after)
    }

    #[test]
    fn a_trace_beside_the_target_is_an_effect_and_one_elsewhere_later_is_not() {
        let click = BrowserAction::Click(Click {
            target: Target::parse("e2").unwrap(),
            button: None,
        });
        let same = page("a", Tri::False);
        let told = |traces: &[Trace]| told_with(Some(traces), &click, (&same, &same));
        let once = Trace::new(TraceKind::Markup);
        assert_eq!(told(&[once.within()]), Outcome::Done);
        assert_eq!(told(&[once.near()]), Outcome::Done);
        assert_eq!(told(&[once, once.near().repeating()]), Outcome::NoEffect);
        assert_eq!(told(&[]), Outcome::NoEffect);
    }

    #[test]
    fn a_drag_that_moved_its_element_had_an_effect() {
        let drag = BrowserAction::DragBy(crate::action::DragBy::new(
            Target::parse("e2").unwrap(),
            40,
            0,
        ));
        let same = page("a", Tri::False);
        for (moved, judged) in [(true, Outcome::Done), (false, Outcome::NoEffect)] {
            let execution = Execution {
                traces: Some(Vec::new()),
                ..Execution::from(Outcome::Done)
            };
            let quiet = PageDiff::default();
            assert_eq!(
                judge(&drag, (&execution, moved), &quiet, &same, &same),
                judged
            );
        }
    }

    #[test]
    fn a_hover_and_a_key_outside_of_text_must_be_answered_where_somebody_watched() {
        let press = |key: &str, target: &str| {
            BrowserAction::Press(Press {
                key: crate::action::Key::parse(key).unwrap(),
                target: Some(Target::parse(target).unwrap()),
                times: None,
            })
        };
        let hover = BrowserAction::Hover(OnTarget {
            target: Target::parse("e2").unwrap(),
        });
        let same = page("a", Tri::False);
        let told = |traces, action| told_with(traces, action, (&same, &same));
        let probe = BrowserAction::HoverXy(crate::action::HoverXy {
            x: 1,
            y: 1,
            target: Target::parse("e2").ok(),
        });
        assert_eq!(told(Some(&[]), &probe), Outcome::Done);
        let watched = [hover, press("ArrowRight", "e2"), press("ArrowDown", "e1")];
        for action in &watched {
            assert_eq!(told(Some(&[]), action), Outcome::NoEffect, "{action:?}");
            assert_eq!(told(None, action), Outcome::Done, "{action:?}");
        }
        // The position of the caret cannot be seen in every field.
        assert_eq!(told(Some(&[]), &press("ArrowLeft", "e1")), Outcome::Done);
    }

    #[test]
    fn a_wheel_must_move_something_where_somebody_watched() {
        let scroll = |direction| {
            BrowserAction::Scroll(Scroll {
                direction,
                pixels: None,
                target: Some(Target::parse("e1").unwrap()),
            })
        };
        let (turn, into_view) = (scroll(Some(ScrollDirection::Down)), scroll(None));
        let same = page("a", Tri::False);
        let told = |traces, action| told_with(traces, action, (&same, &same));
        let moved = Trace::new(TraceKind::Scroll);
        for (traces, is_late) in [
            (Some(&[][..]), true),
            (Some(&[moved]), false),
            (None, false),
        ] {
            assert_eq!(may_show_late(&turn, traces), is_late, "{traces:?}");
        }
        for (traces, outcome) in [
            (Some(&[][..]), Outcome::NoEffect),
            (Some(&[moved.repeating()]), Outcome::Done),
            (Some(&[Trace::new(TraceKind::Request)]), Outcome::NoEffect),
            (Some(&[moved]), Outcome::Done),
            (None, Outcome::Done),
        ] {
            assert_eq!(told(traces, &turn), outcome, "{traces:?}");
            assert_eq!(told(traces, &into_view), Outcome::Done);
        }
    }

    #[test]
    fn the_focus_that_an_action_gives_to_its_own_target_is_no_effect_but_of_a_click_into_a_text() {
        let shown = |role: Role, active: bool| {
            let mut b = Tree::builder();
            let mut node = Node::new(role, "Fruit").with_ref(ElementRef::parse("e1").unwrap());
            node.states.active = active;
            b.leaf(node);
            Observation::new("https://x.example/", "", b.finish())
        };
        let at = |target: &str| Target::parse(target).unwrap();
        let click = |target: &str| {
            let target = at(target);
            BrowserAction::Click(Click {
                target,
                button: None,
            })
        };
        let key = BrowserAction::Press(Press {
            key: crate::action::Key::parse("Enter").unwrap(),
            target: Some(at("e1")),
            times: None,
        });
        for (action, role, outcome) in [
            (click("e1"), Role::TextBox, Outcome::Done),
            (click("css=\"input\""), Role::TextBox, Outcome::Done),
            (click("e1"), Role::Combobox, Outcome::NoEffect),
            (click("css=\"input\""), Role::Combobox, Outcome::NoEffect),
            (key, Role::TextBox, Outcome::NoEffect),
        ] {
            let (before, after) = (shown(role.clone(), false), shown(role, true));
            assert_eq!(judged(&action, &before, &after), outcome, "{action:?}");
        }
    }

    #[test]
    fn a_text_that_gets_selected_is_an_effect_and_one_that_stops_being_selected_is_none() {
        let press = BrowserAction::Press(Press {
            key: crate::action::Key::parse("Shift+ArrowRight").unwrap(),
            target: Some(Target::parse("e2").unwrap()),
            times: None,
        });
        let click = |double: bool| {
            let click = Click {
                target: Target::parse("e2").unwrap(),
                button: None,
            };
            if double {
                BrowserAction::Dblclick(click)
            } else {
                BrowserAction::Click(click)
            }
        };
        let page = |selected| page("a", Tri::False).with_selected(selected);
        for (action, before, after, outcome) in [
            (&press, "", "f", Outcome::Done),
            (&press, "f", "fo", Outcome::Done),
            (&press, "fo", "fo", Outcome::NoEffect),
            (&press, "fo", "", Outcome::NoEffect),
            (&click(false), "", "fox", Outcome::Done),
            (&click(true), "", "fox", Outcome::NoEffect),
        ] {
            let told = told_with(Some(&[]), action, (&page(before), &page(after)));
            assert_eq!(told, outcome, "{action:?}: {before:?} to {after:?}");
        }
    }

    #[test]
    fn a_file_that_the_page_offered_is_an_effect_also_when_it_was_refused() {
        let click = BrowserAction::Click(Click {
            target: Target::parse("e1").unwrap(),
            button: None,
        });
        let same = page("a", Tri::False);
        for kept in [true, false] {
            let mut execution = Execution::from(Outcome::Done);
            execution.notices.push(Notice::Download {
                suggested_name: "a.csv".to_owned(),
                kept,
            });
            let judged = judge(
                &click,
                (&execution, false),
                &PageDiff::default(),
                &same,
                &same,
            );
            assert_eq!(judged, Outcome::Done);
        }
    }
}
