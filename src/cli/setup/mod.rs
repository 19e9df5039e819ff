//! `webwise setup`: installs what the chosen driver needs, and does nothing if everything is there.
//!
//! ```text
//! machine      finds programs, their versions, and who may install
//! choice       chooses the driver from these facts; pure
//! plan         turns the facts into steps, or into a sentence that says what the person has to do; pure
//! carry_out    carries out one step and shows its progress
//! environment  the variables that started programs may see; pure
//! ```
//!
//! # Decisions
//!
//! - The command line prefers `cdp`, because the snapshot of playwright-cli does not show which elements listen for clicks.
//!   In a test, a person chose the actions in place of the model. This person saw only the snapshot of playwright-cli, and
//!   failed.
//! - For playwright-cli, `setup` installs a second Node.js only if the one that it finds is too old or does not work.
//! - After each step, `setup` looks at the machine again and makes a new plan from the facts alone.

mod carry_out;
pub(super) mod choice;
mod environment;
pub(super) mod machine;
pub(super) mod plan;

use std::{
    fs::File,
    io::{IsTerminal as _, Write},
    path::Path,
};

use self::{
    choice::{Choice, DriverName, Facts, choose},
    machine::{Machine, Surroundings},
    plan::{Step, plan},
};
use super::{Refusal, args::SetupArgs, doctor, say, tell};
use crate::{base::text::Folded, browser::ProgramPlaces};

/// Maximum number of steps that one call of `setup` carries out. Source: one step for system packages and one for npm
/// packages; each of the two may be needed twice.
const MAX_STEPS: usize = 4;

pub(super) async fn run(args: &SetupArgs) -> Result<(), Refusal> {
    let around = Surroundings::from_env()?;
    let mut machine = Machine::inspect(&around).await;
    let choice = choose(args.driver, machine.facts()).map_err(Refusal::usage)?;
    let steps = plan(&machine, &choice).map_err(Refusal::usage)?;
    if args.check {
        return check(&machine, &choice, &steps);
    }
    if steps.is_empty() {
        say("Nothing to do, everything is there:");
        doctor::print_tools(&machine, &choice);
        return Ok(());
    }
    if !args.yes && !agreed(&steps) {
        return Err(declined(&choice, ""));
    }
    install(&around, &mut machine, &choice, steps).await?;
    say("Ready:");
    doctor::print_tools(&machine, &choice);
    say(format_args!(
        "Next: webwise demo{}",
        if choice.is_asked {
            format!(" --driver {}", choice.driver)
        } else {
            String::new()
        }
    ));
    Ok(())
}

/// Chooses a driver without installing or starting anything.
pub(super) fn chosen(asked: Option<DriverName>) -> Result<Choice, Refusal> {
    choose(asked, Facts::of(&ProgramPlaces::from_env())).map_err(Refusal::usage)
}

/// Chooses a driver. If something that the driver needs is missing, asks the person and installs it; if standard input
/// is not a terminal, installs it without asking. If nothing is missing, prints nothing.
pub(super) async fn ensure(asked: Option<DriverName>) -> Result<Choice, Refusal> {
    let around = Surroundings::from_env()?;
    let mut machine = Machine::inspect(&around).await;
    let choice = choose(asked, machine.facts()).map_err(Refusal::usage)?;
    let steps = plan(&machine, &choice).map_err(Refusal::usage)?;
    if !steps.is_empty() {
        let command = choice.setup_command();
        tell(format_args!(
            "The browser needs something that is not here yet, so `{command}` runs first."
        ));
        if !agreed(&steps) {
            return Err(declined(&choice, ", and then the demo again"));
        }
        install(&around, &mut machine, &choice, steps).await?;
    }
    Ok(choice)
}

/// Returns the error for a person who declined the installation. `then` is appended to the error's sentence.
fn declined(choice: &Choice, then: &str) -> Refusal {
    let command = choice.setup_command();
    Refusal::usage(format!(
        "nothing was installed: run `{command} --yes` to have it done without a question{then}"
    ))
}

/// Carries out the plan while holding the lock of webwise's own folder, so that no other `setup` writes there.
async fn install(
    around: &Surroundings,
    machine: &mut Machine,
    choice: &Choice,
    steps: Vec<Step>,
) -> Result<(), Refusal> {
    let _lock = lock(around.root.parent().unwrap_or(&around.root))?;
    carry_out_all(around, machine, choice, steps).await
}

/// Carries out the first step of the plan, looks at the machine again and makes a new plan, until the plan is empty. Fails
/// if a step succeeded but is the first step of the new plan again.
async fn carry_out_all(
    around: &Surroundings,
    machine: &mut Machine,
    choice: &Choice,
    mut steps: Vec<Step>,
) -> Result<(), Refusal> {
    let count = steps.len();
    for number in 1..=MAX_STEPS {
        let Some(step) = steps.first() else {
            return Ok(());
        };
        carry_out::carry_out(step, number, count.max(number)).await?;
        *machine = Machine::inspect(around).await;
        let left = plan(machine, choice).map_err(Refusal::usage)?;
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

fn check(machine: &Machine, choice: &Choice, steps: &[Step]) -> Result<(), Refusal> {
    doctor::print_tools(machine, choice);
    if steps.is_empty() {
        return Ok(());
    }
    list(&mut std::io::stdout(), steps);
    let command = choice.setup_command();
    Err(Refusal::failure(format!(
        "setup has work to do: run `{command}` to have it done"
    )))
}

fn list(out: &mut dyn Write, steps: &[Step]) {
    for (index, step) in steps.iter().enumerate() {
        // If the output is closed, nobody reads the rest.
        let _ = writeln!(out, "{}. {}", index + 1, step.sentence);
    }
}

/// Asks the person to agree to these steps, and returns true if the person agrees. Asks on stderr, or on stdout if only
/// stdout is a terminal. If standard input is not a terminal, returns true without asking.
fn agreed(steps: &[Step]) -> bool {
    if !std::io::stdin().is_terminal() {
        return true;
    }
    let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
    let out: &mut dyn Write = if !err.is_terminal() && out.is_terminal() {
        &mut out
    } else {
        &mut err
    };
    list(out, steps);
    let _ = write!(out, "Go on? [Y/n] ");
    let _ = out.flush();
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).is_ok_and(|n| n > 0)
        && matches!(Folded::of(&answer).as_str(), "" | "y" | "yes")
}

/// Takes the lock that prevents two `setup`s from writing webwise's own folder at the same time. The lock is released
/// when the returned file is dropped. Fails if another process holds the lock.
fn lock(home: &Path) -> Result<File, Refusal> {
    let fail = |error: std::io::Error| {
        Refusal::usage(format!(
            "{} cannot be written ({error}): set WEBWISE_HOME to another folder",
            home.display()
        ))
    };
    carry_out::private_folder(home).map_err(fail)?;
    let file = File::create(home.join(".setup.lock")).map_err(fail)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(Refusal::usage(
            "another `webwise setup` is running: wait until it has ended",
        )),
        Err(std::fs::TryLockError::Error(error)) => Err(fail(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_says_no_is_told_the_command_that_works() {
        let machine = Machine::bare("/r");
        for (asked, command) in [
            (None, "webwise setup"),
            (Some(DriverName::Cdp), "webwise setup --driver cdp"),
        ] {
            let choice = choose(asked, machine.facts()).unwrap();
            let said = declined(&choice, ", and then the demo again");
            assert_eq!(said.code(), 2);
            assert_eq!(
                said.sentence(),
                format!(
                    "nothing was installed: run `{command} --yes` to have it done without a question, and then the demo again"
                )
            );
        }
    }
}
