//! Reads the files of a folder `.agent-memory` in its documented layout.

use std::{collections::BTreeMap, fmt::Display, fs, io::Read as _, path::Path};

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

#[cfg(test)]
mod tests {
    use super::*;

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
