//! The closed set of actions that a browser can be asked to carry out.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use super::{
    ErrorClass, Failure, Parameters, Target, TextValue,
    arguments::{
        Click, ClickAt, ClickXy, DialogAccept, Drag, DragBy, DragXy, Eval, Fill, Goto, HoverXy,
        NoArguments, OnTarget, Press, RunCode, Screenshot, Scroll, Select, SelectText, StateFile,
        TabAt, TabNew, Type, Upload, Wait,
    },
    lenient,
};
use crate::base::Result;

/// The worst effect that an action can have.
///
/// Each tool has a fixed effect. Depending on the target of an action and on the page, the loop may judge its effect as
/// worse, but never as less bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The action only reads. Scrolling, moving the pointer, selecting text and saving the browser's state count as
    /// reading.
    Read,
    /// The action may change something, but the change can be undone.
    Reversible,
    /// The action may do something that cannot be undone: it sends, pays, deletes, uploads, or runs a script.
    Irreversible,
}

macro_rules! browser_actions {
    ($($variant:ident($arguments:ty) = $name:literal, $effect:ident, $changes:literal, $description:literal;)*) => {
        /// The name of a browser tool.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum BrowserTool {
            $(#[doc = $description] $variant,)*
        }

        impl BrowserTool {
            /// Every tool, in the order of the variants. Prompts list the frequent tools first, then the others in this
            /// order.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns the tool's name, as models use it.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns the tool that models call by this name; `None` if there is no such tool.
            pub fn parse(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)* _ => None }
            }

            /// Returns the description of the tool for the model, in one sentence.
            pub const fn description(self) -> &'static str {
                match self { $(Self::$variant => $description,)* }
            }

            /// Returns the fixed effect of the tool. Depending on the target of an action and on the page, the loop may
            /// judge its effect as worse.
            pub const fn effect(self) -> Effect {
                match self { $(Self::$variant => Effect::$effect,)* }
            }

            /// Returns true if an action of this tool is expected to change the page. If no change is seen, the outcome
            /// is usually [`NoEffect`](super::Outcome::NoEffect). It stays `Done` if the page was already as the action
            /// asks, or if the effect need not be visible, as for a key that moves the caret.
            pub const fn should_change_page(self) -> bool {
                match self { $(Self::$variant => $changes,)* }
            }

            pub(super) fn schema(self) -> schemars::Schema {
                match self { $(Self::$variant => schemars::schema_for!($arguments),)* }
            }
        }

        /// An action for the browser, with its arguments.
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(tag = "tool", content = "arguments", rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum BrowserAction {
            $(#[doc = $description] $variant($arguments),)*
        }

        impl BrowserAction {
            /// Returns the tool of the action.
            pub const fn tool(&self) -> BrowserTool {
                match self { $(Self::$variant(_) => BrowserTool::$variant,)* }
            }

            /// Returns the arguments as JSON.
            pub fn arguments(&self) -> Value {
                match self { $(Self::$variant(arguments) => serde_json::to_value(arguments).unwrap_or_default(),)* }
            }

            /// Builds the action from a tool and its arguments. Missing, unknown or malformed arguments are errors.
            ///
            /// # Errors
            /// An error that the model reads. It names a missing or an unknown field, but not the field of a wrong value.
            pub(super) fn from_arguments(tool: BrowserTool, arguments: Value) -> Result<Self, serde_json::Error> {
                Ok(match tool { $(BrowserTool::$variant => Self::$variant(serde_json::from_value(arguments)?),)* })
            }
        }
    };
}

browser_actions! {
    Goto(Goto) = "goto", Reversible, true, "Open a URL.";
    GoBack(NoArguments) = "go_back", Reversible, true, "Go back one page.";
    GoForward(NoArguments) = "go_forward", Reversible, true, "Go forward one page.";
    Reload(NoArguments) = "reload", Reversible, false, "Load the page again.";
    Click(Click) = "click", Reversible, true, "Click an element.";
    Dblclick(Click) = "dblclick", Reversible, true, "Double-click an element.";
    ClickAt(ClickAt) = "click_at", Reversible, true, "Click a point of an element, x and y pixels from its top left corner: on a canvas, map or slider.";
    ClickXy(ClickXy) = "click_xy", Reversible, true, "Click a point of the picture, or of target from its top left corner; double clicks twice.";
    Hover(OnTarget) = "hover", Read, false, "Move the pointer over an element, to open its menu.";
    HoverXy(HoverXy) = "hover_xy", Read, false, "Move the pointer to a point of the picture, or of target from its top left corner, as on a chart.";
    Fill(Fill) = "fill", Reversible, true, "Replace the text of a field; submit presses Enter.";
    Type(Type) = "type", Reversible, true, "Type text key by key where the focus is.";
    Press(Press) = "press", Reversible, true, "Press a key, such as Enter or Control+a, up to 100 times; target gets the focus first.";
    Select(Select) = "select", Reversible, true, "Choose options of a list by label or value.";
    Check(OnTarget) = "check", Reversible, true, "Tick a checkbox or radio button.";
    Uncheck(OnTarget) = "uncheck", Reversible, true, "Untick a checkbox.";
    Drag(Drag) = "drag", Reversible, true, "Drag the element from onto the element to.";
    DragXy(DragXy) = "drag_xy", Reversible, true, "Drag from a point of the picture to another one, over the points via, or of target from its top left corner.";
    DragBy(DragBy) = "drag_by", Reversible, true, "Drag an element by a distance, x pixels to the right and y down; negative to the left and up.";
    SelectText(SelectText) = "select_text", Read, false, "Select the text of an element, or only some words in it.";
    Upload(Upload) = "upload", Irreversible, false, "Give files of this run, by name, to the open file chooser.";
    Scroll(Scroll) = "scroll", Read, false, "Scroll up, down, left or right, 600 pixels or so many, in the page or in target; without direction, until target is in view.";
    Wait(Wait) = "wait", Read, false, "Takes exactly one: wait until text is shown, until it is gone, or so many seconds.";
    Snapshot(NoArguments) = "snapshot", Read, false, "Look at the page again.";
    Screenshot(Screenshot) = "screenshot", Read, false, "Take a picture of the page, without refs; the last 4 of a reply are shown.";
    TabList(NoArguments) = "tab_list", Read, false, "List the open tabs.";
    TabNew(TabNew) = "tab_new", Reversible, true, "Open a new tab, at a URL.";
    TabSelect(TabAt) = "tab_select", Reversible, false, "Switch to the tab of this number in the list.";
    TabClose(TabAt) = "tab_close", Reversible, true, "Close a tab.";
    DialogAccept(DialogAccept) = "dialog_accept", Reversible, true, "Accept the open dialog; text answers a prompt.";
    DialogDismiss(NoArguments) = "dialog_dismiss", Reversible, true, "Dismiss the open dialog.";
    StateSave(StateFile) = "state_save", Read, false, "Save cookies and storage under a name.";
    StateLoad(StateFile) = "state_load", Reversible, false, "Load cookies and storage saved under a name.";
    Eval(Eval) = "eval", Irreversible, false, "Evaluate a JavaScript function in the page.";
    RunCode(RunCode) = "run_code", Irreversible, false, "Run driver code.";
}

/// Longest time that a call of `wait` may ask for. Unit: seconds. Source: chosen; the step of the run lasts as long as
/// the wait.
const MAX_WAIT_SECONDS: u32 = 30;

/// Maximum number of key presses in one call of `press`. Source: chosen; enough to move a slider from one end to the
/// other in its usual steps.
const MAX_TIMES: u32 = 100;

/// Maximum distance of a `drag_by` in each direction. Unit: CSS pixels. Source: chosen; longer than any screen.
const MAX_DISTANCE: u32 = 10_000;

/// Maximum number of points on the way of a `drag_xy`. Source: chosen; enough to write a signature by hand. A page that
/// takes more than a tenth of a second for each point may not get them all within the time limit of an action.
const MAX_VIA: usize = 50;

impl BrowserTool {
    /// Returns true if the tool only looks at the page, lists the tabs or waits. A hover or a scroll may change or move
    /// something in the page, so it does not count. `state_save` does not count either.
    pub(crate) const fn is_look(self) -> bool {
        matches!(
            self,
            Self::Wait | Self::Snapshot | Self::Screenshot | Self::TabList
        )
    }
}

impl BrowserAction {
    /// Returns the fixed effect of the action's tool. Depending on the target and on the page, the loop may judge the
    /// effect as worse.
    pub const fn effect(&self) -> Effect {
        self.tool().effect()
    }

    /// Returns the targets that the action's arguments contain, in the order of the arguments.
    pub fn targets(&self) -> Vec<&Target> {
        match self {
            Self::Click(Click { target, .. })
            | Self::Dblclick(Click { target, .. })
            | Self::ClickAt(ClickAt { target, .. })
            | Self::DragBy(DragBy { target, .. })
            | Self::Hover(OnTarget { target })
            | Self::Check(OnTarget { target })
            | Self::Uncheck(OnTarget { target })
            | Self::Fill(Fill { target, .. })
            | Self::Select(Select { target, .. })
            | Self::SelectText(SelectText { target, .. })
            | Self::Press(Press {
                target: Some(target),
                ..
            })
            | Self::Scroll(Scroll {
                target: Some(target),
                ..
            })
            | Self::ClickXy(ClickXy {
                target: Some(target),
                ..
            })
            | Self::DragXy(DragXy {
                target: Some(target),
                ..
            })
            | Self::HoverXy(HoverXy {
                target: Some(target),
                ..
            })
            | Self::Screenshot(Screenshot {
                target: Some(target),
            })
            | Self::Eval(Eval {
                target: Some(target),
                ..
            }) => vec![target],
            Self::Drag(Drag { from, to }) => vec![from, to],
            _ => Vec::new(),
        }
    }

    pub(crate) fn targets_mut(&mut self) -> Vec<&mut Target> {
        match self {
            Self::Click(Click { target, .. })
            | Self::Dblclick(Click { target, .. })
            | Self::ClickAt(ClickAt { target, .. })
            | Self::DragBy(DragBy { target, .. })
            | Self::Hover(OnTarget { target })
            | Self::Check(OnTarget { target })
            | Self::Uncheck(OnTarget { target })
            | Self::Fill(Fill { target, .. })
            | Self::Select(Select { target, .. })
            | Self::SelectText(SelectText { target, .. })
            | Self::Press(Press {
                target: Some(target),
                ..
            })
            | Self::Scroll(Scroll {
                target: Some(target),
                ..
            })
            | Self::ClickXy(ClickXy {
                target: Some(target),
                ..
            })
            | Self::DragXy(DragXy {
                target: Some(target),
                ..
            })
            | Self::HoverXy(HoverXy {
                target: Some(target),
                ..
            })
            | Self::Screenshot(Screenshot {
                target: Some(target),
            })
            | Self::Eval(Eval {
                target: Some(target),
                ..
            }) => vec![target],
            Self::Drag(Drag { from, to }) => vec![from, to],
            _ => Vec::new(),
        }
    }

    /// Returns the points of a `click_xy`, `hover_xy` or `drag_xy`, in the order in which the pointer gets there. They
    /// are points of the target, or of the picture if the action has no target. Empty for any other action, also for a
    /// `click_at`.
    pub(crate) fn points(&self) -> Vec<(u32, u32)> {
        match self {
            Self::ClickXy(ClickXy { x, y, .. }) | Self::HoverXy(HoverXy { x, y, .. }) => {
                vec![(*x, *y)]
            }
            Self::DragXy(drag) => drag.points(),
            _ => Vec::new(),
        }
    }

    /// Replaces the target and the points of a `click_xy`, `hover_xy` or `drag_xy`. `points` must have as many points
    /// as [`points`](Self::points) returns. Any other action stays as it is.
    pub(crate) fn aim_points(&mut self, at: Target, points: &[(u32, u32)]) {
        match (self, points) {
            (
                Self::ClickXy(ClickXy { x, y, target, .. })
                | Self::HoverXy(HoverXy { x, y, target }),
                [point],
            ) => ((*x, *y), *target) = (*point, Some(at)),
            (Self::DragXy(drag), [start, via @ .., end]) => {
                (drag.x, drag.y) = *start;
                (drag.to_x, drag.to_y) = *end;
                drag.via = via.iter().map(|(x, y)| [*x, *y]).collect();
                drag.target = Some(at);
            }
            _ => {}
        }
    }

    /// Returns the texts that the action would type into fields or choose in a select box.
    pub fn texts(&self) -> Vec<&TextValue> {
        match self {
            Self::Fill(Fill { text, .. })
            | Self::Type(Type { text, .. })
            | Self::DialogAccept(DialogAccept { text: Some(text) }) => vec![text],
            Self::Select(Select { values, .. }) => values.iter().collect(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn texts_mut(&mut self) -> Vec<&mut TextValue> {
        match self {
            Self::Fill(Fill { text, .. })
            | Self::Type(Type { text, .. })
            | Self::DialogAccept(DialogAccept { text: Some(text) }) => vec![text],
            Self::Select(Select { values, .. }) => values.iter_mut().collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the address that the action would open; `None` if it opens none.
    pub fn url(&self) -> Option<&str> {
        match self {
            Self::Goto(Goto { url }) | Self::TabNew(TabNew { url: Some(url) }) => Some(url),
            _ => None,
        }
    }

    /// Makes the action's address absolute if the address begins with `/` or `?`. `page` is the address of the page for
    /// which the action was decided.
    pub(crate) fn resolve_address(&mut self, page: &str) {
        let (Self::Goto(Goto { url }) | Self::TabNew(TabNew { url: Some(url) })) = self else {
            return;
        };
        if url.starts_with(['/', '?'])
            && let Ok(whole) = Url::parse(page).and_then(|page| page.join(url))
        {
            *url = whole.into();
        }
    }

    /// Returns a copy of the action in which each text that is a placeholder `<param:NAME>` is replaced by the value of
    /// that task parameter. A placeholder among other words stays, and so do the placeholders of secrets.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) if the action names a parameter that the task does
    /// not have.
    pub fn with_parameters(&self, parameters: &Parameters) -> Result<Self> {
        let mut action = self.clone();
        for text in action.texts_mut() {
            *text = text.resolve(parameters)?;
        }
        Ok(action)
    }

    /// Converts a [`Drag`] to a [`DragBy`] if its end is given as a distance, such as `-40,0`. Returns any other action
    /// unchanged.
    pub(super) fn or_by_distance(self) -> Self {
        match self {
            Self::Drag(Drag { from, to }) => match lenient::distance(&to) {
                Some((x, y)) => Self::DragBy(DragBy::new(from, x, y)),
                None => Self::Drag(Drag { from, to }),
            },
            other => other,
        }
    }

    /// Checks the rules that the argument types cannot express. For example, a wait has exactly one condition.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let bad = |why: &str| Err(Failure::new(ErrorClass::BadArguments, why));
        match self {
            Self::Wait(Wait {
                text,
                gone,
                seconds,
            }) => {
                let given = [text.is_some(), gone.is_some(), seconds.is_some()]
                    .into_iter()
                    .filter(|g| *g)
                    .count();
                if given != 1 {
                    return bad("wait takes exactly one of text, gone and seconds");
                }
                if seconds.is_some_and(|s| s > MAX_WAIT_SECONDS.into()) {
                    return bad("wait takes at most 30 seconds");
                }
                Ok(())
            }
            Self::StateSave(StateFile { name }) | Self::StateLoad(StateFile { name })
                if crate::base::SessionId::parse(name.as_str()).is_err() =>
            {
                bad("name takes letters, digits, `_` and `-` only")
            }
            Self::Scroll(Scroll {
                direction: None,
                target: None,
                ..
            }) => bad("scroll takes a direction, a target or both"),
            Self::Press(press) if !(1..=MAX_TIMES).contains(&press.times()) => {
                bad("times takes 1 to 100")
            }
            // Any other key may have an effect that must be observed before the key is pressed again.
            Self::Press(press) if press.times() > 1 && !press.key.is_repeatable() => bad(
                "times is for arrow keys, Tab, Home, End, PageUp, PageDown and Backspace, with Shift at most",
            ),
            Self::Select(Select { values, .. }) if values.is_empty() => {
                bad("values must not be empty")
            }
            Self::SelectText(SelectText {
                text: Some(text), ..
            }) if text.trim().is_empty() => bad("text must not be empty"),
            Self::Upload(Upload { files }) if files.is_empty() => bad("files must not be empty"),
            Self::DragBy(DragBy { x: 0, y: 0, .. }) => bad("x or y must be other than 0"),
            Self::DragBy(DragBy { x, y, .. })
                if x.unsigned_abs().max(y.unsigned_abs()) > MAX_DISTANCE =>
            {
                bad("x and y are at most 10000 pixels")
            }
            Self::DragXy(DragXy { via, .. }) if via.len() > MAX_VIA => {
                bad("via takes at most 50 points")
            }
            _ => Ok(()),
        }
    }
}
