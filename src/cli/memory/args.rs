//! The flags of `webwise memory`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use url::Url;

use crate::{
    base::{Host, RunId, Site},
    cli::{memory_place::MemoryPlace, values},
};

/// Flags of `webwise memory`.
#[derive(Debug, Args)]
pub(in crate::cli) struct MemoryArgs {
    #[command(flatten)]
    pub(super) place: MemoryPlace,
    #[command(subcommand)]
    pub(super) command: MemoryCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum MemoryCommand {
    /// List what is remembered: key, scope, category, source, counts, and what it says.
    List(ListArgs),
    /// Show all of one item: where it comes from, what it did, and the exact text that a prompt would show.
    Show(ShowArgs),
    /// Say why memory spoke in a run, and what happened next.
    Explain(ExplainArgs),
    /// Go through the items that wait for a person, one by one; list them where nobody is at a terminal.
    Review(ListArgs),
    /// Accept the words of an item: from then on they may stand in a prompt, exactly as shown.
    Trust(KeyArgs),
    /// Forget an item, a host, a site, or everything.
    Forget(ForgetArgs),
    /// Take back all that a run taught.
    Undo(UndoArgs),
    /// Write memory as one JSON document.
    Export(ExportArgs),
    /// Read such a document, or a documented `memory.json`, into memory.
    Import(ImportArgs),
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// Its key, or a beginning that no other has.
    pub(super) key: String,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct KeyArgs {
    /// Its key, or a beginning that no other has.
    pub(super) key: String,
}

#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// The run: `last`, its id, a beginning that no other has, or its folder.
    pub(super) run: String,
    /// Only this item: its key, or a beginning of it.
    pub(super) key: Option<String>,
    /// Folder of the run folders.
    #[arg(long, value_name = "DIR", default_value = "runs")]
    pub(super) runs_dir: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("what").required(true).args(["key", "host", "site", "all"])))]
pub(super) struct ForgetArgs {
    /// A lesson: its key, or a beginning that no other has.
    pub(super) key: Option<String>,
    /// All that one host taught; give its address, such as <https://shop.example>.
    #[arg(long, value_name = "URL", value_parser = host)]
    pub(super) host: Option<Host>,
    /// All that a site and its hosts taught, such as shop.example.
    #[arg(long, value_name = "SITE", value_parser = values::site)]
    pub(super) site: Option<Site>,
    /// Everything.
    #[arg(long)]
    pub(super) all: bool,
    /// Do not ask first.
    #[arg(long, short = 'y')]
    pub(super) yes: bool,
}

fn host(text: &str) -> Result<Host, String> {
    let wrong = || "give an address such as https://shop.example".to_owned();
    let host = if text.contains("://") {
        Url::parse(text)
            .ok()
            .filter(|url| url.domain().is_none_or(is_name))
            .and_then(|url| Host::of(&url).ok())
    } else {
        Host::of_domain(text).ok()
    };
    host.ok_or_else(wrong)
}

/// Returns true if a host can have this name. Not every name that an address can contain is one. Source of the limits:
/// RFC 1035.
fn is_name(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
    };
    name.len() <= 253 && name.split('.').all(is_label)
}

#[derive(Debug, Args)]
pub(super) struct UndoArgs {
    /// The run's id.
    #[arg(value_parser = run)]
    pub(super) run: RunId,
    /// Do not ask first.
    #[arg(long, short = 'y')]
    pub(super) yes: bool,
}

fn run(text: &str) -> Result<RunId, String> {
    RunId::parse(text).map_err(|_| "use 1 to 64 letters, digits, `_` or `-`".to_owned())
}

/// In which form memory is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Ours: everything, as it is stored.
    Webwise,
    /// The documented `memory.json`, version 1.
    V1,
}

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// In which form.
    #[arg(long, value_enum, default_value_t = Format::Webwise)]
    pub(super) format: Format,
    /// A new file, readable by its owner only; without it the document is printed.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// The file.
    pub(super) file: PathBuf,
    /// Vouch for its words: you have read them, and they may stand in prompts.
    #[arg(long)]
    pub(super) trust: bool,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}
