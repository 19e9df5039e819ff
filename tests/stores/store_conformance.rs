//! Every memory backend keeps the contract of the port, and reads what earlier versions of it wrote.

use webwise::{store::InMemory, testing::conformance};

#[tokio::test]
async fn in_memory() {
    conformance::store::check(&InMemory::new()).await;
    figure!("store_conformance: in_memory keeps the contract");
}

#[cfg(feature = "json-file")]
mod json_files {
    use std::{fs, path::Path};

    use serde_json::json;
    use webwise::{
        memory::{Durable, Edit, ShelfFilter},
        store::{JsonFiles, MemoryBackend as _},
        testing::conformance,
    };

    #[tokio::test]
    async fn keep_the_contract() {
        let dir = tempfile::tempdir().unwrap();
        conformance::store::check_durable(|| JsonFiles::open(dir.path().join("memory"))).await;
        figure!(
            "store_conformance: json_files keeps the contract, and that of a store that outlives its process"
        );
    }

    #[tokio::test]
    async fn keep_it_on_several_threads() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("memory");
        let run = move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .build()
                .unwrap();
            runtime.block_on(conformance::store::check_durable(|| JsonFiles::open(&root)));
        };
        tokio::task::spawn_blocking(run).await.unwrap();
    }

    /// Stored formats are API: a file here is never changed, and each version that was released has one.
    #[tokio::test]
    async fn every_released_version_of_a_file_loads() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/store");
        let (mut read, mut all) = (0, 0);
        for file in fs::read_dir(fixtures)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            all += 1;
            let dir = tempfile::tempdir().unwrap();
            let host = dir
                .path()
                .join("default/domains/http_3a_2f_2f127.0.0.1_3a8080");
            fs::create_dir_all(&host).unwrap();
            fs::copy(&file, host.join("lessons.json")).unwrap();
            let store = JsonFiles::open(dir.path());
            let shelves = store.shelves(&ShelfFilter::default()).await.unwrap();
            assert_eq!(shelves.len(), 1, "{}", file.display());
            let state = store.load(&shelves[0]).await.unwrap();
            let record = state
                .records
                .iter()
                .find(|record| record.key == "fill-textbox")
                .unwrap();
            assert_eq!(
                record.body["text"],
                json!("Tür ✓ \u{0}"),
                "{}",
                file.display()
            );
            let idle = store
                .update(&shelves[0], Edit::new(|_| Ok(Vec::new())))
                .await
                .unwrap();
            assert_eq!(
                (idle.generation, idle.durable),
                (state.generation, Durable::Yes),
                "{}",
                file.display()
            );
            read += 1;
        }
        figure!("store_conformance: {read} of {all} released versions of a shelf's file load");
        assert!(read > 0 && read == all, "{read} of {all}");
    }
}
