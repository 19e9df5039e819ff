//! The result of a run, as lines for a person and as one JSON object for a program.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::model::with_flags;
use crate::{
    RunReport,
    action::Outcome,
    agent::{Cause, StartPage},
    base::text::{counted, squeeze, truncate},
    eval::LastPage,
    event::RunSummary,
    prompt::for_person,
    report::words::{self, quoted},
    working::{StopReason, refused_last},
};

/// Maximum length of an answer, evidence or error in the printed lines. Unit: characters. Source: chosen.
const MAX_TEXT: usize = 2_000;
/// Maximum length of the error message that the sentence about the end of a run shows. Unit: characters. Source: chosen.
const MAX_CAUSE: usize = 400;

#[derive(Debug)]
pub(in crate::cli) struct Ended {
    pub(in crate::cli) report: RunReport,
    pub(in crate::cli) driver: String,
    pub(in crate::cli) transport: &'static str,
    pub(in crate::cli) model: String,
    pub(in crate::cli) folder: PathBuf,
    /// Path of the HTML report; `None` if it could not be written.
    pub(in crate::cli) page: Option<PathBuf>,
    /// The page at which a run of an evaluation ended, or the reason why this page could not be read; `None` for any other
    /// run.
    pub(in crate::cli) last: Option<Result<LastPage, String>>,
}

impl Ended {
    pub(in crate::cli) fn lines(&self) -> Vec<String> {
        let Self {
            report,
            driver,
            transport,
            model,
            folder,
            page,
            last: _,
        } = self;
        let row = |name: &str, text: &str| format!("{name:<10}{text}");
        let text = |name: &str, text: &Option<String>| {
            text.as_ref().map(|text| row(name, &quoted(text, MAX_TEXT)))
        };
        let mut lines = vec![
            String::new(),
            row("Result", words::stop(report.summary.stop)),
        ];
        lines.extend(text("Answer", &report.answer));
        lines.extend(text("Evidence", &report.evidence));
        let claims = report.unverified.iter();
        lines.extend(claims.map(|claim| row("Unverified", &quoted(claim, 200))));
        let unused = report.unused.iter();
        lines.extend(unused.map(|text| row("Not used", &quoted(text, 200))));
        lines.extend(
            report
                .extracted
                .iter()
                .map(|(name, data)| row("Read", &format!("{name} = {}", quoted(data, 200)))),
        );
        let error = report.error.as_deref().map(with_flags);
        lines.extend(text("Error", &error));
        lines.push(row("Cost", &cost(&report.summary)));
        lines.push(row(
            "By",
            &format!("{model} with {driver} (by {transport})"),
        ));
        lines.push(row("Kept in", &folder.display().to_string()));
        let page = page.as_ref().map(|page| page.display().to_string());
        lines.extend(page.map(|page| row("Report", &page)));
        lines
    }

    /// Returns the result of the run as JSON, with more details than the lines for a person. `problem` is the reason for an
    /// exit code other than 0.
    pub(in crate::cli) fn json(&self, problem: Option<&str>) -> Value {
        let Self {
            report,
            driver,
            transport,
            model,
            folder,
            page,
            last: _,
        } = self;
        let summary = &report.summary;
        json!({
            "ok": problem.is_none(),
            "problem": problem,
            "error_kind": report.cause.as_ref().map(Cause::as_str),
            "cause": report.cause,
            "run": report.run,
            "stop": summary.stop.as_str(),
            "verified": summary.success,
            "answer": report.answer,
            "evidence": report.evidence,
            "unverified": report.unverified,
            "unused": report.unused,
            "extracted": report.extracted,
            "final_url": report.final_url,
            "error": report.error.as_deref().map(with_flags),
            "steps": summary.steps,
            "steps_from_memory": summary.replayed,
            "failed_actions": summary.errors,
            "model_calls": summary.calls,
            "tokens": { "usage": summary.usage, "estimated": summary.estimated },
            "elapsed_ms": summary.elapsed_ms,
            "model": model,
            "driver": driver,
            "transport": transport,
            "folder": folder,
            "report": page,
        })
    }
}

/// Returns the cause of the end of a run in words: the stop reason with the run's error, or the action that was refused.
pub(in crate::cli) fn cause(report: &RunReport) -> String {
    let stop = report.summary.stop;
    let words = words::stop(stop);
    let error = report.error.as_deref().map(with_flags);
    let error = error.map(|error| truncate(&squeeze(&error), MAX_CAUSE));
    match (stop, error) {
        // The error says all that the stop reason says, and more.
        (StopReason::GaveUp | StopReason::Rejected, Some(error)) => error,
        (StopReason::GaveUp, None) => refused(report).unwrap_or_else(|| words.to_owned()),
        (_, Some(error)) => format!("{words}; {error}"),
        (_, None) => match &report.cause {
            Some(Cause::StartPage(StartPage::Status(status))) => {
                format!("{words}; the start page came with HTTP status {status}")
            }
            _ => words.to_owned(),
        },
    }
}

fn refused(report: &RunReport) -> Option<String> {
    let step = refused_last(&report.steps)?;
    let Outcome::Failed(failure) = &step.outcome else {
        return None;
    };
    let action = for_person(&step.action, &step.targets);
    let why = &failure.detail;
    Some(format!(
        "the action {action} was refused ({why}), and the run ended"
    ))
}

fn cost(summary: &RunSummary) -> String {
    let failed = if summary.errors > 0 {
        format!(" ({} failed or had no effect)", summary.errors)
    } else {
        String::new()
    };
    let replayed = match summary.replayed {
        0 => String::new(),
        replayed => format!(", {replayed} of them from memory"),
    };
    let (input, output) = (summary.usage.input.0, summary.usage.output.0);
    let cached = match summary.usage.cached.0 {
        0 => String::new(),
        cached => format!(", {cached} of them from the provider's cache"),
    };
    let estimated = if summary.estimated { ", estimated" } else { "" };
    // Integers give exact tenths of a second.
    let tenths = summary.elapsed_ms / 100;
    format!(
        "{}{replayed}{failed}, {}, {} ({input} read{cached}, {output} written{estimated}), {}.{} s",
        counted(summary.steps, "step"),
        counted(summary.calls, "model call"),
        counted(input.saturating_add(output), "token"),
        tenths / 10,
        tenths % 10
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        RunId,
        action::{Action, BrowserAction, ErrorClass, NoArguments, Signature},
        base::TokenCount,
        chat::Usage,
        working::{BudgetKind, Step},
    };

    fn ended(stop: StopReason, error: Option<&str>, outcomes: &[Outcome]) -> String {
        let summary = RunSummary::new(stop, 0, 0, 0, Usage::default(), false, 0);
        let mut report = RunReport::new(RunId::parse("run_1").unwrap(), summary);
        report.error = error.map(str::to_owned);
        let reload = Action::Browser(BrowserAction::Reload(NoArguments {}));
        let signature = Signature::of(&reload, &[], "");
        let step =
            |outcome: &Outcome| Step::new(1, reload.clone(), outcome.clone(), signature.clone());
        report.steps = outcomes.iter().map(step).collect();
        cause(&report)
    }

    #[test]
    fn the_cause_of_an_end_is_what_was_refused_or_the_error() {
        let no = Outcome::failed(ErrorClass::Rejected, "nobody is there to approve it");
        let (gave_up, late) = (StopReason::GaveUp, StopReason::Budget(BudgetKind::Time));
        for (cause, stop, error, outcomes) in [
            ("the model gave up", gave_up, None, &[][..]),
            (
                "the action reload was refused (nobody is there to approve it), and the run ended",
                gave_up,
                None,
                &[Outcome::Done, no.clone()],
            ),
            ("the model gave up", gave_up, None, &[no, Outcome::Done]),
            ("no start page", gave_up, Some("no start page"), &[]),
            ("the allowed time is over", late, None, &[]),
            (
                "the allowed time is over; a question was waiting",
                late,
                Some("a question was waiting"),
                &[],
            ),
        ] {
            assert_eq!(ended(stop, error, outcomes), cause);
        }
    }

    #[test]
    fn the_cost_is_one_sentence() {
        let usage = Usage {
            input: TokenCount(1_200),
            output: TokenCount(34),
            cached: TokenCount(0),
        };
        let summary = RunSummary::new(StopReason::Finished, 9, 2, 1, usage, true, 12_345);
        assert_eq!(
            cost(&summary),
            "9 steps (2 failed or had no effect), 1 model call, 1234 tokens (1200 read, 34 written, estimated), 12.3 s"
        );
        let usage = Usage {
            cached: TokenCount(1_024),
            ..usage
        };
        let summary = RunSummary::new(StopReason::Finished, 9, 0, 2, usage, false, 12_345);
        assert_eq!(
            cost(&summary),
            "9 steps, 2 model calls, 1234 tokens (1200 read, 1024 of them from the provider's cache, 34 written), 12.3 s"
        );
    }
}
