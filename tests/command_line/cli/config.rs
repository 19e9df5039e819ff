//! The configuration file, found and read by the program.

use std::fs;

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
