//! Ranks the lines of a text by their importance. The rules for each kind of text follow from what its readers want to know:
//! of search results, which results were found; of a page, what it offers; of a failure, what failed and where; of a form,
//! which values it has; of any other text, what it is about.
//!
//! Source of all numbers: chosen.

use std::collections::HashMap;

use super::{
    ContentType,
    kind::{
        contains_any, has_address, has_reference, is_about_failure, is_chapter, is_comment,
        is_frame, is_report, is_underline, pair, role,
    },
};

/// The rank of a line that says what the text is about.
const TOP: u8 = 4;
/// The rank of a line that answers the question that readers of this kind of text usually have.
const HIGH: u8 = 3;
const MIDDLE: u8 = 2;
const LOW: u8 = 1;
/// The rank of an empty line, the lowest rank.
const NONE: u8 = 0;

/// Maximum length of a line that can be a heading, or the title of a search result. Unit: characters.
const MAX_HEADING: usize = 120;
/// Number of lines at the start of a failure that may say what failed.
const HEAD_OF_FAILURE: usize = 3;
/// Number of lines at the start of a form that may say what the form is for.
const HEAD_OF_FORM: usize = 5;
/// Minimum number of values with the same label for the label to count as repeated.
const REPEATED: usize = 4;
/// Maximum number of values with the same label that keep their rank. Further values with this label are ranked lower.
const MAX_SAME_LABEL: usize = 2;
/// The comments in a form count as headings if they are fewer than 1 / `FEW_COMMENTS` of its lines.
const FEW_COMMENTS: usize = 5;

/// Roles of elements with which a person enters or starts something.
const CONTROLS: [&str; 7] = [
    "button",
    "textbox",
    "searchbox",
    "combobox",
    "checkbox",
    "radio",
    "spinbutton",
];

/// Returns the rank of each line. The lowest rank is [`NONE`], and the highest is [`TOP`].
pub(super) fn ranks(lines: &[&str], kind: ContentType) -> Vec<u8> {
    let rank: fn(&[&str], usize) -> u8 = match kind {
        ContentType::SearchResults => in_results,
        ContentType::PageState => on_page,
        ContentType::Error => in_failure,
        ContentType::Form => in_form,
        ContentType::Structured | ContentType::Text => in_text,
    };
    let mut ranks: Vec<u8> = (0..lines.len()).map(|at| rank(lines, at)).collect();
    let is_filled = |line: &&str| !line.trim().is_empty();
    if let Some(first) = lines.iter().position(is_filled) {
        ranks[first] = TOP;
    }
    match kind {
        ContentType::PageState => lower_asides(lines, &mut ranks),
        ContentType::Error => raise_near_messages(lines, &mut ranks),
        ContentType::Form => {
            rank_labels(lines, &mut ranks);
            raise_few_comments(lines, &mut ranks);
        }
        ContentType::Text | ContentType::SearchResults => {
            // The last line often says what follows from the text.
            if let Some(last) = lines.iter().rposition(is_filled) {
                ranks[last] = TOP;
            }
        }
        ContentType::Structured => {}
    }
    if kind != ContentType::PageState {
        lower_repeated(lines, kind, &mut ranks);
    }
    ranks
}

/// Lowers the rank of lines that repeat another line. Of equal lines, only the first one keeps its rank; in
/// [`ContentType::Text`], only the last one, because a table of contents has the same headings as the text after it.
fn lower_repeated(lines: &[&str], kind: ContentType, ranks: &mut [u8]) {
    let mut known: HashMap<&str, usize> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        if ranks[at] < MIDDLE {
            continue;
        }
        let Some(earlier) = known.get(line.trim()).copied() else {
            known.insert(line.trim(), at);
            continue;
        };
        if kind == ContentType::Text {
            ranks[earlier] = LOW;
            known.insert(line.trim(), at);
        } else {
            ranks[at] = LOW;
        }
    }
}

fn is_short(line: &str) -> bool {
    line.chars().count() <= MAX_HEADING
}

/// Returns true if the line at the position `at` is empty, or if there is no such line.
fn is_blank(lines: &[&str], at: Option<usize>) -> bool {
    let line = at.and_then(|at| lines.get(at));
    line.is_none_or(|line| line.trim().is_empty())
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn in_results(lines: &[&str], at: usize) -> u8 {
    let line = lines[at].trim();
    let is_title = || {
        let is_before_address = lines.get(at + 1).is_some_and(|next| has_address(next));
        let follows_heading = at > 0 && is_chapter(lines[at - 1]);
        is_short(line)
            && (is_before_address || follows_heading || is_blank(lines, at.checked_sub(1)))
    };
    if line.is_empty() {
        NONE
    } else if has_address(line) || is_title() {
        HIGH
    } else {
        LOW
    }
}

fn on_page(lines: &[&str], at: usize) -> u8 {
    let line = lines[at].trim();
    let line = line.strip_prefix("- ").unwrap_or(line);
    let line = line.strip_prefix('\'').unwrap_or(line);
    let above = at.checked_sub(1).map_or("", |above| lines[above]);
    let above = above.trim_start_matches([' ', '-']);
    let is_in_content = || {
        ["cell", "rowheader", "heading"]
            .iter()
            .any(|role| above.starts_with(role))
    };
    let is_title = || line.starts_with("Page Title") || line.starts_with("title ");
    let is_marked = || contains_any(line, &["[invalid]", "[selected]"]);
    let has_text = line.contains("]: ") || line.starts_with("text: ");
    let name = role(line);
    match name.or_else(|| line.split([' ', ':']).next()) {
        _ if line.is_empty() => NONE,
        _ if is_marked() || is_title() => TOP,
        Some("heading" | "alert" | "status" | "dialog") if name.is_some() || has_text => TOP,
        Some("option" | "/url" | "img" | "separator" | "group" | "row" | "...") => LOW,
        Some(role) if CONTROLS.contains(&role) || role == "columnheader" => HIGH,
        Some("link") if is_in_content() => HIGH,
        _ if has_text || has_reference(line) || line.starts_with('"') => HIGH,
        _ if name.is_some() => MIDDLE,
        _ => LOW,
    }
}

/// Lowers the rank of lines of the rank [`HIGH`] inside menus, banners, side columns and footers. [`CONTROLS`] keep their
/// rank.
fn lower_asides(lines: &[&str], ranks: &mut [u8]) {
    let mut aside: Option<usize> = None;
    for (at, line) in lines.iter().enumerate() {
        if aside.is_some_and(|around| indent(line) <= around) {
            aside = None;
        }
        let name = line.trim_start_matches([' ', '-']);
        let landmarks = ["navigation", "banner", "contentinfo", "complementary"];
        let is_control = || {
            let first = name.split([' ', ':']).next();
            let has = |role: &&str| first == Some(role) || name.contains(&format!("{role} \""));
            CONTROLS.iter().any(has)
        };
        if aside.is_some() {
            if ranks[at] == HIGH && !is_control() {
                ranks[at] = MIDDLE;
            }
        } else if landmarks.iter().any(|role| name.starts_with(role)) {
            aside = Some(indent(line));
        }
    }
}

fn in_failure(lines: &[&str], at: usize) -> u8 {
    let line = lines[at].trim();
    let follows = |of: fn(&str) -> bool| at > 0 && of(lines[at - 1]);
    let is_message = || is_about_failure(line) && !is_frame(line);
    if line.is_empty() {
        NONE
    } else if at < HEAD_OF_FAILURE && is_short(line)
        || follows(|above| above.contains("panicked at"))
        || is_message()
    {
        TOP
    } else if is_frame(line) {
        if names_own_file(line) { HIGH } else { LOW }
    } else if follows(is_frame) && lines[at].starts_with(' ') {
        // The source of the frame above.
        LOW
    } else {
        MIDDLE
    }
}

/// Returns true if a stack frame names a file of the program that failed, not of a library.
fn names_own_file(frame: &str) -> bool {
    let libraries = [
        "site-packages",
        "dist-packages",
        "node_modules",
        "node:",
        "/rustc/",
        "/usr/lib/",
        "/usr/include/",
        "/usr/local/lib/",
        "java.",
        "jdk.",
        "lib/python",
        "std::",
        "core::",
        "<anonymous>",
        "<frozen",
    ];
    let names_file = frame.contains(['/', '.', '"']) && !frame.starts_with(['^', '~', 'T']);
    names_file && !contains_any(frame, &libraries)
}

/// Raises the rank of stack frames of the program itself beside a message, because they say where the failure came
/// from. A line of source code may stand between the frame and a message after it.
fn raise_near_messages(lines: &[&str], ranks: &mut [u8]) {
    let before = ranks.to_vec();
    let is_message = |at: usize| before.get(at) == Some(&TOP);
    for at in 0..lines.len() {
        let follows = at > 0 && is_message(at - 1);
        let precedes = is_message(at + 1) || is_message(at + 2) && !is_frame(lines[at + 1]);
        if before[at] == HIGH && (follows || precedes) {
            ranks[at] = TOP;
        }
    }
}

fn in_form(lines: &[&str], at: usize) -> u8 {
    let line = lines[at].trim();
    let begins_group = || {
        line.starts_with(['=', '['])
            || is_blank(lines, at.checked_sub(1))
            || lines[at - 1].starts_with('#')
    };
    let is_chosen = || line.starts_with("- [x]") || line.ends_with("[x]") || line.ends_with("[on]");
    match pair(line) {
        _ if line.is_empty() => NONE,
        _ if line.starts_with('!') || line.contains(" <- ") => TOP,
        _ if at < HEAD_OF_FORM && is_short(line) => TOP,
        _ if is_comment(line) && has_address(line) => HIGH,
        _ if is_comment(line) || line.starts_with('(') || line.contains("[ ]") => LOW,
        _ if is_chosen() || is_report(line) => HIGH,
        Some((_, value)) if value.contains(char::is_alphanumeric) => MIDDLE,
        None if is_short(line) && begins_group() => HIGH,
        None if is_short(line) => MIDDLE,
        _ => LOW,
    }
}

/// Ranks the values of a form by how often their labels occur. Lowers the ranks of all values with the same label but
/// the first [`MAX_SAME_LABEL`]. If a label of the form occurs at least [`REPEATED`] times, raises the ranks of values
/// whose labels occur at most [`MAX_SAME_LABEL`] times.
fn rank_labels<'a>(lines: &[&'a str], ranks: &mut [u8]) {
    let label = |line: &'a str| pair(line.trim()).map(|(label, _)| label);
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for label in lines.iter().copied().filter_map(label) {
        *counts.entry(label).or_default() += 1;
    }
    let are_repeated = counts.values().any(|count| *count >= REPEATED);
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (line, rank) in lines.iter().zip(ranks) {
        let Some(label) = label(line).filter(|_| *rank == MIDDLE) else {
            continue;
        };
        let count = seen.entry(label).or_default();
        *count += 1;
        if *count > MAX_SAME_LABEL {
            *rank = LOW;
        } else if are_repeated && counts[label] <= MAX_SAME_LABEL {
            *rank = HIGH;
        }
    }
}

/// Raises the rank of comments if there are only a few of them, because they are then headings.
fn raise_few_comments(lines: &[&str], ranks: &mut [u8]) {
    let is_here = |at: &usize| is_comment(lines[*at]);
    let comments: Vec<usize> = (0..lines.len()).filter(is_here).collect();
    if comments.len() * FEW_COMMENTS < lines.len() {
        for at in comments {
            ranks[at] = ranks[at].max(HIGH);
        }
    }
}

fn in_text(lines: &[&str], at: usize) -> u8 {
    let line = lines[at].trim();
    let follows_heading = || {
        let before = (0..at)
            .rev()
            .find(|before| !lines[*before].trim().is_empty());
        before.is_some_and(|before| is_heading(lines, before))
    };
    // Columns are apart by several spaces.
    let is_table = || line.contains("   ");
    if line.is_empty() {
        NONE
    } else if is_heading(lines, at) {
        TOP
    } else if follows_heading() || is_report(line) {
        HIGH
    } else if is_blank(lines, at.checked_sub(1)) || has_address(line) || is_table() {
        // The first line of a paragraph says what it is about.
        MIDDLE
    } else {
        LOW
    }
}

fn is_heading(lines: &[&str], at: usize) -> bool {
    let line = lines[at].trim();
    let next = lines[at + 1..].iter().find(|line| !line.trim().is_empty());
    let is_above_indented = || next.is_some_and(|next| indent(next) > indent(lines[at]));
    let starts = is_blank(lines, at.checked_sub(1));
    let is_alone = starts && is_blank(lines, Some(at + 1));
    let stands_out = || {
        is_numbered(line) || is_alone || is_above_indented() && (starts || indent(lines[at]) == 0)
    };
    let ends_open = !line.ends_with(['.', ',', ';', ':', '。', '、', '：']);
    let is_underlined = || lines.get(at + 1).is_some_and(|next| is_underline(next));
    // Generated documentation marks its headings with a link to them.
    let has_link = line.ends_with('¶');
    is_chapter(lines[at])
        || is_underlined()
        || has_link
        || ends_open && is_short(line) && stands_out()
}

/// Returns true if the line begins with a section number, such as `4.` or `4.2`.
fn is_numbered(line: &str) -> bool {
    let number = line.split([' ', '\u{a0}']).next().unwrap_or_default();
    let has_text = line.len() > number.len();
    let mut chars = number.chars();
    has_text
        && number.contains('.')
        && number.starts_with(|c: char| c.is_ascii_digit())
        && chars.all(|c| c.is_ascii_digit() || c == '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_enters_or_starts_keeps_its_rank_in_a_banner() {
        let lines = [
            "- banner [ref=e1]:",
            "  - link \"Home\" [ref=e2]",
            "  - combobox \"Language\" [ref=e3]",
            "  - checkbox [ref=e4]",
            "  - button [ref=e5]",
        ];
        let ranks = ranks(&lines, ContentType::PageState);
        assert_eq!(ranks[1..], [MIDDLE, HIGH, HIGH, HIGH]);
    }
}
