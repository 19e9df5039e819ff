//! Parses the goal into a plan: the list of the steps to take, in order.

use super::{
    tokens::{Segment, Token, segments, tokens},
    words::{content, is_empty},
};
use crate::action::Key;

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
    /// Reports the value that the page shows for the label with these words, such as `order number`.
    Report(Vec<String>),
}

impl Step {
    /// Returns true if the step only sets a field or a box.
    pub(super) const fn enters(&self) -> bool {
        matches!(
            self,
            Self::Fill { .. } | Self::Choose { .. } | Self::Tick { .. }
        )
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Planned {
    pub step: Step,
    /// The position in the goal of the instruction that the step belongs to, counted from 1.
    pub number: usize,
    /// The form that the step belongs to: `login` or `search`. All steps of such an instruction must be done together
    /// and in order. The word also names the element to click if the page lacks the step's own element.
    pub form: Option<&'static str>,
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
    /// An instruction to click a button whose name contains the verb, such as `check out`.
    Act,
    /// The same for a button that sends a form, such as `place the order`.
    Send,
    Report,
}

const VERBS: &[(&str, Verb)] = &[
    ("log in", Verb::LogIn),
    ("search for", Verb::Search),
    ("go back", Verb::Back),
    ("go to", Verb::Open),
    ("open", Verb::Open),
    ("click", Verb::Open),
    ("press", Verb::Press),
    ("hit", Verb::Press),
    ("choose", Verb::Choose),
    ("select", Verb::Choose),
    ("fill in", Verb::Fill),
    ("set", Verb::Fill),
    ("enter", Verb::Fill),
    ("type", Verb::Fill),
    ("accept", Verb::Tick),
    ("tick", Verb::Tick),
    ("untick", Verb::Untick),
    ("add", Verb::Act),
    ("check out", Verb::Act),
    ("place", Verb::Send),
    ("submit", Verb::Send),
    ("save", Verb::Send),
    ("report", Verb::Report),
];

/// Parses a goal into the steps of a plan. Sentences that do not begin with an instruction are skipped.
pub(super) fn steps(goal: &str) -> Vec<Planned> {
    let mut clauses: Vec<(Verb, Vec<Segment>)> = Vec::new();
    let mut is_open = false;
    for mut segment in segments(tokens(goal)) {
        if let Some((verb, used)) = verb(&segment.tokens) {
            segment.tokens.drain(..used);
            clauses.push((verb, vec![segment]));
            is_open = true;
            continue;
        }
        is_open &= !segment.new_sentence;
        if let Some((_, parts)) = clauses.last_mut().filter(|_| is_open) {
            parts.push(segment);
        }
    }
    let numbered = clauses.iter().zip(1..);
    let planned = numbered.flat_map(|((verb, parts), number)| {
        let form = match verb {
            Verb::LogIn => Some("login"),
            Verb::Search => Some("search"),
            _ => None,
        };
        let steps = expand(*verb, parts).into_iter();
        steps.map(move |step| Planned { step, number, form })
    });
    planned.collect()
}

/// Returns the kind of the instruction at the start of a segment, and the number of tokens before the instruction's
/// object. A verb that belongs to a button's name is part of the object. Returns `None` if the segment does not begin
/// with a known verb.
fn verb(tokens: &[Token]) -> Option<(Verb, usize)> {
    let begins = |phrase: &str| {
        let mut words = phrase.split(' ').enumerate();
        words.all(|(at, word)| tokens.get(at).is_some_and(|token| token.is(word)))
    };
    let (phrase, verb) = VERBS.iter().find(|(phrase, _)| begins(phrase))?;
    let used = match verb {
        Verb::Act | Verb::Send => 0,
        _ => phrase.split(' ').count(),
    };
    Some((*verb, used))
}

fn expand(verb: Verb, parts: &[Segment]) -> Vec<Step> {
    let click = |name: String, submit: bool| Step::Click {
        what: content(&name),
        name,
        submit,
    };
    let fill = |field: &str, value: &str| Step::Fill {
        field: vec![field.to_owned()],
        value: value.to_owned(),
    };
    let object = || phrase(parts);
    match verb {
        Verb::LogIn => {
            let values = parts.iter().flat_map(|part| &part.tokens);
            let values = values.filter_map(Token::value);
            let fields = ["username", "password"].into_iter().zip(values);
            let fields = fields.map(|(field, value)| fill(field, value));
            fields.chain([click("log in".to_owned(), true)]).collect()
        }
        Verb::Search => vec![fill("search", &object()), click("search".to_owned(), true)],
        Verb::Open => vec![match object() {
            url if url.starts_with("http://") || url.starts_with("https://") => Step::Goto(url),
            name => click(name, false),
        }],
        Verb::Back => vec![Step::Back],
        Verb::Press => vec![match object() {
            key if Key::parse(&key).is_ok() => Step::Press(key),
            name => click(name, false),
        }],
        Verb::Choose | Verb::Fill => {
            if let Some((start, end)) = pick(parts) {
                return vec![Step::Pick { start, end }];
            }
            let fills = verb == Verb::Fill;
            let step = |(field, value)| {
                if fills {
                    Step::Fill { field, value }
                } else {
                    Step::Choose { field, value }
                }
            };
            parts.iter().flat_map(items).map(step).collect()
        }
        Verb::Tick | Verb::Untick => vec![Step::Tick {
            what: content(&object()),
            on: verb == Verb::Tick,
        }],
        Verb::Act | Verb::Send => vec![click(phrase(&parts[..1]), verb == Verb::Send)],
        Verb::Report => {
            let values = parts.iter().map(|part| content(&words(&part.tokens)));
            values.map(Step::Report).collect()
        }
    }
}

/// Returns the first literal value of an instruction (see [`Token::Value`]). If there is none, returns all words of
/// `parts`, without `the` at the beginning.
fn phrase(parts: &[Segment]) -> String {
    let mut tokens = parts.iter().flat_map(|part| &part.tokens);
    if let Some(value) = tokens.find_map(Token::value) {
        return value.to_owned();
    }
    let all: Vec<String> = parts.iter().map(|part| words(&part.tokens)).collect();
    let all = all.join(" ");
    all.strip_prefix("the ").unwrap_or(&all).to_owned()
}

fn words(tokens: &[Token]) -> String {
    let words = tokens
        .iter()
        .filter_map(|token| token.word().or_else(|| token.value()));
    words.collect::<Vec<_>>().join(" ")
}

/// Parses the fields and values of an instruction, such as `the quantity to 2`, `Berlin as city`, `-3 with the spinner`
/// or `name "A"`. Returns the words of each field's name (none if the instruction names no field), and its value.
fn items(part: &Segment) -> Vec<(Vec<String>, String)> {
    let tokens = &part.tokens;
    if tokens.iter().any(|token| token.value().is_some()) {
        return quoted_items(tokens);
    }
    let joins = |token: &Token| ["to", "as", "with"].iter().any(|word| token.is(word));
    let Some(at) = tokens.iter().position(joins) else {
        return vec![(Vec::new(), words(tokens))];
    };
    let (before, behind) = (&tokens[..at], &tokens[at + 1..]);
    let (field, value) = if tokens[at].is("to") {
        (before, behind)
    } else {
        (behind, before)
    };
    vec![(content(&words(field)), words(value))]
}

/// Returns fields with their quoted values. A field's name comes before its value; the last field's name may come after
/// it. A name may be quoted too, as in `"Your name" with "Ada"`.
fn quoted_items(tokens: &[Token]) -> Vec<(Vec<String>, String)> {
    let mut out: Vec<(Vec<String>, String)> = Vec::new();
    let mut before: Vec<&str> = Vec::new();
    let mut quoted: Option<&str> = None;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Word(word) => before.push(word),
            Token::Value(value) => {
                let field = name(&std::mem::take(&mut before));
                let next = tokens[at + 1..]
                    .iter()
                    .find(|token| !token.is("with") && !token.is("to"));
                let is_name = field.is_empty() && quoted.is_none();
                if is_name && next.is_some_and(|next| next.value().is_some()) {
                    quoted = Some(value);
                } else {
                    out.push((quoted.take().map_or(field, content), value.clone()));
                }
            }
            Token::Mark(_) => {}
        }
    }
    if let Some((field, _)) = out.last_mut().filter(|(field, _)| field.is_empty()) {
        *field = name(&before);
    }
    out
}

/// Returns the words of a field's name that help to find the field.
fn name(words: &[&str]) -> Vec<String> {
    let kept = words.iter().copied().filter(|word| !is_empty(word));
    content(&kept.collect::<Vec<_>>().join(" "))
}

/// Returns the start and the end of an item's text, from a description such as
/// `an item that starts with "Alb" and ends with "ia"`. If only the start is described, the end is empty.
fn pick(parts: &[Segment]) -> Option<(String, String)> {
    let tokens: Vec<&Token> = parts.iter().flat_map(|part| &part.tokens).collect();
    let after = |word: &str| {
        let mut threes = tokens.windows(3);
        let three = threes.find(|three| three[0].is(word) && three[1].is("with"))?;
        three[2].value().map(str::to_owned)
    };
    Some((after("starts")?, after("ends").unwrap_or_default()))
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
        steps(goal).into_iter().map(line).collect()
    }

    #[test]
    fn a_long_goal_is_read_in_order() {
        let goal = "Log in as \"anna\" with the password <secret:SHOP_PASSWORD>. Search for \"wool hat\" and open \"Wool Hat\". \
            Choose size \"M\" and colour \"Forest green\", set the quantity to 2, and add it to the cart. Check out: \
            fill in the name \"Anna Berg\", street \"Hill 1\" and postal code \"12345\", choose \"Express delivery\", accept \
            the terms and place the order. Then report the confirmation number.";
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
                "choose colour = Forest green",
                "fill quantity = 2",
                "click add cart",
                "click checkout",
                "fill name = Anna Berg",
                "fill street = Hill 1",
                "fill postal code = 12345",
                "choose  = Express delivery",
                "tick terms true",
                "click place order!",
                "report confirmation number",
            ]
        );
    }

    #[test]
    fn every_other_instruction_is_understood() {
        for (goal, plan) in [
            (
                "Enter \"hello\" into the message box, then press Enter",
                vec!["fill message = hello", "press Enter"],
            ),
            (
                "Fill in \"Your name\" with \"Ada\" and \"Card number\" with \"77\".",
                vec!["fill name = Ada", "fill card number = 77"],
            ),
            (
                "Choose \"Express\" as shipping method; submit the form",
                vec!["choose shipping method = Express", "click submit form!"],
            ),
            (
                "Go to https://a.test/b and click \"Next\"",
                vec!["goto https://a.test/b", "click next"],
            ),
            (
                "Select -3 with the spinner and hit Submit.",
                vec!["choose spinner = -3", "click submit"],
            ),
            (
                "Enter an item that starts with \"Alb\" and ends with \"ia\", submit.",
                vec!["pick Alb..ia", "click submit!"],
            ),
            (
                "Enter 4:08 AM as the time and press submit.",
                vec!["fill time = 4:08 AM", "click submit"],
            ),
            (
                "Untick newsletter, go back",
                vec!["tick newsletter false", "back"],
            ),
            (
                "Report the order number and the total. Thank you.",
                vec!["report order number", "report total"],
            ),
            ("Be nice.", vec![]),
        ] {
            assert_eq!(read(goal), plan, "{goal}");
        }
    }
}
