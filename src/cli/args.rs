//! The command line as typed values; `webwise --help` is written here.

use clap::{Args, Parser, Subcommand};

use super::{
    memory::args::MemoryArgs,
    run_args::{DemoArgs, RunArgs},
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
}

#[derive(Debug, Args)]
pub(super) struct SetupArgs {
    /// Install without asking first; where standard input is no terminal, nobody is asked either.
    #[arg(long, short = 'y')]
    pub(super) yes: bool,
    /// Only say what would be done; exit code 1 if there is something to do.
    #[arg(long, conflicts_with = "yes")]
    pub(super) check: bool,
    /// The driver to install for. Without it the one that `doctor` names: playwright-cli where that and its Node.js are there
    /// already, else cdp.
    #[arg(long, value_enum, value_name = "NAME", conflicts_with = "tests")]
    pub(super) driver: Option<DriverName>,
    /// Also get what the tests of this crate need: both drivers, MiniWoB++, Django and Roundup, with Python's pip, and strace.
    #[arg(long)]
    pub(super) tests: bool,
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
