//! Programs that a test writes and then starts. Include it with `#[path]`.

use std::{
    path::Path,
    process::{Command, Stdio},
};

/// Writes a shell script that can be started.
///
/// Another process writes it. A file that is open for writing cannot be started, and what the threads of this process start at that
/// moment would hold it open.
pub(crate) fn write(file: &Path, script: &str) {
    let done = Command::new("/bin/sh")
        .args([
            "-c",
            r#"printf '#!/bin/sh\n%s\n' "$2" > "$1" && chmod 755 "$1""#,
            "sh",
        ])
        .arg(file)
        .arg(script)
        .stdin(Stdio::null())
        .status();
    assert!(
        done.is_ok_and(|status| status.success()),
        "{} can be written",
        file.display()
    );
}
