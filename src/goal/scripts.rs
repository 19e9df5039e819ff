//! A small table that gives the script of a character.
//!
//! Letters of scripts without a range in the table count as [`Script::Other`].

/// A writing system, or a group of writing systems that matching treats as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    Devanagari,
    Han,
    Hiragana,
    Katakana,
    Hangul,
    SoutheastAsian,
    Other,
    /// Digits, signs, marks, spaces.
    Common,
}

impl Script {
    pub(super) fn of(c: char) -> Self {
        match u32::from(c) {
            0x41..=0x5A
            | 0x61..=0x7A
            | 0xAA
            | 0xBA
            | 0xC0..=0xD6
            | 0xD8..=0xF6
            | 0xF8..=0x2AF
            | 0x1E00..=0x1EFF
            | 0x2C60..=0x2C7F
            | 0xA722..=0xA7FF
            | 0xAB30..=0xAB64
            | 0xFF21..=0xFF3A
            | 0xFF41..=0xFF5A => Self::Latin,
            0x370..=0x373 | 0x376..=0x377 | 0x37B..=0x37D | 0x386..=0x3FF | 0x1F00..=0x1FFF
                if c.is_alphabetic() =>
            {
                Self::Greek
            }
            0x400..=0x52F | 0x1C80..=0x1C8F | 0xA640..=0xA69F if c.is_alphabetic() => {
                Self::Cyrillic
            }
            0x5D0..=0x5F2 | 0xFB1D..=0xFB4F => Self::Hebrew,
            0x620..=0x64A
            | 0x66E..=0x6D3
            | 0x6D5
            | 0x6EE..=0x6EF
            | 0x6FA..=0x6FC
            | 0x750..=0x77F
            | 0x8A0..=0x8C9
            | 0xFB50..=0xFDFB
            | 0xFE70..=0xFEFC => Self::Arabic,
            0x900..=0x963 | 0x970..=0x97F | 0xA8E0..=0xA8FF => Self::Devanagari,
            0x2E80..=0x2FDF
            | 0x3005
            | 0x3007
            | 0x3400..=0x4DBF
            | 0x4E00..=0x9FFF
            | 0xF900..=0xFAFF
            | 0x20000..=0x3FFFF => Self::Han,
            0x3041..=0x3096 | 0x3099..=0x309F => Self::Hiragana,
            0x30A1..=0x30FA | 0x30FC..=0x30FF | 0x31F0..=0x31FF | 0xFF66..=0xFF9F => Self::Katakana,
            0x1100..=0x11FF | 0x3131..=0x318E | 0xA960..=0xA97C | 0xAC00..=0xD7FB => Self::Hangul,
            0xE01..=0xE3A
            | 0xE40..=0xE4E
            | 0xE81..=0xECE
            | 0xEDC..=0xEDF
            | 0x1000..=0x103F
            | 0x1050..=0x109F
            | 0x1780..=0x17D3
            | 0x17DC..=0x17DD => Self::SoutheastAsian,
            _ if c.is_alphabetic() => Self::Other,
            _ => Self::Common,
        }
    }

    /// Reports whether the script writes words without spaces.
    ///
    /// Hangul counts as such a script: it has spaces, but its particles are attached to words.
    pub(super) const fn is_unspaced(self) -> bool {
        matches!(
            self,
            Self::Han | Self::Hiragana | Self::Katakana | Self::Hangul | Self::SoutheastAsian
        )
    }
}

/// Reports whether a word mixes scripts, such as a Latin word with one Cyrillic letter.
pub(super) fn is_mixed(word: &str) -> bool {
    let mut letters = word
        .chars()
        .map(Script::of)
        .filter(|s| *s != Script::Common);
    let first = letters.next();
    letters.any(|script| Some(script) != first)
}

pub(super) fn has(text: &str, script: Script) -> bool {
    text.chars().any(|c| Script::of(c) == script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_told_apart() {
        for (c, script) in [
            ('a', Script::Latin),
            ('ü', Script::Latin),
            ('е', Script::Cyrillic),
            ('λ', Script::Greek),
            ('ב', Script::Hebrew),
            ('ض', Script::Arabic),
            ('ह', Script::Devanagari),
            ('搜', Script::Han),
            ('の', Script::Hiragana),
            ('ー', Script::Katakana),
            ('검', Script::Hangul),
            ('ก', Script::SoutheastAsian),
            ('ქ', Script::Other),
            ('7', Script::Common),
            ('٣', Script::Common),
            ('×', Script::Common),
        ] {
            assert_eq!(Script::of(c), script, "{c}");
        }
    }

    #[test]
    fn a_word_of_two_scripts_is_mixed() {
        assert!(is_mixed("t\u{435}nnis"));
        assert!(!is_mixed("tennis"));
        assert!(!is_mixed("INV-2041"));
        assert!(!is_mixed("теннис"));
    }
}
