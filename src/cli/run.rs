//! `webwise run`: a task of the user's own, on a site of the user's choice.

use std::{collections::BTreeSet, fs, path::Path, sync::Arc, time::Duration};

use chrono::Utc;
use clap::Parser as _;
use serde_json::Value;
use uuid::Uuid;

use super::{
    Refusal,
    args::{Cli, Command},
    drive::{
        Begin, Drive, Ended, OwnDir, Source, Stop, check_screen, model, person::Person,
        result::cause,
    },
    run_args::{Approve, ExtractArgs, RunArgs},
    runs::{Register, cannot_go_on},
    say,
    say::{Voice, one_line, tell},
    setup::{self, choice::DriverName},
    values,
};
use crate::{
    Error, MemoryBackend, Task,
    agent::{Approver, Cause, Options},
    base::{SessionId, TokenCount},
    registry::RunStatus,
    store::InMemory,
};

/// The goal of `extract` if the schema says all.
const EXTRACT: &str = "Read from this page what the schema of the answer describes. If it is a list that goes on on further pages, \
                       read them too. Change nothing.";

/// Runs the task that the flags describe. Fails unless the goal was reached and evidence shows it.
pub(super) async fn run(args: &RunArgs) -> Result<(), Refusal> {
    let ended = carry_out(args, true).await?;
    if args.output.json {
        say(ended.json(problem(&ended).as_deref()));
    } else {
        let voice = Voice { json: false };
        ended.lines().iter().for_each(|line| voice.line(line));
    }
    refused(&ended)
}

/// Extracts data from a page, and prints it as JSON. Fails unless evidence shows it.
pub(super) async fn extract(args: ExtractArgs) -> Result<(), Refusal> {
    let goal = format!("--goal={}", args.goal.as_deref().unwrap_or(EXTRACT));
    let line = ["webwise", "run", &goal, "--url", args.url.as_str()];
    let Command::Run(mut run) = Cli::parse_from(line).command else {
        unreachable!("these are arguments of run")
    };
    run.schema = Some(args.schema);
    (run.max_steps, run.max_calls, run.timeout) = (args.max_steps, args.max_calls, args.timeout);
    run.max_input_tokens = args.max_input_tokens;
    run.max_output_tokens = args.max_output_tokens;
    (run.model, run.browser, run.attach) = (args.model, args.browser, args.attach);
    (run.no_memory, run.output) = (true, args.output);
    // Nothing here needs approval, so it is no news that nobody can be asked.
    let asks = false;
    let named = run.model.model.clone();
    let named = named.or_else(|| std::env::var("WEBWISE_MODEL").ok());
    if named.as_deref() == Some(model::STAND_IN) {
        return Err(Refusal::usage(
            "extract needs a model: the stand-in cannot read what a schema describes",
        ));
    }
    let is_report = std::mem::replace(&mut run.output.json, true);
    // Stdout is for the data.
    let ended = carry_out(&run, asks).await?;
    if is_report {
        say(ended.json(problem(&ended).as_deref()));
    }
    refused(&ended)?;
    if is_report {
        return Ok(());
    }
    for field in &ended.report.unverified {
        tell(one_line(&format!("not proven by a page: {field}")));
    }
    say(ended.report.answer.as_deref().unwrap_or_default());
    Ok(())
}

/// Carries out a task. `asks` is false if nothing in it may need approval.
async fn carry_out(args: &RunArgs, asks: bool) -> Result<Ended, Refusal> {
    if args.attach.is_some() && args.browser.driver == Some(DriverName::PlaywrightCli) {
        return Err(Refusal::usage(
            "--attach works by the driver cdp: leave out `--driver playwright-cli`",
        ));
    }
    refuse_twice(
        "--param",
        args.parameters.iter().map(|(name, _)| name.as_str()),
    )?;
    refuse_twice("--given", args.given.iter().map(|(name, _)| name.as_str()))?;
    refuse_twice("--file", args.files.iter().map(|(name, _)| name.as_str()))?;
    check_screen(args.browser.headed)?;
    let memory: Arc<dyn MemoryBackend> = if args.no_memory {
        Arc::new(InMemory::new())
    } else {
        Arc::new(args.memory.open()?)
    };
    let begin = begin(args, &memory).await?;
    let model = model::configured(&args.model)?.ok_or_else(model::none_configured)?;
    let runs = OwnDir::of_runs(&args.output.runs_dir)?;
    let memory_dir = (!args.no_memory).then(|| OwnDir::of_memory(&args.memory));
    let memory_dir = memory_dir.transpose()?;
    model::check(&args.model).await?;
    let voice = Voice {
        json: args.output.json,
    };
    let stop = Stop::listen(voice)?;
    let approver = Person::at_terminal().map(|person| Arc::new(person) as Arc<dyn Approver>);
    if asks && approver.is_none() && args.approve != Approve::Auto {
        voice.line("Nobody is at a terminal to ask: what needs approval will be refused (choose what does with --approve safe, hybrid or auto).");
    }
    let drive = Drive {
        output: &args.output,
        browser: browser(args)?,
        runs: &runs,
        memory_dir: memory_dir.as_ref(),
        model,
        options: options(args),
        memory,
        kinds: args.ways.kinds(),
        approver,
        pause: Duration::ZERO,
        probe: None,
    };
    drive.carry_out(begin, &stop).await
}

fn browser(args: &RunArgs) -> Result<Source, Refusal> {
    match &args.attach {
        Some(address) => Ok(Source::Attach(address.clone())),
        None => Ok(Source::Start {
            choice: setup::chosen(args.browser.driver)?,
            args: args.browser.clone(),
        }),
    }
}

fn problem(ended: &Ended) -> Option<String> {
    let stop = ended.report.summary.stop;
    (!stop.is_success()).then(|| format!("the goal was not reached: {}", cause(&ended.report)))
}

/// Returns the error of a run that did not reach its goal.
fn refused(ended: &Ended) -> Result<(), Refusal> {
    let Some(problem) = problem(ended) else {
        return Ok(());
    };
    let cause = ended.report.cause.as_ref();
    let code = match cause {
        Some(Cause::Model(_)) => 3,
        Some(Cause::Browser(_)) => 4,
        Some(Cause::StartPage(_)) => 5,
        Some(Cause::Budget(_)) => 6,
        Some(Cause::Approval) => 7,
        _ => 1,
    };
    let kind = cause.map_or("failed", Cause::as_str);
    Err(Refusal::failure(problem).of_kind(kind, code).told())
}

/// Returns the task with the form of answer that a file with a JSON Schema describes.
fn with_schema(task: Task, file: &Path) -> Result<Task, Refusal> {
    let wrong = |why: String| Refusal::usage(format!("--schema {}: {why}", file.display()));
    let text = fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
    let schema: Value =
        serde_json::from_str(&text).map_err(|error| wrong(format!("not JSON: {error}")))?;
    let validator = jsonschema::validator_for(&schema)
        .map_err(|error| wrong(format!("not a valid JSON Schema: {error}")))?;
    Ok(task.returning_json(schema, move |answer| {
        validator
            .validate(answer)
            .map_err(|error| error.to_string())
    }))
}

fn wrong(error: &Error) -> Refusal {
    let why = error
        .context()
        .iter()
        .map(|(key, value)| format!("{key} {value}"))
        .collect::<Vec<_>>()
        .join(", ");
    Refusal::usage(format!("this task cannot be run: {why}"))
}

/// Returns the task of a new run, or of an earlier run that is resumed. A new run may begin on the page where an
/// earlier run ended.
async fn begin(args: &RunArgs, memory: &Arc<dyn MemoryBackend>) -> Result<Begin, Refusal> {
    let runs = Register::open(&args.memory, Arc::clone(memory));
    let Some(goal) = &args.goal else {
        let run = runs
            .find(args.resume_run.as_deref().unwrap_or_default())
            .await?;
        if args.session_id.is_some() {
            let why =
                "a run goes on in its own session: leave out --session-id, or give a new --goal";
            return Err(Refusal::usage(why));
        }
        let refused = |error| cannot_go_on(&run.run, error);
        if run.status == RunStatus::Completed {
            let id = &run.run;
            return Err(Refusal::usage(format!(
                "{id} cannot be continued: it has ended with an answer. `webwise run --resume-run {id} --goal GOAL` starts a new run on \
                 its last page"
            )));
        }
        run.may_resume(Utc::now()).map_err(refused)?;
        let checkpoint = runs.runs().checkpoint(&run.run).await;
        let task = checkpoint.and_then(|checkpoint| Task::of_checkpoint(&checkpoint));
        let task = task.map_err(refused)?;
        return Ok(Begin::Resume(with_flags(task, args)?));
    };
    let mut task = Task::new(goal.as_str()).map_err(|error| wrong(&error))?;
    if let Some(url) = &args.url {
        task = task
            .with_start_url(url.as_str())
            .map_err(|error| wrong(&error))?;
    }
    let (now, of) = (
        Utc::now(),
        args.resume_run.as_ref().or(args.fork_run.as_ref()),
    );
    if let Some(of) = of {
        let run = runs.find(of).await?.run;
        let earlier = if args.fork_run.is_some() {
            let session = format!("fork_{}", Uuid::now_v7().simple());
            let session = SessionId::parse(session)?;
            runs.runs().fork(&run, session, now).await
        } else {
            runs.runs().follow(&run, now).await
        };
        let earlier = earlier.map_err(|error| cannot_go_on(&run, error))?;
        task = task.continuing(earlier).map_err(|error| wrong(&error))?;
    }
    Ok(Begin::New(with_flags(task, args)?))
}

/// Returns an error if a name is given twice, because only one of its values could be used.
fn refuse_twice<'a>(flag: &str, mut names: impl Iterator<Item = &'a str>) -> Result<(), Refusal> {
    let mut seen = BTreeSet::new();
    let twice = names.find(|name| !seen.insert(*name));
    twice.map_or(Ok(()), |name| {
        Err(Refusal::usage(format!(
            "{flag} {name} is given twice: give each name once"
        )))
    })
}

fn why(error: &Error) -> String {
    let why = error.said("why");
    why.map_or_else(|| error.to_string(), str::to_owned)
}

fn with_flags(mut task: Task, args: &RunArgs) -> Result<Task, Refusal> {
    let vault = values::vault(&args.secrets, |name| std::env::var(name))?;
    task = task.with_secrets(vault);
    for (name, value) in &args.parameters {
        task = task.with_parameter(name.clone(), value.as_str());
    }
    for (name, file) in &args.given {
        let text = fs::read_to_string(file).map_err(|error| {
            Refusal::usage(format!("--given {name}: {}: {error}", file.display()))
        })?;
        task = task.with_given(name, &text).map_err(|error| {
            Refusal::usage(format!(
                "--given {name}: {}: {}",
                file.display(),
                why(&error)
            ))
        })?;
    }
    for (name, file) in &args.files {
        task = task
            .with_file(name, file)
            .map_err(|error| Refusal::usage(format!("--file {name}: {}", why(&error))))?;
    }
    for site in &args.allow {
        task = task.with_allowed(site.clone());
    }
    if let Some(instructions) = &args.instructions {
        task = task
            .with_instructions(instructions.as_str())
            .map_err(|error| wrong(&error))?;
    }
    for (host, note) in &args.site_notes {
        task = task
            .with_site_note(host.clone(), note.as_str())
            .map_err(|error| wrong(&error))?;
    }
    if let Some(session) = &args.session_id {
        task = task.with_session(session.clone());
    }
    if let Some(file) = &args.schema {
        task = with_schema(task, file)?;
    }
    if let Some(name) = task.missing_secrets().first() {
        let why = format!(
            "the goal names <secret:{name}>, but no --secret {name}=ENVVAR@ORIGIN is given"
        );
        return Err(Refusal::usage(why));
    }
    Ok(task)
}

fn options(args: &RunArgs) -> Options {
    let mut options = model::options(&args.model);
    let budget = &mut options.budget;
    budget.max_steps = args.max_steps.unwrap_or(budget.max_steps);
    budget.max_calls = args.max_calls.or(budget.max_calls);
    budget.max_input_tokens = args
        .max_input_tokens
        .map(TokenCount)
        .or(budget.max_input_tokens);
    budget.max_output_tokens = args
        .max_output_tokens
        .map(TokenCount)
        .or(budget.max_output_tokens);
    budget.max_duration = args.timeout.or(budget.max_duration);
    options.approval = args.approve.mode();
    options.mode = args.mode.mode();
    options.memory = !args.no_memory;
    options.replay = args.replay.replay();
    options.withheld_share = args.withheld_share.unwrap_or(options.withheld_share);
    options.namespace = args.memory.namespace();
    options
}
