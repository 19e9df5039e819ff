//! Failures of the store's file operations, and their conversion into the errors that callers get.

use std::{io, path::Path, time::Duration};

use crate::{
    base::{Error, ErrorKind},
    memory::{ReadOnly, Shelf},
};

/// A failure of a store operation. No failure loses an update that was acknowledged earlier.
#[derive(Debug)]
pub(super) enum Failure {
    Name(&'static str),
    /// Other writers held the lock until the call gave up. The value is the time for which the call waited.
    Busy(Duration),
    /// The file system has no locks. Writing without locks could lose updates.
    NoLocks(io::Error),
    /// The operation `what` failed for the file or folder `path`. The error comes from the operating system or from the
    /// store's own checks.
    Io {
        what: &'static str,
        path: String,
        error: io::Error,
    },
    /// The shelf must not be written. `why` is the reason. If the reason is [`ReadOnly::OverCap`] (the shelf is too
    /// large or too deeply nested), the shelf cannot be read either.
    ReadOnly {
        why: ReadOnly,
        detail: String,
    },
    Unreadable {
        detail: String,
    },
    /// The edit would make the shelf's file larger than a shelf may be. `bytes` is the size that the file would have,
    /// and `max` is the cap. Unit of both: bytes.
    ShelfTooLarge {
        bytes: usize,
        max: usize,
    },
    Edit(Error),
}

impl Failure {
    pub(super) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = if path.as_os_str().is_empty() {
            ".".to_owned()
        } else {
            path.display().to_string()
        };
        move |error| Self::Io { what, path, error }
    }

    /// Converts the failure to an error that names the operation and the shelf. If the edit itself failed, returns the
    /// edit's error unchanged.
    pub(super) fn into_error(self, operation: &'static str, shelf: Option<&Shelf>) -> Error {
        let error = |kind| {
            let error = Error::new(kind, operation);
            if let Some(shelf) = shelf {
                error.with("shelf", shelf)
            } else {
                error
            }
        };
        match self {
            Self::Edit(error) => error,
            Self::Name(expected) => error(ErrorKind::InvalidInput).with("expected", expected),
            Self::Busy(waited) => error(ErrorKind::Busy).with("waited_ms", waited.as_millis()),
            Self::NoLocks(source) => error(ErrorKind::Unsupported)
                .with(
                    "why",
                    "the file system cannot lock files, so processes would overwrite each other",
                )
                .with_source(source),
            Self::Io {
                what,
                path,
                error: source,
            } => {
                // An `InvalidInput` error without a system code comes from the store itself: a path of the store leads
                // to the wrong kind of entry, such as a folder in place of a file, so waiting does not help. The system
                // uses the same kind, with a code, for operations that it does not support.
                let is_ours =
                    source.kind() == io::ErrorKind::InvalidInput && source.raw_os_error().is_none();
                let kind = if is_ours {
                    ErrorKind::InvalidInput
                } else {
                    ErrorKind::Unavailable
                };
                error(kind)
                    .with("call", what)
                    .with("path", path)
                    .with_source(source)
            }
            Self::ReadOnly { why, detail } => {
                let kind = match why {
                    ReadOnly::NewerVersion => ErrorKind::Unsupported,
                    ReadOnly::OverCap => ErrorKind::TooLarge,
                    ReadOnly::QuarantineFull | ReadOnly::QuarantineFailed => ErrorKind::Corrupt,
                };
                error(kind).with("read_only", detail)
            }
            Self::Unreadable { detail } => error(ErrorKind::Corrupt).with("why", detail),
            Self::ShelfTooLarge { bytes, max } => error(ErrorKind::TooLarge)
                .with("bytes", bytes)
                .with("max", max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Namespace;

    #[test]
    fn a_caller_can_tell_what_helps() {
        let shelf = Shelf::global(&Namespace::default(), "lessons");
        let io = |kind| Failure::io("write", Path::new("a.json"))(io::Error::from(kind));
        let read_only = |why| Failure::ReadOnly {
            why,
            detail: String::new(),
        };
        for (failure, kind) in [
            (io(io::ErrorKind::StorageFull), ErrorKind::Unavailable),
            (
                io(io::ErrorKind::ReadOnlyFilesystem),
                ErrorKind::Unavailable,
            ),
            (io(io::ErrorKind::PermissionDenied), ErrorKind::Unavailable),
            (io(io::ErrorKind::InvalidInput), ErrorKind::InvalidInput),
            // EINVAL, as the system reports it.
            (
                Failure::io("sync_dir", Path::new("a"))(io::Error::from_raw_os_error(22)),
                ErrorKind::Unavailable,
            ),
            (Failure::Busy(Duration::from_secs(5)), ErrorKind::Busy),
            (
                Failure::NoLocks(io::ErrorKind::Unsupported.into()),
                ErrorKind::Unsupported,
            ),
            (read_only(ReadOnly::NewerVersion), ErrorKind::Unsupported),
            (read_only(ReadOnly::OverCap), ErrorKind::TooLarge),
            (read_only(ReadOnly::QuarantineFull), ErrorKind::Corrupt),
        ] {
            let error = failure.into_error("store.update", Some(&shelf));
            assert_eq!(error.kind(), kind, "{error:?}");
            assert!(error.to_string().contains("default/lessons"), "{error}");
        }
    }

    #[test]
    fn the_edits_own_error_arrives_as_it_is() {
        let error = Failure::Edit(Error::new(ErrorKind::TooLarge, "lesson.learn"))
            .into_error("store.update", None);
        assert_eq!(
            (error.kind(), error.operation()),
            (ErrorKind::TooLarge, "lesson.learn")
        );
    }
}
