//! Draws marks into a screenshot. A mark is an outline around an element, with the element's reference as its label.
//! The label is left out if there is no free place for it.

use std::collections::HashSet;

use super::{
    glyphs,
    raster::{Colour, Raster},
};
use crate::page::{Area, ElementRef, Scene};

/// Maximum number of elements that are marked in a screenshot. The first ones are marked. Source: chosen; more marks
/// would cover the elements.
const MAX_MARKS: usize = 120;
/// Width and height of one dot of a letter. Unit: pixels. Source: chosen; the letters then have 10 by 14 pixels and
/// stay readable if a provider halves the size of the picture.
const DOT: u32 = 2;
/// Width of an outline, and also of the space around the letters of a label. Unit: pixels.
const LINE: i64 = 2;
/// Colours of the marks, used in turn. All are dark enough for white letters. Source: chosen.
const COLOURS: [Colour; 6] = [
    [200, 0, 0],
    [0, 90, 200],
    [0, 120, 40],
    [150, 0, 150],
    [160, 80, 0],
    [0, 110, 120],
];
const WHITE: Colour = [255; 3];

/// A rectangle of whole pixels: left, top, width, height.
type Rect = (i64, i64, i64, i64);

/// Returns a screenshot with marks on the first [`MAX_MARKS`] of the elements in `told` that are at least partly in the
/// window. If the scene is known, the screenshot is scaled to the size of the window. Returns `None` if the bytes are not
/// a PNG that can be read.
pub(crate) fn marked(png: &[u8], scene: &Scene, told: &HashSet<&ElementRef>) -> Option<Vec<u8>> {
    let picture = Raster::read(png)?;
    let mut picture = if scene.is_known() {
        picture.fitted(scene.width, scene.height)
    } else {
        picture
    };
    draw(&mut picture, scene, told);
    picture.write()
}

fn draw(picture: &mut Raster, scene: &Scene, told: &HashSet<&ElementRef>) {
    let window = scene.window();
    let marks: Vec<(&str, Rect, Colour)> = scene
        .boxes
        .iter()
        .filter(|(reference, _)| told.contains(reference))
        .filter_map(|(reference, area)| Some((reference.as_str(), rect(area.within(&window)?))))
        .zip(COLOURS.into_iter().cycle())
        .take(MAX_MARKS)
        .map(|((reference, rect), colour)| (reference, rect, colour))
        .collect();
    for (_, (x, y, width, height), colour) in &marks {
        let (x, y, width, height) = (*x, *y, *width, *height);
        for (at, size) in [
            ((x, y), (width, LINE)),
            ((x, y + height - LINE), (width, LINE)),
            ((x, y), (LINE, height)),
            ((x + width - LINE, y), (LINE, height)),
        ] {
            picture.fill(at, size, *colour);
        }
    }
    // Labels are drawn last and never overlap, because an unreadable reference is worse than none.
    let all = (
        0,
        0,
        i64::from(picture.width()),
        i64::from(picture.height()),
    );
    let shapes = scene.drawings.iter().map(|drawing| &drawing.area);
    let shapes = shapes.chain(&scene.blank);
    let shapes: Vec<Rect> = shapes
        .filter_map(|area| area.within(&window).map(rect))
        .collect();
    let mut taken: Vec<Rect> = Vec::with_capacity(marks.len());
    for (reference, around, colour) in &marks {
        let size = label_size(reference);
        let is_free =
            |place: &Rect| is_in(*place, all) && !taken.iter().any(|other| meet(*place, *other));
        // The elements and shapes that the label would hide, except those that the marked element stands on.
        let others = marks.iter().map(|(_, other, _)| other).chain(&shapes);
        let hidden = |place: &Rect| {
            let others = others.clone().filter(|other| !is_in(*around, **other));
            others.filter(|other| meet(*place, **other)).count()
        };
        let free = places(*around, size).into_iter().filter(is_free);
        if let Some(place) = free.min_by_key(hidden) {
            taken.push(place);
            label(picture, reference, place, *colour);
        }
    }
}

/// Returns the places where the label of an element may be drawn, the best place first. The arguments are the box of
/// the element, and the width and height of the label.
fn places((x, y, width, height): Rect, (across, down): (i64, i64)) -> [Rect; 8] {
    let (right, bottom) = (x + width, y + height);
    [
        (x, y - down),
        (x, bottom),
        (right - across, y - down),
        (right - across, bottom),
        (x - across, y),
        (right, y),
        (x, y),
        (right - across, bottom - down),
    ]
    .map(|(x, y)| (x, y, across, down))
}

fn label_size(text: &str) -> (i64, i64) {
    let letters = i64::try_from(text.chars().count()).unwrap_or_default();
    let dots = letters * i64::from(glyphs::WIDTH + 1) - 1;
    (
        dots * i64::from(DOT) + 2 * LINE,
        i64::from(glyphs::HEIGHT * DOT) + 2 * LINE,
    )
}

fn label(picture: &mut Raster, text: &str, (x, y, width, height): Rect, colour: Colour) {
    picture.fill((x, y), (width, height), colour);
    let dot = i64::from(DOT);
    for (letter, place) in text.chars().zip(0..) {
        let left = x + LINE + place * i64::from(glyphs::WIDTH + 1) * dot;
        for (row, down) in glyphs::rows(letter).into_iter().zip(0..) {
            for across in 0..i64::from(glyphs::WIDTH) {
                if row >> (i64::from(glyphs::WIDTH) - 1 - across) & 1 == 1 {
                    let at = (left + across * dot, y + LINE + down * dot);
                    picture.fill(at, (dot, dot), WHITE);
                }
            }
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "it lies in a window, whose size is a 32-bit number"
)]
fn rect(area: Area) -> Rect {
    let (x, y) = (area.x.round() as i64, area.y.round() as i64);
    let (right, bottom) = (
        (area.x + area.width).round() as i64,
        (area.y + area.height).round() as i64,
    );
    (x, y, right - x, bottom - y)
}

const fn is_in(inner: Rect, outer: Rect) -> bool {
    inner.0 >= outer.0
        && inner.1 >= outer.1
        && inner.0 + inner.2 <= outer.0 + outer.2
        && inner.1 + inner.3 <= outer.1 + outer.3
}

const fn meet(one: Rect, other: Rect) -> bool {
    one.0 < other.0 + other.2
        && other.0 < one.0 + one.2
        && one.1 < other.1 + other.3
        && other.1 < one.1 + one.3
}

#[cfg(test)]
mod tests {
    use super::*;

    const GREY: Colour = [120; 3];

    fn scene(boxes: &[(&str, Area)]) -> Scene {
        let mut scene = Scene::new("https://a.example/", 120, 90);
        for (reference, area) in boxes {
            scene
                .boxes
                .push((ElementRef::parse(reference).unwrap(), *area));
        }
        scene
    }

    fn drawn(scene: &Scene, width: u32, height: u32) -> Raster {
        let png = Raster::plain(width, height, GREY).write().unwrap();
        let told = scene.boxes.iter().map(|(reference, _)| reference).collect();
        Raster::read(&marked(&png, scene, &told).unwrap()).unwrap()
    }

    /// Returns a part of the picture as lines of text, with `#` for each white dot.
    fn letters(picture: &Raster, (x, y): (u32, u32), (width, height): (u32, u32)) -> Vec<String> {
        let row = |y| {
            let dot = |x| match picture.pixel(x, y) {
                Some(WHITE) => '#',
                _ => '.',
            };
            (0..width).map(|at| dot(x + at * DOT)).collect()
        };
        (0..height).map(|at| row(y + at * DOT)).collect()
    }

    #[test]
    fn an_element_is_outlined_where_it_stands_and_stays_as_it_is_inside() {
        let picture = drawn(
            &scene(&[("e7", Area::new(30.4, 40.0, 50.0, 30.0))]),
            120,
            90,
        );
        let colour = COLOURS[0];
        for (x, y) in [(30, 40), (79, 40), (30, 69), (79, 69), (31, 55), (55, 68)] {
            assert_eq!(picture.pixel(x, y), Some(colour), "{x} {y}");
        }
        for (x, y) in [(32, 42), (77, 67), (55, 55), (29, 55), (80, 55), (55, 70)] {
            assert_eq!(picture.pixel(x, y), Some(GREY), "{x} {y}");
        }
    }

    #[test]
    fn its_reference_can_be_read_at_its_corner() {
        let picture = drawn(
            &scene(&[("e12", Area::new(30.0, 40.0, 50.0, 30.0))]),
            120,
            90,
        );
        // The label is above the top left corner: 18 pixels high, with a margin of 2.
        let expected = [
            "........#....###.",
            ".......##...#...#",
            ".###....#.......#",
            "#...#...#.....##.",
            "#####...#....#...",
            "#.......#...#....",
            ".###...###..#####",
        ];
        assert_eq!(letters(&picture, (32, 24), (17, 7)), expected);
    }

    #[test]
    fn no_two_labels_stand_over_each_other_and_none_outside() {
        let corner = scene(&[
            ("e1", Area::new(0.0, 0.0, 40.0, 40.0)),
            ("e2", Area::new(0.0, 0.0, 40.0, 40.0)),
            ("e3", Area::new(200.0, 0.0, 40.0, 40.0)),
        ]);
        let picture = drawn(&corner, 120, 90);
        for (x, y, colour) in [(1, 41, COLOURS[0]), (41, 1, COLOURS[1])] {
            assert_eq!(picture.pixel(x, y), Some(colour), "above is outside");
        }
        assert_eq!(
            picture.pixel(27, 41),
            Some(GREY),
            "the first is as wide as two letters"
        );
        assert!(
            (0..90).all(|y| (0..120).all(|x| picture.pixel(x, y) != Some(COLOURS[2]))),
            "what is not in the window has no mark"
        );
    }

    #[test]
    fn a_label_stands_where_it_hides_no_other_element_or_shape() {
        let mut full = scene(&[
            ("e1", Area::new(30.0, 40.0, 50.0, 10.0)),
            // The element around it, and its neighbour above.
            ("e2", Area::new(0.0, 0.0, 120.0, 90.0)),
            ("e3", Area::new(30.0, 20.0, 50.0, 18.0)),
        ]);
        let below = (31, 51);
        let colour = Some(COLOURS[0]);
        assert_eq!(drawn(&full, 120, 90).pixel(below.0, below.1), colour);
        // With a shape below too, the label stands beside it.
        full.blank.push(Area::new(30.0, 52.0, 50.0, 20.0));
        let picture = drawn(&full, 120, 90);
        assert_ne!(picture.pixel(below.0, below.1), colour);
        assert_eq!(picture.pixel(29, 41), colour);
    }

    #[test]
    fn an_element_that_no_line_tells_of_has_no_mark() {
        let scene = scene(&[("e1", Area::new(30.0, 40.0, 50.0, 30.0))]);
        let png = Raster::plain(120, 90, GREY).write().unwrap();
        let picture = marked(&png, &scene, &HashSet::new()).unwrap();
        let plain = Raster::read(&png).unwrap();
        assert_eq!(Raster::read(&picture).unwrap(), plain);
    }

    #[test]
    fn marks_stand_in_pixels_of_the_window_whatever_the_screen() {
        let boxes = scene(&[("e1", Area::new(30.0, 40.0, 50.0, 30.0))]);
        let dense = drawn(&boxes, 240, 180);
        assert_eq!((dense.width(), dense.height()), (120, 90));
        assert_eq!(dense, drawn(&boxes, 120, 90));
    }

    #[test]
    fn what_is_no_picture_stays_without_marks() {
        assert_eq!(marked(b"scripted", &scene(&[]), &HashSet::new()), None);
    }
}
