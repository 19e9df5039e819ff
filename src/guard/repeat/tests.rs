//! Sequences of actions and pages, with the guard's verdicts.

use proptest::prelude::*;

use super::*;
use crate::{
    action::{Click, Goto, Target, Wait},
    page::{ElementRef, Role},
};

/// Passes actions to the guard, each as a reply of its own and with the page that follows it. The action `n` presses the
/// button `n`. The action `"text` fills the field with `text`, and `?n` waits `n` seconds. The page `a/b` shows `a` and
/// has the frame `b`; the page `a` has the frame `a`.
fn run(steps: &[(&str, &str)]) -> Vec<Verdict> {
    run_replies(steps, 1)
}

/// Like [`run`], with so many actions in each reply.
fn run_replies(steps: &[(&str, &str)], calls: usize) -> Vec<Verdict> {
    let mut guard = RepeatGuard::default();
    let mut before = page("start");
    (1..)
        .zip(steps.chunks(calls))
        .flat_map(|(turn, reply)| reply.iter().map(move |step| (turn, step)))
        .map(|(turn, (action, after))| {
            let verdict = guard.record(key(action), before, page(after), turn);
            before = page(after);
            verdict
        })
        .collect()
}

fn page(text: &str) -> PageState {
    let (shown, frame) = text.split_once('/').unwrap_or((text, text));
    PageState::new("https://shop.example/", &shown, &frame)
}

fn key(action: &str) -> ActionKey {
    if let Some(seconds) = action.strip_prefix('?') {
        let wait = Wait {
            text: None,
            gone: None,
            seconds: Some(seconds.parse::<u32>().unwrap().into()),
        };
        return ActionKey::of(&Action::Browser(BrowserAction::Wait(wait)), &[], "/");
    }
    let target = Target::Ref(ElementRef::parse("e1").unwrap());
    let (action, identity) = match action.strip_prefix('"') {
        Some(text) => (
            BrowserAction::Fill(Fill {
                target,
                text: text.into(),
                submit: false,
            }),
            TargetIdentity::new(Role::TextBox, "Query"),
        ),
        None => (
            BrowserAction::Click(Click {
                target,
                button: None,
            }),
            TargetIdentity::new(Role::Button, action),
        ),
    };
    ActionKey::of(&Action::Browser(action), &[identity], "/")
}

fn times<'a>(turns: usize, turn: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    turn.repeat(turns)
}

/// Returns the positions of the first warning and of the stop, counted from 1.
fn places(verdicts: &[Verdict]) -> (Option<usize>, Option<usize>) {
    let first = |test: fn(&Verdict) -> bool| verdicts.iter().position(test).map(|i| i + 1);
    (first(|v| v.warning().is_some()), first(|v| v.is_stop()))
}

#[test]
fn the_same_action_without_effect_warns_at_three_and_stops_at_five() {
    let verdicts = run(&times(5, &[("Go", "start")]));
    assert_eq!(verdicts[1], Verdict::Go);
    assert_eq!(verdicts[2], Verdict::Warn(Warning::Repeated { times: 3 }));
    assert_eq!(verdicts[3], Verdict::Warn(Warning::Repeated { times: 4 }));
    assert_eq!(verdicts[4], Verdict::Stop(Warning::Repeated { times: 5 }));
}

#[test]
fn an_action_that_was_done_three_times_among_ten_is_warned_of_unless_it_leads_somewhere() {
    let frequent = |last| Verdict::Warn(Warning::Frequent { times: 3, last });
    // A menu is opened again and again, with other attempts in between.
    let menu = [
        ("Menu", "open"),
        ("A", "open"),
        ("Menu", "open"),
        ("B", "start"),
        ("Menu", "open"),
    ];
    assert_eq!(run(&menu)[3..], [Verdict::Go, frequent(5)]);
    // A row is added each time.
    let rows = [
        ("Add", "1 row"),
        ("A", "1 row"),
        ("Add", "2 rows"),
        ("B", "2 rows"),
        ("Add", "3 rows"),
    ];
    assert!(run(&rows).iter().all(|verdict| *verdict == Verdict::Go));
    // The third time comes too late.
    let others = ["A", "B", "C", "D", "E", "F", "G", "H"].map(|name| (name, "open"));
    let late = [&menu[..3], &others, &[("Menu", "open")]].concat();
    assert!(run(&late).iter().all(|verdict| *verdict == Verdict::Go));

    // The items of a list open in a dialog, which is closed each time.
    let dialogs = ["A", "B", "C", "D"].map(|item| [(item, item), ("Close", "list")]);
    assert!(
        run(&dialogs.concat())
            .iter()
            .all(|verdict| *verdict == Verdict::Go)
    );

    // "Back" leads to the list each time, after another item.
    let at = |path: &str| PageState::new(&format!("https://shop.example/{path}"), &path, &path);
    let mut guard = RepeatGuard::default();
    let list = at("list");
    for item in ["A", "B", "C", "D"] {
        assert_eq!(guard.record(key(item), list, at(item), 1), Verdict::Go);
        assert_eq!(guard.record(key("Back"), at(item), list, 2), Verdict::Go);
    }
}

#[test]
fn looks_count_once_in_a_reply_and_may_be_more_than_what_acts() {
    let (one, two) = (("?1", "start"), ("?2", "start"));
    let looked = |times| Verdict::Warn(Warning::Looked { times });
    for looks in [&[one][..], &[one, one], &[one, two], &[one, two, one, one]] {
        let calls = looks.len();
        let verdicts = run_replies(&times(10, looks), calls);
        let (before, after) = verdicts.split_at(4 * calls);
        assert!(before.iter().all(|verdict| *verdict == Verdict::Go));
        assert_eq!(
            after[..=calls],
            [vec![looked(5); calls], vec![looked(6)]].concat()
        );
        assert_eq!(places(&verdicts).1, Some(9 * calls + 1));
    }
    // Something new, or an action, begins the count anew.
    let new = [
        &times(4, &[one])[..],
        &[("?1", "new")],
        &times(4, &[("?1", "new")]),
    ]
    .concat();
    assert_eq!(places(&run(&new)), (None, None));
    let acts = [&times(4, &[one])[..], &[("Go", "start")], &times(4, &[one])].concat();
    assert_eq!(places(&run(&acts)), (None, None));
    // What acts between looks is repeated all the same.
    assert_eq!(
        places(&run(&times(5, &[("Go", "start"), one]))),
        (Some(6), Some(10))
    );
}

#[test]
fn the_first_of_several_may_have_had_an_effect() {
    assert_eq!(
        places(&run(&times(5, &[("Go", "next")]))),
        (Some(3), Some(5))
    );
}

#[test]
fn pressing_next_while_every_page_is_new_is_no_repetition() {
    let pages: Vec<_> = (2..40).map(|n| format!("page {n}")).collect();
    let steps: Vec<_> = pages.iter().map(|page| ("Next", page.as_str())).collect();
    assert_eq!(places(&run(&steps)), (None, None));
}

#[test]
fn a_cycle_through_known_pages_warns_at_three_turns_and_stops_at_five() {
    for cycle in [
        &[("Open", "a"), ("Back", "start")][..],
        &[("Open", "a"), ("More", "b"), ("Back", "start")],
        &[
            ("Open", "a"),
            ("More", "b"),
            ("Help", "c"),
            ("Back", "start"),
        ],
    ] {
        let length = cycle.len();
        let verdicts = run(&times(5, cycle));
        assert_eq!(
            places(&verdicts),
            (Some(3 * length), Some(5 * length)),
            "length {length}"
        );
        let expected = Warning::Cycle {
            length: u32::try_from(length).unwrap(),
            times: 3,
        };
        assert_eq!(verdicts[3 * length - 1], Verdict::Warn(expected));
    }
}

#[test]
fn a_cycle_that_brings_something_each_turn_is_work() {
    let pages: Vec<_> = (0..20)
        .map(|n| (format!("item {n}"), format!("list with {n} done")))
        .collect();
    let steps: Vec<_> = pages
        .iter()
        .flat_map(|(item, list)| [("Open", item.as_str()), ("Done", list)])
        .collect();
    assert_eq!(places(&run(&steps)), (None, None));
}

#[test]
fn a_cycle_of_five_is_not_looked_for() {
    let steps = times(
        6,
        &[
            ("a", "1"),
            ("b", "2"),
            ("c", "3"),
            ("d", "4"),
            ("e", "start"),
        ],
    );
    assert_eq!(places(&run(&steps)), (None, None));
}

#[test]
fn one_action_between_them_ends_a_row_of_equal_ones_which_may_still_be_frequent() {
    let steps = times(
        6,
        &[
            ("Go", "start"),
            ("Go", "start"),
            ("Other", "start"),
            ("Else", "start"),
            ("More", "start"),
        ],
    );
    let verdicts = run(&steps);
    assert_eq!(places(&verdicts), (Some(6), None));
    let expected = Warning::Frequent { times: 3, last: 6 };
    assert_eq!(verdicts[5], Verdict::Warn(expected));
}

#[test]
fn progress_in_the_middle_starts_the_count_anew() {
    let mut steps = times(4, &[("More", "start")]);
    steps.push(("More", "new"));
    steps.extend(times(3, &[("More", "new")]));
    assert_eq!(places(&run(&steps)), (Some(3), None));
}

#[test]
fn other_text_in_the_same_field_is_the_same_if_nothing_else_changes() {
    let steps = [
        ("\"a", "a/f"),
        ("\"b", "b/f"),
        ("\"c", "c/f"),
        ("\"d", "d/f"),
        ("\"e", "e/f"),
    ];
    let verdicts = run(&steps);
    assert_eq!(places(&verdicts), (Some(3), Some(5)));
    assert_eq!(
        verdicts[4],
        Verdict::Stop(Warning::Retyped {
            length: 1,
            times: 5
        })
    );
}

#[test]
fn other_text_that_shows_other_results_is_a_search() {
    let steps = [
        ("\"a", "a"),
        ("\"b", "b"),
        ("\"c", "c"),
        ("\"d", "d"),
        ("\"e", "e"),
        ("\"f", "f"),
    ];
    assert_eq!(places(&run(&steps)), (None, None));
}

#[test]
fn guessing_by_halves_is_warned_of_and_may_take_seven_turns() {
    let answers = [
        "higher", "lower", "lower", "higher", "lower", "higher", "lower", "lower", "lower",
    ];
    let texts: Vec<_> = (0..answers.len())
        .map(|n| (format!("\"{n}"), format!("{n}/same")))
        .collect();
    let steps: Vec<_> = texts
        .iter()
        .zip(answers)
        .flat_map(|((text, typed), said)| [(text.as_str(), typed.as_str()), ("Guess", said)])
        .collect();
    let (warned, stopped) = places(&run(&steps));
    assert!(warned.is_some_and(|at| at >= 6), "{warned:?}");
    assert!(stopped.is_none_or(|at| at > 14), "{stopped:?}");
}

#[test]
fn clicks_alone_are_never_judged_by_the_frame() {
    let steps: Vec<_> = ["1/f", "2/f", "3/f", "4/f", "5/f", "6/f"]
        .into_iter()
        .map(|page| ("More", page))
        .collect();
    assert_eq!(places(&run(&steps)), (None, None));
}

#[test]
fn a_key_tells_targets_places_and_texts_apart() {
    assert_ne!(key("Go"), key("Stop"));
    assert_ne!(key("\"a"), key("\"b"));
    assert_eq!(key("\"a").near, key("\"b").near);
    let goto = |url: &str| {
        ActionKey::of(
            &Action::Browser(BrowserAction::Goto(Goto { url: url.into() })),
            &[],
            "/",
        )
    };
    assert_ne!(
        goto("https://a.example/").near,
        goto("https://b.example/").near
    );
}

proptest! {
    #[test]
    fn a_run_in_which_every_page_is_new_is_never_warned(actions in proptest::collection::vec(0_u8..3, 0..60)) {
        let pages: Vec<_> = (0..actions.len()).map(|n| n.to_string()).collect();
        let names = ["Go", "\"x", "\"y"];
        let steps: Vec<_> = actions.iter().zip(&pages).map(|(a, p)| (names[usize::from(*a)], p.as_str())).collect();
        prop_assert_eq!(places(&run(&steps)), (None, None));
    }

    #[test]
    fn a_run_is_warned_before_it_is_stopped_and_not_before_three_actions(
        steps in proptest::collection::vec((0_usize..3, 0_usize..2), 0..60),
    ) {
        let steps: Vec<_> = steps.iter().map(|(a, p)| (["Go", "Back", "\"x"][*a], ["start", "other"][*p])).collect();
        let verdicts = run(&steps);
        match places(&verdicts) {
            (None, stopped) => prop_assert_eq!(stopped, None),
            (Some(warned), None) => prop_assert!(warned >= 3),
            (Some(warned), Some(stopped)) => prop_assert!(warned >= 3 && stopped >= warned + 2),
        }
    }
}
