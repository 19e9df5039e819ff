//! The program `webwise`, as far as it needs no browser.

mod cli;
mod memory_cli;
