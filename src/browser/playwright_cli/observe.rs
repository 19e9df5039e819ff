//! Observation of the page: snapshots, in which secret values are masked, and screenshots.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    time::Duration,
};

use tokio::time::Instant;

use super::{
    driver::{PlaywrightCli, Scripted, State, malformed, refusal},
    failure::{self, Verdict},
    scripts,
    scripts::Returned,
    snapshot::{Snapshot, lower},
    transport::Command,
};
use crate::{
    action::ErrorClass,
    base::{Error, ErrorKind, Result, text::clean},
    browser::{COMMAND_TIMEOUT, ObserveRequest, ScreenshotRequest, rules::PNG},
    page::{ElementRef, Node, Observation, Tree},
};

/// Maximum number of frames whose addresses are read in one observation. Source: chosen.
const MAX_FRAMES: usize = 100;
/// Maximum size of a screenshot's file. A larger file is not read. Unit: bytes. Source: chosen; a window of 1280 x 800
/// has at most 4 MB uncompressed.
const MAX_PICTURE: u64 = 32 << 20;

/// Returns a value that identifies the document in a frame; `None` if the frame is not in the tree.
///
/// The value is the set of prefixes in the document's references, such as `f12` in `f12e7`. If there are none, it is
/// the document's text.
fn document(tree: &Tree, frame: &str) -> Option<(BTreeSet<String>, String)> {
    let id = tree.by_ref(frame)?;
    let inside = tree
        .descendants(id)
        .filter_map(|at| tree[at].reference.as_ref());
    let counts: BTreeSet<String> = inside
        .filter_map(|reference| Some(reference.as_str().split_once('e')?.0.to_owned()))
        .collect();
    let words = if counts.is_empty() {
        tree.text_of(id)
    } else {
        String::new()
    };
    Some((counts, words))
}

impl PlaywrightCli {
    pub(super) async fn look(&self, request: &ObserveRequest) -> Result<Observation> {
        let end = Instant::now() + request.timeout;
        let work = async {
            let mut state = self.state("browser.observe").await?;
            let mut observation = self.snapshot(&mut state, request.timeout).await?;
            if observation.dialog.is_none() && !observation.unresponsive {
                let tree = std::mem::take(&mut observation.tree);
                let left = end.saturating_duration_since(Instant::now());
                let (tree, selected) = self.with_hints(&mut state, tree, left).await?;
                observation.tree = tree;
                observation = observation.with_selected(&selected);
            }
            state.readonly = readonly(&observation.tree);
            if request.screenshot && observation.dialog.is_none() && !observation.unresponsive {
                observation.screenshot =
                    Some(self.picture(&mut state, None, request.timeout).await?);
            }
            Ok(observation)
        };
        let late = |_| Err(Error::new(ErrorKind::Timeout, "browser.observe"));
        tokio::time::timeout(request.timeout, work)
            .await
            .unwrap_or_else(late)
    }

    /// Observes the current page, without hints and screenshots. If the page waits for its server, stops the loading
    /// and reads the page again.
    pub(super) async fn snapshot(
        &self,
        state: &mut State,
        timeout: Duration,
    ) -> Result<Observation> {
        // The rest of the time is kept for the report that the page does not answer.
        let timeout = timeout * 7 / 8;
        // If the previous command got no answer in time, the first attempt is short.
        let (first, second) = if state.stalled {
            (timeout / 6, timeout / 3)
        } else {
            (timeout * 2 / 3, timeout / 6)
        };
        let error = match self.try_snapshot(state, first).await {
            Err(error) if matches!(error.kind(), ErrorKind::Timeout | ErrorKind::TooLarge) => error,
            other => return other,
        };
        let stopped = self.stop_loading(state, timeout / 6).await?;
        match stopped {
            Some(now) if now.bodiless || error.kind() == ErrorKind::TooLarge => Ok(unread(now.top)),
            _ if error.kind() == ErrorKind::TooLarge => Err(error),
            stopped => match self.try_snapshot(state, second).await {
                Err(error) if error.kind() == ErrorKind::Timeout => {
                    let top = stopped.map(|now| now.top);
                    let url = top
                        .or_else(|| state.url().map(str::to_owned))
                        .ok_or(error)?;
                    Ok(Observation::unresponsive(url, ""))
                }
                other => other,
            },
        }
    }

    /// Stops the loading of the current page. Returns the script's answer; `None` if the browser did not confirm the
    /// stop.
    pub(super) async fn stop_loading(
        &self,
        state: &mut State,
        timeout: Duration,
    ) -> Result<Option<Returned>> {
        let patience = u64::try_from((timeout / 2).as_millis()).unwrap_or(u64::MAX);
        match self
            .script(state, scripts::stop_loading(patience), timeout)
            .await
        {
            Ok(Scripted::Returned(returned)) if returned.done => Ok(Some(*returned)),
            Ok(_) => Ok(None),
            // A timeout is no error, because the next snapshot shows whether the stop helped.
            Err(error) if error.kind() == ErrorKind::Timeout => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn try_snapshot(&self, state: &mut State, timeout: Duration) -> Result<Observation> {
        let reply = self.send(state, Command::read("snapshot"), timeout).await?;
        // The dialog is checked before the error, because a dialog that opens during the snapshot leaves an empty tree.
        if let Some(dialog) = &reply.dialog {
            let page = state.page.clone().unwrap_or_default();
            let mut observation = Observation::new(page.url, &page.title, Tree::default());
            observation.dialog = Some(dialog.clone());
            observation.tabs = reply.tabs;
            return Ok(observation);
        }
        if let Some(error) = &reply.error {
            return Err(refusal("browser.observe", error));
        }
        let (Some(page), Some(text)) = (&reply.page, &reply.snapshot) else {
            return Err(malformed("a snapshot without its page or its tree"));
        };
        let snapshot = Snapshot::parse(text);
        let hidden = self.hidden_fields(state, &snapshot, timeout).await?;
        // A field without a reference cannot be checked, so its value is hidden.
        let tree = lower(&snapshot, |reference| reference.is_none_or(&hidden));
        let tree = self.with_frames(state, tree, timeout).await?;
        let mut observation = Observation::new(page.url.clone(), &page.title, tree);
        observation.tabs = reply.tabs;
        Ok(observation)
    }

    /// Adds the addresses of frames to the tree.
    ///
    /// After reading the addresses, takes a second snapshot. If a frame then shows another document, its address stays
    /// unknown.
    async fn with_frames(&self, state: &mut State, tree: Tree, timeout: Duration) -> Result<Tree> {
        let frames: Vec<&str> = tree
            .frames()
            .map(ElementRef::as_str)
            .take(MAX_FRAMES)
            .collect();
        if frames.is_empty() {
            return Ok(tree);
        }
        let answer = self
            .script(state, scripts::frame_addresses(&frames), timeout)
            .await?;
        let told = if let Scripted::Returned(returned) = answer {
            returned.frames
        } else {
            Vec::new()
        };
        let again = self.send(state, Command::read("snapshot"), timeout).await?;
        let again = lower(
            &Snapshot::parse(again.snapshot.as_deref().unwrap_or_default()),
            |_| true,
        );
        let urls: HashMap<String, String> = frames
            .into_iter()
            .zip(told)
            .filter(|(frame, _)| {
                document(&tree, frame).is_some_and(|seen| Some(seen) == document(&again, frame))
            })
            .filter_map(|(frame, url)| Some((frame.to_owned(), clean(&url?))))
            .collect();
        Ok(tree
            .with_frame_urls(|reference| urls.get(reference.as_str()).cloned().unwrap_or_default()))
    }

    pub(super) async fn take_picture(&self, request: &ScreenshotRequest) -> Result<Vec<u8>> {
        let mut state = self.state("browser.screenshot").await?;
        let target = request.target.as_ref().map(ToString::to_string);
        self.picture(&mut state, target, COMMAND_TIMEOUT).await
    }

    async fn picture(
        &self,
        state: &mut State,
        target: Option<String>,
        timeout: Duration,
    ) -> Result<Vec<u8>> {
        match self.try_picture(state, target, timeout).await? {
            Ok(bytes) => Ok(bytes),
            Err(error) => Err(refusal("browser.screenshot", &error)),
        }
    }

    /// Returns a PNG screenshot of the window or of the target's element, or the tool's error text.
    pub(super) async fn try_picture(
        &self,
        state: &mut State,
        target: Option<String>,
        timeout: Duration,
    ) -> Result<Result<Vec<u8>, String>> {
        let file = self.new_file("png");
        let command = Command::new("screenshot")
            .option("filename", file.display().to_string())
            .args(target)
            .repeatable();
        let reply = self.send(state, command, timeout).await?;
        if let Some(error) = reply.error {
            return Ok(Err(error));
        }
        let failed = |error| Error::new(ErrorKind::Io, "browser.screenshot").with_source(error);
        let size = std::fs::metadata(&file).map_err(failed)?.len();
        if size > MAX_PICTURE {
            return Err(Error::new(ErrorKind::TooLarge, "browser.screenshot").with("bytes", size));
        }
        let bytes = std::fs::read(&file).map_err(failed)?;
        // If the file cannot be removed now, it is removed later with the private folder.
        let _ = std::fs::remove_file(&file);
        if bytes.starts_with(PNG) {
            Ok(Ok(bytes))
        } else {
            Err(malformed("a picture that is not a PNG file"))
        }
    }
}

fn readonly(tree: &Tree) -> HashSet<String> {
    let nodes = tree.nodes().iter().filter(|node| node.states.readonly);
    let references = nodes.filter_map(|node| node.reference.as_ref());
    references
        .map(|reference| reference.as_str().to_owned())
        .collect()
}

/// Returns the observation of a page that cannot be read. All its content counts as left out.
fn unread(url: String) -> Observation {
    let mut tree = Tree::builder().with_max_nodes(0);
    tree.leaf(Node::text(""));
    Observation::new(url, "", tree.finish())
}

/// Returns the class of failure that an error text of the tool means, or [`ErrorClass::Other`].
pub(super) fn class_of(error: &str) -> ErrorClass {
    match failure::classify(error) {
        Verdict::Failed(class) => class,
        Verdict::NoEffect | Verdict::Lost => ErrorClass::Other,
    }
}
