//! Pictures show what they are asked for, and the window is as large as the options say.

use webwise::{
    ErrorKind,
    action::Target,
    browser::{BrowserDriver as _, ScreenshotRequest},
    page::ElementRef,
};

use crate::driver::bed::{Bed, NEVER, site};

/// Width and height of a PNG file.
fn size(png: &[u8]) -> (u32, u32) {
    assert!(
        png.starts_with(b"\x89PNG\r\n\x1a\n") && png.len() > 24,
        "it is a PNG file"
    );
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
    (number(16), number(20))
}

/// The colour of all pixels, if they have one: such a file is short.
async fn picture(bed: &Bed, name: Option<&str>) -> (u32, u32) {
    let mut request = ScreenshotRequest::default();
    if let Some(name) = name {
        let Target::Ref(reference) = bed.find(name).await else {
            panic!("a reference")
        };
        request.target = Some(reference);
    }
    size(&bed.driver.screenshot(&request).await.unwrap())
}

const PAGE: &str = "<style>body { margin: 0 } iframe { border: 0 }</style>
    <button aria-label=Near style='width:120px;height:40px'></button><iframe src=THERE/inner width=300 height=200></iframe>
    <div style='height:3000px'></div><button aria-label=Far style='width:77px;height:55px'></button>
    <div style='transform:scale(2);transform-origin:0 0'><button aria-label=Scaled style='width:50px;height:20px'></button></div>
    <button aria-label=Flat style='width:0;height:0;padding:0;border:0'></button><div style='height:2000px'></div>";

#[tokio::test(flavor = "multi_thread")]
async fn pictures_have_the_size_of_what_they_show() {
    let inner = "<style>body { margin: 20px }</style><button aria-label=Inner style='width:90px;height:30px'></button>
        <div style='height:900px'></div><button aria-label=Deep style='width:64px;height:48px'></button>";
    let bed = Bed::with(site(&[("/", PAGE), ("/inner", inner)]), |options| {
        options.with_viewport(900, 650)
    })
    .await;
    bed.open("/").await;
    bed.shows("Inner").await;
    assert_eq!(picture(&bed, None).await, (900, 650));
    for (name, wanted) in [
        ("Near", (120, 40)),
        ("Far", (77, 55)),
        ("Inner", (90, 30)),
        ("Deep", (64, 48)),
        ("Scaled", (100, 40)),
    ] {
        assert_eq!(picture(&bed, Some(name)).await, wanted, "{name}");
        assert_eq!(picture(&bed, None).await, (900, 650), "after {name}");
    }
    let mut request = ScreenshotRequest::default();
    request.target = Some(ElementRef::parse("e9999").unwrap());
    assert_eq!(
        bed.driver.screenshot(&request).await.unwrap_err().kind(),
        ErrorKind::InvalidInput
    );
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_what_is_larger_than_any_picture_the_beginning_is_shown() {
    let page =
        "<style>body { margin: 0 }</style><button aria-label=Huge style='width:100000px;height:100000px'></button>
        <button aria-label=Long style='width:100000px;height:20px'></button>";
    let bed = Bed::start(&[("/", page)]).await;
    bed.open("/").await;
    let huge = tokio::time::timeout(NEVER, picture(&bed, Some("Huge")))
        .await
        .expect("it does not hang");
    assert_eq!(huge, (16_384, 1953));
    assert_eq!(picture(&bed, Some("Long")).await, (16_384, 20));
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_as_large_as_the_options_say_in_every_tab() {
    let says = "<title>Size</title><p></p><script>document.querySelector('p').textContent =
        [innerWidth, innerHeight, devicePixelRatio, matchMedia('(hover: hover)').matches, document.hasFocus(), document.visibilityState].join(' ')</script>";
    let bed = Bed::with(site(&[("/", says)]), |options| {
        options.with_viewport(640, 480)
    })
    .await;
    bed.open("/").await;
    assert_eq!(bed.text().await, "640 480 1 true true visible");
    let new = webwise::action::TabNew {
        url: Some(bed.url("/")),
    };
    bed.does(webwise::action::BrowserAction::TabNew(new)).await;
    assert_eq!(bed.text().await, "640 480 1 true true visible");
    bed.does(crate::driver::bed::tab_select(0)).await;
    bed.open("/").await;
    assert_eq!(bed.text().await, "640 480 1 true true visible");
    bed.close().await;
}
