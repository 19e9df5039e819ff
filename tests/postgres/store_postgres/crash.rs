//! Killed clients and killed servers: what was acknowledged is there, and nothing else but what was on its way.

use std::{
    env,
    io::{BufRead as _, BufReader, Write as _},
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{task::JoinSet, time::sleep};
use webwise::{MemoryBackend as _, store::Postgres};

use crate::store_postgres::{
    count, counted,
    profile::pick,
    server::{Server, in_schema, new_schema},
    shelf,
};

/// The variable with the URL and the schema of a client that is going to be killed.
const CLIENT: &str = "WEBWISE_STORE_POSTGRES_CLIENT";

/// Writes without end and tells each update that was acknowledged.
async fn client(of: &str) {
    let (url, schema) = of.split_once(' ').expect("the parent says both");
    let store = Postgres::connect_with(url, in_schema(schema))
        .await
        .unwrap();
    let mut out = std::io::stdout();
    loop {
        let committed = store.update(&shelf("kept"), count()).await.unwrap();
        if writeln!(out, "stored {}", committed.generation).is_err() {
            // The parent is gone.
            return;
        }
    }
}

#[tokio::test]
async fn a_killed_client_loses_nothing_that_was_acknowledged() {
    const NAME: &str = "store_postgres::crash::a_killed_client_loses_nothing_that_was_acknowledged";
    if let Ok(of) = env::var(CLIENT) {
        return client(&of).await;
    }
    let (server, schema) = (Server::shared(), new_schema());
    let store = server.open(&schema).await;
    let (kills, mut told) = (pick(10, 100), 0);
    for kill in 0..kills {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", NAME, "--nocapture"])
            .env(CLIENT, format!("{} {schema}", server.url("postgres", "")))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let acknowledged = |line: std::io::Result<String>| -> Option<u64> {
            line.unwrap().strip_prefix("stored ")?.parse().ok()
        };
        let mut here = 0;
        while here <= kill % 7 {
            let line = lines.next().expect("the client writes until it is killed");
            if let Some(generation) = acknowledged(line) {
                (told, here) = (generation, here + 1);
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        told = lines.filter_map(acknowledged).last().unwrap_or(told);
        // The last update may have been on its way.
        let stored = counted(&store, &shelf("kept")).await;
        assert!(
            (told..=told + 1).contains(&stored),
            "{told} told, {stored} stored"
        );
    }
    figure!("store_postgres: {kills} clients killed, {told} updates acknowledged, 0 of them lost");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_server_loses_nothing_that_was_acknowledged() {
    let (mut server, schema) = (Server::start(true), new_schema());
    let (mut stored, mut in_all) = (0, 0);
    let signals = ["KILL", "QUIT"].repeat(pick(1, 5));
    for signal in &signals {
        let store = server.open(&schema).await;
        let acknowledged = Arc::new(AtomicU64::new(0));
        let mut writers = JoinSet::new();
        for _ in 0..3 {
            let (store, acknowledged) = (store.clone(), Arc::clone(&acknowledged));
            writers.spawn(async move {
                while store.update(&shelf("kept"), count()).await.is_ok() {
                    acknowledged.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        while acknowledged.load(Ordering::SeqCst) < 20 {
            sleep(Duration::from_millis(1)).await;
        }
        server = tokio::task::spawn_blocking({
            let signal = *signal;
            move || {
                server.restart(signal);
                server
            }
        })
        .await
        .unwrap();
        // A writer may have begun again before all connections were lost.
        writers.abort_all();
        while writers.join_next().await.is_some() {}
        let acknowledged = acknowledged.load(Ordering::SeqCst);
        // The handle connects again by itself.
        let now = counted(&store, &shelf("kept")).await;
        let least = stored + acknowledged;
        assert!(
            (least..=least + 3).contains(&now),
            "{signal}: {least} acknowledged, {now} stored"
        );
        (stored, in_all) = (now, in_all + acknowledged);
    }
    figure!(
        "store_postgres: {} servers killed, {in_all} updates acknowledged, 0 of them lost",
        signals.len()
    );
}
