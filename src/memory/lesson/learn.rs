//! Computes the changes to the lessons of a shelf: after a run, before a run first reads the shelf, and when a run or a
//! site is to be forgotten.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use serde_json::Map;

use super::{
    Category, Lesson, LessonSource, LessonText, Provenance, Trace,
    credit::{self, OnSite},
    record::Evidence,
    rules::MAX_LEARNED,
    seed,
    trace::Found,
};
use crate::{
    base::{Host, Result, RunId, Site},
    memory::{AdviceId, Change, Record, Scope, Shelf, apply},
};

/// The lessons of a shelf while they are edited. Records that cannot be read stay unchanged.
struct Book {
    lessons: BTreeMap<String, Lesson>,
    before: BTreeMap<String, Lesson>,
    /// Keys of records that cannot be read.
    strange: BTreeSet<String>,
}

impl Book {
    fn read(records: &[Record]) -> Self {
        let read = |record: &Record| Some((record.key.clone(), Lesson::from_record(record).ok()?));
        let lessons: BTreeMap<String, Lesson> = records.iter().filter_map(read).collect();
        let strange = records
            .iter()
            .map(|record| &record.key)
            .filter(|key| !lessons.contains_key(*key))
            .cloned();
        Self {
            before: lessons.clone(),
            strange: strange.collect(),
            lessons,
        }
    }

    fn changes(self) -> Result<Vec<Change>> {
        let mut changes = Vec::new();
        for key in self
            .before
            .keys()
            .filter(|key| !self.lessons.contains_key(*key))
        {
            changes.push(Change::Remove(key.clone()));
        }
        for (key, lesson) in &self.lessons {
            if self.before.get(key) != Some(lesson) {
                changes.push(Change::Put(lesson.to_record(key)?));
            }
        }
        Ok(changes)
    }

    /// Returns true if this book has edited or removed the lesson that `change` stores, so that `change` is outdated.
    fn is_changed(&self, change: &Change) -> bool {
        matches!(change, Change::Put(Record { key, .. }) if self.lessons.get(key) != self.before.get(key))
    }

    fn same(&self, text: &LessonText) -> Option<String> {
        self.lessons
            .iter()
            .find(|(_, lesson)| lesson.text == *text)
            .map(|(key, _)| key.clone())
    }

    /// Adds a learned lesson, unless the shelf has a lesson with the same text. If that lesson is imported and names
    /// elements, it becomes a learned one.
    fn add(
        &mut self,
        text: LessonText,
        category: Category,
        trace: &Trace,
        found: &Found,
        host: &Host,
    ) {
        let key = text.key();
        // A person may have stored a lesson with other words under this key.
        let is_taken = self.lessons.contains_key(&key) || self.strange.contains(&key);
        if let Some(lesson) = self.same(&text).and_then(|key| self.lessons.get_mut(&key)) {
            // This run confirms a lesson from another person's export, so the lesson needs no review any more.
            if matches!(lesson.text, LessonText::Site(_)) && lesson.source == LessonSource::Imported
            {
                lesson.source = LessonSource::Learned;
            }
        } else if !is_taken {
            let mut lesson = Lesson::new(text, category, LessonSource::Learned, trace.ended_at);
            lesson.provenance = Provenance {
                run: Some(trace.run.clone()),
                host: Some(host.clone()),
                page: found.page.clone(),
                extra: Map::new(),
            };
            lesson.fit();
            self.lessons.insert(key, lesson);
        }
    }

    /// Removes learned lessons until the shelf has at most [`MAX_LEARNED`] lessons in total. Lessons that helped least
    /// often go first; among equals, those used longest ago.
    fn compact(&mut self) {
        let mut learned: Vec<(u64, DateTime<Utc>, String)> = self
            .lessons
            .iter()
            .filter(|(_, lesson)| lesson.source == LessonSource::Learned)
            .map(|(key, lesson)| (lesson.counts.helped, lesson.last_used, key.clone()))
            .collect();
        // Lessons that are never removed count too, because a shelf that is too large accepts no more changes.
        let excess = self.lessons.len().saturating_sub(MAX_LEARNED);
        learned.sort();
        for (_, _, key) in learned.into_iter().take(excess) {
            self.lessons.remove(&key);
        }
    }
}

pub(super) fn learn(shelf: &Shelf, records: &[Record], trace: &Trace) -> Result<Vec<Change>> {
    let mut book = Book::read(records);
    let host = match &shelf.scope {
        Scope::Global => None,
        Scope::Host(host) => Some(host),
    };
    for (found, failed) in trace.recovered() {
        match host {
            Some(host) if failed.host == *host => {
                book.add(
                    LessonText::Site(found.what.clone()),
                    Category::SiteSpecific,
                    trace,
                    found,
                    host,
                );
            }
            Some(_) => {}
            None => {
                if let Some(general) = found.what.general() {
                    let text = LessonText::Template(general);
                    book.add(text, Category::ErrorRecovery, trace, found, &failed.host);
                }
            }
        }
    }
    let keys: Vec<String> = book.lessons.keys().cloned().collect();
    for key in keys {
        let id = AdviceId {
            shelf: shelf.clone(),
            key: key.clone(),
        };
        let Some(lesson) = book.lessons.get_mut(&key) else {
            continue;
        };
        let mut credits: BTreeMap<Option<Site>, OnSite> = credit::credits(lesson, &id, host, trace)
            .into_iter()
            .map(|(site, on_site)| (Some(site), on_site))
            .collect();
        if trace.offered.contains(&id) {
            // For one run, a lesson counts as shown only once, even if it was used on several sites.
            if let Some(first) = credits.values_mut().next() {
                first.credit.offered = true;
            } else {
                credits.entry(None).or_default().credit.offered = true;
            }
        }
        let before = lesson.clone();
        let mut changed = false;
        for (site, OnSite { credit, hosts }) in credits {
            changed |= lesson.credit(&trace.run, trace.ended_at, site.as_ref(), hosts, credit);
        }
        if changed {
            lesson.judge(&trace.run);
            if !lesson.is_storable() {
                // The words of a person can be so long that the counts no longer fit. The store would then refuse all
                // changes of the shelf.
                *lesson = before;
            }
        }
    }
    book.compact();
    book.changes()
}

/// Returns the changes that a shelf needs before a run first reads it. The global shelf gets the seeds (the lessons
/// shipped with the crate). Learned lessons with few uses that no run has used for a long time are removed.
pub(super) fn upkeep(shelf: &Shelf, records: &[Record], now: DateTime<Utc>) -> Result<Vec<Change>> {
    let mut book = Book::read(records);
    book.lessons.retain(|_, lesson| !lesson.is_stale(now));
    if shelf.scope == Scope::Global {
        for (key, lesson) in seed::lessons(now) {
            // A seed that cannot be read comes from a newer version, and counts as present.
            if !book.lessons.contains_key(key) && !book.strange.contains(key) {
                book.lessons.insert(key.to_owned(), lesson);
            }
        }
    }
    book.changes()
}

pub(super) fn undo(records: &[Record], run: &RunId) -> Result<Vec<Change>> {
    take_back(
        records,
        |evidence| evidence.run == *run,
        |lesson| lesson.provenance.run.as_ref() == Some(run),
    )
}

/// Returns the changes that remove what was learned on the host `host` of a site; on the whole site if `host` is
/// `None`. Evidence from this site that names no host is removed in both cases. Evidence that also names another host
/// stays, without the forgotten host.
pub(super) fn forget(records: &[Record], site: &Site, host: Option<&Host>) -> Result<Vec<Change>> {
    let is_meant = |known: &Host| match host {
        Some(host) => known == host,
        None => known.site().as_ref() == Some(site),
    };
    let is_of = |evidence: &Evidence| evidence.site.as_ref() == Some(site);
    let mut changes = take_back(
        records,
        |evidence| is_of(evidence) && evidence.hosts.iter().all(is_meant),
        |lesson| lesson.provenance.host.as_ref().is_some_and(is_meant),
    )?;
    // Remove the site also from lessons that name it without evidence, such as imported ones. Then drop learned lessons that
    // have no site left.
    let mut book = Book::read(&apply(records, &changes));
    for lesson in book.lessons.values_mut() {
        for evidence in lesson
            .evidence
            .iter_mut()
            .filter(|evidence| is_of(evidence))
        {
            evidence.hosts.retain(|known| !is_meant(known));
        }
        let names_it = |domain: &String| {
            super::v1::site_of(domain).as_ref() == Some(site)
                && host.is_none_or(|host| host.name() == domain)
        };
        let mut is_named = false;
        if let Some(original) = &mut lesson.original {
            original
                .triggered_domains
                .retain(|domain| !names_it(domain));
            let mut left = original.triggered_domains.iter();
            is_named = left.any(|domain| super::v1::site_of(domain).as_ref() == Some(site));
        }
        if !is_named && !lesson.evidence.iter().any(is_of) {
            lesson.triggered_domains.remove(site);
        }
    }
    book.lessons.retain(|_, lesson| {
        lesson.source != LessonSource::Learned || !lesson.triggered_domains.is_empty()
    });
    changes.retain(|change| matches!(change, Change::Remove(_)) || !book.is_changed(change));
    changes.extend(book.changes()?);
    Ok(changes)
}

fn take_back(
    records: &[Record],
    of: impl Fn(&Evidence) -> bool,
    began: impl Fn(&Lesson) -> bool,
) -> Result<Vec<Change>> {
    let mut book = Book::read(records);
    book.lessons.retain(|_, lesson| {
        let is_learned = lesson.source == LessonSource::Learned;
        let began_so = is_learned && began(lesson);
        let taken = lesson.take_back(&of);
        if taken || began_so {
            // Apply the rules again to the remaining evidence.
            (lesson.demoted_by, lesson.retired_by) = (None, None);
            let last = lesson.evidence.last().map(|evidence| evidence.run.clone());
            if let Some(run) = last {
                lesson.judge(&run);
            } else if lesson.promoted_by.take().is_some() {
                lesson.category = Category::ErrorRecovery;
            }
            if began_so {
                // The run stays named while the counts contain it, because it did not use the lesson.
                let counted = lesson.taught() > 0;
                lesson.provenance = Provenance {
                    run: lesson.provenance.run.take().filter(|_| counted),
                    ..Provenance::default()
                };
            }
        }
        // Uses whose evidence was dropped earlier may still support the lesson.
        let is_proven = lesson.counts.used > 0 && !lesson.triggered_domains.is_empty();
        !is_learned || is_proven || !(taken || began_so)
    });
    book.changes()
}
