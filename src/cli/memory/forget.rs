//! `webwise memory forget` and `undo`.
//!
//! # Decisions
//!
//! - Forgetting a site drops all runs that wait: they are cut, so that a name may stand in two records.

use std::{
    collections::BTreeSet,
    io::{self, IsTerminal as _, Write as _},
};

use super::{
    args::{ForgetArgs, UndoArgs},
    book::{Book, Known},
};
use crate::{
    MemoryBackend,
    base::{Host, Site},
    cli::{Refusal, memory_place::MemoryPlace, say, say::one_line},
    memory::{
        Change, Edit, MemoryKind, Namespace, PENDING, Record, Scope, Shelf, ShelfFilter, kinds,
        lesson::LessonSource,
    },
};

pub(super) async fn run(
    store: &impl MemoryBackend,
    place: &MemoryPlace,
    args: &ForgetArgs,
) -> Result<(), Refusal> {
    let namespace = place.namespace();
    if let Some(key) = &args.key {
        let book = Book::read(store, &namespace).await?;
        let known = book.find(key)?;
        if known.lesson.source != LessonSource::Seed {
            confirm("Forget", &known.name(), args.yes)?;
        }
        return one(store, known).await;
    }
    if let Some(host) = &args.host {
        let Some(site) = host.site() else {
            return Err(Refusal::usage(format!("{host} is no address of a site")));
        };
        confirm("Forget", &host.to_string(), args.yes)?;
        let hosts = [host.clone()];
        return places(store, &namespace, &hosts, &site, &host.to_string()).await;
    }
    if let Some(site) = &args.site {
        confirm("Forget", site.as_str(), args.yes)?;
        let hosts = hosts(store, &namespace, site).await?;
        return places(store, &namespace, &hosts, site, site.as_str()).await;
    }
    all(store, place, &namespace, args.yes).await
}

/// Forgets one lesson.
pub(super) async fn one(store: &impl MemoryBackend, known: &Known) -> Result<(), Refusal> {
    if known.lesson.source == LessonSource::Seed {
        return Err(Refusal::usage(format!(
            "{} is a seed: it would be planted again by the next run",
            known.name()
        )));
    }
    let key = known.record.key.clone();
    let edit = Edit::new(move |_| Ok(vec![Change::Remove(key.clone())]));
    update(store, &known.shelf, edit).await?;
    say(one_line(&format!("Forgot {}.", known.name())));
    Ok(())
}

/// The hosts of a site that have a shelf, or that taught something for all sites.
async fn hosts(
    store: &impl MemoryBackend,
    namespace: &Namespace,
    site: &Site,
) -> Result<Vec<Host>, Refusal> {
    let with_shelf = shelves(store, namespace)
        .await?
        .into_iter()
        .filter_map(|shelf| match shelf.scope {
            Scope::Host(host) => Some(host),
            Scope::Global => None,
        });
    let book = Book::read(store, namespace).await?;
    let taught = book
        .lessons
        .into_iter()
        .filter_map(|known| known.lesson.provenance.host);
    let hosts: BTreeSet<Host> = with_shelf
        .chain(taught)
        .filter(|host| host.site().as_ref() == Some(site))
        .collect();
    Ok(hosts.into_iter().collect())
}

async fn shelves(store: &impl MemoryBackend, namespace: &Namespace) -> Result<Vec<Shelf>, Refusal> {
    let filter = ShelfFilter {
        namespace: Some(namespace.clone()),
        ..ShelfFilter::default()
    };
    super::book::shelves(store, &filter, namespace).await
}

/// Forgets everything that these hosts of a site taught: their shelves, their part of the global lessons, and runs that
/// wait to be learned from.
async fn places(
    store: &impl MemoryBackend,
    namespace: &Namespace,
    hosts: &[Host],
    site: &Site,
    name: &str,
) -> Result<(), Refusal> {
    let mut gone = 0;
    for shelf in shelves(store, namespace).await? {
        if matches!(&shelf.scope, Scope::Host(host) if hosts.contains(host)) {
            gone += store
                .load(&shelf)
                .await
                .map_err(|e| super::broken(&e))?
                .records
                .len();
            store.remove(&shelf).await.map_err(|e| super::broken(&e))?;
        }
    }
    let (mut changed, mut left) = (0, Vec::new());
    // A site without a shelf of its own may have taught something for all sites.
    let own = Host::of_domain(site.as_str()).ok();
    let taught: Vec<&Host> = hosts
        .iter()
        .chain(own.iter().filter(|own| !hosts.contains(own)))
        .collect();
    for shelf in shelves(store, namespace).await? {
        if shelf.scope != Scope::Global || shelf.collection == PENDING {
            continue;
        }
        for host in &taught {
            match edit_of(&shelf, |kind| kind.forget(site, host)) {
                Some(edit) => changed += update(store, &shelf, edit).await?,
                None => left.push(shelf.to_string()),
            }
        }
    }
    // A waiting run is cut into parts, and a name may be split between two of them, so all waiting runs are removed.
    changed += update(store, &Shelf::global(namespace, PENDING), without(|_| true)).await?;
    refuse_left(gone + changed, left)?;
    if gone + changed == 0 {
        say(one_line(&format!(
            "Nothing was known of {name}, so nothing was forgotten."
        )));
        return Ok(());
    }
    say(one_line(&format!(
        "Forgot {name}: {gone} records of its own, {changed} elsewhere that it had a part in."
    )));
    Ok(())
}

/// The edit of a shelf by the kind that owns it; `None` if no kind here does, or if it cannot tell what to change.
fn edit_of(shelf: &Shelf, edit: impl Fn(&dyn MemoryKind) -> crate::Result<Edit>) -> Option<Edit> {
    kinds()
        .iter()
        .find(|kind| kind.name() == shelf.collection)
        .and_then(|kind| edit(&**kind).ok())
}

/// Fails if shelves were left as they are, because a person must not take them for forgotten.
fn refuse_left(changed: usize, mut left: Vec<String>) -> Result<(), Refusal> {
    left.dedup();
    if left.is_empty() {
        return Ok(());
    }
    Err(Refusal::failure(one_line(&format!(
        "{changed} records changed, but this program cannot tell what to take back on {}, which stays as it is",
        left.join(", ")
    ))))
}

/// An edit that removes the matching records.
fn without(of: impl Fn(&Record) -> bool + Send + Sync + 'static) -> Edit {
    Edit::new(move |records: &[Record]| {
        Ok(records
            .iter()
            .filter(|record| of(record))
            .map(|record| Change::Remove(record.key.clone()))
            .collect())
    })
}

/// Changes a shelf and returns the number of changed records. Removed records are removed from the backup too.
async fn update(store: &impl MemoryBackend, shelf: &Shelf, edit: Edit) -> Result<usize, Refusal> {
    let changed = store
        .update(shelf, edit)
        .await
        .map_err(|e| super::broken(&e))?
        .changes
        .len();
    if changed > 0 {
        // The backup is the state before the last change, so one more change that alters nothing replaces it.
        let again = Edit::new(|now: &[Record]| {
            Ok(now.first().cloned().map(Change::Put).into_iter().collect())
        });
        let is_empty = store
            .update(shelf, again)
            .await
            .map_err(|e| super::broken(&e))?
            .changes
            .is_empty();
        if is_empty {
            store.remove(shelf).await.map_err(|e| super::broken(&e))?;
        }
    }
    Ok(changed)
}

/// Asks a person before something is removed for good. If nobody can be asked, only `--yes` confirms it.
fn confirm(verb: &str, what: &str, yes: bool) -> Result<(), Refusal> {
    if yes {
        return Ok(());
    }
    let question = one_line(&format!("{verb} {what}?"));
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return Err(Refusal::usage(format!(
            "nobody is at a terminal to ask: \"{question}\" Give --yes to do it"
        )));
    }
    let mut err = io::stderr();
    let _ = write!(err, "{question} [y/N] ");
    let _ = err.flush();
    let mut answer = String::new();
    let read = io::stdin()
        .read_line(&mut answer)
        .is_ok_and(|read| read > 0);
    if read && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes") {
        Ok(())
    } else {
        Err(Refusal::usage("nothing was changed"))
    }
}

async fn all(
    store: &impl MemoryBackend,
    place: &MemoryPlace,
    namespace: &Namespace,
    yes: bool,
) -> Result<(), Refusal> {
    let shelves = shelves(store, namespace).await?;
    let what = format!(
        "{} shelves of {} in {}",
        shelves.len(),
        namespace.as_str(),
        place.dir()?.display()
    );
    confirm("Forget", &format!("all {what}"), yes)?;
    for shelf in &shelves {
        store.remove(shelf).await.map_err(|e| super::broken(&e))?;
    }
    say(one_line(&format!("Forgot {what}.")));
    Ok(())
}

pub(super) async fn undo(
    store: &impl MemoryBackend,
    place: &MemoryPlace,
    args: &UndoArgs,
) -> Result<(), Refusal> {
    let namespace = place.namespace();
    confirm(
        "Take back",
        &format!("what run {} taught", args.run),
        args.yes,
    )?;
    let (mut changed, mut left) = (0, Vec::new());
    for shelf in shelves(store, &namespace).await? {
        let edit = if shelf.collection == PENDING {
            let run = args.run.clone();
            Some(without(move |record| record.body["run"] == run.as_str()))
        } else {
            edit_of(&shelf, |kind| kind.undo(&args.run))
        };
        match edit {
            Some(edit) => changed += update(store, &shelf, edit).await?,
            None => left.push(shelf.to_string()),
        }
    }
    refuse_left(changed, left)?;
    if changed == 0 {
        return Err(Refusal::usage(format!(
            "nothing is remembered of run {}",
            args.run
        )));
    }
    say(format!(
        "Took back what {} taught: {changed} records changed.",
        args.run
    ));
    Ok(())
}
