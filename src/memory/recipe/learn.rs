//! Makes a recipe of a run's log.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{
    Given, Header, Left, MAX_STEPS, QuerySlot, ReadAgain, Recipe, RecipeStep, Slot,
    slots::{Slots, contains, has_all_words, names_choice},
};
use crate::{
    action::{Action, BrowserAction, BrowserTool, Goto, Outcome, Target, TextValue},
    base::{Host, RunId, short_hash, text},
    memory::{
        RunLog, Use,
        aim::{is_menu, without_remark},
        shelf::home,
        shortest::is_same_field,
        typed::Typed,
        whole::whole_way,
    },
    page::{Change, ElementRef, PageTemplate, Recorded, Role, TargetIdentity},
    working::{By, Chosen, Place, Step},
};

/// Maximum length of the goal of a recorded run. Unit: bytes. It fits into a record.
pub(super) const MAX_GOAL: usize = 900;
/// The value of a slot that says that a box is to be ticked.
pub(super) const YES: &str = "yes";
/// Maximum length of a word in the query of an address that is no value. Unit: bytes.
const MAX_WORD: usize = 20;
/// Maximum length of a text that can become a default. Unit: characters.
const MAX_DEFAULT: usize = 40;

/// What a run teaches about recipes. If the shelf cannot be changed when the run ends, this value waits in the store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Learned {
    /// The host whose shelf keeps the recipes of the run's site.
    pub(super) home: Host,
    pub(super) run: RunId,
    /// The end of the run.
    pub(super) at: DateTime<Utc>,
    /// The run's own steps, if it reached its goal and the log proves all of them.
    pub(super) recipe: Option<Recipe>,
    /// The short texts of the recipe's slots, by name, as far as the model chose them itself.
    pub(super) texts: Vec<(String, String)>,
    /// The keys of the recipes that the run was shown, with the result of each.
    pub(super) results: Vec<(String, Use)>,
    /// True if the run took steps from a recipe, so that it is no independent proof of them.
    pub(super) followed: bool,
}

impl Learned {
    pub(super) fn of(log: &RunLog) -> Option<Self> {
        let home = home_of_run(log)?;
        let results = results(log);
        let found = log.success.then(|| recipe(log, &home)).flatten();
        if found.is_none() && results.is_empty() {
            return None;
        }
        let (recipe, texts) =
            found.map_or((None, Vec::new()), |(recipe, texts)| (Some(recipe), texts));
        Some(Self {
            home,
            run: log.run.clone(),
            at: log.ended_at,
            recipe,
            texts,
            results,
            followed: log.steps.iter().any(|step| step.by.is_recipe()),
        })
    }
}

/// Returns the first host of a run on which it acted.
fn home_of_run(log: &RunLog) -> Option<Host> {
    let places = log
        .steps
        .iter()
        .flat_map(|step| [&step.before, &step.after]);
    places.filter_map(|place| place.host()).map(home).next()
}

fn is_at(home_host: &Host, place: &Place) -> bool {
    place.host().is_none_or(|host| home(host) == *home_host)
}

/// Returns the reason why nothing, or only a part, of a run that reached its goal is kept as a recipe; `None` if all of it is.
pub(super) fn unlearned(log: &RunLog) -> Option<String> {
    if !log.success || !log.steps.iter().any(acts) {
        return None;
    }
    let why = match home_of_run(log) {
        None => "it saw no page of a site".to_owned(),
        Some(home) => match recipe(log, &home) {
            Some((recipe, _)) if recipe.header.leaves => {
                return Some(format!(
                    "its steps are kept up to where it left {home}, because a recipe belongs to one site"
                ));
            }
            Some(_) => return None,
            None if whole_way(log).is_none() => {
                "the run was interrupted or instructed, so that its goal and its log do not tell all of its steps"
                    .to_owned()
            }
            None => format!(
                "it has no steps of its own on {home}, more than {MAX_STEPS}, or a goal of more than {MAX_GOAL} bytes"
            ),
        },
    };
    Some(format!("its steps are not kept: {why}"))
}

fn acts(step: &Step) -> bool {
    step.by != By::Task && matches!(step.action, Action::Browser(_))
}

/// Returns the result of each recipe that the run was shown.
fn results(log: &RunLog) -> Vec<(String, Use)> {
    let own = log.offered.iter().enumerate();
    let own = own.filter(|(_, id)| id.shelf.collection == super::COLLECTION);
    own.map(|(at, id)| (id.key.clone(), result(log, at)))
        .collect()
}

/// Returns the result of the recipe at a position of the run's list of items.
///
/// It did harm if a step of it did not do what was recorded, was refused by a person, or if the run later gave a field that it
/// had filled another value. It helped if it did none of these, the run reached its goal, and the model chose the recipe.
fn result(log: &RunLog, at: usize) -> Use {
    let is_of = |step: &&Step| step.by.is_recipe() && step.offered.contains(&at);
    let mut followed = log.steps.iter().filter(is_of).peekable();
    if followed.peek().is_none() {
        return Use::Ignored;
    }
    let by_model = followed.clone().any(|step| {
        matches!(
            step.by,
            By::Recipe {
                chosen: Chosen::Model,
                ..
            }
        )
    });
    let is_harm = followed.any(|step| {
        let went_wrong = !matches!(step.outcome, Outcome::Done | Outcome::Unclear(_));
        let is_astray = matches!(step.by, By::Recipe { astray: true, .. });
        let refilled = || {
            let later = log.steps.iter().filter(|later| later.number > step.number);
            let mut later = later.filter(|later| !later.by.is_recipe() && later.outcome.is_done());
            writes(step) && later.any(|later| writes(later) && is_same_field(later, step))
        };
        !step.unseen && (went_wrong || is_astray || refilled())
    });
    match (is_harm, log.success, by_model) {
        (true, ..) if !log.interrupted || log.success => Use::Failed,
        (false, true, true) => Use::Helped,
        _ => Use::Used,
    }
}

const fn writes(step: &Step) -> bool {
    matches!(
        step.action,
        Action::Browser(BrowserAction::Fill(_) | BrowserAction::Select(_) | BrowserAction::Type(_))
    )
}

/// Returns the recipe of a run that reached its goal, and the short texts of its slots.
fn recipe(log: &RunLog, home_host: &Host) -> Option<(Recipe, Vec<(String, String)>)> {
    let goal = text::squeeze(&log.about.goal);
    if goal.is_empty() || goal.len() > MAX_GOAL || goal.chars().any(text::is_deceptive) {
        return None;
    }
    let way = whole_way(log)?;
    let own: Vec<&Step> = way.into_iter().filter(|step| acts(step)).collect();
    let is_left = |step: &&Step| {
        step.left_scope || !is_at(home_host, &step.before) || !is_at(home_host, &step.after)
    };
    let end = own.iter().position(is_left);
    let taken = &own[..end.unwrap_or(own.len())];
    if taken.is_empty() || taken.len() > MAX_STEPS {
        return None;
    }
    let mut maker = Maker {
        log,
        goal: &goal,
        typed: Typed::of(&log.steps),
        slots: Slots::new(&goal),
        texts: Vec::new(),
        hidden: Vec::new(),
        path: Vec::new(),
        gave: false,
        searched: false,
    };
    let mut steps: Vec<RecipeStep> = taken.iter().map(|step| maker.step(step)).collect();
    if !steps.iter_mut().all(RecipeStep::fit) {
        return None;
    }
    let texts = std::mem::take(&mut maker.texts);
    let header = Header {
        goal: goal.clone(),
        run: log.run.clone(),
        runs: vec![log.run.clone()],
        timestamp: log.ended_at,
        steps: steps.len(),
        turns: log.steps.iter().map(|step| step.turn).max().unwrap_or(0),
        duration_ms: log.duration_ms(),
        imported: false,
        own: true,
        leaves: end.is_some(),
        answer: ReadAgain::of(log, &maker.hidden),
        results: Vec::new(),
    };
    Some((Recipe { header, steps }, texts))
}

/// Makes the steps of a recipe from those of a run, in order.
struct Maker<'r> {
    log: &'r RunLog,
    goal: &'r str,
    typed: Typed,
    slots: Slots<'r>,
    texts: Vec<(String, String)>,
    /// The values so far, and the names of chosen elements: texts that a page may show, and another run does not have.
    hidden: Vec<String>,
    /// The words in the address of the page.
    path: Vec<String>,
    /// True if a value was given on this page, and on the page before.
    gave: bool,
    searched: bool,
}

impl Maker<'_> {
    fn step(&mut self, step: &Step) -> RecipeStep {
        let Action::Browser(action) = &step.action else {
            return RecipeStep::new(BrowserAction::Snapshot(crate::action::NoArguments {}));
        };
        let (form, mut left) = form(action);
        let page = step
            .before
            .template()
            .map(|page| generalised(page, &self.hidden));
        // The heading of an item's page may be the item's own, which another run does not have.
        let is_item = page.as_ref().is_some_and(|page| page.path().contains(':'));
        let is_lasting =
            !is_item || kept_heading(&step.heading, &self.hidden).contains(&"<>".to_owned());
        let heading = heading(&step.heading, &self.hidden).filter(|_| is_lasting);
        self.path = text::words(step.before.template().map_or("", PageTemplate::path));
        let target = step.targets.first();
        let targets: Option<Vec<Recorded>> = step.targets.iter().map(Recorded::of).collect();
        let mut made = RecipeStep {
            tool: action.tool(),
            form,
            page,
            heading,
            leads_to: None,
            targets: targets.unwrap_or_default(),
            text: None,
            named: None,
            item: None,
            asked: None,
            query: Vec::new(),
            effect: step.effect,
            waits: self.waited_before(step),
            unclear: !step.outcome.is_done(),
            closes: closes_cover(step),
            left: None,
        };
        if step.targets.len() != made.targets.len()
            || made.targets.iter().any(Recorded::is_nameless)
        {
            left = left.or(Some(Left::Unnamed));
        }
        if let BrowserAction::Goto(goto) = action {
            left = left.or_else(|| self.address(&mut made, goto));
        }
        if let Some(target) = target {
            left = left.or_else(|| self.aim(&mut made, step, target));
        }
        if let [text] = action.texts()[..] {
            made.text = Some(self.text(text, target, action.tool(), step));
        }
        made.left = left;
        self.forget_values(&mut made);
        // The address may name what the step chose or typed.
        let moved = step.before.template() != step.after.template();
        let after = step.after.template().filter(|_| moved);
        made.leads_to = after.map(|page| generalised(page, &self.hidden));
        self.gave |= matches!(made.text, Some(Given::Slot(_))) || !made.query.is_empty();
        if moved || step.reloaded || step.before.url() != step.after.url() {
            self.searched = std::mem::take(&mut self.gave);
        }
        made
    }

    /// Records the address that a step opens. Returns the reason why it cannot be kept.
    fn address(&mut self, made: &mut RecipeStep, goto: &Goto) -> Option<Left> {
        match address(&goto.url, self.goal, &mut self.slots) {
            Err(left) => return Some(left),
            Ok((form, query)) => (made.form, made.query) = (Some(form), query),
        }
        for one in &made.query {
            if let Some(value) = one.slot.literal(self.goal) {
                self.hide(value);
            }
        }
        None
    }

    /// Records how the target is found: by its own name, by a value of the goal that names it, or by a value that its row or card
    /// contains. Returns the reason why it can be none of these.
    fn aim(&mut self, made: &mut RecipeStep, step: &Step, target: &TargetIdentity) -> Option<Left> {
        let in_menu = is_menu(target.landmark.as_ref());
        let is_listed = !in_menu && (target.collection.is_some() || !step.item.is_empty());
        let is_generic = step.within.is_some();
        let name = without_remark(&target.role, target.best_name());
        let leads = leads(step, target, name);
        let is_of_goal = match leads {
            Leads::ToPage => names_choice(self.goal, name),
            // Each row of a list may have a link `Edit`.
            Leads::ToItem if text::words(name).len() < 2 => names_choice(self.goal, name),
            _ => contains(self.goal, name) || has_all_words(self.goal, name),
        };
        let is_pick = match target.role {
            Role::Option | Role::Radio | Role::MenuItemRadio => true,
            Role::Link if leads == Leads::Nowhere => {
                is_listed && (is_of_goal || name.contains(char::is_numeric))
            }
            Role::Link => is_listed || leads == Leads::ToItem,
            Role::Row
            | Role::Cell
            | Role::GridCell
            | Role::ListItem
            | Role::TreeItem
            | Role::Heading
            | Role::Generic => is_listed && !is_generic,
            _ => false,
        };
        let is_box = is_box(made.tool, &target.role);
        if is_pick && is_of_goal {
            let words = if target.role == Role::Radio {
                "choice"
            } else {
                target.role.as_str()
            };
            made.named = Some(self.named(words, name));
            return None;
        }
        if leads == Leads::ToPage {
            return None;
        }
        if is_pick && !matches!(target.role, Role::Radio) {
            // If another run with another goal makes the same choice, it was none.
            made.named = Some(self.chosen(name));
            let is_found = self.searched && leads == Leads::ToItem;
            return Some(if is_found { Left::Found } else { Left::Chosen });
        }
        if is_box && is_of_goal && made.tool != BrowserTool::Check {
            // Whether another goal wants it on or off is not known.
            return Some(Left::Chosen);
        }
        if is_box && is_of_goal {
            let mut slot = self.slots.named(&super::slots::slug(name), YES);
            slot.at = None;
            made.asked = Some(slot);
        } else if self.typed.is_in(name) {
            made.named = Some(self.named(target.role.as_str(), name));
            return Some(Left::Chosen);
        }
        let is_own = takes_text(made.tool) || is_box || target.role.is_editable();
        let attribute = made.targets.first().and_then(|of| of.attribute.as_ref());
        let is_counted = attribute.is_some_and(|(_, value)| value.contains(char::is_numeric));
        let needs_item = is_generic
            || (is_listed && !is_own)
            || (is_own && (target.collection.is_some() || is_counted));
        if !needs_item || step.item.is_empty() {
            return None;
        }
        let parts = step.item.iter().filter(|part| contains(self.goal, part));
        let part = parts.max_by_key(|part| part.chars().count()).cloned();
        match part {
            Some(part) => {
                self.hide(&part);
                made.item = Some(self.slots.row(&part));
                None
            }
            // The rows of a new form say nothing but the labels of its fields.
            None if is_own && attribute.is_some() && !is_counted => None,
            None => {
                made.item = step.item.first().map(|first| self.chosen(first));
                Some(Left::Chosen)
            }
        }
    }

    /// Returns a slot for what was chosen from the page. The goal does not have its value.
    fn chosen(&mut self, value: &str) -> Slot {
        let mut slot = self.named("chosen", value);
        slot.at = None;
        if value.chars().count() <= MAX_DEFAULT {
            self.texts.push((slot.name.clone(), value.to_owned()));
        }
        slot
    }

    fn named(&mut self, name: &str, value: &str) -> Slot {
        self.hide(value);
        self.slots.named(name, value)
    }

    /// Notes a value that later pages may repeat. A word of the page's own address is not a value of the run.
    fn hide(&mut self, value: &str) {
        let words = text::words(value);
        if !words.iter().all(|word| self.path.contains(word)) {
            self.hidden.push(value.to_owned());
        }
    }

    /// Returns the source of a text that a step typed or chose.
    fn text(
        &mut self,
        text: &TextValue,
        target: Option<&TargetIdentity>,
        tool: BrowserTool,
        step: &Step,
    ) -> Given {
        match text {
            TextValue::Secret(name) => Given::Secret(name.clone()),
            TextValue::Parameter(name) => {
                let mut slot = self.slots.named(&super::slots::slug(name.as_str()), "");
                slot.parameter = Some(name.clone());
                Given::Slot(slot)
            }
            TextValue::Literal(value) => {
                let otherwise = if tool == BrowserTool::Select {
                    "option"
                } else {
                    "text"
                };
                let slot = self.slots.add(target, otherwise, value);
                if !step.by.is_recipe() && value.chars().count() <= MAX_DEFAULT {
                    self.texts.push((slot.name.clone(), value.clone()));
                }
                self.hide(value);
                Given::Slot(slot)
            }
        }
    }

    /// Removes the names that repeat a value of the run from a step.
    fn forget_values(&self, made: &mut RecipeStep) {
        let says = |said: &str| self.typed.is_in(said) || half_is_in(said, self.goal);
        let is_hidden = made.named.is_some();
        for (nth, target) in made.targets.iter_mut().enumerate() {
            target.group = target.group.take().filter(|group| !says(group));
            if is_hidden && nth == 0 {
                *target = target.called("");
            }
            if made.item.is_some() {
                // They tell one row from another.
                let is_counted = |(_, value): &(String, String)| value.contains(char::is_numeric);
                target.attribute = target.attribute.take().filter(|one| !is_counted(one));
                target.group = None;
            }
        }
        if matches!(made.tool, BrowserTool::Goto | BrowserTool::TabNew) && made.left.is_some() {
            (made.form, made.query) = (None, Vec::new());
        }
    }

    /// Returns true if the run waited for something of the page between this step and the one before that acted.
    fn waited_before(&self, step: &Step) -> bool {
        let before = self
            .log
            .steps
            .iter()
            .rev()
            .skip_while(|one| one.number >= step.number);
        let mut looks = before.take_while(|one| match &one.action {
            Action::Browser(action) => action.tool().is_look(),
            _ => true,
        });
        looks.any(|one| matches!(one.action, Action::Browser(BrowserAction::Wait(_))))
    }
}

/// The kind of page to which a click on a link led.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leads {
    /// A page of its own, such as a list or a form.
    ToPage,
    /// The page of an item: its address has an id, or repeats the name of the link.
    ToItem,
    /// The run stayed on the page, or the target is no link.
    Nowhere,
}

fn leads(step: &Step, target: &TargetIdentity, name: &str) -> Leads {
    let moved = step.before.template() != step.after.template();
    let after = step
        .after
        .template()
        .filter(|_| moved && target.role == Role::Link);
    let Some(path) = after.map(PageTemplate::path) else {
        return Leads::Nowhere;
    };
    let words = text::words(name);
    let repeats = words.len() > 1 && path.split('/').any(|part| text::words(part) == words);
    if path.contains(':') || repeats {
        Leads::ToItem
    } else {
        Leads::ToPage
    }
}

const fn is_box(tool: BrowserTool, role: &Role) -> bool {
    matches!(tool, BrowserTool::Check | BrowserTool::Uncheck)
        || matches!(role, Role::Checkbox | Role::Switch | Role::MenuItemCheckbox)
}

const fn takes_text(tool: BrowserTool) -> bool {
    matches!(
        tool,
        BrowserTool::Fill | BrowserTool::Type | BrowserTool::Select
    )
}

/// Returns true if the name has words, and at least half of them are words of the goal.
fn half_is_in(name: &str, goal: &str) -> bool {
    let (own, goal) = (text::words(name), text::words(goal));
    let among = own.iter().filter(|word| goal.contains(word)).count();
    among > 0 && 2 * among >= own.len()
}

/// Returns true if the step closed what covered the page: the element that it used went away together with a dialog, and the
/// address stayed the same.
fn closes_cover(step: &Step) -> bool {
    let removed = || step.changes.iter().flat_map(|changes| &changes.removed);
    let is_target = |one: &Change| {
        let mut targets = step.targets.iter();
        targets.any(|target| one.role == target.role && one.label == target.name)
    };
    step.before.url() == step.after.url()
        && removed().any(|one| one.role.is_dialog())
        && removed().any(is_target)
}

/// Returns the action without its targets and texts, or the reason why the model must take it itself.
fn form(action: &BrowserAction) -> (Option<BrowserAction>, Option<Left>) {
    use BrowserAction as A;
    let left = match action {
        A::DialogAccept(_) | A::DialogDismiss(_) => Left::Dialog,
        A::Goto(_) => return (None, None),
        A::ClickAt(_)
        | A::ClickXy(_)
        | A::HoverXy(_)
        | A::DragXy(_)
        | A::Upload(_)
        | A::TabNew(_)
        | A::StateSave(_)
        | A::StateLoad(_)
        | A::SelectText(_)
        | A::Eval(_)
        | A::RunCode(_) => Left::Arguments,
        A::Select(select) if select.values.len() != 1 => Left::Arguments,
        other => {
            let mut form = other.clone();
            let Ok(nothing) = ElementRef::parse("e0") else {
                return (None, Some(Left::Arguments));
            };
            for target in form.targets_mut() {
                *target = Target::Ref(nothing.clone());
            }
            for text in form.texts_mut() {
                *text = TextValue::Literal(String::new());
            }
            return (Some(form), None);
        }
    };
    (None, Some(left))
}

/// Returns the action that opens an address, and the values of the goal in its query. The address must be that of a kind of page and of no
/// item, and whatever else its query has must be words.
pub(super) fn address(
    url: &str,
    goal: &str,
    slots: &mut Slots<'_>,
) -> Result<(BrowserAction, Vec<QuerySlot>), Left> {
    let mut url = url::Url::parse(url).map_err(|_| Left::Address)?;
    let is_item = |part: &str| {
        part.contains(':') || (text::words(part).len() > 1 && has_all_words(goal, part))
    };
    let place = Place::of(url.as_str());
    let page = place.template().ok_or(Left::Address)?;
    if page.path().split('/').any(is_item) || url.fragment().is_some() || url.password().is_some() {
        return Err(Left::Address);
    }
    let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
    url.set_query(None);
    let mut query = Vec::new();
    for (key, value) in &pairs {
        // A key that is repeated lists what the page shows.
        let is_list = pairs.iter().filter(|(other, _)| other == key).count() > 1;
        let bare = value.trim_start_matches(|c: char| !c.is_alphanumeric());
        if !is_list && !bare.is_empty() && contains(goal, bare) {
            let sign = value[..value.len() - bare.len()].to_owned();
            let slot = slots.named(&super::slots::slug(key), bare);
            query.push(QuerySlot {
                key: key.clone(),
                sign,
                slot,
            });
        } else if value.len() <= MAX_WORD && !value.contains(char::is_numeric) {
            url.query_pairs_mut().append_pair(key, value);
        } else {
            return Err(Left::Address);
        }
    }
    Ok((BrowserAction::Goto(Goto { url: url.into() }), query))
}

/// Returns the template with `:x` for each path segment that is one of these texts, or a code of letters and digits.
pub(super) fn generalised(page: &PageTemplate, hidden: &[String]) -> PageTemplate {
    let path = page.path();
    let origin = page.as_str().strip_suffix(path).unwrap_or_default();
    let is_hidden = |part: &str| {
        let words = text::words(part);
        !words.is_empty() && hidden.iter().any(|text| text::words(text) == words)
    };
    let parts: Vec<&str> = path
        .split('/')
        .map(|part| {
            let mut after_digits = part.split(":n").skip(1);
            let is_code = after_digits.any(|rest| rest.starts_with(char::is_alphabetic));
            if is_code || is_hidden(part) {
                ":x"
            } else {
                part
            }
        })
        .collect();
    PageTemplate::try_from(format!("{origin}{}", parts.join("/"))).unwrap_or_else(|_| page.clone())
}

/// Returns the hash of a heading without digits and without these texts; `None` if nothing is left of it.
pub(super) fn heading(words: &str, hidden: &[String]) -> Option<String> {
    let kept = kept_heading(words, hidden);
    (!kept.is_empty()).then(|| short_hash(kept.join(" ")))
}

/// Returns the words of a heading without digits, with `<>` for each of these texts.
fn kept_heading(words: &str, hidden: &[String]) -> Vec<String> {
    let mut hidden: Vec<Vec<String>> = hidden.iter().map(|text| text::words(text)).collect();
    hidden.sort_by_key(|words| std::cmp::Reverse(words.len()));
    let plain = text::words(words);
    let mut kept: Vec<String> = Vec::new();
    let mut at = 0;
    while at < plain.len() {
        let value = hidden
            .iter()
            .find(|value| !value.is_empty() && plain[at..].starts_with(value));
        if let Some(value) = value {
            kept.push("<>".to_owned());
            at += value.len();
        } else {
            let word: String = plain[at].chars().filter(|c| !c.is_numeric()).collect();
            kept.extend((!word.is_empty()).then_some(word));
            at += 1;
        }
    }
    kept
}
