//! What browsers leave behind, counted.

use std::{fs, iter::Sum, path::Path, time::Duration};

use webwise::browser::{BrowserDriver as _, Cdp};

use crate::driver::{bed::options, processes::Known};

/// After this time nothing may be left. Unit: time. Source: the requirements, for an idle machine.
const PROMISE: Duration = Duration::from_secs(3);

/// What was left after many ends together.
#[derive(Debug, Default)]
pub(crate) struct Left {
    pub(crate) ends: u32,
    /// Processes that outlived all patience.
    pub(crate) processes: usize,
    /// Ends after which something still lived when the promised time was over; tells of the machine more than of the driver.
    late: u32,
    slowest: Duration,
    pub(crate) folders: usize,
}

impl Left {
    /// Counts one end: how long it took until nothing was left, and what never went.
    pub(crate) fn add(&mut self, took: Duration, still: &std::collections::BTreeSet<Known>) {
        if !still.is_empty() {
            println!("left behind: {still:?}");
        }
        self.ends += 1;
        self.processes += still.len();
        self.late += u32::from(took > PROMISE);
        self.slowest = self.slowest.max(took);
    }

    pub(crate) fn tell(&self, what: &str) {
        figure!(
            "cdp: {} {what}: {} with a process after {} s, {} processes left, the slowest was gone after {} ms; after the \
             next start {} folders",
            self.ends,
            self.late,
            PROMISE.as_secs(),
            self.processes,
            self.slowest.as_millis(),
            self.folders
        );
    }
}

impl Sum for Left {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |a, b| Self {
            ends: a.ends + b.ends,
            processes: a.processes + b.processes,
            late: a.late + b.late,
            slowest: a.slowest.max(b.slowest),
            folders: a.folders + b.folders,
        })
    }
}

/// The folders of ended browsers that the next start leaves there, and those that its own end does.
pub(crate) async fn after_the_next_start(base: &Path) -> usize {
    let next = Cdp::launch(&options(base))
        .await
        .expect("the next one starts");
    let others = fs::read_dir(base).expect("the folder").count() - 1;
    next.close().await.expect("it closes");
    let left: Vec<_> = fs::read_dir(base)
        .expect("the folder")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    for folder in &left {
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        let files: Vec<_> = files.map(|entry| entry.file_name()).collect();
        println!("left behind: {} with {files:?}", folder.display());
    }
    usize::max(others, left.len())
}
