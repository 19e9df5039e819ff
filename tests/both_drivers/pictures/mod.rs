//! Pages that cannot be told in words: drawings, icons without names, a board of empty squares. A policy that sees only the request, its
//! picture included, solves each of them with pictures and none of them without.

use crate::{browsers, profile, web};

use std::{io::Cursor, sync::Arc};

use serde_json::{Value, json};
use webwise::{
    DecisionLoop, Task,
    action::RawCall,
    agent::{Images, Options},
    browser::BrowserDriver,
    chat::{ChatRequest, ChatResponse, LlmCapabilities},
    store::InMemory,
    testing::{ScriptedModel, call},
};

use self::{
    browsers::{Driver, Wishes},
    profile::pick,
    web::{Answer, Web},
};

const HEAD: &str = include_str!("head.html");
const RED: [u8; 3] = [230, 20, 30];
const BLUE: [u8; 3] = [30, 60, 220];

/// A page with what is to be done on it.
struct Page {
    name: &'static str,
    body: &'static str,
    acts: &'static [Act],
}

/// One act of the policy. Colours are looked for in the picture.
#[derive(Debug, Clone, Copy)]
enum Act {
    Click,
    Double,
    /// Red onto blue.
    Drag,
    /// Down, which needs no picture.
    Scroll,
}

macro_rules! pages {
    ($($name:literal: $($act:ident)+;)*) => {
        const PAGES: &[Page] = &[$(Page {
            name: $name,
            body: include_str!(concat!("pages/", $name, ".html")),
            acts: &[$(Act::$act),+],
        }),*];
    };
}

pages! {
    "canvas-buttons": Click;
    "canvas-of-document": Click;
    "canvas-double": Double;
    "canvas-drag": Drag;
    "canvas-below": Scroll Click;
    "canvas-in-frame": Click;
    "icons": Click;
    "board": Click;
    "chart": Click;
    "image": Click;
}

/// The middle of a colour in the picture of a request.
fn middle(request: &ChatRequest, colour: [u8; 3]) -> Option<(u32, u32)> {
    let picture = request.images.last()?;
    let mut reader = png::Decoder::new(Cursor::new(&picture.png))
        .read_info()
        .ok()?;
    assert_eq!(reader.info().color_type, png::ColorType::Rgb);
    let width = reader.info().width;
    let mut pixels = vec![0; reader.output_buffer_size()?];
    reader.next_frame(&mut pixels).ok()?;
    let places: Vec<(u32, u32)> = (0..)
        .zip(pixels.chunks_exact(3))
        .filter(|(_, pixel)| *pixel == colour)
        .map(|(at, _): (u32, _)| (at % width, at / width))
        .collect();
    let mean = |part: fn(&(u32, u32)) -> u32| {
        let count = u32::try_from(places.len()).ok()?;
        places.iter().map(part).sum::<u32>().checked_div(count)
    };
    Some((mean(|place| place.0)?, mean(|place| place.1)?))
}

/// What the policy does; `None` if it cannot see what it needs.
fn decide(act: Act, request: &ChatRequest) -> Option<ChatResponse> {
    let does = |tool: &str, arguments: Value| {
        Some(ChatResponse::with_calls([RawCall::new(tool, arguments)]))
    };
    if matches!(act, Act::Scroll) {
        return does("scroll", json!({ "direction": "down", "pixels": 1_600 }));
    }
    let (x, y) = middle(request, RED)?;
    match act {
        Act::Double => does("click_xy", json!({ "x": x, "y": y, "double": true })),
        Act::Drag => {
            let (to_x, to_y) = middle(request, BLUE)?;
            does(
                "drag_xy",
                json!({ "x": x, "y": y, "to_x": to_x, "to_y": to_y }),
            )
        }
        _ => does("click_xy", json!({ "x": x, "y": y })),
    }
}

/// Runs the policy on a page; what the page and the loop say, if it was not solved.
async fn run(
    driver: &Arc<dyn BrowserDriver>,
    web: &Web,
    page: &Page,
    images: Images,
) -> Result<(), String> {
    let mut acts = page.acts.iter().copied();
    let model = ScriptedModel::deciding(move |request| {
        let next = acts.next().map(|act| decide(act, request));
        Ok(match next {
            Some(Some(reply)) => reply,
            Some(None) => call(
                "finish",
                json!({ "answer": "nothing to see", "success": false }),
            ),
            None => call("finish", json!({ "answer": "done", "evidence": "solved" })),
        })
    });
    let mut capabilities = LlmCapabilities::new("policy");
    capabilities.images = true;
    let model = model.with_capabilities(capabilities);
    let mut options = Options::default();
    options.images = images;
    // Nobody can say what a point of a picture does, so a person is asked; here nobody is.
    options.approval = webwise::guard::ApprovalMode::Auto;
    let agent = DecisionLoop::builder(Arc::clone(driver), model.clone(), InMemory::new())
        .with_options(options)
        .build()
        .expect("the options are fine");
    let url = web.url("127.0.0.1", &format!("/{}", page.name));
    let task = Task::new("Find the red one").expect("a goal");
    let task = task.with_start_url(&url).expect("an address");
    let report = agent.run(task).await;
    if report.is_success() {
        return Ok(());
    }
    let requests = model.requests();
    let last = requests.last().map(|request| request.message.clone());
    Err(format!(
        "{}: {:?} {:?}\n{}",
        page.name,
        report.summary.stop,
        report.answer,
        last.unwrap_or_default()
    ))
}

fn serve() -> Web {
    Web::start(|asked| {
        let page = PAGES
            .iter()
            .find(|page| asked.path == format!("/{}", page.name));
        Answer::page(page.map_or_else(String::new, |page| format!("{HEAD}{}", page.body)))
    })
}

async fn solved_by(by: Driver) {
    let (web, driver) = (serve(), by.launch(&Wishes::default()).await);
    let (mut missed, mut blind) = (Vec::new(), Vec::new());
    // In the quick suite the slower driver takes every fifth page.
    let step = if by == Driver::Cdp { 1 } else { pick(5, 1) };
    let pages: Vec<_> = PAGES.iter().step_by(step).collect();
    for page in pages.iter().copied() {
        missed.extend(run(&driver, &web, page, Images::Auto).await.err());
        if run(&driver, &web, page, Images::Never).await.is_ok() {
            blind.push(page.name);
        }
    }
    driver.close().await.expect("the browser ends");
    figure!(
        "pictures: {}: {} of {} pages solved with --images auto, {} with --images never",
        by.name(),
        pages.len() - missed.len(),
        pages.len(),
        blind.len()
    );
    assert!(missed.is_empty(), "{}", missed.join("\n\n"));
    assert!(blind.is_empty(), "{blind:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_solved_by_cdp() {
    solved_by(Driver::Cdp).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_solved_by_playwright_cli() {
    solved_by(Driver::PlaywrightCli).await;
}
