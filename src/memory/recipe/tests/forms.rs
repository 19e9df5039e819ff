//! Recorded forms, followed with other values on pages that have changed.

use super::*;

/// A form as a page shows it.
#[derive(Debug, Clone)]
struct Form {
    heading: String,
    group: String,
    fields: Vec<Field>,
    button: String,
}

#[derive(Debug, Clone)]
struct Field {
    /// What the field is for. No page shows it.
    key: usize,
    name: String,
    testid: Option<String>,
}

const NAMES: [[&str; 2]; 12] = [
    ["Subject", "Betreff"],
    ["Owner", "Besitzer"],
    ["Due date", "Frist"],
    ["Amount", "Betrag"],
    ["City", "Ort"],
    ["Comment", "Bemerkung"],
    ["Phone", "Telefon"],
    ["Reference", "Zeichen"],
    ["First name", "Vorname"],
    ["Last name", "Nachname"],
    ["Company", "Firma"],
    ["Street", "Straße"],
];

/// Returns one of 30 forms: with 2 to 5 fields, of which every second form has ids and every third a group.
fn form(nth: usize) -> Form {
    let count = 2 + nth % 4;
    let fields = (0..count).map(|at| {
        let key = (nth * 5 + at) % NAMES.len();
        Field {
            key,
            name: NAMES[key][0].to_owned(),
            testid: nth
                .is_multiple_of(2)
                .then(|| format!("field_{}", char::from(b'a' + u8::try_from(key).unwrap()))),
        }
    });
    Form {
        heading: format!("New {}", ["ticket", "order", "contact"][nth % 3]),
        group: if nth.is_multiple_of(3) {
            "Details".to_owned()
        } else {
            String::new()
        },
        fields: fields.collect(),
        button: "Save".to_owned(),
    }
}

const CHANGES: [&str; 12] = [
    "renamed",
    "moved",
    "wrapped",
    "reordered",
    "new field",
    "removed step",
    "other language",
    "other ids",
    "slower",
    "overlay",
    "other account",
    "another record",
];

fn changed(mut form: Form, change: &str) -> Form {
    match change {
        "renamed" => {
            for field in &mut form.fields {
                field.name = format!("Your {}", field.name.to_lowercase());
            }
        }
        "moved" => form.fields.reverse(),
        "wrapped" => form.group = "Step one".to_owned(),
        "reordered" => form.fields.rotate_left(1),
        "new field" => {
            let first = form.fields[0].clone();
            let second = Field {
                key: 99,
                name: format!("Second {}", first.name),
                testid: None,
            };
            let twin = Field { key: 98, ..first };
            form.fields.insert(0, second);
            form.fields.push(Field {
                testid: None,
                ..twin
            });
        }
        "removed step" => drop(form.fields.remove(0)),
        "other language" => {
            for field in &mut form.fields {
                NAMES[field.key][1].clone_into(&mut field.name);
            }
            (form.heading, form.button) = ("Neu".to_owned(), "Speichern".to_owned());
        }
        "other ids" => {
            for field in &mut form.fields {
                field.testid = Some(format!("x{}", field.key));
            }
        }
        "other account" => form.heading = format!("{} for Bob", form.heading),
        "another record" => form.heading = "Edit Old lamp".to_owned(),
        _ => {}
    }
    form
}

/// A page with a form, as a browser would keep it.
struct Page {
    form: Form,
    values: BTreeMap<usize, String>,
    /// Number of looks at which the form is not there yet.
    empty: u32,
    covered: bool,
    sent: usize,
}

impl Page {
    fn seen(&mut self) -> Observation {
        let mut text = format!("heading \"{}\" [level=1]\n", self.form.heading);
        if self.sent > 0 {
            return seen(SAVED, "heading \"Saved\" [level=1]");
        }
        if self.empty > 0 {
            self.empty -= 1;
            return seen(DESK, &text);
        }
        text.extend(["form \"", &*self.form.group, "\"\n"]);
        for (field, n) in self.form.fields.iter().zip(1..) {
            let testid = field.testid.as_ref().map(|id| format!(" [testid={id}]"));
            let value = self
                .values
                .get(&field.key)
                .map(|value| format!(" = {value}"));
            let line = format!(
                "  textbox \"{}\" e{n}{}{}\n",
                field.name,
                testid.unwrap_or_default(),
                value.unwrap_or_default()
            );
            text.push_str(&line);
        }
        text.extend(["  button \"", &*self.form.button, "\" e90\n"]);
        seen(DESK, &text)
    }

    fn carry_out(&mut self, action: &BrowserAction, before: &Observation) -> Step {
        let action_of_run = Action::Browser(action.clone());
        if self.covered {
            let mut step = taken(action_of_run, before, DESK);
            step.outcome = Outcome::Failed(Failure::new(ErrorClass::Intercepted, ""));
            return step;
        }
        let reference = action_of_run.references()[0].as_str().to_owned();
        let mut to = DESK;
        match action {
            BrowserAction::Fill(fill) => {
                let n: usize = reference[1..].parse().unwrap();
                self.values
                    .insert(self.form.fields[n - 1].key, fill.text.to_string());
            }
            BrowserAction::Click(_) => {
                assert_eq!(reference, "e90");
                self.sent += 1;
                to = SAVED;
            }
            other => panic!("{other:?}"),
        }
        taken(action_of_run, before, to)
    }
}

fn recorded(nth: usize) -> Recipe {
    let mut page = Page {
        form: form(nth),
        values: BTreeMap::new(),
        empty: 0,
        covered: false,
        sent: 0,
    };
    let mut steps = Vec::new();
    for (field, n) in form(nth).fields.iter().zip(1..) {
        let before = page.seen();
        let text = format!("old value {}", field.key);
        let taken = step(
            "fill",
            json!({ "target": format!("e{n}"), "text": text }),
            &before,
            DESK,
        );
        page.values.insert(field.key, text);
        steps.push(taken);
    }
    let mut send = step("click", json!({ "target": "e90" }), &page.seen(), SAVED);
    send.effect = Effect::Irreversible;
    steps.push(send);
    only(&learned(&[], &log("run_1", 0, "Fill in the form", steps)))
}

/// Follows a recipe on a page as a model would: once to the end, and then from the step that cannot be undone.
fn follow(recipe: &Recipe, values: &[(String, String)], page: &mut Page) -> Vec<String> {
    let values: Vec<(&str, &str)> = values
        .iter()
        .map(|(name, value)| (&**name, &**value))
        .collect();
    let mut said = Vec::new();
    let last = u32::try_from(recipe.steps.len()).unwrap();
    for first in [1, last] {
        let mut run = following(recipe, &values, first, None).unwrap();
        loop {
            let before = page.seen();
            let (action, number) = match next_once(&mut run, &before) {
                Next::Act { action, number } => (action, number),
                Next::Wait => continue,
                Next::End => break,
            };
            let effect = if matches!(action, BrowserAction::Click(_)) {
                Effect::Irreversible
            } else {
                Effect::Reversible
            };
            if !run.permit(effect, first == last) {
                continue;
            }
            assert_eq!(number, run.number());
            let step = page.carry_out(&action, &before);
            run.acted(&step, &Parameters::new());
        }
        said.push(run.summary());
        let went_to_the_end = said[0].contains("cannot be undone");
        if !went_to_the_end {
            break;
        }
    }
    said
}

#[test]
fn no_value_reaches_another_field_and_nothing_is_sent_twice() {
    let mut figures: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let (mut wrong, mut twice, mut in_vain) = (0, 0, 0);
    for nth in 0..30 {
        let recipe = recorded(nth);
        let names: Vec<String> = recipe.slots().map(|(_, slot)| slot.name.clone()).collect();
        let own = form(nth);
        let values: Vec<(String, String)> = names
            .iter()
            .zip(&own.fields)
            .map(|(name, field)| (name.clone(), format!("new {}", field.key)))
            .collect();
        for change in CHANGES.into_iter().chain(["none"]) {
            let mut page = Page {
                form: changed(own.clone(), change),
                values: BTreeMap::new(),
                empty: if change == "slower" { 3 } else { 0 },
                covered: change == "overlay",
                sent: 0,
            };
            let said = follow(&recipe, &values, &mut page);
            wrong += page
                .values
                .iter()
                .filter(|(key, value)| **value != format!("new {key}"))
                .count();
            twice += page.sent.saturating_sub(1);
            let is_whole = own
                .fields
                .iter()
                .all(|field| page.values.contains_key(&field.key));
            if page.sent > 0 && !is_whole {
                in_vain += 1;
            }
            let ended = usize::from(page.sent == 0);
            figures.entry(change).or_default()[ended] += 1;
            if change == "none" || change == "slower" {
                assert_eq!(page.sent, 1, "{nth} {change} {said:?}");
            }
        }
    }
    println!("followed to the end, stopped: {figures:?}");
    assert_eq!((wrong, twice, in_vain), (0, 0, 0));
    for change in [
        "overlay",
        "other account",
        "another record",
        "other language",
        "removed step",
    ] {
        assert_eq!(figures[change][0], 0, "{change}");
    }
}

fn next_once(following: &mut Following, page: &Observation) -> Next {
    let head = PageHead::new(page.url.clone(), page.title.clone());
    let view = interpret(&head, &page.tree, &ViewOptions::default());
    let identities: OnceLock<Identities> = OnceLock::new();
    let place = Place::of(page.url.as_str());
    following.next(&Here {
        page: Searched {
            tree: &page.tree,
            view: &view,
            identities: &identities,
        },
        seen: page,
        template: place.template(),
        parameters: &Parameters::new(),
        secrets: &[],
    })
}
