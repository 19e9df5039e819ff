//! Failures of the store's statements, and their conversion into the errors that callers get.

use std::time::Duration;

use sqlx::{
    Error as SqlError,
    error::DatabaseError,
    postgres::{PgDatabaseError, PgSeverity},
};

use crate::{
    base::{Error, ErrorKind},
    memory::Shelf,
};

#[derive(Debug)]
pub(super) enum Failure {
    /// All connections that the store may open were in use. The value is the time for which the call waited for one.
    NoConnection(Duration),
    /// The server did not answer. The value is the time for which the call waited for the answer.
    Silent(Duration),
    /// The server refused a statement, or the connection was lost.
    Server(SqlError),
    /// It is unknown whether the change is stored: the connection was lost after the commit was requested, or the
    /// server did not answer. The value says which of the two happened.
    Unknown(Box<Failure>),
    /// A newer program has changed the tables to this version of the layout.
    Newer(i32),
    /// A stored value cannot be understood.
    Broken(String),
    /// The edit itself failed, with this error.
    Edit(Error),
}

impl From<SqlError> for Failure {
    fn from(error: SqlError) -> Self {
        Self::Server(error)
    }
}

impl Failure {
    /// Converts a failure of a commit. If the server refused the commit and kept the connection open, returns the
    /// failure unchanged: the change is not stored. Otherwise returns [`Unknown`](Self::Unknown).
    pub(super) fn of_commit(self) -> Self {
        match &self {
            Self::Server(SqlError::Database(error)) if is_refusal(&**error) => self,
            _ => Self::Unknown(Box::new(self)),
        }
    }

    /// Converts the failure to the crate's error, which names the operation and the shelf. If the edit itself failed,
    /// returns the edit's error unchanged.
    pub(super) fn into_error(self, operation: &'static str, shelf: Option<&Shelf>) -> Error {
        let error = |kind| {
            let error = Error::new(kind, operation);
            match shelf {
                Some(shelf) => error.with("shelf", shelf),
                None => error,
            }
        };
        match self {
            Self::Edit(error) => error,
            Self::NoConnection(waited) => error(ErrorKind::Busy)
                .with("waited_ms", waited.as_millis())
                .with("why", "all connections of this handle are in use"),
            Self::Silent(waited) => error(ErrorKind::Timeout).with("waited_ms", waited.as_millis()),
            Self::Newer(version) => error(ErrorKind::Unsupported).with(
                "why",
                format!("the tables have version {version} of the layout, made by a newer program"),
            ),
            Self::Broken(what) => error(ErrorKind::Corrupt).with("why", what),
            Self::Unknown(cause) => {
                let cause = cause.into_error(operation, shelf);
                error(cause.kind())
                    .with("stored", "unknown")
                    .with("why", "the connection was lost during the commit")
                    .with_source(cause)
            }
            Self::Server(source) => {
                let code = source.as_database_error().and_then(DatabaseError::code);
                let error = error(kind(&source, code.as_deref()));
                let error = match code {
                    Some(code) => error.with("sqlstate", code),
                    None => error,
                };
                error.with_source(source)
            }
        }
    }
}

/// Returns true if the server refused a statement but keeps the connection open.
fn is_refusal(error: &dyn DatabaseError) -> bool {
    let error = error.try_downcast_ref::<PgDatabaseError>();
    error.is_some_and(|error| error.severity() == PgSeverity::Error)
}

/// Returns the crate's kind for an error of the server, given the error's SQLSTATE code. Source: appendix A of
/// PostgreSQL's manual.
fn kind(error: &SqlError, code: Option<&str>) -> ErrorKind {
    match code {
        // A lock was not available in time, transactions stood in each other's way, or the server has too many connections.
        Some("55P03" | "40001" | "40P01" | "53300") => ErrorKind::Busy,
        // Wrong password, refused login, missing privilege.
        Some("28P01" | "28000" | "42501") => ErrorKind::Unauthorized,
        // There is no such database, schema, table or column. The server says the same of a table in a schema that the user
        // may not use.
        Some("3D000" | "3F000" | "42P01" | "42703") => ErrorKind::InvalidInput,
        // A value that no table can hold: the NUL character in a collection's name.
        Some(code) if code.starts_with("22") => ErrorKind::InvalidInput,
        // Damaged pages or indexes.
        Some("XX001" | "XX002") => ErrorKind::Corrupt,
        None if matches!(error, SqlError::Configuration(_)) => ErrorKind::InvalidInput,
        // Encryption is demanded, and the server or this build has none.
        None if matches!(error, SqlError::Tls(_)) => ErrorKind::Unsupported,
        _ => ErrorKind::Unavailable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Namespace;

    #[test]
    fn a_caller_can_tell_what_helps() {
        let shelf = Shelf::global(&Namespace::default(), "lessons");
        let lost = || SqlError::Io(std::io::ErrorKind::ConnectionReset.into());
        for (failure, kind) in [
            (Failure::NoConnection(Duration::ZERO), ErrorKind::Busy),
            (Failure::Silent(Duration::ZERO), ErrorKind::Timeout),
            (Failure::Server(lost()), ErrorKind::Unavailable),
            (Failure::Newer(2), ErrorKind::Unsupported),
            (Failure::Broken("x".to_owned()), ErrorKind::Corrupt),
            (Failure::Server(lost()).of_commit(), ErrorKind::Unavailable),
        ] {
            let error = failure.into_error("store.update", Some(&shelf));
            assert_eq!(error.kind(), kind, "{error:?}");
            assert!(error.to_string().contains("default/lessons"), "{error}");
        }
    }

    #[test]
    fn only_a_lost_commit_leaves_it_open_what_is_stored() {
        let silent = || Failure::Silent(Duration::from_secs(1));
        let error = |failure: Failure| failure.into_error("store.update", None);
        assert_eq!(error(silent()).said("stored"), None);
        assert_eq!(error(silent().of_commit()).said("stored"), Some("unknown"));
    }
}
