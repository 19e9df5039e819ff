//! Chromium through its own DevTools protocol: without Node, without another tool, and without fixed waits.
//!
//! ```text
//! wire      messages, by a pipe or a WebSocket         known     what events have told; pure
//! hub       calls, events and what is known, in one    page      the script in each document, and ask, which asks it
//! launch    starting; attach joins others, said listens settle    when an action is over
//! sending   where a typed secret may leave
//! ```
//!
//! # Decisions
//!
//! - A document held for a secret is aborted, not blocked: the page that was typed into stays, and can be looked at.
//! - A window that opens waits for its debugger once a secret was typed: its first request would leave before it is
//!   watched.
//! - A window's focus is emulated only once its document is there: Chromium's renderer dies of a null pointer if the
//!   call is under way while a document of another process comes.
//! - `cdp` speaks the DevTools protocol itself instead of using `chromiumoxide`: tried with the release of February
//!   2026: 73 more crates and 80 s more of a clean debug build for the same speed; it has no pipe, cannot evaluate in
//!   frames of another site, gives no call a deadline of its own, and drops whole messages with a value that is newer
//!   than it is. Ours is 500 lines: numbered calls, sessions, events.
//! - `tokio-tungstenite` carries only what is attached to; a browser of our own talks by a pipe: with a pipe no port
//!   is open that another user or a page could reach, and of 12 processes 0 are left a second after this process was
//!   killed; with a port all 12.
//! - A line of `sh` puts the pipe's ends on descriptors 3 and 4: code of ours between fork and exec would be
//!   `unsafe`.
//! - Script of the `cdp` driver runs in a world of its own, and reads elements by getters that were taken once: a
//!   page can neither see nor change it, and a field named `parentNode` hides nothing.
//! - What is known of a browser is a pure function of its events (`cdp/known`): which order of events means what is
//!   tested without a browser.
//! - A document's script world is made when it is first needed, and is gone with its document: so a secret that was
//!   released for a document can be typed into no other.
//! - The page side is called by an object of its world, not by the world's number: another process uses the same
//!   numbers, and a secret must not meet another document.
//! - A dialog that opens before anything of an action was sent makes it a failure: "done" needs evidence.
//! - Elements get numbers that rise through all documents of a session, frames a new number for each document: a
//!   reference of a page that is gone means nothing, instead of something else.
//! - A walk in the page gives only the rows that changed since the last one: a second look at 10,000 elements costs
//!   the walk, and nothing of the wire.
//! - Listeners in the page watch what a press really meets: "really hit" is then an observation and not a
//!   calculation; a press that would meet something else does not reach it.
//! - A fill is one task with the look at the focus, `execCommand` inside: the page gets trusted events, and cannot
//!   turn the text aside in between.
//! - Settling waits for what began after the action, and for a still document; tickers do not count: the page says
//!   when it is done, no clock does; a page that is never still costs a quarter of the time at the next action.
//! - A navigation is followed from its first event to its document and has the time to load; all else has the time to
//!   settle: a slow server is no page that never rests.
//! - Still means two frames and 25 ms without a change: a machine that is slow is slow with frames too; a time alone
//!   says nothing of what the page could do in it.
//! - An element stands still if it is where it was before the next frame; two frames where the browser animates
//!   something: an animation stands where it begins in its first frame; what a press really meets is watched anyway.
//! - Waiting for a field touches nothing; filling and choosing are single tries: what was given up must not happen
//!   later, and a dialog meanwhile is not its doing.
//! - An action's input goes to the tab that it began in: a tab that closes itself in between must not hand it to its
//!   neighbour.
//! - A page that goes elsewhere while it is sent to an address is stopped and sent again, three times at most: the
//!   browser lets the page's own way win.
//! - A look goes over the wire as one JSON text: the browser hands a text over in about a fifth of the time of an
//!   object.
//! - A frame's number and address come with its rows, from the world that answered: no content is shown under the
//!   address of another document.
//! - A secret needs the document's word and its address to agree: a frame that its page wrote has the page's origin
//!   and no address of its own.
//! - A state is loaded by setting first and deleting after; in a browser of others only for its own sites: a failure
//!   loses nothing, and other people's cookies are not ours.
//! - A state is saved from a hidden tab that goes to each origin past its service workers: storage of frames and of
//!   earlier pages belongs to it.
//! - What was waited for in vain once is not waited for again; replacing like by like is an animation, growth is a
//!   change: clocks, spinners, pictures that never come and long polls would slow each action down.
//! - A document that does not come in time is given up: while it is on its way the browser lets the page that is
//!   there answer nothing.
//! - Before a page is left, one that answers nothing for 3 s has its script ended: otherwise a script that never ends
//!   keeps every other page out.
//! - A browser has a process group of its own: `close` ends it in order, dropping ends the group by force: a program
//!   that is no browser does not listen to its pipe.
//! - No window that a page opens is held back: one that is blocked is told to nobody.
//! - The first event of a press decides whether it hit: pages rightly move things once they are pressed.
//! - Style sheets are asked which elements may have text before and after; labels are found once a root: asking each
//!   element doubles a walk; the browser's own list of labels reads the whole document for each control.
//! - In a browser that was attached to, only tabs of our own are seen: what a person has open is none of a model's
//!   business.

mod act;
mod ask;
mod attach;
mod dialogs;
mod downloads;
mod driver;
mod error;
mod events;
mod hub;
mod keyboard;
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
mod state;
mod storage;
mod tabs;
mod target;
mod traces;
mod typing;
mod waiting;
mod wire;

pub use driver::Cdp;
pub use options::CdpOptions;
