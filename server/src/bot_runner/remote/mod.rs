//! Processes that run programs on other machines: `kibitz worker` starts one for each node that asks through NATS, and passes on what
//! node and process write to each other. When the worker, the process or the connection is lost, the node goes on elsewhere, as after
//! the end of a process of its own.

mod runners;
mod service;
mod streams;
mod wire;

pub use runners::RemoteRunners;
pub use service::RunnerService;
