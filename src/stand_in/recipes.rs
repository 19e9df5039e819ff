//! Recipes of memory: reads those that the prompt shows, takes their values from the goal, and follows them.

use serde_json::{Map, Value, json};

use super::{
    lines::past,
    seen::{Past, Seen},
};
use crate::{action::RawCall, prompt::json_string};

/// A recipe that the prompt shows with its steps.
#[derive(Debug, Clone, Default)]
pub(super) struct Recipe {
    name: String,
    /// The recorded goal, with a name such as `<title>` for each value.
    goal: String,
    /// The steps, without their numbers.
    steps: Vec<String>,
}

/// Reads the recipes of a section. Those without steps are left out.
pub(super) fn read<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<Recipe> {
    let mut all: Vec<Recipe> = Vec::new();
    for line in lines {
        if let Some(head) = line.strip_prefix("- ") {
            let (name, rest) = head.split_once(' ').unwrap_or((head, ""));
            all.push(Recipe {
                name: name.to_owned(),
                goal: json_string(rest).map_or_else(String::new, |(goal, _)| goal),
                steps: Vec::new(),
            });
        } else if let (Some(recipe), Some((part, _))) = (all.last_mut(), json_string(line)) {
            recipe.goal.extend([" ", &part]);
        } else if let (Some(recipe), Some((number, step))) =
            (all.last_mut(), line.trim_start().split_once(". "))
            && number
                .parse::<usize>()
                .is_ok_and(|number| number == recipe.steps.len() + 1)
        {
            recipe.steps.push(step.to_owned());
        }
    }
    all.retain(|recipe| !recipe.steps.is_empty());
    all
}

impl Recipe {
    /// Returns the values that this goal has in the places of the recorded ones; `None` if it is another task.
    fn values(&self, goal: &str) -> Option<Map<String, Value>> {
        let mut values = Map::new();
        let (mut rest, mut pending): (&str, Option<&str>) = (goal.trim(), None);
        let mut template = self.goal.as_str();
        loop {
            let sign = template.match_indices('<').find_map(|(start, _)| {
                let end = template[start..].find('>')? + start;
                is_name(&template[start + 1..end]).then_some((start, end))
            });
            let literal = &template[..sign.map_or(template.len(), |(start, _)| start)];
            let at = match (pending, sign) {
                (None, _) => rest.starts_with(literal).then_some(0)?,
                (Some(_), None) => rest
                    .ends_with(literal)
                    .then(|| rest.len() - literal.len())?,
                (Some(_), Some(_)) => rest.find(literal)?,
            };
            if let Some(name) = pending {
                let value = rest[..at].trim();
                if value.is_empty() {
                    return None;
                }
                values.insert(name.to_owned(), json!(value));
            }
            rest = &rest[at + literal.len()..];
            let Some((start, end)) = sign else {
                return rest.is_empty().then_some(values);
            };
            pending = Some(&template[start + 1..end]);
            template = &template[end + 1..];
        }
    }

    /// Returns the number of steps from `first` on that can be followed with these values, counted from 0.
    fn free(&self, first: usize, values: &Map<String, Value>) -> usize {
        let is_free = |step: &&String| {
            let is_left = step.ends_with("yourself)")
                || step.contains(" yourself from what the page shows)")
                || step.ends_with("(only if your goal asks for it)")
                || step.ends_with("do it yourself)");
            !is_left && names(step).iter().all(|name| values.contains_key(*name))
        };
        self.steps.iter().skip(first).take_while(is_free).count()
    }

    /// Returns what the history would say of these steps, counted from 0, with these values.
    fn taken(&self, steps: &[usize], values: &Value) -> Vec<Past> {
        let of = |at: &usize| {
            let mut line = format!("{}. {}", at + 1, self.steps.get(*at)?);
            for end in [" -> ", " (cannot be undone)"] {
                line.truncate(line.find(end).unwrap_or(line.len()));
            }
            if let Some((before, rest)) = line.split_once("<secret:")
                && let Some((name, after)) = rest.split_once('>')
            {
                line = format!("{before}\"<secret:{name}>\"{after}");
            }
            for name in names(self.steps.get(*at)?) {
                let value = values[name].to_string();
                line = line.replace(&format!("<{name}>"), &value);
            }
            past(&line)
        };
        steps.iter().filter_map(of).collect()
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// Returns the names of the values that a step needs, without those that have a default.
fn names(step: &str) -> Vec<&str> {
    let parts = step.split('<').skip(1);
    parts
        .filter_map(|part| part.split_once('>'))
        .map(|(name, _)| name)
        .filter(|name| is_name(name))
        .collect()
}

/// Returns the name of a recipe and the number of its next step, if a line says that the model has to ask for this step, as in
/// `t1: did 1-3; the rest is yours: look at this page, then go on from 4`.
pub(super) fn rest(line: &str) -> Option<(String, usize)> {
    let (name, said) = line.split_once(": ")?;
    let said = said.split(" (an earlier run").next()?;
    let (_, number) = said.rsplit_once(" from ")?;
    Some((name.to_owned(), number.parse().ok()?))
}

/// Returns the call that follows a recipe if one is the task of the goal: from its first step if nothing has been done, or
/// from the step that the model has to ask for.
pub(super) fn call(seen: &Seen) -> Option<RawCall> {
    if !seen.tools.iter().any(|tool| tool == "follow") {
        return None;
    }
    let is_first = seen.history.iter().all(|past| past.tool == "goto");
    seen.recipes.iter().find_map(|recipe| {
        let first = match &seen.rest {
            Some((name, number)) if *name == recipe.name => *number,
            _ if is_first => 1,
            _ => return None,
        };
        let values = recipe.values(&seen.goal)?;
        let count = recipe.free(first - 1, &values);
        (count > 0).then(|| {
            let arguments = json!({
                "recipe": recipe.name, "values": values, "first": first, "last": first + count - 1,
            });
            RawCall::new("follow", arguments)
        })
    })
}

/// Returns the history with the steps of each followed recipe behind the call that followed it.
pub(super) fn expanded(history: Vec<Past>, recipes: &[Recipe]) -> Vec<Past> {
    let mut out = Vec::new();
    for past in history {
        let own = past.argument("recipe").map(str::to_owned);
        let recipe = recipes
            .iter()
            .find(|recipe| own.as_deref() == Some(&*recipe.name));
        let steps =
            recipe.map(|recipe| recipe.taken(&done(&past.outcome), &past.arguments["values"]));
        out.push(past);
        out.extend(steps.into_iter().flatten());
    }
    out
}

/// Reads the steps that a recipe did, as in `"did 1-3, 5; skipped 4 (it has its value), the last step"`.
fn done(outcome: &str) -> Vec<usize> {
    let said = outcome.trim_matches('"');
    let lists = said.split(';').filter_map(|part| {
        let part = part.trim();
        let list = part
            .strip_prefix("did ")
            .or_else(|| part.strip_prefix("skipped "))?;
        Some(list.split('(').next().unwrap_or(list))
    });
    let parts = lists.flat_map(|list| list.split(','));
    let ranges = parts.filter_map(|part| {
        let (from, to) = part
            .trim()
            .split_once('-')
            .unwrap_or((part.trim(), part.trim()));
        let number = |text: &str| text.parse::<usize>().ok().filter(|number| *number > 0);
        Some(number(from)? - 1..number(to)?)
    });
    ranges.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_is_read_and_followed_with_the_values_of_the_goal() {
        let lines = [
            r#"- t1 "File \"<subject>\" for""#,
            r#"  "<owner> with <secret:KEY>, please" 4 steps, 1 of 1 run reached their goal"#,
            r#"  1. fill textbox "Subject" <subject>"#,
            r#"  2. fill spinbutton "Amount" <amount="1">"#,
            r#"  3. click button "Save" -> /ticket/:n"#,
            "  4. click link (choose it yourself from what the page shows)",
            "  sets only: subject, amount",
        ];
        let mut seen = Seen::default();
        "File \"Cold room\" for Bob with <secret:KEY>, please".clone_into(&mut seen.goal);
        seen.tools.push("follow".to_owned());
        seen.recipes = read(lines.into_iter());
        let values = json!({ "subject": "Cold room", "owner": "Bob" });
        let called = call(&seen).unwrap().arguments;
        assert_eq!(
            called,
            json!({ "recipe": "t1", "values": values, "first": 1, "last": 3 })
        );
        seen.history = vec![Past {
            tool: "follow".to_owned(),
            arguments: called,
            outcome: "\"did 1-2; stopped before 3: it had no effect\"".to_owned(),
            ..Past::default()
        }];
        assert!(call(&seen).is_none());
        seen.rest = rest(
            "t1: did 1-2; stopped before 3: it cannot be undone: check this page, then follow t1 from 3",
        );
        assert_eq!(call(&seen).unwrap().arguments["first"], 3);
        seen.rest = rest("t1: did 1-2; stopped before 3: it had no effect");
        assert!(call(&seen).is_none());
        let history = expanded(seen.history.clone(), &seen.recipes);
        assert_eq!(
            (history.len(), history[1].argument("text")),
            (3, Some("Cold room"))
        );
        seen.history.clear();
        for other in [
            "File \"Cold room\" for Bob with <secret:KEY>",
            "Do not file \"x\" for Bob with <secret:KEY>, please",
        ] {
            other.clone_into(&mut seen.goal);
            assert!(call(&seen).is_none(), "{other}");
        }
    }
}
