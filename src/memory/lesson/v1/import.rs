//! Import of version 1 of `memory.json`, the file of another program.
//!
//! A lesson that was imported before, or that is a seed, is merged with the stored lesson. The uses in the file are
//! added to those of this memory. If several files have the lesson, only the largest number of uses is added. The
//! earlier day of creation and the later day of last use are kept. So a file may be imported twice without counting
//! anything twice. Any other stored lesson keeps its counts and days.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use serde_json::json;

use super::{Document, Entry, Problem, Problems, Source, site_of, sites_of};
use crate::{
    action::FailureKind,
    base::{Host, canonical, short_hash, text},
    memory::{
        Advice, Change, Edit, MAX_RECORD_BYTES, Namespace, Record, Scope, Shelf, ShelfEdit,
        lesson::{
            COLLECTION, Category, Lesson, LessonSource, LessonText, MAX_EVIDENCE, Original, seed,
        },
    },
};

/// Maximum size of the record of an imported lesson. Unit: bytes. Source: the maximum size of a record, minus 512 bytes
/// for the counts and evidence that later runs add.
const MAX_LESSON_BYTES: usize = MAX_RECORD_BYTES - 512;
/// Maximum number of imported lessons on one shelf. Source: chosen; a shelf holds twice as many records of the maximum size.
pub const MAX_ON_A_SHELF: usize = 150;
/// The key of each seed (a lesson shipped with the crate), with the first words of its documented sentence. A lesson in
/// the file is imported as a seed if its source is `seed`, its text begins with these words, its category is that of
/// the seed, and it has no domain. Only the first words are compared, because the documentation of the format does not
/// quote every sentence in full.
const DOCUMENTED: [(&str, &str); 3] = [
    (
        "seed-fill-fallback",
        "if fill fails click ref to focus the input then type text",
    ),
    (
        "seed-press-enter",
        "after entering text in a search box press enter to submit",
    ),
    (
        "seed-escape-overlay",
        "if an overlay or popup is blocking an element press escape to dismiss it",
    ),
];

/// The edits that import a file `memory.json`, and the numbers and problems to report.
#[derive(Debug, Clone)]
pub struct Import {
    /// The edits, one for each shelf. Applying an edit twice has the same effect as applying it once.
    pub edits: Vec<ShelfEdit>,
    /// Number of lessons of the file that the edits import, even if they are stored already. When an edit is applied,
    /// it leaves out new lessons above [`MAX_ON_A_SHELF`] and lessons whose stored record cannot be read.
    pub taken: usize,
    /// Number of these lessons whose words must be reviewed by a person, including those that a person has already
    /// accepted in this memory.
    pub waiting: usize,
    /// The problems of the file, for example a lesson that was refused.
    pub problems: Vec<Problem>,
}

/// A lesson of the file that is to be stored on a shelf.
#[derive(Debug, Clone)]
struct Item {
    entry: Entry,
    /// The text of the lesson, which prompts show unchanged and a person reads before accepting it.
    text: LessonText,
    is_trusted: bool,
    now: DateTime<Utc>,
}

/// Returns the edits that import a file. With `trust`, the importing person vouches for the words in the file. Without it,
/// prompts do not show the words until a person has accepted them.
pub fn import(
    document: &Document,
    namespace: &Namespace,
    trust: bool,
    now: DateTime<Utc>,
) -> Import {
    let mut problems = Problems::default();
    problems.told.clone_from(&document.problems);
    let seeds = seed::lessons(now);
    let mut shelves: BTreeMap<Shelf, BTreeMap<String, Item>> = BTreeMap::new();
    let (mut taken, mut waiting) = (0, 0);
    for (at, entry) in &document.lessons {
        let mut problem = |what: String| problems.add(Some(*at), what);
        let shelf = match shelf_of(entry, namespace) {
            Ok(shelf) => shelf,
            Err(why) => {
                problem(why);
                continue;
            }
        };
        // A person must accept exactly the text that will be shown.
        let shown = Advice::shown(&entry.lesson);
        let seed = seeds.iter().find(|(key, seed)| is_seed(entry, key, seed));
        let (key, text) = match seed {
            Some((key, seed)) => ((*key).to_owned(), seed.text.clone()),
            None => (key_of(entry), LessonText::Words(shown.clone())),
        };
        let item = Item {
            entry: entry.clone(),
            text,
            is_trusted: trust,
            now,
        };
        let record = item.fresh().to_record(&key);
        if record.map_or(usize::MAX, |record| record.size()) > MAX_LESSON_BYTES {
            let why =
                format!("it is larger than the {MAX_LESSON_BYTES} bytes that are kept of a lesson");
            problem(why);
            continue;
        }
        let items = shelves.entry(shelf).or_default();
        if let Some(known) = items.get_mut(&key) {
            problem("it says the same as one before it: both are one lesson now".to_owned());
            known.entry.absorb(entry);
            continue;
        }
        if items.len() >= MAX_ON_A_SHELF {
            let why = format!("no more than {MAX_ON_A_SHELF} lessons of one domain are taken");
            problem(why);
            continue;
        }
        if seed.is_none() && shown.ends_with('…') && !entry.lesson.trim_end().ends_with('…') {
            let most = Advice::MAX_TEXT;
            let why = format!("its text is shown as far as {most} characters; all of it is kept");
            problem(why);
        }
        taken += 1;
        waiting += usize::from(seed.is_none() && !trust);
        items.insert(key, item);
    }
    let edits = shelves
        .into_iter()
        .map(|(shelf, items)| {
            let at = shelf.clone();
            let edit = Edit::new(move |records| changes(&at, records, &items));
            ShelfEdit { shelf, edit }
        })
        .collect();
    Import {
        edits,
        taken,
        waiting,
        problems: problems.told(),
    }
}

/// Returns the shelf of a lesson, or the reason why its domain is not taken.
fn shelf_of(entry: &Entry, namespace: &Namespace) -> Result<Shelf, String> {
    let Some(domain) = &entry.domain else {
        return Ok(Shelf::global(namespace, COLLECTION));
    };
    let host = Host::of_domain(domain).map_err(|error| {
        let why = error.context().first();
        let why = why.map_or("it is not a host name", |(_, why)| why.as_str());
        let domain = super::shown(&domain.as_str().into());
        format!("its domain {domain} is not taken: {why}")
    })?;
    Ok(Shelf::host(namespace, COLLECTION, &host))
}

/// Returns the key of a lesson, which depends only on its words, failed command, error pattern and domain. So a lesson has
/// the same key in every file.
fn key_of(entry: &Entry) -> String {
    let value = json!([
        entry.lesson,
        entry.failed_command,
        entry.error_pattern,
        entry.domain
    ]);
    format!("import-{}", short_hash(canonical(&value)))
}

/// Returns true if the entry is this seed, in the words of this crate or in the documented words.
fn is_seed(entry: &Entry, key: &str, seed: &Lesson) -> bool {
    let words = text::words(&entry.lesson);
    let begins = |known: &str| words.starts_with(&text::words(known));
    let is_documented = entry.source == Source::Seed
        && DOCUMENTED
            .iter()
            .any(|(known, beginning)| *known == key && begins(beginning));
    entry.domain.is_none()
        && entry.category == seed.category
        && (is_documented || words == text::words(&seed.text.render()))
}

fn changes(
    shelf: &Shelf,
    records: &[Record],
    items: &BTreeMap<String, Item>,
) -> crate::base::Result<Vec<Change>> {
    let stored: Vec<(&str, Option<Lesson>)> = records
        .iter()
        .map(|record| (record.key.as_str(), Lesson::from_record(record).ok()))
        .collect();
    let is_imported =
        |lesson: &Lesson| lesson.original.is_some() && matches!(lesson.text, LessonText::Words(_));
    let mut imported = stored
        .iter()
        .filter(|(_, lesson)| lesson.as_ref().is_some_and(is_imported))
        .count();
    let mut changes = Vec::new();
    for (key, item) in items {
        let own = stored.iter().find(|(known, _)| known == key);
        let same = || {
            stored.iter().find(|(_, lesson)| {
                lesson
                    .as_ref()
                    .is_some_and(|l| item.is_same(&written(shelf, l)))
            })
        };
        let (key, known) = match own.or_else(same) {
            None => (key.as_str(), None),
            // The record cannot be read: a newer version or a person wrote it, so it stays.
            Some((_, None)) => continue,
            Some((key, Some(lesson))) => (*key, Some(lesson)),
        };
        let next = match known {
            None if item.is_words() && imported >= MAX_ON_A_SHELF => continue,
            None => {
                imported += usize::from(item.is_words());
                item.fresh()
            }
            Some(known) => item.merged(shelf, known),
        };
        let record = next.to_record(key)?;
        // If the merged lesson would be larger than an imported lesson may be, keep the stored one, so that the rest of
        // the file can be imported.
        if known != Some(&next) && (known.is_none() || record.size() <= MAX_LESSON_BYTES) {
            changes.push(Change::Put(record));
        }
    }
    Ok(changes)
}

/// Returns the stored lesson as an entry of a file, to compare it with one.
fn written(shelf: &Shelf, lesson: &Lesson) -> Entry {
    let original = lesson.original.clone().unwrap_or_default();
    let is_words = matches!(lesson.text, LessonText::Words(_));
    let known = |named: Option<&str>| named.map(str::to_owned);
    let (failed_command, error_pattern) = match lesson.trouble() {
        _ if is_words => (lesson.failed_command.clone(), lesson.error_pattern.clone()),
        _ if lesson.original.is_some() => (original.failed_command, original.error_pattern),
        // In version 1, a command without an error would match every failure of that command.
        None | Some(FailureKind::Any) => (None, None),
        Some(trouble) => (known(lesson.command()), known(Some(trouble.as_str()))),
    };
    let domain = match &shelf.scope {
        Scope::Host(host) => lesson
            .domain
            .clone()
            .or_else(|| Some(host.name().to_owned())),
        Scope::Global => lesson.domain.clone(),
    };
    let source = match lesson.source {
        _ if lesson.original.is_some() => {
            Source::parse(&original.source).unwrap_or(Source::Learned)
        }
        LessonSource::Seed => Source::Seed,
        LessonSource::User => Source::User,
        LessonSource::Learned | LessonSource::Imported => Source::Learned,
    };
    let told = sites_of(&original.triggered_domains);
    let mut triggered_domains = original.triggered_domains;
    let since = lesson
        .triggered_domains
        .iter()
        .filter(|site| !told.contains(*site));
    triggered_domains.extend(since.map(|site| site.as_str().to_owned()));
    Entry {
        lesson: original.lesson.unwrap_or_else(|| lesson.text.render()),
        category: lesson.category,
        failed_command,
        error_pattern,
        domain,
        use_count: lesson.counts.used,
        created_at: Some(lesson.created_at.date_naive()),
        last_used: Some(lesson.last_used.date_naive()),
        source,
        triggered_domains,
    }
}

/// Returns true if the entry says no more than `now`, the stored lesson as an entry. Such an entry may come from a file that was
/// written from the same lesson, whose uses must not be counted twice.
fn is_earlier(entry: &Entry, now: &Entry) -> bool {
    let grown = Entry {
        use_count: now.use_count,
        last_used: now.last_used,
        triggered_domains: now.triggered_domains.clone(),
        ..entry.clone()
    };
    let is_known = |domain| now.triggered_domains.contains(domain);
    grown == *now
        && entry.use_count <= now.use_count
        && entry.last_used <= now.last_used
        && entry.triggered_domains.iter().all(is_known)
}

impl Entry {
    fn absorb(&mut self, other: &Self) {
        self.use_count = self.use_count.max(other.use_count);
        self.created_at = self.created_at.into_iter().chain(other.created_at).min();
        self.last_used = self.last_used.max(other.last_used);
        if other.category == Category::BestPractice && self.category == Category::ErrorRecovery {
            self.category = other.category;
        }
        for domain in &other.triggered_domains {
            if !self.triggered_domains.contains(domain) {
                self.triggered_domains.push(domain.clone());
            }
        }
    }
}

impl Item {
    fn is_same(&self, other: &Entry) -> bool {
        let key = |entry: &Entry| {
            (
                entry.lesson.clone(),
                entry.failed_command.clone(),
                entry.error_pattern.clone(),
            )
        };
        key(&self.entry) == key(other)
    }

    fn is_words(&self) -> bool {
        matches!(self.text, LessonText::Words(_))
    }

    fn day(&self, day: Option<NaiveDate>) -> DateTime<Utc> {
        day.map_or(self.now, |day| day.and_time(NaiveTime::MIN).and_utc())
    }

    fn fresh(&self) -> Lesson {
        let entry = &self.entry;
        let source = match (self.is_words(), self.is_trusted) {
            (false, _) => LessonSource::Seed,
            (true, true) => LessonSource::User,
            (true, false) => LessonSource::Imported,
        };
        let mut lesson = Lesson::new(
            self.text.clone(),
            entry.category,
            source,
            self.day(entry.created_at),
        );
        lesson.last_used = self.day(entry.last_used);
        lesson.counts.used = entry.use_count;
        lesson.triggered_domains = sites_of(&entry.triggered_domains)
            .into_iter()
            .take(MAX_EVIDENCE)
            .collect();
        let mut original = Original {
            lesson: (lesson.text.render() != entry.lesson).then(|| entry.lesson.clone()),
            source: entry.source.as_str().to_owned(),
            use_count: entry.use_count,
            triggered_domains: entry.triggered_domains.clone(),
            ..Original::default()
        };
        if self.is_words() {
            lesson.failed_command.clone_from(&entry.failed_command);
            lesson.error_pattern.clone_from(&entry.error_pattern);
            lesson.domain.clone_from(&entry.domain);
        } else {
            original.failed_command.clone_from(&entry.failed_command);
            original.error_pattern.clone_from(&entry.error_pattern);
        }
        lesson.original = Some(original);
        lesson
    }

    fn merged(&self, shelf: &Shelf, known: &Lesson) -> Lesson {
        let entry = &self.entry;
        let mut lesson = known.clone();
        if !is_earlier(entry, &written(shelf, known))
            && (known.original.is_some() || known.source == LessonSource::Seed)
        {
            let is_unused = known.counts.used == 0;
            let mut original = known
                .original
                .clone()
                .or_else(|| self.fresh().original)
                .unwrap_or_default();
            let counted = known
                .original
                .as_ref()
                .map_or(0, |original| original.use_count);
            lesson.counts.used = known
                .counts
                .used
                .saturating_add(entry.use_count.saturating_sub(counted));
            original.use_count = entry.use_count.max(counted);
            if let Some(day) = entry.created_at {
                lesson.created_at = lesson.created_at.min(self.day(Some(day)));
            }
            if let Some(day) = entry.last_used {
                let day = self.day(Some(day));
                // A seed that was never used takes its last use from the file.
                lesson.last_used = if is_unused && known.original.is_none() {
                    day
                } else {
                    lesson.last_used.max(day)
                };
            }
            if entry.category == Category::BestPractice
                && lesson.category == Category::ErrorRecovery
            {
                lesson.category = entry.category;
            }
            for domain in &entry.triggered_domains {
                if !original.triggered_domains.contains(domain) {
                    original.triggered_domains.push(domain.clone());
                }
                if let Some(site) = site_of(domain)
                    && lesson.triggered_domains.len() < MAX_EVIDENCE
                {
                    lesson.triggered_domains.insert(site);
                }
            }
            lesson.original = Some(original);
        }
        if self.is_trusted && lesson.source == LessonSource::Imported {
            lesson.source = LessonSource::User;
        }
        lesson
    }
}
