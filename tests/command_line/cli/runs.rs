//! `webwise runs`: the list of runs, and what cannot be continued.

use std::path::Path;

use serde_json::Value;
use webwise::{
    RunId, SessionId,
    memory::Namespace,
    registry::{End, Heartbeat, RunManifest},
    store::{JsonFiles, RunRegistry},
};

use crate::cli::machine::{Machine, refusal_of, text};

/// Writes three runs: one that ended with an answer, one that failed, and one that is going on.
fn write(memory: &Path) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let runs = RunRegistry::new(JsonFiles::open(memory), Namespace::default());
        let now = chrono::Utc::now();
        for (nth, run) in ["run_a1", "run_a2", "run_b1"].into_iter().enumerate() {
            let begun = now - chrono::TimeDelta::minutes(30 - i64::try_from(nth).unwrap());
            let url = [
                "https://shop.example/",
                "https://desk.example/",
                "https://shop.example/x",
            ][nth];
            let run = RunId::parse(run).unwrap();
            let mut manifest =
                RunManifest::new(run, "Find \u{1b}[2K the price", begun).starting_at(url);
            let folder = memory.with_file_name("kept").join(manifest.run.as_str());
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("run_meta.json"), "{}").unwrap();
            manifest.artifact_paths = vec![folder.display().to_string()];
            manifest.session = (nth == 1).then(|| SessionId::parse("proj").unwrap());
            let lease = runs.start(&manifest).await.unwrap();
            match nth {
                2 => runs.beat(&lease, &Heartbeat::new(None, 2), now).await,
                nth => runs.end(&lease, &End::new(nth == 0, nth == 0), begun).await,
            }
            .unwrap();
        }
    });
}

#[test]
fn runs_are_listed_by_status_session_and_domain_in_lines_and_as_json() {
    let machine = Machine::with(&[]);
    let memory = machine.home().join("memory");
    let dir = memory.to_str().unwrap();
    let list = |more: &[&str]| {
        let args = [&["runs", "--memory-dir", dir], more].concat();
        let output = machine.run(&args);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let missing = format!("there is no folder {dir}");
    assert_eq!(list(&[]), format!("No run is listed: {missing}.\n"));
    for args in [&["runs", "--json"][..], &["runs", "show"]] {
        let output = machine.run(&[args, &["--memory-dir", dir]].concat());
        let said = text(&output.stderr);
        assert!(said.contains(&missing), "{args:?}: {said}");
        let expected = if args.contains(&"show") { 2 } else { 0 };
        assert_eq!(output.status.code(), Some(expected), "{said}");
    }
    std::fs::create_dir_all(&memory).unwrap();
    assert_eq!(list(&[]), "No run is listed.\n");
    write(&memory);
    let by_name = machine.run(&["runs", "list", "--memory-dir", dir]);
    assert_eq!(text(&by_name.stdout), list(&[]));
    let ids = |more: &[&str]| {
        let object: Value = serde_json::from_str(&list(&[more, &["--json"]].concat())).unwrap();
        let runs = object["runs"].as_array().unwrap().iter();
        let ids: Vec<&str> = runs.map(|run| run["runId"].as_str().unwrap()).collect();
        ids.join(" ")
    };
    assert_eq!(ids(&[]), "run_b1 run_a2 run_a1");
    assert_eq!(ids(&["--limit", "1"]), "run_b1");
    assert_eq!(ids(&["--status", "completed"]), "run_a1");
    assert_eq!(ids(&["--session-id", "proj"]), "run_a2");
    assert_eq!(ids(&["--domain", "shop.example"]), "run_b1 run_a1");
    let lines = list(&["--status", "running"]);
    assert!(
        lines.starts_with(
            "run_b1  running  28 minutes ago  shop.example  2 model calls\n    \"Find the price\"\n"
        ),
        "{lines}"
    );
}

#[test]
fn what_cannot_be_continued_is_refused_with_the_reason() {
    let machine = Machine::complete();
    let memory = machine.home().join("memory");
    write(&memory);
    let dir = memory.to_str().unwrap();
    let with = |more: &[&str]| {
        let args = [
            &[
                "run",
                "--memory-dir",
                dir,
                "--model",
                "m",
                "--base-url",
                "http://127.0.0.1:9",
            ],
            more,
        ];
        let output = machine.run(&args.concat());
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        text(&output.stderr)
    };
    for (args, why) in [
        (
            &["--resume-run", "run_c"][..],
            "no run run_c is known: `webwise runs` lists them",
        ),
        (
            &["--resume-run", "run_a"],
            "run_a could be run_a2 or run_a1",
        ),
        (
            &["--resume-run", "run_a1"],
            "it has ended with an answer. `webwise run --resume-run run_a1 --goal GOAL` starts",
        ),
        (
            &["--resume-run", "run_a2"],
            "nothing is stored from which it could go on",
        ),
        (&["--resume-run", "last"], "it is going on"),
        (&["--fork-run", "last", "--goal", "x"], "it is going on"),
        (&["--fork-run", "run_a1"], "--goal"),
        (
            &["--resume-run", "run_a1", "--url", "https://a.example"],
            "cannot be used with",
        ),
        (
            &["--resume-run", "run_a1", "--no-memory"],
            "cannot be used with",
        ),
        (&["--goal", "x"], "--url"),
    ] {
        let said = with(args);
        assert!(said.contains(why), "{args:?}: {said}");
    }
    assert!(
        refusal_of(&["runs", "--status", "done"])
            .contains("running, completed, failed or abandoned")
    );
    assert!(refusal_of(&["runs", "--limit", "0"]).contains("--limit"));
    std::fs::remove_dir_all(&memory).unwrap();
    let said = with(&["--resume-run", "last"]);
    assert!(said.contains("no run is known here"), "{said}");
}

#[test]
fn a_run_is_shown_by_the_beginning_of_its_id_wherever_it_was_written() {
    let machine = Machine::complete();
    let memory = machine.home().join("memory");
    write(&memory);
    // The folder that is looked into by default has other runs, a newer one among them.
    let [here, newer] = ["run_a0", "run_z9"].map(|run| {
        let here = machine.home().join("runs").join(run);
        std::fs::create_dir_all(&here).unwrap();
        std::fs::write(here.join("run_meta.json"), "{}").unwrap();
        here
    });
    let any = machine.run(&["runs", "show", "last"]);
    assert!(text(&any.stdout).starts_with(newer.to_str().unwrap()));
    let other = machine.run(&["runs", "show", "--namespace", "other"]);
    let none = "keeps the last 100 runs, has none of the 2 run folders in runs: give the id of one";
    assert!(text(&other.stderr).contains(none) && other.status.code() == Some(2));
    let show = |run: &str| {
        let args = [
            "runs",
            "show",
            run,
            "--memory-dir",
            memory.to_str().unwrap(),
        ];
        let output = machine.run(&args);
        (
            output.status.code(),
            text(&output.stdout) + &text(&output.stderr),
        )
    };
    let kept = machine.home().join("kept");
    for (run, folder) in [
        ("run_b", kept.join("run_b1")),
        ("last", kept.join("run_b1")),
        ("run_a2", kept.join("run_a2")),
        ("run_a0", here.clone()),
        ("runs/run_a0", here),
    ] {
        let page = format!("{}\n", folder.join("report.html").display());
        assert_eq!(show(run), (Some(0), page), "{run}");
    }
    assert_eq!(
        show("run_a"),
        (
            Some(2),
            "webwise: run_a could be run_a2, run_a1 or run_a0: give more of it\n".to_owned()
        )
    );
    let (code, said) = show("run_c");
    let looked = machine.home().join("runs");
    assert!(
        code == Some(2) && said.contains(looked.to_str().unwrap()) && said.contains("register"),
        "{said}"
    );
}

#[test]
fn a_report_that_nothing_can_open_is_written_and_its_path_is_told() {
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    for (programs, is_opened) in [
        (&[][..], false),
        (&[(opener, "exit 3")], false),
        (&[(opener, "exit 0")], true),
    ] {
        let machine = Machine::with(programs);
        let run = machine.home().join("runs/run_1");
        std::fs::create_dir_all(&run).unwrap();
        std::fs::write(run.join("run_meta.json"), "{}").unwrap();
        let output = machine.run(&["runs", "show", "run_1", "--open"]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        let page = run.join("report.html");
        assert_eq!(text(&output.stdout), format!("{}\n", page.display()));
        assert!(page.exists());
        let unopened = "nothing on this machine could open the report";
        assert_eq!(said.contains(unopened), !is_opened, "{said}");
    }
}
