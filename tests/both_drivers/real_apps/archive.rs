//! Nothing of a package is unpacked or run before it is known to be the right one.

use std::{
    env,
    ffi::OsString,
    fs,
    path::Path,
    process::{Command, Output},
};

use crate::real_apps::beds::{BEDS, Bed, File, Form};

/// An archive under the name that is expected, as an index would have it, whose code leaves a mark when it runs. It names no
/// build system, like the real one.
const MAKE: &str = r#"
import io, sys, tarfile, zipfile
index, mark = sys.argv[1:]
files = {
    "PKG-INFO": "Metadata-Version: 2.1\nName: roundup\nVersion: 2.6.0\n",
    "pyproject.toml": "[tool.other]\n",
    "setup.py": f"open({mark!r}, 'w').close()\n",
}
with tarfile.open(index + "/roundup-2.6.0.tar.gz", "w:gz") as out:
    for name, text in files.items():
        entry = tarfile.TarInfo("roundup-2.6.0/" + name)
        entry.size = len(text)
        out.addfile(entry, io.BytesIO(text.encode()))
with zipfile.ZipFile(index + "/miniwob-1.1.0-py3-none-any.whl", "w") as out:
    date = (2026, 5, 6, 7, 8, 10)
    out.writestr(zipfile.ZipInfo("miniwob/html/miniwob/page.html", date), "a page")
    out.writestr(zipfile.ZipInfo("miniwob-1.1.0.dist-info/METADATA", date), "Metadata-Version: 2.1\nName: miniwob\nVersion: 1.1.0\n")
    out.writestr(zipfile.ZipInfo("miniwob-1.1.0.dist-info/WHEEL", date), "Wheel-Version: 1.0\nTag: py3-none-any\n")
"#;

fn python(args: &[&str]) -> Output {
    Command::new("python3")
        .args(args)
        .output()
        .expect("python3 is needed: run `cargo run --features full --example test_beds` first")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a temporary folder has a plain name")
}

/// A folder with an index of both archives in it, and the environment in which pip asks that index alone.
fn index(dir: &Path) -> Vec<(OsString, OsString)> {
    let index = dir.join("index");
    fs::create_dir(&index).expect("a folder");
    let made = python(&["-c", MAKE, text(&index), text(&dir.join("mark"))]);
    assert!(made.status.success(), "{made:?}");
    let of = |name: &str| env::var_os(name).map(|value| (name.into(), value));
    let no_index = ("PIP_NO_INDEX".into(), "1".into());
    let links = ("PIP_FIND_LINKS".into(), index.into());
    [of("PATH"), of("HOME"), Some(no_index), Some(links)]
        .into_iter()
        .flatten()
        .collect()
}

#[test]
fn the_code_of_a_source_archive_does_not_run_before_its_hash_is_known() {
    let dir = tempfile::tempdir().expect("a folder");
    let (home, mark) = (dir.path().join("home"), dir.path().join("mark"));
    let env = index(dir.path());
    let is_source = |bed: &&Bed| bed.form == Form::Source("roundup-2.6.0");
    let roundup = BEDS.iter().find(is_source).expect("a source archive");
    let why = roundup.bring(&home, &env).expect_err("it is another file");
    assert!(!mark.exists(), "the archive's own code has run: {why}");
    // pip brought it, so it had what it wanted of it.
    assert!(
        why.contains("roundup-2.6.0.tar.gz is not the expected file"),
        "{why}"
    );
    assert_eq!(left(&home.join("roundup")), [""; 0]);

    // The control: run, it would have left its mark.
    let unpacked = Command::new("tar")
        .arg("-xzf")
        .arg(dir.path().join("index/roundup-2.6.0.tar.gz"))
        .arg("-C")
        .arg(dir.path())
        .status();
    assert!(unpacked.expect("tar runs").success());
    python(&[text(&dir.path().join("roundup-2.6.0/setup.py"))]);
    assert!(mark.exists());
}

#[test]
fn a_wheel_is_unpacked_only_where_it_is_the_expected_one_and_comes_into_its_place_whole() {
    let dir = tempfile::tempdir().expect("a folder");
    let (home, env) = (dir.path().join("home"), index(dir.path()));
    let [miniwob, ..] = BEDS;
    let why = miniwob.bring(&home, &env).expect_err("it is another file");
    assert!(why.contains("is not the expected file"), "{why}");
    assert_eq!(left(&home.join("miniwob")), [""; 0]);

    let bytes = fs::read(dir.path().join("index/miniwob-1.1.0-py3-none-any.whl")).expect("a wheel");
    let mut sha256 = String::new();
    for byte in <sha2::Sha256 as sha2::Digest>::digest(bytes) {
        let _ = std::fmt::Write::write_fmt(&mut sha256, format_args!("{byte:02x}"));
    }
    let ours = Bed {
        files: Box::leak(Box::new([File {
            sha256: sha256.leak(),
            ..miniwob.files[0]
        }])),
        ..miniwob
    };
    // What an earlier one left behind goes.
    fs::create_dir_all(home.join("miniwob/1.1.0/half")).expect("a folder");
    ours.bring(&home, &env).expect("it is the expected file");
    assert!(ours.is_in(&home) && !home.join("miniwob/1.1.0/half").exists());
    assert_eq!(left(&home.join("miniwob")), ["1.1.0"]);
}

/// The names in a folder.
fn left(folder: &Path) -> Vec<String> {
    fs::read_dir(folder)
        .expect("it was made")
        .map(|entry| entry.expect("it can be read").file_name().into_string())
        .collect::<Result<_, _>>()
        .expect("plain names")
}
