//! Recoveries whose targets have no name: ten pages, one policy, and what its first run finds out.

use webwise::{store::InMemory, working::StopReason};

use crate::{
    bed::{Bed, Ran, clock, task},
    browsers::Driver,
    novice, unnamed_pages as pages,
    web::{Answer, Asked, Web},
};

in_turn! {
    a_recovery_without_names_is_learned_and_spares_the_next_run_its_failure,
}

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
}

fn day(page: String, goal: &'static str, receipt: &'static str) -> Day {
    Day { page, goal, receipt }
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
            failure: "click button \"\" 1 -> no_effect",
            lesson: r#"click on button "star" has no effect: click button "trash" instead."#,
        },
        Story {
            host: "calendar.localhost",
            days: [
                day(pages::calendar("2026-03"), r#"set the day to "2026-03-14"; report the receipt"#, "booked 2026-03-14"),
                day(pages::calendar("2026-05"), r#"set the day to "2026-05-21"; report the receipt"#, "booked 2026-05-21"),
            ],
            failure: "fill textbox \"\" 0 -> not_editable",
            lesson: r#"fill on textbox "due" fails because the target is not an editable field: click button "calendar" to open its choices, then click the choice."#,
        },
        Story {
            host: "overlay.localhost",
            days: [
                day(pages::overlay("biscuits"), r#"press "Send"; report the receipt"#, "sent despite biscuits"),
                day(pages::overlay("a survey"), r#"press "Send"; report the receipt"#, "sent despite a survey"),
            ],
            failure: "click button \"Send\" 0 -> intercepted",
            lesson: r#"click on button "Send" fails because another element covers the target: click button "times" first."#,
        },
        Story {
            host: "terms.localhost",
            days: [
                day(pages::terms("Rowing"), r#"press "Next"; report the receipt"#, "ordered Rowing"),
                day(pages::terms("Sailing"), r#"press "Next"; report the receipt"#, "ordered Sailing"),
            ],
            failure: "click button \"Next\" 0 -> disabled",
            lesson: r#"click on button "Next" fails because the target is disabled: tick checkbox "agree" first."#,
        },
        Story {
            host: "typed.localhost",
            days: [
                day(pages::typed(&["Lisbon", "Lima", "Oslo"]), r#"choose "Lis" as the city; report the receipt"#, "to Lisbon"),
                day(pages::typed(&["Ghent", "Genoa", "Quito"]), r#"choose "Gen" as the city; report the receipt"#, "to Genoa"),
            ],
            failure: "select combobox \"\" 0 -> wrong_element",
            lesson: r#"select on combobox "city" fails because the target is not the kind of element this tool works on: click it, type the text to open its list, then click the choice."#,
        },
        Story {
            host: "digits.localhost",
            days: [
                day(pages::digits(&["oars"]), r#"set the count to "12 pieces"; report the receipt"#, "counted 12"),
                day(pages::digits(&["sails", "ropes"]), r#"set the count to "7 pairs"; report the receipt"#, "counted 7"),
            ],
            failure: "fill textbox \"\" 1 -> bad_value",
            lesson: r#"fill on textbox "numeric" fails because the field does not accept a value of this form: write a plain number with a point."#,
        },
        Story {
            host: "regions.localhost",
            days: [
                day(pages::regions("a letter"), r#"press "save"; report the receipt"#, "saved a letter"),
                day(pages::regions("a poem"), r#"press "save"; report the receipt"#, "saved a poem"),
            ],
            failure: "click button \"\" 0 -> no_effect",
            lesson: r#"click on button "save" in "Sample" has no effect: click button "save" in "Yours" instead."#,
        },
        Story {
            host: "menu.localhost",
            days: [
                day(pages::menu("Spring"), r#"press "Export"; report the receipt"#, "exported Spring"),
                day(pages::menu("Autumn"), r#"press "Export"; report the receipt"#, "exported Autumn"),
            ],
            failure: "click  -> not_visible",
            lesson: r#"click on menuitem "Export" fails because the target is not visible: click button "bars" first."#,
        },
        Story {
            host: "time.localhost",
            days: [
                day(pages::time("Hall"), r#"set the time to "3:30 pm"; report the receipt"#, "Hall at 15:30"),
                day(pages::time("Loft"), r#"set the time to "8:15 pm"; report the receipt"#, "Loft at 20:15"),
            ],
            failure: "fill textbox \"\" 0 -> bad_value",
            lesson: r#"fill on textbox "at" fails because the field does not accept a value of this form: write the time as HH:MM with 24 hours."#,
        },
        Story {
            host: "wizard.localhost",
            days: [
                day(pages::wizard("Oak Ltd"), r#"press "Next"; if asked, the number is "DE 17"; report the receipt"#, "Oak Ltd with DE 17"),
                day(pages::wizard("Elm Ltd"), r#"press "Next"; if asked, the number is "FR 23"; report the receipt"#, "Elm Ltd with FR 23"),
            ],
            failure: "click button \"Next\" 0 -> no_effect",
            lesson: r#"click on button "Next" has no effect: fill textbox "vat-number" first."#,
        },
    ]
}

fn site() -> Web {
    let stories = stories();
    Web::start(move |asked: &Asked| {
        let story = stories.iter().find(|story| story.host == asked.host);
        let day = usize::from(asked.path.ends_with('2'));
        story.map_or_else(
            || Answer { status: 404, headers: Vec::new(), body: String::new() },
            |story| Answer::page(story.days[day].page.clone()),
        )
    })
}

async fn a_recovery_without_names_is_learned_and_spares_the_next_run_its_failure(by: Driver) {
    let (bed, site) = (Bed::start(by).await, site());
    let mut wrong = Vec::new();
    for story in stories() {
        let memory = InMemory::new();
        let first = run(&bed, &site, &story, 0, &memory).await;
        let with = run(&bed, &site, &story, 1, &memory).await;
        let without = run(&bed, &site, &story, 1, &InMemory::new()).await;
        let found = faults(&story, [&first, &with, &without]);
        figure!(
            "unnamed: {}: {} run 1: {} failed, run 2 with memory: {}, without: {}{}",
            by.name(), story.host, first.troubles().len(), with.troubles().len(), without.troubles().len(),
            if found.is_empty() { "" } else { ", NOT AS TOLD" }
        );
        if !found.is_empty() {
            if let Some(message) = first.messages().last() { println!("{}: {message}", story.host); }
            if let Some(message) = with.messages().next() { println!("{}: {message}", story.host); }
            wrong.push(format!(
                "{}: {found:#?}\n{:#?}\n{:#?}\n{:#?}\n{:#?}",
                story.host, first.log(), with.log(), without.log(), lessons(&first)
            ));
        }
    }
    bed.close().await;
    let told = stories().len() - wrong.len();
    figure!("lessons_story: {}: {told} of {} stories without names", by.name(), stories().len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

async fn run(bed: &Bed, site: &Web, story: &Story, day: usize, memory: &InMemory) -> Ran {
    let url = site.url(story.host, &format!("/?day={}", day + 1));
    let (model, task) = (novice::model(), task(story.days[day].goal, &url));
    let ran = bed.run_by(model.clone(), task, memory.clone(), &clock()).await;
    ran.asked(model.requests())
}

/// The lessons that a run recorded.
fn lessons(ran: &Ran) -> Vec<String> {
    let recorded = ran.events("lesson_recorded").into_iter();
    recorded.filter_map(|event| event["lesson"].as_str().map(str::to_owned)).collect()
}

/// What is not as the story tells it.
fn faults(story: &Story, [first, with, without]: [&Ran; 3]) -> Vec<String> {
    let fails = |ran: &Ran| ran.log().iter().any(|line| line == story.failure);
    let ends = |ran: &Ran, day: usize| {
        let receipt = format!("Receipt: {}", story.days[day].receipt);
        ran.report.summary.stop == StopReason::Finished && ran.report.answer.as_deref() == Some(&*receipt)
    };
    let recorded = first.events("lesson_recorded");
    let recalled = with.events("domain_recall");
    let has = |events: &[serde_json::Value], key: &str| events.iter().any(|event| event[key].to_string().contains(&serde_json::Value::from(story.lesson).to_string()));
    let told = [
        (ends(first, 0) && ends(with, 1) && ends(without, 1), "every run reaches its goal"),
        (fails(first), "the first run fails as told"),
        (has(&recorded, "lesson"), "it is learned"),
        (has(&recalled, "lessons"), "the second run is told of it"),
        (with.troubles().is_empty(), "and nothing fails in it"),
        (!without.troubles().is_empty(), "without memory something fails again"),
    ];
    told.into_iter().filter(|(is_so, _)| !is_so).map(|(_, what)| what.to_owned()).collect()
}
