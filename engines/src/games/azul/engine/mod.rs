//! Engines of Azul: they see views, and search on positions. Know no dialogue.

mod greedy;

pub use greedy::GREEDY;
