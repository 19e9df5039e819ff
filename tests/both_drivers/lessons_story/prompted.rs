//! What a prompt says, read from its text alone: the goal, the page line by line, the history and the tips.

use webwise::{
    chat::ChatRequest,
    page::ElementRef,
    prompt::{ShownElement, ShownPage, json_string},
};

/// A thing that the goal asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wish {
    /// `set the WHAT to "VALUE"`
    Set { what: String, value: String },
    /// `choose "VALUE" as WHAT`
    Choose { value: String },
    /// `press "WHAT"`, perhaps `of "ROW"`
    Press { what: String, row: Option<String> },
}

/// One line of the page.
#[derive(Debug, Clone, Default)]
pub(crate) struct Line {
    pub(crate) elements: Vec<ShownElement>,
    pub(crate) text: String,
    /// The heads of the groups around it, the outermost first.
    pub(crate) groups: Vec<String>,
}

/// One line of the history.
#[derive(Debug, Clone, Default)]
pub(crate) struct Past {
    pub(crate) tool: String,
    /// The name of its target, as the history says it.
    pub(crate) name: String,
    /// Everything behind its tool, with the target.
    pub(crate) rest: String,
    /// `done`, `no_effect`, or the reason of the failure.
    pub(crate) outcome: String,
}

/// An element that a tip names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Named {
    /// Its reference, which says everything else.
    pub(crate) reference: Option<String>,
    pub(crate) role: String,
    pub(crate) name: String,
    /// The group that it is in.
    pub(crate) within: Option<String>,
    /// Its number among those of its role without a name, from 1.
    pub(crate) number: Option<usize>,
}

/// A tip of the form `COMMAND on TARGET FAILURE: REMEDY`.
#[derive(Debug, Clone)]
pub(crate) struct Tip {
    pub(crate) command: String,
    pub(crate) target: Option<Named>,
    /// The part behind the colon.
    pub(crate) remedy: String,
    /// The elements named in the remedy, in order.
    pub(crate) named: Vec<Named>,
}

/// Everything that a prompt says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Prompted {
    pub(crate) wishes: Vec<Wish>,
    /// Values of `if asked, the WHAT is "VALUE"`.
    pub(crate) known: Vec<String>,
    pub(crate) lines: Vec<Line>,
    pub(crate) past: Vec<Past>,
    pub(crate) tips: Vec<Tip>,
}

impl Prompted {
    pub(crate) fn read(request: &ChatRequest) -> Self {
        let mut prompted = Self::default();
        let goal = request.system.split_once("## Goal\n");
        for part in goal.map_or("", |(_, goal)| goal).trim().split("; ") {
            prompted.wish(part);
        }
        let sections = sections(&request.message);
        let body = |heading: &str| {
            let found = sections.iter().find(|(own, _)| *own == heading);
            found.map_or("", |(_, body)| *body)
        };
        let names: Vec<(&str, Named)> = rows(body("Names in the tips"))
            .filter_map(|row| row.split_once(' '))
            .map(|(number, what)| (number, named(what)))
            .collect();
        let tips = rows(body("Tips for this site: try them first"))
            .chain(rows(body("Last action failed")));
        prompted.tips = tips.filter_map(|row| tip(row, &names)).collect();
        prompted.past = rows(body("History")).filter_map(past).collect();
        prompted.lines = lines(body("Page"));
        prompted
    }

    fn wish(&mut self, part: &str) {
        let quoted: Vec<&str> = part.split('"').skip(1).step_by(2).collect();
        let value = || quoted[0].to_owned();
        let before = part.split('"').next().unwrap_or_default();
        if let Some(what) = before.strip_prefix("set the ") {
            let what = what.trim_end_matches(" to ").to_owned();
            self.wishes.push(Wish::Set {
                what,
                value: value(),
            });
        } else if before.starts_with("choose ") {
            self.wishes.push(Wish::Choose { value: value() });
        } else if before.starts_with("press ") {
            let row = quoted.get(1).map(|row| (*row).to_owned());
            self.wishes.push(Wish::Press { what: value(), row });
        } else if before.starts_with("if asked, ") {
            self.known.push(value());
        }
    }

    pub(crate) fn elements(&self) -> impl Iterator<Item = &ShownElement> {
        self.lines.iter().flat_map(|line| &line.elements)
    }

    /// The line that has this element.
    pub(crate) fn line_of(&self, element: &ShownElement) -> usize {
        let has = |line: &Line| line.elements.contains(element);
        self.lines.iter().position(has).unwrap_or_default()
    }

    /// The elements that a tip may mean.
    pub(crate) fn all<'a>(&'a self, named: &'a Named) -> impl Iterator<Item = &'a ShownElement> {
        let of_role = self.lines.iter().flat_map(|line| {
            let here = line.elements.iter().map(move |element| (line, element));
            here.filter(|(_, element)| named.reference.is_some() || element.role == named.role)
        });
        let is_mute = |element: &ShownElement| called(element).is_empty();
        let mut number = 0;
        of_role
            .filter(move |(line, element)| {
                if let Some(reference) = &named.reference {
                    return element.reference == *reference;
                }
                number += usize::from(is_mute(element));
                let is_placed = named.number == Some(number) && is_mute(element);
                let is_called = named.number.is_none() && called(element) == named.name;
                let is_within = named
                    .within
                    .as_ref()
                    .is_none_or(|within| line.groups.iter().any(|group| group.contains(&**within)));
                is_within && (is_placed || is_called)
            })
            .map(|(_, element)| element)
    }
}

/// What an element is called: its label, else what its attributes say.
pub(crate) fn called(element: &ShownElement) -> &str {
    let hint = || {
        let mut hints = element.hints.iter();
        let telling = |(name, _): &&(String, String)| name != "type" && name != "range";
        hints.find(telling).map(|(_, value)| &**value)
    };
    let label = Some(&*element.label).filter(|label| !label.is_empty());
    label.or_else(hint).unwrap_or_default()
}

/// The parts of a message under their headings.
fn sections(message: &str) -> Vec<(&str, &str)> {
    let all = message
        .split("## ")
        .filter_map(|part| part.split_once('\n'));
    all.collect()
}

/// The lines of a part, without the marks of fences.
fn rows(body: &str) -> impl Iterator<Item = &str> {
    let is_mark = |row: &str| row.starts_with("<<<") || row.ends_with(">>>") || row.is_empty();
    body.lines().filter(move |row| !is_mark(row))
}

fn lines(body: &str) -> Vec<Line> {
    let mut groups: Vec<String> = Vec::new();
    rows(body)
        .map(|row| {
            let depth = row.len() - row.trim_start().len();
            groups.truncate(depth);
            let shown = ShownPage::read(row);
            // A group and its only line stand in one row.
            groups.push(row.trim().to_owned());
            Line {
                text: shown.texts.join(" "),
                elements: shown.elements,
                groups: groups.clone(),
            }
        })
        .collect()
}

fn named(what: &str) -> Named {
    let (role, rest) = what.split_once(' ').unwrap_or((what, ""));
    let name = json_string(rest);
    let number = rest
        .strip_prefix("number ")
        .map(|rest| rest.split(' ').next());
    Named {
        reference: None,
        role: role.to_owned(),
        within: rest
            .rsplit_once(" in ")
            .and_then(|(_, within)| Some(json_string(within)?.0)),
        number: number.flatten().and_then(|number| number.parse().ok()),
        name: name.map(|(name, _)| name).unwrap_or_default(),
    }
}

fn tip(row: &str, names: &[(&str, Named)]) -> Option<Tip> {
    let (head, remedy) = row.strip_prefix("- ")?.split_once(": ")?;
    let all = |words: &str| -> Vec<Named> {
        let words = words.split(|c: char| !c.is_alphanumeric());
        let of = |word: &str| {
            let by_number = names.iter().find(|(number, _)| *number == word);
            let by_reference = || {
                ElementRef::parse(word).ok().map(|reference| Named {
                    reference: Some(reference.to_string()),
                    ..Named::default()
                })
            };
            by_number
                .map(|(_, named)| named.clone())
                .or_else(by_reference)
        };
        words.filter_map(of).collect()
    };
    Some(Tip {
        command: head.split(' ').next()?.to_owned(),
        target: all(head).into_iter().next(),
        remedy: remedy.to_owned(),
        named: all(remedy),
    })
}

fn past(row: &str) -> Option<Past> {
    let (number, rest) = row.split_once(". ")?;
    number.parse::<u32>().ok()?;
    let (all, outcome) = rest.rsplit_once(" -> ").unwrap_or((rest, "done"));
    let (tool, rest) = all.split_once(' ').unwrap_or((all, ""));
    // An act without an element names what it was given in its place.
    let name = json_string(rest).or_else(|| json_string(rest.split_once(' ')?.1));
    Some(Past {
        tool: tool.to_owned(),
        name: name.map(|(name, _)| name).unwrap_or_default(),
        rest: rest.to_owned(),
        outcome: outcome.trim_start_matches("failed ").to_owned(),
    })
}
