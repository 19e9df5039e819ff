//! Parses the sections of the prompt from its text. The stand-in knows nothing but these sections and the names of the
//! tools.

use serde_json::Value;

use super::{
    finding::label,
    lines::past,
    recipes::{self, Recipe},
};
pub(super) use crate::prompt::ShownElement as Element;
use crate::prompt::ShownPage;

/// The parts of the prompt that the stand-in's decisions may depend on.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    pub goal: String,
    /// Lessons from memory, as the system instruction lists them.
    pub lessons: Vec<String>,
    /// Pairs of a short name in a tip, such as `n1`, and the element that it stands for, such as `button "Go"`.
    names: Vec<(String, String)>,
    /// Tips from memory for this site. References and short names in them are replaced by the elements they stand for.
    pub site_tips: Vec<String>,
    /// Tips from memory for the error that just happened, with the same replacements as in `site_tips`.
    pub error_tips: Vec<String>,
    /// The recipes that the message shows with their steps.
    pub recipes: Vec<Recipe>,
    /// The recipe that was just followed to a step which the model has to ask for, and the number of this step.
    pub rest: Option<(String, usize)>,
    /// The calls that the message lists one by one, oldest first. A long message leaves out early calls.
    pub history: Vec<Past>,
    pub page: Page,
    /// Maximum number of calls that one reply may contain.
    pub max_calls: usize,
    pub tools: Vec<String>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Page {
    pub kind: String,
    pub title: String,
    /// True if a dialog of the browser is open.
    pub dialog: bool,
    pub elements: Vec<Element>,
    /// True if the prompt leaves out a part of the page.
    pub more: bool,
    pub text: String,
    /// The first text of the page; empty if it has none.
    pub opening: String,
}

/// A line of the prompt's history: an earlier call and its outcome.
#[derive(Debug, Clone, Default)]
pub(super) struct Past {
    pub tool: String,
    pub arguments: Value,
    /// Role and name of the call's target; `None` if it has none.
    pub target: Option<(String, String)>,
    /// `done`, `no_effect`, `unclear`, or the reason for the failure.
    pub outcome: String,
}

impl Past {
    /// Returns true if the call succeeded or may have succeeded. Such a call must not be repeated.
    pub(super) fn done(&self) -> bool {
        matches!(&*self.outcome, "done" | "unclear")
    }

    pub(super) fn argument(&self, name: &str) -> Option<&str> {
        self.arguments.get(name)?.as_str()
    }

    pub(super) fn target_name(&self) -> &str {
        self.target.as_ref().map_or("", |(_, name)| name)
    }
}

impl Seen {
    pub(super) fn read(system: &str, message: &str, tools: Vec<String>) -> Self {
        let mut seen = Self {
            tools,
            max_calls: 1,
            ..Self::default()
        };
        for (heading, body) in sections(system) {
            seen.system_section(heading, body);
        }
        for (heading, body) in sections(message) {
            seen.message_section(heading, body);
        }
        seen.history = recipes::expanded(std::mem::take(&mut seen.history), &seen.recipes);
        seen
    }

    fn system_section(&mut self, heading: &str, body: &str) {
        match heading {
            "" => {
                let allowed = body
                    .split("up to ")
                    .nth(1)
                    .and_then(|rest| rest.split_whitespace().next());
                self.max_calls = allowed.and_then(|number| number.parse().ok()).unwrap_or(1);
            }
            "Lessons from experience" => {
                let items = lines(body).map(|line| line.trim_start_matches("- ").to_owned());
                self.lessons = items.collect();
            }
            "Goal" => body.trim().clone_into(&mut self.goal),
            _ => {}
        }
    }

    fn message_section(&mut self, heading: &str, body: &str) {
        match heading {
            "Names in the tips" => {
                let named = |line: &str| {
                    line.split_once(' ')
                        .map(|(n, what)| (n.into(), what.into()))
                };
                self.names = lines(body).filter_map(named).collect();
            }
            "Tips for this site: try them first" => {
                self.site_tips = lines(body).map(|line| self.in_full(line)).collect();
            }
            "Done here before" => self.recipes = recipes::read(lines(body)),
            "Followed" => self.rest = lines(body).find_map(recipes::rest),
            "History" => self.history = lines(body).filter_map(past).collect(),
            "Page" => self.page = Page::read(body),
            "Found" | "Read" => self.page.add(body),
            "Last action failed" => {
                let tips = body
                    .split_once("Tips from previous experience:")
                    .map_or("", |(_, tips)| tips);
                self.error_tips = lines(tips).map(|line| self.in_full(line)).collect();
            }
            _ => {}
        }
    }
}

impl Seen {
    /// Returns the tip with each reference, such as `e12`, and each short name, such as `n1`, replaced by its element,
    /// such as `button "Go"`.
    fn in_full(&self, line: &str) -> String {
        let line = line.trim_start_matches("- ");
        let words = line
            .split_inclusive(|c: char| !c.is_alphanumeric())
            .map(|word| {
                let name = word.trim_end_matches(|c: char| !c.is_alphanumeric());
                let named = || {
                    let (_, what) = self.names.iter().find(|(known, _)| known == name)?;
                    Some(what.clone())
                };
                match self.page.called(name).or_else(named) {
                    Some(what) => format!("{what}{}", &word[name.len()..]),
                    None => word.to_owned(),
                }
            });
        words.collect()
    }
}

impl Page {
    /// Returns the role and the name of the element with this reference, as tips write them: `button "Go"`, or
    /// `textbox number 2` for an element without a name.
    fn called(&self, reference: &str) -> Option<String> {
        let element = self
            .elements
            .iter()
            .find(|one| one.reference == reference)?;
        let role = &element.role;
        let label = label(element);
        if !label.is_empty() {
            return Some(format!("{role} {}", Value::from(label)));
        }
        let mut alike = self.elements.iter().filter(|one| one.role == *role);
        let at = alike.position(|one| one.reference == reference)?;
        Some(format!("{role} number {}", at + 1))
    }

    /// Returns true if the page has form fields and the prompt names no kind of page other than `form`. This includes
    /// lists and articles, because the prompt does not name their kind.
    pub(super) fn is_form(&self) -> bool {
        const FIELDS: [&str; 3] = ["textbox", "combobox", "spinbutton"];
        let is_field = |element: &Element| FIELDS.contains(&&*element.role);
        (self.kind.is_empty() || self.kind == "form") && self.elements.iter().any(is_field)
    }

    fn read(body: &str) -> Self {
        let shown = ShownPage::read(&lines(body).collect::<Vec<_>>().join("\n"));
        Self {
            kind: shown.kind,
            title: shown.title,
            dialog: shown.dialog,
            elements: shown.elements,
            more: shown.more,
            opening: shown.texts.first().cloned().unwrap_or_default(),
            text: shown.texts.join(" "),
        }
    }

    /// Adds the elements of a part of the page that `find` or `read` returned.
    fn add(&mut self, body: &str) {
        let mut shown = ShownPage::default();
        shown.read_more(body);
        self.elements.extend(shown.elements);
    }
}

/// Splits a text at its headings: lines that begin with `## `. Returns each heading with the text below it. The text
/// before the first heading has an empty heading.
fn sections(text: &str) -> Vec<(&str, &str)> {
    let mut out = Vec::new();
    let (mut heading, mut start, mut at) = ("", 0, 0);
    for line in text.split_inclusive('\n') {
        if let Some(next) = line.strip_prefix("## ") {
            out.push((heading, &text[start..at]));
            heading = next.trim_end();
            start = at + line.len();
        }
        at += line.len();
        // The goal is free text of the user, so a heading after it belongs to the goal.
        if heading == "Goal" {
            at = text.len();
            break;
        }
    }
    out.push((heading, &text[start..at]));
    out
}

/// Returns the lines of a section of the prompt, without blank lines and fence marks.
fn lines(body: &str) -> impl Iterator<Item = &str> {
    body.lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty() && !line.starts_with("<<<") && !line.ends_with(">>>"))
}
