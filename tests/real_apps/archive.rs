//! A source archive is not run before it is known to be the right one.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// An archive under the name that is expected, as an index would have it, whose code leaves a mark when it runs. It names no
/// build system, like the real one.
const MAKE: &str = r#"
import io, sys, tarfile
archive, mark = sys.argv[1:]
files = {
    "PKG-INFO": "Metadata-Version: 2.1\nName: roundup\nVersion: 2.6.0\n",
    "pyproject.toml": "[tool.other]\n",
    "setup.py": f"open({mark!r}, 'w').close()\n",
}
with tarfile.open(archive, "w:gz") as out:
    for name, text in files.items():
        entry = tarfile.TarInfo("roundup-2.6.0/" + name)
        entry.size = len(text)
        out.addfile(entry, io.BytesIO(text.encode()))
"#;

fn python(args: &[&str]) -> Output {
    Command::new("python3")
        .args(args)
        .output()
        .expect("python3 is needed: run `webwise setup --tests` first")
}

/// A program that says what it is told to say, or is another one.
fn put(bin: &Path, name: &str, script: &str) {
    // Written by a child: a file that this process holds open for writing, also through the fork of another test, cannot be
    // started.
    let write = "printf '#!/bin/sh\\n%s\\n' \"$2\" >\"$1\" && chmod 755 \"$1\"";
    let status = Command::new("sh")
        .args(["-c", write, "sh"])
        .arg(bin.join(name))
        .arg(script)
        .status();
    assert!(status.expect("sh runs").success());
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a temporary folder has a plain name")
}

#[test]
fn the_code_of_a_source_archive_does_not_run_before_its_hash_is_known() {
    let dir = tempfile::tempdir().expect("a folder");
    let [bin, home, index]: [PathBuf; 3] =
        ["bin", "home", "index"].map(|name| dir.path().join(name));
    let (mark, archive) = (dir.path().join("mark"), index.join("roundup-2.6.0.tar.gz"));
    for folder in [
        &bin,
        &index,
        &home.join("miniwob/1.1.0/miniwob/html/miniwob"),
    ] {
        fs::create_dir_all(folder).expect("a folder");
    }
    fs::create_dir_all(home.join("django/5.2.19/django/contrib/admin")).expect("a folder");
    let made = python(&["-c", MAKE, text(&archive), text(&mark)]);
    assert!(made.status.success() && archive.is_file(), "{made:?}");
    let real = String::from_utf8(python(&["-c", "import sys; print(sys.executable)"]).stdout)
        .expect("a path");
    for (name, script) in [
        ("node", "echo v20.1.0"),
        ("playwright-cli", "echo 0.1.22"),
        ("chromium", "echo Chromium 156.0.1"),
        ("strace", "echo strace -- version 6.1"),
        ("python3", &format!("exec '{}' \"$@\"", real.trim())),
    ] {
        put(&bin, name, script);
    }
    let path = std::env::join_paths([&bin, Path::new("/usr/bin"), Path::new("/bin")])
        .expect("a search path");
    let output = Command::new(env!("CARGO_BIN_EXE_webwise"))
        .args(["setup", "--tests"])
        .env_clear()
        .envs([
            ("PATH", path.as_os_str()),
            ("HOME", home.as_os_str()),
            ("WEBWISE_HOME", home.as_os_str()),
        ])
        .envs([("PIP_NO_INDEX", "1"), ("PIP_FIND_LINKS", text(&index))])
        .output()
        .expect("webwise runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!mark.exists(), "the archive's own code has run: {said}");
    // pip brought it, so it had what it wanted of it.
    assert!(
        said.contains("roundup-2.6.0.tar.gz is not the expected file"),
        "{said}"
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(!home.join("roundup/2.6.0").exists());

    // The control: run, it would have left its mark.
    let unpacked = Command::new("tar")
        .arg("-xzf")
        .arg(&archive)
        .arg("-C")
        .arg(dir.path())
        .status();
    assert!(unpacked.expect("tar runs").success());
    python(&[text(&dir.path().join("roundup-2.6.0/setup.py"))]);
    assert!(mark.exists());
}
