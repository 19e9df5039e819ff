//! Error classes: the closed set of reasons why an action can fail.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! classes {
    ($($(#[$doc:meta])* $variant:ident = $text:literal => $hint:literal,)*) => {
        /// The reason why an action failed, from a closed set. Memory and system prompts contain an error only in this form.
        ///
        /// The message of the page or driver is kept beside the class, as page data, in [`Failure`](super::Failure).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum ErrorClass {
            $($(#[$doc])* $variant,)*
        }

        impl ErrorClass {
            /// Every class, in the order of the variants.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns the name of the class, such as `not_found`, as events and files contain it.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }

            /// Returns one fixed sentence that tells the model what happened.
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
    /// The target is on the page but not visible.
    NotVisible = "not_visible" => "the target is not visible",
    /// The target is disabled.
    Disabled = "disabled" => "the target is disabled",
    /// The target cannot be typed into.
    NotEditable = "not_editable" => "the target is not an editable field",
    /// The target is not the kind of element that the tool needs, such as a select box, a checkbox or a frame.
    WrongElement = "wrong_element" => "the target is not the kind of element this tool works on",
    /// A select box has no such option.
    NoSuchOption = "no_such_option" => "the list has no such option",
    /// The field does not accept a value of this form.
    BadValue = "bad_value" => "the field does not accept a value of this form",
    /// The target left the page while the action was tried.
    Detached = "detached" => "the target disappeared while the action was tried",
    /// The target never stopped moving, or lies outside the window.
    NotStable = "not_stable" => "the target keeps moving, or lies off the page, such as a button that is shown only while the pointer is over its row",
    /// Time ran out, and nothing says why.
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
    /// A file cannot be read, or is not among those the run may send, or the browser's state cannot be saved or loaded.
    FileRefused = "file_refused" => "that file may not be used in this run",
    /// There is no such tab.
    NoSuchTab = "no_such_tab" => "there is no such tab",
    /// The text that was waited for did not appear or did not disappear.
    WaitedInVain = "waited_in_vain" => "what was waited for did not happen",
    /// The driver or the tool did not accept the arguments.
    BadArguments = "bad_arguments" => "the arguments were not accepted",
    /// A secret may not be typed here.
    SecretRefused = "secret_refused" => "this secret may not be typed on this page",
    /// A form, or another request of the page, would carry a secret to an origin that it is not bound to.
    SecretLeaves = "secret_leaves" => "a secret would be sent to an origin that may not receive it",
    /// A guard of the loop refused the action before it ran, or the action led out of the run's scope and the browser
    /// was led back.
    Blocked = "blocked" => "the action is not allowed in this run",
    /// A person was asked and said no, or nobody could be asked.
    Rejected = "rejected" => "the action needed approval and did not get it",
    /// The action cannot be undone, and the journal could not record it beforehand.
    NotRecorded = "not_recorded" => "the action cannot be undone and could not be recorded beforehand, so it was not done",
    /// The script threw an error in the page.
    ScriptFailed = "script_failed" => "the script failed",
    /// This driver cannot carry out the action.
    Unsupported = "unsupported" => "this browser driver cannot do that",
    /// None of the other reasons.
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
