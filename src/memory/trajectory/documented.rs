//! Trajectories in another program's memory folder, whose format is documented.
//!
//! A step in the folder names its target by a selector. The step is kept if the selector gives the role and name of the
//! element, or if the folder's own list of elements contains the selector. Steps that only scroll, wait, evaluate a
//! script, check the page or end the run are skipped. If any other step cannot be kept, the whole trajectory is left
//! out.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Header, MAX_STEPS, MAX_TRAJECTORIES, Trajectory, distill::MAX_GOAL, keep::key};
use crate::{
    action::{BrowserTool, Key, TextValue},
    base::{Host, RunId, canonical, short_hash, text},
    goal::{Literals, compose},
    memory::{
        Aim, Record, StoredStep, StoredTarget, StoredText,
        agent_memory::{Converted, Domain, item, left_out, quoted},
        selector_text::{css, element},
        stored_step::ForGoal,
        typed::Typed,
        value_trace::place,
    },
    page::{Locator, LocatorStep, PageTemplate, Role},
    working::Place,
};

/// The value of the field `model` of each trajectory that is written to the other program's folder, because the stored
/// trajectories do not name a model.
const NO_MODEL: &str = "unknown";

/// A trajectory in the format of the folder. `run_id` is an addition of this crate, which other programs ignore.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(default)]
    id: String,
    goal: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
    steps: Vec<StepEntry>,
    success: bool,
    #[serde(default)]
    duration_ms: u64,
    #[serde(default)]
    model: String,
    timestamp: DateTime<Utc>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    run_id: Option<RunId>,
}

#[derive(Serialize, Deserialize)]
struct StepEntry {
    #[serde(default)]
    url: String,
    action: ActionEntry,
    #[serde(default)]
    verified: bool,
}

#[derive(Default, PartialEq, Serialize, Deserialize)]
struct ActionEntry {
    action: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    selector: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

/// The elements that the folder lists for a host. Maps the attributes in each element's CSS selector to its role and
/// name.
type Elements = BTreeMap<Vec<(String, String)>, (Role, String)>;

/// Converts the trajectories of a host to records. Above [`MAX_TRAJECTORIES`], the newest are kept.
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
    let mut found: BTreeMap<String, Trajectory> = BTreeMap::new();
    let mut same = 0;
    for (name, document) in &domain.trajectories {
        let read = item::<Entry>(document)
            .and_then(|entry| entry.trajectory(&domain.host, &elements, name, now));
        match read {
            Ok(one) => {
                let key = key(&one.header);
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
    let mut found: Vec<(String, Trajectory)> = found.into_iter().collect();
    found.sort_by(|(a, one), (b, other)| {
        (other.header.timestamp, b).cmp(&(one.header.timestamp, a))
    });
    let excess = found.len().saturating_sub(MAX_TRAJECTORIES);
    found.truncate(MAX_TRAJECTORIES);
    let why = "a newer one has the same goal with the same or other values";
    out.problems.extend(left_out(same, "trajectory file", why));
    let why = format!("no more than {MAX_TRAJECTORIES} of a host are kept");
    out.problems
        .extend(left_out(excess, "trajectory file", &why));
    let records = found
        .iter()
        .filter_map(|(key, one)| one.to_records(key).ok());
    out.records = records.flatten().collect();
    out
}

impl Entry {
    fn trajectory(
        self,
        host: &Host,
        elements: &Elements,
        name: &str,
        now: DateTime<Utc>,
    ) -> Result<Trajectory, String> {
        let refuse = |why: &str| Err(format!("left out: {why}"));
        if !self.success {
            return refuse("its run did not reach its goal");
        }
        let origin = self.origin.as_deref().filter(|origin| !origin.is_empty());
        if origin.is_some_and(|origin| template(origin, host).is_none()) {
            return refuse("its origin is not this host");
        }
        let goal: String = compose(&self.goal);
        if goal.trim().is_empty() || goal.len() > MAX_GOAL || goal.chars().any(text::is_deceptive) {
            return refuse(&format!(
                "its goal is empty, longer than {MAX_GOAL} bytes, or has invisible characters"
            ));
        }
        let all = self.steps.len();
        let (mut steps, mut literals, mut lost) = (Vec::new(), Vec::new(), 0);
        let mut before: Option<&StepEntry> = None;
        for entry in self.steps.iter().filter(|entry| !entry.only_looks()) {
            let kept: Option<(StoredStep, Literals)> = entry.step(host, elements);
            match (kept, steps.last_mut()) {
                (Some(_), Some(last)) if before.is_some_and(|before| entry.submits(before)) => {
                    let last: &mut StoredStep = last;
                    last.submit = true;
                }
                (Some((step, values)), _) => {
                    steps.push(step);
                    literals.push(values);
                }
                (None, _) => lost += 1,
            }
            before = Some(entry);
        }
        if lost > 0 {
            return refuse(&format!(
                "{lost} of its {all} steps cannot be kept: they name their targets by references of one page load, \
                 or are no actions on this host"
            ));
        }
        if steps.is_empty() || steps.len() > MAX_STEPS {
            return refuse(&format!("it does not have 1 to {MAX_STEPS} steps"));
        }
        for at in 1..steps.len() {
            let page = steps[at].page.clone();
            let before = &mut steps[at - 1];
            if before.leads_to.is_none() && before.page != page {
                before.leads_to = page;
            }
        }
        let typed = literals
            .iter()
            .filter_map(|values: &Literals| values.text.clone());
        let typed = Typed::texts(typed.collect::<Vec<_>>());
        let slots = place(&goal, literals, &mut steps);
        for step in &mut steps {
            step.hide(&typed, &goal);
            step.fit();
        }
        let named = json!([name, self.goal, self.timestamp]);
        let run = self.run_id.or_else(|| RunId::parse(self.id).ok());
        let run = match run {
            Some(run) => run,
            None => RunId::parse(format!("import-{}", short_hash(canonical(&named))))
                .map_err(|_| "left out: it has no name".to_owned())?,
        };
        Ok(Trajectory {
            header: Header {
                goal,
                slots,
                runs: vec![run.clone()],
                run,
                timestamp: self.timestamp.min(now),
                steps: steps.len(),
                turns: u32::try_from(all).unwrap_or(u32::MAX),
                duration_ms: self.duration_ms,
                imported: false,
                repeatable: false,
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

    /// Converts the step, and returns the texts in which the caller searches for values of the goal. Returns `None` if the
    /// step cannot be kept.
    fn step(&self, host: &Host, elements: &Elements) -> Option<(StoredStep, Literals)> {
        use BrowserTool as T;
        let action = &self.action;
        let (tool, said) = match &*action.action {
            "click" => (T::Click, None),
            "hover" => (T::Hover, None),
            "press" => (T::Press, None),
            "type" => (T::Fill, Some(action.text.as_deref()?)),
            "select" => (T::Select, Some(action.value.as_deref()?)),
            "navigate" => (T::Goto, None),
            _ => return None,
        };
        let page = template(&self.url, host);
        let is_elsewhere = |url: &str| !url.is_empty() && template(url, host).is_none();
        if is_elsewhere(&self.url) {
            return None;
        }
        let leads_to = match tool {
            T::Goto => Some(template(action.url.as_deref()?, host)?),
            _ => None,
        };
        let key = match tool {
            T::Press => Some(Key::parse(action.key.as_deref()?).ok()?),
            _ => None,
        };
        let named = match action.selector.as_deref() {
            _ if tool == T::Goto => None,
            None | Some("") if tool == T::Press => None,
            selector => Some(target(selector?, elements)?),
        };
        let mut literals = Literals::default();
        tool.as_str().clone_into(&mut literals.action);
        let text = said.map(|said| match TextValue::from(said) {
            TextValue::Parameter(name) => StoredText::Parameter(name),
            TextValue::Secret(name) => StoredText::Secret(name),
            TextValue::Literal(said) => {
                let chars = said.chars().count();
                match tool {
                    T::Select => literals.option = Some(said),
                    _ => literals.text = Some(said),
                }
                StoredText::Other { chars }
            }
        });
        let target = named.map(|(role, name)| {
            literals.role = Some(role.as_str().to_owned());
            literals.name = Some(name.clone());
            StoredTarget {
                role: role.clone(),
                aim: Some(Aim::called(role, &name)),
                slot: None,
                landmark: None,
                collection: None,
                locator: None,
                for_goal: ForGoal::Same,
            }
        });
        literals.url.clone_from(&action.url);
        let step = StoredStep {
            page,
            leads_to,
            target,
            text,
            key,
            effect: tool.effect(),
            verified: self.verified,
            ..StoredStep::new(tool)
        };
        Some((step, literals))
    }
}

/// Returns the page template of an address; `None` if the address does not belong to this host.
fn template(url: &str, host: &Host) -> Option<PageTemplate> {
    let place = Place::of(url);
    let is_own = place.host() == Some(host);
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

/// Adds the trajectories of a host to the documented folder, without the groups around targets. Leaves out trajectories
/// that are retired or unreadable or have a step that the format cannot express, and returns a message about them.
pub(super) fn write(records: &[Record], domain: &mut Domain) -> Vec<String> {
    let headers = records.iter().filter(|record| !record.key.contains('.'));
    let mut lost = headers.count();
    let origin = domain.host.url();
    let origin = origin.map(|url| url.as_str().trim_end_matches('/').to_owned());
    for (key, one) in Trajectory::all(records) {
        if one.header.is_retired() {
            continue;
        }
        let steps = one.steps.iter().map(|step| entries(step, &one.header));
        let Some(steps) = steps.collect::<Option<Vec<_>>>() else {
            continue;
        };
        let id = format!("traj_{}", key.strip_prefix("t-").unwrap_or(&key));
        let entry = Entry {
            id: id.clone(),
            goal: one.header.goal,
            origin: origin.clone(),
            steps: steps.into_iter().flatten().collect(),
            success: true,
            duration_ms: one.header.duration_ms,
            model: NO_MODEL.to_owned(),
            timestamp: one.header.timestamp,
            run_id: Some(one.header.run),
        };
        if let Ok(document) = serde_json::to_value(entry) {
            domain.trajectories.insert(id, document);
            lost -= 1;
        }
    }
    let why = "it is retired, or has a step that was not kept in full";
    left_out(lost, "trajectory file", why)
}

/// Returns the entries for a step: one, or two if the step pressed Enter after typing. Returns `None` if the format cannot
/// express the step.
fn entries(step: &StoredStep, header: &Header) -> Option<Vec<StepEntry>> {
    use BrowserTool as T;
    if step.partial {
        return None;
    }
    let slot = |slot: usize| {
        let (start, end) = *header.slots.get(slot)?;
        header.goal.get(start..end).map(str::to_owned)
    };
    let selector = match &step.target {
        None => None,
        Some(target) => {
            let name = match (target.slot, &target.aim) {
                (Some(value), _) => slot(value)?,
                (None, Some(aim)) if !aim.name.is_empty() => aim.name.clone(),
                _ => return None,
            };
            Some(format!("{} {}", target.role, Value::from(name)))
        }
    };
    let said = match &step.text {
        None => None,
        Some(StoredText::Slot(value)) => Some(step.form.clone().or_else(|| slot(*value))?),
        Some(StoredText::Parameter(name)) => Some(TextValue::Parameter(name.clone()).to_string()),
        Some(StoredText::Secret(name)) => Some(name.placeholder()),
        Some(StoredText::Other { .. }) => return None,
    };
    let mut action = ActionEntry {
        selector,
        key: step.key.as_ref().map(ToString::to_string),
        ..ActionEntry::default()
    };
    let verb = match step.tool {
        T::Click => "click",
        T::Hover => "hover",
        T::Press => "press",
        T::Fill | T::Type => {
            action.text = Some(said?);
            "type"
        }
        T::Select => {
            action.value = Some(said?);
            "select"
        }
        T::Goto => {
            let page = step.leads_to.as_ref()?;
            // A page template with placeholders is not the address of a page.
            if page.path().contains(':') {
                return None;
            }
            action.url = Some(page.to_string());
            "navigate"
        }
        _ => return None,
    };
    verb.clone_into(&mut action.action);
    let url = step
        .page
        .as_ref()
        .map_or_else(String::new, ToString::to_string);
    let enter = step.submit.then(|| StepEntry {
        url: url.clone(),
        action: ActionEntry {
            action: "press".to_owned(),
            selector: action.selector.clone(),
            key: Some("Enter".to_owned()),
            ..ActionEntry::default()
        },
        verified: step.verified,
    });
    let step = StepEntry {
        url,
        action,
        verified: step.verified,
    };
    Some(std::iter::once(step).chain(enter).collect())
}
