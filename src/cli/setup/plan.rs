//! Plans the installation: a list of steps, or a sentence that says what the person has to do first. Does no input or
//! output.

use std::{ffi::OsString, path::PathBuf};

use super::{
    choice::{Choice, DriverName},
    machine::{CLI_VERSION, Installer, MIN_NODE_MAJOR, Machine, Tool},
};

/// The Node.js that npm installs beside playwright-cli if the Node.js that was found is too old or does not work. Unit:
/// major version. Source: the long-term release that playwright-cli is tested with.
const OWN_NODE_MAJOR: u64 = 22;

/// A program to run, with its arguments. It is never passed to a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
}

impl Command {
    pub(crate) fn new(
        program: impl Into<PathBuf>,
        args: impl IntoIterator<Item = OsString>,
    ) -> Self {
        Self {
            program: program.into(),
            args: args.into_iter().collect(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) sentence: String,
    /// The acts of the step, in order. If one fails, the step ends there.
    pub(crate) acts: Vec<Act>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Act {
    /// Creates the folder if it is missing, with a `package.json` of its own.
    PackageFolder(PathBuf),
    Run(Command),
}

/// Returns the steps that install what the chosen driver needs, in order; empty if everything is there.
///
/// Each step changes the facts, so only the first step of the plan is carried out. Then the caller looks at the machine
/// again and asks for a new plan.
///
/// # Errors
/// One sentence that says what the person has to do.
pub(crate) fn plan(machine: &Machine, choice: &Choice) -> Result<Vec<Step>, String> {
    let needs_tool = needs_tool(choice);
    // Without Node.js, the script of playwright-cli cannot run. That does not mean that the script is broken.
    let cli_is_wrong = needs_tool && machine.cli_is_given && machine.node_is_fine();
    for (tool, wrong, variable) in [
        (&machine.cli, cli_is_wrong, "WEBWISE_PLAYWRIGHT_CLI"),
        (
            &machine.chromium,
            machine.chromium_is_given,
            "WEBWISE_CHROMIUM",
        ),
    ] {
        if wrong && let Tool::Broken(path, reason) = tool {
            return Err(format!(
                "{variable} names {}, which cannot be used ({reason}): correct or unset it",
                path.display()
            ));
        }
    }
    let mut steps = Vec::new();
    let modules = if needs_tool {
        node_modules(machine)
    } else {
        Vec::new()
    };
    let packages = system_packages(machine, needs_tool, &modules);
    if !packages.is_empty() {
        steps.push(system_step(machine, &packages, &choice.setup_command())?);
    }
    if !modules.is_empty() {
        // On a machine without npm, the first step installs npm, and it is found before this step runs.
        let npm = machine.npm.clone().unwrap_or_else(|| PathBuf::from("npm"));
        steps.push(npm_step(machine, npm, &modules));
    }
    Ok(steps)
}

/// Returns true if the driver needs playwright-cli and Node.js in addition to Chromium.
pub(crate) fn needs_tool(choice: &Choice) -> bool {
    choice.driver == DriverName::PlaywrightCli
}

fn system_packages(machine: &Machine, needs_tool: bool, modules: &[String]) -> Vec<&'static str> {
    let needs_npm = machine.npm.is_none() && !modules.is_empty();
    let mut packages = Vec::new();
    if needs_npm || (needs_tool && machine.node == Tool::Missing) {
        packages.push("nodejs");
    }
    if needs_npm {
        packages.push("npm");
    }
    if machine.chromium.version().is_none() {
        packages.push("chromium");
    }
    packages
}

fn node_modules(machine: &Machine) -> Vec<String> {
    let mut modules = Vec::new();
    if !machine.cli_is_fine() && !machine.cli_is_given {
        modules.push(format!("@playwright/cli@{CLI_VERSION}"));
    }
    // The version of the system's Node.js is known only after it is installed.
    if machine.node != Tool::Missing && !machine.node_is_fine() {
        modules.push(format!("node@{OWN_NODE_MAJOR}"));
    }
    modules
}

fn system_step(machine: &Machine, packages: &[&str], setup: &str) -> Result<Step, String> {
    let list = packages.join(" ");
    let (prefix, apt_get, how) = match &machine.installer {
        Installer::AptGet(apt_get) => (None, apt_get, "as root"),
        Installer::Sudo { sudo, apt_get } => (Some(sudo), apt_get, "with sudo"),
        Installer::NotAllowed => {
            return Err(format!(
                "system packages are missing and this user may not install them: run `sudo apt-get update && sudo apt-get \
                 install -y --no-install-recommends {list}`, then `{setup}` again"
            ));
        }
        Installer::NoAptGet => {
            return Err(format!(
                "this system has no apt-get: install {} with its own package manager, then run `{setup}` again",
                human(packages)
            ));
        }
    };
    let command = |words: &[&str]| {
        let options = ["-q", "-o", "DPkg::Lock::Timeout=120"];
        let apt = words.iter().chain(&options).map(OsString::from);
        match prefix {
            None => Command::new(apt_get, apt),
            Some(sudo) => {
                // `sudo` drops the environment, so the variable that keeps packages from asking questions is set here.
                let start = ["-n", "env", "DEBIAN_FRONTEND=noninteractive"].map(OsString::from);
                Command::new(
                    sudo,
                    start.into_iter().chain([apt_get.clone().into()]).chain(apt),
                )
            }
        }
    };
    let mut install = vec!["install", "-y", "--no-install-recommends"];
    install.extend(packages);
    Ok(Step {
        sentence: format!(
            "Install {} from the system's packages ({how})",
            human(packages)
        ),
        acts: vec![Act::Run(command(&["update"])), Act::Run(command(&install))],
    })
}

fn npm_step(machine: &Machine, npm: PathBuf, modules: &[String]) -> Step {
    let own_node = if machine.node == Tool::Missing {
        format!(
            ", and Node.js {OWN_NODE_MAJOR} beside it if the system's own is older than {MIN_NODE_MAJOR}"
        )
    } else {
        String::new()
    };
    let options = [
        "install",
        "--save-exact",
        "--no-audit",
        "--no-fund",
        "--no-update-notifier",
        "--prefix",
    ];
    let args = options
        .iter()
        .map(OsString::from)
        .chain([machine.root.clone().into()]);
    let install = Command::new(npm, args.chain(modules.iter().map(OsString::from)));
    Step {
        sentence: format!(
            "Install {} with npm into {}{own_node}",
            modules.join(" and "),
            machine.root.display()
        ),
        acts: vec![Act::PackageFolder(machine.root.clone()), Act::Run(install)],
    }
}

/// Returns the names of packages for a person to read, such as `Node.js and npm` for `nodejs` and `npm`.
fn human(packages: &[&str]) -> String {
    let names: Vec<_> = packages
        .iter()
        .map(|name| match *name {
            "nodejs" => "Node.js",
            "chromium" => "Chromium",
            other => other,
        })
        .collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{super::machine::Version, *};

    fn plan(machine: &Machine) -> Result<Vec<Step>, String> {
        plan_for(DriverName::PlaywrightCli, machine)
    }

    fn plan_for(driver: DriverName, machine: &Machine) -> Result<Vec<Step>, String> {
        super::plan(
            machine,
            &Choice {
                driver,
                why: String::new(),
                is_asked: true,
            },
        )
    }

    fn found(path: &str, version: [u64; 3]) -> Tool {
        Tool::Found(path.into(), Version(version))
    }

    fn bare() -> Machine {
        Machine {
            installer: Installer::AptGet("/usr/bin/apt-get".into()),
            ..Machine::bare("/home/a b/.cache/webwise/playwright-cli")
        }
    }

    fn complete() -> Machine {
        Machine {
            node: found("/usr/bin/node", [20, 0, 0]),
            npm: Some("/usr/bin/npm".into()),
            cli: found("/x/playwright-cli", [0, 1, 22]),
            chromium: found("/usr/bin/chromium", [156, 0, 0]),
            ..bare()
        }
    }

    fn command(step: &Step, number: usize) -> &Command {
        let commands = step.acts.iter().filter_map(|act| match act {
            Act::Run(command) => Some(command),
            Act::PackageFolder(_) => None,
        });
        commands.collect::<Vec<_>>()[number]
    }

    fn args(step: &Step, number: usize) -> Vec<&str> {
        command(step, number)
            .args
            .iter()
            .map(|arg| arg.to_str().unwrap())
            .collect()
    }

    #[test]
    fn a_complete_machine_needs_nothing() {
        assert_eq!(plan(&complete()), Ok(vec![]));
        // A program that is already installed needs no installer.
        assert_eq!(
            plan(&Machine {
                npm: None,
                installer: Installer::NoAptGet,
                ..complete()
            }),
            Ok(vec![])
        );
    }

    #[test]
    fn a_bare_debian_gets_system_packages_first_and_then_the_driver() {
        let steps = plan(&bare()).unwrap();
        assert_eq!(steps.len(), 2);
        assert_eq!(command(&steps[0], 0).program, Path::new("/usr/bin/apt-get"));
        assert_eq!(args(&steps[0], 0)[0], "update");
        assert_eq!(
            args(&steps[0], 1)[..6],
            [
                "install",
                "-y",
                "--no-install-recommends",
                "nodejs",
                "npm",
                "chromium"
            ]
        );
        assert_eq!(
            steps[0].sentence,
            "Install Node.js, npm and Chromium from the system's packages (as root)"
        );
        assert_eq!(
            *args(&steps[1], 0).last().unwrap(),
            "@playwright/cli@0.1.22"
        );
        assert!(
            steps[1]
                .sentence
                .ends_with("and Node.js 22 beside it if the system's own is older than 20")
        );
    }

    #[test]
    fn the_native_driver_needs_chromium_and_nothing_else() {
        let cdp = |machine: &Machine| plan_for(DriverName::Cdp, machine);
        let steps = cdp(&bare()).unwrap();
        assert_eq!(
            (steps.len(), &args(&steps[0], 1)[3..5]),
            (1, &["chromium", "-q"][..])
        );
        assert_eq!(
            steps[0].sentence,
            "Install Chromium from the system's packages (as root)"
        );
        let old_node = Machine {
            node: found("/usr/bin/node", [18, 20, 4]),
            cli: Tool::Missing,
            ..complete()
        };
        assert_eq!(cdp(&old_node), Ok(vec![]));
        // A tool that the chosen driver does not use may be broken.
        let wrong = Machine {
            cli: Tool::Broken("/x".into(), String::new()),
            cli_is_given: true,
            ..complete()
        };
        assert_eq!(cdp(&wrong), Ok(vec![]));
        let sentence = cdp(&Machine {
            installer: Installer::NotAllowed,
            ..bare()
        })
        .unwrap_err();
        assert!(
            sentence.contains("recommends chromium`, then `webwise setup --driver cdp` again"),
            "{sentence}"
        );
    }

    #[test]
    fn an_old_node_stays_and_gets_a_newer_one_beside_it() {
        let machine = Machine {
            node: found("/usr/bin/node", [18, 20, 4]),
            cli: Tool::Missing,
            ..complete()
        };
        let steps = plan(&machine).unwrap();
        assert_eq!(steps.len(), 1);
        assert_eq!(
            args(&steps[0], 0)[6..],
            [
                "/home/a b/.cache/webwise/playwright-cli",
                "@playwright/cli@0.1.22",
                "node@22"
            ]
        );
        assert_eq!(steps[0].acts[0], Act::PackageFolder(machine.root.clone()));
    }

    #[test]
    fn another_release_of_the_driver_is_replaced_unless_it_was_chosen() {
        let machine = Machine {
            cli: found("/usr/bin/playwright-cli", [0, 2, 0]),
            ..complete()
        };
        assert_eq!(plan(&machine).unwrap().len(), 1);
        assert_eq!(
            plan(&Machine {
                cli_is_given: true,
                ..machine
            }),
            Ok(vec![])
        );
    }

    #[test]
    fn a_broken_program_is_installed_again() {
        let machine = Machine {
            chromium: Tool::Broken("/usr/bin/chromium".into(), "exit 127".into()),
            ..complete()
        };
        assert_eq!(args(&plan(&machine).unwrap()[0], 1)[3], "chromium");
        let machine = Machine {
            cli: Tool::Broken("/x".into(), String::new()),
            npm: None,
            ..complete()
        };
        assert_eq!(
            args(&plan(&machine).unwrap()[0], 1)[3..5],
            ["nodejs", "npm"]
        );
    }

    #[test]
    fn sudo_carries_the_environment_and_never_asks() {
        let installer = Installer::Sudo {
            sudo: "/usr/bin/sudo".into(),
            apt_get: "/usr/bin/apt-get".into(),
        };
        let steps = plan(&Machine {
            chromium: Tool::Missing,
            installer,
            ..complete()
        })
        .unwrap();
        assert_eq!(command(&steps[0], 1).program, Path::new("/usr/bin/sudo"));
        assert_eq!(
            args(&steps[0], 1)[..4],
            [
                "-n",
                "env",
                "DEBIAN_FRONTEND=noninteractive",
                "/usr/bin/apt-get"
            ]
        );
    }

    #[test]
    fn who_may_not_install_is_told_the_exact_commands() {
        let sentence = plan(&Machine {
            installer: Installer::NotAllowed,
            ..bare()
        })
        .unwrap_err();
        assert!(
            sentence.contains(
                "`sudo apt-get update && sudo apt-get install -y --no-install-recommends nodejs npm chromium`"
            )
        );
        let sentence = plan(&Machine {
            installer: Installer::NoAptGet,
            ..bare()
        })
        .unwrap_err();
        assert!(
            sentence.contains("install Node.js, npm and Chromium with its own package manager"),
            "{sentence}"
        );
        // Installing with npm needs no permission.
        assert!(
            plan(&Machine {
                cli: Tool::Missing,
                installer: Installer::NotAllowed,
                ..complete()
            })
            .is_ok()
        );
    }

    #[test]
    fn a_wrong_variable_is_named_and_nothing_is_installed_for_it() {
        let broken = Tool::Broken("/nowhere".into(), "not found".into());
        let sentence = plan(&Machine {
            chromium: broken.clone(),
            chromium_is_given: true,
            ..complete()
        })
        .unwrap_err();
        assert!(
            sentence.starts_with("WEBWISE_CHROMIUM names /nowhere"),
            "{sentence}"
        );
        let named = Machine {
            cli: broken,
            cli_is_given: true,
            ..complete()
        };
        assert!(
            plan(&named)
                .unwrap_err()
                .starts_with("WEBWISE_PLAYWRIGHT_CLI names /nowhere")
        );
        let steps = plan(&Machine {
            node: found("/usr/bin/node", [18, 0, 0]),
            ..named
        })
        .unwrap();
        assert_eq!(args(&steps[0], 0)[7..], ["node@22"]);
    }
}
