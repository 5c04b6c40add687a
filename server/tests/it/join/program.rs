//! `kibitz-shim join` with a program in its sandbox as the bot, in a game with one process for the match and one with a process for each
//! move.

use std::path::Path;
use std::process::Command;

use engines::games::find;

use super::environment::{JoinServer, OtherSeats, order};

/// Compiles a bot of the tests natively, and for the sandbox.
fn bots(place: &JoinServer, game: &str) -> [String; 2] {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/bots/{game}.c"));
    let options = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-O1", "-o"];
    let (native, program) = (place.folder.join(game), place.folder.join(format!("{game}.wasm")));
    let status = Command::new("cc").args(options).args([&native, &source]).status().unwrap();
    assert!(status.success());
    let mut clang = Command::new("clang");
    clang.arg("--target=wasm32-wasi").args(options).args([&program, &source]);
    assert!(clang.status().unwrap().success());
    [native.display().to_string(), format!("wasm:{}", program.display())]
}

#[test]
#[ignore = "needs kibitz-shim with the feature programs: the step engines-in-shim of scripts/check"]
fn shim_plays_with_a_program_as_with_a_process() {
    let place = JoinServer::open("programs");
    for slug in ["ioiwari", "splendor"] {
        let game = find(slug).unwrap();
        let seat = game.info().bot_seats[0];
        let [native, program] = bots(&place, slug);
        let moves = [native, program].map(|bot| {
            let made = place.make(&order(game, seat, 7));
            let _rivals = OtherSeats::play(&place, &made, u64::from(seat));
            place.join(&made, u64::from(seat), &[bot]).plays_to_the_end();
            assert_eq!(place.fouls(&made), [""; 0], "{slug}");
            place.moves(&made)
        });
        assert!(moves[0].len() > 3, "{slug}: {moves:?}");
        assert_eq!(moves[0], moves[1], "{slug}");
    }
}
