//! cargo bench -p kibitz --bench matches: hosted matches. Acknowledged moves a second against a bare loop of the same
//! inserts, and how long one takes against the disk's own fsync; how late time-outs are; how soon a killed server plays
//! again; lists among a million matches; moves over WebSockets, and their cost to the server; a crowd that does little. A part
//! alone: `-- moves`, `sockets`, `timeouts`, `restart`, `lists`, `idle` or `lobby`.

#[path = "../common/mod.rs"]
mod common;

mod bare;
mod crowd;
mod lists;
mod moves;
mod play;
mod program;
mod restart;
mod sockets;
mod timeouts;

use std::path::Path;

/// Measures with files in this folder, and prints.
type Part = fn(&Path);

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    // Use the disk of the build, since /tmp may be memory.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("the disk takes a folder");
    let parts: [(&str, Part); 7] = [
        ("moves", moves::measure),
        ("sockets", sockets::measure),
        ("timeouts", timeouts::measure),
        ("restart", restart::measure),
        ("lists", lists::measure),
        ("idle", crowd::measure_idle),
        ("lobby", crowd::measure_lobby),
    ];
    for (name, measure) in parts {
        if asked.is_empty() || asked.iter().any(|part| part == name) {
            let folder = folder.path().join(name);
            std::fs::create_dir(&folder).expect("the disk takes a folder");
            measure(&folder);
        }
    }
}
