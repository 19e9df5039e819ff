use super::*;
use crate::memory::{Lasts, Namespace};

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
