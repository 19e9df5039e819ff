//! What is on a simulated disk, and what of it is durable.

use std::{
    collections::BTreeMap,
    io,
    ops::Bound,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use webwise::store::{FsEntry, FsKind};

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// A file, by its number.
    File(usize),
    Dir,
}

impl Node {
    pub(super) const fn inode(&self) -> Option<usize> {
        match self {
            Self::File(inode) => Some(*inode),
            Self::Dir => None,
        }
    }
}

/// A file: names come and go, it stays.
#[derive(Debug, Clone)]
pub(super) struct File {
    pub(super) now: Arc<Vec<u8>>,
    /// What a power cut leaves for certain; `None` as long as that is open, with the content before.
    pub(super) durable: Option<Arc<Vec<u8>>>,
    pub(super) before: Arc<Vec<u8>>,
    changed: Duration,
}

/// A change of names that happens as a whole or not at all, once the power fails.
#[derive(Debug, Clone)]
pub(super) struct Rename {
    pub(super) effects: Vec<(PathBuf, Option<Node>)>,
    /// Folders that were not synced since.
    unsynced: Vec<PathBuf>,
}

impl Rename {
    fn touches(&self, other: &Self) -> bool {
        self.effects
            .iter()
            .any(|(path, _)| other.effects.iter().any(|(theirs, _)| theirs == path))
    }
}

/// Files, names, and what a power cut could take of both.
#[derive(Debug, Clone, Default)]
pub(crate) struct Disk {
    pub(super) files: Vec<File>,
    pub(super) names: BTreeMap<PathBuf, Node>,
    /// The names that a power cut leaves for certain.
    pub(super) durable: BTreeMap<PathBuf, Node>,
    /// What happened to names since, oldest first.
    pub(super) pending: Vec<Rename>,
    /// Where something was moved to last.
    target: Option<PathBuf>,
    now: Duration,
}

fn error(kind: io::ErrorKind) -> io::Error {
    kind.into()
}

fn parent(path: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).to_owned()
}

impl Disk {
    /// Lets time pass.
    pub(crate) fn wait(&mut self, time: Duration) {
        self.now += time;
    }

    /// All files with their names and what programs see in them, in order.
    pub(crate) fn contents(&self) -> impl Iterator<Item = (&Path, &Arc<Vec<u8>>)> {
        self.names.iter().filter_map(|(path, node)| match node {
            Node::File(inode) => Some((&**path, &self.files[*inode].now)),
            Node::Dir => None,
        })
    }

    /// Where something was moved to last.
    pub(crate) fn last_target(&self) -> Option<&Path> {
        self.target.as_deref()
    }

    /// Puts other bytes into a file, in place, as a program does that opens it truncated. Not durable before it is synced.
    pub(crate) fn overwrite(&mut self, path: &Path, bytes: &[u8]) -> io::Result<usize> {
        let inode = match self.names.get(path) {
            Some(Node::File(inode)) => *inode,
            Some(Node::Dir) => return Err(error(io::ErrorKind::IsADirectory)),
            None => self.create_new(path)?,
        };
        let (before, now) = (Arc::clone(&self.files[inode].now), self.now);
        let durable = None;
        self.files[inode] = File {
            now: Arc::new(bytes.to_vec()),
            durable,
            before,
            changed: now,
        };
        Ok(inode)
    }

    /// Puts a new file with these bytes into the place of a file, as an editor does. Durable at once.
    pub(crate) fn replace(&mut self, path: &Path, bytes: &[u8]) -> usize {
        let bytes = Arc::new(bytes.to_vec());
        let (now, before) = (Arc::clone(&bytes), Arc::clone(&bytes));
        self.files.push(File {
            now,
            durable: Some(bytes),
            before,
            changed: self.now,
        });
        let inode = self.files.len() - 1;
        self.pending
            .retain(|pending| !pending.effects.iter().any(|(other, _)| other == path));
        self.names.insert(path.to_owned(), Node::File(inode));
        self.durable.insert(path.to_owned(), Node::File(inode));
        inode
    }

    /// Takes away what was put aside, as a person does.
    pub(crate) fn clear_quarantine(&mut self) {
        let is_kept = |path: &Path, node: &Node| {
            *node == Node::Dir || !path.iter().any(|part| part == "quarantine")
        };
        self.pending.retain(|pending| {
            pending
                .effects
                .iter()
                .all(|(path, _)| is_kept(path, &Node::File(0)))
        });
        self.names.retain(|path, node| is_kept(path, node));
        self.durable.retain(|path, node| is_kept(path, node));
    }

    /// Makes what programs see in a file durable.
    pub(crate) fn flush(&mut self, inode: usize) {
        self.sync(inode);
    }

    pub(super) fn create_dir(&mut self, dir: &Path) -> io::Result<()> {
        let all: Vec<&Path> = dir
            .ancestors()
            .filter(|dir| !dir.as_os_str().is_empty())
            .collect();
        for dir in all.into_iter().rev() {
            if let Some(Node::File(_)) = self.names.insert(dir.to_owned(), Node::Dir) {
                return Err(error(io::ErrorKind::NotADirectory));
            }
            self.pending
                .retain(|pending| pending.effects != [(dir.to_owned(), None)]);
            self.durable.insert(dir.to_owned(), Node::Dir);
        }
        Ok(())
    }

    pub(super) fn create_new(&mut self, path: &Path) -> io::Result<usize> {
        self.has_dir(&parent(path))?;
        if self.names.contains_key(path) {
            return Err(error(io::ErrorKind::AlreadyExists));
        }
        let empty = Arc::new(Vec::new());
        let durable = Some(Arc::clone(&empty));
        self.files.push(File {
            now: Arc::clone(&empty),
            durable,
            before: empty,
            changed: self.now,
        });
        let inode = self.files.len() - 1;
        self.happen(vec![(path.to_owned(), Some(Node::File(inode)))]);
        Ok(inode)
    }

    /// A lock file holds nothing, so that it does not matter whether it survives: it is durable at once.
    pub(super) fn create_lock(&mut self, path: &Path) -> io::Result<()> {
        self.has_dir(&parent(path))?;
        if !self.names.contains_key(path) {
            let inode = self.create_new(path)?;
            self.pending.pop();
            self.durable.insert(path.to_owned(), Node::File(inode));
        }
        Ok(())
    }

    pub(super) fn append(&mut self, inode: usize, bytes: &[u8]) {
        let file = &mut self.files[inode];
        if let Some(durable) = file.durable.take() {
            file.before = durable;
        }
        file.now = Arc::new([&file.now[..], bytes].concat());
        file.changed = self.now;
    }

    pub(super) fn sync(&mut self, inode: usize) {
        let file = &mut self.files[inode];
        file.durable = Some(Arc::clone(&file.now));
    }

    pub(super) fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>> {
        let file = &self.files[self.file(path)?];
        if file.now.len() as u64 > max {
            return Err(error(io::ErrorKind::FileTooLarge));
        }
        Ok(file.now.to_vec())
    }

    pub(super) fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let inode = self.file(from)?;
        self.has_dir(&parent(to))?;
        match self.names.get(to) {
            Some(Node::Dir) => return Err(error(io::ErrorKind::IsADirectory)),
            // Two names of one file: both stay.
            Some(Node::File(other)) if *other == inode => return Ok(()),
            _ => {}
        }
        self.happen(vec![
            (from.to_owned(), None),
            (to.to_owned(), Some(Node::File(inode))),
        ]);
        self.target = Some(to.to_owned());
        Ok(())
    }

    pub(super) fn link(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let inode = self.file(from)?;
        self.has_dir(&parent(to))?;
        if self.names.contains_key(to) {
            return Err(error(io::ErrorKind::AlreadyExists));
        }
        self.happen(vec![(to.to_owned(), Some(Node::File(inode)))]);
        Ok(())
    }

    pub(super) fn unlink(&mut self, path: &Path) -> io::Result<()> {
        self.file(path)?;
        self.happen(vec![(path.to_owned(), None)]);
        Ok(())
    }

    pub(super) fn remove_dir(&mut self, dir: &Path) -> io::Result<()> {
        self.has_dir(dir)?;
        if self.below(dir).next().is_some() {
            return Err(error(io::ErrorKind::DirectoryNotEmpty));
        }
        self.happen(vec![(dir.to_owned(), None)]);
        Ok(())
    }

    pub(super) fn sync_dir(&mut self, dir: &Path) -> io::Result<()> {
        self.has_dir(dir)?;
        for pending in &mut self.pending {
            pending.unsynced.retain(|unsynced| unsynced != dir);
        }
        // What concerns two folders is durable when both were synced, and with it what came before it on the same names.
        let mut durable = vec![false; self.pending.len()];
        for at in (0..self.pending.len()).rev() {
            let later = (at + 1..self.pending.len())
                .any(|other| durable[other] && self.pending[at].touches(&self.pending[other]));
            durable[at] = later || self.pending[at].unsynced.is_empty();
        }
        let mut durable = durable.into_iter();
        for rename in self
            .pending
            .extract_if(.., |_| durable.next() == Some(true))
        {
            for (path, node) in rename.effects {
                apply(&mut self.durable, path, node);
            }
        }
        Ok(())
    }

    pub(super) fn list(&self, dir: &Path) -> Vec<FsEntry> {
        let inside = self
            .below(dir)
            .filter(|(path, _)| path.parent() == Some(dir));
        let entry = |(path, node): (&PathBuf, &Node)| {
            let (kind, size, changed) = match node {
                Node::File(inode) => {
                    let file = &self.files[*inode];
                    (FsKind::File, file.now.len() as u64, file.changed)
                }
                Node::Dir => (FsKind::Dir, 0, self.now),
            };
            let name = path
                .file_name()
                .expect("it was made with a name")
                .to_string_lossy()
                .into_owned();
            FsEntry {
                name,
                kind,
                size,
                age: self.now.saturating_sub(changed),
            }
        };
        inside.map(entry).collect()
    }

    /// Everything below a folder; it is sorted, so it stands together.
    fn below<'a>(&'a self, dir: &'a Path) -> impl Iterator<Item = (&'a PathBuf, &'a Node)> {
        let after = self
            .names
            .range::<Path, _>((Bound::Excluded(dir), Bound::Unbounded));
        after.take_while(move |(path, _)| path.starts_with(dir))
    }

    fn file(&self, path: &Path) -> io::Result<usize> {
        match self.names.get(path) {
            Some(Node::File(inode)) => Ok(*inode),
            Some(Node::Dir) => Err(error(io::ErrorKind::IsADirectory)),
            None => Err(error(io::ErrorKind::NotFound)),
        }
    }

    fn has_dir(&self, dir: &Path) -> io::Result<()> {
        if dir.as_os_str().is_empty() || self.names.get(dir) == Some(&Node::Dir) {
            return Ok(());
        }
        Err(error(io::ErrorKind::NotFound))
    }

    /// Changes names, for programs now and for the disk later.
    fn happen(&mut self, effects: Vec<(PathBuf, Option<Node>)>) {
        for (path, node) in &effects {
            apply(&mut self.names, path.clone(), *node);
        }
        let mut unsynced: Vec<PathBuf> = effects.iter().map(|(path, _)| parent(path)).collect();
        unsynced.dedup();
        self.pending.push(Rename { effects, unsynced });
    }

    /// A disk after the power came back: this and nothing else is on it.
    pub(super) fn left(
        names: BTreeMap<PathBuf, Node>,
        contents: &BTreeMap<usize, Arc<Vec<u8>>>,
        now: Duration,
    ) -> Self {
        let mut disk = Self {
            now,
            ..Self::default()
        };
        let mut numbers = BTreeMap::new();
        for (path, node) in names {
            let node = match node {
                Node::Dir => Node::Dir,
                Node::File(inode) => Node::File(*numbers.entry(inode).or_insert_with(|| {
                    let content = contents.get(&inode).map(Arc::clone).unwrap_or_default();
                    disk.files.push(File {
                        now: Arc::clone(&content),
                        durable: Some(Arc::clone(&content)),
                        before: content,
                        changed: now,
                    });
                    disk.files.len() - 1
                })),
            };
            disk.durable.insert(path.clone(), node);
            disk.names.insert(path, node);
        }
        disk
    }

    pub(super) const fn time(&self) -> Duration {
        self.now
    }
}

pub(super) fn apply(names: &mut BTreeMap<PathBuf, Node>, path: PathBuf, node: Option<Node>) {
    match node {
        Some(node) => names.insert(path, node),
        None => names.remove(&path),
    };
}
