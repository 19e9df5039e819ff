//! Site maps in prompts.

use std::collections::{BTreeMap, BTreeSet};

use super::Explored;
use crate::{
    base::{Trust, text},
    memory::{Advice, AdviceId, Cue, Index, Lasts, Moment, Piece, Record, Section, Shelf},
    page::PageAddress,
};

/// The prompt section for the pages of a site map. Source of its priority: chosen; below the sections with what runs have
/// learned.
const SECTION: Section = Section::custom("Pages of this site", 25, Lasts::Page);
/// Maximum number of pages that a prompt shows. Source: chosen; each page takes one line.
pub(super) const MAX_SHOWN: usize = 6;

#[derive(Debug)]
struct Known {
    id: AdviceId,
    page: Explored,
    words: BTreeSet<String>,
}

#[derive(Debug)]
pub(super) struct MapIndex {
    pages: Vec<Known>,
    /// Number of pages of the map that contain each word.
    common: BTreeMap<String, usize>,
}

impl MapIndex {
    pub(super) fn new(shelf: &Shelf, records: &[Record]) -> Self {
        let pages: Vec<Known> = records
            .iter()
            .filter_map(|record| {
                let page = Explored::from_record(record).ok()?;
                Some(Known {
                    id: AdviceId {
                        shelf: shelf.clone(),
                        key: record.key.clone(),
                    },
                    words: page.all_words().into_iter().collect(),
                    page,
                })
            })
            .collect();
        let mut common = BTreeMap::new();
        for word in pages.iter().flat_map(|known| &known.words) {
            *common.entry(word.clone()).or_default() += 1;
        }
        Self { pages, common }
    }

    /// Returns the number of different words that a page shares with a goal. In a map of at least three pages, words on more
    /// than a third of the pages do not count.
    fn shared(&self, known: &Known, goal: &BTreeSet<String>) -> usize {
        let tells = |word: &&String| {
            self.pages.len() < 3
                || self
                    .common
                    .get(*word)
                    .is_some_and(|count| count * 3 <= self.pages.len())
        };
        known.words.intersection(goal).filter(tells).count()
    }
}

impl Index for MapIndex {
    fn advise(&self, moment: &Moment<'_>, above: bool) -> Vec<Advice> {
        let Cue::PageShown { seen, .. } = moment.cue else {
            return Vec::new();
        };
        if above {
            return Vec::new();
        }
        let goal: BTreeSet<String> = text::words(&moment.about.goal).into_iter().collect();
        let here = PageAddress::new(&seen.url);
        let is_here = |known: &&Known| here.is_same_document(&PageAddress::new(&known.page.url));
        let elsewhere = self.pages.iter().filter(|known| !is_here(known));
        let mut fitting: Vec<(usize, &Known)> = elsewhere
            .map(|known| (self.shared(known, &goal), known))
            .filter(|(shared, _)| *shared > 0)
            .collect();
        fitting.sort_by(|(a, one), (b, other)| {
            (b, one.page.depth, &one.page.url).cmp(&(a, other.page.depth, &other.page.url))
        });
        let shown = fitting
            .into_iter()
            .take(MAX_SHOWN)
            .filter_map(|(_, known)| {
                let line = [Piece::Words(known.page.line())];
                Advice::with_lines(known.id.clone(), [line], Trust::Page, SECTION)
            });
        shown.collect()
    }
}
