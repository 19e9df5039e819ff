//! A secret is in nothing that the driver shows of itself, in no argument of a process, and in no file.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use webwise::{
    Origin,
    action::{BrowserAction, Fill, StateFile, TextValue, Type},
    browser::{BrowserDriver as _, ExecuteRequest, Execution},
    secret::{Secret, SecretName, SecretResolver, Vault},
};

use crate::driver::{
    bed::{Bed, click, target},
    processes::{naming, signal},
};

const VALUE: &str = "canary-7f3a9b1c";
const PAGE: &str =
    "<title>Login</title><form onsubmit=\"event.preventDefault(); document.title = 'sent ' + user.value.length\">
    <label>User <input name=user></label><label>Password <input type=password></label><button>Send</button></form>";

fn secret(bed: &Bed) -> (SecretName, SecretResolver) {
    let name = SecretName::parse("LOGIN").unwrap();
    let origin = Origin::parse(&bed.url("")).unwrap();
    let vault = Vault::new()
        .with(name.clone(), Secret::new(VALUE), vec![origin])
        .unwrap();
    (name, SecretResolver::new(Arc::new(vault)))
}

async fn types(bed: &Bed, action: BrowserAction, secrets: &SecretResolver) -> Execution {
    let execution = bed
        .driver
        .execute(&ExecuteRequest::new(action).with_secrets(secrets.clone()))
        .await
        .unwrap();
    assert!(execution.outcome.is_done(), "{execution:?}");
    execution
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => found.extend(files(&entry.path())),
            Ok(kind) if kind.is_file() => found.push(entry.path()),
            _ => {}
        }
    }
    found
}

/// Whether bytes hold the value, in either form in which Chromium writes texts.
fn holds(bytes: &[u8]) -> bool {
    let wide: Vec<u8> = VALUE.encode_utf16().flat_map(u16::to_le_bytes).collect();
    [VALUE.as_bytes(), &wide]
        .iter()
        .any(|form| bytes.windows(form.len()).any(|window| window == *form))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_shown_nowhere_and_written_nowhere() {
    let bed = Bed::whole(&[("/", PAGE), ("/next", "<p>next")]).await;
    let (name, secrets) = secret(&bed);
    bed.open("/").await;
    let mut shown = Vec::new();
    for field in ["label=\"Password\"", "label=\"User\""] {
        let text = TextValue::Secret(name.clone());
        let filled = types(
            &bed,
            BrowserAction::Fill(Fill {
                target: target(field),
                text,
                submit: false,
            }),
            &secrets,
        )
        .await;
        let seen = bed.see().await;
        shown.push(format!("{filled:?}{seen:?}"));
    }
    bed.does(click(target("label=\"User\""))).await;
    let typed = types(
        &bed,
        BrowserAction::Type(Type {
            text: TextValue::Secret(name.clone()),
            submit: true,
        }),
        &secrets,
    )
    .await;
    assert_eq!(
        bed.see().await.title,
        format!("sent {}", 2 * VALUE.len()),
        "it was typed"
    );
    shown.push(format!("{typed:?}{:?}", bed.see().await));
    bed.does(BrowserAction::StateSave(StateFile { name: "s".into() }))
        .await;
    bed.open("/next").await;
    shown.push(format!("{:?} {:?}", bed.driver, secrets));

    let lines = || {
        naming(bed.base()).into_iter().map(|pid| {
            ["cmdline", "environ"]
                .map(|file| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default())
                .concat()
        })
    };
    assert!(
        lines().count() > 2 && !lines().any(|line| holds(&line)),
        "in an argument or in the environment"
    );
    // By the clock, because nothing is to come: a browser that keeps its session writes it 2.5 s after a change.
    tokio::time::sleep(Duration::from_secs(4)).await;
    let found = files(bed.base());
    assert!(found.len() > 10, "there are files to look at");
    let telling: Vec<_> = found
        .iter()
        .filter(|file| fs::read(file).is_ok_and(|bytes| holds(&bytes)))
        .collect();
    assert!(telling.is_empty(), "{telling:?}");

    // A value that was on its way when the browser died is not in the error either.
    bed.open("/").await;
    let action = BrowserAction::Fill(Fill {
        target: target("label=\"User\""),
        text: TextValue::Secret(name),
        submit: false,
    });
    for pid in naming(bed.base()) {
        let _ = std::panic::catch_unwind(|| signal(pid, "KILL"));
    }
    let error = bed
        .driver
        .execute(&ExecuteRequest::new(action).with_secrets(secrets))
        .await
        .unwrap_err();
    shown.push(format!("{error:?} {error} {:?}", bed.driver));
    assert!(!holds(shown.concat().as_bytes()), "{shown:?}");
    bed.close().await;
}
