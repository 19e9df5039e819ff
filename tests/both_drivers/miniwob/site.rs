//! The pages, served on loopback under any host name: files of one folder, nothing else. A page whose address has an episode,
//! as in `?episode=s1`, begins it by itself.
#![allow(dead_code, reason = "each target uses its own part")]

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Component, Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
    time::timeout,
};
use webwise::browser::ProgramPlaces;

/// Where the pages are in webwise's own folder; the example `test_beds` brings them.
const PAGES: &str = "miniwob/1.1.0/miniwob/html";

/// How long a client may take to say what it wants. Unit: time. Source: chosen.
const PATIENCE: Duration = Duration::from_secs(10);

/// A server of a folder's files; it ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Site {
    address: SocketAddr,
    serving: JoinHandle<()>,
}

impl Site {
    /// A server of the pages of MiniWoB++.
    pub(crate) async fn miniwob() -> Self {
        let places = ProgramPlaces::from_env();
        let own = places
            .installation_folder()
            .and_then(Path::parent)
            .expect("HOME or WEBWISE_HOME is set");
        let folder = own.join(PAGES);
        assert!(
            folder.is_dir(),
            "the pages of MiniWoB++ are not in {}: run `cargo run --features full --example test_beds` first",
            folder.display()
        );
        Self::start(folder).await
    }

    pub(crate) async fn start(folder: PathBuf) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .await
            .expect("a free port on loopback");
        let address = listener.local_addr().expect("the port is known");
        let folder: Arc<Path> = folder.into();
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let folder = Arc::clone(&folder);
                // A client that goes away in the middle is no concern of the others.
                tokio::spawn(async move { timeout(PATIENCE, answer(stream, &folder)).await });
            }
        });
        Self { address, serving }
    }

    /// The address of a file under this host name, of which every one under `localhost` leads here.
    pub(crate) fn url(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}/{path}", self.address.port())
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn answer(stream: TcpStream, folder: &Path) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut first = String::new();
    stream.read_line(&mut first).await?;
    let mut line = String::from("-");
    while !line.trim().is_empty() {
        line.clear();
        if stream.read_line(&mut line).await? == 0 {
            break;
        }
    }
    let asked = first.split(' ').nth(1).unwrap_or("/");
    let (asked, query) = asked.split_once('?').unwrap_or((asked, ""));
    let path = Path::new(asked.trim_start_matches('/'));
    let is_inside = path
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    let found = if is_inside {
        tokio::fs::read(folder.join(path)).await.ok()
    } else {
        None
    };
    let (status, mut body) = found.map_or(("404 Not Found", Vec::new()), |body| ("200 OK", body));
    if let Some(seed) = query.strip_prefix("episode=") {
        body.extend(begins(seed).as_bytes());
    }
    // The scripts are the same for all tasks, so that a browser reads them once for each host.
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: max-age=3600\r\nConnection: close\r\n\r\n",
        kind(path),
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(&body).await?;
    stream.flush().await
}

/// What a page runs last to begin the episode of this seed, without an end by time.
fn begins(seed: &str) -> String {
    let seed = serde_json::Value::from(seed);
    format!(
        "<script>addEventListener('load', () => {{ Math.seedrandom({seed}); core.EPISODE_MAX_TIME = 1e9; core.startEpisodeReal(); }});</script>"
    )
}

fn kind(path: &Path) -> &'static str {
    match path.extension().and_then(|end| end.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("png") => "image/png",
        Some("gif") => "image/gif",
        Some("woff") => "font/woff",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    }
}
