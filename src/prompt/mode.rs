//! The modes of a run. The mode decides which parts of the run's memory a message keeps if it is too long.

use serde::{Deserialize, Serialize};

use crate::{
    action::{Action, AgentAction},
    base::TokenCount,
    working::{History, Step},
};

/// Number of latest steps that decide which mode [`Mode::Auto`] acts as. Source: chosen.
const LOOKED_AT: usize = 10;
/// Minimum number of steps, among the last [`LOOKED_AT`], that must extract texts before [`Mode::Auto`] acts as `Scrape`,
/// or read texts before it acts as `Research`. Source: chosen.
const ENOUGH: usize = 4;

/// The kind of work that a run mainly does. If a message is too long, the mode decides which of these sections has
/// precedence: earlier pages, steps, notes, lines that were read, and extracted texts. The mode also limits the size of
/// the texts that the run has extracted in earlier steps. The limit is the smaller of the two sizes in the table: a
/// number of tokens, and a share of the message.
///
/// | mode | section with precedence | limit of extracted texts |
/// | --- | --- | --- |
/// | `Navigate` | the addresses of earlier pages | 1,000 tokens, or a tenth of the message |
/// | `Execute` | the notes, then the steps | 4,000 tokens, or a fifth of the message |
/// | `Scrape` | the extracted texts | 16,000 tokens, or half of the message |
/// | `Research` | the lines that were read, then the notes | 8,000 tokens, or a third of the message |
///
/// Results that `eval`, `run_code` and the embedding program's tools returned in earlier steps count towards this limit
/// and may take half of it. The mode does not affect the page, failures, tips, answers and remarks. Source of the
/// numbers: chosen.
///
/// No event reports the mode of a run, because the caller has set it. [`acts_as`](Self::acts_as) tells which mode
/// `Auto` acts as.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Mode {
    /// Acts as `Scrape` if at least four of the last ten steps extracted texts. Otherwise, acts as `Research` if at
    /// least four of the last ten steps read lines of pages. Otherwise, acts as `Execute`.
    #[default]
    Auto,
    /// Fits a run that finds its way through many pages.
    Navigate,
    /// Fits a run that fills in forms and presses buttons.
    Execute,
    /// Fits a run that collects data from pages.
    Scrape,
    /// Fits a run that reads long texts and compares them.
    Research,
}

/// The limits and priorities of one mode. They decide which parts of the run's memory a message keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Retention {
    /// Maximum total size of the texts from earlier extractions in one message.
    pub(super) extracted: TokenCount,
    /// Divisor for the share of a message that the texts from earlier extractions may take: 5 means a fifth.
    pub(super) extracted_share: u64,
    /// The priority of the section with the lines that earlier steps read. A section with a higher priority keeps more
    /// lines if a message is too long. The next fields are the priorities of other sections: `extractions` of the
    /// extracted texts and of the earlier results of tools, `pages` of the earlier pages, `steps` of the history, and
    /// `notes` of the notes.
    pub(super) read: u8,
    pub(super) extractions: u8,
    pub(super) pages: u8,
    pub(super) steps: u8,
    pub(super) notes: u8,
}

impl Mode {
    /// Returns the mode that this mode acts as after these steps. It is the mode itself for every mode but `Auto`.
    ///
    /// ```
    /// use webwise::{prompt::Mode, working::WorkingMemory};
    ///
    /// let memory = WorkingMemory::default();
    /// assert_eq!(Mode::Auto.acts_as(memory.history()), Mode::Execute);
    /// assert_eq!(Mode::Research.acts_as(memory.history()), Mode::Research);
    /// ```
    pub fn acts_as(self, history: History<'_>) -> Self {
        match self {
            Self::Auto => Self::of_steps(history),
            mode => mode,
        }
    }

    /// Returns the limits and priorities of the mode that this mode [acts as](Self::acts_as).
    pub(super) fn retention(self, history: History<'_>) -> Retention {
        let execute = Retention {
            extracted: TokenCount(4_000),
            extracted_share: 5,
            read: 30,
            extractions: 45,
            pages: 35,
            steps: 50,
            notes: 60,
        };
        match self.acts_as(history) {
            Self::Auto | Self::Execute => execute,
            Self::Navigate => Retention {
                extracted: TokenCount(1_000),
                extracted_share: 10,
                pages: 65,
                ..execute
            },
            Self::Scrape => Retention {
                extracted: TokenCount(16_000),
                extracted_share: 2,
                extractions: 90,
                ..execute
            },
            Self::Research => Retention {
                extracted: TokenCount(8_000),
                extracted_share: 3,
                read: 70,
                extractions: 55,
                ..execute
            },
        }
    }

    /// Returns the mode that fits the last [`LOOKED_AT`] steps in the history: `Scrape` if at least [`ENOUGH`] of them
    /// extract texts, otherwise `Research` if at least [`ENOUGH`] of them read texts, otherwise `Execute`.
    fn of_steps(history: History<'_>) -> Self {
        let steps: Vec<&Step> = history.entries().collect();
        let last = || steps.iter().rev().take(LOOKED_AT);
        let extracted =
            last().filter(|step| matches!(step.action, Action::Agent(AgentAction::Extract(_))));
        let read = last().filter(|step| matches!(step.action, Action::Agent(AgentAction::Read(_))));
        match (extracted.count(), read.count()) {
            (ENOUGH.., _) => Self::Scrape,
            (_, ENOUGH..) => Self::Research,
            _ => Self::Execute,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        action::{Extract, Note, Outcome, Read, Signature},
        working::WorkingMemory,
    };

    fn mode_after(actions: &[(usize, AgentAction)]) -> Mode {
        let mut memory = WorkingMemory::default();
        for (count, action) in actions.iter().cloned() {
            for _ in 0..count {
                let action = Action::Agent(action.clone());
                let signature = Signature::of(&action, &[], "");
                let number = u32::try_from(memory.steps().len()).unwrap() + 1;
                memory.record(Step::new(number, action, Outcome::Done, signature));
            }
        }
        Mode::of_steps(memory.history())
    }

    #[test]
    fn what_the_last_steps_did_decides_the_mode() {
        let extract = || {
            AgentAction::Extract(Extract {
                name: "x".to_owned(),
                target: None,
            })
        };
        let read = || {
            AgentAction::Read(Read {
                target: None,
                line: None,
                lines: None,
            })
        };
        let other = || {
            AgentAction::Note(Note {
                text: "x".to_owned(),
            })
        };
        for (actions, mode) in [
            (vec![], Mode::Execute),
            (vec![(3, extract()), (3, read())], Mode::Execute),
            (vec![(4, extract()), (6, other())], Mode::Scrape),
            (vec![(4, extract()), (7, other())], Mode::Execute),
            (vec![(6, read()), (4, extract())], Mode::Scrape),
            (vec![(2, other()), (4, read())], Mode::Research),
        ] {
            assert_eq!(mode_after(&actions), mode, "{actions:?}");
        }
    }

    #[test]
    fn a_mode_that_stands_out_is_that_mode() {
        let none = History::default();
        assert_eq!(Mode::Auto.retention(none), Mode::Execute.retention(none));
        assert!(Mode::Scrape.retention(none).extracted > Mode::Research.retention(none).extracted);
    }
}
