//! Parses the goal into a plan: the list of the steps to take, in order.

use super::{
    items::{choices, fields, login, phrase, pick, reported},
    tokens::{Segment, Token, segments, tokens},
    words::content,
};
use crate::base::text::Folded;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    Goto(String),
    Back,
    Press(String),
    /// Puts the value into the field whose name has these words.
    Fill {
        field: Vec<String>,
        value: String,
    },
    /// Chooses an option or a radio button in the field whose name has these words.
    Choose {
        field: Vec<String>,
        value: String,
    },
    /// Chooses the list item that begins with `start` and ends with `end`.
    Pick {
        start: String,
        end: String,
    },
    /// Ticks or unticks the box whose label has these words.
    Tick {
        what: Vec<String>,
        on: bool,
    },
    /// Clicks the element with this name. If `submit` is true, the element must be a button.
    Click {
        what: Vec<String>,
        name: String,
        submit: bool,
    },
    /// Reports the value that the page shows for the label or table column with these words, such as `order number`.
    Report(Vec<String>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Planned {
    pub step: Step,
    /// The position in the goal of the instruction that the step belongs to, counted from 1. Set only if all steps of
    /// this instruction must be done together and in order, as for a login.
    pub strict: Option<usize>,
    /// Words of an element to click if the page lacks the step's own element. Example: `login` for the fields of a
    /// login form. Empty if no such element is known.
    pub way: Vec<String>,
}

/// The kind of an instruction, given by its verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    LogIn,
    Search,
    Open,
    Back,
    Press,
    Choose,
    Fill,
    Tick,
    Untick,
    /// An instruction to click a button whose name contains the verb, such as `log out`.
    Act,
    Report,
    /// Words that begin like an instruction but ask for nothing, such as `make sure`.
    Skip,
}

const VERBS: &[(&[&str], Verb)] = &[
    (&["log", "in"], Verb::LogIn),
    (&["login"], Verb::LogIn),
    (&["sign", "in"], Verb::LogIn),
    (&["log", "out"], Verb::Act),
    (&["sign", "out"], Verb::Act),
    (&["sign", "up"], Verb::Act),
    (&["search", "for"], Verb::Search),
    (&["search"], Verb::Search),
    (&["look", "for"], Verb::Search),
    (&["find", "out"], Verb::Report),
    (&["find"], Verb::Search),
    (&["go", "back"], Verb::Back),
    (&["go", "to"], Verb::Open),
    (&["open"], Verb::Open),
    (&["visit"], Verb::Open),
    (&["follow"], Verb::Open),
    (&["click", "on"], Verb::Open),
    (&["click"], Verb::Open),
    (&["press"], Verb::Press),
    (&["hit"], Verb::Press),
    (&["choose"], Verb::Choose),
    (&["select"], Verb::Choose),
    (&["pick"], Verb::Choose),
    (&["fill", "in"], Verb::Fill),
    (&["fill", "out"], Verb::Fill),
    (&["fill"], Verb::Fill),
    (&["set"], Verb::Fill),
    (&["change"], Verb::Fill),
    (&["enter"], Verb::Fill),
    (&["type"], Verb::Fill),
    (&["write"], Verb::Fill),
    (&["check", "out"], Verb::Act),
    (&["check", "that"], Verb::Skip),
    (&["check", "whether"], Verb::Skip),
    (&["check"], Verb::Tick),
    (&["tick"], Verb::Tick),
    (&["accept"], Verb::Tick),
    (&["agree", "to"], Verb::Tick),
    (&["untick"], Verb::Untick),
    (&["uncheck"], Verb::Untick),
    (&["add"], Verb::Act),
    (&["put"], Verb::Act),
    (&["submit"], Verb::Act),
    (&["place"], Verb::Act),
    (&["send"], Verb::Act),
    (&["save"], Verb::Act),
    (&["continue"], Verb::Act),
    (&["proceed"], Verb::Act),
    (&["confirm"], Verb::Act),
    (&["complete"], Verb::Act),
    (&["remove"], Verb::Act),
    (&["delete"], Verb::Act),
    (&["create"], Verb::Act),
    (&["apply"], Verb::Act),
    (&["close"], Verb::Act),
    (&["report"], Verb::Report),
    (&["tell", "me"], Verb::Report),
    (&["tell"], Verb::Report),
    (&["return"], Verb::Report),
    (&["give", "me"], Verb::Report),
    (&["say"], Verb::Report),
    (&["read"], Verb::Report),
    (&["note"], Verb::Report),
    (&["what", "is"], Verb::Report),
    (&["what", "are"], Verb::Report),
    (&["wait"], Verb::Skip),
    (&["make", "sure"], Verb::Skip),
    (&["do", "not"], Verb::Skip),
    (&["don't"], Verb::Skip),
];

/// Parses a goal into the steps of a plan. Text that is not an instruction is skipped. `secrets` contains the placeholders
/// of the run's secrets.
pub(super) fn steps(goal: &str, secrets: &[String]) -> Vec<Planned> {
    let mut out = Vec::new();
    let mut clause: Option<(Verb, Vec<Segment>)> = None;
    let mut number = 0;
    let finish = |clause: Option<(Verb, Vec<Segment>)>, out: &mut Vec<Planned>, number: usize| {
        if let Some((verb, parts)) = clause {
            expand(verb, &parts, secrets, number, out);
        }
    };
    for mut segment in segments(tokens(goal)) {
        if let Some((verb, used)) = verb(&segment.tokens) {
            finish(clause.take(), &mut out, number);
            number += 1;
            segment.tokens.drain(..used);
            clause = Some((verb, vec![segment]));
        } else if segment.new_sentence {
            finish(clause.take(), &mut out, number);
        } else if let Some((_, parts)) = &mut clause {
            parts.push(segment);
        }
    }
    finish(clause, &mut out, number);
    out
}

/// Returns the kind of the instruction at the start of a segment, and the number of tokens before the instruction's
/// object. The verb of [`Verb::Act`] is not counted, because it belongs to the button's name. Returns `None` if the
/// segment does not begin with a known verb.
fn verb(tokens: &[Token]) -> Option<(Verb, usize)> {
    let begins = |words: &[&str]| {
        tokens.len() >= words.len() && words.iter().zip(tokens).all(|(word, token)| token.is(word))
    };
    let polite = tokens
        .iter()
        .take_while(|token| token.is("to") || token.is("you") || token.is("i"))
        .count();
    if polite > 0 {
        return verb(&tokens[polite..]).map(|(verb, used)| {
            (
                verb,
                if verb == Verb::Act {
                    polite
                } else {
                    used + polite
                },
            )
        });
    }
    let (words, verb) = VERBS.iter().find(|(words, _)| begins(words))?;
    Some((*verb, if *verb == Verb::Act { 0 } else { words.len() }))
}

fn expand(
    verb: Verb,
    parts: &[Segment],
    secrets: &[String],
    number: usize,
    out: &mut Vec<Planned>,
) {
    let mut plan = |step: Step, strict: bool, way: &[&str]| {
        let way = way.iter().map(|word| (*word).to_owned()).collect();
        out.push(Planned {
            step,
            strict: strict.then_some(number),
            way,
        });
    };
    let click = |text: &str, submit: bool| Step::Click {
        what: content(text),
        name: text.to_owned(),
        submit,
    };
    if let (Verb::Fill | Verb::Choose, Some((start, end))) = (verb, pick(parts)) {
        return plan(Step::Pick { start, end }, false, &[]);
    }
    match verb {
        Verb::LogIn => {
            let (user, password) = login(parts, secrets);
            for (field, value) in [("username", user), ("password", password)] {
                if let Some(value) = value {
                    plan(
                        Step::Fill {
                            field: vec![field.to_owned()],
                            value,
                        },
                        true,
                        &["login"],
                    );
                }
            }
            plan(click("log in", true), true, &["login"]);
        }
        Verb::Search => {
            let value = phrase(parts);
            plan(
                Step::Fill {
                    field: vec!["search".to_owned()],
                    value,
                },
                true,
                &["search"],
            );
            plan(click("search", true), true, &["search"]);
        }
        Verb::Open => {
            let text = phrase(parts);
            let address = text.starts_with("http://") || text.starts_with("https://");
            plan(
                if address {
                    Step::Goto(text)
                } else {
                    click(&text, false)
                },
                false,
                &[],
            );
        }
        Verb::Back => plan(Step::Back, false, &[]),
        Verb::Press => {
            let text = phrase(parts);
            let step = match crate::action::Key::parse(&text) {
                Ok(_) => Step::Press(text),
                Err(_) => click(&text, false),
            };
            plan(step, false, &[]);
        }
        Verb::Choose => {
            for (field, value) in choices(parts) {
                plan(Step::Choose { field, value }, false, &[]);
            }
        }
        Verb::Fill => {
            for (field, value) in fields(parts) {
                plan(Step::Fill { field, value }, false, &[]);
            }
        }
        Verb::Tick | Verb::Untick => {
            plan(
                Step::Tick {
                    what: content(&phrase(parts)),
                    on: verb == Verb::Tick,
                },
                false,
                &[],
            );
        }
        Verb::Act => {
            let text = phrase(&parts[..1]);
            let submit = ["submit", "place", "send", "save", "confirm", "complete"];
            plan(
                click(
                    &text,
                    submit
                        .iter()
                        .any(|word| Folded::of(&text).starts_with(&Folded::of(word))),
                ),
                false,
                &[],
            );
        }
        Verb::Report => {
            for part in parts {
                plan(Step::Report(reported(part)), false, &[]);
            }
        }
        Verb::Skip => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(goal: &str) -> Vec<String> {
        let words = |words: Vec<String>| words.join(" ");
        let line = |planned: Planned| match planned.step {
            Step::Goto(url) => format!("goto {url}"),
            Step::Back => "back".to_owned(),
            Step::Press(key) => format!("press {key}"),
            Step::Fill { field, value } => format!("fill {} = {value}", words(field)),
            Step::Choose { field, value } => format!("choose {} = {value}", words(field)),
            Step::Pick { start, end } => format!("pick {start}..{end}"),
            Step::Tick { what, on } => format!("tick {} {on}", words(what)),
            Step::Click { what, submit, .. } => {
                format!("click {}{}", words(what), if submit { "!" } else { "" })
            }
            Step::Report(what) => format!("report {}", words(what)),
        };
        steps(goal, &["<secret:SHOP_PASSWORD>".to_owned()])
            .into_iter()
            .map(line)
            .collect()
    }

    #[test]
    fn a_long_goal_is_read_in_order() {
        let goal = "Log in as \"anna\" with the password <secret:SHOP_PASSWORD>. Search for \"wool hat\" and open \"Wool Hat\". \
            Choose size \"M\" and colour \"Forest green\", set the quantity to 2, and add it to the cart. Go to the checkout, \
            fill in the name \"Anna Berg\", street \"Hill 1\" and postal code \"12345\", choose \"Express delivery\", accept \
            the terms and place the order. Finally report the confirmation number.";
        assert_eq!(
            read(goal),
            [
                "fill username = anna",
                "fill password = <secret:SHOP_PASSWORD>",
                "click login!",
                "fill search = wool hat",
                "click search!",
                "click wool hat",
                "choose size = M",
                "choose color = Forest green",
                "fill quantity = 2",
                "click add cart",
                "click checkout",
                "fill name = Anna Berg",
                "fill street = Hill 1",
                "fill postcode = 12345",
                "choose  = Express delivery",
                "tick term true",
                "click place order!",
                "report confirmation number",
            ]
        );
    }

    #[test]
    fn other_ways_to_say_it_are_understood() {
        assert_eq!(read("I want you to sign in as bob"), Vec::<String>::new());
        assert_eq!(
            read("Sign in as bob."),
            [
                "fill username = bob",
                "fill password = <secret:SHOP_PASSWORD>",
                "click login!"
            ]
        );
        assert_eq!(
            read("type 'hello' into the message box, then press Enter"),
            ["fill message = hello", "press Enter"]
        );
        assert_eq!(
            read("Fill in \"Your name\" \"Ada\" and \"Card number\" with \"77\"."),
            ["fill name = Ada", "fill card number = 77"]
        );
        assert_eq!(
            read("enter Berlin as city; submit the form"),
            ["fill city = Berlin", "click submit form!"]
        );
        assert_eq!(
            read("select Express delivery as shipping method"),
            ["choose shipping method = Express delivery"]
        );
        assert_eq!(
            read("Go to https://a.test/b and click on Next"),
            ["goto https://a.test/b", "click next"]
        );
        assert_eq!(
            read("Select -3 with the spinner and hit Submit."),
            ["choose spinner = -3", "click submit"]
        );
        assert_eq!(
            read("Enter an item that starts with \"Alb\" and ends with \"ia\", then submit."),
            ["pick Alb..ia", "click submit!"]
        );
        assert_eq!(
            read("Enter 4:08 AM as the time and press submit."),
            ["fill time = 4:08 AM", "click submit"]
        );
        assert_eq!(
            read("search for salt and pepper"),
            ["fill search = salt and pepper", "click search!"]
        );
        assert_eq!(read("What is the total price?"), ["report total price"]);
        assert_eq!(
            read("uncheck newsletter, go back"),
            ["tick newsletter false", "back"]
        );
        assert_eq!(
            read("Tell me the order number and the total"),
            ["report order number", "report total"]
        );
    }
}
