//! Recipes from the recorded runs in another program's memory folder, whose format is documented.
//!
//! A step in the folder names its target by a selector. The step is kept if the selector gives the role and name of the element,
//! or if the folder's own list of elements contains the selector. A step whose target is only a reference of one page load becomes
//! a step that the model takes itself. Steps that only scroll, wait, evaluate a script, check the page or end the run are skipped.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::json;

use super::{
    Given, Header, Left, MAX_RECIPES, MAX_STEPS, Recipe, RecipeStep,
    learn::{MAX_GOAL, address},
    slots::{Slots, has_all_words},
};
use crate::{
    action::{BrowserAction, Click, Fill, Goto, Key, OnTarget, Press, Select, Target, TextValue},
    base::{Host, RunId, canonical, short_hash, text},
    memory::{
        agent_memory::{Converted, Domain, item, left_out, quoted},
        selector_text::{css, element},
        shelf::home,
    },
    page::{ElementRef, Locator, LocatorStep, PageTemplate, Recorded, Role, TargetIdentity},
    working::Place,
};

/// A recorded run in the format of the folder. `run_id` is in folders that an earlier version of this crate wrote.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(default)]
    id: String,
    goal: String,
    #[serde(default)]
    origin: Option<String>,
    steps: Vec<StepEntry>,
    success: bool,
    #[serde(default)]
    duration_ms: u64,
    timestamp: DateTime<Utc>,
    #[serde(default)]
    run_id: Option<RunId>,
}

#[derive(Deserialize)]
struct StepEntry {
    #[serde(default)]
    url: String,
    action: ActionEntry,
}

#[derive(Default, Deserialize)]
struct ActionEntry {
    action: String,
    #[serde(default)]
    selector: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    value: Option<String>,
    #[serde(default)]
    key: Option<String>,
    #[serde(default)]
    url: Option<String>,
}

/// The elements that the folder lists for a host. Maps the attributes in each element's CSS selector to its role and
/// name.
type Elements = BTreeMap<Vec<(String, String)>, (Role, String)>;

/// Converts the recorded runs of a host to records. Above [`MAX_RECIPES`], the newest are kept.
pub(super) fn read(domain: &Domain, now: DateTime<Utc>) -> Converted {
    let mut out = Converted::default();
    let elements: Elements = domain
        .selectors
        .values()
        .filter_map(|entry| {
            let selector = entry["stableSelector"].as_str()?;
            Some((css(selector)?, element(entry["element"].as_str()?)?))
        })
        .collect();
    let mut found: BTreeMap<String, Recipe> = BTreeMap::new();
    let mut same = 0;
    for (name, document) in &domain.trajectories {
        let read = item::<Entry>(document)
            .and_then(|entry| entry.recipe(&domain.host, &elements, name, now));
        match read {
            Ok(one) => {
                let key = one.key();
                let known = found.remove(&key);
                same += usize::from(known.is_some());
                let newer = known.filter(|known| known.header.timestamp > one.header.timestamp);
                found.insert(key, newer.unwrap_or(one));
            }
            Err(why) => {
                let name = quoted(name);
                out.problems.push(format!("{name}.json: {why}"));
            }
        }
    }
    let mut found: Vec<(String, Recipe)> = found.into_iter().collect();
    found.sort_by(|(a, one), (b, other)| {
        (other.header.timestamp, b).cmp(&(one.header.timestamp, a))
    });
    let excess = found.len().saturating_sub(MAX_RECIPES);
    found.truncate(MAX_RECIPES);
    let why = "a newer one has the same steps with the same or other values";
    out.problems.extend(left_out(same, "trajectory file", why));
    let why = format!("no more than {MAX_RECIPES} of a site are kept");
    out.problems
        .extend(left_out(excess, "trajectory file", &why));
    let records = found
        .iter()
        .filter_map(|(key, one)| one.to_records(key).ok());
    out.records = records.flatten().collect();
    out
}

impl Entry {
    fn recipe(
        self,
        host: &Host,
        elements: &Elements,
        name: &str,
        now: DateTime<Utc>,
    ) -> Result<Recipe, String> {
        let refuse = |why: &str| Err(format!("left out: {why}"));
        if !self.success {
            return refuse("its run did not reach its goal");
        }
        let origin = self.origin.as_deref().filter(|origin| !origin.is_empty());
        if origin.is_some_and(|origin| template(origin, host).is_none()) {
            return refuse("its origin is not this host");
        }
        let goal = text::squeeze(&self.goal);
        if goal.is_empty() || goal.len() > MAX_GOAL || goal.chars().any(text::is_deceptive) {
            return refuse(&format!(
                "its goal is empty, longer than {MAX_GOAL} bytes, or has invisible characters"
            ));
        }
        let all = self.steps.len();
        let mut slots = Slots::new(&goal);
        let (mut steps, mut lost): (Vec<RecipeStep>, usize) = (Vec::new(), 0);
        let mut before: Option<&StepEntry> = None;
        for entry in self.steps.iter().filter(|entry| !entry.only_looks()) {
            let is_enter = before.is_some_and(|before| entry.submits(before));
            match (
                steps.last_mut().and_then(|last| last.form.as_mut()),
                entry.step(host, elements, &goal, &mut slots),
            ) {
                (Some(BrowserAction::Fill(fill)), Some(_)) if is_enter => fill.submit = true,
                (_, Some(step)) => steps.push(step),
                (_, None) => lost += 1,
            }
            before = Some(entry);
        }
        if lost > 0 {
            return refuse(&format!(
                "{lost} of its {all} steps cannot be kept: they are no actions on this host"
            ));
        }
        if steps.is_empty() || steps.len() > MAX_STEPS {
            return refuse(&format!("it does not have 1 to {MAX_STEPS} steps"));
        }
        let says_nothing = |step: &RecipeStep| step.left.is_some() && step.text.is_none();
        if steps.iter().all(says_nothing) {
            return refuse("its steps name their targets by references of one page load");
        }
        // A recipe without a page would be shown nowhere, and no forgotten host would take it along.
        let has_page = |step: &RecipeStep| step.page.is_some() || step.leads_to.is_some();
        if !steps.iter().any(has_page) {
            return refuse("none of its steps names its page");
        }
        for at in 1..steps.len() {
            let page = steps[at].page.clone();
            let before = &mut steps[at - 1];
            if before.page != page {
                before.leads_to = page;
            }
        }
        if !steps.iter_mut().all(RecipeStep::fit) {
            return refuse("one of its steps is too long");
        }
        let named = json!([name, self.goal, self.timestamp]);
        let run = self.run_id.or_else(|| RunId::parse(self.id).ok());
        let run = match run {
            Some(run) => run,
            None => RunId::parse(format!("import-{}", short_hash(canonical(&named))))
                .map_err(|_| "left out: it has no name".to_owned())?,
        };
        Ok(Recipe {
            header: Header {
                goal,
                runs: vec![run.clone()],
                run,
                timestamp: self.timestamp.min(now),
                steps: steps.len(),
                turns: u32::try_from(all).unwrap_or(u32::MAX),
                duration_ms: self.duration_ms,
                imported: false,
                own: false,
                leaves: false,
                answer: None,
                results: Vec::new(),
            },
            steps,
        })
    }
}

impl StepEntry {
    fn only_looks(&self) -> bool {
        let looks = [
            "scroll",
            "wait",
            "evaluate",
            "verifyPreview",
            "complete",
            "abort",
        ];
        looks.contains(&&*self.action.action)
    }

    /// Returns true if the step presses Enter in the field into which the previous step typed.
    fn submits(&self, before: &Self) -> bool {
        let (own, typed) = (&self.action, &before.action);
        let is_enter = own.action == "press" && own.key.as_deref() == Some("Enter");
        is_enter && typed.action == "type" && own.selector == typed.selector
    }

    /// Returns the action without its targets and texts, and the text that it types or chooses; `None` if it is no action.
    fn form(&self, has_target: bool) -> Option<(BrowserAction, Option<TextValue>)> {
        let action = &self.action;
        let on = || Some(Target::Ref(ElementRef::parse("e0").ok()?));
        let said = |said: &Option<String>| said.as_deref().map(TextValue::from);
        Some(match &*action.action {
            "click" => (
                BrowserAction::Click(Click {
                    target: on()?,
                    button: None,
                }),
                None,
            ),
            "hover" => (BrowserAction::Hover(OnTarget { target: on()? }), None),
            "press" => {
                let key = Key::parse(action.key.as_deref()?).ok()?;
                let target = if has_target { on() } else { None };
                (
                    BrowserAction::Press(Press {
                        key,
                        target,
                        times: None,
                    }),
                    None,
                )
            }
            "type" => {
                let fill = Fill {
                    target: on()?,
                    text: "".into(),
                    submit: false,
                };
                (BrowserAction::Fill(fill), Some(said(&action.text)?))
            }
            "select" => {
                let select = Select {
                    target: on()?,
                    values: vec!["".into()],
                };
                (BrowserAction::Select(select), Some(said(&action.value)?))
            }
            _ => return None,
        })
    }

    /// Converts the step; `None` if it is no action on this host.
    fn step(
        &self,
        host: &Host,
        elements: &Elements,
        goal: &str,
        slots: &mut Slots<'_>,
    ) -> Option<RecipeStep> {
        let action = &self.action;
        let page = template(&self.url, host);
        if page.is_none() && !self.url.is_empty() {
            return None;
        }
        let selector = action
            .selector
            .as_deref()
            .filter(|selector| !selector.is_empty());
        let named = selector.map(|selector| target(selector, elements));
        if action.action == "navigate" {
            let url = action.url.clone()?;
            let leads_to = template(&url, host)?;
            let opens = RecipeStep::new(BrowserAction::Goto(Goto { url: url.clone() }));
            let (form, query, left) = match address(&url, goal, slots) {
                Ok((form, query)) => (Some(form), query, None),
                Err(left) => (None, Vec::new(), Some(left)),
            };
            return Some(RecipeStep {
                form,
                query,
                left,
                page,
                leads_to: Some(leads_to),
                ..opens
            });
        }
        let (form, text) = self.form(selector.is_some())?;
        let mut step = RecipeStep {
            page,
            ..RecipeStep::new(form)
        };
        let identity = named.map(|named| named.map(|(role, name)| TargetIdentity::new(role, name)));
        match &identity {
            None if step.form.as_ref()?.targets().is_empty() => {}
            None | Some(None) => step.left = Some(Left::Unnamed),
            Some(Some(identity)) => {
                let is_item = matches!(
                    identity.role,
                    Role::Link | Role::Option | Role::Row | Role::Cell
                );
                let mut target = Recorded::of(identity)?;
                if is_item && text.is_none() && has_all_words(goal, &identity.name) {
                    step.named = Some(slots.named(identity.role.as_str(), &identity.name));
                    target = target.called("");
                }
                step.targets = vec![target];
            }
        }
        step.text = text.map(|text| match text {
            TextValue::Secret(name) => Given::Secret(name),
            TextValue::Parameter(name) => {
                let mut slot = slots.named(&super::slots::slug(name.as_str()), "");
                slot.parameter = Some(name);
                Given::Slot(slot)
            }
            TextValue::Literal(said) => {
                Given::Slot(slots.add(identity.flatten().as_ref(), "text", &said))
            }
        });
        Some(step)
    }
}

/// Returns the page template of an address; `None` if the address does not belong to this host.
fn template(url: &str, host: &Host) -> Option<PageTemplate> {
    let place = Place::of(url);
    // `www.example.com` and `example.com` are one site.
    let is_own = place.host().is_some_and(|own| home(own) == home(host));
    place.template().filter(|_| is_own).cloned()
}

/// Returns the role and name of the element of a selector; `None` if they cannot be derived, as for a reference such as
/// `@s3f51`.
fn target(selector: &str, elements: &Elements) -> Option<(Role, String)> {
    if let Some((role, name)) = element(selector) {
        return Some((role, name)).filter(|(_, name)| !name.is_empty());
    }
    if let Some(attributes) = css(selector) {
        return elements.get(&attributes).cloned();
    }
    match Locator::parse(selector).ok()?.steps() {
        [
            LocatorStep::Role {
                role,
                name: Some(name),
                ..
            },
        ] => Some((role.clone(), name.clone())),
        _ => None,
    }
}
