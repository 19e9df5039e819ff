//! Files that are given to pages and taken from them, and only as the caller says.

use std::{fs, path::Path, sync::Arc};

use tokio::time::timeout;
use webwise::{
    action::{BrowserAction, ErrorClass, Outcome, Upload},
    browser::{BrowserDriver as _, ExecuteRequest},
    page::{DialogKind, Notice},
};

use crate::driver::{
    bed::{Bed, NEVER, button, click, dismiss, folder, serve, target},
    profile::full,
    web::Answer,
};

/// Uploads files by name. The run may upload what `own` has, and a file `gone` that is not there.
async fn upload(bed: &Bed, own: &Path, names: &[&str]) -> Outcome {
    let given = ["a", "b", "gone"].map(|name| (name.to_owned(), own.join(format!("{name}.txt"))));
    let action = BrowserAction::Upload(Upload {
        files: names.iter().map(|name| (*name).to_owned()).collect(),
    });
    let request = ExecuteRequest::new(action).with_files(Arc::new(given.into()));
    bed.driver.execute(&request).await.unwrap().outcome
}

const CHOOSES: &str = "<label>One <input type=file onchange=\"told(this)\"></label>
    <label>Many <input type=file multiple onchange=\"told(this)\"></label><output></output><script>
    const told = async field => {
        const texts = await Promise.all([...field.files].map(async file => file.name + '=' + await file.text()));
        document.querySelector('output').textContent = 'got ' + texts.join(', ');
    }</script>";

#[tokio::test(flavor = "multi_thread")]
async fn a_file_chooser_gets_what_may_be_sent_and_nothing_else() {
    let own = folder();
    for (name, text) in [("a.txt", "first"), ("b.txt", "second")] {
        fs::write(own.path().join(name), text).unwrap();
    }
    let bed = Bed::own(&[("/", CHOOSES)]).await;
    let upload = async |names: &[&str]| upload(&bed, own.path(), names).await;
    bed.open("/").await;
    let none = Some(ErrorClass::NoFileChooser);
    assert_eq!(upload(&["a"]).await.class(), none);
    let opened = bed.does(click(target("label=\"One\""))).await;
    assert_eq!(opened.dialog.map(|d| d.kind), Some(DialogKind::FileChooser));
    for refused in ["/etc/passwd", "../a", "c", "", "gone"] {
        let class = upload(&[refused]).await.class();
        assert_eq!(class, Some(ErrorClass::FileRefused), "{refused}");
    }
    let both = upload(&["a", "b"]).await;
    assert_eq!(both.class(), Some(ErrorClass::BadArguments));
    assert!(upload(&["a"]).await.is_done());
    bed.shows("got a.txt=first").await;
    bed.does(click(target("label=\"Many\""))).await;
    assert!(upload(&["a", "b"]).await.is_done());
    bed.shows("got a.txt=first, b.txt=second").await;
    bed.does(click(target("label=\"One\""))).await;
    bed.does(dismiss()).await;
    assert!(bed.see().await.dialog.is_none());
    assert_eq!(upload(&["a"]).await.class(), none);
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_chooser_of_a_frame_of_another_site_is_told_and_answered() {
    let own = folder();
    fs::write(own.path().join("a.txt"), "first").unwrap();
    let inner = "<button onclick=\"document.querySelector('input').click()\">Choose</button>
        <input type=file style='display:none' onchange=\"this.files[0].text().then(text => document.body.append('got ' + text))\">";
    let pages = [
        (
            "/",
            "<title>Outer</title><iframe src='THERE/inner'></iframe>",
        ),
        ("/inner", inner),
    ];
    let bed = Bed::own(&pages).await;
    bed.open("/").await;
    bed.shows("Choose").await;
    let opened = bed.does(click(bed.find("Choose").await)).await;
    assert_eq!(opened.dialog.map(|d| d.kind), Some(DialogKind::FileChooser));
    assert!(upload(&bed, own.path(), &["a"]).await.is_done());
    bed.shows("got first").await;
    bed.close().await;
}

const MIB: usize = 1 << 20;
/// Names that a page may give to its files.
const NAMES: [&str; 4] = [
    "../../../tmp/evil.sh",
    "/etc/cron.d/evil",
    ".bashrc",
    "a%0Ab%E2%80%AEfdp.exe",
];

fn downloads() -> crate::driver::web::Web {
    serve(|asked| {
        let file = |name: &str, body: String| Answer {
            status: 200,
            headers: vec![
                "Content-Type: application/octet-stream".into(),
                format!("Content-Disposition: attachment; filename*=UTF-8''{name}"),
            ],
            body,
        };
        match asked.path.trim_start_matches('/') {
            "small" => file("small.csv", "a,b\n".into()),
            "fits" => file("fits.bin", "x".repeat(99 * MIB)),
            "large" => file("large.bin", "x".repeat(101 * MIB)),
            "hostile" => {
                let links = (0..NAMES.len()).map(|n| {
                    format!("<button onclick=\"location = '/named{n}'\">Take {n}</button>")
                });
                Answer::page(links.collect::<String>())
            }
            path => match path
                .strip_prefix("named")
                .and_then(|n| n.parse::<usize>().ok())
            {
                Some(n) => file(NAMES[n], format!("hostile {n}")),
                None => Answer::page(
                    ["small", "fits", "large"]
                        .map(|to| format!("<button onclick=\"location = '/{to}'\">{to}</button>"))
                        .concat(),
                ),
            },
        }
    })
}

/// Presses a button that offers a file; what is told of it.
async fn take(bed: &Bed, name: &str) -> (String, bool) {
    let mut notices = bed.does(button(name)).await.notices;
    for _ in 0..600 {
        for notice in notices {
            if let Notice::Download {
                suggested_name,
                kept,
            } = notice
            {
                return (suggested_name, kept);
            }
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        notices = bed
            .act(BrowserAction::TabList(webwise::action::NoArguments {}))
            .await
            .notices;
    }
    panic!("nothing was told of {name}");
}

fn files(folder: &Path) -> Vec<(String, u64)> {
    let entry = |entry: fs::DirEntry| {
        (
            entry.file_name().into_string().unwrap(),
            entry.metadata().unwrap().len(),
        )
    };
    fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|found| entry(found.unwrap()))
        .collect()
}

/// Whether a name is one that this driver gives.
fn is_ours(name: &str) -> bool {
    let middle = name
        .strip_prefix("download-")
        .and_then(|rest| rest.strip_suffix(".bin"));
    middle.is_some_and(|id| id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// What lies in the folder for files on their way.
fn on_their_way(bed: &Bed) -> Vec<(String, u64)> {
    let private = fs::read_dir(bed.base())
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    files(&private.join("files"))
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_pages_are_refused_without_a_folder_for_them() {
    let bed = Bed::with(downloads(), |options| options).await;
    bed.open("/").await;
    assert_eq!(take(&bed, "small").await, ("small.csv".into(), false));
    assert_eq!(on_their_way(&bed), []);
    assert_eq!(bed.see().await.url, bed.url("/"), "the page stays");
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_kept_whole_under_names_of_ours_and_up_to_a_size() {
    let kept = folder();
    let into = kept.path().join("downloads");
    let bed = Bed::with(downloads(), |options| options.with_downloads(&into)).await;
    bed.open("/").await;
    assert_eq!(take(&bed, "small").await, ("small.csv".into(), true));
    let (name, size) = files(&into).pop().expect("it was kept");
    assert_eq!(
        (size, fs::read_to_string(into.join(&name)).unwrap().as_str()),
        (4, "a,b\n")
    );
    assert!(is_ours(&name), "{name}");
    fs::remove_file(into.join(name)).unwrap();

    // Only the full profile tries the largest file that is within the limit.
    if full() {
        assert_eq!(
            timeout(NEVER, take(&bed, "fits")).await.expect("it ends"),
            ("fits.bin".into(), true)
        );
        let (name, size) = files(&into).pop().expect("it was kept");
        assert_eq!(size, 99 * MIB as u64);
        fs::remove_file(into.join(name)).unwrap();
    }
    assert_eq!(
        timeout(NEVER, take(&bed, "large")).await.expect("it ends"),
        ("large.bin".into(), false)
    );
    assert_eq!(files(&into), []);
    // The browser removes what it has by then, in its own time.
    for _ in 0..200 {
        if on_their_way(&bed).is_empty() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(on_their_way(&bed), []);

    bed.open("/hostile").await;
    for (n, _) in NAMES.iter().enumerate() {
        let (told, was_kept) = take(&bed, &format!("Take {n}")).await;
        assert!(
            was_kept && !told.chars().any(|c| c.is_control() || c == '\u{202e}'),
            "{told:?}"
        );
    }
    let found = files(&into);
    assert_eq!(found.len(), NAMES.len());
    assert!(found.iter().all(|(name, _)| is_ours(name)), "{found:?}");
    assert_eq!(files(kept.path()).len(), 1, "nothing is beside the folder");
    bed.close().await;
}
