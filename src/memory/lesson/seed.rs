//! The three lessons that every memory starts with.

use chrono::{DateTime, Utc};

use super::{
    Category, FailureKind, Lesson, LessonSource, LessonText, Move, NamedKey, Recovery, Template,
};
use crate::action::{BrowserTool, ErrorClass};

pub(super) fn lessons(now: DateTime<Utc>) -> Vec<(&'static str, Lesson)> {
    let seed = |category, command, trouble, recovery| {
        let text = LessonText::Template(Template::new(command, trouble, recovery));
        Lesson::new(text, category, LessonSource::Seed, now)
    };
    let not_editable = FailureKind::Failed(ErrorClass::NotEditable);
    let covered = FailureKind::Failed(ErrorClass::Intercepted);
    let press = Move::press;
    vec![
        (
            "seed-fill-fallback",
            seed(
                Category::ToolFallback,
                BrowserTool::Fill,
                not_editable,
                Recovery::ClickThenType,
            ),
        ),
        (
            "seed-press-enter",
            seed(
                Category::BestPractice,
                BrowserTool::Click,
                FailureKind::Any,
                Recovery::Instead(press(NamedKey::Enter)),
            ),
        ),
        (
            "seed-escape-overlay",
            seed(
                Category::BestPractice,
                BrowserTool::Click,
                covered,
                Recovery::First(vec![press(NamedKey::Escape)]),
            ),
        ),
    ]
}
