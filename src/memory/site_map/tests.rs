use std::sync::Arc;

use super::*;
use crate::{
    memory::{Advice, apply},
    page::{Node, Observation, PageHead, PageTemplate, Role, Tree, ViewOptions, interpret},
    working::{About, MapPage},
};

const HOME: &str = "https://desk.example/";

fn now() -> DateTime<Utc> {
    "2026-01-02T03:04:05Z".parse().unwrap()
}

fn host() -> Host {
    Host::of_domain("desk.example").unwrap()
}

fn page(url: &str, title: &str, heading: &str, button: &str) -> MapPage {
    let mut tree = Tree::builder();
    tree.leaf(Node::new(Role::Heading, heading));
    tree.leaf(Node::new(Role::Button, button));
    let tree = tree.finish();
    let view = interpret(&PageHead::new(url, title), &tree, &ViewOptions::default());
    MapPage::of(url, &view, &tree)
}

fn map() -> SiteMap {
    let mut map = SiteMap::new(HOME);
    map.pages = vec![
        page(HOME, "Desk", "Welcome", "Search the desk"),
        page(
            "https://desk.example/rooms",
            "Rooms | Desk",
            "All rooms",
            "Add room",
        ),
        page(
            "https://desk.example/bookings",
            "Bookings | Desk",
            "Bookings of this week",
            "Cancel booking",
        ),
        page(
            "https://desk.example/help",
            "Help | Desk",
            "Questions",
            "Ask the desk",
        ),
    ];
    map
}

fn remembered(map: &SiteMap, before: &[Record]) -> Vec<Record> {
    let ShelfEdit { shelf, edit } = SiteMaps
        .learn_map(&Namespace::default(), &host(), map, now())
        .unwrap()
        .unwrap();
    assert_eq!(
        shelf,
        Shelf::host(&Namespace::default(), COLLECTION, &host())
    );
    let after = apply(before, &edit.changes(before).unwrap());
    assert_eq!(edit.changes(&after).unwrap(), [], "the edit is idempotent");
    after
}

fn shown(records: &[Record], goal: &str, url: &str) -> Vec<String> {
    let shelf = Shelf::host(&Namespace::default(), COLLECTION, &host());
    let cue = Cue::PageShown {
        host: host(),
        page: PageTemplate::parse(url).ok(),
        seen: Arc::new(Observation::new(url, "", Tree::default())),
    };
    let about = About::new(goal);
    let moment = Moment::new(&cue, &about, &[], now());
    assert_eq!(
        SiteMaps.wants(&Namespace::default(), &moment),
        std::slice::from_ref(&shelf)
    );
    let advice = SiteMaps.index(&shelf, records).advise(&moment, false);
    assert!(advice.len() <= SiteMaps.limit(&moment));
    advice
        .iter()
        .map(|advice| Advice::text(advice).to_owned())
        .collect()
}

#[test]
fn pages_that_share_a_word_with_the_goal_are_shown_with_their_addresses() {
    let records = remembered(&map(), &[]);
    assert_eq!(
        shown(&records, "Cancel the booking of Ada", HOME),
        ["/bookings Bookings | Desk; Bookings of this week; has Cancel booking"]
    );
    // The page that is shown, words of most pages, and goals about something else.
    assert!(
        shown(
            &records,
            "Cancel the booking of Ada",
            "https://desk.example/bookings"
        )
        .is_empty()
    );
    assert!(shown(&records, "Open the desk", "https://desk.example/bookings").is_empty());
    assert!(shown(&records, "Buy a kayak", HOME).is_empty());
}

#[test]
fn a_new_exploration_adds_to_the_map_and_an_empty_one_is_refused() {
    let first = remembered(&map(), &[]);
    assert_eq!(first.len(), 4);
    let mut later = map();
    later.pages.truncate(2);
    later.pages[1].url = "https://desk.example/new".to_owned();
    assert_eq!(remembered(&later, &first).len(), 5);
    later.pages = (0..MAX_PAGES - 1)
        .map(|n| page(&format!("https://desk.example/{n}"), "Page", "Page", "Go"))
        .collect();
    assert_eq!(remembered(&later, &first).len(), MAX_PAGES);
    let nothing = SiteMaps.learn_map(&Namespace::default(), &host(), &SiteMap::new(HOME), now());
    assert_eq!(nothing.unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[test]
fn a_map_is_bounded_ages_and_fits_into_records() {
    let long = "日".repeat(500);
    let mut map = SiteMap::new(HOME);
    map.pages = (0..200)
        .map(|n| {
            page(
                &format!(
                    "https://u:p@desk.example/{n}?q=a&PHPSESSID=5f3c&token={}",
                    "x".repeat(150)
                ),
                &long,
                &long,
                &long,
            )
        })
        .collect();
    map.pages[0].url = format!("https://desk.example/{}", "x".repeat(300));
    let records = remembered(&map, &[]);
    assert_eq!(records.len(), MAX_PAGES);
    for record in &records {
        let size = serde_json::to_vec(&record.body).unwrap().len();
        assert!(size <= crate::memory::MAX_RECORD_BYTES, "{size}");
        let body = record.body.to_string();
        assert!(
            body.contains("?q=a\"") && !body.contains("u:p@") && !body.contains("5f3c"),
            "{body}"
        );
        assert!(SiteMaps.describe(record).is_ok());
    }
    let shelf = Shelf::host(&Namespace::default(), COLLECTION, &host());
    let at = |days| SiteMaps.upkeep(&shelf, &records, now() + TimeDelta::days(days));
    assert!(at(29).is_none());
    let edit = at(30).unwrap();
    assert_eq!(apply(&records, &edit.changes(&records).unwrap()), []);
}
