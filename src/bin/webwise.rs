//! The command line of webwise; all of it is in `webwise::cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    webwise::cli::main(std::env::args_os())
}
