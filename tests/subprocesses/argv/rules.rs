//! The rules, and the figures that prove them.

use std::thread;

use webwise::{
    ErrorKind,
    action::{
        BrowserAction, DialogAccept, ErrorClass, Eval, Fill, Goto, Outcome, RunCode, Select,
        Target, TextValue, Type, Upload,
    },
    browser::Execution,
    page::ElementRef,
};

use super::{
    bed::{Bed, Found},
    cases::{self, KINDS},
    profile::pick,
    runner::Rule,
    values::Dice,
};

/// Every rule by name.
pub(crate) const ALL: &[Rule] = &[
    (
        "a_text_with_nul_is_refused_before_anything_starts",
        a_text_with_nul_is_refused_before_anything_starts,
    ),
    (
        "what_is_too_long_for_an_argument_is_refused_before_anything_starts",
        what_is_too_long_for_an_argument_is_refused_before_anything_starts,
    ),
    (
        "a_reference_is_one_of_two_forms_and_nothing_else",
        a_reference_is_one_of_two_forms_and_nothing_else,
    ),
    (
        "help_without_an_error_is_no_success",
        help_without_an_error_is_no_success,
    ),
    (
        "the_fake_reads_options_as_the_tool_does",
        the_fake_reads_options_as_the_tool_does,
    ),
    (
        "values_arrive_byte_for_byte_and_never_as_options",
        values_arrive_byte_for_byte_and_never_as_options,
    ),
];

/// Values that are sent, by each transport. Source: chosen; the quick profile sends eight of each kind.
const QUICK: usize = 192;
const FULL: usize = 10_000;
/// Drivers that work side by side. Source: chosen; continuous integration has two cores.
const WORKERS: usize = 2;

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(work)
}

fn values_arrive_byte_for_byte_and_never_as_options() {
    let values = pick(QUICK, FULL);
    let work = move |worker: usize| async move {
        let bed = Bed::start().await;
        assert_eq!(bed.wrong(), Vec::<String>::new());
        let mut dice = Dice::new(worker as u64);
        let (mut count, mut scripts, mut found) = (0, 0, Found::default());
        for kind in (0..KINDS).cycle().take(values / WORKERS) {
            let case = cases::case(kind, &mut dice);
            found.add(bed.check(&case).await);
            count += 1;
            scripts += usize::from(Bed::has_script(&case));
        }
        (count, scripts, found)
    };
    let workers: Vec<_> = (0..WORKERS)
        .map(|worker| thread::spawn(move || block_on(work(worker))))
        .collect();
    let (mut count, mut scripts, mut found) = (0, 0, Found::default());
    for worker in workers {
        let (more, more_scripts, other) = worker.join().expect("a worker ends");
        count += more;
        scripts += more_scripts;
        found.add(other);
    }
    for line in found.differences.iter().chain(&found.options).take(20) {
        println!("  {line}");
    }
    let (differences, options) = (found.differences.len(), found.options.len());
    println!("argv: {count} values, {differences} differences, {options} taken as options");
    assert_eq!((count, differences, options), (values, 0, 0));
    assert!(
        scripts > values / 50,
        "only {scripts} scripts were looked at"
    );
}

/// Actions with this text wherever an action takes free text.
fn carrying(text: &str) -> Vec<BrowserAction> {
    let target = || Target::parse("e1").expect("a reference");
    let literal = || TextValue::Literal(text.to_owned());
    vec![
        BrowserAction::Fill(Fill {
            target: target(),
            text: literal(),
            submit: false,
        }),
        BrowserAction::Type(Type {
            text: literal(),
            submit: true,
        }),
        BrowserAction::Select(Select {
            target: target(),
            values: vec![literal()],
        }),
        BrowserAction::Select(Select {
            target: target(),
            values: vec![literal(), literal()],
        }),
        BrowserAction::DialogAccept(DialogAccept {
            text: Some(literal()),
        }),
        BrowserAction::Goto(Goto {
            url: format!("http://x.test/{text}"),
        }),
        BrowserAction::TabNew(webwise::action::TabNew {
            url: Some(format!("http://x.test/?{text}")),
        }),
        BrowserAction::Upload(Upload {
            files: vec![text.to_owned()],
        }),
        BrowserAction::Eval(Eval {
            function: text.to_owned(),
            target: None,
        }),
        BrowserAction::RunCode(RunCode {
            code: text.to_owned(),
        }),
    ]
}

fn is_refused(result: &Result<Execution, webwise::Error>) -> bool {
    let class = result
        .as_ref()
        .ok()
        .and_then(|execution| execution.outcome.class());
    matches!(
        class,
        Some(ErrorClass::BadArguments | ErrorClass::FileRefused)
    )
}

fn a_text_with_nul_is_refused_before_anything_starts() {
    block_on(async {
        let bed = Bed::start().await;
        for text in [
            "\0",
            "a\0b",
            "a\nb\0",
            "\0--help",
            &format!("{}\0", "x".repeat(120_000)),
        ] {
            for action in carrying(text) {
                for result in bed.ask(&action).await {
                    assert!(is_refused(&result), "{:?}: {result:?}", action.tool());
                }
                assert_eq!(
                    bed.activity(),
                    0,
                    "{:?} of {} bytes started something",
                    action.tool(),
                    text.len()
                );
            }
        }
    });
}

fn what_is_too_long_for_an_argument_is_refused_before_anything_starts() {
    let text = "x".repeat(140_000);
    block_on(async {
        let bed = Bed::start().await;
        for action in carrying(&text) {
            // What goes in a script, or reaches the tool under another name, may have any length.
            let goes = matches!(
                action,
                BrowserAction::Fill(_)
                    | BrowserAction::Type(_)
                    | BrowserAction::Select(_)
                    | BrowserAction::RunCode(_)
            );
            for result in bed.ask(&action).await {
                let is_done = result
                    .as_ref()
                    .is_ok_and(|execution| execution.outcome.is_done());
                assert_eq!(
                    (is_done, is_refused(&result)),
                    (goes, !goes),
                    "{:?}: {result:?}",
                    action.tool()
                );
            }
            // By each transport: a script in the tool and the look that follows, or the action between the beginning and the end of
            // the watch over what answers it.
            let sent = if matches!(action, BrowserAction::RunCode(_)) {
                4
            } else {
                6
            };
            assert_eq!(
                bed.activity(),
                if goes { sent } else { 0 },
                "{:?}",
                action.tool()
            );
        }
    });
}

/// `(f\d+)?e\d+` with ASCII digits and at most 20 bytes, in other words than the crate's.
fn has_the_form(text: &str) -> bool {
    let mut state = 0;
    for byte in text.bytes() {
        state = match (state, byte) {
            (0, b'f') => 1,
            (0 | 2, b'e') => 3,
            (1 | 2, b'0'..=b'9') => 2,
            (3 | 4, b'0'..=b'9') => 4,
            _ => return false,
        };
    }
    state == 4 && text.len() <= 20
}

fn a_reference_is_one_of_two_forms_and_nothing_else() {
    let mut dice = Dice::new(3);
    let mut texts: Vec<String> = (0..20_000)
        .map(|_| match dice.below(3) {
            0 => dice.value(),
            1 => (0..dice.below(9))
                .map(|_| *dice.pick(&['e', 'f', '0', '1', '9', '-', ' ', '\n', '１', ';']))
                .collect(),
            _ => format!("{}{}", dice.pick(&["e1", "f1e2", "e", "f2e"]), dice.value()),
        })
        .collect();
    texts.extend(["e1", "e99", "f0e1", "f12e34"].map(str::to_owned));
    let mut good = 0;
    for text in &texts {
        let parsed = ElementRef::parse(text);
        assert_eq!(parsed.is_ok(), has_the_form(text), "{text:?}");
        assert!(
            parsed
                .as_ref()
                .is_err_and(|error| error.kind() == ErrorKind::InvalidInput)
                || parsed.is_ok()
        );
        // The same by the way on which a model's words come.
        let read = serde_json::from_value::<ElementRef>(text.as_str().into());
        assert_eq!(read.is_ok(), has_the_form(text), "{text:?}");
        if let Ok(Target::Ref(reference)) = Target::parse(text) {
            assert!(
                has_the_form(reference.as_str()),
                "{text:?} became {reference}"
            );
        }
        good += usize::from(parsed.is_ok());
    }
    assert!(
        good >= 50,
        "only {good} references were accepted, so this says little about the rest"
    );
}

fn help_without_an_error_is_no_success() {
    block_on(async {
        let bed = Bed::start().await;
        let mut dice = Dice::new(4);
        let cases: Vec<_> = (0..KINDS * 3)
            .map(|kind| cases::case(kind, &mut dice))
            .collect();
        for case in &cases {
            let done = bed
                .ask(&case.action)
                .await
                .into_iter()
                .flatten()
                .filter(|e| e.outcome.is_done())
                .count();
            assert_eq!(done, 2, "{:?} works", case.action.tool());
        }
        bed.answer_with_help();
        for case in &cases {
            for result in bed.ask(&case.action).await {
                let outcome = result.map(|execution| execution.outcome);
                assert!(
                    !matches!(outcome, Ok(Outcome::Done)),
                    "help passed for a success of {:?}",
                    case.action.tool()
                );
            }
        }
        assert!(bed.activity() >= cases.len());
    });
}

/// Control of the checker itself: without `--`, it sees what the tool would see.
fn the_fake_reads_options_as_the_tool_does() {
    let read = |arguments: &[&str]| {
        super::tool::read(&arguments.iter().map(|&a| a.to_owned()).collect::<Vec<_>>())
    };
    for (argument, option) in [
        ("--help", "help"),
        ("-s=other", "s"),
        ("--session=other", "session"),
        ("--no-submit", "submit"),
        ("-abc", "b"),
        ("--x=\n--y", "x"),
    ] {
        let line = read(&["-s=ww", "fill", "e8", argument]);
        assert!(line.options.contains_key(option), "{argument}: {line:?}");
        let line = read(&["-s=ww", "fill", "--", "e8", argument]);
        assert_eq!(
            (line.options.len(), &line.words[1..]),
            (1, &["e8".to_owned(), argument.to_owned()][..]),
            "{argument}"
        );
    }
    assert_eq!(
        read(&["-s=ww", "fill", "e8", "-s=other"]).options["s"],
        "other"
    );
    assert_eq!(
        read(&["type", "--", "--", "-1"]).words,
        ["type", "--", "-1"]
    );
}
