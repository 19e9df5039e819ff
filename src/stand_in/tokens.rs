//! Splits the goal into tokens (words, values and punctuation marks), and the tokens into segments. Each segment
//! belongs to one instruction.

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Word(String),
    /// A literal value to type, choose or open: a quotation, a placeholder, or an address.
    Value(String),
    /// A punctuation mark.
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

/// Punctuation marks. They end a word only as its last characters, so that `3.5`, `4:08` and addresses stay whole.
const MARKS: &[char] = &[',', ';', '!', '?', '(', ')', '.', ':'];

pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, used) = token(rest, first);
        out.push(token);
        rest = rest[used..].trim_start();
    }
    out
}

/// Returns the token at the beginning of a text, whose first character is `first`, and the token's length in bytes.
fn token(text: &str, first: char) -> (Token, usize) {
    if let Some((quoted, _)) = text.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
        return (Token::Value(quoted.to_owned()), quoted.len() + 2);
    }
    if let Some(end) = text.find('>').filter(|_| text.starts_with("<secret:")) {
        return (Token::Value(text[..=end].to_owned()), end + 1);
    }
    if MARKS.contains(&first) {
        return (Token::Mark(first), first.len_utf8());
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let word = text[..end].trim_end_matches(MARKS);
    let token = if word.starts_with("http://") || word.starts_with("https://") {
        Token::Value
    } else {
        Token::Word
    };
    (token(word.to_owned()), word.len())
}

/// The tokens between two separators. A separator is a punctuation mark, `and` or `then`.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub tokens: Vec<Token>,
    /// True if a separator before the segment ends a sentence. A full stop does; a comma, a colon or a bracket does
    /// not. Also true for the first segment.
    pub new_sentence: bool,
}

pub(super) fn segments(tokens: Vec<Token>) -> Vec<Segment> {
    let mut out: Vec<Segment> = Vec::new();
    let (mut open, mut new_sentence) = (false, true);
    for token in tokens {
        match token {
            Token::Mark(mark) => {
                new_sentence |= !matches!(mark, ',' | ':' | '(' | ')');
                open = false;
            }
            token if token.is("and") || token.is("then") => open = false,
            token if open && let Some(segment) = out.last_mut() => segment.tokens.push(token),
            token => {
                out.push(Segment {
                    tokens: vec![token],
                    new_sentence,
                });
                (open, new_sentence) = (true, false);
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
            values("open http://a.test/x?y=1, then type \"a, b. c\" or \"Yes, I’m sure\"."),
            ["http://a.test/x?y=1", "a, b. c", "Yes, I’m sure"]
        );
        assert_eq!(
            values("log in as \"o'neil\" with <secret:PW>."),
            ["o'neil", "<secret:PW>"]
        );
        assert_eq!(values("it's \"Anna's"), Vec::<String>::new());
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
