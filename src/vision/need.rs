//! Decides whether the model needs a picture of a page. It needs one if the tree of the page says too little about what
//! the page shows.

use crate::page::{DrawingKind, Element, ElementRef, Role, Scene};

/// Minimum size of a canvas or a video that may be the content of a page. Unit: square CSS pixels. Source: chosen, 48
/// by 48 pixels; a smaller canvas is an icon or a tiny chart.
const MIN_CANVAS: f64 = 2_304.0;
/// Minimum size of an SVG drawing that may be the content of a page. Unit: square CSS pixels. Source: chosen, 100 by
/// 100 pixels; icons are smaller.
const MIN_SVG: f64 = 10_000.0;
/// Share of the window that an image without a name must fill so that it may be the content of a page. Source: chosen;
/// pictures of products and people fill less.
const MIN_IMAGE_SHARE: f64 = 0.2;
/// Minimum number of elements without a name at which a picture is needed. Source: chosen; a single element without a
/// name can be recognised by its position.
const MIN_NAMELESS: usize = 2;
/// Minimum number of empty boxes that may be the fields of a game board. Source: chosen; if there are fewer, they are
/// separators and bars.
const MIN_BLANK: usize = 6;

/// The reason why the tree of a page says too little, so that a picture is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lack {
    /// The page shows a large drawing that no words describe.
    Drawing,
    /// The page has several elements without a name.
    Nameless,
    /// The page has more empty boxes than elements, as a game board has.
    Blank,
}

/// Returns the references of the first `max` elements without a name. These are the only elements whose positions
/// [`lack`] needs.
pub(crate) fn nameless(elements: &[Element], max: usize) -> Vec<ElementRef> {
    let nameless = elements.iter().filter(|one| is_nameless(one));
    nameless
        .filter_map(|one| one.reference.clone())
        .take(max)
        .collect()
}

/// Returns the first reason why a picture of a page is needed; `None` if no picture is needed.
///
/// If the scene (the places of elements and drawings in the window) is unknown, only the names of the elements are
/// judged.
pub(crate) fn lack(elements: &[Element], scene: &Scene) -> Option<Lack> {
    let window = scene.window();
    let is_needed = |kind: DrawingKind, size: f64| match kind {
        DrawingKind::Canvas | DrawingKind::Video => size >= MIN_CANVAS,
        DrawingKind::Svg => size >= MIN_SVG,
        DrawingKind::Image => size >= window.size() * MIN_IMAGE_SHARE,
    };
    let mut unnamed = scene.drawings.iter().filter(|drawing| !drawing.named);
    let is_drawn = unnamed.any(|drawing| {
        let part = drawing.area.within(&window);
        part.is_some_and(|part| is_needed(drawing.kind, part.size()))
    });
    if is_drawn {
        return Some(Lack::Drawing);
    }
    let is_shown = |element: &&Element| {
        let reference = element.reference.as_ref();
        !scene.is_known()
            || reference.is_some_and(|wanted| scene.boxes.iter().any(|(known, _)| known == wanted))
    };
    let nameless = elements.iter().filter(|one| is_nameless(one));
    if nameless.filter(is_shown).count() >= MIN_NAMELESS {
        return Some(Lack::Nameless);
    }
    let is_board = scene.blank.len() >= MIN_BLANK && scene.blank.len() > elements.len();
    is_board.then_some(Lack::Blank)
}

/// Returns true if an element has no words of its own that say what it is for. Returns false for elements whose content
/// or state identifies them, such as text fields and check boxes.
fn is_nameless(element: &Element) -> bool {
    let says = |text: &str| text.chars().any(char::is_alphanumeric);
    !says(&element.label)
        && !element.role.is_editable()
        && !matches!(
            element.role,
            Role::Checkbox | Role::Radio | Role::Switch | Role::Slider | Role::ListBox
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Area, Drawing, Node, PageHead, Tree, ViewOptions, interpret};

    fn elements(named: &[(Role, &str)]) -> Vec<Element> {
        let mut page = Tree::builder();
        for (number, (role, name)) in named.iter().enumerate() {
            let reference = ElementRef::parse(&format!("e{}", number + 1)).unwrap();
            page.leaf(Node::new(role.clone(), *name).with_ref(reference));
        }
        let head = PageHead::new("https://a.example/", "A");
        interpret(&head, &page.finish(), &ViewOptions::default()).elements
    }

    /// Returns a scene with these drawings, and with the first `seen` elements in the window. Each drawing is given as
    /// its kind, its width, its height, and true if it has a name.
    fn scene(seen: usize, drawings: &[(DrawingKind, f64, f64, bool)]) -> Scene {
        let mut scene = Scene::new("https://a.example/", 1_000, 800);
        for number in 1..=seen {
            let reference = ElementRef::parse(&format!("e{number}")).unwrap();
            let area = Area::new(0.0, 0.0, 20.0, 20.0);
            scene.boxes.push((reference, area));
        }
        for (kind, width, height, named) in drawings {
            let area = Area::new(10.0, 10.0, *width, *height);
            scene.drawings.push(Drawing::new(*kind, area, *named));
        }
        scene
    }

    #[test]
    fn a_form_with_names_needs_no_picture() {
        let form = elements(&[
            (Role::TextBox, "User"),
            (Role::TextBox, ""),
            (Role::Checkbox, ""),
            (Role::Checkbox, ""),
            (Role::Button, "Go"),
        ]);
        assert_eq!(lack(&form, &scene(5, &[])), None);
        assert_eq!(lack(&form, &Scene::default()), None);
        let decorated = [
            (DrawingKind::Svg, 24.0, 24.0, false),
            (DrawingKind::Svg, 400.0, 300.0, true),
            (DrawingKind::Image, 300.0, 300.0, false),
            (DrawingKind::Canvas, 40.0, 16.0, false),
            (DrawingKind::Canvas, 300.0, 150.0, true),
        ];
        assert_eq!(lack(&form, &scene(5, &decorated)), None);
    }

    #[test]
    fn a_large_drawing_without_words_needs_one() {
        for (kind, width, height) in [
            (DrawingKind::Canvas, 300.0, 150.0),
            (DrawingKind::Svg, 160.0, 160.0),
            (DrawingKind::Image, 600.0, 400.0),
            (DrawingKind::Video, 320.0, 180.0),
        ] {
            let drawn = scene(1, &[(kind, width, height, false)]);
            let page = elements(&[(Role::Button, "Submit")]);
            assert_eq!(lack(&page, &drawn), Some(Lack::Drawing), "{kind:?}");
        }
        let mut below = scene(1, &[]);
        let area = Area::new(0.0, 900.0, 300.0, 150.0);
        below
            .drawings
            .push(Drawing::new(DrawingKind::Canvas, area, false));
        assert_eq!(lack(&[], &below), None, "it is not in the window");
    }

    #[test]
    fn several_icons_without_a_name_need_one_where_they_are_seen() {
        let icons = elements(&[(Role::Button, ""), (Role::Link, "Home"), (Role::Button, "")]);
        assert_eq!(lack(&icons, &scene(3, &[])), Some(Lack::Nameless));
        assert_eq!(lack(&icons, &Scene::default()), Some(Lack::Nameless));
        assert_eq!(lack(&icons, &scene(1, &[])), None, "only one is seen");
        let wanted = nameless(&icons, 10);
        let wanted: Vec<_> = wanted.iter().map(ElementRef::as_str).collect();
        assert_eq!(wanted, ["e1", "e3"]);
    }

    #[test]
    fn a_board_of_empty_boxes_needs_one() {
        let page = elements(&[(Role::Button, "Done")]);
        let mut board = scene(1, &[]);
        board.blank = vec![Area::default(); 64];
        assert_eq!(lack(&page, &board), Some(Lack::Blank));
        board.blank.truncate(3);
        assert_eq!(lack(&page, &board), None);
        let many: Vec<_> = (0..20).map(|_| (Role::Button, "Go")).collect();
        let mut bars = scene(20, &[]);
        bars.blank = vec![Area::default(); 8];
        assert_eq!(lack(&elements(&many), &bars), None);
    }
}
