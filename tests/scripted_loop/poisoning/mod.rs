//! Poisoning: pages that want to be remembered, and what memory says afterwards.
//!
//! Every channel from a page to memory is tried with every payload, each under a token of its own, over eight runs on four
//! domains, so that all gates of promotion are passed; then two fresh runs are searched for the tokens.
//!
//! ```text
//! channels  the ways near memory             payloads  what is said there
//! world     pages that say it                story     a model that runs into every trouble
//! campaign  the runs, and what they broke    scan      the search for tokens
//! reading   how a message must be read       attempts  P1 to P3
//! weak      a memory with one defence off    defences  each of them is needed
//! benign    what an honest page teaches      useful    that it is learned all the same
//! maps      maps of sites with hostile names     facts     facts and elements of hostile names
//! ways      whole ways of hostile names
//! ```

use crate::profile;

mod attempts;
mod benign;
mod campaign;
mod channels;
mod defences;
mod facts;
mod maps;
mod payloads;
mod reading;
mod scan;
mod story;
mod useful;
mod ways;
mod weak;
mod world;
