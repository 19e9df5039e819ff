//! `webwise setup`: gets what the playwright-cli driver needs, and does nothing where all is there.
//!
//! ```text
//! machine      looks: which programs are there, how new, who may install
//! plan         decides: facts to steps, or to the sentence that says what the person has to do; pure
//! packages     what the tests of this crate drive; pure
//! carry_out    acts: one step with progress
//! environment  what the programs that it starts may see; pure
//! ```

mod carry_out;
mod environment;
pub(super) mod machine;
pub(super) mod packages;
pub(super) mod plan;

use std::{
    fs::File,
    io::{IsTerminal as _, Write},
    path::Path,
};

use self::{
    machine::{Machine, Surroundings},
    plan::{Step, plan},
};
use super::{Refusal, args::SetupArgs, doctor, say, tell};

/// Most steps of one call. Source: the system's packages and npm can each be needed once more after the other, a package of
/// the tests once.
const MAX_STEPS: usize = 4 + packages::PACKAGES.len();

/// Installs what is missing and says what is there.
pub(super) async fn run(args: &SetupArgs) -> Result<(), Refusal> {
    let around = Surroundings::from_env()?.for_tests(args.tests);
    let mut machine = Machine::inspect(&around).await;
    let steps = plan(&machine).map_err(Refusal::usage)?;
    if args.check {
        let command = if args.tests { "webwise setup --tests" } else { "webwise setup" };
        return check(&machine, &steps, command);
    }
    if steps.is_empty() {
        say("Nothing to do, everything is there:");
        doctor::print_tools(&machine);
        return Ok(());
    }
    install(&around, &mut machine, steps, args.yes).await?;
    say("Ready:");
    doctor::print_tools(&machine);
    say("Next: webwise demo");
    Ok(())
}

/// Installs what is missing and says nothing where all is there; for commands that need it.
pub(super) async fn ensure() -> Result<(), Refusal> {
    let around = Surroundings::from_env()?;
    let mut machine = Machine::inspect(&around).await;
    let steps = plan(&machine).map_err(Refusal::usage)?;
    if steps.is_empty() {
        return Ok(());
    }
    tell("The browser needs something that is not here yet, so `webwise setup` runs first.");
    install(&around, &mut machine, steps, false).await
}

/// Carries the steps out; whoever can answer is asked first, wherever the output goes.
async fn install(around: &Surroundings, machine: &mut Machine, steps: Vec<Step>, yes: bool) -> Result<(), Refusal> {
    if !yes && std::io::stdin().is_terminal() && !agreed(&steps) {
        return Err(Refusal::usage("nothing was installed: run `webwise setup` again and answer yes, or use `--yes`"));
    }
    let _lock = lock(around.root.parent().unwrap_or(&around.root))?;
    carry_out_all(around, machine, steps).await
}

/// Does the first step, looks again, and goes on until nothing is left to do.
async fn carry_out_all(around: &Surroundings, machine: &mut Machine, mut steps: Vec<Step>) -> Result<(), Refusal> {
    let count = steps.len();
    for number in 1..=MAX_STEPS {
        let Some(step) = steps.first() else { return Ok(()) };
        carry_out::carry_out(step, number, count.max(number)).await?;
        *machine = Machine::inspect(around).await;
        let left = plan(machine).map_err(Refusal::usage)?;
        if left.first() == steps.first() {
            break;
        }
        steps = left;
    }
    match steps.first() {
        None => Ok(()),
        Some(step) => Err(Refusal::failure(format!(
            "\"{}\" ended well but what it should bring is not there: run `webwise doctor` to see what was found",
            step.sentence
        ))),
    }
}

fn check(machine: &Machine, steps: &[Step], command: &str) -> Result<(), Refusal> {
    doctor::print_tools(machine);
    if steps.is_empty() {
        return Ok(());
    }
    list(&mut std::io::stdout(), steps);
    Err(Refusal::failure(format!("setup has work to do: run `{command}` to have it done")))
}

fn list(out: &mut dyn Write, steps: &[Step]) {
    for (index, step) in steps.iter().enumerate() {
        // Who closed the output does not want to read on.
        let _ = writeln!(out, "{}. {}", index + 1, step.sentence);
    }
}

/// Asks on the output that the person sees.
fn agreed(steps: &[Step]) -> bool {
    let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
    let out: &mut dyn Write = if !err.is_terminal() && out.is_terminal() { &mut out } else { &mut err };
    list(out, steps);
    let _ = write!(out, "Go on? [Y/n] ");
    let _ = out.flush();
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).is_ok_and(|n| n > 0)
        && matches!(answer.trim().to_ascii_lowercase().as_str(), "" | "y" | "yes")
}

/// Keeps a second `setup` out of webwise's own folder; the lock ends with this process.
fn lock(home: &Path) -> Result<File, Refusal> {
    let fail = |error: std::io::Error| {
        Refusal::usage(format!("{} cannot be written ({error}): set WEBWISE_HOME to another folder", home.display()))
    };
    carry_out::private_folder(home).map_err(fail)?;
    let file = File::create(home.join(".setup.lock")).map_err(fail)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => {
            Err(Refusal::usage("another `webwise setup` is running: wait until it has ended"))
        }
        Err(std::fs::TryLockError::Error(error)) => Err(fail(error)),
    }
}
