//! The command line program `webwise`: the parsing of its arguments, its commands, and its exit codes.
//!
//! | exit code | meaning |
//! | --- | --- |
//! | 0 | the command succeeded |
//! | 1 | the command was tried and failed; a run did not reach its goal |
//! | 2 | the command was not tried: its arguments are wrong, or it is not possible on this machine; stderr says what to do |
//! | 3 | a run's model gave no usable reply |
//! | 4 | a run's browser was lost |
//! | 5 | a run's start page could not be opened, or its server answered with an error |
//! | 6 | a run's budget was used up |
//! | 7 | an action of a run was not approved |
//! | 130 | a second signal, such as Ctrl-C, ended the command at once |
//! | 141 | a run was stopped because nobody reads its output any more |
//!
//! Only the binary and two examples call this module; the rest of the library never does.

mod args;
mod config;
mod demo;
mod doctor;
mod drive;
mod eval;
mod explore;
mod memory;
mod memory_place;
mod refusal;
mod run;
mod run_args;
mod runs;
mod say;
mod setup;
mod values;

use std::{ffi::OsString, process::ExitCode};

use self::{args::Command, config::Config};
pub(crate) use self::{
    refusal::Refusal,
    say::{say, tell},
};

/// Runs the command line and returns the exit code of the process.
///
/// `arguments` start with the name of the program, as in [`std::env::args_os`].
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let result = match config::parse(&arguments) {
        Ok(Some((cli, config))) => carry_out(cli.command, &config),
        Ok(None) => Ok(()),
        Err(refusal) => Err(refusal),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // Any command may fail before it knows its flags.
        Err(refusal) => refusal.report(arguments.iter().any(|word| word == "--json")),
    }
}

fn carry_out(command: Command, config: &Config) -> Result<(), Refusal> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| {
            Refusal::failure(format!("the system gives no threads or timers: {error}"))
        })?;
    runtime.block_on(async {
        match command {
            Command::Setup(args) => setup::run(&args).await,
            Command::Doctor(args) => doctor::run(&args, config).await,
            Command::Run(args) => Box::pin(run::run(&args)).await,
            Command::Extract(args) => Box::pin(run::extract(*args)).await,
            Command::Demo(args) => Box::pin(demo::run(&args)).await,
            Command::Eval(args) => Box::pin(eval::run(&args)).await,
            Command::Explore(args) => explore::run(&args).await,
            Command::Memory(args) => memory::run(&args).await,
            Command::Runs(args) => runs::run(&args).await,
        }
    })
}
