//! A kind of memory for tests. A test defines what the kind advises and learns.

use std::{fmt, sync::Arc};

use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::{
    base::{Result, RunId},
    memory::{
        Advice, Change, Committed, Cue, Edit, Index, MemoryKind, Moment, Namespace, Note, Occasion,
        Record, RunLog, Shelf, ShelfEdit,
    },
};

/// Maximum number of pieces of advice that this kind gives at one moment of a run. Source: chosen; lessons about a site
/// have the same maximum.
const MAX_ADVICE: usize = 3;

type Says = dyn Fn(&Shelf, &[Record], &Moment<'_>) -> Vec<Advice> + Send + Sync;
type Distills = dyn Fn(&RunLog) -> Option<Value> + Send + Sync;
type Learns = dyn Fn(&Value) -> Vec<Change> + Send + Sync;

/// A kind of memory whose behaviour a test defines. By default it reads, advises and learns nothing.
///
/// ```
/// use std::sync::Arc;
/// use webwise::{
///     DecisionLoop, Trust,
///     memory::{Advice, AdviceId, Section},
///     store::InMemory,
///     testing::{ScriptedBrowser, ScriptedKind, ScriptedModel},
/// };
///
/// let kind = ScriptedKind::new("hours").saying(|shelf, _, _| {
///     let id = AdviceId { shelf: shelf.clone(), key: "open".into() };
///     Advice::new(id, "The shop is closed on Sundays.", Trust::User, Section::SiteTips).into_iter().collect()
/// });
/// let agent = DecisionLoop::builder(ScriptedBrowser::new(), ScriptedModel::new([]), InMemory::new())
///     .with_kinds(vec![Arc::new(kind)])
///     .build()?;
/// # Ok::<(), webwise::Error>(())
/// ```
#[derive(Clone)]
pub struct ScriptedKind {
    name: &'static str,
    says: Option<Arc<Says>>,
    distills: Arc<Distills>,
    learns: Arc<Learns>,
}

impl ScriptedKind {
    /// Creates a kind of memory with this name.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            says: None,
            distills: Arc::new(|_| None),
            learns: Arc::new(|_| Vec::new()),
        }
    }

    /// Sets the function that gives advice at a moment of a run, for example when the run starts or a page is shown. Its
    /// arguments are a shelf, the records on that shelf, and the moment. When a page is shown, the shelf is that of the
    /// page's host. At all other moments, it is the shelf for all sites.
    #[must_use]
    pub fn saying(
        mut self,
        says: impl Fn(&Shelf, &[Record], &Moment<'_>) -> Vec<Advice> + Send + Sync + 'static,
    ) -> Self {
        self.says = Some(Arc::new(says));
        self
    }

    /// Sets the functions by which this kind learns from a run: `distills` extracts a value from the run's log, and `learns`
    /// turns that value into changes of the shelf for all sites.
    #[must_use]
    pub fn learning(
        mut self,
        distills: impl Fn(&RunLog) -> Option<Value> + Send + Sync + 'static,
        learns: impl Fn(&Value) -> Vec<Change> + Send + Sync + 'static,
    ) -> Self {
        (self.distills, self.learns) = (Arc::new(distills), Arc::new(learns));
        self
    }
}

impl fmt::Debug for ScriptedKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ScriptedKind").field(&self.name).finish()
    }
}

impl MemoryKind for ScriptedKind {
    fn name(&self) -> &'static str {
        self.name
    }

    fn upkeep(&self, _: &Shelf, _: &[Record], _: DateTime<Utc>) -> Option<Edit> {
        None
    }

    fn wants(&self, namespace: &Namespace, moment: &Moment<'_>) -> Vec<Shelf> {
        match (&self.says, moment.cue) {
            (None, _) => Vec::new(),
            (_, Cue::PageShown { host, .. }) => vec![Shelf::host(namespace, self.name, host)],
            _ => vec![Shelf::global(namespace, self.name)],
        }
    }

    fn index(&self, shelf: &Shelf, records: &[Record]) -> Arc<dyn Index> {
        Arc::new(Script {
            kind: self.clone(),
            shelf: shelf.clone(),
            records: records.to_vec(),
        })
    }

    fn limit(&self, _: &Moment<'_>) -> usize {
        MAX_ADVICE
    }

    fn distill(&self, log: &RunLog) -> Option<Value> {
        (self.distills)(log)
    }

    fn learn(&self, namespace: &Namespace, distilled: &Value) -> Result<Vec<ShelfEdit>> {
        let changes = (self.learns)(distilled);
        let edit = ShelfEdit {
            shelf: Shelf::global(namespace, self.name),
            edit: Edit::new(move |_| Ok(changes.clone())),
        };
        Ok(vec![edit])
    }

    fn notes(&self, _: Occasion, _: &Shelf, _: &RunId, _: &Committed, _: usize) -> Vec<Note> {
        Vec::new()
    }
}

#[derive(Debug)]
struct Script {
    kind: ScriptedKind,
    shelf: Shelf,
    records: Vec<Record>,
}

impl Index for Script {
    fn advise(&self, moment: &Moment<'_>, _: bool) -> Vec<Advice> {
        let says = self.kind.says.as_ref();
        says.map_or_else(Vec::new, |says| says(&self.shelf, &self.records, moment))
    }
}
