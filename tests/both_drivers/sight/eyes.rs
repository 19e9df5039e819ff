//! What the model is shown of the page that is open, through the library's own view of it.

use std::{collections::BTreeSet, time::Duration};

use serde_json::Value;
use webwise::{
    Nonce,
    action::{BrowserAction, Eval, Target},
    browser::{BrowserDriver, Cdp, ExecuteRequest, ObserveRequest},
    page::{
        DigestOptions, ElementRef, Layout, Observation, PageHead, PageView, ViewOptions, interpret,
    },
    prompt::{StepParts, reading, step},
};

/// Maximum number of lines that one `find` shows. Source: what the loop shows.
const MAX_FOUND: usize = 10;
/// Longest that a page is given to answer for one reference. Unit: time. Source: chosen.
const PATIENCE: Duration = Duration::from_secs(20);

/// A page as the model gets it.
pub(crate) struct Eyes {
    observation: Observation,
    view: PageView,
    layout: Layout,
    message: String,
}

impl Eyes {
    pub(crate) async fn of(driver: &Cdp) -> Self {
        let observation = driver.observe(&ObserveRequest::default()).await;
        let observation = observation.expect("the page can be seen");
        let head = PageHead::new(observation.url.as_str(), observation.title.as_str());
        let view = interpret(&head, &observation.tree, &ViewOptions::default());
        let layout = Layout::of(&observation.tree, &view.elements);
        let message = step(&StepParts {
            dialog: observation.dialog.as_ref(),
            tabs: &observation.tabs,
            ..StepParts::new([Nonce::new(6), Nonce::new(7)], &view, &layout)
        });
        Self {
            observation,
            view,
            layout,
            message,
        }
    }

    /// The references that stand in the prompt.
    pub(crate) fn shown(&self) -> BTreeSet<String> {
        references(&self.message)
    }

    /// The references that one `find` by these words shows.
    pub(crate) fn found(&self, words: &str) -> BTreeSet<String> {
        let hits = self.layout.find(&self.view.elements, words, MAX_FOUND);
        let all = self
            .layout
            .digest(&self.view.elements, &[], DigestOptions::whole());
        let lines: Vec<_> = hits.lines.iter().map(|at| all.lines[*at].clone()).collect();
        references(&reading(&lines, &self.view.elements).join("\n"))
    }

    /// All that can be read: what `read` gives of the page, and of each element that the prompt shows.
    pub(crate) fn text(&self) -> String {
        let shown = self.shown();
        let is_shown = |reference: &ElementRef| shown.contains(reference.as_str());
        let elements = self.view.elements.iter();
        let elements = elements.filter(|element| element.reference.as_ref().is_some_and(is_shown));
        let is_group = |id| {
            self.layout
                .inside(id)
                .is_some_and(|lines| !lines.is_empty())
        };
        let alone = elements.filter(|element| !is_group(element.id));
        let within = |id| Layout::within(&self.observation.tree, &self.view.elements, id);
        let mut text = self.read(&self.layout);
        for element in alone {
            text.push('\n');
            text.push_str(&self.read(&within(element.id)));
        }
        text
    }

    /// All lines of a layout, as `read` writes them.
    fn read(&self, layout: &Layout) -> String {
        let all = layout.digest(&self.view.elements, &[], DigestOptions::whole());
        bare(&reading(&all.lines, &self.view.elements).join("\n"))
    }

    /// The prompt's own words, for whoever looks for the cause of a gap.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Reports whether the prompt leaves something out.
    pub(crate) fn is_cut(&self) -> bool {
        let digest = self
            .layout
            .digest(&self.view.elements, &[], DigestOptions::default());
        !digest.whole
    }

    pub(crate) fn nodes(&self) -> usize {
        self.observation.tree.len()
    }
}

/// The element that a reference means and what a click on it meets, by the witness's numbers.
pub(crate) async fn reach(driver: &Cdp, reference: &str) -> Option<(i64, i64)> {
    let reference = ElementRef::parse(reference).expect("it is one");
    let action = BrowserAction::Eval(Eval {
        function: "element => window.witness.reach(element)".to_owned(),
        target: Some(Target::Ref(reference)),
    });
    let request = ExecuteRequest::new(action);
    let told = tokio::time::timeout(PATIENCE, driver.execute(&request)).await;
    let told = told.ok()?.expect("the browser answers").text?;
    serde_json::from_str(&told).ok()?
}

/// The references in lines, those in quotes left out: these are page data or arguments.
fn references(lines: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for line in lines.lines() {
        let mut rest = line;
        while !rest.is_empty() {
            let (plain, quoted) = rest.split_at(rest.find('"').unwrap_or(rest.len()));
            let words = plain.split_whitespace();
            out.extend(
                words
                    .filter(|word| ElementRef::is_valid(word))
                    .map(str::to_owned),
            );
            let mut values = serde_json::Deserializer::from_str(quoted).into_iter::<Value>();
            let is_text = values.next().is_some_and(|value| value.is_ok());
            rest = if is_text {
                &quoted[values.byte_offset()..]
            } else {
                quoted.get(1..).unwrap_or_default()
            };
        }
    }
    out
}

/// A text without what nobody sees and what differs by where it stands: spaces, signs without a shape, marks of quotation.
pub(crate) fn bare(text: &str) -> String {
    let is_seen = |c: &char| {
        !c.is_whitespace()
            && !c.is_control()
            && !matches!(
                c,
                '"' | '\\' | '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}'
            )
            && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
    };
    text.chars().filter(is_seen).collect()
}

#[test]
fn references_are_read_outside_of_quotes() {
    let lines = " - e8 link \"a e9 \\\" e10\" | e11 button \"x\": read(target=\"e12\", line=3)";
    let found: Vec<String> = references(lines).into_iter().collect();
    assert_eq!(found, ["e11", "e8"]);
    assert_eq!(bare(" a \"b\" \\ c"), "abc");
}
