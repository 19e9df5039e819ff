//! The result of an evaluation, as a table for a person and as one JSON object for a program.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::{
    RunId,
    base::text::counted,
    cli::{say, say::one_line},
    eval::{Arm, Comparison, Difference, Figures, Group, Measured, Metric, groups},
    report::words,
    working::StopReason,
};

#[derive(Debug)]
pub(super) struct Made {
    pub(super) case: String,
    pub(super) seed: u32,
    /// The arm (the way to use memory) to which the run belongs; `None` for a run that only filled a memory for later runs.
    pub(super) arm: Option<Arm>,
    pub(super) figures: Figures,
    /// `Ok` if all success conditions of the case hold and the last page is not the browser's own error page. Otherwise
    /// the first reason why not, in words.
    pub(super) verdict: Result<(), String>,
    /// True if the model reported that the goal was reached, and the evidence that it quoted was found.
    pub(super) claimed: bool,
    pub(super) estimated: bool,
    pub(super) stop: StopReason,
    pub(super) run: RunId,
    pub(super) folder: PathBuf,
    pub(super) model: String,
    pub(super) driver: String,
}

impl Made {
    pub(super) fn line(&self) -> String {
        let of = |metric: Metric| metric.shown(self.figures.of(metric));
        let verdict = match &self.verdict {
            Ok(()) => "success".to_owned(),
            Err(why) => format!("{why} ({})", words::stop(self.stop)),
        };
        format!(
            "{}, seed {}, {}: {} steps, {} model calls, {} + {} tokens, {} s: {verdict}",
            self.case,
            self.seed,
            self.name(),
            of(Metric::Steps),
            of(Metric::ModelCalls),
            of(Metric::TokensIn),
            of(Metric::TokensOut),
            of(Metric::Seconds),
        )
    }

    fn name(&self) -> &'static str {
        self.arm.map_or("warm-up", Arm::as_str)
    }

    fn json(&self) -> Value {
        let mut run = json!({
            "case": self.case, "seed": self.seed, "arm": self.name(), "run": self.run, "folder": self.folder,
            "why": self.verdict.as_ref().err(), "claimed": self.claimed, "stop": self.stop.as_str(),
            "estimated": self.estimated, "model": self.model, "driver": self.driver,
        });
        let figures = self.figures.json();
        for (name, value) in figures.as_object().into_iter().flatten() {
            run[name] = value.clone();
        }
        run["success"] = self.verdict.is_ok().into();
        run
    }
}

#[derive(Debug)]
pub(super) struct Outcome<'a> {
    made: &'a [Made],
    groups: Vec<Group>,
    problem: Option<&'a str>,
}

impl<'a> Outcome<'a> {
    pub(super) fn of(made: &'a [Made], problem: Option<&'a str>) -> Self {
        let measured = made.iter().filter_map(|run| {
            Some(Measured {
                case: run.case.clone(),
                seed: run.seed,
                arm: run.arm?,
                figures: run.figures,
            })
        });
        Self {
            made,
            groups: groups(&measured.collect::<Vec<_>>()),
            problem,
        }
    }

    pub(super) fn print(&self, as_json: bool) {
        if as_json {
            say(self.json());
        } else {
            self.lines().iter().for_each(|line| say(one_line(line)));
        }
    }

    fn json(&self) -> Value {
        let (of_cases, of_all): (Vec<&Group>, Vec<&Group>) =
            self.groups.iter().partition(|group| group.case.is_some());
        json!({
            "ok": self.problem.is_none(),
            "problem": self.problem,
            "cases": of_cases.into_iter().map(group_json).collect::<Vec<_>>(),
            "all": of_all.first().map(|group| group_json(group)),
            "runs": self.made.iter().map(Made::json).collect::<Vec<_>>(),
        })
    }

    fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.groups.iter().flat_map(group_lines).collect();
        let warm_ups = self.made.iter().filter(|run| run.arm.is_none());
        let (all, failed) = warm_ups.fold((0, 0), |(all, failed), run| {
            (all + 1, failed + u32::from(run.verdict.is_err()))
        });
        if all > 0 {
            lines.push(format!(
                "{} filled the memories; {failed} of them did not reach the goal.",
                counted(all, "run")
            ));
        }
        if self.made.iter().any(|run| run.estimated) {
            lines.push("The model reported no tokens, so they are estimated.".to_owned());
        }
        lines
    }
}

fn group_lines(group: &Group) -> Vec<String> {
    let title = group.case.as_deref().unwrap_or("All cases");
    let mut lines = vec![title.to_owned()];
    lines.push(
        "  arm       runs  success  steps  failed  calls  tokens in  tokens out  seconds"
            .to_owned(),
    );
    for (arm, runs, means) in &group.arms {
        let of = |metric: Metric| metric.shown(means.of(metric));
        lines.push(format!(
            "  {:<8} {runs:>5} {:>8} {:>6} {:>7} {:>6} {:>10} {:>11} {:>8}",
            arm.as_str(),
            of(Metric::Success),
            of(Metric::Steps),
            of(Metric::FailedActions),
            of(Metric::ModelCalls),
            of(Metric::TokensIn),
            of(Metric::TokensOut),
            of(Metric::Seconds),
        ));
    }
    for comparison in &group.comparisons {
        lines.push(format!(
            "  {} against {}, {} pairs: mean difference [95 % interval]",
            comparison.of.as_str(),
            comparison.with.as_str(),
            comparison.pairs
        ));
        let differences = comparison.differences.iter();
        lines.extend(differences.map(|of| format!("    {}", of.line())));
    }
    lines.push(String::new());
    lines
}

fn group_json(group: &Group) -> Value {
    let arms = group.arms.iter().map(
        |(arm, runs, means)| json!({ "arm": arm.as_str(), "runs": runs, "means": means.json() }),
    );
    let comparisons = group.comparisons.iter().map(comparison_json);
    json!({
        "case": group.case,
        "arms": arms.collect::<Vec<_>>(),
        "comparisons": comparisons.collect::<Vec<_>>(),
    })
}

fn comparison_json(comparison: &Comparison) -> Value {
    let differences = comparison.differences.iter().map(Difference::entry);
    json!({
        "of": comparison.of.as_str(),
        "with": comparison.with.as_str(),
        "pairs": comparison.pairs,
        "differences": Value::Object(differences.collect()),
    })
}
