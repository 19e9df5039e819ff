//! The closed set of reasons why an action can fail.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! classes {
    ($($(#[$doc:meta])* $variant:ident = $text:literal => $hint:literal,)*) => {
        /// Why an action failed, as a closed class: the only form in which an error enters memory or a system prompt.
        ///
        /// What the page itself said stays beside it as data with an origin, in [`Failure`](super::Failure).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum ErrorClass {
            $($(#[$doc])* $variant,)*
        }

        impl ErrorClass {
            /// Every class, in order.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The class as events and files write it.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }

            /// One sentence of ours for the model: what happened.
            pub const fn sentence(self) -> &'static str {
                match self {
                    $(Self::$variant => $hint,)*
                }
            }
        }
    };
}

classes! {
    /// The reference is not in the current observation.
    RefNotFound = "ref_not_found" => "the target is not on the current page",
    /// A locator matches nothing.
    NotFound = "not_found" => "no element matches the target",
    /// A locator matches several elements.
    NotUnique = "not_unique" => "several elements match the target: use the ref of one",
    /// Something else would receive the click.
    Intercepted = "intercepted" => "another element covers the target",
    /// It is there but not visible.
    NotVisible = "not_visible" => "the target is not visible",
    /// It is disabled.
    Disabled = "disabled" => "the target is disabled",
    /// It cannot be typed into.
    NotEditable = "not_editable" => "the target is not an editable field",
    /// It is not a select box, or not a checkbox.
    WrongElement = "wrong_element" => "the target is not the kind of element this tool works on",
    /// A select box has no such option.
    NoSuchOption = "no_such_option" => "the list has no such option",
    /// The field does not take such a value.
    BadValue = "bad_value" => "the field does not accept a value of this form",
    /// It left the page while the action was tried.
    Detached = "detached" => "the target disappeared while the action was tried",
    /// It never stopped moving, or lies outside of the window.
    NotStable = "not_stable" => "the target keeps moving or cannot be scrolled into view",
    /// Time ran out and nothing says why.
    Timeout = "timeout" => "the action did not finish in time",
    /// The address could not be loaded.
    NavigationFailed = "navigation_failed" => "the address could not be loaded",
    /// There is no page to go back or forward to.
    NoHistory = "no_history" => "there is no page in that direction",
    /// A dialog of the page waits for an answer.
    DialogOpen = "dialog_open" => "a dialog is open and must be accepted or dismissed first",
    /// There is no dialog.
    NoDialog = "no_dialog" => "no dialog is open",
    /// No file chooser is open.
    NoFileChooser = "no_file_chooser" => "no file chooser is open",
    /// A file cannot be read, or is not among those the run may send.
    FileRefused = "file_refused" => "that file may not be used in this run",
    /// There is no such tab.
    NoSuchTab = "no_such_tab" => "there is no such tab",
    /// The text that was waited for did not come, or did not go.
    WaitedInVain = "waited_in_vain" => "what was waited for did not happen",
    /// The driver or the tool did not accept the arguments.
    BadArguments = "bad_arguments" => "the arguments were not accepted",
    /// A secret may not be typed here.
    SecretRefused = "secret_refused" => "this secret may not be typed on this page",
    /// A form, or another request of the page, would carry a secret to an origin that it is not bound to.
    SecretLeaves = "secret_leaves" => "a secret would be sent to an origin that may not receive it",
    /// A guard of the loop refused the action before it ran.
    Blocked = "blocked" => "the action is not allowed in this run",
    /// The person asked said no, or nobody could be asked.
    Rejected = "rejected" => "the action needed approval and did not get it",
    /// It cannot be undone, and the journal could not keep it before it was done.
    NotRecorded = "not_recorded" => "the action cannot be undone and could not be recorded beforehand, so it was not done",
    /// Script in the page threw.
    ScriptFailed = "script_failed" => "the script failed",
    /// This driver cannot do it.
    Unsupported = "unsupported" => "this browser driver cannot do that",
    /// Nothing of the above.
    Other = "other" => "the action failed",
}

impl fmt::Display for ErrorClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_written_form_is_the_one_that_serde_uses() {
        for class in ErrorClass::ALL {
            assert_eq!(serde_json::to_value(class).unwrap(), class.as_str());
        }
    }
}
