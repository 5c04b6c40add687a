//! Private servers that tests and benchmarks start for themselves, on free ports and in temporary folders. They end with
//! the process that started them, however it ends.

mod postgres;

pub use postgres::{PrivatePostgres, database};
