//! Serves the demo shop until the program is ended, to look at it or to try an agent of your own on
//! it.
//!
//! ```text
//! cargo run --example demo_shop --features demo-site -- 8080 7      # port and seed, both optional
//! ```

use std::future::pending;

use webwise::demo::{Shop, ShopOptions};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1);
    let port = numbers.next().map_or(Ok(0), |text| text.parse())?;
    let seed = numbers.next().map_or(Ok(0), |text| text.parse())?;
    let shop = Shop::start(ShopOptions::default().with_port(port).with_seed(seed)).await?;
    println!(
        "{} (user {}, password {})",
        shop.url(),
        shop.user(),
        shop.password()
    );
    pending().await
}
