//! The queue of the pages that exploration still has to open. Pages are opened breadth first: all pages that are one
//! link away from the start page, then all pages that are two links away, and so on.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use url::Url;

use super::{
    exclusion::left_out,
    reach::{Reach, contents, is_entry, is_plain},
};
use crate::{
    base::{Error, ErrorKind, Host, Result, Site, text},
    page::{NodeId, Observation, PageAddress, PageTemplate, PageType, PageView, Role},
    working::{LeftOut, MapPage, SiteMap},
};

/// Maximum number of characters of a link's text that are kept. Source: chosen.
const MAX_WORDS: usize = 80;

/// The limits of an exploration, which opens pages of a site to make a map of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum number of links between the start page and a page that is opened. Default: 2. Source: chosen.
    pub depth: u32,
    /// Maximum number of pages that are opened. Default: 20. Source: chosen.
    pub pages: usize,
    /// Maximum number of similar pages that are opened. Pages are similar if their addresses differ only in numbers.
    /// They usually count as similar too if the addresses differ only in hexadecimal ids, or in the middle of a path of
    /// more than four segments. Default: 2. Source: chosen; the second page shows which parts differ from page to page.
    pub alike: usize,
    /// The browser in which the pages are opened. Default: [`Reach::Fresh`].
    pub reach: Reach,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: 2,
            pages: 20,
            alike: 2,
            reach: Reach::default(),
        }
    }
}

/// The part that the addresses of similar pages have in common: the path and the query, without numbers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Alike(String, Vec<(String, String)>);

impl Alike {
    fn of(url: &Url) -> Self {
        let without = |text: &str| -> String {
            let mut out = String::new();
            for c in text.chars() {
                if !c.is_numeric() {
                    out.push(c);
                } else if !out.ends_with('#') {
                    out.push('#');
                }
            }
            out
        };
        let query = url.query_pairs();
        let mut query: Vec<(String, String)> = query
            .map(|(key, value)| (key.into_owned(), without(&value)))
            .collect();
        query.sort();
        // The template also makes hexadecimal ids equal, and leaves out the middle of a path of more than four
        // segments.
        let path = PageTemplate::of(url).map_or_else(
            |_| without(url.path()),
            |template| {
                if template.path().contains(":x") {
                    without(url.path())
                } else {
                    template.path().to_owned()
                }
            },
        );
        Self(path, query)
    }
}

/// A page that the exploration opens next.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Visit {
    /// The address, without a fragment.
    pub url: Url,
    /// Number of links that are followed one after the other to get from the start page to this page; 0 for the start page.
    pub depth: u32,
    /// The page on which the link to this page was found, as a position in [`SiteMap::pages`]; `None` for the start
    /// page.
    from: Option<usize>,
    /// The text of the link that leads to this page.
    words: String,
}

/// The state of an exploration: the pages that were opened, and the queue of pages that are still to be opened.
///
/// ```
/// use webwise::explore::{Frontier, Limits};
///
/// let mut frontier = Frontier::new("https://shop.example/", Limits::default())?;
/// let visit = frontier.next().expect("the start page");
/// assert_eq!((visit.url.as_str(), visit.depth), ("https://shop.example/", 0));
/// frontier.failed();
/// assert!(frontier.next().is_none());
/// assert_eq!(frontier.finish().pages.len(), 0);
/// # Ok::<(), webwise::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Frontier {
    limits: Limits,
    home: Host,
    queue: VecDeque<Visit>,
    /// The addresses that are or were in the queue, the addresses of links that were left out, and the addresses to
    /// which opened pages redirected.
    known: BTreeSet<String>,
    opened: BTreeMap<Alike, usize>,
    /// Number of pages that were opened, including those that could not be read.
    tried: usize,
    map: SiteMap,
}

impl Frontier {
    /// Starts an exploration at the address `start`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if `start` is not an http or https address.
    pub fn new(start: &str, limits: Limits) -> Result<Self> {
        let url = Url::parse(start)
            .map(PageAddress::document)
            .map_err(|error| {
                Error::new(ErrorKind::InvalidInput, "explore.start").with_source(error)
            })?;
        let home = Host::of(&url)?;
        Ok(Self {
            limits,
            home,
            known: BTreeSet::from([url.to_string()]),
            map: SiteMap::new(url.as_str()),
            queue: VecDeque::from([Visit {
                url,
                depth: 0,
                from: None,
                words: String::new(),
            }]),
            opened: BTreeMap::new(),
            tried: 0,
        })
    }

    /// Returns the next page to open; `None` if the exploration is over.
    #[expect(
        clippy::should_implement_trait,
        reason = "the caller answers each item before it asks for the next"
    )]
    pub fn next(&mut self) -> Option<Visit> {
        while let Some(visit) = self.queue.pop_front() {
            let alike = self.opened.entry(Alike::of(&visit.url)).or_default();
            if *alike >= self.limits.alike {
                self.map.leave_out(LeftOut::Alike);
            } else if self.tried >= self.limits.pages {
                self.map.leave_out(LeftOut::TooMany);
            } else {
                *alike += 1;
                self.tried += 1;
                return Some(visit);
            }
        }
        None
    }

    /// Records the page that the browser shows after the address of `visit` was opened.
    ///
    /// The page is not kept if it belongs to another host, if it is an error page, if it is already known, or if exploration
    /// leaves out its address, as for a logout. A page also counts as known if [`Limits::alike`] similar pages were
    /// opened before. The start page is kept even if its address is one that exploration leaves out, for example after
    /// a redirect to a login page of the host.
    ///
    /// If the start page leads to another host of its site, or from `http` to `https`, the exploration continues on that
    /// host.
    pub fn record_page(&mut self, visit: &Visit, view: &PageView, observation: &Observation) {
        let Ok(shown) = Url::parse(&view.url).map(PageAddress::document) else {
            self.map.leave_out(LeftOut::Unreachable);
            return;
        };
        let is_start = visit.from.is_none();
        if is_start
            && let Ok(host) = Host::of(&shown)
            && Site::of(&shown).ok() == Site::of(&visit.url).ok()
        {
            self.home = host;
            shown.as_str().clone_into(&mut self.map.start);
        }
        if shown != visit.url {
            let words = if is_start { "" } else { &visit.words };
            if let Some(why) =
                left_out(&shown, words, &self.home, self.limits.reach).filter(|_| !is_start)
            {
                self.map.leave_out_link(&shown, words, why);
                return;
            }
            let is_new = self.known.insert(shown.to_string());
            let kind = Alike::of(&shown);
            // A page whose link has a similar address was counted when the link was followed.
            let is_counted = kind == Alike::of(&visit.url);
            let alike = self.opened.entry(kind).or_default();
            if !is_start && (!is_new || (!is_counted && *alike >= self.limits.alike)) {
                self.map.leave_out(LeftOut::Alike);
                return;
            }
            *alike += usize::from(!is_counted);
        }
        if Host::of(&shown).ok().as_ref() != Some(&self.home) {
            self.map.leave_out(LeftOut::OtherHost);
            return;
        }
        if view.page_type == PageType::ErrorPage {
            self.map.leave_out(LeftOut::Unreachable);
            return;
        }
        let mut page = MapPage::of(shown.as_str(), view, &observation.tree);
        page.depth = visit.depth;
        page.from = visit.from;
        page.words.clone_from(&visit.words);
        let from = self.map.pages.len();
        self.map.pages.push(page);
        for link in links(&shown, observation, &self.home) {
            self.found(link, visit.depth + 1, from);
        }
    }

    /// Records that the page last returned by [`next`](Self::next) could not be opened.
    pub fn failed(&mut self) {
        self.map.leave_out(LeftOut::Unreachable);
    }

    /// Returns the pages recorded so far.
    pub fn pages(&self) -> &[MapPage] {
        &self.map.pages
    }

    fn found(&mut self, link: Link, depth: u32, from: usize) {
        let Link { url, texts, .. } = link;
        if !self.known.insert(url.to_string()) {
            return;
        }
        let is_trusted = self.limits.reach == Reach::Fresh || link.is_entry && is_plain(&url);
        let why = texts
            .iter()
            .find_map(|words| left_out(&url, words, &self.home, self.limits.reach))
            .or_else(|| (!is_trusted).then_some(LeftOut::NotPlain))
            .or_else(|| (depth > self.limits.depth).then_some(LeftOut::TooDeep));
        let words = texts.iter().find(|words| !words.is_empty());
        let words = text::truncate(words.map_or("", |words| words), MAX_WORDS);
        match why {
            Some(why) => self.map.leave_out_link(&url, &words, why),
            None => self.queue.push_back(Visit {
                url,
                depth,
                from: Some(from),
                words,
            }),
        }
    }

    /// Ends the exploration. Pages that are still in the queue are counted as left out.
    pub fn finish(mut self) -> SiteMap {
        for _ in &self.queue {
            self.map.leave_out(LeftOut::TooMany);
        }
        self.map
    }
}

/// The links of a page that lead to one address.
struct Link {
    url: Url,
    texts: Vec<String>,
    /// True if one of the links stands in navigation.
    is_navigation: bool,
    /// True if one of the links is an entry of a menu or of contents.
    is_entry: bool,
}

/// Returns the links of a page, by address. Links in navigation come first, because they lead to the main parts of the site.
fn links(shown: &Url, observation: &Observation, home: &Host) -> Vec<Link> {
    let tree = &observation.tree;
    let read = |id: NodeId| {
        let node = &tree[id];
        let href = node.url.as_deref().filter(|_| node.role == Role::Link)?;
        let url = shown.join(href).ok()?;
        let words = if node.name.is_empty() {
            tree.text_of(id)
        } else {
            node.name.to_string()
        };
        matches!(url.scheme(), "http" | "https").then(|| (PageAddress::document(url), words))
    };
    let changes = |id: NodeId| {
        let why = read(id).and_then(|(url, words)| left_out(&url, &words, home, Reach::Attached));
        why.is_some_and(LeftOut::is_doubt)
    };
    let contents = contents(tree, changes);
    let mut links: Vec<Link> = Vec::new();
    let mut places: HashMap<Url, usize> = HashMap::new();
    for (id, _) in tree.iter() {
        let Some((url, words)) = read(id) else {
            continue;
        };
        let place = *places.entry(url.clone()).or_insert_with(|| {
            links.push(Link {
                url,
                texts: Vec::new(),
                is_navigation: false,
                is_entry: false,
            });
            links.len() - 1
        });
        let link = &mut links[place];
        let title = tree[id].property("title").map(str::to_owned);
        link.texts
            .extend([words, tree.text_of(id)].into_iter().chain(title));
        link.is_navigation |= tree
            .ancestors(id)
            .any(|above| tree[above].role == Role::Navigation);
        link.is_entry |= is_entry(tree, id, &contents);
    }
    links.sort_by_key(|link| !link.is_navigation);
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Node, PageHead, Tree, ViewOptions, interpret};

    /// Explores a site whose pages show these links, as pairs of address and words, and returns the opened addresses and the
    /// map.
    fn explored(
        site: impl Fn(&str) -> Vec<(String, String)>,
        limits: Limits,
    ) -> (Vec<String>, SiteMap) {
        let mut frontier = Frontier::new("https://a.test/#top", limits).unwrap();
        let mut opened = Vec::new();
        while let Some(visit) = frontier.next() {
            opened.push(visit.url.path().to_owned());
            let mut tree = Tree::builder();
            for (href, words) in site(visit.url.path()) {
                let mut link = Node::new(Role::Link, words);
                link.url = Some(href.into());
                tree.leaf(link);
            }
            let head = PageHead::new(visit.url.as_str(), "A page");
            let observation = Observation::new(visit.url.as_str(), "A page", tree.finish());
            let view = interpret(&head, &observation.tree, &ViewOptions::default());
            frontier.record_page(&visit, &view, &observation);
        }
        (opened, frontier.finish())
    }

    fn to(links: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = |(href, words): &(&str, &str)| ((*href).to_owned(), (*words).to_owned());
        links.iter().map(owned).collect()
    }

    #[test]
    fn pages_are_opened_breadth_first_and_once() {
        let site = |path: &str| match path {
            "/" => to(&[
                ("/a", "A"),
                ("b", "B"),
                ("/a#part", "A again"),
                ("/", "Home"),
                ("mailto:x@a.test", "Mail"),
            ]),
            "/a" => to(&[
                ("/c", "C"),
                ("/logout", "Log out"),
                ("https://b.test/", "Elsewhere"),
            ]),
            "/c" => to(&[("/d", "D")]),
            _ => Vec::new(),
        };
        let (opened, map) = explored(site, Limits::default());
        assert_eq!(opened, ["/", "/a", "/b", "/c"]);
        let told: Vec<_> = map
            .pages
            .iter()
            .map(|page| (page.depth, page.from, &*page.words))
            .collect();
        assert_eq!(
            told,
            [
                (0, None, ""),
                (1, Some(0), "A"),
                (1, Some(0), "B"),
                (2, Some(1), "C")
            ]
        );
        let left = [
            (LeftOut::OtherHost, 1),
            (LeftOut::Excluded, 1),
            (LeftOut::TooDeep, 1),
        ];
        assert_eq!(map.left_out, BTreeMap::from(left));
        assert!(!map.is_complete());
    }

    #[test]
    fn of_pages_that_are_alike_two_are_opened_and_the_number_of_pages_is_bounded() {
        let site = |path: &str| match path {
            "/" => (0..50)
                .map(|n| (format!("/item/{n}"), format!("Item {n}")))
                .chain((0..50).map(|n| (format!("/part-{}", "x".repeat(n)), "Part".to_owned())))
                .collect(),
            _ => Vec::new(),
        };
        let (opened, map) = explored(site, Limits::default());
        assert_eq!(opened.len(), 20);
        assert_eq!(
            opened
                .iter()
                .filter(|path| path.starts_with("/item/"))
                .count(),
            2
        );
        assert_eq!(
            map.left_out[&LeftOut::Alike] + map.left_out[&LeftOut::TooMany] + 20,
            101
        );
    }

    fn seen(url: &str, links: &[(&str, &str)]) -> Observation {
        let mut tree = Tree::builder();
        for (href, words) in links {
            let mut link = Node::new(Role::Link, *words);
            link.url = Some((*href).into());
            tree.leaf(link);
        }
        Observation::new(url, "A page", tree.finish())
    }

    fn see(frontier: &mut Frontier, visit: &Visit, url: &str, links: &[(&str, &str)]) {
        let observation = seen(url, links);
        let view = interpret(
            &PageHead::new(url, "A page"),
            &observation.tree,
            &ViewOptions::default(),
        );
        frontier.record_page(visit, &view, &observation);
    }

    #[test]
    fn redirects_are_followed_only_to_pages_that_may_be_opened() {
        let mut frontier = Frontier::new("http://a.test/", Limits::default()).unwrap();
        let start = frontier.next().unwrap();
        // The site moved to another scheme and name.
        let links = [("/a", "A"), ("/b", "B"), ("/c", "C"), ("/d", "D")];
        see(&mut frontier, &start, "https://www.a.test/#top", &links);
        let [a, b, c, d] = std::array::from_fn(|_| frontier.next().unwrap());
        assert_eq!(a.url.as_str(), "https://www.a.test/a");
        see(
            &mut frontier,
            &a,
            "https://www.a.test/login?next=/a",
            &[("/x", "X")],
        );
        // An address with a fragment is another address of the same page.
        see(&mut frontier, &b, "https://www.a.test/b#part", &[]);
        see(&mut frontier, &c, "https://other.test/c", &[("/y", "Y")]);
        see(&mut frontier, &d, "https://www.a.test/b", &[]);
        assert!(frontier.next().is_none());
        let map = frontier.finish();
        let urls: Vec<&str> = map.pages.iter().map(|page| &*page.url).collect();
        assert_eq!(urls, ["https://www.a.test/", "https://www.a.test/b"]);
        assert_eq!(map.start, "https://www.a.test/");
        let left = [
            (LeftOut::Excluded, 1),
            (LeftOut::OtherHost, 1),
            (LeftOut::Alike, 1),
        ];
        assert_eq!(map.left_out, BTreeMap::from(left));
    }

    #[test]
    fn a_page_that_redirects_to_a_similar_address_counts_once() {
        let limits = Limits {
            alike: 1,
            ..Limits::default()
        };
        let mut frontier = Frontier::new("http://a.test/", limits).unwrap();
        let start = frontier.next().unwrap();
        let links = [("/item/1", "1"), ("/item/2", "2"), ("/part", "Part")];
        see(&mut frontier, &start, "http://a.test/", &links);
        while let Some(visit) = frontier.next() {
            see(&mut frontier, &visit, &format!("{}/", visit.url), &[]);
        }
        let map = frontier.finish();
        let urls: Vec<&str> = map.pages.iter().map(|page| &*page.url).collect();
        assert_eq!(
            urls,
            [
                "http://a.test/",
                "http://a.test/item/1/",
                "http://a.test/part/"
            ]
        );
        assert_eq!(map.left_out, BTreeMap::from([(LeftOut::Alike, 1)]));
    }

    #[test]
    fn addresses_are_alike_if_they_differ_only_in_numbers() {
        let of = |url: &str| Alike::of(&Url::parse(url).unwrap());
        let base = "https://a.test/item/7?page=1";
        assert_eq!(of(base), of("https://a.test/item/4711?page=20"));
        for other in [
            "https://a.test/item/7",
            "https://a.test/item/7?page=1&sort=name",
            "https://a.test/items/7?page=1",
        ] {
            assert_ne!(of(base), of(other), "{other}");
        }
        assert_ne!(
            of("https://a.test/index.php?title=A"),
            of("https://a.test/index.php?title=B")
        );
        assert_ne!(of("https://a.test/製品"), of("https://a.test/会社"));
        assert_eq!(of("https://a.test/製品/1"), of("https://a.test/製品/2"));
    }

    #[test]
    fn a_link_is_left_out_if_any_text_of_its_address_names_a_change_and_is_listed() {
        let site = |path: &str| match path {
            "/" => to(&[("/a", ""), ("/a", "Delete"), ("/b", "B"), ("/c.pdf", "C")]),
            _ => Vec::new(),
        };
        let (opened, map) = explored(site, Limits::default());
        assert_eq!(opened, ["/", "/b"]);
        let listed: Vec<_> = map
            .doubted
            .iter()
            .map(|link| (&*link.url, &*link.words, link.why))
            .collect();
        assert_eq!(listed, [("https://a.test/a", "Delete", LeftOut::Excluded)]);
    }

    #[test]
    fn only_web_addresses_are_explored() {
        for address in ["file:///etc/passwd", "a.test", "about:blank"] {
            let error = Frontier::new(address, Limits::default()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{address}");
        }
    }
}
