//! The current page, as seen by a run that may follow a trajectory.

use std::collections::{BTreeSet, HashSet};

use super::{Header, Trajectory, adapt::gone, progress::is_in};
use crate::{
    action::BrowserTool,
    goal::quoted_values,
    memory::{Aim, StoredStep, StoredTarget, aim::without_remark, stored_step::half_is_in},
    page::{PageTemplate, Role, Tree, sketch},
};

/// The page and the goal of a run, and the trajectory that the run may follow.
pub(super) struct Here<'a> {
    /// The template of the page's address; `None` if it is not known.
    template: Option<&'a PageTemplate>,
    /// The elements of the page whose role is that of some step's target.
    elements: Vec<Aim>,
    goal: &'a str,
    /// The words of the recorded goal that the run's goal does not contain.
    gone: BTreeSet<String>,
    header: &'a Header,
    /// The value in the run's goal for each value of the recorded goal; `None` if it is not known.
    values: &'a [Option<String>],
}

impl<'a> Here<'a> {
    /// Views a page as a run with this goal sees it. `template` is the template of the page's address. `values` has one
    /// entry for each value of the recorded goal: the value that replaces it in the run's goal, if known.
    pub(super) fn new(
        trajectory: &'a Trajectory,
        (template, page): (Option<&'a PageTemplate>, &Tree),
        goal: &'a str,
        values: &'a [Option<String>],
    ) -> Self {
        let targets = trajectory
            .steps
            .iter()
            .filter_map(|step| step.target.as_ref());
        let roles: HashSet<&Role> = targets.map(|target| &target.role).collect();
        let elements = sketch(page, |role| roles.contains(role));
        Self {
            template,
            gone: gone(&trajectory.header.goal, goal),
            elements: elements.iter().map(Aim::of).collect(),
            goal,
            header: &trajectory.header,
            values,
        }
    }

    /// Returns true if the target of the step is on the page. If the target has neither a stored name nor a slot, any
    /// element of its role counts. A step without a target can be taken anywhere. Only a step that opens an address
    /// cannot be taken on the page that it opens.
    pub(super) fn can_take(&self, step: &StoredStep) -> bool {
        let Some(target) = &step.target else {
            return step.tool != BrowserTool::Goto
                || step.leads_to.is_none()
                || step.leads_to.as_ref() != self.template;
        };
        let mut alike = self.elements.iter().filter(|aim| aim.role == target.role);
        match (&target.aim, target.slot) {
            (Some(own), _) => self.elements.iter().any(|aim| own.is_called(aim)),
            (None, Some(slot)) => {
                let is_value = self.value_test(slot);
                (self.value(slot).is_some() || self.may_be_page_of(step)) && alike.any(is_value)
            }
            (None, None) => alike.next().is_some(),
        }
    }

    /// Returns false if the step was taken on a page with another template. Unknown templates count as the same.
    pub(super) fn may_be_page_of(&self, step: &StoredStep) -> bool {
        let pages = step.page.as_ref().zip(self.template);
        pages.is_none_or(|(own, page)| is_on(own, page, &self.gone))
    }

    /// Returns true if the step was taken on a page with this template and names its target.
    pub(super) fn is_named_here(&self, step: &StoredStep) -> bool {
        let is_named = |target: &StoredTarget| target.aim.is_some();
        step.page.is_some()
            && self.template.is_some()
            && self.may_be_page_of(step)
            && step.target.as_ref().is_some_and(is_named)
    }

    /// Returns true if the step was taken on a page with another template, and its target is missing or known only by its
    /// role.
    pub(super) fn is_vague(&self, step: &StoredStep) -> bool {
        let has_role = |target: &StoredTarget| target.aim.is_none() && target.slot.is_none();
        !self.may_be_page_of(step) && step.target.as_ref().is_none_or(has_role)
    }

    fn value(&self, slot: usize) -> Option<&str> {
        self.values.get(slot)?.as_deref()
    }

    /// Returns a test of an element's name. If the run's value for this slot is known, the name must contain it. If not,
    /// the run's goal must contain the name, with or without its [remark](without_remark). Only the quoted parts of the
    /// run's goal count if the recorded goal quotes its value for the slot and both goals have equally many quoted parts.
    fn value_test(&self, slot: usize) -> impl Fn(&Aim) -> bool {
        let known = self.value(slot);
        let texts = if known.is_some() {
            Vec::new()
        } else {
            self.quoted(slot).unwrap_or_else(|| vec![self.goal])
        };
        move |aim| {
            if let Some(value) = known {
                return is_in(value, &aim.name);
            }
            let names = [&*aim.name, without_remark(&aim.role, &aim.name)];
            let is_in_any = |name: &&str| texts.iter().any(|text| is_in(name, text));
            names.iter().any(is_in_any)
        }
    }

    /// Returns the quoted parts of the run's goal, one of which must be the run's value for this slot. Returns `None`
    /// unless the recorded goal quotes its own value for the slot and both goals have equally many quoted parts.
    fn quoted(&self, slot: usize) -> Option<Vec<&str>> {
        let value = self.header.value(slot)?;
        let [recorded, own] = [&self.header.goal, self.goal].map(quoted_values);
        (recorded.contains(&value) && recorded.len() == own.len()).then_some(own)
    }
}

/// Returns true if a page matches a recorded template. All segments of the path must be equal, except segments that are
/// probably values of the recorded goal. `gone` has the words of the recorded goal that the new goal does not contain.
fn is_on(recorded: &PageTemplate, page: &PageTemplate, gone: &BTreeSet<String>) -> bool {
    let parts = |page: &PageTemplate| -> Vec<String> {
        page.path().split('/').map(str::to_owned).collect()
    };
    let (own, now) = (parts(recorded), parts(page));
    let is_alike = |(own, now): (&String, &String)| own == now || half_is_in(own, gone);
    own.len() == now.len() && own.iter().zip(&now).all(is_alike)
}
