//! Which profile the tests run in.

pub(crate) fn full() -> bool {
    std::env::var("WEBWISE_TESTS").is_ok_and(|it| it == "full")
}
