//! The dialogue with a contest's referee over standard input and output, and what is kept of it. It must not use the network.

pub(crate) mod answer;
pub(crate) mod last_answer;
pub(crate) mod lines;
pub(crate) mod memory;
pub(crate) mod notes;
pub(crate) mod pipe;
pub(crate) mod transcript;
