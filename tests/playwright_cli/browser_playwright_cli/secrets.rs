//! Secrets leave no trace, and fields that hold one show none, at the price of a script only where one is needed.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use webwise::{
    Origin,
    action::{BrowserAction, ErrorClass, Fill, SelectText, TextValue},
    browser::{BrowserDriver as _, ExecuteRequest, PlaywrightCli, TransportChoice},
    secret::{Secret, SecretName, SecretResolver, Vault},
    testing::conformance::browser::Site,
};

use super::{act, fill, folder, goto, options, see, target, wrapper};

/// Types a secret that is bound to the site.
async fn fill_secret(
    driver: &PlaywrightCli,
    site: &Site,
    field: &str,
    value: &str,
) -> webwise::browser::Execution {
    let name = SecretName::parse("LOGIN").unwrap();
    let origin = Origin::parse(&site.url("")).unwrap();
    let vault = Vault::new()
        .with(name.clone(), Secret::new(value), vec![origin])
        .unwrap();
    let action = BrowserAction::Fill(Fill {
        target: target(field),
        text: TextValue::Secret(name),
        submit: false,
    });
    let request = ExecuteRequest::new(action).with_secrets(SecretResolver::new(Arc::new(vault)));
    let execution = driver.execute(&request).await.unwrap();
    assert!(execution.outcome.is_done(), "{execution:?}");
    execution
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_in_no_argument_and_in_no_file() {
    const VALUE: &str = "canary-7f3a9b1c";
    let (base, tools, site) = (folder(), folder(), Site::start().unwrap());
    let log = tools.path().join("argv");
    let script = format!(
        r#"printf '%s\n' "$@" >> {}; exec "REAL" "$@""#,
        log.display()
    );
    for transport in [TransportChoice::Process, TransportChoice::Socket] {
        let options = options(base.path())
            .with_program(wrapper(tools.path(), &script))
            .with_transport(transport);
        let driver = PlaywrightCli::launch(&options).await.unwrap();
        goto(&driver, site.url("login")).await;
        let execution = fill_secret(&driver, &site, r#"label="Password""#, VALUE).await;
        let seen = see(&driver).await;
        assert!(!format!("{seen:?}{execution:?}").contains(VALUE));

        let argv = fs::read_to_string(&log).unwrap();
        assert!(
            argv.contains("open") && !argv.contains(VALUE),
            "{transport:?}"
        );
        if transport == TransportChoice::Process {
            assert!(
                argv.contains("run-code"),
                "the way of the value was not watched"
            );
        }
        // The profile is the browser's own memory of the page; everything else is ours.
        let found: Vec<_> = files(base.path())
            .into_iter()
            .filter(|file| holds(file, VALUE))
            .collect();
        assert!(found.is_empty(), "{transport:?}: {found:?}");
        driver.close().await.unwrap();
    }
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

fn holds(file: &Path, text: &str) -> bool {
    fs::read(file).is_ok_and(|bytes| {
        bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    })
}

/// The commands that a logging program was started with since the last look, without the script for hints of attributes: it reads no
/// value.
struct Log(PathBuf);

impl Log {
    fn take(&self) -> Vec<String> {
        let text = fs::read_to_string(&self.0).unwrap();
        fs::write(&self.0, "").unwrap();
        text.lines().map(str::to_owned).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_are_asked_by_a_script_only_where_one_may_hold_a_secret() {
    let (base, tools, site) = (folder(), folder(), Site::start().unwrap());
    let log = Log(tools.path().join("commands"));
    let script = format!(
        r#"grep -qs makeHintsOf "${{3#--filename=}}" || printf '%s\n' "$2" >> {}; exec "REAL" "$@""#,
        log.0.display()
    );
    let options = options(base.path()).with_program(wrapper(tools.path(), &script));
    let driver = PlaywrightCli::launch(&options.with_transport(TransportChoice::Process))
        .await
        .unwrap();
    let looked = |asked: &[&str]| {
        let commands = log.take();
        assert_eq!(commands, asked, "the commands of one look");
    };

    goto(&driver, site.url("form")).await;
    assert!(
        act(&driver, fill(r#"label="Name""#, "told-to-anybody"))
            .await
            .unwrap()
            .outcome
            .is_done()
    );
    log.take();
    assert!(format!("{:?}", see(&driver).await).contains("told-to-anybody"));
    looked(&["snapshot", "generate-locator"]);

    // A password is asked about once; then its reference says enough.
    goto(&driver, site.url("login")).await;
    assert!(
        act(&driver, fill(r#"label="User""#, "bob-the-user"))
            .await
            .unwrap()
            .outcome
            .is_done()
    );
    assert!(
        act(&driver, fill(r#"label="Password""#, "typed-as-text"))
            .await
            .unwrap()
            .outcome
            .is_done()
    );
    log.take();
    for asked in [
        &["snapshot", "generate-locator", "run-code"][..],
        &["snapshot", "generate-locator"],
    ] {
        let seen = format!("{:?}", see(&driver).await);
        assert!(
            seen.contains("bob-the-user") && !seen.contains("typed-as-text"),
            "{seen}"
        );
        looked(asked);
    }

    // Once a secret was typed only a script can tell its field, for as long as the field is there.
    goto(&driver, site.url("login")).await;
    fill_secret(&driver, &site, r#"label="User""#, "canary-5d1e").await;
    log.take();
    for _ in 0..2 {
        assert!(!format!("{:?}", see(&driver).await).contains("canary-5d1e"));
        log.take();
    }
    goto(&driver, site.url("word-shown")).await;
    log.take();
    for asked in [
        &["snapshot", "run-code"][..],
        &["snapshot", "generate-locator"],
    ] {
        assert!(format!("{:?}", see(&driver).await).contains("prefilled-by-page"));
        looked(asked);
    }
    driver.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_selected_text_is_told_while_no_field_holds_a_secret() {
    let (base, site) = (folder(), Site::start().unwrap());
    let driver = PlaywrightCli::launch(&options(base.path())).await.unwrap();
    let select = async |field: &str, words: Option<&str>| {
        let action = BrowserAction::SelectText(SelectText {
            target: target(field),
            text: words.map(Into::into),
        });
        act(&driver, action).await.unwrap().outcome
    };
    let name = r#"label="Name""#;

    goto(&driver, site.url("form")).await;
    assert_eq!(see(&driver).await.selected, "");
    assert!(select("css=\"p\"", None).await.is_done());
    assert_eq!(see(&driver).await.selected, "plain");
    assert!(
        act(&driver, fill(name, "told-to-anybody"))
            .await
            .unwrap()
            .outcome
            .is_done()
    );
    assert!(select(name, Some("to-any")).await.is_done());
    assert_eq!(see(&driver).await.selected, "to-any");

    fill_secret(&driver, &site, name, "canary-5d1e").await;
    assert!(select(name, None).await.is_done());
    assert_eq!(see(&driver).await.selected, "");
    let searched = select(name, Some("canary")).await;
    assert_eq!(searched.class(), Some(ErrorClass::BadArguments));

    // The next page has no field, so no other script has asked whether the old one is gone.
    goto(&driver, site.url("article")).await;
    assert!(select("css=\"h1\"", Some("tides")).await.is_done());
    assert_eq!(see(&driver).await.selected, "tides");
    driver.close().await.unwrap();
}
