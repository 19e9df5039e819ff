//! The names of flags, as a configuration file writes them.

use clap::{Arg, Command};
use strsim::levenshtein;

use super::OF_ONE_CALL;

/// Returns the flag that `name` probably means: of the flags of the command and its subcommands, the one that differs
/// least from `name`, by at most two letters, or by fewer if the flag is short. Flags of `OF_ONE_CALL` are left out.
/// `_` and `-` count as the same letter.
pub(super) fn similar(command: &Command, name: &str) -> Option<String> {
    let name = name.to_ascii_lowercase().replace('_', "-");
    let mut best: Option<(usize, String)> = None;
    let mut commands = vec![command];
    while let Some(command) = commands.pop() {
        commands.extend(command.get_subcommands());
        for flag in command.get_arguments().filter_map(Arg::get_long) {
            let far = levenshtein(&name, flag);
            let is_near = far <= 2 && far < flag.len() / 2 && !OF_ONE_CALL.contains(&flag);
            if is_near && best.as_ref().is_none_or(|(least, _)| far < *least) {
                best = Some((far, flag.to_owned()));
            }
        }
    }
    best.map(|(_, flag)| flag)
}

/// Returns true if a command or one of its subcommands has this flag.
pub(super) fn has(command: &Command, flag: &str) -> bool {
    command
        .get_arguments()
        .any(|arg| arg.get_long() == Some(flag))
        || command.get_subcommands().any(|inner| has(inner, flag))
}
