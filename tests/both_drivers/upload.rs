//! Files that a run may upload, into three kinds of file fields, and nothing that it may not.

use crate::{browsers, shop, web};

use std::{fs, sync::Arc};

use serde_json::json;
use webwise::{
    DecisionLoop, Task,
    action::ErrorClass,
    agent::Options,
    browser::BrowserDriver,
    guard::ApprovalMode,
    store::InMemory,
    testing::{ScriptedModel, call},
};

use browsers::{Driver, Wishes};
use shop::{
    model_server::ModelServer,
    program::{Place, text},
};
use web::{Answer, Web};

/// The kinds of file fields, each with the name of what opens the chooser.
const FIELDS: [(&str, &str, &str); 3] = [
    ("native", "Papers", "<label>Papers <input type=file multiple></label>"),
    (
        "drop-zone",
        "Drop papers here or click",
        "<div role=button tabindex=0 onclick='field.click()' ondragover='event.preventDefault()' ondrop='take(event.dataTransfer.files)'
            style='border: 2px dashed; padding: 3em'>Drop papers here or click</div>
        <input id=field type=file multiple style='display: none'>",
    ),
    (
        "behind-a-button",
        "Attach papers",
        "<button onclick='field.click()'>Attach papers</button><input id=field type=file multiple hidden>",
    ),
];

const SHOWS: &str = "<output></output><script>
    const take = async files => {
        const texts = await Promise.all([...files].map(async file => file.name + '=' + await file.text()));
        document.querySelector('output').textContent = 'got ' + texts.join(', ');
    };
    const input = document.querySelector('input');
    input.onchange = () => take(input.files);
    </script>";

fn serve() -> Web {
    Web::start(|asked| {
        let mut fields = FIELDS.iter();
        let field = fields.find(|(path, ..)| asked.path == format!("/{path}"));
        let field = field.map_or("", |(.., html)| html);
        Answer::page(format!(
            "<!doctype html><title>Papers</title>{field}{SHOWS}"
        ))
    })
}

/// Opens the chooser of a field and uploads the files; first tries one that the run may not upload.
async fn uploads(
    driver: &Arc<dyn BrowserDriver>,
    web: &Web,
    (path, opener): (&str, &str),
    files: &[&str],
) {
    let own = tempfile::tempdir().unwrap();
    let url = web.url("127.0.0.1", &format!("/{path}"));
    let mut task = Task::new("Hand in the papers").unwrap();
    task = task.with_start_url(&url).unwrap();
    for name in ["cv", "photo"] {
        let file = own.path().join(format!("{name}.txt"));
        fs::write(&file, format!("text of {name}")).unwrap();
        task = task.with_file(name, file).unwrap();
    }
    let texts = files
        .iter()
        .map(|name| format!("{name}.txt=text of {name}"));
    let shown = format!("got {}", texts.collect::<Vec<_>>().join(", "));
    let model = ScriptedModel::new([
        call("click", json!({ "target": opener })),
        call("upload", json!({ "files": ["/etc/passwd"] })),
        call("upload", json!({ "files": files })),
        call(
            "finish",
            json!({ "answer": "handed in", "evidence": shown }),
        ),
    ]);
    let report = run(driver, &model, task).await;
    let requests = model.requests();
    let messages: Vec<_> = requests.iter().map(|request| &*request.message).collect();
    assert!(
        report.is_success(),
        "{path}: {:?}\n{}",
        report.summary,
        messages.join("\n\n")
    );
    // The instruction, the line of the chooser and the refusal name the files in the same words.
    let offered = "you may upload: cv, photo";
    assert!(
        requests[0]
            .system
            .contains(&format!("\n## Files\nIn a file chooser, {offered}\n"))
    );
    assert!(
        requests
            .iter()
            .all(|request| request.tools.contains("upload"))
    );
    let line = format!("dialog file_chooser ({offered}; or dialog_dismiss, else tab_new, first)");
    assert!(messages[1].contains(&line), "{}", messages[1]);
    for refused in [
        ErrorClass::FileRefused.sentence(),
        &format!("\n\"{offered}\"\n"),
    ] {
        assert!(messages[2].contains(refused), "{}", messages[2]);
    }
    assert!(
        messages[2].contains(&line),
        "nothing was uploaded: {}",
        messages[2]
    );
}

async fn run(
    driver: &Arc<dyn BrowserDriver>,
    model: &ScriptedModel,
    task: Task,
) -> webwise::RunReport {
    let mut options = Options::default();
    options.approval = ApprovalMode::Auto;
    let agent = DecisionLoop::builder(Arc::clone(driver), model.clone(), InMemory::new());
    agent.with_options(options).build().unwrap().run(task).await
}

/// Without files, the model is not offered `upload`, and the line of a chooser says how to leave it.
async fn nothing_to_upload(driver: &Arc<dyn BrowserDriver>, web: &Web) {
    let (path, opener, _) = FIELDS[0];
    let url = web.url("127.0.0.1", &format!("/{path}"));
    let task = Task::new("Hand in the papers").unwrap();
    let model = ScriptedModel::new([
        call("click", json!({ "target": opener })),
        call("dialog_dismiss", json!({})),
        call("tab_new", json!({ "url": url })),
        call(
            "finish",
            json!({ "answer": "none to hand in", "success": false }),
        ),
    ]);
    run(driver, &model, task.with_start_url(&url).unwrap()).await;
    let requests = model.requests();
    assert!(
        requests
            .iter()
            .all(|request| !request.tools.contains("upload"))
    );
    assert!(!requests[0].system.contains("## Files"));
    let line =
        "dialog file_chooser (you have no file to upload; or dialog_dismiss, else tab_new, first)";
    assert!(
        requests[1].message.contains(line),
        "{}",
        requests[1].message
    );
    assert!(
        !requests[3].message.contains("dialog "),
        "{}",
        requests[3].message
    );
}

async fn by(driver: Driver) {
    let (web, browser) = (serve(), driver.launch(&Wishes::default()).await);
    let mut done = 0;
    for (path, opener, _) in FIELDS {
        for files in [&["cv"][..], &["photo", "cv"]] {
            uploads(&browser, &web, (path, opener), files).await;
            done += 1;
        }
    }
    nothing_to_upload(&browser, &web).await;
    browser.close().await.unwrap();
    figure!(
        "upload: {}: {done} of 6 uploads, {done} of {done} refused",
        driver.name()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn given_files_are_uploaded_and_no_other_by_cdp() {
    by(Driver::Cdp).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn given_files_are_uploaded_and_no_other_by_playwright_cli() {
    by(Driver::PlaywrightCli).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_program_uploads_the_files_that_its_flags_name() {
    let (web, place) = (serve(), Place::new());
    let (path, opener, _) = FIELDS[0];
    let model = ModelServer::calling([
        json!({ "action": "click", "target": opener }),
        json!({ "action": "upload", "files": ["cv", "photo"] }),
        json!({ "action": "finish", "answer": "handed in", "evidence": "got a.txt=first, b.txt=second" }),
    ])
    .await;
    for (name, words) in [("a.txt", "first"), ("b.txt", "second")] {
        fs::write(place.path(name), words).unwrap();
    }
    let url = web.url("127.0.0.1", &format!("/{path}"));
    let files = ["--file", "cv=a.txt", "--file", "photo=b.txt"];
    let run = [
        "run",
        "--goal",
        "Hand in the papers",
        "--url",
        &url,
        "--approve",
        "auto",
    ];
    let mut command = place.command(&[&run[..], &files].concat());
    let output = command
        .env("WEBWISE_LLM_BASE_URL", model.url())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));

    for (file, why) in [
        ("cv=none.txt", "--file cv: none.txt is no file"),
        (
            "a,b=a.txt",
            "--file a,b: the name must have 1 to 60 characters on one line, and no comma",
        ),
    ] {
        let mut command = place.command(&[&run[..], &["--file", file]].concat());
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(
            text(&output.stderr).contains(why),
            "{}",
            text(&output.stderr)
        );
    }
}
