//! What the tests of the program `webwise` share: a model server, and places to run in.

pub(crate) mod model_server;
pub(crate) mod program;
