//! The summary of a difference: a few short lines, the most important first.

use std::collections::HashMap;

use super::{Change, FOCUS, PageDiff, quoted};
use crate::page::Role;

/// Minimum number of added and removed items for the summary to say that most of the page is new, if the page also has a new
/// title. Source: chosen.
const ANOTHER_PAGE: usize = 30;
/// Number of added and changed texts that the summary puts before elements that can be acted on. Source: chosen; an answer of
/// the page to the action is among the first.
const ANSWERS: usize = 2;
/// Roles of elements that are alternatives in a group. With each role come the words for the element that is no longer
/// chosen, and for the element that is chosen instead.
const CHOICES: [(Role, &str, &str); 2] = [
    (Role::Option, "not selected", "selected"),
    (Role::Radio, "unchecked", "checked"),
];

/// The end of the line in which [`PageDiff::summary`] says how many changes are left out.
pub(crate) const MORE_CHANGES: &str = " more changes";

impl PageDiff {
    /// Returns true if only the fragment of the address changed, but the title did too: an application shows another of its
    /// pages, such as `#cart`. A link to a place in a document leaves the title as it is.
    pub(crate) const fn is_routed(&self) -> bool {
        !self.navigated && self.url.is_some() && self.title.is_some()
    }

    /// Returns all changes with their ranks and signs, the lowest rank first.
    fn ranked(&self) -> Vec<(u8, char, &Change)> {
        let mut ranked: Vec<(u8, char, &Change)> = Vec::new();
        // What was filled in comes before what it made other elements do.
        let of_changed = |c: &Change| if c.role.is_editable() { 1 } else { 2 };
        ranked.extend(self.changed.iter().map(|c| (of_changed(c), '~', c)));
        ranked.extend(self.looks.iter().map(|c| (6, '~', c)));
        ranked.extend(self.added.iter().map(|c| (urgency_of_new(c), '+', c)));
        ranked.extend(self.removed.iter().map(|c| (urgency(&c.role) + 1, '-', c)));
        ranked.sort_by_key(|(urgency, ..)| *urgency);
        // Texts after the first ones must not hide elements that the next action may need.
        let is_answer = |(urgency, sign, change): &(u8, char, &Change)| {
            let is_alert = matches!(change.role, Role::Alert | Role::Status);
            (1..=2).contains(urgency) && *sign != '-' && !change.acts && !is_alert
        };
        for late in ranked.iter_mut().filter(|c| is_answer(c)).skip(ANSWERS) {
            late.0 = 4;
        }
        ranked.sort_by_key(|(urgency, ..)| *urgency);
        ranked
    }

    /// Returns the most important of the texts that were added to the page: the message of an alert, a sentence, or
    /// another text that is not the name of a control such as a button. `None` if no such text was added.
    pub(crate) fn answer(&self) -> Option<&str> {
        self.most_urgent(u8::MAX)
    }

    /// Returns the [`answer`](Self::answer) if it is the message of an alert or a sentence.
    pub(crate) fn sentence(&self) -> Option<&str> {
        self.most_urgent(1)
    }

    fn most_urgent(&self, least: u8) -> Option<&str> {
        let is_text = |change: &&Change| !change.label.is_empty() && !change.role.is_interactive();
        let texts = self.added.iter().filter(is_text);
        let found = texts.min_by_key(|change| urgency_of_new(change));
        let found = found.filter(|change| urgency_of_new(change) <= least);
        found.map(|change| &*change.label)
    }

    /// Returns short lines, the most important first. If there are too many changes, the last line says how many are
    /// left out. There are at most `max_lines` lines, or twice as many if elements that can be acted on need them.
    /// These elements come before most texts. Changes that another line covers, such as those on a page of which most
    /// is new, are dropped and not counted.
    ///
    /// Page texts are written as JSON strings, so they cannot start a new line. A line begins with `+` for something added,
    /// `-` for something removed, and `~` for something changed.
    pub fn summary(&self, max_lines: usize) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        if let Some(url) = &self.url {
            lines.push(match url.find('#') {
                _ if self.navigated || self.is_routed() => format!("went to {}", quoted(url)),
                Some(at) => format!("the same page, now at {}", quoted(&url[at..])),
                // There is no fragment, or the address is cut before it.
                None => "the same page, at another position".to_owned(),
            });
        }
        if let Some(title) = &self.title {
            lines.push(format!("title is now {}", quoted(title)));
        }
        if self.reordered {
            lines.push("the order changed".to_owned());
        }
        let mut rest = self.ranked();
        if self.title.is_some() && self.added.len() + self.removed.len() >= ANOTHER_PAGE {
            // The new page is shown whole anyway. Only dialogs, alerts and the first sentence are listed: most pages
            // report the result of a sent form in their first sentence.
            lines.push("most of the page is new".to_owned());
            rest.retain(|(urgency, ..)| *urgency <= 1);
            let answers = rest.iter().filter(|(urgency, ..)| *urgency == 0).count();
            rest.truncate(answers + 1);
        }
        // The new choice already says that the old one is no longer chosen.
        for (role, lost, made) in CHOICES {
            let is = |change: &Change, what: &str| change.role == role && change.what == [what];
            let count = |what| {
                self.changed
                    .iter()
                    .filter(|change| is(change, what))
                    .count()
            };
            if count(lost) <= count(made) {
                rest.retain(|(_, _, change)| !is(change, lost));
            }
        }
        // Filling a field moves the focus from the field that was filled before. That is worth a line only if nothing
        // else changed.
        let is_focus = |what: &String| FOCUS.contains(&what.as_str());
        let tells_more = |(_, sign, change): &(u8, char, &Change)| {
            *sign != '~' || !change.what.iter().all(is_focus)
        };
        if !lines.is_empty() || rest.iter().any(tells_more) {
            rest.retain(tells_more);
        }
        let mut told: Vec<(String, usize)> = lines.into_iter().map(|line| (line, 1)).collect();
        let mut most = max_lines;
        let mut known: HashMap<String, usize> = HashMap::new();
        for (_, sign, change) in rest {
            let line = line(sign, change);
            if let Some(at) = known.get(&line) {
                told[*at].1 += 1;
            } else {
                known.insert(line.clone(), told.len());
                told.push((line, 1));
                if change.acts {
                    // One more line, for the number of the others.
                    most = most.max(told.len() + 1).min(max_lines.saturating_mul(2));
                }
            }
        }
        self.cut(told, most)
    }

    /// Returns the first of these lines, each with the number of times that it occurs. If there are more than `max_lines`,
    /// the last line says how many changes are left out.
    fn cut(&self, told: Vec<(String, usize)>, max_lines: usize) -> Vec<String> {
        let kept = if told.len() > max_lines {
            max_lines.saturating_sub(1)
        } else {
            told.len()
        };
        let rest = told.iter().skip(kept).map(|(_, times)| times);
        let left_out = rest.sum::<usize>() + self.omitted as usize;
        let kept = told.into_iter().take(kept);
        let mut lines: Vec<String> = kept
            .map(|(line, times)| match times {
                1 => line,
                _ => format!("{line} ({times} times)"),
            })
            .collect();
        if left_out > 0 && lines.len() < max_lines {
            lines.push(format!("and {left_out}{MORE_CHANGES}"));
        }
        lines
    }
}

/// Returns the rank of a role in the summary; the lowest comes first. First come dialogs, alerts and status messages, then
/// headings, texts and elements that can be acted on, then all other roles.
const fn urgency(role: &Role) -> u8 {
    if role.is_dialog() || matches!(role, Role::Alert | Role::Status) {
        0
    } else if role.is_interactive() || matches!(role, Role::Heading | Role::Text) {
        4
    } else {
        5
    }
}

/// Returns the rank of an added item; the lowest comes first. Sentences come right after the alerts, because most pages
/// answer an action with a plain sentence. Then come other texts, because they may be the words of an alert, and then
/// elements that can be acted on.
fn urgency_of_new(change: &Change) -> u8 {
    let is_sentence = change.label.contains(' ') && change.label.ends_with(['.', '!', '?']);
    let urgency = urgency(&change.role);
    if change.acts {
        urgency.min(3)
    } else if is_sentence && !change.role.is_interactive() {
        urgency.min(1)
    } else if change.role == Role::Text {
        urgency.min(2)
    } else {
        urgency
    }
}

fn line(sign: char, change: &Change) -> String {
    let mut line = format!("{sign} {}", change.role);
    // Without a name, only the reference tells which of several elements it is.
    if !change.label.is_empty() {
        line.push(' ');
        line.push_str(&quoted(&change.label));
    } else if let Some(reference) = &change.reference {
        line = format!("{sign} {reference} {}", change.role);
    }
    if !change.what.is_empty() {
        line.push_str(": ");
        line.push_str(&change.what.join(", "));
    }
    line
}
