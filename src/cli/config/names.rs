//! The names of flags, as a configuration file writes them.

use clap::{Arg, Command};

use super::OF_ONE_CALL;

/// Returns the flag of a command or its subcommands that a person meant who wrote `name`, which is no flag: the flag that
/// differs least from it, by at most two letters. `_` and `-` count as the same.
pub(super) fn similar(command: &Command, name: &str) -> Option<String> {
    let name = name.to_ascii_lowercase().replace('_', "-");
    let mut best: Option<(usize, String)> = None;
    let mut commands = vec![command];
    while let Some(command) = commands.pop() {
        commands.extend(command.get_subcommands());
        for flag in command.get_arguments().filter_map(Arg::get_long) {
            let far = distance(&name, flag);
            let is_near = far <= 2 && far < flag.len() / 2 && !OF_ONE_CALL.contains(&flag);
            if is_near && best.as_ref().is_none_or(|(least, _)| far < *least) {
                best = Some((far, flag.to_owned()));
            }
        }
    }
    best.map(|(_, flag)| flag)
}

/// Returns the number of letters that must be added, removed or replaced to turn one text into the other.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (place, same) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *same);
            diagonal = row[place + 1];
            row[place + 1] = replaced.min(diagonal + 1).min(row[place] + 1);
        }
    }
    row[other.len()]
}

/// Returns true if a command or one of its subcommands has this flag.
pub(super) fn has(command: &Command, flag: &str) -> bool {
    command
        .get_arguments()
        .any(|arg| arg.get_long() == Some(flag))
        || command.get_subcommands().any(|inner| has(inner, flag))
}
