//! Tells whether a drag by a distance may drop the dragged element on another element.

use crate::{action::DragBy, page::Area};

/// Distance from an element within which a drag may still drop something on it. Unit: CSS pixels. Source: chosen; a drag may begin beside
/// the middle of what is dragged.
const MARGIN: f64 = 20.0;

/// Returns true if a drag may drop the element with the area `dragged` on one of the `others`.
///
/// That is also the case if the drag begins or ends outside of the window: the browser may scroll then, and the areas say nothing about the
/// end.
pub(crate) fn may_drop_on(
    others: impl IntoIterator<Item = Area>,
    dragged: Area,
    drag: &DragBy,
    window: Area,
) -> bool {
    let (from_x, from_y) = drag.start(dragged.width, dragged.height);
    let (x, y) = (dragged.x + from_x, dragged.y + from_y);
    let (to_x, to_y) = (x + f64::from(drag.x), y + f64::from(drag.y));
    if !window.contains(x, y) || !window.contains(to_x, to_y) {
        return true;
    }
    others.into_iter().any(|area| {
        let wider = Area::new(
            area.x - MARGIN,
            area.y - MARGIN,
            area.width + 2.0 * MARGIN,
            area.height + 2.0 * MARGIN,
        );
        wider.contains(to_x, to_y)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{action::Target, page::ElementRef};

    fn drag((x, y): (i32, i32)) -> DragBy {
        DragBy::new(Target::Ref(ElementRef::parse("e1").unwrap()), x, y)
    }

    #[test]
    fn a_drag_may_drop_on_what_is_near_its_end_or_beyond_the_window() {
        let window = Area::new(0.0, 0.0, 800.0, 600.0);
        let bin = Area::new(300.0, 100.0, 40.0, 40.0);
        let card = Area::new(90.0, 110.0, 20.0, 20.0);
        let hits = |by| may_drop_on([bin], card, &drag(by), window);
        assert!(hits((220, 0)), "in the bin");
        assert!(hits((185, 0)), "15 pixels beside it");
        assert!(!hits((170, 0)), "30 pixels beside it");
        assert!(!hits((220, 100)), "far below it");
        assert!(hits((0, 500)), "below the window");
        let edge = DragBy {
            from_x: Some(0),
            ..drag((185, 0))
        };
        assert!(
            !may_drop_on([bin], card, &edge, window),
            "from its left edge"
        );
        assert!(
            !may_drop_on([], card, &drag((220, 0)), window),
            "nothing to hit"
        );
        let below = Area::new(90.0, 700.0, 20.0, 20.0);
        assert!(
            may_drop_on([bin], below, &drag((0, -300)), window),
            "not in view"
        );
    }
}
