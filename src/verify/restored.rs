//! Finds failures that a later step repaired: a step could not fill a field, but now the field has the wanted value.
//! This module does no I/O.

use super::PageNow;
use crate::{
    action::{Action, BrowserAction, Fill, TextValue},
    page::{Node, Resolved, TargetIdentity, Wanted},
    working::Step,
};

/// Number of latest steps that are searched for failures. Source: chosen; lessons search the same number of steps for a
/// recovery.
const WINDOW: usize = 10;

/// Returns the numbers of earlier steps whose failure the current step has repaired. Such an earlier step failed to
/// fill a field with a text. The field has this text after the current step, but not before it.
pub(crate) fn restored(
    steps: &[Step],
    before: Option<&PageNow>,
    after: Option<&PageNow>,
) -> Vec<u32> {
    let (Some(before), Some(after)) = (before, after) else {
        return Vec::new();
    };
    let holds = |page: &PageNow, step: &Step| {
        asked(step).is_some_and(|(field, text)| holds(page, field, text))
    };
    let failed = steps
        .iter()
        .rev()
        .take(WINDOW)
        .filter(|step| !step.outcome.is_done());
    failed
        .filter(|step| holds(after, step) && !holds(before, step))
        .map(|step| step.number)
        .collect()
}

/// Returns true if a field that is not one of the step's targets had a value before the step and has none after it.
pub(crate) fn empties(
    targets: &[TargetIdentity],
    before: Option<&PageNow>,
    after: Option<&PageNow>,
) -> bool {
    let (Some(before), Some(after)) = (before, after) else {
        return false;
    };
    let value = |node: &Node| node.value.as_deref().unwrap_or_default().trim().len();
    before.tree().iter().any(|(id, node)| {
        let lost = node.role.is_editable() && value(node) > 0 && {
            let now = node.reference.as_ref();
            let now = now.and_then(|reference| after.tree().by_ref(reference.as_str()));
            now.is_some_and(|now| {
                let now = &after.tree()[now];
                now.role == node.role && now.name == node.name && value(now) == 0
            })
        };
        lost && !targets
            .iter()
            .any(|target| before.element(id).is_same_element(target))
    })
}

/// Returns the field and the text of a step that fills a field. Returns `None` for any other step, and if the text is
/// blank, a secret or a task parameter.
fn asked(step: &Step) -> Option<(&TargetIdentity, &str)> {
    match (&step.action, step.targets.first()?) {
        (
            Action::Browser(BrowserAction::Fill(Fill {
                text: TextValue::Literal(text),
                ..
            })),
            field,
        ) if !text.trim().is_empty() => Some((field, text)),
        _ => None,
    }
}

fn holds(page: &PageNow, field: &TargetIdentity, text: &str) -> bool {
    let found = match page.resolve(Wanted::Seen(None, field), &[]) {
        // They are told apart by their order, as two fields "Date" are.
        Resolved::Ambiguous(alike) => alike
            .into_iter()
            .find(|id| page.element(*id).ordinal == field.ordinal),
        found => found.one(),
    };
    found.is_some_and(|id| page.tree()[id].value.as_deref() == Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        action::{ErrorClass, Outcome, Signature, Target},
        page::{ElementRef, NodeId, Observation, Role, Tree},
    };

    fn page(date: &str, note: &str) -> PageNow {
        let mut b = Tree::builder();
        for (name, reference, value) in [("Date", "e1", date), ("Note", "e2", note)] {
            let node =
                Node::new(Role::TextBox, name).with_ref(ElementRef::parse(reference).unwrap());
            b.leaf(if value.is_empty() {
                node
            } else {
                node.with_value(value)
            });
        }
        PageNow::of(Observation::new("https://x.example/", "", b.finish()))
    }

    fn fill(text: &str, outcome: Outcome) -> Step {
        let fill = Fill {
            target: Target::parse("e1").unwrap(),
            text: text.into(),
            submit: false,
        };
        let action = Action::Browser(BrowserAction::Fill(fill));
        let shown = page("", "");
        let tree = &shown.observation.tree;
        let id: NodeId = tree.by_ref("e1").unwrap();
        let targets = vec![TargetIdentity::of(tree, id)];
        let signature = Signature::of(&action, &targets, "");
        let mut step = Step::new(7, action, outcome, signature);
        step.targets = targets;
        step
    }

    #[test]
    fn of_fields_with_one_name_the_one_that_failed_is_restored() {
        let page = |first: &str, second: &str| {
            let text = format!("textbox \"Date\" e1{first}\ntextbox \"Date\" e2{second}");
            let tree = crate::testing::tree(&text);
            PageNow::of(Observation::new("https://x.example/", "", tree))
        };
        let (before, filled) = (page("", ""), " = 2026-05-01");
        let mut failed = fill("2026-05-01", Outcome::failed(ErrorClass::NotEditable, ""));
        let second = before.tree().by_ref("e2").unwrap();
        failed.targets = vec![before.identity(second)];
        let steps = [failed];
        let restored = |after: &PageNow| restored(&steps, Some(&before), Some(after)).len();
        assert_eq!(restored(&page("", filled)), 1);
        assert_eq!(restored(&page(filled, "")), 0);
    }

    #[test]
    fn a_field_that_lost_its_value_is_emptied_unless_it_was_the_target() {
        let (full, lost) = (page("12/05/2016", "x"), page("", "x"));
        assert!(empties(&[], Some(&full), Some(&lost)));
        let note = full.identity(full.tree().by_ref("e2").unwrap());
        assert!(empties(&[note], Some(&full), Some(&lost)));
        let date = full.identity(full.tree().by_ref("e1").unwrap());
        assert!(!empties(&[date], Some(&full), Some(&lost)));
        assert!(!empties(&[], Some(&lost), Some(&full)));
        assert!(!empties(&[], Some(&full), None));
    }

    #[test]
    fn a_field_that_holds_the_value_now_and_not_before_is_restored() {
        let failed = || fill("12/05/2016", Outcome::failed(ErrorClass::NotEditable, ""));
        let now = |before: &PageNow, after: &PageNow, log: &[Step]| {
            restored(log, Some(before), Some(after))
        };
        let (empty, full) = (page("", ""), page("12/05/2016", ""));
        assert_eq!(now(&empty, &full, &[failed()]), [7]);
        // The value was there before, another field has it, another value is there, or nothing had failed.
        assert!(now(&full, &full, &[failed()]).is_empty());
        assert!(now(&empty, &page("", "12/05/2016"), &[failed()]).is_empty());
        assert!(now(&empty, &page("12/06/2016", ""), &[failed()]).is_empty());
        assert!(now(&empty, &full, &[fill("12/05/2016", Outcome::Done)]).is_empty());
        assert!(restored(&[failed()], None, Some(&full)).is_empty());
    }
}
