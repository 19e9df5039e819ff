//! The links that an exploration opens with the cookies of a person: plain addresses in menus and contents.

use std::collections::HashSet;

use url::Url;

use crate::{
    base::text,
    page::{NodeId, Role, Tree},
};

/// The browser in which a site is explored, which decides how far the links of the site are trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reach {
    /// A fresh browser, in which nobody is logged in. All links are opened that do not seem to change anything.
    #[default]
    Fresh,
    /// A browser with the cookies of a person, in whose name a link acts. Of the links that do not seem to change anything,
    /// only those of menus and contents are opened, and of these only those with plain addresses.
    Attached,
}

/// Keys of a query that choose what a page shows, and nothing else. Source: chosen.
const SHOWING: &[&str] = &[
    "page", "p", "offset", "limit", "sort", "dir", "q", "query", "search", "tab", "year", "month",
];
/// Minimum number of items of a list of contents. Source: chosen; two links are often a pair of buttons.
const MIN_ITEMS: usize = 3;

/// Returns true if an address names only what it shows: its query consists of keys that choose this, and its path does not
/// go on after a number, as in `/users/7/ban`.
pub(super) fn is_plain(url: &Url) -> bool {
    let is_number = |segment: &str| {
        segment.bytes().any(|b| b.is_ascii_digit())
            && !segment.bytes().any(|b| b.is_ascii_alphabetic())
    };
    let mut segments = url.path_segments().into_iter().flatten();
    let goes_on = segments
        .by_ref()
        .find(|segment| is_number(segment))
        .is_some()
        && segments.any(|segment| !segment.is_empty());
    !goes_on && url.query_pairs().all(|(key, _)| SHOWING.contains(&&*key))
}

/// Returns the lists of contents of a page. Each item of such a list is one link and nothing else, and no link of it changes
/// something: a list with such a link is a list of commands.
pub(super) fn contents(tree: &Tree, changes: impl Fn(NodeId) -> bool) -> HashSet<NodeId> {
    let link_of = |item: NodeId| {
        let mut links = tree
            .descendants(item)
            .filter(|id| tree[*id].role == Role::Link);
        let link = links.next().filter(|_| links.next().is_none())?;
        let words = |id| text::squeeze(&tree.text_of(id));
        (tree[item].role == Role::ListItem && words(item) == words(link)).then_some(link)
    };
    let is_contents = |list: &NodeId| {
        tree.children(*list).count() >= MIN_ITEMS
            && tree
                .children(*list)
                .all(|item| link_of(item).is_some_and(|link| !changes(link)))
    };
    let lists = tree.iter().filter(|(_, node)| node.role == Role::List);
    lists.map(|(id, _)| id).filter(is_contents).collect()
}

/// Returns true if a link is an entry of a menu or of contents: it stands in a navigation, a menu or a list of contents, or
/// it is the heading of a text or of a row.
pub(super) fn is_entry(tree: &Tree, link: NodeId, contents: &HashSet<NodeId>) -> bool {
    let has_heading = || {
        tree.descendants(link)
            .any(|id| tree[id].role == Role::Heading)
    };
    tree.ancestors(link).any(|above| {
        matches!(
            tree[above].role,
            Role::Navigation
                | Role::Menu
                | Role::MenuBar
                | Role::Directory
                | Role::Heading
                | Role::RowHeader
        ) || contents.contains(&above)
    }) || has_heading()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        explore::{Frontier, Limits},
        page::{Node, Observation, PageHead, ViewOptions, interpret},
        working::{LeftOut, SiteMap},
    };

    /// Addresses of applications that change something when they are only opened.
    const CHANGES: [&str; 50] = [
        "/admin/purge",
        "/reboot",
        "/drop",
        "/transfer?to=1",
        "/users/7/ban",
        "/cache/flush",
        "/jobs/3/run",
        "/backup/restore",
        "/session/kill",
        "/queue/drain",
        "/post/9/like",
        "/invite?to=x",
        "/toggle/feature",
        "/set-lang?x",
        "/users/7/promote",
        "/users/7/impersonate",
        "/plugins/akismet/activate",
        "/plugins/akismet/disable",
        "/services/nginx/restart",
        "/shutdown",
        "/deploy?env=prod",
        "/builds/12/retry",
        "/builds/12/trigger",
        "/pipelines/4/abort",
        "/index/rebuild",
        "/db/migrate",
        "/db/truncate?table=orders",
        "/logs/clear",
        "/tokens/rotate",
        "/keys/regenerate",
        "/notifications/mark-all-read",
        "/mail/3/archive",
        "/mail/3/spam",
        "/thread/8/mute",
        "/follow?user=ada",
        "/friends/5/block",
        "/wishlist/add?sku=1",
        "/tickets/22/close",
        "/tickets/22/assign?to=me",
        "/orders/5/refund",
        "/orders/5/ship",
        "/coupons/4/apply",
        "/sync",
        "/import?source=feed",
        "/items/3/move?pos=1",
        "/items/3/duplicate",
        "/device/2/unlock",
        "/vm/6/stop",
        "/maintenance?on=1",
        "/newsletter/opt-out",
    ];
    /// Texts of links that change something, under addresses that do not say so.
    const COMMANDS: [&str; 12] = [
        "Purge cache",
        "Make admin",
        "Approve all",
        "Run now",
        "Sync",
        "Archive",
        "Restart server",
        "Mark as paid",
        "Empty trash",
        "Accept invitation",
        "Generate new key",
        "Turn off alerts",
    ];

    /// Explores a site whose start page has these links under a node of this role, and returns the opened paths.
    fn explored(role: &Role, links: &[(String, &str)], reach: Reach) -> (Vec<String>, SiteMap) {
        let limits = Limits {
            reach,
            pages: 200,
            ..Limits::default()
        };
        let mut frontier = Frontier::new("https://a.test/", limits).unwrap();
        let mut opened = Vec::new();
        while let Some(visit) = frontier.next() {
            let mut tree = Tree::builder();
            if visit.depth == 0 {
                let in_items = *role == Role::List;
                tree.open(Node::new(role.clone(), ""));
                for (href, words) in links {
                    if in_items {
                        tree.open(Node::new(Role::ListItem, ""));
                    }
                    let mut link = Node::new(Role::Link, *words);
                    link.url = Some(href.as_str().into());
                    tree.leaf(link);
                    if in_items {
                        tree.close();
                    }
                }
                tree.close();
            } else {
                opened.push(visit.url.as_str()["https://a.test".len()..].to_owned());
            }
            let head = PageHead::new(visit.url.as_str(), "A page");
            let observation = Observation::new(visit.url.as_str(), "A page", tree.finish());
            let view = interpret(&head, &observation.tree, &ViewOptions::default());
            frontier.record_page(&visit, &view, &observation);
        }
        (opened, frontier.finish())
    }

    fn commands() -> Vec<(String, &'static str)> {
        (0..)
            .zip(COMMANDS)
            .map(|(nth, words)| (format!("/a{}", "x".repeat(nth)), words))
            .collect()
    }

    #[test]
    fn in_an_attached_browser_nothing_outside_menus_and_contents_is_opened() {
        let changes = CHANGES.map(|address| (address.to_owned(), "More"));
        for links in [changes.to_vec(), commands()] {
            for role in [Role::Main, Role::Cell, Role::Toolbar, Role::Banner] {
                let (opened, map) = explored(&role, &links, Reach::Attached);
                assert_eq!(opened, [""; 0]);
                assert_eq!(map.doubted.len(), links.len());
            }
        }
        // The control: the rule of a fresh browser opens many of them.
        let (opened, _) = explored(&Role::Main, &changes, Reach::Fresh);
        assert!(opened.len() > 10, "{opened:?}");
    }

    #[test]
    fn in_a_menu_of_an_attached_browser_only_plain_addresses_without_verbs_are_opened() {
        let changes = CHANGES.map(|address| (address.to_owned(), "More"));
        let (opened, _) = explored(&Role::Navigation, &changes, Reach::Attached);
        assert_eq!(opened, [""; 0]);
        let (opened, _) = explored(&Role::Navigation, &commands(), Reach::Attached);
        assert_eq!(opened, [""; 0]);
        println!(
            "explore: {} addresses and {} texts that change something: 0 opened in an attached browser",
            CHANGES.len(),
            COMMANDS.len()
        );
    }

    #[test]
    fn a_list_in_which_one_link_names_a_change_is_no_list_of_contents() {
        let contents = [
            ("/boats", "Boats"),
            ("/sails?page=2&sort=name", "Sails"),
            ("/ropes/7", "Ropes"),
            ("/ropes/7/cut", "Cut"),
            ("/anchors?id=4", "Anchors"),
        ]
        .map(|(address, words)| (address.to_owned(), words));
        let (opened, map) = explored(&Role::List, &contents, Reach::Attached);
        assert_eq!(opened, ["/boats", "/sails?page=2&sort=name", "/ropes/7"]);
        assert_eq!(map.left_out[&LeftOut::NotPlain], 2);
        let mut with_a_command = contents.to_vec();
        with_a_command.push(("/x".to_owned(), "Delete all"));
        let (opened, _) = explored(&Role::List, &with_a_command, Reach::Attached);
        assert_eq!(opened, [""; 0]);
        let (opened, _) = explored(&Role::List, &contents[..2], Reach::Attached);
        assert_eq!(opened, [""; 0], "two links are no list of contents");
        let (opened, _) = explored(&Role::Heading, &contents[..1], Reach::Attached);
        assert_eq!(opened, ["/boats"]);
    }
}
