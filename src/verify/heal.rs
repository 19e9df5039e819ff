//! Finds the targets of actions although their names have changed. For this, it uses the names and attributes that
//! earlier runs recorded.

use super::{PageNow, again::find_again};
use crate::{
    action::{BrowserAction, Target},
    page::{ElementRef, KnownElement, Locator, LocatorStep, Role, TargetIdentity},
};

/// Returns the reference of the element on the page whose name in earlier runs consisted of this locator's words.
///
/// Returns `None` if the locator itself finds an element on the page, or if no element or several elements of the page
/// had this name in earlier runs. Also returns `None` for a locator that does not consist of one step with words.
pub(crate) fn once_called(
    locator: &Locator,
    page: &PageNow,
    known: &[KnownElement],
) -> Option<ElementRef> {
    let (role, words) = words(locator)?;
    if !locator.find(page.tree())?.is_empty() {
        return None;
    }
    let mut found: Vec<ElementRef> = known
        .iter()
        .filter(|element| element.was_called(role, words))
        .filter_map(|element| element.find(page.tree()))
        .collect();
    found.sort_unstable();
    found.dedup();
    match &found[..] {
        [one] => Some(one.clone()),
        _ => None,
    }
}

/// Returns the role and the words of a locator; the role is `None` for a locator of words alone. Returns `None` for a
/// locator of any other form.
fn words(locator: &Locator) -> Option<(Option<&Role>, &str)> {
    match locator.steps() {
        [
            LocatorStep::Role {
                role,
                name: Some(words),
                ..
            },
        ] => Some((Some(role), words)),
        [LocatorStep::Text(words) | LocatorStep::ExactText(words) | LocatorStep::Label(words)] => {
            Some((None, words))
        }
        _ => None,
    }
}

/// Returns the action with the references that its targets have on this page. Targets that [`find_again`] does not find
/// are searched for by the attributes that earlier runs recorded. `wanted` contains the identities of the targets.
/// Returns `None` if [`find_again`] finds all targets, or if a target is not found at all.
pub(crate) fn healed(
    action: &BrowserAction,
    wanted: &[TargetIdentity],
    page: &PageNow,
    known: &[KnownElement],
) -> Option<BrowserAction> {
    let mut action = action.clone();
    let targets = action.targets_mut().into_iter();
    let referred = targets.filter(|target| target.as_ref().is_some());
    let mut is_healed = false;
    for (target, wanted) in referred.zip(wanted) {
        let old = target.as_ref()?;
        let new = find_again(page, old, wanted).or_else(|| {
            is_healed = true;
            let own = known.iter().find(|element| element.is_it(wanted));
            own.filter(|_| wanted.frames.is_empty())?.find(page.tree())
        })?;
        *target = Target::Ref(new);
    }
    is_healed.then_some(action)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        action::Click,
        page::{Node, Observation, Tree},
    };

    /// Returns a page of buttons. Each button is given as its name, reference and test id.
    fn page(buttons: &[(&str, &str, &str)]) -> PageNow {
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
        once_called(&locator, page, &known()).map(|found| found.as_str().to_owned())
    }

    #[test]
    fn an_element_whose_name_changed_is_found_by_the_names_that_it_had() {
        let changed = page(&[("Sell", "e1", "sell"), ("Purchase", "e2", "buy")]);
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
        let there = page(&[("Buy now", "e1", "x"), ("Purchase", "e2", "buy")]);
        assert_eq!(called(r#"text="Buy now""#, &there), None);
        let twice = page(&[("Purchase", "e1", "buy"), ("Purchase", "e2", "buy")]);
        assert_eq!(called(r#"text="Buy now""#, &twice), None);
        assert_eq!(
            called(r#"text="Buy now""#, &page(&[("A", "e1", "a")])),
            None
        );
    }

    #[test]
    fn a_reference_that_is_gone_is_found_by_the_attribute_that_memory_knows() {
        let before = page(&[("Buy (1)", "e1", "buy"), ("Other", "e2", "other")]);
        let after = page(&[("Buy (2)", "e11", "buy"), ("Other", "e12", "other")]);
        let click = |reference: &str| {
            let target = Target::parse(reference).unwrap();
            BrowserAction::Click(Click {
                target,
                button: None,
            })
        };
        let aimed = |reference: &str, after: &PageNow, known: &[KnownElement]| {
            let id = before.tree().by_ref(reference).unwrap();
            let action = healed(&click(reference), &[before.identity(id)], after, known)?;
            Some(action.targets()[0].to_string())
        };
        assert_eq!(aimed("e1", &after, &known()).as_deref(), Some("e11"));
        assert_eq!(aimed("e1", &after, &[]), None);
        // It still has its name, or memory does not know it.
        assert_eq!(aimed("e2", &after, &known()), None);
        let other = page(&[("Elsewhere", "e11", "other")]);
        assert_eq!(aimed("e2", &other, &known()), None);
    }
}
