//! Replaces targets that are given in words by references of elements, before any guard sees the action.

use super::Executor;
use crate::{
    action::{
        Action, BrowserAction, Click, ClickAt, ClickXy, DragBy, DragXy, Effect, ErrorClass, Fill,
        Outcome, Press, Target,
    },
    page::{ElementRef, NodeId, Resolved, Shown, Suits, TargetIdentity, Wanted},
    prompt::reading,
    verify::{PageNow, effect},
};

/// Maximum number of elements that the model is shown if its words for a target match several. Source: chosen, as many
/// as `find` shows on a usual page.
const MAX_SHOWN: usize = 8;

impl Executor {
    /// Changes each target that the model gave in words into a reference, if the words identify exactly one element.
    /// Refuses the action if the words match several elements. Also refuses a click if the words are only a part of a
    /// text that does not react to clicks. Lists the matches for the model.
    ///
    /// If the words match nothing, uses the one element of the page that earlier runs used under these words. An
    /// irreversible action never gets its target in this way.
    pub(in crate::agent) fn aim(
        &mut self,
        action: &mut BrowserAction,
        targets: &mut Option<Vec<TargetIdentity>>,
    ) -> Option<Outcome> {
        let page = self.state.page.now()?;
        if is_point(action) && action.targets().is_empty() {
            // The element at the point is unknown, so no guard could judge the action.
            let why = "no picture of this page was shown: give a target";
            return Some(Outcome::failed(ErrorClass::BadArguments, why));
        }
        self.state.healed = false;
        let mut is_aimed = false;
        let suits = suits(action);
        let asked = action.clone();
        for target in action.targets_mut() {
            let Target::Locator(locator) = target else {
                continue;
            };
            match page.resolve(Wanted::Words(locator, suits), self.state.offered.elements()) {
                found @ (Resolved::Same(id) | Resolved::Moved(id) | Resolved::Known(id)) => {
                    // An element without a reference must be found by the driver.
                    if let Some(reference) = &page.tree()[id].reference {
                        *target = Target::Ref(reference.clone());
                        is_aimed = true;
                        self.state.healed |= matches!(found, Resolved::Known(_));
                    }
                }
                Resolved::Gone => {}
                Resolved::PartOf(id) => {
                    let why = "no element has exactly these words, they are a part of a text";
                    let lines = lines_of(page, &[id]);
                    self.state.remarks.matches(lines);
                    return Some(Outcome::failed(ErrorClass::NotFound, why));
                }
                Resolved::Ambiguous(ids) => {
                    let words = locator.spoken().unwrap_or_else(|| locator.to_string());
                    let why = format!("{} elements match {words}", ids.len());
                    let lines = lines_of(page, &ids);
                    self.state.remarks.matches(lines);
                    return Some(Outcome::failed(ErrorClass::NotUnique, &why));
                }
            }
        }
        if self.state.healed && judged(action, Some(page)) == Effect::Irreversible {
            // The model did not name this element, so no irreversible action may be aimed at it.
            *action = asked;
            (is_aimed, self.state.healed) = (false, false);
        }
        if self.state.healed {
            self.state.remarks.healed(action);
        }
        if is_aimed && targets.is_some() {
            *targets = identities(&Action::Browser(action.clone()), page);
        }
        None
    }
}

/// Returns the lines of the page with these elements, as the model reads them, of at most [`MAX_SHOWN`] elements.
fn lines_of(page: &PageNow, ids: &[NodeId]) -> Vec<String> {
    let layout = page.layout();
    let lines = ids.iter().take(MAX_SHOWN);
    let mut lines: Vec<usize> = lines
        .filter_map(|id| layout.line_of(page.tree(), *id))
        .collect();
    // Similar elements are adjacent, so equal line numbers are too.
    lines.dedup();
    let shown: Vec<Shown<'_>> = lines.into_iter().map(|line| layout.shown(line)).collect();
    reading(&shown, &page.view.elements)
}

/// Returns true if the action has a target on the page. For an action of the browser, the target may be given by a
/// reference, in words or as a point. For `extract` and `read`, only a reference counts.
pub(in crate::agent) fn has_target(action: &Action) -> bool {
    match action {
        Action::Browser(action) => is_point(action) || !action.targets().is_empty(),
        other => !other.references().is_empty(),
    }
}

/// Returns true if the action is one of the browser, has targets and gives all of them in words.
pub(super) fn is_in_words(action: &Action) -> bool {
    let Action::Browser(action) = action else {
        return false;
    };
    let targets = action.targets();
    let is_ref = |target: &&Target| target.as_ref().is_some();
    !is_point(action) && !targets.is_empty() && !targets.iter().any(is_ref)
}

const fn is_point(action: &BrowserAction) -> bool {
    matches!(
        action,
        BrowserAction::ClickXy(_) | BrowserAction::HoverXy(_) | BrowserAction::DragXy(_)
    )
}

/// Returns the identities of the elements that an action refers to; `None` if one of them is not on the page.
pub(in crate::agent) fn identities(action: &Action, page: &PageNow) -> Option<Vec<TargetIdentity>> {
    let known = |reference: &ElementRef| {
        page.tree()
            .by_ref(reference.as_str())
            .map(|id| page.identity(id))
    };
    action.references().into_iter().map(known).collect()
}

/// Returns the worst effect that an action can have. Unlike [`effect`], this function also judges key presses that have a
/// target, and actions on a point inside an element.
///
/// A click or drag on a point is irreversible if the element is unknown, or if it contains an interactive element,
/// which the point may hit. A key has the effect of the click or the form submission that it may cause. The key Delete
/// is irreversible, except in a field.
pub(in crate::agent) fn judged(action: &BrowserAction, page: Option<&PageNow>) -> Effect {
    let click = |target: &Target| {
        let target = target.clone();
        effect(
            &BrowserAction::Click(Click {
                target,
                button: None,
            }),
            page,
        )
    };
    let own = effect(action, page);
    let node = |target: &Target| {
        let page = page?;
        let id = page.tree().by_ref(target.as_ref()?.as_str())?;
        Some((page.tree(), id))
    };
    let worse = match action {
        BrowserAction::ClickAt(ClickAt { target, .. })
        | BrowserAction::DragBy(DragBy { target, .. })
        | BrowserAction::ClickXy(ClickXy {
            target: Some(target),
            ..
        })
        | BrowserAction::DragXy(DragXy {
            target: Some(target),
            ..
        }) => match node(target) {
            Some((tree, id))
                if tree
                    .descendants(id)
                    .all(|inner| !tree[inner].role.is_interactive()) =>
            {
                click(target)
            }
            _ => Effect::Irreversible,
        },
        BrowserAction::Press(Press {
            key,
            target: Some(target),
            ..
        }) => {
            let is_field = node(target).is_some_and(|(tree, id)| tree[id].role.is_editable());
            match key.last() {
                "Enter" if is_field => {
                    let (target, text) = (target.clone(), "".into());
                    effect(
                        &BrowserAction::Fill(Fill {
                            target,
                            text,
                            submit: true,
                        }),
                        page,
                    )
                }
                "Enter" | "Space" => click(target),
                "Delete" if !is_field => Effect::Irreversible,
                _ => Effect::Read,
            }
        }
        _ => Effect::Read,
    };
    own.max(worse)
}

const fn suits(action: &BrowserAction) -> Suits {
    match action {
        BrowserAction::Fill(_) => Suits::Fields,
        BrowserAction::Select(_) => Suits::Lists,
        BrowserAction::Check(_) | BrowserAction::Uncheck(_) => Suits::Boxes,
        BrowserAction::Click(_) | BrowserAction::Dblclick(_) => Suits::Reacting,
        _ => Suits::All,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        action::Key,
        page::{DigestOptions, ElementRef, Node, Observation, Role, Tree},
    };

    fn page() -> PageNow {
        let node = |role, name: &str, reference: &str| {
            Node::new(role, name).with_ref(ElementRef::parse(reference).unwrap())
        };
        let mut b = Tree::builder();
        b.leaf(node(Role::Img, "Board", "e1"));
        b.open(node(Role::Generic, "", "e2"));
        b.leaf(node(Role::Button, "Next month", "e3"));
        b.close();
        b.leaf(node(Role::Button, "Delete account", "e4"));
        b.open(node(Role::Form, "", "e5"));
        b.leaf(node(Role::TextBox, "Note", "e6"));
        b.leaf(node(Role::Button, "Place order", "e7"));
        b.close();
        PageNow::of(Observation::new("https://a.example/", "A", b.finish()))
    }

    fn target(text: &str) -> Target {
        Target::parse(text).unwrap()
    }

    #[test]
    fn each_element_is_a_target_as_the_prompt_prints_it() {
        let names = [
            (Role::Link, "n1"),
            (Role::Link, "a[href='x']"),
            (Role::Link, "Home >> Boats"),
            (Role::Link, "role=button"),
            (Role::Button, "a [x] b"),
            (Role::Button, r#"say "hi" \ now"#),
            (Role::Button, "//x"),
            (Role::Button, "e99"),
            (Role::Checkbox, "text=y"),
            (Role::TextBox, ""),
            (Role::Generic, "inject"),
        ];
        let mut b = Tree::builder();
        for (at, (role, name)) in names.iter().enumerate() {
            let reference = ElementRef::parse(&format!("e{at}")).unwrap();
            let mut node = Node::new(role.clone(), *name).with_ref(reference);
            node.states.pointer = *role == Role::Generic;
            node.states.checked = (*role == Role::Checkbox).then_some(crate::page::Tri::True);
            b.leaf(node);
        }
        let page = PageNow::of(Observation::new("https://a.example/", "A", b.finish()));
        let digest = page
            .layout()
            .digest(&page.view.elements, &[], DigestOptions::whole());
        let lines = reading(&digest.lines, &page.view.elements);
        assert_eq!(lines.len(), names.len(), "{lines:#?}");
        let means = |printed: &str| {
            let Target::Locator(locator) = target(printed) else {
                panic!("{printed} is a reference");
            };
            page.resolve(Wanted::Words(&locator, Suits::All), &[]).one()
        };
        for (line, (role, _)) in lines.iter().zip(names) {
            let (reference, printed) = line.split_once(' ').unwrap();
            let wanted = page.tree().by_ref(reference);
            assert_eq!(target(line).to_string(), reference, "{line}");
            assert_eq!(means(printed), wanted, "{printed}");
            if role == Role::Generic {
                let with_role = format!("generic {printed}");
                assert_eq!(means(&with_role), wanted, "{with_role}");
            }
        }
    }

    #[test]
    fn a_point_is_judged_by_what_can_be_there() {
        let at = |text: &str| {
            let (x, y) = (3, 4);
            let in_target = BrowserAction::ClickAt(ClickAt {
                target: target(text),
                x,
                y,
            });
            let click = BrowserAction::ClickXy(ClickXy {
                x,
                y,
                double: true,
                target: Some(target(text)),
            });
            let drag = BrowserAction::DragXy(DragXy {
                x,
                y,
                to_x: 9,
                to_y: 9,
                via: Vec::new(),
                target: Some(target(text)),
            });
            let by = BrowserAction::DragBy(DragBy::new(target(text), -40, 0));
            let [first, others @ ..] =
                [in_target, click, drag, by].map(|action| judged(&action, Some(&page())));
            assert_eq!(others, [first; 3], "{text}");
            first
        };
        assert_eq!(at("e1"), Effect::Reversible);
        for unknown in ["e2", "e4", "e5", "css=canvas", "e99"] {
            assert_eq!(at(unknown), Effect::Irreversible, "{unknown}");
        }
    }

    #[test]
    fn a_key_is_judged_by_its_target() {
        let press = |key: &str, text: &str| {
            let action = BrowserAction::Press(Press {
                key: Key::parse(key).unwrap(),
                target: Some(target(text)),
                times: None,
            });
            judged(&action, Some(&page()))
        };
        for (key, at, judged) in [
            ("ArrowDown", "e4", Effect::Reversible),
            ("Enter", "e1", Effect::Reversible),
            ("Enter", "e4", Effect::Irreversible),
            ("Space", "e4", Effect::Irreversible),
            ("Enter", "e6", Effect::Irreversible),
            ("Space", "e6", Effect::Reversible),
            ("Delete", "e1", Effect::Irreversible),
            ("Delete", "e6", Effect::Reversible),
        ] {
            assert_eq!(press(key, at), judged, "{key} on {at}");
        }
    }
}
