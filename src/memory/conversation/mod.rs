//! Conversations: the goals of the runs that share a session id, even if the runs worked on different hosts.
//!
//! A caller groups runs by giving all of them the same session id (`Task::with_session`). Each run of the group is a
//! turn of the conversation. On each page, the next run of the group is shown the goals of those earlier turns that
//! ended on a host other than the page's. Turns that ended on the page's own host are left to the memory kind for
//! [sessions](super::session), which shows their answers too.
//!
//! # Decisions
//!
//! - A run without a session id belongs to no conversation. Only the caller knows which runs belong together.
//! - A turn does not store the run's answer. The model may have copied the answer from a page, and text of one site
//!   must not reach a prompt about another. A caller who wants to pass an answer on gives it to the next run
//!   (`Task::with_given`).
//! - A prompt does not show the host of a turn either. The owner of a host chooses its name, and that name would be
//!   read on other hosts.
//! - A failed turn is no longer shown once a later turn of the conversation with the same goal has succeeded. It is
//!   also not shown to a run that continues the failed run, because this run is told of the failure anyway.
//! - Earlier goals are shown inside the fence that marks quoted data in a prompt, although the user wrote them. The
//!   runs that had these goals are over, and nobody asks for the goals again.
//! - Each turn is a record of its own, and the conversation is the item that groups these records. So forgetting the
//!   item begins a new conversation under the same id, and undoing a run removes one turn.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    Advice, AdviceId, Change, Committed, Cue, Described, Edit, Index, Lasts, MemoryKind, Moment,
    Namespace, Note, Occasion, Origin, Piece, Record, RunLog, Section, Shelf, ShelfEdit, Standing,
    UNVOUCHED, ago::ago,
};
use crate::base::{Error, ErrorKind, Host, Result, RunId, SessionId, Site, Trust, fitting, text};

/// Name of the collection of conversations.
pub const COLLECTION: &str = "conversations";
/// Maximum number of turns kept for a conversation; the oldest is dropped first. Source: chosen.
pub const MAX_TURNS: usize = 10;
/// Maximum number of conversations that are kept; the one whose last turn is the oldest is dropped first. Source:
/// chosen; all conversations with all their turns take 100 KB.
pub const MAX_CONVERSATIONS: usize = 20;
/// Maximum number of hosts in [`Turn::others`]. Source: chosen.
pub const MAX_HOSTS: usize = 4;
/// Maximum size of the goal that a turn keeps; a longer goal is cut. Unit: bytes of the goal as a JSON string. Source:
/// chosen; this is two lines of a prompt.
const MAX_GOAL: usize = 300;
/// The prompt section that shows the turns. Source of the priority 50: chosen; the section for sessions has the same.
const SECTION: Section = Section::custom("Conversation", 50, Lasts::Page);
/// Separator between the session id and the run id in the key of a turn's record. Neither id contains it.
const SEPARATOR: char = '.';

/// The kind of memory that stores conversations.
#[derive(Debug, Clone, Copy, Default)]
pub struct Conversations;

/// One turn of a conversation: a run, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Turn {
    /// The session id, which is also the id of the conversation.
    pub id: SessionId,
    /// The id of the run.
    pub run: RunId,
    /// The goal of the run, in the user's words; cut if it is long.
    pub goal: String,
    /// True if the run reached its goal and a page showed the evidence.
    pub success: bool,
    /// The host on which the run ended.
    pub host: Host,
    /// The hosts whose pages the run saw, except the host on which it ended, at most [`MAX_HOSTS`].
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub others: BTreeSet<Host>,
    /// The time when the run ended.
    pub timestamp: DateTime<Utc>,
}

/// The record that represents the whole conversation in lists of stored items.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    /// The goal of the last turn.
    goal: String,
    turns: usize,
}

impl Turn {
    /// Returns the turn that a run adds to its conversation; `None` if the run has no session id or saw only pages
    /// without a host, such as a blank page.
    fn of(log: &RunLog) -> Option<Self> {
        let places = log
            .steps
            .iter()
            .flat_map(|step| [&step.before, &step.after]);
        let hosts: Vec<&Host> = places.filter_map(|place| place.host()).collect();
        let host = *hosts.last()?;
        let others: BTreeSet<&Host> = hosts
            .iter()
            .copied()
            .filter(|other| *other != host)
            .collect();
        Some(Self {
            id: log.about.session.clone()?,
            run: log.run.clone(),
            goal: fitting(&text::squeeze(&text::clean(&log.about.goal)), MAX_GOAL),
            success: log.success,
            host: host.clone(),
            others: others.into_iter().take(MAX_HOSTS).cloned().collect(),
            timestamp: log.ended_at,
        })
    }

    /// Reads a turn from its record.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] if the record is not a turn.
    pub fn from_record(record: &Record) -> Result<Self> {
        serde_json::from_value(record.body.clone()).map_err(|error| {
            Error::new(ErrorKind::Corrupt, "conversation.read")
                .with("key", &record.key)
                .with_source(error)
        })
    }

    fn to_record(&self) -> Record {
        Record::new(
            format!("{}{SEPARATOR}{}", self.id.as_str(), self.run.as_str()),
            &json!(self),
        )
    }

    fn line(&self, now: DateTime<Utc>) -> String {
        let result = if self.success { "done" } else { "not done" };
        format!("{}, {result}: {}", ago(now - self.timestamp), self.goal)
    }
}

/// Returns the turns of these records, oldest first. Records that are not turns are left out.
fn turns(records: &[Record]) -> Vec<Turn> {
    let mut turns: Vec<Turn> = records
        .iter()
        .filter_map(|record| Turn::from_record(record).ok())
        .collect();
    sort(&mut turns);
    turns
}

/// Sorts turns by the end of their runs, the oldest first.
fn sort(turns: &mut [Turn]) {
    turns.sort_by(|a, b| (a.timestamp, &a.run).cmp(&(b.timestamp, &b.run)));
}

/// Returns the changes that add a turn to its conversation. The oldest turns beyond [`MAX_TURNS`] and the oldest
/// conversations beyond [`MAX_CONVERSATIONS`] are removed. A turn that would be among these is not added: its run
/// waited in the store while later runs were recorded.
fn learn(records: &[Record], turn: &Turn) -> Vec<Change> {
    let record = turn.to_record();
    if records.contains(&record) {
        return Vec::new();
    }
    let mut known: BTreeMap<SessionId, Vec<Turn>> = BTreeMap::new();
    for known_turn in turns(records)
        .into_iter()
        .filter(|known| known.run != turn.run)
    {
        known
            .entry(known_turn.id.clone())
            .or_default()
            .push(known_turn);
    }
    let own = known.entry(turn.id.clone()).or_default();
    own.push(turn.clone());
    sort(own);
    let too_many = own.len().saturating_sub(MAX_TURNS);
    let mut removed: Vec<Turn> = own.drain(..too_many).collect();
    let mut changes = vec![Change::Put(record), head(&turn.id, own)];
    let mut all: Vec<(SessionId, Vec<Turn>)> = known.into_iter().collect();
    all.sort_by_key(|(_, turns)| turns.last().map(|last| last.timestamp));
    let too_many = all.len().saturating_sub(MAX_CONVERSATIONS);
    for (id, turns) in all.into_iter().take(too_many) {
        changes.push(head(&id, &[]));
        removed.extend(turns);
    }
    if removed.contains(turn) {
        return Vec::new();
    }
    let removed = removed
        .iter()
        .map(|turn| Change::Remove(turn.to_record().key));
    changes.extend(removed);
    changes
}

/// Returns the change that stores the head record of a conversation with these turns, or removes it if there are none.
fn head(id: &SessionId, turns: &[Turn]) -> Change {
    let key = id.as_str();
    turns.last().map_or_else(
        || Change::Remove(key.to_owned()),
        |last| {
            let head = Head {
                goal: last.goal.clone(),
                turns: turns.len(),
            };
            Change::Put(Record::new(key, &json!(head)))
        },
    )
}

/// Returns an edit that removes the turns for which `is_removed` is true and updates the head records.
fn without(is_removed: impl Fn(&Turn) -> bool + Send + Sync + 'static) -> Edit {
    Edit::new(move |records: &[Record]| {
        let (removed, kept): (Vec<Turn>, Vec<Turn>) = turns(records)
            .into_iter()
            .partition(|turn| is_removed(turn));
        let changed: BTreeSet<&SessionId> = removed.iter().map(|turn| &turn.id).collect();
        let heads = changed.into_iter().map(|id| {
            let of_it = kept.iter().filter(|turn| turn.id == *id).cloned();
            head(id, &of_it.collect::<Vec<_>>())
        });
        let removed = removed
            .iter()
            .map(|turn| Change::Remove(turn.to_record().key));
        Ok(removed.chain(heads).collect())
    })
}

/// The turns of all conversations, oldest first.
#[derive(Debug)]
struct Turns {
    shelf: Shelf,
    turns: Vec<Turn>,
}

impl Index for Turns {
    fn advise(&self, moment: &Moment<'_>, _: bool) -> Vec<Advice> {
        let (Some(id), Cue::PageShown { host, .. }) = (&moment.about.session, moment.cue) else {
            return Vec::new();
        };
        let parent = moment.about.parent.as_ref();
        let mut done = BTreeSet::new();
        let own = self.turns.iter().rev().filter(|turn| turn.id == *id);
        let elsewhere = own.filter(|turn| {
            if turn.success {
                done.insert(&turn.goal);
            }
            let is_outdated = done.contains(&turn.goal) || Some(&turn.run) == parent;
            let is_told = turn.success || !is_outdated;
            is_told && turn.host != *host && Some(&turn.run) != moment.run
        });
        let advice = elsewhere.filter_map(|turn| {
            let id = AdviceId {
                shelf: self.shelf.clone(),
                key: turn.to_record().key,
            };
            Advice::with_lines(
                id,
                [[Piece::Words(turn.line(moment.now))]],
                Trust::Model,
                SECTION,
            )
        });
        advice.collect()
    }
}

impl MemoryKind for Conversations {
    fn name(&self) -> &'static str {
        COLLECTION
    }

    fn upkeep(&self, _: &Shelf, _: &[Record], _: DateTime<Utc>) -> Option<Edit> {
        None
    }

    fn wants(&self, namespace: &Namespace, moment: &Moment<'_>) -> Vec<Shelf> {
        let is_asked =
            moment.about.session.is_some() && matches!(moment.cue, Cue::PageShown { .. });
        let shelf = is_asked.then(|| Shelf::global(namespace, COLLECTION));
        shelf.into_iter().collect()
    }

    fn index(&self, shelf: &Shelf, records: &[Record]) -> Arc<dyn Index> {
        Arc::new(Turns {
            shelf: shelf.clone(),
            turns: turns(records),
        })
    }

    fn limit(&self, _: &Moment<'_>) -> usize {
        MAX_TURNS
    }

    fn distill(&self, log: &RunLog) -> Option<Value> {
        Turn::of(log).map(|turn| json!(turn))
    }

    fn learn(&self, namespace: &Namespace, distilled: &Value) -> Result<Vec<ShelfEdit>> {
        let turn: Turn = serde_json::from_value(distilled.clone()).map_err(|error| {
            Error::new(ErrorKind::Corrupt, "conversation.learn").with_source(error)
        })?;
        Ok(vec![ShelfEdit {
            shelf: Shelf::global(namespace, COLLECTION),
            edit: Edit::new(move |records| Ok(learn(records, &turn))),
        }])
    }

    fn undo(&self, run: &RunId) -> Result<Edit> {
        let run = run.clone();
        Ok(without(move |turn| turn.run == run))
    }

    fn forget(&self, site: &Site, host: Option<&Host>) -> Result<Edit> {
        let (site, host) = (site.clone(), host.cloned());
        let is_it = move |of: &Host| match &host {
            Some(host) => of == host,
            None => of.site().as_ref() == Some(&site),
        };
        Ok(without(move |turn| {
            is_it(&turn.host) || turn.others.iter().any(&is_it)
        }))
    }

    fn describe(&self, record: &Record) -> Result<Described> {
        if let Ok(head) = serde_json::from_value::<Head>(record.body.clone()) {
            let mut described = Described::new(&head.goal, Origin::Learned, Standing::Shown);
            "conversation".clone_into(&mut described.is);
            described.results = text::counted(head.turns, "run");
            return Ok(described);
        }
        let turn = Turn::from_record(record)?;
        let mut described = Described::new(&turn.goal, Origin::Learned, Standing::Shown);
        "turn of a conversation".clone_into(&mut described.is);
        described.details = vec![
            ("Session", turn.id.to_string()),
            ("Run", turn.run.to_string()),
            ("Host", turn.host.to_string()),
            ("Time", turn.timestamp.to_rfc3339()),
        ];
        if let Value::Object(data) = json!(turn) {
            described.data = data;
        }
        Ok(described)
    }

    fn describe_item(
        &self,
        _: &Shelf,
        records: &[Record],
        key: &str,
        now: DateTime<Utc>,
    ) -> Result<Described> {
        let mut described = self.describe(Record::find(records, key)?)?;
        let turns = turns(records)
            .into_iter()
            .rev()
            .filter(|turn| turn.id.as_str() == key);
        described.prompt = turns.map(|turn| turn.line(now)).collect();
        Ok(described)
    }

    /// Returns the record unchanged. Refuses a record whose key does not match its content. If `vouched` is false,
    /// every record is refused.
    fn admit(&self, record: &Record, vouched: bool) -> Result<Record> {
        let refuse = |why: &str| {
            Error::new(ErrorKind::InvalidInput, "conversation.admit")
                .with("key", &record.key)
                .with("why", why)
        };
        if !vouched {
            return Err(refuse(UNVOUCHED));
        }
        let is_own = match Turn::from_record(record) {
            Ok(turn) => turn.to_record().key == record.key,
            Err(_) => {
                serde_json::from_value::<Head>(record.body.clone()).is_ok()
                    && SessionId::parse(&record.key).is_ok()
            }
        };
        let admitted = is_own.then(|| record.clone());
        admitted.ok_or_else(|| refuse("is no part of the conversation of its key"))
    }

    /// Merges two versions of a conversation. The result has one turn for each run, at most the latest [`MAX_TURNS`].
    fn merge(&self, known: &[Record], other: &[Record]) -> Result<Vec<Record>> {
        let mut both = turns(known);
        let new = turns(other)
            .into_iter()
            .filter(|turn| both.iter().all(|known| known.run != turn.run));
        both.extend(new.collect::<Vec<_>>());
        sort(&mut both);
        let both = both.split_off(both.len().saturating_sub(MAX_TURNS));
        let head = both.first().map(|first| head(&first.id, &both));
        let head = head.into_iter().filter_map(|change| match change {
            Change::Put(head) => Some(head),
            Change::Remove(_) => None,
        });
        Ok(head.chain(both.iter().map(Turn::to_record)).collect())
    }

    fn item<'k>(&self, key: &'k str) -> &'k str {
        key.split(SEPARATOR).next().unwrap_or(key)
    }

    fn notes(
        &self,
        _: Occasion,
        shelf: &Shelf,
        run: &RunId,
        committed: &Committed,
        _: usize,
    ) -> Vec<Note> {
        let recorded = committed.changes.iter().filter_map(|change| {
            let Change::Put(record) = change else {
                return None;
            };
            let turn = Turn::from_record(record).ok()?;
            (turn.run == *run).then(|| Note::Changed {
                id: AdviceId {
                    shelf: shelf.clone(),
                    key: record.key.clone(),
                },
                what: "turn_recorded".to_owned(),
                text: turn.goal,
                data: json!({ "session_id": turn.id }),
            })
        });
        recorded.collect()
    }
}

#[cfg(test)]
mod tests;
