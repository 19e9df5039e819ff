//! `webwise memory`: lists, accepts, forgets, undoes, exports and imports what is remembered. All changes are made by
//! [`Memory`](crate::store::Memory). An item is a record of memory, such as a lesson, with all other records that
//! belong to it, such as the steps of a recipe.
//!
//! ```text
//! list       all items, in lines and as JSON
//! show       everything about one item
//! review     items that wait for a person, and the person's decision
//! forget     an item, a host, a site, or everything; and undoing a run
//! transfer   export and import
//! folder     the files of a documented folder that is imported
//! diff       compares two memories
//! scan       a search for secrets
//! explain    why memory gave advice in a run
//! report     what each item was worth in the runs of a folder
//! ```

pub(super) mod args;
mod diff;
mod explain;
mod folder;
mod forget;
mod list;
mod report;
mod review;
mod scan;
mod show;
mod transfer;

use self::args::{ListArgs, MemoryArgs, MemoryCommand};
use super::{Refusal, runs::Register, say::one_line, tell};
use crate::{
    MemoryBackend,
    base::{Error, ErrorKind},
    report::words::store_notice,
    store::{Damaged, Memory},
};

const MEND: &str =
    "Repair the file or delete it; a run that learns there puts it aside and begins it anew";
const ALLOW: &str = "Make it a file that this user can read";
const SHORTEN: &str = "Shorten the file or delete it; until then, nothing can be learned there";

pub(super) async fn run(args: &MemoryArgs) -> Result<(), Refusal> {
    if let MemoryCommand::Diff(own) = &args.command {
        return diff::run(&args.place, own).await;
    }
    let store = args.place.open()?;
    let runs = Register::open(&args.place, args.place.open()?);
    let keeper = Memory::new(&store, args.place.namespace());
    let done = match &args.command {
        MemoryCommand::List(own) => list::run(&keeper, &args.place, own).await,
        MemoryCommand::Show(own) => show::run(&keeper, own).await,
        MemoryCommand::Review(own) => review::run(&keeper, own).await,
        MemoryCommand::Trust(own) => review::trust(&keeper, own).await,
        MemoryCommand::Forget(own) => forget::run(&keeper, &args.place, own).await,
        MemoryCommand::Undo(own) => forget::undo(&keeper, &runs, own).await,
        MemoryCommand::Export(own) => transfer::export(&keeper, &args.place, own).await,
        MemoryCommand::Import(own) => transfer::import(&keeper, &args.place, own).await,
        MemoryCommand::Scan(own) => scan::run(&store, &keeper, &args.place, own).await,
        MemoryCommand::Explain(own) => explain::run(&runs, own).await,
        MemoryCommand::Report(own) => report::run(&runs, own).await,
        MemoryCommand::Diff(_) => Ok(()),
    };
    tell_notices(&store);
    match &args.command {
        // An import creates the folder, and the list itself says that the folder is missing.
        MemoryCommand::Import(_) | MemoryCommand::List(ListArgs { json: false }) => done,
        _ => args.place.checked(done),
    }
}

fn cannot_be_read(damaged: &Damaged) -> String {
    let Damaged { shelf, why, .. } = damaged;
    let advice = match damaged {
        Damaged {
            is_refused: true, ..
        } => ALLOW,
        Damaged {
            is_too_large: true, ..
        } => SHORTEN,
        _ => MEND,
    };
    format!("{shelf} cannot be read ({why}). {advice}")
}

fn tell_notices(store: &impl MemoryBackend) {
    for notice in store.notices() {
        tell(one_line(&format!(
            "webwise: memory {}",
            store_notice(&notice)
        )));
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        match (error.kind(), error.said("why")) {
            (ErrorKind::InvalidInput, Some(why)) => Self::usage(why),
            (ErrorKind::Corrupt, Some(why)) => {
                Self::failure(format!("memory cannot be read: {why}. {MEND}"))
            }
            (ErrorKind::Busy, _) => {
                Self::failure("memory is in use by another program: try again in a moment")
            }
            _ => Self::failure(format!("memory cannot be read or changed: {error}")),
        }
    }
}
