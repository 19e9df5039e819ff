//! What goes over the wire to each provider and what is made of its answers, against recorded shapes on loopback.
//!
//! No test waits for real time: waits are zero, or a few milliseconds where a time-out itself is the subject.

mod anthropic;
// Other systems do not read their trust from the environment.
#[cfg(target_os = "linux")]
mod certificates;
mod failures;
mod gemini;
mod ollama;
mod openai;
mod openai_responses;
mod support;
