//! A machine for the program: what it finds there, and what a refusal looks like.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use tempfile::TempDir;

/// A home folder, and a `PATH` with nothing but the programs put there.
pub(crate) struct Machine {
    dir: TempDir,
}

impl Machine {
    /// A machine with these programs; each is a shell script.
    pub(crate) fn with(programs: &[(&str, &str)]) -> Self {
        let machine = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        std::fs::create_dir_all(machine.bin()).unwrap();
        std::fs::create_dir_all(machine.home()).unwrap();
        for (name, script) in programs {
            // Written by a child: a file that this process holds open for writing, also through the fork of another test,
            // cannot be started.
            let write = "printf '#!/bin/sh\\nPATH=/usr/bin:/bin\\n%s\\n' \"$2\" >\"$1\" && chmod 755 \"$1\"";
            let mut sh = Command::new("sh");
            assert!(
                sh.args(["-c", write, "sh"])
                    .arg(machine.bin().join(name))
                    .arg(script)
                    .status()
                    .unwrap()
                    .success()
            );
        }
        machine
    }

    pub(crate) fn complete() -> Self {
        Self::with(&[
            ("node", "echo v20.1.0"),
            ("playwright-cli", "echo 0.1.22"),
            ("chromium", "echo Chromium 156.0.8078.79 built on Debian"),
        ])
    }

    /// What is enough for the native driver, by programs that only say their version.
    pub(crate) fn with_chromium_alone() -> Self {
        Self::with(&[("chromium", "echo Chromium 156.0.8078.79 built on Debian")])
    }

    pub(crate) fn bin(&self) -> PathBuf {
        self.dir.path().join("bin")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_webwise"));
        command
            .env_clear()
            .env("PATH", self.bin())
            .env("HOME", self.home())
            .current_dir(self.home());
        command.args(args).stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    pub(crate) fn left_nothing(&self) -> bool {
        self.home().read_dir().unwrap().next().is_none()
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Asserts the contract of a bad input: exit code 2 and one sentence on stderr. Returns the sentence.
pub(crate) fn refused(machine: &Machine, output: &Output) -> String {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.starts_with("webwise: ") && !said.contains("panicked"),
        "{said}"
    );
    assert!(output.stdout.is_empty(), "{}", text(&output.stdout));
    assert!(machine.left_nothing());
    said
}

pub(crate) fn refusal_of(args: &[&str]) -> String {
    let machine = Machine::complete();
    refused(&machine, &machine.run(args))
}

/// A Debian in which apt-get and npm do nothing but put scripts where the real ones put programs.
pub(crate) fn debian(node_version: &str) -> Machine {
    let put = |path: &str, says: &str| {
        format!("printf '#!/bin/sh\\necho {says}\\n' >{path} && chmod 755 {path}")
    };
    let npm = [
        "case \" $* \" in *' --prefix '*) ;; *) exit 9;; esac",
        "for word in \"$@\"; do case $last in --prefix) root=$word;; esac; last=$word; done",
        "test -f \"$root/package.json\" || exit 8",
        "bin=$root/node_modules/.bin; mkdir -p \"$bin\"",
        &format!(
            "for word in \"$@\"; do case $word in node@22) {};; esac; done",
            put("\"$bin/node\"", "v22.1.0")
        ),
        &put("\"$bin/playwright-cli\"", "0.1.22"),
        "echo \"$*\" >\"$root/npm-was-told\"",
    ]
    .join("\n");
    let machine = Machine::with(&[("sudo", "shift; exec \"$@\""), ("npm.later", &npm)]);
    let bin = machine.bin().display().to_string();
    let apt_get = [
        &format!("echo \"$*\" >>{bin}/apt-was-told"),
        "test \"$DEBIAN_FRONTEND\" = noninteractive || exit 7",
        "test \"$1\" = update && exit 0",
        &put(&format!("{bin}/node"), node_version),
        &put(&format!("{bin}/chromium"), "Chromium 156.0.1"),
        &format!("mv {bin}/npm.later {bin}/npm"),
    ]
    .join("\n");
    let other = Machine::with(&[("apt-get", &apt_get)]);
    std::fs::rename(other.bin().join("apt-get"), machine.bin().join("apt-get")).unwrap();
    machine
}

pub(crate) fn root(machine: &Machine) -> PathBuf {
    machine.home().join(".cache/webwise/playwright-cli")
}

pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}
