//! Guards: the checks that decide which words are accepted as the new value of a hole. A hole is a place in the recorded
//! goal whose words may change. The frame is the words of the goal outside its holes.
//!
//! The parser finds the words that a new goal has in the place of a hole; the guards check that these words look like a
//! value. If in doubt, the guards refuse the words. A value in quotes passes nearly all guards, because the quotes show
//! where it ends.

use std::collections::HashSet;

use super::{
    fold::compose,
    lex::{Kind, Token, lex},
    numbers::{has_leading_zero, has_no_new_separator},
    program::Value,
    scripts::{Script, has, is_mixed},
    slots::{Hole, Shape},
    trace::has_content,
    verdict::{Reason, State},
    words,
};

/// Maximum number of characters of a quoted value. Source: chosen.
const MAX_QUOTED: usize = 300;
/// Maximum number of words by which a new value may be longer than the recorded value, if the recorded steps can be undone
/// and the value is not at the end of the goal. Source: chosen.
const MORE_WORDS: usize = 2;
/// Smallest limit on the length of a new value. If [`MORE_WORDS`] gives a smaller limit, this limit applies instead. Unit:
/// words. Source: chosen.
const LEAST_CAP: usize = 3;

/// The facts about the recorded goal that the guards need besides the value itself.
#[derive(Debug, Clone)]
pub(super) struct Surroundings {
    frame: Frame,
    pub(super) is_irreversible: bool,
    /// True if the recorded goal contains a function word that is not Hebrew, or a function word or closed-class word
    /// of a script without spaces. Without such a word, the language counts as unknown, even if it is English.
    pub(super) knows_language: bool,
    /// True if the frame has content words: more than function words, signs and hiragana. Otherwise the template would
    /// accept any goal.
    pub(super) has_frame: bool,
}

/// The words of a goal outside its holes.
#[derive(Debug, Clone, Default)]
struct Frame {
    words: HashSet<String>,
    /// Pairs of neighbouring Han characters. They are compared instead of words, because a text in Han characters does not
    /// show where a word ends.
    pairs: HashSet<(String, String)>,
}

impl Surroundings {
    pub(super) fn of(tokens: &[Token], holes: &[Hole], is_irreversible: bool) -> Self {
        let mut frame = Frame::default();
        let mut said = Vec::new();
        let mut at = 0;
        for (start, end) in holes
            .iter()
            .map(|hole| (hole.start, hole.end))
            .chain([(tokens.len(), tokens.len())])
        {
            frame.add(&tokens[at..start]);
            said.extend_from_slice(&tokens[at..start]);
            at = end;
        }
        said.retain(|token| script_of(token) != Script::Hiragana);
        Self {
            frame,
            is_irreversible,
            knows_language: knows_language(tokens),
            has_frame: has_content(&said),
        }
    }
}

fn knows_language(tokens: &[Token]) -> bool {
    let unspaced: String = tokens
        .iter()
        .filter(|token| token.is_unspaced())
        .map(|token| token.fold.as_str())
        .collect();
    tokens
        .iter()
        .any(|token| words::shows_language(&token.fold))
        || words::shows_unspaced_language(&unspaced)
}

impl Frame {
    /// Reports whether a word of the value, perhaps in the plural, also occurs in the frame. Function words do not count.
    fn speaks_of(&self, value: &[Token]) -> bool {
        let speaks_of = |word: &String| {
            !words::is_function_word(word) && self.words.iter().any(|own| is_alike(own, word))
        };
        words_of(value).iter().any(speaks_of)
    }

    fn add(&mut self, tokens: &[Token]) {
        self.words.extend(words_of(tokens));
        self.pairs.extend(han_pairs(tokens));
    }
}

/// Returns the words that the tokens form: words of scripts with spaces, and runs of katakana or Hangul.
fn words_of(tokens: &[Token]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last: Option<&Token> = None;
    for token in tokens {
        let script = script_of(token);
        let continues = last.is_some_and(|last| script_of(last) == script) && !token.after_space;
        let has_words = matches!(script, Script::Katakana | Script::Hangul);
        match (token.kind, words.last_mut()) {
            (Kind::Char, Some(word)) if has_words && continues => word.push_str(&token.fold),
            (Kind::Char, _) if !has_words => {}
            (Kind::Word | Kind::Id | Kind::Char, _) => words.push(token.fold.clone()),
            _ => {}
        }
        last = Some(token);
    }
    words.retain(|word| {
        word.chars().count() > 1 || word.chars().all(|c| !Script::of(c).is_unspaced())
    });
    words
}

/// Reports whether two folded words of at least two characters are equal, apart from the ending of a plural. For a word
/// of one character, the result is false.
pub(super) fn is_alike(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let ending = long
        .strip_prefix(short)
        .filter(|_| short.chars().count() > 1);
    ending.is_some_and(|ending| ["", "s", "'s", "es", "e", "n", "en", "er"].contains(&ending))
}

fn script_of(token: &Token) -> Script {
    token.text.chars().next().map_or(Script::Common, Script::of)
}

fn han_pairs(tokens: &[Token]) -> Vec<(String, String)> {
    let is_han = |token: &Token| token.is_unspaced() && script_of(token) == Script::Han;
    tokens
        .windows(2)
        .filter(|pair| pair.iter().all(is_han))
        .map(|pair| (pair[0].fold.clone(), pair[1].fold.clone()))
        .collect()
}

/// Checks that a new value looks like a value of the hole. `is_last` is true if the goal ends with the hole, so that no word
/// of the frame marks the end of the value. `is_given` is true if the caller gave the value by name.
pub(super) fn check(
    hole: &Hole,
    new: &Value,
    around: &Surroundings,
    is_last: bool,
    is_given: bool,
) -> Result<(), Reason> {
    if hole.shape == Shape::Number {
        return number(&hole.value, new);
    }
    if hole.shape != Shape::Text {
        return Ok(());
    }
    if new.single(Kind::Quoted).is_some() {
        let is_short = new.text.chars().count() <= MAX_QUOTED && !new.text.contains(['\n', '\r']);
        return if is_short {
            Ok(())
        } else {
            Err(Reason::Length)
        };
    }
    if is_given {
        return Ok(());
    }
    let inner = hole
        .value
        .single(Kind::Quoted)
        .map(|token| lex(&compose(&token.text)));
    let old = inner.as_deref().unwrap_or(&hole.value.tokens);
    let new = new.tokens.as_slice();
    signs(new)?;
    scripts(old, new)?;
    if around.frame.speaks_of(old) {
        return Err(Reason::WhichOccurrence);
    }
    frame_words(new, &around.frame)?;
    closed_class(old, new)?;
    numbers(old, new)?;
    extension(old, new)?;
    if hole.state == State::Confirmed {
        return Ok(());
    }
    names(old, new)?;
    length(old, new, around, is_last)
}

fn refuse_if(is_wrong: bool, reason: Reason) -> Result<(), Reason> {
    if is_wrong { Err(reason) } else { Ok(()) }
}

fn number(old: &Value, new: &Value) -> Result<(), Reason> {
    let (Some(old), Some(new)) = (old.single(Kind::Number), new.single(Kind::Number)) else {
        return Err(Reason::Type);
    };
    let zero = |token: &Token| has_leading_zero(&token.text);
    let keeps_zero = zero(old) && old.fold.len() == new.fold.len();
    let is_form_kept = has_no_new_separator(&old.text, &new.text) && (!zero(new) || keeps_zero);
    refuse_if(!(is_form_kept), Reason::NumberForm)
}

fn signs(new: &[Token]) -> Result<(), Reason> {
    let is_foreign = |token: &Token| {
        matches!(
            token.kind,
            Kind::Sign | Kind::Quoted | Kind::Url | Kind::Email
        )
    };
    let is_broken = new
        .iter()
        .skip(1)
        .any(|token| token.after_punctuation || token.after_break);
    refuse_if(new.iter().any(is_foreign) || is_broken, Reason::Signs)
}

fn scripts(old: &[Token], new: &[Token]) -> Result<(), Reason> {
    let contains = |tokens: &[Token], script| tokens.iter().any(|token| has(&token.text, script));
    let new_hiragana = contains(new, Script::Hiragana) && !contains(old, Script::Hiragana);
    let other_hangul = contains(new, Script::Hangul) != contains(old, Script::Hangul);
    let is_mixed = new.iter().any(|token| is_mixed(&token.text));
    refuse_if(new_hiragana || other_hangul || is_mixed, Reason::Script)
}

fn frame_words(new: &[Token], frame: &Frame) -> Result<(), Reason> {
    let has_word = words_of(new).iter().any(|word| frame.words.contains(word));
    let has_pair = han_pairs(new).iter().any(|pair| frame.pairs.contains(pair));
    refuse_if(has_word || has_pair, Reason::FrameWord)
}

fn is_capital(token: &Token) -> bool {
    token
        .text
        .chars()
        .find(|c| c.is_alphabetic())
        .is_some_and(char::is_uppercase)
}

/// Returns the words that are written in a script with upper and lower case. Only these words can begin with a capital.
fn cased(tokens: &[Token]) -> impl Iterator<Item = &Token> {
    let has_case = |token: &&Token| {
        matches!(token.kind, Kind::Word | Kind::Id)
            && token
                .text
                .chars()
                .any(|c| c.is_uppercase() || c.is_lowercase())
    };
    tokens.iter().filter(has_case)
}

fn is_name(tokens: &[Token]) -> bool {
    cased(tokens).next().is_some() && cased(tokens).all(is_capital)
}

fn closed_class(old: &[Token], new: &[Token]) -> Result<(), Reason> {
    // If both values are names, as "In Progress" and "Done", a preposition with a capital belongs to the name.
    let are_names = is_name(old) && is_name(new);
    for (at, token) in new.iter().enumerate() {
        let word = token.fold.as_str();
        let is_one_capital = token.text.chars().count() == 1 && is_capital(token);
        let stood = |is_class: fn(&str) -> bool| old.get(at).is_some_and(|old| is_class(&old.fold));
        if words::is_strict(word) && !is_one_capital {
            return Err(Reason::ClosedClass);
        }
        let is_english = ["the", "a", "an"].contains(&word);
        let is_article = words::is_determiner(word)
            && !stood(words::is_determiner)
            && (is_english || !are_names);
        if is_article && !is_one_capital {
            return Err(Reason::Determiner);
        }
        if words::is_soft(word) && !is_one_capital && !stood(words::is_soft) && !are_names {
            return Err(Reason::ClosedClass);
        }
        // Arabic and Hebrew attach "and" to a word as its first letter.
        let has_and = |word: &str| word.starts_with(['و', 'ו']);
        if at > 0 && has_and(word) && !old.get(at).is_some_and(|old| has_and(&old.fold)) {
            return Err(Reason::ClosedClass);
        }
    }
    unspaced(new)
}

/// Refuses values that contain a closed-class word, such as "and" or "not", in a script without spaces.
fn unspaced(new: &[Token]) -> Result<(), Reason> {
    let mut run = String::new();
    let mut word = String::new();
    for (at, token) in new.iter().enumerate() {
        if !token.is_unspaced() {
            run.push(' ');
            word.clear();
            continue;
        }
        if token.after_space {
            word.clear();
        }
        run.push_str(&token.fold);
        word.push_str(&token.fold);
        let next = new.get(at + 1);
        let ends_word = next.is_none_or(|next| next.after_space || !next.is_unspaced());
        // Between two words, this Korean particle means "and".
        let joins = token.fold == "과" && next.is_some() && word.chars().count() > 1;
        if ends_word && (words::is_hangul_word(&word) || joins) {
            return Err(Reason::ClosedClass);
        }
    }
    let has_closed = run.split(' ').any(words::contains_unspaced);
    refuse_if(has_closed, Reason::ClosedClass)
}

/// Checks that the tokens with digits have the same kinds in both values, in the same order. The kinds are number,
/// identifier, date and time.
fn numbers(old: &[Token], new: &[Token]) -> Result<(), Reason> {
    let kinds = |tokens: &[Token]| -> Vec<Kind> {
        let counted = tokens.iter().map(|token| token.kind);
        counted
            .filter(|kind| matches!(kind, Kind::Number | Kind::Id | Kind::Date | Kind::Time))
            .collect()
    };
    refuse_if(!(kinds(old) == kinds(new)), Reason::Numbers)
}

fn extension(old: &[Token], new: &[Token]) -> Result<(), Reason> {
    let folds = |tokens: &[Token]| -> Vec<String> {
        tokens.iter().map(|token| token.fold.clone()).collect()
    };
    let (old, new) = (folds(old), folds(new));
    let sorted = |folds: &[String]| {
        let mut sorted = folds.to_vec();
        sorted.sort();
        sorted
    };
    let is_extension =
        is_subsequence(&old, &new) || is_subsequence(&new, &old) || sorted(&old) == sorted(&new);
    refuse_if(is_extension, Reason::Extension)
}

fn is_subsequence(short: &[String], long: &[String]) -> bool {
    let mut rest = long.iter();
    short.iter().all(|word| rest.any(|other| other == word))
}

fn names(old: &[Token], new: &[Token]) -> Result<(), Reason> {
    refuse_if(
        is_name(old) && !cased(new).all(is_capital),
        Reason::NotAName,
    )
}

/// Returns the number of words. In scripts without spaces it is an estimate: a run of katakana or Hangul counts as one word,
/// two Han characters count as one, and four characters of any other script count as one.
fn word_count(tokens: &[Token]) -> usize {
    let mut count = 0;
    let mut run: Vec<&Token> = Vec::new();
    let close = |run: &mut Vec<&Token>, count: &mut usize| {
        let Some(first) = run.first() else { return };
        *count += match script_of(first) {
            Script::Katakana | Script::Hangul => 1,
            Script::Han => run.len().div_ceil(2),
            _ => run.len().div_ceil(4),
        };
        run.clear();
    };
    for token in tokens {
        let continues = run
            .last()
            .is_some_and(|last| script_of(last) == script_of(token))
            && !token.after_space;
        if !continues || !token.is_unspaced() {
            close(&mut run, &mut count);
        }
        if token.is_unspaced() {
            run.push(token);
        } else {
            count += 1;
        }
    }
    close(&mut run, &mut count);
    count
}

fn length(
    old: &[Token],
    new: &[Token],
    around: &Surroundings,
    is_last: bool,
) -> Result<(), Reason> {
    let is_unspaced = |tokens: &[Token]| tokens.iter().any(Token::is_unspaced);
    let (was, is) = (word_count(old), word_count(new));
    let difference = was.abs_diff(is);
    let shrinks = is * 3 < was;
    let is_kept = if around.is_irreversible && (is_unspaced(old) || is_unspaced(new)) {
        old.len().abs_diff(new.len()) <= 1
    } else if around.is_irreversible {
        difference == 0
    } else if is_last {
        difference <= 1
    } else {
        is <= (was + MORE_WORDS).max(LEAST_CAP)
    };
    if !is_kept || shrinks {
        return Err(Reason::Length);
    }
    if !around.knows_language && difference > 0 {
        return Err(Reason::UnknownLanguage);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goal::slots::Shape;

    /// Checks `new` as the new value of a hole. The recorded goal is in English and has the value `old` between the two
    /// parts of `frame`.
    fn verdict(
        frame: [&str; 2],
        old: &str,
        new: &str,
        is_irreversible: bool,
        state: State,
    ) -> Result<(), Reason> {
        let goal = compose(&format!("{} {old} {}", frame[0], frame[1]));
        let tokens = lex(&goal);
        let (start, length) = (lex(frame[0]).len(), lex(old).len());
        let span = &tokens[start..start + length];
        let hole = Hole {
            start,
            end: start + length,
            value: Value::of(span, &goal),
            shape: Shape::of(span),
            id: String::new(),
            state,
        };
        let is_last = frame[1].is_empty();
        let holes = [hole];
        let around = Surroundings::of(&tokens, &holes, is_irreversible);
        let new = compose(new);
        check(
            &holes[0],
            &Value::of(&lex(&new), &new),
            &around,
            is_last,
            false,
        )
    }

    const SEARCH: [&str; 2] = ["Search for", "and add the cheapest to the cart"];

    #[test]
    fn a_value_is_no_clause() {
        for (new, reason) in [
            ("tennis balls and rackets", Reason::FrameWord),
            ("tennis balls or rackets", Reason::ClosedClass),
            ("tennis balls, rackets", Reason::Signs),
            ("tennis\nballs", Reason::Signs),
            ("tennis balls *", Reason::Signs),
            ("balls https://a.example", Reason::Signs),
            ("t\u{435}nnis balls", Reason::Script),
            ("2 balls", Reason::Numbers),
            ("an umbrella", Reason::Determiner),
            ("balls in Rome", Reason::ClosedClass),
            ("padel rackets red", Reason::Extension),
            ("rackets padel", Reason::Extension),
            ("rackets", Reason::Extension),
            ("very long words without end here", Reason::ClosedClass),
            ("some words", Reason::ClosedClass),
            ("one two", Reason::ClosedClass),
            ("green yellow blue white black", Reason::Length),
        ] {
            assert_eq!(
                verdict(SEARCH, "padel rackets", new, false, State::Tentative),
                Err(reason),
                "{new}"
            );
        }
        for new in [
            "tennis balls",
            "Running Shoes",
            "umbrellas",
            "\"bed and breakfast, all of it\"",
            "waterproof hiking boots",
        ] {
            assert_eq!(
                verdict(SEARCH, "padel rackets", new, false, State::Tentative),
                Ok(()),
                "{new}"
            );
        }
    }

    #[test]
    fn a_frame_that_speaks_of_the_value_keeps_it() {
        let open = ["Open project", "and close Alpha's tasks"];
        assert_eq!(
            verdict(open, "Alpha", "Beta", false, State::Tentative),
            Err(Reason::WhichOccurrence)
        );
        let sort = ["Search for", "and sort the racket list"];
        assert_eq!(
            verdict(
                sort,
                "padel rackets",
                "tennis balls",
                false,
                State::Tentative
            ),
            Err(Reason::WhichOccurrence)
        );
    }

    #[test]
    fn what_cannot_be_undone_keeps_its_length() {
        let delete = ["Delete the project", ""];
        assert_eq!(
            verdict(delete, "Alpha", "Gamma Ray", true, State::Tentative),
            Err(Reason::Length)
        );
        assert_eq!(
            verdict(delete, "Alpha", "Gamma Ray", false, State::Tentative),
            Ok(())
        );
        assert_eq!(
            verdict(delete, "Alpha", "Gamma Ray", true, State::Confirmed),
            Ok(())
        );
        assert_eq!(
            verdict(delete, "Alpha", "not Beta", true, State::Confirmed),
            Err(Reason::ClosedClass)
        );
        assert_eq!(
            verdict(delete, "Alpha", "everything", true, State::Tentative),
            Err(Reason::ClosedClass)
        );
        assert_eq!(
            verdict(delete, "Alpha", "beta", true, State::Tentative),
            Err(Reason::NotAName)
        );
    }

    #[test]
    fn names_may_hold_prepositions_with_capitals() {
        let status = ["Set the status to", ""];
        assert_eq!(
            verdict(status, "Done", "In Progress", false, State::Tentative),
            Ok(())
        );
        assert_eq!(
            verdict(status, "Done", "in progress", false, State::Tentative),
            Err(Reason::ClosedClass)
        );
        assert_eq!(
            verdict(
                ["show those", ""],
                "in stock",
                "on sale",
                false,
                State::Tentative
            ),
            Ok(())
        );
    }

    #[test]
    fn a_number_keeps_its_form() {
        let price = ["laptops under", "euros"];
        for (old, new, expected) in [
            ("800", "1200", Ok(())),
            ("800", "1.200", Err(Reason::NumberForm)),
            ("800", "0800", Err(Reason::NumberForm)),
            ("007", "008", Ok(())),
            ("1,250.00", "980.50", Ok(())),
        ] {
            assert_eq!(
                verdict(price, old, new, false, State::Tentative),
                expected,
                "{old} {new}"
            );
        }
    }

    #[test]
    fn unspaced_scripts_have_their_own_measure() {
        let japanese = ["", "を検索して最安値をカートに追加"];
        for (new, expected) in [
            ("登山靴", Ok(())),
            ("スカート", Ok(())),
            ("テニスボールとシューズ", Err(Reason::Script)),
            ("カート", Err(Reason::FrameWord)),
            ("最安値", Err(Reason::FrameWord)),
            ("靴以外", Err(Reason::ClosedClass)),
            ("パデルラケット赤", Err(Reason::Extension)),
        ] {
            assert_eq!(
                verdict(japanese, "パデルラケット", new, false, State::Tentative),
                expected,
                "{new}"
            );
        }
        let korean = ["", "을 검색"];
        assert_eq!(
            verdict(korean, "라켓", "공과 신발", false, State::Tentative),
            Err(Reason::ClosedClass)
        );
        assert_eq!(
            verdict(korean, "라켓", "shoes", false, State::Tentative),
            Err(Reason::Script)
        );
    }

    #[test]
    fn an_unknown_language_keeps_the_length() {
        let georgian = ["წაშალე პროექტი", "ახლავე"];
        assert_eq!(
            verdict(georgian, "ალფა", "ბეტა", false, State::Tentative),
            Ok(())
        );
        assert_eq!(
            verdict(georgian, "ალფა", "ბეტა გამა", false, State::Tentative),
            Err(Reason::UnknownLanguage)
        );
    }
}
