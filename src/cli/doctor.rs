//! `webwise doctor`: one line for each check of this machine, and whether a demo can run here.
//!
//! # Decisions
//!
//! - If `WEBWISE_PLAYWRIGHT_CLI` names a tool, that tool is used, or reported as unusable. No other tool replaces it,
//!   because the user named it deliberately.
//! - A problem with a program that the chosen driver does not need is reported as a note. Such a note has no advice,
//!   because advice is printed after an arrow and asks the user to act.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{
    Refusal,
    args::DoctorArgs,
    config::Config,
    drive::model::{self, Described},
    memory_place::MemoryPlace,
    run_args::ModelArgs,
    say,
    setup::{
        choice::{Choice, DriverName, choose},
        machine::{CLI_VERSION, MIN_NODE_MAJOR, Machine, Surroundings, Tool},
        plan::needs_tool,
    },
};

/// Environment variables that configure a model. If a model is configured, the report prints the names of those that
/// are set and not empty. Of their values, it prints only the name of the model.
const MODEL_VARIABLES: [&str; 8] = [
    "GEMINI_API_KEY",
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "WEBWISE_LLM_BASE_URL",
    "WEBWISE_LLM_API_KEY",
    "WEBWISE_MODEL",
    "WEBWISE_LLM_MODE",
    "WEBWISE_CONTEXT_WINDOW",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Ok,
    Missing,
    TooOld,
    Broken,
    Note,
}

impl Status {
    const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Missing => "missing",
            Self::TooOld => "too old",
            Self::Broken => "broken",
            Self::Note => "note",
        }
    }
}

#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    status: Status,
    /// The finding in words, with a path if a program or folder was found.
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

impl Check {
    fn line(&self) -> String {
        let advice = self
            .advice
            .as_ref()
            .map(|advice| format!(" -> {advice}"))
            .unwrap_or_default();
        format!(
            "{:<8} {}: {}{advice}",
            self.status.word(),
            self.name,
            self.found
        )
    }

    /// Turns a problem with a program into a note that the driver does not need the program. Changes nothing if there is no
    /// problem.
    fn is_not_needed_by(&mut self, choice: &Choice) {
        if self.status != Status::Ok {
            self.status = Status::Note;
            self.found = format!("{}, and {} does not need it", self.found, choice.driver);
            self.advice = None;
        }
    }
}

#[derive(Debug, Serialize)]
struct Report {
    /// True if a demo can run here and save what it learns.
    ok: bool,
    driver: Driver,
    checks: Vec<Check>,
}

#[derive(Debug, Serialize)]
struct Driver {
    name: String,
    why: String,
}

/// Runs all checks and prints the report, together with the configuration files in use. Fails if a demo cannot run here.
pub(super) async fn run(args: &DoctorArgs, config: &Config) -> Result<(), Refusal> {
    let around = Surroundings::from_env()?;
    let machine = Machine::inspect(&around).await;
    let set: Vec<_> = MODEL_VARIABLES
        .into_iter()
        .filter(|name| std::env::var_os(name).is_some_and(|v| !v.is_empty()))
        .collect();
    let choice = choose(args.driver, machine.facts()).map_err(Refusal::usage)?;
    let mut checks = programs(&machine, &choice);
    if choice.driver == DriverName::PlaywrightCli {
        checks.push(folder(&around.root));
    }
    checks.push(memory(
        MemoryPlace::of(config.text("memory-dir").map(PathBuf::from)).dir(),
    ));
    let configured = ModelArgs {
        model: config.text("model").map(str::to_owned),
        base_url: config.text("base-url").and_then(|url| url.parse().ok()),
        ..ModelArgs::default()
    };
    checks.push(model(&set, model::described_by(&configured)));
    if args.online {
        checks.push(online(model::asked(&configured).await));
    }
    checks.extend(config.files().into_iter().map(|file| Check {
        name: "configuration",
        status: Status::Ok,
        found: file.display().to_string(),
        advice: None,
    }));
    let ok = checks
        .iter()
        .all(|check| matches!(check.status, Status::Ok | Status::Note));
    if args.json {
        let driver = Driver {
            name: choice.driver.to_string(),
            why: choice.why,
        };
        let report = Report { ok, driver, checks };
        let text = serde_json::to_string_pretty(&report).map_err(|error| {
            Refusal::failure(format!("the report cannot be written as JSON: {error}"))
        })?;
        say(text);
        return if ok { Ok(()) } else { Err(Refusal::silent()) };
    }
    for check in &checks {
        say(check.line());
    }
    if ok {
        Ok(())
    } else {
        Err(Refusal::failure(
            "something is missing or broken: do what stands behind the arrows above",
        ))
    }
}

/// Prints the lines of the report about the driver and its programs. `setup` prints them at its end too.
pub(super) fn print_tools(machine: &Machine, choice: &Choice) {
    for check in programs(machine, choice) {
        say(check.line());
    }
}

fn programs(machine: &Machine, choice: &Choice) -> Vec<Check> {
    let tools = tools(machine, choice);
    let is_fine = tools
        .iter()
        .all(|check| matches!(check.status, Status::Ok | Status::Note));
    // Missing programs have lines of their own, so they make this line only a note.
    let status = if is_fine { Status::Ok } else { Status::Note };
    let driver = Check {
        name: "driver",
        status,
        found: choice.to_string(),
        advice: None,
    };
    [driver].into_iter().chain(tools).collect()
}

fn tools(machine: &Machine, choice: &Choice) -> Vec<Check> {
    let setup = || Some(format!("run `{}`", choice.setup_command()));
    let node_status = match &machine.node {
        Tool::Found(..) if !machine.node_is_fine() => Status::TooOld,
        tool => status(tool),
    };
    let mut node = check("Node.js", node_status, &machine.node, setup());
    if node_status == Status::TooOld {
        node.found = format!(
            "{}, playwright-cli needs {MIN_NODE_MAJOR} or newer",
            node.found
        );
    }
    let mut cli = check(
        "playwright-cli",
        status(&machine.cli),
        &machine.cli,
        setup(),
    );
    if let Tool::Found(path, _) = &machine.cli {
        // These places are in the order in which the driver searches, and the first match is used.
        let why = match path {
            _ if machine.cli_is_given => "chosen by WEBWISE_PLAYWRIGHT_CLI",
            path if path.starts_with(&machine.root) => "in webwise's own folder",
            _ => "found on PATH",
        };
        cli.found = format!("{}, {why}", cli.found);
    }
    if cli.status == Status::Ok && !machine.cli_is_fine() {
        cli.status = if machine.cli.version() < Some(CLI_VERSION) {
            Status::TooOld
        } else {
            Status::Broken
        };
        cli.found = format!("{}, the driver is made for {CLI_VERSION}", cli.found);
        cli.advice = setup();
    } else if machine.cli_is_given {
        if cli.status == Status::Ok && machine.cli.version() != Some(CLI_VERSION) {
            cli.status = Status::Note;
            cli.found = format!("{}, tested is {CLI_VERSION}", cli.found);
        } else if cli.status != Status::Ok && machine.node_is_fine() {
            cli.advice = Some("correct or unset WEBWISE_PLAYWRIGHT_CLI".to_owned());
        }
    }
    if !needs_tool(choice) {
        for check in [&mut node, &mut cli] {
            check.is_not_needed_by(choice);
        }
    }
    let mut chromium = check(
        "Chromium",
        status(&machine.chromium),
        &machine.chromium,
        setup(),
    );
    if machine.chromium_is_given {
        if chromium.status == Status::Ok {
            chromium.found = format!("{}, chosen by WEBWISE_CHROMIUM", chromium.found);
        } else {
            chromium.advice = Some("correct or unset WEBWISE_CHROMIUM".to_owned());
        }
    }
    vec![node, cli, chromium]
}

const fn status(tool: &Tool) -> Status {
    match tool {
        Tool::Missing => Status::Missing,
        Tool::Broken(..) => Status::Broken,
        Tool::Found(..) => Status::Ok,
    }
}

fn check(name: &'static str, status: Status, tool: &Tool, advice: Option<String>) -> Check {
    let found = match tool {
        Tool::Missing => "not found".to_owned(),
        Tool::Broken(path, reason) => format!("{} cannot be used ({reason})", path.display()),
        Tool::Found(path, version) => format!("{version} at {}", path.display()),
    };
    Check {
        name,
        status,
        found,
        advice: advice.filter(|_| status != Status::Ok),
    }
}

/// Checks that files can be created in webwise's own folder for playwright-cli. If the folder is missing, checks that it can
/// be created.
fn folder(root: &Path) -> Check {
    let fault = fault(root);
    let advice = fault.map(|_| "set WEBWISE_HOME to a folder that you can write".to_owned());
    folder_check("folder of playwright-cli", root, fault, advice)
}

/// Checks that the folder of memory can be read and written. If the folder is missing, checks that it can be created.
fn memory(place: Result<PathBuf, Refusal>) -> Check {
    match place {
        Ok(place) => {
            let fault = fault(&place);
            let advice = fault.map(|_| {
                "make it a folder that you can read and write, or name another with --memory-dir or WEBWISE_HOME"
                    .to_owned()
            });
            folder_check("memory", &place, fault, advice)
        }
        Err(refusal) => {
            let found = "it has no folder".to_owned();
            Check {
                name: "memory",
                status: Status::Broken,
                found,
                advice: Some(refusal.sentence().to_owned()),
            }
        }
    }
}

fn folder_check(
    name: &'static str,
    folder: &Path,
    fault: Option<&str>,
    advice: Option<String>,
) -> Check {
    let status = if fault.is_none() {
        Status::Ok
    } else {
        Status::Broken
    };
    let fault = fault.map(|fault| format!(" {fault}")).unwrap_or_default();
    Check {
        name,
        status,
        found: format!("{}{fault}", folder.display()),
        advice,
    }
}

/// Returns the reason why the folder cannot be used, worded as the end of a sentence; `None` if it can be used. Creates
/// nothing.
fn fault(folder: &Path) -> Option<&'static str> {
    // A dangling link counts as existing here, because no folder can be created in its place.
    if folder.symlink_metadata().is_ok() {
        return match (folder.is_dir(), can(folder, true)) {
            (false, _) => Some("is no folder"),
            (true, false) => Some("cannot be read and written"),
            (true, true) => None,
        };
    }
    let nearest = folder
        .ancestors()
        .skip(1)
        .find(|folder| folder.symlink_metadata().is_ok());
    let fine = nearest.is_some_and(|folder| folder.is_dir() && can(folder, false));
    (!fine).then_some("cannot be made")
}

/// Returns true if files can be created in a folder. With `read`, returns true only if the folder can be listed too.
#[cfg(unix)]
fn can(folder: &Path, read: bool) -> bool {
    use rustix::fs::Access;

    let rights = Access::WRITE_OK
        | Access::EXEC_OK
        | if read {
            Access::READ_OK
        } else {
            Access::empty()
        };
    rustix::fs::access(folder, rights).is_ok()
}

#[cfg(not(unix))]
fn can(folder: &Path, _read: bool) -> bool {
    folder.metadata().is_ok_and(|m| !m.permissions().readonly())
}

/// Checks which model a run would use. The result contains the names of variables and the name of the model, but no
/// other value of a variable. `set` contains the variables of [`MODEL_VARIABLES`] that are set.
fn model(set: &[&str], described: Result<Option<Described>, Refusal>) -> Check {
    let (status, found, advice) = match described {
        Ok(Some(model)) => {
            let (used, idle): (Vec<&str>, Vec<&str>) =
                set.iter().partition(|name| model.uses(name));
            let idle = if idle.is_empty() {
                String::new()
            } else {
                format!(", not used: {}", idle.join(", "))
            };
            let used = if used.is_empty() {
                "the configuration file".to_owned()
            } else {
                used.join(", ")
            };
            (
                Status::Ok,
                format!("{}, configured by {used}{idle}", model.name),
                None,
            )
        }
        Ok(None) => {
            let advice = format!(
                "set {}, WEBWISE_LLM_BASE_URL or WEBWISE_MODEL to use a model",
                MODEL_VARIABLES[..3].join(", ")
            );
            (
                Status::Note,
                "none configured, the demo takes the built-in stand-in".to_owned(),
                Some(advice),
            )
        }
        Err(refusal) => (
            Status::Broken,
            format!("configured by {}", set.join(", ")),
            Some(refusal.sentence().to_owned()),
        ),
    };
    Check {
        name: "model",
        status,
        found,
        advice,
    }
}

/// Reports the model's answer to one tiny question.
fn online(asked: Result<Option<String>, String>) -> Check {
    let (status, found, advice) = match asked {
        Ok(Some(answer)) => (Status::Ok, answer, None),
        Ok(None) => (Status::Note, "there is no server to ask".to_owned(), None),
        Err(why) => {
            let advice = "correct the key, the name or the address of the model".to_owned();
            (Status::Broken, why, Some(advice))
        }
    };
    Check {
        name: "model online",
        status,
        found,
        advice,
    }
}

#[cfg(test)]
mod tests {
    use super::{super::setup::machine::*, *};

    fn tools(machine: &Machine) -> Vec<Check> {
        super::tools(machine, &asked(DriverName::PlaywrightCli))
    }

    fn asked(driver: DriverName) -> Choice {
        Choice {
            driver,
            why: "--driver asks for it".to_owned(),
            is_asked: true,
        }
    }

    fn machine() -> Machine {
        Machine {
            root: "/r".into(),
            node: Tool::Found("/usr/bin/node".into(), Version([22, 1, 0])),
            npm: None,
            cli: Tool::Found("/r/playwright-cli".into(), CLI_VERSION),
            cli_is_given: false,
            chromium: Tool::Found("/usr/bin/chromium".into(), Version([156, 0, 0])),
            chromium_is_given: false,
            installer: Installer::NoAptGet,
        }
    }

    fn lines(machine: &Machine) -> Vec<String> {
        tools(machine).iter().map(Check::line).collect()
    }

    #[test]
    fn each_line_says_what_was_found_where_and_what_to_do() {
        assert_eq!(
            lines(&machine())[0],
            "ok       Node.js: 22.1.0 at /usr/bin/node"
        );
        let old = Machine {
            node: Tool::Found("/usr/bin/node".into(), Version([18, 20, 4])),
            ..machine()
        };
        assert_eq!(
            lines(&old)[0],
            "too old  Node.js: 18.20.4 at /usr/bin/node, playwright-cli needs 20 or newer -> run `webwise setup --driver playwright-cli`"
        );
        let none = Machine {
            chromium: Tool::Missing,
            ..machine()
        };
        assert_eq!(
            lines(&none)[2],
            "missing  Chromium: not found -> run `webwise setup --driver playwright-cli`"
        );
        let wrong = Machine {
            chromium: Tool::Broken("/x".into(), "exit 1".into()),
            chromium_is_given: true,
            ..machine()
        };
        assert_eq!(
            lines(&wrong)[2],
            "broken   Chromium: /x cannot be used (exit 1) -> correct or unset WEBWISE_CHROMIUM"
        );
    }

    #[test]
    fn another_release_of_the_driver_counts_only_if_it_was_chosen() {
        let cli = Tool::Found("/x".into(), Version([0, 2, 0]));
        let found = Machine {
            cli: cli.clone(),
            ..machine()
        };
        assert_eq!(tools(&found)[1].status, Status::Broken);
        let chosen = Machine {
            cli,
            cli_is_given: true,
            ..machine()
        };
        assert_eq!(tools(&chosen)[1].status, Status::Note);
        let older = Machine {
            cli: Tool::Found("/x".into(), Version([0, 1, 3])),
            ..machine()
        };
        assert_eq!(tools(&older)[1].status, Status::TooOld);
    }

    #[test]
    fn what_the_driver_does_not_need_is_a_note_without_advice() {
        let old = Tool::Found("/usr/bin/node".into(), Version([18, 20, 4]));
        let machine = Machine {
            node: old,
            cli: Tool::Missing,
            ..machine()
        };
        let lines = |driver| {
            programs(&machine, &asked(driver))
                .iter()
                .map(Check::line)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            lines(DriverName::Cdp),
            [
                "ok       driver: cdp, because --driver asks for it",
                "note     Node.js: 18.20.4 at /usr/bin/node, playwright-cli needs 20 or newer, and cdp does not need it",
                "note     playwright-cli: not found, and cdp does not need it",
                "ok       Chromium: 156.0.0 at /usr/bin/chromium",
            ]
        );
        let wanted = lines(DriverName::PlaywrightCli);
        assert_eq!(
            wanted[0],
            "note     driver: playwright-cli, because --driver asks for it"
        );
        assert_eq!(
            wanted[2],
            "missing  playwright-cli: not found -> run `webwise setup --driver playwright-cli`"
        );
        let choice = Choice {
            is_asked: false,
            ..asked(DriverName::Cdp)
        };
        let none = Machine {
            chromium: Tool::Missing,
            ..machine
        };
        assert_eq!(
            super::tools(&none, &choice)[2].line(),
            "missing  Chromium: not found -> run `webwise setup`"
        );
    }

    #[test]
    fn which_program_is_taken_is_told_with_the_reason() {
        let at = |path: &str| Tool::Found(path.into(), CLI_VERSION);
        for (cli, cli_is_given, said) in [
            (
                at("/r/node_modules/.bin/playwright-cli"),
                false,
                "in webwise's own folder",
            ),
            (at("/usr/bin/playwright-cli"), false, "found on PATH"),
            (
                at("/usr/bin/playwright-cli"),
                true,
                "chosen by WEBWISE_PLAYWRIGHT_CLI",
            ),
        ] {
            let line = lines(&Machine {
                cli,
                cli_is_given,
                ..machine()
            })
            .remove(1);
            assert!(
                line.starts_with("ok       playwright-cli: 0.1.22 at /") && line.ends_with(said),
                "{line}"
            );
        }
        let named = lines(&Machine {
            chromium_is_given: true,
            ..machine()
        })
        .remove(2);
        assert_eq!(
            named,
            "ok       Chromium: 156.0.0 at /usr/bin/chromium, chosen by WEBWISE_CHROMIUM"
        );
    }

    #[test]
    fn a_folder_that_cannot_be_used_says_whose_it_is_and_what_to_do() {
        let dir = tempfile::tempdir().unwrap();
        let new = dir.path().join("a/b");
        assert_eq!(
            folder(&new).line(),
            format!("ok       folder of playwright-cli: {}", new.display())
        );
        assert_eq!(
            memory(Ok(new.clone())).line(),
            format!("ok       memory: {}", new.display())
        );
        assert!(!dir.path().join("a").exists(), "nothing is made");
        std::fs::create_dir_all(&new).unwrap();
        assert_eq!(memory(Ok(new)).status, Status::Ok);

        let file = dir.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert_eq!(
            folder(&file.join("x")).line(),
            format!(
                "broken   folder of playwright-cli: {}/x cannot be made -> set WEBWISE_HOME to a folder that you can write",
                file.display()
            )
        );
        for (place, fault) in [
            (file.clone(), "is no folder"),
            (file.join("x"), "cannot be made"),
        ] {
            let line = memory(Ok(place.clone())).line();
            assert!(
                line.starts_with(&format!("broken   memory: {} {fault} -> ", place.display())),
                "{line}"
            );
        }
        let none = memory(Err(Refusal::usage("set WEBWISE_HOME"))).line();
        assert_eq!(
            none,
            "broken   memory: it has no folder -> set WEBWISE_HOME"
        );
    }

    #[test]
    fn a_missing_model_is_no_obstacle() {
        assert_eq!(model(&[], Ok(None)).status, Status::Note);
        let wrong = model(
            &["WEBWISE_MODEL"],
            Err(Refusal::usage(
                "WEBWISE_MODEL is a model of an unknown provider",
            )),
        );
        assert_eq!(
            wrong.line(),
            "broken   model: configured by WEBWISE_MODEL -> WEBWISE_MODEL is a model of an unknown provider"
        );
    }
}
