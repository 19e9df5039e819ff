//! The visible part of a page with its frames: the boxes of elements, and the drawings.

use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, timeout_at};

use super::{
    driver::Cdp,
    error::CdpError,
    observe::{FRAMES, MAX_FRAMES, Place},
    target::numbers,
};
use crate::{
    base::text::clean,
    browser::rules::{MAX_SEEN_FRAMES, SeenDrawing, drawing, in_order, placed, whole_pixels},
    page::{Area, ElementRef, Scene},
};

#[derive(Deserialize)]
struct Part {
    place: Place,
    width: f64,
    height: f64,
    boxes: Vec<(u64, [f64; 4])>,
    frames: Vec<(u64, [f64; 4])>,
    drawings: Vec<SeenDrawing>,
    blank: Vec<[f64; 4]>,
    page: [f64; 4],
}

/// A frame whose visible part is still to be read. `number` is the frame's number in element references, such as 2 in
/// `f2e1`. `corner` is the frame's top left corner in the window. `seen` is the part of the window in which the frame
/// is visible; `None` for the whole window.
struct Next {
    frame: String,
    number: u32,
    corner: (f64, f64),
    seen: Option<Area>,
}

/// Returns those of the wanted elements that are in the frame with this number, each with its number in the frame.
fn wanted_in(wanted: &[ElementRef], frame: u32) -> impl Iterator<Item = (&ElementRef, u64)> {
    let all = wanted
        .iter()
        .filter_map(|reference| Some((reference, numbers(reference)?)));
    all.filter(move |(_, (of, _))| *of == frame)
        .map(|(reference, (_, number))| (reference, number))
}

impl Cdp {
    /// Returns the visible content of the window, with the boxes of those `wanted` elements that are visible.
    pub(super) async fn scene_of(&self, wanted: &[ElementRef]) -> Result<Scene, CdpError> {
        let page = self.page()?;
        let mut scene = Scene::default();
        let mut waiting = vec![Next {
            frame: page,
            number: 0,
            corner: (0.0, 0.0),
            seen: None,
        }];
        let mut asked = 0;
        let mut end = None;
        while !waiting.is_empty() {
            asked += waiting.len();
            // The frames of one depth are read at once, so that a slow one does not hide the others.
            let reading = waiting
                .drain(..)
                .map(|next| self.part_of(next, wanted, end));
            for read in join_all(reading.collect::<Vec<_>>()).await {
                let Some((next, inner, part)) = read? else {
                    continue;
                };
                let here: Vec<(&ElementRef, u64)> = wanted_in(wanted, next.number).collect();
                let moved = |area: [f64; 4]| placed(area, next.corner);
                let is_seen =
                    |area: &Area| next.seen.is_none_or(|seen| area.within(&seen).is_some());
                let numbered = part.boxes.iter().filter_map(|(number, area)| {
                    let (reference, _) = here.iter().find(|(_, known)| known == number)?;
                    Some(((*reference).clone(), moved(*area)))
                });
                scene
                    .boxes
                    .extend(numbered.filter(|(_, area)| is_seen(area)));
                let is_page = next.seen.is_none();
                let drawings = part.drawings.iter();
                let drawn = drawings.filter_map(|seen| drawing(seen, next.corner, is_page));
                scene
                    .drawings
                    .extend(drawn.filter(|one| is_seen(&one.area)));
                let blank = part.blank.iter().map(|area| moved(*area));
                scene.blank.extend(blank.filter(&is_seen));
                if is_page {
                    scene.page = moved(part.page);
                    scene.url = clean(&part.place.url);
                    (scene.width, scene.height) =
                        (whole_pixels(part.width), whole_pixels(part.height));
                }
                for frame in inner {
                    let inside = part.frames.iter().find(|(owner, _)| *owner == frame.owner);
                    let Some((_, inside)) =
                        inside.filter(|_| asked + waiting.len() < MAX_SEEN_FRAMES)
                    else {
                        continue;
                    };
                    let area = moved(*inside);
                    let seen = next.seen.map_or(Some(area), |seen| area.within(&seen));
                    waiting.push(Next {
                        frame: frame.id,
                        number: frame.number,
                        corner: (area.x, area.y),
                        seen: Some(seen.unwrap_or_default()),
                    });
                }
            }
            end = end.or_else(|| Some(Instant::now() + FRAMES));
        }
        in_order(&mut scene.boxes, wanted);
        Ok(scene)
    }

    /// Reads the visible part of the page (`end` is `None`) or of a frame, and the frames directly inside it. Returns
    /// `None` if a frame is gone or has not answered by `end`: it shows nothing.
    async fn part_of(
        &self,
        next: Next,
        wanted: &[ElementRef],
        end: Option<Instant>,
    ) -> Result<Option<(Next, Vec<Inner>, Part)>, CdpError> {
        let reading = async {
            let inner = self.frames_below(&next.frame).await?;
            let asks = (
                wanted_in(wanted, next.number)
                    .map(|(_, number)| number)
                    .collect::<Vec<_>>(),
                inner.iter().map(|inner| inner.owner).collect::<Vec<_>>(),
            );
            let part: Part = self.hub.ask(&next.frame, "scene", json!(asks)).await?;
            Ok((inner, part))
        };
        let Some(end) = end else {
            return reading.await.map(|(inner, part)| Some((next, inner, part)));
        };
        match timeout_at(end, reading).await {
            Ok(Ok((inner, part))) => Ok(Some((next, inner, part))),
            Ok(Err(CdpError::Moved | CdpError::Broken(_) | CdpError::Refused(_))) | Err(_) => {
                Ok(None)
            }
            Ok(Err(trouble)) => Err(trouble),
        }
    }

    /// Returns up to [`MAX_FRAMES`] of the frames directly inside the document of `parent`. Leaves out a frame if
    /// no element that shows it is found.
    async fn frames_below(&self, parent: &str) -> Result<Vec<Inner>, CdpError> {
        let known: Vec<(String, u32)> = {
            let known = self.hub.state();
            let frames = known.tab().into_iter().flat_map(|tab| &tab.frames);
            frames
                .filter(|(_, frame)| frame.parent.as_deref() == Some(parent))
                .map(|(id, frame)| (id.clone(), frame.number))
                .collect()
        };
        let mut inner = Vec::new();
        // Which of them are visible is not known yet, so the limit is higher than that of the scene.
        for (id, number) in known.into_iter().take(MAX_FRAMES) {
            match self.hub.owner_of(&id).await {
                Ok(owner) => inner.push(Inner { id, number, owner }),
                Err(CdpError::Moved | CdpError::Broken(_) | CdpError::Refused(_)) => {}
                Err(trouble) => return Err(trouble),
            }
        }
        Ok(inner)
    }
}

/// A frame inside a document. `number` is the frame's number in element references such as `f2e1`. `owner` is the
/// number of the element that shows the frame.
struct Inner {
    id: String,
    number: u32,
    owner: u64,
}
