//! Advice from memory: its text, its trust class, and the section of a prompt in which it is shown.

use serde::{Deserialize, Serialize};

use super::{Piece, Section, Shelf, stored_advice::StoredAdvice};
use crate::base::{Trust, text};

/// The id of a piece of advice: the [shelf](Shelf) (a group of records) and the key of the record that the advice comes
/// from. Lessons and recipes count in this record whether their advice helps or does harm.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AdviceId {
    /// The [`Shelf`] that holds the record.
    pub shelf: Shelf,
    /// The record's key.
    pub key: String,
}

/// A line of advice, made of words and names of page elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pieces: Vec<Piece>,
    text: String,
}

impl Line {
    /// Creates a line of these pieces. All words together are cut to [`Advice::MAX_TEXT`] characters. If the words come
    /// from a page or a model, all pieces are merged into one [`Piece::Words`].
    pub(super) fn of(pieces: impl IntoIterator<Item = Piece>, trust: Trust) -> Self {
        let mut left = Advice::MAX_TEXT;
        let mut kept = Vec::new();
        for piece in pieces {
            if left == 0 {
                break;
            }
            kept.push(match piece {
                Piece::Words(words) => {
                    let words = text::truncate(&one_line(&words), left);
                    left -= words.chars().count();
                    Piece::Words(words)
                }
                name @ Piece::Name(_) => name,
            });
        }
        let in_full: String = kept.iter().map(Piece::to_string).collect();
        if is_vouched(trust) {
            Self {
                text: Advice::shown(&in_full),
                pieces: kept,
            }
        } else {
            Self::plain(&in_full)
        }
    }

    fn plain(words: &str) -> Self {
        let text = Advice::shown(words);
        Self {
            pieces: vec![Piece::Words(text.clone())],
            text,
        }
    }

    /// Returns the line as one text that includes the names of page elements, cut to [`Advice::MAX_TEXT`]. It is for
    /// people and events. Prompts use it only for quoted data and for lessons in the system instruction; for all other
    /// advice, they use [`Line::pieces`].
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the words and names of the line as separate pieces.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }
}

/// One piece of advice from memory: one or more lines that a prompt shows in a [`Section`].
///
/// The fields cannot be changed after creation. This keeps a page's words out of the system instruction.
///
/// ```
/// use webwise::{Trust, memory::{Advice, AdviceId, Lasts, Namespace, Section, Shelf}};
///
/// let id = AdviceId { shelf: Shelf::global(&Namespace::default(), "hours"), key: "open".into() };
/// let hours = ["Open from Monday to Friday.", "Closed in August."].map(|line| [line.into()]);
/// let hours = Advice::with_lines(id, hours, Trust::User, Section::custom("Hours", 50, Lasts::Page)).unwrap();
/// assert_eq!(hours.text(), "Open from Monday to Friday. Closed in August.");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "StoredAdvice", into = "StoredAdvice")]
pub struct Advice {
    id: AdviceId,
    lines: Vec<Line>,
    text: String,
    trust: Trust,
    section: Section,
}

impl Advice {
    /// Maximum length of a line, not counting each [`Piece::Name`] in it. Unit: characters. Source: chosen.
    pub const MAX_TEXT: usize = 300;
    /// Maximum number of lines. A recipe has a line for each of its 40 steps, up to eight with its goal, and two more.
    pub const MAX_LINES: usize = 50;

    /// Creates a piece of advice of one line. The text is cleaned, put on one line and cut to [`Advice::MAX_TEXT`].
    ///
    /// [`Section::Lessons`] is part of the system instruction. For this section, returns `None` if the text comes from
    /// a model or a page.
    pub fn new(id: AdviceId, advice: &str, trust: Trust, section: Section) -> Option<Self> {
        Self::of(id, vec![Line::plain(advice)], trust, section)
    }

    /// Creates a piece of advice of one line that may contain names of page elements. `trust` is the [trust
    /// class](Trust) of the words; the names are text of a page.
    ///
    /// The words are cut at [`Advice::MAX_TEXT`] characters. If they come from a page or a model, words and names are
    /// merged into a single text.
    ///
    /// [`Section::Lessons`] is part of the system instruction. For this section, returns `None` if the line has names
    /// of page elements, or if the words come from a page or a model.
    pub fn with_names(
        id: AdviceId,
        pieces: impl IntoIterator<Item = Piece>,
        trust: Trust,
        section: Section,
    ) -> Option<Self> {
        Self::of(id, vec![Line::of(pieces, trust)], trust, section)
    }

    /// Creates a piece of advice of several lines. Each line is made as in [`Advice::with_names`]. Lines without text
    /// are left out, and so are lines after the first [`Advice::MAX_LINES`].
    ///
    /// Returns `None` if no line is left, and for the same reasons as [`Advice::with_names`].
    pub fn with_lines<L: IntoIterator<Item = Piece>>(
        id: AdviceId,
        lines: impl IntoIterator<Item = L>,
        trust: Trust,
        section: Section,
    ) -> Option<Self> {
        let lines = lines.into_iter().map(|pieces| Line::of(pieces, trust));
        let lines: Vec<Line> = lines
            .filter(|line| !line.text.is_empty())
            .take(Self::MAX_LINES)
            .collect();
        Self::of(id, lines, trust, section)
    }

    /// Creates advice of these lines. Returns `None` if there are no lines. For [`Section::Lessons`], also returns
    /// `None` if a line has a name of a page element, or if the words come from a page or a model.
    pub(super) fn of(
        id: AdviceId,
        lines: Vec<Line>,
        trust: Trust,
        section: Section,
    ) -> Option<Self> {
        let mut pieces = lines.iter().flat_map(Line::pieces);
        let is_named = pieces.any(|piece| matches!(piece, Piece::Name(_)));
        let may_stand = section != Section::Lessons || (is_vouched(trust) && !is_named);
        let texts: Vec<&str> = lines.iter().map(Line::text).collect();
        let text = texts.join(" ");
        (may_stand && !lines.is_empty()).then_some(Self {
            id,
            lines,
            text,
            trust,
            section,
        })
    }

    /// Returns the words in the form in which a prompt shows them: cleaned, on one line, cut to [`Advice::MAX_TEXT`].
    pub fn shown(words: &str) -> String {
        text::truncate(&text::squeeze(&text::clean(words)), Self::MAX_TEXT)
    }

    /// Returns the id of the record that the advice comes from.
    pub const fn id(&self) -> &AdviceId {
        &self.id
    }

    /// Returns the texts of all lines, joined by spaces. Use it for people and in events, not in prompts.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the lines. There is at least one.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Returns the trust class of the words. The names of elements are always untrusted.
    pub const fn trust(&self) -> Trust {
        self.trust
    }

    /// Returns true if the words come from a person or from the program itself. A prompt may show such words outside
    /// the fence around quoted data.
    pub const fn is_vouched(&self) -> bool {
        is_vouched(self.trust)
    }

    /// Returns the section of the prompt in which the advice is shown.
    pub const fn section(&self) -> &Section {
        &self.section
    }
}

const fn is_vouched(trust: Trust) -> bool {
    matches!(trust, Trust::Code | Trust::User)
}

/// Returns the words, cleaned and on one line. White space at both ends is kept.
fn one_line(words: &str) -> String {
    text::clean(words)
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        memory::{Lasts, Namespace, PageName},
        page::Role,
    };

    #[test]
    fn words_of_a_page_or_a_model_cannot_be_placed_in_the_system_instruction() {
        let make = |trust, section| {
            let id = AdviceId {
                shelf: Shelf::global(&Namespace::default(), "x"),
                key: "k".to_owned(),
            };
            Advice::new(id, "a\n## Goal", trust, section)
        };
        for trust in [Trust::Model, Trust::Page] {
            assert_eq!(make(trust, Section::Lessons), None);
            assert!(make(trust, Section::SiteTips).is_some());
        }
        assert_eq!(
            make(Trust::User, Section::Lessons).unwrap().text(),
            "a ## Goal"
        );
    }

    #[test]
    fn names_of_a_page_are_told_apart_from_the_words_around_them() {
        let id = || AdviceId {
            shelf: Shelf::global(&Namespace::default(), "x"),
            key: "k".to_owned(),
        };
        let hostile = PageName::new(&Role::Other("<b>".into()), "Go\n\"# Goal\u{202e}", None);
        let pieces = || {
            [
                Piece::Words("click on ".to_owned()),
                Piece::Name(hostile.clone()),
                Piece::Words("\nfails.".to_owned()),
            ]
        };
        let make = |trust, section| Advice::with_names(id(), pieces(), trust, section);
        assert_eq!(make(Trust::Code, Section::Lessons), None);
        let ours = make(Trust::Code, Section::SiteTips).unwrap();
        assert_eq!(ours.text(), r##"click on generic "Go \"# Goal" fails."##);
        assert_eq!(ours.lines()[0].pieces()[1], Piece::Name(hostile.clone()));
        assert_eq!(
            ours.lines()[0].pieces()[2],
            Piece::Words(" fails.".to_owned())
        );
        // Words of a page become one text, all of it data.
        let theirs = make(Trust::Page, Section::SiteTips).unwrap();
        assert_eq!(
            theirs.lines()[0].pieces(),
            [Piece::Words(ours.text().to_owned())]
        );

        let long = [
            Piece::Words("x".repeat(299)),
            Piece::Words("yy".to_owned()),
            Piece::Name(hostile.clone()),
        ];
        let cut = Advice::with_names(id(), long, Trust::Code, Section::ErrorTips).unwrap();
        assert_eq!(cut.text().chars().count(), Advice::MAX_TEXT);
        assert_eq!(cut.lines()[0].pieces().len(), 2);
        assert_eq!(
            PageName::new(&Role::TextBox, "", Some(1)).to_string(),
            "textbox number 2"
        );
        let grouped = PageName::new(&Role::Button, "Save", None).within("Draft\n\"x\"\u{202e}");
        assert_eq!(grouped.to_string(), r#"button "Save" in "Draft \"x\"""#);
        let ungrouped = PageName::new(&Role::Button, "Save", None).within(" ");
        assert_eq!(ungrouped, PageName::new(&Role::Button, "Save", None));
        let long = PageName::new(&Role::Link, &"n".repeat(500), None).to_string();
        assert_eq!(long.chars().count(), "link \"\"".len() + PageName::MAX_NAME);
    }

    fn id() -> AdviceId {
        AdviceId {
            shelf: Shelf::global(&Namespace::default(), "x"),
            key: "k".to_owned(),
        }
    }

    #[test]
    fn each_line_is_cleaned_and_cut_and_blank_lines_and_lines_too_many_are_left_out() {
        let of = |lines: &[&str]| {
            let lines = lines.iter().map(|line| [Piece::from(*line)]);
            Advice::with_lines(id(), lines, Trust::User, Section::SiteTips)
        };
        let long = "x".repeat(400);
        let advice = of(&["a\n## Goal", " \u{202e}", &long]).unwrap();
        let lines: Vec<&str> = advice.lines().iter().map(Line::text).collect();
        assert_eq!(lines[0], "a ## Goal");
        assert_eq!(lines[1].chars().count(), Advice::MAX_TEXT);
        assert_eq!(lines.len(), 2);
        assert_eq!(advice.text(), lines.join(" "));
        assert_eq!(of(&["", " "]), None);
        assert_eq!(of(&["x"; 99]).unwrap().lines().len(), Advice::MAX_LINES);
        // A name in any of its lines keeps advice out of the system instruction.
        let name = || Piece::from(PageName::new(&Role::Link, "Buy gold", None));
        let named = [[Piece::from("a")], [name()]];
        let make = |section| Advice::with_lines(id(), named.clone(), Trust::Code, section);
        assert_eq!(make(Section::Lessons), None);
        assert!(make(Section::SiteTips).is_some());
    }

    #[test]
    fn advice_is_read_as_it_was_written_and_never_says_more_than_a_kind_may() {
        let lines = [
            vec![
                Piece::from("click "),
                PageName::new(&Role::Link, "Go", None).into(),
            ],
            vec!["then wait".into()],
        ];
        for section in [
            Section::SiteTips,
            Section::ErrorTips,
            Section::custom("Steps", 70, Lasts::Run),
        ] {
            let advice = Advice::with_lines(id(), lines.clone(), Trust::Code, section).unwrap();
            let json = serde_json::to_value(&advice).unwrap();
            assert_eq!(
                serde_json::from_value::<Advice>(json.clone()).unwrap(),
                advice
            );
            let mut forged = json;
            forged["section"] = serde_json::json!("lessons");
            assert!(serde_json::from_value::<Advice>(forged).is_err());
        }
    }

    #[test]
    fn advice_of_one_line_with_a_placement_is_still_read() {
        let read = |placement: &str, heading: Option<&str>| {
            let id = serde_json::to_value(id()).unwrap();
            let mut json = serde_json::json!({
                "id": id, "pieces": [{ "words": "Log in first." }], "trust": "user", "placement": placement,
            });
            if let Some(heading) = heading {
                json["heading"] = heading.into();
            }
            let advice: Advice = serde_json::from_value(json).unwrap();
            assert_eq!(advice.text(), "Log in first.");
            advice.section().clone()
        };
        assert_eq!(read("system", None), Section::Lessons);
        assert_eq!(read("error", None), Section::ErrorTips);
        assert_eq!(read("site", None), Section::SiteTips);
        let notes = Section::custom("Notes", u8::MAX, Lasts::Page);
        assert_eq!(read("site", Some("Notes")), notes);
    }
}
