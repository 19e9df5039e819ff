//! Figures that a reader of the output wants to see. The test runner keeps to itself what a test that passes prints, but not
//! what is written to the standard error stream itself.

macro_rules! figure {
    ($($argument:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($argument)*);
    }};
}
