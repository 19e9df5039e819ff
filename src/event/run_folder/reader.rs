//! The reader of a run's folder, which returns the events of a file in order.

use std::{
    fs::File,
    io::{BufRead as _, BufReader},
    path::PathBuf,
};

use super::trees;
use crate::{
    base::Result,
    event::{Event, jsonl::io_error},
};

/// An iterator over the events in a file of a run's folder, opened by [`RunFolder::read`](super::RunFolder::read).
#[derive(Debug)]
pub struct RunLines {
    path: PathBuf,
    file: BufReader<File>,
    trees: trees::Reader,
}

impl RunLines {
    pub(super) fn open(path: PathBuf) -> Result<Self> {
        let file = File::open(&path).map_err(|e| io_error(&path, e))?;
        Ok(Self {
            path,
            file: BufReader::new(file),
            trees: trees::Reader::default(),
        })
    }
}

impl Iterator for RunLines {
    type Item = Result<Event>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut line = Vec::new();
        match self.file.read_until(b'\n', &mut line) {
            Ok(0) => None,
            Ok(_) => {
                let event = self.trees.event(&line);
                Some(event.map_err(|error| error.with("path", self.path.display())))
            }
            Err(error) => Some(Err(io_error(&self.path, error))),
        }
    }
}
