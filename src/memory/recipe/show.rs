//! The lines by which a prompt shows a recipe. They stand in the run's fence, because a page wrote the names in them.

use std::fmt;

use super::{Given, Recipe, RecipeStep, Slot, slots::masked};
use crate::{
    action::{BrowserAction, Effect},
    base::text::{self, counted},
    memory::{PageName, Piece},
    page::Recorded,
    working::words::{Audience, StepWords},
};

/// Maximum number of steps of a recipe that is shown whole.
pub const MAX_SHOWN: usize = 40;
/// Maximum size of the recipes that are shown whole, all together. Unit: characters.
pub(crate) const MAX_SIZE: usize = 6_000;
/// Maximum length of a line with a recipe's goal in a prompt. Unit: characters.
const MAX_GOAL: usize = 200;
/// Maximum length of an address in a prompt. Unit: characters.
const MAX_PATH: usize = 40;

impl Recipe {
    /// Returns the recipe's name, its goal, and how often it led there. The goal is split into parts, one for each line.
    fn head(&self, name: &str) -> Vec<String> {
        let slots = self.slots().map(|(_, slot)| slot);
        let goal = text::clean(&masked(&self.header.goal, slots));
        let mut parts = vec![String::new()];
        for word in goal.split_whitespace() {
            let is_full = parts.last().is_some_and(|part| {
                quoted(&format!("{part} {word}"), usize::MAX)
                    .chars()
                    .count()
                    > MAX_GOAL
            });
            match parts.last_mut() {
                Some(part) if !is_full || part.is_empty() => {
                    part.extend((!part.is_empty()).then_some(' '));
                    part.push_str(word);
                }
                _ => parts.push(word.to_owned()),
            }
        }
        let (reached, tried) = self.header.reached();
        let reached = match tried {
            0 => "not tried yet".to_owned(),
            tried => format!("{reached} of {} reached their goal", counted(tried, "run")),
        };
        let steps = counted(self.steps.len(), "step");
        let mut lines: Vec<String> = parts.iter().map(|part| quoted(part, MAX_GOAL)).collect();
        lines[0].insert_str(0, &format!("{name} "));
        let last = lines.len() - 1;
        lines[last].extend([" ", &steps, ", ", &reached]);
        lines
    }

    /// Returns the lines of the recipe with all steps.
    pub(crate) fn lines(&self, name: &str) -> Vec<Vec<Piece>> {
        let head = self.head(name).into_iter();
        let mut lines: Vec<Vec<Piece>> = head.map(|line| vec![Piece::Words(line)]).collect();
        for (step, n) in self.steps.iter().zip(1..) {
            let mut line = vec![Piece::Words(format!("{n}. "))];
            line.extend(step.pieces());
            lines.push(line);
        }
        let mut names: Vec<&str> = Vec::new();
        for (_, slot) in self
            .slots()
            .filter(|(at, _)| self.steps[*at].left.is_none())
        {
            if !names.contains(&&*slot.name) {
                names.push(&slot.name);
            }
        }
        let sets = match &names[..] {
            [] => "sets nothing".to_owned(),
            names => format!("sets only: {}", names.join(", ")),
        };
        let is_unknown =
            |slot: &Slot| slot.at.is_none() && slot.parameter.is_none() && slot.default.is_none();
        let mut unknown: Vec<&str> = Vec::new();
        for step in self.steps.iter().filter(|step| step.left.is_none()) {
            let slots = step
                .slots()
                .filter(|slot| step.asked.as_ref() != Some(*slot));
            unknown.extend(
                slots
                    .filter(|slot| is_unknown(slot))
                    .map(|slot| &*slot.name),
            );
        }
        let sets = match &unknown[..] {
            [] => sets,
            names => format!(
                "{sets}; found out on the way, not in the goal: {}",
                names.join(", ")
            ),
        };
        let leaves = if self.header.leaves {
            "; its run went on at another site"
        } else {
            ""
        };
        let values = if names.is_empty() {
            ""
        } else {
            ",\"values\":{NAME: VALUE, ...}"
        };
        lines.push(vec![Piece::Words(format!("{sets}{leaves}"))]);
        lines.push(vec![Piece::Words(format!(
            "if this is your task: follow {{\"recipe\":\"{name}\"{values}}}"
        ))]);
        lines
    }

    /// Returns the recipe as a prompt shows it: its goal and its steps, with a name such as `<title>` for each value. The names of
    /// page elements in it are texts of a page: show them to a model as data.
    pub fn to_text(&self, name: &str) -> String {
        let lines = self.lines(name).into_iter();
        let lines = lines.map(|line| line.iter().map(Piece::to_string).collect::<String>());
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Returns the one line of a recipe whose steps are not shown.
    pub(crate) fn line(&self, name: &str) -> Vec<Vec<Piece>> {
        let mut head = self.head(name);
        let rest = head.split_off(1);
        let head = head.concat() + if rest.is_empty() { "" } else { " ..." };
        vec![vec![Piece::Words(format!(
            "{head} (follow {name} shows the steps)"
        ))]]
    }

    /// Returns true if the recipe may be shown with all steps.
    pub(crate) fn is_short(&self) -> bool {
        self.steps.len() <= MAX_SHOWN
    }
}

impl RecipeStep {
    /// Returns the step in words, such as `fill textbox "Title" <title>`.
    pub(super) fn pieces(&self) -> Vec<Piece> {
        let mut target: Vec<Piece> = Vec::new();
        for (nth, of) in self.targets.iter().enumerate() {
            if nth > 0 {
                target.push(" onto ".into());
            }
            match &self.named {
                Some(slot) if nth == 0 && self.left.is_none() => {
                    target.push(format!("{} {}", role(of), slot.sign()).into());
                }
                Some(_) if nth == 0 => target.push(role(of).to_owned().into()),
                _ => target.push(name(of).into()),
            }
        }
        if let (Some(slot), None) = (&self.item, self.left) {
            target.push(format!(" in row {}", slot.sign()).into());
        }
        let values = self.text.iter().map(|text| match text {
            Given::Slot(slot) => slot.sign(),
            Given::Secret(name) => name.placeholder(),
        });
        let mut values: Vec<Piece> = values.map(Piece::from).collect();
        values.extend(self.argument().map(Piece::from));
        values.extend(
            self.asked
                .iter()
                .map(|slot| format!("<{}: yes or no>", slot.name).into()),
        );
        let submits = match &self.form {
            Some(BrowserAction::Fill(fill)) => fill.submit,
            Some(BrowserAction::Type(typed)) => typed.submit,
            _ => false,
        };
        let words = StepWords {
            tool: self.tool.as_str(),
            target,
            values,
            flags: submits.then(|| "submit".to_owned()).into_iter().collect(),
        };
        let mut pieces = words.pieces(Audience::Model);
        if let Some(page) = &self.leads_to {
            let path = text::truncate(page.path(), MAX_PATH);
            pieces.push(format!(" -> {path}").into());
        }
        if self.effect == Effect::Irreversible {
            pieces.push(" (cannot be undone)".into());
        }
        if let Some(left) = self.left {
            pieces.push(format!(" ({})", left.why()).into());
        }
        pieces
    }

    /// Returns the argument that is neither a target nor a text, such as a key.
    fn argument(&self) -> Option<String> {
        Some(match self.form.as_ref()? {
            BrowserAction::Press(press) => match press.times() {
                1 => quoted(press.key.as_str(), MAX_PATH),
                times => format!("{} {times} times", quoted(press.key.as_str(), MAX_PATH)),
            },
            BrowserAction::Goto(goto) => {
                let mut url = goto.url.clone();
                for one in &self.query {
                    let join = if url.contains('?') { "&" } else { "?" };
                    let sign = one.slot.sign();
                    url.extend([join, &*one.key, "=", &*one.sign, &*sign]);
                }
                serde_json::Value::from(text::truncate(&url, 4 * MAX_PATH)).to_string()
            }
            BrowserAction::DragBy(drag) => format!("by {},{}", drag.x, drag.y),
            BrowserAction::TabSelect(tab) | BrowserAction::TabClose(tab) => tab.index.to_string(),
            _ => return None,
        })
    }
}

/// Returns a text as a JSON string of at most `max` characters, so that a line with it is never cut inside of it.
fn quoted(said: &str, max: usize) -> String {
    let lengths = (0..=max.min(said.chars().count())).rev();
    let json = |length| serde_json::Value::from(text::truncate(said, length)).to_string();
    let mut fitting = lengths.map(json).filter(|json| json.chars().count() <= max);
    fitting.next().unwrap_or_default()
}

impl fmt::Display for RecipeStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces().iter().try_for_each(|piece| piece.fmt(f))
    }
}

fn role(of: &Recorded) -> &str {
    match &of.role {
        crate::page::Role::Other(_) => crate::page::Role::Generic.as_str(),
        role => role.as_str(),
    }
}

/// Returns the name of an element as a prompt shows it.
fn name(of: &Recorded) -> PageName {
    let words = match &of.attribute {
        Some((_, value)) if of.name.is_empty() => value,
        _ => &of.name,
    };
    let name = PageName::new(&of.role, words, None);
    match &of.group {
        Some(group) => name.within(group),
        None => name,
    }
}
