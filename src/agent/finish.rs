//! Is it true? The evidence of a finish, held against the last observation. Pure.
//!
//! Evidence must be the page's own words, so what stands in fields does not count: the model may have typed it. Neither
//! does the title, which names a page and shows nothing of what happened on it.

use crate::{
    base::text,
    page::{Node, NodeId, Observation, Tree},
};

/// Fewest letters and digits that can prove anything. Source: chosen; an order number has 4, "OK" would match anywhere.
const MIN_EVIDENCE: usize = 3;
/// Fewest letters of a word that ties evidence to an answer. Source: chosen; shorter ones ("is", "of") stand everywhere.
const MIN_SHARED: usize = 3;

/// Whether the quoted words are on the page and have to do with the answer.
///
/// They are compared without case, punctuation and line breaks, as whole words; the message of an open dialog counts as
/// shown. An answer with digits in it states a fact, so its evidence must share a word with it.
pub(super) fn is_shown(evidence: &str, answer: &str, page: &Observation) -> bool {
    let wanted = text::words(evidence);
    if wanted
        .iter()
        .map(|word| word.chars().count())
        .sum::<usize>()
        < MIN_EVIDENCE
    {
        return false;
    }
    if answer.chars().any(char::is_numeric) && !shares_a_word(&wanted, &text::words(answer)) {
        return false;
    }
    shown(page)
        .windows(wanted.len())
        .any(|window| window == wanted)
}

fn shares_a_word(evidence: &[String], answer: &[String]) -> bool {
    let tells = |word: &&String| {
        word.chars().count() >= MIN_SHARED
            || word.chars().any(|c| c.is_numeric() || text::tokens_wide(c))
    };
    evidence
        .iter()
        .filter(tells)
        .any(|word| answer.contains(word))
}

/// The words of the page in order, with an empty one where something was left out, so that nothing reads across it.
fn shown(page: &Observation) -> Vec<String> {
    let mut words = page
        .dialog
        .as_ref()
        .map(|dialog| text::words(&dialog.message))
        .unwrap_or_default();
    words.push(String::new());
    let mut field_end: Option<NodeId> = None;
    for (id, node) in page.tree.iter() {
        if field_end.is_some_and(|end| id <= end) {
            continue;
        }
        words.extend(text::words(&node.name));
        if is_field(node) {
            field_end = last_inside(&page.tree, id);
            words.push(String::new());
        } else {
            words.extend(node.value.as_deref().map(text::words).unwrap_or_default());
        }
    }
    words
}

/// Whether the model decides what stands in it.
const fn is_field(node: &Node) -> bool {
    node.role.is_editable()
}

fn last_inside(tree: &Tree, id: NodeId) -> Option<NodeId> {
    tree.descendants(id).next_back()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Dialog, DialogKind, Role};

    fn observation(build: impl FnOnce(&mut crate::page::TreeBuilder)) -> Observation {
        let mut b = Tree::builder();
        b.open(Node::new(Role::Main, ""));
        build(&mut b);
        b.close();
        Observation::new("https://shop.example/done", "Order placed", b.finish())
    }

    fn page() -> Observation {
        observation(|b| {
            b.leaf(Node::new(Role::Heading, "Thank you!"));
            b.leaf(Node::text("Your order number:"));
            b.leaf(Node::new(Role::Strong, "").with_value("PX-40213"));
        })
    }

    fn form() -> Observation {
        observation(|b| {
            b.leaf(Node::new(Role::SearchBox, "Order number").with_value("PX-40213"));
            b.open(Node::new(Role::TextBox, "Message"));
            b.leaf(Node::text("Your order was shipped"));
            b.close();
            b.leaf(Node::new(Role::SpinButton, "Quantity").with_value("1234"));
            b.leaf(Node::text("in the cart"));
        })
    }

    #[test]
    fn words_on_the_page_are_evidence_across_nodes() {
        for evidence in ["PX-40213", "order number: PX-40213", "thank you"] {
            assert!(is_shown(evidence, "bought", &page()), "{evidence}");
        }
    }

    #[test]
    fn what_is_not_there_or_says_nothing_is_no_evidence() {
        for evidence in ["", " ", "-", "PX-40214", "PX-4021", "order shipped", "no"] {
            assert!(!is_shown(evidence, "", &page()), "{evidence}");
        }
    }

    #[test]
    fn what_the_model_typed_is_no_evidence() {
        for evidence in [
            "PX-40213",
            "Order number PX-40213",
            "Your order was shipped",
            "1234",
            "quantity 1234 in the cart",
        ] {
            assert!(!is_shown(evidence, "", &form()), "{evidence}");
        }
    }

    #[test]
    fn the_label_of_a_field_is_the_page_s_and_nothing_reads_across_the_field() {
        assert!(is_shown("order number", "", &form()));
        assert!(is_shown("in the cart", "", &form()));
        assert!(!is_shown("quantity in the cart", "", &form()));
    }

    #[test]
    fn a_value_that_nobody_can_type_is_the_page_s() {
        let page = observation(|b| {
            b.leaf(Node::new(Role::TextBox, "Code").with_value("typed"));
            b.leaf(Node::new(Role::Strong, "").with_value("shown"));
        });
        assert!(is_shown("shown", "", &page) && !is_shown("typed", "", &page));
    }

    #[test]
    fn the_title_of_a_page_is_no_evidence() {
        assert!(!is_shown("Order placed", "", &page()));
    }

    #[test]
    fn the_message_of_an_open_dialog_is_shown() {
        let mut page = Observation::new("https://shop.example/", "", Tree::builder().finish());
        assert!(!is_shown("order PX-40213 placed", "PX-40213", &page));
        page.dialog = Some(Dialog::new(DialogKind::Alert, "Order PX-40213 placed."));
        assert!(is_shown("order PX-40213 placed", "PX-40213", &page));
    }

    #[test]
    fn a_dialog_and_the_page_under_it_are_not_read_as_one_text() {
        let mut page = page();
        page.dialog = Some(Dialog::new(DialogKind::Alert, "Never say"));
        assert!(!is_shown("never say thank you", "", &page));
    }

    #[test]
    fn an_answer_with_digits_needs_evidence_that_shares_a_word() {
        for (evidence, answer, shown) in [
            ("thank you", "The total is 29.99", false),
            ("thank you", "Bought for you, total 29.99", true),
            ("order number: PX-40213", "PX-40213", true),
            ("order number: PX-40213", "The order 40214 was placed", true),
            ("thank you", "Bought", true),
            ("thank you", "", true),
        ] {
            assert_eq!(
                is_shown(evidence, answer, &page()),
                shown,
                "{evidence} / {answer}"
            );
        }
    }

    #[test]
    fn a_short_word_that_stands_everywhere_ties_nothing() {
        let page = observation(|b| b.leaf(Node::text("The cart is empty, no 5 left")));
        assert!(!is_shown("cart is empty", "It is 1299", &page));
        assert!(is_shown("no 5 left", "5", &page));
    }

    #[test]
    fn scripts_without_spaces_tie_by_a_single_sign() {
        let page = observation(|b| b.leaf(Node::text("合計 3 個")));
        assert!(is_shown("合計 3", "3 個", &page));
        assert!(is_shown("合計 3 個", "合計は４です", &page));
        assert!(!is_shown("合計 3", "４つ", &page));
    }
}
