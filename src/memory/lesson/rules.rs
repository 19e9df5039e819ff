//! The life of a lesson: when it counts as general, is promoted, demoted, retired, pruned.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Category, Credit, Evidence, Lesson, LessonSource, LessonText, MAX_EVIDENCE, Trouble};
use crate::{
    base::{RunId, Site},
    memory::MAX_RECORD_BYTES,
};

/// Sites on which a recovery must have worked before it is said on others. Source: the requirements.
pub const GENERAL_SITES: usize = 2;
/// Uses, in as many runs, before promotion. Source: the first requirements document.
pub const PROMOTION_USES: u64 = 5;
/// Sites before promotion. Source: the first requirements document.
pub const PROMOTION_SITES: usize = 3;
/// What the lower bound of the helped share must exceed for promotion, and the upper bound reach to stay. Source: the
/// requirements; 5 of 5 gives 0.566 below, 0 of 4 gives 0.490 above.
pub const HELPED_SHARE: f64 = 0.5;
/// Uses in a row that did not help before a lesson is retired. Source: chosen; a page that changed makes a good lesson a bad
/// one, however often it helped before.
pub const HARMS_IN_A_ROW: usize = 3;
/// Quantile of the normal distribution for 95 %, two-sided.
const Z: f64 = 1.959_963_984_540_054;
/// Time without use after which a learned lesson with few uses is pruned. Unit: days. Source: the first requirements document.
pub const PRUNE_AFTER_DAYS: i64 = 90;
/// Uses that keep it for good. Source: the first requirements document.
pub const PRUNE_BELOW_USES: u64 = 5;
/// Most lessons on one shelf; learned ones make room. Source: chosen; a full record takes up to 3.3 KiB in an indented file, and a file
/// may take 1 MiB.
pub const MAX_LEARNED: usize = 300;
/// Room of a record for its key and for the run that promotes or retires the lesson. Unit: bytes. Source: a key of ours has
/// 23, an id at most 64, with the names of both fields.
const RESERVED: usize = 256;

/// The Wilson score interval of a share, 95 % two-sided.
///
/// ```
/// let (low, high) = webwise::memory::lesson::wilson(5, 5);
/// assert!((low - 0.566).abs() < 0.001 && (high - 1.0).abs() < 1e-9);
/// ```
pub fn wilson(hits: u64, all: u64) -> (f64, f64) {
    if all == 0 {
        return (0.0, 1.0);
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of runs are far below 2^52")]
    let (hits, n) = (hits.min(all) as f64, all as f64);
    let (share, z2) = (hits / n, Z * Z);
    let middle = share + z2 / (2.0 * n);
    let spread = Z * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    ((middle - spread) / scale, (middle + spread) / scale)
}

impl Lesson {
    /// Lower and upper bound of the share of uses in which it helped.
    pub fn helped_share(&self) -> (f64, f64) {
        wilson(self.counts.helped, self.counts.helped + self.counts.harmed)
    }

    /// Whether it may be shown: not retired, not waiting for a person, and not a recovery that was seen on one site only.
    pub fn speaks(&self) -> bool {
        let is_general = match (&self.text, self.source) {
            (LessonText::Template(_), LessonSource::Learned) => self.triggered_domains.len() >= GENERAL_SITES,
            _ => true,
        };
        is_general && self.retired_by.is_none() && !self.needs_review()
    }

    /// Adds what a run says; false when that run and site were counted already.
    pub(super) fn credit(&mut self, run: &RunId, at: DateTime<Utc>, site: Option<&Site>, credit: Credit) -> bool {
        let known = self.evidence.iter_mut().find(|known| known.run == *run && known.site.as_ref() == site);
        if known.is_some() {
            return false;
        }
        let first_of_run = !self.evidence.iter().any(|known| known.run == *run && known.credit.used);
        self.add(credit, true);
        if credit.used {
            self.runs += u64::from(first_of_run);
            self.last_used = self.last_used.max(at);
            if let Some(site) = site
                && self.triggered_domains.len() < MAX_EVIDENCE
            {
                self.triggered_domains.insert(site.clone());
            }
        }
        self.evidence.push(Evidence { run: run.clone(), site: site.cloned(), credit });
        self.forget_oldest();
        self.fit();
        true
    }

    fn add(&mut self, credit: Credit, plus: bool) {
        let change = |count: &mut u64, by: bool| {
            *count = if plus { count.saturating_add(u64::from(by)) } else { count.saturating_sub(u64::from(by)) };
        };
        change(&mut self.counts.offered, credit.offered);
        change(&mut self.counts.used, credit.used);
        change(&mut self.counts.followed, credit.followed);
        change(&mut self.counts.helped, credit.helped);
        change(&mut self.counts.harmed, credit.harmed);
    }

    /// Runs in which it was only shown go first: what it did is the better evidence.
    fn forget_oldest(&mut self) {
        while self.evidence.len() > MAX_EVIDENCE {
            self.forget_one();
        }
    }

    fn forget_one(&mut self) {
        let at = self.evidence.iter().position(|known| !known.credit.used).filter(|at| *at + 1 < self.evidence.len());
        self.evidence.remove(at.unwrap_or(0));
    }

    /// Forgets what says least until a record can hold it; the counts stay. A store would refuse the whole shelf for one
    /// record that is too large.
    pub(super) fn fit(&mut self) {
        // Enough of each for the rules first; then whatever else it takes.
        for (runs, sites) in [(2 * HARMS_IN_A_ROW, PROMOTION_SITES), (1, 0)] {
            while self.evidence.len() > runs && !self.fits() {
                self.forget_one();
            }
            while self.triggered_domains.len() > sites && !self.fits() {
                self.triggered_domains.pop_last();
            }
            if !self.fits() {
                self.provenance.page = None;
            }
        }
    }

    fn fits(&self) -> bool {
        self.to_record("").is_ok_and(|record| record.size() <= MAX_RECORD_BYTES - RESERVED)
    }

    /// Takes back what this evidence added; whether anything of it is left.
    pub(super) fn take_back(&mut self, of: impl Fn(&Evidence) -> bool) -> bool {
        let (gone, kept): (Vec<Evidence>, Vec<Evidence>) = std::mem::take(&mut self.evidence).into_iter().partition(of);
        self.evidence = kept;
        let mut runs: Vec<&RunId> = Vec::new();
        for evidence in &gone {
            self.add(evidence.credit, false);
            let left = self.evidence.iter().any(|kept| kept.run == evidence.run && kept.credit.used);
            if evidence.credit.used && !left && !runs.contains(&&evidence.run) {
                self.runs = self.runs.saturating_sub(1);
                runs.push(&evidence.run);
            }
            if let Some(site) = &evidence.site
                && !self.evidence.iter().any(|kept| kept.site.as_ref() == Some(site) && kept.credit.used)
            {
                self.triggered_domains.remove(site);
            }
        }
        !gone.is_empty()
    }

    /// Applies the rules of promotion, demotion and retirement after a run.
    pub(super) fn judge(&mut self, run: &RunId) {
        let (low, high) = self.helped_share();
        let mut last = self.evidence.iter().rev().filter(|known| known.credit.used);
        let is_bad_now = (0..HARMS_IN_A_ROW).all(|_| last.next().is_some_and(|known| known.credit.harmed));
        if self.retired_by.is_none() && (high < HELPED_SHARE || is_bad_now) {
            self.retired_by = Some(run.clone());
        }
        let is_proven = low > HELPED_SHARE && self.retired_by.is_none();
        if self.promoted_by.is_some() {
            if !is_proven {
                (self.category, self.promoted_by) = (Category::ErrorRecovery, None);
            }
        } else if is_proven && self.may_be_promoted() {
            (self.category, self.promoted_by) = (Category::BestPractice, Some(run.clone()));
        }
    }

    fn may_be_promoted(&self) -> bool {
        let is_template = matches!(&self.text, LessonText::Template(template) if template.trouble != Trouble::Any);
        is_template
            && self.category == Category::ErrorRecovery
            && self.source == LessonSource::Learned
            && self.domain.is_none()
            && self.counts.used >= PROMOTION_USES
            && self.runs >= PROMOTION_USES
            && self.triggered_domains.len() >= PROMOTION_SITES
    }

    /// Whether it is stale: learned, long unused, and seldom used before.
    pub(super) fn is_stale(&self, now: DateTime<Utc>) -> bool {
        matches!(self.source, LessonSource::Learned)
            && self.counts.used < PRUNE_BELOW_USES
            && now.signed_duration_since(self.last_used) > TimeDelta::days(PRUNE_AFTER_DAYS)
    }
}
