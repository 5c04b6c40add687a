//! kibitz.
fn main() {}
