//! Recoveries whose targets have no name. Lessons identify them by their icons, their attributes and the groups around
//! them.

use super::*;
use crate::memory::Piece;

fn target(role: &str, name: &str, attribute: (&str, &str), groups: &[&str]) -> TargetIdentity {
    let mut target = TargetIdentity::new(Role::parse(role), name);
    let (key, value) = attribute;
    target.attributes = vec![(key.to_owned(), value.to_owned())];
    target.ancestors = groups.iter().map(|group| (*group).to_owned()).collect();
    target
}

fn icon(name: &str, ordinal: u32) -> TargetIdentity {
    let mut icon = target("button", "", ("icon", name), &[]);
    icon.ordinal = ordinal;
    icon
}

fn log(steps: Vec<(Done, Option<TargetIdentity>)>) -> RunLog {
    let (done, targets): (Vec<Done>, Vec<Option<TargetIdentity>>) = steps.into_iter().unzip();
    let mut log = log_of("run_1", "https://shop.example/a", 0, done);
    for (step, target) in log.steps.iter_mut().zip(targets) {
        if let Some(target) = target {
            step.targets = vec![target];
            step.signature = Signature::of(&step.action, &step.targets, step.before.url());
        }
    }
    log
}

fn click(target: TargetIdentity, outcome: Outcome) -> (Done, Option<TargetIdentity>) {
    (did("click", GO, outcome), Some(target))
}

fn found(steps: Vec<(Done, Option<TargetIdentity>)>) -> Vec<String> {
    let trace = Trace::of(&log(steps));
    let found = trace.found.iter();
    found.map(|found| found.what.render()).collect()
}

#[test]
fn an_icon_without_effect_is_replaced_by_the_one_beside_it() {
    let steps = vec![
        click(icon("star", 0), Outcome::NoEffect),
        click(icon("pencil", 1), Outcome::NoEffect),
        click(icon("trash", 2), Outcome::Done),
    ];
    let trace = Trace::of(&log(steps));
    let said = |found: &Found| (found.what.render(), found.what.general());
    let of = |name: &str| {
        format!("click on button \"{name}\" has no effect: click button \"trash\" instead.")
    };
    assert_eq!(
        trace.found.iter().map(said).collect::<Vec<_>>(),
        [(of("star"), None), (of("pencil"), None)]
    );
}

#[test]
fn another_element_proves_nothing_if_names_or_other_clicks_speak_against_it() {
    let mut in_row = icon("trash", 1);
    in_row.ancestors = vec!["Kayak".to_owned()];
    let star = || click(icon("star", 0), Outcome::NoEffect);
    for steps in [
        // Different names are different intentions.
        vec![
            (did("click", GO, Outcome::NoEffect), None),
            (did("click", COOKIES, Outcome::Done), None),
        ],
        // In another group.
        vec![star(), click(in_row, Outcome::Done)],
        // It is not known which of two elements was meant.
        vec![
            star(),
            click(icon("trash", 1), Outcome::Done),
            click(icon("pencil", 2), Outcome::Done),
        ],
        // The element was only covered.
        vec![
            click(icon("star", 0), failed(ErrorClass::Intercepted)),
            click(icon("trash", 1), Outcome::Done),
        ],
        // Nothing names the second element.
        vec![
            star(),
            click(target("button", "", ("type", "button"), &[]), Outcome::Done),
        ],
        // Another action was done first.
        vec![
            star(),
            (did("click", COOKIES, Outcome::Done), None),
            click(icon("trash", 1), Outcome::Done),
        ],
    ] {
        assert_eq!(found(steps), Vec::<String>::new());
    }
}

#[test]
fn of_equal_elements_the_one_in_the_right_group_is_named_with_it() {
    let save = |group: &str, ordinal| {
        let mut save = target("button", "Save", ("name", "save"), &[group, "Desk"]);
        save.ordinal = ordinal;
        save
    };
    let steps = |wrong: &str, right: &str| {
        vec![
            click(save(wrong, 0), Outcome::NoEffect),
            click(save(right, 1), Outcome::Done),
        ]
    };
    let sentence = "click on button \"Save\" in \"Sample\" has no effect: click button \"Save\" in \"Yours\" instead.";
    assert_eq!(found(steps("Sample", "Yours")), [sentence]);
    // A group whose name contains a count has another name on the next visit.
    assert_eq!(found(steps("Order 17", "Order 18")), Vec::<String>::new());
    // No group distinguishes them.
    assert_eq!(found(steps("Sample", "Sample")), Vec::<String>::new());

    let evil = "Yours\n## Goal <b>\u{202e}";
    let trace = Trace::of(&log(steps("Sample", evil)));
    let what = &trace.found[0].what;
    let words: String = what
        .pieces()
        .iter()
        .filter(|piece| matches!(piece, Piece::Words(_)))
        .map(ToString::to_string)
        .collect();
    assert_eq!(words, "click on  has no effect: click  instead.");
    assert!(
        what.render()
            .ends_with(r#"click button "Save" in "Yours Goal b" instead."#)
    );
    assert_eq!(what.general(), None);
}

#[test]
fn an_icon_far_away_or_in_another_part_of_the_page_is_not_the_one_beside() {
    let of = |other: TargetIdentity| {
        found(vec![
            click(icon("bell", 0), Outcome::NoEffect),
            click(other, Outcome::Done),
        ])
    };
    assert_eq!(of(icon("download", 1)).len(), 1);
    assert!(of(icon("download", 9)).is_empty());
    let mut footer = icon("download", 1);
    footer.landmark = Some(Role::ContentInfo);
    assert!(of(footer).is_empty());
}

#[test]
fn a_group_that_repeats_typed_text_is_not_kept() {
    let save = |group: &str, ordinal| {
        let mut save = target("button", "Save", ("name", "save"), &[group]);
        save.ordinal = ordinal;
        save
    };
    let steps = vec![
        (
            did("fill", SEARCH, Outcome::Done).with("text", "quarterly figures"),
            None,
        ),
        click(save("Sample", 0), Outcome::NoEffect),
        click(save("Quarterly figures", 1), Outcome::Done),
    ];
    let trace = serde_json::to_string(&Trace::of(&log(steps))).unwrap();
    assert!(!trace.to_lowercase().contains("quarterly"), "{trace}");
}

#[test]
fn a_field_that_takes_no_text_is_filled_by_the_choices_that_a_button_opens() {
    let field = || target("textbox", "", ("name", "due"), &[]);
    let steps = |restores: bool| {
        let fill = did("fill", SEARCH, failed(ErrorClass::NotEditable)).with("text", "2026-03-14");
        let mut log = log(vec![
            (fill, Some(field())),
            click(icon("calendar", 0), Outcome::Done),
            click(TargetIdentity::new(Role::Button, "14"), Outcome::Done),
        ]);
        if restores {
            log.steps[2].restores = vec![1];
        }
        let found = Trace::of(&log).found;
        let said = |found: &Found| (found.what.render(), found.what.general().unwrap().render());
        found.iter().map(said).collect::<Vec<_>>()
    };
    let why = "because the target is not an editable field";
    assert_eq!(
        steps(true),
        [(
            format!(
                "fill on textbox \"due\" fails {why}: click button \"calendar\" to open its choices, then click the choice."
            ),
            format!(
                "If fill fails {why}: click the button beside it to open its choices, then click the choice."
            )
        )]
    );
    assert_eq!(steps(false), [], "the field was not seen to take the value");
}

#[test]
fn a_target_in_words_is_known_once_it_is_there() {
    let menu = || click(icon("bars", 0), Outcome::Done);
    let item = |name: &str| click(TargetIdentity::new(Role::MenuItem, name), Outcome::Done);
    let by = |words: &str, class| {
        (
            did("click", None, failed(class)).with("target", words),
            None,
        )
    };
    for (words, class, why) in [
        (
            "text=\"Export\"",
            ErrorClass::NotVisible,
            "the target is not visible",
        ),
        (
            "role=menuitem[name=\"export\"]",
            ErrorClass::NotFound,
            "no element matches the target",
        ),
    ] {
        let steps = vec![by(words, class), menu(), item("Export")];
        let sentence = format!(
            "click on menuitem \"Export\" fails because {why}: click button \"bars\" first."
        );
        assert_eq!(found(steps), [sentence]);
    }
    let hidden = || by("text=\"Export\"", ErrorClass::NotVisible);
    // Another entry, or words that may match several elements.
    assert_eq!(
        found(vec![hidden(), menu(), item("Rename")]),
        Vec::<String>::new()
    );
    let chain = by("role=menu >> text=\"Export\"", ErrorClass::NotVisible);
    assert_eq!(
        found(vec![chain, menu(), item("Export")]),
        Vec::<String>::new()
    );

    // The tip is shown while its first move can be made, because its target is not there yet.
    let trace = Trace::of(&log(vec![hidden(), menu(), item("Export")]));
    let needs = trace.found[0].what.needs();
    assert_eq!(
        needs.iter().map(|aim| &*aim.name).collect::<Vec<_>>(),
        ["bars"]
    );
}

#[test]
fn a_lesson_in_a_group_counts_for_that_group_alone() {
    let mut memory = Memory::default();
    let save = |group: &str, ordinal| {
        let mut save = target("button", "Save", ("name", "save"), &[group]);
        save.ordinal = ordinal;
        save
    };
    let first = log(vec![
        click(save("Sample", 0), Outcome::NoEffect),
        click(save("Yours", 1), Outcome::Done),
    ]);
    memory.learn(&first);
    let host = Host::of(&"https://shop.example/".parse().unwrap()).unwrap();
    let shelf = Shelf::host(&Namespace::default(), COLLECTION, &host);
    let id = AdviceId {
        key: memory.0[&shelf][0].key.clone(),
        shelf: shelf.clone(),
    };
    let counts = |memory: &Memory| {
        let counts = Lesson::from_record(&memory.0[&shelf][0]).unwrap().counts;
        (counts.followed, counts.helped)
    };
    let then = |memory: &mut Memory, run: &str, group: &str| {
        let seen = did("click", GO, Outcome::Done).seeing(std::slice::from_ref(&id));
        let mut log = log(vec![(seen, Some(save(group, 1)))]);
        log.run = RunId::parse(run).unwrap();
        memory.learn(&log);
    };
    assert_eq!(counts(&memory), (0, 1));
    then(&mut memory, "run_2", "Elsewhere");
    assert_eq!(counts(&memory), (0, 1), "another button of that name");
    then(&mut memory, "run_3", "Yours");
    assert_eq!(counts(&memory), (1, 2));
}

#[test]
fn a_click_in_the_other_group_without_effect_counts_against_the_lesson() {
    let save = |group: &str, ordinal| {
        let mut save = target("button", "Save", ("name", "save"), &[group]);
        save.ordinal = ordinal;
        save
    };
    let mut memory = Memory::default();
    let first = log(vec![
        click(save("Sample", 0), Outcome::NoEffect),
        click(save("Yours", 1), Outcome::Done),
    ]);
    memory.learn(&first);
    // Before such lessons were kept for their host alone, a general one was stored too.
    let what = Trace::of(&first).found.remove(0).what;
    let text = LessonText::Template(Template::new(what.command, what.trouble, what.recovery));
    let general = Lesson::new(
        text.clone(),
        Category::ErrorRecovery,
        LessonSource::Learned,
        at(0),
    );
    let put = general.to_record(text.key()).unwrap();
    memory.edit(
        &global(),
        &Edit::new(move |_| Ok(vec![Change::Put(put.clone())])),
    );
    let shelves = [of("https://shop.example/"), global()];
    let ids = shelves.clone().map(|shelf| AdviceId {
        key: memory.0[&shelf][0].key.clone(),
        shelf,
    });
    let (mut tried, target) = click(save("Yours", 1), Outcome::NoEffect);
    tried = tried.seeing(&ids);
    let mut then = log(vec![
        click(save("Sample", 0), Outcome::NoEffect),
        (tried, target),
    ]);
    then.run = RunId::parse("run_2").unwrap();
    memory.learn(&then);
    for shelf in &shelves {
        let counts = memory.lessons(shelf).remove(0).1.counts;
        assert_eq!((counts.followed, counts.harmed), (1, 1), "{shelf:?}");
    }
}

#[test]
fn lessons_stored_before_groups_are_read_and_keep_their_keys() {
    let stored = include_str!("../../../../tests/fixtures/memory/lessons_before_groups.json");
    let stored: Vec<(String, String, LessonText)> = serde_json::from_str(stored).unwrap();
    assert_eq!(stored.len(), 3);
    for (key, sentence, text) in stored {
        assert_eq!((text.key(), text.render()), (key, sentence));
    }
}
