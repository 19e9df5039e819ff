//! Looking at the page: the documents of all its frames as one tree, and pictures.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{
    task::yield_now,
    time::{Duration, Instant, timeout},
};

use super::{
    driver::{Cdp, Turn},
    known::Frame,
    rows::{self, Seen, Shown, Walk},
    trouble::Trouble,
};
use crate::{
    action::Target,
    browser::rules::PNG,
    page::{Observation, Tab, Tree},
};

/// Most frames that are read. Unit: frames. Source: chosen; pages have up to some thirty.
const MAX_FRAMES: usize = 100;
/// How long a frame may take to be read; what is in one that takes longer is left out. Unit: time. Source: chosen; it takes
/// a few milliseconds, and a frame with a process of its own can be as slow as it likes.
const FRAME: Duration = Duration::from_secs(2);
/// How long documents may replace each other before one of them could be read. Unit: time. Source: chosen; a page that goes
/// from one to the next does so once or twice.
const REPLACED: Duration = Duration::from_secs(2);
/// How long a document may take to be told of after its frame. Unit: time. Source: chosen; it takes a few milliseconds.
const UNTOLD: Duration = Duration::from_millis(500);

/// What a document says of itself, read past the page's own scripts.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Place {
    pub(super) url: String,
    /// `null` for a document without an origin.
    pub(super) origin: String,
    pub(super) title: String,
}

#[derive(Deserialize)]
struct Look {
    place: Place,
    seen: Walk,
}

impl Cdp {
    /// The page as it is now.
    pub(super) async fn seen(&self, turn: &mut Turn) -> Result<Observation, Trouble> {
        self.ask_titles().await?;
        if let Some(observation) = self.under_a_dialog()? {
            return Ok(observation);
        }
        let untold = self.hub.until(|known| {
            let tab = known.tab()?;
            // One that has no document because that has not come is not waited for: actions do.
            let is_told = |frame: &Frame| !frame.loader.is_empty() || frame.moves();
            (tab.main().is_some() && tab.frames.values().all(is_told)).then_some(())
        });
        // A frame of which nothing is told is left out below.
        let _ = timeout(UNTOLD, untold).await;
        let page = self.page()?;
        let end = Instant::now() + REPLACED;
        let place = loop {
            match self.walk(turn, &page).await {
                // The document was replaced in this moment: what is there now is what was asked for.
                Err(Trouble::Moved) if Instant::now() < end => {
                    if Instant::now() + REPLACED / 2 > end {
                        // A page that loads another faster than it can be read is held where it is.
                        self.hub.stop_loading();
                    }
                    yield_now().await;
                }
                Err(Trouble::Moved) => break Err(Trouble::Late),
                other => break other,
            }
        };
        let place = match place {
            Ok(place) => place,
            Err(Trouble::Dialog(_)) => return self.under_a_dialog()?.ok_or(Trouble::Late),
            Err(trouble) => return Err(trouble),
        };
        let owners = self.walk_frames(turn, &page).await?;
        turn.seen.retain(|frame, _| *frame == page || owners.iter().any(|(_, _, inside)| inside == frame));
        let tree = rows::tree(&self.shown(turn, &page, &owners), self.hub.options.max_nodes);
        let mut observation = Observation::new(place.url, &place.title, tree);
        observation.tabs = self.open_tabs();
        Ok(observation)
    }

    /// The frame that is the current page.
    pub(super) fn page(&self) -> Result<String, Trouble> {
        let known = self.hub.known();
        match known.trouble() {
            Some(trouble) => Err(trouble),
            None => known.current.clone().ok_or(Trouble::Lost("the last tab was closed")),
        }
    }

    /// What can be told of a page under a dialog.
    fn under_a_dialog(&self) -> Result<Option<Observation>, Trouble> {
        let known = self.hub.known();
        match known.trouble() {
            None | Some(Trouble::Dialog(_)) => {}
            Some(trouble) => return Err(trouble),
        }
        let Some(tab) = known.tab() else { return Ok(None) };
        let Some(dialog) = known.dialog() else { return Ok(None) };
        let mut observation = Observation::new(tab.url.clone(), &tab.title, Tree::default());
        observation.dialog = Some(dialog);
        drop(known);
        observation.tabs = self.open_tabs();
        Ok(Some(observation))
    }

    /// The tabs, if there is more than one.
    fn open_tabs(&self) -> Vec<Tab> {
        let tabs = self.tabs();
        if tabs.len() > 1 { tabs } else { Vec::new() }
    }

    /// Reads one document.
    async fn walk(&self, turn: &mut Turn, frame: &str) -> Result<Place, Trouble> {
        let document = self.document(frame)?;
        let known = turn.seen.get(frame).filter(|seen| seen.document == document);
        let since = known.map_or(0, |seen| seen.generation);
        let look = self.ask_look(frame, since).await?;
        let mut seen = turn.seen.remove(frame).filter(|seen| seen.document == document).unwrap_or_default();
        seen.document.clone_from(&document);
        let place = if seen.take(look.seen) {
            look.place
        } else {
            // It builds upon what is not here; all of it is asked for.
            seen = Seen::of(document);
            let look = self.ask_look(frame, 0).await?;
            if !seen.take(look.seen) {
                return Err(Trouble::malformed("a change of a page without the page"));
            }
            look.place
        };
        let mut known = self.hub.known();
        let is_page = known.current.as_deref() == Some(frame);
        if is_page {
            known.last_number = known.last_number.max(seen.last_number());
        }
        drop(known);
        turn.seen.insert(frame.to_owned(), seen);
        Ok(place)
    }

    async fn ask_look(&self, frame: &str, since: u64) -> Result<Look, Trouble> {
        let above = {
            let known = self.hub.known();
            if known.current.as_deref() == Some(frame) { known.last_number } else { 0 }
        };
        let wanted = json!([{ "since": since, "maxNodes": self.hub.options.max_nodes, "above": above }]);
        self.hub.ask(frame, "observe", wanted).await
    }

    fn document(&self, frame: &str) -> Result<String, Trouble> {
        let known = self.hub.known();
        let at = known.tab().and_then(|tab| tab.frames.get(frame)).ok_or(Trouble::Moved)?;
        Ok(at.loader.clone())
    }

    /// Reads all frames of a page: of each its parent, the number of the element that shows it, and its name.
    async fn walk_frames(&self, turn: &mut Turn, page: &str) -> Result<Vec<(String, u64, String)>, Trouble> {
        let mut owners: Vec<(String, u64, String)> = Vec::new();
        let mut open = vec![page.to_owned()];
        while let Some(parent) = open.pop() {
            let shown: Vec<u64> = turn.seen.get(&parent).map(|seen| seen.frames().collect()).unwrap_or_default();
            if shown.is_empty() {
                continue;
            }
            let inside: Vec<String> = {
                let known = self.hub.known();
                let frames = known.tab().into_iter().flat_map(|tab| &tab.frames);
                frames.filter(|(_, f)| f.parent.as_ref() == Some(&parent)).map(|(id, _)| id.clone()).collect()
            };
            for frame in inside {
                if owners.len() >= MAX_FRAMES {
                    return Ok(owners);
                }
                let read = async {
                    let owner = self.hub.owner_of(&frame).await?;
                    if shown.contains(&owner) {
                        self.walk(turn, &frame).await?;
                    }
                    Ok(owner)
                };
                match timeout(FRAME, read).await {
                    Ok(Ok(owner)) if shown.contains(&owner) => {
                        owners.push((parent.clone(), owner, frame.clone()));
                        open.push(frame);
                    }
                    // Hidden, gone, or too slow: nothing of it is seen.
                    Ok(Ok(_) | Err(Trouble::Moved | Trouble::Broken(_) | Trouble::Refused(_))) | Err(_) => {}
                    Ok(Err(trouble)) => return Err(trouble),
                }
            }
        }
        Ok(owners)
    }

    fn shown<'a>(&self, turn: &'a Turn, frame: &str, owners: &[(String, u64, String)]) -> Shown<'a> {
        let (number, url) = {
            let known = self.hub.known();
            let at = known.tab().and_then(|tab| tab.frames.get(frame));
            at.map_or((0, String::new()), |at| (at.number, at.url.clone()))
        };
        let inside = owners.iter().filter(|(parent, ..)| parent == frame);
        let frames: HashMap<u64, Shown<'_>> =
            inside.map(|(_, owner, inside)| (*owner, self.shown(turn, inside, owners))).collect();
        Shown { number, url, seen: turn.seen.get(frame), frames }
    }

    /// A picture of the window, or of one element.
    pub(super) async fn picture(&self, target: Option<&Target>) -> Result<Vec<u8>, Trouble> {
        let page = self.page()?;
        let mut params = json!({ "format": "png" });
        if let Some(target) = target {
            let area = self.area_of(target).await?;
            params["clip"] =
                json!({ "x": area.x, "y": area.y, "width": area.width, "height": area.height, "scale": 1 });
            params["captureBeyondViewport"] = json!(true);
        }
        let session = self.session(&page)?;
        let taken: Taken = self.hub.call(&session, "Page.captureScreenshot", params).await?;
        let bytes = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, taken.data);
        bytes.ok().filter(|bytes| bytes.starts_with(PNG)).ok_or(Trouble::malformed("a picture that is not a PNG file"))
    }

    /// The session that speaks for a frame.
    pub(super) fn session(&self, frame: &str) -> Result<String, Trouble> {
        let known = self.hub.known();
        let at = known.tab().and_then(|tab| tab.frames.get(frame)).ok_or(Trouble::Moved)?;
        Ok(at.session.clone())
    }

    /// What the current page says of itself.
    pub(super) async fn place(&self) -> Result<Place, Trouble> {
        let page = self.page()?;
        self.hub.ask(&page, "place", Value::Array(Vec::new())).await
    }
}

#[derive(Deserialize)]
struct Taken {
    data: String,
}
