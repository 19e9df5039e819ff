//! What a policy knows: the goal, the page and what tools gave, read from the text of the prompt and from nothing else.
//!
//! The one place of this target that knows how a prompt is written.

pub(crate) use webwise::prompt::ShownElement as Element;
use webwise::{
    chat::ChatRequest,
    prompt::{ShownPage, json_string},
};

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

impl Seen {
    pub(crate) fn read(request: &ChatRequest) -> Self {
        let mut seen = Self::default();
        if let Some((_, goal)) = request.system.split_once("## Goal\n") {
            goal.trim().clone_into(&mut seen.goal);
        }
        for (heading, body) in sections(&request.message) {
            match heading {
                "Page" => {
                    let page = ShownPage::read(&lines(body).collect::<Vec<_>>().join("\n"));
                    seen.text = page.texts.join(" ");
                    seen.elements = page.elements;
                }
                "Results" => {
                    for line in lines(body) {
                        // A name begins the line, and what the tool gave is indented.
                        match (
                            json_string(line.trim_start()),
                            line.starts_with(' '),
                            seen.results.last_mut(),
                        ) {
                            (Some((text, _)), true, Some((_, all))) => {
                                if !all.is_empty() {
                                    all.push(' ');
                                }
                                all.push_str(&text);
                            }
                            (Some((name, _)), false, _) => seen.results.push((name, String::new())),
                            _ => {}
                        }
                    }
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
