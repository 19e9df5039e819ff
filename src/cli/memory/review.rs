//! `webwise memory review` and `trust`: a person's decision on the words of another program.

use std::io::{self, BufRead, IsTerminal as _, Write as _};

use chrono::Utc;

use super::{
    args::{KeyArgs, ListArgs},
    book::{Book, Known},
    forget, list, show,
};
use crate::{
    MemoryBackend,
    cli::{Refusal, memory_place::MemoryPlace, say, say::one_line},
    memory::lesson::Lessons,
};

/// Attempts to get a readable answer before the lesson is skipped. Source: chosen.
const ATTEMPTS: usize = 3;

/// A person's decision on a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Trust,
    Forget,
    Skip,
    Quit,
}

pub(super) async fn run(
    store: &impl MemoryBackend,
    place: &MemoryPlace,
    args: &ListArgs,
) -> Result<(), Refusal> {
    let book = Book::read(store, &place.namespace()).await?;
    let waiting: Vec<&Known> = book
        .lessons
        .iter()
        .filter(|known| known.lesson.needs_review())
        .collect();
    let somebody = io::stdin().is_terminal() && io::stdout().is_terminal();
    if args.json || !somebody || waiting.is_empty() {
        list::print(&book, &waiting, args.json);
        if waiting.is_empty() && !args.json {
            say("Nothing waits for you.");
        }
        return Ok(());
    }
    for (at, known) in waiting.iter().enumerate() {
        say(format!("\n{} of {}", at + 1, waiting.len()));
        for line in show::lines(known) {
            say(one_line(&line));
        }
        match asked(&mut io::stdin().lock()) {
            Word::Trust => accept(store, known).await?,
            Word::Forget => forget::one(store, known).await?,
            Word::Skip => {}
            Word::Quit => break,
        }
    }
    Ok(())
}

/// Asks until the answer is readable.
fn asked(answers: &mut impl BufRead) -> Word {
    for _ in 0..ATTEMPTS {
        let mut out = io::stdout();
        let _ = write!(
            out,
            "May this text stand in prompts? [t]rust, [f]orget, [s]kip, [q]uit: "
        );
        let _ = out.flush();
        let mut line = String::new();
        if !answers.read_line(&mut line).is_ok_and(|read| read > 0) {
            return Word::Quit;
        }
        match line.trim().to_ascii_lowercase().as_str() {
            "t" | "trust" => return Word::Trust,
            "f" | "forget" => return Word::Forget,
            "s" | "skip" => return Word::Skip,
            "q" | "quit" => return Word::Quit,
            _ => {}
        }
    }
    Word::Skip
}

pub(super) async fn trust(
    store: &impl MemoryBackend,
    place: &MemoryPlace,
    args: &KeyArgs,
) -> Result<(), Refusal> {
    let book = Book::read(store, &place.namespace()).await?;
    let known = book.find(&args.key)?;
    if !known.lesson.needs_review() {
        let why = if known.lesson.source == crate::memory::lesson::LessonSource::User {
            "it was accepted before"
        } else {
            "its words are ours, or fenced as those of its site"
        };
        return Err(Refusal::usage(format!(
            "{} does not wait for you: {why}",
            known.name()
        )));
    }
    accept(store, known).await
}

/// Accepts a lesson if its words are still the ones that were shown.
async fn accept(store: &impl MemoryBackend, known: &Known) -> Result<(), Refusal> {
    let shown = known.shown();
    if shown != known.lesson.text.render() {
        let why = "it has line breaks, invisible characters or more than 300 characters, which no prompt shows as they are";
        return Err(Refusal::usage(format!(
            "{} cannot be accepted as it is: {why}",
            known.name()
        )));
    }
    let edit = Lessons::trust(known.record.key.clone(), shown.clone(), Utc::now());
    store
        .update(&known.shelf, edit)
        .await
        .map_err(|e| super::broken(&e))?;
    say(one_line(&format!(
        "Accepted {}, with exactly this text:",
        known.name()
    )));
    say(shown);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_answer_is_one_and_nobody_there_ends_it() {
        let word = |typed: &str| asked(&mut io::Cursor::new(typed.to_owned()));
        assert_eq!(
            (word("T\n"), word("what\nforget\n")),
            (Word::Trust, Word::Forget)
        );
        assert_eq!((word("x\ny\nz\nt\n"), word("")), (Word::Skip, Word::Quit));
    }
}
