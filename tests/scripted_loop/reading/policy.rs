//! A model that answers questions about what pages say. It sees only the requests, keeps nothing between them, and knows no page:
//! the kind of the question decides how it reads.

use serde_json::{Value, json};
use webwise::{action::RawCall, chat::ChatRequest};

use crate::reading::{
    prompt::{Block, Found, Line, Prompt},
    records,
};

/// Number of lines to ask for when everything is to be read.
pub(crate) const ALL: usize = 1_000;
/// Number of lines of a section to begin with.
const SECTION: usize = 12;

/// Words of a question that say nothing about what is looked for.
const GRAMMAR: [&str; 32] = [
    "a",
    "according",
    "all",
    "an",
    "and",
    "article",
    "come",
    "did",
    "do",
    "does",
    "how",
    "in",
    "is",
    "it",
    "its",
    "many",
    "name",
    "of",
    "or",
    "over",
    "say",
    "says",
    "section",
    "sections",
    "that",
    "the",
    "times",
    "to",
    "was",
    "were",
    "what",
    "which",
];

pub(crate) fn call(tool: &str, arguments: Value) -> RawCall {
    RawCall::new(tool, arguments)
}

pub(crate) fn finish(answer: &str, evidence: &str) -> Vec<RawCall> {
    vec![call(
        "finish",
        json!({ "answer": answer, "evidence": evidence }),
    )]
}

pub(crate) fn find(query: &str) -> RawCall {
    call("find", json!({ "query": query }))
}

fn read(line: usize, lines: usize) -> Vec<RawCall> {
    vec![call("read", json!({ "line": line, "lines": lines }))]
}

/// The texts between quotation marks.
pub(crate) fn quoted(text: &str) -> Vec<&str> {
    text.split('"').skip(1).step_by(2).collect()
}

pub(crate) fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Decides from one request.
pub(crate) fn decide(request: &ChatRequest) -> Vec<RawCall> {
    let prompt = Prompt::of(request);
    if !prompt.goal.contains("the article") {
        return records::decide(&prompt);
    }
    let goal = prompt.goal.as_str();
    let names = quoted(goal);
    if goal.contains("last sentence") {
        last_sentence(&prompt)
    } else if goal.starts_with("Does") {
        mentions(&prompt, names[0])
    } else if goal.contains(" first, ") {
        first_of(&prompt, &names)
    } else if goal.contains("in the section") || goal.contains("the section \"") {
        in_section(&prompt, names[0])
    } else if goal.starts_with("How many times") {
        match answered(&prompt) {
            [found] => times(found, names[0]),
            _ => vec![find(names[0])],
        }
    } else if let [name] = names[..] {
        match answered(&prompt) {
            [found] => sections_with(found, name),
            _ => vec![find(name)],
        }
    } else {
        fact(&prompt)
    }
}

fn answered(prompt: &Prompt) -> &[Found] {
    &prompt.found
}

fn sentences(text: &str) -> impl Iterator<Item = String> {
    let sentences = text.split(". ").filter(|sentence| !sentence.is_empty());
    sentences.map(|sentence| format!("{}.", sentence.trim_end_matches('.')))
}

/// The heading above each line, and the line.
fn with_headings(lines: impl Iterator<Item = Line>) -> Vec<(String, Line)> {
    let mut heading = String::new();
    let mut all = Vec::new();
    for line in lines {
        if line.is_heading() {
            heading = line.text();
        } else {
            all.push((heading.clone(), line));
        }
    }
    all
}

/// Looks for the words of the question on the page as it is shown, then by a search. The sentence with most of them is the answer, or
/// the heading above it.
fn fact(prompt: &Prompt) -> Vec<RawCall> {
    let mut wanted = words(&prompt.goal);
    wanted.retain(|word| !GRAMMAR.contains(&word.as_str()));
    let found = answered(prompt).first();
    let lines: Vec<Line> = found.map_or_else(
        || prompt.shown().cloned().collect(),
        |found| found.lines.iter().map(|(_, line)| line.clone()).collect(),
    );
    let mut best: (usize, String, String) = (0, String::new(), String::new());
    for (heading, line) in with_headings(lines.into_iter()) {
        let text = line.text();
        // What is cut off ends with dots, and what begins in the middle begins with them.
        for sentence in sentences(text.trim_start_matches('…')).filter(|s| !s.contains('…')) {
            let said = words(&sentence);
            let points = wanted.iter().filter(|word| said.contains(word)).count();
            if points > best.0 {
                best = (points, heading.clone(), sentence);
            }
        }
    }
    let (points, heading, sentence) = best;
    if found.is_none() && points * 4 < wanted.len() * 3 {
        return vec![find(&wanted.join(" "))];
    }
    let is_section = prompt.goal.contains("section");
    let answer = if is_section { &heading } else { &sentence };
    finish(answer, &sentence)
}

fn times(found: &Found, name: &str) -> Vec<RawCall> {
    assert!(found.all, "{found:?}");
    let texts: Vec<String> = found.lines.iter().map(|(_, line)| line.text()).collect();
    let count: usize = texts.iter().map(|text| text.matches(name).count()).sum();
    finish(&count.to_string(), &sentence_with(&texts, name))
}

fn sentence_with(texts: &[String], name: &str) -> String {
    let mut all = texts.iter().flat_map(|text| sentences(text));
    all.find(|sentence| sentence.contains(name))
        .unwrap_or_default()
}

fn sections_with(found: &Found, name: &str) -> Vec<RawCall> {
    assert!(found.all, "{found:?}");
    let mut headings: Vec<String> = Vec::new();
    let mut texts = Vec::new();
    for (heading, line) in with_headings(found.lines.iter().map(|(_, line)| line.clone())) {
        if line.text().contains(name) && headings.last() != Some(&heading) {
            headings.push(heading);
        }
        texts.push(line.text());
    }
    finish(&headings.join("; "), &sentence_with(&texts, name))
}

/// Reads the end of what is left out.
fn last_sentence(prompt: &Prompt) -> Vec<RawCall> {
    if let [block] = prompt.read.as_slice() {
        let last = block.lines.last().expect("a line").text();
        let sentence = sentences(&last).last().expect("a sentence");
        return finish(&sentence, &sentence);
    }
    let of_page = prompt
        .more()
        .into_iter()
        .filter(|more| more.target.is_none());
    let last = of_page.max_by_key(|more| more.line).expect("a mark");
    read(last.line + last.count - 2, 2)
}

/// What is not found by its name may still be there in other words, so everything is read before the answer is no.
fn mentions(prompt: &Prompt, name: &str) -> Vec<RawCall> {
    if let [block] = prompt.read.as_slice() {
        let texts: Vec<String> = block.lines.iter().map(Line::text).collect();
        let sentence = sentence_with(&texts, name);
        return if !sentence.is_empty() {
            finish("yes", &sentence)
        } else if block.to < block.of {
            read(block.to + 1, ALL)
        } else {
            finish("no", &first_heading(prompt))
        };
    }
    let [found] = answered(prompt) else {
        return vec![find(name)];
    };
    let texts: Vec<String> = found.lines.iter().map(|(_, line)| line.text()).collect();
    let sentence = sentence_with(&texts, name);
    if sentence.is_empty() {
        // What is shown in full before the first gap needs no second reading.
        let cut = prompt.shown().filter_map(|line| line.cut);
        let first = cut.chain(prompt.more().iter().map(|more| more.line)).min();
        read(first.unwrap_or(1), ALL)
    } else {
        finish("yes", &sentence)
    }
}

pub(crate) fn first_heading(prompt: &Prompt) -> String {
    let heading = prompt
        .shown()
        .flat_map(Line::parts)
        .find(|part| part.role == "heading");
    heading.expect("a heading").text.clone()
}

/// Searches for both names and compares where they are.
fn first_of(prompt: &Prompt, names: &[&str]) -> Vec<RawCall> {
    if answered(prompt).len() < names.len() {
        return names.iter().map(|name| find(name)).collect();
    }
    let place = |name: &&&str| {
        let found = answered(prompt)
            .iter()
            .find(|found| found.query == **name)
            .expect("an answer");
        assert!(found.all, "{found:?}");
        let places = found
            .lines
            .iter()
            .filter_map(|(number, line)| Some((*number, line.text().find(**name)?)));
        places.min()
    };
    let first = names.iter().min_by_key(place).expect("a name");
    let texts: Vec<String> = answered(prompt)
        .iter()
        .flat_map(|found| &found.lines)
        .map(|(_, line)| line.text())
        .collect();
    finish(first, &sentence_with(&texts, first))
}

/// Searches for the heading and reads what is below it.
fn in_section(prompt: &Prompt, name: &str) -> Vec<RawCall> {
    let begins = prompt.goal.contains("begin");
    if let [block] = prompt.read.as_slice() {
        return if begins { begin(block) } else { amounts(block) };
    }
    let [found] = answered(prompt) else {
        return vec![find(name)];
    };
    let is_it = |(_, line): &&(usize, Line)| line.is_heading() && line.text() == name;
    let (number, _) = found.lines.iter().find(is_it).expect("the heading");
    read(number + 1, if begins { 1 } else { SECTION })
}

fn begin(block: &Block) -> Vec<RawCall> {
    let first = sentences(&block.lines[0].text())
        .next()
        .expect("a sentence");
    finish(&first, &first)
}

fn amounts(block: &Block) -> Vec<RawCall> {
    let Some(end) = block.lines.iter().position(Line::is_heading) else {
        return read(block.from, 2 * block.lines.len());
    };
    let texts: Vec<String> = block.lines[..end].iter().map(Line::text).collect();
    let amounts = texts
        .iter()
        .flat_map(|text| text.split('£').skip(1))
        .map(|rest| {
            let number: String = rest
                .chars()
                .take_while(|c| c.is_ascii_digit() || *c == ',')
                .filter(char::is_ascii_digit)
                .collect();
            number.parse::<u64>().expect("an amount")
        });
    finish(
        &amounts.sum::<u64>().to_string(),
        &sentence_with(&texts, "£"),
    )
}
