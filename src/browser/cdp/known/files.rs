//! Files on their way, and how much of them is taken.

use std::collections::HashMap;

use super::Effect;

/// Largest file that is kept, and most that files on their way may take together; past it all of these are dropped.
/// Unit: bytes. Source: chosen, the same for every driver.
pub(in crate::browser::cdp) const MAX_DOWNLOAD: u64 = 100 << 20;
/// Most files on their way at once; a further one is dropped. Unit: files. Source: chosen; a person starts a few.
pub(super) const MAX_COMING: usize = 100;
/// Most that one browser keeps. Unit: bytes and files. Source: chosen; a page can offer files until the disk is full.
pub(super) const MAX_KEPT: (u64, u32) = (1 << 30, 1000);

/// A file on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Coming {
    name: String,
    received: u64,
    /// Whether the browser was told to drop it.
    dropped: bool,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Files {
    coming: HashMap<String, Coming>,
    /// What was kept so far.
    kept: (u64, u32),
}

impl Files {
    /// A file begins to come; `is_ours` tells whether its end is for us to decide.
    pub(super) fn began(&mut self, id: String, name: String, is_ours: bool) -> Vec<Effect> {
        let is_full = self.coming.len() >= MAX_COMING;
        if is_full && !is_ours {
            return Vec::new();
        }
        self.coming.insert(
            id.clone(),
            Coming {
                name,
                received: 0,
                dropped: is_full,
            },
        );
        if is_full {
            vec![Effect::CancelDownload { id }]
        } else {
            Vec::new()
        }
    }

    /// More of a file came, or its end.
    pub(super) fn progress(
        &mut self,
        id: String,
        received: u64,
        state: &str,
        is_ours: bool,
    ) -> Vec<Effect> {
        if !matches!(state, "completed" | "canceled") {
            let Some(coming) = self.coming.get_mut(&id) else {
                return Vec::new();
            };
            coming.received = received;
            let sum = self
                .coming
                .values()
                .fold(0, |sum: u64, coming| sum.saturating_add(coming.received));
            // In a browser of others, files are their own affair.
            return if sum > MAX_DOWNLOAD && is_ours {
                self.drop_all()
            } else {
                Vec::new()
            };
        }
        let Some(coming) = self.coming.remove(&id) else {
            return Vec::new();
        };
        let (bytes, files) = (
            self.kept.0.saturating_add(received),
            self.kept.1.saturating_add(1),
        );
        // One that comes fast is there before it is known to be too large.
        let fits = received <= MAX_DOWNLOAD && bytes <= MAX_KEPT.0 && files <= MAX_KEPT.1;
        let whole = state == "completed" && fits && !coming.dropped;
        if whole && is_ours {
            self.kept = (bytes, files);
        }
        vec![Effect::KeepDownload {
            id,
            name: coming.name,
            whole,
        }]
    }

    fn drop_all(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        for (id, coming) in self.coming.iter_mut().filter(|(_, coming)| !coming.dropped) {
            coming.dropped = true;
            effects.push(Effect::CancelDownload { id: id.clone() });
        }
        effects
    }
}
