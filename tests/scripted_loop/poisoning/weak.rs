//! A memory with one defence off, made around the crate's own: the rest of it stays as it is.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use webwise::{
    Result, RunId, Site, Trust,
    base::text,
    memory::{
        Advice, AdviceId, Aim, Change, Committed, Cue, Edit, Index, MemoryKind, Moment, Namespace,
        Note, Occasion, PageName, Record, RunLog, Scope, Section, Shelf, ShelfEdit,
        lesson::{COLLECTION, Lesson, LessonSource, LessonText, Lessons, SiteRecovery, Trace},
    },
};

use crate::poisoning::campaign::{MARKUP, MAX_ITEM};

/// What is switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Off {
    /// A failure is kept as its class, not as what the browser says.
    Errors,
    /// What is general holds no names.
    Names,
    /// What is typed is not kept.
    Typed,
    /// What is general holds no host and no path.
    Places,
    /// Words that no person accepted wait for one.
    Words,
    /// A lesson with names counts as a page's words and not as ours.
    Ours,
    /// A lesson with names is said on its own host.
    OwnHost,
    /// Names are kept without marks of markup.
    Cleaning,
    /// A name is cut to its length.
    Cap,
    /// Names in the fence are written as strings of JSON.
    Quoting,
    /// Few items are said at a time.
    Limit,
    /// Nothing is learned from an action that led to another site.
    Border,
    /// One site alone makes nothing general.
    Sites,
    /// Names below a registrable domain are one site.
    Subdomains,
    /// A run counts once a site.
    Once,
}

impl Off {
    /// The name that is kept of what a page says; `None` for the usual one.
    fn kept_name(self, raw: &str) -> Option<String> {
        match self {
            Self::Cleaning | Self::Quoting => Some(raw.to_owned()),
            // An identity is cut before memory sees it, so a name is made as long again as a page may have said it: longer than
            // may be shown, and short enough for a record.
            Self::Cap => Some(
                raw.chars()
                    .filter(|c| !MARKUP.contains(*c))
                    .cycle()
                    .take(MAX_ITEM + 10)
                    .collect(),
            ),
            _ => None,
        }
    }
}

#[derive(Debug, Default)]
struct Known {
    shelves: BTreeSet<Shelf>,
    /// The names of lessons in full, by what is shown of them.
    full: BTreeMap<String, String>,
}

/// Lessons with one defence off; clones share what they know.
#[derive(Debug, Clone)]
pub(crate) struct Weak {
    off: Off,
    known: Arc<Mutex<Known>>,
}

impl Weak {
    pub(crate) fn new(off: Off) -> Self {
        Self {
            off,
            known: Arc::default(),
        }
    }

    pub(crate) const fn off(&self) -> Off {
        self.off
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The whole name of which this is shown.
    pub(crate) fn in_full(&self, shown: &str) -> String {
        self.lock()
            .full
            .get(shown)
            .cloned()
            .unwrap_or_else(|| shown.to_owned())
    }

    /// What the run says beside its trace: the text that this memory should not keep, by command and trouble.
    fn raw(&self, log: &RunLog) -> Value {
        let mut out = BTreeMap::new();
        for step in &log.steps {
            let Some(trouble) = webwise::action::FailureKind::of(&step.outcome) else {
                continue;
            };
            let names = || {
                step.targets
                    .iter()
                    .map(|t| format!("{} {}", t.name, t.label.as_deref().unwrap_or_default()))
            };
            let raw = match self.off {
                Off::Errors => step
                    .outcome
                    .class()
                    .map(|_| format!("{:?}", step.outcome))
                    .unwrap_or_default(),
                Off::Names => names().collect(),
                Off::Typed => step.action.arguments()["text"].to_string(),
                Off::Places => format!("{:?} {:?}", step.before.host(), step.before.template()),
                _ => continue,
            };
            out.insert(format!("{} {trouble}", step.action.tool_name()), raw);
        }
        json!(out)
    }

    fn rewrite(&self, trace: &mut Trace, log: &RunLog) {
        if self.off == Off::Subdomains {
            for step in &mut trace.steps {
                let host = step.host.as_str().trim_start_matches("http://").to_owned();
                step.site = serde_json::from_value::<Site>(json!(host)).unwrap();
            }
        }
        if self.off.kept_name("").is_some() {
            let raw: BTreeMap<Aim, String> = log
                .steps
                .iter()
                .flat_map(|step| &step.targets)
                .map(|target| {
                    let said = if target.name.is_empty() {
                        target.label.as_deref().unwrap_or_default()
                    } else {
                        &target.name
                    };
                    (
                        Aim::of(target),
                        self.off.kept_name(said).unwrap_or_default(),
                    )
                })
                .collect();
            for found in &mut trace.found {
                let moves = found
                    .what
                    .moves
                    .iter_mut()
                    .filter_map(|step| step.aim.as_mut());
                for aim in found.what.aim.iter_mut().chain(moves) {
                    aim.name = raw.get(aim).cloned().unwrap_or_default();
                }
            }
        }
    }
}

impl MemoryKind for Weak {
    fn name(&self) -> &'static str {
        Lessons.name()
    }

    fn upkeep(&self, shelf: &Shelf, records: &[Record], now: DateTime<Utc>) -> Option<Edit> {
        Lessons.upkeep(shelf, records, now)
    }

    fn wants(&self, namespace: &Namespace, moment: &Moment<'_>) -> Vec<Shelf> {
        let mut shelves = Lessons.wants(namespace, moment);
        let reads_all = match moment.cue {
            Cue::RunStarted => self.off == Off::Ours,
            Cue::PageShown { .. } => self.off == Off::OwnHost,
            _ => false,
        };
        if reads_all {
            shelves.extend(
                self.lock()
                    .shelves
                    .iter()
                    .filter(|shelf| shelf.scope != Scope::Global)
                    .cloned(),
            );
        }
        shelves
    }

    fn index(&self, shelf: &Shelf, records: &[Record]) -> Arc<dyn Index> {
        let lessons: Vec<(String, Lesson)> = records
            .iter()
            .filter_map(|record| Some((record.key.clone(), Lesson::from_record(record).ok()?)))
            .map(|(key, mut lesson)| {
                match self.off {
                    Off::Words if matches!(lesson.text, LessonText::Words(_)) => {
                        lesson.source = LessonSource::User;
                    }
                    Off::Sites => lesson
                        .triggered_domains
                        .extend(["a.example", "b.example"].map(site)),
                    _ => {}
                }
                (key, lesson)
            })
            .collect();
        let records: Vec<Record> = lessons
            .iter()
            .map(|(key, lesson)| lesson.to_record(key.clone()).unwrap())
            .collect();
        let inner = Lessons.index(shelf, &records);
        Arc::new(WeakIndex {
            memory: self.clone(),
            shelf: shelf.clone(),
            lessons,
            inner,
        })
    }

    fn limit(&self, moment: &Moment<'_>) -> usize {
        if self.off == Off::Limit {
            usize::MAX
        } else {
            Lessons.limit(moment)
        }
    }

    fn distill(&self, log: &RunLog) -> Option<Value> {
        let mut log = log.clone();
        for step in &mut log.steps {
            if self.off == Off::Border {
                step.left_scope = false;
                step.after.clone_from(&step.before);
            }
        }
        Lessons.distill(&log)?;
        let mut trace = Trace::of(&log);
        self.rewrite(&mut trace, &log);
        let mut said = serde_json::to_value(&trace).unwrap();
        said["raw"] = self.raw(&log);
        Some(said)
    }

    fn learn(&self, namespace: &Namespace, said: &Value) -> Result<Vec<ShelfEdit>> {
        let whole: Trace = serde_json::from_value(said.clone()).unwrap();
        let traces = if self.off == Off::Once {
            let alone = |(n, found): (usize, &webwise::memory::lesson::Found)| {
                let mut trace = whole.clone();
                trace.run = RunId::parse(format!("{}-{n}", whole.run.as_str())).unwrap();
                trace.found = vec![found.clone()];
                // Promotion asks that it was shown, too; what counts here is how often one run may count.
                if let Some(general) = found.what.general() {
                    trace.steps[found.first].offered.push(AdviceId {
                        shelf: Shelf::global(namespace, COLLECTION),
                        key: LessonText::Template(general).key(),
                    });
                }
                trace
            };
            whole.found.iter().enumerate().map(alone).collect()
        } else {
            vec![whole]
        };
        let mut edits = Vec::new();
        for trace in traces {
            edits.extend(Lessons.learn(namespace, &serde_json::to_value(trace).unwrap())?);
        }
        self.lock()
            .shelves
            .extend(edits.iter().map(|edit| edit.shelf.clone()));
        let raw = Arc::new(said["raw"].clone());
        let keep = |ShelfEdit { shelf, edit }: ShelfEdit| {
            let raw = Arc::clone(&raw);
            let edit = Edit::new(move |records| {
                Ok(edit
                    .changes(records)?
                    .into_iter()
                    .map(|c| with_raw(c, &raw))
                    .collect())
            });
            ShelfEdit { shelf, edit }
        };
        Ok(edits.into_iter().map(keep).collect())
    }

    fn notes(
        &self,
        occasion: Occasion,
        shelf: &Shelf,
        run: &RunId,
        committed: &Committed,
        remaining: usize,
    ) -> Vec<Note> {
        Lessons.notes(occasion, shelf, run, committed, remaining)
    }
}

fn site(host: &str) -> Site {
    serde_json::from_value(json!(host)).unwrap()
}

/// A general lesson with the text that should not be in it.
fn with_raw(change: Change, raw: &Value) -> Change {
    let Change::Put(record) = change else {
        return change;
    };
    let Ok(mut lesson) = Lesson::from_record(&record) else {
        return Change::Put(record);
    };
    let about = lesson
        .command()
        .zip(lesson.trouble())
        .map(|(command, trouble)| format!("{command} {trouble}"));
    if let (LessonText::Template(_), Some(text)) =
        (&lesson.text, about.and_then(|about| raw.get(&about)))
    {
        lesson.extra.insert("raw".to_owned(), text.clone());
    }
    Change::Put(lesson.to_record(record.key).unwrap())
}

#[derive(Debug)]
struct WeakIndex {
    memory: Weak,
    shelf: Shelf,
    lessons: Vec<(String, Lesson)>,
    inner: Arc<dyn Index>,
}

impl WeakIndex {
    fn id(&self, key: &str) -> AdviceId {
        AdviceId {
            shelf: self.shelf.clone(),
            key: key.to_owned(),
        }
    }

    /// Every lesson with names of this shelf.
    fn recoveries(&self) -> impl Iterator<Item = (&str, &SiteRecovery)> {
        self.lessons
            .iter()
            .filter_map(|(key, lesson)| match &lesson.text {
                LessonText::Site(recovery) => Some((key.as_str(), recovery)),
                _ => None,
            })
    }

    /// All of them as tips, wherever what they name is.
    fn all_names(&self) -> Vec<Advice> {
        let tip = |(key, recovery): (&str, &SiteRecovery)| {
            Advice::with_names(
                self.id(key),
                recovery.pieces(),
                Trust::Code,
                Section::SiteTips,
            )
        };
        self.recoveries().filter_map(tip).collect()
    }

    /// All of them as if they were our own words.
    fn all_ours(&self) -> Vec<Advice> {
        let words = |(key, recovery): (&str, &SiteRecovery)| {
            Advice::new(
                self.id(key),
                &recovery.render(),
                Trust::Code,
                Section::Lessons,
            )
        };
        self.recoveries().filter_map(words).collect()
    }

    /// The same advice with what should not be in it.
    fn with_raw(&self, advice: Advice) -> Advice {
        let lesson = self
            .lessons
            .iter()
            .find(|(key, _)| *key == advice.id().key)
            .map(|(_, lesson)| lesson);
        let raw = lesson
            .and_then(|lesson| lesson.extra.get("raw"))
            .and_then(Value::as_str);
        let Some(raw) = raw else { return advice };
        let text = format!("{} It said: {raw}", advice.text());
        Advice::new(
            advice.id().clone(),
            &text,
            advice.trust(),
            advice.section().clone(),
        )
        .unwrap()
    }
}

impl Index for WeakIndex {
    fn advise(&self, moment: &Moment<'_>, above: bool) -> Vec<Advice> {
        let off = self.memory.off;
        let is_page = matches!(moment.cue, Cue::PageShown { .. });
        for (_, recovery) in self.recoveries() {
            let moves = recovery.moves.iter().filter_map(|step| step.aim.as_ref());
            for aim in recovery.aim.iter().chain(moves) {
                let shown = text::squeeze(&text::clean(&aim.name));
                let shown = text::truncate(&shown, PageName::MAX_NAME);
                self.memory.lock().full.insert(shown, aim.name.clone());
            }
        }
        // A name that is kept in another form is on no page, so it is said without a look at the page.
        match off {
            Off::OwnHost if is_page => return self.all_names(),
            Off::Cleaning | Off::Cap | Off::Quoting | Off::Limit if is_page && !above => {
                return self.all_names();
            }
            Off::Ours if *moment.cue == Cue::RunStarted && self.shelf.scope != Scope::Global => {
                return self.all_ours();
            }
            _ => {}
        }
        let said = self.inner.advise(moment, above);
        said.into_iter()
            .map(|advice| self.with_raw(advice))
            .collect()
    }
}
