//! Discovery of the fields whose values must be masked in every observation, because a snapshot shows all values.
//!
//! A field that was once found to be secret stays masked. For the other filled fields, a quick check (about 10 ms) uses
//! one locator for each frame. The locator matches only if all these fields of the frame exist and are plain (not made
//! for secrets). If a locator does not match, or if a secret was typed, a script checks field by field.

use std::{
    collections::{BTreeMap, HashSet},
    time::Duration,
};

use super::{
    driver::{PlaywrightCli, Scripted, State},
    scripts,
    snapshot::{Snapshot, filled_fields},
    transport::Command,
};
use crate::{base::Result, page::ElementRef};

/// Maximum number of fields that are checked in one observation. The values of all other fields are hidden. Source:
/// chosen; the quick check of this many fields takes 0.4 s.
const MAX_FIELDS: usize = 300;

impl PlaywrightCli {
    /// Returns a function that takes a field's reference, and returns true if the field's value must be hidden. A field
    /// that could not be checked is hidden.
    ///
    /// The function applies to this snapshot only, because another page uses the same references for other fields.
    pub(super) async fn hidden_fields(
        &self,
        state: &mut State,
        snapshot: &Snapshot<'_>,
        timeout: Duration,
    ) -> Result<impl Fn(&str) -> bool + use<>> {
        let filled = filled_fields(snapshot);
        let mut hidden: HashSet<String> = filled.iter().copied().map(str::to_owned).collect();
        let unknown: Vec<&str> = filled
            .into_iter()
            .filter(|r| ElementRef::is_valid(r) && !state.secret.contains(*r))
            .take(MAX_FIELDS)
            .collect();
        if !unknown.is_empty() {
            if !state.typed.anywhere() && self.are_plain(state, &unknown, timeout).await? {
                hidden.retain(|reference| !unknown.contains(&&**reference));
            } else {
                self.ask_each(state, &mut hidden, &unknown, timeout).await?;
            }
        }
        Ok(move |reference: &str| hidden.contains(reference))
    }

    async fn are_plain(
        &self,
        state: &mut State,
        references: &[&str],
        timeout: Duration,
    ) -> Result<bool> {
        for target in plain_fields(references) {
            let reply = self
                .send(
                    state,
                    Command::read("generate-locator").arg(target),
                    timeout,
                )
                .await?;
            if reply.error.is_some() || reply.dialog.is_some() || reply.result.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn ask_each(
        &self,
        state: &mut State,
        hidden: &mut HashSet<String>,
        unknown: &[&str],
        timeout: Duration,
    ) -> Result<()> {
        let answer = self
            .script(state, scripts::hidden_fields(unknown), timeout)
            .await?;
        if let Scripted::Returned(returned) = answer {
            if returned.kept == Some(0) {
                state.typed.all_gone();
            }
            for (reference, is_hidden) in unknown.iter().zip(returned.hidden) {
                match is_hidden {
                    Some(true) => _ = state.secret.insert((*reference).to_owned()),
                    Some(false) => _ = hidden.remove(*reference),
                    None => {}
                }
            }
        }
        Ok(())
    }
}

/// Returns one locator for each frame that contains any of these fields. The locator matches only if all these fields
/// in its frame exist and are [plain](scripts::PLAIN).
///
/// The locator is a chain with one step for each field; the first step also chooses the frame. A field need not be
/// inside the field of the step before, because the tool looks up each reference in the whole frame.
fn plain_fields(references: &[&str]) -> Vec<String> {
    let mut frames: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for reference in references {
        // `f12e7` is element 7 of document 12 of the tab; `e7` is an element of the tab's first document.
        let frame = reference.split('e').next().unwrap_or_default();
        let step = format!(
            "locator('aria-ref={reference}').and(locator('css={}'))",
            scripts::PLAIN
        );
        frames.entry(frame).or_default().push(step);
    }
    frames.into_values().map(|steps| steps.join(".")).collect()
}

/// The record of whether a field may still contain a secret that a script typed.
///
/// The script marks the field, because the field's reference may be unknown or may change. Only a script can find the
/// marked fields.
#[derive(Debug, Default)]
pub(super) struct Typed {
    marked: bool,
    /// Number of scripts for typing a secret that have not answered.
    unfinished: usize,
}

impl Typed {
    /// Records that a script for typing a secret is about to be sent.
    pub(super) fn begin(&mut self) {
        self.marked = true;
        self.unfinished += 1;
    }

    pub(super) fn end(&mut self) {
        self.unfinished = self.unfinished.saturating_sub(1);
    }

    fn all_gone(&mut self) {
        self.marked = self.unfinished > 0;
    }

    pub(super) fn anywhere(&self) -> bool {
        self.marked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_question_a_frame_names_every_field_of_it() {
        let asked = plain_fields(&["e4", "f1e3", "e14", "f12e3", "f1e20"]);
        let refs = |target: &String| -> Vec<String> {
            let parts = target.split("'aria-ref=").skip(1);
            parts
                .map(|part| part.split('\'').next().unwrap().to_owned())
                .collect()
        };
        assert_eq!(
            asked.iter().map(refs).collect::<Vec<_>>(),
            [vec!["e4", "e14"], vec!["f1e3", "f1e20"], vec!["f12e3"]]
        );
        assert!(
            asked
                .iter()
                .all(|target| target.matches(scripts::PLAIN).count() == refs(target).len())
        );
    }

    #[test]
    fn a_script_that_never_answered_keeps_the_quick_question_away() {
        let mut typed = Typed::default();
        assert!(!typed.anywhere());
        typed.begin();
        typed.all_gone();
        assert!(typed.anywhere(), "it may type yet");
        typed.end();
        assert!(
            typed.anywhere(),
            "what it typed is there until all fields are gone"
        );
        typed.all_gone();
        assert!(!typed.anywhere());
    }
}
