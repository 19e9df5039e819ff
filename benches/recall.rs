//! What asking memory costs: by error and by host, with 10, 1,000 and 100,000 lessons, and what makes them ready.

use std::{hint::black_box, sync::Arc};

use chrono::DateTime;
use divan::Bencher;
use webwise::{
    Host, Site,
    action::{BrowserTool, ErrorClass, FailureKind},
    memory::{
        Aim, Cue, Index as _, Moment, Namespace, Record, Shelf,
        lesson::{
            COLLECTION, Category, Lesson, LessonIndex, LessonSource, LessonText, Move, NamedKey,
            Recovery, SiteRecovery, Template,
        },
    },
    page::{Node, Observation, PageTemplate, Role, TargetIdentity, Tree},
    working::About,
};

const CLASSES: [ErrorClass; 8] = [
    ErrorClass::Intercepted,
    ErrorClass::NotVisible,
    ErrorClass::Disabled,
    ErrorClass::NotEditable,
    ErrorClass::WrongElement,
    ErrorClass::BadValue,
    ErrorClass::Detached,
    ErrorClass::Timeout,
];
const COMMANDS: [BrowserTool; 5] = [
    BrowserTool::Click,
    BrowserTool::Fill,
    BrowserTool::Select,
    BrowserTool::Check,
    BrowserTool::Press,
];
const SIZES: [usize; 3] = [10, 1_000, 100_000];

fn main() {
    divan::main();
}

fn pick<T: Copy>(all: &[T], at: usize) -> T {
    all[at % all.len()]
}

/// A lesson that is told apart by its number: one in three general, one of a page, one in a person's words.
fn lesson(at: usize) -> Lesson {
    let now = "2026-01-02T03:04:05Z".parse().expect("a date");
    let trouble = FailureKind::Failed(pick(&CLASSES, at / 3));
    let command = pick(&COMMANDS, at / 24);
    let recovery = Recovery::First(vec![Move::press(NamedKey::Escape)]);
    let (text, category, source) = match at % 3 {
        0 => {
            let template = Template::new(command, trouble, recovery);
            (
                LessonText::Template(template),
                Category::ErrorRecovery,
                LessonSource::Learned,
            )
        }
        1 => {
            let aim = Some(Aim::of(&TargetIdentity::new(
                Role::Button,
                format!("Go {at}"),
            )));
            let site = SiteRecovery {
                command,
                trouble,
                aim,
                recovery,
                moves: Vec::new(),
            };
            (
                LessonText::Site(site),
                Category::SiteSpecific,
                LessonSource::Learned,
            )
        }
        _ => (
            LessonText::Words(format!("Try way {at}.")),
            Category::ErrorRecovery,
            LessonSource::User,
        ),
    };
    let mut lesson = Lesson::new(text, category, source, now);
    lesson.counts.used = u64::try_from(at % 17).expect("a small number");
    lesson.triggered_domains = ["https://a.example", "https://b.example"]
        .iter()
        .map(|url| Site::of(&url.parse().expect("a URL")).expect("a site"))
        .collect();
    lesson.provenance.page =
        PageTemplate::parse(&format!("https://shop.example/p{}", at % 50)).ok();
    if at % 3 == 2 {
        lesson.failed_command = Some(command.as_str().to_owned());
        lesson.error_pattern = Some(format!("error number {at} of many"));
    }
    lesson
}

fn host() -> Host {
    Host::of(&"https://shop.example/".parse().expect("a URL")).expect("a host")
}

fn shelf() -> Shelf {
    Shelf::host(&Namespace::default(), COLLECTION, &host())
}

fn records(count: usize) -> Vec<Record> {
    (0..count)
        .map(|at| {
            lesson(at)
                .to_record(format!("lesson-{at}"))
                .expect("a record")
        })
        .collect()
}

/// A page of 300 buttons, ten of which lessons speak of.
fn page() -> Arc<Observation> {
    let mut tree = Tree::builder();
    for at in 0..300 {
        let name = if at % 30 == 0 {
            format!("Go {}", 1 + at / 10)
        } else {
            format!("Buy {at}")
        };
        tree.leaf(Node::new(Role::Button, name));
    }
    Arc::new(Observation::new(
        "https://shop.example/p7",
        "",
        tree.finish(),
    ))
}

/// Asks the index at a moment with this cue.
fn ask(bencher: Bencher<'_, '_>, index: &LessonIndex, cue: &Cue) {
    let about = About::new("Buy the kayak");
    let moment = Moment::new(cue, &about, &[], DateTime::UNIX_EPOCH);
    assert!(!index.advise(&moment, false).is_empty());
    bencher.bench_local(|| index.advise(black_box(&moment), false));
}

/// Trigger A: a failed command, with what a blocked click prints.
#[divan::bench(args = SIZES)]
fn by_error(bencher: Bencher<'_, '_>, count: usize) {
    let index = LessonIndex::new(&shelf(), &records(count));
    let cue = Cue::CommandFailed {
        command: "click".to_owned(),
        failure: FailureKind::Failed(ErrorClass::Intercepted),
        targets: vec![TargetIdentity::new(Role::Button, "Go 1")],
        detail: format!(
            "intercepted: <div class=\"overlay\"> error number 5 of many {}",
            "x".repeat(300)
        ),
        host: Some(host()),
        seen: Some(page()),
    };
    ask(bencher, &index, &cue);
}

/// Trigger B: a page of a host is shown.
#[divan::bench(args = SIZES)]
fn by_host(bencher: Bencher<'_, '_>, count: usize) {
    let index = LessonIndex::new(&shelf(), &records(count));
    let cue = Cue::PageShown {
        host: host(),
        page: PageTemplate::parse("https://shop.example/p7").ok(),
        seen: page(),
    };
    ask(bencher, &index, &cue);
}

/// What a run pays once for each shelf that it reads.
#[divan::bench(args = SIZES, sample_count = 10)]
fn making_the_index(bencher: Bencher<'_, '_>, count: usize) {
    let (shelf, records) = (shelf(), records(count));
    bencher.bench_local(|| LessonIndex::new(&shelf, black_box(&records)));
}
