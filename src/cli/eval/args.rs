//! The flags of `webwise eval`.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use clap::{Args, ValueEnum, value_parser};

use crate::{
    agent::Options,
    cli::{
        Refusal,
        drive::model,
        memory_place::MemoryPlace,
        run_args::{Approve, BrowserArgs, ModelArgs, WayArgs},
        values,
    },
    eval::{Arm, Isolation},
};

#[derive(Debug, Args)]
pub(in crate::cli) struct EvalArgs {
    /// The case file.
    #[arg(value_name = "CASES.json")]
    file: Option<PathBuf>,
    /// The case file, as a flag.
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    cases: Option<PathBuf>,
    /// Number of seeds. For each seed, each case is run once in each arm (see --arms).
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = value_parser!(u32).range(1..=100))]
    pub(super) seeds: u32,
    /// The arms to compare, separated by commas. An arm is a way to use memory.
    #[arg(long, value_enum, value_name = "ARMS", value_delimiter = ',', default_values_t = [ArmName::Cold, ArmName::Warm, ArmName::Withheld])]
    arms: Vec<ArmName>,
    /// The runs that share a memory.
    #[arg(long, value_enum, value_name = "HOW", default_value_t = IsolationName::PerRun)]
    memory_isolation: IsolationName,
    #[command(flatten)]
    pub(super) memory: MemoryPlace,
    #[command(flatten)]
    pub(super) ways: WayArgs,
    #[command(flatten)]
    pub(super) model: ModelArgs,
    #[command(flatten)]
    pub(super) browser: BrowserArgs,
    /// Maximum number of steps of a run. Default: 50.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    max_steps: Option<u32>,
    /// Maximum time of a run, such as 90s, 5m or 1h. A bare number is seconds. Default: no limit.
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    timeout: Option<Duration>,
    /// The actions that need approval. Nobody is asked, so an action that needs approval is refused.
    #[arg(long, value_enum, default_value_t = Approve::Hybrid)]
    approve: Approve,
    /// The folder that contains the run folders. It keeps the newest 100 runs.
    #[arg(long, value_name = "DIR", default_value = "eval-runs")]
    pub(super) runs_dir: PathBuf,
    /// Print the figures of all runs and their comparison as one JSON object.
    #[arg(long)]
    pub(super) json: bool,
}

/// An arm: a way to use memory in the runs of the cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ArmName {
    /// The runs have no memory.
    Off,
    /// The runs begin with an empty memory.
    Cold,
    /// The runs begin with a memory that earlier runs filled: by default, one run of the same case. With
    /// --memory-isolation shared, it is one run of each case; with none, it is your own memory. If a case has variants,
    /// its earlier run has other values.
    Warm,
    /// The runs begin with the same memory as in `warm`. But the advice in this memory is not shown to the model.
    Withheld,
}

/// The sharing of a memory between runs. It makes no difference to the arms `cold` and `off`: runs of `cold` begin with an
/// empty memory, and runs of `off` have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum IsolationName {
    /// The runs of the arms `warm` and `withheld`, and the earlier runs, use and change your own memory, or the memory in
    /// --memory-dir.
    None,
    /// Each combination of a case and a seed has a memory of its own.
    PerRun,
    /// The cases share one memory for each seed.
    Shared,
}

impl EvalArgs {
    /// Returns the path of the case file. Fails if neither the argument nor the flag names a case file.
    pub(super) fn file(&self) -> Result<&Path, Refusal> {
        let file = self.file.as_ref().or(self.cases.as_ref());
        file.map(PathBuf::as_path)
            .ok_or_else(|| Refusal::usage("name a case file: `webwise eval CASES.json`"))
    }

    /// Returns the arms to compare, each once, in the order off, cold, warm, withheld.
    pub(super) fn arms(&self) -> Vec<Arm> {
        let mut arms: Vec<Arm> = self
            .arms
            .iter()
            .map(|arm| match arm {
                ArmName::Off => Arm::Off,
                ArmName::Cold => Arm::Cold,
                ArmName::Warm => Arm::Warm,
                ArmName::Withheld => Arm::Withheld,
            })
            .collect();
        arms.sort_unstable();
        arms.dedup();
        arms
    }

    pub(super) const fn isolation(&self) -> Isolation {
        match self.memory_isolation {
            IsolationName::None => Isolation::None,
            IsolationName::PerRun => Isolation::PerRun,
            IsolationName::Shared => Isolation::Shared,
        }
    }

    pub(super) fn uses_own_memory(&self) -> bool {
        self.isolation() == Isolation::None
    }

    pub(super) fn options(&self) -> Options {
        let mut options = model::options(&self.model);
        let budget = &mut options.budget;
        budget.max_steps = self.max_steps.unwrap_or(budget.max_steps);
        budget.max_duration = self.timeout.or(budget.max_duration);
        options.approval = self.approve.mode();
        options.namespace = self.memory.namespace();
        options
    }
}
