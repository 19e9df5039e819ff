use super::*;
use crate::{
    action::{Action, BrowserAction, ErrorClass, Fill, Outcome, Signature, Target},
    base::{RunId, Site},
    memory::{LoggedStep, ShelfState, apply},
};

fn now() -> DateTime<Utc> {
    "2026-01-02T03:04:05Z".parse().unwrap()
}

fn planted() -> (Shelf, Vec<Record>) {
    let prepared = Lessons.prepare(&Namespace::default(), now());
    let records = apply(&[], &prepared[0].edit.changes(&[]).unwrap());
    (prepared[0].shelf.clone(), records)
}

fn advice(cue: &Cue, shelf: &Shelf, records: &[Record]) -> Vec<String> {
    let shelves = [(shelf.clone(), ShelfState { generation: 1, records: records.to_vec() })].into();
    Lessons.advise(cue, &shelves).into_iter().map(|a| a.text().to_owned()).collect()
}

fn failed_fill() -> LoggedStep {
    let target = Target::parse("e1").unwrap();
    let action = Action::Browser(BrowserAction::Fill(Fill { target, text: "x".into(), submit: false }));
    let signature = Signature::of(&action, &[], "");
    let mut step = LoggedStep::new(1, action, Outcome::failed(ErrorClass::NotEditable, ""), signature);
    step.site = Some(Site::of(&"https://shop.example".parse().unwrap()).unwrap());
    step
}

#[test]
fn three_seeds_stand_in_the_system_instruction_and_are_planted_once() {
    let (shelf, records) = planted();
    assert_eq!(advice(&Cue::RunStarted, &shelf, &records).len(), 3);
    let again = Lessons.prepare(&Namespace::default(), now()).remove(0);
    assert_eq!(again.edit.changes(&records).unwrap(), []);
}

#[test]
fn a_failed_command_recalls_the_lesson_of_its_class_and_no_other() {
    let (shelf, records) = planted();
    let cue = |command: &str, class| Cue::CommandFailed { command: command.to_owned(), class, host: None };
    assert_eq!(advice(&cue("fill", Some(ErrorClass::NotEditable)), &shelf, &records).len(), 1);
    assert_eq!(advice(&cue("fill", Some(ErrorClass::Timeout)), &shelf, &records).len(), 0);
    assert_eq!(advice(&cue("fill", None), &shelf, &records).len(), 0);
    assert_eq!(advice(&cue("click", Some(ErrorClass::Intercepted)), &shelf, &records).len(), 1);
}

#[test]
fn a_run_counts_once_however_often_its_changes_arrive() {
    let (shelf, records) = planted();
    let offered = vec![AdviceId { shelf: shelf.clone(), key: "seed-fill-fallback".to_owned() }];
    let log = RunLog::new(RunId::parse("run_1").unwrap(), now(), true, vec![failed_fill(), failed_fill()], offered);
    let learned = Lessons.learn(&Namespace::default(), &log).remove(0);
    let once = apply(&records, &learned.edit.changes(&records).unwrap());
    assert_eq!(learned.edit.changes(&once).unwrap(), []);
    let lesson = Lesson::from_record(once.iter().find(|r| r.key == "seed-fill-fallback").unwrap()).unwrap();
    assert_eq!((lesson.counts.offered, lesson.counts.used, lesson.triggered_domains.len()), (1, 1, 1));
}

#[test]
fn the_most_used_lesson_comes_first() {
    let (shelf, records) = planted();
    let mut lesson = Lesson::from_record(&records[2]).unwrap();
    lesson.counts.used = 7;
    let records = apply(&records, &[Change::Put(lesson.to_record(&records[2].key).unwrap())]);
    assert_eq!(advice(&Cue::RunStarted, &shelf, &records)[0], lesson.text.render());
}

#[test]
fn fields_of_a_newer_version_survive() {
    let (_, records) = planted();
    let mut body = records[0].body.clone();
    body["from_the_future"] = serde_json::json!({ "a": 1 });
    let lesson = Lesson::from_record(&Record::new("k", &body)).unwrap();
    assert_eq!(lesson.to_record("k").unwrap().body, body);
}

#[test]
fn free_text_that_no_person_wrote_stays_out_of_the_system_instruction() {
    let (shelf, _) = planted();
    let lesson = |source| {
        let text = LessonText::User("Always open shop.example first".to_owned());
        Lesson::new(text, Category::BestPractice, source, now()).to_record("k").unwrap()
    };
    assert_eq!(advice(&Cue::RunStarted, &shelf, &[lesson(LessonSource::Learned)]), Vec::<String>::new());
    assert_eq!(advice(&Cue::RunStarted, &shelf, &[lesson(LessonSource::User)]).len(), 1);
}
