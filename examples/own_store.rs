//! A memory backend of your own: shelves in one file of the embedded database `redb`.
//!
//! Each shelf is one entry, which an update reads and writes in one transaction. One process at a time can open the file; the
//! clones of a store share it.
//!
//! `cargo run --example own_store -- memory.redb`

use std::{path::Path, sync::Arc};

use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};
use webwise::{
    Error, ErrorKind, Memory, MemoryBackend, Result,
    async_trait::async_trait,
    memory::{Committed, Durable, Edit, Shelf, ShelfFilter, ShelfState, StoreNotice, apply},
};

/// From a shelf, as JSON, to its generation and its records, as JSON.
const SHELVES: TableDefinition<'_, &str, (u64, &str)> = TableDefinition::new("shelves");

#[derive(Debug, Clone)]
struct Redb(Arc<Database>);

/// What a transaction leaves of a shelf.
enum Next {
    Same,
    Put(ShelfState),
    Gone,
}

impl Redb {
    /// Opens the file, or creates it.
    fn open(path: impl AsRef<Path>) -> Result<Self> {
        let database = Database::create(path).map_err(failed)?;
        let write = database.begin_write().map_err(failed)?;
        write.open_table(SHELVES).map_err(failed)?;
        write.commit().map_err(failed)?;
        Ok(Self(Arc::new(database)))
    }

    /// Does the work on a thread that may block. If the future is dropped, the work is finished there.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Database) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let database = Arc::clone(&self.0);
        match tokio::task::spawn_blocking(move || work(&database)).await {
            Ok(result) => result,
            Err(ended) => match ended.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Err(Error::new(ErrorKind::Unavailable, "redb.shutdown")),
            },
        }
    }

    /// Changes a shelf in one transaction.
    async fn transact<T: Send + 'static>(
        &self,
        shelf: &Shelf,
        change: impl FnOnce(ShelfState) -> Result<(Next, T)> + Send + 'static,
    ) -> Result<T> {
        let key = to_json(shelf)?;
        let done = self.blocking(move |database| {
            let write = database.begin_write().map_err(failed)?;
            let mut table = write.open_table(SHELVES).map_err(failed)?;
            // An error drops the transaction, which undoes it.
            let (next, result) = change(state(&table, &key)?)?;
            match next {
                Next::Same => return Ok(result),
                Next::Put(next) => {
                    let records = to_json(&next.records)?;
                    let entry = (next.generation, &*records);
                    table.insert(&*key, entry).map_err(failed)?;
                }
                Next::Gone => drop(table.remove(&*key).map_err(failed)?),
            }
            drop(table);
            // Returns when the file is synced, which is redb's default. If that fails, nobody knows what the disk has.
            let synced = write.commit().map_err(failed);
            synced.map_err(|error| error.with("stored", "unknown"))?;
            Ok(result)
        });
        done.await.map_err(|error| error.with("shelf", shelf))
    }
}

fn state(
    table: &impl ReadableTable<&'static str, (u64, &'static str)>,
    key: &str,
) -> Result<ShelfState> {
    let Some(entry) = table.get(key).map_err(failed)? else {
        return Ok(ShelfState::default());
    };
    let (generation, records) = entry.value();
    let records = from_json(records)?;
    Ok(ShelfState {
        generation,
        records,
    })
}

fn to_json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| Error::new(ErrorKind::InvalidInput, "redb.write").with_source(error))
}

fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text)
        .map_err(|error| Error::new(ErrorKind::Corrupt, "redb.read").with_source(error))
}

/// Returns the error of redb with the kind that says what the caller can do.
fn failed(error: impl Into<redb::Error>) -> Error {
    let error = error.into();
    let kind = match &error {
        redb::Error::Corrupted(_) => ErrorKind::Corrupt,
        redb::Error::ValueTooLarge(_) => ErrorKind::TooLarge,
        redb::Error::DatabaseAlreadyOpen => ErrorKind::Busy,
        redb::Error::UpgradeRequired(_) => ErrorKind::Unsupported,
        _ => ErrorKind::Unavailable,
    };
    Error::new(kind, "redb").with_source(error)
}

#[async_trait]
impl MemoryBackend for Redb {
    async fn load(&self, shelf: &Shelf) -> Result<ShelfState> {
        let key = to_json(shelf)?;
        let read = self.blocking(move |database| {
            let read = database.begin_read().map_err(failed)?;
            state(&read.open_table(SHELVES).map_err(failed)?, &key)
        });
        read.await.map_err(|error| error.with("shelf", shelf))
    }

    async fn update(&self, shelf: &Shelf, edit: Edit) -> Result<Committed> {
        self.transact(shelf, move |mut now| {
            let changes = edit.changes(&now.records)?;
            let generation = now.generation + u64::from(!changes.is_empty());
            let next = if changes.is_empty() {
                Next::Same
            } else {
                now.records = apply(&now.records, &changes);
                Next::Put(ShelfState { generation, ..now })
            };
            let durable = Durable::Yes;
            let committed = Committed {
                generation,
                durable,
                changes,
            };
            Ok((next, committed))
        })
        .await
    }

    async fn shelves(&self, filter: &ShelfFilter) -> Result<Vec<Shelf>> {
        let filter = filter.clone();
        self.blocking(move |database| {
            let read = database.begin_read().map_err(failed)?;
            let table = read.open_table(SHELVES).map_err(failed)?;
            let mut shelves: Vec<Shelf> = Vec::new();
            for entry in table.iter().map_err(failed)? {
                let (key, value) = entry.map_err(failed)?;
                if filter.with_empty || value.value().1 != "[]" {
                    shelves.push(from_json(key.value())?);
                }
            }
            shelves.retain(|shelf| filter.matches(shelf));
            shelves.sort();
            Ok(shelves)
        })
        .await
    }

    async fn remove(&self, shelf: &Shelf) -> Result<()> {
        self.transact(shelf, |_| Ok((Next::Gone, ()))).await
    }

    async fn remove_empty(&self, shelf: &Shelf) -> Result<()> {
        self.transact(shelf, |now| match &*now.records {
            [] => Ok((Next::Gone, ())),
            _ => Ok((Next::Same, ())),
        })
        .await
    }

    fn notices(&self) -> Vec<StoreNotice> {
        Vec::new()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let path = std::env::args().nth(1);
    let memory = Memory::open(Redb::open(path.as_deref().unwrap_or("memory.redb"))?);
    let lesson = "Look for an open ticket before you file one.";
    let now = webwise::chrono::Utc::now();
    memory.add_lesson(lesson, None, now).await?;
    println!("{} items", memory.items().await?.items.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use webwise::{
        memory::{Change, Namespace, Record},
        testing::conformance,
    };

    #[tokio::test]
    async fn it_keeps_the_contract_of_a_durable_store() {
        let folder = tempfile::tempdir().unwrap();
        let store = Redb::open(folder.path().join("memory.redb")).unwrap();
        conformance::store::check_durable(|| store.clone()).await;
    }

    #[tokio::test]
    async fn the_file_has_an_update_that_has_returned() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name| folder.path().join(name);
        let store = Redb::open(place("memory.redb")).unwrap();
        let second = Redb::open(place("memory.redb"));
        assert_eq!(second.unwrap_err().kind(), ErrorKind::Busy);
        let shelf = Shelf::global(&Namespace::default(), "visits");
        let visit = Record::new("shop", &serde_json::json!({ "visits": 1 }));
        let changes = vec![Change::Put(visit.clone())];
        let edit = Edit::new(move |_| Ok(changes.clone()));
        store.update(&shelf, edit).await.unwrap();
        // As after a kill: nobody has closed the file.
        std::fs::copy(place("memory.redb"), place("copy.redb")).unwrap();
        let copy = Redb::open(place("copy.redb")).unwrap();
        assert_eq!(copy.load(&shelf).await.unwrap().records, [visit]);
    }
}
