//! The flags of `webwise memory`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand};
use url::Url;

use crate::{
    base::{Host, Site},
    cli::{
        memory_place::MemoryPlace,
        values::{self, SecretSource},
    },
    secret::SecretName,
};

#[derive(Debug, Args)]
pub(in crate::cli) struct MemoryArgs {
    #[command(flatten)]
    pub(in crate::cli) place: MemoryPlace,
    #[command(subcommand)]
    pub(super) command: MemoryCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum MemoryCommand {
    /// List what is remembered: key, scope, type, whether prompts show it, counts and text.
    List(ListArgs),
    /// Show one item in full: its origin, its results, and the exact text that a prompt shows.
    Show(ShowArgs),
    /// Show why memory gave advice in a run, and what happened next.
    Explain(ExplainArgs),
    /// Compare the runs in which an item was shown with those that held it back.
    Report(ReportArgs),
    /// Review one by one the items that wait for a person; without a terminal, list them.
    Review(ListArgs),
    /// Accept the words of an item, so that prompts may show them exactly as they are; or bring a retired item back.
    Trust(KeyArgs),
    /// Forget an item, a host, a site, or everything.
    Forget(ForgetArgs),
    /// Take back what a run taught. What other runs taught as well is kept and listed.
    Undo(UndoArgs),
    /// Export all of memory except the register of runs, as one JSON document.
    Export(ExportArgs),
    /// Import a document that `export` wrote, or another program's `memory.json` or folder `.agent-memory`.
    Import(ImportArgs),
    /// Compare two memories item by item.
    Diff(DiffArgs),
    /// Search memory for secrets, in every encoding that webwise knows. The exit code is 1 if one is found.
    Scan(ScanArgs),
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// The key of the item, or an unambiguous beginning of it.
    pub(super) key: String,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct KeyArgs {
    /// The key of the item, or an unambiguous beginning of it.
    pub(super) key: String,
}

#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// The run: `last`, its id, an unambiguous beginning of the id, or its folder.
    pub(super) run: String,
    /// Show only items with this key, or with a key that begins with this text.
    pub(super) key: Option<String>,
    /// The folder that contains the run folders. Default: `runs`, and the folders of the runs that this memory's register
    /// lists.
    #[arg(long, value_name = "DIR")]
    pub(super) runs_dir: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The folder that contains the run folders; every run in it counts. Default: the folders of the runs that this memory's
    /// register lists.
    #[arg(long, value_name = "DIR")]
    pub(super) runs_dir: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("what").required(true).args(["key", "host", "site", "all"])))]
pub(super) struct ForgetArgs {
    /// The key of an item to forget, or an unambiguous beginning of it.
    pub(super) key: Option<String>,
    /// Forget everything that this host taught. What another port or subdomain taught is kept, except runs from which
    /// memory has yet to learn. Give the host's address, such as <https://shop.example> or <http://127.0.0.1:8000>.
    /// Without a port, the scheme's own port is meant; without a scheme, both http and https. For all ports and
    /// subdomains, give --site.
    #[arg(long, value_name = "URL", value_parser = host)]
    pub(super) host: Option<HostArg>,
    /// Forget everything that this site taught, on all its subdomains and ports. Give its name, such as shop.example or
    /// 127.0.0.1.
    #[arg(long, value_name = "SITE", value_parser = values::site)]
    pub(super) site: Option<Site>,
    /// Forget everything.
    #[arg(long)]
    pub(super) all: bool,
    /// Do not ask first.
    #[arg(long, short = 'y')]
    pub(super) yes: bool,
}

/// The hosts that an address can mean. An address without a scheme can mean two hosts, because the scheme is a part of
/// a host.
#[derive(Debug, Clone)]
pub(super) struct HostArg {
    /// The host of the address, which is read as an https address if it has no scheme.
    pub(super) host: Host,
    /// The host of an address without a scheme, read as an http address; `None` if the address has a scheme.
    pub(super) by_http: Option<Host>,
}

fn host(text: &str) -> Result<HostArg, String> {
    let of = |text: &str| {
        let url = Url::parse(text).ok()?;
        let host = Host::of(&url).ok()?;
        url.domain().is_none_or(is_name).then_some((url, host))
    };
    let found = if text.contains("://") {
        of(text).map(|(_, host)| HostArg {
            host,
            by_http: None,
        })
    } else {
        // Without this check, `mailto:a@b.c` would be read as the user `mailto` at the host `b.c`.
        let https = of(&format!("https://{text}"));
        https
            .filter(|(url, _)| url.username().is_empty() && url.password().is_none())
            .map(|(_, host)| HostArg {
                host,
                by_http: of(&format!("http://{text}")).map(|(_, host)| host),
            })
    };
    found.ok_or_else(|| "give an address such as https://shop.example".to_owned())
}

/// Returns true if `name` is a valid host name. The URL parser also accepts invalid ones. Source of the limits: RFC 1035.
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
    /// The run: `last`, its id, or an unambiguous beginning of the id.
    pub(super) run: String,
    /// The folder that contains the run folders, for runs that are not in the register of this memory. Default: `runs`. With
    /// this flag, `last` is the last run in this folder; without it, the last run of the register.
    #[arg(long, value_name = "DIR")]
    pub(super) runs_dir: Option<PathBuf>,
    /// Do not ask first.
    #[arg(long, short = 'y')]
    pub(super) yes: bool,
}

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// The new file, readable by its owner only. Without this flag, the document is printed.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// The file or folder to import.
    pub(super) file: PathBuf,
    /// Vouch for the words in the file or folder: you have read them, and prompts may show them.
    #[arg(long)]
    pub(super) trust: bool,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// A folder of memory, or an exported document.
    #[arg(value_name = "A")]
    pub(super) first: PathBuf,
    /// A folder of memory, or an exported document, to compare with the first one.
    #[arg(value_name = "B")]
    pub(super) second: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("which").required(true).multiple(true).args(["secrets", "variables"])))]
pub(super) struct ScanArgs {
    /// A secret, as it is given to `webwise run`: its name, the environment variable that contains it, and its origin.
    #[arg(long = "secret", value_name = "NAME=ENVVAR@ORIGIN", value_parser = values::secret)]
    pub(super) secrets: Vec<SecretSource>,
    /// An environment variable that contains a secret.
    #[arg(long = "secret-env", value_name = "ENVVAR", num_args = 1.., value_parser = secret_name)]
    pub(super) variables: Vec<SecretName>,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

fn secret_name(text: &str) -> Result<SecretName, String> {
    SecretName::parse(text).map_err(|_| "use 1 to 40 letters, digits or `_`".to_owned())
}
