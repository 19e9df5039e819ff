//! Starting and ending: nothing of a browser outlives its owner.

use webwise::browser::{BrowserDriver as _, Cdp};

use crate::driver::{
    bed::{Bed, folder, options},
    processes::{family, gone, naming},
};

#[tokio::test(flavor = "multi_thread")]
async fn closing_leaves_no_process_and_no_file() {
    let bed = Bed::own(&[("/", "<p>here")]).await;
    bed.open("/").await;
    assert!(!naming(bed.base()).is_empty());
    bed.driver.close().await.unwrap();
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_leaves_no_process() {
    let base = folder();
    let driver = Cdp::launch(&options(base.path())).await.unwrap();
    let known = family(base.path(), 0);
    assert!(known.len() > 2, "{known:?}");
    drop(driver);
    assert_eq!(gone(base.path(), &known).1, [].into());
}
