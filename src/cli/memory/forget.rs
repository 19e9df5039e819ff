//! `webwise memory forget` and `undo`.

use std::{
    collections::BTreeSet,
    io::{self, IsTerminal as _, Write as _},
};

use chrono::Utc;

use super::{
    ALLOW,
    args::{ForgetArgs, HostArg, UndoArgs},
};
use crate::{
    MemoryBackend,
    base::{
        Error, Host, Site,
        text::{Folded, counted},
    },
    cli::{
        Refusal,
        memory_place::MemoryPlace,
        runs::{LAST, Register},
        say,
        say::one_line,
    },
    memory::{Origin, Scope, ago::ago},
    report::words::quoted,
    store::{Forgotten, Item, Memory, Place, Undone},
};

/// Maximum length of a run's goal in the question that is asked before the run is undone. Unit: characters. Source: chosen.
const MAX_GOAL: usize = 60;
/// Maximum number of known hosts that a refusal names. Source: chosen.
const MAX_HOSTS: usize = 5;

pub(super) async fn run<M: MemoryBackend>(
    keeper: &Memory<M>,
    place: &MemoryPlace,
    args: &ForgetArgs,
) -> Result<(), Refusal> {
    if let Some(key) = &args.key {
        let read = keeper.items().await?;
        let item = read.find(key)?;
        if item.described.origin != Origin::Shipped {
            confirm("Forget", &item.name(), args.yes)?;
        }
        return one(keeper, item).await;
    }
    if let Some(HostArg { host, by_http }) = &args.host {
        if host.site().is_none() {
            return Err(Refusal::usage(format!("{host} is no address of a site")));
        }
        let hosts = Place::Hosts(
            [Some(host), by_http.as_ref()]
                .into_iter()
                .flatten()
                .cloned()
                .collect(),
        );
        if !keeper.knows(&hosts).await? {
            return Err(unknown(keeper, place, host.as_str(), host.site().as_ref()).await?);
        }
        return forget(keeper, &hosts, host.as_str(), args.yes).await;
    }
    if let Some(site) = &args.site {
        let whole = Place::Site(site.clone());
        if !keeper.knows(&whole).await? {
            return Err(unknown(keeper, place, site.as_str(), None).await?);
        }
        return forget(keeper, &whole, site.as_str(), args.yes).await;
    }
    all(keeper, place, args.yes).await
}

/// Asks the person, then forgets what some hosts or a site taught, and prints what was forgotten.
async fn forget<M: MemoryBackend>(
    keeper: &Memory<M>,
    place: &Place,
    name: &str,
    yes: bool,
) -> Result<(), Refusal> {
    confirm("Forget", name, yes)?;
    let forgotten = keeper.forget_place(place).await.map_err(untold)?;
    tell(forgotten, name);
    Ok(())
}

/// Returns the refusal to forget a host or site about which memory knows nothing. The refusal names some hosts that memory
/// knows, those of `site` first.
async fn unknown<M: MemoryBackend>(
    keeper: &Memory<M>,
    place: &MemoryPlace,
    name: &str,
    site: Option<&Site>,
) -> Result<Refusal, Refusal> {
    let shelves = keeper.shelves(Some(&place.namespace())).await?;
    let hosts: BTreeSet<Host> = shelves
        .into_iter()
        .filter_map(|shelf| match shelf.scope {
            Scope::Host(host) => Some(host),
            Scope::Global => None,
        })
        .collect();
    let (near, others): (Vec<Host>, Vec<Host>) = hosts
        .into_iter()
        .partition(|host| site.is_some() && host.site().as_ref() == site);
    let whole = match site {
        Some(site) if !near.is_empty() => {
            format!("; --site {site} takes all its ports and subdomains")
        }
        _ => String::new(),
    };
    let all = near.len() + others.len();
    let mut names: Vec<String> = near.iter().chain(&others).map(Host::to_string).collect();
    if all > MAX_HOSTS {
        names.truncate(MAX_HOSTS);
        names.push(format!("{} more", all - MAX_HOSTS));
    }
    let known = if names.is_empty() {
        "no item of a host is known here".to_owned()
    } else {
        format!("known here: {}{whole}", names.join(", "))
    };
    Ok(Refusal::usage(one_line(&format!(
        "nothing is known of {name}, so nothing was forgotten: {known}"
    ))))
}

pub(super) async fn one<M: MemoryBackend>(keeper: &Memory<M>, item: &Item) -> Result<(), Refusal> {
    keeper.forget(item).await?;
    say(one_line(&format!("Forgot {}.", item.name())));
    Ok(())
}

fn tell(forgotten: Forgotten, name: &str) {
    let Forgotten {
        own,
        unreadable,
        elsewhere,
    } = forgotten;
    let lost = match unreadable {
        0 => String::new(),
        count => format!(
            " {} could not be read and was deleted.",
            counted(count, "file")
        ),
    };
    say(one_line(&if own + unreadable + elsewhere == 0 {
        format!("Nothing was known of {name}, so nothing was forgotten.")
    } else {
        format!(
            "Forgot {name}: {} of its own, {elsewhere} elsewhere that it had a part in.{lost}",
            counted(own, "record")
        )
    }));
}

/// Converts an error of forgetting or undoing into a refusal. If parts of the store were left unchanged, the refusal names
/// these parts and the reason.
fn untold(error: Error) -> Refusal {
    let Some(changed) = error.said("changed") else {
        return error.into();
    };
    let mut left = Vec::new();
    if let Some(shelves) = error.said("shelves") {
        left.push(format!(
            "this program cannot tell what to take back on {shelves}, which stays as it is"
        ));
    }
    if let Some(damaged) = error.said("damaged") {
        left.push(format!(
            "this cannot be read and stays as it is: {damaged}. Repair the file or delete it, and give the command again"
        ));
    }
    // The system did not let this program read the file, so the file may be whole and must not be deleted for that.
    if let Some(refused) = error.said("refused") {
        left.push(format!(
            "this was not read and stays as it is: {refused}. {ALLOW}, and give the command again"
        ));
    }
    Refusal::failure(one_line(&format!(
        "records changed: {changed}, but {}",
        left.join("; ")
    )))
}

async fn all<M: MemoryBackend>(
    keeper: &Memory<M>,
    place: &MemoryPlace,
    yes: bool,
) -> Result<(), Refusal> {
    let namespace = place.namespace();
    let shelves = keeper.shelves(Some(&namespace)).await?.len();
    let shelves = match shelves {
        1 => "1 shelf".to_owned(),
        count => format!("{count} shelves"),
    };
    let what = format!(
        "{shelves} of {} in {}",
        namespace.as_str(),
        place.dir()?.display()
    );
    confirm("Forget", &format!("all of memory, {what}"), yes)?;
    keeper.forget_all().await?;
    say(one_line(&format!("Forgot {what}.")));
    Ok(())
}

pub(super) async fn undo<M: MemoryBackend>(
    keeper: &Memory<M>,
    runs: &Register,
    args: &UndoArgs,
) -> Result<(), Refusal> {
    let run = runs.meant(&args.run, args.runs_dir.as_deref()).await?;
    // The beginning of an id could match another run than the one that the person has in mind, and `--yes` skips the
    // question that would show it.
    if args.yes && args.run != LAST && args.run != run.as_str() {
        return Err(Refusal::usage(format!(
            "with --yes, give the whole id: {run}"
        )));
    }
    // A run that is no longer in the register has only its id.
    let known = runs.runs().get(&run, Utc::now()).await?;
    let of = known.map_or_else(String::new, |known| {
        let age = ago(Utc::now() - known.started_at);
        format!(" ({}, {age})", quoted(&known.goal, MAX_GOAL))
    });
    if !keeper.was_taught_by(&run).await? {
        let which = if args.run == LAST {
            "the last run, "
        } else {
            "run "
        };
        return Err(Refusal::usage(one_line(&format!(
            "nothing is remembered of {which}{run}{of}, so nothing was taken back: to take back an earlier run, give its id; \
             `webwise runs` lists the runs"
        ))));
    }
    confirm("Take back", &format!("what run {run}{of} taught"), args.yes)?;
    let Undone { removed, kept, .. } = keeper.undo(&run).await.map_err(untold)?;
    say(one_line(&format!(
        "Took back what {run} taught{of}: {} removed, {} kept.",
        counted(removed, "record"),
        counted(kept.len(), "item")
    )));
    if kept.is_empty() {
        return Ok(());
    }
    say(format!(
        "Kept, because another run or this program taught it too, but without the part of {run}:"
    ));
    let read = keeper.items().await?;
    for id in &kept {
        let is_it = |item: &&Item| item.shelf == id.shelf && item.record.key == id.key;
        let text = read.items.iter().find(is_it);
        let text = text.map_or("", |item| &item.described.text);
        say(one_line(&format!(
            "    {}  {text}",
            id.shelf.item_name(&id.key)
        )));
    }
    Ok(())
}

/// Asks the person at the terminal whether to carry out an action. `verb` names the action, and `what` names its object.
/// Fails if the person does not agree, or if there is no terminal. With `yes`, asks nothing and succeeds.
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
    if read && matches!(Folded::of(&answer).as_str(), "y" | "yes") {
        Ok(())
    } else {
        Err(Refusal::usage("nothing was changed"))
    }
}
