//! `webwise memory list`.

use serde_json::{Value, json};

use super::{
    args::ListArgs,
    book::{Book, Known},
};
use crate::{
    MemoryBackend,
    cli::{Refusal, memory_place::MemoryPlace, say, say::one_line},
};

pub(super) async fn run(
    store: &impl MemoryBackend,
    place: &MemoryPlace,
    args: &ListArgs,
) -> Result<(), Refusal> {
    let book = Book::read(store, &place.namespace()).await?;
    print(&book, &book.lessons.iter().collect::<Vec<_>>(), args.json);
    if book.lessons.is_empty() && !args.json {
        say(one_line(&format!(
            "Nothing is remembered in {} yet.",
            place.dir()?.display()
        )));
    }
    Ok(())
}

/// Prints these lessons of a book.
pub(super) fn print(book: &Book, lessons: &[&Known], as_json: bool) {
    if as_json {
        let lessons: Vec<Value> = lessons.iter().map(|known| json(known)).collect();
        say(json!({ "lessons": lessons, "unreadable": book.unreadable }));
        return;
    }
    for known in lessons {
        for line in lines(known) {
            say(one_line(&line));
        }
    }
    if book.unreadable > 0 {
        say(format!(
            "{} records cannot be read by this version and are kept as they are.",
            book.unreadable
        ));
    }
}

/// A lesson, as two lines.
fn lines(known: &Known) -> [String; 2] {
    let counts = &known.lesson.counts;
    [
        format!(
            "{}  {}, {}, {}, {}; shown {}, used {}, helped {}, harmed {}",
            known.name(),
            known.scope(),
            known.lesson.category.as_str(),
            known.lesson.source.as_str(),
            known.state(),
            counts.offered,
            counts.used,
            counts.helped,
            counts.harmed
        ),
        format!("    {}", known.shown()),
    ]
}

fn json(known: &Known) -> Value {
    json!({
        "name": known.name(),
        "key": known.record.key,
        "shelf": known.shelf,
        "category": known.lesson.category,
        "source": known.lesson.source,
        "state": known.state(),
        "failed_command": known.lesson.command(),
        "counts": known.lesson.counts,
        "text": known.shown(),
    })
}
