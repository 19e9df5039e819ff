//! Runs of the loop over widgets and their dead twins, and the count of what it concluded.

use std::{
    collections::VecDeque,
    fs,
    path::{Component, Path, PathBuf},
    sync::{Arc, Mutex},
};

use serde_json::json;
use webwise::{
    DecisionLoop, Site, Task,
    agent::Options,
    browser::BrowserDriver,
    event::EventKind,
    guard::ApprovalMode,
    store::InMemory,
    testing::{Recorder, ScriptedModel, call},
};

use crate::effects::{
    browsers::{Driver, Wishes},
    profile::pick,
    web::{Answer, Asked, Web},
    widget::{Widget, packages},
};

/// Browsers at a time, in the quick suite and in the full one: most of a run is waiting. Source: chosen.
const BROWSERS: (usize, usize) = (2, 4);
/// What a dead page's address ends with.
const DEAD: &str = "?dead";
/// What every page begins with.
const START: &str = include_str!("start.html");

/// What the loop concluded of one action.
#[derive(Debug)]
struct Told {
    widget: String,
    act: String,
    is_dead: bool,
    outcome: String,
    /// What the loop saw.
    why: String,
}

impl Told {
    fn is_right(&self) -> bool {
        self.outcome == if self.is_dead { "no_effect" } else { "done" }
    }
}

/// Runs one widget in `every` by this driver, tells the figure, and asserts that every verdict is right.
pub(crate) async fn told_by(by: Driver, every: usize) {
    let widgets: Vec<Widget> = Widget::all().into_iter().step_by(every).collect();
    let count = widgets.len();
    let web = Arc::new(serve(&widgets));
    let waiting: Arc<Mutex<VecDeque<Widget>>> = Arc::new(Mutex::new(widgets.into()));
    let workers: Vec<_> = (0..pick(BROWSERS.0, BROWSERS.1).min(count))
        .map(|_| tokio::spawn(work(by, Arc::clone(&web), Arc::clone(&waiting))))
        .collect();
    let mut all = Vec::new();
    for worker in workers {
        all.extend(worker.await.expect("a worker ends"));
    }
    let share = |is_dead: bool| {
        let of_it = all.iter().filter(|told| told.is_dead == is_dead);
        let (right, all) = (
            of_it.clone().filter(|told| told.is_right()).count(),
            of_it.count(),
        );
        format!("{right} of {all}")
    };
    figure!(
        "effects by {}: {count} widgets, {} working told as done, {} dead told as no effect",
        by.name(),
        share(false),
        share(true)
    );
    let wrong: Vec<String> = all
        .iter()
        .filter(|told| !told.is_right())
        .map(|told| {
            let kind = if told.is_dead { "dead" } else { "working" };
            format!(
                "{} ({kind}): {} -> {} {}",
                told.widget, told.act, told.outcome, told.why
            )
        })
        .collect();
    assert!(wrong.is_empty(), "{}:\n{}", by.name(), wrong.join("\n"));
    let dead = all.iter().filter(|told| told.is_dead).count();
    assert!(
        dead >= count && dead * 2 == all.len(),
        "{dead} of {} are dead, on {count} widgets",
        all.len()
    );
}

async fn work(by: Driver, web: Arc<Web>, waiting: Arc<Mutex<VecDeque<Widget>>>) -> Vec<Told> {
    let driver = by.launch(&Wishes::default()).await;
    let next = || {
        waiting
            .lock()
            .expect("no worker panics with it")
            .pop_front()
    };
    let mut told = Vec::new();
    while let Some(widget) = next() {
        for is_dead in [false, true] {
            told.extend(run(&driver, &web, &widget, is_dead).await);
        }
    }
    driver.close().await.expect("the browser ends");
    told
}

/// Does on one page what is to be done, a reply for each action, and returns what was concluded.
async fn run(
    driver: &Arc<dyn BrowserDriver>,
    web: &Web,
    widget: &Widget,
    is_dead: bool,
) -> Vec<Told> {
    let end = if is_dead { DEAD } else { "" };
    let url = web.url("127.0.0.1", &format!("/{}{end}", widget.name));
    let site = Site::of(&url.parse().expect("an address")).expect("a site");
    let task = Task::new("Try the widget")
        .and_then(|task| task.with_allowed(site).with_start_url(&url))
        .expect("a task");
    let replies = widget
        .acts
        .iter()
        .map(|act| call(&act.tool, act.arguments.clone()))
        .chain([call(
            "finish",
            json!({ "answer": "tried", "success": false }),
        )]);
    let mut options = Options::default();
    options.approval = ApprovalMode::Auto;
    options.memory = false;
    let events = Recorder::new();
    let agent = DecisionLoop::builder(
        Arc::clone(driver),
        ScriptedModel::new(replies),
        InMemory::new(),
    )
    .with_options(options)
    .with_sink(events.clone())
    .build()
    .expect("the options make sense");
    let report = agent.run(task).await;
    let mut concluded = events
        .events()
        .into_iter()
        .filter_map(|event| match event.kind {
            EventKind::ActionExecuted {
                action,
                outcome,
                changed,
                ..
            } if action.tool_name() != "goto" => Some(match outcome.class() {
                Some(class) => (class.to_string(), format!("{outcome:?}")),
                None => (outcome.as_str().to_owned(), changed.join("; ")),
            }),
            _ => None,
        });
    let acts = widget.acts.iter().filter_map(|act| {
        let (outcome, why) = concluded.next().unwrap_or_else(|| {
            let why = format!("{:?} {:?}", report.summary.stop, report.error);
            ("not carried out".to_owned(), why)
        });
        act.counts.then(|| Told {
            widget: widget.name.clone(),
            act: format!("{} {}", act.tool, act.arguments),
            is_dead,
            outcome,
            why,
        })
    });
    acts.collect()
}

/// Serves the pages at their names, and below `/packages/` the files of the libraries.
fn serve(widgets: &[Widget]) -> Web {
    let pages: Vec<(String, String)> = widgets
        .iter()
        .map(|widget| (widget.name.clone(), format!("{START}{}", widget.body)))
        .collect();
    let packages = packages();
    Web::start(move |asked: &Asked| {
        let path = asked.path.split('?').next().unwrap_or_default();
        let path = path.trim_start_matches('/');
        if let Some(file) = path.strip_prefix("packages/") {
            return library(&packages, Path::new(file));
        }
        let page = pages.iter().find(|(name, _)| name == path);
        Answer::page(page.map(|(_, page)| page.clone()).unwrap_or_default())
    })
}

/// A file of a library.
fn library(packages: &Path, file: &Path) -> Answer {
    let is_inside = file
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    let kind = match file.extension().and_then(|end| end.to_str()) {
        Some("js" | "mjs") => "text/javascript",
        Some("css") => "text/css",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    };
    let file: PathBuf = packages.join(file);
    let body = is_inside.then(|| fs::read_to_string(&file).ok()).flatten();
    Answer {
        status: if body.is_some() { 200 } else { 404 },
        headers: vec![format!("Content-Type: {kind}; charset=utf-8")],
        body: body.unwrap_or_default(),
    }
}
