//! Sight: of all that reacts to a person's hand, how much the model can act on, and of all that a person reads, how much it
//! can read.
//!
//! A script in the page knows who listens and records what real input changes, through a session of the test's own; nothing of
//! our code tells it anything. Something reacts if a hover, a click, keys or a drag at its middle change the document, a value
//! or a scroll position, send a request, or are prevented from what they would do. It is covered if a reference that the prompt shows,
//! or one `find` by its words, is that of an element whose click meets it or something in it.

use crate::hostile_pages::server;
use crate::miniwob::site;
use crate::{apps, chromium, profile};

mod chrome;
mod eyes;
mod groups;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use serde_json::json;
use webwise::{
    action::{BrowserAction, Goto},
    browser::{BrowserDriver as _, Cdp, CdpOptions, ExecuteRequest, ProgramPlaces},
};

use self::{
    apps::App,
    chrome::{Answer, Chrome},
    eyes::{Eyes, bare, reach},
    profile::{full, pick},
};

/// Maximum number of elements of a page that are tried; beyond that, evenly spread ones.
const PROBES: (usize, usize) = (5, 80);
/// The same for an application, whose server takes ten times as long for a page and whose lists have many rows of one sort.
const APP_PROBES: usize = 20;
/// Maximum number of references that are followed on a page in the quick size.
const REFERENCES: (usize, usize) = (80, 1_000);
/// What a group of pages may not fall below: shares of reacting things covered and of characters readable. They only ever rise; the aim is
/// 99 and 100. Names with terminal codes, which are taken out of a prompt, are the text that hostile pages lack. Unit: per cent.
/// Source: measured.
struct Floor {
    covered: usize,
    readable: usize,
}
const OWN: Floor = Floor {
    covered: 99,
    readable: 100,
};
const MINIWOB: Floor = Floor {
    covered: 99,
    readable: 100,
};
const HOSTILE: Floor = Floor {
    covered: 99,
    readable: 99,
};
const DJANGO: Floor = Floor {
    covered: 99,
    readable: 100,
};
const ROUNDUP: Floor = Floor {
    covered: 99,
    readable: 100,
};

/// Of how many pages of MiniWoB++ the quick size takes one.
const QUICK_EVERY: usize = 16;

/// Something that reacts.
#[derive(Debug, Deserialize)]
struct Thing {
    html: String,
    words: String,
    told: String,
    by: Vec<String>,
}

/// What came of some pages.
#[derive(Default)]
struct Tally {
    pages: usize,
    things: usize,
    covered: usize,
    characters: usize,
    readable: usize,
    /// Texts that the page wrote anew between two looks: nobody can say whether they were read.
    restless: usize,
    gaps: Vec<String>,
}

impl Tally {
    fn tell(&self, group: &str) {
        for gap in &self.gaps {
            figure!("sight: {group}: not reached: {gap}");
        }
        figure!(
            "sight: {group}: {} of {} reacting things covered, {} of {} characters readable, {} pages; {} texts left out that \
             the page wrote anew meanwhile",
            self.covered,
            self.things,
            self.readable,
            self.characters,
            self.pages,
            self.restless
        );
    }

    fn prove(&self, group: &str, floor: &Floor) {
        self.tell(group);
        assert!(self.pages > 0 && self.things >= self.pages && self.characters > 0);
        assert!(
            // Of the few things of the quick size, one is more than one per cent.
            (self.things >= 20 && self.things - self.covered <= 1)
                || self.covered * 100 >= self.things * floor.covered,
            "{group}: too much that reacts cannot be acted on"
        );
        assert!(
            self.readable * 100 >= self.characters * floor.readable,
            "{group}: too much text cannot be read"
        );
    }
}

/// A browser with our driver and the witness in one tab.
struct Bed {
    driver: Cdp,
    chrome: Chrome,
    /// Maximum number of elements of a page that are tried.
    probes: usize,
    _browser: chromium::Running,
}

impl Bed {
    async fn new(url: &str) -> Self {
        let browser = chromium::Running::start().await;
        let options = CdpOptions::from_env()
            .expect("Chromium is there")
            .with_scripts(true);
        let driver = Cdp::attach(&browser.address(), &options).await;
        let driver = driver.expect("our driver attaches");
        let goto = BrowserAction::Goto(Goto {
            url: url.to_owned(),
        });
        let done = driver.execute(&ExecuteRequest::new(goto)).await;
        assert!(done.expect("the browser answers").outcome.is_done());
        let chrome = Chrome::attach(&browser.address(), url).await;
        Self {
            driver,
            chrome,
            probes: pick(PROBES.0, PROBES.1),
            _browser: browser,
        }
    }

    /// Measures one page, brought by `ready` to where it is measured.
    async fn measure(&mut self, name: &str, url: &str, ready: &str, tally: &mut Tally) {
        let count = self.chrome.open(url, ready).await;
        let mut texts: Vec<String> = self.chrome.ask("witness.texts()").await;
        let eyes = Eyes::of(&self.driver).await;
        // What a page writes anew by itself between two looks, such as a price, is no gap.
        let still: Vec<String> = self.chrome.ask("witness.texts()").await;
        let all = texts.len();
        texts.retain(|text| still.contains(text));
        tally.restless += all - texts.len();
        let candidates: Vec<Vec<usize>> = self.chrome.ask("witness.candidates()").await;
        let candidates = spread(&candidates, self.probes);
        let candidates: BTreeSet<usize> = candidates.into_iter().flatten().collect();
        let references = self.references(&eyes, &candidates).await;
        let mut reaches = Vec::new();
        for reference in references.iter().take(pick(REFERENCES.0, REFERENCES.1)) {
            if let Some((element, met)) = reach(&self.driver, reference).await {
                reaches.push(json!([element, met, reference]));
            }
        }
        // As soon after a load as the probes: what a page begins with moves on by itself.
        self.chrome.open(url, ready).await;
        let idle = self.chrome.probe(None).await.told;
        let idle: BTreeSet<&str> = idle.iter().map(|what| place(what)).collect();
        let mut probes = Vec::new();
        for number in candidates {
            let again = self.chrome.open(url, ready).await;
            assert_eq!(again, count, "{name} is not the same at each load");
            let Answer { mut told, keyed } = self.chrome.probe(Some(number)).await;
            told.retain(|what| !idle.contains(place(what)));
            if !told.is_empty() {
                probes.push(json!([number, told, keyed]));
            }
        }
        self.chrome.open(url, ready).await;
        let judged = format!("witness.judge({}, {})", json!(probes), json!(reaches));
        let things: Vec<Thing> = self.chrome.ask(&judged).await;
        let before = tally.gaps.len();
        tally.pages += 1;
        for thing in things {
            tally.things += 1;
            tally.covered += usize::from(!thing.by.is_empty());
            if thing.by.is_empty() {
                let told = thing.told.replace('\n', "; ");
                tally
                    .gaps
                    .push(format!("{name}: {:?} {} ({told})", thing.words, thing.html));
            }
        }
        let readable = eyes.text();
        for text in texts {
            let words = bare(&text);
            tally.characters += words.chars().count();
            if readable.contains(&words) {
                tally.readable += words.chars().count();
            } else {
                tally.gaps.push(format!("{name}: text {text:.120?}"));
            }
        }
        if tally.gaps.len() > before && std::env::var_os("SIGHT_SHOW").is_some() {
            figure!("{name} ({} nodes):\n{}", eyes.nodes(), eyes.message());
        }
    }

    /// The references in the prompt, and those that one search for what was left out gives.
    async fn references(&mut self, eyes: &Eyes, candidates: &BTreeSet<usize>) -> BTreeSet<String> {
        let mut out = eyes.shown();
        if eyes.is_cut() {
            for number in candidates {
                let words: String = self.chrome.ask(&format!("witness.words({number})")).await;
                if !words.is_empty() {
                    out.extend(eyes.found(&words));
                }
            }
        }
        out
    }
}

/// What changed and where, without what it changed to: what a page changes by itself has another value each time.
fn place(told: &str) -> &str {
    match told.match_indices(' ').nth(2) {
        Some((end, _)) if told.split(' ').nth(1) == Some("at") => &told[..end],
        _ => told,
    }
}

/// So many of these, evenly spread.
fn spread<T: Clone>(all: &[T], most: usize) -> Vec<T> {
    let step = all.len().div_ceil(most).max(1);
    all.iter().step_by(step).cloned().collect()
}

/// The pages in a folder by name, in order.
fn pages_in(folder: &Path) -> BTreeMap<String, PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|_| {
        panic!(
            "{} is not there: run `cargo run --features full --example test_beds` first",
            folder.display()
        )
    });
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    paths
        .filter(|path| path.extension().is_some_and(|end| end == "html"))
        .map(|path| {
            (
                path.file_stem()
                    .expect("a name")
                    .to_string_lossy()
                    .into_owned(),
                path,
            )
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_reacts_on_small_pages_of_all_sorts_can_be_acted_on_and_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/both_drivers/sight/pages");
    let site = site::Site::start(folder.clone()).await;
    let pages = pages_in(&folder);
    assert!(pages.len() >= 40, "{} pages", pages.len());
    let url = |name: &str| site.url("a.localhost", &format!("{name}.html"));
    let mut bed = Bed::new(&url("tabs")).await;
    let mut tally = Tally::default();
    // In the quick size every fourth page.
    for name in pages.keys().step_by(pick(4, 1)) {
        bed.measure(name, &url(name), "0", &mut tally).await;
    }
    tally.prove("own pages", &OWN);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_reacts_on_pages_that_nobody_here_wrote_can_be_acted_on_and_read() {
    let places = ProgramPlaces::from_env();
    let own = places.installation_folder().and_then(Path::parent);
    let folder = own
        .expect("HOME or WEBWISE_HOME is set")
        .join("miniwob/1.1.0/miniwob/html");
    let pages = pages_in(&folder.join("miniwob"));
    let site = site::Site::start(folder).await;
    let url = |name: &str| site.url("b.localhost", &format!("miniwob/{name}.html"));
    let mut bed = Bed::new(&url("click-test")).await;
    let mut tally = Tally::default();
    let seeds = pick(1, 3);
    for name in pages.keys().step_by(pick(QUICK_EVERY, 1)) {
        for seed in 1..=seeds {
            let ready = format!(
                "Math.seedrandom('s{seed}'), core.EPISODE_MAX_TIME = 1e9, core.startEpisodeReal()"
            );
            bed.measure(name, &url(name), &ready, &mut tally).await;
        }
    }
    let group = if full() {
        "MiniWoB++"
    } else {
        "MiniWoB++, a sample"
    };
    tally.prove(group, &MINIWOB);
}

/// Measures an application: its first page, and after the sign-in all others.
async fn measure_app(app: &App, pages: &[&str], sign_in: &str) -> Tally {
    let mut tally = Tally::default();
    let first = app.url(pages[0]);
    let mut bed = Bed::new(&first).await;
    bed.probes = APP_PROBES;
    bed.measure(pages[0], &first, "0", &mut tally).await;
    bed.chrome.go(&first, sign_in).await;
    for page in &pages[1..] {
        bed.measure(page, &app.url(page), "0", &mut tally).await;
    }
    tally
}

#[tokio::test(flavor = "multi_thread")]
async fn what_reacts_on_hostile_pages_and_in_applications_can_be_acted_on_and_read() {
    let site = server::Site::start();
    let mut bed = Bed::new(&site.url("plain")).await;
    let mut tally = Tally::default();
    // In the quick size one page, as a sign that the measure works.
    for (name, still) in groups::HOSTILE.iter().step_by(pick(64, 1)) {
        let ready = groups::stilled(still);
        bed.measure(name, &site.url(name), &ready, &mut tally).await;
    }
    tally.prove("hostile pages", &HOSTILE);
    if full() {
        let (django, roundup) = tokio::join!(App::django(), App::roundup());
        let tally = measure_app(&django, &groups::DJANGO, &groups::into_django()).await;
        tally.prove("Django's admin", &DJANGO);
        let tally = measure_app(&roundup, &groups::ROUNDUP, &groups::into_roundup()).await;
        tally.prove("Roundup", &ROUNDUP);
    }
}
