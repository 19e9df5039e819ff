//! The possible effect of the drop at the end of a [`DragBy`].

use super::{Executor, aim::judged};
use crate::{
    action::{BrowserAction, Click, DragBy, Effect, Target},
    browser::SceneRequest,
    guard::may_drop_on,
    page::ElementRef,
};

impl Executor {
    /// Returns the effect of dropping an element where the drag ends. The drop is irreversible if it may hit an element
    /// whose click would be irreversible, or if there is no page.
    pub(super) async fn drop_effect(&self, drag: &DragBy) -> Effect {
        let Some(page) = self.state.page.now() else {
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
        let scene = self.browser.scene(&request);
        let Ok(scene) = self.deadline().wait("agent.drop", scene).await else {
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
        let risky = grave.iter().filter_map(boxed);
        if may_drop_on(risky, dragged, drag, scene.window()) {
            Effect::Irreversible
        } else {
            Effect::Read
        }
    }
}
