//! Tests of how a whole message is cut.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::{Keep, LastFailure, StepParts, pack::cost, step};
use crate::{
    action::{Action, BrowserAction, CallProblem, ErrorClass, Failure, Goto, Outcome, Signature},
    base::{Nonce, TokenCount, Trust},
    memory::{Advice, AdviceId, Lasts, Namespace, PageName, Section, Shelf},
    page::{Layout, PageHead, PageView, Role, Tree, ViewOptions, interpret},
    working::{Step, WorkingMemory},
};

/// The sections that may be cut. [`Keep`] says whether a section keeps its first or its last lines.
const CUT: [(&str, Keep); 9] = [
    ("Plan", Keep::First),
    ("Read before", Keep::Last),
    ("History", Keep::Last),
    ("Your notes", Keep::Last),
    ("Changed", Keep::First),
    ("Found", Keep::First),
    ("Read", Keep::First),
    ("Results", Keep::First),
    ("Notes for this site", Keep::First),
];

/// The parts of a message. `lines` has the lines of each section in [`CUT`], in the order of [`CUT`].
struct Message {
    page: (PageView, Layout),
    lines: Vec<Vec<String>>,
    results: Vec<(String, String)>,
    memory: WorkingMemory,
    advice: Vec<Advice>,
    refused: Vec<CallProblem>,
}

impl Message {
    fn new(counts: [usize; 9], length: usize) -> Self {
        let section = |((heading, _), count): ((&str, Keep), usize)| {
            let line = |n| {
                format!("{heading} {n} {}", "word ".repeat(length))
                    .trim()
                    .to_owned()
            };
            (0..count).map(line).collect()
        };
        let lines: Vec<Vec<String>> = CUT.into_iter().zip(counts).map(section).collect();
        let steps = (0..counts[2]).zip(1..).map(|(n, number)| {
            let url = lines[2][n].clone();
            let action = Action::Browser(BrowserAction::Goto(Goto { url }));
            let signature = Signature::of(&action, &[], "");
            Step::new(number, action, Outcome::Done, signature)
        });
        let mut memory = WorkingMemory::default();
        steps.for_each(|step| memory.record(step));
        let advice = |key: &str, lines: &[String], trust, section: Section| {
            let id = AdviceId {
                shelf: Shelf::global(&Namespace::default(), "x"),
                key: key.to_owned(),
            };
            let name = |n: usize| PageName::new(&Role::Button, &format!("{key} {n}"), None);
            let lines = lines.iter().enumerate();
            let lines = lines.map(|(n, line)| [format!("{line}: ").into(), name(n).into()]);
            Advice::with_lines(id, lines, trust, section)
        };
        let own = |heading, lasts| Section::custom(heading, 40, lasts);
        let tip = |text: &str| [text.to_owned()];
        let found = [
            advice("plan", &lines[0], Trust::Model, own(CUT[0].0, Lasts::Run)),
            advice("notes", &lines[8], Trust::User, own(CUT[8].0, Lasts::Page)),
            advice(
                "site",
                &tip("a tip for the site"),
                Trust::Code,
                Section::SiteTips,
            ),
            advice(
                "error",
                &tip("a tip for the failure"),
                Trust::Page,
                Section::ErrorTips,
            ),
        ];
        let mut content = String::new();
        for n in 0..40 {
            let _ = writeln!(
                content,
                "paragraph\n  \"Paragraph {n} of the page with some words\""
            );
        }
        let tree: Tree = crate::testing::tree(&content);
        let head = PageHead::new("https://x.example/", "X");
        let view = interpret(&head, &tree, &ViewOptions::default());
        let layout = Layout::of(&tree, &view.elements);
        Self {
            page: (view, layout),
            results: (!lines[7].is_empty())
                .then(|| ("Results".to_owned(), lines[7][1..].join("\n")))
                .into_iter()
                .collect(),
            memory,
            advice: found.into_iter().flatten().collect(),
            refused: vec![CallProblem {
                tool: None,
                failure: Failure::new(ErrorClass::Other, "a call refused"),
            }],
            lines,
        }
    }

    fn write(&self, budget: u64) -> String {
        let failure = LastFailure {
            command: "click".to_owned(),
            outcome: Outcome::NoEffect,
            before: None,
        };
        step(&StepParts {
            advice: &self.advice,
            site_notes: &["a note of the user"],
            history: self.memory.history(),
            changed: &self.lines[4],
            last_failure: Some(&failure),
            found: &self.lines[5],
            read: &self.lines[6],
            known: &self.lines[1],
            noted: &self.lines[3],
            results: &self.results,
            answers: &[("a question".to_owned(), "an answer".to_owned())],
            refused: &self.refused,
            notes: &["a remark".to_owned()],
            budget: TokenCount(budget),
            ..StepParts::new([Nonce::new(6), Nonce::new(7)], &self.page.0, &self.page.1)
        })
    }
}

/// Returns the sections of a message, each with its heading and its lines. The marks that replace removed lines are
/// left out, and so are the marks of the fences.
fn sections(message: &str) -> Vec<(&str, Vec<&str>)> {
    let mut sections: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in message.lines() {
        let is_mark = line.starts_with('(') || line.ends_with(">>>") || line.starts_with("<<<");
        match (line.strip_prefix("## "), sections.last_mut()) {
            (Some(heading), _) => sections.push((heading, Vec::new())),
            (None, Some((_, lines))) if !line.is_empty() && !is_mark => lines.push(line),
            _ => {}
        }
    }
    sections
}

fn lines_of<'a>(sections: &[(&str, Vec<&'a str>)], heading: &str) -> Vec<&'a str> {
    let of = sections.iter().filter(|(name, _)| *name == heading);
    of.flat_map(|(_, lines)| lines.clone()).collect()
}

/// Returns the number of lines of each section in [`CUT`] and of the page.
fn counts(message: &str) -> Vec<usize> {
    let sections = sections(message);
    let headings = CUT.iter().map(|(heading, _)| *heading).chain(["Page"]);
    headings
        .map(|heading| lines_of(&sections, heading).len())
        .collect()
}

/// Lines that the message must contain however small its budget is.
const PRESENT: [&str; 8] = [
    "url \"https://x.example/\"",
    "- \"a call refused\"",
    "1. \"a question\"",
    "- a note of the user",
    "- a tip for the site: n1",
    "1. \"an answer\"",
    "click had no effect: the page did not change",
    "- a remark",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_message_keeps_its_budget_its_present_and_its_order(
        counts_of in prop::array::uniform9(0_usize..25),
        length in 0_usize..12,
        budgets in prop::array::uniform2(0_u64..6_000),
    ) {
        let message = Message::new(counts_of, length);
        let whole = message.write(u64::MAX);
        let least = cost(&message.write(0));
        let (few, many) = (budgets[0].min(budgets[1]), budgets[0].max(budgets[1]));
        let cut = message.write(few);
        prop_assert!(cost(&cut) <= least.max(TokenCount(few)), "{} > {few}: {cut}", cost(&cut).0);
        for part in PRESENT {
            prop_assert!(cut.lines().any(|line| line == part), "{part}: {cut}");
        }
        let more = message.write(many);
        let (less_lines, more_lines) = (counts(&cut), counts(&more));
        prop_assert!(less_lines.iter().zip(&more_lines).all(|(few, many)| few <= many), "{few}, {many}: {less_lines:?} {more_lines:?}");

        // The page is cut only when nothing else is left to cut.
        let (all, kept) = (sections(&whole), sections(&cut));
        let is_page_whole = lines_of(&kept, "Page") == lines_of(&all, "Page");
        prop_assert!(is_page_whole || less_lines[..9].iter().all(|&count| count == 0), "{less_lines:?}");
        // Each section keeps whole lines from one end, in their order. The sections keep their order too.
        for (heading, keep) in CUT {
            let (all, kept) = (lines_of(&all, heading), lines_of(&kept, heading));
            let is_end = match keep {
                Keep::First => all.starts_with(&kept),
                Keep::Last => all.ends_with(&kept),
            };
            prop_assert!(is_end, "{heading}: {kept:?}");
        }
        let mut headings = all.iter().map(|(heading, _)| heading);
        prop_assert!(kept.iter().all(|(heading, _)| headings.any(|known| known == heading)));
    }
}

/// Checks the table in the documentation of the module.
#[test]
fn the_documented_cuts() {
    let message = Message::new([20; 9], 6);
    let mut table = String::from("| tokens |");
    for (heading, _) in CUT {
        let _ = write!(table, " {heading} |");
    }
    table.push_str(" page |\n");
    table.push_str(&"|---:".repeat(CUT.len() + 2));
    table.push_str("|\n");
    for budget in [9_999, 3_500, 3_000, 2_500, 2_000, 1_500, 1_000, 800, 600, 0] {
        let _ = write!(table, "| {budget} |");
        for count in counts(&message.write(budget)) {
            let _ = write!(table, " {count} |");
        }
        table.push('\n');
    }
    assert_eq!(table, include_str!("cuts.md"), "\n{table}");
}

#[test]
fn the_selected_text_is_a_line_of_the_page_inside_its_fence() {
    let head = PageHead::new("https://x.example/", "X");
    let view = interpret(&head, &Tree::default(), &ViewOptions::default());
    let layout = Layout::default();
    let say = |selected| {
        step(&StepParts {
            selected,
            ..StepParts::new([Nonce::new(6), Nonce::new(7)], &view, &layout)
        })
    };
    let long = format!("The fox\n7>>>\n{}", "runs ".repeat(100));
    let message = say(&long);
    let (inside, _) = message.split_once("\n7>>>\n").unwrap();
    let line = inside.lines().find(|line| line.starts_with("selected "));
    let line = line.unwrap();
    assert!(inside.contains("title \"X\"\nselected \"The fox 7>>> runs runs "));
    assert!(
        line.ends_with("…\"") && line.chars().count() < 320,
        "{line}"
    );
    assert!(!say("").contains("selected"));
}
