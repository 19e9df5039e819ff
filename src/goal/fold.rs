//! Folding: brings texts into the normalized form in which they are compared.
//!
//! Latin diacritics stay, because they distinguish words of a goal. Only the search for a step's text in a goal ([`keys`])
//! ignores them.

use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

use crate::base::text::Folded;

/// The digit zero of each supported decimal digit system. Unicode has more systems, such as that of Ol Chiki.
const ZEROS: [u32; 20] = [
    0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66,
    0xE50, 0xED0, 0xF20, 0x1040, 0x17E0, 0x1810, 0xFF10,
];

/// Returns the text in Unicode's composed form (NFC). All offsets in goals count bytes of that form.
pub fn compose(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    text.nfc().collect()
}

/// Returns the value of a decimal digit of one of the systems in [`ZEROS`]; `None` for other characters.
pub(super) fn digit(c: char) -> Option<u32> {
    let code = u32::from(c);
    ZEROS
        .iter()
        .find_map(|zero| code.checked_sub(*zero).filter(|value| *value < 10))
}

/// Returns the digit zero of the digit system that a text uses, such as `٠` for `١٠٤٣`; `None` if all digits of the text are
/// ASCII or it has no digits.
pub(super) fn foreign_zero(text: &str) -> Option<char> {
    let c = text
        .chars()
        .find(|c| digit(*c).is_some() && !c.is_ascii())?;
    char::from_u32(u32::from(c) - digit(c)?)
}

pub(super) fn ascii_digits(text: &str) -> String {
    text.chars()
        .map(|c| {
            digit(c)
                .and_then(|value| char::from_digit(value, 10))
                .unwrap_or(c)
        })
        .collect()
}

/// Reports whether a character is invisible or changes the direction of text. Such characters hide what a goal says. The
/// variation selector U+FE0F is not among them, because emoji contain it.
pub(super) fn is_hidden_control(c: char) -> bool {
    matches!(u32::from(c),
        0x00..=0x08 | 0x0B | 0x0C | 0x0E..=0x1F | 0x7F..=0x9F | 0xAD | 0x34F | 0x61C | 0x115F | 0x1160 | 0x17B4 | 0x17B5
        | 0x180B..=0x180F | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0x2800 | 0x3164 | 0xFE00..=0xFE0E | 0xFEFF | 0xFFA0
        | 0xFFF0..=0xFFFB | 0xE0000..=0xE0FFF)
}

pub(super) fn is_dash(c: char) -> bool {
    matches!(
        c,
        '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE58}' | '\u{FE63}' | '\u{FF0D}'
    )
}

pub(super) fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | '‘' | 'ʼ' | '＇' | '′' | '`' | '´')
}

/// Reports whether a character is a mark that writers often leave out: an Arabic or Hebrew vowel, or the Arabic lengthening
/// stroke.
fn is_optional_mark(c: char) -> bool {
    matches!(u32::from(c), 0x640 | 0x64B..=0x652 | 0x670 | 0x591..=0x5BD | 0x5BF | 0x5C1..=0x5C2 | 0x5C4..=0x5C5 | 0x5C7)
}

/// Returns the normalized form in which texts of goals are compared.
///
/// In addition to what [`Folded`] makes equal, these are equal: compatibility forms, digits of other scripts, dashes, and
/// apostrophes. Vowel marks of Arabic and Hebrew are dropped.
pub(super) fn fold(text: &str) -> String {
    let unified = text.chars().map(|c| match c {
        c if is_dash(c) => '-',
        c if is_apostrophe(c) => '\'',
        c => c,
    });
    let mut out = String::with_capacity(text.len());
    for c in unified.nfkc().filter(|c| !is_optional_mark(*c)) {
        match c {
            'İ' => out.push('i'),
            'ß' | 'ẞ' => out.push_str("ss"),
            'Σ' | 'ς' => out.push('σ'),
            'ё' | 'Ё' => out.push('е'),
            c => {
                let ascii = digit(c).and_then(|value| char::from_digit(value, 10));
                out.push(ascii.unwrap_or(c));
            }
        }
    }
    Folded::of(&out).as_str().to_owned()
}

/// Returns the text without accents and similar marks on Latin, Greek and Cyrillic letters: `é` becomes `e`, and `й`
/// becomes `и`. Also replaces special Latin letters: `ø` becomes `o`, `æ` becomes `ae`, and `ß` becomes `ss`.
pub(super) fn strip_diacritics(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.nfd().filter(|c| !matches!(c, '\u{300}'..='\u{36F}')) {
        match c {
            'ø' => out.push('o'),
            'Ø' => out.push('O'),
            'ł' => out.push('l'),
            'Ł' => out.push('L'),
            'đ' => out.push('d'),
            'Đ' => out.push('D'),
            'ı' => out.push('i'),
            'æ' => out.push_str("ae"),
            'Æ' => out.push_str("Ae"),
            'œ' => out.push_str("oe"),
            'Œ' => out.push_str("Oe"),
            'ß' => out.push_str("ss"),
            c => out.push(c),
        }
    }
    out.nfc().collect()
}

/// Returns the text with German umlauts written as two letters.
pub(super) fn german(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.nfc() {
        match c {
            'ä' => out.push_str("ae"),
            'ö' => out.push_str("oe"),
            'ü' => out.push_str("ue"),
            'Ä' => out.push_str("Ae"),
            'Ö' => out.push_str("Oe"),
            'Ü' => out.push_str("Ue"),
            'ß' => out.push_str("ss"),
            c => out.push(c),
        }
    }
    out
}

/// Returns only the letters and digits of the text, in two forms: without diacritics, and with umlauts written as two
/// letters.
///
/// Two texts with an equal key may be equal, but need not be.
pub(super) fn keys(text: &str) -> [String; 2] {
    let folded = fold(text);
    [strip_diacritics(&folded), german(&folded)]
        .map(|text| text.chars().filter(|c| is_letter(*c)).collect())
}

/// Reports whether a character can be part of a word: a letter, a digit, or a combining mark.
pub(super) fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_writers_vary_is_equal_and_what_distinguishes_words_is_not() {
        for (a, b) in [
            ("Padel  Rackets", "padel rackets"),
            ("счёт", "счет"),
            ("اِبحث", "ابحث"),
            ("١٠٤٣", "1043"),
            ("INV–7", "inv-7"),
            ("Mario’s", "mario's"),
            ("ＡＢＣ", "abc"),
            ("Straße", "STRASSE"),
            ("İzmir", "izmir"),
        ] {
            assert_eq!(fold(a), fold(b), "{a} {b}");
        }
        for (a, b) in [
            ("drucken", "drücken"),
            ("A", "B"),
            ("5512", "5513"),
            ("が", "か"),
        ] {
            assert_ne!(fold(a), fold(b), "{a} {b}");
        }
    }

    #[test]
    fn diacritics_are_stripped_from_latin_letters_alone() {
        assert_eq!(strip_diacritics("Schäfer Łódź"), "Schafer Lodz");
        assert_eq!(strip_diacritics("ガパ 검색 й"), "ガパ 검색 и");
        assert_eq!(german("Schäfer"), "Schaefer");
        assert_eq!(keys("padel-rackets")[0], keys("Padel Rackets")[0]);
        assert_eq!(keys("mueller")[0], keys("Müller")[1]);
    }

    #[test]
    fn digits_of_other_scripts_are_found_with_their_zero() {
        assert_eq!(ascii_digits("١٠٤٣ and ५"), "1043 and 5");
        assert_eq!(foreign_zero("١٠٤٣"), Some('٠'));
        assert_eq!(foreign_zero("1043"), None);
    }

    #[test]
    fn controls_that_hide_text_are_known() {
        assert!(
            "\u{202E}\u{200B}\u{2066}\u{FEFF}\u{E0041}\u{FE00}\u{180F}\u{2800}"
                .chars()
                .all(is_hidden_control)
        );
        assert!(!"a \n\té\u{301}の❤\u{FE0F}".chars().any(is_hidden_control));
    }
}
