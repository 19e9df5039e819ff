//! Writes a run as one HTML file. For each step, the file shows the pages, the model's replies, the actions and
//! memory's advice. This module does no I/O.
//!
//! Much of the content comes from pages and models. So the template escapes all text, and the file's content security policy
//! forbids it to load anything or to run a script.

use std::collections::BTreeMap;

use askama::Template;
use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{
    RunRecord,
    explain::{Item, explain},
    lines::{Line, lines},
    words,
};
use crate::{
    base::{TokenCount, text::counted},
    chat::{ChatResponse, Usage},
    event::{Event, EventKind, RunSummary},
};

/// Distance between the left edges of neighbouring bars of a plot. Unit: that of the plot's coordinates.
const BAR: u32 = 10;
/// Height of a plot. Unit: that of the plot's coordinates.
const HEIGHT: u64 = 100;

#[derive(Template, Default)]
#[template(path = "run.html")]
struct Report<'a> {
    run: &'a str,
    goal: &'a str,
    verdict: String,
    is_success: bool,
    answer: Option<&'a str>,
    evidence: Option<&'a str>,
    /// The claims of the answer that no page of the run supports.
    unverified: &'a [String],
    error: Option<&'a str>,
    facts: Vec<(&'static str, String)>,
    plots: Vec<Plot>,
    steps: Vec<StepSection>,
    memory: Vec<Remembered>,
    system: Option<&'a str>,
    unreadable: &'a [String],
}

/// The section of the report about one step: what its events say.
#[derive(Default)]
struct StepSection {
    number: u32,
    pages: Vec<String>,
    lines: Vec<Line>,
    changes: Vec<String>,
    /// The pictures of the step, as data URLs.
    pictures: Vec<String>,
    calls: Vec<Call>,
    /// The sums of `input` and `cached` over the step's model calls. The other fields stay 0. For a call whose usage
    /// the provider did not report, the estimated number of input tokens is added.
    usage: Usage,
    /// Estimated size of the step's last request to the model.
    estimated: TokenCount,
    /// Time that the model took in this step. Unit: milliseconds.
    thought_ms: u64,
    /// Time that the browser took in this step. Unit: milliseconds.
    acted_ms: u64,
}

struct Call {
    title: String,
    text: String,
}

/// A memory item, and the events of the run that concern the item. Each entry of `fates` is the label and the text of
/// one of these events.
struct Remembered {
    says: String,
    fates: Vec<(&'static str, String)>,
}

struct Plot {
    title: &'static str,
    legend: String,
    bars: Vec<Bar>,
}

struct Bar {
    class: &'static str,
    x: u32,
    y: u64,
    height: u64,
    title: String,
}

impl RunRecord {
    /// Returns one HTML file about the run: goal and result; for each step the page, action, outcome, pictures,
    /// prompts, replies and memory's advice; and charts of tokens and time.
    ///
    /// The file needs no other file, loads nothing and runs no script. Text from pages and models is escaped. Keep the
    /// file as private as the run folder: secrets are replaced by placeholders, but everything else is included.
    pub fn to_html(&self) -> String {
        let report = Report {
            unreadable: &self.unreadable,
            ..Report::of(&self.events)
        };
        let report = report.with_pictures(self);
        report.render().expect("only text is written, into memory")
    }
}

impl<'a> Report<'a> {
    fn of(events: &'a [Event]) -> Self {
        let mut report = Self {
            verdict: "The run did not end: it was killed, or is still going on.".to_owned(),
            ..Self::default()
        };
        let mut steps: BTreeMap<u32, StepSection> = BTreeMap::new();
        for event in events {
            report.run = event.run.as_str();
            let step = steps.entry(event.step).or_default();
            step.number = event.step;
            step.add(event);
            report.add(event);
        }
        report.steps = steps.into_values().collect();
        report.plots = plots(&report.steps);
        report.memory = explain(events).iter().map(Remembered::of).collect();
        report
    }

    fn add(&mut self, event: &'a Event) {
        match &event.kind {
            EventKind::RunStarted {
                goal,
                start_url,
                driver,
                model,
                mode,
                approval,
                ..
            } => {
                self.goal = goal;
                self.facts.extend([
                    ("run", event.run.to_string()),
                    ("started", event.at.to_rfc3339()),
                    ("start page", start_url.clone().unwrap_or_default()),
                    ("driver", driver.clone()),
                    ("model", format!("{model} ({mode})")),
                    ("approval", approval.clone()),
                ]);
            }
            EventKind::ModelAsked {
                system: Some(system),
                ..
            } => self.system = Some(system),
            EventKind::FinishChecked { unverified, .. } => self.unverified = unverified,
            EventKind::RunEnded {
                answer,
                evidence,
                error,
                summary,
                extracted,
                ..
            } => {
                self.verdict = format!("The run ended: {}.", words::stop(summary.stop));
                self.is_success = summary.success;
                (self.answer, self.evidence) = (answer.as_deref(), evidence.as_deref());
                // A refused answer is not the answer of the run.
                if answer.is_none() {
                    self.unverified = &[];
                }
                self.error = error.as_deref();
                self.facts.extend(figures(summary));
                let found = extracted.iter();
                self.facts
                    .extend(found.map(|(name, text)| ("read", format!("{name} = {text}"))));
            }
            _ => {}
        }
    }

    fn with_pictures(mut self, record: &RunRecord) -> Self {
        for picture in &record.pictures {
            let address = format!("data:image/png;base64,{}", STANDARD.encode(&picture.png));
            match self
                .steps
                .iter_mut()
                .find(|step| step.number == picture.step)
            {
                Some(step) => step.pictures.push(address),
                None => self.steps.push(StepSection {
                    number: picture.step,
                    pictures: vec![address],
                    ..StepSection::default()
                }),
            }
        }
        self
    }
}

fn figures(summary: &RunSummary) -> Vec<(&'static str, String)> {
    let Usage {
        input,
        output,
        cached,
    } = summary.usage;
    let estimated = if summary.estimated { ", estimated" } else { "" };
    let mut figures = vec![
        (
            "steps",
            format!(
                "{}, {} of them from memory, {} failed or had no effect",
                summary.steps, summary.replayed, summary.errors
            ),
        ),
        ("model calls", summary.calls.to_string()),
        (
            "tokens",
            format!(
                "{} in ({} from the provider's cache), {} out{estimated}",
                input.0, cached.0, output.0
            ),
        ),
        ("time", seconds(summary.elapsed_ms)),
    ];
    figures.extend(summary.cost.map(|cost| ("cost", cost.to_string())));
    figures
}

fn seconds(ms: u64) -> String {
    format!("{}.{} s", ms / 1_000, ms % 1_000 / 100)
}

impl StepSection {
    fn add(&mut self, event: &Event) {
        self.lines.extend(lines(event));
        match &event.kind {
            EventKind::Observed {
                observation,
                elapsed_ms,
            } => {
                self.acted_ms += elapsed_ms;
                let silent = if observation.unresponsive {
                    " (gives no answer)"
                } else {
                    ""
                };
                let page = format!("{}{silent} {}", observation.title, observation.url);
                if self.pages.last() != Some(&page) {
                    self.pages.push(page);
                }
            }
            EventKind::ActionExecuted {
                changed,
                elapsed_ms,
                ..
            } => {
                self.acted_ms += elapsed_ms;
                self.changes.extend(changed.iter().cloned());
            }
            EventKind::ModelAsked {
                message,
                estimated_tokens,
                ..
            } => {
                self.estimated = *estimated_tokens;
                self.calls.push(Call {
                    title: format!("prompt, some {}", counted(estimated_tokens.0, "token")),
                    text: message.clone(),
                });
            }
            EventKind::ModelReplied {
                response,
                elapsed_ms,
            } => {
                self.thought_ms += elapsed_ms;
                let estimate = Usage {
                    input: self.estimated,
                    ..Usage::default()
                };
                let usage = response.usage.unwrap_or(estimate);
                self.usage.input += usage.input;
                self.usage.cached += usage.cached;
                self.calls.push(reply(response, *elapsed_ms));
            }
            _ => {}
        }
    }
}

fn reply(response: &ChatResponse, elapsed_ms: u64) -> Call {
    let mut text: Vec<String> = [response.reasoning.clone(), Some(response.text.clone())]
        .into_iter()
        .flatten()
        .filter(|text| !text.is_empty())
        .collect();
    let calls = response.calls.iter();
    text.extend(calls.map(|call| format!("{} {}", call.name, call.arguments)));
    let tokens = response.usage.map(|usage| {
        format!(
            ", {} in, {} out",
            counted(usage.input.0, "token"),
            usage.output.0
        )
    });
    Call {
        title: format!("reply after {elapsed_ms} ms{}", tokens.unwrap_or_default()),
        text: text.join("\n"),
    }
}

impl Line {
    fn is_bad(&self) -> bool {
        self.elapsed_ms.is_some() && self.outcome != "done"
    }
}

impl Remembered {
    fn of(item: &Item) -> Self {
        let mut fates: Vec<_> = item
            .recalled
            .iter()
            .map(|recalled| ("recalled", words::recalled(recalled)))
            .collect();
        for (fate, steps) in [
            ("stood in the prompts of", &item.stood_in),
            ("taken without the model", &item.replayed),
        ] {
            fates.extend((!steps.is_empty()).then(|| (fate, words::steps(steps))));
        }
        let credited = item.credited.iter();
        fates.extend(credited.map(|credited| ("credited", words::credited(credited))));
        let became = item.became.iter();
        fates.extend(became.map(|became| ("became", words::became(became).to_owned())));
        Self {
            says: item.lesson.clone(),
            fates,
        }
    }
}

/// Returns at most two plots, one of the tokens and one of the time, with a bar for each step.
fn plots(steps: &[StepSection]) -> Vec<Plot> {
    let tokens = steps.iter().map(|step| {
        let Usage { input, cached, .. } = step.usage;
        [
            ("bar", input.0.saturating_sub(cached.0), "tokens in"),
            ("cached", cached.0, "tokens from the cache"),
        ]
    });
    let time = steps.iter().map(|step| {
        [
            ("bar", step.acted_ms, "ms of the browser"),
            ("cached", step.thought_ms, "ms of the model"),
        ]
    });
    let tokens = Plot::of(
        "Tokens",
        "dark: read anew; light: from the provider's cache",
        "tokens",
        tokens,
    );
    let time = Plot::of("Time", "dark: the browser; light: the model", "ms", time);
    [tokens, time].into_iter().flatten().collect()
}

impl Plot {
    /// Returns a plot with a stacked bar for each step; `None` if all bars are empty.
    fn of(
        title: &'static str,
        legend: &str,
        unit: &str,
        steps: impl Iterator<Item = [(&'static str, u64, &'static str); 2]>,
    ) -> Option<Self> {
        let steps: Vec<_> = steps.collect();
        let sum =
            |parts: &[(&str, u64, &str)]| parts.iter().map(|(_, value, _)| value).sum::<u64>();
        let most = steps
            .iter()
            .map(|parts| sum(parts))
            .max()
            .filter(|most| *most > 0)?;
        let mut bars = Vec::new();
        for (parts, place) in steps.iter().zip(0_u32..) {
            let mut top = HEIGHT;
            for (class, value, unit) in parts.iter().filter(|(_, value, _)| *value > 0) {
                let height = (value * HEIGHT / most).max(1);
                top = top.saturating_sub(height);
                bars.push(Bar {
                    class,
                    x: place * BAR,
                    y: top,
                    height,
                    title: format!("{value} {unit}"),
                });
            }
        }
        Some(Self {
            title,
            legend: format!("A bar a step, {most} {unit} at most. {legend}"),
            bars,
        })
    }

    fn width(&self) -> u32 {
        self.bars.last().map_or(0, |bar| bar.x + BAR)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::{
        base::RunId, page::Observation, report::Picture, testing::tree, working::StopReason,
    };

    /// A text that must be escaped: it contains markup and a script, and it ends the element around it.
    const HOSTILE: &str =
        "</details></pre><script>alert(1)</script><img src=x onerror=alert(1)>\"'&";

    fn event(step: u32, kind: EventKind) -> Event {
        let at = "2026-01-02T03:04:05Z".parse().unwrap();
        Event::new(kind, RunId::parse("run_1").unwrap(), step, at)
    }

    fn clicked(outcome: &serde_json::Value) -> EventKind {
        serde_json::from_value(json!({
            "event": "action_executed",
            "action": { "tool": "click", "arguments": { "target": HOSTILE } },
            "targets": [], "outcome": outcome, "url_before": "", "url_after": "",
            "changed": [HOSTILE], "elapsed_ms": 40,
        }))
        .unwrap()
    }

    fn replied(input: u64, cached: u64) -> EventKind {
        let usage = Usage {
            input: TokenCount(input),
            output: TokenCount(5),
            cached: TokenCount(cached),
        };
        let response = ChatResponse {
            text: HOSTILE.to_owned(),
            usage: Some(usage),
            ..ChatResponse::default()
        };
        EventKind::ModelReplied {
            response,
            elapsed_ms: 700,
        }
    }

    fn record() -> RunRecord {
        let page = Observation::new("http://a.test/", HOSTILE, tree("button \"Go\" e1"));
        let usage = Usage {
            input: TokenCount(3_000),
            output: TokenCount(10),
            cached: TokenCount(1_000),
        };
        let summary = RunSummary::new(StopReason::Finished, 2, 1, 2, usage, false, 1_540);
        let started = json!({
            "event": "run_started", "goal": HOSTILE, "start_url": null, "session": null, "driver": "cdp", "model": "m",
            "seed": "0", "tools": [], "mode": "tools", "max_steps": 9, "approval": "auto",
        });
        let events = vec![
            event(0, serde_json::from_value(started).unwrap()),
            event(
                1,
                EventKind::Observed {
                    observation: Arc::new(page),
                    elapsed_ms: 60,
                },
            ),
            event(
                1,
                EventKind::ModelAsked {
                    system: Some(HOSTILE.into()),
                    message: HOSTILE.into(),
                    estimated_tokens: TokenCount(1_000),
                    offered: Vec::new(),
                },
            ),
            event(1, replied(1_000, 0)),
            event(1, clicked(&json!("no_effect"))),
            event(
                1,
                serde_json::from_value(json!({
                    "event": "call_refused",
                    "problem": { "tool": null, "failure": { "class": "bad_arguments", "detail": "the reply held no tool call" } },
                }))
                .unwrap(),
            ),
            event(2, replied(2_000, 1_000)),
            event(2, clicked(&json!("done"))),
            event(
                2,
                EventKind::FinishChecked {
                    answer: HOSTILE.into(),
                    evidence: HOSTILE.into(),
                    verified: true,
                    earlier: false,
                    unverified: vec![HOSTILE.into()],
                },
            ),
            event(
                2,
                EventKind::RunEnded {
                    answer: Some(HOSTILE.into()),
                    evidence: Some(HOSTILE.into()),
                    extracted: [("price".to_owned(), HOSTILE.to_owned())].into(),
                    final_url: None,
                    error: None,
                    summary,
                },
            ),
        ];
        let picture = Picture {
            step: 2,
            png: vec![1, 2, 3],
        };
        RunRecord {
            events,
            pictures: vec![picture],
            unreadable: vec![HOSTILE.into()],
            ..RunRecord::default()
        }
    }

    #[test]
    fn nothing_that_was_said_becomes_markup() {
        let html = record().to_html();
        assert!(
            !html.contains("<script") && !html.contains("<img src"),
            "{html}"
        );
        for unit in ["2000 tokens at most.", " ms at most."] {
            assert!(html.contains(unit), "{unit}");
        }
        // The text occurs in the title, goal, request, rules, two replies, two targets and changes, answer, evidence and claim
        // (in the head and in the step), a read text, and an unreadable line.
        let escaped = html.matches("&#60;script&#62;alert(1)").count();
        assert_eq!(escaped, 17, "{html}");
        for end in ["</details>", "</pre>"] {
            let open = end.replace('/', "");
            assert_eq!(
                html.matches(end).count(),
                html.matches(&open).count(),
                "{end}"
            );
        }
    }

    #[test]
    fn figures_outcomes_and_pictures_stand_in_it() {
        let html = record().to_html();
        for part in [
            "The run ended: the goal is reached, and the page shows it.",
            "2, 0 of them from memory, 1 failed or had no effect",
            "3000 in (1000 from the provider&#39;s cache), 10 out",
            "1.5 s",
            "no effect 40 ms",
            "src=\"data:image/png;base64,AQID\"",
            "<title>1000 tokens from the cache</title>",
            "<title>700 ms of the model</title>",
            "<title>100 ms of the browser</title>",
            "not usable: the reply held no tool call",
            "Memory said and learned nothing.",
        ] {
            assert!(html.contains(part), "{part} is not in {html}");
        }
    }

    #[test]
    fn the_head_names_the_claims_that_no_page_supports() {
        let mut record = record();
        let head = |record: &RunRecord| {
            let html = record.to_html();
            html.split("<h2>").next().unwrap().contains("Unverified: ")
        };
        assert!(head(&record));
        // The answer was refused, and the run ended without one.
        if let EventKind::RunEnded { answer, .. } = &mut record.events.last_mut().unwrap().kind {
            *answer = None;
        }
        assert!(!head(&record));
    }

    #[test]
    fn only_the_steps_whose_prompt_contained_an_item_are_named() {
        let asked = |step| {
            let shelf =
                json!({ "namespace": "default", "collection": "lessons", "scope": "global" });
            let kind = json!({
                "event": "model_asked", "system": null, "message": "", "estimated_tokens": 1,
                "offered": [{ "shelf": shelf, "key": "k" }],
            });
            event(step, serde_json::from_value(kind).unwrap())
        };
        let record = RunRecord {
            events: vec![asked(3), asked(9)],
            ..RunRecord::default()
        };
        assert!(record.to_html().contains("steps 3, 9"));
    }

    #[test]
    fn a_run_without_anything_is_a_page_that_says_so() {
        let html = RunRecord::default().to_html();
        assert!(
            html.contains("The run did not end") && html.ends_with("</html>"),
            "{html}"
        );
    }
}
