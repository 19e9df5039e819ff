//! The advice that lessons give for each kind of cue, such as a failed command.

use super::*;

fn planted() -> Memory {
    let mut memory = Memory::default();
    memory.upkeep(&global(), 0);
    memory
}

#[test]
fn three_seeds_stand_in_the_system_instruction_and_are_planted_once() {
    let mut memory = planted();
    assert_eq!(memory.said(&Cue::RunStarted).len(), 3);
    assert_eq!(memory.upkeep(&global(), 1), 0);
    assert!(
        memory
            .advise(&Cue::RunStarted)
            .iter()
            .all(|advice| *advice.section() == Section::Lessons)
    );
}

#[test]
fn a_failed_command_recalls_the_lesson_of_its_class_and_no_other() {
    let memory = planted();
    let said = |command: &str, trouble| {
        memory
            .said(&fails(command, trouble, "https://x.example"))
            .len()
    };
    assert_eq!(
        said("fill", FailureKind::Failed(ErrorClass::NotEditable)),
        1
    );
    assert_eq!(said("fill", FailureKind::Failed(ErrorClass::Timeout)), 0);
    assert_eq!(said("fill", FailureKind::NoEffect), 0);
    assert_eq!(said("click", COVERED), 1);
}

#[test]
fn the_most_used_lesson_comes_first() {
    let mut memory = planted();
    let (key, mut lesson) = memory.lessons(&global()).remove(2);
    lesson.counts.used = 7;
    let edit = Edit::new(move |_| Ok(vec![Change::Put(lesson.to_record(&key)?)]));
    memory.edit(&global(), &edit);
    let first = memory.lessons(&global()).remove(2).1.text.render();
    assert_eq!(memory.said(&Cue::RunStarted)[0], first);
}

#[test]
fn fields_of_a_newer_version_survive() {
    let memory = planted();
    let mut body = memory.0[&global()][0].body.clone();
    body["from_the_future"] = json!({ "a": 1 });
    let lesson = Lesson::from_record(&Record::new("k", &body)).unwrap();
    assert_eq!(lesson.to_record("k").unwrap().body, body);
}

#[test]
fn a_record_that_cannot_be_read_is_left_as_it_is() {
    let mut memory = planted();
    let strange = Record::new("lesson-x", &json!({ "text": { "hologram": 1 } }));
    let put = strange.clone();
    memory.edit(
        &global(),
        &Edit::new(move |_| Ok(vec![Change::Put(put.clone())])),
    );
    memory.learn(&banner_run("run_1", "https://a.example", 1, &[]));
    memory.upkeep(&global(), 400);
    assert!(memory.0[&global()].contains(&strange));
    assert_eq!(memory.said(&Cue::RunStarted).len(), 3);
}

fn words(source: LessonSource, change: impl FnOnce(&mut Lesson)) -> Edit {
    let text = LessonText::Words("Always open shop.example first".to_owned());
    let mut lesson = Lesson::new(text, Category::BestPractice, source, at(0));
    change(&mut lesson);
    Edit::new(move |_| Ok(vec![Change::Put(lesson.to_record("k")?)]))
}

#[test]
fn free_text_that_no_person_wrote_is_not_said() {
    for source in [
        LessonSource::Learned,
        LessonSource::Imported,
        LessonSource::Seed,
    ] {
        let mut memory = Memory::default();
        memory.edit(&global(), &words(source, |_| {}));
        assert_eq!(
            memory.said(&Cue::RunStarted),
            Vec::<String>::new(),
            "{source:?}"
        );
    }
    let mut memory = Memory::default();
    memory.edit(&global(), &words(LessonSource::User, |_| {}));
    assert_eq!(memory.said(&Cue::RunStarted).len(), 1);
}

#[test]
fn a_pattern_of_a_person_is_found_in_the_error_whatever_its_case() {
    let mut memory = Memory::default();
    let edit = words(LessonSource::User, |lesson| {
        lesson.category = Category::ErrorRecovery;
        lesson.failed_command = Some("fill".to_owned());
        lesson.error_pattern = Some("Too Many Arguments".to_owned());
    });
    memory.edit(&global(), &edit);
    let said = |command: &str, detail: &str| {
        let cue = Cue::CommandFailed {
            command: command.to_owned(),
            failure: FailureKind::Failed(ErrorClass::BadArguments),
            targets: Vec::new(),
            detail: detail.to_owned(),
            host: None,
            seen: None,
        };
        memory.said(&cue).len()
    };
    assert_eq!(
        said("fill", "error: too many arguments: expected 2, received 3"),
        1
    );
    assert_eq!(said("click", "error: too many arguments"), 0);
    assert_eq!(said("fill", "too few"), 0);
    assert_eq!(memory.said(&Cue::RunStarted), Vec::<String>::new());
}

#[test]
fn a_domain_holds_for_the_names_below_it_and_what_was_learned_for_its_host_alone() {
    let mut memory = Memory::default();
    let edit = words(LessonSource::User, |lesson| {
        (lesson.category, lesson.domain) =
            (Category::SiteSpecific, Some("shop.example".to_owned()));
    });
    memory.edit(&of("https://shop.example"), &edit);
    memory.learn(&banner_run("run_1", "https://shop.example", 1, &[]));
    assert_eq!(memory.said(&shown("https://shop.example/x")).len(), 2);
    assert_eq!(
        memory.said(&shown("http://www.shop.example:8080/x")),
        ["Always open shop.example first"]
    );
    assert_eq!(
        memory.said(&shown("https://othershop.example/")),
        Vec::<String>::new()
    );
    assert_eq!(
        memory.said(&shown("https://example/")),
        Vec::<String>::new()
    );
}

#[test]
fn words_that_a_person_trusts_are_shown_whatever_their_category() {
    let failed = |command: &str, at: Option<&str>| Cue::CommandFailed {
        command: command.to_owned(),
        failure: FailureKind::Failed(ErrorClass::Timeout),
        targets: Vec::new(),
        detail: "it took too long".to_owned(),
        host: at.map(host),
        seen: None,
    };
    for category in Category::ALL {
        for (domain, pattern) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut memory = Memory::default();
            let edit = words(LessonSource::User, |lesson| {
                lesson.category = category;
                lesson.domain = domain.then(|| "shop.example".to_owned());
                lesson.failed_command = Some("click".to_owned());
                lesson.error_pattern = pattern.then(|| "too long".to_owned());
            });
            let shelf = if domain { of(SHOP) } else { global() };
            memory.edit(&shelf, &edit);
            let said = |cue: &Cue| !memory.said(cue).is_empty();
            let place = [
                said(&Cue::RunStarted),
                said(&shown("https://shop.example/x")),
                said(&failed("click", Some(SHOP))),
                said(&failed("fill", Some(SHOP))),
            ];
            let is_site = category == Category::SiteSpecific;
            let expected = if domain {
                [false, !pattern || is_site, pattern, false]
            } else {
                let is_tier_1 = category.is_tier_1();
                [is_tier_1, false, pattern || !is_tier_1, false]
            };
            assert_eq!(place, expected, "{category:?} {domain} {pattern}");
            assert!(place.contains(&true), "what is listed as shown is shown");
            let record = &memory.0[&shelf][0];
            let standing = Lessons.describe(record).unwrap().standing;
            assert_eq!(standing, crate::memory::Standing::Shown);
        }
    }
}

/// Ten buttons of one host, each with the button that closes the notice in front of it.
const TEN: [(&str, &str); 10] = [
    ("Go A", "Close A"),
    ("Go B", "Close B"),
    ("Go C", "Close C"),
    ("Go D", "Close D"),
    ("Go E", "Close E"),
    ("Go F", "Close F"),
    ("Go G", "Close G"),
    ("Go H", "Close H"),
    ("Go I", "Close I"),
    ("Go J", "Close J"),
];
const SHOP: &str = "https://shop.example";

/// Returns a memory with one recovery for each of the buttons of [`TEN`].
fn ten() -> Memory {
    let mut memory = planted();
    for (button, closes) in TEN {
        let target = Some(("button", button));
        let steps = vec![
            did("click", target, failed(ErrorClass::Intercepted)),
            did("click", Some(("button", closes)), Outcome::Done),
            did("click", target, Outcome::Done),
        ];
        let path = button.split_once(' ').unwrap().1.to_lowercase();
        memory.learn(&log_of(
            &format!("run_{path}"),
            &format!("{SHOP}/{path}"),
            1,
            steps,
        ));
    }
    memory
}

/// Returns a page with both buttons of each pair in [`TEN`].
fn all_ten() -> Arc<Observation> {
    let both = |(button, closes): (&'static str, &'static str)| [button, closes];
    let elements: Vec<(&str, &str)> = TEN
        .into_iter()
        .flat_map(both)
        .map(|name| ("button", name))
        .collect();
    page(&elements)
}

#[test]
fn what_was_learned_on_this_kind_of_page_comes_first_and_three_are_enough() {
    let said = ten().said(&shown_as(&format!("{SHOP}/d"), all_ten()));
    assert_eq!(said.len(), MAX_TIPS);
    assert!(said[0].contains("Go D"), "{said:?}");
}

#[test]
fn each_of_ten_recoveries_of_a_host_answers_its_own_failure_before_what_is_general() {
    let memory = ten();
    for (button, closes) in TEN {
        let said = memory.advise(&click_fails(button, SHOP, Some(all_ten())));
        let own = format!("button {button:?} fails");
        assert!(
            said[0].text().contains(&own) && said[0].text().contains(closes),
            "{button}: {said:?}"
        );
        assert_eq!(*said[0].section(), Section::ErrorTips);
        // The seed follows, and no other recovery of the host.
        assert_eq!(said.len(), 2, "{button}: {said:?}");
        assert!(said[1].text().contains("Escape"), "{button}: {said:?}");
    }
    // No recovery of this host is shown on another host or on a subdomain.
    let elsewhere = memory.said(&click_fails("Go A", "https://b.example", Some(all_ten())));
    let below = memory.said(&click_fails(
        "Go A",
        "https://www.shop.example",
        Some(all_ten()),
    ));
    for said in [elsewhere, below] {
        assert!(said.iter().all(|said| !said.contains("Go A")), "{said:?}");
    }
}

#[test]
fn a_tip_whose_target_or_way_out_is_not_on_the_page_is_not_said() {
    let memory = ten();
    let said = |elements: &[(&str, &str)]| memory.said(&shown_as(SHOP, page(elements)));
    let both = [("button", "Go H"), ("button", "Close H")];
    assert!(said(&both)[0].contains("Go H"), "whatever its rank");
    assert_eq!(said(&both).len(), 1);
    assert_eq!(said(&both[..1]), Vec::<String>::new());
    assert_eq!(said(&both[1..]), Vec::<String>::new());
    assert_eq!(
        said(&[("link", "Go H"), ("button", "Close H")]),
        Vec::<String>::new()
    );
    assert_eq!(said(&[]), Vec::<String>::new());
    let failed = |elements: &[(&str, &str)]| {
        let said = memory.said(&click_fails("Go H", SHOP, Some(page(elements))));
        said.iter().any(|said| said.contains("Go H"))
    };
    assert!(failed(&both) && !failed(&both[..1]) && !failed(&both[1..]));
    // The click led to a page of another host, or its page cannot be seen.
    let nowhere = memory.said(&click_fails("Go H", SHOP, None));
    assert!(nowhere.iter().all(|said| !said.contains("Go H")));
}

#[test]
fn the_words_of_a_recovery_are_ours_and_the_names_in_it_the_pages() {
    let said = ten().advise(&shown_as(SHOP, all_ten()));
    assert!(said[0].is_vouched(), "{said:?}");
    let words: String = said[0].lines()[0]
        .pieces()
        .iter()
        .filter(|piece| matches!(piece, crate::memory::Piece::Words(_)))
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        words,
        "click on  fails because another element covers the target: click  first."
    );
}
