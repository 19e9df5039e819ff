//! A program in the place of playwright-cli that writes down all it is given: arguments, environment, standard input, and
//! the scripts that come by file. It shows one page, as the test says.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

/// `DIR` is where it writes; `place` holds what a script reads of the page, `snapshot` the page.
const SCRIPT: &str = r#"{ printf '%s\0' "$@"; printf '\n'; } >> DIR/argv
env >> DIR/env
cat >> DIR/stdin
session=${1#-s=}
page() { printf '### Page\n- Page URL: '; cat DIR/url; printf '\n- Page Title: '; cat DIR/title; printf '\n'; }
case "$2" in
  open) printf '### Browser `%s` opened with pid 4194304.\n' "$session"; page;;
  goto) printf '### Ran Playwright code\n```js\nawait page.goto("x");\n```\n'; page;;
  fill) printf '### Ran Playwright code\n```js\nawait page.locator("x").fill("y");\n```\n';;
  snapshot) page; printf '### Snapshot\n```yaml\n'; cat DIR/snapshot; printf '\n```\n';;
  generate-locator) printf '### Result\ngetByRole("textbox")\n';;
  run-code)
    for word in "$@"; do case "$word" in --filename=*) file=${word#--filename=};; esac; done
    stat -c %a "$file" >> DIR/modes
    cat "$file" >> DIR/scripts
    printf '### Result\n'
    if grep -q 'done: true' "$file"; then cat DIR/typing; else cat DIR/place; fi;;
esac"#;

pub(crate) struct Tool {
    dir: TempDir,
}

impl Tool {
    pub(crate) fn new() -> Self {
        let tool = Self {
            dir: tempfile::Builder::new()
                .prefix("ww")
                .tempdir_in("/tmp")
                .unwrap(),
        };
        let script = SCRIPT.replace("DIR", tool.dir.path().to_str().unwrap());
        // Written by a child: a file that this process holds open for writing, also through the fork of another thread,
        // cannot be started.
        let write = "printf '#!/bin/sh\\n%s\\n' \"$2\" >\"$1\" && chmod 755 \"$1\"";
        assert!(
            Command::new("sh")
                .args(["-c", write, "sh"])
                .arg(tool.program())
                .arg(script)
                .status()
                .unwrap()
                .success()
        );
        fs::create_dir(tool.temp()).unwrap();
        for (file, text) in [
            ("url", "https://shop.example/"),
            ("title", "Sign in"),
            ("typing", r#"{"done":true}"#),
        ] {
            tool.set(file, text);
        }
        tool.at("https://shop.example/", "https://shop.example/");
        tool.set("snapshot", "- textbox \"Word\" [ref=e2]");
        tool
    }

    pub(crate) fn program(&self) -> PathBuf {
        self.dir.path().join("tool")
    }

    /// A folder for what the program's owner makes; short, because sockets are made in it.
    pub(crate) fn temp(&self) -> PathBuf {
        self.dir.path().join("t")
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn set(&self, file: &str, text: &str) {
        fs::write(self.dir.path().join(file), text).unwrap();
    }

    /// Where the field is, as a script will be told.
    pub(crate) fn at(&self, top: &str, frame: &str) {
        self.set(
            "place",
            &serde_json::json!({ "top": top, "frame": frame }).to_string(),
        );
    }

    /// What was written down in a file; nothing if nothing was.
    pub(crate) fn wrote(&self, file: &str) -> Vec<u8> {
        fs::read(self.dir.path().join(file)).unwrap_or_default()
    }

    pub(crate) fn forget(&self) {
        for file in ["argv", "env", "stdin", "scripts", "modes"] {
            let _ = fs::remove_file(self.dir.path().join(file));
        }
    }

    /// The modes of the files by which scripts came.
    pub(crate) fn modes(&self) -> Vec<String> {
        String::from_utf8(self.wrote("modes"))
            .unwrap()
            .lines()
            .map(str::to_owned)
            .collect()
    }
}

#[test]
fn the_recording_tool_can_be_started_and_writes_down_what_it_is_given() {
    let tool = Tool::new();
    let mode = fs::metadata(tool.program()).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0o111);
    let output = Command::new(tool.program())
        .args(["-s=x", "snapshot", "--", "canary-argument"])
        .env("CANARY", "canary-environment")
        .stdin(fs::File::open(tool.path().join("snapshot")).unwrap())
        .output()
        .unwrap();
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("textbox")
    );
    let wrote = |file: &str| String::from_utf8(tool.wrote(file)).unwrap();
    assert!(
        wrote("argv").contains("canary-argument")
            && wrote("env").contains("CANARY=canary-environment")
    );
    assert!(wrote("stdin").contains("textbox"));
}
