//! Splits a goal into tokens.
//!
//! Each of these is one token: a quoted span, an address, a number with its separators, a date, and a time. In scripts
//! without spaces, each character is a token. No dictionary is needed to find words, because the words of the frame (the
//! goal's words outside its holes) show where a value ends. Punctuation becomes a flag of the next token. Every other
//! visible sign is a token, so that `-100` and `100` differ.

use super::{
    dates::{Reading, Time, read_numeric},
    fold::{digit, fold, is_apostrophe, is_dash, is_letter},
    merge,
    months::{Language, compound},
    numbers::is_number,
    scripts::Script,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// A word in a script that separates words by spaces.
    Word,
    /// A word with digits that is not a number, a date or a time, such as `INV-2041`.
    Id,
    /// A character of a script without spaces between words.
    Char,
    Number,
    Date,
    Time,
    Email,
    Url,
    Quoted,
    Sign,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// The text; without its quotes if it is quoted.
    pub(super) text: String,
    /// The folded text, by which tokens are compared.
    pub(super) fold: String,
    /// Byte offset of the token's start in the text given to [`lex`]. `start` and `end` include the quotes of a
    /// quoted token.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) after_space: bool,
    pub(super) after_break: bool,
    pub(super) after_punctuation: bool,
    /// The readings of a date. For a German compound such as `Märzbericht`, which begins with a month, the readings of this
    /// month.
    pub(super) dates: Vec<Reading>,
    /// The languages in which the date's month name is known; empty if the month is a number.
    pub(super) languages: Vec<Language>,
    /// For a German compound that begins with a month, the part after the month.
    pub(super) rest: Option<String>,
}

impl Token {
    /// Reports whether two tokens are equal when folded, and both quoted or both not.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.fold == other.fold && (self.kind == Kind::Quoted) == (other.kind == Kind::Quoted)
    }

    pub(super) fn is_unspaced(&self) -> bool {
        self.kind == Kind::Char
    }
}

/// Opening quotes, each with the quotes that can close it.
const QUOTES: [(char, &str); 14] = [
    ('"', "\""),
    ('“', "”“"),
    ('„', "“”"),
    ('«', "»"),
    ('»', "«"),
    ('‘', "’"),
    ('‚', "‘’"),
    ('‹', "›"),
    ('「', "」"),
    ('『', "』"),
    ('《', "》"),
    ('〈', "〉"),
    ('＂', "＂"),
    ('\'', "'"),
];

/// Reports whether a sign only separates words. Such a sign becomes a flag of the next token.
fn is_punctuation(c: char) -> bool {
    matches!(
        c,
        ',' | '.'
            | ';'
            | ':'
            | '!'
            | '¡'
            | '('
            | ')'
            | '['
            | ']'
            | '…'
            | '·'
            | '、'
            | '。'
            | '，'
            | '．'
            | '；'
            | '：'
            | '！'
            | '（'
            | '）'
            | '【'
            | '】'
            | '・'
            | '،'
            | '؛'
            | '।'
            | '॥'
            | '\u{55D}'
            | '\u{589}'
    )
}

/// Splits a text in composed form (NFC) into tokens.
pub(super) fn lex(text: &str) -> Vec<Token> {
    let mut lexer = Lexer {
        text,
        at: 0,
        tokens: Vec::new(),
        flags: Flags::default(),
    };
    while lexer.at < text.len() {
        lexer.step();
    }
    merge::particles(&mut lexer.tokens);
    merge::times(&mut lexer.tokens, text);
    merge::dates(&mut lexer.tokens, text);
    lexer.tokens
}

#[derive(Default)]
struct Flags {
    space: bool,
    line: bool,
    punctuation: bool,
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
    flags: Flags,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn step(&mut self) {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else {
            return;
        };
        let before = self.text[..self.at].chars().next_back();
        if c.is_whitespace() {
            self.flags.space = true;
            self.flags.line |= c == '\n' || c == '\r';
            self.at += c.len_utf8();
        } else if let Some((inner, length)) = quoted(rest, before) {
            let inner = inner.trim().to_owned();
            self.push(Kind::Quoted, inner, length);
        } else if let Some(length) = url(rest) {
            self.push(Kind::Url, rest[..length].to_owned(), length);
        } else if let Some(length) = email(rest) {
            self.push(Kind::Email, rest[..length].to_owned(), length);
        } else if is_word_char(c) {
            let length = word(rest);
            let text = rest[..length].to_owned();
            self.push(kind_of_word(&text), text, length);
        } else if is_letter(c) {
            let marks = rest[c.len_utf8()..].chars().take_while(|c| is_mark(*c));
            let length = c.len_utf8() + marks.map(char::len_utf8).sum::<usize>();
            self.push(Kind::Char, rest[..length].to_owned(), length);
        } else if is_punctuation(c) && !begins_a_fraction(rest, before) {
            self.flags.punctuation = true;
            self.at += c.len_utf8();
        } else {
            self.push(Kind::Sign, c.to_string(), c.len_utf8());
        }
    }

    fn push(&mut self, kind: Kind, text: String, length: usize) {
        let flags = std::mem::take(&mut self.flags);
        let dates = if kind == Kind::Date {
            read_numeric(&text)
        } else {
            Vec::new()
        };
        let compound = if kind == Kind::Word {
            compound(&text)
        } else {
            None
        };
        let fold = match kind {
            Kind::Time => Time::read(&text).map_or_else(|| fold(&text), Time::canonical),
            Kind::Date if dates.len() == 1 => dates[0].date.canonical(),
            _ => fold(&text),
        };
        let token = Token {
            kind,
            fold,
            start: self.at,
            end: self.at + length,
            after_space: flags.space,
            after_break: flags.line,
            after_punctuation: flags.punctuation,
            dates: compound
                .as_ref()
                .map_or(dates, |(month, _)| merge::month_alone(*month)),
            languages: compound.iter().map(|_| Language::De).collect(),
            rest: compound.map(|(_, rest)| rest),
            text,
        };
        self.tokens.push(token);
        self.at += length;
    }
}

/// Reports whether a character can be part of a word in a script with spaces.
fn is_word_char(c: char) -> bool {
    is_letter(c) && !Script::of(c).is_unspaced()
}

fn is_mark(c: char) -> bool {
    is_letter(c) && !c.is_alphanumeric()
}

/// Reports whether a number begins with a separator, as in `$.50`. If the separator were taken as punctuation, it would
/// vanish and the number would change.
fn begins_a_fraction(rest: &str, before: Option<char>) -> bool {
    let mut chars = rest.chars();
    matches!(chars.next(), Some('.' | ',' | '·'))
        && chars.next().is_some_and(|c| digit(c).is_some())
        && before.is_none_or(|c| !is_letter(c))
}

/// Returns the text inside the quotes at the beginning of `rest`, and the length of the quoted text with its quotes.
/// `before` is the character before `rest`. Returns `None` if `rest` does not begin with a quoted text.
fn quoted(rest: &str, before: Option<char>) -> Option<(&str, usize)> {
    let open = rest.chars().next()?;
    let (_, closing) = QUOTES.iter().find(|(quote, _)| *quote == open)?;
    let is_single = is_apostrophe(open);
    // An apostrophe inside or after a word is not an opening quote.
    if is_single && before.is_some_and(is_letter) {
        return None;
    }
    let inside = &rest[open.len_utf8()..];
    let end = inside.char_indices().find(|(at, c)| {
        let after = inside[at + c.len_utf8()..].chars().next();
        closing.contains(*c) && !(is_single && after.is_some_and(is_word_char))
    });
    let (end, close) = end.filter(|(end, _)| !inside[..*end].trim().is_empty())?;
    Some((&inside[..end], open.len_utf8() + end + close.len_utf8()))
}

/// Returns the texts that a goal quotes, without their quotes.
pub(crate) fn quoted_values(goal: &str) -> Vec<&str> {
    let quoted = lex(goal)
        .into_iter()
        .filter(|token| token.kind == Kind::Quoted);
    let inside = quoted.filter_map(|token| {
        let (start, end) = inside_quotes(goal, (token.start, token.end));
        goal.get(start..end)
    });
    inside.collect()
}

/// Returns the byte range of a value in a goal, without the quotes around the value.
pub(crate) fn inside_quotes(goal: &str, (start, end): (usize, usize)) -> (usize, usize) {
    let value = goal.get(start..end).unwrap_or_default();
    match quoted(value, None) {
        Some((inside, length)) if length == value.len() => {
            let open = value.chars().next().map_or(0, char::len_utf8);
            (start + open, start + open + inside.len())
        }
        _ => (start, end),
    }
}

/// Returns the length of a web address at the beginning of `rest`.
fn url(rest: &str) -> Option<usize> {
    if !rest.starts_with(['h', 'H', 'w', 'W']) {
        return None;
    }
    let lower: String = rest
        .chars()
        .take(8)
        .collect::<String>()
        .to_ascii_lowercase();
    if !["http://", "https://", "www."]
        .iter()
        .any(|start| lower.starts_with(start))
    {
        return None;
    }
    let is_end = |c: char| {
        c.is_whitespace() || Script::of(c).is_unspaced() || "\"”“«»<>「」『』《》".contains(c)
    };
    let run = &rest[..rest.find(is_end).unwrap_or(rest.len())];
    Some(
        run.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']'])
            .len(),
    )
}

/// Returns the length of an e-mail address at the beginning of `rest`.
fn email(rest: &str) -> Option<usize> {
    if !rest.contains('@') {
        return None;
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._%+-@".contains(c);
    let run = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
    let run = run.trim_end_matches(['.', '-']);
    let (name, domain) = run.split_once('@')?;
    let is_domain = domain.contains('.') && !domain.contains('@') && !domain.starts_with('.');
    (is_domain && name.starts_with(|c: char| c.is_ascii_alphanumeric())).then_some(run.len())
}

/// Returns the length of the word at the beginning of `rest`: letters and digits, with single signs such as hyphens inside.
fn word(rest: &str) -> usize {
    let mut end = 0;
    let mut chars = rest.char_indices().peekable();
    let mut before = None;
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, c)| *c);
        let is_between_digits =
            before.is_some_and(|c| digit(c).is_some()) && next.is_some_and(|c| digit(c).is_some());
        let is_joiner = match c {
            ',' | ':' | '٫' | '٬' => is_between_digits,
            '—' => false,
            '/' | '.' | '_' => true,
            c => is_apostrophe(c) || is_dash(c),
        };
        let joins = is_joiner && next.is_some_and(is_word_char);
        if !is_word_char(c) && !joins {
            break;
        }
        before = Some(c);
        end = at + c.len_utf8();
    }
    end
}

fn kind_of_word(text: &str) -> Kind {
    let has_digit = text.chars().any(|c| digit(c).is_some());
    if !has_digit {
        Kind::Word
    } else if Time::read(text).is_some() {
        Kind::Time
    } else if !read_numeric(text).is_empty() {
        Kind::Date
    } else if is_number(text) {
        Kind::Number
    } else {
        Kind::Id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goal::fold::compose;

    /// Returns the tokens, each written as `kind:fold`. A token after punctuation has `,` before it.
    fn shown(text: &str) -> Vec<String> {
        let shown = |token: &Token| {
            let flag = if token.after_punctuation { "," } else { "" };
            format!("{flag}{:?}:{}", token.kind, token.fold)
        };
        lex(&compose(text)).iter().map(shown).collect()
    }

    #[test]
    fn words_numbers_and_signs_are_told_apart() {
        assert_eq!(
            shown("Transfer $1,250.00 to A-9's, -5 % INV-2041!"),
            [
                "Word:transfer",
                "Sign:$",
                "Number:1,250.00",
                "Word:to",
                "Id:a-9's",
                ",Sign:-",
                "Number:5",
                "Sign:%",
                "Id:inv-2041"
            ]
        );
        assert_eq!(
            shown("1042-1050 1.200 7:30 $.50"),
            [
                "Id:1042-1050",
                "Number:1.200",
                "Time:07:30",
                "Sign:$",
                "Sign:.",
                "Number:50"
            ]
        );
    }

    #[test]
    fn a_quoted_span_is_one_token() {
        assert_eq!(
            shown("titled \"See, you\" now"),
            ["Word:titled", "Quoted:see, you", "Word:now"]
        );
        assert_eq!(shown("“Crash on start”"), ["Quoted:crash on start"]);
        assert_eq!(shown("for 'noise case'"), ["Word:for", "Quoted:noise case"]);
        assert_eq!(
            shown("Mario's and Anna's"),
            ["Word:mario's", "Word:and", "Word:anna's"]
        );
        assert_eq!(shown("「北京」へ"), ["Quoted:北京", "Char:へ"]);
        assert_eq!(
            shown("an \"open quote"),
            ["Word:an", "Sign:\"", "Word:open", "Word:quote"]
        );
    }

    #[test]
    fn addresses_are_one_token() {
        assert_eq!(
            shown("mail a.b+c@example.org. See https://x.example/a?b=1, www.y.example"),
            [
                "Word:mail",
                "Email:a.b+c@example.org",
                ",Word:see",
                "Url:https://x.example/a?b=1",
                ",Url:www.y.example"
            ]
        );
    }

    #[test]
    fn unspaced_scripts_give_characters() {
        assert_eq!(shown("搜索iPhone15"), ["Char:搜", "Char:索", "Id:iphone15"]);
        assert_eq!(shown("ガ").len(), 1);
    }

    #[test]
    fn offsets_lead_back_to_the_text() {
        let text = compose("Lade «Müller, A.» am 3. März 2025");
        for token in lex(&text) {
            let shown = &text[token.start..token.end];
            assert!(shown.contains(&token.text), "{shown} {token:?}");
        }
    }
}
