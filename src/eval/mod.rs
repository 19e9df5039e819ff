//! Evaluation: measures what memory is worth on the user's own tasks.
//!
//! A file lists cases. Each case has a goal, and conditions under which the goal counts as reached. Every case is run in
//! several arms: without memory, with an empty memory, with the memory of earlier runs, or with that memory but with
//! its advice withheld. Then the arms are compared. This module decides; `cli::eval` opens browsers and prints.
//!
//! ```text
//! cases    reads the case file, with the place of each mistake
//! field    a value of the file with its place
//! plan     which runs are made, in which order, with which memory
//! judge    whether the last page and the answer meet a case's conditions
//! compare  the means of the arms and their differences
//! worth    the worth of each item of memory, from runs that showed it and runs that held it back
//! shown    figures and differences in words and as JSON
//! random   random numbers from a seed
//! ```
//!
//! # Decisions
//!
//! - A case is judged by conditions on its last page and on its answer, not by the model's claim of success.
//! - A measured run begins with a copy of its memory, so no measured run changes the memory of another one. There is one
//!   exception: with `--memory-isolation none`, runs use and change the user's own memory itself.
//! - The arm `off` has no memory, and the arm `cold` has an empty memory. So the difference between them is the cost of
//!   using memory.
//! - The arms of a case are compared in pairs of runs with the same seed. The intervals are bootstrap percentiles of
//!   the mean difference, because steps and tokens are not normally distributed and few runs are made.
//! - A case file contains neither programs for this machine nor secrets. A script in the file runs in the page. For the
//!   value of a secret, the file names an environment variable that the user sets.

mod cases;
mod compare;
mod field;
mod judge;
mod plan;
mod random;
mod shown;
mod worth;

pub(crate) use cases::{Case, Success, Values, parse};
pub(crate) use compare::{Comparison, Difference, Figures, Group, Measured, Metric, groups};
pub(crate) use judge::{LastPage, judge};
pub(crate) use plan::{Arm, Isolation, MemoryUse, Planned, Pool, plan};
pub(crate) use worth::{ItemFacts, RunFacts, Worth, worth};
