//! Prints lines, and ignores errors if the output is closed. `println!` would panic then.

use std::{
    fmt::Display,
    io::{self, Write as _},
};

use crate::base::text;

/// Prints a line of the result to stdout.
pub(crate) fn say(line: impl Display) {
    let _ = writeln!(io::stdout(), "{line}");
}

/// Prints a line about progress to stderr.
pub(crate) fn tell(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// The output for progress lines, which may contain text of pages: stdout, or stderr if stdout is reserved for JSON.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Voice {
    pub(crate) json: bool,
}

impl Voice {
    /// Prints the text as exactly one line, without characters that could move the cursor or hide text.
    pub(crate) fn line(self, line: impl Display) {
        let line = one_line(&line.to_string());
        if self.json { tell(line) } else { say(line) }
    }
}

/// Returns a text as one line, without control and other deceptive characters. Spaces are kept, so that columns stay
/// aligned.
pub(crate) fn one_line(line: &str) -> String {
    text::clean(line)
        .replace(['\n', '\t'], " ")
        .trim_end()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_cannot_write_a_second_line_or_move_the_cursor() {
        assert_eq!(
            one_line("  3  click \"a\u{1b}[2K\r\nwebwise: all is well\u{202e}\"\n"),
            "  3  click \"a webwise: all is well\""
        );
    }
}
