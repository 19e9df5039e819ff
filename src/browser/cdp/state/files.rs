//! Incomplete downloads, and the limits for downloads.

use std::collections::HashMap;

use super::Effect;

/// Maximum size of a downloaded file, and of all incomplete files together. Unit: bytes. Source: chosen; every driver
/// has the same limit.
pub(in crate::browser::cdp) const MAX_DOWNLOAD: u64 = 100 << 20;
/// Maximum number of incomplete files. Further files are cancelled; in an attached browser they are ignored. Source:
/// chosen; a person starts only a few downloads at the same time.
pub(super) const MAX_COMING: usize = 100;
/// Maximum total size and number of the files that are kept for one browser. Unit: bytes and files. Source: chosen; a
/// page can offer files until the disk is full.
pub(super) const MAX_KEPT: (u64, u32) = (1 << 30, 1000);

/// A file whose download is incomplete.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Coming {
    name: String,
    received: u64,
    /// True if the browser was told to cancel the download.
    dropped: bool,
}

#[derive(Debug, Default)]
pub(super) struct Files {
    coming: HashMap<String, Coming>,
    /// Total size and number of the files that were kept so far. Unit: bytes and files.
    kept: (u64, u32),
}

impl Files {
    /// Records a new download, and returns the work that it requires. The driver may cancel downloads only if `is_ours`
    /// is true.
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

    /// Records the progress or the end of a download, and returns the work that this requires. `received` is the number
    /// of bytes so far.
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
            // In an attached browser, this driver cancels no downloads.
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
        // The size is checked again, because a fast download may be complete before any progress is reported.
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
