//! Why a command of a transaction was not carried out: it was refused, and the others go on; or the database failed, and none
//! is carried out.

use crate::store::StoreError;
use crate::store::database_error::DatabaseError;

/// The reason why a command was not carried out.
#[derive(Debug)]
pub(in crate::store) enum CommandError {
    /// This command is refused; the others of its transaction are not affected.
    Command(StoreError),
    /// The database failed; the whole transaction is given up.
    Transaction(DatabaseError),
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        Self::Command(error)
    }
}

impl From<DatabaseError> for CommandError {
    fn from(error: DatabaseError) -> Self {
        Self::Transaction(error)
    }
}
