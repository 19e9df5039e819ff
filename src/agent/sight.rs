//! The picture of the page that the model may get in a step, with a note that explains it.

use std::{collections::HashSet, time::Duration};

use super::{
    Run,
    executor::{Deadline, shows_closed_frame},
    options::Images,
    pictures::Pictures,
};
use crate::{
    action::{BrowserAction, ErrorClass, Outcome, Target},
    base::{ErrorKind, Result as CrateResult},
    browser::{SceneRequest, ScreenshotRequest},
    chat::{ChatRequest, Image},
    event::EventKind,
    page::{ElementRef, Line, Scene},
    verify::PageNow,
    vision::{lack, marked, nameless, under},
    working::StopReason,
};

/// Assumed size of one picture in a request. Unit: tokens. Source: chosen; providers count 258 to 1,600 tokens for a
/// picture.
pub(super) const IMAGE_TOKENS: u64 = 1_600;
/// Maximum number of elements whose positions are requested for one picture. Source: chosen; more than the marks that
/// a picture can have.
const MAX_WANTED: usize = 300;
/// Maximum time for the browser to return a picture, or the boxes of elements. Source: chosen; each takes some 100 ms,
/// and the step can continue without them.
const LONGEST: Duration = Duration::from_secs(5);

/// The picture of the current page for the model, with the positions of elements in it.
#[derive(Debug, Clone)]
pub(super) struct Sight {
    pub(super) png: Vec<u8>,
    /// Positions of the elements in the picture, if they are known.
    pub(super) scene: Scene,
    marks: Marks,
    /// The page that the picture shows.
    page: PageNow,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Marks {
    /// The elements are outlined, each with its reference.
    Drawn,
    /// The model asked for a picture, so nothing hides a part of the page.
    Spared,
    /// The picture could not be read, so no marks could be drawn.
    Impossible,
}

impl Sight {
    /// Returns the rest of the sentence that says that the picture shows the window.
    fn about(&self) -> String {
        let Scene { width, height, .. } = self.scene;
        if self.marks == Marks::Impossible || !self.scene.is_known() {
            return String::new();
        }
        let marks = if self.marks == Marks::Drawn {
            ", with the ref at a corner of each outlined element"
        } else {
            ", without refs as you asked for it"
        };
        format!(
            ", {width} x {height} pixels{marks}; click_xy, hover_xy and drag_xy without target take its pixels"
        )
    }
}

impl Run {
    /// Takes a picture of the page for the next message, if the model asked for a picture of the window, or if the options
    /// or the page require one. Drops the pictures that the model asked for if they may not be shown.
    pub(super) async fn see(&mut self) -> Result<(), StopReason> {
        self.sight = None;
        let images = self.executor.options.images;
        let may_see = self.parts.model.capabilities().images && images != Images::Never;
        let state = &mut self.executor.state;
        let may_show = |page: &PageNow| may_see && !state.secret_seen && !shows_closed_frame(page);
        let Some(page) = state.page.now().cloned().filter(may_show) else {
            // The pictures were taken before the secret or the frame was noticed, but perhaps not before it was shown.
            state.remarks.pictures = Pictures::default();
            return Ok(());
        };
        if page.observation.dialog.is_some() || page.observation.unresponsive {
            return Ok(());
        }
        match self.picture(&page, images).await {
            Ok(sight) => {
                if let Some(sight) = &sight {
                    let png = sight.png.clone();
                    self.executor.emitter.emit(EventKind::PictureTaken { png });
                }
                self.sight = sight;
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::BrowserLost => Err(self.executor.lost(error)),
            // Without a picture, the step continues with the page's tree alone.
            Err(error) => {
                let text = format!(
                    "no picture could be taken: {}",
                    self.executor.describe(error)
                );
                self.executor.emitter.emit(EventKind::Warned {
                    guard: "images".to_owned(),
                    text,
                });
                Ok(())
            }
        }
    }

    /// Returns a picture of the page, with marks on elements if their boxes are known and the model did not ask for
    /// the picture; `None` if no picture is needed, or if the browser shows another page by now. If a picture is
    /// returned, it may replace the last one that the model asked for ([`Pictures::replace_last`]).
    async fn picture(&mut self, page: &PageNow, images: Images) -> CrateResult<Option<Sight>> {
        let elements = &page.view.elements;
        let browser = &self.executor.browser;
        let scene_of = async |wanted| {
            let request = SceneRequest::new(wanted);
            in_time(browser.scene(&request)).await
        };
        let asked = self.executor.state.remarks.pictures.show_window();
        // Some drivers take a while to find boxes, so all boxes are requested only if there will be a picture.
        if !asked && images != Images::Always {
            let scene = scene_of(nameless(elements, MAX_WANTED)).await?;
            if lack(elements, &scene).is_none() {
                return Ok(None);
            }
        }
        let scene = scene_of(wanted(page)).await?;
        if scene.is_known() && scene.url != page.head.url {
            return Ok(None);
        }
        let request = ScreenshotRequest::default();
        let png = in_time(browser.screenshot(&request)).await?;
        let pictures = &mut self.executor.state.remarks.pictures;
        pictures.replace_last(&png, page.look);
        // A reference that no line of the page has would only hide a part of the page.
        let lines = page.layout().lines().iter().flat_map(Line::all_parts);
        let told: HashSet<&ElementRef> = if asked {
            HashSet::new()
        } else {
            lines.filter_map(|part| part.reference.as_ref()).collect()
        };
        let marks = if asked { Marks::Spared } else { Marks::Drawn };
        Ok(Some(match marked(&png, &scene, &told) {
            Some(png) => Sight {
                png,
                scene,
                marks,
                page: page.clone(),
            },
            None => Sight {
                png,
                scene: Scene::default(),
                marks: Marks::Impossible,
                page: page.clone(),
            },
        }))
    }

    /// Adds pictures to a request that is empty otherwise: those that the model asked for, then the one of the window now.
    /// Returns the note that explains them; `None` if there are none.
    pub(super) fn show_pictures(&mut self, request: &mut ChatRequest) -> Option<String> {
        let mut pictures = std::mem::take(&mut self.executor.state.remarks.pictures);
        let now = self.sight.as_ref();
        // The message needs the rest. One picture is shown at any rate.
        let room = (self.budget(request).0 / 2 / IMAGE_TOKENS).max(1);
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        pictures.keep(room - usize::from(now.is_some()));
        let note = pictures.note(now.map(Sight::about).as_deref());
        let shown = now.map(|sight| sight.png.clone());
        let all = pictures.into_pngs().chain(shown);
        request.images.extend(all.map(|png| Image { png }));
        note
    }

    /// Sets the target of an action that gives only a point. The new target is the element at that point of the picture. If
    /// an earlier call of the reply has replaced this element, the new one is found by its identity. Returns true if a
    /// target was set. The error is the refusal of the action.
    pub(super) fn aim_by_sight(&self, action: &mut BrowserAction) -> Result<bool, Outcome> {
        let points = action.points();
        if points.is_empty() || !action.targets().is_empty() {
            return Ok(false);
        }
        let bad = |why| Outcome::failed(ErrorClass::BadArguments, why);
        let Some(sight) = &self.sight else {
            return Ok(false);
        };
        let mut found = under(&sight.scene, &points)
            .ok_or_else(|| bad("nothing of the page is at this point of the picture"))?;
        if let (Target::Ref(old), Some(page)) = (&found.target, self.executor.state.page.now()) {
            let shown = sight.page.tree().by_ref(old.as_str());
            let wanted = shown.map(|node| sight.page.identity(node));
            let again = wanted.and_then(|wanted| page.again(Some(old), &wanted));
            let gone = "what the picture shows at this point is no longer there as it was";
            let again = again.ok_or_else(|| Outcome::failed(ErrorClass::RefNotFound, gone))?;
            found.target = Target::Ref(again);
        }
        action.aim_points(found.target, &found.points);
        Ok(true)
    }
}

/// Returns the elements whose positions in the picture are needed, at most [`MAX_WANTED`]: first the elements of the
/// page that can be acted on, whether the prompt shows them or not, then other elements that respond to clicks.
fn wanted(page: &PageNow) -> Vec<ElementRef> {
    let listed = page.view.elements.iter().map(|one| one.reference.as_ref());
    let answers = page.tree().nodes().iter().map(|node| {
        let is_one = node.states.listens || node.states.pointer;
        node.reference.as_ref().filter(|_| is_one)
    });
    let mut known = HashSet::new();
    listed
        .chain(answers)
        .flatten()
        .filter(|reference| known.insert(*reference))
        .take(MAX_WANTED)
        .cloned()
        .collect()
}

pub(super) async fn in_time<T>(work: impl Future<Output = CrateResult<T>>) -> CrateResult<T> {
    Deadline::after(LONGEST).wait("agent.see", work).await
}
