//! Decides whether a drag over a given distance may drop the dragged element on another element.

use crate::{action::DragBy, page::Area};

/// Distance from an element within which a drag may still drop something on it. Unit: CSS pixels. Source: chosen; a
/// drag may begin beside the middle of the dragged element.
const MARGIN: f64 = 20.0;

/// Returns true if a drag may drop the element with the area `dragged` on one of the `others`.
///
/// Without a start point, a drag may begin at any point of the dragged element, so it may also end at any point of the
/// element's area moved by the distance of the drag. The result is also true if the drag may begin or end outside the
/// window, because the browser may then scroll.
pub(crate) fn may_drop_on(
    others: impl IntoIterator<Item = Area>,
    dragged: Area,
    drag: &DragBy,
    window: Area,
) -> bool {
    let starts = if drag.from_x.is_none() && drag.from_y.is_none() {
        dragged
    } else {
        let (from_x, from_y) = drag.start(dragged.width, dragged.height);
        Area::new(dragged.x + from_x, dragged.y + from_y, 0.0, 0.0)
    };
    let ends = Area {
        x: starts.x + f64::from(drag.x),
        y: starts.y + f64::from(drag.y),
        ..starts
    };
    !window.covers(&starts)
        || !window.covers(&ends)
        || others.into_iter().any(|area| {
            let wider = Area::new(
                area.x - MARGIN,
                area.y - MARGIN,
                area.width + 2.0 * MARGIN,
                area.height + 2.0 * MARGIN,
            );
            wider.touches(&ends)
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
    fn a_drag_may_drop_on_what_is_near_any_of_its_ends_or_beyond_the_window() {
        let window = Area::new(0.0, 0.0, 800.0, 600.0);
        let bin = Area::new(300.0, 100.0, 40.0, 40.0);
        let card = Area::new(90.0, 110.0, 20.0, 20.0);
        let hits = |by| may_drop_on([bin], card, &drag(by), window);
        assert!(hits((220, 0)), "in the bin");
        assert!(hits((175, 0)), "15 pixels beside it");
        assert!(!hits((165, 0)), "25 pixels beside it");
        assert!(!hits((220, 100)), "far below it");
        assert!(hits((0, 480)), "below the window");
        let hidden = may_drop_on([], card, &drag((0, 480)), window);
        assert!(hidden, "on what is below the window and has no area");
        assert!(!may_drop_on([], card, &drag((220, 0)), window));
        // A card of which only a part is in the window begins its drag in the middle of that part.
        let tall = Area::new(90.0, -400.0, 20.0, 900.0);
        assert!(may_drop_on([bin], tall, &drag((0, -100)), window));
        let edge = |from_x| DragBy {
            from_x: Some(from_x),
            ..drag((175, 0))
        };
        assert!(!may_drop_on([bin], card, &edge(0), window), "its left edge");
        assert!(
            may_drop_on([bin], card, &edge(19), window),
            "its right edge"
        );
    }
}
