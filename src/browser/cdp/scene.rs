//! The visible part of a page with its frames: the boxes of elements, and the drawings.

use serde::Deserialize;
use serde_json::json;

use super::{driver::Cdp, error::CdpError, observe::Place, target::numbers};
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

impl Cdp {
    /// Returns the visible content of the window, with the boxes of those `wanted` elements that are visible.
    pub(super) async fn scene_of(&self, wanted: &[ElementRef]) -> Result<Scene, CdpError> {
        let page = self.page()?;
        let mut scene = Scene::default();
        let mut waiting = vec![Next {
            frame: page.clone(),
            number: 0,
            corner: (0.0, 0.0),
            seen: None,
        }];
        let mut asked = 0;
        while let Some(next) = waiting.pop() {
            asked += 1;
            let here: Vec<(&ElementRef, u64)> = wanted
                .iter()
                .filter_map(|reference| {
                    let (frame, number) = numbers(reference)?;
                    (frame == next.number).then_some((reference, number))
                })
                .collect();
            let inner = self.frames_below(&next.frame).await?;
            let asks = (
                here.iter().map(|(_, number)| *number).collect::<Vec<_>>(),
                inner.iter().map(|inner| inner.owner).collect::<Vec<_>>(),
            );
            let part: Part = match self.hub.ask(&next.frame, "scene", json!(asks)).await {
                Ok(part) => part,
                // A frame that is gone or does not answer shows nothing.
                Err(CdpError::Moved | CdpError::Broken(_) | CdpError::Refused(_))
                    if next.frame != page =>
                {
                    continue;
                }
                Err(trouble) => return Err(trouble),
            };
            let moved = |area: [f64; 4]| placed(area, next.corner);
            let is_seen = |area: &Area| next.seen.is_none_or(|seen| area.within(&seen).is_some());
            let numbered = part.boxes.iter().filter_map(|(number, area)| {
                let (reference, _) = here.iter().find(|(_, known)| known == number)?;
                Some(((*reference).clone(), moved(*area)))
            });
            scene
                .boxes
                .extend(numbered.filter(|(_, area)| is_seen(area)));
            let is_page = next.frame == page;
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
                (scene.width, scene.height) = (whole_pixels(part.width), whole_pixels(part.height));
            }
            for frame in inner {
                let inside = part.frames.iter().find(|(owner, _)| *owner == frame.owner);
                let Some((_, inside)) = inside.filter(|_| asked + waiting.len() < MAX_SEEN_FRAMES)
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
        in_order(&mut scene.boxes, wanted);
        Ok(scene)
    }

    /// Returns up to [`MAX_SEEN_FRAMES`] of the frames directly inside the document of `parent`. Leaves out a frame if
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
        let mut inner = Vec::with_capacity(known.len().min(MAX_SEEN_FRAMES));
        for (id, number) in known.into_iter().take(MAX_SEEN_FRAMES) {
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
