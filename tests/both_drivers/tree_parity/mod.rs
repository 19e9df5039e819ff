//! One page, two drivers, one tree: what playwright-cli's text says of a page is what the native driver's walk says of it.
//!
//! Each page is brought to the same state in two browsers, one of each driver. All that a tree says of a node counts: role,
//! name, value, states, address and properties, its place in the tree, and whether it can be referred to. One thing is left
//! out: what listens for clicks, which only the native driver can tell, and which therefore is a node of its own there.

use crate::hostile_pages::server;
use crate::miniwob::site;
use crate::{apps, profile};

mod align;
mod alone;
mod courses;
mod fold;
mod pair;
mod tally;

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use align::Comparison;
use apps::App;
use courses::Page;
use pair::Pair;
use profile::{full, pick};
use tally::Tally;
use webwise::demo::{Shop, ShopOptions};

/// Pairs of browsers at a time, in the quick suite and in the full one. Source: chosen; most of the time is waiting for the tool.
const PAIRS: (usize, usize) = (2, 3);
/// Share of equal nodes that all pages together need, and each of them. Unit: `0.0..=1.0`. Source: the requirements.
const OVERALL: f64 = 0.99;
const EACH: f64 = 0.95;
/// The fewest pages that count as a proof: those that others wrote (quick: every twenty-sixth of MiniWoB++), and those that are drawn.
const LEAST: (usize, usize) = (35, 280);

async fn visit(pair: &Pair, page: &Page) -> Result<Comparison, String> {
    for step in &page.steps {
        pair.play(step).await?;
    }
    pair.compare().await
}

#[tokio::test(flavor = "multi_thread")]
async fn both_drivers_show_the_same_tree_of_every_page() {
    let miniwob = site::Site::start(courses::miniwob_folder()).await;
    let hostile = server::Site::start();
    let shop = Shop::start(ShopOptions::default().with_seed(7))
        .await
        .expect("the shop starts");
    let mut waiting = VecDeque::from(courses::hostile(&hostile));
    waiting.extend([courses::shop(&shop)]);
    // In the quick suite the drivers meet the applications in `real_apps` alone.
    let mut apps = Vec::new();
    if full() {
        let (django, roundup) = tokio::join!(App::django(), App::roundup());
        waiting.extend([courses::django(&django), courses::roundup(&roundup)]);
        apps.extend([django, roundup]);
    }
    waiting.extend(courses::miniwob(&miniwob));
    waiting.extend(courses::made(&hostile));
    let waiting = Arc::new(Mutex::new(waiting));
    let tally = Arc::new(Mutex::new(Tally::default()));
    let workers: Vec<_> = (0..pick(PAIRS.0, PAIRS.1))
        .map(|_| {
            let (waiting, tally) = (Arc::clone(&waiting), Arc::clone(&tally));
            tokio::spawn(async move {
                let pair = Pair::start().await;
                let next = || {
                    waiting
                        .lock()
                        .expect("no worker panics with it")
                        .pop_front()
                };
                while let Some(course) = next() {
                    for page in &course.pages {
                        let compared = visit(&pair, page).await;
                        tally.lock().expect("no worker panics with it").add(
                            course.group,
                            &page.name,
                            compared,
                        );
                    }
                }
                pair.close().await;
            })
        })
        .collect();
    for worker in workers {
        worker.await.expect("a worker ends");
    }
    shop.stop().await;
    let tally = tally.lock().expect("all workers have ended");
    tally.print();
    assert_eq!(tally.failed(), 0, "pages that could not be compared");
    assert!(
        tally.pages() >= pick(LEAST.0, LEAST.1),
        "only {} pages were compared",
        tally.pages()
    );
    assert!(
        tally.share() >= OVERALL,
        "{:.4} of all nodes are equal",
        tally.share()
    );
    let below: Vec<_> = tally.below(EACH).collect();
    assert!(below.is_empty(), "pages below {EACH}: {below:?}");
}
