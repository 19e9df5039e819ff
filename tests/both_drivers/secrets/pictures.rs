//! Pictures cannot be redacted: none is kept of a page that shows a secret, whoever typed it.

use std::sync::Arc;

use serde_json::json;
use webwise::{
    DecisionLoop, Origin, Task,
    agent::Options,
    chat::LlmCapabilities,
    event::RunFolder,
    secret::{Secret, SecretName, Vault},
    store::InMemory,
    testing::{ScriptedModel, call},
};

use crate::secrets::{
    mirror::{Mirror, SITE},
    taps::files,
};

const VALUE: &str = "picture-canary-91c4";

async fn kept(vault: Vault) -> String {
    let folder = tempfile::tempdir().unwrap();
    let runs = Arc::new(RunFolder::new(folder.path()).unwrap());
    let mut options = Options::default();
    options.screenshots = true;
    options.settle = std::time::Duration::ZERO;
    let finish = call(
        "finish",
        json!({ "answer": "done", "evidence": "Account settings" }),
    );
    // One that takes pictures: no other is offered the tool.
    let mut capabilities = LlmCapabilities::new("scripted");
    capabilities.images = true;
    let model =
        ScriptedModel::new([call("screenshot", json!({})), finish]).with_capabilities(capabilities);
    let agent = DecisionLoop::builder(Mirror::showing(VALUE), model, InMemory::new())
        .with_options(options)
        .with_sink(Arc::clone(&runs))
        .build()
        .unwrap();
    let task = Task::new("Look")
        .unwrap()
        .with_start_url(SITE)
        .unwrap()
        .with_secrets(vault);
    let report = agent.run(task).await;
    assert!(report.is_success(), "{report:?}");
    runs.close().unwrap();
    String::from_utf8_lossy(&files(folder.path())).into_owned()
}

#[tokio::test]
async fn no_picture_is_kept_of_a_page_that_shows_a_secret_from_before() {
    let vault = Vault::new()
        .with(
            SecretName::parse("WORD").unwrap(),
            Secret::new(VALUE),
            vec![Origin::parse(SITE).unwrap()],
        )
        .unwrap();
    let with_secret = kept(vault).await;
    assert!(
        !with_secret.contains(VALUE) && !with_secret.contains(".png"),
        "{with_secret}"
    );
    assert!(with_secret.contains("no picture is taken once a secret was typed or shown"));
    let without = kept(Vault::new()).await;
    assert!(
        without.contains(VALUE) && without.contains(".png"),
        "a picture is kept where there is no secret"
    );
}
