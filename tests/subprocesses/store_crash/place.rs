//! Where the stores of these tests are.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A folder in memory where the system has one: a kill does not care where a file is, and memory needs no patience.
pub(crate) fn in_memory() -> TempDir {
    let memory = Path::new("/dev/shm");
    if let Ok(place) = tempfile::tempdir_in(memory) {
        return place;
    }
    on_disk()
}

/// A folder where files usually are.
pub(crate) fn on_disk() -> TempDir {
    tempfile::tempdir().expect("there is a folder for temporary files")
}

/// Every file below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(folder) else {
            continue;
        };
        for entry in entries.flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(entry.path()),
                _ => files.push(entry.path()),
            }
        }
    }
    files.sort();
    files
}

/// The file of the shelf that is counted.
pub(crate) fn shelf_file(root: &Path) -> PathBuf {
    root.join("default/counted.json")
}

/// Whether a file of this name was begun and not finished.
pub(crate) fn is_temporary(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "tmp")
}

/// Leaves what a killed writer leaves; there is no process of this number.
pub(crate) fn litter(root: &Path) {
    let left = format!("default/counted.json.{}-0123456789abcdef.tmp", i32::MAX);
    std::fs::write(root.join(left), b"{\"format\": \"webwise-sh").expect("the folder is ours");
}
