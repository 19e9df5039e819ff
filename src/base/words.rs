//! The one table of words that tell what a control, a question or an address does, by concept, in the languages most
//! used on the web. Approval, exploration, verification and the types of pages ask it.
//!
//! # Decisions
//!
//! - A phrase is a list of whole words, compared in a folded form. Words that make an action worse are folded by
//!   [`words`]: lower case, no accents, and each letter replaced by the one that it looks like (the skeleton of Unicode's
//!   UTS #39), so that a Cyrillic `е` in "dеlete" hides nothing. Words that make a page or a form harmless, such as
//!   [`LOGIN`], are only written in lower case, so that no other words are taken for them.
//! - The first of these lists may only make an action worse than its tool says, and an address unfit for exploration. So a
//!   word that is missing there costs safety, and a word too many costs a question.

mod table;

use std::sync::LazyLock;

use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};
use unicode_security::confusable_detection::skeleton;

pub(crate) use self::table::*;
use super::text;

/// The picture of a bin, which buttons show in place of the word.
const WASTEBASKET: char = '\u{1f5d1}';

/// The phrases of one concept, each as its folded words. The words that they are compared with must be folded in the
/// same way.
pub(crate) struct Phrases {
    list: LazyLock<Vec<Vec<String>>>,
    words: fn(&str) -> Vec<String>,
}

impl Phrases {
    /// Returns the positions in `words` at which one of the phrases begins. Between the words of a phrase may stand others:
    /// "cancel my Premium subscription".
    pub(crate) fn spread(&self, words: &[String]) -> impl Iterator<Item = usize> {
        let begins = |at: &usize| {
            self.list
                .iter()
                .any(|phrase| is_spread(phrase, &words[*at..]))
        };
        (0..words.len()).filter(begins)
    }

    /// Returns the positions in `words` at which one of the phrases begins.
    pub(crate) fn positions(&self, words: &[String]) -> impl Iterator<Item = usize> {
        let begins = |at: &usize| {
            self.list
                .iter()
                .any(|phrase| words[*at..].starts_with(phrase))
        };
        (0..words.len()).filter(begins)
    }

    pub(crate) fn are_in(&self, words: &[String]) -> bool {
        self.positions(words).next().is_some()
    }

    /// Returns true if one of the phrases occurs in the text as whole words.
    pub(crate) fn are_in_text(&self, text: &str) -> bool {
        self.are_in(&(self.words)(text))
    }

    /// Returns true if the whole text is one of the phrases.
    pub(crate) fn are_all_of_text(&self, text: &str) -> bool {
        self.are_all_of(&(self.words)(text))
    }

    /// Returns the number of words of the longest phrase with which `words` begins; 0 if they begin with none.
    pub(crate) fn begin(&self, words: &[String]) -> usize {
        let begins = self.list.iter().filter(|phrase| words.starts_with(phrase));
        begins.map(Vec::len).max().unwrap_or(0)
    }

    pub(crate) fn end(&self, words: &[String]) -> bool {
        self.list.iter().any(|phrase| words.ends_with(phrase))
    }

    pub(crate) fn are_all_of(&self, words: &[String]) -> bool {
        self.list.iter().any(|phrase| phrase == words)
    }

    /// Removes every phrase from `words`.
    pub(crate) fn cut_from(&self, words: &mut Vec<String>) {
        for phrase in self.list.iter() {
            while let Some(at) = words.windows(phrase.len()).position(|part| part == phrase) {
                words.drain(at..at + phrase.len());
            }
        }
    }
}

/// Returns true if the words begin with the phrase, with at most two other words in it. Its last word may be a plural.
fn is_spread(phrase: &[String], words: &[String]) -> bool {
    /// Maximum number of other words.
    const OTHERS: usize = 2;
    let [first, rest @ ..] = phrase else {
        return false;
    };
    if words.first() != Some(first) {
        return false;
    }
    let mut at = 1;
    for (nth, wanted) in (1..).zip(rest) {
        let is_plural =
            |word: &String| nth == rest.len() && word.strip_suffix('s') == Some(wanted.as_str());
        let left = words.iter().skip(at).take(OTHERS + nth + 1 - at);
        let Some(found) = left
            .clone()
            .position(|word| word == wanted || is_plural(word))
        else {
            return false;
        };
        at += found + 1;
    }
    true
}

/// Returns the folded words of a text, without words that do not change its meaning, such as "the" and "now". Each
/// Chinese, Japanese or Korean character is a word.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words = text::words(&folded(text));
    words.retain(|word| !FILLERS.iter().any(|filler| filler[0] == *word));
    words
}

/// Returns the [`words`] of a text in which capital letters begin words, as in `doLogout`.
pub(crate) fn words_of_code(code: &str) -> Vec<String> {
    let mut apart = String::with_capacity(code.len());
    let mut before = ' ';
    for c in code.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            apart.push(' ');
        }
        apart.push(c);
        before = c;
    }
    words(&apart)
}

/// Returns true if a link with this text, or an address with this part, leads to an account, to a purchase or to a
/// change on the site.
pub(crate) fn leads_to_change(text: &str) -> bool {
    let words = words_of_code(text);
    let others = [&DESTROYS, &SENDS, &ACCOUNT, &SIGNS_UP, &BASKET, &CHANGES];
    GRAVE
        .iter()
        .chain(&others)
        .any(|phrases| phrases.are_in(&words))
}

/// Returns true if a link with this text, or an address with this part, may change something for a person who is logged
/// in. This is true wherever [`leads_to_change`] is.
pub(crate) fn may_command(text: &str) -> bool {
    /// Minimum length of a verb that begins a longer word. Unit: bytes.
    const MIN: usize = 4;
    let words = words_of_code(text);
    let verbs = [&VERBS, &GRAVE_ALONE, &COMMANDS, &DESTROYS];
    // Addresses often have no mark between words: `/clearcache`.
    let begins = |phrase: &Vec<String>| {
        let [verb] = &phrase[..] else {
            return false;
        };
        let is_long = |word: &String| word.len() > verb.len() && word.starts_with(verb.as_str());
        verb.is_ascii() && verb.len() >= MIN && words.iter().any(is_long)
    };
    let is_begun = |phrases: &&Phrases| phrases.list.iter().any(begins);
    leads_to_change(text)
        || verbs.iter().any(|phrases| phrases.are_in(&words))
        || [&COMMANDS, &DESTROYS].iter().any(is_begun)
}

fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for c in text.nfkc().filter(|c| !text::is_deceptive(*c)) {
        // A capital `I` inside a word in lower case stands for an `l`.
        let c = if c == 'I' && before.is_lowercase() {
            'l'
        } else {
            c
        };
        before = c;
        for c in c.to_lowercase() {
            match c {
                // The skeletons of ASCII characters, which most texts consist of.
                'm' => out.push_str("rn"),
                '0' => out.push('o'),
                '1' => out.push('l'),
                WASTEBASKET => out.push_str(" delete "),
                c if c.is_ascii() || !(c.is_alphanumeric() || is_combining_mark(c)) => out.push(c),
                c => out.extend(skeleton(c.encode_utf8(&mut [0; 4])).flat_map(char::to_lowercase)),
            }
        }
    }
    if out.is_ascii() {
        return out;
    }
    out.nfd().filter(|c| !is_combining_mark(*c)).nfc().collect()
}

/// Returns true if a folded word is a single letter of an alphabet. The letter `m` is folded to `rn`.
pub(crate) fn is_letter(word: &str) -> bool {
    let mut chars = word.chars();
    let is_one = |c: char| c.is_alphabetic() && !text::tokens_wide(c);
    word == "rn" || (chars.next().is_some_and(is_one) && chars.next().is_none())
}

fn listed(lists: &[&str], words: fn(&str) -> Vec<String>) -> Vec<Vec<String>> {
    let phrases = lists.iter().flat_map(|list| list.split(','));
    phrases
        .map(words)
        .filter(|phrase| !phrase.is_empty())
        .collect()
}

/// Words that do not change the meaning of a label: articles, possessives, polite words, "now".
static FILLERS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let lists = [
        "the,a,an,your,my,our,this,that,these,now,please,it,of,der,die,das,den,dem,des,ein,eine,ihre,ihren,meine,jetzt,bitte",
        "le,la,les,l,d,un,une,votre,ma,mon,mes,ce,cette,maintenant,el,los,las,tu,su,mi,este,ahora,il,lo,gli,i,ora,adesso",
        "o,os,as,seu,sua,agora",
    ];
    listed(&lists, |word| text::words(&folded(word)))
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_look_alike_are_the_same_word() {
        let plain = words("Delete account");
        for disguised in [
            "DELETE ACCOUNT",
            "D\u{435}l\u{435}t\u{435} account",
            "Ｄｅｌｅｔｅ account",
            "\u{1d403}\u{1d41e}\u{1d425}\u{1d41e}\u{1d42d}\u{1d41e} account",
            "De1ete acc0unt",
            "DeIete account",
            "D\u{200b}elete account",
            "D\u{301}elete \u{430}ccount",
            "Delete your account now",
        ] {
            assert_eq!(words(disguised), plain, "{disguised}");
        }
    }

    #[test]
    fn ascii_is_folded_to_its_skeleton() {
        for c in (' '..='~').filter(char::is_ascii_alphanumeric) {
            let c = c.to_lowercase().to_string();
            let whole: String = skeleton(&c).flat_map(char::to_lowercase).collect();
            assert_eq!(folded(&c), whole, "{c}");
        }
    }

    #[test]
    fn every_phrase_is_found_in_its_own_words() {
        assert!(DESTROYS.are_in(&words("bitte löschen")) && DESTROYS.are_in(&words("全部削除")));
        assert!(PAYS.are_in(&words("결제하기")) && ENDS.are_in(&words("Se désabonner")));
        assert!(!DESTROYS.are_in(&words("Deletedx")));
        assert!(leads_to_change("/doLogout") && leads_to_change("İptal et"));
        assert!(!leads_to_change("Cartography of Descartes"));
    }

    #[test]
    fn phrases_are_whole_words_in_scripts_with_and_without_spaces() {
        assert!(PASSWORD.are_in_text("Your Password:"));
        assert!(PASSWORD.are_in_text("ログインパスワードを入力"));
        assert!(PASSWORD.are_in_text("أدخل كلمة المرور هنا"));
        assert!(!CART.are_in_text("Cartography of Descartes"));
        assert!(!PASSWORD.are_in_text(""));
        assert!(LOGIN.are_all_of_text("Log in") && LOGIN.are_all_of_text("ログイン"));
        assert!(!LOGIN.are_all_of_text("Log in and pay") && !LOGIN.are_all_of_text(""));
    }
}
