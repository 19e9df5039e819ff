//! What cannot be started: a typed error that says what is wrong, never a hang, and nothing is left.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use tokio::time::timeout;
use webwise::{
    Error, ErrorKind,
    browser::{Cdp, CdpOptions},
};

use crate::driver::{
    bed::{NEVER, folder, options},
    processes::gone,
};

/// A program of this script.
fn program(folder: &Path, name: &str, script: &str) -> PathBuf {
    let file = folder.join(name);
    crate::driver::executable::write(&file, script);
    file
}

/// Why these options start no browser; nothing of the attempt is left in the folder.
async fn why(options: &CdpOptions, base: &Path) -> Error {
    let error = refused(options).await;
    let (_, left) = gone(base, &[].into());
    assert!(left.is_empty(), "{error}: {left:?}");
    let folders = || {
        fs::read_dir(base)
            .unwrap()
            .filter(|e| e.as_ref().is_ok_and(|e| e.file_type().unwrap().is_dir()))
    };
    for _ in 0..100 {
        if folders().count() == 0 {
            return error;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{error}: {:?}", folders().collect::<Vec<_>>());
}

async fn refused(options: &CdpOptions) -> Error {
    timeout(NEVER, Cdp::launch(options))
        .await
        .expect("it does not hang")
        .expect_err("it is no browser")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_browser_is_unavailable_and_says_why() {
    let (base, tools) = (folder(), folder());
    let dies = program(
        tools.path(),
        "dies",
        "echo starting >&2; echo 'FATAL: no display :0' >&2; echo bye >&2; exit 3",
    );
    let plain = tools.path().join("plain");
    fs::write(&plain, "no program").unwrap();
    for (program, words) in [
        (Path::new("/nonexistent/chromium"), "not found"),
        (Path::new("/etc"), "denied"),
        (&plain, "denied"),
        (Path::new("/bin/true"), "said nothing"),
        (Path::new("/bin/cat"), "--help"),
        (&dies, "no display :0"),
        (&dies, "status 3"),
    ] {
        let options = CdpOptions::new(program).with_folder(base.path());
        let error = why(&options, base.path()).await;
        let text = error.to_string();
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{text}");
        assert!(
            text.contains(program.to_str().unwrap()) && text.to_lowercase().contains(words),
            "{text}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_never_answers_is_given_up_in_time_and_ended() {
    let (base, tools) = (folder(), folder());
    // The second has no argument that names the folder, the third leaves a child behind.
    for (name, script) in [
        ("deaf", "while :; do sleep 1; done"),
        ("other", "exec sleep 600"),
        ("parent", "sleep 600 & wait"),
        (
            "talks",
            "while :; do printf 'nonsense\\0{}\\0{\"id\":7}\\0' >&4; sleep 0.1; done",
        ),
    ] {
        let program = program(tools.path(), name, script);
        let options = CdpOptions::new(&program).with_folder(base.path());
        let error = why(
            &options.with_launch_timeout(Duration::from_millis(500)),
            base.path(),
        )
        .await;
        assert_eq!(error.kind(), ErrorKind::Timeout, "{name}: {error}");
        assert!(
            error.to_string().contains(program.to_str().unwrap()),
            "{error}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_crashes_at_its_start_is_started_once_more() {
    let (base, tools) = (folder(), folder());
    let starts = tools.path().join("starts");
    let count = || {
        fs::read_to_string(&starts)
            .unwrap_or_default()
            .lines()
            .count()
    };
    let crashes = format!(
        "echo x >> {0}; echo 'ERROR:third_party/crashpad open cpufreq' >&2",
        starts.display()
    );
    let always = program(tools.path(), "always", &format!("{crashes}; kill -TRAP $$"));
    let error = why(
        &CdpOptions::new(&always).with_folder(base.path()),
        base.path(),
    )
    .await;
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(
        error.to_string().contains("signal 5") && error.to_string().contains("nothing"),
        "{error}"
    );
    assert_eq!(count(), 2, "once more and no more");

    let chromium = webwise::browser::ProgramPlaces::from_env()
        .chromium()
        .expect("Chromium");
    let script = format!(
        "[ $(wc -l < {0}) -gt 2 ] && exec {1} \"$@\"; {crashes}; kill -TRAP $$",
        starts.display(),
        chromium.display()
    );
    let once = program(tools.path(), "once", &script);
    let driver = Cdp::launch(&CdpOptions::new(&once).with_folder(base.path()))
        .await
        .unwrap();
    assert_eq!(count(), 3);
    webwise::browser::BrowserDriver::close(&driver)
        .await
        .unwrap();
    let refuses = program(
        tools.path(),
        "refuses",
        &format!("echo x >> {}; exit 1", starts.display()),
    );
    why(
        &CdpOptions::new(&refuses).with_folder(base.path()),
        base.path(),
    )
    .await;
    assert_eq!(count(), 4, "one that says no is not asked again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_leaves_nothing_in_the_home_of_its_user() {
    if let Some(base) = std::env::var_os(HOMELESS) {
        let driver = Cdp::launch(&options(Path::new(&base))).await.unwrap();
        let web = crate::driver::bed::site(&[("/", "<p>here")]);
        crate::driver::bed::act(&driver, crate::driver::bed::goto(web.url("127.0.0.1", "/")))
            .await
            .unwrap();
        webwise::browser::BrowserDriver::close(&driver)
            .await
            .unwrap();
        return;
    }
    let (base, home) = (folder(), folder());
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    again.args([
        "--exact",
        "driver::starts::a_browser_leaves_nothing_in_the_home_of_its_user",
        "--nocapture",
    ]);
    let chromium = webwise::browser::ProgramPlaces::from_env()
        .chromium()
        .expect("Chromium");
    again
        .env(HOMELESS, base.path())
        .env("HOME", home.path())
        .env("WEBWISE_CHROMIUM", chromium);
    for name in [
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
        "XDG_DATA_HOME",
        "XDG_RUNTIME_DIR",
    ] {
        again.env_remove(name);
    }
    let ended = tokio::task::spawn_blocking(move || again.output())
        .await
        .unwrap()
        .unwrap();
    assert!(
        ended.status.success(),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
    let left: Vec<_> = fs::read_dir(home.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(left, Vec::<PathBuf>::new());
}

/// Set for the process that has an empty home; its value is where the browser's folder is made.
const HOMELESS: &str = "WEBWISE_CDP_HOMELESS";

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_cannot_be_used_is_named() {
    let base = folder();
    let file = base.path().join("file");
    fs::write(&file, "").unwrap();
    let long = base.path().join("x".repeat(60));
    fs::create_dir(&long).unwrap();
    for (folder, kind) in [
        (Path::new("/nonexistent/folder"), ErrorKind::Io),
        // Nobody can write there, not even root.
        (Path::new("/proc"), ErrorKind::Io),
        (&file, ErrorKind::Io),
        (&long, ErrorKind::InvalidInput),
    ] {
        let error = refused(&options(folder)).await;
        assert_eq!(error.kind(), kind, "{error:?}");
        let text = format!("{error} {error:?}");
        assert!(text.contains(folder.to_str().unwrap()), "{text}");
    }
}
