//! Splits the goal into tokens (words, values and punctuation marks), and the tokens into segments. Each segment
//! belongs to one instruction.

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Word(String),
    /// A literal value to type, choose or open: a quotation, a placeholder, or an address.
    Value(String),
    /// A punctuation mark or a line break.
    Mark(char),
}

impl Token {
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            _ => None,
        }
    }

    pub(super) fn value(&self) -> Option<&str> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn is(&self, word: &str) -> bool {
        self.word()
            .is_some_and(|own| own.eq_ignore_ascii_case(word))
    }
}

pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let used = if let Some(length) = quoted(rest, first) {
            let close = rest[..length].chars().next_back().map_or(0, char::len_utf8);
            out.push(Token::Value(
                rest[first.len_utf8()..length - close].to_owned(),
            ));
            length
        } else if let Some(length) = placeholder(rest) {
            out.push(Token::Value(rest[..length].to_owned()));
            length
        } else if matches!(first, ',' | ';' | '!' | '?' | '(' | ')' | '.' | ':' | '\n') {
            out.push(Token::Mark(first));
            first.len_utf8()
        } else {
            let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
            // Punctuation ends a word only if it is the last character, so that `3.5`, `a.b` and addresses stay whole.
            let bare = rest[..length].trim_end_matches([',', ';', '!', '?', ')', '.', ':']);
            let length = if bare.is_empty() {
                first.len_utf8()
            } else {
                bare.len()
            };
            let word = rest[..length].to_owned();
            let address = word.starts_with("http://") || word.starts_with("https://");
            out.push(if address {
                Token::Value(word)
            } else {
                Token::Word(word)
            });
            length
        };
        rest = &rest[used..];
        let blank = rest.len() - rest.trim_start().len();
        if rest[..blank].contains('\n') {
            out.push(Token::Mark('\n'));
        }
        rest = &rest[blank..];
    }
    out
}

/// Returns the length of the quotation at the beginning of a text, including its quotation marks. Returns `None` if
/// there is none. `first` is the text's first character. Unit: bytes.
fn quoted(text: &str, first: char) -> Option<usize> {
    let close = match first {
        '"' => '"',
        '“' | '„' => '”',
        '«' => '»',
        '‘' => '’',
        '\'' => '\'',
        '`' => '`',
        _ => return None,
    };
    let start = first.len_utf8();
    let inner = &text[start..];
    let end = inner.char_indices().find(|(at, c)| {
        let after = inner[at + c.len_utf8()..].chars().next();
        // An apostrophe inside a word does not end a quotation.
        (*c == close || (first == '„' && *c == '“'))
            && !(first == '\'' && after.is_some_and(char::is_alphanumeric))
    });
    end.map(|(at, c)| start + at + c.len_utf8())
}

fn placeholder(text: &str) -> Option<usize> {
    let known = text.starts_with("<secret:") || text.starts_with("<param:");
    known.then(|| text.find('>').map(|end| end + 1)).flatten()
}

/// Words that separate two instructions.
const BETWEEN: &[&str] = &["and", "then"];
/// Words that may precede an instruction without being a part of it.
const LEADING: &[&str] = &[
    "next",
    "finally",
    "afterwards",
    "after",
    "also",
    "please",
    "now",
    "first",
    "that",
];

/// The tokens between two separators. A separator is a punctuation mark, or a word such as `and`.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    /// The text of the separators before the segment, for putting unquoted text together again. Spaces beside
    /// punctuation marks are not kept.
    pub before: String,
    pub tokens: Vec<Token>,
    /// True if a separator before the segment ends a clause. A full stop ends a clause; a comma, a colon or a bracket
    /// does not. Also true for the first segment.
    pub new_sentence: bool,
}

pub(super) fn segments(tokens: Vec<Token>) -> Vec<Segment> {
    let mut out: Vec<Segment> = Vec::new();
    let mut before = String::new();
    let mut new_sentence = true;
    let mut open = false;
    for token in tokens {
        let among = |words: &[&str]| words.iter().any(|word| token.is(word));
        let between = among(BETWEEN) || (!open && among(LEADING));
        match token {
            Token::Mark(mark) => {
                before.push(mark);
                new_sentence |= !matches!(mark, ',' | ':' | '(' | ')');
                open = false;
            }
            Token::Word(word) if between => {
                before.push(' ');
                before.push_str(&word);
                open = false;
            }
            token => {
                if !open {
                    out.push(Segment {
                        before: std::mem::take(&mut before),
                        tokens: Vec::new(),
                        new_sentence,
                    });
                    (open, new_sentence) = (true, false);
                }
                if let Some(segment) = out.last_mut() {
                    segment.tokens.push(token);
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_placeholders_and_addresses_are_values() {
        let values = |text: &str| -> Vec<String> {
            tokens(text)
                .iter()
                .filter_map(|token| token.value().map(str::to_owned))
                .collect()
        };
        assert_eq!(
            values("open http://a.test/x?y=1, then type \"a, b. c\" or “d”"),
            ["http://a.test/x?y=1", "a, b. c", "d"]
        );
        assert_eq!(
            values("log in as 'o'neil' with <secret:PW>."),
            ["o'neil", "<secret:PW>"]
        );
        assert_eq!(values("it's Anna's"), Vec::<String>::new());
    }

    #[test]
    fn separators_divide_and_numbers_stay_whole() {
        let parts = segments(tokens(
            "Set size to 3.5, colour red and then report the total. Thanks!",
        ));
        let words: Vec<usize> = parts.iter().map(|part| part.tokens.len()).collect();
        assert_eq!(words, [4, 2, 3, 1]);
        assert_eq!(
            parts.iter().map(|p| p.new_sentence).collect::<Vec<_>>(),
            [true, false, false, true]
        );
    }
}
