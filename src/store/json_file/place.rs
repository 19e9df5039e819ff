//! The paths of a shelf's files below the root.
//!
//! ```text
//! <namespace>/<collection>.json                       the file of a shelf for all sites
//! <namespace>/domains/<host>/<collection>.json        the file of a shelf of one host
//! <namespace>/quarantine/                             broken files of the namespace; they stay with their namespace and
//!                                                     are deleted with it, because it may belong to one tenant
//! locks/00..3f                                        the lock files; the hash of a shelf decides which one it uses; they
//!                                                     are never renamed or deleted
//! ```
//!
//! Beside a shelf's file, there can be its backup (`<collection>.json.bak`), copies in older versions of the format
//! (`<collection>.json.v<N>.bak`), and temporary files while the shelf is written (`<collection>.json.<pid>-<random>.tmp`).

use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::{
    failure::Failure,
    host_name::{self, component, is_device},
};
use crate::memory::{Namespace, Scope, Shelf};

pub(super) const LOCKS: &str = "locks";
pub(super) const DOMAINS: &str = "domains";
pub(super) const JSON: &str = ".json";
pub(super) const TEMP: &str = ".tmp";
/// Number of lock files for shelves. Source: chosen; with 64 lock files, two shelves that are written at the same time
/// rarely share one.
pub(super) const STRIPES: u8 = 64;
/// Maximum length of a collection's name. Unit: bytes. Source: chosen.
const MAX_COLLECTION: usize = 64;

#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) dir: PathBuf,
    pub(super) name: String,
    pub(super) quarantine: PathBuf,
    pub(super) quarantine_prefix: String,
    /// The number of the lock file that the shelf uses, from 0 to [`STRIPES`] - 1. Several shelves may share a lock
    /// file.
    pub(super) stripe: u8,
}

impl Place {
    pub(super) fn of(shelf: &Shelf) -> Result<Self, Failure> {
        if !is_collection(&shelf.collection) {
            return Err(Failure::Name(
                "a collection is 1 to 64 of a-z, 0-9, _ and -, and no name of a device",
            ));
        }
        let namespace = namespace_dir(&shelf.namespace);
        let (dir, scope) = match &shelf.scope {
            Scope::Global => (namespace.clone(), None),
            Scope::Host(host) => (
                namespace.join(DOMAINS).join(host_name::encode(host)),
                Some(host.as_str()),
            ),
        };
        // Only the host could contain a NUL, and the host comes last. So different shelves never have the same identity.
        let scope = scope.map_or_else(String::new, |host| format!("\0{host}"));
        let identity = format!("{}\0{}{scope}", shelf.namespace.as_str(), shelf.collection);
        let hash = Sha256::digest(identity.as_bytes());
        Ok(Self {
            dir,
            name: format!("{}{JSON}", shelf.collection),
            quarantine: namespace.join("quarantine"),
            quarantine_prefix: format!("{}-{}-", shelf.collection, hex(&hash[..8])),
            stripe: hash[0] % STRIPES,
        })
    }

    pub(super) fn file(&self) -> PathBuf {
        self.dir.join(&self.name)
    }

    /// Returns the path of the shelf's backup. The backup contains the state of the shelf before its last change, or the
    /// present state if this change left no record or replaced a broken or missing file.
    pub(super) fn backup(&self) -> PathBuf {
        self.dir.join(format!("{}.bak", self.name))
    }

    /// Returns the path of a copy of the shelf's file in an older version of the format.
    pub(super) fn old_version(&self, version: u64) -> PathBuf {
        self.dir.join(format!("{}.v{version}.bak", self.name))
    }

    pub(super) fn temp(&self) -> PathBuf {
        self.dir.join(format!(
            "{}.{}-{}{TEMP}",
            self.name,
            std::process::id(),
            Uuid::new_v4().simple()
        ))
    }

    /// Returns the id of the process that wrote the temporary file `name` of this shelf. Returns `None` if no temporary
    /// file of this shelf has such a name.
    pub(super) fn writer_of(&self, name: &str) -> Option<u32> {
        let middle = name
            .strip_prefix(&self.name)?
            .strip_prefix('.')?
            .strip_suffix(TEMP)?;
        middle.split_once('-')?.0.parse().ok()
    }

    pub(super) fn owns(&self, name: &str) -> bool {
        name.strip_prefix(&self.name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    pub(super) fn lock(&self) -> PathBuf {
        Path::new(LOCKS).join(format!("{:02x}", self.stripe))
    }
}

/// Returns the folder of a namespace. The namespace `locks` gets another name, because `locks` is the folder of the
/// lock files.
fn namespace_dir(namespace: &Namespace) -> PathBuf {
    let name = component(namespace.as_str());
    if name == LOCKS {
        PathBuf::from("_6cocks")
    } else {
        PathBuf::from(name)
    }
}

/// Returns the collection of a shelf, given the name of the shelf's file. Returns `None` if no shelf's file can have
/// this name.
pub(super) fn collection_of(file: &str) -> Option<&str> {
    file.strip_suffix(JSON).filter(|name| is_collection(name))
}

/// Returns the shelf that is stored at this path. Returns `None` if no shelf can be stored there, or if the path
/// contains a shortened name of a namespace or host.
pub(super) fn shelf_of(path: &Path) -> Option<Shelf> {
    let parts: Vec<&str> = path
        .iter()
        .map(|part| part.to_str())
        .collect::<Option<_>>()?;
    let (namespace, host, file) = match parts[..] {
        [namespace, file] => (namespace, None, file),
        [namespace, DOMAINS, host, file] => (namespace, Some(host), file),
        _ => return None,
    };
    let namespace = Namespace::parse(&host_name::plain(namespace)?).ok()?;
    let collection = collection_of(file)?;
    let shelf = match host {
        None => Shelf::global(&namespace, collection),
        Some(host) => Shelf::host(&namespace, collection, &host_name::decode(host)?),
    };
    (Place::of(&shelf).ok()?.file() == path).then_some(shelf)
}

fn is_collection(name: &str) -> bool {
    let is_plain = |b: u8| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
    (1..=MAX_COLLECTION).contains(&name.len()) && name.bytes().all(is_plain) && !is_device(name)
}

pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn global(namespace: &str, collection: &str) -> Result<Place, Failure> {
        Place::of(&Shelf::global(
            &Namespace::parse(namespace).unwrap(),
            collection,
        ))
    }

    #[test]
    fn namespaces_never_meet_the_locks_or_each_other() {
        let dirs: Vec<PathBuf> = ["locks", "LOCKS", "a", "A", "con", "a_b"]
            .map(|n| global(n, "c").unwrap().dir)
            .to_vec();
        let names: Vec<&str> = dirs.iter().map(|dir| dir.to_str().unwrap()).collect();
        assert_eq!(
            names,
            ["_6cocks", "_4c_4f_43_4b_53", "a", "_41", "_63on", "a_5fb"]
        );
    }

    #[test]
    fn the_path_of_a_file_names_its_shelf() {
        let host = |text: &str| serde_json::from_value(text.into()).unwrap();
        for namespace in ["default", "locks", "A"] {
            let namespace = Namespace::parse(namespace).unwrap();
            for shelf in [
                Shelf::global(&namespace, "lessons"),
                Shelf::host(&namespace, "lessons", &host("http://127.0.0.1:8000")),
            ] {
                let file = Place::of(&shelf).unwrap().file();
                assert_eq!(shelf_of(&file), Some(shelf));
            }
        }
        for other in [
            "a.json",
            "default/x/a.json",
            "A/lessons.json",
            "default/A.json",
        ] {
            assert_eq!(shelf_of(Path::new(other)), None, "{other}");
        }
    }

    #[test]
    fn a_collection_is_a_plain_word() {
        for bad in [
            "",
            "..",
            "a/b",
            "A",
            "a.b",
            "con",
            "lpt1",
            "ä",
            &"a".repeat(65),
        ] {
            assert!(
                matches!(global("default", bad), Err(Failure::Name(_))),
                "{bad}"
            );
        }
        assert_eq!(
            global("default", "lessons").unwrap().file(),
            Path::new("default/lessons.json")
        );
    }

    #[test]
    fn the_name_of_a_file_that_is_being_written_tells_its_writer() {
        let place = global("default", "lessons").unwrap();
        let temp = place.temp();
        let name = temp.file_name().unwrap().to_str().unwrap();
        assert_eq!(place.writer_of(name), Some(std::process::id()));
        assert_ne!(place.temp(), temp, "each is another");
        for other in [
            "lessons.json",
            "lessons.json.bak",
            "lessons.json.tmp",
            "lessons2.json.7-x.tmp",
            "x.json.7-x.tmp",
        ] {
            assert_eq!(place.writer_of(other), None, "{other}");
        }
    }

    #[test]
    fn the_lock_of_a_shelf_is_the_same_in_every_process() {
        assert_eq!(
            global("default", "lessons").unwrap().lock(),
            Path::new("locks/3f")
        );
    }
}
