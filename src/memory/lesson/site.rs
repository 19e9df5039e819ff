//! Recoveries for one host. This crate builds the sentence of a recovery, but the names in the sentence come from the host's
//! pages. So the sentence is shown on that host only, and the names are marked as quoted data.

use serde::{Deserialize, Serialize};

use super::{
    Aim, FailureKind, Move, Recovery, Template, template::TYPE_THEN_CHOOSE, trace::TraceStep,
};
use crate::{
    action::{BrowserTool, ErrorClass},
    memory::Piece,
};

impl Aim {
    pub(super) fn is_of(&self, step: &TraceStep) -> bool {
        let is_called = |aim: &Self| self.is_called(aim);
        step.aim.as_ref().is_some_and(is_called)
            && self
                .within
                .as_ref()
                .is_none_or(|group| step.groups.contains(group))
    }
}

/// A move (one action of a recovery) and the element at which it is aimed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AimedMove {
    /// The move.
    #[serde(flatten)]
    pub step: Move,
    /// The element that the move is aimed at. `None` for a move without a target, such as pressing a key, and for an
    /// element whose name is not kept because it repeats text that the run typed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aim: Option<Aim>,
}

impl AimedMove {
    fn pieces(&self, out: &mut Vec<Piece>) {
        let (verb, takes_target) = self.step.verb();
        match &self.aim {
            Some(aim) if takes_target => {
                out.push(words(&format!("{verb} ")));
                out.push(aim.named());
            }
            _ => out.push(words(&self.step.before())),
        }
    }
}

fn words(ours: &str) -> Piece {
    Piece::Words(ours.to_owned())
}

/// A failure on a host, and the recovery that worked there: the actions by which a run reached the effect of the failed
/// action.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SiteRecovery {
    /// The command that failed.
    pub command: BrowserTool,
    /// The kind of failure.
    pub trouble: FailureKind,
    /// The target of the command that failed. `None` if it had none, or if its name is not kept because it repeats text
    /// that the run typed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aim: Option<Aim>,
    /// The kind of recovery.
    pub recovery: Recovery,
    /// The moves of a [`Recovery::First`], or the one move of a [`Recovery::Another`] or [`Recovery::OpenThenChoose`];
    /// empty for other kinds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<AimedMove>,
}

impl SiteRecovery {
    /// Returns the recovery in the form that applies to all sites, without names and positions. Returns `None` for
    /// [`Recovery::Another`]: without the name of the other element, the advice would be to try any element nearby.
    pub fn general(&self) -> Option<Template> {
        let has_one = !matches!(self.recovery, Recovery::Another(_));
        has_one.then(|| Template::new(self.command, self.trouble, self.recovery.clone()))
    }

    /// Returns the recovery as one sentence. Names of page elements are written as JSON strings.
    pub fn render(&self) -> String {
        self.pieces().iter().map(Piece::to_string).collect()
    }

    /// Returns the sentence that describes the recovery, in pieces. A name that the page wrote is a piece of its own.
    pub fn pieces(&self) -> Vec<Piece> {
        let mut out = vec![words(self.command.as_str())];
        if let Some(aim) = &self.aim {
            out.extend([words(" on "), aim.named()]);
        }
        out.push(words(&format!("{}: ", self.trouble.ending())));
        match &self.recovery {
            Recovery::ClickThenType => out.push(words("click it, then type the text.")),
            Recovery::ClickThenChoose => {
                out.push(words("click it to open its list, then click the choice."));
            }
            Recovery::TypeThenChoose => out.push(words(TYPE_THEN_CHOOSE)),
            Recovery::First(_) => {
                for (at, step) in self.moves.iter().enumerate() {
                    if at > 0 {
                        out.push(words(", then "));
                    }
                    step.pieces(&mut out);
                }
                out.push(words(" first."));
            }
            Recovery::Another(_) => {
                self.moves.iter().for_each(|step| step.pieces(&mut out));
                out.push(words(" instead."));
            }
            Recovery::OpenThenChoose(_) => {
                self.moves.iter().for_each(|step| step.pieces(&mut out));
                out.push(words(" to open its choices, then click the choice."));
            }
            Recovery::Instead(step) => {
                out.push(words(&format!("{} instead.", step.sentence("it"))));
            }
            Recovery::WriteAs(form) => out.push(words(&format!("write {}.", form.sentence()))),
        }
        out
    }

    /// Returns the elements that must be on a page for the recovery to apply: the target of the failed command and the
    /// target of the first move. If the failed command's target was hidden or missing and the first move has a target, only
    /// the first move's target is needed.
    pub(super) fn needs(&self) -> Vec<&Aim> {
        let first = self.moves.first().and_then(|step| step.aim.as_ref());
        let is_hidden = matches!(
            self.trouble,
            FailureKind::Failed(ErrorClass::NotVisible | ErrorClass::NotFound)
        );
        let own = self.aim.iter().filter(|_| !is_hidden || first.is_none());
        own.chain(first).collect()
    }

    pub(super) fn is_command(&self, step: &TraceStep) -> bool {
        step.tool == self.command && self.is_on(step)
    }

    /// Returns true if the step and the failed command have the same target, or if neither has a target.
    pub(super) fn is_on(&self, step: &TraceStep) -> bool {
        match &self.aim {
            Some(aim) => aim.is_of(step),
            None => step.aim.is_none(),
        }
    }
}
