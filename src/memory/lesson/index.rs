//! An index of a shelf's lessons. It finds the advice for a page or a failed command without a search through all lessons.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
};

use aho_corasick::AhoCorasick;

use super::{Aim, Category, FailureKind, Lesson, LessonSource, LessonText};
use crate::{
    action::{Action, BrowserAction, BrowserTool, ErrorClass, Outcome},
    base::{Trust, text},
    memory::{Advice, AdviceId, Cue, Index, Moment, Record, Scope, Section, Shelf},
    page::{PageTemplate, Role, TargetIdentity, Tree, sketch},
    working::Step,
};

/// Maximum number of lessons in the system instruction. Source: chosen.
pub const MAX_TIER_1: usize = 10;
/// Maximum number of lessons that are shown as tips for one failed command or for one page. Source: chosen.
pub const MAX_TIPS: usize = 3;

/// An index of the lessons on one shelf.
///
/// The cost of a query depends on the number of lessons returned and on the length of the error message. If any lesson
/// names an element, the query also walks over the page once.
#[derive(Debug)]
pub struct LessonIndex {
    tier_1: Vec<Advice>,
    failures: HashMap<(BrowserTool, FailureKind), Vec<Advice>>,
    patterns: Vec<Pattern>,
    /// A person's words of tier 2 for every site without a pattern: they apply to every failure of their command.
    unpatterned: Vec<Pattern>,
    /// The matcher that searches an error message for the texts of all `patterns`.
    matcher: Option<AhoCorasick>,
    /// Tips for the pages of the shelf's host, ordered by [`rank`].
    site: Vec<SiteTip>,
    /// Indexes into `site`: the tips that are recoveries, by failed command, kind of failure and target.
    recoveries: HashMap<(BrowserTool, FailureKind, Option<Aim>), Vec<usize>>,
    /// Indexes into `site`: the tips that need elements on the page, by the first of these elements.
    by_need: HashMap<Aim, Vec<usize>>,
    /// Indexes into `site`: the tips that apply to every page, because they need no element.
    anywhere: Vec<usize>,
    /// The roles of all elements that the tips need.
    roles: HashSet<Role>,
    /// Advice that also applies to subdomains of the shelf's host.
    below: Vec<Advice>,
    global: bool,
}

#[derive(Debug)]
struct SiteTip {
    /// The kind of page on which the tip was learned, if known.
    page: Option<PageTemplate>,
    /// The elements that must be on the page for the tip to apply.
    needs: Vec<Aim>,
    advice: Advice,
    /// A copy of `advice` for the prompt section about a failed command; `None` for a tip from [`LessonText::Words`].
    at_failure: Option<Advice>,
}

/// A person's words that are shown if a command failed.
#[derive(Debug)]
struct Pattern {
    /// The command; `None` for every command.
    command: Option<String>,
    /// True if the words also apply to subdomains of the host.
    holds_below: bool,
    advice: Advice,
}

/// Returns a value that sorts lessons: most uses first; among equals, seeds (the shipped lessons) first; then by key.
fn rank(lesson: &Lesson, key: &str) -> (Reverse<u64>, bool, String) {
    (
        Reverse(lesson.counts.used),
        lesson.source != LessonSource::Seed,
        key.to_owned(),
    )
}

impl LessonIndex {
    /// Creates the index of a shelf from its records. Records that cannot be read, and lessons that may not be shown, are
    /// left out.
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
            unpatterned: Vec::new(),
            matcher: None,
            site: Vec::new(),
            recoveries: HashMap::new(),
            by_need: HashMap::new(),
            anywhere: Vec::new(),
            roles: HashSet::new(),
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
            // If there are too many patterns, or they are too long to compile, none is used for this shelf.
            index.matcher = AhoCorasick::builder().build(&words).ok();
        }
        index
    }

    fn add(&mut self, id: &AdviceId, lesson: &Lesson, words: &mut Vec<String>) {
        let make =
            |section| Advice::new(id.clone(), &lesson.text.render(), lesson.trust(), section);
        if self.global
            && lesson.category.is_tier_1()
            && lesson.domain.is_none()
            && self.tier_1.len() < MAX_TIER_1
        {
            self.tier_1.extend(make(Section::Lessons));
        }
        match &lesson.text {
            LessonText::Template(template) if template.trouble != FailureKind::Any => {
                let known = self
                    .failures
                    .entry((template.command, template.trouble))
                    .or_default();
                if known.len() < MAX_TIPS {
                    known.extend(make(Section::ErrorTips));
                }
            }
            LessonText::Template(_) => {}
            LessonText::Site(recovery) => {
                // The sentence is ours; the names in it come from the page.
                let make = |section| {
                    Advice::with_names(id.clone(), recovery.pieces(), Trust::Code, section)
                };
                if let Some(advice) = make(Section::SiteTips) {
                    let failure = (recovery.command, recovery.trouble, recovery.aim.clone());
                    let at = self.add_site(SiteTip {
                        page: lesson.provenance.page.clone(),
                        needs: recovery.needs().into_iter().cloned().collect(),
                        advice,
                        at_failure: make(Section::ErrorTips),
                    });
                    self.recoveries.entry(failure).or_default().push(at);
                }
            }
            LessonText::Words(_) => {
                // The global shelf skips words that are for one domain, because that domain's own shelf has them.
                if self.global && lesson.domain.is_some() {
                    return;
                }
                let pattern = lesson.error_pattern.as_deref();
                let pattern = pattern
                    .map(|text| text::Folded::of(text).as_str().to_owned())
                    .filter(|pattern| !pattern.is_empty());
                let is_unpatterned = pattern.is_none();
                let is_in_tier_1 = self.global && lesson.category.is_tier_1();
                let at_failure = |advice| Pattern {
                    command: lesson.failed_command.clone(),
                    holds_below: lesson.domain.is_some(),
                    advice,
                };
                if let Some(pattern) = pattern
                    && let Some(advice) = make(Section::ErrorTips)
                {
                    words.push(pattern);
                    self.patterns.push(at_failure(advice));
                }
                if self.global && is_unpatterned && !is_in_tier_1 {
                    let advice = make(Section::ErrorTips);
                    self.unpatterned.extend(advice.map(at_failure));
                }
                if !self.global
                    && (is_unpatterned || lesson.category == Category::SiteSpecific)
                    && let Some(advice) = make(Section::SiteTips)
                {
                    if lesson.domain.is_some() {
                        self.below.push(advice.clone());
                    }
                    self.add_site(SiteTip {
                        page: None,
                        needs: Vec::new(),
                        advice,
                        at_failure: None,
                    });
                }
            }
        }
    }

    fn add_site(&mut self, tip: SiteTip) -> usize {
        let at = self.site.len();
        self.roles
            .extend(tip.needs.iter().map(|aim| aim.role.clone()));
        match tip.needs.first() {
            Some(first) => self.by_need.entry(first.clone()).or_default().push(at),
            None => self.anywhere.push(at),
        }
        self.site.push(tip);
        at
    }

    fn for_failure(&self, failure: &Failure<'_>, page: Option<&Tree>) -> Vec<Advice> {
        let tool = BrowserTool::parse(failure.command);
        let known = tool.and_then(|tool| self.failures.get(&(tool, failure.trouble)));
        let known = known.filter(|_| !escapes_in_vain(failure, page));
        // A person's words come first, because they are few and deliberate; then recoveries for this exact target.
        let mut out = self.for_words(failure.command, failure.detail, false);
        out.extend(
            tool.zip(page)
                .into_iter()
                .flat_map(|(tool, page)| self.for_target(tool, failure, page)),
        );
        out.extend(known.into_iter().flatten().cloned());
        out.truncate(MAX_TIPS);
        out
    }

    /// Returns the recoveries learned on this host for the command `tool` and this kind of failure. The elements that
    /// they need must be on the page. Recoveries for the target of the failed command come before those without a
    /// target.
    fn for_target(&self, tool: BrowserTool, failure: &Failure<'_>, page: &Tree) -> Vec<Advice> {
        let target = failure.targets.first();
        let aim = target.map(Aim::of);
        let place = target
            .and_then(Aim::by_place)
            .filter(|place| Some(place) != aim.as_ref());
        let is_aimed = aim.is_some();
        let of = |aim: Option<Aim>| self.recoveries.get(&(tool, failure.trouble, aim));
        let grouped = target.into_iter().flat_map(Aim::in_groups);
        let mut known = grouped
            .filter_map(|aim| of(Some(aim)))
            .chain(of(aim))
            .chain(place.and_then(|place| of(Some(place))))
            .chain(is_aimed.then(|| of(None)).flatten());
        let Some(first) = known.next() else {
            return Vec::new();
        };
        let places: Vec<usize> = first.iter().chain(known.flatten()).copied().collect();
        let here = on_page(page, |role| {
            let needs = places.iter().flat_map(|at| &self.site[*at].needs);
            needs.into_iter().any(|aim| aim.role == *role)
        });
        let applies = |at: &usize| self.site[*at].needs.iter().all(|aim| here.contains(aim));
        places
            .into_iter()
            .filter(applies)
            .filter_map(|at| self.site[at].at_failure.clone())
            .take(MAX_TIPS)
            .collect()
    }

    /// Returns the advice in a person's words for the failure of a command whose error message is `detail`: first the
    /// advice whose pattern occurs in the message, then the advice without a pattern. If `below` is true, returns only
    /// advice that also applies to subdomains of the shelf's host.
    fn for_words(&self, command: &str, detail: &str, below: bool) -> Vec<Advice> {
        let mut hits = Vec::new();
        if let Some(matcher) = &self.matcher {
            let folded = text::Folded::of(detail);
            let found = matcher.find_overlapping_iter(folded.as_str());
            hits.extend(found.map(|hit| hit.pattern().as_usize()));
            hits.sort_unstable();
            hits.dedup();
        }
        let is_for = |pattern: &&Pattern| {
            pattern.command.as_deref().is_none_or(|own| own == command)
                && (pattern.holds_below || !below)
        };
        let hits = hits.into_iter().map(|hit| &self.patterns[hit]);
        let found = hits.chain(&self.unpatterned).filter(is_for);
        found
            .take(MAX_TIPS)
            .map(|pattern| pattern.advice.clone())
            .collect()
    }

    /// Returns the tips that apply to this page. Tips that were learned on the same kind of page come first.
    fn for_site(&self, kind: Option<&PageTemplate>, page: &Tree) -> Vec<Advice> {
        let here = if self.by_need.is_empty() {
            HashSet::new()
        } else {
            on_page(page, |role| self.roles.contains(role))
        };
        let applies = |at: &usize| self.site[*at].needs.iter().all(|aim| here.contains(aim));
        let named = here.iter().filter_map(|aim| self.by_need.get(aim));
        let mut places: Vec<usize> = named
            .flatten()
            .copied()
            .filter(applies)
            .chain(self.anywhere.iter().copied())
            .collect();
        let is_elsewhere = |at: usize| kind.is_none() || self.site[at].page.as_ref() != kind;
        places.sort_unstable_by_key(|at| (is_elsewhere(*at), *at));
        places
            .into_iter()
            .take(MAX_TIPS)
            .map(|at| self.site[at].advice.clone())
            .collect()
    }
}

/// Returns true if a target is covered and pressing Escape would be wrong: it had no effect before, or a dialog that the run itself
/// opened covers the target.
fn escapes_in_vain(failure: &Failure<'_>, page: Option<&Tree>) -> bool {
    let is_escape = |step: &&Step| match &step.action {
        Action::Browser(BrowserAction::Press(press)) => press.key.as_str() == "Escape",
        _ => false,
    };
    let is_dialog = Role::is_dialog;
    let opened = |step: &Step| {
        let found = step.changes.as_ref().filter(|found| !found.navigated);
        found.is_some_and(|found| found.added.iter().any(|change| is_dialog(&change.role)))
    };
    let of_page = failure.steps.iter().rev();
    let mut of_page = of_page.take_while(|step| !step.opened());

    let is_shown = page.is_some_and(|page| page.nodes().iter().any(|node| is_dialog(&node.role)));
    failure.trouble == FailureKind::Failed(ErrorClass::Intercepted)
        && of_page.any(|step| {
            is_escape(&step) && step.outcome == Outcome::NoEffect || is_shown && opened(step)
        })
}

struct Failure<'a> {
    command: &'a str,
    trouble: FailureKind,
    targets: &'a [TargetIdentity],
    detail: &'a str,
    steps: &'a [Step],
}

/// Returns the elements of the page with a `wanted` role, in the form in which lessons name elements.
fn on_page(page: &Tree, wanted: impl Fn(&Role) -> bool) -> HashSet<Aim> {
    // Lessons from versions that recorded no attributes name their element by position.
    let aims = |seen: &TargetIdentity| {
        let own = std::iter::once(Aim::of(seen)).chain(Aim::by_place(seen));
        own.chain(Aim::in_groups(seen)).collect::<Vec<_>>()
    };
    sketch(page, wanted).iter().flat_map(aims).collect()
}

impl Index for LessonIndex {
    fn advise(&self, moment: &Moment<'_>, above: bool) -> Vec<Advice> {
        match moment.cue {
            Cue::RunStarted => self.tier_1.clone(),
            Cue::PageShown { .. } if above => self.below.iter().take(MAX_TIPS).cloned().collect(),
            Cue::PageShown { page, seen, .. } => self.for_site(page.as_ref(), &seen.tree),
            Cue::CommandFailed {
                command, detail, ..
            } if above => self.for_words(command, detail, true),
            Cue::CommandFailed {
                command,
                failure,
                targets,
                detail,
                seen,
                ..
            } => {
                let failure = Failure {
                    command,
                    trouble: *failure,
                    targets,
                    detail,
                    steps: moment.steps,
                };
                self.for_failure(&failure, seen.as_ref().map(|seen| &seen.tree))
            }
        }
    }
}
