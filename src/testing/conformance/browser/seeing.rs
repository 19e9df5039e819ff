//! Checks of pictures. A scene (the boxes of the elements in the window) must agree with the picture of the page, and
//! clicks at points of the picture must work.

use super::{
    Found,
    bed::{Bed, click, said},
    checks, ensure,
};
use crate::{
    action::{
        BrowserAction, ClickXy, DragXy, ErrorClass, HoverXy, Scroll, ScrollDirection, Target,
    },
    browser::{SceneRequest, ScreenshotRequest},
    page::{Area, DrawingKind, ElementRef, Role, Scene},
    vision::{Raster, under},
};

checks! {
    a_scene_tells_where_the_picture_shows_elements needs [Screenshot],
    what_no_words_describe_is_told_by_its_look needs [Click],
    points_of_a_picture_are_clicked needs [Screenshot, ClickXy],
    points_of_a_drawing_are_dragged needs [Screenshot, DragXy],
    the_pointer_moves_to_a_point_of_a_drawing needs [Screenshot, HoverXy],
}

/// The colour of the blue button on the suite's page `sight`. The colours below are those of the green button and the
/// red rectangle. Unit: red, green and blue, each from 0 to 255.
const BLUE: [u8; 3] = [0, 0, 250];
const GREEN: [u8; 3] = [0, 120, 60];
const RED: [u8; 3] = [250, 0, 0];

/// Returns the scene of the current page and a picture of the page. The scene contains the boxes of those elements that
/// have a reference and can be seen in the window. The picture is scaled to the size of the scene's window.
async fn look(bed: &Bed<'_>) -> Result<(Scene, Raster), String> {
    let seen = bed.see().await?;
    let nodes = seen.tree.nodes().iter();
    let all = nodes.filter_map(|node| node.reference.clone()).collect();
    let request = SceneRequest::new(all);
    let scene = bed.driver.scene(&request).await.map_err(said)?;
    let picture = ScreenshotRequest::default();
    let png = bed.driver.screenshot(&picture).await.map_err(said)?;
    let picture = Raster::read(&png).ok_or("a picture that cannot be read")?;
    ensure!(
        scene.url == seen.url && scene.is_known(),
        "the scene is of {:?} and {} x {} pixels",
        scene.url,
        scene.width,
        scene.height
    );
    Ok((scene.clone(), picture.fitted(scene.width, scene.height)))
}

/// Returns the smallest area of a picture that contains all pixels of this colour; `None` if no pixel has this colour.
fn place_of(picture: &Raster, colour: [u8; 3]) -> Option<Area> {
    let rows = 0..picture.height();
    let all = rows.flat_map(|y| (0..picture.width()).map(move |x| (x, y)));
    let mut found = all.filter(|(x, y)| picture.pixel(*x, *y) == Some(colour));
    let first = found.next()?;
    let (mut left, mut right, top, mut bottom) = (first.0, first.0, first.1, first.1);
    for (x, y) in found {
        (left, right, bottom) = (left.min(x), right.max(x), bottom.max(y));
    }
    Some(Area::new(
        left.into(),
        top.into(),
        (right + 1 - left).into(),
        (bottom + 1 - top).into(),
    ))
}

fn is_near(one: Area, other: Area) -> bool {
    [
        one.x - other.x,
        one.y - other.y,
        one.width - other.width,
        one.height - other.height,
    ]
    .iter()
    .all(|far| far.abs() <= 2.0)
}

fn reference(target: &Target) -> Result<ElementRef, String> {
    target
        .as_ref()
        .cloned()
        .ok_or_else(|| "no reference".to_owned())
}

async fn a_scene_tells_where_the_picture_shows_elements(bed: &Bed<'_>) -> Found {
    bed.open("sight").await?;
    let mut elements = Vec::new();
    // The green button is in a frame.
    for name in ["Green", "Blue", "Under", "Below"] {
        elements.push(reference(&bed.find_in_frame(Role::Button, name).await?)?);
    }
    let [green, blue, under, below] = &elements[..] else {
        return Err("four elements are asked for".into());
    };
    for scrolled in [false, true] {
        if scrolled {
            bed.does(BrowserAction::Scroll(Scroll {
                direction: Some(ScrollDirection::Down),
                pixels: Some(20),
                target: None,
            }))
            .await?;
        }
        let (scene, picture) = look(bed).await?;
        for (element, colour, name) in [(blue, BLUE, "the button"), (green, GREEN, "in the frame")]
        {
            let area = scene.boxes.iter().find(|(known, _)| known == element);
            let shown = place_of(&picture, colour);
            let is_same = area.zip(shown).is_some_and(|(a, b)| is_near(a.1, b));
            ensure!(
                is_same,
                "{name}: {area:?} in the scene, {shown:?} in the picture"
            );
        }
        for (hidden, why) in [(under, "covered"), (below, "scrolled out")] {
            ensure!(
                !scene.boxes.iter().any(|(known, _)| known == hidden),
                "what is {why} has a box"
            );
        }
        let (drawn, shown) = (&scene.drawings, place_of(&picture, RED));
        let canvas = drawn.iter().find(|one| one.kind == DrawingKind::Canvas);
        let inside = canvas
            .zip(shown)
            .and_then(|(one, shown)| shown.within(&one.area));
        ensure!(
            inside == shown && shown.is_some(),
            "{shown:?} is drawn in {canvas:?}"
        );
    }
    Ok(())
}

/// Returns the point in the middle of the area that the pixels of this colour take. Unit: pixels of the picture.
fn middle(picture: &Raster, colour: [u8; 3]) -> Result<(u32, u32), String> {
    let area = place_of(picture, colour).ok_or("the colour is not in the picture")?;
    let whole = |length: f64| {
        format!("{length:.0}")
            .parse::<u32>()
            .map_err(|e| e.to_string())
    };
    Ok((
        whole(area.x + (area.width / 2.0).floor())?,
        whole(area.y + (area.height / 2.0).floor())?,
    ))
}

async fn what_no_words_describe_is_told_by_its_look(bed: &Bed<'_>) -> Found {
    bed.open("shapes").await?;
    let seen = bed.see().await?;
    let nodes = seen.tree.nodes().iter();
    let told: Vec<_> = nodes
        .filter_map(|node| Some((node, node.property("look")?)))
        .collect();
    let looks: Vec<&str> = told.iter().map(|(_, look)| *look).collect();
    let wanted = [
        "200x120 top left 40,300: rect #000000 60x40 top left 50,320; line #00ff00 from 190,310 to 190,390; \
         circle #ffffff outline #aa0000 20.4x20.4 centre 210,330; path of 2 corners #123456 from 60,410 to 100.5,370",
        "polygon of 3 corners #0000ff 20x20 top left 140,380",
        "#ff8800 24x20 top left 10,300",
        "24x20 top left 10,330",
    ];
    ensure!(looks == wanted, "the looks are {looks:?}");
    let polygon = told[1].0.reference.clone();
    bed.does(click(Target::Ref(
        polygon.ok_or("a shape without a reference")?,
    )))
    .await?;
    bed.shows("at=polygon;").await
}

async fn points_of_a_picture_are_clicked(bed: &Bed<'_>) -> Found {
    bed.open("sight").await?;
    let (scene, picture) = look(bed).await?;
    for (colour, double, told) in [
        (RED, false, "click=red;"),
        (RED, true, "twice=red;"),
        (BLUE, false, "blue=clicked;"),
        (GREEN, false, "green=clicked;"),
    ] {
        let found = under(&scene, &[middle(&picture, colour)?]);
        let found = found.ok_or("nothing is at the point")?;
        let [(x, y)] = found.points[..] else {
            return Err("one point".into());
        };
        bed.does(BrowserAction::ClickXy(ClickXy {
            x,
            y,
            double,
            target: Some(found.target),
        }))
        .await?;
        bed.shows(told).await?;
    }
    let outside = BrowserAction::ClickXy(ClickXy {
        x: 4_000,
        y: 5,
        double: false,
        target: Some(super::bed::locator("css=\"canvas\"")?),
    });
    bed.fails(outside, ErrorClass::BadArguments).await?;
    let nowhere = BrowserAction::ClickXy(ClickXy {
        x: 1,
        y: 1,
        double: false,
        target: None,
    });
    bed.fails(nowhere, ErrorClass::BadArguments).await.map(drop)
}

async fn points_of_a_drawing_are_dragged(bed: &Bed<'_>) -> Found {
    bed.open("sight").await?;
    let (scene, picture) = look(bed).await?;
    let (x, y) = middle(&picture, RED)?;
    let found = under(&scene, &[(x, y), (x - 50, y + 20)]).ok_or("nothing has both points")?;
    let [(x, y), (to_x, to_y)] = found.points[..] else {
        return Err("two points".into());
    };
    let drag = |via: &[[u32; 2]], to_x| {
        BrowserAction::DragXy(DragXy {
            x,
            y,
            to_x,
            to_y,
            via: via.to_vec(),
            target: Some(found.target.clone()),
        })
    };
    bed.does(drag(&[], to_x)).await?;
    bed.shows("dragged=-50%2C20;").await?;
    let text = bed.text().await?;
    if text.contains("way=") {
        return Err(format!("a straight drag was bent: {text}"));
    }
    bed.does(drag(&[[x - 20, y + 35], [x - 40, y + 35]], to_x))
        .await?;
    bed.shows("way=bent;").await?;
    for outside in [drag(&[], 4_000), drag(&[[4_000, y]], to_x)] {
        bed.fails(outside, ErrorClass::BadArguments).await?;
    }
    Ok(())
}

async fn the_pointer_moves_to_a_point_of_a_drawing(bed: &Bed<'_>) -> Found {
    bed.open("sight").await?;
    let (scene, picture) = look(bed).await?;
    let found = under(&scene, &[middle(&picture, RED)?]).ok_or("nothing is at the point")?;
    let [(x, y)] = found.points[..] else {
        return Err("one point".into());
    };
    let hover = |x, target| BrowserAction::HoverXy(HoverXy { x, y, target });
    bed.does(hover(x, Some(found.target.clone()))).await?;
    bed.shows("over=red;").await?;
    for outside in [hover(4_000, Some(found.target)), hover(x, None)] {
        bed.fails(outside, ErrorClass::BadArguments).await?;
    }
    Ok(())
}
