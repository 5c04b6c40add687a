//! Rebuilds the program when the choices made at build time change; it must do nothing else.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=KIBITZ_GAME");
    println!("cargo::rerun-if-env-changed=KIBITZ_SERVER");
}
