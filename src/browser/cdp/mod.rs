//! Chromium through its own DevTools protocol: without Node, without another tool, and without fixed waits.
//!
//! ```text
//! wire      messages, by a pipe or a WebSocket         known     what events have told; pure
//! hub       calls, events and what is known, in one    page      the script in each document, and ask, which asks it
//! launch    starting; attach joins others, said listens settle    when an action is over
//! sending   where a typed secret may leave
//! ```

mod act;
mod ask;
mod attach;
mod dialogs;
mod downloads;
mod driver;
mod events;
mod hub;
mod keyboard;
mod known;
mod launch;
mod listening;
mod navigate;
mod observe;
mod options;
mod page;
mod pointer;
mod rows;
mod said;
mod scene;
mod sending;
mod settle;
mod storage;
mod tabs;
mod target;
mod traces;
mod trouble;
mod typing;
mod waiting;
mod wire;

pub use driver::Cdp;
pub use options::CdpOptions;
