//! Parses the tips in the prompt. A tip has a condition, which says when it applies, and remedies.

use super::{
    forms::Form,
    tokens::{Token, tokens},
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
    /// Fills the element instead of using the tool that fails on it.
    Fill,
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
    /// True if the tip is about every search box.
    pub search: bool,
    pub remedies: Vec<Remedy>,
}

/// Parses the text of a tip. The condition, which says when the tip applies, ends at the first colon outside quotations.
/// The remedies follow. If there is no colon, the whole tip counts as remedies.
pub(super) fn read(text: &str) -> Tip {
    let all = tokens(text);
    let colon = all.iter().position(|token| *token == Token::Mark(':'));
    let (condition, rest) = all.split_at(colon.unwrap_or(0));
    let mut classes = ErrorClass::ALL.iter().copied();
    Tip {
        command: condition.iter().find_map(command),
        class: classes.find(|class| text.contains(class.sentence())),
        target: condition.iter().find_map(Token::value).map(str::to_owned),
        place: condition.windows(3).find_map(place),
        search: text.starts_with("After filling a search box"),
        remedies: remedies(text, rest),
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

fn command(token: &Token) -> Option<String> {
    let commands = ["click", "fill", "type", "select", "check"];
    let word = token.word().filter(|word| commands.contains(word))?;
    Some(word.to_owned())
}

/// Remedies that name no element and no key, and words by which to know them, the most particular first.
const FIXED: &[(&str, Remedy)] = &[
    ("type the text to open its list", Remedy::TypeThenChoose),
    ("then click the choice", Remedy::ClickThenChoose),
    ("then type the text", Remedy::ClickThenType),
    ("as YYYY-MM-DD", Remedy::WriteAs(Form::Date)),
    ("as HH:MM", Remedy::WriteAs(Form::Time)),
    ("fill it instead", Remedy::Fill),
    ("closes what covers it", Remedy::Close),
];

/// Parses the remedies in a tip; `tokens` are those after its condition.
fn remedies(text: &str, tokens: &[Token]) -> Vec<Remedy> {
    if let Some((_, fixed)) = FIXED.iter().find(|(words, _)| text.contains(words)) {
        return vec![fixed.clone()];
    }
    let remedy = |(at, token): (usize, &Token)| {
        let mut rest = tokens[at + 1..].iter();
        if token.is("press") {
            let key = rest.next()?.word()?;
            Key::parse(key).ok().map(|_| Remedy::Press(key.to_owned()))
        } else if token.is("click") {
            // The role stands before the name: `click button "OK"`.
            let name = rest.take(2).find_map(Token::value)?;
            Some(Remedy::Click(name.to_owned()))
        } else {
            token.is("wait").then_some(Remedy::Wait)
        }
    };
    tokens.iter().enumerate().filter_map(remedy).collect()
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
            ("fill it instead.", Remedy::Fill),
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
        assert_eq!(read("The search takes 3 seconds.").remedies, []);
    }
}
