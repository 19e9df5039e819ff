//! The snapshot that playwright-cli prints of a page: what an agent reads that is handed the tool and nothing else.

use std::{fs, path::Path, process::Command};

use serde_json::json;
use webwise::browser::ProgramPlaces;

/// A session of the tool in a folder of its own, which ends when it is dropped.
pub(crate) struct Plain {
    folder: tempfile::TempDir,
    places: ProgramPlaces,
}

impl Plain {
    /// A session that shows nothing yet.
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let places = ProgramPlaces::from_env();
        let chromium = places.chromium().expect("Chromium is installed");
        let config = json!({ "browser": {
            "browserName": "chromium",
            "isolated": true,
            "launchOptions": {
                "executablePath": chromium, "headless": true, "chromiumSandbox": false, "args": ["--no-sandbox", "--disable-gpu"],
            },
        }});
        let file = folder.path().join("config.json");
        fs::write(&file, config.to_string()).expect("the configuration is written");
        let plain = Self { folder, places };
        plain.say(&["open", &format!("--config={}", file.display())]);
        plain
    }

    /// The snapshot of a page as it is printed.
    pub(crate) fn snapshot(&self, url: &str) -> String {
        self.say(&["goto", "--", url]);
        let said = self.say(&["snapshot"]);
        assert!(said.contains("### Snapshot"), "{said}");
        said
    }

    fn say(&self, arguments: &[&str]) -> String {
        let tool = self.places.tool().expect("playwright-cli is installed");
        let mut path = vec![
            tool.parent()
                .map(Path::to_owned)
                .expect("it is in a folder"),
        ];
        path.extend(self.places.search_path());
        let output = Command::new(&tool)
            .current_dir(self.folder.path())
            .env("PATH", std::env::join_paths(path).expect("a search path"))
            .args(arguments)
            .output()
            .expect("playwright-cli runs");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {said} {error}");
        said
    }
}

impl Drop for Plain {
    fn drop(&mut self) {
        self.say(&["close"]);
    }
}
