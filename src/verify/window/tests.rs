use serde_json::{Value, json};

use super::*;
use crate::{
    page::{Dialog, DialogKind, ERROR_PAGE, Observation, Trace, TraceKind},
    testing::tree,
};

const URL: &str = "https://app.example/";
const SETTLE: Duration = Duration::from_millis(300);

fn observed(url: &str, content: &str) -> Observation {
    Observation::new(url, "App", tree(content))
}

fn page(content: &str) -> PageNow {
    PageNow::of(observed(URL, content))
}

fn action(tool: &str, arguments: &Value) -> BrowserAction {
    serde_json::from_value(json!({ "tool": tool, "arguments": arguments })).unwrap()
}

fn click() -> BrowserAction {
    action("click", &json!({ "target": "e1" }))
}

/// Judges each action that names an element `e9` as irreversible.
fn judged(action: &BrowserAction, _: Option<&PageNow>) -> Effect {
    let is_grave = action.targets().iter().any(|at| at.to_string() == "e9");
    [Effect::Reversible, Effect::Irreversible][usize::from(is_grave)]
}

fn before(action: BrowserAction, page: &PageNow, numbers: KnownNumbers) -> Before {
    let node = |at: &ElementRef| page.tree().by_ref(at.as_str()).unwrap();
    let targets = action.targets().into_iter().filter_map(|at| at.as_ref());
    Before {
        targets: targets.map(|at| page.identity(node(at))).collect(),
        action,
        page: Some(page.clone()),
        numbers,
        elements: Vec::new(),
        judged,
        settle: SETTLE,
    }
}

/// Opens the window of an action that needs no place.
fn open(action: &BrowserAction, page: &PageNow) -> Window {
    let before = before(action.clone(), page, KnownNumbers::default());
    let (window, next) = Window::open(before);
    assert!(matches!(next, Next::Send(sent) if sent == *action));
    window
}

fn at(ms: u64) -> Timing {
    Timing {
        at: Duration::from_millis(ms),
        limit: Duration::from_secs(20),
    }
}

fn done() -> Execution {
    Execution::from(Outcome::Done)
}

fn failed(class: ErrorClass) -> Execution {
    Execution::from(Outcome::failed(class, "why"))
}

fn verdict(next: Next) -> WindowVerdict {
    match next {
        Next::Verdict(verdict) => *verdict,
        other => panic!("no verdict: {other:?}"),
    }
}

fn again(next: &Next) -> Duration {
    match next {
        Next::LookAgain { after } => *after,
        other => panic!("no look: {other:?}"),
    }
}

fn lines(verdict: &WindowVerdict) -> Vec<String> {
    let found = verdict.differences.as_ref();
    found.map_or_else(Vec::new, |found| found.summary(9))
}

fn class(outcome: &Outcome) -> Option<(&'static str, ErrorClass)> {
    match outcome {
        Outcome::Failed(failure) | Outcome::Unclear(failure) => {
            let is_failed = outcome.class().is_some();
            Some((if is_failed { "failed" } else { "unclear" }, failure.class))
        }
        _ => None,
    }
}

#[test]
fn a_menu_that_opens_late_is_seen_at_the_second_look() {
    let closed = page("menuitem \"File\" e1");
    let opened = page("menuitem \"File\" e1\nmenuitem \"Open\" e2");
    let hover = action("hover", &json!({ "target": "e1" }));
    for action in [hover, click()] {
        let mut window = open(&action, &closed);
        assert_eq!(again(&window.sent(done(), closed.clone(), at(0))), SETTLE);
        let verdict = verdict(window.looked(opened.clone(), at(300)));
        assert_eq!(verdict.execution.outcome, Outcome::Done);
        assert_eq!(lines(&verdict), [r#"+ menuitem "Open""#]);
        assert!(!verdict.is_other_page);
    }
    // It is there at once, or it never comes.
    let mut window = open(&click(), &closed);
    let at_once = verdict(window.sent(done(), opened, at(0)));
    assert_eq!(at_once.execution.outcome, Outcome::Done);
    let mut window = open(&click(), &closed);
    again(&window.sent(done(), closed.clone(), at(0)));
    let never = verdict(window.looked(closed.clone(), at(300)));
    assert_eq!(never.execution.outcome, Outcome::NoEffect);
    // What failed is not looked at twice.
    let mut window = open(&click(), &closed);
    let covered = verdict(window.sent(failed(ErrorClass::Intercepted), closed, at(0)));
    assert_eq!(
        covered.execution.outcome.class(),
        Some(ErrorClass::Intercepted)
    );
}

#[test]
fn no_look_is_asked_for_that_would_take_the_time_of_its_own_answer() {
    let closed = page("menuitem \"File\" e1");
    let left = |ms| Timing {
        at: Duration::ZERO,
        limit: Duration::from_millis(ms),
    };
    let look = |ms| open(&click(), &closed).sent(done(), closed.clone(), left(ms));
    assert_eq!(again(&look(600)), SETTLE);
    assert_eq!(verdict(look(599)).execution.outcome, Outcome::NoEffect);
}

#[test]
fn a_page_that_was_opened_and_shows_nothing_yet_is_waited_for() {
    let goto = action("goto", &json!({ "url": "https://app.example/a" }));
    let (before, bare) = (page("button \"Go\" e1"), "https://app.example/a");
    let looks = |content: &str, limit: u64| {
        let shown = PageNow::of(observed(bare, content));
        let limit = Duration::from_millis(limit);
        let moment = |at| Timing { at, limit };
        let mut window = open(&goto, &before);
        let mut now = Duration::ZERO;
        let mut next = window.sent(done(), shown.clone(), moment(now));
        while let Next::LookAgain { after } = next {
            now += after;
            next = window.looked(shown.clone(), moment(now));
        }
        assert!(verdict(next).is_other_page);
        now.as_millis()
    };
    assert_eq!(looks("", 20_000), 2_700);
    assert_eq!(looks("img \"\" e1", 20_000), 900);
    assert_eq!(looks("", 1_200), 400);
    assert_eq!(looks("button \"Go\" e1", 20_000), 0);
    assert_eq!(looks("alert \"\"\n  \"Loading content.\"", 20_000), 2_700);
    for content in [
        "\"Loading ramps for lorries and vans\"",
        "\"Loading\"\nlink \"Home\" e1",
    ] {
        assert_eq!(looks(content, 20_000), 0, "{content}");
    }

    let mut window = open(&goto, &before);
    let empty = PageNow::of(observed(bare, ""));
    assert_eq!(again(&window.sent(done(), empty, at(0))), SETTLE);
    let drawn = PageNow::of(observed(bare, "button \"Buy\" e1"));
    let verdict = verdict(window.looked(drawn, at(300)));
    assert_eq!(verdict.page.tree().len(), 1);
}

#[test]
fn a_target_that_the_page_has_replaced_is_acted_on_once_more() {
    let shown = page("button \"Save\" e1\nbutton \"Add\" e2");
    let anew = page("button \"Save\" e11\nbutton \"Add\" e12");
    let gone = || failed(ErrorClass::RefNotFound);
    let mut window = open(&click(), &shown);
    let Next::TryAgain {
        action,
        in_words,
        is_healed,
    } = window.sent(gone(), anew.clone(), at(0))
    else {
        panic!("the action is not sent again");
    };
    assert_eq!(action.targets()[0].to_string(), "e11");
    assert!(in_words.targets()[0].to_string().contains("Save"));
    assert!(!is_healed);
    let saved = page("button \"Save\" e21\nbutton \"Add\" e22\nalert \"Saved\"");
    let saved = verdict(window.sent(done(), saved, at(100)));
    assert_eq!(saved.execution.outcome, Outcome::Done);
    assert_eq!(lines(&saved), [r#"+ alert "Saved""#]);
    // It is sent no third time.
    let mut window = open(&click(), &shown);
    window.sent(gone(), anew.clone(), at(0));
    let third = page("button \"Save\" e21");
    let given_up = verdict(window.sent(gone(), third, at(100)));
    assert_eq!(
        given_up.execution.outcome.class(),
        Some(ErrorClass::RefNotFound)
    );
    // Several are alike, another page is shown, or the new one could do more harm.
    let other = Observation {
        url: "https://app.example/b".to_owned(),
        ..(*anew.observation).clone()
    };
    for page in [
        page("button \"Save\" e11\nbutton \"Save\" e12"),
        PageNow::of(other),
        page("button \"Save\" e9"),
    ] {
        let refused = verdict(open(&click(), &shown).sent(gone(), page, at(0)));
        assert_eq!(
            refused.execution.outcome.class(),
            Some(ErrorClass::RefNotFound)
        );
    }
}

#[test]
fn what_earlier_runs_knew_finds_a_target_with_another_name_unless_it_does_grave_harm() {
    let shown = page("button \"Buy now\" e1 [testid=buy]");
    for (reference, is_found) in [("e5", true), ("e9", false)] {
        let mut before = before(click(), &shown, KnownNumbers::default());
        before.elements.push(KnownElement {
            role: crate::page::Role::Button,
            names: vec!["Buy now".into()],
            marks: vec![("testid".into(), "buy".into())],
        });
        // The action that was asked for is grave as well.
        before.judged = |action, page| {
            let is_asked = page.is_some_and(|page| page.tree().by_ref("e1").is_some());
            judged(action, page).max([Effect::Read, Effect::Irreversible][usize::from(is_asked)])
        };
        let renamed = page(&format!("button \"Purchase\" {reference} [testid=buy]"));
        let (mut window, _) = Window::open(before);
        let next = window.sent(failed(ErrorClass::RefNotFound), renamed, at(0));
        let is_again = matches!(&next, Next::TryAgain { action, is_healed: true, .. }
            if action.targets()[0].to_string() == reference);
        assert_eq!(is_again, is_found, "{next:?}");
    }
}

/// A page with a counter beside its button, a button that does nothing, and a clock.
fn counter(pieces: u32, clock: &str) -> PageNow {
    page(&format!(
        "main\n  group \"Amount\"\n    button \"plus\" e1\n    \"{pieces}\"\n  button \"dead\" e2\n\
         contentinfo\n  \"{clock}\""
    ))
}

#[test]
fn a_counter_beside_a_clock_answers_and_the_clock_does_not() {
    let start = counter(0, "9 s left");
    for traces in [
        None,
        Some(vec![Trace::new(TraceKind::Markup).near().within()]),
    ] {
        let execution = || Execution {
            traces: traces.clone(),
            ..done()
        };
        let mut window = open(&click(), &start);
        let first = window.sent(execution(), counter(1, "9 s left"), at(100));
        assert_eq!(again(&first), SETTLE);
        let settled = window.looked(counter(1, "8 s left"), at(400));
        assert_eq!(again(&settled), TICK);
        let plus = verdict(window.looked(counter(1, "7 s left"), at(1_500)));
        assert_eq!(plus.execution.outcome, Outcome::Done);
        assert_eq!(lines(&plus), [r#"~ text: "0" -> "1""#]);
        // The counter is known now, so the next click needs one look.
        let known = plus.numbers;
        let (mut window, _) = Window::open(before(click(), &plus.page, known.clone()));
        let more = verdict(window.sent(execution(), counter(2, "6 s left"), at(100)));
        assert_eq!(more.execution.outcome, Outcome::Done);
        assert_eq!(lines(&more), [r#"~ text: "1" -> "2""#]);
        // So is the clock, and it does not answer the dead button.
        let dead = action("click", &json!({ "target": "e2" }));
        let (mut window, _) = Window::open(before(dead, &more.page, more.numbers));
        let first = window.sent(done(), counter(2, "5 s left"), at(100));
        assert_eq!(again(&first), SETTLE);
        let nothing = verdict(window.looked(counter(2, "4 s left"), at(400)));
        assert_eq!(nothing.execution.outcome, Outcome::NoEffect);
        assert!(lines(&nothing).is_empty());
    }
}

#[test]
fn a_trace_that_a_clock_beside_the_target_left_late_is_no_effect() {
    let clock = |left: &str| page(&format!("group\n  button \"dead\" e1\n  \"{left} s left\""));
    let mut window = open(&click(), &clock("9"));
    let execution = Execution {
        traces: Some(vec![Trace::new(TraceKind::Markup).near()]),
        ..done()
    };
    again(&window.sent(execution, clock("8"), at(100)));
    assert_eq!(again(&window.looked(clock("8"), at(400))), TICK);
    let nothing = verdict(window.looked(clock("7"), at(1_500)));
    assert_eq!(nothing.execution.outcome, Outcome::NoEffect);
}

#[test]
fn a_time_of_day_that_stands_still_is_watched_twice() {
    let mut window = open(&click(), &counter(0, "10:00:01"));
    again(&window.sent(done(), counter(0, "10:00:02"), at(100)));
    assert_eq!(again(&window.looked(counter(0, "10:00:02"), at(400))), TICK);
    assert_eq!(
        again(&window.looked(counter(0, "10:00:02"), at(1_500))),
        TICK
    );
    let nothing = verdict(window.looked(counter(0, "10:00:03"), at(2_600)));
    assert_eq!(nothing.execution.outcome, Outcome::NoEffect);
}

#[test]
fn a_number_that_stood_still_for_a_tick_before_was_set_going_by_the_action() {
    let timer = |n: u32| counter(n, "no clock");
    // The action before took this time, and the number did not change.
    for (took, outcome) in [(1_500, Outcome::Done), (500, Outcome::NoEffect)] {
        let dead = action("click", &json!({ "target": "e2" }));
        let mut window = open(&dead, &timer(0));
        again(&window.sent(done(), timer(0), at(100)));
        let earlier = verdict(window.looked(timer(0), at(took)));
        let (mut window, _) = Window::open(before(click(), &earlier.page, earlier.numbers));
        again(&window.sent(done(), timer(1), at(100)));
        again(&window.looked(timer(1), at(400)));
        let started = verdict(window.looked(timer(2), at(1_500)));
        assert_eq!(started.execution.outcome, outcome, "{took}");
    }
}

#[test]
fn a_page_without_an_answer_cannot_show_whether_the_action_worked() {
    let shown = page("button \"Go\" e1");
    let mut silent = observed(URL, "");
    silent.unresponsive = true;
    let silent = PageNow::of(silent);
    let goto = action("goto", &json!({ "url": URL }));
    let timeout = || failed(ErrorClass::Timeout);
    for (action, execution, expected) in [
        (&goto, done(), Some(("failed", ErrorClass::Timeout))),
        (&goto, timeout(), Some(("failed", ErrorClass::Timeout))),
        (&click(), timeout(), Some(("unclear", ErrorClass::Timeout))),
        (&click(), done(), None),
    ] {
        let verdict = verdict(open(action, &shown).sent(execution, silent.clone(), at(0)));
        assert_eq!(class(&verdict.execution.outcome), expected, "{action:?}");
        assert_eq!(verdict.differences, None);
    }
    // The differences from such a page are unknown too.
    let reload = action("reload", &json!({}));
    let back = verdict(open(&reload, &silent).sent(done(), shown, at(0)));
    assert_eq!(
        (back.execution.outcome, back.differences),
        (Outcome::Done, None)
    );
}

#[test]
fn a_dialog_is_an_effect_that_needs_no_second_look() {
    let shown = page("button \"Delete\" e1");
    let mut asks = (*shown.observation).clone();
    asks.dialog = Some(Dialog::new(DialogKind::Confirm, "Sure?"));
    let mut window = open(&click(), &shown);
    let execution = Execution {
        dialog: asks.dialog.clone(),
        ..done()
    };
    let opened = verdict(window.sent(execution, PageNow::of(asks), at(0)));
    assert_eq!(opened.execution.outcome, Outcome::Done);
    assert!(!opened.is_other_page && lines(&opened).is_empty());
}

#[test]
fn a_dragged_element_is_placed_before_and_after() {
    let board = page("button \"Card\" e1");
    let drag = action("drag_by", &json!({ "target": "e1", "x": 40, "y": 25 }));
    let place = |x| Some(Area::new(x, 10.0, 80.0, 30.0));
    let sent = |from| {
        let before = before(drag.clone(), &board, KnownNumbers::default());
        let (mut window, first) = Window::open(before);
        assert!(matches!(first, Next::Place(element) if element.as_str() == "e1"));
        assert!(matches!(window.placed(from, at(0)), Next::Send(sent) if sent == drag));
        window
    };
    for (to, outcome, told) in [
        (
            place(50.0),
            Outcome::Done,
            Some(r#"~ button "Card": moved by 40,0 to top left 50,10"#),
        ),
        (place(10.2), Outcome::NoEffect, None),
        (None, Outcome::NoEffect, None),
    ] {
        let mut window = sent(place(10.0));
        again(&window.sent(done(), board.clone(), at(100)));
        let next = window.looked(board.clone(), at(400));
        assert!(matches!(next, Next::Place(element) if element.as_str() == "e1"));
        let verdict = verdict(window.placed(to, at(500)));
        assert_eq!(verdict.execution.outcome, outcome);
        let line = lines(&verdict).into_iter().next();
        assert_eq!(line.as_deref(), told);
    }
    // Its place was not known, or it led to another page.
    let mut unknown = sent(None);
    again(&unknown.sent(done(), board.clone(), at(100)));
    let nothing = verdict(unknown.looked(board.clone(), at(400)));
    assert_eq!(nothing.execution.outcome, Outcome::NoEffect);
    let other = PageNow::of(observed("https://app.example/b", "button \"Card\" e1"));
    let led = verdict(sent(place(10.0)).sent(done(), other, at(100)));
    assert!(led.is_other_page && led.execution.outcome.is_done());
}

#[test]
fn an_action_that_led_to_the_browsers_error_page_failed_and_forgets_the_numbers() {
    let shown = page("link \"Status\" e1");
    let error = "heading \"No site\" e5\nparagraph = A_b is gone\ngeneric = ERR_X";
    let error = PageNow::of(observed(ERROR_PAGE, error));
    let led = verdict(open(&click(), &shown).sent(done(), error, at(0)));
    let expected = Some(("failed", ErrorClass::NavigationFailed));
    assert_eq!(class(&led.execution.outcome), expected);
    assert!(led.is_other_page && led.differences.is_none());
    assert_eq!(led.numbers, KnownNumbers::default());
}

#[test]
fn without_a_page_before_the_outcome_is_the_drivers() {
    let goto = action("goto", &json!({ "url": URL }));
    let before = before(goto, &page(""), KnownNumbers::default());
    let (mut window, _) = Window::open(Before {
        page: None,
        ..before
    });
    let opened = verdict(window.sent(done(), page("button \"Go\" e1"), at(0)));
    assert!(opened.is_other_page && opened.execution.outcome.is_done());
}

#[test]
fn a_page_whose_elements_live_on_under_another_address_is_the_same_page() {
    let fields =
        "heading \"New post\"\ntextbox \"Title\" e1\ntextbox \"Body\" e2\nbutton \"Save\" e3";
    let other_heading = fields.replace("New post", "Post 8");
    let redrawn = fields
        .replace("e1", "e11")
        .replace("e2", "e12")
        .replace("e3", "e13");
    let before = page(fields);
    for (content, is_other_page) in [
        (fields, false),
        (&*format!("{fields}\n\"Saved\""), false),
        (&*other_heading, true),
        (&*redrawn, true),
    ] {
        let mut window = open(&click(), &before);
        let after = PageNow::of(observed("https://app.example/posts/7", content));
        let verdict = verdict(window.sent(done(), after, at(10)));
        assert_eq!(verdict.is_other_page, is_other_page, "{content}");
    }
}
