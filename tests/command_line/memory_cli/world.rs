//! A machine with a memory, runs that fill it, and the program that looks after it.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;
use webwise::{
    DecisionLoop, RunId, Task,
    action::ErrorClass,
    agent::Options,
    chat::ChatResponse,
    event::RunFolder,
    guard::ApprovalMode,
    store::JsonFiles,
    testing::{FixedClock, ScriptedBrowser, ScriptedModel, ScriptedReply as Reply, call},
};

/// What a browser says of a covered button, with the escape sequences that it really prints.
const COVERED: &str = "\u{1b}[2m<div>\u{1b}[22m intercepts pointer events";

pub(crate) struct Machine {
    dir: TempDir,
}

impl Machine {
    pub(crate) fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn memory(&self) -> PathBuf {
        self.path("memory")
    }

    /// `webwise memory` with these arguments, in a home without anything.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.run_with(args, &[])
    }

    /// The same with these variables.
    pub(crate) fn run_with(&self, args: &[&str], variables: &[(&str, &str)]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_webwise"));
        command
            .env_clear()
            .env("HOME", self.path("home"))
            .envs(variables.iter().copied())
            .current_dir(self.dir.path())
            .stdin(Stdio::null());
        command
            .arg("memory")
            .args(args)
            .arg("--memory-dir")
            .arg(self.memory());
        command.output().unwrap()
    }

    /// What it prints when all is well.
    pub(crate) fn says(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {said}");
        text(&output.stdout)
    }

    /// The list of a memory in which these files cannot be read.
    pub(crate) fn lists_the_rest(&self, unread: &str) -> String {
        let output = self.run(&["list"]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        let end = format!("webwise: the list is incomplete: {unread} of memory cannot be read\n");
        assert!(said.ends_with(&end), "{said}");
        text(&output.stdout)
    }

    pub(crate) fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.says(&[args, &["--json"]].concat())).unwrap()
    }

    /// The one sentence with which it refuses.
    pub(crate) fn refuses(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(
            said.lines().count() == 1 && said.starts_with("webwise: "),
            "{said}"
        );
        assert!(output.stdout.is_empty(), "{}", text(&output.stdout));
        said
    }

    /// The lessons as `list` tells them.
    pub(crate) fn lessons(&self) -> Vec<Value> {
        let mut items = self.json(&["list"])["items"].as_array().unwrap().clone();
        items.retain(|item| item["kind"] == "lessons");
        items
    }

    pub(crate) fn write(&self, name: &str, document: &Value) -> String {
        let path = self.path(name);
        std::fs::write(&path, serde_json::to_vec(document).unwrap()).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// A run on a shop whose button is covered by a banner until the banner's own button is clicked.
    pub(crate) async fn shop(&self, run: &str, host: &str) {
        self.shop_withholding(run, host, 0.0).await;
    }

    /// The same, with this share of the advice held back.
    pub(crate) async fn shop_withholding(&self, run: &str, host: &str, share: f64) {
        let click = |target: &str| call("click", json!({ "target": target }));
        let replies = [click("e3"), click("e5"), click("e3"), finish()];
        self.shop_deciding(run, host, share, replies.into()).await;
    }

    /// The same with nothing held back, and with a model that follows the recipe of an earlier run.
    pub(crate) async fn shop_following(&self, run: &str, host: &str) {
        let follow = call("follow", json!({ "recipe": "t1" }));
        let replies = vec![follow, finish()];
        self.shop_deciding(run, host, 0.0, replies).await;
    }

    async fn shop_deciding(&self, run: &str, host: &str, share: f64, replies: Vec<ChatResponse>) {
        let [home, open, done] =
            ["/", "/#open", "/results"].map(|path| leaked(format!("https://{host}{path}")));
        let page = "button \"Go\" e3\nbutton \"Accept all\" e5";
        let browser = ScriptedBrowser::new()
            .with_page(home, "Shop", page)
            .with_page(open, "Shop", "button \"Go\" e3\n\"Thank you.\"")
            .with_page(done, "Results", "heading \"2 results\" e1")
            .on(
                home,
                r#"click {"target":"e3"}"#,
                [Reply::Fail(ErrorClass::Intercepted, COVERED)],
            )
            .on(home, r#"click {"target":"e5"}"#, [Reply::Show(open)])
            .on(open, r#"click {"target":"e3"}"#, [Reply::Show(done)]);
        let model = ScriptedModel::new(replies);
        let mut options = Options::default();
        options.approval = ApprovalMode::Auto;
        options.withheld_share = share;
        let folder = std::sync::Arc::new(RunFolder::new(self.path("runs")).unwrap());
        let agent = DecisionLoop::builder(browser, model, JsonFiles::open(self.memory()))
            .with_options(options)
            .with_sink(std::sync::Arc::clone(&folder))
            .with_registry(JsonFiles::open(self.memory()))
            .with_clock(FixedClock::at("2026-01-02T03:04:05Z"))
            .build()
            .unwrap();
        let task = Task::new("Count the results")
            .unwrap()
            .with_start_url(home)
            .unwrap();
        let report = agent
            .run(task.with_run_id(RunId::parse(run).unwrap()))
            .await;
        assert!(report.summary.success, "{report:?}");
        folder.close().unwrap();
    }
}

fn finish() -> ChatResponse {
    call("finish", json!({ "answer": "2", "evidence": "2 results" }))
}

/// Copies a folder with everything in it.
pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &to);
        } else {
            std::fs::copy(&path, &to).unwrap();
        }
    }
}

/// Scripts of the browser live as long as the program.
fn leaked(text: String) -> &'static str {
    text.leak()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The lines of a file, each an object.
pub(crate) fn lines(path: &Path) -> Vec<Value> {
    std::fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
