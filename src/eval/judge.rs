//! Decides whether a run has reached its goal, from its last page and its answer.

use super::Success;
use crate::{
    base::text,
    page::{Node, NodeId, Observation},
};

/// The parts of a run's last page that are checked by a case's conditions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LastPage {
    url: String,
    /// The words of the page in order. Left out are the value of each field into which text can be typed, and
    /// everything inside such a field (such as the options of a combo box), because the model may have typed it.
    words: Vec<String>,
    /// The result of the case's script on this page: true or false, or the reason why the script failed. `None` if the case
    /// has no script.
    script: Option<Result<bool, String>>,
    /// The reason that the browser's own error page gives; `None` if the last page is not such an error page.
    error: Option<String>,
}

impl LastPage {
    pub(crate) fn of(page: &Observation, script: Option<Result<bool, String>>) -> Self {
        let dialog = page.dialog.iter().map(|dialog| dialog.message.as_str());
        let tree = &page.tree;
        let is_typed = |(id, _): &(NodeId, &Node)| {
            let mut around = tree.ancestors(*id);
            around.any(|id| tree[id].is_editable())
        };
        let texts = tree
            .iter()
            .filter(|node| !is_typed(node))
            .flat_map(|(_, node)| {
                let value = node.value.as_deref().filter(|_| !node.is_editable());
                [Some(&*node.name), value].into_iter().flatten()
            });
        Self {
            url: page.url.clone(),
            words: dialog.chain(texts).flat_map(text::words).collect(),
            script,
            error: page.browser_error().map(str::to_owned),
        }
    }
}

/// Checks the conditions of a case on the run's last page and answer. The error describes the first condition that does
/// not hold. If the last page could not be read, `page` contains the reason.
///
/// For `text` and `answer`, whole words are compared; upper and lower case, punctuation and line breaks are ignored.
/// For `url`, the whole address is compared exactly. If the last page is the browser's own error page, the goal is not
/// reached.
pub(crate) fn judge(
    success: &Success,
    page: Result<&LastPage, &str>,
    answer: Option<&str>,
) -> Result<(), String> {
    if let Ok(LastPage {
        error: Some(why), ..
    }) = page
    {
        return Err(format!(
            "the last page is the browser's own error page: {why}"
        ));
    }
    if let Some(wanted) = &success.answer
        && !holds(&text::words(answer.unwrap_or_default()), wanted)
    {
        return Err(format!("the answer does not say {}", quoted(wanted)));
    }
    let needs_page = [&success.text, &success.url, &success.javascript];
    if needs_page.iter().all(|condition| condition.is_none()) {
        return Ok(());
    }
    let page = page.map_err(|why| format!("the last page could not be read: {why}"))?;
    if let Some(wanted) = &success.text
        && !holds(&page.words, wanted)
    {
        return Err(format!("the last page does not say {}", quoted(wanted)));
    }
    if let Some(pattern) = &success.url
        && !is_like(&page.url, pattern)
    {
        return Err(format!("the last address is not like {}", quoted(pattern)));
    }
    match (&success.javascript, &page.script) {
        (None, _) | (Some(_), Some(Ok(true))) => Ok(()),
        (Some(_), Some(Ok(false))) => Err("the script is not true in the last page".to_owned()),
        (Some(_), Some(Err(why))) => Err(format!("the script failed in the last page: {why}")),
        (Some(_), None) => Err("the script was not run in the last page".to_owned()),
    }
}

fn quoted(words: &str) -> String {
    format!("\"{}\"", text::truncate(&text::squeeze(words), 60))
}

/// Returns true if the words of `wanted` follow each other, in this order, in the list of words `text`.
fn holds(text: &[String], wanted: &str) -> bool {
    let wanted = text::words(wanted);
    !wanted.is_empty() && text.windows(wanted.len()).any(|some| some == wanted)
}

/// Returns true if the address matches the pattern. In the pattern, `*` stands for any text, including an empty one.
fn is_like(url: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = url.strip_prefix(first) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Role, Tree};

    fn page(script: Option<Result<bool, String>>) -> LastPage {
        let mut tree = Tree::builder();
        tree.leaf(Node::new(Role::Heading, "Thank you,\nAda!"));
        tree.leaf(Node::text("Order"));
        tree.leaf(Node::new(Role::Paragraph, "").with_value("no. 4711"));
        tree.leaf(Node::new(Role::TextBox, "Search").with_value("secret words"));
        let page = Observation::new("https://shop.example/orders/7", "Shop", tree.finish());
        LastPage::of(&page, script)
    }

    fn judged(success: &Success, script: Option<Result<bool, String>>) -> Result<(), String> {
        judge(success, Ok(&page(script)), Some("It is 4711."))
    }

    fn of(name: &str, wanted: &str) -> Success {
        let wanted = Some(wanted.to_owned());
        let none = Success::default();
        match name {
            "text" => Success {
                text: wanted,
                ..none
            },
            "url" => Success {
                url: wanted,
                ..none
            },
            "javascript" => Success {
                javascript: wanted,
                ..none
            },
            _ => Success {
                answer: wanted,
                ..none
            },
        }
    }

    #[test]
    fn words_count_as_a_whole_and_side_by_side() {
        for (name, wanted, holds) in [
            ("text", "thank YOU Ada", true),
            ("text", "order no 4711", true),
            ("text", "order no 471", false),
            ("text", "you order", false),
            ("text", "secret words", false),
            ("answer", "4711", true),
            ("answer", "471", false),
        ] {
            assert_eq!(judged(&of(name, wanted), None).is_ok(), holds, "{wanted}");
        }
    }

    #[test]
    fn an_address_has_a_form_with_any_characters_in_it() {
        for (pattern, holds) in [
            ("https://shop.example/orders/7", true),
            ("https://shop.example/orders/", false),
            ("https://shop.example/orders/*", true),
            ("*/orders/*", true),
            ("*/orders/7", true),
            ("*orders*7*", true),
            ("*", true),
            ("*/orders", false),
            ("*/cart/*", false),
            ("https://*.example/orders/8", false),
        ] {
            assert_eq!(
                judged(&of("url", pattern), None).is_ok(),
                holds,
                "{pattern}"
            );
        }
        assert!(!is_like("ab", "ab*b"), "no character counts twice");
    }

    #[test]
    fn a_script_must_be_true_and_its_failure_is_told() {
        let success = of("javascript", "1 == 1");
        assert!(judged(&success, Some(Ok(true))).is_ok());
        assert!(judged(&success, Some(Ok(false))).is_err());
        assert!(judged(&success, None).is_err());
        let why = judged(&success, Some(Err("x is not defined".to_owned()))).unwrap_err();
        assert!(why.contains("x is not defined"), "{why}");
    }

    #[test]
    fn nothing_is_reached_on_the_browsers_own_error_page() {
        let mut tree = Tree::builder();
        tree.leaf(Node::new(Role::Heading, "Thank you, Ada!"));
        tree.leaf(Node::text("ERR_CONNECTION_REFUSED"));
        let page = Observation::new(crate::page::ERROR_PAGE, "", tree.finish());
        let page = LastPage::of(&page, None);
        for success in [
            of("text", "Thank you"),
            of("url", "*"),
            of("answer", "4711"),
        ] {
            let why = judge(&success, Ok(&page), Some("4711")).unwrap_err();
            assert!(why.ends_with("error page: ERR_CONNECTION_REFUSED"), "{why}");
        }
    }

    #[test]
    fn all_conditions_must_hold_and_a_page_that_cannot_be_read_meets_none() {
        let both = Success {
            text: Some("Thank you".to_owned()),
            answer: Some("4712".to_owned()),
            ..Success::default()
        };
        assert!(judged(&both, None).unwrap_err().contains("4712"));
        let why = judge(&of("text", "Thank you"), Err("the browser is gone"), None).unwrap_err();
        assert!(why.contains("the browser is gone"), "{why}");
        assert!(judge(&of("answer", "4711"), Err("gone"), Some("4711")).is_ok());
    }
}
