//! `webwise runs` without a command: the list of runs.

use chrono::{DateTime, Utc};
use clap::{Args, value_parser};
use serde_json::json;

use super::Register;
use crate::{
    base::{Host, SessionId, text::counted},
    cli::{Refusal, memory_place::MemoryPlace, say, say::one_line, values},
    memory::ago::ago,
    registry::{RunFilter, RunManifest, RunStatus},
    report::words::quoted,
};

/// Number of runs that are listed by default. Source: chosen; they fit on a screen.
const LIMIT: u32 = 20;
/// Maximum length of a run's goal in the list. Unit: characters. Source: chosen.
const MAX_TEXT: usize = 100;

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Only runs of this session.
    #[arg(long, value_name = "ID", value_parser = values::session)]
    session_id: Option<SessionId>,
    /// Only runs with this status: running, completed, failed or abandoned.
    #[arg(long, value_name = "STATUS", value_parser = values::status)]
    status: Option<RunStatus>,
    /// Only runs that began on this host or one of its subdomains.
    #[arg(long, value_name = "HOST", value_parser = values::host)]
    domain: Option<Host>,
    /// Maximum number of runs, the newest first.
    #[arg(long, value_name = "N", default_value_t = LIMIT, value_parser = value_parser!(u32).range(1..))]
    limit: u32,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(
    runs: &Register,
    place: &MemoryPlace,
    args: &ListArgs,
) -> Result<(), Refusal> {
    let mut filter = RunFilter::default();
    filter.domain.clone_from(&args.domain);
    filter.session.clone_from(&args.session_id);
    filter.status = args.status;
    filter.limit = usize::try_from(args.limit).ok();
    let now = Utc::now();
    let found = runs.runs().list(&filter, now).await?;
    if args.json {
        say(json!({ "runs": found }));
        return place.checked(Ok(()));
    }
    if found.is_empty() {
        say(match place.missing() {
            Some(missing) => one_line(&format!("No run is listed: {missing}.")),
            None => "No run is listed.".to_owned(),
        });
    }
    for run in &found {
        for line in lines(run, now) {
            say(one_line(&line));
        }
    }
    Ok(())
}

fn lines(run: &RunManifest, now: DateTime<Utc>) -> [String; 2] {
    let at = run.domain.as_ref().map_or("", Host::as_str);
    let parent = run.parent.as_ref();
    let parent = parent.map_or_else(String::new, |parent| format!(", continues {parent}"));
    [
        format!(
            "{}  {}  {}  {at}  {}{parent}",
            run.run,
            run.status,
            ago(now - run.started_at),
            counted(run.turn_count, "model call")
        ),
        format!("    {}", quoted(&run.goal, MAX_TEXT)),
    ]
}
