//! Cases that look like recoveries but teach nothing, and attempts to make memory count wrongly.

use std::collections::BTreeSet;

use super::*;

fn the(memory: &Memory) -> (String, Lesson) {
    memory
        .lessons(&global())
        .into_iter()
        .find(|(_, l)| l.source == LessonSource::Learned)
        .unwrap()
}

fn run_id(text: &str) -> RunId {
    RunId::parse(text).unwrap()
}

fn site(url: &str) -> Site {
    Site::of(&url.parse().unwrap()).unwrap()
}

fn found(log: &RunLog) -> Vec<String> {
    Trace::of(log)
        .found
        .iter()
        .map(|f| f.what.render())
        .collect()
}

fn ids(shelf: &Shelf, memory: &Memory) -> Vec<AdviceId> {
    memory
        .lessons(shelf)
        .into_iter()
        .map(|(key, _)| AdviceId {
            shelf: shelf.clone(),
            key,
        })
        .collect()
}

#[test]
fn thirteen_waiting_runs_count_once() {
    let mut memory = Memory::default();
    let logs: Vec<RunLog> = (0..13)
        .map(|n| banner_run(&format!("run_{n:02}"), "https://a.example", 1, &[]))
        .collect();
    for _ in 0..3 {
        for log in &logs {
            memory.learn(log);
        }
    }
    let l = the(&memory).1;
    assert_eq!((l.counts.used, l.runs), (13, 13));
}

#[test]
fn runs_that_learn_at_once_count_once_each_in_whatever_order_they_arrive() {
    const RUNS: i64 = 50;
    let mut memory = Memory::default();
    memory.learn(&banner_run("run_first", "https://a.example", 0, &[]));
    let (first, a) = (the(&memory).1, site("https://a.example"));
    let count = |lesson: &mut Lesson, day: i64| {
        let credit = Credit {
            used: true,
            helped: true,
            ..Credit::default()
        };
        lesson.credit(
            &run_id(&format!("run_{day}")),
            at(day),
            Some(&a),
            BTreeSet::new(),
            credit,
        )
    };
    // Runs that were counted long ago are forgotten in batches, so try several lengths of the history.
    for history in (100..200).step_by(19) {
        let mut lesson = first.clone();
        assert!((1..history).all(|day| count(&mut lesson, day)));
        // The run that ended last arrives first, and all of them arrive twice.
        let at_once = history..history + RUNS;
        assert!(at_once.clone().rev().all(|day| count(&mut lesson, day)));
        assert!(!at_once.clone().any(|day| count(&mut lesson, day)));
        let all = u64::try_from(history + RUNS).unwrap();
        assert_eq!((lesson.counts.used, lesson.runs), (all, all));
        // It is unknown whether a run from long ago was counted.
        assert!(!count(&mut lesson, 1));
    }
}

#[test]
fn undo_demotes_when_the_promotion_no_longer_holds() {
    let mut memory = Memory::default();
    for (n, s) in ["a", "a", "b", "b", "c"].iter().enumerate() {
        let url = format!("https://{s}.example");
        let said = memory.advise(&fails("click", COVERED, &url));
        let sees: Vec<AdviceId> = said.iter().map(|advice| advice.id().clone()).collect();
        memory.learn(&banner_run(&format!("run_{n}"), &url, 1, &sees));
    }
    assert_eq!(the(&memory).1.category, Category::BestPractice);
    memory.edit(&global(), &Lessons::undo(run_id("run_4")));
    let l = the(&memory).1;
    assert_eq!(l.category, Category::ErrorRecovery);
}

#[test]
fn forget_leaves_no_site_when_its_evidence_was_trimmed() {
    let mut memory = Memory::default();
    memory.learn(&banner_run("run_b0", "https://b.example", 1, &[]));
    memory.learn(&banner_run("run_a", "https://a.example", 1, &[]));
    for n in 0..13 {
        memory.learn(&banner_run(
            &format!("run_{n:02}"),
            "https://b.example",
            1,
            &[],
        ));
    }
    memory.edit(&global(), &Lessons::forget(site("https://a.example"), None));
    let t = serde_json::to_string(&memory.0[&global()]).unwrap();
    assert!(!t.contains("a.example"), "{t}");
}

#[test]
fn forget_a_site_learned_on_a_host_below_it() {
    let mut memory = Memory::default();
    memory.learn(&banner_run("run_a", "https://www.a.example/orders", 1, &[]));
    memory.learn(&banner_run("run_b", "https://b.example", 1, &[]));
    memory.edit(&global(), &Lessons::forget(site("https://a.example"), None));
    let t = serde_json::to_string(&memory.0[&global()]).unwrap();
    assert!(!t.contains("a.example"), "{t}");
}

#[test]
fn a_trusted_lesson_survives_the_same_recovery() {
    let mut memory = Memory::default();
    let shelf = of("https://a.example");
    memory.learn(&banner_run("run_1", "https://a.example", 1, &[]));
    let (key, l) = memory.lessons(&shelf).remove(0);
    memory.edit(&shelf, &Lessons::trust(key.clone(), l.text.render(), at(2)));
    assert_eq!(memory.lessons(&shelf)[0].1.source, LessonSource::User);
    memory.learn(&banner_run("run_2", "https://a.example", 3, &[]));
    let ls = memory.lessons(&shelf);
    assert!(
        ls.iter().any(|(_, l)| l.source == LessonSource::User),
        "{ls:?}"
    );
}

#[test]
fn a_trusted_general_lesson_still_speaks() {
    let mut memory = Memory::default();
    memory.learn(&banner_run("run_1", "https://a.example", 1, &[]));
    memory.learn(&banner_run("run_2", "https://b.example", 1, &[]));
    let (key, l) = the(&memory);
    let cue = fails("click", COVERED, "https://c.example");
    assert_eq!(memory.said(&cue).len(), 1);
    memory.edit(&global(), &Lessons::trust(key, l.text.render(), at(2)));
    assert_eq!(memory.said(&cue).len(), 1, "accepted and silent");
}

#[test]
fn what_cannot_be_read_is_not_overwritten_by_the_same_lesson() {
    let mut memory = Memory::default();
    memory.learn(&banner_run("run_1", "https://a.example", 1, &[]));
    let (key, _) = the(&memory);
    let mut r = memory.0[&global()]
        .iter()
        .find(|r| r.key == key)
        .unwrap()
        .clone();
    r.body["category"] = json!("something_newer");
    r.body["counts"]["used"] = json!(77);
    let put = r.clone();
    memory.edit(
        &global(),
        &Edit::new(move |_| Ok(vec![Change::Put(put.clone())])),
    );
    let said = Lessons
        .distill(&banner_run("run_2", "https://a.example", 1, &[]))
        .unwrap();
    for ShelfEdit { shelf, edit } in Lessons.learn(&Namespace::default(), &said).unwrap() {
        memory.edit(&shelf, &edit);
    }
    assert!(memory.0[&global()].contains(&r));
}

#[test]
fn unknown_fields_inside_survive_a_credit() {
    let mut memory = Memory::default();
    memory.learn(&banner_run("run_1", "https://a.example", 1, &[]));
    let (key, _) = the(&memory);
    let mut r = memory.0[&global()]
        .iter()
        .find(|r| r.key == key)
        .unwrap()
        .clone();
    r.body["counts"]["ignored"] = json!(3);
    r.body["provenance"]["model"] = json!("x");
    let put = r.clone();
    memory.edit(
        &global(),
        &Edit::new(move |_| Ok(vec![Change::Put(put.clone())])),
    );
    memory.learn(&banner_run("run_2", "https://a.example", 1, &[]));
    let t = serde_json::to_string(&memory.0[&global()]).unwrap();
    assert!(t.contains("ignored") && t.contains("\"model\""), "{t}");
}

#[test]
fn enter_before_the_same_click_is_first_and_not_instead() {
    let log = log_of(
        "r",
        "https://shop.example/a",
        0,
        vec![
            did("click", GO, failed(ErrorClass::Intercepted)),
            did("press", None, Outcome::Done).with("key", "Enter"),
            did("click", GO, Outcome::Done),
        ],
    );
    assert!(
        found(&log)[0].ends_with("press Enter first."),
        "{:?}",
        found(&log)
    );
}

#[test]
fn hover_restores_no_click() {
    let log = log_of(
        "r",
        "https://shop.example/a",
        0,
        vec![
            did("click", GO, failed(ErrorClass::Intercepted)),
            did("hover", GO, Outcome::Done),
            did("click", COOKIES, Outcome::Done),
            did("click", GO, Outcome::Done),
        ],
    );
    assert!(!found(&log)[0].contains("instead"), "{:?}", found(&log));
}

#[test]
fn enter_elsewhere_is_no_click_on_a_link() {
    let log = log_of(
        "r",
        "https://shop.example/a",
        0,
        vec![
            did(
                "click",
                Some(("link", "Terms")),
                failed(ErrorClass::Intercepted),
            ),
            did("fill", SEARCH, Outcome::NoEffect).with("text", "x"),
            did("press", None, Outcome::Done).with("key", "Enter"),
        ],
    );
    assert_eq!(found(&log), Vec::<String>::new());
}

#[test]
fn another_element_of_the_same_name_is_another_element() {
    let add = Some(("button", "Add to cart"));
    let mut log = log_of(
        "r",
        "https://shop.example/a",
        0,
        vec![
            did("click", add, failed(ErrorClass::Disabled)),
            did("click", Some(("link", "Next")), Outcome::Done),
            did("click", add, Outcome::Done),
        ],
    );
    log.steps[2].targets[0].ordinal = 7;
    log.steps[2].targets[0].ancestors = vec!["Other product".to_owned()];
    log.steps[2].before = Place::of("https://shop.example/b");
    log.steps[2].signature = Signature::of(
        &log.steps[2].action,
        &log.steps[2].targets,
        "https://shop.example/b",
    );
    assert_eq!(found(&log), Vec::<String>::new());
}

#[test]
fn nothing_is_learned_in_a_frame_for_the_host_around_it() {
    let mut log = banner_run("run_1", "https://shop.example", 1, &[]);
    for s in &mut log.steps {
        for t in &mut s.targets {
            t.frames = vec!["ad".to_owned()];
        }
    }
    assert_eq!(found(&log), Vec::<String>::new());
}

#[test]
fn promotion_asks_for_sites_of_several_runs_and_for_one_that_was_shown() {
    let mut memory = Memory::default();
    let mut steps = Vec::new();
    for url in [
        "https://a.example",
        "https://b.example",
        "https://c.example",
    ] {
        steps.extend(banner_run("run_0", url, 1, &[]).steps);
    }
    let mut log = banner_run("run_0", "https://a.example", 1, &[]);
    log.steps = steps;
    memory.learn(&log);
    for n in 1..5 {
        memory.learn(&banner_run(
            &format!("run_{n}"),
            "https://a.example",
            1,
            &[],
        ));
    }
    let l = the(&memory).1;
    assert_eq!(l.category, Category::ErrorRecovery);
}

/// A run on as many sites as a run can be counted for.
#[test]
fn one_run_does_not_retire() {
    let mut memory = Memory::default();
    memory.upkeep(&global(), 0);
    let id = AdviceId {
        shelf: global(),
        key: "seed-fill-fallback".to_owned(),
    };
    let mut log = banner_run("run_0", "https://a.example", 1, &[]);
    log.steps.clear();
    for url in [
        "https://a.example",
        "https://b.example",
        "https://c.example",
        "https://d.example",
        "https://e.example",
        "https://f.example",
    ] {
        log.steps.extend(
            log_of(
                "run_0",
                url,
                1,
                vec![
                    did("fill", SEARCH, failed(ErrorClass::NotEditable)).with("text", "x"),
                    did("click", Some(("link", "Home")), Outcome::Done)
                        .seeing(std::slice::from_ref(&id)),
                ],
            )
            .steps,
        );
    }
    log.offered = vec![id];
    memory.learn(&log);
    let l = memory
        .lessons(&global())
        .into_iter()
        .find(|(k, _)| k == "seed-fill-fallback")
        .unwrap()
        .1;
    assert_eq!(l.retired_by, None);
}

#[test]
fn another_host_says_nothing_of_this_host() {
    let mut memory = Memory::default();
    let shelf = of("https://a.example");
    memory.learn(&banner_run("run_1", "https://a.example", 1, &[]));
    let sees = ids(&shelf, &memory);
    let mut log = log_of(
        "run_2",
        "https://a.example",
        2,
        vec![did("click", COOKIES, Outcome::Done).seeing(&sees)],
    );
    log.steps.extend(
        log_of(
            "run_2",
            "https://b.example",
            2,
            vec![did("click", GO, failed(ErrorClass::Intercepted))],
        )
        .steps,
    );
    memory.learn(&log);
    assert_eq!(memory.lessons(&shelf)[0].1.counts.harmed, 0);
}

#[test]
fn enter_anywhere_is_not_enter_for_this_button() {
    let mut memory = Memory::default();
    let shelf = of("https://a.example");
    memory.learn(&log_of(
        "run_1",
        "https://a.example",
        1,
        vec![
            did("fill", SEARCH, Outcome::Done).with("text", "x"),
            did("click", GO, Outcome::NoEffect),
            did("press", None, Outcome::Done).with("key", "Enter"),
        ],
    ));
    let sees = ids(&shelf, &memory);
    for n in 2..5 {
        memory.learn(&log_of(
            &format!("run_{n}"),
            "https://a.example",
            2,
            vec![
                did("click", Some(("textbox", "Newsletter")), Outcome::Done).seeing(&sees),
                did("press", None, Outcome::NoEffect)
                    .with("key", "Enter")
                    .seeing(&sees),
            ],
        ));
    }
    let l = memory.lessons(&shelf).remove(0).1;
    assert_eq!((l.counts.harmed, l.retired_by), (0, None));
}

#[test]
fn enter_in_another_field_than_a_search_box_is_no_use_of_the_lesson() {
    let sees = [AdviceId {
        shelf: global(),
        key: "seed-press-enter".to_owned(),
    }];
    let counts = |filled, pressed| {
        let mut memory = Memory::default();
        memory.upkeep(&global(), 0);
        let steps = vec![
            did("fill", Some(filled), Outcome::Done).with("text", "x"),
            did("press", pressed, Outcome::Done)
                .with("key", "Enter")
                .seeing(&sees),
        ];
        memory.learn(&log_of("run_1", "https://a.example", 1, steps));
        let mut lessons = memory.lessons(&global()).into_iter();
        let counts = lessons
            .find(|(key, _)| *key == sees[0].key)
            .unwrap()
            .1
            .counts;
        (counts.offered, counts.followed, counts.helped)
    };
    let (search, message) = (("searchbox", "Search"), ("textbox", "Message"));
    assert_eq!(counts(search, None), (1, 1, 1));
    assert_eq!(counts(search, Some(search)), (1, 1, 1));
    assert_eq!(counts(message, None), (1, 0, 0));
    assert_eq!(counts(search, Some(message)), (1, 0, 0));
}

#[test]
fn a_large_record_of_a_person_does_not_block_the_shelf() {
    let mut memory = Memory::default();
    let words = LessonText::Words("x".repeat(1_780));
    let mut l = Lesson::new(words, Category::BestPractice, LessonSource::User, at(0));
    l.failed_command = Some("click".to_owned());
    let r = l.to_record("k").unwrap();
    assert!(r.size() <= crate::memory::MAX_RECORD_BYTES);
    memory.edit(
        &global(),
        &Edit::new(move |_| Ok(vec![Change::Put(r.clone())])),
    );
    let id = AdviceId {
        shelf: global(),
        key: "k".to_owned(),
    };
    memory.learn(&banner_run(
        "run_01890a5d-ac96-774b-bcce-b302099a8057",
        "https://some-long-name.example",
        1,
        &[id],
    ));
    let size = memory.0[&global()].iter().map(Record::size).max().unwrap();
    assert!(size <= crate::memory::MAX_RECORD_BYTES, "{size}");
}

#[test]
fn typed_text_is_not_stored() {
    let mut memory = Memory::default();
    memory.learn(&log_of(
        "run_1",
        "https://a.example",
        1,
        vec![
            did("fill", SEARCH, Outcome::Done).with("text", "alice@corp.example"),
            did("click", GO, failed(ErrorClass::Disabled)),
            did(
                "click",
                Some(("button", "Use alice@corp.example")),
                Outcome::Done,
            ),
            did("click", GO, Outcome::Done),
        ],
    ));
    let t = serde_json::to_string(&memory.0[&of("https://a.example")]).unwrap();
    assert!(!t.contains("alice@corp"), "{t}");
}

#[test]
fn undo_recounts_exactly() {
    let mut memory = Memory::default();
    memory.learn(&banner_run("run_1", "https://a.example", 1, &[]));
    let before = memory.0[&global()].clone();
    memory.learn(&banner_run("run_2", "https://b.example", 9, &[]));
    memory.edit(&global(), &Lessons::undo(run_id("run_2")));
    assert_eq!(memory.0[&global()], before);
}

#[test]
fn a_covered_field_was_not_about_the_form_of_its_value() {
    let log = log_of(
        "r",
        "https://shop.example/a",
        0,
        vec![
            did(
                "fill",
                Some(("textbox", "When")),
                failed(ErrorClass::Intercepted),
            )
            .with("text", "5 Dec 2016"),
            did("fill", Some(("textbox", "When")), Outcome::Done).with("text", "2016-12-05"),
        ],
    );
    assert_eq!(found(&log), Vec::<String>::new());
}

#[test]
fn two_moves_followed_by_half_are_not_followed() {
    let mut memory = Memory::default();
    let shelf = of("https://a.example");
    memory.learn(&log_of(
        "run_1",
        "https://a.example",
        1,
        vec![
            did("click", GO, Outcome::NoEffect),
            did("click", COOKIES, Outcome::Done),
            did("click", Some(("checkbox", "Terms")), Outcome::Done),
            did("click", GO, Outcome::Done),
        ],
    ));
    let sees = ids(&shelf, &memory);
    memory.learn(&log_of(
        "run_2",
        "https://a.example",
        1,
        vec![
            did("click", COOKIES, Outcome::Done).seeing(&sees),
            did("click", GO, Outcome::NoEffect).seeing(&sees),
        ],
    ));
    assert_eq!(memory.lessons(&shelf)[0].1.counts.harmed, 0);
}

#[test]
fn a_waiting_run_that_is_broken_does_not_panic() {
    let mut said = Lessons
        .distill(&banner_run("run_1", "https://a.example", 1, &[]))
        .unwrap();
    said["found"][0]["first"] = json!(99);
    for ShelfEdit { edit, .. } in Lessons
        .learn(&Namespace::default(), &said)
        .into_iter()
        .flatten()
    {
        let _ = edit.changes(&[]);
    }
}

#[test]
fn a_persons_tip_is_not_crowded_out() {
    let mut memory = Memory::default();
    for (n, (name, role)) in [("A", "link"), ("B", "button"), ("C", "tab")]
        .into_iter()
        .enumerate()
    {
        for s in ["a", "b"] {
            memory.learn(&log_of(
                &format!("run_{n}{s}"),
                &format!("https://{s}.example"),
                1,
                vec![
                    did("click", GO, failed(ErrorClass::Intercepted)),
                    did("click", Some((role, name)), Outcome::Done),
                    did("click", GO, Outcome::Done),
                ],
            ));
        }
    }
    let mut l = Lesson::new(
        LessonText::Words("Mine".to_owned()),
        Category::ErrorRecovery,
        LessonSource::User,
        at(0),
    );
    l.error_pattern = Some("covered".to_owned());
    let r = l.to_record("k").unwrap();
    memory.edit(
        &global(),
        &Edit::new(move |_| Ok(vec![Change::Put(r.clone())])),
    );
    let said = memory.said(&fails("click", COVERED, "https://c.example"));
    assert!(said.contains(&"Mine".to_owned()), "{said:?}");
}

#[test]
fn words_for_a_domain_stay_there() {
    let mut memory = Memory::default();
    let mut l = Lesson::new(
        LessonText::Words("Mine".to_owned()),
        Category::ErrorRecovery,
        LessonSource::User,
        at(0),
    );
    (l.error_pattern, l.domain) = (Some("covered".to_owned()), Some("a.example".to_owned()));
    let r = l.to_record("k").unwrap();
    memory.edit(
        &global(),
        &Edit::new(move |_| Ok(vec![Change::Put(r.clone())])),
    );
    assert_eq!(
        memory.said(&fails("click", COVERED, "https://c.example")),
        Vec::<String>::new()
    );
}

#[test]
fn a_run_counts_for_six_sites_at_most_and_once() {
    let mut memory = Memory::default();
    let mut log = banner_run("run_0", "https://s0.example", 1, &[]);
    for n in 1..14 {
        log.steps
            .extend(banner_run("run_0", &format!("https://s{n}.example"), 1, &[]).steps);
    }
    let said = Lessons.distill(&log).unwrap();
    for _ in 0..3 {
        for ShelfEdit { shelf, edit } in Lessons.learn(&Namespace::default(), &said).unwrap() {
            memory.edit(&shelf, &edit);
        }
    }
    let l = the(&memory).1;
    assert_eq!((l.counts.used, l.runs), (6, 1));
}

#[test]
fn following_a_tip_that_is_not_needed_does_not_keep_it_alive() {
    let mut memory = Memory::default();
    let shelf = of("https://a.example");
    memory.learn(&banner_run("run_1", "https://a.example", 1, &[]));
    let sees = ids(&shelf, &memory);
    for n in 2..7 {
        memory.learn(&log_of(
            &format!("run_{n}"),
            "https://a.example",
            80 * (n - 1),
            vec![
                did("click", COOKIES, Outcome::Done).seeing(&sees),
                did("click", GO, Outcome::Done).seeing(&sees),
            ],
        ));
    }
    assert_eq!(memory.upkeep(&shelf, 4_000), 1);
}
