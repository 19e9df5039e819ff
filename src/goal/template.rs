//! The template of a recorded goal: the goal with holes for new values, and an explanation for each text of the steps.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    MATCHER_VERSION, MAX_GOAL,
    account::{Account, Stop},
    confirm,
    fold::{compose, is_hidden_control},
    guards::{self, Surroundings},
    lex::{Token, lex},
    origin::{Explained, Origin, Source, explain},
    parse::{self, has_frame, parses},
    program::{Program, Value},
    provenance::{Slot, Traced, slots, texts},
    record::{Field, Recorded},
    slots::{Found, Hole, Shape, choose, name},
    trace::{Class, literals, runs, whole},
    verdict::{Accepted, Change, Question, Reason, State, Verdict},
    words::{polite_prefix, polite_suffix},
};

/// A recorded goal with slots in the places of its values, and an explanation for each text of the recorded steps.
///
/// The explanation says which words of the goal give the text, and which [`Program`](super::Program)s turn these words
/// into the text.
///
/// The JSON form contains the recorded runs. To show a person what follows from them, it also contains the frame (the
/// goal with slot names in the places of its values), the slots and the explanations. Only the runs are read back;
/// everything else is built anew from them. A later run that no longer confirms the template is dropped.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct Template {
    pub(super) runs: Vec<Recorded>,
    pub(super) goal: String,
    pub(super) tokens: Vec<Token>,
    pub(super) holes: Vec<Hole>,
    pub(super) explained: Vec<Explained>,
    neighbours: Vec<[Option<String>; 2]>,
    around: Surroundings,
    /// The reason why the template refuses every new goal, for example because the recorded goal is too long.
    refusal: Option<Reason>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    matcher_version: u32,
    #[serde(default)]
    frame: String,
    #[serde(default, skip_deserializing)]
    slots: Vec<Slot>,
    #[serde(default, skip_deserializing)]
    texts: Vec<Traced>,
    runs: Vec<Recorded>,
}

impl From<Template> for Stored {
    fn from(template: Template) -> Self {
        Self {
            matcher_version: MATCHER_VERSION,
            frame: template.frame(),
            slots: template.slots(),
            texts: template.texts(),
            runs: template.runs,
        }
    }
}

impl TryFrom<Stored> for Template {
    type Error = &'static str;

    fn try_from(stored: Stored) -> Result<Self, Self::Error> {
        let (first, others) = stored.runs.split_first().ok_or("a template needs a run")?;
        let confirm = |template: Self, run: &Recorded| template.confirm(run).unwrap_or(template);
        Ok(others.iter().fold(Self::compile(first), confirm))
    }
}

/// Returns the goal in NFC and its tokens.
///
/// Each parameter's name in braces is first replaced by the parameter's value from `params`. The tokens leave out
/// polite words at the beginning and end of the goal.
pub(super) fn read(
    goal: &str,
    params: &BTreeMap<String, String>,
) -> Result<(String, Vec<Token>), Reason> {
    let goal = params.iter().fold(compose(goal), |goal, (name, value)| {
        goal.replace(&format!("{{{name}}}"), &compose(value))
    });
    if goal.chars().count() > MAX_GOAL {
        return Err(Reason::TooLong);
    }
    if goal.chars().any(is_hidden_control) {
        return Err(Reason::ControlCharacters);
    }
    let mut tokens = lex(&goal);
    let folds: Vec<&str> = tokens.iter().map(|token| token.fold.as_str()).collect();
    let (skip, cut) = (polite_prefix(&folds), polite_suffix(&folds));
    if skip + cut < tokens.len() {
        tokens.truncate(tokens.len() - cut);
        tokens.drain(..skip);
    }
    if tokens.is_empty() {
        Err(Reason::Empty)
    } else {
        Ok((goal, tokens))
    }
}

pub(super) fn found(tokens: &[Token], goal: &str, run: &Recorded) -> Vec<Found> {
    literals(&run.steps)
        .into_iter()
        .map(|literal| {
            let is_fixed = literal.class == Class::Fixed || literal.tokens.is_empty();
            let spans = if is_fixed {
                Vec::new()
            } else {
                whole(tokens, goal, &literal)
            };
            let runs = if matches!(literal.field, Field::Name | Field::Text) {
                runs(tokens, &literal.tokens)
            } else {
                Vec::new()
            };
            Found {
                literal,
                spans,
                runs,
            }
        })
        .collect()
}

impl Template {
    /// Builds the template of a run.
    pub fn compile(run: &Recorded) -> Self {
        Self::build(run, false)
    }

    /// Builds the template of a run. With `is_weak_enough`, weak evidence creates slots too.
    pub(super) fn build(run: &Recorded, is_weak_enough: bool) -> Self {
        let (goal, tokens, refusal) = match read(&run.goal, &run.params) {
            Ok((goal, tokens)) => (goal, tokens, None),
            Err(reason) => (String::new(), Vec::new(), Some(reason)),
        };
        let found = found(&tokens, &goal, run);
        let holes = choose(&tokens, &goal, &found, &run.params, is_weak_enough);
        let template = Self {
            runs: vec![run.clone()],
            goal,
            tokens,
            holes: Vec::new(),
            explained: Vec::new(),
            neighbours: Vec::new(),
            around: Surroundings::of(&[], &[], run.irreversible),
            refusal,
        };
        template.with_holes(holes, found)
    }

    pub(super) fn with_holes(mut self, holes: Vec<Hole>, found: Vec<Found>) -> Self {
        self.explained = found
            .into_iter()
            .map(|found| explain(&holes, found))
            .collect();
        self.holes = holes;
        self.with_types();
        let labels: Vec<Option<String>> =
            (0..self.holes.len()).map(|at| self.label_of(at)).collect();
        name(&mut self.holes, &labels);
        let is_hole = |at: usize| {
            self.holes
                .iter()
                .any(|hole| (hole.start..hole.end).contains(&at))
        };
        let word = |at: Option<usize>| {
            let at = at.filter(|at| !is_hole(*at))?;
            self.tokens.get(at).map(|token| token.fold.clone())
        };
        let around = |hole: &Hole| {
            let before = hole.start.checked_sub(1);
            // In "a party of 2", the filler "of" is skipped, so that the word before it counts as the neighbour of the
            // value.
            let is_filler =
                |at: &usize| ["of", "de", "von", "="].contains(&self.tokens[*at].fold.as_str());
            let before = before
                .filter(is_filler)
                .map_or(before, |at| at.checked_sub(1));
            [word(before), word(Some(hole.end))]
        };
        self.neighbours = self.holes.iter().map(around).collect();
        self.around = Surroundings::of(&self.tokens, &self.holes, self.runs[0].irreversible);
        self
    }

    /// Gives the type [`Shape::Compound`] to each hole whose value is a German compound that begins with a month, such
    /// as `Märzbericht`, if a step uses the month.
    fn with_types(&mut self) {
        for at in 0..self.holes.len() {
            let takes_month = |source: &&Source| {
                matches!(source, Source::Hole { hole, programs } if *hole == at
                    && programs.iter().any(|program| matches!(program, Program::Date { .. })))
            };
            let rest = match self.holes[at].value.tokens.as_slice() {
                [token] => token.rest.clone(),
                _ => None,
            };
            let is_used = self
                .explained
                .iter()
                .any(|text| text.origin.sources().iter().any(takes_month));
            if let Some(rest) = rest.filter(|_| is_used) {
                self.holes[at].shape = Shape::Compound(rest);
            }
        }
    }

    /// Returns the label of the first field that the hole's value fills completely.
    fn label_of(&self, hole: usize) -> Option<String> {
        let filled = self.explained.iter().find(|text| {
            matches!(&text.origin, Origin::Whole(_)) && text.origin.uses(&|at| at == hole)
        })?;
        Some(filled.literal.label.join("_"))
    }

    /// Decides whether `goal` is the task of the template, with the recorded values or with other values.
    ///
    /// `params` are values that the caller gives by slot name. The goal may contain `{name}` in place of such a value.
    /// A goal that has a different value in the slot is refused.
    pub fn matches(&self, goal: &str, params: &BTreeMap<String, String>) -> Verdict {
        match self.decide(goal, params) {
            Ok(accepted) => Verdict::Accept(accepted),
            Err(stop) => stop.into(),
        }
    }

    fn decide(&self, goal: &str, params: &BTreeMap<String, String>) -> Result<Accepted, Stop> {
        if let Some(reason) = self.refusal {
            return Err(reason.into());
        }
        let (goal, tokens) = read(goal, params)?;
        if !has_frame(&self.tokens, &self.holes, &tokens) {
            return Err(Reason::Frame.into());
        }
        let readings = parses(&self.tokens, &self.holes, &tokens);
        let reading = match readings.as_slice() {
            [reading] => reading,
            [] => return Err(Reason::Type.into()),
            _ => return Err(Reason::TwoReadings.into()),
        };
        let new = Self::values(reading, &tokens, &goal);
        let changed = self.changed(&new);
        self.bind(&new, params)?;
        if !self.around.has_frame && changed.contains(&true) {
            return Err(Reason::NoFrame.into());
        }
        for (at, hole) in self.holes.iter().enumerate().filter(|(at, _)| changed[*at]) {
            let is_last = hole.end == self.tokens.len();
            let is_given = params.contains_key(&hole.id);
            match guards::check(hole, &new[at], &self.around, is_last, is_given) {
                Ok(()) => {}
                Err(Reason::Extension) => return Err(extended(hole, &new[at])),
                Err(reason) => return Err(reason.into()),
            }
        }
        let account = Account {
            record: &self.runs[0],
            explained: &self.explained,
            holes: &self.holes,
            neighbours: &self.neighbours,
            new: &new,
            changed: changed.clone(),
        };
        let plan = account.give()?;
        let changes: Vec<Change> = self
            .holes
            .iter()
            .zip(&new)
            .zip(&changed)
            .filter(|(_, is_changed)| **is_changed)
            .map(|((hole, new), _)| Change {
                slot: hole.id.clone(),
                state: if params.contains_key(&hole.id) {
                    State::Declared
                } else {
                    hole.state
                },
                old: hole.value.text.clone(),
                new: new.text.clone(),
            })
            .collect();
        let confirmed = changes
            .iter()
            .all(|change| change.state != State::Tentative);
        Ok(Accepted {
            args: plan.args,
            open_steps: plan.open_steps,
            needs_approval: self.runs[0].irreversible && !confirmed,
            slots: changes,
            confirmed,
        })
    }

    pub(super) fn values(reading: &parse::Reading, tokens: &[Token], goal: &str) -> Vec<Value> {
        reading
            .iter()
            .map(|(start, end)| Value::of(&tokens[*start..*end], goal))
            .collect()
    }

    pub(super) fn changed(&self, new: &[Value]) -> Vec<bool> {
        self.holes
            .iter()
            .zip(new)
            .map(|(hole, new)| hole.value.fold != new.fold)
            .collect()
    }

    /// Checks that each value of `params` belongs to a slot, and that the goal has no different value in this slot.
    fn bind(&self, new: &[Value], params: &BTreeMap<String, String>) -> Result<(), Stop> {
        for (name, given) in params {
            let mut values = self
                .holes
                .iter()
                .zip(new)
                .filter(|(hole, _)| hole.id == *name)
                .peekable();
            let is_slot = values.peek().is_some();
            let agrees =
                values.all(|(_, value)| super::fold::fold(&value.text) == super::fold::fold(given));
            if !is_slot || !agrees {
                return Err(Reason::Parameter.into());
            }
        }
        Ok(())
    }

    /// Confirms the template by `run`, which carried out the same steps successfully with other values. Returns the new
    /// template.
    ///
    /// A slot is confirmed if its value differs between the runs and the texts of the steps differ as the slot
    /// predicts. A slot whose words may be the verb of the goal is not confirmed. A second run can also confirm a slot
    /// that a single run does not show, for example the name of a button.
    ///
    /// Returns `None` if the run belongs to another task, if its goal can be read in several ways, or if a text differs
    /// and nothing explains the difference. Also returns `None` if no value differs between the runs, or if no step
    /// uses a value that differs.
    pub fn confirm(&self, run: &Recorded) -> Option<Self> {
        let mut runs = self.runs.clone();
        runs.push(run.clone());
        confirm::confirm(&runs)
    }

    /// Returns the frame: the recorded goal with slot names in braces in place of its values. The frame is empty if the
    /// recorded goal could not be read, for example because it is too long.
    pub fn frame(&self) -> String {
        let mut frame = String::new();
        let mut at = 0;
        for hole in &self.holes {
            let (start, end) = (self.tokens[hole.start].start, self.tokens[hole.end - 1].end);
            frame.push_str(&self.goal[at..start]);
            frame.extend(["{", hole.id.as_str(), "}"]);
            at = end;
        }
        frame.push_str(&self.goal[at..]);
        frame
    }

    /// Returns the slots, in the order of the goal.
    pub fn slots(&self) -> Vec<Slot> {
        slots(self)
    }

    /// Returns each text of the steps with its origin.
    pub fn texts(&self) -> Vec<Traced> {
        texts(self)
    }

    /// Returns the runs that the template is built from, in order.
    pub fn runs(&self) -> &[Recorded] {
        &self.runs
    }

    pub(super) fn with_runs(mut self, runs: &[Recorded]) -> Self {
        self.runs = runs.to_vec();
        self.runs[0].irreversible |= runs.iter().any(|run| run.irreversible);
        self
    }
}

/// Returns the question whether the new value is meant as a whole. The question is asked if the new value is the
/// recorded one with words added, left out or reordered, such as "red shoes" in place of "shoes".
fn extended(hole: &Hole, new: &Value) -> Stop {
    Stop::Ask(Question {
        reason: Reason::Extension,
        step: None,
        label: Some(hole.id.clone()),
        choices: vec![new.text.clone()],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goal::sample::{accepted, click, fill, goto, none, picked, refused, select, task};

    fn flight() -> Recorded {
        task(
            "Find a flight from Berlin to Paris",
            vec![
                goto("https://fly.example/"),
                fill("From", "Berlin"),
                fill("To", "Paris"),
                click("button", "Search"),
            ],
        )
    }

    #[test]
    fn other_values_are_rendered_into_the_steps() {
        let template = Template::compile(&flight());
        assert_eq!(template.frame(), "Find a flight from {from} to {to}");
        let args = accepted(&template, "find a flight from Paris to Berlin");
        assert_eq!(args, ["1.text Paris", "2.text Berlin"]);
        assert_eq!(
            accepted(&template, "Find a flight from Berlin to Paris"),
            [""; 0]
        );
        assert_eq!(
            refused(&template, "Find a train from Berlin to Paris"),
            Reason::Frame
        );
        assert_eq!(
            refused(&template, "Find a flight from Rome to Madrid to Paris"),
            Reason::TwoReadings
        );
        assert_eq!(refused(&template, ""), Reason::Empty);
    }

    #[test]
    fn goals_are_capped_and_hidden_characters_refused() {
        let template = Template::compile(&flight());
        let long = "word ".repeat(MAX_GOAL);
        assert_eq!(refused(&template, &long), Reason::TooLong);
        assert_eq!(
            refused(&template, "Find a flight from Berlin\u{202E} to Paris"),
            Reason::ControlCharacters
        );
        let hidden = Template::compile(&task("Find\u{200B} it", vec![]));
        assert_eq!(refused(&hidden, "Find it"), Reason::ControlCharacters);
        assert_eq!(
            refused(&Template::compile(&task("", vec![])), "Find it"),
            Reason::Empty
        );
    }

    #[test]
    fn given_values_need_no_guards_but_must_agree_with_the_goal() {
        let mut run = task(
            "Search for {query} and sort by price",
            vec![fill("Search", "padel rackets"), click("button", "Sort")],
        );
        run.params = BTreeMap::from([("query".to_owned(), "padel rackets".to_owned())]);
        let template = Template::compile(&run);
        assert_eq!(template.frame(), "Search for {query} and sort by price");
        let give = |value: &str| BTreeMap::from([("query".to_owned(), value.to_owned())]);
        let verdict = template.matches(
            "Search for {query} and sort by price",
            &give("all of the best"),
        );
        let accepted = verdict.accepted().expect("given values are taken");
        assert_eq!(accepted.args[0].new, "all of the best");
        assert!(accepted.confirmed && accepted.slots[0].state == State::Declared);
        let contradiction = template.matches("Search for gloves and sort by price", &give("shoes"));
        assert_eq!(contradiction.reason(), Some(Reason::Parameter));
        let unknown = BTreeMap::from([("city".to_owned(), "Rome".to_owned())]);
        let verdict = template.matches("Search for gloves and sort by price", &unknown);
        assert_eq!(verdict.reason(), Some(Reason::Parameter));
        assert_eq!(
            refused(&template, "Search for all of the best and sort by price"),
            Reason::ClosedClass
        );
    }

    #[test]
    fn what_cannot_be_undone_needs_approval_until_a_second_run() {
        let steps = |name: &str| {
            vec![
                picked("link", name),
                click("button", "Delete"),
                fill("Confirm", name),
            ]
        };
        let mut first = task("Delete project Alpha", steps("Alpha"));
        first.irreversible = true;
        let template = Template::compile(&first);
        let verdict = template.matches("Delete project Beta", &none());
        assert!(
            verdict
                .accepted()
                .is_some_and(|accepted| accepted.needs_approval && !accepted.confirmed)
        );
        let same = template.matches("Delete project Alpha", &none());
        assert!(
            same.accepted()
                .is_some_and(|accepted| !accepted.needs_approval)
        );
        let template = template
            .confirm(&task("Delete project Gamma", steps("Gamma")))
            .expect("the second run fits");
        let verdict = template.matches("Delete project Beta", &none());
        assert!(
            verdict
                .accepted()
                .is_some_and(|accepted| accepted.confirmed && !accepted.needs_approval)
        );
    }

    #[test]
    fn a_template_is_read_back_from_its_runs() {
        let template = Template::compile(&flight());
        let text = serde_json::to_string(&template).unwrap();
        assert!(
            text.contains("\"matcher_version\":1") && text.contains("{from}"),
            "{text}"
        );
        let read: Template = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        let old = r#"{"matcher_version":0,"runs":[{"goal":"Open it","steps":[]}]}"#;
        let read: Template = serde_json::from_str(old).unwrap();
        assert_eq!(read.frame(), "Open it");
        assert!(serde_json::from_str::<Template>(r#"{"matcher_version":1,"runs":[]}"#).is_err());
    }

    #[test]
    fn a_goal_that_is_nothing_but_a_value_accepts_no_other() {
        for goal in [
            "padel rackets",
            "for padel rackets",
            "padel rackets, please",
        ] {
            let template = Template::compile(&task(goal, vec![fill("Search", "padel rackets")]));
            assert_eq!(
                refused(
                    &template,
                    &goal.replace("padel rackets", "delete everything")
                ),
                Reason::NoFrame
            );
            assert_eq!(accepted(&template, goal), [""; 0]);
        }
        let question = Template::compile(&task("「犬」を？", vec![fill("検索", "犬")]));
        assert_eq!(refused(&question, "「猫」を？"), Reason::NoFrame);
    }

    #[test]
    fn a_month_inside_a_german_word_keeps_the_rest() {
        let template = Template::compile(&task(
            "Lade den Märzbericht 2025",
            vec![select("Monat", "März")],
        ));
        assert_eq!(
            accepted(&template, "Lade den Aprilbericht 2025"),
            ["0.option April"]
        );
        assert_eq!(refused(&template, "Lade den Märzumsatz 2025"), Reason::Type);
        assert_eq!(
            refused(&template, "Lade den Märzbericht 2024"),
            Reason::Frame
        );
    }
}
