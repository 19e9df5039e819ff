//! Finds the elements with which a page has replaced others: a new element has the role and the name of the old one,
//! but another reference.

use serde_json::Value;

use super::PageNow;
use crate::{
    action::{Action, BrowserAction, Target},
    page::{ElementRef, Locator, LocatorStep, Meant, Node, NodeId, Suits, TargetIdentity, meant},
};

const TARGETS: [&str; 3] = ["target", "from", "to"];

/// Returns the reference that the wanted element has on this page. `reference` is its earlier reference. Returns `None`
/// if the element is gone or cannot be identified.
pub(crate) fn find_again(
    page: &PageNow,
    reference: &ElementRef,
    wanted: &TargetIdentity,
) -> Option<ElementRef> {
    let tree = page.tree();
    if let Some(id) = tree.by_ref(reference.as_str()) {
        let here = page.element(id);
        let in_place = TargetIdentity {
            ordinal: wanted.ordinal,
            ..here
        };
        if in_place.is_same_element(wanted) {
            return Some(reference.clone());
        }
    }
    find_only(page, wanted)
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
        && find_again(page, reference, wanted).is_none()
}

/// Returns the reference of the only element that has the role, the name and the label of `wanted` and lies in the same
/// frames. Returns `None` if there is no such element or more than one, or if the element has no name of any kind.
pub(crate) fn find_only(page: &PageNow, wanted: &TargetIdentity) -> Option<ElementRef> {
    let tree = page.tree();
    let named = |(id, node): (NodeId, &Node)| {
        let reference = node.reference.clone()?;
        let is_candidate = node.role == wanted.role && wanted.name == capped(&node.name);
        is_candidate.then_some((id, reference))
    };
    let mut alike = tree.iter().filter_map(named).filter(|(id, _)| {
        let here = page.element(*id);
        here.label == wanted.label && here.frames == wanted.frames
    });
    let (id, found) = alike.next()?;
    // Among several candidates none is certain, and a nameless element cannot be told from any other.
    let is_only = alike.next().is_none() && !page.element(id).best_name().is_empty();
    is_only.then_some(found)
}

fn capped(name: &str) -> String {
    TargetIdentity::cap(name)
}

/// Returns the action with new references for its targets. Each pair in `moved` has an old reference and the new
/// reference that replaces it.
pub(crate) fn retargeted(action: Action, moved: &[(ElementRef, ElementRef)]) -> Action {
    if moved.iter().all(|(from, to)| from == to) {
        return action;
    }
    let Ok(mut value) = serde_json::to_value(&action) else {
        return action;
    };
    if let Some(arguments) = value.get_mut("arguments").and_then(Value::as_object_mut) {
        for (_, text) in arguments
            .iter_mut()
            .filter(|(name, _)| TARGETS.contains(&name.as_str()))
        {
            if let Some((_, to)) = moved.iter().find(|(from, _)| *text == from.as_str()) {
                *text = Value::from(to.as_str());
            }
        }
    }
    serde_json::from_value(value).unwrap_or(action)
}

/// Returns the action with the new references of its targets, after the page has replaced these elements. `wanted`
/// contains the identities of the targets. Returns `None` if a target cannot be identified on this page, or if no
/// reference has changed.
pub(crate) fn redrawn(
    action: &BrowserAction,
    wanted: &[TargetIdentity],
    page: &PageNow,
) -> Option<BrowserAction> {
    let mut action = action.clone();
    let targets = action.targets_mut().into_iter();
    let referred = targets.filter(|target| target.as_ref().is_some());
    let mut is_redrawn = false;
    for (target, wanted) in referred.zip(wanted) {
        let old = target.as_ref()?;
        let new = find_again(page, old, wanted)?;
        is_redrawn |= new != *old;
        *target = Target::Ref(new);
    }
    is_redrawn.then_some(action)
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
        if let Some(locator) = id.and_then(|id| by_role_and_name(id, page)) {
            *target = Target::Locator(locator);
        }
    }
    action
}

/// Returns a locator with the role and the name of an element. Returns `None` if the locator would also find other
/// elements, if the name is empty, or if the element is in a frame.
fn by_role_and_name(id: NodeId, page: &PageNow) -> Option<Locator> {
    let (tree, node) = (page.tree(), &page.tree()[id]);
    if node.name.is_empty() || !page.element(id).frames.is_empty() {
        return None;
    }
    let by_role = LocatorStep::Role {
        role: node.role.clone(),
        name: Some(node.name.to_string()),
        exact: true,
    };
    let locator = Locator::new(vec![by_role]).ok()?;
    (meant(&locator, tree, &page.view, Suits::All) == Meant::One(id)).then_some(locator)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        action::Drag,
        page::{Observation, Role, Tree},
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
        find_again(after, &reference, &wanted).map(|found| found.as_str().to_owned())
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
        let drag = Action::Browser(BrowserAction::Drag(Drag { from, to }));
        let [one, two] = ["e1", "e2"].map(|reference| ElementRef::parse(reference).unwrap());
        assert_eq!(
            retargeted(drag, &[(one.clone(), two.clone()), (two, one)]).line(),
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
            let action = redrawn(&click(target), &[before.identity(id)], after)?;
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
}
