//! Merging of two versions of a lesson from two stores. A run that both versions have counted is counted once.

use std::collections::BTreeSet;

use super::{Evidence, Lesson, LessonSource, MAX_EVIDENCE};
use crate::base::RunId;

/// The counts `offered`, `used`, `followed`, `helped` and `harmed` of [`Counts`](super::Counts), and the number of runs
/// that used the lesson.
type Tally = [u64; 6];

fn tally<'e>(evidence: impl Iterator<Item = &'e Evidence>) -> Tally {
    let mut sum = Tally::default();
    let mut runs: BTreeSet<&RunId> = BTreeSet::new();
    for Evidence { run, credit, .. } in evidence {
        let is_first_use = credit.used && runs.insert(run);
        let credits = [
            credit.offered,
            credit.used,
            credit.followed,
            credit.helped,
            credit.harmed,
            is_first_use,
        ];
        for (sum, counts) in sum.iter_mut().zip(credits) {
            *sum += u64::from(counts);
        }
    }
    sum
}

fn less(from: Tally, by: Tally) -> Tally {
    let mut rest = from;
    for (rest, by) in rest.iter_mut().zip(by) {
        *rest = rest.saturating_sub(by);
    }
    rest
}

impl Lesson {
    /// Returns the counts that come from dropped evidence.
    fn dropped(&self) -> Tally {
        let counts = &self.counts;
        let all = [
            counts.offered,
            counts.used,
            counts.followed,
            counts.helped,
            counts.harmed,
            self.runs,
        ];
        less(all, tally(self.evidence.iter()))
    }

    /// Returns the lesson after adding the evidence and the counts of `other`, another version of the same lesson. If
    /// the versions have different texts, the lesson stays as it is.
    ///
    /// Each version's counts include runs whose evidence was dropped. For these runs, the larger of the two numbers is
    /// kept instead of their sum, because both versions may have counted the same runs.
    #[must_use]
    pub(super) fn merged(&self, other: &Self) -> Self {
        let mut lesson = self.clone();
        if self.text != other.text {
            return lesson;
        }
        let both = self.evidence.iter();
        let both = tally(both.filter(|evidence| other.counted.holds(&evidence.run)));
        let more = less(less(other.dropped(), both), self.dropped());
        for known in &other.evidence {
            let (site, hosts) = (known.site.as_ref(), known.hosts.clone());
            lesson.credit(&known.run, known.at, site, hosts, known.credit);
        }
        lesson.evidence.sort_by_key(|known| known.at);
        let counts = &mut lesson.counts;
        let all = [
            &mut counts.offered,
            &mut counts.used,
            &mut counts.followed,
            &mut counts.helped,
            &mut counts.harmed,
            &mut lesson.runs,
        ];
        for (count, more) in all.into_iter().zip(more) {
            *count = count.saturating_add(more);
        }
        lesson.created_at = self.created_at.min(other.created_at);
        lesson.last_used = self.last_used.max(other.last_used);
        lesson.counted_until = lesson.counted_until.max(other.counted_until);
        let named = lesson.evidence.iter().map(|known| &known.run);
        let until = lesson.counted_until;
        let dropped = lesson.counted.unite(&other.counted, named, until);
        lesson.counted_until = until.max(dropped);
        lesson.original = lesson.original.or_else(|| other.original.clone());
        let harmed = || other.retired_by.clone();
        lesson.retired_by = lesson.retired_by.or_else(harmed);
        if lesson.source == LessonSource::Imported && other.source == LessonSource::User {
            lesson.source = LessonSource::User;
        }
        lesson.fit();
        for site in &other.triggered_domains {
            let has_room = lesson.triggered_domains.len() < MAX_EVIDENCE;
            if has_room && lesson.triggered_domains.insert(site.clone()) && !lesson.fits() {
                lesson.triggered_domains.remove(site);
            }
        }
        let last = lesson.evidence.last().map(|known| known.run.clone());
        if let Some(run) = last.filter(|_| lesson != *self) {
            lesson.judge(&run);
        }
        if lesson.is_storable() {
            lesson
        } else {
            self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use chrono::{DateTime, Utc};

    use super::*;
    use crate::{
        base::Site,
        memory::lesson::{Category, Credit},
    };

    /// Returns a lesson that was used in each of these runs. Run `n` ended on day `n`.
    fn lesson(runs: impl Iterator<Item = u32>) -> Lesson {
        let at = |day: u32| DateTime::<Utc>::UNIX_EPOCH + chrono::TimeDelta::days(day.into());
        let text = crate::memory::lesson::LessonText::Words("Press Escape.".to_owned());
        let mut lesson = Lesson::new(text, Category::BestPractice, LessonSource::User, at(0));
        let credit = Credit {
            used: true,
            ..Credit::default()
        };
        let site = Site::of(&"https://shop.example/".parse().unwrap()).unwrap();
        for n in runs {
            let run = RunId::parse(format!("run_{n}")).unwrap();
            lesson.credit(&run, at(n), Some(&site), BTreeSet::new(), credit);
        }
        lesson
    }

    #[test]
    fn a_run_counts_once_in_three_versions_whichever_of_them_still_names_it() {
        let known = lesson(90..93);
        let (newer, older) = (lesson(1..21), lesson(1..6));
        assert!(newer.counted.holds(&older.evidence[0].run));
        for way in [[&newer, &older], [&older, &newer]] {
            let mut both = known.clone();
            for other in way {
                both = both.merged(other);
                assert_eq!(both.merged(other), both, "the same version again");
            }
            assert_eq!((both.counts.used, both.runs), (23, 23));
            // Merging it with a version that it was made from counts no run again.
            assert_eq!(both.merged(&known).runs, 23);
            assert_eq!(known.merged(&both).runs, 23);
        }
    }

    #[test]
    fn of_too_many_counted_runs_the_oldest_are_not_counted_again() {
        let (known, newer, older) = (lesson(200..290), lesson(1..90), lesson(1..6));
        let both = known.merged(&newer);
        assert!(both.counted_until.is_some());
        assert_eq!(both.merged(&newer), both, "the same version again");
        assert_eq!(
            both.merged(&older),
            both,
            "its runs are too old to be told apart"
        );
    }
}
