//! Tests with simulated machines that consist of a few scripts.

use super::*;

/// Creates a folder with programs whose output is scripted.
fn folder(programs: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, script) in programs {
        put(&dir.path().join(name), script);
    }
    dir
}

/// Writes a script in a child process. A script cannot be executed while any process holds it open for writing. If this
/// process wrote the script, a process that another test forks at the same time would inherit the open file.
fn put(path: &Path, script: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let write = "printf '%s\\n' \"$2\" >\"$1\" && chmod 755 \"$1\"";
    let script = if script.starts_with("#!") {
        script.to_owned()
    } else {
        format!("#!/bin/sh\n{script}")
    };
    let mut sh = std::process::Command::new("sh");
    assert!(
        sh.args(["-c", write, "sh"])
            .arg(path)
            .arg(script)
            .status()
            .unwrap()
            .success()
    );
}

fn around(bin: &Path, home: &Path) -> Surroundings {
    named(bin, home, &[])
}

/// Returns surroundings in which environment variables name the programs to use.
fn named(bin: &Path, home: &Path, variables: &[(&str, &Path)]) -> Surroundings {
    let places = ProgramPlaces::new(|name| match name {
        "PATH" => Some(bin.into()),
        "WEBWISE_HOME" => Some(home.into()),
        _ => variables
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, path)| path.into()),
    });
    let root = places.installation_folder().unwrap().to_owned();
    Surroundings {
        root,
        places,
        is_root: false,
    }
}

#[test]
fn versions_are_found_in_what_programs_really_print() {
    for (text, version) in [
        ("v18.20.4\n", [18, 20, 4]),
        ("0.1.22", [0, 1, 22]),
        (
            "Chromium 156.0.8078.79 built on Debian GNU/Linux 12 (bookworm)",
            [156, 0, 8078],
        ),
        ("tool 12 release 1.2", [1, 2, 0]),
    ] {
        assert_eq!(Version::find(text), Some(Version(version)), "{text}");
    }
    assert_eq!(Version::find("no. version 7"), None);
    assert_eq!(Version::find("99999999999999999999999.1"), None);
}

#[tokio::test]
async fn our_own_newer_node_is_preferred_to_an_old_one_on_the_path() {
    let (bin, root) = (
        folder(&[("node", "echo v18.20.4")]),
        tempfile::tempdir().unwrap(),
    );
    let old = Machine::inspect(&around(bin.path(), root.path())).await;
    assert_eq!(
        old.node,
        Tool::Found(bin.path().join("node"), Version([18, 20, 4]))
    );
    let own = root.path().join("playwright-cli/node_modules/.bin/node");
    put(&own, "echo v22.1.0");
    let new = Machine::inspect(&around(bin.path(), root.path())).await;
    assert_eq!(new.node, Tool::Found(own, Version([22, 1, 0])));
}

#[tokio::test]
async fn a_broken_program_is_not_a_missing_one() {
    let bin = folder(&[
        ("chromium", "echo 'cannot open display' >&2; exit 3"),
        ("node", "echo hello"),
    ]);
    let machine = Machine::inspect(&around(bin.path(), bin.path())).await;
    let Tool::Broken(_, reason) = machine.chromium else {
        panic!("{machine:?}")
    };
    assert!(reason.contains("cannot open display"), "{reason}");
    assert_eq!(
        machine.node,
        Tool::Broken(
            bin.path().join("node"),
            "it says \"hello\" and no version".to_owned()
        )
    );
    assert_eq!(machine.cli, Tool::Missing);
}

#[tokio::test]
async fn a_program_that_does_not_call_itself_a_browser_is_none() {
    for (script, said) in [
        (
            "echo 'true (GNU coreutils) 9.1'",
            Err("it says \"true (GNU coreutils) 9.1\" and is no Chromium"),
        ),
        ("true", Err("it says nothing and no version")),
        (
            "echo; echo Chromium",
            Err("it says \"Chromium\" and no version"),
        ),
        (
            "echo Google Chrome for Testing 131.0.6778.3",
            Ok(Version([131, 0, 6_778])),
        ),
        (
            "echo Microsoft Edge 131.0.2903.51",
            Ok(Version([131, 0, 2_903])),
        ),
    ] {
        let bin = folder(&[("chromium", script)]);
        let path = bin.path().join("chromium");
        let told = match said {
            Ok(version) => Tool::Found(path, version),
            Err(why) => Tool::Broken(path, why.to_owned()),
        };
        assert_eq!(
            Machine::inspect(&around(bin.path(), bin.path()))
                .await
                .chromium,
            told,
            "{script}"
        );
    }
}

#[tokio::test]
async fn a_program_that_the_environment_names_is_taken_as_it_is() {
    let bin = folder(&[
        ("chromium", "echo 1.0"),
        ("mine", "echo Chromium 150.2"),
        ("cli", "echo 0.1.22"),
    ]);
    let (mine, cli) = (bin.path().join("mine"), bin.path().join("cli"));
    let variables = [
        ("WEBWISE_CHROMIUM", &*mine),
        ("WEBWISE_PLAYWRIGHT_CLI", &*cli),
    ];
    let machine = Machine::inspect(&named(bin.path(), bin.path(), &variables)).await;
    assert_eq!(machine.chromium.version(), Some(Version([150, 2, 0])));
    assert_eq!(machine.cli.version(), Some(CLI_VERSION));
    assert!(machine.cli_is_given && machine.chromium_is_given);
}

#[tokio::test]
async fn a_script_for_node_runs_through_the_node_that_was_chosen() {
    let bin = folder(&[(
        "node",
        "if [ $# = 2 ]; then echo 0.1.22; else echo v20.1.0; fi",
    )]);
    let script = bin.path().join("playwright-cli");
    put(&script, "#!/usr/bin/env node");
    let machine = Machine::inspect(&around(bin.path(), bin.path())).await;
    assert_eq!(machine.cli, Tool::Found(script, CLI_VERSION));
}

#[tokio::test]
async fn who_may_install_is_found_out_without_a_password() {
    let refused = folder(&[("apt-get", "exit 0"), ("sudo", "exit 1")]);
    assert_eq!(
        Machine::inspect(&around(refused.path(), refused.path()))
            .await
            .installer,
        Installer::NotAllowed
    );
    let mut around = around(refused.path(), refused.path());
    around.is_root = true;
    let apt_get = refused.path().join("apt-get");
    assert_eq!(
        Machine::inspect(&around).await.installer,
        Installer::AptGet(apt_get.clone())
    );
    put(&refused.path().join("sudo"), "test \"$*\" = '-n true'");
    around.is_root = false;
    let sudo = refused.path().join("sudo");
    assert_eq!(
        Machine::inspect(&around).await.installer,
        Installer::Sudo { sudo, apt_get }
    );
    std::fs::remove_file(refused.path().join("apt-get")).unwrap();
    assert_eq!(
        Machine::inspect(&around).await.installer,
        Installer::NoAptGet
    );
}
