//! What advice in the prompt tells to do, and when.

use super::{
    tokens::{Token, tokens},
    words::content,
};
use crate::action::{ErrorClass, Key};

/// Something that an advice tells to do.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Remedy {
    /// Press this key.
    Press(String),
    /// Click what is called so.
    Click(String),
    /// Click the field, then type.
    ClickThenType,
    /// Wait a little.
    Wait,
}

/// One advice.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Tip {
    /// The command it is for.
    pub command: Option<String>,
    /// The failure it is for.
    pub class: Option<ErrorClass>,
    /// Name of the element it is for.
    pub target: Option<String>,
    /// Whether it is about searching.
    pub search: bool,
    pub remedies: Vec<Remedy>,
}

/// Reads an advice: first when it holds, then what to do.
///
/// The condition ends at a colon, or after the part of the sentence that says what fails or what comes after.
pub(super) fn read(text: &str) -> Tip {
    let all = tokens(text);
    let colon = all.iter().position(|token| *token == Token::Mark(':'));
    let conditional = |token: &Token| {
        ["fails", "failed", "before", "covered", "blocked", "if", "when", "after", "instead"]
            .iter()
            .any(|word| token.is(word))
    };
    let clause = || {
        let says = all.iter().position(conditional)?;
        all[says..].iter().position(|token| matches!(token, Token::Mark(_))).map(|end| says + end)
    };
    let (condition, rest) = all.split_at(colon.or_else(clause).unwrap_or(0));
    let class =
        ErrorClass::ALL.iter().copied().find(|class| text.contains(class.sentence()) || text.contains(class.as_str()));
    Tip {
        command: condition.iter().find_map(command),
        class,
        target: condition.iter().find_map(Token::value).map(str::to_owned),
        search: content(text).iter().any(|word| word == "search" || word == "searching"),
        remedies: remedies(rest),
    }
}

fn command(token: &Token) -> Option<String> {
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
        ("press", "press"),
        ("pressing", "press"),
        ("goto", "goto"),
    ];
    COMMANDS.iter().find(|(word, _)| token.is(word)).map(|(_, command)| (*command).to_owned())
}

fn remedies(tokens: &[Token]) -> Vec<Remedy> {
    let mut out = Vec::new();
    let typed = tokens.iter().any(|token| token.is("type"));
    for (at, token) in tokens.iter().enumerate() {
        let rest = &tokens[at + 1..];
        let sentence = rest.iter().take_while(|token| !matches!(token, Token::Mark('.' | ';' | ':')));
        if token.is("press") {
            let key = sentence.clone().take(2).find_map(|token| {
                let name = token.word().or_else(|| token.value())?;
                // A lower-case word such as `to` is a word, not a key.
                let key = name.chars().next().is_some_and(char::is_uppercase) && Key::parse(name).is_ok();
                key.then(|| name.to_owned())
            });
            out.extend(key.map(Remedy::Press));
        } else if ["click", "accept", "close", "dismiss"].iter().any(|word| token.is(word)) {
            // Up to the name: `click on the button "OK"`.
            match sentence.take(5).find_map(Token::value) {
                Some(name) => out.push(Remedy::Click(name.to_owned())),
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
        let overlay = "If click fails because another element covers the target: press Escape to \
            close the overlay, then try again.";
        let tip = read(overlay);
        assert_eq!((tip.command.as_deref(), tip.class), (Some("click"), Some(ErrorClass::Intercepted)));
        assert_eq!(tip.remedies, [Remedy::Press("Escape".to_owned())]);
        let fill = "If fill fails because the target is not an editable field: click the field to focus it, then type the text.";
        assert_eq!((read(fill).command.as_deref(), read(fill).remedies), (Some("fill"), vec![Remedy::ClickThenType]));
        let search = "After filling a search box, press Enter to submit; suggestions often cover the button.";
        let tip = read(search);
        assert_eq!((tip.search, tip.remedies), (true, vec![Remedy::Press("Enter".to_owned())]));
    }

    #[test]
    fn what_a_site_taught_names_its_targets() {
        let tip = read(
            "click on button \"Go\" fails because another element covers the target: click button \"Accept all\" first",
        );
        assert_eq!((tip.command.as_deref(), tip.target.as_deref()), (Some("click"), Some("Go")));
        assert_eq!(tip.remedies, [Remedy::Click("Accept all".to_owned())]);
        let tip = read("Before clicking \"Search\", press Enter.");
        assert_eq!((tip.target.as_deref(), tip.remedies), (Some("Search"), vec![Remedy::Press("Enter".to_owned())]));
        assert_eq!(read("Click \"Got it\" first.").remedies, [Remedy::Click("Got it".to_owned())]);
        assert_eq!(read("The search takes 3 seconds.").remedies, []);
    }
}
