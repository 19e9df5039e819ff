//! Creates patterns that a person or a program gives, and counts uses of patterns that were not part of a run.

use chrono::{DateTime, Utc};

use super::{
    COLLECTION, Header, MAX_STEPS, MIN_STEPS, Pattern, PatternSource,
    common::{can_begin, kept},
    keep,
    rules::type_of,
};
use crate::{
    base::{Error, ErrorKind, Host, Result, RunId, text},
    memory::{
        Advice, Change, Edit, Namespace, Shelf, ShelfEdit, StoredStep, Use, step_records::replacing,
    },
};

/// Maximum length of the description of a given pattern. Unit: characters. Source: chosen; fits on one line with the counts.
const MAX_WORDS: usize = 160;

impl Pattern {
    /// Creates a pattern with a description by a person or a program. Prompts show the description as words of the user, cut
    /// to 160 characters and without control and invisible characters. To store the pattern, pass the edit of
    /// [`put`](Self::put) to `Keeper::apply` of the store. `Keeper::forget` removes the pattern.
    ///
    /// ```
    /// use webwise::{
    ///     Host,
    ///     action::BrowserTool,
    ///     memory::{Namespace, StoredStep, StoredText, pattern::Pattern},
    ///     page::Role,
    ///     store::{InMemory, Keeper},
    /// };
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> webwise::Result<()> {
    /// let steps = [
    ///     StoredStep::new(BrowserTool::Click).with_target(Role::Button, "Filter"),
    ///     StoredStep::new(BrowserTool::Fill).with_target(Role::TextBox, "Owner").with_text(StoredText::Slot(0)),
    /// ];
    /// let pattern = Pattern::given("How to see one owner's cases", &steps, "2026-01-02T03:04:05Z".parse().unwrap())?;
    /// let store = InMemory::new();
    /// let keeper = Keeper::new(&store, Namespace::default());
    /// let host = Host::of_domain("desk.example").unwrap();
    /// keeper.apply(vec![pattern.put(&Namespace::default(), &host)]).await?;
    /// assert_eq!(keeper.items().await?.items[0].record.key, pattern.key());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `InvalidInput`, with the reason as `why`, in one of these cases:
    ///
    /// - The description is empty.
    /// - There are fewer than 2 or more than 10 steps.
    /// - The tool of a step is not one of `goto`, `click`, `dblclick`, `hover`, `fill`, `type`, `press`, `select`,
    ///   `check` and `uncheck`.
    /// - A step has an effect that cannot be undone.
    /// - The target of a step has no [`aim`](crate::memory::StoredTarget::aim) and was not chosen from a list.
    /// - The record of a step is too large.
    /// - The first step neither has a target with an `aim` outside of a list nor opens an address with a known
    ///   [`leads_to`](crate::memory::StoredStep::leads_to).
    pub fn given(description: &str, steps: &[StoredStep], now: DateTime<Utc>) -> Result<Self> {
        let refuse =
            |why: &str| Err(Error::new(ErrorKind::InvalidInput, "pattern.given").with("why", why));
        let words = text::truncate(&Advice::shown(description), MAX_WORDS);
        if words.is_empty() {
            return refuse("the description is empty");
        }
        if !(MIN_STEPS..=MAX_STEPS).contains(&steps.len()) {
            return refuse("a pattern has 2 to 10 steps");
        }
        let Some(steps) = steps.iter().map(kept).collect::<Option<Vec<_>>>() else {
            return refuse("a step cannot be part of a pattern");
        };
        if !can_begin(&steps[0]) {
            return refuse("the first step opens no address and names no target");
        }
        let header = Header {
            kind: type_of(&steps),
            source: PatternSource::User,
            words: Some(words),
            steps: steps.len(),
            evidence: Vec::new(),
            results: Vec::new(),
            shown: 0,
            succeeded: 0,
            failed: 0,
            created: now,
            last_used: now,
        };
        Ok(Self { header, steps })
    }

    /// Returns the edit that stores the pattern for a host. If the host already has a pattern with the same steps, this
    /// pattern replaces it, as one that a person gave, and the counts are kept.
    #[must_use]
    pub fn put(&self, namespace: &Namespace, host: &Host) -> ShelfEdit {
        let given = self.clone();
        ShelfEdit {
            shelf: Shelf::host(namespace, COLLECTION, host),
            edit: Edit::new(move |records| keep::put(records, &given)),
        }
    }
}

/// Returns the edit that counts one use of a pattern outside of this program's runs. `worked` is true if all steps were
/// carried out. `run` is the id of the use. An id is not counted again as long as it is in [`Header::results`]. The
/// edit fails with `InvalidInput` if the host has no pattern with this key.
pub fn credit(
    namespace: &Namespace,
    host: &Host,
    key: &str,
    run: &RunId,
    worked: bool,
    now: DateTime<Utc>,
) -> ShelfEdit {
    let (key, run) = (key.to_owned(), run.clone());
    let edit = Edit::new(move |records| {
        let mut all = Pattern::all(records).into_iter();
        let Some((_, mut pattern)) = all.find(|(known, _)| *known == key) else {
            return Err(Error::new(ErrorKind::InvalidInput, "pattern.credit")
                .with("key", &key)
                .with("why", "there is no such pattern"));
        };
        let result = if worked { Use::Helped } else { Use::Failed };
        pattern.header.count(&run, result, now);
        let changes: Vec<Change> = replacing(records, &key, pattern.to_records()?);
        Ok(changes)
    });
    ShelfEdit {
        shelf: Shelf::host(namespace, COLLECTION, host),
        edit,
    }
}
