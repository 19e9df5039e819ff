//! PostgreSQL servers of the tests' own: on a socket in a temporary folder, without a port. They end with this process, also when it is
//! killed.

use std::{
    env,
    ffi::OsStr,
    fs::{self, File},
    io::Write as _,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use sqlx::{Connection as _, PgConnection};
use webwise::{
    browser::ProgramPlaces,
    store::{Postgres, PostgresOptions},
};

#[path = "../../../examples/test_beds/postgres.rs"]
mod programs;

/// How long a start may take. Source: chosen; an idle machine needs 1 s.
const START: Duration = Duration::from_mins(1);
/// How often it is looked for. Source: chosen.
const LOOK: Duration = Duration::from_millis(10);
/// The user as whom a server runs if the tests run as root, which PostgreSQL refuses. Source: `nobody` on Linux.
const NOBODY: u32 = 65_534;
/// The name under which a server listens in its folder, which ends with the port that clients expect.
pub(crate) const SOCKET: &str = ".s.PGSQL.5432";

/// The file in which a server says how far its start has come.
const STATUS: &str = "postmaster.pid";

/// A script that runs the server until its standard input has a line or ends. A line is a signal for the server, and the folder stays. At
/// the end, this process is gone or does not need the server any more, and the folder is removed as well.
const KEEPER: &str = r#"folder=$1; shift; "$@" & server=$!
if read -r signal; then kill "-$signal" $server; wait $server; else kill -QUIT $server; wait $server; rm -rf "$folder"; fi"#;

/// A server. Clients are let in without a password, except the user `guarded`.
#[derive(Debug)]
pub(crate) struct Server {
    folder: PathBuf,
    bin: PathBuf,
    is_durable: bool,
    keeper: Child,
}

impl Server {
    /// The server that the tests of this program share. It does not wait for the disk.
    pub(crate) fn shared() -> &'static Self {
        static SHARED: OnceLock<Server> = OnceLock::new();
        SHARED.get_or_init(|| Self::start(false))
    }

    /// Starts a server of its own, which waits for the disk if `is_durable` is true.
    pub(crate) fn start(is_durable: bool) -> Self {
        let folder = tempfile::Builder::new().prefix("webwise-pg-").tempdir();
        let folder = folder.expect("a folder for its data");
        let bin = bin(folder.path());
        own(folder.path());
        let made = as_server_user(bin.join("initdb"))
            .args(["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale"])
            .args(["--no-sync", "-D"])
            .arg(folder.path().join("data"))
            .output()
            .expect("initdb can be started");
        assert!(made.status.success(), "{made:?}");
        // The first line that fits counts.
        let rules = "local all guarded scram-sha-256\nlocal all all trust\n";
        fs::write(folder.path().join("data/pg_hba.conf"), rules).expect("its rules");
        // From here on the keeper removes it.
        let folder = folder.keep();
        let keeper = run(&bin, &folder, is_durable);
        Self {
            folder,
            bin,
            is_durable,
            keeper,
        }
    }

    /// Ends the server by a signal and starts it again with the same data.
    pub(crate) fn restart(&mut self, signal: &str) {
        let mut input = self.keeper.stdin.take().expect("it is piped");
        writeln!(input, "{signal}").expect("the keeper listens");
        self.keeper.wait().expect("it is our child");
        let data = self.folder.join("data");
        wait_until(|| !is_used(&data), || "all its processes end".to_owned());
        // A killed server leaves it behind, and it would pass for that of the next one.
        let _ = fs::remove_file(data.join(STATUS));
        self.keeper = run(&self.bin, &self.folder, self.is_durable);
    }

    /// The folder of the socket.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The URL of the server for a user, with further parameters.
    pub(crate) fn url(&self, user: &str, more: &str) -> String {
        url(&self.folder, user, more)
    }

    /// A handle of a store in a schema.
    pub(crate) async fn open(&self, schema: &str) -> Postgres {
        let url = self.url("postgres", "");
        let connected = Postgres::connect_with(&url, in_schema(schema)).await;
        connected.expect("the server is there")
    }

    /// A connection for what no store does.
    pub(crate) async fn admin(&self) -> PgConnection {
        let connected = PgConnection::connect(&self.url("postgres", "")).await;
        connected.expect("the server is there")
    }

    /// Runs statements.
    pub(crate) async fn sql(&self, sql: &str) {
        let mut admin = self.admin().await;
        let done = sqlx::raw_sql(sqlx::AssertSqlSafe(sql.to_owned()));
        let done = done.execute(&mut admin).await;
        done.unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// The first value that a statement returns, as a number.
    pub(crate) async fn number(&self, sql: &str) -> i64 {
        let mut admin = self.admin().await;
        let number = sqlx::query_scalar(sqlx::AssertSqlSafe(sql.to_owned()));
        let number = number.fetch_one(&mut admin).await;
        number.unwrap_or_else(|error| panic!("{sql}: {error}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        // If this fails, the keeper is already gone.
        let _ = self.keeper.wait();
    }
}

/// The URL of the server whose socket is in this folder.
pub(crate) fn url(folder: &Path, user: &str, more: &str) -> String {
    let folder = folder
        .to_str()
        .expect("a temporary folder has a plain name");
    format!("postgres:///postgres?host={folder}&user={user}{more}")
}

/// Options for a schema.
pub(crate) fn in_schema(schema: &str) -> PostgresOptions {
    let mut options = PostgresOptions::default();
    schema.clone_into(&mut options.schema);
    options
}

/// A schema that no other test uses.
pub(crate) fn new_schema() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    format!("test_{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The folder of the programs, in which the server's user may read.
fn bin(folder: &Path) -> PathBuf {
    if let Some(bin) = programs::of_machine() {
        return bin;
    }
    let places = ProgramPlaces::from_env();
    let home = places.installation_folder().and_then(Path::parent);
    let bin = home.and_then(programs::of_package).expect(
        "PostgreSQL is needed: run `cargo run --features full --example test_beds` first, or put `initdb` and `postgres` on the path",
    );
    if !is_root() {
        return bin;
    }
    // Root's own folders are closed to others.
    let from = bin.parent().expect("the package has other files");
    let copied = Command::new("cp")
        .args(["-a", "--"])
        .arg(from)
        .arg(folder)
        .status();
    assert!(copied.expect("cp is there").success());
    folder.join(from.file_name().expect("a folder")).join("bin")
}

/// Starts the server and waits until it is ready.
fn run(bin: &Path, folder: &Path, is_durable: bool) -> Child {
    let data = folder.join("data");
    let said = folder.join("said.txt");
    let log = File::options().create(true).append(true).open(&said);
    let log = log.expect("a file for what it says");
    let fsync = if is_durable { "fsync=on" } else { "fsync=off" };
    let keeper = as_server_user("sh")
        .args(["-c", KEEPER, "keeper"])
        .args([folder, &bin.join("postgres")])
        .arg("-D")
        .arg(&data)
        .args(["-c", "listen_addresses=", "-c", "max_connections=200", "-c"])
        .arg(format!("unix_socket_directories={}", folder.display()))
        .args(["-c", "shared_buffers=16MB", "-c", fsync])
        .stdin(Stdio::piped())
        .stdout(log.try_clone().expect("the same file"))
        .stderr(log)
        .spawn()
        .expect("sh is there");
    let is_ready = || {
        let status = fs::read_to_string(data.join(STATUS)).unwrap_or_default();
        status.lines().any(|line| line.trim_end() == "ready")
    };
    wait_until(is_ready, || {
        let said = fs::read_to_string(&said).unwrap_or_default();
        format!("PostgreSQL starts, and it said {said}")
    });
    keeper
}

/// Returns true if a process works in this folder, as all processes of a server do in their data.
fn is_used(folder: &Path) -> bool {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|process| fs::read_link(process.path().join("cwd")).ok())
        .any(|at| at == folder)
}

fn wait_until(is_so: impl Fn() -> bool, what: impl Fn() -> String) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < START, "{}", what());
        thread::sleep(LOOK);
    }
}

/// A command that runs as the server's user, with an environment in which nothing changes the server.
fn as_server_user(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    command.envs(env::var_os("PATH").map(|path| ("PATH", path)));
    command.env("LC_ALL", "C");
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

/// Gives the folder and all files in it to the server's user.
fn own(folder: &Path) {
    if is_root() {
        let user = format!("{NOBODY}:{NOBODY}");
        let given = Command::new("chown")
            .args(["-R", &user])
            .arg(folder)
            .status();
        assert!(given.expect("chown is there").success());
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
