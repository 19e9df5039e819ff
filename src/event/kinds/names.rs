//! The names of events. Also converts steps of a run, and notes from kinds of memory, into events.

use super::EventKind;
use crate::{memory::Note, working::Step};

impl EventKind {
    /// Returns the [`ActionExecuted`](Self::ActionExecuted) event for a step.
    pub fn executed(step: &Step) -> Self {
        Self::ActionExecuted {
            action: step.action.clone(),
            targets: step.targets.clone(),
            outcome: step.outcome.clone(),
            url_before: step.before.url().to_owned(),
            url_after: step.after.url().to_owned(),
            changed: step.changed(),
            elapsed_ms: step.elapsed_ms,
        }
    }

    /// Returns the name of the event, which the JSON field `event` contains.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::RunStarted { .. } => "run_started",
            Self::RunResumed {} => "run_resumed",
            Self::Instructed { .. } => "instructed",
            Self::Observed { .. } => "observed",
            Self::Interpreted { .. } => "interpreted",
            Self::Tier1Loaded { .. } => "tier1_loaded",
            Self::ErrorRecall { .. } => "error_recall",
            Self::DomainRecall { .. } => "domain_recall",
            Self::AdviceWithheld { .. } => "advice_withheld",
            Self::StepReplayed { .. } => "step_replayed",
            Self::ModelAsked { .. } => "model_asked",
            Self::ModelReplied { .. } => "model_replied",
            Self::ModelFailed { .. } => "model_failed",
            Self::CallRefused { .. } => "call_refused",
            Self::CallsDropped { .. } => "calls_dropped",
            Self::Warned { .. } => "warned",
            Self::ApprovalDecided { .. } => "approval_decided",
            Self::ActionStarted { .. } => "action_started",
            Self::ActionExecuted { .. } => "action_executed",
            Self::PictureTaken { .. } => "pictured",
            Self::Extracted { .. } => "extracted",
            Self::Given { .. } => "given",
            Self::ResultShortened { .. } => "result_shortened",
            Self::BrowserNoticed { .. } => "noticed",
            Self::FinishChecked { .. } => "finish_checked",
            Self::HumanAsked { .. } => "human_asked",
            Self::FactProposed { .. } => "fact_proposed",
            Self::MemoryUpdated { .. } => "memory_updated",
            Self::MemoryChanged { .. } => "memory_changed",
            Self::LessonRecorded { .. } => "lesson_recorded",
            Self::LessonDeduplicated { .. } => "lesson_deduplicated",
            Self::LessonPromoted { .. } => "lesson_promoted",
            Self::LessonDemoted { .. } => "lesson_demoted",
            Self::LessonRetired { .. } => "lesson_retired",
            Self::LessonCredited { .. } => "lesson_credited",
            Self::LessonsPruned { .. } => "lessons_pruned",
            Self::LessonsCompacted { .. } => "lessons_compacted",
            Self::StoreNoticed { .. } => "store_noticed",
            Self::MemoryFailed { .. } => "memory_failed",
            Self::RecordingFailed { .. } => "recording_failed",
            Self::RunEnded { .. } => "run_ended",
        }
    }
}

impl From<Note> for EventKind {
    #[expect(
        clippy::too_many_lines,
        reason = "a table with an arm for every kind of note"
    )]
    fn from(note: Note) -> Self {
        match note {
            Note::Changed {
                id: item,
                what,
                text,
                data,
            } => Self::MemoryChanged {
                item,
                what,
                text,
                data,
            },
            Note::Recorded {
                id: item,
                lesson,
                category,
                failed_command,
                error_pattern,
            } => Self::LessonRecorded {
                lesson,
                category,
                failed_command,
                error_pattern,
                item,
            },
            Note::Deduplicated {
                id: item,
                lesson,
                new_use_count,
            } => Self::LessonDeduplicated {
                lesson,
                new_use_count,
                item,
            },
            Note::Promoted {
                id: item,
                lesson,
                use_count,
                triggered_domains,
            } => Self::LessonPromoted {
                lesson,
                use_count,
                triggered_domains,
                item,
            },
            Note::Demoted {
                id: item,
                lesson,
                helped,
                harmed,
            } => Self::LessonDemoted {
                lesson,
                helped,
                harmed,
                item,
            },
            Note::Retired {
                id: item,
                lesson,
                helped,
                harmed,
            } => Self::LessonRetired {
                lesson,
                helped,
                harmed,
                item,
            },
            Note::Credited {
                id: item,
                site,
                used,
                followed,
                helped,
                harmed,
            } => Self::LessonCredited {
                item,
                site,
                used,
                followed,
                helped,
                harmed,
            },
            Note::Pruned {
                pruned_count,
                remaining_count,
            } => Self::LessonsPruned {
                pruned_count,
                remaining_count,
            },
            Note::Compacted {
                removed_count,
                remaining_count,
            } => Self::LessonsCompacted {
                removed_count,
                remaining_count,
            },
        }
    }
}
