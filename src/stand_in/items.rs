//! Parses the object of an instruction: the fields, values and names after its verb.

use super::{
    tokens::{Segment, Token},
    words::content,
};
use crate::base::text::Folded;

/// Returns the first literal value of an instruction (see [`Token::Value`]). If there is none, returns all words of
/// `parts`, without a word such as `the` at the beginning.
pub(super) fn phrase(parts: &[Segment]) -> String {
    if let Some(value) = parts
        .iter()
        .flat_map(|part| &part.tokens)
        .find_map(Token::value)
    {
        return value.to_owned();
    }
    let mut out = String::new();
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            out.push_str(&part.before);
            out.push(' ');
        }
        out.push_str(&words(&part.tokens));
    }
    let out = out.trim();
    let article = ["the ", "a ", "an ", "for ", "me "]
        .into_iter()
        .find(|article| starts(out, article));
    article
        .map_or(out, |article| &out[article.len()..])
        .to_owned()
}

pub(super) fn reported(part: &Segment) -> Vec<String> {
    content(&words(&part.tokens))
}

fn starts(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

fn words(tokens: &[Token]) -> String {
    let words: Vec<&str> = tokens
        .iter()
        .filter_map(|token| token.word().or_else(|| token.value()))
        .collect();
    words.join(" ")
}

/// Returns the user name and the password of a login instruction. If the instruction lacks one of them, a placeholder
/// from `secrets` with a matching name replaces it.
pub(super) fn login(parts: &[Segment], secrets: &[String]) -> (Option<String>, Option<String>) {
    let (mut user, mut password): (Option<String>, Option<String>) = (None, None);
    let mut for_password = false;
    for token in parts.iter().flat_map(|part| &part.tokens) {
        match token {
            Token::Value(value) => {
                let secret = value.starts_with("<secret:") && (for_password || !is_user(value));
                if secret || for_password {
                    password = Some(value.clone());
                } else {
                    user = Some(value.clone());
                }
            }
            Token::Word(word) => match Folded::of(word).as_str() {
                "password" | "passphrase" | "pin" => for_password = true,
                "as" | "user" | "username" | "email" | "account" => for_password = false,
                "with" | "using" | "the" | "name" | "of" | "is" | "to" | "shop" | "site" => {}
                _ if user.is_none() && !for_password => user = Some(word.clone()),
                _ => {}
            },
            Token::Mark(_) => {}
        }
    }
    let named = |hints: fn(&str) -> bool| secrets.iter().find(|secret| hints(secret)).cloned();
    let user = user.or_else(|| named(is_user));
    let password = password.or_else(|| named(is_password));
    (user, password)
}

fn is_user(secret: &str) -> bool {
    has(secret, &["user", "email", "login", "account"]) && !is_password(secret)
}

fn is_password(secret: &str) -> bool {
    has(secret, &["pass", "pwd", "pin"])
}

fn has(secret: &str, hints: &[&str]) -> bool {
    let secret = Folded::of(secret);
    hints.iter().any(|hint| secret.as_str().contains(hint))
}

/// Words that may come between a field and its value.
const GIVES: &[&str] = &["to", "with", "=", "is", "as"];

/// Parses an instruction to fill in fields, such as `the quantity to 2`, `name "A"`, `Berlin as city` or
/// `"A" into the name field`. Returns the words of each field's name, and the field's value.
pub(super) fn fields(parts: &[Segment]) -> Vec<(Vec<String>, String)> {
    parts
        .iter()
        .flat_map(|part| field_items(&part.tokens))
        .collect()
}

fn field_items(tokens: &[Token]) -> Vec<(Vec<String>, String)> {
    if tokens.iter().any(|token| token.value().is_some()) {
        return quoted_items(tokens);
    }
    let at = |marks: &[&str]| {
        tokens
            .iter()
            .position(|token| marks.iter().any(|mark| token.is(mark)))
    };
    let split = |at: usize| (&tokens[..at], &tokens[at + 1..]);
    let (field, value) = match (at(&["into", "in"]), at(GIVES)) {
        (Some(into), _) => {
            let (value, field) = split(into);
            (field, value)
        }
        // In `Berlin as city` the value comes first, in `city to Berlin` the field comes first.
        (None, Some(gives)) if tokens[gives].is("as") => {
            let (value, field) = split(gives);
            (field, value)
        }
        (None, Some(gives)) => split(gives),
        (None, None) => {
            let first = tokens
                .iter()
                .take_while(|token| token.is("the") || token.is("my"))
                .count()
                + 1;
            tokens.split_at(first.min(tokens.len()))
        }
    };
    let value = words(value);
    if value.is_empty() {
        Vec::new()
    } else {
        vec![(content(&words(field)), value)]
    }
}

/// Returns fields with their quoted values. A field's name comes before its value; the last field's name may come after
/// it. A name may be quoted too, as in `"Your name" with "Ada"`.
fn quoted_items(tokens: &[Token]) -> Vec<(Vec<String>, String)> {
    let mut out: Vec<(Vec<String>, String)> = Vec::new();
    let mut before: Vec<&str> = Vec::new();
    let mut quoted: Option<&str> = None;
    let is_joint = |token: &&Token| GIVES.iter().any(|gives| token.is(gives));
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Word(word) => before.push(word),
            Token::Value(value) => {
                let field = name(&std::mem::take(&mut before));
                let next = tokens[at + 1..].iter().find(|token| !is_joint(token));
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
    if let (Some((field, _)), false) = (
        out.last_mut().filter(|(field, _)| field.is_empty()),
        before.is_empty(),
    ) {
        *field = name(&before);
    }
    out
}

/// Returns the words of a field's name that help to find the field. Leaves out words such as `the` and `for`.
fn name(words: &[&str]) -> Vec<String> {
    let kept: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| !GIVES.contains(&Folded::of(word).as_str()))
        .collect();
    let text = kept.join(" ");
    let counted = content(&text);
    let empty = ["the", "a", "an", "into", "in", "for", "of", "my", "on"];
    if counted.iter().all(|word| empty.contains(&word.as_str())) {
        Vec::new()
    } else {
        counted
    }
}

/// Returns the start and the end of an item's text, from a description such as
/// `an item that starts with "Alb" and ends with "ia"`. If only the start is described, the end is empty.
pub(super) fn pick(parts: &[Segment]) -> Option<(String, String)> {
    let tokens: Vec<&Token> = parts.iter().flat_map(|part| &part.tokens).collect();
    let after = |words: &[&str]| {
        let says =
            |pair: &[&Token]| words.iter().any(|word| pair[0].is(word)) && pair[1].is("with");
        let at = tokens.windows(2).position(says)?;
        tokens[at..]
            .iter()
            .find_map(|token| token.value())
            .map(str::to_owned)
    };
    let start = after(&["starts", "begins", "starting", "beginning"])?;
    Some((start, after(&["ends", "ending"]).unwrap_or_default()))
}

/// Parses an instruction to choose, such as `size "M"`, `"Express" as shipping` or `Express delivery`. Returns the
/// words of each field's name (none if the instruction names no field), and the value to choose.
pub(super) fn choices(parts: &[Segment]) -> Vec<(Vec<String>, String)> {
    let choice = |part: &Segment| {
        let tokens = &part.tokens;
        if tokens.iter().any(|token| token.value().is_some()) {
            return quoted_items(tokens);
        }
        let is_control = tokens
            .last()
            .is_some_and(|token| token.is("spinner") || token.is("slider"));
        let parts = ["as", "for", "to", if is_control { "with" } else { "for" }];
        let at = tokens
            .iter()
            .position(|token| parts.iter().any(|part| token.is(part)));
        match at {
            Some(at) if tokens[at].is("to") => {
                vec![(content(&words(&tokens[..at])), words(&tokens[at + 1..]))]
            }
            Some(at) => vec![(content(&words(&tokens[at + 1..])), bare(&tokens[..at]))],
            None => vec![(Vec::new(), bare(tokens))],
        }
    };
    parts.iter().flat_map(choice).collect()
}

/// Returns the text of these tokens, without articles at the beginning.
fn bare(tokens: &[Token]) -> String {
    let articles = tokens
        .iter()
        .take_while(|token| token.is("the") || token.is("a") || token.is("an"))
        .count();
    words(&tokens[articles..])
}
