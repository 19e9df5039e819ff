//! `webwise demo`: a whole task in a real browser, in a demo shop on this machine. The result is checked against
//! the shop's records.
//!
//! ```text
//! shopping   the task: the goal for the agent, and the order that the shop must have recorded
//! approver   approves actions on the shop's own origin only
//! verdict    compares the agent's answer with the shop's orders
//! ```
//!
//! # Decisions
//!
//! - The demo's shop uses the same port each time if that port is free, because memory identifies a host by its port too.
//! - The demo checks the shop's records: the exit code is 0 only if the shop has exactly the requested order and the agent's
//!   answer contains the order's number.

mod approver;
mod shopping;
mod verdict;

use std::{sync::Arc, time::Duration};

use url::Url;
use uuid::Uuid;

use self::{approver::ShopOnly, shopping::ShoppingTask};
use super::{
    Refusal,
    drive::{Begin, Drive, OwnDir, Source, Stop, check_screen, model},
    run_args::DemoArgs,
    say,
    say::Voice,
    setup,
};
use crate::{
    Error, Host, Origin, Task,
    agent::Options,
    demo::{Shop, ShopOptions},
    memory::{KindOptions, Scope},
    secret::{Secret, SecretName, Vault},
    stand_in::StandIn,
    store::{JsonFiles, Memory},
};

/// Pause between two steps of the run with `--slow`. Source: chosen; long enough to see the result of a step.
const SLOW: Duration = Duration::from_millis(1_500);

/// Port of the shop unless another port is given. The port is fixed because memory identifies a host by its port too.
/// Source: chosen, outside the range from which systems assign ports.
const USUAL_PORT: u16 = 27_418;

/// The line for a person who wonders why this run looks different from the first one.
const KNOWN: &str = "Memory    it knows this shop from an earlier run, so less may fail; a new --memory-dir shows a first run again";

/// The line for a person who wonders why memory does not know the shop.
const MOVED: &str = "Memory    port 27418 is taken, so the shop has another one; what memory knows of it belongs to port 27418 and helps again \
                     when that port is free";

/// Installs what is missing and runs the shopping task. Fails unless the shop has the requested order and the agent's answer
/// contains the order's number.
pub(super) async fn run(args: &DemoArgs) -> Result<(), Refusal> {
    check_screen(args.browser.headed)?;
    let configured = model::configured(&args.model)?;
    let stands_in = configured.is_none();
    let model = configured.unwrap_or_else(|| Arc::new(StandIn::new()));
    let runs = OwnDir::of_runs(&args.output.runs_dir)?;
    let seed = args.seed.unwrap_or_else(|| Uuid::new_v4().as_u64_pair().0);
    let memory = args.memory.open()?;
    let memory_dir = OwnDir::of_memory(&args.memory)?;
    let (shop, has_moved) = open(args.port, seed)
        .await
        .map_err(|error| no_shop(&error))?;
    let choice = setup::ensure(args.browser.driver).await?;
    let (voice, shopping) = (
        Voice {
            json: args.output.json,
        },
        ShoppingTask::default(),
    );
    let stop = Stop::listen(voice)?;
    let is_known = knows(&memory, args, shop.url()).await;
    let origin = Origin::of(shop.url()).map_err(|error| no_shop(&error))?;
    let task = task(&shop, &shopping, &origin).map_err(|error| no_shop(&error))?;
    voice.line(format_args!(
        "Shop      {} (seed {seed}), made for this demo; nothing is sold and nothing is sent",
        shop.url()
    ));
    voice.line(format_args!("Goal      {}", task.goal()));
    let hint = "; set GEMINI_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY or WEBWISE_LLM_BASE_URL for a real model";
    voice.line(format_args!(
        "Model     {}{}",
        model.capabilities().model,
        if stands_in { hint } else { "" }
    ));
    voice.line(format_args!(
        "Approval  the demo approves placing the order by itself, on {origin} and nowhere else"
    ));
    if is_known {
        voice.line(KNOWN);
    }
    if has_moved {
        voice.line(MOVED);
    }

    let drive = Drive {
        output: &args.output,
        browser: Source::Start {
            choice,
            args: args.browser.clone(),
        },
        runs: &runs,
        memory_dir: Some(&memory_dir),
        model,
        options: options(args),
        memory: Arc::new(memory),
        kinds: KindOptions::default(),
        approver: Some(Arc::new(ShopOnly::new(origin))),
        pause: if args.slow { SLOW } else { Duration::ZERO },
        probe: None,
    };
    let ended = drive.carry_out(Begin::New(task), &stop).await?;
    let orders = shop.orders();
    shop.stop().await;

    let verdict = verdict::of(&ended.report, &orders, &shopping);
    if args.output.json {
        let mut object = ended.json(verdict.as_ref().err().map(String::as_str));
        object["seed"] = seed.into();
        object["orders"] = serde_json::to_value(&orders).unwrap_or_default();
        say(object);
    } else {
        ended.lines().iter().for_each(|line| voice.line(line));
        if let Ok(order) = &verdict {
            voice.line(format_args!(
                "Checked   the shop's own book holds this order: {}",
                verdict::line(order)
            ));
        }
    }
    let told = |problem| Refusal::failure(problem).told();
    verdict.map(drop).map_err(told)
}

/// Returns true if memory holds anything that an earlier run learned at this address.
async fn knows(memory: &JsonFiles, args: &DemoArgs, url: &Url) -> bool {
    let keeper = Memory::new(memory, args.memory.namespace());
    let (Ok(read), Ok(host)) = (keeper.items().await, Host::of(url)) else {
        return false;
    };
    let here = Scope::Host(host);
    read.items.iter().any(|item| item.shelf.scope == here)
}

fn options(args: &DemoArgs) -> Options {
    Options {
        namespace: args.memory.namespace(),
        ..model::options(&args.model)
    }
}

/// Opens the shop on this port. If no port is given, opens it on the usual port, or on a free port if the usual port is
/// taken; then also returns true.
async fn open(port: Option<u16>, seed: u64) -> Result<(Shop, bool), Error> {
    let on = |port| Shop::start(ShopOptions::default().with_port(port).with_seed(seed));
    match port {
        Some(port) => Ok((on(port).await?, false)),
        None => match on(USUAL_PORT).await {
            Ok(shop) => Ok((shop, false)),
            Err(_) => Ok((on(0).await?, true)),
        },
    }
}

fn task(shop: &Shop, shopping: &ShoppingTask, origin: &Origin) -> Result<Task, Error> {
    let name = SecretName::parse("PASSWORD")?;
    let goal = shopping.goal(shop.user(), &name.placeholder());
    let vault = Vault::new().with(name, Secret::new(shop.password()), vec![origin.clone()])?;
    Ok(Task::new(goal)?
        .with_start_url(shop.url().as_str())?
        .with_secrets(vault))
}

fn no_shop(error: &Error) -> Refusal {
    match (error.said("port"), error.said("reason")) {
        (Some(port), Some(reason)) => Refusal::usage(format!(
            "the shop cannot be opened on port {port}, {reason}: name another one with --port"
        )),
        _ => Refusal::failure(format!("the shop cannot be opened: {error}")),
    }
}
