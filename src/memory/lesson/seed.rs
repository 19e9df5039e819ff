//! The three lessons that every memory starts with. Source: the first requirements document.

use chrono::{DateTime, Utc};

use super::{Category, Lesson, LessonSource, LessonText, Recovery, Template};
use crate::action::{BrowserTool, ErrorClass};

/// The seeds under their keys.
pub(super) fn lessons(now: DateTime<Utc>) -> Vec<(&'static str, Lesson)> {
    let seed = |category, command, class, recovery| {
        Lesson::new(LessonText::Template(Template { command, class, recovery }), category, LessonSource::Seed, now)
    };
    vec![
        (
            "seed-fill-fallback",
            seed(Category::ToolFallback, BrowserTool::Fill, Some(ErrorClass::NotEditable), Recovery::ClickThenType),
        ),
        ("seed-press-enter", seed(Category::BestPractice, BrowserTool::Click, None, Recovery::PressEnter)),
        (
            "seed-escape-overlay",
            seed(Category::BestPractice, BrowserTool::Click, Some(ErrorClass::Intercepted), Recovery::PressEscape),
        ),
    ]
}
