//! A widget: a page, its dead twin, and what is done on both.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use webwise::browser::ProgramPlaces;

/// Begins a line of an action that only leads to the others: what comes of it is not counted.
const LEADING: &str = "_ ";

/// One thing to do.
#[derive(Debug, Clone)]
pub(crate) struct Act {
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    /// True if the verdict on it counts.
    pub(crate) counts: bool,
}

/// A page with a widget.
#[derive(Debug, Clone)]
pub(crate) struct Widget {
    /// The folder and the file's name.
    pub(crate) name: String,
    pub(crate) acts: Vec<Act>,
    /// The page without what all pages begin with.
    pub(crate) body: String,
}

impl Widget {
    /// All widgets, by folder and name.
    pub(crate) fn all() -> Vec<Self> {
        let folder =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/both_drivers/effects/widgets");
        let mut files: Vec<PathBuf> = entries(&folder).iter().flat_map(|f| entries(f)).collect();
        files.sort();
        files.iter().map(|file| Self::read(&folder, file)).collect()
    }

    /// Reads a page. It begins with a comment that has an action in each line: a tool and its arguments as JSON.
    fn read(folder: &Path, file: &Path) -> Self {
        let name = file.strip_prefix(folder).expect("a file in it");
        let name = name.with_extension("").display().to_string();
        let text = fs::read_to_string(file).expect("a page");
        let parts = text
            .strip_prefix("<!--")
            .and_then(|rest| rest.split_once("-->"));
        let (lines, body) = parts.unwrap_or_else(|| panic!("{name} begins with no actions"));
        let acts = lines.trim().lines().map(|line| {
            let (rest, counts) = match line.strip_prefix(LEADING) {
                Some(rest) => (rest, false),
                None => (line, true),
            };
            let parts = rest.split_once(' ');
            let (tool, arguments) = parts.unwrap_or_else(|| panic!("{name}: {line}"));
            Act {
                tool: tool.to_owned(),
                arguments: serde_json::from_str(arguments)
                    .unwrap_or_else(|error| panic!("{name}: {line}: {error}")),
                counts,
            }
        });
        Self {
            acts: acts.collect(),
            body: body.to_owned(),
            name,
        }
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries
        .map(|entry| entry.expect("its name").path())
        .collect()
}

/// The folder of the libraries' packages; the example `test_beds` brings them.
pub(crate) fn packages() -> PathBuf {
    let places = ProgramPlaces::from_env();
    let own = places.installation_folder().and_then(Path::parent);
    let folder = own.expect("HOME or WEBWISE_HOME is set").join("widgets/1");
    assert!(
        folder.is_dir(),
        "{} is not there: run `cargo run --features full --example test_beds` first",
        folder.display()
    );
    folder
}
