//! Checks the evidence of an answer against the pages of the run.
//!
//! Evidence must be the page's own words. In a field, a word that the run has typed is not evidence, wherever it was
//! typed. The title is not evidence either, because it names a page but does not show what happened on it. The result
//! of a tool of the embedding program is evidence if the tool declares this.

use std::{
    collections::{BTreeSet, HashSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    slice,
};

use super::{PageNow, error_page, fields::Row, typed::Typed};
use crate::{
    base::{text, words::DENIES},
    page::{ElementRef, Node, NodeId, Observation, Part, Role, Tree, is_hint},
};
use serde::{Deserialize, Serialize};

/// Minimum number of letters and digits in evidence. Source: chosen; an order number has 4 digits, and a shorter text
/// such as "OK" occurs on almost every page. A number that is the whole text of an element may be shorter, because the
/// result of a calculation may be.
const MIN_EVIDENCE: usize = 3;
/// Maximum length of the part of a tool's result that counts as evidence. Unit: characters. Source: chosen; an
/// extracted text has the same maximum length.
const MAX_RETURNED: usize = 8_000;
/// Maximum number of unproven claims of an answer that are reported. Source: chosen.
const MAX_CLAIMS: usize = 20;
/// Maximum length of an unproven claim that is reported. Unit: characters. Source: chosen.
pub(super) const MAX_CLAIM: usize = 200;
/// Minimum number of words for evidence to be a sentence. Words of denial are not counted. Source: chosen.
const TELLING: usize = 3;
/// The claim that is reported as unproven if an answer denies something but the page was not shown whole.
const NOT_WHOLE: &str = "that something is not there: the page was not shown whole";
/// Maximum number of other words of the page between those of an extracted line, such as the options of a list.
const MAX_BETWEEN: usize = 60;
/// Maximum number of words in the list that tells the model which words of the evidence the page lacks. Source: chosen.
const MAX_TOLD: usize = 12;

/// The place where the words that an answer quotes as evidence were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// The words were found on the current page.
    Shown,
    /// The words were found in a text that the run read earlier, from a page or from a tool. If the text came from a
    /// page, the words were also found among the page's own words.
    Earlier,
    /// The words were found nowhere. The value explains this to the model.
    Missing(String),
}

/// The words that the pages of one run have shown, and the words of tool results that count as evidence. Words of
/// titles are included, because the words of an answer may come from a title.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seen {
    words: BTreeSet<String>,
    pub(super) numbers: BTreeSet<String>,
    /// The texts that the run read. The entry for a text from a page is the text's words and the page's words.
    /// The entry for a tool's result is `None` and the result's words.
    read: Vec<(Option<Vec<String>>, Vec<String>)>,
    /// The lines and cards of pages, for answers with a type. They are not stored: after an interruption, such an answer has less
    /// support.
    #[serde(skip)]
    pub(super) rows: Vec<Row>,
    /// The texts whose words were added before. This set only saves time, and is not stored.
    #[serde(skip)]
    pub(super) known: Known,
}

/// Hashes of the texts of pages whose words or numbers [`Seen`] already contains.
#[derive(Debug, Clone, Default)]
pub(super) struct Known(HashSet<u64>);

impl Known {
    /// Adds a text. Returns false if it was added before from such a place. In a field, some of its words may not count.
    pub(super) fn add(&mut self, text: &str, is_field: bool) -> bool {
        let mut hasher = DefaultHasher::new();
        (text, is_field).hash(&mut hasher);
        self.0.insert(hasher.finish())
    }
}

impl PartialEq for Known {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Known {}

impl Seen {
    /// Adds a page that is shown to the model. The words of the browser's own error page are not added.
    pub(crate) fn page(&mut self, page: &Observation, typed: &Typed) {
        if page.is_browser_error() {
            return;
        }
        // The model reads colours, sizes and places of elements without words, and may repeat their numbers.
        for look in page
            .tree
            .nodes()
            .iter()
            .filter_map(|node| node.property("look"))
        {
            if self.known.add(look, false) {
                self.numbers.extend(numbers(look));
            }
        }
        let title = Text::Shown(&page.title);
        for text in texts(page, typed).into_iter().chain([title]) {
            let (Text::Shown(words) | Text::InField(words)) = text else {
                continue;
            };
            if !self.known.add(words, matches!(text, Text::InField(_))) {
                continue;
            }
            let is_shown = matches!(text, Text::Shown(_));
            let of_page = |number: &String| is_shown || !typed.has_number(number);
            self.numbers
                .extend(numbers(words).into_iter().filter(of_page));
            // Most words of a page were seen before, so they are looked up without being allocated.
            text::for_each_word(words, |word| {
                if !self.words.contains(word) && (is_shown || !typed.has(word)) {
                    self.words.insert(word.to_owned());
                }
            });
        }
    }

    /// Adds this page and a text that was read from it. Adds nothing if this is the browser's own error page.
    pub(crate) fn extract(&mut self, text: &str, page: &Observation, typed: &Typed) {
        if page.is_browser_error() {
            return;
        }
        self.page(page, typed);
        let shown = shown(page, typed);
        self.read.push((Some(text::words(text)), shown));
    }

    /// Adds a tool's result, cut to [`MAX_RETURNED`] characters. Call this only for a tool whose results count as
    /// evidence.
    pub(crate) fn returned(&mut self, text: &str) {
        let end = text.char_indices().nth(MAX_RETURNED);
        let text = end.map_or(text, |(at, _)| &text[..at]);
        let words = text::words(text);
        if self.read.iter().any(|(_, known)| *known == words) {
            return;
        }
        self.numbers.extend(numbers(text));
        self.words.extend(words.iter().cloned());
        self.read.push((None, words));
        self.lines(text);
    }

    /// Returns true if a page of the run has shown this number, in the form of [`numbers`].
    pub(super) fn has_number(&self, number: &str) -> bool {
        self.numbers.contains(number)
    }

    fn has_read(&self, wanted: &[String]) -> bool {
        let is_in = |words: &[String]| words.windows(wanted.len()).any(|some| some == wanted);
        // An extraction may contain text that the model typed into a field; the page's own words do not. Between two words of a line
        // that was extracted, the page may have others, such as the options of a list.
        self.read.iter().any(|(text, page)| match text {
            Some(text) => is_in(text) && stands_apart(page, wanted),
            None => is_in(page),
        })
    }
}

/// Returns true if the page has the words in this order, with few others between them.
fn stands_apart(page: &[String], wanted: &[String]) -> bool {
    let Some(first) = wanted.first() else {
        return false;
    };
    let starts = page.iter().enumerate().filter(|(_, word)| *word == first);
    let most = wanted.len() * 3 + MAX_BETWEEN;
    let mut found = starts.map(|(at, _)| {
        let mut left = wanted.iter().peekable();
        for word in page[at..].iter().take(most) {
            left.next_if(|next| *next == word);
        }
        left.peek().is_none()
    });
    found.any(|is_all| is_all)
}

/// Searches for the words that an answer quotes as evidence, and returns where they were found.
///
/// Whole words are compared. Case, punctuation and line breaks do not matter. The message of an open dialog counts as
/// part of the page. If the evidence has several lines, it is found if all lines together are one passage of the page,
/// or if each line is a passage.
///
/// If the current page is the browser's own error page, nothing counts as evidence, not even words that were read
/// earlier. In this case, the run has not ended on a page of its task.
pub(crate) fn check(
    evidence: &str,
    page: Option<&PageNow>,
    seen: &Seen,
    typed: &Typed,
) -> Evidence {
    let lines = page.map_or_else(Vec::new, |page| lines(page, typed));
    let page = page.map(|page| &*page.observation);
    check_in(evidence, (page, &lines), seen, typed)
}

/// Returns the words of each line of the page as a prompt shows it. A line may have the words in another order than the page's tree.
fn lines(page: &PageNow, typed: &Typed) -> Vec<Vec<String>> {
    let (tree, elements) = (page.tree(), &page.view.elements);
    let of_part = |part: &Part| {
        let value = part.element.and_then(|at| elements[at].value.as_deref());
        let is_field = |id: &NodeId| tree[*id].role.is_editable();
        let around = std::iter::once(part.node).chain(tree.ancestors(part.node));
        let field = around.into_iter().find(is_field);
        let is_own = field.is_some_and(|id| typed.is_own(&tree[id]));
        let mut words = text::words(&part.text);
        let mut said = value.map_or_else(Vec::new, text::words);
        if field.is_some() {
            let is_inside = field != Some(part.node);
            let hidden = said
                .iter_mut()
                .chain(words.iter_mut().filter(|_| is_inside));
            hidden
                .filter(|word| is_own || typed.has(word))
                .for_each(String::clear);
        }
        words.append(&mut said);
        words
    };
    let lines = page.layout().lines().iter();
    lines
        .map(|line| line.all_parts().flat_map(of_part).collect())
        .collect()
}

fn check_in(
    evidence: &str,
    (page, lines): (Option<&Observation>, &[Vec<String>]),
    seen: &Seen,
    typed: &Typed,
) -> Evidence {
    if let Some(told) = page.and_then(error_page::told) {
        return Evidence::Missing(format!(
            "{told}. Nothing is proven here: leave it first, or report that it failed"
        ));
    }
    let here = page.map(|page| shown(page, typed));
    let here = here.unwrap_or_default();
    let is_number = |said: &str| page.is_some_and(|page| is_number_of(page, said));
    if is_number(evidence) || is_number(&unmarked(evidence)) {
        return Evidence::Shown;
    }
    let here = (&*here, lines);
    let found = check_lines(evidence, here, page, (seen, typed));
    // A prompt shows the line breaks of a field's value as `\n`.
    if matches!(found, Evidence::Missing(_)) && evidence.contains("\\n") {
        return check_lines(&evidence.replace("\\n", "\n"), here, page, (seen, typed));
    }
    found
}

/// The words of the current page, and those of each of its lines.
type Here<'p> = (&'p [String], &'p [Vec<String>]);

/// Searches for the evidence as one passage, and then for each of its lines.
fn check_lines(
    evidence: &str,
    here: Here<'_>,
    page: Option<&Observation>,
    (seen, typed): (&Seen, &Typed),
) -> Evidence {
    let whole = check_passage(evidence, here, (seen, typed), MIN_EVIDENCE);
    let says = |line: &&str| !text::words(line).is_empty();
    let lines: Vec<&str> = evidence.lines().filter(says).collect();
    let is_short = letters(&text::words(evidence)) < MIN_EVIDENCE;
    if lines.len() < 2 || is_short || !matches!(whole, Evidence::Missing(_)) {
        return whole;
    }
    let mut all = Evidence::Shown;
    let nothing = Typed::default();
    let mut is_proven = false;
    let own = |line: &str| match page {
        Some(page) => {
            let shown = shown(page, &nothing);
            let found = check_passage(line, (&shown, &[]), (seen, &nothing), 1);
            !matches!(found, Evidence::Missing(_))
        }
        None => false,
    };
    for line in &lines {
        match check_passage(line, here, (seen, typed), 1) {
            Evidence::Shown => is_proven = true,
            Evidence::Earlier => {
                is_proven = true;
                all = Evidence::Earlier;
            }
            // What a field shows because it was typed adds nothing to the other lines, and takes nothing from them.
            Evidence::Missing(_) if own(line) => {}
            Evidence::Missing(why) => {
                let line = serde_json::Value::from(text::truncate(line, MAX_CLAIM));
                return Evidence::Missing(format!("of the line {line}: {why}"));
            }
        }
    }
    if is_proven { all } else { whole }
}

/// Returns true if the evidence is a number, and the whole text of an element that is no control, such as the link to the
/// next page of a list.
fn is_number_of(page: &Observation, evidence: &str) -> bool {
    let wanted = text::words(evidence);
    let is_number = |words: &[String]| {
        let mut letters = words.iter().flat_map(|word| word.chars());
        !words.is_empty() && letters.all(char::is_numeric)
    };
    let is_control =
        |node: &Node| node.role.is_interactive() || node.states.pointer || node.states.listens;
    let is_it = |(id, node): (NodeId, &Node)| {
        let said = node.value.as_deref().unwrap_or(&node.name);
        let mut around = page.tree.ancestors(id).map(|id| &page.tree[id]);
        text::words(said) == wanted && !is_control(node) && !around.any(is_control)
    };
    is_number(&wanted) && page.tree.iter().any(is_it)
}

fn letters(words: &[String]) -> usize {
    words.iter().map(|word| word.chars().count()).sum()
}

/// Searches for a passage that contains all words of the evidence side by side, on the current page and in what the
/// run read earlier. The evidence must have at least `min` letters and digits.
fn check_passage(
    evidence: &str,
    (here, lines): Here<'_>,
    (seen, typed): (&Seen, &Typed),
    min: usize,
) -> Evidence {
    let wanted = text::words(evidence);
    if letters(&wanted) < min {
        return Evidence::Missing(format!(
            "the evidence has fewer than {MIN_EVIDENCE} letters or digits"
        ));
    }
    // A passage of a line may begin inside quotation marks.
    let from_inside = ["\"", evidence].concat();
    let [bare, inside] = [evidence, &from_inside].map(|passage| text::words(&unmarked(passage)));
    let says_more = letters(&bare) >= min;
    for quoted in [&wanted, &bare, &inside] {
        if letters(quoted) < min {
            continue;
        }
        let is_in = |words: &[String]| words.windows(quoted.len()).any(|some| some == *quoted);
        if is_in(here) || lines.iter().any(|line| is_in(line)) {
            return Evidence::Shown;
        }
        if seen.has_read(quoted) {
            return Evidence::Earlier;
        }
    }
    let known: HashSet<&String> = here.iter().collect();
    let missing: Vec<&String> = if says_more { &bare } else { &wanted }
        .iter()
        .filter(|word| !known.contains(word))
        .take(MAX_TOLD)
        .collect();
    // As the evidence writes them, with their signs.
    let is_missing = |part: &&str| text::words(part).iter().any(|word| missing.contains(&word));
    let around = |part: &'_ str| part.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let words = evidence.split_whitespace().filter(is_missing).map(around);
    let words: Vec<String> = words.collect();
    let words = serde_json::Value::from(text::truncate(&words.join(" "), MAX_CLAIM));
    let is_typed = wanted.iter().any(|word| typed.has(word));
    Evidence::Missing(if missing.is_empty() && is_typed {
        format!(
            "you typed or chose words of it, which prove nothing in a field before its page is opened again: {}",
            serde_json::Value::from(text::truncate(evidence, MAX_CLAIM))
        )
    } else if missing.is_empty() {
        "all words of the evidence are on the page, but not side by side: quote one passage of it"
            .to_owned()
    } else if missing.iter().all(|word| typed.has(word)) {
        format!("these words are no evidence, because you typed or chose them: {words}")
    } else {
        format!("these words of the evidence are not on the page: {words}")
    })
}

/// Removes what the prompt adds to the words of the page: line numbers, references, roles, the word `value`, states, hints
/// such as `current "page"`, and quotation marks.
/// All words inside quotation marks are kept. For example, `e8 img "True" [clickable]` becomes `True`.
fn unmarked(evidence: &str) -> String {
    let mut kept = String::new();
    let mut is_of_hint = false;
    // Every second piece stands between quotation marks.
    for (nth, piece) in evidence.split('"').enumerate() {
        if nth % 2 == 1 {
            kept.push_str(if is_of_hint { "" } else { piece });
        } else {
            let is_mark = |word: &&str| {
                let known = Role::parse(word);
                let number = word.strip_suffix(':').map(str::parse::<u32>);
                matches!(number, Some(Ok(_)))
                    || *word == "value"
                    || !matches!(known, Role::Other(_))
                    || ElementRef::parse(word).is_ok()
                    || (word.starts_with('[') && word.ends_with(']'))
            };
            let mut words: Vec<&str> = piece.split_whitespace().collect();
            is_of_hint = words.pop_if(|last| is_hint(last)).is_some();
            let words = words.into_iter().filter(|word| !is_mark(word));
            words.for_each(|word| kept.extend([" ", word]));
        }
        kept.push(' ');
    }
    kept
}

/// Returns the claims of an answer that are not proven. A number is not proven if it occurs neither in the evidence nor
/// in what the run has [`Seen`]. A quoted name is not proven if one of its words without digits occurs in neither of
/// them. A statement that something is absent is not proven if the page was not shown whole (`is_whole` is false).
pub(crate) fn unverified(answer: &str, evidence: &str, seen: &Seen, is_whole: bool) -> Vec<String> {
    let proven: HashSet<String> = numbers(evidence).into_iter().collect();
    let mut claims: Vec<String> = Vec::new();
    for number in numbers(answer) {
        if !proven.contains(&number) && !seen.numbers.contains(&number) && !claims.contains(&number)
        {
            claims.push(number);
        }
    }
    let proven: HashSet<String> = text::words(evidence).into_iter().collect();
    let is_known = |word: &String| proven.contains(word) || seen.words.contains(word);
    for name in quoted(answer) {
        // Its numbers were checked above.
        if !text::words(name)
            .iter()
            .filter(|word| !word.contains(char::is_numeric))
            .all(is_known)
        {
            claims.push(text::truncate(name, MAX_CLAIM));
        }
    }
    if denies(answer, evidence) && !is_whole {
        claims.push(NOT_WHOLE.to_owned());
    }
    claims.truncate(MAX_CLAIMS);
    claims
}

/// Returns true if the answer denies something in its own words. If the answer repeats the evidence and the evidence is
/// a sentence, words of denial in the repetition do not count.
fn denies(answer: &str, evidence: &str) -> bool {
    let mut words = text::words(answer);
    let own = text::words(evidence);
    // A single word such as "None" does not justify a denial, because a page may contain it anywhere.
    let denies = |word: &String| DENIES.are_in(slice::from_ref(word));
    let telling = own.iter().filter(|word| !denies(word));
    let is_sentence = telling.count() >= TELLING;
    let repeated = words.windows(own.len().max(1)).position(|some| some == own);
    if let Some(at) = repeated
        && is_sentence
    {
        words.drain(at..at + own.len());
    }
    let is_number = |at: usize| {
        let next: Option<&String> = words.get(at);
        next.is_some_and(|word| word.starts_with(|c: char| c.is_numeric()))
    };
    // `No. 1068` names a thing by its number.
    let names = |at: usize| words[at] == "no" && is_number(at + 1);
    (0..words.len()).any(|at| denies(&words[at]) && !names(at))
}

pub(super) fn quoted(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((at, open)) = rest
        .char_indices()
        .find(|(_, c)| matches!(c, '"' | '“' | '„' | '«'))
    {
        rest = &rest[at + open.len_utf8()..];
        let is_end = |c: char| matches!(c, '"' | '“' | '”' | '»');
        let Some(end) = rest.find(is_end) else {
            break;
        };
        found.push(&rest[..end]);
        rest = rest[end..].trim_start_matches(is_end);
    }
    found
}

/// Returns the numbers of a text in normal form: `1,299.00`, `1.299` and `1299` become equal, and so do `29,99` and
/// `29.99`.
pub(super) fn numbers(text: &str) -> Vec<String> {
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some(start) = rest.find(char::is_numeric) {
        rest = &rest[start..];
        let mut end = 0;
        while let Some(next) = rest[end..].chars().next() {
            let separates =
                matches!(next, '.' | ',') && rest[end + 1..].starts_with(char::is_numeric);
            if !(next.is_numeric() || separates) {
                break;
            }
            end += next.len_utf8();
        }
        found.push(plain(&rest[..end]));
        rest = &rest[end..];
    }
    found
}

/// Returns a number in the normal form that [`numbers`] describes. The text must consist of digits with single
/// separators between them.
fn plain(number: &str) -> String {
    let (whole, fraction) = match number.rsplit_once(['.', ',']) {
        // Three digits after the last separator are thousands.
        Some((whole, fraction)) if fraction.chars().count() < 3 => (whole, fraction),
        _ => (number, ""),
    };
    let mut plain: String = whole.chars().filter(|c| c.is_numeric()).collect();
    let fraction = fraction.trim_end_matches('0');
    if !fraction.is_empty() {
        plain.push('.');
        plain.push_str(fraction);
    }
    plain
}

/// A text of a page.
#[derive(Debug, Clone, Copy)]
enum Text<'p> {
    Shown(&'p str),
    /// The content of a field. The run may have typed some of its words.
    InField(&'p str),
    /// No passage is found across an edge.
    Edge,
}

/// Returns the words of the page in order, with an empty word for each edge, and for each word in a field that the run
/// has typed.
fn shown(page: &Observation, typed: &Typed) -> Vec<String> {
    let unless_typed = |word: String| {
        if typed.has(&word) {
            String::new()
        } else {
            word
        }
    };
    let words = |text: Text<'_>| match text {
        Text::Shown(text) => text::words(text),
        Text::InField(text) => text::words(text).into_iter().map(unless_typed).collect(),
        Text::Edge => vec![String::new()],
    };
    texts(page, typed).into_iter().flat_map(words).collect()
}

/// Returns the words of the page in order and as they are written, with an empty word for each edge. The content of fields is left
/// out.
pub(crate) fn own_words<'p>(page: &'p Observation, typed: &Typed) -> Vec<&'p str> {
    let words = |text: Text<'p>| match text {
        Text::Shown(text) => text.split_whitespace().collect(),
        Text::InField(_) | Text::Edge => vec![""],
    };
    texts(page, typed).into_iter().flat_map(words).collect()
}

/// Returns the texts of the page in order. The content of a field is followed by an edge, and left out if it proves
/// nothing. Of the options of a combobox, only chosen ones are among the texts. All options of a list box are.
fn texts<'p>(page: &'p Observation, typed: &Typed) -> Vec<Text<'p>> {
    let dialog = page.dialog.as_ref();
    let mut texts: Vec<Text<'_>> = dialog
        .map(|dialog| Text::Shown(&dialog.message))
        .into_iter()
        .collect();
    texts.push(Text::Edge);
    let mut field_end: Option<NodeId> = None;
    for (id, node) in page.tree.iter() {
        if field_end.is_some_and(|end| id <= end) {
            continue;
        }
        texts.push(Text::Shown(&node.name));
        let value = node.value.as_deref().unwrap_or_default();
        if !node.role.is_editable() {
            texts.push(Text::Shown(value));
            continue;
        }
        field_end = last_inside(&page.tree, id);
        if !typed.is_own(node) {
            texts.push(Text::InField(value));
            let is_list = node.role == Role::Combobox;
            let inside = page.tree.descendants(id).map(|id| &page.tree[id]);
            let is_said = |inner: &&Node| !is_list || inner.states.selected == Some(true);
            let said = inside
                .filter(|inner| value.is_empty() && is_said(inner))
                .flat_map(|inner| [&*inner.name, inner.value.as_deref().unwrap_or_default()]);
            texts.extend(said.map(Text::InField));
        }
        texts.push(Text::Edge);
    }
    texts
}

fn last_inside(tree: &Tree, id: NodeId) -> Option<NodeId> {
    tree.descendants(id).next_back()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Dialog, DialogKind};

    fn none() -> Typed {
        Typed::default()
    }

    fn check(evidence: &str, page: Option<&Observation>, seen: &Seen) -> Evidence {
        super::check_in(evidence, (page, &[]), seen, &Typed::default())
    }

    fn now(page: Observation) -> PageNow {
        PageNow::of(page)
    }

    fn is_shown(evidence: &str, page: &Observation) -> bool {
        check(evidence, Some(page), &Seen::default()) == Evidence::Shown
    }

    fn observation(build: impl FnOnce(&mut crate::page::TreeBuilder)) -> Observation {
        let mut b = Tree::builder();
        b.open(Node::new(Role::Main, ""));
        build(&mut b);
        b.close();
        Observation::new("https://shop.example/done", "Order placed", b.finish())
    }

    fn page() -> Observation {
        observation(|b| {
            b.leaf(Node::new(Role::Heading, "Thank you!"));
            b.leaf(Node::text("Your order number:"));
            b.leaf(Node::new(Role::Strong, "").with_value("PX-40213"));
        })
    }

    fn form() -> Observation {
        observation(|b| {
            b.leaf(Node::new(Role::SearchBox, "Order number").with_value("PX-40213"));
            b.open(Node::new(Role::TextBox, "Message"));
            b.leaf(Node::text("Your order was shipped"));
            b.close();
            b.leaf(Node::new(Role::SpinButton, "Quantity").with_value("1234"));
            b.leaf(Node::text("in the cart"));
        })
    }

    #[test]
    fn no_words_of_the_browsers_error_page_prove_anything_nor_do_earlier_words_there() {
        let mut broken = page();
        broken.url = crate::page::ERROR_PAGE.to_owned();
        let mut seen = Seen::default();
        seen.page(&broken, &none());
        seen.extract("Your order number: PX-40213", &broken, &none());
        assert_eq!(seen, Seen::default());
        seen.extract("Your order number: PX-40213", &page(), &none());
        for evidence in ["Thank you!", "Your order number: PX-40213"] {
            let Evidence::Missing(why) = check(evidence, Some(&broken), &seen) else {
                panic!("{evidence} is no evidence");
            };
            assert!(
                why.starts_with("this is the browser's own error page"),
                "{why}"
            );
        }
        let elsewhere = form();
        assert_eq!(
            check("Your order number: PX-40213", Some(&elsewhere), &seen),
            Evidence::Earlier
        );
    }

    #[test]
    fn words_on_the_page_are_evidence_across_nodes() {
        for evidence in ["PX-40213", "order number: PX-40213", "thank you"] {
            assert!(is_shown(evidence, &page()), "{evidence}");
        }
    }

    #[test]
    fn what_is_not_there_or_says_nothing_is_no_evidence() {
        for evidence in ["", " ", "-", "PX-40214", "PX-4021", "order shipped", "no"] {
            assert!(!is_shown(evidence, &page()), "{evidence}");
        }
    }

    #[test]
    fn a_line_of_the_prompt_is_evidence_for_the_words_in_it() {
        for evidence in [
            r#"heading "Thank you!" [clickable]"#,
            r#"- e7 link "Your order number:" | strong "PX-40213""#,
            r#"12:  - e7 link "Your order number:" | strong "PX-40213""#,
            r#"order number:" | strong "PX-40213""#,
        ] {
            assert!(is_shown(evidence, &page()), "{evidence}");
        }
        for evidence in [
            r#"e7 strong "PX-40214""#,
            r#"e7 strong "PX""#,
            r#"heading "Thank you!" and "PX-40213""#,
            r#"heading "" e7"#,
        ] {
            assert!(!is_shown(evidence, &page()), "{evidence}");
        }
    }

    #[test]
    fn what_the_model_typed_is_no_evidence() {
        let typed = Typed::before("PX-40213\nYour order was shipped\n1234");
        let check = |evidence| super::check(evidence, Some(&now(form())), &Seen::default(), &typed);
        for evidence in [
            r#"e4 searchbox "Order number" value "PX-40213""#,
            "PX-40213",
            "Order number PX-40213",
            "Your order was shipped",
            "1234",
            "quantity 1234 in the cart",
        ] {
            let found = check(evidence);
            assert!(matches!(found, Evidence::Missing(_)), "{evidence}");
        }
        let Evidence::Missing(why) = check("PX-40213") else {
            panic!()
        };
        assert_eq!(
            why,
            r#"these words are no evidence, because you typed or chose them: "PX-40213""#
        );
    }

    #[test]
    fn what_a_field_held_before_is_evidence_but_not_the_words_that_were_typed() {
        for evidence in ["PX-40213", "Your order was shipped", "1234"] {
            assert!(is_shown(evidence, &form()), "{evidence}");
        }
        assert!(!is_shown("quantity 1234 in the cart", &form()));
        let typed = Typed::before("sent 12.90");
        let page = observation(|b| {
            b.leaf(Node::new(Role::TextBox, "Text").with_value("The order of May was sent"));
            b.leaf(Node::new(Role::TextBox, "Price").with_value("12.90"));
            b.open(Node::new(Role::Combobox, "Zone"));
            for (name, chosen) in [("Lisbon", true), ("Rome", false)] {
                let mut option = Node::new(Role::Option, name);
                option.states.selected = Some(chosen);
                b.leaf(option);
            }
            b.close();
        });
        let found = |evidence| {
            let found = super::check(evidence, Some(&now(page.clone())), &Seen::default(), &typed);
            found == Evidence::Shown
        };
        assert!(found("order of May") && !found("May was sent"));
        assert!(found("Lisbon") && !found("Rome") && !found("Lisbon Zone"));
        assert!(found(r#"e5 combobox "Zone" value "Lisbon""#));
        assert!(found(r#"e4 textbox "Text" value "The order of May"#));
        let mut seen = Seen::default();
        seen.page(&page, &typed);
        assert_eq!(unverified("It costs 12.90", "", &seen, true), ["12.9"]);
        let claims = |seen: &Seen| unverified(r#"It says "May", not "sent""#, "", seen, true);
        assert_eq!(claims(&seen), ["sent"]);
        // The same text as a heading is the page's own.
        seen.page(
            &observation(|b| {
                b.leaf(Node::text("The order of May was sent"));
            }),
            &none(),
        );
        assert!(claims(&seen).is_empty());
    }

    #[test]
    fn a_short_number_is_evidence_if_it_is_all_that_an_element_says() {
        let page = observation(|b| {
            b.leaf(Node::text("4.8"));
            b.leaf(Node::text("Room 7"));
            b.leaf(Node::new(Role::Link, "2"));
            b.leaf(Node::text("OK"));
            b.leaf(Node::text(r"Saved to C:\new\notes.txt"));
        });
        assert!(is_shown(r"C:\new\notes.txt", &page));
        for (evidence, shown) in [
            ("4.8", true),
            (r#"e5 "4.8""#, true),
            ("7", false),
            ("2", false),
            ("OK", false),
        ] {
            assert_eq!(is_shown(evidence, &page), shown, "{evidence}");
        }
    }

    #[test]
    fn the_label_of_a_field_is_the_page_s_and_nothing_reads_across_the_field() {
        assert!(is_shown("order number", &form()));
        assert!(is_shown("in the cart", &form()));
        assert!(!is_shown("quantity in the cart", &form()));
    }

    #[test]
    fn the_title_of_a_page_is_no_evidence() {
        assert!(!is_shown("Order placed", &page()));
    }

    #[test]
    fn the_message_of_an_open_dialog_is_shown() {
        let mut page = Observation::new("https://shop.example/", "", Tree::builder().finish());
        assert!(!is_shown("order PX-40213 placed", &page));
        page.dialog = Some(Dialog::new(DialogKind::Alert, "Order PX-40213 placed."));
        assert!(is_shown("order PX-40213 placed", &page));
    }

    #[test]
    fn a_dialog_and_the_page_under_it_are_not_read_as_one_text() {
        let mut page = page();
        page.dialog = Some(Dialog::new(DialogKind::Alert, "Never say"));
        assert!(!is_shown("never say thank you", &page));
    }

    #[test]
    fn what_was_read_from_an_earlier_page_is_evidence_and_what_was_typed_there_is_not() {
        let mut seen = Seen::default();
        seen.extract("Your order number: PX-40213", &page(), &none());
        let typed = Typed::before("Your order was shipped");
        seen.extract("Message Your order was shipped", &form(), &typed);
        let elsewhere = observation(|b| b.leaf(Node::text("Home")));
        let found = |evidence| check(evidence, Some(&elsewhere), &seen);
        assert_eq!(found("order number: PX-40213"), Evidence::Earlier);
        assert!(matches!(
            found("your order was shipped"),
            Evidence::Missing(_)
        ));
        // The words were on the page, but nobody read them.
        assert!(matches!(found("thank you"), Evidence::Missing(_)));
        assert_eq!(check("home", Some(&elsewhere), &seen), Evidence::Shown);
    }

    #[test]
    fn each_line_of_the_evidence_may_be_a_passage_of_its_own() {
        let mut seen = Seen::default();
        seen.extract(
            "All is well here",
            &observation(|b| b.leaf(Node::text("All is well here"))),
            &none(),
        );
        let told = |evidence| check(evidence, Some(&page()), &seen);
        assert_eq!(told("PX-40213\nThank you!"), Evidence::Shown);
        assert_eq!(told("PX-40213\n - \nall is well"), Evidence::Earlier);
        assert_eq!(told("PX\nyou"), Evidence::Shown);
        assert!(matches!(told("P\nX"), Evidence::Missing(_)));
        assert_eq!(
            told("PX-40213\nthank nobody"),
            Evidence::Missing(
                r#"of the line "thank nobody": these words of the evidence are not on the page: "nobody""#.to_owned()
            )
        );
    }

    #[test]
    fn punctuation_and_spaces_of_chinese_and_japanese_do_not_matter() {
        let page = observation(|b| b.leaf(Node::text("「注文番号」\u{3000}1068、済")));
        for evidence in ["注文番号 1068。", "注文番号：1068 済"] {
            assert!(is_shown(evidence, &page), "{evidence}");
        }
        assert!(!is_shown("、。「」", &page));
    }

    #[test]
    fn a_line_is_evidence_as_it_is_printed_but_not_what_was_typed_in_it() {
        let page = now(observation(|b| {
            b.open(Node::new(Role::Row, ""));
            // The words of the row's checkbox stand between the cells in the tree.
            b.leaf(Node::new(Role::Cell, "rain_2025.csv"));
            b.open(Node::new(Role::Cell, ""));
            b.leaf(Node::new(Role::TextBox, "New name").with_value("wind_2026.csv"));
            b.close();
            b.leaf(Node::new(Role::Cell, "1m ago"));
            b.close();
        }));
        let typed = Typed::before("wind_2026.csv");
        let found = |evidence| super::check(evidence, Some(&page), &Seen::default(), &typed);
        for line in [
            "\"rain_2025.csv\" | textbox \"New name\"",
            "textbox \"New name\"",
        ] {
            assert_eq!(found(line), Evidence::Shown, "{line}");
        }
        for line in ["wind_2026.csv | 1m ago", "value \"wind_2026.csv\""] {
            assert!(matches!(found(line), Evidence::Missing(_)), "{line}");
        }
    }

    #[test]
    fn a_line_that_was_typed_takes_nothing_from_the_lines_that_prove_something() {
        let page = now(observation(|b| {
            b.leaf(Node::text("Settings updated successfully."));
            b.leaf(Node::new(Role::TextBox, "Tagline").with_value("Recipes and people"));
        }));
        let typed = Typed::before("Recipes and people");
        let found = |said: &str| super::check(said, Some(&page), &Seen::default(), &typed);
        let own = "textbox \"Tagline\" value \"Recipes and people\"";
        assert_eq!(
            found(&format!("Settings updated successfully.\n{own}")),
            Evidence::Shown
        );
        let Evidence::Missing(why) = found(own) else {
            panic!("it was typed")
        };
        assert!(why.contains("you typed or chose"), "{why}");
        let absent = "Settings updated successfully.\nRecipes and nobody";
        assert!(matches!(found(absent), Evidence::Missing(_)));
    }

    #[test]
    fn what_is_missing_is_told() {
        let told = |evidence| match check(evidence, Some(&page()), &Seen::default()) {
            Evidence::Missing(why) => why,
            other => format!("{other:?}"),
        };
        assert_eq!(
            told("Your order \"99\" was sent"),
            r#"these words of the evidence are not on the page: "99 was sent""#
        );
        assert_eq!(
            told("thank you, PX-40213"),
            "all words of the evidence are on the page, but not side by side: quote one passage of it"
        );
        assert_eq!(told("-"), "the evidence has fewer than 3 letters or digits");
    }

    #[test]
    fn claims_that_no_page_has_shown_are_told() {
        let mut seen = Seen::default();
        let typed = Typed::before("777");
        seen.page(
            &observation(|b| {
                b.leaf(Node::text("Total: 1,299.00 EUR, 3 items, by Ada Lovelace"));
                b.leaf(Node::new(Role::TextBox, "Code").with_value("777"));
                let mut square = Node::new(Role::Generic, "");
                square
                    .properties
                    .push(("look".into(), "#0a448f 12x12".into()));
                b.leaf(square);
            }),
            &typed,
        );
        for (answer, evidence, claims) in [
            ("It is 1299", "", &[][..]),
            ("It is €1.299,00 for 3", "", &[]),
            ("It is 1298.50, 4 items, 4 items", "", &["1298.5", "4"]),
            ("It is 40", "about 40 pieces", &[]),
            ("The code is 777", "", &["777"]),
            ("The square in #0a448f", "", &[]),
            ("The square in #0a449f", "", &["449"]),
            (r#"By "Ada Lovelace""#, "", &[]),
            ("By “Charles Babbage”, not “Ada”", "", &["Charles Babbage"]),
            ("By Charles Babbage", "", &[]),
            ("", "", &[]),
        ] {
            assert_eq!(
                unverified(answer, evidence, &seen, true),
                claims,
                "{answer}"
            );
        }
    }

    #[test]
    fn that_something_is_missing_cannot_be_said_of_half_a_page() {
        let seen = Seen::default();
        for answer in ["The minutes do not mention it", "None", "It doesn't say"] {
            assert_eq!(
                unverified(answer, "", &seen, false),
                [NOT_WHOLE],
                "{answer}"
            );
            assert!(unverified(answer, "", &seen, true).is_empty());
        }
        let quote = "No rain fell in May.";
        for (answer, is_claim) in [
            (quote, false),
            ("It says that no rain fell in May", false),
            ("No rain fell in May, and none in June", true),
            ("No", true),
        ] {
            let claims = unverified(answer, quote, &seen, false);
            assert_eq!(!claims.is_empty(), is_claim, "{answer}");
        }
        for answer in ["It is noted", "Thunder Silver (No. 1068)"] {
            let claims = unverified(answer, "number 1068", &seen, false);
            assert!(claims.is_empty(), "{answer}: {claims:?}");
        }
    }
}
