//! A policy that plays the model in all stories of elements without names. It knows no page: it tries what lies nearest, obeys
//! the tips of its prompt, and after a failure tries what often helps, one thing after the other.

use serde_json::{Value, json};
use webwise::{
    action::RawCall,
    chat::{ChatRequest, ChatResponse},
    prompt::ShownElement,
    testing::ScriptedModel,
};

use crate::lessons_story::prompted::{Named, Past, Prompted, Tip, Wish, called};

/// How the pages begin to say that they are done.
const RECEIPT: &str = "Receipt: ";

/// A model that follows the policy.
pub(crate) fn model() -> ScriptedModel {
    ScriptedModel::deciding(|request: &ChatRequest| {
        let call = decide(&Prompted::read(request)).unwrap_or_else(|| {
            RawCall::new(
                "finish",
                json!({ "answer": "no way is left", "success": false }),
            )
        });
        Ok(ChatResponse::with_calls([call]))
    })
}

/// A call that is not made yet.
#[derive(Debug, Clone)]
struct Act {
    tool: &'static str,
    /// What the history will call its target.
    name: String,
    arguments: Value,
}

impl Act {
    fn on(tool: &'static str, element: &ShownElement) -> Self {
        Self {
            tool,
            name: called(element).to_owned(),
            arguments: json!({ "target": element.reference }),
        }
    }

    fn with(mut self, argument: &str, value: Value) -> Self {
        self.arguments[argument] = value;
        self
    }

    /// An act without an element; its name is what the history says in the place of one.
    fn bare(tool: &'static str, argument: &str, value: &str) -> Self {
        Self {
            tool,
            name: value.to_owned(),
            arguments: json!({ argument: value }),
        }
    }

    /// Whether a line of the history is this act.
    fn is(&self, past: &Past) -> bool {
        let typed = ["text", "values"].map(|name| &self.arguments[name]);
        let typed = typed.into_iter().find(|value| !value.is_null());
        past.tool == self.tool
            && past.name == self.name
            && typed.is_none_or(|value| past.rest.ends_with(&value.to_string()))
    }

    fn call(self) -> RawCall {
        RawCall::new(self.tool, self.arguments)
    }
}

fn decide(now: &Prompted) -> Option<RawCall> {
    let receipt = now.lines.iter().find_map(|line| {
        let at = line.text.find(RECEIPT)?;
        Some(line.text[at..].to_owned())
    });
    if let Some(receipt) = receipt {
        let finish = json!({ "answer": receipt, "evidence": receipt, "success": true });
        return Some(RawCall::new("finish", finish));
    }
    let wish = now.wishes.iter().find(|wish| !is_met(now, wish))?;
    let act = nearest(now, wish)?;
    let is_new = |act: &Act| !now.past.iter().any(|past| act.is(past));
    let tips = now.tips.iter().filter(|tip| is_for(now, tip, &act));
    let told = tips.flat_map(|tip| follow(now, tip, wish, &act));
    if let Some(next) = told.into_iter().find(is_new) {
        return Some(next.call());
    }
    let fails = |past: &&Past| act.is(past) && past.outcome != "done";
    let (Some(failure), Some(last)) = (now.past.iter().rev().find(fails), now.past.last()) else {
        return Some(act.call());
    };
    // Something was done about it: a click may work now.
    if act.tool == "click" && last.outcome == "done" {
        return Some(act.call());
    }
    let mut habits = habits(now, wish, &act, &failure.outcome).into_iter();
    habits
        .find(|habit| is_new(habit) || is_twin(now, habit, &act))
        .map(Act::call)
}

/// Whether an act is aimed at another element of the same name, which was not tried as often as there are such elements.
fn is_twin(now: &Prompted, habit: &Act, act: &Act) -> bool {
    let is_its = |element: &&ShownElement| called(element) == habit.name;
    habit.name == act.name
        && habit.arguments != act.arguments
        && now.past.iter().filter(|past| habit.is(past)).count()
            < now.elements().filter(is_its).count()
}

/// The act that lies nearest: the first element that may be meant, or the words of the goal if none is there.
fn nearest(now: &Prompted, wish: &Wish) -> Option<Act> {
    match wish {
        Wish::Press { what, .. } => {
            let first = pressable(now, wish).into_iter().next();
            let by_words =
                || Act::bare("click", "target", &format!("text={}", Value::from(&**what)));
            Some(first.map_or_else(by_words, |element| Act::on("click", element)))
        }
        Wish::Set { what, value } => {
            Some(Act::on("fill", field(now, what)?).with("text", json!(value)))
        }
        Wish::Choose { value } => {
            let list = now.elements().find(|element| element.role == "combobox")?;
            Some(Act::on("select", list).with("values", json!([value])))
        }
    }
}

/// The elements that a press may mean: those of this name, else every button of the row.
fn pressable<'p>(now: &'p Prompted, wish: &Wish) -> Vec<&'p ShownElement> {
    let Wish::Press { what, row } = wish else {
        return Vec::new();
    };
    let is_here = |text: &str| row.as_ref().is_none_or(|row| text.contains(&**row));
    let rows = now.lines.iter().filter(|line| is_here(&line.text));
    let all: Vec<&ShownElement> = rows.flat_map(|line| &line.elements).collect();
    let is_it = |element: &&&ShownElement| called(element).eq_ignore_ascii_case(what);
    let named: Vec<_> = all.iter().filter(is_it).copied().collect();
    if named.is_empty() && row.is_some() {
        all.into_iter()
            .filter(|element| element.role == "button")
            .collect()
    } else {
        named
    }
}

/// The field of this label, else the first empty one.
fn field<'p>(now: &'p Prompted, what: &str) -> Option<&'p ShownElement> {
    let fields = || now.elements().filter(|element| is_field(element));
    let is_it =
        |element: &&ShownElement| !what.is_empty() && element.label.to_lowercase().contains(what);
    let is_empty = |element: &&ShownElement| element.value.is_empty();
    fields().find(is_it).or_else(|| fields().find(is_empty))
}

fn is_field(element: &ShownElement) -> bool {
    ["textbox", "combobox", "spinbutton", "searchbox"].contains(&&*element.role)
}

fn is_met(now: &Prompted, wish: &Wish) -> bool {
    let holds = |is_it: &dyn Fn(&str) -> bool| {
        now.elements()
            .any(|element| is_field(element) && is_it(&element.value))
    };
    match wish {
        Wish::Press { .. } => false,
        Wish::Set { value, .. } => {
            holds(&|shown| shown == value || forms(value).iter().any(|form| form == shown))
        }
        Wish::Choose { value } => {
            holds(&|shown| shown.starts_with(value.as_str()) && shown != value)
        }
    }
}

/// Other ways to write a value: the time with 24 hours, or its digits alone.
fn forms(value: &str) -> Vec<String> {
    let time = value.strip_suffix(" pm").and_then(|time| {
        let (hours, minutes) = time.split_once(':')?;
        Some(format!("{}:{minutes}", hours.parse::<u32>().ok()? + 12))
    });
    let digits: String = value.chars().filter(char::is_ascii_digit).collect();
    let all = time.into_iter().chain([digits]);
    all.filter(|form| !form.is_empty() && form != value)
        .collect()
}

/// The choice of a value that is on the page: of the same name, beginning with it, or the day of its date.
fn choice<'p>(now: &'p Prompted, value: &str) -> Option<&'p ShownElement> {
    let day = value
        .rsplit('-')
        .next()
        .unwrap_or_default()
        .trim_start_matches('0');
    let mut others = now
        .elements()
        .filter(|element| !is_field(element) && !element.label.is_empty());
    others.find(|element| element.label == day || element.label.starts_with(value))
}

fn value(wish: &Wish) -> &str {
    match wish {
        Wish::Set { value, .. } | Wish::Choose { value } => value,
        Wish::Press { .. } => "",
    }
}

/// Whether a tip is about this act.
fn is_for(now: &Prompted, tip: &Tip, act: &Act) -> bool {
    let Some(target) = &tip.target else {
        return false;
    };
    let is_aimed = |element: &ShownElement| act.arguments["target"] == *element.reference;
    let by_words = act.arguments["target"] == format!("text={}", Value::from(&*target.name));
    tip.command == act.tool && (by_words || now.all(target).any(is_aimed))
}

/// The acts that a tip asks for.
fn follow(now: &Prompted, tip: &Tip, wish: &Wish, act: &Act) -> Vec<Act> {
    let value = value(wish);
    let aimed = |named: &Named, tool: &'static str| {
        let mut meant: Vec<&ShownElement> = now.all(named).collect();
        // Of several rows, that of the goal.
        meant.sort_by_key(|element| !pressable(now, wish).contains(element));
        meant.first().map(|element| Act::on(tool, element))
    };
    let remedy = tip.remedy.as_str();
    if remedy.ends_with("the choice.") {
        if let Some(choice) = choice(now, value) {
            return vec![Act::on("click", choice)];
        }
        let itself = || {
            now.elements()
                .find(|element| act.arguments["target"] == *element.reference)
        };
        let opener = match tip.named.first() {
            Some(named) => aimed(named, "click"),
            None => itself().map(|element| Act::on("click", element)),
        };
        let typed = remedy
            .contains("type the text")
            .then(|| Act::bare("type", "text", value));
        return opener.into_iter().chain(typed).collect();
    }
    if remedy.starts_with("write ") {
        let is_time = remedy.contains("time");
        let form = forms(value)
            .into_iter()
            .find(|form| form.contains(':') == is_time);
        return form
            .map(|form| act.clone().with("text", json!(form)))
            .into_iter()
            .collect();
    }
    let mut named = tip.named.iter();
    let moves = remedy.split(", then ").filter_map(|part| {
        if let Some(key) = part.strip_prefix("press ") {
            let key = key.split(' ').next().unwrap_or_default();
            return Some(Act::bare("press", "key", key));
        }
        let named = named.next()?;
        match part.split(' ').next()? {
            "tick" => aimed(named, "check"),
            "fill" => Some(aimed(named, "fill")?.with("text", json!(now.known.first()?))),
            _ => aimed(named, "click"),
        }
    });
    moves.collect()
}

/// What often helps when an act fails like this, the likeliest first.
fn habits(now: &Prompted, wish: &Wish, act: &Act, outcome: &str) -> Vec<Act> {
    let click = |element: &ShownElement| Act::on("click", element);
    let buttons = || now.elements().filter(|element| element.role == "button");
    let aimed = now
        .elements()
        .find(|element| act.arguments["target"] == *element.reference);
    let value = value(wish);
    match (act.tool, outcome) {
        ("click", "no_effect") => {
            let empty = now
                .elements()
                .filter(|element| is_field(element) && element.value.is_empty());
            let asked = empty
                .zip(&now.known)
                .map(|(element, known)| Act::on("fill", element).with("text", json!(known)));
            asked
                .chain(pressable(now, wish).into_iter().skip(1).map(click))
                .collect()
        }
        ("click", "disabled") => {
            let boxes = now
                .elements()
                .filter(|element| element.role == "checkbox" && !element.is("checked"));
            boxes.map(|element| Act::on("check", element)).collect()
        }
        // What covers it stands before or behind it; what hides it opens by a button.
        ("click", _) => buttons()
            .filter(|element| Some(*element) != aimed)
            .map(click)
            .collect(),
        ("fill", "not_editable" | "no_effect")
            if aimed.is_some_and(|field| field.is("readonly")) =>
        {
            let line = aimed.map_or(0, |field| now.line_of(field));
            let near = buttons().filter(|button| now.line_of(button) >= line);
            choice(now, value)
                .into_iter()
                .chain(near)
                .map(click)
                .collect()
        }
        ("fill", _) => forms(value)
            .into_iter()
            .map(|form| act.clone().with("text", json!(form)))
            .collect(),
        ("select", _) => {
            let field = aimed.into_iter().map(click);
            choice(now, value)
                .into_iter()
                .map(click)
                .chain(field)
                .chain([Act::bare("type", "text", value)])
                .collect()
        }
        _ => Vec::new(),
    }
}
