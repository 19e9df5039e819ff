//! Merges tokens that belong together: the parts of a written date, and an hour with its `am` or `pm`. Also replaces the two
//! forms of a Korean particle by one form.

use super::{
    dates::{Date, Reading, Time},
    fold::digit,
    lex::{Kind, Token},
    months::{self, Language, MonthName},
    numbers::plain_value,
    scripts::Script,
};

/// Words between the parts of a date, as in `3 de marzo de 2025` and `3rd of March`.
const CONNECTORS: [&str; 6] = ["of", "de", "del", "d'", "di", "do"];
/// Month names that are also common words. In lower case, such a word counts as a month only together with a day or a year.
const ALSO_WORDS: [&str; 6] = ["may", "march", "mars", "mart", "mai", "august"];

pub(super) fn month_alone(month: u32) -> Vec<Reading> {
    Date::new(None, Some(month), None)
        .map(|date| Reading { date, order: None })
        .into_iter()
        .collect()
}

/// A date that was found, with the number of tokens that it takes.
struct Found {
    date: Date,
    languages: Vec<Language>,
    length: usize,
}

/// Merges the tokens of written dates into tokens of [`Kind::Date`].
pub(super) fn dates(tokens: &mut Vec<Token>, text: &str) {
    let mut merged = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let found = characters(&tokens[at..]).or_else(|| words(tokens, at));
        let Some(found) = found else {
            merged.push(tokens[at].clone());
            at += 1;
            continue;
        };
        let (first, last) = (&tokens[at], &tokens[at + found.length - 1]);
        merged.push(Token {
            kind: Kind::Date,
            text: text[first.start..last.end].to_owned(),
            fold: found.date.canonical(),
            end: last.end,
            dates: vec![Reading {
                date: found.date,
                order: None,
            }],
            languages: found.languages,
            rest: None,
            ..first.clone()
        });
        at += found.length;
    }
    *tokens = merged;
}

/// Merges an hour with the `am` or `pm` after it, as in `7 pm` and `7:30 PM`.
pub(super) fn times(tokens: &mut Vec<Token>, text: &str) {
    let mut at = 0;
    while at + 1 < tokens.len() {
        let (hour, half) = (&tokens[at], &tokens[at + 1]);
        let is_pair = matches!(hour.kind, Kind::Number | Kind::Time)
            && ["am", "pm", "a.m", "p.m"].contains(&half.fold.as_str())
            && !half.after_punctuation
            && (half.fold != "am" || is_english(tokens.get(at + 2)));
        let whole = &text[hour.start..half.end];
        if let Some(time) = Time::read(whole).filter(|_| is_pair) {
            let half = tokens.remove(at + 1);
            let hour = &mut tokens[at];
            hour.kind = Kind::Time;
            whole.clone_into(&mut hour.text);
            hour.fold = time.canonical();
            hour.end = half.end;
        }
        at += 1;
    }
}

/// Reports whether "am" before the token `next` means the morning. In German, "am" is a preposition, as in
/// `Zimmer 7 am Fenster`. "am" means the morning if it is the last word of the goal, or if punctuation or an English
/// word such as "on" or "today" follows.
fn is_english(next: Option<&Token>) -> bool {
    const WORDS: [&str; 14] = [
        "on", "in", "for", "with", "at", "to", "and", "from", "until", "till", "the", "every",
        "today", "tomorrow",
    ];
    next.is_none_or(|next| next.after_punctuation || WORDS.contains(&next.fold.as_str()))
}

/// Reads a date in Chinese, Japanese or Korean such as `2025年3月4日`. The year or the day may be missing, but not the month.
fn characters(tokens: &[Token]) -> Option<Found> {
    const UNITS: [&[&str]; 3] = [&["年", "년"], &["月", "월"], &["日", "号", "號", "일"]];
    let mut parts = [None; 3];
    let (mut at, mut unit) = (0, 0);
    while unit < 3 {
        let number = tokens.get(at).and_then(number);
        let next = tokens.get(at + 1).map(|token| token.fold.as_str());
        let Some(found) = next.and_then(|next| (unit..3).find(|unit| UNITS[*unit].contains(&next)))
        else {
            break;
        };
        // After a year comes a month: `2025年4日` is no date.
        if number.is_none() || (at > 0 && found != unit) {
            break;
        }
        parts[found] = number;
        at += 2;
        unit = found + 1;
    }
    // A year or a day without a month may also be a count: `3年`, `3日`.
    parts[1]?;
    Some(Found {
        date: Date::new(parts[0], parts[1], parts[2])?,
        languages: Vec::new(),
        length: at,
    })
}

/// Reads the date that begins at the token `at`, if it contains a month name.
fn words(tokens: &[Token], at: usize) -> Option<Found> {
    let rest = &tokens[at..];
    if let Some(day) = day(&rest[0]) {
        let connector = usize::from(is_connector(rest.get(1)));
        let month_at = 1 + connector;
        let month = rest.get(month_at).and_then(month)?;
        let (year, length) = year_after(rest, month_at + 1);
        return may_stand(&month, year.is_some()).then_some(Found {
            date: Date::new(year, Some(month.month), Some(day))?,
            languages: month.languages,
            length,
        });
    }
    let month = month(&rest[0])?;
    let is_english = month.languages.contains(&Language::En);
    if let Some(day) = rest.get(1).and_then(day).filter(|_| is_english) {
        let (year, length) = year_after(rest, 2);
        return Some(Found {
            date: Date::new(year, Some(month.month), Some(day))?,
            languages: vec![Language::En],
            length,
        });
    }
    let (year, length) = year_after(rest, 1);
    let stands = match year {
        Some(_) => month.is_full || is_english,
        None => month.is_full && at > 0 && stands_alone(&rest[0]),
    };
    stands.then_some(Found {
        date: Date::new(year, Some(month.month), None)?,
        languages: month.languages,
        length,
    })
}

/// Reports whether a month name after a day belongs to a date. A short name in a language other than English belongs to one
/// only if a year follows, because it may be an English word: `set`, as in `2 set menus`, is also short for September in
/// Italian.
fn may_stand(month: &MonthName, has_year: bool) -> bool {
    month.is_full || has_year || month.languages.contains(&Language::En)
}

fn stands_alone(token: &Token) -> bool {
    let is_lower = token.text.chars().next().is_some_and(char::is_lowercase);
    !(is_lower && ALSO_WORDS.contains(&token.fold.as_str()))
}

fn month(token: &Token) -> Option<MonthName> {
    (token.kind == Kind::Word)
        .then(|| months::read(&token.fold))
        .flatten()
}

fn number(token: &Token) -> Option<u32> {
    let value = (token.kind == Kind::Number)
        .then(|| plain_value(&token.text))
        .flatten()?;
    u32::try_from(value).ok()
}

/// Reads the day of a month: `3`, `3rd`, `1er`, `1º`.
fn day(token: &Token) -> Option<u32> {
    let value = number(token).or_else(|| {
        let split = token.fold.find(|c: char| !c.is_ascii_digit())?;
        let (digits, ending) = token.fold.split_at(split);
        let is_ordinal =
            ["st", "nd", "rd", "th", "er", "o", "a", "e", "re", "-го"].contains(&ending);
        (token.kind == Kind::Id && is_ordinal)
            .then(|| digits.parse().ok())
            .flatten()
    })?;
    let is_short = token.text.chars().filter(|c| digit(*c).is_some()).count() <= 2;
    (is_short && (1..=31).contains(&value)).then_some(value)
}

fn is_connector(token: Option<&Token>) -> bool {
    token.is_some_and(|token| CONNECTORS.contains(&token.fold.as_str()))
}

/// Reads the year at the token `at`, or after that token if it is a connector such as "of". Returns the year and the
/// position after the year. If there is no year, returns `None` and `at`.
fn year_after(tokens: &[Token], at: usize) -> (Option<u32>, usize) {
    let skip = usize::from(is_connector(tokens.get(at)));
    let year = tokens
        .get(at + skip)
        .filter(|token| token.text.chars().count() == 4)
        .and_then(number)
        .filter(|year| (1900..=2100).contains(year));
    match year {
        Some(_) => (year, at + skip + 1),
        None => (None, at),
    }
}

/// Replaces the two forms of a Korean particle at the end of a word by one form.
///
/// The form depends on the sound before the particle, so it can change with the value: 공을, 신발을, 라켓을 but 의자를.
pub(super) fn particles(tokens: &mut Vec<Token>) {
    const PAIRS: [(&str, &str); 4] = [("를", "을"), ("는", "은"), ("가", "이"), ("와", "과")];
    let is_hangul = |token: &Token| {
        token.is_unspaced() && token.text.chars().all(|c| Script::of(c) == Script::Hangul)
    };
    let mut at = 1;
    while at < tokens.len() {
        let ends_word = tokens
            .get(at + 1)
            .is_none_or(|next| next.after_space || next.after_punctuation || !is_hangul(next));
        let is_attached = !tokens[at].after_space && !tokens[at].after_punctuation;
        if ends_word && is_attached && is_hangul(&tokens[at]) {
            if let Some((_, unified)) = PAIRS.iter().find(|(form, _)| *form == tokens[at].fold) {
                (*unified).clone_into(&mut tokens[at].fold);
            }
            let is_long_form = tokens[at].fold == "로" && tokens[at - 1].fold == "으" && at > 1;
            if is_long_form && !tokens[at - 1].after_space {
                let vowel = tokens.remove(at - 1);
                let particle = &mut tokens[at - 1];
                particle.text.insert_str(0, &vowel.text);
                particle.start = vowel.start;
                continue;
            }
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use crate::goal::{fold::compose, lex::lex};

    fn folds(text: &str) -> Vec<String> {
        lex(&compose(text))
            .iter()
            .map(|token| token.fold.clone())
            .collect()
    }

    #[test]
    fn written_dates_are_one_token() {
        for text in [
            "3 March 2025",
            "March 3, 2025",
            "3rd of March 2025",
            "3. März 2025",
            "le 3 mars 2025",
            "3 de marzo de 2025",
            "3 марта 2025",
            "2025年3月3日",
            "2025년 3월 3일",
            "3 مارس 2025",
            "3 Mart 2025",
        ] {
            assert_eq!(folds(text).last().unwrap(), "date:2025/3/3", "{text}");
        }
        assert_eq!(folds("for March 2025"), ["for", "date:2025/3/-"]);
        assert_eq!(
            folds("下载2025年11月的"),
            ["下", "载", "date:2025/11/-", "的"]
        );
    }

    #[test]
    fn an_hour_takes_its_half_of_the_day() {
        assert_eq!(folds("at 7 pm on"), ["at", "19:00", "on"]);
        assert_eq!(folds("at 7:30 p.m. on 7pm"), ["at", "19:30", "on", "19:00"]);
        assert_eq!(folds("I am 7, am I"), ["i", "am", "7", "am", "i"]);
        assert_eq!(folds("at 9 am with"), ["at", "09:00", "with"]);
        assert_eq!(
            folds("Zimmer 7 am Fenster"),
            ["zimmer", "7", "am", "fenster"]
        );
    }

    #[test]
    fn words_that_are_months_only_elsewhere_stay_words() {
        for text in [
            "set the status",
            "book 2 set menus",
            "march on",
            "it may fail",
            "3年",
        ] {
            assert!(
                folds(text).iter().all(|fold| !fold.starts_with("date:")),
                "{text}"
            );
        }
        assert_eq!(folds("31 February 2025"), ["31", "date:2025/2/-"]);
    }

    #[test]
    fn korean_particles_of_one_pair_are_equal() {
        assert_eq!(folds("라켓을 검색"), ["라", "켓", "을", "검", "색"]);
        assert_eq!(folds("의자를 검색"), ["의", "자", "을", "검", "색"]);
        assert_eq!(folds("부산으로"), ["부", "산", "로"]);
        assert_eq!(folds("서울로"), ["서", "울", "로"]);
    }
}
