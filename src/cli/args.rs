//! The arguments of the command line as typed values. The text of `webwise --help` is in the doc comments here.

use std::ffi::OsString;

use clap::{Args, CommandFactory as _, Parser, Subcommand};

use super::{
    memory::args::MemoryArgs,
    run_args::{DemoArgs, RunArgs},
    runs::RunsArgs,
    setup::choice::DriverName,
};

/// A browser agent with memory: a language model drives a real browser.
#[derive(Debug, Parser)]
#[command(name = "webwise", version, disable_help_subcommand = true)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Install what the browser driver needs: Chromium; with `--driver playwright-cli` also Node.js and playwright-cli. Asks first
    /// if it can.
    Setup(SetupArgs),
    /// Say what is there, what is missing, and what to do about it.
    Doctor(DoctorArgs),
    /// Buy something in a shop of our own on this machine, with a real browser; installs what is missing.
    Demo(DemoArgs),
    /// Reach a goal on a site of your choice; needs a model.
    Run(Box<RunArgs>),
    /// Look at what is remembered; accept, forget, take back, export, import.
    Memory(MemoryArgs),
    /// Look at what a run did.
    Runs(RunsArgs),
}

/// The command that the arguments name, as far as they name one, so that a refusal can point to its help.
pub(super) fn meant(arguments: &[OsString]) -> String {
    let all = Cli::command();
    let (mut name, mut command) = (all.get_name().to_owned(), &all);
    for word in arguments.iter().skip(1).filter_map(|word| word.to_str()) {
        if let Some(inner) = command.find_subcommand(word) {
            name = format!("{name} {word}");
            command = inner;
        }
    }
    name
}

#[derive(Debug, Args)]
pub(super) struct SetupArgs {
    /// Install without asking first; where standard input is no terminal, nobody is asked either.
    #[arg(long, short = 'y')]
    pub(super) yes: bool,
    /// Only say what would be done; exit code 1 if there is something to do.
    #[arg(long, conflicts_with = "yes")]
    pub(super) check: bool,
    /// The driver to install for. Without it the one that `doctor` names: cdp, where it can start a browser.
    #[arg(long, value_enum, value_name = "NAME")]
    pub(super) driver: Option<DriverName>,
}

#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// Report on this driver, and not on the one that would be used.
    #[arg(long, value_enum, value_name = "NAME")]
    pub(super) driver: Option<DriverName>,
    /// Print the report as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_that_is_pointed_to_is_that_of_the_command() {
        for (line, command) in [
            ("webwise", "webwise"),
            ("webwise --verbose", "webwise"),
            ("webwise fly --driver x", "webwise"),
            ("webwise run --driver x", "webwise run"),
            ("webwise run --goal memory", "webwise run"),
            ("webwise memory", "webwise memory"),
            (
                "webwise memory --memory-dir x list --y",
                "webwise memory list",
            ),
        ] {
            let arguments: Vec<OsString> = line.split(' ').map(Into::into).collect();
            assert_eq!(meant(&arguments), command, "{line}");
        }
    }
}
