//! Every memory backend keeps the contract of the port.

use webwise::{store::InMemory, testing::conformance};

#[tokio::test]
async fn in_memory() {
    conformance::store::check(&InMemory::new()).await;
}
