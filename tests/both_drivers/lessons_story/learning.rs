//! What was learned is measured: a first run that fails, and a second one with another seed, with and without what the first
//! one taught.

use webwise::{
    demo::{Shop, ShopOptions},
    store::InMemory,
    working::StopReason,
};

use crate::lessons_story::{
    bed::{Bed, Ran, clock, task_here},
    browsers::{Driver, Wishes},
    episode,
    profile::pick,
    shopping,
    site::Site,
};

in_turn! {
    what_failed_on_a_task_does_not_fail_again_with_another_seed,
    what_failed_in_the_shop_does_not_fail_again_with_other_wares,
}

/// Tasks of MiniWoB++ whose first try fails, with the seeds of their runs.
const TASKS: [(&str, [&str; 2]); 6] = [
    ("enter-date", ["s1", "s2"]),
    ("enter-time", ["s1", "s2"]),
    ("use-spinner", ["s1", "s2"]),
    ("choose-date-easy", ["s1", "s2"]),
    ("use-autocomplete-nodelay", ["s1", "s2"]),
    ("use-autocomplete", ["s1", "s2"]),
];

/// Browsers that share the tasks. Source: chosen.
const BROWSERS: usize = 2;

/// Seeds of the shop.
const SHOPS: [u64; 2] = [7, 8];

/// The three runs of one task: the first, and the second with what the first one taught and without.
struct Learned {
    first: Ran,
    with: Ran,
    without: Ran,
}

impl Learned {
    fn holds(&self, by: Driver, task: &str) {
        let (first, with, without) = (
            self.first.troubles(),
            self.with.troubles(),
            self.without.troubles(),
        );
        figure!(
            "learning: {}: {task} run 1: {} failed, run 2 with memory: {}, without: {}",
            by.name(),
            first.len(),
            with.len(),
            without.len()
        );
        println!("{task}: {first:?}, {with:?}, {without:?}");
        let logs = || {
            format!(
                "{:#?}\n{:#?}\n{:#?}",
                self.first.log(),
                self.with.log(),
                self.without.log()
            )
        };
        assert!(
            !first.is_empty(),
            "{task}: the first try is naive {}",
            logs()
        );
        assert!(
            !without.is_empty(),
            "{task}: so is every try without memory {}",
            logs()
        );
        assert!(
            !self.first.events("lesson_recorded").is_empty(),
            "{task}: something was learned {}",
            logs()
        );
        let again: Vec<&String> = with
            .iter()
            .filter(|trouble| first.contains(trouble))
            .collect();
        assert!(
            again.is_empty(),
            "{task}: {again:?} failed again {}",
            logs()
        );
    }
}

async fn what_failed_on_a_task_does_not_fail_again_with_another_seed(by: Driver) {
    let shares = (0..BROWSERS).map(|share| tokio::spawn(learn_tasks(by, share)));
    for share in shares.collect::<Vec<_>>() {
        share.await.expect("a share of the tasks");
    }
}

/// Learns one share of the tasks in one browser.
async fn learn_tasks(by: Driver, share: usize) {
    let site = Site::miniwob().await;
    let bed = Bed::start(by).await;
    // In the quick profile every second task.
    let tasks = TASKS.into_iter().step_by(pick(2, 1));
    let tasks = tasks.skip(share).step_by(BROWSERS);
    for (name, [seed, other]) in tasks {
        let url = site.url(
            &format!("{name}.localhost"),
            &format!("miniwob/{name}.html"),
        );
        let memory = InMemory::new();
        let learned = Learned {
            first: run(&bed, &url, seed, &memory).await,
            with: run(&bed, &url, other, &memory).await,
            without: run(&bed, &url, other, &InMemory::new()).await,
        };
        learned.holds(by, name);
    }
    bed.close().await;
}

/// One episode, which must end with the full reward of the page's own judge.
async fn run(bed: &Bed, url: &str, seed: &str, memory: &InMemory) -> Ran {
    episode::open(&*bed.driver, url)
        .await
        .expect("the page opens");
    let goal = episode::begin(&*bed.driver, seed)
        .await
        .expect("an episode begins");
    // An episode ends with its button, and some goals leave that unsaid.
    let goal = if goal.to_lowercase().contains("submit") {
        goal
    } else {
        format!("{goal} Hit Submit.")
    };
    let ran = bed
        .run(task_here(&goal, url), memory.clone(), &clock())
        .await;
    let reward = episode::reward(&*bed.driver)
        .await
        .expect("the page says its reward");
    let is_full = reward.done && (reward.raw - 1.0).abs() < f64::EPSILON;
    assert!(
        is_full,
        "{url} {seed} {goal}: {reward:?} {:#?} {:?}",
        ran.log(),
        ran.report
    );
    ran
}

async fn what_failed_in_the_shop_does_not_fail_again_with_other_wares(by: Driver) {
    let memory = InMemory::new();
    let learns = async {
        let (first, port) = shop(by, SHOPS[0], 0, &memory).await;
        // The same address: a shop on another port is another host.
        let (with, _) = shop(by, SHOPS[1], port, &memory).await;
        (first, with)
    };
    let nothing = InMemory::new();
    let ((first, with), (without, _)) = tokio::join!(learns, shop(by, SHOPS[1], 0, &nothing));
    Learned {
        first,
        with,
        without,
    }
    .holds(by, "demo shop");
}

/// The demo's shopping task in a shop with this seed, which must take the order.
async fn shop(by: Driver, seed: u64, port: u16, memory: &InMemory) -> (Ran, u16) {
    // A browser of its own: one that was here before has agreed to the notice.
    let bed = Bed::start_with(by, Wishes::default()).await;
    let shop = Shop::start(ShopOptions::default().with_seed(seed).with_port(port))
        .await
        .expect("the shop opens");
    let ran = bed
        .run(
            shopping::task(&shop).expect("it is a task"),
            memory.clone(),
            &clock(),
        )
        .await;
    assert_eq!(
        ran.report.summary.stop,
        StopReason::Finished,
        "{:#?}",
        ran.log()
    );
    let orders = shop.orders();
    assert_eq!(orders.len(), 1);
    assert!(
        ran.report
            .answer
            .as_ref()
            .is_some_and(|answer| answer.contains(&orders[0].number)),
        "{:?}",
        ran.report
    );
    let port = shop.url().port().expect("a shop has a port");
    shop.stop().await;
    bed.close().await;
    (ran, port)
}
