//! The visible part of the page and of its frames. A snapshot gives the boxes of elements. A script then asks the
//! documents which boxes are visible, and which drawings (such as a `canvas`) they contain.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{
    driver::{PlaywrightCli, Scripted, State},
    scripts::reading,
    snapshot::{Line, Snapshot},
    transport::Command,
};
use crate::{
    base::{Result, text::clean},
    browser::{
        COMMAND_TIMEOUT, SCENE, SceneRequest,
        rules::{MAX_SEEN_FRAMES, SeenDrawing, drawing, in_order, placed, whole_pixels},
    },
    page::{ElementRef, Scene},
};

/// A document, and the boxes of the wanted elements in it, relative to the top left corner of the document's window.
#[derive(Debug, PartialEq, Serialize)]
struct Document<'a> {
    /// The reference of the frame element that shows the document; `None` for the main document.
    owner: Option<&'a str>,
    boxes: Vec<[f64; 4]>,
    #[serde(skip)]
    elements: Vec<&'a ElementRef>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SeenScene {
    url: String,
    /// The answers of the documents, the main document first; `None` for a document that gave no answer.
    documents: Vec<Option<SeenDocument>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SeenDocument {
    /// The top left corner of the document's window in the page's window. Unit: CSS pixels.
    corner: (f64, f64),
    width: f64,
    height: f64,
    /// For each box that the script asked about, true if the box is visible.
    seen: Vec<bool>,
    drawings: Vec<SeenDrawing>,
    blank: Vec<[f64; 4]>,
    page: [f64; 4],
}

impl PlaywrightCli {
    pub(super) async fn look_around(&self, request: &SceneRequest) -> Result<Scene> {
        let mut state = self.state("browser.scene").await?;
        if request.elements.is_empty() {
            return Ok(self
                .seen(&mut state, &[Document::of(None)])
                .await?
                .unwrap_or_default());
        }
        let command = Command::read("snapshot").flag("boxes");
        let reply = self.send(&mut state, command, COMMAND_TIMEOUT).await?;
        let Some(text) = reply.snapshot.filter(|_| reply.dialog.is_none()) else {
            return Ok(Scene::default());
        };
        let documents = documents(&Snapshot::parse(&text), &request.elements);
        let mut scene = self.seen(&mut state, &documents).await?.unwrap_or_default();
        in_order(&mut scene.boxes, &request.elements);
        Ok(scene)
    }

    /// Returns the visible content of these documents; `None` if a dialog is open or the script fails. If `documents`
    /// contains only the main document, and this has no boxes to check, the content of the page's frames is included
    /// too.
    async fn seen(&self, state: &mut State, documents: &[Document<'_>]) -> Result<Option<Scene>> {
        let answer = self
            .script(state, script(documents), COMMAND_TIMEOUT)
            .await?;
        Ok(match answer {
            Scripted::Returned(returned) => returned.scene.map(|seen| seen.told(documents)),
            _ => None,
        })
    }
}

impl<'a> Document<'a> {
    const fn of(owner: Option<&'a str>) -> Self {
        Self {
            owner,
            boxes: Vec::new(),
            elements: Vec::new(),
        }
    }
}

/// Returns the documents of a snapshot, the main document first. Each has the boxes of the wanted elements in it.
fn documents<'a>(snapshot: &Snapshot<'a>, wanted: &'a [ElementRef]) -> Vec<Document<'a>> {
    let wanted: HashMap<&str, &ElementRef> = wanted.iter().map(|one| (one.as_str(), one)).collect();
    let mut documents = vec![Document::of(None)];
    // The frames that contain the current node, each with the index of the first node after it and the index of its
    // document. A frame beyond the maximum has no document.
    let mut open: Vec<(usize, Option<usize>)> = Vec::new();
    for (at, node) in snapshot.nodes().iter().enumerate() {
        while open.last().is_some_and(|(end, _)| *end <= at) {
            open.pop();
        }
        let Line::Element(element) = &node.line else {
            continue;
        };
        let attribute = |name: &str| {
            let mut all = element.attributes();
            all.find(|(known, _)| *known == name)
                .and_then(|(_, value)| value)
        };
        let Some(reference) = attribute("ref") else {
            continue;
        };
        let here = open.last().map_or(Some(0), |(_, document)| *document);
        if let (Some(here), Some(element), Some(area)) = (
            here,
            wanted.get(reference),
            attribute("box").and_then(numbers),
        ) {
            documents[here].elements.push(element);
            documents[here].boxes.push(area);
        }
        if element.role == "iframe" {
            let is_seen = documents.len() <= MAX_SEEN_FRAMES;
            open.push((node.end(), is_seen.then_some(documents.len())));
            if is_seen {
                documents.push(Document::of(Some(reference)));
            }
        }
    }
    documents
}

/// Parses four numbers separated by commas, as in `1,2,3,4`.
fn numbers(text: &str) -> Option<[f64; 4]> {
    let numbers: Vec<f64> = text
        .split(',')
        .map(|number| number.parse().ok())
        .collect::<Option<_>>()?;
    numbers.try_into().ok()
}

impl SeenScene {
    fn told(self, asked: &[Document<'_>]) -> Scene {
        let mut scene = Scene {
            url: clean(&self.url),
            ..Scene::default()
        };
        for (at, seen) in self.documents.into_iter().enumerate() {
            let Some(seen) = seen else { continue };
            let moved = |area: [f64; 4]| placed(area, seen.corner);
            let is_page = at == 0;
            if is_page {
                (scene.width, scene.height) = (whole_pixels(seen.width), whole_pixels(seen.height));
                scene.page = moved(seen.page);
            }
            let asked = asked.get(at).into_iter();
            let boxes = asked.flat_map(|asked| asked.elements.iter().zip(&asked.boxes));
            let shown = boxes.zip(&seen.seen).filter(|(_, is_seen)| **is_seen);
            scene
                .boxes
                .extend(shown.map(|((reference, area), _)| ((*reference).clone(), moved(*area))));
            let drawings = seen.drawings.iter();
            let drawn = drawings.filter_map(|one| drawing(one, seen.corner, is_page));
            scene.drawings.extend(drawn);
            scene.blank.extend(seen.blank.iter().copied().map(moved));
        }
        scene
    }
}

/// Returns the script that asks each document for its visible boxes, its drawings, and its window's position.
fn script(documents: &[Document<'_>]) -> String {
    // Serialising text to memory does not fail.
    let asked = serde_json::to_string(documents).unwrap_or_default();
    reading(&format!(
        "const look = boxes => {{
      {SCENE}
      const scene = makeScene();
      return {{
        width: innerWidth, height: innerHeight,
        seen: scene.areSeen(boxes), drawings: scene.drawings(), blank: scene.blank(), page: scene.pageBox(),
      }};
    }};
    const ask = async ({{ owner, boxes }}) => {{
      if (owner === null) return {{ corner: [0, 0], ...await page.evaluate(look, boxes) }};
      const element = typeof owner === 'string'
        ? await page.locator('aria-ref=' + owner).elementHandle({{ timeout: 2000 }}) : await owner.frameElement();
      const [frame, box, edge] = await Promise.all([
        element.contentFrame(), element.boundingBox(), element.evaluate(at => [at.clientLeft, at.clientTop]),
      ]);
      if (!box) return null;
      return {{ corner: [box.x + edge[0], box.y + edge[1]], ...await frame.evaluate(look, boxes) }};
    }};
    const late = () => new Promise(done => setTimeout(done, 3000, null));
    const inTime = one => Promise.race([ask(one).catch(() => null), late()]);
    const asked = {asked};
    // Where no element is asked for, nothing says which frames there are.
    const frames = asked.length > 1 || asked[0].boxes.length > 0 ? [] : page.frames().slice(1, {MAX_SEEN_FRAMES});
    const documents = await Promise.all([...asked, ...frames.map(owner => ({{ owner, boxes: [] }}))].map(inTime));
    return {{ scene: {{ url: page.url(), documents }} }};"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Area;

    const PAGE: &str = r#"- generic [active] [ref=e1] [box=0,0,800,600]:
  - button "Go [ref=e7] [box=9,9,9,9]" [ref=e2] [box=10,20,30,40]
  - iframe [ref=e3] [box=100,100,200,200]:
    - button "In" [ref=f1e2] [box=5,6,7,8]
  - button "Under" [ref=e4] [box=10,300,5,5]
  - button "No box" [ref=e5]"#;

    fn elements() -> Vec<ElementRef> {
        let all = ["e4", "e2", "e5", "e7", "f1e2"];
        all.map(|text| ElementRef::parse(text).unwrap()).to_vec()
    }

    #[test]
    fn a_snapshot_tells_the_boxes_of_each_document_and_no_name_can() {
        let elements = elements();
        let found = documents(&Snapshot::parse(PAGE), &elements);
        let found: Vec<_> = found
            .iter()
            .map(|one| (one.owner, one.elements.clone(), one.boxes.clone()))
            .collect();
        let page = vec![[10.0, 20.0, 30.0, 40.0], [10.0, 300.0, 5.0, 5.0]];
        assert_eq!(
            found,
            [
                (None, vec![&elements[1], &elements[0]], page),
                (Some("e3"), vec![&elements[4]], vec![[5.0, 6.0, 7.0, 8.0]]),
            ]
        );
    }

    #[test]
    fn an_element_in_a_frame_beyond_the_maximum_has_no_document() {
        let frame = |number: usize| {
            format!(
                "  - iframe [ref=e{number}] [box=0,0,9,9]:\n    - button [ref=f{number}e1] [box=1,1,2,2]\n"
            )
        };
        let frames: String = (0..=MAX_SEEN_FRAMES).map(frame).collect();
        let page = format!("- generic [ref=e99] [box=0,0,9,9]:\n{frames}");
        let wanted = ["e99", "f0e1", &format!("f{MAX_SEEN_FRAMES}e1")]
            .map(|text| ElementRef::parse(text).unwrap());
        let found = documents(&Snapshot::parse(&page), &wanted);
        assert_eq!(found.len(), MAX_SEEN_FRAMES + 1);
        assert_eq!(found[0].elements, [&wanted[0]]);
        assert_eq!(found[1].elements, [&wanted[1]]);
        assert!(found[2..].iter().all(|one| one.elements.is_empty()));
    }

    #[test]
    fn what_cannot_be_seen_has_no_box_and_what_is_in_a_frame_stands_where_the_frame_does() {
        let elements = elements();
        let asked = documents(&Snapshot::parse(PAGE), &elements);
        let json = r#"{"url":"https://a.test/","documents":[
            {"corner":[0,0],"width":800,"height":600,"seen":[true,false],"blank":[[0,0,9,9]],"page":[0,-50,800,900],
             "drawings":[["canvas",1,2,300,150,false,1],["hologram",0,0,9,9,true,0]]},
            {"corner":[102,103],"seen":[true],"drawings":[["svg",1,2,9,9,true,0]]}]}"#;
        let seen: SeenScene = serde_json::from_str(json).unwrap();
        let scene = seen.told(&asked);
        assert_eq!(
            scene.boxes,
            [
                (elements[1].clone(), Area::new(10.0, 20.0, 30.0, 40.0)),
                (elements[4].clone(), Area::new(107.0, 109.0, 7.0, 8.0)),
            ]
        );
        let drawn: Vec<_> = scene
            .drawings
            .iter()
            .map(|one| (one.area.x, one.locator.as_ref().map(ToString::to_string)))
            .collect();
        let locator = r#"css="canvas" >> nth=1"#.to_owned();
        assert_eq!(drawn, [(1.0, Some(locator)), (103.0, None)]);
        assert_eq!(
            (scene.width, scene.height, scene.blank.len(), scene.page.y),
            (800, 600, 1, -50.0)
        );
        let unasked = r#"{"url":"https://a.test/","documents":[{"width":8,"height":6},{"corner":[9,9],"drawings":[["svg",1,2,9,9,true,0]]}]}"#;
        let unasked: SeenScene = serde_json::from_str(unasked).unwrap();
        let scene = unasked.told(&asked[..1]);
        assert_eq!((scene.drawings.len(), scene.boxes.len()), (1, 0));
        let gone: SeenScene = serde_json::from_str(r#"{"documents":[null,null]}"#).unwrap();
        assert!(!gone.told(&asked).is_known());
    }
}
