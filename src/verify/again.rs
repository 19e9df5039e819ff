//! Aims an action at the elements with which a page has replaced its targets.

use super::PageNow;
use crate::{
    action::{Action, BrowserAction, Target},
    page::{ElementRef, KnownElement, Resolved, TargetIdentity, Wanted, by_role_and_name},
};

/// An action on the elements that now stand for its targets.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Redrawn {
    pub(crate) action: BrowserAction,
    /// True if an element has another name and was found only by what earlier runs recorded.
    pub(crate) is_known: bool,
}

/// Returns the action with the new references of its targets, after the page has replaced these elements. `wanted` contains
/// the identities of the targets, `known` what earlier runs recorded. Returns `None` if a target cannot be identified on
/// this page, or if no reference has changed.
pub(crate) fn redrawn(
    action: &BrowserAction,
    wanted: &[TargetIdentity],
    page: &PageNow,
    known: &[KnownElement],
) -> Option<Redrawn> {
    let mut again = Action::Browser(action.clone());
    let (mut is_moved, mut is_known) = (false, false);
    for (target, wanted) in again.references_mut().into_iter().zip(wanted) {
        let found = page.resolve(Wanted::Seen(target.as_ref(), wanted), known);
        is_known |= matches!(found, Resolved::Known(_));
        let new = page.tree()[found.one()?].reference.clone()?;
        is_moved |= target.as_ref() != Some(&new);
        *target = Target::Ref(new);
    }
    let Action::Browser(action) = again else {
        return None;
    };
    (is_moved || is_known).then_some(Redrawn { action, is_known })
}

/// Returns true if a field is gone from the page and no other field has the focus, so that typed text would go nowhere.
/// `reference` is the field's earlier reference.
pub(crate) fn is_field_gone(
    page: &PageNow,
    reference: &ElementRef,
    wanted: &TargetIdentity,
) -> bool {
    let mut nodes = page.tree().nodes().iter();
    wanted.role.is_editable()
        && !nodes.any(|node| node.states.active && node.is_editable())
        && page.again(Some(reference), wanted).is_none()
}

/// Replaces references in the action by locators with the role and the name of the element. A reference stays if its
/// locator would also find other elements, or if the element has no name or lies in a frame.
///
/// This is for pages that keep replacing their elements. A reference may be invalid when the action is carried out; a
/// locator stays valid.
pub(crate) fn in_words(action: &BrowserAction, page: &PageNow) -> BrowserAction {
    let mut action = action.clone();
    for target in action.targets_mut() {
        let id = target
            .as_ref()
            .and_then(|reference| page.tree().by_ref(reference.as_str()));
        if let Some(locator) = id.and_then(|id| by_role_and_name(page.searched(), id)) {
            *target = Target::Locator(locator);
        }
    }
    action
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        action::{Click, Drag},
        page::{Locator, Node, Observation, Role, Suits, Tree},
    };

    fn page(buttons: &[(&str, &str)]) -> PageNow {
        let mut b = Tree::builder();
        for (name, reference) in buttons {
            let reference = ElementRef::parse(reference).unwrap();
            b.leaf(Node::new(Role::Button, *name).with_ref(reference));
        }
        PageNow::of(Observation::new("https://x.example/", "", b.finish()))
    }

    fn again(before: &PageNow, reference: &str, after: &PageNow) -> Option<String> {
        let reference = ElementRef::parse(reference).unwrap();
        let wanted = before.identity(before.tree().by_ref(reference.as_str()).unwrap());
        let found = after.again(Some(&reference), &wanted)?;
        Some(found.as_str().to_owned())
    }

    #[test]
    fn what_was_drawn_anew_is_found_by_role_and_name_where_that_is_one() {
        let before = page(&[("Save", "e1"), ("Add", "e2"), ("Add", "e3"), ("", "e4")]);
        let anew = page(&[("Save", "e11"), ("Add", "e12"), ("Add", "e13"), ("", "e14")]);
        assert_eq!(again(&before, "e1", &anew).as_deref(), Some("e11"));
        assert_eq!(again(&before, "e2", &anew), None);
        assert_eq!(again(&before, "e4", &anew), None);
        // The same reference number on another element.
        let moved = page(&[("Delete", "e1"), ("Save", "e2")]);
        assert_eq!(again(&before, "e1", &moved).as_deref(), Some("e2"));
        // The equal element before it is gone.
        let fewer = page(&[("Save", "e1"), ("Add", "e3")]);
        assert_eq!(again(&before, "e3", &fewer).as_deref(), Some("e3"));
        assert_eq!(again(&before, "e1", &page(&[("Add", "e2")])), None);
    }

    #[test]
    fn an_action_is_aimed_anew() {
        let [from, to] = ["e1", "e2"].map(|target| Target::parse(target).unwrap());
        let drag = BrowserAction::Drag(Drag { from, to });
        let before = page(&[("Card", "e1"), ("Bin", "e2")]);
        let wanted = ["e1", "e2"].map(|at| before.identity(before.tree().by_ref(at).unwrap()));
        let after = page(&[("Bin", "e1"), ("Card", "e2")]);
        let again = redrawn(&drag, &wanted, &after, &[]).unwrap();
        assert_eq!(
            Action::Browser(again.action).line(),
            r#"drag {"from":"e2","to":"e1"}"#
        );
    }

    #[test]
    fn an_action_goes_on_with_what_was_drawn_anew_in_words_that_mean_it_alone() {
        let before = page(&[("Save", "e1"), ("Add", "e2")]);
        let click = |target: &str| {
            let value = serde_json::json!({ "tool": "click", "arguments": { "target": target } });
            serde_json::from_value::<BrowserAction>(value).unwrap()
        };
        let anew = |target: &str, after: &PageNow| {
            let id = before.tree().by_ref(target).unwrap();
            let action = redrawn(&click(target), &[before.identity(id)], after, &[])?.action;
            let in_words = in_words(&action, after);
            Some([action, in_words].map(|action| action.targets()[0].to_string()))
        };
        let after = page(&[("Save", "e11"), ("Add", "e12"), ("Add", "e13")]);
        let expected = ["e11", r#"role=button[name="Save" exact]"#].map(str::to_owned);
        assert_eq!(anew("e1", &after), Some(expected));
        // Several are alike, it is gone, or it is where it was.
        assert_eq!(anew("e2", &after), None);
        assert_eq!(anew("e1", &page(&[("Add", "e12")])), None);
        assert_eq!(anew("e1", &before), None);
    }

    /// Returns a page of buttons. Each button is given as its name, reference and test id.
    fn marked(buttons: &[(&str, &str, &str)]) -> PageNow {
        let mut b = Tree::builder();
        for (name, reference, testid) in buttons {
            let reference = ElementRef::parse(reference).unwrap();
            let mut node = Node::new(Role::Button, *name).with_ref(reference);
            node.properties = vec![("testid".into(), (*testid).into())];
            b.leaf(node);
        }
        PageNow::of(Observation::new("https://x.example/", "", b.finish()))
    }

    fn known() -> [KnownElement; 1] {
        [KnownElement {
            role: Role::Button,
            names: vec!["Order".into(), "Buy now".into()],
            marks: vec![("testid".into(), "buy".into())],
        }]
    }

    fn called(locator: &str, page: &PageNow) -> Option<String> {
        let locator = Locator::parse(locator).unwrap();
        match page.resolve(Wanted::Words(&locator, Suits::All), &known()) {
            Resolved::Known(id) => page.tree()[id].reference.as_ref().map(ToString::to_string),
            _ => None,
        }
    }

    #[test]
    fn an_element_whose_name_changed_is_found_by_the_names_that_it_had() {
        let changed = marked(&[("Sell", "e1", "sell"), ("Purchase", "e2", "buy")]);
        for locator in [
            r#"text="buy NOW""#,
            r#"role=button[name="Buy now"]"#,
            r#"text="Order" exact"#,
        ] {
            assert_eq!(
                called(locator, &changed).as_deref(),
                Some("e2"),
                "{locator}"
            );
        }
        for locator in [
            // Another role, other words, words that are on the page, and no words.
            r#"role=link[name="Buy now"]"#,
            r#"text="Buy""#,
            r#"text="Sell""#,
            r##"css="#buy""##,
            "role=button >> nth=1",
        ] {
            assert_eq!(called(locator, &changed), None, "{locator}");
        }
        let there = marked(&[("Buy now", "e1", "x"), ("Purchase", "e2", "buy")]);
        assert_eq!(called(r#"text="Buy now""#, &there), None);
        let twice = marked(&[("Purchase", "e1", "buy"), ("Purchase", "e2", "buy")]);
        assert_eq!(called(r#"text="Buy now""#, &twice), None);
        assert_eq!(
            called(r#"text="Buy now""#, &marked(&[("A", "e1", "a")])),
            None
        );
    }

    #[test]
    fn a_reference_that_is_gone_is_found_by_the_attribute_that_memory_knows() {
        let before = marked(&[("Buy (1)", "e1", "buy"), ("Other", "e2", "other")]);
        let after = marked(&[("Buy (2)", "e11", "buy"), ("Other", "e12", "other")]);
        let click = |reference: &str| {
            let target = Target::parse(reference).unwrap();
            BrowserAction::Click(Click {
                target,
                button: None,
            })
        };
        let aimed = |reference: &str, after: &PageNow, known: &[KnownElement]| {
            let id = before.tree().by_ref(reference).unwrap();
            let wanted = [before.identity(id)];
            let again = redrawn(&click(reference), &wanted, after, known)?;
            again
                .is_known
                .then(|| again.action.targets()[0].to_string())
        };
        assert_eq!(aimed("e1", &after, &known()).as_deref(), Some("e11"));
        assert_eq!(aimed("e1", &after, &[]), None);
        // It still has its name, or memory does not know it.
        assert_eq!(aimed("e2", &after, &known()), None);
        let other = marked(&[("Elsewhere", "e11", "other")]);
        assert_eq!(aimed("e2", &other, &known()), None);
    }
}
