//! What pages load: scripts and styles, joined and packed; pictures and icons; the manifest.

pub(in crate::web) mod asset;
pub(in crate::web) mod joined;
pub(in crate::web) mod packed;
pub(in crate::web) mod pictures;
pub(in crate::web) mod preview;
pub(in crate::web) mod reach;
