//! `webwise demo`, as far as it comes without a real browser.

use crate::cli::machine::{Machine, debian, refusal_of, refused, root, text};

#[test]
fn a_bad_value_of_the_demo_is_refused() {
    for (flag, value) in [
        ("--port", "70000"),
        ("--port", "x"),
        ("--seed", "-1"),
        ("--base-url", "ftp://a.example"),
    ] {
        assert!(refusal_of(&["demo", &format!("{flag}={value}")]).contains(flag));
    }
    assert!(refusal_of(&["demo", "--goal", "x"]).contains("--goal"));
    assert!(refusal_of(&["demo", "--attach", "http://127.0.0.1:9222"]).contains("--attach"));
}

#[test]
fn a_port_in_use_is_refused_before_anything_is_installed() {
    let machine = debian("v18.20.4");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let said = refused(&machine, &machine.run(&["demo", "--port", &port]));
    assert!(said.contains(&port) && said.contains("--port"), "{said}");
    assert!(!machine.bin().join("apt-was-told").exists());
}

#[test]
fn the_demo_installs_what_is_missing_first() {
    for (args, command, last) in [
        (&[][..], "webwise setup", "[1/1] Install Chromium"),
        (
            &["--driver", "cdp"],
            "webwise setup --driver cdp",
            "[1/1] Install Chromium",
        ),
        (
            &["--driver", "playwright-cli"],
            "webwise setup --driver playwright-cli",
            "[2/2] Install @playwright/cli@0.1.22",
        ),
    ] {
        let machine = debian("v18.20.4");
        let output = machine.run(&[&["demo", "--json"][..], args].concat());
        let said = text(&output.stderr);
        // The scripts that play the programs cannot open a browser.
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert!(
            said.contains(&format!("`{command}` runs first")) && said.contains(last),
            "{said}"
        );
        assert_eq!(
            root(&machine).join("npm-was-told").exists(),
            args.contains(&"playwright-cli")
        );
        let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(object["ok"], false);
        assert!(
            said.contains(object["problem"].as_str().unwrap()),
            "{object}"
        );
        assert!(!machine.home().join("runs").exists());
    }
}

#[test]
fn the_demo_is_refused_where_nothing_can_be_installed() {
    let machine = Machine::with(&[]);
    let said = refused(&machine, &machine.run(&["demo"]));
    assert!(
        said.contains("install Chromium with its own package manager"),
        "{said}"
    );
}

#[test]
fn a_shop_on_another_port_than_the_usual_one_says_that_memory_belongs_to_that() {
    // If another program has the port already, that serves as well.
    let _taken = std::net::TcpListener::bind("127.0.0.1:27418");
    let machine = debian("v18.20.4");
    let output = machine.run(&["demo"]);
    let said = text(&output.stdout) + &text(&output.stderr);
    let lines: Vec<&str> = said.lines().filter(|line| line.contains("27418")).collect();
    assert_eq!(
        lines,
        [
            "Memory    port 27418 is taken, so the shop has another one; what memory knows of it belongs to port 27418 and helps \
          again when that port is free"
        ],
        "{said}"
    );
}
