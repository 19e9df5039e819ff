//! Installs what the tests of this crate need: both drivers, MiniWoB++, Django, Roundup, libraries of widgets, PostgreSQL and
//! strace. Installs Chromium's headless shell too, if it is a package of the system. Asks nothing, and does nothing if
//! everything is there.
//!
//! `cargo run --features full --example test_beds`

mod beds;
#[path = "../../src/cli/setup/environment.rs"]
mod environment;

use std::{
    ffi::OsString,
    path::Path,
    process::{ExitCode, Stdio},
};

use beds::{BEDS, Bed, Failed, Form, command, postgres, run};
use webwise::browser::ProgramPlaces;

/// Name of the headless shell: the program, and Debian's package. No test needs it, but most take less time with it.
const SHELL: &str = "chromium-headless-shell";

type Env = [(OsString, OsString)];

fn main() -> ExitCode {
    let drivers = ["webwise", "setup", "--yes", "--driver", "playwright-cli"];
    let code = webwise::cli::main(drivers.map(OsString::from));
    if code != ExitCode::SUCCESS {
        return code;
    }
    match bring_all() {
        Ok(()) => {
            println!("The test beds are there.");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn bring_all() -> Result<(), Failed> {
    let places = ProgramPlaces::from_env();
    let home = places
        .installation_folder()
        .and_then(Path::parent)
        .ok_or("neither HOME nor WEBWISE_HOME is set")?;
    let env: Vec<_> = environment::allowed(std::env::vars_os())
        .chain([("DEBIAN_FRONTEND".into(), "noninteractive".into())])
        .collect();
    let missing: Vec<&Bed> = BEDS
        .iter()
        .filter(|bed| !bed.is_in(home) && !is_needless(bed))
        .collect();
    install(
        &system_packages(missing.iter().any(|bed| bed.form != Form::Npm), &env),
        &env,
    )?;
    let is_wanted = !places.names_chromium() && places.on_path(SHELL).is_none();
    if is_wanted
        && answers(&["apt-cache", "show", SHELL], &env)
        && let Err(why) = install(&[SHELL], &env)
    {
        println!("All tests use Chromium itself, so they take longer: {why}");
    }
    for bed in missing {
        let by = if bed.form == Form::Npm { "npm" } else { "pip" };
        println!("Get {} with {by}", home.join(bed.folder).display());
        bed.bring(home, &env)?;
    }
    Ok(())
}

/// Returns true if the files are of no use on this machine, because it has the programs itself or there are none for it.
fn is_needless(bed: &Bed) -> bool {
    bed.folder == postgres::FOLDER && (bed.files.is_empty() || postgres::of_machine().is_some())
}

/// Returns the missing system packages.
fn system_packages(needs_pip: bool, env: &Env) -> Vec<&'static str> {
    let python: (&[&str], _) = if needs_pip {
        (&["python3", "-m", "pip", "--version"], "python3-pip")
    } else {
        (&["python3", "--version"], "python3")
    };
    let strace: (&[&str], _) = (&["strace", "--version"], "strace");
    let missing = [python, strace]
        .into_iter()
        .filter(|(question, _)| !answers(question, env));
    missing.map(|(_, package)| package).collect()
}

/// Returns true if this command succeeds.
fn answers(words: &[&str], env: &Env) -> bool {
    let mut question = command(words[0], env);
    question.args(&words[1..]);
    question.stdout(Stdio::null()).stderr(Stdio::null());
    question.status().is_ok_and(|status| status.success())
}

/// Installs packages with apt-get, as root or with a sudo that needs no password.
fn install(packages: &[&str], env: &Env) -> Result<(), Failed> {
    if packages.is_empty() {
        return Ok(());
    }
    let list = packages.join(" ");
    println!("Install {list} from the system's packages");
    let apt_get = |words: &[&str]| {
        let mut apt_get = if is_root() {
            command("apt-get", env)
        } else {
            let mut sudo = command("sudo", env);
            // `sudo` drops the environment, so the variable that prevents questions is passed on.
            sudo.args(["-n", "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
            sudo
        };
        apt_get
            .args(words)
            .args(["-q", "-o", "DPkg::Lock::Timeout=120"]);
        run(&mut apt_get)
    };
    let mut install = vec!["install", "-y", "--no-install-recommends"];
    install.extend(packages);
    apt_get(&["update"])
        .and_then(|()| apt_get(&install))
        .map_err(|why| {
            format!("{why}: install {list} with the system's package manager, then run this again")
        })
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
const fn is_root() -> bool {
    false
}
