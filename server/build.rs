//! The program holds the files of its pages, so it is built anew when one comes or goes.

fn main() {
    println!("cargo::rerun-if-changed=web");
    println!("cargo::rerun-if-changed=../engines/src/games");
}
