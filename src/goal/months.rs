//! Month names in thirteen languages.

use std::{collections::HashMap, sync::LazyLock};

use serde::{Deserialize, Serialize};

use super::fold::fold;

/// A language whose names of months this crate knows, to read and write dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names are ISO 639-1 codes")]
#[non_exhaustive]
pub enum Language {
    En,
    De,
    Fr,
    Es,
    It,
    Pt,
    Nl,
    Ru,
    Tr,
    Pl,
    Ar,
    Hi,
    He,
}

/// The month names of a language. A month may have several forms, separated by `|`. All forms are recognised; the first one
/// is written.
struct Months {
    language: Language,
    full: [&'static str; 12],
    short: [&'static str; 12],
}

const TABLES: [Months; 13] = [
    Months {
        language: Language::En,
        full: [
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ],
        short: [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep|Sept", "Oct", "Nov", "Dec",
        ],
    },
    Months {
        language: Language::De,
        full: [
            "Januar|Jänner",
            "Februar",
            "März|Maerz",
            "April",
            "Mai",
            "Juni",
            "Juli",
            "August",
            "September",
            "Oktober",
            "November",
            "Dezember",
        ],
        short: [
            "Jan", "Feb", "Mär", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep|Sept", "Okt", "Nov", "Dez",
        ],
    },
    Months {
        language: Language::Fr,
        full: [
            "janvier",
            "février|fevrier",
            "mars",
            "avril",
            "mai",
            "juin",
            "juillet",
            "août|aout",
            "septembre",
            "octobre",
            "novembre",
            "décembre|decembre",
        ],
        short: [
            "janv", "févr", "mars", "avr", "mai", "juin", "juil", "août", "sept", "oct", "nov",
            "déc",
        ],
    },
    Months {
        language: Language::Es,
        full: [
            "enero",
            "febrero",
            "marzo",
            "abril",
            "mayo",
            "junio",
            "julio",
            "agosto",
            "septiembre|setiembre",
            "octubre",
            "noviembre",
            "diciembre",
        ],
        short: [
            "ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sept|sep", "oct", "nov", "dic",
        ],
    },
    Months {
        language: Language::It,
        full: [
            "gennaio",
            "febbraio",
            "marzo",
            "aprile",
            "maggio",
            "giugno",
            "luglio",
            "agosto",
            "settembre",
            "ottobre",
            "novembre",
            "dicembre",
        ],
        short: [
            "gen", "feb", "mar", "apr", "mag", "giu", "lug", "ago", "set", "ott", "nov", "dic",
        ],
    },
    Months {
        language: Language::Pt,
        full: [
            "janeiro",
            "fevereiro",
            "março|marco",
            "abril",
            "maio",
            "junho",
            "julho",
            "agosto",
            "setembro",
            "outubro",
            "novembro",
            "dezembro",
        ],
        short: [
            "jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez",
        ],
    },
    Months {
        language: Language::Nl,
        full: [
            "januari",
            "februari",
            "maart",
            "april",
            "mei",
            "juni",
            "juli",
            "augustus",
            "september",
            "oktober",
            "november",
            "december",
        ],
        short: [
            "jan", "feb", "mrt", "apr", "mei", "jun", "jul", "aug", "sep", "okt", "nov", "dec",
        ],
    },
    Months {
        language: Language::Ru,
        full: [
            "январь|января|январе",
            "февраль|февраля|феврале",
            "март|марта|марте",
            "апрель|апреля|апреле",
            "май|мая|мае",
            "июнь|июня|июне",
            "июль|июля|июле",
            "август|августа|августе",
            "сентябрь|сентября|сентябре",
            "октябрь|октября|октябре",
            "ноябрь|ноября|ноябре",
            "декабрь|декабря|декабре",
        ],
        short: [
            "янв",
            "февр|фев",
            "мар",
            "апр",
            "май",
            "июн",
            "июл",
            "авг",
            "сент|сен",
            "окт",
            "нояб|ноя",
            "дек",
        ],
    },
    Months {
        language: Language::Tr,
        full: [
            "Ocak", "Şubat", "Mart", "Nisan", "Mayıs", "Haziran", "Temmuz", "Ağustos", "Eylül",
            "Ekim", "Kasım", "Aralık",
        ],
        short: [
            "Oca", "Şub", "Mar", "Nis", "May", "Haz", "Tem", "Ağu", "Eyl", "Eki", "Kas", "Ara",
        ],
    },
    Months {
        language: Language::Pl,
        full: [
            "styczeń|stycznia",
            "luty|lutego",
            "marzec|marca",
            "kwiecień|kwietnia",
            "maj|maja",
            "czerwiec|czerwca",
            "lipiec|lipca",
            "sierpień|sierpnia",
            "wrzesień|września",
            "październik|października",
            "listopad|listopada",
            "grudzień|grudnia",
        ],
        short: [
            "sty", "lut", "mar", "kwi", "maj", "cze", "lip", "sie", "wrz", "paź", "lis", "gru",
        ],
    },
    Months {
        language: Language::Ar,
        full: [
            "يناير",
            "فبراير",
            "مارس",
            "أبريل|ابريل|إبريل",
            "مايو",
            "يونيو",
            "يوليو",
            "أغسطس|اغسطس",
            "سبتمبر",
            "أكتوبر|اكتوبر",
            "نوفمبر",
            "ديسمبر",
        ],
        short: [""; 12],
    },
    Months {
        language: Language::Hi,
        full: [
            "जनवरी",
            "फरवरी",
            "मार्च",
            "अप्रैल",
            "मई",
            "जून",
            "जुलाई",
            "अगस्त",
            "सितंबर|सितम्बर",
            "अक्टूबर|अक्तूबर",
            "नवंबर|नवम्बर",
            "दिसंबर|दिसम्बर",
        ],
        short: [""; 12],
    },
    Months {
        language: Language::He,
        full: [
            "ינואר|בינואר",
            "פברואר|בפברואר",
            "מרץ|במרץ",
            "אפריל|באפריל",
            "מאי|במאי",
            "יוני|ביוני",
            "יולי|ביולי",
            "אוגוסט|באוגוסט",
            "ספטמבר|בספטמבר",
            "אוקטובר|באוקטובר",
            "נובמבר|בנובמבר",
            "דצמבר|בדצמבר",
        ],
        short: [""; 12],
    },
];

/// A month name that was read. `month` counts from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MonthName {
    pub(super) month: u32,
    pub(super) languages: Vec<Language>,
    pub(super) is_full: bool,
}

/// Every form of every month name, folded. The value is `None` for a word that means different months in different
/// languages.
static NAMES: LazyLock<HashMap<String, Option<MonthName>>> = LazyLock::new(|| {
    let mut names: HashMap<String, Option<MonthName>> = HashMap::new();
    for table in &TABLES {
        for (months, is_full) in [(&table.full, true), (&table.short, false)] {
            for (month, forms) in (1..).zip(months) {
                for form in forms.split('|').filter(|form| !form.is_empty()) {
                    let entry = names.entry(fold(form)).or_insert_with(|| {
                        Some(MonthName {
                            month,
                            languages: Vec::new(),
                            is_full: false,
                        })
                    });
                    match entry {
                        Some(name) if name.month == month => name.add(table.language, is_full),
                        _ => *entry = None,
                    }
                }
            }
        }
    }
    names
});

impl MonthName {
    fn add(&mut self, language: Language, is_full: bool) {
        self.is_full |= is_full;
        if !self.languages.contains(&language) {
            self.languages.push(language);
        }
    }
}

static GERMAN: LazyLock<Vec<(String, u32)>> = LazyLock::new(|| {
    let german = TABLES.iter().filter(|table| table.language == Language::De);
    german
        .flat_map(|table| table.full.iter().zip(1..))
        .flat_map(|(forms, month)| forms.split('|').map(move |form| (fold(form), month)))
        .collect()
});

/// Reads a folded word as a month name. Returns `None` if the word is no month name, or if it means different months in
/// different languages.
pub(super) fn read(word: &str) -> Option<MonthName> {
    NAMES.get(word).cloned().flatten()
}

/// Returns the full name of a month in a language, or its short form if `is_full` is false. `month` counts from 1. Returns
/// `None` if the lists in this file have no such name.
pub(super) fn name(month: u32, language: Language, is_full: bool) -> Option<&'static str> {
    let table = TABLES.iter().find(|table| table.language == language)?;
    let names = if is_full { &table.full } else { &table.short };
    let forms = names.get(usize::try_from(month).ok()?.checked_sub(1)?)?;
    forms.split('|').next().filter(|form| !form.is_empty())
}

pub(super) fn languages() -> impl Iterator<Item = Language> {
    TABLES.iter().map(|table| table.language)
}

/// Splits a German compound that begins with a month, such as `Märzbericht`, into the month and the rest of the word.
///
/// The rest must be long enough to be a noun, so that `Maier` and `Juniper` are not split.
pub(super) fn compound(word: &str) -> Option<(u32, String)> {
    const SHORTEST_REST: usize = 5;
    let is_noun = word.chars().next().is_some_and(char::is_uppercase);
    if !is_noun || !word.chars().all(char::is_alphabetic) {
        return None;
    }
    let folded = fold(word);
    GERMAN.iter().find_map(|(form, month)| {
        let rest = folded.strip_prefix(form.as_str())?;
        (rest.chars().count() >= SHORTEST_REST).then(|| (*month, rest.to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn month_names_are_read_in_every_language_that_has_them() {
        let april = read("april").unwrap();
        assert_eq!(april.month, 4);
        assert_eq!(april.languages, [Language::En, Language::De, Language::Nl]);
        assert_eq!(read("июля").unwrap().month, 7);
        assert_eq!(read("sept").unwrap().month, 9);
        assert!(!read("oct").unwrap().is_full && read("may").unwrap().is_full);
        assert_eq!(read("report"), None);
        assert_eq!(read(""), None);
    }

    #[test]
    fn a_month_is_named_in_its_first_form() {
        assert_eq!(name(3, Language::De, true), Some("März"));
        assert_eq!(name(9, Language::En, false), Some("Sep"));
        assert_eq!(name(1, Language::Ar, false), None);
        assert_eq!(name(13, Language::En, true), None);
        assert_eq!(languages().count(), 13);
    }

    #[test]
    fn german_compounds_are_split_and_names_are_not() {
        assert_eq!(compound("Märzbericht"), Some((3, "bericht".to_owned())));
        assert_eq!(compound("Aprilbericht"), Some((4, "bericht".to_owned())));
        for word in [
            "Jahresbericht",
            "Juniper",
            "Maier",
            "märzbericht",
            "März",
            "Augustin",
        ] {
            assert_eq!(compound(word), None, "{word}");
        }
    }
}
