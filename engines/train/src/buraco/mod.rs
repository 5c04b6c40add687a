//! Buraco: the value network and the habits of the playouts' player.

mod explorer;
pub mod habits;
pub mod value;
