//! The map of a site whose titles, headings, buttons and links are payloads: what runs read of it, on that host and on another.

use webwise::{
    base::Host,
    explore::{Frontier, Limits},
    memory::Namespace,
    page::{ElementRef, Node, Observation, PageHead, Role, Tree, ViewOptions, interpret},
    store::{InMemory, Memory},
};

use crate::poisoning::{
    attempts::QUICK_EVERY,
    campaign::runtime,
    payloads::payloads,
    profile::pick,
    reading::read,
    scan,
    ways::{OTHER_GOAL, run},
};

/// A page whose every text is this one.
fn page(url: &str, text: &str) -> Observation {
    let mut tree = Tree::builder();
    let mut link = Node::new(Role::Link, text).with_ref(ElementRef::parse("e1").unwrap());
    link.url = Some("/boats".into());
    tree.leaf(link);
    for role in [Role::Heading, Role::Button, Role::TextBox] {
        tree.leaf(Node::new(role, text));
    }
    Observation::new(url, text, tree.finish())
}

/// Explores such a site and remembers its map.
fn explored(memory: &InMemory, host: &str, text: &str) {
    let start = format!("https://{host}/");
    let mut frontier = Frontier::new(&start, Limits::default()).unwrap();
    while let Some(visit) = frontier.next() {
        let seen = page(visit.url.as_str(), text);
        let head = PageHead::new(seen.url.as_str(), text);
        let view = interpret(&head, &seen.tree, &ViewOptions::default());
        frontier.record_page(&visit, &view, &seen);
    }
    let map = frontier.finish();
    let host = Host::of(&start.parse().unwrap()).unwrap();
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    let keeper = Memory::new(memory, Namespace::default());
    let learned = runtime().block_on(keeper.learn_map(&host, &map, now));
    assert_eq!(learned.unwrap(), 1);
}

#[test]
fn a_map_of_hostile_names_stays_in_its_fence_and_on_its_host() {
    let (mut tried, mut shown) = (0, 0);
    for (n, payload) in payloads().iter().enumerate().step_by(pick(QUICK_EVERY, 1)) {
        let token = scan::token(n);
        // The page shares a word with the goal, or it would not be shown.
        let text = format!("Boats {}", payload.with(&token));
        let says = |text: &str| scan::folded(text).contains(&token);
        let memory = InMemory::new();
        explored(&memory, "bad.example", &text);
        tried += 1;
        let mut is_shown = false;
        for (system, message) in run(&memory, "bad.example", None, OTHER_GOAL) {
            let reading =
                read(&message).unwrap_or_else(|why| panic!("{}: {why}\n{message}", payload.name));
            assert!(!says(&system), "{}: {system}", payload.name);
            assert!(!says(&reading.bare), "{}: {message}", payload.name);
            assert!(!says(&reading.outside), "{}: {message}", payload.name);
            is_shown |= message.contains("## Pages of this site");
        }
        shown += usize::from(is_shown);
        for host in ["good.example", "sub.bad.example"] {
            for (system, message) in run(&memory, host, None, OTHER_GOAL) {
                assert!(
                    !says(&system) && !says(&message),
                    "{} on {host}: {message}",
                    payload.name
                );
            }
        }
    }
    figure!(
        "poisoning maps: {tried} payloads as all names of a site, shown {shown} times, 0 outside the fence, 0 on another host"
    );
    assert!(shown > 0, "no map was shown");
}
