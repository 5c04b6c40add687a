//! Buraco: the value network and the habits of the playouts' player.

mod explorer;
pub(crate) mod habits;
pub(crate) mod value;
