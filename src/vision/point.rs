//! Finds the element under one or several points of a picture.

use crate::{
    action::Target,
    page::{Area, Locator, LocatorStep, Scene},
};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Under {
    /// The reference of an element, or the locator of a drawing or of the page.
    pub(crate) target: Target,
    /// The points, in the order in which they were given: distances from the left edge and the top edge of the target.
    /// Unit: CSS pixels.
    pub(crate) points: Vec<(u32, u32)>,
}

/// CSS selector of the page itself.
const PAGE: &str = "html";

/// Returns the smallest element, or drawing with a locator, that contains all of these points of the window. If there
/// is none, returns the page. Returns `None` if one of the points lies outside the page.
///
/// If an element and a drawing have an equal size, the element is returned.
pub(crate) fn under(scene: &Scene, points: &[(u32, u32)]) -> Option<Under> {
    let elements = scene
        .boxes
        .iter()
        .map(|(reference, area)| (Target::Ref(reference.clone()), area));
    let drawings = scene.drawings.iter().filter_map(|drawing| {
        let locator = drawing.locator.clone()?;
        Some((Target::Locator(locator), &drawing.area))
    });
    let has_all = |area: &Area| {
        let mut points = points.iter();
        points.all(|(x, y)| area.contains((*x).into(), (*y).into()))
    };
    let smallest = elements
        .chain(drawings)
        .filter(|(_, area)| has_all(area))
        .min_by(|(_, one), (_, other)| one.size().total_cmp(&other.size()));
    let page = || {
        let all = Some(&scene.page).filter(|page| has_all(page))?;
        Some((Target::Locator(page_locator()?), all))
    };
    let (target, area) = smallest.or_else(page)?;
    let points = points.iter().map(|point| inside(*point, area)).collect();
    Some(Under { target, points })
}

fn page_locator() -> Option<Locator> {
    Locator::new(vec![LocatorStep::Css(PAGE.to_owned())]).ok()
}

/// Returns the distances of a point inside an area from the area's left edge and top edge. The point is given by its
/// place in the window.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it lies inside, so no distance is negative or larger than the point's own"
)]
fn inside((x, y): (u32, u32), area: &Area) -> (u32, u32) {
    let distance = |at: u32, from: f64| (f64::from(at) - from).max(0.0).floor() as u32;
    (distance(x, area.x), distance(y, area.y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Drawing, DrawingKind, ElementRef};

    fn scene() -> Scene {
        let mut scene = Scene::new("https://a.example/", 800, 600);
        for (reference, area) in [
            ("e1", Area::new(0.0, 0.0, 800.0, 400.0)),
            ("e2", Area::new(100.0, 50.0, 300.0, 150.0)),
            ("e3", Area::new(120.5, 60.0, 20.0, 20.0)),
            ("e4", Area::new(-50.0, 300.0, 200.0, 50.0)),
        ] {
            scene
                .boxes
                .push((ElementRef::parse(reference).unwrap(), area));
        }
        let locator = Locator::parse("css=\"canvas\" >> nth=0").unwrap();
        let area = Area::new(500.0, 100.0, 200.0, 200.0);
        let canvas = Drawing::new(DrawingKind::Canvas, area, false).with_locator(locator);
        let same = Drawing::new(DrawingKind::Svg, scene.boxes[1].1, false);
        scene.drawings.extend([canvas, same]);
        scene.page = Area::new(0.0, -200.0, 800.0, 1_000.0);
        scene.blank.push(Area::new(10.0, 450.0, 40.0, 40.0));
        scene
    }

    fn on(points: &[(u32, u32)]) -> Option<(String, Vec<(u32, u32)>)> {
        under(&scene(), points).map(|under| (under.target.to_string(), under.points))
    }

    #[test]
    fn a_point_lies_on_the_smallest_thing_that_has_it() {
        assert_eq!(on(&[(10, 10)]), Some(("e1".to_owned(), vec![(10, 10)])));
        assert_eq!(on(&[(300, 60)]), Some(("e2".to_owned(), vec![(200, 10)])));
        assert_eq!(on(&[(131, 70)]), Some(("e3".to_owned(), vec![(10, 10)])));
        assert_eq!(
            on(&[(20, 310)]),
            Some(("e4".to_owned(), vec![(70, 10)])),
            "its corner is scrolled out"
        );
        let canvas = "css=\"canvas\" >> nth=0".to_owned();
        assert_eq!(on(&[(510, 120)]), Some((canvas, vec![(10, 20)])));
        assert_eq!(
            on(&[(30, 460)]),
            Some(("css=\"html\"".to_owned(), vec![(30, 660)]))
        );
        assert_eq!(on(&[(801, 10)]), None);
    }

    #[test]
    fn two_points_lie_on_what_has_both() {
        assert_eq!(
            on(&[(125, 65), (350, 150)]),
            Some(("e2".to_owned(), vec![(25, 15), (250, 100)]))
        );
        assert_eq!(on(&[(125, 65), (510, 120)]).unwrap().0, "e1");
    }
}
