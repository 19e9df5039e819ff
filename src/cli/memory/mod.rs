//! `webwise memory`: listing, accepting, forgetting, undoing and moving lessons.
//!
//! ```text
//! book       the lessons of a namespace, found by key
//! list       all lessons, in lines and as JSON
//! show       everything about one lesson
//! review     lessons that wait for a person, and the person's decision
//! forget     a lesson, a host, a site, or everything; and undoing a run
//! transfer   export and import
//! explain    why memory gave advice in a run
//! ```

pub(super) mod args;
mod book;
mod explain;
mod forget;
mod list;
mod review;
mod show;
mod transfer;

use self::args::{MemoryArgs, MemoryCommand};
use super::{Refusal, say::one_line, tell};
use crate::{
    MemoryBackend as _,
    base::{Error, ErrorKind},
    report::words::store_notice,
};

/// Carries out the command, and prints the store's notices.
pub(super) async fn run(args: &MemoryArgs) -> Result<(), Refusal> {
    if let MemoryCommand::Explain(own) = &args.command {
        return explain::run(own);
    }
    let store = args.place.open()?;
    let done = match &args.command {
        MemoryCommand::List(own) => list::run(&store, &args.place, own).await,
        MemoryCommand::Show(own) => show::run(&store, &args.place, own).await,
        MemoryCommand::Review(own) => review::run(&store, &args.place, own).await,
        MemoryCommand::Trust(own) => review::trust(&store, &args.place, own).await,
        MemoryCommand::Forget(own) => forget::run(&store, &args.place, own).await,
        MemoryCommand::Undo(own) => forget::undo(&store, &args.place, own).await,
        MemoryCommand::Export(own) => transfer::export(&store, &args.place, own).await,
        MemoryCommand::Import(own) => transfer::import(&store, &args.place, own).await,
        MemoryCommand::Explain(_) => Ok(()),
    };
    for notice in store.notices() {
        tell(one_line(&format!(
            "webwise: memory {}",
            store_notice(&notice)
        )));
    }
    done
}

/// A failure of the store in one sentence.
fn broken(error: &Error) -> Refusal {
    let said = |key: &str| {
        error
            .context()
            .iter()
            .find(|(known, _)| *known == key)
            .map(|(_, text)| text.as_str())
    };
    match (error.kind(), said("why")) {
        (ErrorKind::InvalidInput, Some(why)) => Refusal::usage(why),
        (ErrorKind::Busy, _) => {
            Refusal::failure("memory is in use by another program: try again in a moment")
        }
        _ => Refusal::failure(format!("memory cannot be read or changed: {error}")),
    }
}
