//! Frames and shadow trees: what can be seen in them can be used.

use webwise::{page::Role, working::StopReason};

use crate::{
    bed::Bed,
    browsers::Driver,
    played::{click, click_at, decides, finish, reference, says},
};

// What the tree of a frame says is compared between the drivers in `tree_parity`.
in_turn! {
    what_is_in_a_frame_is_seen_and_pressed_by_its_reference,
    an_open_shadow_tree_is_seen_and_a_closed_one_by_the_native_driver,
}

async fn what_is_in_a_frame_is_seen_and_pressed_by_its_reference(by: Driver) {
    let bed = Bed::start(by).await;
    for (page, path) in [
        ("frame of the same origin", "frame"),
        ("frame of another origin", "frame-elsewhere"),
        ("frames in frames", "frames-in-frames"),
    ] {
        let model = decides(|call, message| match call {
            0 => click_at(
                &reference(message, "button \"Inner button\"").expect("the button in the frame"),
            ),
            _ => finish("inner=pressed"),
        });
        let played = bed.play(page, path, model, StopReason::Finished).await;
        assert_eq!(played.course(), ["goto done", "click done"], "{played:?}");
        assert_eq!(
            played.report.final_url,
            Some(bed.site.url(path)),
            "the address is the top one's"
        );
        let first = &played.seen()[0];
        let frames = first
            .tree
            .nodes()
            .iter()
            .filter(|node| node.role == Role::Iframe)
            .count();
        assert_eq!(frames, if path == "frames-in-frames" { 2 } else { 1 });
    }
    bed.close().await;
}

async fn an_open_shadow_tree_is_seen_and_a_closed_one_by_the_native_driver(by: Driver) {
    let bed = Bed::start(by).await;
    let played = bed
        .play(
            "open shadow",
            "shadow",
            says([click("Shadow button"), finish("shadow=pressed")]),
            StopReason::Finished,
        )
        .await;
    assert_eq!(played.course(), ["goto done", "click done"], "{played:?}");

    let played = bed
        .play(
            "closed shadow",
            "closed-shadow",
            says([click("Hidden button"), finish("Closed")]),
            StopReason::Finished,
        )
        .await;
    // What listens in it gives it away to the browser's own protocol.
    let sees = matches!(by, Driver::Cdp);
    let pressed = if sees {
        "click done"
    } else {
        "click not_found"
    };
    assert_eq!(played.course(), ["goto done", pressed], "{played:?}");
    assert_eq!(played.messages[0].contains("Hidden button"), sees);
    bed.close().await;
}
