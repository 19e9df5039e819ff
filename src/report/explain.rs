//! Explains the part that memory played in a run, from the run's events: why each item was recalled, and what happened
//! next.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::{
    action::{Action, Outcome},
    base::{Host, Site},
    event::{Event, EventKind},
    memory::AdviceId,
    page::TargetIdentity,
};

/// The reason why memory recalled an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Why {
    /// The run started. From then on, a lesson was part of the system instruction, and any other item was part of the
    /// messages.
    RunStarted,
    /// A command (a call of a tool) failed or had no effect.
    CommandFailed {
        /// The command: the name of the tool that was called.
        command: String,
        /// The class of the failure, or `no_effect`.
        trouble: String,
    },
    /// A page of this host was shown.
    HostShown {
        /// The host of the page.
        host: Host,
    },
}

/// One occasion on which memory recalled an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Recalled {
    /// The number of the step; 0 before the first step.
    pub step: u32,
    /// The reason for the recall.
    #[serde(flatten)]
    pub why: Why,
}

/// An action that a memory item may have influenced. Either the item was in the prompt after which the model decided on
/// the action, or the action was taken from the item.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecidedAction {
    /// The number of the step.
    pub step: u32,
    /// The action, with secrets replaced.
    pub action: Action,
    /// The elements that the action acted on.
    pub targets: Vec<TargetIdentity>,
    /// The outcome of the action.
    pub outcome: Outcome,
}

/// Memory's judgement of one item after the run: whether the run used the item, and whether that helped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, as they are counted"
)]
pub struct Credit {
    /// The site on which a lesson was used or followed; `None` for other items.
    pub site: Option<Site>,
    /// True if the run used the item. For a lesson, [`Counts::used`](crate::memory::lesson::Counts::used) says when.
    /// For an item with recorded steps, [`Uses::used`](crate::memory::Uses::used) says when; a part of the steps can be
    /// enough.
    pub used: bool,
    /// For a lesson, true if the model had been shown it before the run did what it advises. For other items, equal to
    /// `used`, even if the steps were replayed without the model.
    pub followed: bool,
    /// True if using the item helped: the action had its effect, or the goal was reached.
    pub helped: bool,
    /// True if the run did what the item advises, but this did not help or did harm.
    pub harmed: bool,
}

impl Credit {
    /// Reads a credit from `data`, the data with which a memory kind reported a change. Returns `None` if one of the
    /// four flags is missing.
    fn of(data: &Value) -> Option<Self> {
        let is = |name: &str| data[name].as_bool();
        Some(Self {
            site: None,
            used: is("used")?,
            followed: is("followed")?,
            helped: is("helped")?,
            harmed: is("harmed")?,
        })
    }
}

/// A change of an item's status after the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StatusChange {
    /// Any other change, named by a word of the memory kind.
    Changed(String),
    /// The item was learned from this run.
    Recorded,
    /// The item became advice for every run.
    Promoted,
    /// The item is no longer advice for every run.
    Demoted,
    /// The item is no longer shown.
    Retired,
}

/// A memory item and the part that it played in a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Item {
    /// The item's id.
    pub id: AdviceId,
    /// The item's text.
    pub lesson: String,
    /// The occasions on which memory recalled the item; empty for an item that was first learned from this run.
    pub recalled: Vec<Recalled>,
    /// True if the run withheld the item from its prompts, so that runs with the item can be compared with runs without
    /// the item.
    pub withheld: bool,
    /// Numbers of the steps whose prompt contained the item.
    pub stood_in: Vec<u32>,
    /// Numbers of the steps whose action was taken from the item, without asking the model.
    pub replayed: Vec<u32>,
    /// The actions that the item may have influenced.
    pub then: Vec<DecidedAction>,
    /// Memory's judgements of the item after the run.
    pub credited: Vec<Credit>,
    /// Changes of the item's status after the run.
    pub became: Vec<StatusChange>,
}

impl Item {
    fn new(id: &AdviceId) -> Self {
        let (lesson, recalled, stood_in) = (String::new(), Vec::new(), Vec::new());
        let (replayed, then) = (Vec::new(), Vec::new());
        let (credited, became) = (Vec::new(), Vec::new());
        Self {
            id: id.clone(),
            lesson,
            recalled,
            withheld: false,
            stood_in,
            replayed,
            then,
            credited,
            became,
        }
    }
}

/// Returns the memory items that played a part in one run, in the order in which they first appear in the sorted events.
///
/// The events may come from several files and need not be in order. They are sorted by step and, within a step, by
/// kind; their times are not used.
///
/// ```
/// use webwise::{event::Event, report::explain::explain};
///
/// let line = r#"{"event":"tier1_loaded","count":1,"lessons":["Press Enter."],
///     "items":[{"shelf":{"namespace":"default","collection":"lessons","scope":"global"},"key":"k"}],
///     "run":"run_1","step":0,"at":"2026-01-02T03:04:05Z"}"#;
/// let event: Event = serde_json::from_str(line)?;
/// assert_eq!(explain(&[event])[0].lesson, "Press Enter.");
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn explain(events: &[Event]) -> Vec<Item> {
    let mut ordered: Vec<&Event> = events.iter().collect();
    ordered.sort_by_key(|event| (event.step, phase(&event.kind)));
    let mut book = Book::default();
    for event in ordered {
        book.recall(event);
        book.follow(event);
        book.judge(&event.kind);
    }
    // Earlier versions credited a lesson with the run that taught it.
    let taught = book.items.iter_mut();
    for item in taught.filter(|item| item.became.contains(&StatusChange::Recorded)) {
        item.credited.clear();
    }
    book.items
}

/// Returns the rank by which the events of one step are sorted; the lowest comes first.
const fn phase(kind: &EventKind) -> u8 {
    match kind {
        EventKind::Tier1Loaded { .. } => 0,
        EventKind::DomainRecall { .. } => 1,
        EventKind::ModelAsked { .. } | EventKind::StepReplayed { .. } => 2,
        EventKind::ActionExecuted { .. } => 3,
        EventKind::ErrorRecall { .. } => 4,
        _ => 5,
    }
}

/// The memory items that were found in the events so far, in the order in which they first appeared.
#[derive(Debug, Default)]
struct Book {
    items: Vec<Item>,
    places: BTreeMap<AdviceId, usize>,
    /// The items recalled at the start of the run.
    always: Vec<AdviceId>,
    /// `always` and the items in the last message, or only the item from which a step was replayed.
    offered: Vec<AdviceId>,
}

impl Book {
    /// Records the items that an event recalls or withholds.
    fn recall(&mut self, event: &Event) {
        let (items, lessons, why) = match &event.kind {
            EventKind::Tier1Loaded { lessons, items, .. } => {
                self.always.clone_from(items);
                (items, lessons, Why::RunStarted)
            }
            EventKind::DomainRecall {
                domain,
                lessons,
                items,
                ..
            } => {
                let host = domain.clone();
                (items, lessons, Why::HostShown { host })
            }
            EventKind::ErrorRecall {
                command,
                error_snippet,
                lessons,
                items,
                ..
            } => {
                let class = error_snippet.split(':').next().unwrap_or_default();
                let (command, trouble) = (command.clone(), class.trim().to_owned());
                (items, lessons, Why::CommandFailed { command, trouble })
            }
            EventKind::AdviceWithheld { lessons, items } => {
                for (id, lesson) in items.iter().zip(lessons) {
                    self.says(id, lesson);
                    self.item(id).withheld = true;
                }
                return;
            }
            _ => return,
        };
        for (id, lesson) in items.iter().zip(lessons) {
            let item = self.item(id);
            item.lesson.clone_from(lesson);
            item.recalled.push(Recalled {
                step: event.step,
                why: why.clone(),
            });
        }
    }

    /// Records the items that were offered for a step, and the action that was taken then.
    fn follow(&mut self, event: &Event) {
        let step = event.step;
        match &event.kind {
            EventKind::StepReplayed { item, number, of } => {
                self.offered = vec![item.clone()];
                if self.item(item).lesson.is_empty() {
                    let words = format!("step {number} of {of} of an earlier run with such a task");
                    self.says(item, &words);
                }
                self.item(item).replayed.push(step);
            }
            EventKind::ModelAsked { offered: now, .. } => {
                let new = now.iter().filter(|id| !self.always.contains(id));
                self.offered = self.always.iter().chain(new).cloned().collect();
                for id in self.offered.clone() {
                    self.item(&id).stood_in.push(step);
                }
            }
            EventKind::ActionExecuted {
                action,
                targets,
                outcome,
                ..
            } => {
                let done = DecidedAction {
                    step,
                    action: action.clone(),
                    targets: targets.clone(),
                    outcome: outcome.clone(),
                };
                for id in self.offered.clone() {
                    self.item(&id).then.push(done.clone());
                }
            }
            _ => {}
        }
    }

    /// Records memory's judgements of items, and the changes of their status.
    fn judge(&mut self, kind: &EventKind) {
        match kind {
            EventKind::LessonCredited {
                item,
                site,
                used,
                followed,
                helped,
                harmed,
            } => self.item(item).credited.push(Credit {
                site: site.clone(),
                used: *used,
                followed: *followed,
                helped: *helped,
                harmed: *harmed,
            }),
            EventKind::MemoryChanged {
                item,
                what,
                text,
                data,
            } => {
                self.became(item, text, StatusChange::Changed(what.clone()));
                self.item(item).credited.extend(Credit::of(data));
            }
            EventKind::LessonRecorded { item, lesson, .. } => {
                self.became(item, lesson, StatusChange::Recorded);
            }
            EventKind::LessonDeduplicated { item, lesson, .. } => self.says(item, lesson),
            EventKind::LessonPromoted { item, lesson, .. } => {
                self.became(item, lesson, StatusChange::Promoted);
            }
            EventKind::LessonDemoted { item, lesson, .. } => {
                self.became(item, lesson, StatusChange::Demoted);
            }
            EventKind::LessonRetired { item, lesson, .. } => {
                self.became(item, lesson, StatusChange::Retired);
            }
            _ => {}
        }
    }

    fn item(&mut self, id: &AdviceId) -> &mut Item {
        let at = *self.places.entry(id.clone()).or_insert_with(|| {
            self.items.push(Item::new(id));
            self.items.len() - 1
        });
        &mut self.items[at]
    }

    /// Sets the text of an item, and adds the item if it is new. An empty text, as in the event of a removed item,
    /// leaves the item's text as it is.
    fn says(&mut self, id: &AdviceId, lesson: &str) {
        let item = self.item(id);
        if !lesson.is_empty() {
            lesson.clone_into(&mut item.lesson);
        }
    }

    fn became(&mut self, id: &AdviceId, lesson: &str, what: StatusChange) {
        self.says(id, lesson);
        self.item(id).became.push(what);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        RunId,
        action::{BrowserAction, ErrorClass, Goto},
        memory::{Namespace, Shelf},
    };

    fn id(key: &str) -> AdviceId {
        AdviceId {
            shelf: Shelf::global(&Namespace::default(), "lessons"),
            key: key.to_owned(),
        }
    }

    fn at(step: u32, kind: EventKind) -> Event {
        Event::new(
            kind,
            RunId::parse("run_1").unwrap(),
            step,
            "2026-01-02T03:04:05Z".parse().unwrap(),
        )
    }

    fn asked(step: u32, offered: &[&str]) -> Event {
        let offered = offered.iter().map(|key| id(key)).collect();
        let (system, message) = (None, String::new());
        at(
            step,
            EventKind::ModelAsked {
                system,
                message,
                estimated_tokens: crate::base::TokenCount(0),
                offered,
            },
        )
    }

    fn done(step: u32, outcome: Outcome) -> Event {
        let action = Action::Browser(BrowserAction::Goto(Goto {
            url: "http://a.example/".into(),
        }));
        let url = String::new;
        let kind = EventKind::ActionExecuted {
            action,
            targets: Vec::new(),
            outcome,
            url_before: url(),
            url_after: url(),
            changed: Vec::new(),
            elapsed_ms: 1,
        };
        at(step, kind)
    }

    fn failed() -> Outcome {
        Outcome::failed(ErrorClass::Intercepted, "a div covers it")
    }

    fn recall(step: u32, keys: &[&str]) -> Event {
        let (matched, lessons) = (
            keys.len(),
            keys.iter().map(|key| format!("says {key}")).collect(),
        );
        let items = keys.iter().map(|key| id(key)).collect();
        let error_snippet = "intercepted: a div covers it".to_owned();
        at(
            step,
            EventKind::ErrorRecall {
                command: "click".to_owned(),
                error_snippet,
                matched,
                lessons,
                items,
                elapsed_ms: 0,
            },
        )
    }

    fn credited(step: u32, key: &str) -> Event {
        let (used, followed, helped, harmed) = (true, true, true, false);
        at(
            step,
            EventKind::LessonCredited {
                item: id(key),
                site: None,
                used,
                followed,
                helped,
                harmed,
            },
        )
    }

    #[test]
    fn a_tip_is_explained_by_the_failure_before_it_and_the_steps_after_it() {
        // The events are in the order of their files: memory, actions, model.
        let events = [
            recall(2, &["a"]),
            credited(4, "a"),
            done(1, Outcome::Done),
            done(2, failed()),
            done(3, Outcome::Done),
            done(4, Outcome::Done),
            asked(1, &[]),
            asked(2, &[]),
            asked(3, &["a"]),
        ];
        let items = explain(&events);
        assert_eq!(items.len(), 1);
        let item = &items[0];
        assert_eq!((item.id.clone(), item.lesson.as_str()), (id("a"), "says a"));
        let why = Why::CommandFailed {
            command: "click".to_owned(),
            trouble: "intercepted".to_owned(),
        };
        assert_eq!(item.recalled, [Recalled { step: 2, why }]);
        assert_eq!(item.stood_in, [3]);
        let steps: Vec<_> = item
            .then
            .iter()
            .map(|done| (done.step, done.outcome.is_done()))
            .collect();
        assert_eq!(
            steps,
            [(3, true), (4, true)],
            "the reply to step 3 decided both"
        );
        assert!(item.credited[0].helped && !item.credited[0].harmed);
    }

    #[test]
    fn what_stands_in_the_system_instruction_stood_in_every_prompt() {
        let kind = EventKind::Tier1Loaded {
            count: 1,
            lessons: vec!["Press Enter.".to_owned()],
            items: vec![id("s")],
            elapsed_ms: 0,
        };
        let items = explain(&[asked(2, &["t"]), asked(1, &[]), at(0, kind)]);
        assert_eq!(
            (items[0].stood_in.clone(), items[0].recalled[0].why.clone()),
            (vec![1, 2], Why::RunStarted)
        );
        assert_eq!(
            (items[1].id.clone(), items[1].stood_in.clone()),
            (id("t"), vec![2])
        );
    }

    #[test]
    fn an_item_keeps_its_text_when_it_is_removed() {
        let removed = EventKind::MemoryChanged {
            item: id("a"),
            what: "pattern_evicted".to_owned(),
            text: String::new(),
            data: Value::Null,
        };
        let items = explain(&[recall(2, &["a"]), at(5, removed)]);
        let became = [StatusChange::Changed("pattern_evicted".to_owned())];
        assert_eq!(
            (&*items[0].lesson, &*items[0].became),
            ("says a", &became[..])
        );
    }

    #[test]
    fn what_the_run_taught_is_there_too() {
        let kind = EventKind::LessonRecorded {
            lesson: "new".to_owned(),
            category: "site_specific".to_owned(),
            failed_command: None,
            error_pattern: None,
            item: id("n"),
        };
        let items = explain(&[credited(5, "n"), at(5, kind), credited(5, "a")]);
        assert_eq!(
            (items[0].lesson.as_str(), items[0].became.clone()),
            ("new", vec![StatusChange::Recorded])
        );
        assert!(items[0].recalled.is_empty() && explain(&[]).is_empty());
        let credits = items.iter().map(|item| item.credited.len());
        assert_eq!(
            credits.collect::<Vec<_>>(),
            [0, 1],
            "it did not help itself"
        );
    }
}
