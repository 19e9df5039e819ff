//! What can be seen in the window, and where: one script asks the elements and the page.

use serde::Deserialize;

use super::{
    driver::{PlaywrightCli, Scripted},
    scripts::reading,
};
use crate::{
    base::{Result, text::clean},
    browser::{
        COMMAND_TIMEOUT, SCENE, SceneRequest,
        rules::{SeenDrawing, drawing, whole_pixels},
    },
    page::{Area, ElementRef, Scene},
};

/// Most elements whose boxes are asked for, the first ones. Unit: elements. Source: chosen; each takes the tool a millisecond or more.
const MAX_ASKED: usize = 300;

/// Most frames whose drawings are asked for. Unit: frames. Source: chosen.
const MAX_FRAMES: usize = 20;

/// What the script tells.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SeenScene {
    url: String,
    width: f64,
    height: f64,
    /// Of each element asked about, left, top, width and height; `None` if it cannot be seen or is gone.
    boxes: Vec<Option<[f64; 4]>>,
    drawings: Vec<SeenDrawing>,
    blank: Vec<[f64; 4]>,
    page: [f64; 4],
}

impl PlaywrightCli {
    /// What can be seen in the window, with the boxes of these elements.
    pub(super) async fn look_around(&self, request: &SceneRequest) -> Result<Scene> {
        let mut state = self.state("browser.scene").await?;
        let asked = &request.elements[..request.elements.len().min(MAX_ASKED)];
        let answer = self
            .script(&mut state, script(asked), COMMAND_TIMEOUT)
            .await?;
        let seen = match answer {
            Scripted::Returned(returned) => returned.scene,
            _ => None,
        };
        Ok(seen.map_or_else(Scene::default, |seen| seen.told(asked)))
    }
}

impl SeenScene {
    fn told(self, asked: &[ElementRef]) -> Scene {
        let (width, height) = (whole_pixels(self.width), whole_pixels(self.height));
        let mut scene = Scene::new(clean(&self.url), width, height);
        let window = scene.window();
        let area = |[x, y, width, height]: [f64; 4]| Area::new(x, y, width, height);
        let boxes = asked.iter().zip(self.boxes);
        scene.boxes = boxes
            .filter_map(|(reference, told)| {
                let area = area(told?);
                area.within(&window).map(|_| (reference.clone(), area))
            })
            .collect();
        scene.drawings = self
            .drawings
            .iter()
            .filter_map(|seen| drawing(seen, true))
            .collect();
        scene.blank = self.blank.into_iter().map(area).collect();
        scene.page = area(self.page);
        scene
    }
}

/// Asks elements where they stand in the page's window, and the page what is drawn there.
fn script(asked: &[ElementRef]) -> String {
    let references: Vec<&str> = asked.iter().map(ElementRef::as_str).collect();
    // Writing texts to memory does not fail.
    let references = serde_json::to_string(&references).unwrap_or_default();
    reading(&format!(
        "const isSeen = element => {{
      {SCENE}
      return makeScene().boxOf(element) !== null;
    }};
    const around = () => {{
      {SCENE}
      const scene = makeScene();
      return {{ width: innerWidth, height: innerHeight, drawings: scene.drawings(), blank: scene.blank(), page: scene.pageBox() }};
    }};
    const ask = async reference => {{
      const element = page.locator('aria-ref=' + reference);
      const [seen, box] = await Promise.all([element.evaluate(isSeen, null, {{ timeout: 2000 }}), element.boundingBox({{ timeout: 2000 }})]);
      return seen && box ? [box.x, box.y, box.width, box.height] : null;
    }};
    const late = new Promise(done => setTimeout(done, 3000, []));
    const asked = {references};
    const boxes = await Promise.race([Promise.all(asked.map(reference => ask(reference).catch(() => null))), late]);
    const found = await Promise.race([page.evaluate(around).catch(() => ({{}})), late]);
    // A frame in a frame is where its element is in the page's window.
    const askFrame = async frame => {{
      const owner = await frame.frameElement();
      const [box, edge] = await Promise.all([owner.boundingBox(), owner.evaluate(at => [at.clientLeft, at.clientTop])]);
      if (!box) return [];
      const {{ drawings }} = await frame.evaluate(around);
      return drawings.map(([tag, x, y, width, height, isNamed]) => [tag, x + box.x + edge[0], y + box.y + edge[1], width, height, isNamed, -1]);
    }};
    const frames = page.frames().filter(frame => frame !== page.mainFrame()).slice(0, {MAX_FRAMES});
    const inFrames = await Promise.race([Promise.all(frames.map(frame => askFrame(frame).catch(() => []))), late]);
    return {{ scene: {{ url: page.url(), boxes, ...found, drawings: [...found.drawings || [], ...inFrames.flat()] }} }};"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_has_no_box_and_what_is_drawn_a_locator() {
        let json = r#"{"url":"https://a.test/","width":800,"height":600,"blank":[[0,0,9,9]],"page":[0,-50,800,900],
            "boxes":[[10,20,30.5,40],null,[10,900,5,5]],
            "drawings":[["canvas",1,2,300,150,false,1],["svg",0,0,9,9,true,-1],["img",0,0,9,9,true,3],["hologram",0,0,9,9,true,-1]]}"#;
        let seen: SeenScene = serde_json::from_str(json).unwrap();
        let refs = ["e1", "e2", "f1e3"].map(|text| ElementRef::parse(text).unwrap());
        let scene = seen.told(&refs);
        assert_eq!(
            scene.boxes,
            [(refs[0].clone(), Area::new(10.0, 20.0, 30.5, 40.0))]
        );
        let locators: Vec<_> = scene
            .drawings
            .iter()
            .map(|one| one.locator.as_ref().map(ToString::to_string))
            .collect();
        assert_eq!(
            locators,
            [
                Some(r#"css="canvas" >> nth=1"#.to_owned()),
                None,
                Some(r#"css="img" >> nth=3"#.to_owned())
            ]
        );
        assert_eq!(
            (scene.width, scene.height, scene.blank.len(), scene.page.y),
            (800, 600, 1, -50.0)
        );
    }
}
