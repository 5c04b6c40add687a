//! `kibitz replay` as authors of bots run it: the real program, with real bots and files of every format.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;

const RECORDS: &str = "src/matches/record/golden";

struct Replayed {
    code: Option<i32>,
    out: String,
    errors: String,
}

/// Runs the command with these arguments; the bot's words come after `--`. Standard input is empty.
fn replay(arguments: &[&str], bot: &[String]) -> Replayed {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kibitz"));
    command.arg("replay").args(arguments).stdin(Stdio::null());
    if !bot.is_empty() {
        command.arg("--").args(bot);
    }
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Replayed { code: status.code(), out: text(stdout), errors: text(stderr) }
}

#[track_caller]
fn expect(found: &Replayed, code: i32, texts: &[&str]) {
    assert_eq!(found.code, Some(code), "{}\n{}", found.out, found.errors);
    for text in texts {
        assert!(
            found.out.contains(text) || found.errors.contains(text),
            "{text}:\n{}\n{}",
            found.out,
            found.errors
        );
    }
}

fn record(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(RECORDS).join(name)
}

fn game_file(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engines/src/games").join(path);
    path.to_str().unwrap().to_owned()
}

fn shell(script: &str) -> Vec<String> {
    ["sh", "-c", script].map(str::to_owned).to_vec()
}

/// The bot of the engines' tests with this fault.
fn sower(vice: &str) -> Vec<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engines/tests/bots/sower.sh");
    ["sh", script.to_str().unwrap(), vice].map(str::to_owned).to_vec()
}

/// A bot with one process a match that prints these lines.
fn parrot(lines: &[&str]) -> Vec<String> {
    shell(&format!(
        "printf '%s\\n' {}; exec cat > /dev/null",
        lines.iter().map(|l| format!("'{l}' ")).collect::<String>()
    ))
}

/// The lines that the bot of a seat printed, by the transcript that the command prints.
fn printed(file: &Path, options: &[&str]) -> Vec<String> {
    let found = replay(&[&[file.to_str().unwrap(), "--dialogue"], options].concat(), &[]);
    expect(&found, 0, &[]);
    found.out.lines().filter_map(|line| line.strip_prefix("> ")).map(str::to_owned).collect()
}

fn write(folder: &tempfile::TempDir, name: &str, bytes: impl AsRef<[u8]>) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn records_of_games_with_a_process_for_the_match_are_replayed() {
    for (name, seat) in [("azul", "1"), ("buraco", "0"), ("ioiwari", "0"), ("septica", "1")] {
        let file = record(&format!("{name}-played.json"));
        let lines = printed(&file, &["--seat", seat]);
        let mut lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let path = file.to_str().unwrap();
        let arguments = [path, "--seat", seat, "--move-limit", "30s"];
        expect(&replay(&arguments, &parrot(&lines)), 0, &["answers as recorded"]);
        // Without its last line the bot never answers the last turn.
        lines.pop();
        let short = format!("printf '%s\\n' {}", lines.iter().map(|l| format!("'{l}' ")).collect::<String>());
        let found = replay(&arguments, &shell(&short));
        expect(&found, 3, &["A NEW FAULT: recorded ", "crash: no move: exit status: 0", "1 new fault"]);
    }
}

#[test]
fn bot_with_a_process_for_each_move_is_asked_about_the_whole_match() {
    let file = record("splendor-played.json");
    let found = replay(&[file.to_str().unwrap(), "--seat", "0"], &shell("cat > /dev/null; echo 1 0"));
    expect(&found, 1, &["DIFFERENT: recorded ", "now 1 0", "it had read:", "answers differ"]);
    assert!(!found.out.contains("not compared"), "{}", found.out);
    // Its seat lost on time once, and was out of the match after that.
    let file = record("splendor-troubled.json");
    let path = file.to_str().unwrap();
    let found = replay(&[path], &shell("cat > /dev/null; echo 1 0"));
    expect(&found, 1, &["THE FAULT IS GONE: recorded a fault (", "): time: ", "1 fault is gone"]);
    // Its transcript tells the same.
    let folder = tempfile::TempDir::new().unwrap();
    let transcript = write(&folder, "lost.dialogue", replay(&[path, "--dialogue"], &[]).out);
    let again = replay(&[&transcript], &shell("cat > /dev/null; echo 1 0"));
    expect(&again, 1, &["ply 1: THE FAULT IS GONE: recorded a fault: time: "]);
    assert_eq!(again.out.lines().last(), found.out.lines().last());
    let found = replay(&[path], &shell("cat > /dev/null; echo gone wrong >&2; exit 4"));
    expect(&found, 3, &["THE FAULT IS STILL THERE", "exit status: 4", "| gone wrong"]);
}

#[test]
fn official_files_are_replayed() {
    let start = game_file("buraco/golden/files/start.in");
    let found = replay(&[&start, "--seat", "0"], &parrot(&["GET_STOCK"]));
    expect(
        &found,
        0,
        &["ply 0: an answer: nothing is recorded; now GET_STOCK", "1 answer where nothing is recorded"],
    );
    for (file, fault) in [("crash.log", "the program ended"), ("illegal.log", "Jogo inválido.")] {
        let log = game_file(&format!("buraco/golden/files/{file}"));
        let lines = printed(Path::new(&log), &["--name", "p1.kibitz"]);
        let mut lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        expect(
            &replay(&[&log, "--name", "p1.kibitz"], &parrot(&lines)),
            3,
            &["THE FAULT IS STILL THERE", fault],
        );
        if file == "illegal.log" {
            lines.pop();
        }
        let last = if file == "illegal.log" { "MELD_JOIN 0 [ 9♠ ]" } else { "DISCARD 9♦" };
        lines.push(last);
        let found = replay(&[&log, "--name", "p1.kibitz"], &parrot(&lines));
        assert!(found.out.contains(fault), "{}", found.out);
    }
    let found = replay(&[&game_file("buraco/golden/files/crash.log")], &parrot(&["GET_STOCK"]));
    expect(&found, 2, &["choose the bot with --seat or --name; the seats are 0 (p1.kibitz), 1 (p2.other)"]);
    let saved = game_file("splendor/golden/three-players.saved-game.json");
    let found = replay(&[&saved, "--seat", "2"], &shell("cat > /dev/null; echo 1 0"));
    expect(&found, 1, &["splendor, seat 2 (Player \"2\" ✓)", "answers differ"]);
    for (dialogue, lines) in [
        ("azul/golden/second-player-by-updates.dialogue", &["update", "4 o 1", "0 b 2"][..]),
        ("ioiwari/golden/worked-game.dialogue", &["2", "5", "5"]),
        ("buraco/golden/last-card.dialogue", &[]),
    ] {
        let file = game_file(dialogue);
        let recorded = printed(Path::new(&file), &[]);
        let own: Vec<&str> = recorded.iter().map(String::as_str).collect();
        assert!(lines.is_empty() || own == lines, "{own:?}");
        expect(&replay(&[&file], &parrot(&own)), 0, &["as recorded"]);
    }
    for path in std::fs::read_dir(game_file("septica/golden")).unwrap().map(|file| file.unwrap().path()) {
        let recorded = printed(&path, &["--game", "septica"]);
        let own: Vec<&str> = recorded.iter().map(String::as_str).collect();
        let found = replay(&[path.to_str().unwrap(), "--game", "septica"], &parrot(&own));
        assert!(!found.out.contains("DIFFERENT"), "{}: {}", path.display(), found.out);
    }
}

/// Logs without marks, with the line ends of Windows, and in UTF-16.
#[test]
fn dialogues_without_marks_are_replayed() {
    let folder = tempfile::TempDir::new().unwrap();
    let pits = write(&folder, "ioiwari.log", "4 3 2 4 2 3 2\r\n2\r\n3\r\n5\r\n4\r\n5\r\n7\r\n");
    expect(&replay(&[&pits], &parrot(&["2", "5", "5"])), 0, &["3 answers as recorded"]);
    let found = replay(&[&pits], &parrot(&["2", "4"]));
    expect(
        &found,
        1,
        &[
            "ply 1: DIFFERENT: recorded 5; now 4",
            "| 3",
            "1 recorded answer not compared",
            "The replay ends here",
        ],
    );
    expect(&replay(&[&pits], &parrot(&["2", "2"])), 3, &["illegal move: ", "1 new fault"]);
    let wide: Vec<u8> = "\u{feff}both\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let word = write(&folder, "azul.log", wide);
    expect(&replay(&[&word], &parrot(&["both"])), 0, &["azul, seat 0\n", "1 answer as recorded"]);
    let cards = write(&folder, "septica.log", "8 8 9 9\n11\n8\n2 1 12\n11\n");
    expect(
        &replay(&[&cards], &parrot(&["8", "8"])),
        0,
        &["1 answer as recorded, 1 answer where nothing is recorded"],
    );
}

#[test]
fn matches_of_an_arena_are_replayed() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("games.jsonl");
    let file = file.to_str().unwrap();
    let bot = sower("honest").iter().map(|word| format!("'{word}' ")).collect::<String>();
    let arena = |more: &[&str], file: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kibitz"));
        command.args([
            "arena",
            "ioiwari",
            "-p",
            &format!("Bot=cmd:{bot}"),
            "-p",
            "E=engine:level=easy,nodes=9",
        ]);
        let done = command.args(["-n", "4", "--json", file]).args(more).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    arena(&["--moves"], file);
    let found = replay(&[file, "--all", "--move-limit", "30s"], &sower("honest"));
    expect(&found, 0, &["games.jsonl, match 0: ioiwari, seat 0 (Bot): ", "4 matches replayed: "]);
    let found = replay(&[file, "--match", "2"], &sower("dies_later"));
    expect(&found, 3, &["ply 4: A NEW FAULT", "exit status: 1"]);
    expect(
        &replay(&[file], &sower("honest")),
        2,
        &["the file has 4 matches: choose one with --match ID (0, 1, 2, ...)"],
    );
    let plain = folder.path().join("plain.jsonl");
    arena(&[], plain.to_str().unwrap());
    expect(
        &replay(&[plain.to_str().unwrap(), "--all"], &sower("honest")),
        2,
        &["line 2, column 1: match 0 has no moves"],
    );
}

/// A download of two matches, whole, packed, cut off, and in a folder with other files.
#[test]
fn downloads_and_folders_are_replayed_with_a_summary() {
    let folder = tempfile::TempDir::new().unwrap();
    let all: String = ["played", "troubled"]
        .map(|name| {
            std::fs::read_to_string(record(&format!("ioiwari-{name}.json"))).unwrap().trim_end().to_owned()
                + "\n"
        })
        .concat();
    let whole = write(&folder, "all.ndjson", &all);
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(all.as_bytes()).unwrap();
    let packed = write(&folder, "all.ndjson.gz", packed.finish().unwrap());
    for file in [&whole, &packed] {
        let found = replay(&[file, "--all", "--seat", "0", "--move-limit", "30s"], &parrot(&["1", "1"]));
        assert!(found.out.contains("\n2 matches replayed: "), "{}\n{}", found.out, found.errors);
        assert_eq!(
            found.out.lines().filter(|line| line.contains(": ioiwari, seat 0 (")).count(),
            2,
            "{}",
            found.out
        );
        expect(&replay(&[file], &sower("honest")), 2, &["the file has 2 matches"]);
    }
    let named =
        replay(&[&whole, "--all", "--name", "player 1 1", "--referee", "mirror=yes"], &parrot(&["1"]));
    assert!(named.out.contains("1 match replayed: "), "{}\n{}", named.out, named.errors);
    let cut = write(&folder, "cut.ndjson", &all[..all.len() - 300]);
    let found = replay(&[&cut, "--seat", "0"], &parrot(&["1"]));
    assert!(found.errors.contains("left out: the last record of cut.ndjson is cut off"), "{}", found.errors);

    let mixed = tempfile::TempDir::new().unwrap();
    write(&mixed, "README.md", "My matches");
    write(&mixed, ".hidden", "nothing");
    write(&mixed, "a.log", "4 3 2 4 2 3 2\n2\n3\n5\n4\n5\n7\n");
    write(&mixed, "b.log", "4 3 2 4 2 3 2\n2\nbroken\n5\n");
    let path = mixed.path().to_str().unwrap();
    let found = replay(&[path, "--all"], &parrot(&["2", "5", "5"]));
    expect(
        &found,
        2,
        &[
            "left out: README.md is no file of a match",
            "b.log, line 3, column 1: ",
            "1 match replayed: 3 answers as recorded",
        ],
    );
    expect(&replay(&[path], &sower("honest")), 2, &["is a folder: replay its files with --all"]);
}

#[test]
fn replay_stops_before_a_ply_for_a_debugger() {
    let folder = tempfile::TempDir::new().unwrap();
    let log = write(&folder, "ioiwari.log", "4 3 2 4 2 3 2\n2\n3\n5\n4\n5\n7\n");
    let found = replay(&[&log, "--until", "1"], &parrot(&["2", "5", "5"]));
    expect(
        &found,
        0,
        &["ply 1: process ", "gdb -p ", "2 answers as recorded", "The replay ends at this ply, as asked."],
    );
    let file = record("splendor-played.json");
    let found = replay(
        &[file.to_str().unwrap(), "--seat", "1", "--until", "20"],
        &shell("cat > /dev/null; echo 1 0"),
    );
    expect(&found, 1, &["ply 21: process ", "ply 21: DIFFERENT"]);
}

#[test]
fn bad_files_and_arguments_get_one_clear_sentence() {
    let folder = tempfile::TempDir::new().unwrap();
    let golden = std::fs::read_to_string(record("ioiwari-played.json")).unwrap();
    let changed = golden.replacen("\"notation\":\"", "\"notation\":\"9", 1);
    let no_seq = golden.replacen("\"seq\":1,", "", 1);
    for (name, bytes, error) in [
        ("empty", b"".as_slice(), "line 1, column 1: the file is empty"),
        ("cut.json", &golden.as_bytes()[..500], "line 1, column 500: EOF while parsing"),
        ("seq.json", no_seq.as_bytes(), "line 1, column 1: event 1: seq: this field is missing"),
        ("changed.json", changed.as_bytes(), "the recorded move at ply "),
        ("page.html", b"<!DOCTYPE html>\n<p>Not found</p>", "line 1, column 1: this is a web page"),
        ("t.txt", b"< 4 3 2 4 2 3 2\nx", "line 2, column 1: a line of a transcript begins with"),
        ("other.txt", b"hello", "line 1, column 1: this is the beginning of none of these: a record, "),
        ("binary", b"4 3\n\xff\xfe", "line 2, column 1: this byte is not text in UTF-8"),
        ("broken.gz", b"\x1f\x8b\x08broken", "it cannot be unpacked: "),
        ("new.json", b"{\"format\": \"kibitz-record-9\"}", "format: \"kibitz-record-9\" is unknown"),
        ("words.txt", b"< hello\n> you", "this transcript is no dialogue of a game by its rules"),
    ] {
        let file = write(&folder, name, bytes);
        let found = replay(&[&file, "--seat", "0"], &parrot(&["2"]));
        assert_eq!(
            (found.code, found.errors.lines().count()),
            (Some(2), 1),
            "{name}: {}{}",
            found.out,
            found.errors
        );
        assert!(found.errors.contains(error), "{name}: {}", found.errors);
    }
    let good = record("ioiwari-played.json");
    let good = good.to_str().unwrap();
    for (arguments, bot, error) in [
        (
            &[good][..],
            sower("honest"),
            "choose the bot with --seat or --name; the seats are 0 (late name), 1 (seat 1)",
        ),
        (&[good, "--seat", "5"], sower("honest"), "there is no seat 5"),
        (&[good, "--seat", "1"], sower("honest"), "mirror=yes"),
        (&[good, "--name", "nobody"], sower("honest"), "no seat has this name"),
        (&[good, "--game", "chess"], sower("honest"), "there is no game 'chess'"),
        (&[good, "--game", "azul"], sower("honest"), "there is no match to replay"),
        (&[good, "--seat", "0", "--referee", "base=0"], sower("honest"), "no setting is called 'base'"),
        (&[good, "--seat", "0"], vec!["./no-such-bot".to_owned()], "./no-such-bot cannot be started"),
        (&["/no/such/file"], sower("honest"), "/no/such/file: No such file"),
        (&[good], vec![], "required arguments"),
    ] {
        let found = replay(arguments, &bot);
        expect(&found, 2, &[error]);
    }
}
