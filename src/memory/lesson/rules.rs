//! The rules for the life of a lesson: when it is shown on all sites, promoted, demoted, retired or pruned.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};

use super::{
    Category, Credit, Evidence, FailureKind, Lesson, LessonSource, LessonText, MAX_EVIDENCE,
};
use crate::{
    base::{Host, RunId, Site},
    memory::MAX_RECORD_BYTES,
};

/// Number of sites on which a recovery must have worked before it is shown on other sites. Source: chosen.
pub const GENERAL_SITES: usize = 2;
/// Number of uses, each in a different run, after which a lesson may be promoted to the system instruction. Source: chosen.
pub const PROMOTION_USES: u64 = 5;
/// Number of sites on which a lesson must have been used before it may be promoted to the system instruction. Source:
/// chosen.
pub const PROMOTION_SITES: usize = 3;
/// Threshold for the share of a lesson's uses that helped. The share is estimated as a [`wilson`] interval. A lesson is
/// promoted only if the interval lies above the threshold, and is retired if the interval lies below it. When a lesson
/// for all sites is judged for retirement, several cases of harm on one site or in one run count as one. Source:
/// chosen; if 5 of 5 uses helped, the lower bound is 0.566; if 0 of 4 uses helped, the upper bound is 0.490.
pub const HELPED_SHARE: f64 = 0.5;
/// Number of unhelpful runs in a row after which a lesson is retired. For a lesson that applies to all sites, these runs
/// must have been on at least this number of different sites. Source: chosen; a change of the page can make a lesson wrong,
/// however often it helped before.
pub const HARMS_IN_A_ROW: usize = 3;
/// Number of standard deviations around the mean that contain 95 % of a normal distribution.
const Z: f64 = 1.959_963_984_540_054;
/// Number of days without a use after which a learned lesson is pruned (removed as unused). Lessons with at least
/// [`PRUNE_BELOW_USES`] uses are never pruned. Source: chosen.
pub const PRUNE_AFTER_DAYS: i64 = 90;
/// Minimum number of uses that protects a learned lesson from ever being pruned (removed as unused). Source: chosen.
pub const PRUNE_BELOW_USES: u64 = 5;
/// Maximum number of lessons on one [shelf](crate::memory::Shelf). Above it, learned lessons are removed. Source: chosen; a
/// record takes up to 3.3 KiB in an indented file, and a file may take 1 MiB.
pub const MAX_LEARNED: usize = 300;
/// Maximum number of sites of one run that count for a lesson. Source: chosen; below [`MAX_EVIDENCE`], so that this
/// limit does not drop a run's own evidence while the run is being counted.
const MAX_SITES_OF_A_RUN: usize = 6;
/// Maximum length of the key of a lesson's record. Unit: bytes. Source: chosen; this crate's own keys have 23 bytes.
const MAX_KEY: usize = 64;
/// Space reserved in a record for its key and for two run ids: of the run that demotes the lesson and of the run that
/// retires it. Unit: bytes. Source: a key of this crate has 23 bytes, and an id has at most 64 bytes.
const RESERVED: usize = 256;

/// Returns the bounds of the two-sided 95 % Wilson score interval for the share `hits / all`. The bounds are from 0 to 1. If
/// `all` is 0, they are 0 and 1.
///
/// ```
/// let (low, high) = webwise::memory::lesson::wilson(5, 5);
/// assert!((low - 0.566).abs() < 0.001 && (high - 1.0).abs() < 1e-9);
/// ```
pub fn wilson(hits: u64, all: u64) -> (f64, f64) {
    if all == 0 {
        return (0.0, 1.0);
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of runs are far below 2^52"
    )]
    let (hits, n) = (hits.min(all) as f64, all as f64);
    let (share, z2) = (hits / n, Z * Z);
    let middle = share + z2 / (2.0 * n);
    let spread = Z * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    ((middle - spread) / scale, (middle + spread) / scale)
}

impl Lesson {
    /// Returns the lower and upper bound of the share of the lesson's uses that helped, as a [`wilson`] interval.
    pub fn helped_share(&self) -> (f64, f64) {
        wilson(self.counts.helped, self.counts.helped + self.counts.harmed)
    }

    /// Returns true if the lesson may be shown. Returns false for a retired lesson, a lesson that waits for review, and a
    /// learned [`Template`](LessonText::Template) that was used on fewer than [`GENERAL_SITES`] sites.
    pub fn speaks(&self) -> bool {
        let is_general = match (&self.text, self.source) {
            (LessonText::Template(_), LessonSource::Learned) => {
                self.triggered_domains.len() >= GENERAL_SITES
            }
            _ => true,
        };
        is_general && self.retired_by.is_none() && !self.needs_review()
    }

    /// Adds `credit`, the result of the lesson on one site of a run, to the lesson's counts and evidence. Returns false if
    /// `credit` does not count, for example because it was added before.
    pub(super) fn credit(
        &mut self,
        run: &RunId,
        at: DateTime<Utc>,
        site: Option<&Site>,
        hosts: BTreeSet<Host>,
        credit: Credit,
    ) -> bool {
        let of_run = || self.evidence.iter().filter(|known| known.run == *run);
        let is_known = of_run().any(|known| known.site.as_ref() == site) || self.counted.holds(run);
        let is_older = self.counted_until.is_some_and(|until| at <= until);
        if is_known || is_older || of_run().count() >= MAX_SITES_OF_A_RUN {
            return false;
        }
        let is_first_use = !of_run().any(|known| known.credit.used);
        self.add(credit, true);
        if credit.used {
            self.runs += u64::from(is_first_use);
            self.last_used = self.last_used.max(at);
            // A run adds at most one site, because all sites of one visit may belong to one owner.
            if let Some(site) = site
                && is_first_use
                && self.triggered_domains.len() < MAX_EVIDENCE
            {
                self.triggered_domains.insert(site.clone());
            }
        }
        self.evidence.push(Evidence {
            run: run.clone(),
            at,
            site: site.cloned(),
            hosts,
            credit,
        });
        self.forget_oldest();
        self.fit();
        true
    }

    fn add(&mut self, credit: Credit, plus: bool) {
        let change = |count: &mut u64, by: bool| {
            *count = if plus {
                count.saturating_add(u64::from(by))
            } else {
                count.saturating_sub(u64::from(by))
            };
        };
        change(&mut self.counts.offered, credit.offered);
        change(&mut self.counts.used, credit.used);
        change(&mut self.counts.followed, credit.followed);
        change(&mut self.counts.helped, credit.helped);
        change(&mut self.counts.harmed, credit.harmed);
    }

    /// Drops evidence until at most [`MAX_EVIDENCE`] entries are left. Entries that only say that the lesson was shown
    /// are dropped first, then the oldest entries. The newest entry is kept.
    fn forget_oldest(&mut self) {
        while self.evidence.len() > MAX_EVIDENCE {
            self.forget_one();
        }
    }

    fn forget_one(&mut self) {
        let shown = self.evidence.iter().position(|known| !known.credit.tells());
        let at = shown
            .filter(|at| *at + 1 < self.evidence.len())
            .unwrap_or(0);
        let gone = self.evidence.remove(at);
        let forgotten = self.counted.add(&gone.run, gone.at);
        self.counted_until = self.counted_until.max(forgotten);
    }

    /// Drops parts of the lesson until its record is small enough: first evidence, then sites, counted runs and the
    /// kind of page on which the lesson was learned. The counts are kept. Even then, the record may be too large, for
    /// example because of a long text. Without this method, one record that is too large would make the store refuse
    /// all changes of the shelf.
    pub(super) fn fit(&mut self) {
        // First keep as much as the rules need. If that is still too large, keep less.
        for (runs, sites) in [(2 * HARMS_IN_A_ROW, PROMOTION_SITES), (1, 0)] {
            while self.evidence.len() > runs && !self.fits() {
                self.forget_one();
            }
            while self.triggered_domains.len() > sites && !self.fits() {
                self.triggered_domains.pop_last();
            }
            while !self.fits()
                && let Some(forgotten) = self.counted.forget()
            {
                self.counted_until = self.counted_until.max(Some(forgotten));
            }
            if !self.fits() {
                self.provenance.page = None;
            }
        }
    }

    /// Returns true if the lesson's record is small enough for every store, even with a key of [`MAX_KEY`] bytes.
    pub(super) fn is_storable(&self) -> bool {
        self.to_record("")
            .is_ok_and(|record| record.size() <= MAX_RECORD_BYTES - MAX_KEY)
    }

    pub(super) fn fits(&self) -> bool {
        self.to_record("")
            .is_ok_and(|record| record.size() <= MAX_RECORD_BYTES - RESERVED)
    }

    /// Removes the evidence for which `of` returns true, and subtracts it from the counts. If this removes the last
    /// evidence of the run that taught the lesson, the lesson no longer names that run. Returns true if any evidence
    /// was removed.
    pub(super) fn take_back(&mut self, of: impl Fn(&Evidence) -> bool) -> bool {
        let (gone, kept): (Vec<Evidence>, Vec<Evidence>) =
            std::mem::take(&mut self.evidence).into_iter().partition(of);
        self.evidence = kept;
        if let Some(run) = &self.provenance.run {
            let is_its = |evidence: &Evidence| evidence.run == *run;
            if gone.iter().any(is_its) && !self.evidence.iter().any(is_its) {
                self.provenance.run = None;
            }
        }
        let mut runs: Vec<&RunId> = Vec::new();
        for evidence in &gone {
            self.add(evidence.credit, false);
            let left = self
                .evidence
                .iter()
                .any(|kept| kept.run == evidence.run && kept.credit.used);
            if evidence.credit.used && !left && !runs.contains(&&evidence.run) {
                self.runs = self.runs.saturating_sub(1);
                runs.push(&evidence.run);
            }
            if let Some(site) = &evidence.site
                && !self
                    .evidence
                    .iter()
                    .any(|kept| kept.site.as_ref() == Some(site) && kept.credit.used)
            {
                self.triggered_domains.remove(site);
            }
        }
        let used = self
            .evidence
            .iter()
            .filter(|kept| kept.credit.used)
            .map(|kept| kept.at)
            .max();
        if !gone.is_empty() && self.counted_until.is_none() && self.counted.is_empty() {
            self.last_used = used.unwrap_or(self.created_at);
        }
        !gone.is_empty()
    }

    /// Returns the part of [`Counts::helped`](super::Counts::helped) that comes from the run that taught the lesson.
    pub(super) fn taught(&self) -> u64 {
        let Some(run) = &self.provenance.run else {
            return 0;
        };
        let mut own = self
            .evidence
            .iter()
            .filter(|known| known.run == *run)
            .peekable();
        if own.peek().is_none() {
            // Of a run whose evidence was dropped, it is only known whether it was counted. The lesson was made at its end.
            let is_older = self.counted_until >= Some(self.created_at);
            return u64::from(is_older || self.counted.holds(run));
        }
        own.map(|known| u64::from(known.credit.helped)).sum()
    }

    pub(super) fn judge(&mut self, run: &RunId) {
        let (low, _) = self.helped_share();
        if self.retired_by.is_none() && self.harms() {
            self.retired_by = Some(run.clone());
        }
        let is_proven = low > HELPED_SHARE && self.retired_by.is_none();
        if self.promoted_by.is_some() {
            if !is_proven || !self.has_earned_promotion() {
                (self.category, self.promoted_by) = (Category::ErrorRecovery, None);
                self.demoted_by = Some(run.clone());
            }
        } else if is_proven && self.may_be_promoted() {
            (self.category, self.promoted_by) = (Category::BestPractice, Some(run.clone()));
            self.demoted_by = None;
        }
    }

    /// Returns true if the lesson should be retired: it helped too seldom, or it did harm in all of the last
    /// [`HARMS_IN_A_ROW`] runs that used or followed it. For a lesson for all sites, several cases of harm on one site
    /// or in one run count as one, because one bad page or one bad run says nothing about other sites.
    fn harms(&self) -> bool {
        let is_for_all = matches!(self.text, LessonText::Template(_));
        // The runs that used or followed the lesson, the latest first. Each has `true` if the lesson did harm on all of
        // its sites.
        let mut runs: Vec<(&RunId, bool)> = Vec::new();
        let used = self.evidence.iter().rev();
        for known in used.filter(|known| known.credit.tells()) {
            match runs.last_mut() {
                Some((run, harmed)) if *run == &known.run => *harmed &= known.credit.harmed,
                _ => runs.push((&known.run, known.credit.harmed)),
            }
        }
        let in_vain = runs.iter().take_while(|(_, harmed)| *harmed);
        let last: BTreeSet<&RunId> = in_vain.map(|(run, _)| *run).collect();
        let harmed = || self.evidence.iter().filter(|known| known.credit.harmed);
        let sites_of = |is_meant: &dyn Fn(&Evidence) -> bool| {
            let sites = harmed().filter(|known| is_meant(known));
            sites
                .map(|known| &known.site)
                .collect::<BTreeSet<_>>()
                .len()
        };
        let is_in_a_row = last.len() >= HARMS_IN_A_ROW
            && (!is_for_all || sites_of(&|known| last.contains(&known.run)) >= HARMS_IN_A_ROW);
        let harmed = if is_for_all {
            let runs: BTreeSet<&RunId> = harmed().map(|known| &known.run).collect();
            let independent = runs.len().min(sites_of(&|_| true));
            self.counts.harmed.min(independent as u64)
        } else {
            self.counts.harmed
        };
        let (_, high) = wilson(self.counts.helped, self.counts.helped + harmed);
        is_in_a_row || high < HELPED_SHARE
    }

    pub(super) fn bring_back(&mut self) {
        self.retired_by = None;
        self.counts.harmed = 0;
        for known in &mut self.evidence {
            known.credit.harmed = false;
        }
    }

    fn may_be_promoted(&self) -> bool {
        let is_template = matches!(&self.text, LessonText::Template(template) if template.trouble != FailureKind::Any);
        is_template
            && self.category == Category::ErrorRecovery
            && self.source == LessonSource::Learned
            && self.has_earned_promotion()
    }

    fn has_earned_promotion(&self) -> bool {
        self.counts.used >= PROMOTION_USES
            && self.counts.followed > 0
            && self.runs >= PROMOTION_USES
            && self.triggered_domains.len() >= PROMOTION_SITES
    }

    pub(super) fn is_stale(&self, now: DateTime<Utc>) -> bool {
        matches!(self.source, LessonSource::Learned)
            && self.counts.used < PRUNE_BELOW_USES
            && now.signed_duration_since(self.last_used) > TimeDelta::days(PRUNE_AFTER_DAYS)
    }
}
