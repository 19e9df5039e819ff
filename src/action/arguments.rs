//! The arguments of the browser tools, as a model gives them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Key, Seconds, Target, TextValue, lenient};

/// Default distance of a `scroll`. Unit: CSS pixels. Source: the description of the tool `scroll`.
const SCROLLED: u32 = 600;

macro_rules! arguments {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
            #[serde(deny_unknown_fields)]
            pub struct $name {
                $($(#[$field_doc])* pub $field: $type,)*
            }
        )*
    };
}

arguments! {
    /// Arguments of `goto`.
    Goto {
        /// An http or https address.
        url: String,
    }
    /// Arguments of `click` and `dblclick`.
    Click {
        /// Ref, exact text, or role "name".
        #[serde(alias = "ref", alias = "element", alias = "selector")]
        target: Target,
        /// Which button; left when not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        button: Option<MouseButton>,
    }
    /// Arguments of `click_at`.
    ClickAt {
        /// Ref, exact text, or role "name".
        #[serde(alias = "ref", alias = "element", alias = "selector")]
        target: Target,
        /// Pixels from the left edge.
        x: u32,
        /// Pixels from the top edge.
        y: u32,
    }
    /// Arguments of `click_xy`.
    ///
    /// A driver needs a target. If the model gives none, the loop fills in the element under the point.
    ClickXy {
        /// Pixels from the left edge.
        x: u32,
        /// Pixels from the top edge.
        y: u32,
        /// True for a double click.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        double: bool,
        /// The element from whose edges x and y are measured; the picture when not given.
        #[serde(default, skip_serializing_if = "Option::is_none", alias = "ref", alias = "element", alias = "selector")]
        target: Option<Target>,
    }
    /// Arguments of `drag_by`.
    ///
    /// The distance is that between the press and the release of the mouse. The release may be outside of the element, and of the window.
    DragBy {
        /// Ref, exact text, or role "name".
        #[serde(alias = "ref", alias = "element", alias = "selector", alias = "from")]
        target: Target,
        /// Pixels to the right.
        #[serde(default, skip_serializing_if = "lenient::is_zero")]
        x: i32,
        /// Pixels down.
        #[serde(default, skip_serializing_if = "lenient::is_zero")]
        y: i32,
        /// Where to begin, pixels from the left edge; the middle when not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from_x: Option<u32>,
        /// Where to begin, pixels from the top edge; the middle when not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from_y: Option<u32>,
    }
    /// Arguments of `hover_xy`. A missing target is filled in as for `click_xy`.
    HoverXy {
        /// Pixels from the left edge.
        x: u32,
        /// Pixels from the top edge.
        y: u32,
        /// The element in which the pixels are counted; the picture when not given.
        #[serde(default, skip_serializing_if = "Option::is_none", alias = "ref", alias = "element", alias = "selector")]
        target: Option<Target>,
    }
    /// Arguments of `drag_xy`. A missing target is filled in as for `click_xy`.
    DragXy {
        /// Pixels from the left edge.
        x: u32,
        /// Pixels from the top edge.
        y: u32,
        /// End of the drag, pixels from the left edge.
        to_x: u32,
        /// End of the drag, pixels from the top edge.
        to_y: u32,
        /// Points on the way, each as [x, y].
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        via: Vec<[u32; 2]>,
        /// The element in which the pixels are counted; the picture when not given.
        #[serde(default, skip_serializing_if = "Option::is_none", alias = "ref", alias = "element", alias = "selector")]
        target: Option<Target>,
    }
    /// Arguments of tools that need only a target.
    OnTarget {
        /// Ref, exact text, or role "name".
        #[serde(alias = "ref", alias = "element", alias = "selector")]
        target: Target,
    }
    /// Arguments of `fill`.
    Fill {
        /// Ref, exact text, or role "name".
        #[serde(alias = "ref", alias = "element", alias = "selector")]
        target: Target,
        /// The new text, `<secret:NAME>` or `<param:NAME>`.
        #[serde(alias = "value")]
        text: TextValue,
        /// Press Enter afterwards.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        submit: bool,
    }
    /// Arguments of `type`.
    Type {
        /// The text, `<secret:NAME>` or `<param:NAME>`.
        #[serde(alias = "value")]
        text: TextValue,
        /// Press Enter afterwards.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        submit: bool,
    }
    /// Arguments of `press`.
    Press {
        /// Key name or one character.
        key: Key,
        /// The element that gets the focus first.
        #[serde(default, skip_serializing_if = "Option::is_none", alias = "ref", alias = "element", alias = "selector")]
        target: Option<Target>,
        /// Up to 100, for keys that move or delete.
        #[serde(default, skip_serializing_if = "Option::is_none", alias = "count", alias = "repeat")]
        times: Option<u32>,
    }
    /// Arguments of `select`.
    Select {
        /// Ref, exact text, or role "name".
        #[serde(alias = "ref", alias = "element", alias = "selector")]
        target: Target,
        /// Labels or values to choose.
        #[serde(alias = "value", alias = "option", deserialize_with = "lenient::one_or_many")]
        values: Vec<TextValue>,
    }
    /// Arguments of `select_text`.
    SelectText {
        /// Ref, exact text, or role "name".
        #[serde(alias = "ref", alias = "element", alias = "selector")]
        target: Target,
        /// The words to select in the target; the target's whole text when not given.
        #[serde(default, skip_serializing_if = "Option::is_none", alias = "words")]
        text: Option<String>,
    }
    /// Arguments of `drag`.
    Drag {
        /// Ref of what is dragged.
        #[serde(alias = "source", alias = "start")]
        from: Target,
        /// Ref of where it is dropped.
        #[serde(alias = "destination", alias = "end")]
        to: Target,
    }
    /// Arguments of `upload`.
    Upload {
        /// Names of files that the run may send.
        #[serde(alias = "file", alias = "paths", deserialize_with = "lenient::one_or_many")]
        files: Vec<String>,
    }
    /// Arguments of `scroll`.
    Scroll {
        /// The direction; when not given, the target is brought into view.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        direction: Option<ScrollDirection>,
        /// Pixels; 600 when not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pixels: Option<u32>,
        /// The element to scroll, or to bring into view.
        #[serde(default, skip_serializing_if = "Option::is_none", alias = "ref", alias = "element", alias = "selector")]
        target: Option<Target>,
    }
    /// Arguments of `wait`; exactly one must be given.
    Wait {
        /// Until this text is on the page.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// Until this text is gone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        gone: Option<String>,
        /// The number of seconds to wait, such as 0.5; at most 30.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seconds: Option<Seconds>,
    }
    /// Arguments of `screenshot`.
    Screenshot {
        /// Ref of one element; the window when not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<Target>,
    }
    /// Arguments of `tab_new`.
    TabNew {
        /// Address to open.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
    }
    /// Arguments of `tab_select` and `tab_close`.
    TabAt {
        /// Place in the list of tabs, from 0.
        index: u32,
    }
    /// Arguments of `dialog_accept`.
    DialogAccept {
        /// Text to enter in a prompt dialog.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<TextValue>,
    }
    /// Arguments of `state_save` and `state_load`.
    StateFile {
        /// Letters, digits, `_` and `-`.
        name: String,
    }
    /// Arguments of `eval`.
    Eval {
        /// `() => value` or, with a target, `element => value`.
        function: String,
        /// Ref, exact text, or role "name".
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<Target>,
    }
    /// Arguments of `run_code`.
    RunCode {
        /// `async page => value`.
        code: String,
    }
    /// No arguments.
    NoArguments {}
}

/// A button of the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MouseButton {
    /// The usual button.
    Left,
    /// The button that opens context menus.
    Right,
    /// The wheel.
    Middle,
}

/// Direction of a scroll.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScrollDirection {
    /// Towards the top.
    Up,
    /// Towards the end.
    Down,
    /// To the left.
    Left,
    /// To the right.
    Right,
}

impl DragBy {
    /// Creates a drag from the middle of an element by this distance. Unit: CSS pixels.
    pub const fn new(target: Target, x: i32, y: i32) -> Self {
        Self {
            target,
            x,
            y,
            from_x: None,
            from_y: None,
        }
    }

    /// Returns the point at which the drag begins, measured from the element's top left corner. `width` and `height` are the size of the
    /// element. Unit: CSS pixels.
    pub fn start(&self, width: f64, height: f64) -> (f64, f64) {
        let given = |from: Option<u32>, side: f64| from.map_or(side / 2.0, f64::from);
        (given(self.from_x, width), given(self.from_y, height))
    }
}

impl DragXy {
    /// Returns the points of the drag in their order: the start, the points on the way, and the end.
    pub(crate) fn points(&self) -> Vec<(u32, u32)> {
        let via = self.via.iter().map(|[x, y]| (*x, *y));
        let start = std::iter::once((self.x, self.y));
        start.chain(via).chain([(self.to_x, self.to_y)]).collect()
    }
}

impl Scroll {
    /// Returns the distance of the scroll to the right and down; `None` if the call gives no direction. Unit: CSS pixels.
    pub fn by(&self) -> Option<(i64, i64)> {
        let pixels = i64::from(self.pixels.unwrap_or(SCROLLED));
        Some(match self.direction? {
            ScrollDirection::Up => (0, -pixels),
            ScrollDirection::Down => (0, pixels),
            ScrollDirection::Left => (-pixels, 0),
            ScrollDirection::Right => (pixels, 0),
        })
    }
}

impl Upload {
    /// Returns the words that tell the model which files the run may upload, by their names. The system instruction, the
    /// line of a file chooser and a refusal all use them.
    pub(crate) fn offered(names: &[&str]) -> String {
        match names {
            [] => "you have no file to upload".to_owned(),
            names => format!("you may upload: {}", names.join(", ")),
        }
    }
}

impl Press {
    /// Returns the number of times to press the key; 1 if the call gives none.
    pub fn times(&self) -> u32 {
        self.times.unwrap_or(1)
    }
}
