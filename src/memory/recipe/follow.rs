//! A run that follows a recipe: which step comes next on a page, or why none does.
//!
//! # Decisions
//!
//! - A step is taken only where it was recorded: the kind of page and its main heading are the recorded ones, and exactly one
//!   element is the recorded one. Whatever else the page is, the model looks at it. The heading of an item's page is compared only if
//!   it has a value of the call; a link to a page of its own is followed from any page of its host.
//! - Before a button is pressed or a form is sent in another way, each value that was typed on this page is read back. A page may
//!   have changed it, or put it elsewhere.
//! - What cannot be undone is done only if the model asked for just this step first, and its last message showed the page as it
//!   is now; with [`Replay::Full`](crate::agent::Replay::Full), the approval takes the place of this.
//! - A step whose effect already holds is skipped: a field that has its value, a notice that is gone, a login that is over.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use url::Url;

use super::{
    Given, Left, Recipe, RecipeStep, Slot,
    learn::{YES, generalised, heading},
};
use crate::{
    action::{BrowserAction, Effect, Finish, Goto, Outcome, Parameters, Target, TextValue},
    base::text::{self, Folded},
    memory::{AdviceId, PageName, aim::is_of_search},
    page::{
        ElementRef, Node, NodeId, Observation, PageTemplate, Recorded, Resolved, Role, Searched,
        Tri, Wanted, alike, item_words, resolve, says,
    },
    secret::SecretName,
    working::{By, Chosen, Place, Step},
};

/// Maximum number of options or names that an answer lists.
const MAX_LISTED: usize = 20;
/// Pause before the page is looked at again for an element that is not there yet.
pub(crate) const PAUSE: Duration = Duration::from_millis(500);
/// Number of pauses for an element that is not there.
const PAUSES: u32 = 4;
/// The same if the recorded run had to wait for it: 10 s.
const LONG_PAUSES: u32 = 20;

/// A recipe that a run follows, and how far it came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Following {
    /// The name of the recipe in the prompts of the run, such as `t1`.
    pub(crate) name: String,
    pub(crate) item: AdviceId,
    pub(crate) recipe: Arc<Recipe>,
    pub(crate) chosen: Chosen,
    /// True if steps that cannot be undone are taken too, without the model's word.
    is_full: bool,
    values: BTreeMap<String, TextValue>,
    /// The first step that the model asked for, the next one, and the end, counted from 0.
    first: usize,
    at: usize,
    end: usize,
    done: Vec<usize>,
    skipped: Vec<(usize, String)>,
    /// The texts that were typed on this page.
    typed: Vec<Typed>,
    /// The values so far, which headings and addresses may repeat.
    said: Vec<String>,
    pauses: u32,
    stop: Option<Stop>,
}

/// A text that a followed step put into a field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Typed {
    field: ElementRef,
    of: Recorded,
    text: String,
}

/// The reason why the run stopped before a step, with names of the page as JSON strings in it, and more texts of the page for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Stop {
    why: String,
    listed: Vec<String>,
}

impl Stop {
    fn new(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            listed: Vec::new(),
        }
    }

    fn listing(self, names: impl IntoIterator<Item = String>) -> Self {
        let listed = names.into_iter().take(MAX_LISTED).collect();
        Self { listed, ..self }
    }
}

/// The page as a run that follows a recipe sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Here<'a> {
    pub(crate) page: Searched<'a>,
    pub(crate) seen: &'a Observation,
    pub(crate) template: Option<&'a PageTemplate>,
    pub(crate) parameters: &'a Parameters,
    /// The secrets of the task.
    pub(crate) secrets: &'a [SecretName],
}

/// What a run does next.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Next {
    /// Take this step, whose number counts from 1.
    Act {
        action: BrowserAction,
        number: usize,
    },
    /// Look again after a pause.
    Wait,
    /// The model decides.
    End,
}

/// The steps and values that a model asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) values: &'a BTreeMap<String, String>,
    pub(crate) first: Option<u32>,
    pub(crate) last: Option<u32>,
    pub(crate) parameters: &'a Parameters,
}

impl Following {
    /// Begins to follow a recipe as the model asked for it.
    ///
    /// # Errors
    /// The reason why the steps cannot be followed with these values, for the model.
    pub(crate) fn begin(
        name: &str,
        item: AdviceId,
        recipe: Arc<Recipe>,
        asked: Asked<'_>,
    ) -> Result<Self, String> {
        let count = recipe.steps.len();
        let first = asked.first.unwrap_or(1) as usize;
        let end = asked.last.map_or(count, |last| last as usize);
        if first == 0 || first > end || end > count {
            return Err(format!("{name} has steps 1 to {count}"));
        }
        let slots: Vec<(usize, &Slot)> = recipe.slots().collect();
        let mut values = BTreeMap::new();
        for (key, value) in asked.values {
            let key = key.trim().trim_matches(['<', '>']);
            if slots.iter().all(|(_, slot)| slot.name != key) {
                let names: Vec<&str> = slots.iter().map(|(_, slot)| &*slot.name).collect();
                return Err(format!(
                    "{name} has no value of this name; it has {}",
                    names.join(", ")
                ));
            }
            let text = TextValue::from(value.clone());
            let is_bad = match &text {
                TextValue::Secret(_) => true,
                TextValue::Parameter(parameter) => !asked.parameters.contains_key(parameter),
                TextValue::Literal(text) => text.contains("<secret:") || text.contains("<param:"),
            };
            if is_bad {
                return Err(format!(
                    "the value {key} must be a text or a parameter of this task; the recipe types secrets by itself"
                ));
            }
            let asked = recipe.steps.iter().flat_map(|step| &step.asked);
            let is_asked = asked.into_iter().any(|slot| slot.name == key);
            if is_asked && yes_or_no(&text).is_none() {
                return Err(format!("the value {key} must be yes or no"));
            }
            values.insert(key.to_owned(), text);
        }
        for (_, slot) in &slots {
            if let Some(own) = &slot.parameter
                && asked.parameters.contains_key(own)
            {
                let text = TextValue::Parameter(own.clone());
                values.entry(slot.name.clone()).or_insert(text);
            }
            if let Some(value) = &slot.default {
                let text = TextValue::Literal(value.clone());
                values.entry(slot.name.clone()).or_insert(text);
            }
        }
        // A value may be found out on the way: the run stops before the step that needs it.
        let is_first = |at: usize| at + 1 == first && recipe.steps[at].left.is_none();
        let missing = slots
            .iter()
            .filter(|(at, slot)| is_first(*at) && !values.contains_key(&slot.name));
        let missing: Vec<&str> = missing.map(|(_, slot)| &*slot.name).collect();
        if !missing.is_empty() {
            return Err(format!("values lacks {}", missing.join(", ")));
        }
        Ok(Self::new(
            name,
            item,
            recipe,
            Chosen::Model,
            values,
            first - 1..end,
        ))
    }

    /// Begins to follow a recipe because the task is the recorded one. With `is_full`, steps that cannot be undone are followed
    /// too. `None` if not even the first step can be followed.
    pub(crate) fn of_task(
        name: &str,
        item: AdviceId,
        recipe: Arc<Recipe>,
        is_full: bool,
    ) -> Option<Self> {
        let goal = &recipe.header.goal;
        let values = recipe.slots().filter_map(|(at, slot)| {
            let is_asked = recipe.steps[at].asked.as_ref() == Some(slot);
            let text = match (&slot.parameter, &slot.default) {
                _ if is_asked => TextValue::Literal(YES.to_owned()),
                (Some(parameter), _) => TextValue::Parameter(parameter.clone()),
                (None, Some(value)) => TextValue::Literal(value.clone()),
                (None, None) => TextValue::Literal(slot.literal(goal)?.to_owned()),
            };
            Some((slot.name.clone(), text))
        });
        let values = values.collect();
        let known = recipe.known_steps();
        let end = if is_full {
            known
        } else {
            recipe.steps_of_task(known)
        };
        (end > 0).then(|| {
            let mut following = Self::new(name, item, recipe, Chosen::Task, values, 0..end);
            following.is_full = is_full;
            following
        })
    }

    fn new(
        name: &str,
        item: AdviceId,
        recipe: Arc<Recipe>,
        chosen: Chosen,
        values: BTreeMap<String, TextValue>,
        steps: std::ops::Range<usize>,
    ) -> Self {
        let mut following = Self {
            name: name.to_owned(),
            item,
            recipe,
            chosen,
            is_full: false,
            values,
            first: steps.start,
            at: steps.start,
            end: steps.end,
            done: Vec::new(),
            skipped: Vec::new(),
            typed: Vec::new(),
            said: Vec::new(),
            pauses: 0,
            stop: None,
        };
        // What was typed before may stand in the heading of the page.
        (0..following.first).for_each(|at| following.note_values(at));
        following
    }

    /// Returns the number of the next step, counted from 1.
    pub(crate) const fn number(&self) -> usize {
        self.at + 1
    }

    /// Returns who decides the next step.
    pub(crate) const fn by(&self) -> By {
        By::Recipe {
            step: self.number(),
            chosen: self.chosen,
            astray: false,
        }
    }

    /// Returns true if all steps that were asked for are done or skipped.
    pub(crate) const fn is_whole(&self) -> bool {
        self.stop.is_none() && self.at >= self.end
    }

    /// Decides the next step on this page.
    pub(crate) fn next(&mut self, here: &Here<'_>) -> Next {
        loop {
            if self.stop.is_some() || self.at >= self.end {
                return Next::End;
            }
            match self.try_step(here) {
                Ok(Turn::Act(action)) => {
                    self.pauses = 0;
                    return Next::Act {
                        action,
                        number: self.at + 1,
                    };
                }
                Ok(Turn::Skip(count, why)) => {
                    for _ in 0..count {
                        self.note_values(self.at);
                        self.skipped.push((self.at, why.clone()));
                        self.at += 1;
                    }
                }
                Ok(Turn::Wait(stop)) => {
                    let waits = self.recipe.steps[self.at].waits;
                    if self.pauses < if waits { LONG_PAUSES } else { PAUSES } {
                        self.pauses += 1;
                        return Next::Wait;
                    }
                    self.stop = Some(stop);
                }
                Err(stop) => self.stop = Some(stop),
            }
        }
    }

    fn try_step(&self, here: &Here<'_>) -> Result<Turn, Stop> {
        let recipe = Arc::clone(&self.recipe);
        let step = &recipe.steps[self.at];
        if here.seen.dialog.is_some() {
            return Err(Stop::new("a dialog is open: answer it"));
        }
        if let Some(count) = self.logged_in(here) {
            return Ok(Turn::Skip(count, "the login is over".to_owned()));
        }
        if let Some(count) = self.listed_here(here) {
            return Ok(Turn::Skip(count, "the item is on this page".to_owned()));
        }
        let found = (step.left == Some(Left::Found)).then(|| self.only_result(step, here));
        if let (Some(left), None | Some(None)) = (step.left, found) {
            return Err(Stop::new(left.why()));
        }
        let Some(form) = &step.form else {
            return Err(Stop::new("do it yourself"));
        };
        if let Some(slot) = &step.asked
            && yes_or_no(&self.value(slot)?) == Some(false)
        {
            return self.left_out(step, here);
        }
        if let BrowserAction::Goto(goto) = form {
            return self.opened(goto, step, here).map(Turn::Act);
        }
        if !self.is_place(step, here) {
            if step.closes {
                return Ok(Turn::Skip(1, "what it closed is not there".to_owned()));
            }
            return Ok(Turn::Wait(Stop::new(
                "this is another page than when it was recorded",
            )));
        }
        let mut action = form.clone();
        let mut elements = Vec::new();
        for (nth, target) in step.targets.iter().enumerate() {
            let element = match found.flatten().filter(|_| nth == 0) {
                Some(id) => Ok(id),
                None => self.element(step, target, nth == 0, here),
            };
            match element {
                Ok(id) => elements.push(id),
                Err(stop) if step.closes && stop.listed.is_empty() => {
                    return Ok(Turn::Skip(
                        1,
                        format!("what it closed is not there ({})", stop.why),
                    ));
                }
                Err(stop) => return Ok(Turn::Wait(stop)),
            }
        }
        let text = self.text(step, here)?;
        if let Some(why) = holds(step, &elements, text.as_ref(), here) {
            return Ok(Turn::Skip(1, why.to_owned()));
        }
        if step.targets.is_empty() && needs_focus(form) && !self.is_direct() {
            return Err(Stop::new(
                "it types where the focus is: put the focus there yourself",
            ));
        }
        has_option(step, &elements, text.as_ref(), here)?;
        if sends(step) {
            self.read_back(here)?;
        }
        for (target, id) in action.targets_mut().into_iter().zip(&elements) {
            match &here.page.tree[*id].reference {
                Some(reference) => *target = Target::Ref(reference.clone()),
                None => return Err(Stop::new("its element cannot be used")),
            }
        }
        if let Some(value) = text {
            for text in action.texts_mut() {
                *text = value.clone();
            }
        }
        Ok(Turn::Act(action))
    }

    /// Skips a step whose box is not to be ticked, unless the page ticks it by itself.
    fn left_out(&self, step: &RecipeStep, here: &Here<'_>) -> Result<Turn, Stop> {
        let element = |target| self.element(step, target, true, here).ok();
        let node = step
            .targets
            .first()
            .and_then(element)
            .map(|id| &here.page.tree[id]);
        if node.is_some_and(|node| node.states.checked == Some(Tri::True)) {
            return Err(Stop::new("it is ticked already: untick it yourself"));
        }
        Ok(Turn::Skip(1, "not asked for".to_owned()))
    }

    /// Returns the text that a step types or chooses.
    fn text(&self, step: &RecipeStep, here: &Here<'_>) -> Result<Option<TextValue>, Stop> {
        Ok(match &step.text {
            None => None,
            Some(Given::Secret(name)) if here.secrets.contains(name) => {
                Some(TextValue::Secret(name.clone()))
            }
            Some(Given::Secret(name)) => {
                return Err(Stop::new(format!("this task has no secret {name}")));
            }
            Some(Given::Slot(slot)) => Some(self.value(slot)?),
        })
    }

    /// Returns the action that opens the address of a step.
    fn opened(
        &self,
        goto: &Goto,
        step: &RecipeStep,
        here: &Here<'_>,
    ) -> Result<BrowserAction, Stop> {
        let mut url = Url::parse(&goto.url).map_err(|_| Stop::new("do it yourself"))?;
        let is_here = here.template.is_some_and(|now| {
            Url::parse(now.as_str()).is_ok_and(|now| now.origin() == url.origin())
        });
        if !is_here {
            return Err(Stop::new("this is another site than when it was recorded"));
        }
        for one in &step.query {
            let value = self.literal(&one.slot, here)?;
            let value = format!("{}{value}", one.sign);
            url.query_pairs_mut().append_pair(&one.key, &value);
        }
        Ok(BrowserAction::Goto(Goto { url: url.into() }))
    }

    /// Returns the only link of the page that leads to the kind of page to which the step led.
    fn only_result(&self, step: &RecipeStep, here: &Here<'_>) -> Option<NodeId> {
        let mut found: Vec<(NodeId, Url)> = Vec::new();
        let landmark = step.targets.first().and_then(|of| of.landmark.as_ref());
        let is_there = |id| landmark.is_none_or(|own| is_within(here.page.tree, id, own));
        for (id, node) in here
            .page
            .tree
            .iter()
            .filter(|(id, node)| node.role == Role::Link && is_there(*id))
        {
            let url = led_to(node, here).filter(|_| node.reference.is_some());
            if let Some(url) = url.filter(|url| self.leads(url, step)) {
                found.push((id, url));
            }
        }
        let (first, url) = found.first()?;
        found
            .iter()
            .all(|(_, other)| other == url)
            .then_some(*first)
    }

    /// Returns true if the address is of the kind to which the step led.
    fn leads(&self, url: &Url, step: &RecipeStep) -> bool {
        let to = step.leads_to.as_ref();
        to.is_some_and(|to| PageTemplate::of(url).is_ok_and(|now| is_kind(to, &now, &self.said)))
    }

    /// Returns the one of several links that leads where the step led; `None` if they lead to several such pages.
    fn leading(&self, ids: &[NodeId], step: &RecipeStep, here: &Here<'_>) -> Option<NodeId> {
        let led = |id: &NodeId| {
            let url = led_to(&here.page.tree[*id], here)?;
            self.leads(&url, step).then_some((*id, url))
        };
        let found: Vec<(NodeId, Url)> = ids.iter().filter_map(led).collect();
        let (first, url) = found.first()?;
        found
            .iter()
            .all(|(_, other)| other == url)
            .then_some(*first)
    }

    /// Returns true if the page is of the kind on which the step was recorded, and has its heading.
    fn is_place(&self, step: &RecipeStep, here: &Here<'_>) -> bool {
        // A link that leads to a page of its own is the same one on every page of the host, and so is that of a named item.
        let link = step.targets.first().filter(|of| of.role == Role::Link);
        let is_same = |of: &&Recorded| match &step.leads_to {
            Some(to) if step.named.is_none() => !to.path().contains(':'),
            Some(_) => {
                let found = self.element(step, of, true, here).ok();
                let url = found.and_then(|id| led_to(&here.page.tree[id], here));
                url.is_some_and(|url| self.leads(&url, step))
            }
            None => false,
        };
        if let (Some(own), Some(now), true) = (&step.page, here.template, self.typed.is_empty())
            && link.as_ref().is_some_and(is_same)
        {
            return Place::of(own.as_str()).host() == Place::of(now.as_str()).host();
        }
        let is_kind = match (&step.page, here.template) {
            (Some(own), Some(now)) => is_kind(own, now, &self.said),
            (Some(_), None) => false,
            (None, _) => true,
        };
        // The heading of an item's page has a value that only the whole call would tell.
        let is_item = step
            .page
            .as_ref()
            .is_some_and(|page| page.path().contains(':'));
        let mut before = self.recipe.steps[..self.at]
            .iter()
            .flat_map(RecipeStep::slots);
        let is_untold = is_item && before.any(|slot| !self.values.contains_key(&slot.name));
        is_kind && (is_untold || self.is_headed(step.heading.as_deref(), here))
    }

    /// Returns true if the page has this heading, or none is given.
    pub(super) fn is_headed(&self, headed: Option<&str>, here: &Here<'_>) -> bool {
        let now = |said: &[String]| heading(here.seen.main_heading(), said);
        headed.is_none() || now(&self.said).as_deref() == headed || now(&[]).as_deref() == headed
    }

    /// Returns the answer as the page shows it, from the page's `own` words, if all steps of the task were taken without the
    /// model.
    pub(crate) fn read_again(&self, here: &Here<'_>, own: &[&str]) -> Option<Finish> {
        let is_done = self.is_full && self.is_whole() && self.end == self.recipe.steps.len();
        let answer = self.recipe.header.answer.as_ref().filter(|_| is_done)?;
        answer.read(self, here, own)
    }

    /// Returns the only element of the page that is the recorded target.
    fn element(
        &self,
        step: &RecipeStep,
        target: &Recorded,
        is_first: bool,
        here: &Here<'_>,
    ) -> Result<NodeId, Stop> {
        let named = step.named.as_ref().filter(|_| is_first);
        let wanted = match named {
            Some(slot) => target.called(&self.literal(slot, here)?),
            None => target.clone(),
        };
        let shown = || PageName::new(&wanted.role, &wanted.name, None).to_string();
        if let Some(slot) = step.item.as_ref().filter(|_| is_first) {
            let words = self.literal(slot, here)?;
            let mut found = alike(here.page, &wanted);
            found.retain(|id| says(&item_words(here.page.tree, *id), &words));
            return match found[..] {
                [one] => Ok(one),
                [] => Err(Stop::new(format!(
                    "no row with its value has a {}",
                    shown()
                ))),
                _ => Err(Stop::new(format!(
                    "{} rows with its value have a {}",
                    found.len(),
                    shown()
                ))),
            };
        }
        if named.is_some() {
            return self.named(step, &wanted, here);
        }
        match resolve(here.page, Wanted::Recorded(&wanted), &[]) {
            Resolved::Same(id) | Resolved::Moved(id) | Resolved::Known(id) => Ok(id),
            Resolved::Ambiguous(ids) => self.leading(&ids, step, here).ok_or_else(|| {
                Stop::new(format!("{} elements could be its {}", ids.len(), shown()))
            }),
            Resolved::PartOf(_) | Resolved::Gone => {
                Err(Stop::new(format!("there is no {}", shown())))
            }
        }
    }

    /// Returns the only element that has the name of a value, word for word and number for number. A choice may have a remark behind
    /// its name, such as a price.
    fn named(&self, step: &RecipeStep, wanted: &Recorded, here: &Here<'_>) -> Result<NodeId, Stop> {
        let plain = |said: &str| Folded::of(&text::squeeze(said));
        let words = plain(&wanted.name);
        let named = |with_remark: bool| {
            let all = here.page.tree.iter().filter(|(_, node)| {
                let is_it = if with_remark {
                    has_remark(&node.name, &wanted.name)
                } else {
                    plain(&node.name) == words
                };
                node.role == wanted.role && node.reference.is_some() && is_it
            });
            all.map(|(id, _)| id).collect::<Vec<_>>()
        };
        let mut found = named(false);
        let may_have = matches!(wanted.role, Role::Option | Role::Radio | Role::Checkbox);
        if found.is_empty() && may_have && !words.as_str().is_empty() {
            found = named(true);
        }
        let shown = PageName::new(&wanted.role, &wanted.name, None);
        match found[..] {
            [one] => Ok(one),
            [] => Err(Stop::new(format!("there is no {shown}, but"))
                .listing(names_like(here.page, wanted))),
            _ => self
                .leading(&found, step, here)
                .ok_or_else(|| Stop::new(format!("{} elements could be its {shown}", found.len()))),
        }
    }

    /// Stops if a field that was filled on this page shows something else.
    fn read_back(&self, here: &Here<'_>) -> Result<(), Stop> {
        for typed in &self.typed {
            let id = here.page.tree.by_ref(typed.field.as_str());
            let id = id.filter(|id| here.page.tree[*id].role == typed.of.role);
            let shown = PageName::new(&typed.of.role, &typed.of.name, None);
            let Some(id) =
                id.or_else(|| resolve(here.page, Wanted::Recorded(&typed.of), &[]).one())
            else {
                return Err(Stop::new(format!(
                    "the field {shown}, which was filled, is gone"
                )));
            };
            let node = &here.page.tree[id];
            // A driver may not report the value of a field, as that of an editor.
            let Some(value) = &node.value else {
                continue;
            };
            if !is_same_value(value, &typed.text) && !has_chosen(here.page.tree, id, &typed.text) {
                return Err(Stop::new(format!(
                    "{shown} does not show the value that was typed, but"
                ))
                .listing([text::truncate(value, PageName::MAX_NAME)]));
            }
        }
        Ok(())
    }

    /// Returns how many steps of a login are over: the run is already on the page that follows them.
    fn logged_in(&self, here: &Here<'_>) -> Option<usize> {
        let steps = &self.recipe.steps;
        let page = steps[self.at].page.as_ref();
        let is_of_page = |step: &&RecipeStep| step.page.as_ref() == page;
        // The login ends with the first step that sends it, and leads away from its page.
        let own = steps[self.at..self.end].iter().take_while(is_of_page);
        let until = own.clone().position(sends);
        let login = until
            .map(|at| at + 1)
            .filter(|login| *login == own.count())?;
        let next = steps
            .get(self.at + login)
            .filter(|_| self.at + login < self.end)?;
        let types_secret = steps[self.at..self.at + login]
            .iter()
            .any(RecipeStep::types_secret);
        let is_there =
            next.left.is_none() && next.page.as_ref() != page && self.is_place(next, here);
        let has_target = || {
            let mut targets = next.targets.iter().take(1);
            targets.all(|target| self.element(next, target, true, here).is_ok())
        };
        (types_secret && !self.is_place(&steps[self.at], here) && is_there && has_target())
            .then_some(login)
    }

    /// Returns how many links the recorded run clicked to get to an item that this page lists already, such as links to further pages
    /// of the list. Items are not always on the page of the list on which the recorded one was.
    fn listed_here(&self, here: &Here<'_>) -> Option<usize> {
        let is_way = |step: &&RecipeStep| {
            let is_link = |of: &Recorded| of.role == Role::Link;
            let is_click = matches!(step.form, Some(BrowserAction::Click(_)));
            is_click
                && step.left.is_none()
                && step.slots().next().is_none()
                && step.effect != Effect::Irreversible
                && step.targets.iter().all(is_link)
        };
        let steps = &self.recipe.steps[self.at..self.end];
        let way = steps.iter().take_while(is_way).count();
        let item = steps.get(way).filter(|_| way > 0)?;
        let wanted = item.targets.first().filter(|of| of.role == Role::Link)?;
        item.named.as_ref().filter(|_| item.left.is_none())?;
        let id = self.element(item, wanted, true, here).ok()?;
        let url = led_to(&here.page.tree[id], here)?;
        (self.is_place(item, here) && self.leads(&url, item)).then_some(way)
    }

    /// Returns the given value of a slot.
    fn value(&self, slot: &Slot) -> Result<TextValue, Stop> {
        let value = self.values.get(&slot.name);
        value
            .cloned()
            .ok_or_else(|| Stop::new(format!("it needs the value {}", slot.name)))
    }

    /// Returns the text of a slot that names an element.
    fn literal(&self, slot: &Slot, here: &Here<'_>) -> Result<String, Stop> {
        let value = self.value(slot)?;
        let text = plain(&value, here);
        let text = text.filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| Stop::new(format!("the value {} names no element", slot.name)))
    }

    /// Returns true if the step before was the run's last action.
    fn is_direct(&self) -> bool {
        self.at
            .checked_sub(1)
            .is_some_and(|before| self.done.last() == Some(&before))
    }

    /// Returns an error if the next step may not have this effect now. `is_shown` is true if the last message showed the page as
    /// it is now.
    pub(crate) fn permit(&mut self, judged: Effect, is_shown: bool) -> bool {
        let step = &self.recipe.steps[self.at];
        let number = self.at + 1;
        if judged > step.effect {
            let why = "on this page it may do more than when it was recorded";
            self.stop = Some(Stop::new(why));
        } else if judged.max(step.effect) == Effect::Irreversible && !self.is_full {
            let is_asked = self.chosen == Chosen::Model && self.at == self.first;
            if !(is_asked && is_shown) {
                self.stop = Some(Stop::new(format!(
                    "it cannot be undone: check this page, then follow {} from {number}",
                    self.name
                )));
            }
        }
        self.stop.is_none()
    }

    /// Records what came of the step. Returns true if the page did not change as it did when the step was recorded.
    pub(crate) fn acted(&mut self, taken: &Step, parameters: &Parameters) -> bool {
        let recipe = Arc::clone(&self.recipe);
        let Some(step) = recipe.steps.get(self.at) else {
            return false;
        };
        match &taken.outcome {
            Outcome::Done => {}
            Outcome::NoEffect => {
                self.stop = Some(Stop::new("it had no effect"));
                return false;
            }
            Outcome::Unclear(_) => {
                self.stop = Some(Stop::new("it is not known whether it worked"));
                return false;
            }
            Outcome::Failed(failure) => {
                self.stop = Some(Stop::new(format!(
                    "it failed: {}",
                    failure.class.sentence()
                )));
                return false;
            }
        }
        self.note_values(self.at);
        self.done.push(self.at);
        self.at += 1;
        let moved = taken.before.template() != taken.after.template();
        if moved || taken.opened() {
            self.typed.clear();
        } else if let Some(typed) = typed(step, taken, parameters) {
            self.typed.retain(|known| known.field != typed.field);
            self.typed.push(typed);
        } else if settles(step)
            && self.done.len() > 1
            && self.done[self.done.len() - 2] + 2 == self.at
        {
            // What was typed last may have become a choice.
            self.typed.pop();
        }
        let now = taken.after.template().filter(|_| moved);
        let is_astray = match (&step.leads_to, now) {
            (None, None) => false,
            (Some(own), Some(now)) => !is_kind(own, now, &self.said),
            (Some(own), None) => {
                // The same page may answer at another address.
                taken
                    .after
                    .template()
                    .is_none_or(|now| !is_kind(own, now, &self.said))
            }
            (None, Some(_)) => true,
        };
        if is_astray && (self.at < self.end || self.is_full) {
            self.stop = Some(Stop::new(
                "the step before led to another page than when it was recorded",
            ));
        }
        is_astray
    }

    fn note_values(&mut self, at: usize) {
        let names: Vec<String> = self.recipe.steps[at]
            .slots()
            .map(|slot| slot.name.clone())
            .collect();
        let texts = names.iter().filter_map(|name| match self.values.get(name) {
            Some(TextValue::Literal(text)) => Some(text.clone()),
            _ => None,
        });
        let texts: Vec<String> = texts.collect();
        self.said.extend(texts);
    }

    /// Returns what came of it, in our words.
    pub(crate) fn summary(&self) -> String {
        let mut said = match ranges(&self.done) {
            done if done.is_empty() => "did nothing".to_owned(),
            done => format!("did {done}"),
        };
        let mut reasons: Vec<&str> = Vec::new();
        for (_, why) in &self.skipped {
            let known = why.split(" (").next().unwrap_or(why);
            if !reasons.contains(&known) {
                reasons.push(known);
            }
        }
        if !self.skipped.is_empty() {
            let steps: Vec<usize> = self.skipped.iter().map(|(at, _)| *at).collect();
            said = format!(
                "{said}; skipped {} ({})",
                ranges(&steps),
                reasons.join(", ")
            );
        }
        match &self.stop {
            Some(stop) => format!("{said}; stopped before {}: {}", self.at + 1, stop.why),
            None if self.end < self.recipe.steps.len() && self.chosen == Chosen::Task => {
                format!(
                    "{said}; the rest is yours: look at this page, then go on from {}",
                    self.end + 1
                )
            }
            None if self.end < self.recipe.steps.len() => format!("{said}, as asked"),
            None => format!("{said}, the last step"),
        }
    }

    /// Returns the lines that tell the model what came of it. The names in them are texts of a page, as JSON strings.
    pub(crate) fn answer(&self) -> Vec<String> {
        let by = match self.chosen {
            Chosen::Model => "",
            Chosen::Task => {
                " (an earlier run had this very goal, so its steps were taken from memory: check them)"
            }
        };
        let head = format!("{}: {}{by}", self.name, self.summary());
        let listed = self.stop.iter().flat_map(|stop| &stop.listed);
        let listed = listed.map(|name| serde_json::Value::from(name.as_str()).to_string());
        std::iter::once(head).chain(listed).collect()
    }
}

/// Returns why the step need not be taken; `None` if it must.
fn holds(
    step: &RecipeStep,
    elements: &[NodeId],
    text: Option<&TextValue>,
    here: &Here<'_>,
) -> Option<&'static str> {
    let node = &here.page.tree[*elements.first()?];
    let is = |state| node.states.checked == Some(state);
    let why = match &step.form {
        Some(BrowserAction::Check(_)) if is(Tri::True) => "it is ticked",
        Some(BrowserAction::Uncheck(_)) if is(Tri::False) || node.states.checked.is_none() => {
            "it is not ticked"
        }
        Some(BrowserAction::Select(_)) => {
            let value = plain(text?, here)?;
            has_chosen(here.page.tree, *elements.first()?, &value).then_some("it has its value")?
        }
        Some(BrowserAction::Fill(fill)) if !fill.submit => {
            let value = plain(text?, here)?;
            let has = node.value.as_deref().is_some_and(|shown| shown == value);
            (has && !value.is_empty()).then_some("it has its value")?
        }
        _ => return None,
    };
    Some(why)
}

/// Stops if the list of the step certainly lacks its option.
fn has_option(
    step: &RecipeStep,
    elements: &[NodeId],
    text: Option<&TextValue>,
    here: &Here<'_>,
) -> Result<(), Stop> {
    let (Some(BrowserAction::Select(_)), [list], Some(text)) = (&step.form, elements, text) else {
        return Ok(());
    };
    let Some(wanted) = plain(text, here) else {
        return Ok(());
    };
    let tree = here.page.tree;
    let options = tree.descendants(*list).map(|at| &tree[at]);
    let options: Vec<&Node> = options.filter(|node| node.role == Role::Option).collect();
    let folded = Folded::of(&wanted);
    let is_it = |node: &&Node| {
        let value = node.value.as_deref().unwrap_or_default();
        Folded::of(&node.name) == folded || Folded::of(value) == folded
    };
    if options.is_empty() || options.iter().any(is_it) {
        return Ok(());
    }
    let list = PageName::new(&tree[*list].role, &tree[*list].name, None);
    let names = options
        .iter()
        .map(|node| text::truncate(&node.name, PageName::MAX_NAME));
    Err(Stop::new(format!("{list} has no such option, but")).listing(names))
}

/// Returns the address of a link.
fn led_to(node: &Node, here: &Here<'_>) -> Option<Url> {
    let page = Url::parse(&here.seen.url).ok()?;
    page.join(node.url.as_deref()?).ok()
}

/// Reads `yes` or `no`.
fn yes_or_no(value: &TextValue) -> Option<bool> {
    let TextValue::Literal(text) = value else {
        return None;
    };
    match text.trim().to_lowercase().as_str() {
        YES | "true" | "1" => Some(true),
        "no" | "false" | "0" => Some(false),
        _ => None,
    }
}

/// Returns the text that a value stands for; `None` for a secret.
fn plain(value: &TextValue, here: &Here<'_>) -> Option<String> {
    match value.resolve(here.parameters) {
        Ok(TextValue::Literal(text)) => Some(text),
        _ => None,
    }
}

enum Turn {
    Act(BrowserAction),
    /// Skip so many steps, for this reason.
    Skip(usize, String),
    /// Look again, or else stop.
    Wait(Stop),
}

impl Recipe {
    /// Returns the number of first steps, of the `known` ones, that a task takes without its model: up to the first that cannot be
    /// undone or sends a form, except for a login or a search.
    fn steps_of_task(&self, known: usize) -> usize {
        let steps = &self.steps[..known];
        let is_free = |(at, step): &(usize, &RecipeStep)| {
            let page = step.page.as_ref();
            let before = steps[..*at]
                .iter()
                .rev()
                .take_while(|one| one.page.as_ref() == page);
            let before: Vec<&RecipeStep> = before.collect();
            let is_of_login = |one: &&&RecipeStep| !sends(one) || one.types_secret();
            let since = before.iter().take_while(is_of_login);
            let is_login = step.types_secret() || since.into_iter().any(|one| one.types_secret());
            let of_search = |one: &RecipeStep| {
                one.targets
                    .first()
                    .is_some_and(|of| is_of_search(&of.role, of.landmark.as_ref()))
            };
            let is_search = of_search(step)
                || (step.targets.is_empty() && before.first().is_some_and(|one| of_search(one)));
            // A link may send a form too, if something was given on its page.
            let gave = before.iter().any(|one| one.gives());
            let is_link = matches!(step.form, Some(BrowserAction::Click(_))) && !step.gives();
            let is_quiet = !(sends(step) || gave && is_link);
            let is_way = step.leads_to.is_some() && !gave;
            let is_harmless = step.closes || is_quiet || is_login || is_search || is_way;
            step.effect != Effect::Irreversible && !step.unclear && is_harmless
        };
        steps.iter().enumerate().take_while(is_free).count()
    }
}

/// Returns true if the page is of the recorded kind: the origin and all segments of the path are equal, except for `:x`, which
/// is any segment.
fn is_kind(own: &PageTemplate, now: &PageTemplate, said: &[String]) -> bool {
    let is_equal = |now: &PageTemplate| {
        let parts = |page: &PageTemplate| -> Vec<String> {
            page.as_str().split('/').map(str::to_owned).collect()
        };
        let (own, now) = (parts(own), parts(now));
        own.len() == now.len()
            && own
                .iter()
                .zip(&now)
                .all(|(own, now)| own == now || own == ":x")
    };
    is_equal(now) || is_equal(&generalised(now, said))
}

/// Returns true if the step may send what was typed: it presses a button or Enter.
fn sends(step: &RecipeStep) -> bool {
    match &step.form {
        Some(BrowserAction::Fill(fill)) => fill.submit,
        Some(BrowserAction::Type(typed)) => typed.submit,
        Some(BrowserAction::Press(press)) => press.key.is_enter(),
        Some(BrowserAction::Click(_) | BrowserAction::Dblclick(_)) => {
            step.targets
                .first()
                .is_some_and(|of| of.role == Role::Button)
                || step.effect == Effect::Irreversible
        }
        _ => step.effect == Effect::Irreversible,
    }
}

const fn needs_focus(form: &BrowserAction) -> bool {
    matches!(form, BrowserAction::Type(_) | BrowserAction::Press(_))
}

/// Returns true if the step may turn a text that was just typed into a choice, as a click on a suggestion does.
fn settles(step: &RecipeStep) -> bool {
    match &step.form {
        Some(BrowserAction::Press(press)) => press.key.is_enter(),
        Some(BrowserAction::Click(_)) => step
            .targets
            .first()
            .is_some_and(|of| matches!(of.role, Role::Option | Role::ListItem | Role::MenuItem)),
        _ => false,
    }
}

/// Returns what a step typed, so that it can be read back; `None` for a secret and for a step that typed into no field.
fn typed(step: &RecipeStep, taken: &Step, parameters: &Parameters) -> Option<Typed> {
    let crate::action::Action::Browser(
        action @ (BrowserAction::Fill(_) | BrowserAction::Select(_)),
    ) = &taken.action
    else {
        return None;
    };
    let texts = action.texts();
    let Ok(TextValue::Literal(text)) = texts.first()?.resolve(parameters) else {
        return None;
    };
    let field = taken.action.references().first().copied()?.clone();
    let of = taken.targets.first().and_then(Recorded::of);
    let of = of.or_else(|| step.targets.first().cloned())?;
    Some(Typed { field, of, text })
}

fn is_same_value(shown: &str, typed: &str) -> bool {
    let plain = |text: &str| -> String {
        Folded::of(text)
            .as_str()
            .chars()
            .filter(|c| !c.is_whitespace())
            .collect()
    };
    plain(shown) == plain(typed)
}

/// Returns true if the chosen option of a list has this name or value.
fn has_chosen(tree: &crate::page::Tree, list: NodeId, text: &str) -> bool {
    let options = tree.descendants(list).map(|at| &tree[at]);
    let mut chosen = options.filter(|node| node.states.selected == Some(true));
    chosen.any(|node| {
        is_same_value(&node.name, text)
            || node
                .value
                .as_deref()
                .is_some_and(|value| is_same_value(value, text))
    })
}

/// Returns true if the name is these words and a remark behind them, such as `(€ 12.90)`.
fn has_remark(name: &str, words: &str) -> bool {
    let (name, words) = (name.to_lowercase(), words.trim().to_lowercase());
    let rest = name.strip_prefix(&words).map(str::trim_start);
    rest.is_some_and(|rest| rest.starts_with('('))
}

/// Returns the names of the elements of the wanted role, in the same landmark.
fn names_like(page: Searched<'_>, wanted: &Recorded) -> Vec<String> {
    let landmark = wanted.landmark.as_ref();
    let is_there = |id| landmark.is_none_or(|own| is_within(page.tree, id, own));
    let alike = page.tree.iter().filter(|(id, node)| {
        node.role == wanted.role
            && node.reference.is_some()
            && !node.name.is_empty()
            && is_there(*id)
    });
    alike
        .map(|(_, node)| text::truncate(&node.name, PageName::MAX_NAME))
        .collect()
}

/// Returns true if an element is in a landmark of this role.
fn is_within(tree: &crate::page::Tree, id: NodeId, landmark: &Role) -> bool {
    tree.ancestors(id).any(|at| tree[at].role == *landmark)
}

/// Returns positions as numbers from 1, such as `1-3, 5`.
fn ranges(positions: &[usize]) -> String {
    let mut out: Vec<(usize, usize)> = Vec::new();
    for at in positions {
        match out.last_mut() {
            Some((_, last)) if *last + 1 == *at => *last = *at,
            _ => out.push((*at, *at)),
        }
    }
    let words = out.iter().map(|(from, to)| {
        if from == to {
            (from + 1).to_string()
        } else {
            format!("{}-{}", from + 1, to + 1)
        }
    });
    words.collect::<Vec<_>>().join(", ")
}
