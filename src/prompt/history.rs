//! Writes the lines in which a message reports the earlier steps of the run.

use std::fmt::Write as _;

use url::{Position, Url};

use super::{action::for_model, fence::quoted, page::without_empty};
use crate::{
    action::{Action, AgentAction, BrowserAction, Outcome},
    page::{PageAddress, PageDiff},
    working::{Earlier, Place, Step, Visited},
};

/// Maximum length of a page's title, its path, or the text with which it answered. Unit: characters. Source: chosen.
const MAX_NAME: usize = 60;
/// Maximum length of the address to which a step led, in the line about this step. Unit: characters. Source: chosen.
const MAX_ADDRESS: usize = 80;
/// Maximum length of what came of a recipe, in the line about the call. Unit: characters.
const MAX_FOLLOWED: usize = 200;
/// Maximum length of the address in a line about an earlier page. Unit: characters. Source: chosen; higher than
/// [`MAX_ADDRESS`], because the model may open the address, which it cannot if the address is cut.
const MAX_URL: usize = 300;
/// Maximum number of the model's thoughts that a message shows; the latest are shown. Source: chosen; older thoughts are
/// about pages that are gone.
const THOUGHTS: usize = 3;
/// Maximum length of a thought of the model in a message. Unit: characters. Source: chosen; enough for two sentences.
const MAX_THOUGHT: usize = 200;

/// Returns the line about a step, such as `3. fill searchbox "Search" "padel"`. An outcome other than `done` is added,
/// and then the page that the step led to, except for `goto`. If a step that is done led to no other page, the text
/// with which the page answered is added instead. The section with the changes does not show that text for long: it
/// reports only the last reply's calls.
pub(super) fn history_line(step: &Step) -> String {
    let mut line = format!("{}. {}", step.number, for_model(step));
    outcome(&mut line, &step.outcome);
    if let (Action::Agent(AgentAction::Follow(_)), Some(did)) = (&step.action, &step.gave) {
        let _ = write!(line, " -> {}", quoted(did, MAX_FOLLOWED));
    }
    if let (Some(place), false) = (step.led_to(), is_goto(step)) {
        let is_routed = step.changes.as_ref().is_some_and(PageDiff::is_routed);
        line.push_str(&led_to(place, &step.before, is_routed));
        if let Some(message) = &step.gave {
            let _ = write!(line, ": {}", quoted(message, MAX_NAME));
        }
    } else if step.outcome == Outcome::Done
        && let Some(answer) = step.changes.as_ref().and_then(answer_to(&step.action))
    {
        let _ = write!(line, " -> shows {}", quoted(answer, MAX_NAME));
    }
    line
}

/// Returns the thoughts of the last [`THOUGHTS`] steps that have one, as lines such as `3: "The cheapest is on the next
/// page."`, oldest first. The number is that of the step.
pub(super) fn thought_lines<'s>(steps: impl DoubleEndedIterator<Item = &'s Step>) -> Vec<String> {
    let said = steps.rev().filter_map(|step| {
        let thought = step.thought.as_deref()?;
        Some(format!("{}: {}", step.number, quoted(thought, MAX_THOUGHT)))
    });
    let mut lines: Vec<String> = said.take(THOUGHTS).collect();
    lines.reverse();
    lines
}

/// Returns what of the page's changes answers an action. What appears beside a field that is filled in is no answer, such as a
/// calendar.
fn answer_to(action: &Action) -> fn(&PageDiff) -> Option<&str> {
    match action {
        Action::Browser(
            BrowserAction::Fill(_)
            | BrowserAction::Type(_)
            | BrowserAction::Select(_)
            | BrowserAction::Check(_)
            | BrowserAction::Uncheck(_),
        ) => PageDiff::sentence,
        _ => PageDiff::answer,
    }
}

fn is_goto(step: &Step) -> bool {
    matches!(step.action, Action::Browser(BrowserAction::Goto(_)))
}

/// Returns the end of the line about a step that led from the page `before` to `place`. `is_routed` is
/// [`PageDiff::is_routed`].
fn led_to(place: &Place, before: &Place, is_routed: bool) -> String {
    let [there, here] = [place, before].map(|place| PageAddress::new(place.url()));
    if is_routed || !there.is_same_page(&here) {
        return format!(" -> page {}", address(place, before));
    }
    let position = place.url().find('#').map(|at| &place.url()[at..]);
    let position = position.map(|position| format!(" at {}", quoted(position, MAX_ADDRESS)));
    format!(" -> same page{}", position.unwrap_or_default())
}

/// Returns the address of the page `place` for the line about a step. The address begins with the path if the page `before`
/// has the same host.
fn address(place: &Place, before: &Place) -> String {
    let url = place.url();
    let is_same_host = place.host().is_some() && place.host() == before.host();
    let path = Url::parse(url).ok().filter(|_| is_same_host);
    let path = path.map(|url| url[Position::BeforePath..].to_owned());
    let (short, _) = without_empty(path.as_deref().unwrap_or(url));
    quoted(&short, MAX_ADDRESS)
}

/// Returns a line for each of the pages in [`Earlier::pages`]. A line has the page's address and title, and the number
/// of visits if there were several. The page that the run left last comes last.
pub(super) fn page_lines(earlier: &Earlier<'_>) -> Vec<String> {
    let pages = earlier.pages.iter();
    let line = |page: &Visited<'_>| {
        let mut line = quoted(page.url, MAX_URL);
        if !page.title.is_empty() {
            let _ = write!(line, " {}", quoted(page.title, MAX_NAME));
        }
        if page.visits > 1 {
            let _ = write!(line, " ({} visits)", page.visits);
        }
        line
    };
    pages.map(line).collect()
}

/// Returns lines about the steps that the message no longer shows one by one, such as `12 fill on "/issue/:n"` for twelve
/// `fill` steps on pages of one kind.
pub(super) fn earlier_lines(earlier: &Earlier<'_>) -> Vec<String> {
    let groups = earlier.groups.iter().map(|group| {
        let mut line = format!("{} {}", group.count, group.first.action.tool_name());
        if let Some(page) = group.page {
            let _ = write!(line, " on {}", quoted(page.path(), MAX_NAME));
        }
        outcome(&mut line, &group.first.outcome);
        line
    });
    let others = (earlier.others > 0).then(|| format!("{} others", earlier.others));
    groups.chain(others).collect()
}

/// Appends the outcome of a step to the line about the step, unless the outcome is `done`.
fn outcome(line: &mut String, outcome: &Outcome) {
    if *outcome != Outcome::Done {
        let failed = if matches!(outcome, Outcome::Failed(_)) {
            "failed "
        } else {
            ""
        };
        let _ = write!(line, " -> {failed}{}", outcome.as_str());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        action::{
            AgentAction, Click, ClickXy, DragXy, ErrorClass, Fill, NoArguments, Note, Signature,
            Target, Wait,
        },
        page::{Appearance, Change, Role, TargetIdentity},
        working::WorkingMemory,
    };

    #[test]
    fn a_line_of_the_history_names_target_value_and_flags() {
        let filled = |target: TargetIdentity, submit: bool| {
            let fill = Fill {
                target: Target::parse("e1").unwrap(),
                text: "ada".into(),
                submit,
            };
            let action = Action::Browser(BrowserAction::Fill(fill));
            let targets = vec![target];
            let signature = Signature::of(&action, &targets, "");
            let mut step = Step::new(1, action, Outcome::Done, signature);
            step.targets = targets;
            history_line(&step)
        };
        let line = |target: TargetIdentity| filled(target, false);
        let mut field = TargetIdentity::new(Role::TextBox, "");
        assert_eq!(line(field.clone()), r#"1. fill 1st textbox "ada""#);
        field.ancestors = vec!["Login".to_owned(), "Shop".to_owned()];
        assert_eq!(
            line(field.clone()),
            r#"1. fill 1st textbox in "Login" "ada""#
        );
        field.appearance = Some(Appearance::Beside("Your name".to_owned()));
        assert_eq!(
            line(field.clone()),
            r#"1. fill 1st textbox beside "Your name" "ada""#
        );
        field.label = Some("User".to_owned());
        assert_eq!(line(field.clone()), r#"1. fill textbox "User" "ada""#);
        field.name = "Login".to_owned();
        assert_eq!(line(field.clone()), r#"1. fill textbox "Login" "ada""#);
        assert_eq!(
            filled(field, true),
            r#"1. fill textbox "Login" "ada" submit"#
        );
    }

    #[test]
    fn a_reference_that_was_not_on_the_page_is_left_out_and_words_are_kept() {
        let line = |target: &str| {
            let click = Click {
                target: Target::parse(target).unwrap(),
                button: None,
            };
            let action = Action::Browser(BrowserAction::Click(click));
            let signature = Signature::of(&action, &[], "");
            let failed = Outcome::failed(ErrorClass::RefNotFound, "");
            history_line(&Step::new(2, action, failed, signature))
        };
        assert_eq!(line("e99"), "2. click -> failed ref_not_found");
        assert!(line("text=Reply").contains("Reply"));
    }

    #[test]
    fn the_last_three_thoughts_are_told_with_their_steps() {
        let step = |number: u32, thought: Option<&str>| {
            let action = Action::Browser(BrowserAction::Reload(NoArguments {}));
            let signature = Signature::of(&action, &[], "");
            let mut step = Step::new(number, action, Outcome::Done, signature);
            step.thought = thought.map(str::to_owned);
            step
        };
        let long = "Boat ".repeat(100);
        let thoughts = [
            Some("first"),
            Some("second"),
            None,
            Some("third"),
            Some(&long),
        ];
        let steps: Vec<Step> = (1..).zip(thoughts).map(|(n, said)| step(n, said)).collect();
        let lines = thought_lines(steps.iter());
        assert_eq!(lines[..2], [r#"2: "second""#, r#"4: "third""#]);
        assert!(lines[2].starts_with("5: \"Boat Boat"), "{lines:?}");
        let shown = lines[2].chars().count();
        assert!((MAX_THOUGHT..MAX_THOUGHT + 10).contains(&shown), "{shown}");
    }

    #[test]
    fn a_note_is_not_told_twice() {
        let note = Note {
            text: "the third is cheapest".to_owned(),
        };
        let action = Action::Agent(AgentAction::Note(note));
        let signature = Signature::of(&action, &[], "");
        let step = Step::new(1, action, Outcome::Done, signature);
        assert_eq!(history_line(&step), "1. note");
    }

    #[test]
    fn a_wait_says_whether_its_text_was_to_come_or_to_go() {
        let line = |text: Option<&str>, gone: Option<&str>| {
            let wait = Wait {
                text: text.map(str::to_owned),
                gone: gone.map(str::to_owned),
                seconds: None,
            };
            let action = Action::Browser(BrowserAction::Wait(wait));
            let signature = Signature::of(&action, &[], "");
            history_line(&Step::new(2, action, Outcome::Done, signature))
        };
        assert_eq!(line(Some("Ready"), None), r#"2. wait "Ready""#);
        assert_eq!(line(None, Some("Ready")), r#"2. wait {"gone":"Ready"}"#);
    }

    #[test]
    fn a_line_tells_the_page_that_a_step_led_to() {
        let line = |before: &str, after: &str| {
            let action = Action::Browser(BrowserAction::Reload(NoArguments {}));
            let signature = Signature::of(&action, &[], "");
            let mut step = Step::new(2, action, Outcome::Done, signature);
            (step.before, step.after) = (Place::of(before), Place::of(after));
            history_line(&step)
        };
        let on = "https://a.test/x";
        assert_eq!(line(on, on), "2. reload");
        assert_eq!(
            line(on, "https://a.test/y?z=1#w"),
            r#"2. reload -> page "/y?z=1#w""#
        );
        // The address of one page, at another position.
        assert_eq!(
            line(on, "https://a.test/x#w"),
            r##"2. reload -> same page at "#w""##
        );
        assert_eq!(line("https://a.test/x#w", on), "2. reload -> same page");
        let mut routed = PageDiff::default();
        (routed.url, routed.title) = (Some(on.to_owned()), Some("Cart".to_owned()));
        assert_eq!(
            led_to(
                &Place::of("https://a.test/x#cart"),
                &Place::of(on),
                routed.is_routed()
            ),
            r#" -> page "/x#cart""#
        );
        assert_eq!(
            line(on, "https://a.test/x#/w"),
            r#"2. reload -> page "/x#/w""#
        );
        for other in ["https://b.test/y", "http://a.test:81/y", "about:blank"] {
            assert_eq!(line(on, other), format!("2. reload -> page \"{other}\""));
        }
    }

    #[test]
    fn a_line_tells_the_text_with_which_the_page_answered() {
        let answered = |added: &[(Role, &str)]| {
            let changes = PageDiff {
                added: added
                    .iter()
                    .map(|(role, label)| Change {
                        role: role.clone(),
                        label: (*label).to_owned(),
                        what: Vec::new(),
                        reference: None,
                        acts: true,
                    })
                    .collect(),
                ..PageDiff::default()
            };
            let action = Action::Browser(BrowserAction::Reload(NoArguments {}));
            let signature = Signature::of(&action, &[], "");
            let mut step = Step::new(2, action, Outcome::Done, signature);
            step.changes = Some(changes);
            history_line(&step)
        };
        assert_eq!(answered(&[]), "2. reload");
        assert_eq!(
            answered(&[(Role::Button, "Go"), (Role::Generic, "")]),
            "2. reload"
        );
        assert_eq!(
            answered(&[(Role::Button, "Go"), (Role::Generic, "WARM")]),
            r#"2. reload -> shows "WARM""#
        );
        assert_eq!(
            answered(&[
                (Role::Heading, "Basket"),
                (Role::Text, "It is lower than 5."),
                (Role::Alert, "Too\nhigh"),
            ]),
            r#"2. reload -> shows "Too high""#
        );
    }

    #[test]
    fn points_are_told_with_what_they_are_counted_from() {
        let line = |action: BrowserAction, targets: Vec<TargetIdentity>| {
            let action = Action::Browser(action);
            let signature = Signature::of(&action, &targets, "");
            let mut step = Step::new(2, action, Outcome::Done, signature);
            step.targets = targets;
            history_line(&step)
        };
        let page = || Target::parse("css=\"html\"").ok();
        let click = |target| {
            BrowserAction::ClickXy(ClickXy {
                x: 78,
                y: 63,
                double: true,
                target,
            })
        };
        let board = TargetIdentity::new(Role::Img, "Board");
        assert_eq!(
            line(click(Target::parse("e4").ok()), vec![board]),
            r#"2. click_xy img "Board" at 78,63 of it double"#
        );
        let mut drawing = TargetIdentity::new(Role::Img, "");
        let look = "152x112 top left 2,52: circle #800080 8x8 top left 32,109";
        drawing.appearance = Some(Appearance::Look(look.to_owned()));
        assert_eq!(
            line(click(Target::parse("e4").ok()), vec![drawing]),
            r#"2. click_xy img look "152x112 top left 2,52" at 78,63 of it double"#
        );
        assert_eq!(
            line(click(page()), Vec::new()),
            "2. click_xy at 78,63 double"
        );
        let drag = BrowserAction::DragXy(DragXy {
            x: 250,
            y: 120,
            to_x: 40,
            to_y: 85,
            via: Vec::new(),
            target: page(),
        });
        assert_eq!(
            line(drag.clone(), Vec::new()),
            "2. drag_xy from 250,120 to 40,85"
        );
        let BrowserAction::DragXy(mut bent) = drag else {
            panic!("a drag");
        };
        for (count, told) in [(1, "over 0,1"), (5, "over 0,1 1,1 2,1 3,1 ...")] {
            bent.via = (0..count).map(|x| [x, 1]).collect();
            let bent = BrowserAction::DragXy(bent.clone());
            let told = format!("2. drag_xy from 250,120 {told} to 40,85");
            assert_eq!(line(bent, Vec::new()), told);
        }
    }

    #[test]
    fn earlier_steps_are_counted_by_tool_page_and_outcome() {
        let steps: Vec<Step> = (1..=60)
            .map(|number| {
                let action = Action::Browser(BrowserAction::Reload(NoArguments {}));
                let signature = Signature::of(&action, &[], "");
                let outcome = if number == 3 {
                    Outcome::failed(ErrorClass::Timeout, "late")
                } else {
                    Outcome::Done
                };
                let mut step = Step::new(number, action, outcome, signature);
                step.before = Place::of(format!("https://a.test/item/{number}"));
                if number == 2 {
                    step.effect = crate::action::Effect::Irreversible;
                }
                step
            })
            .collect();
        let mut memory = WorkingMemory::default();
        for step in steps {
            memory.record(step);
        }
        let earlier = memory.history().earlier();
        assert_eq!(history_line(earlier.lasting[0]), "2. reload");
        assert_eq!(
            earlier_lines(&earlier),
            [
                r#"8 reload on "/item/:n""#,
                r#"1 reload on "/item/:n" -> failed timeout"#
            ]
        );
        // The run began on this page, and no step of this test led to another one.
        assert_eq!(page_lines(&earlier), [r#""https://a.test/item/1""#]);
    }
}
