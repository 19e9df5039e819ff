//! A step message as its rules say that it must be read: one fence, strings of JSON in it, and words of ours around them.
//!
//! Written from the rules and not with the crate's own fence: what that gets wrong must be found here.

use std::collections::HashSet;

use serde_json::Deserializer;
use webwise::page::ElementRef;

/// The section with what the names in tips stand for.
const NAMES: &str = "Names in the tips";
/// The section with earlier runs. The goal there is the user's, the rest the model's.
const SESSIONS: &str = "Session history";
/// The heading above the pages of a site map.
const PAGES: &str = "Pages of this site";
/// The section with facts. Those that models proposed are data.
const FACTS: &str = "Facts about this site";
/// The section with recipes. The goals there are the user's, the names the pages'.
const RECIPES: &str = "Done here before";
/// Headings that may stand inside the fence.
const HEADINGS: [&str; 23] = [
    RECIPES,
    "Given",
    "Followed",
    "Extracted before",
    "Results before",
    "Earlier pages",
    NAMES,
    FACTS,
    "Memory for this site",
    SESSIONS,
    PAGES,
    "Earlier steps",
    "Earlier steps that cannot be undone",
    "History",
    "Your last thoughts",
    "Page",
    "Changed",
    "Found",
    "Results",
    "Calls refused",
    "Asked",
    "Detail of the failure",
    "Tips from earlier runs",
];
/// The sections in which memory speaks as data.
const MEMORY: [&str; 5] = [
    "Memory for this site",
    SESSIONS,
    PAGES,
    FACTS,
    "Tips from earlier runs",
];

/// A message, taken apart.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// What memory says inside of the fence, as the model would decode it.
    pub(crate) memory: Vec<String>,
    /// What the names and references in tips stand for.
    pub(crate) names: Vec<(String, String)>,
    /// The names of the elements of the page to which tips refer, as the page has them.
    pub(crate) referred: Vec<String>,
    /// The elements of the page, by their references.
    shown: Vec<(String, String)>,
    /// What stands inside of the fence but in no string.
    pub(crate) bare: String,
    /// What stands behind the fence.
    pub(crate) outside: String,
    /// The words of persons behind the fence: theirs, whatever they repeat.
    pub(crate) answers: Vec<String>,
}

/// Takes a message apart.
///
/// # Errors
/// The rule that it breaks.
pub(crate) fn read(message: &str) -> Result<Reading, String> {
    let mut reading = Reading::default();
    let (mut rest, mut nonces) = (message, Vec::new());
    while let Some(fenced) = rest.strip_prefix("<<<") {
        let (nonce, behind) = fence(fenced, &mut reading)?;
        nonces.push(nonce);
        rest = behind;
    }
    if nonces.iter().any(|nonce| rest.contains(nonce)) {
        return Err("the number of a fence stands behind it".to_owned());
    }
    outside(rest, &mut reading);
    referred(&mut reading);
    Ok(reading)
}

/// Adds the elements to which tips refer, with what the page says of them.
fn referred(reading: &mut Reading) {
    let said: HashSet<&str> = reading
        .outside
        .split(|c: char| !c.is_alphanumeric())
        .collect();
    for (reference, what) in &reading.shown {
        let Some(at) = what.find('"').filter(|_| said.contains(&**reference)) else {
            continue;
        };
        let mut strings = Deserializer::from_str(&what[at..]).into_iter::<String>();
        if let Some(Ok(name)) = strings.next() {
            let what = &what[..at + strings.byte_offset()];
            reading.referred.push(name);
            reading.names.push((reference.clone(), what.to_owned()));
        }
    }
}

/// The elements in a line of the page: the reference of each, and the rest of the line behind it.
fn elements(line: &str) -> Vec<(String, String)> {
    let (mut rest, mut found) = (line, Vec::new());
    while !rest.is_empty() {
        let end = if rest.starts_with('"') {
            let mut strings = Deserializer::from_str(rest).into_iter::<String>();
            strings.next();
            strings.byte_offset().max(1)
        } else {
            let end = rest[1..].find([' ', '"']).map_or(rest.len(), |at| at + 1);
            let word = rest[..end].trim();
            if ElementRef::parse(word).is_ok() {
                found.push((word.to_owned(), rest[end..].trim_start().to_owned()));
            }
            end
        };
        rest = &rest[end..];
    }
    found
}

/// Takes one fence apart, from its number on; returns the number and what stands behind the fence.
fn fence<'a>(fenced: &'a str, reading: &mut Reading) -> Result<(&'a str, &'a str), String> {
    let (nonce, mut rest) = fenced
        .split_once('\n')
        .ok_or("a fence without an end of its first line")?;
    if nonce.is_empty() || !nonce.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!("the fence begins with {nonce:?}"));
    }
    let close = format!("{nonce}>>>");
    let mut section = "";
    loop {
        let Some((line, behind)) = rest.split_once('\n') else {
            return Err("the fence does not end".to_owned());
        };
        rest = behind;
        if line == close {
            return Ok((nonce, rest));
        }
        if let Some(heading) = line.strip_prefix("## ") {
            section = HEADINGS
                .into_iter()
                .find(|known| *known == heading)
                .ok_or(format!("the heading {heading:?}"))?;
            continue;
        }
        if section == NAMES {
            let (number, said) = line
                .split_once(' ')
                .filter(|(number, _)| number.starts_with('n'))
                .ok_or(format!("a name of a tip is {line:?}"))?;
            if let Some(at) = said.find('"') {
                let text: String = serde_json::from_str(&said[at..])
                    .map_err(|_| format!("a name of a tip is {said:?}"))?;
                reading.memory.push(text);
            }
            reading.names.push((number.to_owned(), said.to_owned()));
        }
        if section == "Page" {
            reading.shown.extend(elements(line));
        }
        if MEMORY.contains(&section) {
            let item = line
                .strip_prefix("- ")
                .or_else(|| line.strip_prefix("  "))
                .ok_or(format!("memory says {line:?}"))?;
            let text: String = serde_json::from_str(item)
                .map_err(|_| format!("memory says {item:?} in no string"))?;
            reading.memory.push(text);
        }
        let line = if section == RECIPES {
            without_slots(line)
        } else {
            line.to_owned()
        };
        strip(&line, &mut reading.bare)?;
    }
}

/// The line of a recipe without the names of its values, which are made of the labels of fields: at most 24 letters, digits and `_`.
fn without_slots(line: &str) -> String {
    if line.starts_with("  sets only: ") {
        return String::new();
    }
    let mut parts = line.split('<');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'));
        match end {
            Some(end) if (1..=24).contains(&end) && part[end..].starts_with(['>', '=']) => {
                out.push_str(&part[end..]);
            }
            _ => out.push_str(part),
        }
    }
    out
}

/// The tips of a message with what their names stand for.
pub(crate) fn tips(message: &str) -> Vec<String> {
    let Ok(reading) = read(message) else {
        return Vec::new();
    };
    let said = reading
        .outside
        .lines()
        .filter_map(|line| line.strip_prefix("- "));
    let in_full = |tip: &str| {
        let words = tip.split_inclusive(|c: char| !c.is_alphanumeric());
        let word = |word: &str| {
            let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
            let named = reading.names.iter().find(|(name, _)| name == bare);
            let what = named.map_or(bare, |(_, what)| what);
            format!("{what}{}", &word[bare.len()..])
        };
        words.map(word).collect()
    };
    said.map(in_full).collect()
}

/// Words behind the fence; what a person answered is kept apart.
fn outside(text: &str, reading: &mut Reading) {
    let mut section = "";
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            section = heading;
        }
        if section == "Answer of the person"
            && let Some((number, answer)) = line.split_once(". \"")
        {
            reading.answers.push(answer.to_owned());
            reading.outside.push_str(number);
        } else {
            reading.outside.push_str(line);
        }
        reading.outside.push('\n');
    }
}

/// The line without its strings.
fn strip(line: &str, out: &mut String) -> Result<(), String> {
    let mut rest = line;
    while let Some(at) = rest.find('"') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        loop {
            let Some(end) = rest.find(['"', '\\']) else {
                return Err(format!("an open string in {line:?}"));
            };
            let is_end = rest.as_bytes()[end] == b'"';
            // A backslash takes the sign after it with it.
            let after = if is_end {
                Some(1)
            } else {
                rest[end + 1..].chars().next().map(|c| 1 + c.len_utf8())
            };
            rest = &rest[end + after.ok_or(format!("an open string in {line:?}"))?..];
            if is_end {
                break;
            }
        }
    }
    out.push_str(rest);
    out.push('\n');
    Ok(())
}

#[test]
fn a_message_is_taken_apart_and_one_that_breaks_a_rule_is_refused() {
    let fine = "<<<7\n## Memory for this site\n- \"a \\\"b\\\" \\\\\"\n## Page\ne1 button \"x\" [disabled]\n7>>>\n\n## Note\n- n\n";
    let reading = read(fine).unwrap();
    assert_eq!(reading.memory, ["a \"b\" \\"]);
    assert!(reading.bare.contains("e1 button  [disabled]") && !reading.bare.contains('x'));
    assert!(reading.outside.contains("- n"));
    let named = "<<<7\n## Names in the tips\nn1 button \"Go\"\nn2 textbox number 2\n7>>>\n\n## Tips for this site: try them first\n- click n1, then n2.\n";
    assert_eq!(read(named).unwrap().memory, ["Go"]);
    assert_eq!(tips(named), ["click button \"Go\", then textbox number 2."]);
    for broken in [
        "<<<7\n## Goal\n7>>>\n",
        "<<<7\n## Memory for this site\n- a\n7>>>\n",
        "<<<7\n## Memory for this site\nb\n7>>>\n",
        "<<<7\n## Names in the tips\nbutton \"x\"\n7>>>\n",
        "<<<7\n## Names in the tips\nn1 button \"x\" y\n7>>>\n",
        "<<<7\n## Page\n\"x\n7>>>\n",
        "<<<7\n## Page\n",
        "<<<7\n## Page\n7>>>\nx\n7>>>\n",
    ] {
        assert!(read(broken).is_err(), "{broken:?}");
    }
}
