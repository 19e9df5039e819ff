//! The effect that the end of a drag by a distance may have.

use tokio::time::timeout;

use super::{Executor, aim::judged};
use crate::{
    BrowserDriver,
    action::{BrowserAction, Click, DragBy, Effect, Target},
    browser::SceneRequest,
    page::{Area, ElementRef},
};

/// Distance from an element within which a drag may still drop something on it. Unit: CSS pixels. Source: chosen; a drag may begin beside
/// the middle of what is dragged.
const MARGIN: f64 = 20.0;

impl<B: BrowserDriver> Executor<'_, B> {
    /// Returns the effect of dropping an element where the drag ends. It is irreversible if the dragged element may be dropped on an element
    /// whose click would be, or if that is not known.
    pub(super) async fn drop_effect(&self, drag: &DragBy) -> Effect {
        let Some(page) = &self.state.page else {
            return Effect::Irreversible;
        };
        let is_grave = |reference: &ElementRef| {
            let click = BrowserAction::Click(Click {
                target: Target::Ref(reference.clone()),
                button: None,
            });
            judged(&click, Some(page)) == Effect::Irreversible
        };
        let elements = page.view.elements.iter();
        let references = elements.filter_map(|element| element.reference.clone());
        let grave: Vec<ElementRef> = references.filter(is_grave).collect();
        if grave.is_empty() {
            return Effect::Read;
        }
        let Target::Ref(start) = &drag.target else {
            return Effect::Irreversible;
        };
        let request = SceneRequest::new(grave.iter().chain([start]).cloned().collect());
        let limit = self.parts.options.command_timeout;
        let Ok(Ok(scene)) = timeout(limit, self.parts.browser.scene(&request)).await else {
            return Effect::Irreversible;
        };
        let boxed = |wanted: &ElementRef| {
            let mut boxes = scene.boxes.iter();
            boxes
                .find(|(known, _)| known == wanted)
                .map(|(_, area)| *area)
        };
        let Some(dragged) = boxed(start) else {
            return Effect::Irreversible;
        };
        let (x, y) = (
            dragged.x + dragged.width / 2.0,
            dragged.y + dragged.height / 2.0,
        );
        let (to_x, to_y) = (x + f64::from(drag.x), y + f64::from(drag.y));
        let window = scene.window();
        if !window.contains(x, y) || !window.contains(to_x, to_y) {
            // The browser may scroll, so the boxes say nothing about the end.
            return Effect::Irreversible;
        }
        let near = |area: Area| {
            let wider = Area::new(
                area.x - MARGIN,
                area.y - MARGIN,
                area.width + 2.0 * MARGIN,
                area.height + 2.0 * MARGIN,
            );
            wider.contains(to_x, to_y)
        };
        if grave.iter().filter_map(boxed).any(near) {
            Effect::Irreversible
        } else {
            Effect::Read
        }
    }
}
