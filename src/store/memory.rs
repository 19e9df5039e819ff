//! The door to memory: advice, learning, and the control of a person, who lists, accepts, forgets and undoes.

mod items;
mod plan;
mod using;

use std::{collections::BTreeSet, sync::Arc};

use chrono::{DateTime, Utc};

pub use self::items::{Damaged, Item, Items};
pub(crate) use self::plan::Place;
pub use self::using::Recalled;
use super::MemoryBackend;
use crate::{
    base::{Error, ErrorKind, Host, Result, RunId, Site},
    memory::{
        AdviceId, Change, Described, Edit, MemoryKind, Namespace, Origin, Record, Shelf, ShelfEdit,
        ShelfFilter, SiteMap, kinds, waiting::is_for_waiting,
    },
    registry::is_registry,
};

/// Numbers of records that were removed or changed when a host or a site was forgotten.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// Number of records on the shelves of the host, or on the shelves of all hosts of the site.
    pub own: usize,
    /// Number of shelves of the host or site that could not be read. The records on these shelves are not counted.
    pub unreadable: usize,
    /// Number of records on other shelves that were changed or removed: records to which the host or site had contributed,
    /// runs that memory had yet to learn from, and entries of the register of runs.
    pub elsewhere: usize,
}

/// The records that were removed or changed because a run was undone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Undone {
    /// Number of records that were removed.
    pub removed: usize,
    /// The items that are kept because another run, a person or the program supports them too. Only the undone run's
    /// contribution was removed from them.
    pub kept: Vec<AdviceId>,
}

/// The memory of one namespace, for people and for programs without the decision loop: it gives advice and recipes, learns from runs,
/// takes what a person adds, and lists, accepts, forgets and undoes what was learned.
///
/// ```
/// use webwise::{Memory, memory::knowledge::FactKind, store::InMemory, Host};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> webwise::Result<()> {
/// let memory = Memory::open(InMemory::new());
/// let shop = Host::of_domain("shop.example")?;
/// memory.record_obstacle(&shop, "cookie notice", "choose necessary only", chrono::Utc::now()).await?;
/// memory.add_fact(&shop, FactKind::Quirk, "dates", "are written as day.month.year", chrono::Utc::now()).await?;
/// for item in memory.items().await?.items {
///     println!("{}: {}", item.name(), item.described.text);
/// }
/// # Ok(()) }
/// ```
///
/// `examples/memory_only.rs` drives a session by hand, and recalls it for another goal.
#[derive(Debug, Clone)]
pub struct Memory<M> {
    store: M,
    namespace: Namespace,
    kinds: Vec<Arc<dyn MemoryKind>>,
}

impl<M: MemoryBackend> Memory<M> {
    /// Opens the default namespace of a store, with the built-in memory kinds. A reference to a store is a store too.
    pub fn open(store: M) -> Self {
        Self::new(store, Namespace::default())
    }

    /// Opens this namespace of a store, with the built-in memory kinds.
    pub fn new(store: M, namespace: Namespace) -> Self {
        Self {
            store,
            namespace,
            kinds: kinds(),
        }
    }

    /// Replaces the memory kinds of this memory. Pass the kinds with which the decision loop was built.
    #[must_use]
    pub fn with_kinds(self, kinds: Vec<Arc<dyn MemoryKind>>) -> Self {
        Self { kinds, ..self }
    }

    /// Returns the memory kinds of this memory.
    pub fn kinds(&self) -> &[Arc<dyn MemoryKind>] {
        &self.kinds
    }

    /// Returns every item of the namespace that can be read. Also returns the shelves that cannot be read.
    ///
    /// # Errors
    /// The errors of the store, except those that concern a single shelf, such as damage.
    pub async fn items(&self) -> Result<Items> {
        let mut read = Items::default();
        for shelf in self.shelves(Some(&self.namespace)).await? {
            let records = match self.records(&shelf).await? {
                Ok(records) => records,
                Err(damaged) => {
                    read.damaged.push(damaged);
                    continue;
                }
            };
            if is_for_waiting(&shelf) {
                continue;
            }
            let Some(kind) = self.kind(&shelf) else {
                read.unknown.push(shelf);
                continue;
            };
            let items = records
                .into_iter()
                .filter(|record| kind.item(&record.key) == record.key);
            for record in items {
                match kind.describe(&record) {
                    Ok(described) => read.items.push(Item {
                        shelf: shelf.clone(),
                        record,
                        described,
                    }),
                    Err(_) => read.unreadable += 1,
                }
            }
        }
        Ok(read)
    }

    /// Returns the full description of an item, written by the item's memory kind.
    ///
    /// # Errors
    /// `Unsupported` if the item's memory kind is unknown; the errors of the kind and of the store.
    pub async fn describe(&self, item: &Item, now: DateTime<Utc>) -> Result<Described> {
        let kind = self.kind(&item.shelf).ok_or_else(|| {
            Error::new(ErrorKind::Unsupported, "memory.describe").with("shelf", &item.shelf)
        })?;
        let records = self.store.load(&item.shelf).await?.records;
        kind.describe_item(&item.shelf, &records, &item.record.key, now)
    }

    /// Lets every memory kind learn from the map that an exploration has made of a host. Returns the number of kinds
    /// that had an edit for the map, even if the edit changed nothing.
    ///
    /// # Errors
    /// `InvalidInput` if the map has no page; the errors of the store.
    pub async fn learn_map(&self, host: &Host, map: &SiteMap, now: DateTime<Utc>) -> Result<usize> {
        let mut learned = 0;
        for kind in &self.kinds {
            if let Some(ShelfEdit { shelf, edit }) =
                kind.learn_map(&self.namespace, host, map, now)?
            {
                self.store.update(&shelf, edit).await?;
                learned += 1;
            }
        }
        Ok(learned)
    }

    /// Returns the shelves of a namespace, each with its records. If `namespace` is `None`, returns those of all
    /// namespaces. Shelves of unknown memory kinds are included, and so are shelves with runs that memory has yet to
    /// learn from. The register of runs is left out.
    ///
    /// # Errors
    /// The errors of the store.
    pub async fn read(&self, namespace: Option<&Namespace>) -> Result<Vec<(Shelf, Vec<Record>)>> {
        let mut read = Vec::new();
        for shelf in self.shelves(namespace).await? {
            let records = self.store.load(&shelf).await?.records;
            read.push((shelf, records));
        }
        Ok(read)
    }

    /// Reads the shelves as [`read`](Self::read) does. Returns the shelves that cannot be read in a separate list
    /// instead of failing.
    #[cfg(feature = "cli")]
    pub(crate) async fn read_intact(
        &self,
        namespace: Option<&Namespace>,
    ) -> Result<(Vec<(Shelf, Vec<Record>)>, Vec<Damaged>)> {
        let (mut read, mut damaged) = (Vec::new(), Vec::new());
        for shelf in self.shelves(namespace).await? {
            match self.records(&shelf).await? {
                Ok(records) => read.push((shelf, records)),
                Err(error) => damaged.push(error),
            }
        }
        Ok((read, damaged))
    }

    /// Returns the records of a shelf. The inner error says that only this shelf cannot be read. The outer error is any
    /// other error of the store.
    async fn records(&self, shelf: &Shelf) -> Result<std::result::Result<Vec<Record>, Damaged>> {
        match self.store.load(shelf).await {
            Ok(state) => Ok(Ok(state.records)),
            Err(error) => Damaged::of(shelf, error).map(Err),
        }
    }

    /// Returns the shelves of a namespace. If `namespace` is `None`, returns those of all namespaces. Shelves that
    /// cannot be read are included. The shelves of the register of runs are left out.
    ///
    /// # Errors
    /// The errors that the store returns when it lists its shelves.
    pub async fn shelves(&self, namespace: Option<&Namespace>) -> Result<Vec<Shelf>> {
        let filter = ShelfFilter {
            namespace: namespace.cloned(),
            ..ShelfFilter::default()
        };
        let mut shelves = self.store.shelves(&filter).await?;
        shelves.retain(|shelf| !is_registry(shelf));
        Ok(shelves)
    }

    /// Accepts the text of an item as the person's own words. If the item is retired, also brings it back. Only the text in
    /// `item` is accepted, not a later text of the record.
    ///
    /// # Errors
    /// `InvalidInput`, with the reason as `why`, if the stored text has changed since `item` was read; `Unsupported` if the
    /// item's memory kind is unknown or does not support acceptance; the errors of the store.
    pub async fn accept(&self, item: &Item, now: DateTime<Utc>) -> Result<()> {
        let kind = self.kind(&item.shelf).ok_or_else(|| {
            Error::new(ErrorKind::Unsupported, "memory.accept").with("shelf", &item.shelf)
        })?;
        let edit = kind.accept(&item.record.key, &item.described.text, now)?;
        self.store.update(&item.shelf, edit).await.map(drop)
    }

    /// Removes an item from the store and from the store's backup.
    ///
    /// # Errors
    /// `InvalidInput`, with the reason as `why`, for an item that is part of the program; the errors of the store.
    pub async fn forget(&self, item: &Item) -> Result<()> {
        if item.described.origin == Origin::Shipped {
            let why = format!(
                "{} is a seed: it would be planted again by the next run",
                item.name()
            );
            return Err(Error::new(ErrorKind::InvalidInput, "memory.forget").with("why", why));
        }
        let key = item.record.key.clone();
        let kind = self.kind(&item.shelf).cloned();
        let edit = without(move |record| {
            let of = kind
                .as_ref()
                .map_or(&*record.key, |kind| kind.item(&record.key));
            of == key
        });
        self.change(&item.shelf, edit).await.map(drop)
    }

    /// Forgets everything that was learned on a host. A host includes its scheme and port. Other hosts of the same site are
    /// not forgotten.
    ///
    /// This removes the host's shelves and its contribution to records for all sites. It removes from the register the runs
    /// that began on the host, and their checkpoints. It also removes all runs that memory has yet to learn from, even those
    /// on other hosts.
    ///
    /// # Errors
    /// `InvalidInput` for a host without a site. `Unsupported` if the memory kind of some shelves is unknown or cannot
    /// forget a host. `Corrupt` if some shelves for all sites, or some entries of the register of runs, cannot be read.
    /// The errors of the store.
    ///
    /// The errors `Unsupported` and `Corrupt` can have four details: `shelves` (the shelves that no kind could edit),
    /// `damaged` (the shelves that cannot be read, or not as a whole), `refused` (the shelves whose files the system refused
    /// to read) and `changed` (the number of changed or removed records).
    pub async fn forget_host(&self, host: &Host) -> Result<Forgotten> {
        if host.site().is_none() {
            return Err(Error::new(ErrorKind::InvalidInput, "memory.forget")
                .with("why", format!("{host} is no address of a site")));
        }
        self.forget_place(&Place::Hosts(BTreeSet::from([host.clone()])))
            .await
    }

    /// Forgets everything that was learned on all hosts of a site, as [`forget_host`](Self::forget_host) does for one host.
    ///
    /// # Errors
    /// The errors of [`forget_host`](Self::forget_host).
    pub async fn forget_site(&self, site: &Site) -> Result<Forgotten> {
        self.forget_place(&Place::Site(site.clone())).await
    }

    /// Returns true if memory may contain something that was learned in this place (a host or a site), or a run that
    /// began there. Returns false only if it certainly does not.
    #[cfg(feature = "cli")]
    pub(crate) async fn knows(&self, place: &Place) -> Result<bool> {
        Ok(!self.forgetting(place).await?.is_empty())
    }

    /// Returns true if memory may contain something that was learned from this run. Returns false only if it certainly
    /// does not.
    #[cfg(feature = "cli")]
    pub(crate) async fn was_taught_by(&self, run: &RunId) -> Result<bool> {
        Ok(!self.undoing(run).await?.is_empty())
    }

    pub(crate) async fn forget_place(&self, place: &Place) -> Result<Forgotten> {
        let mut plan = self.forgetting(place).await?;
        let mut forgotten = Forgotten {
            own: plan.own,
            unreadable: plan.unreadable,
            elsewhere: 0,
        };
        for shelf in &plan.removed {
            self.store.remove(shelf).await?;
        }
        for (shelf, edit) in std::mem::take(&mut plan.edits) {
            forgotten.elsewhere += self.change(&shelf, edit).await?.len();
        }
        // A run that has just started may have written its first checkpoint before it was removed from the register.
        for shelf in plan.removed.iter().filter(|shelf| is_registry(shelf)) {
            self.store.remove(shelf).await?;
        }
        plan.whole(forgotten.own + forgotten.elsewhere)?;
        Ok(forgotten)
    }

    /// Removes every shelf of the namespace, including the register of runs, shelves of unknown memory kinds, and
    /// shelves that cannot be read.
    ///
    /// # Errors
    /// The errors of the store.
    pub async fn forget_all(&self) -> Result<()> {
        // A run that has just started may have written its first checkpoint before it was removed from the register. So the
        // shelves are listed and removed twice.
        for _ in 0..2 {
            let mut shelves = self.kept_shelves().await?;
            shelves.sort_by_key(is_registry);
            for shelf in shelves {
                self.store.remove(&shelf).await?;
            }
        }
        Ok(())
    }

    /// Returns all shelves of the namespace, with the register of runs and the shelves that are empty.
    async fn kept_shelves(&self) -> Result<Vec<Shelf>> {
        let filter = ShelfFilter {
            namespace: Some(self.namespace.clone()),
            with_empty: true,
            ..ShelfFilter::default()
        };
        self.store.shelves(&filter).await
    }

    /// Undoes what was learned from a run. If another run also supports a record, the record is kept without the undone
    /// run's evidence, counts and name. A recipe (the recorded steps of a run) is kept if another run took all of its steps.
    ///
    /// # Errors
    /// `Unsupported` if the memory kind of some shelves is unknown or cannot undo a run. `Corrupt` if some shelves cannot be
    /// read. The errors of the store. `Unsupported` and `Corrupt` have the same details as in
    /// [`forget_host`](Self::forget_host).
    pub async fn undo(&self, run: &RunId) -> Result<Undone> {
        let mut plan = self.undoing(run).await?;
        let mut undone = Undone::default();
        for (shelf, edit) in std::mem::take(&mut plan.edits) {
            for change in self.change(&shelf, edit).await? {
                match change {
                    Change::Remove(_) => undone.removed += 1,
                    Change::Put(record) => {
                        let kind = self.kind(&shelf);
                        let key = kind.map_or(&*record.key, |kind| kind.item(&record.key));
                        let id = AdviceId {
                            shelf: shelf.clone(),
                            key: key.to_owned(),
                        };
                        if !undone.kept.contains(&id) {
                            undone.kept.push(id);
                        }
                    }
                }
            }
        }
        plan.whole(undone.removed + undone.kept.len())?;
        Ok(undone)
    }

    /// Applies edits, for example those of an [import](crate::memory::archive::import), and returns the number of
    /// changed records.
    ///
    /// # Errors
    /// The errors of the store.
    pub async fn apply(&self, edits: Vec<ShelfEdit>) -> Result<usize> {
        let mut changed = 0;
        for ShelfEdit { shelf, edit } in edits {
            changed += self.store.update(&shelf, edit).await?.changes.len();
        }
        Ok(changed)
    }

    fn kind(&self, shelf: &Shelf) -> Option<&Arc<dyn MemoryKind>> {
        let mut kinds = self.kinds.iter();
        kinds.find(|kind| kind.name() == shelf.collection)
    }

    /// Changes a shelf and returns the changes. The removed records are removed from the shelf's backup too. If no records
    /// are left, the shelf is removed.
    async fn change(&self, shelf: &Shelf, edit: Edit) -> Result<Vec<Change>> {
        let changed = self.store.update(shelf, edit).await?.changes;
        if !changed.is_empty() {
            // The backup is the state before the last change, so it still contains the removed records. A second change,
            // which alters nothing, replaces it.
            let again = Edit::new(|now: &[Record]| {
                Ok(now.first().cloned().map(Change::Put).into_iter().collect())
            });
            if self.store.update(shelf, again).await?.changes.is_empty() {
                // Another process may have just added a record, so only the store can tell whether the shelf is still empty.
                self.store.remove_empty(shelf).await?;
            }
        }
        Ok(changed)
    }
}

fn of_waiting_run(run: &RunId) -> Edit {
    let run = run.clone();
    without(move |record| record.body["run"] == run.as_str())
}

fn without(of: impl Fn(&Record) -> bool + Send + Sync + 'static) -> Edit {
    Edit::new(move |records: &[Record]| {
        let matching = records.iter().filter(|record| of(record));
        Ok(matching
            .map(|record| Change::Remove(record.key.clone()))
            .collect())
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use async_trait::async_trait;
    use serde_json::json;

    use super::*;
    use crate::{
        memory::{Committed, ShelfState, StoreNotice},
        registry::{checkpoint_shelf, manifest_shelf},
        store::InMemory,
    };

    /// A store to which another process adds the record `late`: to the same shelf after the second update, and as a first
    /// checkpoint before the register of runs is removed.
    #[derive(Debug, Default)]
    struct Shared(InMemory, AtomicUsize);

    #[async_trait]
    impl MemoryBackend for Shared {
        async fn load(&self, shelf: &Shelf) -> Result<ShelfState> {
            self.0.load(shelf).await
        }

        async fn update(&self, shelf: &Shelf, edit: Edit) -> Result<Committed> {
            let committed = self.0.update(shelf, edit).await;
            if self.1.fetch_add(1, Ordering::Relaxed) == 1 {
                self.0.update(shelf, put("late")).await?;
            }
            committed
        }

        async fn shelves(&self, filter: &ShelfFilter) -> Result<Vec<Shelf>> {
            self.0.shelves(filter).await
        }

        async fn remove(&self, shelf: &Shelf) -> Result<()> {
            if *shelf == manifest_shelf(&Namespace::default()) {
                self.0.update(&checkpoint(), put("late")).await?;
            }
            self.0.remove(shelf).await
        }

        async fn remove_empty(&self, shelf: &Shelf) -> Result<()> {
            self.0.remove_empty(shelf).await
        }

        fn notices(&self) -> Vec<StoreNotice> {
            self.0.notices()
        }
    }

    fn checkpoint() -> Shelf {
        checkpoint_shelf(&Namespace::default(), &RunId::parse("run_1").unwrap())
    }

    fn put(key: &'static str) -> Edit {
        Edit::new(move |_: &[Record]| Ok(vec![Change::Put(Record::new(key, &json!({})))]))
    }

    #[tokio::test]
    async fn a_record_that_another_process_adds_to_an_emptied_shelf_stays() {
        let store = Shared::default();
        let shelf = Shelf::global(&Namespace::default(), "lessons");
        store.0.update(&shelf, put("old")).await.unwrap();
        let keeper = Memory::new(&store, Namespace::default());
        let changed = keeper.change(&shelf, without(|_| true)).await.unwrap();
        assert_eq!(changed, [Change::Remove("old".to_owned())]);
        let records = store.load(&shelf).await.unwrap().records;
        assert_eq!(records, [Record::new("late", &json!({}))]);
    }

    #[tokio::test]
    async fn a_checkpoint_that_a_run_writes_while_all_is_forgotten_goes_too() {
        let store = Shared::default();
        let manifests = manifest_shelf(&Namespace::default());
        store.0.update(&manifests, put("run_1")).await.unwrap();
        let keeper = Memory::new(&store, Namespace::default());
        keeper.forget_all().await.unwrap();
        assert_eq!(
            store.load(&checkpoint()).await.unwrap(),
            ShelfState::default()
        );
    }

    #[tokio::test]
    async fn no_emptied_shelf_outlives_a_forget() {
        let store = InMemory::new();
        let host = Host::of(&"https://bank.example".parse().unwrap()).unwrap();
        let shelf = Shelf::host(&Namespace::default(), "lessons", &host);
        let keeper = Memory::new(&store, Namespace::default());
        store.update(&shelf, put("only")).await.unwrap();
        keeper.change(&shelf, without(|_| true)).await.unwrap();
        assert_eq!(keeper.kept_shelves().await.unwrap(), []);
        store.update(&shelf, put("only")).await.unwrap();
        store.update(&shelf, without(|_| true)).await.unwrap();
        assert_eq!(keeper.kept_shelves().await.unwrap(), [shelf]);
        keeper.forget_host(&host).await.unwrap();
        assert_eq!(keeper.kept_shelves().await.unwrap(), []);
    }
}
