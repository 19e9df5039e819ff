//! The page side: the script that runs in each document, in an isolated JavaScript world of its own.
//!
//! The page shares its elements with the script, and nothing else. The page can neither see nor change the script, and
//! names that the page gives to elements do not hide the properties that the script reads (`dom.js`).
//!
//! ```text
//! dom     reads elements by the getters of their prototypes
//! refs    the numbers of elements; also records which elements hold secrets
//! look    the facts about each element, each read once in an observation
//! aria    the role of an element; `state`, `shown` and `name`: its states, visibility and name
//! area    areas of image maps, which have no box of their own and are drawn by a picture
//! tree    the elements that become nodes of the page tree; `simplify` drops some of them
//! walk    the page as rows, and the changes since the last walk
//! find    finds elements by locators; `locate`: locators for elements
//! ready   waits until an element can be acted on
//! press   watches which element the pointer really hits
//! fill    typing and filling; `choose`: options and checkboxes; `sends`: the addresses that forms are sent to
//! ```

/// The source files of our script in the page. Code outside of functions uses no constant of a later file.
/// Functions may use any file.
const FILES: &[&str] = &[
    include_str!("dom.js"),
    include_str!("area.js"),
    include_str!("refs.js"),
    include_str!("aria.js"),
    include_str!("state.js"),
    include_str!("shown.js"),
    include_str!("content.js"),
    include_str!("native.js"),
    include_str!("name.js"),
    include_str!("simplify.js"),
    include_str!("tree.js"),
    include_str!("look.js"),
    crate::browser::HINTS,
    include_str!("walk.js"),
    include_str!("visible.js"),
    include_str!("ready.js"),
    include_str!("press.js"),
    include_str!("crossing.js"),
    include_str!("insert.js"),
    include_str!("sends.js"),
    include_str!("fill.js"),
    include_str!("choose.js"),
    include_str!("quiet.js"),
    crate::browser::TRACES,
    crate::browser::SCENE,
    crate::browser::SELECTION,
    include_str!("scene.js"),
    include_str!("texts.js"),
    include_str!("find.js"),
    include_str!("locate.js"),
    STORED,
    include_str!("main.js"),
];

/// The source of the script's function `stored`. It depends on no other file of the script.
pub(super) const STORED: &str = include_str!("stored.js");

/// Returns the script that runs in each document. It gives elements numbers above `last`.
pub(super) fn library(last: u64) -> String {
    let mut script = String::from("(() => {\n'use strict';\n");
    for file in FILES {
        script.push_str(file);
    }
    let exported = EXPORTED.join(", ");
    script + &format!("lastNumber = {last};\nreturn {{ {exported} }};\n}})()")
}

/// Names of the script's functions that the driver calls.
const EXPORTED: &[&str] = &[
    "numberOf",
    "elementOf",
    "observe",
    "ticketsOf",
    "place",
    "scrolled",
    "scene",
    "stored",
    "find",
    "locatorOf",
    "able",
    "ready",
    "arm",
    "verdict",
    "disarm",
    "throughFrame",
    "surroundings",
    "box",
    "fill",
    "typeInto",
    "focus",
    "focused",
    "sendsFrom",
    "sendsOn",
    "sendsByKey",
    "select",
    "choicesOf",
    "selectText",
    "checkState",
    "quiet",
    "traceFrom",
    "traced",
];
