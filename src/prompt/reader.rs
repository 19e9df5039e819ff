//! Reads the page section that the module `page` writes into a message.
//!
//! The reader is for code that decides in place of a language model, such as the model made of rules in the
//! module `stand_in`, and the decision functions of tests. Such code may know only what a prompt contains.

use serde_json::{Deserializer, Value};

use crate::page::{ElementRef, Role, is_hint};

/// A page as it appears in a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShownPage {
    /// The page's address.
    pub url: String,
    /// The page's title.
    pub title: String,
    /// The type of the page; empty if the message does not name it.
    pub kind: String,
    /// True if a dialog of the browser is open.
    pub dialog: bool,
    /// The elements that can be acted on, in the order of the page.
    pub elements: Vec<ShownElement>,
    /// The other texts, in the order of the page. They include short texts that have a reference but are not marked as
    /// clickable.
    pub texts: Vec<String>,
    /// True if the message leaves out lines of the page. A text that is cut does not count.
    pub more: bool,
}

/// An element that can be acted on, as it appears in a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShownElement {
    /// The reference of the element, such as `e12`; empty if it has none.
    pub reference: String,
    /// The role of the element; `generic` for text that can be clicked.
    pub role: String,
    /// The label of the element.
    pub label: String,
    /// The text that is typed or selected in the element; may be empty.
    pub value: String,
    /// The choices of a select box; empty for other elements.
    pub options: Vec<String>,
    /// The states of the element, such as `checked`.
    pub states: Vec<String>,
    /// The attributes of the element that the message shows beside the label, such as `name` and `type`. Each is a pair
    /// of a name and a value.
    pub hints: Vec<(String, String)>,
}

impl ShownElement {
    /// Returns true if the element is in this state.
    pub fn is(&self, state: &str) -> bool {
        self.states.iter().any(|own| own == state)
    }
}

impl ShownPage {
    /// Returns the page that a message describes. Pass the lines of the message's section about the page, without the
    /// heading.
    ///
    /// ```
    /// use webwise::prompt::ShownPage;
    ///
    /// let page = ShownPage::read("e6 list \"Boats\"\n - e8 link \"Kayak\" | \"49 EUR\" | e9 button \"Buy\" [disabled]\n");
    /// assert_eq!((page.elements[0].label.as_str(), page.elements[1].is("disabled")), ("Kayak", true));
    /// assert_eq!(page.texts, ["Boats", "49 EUR"]);
    /// ```
    pub fn read(section: &str) -> Self {
        let mut page = Self::default();
        for line in section.lines() {
            page.read_line(line.trim());
        }
        page
    }

    /// Reads lines that the tool `find` or `read` returned, and adds their elements and texts to this page.
    pub fn read_more(&mut self, section: &str) {
        // The line above the hits of a search repeats the query. The page may not contain those words.
        let is_hit = |line: &&str| !line.starts_with("find ");
        for line in section.lines().filter(is_hit) {
            self.read_parts(line.trim());
        }
    }

    fn read_line(&mut self, line: &str) {
        let (key, rest) = line.split_once(' ').unwrap_or((line, ""));
        let text = || json_string(rest).map(|(text, _)| text).unwrap_or_default();
        match key {
            "url" => self.url = text(),
            "title" => self.title = text(),
            "type" => rest
                .split(' ')
                .next()
                .unwrap_or_default()
                .clone_into(&mut self.kind),
            "dialog" if rest.ends_with("first)") => self.dialog = true,
            "..." => self.more = true,
            "tab" if rest.starts_with(|c: char| c.is_ascii_digit()) => {}
            "note" => {}
            "selected" if rest.starts_with('"') => {}
            _ => self.read_parts(line),
        }
    }

    fn read_parts(&mut self, line: &str) {
        let mut rest = line.strip_prefix("- ").unwrap_or(line);
        let mut open = Open::default();
        while let Some(first) = rest.chars().next() {
            if let Some((text, after)) = json_string(rest) {
                open.string(text, self);
                rest = after;
            } else if let Some((state, after)) =
                rest.strip_prefix('[').and_then(|r| r.split_once(']'))
            {
                open.element.states.push(state.to_owned());
                rest = after;
            } else if matches!(first, ' ' | '|' | ':') {
                if first == '|' {
                    open.end(self);
                }
                rest = &rest[1..];
            } else {
                let end = rest.find([' ', ':']).unwrap_or(rest.len());
                open.word(&rest[..end], self);
                rest = &rest[end..];
            }
        }
        open.end(self);
    }
}

/// An element of which only a part has been read from its line so far.
#[derive(Default)]
struct Open {
    element: ShownElement,
    labelled: bool,
    key: String,
}

impl Open {
    fn string(&mut self, text: String, page: &mut ShownPage) {
        match (self.labelled, self.key.as_str()) {
            (true, "value") => {
                self.element.value = text;
                self.key.clear();
            }
            (true, "options") => self.element.options.push(text),
            // The text is the value of an attribute, not a label.
            (true, key) if !key.is_empty() => {
                self.element
                    .hints
                    .push((std::mem::take(&mut self.key), text));
            }
            (true, _) => {
                self.end(page);
                self.string(text, page);
            }
            (false, _) => {
                self.element.label = text;
                self.labelled = true;
            }
        }
    }

    fn word(&mut self, word: &str, page: &mut ShownPage) {
        if ElementRef::parse(word).is_ok() && word.ends_with(|c: char| c.is_ascii_digit()) {
            self.end(page);
            word.clone_into(&mut self.element.reference);
        } else if self.labelled && (["value", "options"].contains(&word) || is_hint(word)) {
            word.clone_into(&mut self.key);
        } else if !matches!(Role::parse(word), Role::Other(_)) {
            if self.labelled || !self.element.role.is_empty() {
                self.end(page);
            }
            word.clone_into(&mut self.element.role);
        }
    }

    fn end(&mut self, page: &mut ShownPage) {
        let Self {
            mut element,
            labelled,
            ..
        } = std::mem::take(self);
        let role = Role::parse(&element.role);
        if labelled && (role.is_interactive() || element.is("clickable")) {
            if element.role.is_empty() {
                Role::Generic.as_str().clone_into(&mut element.role);
            }
            page.elements.push(element);
        } else if !element.label.is_empty() {
            page.texts.push(element.label);
        }
    }
}

/// Parses the JSON string at the start of a text. Returns the string and the rest of the text; `None` if the text does
/// not start with a JSON string.
///
/// ```
/// use webwise::prompt::json_string;
///
/// assert_eq!(json_string(r#" "a \"b\"" c"#), Some(("a \"b\"".to_owned(), " c")));
/// assert_eq!(json_string("e6 link"), None);
/// ```
pub fn json_string(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start();
    if !text.starts_with('"') {
        return None;
    }
    let mut values = Deserializer::from_str(text).into_iter::<Value>();
    match values.next()?.ok()? {
        Value::String(string) => Some((string, &text[values.byte_offset()..])),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(element: &ShownElement) -> (&str, &str, &str) {
        (&element.reference, &element.role, &element.label)
    }

    #[test]
    fn an_element_is_read_with_everything_beside_its_label() {
        let page = ShownPage::read(
            r#"f1e9 combobox "Size \"EU\"" value "M" options "S" "M" [collapsed] [invalid]"#,
        );
        let [element] = page.elements.as_slice() else {
            panic!("{page:?}");
        };
        assert_eq!(said(element), ("f1e9", "combobox", "Size \"EU\""));
        assert_eq!((element.value.as_str(), element.options.len()), ("M", 2));
        assert_eq!(element.states, ["collapsed", "invalid"]);
    }

    #[test]
    fn a_line_of_several_things_is_read_with_the_role_of_each() {
        let page = ShownPage::read(
            "navigation: e7 link \"Jackets\" | e9 link \"Log \\\"in\\\"\"\n\
             - \"Kayak\" | e10 \"- +\" [clickable] | button \"Go\"\n\
             \"Read the\" e11 link \"guide\" \"first.\"\n\
             e3 alert: \"Wrong\"\n... 3 more alike: read(line=9)\nnote the page is large",
        );
        let elements: Vec<_> = page.elements.iter().map(said).collect();
        assert_eq!(
            elements,
            [
                ("e7", "link", "Jackets"),
                ("e9", "link", "Log \"in\""),
                ("e10", "generic", "- +"),
                ("", "button", "Go"),
                ("e11", "link", "guide"),
            ]
        );
        assert_eq!(page.texts, ["Kayak", "Read the", "first.", "Wrong"]);
        assert!(page.more);
    }

    #[test]
    fn hits_are_read_without_their_numbers() {
        let mut page = ShownPage::default();
        page.read_more("find \"kayak\": 2 lines of this page\n7: - e8 link \"Kayak\" | \"49 EUR\"\n12:  heading \"Boats\"");
        let elements: Vec<_> = page.elements.iter().map(said).collect();
        assert_eq!(elements, [("e8", "link", "Kayak")]);
        assert_eq!(page.texts, ["49 EUR", "Boats"]);
    }

    #[test]
    fn the_head_of_a_page_is_read() {
        let page = ShownPage::read(
            "url \"https://a.example/\"\ntitle \"A\"\nselected \"button \\\"Buy\\\"\"\ntype form over list\ndialog alert \"x\" (dialog_accept or dialog_dismiss first)",
        );
        assert_eq!(
            (&*page.url, &*page.title, &*page.kind, page.dialog),
            ("https://a.example/", "A", "form", true)
        );
        assert!(page.elements.is_empty() && page.texts.is_empty());
    }
}
