//! Reads and writes the files of a folder `.agent-memory` in its documented layout.

use std::{
    collections::BTreeMap,
    fmt::Display,
    fs, io,
    io::{Read as _, Write as _},
    path::Path,
};

use super::transfer::{create, incomplete};
use crate::{
    cli::Refusal,
    memory::{
        agent_memory::{MAX_BYTES, MAX_FILES, is_read},
        archive,
    },
};

/// Maximum number of path components of a file in the folder. Source: the documented layout.
const MAX_DEPTH: usize = 4;

/// Reads the files of a folder. Returns their contents by their paths relative to the folder, with `/` as separator. Files
/// whose content is not needed are included with empty content.
pub(super) fn read(dir: &Path) -> Result<BTreeMap<String, Vec<u8>>, Refusal> {
    let mut files = BTreeMap::new();
    let mut room = archive::MAX_BYTES;
    add(dir, "", 1, &mut room, &mut files)?;
    Ok(files)
}

fn add(
    dir: &Path,
    prefix: &str,
    depth: usize,
    room: &mut usize,
    files: &mut BTreeMap<String, Vec<u8>>,
) -> Result<(), Refusal> {
    let fail = |path: &Path, why: &dyn Display| {
        Refusal::usage(format!("{} cannot be read: {why}", path.display()))
    };
    for entry in fs::read_dir(dir).map_err(|error| fail(dir, &error))? {
        let path = entry.map_err(|error| fail(dir, &error))?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            return Err(fail(&path, &"its name is not UTF-8"));
        };
        let own = format!("{prefix}{name}");
        // Links are not followed: whoever made the folder could make them lead anywhere.
        let kind = path
            .symlink_metadata()
            .map_err(|error| fail(&path, &error))?
            .file_type();
        if kind.is_dir() && depth < MAX_DEPTH {
            add(&path, &format!("{own}/"), depth + 1, room, files)?;
            continue;
        }
        if files.len() >= MAX_FILES {
            return Err(fail(dir, &format!("it has more than {MAX_FILES} files")));
        }
        let mut bytes = Vec::new();
        if is_read(&own) {
            if !kind.is_file() {
                return Err(fail(&path, &"it is not a file"));
            }
            let file = fs::File::open(&path).map_err(|error| fail(&path, &error))?;
            let most = MAX_BYTES.min(*room);
            file.take(most as u64 + 1)
                .read_to_end(&mut bytes)
                .map_err(|error| fail(&path, &error))?;
            if bytes.len() > most {
                return Err(fail(&path, &"it, or the folder up to it, is too large"));
            }
            *room -= bytes.len();
        }
        files.insert(own, bytes);
    }
    Ok(())
}

/// Writes files into a new folder that only its owner can read. `files` maps paths relative to the folder to contents.
pub(super) fn write(dir: &Path, files: &BTreeMap<String, String>) -> Result<(), Refusal> {
    make(dir, false).map_err(|error| {
        Refusal::usage(format!(
            "{} cannot be written ({error}): name a folder that is not there yet",
            dir.display()
        ))
    })?;
    let domains = dir.join("domains");
    make(&domains, true).map_err(|error| incomplete(dir, &domains, &error))?;
    for (name, text) in files {
        let path = dir.join(name);
        let parent = path.parent().unwrap_or(dir);
        make(parent, true)
            .and_then(|()| create(&path))
            .and_then(|mut file| {
                file.write_all(text.as_bytes())
                    .and_then(|()| file.sync_all())
            })
            .map_err(|error| incomplete(dir, &path, &error))?;
    }
    Ok(())
}

/// Creates a folder that only its owner can read. With `parents`, also creates missing parents, and the folder may exist
/// already.
fn make(dir: &Path, parents: bool) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(parents);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_was_tried_once_its_folder_is_there() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("new");
        // The second file cannot be written, because its folder is the first file.
        let files = ["a", "a/b"].map(|name| (name.to_owned(), String::new()));
        for (code, advice) in [(1, "delete"), (2, "name a folder")] {
            let refusal = write(&dir, &files.clone().into()).unwrap_err();
            assert_eq!(refusal.code(), code);
            assert!(refusal.sentence().contains(advice), "{refusal:?}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_cannot_be_read_is_not_said_to_be_for_an_import() {
        use std::os::unix::ffi::OsStrExt as _;

        let dir = tempfile::tempdir().unwrap();
        let name = std::ffi::OsStr::from_bytes(b"\xff");
        fs::write(dir.path().join(name), "").unwrap();
        let refusal = read(dir.path()).unwrap_err();
        let said = refusal.sentence();
        assert!(
            said.ends_with("cannot be read: its name is not UTF-8"),
            "{said}"
        );
    }
}
