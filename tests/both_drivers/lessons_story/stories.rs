//! The documented stories: what a run finds out, what the next one knows, and how a lesson lives and ends.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};

use chrono::TimeDelta;
use serde_json::{Value, json};
use webwise::{
    MemoryBackend,
    memory::{Namespace, Shelf, ShelfState},
    store::{InMemory, JsonFiles},
    testing::FixedClock,
    working::StopReason,
};

use crate::lessons_story::{
    bed::{Bed, Ran, clock, task},
    browsers::Driver,
    pages::{Notices, SITES, Words, messages},
    refusing::Refusing,
};

/// Returns the tip as a message has it: the sentence is ours and stands outside of the fence, and the references lead to the
/// buttons of the page, whose names stand inside.
fn tip([show, agree]: [&str; 2], page: &str) -> String {
    let reference = |name: &str| {
        let button = format!(" button {}", Value::from(name));
        let (before, _) = page.split_once(&button).expect("the page has the button");
        before
            .split([' ', '\n'])
            .next_back()
            .expect("a reference")
            .to_owned()
    };
    format!(
        "## Tips for this site: try them first\n- click on {} fails because another element covers the target: click {} first.\n",
        reference(show),
        reference(agree)
    )
}

on_each_driver! {
    a_fill_that_fails_is_recovered_counted_for_the_seed_and_not_tried_again_on_its_site,
}

// What memory concludes of many runs does not depend on what drove them.
in_turn! {
    a_notice_over_a_button_is_cleared_first_on_the_next_visit_and_on_no_other_site,
    what_helped_five_times_on_five_sites_stands_in_the_system_instruction_of_the_sixth,
    what_was_not_used_for_ninety_days_is_pruned_and_seeds_stay,
    what_no_longer_helps_is_retired_and_not_shown_again,
    what_a_failing_store_could_not_take_waits_and_is_learned_once_by_the_next_run,
}

/// How a click on what is covered ends.
fn covered(words: &Words) -> String {
    format!("click button {:?} 0", words.show)
}

/// What a run says once the notice was clicked away.
fn lesson(words: &Words) -> String {
    format!(
        "click on button {:?} fails because another element covers the target: click button {:?} first.",
        words.show, words.agree
    )
}

/// What is general in it.
const GENERAL: &str = "If click fails because another element covers the target: first click the button that closes what covers it.";

/// A visit to one of the sites, which must bring its price.
async fn visit(
    bed: &Bed,
    sites: &Notices,
    words: &Words,
    memory: impl MemoryBackend + 'static,
    clock: &Arc<FixedClock>,
) -> Ran {
    let ran = bed
        .run(task(&words.goal(), &sites.url(words)), memory, clock)
        .await;
    assert_eq!(
        ran.report.summary.stop,
        StopReason::Finished,
        "{:#?}",
        ran.log()
    );
    let price = words.price.split(' ').nth(1).expect("a number");
    assert!(
        ran.report
            .answer
            .as_ref()
            .is_some_and(|answer| answer.contains(price)),
        "{:?}",
        ran.report
    );
    ran
}

fn lessons_of(ran: &Ran, event: &str) -> Vec<String> {
    ran.events(event)
        .iter()
        .filter_map(|event| event["lesson"].as_str().map(str::to_owned))
        .collect()
}

/// Stories that came out as they are told, by driver.
static TOLD: Mutex<BTreeMap<Driver, usize>> = Mutex::new(BTreeMap::new());

/// Counts a story, and says how it came out.
fn told(by: Driver, how: &str) {
    let mut told = TOLD.lock().expect("nobody panics with it");
    let stories = told.entry(by).or_default();
    *stories += 1;
    figure!(
        "lessons_story: {}: {how}; {stories} of 6 stories",
        by.name()
    );
}

/// An event without what every event has.
fn fields(mut event: Value) -> Value {
    let map = event.as_object_mut().expect("an event is an object");
    for name in ["event", "run", "step", "at", "item", "items"] {
        map.remove(name);
    }
    event
}

async fn a_fill_that_fails_is_recovered_counted_for_the_seed_and_not_tried_again_on_its_site(
    by: Driver,
) {
    let (bed, web, memory, clock) = (Bed::start(by).await, messages(), InMemory::new(), clock());
    let goal =
        "Type \"good morning\" into the message box, then press Send and report the receipt.";
    let first = bed
        .run(
            task(goal, &web.url("a.localhost", "/")),
            memory.clone(),
            &clock,
        )
        .await;
    assert_eq!(
        first.report.answer.as_deref(),
        Some("receipt: R-12"),
        "{:#?}",
        first.log()
    );
    assert_eq!(first.troubles(), ["fill textbox \"Message\" 0"]);
    assert!(
        first
            .log()
            .iter()
            .any(|line| line.ends_with("-> not_editable")),
        "{:#?}",
        first.log()
    );

    let seed =
        "If fill fails because the target is not an editable field: click it, then type the text.";
    let recall = first.event("error_recall");
    assert_eq!(
        (&recall["command"], &recall["matched"]),
        (&json!("fill"), &json!(1))
    );
    assert_eq!(recall["lessons"], json!([seed]));
    // What the run found is what the seed says: counted, and not recorded again.
    let known = first.event("lesson_deduplicated");
    assert_eq!(fields(known), json!({ "lesson": seed, "new_use_count": 1 }));
    let site = "fill on textbox \"Message\" fails because the target is not an editable field: click it, then type the text.";
    let new = json!({
        "lesson": site, "category": "site_specific", "failed_command": "fill", "error_pattern": "not_editable"
    });
    assert_eq!(fields(first.event("lesson_recorded")), new);

    let second = bed
        .run(
            task(goal, &web.url("a.localhost", "/")),
            memory.clone(),
            &clock,
        )
        .await;
    assert_eq!(
        second.report.answer.as_deref(),
        Some("receipt: R-12"),
        "{:#?}",
        second.log()
    );
    assert_eq!(second.troubles(), Vec::<String>::new());
    let recall = second.events("domain_recall").remove(0);
    assert_eq!(
        (&recall["matched"], &recall["lessons"]),
        (&json!(1), &json!([site]))
    );
    assert!(second.report.summary.steps < first.report.summary.steps);

    let elsewhere = bed
        .run(
            task(goal, &web.url("b.localhost", "/")),
            memory.clone(),
            &clock,
        )
        .await;
    assert_eq!(
        elsewhere.troubles(),
        ["fill textbox \"Message\" 0"],
        "another site is another matter"
    );
    assert!(!elsewhere.was_told(site) && elsewhere.system().contains(seed));
    told(
        by,
        &format!(
            "the fill: {} failed, then {}",
            first.troubles().len(),
            second.troubles().len()
        ),
    );
    bed.close().await;
}

async fn a_notice_over_a_button_is_cleared_first_on_the_next_visit_and_on_no_other_site(
    by: Driver,
) {
    let (bed, sites, clock) = (Bed::start(by).await, Notices::start(), clock());
    // Every run opens the files anew, as another process would.
    let folder = tempfile::tempdir().expect("a folder");
    let memory = || JsonFiles::open(folder.path());
    let [here, there, ..] = SITES;
    let first = visit(&bed, &sites, &here, memory(), &clock).await;
    assert!(
        first.troubles().contains(&covered(&here)),
        "{:#?}",
        first.log()
    );
    assert!(
        lessons_of(&first, "lesson_recorded").contains(&lesson(&here)),
        "{:#?}",
        first.events("lesson_recorded")
    );

    let second = visit(&bed, &sites, &here, memory(), &clock).await;
    assert_eq!(
        second.troubles(),
        Vec::<String>::new(),
        "{:#?}",
        second.log()
    );
    assert!(
        second.log()[1].starts_with(&format!("click button {:?}", here.agree)),
        "{:#?}",
        second.log()
    );
    let recall = second.events("domain_recall").remove(0);
    assert_eq!(
        (&recall["matched"], &recall["lessons"]),
        (&json!(1), &json!([lesson(&here)]))
    );
    let messages: Vec<(&str, &str)> = second
        .messages()
        .map(|message| message.rsplit_once(">>>\n").expect("a fence"))
        .collect();
    let (inside, outside) = messages[0];
    let expected = tip([here.show, here.agree], inside);
    assert!(outside.contains(&expected), "{inside} {outside}");
    let is_named = |text: &str| text.contains(here.agree);
    assert!(messages.iter().all(|(_, outside)| !is_named(outside)) && !is_named(second.system()));

    let elsewhere = visit(&bed, &sites, &there, memory(), &clock).await;
    assert!(
        elsewhere.troubles().contains(&covered(&there)),
        "{:#?}",
        elsewhere.log()
    );
    assert!(!elsewhere.was_told(here.agree) && !elsewhere.was_told(here.show));
    told(
        by,
        &format!(
            "the notice: {} failed, then {}",
            first.troubles().len(),
            second.troubles().len()
        ),
    );
    bed.close().await;
}

async fn what_helped_five_times_on_five_sites_stands_in_the_system_instruction_of_the_sixth(
    by: Driver,
) {
    let (bed, sites, memory, clock) = (
        Bed::start(by).await,
        Notices::start(),
        InMemory::new(),
        clock(),
    );
    let (known, fresh) = (&SITES[..5], &SITES[5]);
    let mut first_troubles = 0;
    for (words, uses) in known.iter().zip(1_u64..) {
        let ran = visit(&bed, &sites, words, memory.clone(), &clock).await;
        assert!(ran.troubles().contains(&covered(words)), "{:#?}", ran.log());
        assert_eq!(
            ran.event("tier1_loaded")["count"],
            3,
            "the seeds alone so far"
        );
        let counted = ran
            .events("lesson_deduplicated")
            .into_iter()
            .find(|event| event["lesson"] == GENERAL);
        let recorded = ran
            .events("lesson_recorded")
            .into_iter()
            .find(|event| event["lesson"] == GENERAL);
        if uses == 1 {
            first_troubles = ran.troubles().len();
            let new = json!({
                "lesson": GENERAL, "category": "error_recovery", "failed_command": "click", "error_pattern": "intercepted"
            });
            assert_eq!(recorded.map(fields), Some(new));
        } else {
            assert!(recorded.is_none());
            assert_eq!(
                counted.map(fields),
                Some(json!({ "lesson": GENERAL, "new_use_count": uses }))
            );
        }
        let promoted: Vec<Value> = ran
            .events("lesson_promoted")
            .into_iter()
            .map(fields)
            .collect();
        if uses < 5 {
            assert!(promoted.is_empty(), "{promoted:#?}");
        } else {
            let domains: Vec<&str> = known.iter().map(|words| words.host).collect();
            let all = json!({ "lesson": GENERAL, "use_count": 5, "triggered_domains": domains });
            assert_eq!(promoted, [all]);
        }
        clock.advance(TimeDelta::days(1));
    }

    let ran = visit(&bed, &sites, fresh, memory.clone(), &clock).await;
    let loaded = ran.event("tier1_loaded");
    assert_eq!(loaded["count"], 4);
    assert_eq!(
        loaded["lessons"][0], GENERAL,
        "what was used most stands first"
    );
    assert!(ran.system().contains(GENERAL));
    for words in &SITES {
        for said in words.said() {
            assert!(
                !ran.system().contains(said),
                "{said:?} of a page stands in the system instruction"
            );
        }
        assert!(words.host == fresh.host || !ran.system().contains(words.show));
    }
    // The first try fails, as on every site seen for the first time; what helps is known.
    assert_eq!(ran.troubles(), [covered(fresh)], "{:#?}", ran.log());
    assert!(first_troubles > 1);

    // What was used five times stays, however long nobody uses it.
    clock.advance(TimeDelta::days(200));
    let later = visit(&bed, &sites, fresh, memory.clone(), &clock).await;
    let loaded = later.event("tier1_loaded");
    assert_eq!(
        (&loaded["count"], &loaded["lessons"][0]),
        (&json!(4), &json!(GENERAL))
    );
    told(
        by,
        &format!(
            "the promoted lesson: {first_troubles} failed on the first site, {} on the sixth",
            ran.troubles().len()
        ),
    );
    bed.close().await;
}

async fn what_was_not_used_for_ninety_days_is_pruned_and_seeds_stay(by: Driver) {
    let (bed, sites, memory, clock) = (
        Bed::start(by).await,
        Notices::start(),
        InMemory::new(),
        clock(),
    );
    let words = &SITES[0];
    let first = visit(&bed, &sites, words, memory.clone(), &clock).await;
    assert_eq!(
        first.events("lesson_recorded").len(),
        2,
        "one for the site, one for all"
    );
    clock.advance(TimeDelta::days(90));
    let kept = visit(&bed, &sites, words, memory.clone(), &clock).await;
    assert!(
        kept.events("lessons_pruned").is_empty() && kept.troubles().is_empty(),
        "{:#?}",
        kept.log()
    );

    clock.advance(TimeDelta::days(91));
    let later = visit(&bed, &sites, words, memory.clone(), &clock).await;
    let pruned: Vec<Value> = later
        .events("lessons_pruned")
        .into_iter()
        .map(fields)
        .collect();
    let gone = |remaining: usize| json!({ "pruned_count": 1, "remaining_count": remaining });
    assert_eq!(
        pruned,
        [gone(3), gone(0)],
        "the lesson for all sites, then that of this one"
    );
    assert_eq!(later.event("tier1_loaded")["count"], 3);
    assert!(!later.was_told(&lesson(words).replace('"', "\\\"")));
    assert!(
        later.troubles().contains(&covered(words)),
        "it has to be found out again: {:#?}",
        later.log()
    );
    told(by, &format!("the pruned lessons: {} shelves", pruned.len()));
    bed.close().await;
}

async fn what_no_longer_helps_is_retired_and_not_shown_again(by: Driver) {
    let (bed, sites, memory, clock) = (
        Bed::start(by).await,
        Notices::start(),
        InMemory::new(),
        clock(),
    );
    let words = &SITES[0];
    let learned = visit(&bed, &sites, words, memory.clone(), &clock).await;
    assert!(lessons_of(&learned, "lesson_recorded").contains(&lesson(words)));
    let helped = visit(&bed, &sites, words, memory.clone(), &clock).await;
    assert_eq!(helped.troubles(), Vec::<String>::new());

    sites.rebuild();
    let mut harms = 0;
    loop {
        let ran = visit(&bed, &sites, words, memory.clone(), &clock).await;
        harms += 1;
        assert!(
            ran.troubles().contains(&covered(words)),
            "it was followed in vain: {:#?}",
            ran.log()
        );
        let retired = ran
            .events("lesson_retired")
            .into_iter()
            .find(|event| event["lesson"] == lesson(words));
        if let Some(event) = retired {
            assert_eq!(
                fields(event),
                json!({ "lesson": lesson(words), "helped": 2, "harmed": 3 })
            );
            break;
        }
        assert!(harms < 3, "three harms in a row retire it");
    }
    let after = visit(&bed, &sites, words, memory.clone(), &clock).await;
    let said = after
        .events("domain_recall")
        .iter()
        .any(|event| event["lessons"].to_string().contains(words.agree));
    assert!(!said, "{:#?}", after.events("domain_recall"));
    told(
        by,
        &format!("the harmful lesson: retired after {harms} harms"),
    );
    bed.close().await;
}

async fn what_a_failing_store_could_not_take_waits_and_is_learned_once_by_the_next_run(by: Driver) {
    let (bed, sites, clock) = (Bed::start(by).await, Notices::start(), clock());
    let (memory, words) = (Refusing::default(), &SITES[0]);
    let pending = Shelf::global(&Namespace::default(), "pending");
    let waiting = async || {
        let runs = |state: ShelfState| {
            state
                .records
                .iter()
                .map(|part| part.body["run"].to_string())
                .collect()
        };
        memory
            .load(&pending)
            .await
            .map(runs)
            .map(|runs: BTreeSet<String>| runs.len())
    };

    memory.refuse_lessons(true);
    let first = visit(&bed, &sites, words, memory.clone(), &clock).await;
    assert!(
        first.troubles().contains(&covered(words)),
        "{:#?}",
        first.log()
    );
    assert_eq!(
        first.events("memory_failed").len(),
        1,
        "it is told, and once"
    );
    assert!(first.events("lesson_recorded").is_empty());
    assert_eq!(waiting().await.ok(), Some(1));

    memory.refuse_lessons(false);
    let second = visit(&bed, &sites, words, memory.clone(), &clock).await;
    assert!(
        lessons_of(&second, "lesson_recorded").contains(&lesson(words)),
        "{:#?}",
        second.events("lesson_recorded")
    );
    assert_eq!(
        second.troubles(),
        Vec::<String>::new(),
        "learned before the first step: {:#?}",
        second.log()
    );
    assert_eq!(waiting().await.ok(), Some(0));

    let third = visit(&bed, &sites, words, memory.clone(), &clock).await;
    assert!(third.events("lesson_recorded").is_empty());
    // Nothing failed any more, so that it was followed and no use of it.
    let credits = third.events("lesson_credited");
    let is_forewarned = |event: &&Value| {
        event["followed"] == true && event["helped"] == true && event["used"] == false
    };
    assert_eq!(
        credits.iter().filter(|event| is_forewarned(event)).count(),
        1,
        "{credits:#?}"
    );
    assert_eq!(
        lessons_of(&third, "lesson_deduplicated"),
        Vec::<String>::new()
    );

    // A store that gives and takes nothing at all ends no run either.
    memory.refuse_all();
    let last = visit(&bed, &sites, words, memory.clone(), &clock).await;
    let failed = last.events("memory_failed");
    let says = |words: &str| {
        let of = failed.iter().map(|event| event["error"].to_string());
        of.filter(|error| error.contains(words)).count()
    };
    assert_eq!(
        (failed.len() - says("lost: "), says("lost: lessons")),
        (1, 1),
        "the first failure is told, and that the lessons of the run are lost: {failed:#?}"
    );
    told(by, "the failing store: 1 run waited, and was learned once");
    bed.close().await;
}
