//! The configuration file `webwise.toml`: values for flags that the command line does not give.
//!
//! ```toml
//! max-steps = 30          # the name of a flag, without its dashes
//! timeout = "10m"
//! allow = ["shop.example"]
//!
//! [memory]
//! enabled = true          # the opposite of `no-memory`
//! dir = ".agent-memory"   # `memory-dir`
//! traceScoring = true     # `trace-scoring`
//! traceTtlDays = 14       # `trace-ttl-days`
//! ```
//!
//! A flag takes precedence over an environment variable, and a variable over the file. With `--config FILE` only that file
//! is read. Otherwise the file of the user is read (in `WEBWISE_HOME`, or in `webwise` in the user's configuration folder),
//! and then the file in the working folder, which takes precedence. But if both files set a limit, the smaller value
//! counts, and `no-memory` stays on if the user's file sets it.
//!
//! # Decisions
//!
//! - The file in the working folder may have come with a cloned repository. So it may not set a flag that sends an API
//!   key elsewhere, permits an action, or puts words into the instruction or into memory. It may set the flags in [`HARMLESS`],
//!   and it may set a limit to at most the limit's default. Any other flag in this file is an error. The flag is not
//!   ignored, because the author of the file meant the flag to apply.
//! - A value from a file becomes the default of its flag. So it is parsed and checked exactly as the flag is, and it never
//!   conflicts with a flag that was given.

use std::{
    collections::BTreeSet,
    env,
    ffi::OsString,
    fmt, fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use clap::{
    Arg, ArgMatches, Command, CommandFactory as _, FromArgMatches as _, parser::ValueSource,
};
use toml::{Table, Value};

use super::{
    Refusal,
    args::{self, Cli},
    values::duration,
};
use crate::{explore::Limits, guard::Budget};

const NAME: &str = "webwise.toml";

/// The flags that the file in the working folder may set. None of them sends an API key elsewhere, permits an action,
/// or puts words into the instruction or into memory. Limits with a default are not listed here (see [`most`]).
const HARMLESS: [&str; 13] = [
    "headed",
    "json",
    "limit",
    "max-calls",
    "max-input-tokens",
    "max-output-tokens",
    "mode",
    "no-memory",
    "port",
    "seed",
    "slow",
    "timeout",
    "trace-scoring",
];

/// Returns the default of a flag that sets a limit; `None` for other flags. The file in the working folder may not
/// raise the limit above this default.
fn most(flag: &str) -> Option<u64> {
    match flag {
        "max-steps" => Some(Budget::default().max_steps.into()),
        "depth" => Some(Limits::default().depth.into()),
        "pages" => u64::try_from(Limits::default().pages).ok(),
        _ => None,
    }
}

/// Returns the limit that a flag's values set, as a number. Returns `None` if the flag sets no limit or the value is
/// not valid.
fn limit(flag: &str, values: &[String]) -> Option<u64> {
    let [value] = values else { return None };
    match flag {
        "depth" | "max-calls" | "max-input-tokens" | "max-output-tokens" | "max-steps"
        | "pages" => value.parse().ok(),
        "timeout" => duration(value).ok().map(|time| time.as_secs()),
        _ => None,
    }
}

/// Flags that no configuration file may set, because they make sense only for one call of the program.
const OF_ONE_CALL: [&str; 16] = [
    "all",
    "cases",
    "check",
    "config",
    "fork-run",
    "goal",
    "help",
    "host",
    "output",
    "resume-run",
    "session-id",
    "site",
    "trust",
    "url",
    "version",
    "yes",
];

/// Maximum size of a configuration file. Unit: bytes. Source: chosen; a file that sets every flag once has less than a
/// tenth of this size.
const MAX_BYTES: u64 = 64 * 1024;

/// The flags with an environment variable that takes precedence over a configuration file.
const VARIABLES: [(&str, &str); 3] = [
    ("base-url", "WEBWISE_LLM_BASE_URL"),
    ("driver", "WEBWISE_PLAYWRIGHT_CLI"),
    ("model", "WEBWISE_MODEL"),
];

/// The names in the table `memory`, each with its flag. `enabled` sets `no-memory` to the opposite value.
const MEMORY: [(&str, &str); 6] = [
    ("dir", "memory-dir"),
    ("enabled", "no-memory"),
    ("trace-scoring", "trace-scoring"),
    ("traceScoring", "trace-scoring"),
    ("trace-ttl-days", "trace-ttl-days"),
    ("traceTtlDays", "trace-ttl-days"),
];

#[derive(Debug, Clone, PartialEq, Eq)]
struct Setting {
    /// Name of the flag, without its dashes.
    flag: String,
    /// The values as on the command line. A flag that may be repeated can have several.
    values: Vec<String>,
    file: PathBuf,
}

/// The flags that the configuration files set. The file that was read last takes precedence, but the file in the
/// working folder can neither raise a limit of the user's file nor undo its `no-memory`.
#[derive(Debug, Default)]
pub(super) struct Config {
    settings: Vec<Setting>,
}

impl Config {
    /// Reads the file that `--config` names. Without `--config`, reads the user's file and then the file in the working
    /// folder, if they exist.
    pub(super) fn read(named: Option<&Path>, command: &Command) -> Result<Self, Refusal> {
        let mut config = Self::default();
        if let Some(file) = named {
            let text = text_of(file)?.ok_or_else(|| {
                Refusal::usage(format!(
                    "there is no file {}: correct --config",
                    file.display()
                ))
            })?;
            config.add(&text, file, true, command)?;
            return Ok(config);
        }
        let of_user = user_file(|name| env::var_os(name));
        let whole = |file: &Path| file.canonicalize().ok();
        let known = of_user.as_deref().and_then(whole);
        let is_one_file = known.is_some() && known == whole(Path::new(NAME));
        let here = (!is_one_file).then(|| (PathBuf::from(NAME), false));
        for (file, is_trusted) in of_user.map(|file| (file, true)).into_iter().chain(here) {
            if let Some(text) = text_of(&file)? {
                config.add(&text, &file, is_trusted, command)?;
            }
        }
        Ok(config)
    }

    /// Adds the flags in the text of a file. `is_trusted` is false for the file in the working folder. An untrusted
    /// file may set only some flags, and cannot undo restrictions of the user's file.
    fn add(
        &mut self,
        text: &str,
        file: &Path,
        is_trusted: bool,
        command: &Command,
    ) -> Result<(), Refusal> {
        let refused = |reason: String| Refusal::usage(format!("{}: {reason}", file.display()));
        for (flag, value) in flags(text).map_err(refused)? {
            if OF_ONE_CALL.contains(&flag.as_str()) || !has(command, &flag) {
                return Err(refused(format!("`{flag}` is no flag that a file can set")));
            }
            let most = most(&flag);
            let number = values(&value).and_then(|values| limit(&flag, &values));
            if let Some(most) = most.filter(|_| !is_trusted && number.is_none()) {
                return Err(refused(format!(
                    "give `{flag}` a whole number of at most {most}"
                )));
            }
            let is_at_most = |most: u64| number.is_some_and(|number| number <= most);
            if !is_trusted && !HARMLESS.contains(&flag.as_str()) && !most.is_some_and(is_at_most) {
                let what = most.map_or_else(
                    || format!("not set `{flag}`"),
                    |most| format!("set `{flag}` to no more than {most}"),
                );
                let own = user_file(|name| env::var_os(name));
                let own = own.map_or_else(String::new, |own| format!(" {}", own.display()));
                return Err(refused(format!(
                    "a file in the working folder may {what}, because it may have come with somebody else's files: move the line to your own \
                     file{own}, or say that you trust this one with --config {NAME}"
                )));
            }
            let values = values(&value).ok_or_else(|| {
                refused(format!(
                    "give `{flag}` a text, a number, true or false, or a list of these"
                ))
            })?;
            let new = limit(&flag, &values);
            let is_lower = |known: &Setting| {
                known.flag == flag
                    && limit(&flag, &known.values).is_some_and(|known| new > Some(known))
            };
            // What the user's file switched off stays off.
            let is_off = |known: &Setting| {
                flag == "no-memory"
                    && known.flag == flag
                    && known.values == ["true"]
                    && values == ["false"]
            };
            let settings = &mut self.settings.iter();
            if !is_trusted && settings.any(|known| is_lower(known) || is_off(known)) {
                continue;
            }
            self.settings.push(Setting {
                flag,
                values,
                file: file.to_owned(),
            });
        }
        Ok(())
    }

    /// Makes each value of the files the default of its flag. Skips the flags in `except`, and flags whose environment
    /// variable is set.
    pub(super) fn apply(
        &self,
        command: Command,
        except: &BTreeSet<String>,
        is_set: &impl Fn(&str) -> bool,
    ) -> Command {
        let command = command.mut_args(|arg| {
            let setting = self
                .settings
                .iter()
                .rev()
                .find(|setting| arg.get_long() == Some(&setting.flag));
            match setting {
                Some(setting)
                    if !except.contains(&setting.flag) && !overruled(&setting.flag, is_set) =>
                {
                    arg.default_values(
                        setting
                            .values
                            .iter()
                            .map(|value| OsString::from(value).into())
                            .collect::<Vec<clap::builder::OsStr>>(),
                    )
                }
                _ => arg,
            }
        });
        command.mut_subcommands(|inner| self.apply(inner, except, is_set))
    }

    /// Returns the error for a flag that does not accept the value set for it in a file. `meant` is the command whose
    /// help the error mentions.
    fn refusal(&self, error: &clap::Error, meant: &str) -> Refusal {
        let sentence = Refusal::of_arguments(error, meant)
            .map(|refusal| refusal.sentence().to_owned())
            .unwrap_or_default();
        let is_named = |setting: &&Setting| {
            sentence.contains(&format!("'--{} ", setting.flag))
                || sentence.contains(&format!("'--{}'", setting.flag))
        };
        let file = self
            .settings
            .iter()
            .rev()
            .find(is_named)
            .or(self.settings.last());
        let file = file
            .map(|setting| setting.file.display().to_string())
            .unwrap_or_default();
        Refusal::usage(format!("{file}: {sentence}"))
    }

    /// Returns the value that the files give to a flag, unless an environment variable takes precedence.
    pub(super) fn text(&self, flag: &str) -> Option<&str> {
        let setting = self
            .settings
            .iter()
            .rev()
            .find(|setting| setting.flag == flag)?;
        let value = setting.values.first().filter(|_| !overruled(flag, &is_set));
        value.map(String::as_str)
    }

    pub(super) fn files(&self) -> Vec<&Path> {
        let mut files: Vec<&Path> = self
            .settings
            .iter()
            .map(|setting| setting.file.as_path())
            .collect();
        files.dedup();
        files
    }
}

/// Returns true if a command or one of its subcommands has this flag.
fn has(command: &Command, flag: &str) -> bool {
    command
        .get_arguments()
        .any(|arg| arg.get_long() == Some(flag))
        || command.get_subcommands().any(|inner| has(inner, flag))
}

fn text_of(file: &Path) -> Result<Option<String>, Refusal> {
    let refused = |why: &dyn fmt::Display| {
        Refusal::usage(format!("{} cannot be read: {why}", file.display()))
    };
    match file.metadata() {
        Ok(data) if !data.is_file() => return Err(refused(&"it is no file")),
        Ok(data) if data.len() > MAX_BYTES => return Err(refused(&"it is larger than 64 KiB")),
        Ok(_) => {}
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(refused(&error)),
    }
    fs::read_to_string(file)
        .map(Some)
        .map_err(|error| refused(&error))
}

/// Returns the path of the user's configuration file; `None` if no environment variable leads to its folder, or if
/// `WEBWISE_HOME` or the home folder is relative. A relative `XDG_CONFIG_HOME` is ignored, as the XDG specification
/// requires.
fn user_file(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name: &str| {
        variable(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    // A relative path could lead into a folder that came with somebody else's files.
    if let Some(home) = set("WEBWISE_HOME") {
        return home.is_absolute().then(|| home.join(NAME));
    }
    let of_home = || {
        set("HOME")
            .or_else(|| set("USERPROFILE"))
            .map(|home| home.join(".config"))
    };
    let folder = set("XDG_CONFIG_HOME")
        .filter(|folder| folder.is_absolute())
        .or_else(of_home)?;
    folder
        .is_absolute()
        .then(|| folder.join("webwise").join(NAME))
}

/// Returns the flags in the text of a configuration file, with their values. An error says what is wrong, and for an
/// error in the TOML syntax also in which line.
fn flags(text: &str) -> Result<Vec<(String, Value)>, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let line = error
            .span()
            .map(|span| text[..span.start].matches('\n').count() + 1);
        let line = line
            .map(|line| format!("line {line}: "))
            .unwrap_or_default();
        format!("{line}{}", error.message())
    })?;
    let mut flags = Vec::new();
    for (name, value) in table {
        match value {
            Value::Table(inner) if name == "memory" => {
                for (name, value) in inner {
                    flags.push(memory(&name, value)?);
                }
            }
            value => flags.push((name, value)),
        }
    }
    Ok(flags)
}

fn memory(name: &str, value: Value) -> Result<(String, Value), String> {
    let known = MEMORY.iter().find(|(known, _)| *known == name);
    let (_, flag) = known.ok_or_else(|| format!("the table `memory` has no `{name}`"))?;
    let value = match (name, value) {
        ("enabled", Value::Boolean(is_enabled)) => Value::Boolean(!is_enabled),
        ("enabled", _) => return Err("give `enabled` true or false".to_owned()),
        (_, value) => value,
    };
    Ok(((*flag).to_owned(), value))
}

/// Converts a value of a configuration file to the texts that would give it on the command line; `None` if no flag can
/// have such a value.
fn values(value: &Value) -> Option<Vec<String>> {
    let one = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(is_set) => Some(is_set.to_string()),
        Value::Datetime(_) | Value::Array(_) | Value::Table(_) => None,
    };
    match value {
        Value::Array(all) => all.iter().map(one).collect(),
        value => one(value).map(|value| vec![value]),
    }
}

fn is_set(variable: &str) -> bool {
    env::var_os(variable).is_some_and(|value| !value.is_empty())
}

fn overruled(flag: &str, is_set: &impl Fn(&str) -> bool) -> bool {
    VARIABLES
        .iter()
        .any(|(known, variable)| *known == flag && is_set(variable))
}

/// Parses the arguments. Flags that they do not give get their values from the configuration files. Returns `None`
/// after printing the help or the version, if the arguments ask for it.
pub(super) fn parse(arguments: &[OsString]) -> Result<Option<(Cli, Config)>, Refusal> {
    let meant = args::meant(arguments);
    let parsed = Cli::command().try_get_matches_from(arguments);
    let parsed = parsed.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (cli, given) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            return Refusal::of_arguments(&error, &meant).map_or_else(
                || {
                    // If the output is closed, nobody reads the rest.
                    let _ = error.print();
                    Ok(None)
                },
                Err,
            );
        }
    };
    let config = Config::read(cli.config.as_deref(), &Cli::command())?;
    let except = excluded(&Cli::command(), &given);
    let with_defaults = config
        .apply(Cli::command(), &except, &is_set)
        .try_get_matches_from(arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    match with_defaults {
        Ok(cli) => Ok(Some((cli, config))),
        // The arguments alone were valid, so a value of a file caused the error.
        Err(error) => Err(config.refusal(&error, &meant)),
    }
}

/// Returns the flags that conflict with the given arguments.
fn excluded(command: &Command, given: &ArgMatches) -> BTreeSet<String> {
    let is_given =
        |arg: &Arg| given.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    let mut excluded = BTreeSet::new();
    for arg in command.get_arguments() {
        for other in command.get_arg_conflicts_with(arg) {
            let pair = [(arg, other), (other, arg)].into_iter();
            let against = pair.filter(|(one, _)| is_given(one));
            excluded.extend(
                against
                    .filter_map(|(_, other)| other.get_long())
                    .map(str::to_owned),
            );
        }
    }
    if let Some((name, given)) = given.subcommand()
        && let Some(command) = command.find_subcommand(name)
    {
        excluded.extend(self::excluded(command, given));
    }
    excluded
}

#[cfg(test)]
mod tests;
