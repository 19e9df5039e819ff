//! Observation of the page: the documents of all its frames as one tree, and screenshots.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{
    task::yield_now,
    time::{Duration, Instant, sleep, timeout, timeout_at},
};

use super::{
    driver::{Cdp, Turn},
    error::CdpError,
    rows::{self, Seen, Shown, Walk},
    state::{Frame, World},
    target::Area,
    wire::WireError,
};
use crate::{
    action::Target,
    browser::rules::PNG,
    page::{Observation, Tab, Tree},
};

/// Maximum number of frames, besides the main frame, that one observation reads. Source: chosen; pages have up to about
/// thirty frames.
pub(super) const MAX_FRAMES: usize = 100;
/// Longest total time for reading the frames inside a page. Frames that were not read by then are left out. Source:
/// chosen; reading takes a few milliseconds, but a frame with its own process can be slow.
pub(super) const FRAMES: Duration = Duration::from_secs(2);
/// Maximum number of attempts to read a frame whose document is replaced during the attempt. Source: chosen; usually a
/// document is replaced once.
const LOOKS: usize = 3;
/// Maximum amount of text that is read from the main document. Each inner frame may have this amount divided by the number
/// of all frames. Nodes beyond a limit are left out and counted. Unit: UTF-16 units. Source: chosen; the longest pages that people
/// read have a million units.
const MAX_TEXT: usize = 8_000_000;
/// Maximum width and height of a screenshot. Unit: CSS pixels. Source: the largest texture that Chromium draws on.
const MAX_SIDE: f64 = 16_384.0;
/// Maximum area of a screenshot. Unit: square CSS pixels. Source: chosen; this is the area of about thirty windows,
/// which Chromium draws in two seconds.
const MAX_AREA: f64 = 32_000_000.0;
/// Longest total time for reading a page whose documents keep replacing each other. Source: chosen; a page redirects
/// once or twice.
const REPLACED: Duration = Duration::from_secs(2);
/// Pause before a page is read again because its document was replaced. Source: chosen; reading a document takes about
/// as long.
const AGAIN: Duration = Duration::from_millis(2);
/// Longest time for the browser to report a document that must exist. Source: chosen; it takes a few milliseconds.
pub(super) const UNTOLD: Duration = Duration::from_millis(500);

/// The address, origin and title of a document, as our script in the document reads them.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Place {
    pub(super) url: String,
    /// The web origin of the document; the text `null` if it has none.
    pub(super) origin: String,
    pub(super) title: String,
    /// The HTTP status of the document; 0 if no server sent it.
    #[serde(default)]
    pub(super) status: u16,
}

struct Document {
    place: Place,
    /// The selected text of the document; may be empty.
    selected: String,
}

#[derive(Deserialize)]
struct Look {
    place: Place,
    selected: String,
    seen: Walk,
}

impl Cdp {
    /// Observes the current page: its tree, address and title, and the open tabs. If a dialog blocks the page, returns
    /// the dialog without a tree.
    pub(super) async fn seen(&self, turn: &mut Turn) -> Result<Observation, CdpError> {
        self.ask_titles().await?;
        if let Some(observation) = self.under_a_dialog()? {
            return Ok(observation);
        }
        let untold = self.hub.until(|known| {
            let tab = known.tab()?;
            // A frame that is still loading its document counts as reported: an action waits for the document, an
            // observation does not.
            let is_told = |frame: &Frame| !frame.loader.is_empty() || frame.moves();
            (tab.main().is_some() && tab.frames.values().all(is_told)).then_some(())
        });
        // A frame without a report is left out below.
        let _ = timeout(UNTOLD, untold).await;
        let (document, page, owners) = match self.walk_all(turn).await {
            Err(CdpError::Dialog(_)) => return self.under_a_dialog()?.ok_or(CdpError::Late),
            other => other?,
        };
        let Some(shown) = shown(turn, &page, &owners) else {
            return Err(CdpError::Moved);
        };
        let tree = rows::tree(&shown, self.hub.options.max_nodes);
        let Document { place, selected } = document;
        let mut observation =
            Observation::new(place.url, &place.title, tree).with_selected(&selected);
        observation.status = (place.status > 0).then_some(place.status);
        observation.tabs = self.open_tabs();
        Ok(observation)
    }

    /// Sends a small request to the browser itself. An answer shows that the browser works, even if the page hangs.
    pub(super) fn ask_for_life(&self) -> impl Future<Output = Result<Value, WireError>> + use<> {
        self.hub.wire.call(None, "Browser.getVersion", json!({}))
    }

    /// Returns the observation of a page that does not answer: its last reported address and title, without a tree.
    pub(super) fn unanswered(&self) -> Result<Observation, CdpError> {
        if let Some(observation) = self.under_a_dialog()? {
            return Ok(observation);
        }
        let (url, title) = {
            let known = self.hub.state();
            let tab = known.tab().ok_or(CdpError::Late)?;
            (tab.url.clone(), tab.title.clone())
        };
        let mut observation = Observation::unresponsive(url, &title);
        observation.tabs = self.open_tabs();
        Ok(observation)
    }

    /// Reads the page with its frames, and stores their content in `turn`. Returns the main document, the id of the
    /// main frame, and the [`Owner`] of each other frame that was read.
    async fn walk_all(&self, turn: &mut Turn) -> Result<(Document, String, Vec<Owner>), CdpError> {
        let mut page = self.page()?;
        let end = Instant::now() + REPLACED;
        let mut before = turn.seen.remove(&page);
        let (mut is_held, mut is_restless) = (false, false);
        let (seen, document) = loop {
            let how = (MAX_TEXT, std::mem::replace(&mut is_restless, true));
            match self.walk(&page, before.take(), how).await {
                // The document was just replaced, so read the current one.
                Err(CdpError::Moved) if Instant::now() < end => {
                    let now = self.page()?;
                    if now != page {
                        // The tab is gone, and another one is current.
                        before = turn.seen.remove(&now);
                        (page, is_held) = (now, false);
                    } else if !is_held && Instant::now() + REPLACED / 2 > end {
                        // Stop a page that loads new documents faster than they can be read.
                        self.hub.stop_loading();
                        is_held = true;
                    }
                    sleep(AGAIN).await;
                }
                Err(CdpError::Moved) => return Err(CdpError::Late),
                other => break other?,
            }
        };
        self.hub.told(seen.last_number());
        let frames = seen.frames();
        turn.seen.insert(page.clone(), seen);
        let owners = self.walk_frames(turn, &page, frames).await?;
        turn.seen
            .retain(|frame, _| *frame == page || owners.iter().any(|owner| owner.frame == *frame));
        Ok((document, page, owners))
    }

    /// Returns the browser's id of the main frame. Fails if the page cannot be used, for example because a dialog is
    /// open.
    pub(super) fn page(&self) -> Result<String, CdpError> {
        let known = self.hub.state();
        match known.trouble() {
            Some(trouble) => Err(trouble),
            None => known
                .current
                .clone()
                .ok_or(CdpError::Lost("the last tab was closed")),
        }
    }

    /// Returns the observation of a page that a dialog blocks, without a tree. Returns `None` if no dialog is open.
    fn under_a_dialog(&self) -> Result<Option<Observation>, CdpError> {
        let known = self.hub.state();
        match known.trouble() {
            None | Some(CdpError::Dialog(_)) => {}
            Some(trouble) => return Err(trouble),
        }
        let Some(tab) = known.tab() else {
            return Ok(None);
        };
        let Some(dialog) = known.dialog() else {
            return Ok(None);
        };
        let mut observation = Observation::new(tab.url.clone(), &tab.title, Tree::default());
        observation.dialog = Some(dialog);
        drop(known);
        observation.tabs = self.open_tabs();
        Ok(Some(observation))
    }

    fn open_tabs(&self) -> Vec<Tab> {
        let tabs = self.tabs();
        if tabs.len() > 1 { tabs } else { Vec::new() }
    }

    /// Reads the document of a frame. `before` is the content of the previous reading. If `is_restless` is true, the
    /// document was replaced during an earlier attempt, and click listeners are not read.
    async fn walk(
        &self,
        frame: &str,
        before: Option<Seen>,
        (max_text, is_restless): (usize, bool),
    ) -> Result<(Seen, Document), CdpError> {
        let at = self.hub.world(frame).await?;
        let (id, number) = self.document(frame, &at.1)?;
        let mut seen = before
            .filter(|seen| seen.document == id)
            .unwrap_or_default();
        let listening = if is_restless {
            // The document was replaced in an earlier attempt. Its content matters more than its listeners.
            Vec::new()
        } else {
            match self.listening(&at, &mut seen.listening).await {
                // Without an answer, the page is read without listeners. The look that follows finds out whether the
                // page is still there.
                Err(CdpError::Moved | CdpError::Broken(_) | CdpError::Refused(_)) => Vec::new(),
                other => other?,
            }
        };
        let mut look = self
            .ask_look(frame, &at, (seen.generation, &listening), max_text)
            .await?;
        if !seen.take(look.seen) {
            // The change is relative to rows that are missing here, so ask for all rows.
            seen = Seen::default();
            look = self.ask_look(frame, &at, (0, &listening), max_text).await?;
            if !seen.take(look.seen) {
                return Err(CdpError::malformed("a change of a page without the page"));
            }
        }
        (seen.document, seen.number) = (id, number);
        seen.url.clone_from(&look.place.url);
        let (place, selected) = (look.place, look.selected);
        Ok((seen, Document { place, selected }))
    }

    async fn ask_look(
        &self,
        frame: &str,
        at: &(String, World),
        (since, listening): (u64, &[u64]),
        max_text: usize,
    ) -> Result<Look, CdpError> {
        let above = {
            let known = self.hub.state();
            if known.current.as_deref() == Some(frame) {
                known.last_number
            } else {
                0
            }
        };
        let max_nodes = self.hub.options.max_nodes;
        let wanted = json!([{ "since": since, "maxNodes": max_nodes, "maxText": max_text, "above": above, "listening": listening }]);
        let told: String = self.hub.ask_in(at, "observe", wanted).await?;
        serde_json::from_str(&told)
            .map_err(|_| CdpError::malformed("a look at a page that is not understood"))
    }

    /// Returns the id of the document of `world`, and the frame's number in element references, such as 2 in `f2e1`.
    /// Fails if the frame now shows another document.
    fn document(&self, frame: &str, world: &World) -> Result<(String, u32), CdpError> {
        let known = self.hub.state();
        let at = known
            .tab()
            .and_then(|tab| tab.frames.get(frame))
            .ok_or(CdpError::Moved)?;
        if at.world.as_ref() == Some(world) {
            Ok((at.loader.clone(), at.number))
        } else {
            Err(CdpError::Moved)
        }
    }

    /// Reads all visible frames of a page at the same time, and returns the [`Owner`] of each frame that was read.
    /// `page` is the id of the main frame. `shown` contains the numbers of the main document's elements that show
    /// frames.
    async fn walk_frames(
        &self,
        turn: &mut Turn,
        page: &str,
        shown: Vec<u64>,
    ) -> Result<Vec<Owner>, CdpError> {
        let end = Instant::now() + FRAMES;
        let room = AtomicUsize::new(MAX_FRAMES);
        let count = self.hub.state().tab().map_or(0, |tab| tab.frames.len());
        let max_text = MAX_TEXT / count.clamp(1, MAX_FRAMES);
        let mut owners = Vec::new();
        let mut reading = FuturesUnordered::new();
        let mut next = Some((page.to_owned(), shown));
        loop {
            if let Some((parent, shown)) = next.take().filter(|(_, shown)| !shown.is_empty()) {
                let shown = Arc::new(shown);
                for frame in self.frames_in(&parent) {
                    let before = turn.seen.remove(&frame);
                    let owner = Owner {
                        parent: parent.clone(),
                        number: 0,
                        frame,
                    };
                    reading.push(self.walk_frame(
                        owner,
                        Arc::clone(&shown),
                        before,
                        max_text,
                        &room,
                    ));
                }
            }
            match timeout_at(end, reading.next()).await {
                Ok(Some(Ok((owner, seen)))) => {
                    next = Some((owner.frame.clone(), seen.frames()));
                    turn.seen.insert(owner.frame.clone(), seen);
                    owners.push(owner);
                }
                // A hidden or removed frame, or one beyond `MAX_FRAMES`, is left out.
                Ok(Some(Err(CdpError::Moved | CdpError::Broken(_) | CdpError::Refused(_)))) => {}
                Ok(Some(Err(trouble))) => return Err(trouble),
                // All frames are read, or the rest is too slow.
                Ok(None) | Err(_) => return Ok(owners),
            }
        }
    }

    /// Reads a frame if `shown` contains the number of the element that shows it. `room` is the number of frames that
    /// may still be read.
    async fn walk_frame(
        &self,
        owner: Owner,
        shown: Arc<Vec<u64>>,
        mut before: Option<Seen>,
        max_text: usize,
        room: &AtomicUsize,
    ) -> Result<(Owner, Seen), CdpError> {
        let number = self.hub.owner_of(&owner.frame).await?;
        let take = |room: usize| room.checked_sub(1);
        if !shown.contains(&number)
            || room
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
                .is_err()
        {
            return Err(CdpError::Moved);
        }
        let mut left = LOOKS;
        loop {
            left -= 1;
            let how = (max_text, left + 1 < LOOKS);
            match self.walk(&owner.frame, before.take(), how).await {
                Err(CdpError::Moved) if left > 0 => yield_now().await,
                other => return other.map(|(seen, _)| (Owner { number, ..owner }, seen)),
            }
        }
    }

    fn frames_in(&self, parent: &str) -> Vec<String> {
        let known = self.hub.state();
        let frames = known.tab().into_iter().flat_map(|tab| &tab.frames);
        frames
            .filter(|(_, frame)| frame.parent.as_deref() == Some(parent))
            .map(|(id, _)| id.clone())
            .collect()
    }

    /// Returns a screenshot of the window, or of the target's element, as a PNG file.
    pub(super) async fn picture(&self, target: Option<&Target>) -> Result<Vec<u8>, CdpError> {
        let page = self.page()?;
        let mut params = json!({ "format": "png" });
        if let Some(target) = target {
            let area = drawable(self.area_of(target).await?);
            params["clip"] = json!({ "x": area.x, "y": area.y, "width": area.width, "height": area.height, "scale": 1 });
            params["captureBeyondViewport"] = json!(true);
        }
        let session = self.session(&page)?;
        let taken: Taken = self
            .hub
            .call(&session, "Page.captureScreenshot", params)
            .await?;
        let bytes = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, taken.data);
        bytes
            .ok()
            .filter(|bytes| bytes.starts_with(PNG))
            .ok_or(CdpError::malformed("a picture that is not a PNG file"))
    }

    pub(super) fn session(&self, frame: &str) -> Result<String, CdpError> {
        let known = self.hub.state();
        let at = known
            .tab()
            .and_then(|tab| tab.frames.get(frame))
            .ok_or(CdpError::Moved)?;
        Ok(at.session.clone())
    }

    pub(super) async fn place(&self) -> Result<Place, CdpError> {
        let page = self.page()?;
        self.hub.ask(&page, "place", Value::Array(Vec::new())).await
    }
}

/// The element that shows a frame. `number` is the element's number in the document of the frame `parent`.
struct Owner {
    parent: String,
    number: u64,
    frame: String,
}

/// Returns the content of a frame and of the frames in it; `None` if the frame was not read.
fn shown<'a>(turn: &'a Turn, frame: &str, owners: &[Owner]) -> Option<Shown<'a>> {
    let inside = owners.iter().filter(|owner| owner.parent == frame);
    let frames: HashMap<u64, Shown<'_>> = inside
        .filter_map(|owner| Some((owner.number, shown(turn, &owner.frame, owners)?)))
        .collect();
    Some(Shown {
        seen: turn.seen.get(frame)?,
        frames,
    })
}

/// Returns the largest part of an area that fits into one screenshot, beginning at the top left corner.
fn drawable(area: Area) -> Area {
    let width = area.width.min(MAX_SIDE);
    Area {
        width,
        height: area.height.min(MAX_SIDE).min((MAX_AREA / width).floor()),
        ..area
    }
}

#[derive(Deserialize)]
struct Taken {
    data: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_of_as_much_as_can_be_drawn() {
        let drawn = |width, height| {
            let area = drawable(Area {
                x: 3.0,
                y: 4.0,
                width,
                height,
            });
            assert_eq!((area.x, area.y), (3.0, 4.0));
            (area.width, area.height)
        };
        assert_eq!(drawn(1280.0, 2000.5), (1280.0, 2000.5), "as it is");
        assert_eq!(drawn(100.0, 1e9), (100.0, 16_384.0));
        assert_eq!(drawn(1e9, 1e9), (16_384.0, 1953.0));
    }
}
