//! The configuration file, found and read by the program.

use std::{fs, path::Path};

use crate::cli::machine::{Machine, text};

/// A task that ends before a browser is started, if no model is configured.
const RUN: [&str; 5] = ["run", "--goal", "Look", "--url", "https://a.example"];

fn said(machine: &Machine, args: &[&str]) -> (Option<i32>, String) {
    let output = machine.run(args);
    (output.status.code(), text(&output.stderr))
}

#[test]
fn the_file_in_the_working_folder_cannot_name_another_server() {
    let machine = Machine::complete();
    fs::write(
        machine.home().join("webwise.toml"),
        "max-calls = 3\nbase-url = 'https://evil.example/v1'\n",
    )
    .unwrap();
    for command in [&RUN[..], &["doctor"]] {
        let (code, said) = said(&machine, command);
        assert_eq!(code, Some(2), "{said}");
        assert!(
            said.contains("webwise.toml: ")
                && said.contains("`base-url`")
                && said.contains("--config webwise.toml"),
            "{said}"
        );
        let own = machine.home().join(".config/webwise/webwise.toml");
        let move_it = format!("move the line to your own file {}, or", own.display());
        assert!(said.contains(&move_it), "{said}");
    }
    // Whoever names it trusts it.
    let (_, said) = said(&machine, &["doctor", "--config", "webwise.toml"]);
    assert!(said.is_empty(), "{said}");
}

#[test]
fn the_users_file_configures_every_command_and_doctor_names_it() {
    let machine = Machine::complete();
    assert!(
        said(&machine, &RUN).1.contains("`--model stand-in`"),
        "there is no model"
    );
    let folder = machine.home().join(".config/webwise");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("webwise.toml");
    fs::write(&file, "model = 'stand-in'\n").unwrap();
    let (_, heard) = said(&machine, &RUN);
    assert!(!heard.contains("`--model stand-in`"), "{heard}");
    let doctor = machine.run(&["doctor"]);
    let report = text(&doctor.stdout);
    assert!(report.contains(&format!("configuration: {}", file.display())));
    assert!(
        report.contains("model: stand-in, configured by the configuration file"),
        "{report}"
    );
    fs::write(&file, "[memory]\ndir = '/tmp/kept-here'\n").unwrap();
    assert!(text(&machine.run(&["doctor"]).stdout).contains("memory: /tmp/kept-here"));

    fs::write(&file, "max-steps = 'many'\n").unwrap();
    let (code, heard) = said(&machine, &RUN);
    assert_eq!(code, Some(2));
    assert!(
        heard.contains(&format!(
            "{}: invalid value 'many' for '--max-steps",
            file.display()
        )),
        "{heard}"
    );
    assert_eq!(
        said(&machine, &["doctor"]).0,
        Some(0),
        "it has no such flag"
    );
}

#[test]
fn a_named_file_that_is_not_there_is_an_error() {
    let machine = Machine::complete();
    let (code, said) = said(&machine, &["doctor", "--config", "none.toml"]);
    assert_eq!(
        (code, said.as_str()),
        (
            Some(2),
            "webwise: there is no file none.toml: correct --config\n"
        )
    );
}

#[test]
fn a_file_that_is_none_or_too_large_is_an_error() {
    let machine = Machine::complete();
    let file = machine.home().join("webwise.toml");
    std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
    assert!(
        said(&machine, &["doctor"])
            .1
            .contains("webwise.toml cannot be read: it is no file")
    );
    fs::remove_file(&file).unwrap();
    fs::write(&file, "#".repeat(70_000)).unwrap();
    assert!(
        said(&machine, &["doctor"])
            .1
            .contains("it is larger than 64 KiB")
    );
}

#[test]
fn the_users_file_names_the_folder_of_memory_also_where_webwise_home_is_set() {
    let machine = Machine::complete();
    let home = machine.home().join("own");
    fs::create_dir_all(&home).unwrap();
    fs::write(
        home.join("webwise.toml"),
        "memory-dir = '/tmp/of-the-file'\n",
    )
    .unwrap();
    let memory = |args: &[&str]| {
        let mut command = machine.command(args);
        let output = command.env("WEBWISE_HOME", &home).output().unwrap();
        text(&output.stdout) + &text(&output.stderr)
    };
    assert!(memory(&["doctor"]).contains("memory: /tmp/of-the-file\n"));
    let listed = memory(&["memory", "list"]);
    assert!(
        listed.contains("there is no folder /tmp/of-the-file"),
        "{listed}"
    );
    let flag = memory(&["memory", "list", "--memory-dir", "/tmp/of-the-flag"]);
    assert!(
        flag.contains("there is no folder /tmp/of-the-flag"),
        "{flag}"
    );
    fs::remove_file(home.join("webwise.toml")).unwrap();
    let own = home.join("memory");
    assert!(memory(&["doctor"]).contains(&format!("memory: {}\n", own.display())));
}

#[test]
fn another_programs_memory_is_refused_and_left_as_it_is() {
    let machine = Machine::complete();
    let folder = machine.home().join(".agent-memory");
    let known = "domains/www.example.com/knowledge.json";
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/memory");
    fs::create_dir_all(folder.join("domains/www.example.com")).unwrap();
    fs::copy(
        fixtures.join("agent-memory").join(known),
        folder.join(known),
    )
    .unwrap();
    for command in [
        &["memory", "list"][..],
        &[&RUN[..], &["--model", "stand-in"]].concat(),
    ] {
        let args = [command, &["--memory-dir", ".agent-memory"]].concat();
        let (code, said) = said(&machine, &args);
        assert_eq!(code, Some(2), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        let import = format!("`webwise memory import {}`", folder.display());
        assert!(said.contains(&import), "{said}");
    }
    assert_eq!(folder.read_dir().unwrap().count(), 1);
    // What the sentence advises works, and memory of this program is not taken for that of another.
    let import = ["memory", "import", ".agent-memory", "--memory-dir", "mine"];
    assert_eq!(said(&machine, &import).0, Some(0));
    assert_eq!(
        said(&machine, &["memory", "list", "--memory-dir", "mine"]).0,
        Some(0)
    );
}
