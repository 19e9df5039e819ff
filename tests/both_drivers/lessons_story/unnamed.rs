//! Recoveries whose targets have no name: ten pages, one policy, and what its first run finds out.

use std::{sync::Arc, time::Duration};

use serde_json::Value;
use webwise::{store::InMemory, working::StopReason};

use crate::lessons_story::{
    bed::{Bed, Ran, clock, task},
    browsers::{Driver, Wishes},
    novice,
    profile::pick,
    unnamed_pages as pages,
    web::{Answer, Asked, Web},
};

on_each_driver! {
    a_recovery_without_names_is_learned_and_spares_the_next_run_its_failure,
}

/// Browsers that share the stories. Source: chosen.
const BROWSERS: usize = 2;
/// Longest time an action may wait for its element. Source: chosen; four failures wait that long, and a busy machine needs some of it
/// where nothing fails.
const PATIENCE: Duration = Duration::from_secs(3);

/// What one run meets, and how it must end.
#[derive(Debug)]
struct Day {
    page: String,
    goal: &'static str,
    receipt: &'static str,
}

/// One story: two days with other words, the failure of the first, and what it teaches.
#[derive(Debug)]
struct Story {
    host: &'static str,
    days: [Day; 2],
    /// The action that fails, with its reason.
    failure: &'static str,
    lesson: &'static str,
    /// A word of the page that the lesson names.
    named: &'static str,
}

fn day(page: String, goal: &'static str, receipt: &'static str) -> Day {
    Day {
        page,
        goal,
        receipt,
    }
}

#[rustfmt::skip]
fn stories() -> [Story; 10] {
    [
        Story {
            host: "icons.localhost",
            days: [
                day(pages::icons(&["Kayak", "Canoe"]), r#"press "remove" of "Canoe"; report the receipt"#, "removed Canoe"),
                day(pages::icons(&["Punt", "Dinghy", "Raft"]), r#"press "remove" of "Dinghy"; report the receipt"#, "removed Dinghy"),
            ],
            failure: "click button \"\" 2 -> no_effect",
            lesson: r#"click on button "star" has no effect: click button "trash" instead."#,
            named: "trash",
        },
        Story {
            host: "calendar.localhost",
            days: [
                day(pages::calendar("2026-03"), r#"set the day to "2026-03-14"; report the receipt"#, "booked 2026-03-14"),
                day(pages::calendar("2026-05"), r#"set the day to "2026-05-21"; report the receipt"#, "booked 2026-05-21"),
            ],
            failure: "fill textbox \"\" 0 -> not_editable",
            lesson: r#"fill on textbox "due" fails because the target is not an editable field: click button "calendar" to open its choices, then click the choice."#,
            named: "calendar",
        },
        Story {
            host: "overlay.localhost",
            days: [
                day(pages::overlay("biscuits"), r#"press "Send"; report the receipt"#, "sent despite biscuits"),
                day(pages::overlay("a survey"), r#"press "Send"; report the receipt"#, "sent despite a survey"),
            ],
            failure: "click button \"Send\" 0 -> intercepted",
            lesson: r#"click on button "Send" fails because another element covers the target: click button "times" first."#,
            named: "times",
        },
        Story {
            host: "terms.localhost",
            days: [
                day(pages::terms("Rowing"), r#"press "Next"; report the receipt"#, "ordered Rowing"),
                day(pages::terms("Sailing"), r#"press "Next"; report the receipt"#, "ordered Sailing"),
            ],
            failure: "click button \"Next\" 0 -> disabled",
            lesson: r#"click on button "Next" fails because the target is disabled: tick checkbox "agree" first."#,
            named: "agree",
        },
        Story {
            host: "typed.localhost",
            days: [
                day(pages::typed(&["Lisbon", "Lima", "Oslo"]), r#"choose "Lis" as the place; report the receipt"#, "to Lisbon"),
                day(pages::typed(&["Ghent", "Genoa", "Quito"]), r#"choose "Gen" as the place; report the receipt"#, "to Genoa"),
            ],
            failure: "select combobox \"\" 0 -> wrong_element",
            lesson: r#"select on combobox "city" fails because the target is not the kind of element this tool works on: click it, type the text to open its list, then click the choice."#,
            named: "city",
        },
        Story {
            host: "digits.localhost",
            days: [
                day(pages::digits(&[40]), r#"set the count to "12 pieces"; report the receipt"#, "counted 12"),
                day(pages::digits(&[55, 60]), r#"set the count to "7 pairs"; report the receipt"#, "counted 7"),
            ],
            failure: "fill spinbutton \"\" 1 -> bad_value",
            lesson: r#"fill on spinbutton "numeric" fails because the field does not accept a value of this form: write a plain number with a point."#,
            named: "numeric",
        },
        Story {
            host: "regions.localhost",
            days: [
                day(pages::regions("a letter"), r#"press "save"; report the receipt"#, "saved a letter"),
                day(pages::regions("a poem"), r#"press "save"; report the receipt"#, "saved a poem"),
            ],
            failure: "click button \"\" 0 -> no_effect",
            lesson: r#"click on button "save" in "Sample" has no effect: click button "save" in "Yours" instead."#,
            named: "Sample",
        },
        Story {
            host: "menu.localhost",
            days: [
                day(pages::menu("Spring"), r#"press "Export"; report the receipt"#, "exported Spring"),
                day(pages::menu("Autumn"), r#"press "Export"; report the receipt"#, "exported Autumn"),
            ],
            failure: "click  -> not_visible",
            lesson: r#"click on menuitem "Export" fails because the target is not visible: click button "bars" first."#,
            named: "bars",
        },
        Story {
            host: "time.localhost",
            days: [
                day(pages::time("Hall"), r#"set the time to "3:30 pm"; report the receipt"#, "Hall at 15:30"),
                day(pages::time("Loft"), r#"set the time to "8:15 pm"; report the receipt"#, "Loft at 20:15"),
            ],
            failure: "fill textbox \"\" 0 -> bad_value",
            lesson: r#"fill on textbox "at" fails because the field does not accept a value of this form: write the time as HH:MM with 24 hours."#,
            named: r#""at""#,
        },
        Story {
            host: "wizard.localhost",
            days: [
                day(pages::wizard("Oak Ltd"), r#"press "Next"; if asked, the number is "DE 17"; report the receipt"#, "Oak Ltd with DE 17"),
                day(pages::wizard("Elm Ltd"), r#"press "Next"; if asked, the number is "FR 23"; report the receipt"#, "Elm Ltd with FR 23"),
            ],
            failure: "click button \"Next\" 0 -> no_effect",
            lesson: r#"click on button "Next" has no effect: fill textbox "vat-number" first."#,
            named: "vat-number",
        },
    ]
}

fn site() -> Web {
    let stories = stories();
    Web::start(move |asked: &Asked| {
        let story = stories.iter().find(|story| story.host == asked.host);
        let day = usize::from(asked.path.ends_with('2'));
        story.map_or_else(
            || Answer {
                status: 404,
                headers: Vec::new(),
                body: String::new(),
            },
            |story| Answer::page(story.days[day].page.clone()),
        )
    })
}

async fn a_recovery_without_names_is_learned_and_spares_the_next_run_its_failure(by: Driver) {
    // What memory concludes does not depend on the driver; one story shows that both report the same attributes. The quick profile
    // has every second story by the native driver.
    let every = pick(2, 1);
    let all = match by {
        Driver::Cdp => stories().len().div_ceil(every),
        _ => pick(1, stories().len()),
    };
    let (site, browsers) = (Arc::new(site()), BROWSERS.min(all));
    let tell = |share| {
        let stories = stories().into_iter().step_by(every).take(all).skip(share);
        let stories: Vec<Story> = stories.step_by(browsers).collect();
        tokio::spawn(tell_share(by, Arc::clone(&site), stories))
    };
    let mut wrong = Vec::new();
    for share in (0..browsers).map(tell).collect::<Vec<_>>() {
        wrong.extend(share.await.expect("a share of the stories"));
    }
    figure!(
        "lessons_story: {}: {} of {all} stories without names",
        by.name(),
        all - wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Tells these stories in a browser of its own, and returns what is not as told.
async fn tell_share(by: Driver, site: Arc<Web>, stories: Vec<Story>) -> Vec<String> {
    let bed = Bed::start_with(
        by,
        Wishes {
            action: Some(PATIENCE),
            ..Wishes::default()
        },
    )
    .await;
    let mut wrong = Vec::new();
    for story in stories {
        let (memory, nothing) = (InMemory::new(), InMemory::new());
        let first = run(&bed, &site, &story, 0, &memory).await;
        let with = run(&bed, &site, &story, 1, &memory).await;
        let without = run(&bed, &site, &story, 1, &nothing).await;
        figure!(
            "learning: {}: {} run 1: {} failed, run 2 with memory: {}, without: {}",
            by.name(),
            story.host,
            first.troubles().len(),
            with.troubles().len(),
            without.troubles().len()
        );
        let faults = faults(&story, [&first, &with, &without]);
        if !faults.is_empty() {
            let logs = [first.log(), with.log(), without.log()];
            let learned = lessons(&first);
            wrong.push(format!(
                "{}: {faults:#?} {logs:#?} {learned:#?}",
                story.host
            ));
        }
    }
    bed.close().await;
    wrong
}

async fn run(bed: &Bed, site: &Web, story: &Story, day: usize, memory: &InMemory) -> Ran {
    let url = site.url(story.host, &format!("/?day={}", day + 1));
    let (model, task) = (novice::model(), task(story.days[day].goal, &url));
    let ran = bed
        .run_by(model.clone(), task, memory.clone(), &clock())
        .await;
    ran.asked(model.requests())
}

/// The lessons that a run recorded.
fn lessons(ran: &Ran) -> Vec<String> {
    let recorded = ran.events("lesson_recorded").into_iter();
    recorded
        .filter_map(|event| event["lesson"].as_str().map(str::to_owned))
        .collect()
}

/// What is not as the story tells it.
fn faults(story: &Story, [first, with, without]: [&Ran; 3]) -> Vec<&'static str> {
    let fails = |ran: &Ran| ran.log().iter().any(|line| line == story.failure);
    let ends = |ran: &Ran, day: usize| {
        let receipt = format!("Receipt: {}", story.days[day].receipt);
        ran.report.summary.stop == StopReason::Finished
            && ran.report.answer.as_deref() == Some(&*receipt)
    };
    let is_recalled = |event: &Value| {
        let lessons = event["lessons"].as_array();
        lessons.is_some_and(|lessons| lessons.contains(&Value::from(story.lesson)))
    };
    // Names of a page are data: they stand inside the fence, and never in the system instruction.
    let is_instructed = |ran: &Ran| ran.system().contains(story.named);
    let told = [
        (
            ends(first, 0) && ends(with, 1) && ends(without, 1),
            "every run reaches its goal",
        ),
        (fails(first), "the first run fails"),
        (
            lessons(first).iter().any(|lesson| lesson == story.lesson),
            "it learns the recovery",
        ),
        (
            with.events("domain_recall").iter().any(is_recalled),
            "the second run is told of it",
        ),
        (with.troubles().is_empty(), "and nothing fails in it"),
        (
            !without.troubles().is_empty(),
            "without memory it fails again",
        ),
        (
            ![first, with, without].into_iter().any(is_instructed),
            "no name of the page is in the system instruction",
        ),
    ];
    let untold = told.into_iter().filter(|(is_so, _)| !is_so);
    untold.map(|(_, what)| what).collect()
}
