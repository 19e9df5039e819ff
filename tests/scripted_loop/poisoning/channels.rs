//! The ways in which words of a page, or words that a page talked a model into, come near memory.

macro_rules! channels {
    ($($name:ident: $story:ident, $text:literal,)*) => {
        /// One way.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) enum Channel { $(#[doc = $text] $name,)* }

        impl Channel {
            pub(crate) const ALL: &[Self] = &[$(Self::$name,)*];

            /// As a figure tells it.
            pub(crate) const fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The story in which it is used.
            pub(crate) const fn story(self) -> Story {
                match self { $(Self::$name => Story::$story,)* }
            }
        }
    };
}

/// What happens on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Story {
    /// Something covers a button, a field is none, a list has no such option: three lessons with names of the page.
    Names,
    /// Keys, dialogs, redirects, tools, the model's own words, and machinery that breaks.
    Words,
}

impl Story {
    pub(crate) const ALL: [Self; 2] = [Self::Names, Self::Words];

    pub(crate) fn channels(self) -> Vec<Channel> {
        Channel::ALL
            .iter()
            .copied()
            .filter(|channel| channel.story() == self)
            .collect()
    }
}

channels! {
    FailingName: Names, "name of the target that fails",
    HelpingName: Names, "name of the target that helps",
    SecondName: Names, "name of the second target that helps",
    ThirdName: Names, "name of the third target that helps",
    Label: Names, "label beside a field without a name",
    AncestorName: Names, "name of what the target is in",
    FrameName: Names, "name of a frame",
    Attribute: Names, "attributes of the target",
    Locator: Names, "locator that the driver prints",
    FailureDetail: Names, "what the browser says of a failure",
    Title: Names, "title of the page",
    TypedText: Names, "text that the model copies from the page",
    FieldValue: Names, "value of a field",
    OptionText: Names, "option of a list",
    RoleName: Names, "role outside of the closed set",
    LinkUrl: Names, "address of a link",
    PlainText: Names, "text of the page",
    Path: Names, "path of the address",
    HostLabel: Names, "labels of the host name",
    Imported: Names, "words that another program stored",
    StoredAsLearned: Names, "words stored as if they had been learned",
    StoredAsSeed: Names, "words stored as if they were ours",
    KeyName: Words, "key that the model presses",
    DialogText: Words, "message of a dialog",
    DialogDetail: Words, "what the browser says of an open dialog",
    DialogAnswer: Words, "answer that the model types into a dialog",
    ReopenedName: Words, "name of the target that opens the dialog",
    LeavingName: Words, "name of the target that leads to another site",
    RedirectUrl: Words, "address that it leads to",
    RedirectTitle: Words, "title of the page that it leads to",
    RedirectName: Words, "name of a target on that page",
    TabTitle: Words, "title of another tab",
    TabUrl: Words, "address of another tab",
    DownloadName: Words, "name of a download",
    NewTabUrl: Words, "address of a new tab",
    Query: Words, "query of the address",
    Fragment: Words, "fragment of the address",
    UserInfo: Words, "user in the address",
    DriverText: Words, "text that an action returns",
    ExtractName: Words, "name of an extraction",
    ExtractedText: Words, "text that is extracted",
    FactKey: Words, "key of a fact to remember",
    FactValue: Words, "fact to remember",
    Question: Words, "question to the person",
    PersonAnswer: Words, "answer of the person",
    FindQuery: Words, "query of a search on the page",
    ToolResult: Words, "result of a tool of the embedder",
    ToolError: Words, "error of such a tool",
    MachineryError: Words, "error of the machinery",
    UnknownTool: Words, "name of a tool that is none",
    Prose: Words, "prose beside the calls",
    FinishAnswer: Words, "answer at the end",
    FinishEvidence: Words, "evidence at the end",
}
