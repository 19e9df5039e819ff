//! The lessons of a shelf, ordered for recall: what is said for a cue is looked up, not searched for.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
};

use aho_corasick::AhoCorasick;

use super::{Category, Lesson, LessonSource, LessonText, Trouble};
use crate::{
    action::BrowserTool,
    base::text,
    memory::{Advice, AdviceId, Cue, Index, Placement, Record, Scope, Shelf},
    page::PageTemplate,
};

/// Most lessons in the system instruction. Source: the first requirements document.
pub const MAX_TIER_1: usize = 10;
/// Most tips for one failed command, and for one site. Source: the requirements.
pub const MAX_TIPS: usize = 3;

/// An index over the lessons of one shelf.
///
/// A recall costs the lessons it returns and the bytes of the error it is asked about, however many lessons there are.
#[derive(Debug)]
pub struct LessonIndex {
    tier_1: Vec<Advice>,
    failures: HashMap<(BrowserTool, Trouble), Vec<Advice>>,
    patterns: Vec<Pattern>,
    /// Finds all patterns in one pass; `None` when there are none.
    matcher: Option<AhoCorasick>,
    site: Vec<(Option<PageTemplate>, Advice)>,
    /// Place in `site` by the kind of page it was learned on.
    pages: BTreeMap<PageTemplate, Vec<usize>>,
    /// Advice that holds for the names below this one, too.
    below: Vec<Advice>,
    /// Whether the shelf is that of all sites.
    global: bool,
}

/// What a person wrote about an error.
#[derive(Debug)]
struct Pattern {
    command: Option<String>,
    /// Whether it holds for the names below its host, too.
    holds_below: bool,
    advice: Advice,
}

/// What was used most first, then seeds; by key at last, so that the order never depends on the store.
fn rank(lesson: &Lesson, key: &str) -> (Reverse<u64>, bool, String) {
    (
        Reverse(lesson.counts.used),
        lesson.source != LessonSource::Seed,
        key.to_owned(),
    )
}

impl LessonIndex {
    /// Reads the records of a shelf; what cannot be read is left out.
    pub fn new(shelf: &Shelf, records: &[Record]) -> Self {
        let mut found: Vec<(String, Lesson)> = records
            .iter()
            .filter_map(|record| Some((record.key.clone(), Lesson::from_record(record).ok()?)))
            .filter(|(_, lesson)| lesson.speaks())
            .collect();
        found.sort_by_cached_key(|(key, lesson)| rank(lesson, key));
        let mut index = Self {
            tier_1: Vec::new(),
            failures: HashMap::new(),
            patterns: Vec::new(),
            matcher: None,
            site: Vec::new(),
            pages: BTreeMap::new(),
            below: Vec::new(),
            global: shelf.scope == Scope::Global,
        };
        let mut words = Vec::new();
        for (key, lesson) in &found {
            index.add(
                &AdviceId {
                    shelf: shelf.clone(),
                    key: key.clone(),
                },
                lesson,
                &mut words,
            );
        }
        if !words.is_empty() {
            // Too many or too long to be compiled: then the patterns of this shelf are not used.
            index.matcher = AhoCorasick::builder().build(&words).ok();
        }
        index
    }

    fn add(&mut self, id: &AdviceId, lesson: &Lesson, words: &mut Vec<String>) {
        let make =
            |placement| Advice::new(id.clone(), &lesson.text.render(), lesson.trust(), placement);
        if self.global
            && lesson.category.is_tier_1()
            && lesson.domain.is_none()
            && self.tier_1.len() < MAX_TIER_1
        {
            self.tier_1.extend(make(Placement::System));
        }
        match &lesson.text {
            LessonText::Template(template) if template.trouble != Trouble::Any => {
                let known = self
                    .failures
                    .entry((template.command, template.trouble))
                    .or_default();
                if known.len() < MAX_TIPS {
                    known.extend(make(Placement::Error));
                }
            }
            LessonText::Template(_) => {}
            LessonText::Site(_) => {
                if let Some(advice) = make(Placement::Site) {
                    let page = lesson.provenance.page.clone();
                    if let Some(page) = &page {
                        self.pages
                            .entry(page.clone())
                            .or_default()
                            .push(self.site.len());
                    }
                    self.site.push((page, advice));
                }
            }
            LessonText::Words(_) => {
                // What holds for one domain stands on that domain's shelf.
                let is_here = !self.global || lesson.domain.is_none();
                if let Some(pattern) = lesson
                    .error_pattern
                    .as_deref()
                    .map(text::fold)
                    .filter(|p| is_here && !p.is_empty())
                    && let Some(advice) = make(Placement::Error)
                {
                    words.push(pattern);
                    self.patterns.push(Pattern {
                        command: lesson.failed_command.clone(),
                        holds_below: lesson.domain.is_some(),
                        advice,
                    });
                }
                if !self.global
                    && lesson.category == Category::SiteSpecific
                    && let Some(advice) = make(Placement::Site)
                {
                    if lesson.domain.is_some() {
                        self.below.push(advice.clone());
                    }
                    self.site.push((None, advice));
                }
            }
        }
    }

    fn for_failure(&self, command: &str, trouble: Trouble, detail: &str) -> Vec<Advice> {
        let key = BrowserTool::parse(command).map(|tool| (tool, trouble));
        let known = key.and_then(|key| self.failures.get(&key));
        let mut out = self.for_words(command, detail, false);
        // A person's words first: they are few, and somebody meant them.
        out.extend(known.into_iter().flatten().cloned());
        out.truncate(MAX_TIPS);
        out
    }

    /// What persons wrote about an error like this; `below`: what holds for names below this one.
    fn for_words(&self, command: &str, detail: &str, below: bool) -> Vec<Advice> {
        let mut out = Vec::new();
        if let Some(matcher) = &self.matcher {
            let folded = text::fold(detail);
            let mut hits: Vec<usize> = matcher
                .find_overlapping_iter(&folded)
                .map(|hit| hit.pattern().as_usize())
                .collect();
            hits.sort_unstable();
            hits.dedup();
            let is_for = |pattern: &Pattern| {
                pattern.command.as_deref().is_none_or(|own| own == command)
                    && (pattern.holds_below || !below)
            };
            let hits = hits
                .into_iter()
                .map(|hit| &self.patterns[hit])
                .filter(|pattern| is_for(pattern));
            out.extend(hits.map(|pattern| pattern.advice.clone()));
        }
        out.truncate(MAX_TIPS);
        out
    }

    /// What was learned on this kind of page first.
    fn for_site(&self, page: Option<&PageTemplate>) -> Vec<Advice> {
        let here = page
            .and_then(|page| self.pages.get(page))
            .into_iter()
            .flatten()
            .copied();
        let elsewhere = (0..self.site.len())
            .filter(|at| self.site[*at].0.is_none() || self.site[*at].0.as_ref() != page);
        here.chain(elsewhere)
            .take(MAX_TIPS)
            .map(|at| self.site[at].1.clone())
            .collect()
    }
}

impl Index for LessonIndex {
    fn advise(&self, cue: &Cue, above: bool) -> Vec<Advice> {
        match cue {
            Cue::RunStarted => self.tier_1.clone(),
            Cue::PageShown { .. } if above => self.below.iter().take(MAX_TIPS).cloned().collect(),
            Cue::PageShown { page, .. } => self.for_site(page.as_ref()),
            Cue::CommandFailed {
                command, detail, ..
            } if above => self.for_words(command, detail, true),
            Cue::CommandFailed {
                command,
                trouble,
                detail,
                ..
            } => self.for_failure(command, *trouble, detail),
        }
    }
}
