//! `webwise memory review` and `trust`. Some items are shown in prompts only after a person has accepted their words.
//! `review` lets a person accept or forget each of these items. `trust` accepts one of them, or brings back a retired
//! item, which is no longer shown because it did harm.

use std::io::{self, BufRead, IsTerminal as _, Write as _};

use chrono::Utc;

use super::{
    args::{KeyArgs, ListArgs},
    forget, list, show,
};
use crate::{
    MemoryBackend,
    base::text::Folded,
    cli::{Refusal, say, say::one_line},
    memory::{Origin, Standing},
    store::{Item, Memory},
};

/// Maximum number of times that the person is asked about one item. If no answer is understood, the item is skipped. Source:
/// chosen.
const ATTEMPTS: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Trust,
    Forget,
    Skip,
    Quit,
}

pub(super) async fn run<M: MemoryBackend>(
    keeper: &Memory<M>,
    args: &ListArgs,
) -> Result<(), Refusal> {
    let read = keeper.items().await?;
    let waits = |item: &&Item| item.described.standing == Standing::WaitsForReview;
    let waiting: Vec<&Item> = read.items.iter().filter(waits).collect();
    let somebody = io::stdin().is_terminal() && io::stdout().is_terminal();
    let is_asked = !args.json && somebody && !waiting.is_empty();
    let printed = if is_asked { &[][..] } else { &waiting };
    // The parts of memory that cannot be read are reported in any case, because they may contain items that wait for review.
    list::print(&read, printed, args.json);
    if !is_asked {
        if waiting.is_empty() && !args.json {
            say(if read.damaged.is_empty() && read.unreadable == 0 {
                "Nothing waits for you."
            } else {
                "Nothing waits for you in what can be read. Something may wait in the rest."
            });
        }
        return Ok(());
    }
    for (at, item) in waiting.iter().enumerate() {
        say(format!("\n{} of {}", at + 1, waiting.len()));
        let described = keeper.describe(item, Utc::now()).await?;
        for line in show::lines(item, &described) {
            say(one_line(&line));
        }
        match asked(&mut io::stdin().lock()) {
            Word::Trust => accept(keeper, item, &accepted(item)).await?,
            Word::Forget => forget::one(keeper, item).await?,
            Word::Skip => {}
            Word::Quit => break,
        }
    }
    Ok(())
}

/// Asks for the person's decision on an item, at most [`ATTEMPTS`] times. If no answer is understood, returns
/// [`Word::Skip`].
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
        match Folded::of(&line).as_str() {
            "t" | "trust" => return Word::Trust,
            "f" | "forget" => return Word::Forget,
            "s" | "skip" => return Word::Skip,
            "q" | "quit" => return Word::Quit,
            _ => {}
        }
    }
    Word::Skip
}

pub(super) async fn trust<M: MemoryBackend>(
    keeper: &Memory<M>,
    args: &KeyArgs,
) -> Result<(), Refusal> {
    let read = keeper.items().await?;
    let item = read.find(&args.key)?;
    if item.described.standing == Standing::Retired {
        let said = format!(
            "Brought {} back. Runs are shown it again, and its harm is counted from now on:",
            item.name()
        );
        return accept(keeper, item, &said).await;
    }
    if item.described.standing != Standing::WaitsForReview {
        let why = if item.described.origin == Origin::Person {
            "it was accepted before"
        } else {
            "its words are ours, or fenced as those of its site"
        };
        return Err(Refusal::usage(format!(
            "{} does not wait for you: {why}",
            item.name()
        )));
    }
    accept(keeper, item, &accepted(item)).await
}

fn accepted(item: &Item) -> String {
    format!("Accepted {}, with exactly this text:", item.name())
}

/// Accepts an item, then prints `said` and the text. Does so only if the stored text is still the text that was shown to the
/// person.
async fn accept<M: MemoryBackend>(
    keeper: &Memory<M>,
    item: &Item,
    said: &str,
) -> Result<(), Refusal> {
    if let Err(error) = keeper.accept(item, Utc::now()).await {
        return Err(match error.said("why") {
            Some(why) => Refusal::usage(format!(
                "{} cannot be accepted as it is: {why}",
                item.name()
            )),
            None => error.into(),
        });
    }
    say(one_line(said));
    say(&item.described.text);
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
