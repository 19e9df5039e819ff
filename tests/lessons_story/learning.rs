//! What was learned is measured: a first run that fails, and a second one with another seed, with and without what the first
//! one taught.

use webwise::{
    Origin, Task,
    demo::{Shop, ShopOptions},
    secret::{Secret, SecretName, Vault},
    store::InMemory,
    working::StopReason,
};

use crate::{
    bed::{Bed, Ran, clock, task_here},
    episode, pages,
};

/// Tasks of MiniWoB++ whose first try fails, with the seeds of their runs.
const TASKS: [(&str, [&str; 2]); 6] = [
    ("enter-date", ["s1", "s2"]),
    ("enter-time", ["s1", "s2"]),
    ("use-spinner", ["s1", "s2"]),
    ("choose-date-easy", ["s1", "s2"]),
    ("use-autocomplete-nodelay", ["s1", "s2"]),
    ("use-autocomplete", ["s1", "s2"]),
];

/// Seeds of the shop.
const SHOPS: [u64; 2] = [7, 8];

/// The three runs of one task: the first, and the second with what the first one taught and without.
struct Learned {
    first: Ran,
    with: Ran,
    without: Ran,
}

impl Learned {
    fn holds(&self, task: &str) {
        let (first, with, without) = (self.first.troubles(), self.with.troubles(), self.without.troubles());
        figure!(
            "learning: {task} run 1: {} failed, run 2 with memory: {}, without: {}",
            first.len(),
            with.len(),
            without.len()
        );
        println!("{task}: {first:?}, {with:?}, {without:?}");
        let logs = || format!("{:#?}\n{:#?}\n{:#?}", self.first.log(), self.with.log(), self.without.log());
        assert!(!first.is_empty(), "{task}: the first try is naive {}", logs());
        assert!(!without.is_empty(), "{task}: so is every try without memory {}", logs());
        assert!(!self.first.events("lesson_recorded").is_empty(), "{task}: something was learned {}", logs());
        let again: Vec<&String> = with.iter().filter(|trouble| first.contains(trouble)).collect();
        assert!(again.is_empty(), "{task}: {again:?} failed again {}", logs());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_failed_on_a_task_does_not_fail_again_with_another_seed() {
    let site = pages::miniwob().await;
    let bed = Bed::start().await;
    for (name, [seed, other]) in TASKS {
        let url = site.url(&format!("{name}.localhost"), &format!("miniwob/{name}.html"));
        let memory = InMemory::new();
        let learned = Learned {
            first: run(&bed, &url, seed, &memory).await,
            with: run(&bed, &url, other, &memory).await,
            without: run(&bed, &url, other, &InMemory::new()).await,
        };
        learned.holds(name);
    }
    bed.close().await;
}

/// One episode, which must end with the full reward of the page's own judge.
async fn run(bed: &Bed, url: &str, seed: &str, memory: &InMemory) -> Ran {
    episode::open(&bed.driver, url).await.expect("the page opens");
    let goal = episode::begin(&bed.driver, seed).await.expect("an episode begins");
    let ran = bed.run(task_here(&goal, url), memory.clone(), &clock()).await;
    let reward = episode::reward(&bed.driver).await.expect("the page says its reward");
    let is_full = reward.done && (reward.raw - 1.0).abs() < f64::EPSILON;
    assert!(is_full, "{url} {seed} {goal}: {reward:?} {:#?} {:?}", ran.log(), ran.report);
    ran
}

#[tokio::test(flavor = "multi_thread")]
async fn what_failed_in_the_shop_does_not_fail_again_with_other_wares() {
    let memory = InMemory::new();
    let (first, port) = errand(SHOPS[0], 0, &memory).await;
    // The same address: a shop on another port is another host.
    let (with, _) = errand(SHOPS[1], port, &memory).await;
    let (without, _) = errand(SHOPS[1], port, &InMemory::new()).await;
    Learned { first, with, without }.holds("demo shop");
}

/// The demo's errand in a shop with this seed, which must take the order.
async fn errand(seed: u64, port: u16, memory: &InMemory) -> (Ran, u16) {
    // A browser of its own: one that was here before has agreed to the notice.
    let bed = Bed::start().await;
    let shop = Shop::start(ShopOptions::default().with_seed(seed).with_port(port)).await.expect("the shop opens");
    let password = SecretName::parse("PASSWORD").expect("a name");
    let goal = "Log in as \"demo\" with the password <secret:PASSWORD>. Search for \"Alpine Rain Jacket Light\", open \
                \"Alpine Rain Jacket Light\", choose size \"M\" and colour \"Sunflower\", add it to the cart. Check out: set the \
                full name to \"Ada Lovelace\", the street to \"Park Street 7\", the city to \"Cologne\", the postal code to \
                \"50667\", choose \"Express delivery\", accept the terms and place the order. Report the confirmation number.";
    let origin = Origin::parse(shop.url().as_str()).expect("an address");
    let vault = Vault::new().with(password, Secret::new(shop.password()), vec![origin]).expect("a secret");
    let task = Task::new(goal).expect("a goal").with_start_url(shop.url().as_str()).expect("an address");
    let ran = bed.run(task.with_secrets(vault), memory.clone(), &clock()).await;
    assert_eq!(ran.report.summary.stop, StopReason::Finished, "{:#?}", ran.log());
    let orders = shop.orders();
    assert_eq!(orders.len(), 1);
    assert!(ran.report.answer.as_ref().is_some_and(|answer| answer.contains(&orders[0].number)), "{:?}", ran.report);
    let port = shop.url().port().expect("a shop has a port");
    shop.stop().await;
    bed.close().await;
    (ran, port)
}
