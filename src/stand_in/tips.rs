//! Parses the tips in the prompt. A tip has a condition, which says when it applies, and remedies.

use super::{
    forms::Form,
    tokens::{Token, tokens},
    words::content,
};
use crate::action::{ErrorClass, Key};

/// An action that a tip suggests to avoid or repair a failure.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Remedy {
    Press(String),
    /// Clicks the element with this name, before the act that the tip is about.
    Click(String),
    /// Clicks the button that closes the dialog or other obstacle in front of the target.
    Close,
    ClickThenType,
    /// Clicks the field to open its list, then clicks the choice.
    ClickThenChoose,
    /// Clicks the field, types to open its list, then clicks the choice.
    TypeThenChoose,
    /// Uses this tool instead of the tool that fails, on the same element.
    Instead(&'static str),
    WriteAs(Form),
    Wait,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Tip {
    /// The command that the tip is about; `None` if it is about every command.
    pub command: Option<String>,
    /// The kind of failure that the tip is about; `None` if the tip names no kind.
    pub class: Option<ErrorClass>,
    /// Name of the element that the tip is about; `None` if the tip's condition quotes no name.
    pub target: Option<String>,
    /// Role and number of the element that the tip is about, for an element without a name. The first element of a role has
    /// number 1. `None` if the tip's condition gives no number.
    pub place: Option<(String, usize)>,
    /// True if the tip mentions searching.
    pub search: bool,
    pub remedies: Vec<Remedy>,
}

/// Parses the text of a tip. The condition, which says when the tip applies, comes first; the remedies follow.
///
/// The condition ends at the first colon outside quotations. If there is no such colon, the condition ends at the first
/// punctuation mark after a word such as `fails`, `if` or `before`. If there is no such mark either, the whole tip
/// counts as remedies.
pub(super) fn read(text: &str) -> Tip {
    let all = tokens(text);
    let colon = all.iter().position(|token| *token == Token::Mark(':'));
    let conditional = |token: &Token| {
        [
            "fails", "failed", "before", "covered", "blocked", "if", "when", "after", "instead",
        ]
        .iter()
        .any(|word| token.is(word))
    };
    let clause = || {
        let says = all.iter().position(conditional)?;
        all[says..]
            .iter()
            .position(|token| matches!(token, Token::Mark(_)))
            .map(|end| says + end)
    };
    let (condition, rest) = all.split_at(colon.or_else(clause).unwrap_or(0));
    let class = ErrorClass::ALL
        .iter()
        .copied()
        .find(|class| text.contains(class.sentence()) || text.contains(class.as_str()));
    Tip {
        command: condition.iter().find_map(command).map(str::to_owned),
        class,
        target: condition.iter().find_map(Token::value).map(str::to_owned),
        place: condition.windows(3).find_map(place),
        search: content(text)
            .iter()
            .any(|word| word == "search" || word == "searching"),
        remedies: remedies(rest),
    }
}

/// Parses the role and number of an element without a name, such as `textbox number 2`.
fn place(tokens: &[Token]) -> Option<(String, usize)> {
    let [role, number, count] = tokens else {
        return None;
    };
    let count = count.word().filter(|_| number.is("number"))?.parse().ok()?;
    Some((role.word()?.to_owned(), count))
}

fn command(token: &Token) -> Option<&'static str> {
    const COMMANDS: &[(&str, &str)] = &[
        ("click", "click"),
        ("clicking", "click"),
        ("fill", "fill"),
        ("filling", "fill"),
        ("type", "type"),
        ("typing", "type"),
        ("select", "select"),
        ("selecting", "select"),
        ("check", "check"),
        ("uncheck", "uncheck"),
        ("dblclick", "dblclick"),
        ("double-click", "dblclick"),
        ("hover", "hover"),
        ("press", "press"),
        ("pressing", "press"),
        ("goto", "goto"),
    ];
    COMMANDS
        .iter()
        .find(|(word, _)| token.is(word))
        .map(|(_, command)| *command)
}

fn remedies(tokens: &[Token]) -> Vec<Remedy> {
    let mut out = Vec::new();
    let typed = tokens.iter().any(|token| token.is("type"));
    let chosen = tokens.iter().any(|token| token.is("choice"));
    out.extend(
        tokens
            .iter()
            .filter_map(Token::word)
            .find_map(Form::named)
            .map(Remedy::WriteAs),
    );
    let words: Vec<&Token> = tokens.iter().filter(|token| !token.is("over")).collect();
    let instead = words
        .windows(3)
        .find(|words| words[1].is("it") && words[2].is("instead"));
    if let Some(tool) = instead.and_then(|words| command(words[0])) {
        out.push(Remedy::Instead(tool));
        return out;
    }
    if chosen && tokens.iter().any(|token| token.is("click")) {
        out.push(if typed {
            Remedy::TypeThenChoose
        } else {
            Remedy::ClickThenChoose
        });
        return out;
    }
    for (at, token) in tokens.iter().enumerate() {
        let rest = &tokens[at + 1..];
        let sentence = rest
            .iter()
            .take_while(|token| !matches!(token, Token::Mark('.' | ';' | ':')));
        if token.is("press") {
            let key = sentence.clone().take(2).find_map(|token| {
                let name = token.word().or_else(|| token.value())?;
                // A lower-case word such as `to` is not a key.
                let key =
                    name.chars().next().is_some_and(char::is_uppercase) && Key::parse(name).is_ok();
                key.then(|| name.to_owned())
            });
            out.extend(key.map(Remedy::Press));
        } else if ["click", "accept", "close", "dismiss"]
            .iter()
            .any(|word| token.is(word))
        {
            // The name may follow other words: `click on the button "OK"`.
            match sentence.take(5).find_map(Token::value) {
                Some(name) => out.push(Remedy::Click(name.to_owned())),
                None if rest.iter().any(|token| token.is("closes")) => out.push(Remedy::Close),
                None if typed && token.is("click") => out.push(Remedy::ClickThenType),
                None => {}
            }
        } else if token.is("wait") {
            out.push(Remedy::Wait);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_sentences_are_understood() {
        let overlay =
            "If click fails because another element covers the target: first press Escape.";
        let tip = read(overlay);
        assert_eq!(
            (tip.command.as_deref(), tip.class),
            (Some("click"), Some(ErrorClass::Intercepted))
        );
        assert_eq!(tip.remedies, [Remedy::Press("Escape".to_owned())]);
        let close = "If click fails because another element covers the target: first click the button that closes what covers it.";
        assert_eq!(read(close).remedies, [Remedy::Close]);
        let fill = "If fill fails because the target is not an editable field: click it, then type the text.";
        assert_eq!(
            (read(fill).command.as_deref(), read(fill).remedies),
            (Some("fill"), vec![Remedy::ClickThenType])
        );
        let search = "After filling a search box, press Enter, not its button.";
        let tip = read(search);
        assert_eq!(
            (tip.search, tip.remedies),
            (true, vec![Remedy::Press("Enter".to_owned())])
        );
    }

    #[test]
    fn ways_round_a_control_are_understood() {
        let date = "fill on textbox number 2 fails because the field does not accept a value of this form: write the \
            date as YYYY-MM-DD.";
        let tip = read(date);
        assert_eq!(
            (tip.place, tip.target),
            (Some(("textbox".to_owned(), 2)), None)
        );
        assert_eq!(tip.remedies, [Remedy::WriteAs(Form::Date)]);
        let on = "select on textbox \"Tags:\" fails because the target is not the kind of element this tool works on: ";
        for (what, remedy) in [
            (
                "click it to open its list, then click the choice.",
                Remedy::ClickThenChoose,
            ),
            (
                "click it, type the text to open its list, then click the choice.",
                Remedy::TypeThenChoose,
            ),
            ("fill it instead.", Remedy::Instead("fill")),
            ("hover over it instead.", Remedy::Instead("hover")),
            ("click it, then type the text.", Remedy::ClickThenType),
        ] {
            let tip = read(&format!("{on}{what}"));
            assert_eq!(
                (tip.command.as_deref(), tip.target.as_deref()),
                (Some("select"), Some("Tags:"))
            );
            assert_eq!(tip.remedies, [remedy]);
        }
    }

    #[test]
    fn what_a_site_taught_names_its_targets() {
        let tip = read(
            "click on button \"Go\" fails because another element covers the target: click button \"Accept all\" first",
        );
        assert_eq!(
            (tip.command.as_deref(), tip.target.as_deref()),
            (Some("click"), Some("Go"))
        );
        assert_eq!(tip.remedies, [Remedy::Click("Accept all".to_owned())]);
        let tip = read("Before clicking \"Search\", press Enter.");
        assert_eq!(
            (tip.target.as_deref(), tip.remedies),
            (Some("Search"), vec![Remedy::Press("Enter".to_owned())])
        );
        assert_eq!(
            read("Click \"Got it\" first.").remedies,
            [Remedy::Click("Got it".to_owned())]
        );
        assert_eq!(read("The search takes 3 seconds.").remedies, []);
    }
}
