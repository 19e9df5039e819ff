//! Sessions in prompts. A session is the record of a finished run.

use std::collections::HashSet;

use chrono::{DateTime, Utc};

use super::{Session, record::MARKUP};
use crate::{
    base::{Trust, text},
    memory::{
        Advice, AdviceId, Cue, Index, Lasts, Moment, Piece, Record, Scope, Section, Shelf,
        ago::ago, shelf::home,
    },
};

/// The prompt section for sessions. Source of its priority: chosen.
const SECTION: Section = Section::custom("Session history", 50, Lasts::Page);
/// Maximum number of earlier sessions that a prompt shows in full, with their answers and addresses. Only sessions that
/// have the session id of the run are shown in full. Source: chosen.
const IN_FULL: usize = 2;
/// Maximum number of sessions on other sites that a prompt shows. Source: chosen.
pub(super) const ELSEWHERE: usize = 10;
/// Maximum length of the goal in the line for a session that is not shown in full. Longer goals are cut. Unit:
/// characters. Source: chosen.
const MAX_GOAL: usize = 120;

/// The sessions of a host, newest first.
#[derive(Debug)]
pub(super) struct SessionIndex(Vec<(AdviceId, Session)>);

impl SessionIndex {
    /// Indexes the sessions of a shelf, without those that wait for review.
    pub(super) fn new(shelf: &Shelf, records: &[Record]) -> Self {
        let mut sessions: Vec<(AdviceId, Session)> = records
            .iter()
            .filter_map(|record| {
                let id = AdviceId {
                    shelf: shelf.clone(),
                    key: record.key.clone(),
                };
                let session = Session::from_record(record).ok()?;
                (!session.imported).then_some((id, session))
            })
            .collect();
        sessions.sort_by(|(a, one), (b, other)| {
            (other.timestamp, &b.key).cmp(&(one.timestamp, &a.key))
        });
        Self(sessions)
    }
}

impl Index for SessionIndex {
    fn advise(&self, moment: &Moment<'_>, _: bool) -> Vec<Advice> {
        let (own, parent) = (&moment.about.session, moment.about.parent.as_ref());
        let Cue::PageShown { host, .. } = moment.cue else {
            return Vec::new();
        };
        let site = home(host);
        let goal = Session::goal(&moment.about.goal);
        let (mut continued, mut of_others, mut elsewhere) = (0, 0, 0);
        let mut told = HashSet::new();
        let mut done = HashSet::new();
        let earlier = self.0.iter().filter(|(id, session)| {
            let is_here = session.hosts.iter().any(|own| home(own) == site);
            let is_apart = id.shelf.scope == Scope::Global && (is_here || session.id != *own);
            if session.success {
                done.insert(&session.goal);
            }
            // The prompt has a line of its own about the run that this one continues.
            let is_continued = !session.success && Some(&session.run) == parent;
            let is_outdated = !session.success && done.contains(&session.goal);
            Some(&session.run) != moment.run && !is_continued && !is_outdated && !is_apart
        });
        let advice = earlier.filter_map(|(id, session)| {
            let continues = own.is_some() && session.id == *own;
            let is_same = !session.success && session.goal == goal;
            let (seen, most, full) = match (id.shelf.scope == Scope::Global, continues) {
                (true, _) => (&mut elsewhere, ELSEWHERE, 0),
                (false, true) => (&mut continued, usize::MAX, IN_FULL),
                (false, false) if is_same => (&mut of_others, 1, 1),
                (false, false) => return None,
            };
            let in_full = *seen < full;
            // A second line with the same goal and result says nothing new, unless an answer and an address follow it.
            if (!told.insert((&session.goal, session.success)) && !in_full) || *seen >= most {
                return None;
            }
            *seen += 1;
            let lines = lines(session, in_full, moment.now);
            let lines = lines.into_iter().map(|line| [Piece::Words(line)]);
            Advice::with_lines(id.clone(), lines, Trust::Model, SECTION)
        });
        advice.collect()
    }
}

/// Returns all lines that prompts may show for a session: those for a run with the same goal if it failed, and those for a run with
/// the same session id.
pub(super) fn told(session: &Session, now: DateTime<Utc>) -> Vec<String> {
    let mut told = Vec::new();
    if !session.success {
        let of_goal = lines(session, true, now).into_iter();
        told.extend(of_goal.map(|line| format!("(for the same goal) {line}")));
    }
    if session.id.is_some() {
        let in_full = lines(session, true, now).into_iter();
        told.extend(in_full.map(|line| format!("(in its own session) {line}")));
    }
    told
}

fn lines(session: &Session, in_full: bool, now: DateTime<Utc>) -> Vec<String> {
    let most = if in_full { usize::MAX } else { MAX_GOAL };
    let goal = text::truncate(&session.goal, most);
    let age = ago(now - session.timestamp);
    let mut lines = vec![format!("{age}, {}: {goal}", session.result())];
    if in_full {
        let answer = session.outcome.iter();
        // The model may have copied it from a page, so nothing in it may look like markup.
        let answer = answer.map(|answer| answer.replace(MARKUP, " "));
        lines.extend(answer.map(|answer| format!("{}: {answer}", session.answer_label())));
        let url = session.final_url.iter();
        lines.extend(url.map(|url| format!("ended at {url}")));
    }
    lines
}
