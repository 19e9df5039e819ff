//! The life of a lesson: from the first failure into the system instruction of every run, and out of it again.

use super::*;
use crate::working::StopReason;

fn id(shelf: &Shelf, lesson: &(String, Lesson)) -> AdviceId {
    AdviceId {
        shelf: shelf.clone(),
        key: lesson.0.clone(),
    }
}

fn recovery(memory: &Memory) -> (String, Lesson) {
    let mut learned: Vec<_> = memory
        .lessons(&global())
        .into_iter()
        .filter(|(_, lesson)| lesson.source == LessonSource::Learned)
        .collect();
    assert_eq!(learned.len(), 1);
    learned.remove(0)
}

#[test]
fn a_recovery_is_said_on_its_host_at_once_and_elsewhere_after_a_second_site() {
    let mut memory = Memory::default();
    let notes = memory.learn(&banner_run("run_1", "https://a.example/x", 1, &[]));
    assert_eq!(
        notes
            .iter()
            .filter(|note| matches!(note, Note::Recorded { .. }))
            .count(),
        2
    );
    assert!(memory.said(&shown("https://a.example/y"))[0].contains("\"Accept all\" first"));
    let elsewhere = || fails("click", COVERED, "https://c.example");
    assert_eq!(
        memory.said(&shown("https://b.example")),
        Vec::<String>::new()
    );
    assert_eq!(
        memory.said(&elsewhere()),
        Vec::<String>::new(),
        "one site is one site"
    );
    memory.learn(&banner_run("run_2", "https://www.a.example", 2, &[]));
    assert_eq!(
        memory.said(&elsewhere()),
        Vec::<String>::new(),
        "a name below a site is no second site"
    );
    memory.learn(&banner_run("run_3", "https://b.example", 3, &[]));
    let said = memory.advise(&elsewhere());
    assert_eq!(said.len(), 1);
    assert!(!said[0].text().contains("Accept all"));
    assert_eq!(said[0].trust(), crate::base::Trust::Code);
}

#[test]
fn a_lesson_that_the_seed_says_already_counts_for_the_seed() {
    let mut memory = Memory::default();
    memory.upkeep(&global(), 0);
    let field = SEARCH;
    let steps = vec![
        did("fill", field, failed(ErrorClass::NotEditable)).with("text", "padel rackets"),
        did("click", field, Outcome::Done),
        did("type", None, Outcome::Done).with("text", "padel rackets"),
    ];
    let notes = memory.learn(&log_of("run_1", "https://google.example", 1, steps));
    let seed = memory
        .lessons(&global())
        .into_iter()
        .find(|(key, _)| key == "seed-fill-fallback")
        .unwrap()
        .1;
    assert_eq!(memory.lessons(&global()).len(), 3);
    assert_eq!(
        (
            seed.counts.used,
            seed.counts.helped,
            seed.triggered_domains.len()
        ),
        (1, 1, 1)
    );
    assert!(notes.iter().any(|note| matches!(
        note,
        Note::Deduplicated {
            new_use_count: 1,
            ..
        }
    )));
}

#[test]
fn five_uses_on_three_sites_that_helped_promote_and_a_harm_takes_it_back() {
    let mut memory = Memory::default();
    let sites = [
        "https://a.example",
        "https://b.example",
        "https://c.example",
        "https://a.example",
        "https://b.example",
    ];
    for (n, site) in sites.iter().enumerate() {
        assert_eq!(
            memory.said(&Cue::RunStarted),
            Vec::<String>::new(),
            "not before the fifth"
        );
        // The lesson is shown from the second site on, and is followed.
        let sees: Vec<AdviceId> = memory
            .advise(&fails("click", COVERED, site))
            .iter()
            .map(|advice| advice.id().clone())
            .collect();
        memory.learn(&banner_run(&format!("run_{n}"), site, 1, &sees));
    }
    let lesson = recovery(&memory);
    assert_eq!(
        (lesson.1.counts.used, lesson.1.counts.helped, lesson.1.runs),
        (5, 5, 5)
    );
    assert_eq!(lesson.1.counts.followed, 3);
    assert_eq!(lesson.1.category, Category::BestPractice);
    assert_eq!(
        *memory.advise(&Cue::RunStarted)[0].section(),
        Section::Lessons
    );
    let vain = |run: &str| {
        let sees = [id(&global(), &lesson)];
        let steps = vec![
            did("click", GO, failed(ErrorClass::Intercepted)).seeing(&sees),
            did("click", COOKIES, Outcome::NoEffect).seeing(&sees),
        ];
        log_of(run, "https://d.example", 9, steps)
    };
    let notes = memory.learn(&vain("run_8"));
    let demoted = Note::Demoted {
        id: id(&global(), &lesson),
        lesson: lesson.1.text.render(),
        helped: 5,
        harmed: 1,
    };
    assert!(notes.contains(&demoted), "{notes:?}");
    let lesson = recovery(&memory).1;
    assert_eq!(
        (lesson.counts.harmed, lesson.category),
        (1, Category::ErrorRecovery)
    );
    assert_eq!(memory.said(&Cue::RunStarted), Vec::<String>::new());
}

#[test]
fn many_uses_in_one_run_or_on_few_sites_do_not_promote() {
    let mut memory = Memory::default();
    let mut steps = Vec::new();
    for _ in 0..6 {
        steps.push(did("click", GO, failed(ErrorClass::Intercepted)));
        steps.push(did("click", COOKIES, Outcome::Done));
        steps.push(did("click", GO, Outcome::Done));
    }
    memory.learn(&log_of("run_1", "https://a.example", 1, steps));
    assert_eq!(
        recovery(&memory).1.counts.used,
        1,
        "a run and site counts once"
    );
    for n in 2..12 {
        let site = if n % 2 == 0 {
            "https://x.a.example"
        } else {
            "https://b.example"
        };
        memory.learn(&banner_run(&format!("run_{n}"), site, 1, &[]));
    }
    let lesson = recovery(&memory).1;
    assert_eq!(
        (lesson.counts.used, lesson.triggered_domains.len()),
        (11, 2)
    );
    assert_eq!(lesson.category, Category::ErrorRecovery);
}

#[test]
fn advice_that_forestalls_the_failure_has_helped() {
    let mut memory = Memory::default();
    let shelf = of("https://a.example");
    memory.learn(&banner_run("run_1", "https://a.example", 1, &[]));
    let lesson = memory.lessons(&shelf).remove(0);
    let sees = [id(&shelf, &lesson)];
    let steps = vec![
        did("click", COOKIES, Outcome::Done).seeing(&sees),
        did("click", GO, Outcome::Done).seeing(&sees),
    ];
    let notes = memory.learn(&log_of("run_2", "https://a.example", 2, steps));
    let counts = memory.lessons(&shelf).remove(0).1.counts;
    assert_eq!(
        counts,
        Counts {
            offered: 1,
            used: 1,
            followed: 1,
            helped: 2,
            harmed: 0,
            ..Counts::default()
        }
    );
    assert!(notes.iter().any(|note| matches!(
        note,
        Note::Credited {
            followed: true,
            helped: true,
            ..
        }
    )));
}

#[test]
fn a_list_that_is_typed_into_at_once_has_helped_and_one_that_gives_nothing_has_not() {
    let tags = Some(("textbox", "Tags"));
    let typed = |sees: &[AdviceId], chosen: Outcome| {
        vec![
            did("click", tags, Outcome::Done).seeing(sees),
            did("type", None, Outcome::Done)
                .with("text", "Alb")
                .seeing(sees),
            did("click", Some(("listitem", "Albania")), chosen).seeing(sees),
        ]
    };
    for (chosen, helped) in [(Outcome::Done, 2), (Outcome::NoEffect, 1)] {
        let mut memory = Memory::default();
        let shelf = of("https://a.example");
        let mut select = did("select", tags, failed(ErrorClass::WrongElement));
        select.arguments = json!({ "values": ["Alb"] });
        let first = std::iter::once(select)
            .chain(typed(&[], Outcome::Done))
            .collect();
        memory.learn(&log_of("run_1", "https://a.example", 1, first));
        let sees = [id(&shelf, &memory.lessons(&shelf).remove(0))];
        memory.learn(&log_of(
            "run_2",
            "https://a.example",
            2,
            typed(&sees, chosen),
        ));
        let counts = memory.lessons(&shelf).remove(0).1.counts;
        assert_eq!(
            counts,
            Counts {
                offered: 1,
                used: 1,
                followed: 1,
                helped,
                harmed: 2 - helped,
                ..Counts::default()
            }
        );
    }
}

#[test]
fn being_shown_is_no_use_and_keeps_nothing_alive() {
    let mut memory = Memory::default();
    let shelf = of("https://a.example");
    memory.learn(&banner_run("run_1", "https://a.example", 1, &[]));
    let lesson = memory.lessons(&shelf).remove(0);
    let only_seen =
        did("click", Some(("link", "Home")), Outcome::Done).seeing(&[id(&shelf, &lesson)]);
    memory.learn(&log_of("run_2", "https://a.example", 80, vec![only_seen]));
    let now = memory.lessons(&shelf).remove(0).1;
    assert_eq!(
        (now.counts.offered, now.counts.used, now.last_used),
        (1, 1, at(1))
    );
    assert_eq!(memory.upkeep(&shelf, 91), 0);
    assert_eq!(memory.upkeep(&shelf, 92), 1, "unused for more than 90 days");
}

#[test]
fn seeds_and_much_used_lessons_are_never_pruned() {
    let mut memory = Memory::default();
    memory.upkeep(&global(), 0);
    for n in 0..5 {
        memory.learn(&banner_run(
            &format!("run_{n}"),
            "https://a.example",
            1,
            &[],
        ));
    }
    assert_eq!(memory.upkeep(&global(), 4_000), 0);
    assert_eq!(memory.lessons(&global()).len(), 4);
}

#[test]
fn a_lesson_that_harms_three_times_running_is_retired_and_does_not_come_back() {
    let mut memory = Memory::default();
    let shelf = of("https://a.example");
    memory.learn(&banner_run("run_1", "https://a.example", 1, &[]));
    let lesson = memory.lessons(&shelf).remove(0);
    let sees = [id(&shelf, &lesson)];
    let vain = |run: &str| {
        let steps = vec![
            did("click", COOKIES, Outcome::Done).seeing(&sees),
            did("click", GO, failed(ErrorClass::Intercepted)).seeing(&sees),
        ];
        log_of(run, "https://a.example", 2, steps)
    };
    let mut notes = Vec::new();
    for n in 2..12 {
        notes = memory.learn(&vain(&format!("run_{n}")));
        if memory.said(&shown("https://a.example")).is_empty() {
            break;
        }
    }
    assert!(
        notes
            .iter()
            .any(|note| matches!(note, Note::Retired { .. })),
        "{notes:?}"
    );
    assert_eq!(memory.lessons(&shelf).remove(0).1.counts.harmed, 3);
    memory.learn(&banner_run("run_20", "https://a.example", 3, &[]));
    assert_eq!(
        memory.said(&shown("https://a.example")),
        Vec::<String>::new()
    );
}

#[test]
fn a_lesson_for_all_sites_is_retired_by_three_sites_and_a_person_brings_it_back() {
    const KEY: &str = "seed-fill-fallback";
    let mut memory = Memory::default();
    memory.upkeep(&global(), 0);
    let sees = [AdviceId {
        shelf: global(),
        key: KEY.to_owned(),
    }];
    let vain = |run: i64, site: &str| {
        let not_editable = failed(ErrorClass::NotEditable);
        let steps = vec![
            did("fill", SEARCH, not_editable).with("text", "x"),
            did("click", SEARCH, Outcome::Done).seeing(&sees),
        ];
        log_of(&format!("run_{run}"), site, run, steps)
    };
    let seed = |memory: &Memory| {
        let mut lessons = memory.lessons(&global()).into_iter();
        lessons.find(|(key, _)| key == KEY).unwrap().1
    };
    for run in 0..6 {
        memory.learn(&vain(run, "https://a.example"));
    }
    let one_site = seed(&memory);
    assert_eq!((one_site.counts.harmed, &one_site.retired_by), (6, &None));
    memory.learn(&vain(6, "https://b.example"));
    assert_eq!(seed(&memory).retired_by, None);
    memory.learn(&vain(7, "https://c.example"));
    assert_eq!(seed(&memory).retired_by, RunId::parse("run_7").ok());

    let text = seed(&memory).text.render();
    memory.edit(&global(), &Lessons::trust(KEY.to_owned(), text, at(8)));
    let back = seed(&memory);
    assert!(back.speaks() && back.source == LessonSource::Seed);
    memory.learn(&vain(9, "https://a.example"));
    memory.learn(&vain(10, "https://b.example"));
    let harmed = seed(&memory);
    assert_eq!((harmed.counts.harmed, &harmed.retired_by), (2, &None));
    memory.learn(&vain(11, "https://c.example"));
    assert!(!seed(&memory).speaks());
}

#[test]
fn advice_that_failed_before_something_else_worked_was_followed_and_did_not_help() {
    let timeout = || failed(ErrorClass::Timeout);
    // The outcomes of the advised clicks, and the counts that follow from them.
    for (advised, followed, harmed) in [
        (vec![Outcome::NoEffect], 1, 1),
        (vec![timeout(), timeout()], 1, 1),
        // It may have been needed: the recovery consists of both clicks.
        (vec![Outcome::Done], 0, 0),
        (vec![timeout(), Outcome::Done], 0, 0),
    ] {
        let mut memory = Memory::default();
        let shelf = of("https://a.example");
        memory.learn(&banner_run("run_1", "https://a.example", 1, &[]));
        let sees = [id(&shelf, &memory.lessons(&shelf).remove(0))];
        let mut steps = vec![did("click", GO, failed(ErrorClass::Intercepted))];
        let clicks = advised.into_iter();
        steps.extend(clicks.map(|outcome| did("click", COOKIES, outcome).seeing(&sees)));
        steps.extend([
            did("click", Some(("button", "Close")), Outcome::Done).seeing(&sees),
            did("click", GO, Outcome::Done).seeing(&sees),
        ]);
        memory.learn(&log_of("run_2", "https://a.example", 2, steps));
        let lessons = memory.lessons(&shelf);
        assert_eq!(lessons.len(), 2, "the other way is learned too");
        let advice = lessons.into_iter().find(|(key, _)| *key == sees[0].key);
        let counts = advice.unwrap().1.counts;
        let expected = Counts {
            offered: 1,
            used: 1 + followed,
            followed,
            helped: 1,
            harmed,
            ..Counts::default()
        };
        assert_eq!(counts, expected);
    }
}

#[test]
fn a_run_that_somebody_ended_does_not_harm_a_lesson() {
    for (stop, harmed) in [(StopReason::Cancelled, 0), (StopReason::GaveUp, 1)] {
        let mut memory = Memory::default();
        let shelf = of("https://a.example");
        memory.learn(&banner_run("run_1", "https://a.example", 1, &[]));
        let sees = [id(&shelf, &memory.lessons(&shelf).remove(0))];
        let steps = vec![
            did("click", COOKIES, Outcome::Done).seeing(&sees),
            did("click", GO, failed(ErrorClass::Intercepted)).seeing(&sees),
        ];
        memory.learn(&log_of("run_2", "https://a.example", 2, steps).ended_by(stop));
        let counts = memory.lessons(&shelf).remove(0).1.counts;
        assert_eq!((counts.harmed, counts.used), (harmed, 1), "{stop:?}");
    }
}

#[test]
fn what_a_run_taught_can_be_taken_back() {
    let mut memory = Memory::default();
    memory.upkeep(&global(), 0);
    let before = memory.0.clone();
    memory.learn(&banner_run("run_1", "https://a.example", 1, &[]));
    let after_one = memory.0.clone();
    memory.learn(&banner_run("run_2", "https://b.example", 1, &[]));
    let run = |text: &str| RunId::parse(text).unwrap();
    for shelf in [global(), of("https://a.example"), of("https://b.example")] {
        memory.edit(&shelf, &Lessons::undo(run("run_2")));
    }
    assert_eq!(memory.lessons(&global()).len(), 4);
    assert_eq!(memory.0[&global()], after_one[&global()]);
    assert!(memory.lessons(&of("https://b.example")).is_empty());
    memory.edit(&global(), &Lessons::undo(run("run_1")));
    assert_eq!(memory.0[&global()], before[&global()]);
}

fn results(memory: &Memory, shelf: &Shelf) -> String {
    let records = &memory.0[shelf];
    assert_eq!(records.len(), 1);
    Lessons.describe(&records[0]).unwrap().results
}

#[test]
fn when_the_run_that_taught_a_lesson_is_undone_no_other_run_counts_as_the_teacher() {
    type Steps<'a> = &'a dyn Fn(&[AdviceId]) -> Vec<Done>;
    let url = "https://a.example";
    let run = |text: &str| RunId::parse(text).unwrap();
    let shown =
        |sees: &[AdviceId]| vec![did("click", Some(("link", "Home")), Outcome::Done).seeing(sees)];
    let harmed = |sees: &[AdviceId]| {
        vec![
            did("click", COOKIES, Outcome::Done).seeing(sees),
            did("click", GO, failed(ErrorClass::Intercepted)).seeing(sees),
        ]
    };
    let cases: [(Option<Steps<'_>>, &str); 3] = [
        (None, "shown 1, used 1, helped 1, harmed 0"),
        (Some(&shown), "shown 2, used 1, helped 1, harmed 0"),
        (Some(&harmed), "shown 2, used 2, helped 1, harmed 1"),
    ];
    for (third, expected) in cases {
        for is_accepted in [false, true] {
            let mut memory = Memory::default();
            let shelf = of(url);
            memory.learn(&banner_run("run_1", url, 1, &[]));
            assert_eq!(
                results(&memory, &shelf),
                "shown 0, used 0, helped 0, harmed 0"
            );
            let (key, lesson) = memory.lessons(&shelf).remove(0);
            let sees = [id(&shelf, &(key.clone(), lesson.clone()))];
            memory.learn(&banner_run("run_2", url, 2, &sees));
            if let Some(steps) = third {
                memory.learn(&log_of("run_3", url, 3, steps(&sees)));
            }
            if is_accepted {
                memory.edit(&shelf, &Lessons::trust(key, lesson.text.render(), at(4)));
            }
            for _ in 0..2 {
                assert_eq!(results(&memory, &shelf), expected, "{is_accepted}");
                memory.edit(&shelf, &Lessons::undo(run("run_1")));
            }
            assert_eq!(memory.lessons(&shelf)[0].1.provenance.run, None);
        }
    }
    let mut memory = Memory::default();
    memory.learn(&banner_run("run_1", url, 1, &[]));
    memory.learn(&banner_run("run_2", "https://b.example", 2, &[]));
    let site = Site::of(&url.parse().unwrap()).unwrap();
    memory.edit(&global(), &Lessons::forget(site, None));
    assert_eq!(
        results(&memory, &global()),
        "shown 0, used 1, helped 1, harmed 0"
    );
}

#[test]
fn the_run_that_taught_a_lesson_is_left_out_when_its_evidence_was_dropped_too() {
    // Memory still knows the ids of the first number of runs, but not of the second.
    for runs in [20, 140] {
        let (mut memory, shelf) = (Memory::default(), of("https://a.example"));
        let mut sees = Vec::new();
        for n in 0..=runs {
            let run = format!("run_{n}");
            memory.learn(&banner_run(&run, "https://a.example", n, &sees));
            sees = vec![id(&shelf, &memory.lessons(&shelf).remove(0))];
        }
        let counts = format!("shown {runs}, used {runs}, helped {runs}, harmed 0");
        assert_eq!(results(&memory, &shelf), counts);
        // It cannot be taken from the counts any more.
        let first = RunId::parse("run_0").unwrap();
        memory.edit(&shelf, &Lessons::undo(first));
        assert_eq!(results(&memory, &shelf), counts);
    }
}

#[test]
fn forgetting_a_site_leaves_nothing_that_it_taught() {
    let mut memory = Memory::default();
    memory.learn(&banner_run("run_1", "https://a.example", 1, &[]));
    memory.learn(&banner_run("run_2", "https://b.example", 1, &[]));
    let site = |url: &str| Site::of(&url.parse().unwrap()).unwrap();
    memory.edit(&global(), &Lessons::forget(site("https://a.example"), None));
    let lesson = recovery(&memory).1;
    assert_eq!((lesson.counts.used, lesson.triggered_domains.len()), (1, 1));
    assert!(
        !serde_json::to_string(&memory.0[&global()])
            .unwrap()
            .contains("a.example")
    );
    memory.edit(&global(), &Lessons::forget(site("https://b.example"), None));
    assert!(memory.lessons(&global()).is_empty());
}

#[test]
fn a_person_accepts_exactly_what_was_shown() {
    let mut memory = Memory::default();
    let text = LessonText::Words("Accept the cookies first.".to_owned());
    let lesson = Lesson::new(text, Category::BestPractice, LessonSource::Imported, at(0));
    let record = lesson.to_record("k").unwrap();
    memory.edit(
        &global(),
        &Edit::new(move |_| Ok(vec![Change::Put(record.clone())])),
    );
    let records = memory.0[&global()].clone();
    let changed = Lessons::trust("k".to_owned(), "Accept the cookies.".to_owned(), at(1));
    assert_eq!(
        changed.changes(&records).unwrap_err().kind(),
        ErrorKind::InvalidInput
    );
    memory.edit(
        &global(),
        &Lessons::trust(
            "k".to_owned(),
            "Accept the cookies first.".to_owned(),
            at(1),
        ),
    );
    assert_eq!(memory.said(&Cue::RunStarted), ["Accept the cookies first."]);
}

#[test]
fn a_shelf_keeps_the_best_proven_when_there_are_too_many() {
    let mut memory = Memory::default();
    let shelf = of("https://a.example");
    memory.learn(&banner_run("run_0", "https://a.example", 0, &[]));
    let first = memory.lessons(&shelf).remove(0).1;
    let full: Vec<Change> = (0..MAX_LEARNED)
        .map(|n| {
            let mut lesson = first.clone();
            lesson.last_used = at(i64::try_from(n).unwrap());
            if let LessonText::Site(recovery) = &mut lesson.text {
                recovery.aim.as_mut().unwrap().name = format!("Go {n}");
            }
            Change::Put(lesson.to_record(lesson.text.key()).unwrap())
        })
        .collect();
    memory.edit(&shelf, &Edit::new(move |_| Ok(full.clone())));
    let notes = memory.learn(&banner_run("run_1", "https://a.example", 401, &[]));
    let room = Note::Compacted {
        removed_count: 1,
        remaining_count: MAX_LEARNED,
    };
    assert!(notes.contains(&room), "{notes:?}");
    assert!(
        !notes.iter().any(|note| matches!(note, Note::Pruned { .. })),
        "nothing was stale: {notes:?}"
    );
    let lessons = memory.lessons(&shelf);
    assert_eq!(lessons.len(), MAX_LEARNED);
    assert!(
        !lessons
            .iter()
            .any(|(_, lesson)| lesson.text.render().contains("\"Go 0\"")),
        "the oldest went"
    );
    assert!(
        lessons
            .iter()
            .any(|(_, lesson)| lesson.text.render().contains("\"Go\"")),
        "the best proven stayed"
    );
}

#[test]
fn a_lesson_fits_into_a_record_however_long_the_names_and_however_often_it_is_used() {
    let mut memory = Memory::default();
    let mut used = 0;
    for n in 0..20 {
        let run = format!("run_{n:_>60}");
        let site = format!(
            "https://{}.{}{n}.example/{}",
            "a".repeat(60),
            "b".repeat(60),
            "c".repeat(3_000)
        );
        memory.learn(&banner_run(&run, &site, n + 1, &[]));
        used += 1;
        for (shelf, records) in &memory.0 {
            for record in records {
                assert!(
                    record.size() <= crate::memory::MAX_RECORD_BYTES,
                    "{shelf}: {} bytes",
                    record.size()
                );
            }
        }
    }
    let lesson = recovery(&memory).1;
    assert_eq!(
        (lesson.counts.used, lesson.runs),
        (used, used),
        "what was counted stays counted"
    );
    assert!(
        lesson.evidence.len() > 1
            && lesson.triggered_domains.len() >= crate::memory::lesson::PROMOTION_SITES
    );
}

#[test]
fn another_button_than_the_named_one_is_not_the_way_out_that_was_shown() {
    let shelf = of("https://a.example");
    let harmed = |button: &'static str| {
        let mut memory = Memory::default();
        memory.learn(&banner_run("run_1", "https://a.example", 1, &[]));
        let seen = [id(&shelf, &memory.lessons(&shelf)[0])];
        let steps = vec![
            did("click", GO, failed(ErrorClass::Intercepted)).seeing(&seen),
            did(
                "click",
                Some(("button", button)),
                failed(ErrorClass::Intercepted),
            )
            .seeing(&seen),
        ];
        memory.learn(&log_of("run_2", "https://a.example", 2, steps));
        memory.lessons(&shelf)[0].1.counts.harmed
    };
    assert_eq!((harmed("Accept all"), harmed("Only necessary")), (1, 0));
}

#[test]
fn uses_that_helped_on_two_sites_promote_nothing_until_a_third() {
    let mut memory = Memory::default();
    let mut use_on = |n: usize, site: &str| {
        let sees: Vec<AdviceId> = memory
            .advise(&fails("click", COVERED, site))
            .iter()
            .map(|advice| advice.id().clone())
            .collect();
        memory.learn(&banner_run(&format!("run_{n}"), site, 1, &sees));
        recovery(&memory).1
    };
    for n in 0..8 {
        let site = ["https://a.example", "https://b.example"][n % 2];
        let lesson = use_on(n, site);
        assert_eq!(lesson.category, Category::ErrorRecovery, "after use {n}");
    }
    let lesson = use_on(8, "https://c.example");
    assert_eq!(lesson.category, Category::BestPractice);
}
