//! Runs the commands of `docs/harnesses.md` for each official referee as they are written, and lets the programs
//! that they create play under the referees of `official`.

use std::path::Path;
use std::process::Command;

use crate::end_to_end::{Home, LIMIT, assert_clean, shim};
use crate::official::{self, Bot, Report, SeatBot};
use crate::server_process::ServerProcess;

const PAGE: &str = include_str!("../../../docs/harnesses.md");

/// The address of the server on the page.
const USUAL: &str = "http://127.0.0.1:8080";

/// A game whose commands were run.
struct TriedGame {
    _server: ServerProcess,
    home: Home,
    game: &'static str,
    /// The output of the commands.
    printed: String,
}

impl TriedGame {
    /// Runs the commands in the page's section with this title.
    fn new(title: &str, game: &'static str) -> Self {
        let home = Home::new();
        let server = ServerProcess::start(&[]);
        let section = PAGE.split_once(&format!("\n## {title}\n")).expect("the page has the section").1;
        let section = section.split("\n##").next().unwrap_or_default();
        let (_, block) = section.split_once("```sh\n").expect("the section has commands");
        let (block, rest) = block.split_once("```\n").expect("the commands end");
        assert!(rest.contains(&format!("The bot is `bot/{game}`.")), "{rest}");
        assert!(block.contains(USUAL) && block.contains("target/shim/kibitz-shim"), "{block}");
        let program = shim();
        let program = program.to_str().expect("a plain path");
        let commands = block.replace(USUAL, &server.url()).replace("target/shim/kibitz-shim", program);
        let mut run = Command::new("sh");
        run.args(["-euc", &commands]).current_dir(home.path());
        let output = run.env("XDG_CACHE_HOME", home.path().join("cache")).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{commands}\n{printed}{}", String::from_utf8_lossy(&output.stderr));
        assert!(!printed.trim().is_empty(), "nothing was printed:\n{commands}");
        Self { _server: server, home, game, printed }
    }

    /// The program as the referee starts it, without arguments.
    fn bot(&self) -> SeatBot {
        let folder = self.home.path().join("bot");
        let program = folder.join(self.game).to_string_lossy().into_owned();
        let cache = self.home.path().join("cache").to_string_lossy().into_owned();
        SeatBot::Child(Bot {
            command: vec![program],
            env: vec![("XDG_CACHE_HOME".to_owned(), cache)],
            dir: folder,
        })
    }

    fn assert_clean(&self, report: &Report) {
        assert_clean(report, self.game);
        // The working folder has only the program and the script that starts it.
        let mut expected = ["kibitz-shim", self.game];
        expected.sort_unstable();
        assert_eq!(files(&self.home.path().join("bot")), expected);
    }
}

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn splendor_commands_create_a_bot_whose_remarks_are_kept() {
    let tried = TriedGame::new("Splendor", "splendor");
    assert!(
        tried.printed.split_whitespace().all(|number| number.parse::<i32>().is_ok()),
        "{}",
        tried.printed
    );
    let mut game = official::splendor::Match::new(vec![tried.bot(), SeatBot::Random], 3);
    game.move_limit = LIMIT;
    game.rounds = 2;
    let report = game.play();
    tried.assert_clean(&report);
    assert_eq!(official::splendor::voided(&report, 0).count(), 0, "{report}");
    let kept: Vec<_> = report.transcripts[0].lines().filter(|line| line.starts_with("# kibitz ")).collect();
    assert_eq!(kept.len(), 2, "one for each move: {report}");
    assert!(kept.iter().all(|line| line.contains("value ") && line.contains(" nodes, depth ")), "{kept:?}");
}

#[test]
fn azul_commands_create_a_bot() {
    let tried = TriedGame::new("Azul", "azul");
    assert_eq!(tried.printed, "state\n");
    let report = official::azul::Match::new([tried.bot(), SeatBot::Random], 3).play();
    tried.assert_clean(&report);
}

#[test]
fn septica_commands_create_a_bot() {
    let tried = TriedGame::new("Septica", "septica");
    let card: u32 = tried.printed.trim().parse().unwrap();
    assert!((8..=13).contains(&card), "{card} is not in the hand");
    let mut game = official::septica::Match::new(tried.bot(), 3);
    game.matches = 20;
    tried.assert_clean(&game.play());
}

#[test]
fn ioiwari_commands_create_a_bot() {
    let tried = TriedGame::new("Ioiwari", "ioiwari");
    assert_eq!(tried.printed, "2\n");
    let report = official::ioiwari::Match::new(tried.bot(), 3).play();
    tried.assert_clean(&report);
    assert_eq!(report.winner, Some(0), "{report}");
}

#[test]
fn buraco_commands_create_a_bot() {
    let tried = TriedGame::new("Buraco", "buraco");
    assert!(tried.printed.starts_with("GET_"), "{}", tried.printed);
    let mut game = official::buraco::Match::new([tried.bot(), SeatBot::Random], 3);
    game.limit = LIMIT;
    tried.assert_clean(&game.play());
}
