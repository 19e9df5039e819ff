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

/// Adds the steps of one instruction, which has this number in the goal.
fn expand(
    verb: Verb,
    parts: &[Segment],
    secrets: &[String],
    number: usize,
    out: &mut Vec<Planned>,
) {
    let (way, steps) = match verb {
        Verb::LogIn => (Some("login"), login_steps(parts, secrets)),
        Verb::Search => {
            let (field, value) = (vec!["search".to_owned()], phrase(parts));
            let steps = vec![Step::Fill { field, value }, click("search", true)];
            (Some("search"), steps)
        }
        _ => (None, plain_steps(verb, parts)),
    };
    out.extend(steps.into_iter().map(|step| Planned {
        step,
        strict: way.map(|_| number),
        way: way.map(str::to_owned).into_iter().collect(),
    }));
}

fn click(text: &str, submit: bool) -> Step {
    Step::Click {
        what: content(text),
        name: text.to_owned(),
        submit,
    }
}

fn login_steps(parts: &[Segment], secrets: &[String]) -> Vec<Step> {
    let (user, password) = login(parts, secrets);
    let fields = [("username", user), ("password", password)].into_iter();
    let fills = fields.filter_map(|(field, value)| {
        let (field, value) = (vec![field.to_owned()], value?);
        Some(Step::Fill { field, value })
    });
    fills.chain([click("log in", true)]).collect()
}

/// Returns the steps of an instruction that need not be done together.
fn plain_steps(verb: Verb, parts: &[Segment]) -> Vec<Step> {
    if let (Verb::Fill | Verb::Choose, Some((start, end))) = (verb, pick(parts)) {
        return vec![Step::Pick { start, end }];
    }
    let text = phrase(parts);
    match verb {
        Verb::Open if text.starts_with("http://") || text.starts_with("https://") => {
            vec![Step::Goto(text)]
        }
        Verb::Back => vec![Step::Back],
        Verb::Press if crate::action::Key::parse(&text).is_ok() => vec![Step::Press(text)],
        Verb::Open | Verb::Press => vec![click(&text, false)],
        Verb::Choose => {
            let choices = choices(parts).into_iter();
            let choose = choices.map(|(field, value)| Step::Choose { field, value });
            choose.collect()
        }
        Verb::Fill => {
            let fields = fields(parts).into_iter();
            let fill = fields.map(|(field, value)| Step::Fill { field, value });
            fill.collect()
        }
        Verb::Tick | Verb::Untick => {
            let (what, on) = (content(&text), verb == Verb::Tick);
            vec![Step::Tick { what, on }]
        }
        Verb::Act => {
            let text = phrase(&parts[..1]);
            let submits = ["submit", "place", "send", "save", "confirm", "complete"];
            let begins = |word: &&str| Folded::of(&text).starts_with(&Folded::of(word));
            vec![click(&text, submits.iter().any(begins))]
        }
        Verb::Report => {
            let parts = parts.iter();
            parts.map(|part| Step::Report(reported(part))).collect()
        }
        Verb::LogIn | Verb::Search | Verb::Skip => Vec::new(),
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
