//! Marks links that lead to the page on which they are, such as the menu entry for the current page.
//!
//! Pages often show this state by colour alone. Without the mark, a prompt would not distinguish such a link from its
//! neighbours.

use url::Url;

use super::{Element, address::PageAddress};

const CURRENT: (&str, &str) = ("current", "page");

/// Adds the hint `current` to each link to `address`, the page's own address. A link to which the page gave this hint stays
/// unchanged.
pub(super) fn mark_current(address: &str, elements: &mut [Element]) {
    let Ok(page) = Url::parse(address) else {
        return;
    };
    let here = PageAddress::from(page.clone());
    for element in elements {
        // An empty address, or one that ends with a hash, belongs to a button that is written as a link.
        let leads_on = |url: &&str| !url.is_empty() && !url.ends_with('#');
        let Some(url) = element.url.as_deref().filter(leads_on) else {
            continue;
        };
        let is_marked = element.hints.iter().any(|(name, _)| **name == *CURRENT.0);
        let is_here = || page.join(url).is_ok_and(|to| is_same(to, &here));
        if !is_marked && may_be_same(url, &page) && is_here() {
            let (name, value) = CURRENT;
            element.hints.push((name.into(), value.into()));
        }
    }
}

/// Returns false if the link certainly leads to another path, so that it need not be parsed. This saves time on a page with
/// a thousand links.
fn may_be_same(link: &str, page: &Url) -> bool {
    let path = link.split(['?', '#']).next().unwrap_or_default();
    let last = match path.rsplit_once('/') {
        // The text after `//` is a host.
        Some((before, _)) if before.ends_with('/') => "",
        Some((_, last)) => last,
        None => path,
    };
    let is_plain = !last.is_empty() && last.bytes().all(|b| b.is_ascii_alphanumeric());
    !is_plain || page.path().ends_with(last)
}

/// Returns true if the link leads to the page itself. A link to a place within the page does not.
fn is_same(link: Url, page: &PageAddress) -> bool {
    let link = PageAddress::from(link);
    link.is_same_page(page) && link.position() == page.position()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        page::{PageHead, ViewOptions, interpret},
        testing::tree,
    };

    #[test]
    fn of_the_links_of_a_filter_the_one_in_force_is_current() {
        let links = "link \"All\" e1 -> ?\nlink \"Paid\" e2 -> ?paid=1\nlink \"Open\" e3 -> ?paid=0\nlink \"Rows\" e4 -> #rows\nlink \"Today\" e5 -> #";
        let marked = |url: &str| {
            let view = interpret(
                &PageHead::new(url, ""),
                &tree(links),
                &ViewOptions::default(),
            );
            let is_marked = |element: &&Element| !element.hints.is_empty();
            let marked = view.elements.iter().filter(is_marked);
            marked
                .map(|element| (element.label.clone(), element.hints.clone()))
                .collect::<Vec<_>>()
        };
        let hint = || vec![("current".into(), "page".into())];
        let (all, paid) = ("https://a.example/list/", "https://a.example/list/?paid=1");
        assert_eq!(marked(all), [("All".to_owned(), hint())]);
        assert_eq!(marked(paid), [("Paid".to_owned(), hint())]);
        assert_eq!(marked(""), []);
    }

    #[test]
    fn only_a_link_to_the_same_place_leads_to_the_page_itself() {
        let page = Url::parse("https://a.example/list/?paid=1&q=choir").unwrap();
        for (link, is_it) in [
            ("?paid=1&q=choir", true),
            ("?q=choir&paid=1", true),
            ("/list/?paid=1&q=choir", true),
            ("https://a.example/list/?paid=1&q=choir", true),
            ("?paid=1", false),
            ("?paid=0&q=choir", false),
            ("/list/", false),
            ("#rows", false),
            ("//b.example/list/?paid=1&q=choir", false),
            ("javascript:void(0)", false),
        ] {
            let to = page.join(link).unwrap();
            assert_eq!(is_same(to, &page.clone().into()), is_it, "{link}");
            assert!(may_be_same(link, &page) || !is_it, "{link}");
        }
        let bare = Url::parse("https://a.example/list/").unwrap();
        assert!(is_same(bare.join("?").unwrap(), &bare.into()));
    }

    #[test]
    fn a_link_is_ruled_out_by_the_end_of_its_path_alone() {
        for (link, page, may_be) in [
            ("/item/1204", "https://a.example/list", false),
            ("item?q=list", "https://a.example/list", false),
            (
                "https://a.example/shop/list",
                "https://a.example/shop/list",
                true,
            ),
            ("list#top", "https://a.example/shop/list", true),
            ("https://localhost", "https://localhost/", true),
            ("//localhost?q=1", "https://localhost/", true),
            ("", "https://a.example/list", true),
            ("..", "https://a.example/", true),
            ("größe", "https://a.example/gr%C3%B6%C3%9Fe", true),
        ] {
            let page = Url::parse(page).unwrap();
            assert_eq!(may_be_same(link, &page), may_be, "{link}");
        }
    }
}
