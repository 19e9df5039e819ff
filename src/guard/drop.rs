//! Where a drag by a distance may drop what it drags.

use crate::page::Area;

/// Distance from an element within which a drag may still drop something on it. Unit: CSS pixels. Source: chosen; a drag may begin beside
/// the middle of what is dragged.
const MARGIN: f64 = 20.0;

/// Returns true if an element that is dragged by this distance, in CSS pixels to the right and down, may be dropped on one of the `others`.
///
/// That is also the case if the drag begins or ends outside of the window: the browser may scroll then, and the areas say nothing about the
/// end.
pub(crate) fn may_drop_on(
    others: impl IntoIterator<Item = Area>,
    dragged: Area,
    distance: (i32, i32),
    window: Area,
) -> bool {
    let (x, y) = (
        dragged.x + dragged.width / 2.0,
        dragged.y + dragged.height / 2.0,
    );
    let (to_x, to_y) = (x + f64::from(distance.0), y + f64::from(distance.1));
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

    #[test]
    fn a_drag_may_drop_on_what_is_near_its_end_or_beyond_the_window() {
        let window = Area::new(0.0, 0.0, 800.0, 600.0);
        let bin = Area::new(300.0, 100.0, 40.0, 40.0);
        let card = Area::new(90.0, 110.0, 20.0, 20.0);
        let hits = |by| may_drop_on([bin], card, by, window);
        assert!(hits((220, 0)), "in the bin");
        assert!(hits((185, 0)), "15 pixels beside it");
        assert!(!hits((170, 0)), "30 pixels beside it");
        assert!(!hits((220, 100)), "far below it");
        assert!(hits((0, 500)), "below the window");
        assert!(!may_drop_on([], card, (220, 0), window), "nothing to hit");
        let below = Area::new(90.0, 700.0, 20.0, 20.0);
        assert!(may_drop_on([bin], below, (0, -300), window), "not in view");
    }
}
