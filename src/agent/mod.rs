//! The loop: the one place that awaits browser, model and memory, and decides nothing that a pure room can decide.
//!
//! `observe -> interpret -> recall -> prompt -> decide -> guard -> approve -> execute -> verify -> record`, then `learn`.

mod absorb;
mod act;
mod aim;
mod approval;
pub(crate) mod approver;
mod builder;
mod cancel;
mod clock;
mod decide;
mod decision_loop;
mod emit;
mod engine;
mod execute;
mod foreign;
mod guards;
mod journal;
mod options;
mod own;
mod patience;
mod reading;
mod report;
mod run;
mod step;
mod task;
#[cfg(all(test, feature = "testing"))]
mod tests;
pub(crate) mod tool;
mod turn;

pub use approver::{Approval, ApprovalRequest, Approver};
pub use builder::Builder;
pub use cancel::Cancel;
pub use clock::{Clock, SystemClock};
pub use decision_loop::DecisionLoop;
pub use options::Options;
pub use report::RunReport;
pub use run::{Run, StepEnd};
pub use task::Task;
pub use tool::Tool;
