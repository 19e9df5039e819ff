//! Functions that measure, clean, fold and shorten text from outside, such as text of pages and models.

use unicode_normalization::UnicodeNormalization as _;

/// Returns true if the character is invisible and may change how the text around it is shown: a control character other
/// than newline and tab, a bidirectional mark, a zero-width character or a tag character.
pub fn is_deceptive(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c,
            '\u{00ad}' | '\u{061c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Removes terminal escape sequences and every character for which [`is_deceptive`] returns true.
///
/// Call this function once, where text enters the crate. Text without such characters is returned unchanged.
///
/// ```
/// assert_eq!(webwise::base::text::clean("\u{1b}[2mdim\u{1b}[22m a\u{202e}b"), "dim ab");
/// ```
pub fn clean(text: &str) -> String {
    // Most characters are printable ASCII and need no further check.
    let is_clean = |c: char| matches!(c, ' '..='~') || !is_deceptive(c);
    if text.chars().all(is_clean) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\u{9b}' => skip_until_final(&mut chars),
            c if is_deceptive(c) => {}
            c => out.push(c),
        }
    }
    out
}

/// Returns a number with its noun, such as `1 step` or `2 steps`. `noun` is a singular whose plural ends in `s`.
pub(crate) fn counted(count: impl TryInto<u64>, noun: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Returns true if the text consists of nothing but glyphs of an icon font and white space.
///
/// The code points of such glyphs are in Unicode's private use areas. They mean nothing without the font.
///
/// ```
/// use webwise::base::text::is_glyphs;
///
/// assert!(is_glyphs("\u{f1f8} ") && !is_glyphs("\u{f1f8} Delete") && !is_glyphs(" "));
/// ```
pub fn is_glyphs(text: &str) -> bool {
    let is_glyph = |c: char| matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{ffffd}' | '\u{100000}'..='\u{10fffd}');
    text.chars().any(is_glyph) && text.chars().all(|c| is_glyph(c) || c.is_whitespace())
}

fn skip_escape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match chars.peek() {
        Some('[') => {
            chars.next();
            skip_until_final(chars);
        }
        // An operating-system command ends at BEL or at the string terminator.
        Some(']') => {
            while let Some(c) = chars.next() {
                if c == '\u{7}'
                    || c == '\u{9c}'
                    || (c == '\u{1b}' && chars.next_if_eq(&'\\').is_some())
                {
                    break;
                }
            }
        }
        Some('@'..='_') => {
            chars.next();
        }
        _ => {}
    }
}

fn skip_until_final(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while chars.next_if(|c| matches!(c, ' '..='?')).is_some() {}
    chars.next_if(|c| matches!(c, '@'..='~'));
}

/// Puts a text on one line: every run of white space becomes one space, and both ends are trimmed.
pub fn squeeze(text: &str) -> String {
    let text = text.trim();
    // Most texts need no more, and copying a text whole is faster than word by word.
    if !text.contains("  ") && !text.chars().any(|c| c != ' ' && c.is_whitespace()) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Returns the text if it has at most `max` characters; otherwise its first `max - 1` characters and `…`.
///
/// A character is a Unicode scalar value.
pub fn truncate(text: &str, max: usize) -> String {
    // A text has at most as many characters as bytes.
    if text.len() <= max {
        return text.to_owned();
    }
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some(_) if max == 0 => String::new(),
        Some(_) => text.chars().take(max - 1).chain(['…']).collect(),
    }
}

/// Returns the text if it has at most `max` characters. Otherwise returns its first `max` characters, followed by a
/// note that says how much is kept.
///
/// ```
/// use webwise::base::text::cut;
///
/// assert_eq!(cut("short", 5), "short");
/// assert_eq!(cut("too long", 3), "too… (cut here: 3 of 8 characters are kept)");
/// ```
pub fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some((at, _)) => format!(
            "{}… (cut here: {max} of {} characters are kept)",
            &text[..at],
            text.chars().count()
        ),
    }
}

/// Returns the text if it is not longer than `head` and `tail` together. Otherwise returns its first `head` characters and
/// its last `tail` characters, with a remark between them that says how much is left out.
pub(crate) fn ends(text: &str, [head, tail]: [usize; 2]) -> String {
    let count = text.chars().count();
    if count <= head + tail {
        return text.to_owned();
    }
    let at = |nth: usize| {
        let mut places = text.char_indices();
        places.nth(nth).map_or(text.len(), |(at, _)| at)
    };
    format!(
        "{}…\n(cut here: {} of {count} characters are left out)\n…{}",
        &text[..at(head)],
        count - head - tail,
        &text[at(count - tail)..]
    )
}

/// A text in the form in which texts are compared: in lower case, on one line as [`squeeze`] makes it, and in Unicode's
/// composed form (NFC). It is not for display.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Folded(String);

impl Folded {
    pub(crate) fn of(text: &str) -> Self {
        let text = squeeze(text);
        Self(if text.is_ascii() {
            text.to_ascii_lowercase()
        } else {
            text.nfc().collect::<String>().to_lowercase()
        })
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn contains(&self, part: &Self) -> bool {
        self.0.contains(&part.0)
    }

    pub(crate) fn starts_with(&self, start: &Self) -> bool {
        self.0.starts_with(&start.0)
    }
}

/// Returns the words of a text in any script, in lower case. A word is a run of letters and digits. Each Chinese,
/// Japanese or Korean character is a word of its own.
pub fn words(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        if tokens_wide(c) && c.is_alphanumeric() {
            out.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
            out.push(c.to_string());
        } else if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        } else if !word.is_empty() {
            out.push(std::mem::take(&mut word));
        }
    }
    out.extend((!word.is_empty()).then_some(word));
    out
}

/// Calls `look` with each of the [`words`] of a text. Words of an ASCII text are not allocated.
pub(crate) fn for_each_word(text: &str, mut look: impl FnMut(&str)) {
    if !text.is_ascii() {
        return words(text).iter().for_each(|word| look(word));
    }
    let mut folded = String::new();
    for word in text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        if word.bytes().any(|byte| byte.is_ascii_uppercase()) {
            folded.clear();
            folded.push_str(word);
            folded.make_ascii_lowercase();
            look(&folded);
        } else {
            look(word);
        }
    }
}

/// Returns true if the character belongs to a Chinese, Japanese or Korean script. Each such character takes about one
/// token.
pub(crate) fn tokens_wide(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{9fff}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_one_of_the_words_whether_or_not_the_text_is_ascii() {
        for text in [
            "",
            "Add to-cart 2x",
            "  ABC,def. G7 ",
            "Größe XL",
            "カヤック 120 Kayak",
            "a_b.c",
        ] {
            let mut found = Vec::new();
            for_each_word(text, |word| found.push(word.to_owned()));
            assert_eq!(found, words(text), "{text:?}");
        }
    }

    #[test]
    fn escapes_of_every_form_disappear() {
        assert_eq!(clean("a\u{1b}]0;title\u{7}b"), "ab");
        assert_eq!(clean("a\u{1b}]8;;http://x\u{1b}\\b"), "ab");
        assert_eq!(clean("a\u{9b}31mb\u{1b}Mc\0d"), "abcd");
        assert_eq!(clean("line\n\ttab stays"), "line\n\ttab stays");
        assert_eq!(clean("cut \u{1b}["), "cut ");
    }

    #[test]
    fn folded_texts_are_equal_whatever_their_case_spaces_and_unicode_form() {
        for (one, other) in [
            ("Add  to\n cart ", "add to CART"),
            ("GRÖSSE\u{a0}1", "grösse 1"),
            ("Cafe\u{301}", "CAFÉ"),
        ] {
            assert_eq!(Folded::of(one), Folded::of(other), "{one}");
        }
        assert_ne!(Folded::of("Cafe"), Folded::of("Café"));
        let text = Folded::of("Oak  (First floor)");
        assert!(text.starts_with(&Folded::of("oak (")) && text.contains(&Folded::of(" FIRST")));
    }

    #[test]
    fn truncation_counts_characters_and_says_so() {
        assert_eq!(truncate("äöü", 3), "äöü");
        assert_eq!(truncate("äöüß", 3), "äö…");
        assert_eq!(truncate("abc", 0), "");
    }

    #[test]
    fn words_keep_digits_single_letters_and_scripts_without_spaces() {
        assert_eq!(
            words("Buy 2 x A-4 Größe"),
            ["buy", "2", "x", "a", "4", "größe"]
        );
        assert_eq!(words("東京 hotel"), ["東", "京", "hotel"]);
        assert_eq!(
            words("「時々」、２Ｆ。\u{3000}カ・ー"),
            ["時", "々", "２ｆ", "カ", "ー"]
        );
    }
}
