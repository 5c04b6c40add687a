//! Private servers that tests and benchmarks start for themselves, on free ports and in temporary folders. They end with
//! the process that started them, however it ends.

mod ports;
mod postgres;

pub use ports::unused_address;
pub use postgres::{PostgresAddress, PrivatePostgres, SHARED_SERVER, database};
