//! The arguments of the command line as typed values. The doc comments are the text of `webwise --help`.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, CommandFactory as _, Parser, Subcommand};

use super::{
    eval::EvalArgs,
    explore::ExploreArgs,
    memory::args::MemoryArgs,
    run_args::{DemoArgs, ExtractArgs, RunArgs},
    runs::RunsArgs,
    setup::choice::DriverName,
};

/// A browser agent with memory: a language model drives a real browser.
#[derive(Debug, Parser)]
#[command(name = "webwise", version, disable_help_subcommand = true)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
    /// The configuration file. Default: the user's file (`webwise.toml` in `WEBWISE_HOME`, or in `webwise` in the
    /// configuration folder), and `webwise.toml` in the working folder, which takes precedence.
    #[arg(long, value_name = "FILE", global = true)]
    pub(super) config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Install Chromium if it is missing; with `--driver playwright-cli` also Node.js and playwright-cli. At a terminal it
    /// asks first.
    Setup(SetupArgs),
    /// Check programs, the folder of memory, the model and the configuration files. Report whether a demo can run here,
    /// and how to fix what prevents it. Installs nothing.
    Doctor(DoctorArgs),
    /// Buy something in a demo shop on this machine, with a real browser; installs what is missing.
    Demo(DemoArgs),
    /// Carry out a task on a site of your choice, with a model or with the stand-in.
    Run(Box<RunArgs>),
    /// Extract data from a page, and the pages of the same list, as JSON of the form that a schema describes.
    Extract(Box<ExtractArgs>),
    /// Open the pages of a site, without a model, and remember them for the next runs there.
    Explore(ExploreArgs),
    /// Measure what memory is worth: run the cases of a file with and without a filled memory, and compare the runs.
    Eval(Box<EvalArgs>),
    /// Show what is remembered; accept, forget, undo, export and import it.
    Memory(MemoryArgs),
    /// List past runs; show what happened in one.
    Runs(RunsArgs),
}

/// Returns the longest command path that the arguments name, such as `webwise memory list`. An error message refers to
/// the help of this command.
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
    /// Install without asking first. Without a terminal on standard input, as in CI, setup never asks.
    #[arg(long, short = 'y')]
    pub(super) yes: bool,
    /// Only list what setup would install; exit code 1 if anything is missing, 2 if setup cannot install it here.
    /// `doctor` also checks memory, the model and the configuration files.
    #[arg(long, conflicts_with = "yes")]
    pub(super) check: bool,
    /// The driver to install for. Default: the driver that `doctor` names.
    #[arg(long, value_enum, value_name = "NAME")]
    pub(super) driver: Option<DriverName>,
}

#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// Report on this driver instead of the one that would be used.
    #[arg(long, value_enum, value_name = "NAME")]
    pub(super) driver: Option<DriverName>,
    /// Also ask the configured model one tiny question, which costs a few hundred tokens, and report its answer.
    #[arg(long)]
    pub(super) online: bool,
    /// Print the report as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{guard::Budget, memory::KindOptions};

    fn help(command: &str, flag: &str) -> String {
        let all = Cli::command();
        let command = all.find_subcommand(command).expect("a command");
        let mut flags = command.get_arguments();
        let of = flags.find(|arg| arg.get_long() == Some(flag));
        let of = of.unwrap_or_else(|| panic!("{command} has no --{flag}"));
        let defaults = of.get_default_values().iter();
        let defaults = defaults.map(|value| format!(" Default: {}", value.display()));
        format!(
            "{}{}",
            of.get_help().expect("a help"),
            defaults.collect::<String>()
        )
    }

    #[test]
    fn the_help_of_a_number_or_a_folder_says_its_default() {
        let all = Cli::command();
        for command in ["run", "eval", "explore"] {
            let flags = all.find_subcommand(command).expect("a command");
            let mut checked = 0;
            for flag in flags.get_arguments().filter_map(|arg| {
                let is_measured = arg.get_value_names().is_some_and(|names| {
                    ["N", "DIR", "DURATION", "SHARE"].contains(&names[0].as_str())
                });
                arg.get_long().filter(|_| is_measured)
            }) {
                let help = help(command, flag);
                assert!(help.contains("Default: "), "{command} --{flag}: {help}");
                checked += 1;
            }
            assert!(checked > 2, "{command}");
        }
        let steps = format!("Default: {}", Budget::default().max_steps);
        for command in ["run", "eval"] {
            assert!(help(command, "max-steps").contains(&steps), "{steps}");
            let days = KindOptions::default().trace_ttl_days;
            let days = format!("Default: {days}");
            assert!(help(command, "trace-ttl-days").contains(&days), "{days}");
        }
    }

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
