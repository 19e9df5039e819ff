//! The sections about the run itself: texts that the program gave to the run, texts that the run read or extracted,
//! results of tools, and the run's steps and notes.

use std::{
    borrow::Cow,
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    iter,
};

use super::{
    compress::{ContentType, compress},
    fence::quoted,
    history::{self, earlier_lines, history_line, thought_lines},
    mode::Retention,
    pack::{Keep, cost},
    section::{HISTORY, Line, Section, Zone},
    step::{MAX_NAME, MAX_TEXT, StepParts},
};
use crate::{
    base::{
        TokenCount,
        text::{ends, for_each_word},
    },
    working::{Extraction, is_lasting},
};

/// Maximum length of a tool's result after the first message that shows it. Unit: characters. Source: a requirement of the
/// project.
pub(crate) const MAX_RESULT_LATER: usize = 500;
/// Number of characters that are kept from the end of a tool's result when it is cut to [`MAX_RESULT_LATER`]. Source:
/// chosen; the last lines often contain a sum.
const RESULT_END: usize = 150;
/// Minimum number of free tokens for one more extracted text or tool result. Source: chosen; fewer tokens are enough for a
/// few lines only, which say little.
const LEAST_EXTRACTED: u64 = 100;
/// Divisor for the share of the free tokens that is reserved for the label, the quotation marks and the remarks of a text: 5
/// means a fifth. Source: chosen.
const FOR_FORM: u64 = 5;
/// Number of characters at the beginning of each text from the program that are compared with the goal. Source: chosen; a
/// text says at its beginning what it is about.
const BEGINNING: usize = 500;
/// Maximum length of a line of a text that the message shows, such as an extracted text. A longer line is split into
/// several lines. Unit: characters. Source: chosen; a line of this length has some 50 tokens.
const MAX_LINE: usize = 200;

/// Returns the sections about the run itself, in their order in the message. All of them may be cut. `is_cut` is true
/// if the message does not fit into its budget as a whole.
///
/// Lines that the model has just read have the highest priority, because the next decision needs them. Then come new
/// results of tools, and steps that cannot be undone. The [mode](super::Mode) decides which of the sections about
/// earlier steps matter most. Source of the other priorities: chosen.
pub(super) fn own_sections<'a>(parts: &StepParts<'a>, is_cut: bool) -> [Section<'a>; 15] {
    use Keep::{First, Last};
    use Zone::{AfterPage, Run};

    let retention = parts.mode.retention(parts.history);
    let earlier = parts.history.earlier();
    // If the message is cut, the history could lose steps that cannot be undone. These steps move to a section with a
    // higher priority.
    let (beside, in_turn): (Vec<_>, Vec<_>) = parts
        .history
        .entries()
        .partition(|step| is_cut && is_lasting(step));
    let lasting = earlier.lasting.iter().copied().chain(beside);
    let lasting = lasting.map(|step| Line::Ready(history_line(step)));
    let ready = |lines: Vec<String>| lines.into_iter().map(Line::Ready).collect();
    let shown = |lines: &[String]| ready(lines.to_vec());
    let steps = in_turn.into_iter().map(history_line);
    let noted = parts.noted.iter().map(|note| quoted(note, MAX_TEXT));
    let results = parts.results.iter().flat_map(|(label, text)| {
        // The model chooses the name of an extracted text, which may be the name of a tool.
        let is_extracted = |taken: &Extraction| taken.name == *label && *text == taken.shown();
        let known = if parts.extracted.iter().any(is_extracted) {
            None
        } else {
            parts.content_types.get(label)
        };
        shortened(label, text, parts.max_result, known.copied())
    });
    let (extracted, returned) = kept_texts(parts, retention);
    let (steps, noted) = (steps.map(Line::Ready), noted.map(Line::Ready));
    let pages = ready(history::page_lines(&earlier));
    let thoughts = ready(thought_lines(parts.history.entries()));
    let (texts, returned) = (ready(extracted), ready(returned));
    let results = results.map(Line::Ready).collect();
    let run = |name, priority, keep, lines| Section::new(name, Run, priority, keep, lines);
    let after = |name, priority, lines| Section::new(name, AfterPage, priority, First, lines);
    let lasting_steps = "Earlier steps that cannot be undone";
    [
        run("Given", 110, First, ready(given_lines(parts))),
        run("Read before", retention.read, Last, shown(parts.known)),
        run("Extracted before", retention.extractions, Last, texts),
        run("Earlier pages", retention.pages, Last, pages),
        run("Earlier steps", 40, First, ready(earlier_lines(&earlier))),
        run(lasting_steps, 120, Last, lasting.collect()),
        run(HISTORY, retention.steps, Last, steps.collect()),
        // A section of its own, because a line of the history must not change once it was sent: providers cache a common beginning.
        run("Your last thoughts", 40, Last, thoughts),
        run("Your notes", retention.notes, Last, noted.collect()),
        // The last section of its zone, because it also loses lines, and what stands behind a changed line is not cached.
        run("Results before", retention.extractions, Last, returned),
        after("Changed", 60, shown(parts.changed)),
        after("Found", 60, shown(parts.found)),
        // A line that was read and cut off would have to be read again.
        after("Read", 240, shown(parts.read)),
        after("Results", 120, results),
        after("Followed", 240, shown(parts.followed)),
    ]
}

/// Returns the label, then the text as indented lines. The text is shortened to at most `most` tokens. `known` is the kind of
/// content that was declared for the text, if any.
fn shortened(label: &str, text: &str, most: TokenCount, known: Option<ContentType>) -> Vec<String> {
    let result = compress(text, most, known);
    let mut lines = vec![quoted(label, MAX_NAME)];
    lines.extend(result.lines.iter().flat_map(|line| below(line)));
    if result.left_out > 0 {
        let count = text.chars().count();
        lines.push(format!(" (shortened; the whole has {count} characters)"));
    }
    lines
}

/// Returns a line of a text, indented and quoted. If the line is longer than [`MAX_LINE`], returns it as several lines.
fn below(line: &str) -> impl Iterator<Item = String> {
    let parts = short(line).into_iter();
    parts.map(|part| [" ", &quoted(part, usize::MAX)].concat())
}

/// Splits a long line at spaces into parts of at most [`MAX_LINE`] characters, so that a message with too little room for
/// the line can keep some of the parts. A word that is longer than a part is not split.
fn short(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = line;
    while let Some((end, _)) = rest.char_indices().nth(MAX_LINE) {
        let words = rest[..end].trim_end_matches(|c: char| !c.is_whitespace());
        let part = match words {
            // A word that is too long stays whole.
            "" => rest.split_inclusive(char::is_whitespace).next(),
            words => Some(words),
        };
        let (part, others) = rest.split_at(part.map_or(rest.len(), str::len));
        parts.push(part);
        rest = others;
    }
    if !rest.is_empty() || parts.is_empty() {
        parts.push(rest);
    }
    parts
}

/// Returns the texts that the program has given to the run, as lines: for each text its name, then its lines. Empty lines
/// are left out.
///
/// The texts that have the most in common with the goal come first, because the last lines are cut if the message is too
/// long. Only the name and the beginning of a text are compared with the goal. A word of the goal counts the more, the
/// fewer texts contain it.
fn given_lines(parts: &StepParts<'_>) -> Vec<String> {
    let shared: Vec<BTreeSet<usize>> = parts
        .given
        .iter()
        .map(|(name, text)| {
            let mut shared = BTreeSet::new();
            let end = text.char_indices().nth(BEGINNING);
            let beginning = end.map_or(&**text, |(end, _)| &text[..end]);
            for said in [&**name, beginning] {
                for_each_word(said, |word| {
                    shared.extend(parts.goal_words.iter().position(|known| known == word));
                });
            }
            shared
        })
        .collect();
    let texts_with = |word: &usize| shared.iter().filter(|words| words.contains(word)).count();
    let weight = |words: &BTreeSet<usize>| -> usize {
        words.iter().map(|word| 1_000 / texts_with(word)).sum()
    };
    let mut given: Vec<_> = parts.given.iter().zip(&shared).collect();
    given.sort_by_cached_key(|(_, words)| Reverse(weight(words)));
    let lines = given.into_iter().flat_map(|((name, text), _)| {
        let said = text.lines().filter(|line| !line.trim().is_empty());
        iter::once(quoted(name, MAX_NAME)).chain(said.flat_map(below))
    });
    lines.collect()
}

/// Returns the texts that earlier steps extracted, and the results of tools in earlier steps, as lines. Those that the
/// message already contains as new results are left out. Together, all these lines have at most the size that the mode
/// allows for extracted texts.
fn kept_texts(parts: &StepParts<'_>, retention: Retention) -> (Vec<String>, Vec<String>) {
    let share = parts.budget.0 / retention.extracted_share;
    let room = retention.extracted.0.min(share);
    // Neither many results nor a long extraction displaces the other kind.
    let returned = earlier_results(parts, room / 2);
    let used: u64 = returned.iter().map(|line| cost(line).0).sum();
    (extracted_lines(parts, room.saturating_sub(used)), returned)
}

/// Returns the texts that earlier steps extracted, as lines. If not all fit into `room` tokens, only the newest are
/// returned. The newest text comes last.
fn extracted_lines(parts: &StepParts<'_>, room: u64) -> Vec<String> {
    let is_new = |taken: &&Extraction| {
        let mut results = parts.results.iter();
        results.any(|(label, text)| *label == taken.name && *text == taken.shown())
    };
    let texts = parts.extracted.iter().rev().filter(|taken| !is_new(taken));
    let texts = texts.map(|taken| {
        let age = taken.age(parts.now);
        let age = age.map(|age| format!(" (taken {} minutes ago)", age.num_minutes()));
        (&*taken.name, taken.shown().into(), age.unwrap_or_default())
    });
    newest(texts, room, parts.max_result)
}

/// Returns the results of tools in earlier steps, as lines. Each has the name of its tool and the number of its step. If
/// equal calls returned equal results, only the newest of them is returned. If not all results fit into `room` tokens, only
/// the newest are returned.
fn earlier_results(parts: &StepParts<'_>, room: u64) -> Vec<String> {
    // The newest results of a tool are those that this message contains as new results.
    let mut new: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (label, text) in parts.results {
        *new.entry((label, text)).or_default() += 1;
    }
    let mut told = BTreeSet::new();
    let texts = parts.history.results().filter_map(|step| {
        let tool = step.action.tool_name();
        let result = step.result()?;
        let text = ends(result, [MAX_RESULT_LATER - RESULT_END, RESULT_END]);
        let is_first = told.insert((&step.signature, text.clone()));
        if let Some(left @ 1..) = new.get_mut(&(tool, result)) {
            *left -= 1;
            return None;
        }
        is_first.then(|| (tool, text.into(), format!(" (step {})", step.number)))
    });
    newest(texts, room, parts.max_result)
}

/// Returns these texts as lines. `texts` begins with the newest, and each entry has a label, the text, and a remark that
/// follows the label. If not all texts fit into `room` tokens, only the newest are returned. In the returned lines, the
/// newest text comes last. `most` is the maximum number of tokens of one text.
fn newest<'a>(
    texts: impl Iterator<Item = (&'a str, Cow<'a, str>, String)>,
    mut room: u64,
    most: TokenCount,
) -> Vec<String> {
    let mut kept: Vec<Vec<String>> = Vec::new();
    for (label, text, remark) in texts {
        if room < LEAST_EXTRACTED {
            break;
        }
        let written = |most| {
            let mut lines = shortened(label, &text, most, None);
            lines[0].push_str(&remark);
            let size = cost(&lines.join("\n")).0;
            (lines, size)
        };
        let most = most.min(TokenCount(room - room / FOR_FORM));
        let (mut lines, mut size) = written(most);
        if size > room {
            // Short lines have more quotes for each word: less by the excess, and by a tenth for the estimate.
            (lines, size) = written(TokenCount(most.0 * room / size * 9 / 10));
        }
        if size > room {
            break;
        }
        room -= size;
        kept.push(lines);
    }
    kept.into_iter().rev().flatten().collect()
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::{
        base::Nonce,
        page::{Layout, PageHead, ViewOptions, interpret},
        prompt::Mode,
        working::WorkingMemory,
    };

    /// Returns the names of the extracted texts that a message with this budget shows.
    fn shown(memory: &WorkingMemory, results: &[(String, String)], budget: u64) -> Vec<String> {
        shown_in(Mode::Execute, memory, results, budget)
    }

    fn shown_in(
        mode: Mode,
        memory: &WorkingMemory,
        results: &[(String, String)],
        budget: u64,
    ) -> Vec<String> {
        let tree = crate::testing::tree("button \"Go\" e1");
        let head = PageHead::new("https://x.example/", "X");
        let view = interpret(&head, &tree, &ViewOptions::default());
        let layout = Layout::of(&tree, &view.elements);
        let nonces = [Nonce::new(1), Nonce::new(2)];
        let parts = StepParts {
            extracted: memory.extracted(),
            results,
            budget: TokenCount(budget),
            ..StepParts::new(nonces, &view, &layout)
        };
        let retention = mode.retention(parts.history);
        let (lines, _) = kept_texts(&parts, retention);
        let share = TokenCount(budget / retention.extracted_share);
        assert!(cost(&lines.join("\n")) <= share.min(retention.extracted));
        let names = lines.into_iter().filter(|line| !line.starts_with(' '));
        names.collect()
    }

    #[test]
    fn the_last_extractions_stay_and_a_long_one_is_shortened() {
        let mut memory = WorkingMemory::default();
        let all: Vec<String> = (0..6).map(|n| format!("\"part {n}\"")).collect();
        for n in 0..6 {
            memory.extract(
                &format!("part {n}"),
                "A boat on the water.\n".repeat(200),
                DateTime::UNIX_EPOCH,
            );
        }
        let large = shown(&memory, &[], u64::MAX);
        assert!(
            all.ends_with(&large) && (2..6).contains(&large.len()),
            "{large:?}"
        );
        // Extracted texts may fill a fifth of a small message.
        let small = shown(&memory, &[], 5_000);
        assert!(
            all.ends_with(&small) && (1..large.len()).contains(&small.len()),
            "{small:?}"
        );
        let collected = shown_in(Mode::Scrape, &memory, &[], u64::MAX);
        assert_eq!(collected, all, "a run that collects data keeps it all");
        memory.extract(
            "whole book",
            "A boat on the water.\n".repeat(9_000),
            DateTime::UNIX_EPOCH,
        );
        let with_book = shown(&memory, &[], u64::MAX);
        assert_eq!(with_book.last().unwrap(), "\"whole book\"");
        assert!(with_book.len() > 1, "{with_book:?}");
    }

    #[test]
    fn a_result_of_this_message_is_not_told_twice() {
        let mut memory = WorkingMemory::default();
        memory.extract("price", "120".to_owned(), DateTime::UNIX_EPOCH);
        let now = [("price".to_owned(), "120".to_owned())];
        assert_eq!(shown(&memory, &now, 9_000), [""; 0]);
        let other = [("price".to_owned(), "99".to_owned())];
        assert_eq!(shown(&memory, &other, 9_000), ["\"price\""]);
    }

    #[test]
    fn an_extracted_text_is_not_of_the_kind_that_a_tool_of_its_name_declares() {
        let lines: Vec<String> = (1..=300).map(|n| format!("Offer {n}: a boat")).collect();
        let text = lines.join(
            "
",
        );
        let mut memory = WorkingMemory::default();
        memory.extract("offers", text.clone(), DateTime::UNIX_EPOCH);
        let tree = crate::testing::tree("button \"Go\" e1");
        let head = PageHead::new("https://x.example/", "X");
        let view = interpret(&head, &tree, &ViewOptions::default());
        let layout = Layout::of(&tree, &view.elements);
        let results = [("offers".to_owned(), text)];
        let declared = BTreeMap::from([("offers".to_owned(), ContentType::SearchResults)]);
        let has_end = |extracted| {
            let nonces = [Nonce::new(1), Nonce::new(2)];
            let message = crate::prompt::step(&StepParts {
                extracted,
                results: &results,
                content_types: &declared,
                ..StepParts::new(nonces, &view, &layout)
            });
            message.contains("Offer 299:")
        };
        assert_eq!([has_end(memory.extracted()), has_end(&[])], [true, false]);
    }

    #[test]
    fn a_long_line_goes_on_in_the_next_one() {
        assert_eq!(short("one line"), ["one line"]);
        assert_eq!(short(""), [""]);
        let long = "a boat on the water ".repeat(40);
        let parts = short(&long);
        assert!(parts.len() > 3 && parts.iter().all(|part| part.chars().count() <= MAX_LINE));
        assert_eq!(parts.concat(), long);
        let word = "x".repeat(500);
        assert_eq!(short(&word), [word.as_str()]);
    }
}
