//! What a policy knows: the goal, the page and what tools gave, read from the text of the prompt and from nothing else.
//!
//! The one place of this target that knows how a prompt is written.

use serde_json::{Deserializer, Value};
use webwise::chat::ChatRequest;

/// What stands in a prompt.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    pub(crate) goal: String,
    pub(crate) elements: Vec<Element>,
    /// The page's words beside the labels, as far as they are shown, one space apart.
    pub(crate) text: String,
    /// What tools gave, with the name of each.
    pub(crate) results: Vec<(String, String)>,
}

/// One element of the page.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Element {
    pub(crate) reference: String,
    pub(crate) role: String,
    pub(crate) label: String,
    pub(crate) value: String,
    pub(crate) options: Vec<String>,
    pub(crate) states: Vec<String>,
}

impl Element {
    pub(crate) fn is(&self, state: &str) -> bool {
        self.states.iter().any(|own| own == state)
    }
}

impl Seen {
    pub(crate) fn read(request: &ChatRequest) -> Self {
        let mut seen = Self::default();
        if let Some((_, goal)) = request.system.split_once("## Goal\n") {
            goal.trim().clone_into(&mut seen.goal);
        }
        for (heading, body) in sections(&request.message) {
            match heading {
                "Page" => seen.read_page(body),
                "Results" => {
                    seen.results = lines(body)
                        .filter_map(|line| {
                            let (name, rest) = string(line)?;
                            Some((name, string(rest.trim_start())?.0))
                        })
                        .collect();
                }
                _ => {}
            }
        }
        seen
    }

    /// What the tool or the reading of this name gave.
    pub(crate) fn result(&self, name: &str) -> Option<&str> {
        self.results
            .iter()
            .find(|(own, _)| own == name)
            .map(|(_, text)| &**text)
    }

    fn read_page(&mut self, body: &str) {
        for line in lines(body) {
            let (key, rest) = line.split_once(' ').unwrap_or((line, ""));
            match key {
                "url" | "title" | "type" | "dialog" | "tab" | "note" | "shown" | "footer" => {}
                "#" => self.read_words(rest),
                "menu" | "alike" => self.elements.extend(run(line)),
                _ if line.starts_with('"') => self.read_words(line),
                _ => self.elements.extend(element(line)),
            }
        }
    }

    fn read_words(&mut self, quoted: &str) {
        let Some((words, _)) = string(quoted) else {
            return;
        };
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(&words);
    }
}

/// `menu link e7 "Jackets" e9 "Trousers" button e16 "Log out"`, or `alike 300 link e1 "One" e2 "Two"`
fn run(line: &str) -> Vec<Element> {
    let mut found = Vec::new();
    let (mut role, mut rest) = ("", line);
    while let Some((word, after)) = rest.split_once(' ') {
        if let Some((label, after)) = string(after) {
            found.push(Element {
                reference: word.to_owned(),
                role: role.to_owned(),
                label,
                ..Element::default()
            });
            rest = after.trim_start();
        } else {
            (role, rest) = (word, after);
        }
    }
    found
}

/// `e12 combobox "Size" value "M" in "Jacket" options "S" "M" [collapsed]`
fn element(line: &str) -> Option<Element> {
    let (reference, rest) = line.split_once(' ')?;
    let (role, rest) = rest.split_once(' ')?;
    let (label, mut rest) = string(rest)?;
    let mut element = Element {
        reference: reference.to_owned(),
        role: role.to_owned(),
        label,
        ..Element::default()
    };
    let mut key = "";
    loop {
        rest = rest.trim_start();
        if let Some((text, after)) = string(rest) {
            match key {
                "value" => element.value = text,
                "options" => element.options.push(text),
                _ => {}
            }
            rest = after;
        } else if let Some((state, after)) =
            rest.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        {
            element.states.push(state.to_owned());
            rest = after;
        } else if let Some((word, after)) = rest.split_once(' ') {
            (key, rest) = (word, after);
        } else {
            return Some(element);
        }
    }
}

/// The JSON string at the start of a text, and what follows it.
fn string(text: &str) -> Option<(String, &str)> {
    if !text.starts_with('"') {
        return None;
    }
    let mut values = Deserializer::from_str(text).into_iter::<Value>();
    match values.next()?.ok()? {
        Value::String(string) => Some((string, &text[values.byte_offset()..])),
        _ => None,
    }
}

/// The parts of a message under their headings.
fn sections(message: &str) -> Vec<(&str, &str)> {
    let parts = message
        .strip_prefix("## ")
        .unwrap_or(message)
        .split("\n## ");
    parts.filter_map(|part| part.split_once('\n')).collect()
}

/// The lines of a part, without blank ones and without the marks of fences.
fn lines(body: &str) -> impl Iterator<Item = &str> {
    let is_mark = |line: &str| line.starts_with("<<<") || line.ends_with(">>>");
    body.lines()
        .map(str::trim_end)
        .filter(move |line| !line.is_empty() && !is_mark(line))
}
