//! Chromium through its own DevTools protocol: without Node, without another tool, and without fixed waits.
//!
//! ```text
//! wire      messages, by a pipe or a WebSocket          state        the browser's state as its events report it; pure
//! hub       brings calls, events and state together     page         the script in each document; `ask` calls it
//! launch    starts a browser; `attach` connects to one  settle       waiting for the end of an action
//! sending   where a typed secret may be sent            stderr_tail  the error output of the browser
//! ```
//!
//! # Decisions
//!
//! The connection:
//!
//! - `cdp` implements the DevTools protocol itself, in 500 lines: numbered calls, sessions, events. The crate
//!   `chromiumoxide` (release of February 2026) was tried and dropped. It brought 73 more crates, made a clean debug
//!   build 80 s longer, and was not faster. It has no pipe, cannot run scripts in frames of another site, and sets no
//!   time limit for a call. It drops a whole message if the message contains a value that it does not know.
//! - A browser that we start is connected by a pipe; `tokio-tungstenite` connects only attached browsers. A pipe opens
//!   no port that another user or a page could reach. One second after this process is killed, none of its 12 browser
//!   processes is left; with a port, all 12 are still running.
//! - A line of shell script puts the ends of the pipe on descriptors 3 and 4. Our own code cannot do this between fork
//!   and exec without `unsafe`.
//! - A browser has a process group of its own. `close` ends the browser in an orderly way; dropping the driver kills
//!   the group, because the end of the pipe may not end a started program that is not a browser.
//! - The state of a browser is a pure function of its events (`cdp/state`), so any order of events can be tested
//!   without a browser.
//! - In an attached browser only our own tabs are seen: a person's tabs do not concern the model.
//! - A fresh driver is a browser context of the same Chromium. It has a session of its own with the browser as a whole, a branch
//!   of the connection, so that the state of each context is a function of its own events. The browser closes a context with
//!   that session. Three things of a browser are told to all contexts and sorted by their frames: downloads, held requests, and
//!   new tabs.
//!
//! The script in the page:
//!
//! - The script runs in an isolated JavaScript world of its own. It reads elements by the property getters of their
//!   prototypes, and looks each getter up only once. So the page can neither see nor change the script, and a form
//!   field named `parentNode` does not hide the property of that name.
//! - A document's script world is created when first needed and ends with its document. So a secret that was released
//!   for one document cannot be typed into another.
//! - The script is called through an object of its world and not by the world's number. Another process may use the
//!   same number for another document's world, and a secret must not reach that document.
//! - The elements of main documents get numbers that rise through all documents of a browser, and an inner frame gets
//!   a new number for each document. So a reference to an element of an earlier page matches no element, instead of a
//!   wrong one.
//!
//! Observation:
//!
//! - A walk (one reading of a document by the script) returns only the rows (one for each node) from the first to the
//!   last that changed since the last walk. A second walk through 10,000 elements costs time in the page but almost no
//!   traffic.
//! - An observation crosses the wire as one JSON text, because the browser transfers a text in about a fifth of the
//!   time that an object takes.
//! - A frame's number and address come with its rows, from the same world. So no content is shown under the address of
//!   another document.
//! - Asking each element for its generated text (`::before` and `::after`) would double the time of a walk. So a search
//!   of the style sheets first finds the elements that may have such text. The labels in a document or shadow tree are
//!   collected once, because the browser would read the whole document to list the labels of one control.
//!
//! Actions:
//!
//! - Listeners in the page watch which element a click really hits. So a hit is observed and not calculated, and a
//!   click that would hit a wrong element does not reach that element. The press of a drag is not watched.
//! - The first event of a press decides whether the press hit its element, because a page may move an element once it
//!   is pressed.
//! - An element counts as still if it has not moved by the next frame that the browser draws. If the browser animates
//!   anything in the document, the element must not have moved for two frames, because an animation moves nothing in
//!   its first frame. In addition, a click itself is watched.
//! - To fill a text field, our script checks the focus and calls `execCommand` in one JavaScript task. So the page gets
//!   a trusted `input` event, and cannot move the focus between the check and the call.
//! - Waiting for a field changes nothing, and filling or choosing is tried only once. So nothing happens on the page
//!   after the caller stopped waiting. A dialog that opens during the wait was not caused by the action.
//! - The input of an action goes to the tab in which the action began. If that tab closes itself, no other tab receives
//!   the input.
//! - A dialog that opens before the last part of an action was sent makes the action fail, because "done" needs
//!   evidence.
//!
//! Waiting:
//!
//! - An action has settled when no frame is loading, the requests that began after its start are over, and the document
//!   is still. Things that change all the time, such as clocks, do not count, and neither do requests for pictures,
//!   fonts and media. If a page was not still after one action, the next action waits only a quarter of the time.
//! - A document counts as still after two drawn frames and 25 ms without a change. A slow machine also draws frames
//!   slowly, so a time alone does not show that the page could do its work.
//! - A navigation is followed from its first event to its document, and may take up to the time limit for loading.
//!   Everything else may take only up to the shorter time limit for settling. So a slow server is not mistaken for a
//!   page that never rests.
//! - Something that was waited for once without success is not waited for again. An attribute or a text that
//!   changes more than five times in one wait counts as animated, and so do children that are as often replaced by as
//!   many others. A number of children that grows or shrinks always counts as a change. Without these rules, clocks,
//!   spinners, missing pictures and long polls would slow each action.
//! - If a document does not arrive in time, its loading is stopped, because the browser does not let the current page
//!   answer while another document is loading.
//! - If a page does not answer for 3 s, its script is ended before the page is left, because an endless script would
//!   keep every other page out.
//! - If a page navigates by itself while its tab is sent to an address, the page is stopped and the tab is sent again,
//!   because the browser prefers the page's own navigation. There are at most three attempts.
//! - A window's focus is emulated only once its document is there: Chromium's renderer crashes if a document of another
//!   process arrives during the call.
//! - A browser that we start blocks no window that a page opens, because a blocked window is never reported.
//!
//! Secrets and storage:
//!
//! - A request for a document that would send a typed secret to a wrong origin fails with the reason `Aborted` and not
//!   `BlockedByClient`. So the page that the secret was typed into stays visible.
//! - A request of another context's tab is let go at once, because the secrets of one tenant say nothing about another. One of
//!   another context's shared worker cannot be told from our own.
//! - Requests are held by the browser as a whole and not in the session of each tab, because the first request of a tab
//!   that a page opens by a click with Ctrl, the requests of shared workers, link prefetches and `fetchLater` escape the
//!   sessions. This takes effect only for documents that load after the browser was asked, so it is asked before the
//!   first page. Source: measured with Chromium 156; until a secret is typed, a request takes less than 1 ms longer.
//! - A secret is typed only into a document whose reported origin and address agree. This excludes a frame whose
//!   content the page wrote, because such a frame has the page's origin and no address of its own.
//! - Loading a saved state (cookies and local storage) sets the new cookies first and deletes the old ones afterwards,
//!   so a failure loses no cookies. Local storage that was overwritten before the failure is not restored. In an
//!   attached browser, only cookies of the state's own sites are deleted, because all other cookies belong to the
//!   person who uses the browser.
//! - A saved state includes the storage of frames and of earlier pages. So a hidden tab visits each origin without its
//!   service workers. Only the storage of the current page's origin is read in that page itself.

mod act;
mod ask;
mod attach;
mod choosing;
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
mod scene;
mod sending;
mod settle;
mod state;
mod stderr_tail;
mod storage;
mod tabs;
mod target;
mod traces;
mod typing;
mod wire;

pub use driver::Cdp;
pub use options::CdpOptions;
