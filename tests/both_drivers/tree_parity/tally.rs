//! What was compared, by groups of pages and by causes.

use std::collections::BTreeMap;

use crate::tree_parity::align::Comparison;

/// Maximum number of differences that are shown of one page. Source: chosen.
const SHOWN: usize = 6;

#[derive(Debug, Default, Clone, Copy)]
struct Count {
    pages: usize,
    equal: usize,
    nodes: usize,
}

impl Count {
    #[expect(
        clippy::cast_precision_loss,
        reason = "pages have fewer nodes than a float has digits"
    )]
    fn share(self) -> f64 {
        if self.nodes == 0 {
            1.0
        } else {
            self.equal as f64 / self.nodes as f64
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Tally {
    groups: BTreeMap<&'static str, Count>,
    causes: BTreeMap<&'static str, usize>,
    /// Pages that could not be compared.
    failed: usize,
    /// Pages that are not wholly equal, with their shares.
    unequal: Vec<(String, f64)>,
}

impl Tally {
    pub(crate) fn add(
        &mut self,
        group: &'static str,
        page: &str,
        compared: Result<Comparison, String>,
    ) {
        let compared = match compared {
            Ok(compared) => compared,
            Err(why) => {
                self.failed += 1;
                return println!("{group}, {page}: {why}");
            }
        };
        let count = self.groups.entry(group).or_default();
        count.pages += 1;
        count.equal += compared.equal;
        count.nodes += compared.nodes;
        if compared.differences.is_empty() {
            return;
        }
        self.unequal
            .push((format!("{group}: {page}"), compared.share()));
        figure!(
            "tree_parity {group}, {page}: {} of {} nodes",
            compared.equal,
            compared.nodes
        );
        for (at, difference) in compared.differences.iter().enumerate() {
            *self.causes.entry(difference.cause).or_default() += 1;
            if at < SHOWN {
                let [theirs, ours] = difference
                    .nodes
                    .each_ref()
                    .map(|node| node.as_deref().unwrap_or("-"));
                println!(
                    "{}\n  playwright-cli {theirs}\n  cdp            {ours}",
                    difference.cause
                );
            }
        }
    }

    fn all(&self) -> Count {
        self.groups
            .values()
            .fold(Count::default(), |sum, count| Count {
                pages: sum.pages + count.pages,
                equal: sum.equal + count.equal,
                nodes: sum.nodes + count.nodes,
            })
    }

    pub(crate) fn pages(&self) -> usize {
        self.all().pages
    }

    pub(crate) fn failed(&self) -> usize {
        self.failed
    }

    pub(crate) fn share(&self) -> f64 {
        self.all().share()
    }

    /// Pages of which less than this is equal.
    pub(crate) fn below(&self, share: f64) -> impl Iterator<Item = &(String, f64)> {
        self.unequal
            .iter()
            .filter(move |(_, of_page)| *of_page < share)
    }

    pub(crate) fn print(&self) {
        for (group, count) in self.groups.iter().chain([(&"overall", &self.all())]) {
            let Count {
                pages,
                equal,
                nodes,
            } = count;
            let percent = count.share() * 100.0;
            figure!(
                "tree_parity {group}: {equal} of {nodes} nodes equal ({percent:.3} %) on {pages} pages"
            );
        }
        figure!(
            "tree_parity pages that differ: {}, by cause: {:?}",
            self.unequal.len(),
            self.causes
        );
    }
}
