//! Plans the changes that are made when a person lets memory forget a place (a host or a site) or undo a run. A plan is
//! computed from the stored records before any change is made. So a plan also answers the question whether there is
//! anything to change.

use std::collections::BTreeSet;

use super::{Damaged, Memory, MemoryBackend};
use crate::{
    base::{Error, ErrorKind, Host, Result, RunId, Site},
    memory::{Edit, MemoryKind, Record, Scope, Shelf, waiting::is_for_waiting},
    registry::{RunManifest, checkpoint_shelf, manifest_shelf},
};

#[derive(Debug, Clone)]
pub(crate) enum Place {
    Hosts(BTreeSet<Host>),
    Site(Site),
}

impl Place {
    fn contains(&self, host: &Host) -> bool {
        match self {
            Self::Hosts(hosts) => hosts.contains(host),
            Self::Site(site) => host.site().as_ref() == Some(site),
        }
    }

    /// Returns true if the shelf of `host` also keeps what a memory kind learns elsewhere, on the other hosts of the site.
    fn is_shared(&self, kind: &dyn MemoryKind, host: &Host) -> bool {
        let other = host
            .site()
            .and_then(|site| Host::of_domain(&format!("www.{}", site.as_str())).ok());
        matches!(self, Self::Hosts(_)) && other.is_some_and(|other| kind.home(&other) == *host)
    }

    /// Returns true if the shelf of `host` keeps what a memory kind learns in this place.
    fn has_home(&self, kind: &dyn MemoryKind, host: &Host) -> bool {
        match self {
            Self::Hosts(hosts) => hosts.iter().any(|of| kind.home(of) == *host),
            Self::Site(_) => false,
        }
    }

    /// Returns the edit of a memory kind's global shelf that removes everything that the kind learned in this place.
    fn forgotten_by(&self, kind: &dyn MemoryKind) -> Result<Edit> {
        match self {
            Self::Site(site) => kind.forget(site, None),
            Self::Hosts(hosts) => {
                let edits = hosts
                    .iter()
                    .filter_map(|host| Some(kind.forget(&host.site()?, Some(host))));
                Ok(Edit::together(edits.collect::<Result<_>>()?))
            }
        }
    }
}

/// The collections of earlier versions, which no memory kind reads any more.
const GONE: [&str; 3] = ["trajectories", "patterns", "conversations"];

fn is_gone(shelf: &Shelf) -> bool {
    GONE.contains(&&*shelf.collection)
}

/// The changes that are planned, and the shelves that cannot be changed.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) removed: Vec<Shelf>,
    /// Number of records on the hosts' shelves in `removed`. Shelves that cannot be read are not counted.
    pub(super) own: usize,
    pub(super) unreadable: usize,
    pub(super) edits: Vec<(Shelf, Edit)>,
    /// Shelves that cannot be changed, because their memory kind is unknown or provides no edit.
    untold: Vec<Shelf>,
    damaged: Vec<Damaged>,
}

impl Plan {
    /// Returns true if it is certain that the plan would change nothing.
    #[cfg(feature = "cli")]
    pub(super) fn is_empty(&self) -> bool {
        self.removed.is_empty()
            && self.edits.is_empty()
            && self.untold.is_empty()
            && self.damaged.is_empty()
    }

    /// Fails if the plan has shelves that cannot be changed. `changed` is the number of records that were changed on
    /// the other shelves.
    pub(super) fn whole(&self, changed: usize) -> Result<()> {
        let joined = |names: Vec<String>| names.join(", ");
        let untold = joined(self.untold.iter().map(ToString::to_string).collect());
        let (refused, damaged): (Vec<&Damaged>, Vec<&Damaged>) =
            self.damaged.iter().partition(|of| of.is_refused);
        let named = |all: Vec<&Damaged>| {
            let all = all.iter();
            joined(all.map(|of| format!("{} ({})", of.shelf, of.why)).collect())
        };
        let told = [
            ("shelves", untold),
            ("damaged", named(damaged)),
            ("refused", named(refused)),
        ];
        if told.iter().all(|(_, names)| names.is_empty()) {
            return Ok(());
        }
        let [(_, untold), ..] = &told;
        let kind = if untold.is_empty() {
            ErrorKind::Corrupt
        } else {
            ErrorKind::Unsupported
        };
        let error = Error::new(kind, "memory.change").with("changed", changed);
        let told = told.into_iter().filter(|(_, names)| !names.is_empty());
        Err(told.fold(error, |error, (detail, names)| error.with(detail, names)))
    }
}

impl<M: MemoryBackend> Memory<M> {
    pub(super) async fn forgetting(&self, place: &Place) -> Result<Plan> {
        let mut plan = Plan::default();
        // An empty shelf of a host still names the host.
        for shelf in self.kept_shelves().await? {
            let is_own = matches!(&shelf.scope, Scope::Host(host) if place.contains(host));
            if is_own {
                match self.records(&shelf).await? {
                    Ok(_) if self.is_shared(&shelf, place) => continue,
                    Ok(records) => plan.own += records.len(),
                    Err(_) => plan.unreadable += 1,
                }
                plan.removed.push(shelf);
            }
        }
        for shelf in self.shelves(Some(&self.namespace)).await? {
            match &shelf.scope {
                Scope::Host(own) => {
                    let kind = self.kind(&shelf);
                    let is_home = kind.is_some_and(|kind| place.has_home(&**kind, own));
                    if is_home && !plan.removed.contains(&shelf) {
                        let edit = kind.map(|kind| place.forgotten_by(&**kind));
                        self.plan_told(&mut plan, shelf, edit).await?;
                    }
                }
                Scope::Global if is_gone(&shelf) => plan.removed.push(shelf),
                // A run that memory has yet to learn from is stored in parts, and a host's name may be split between two
                // parts. So all such runs are removed.
                Scope::Global if is_for_waiting(&shelf) => {
                    self.plan(&mut plan, shelf, super::without(|_| true))
                        .await?;
                }
                Scope::Global => {
                    let edit = self.kind(&shelf).map(|kind| place.forgotten_by(&**kind));
                    self.plan_told(&mut plan, shelf, edit).await?;
                }
            }
        }
        self.forgetting_runs(&mut plan, place).await?;
        Ok(plan)
    }

    /// Returns true if the shelf also keeps what was learned outside of this place.
    fn is_shared(&self, shelf: &Shelf, place: &Place) -> bool {
        match (&shelf.scope, self.kind(shelf)) {
            (Scope::Host(host), Some(kind)) => place.is_shared(&**kind, host),
            _ => false,
        }
    }

    /// Plans the removal of all runs that began in this place: their entries in the register of runs, and their
    /// checkpoints. Adds entries whose host cannot be read to [`Plan::damaged`].
    async fn forgetting_runs(&self, plan: &mut Plan, place: &Place) -> Result<()> {
        let shelf = manifest_shelf(&self.namespace);
        let records = match self.records(&shelf).await? {
            Ok(records) => records,
            Err(damaged) => {
                plan.damaged.push(damaged);
                return Ok(());
            }
        };
        let mut runs = BTreeSet::new();
        for record in records {
            match host_of_run(&record) {
                Ok(Some(host)) if place.contains(&host) => {
                    runs.insert(record.key);
                }
                Ok(_) => {}
                Err(error) => plan.damaged.push(Damaged::of(&shelf, error)?),
            }
        }
        let own = runs.iter().filter_map(|run| RunId::parse(run).ok());
        plan.removed
            .extend(own.map(|run| checkpoint_shelf(&self.namespace, &run)));
        let is_meant = move |record: &Record| runs.contains(&record.key);
        self.plan(plan, shelf, super::without(is_meant)).await
    }

    pub(super) async fn undoing(&self, run: &RunId) -> Result<Plan> {
        let mut plan = Plan::default();
        let shelves = self.shelves(Some(&self.namespace)).await?;
        for shelf in shelves.into_iter().filter(|shelf| !is_gone(shelf)) {
            let edit = if is_for_waiting(&shelf) {
                Some(Ok(super::of_waiting_run(run)))
            } else {
                self.kind(&shelf).map(|kind| kind.undo(run))
            };
            self.plan_told(&mut plan, shelf, edit).await?;
        }
        Ok(plan)
    }

    /// Adds the edit of a memory kind to the plan. If the kind is unknown or provides no edit, adds the shelf to
    /// [`Plan::untold`].
    async fn plan_told(
        &self,
        plan: &mut Plan,
        shelf: Shelf,
        edit: Option<Result<Edit>>,
    ) -> Result<()> {
        if let Some(Ok(edit)) = edit {
            return self.plan(plan, shelf, edit).await;
        }
        plan.untold.push(shelf);
        Ok(())
    }

    /// Adds an edit to the plan if the edit would change something. If the shelf cannot be read, adds the shelf to
    /// [`Plan::damaged`].
    async fn plan(&self, plan: &mut Plan, shelf: Shelf, edit: Edit) -> Result<()> {
        match self.records(&shelf).await? {
            Ok(records) if edit.changes(&records)?.is_empty() => {}
            Ok(_) => plan.edits.push((shelf, edit)),
            Err(damaged) => plan.damaged.push(damaged),
        }
        Ok(())
    }
}

/// Returns the host on which a run of the register began. If the entry cannot be read as a whole, for example because a
/// newer program wrote it, the field `domain` is enough.
fn host_of_run(record: &Record) -> Result<Option<Host>> {
    RunManifest::from_record(record)
        .map(|run| run.domain)
        .or_else(|error| {
            let host = serde_json::from_value(record.body["domain"].clone());
            let why = || format!("its entry {} cannot be read", record.key);
            host.map(Some).map_err(|_| error.with("why", why()))
        })
}
