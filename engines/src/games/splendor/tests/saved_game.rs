//! Tests of the saved game: a replay reads the files back. It uses the published card tables and shares no code with the
//! rules.

use serde_json::{Value, json};

use super::{Board, Move, Options, Splendor, State, give, table};
use crate::erased::adapter::ErasedGame;
use crate::erased::{AnyGame as _, FinishedMatch, FinishedMove};
use crate::game::{Game, RecordedMatch, RecordedMove, Seat, State as _, Table, Turn, View as _, Viewer};
use crate::rng::{Rng, Seed};
use crate::search::{Limits, Patient, Search};

const SPLENDOR: ErasedGame<Splendor> = ErasedGame::new();

/// A player in a [`SavedGameReplay`].
#[derive(Clone, Default)]
struct ReplayPlayer {
    chips: [i64; 6],
    cards: Vec<i64>,
    reserved: Vec<i64>,
    nobles: Vec<i64>,
}

/// The table that a viewer builds from the file.
struct SavedGameReplay {
    bank: [i64; 6],
    /// The rest of each deck, next card first.
    decks: Vec<Vec<i64>>,
    face_up: Vec<Vec<i64>>,
    nobles: Vec<i64>,
    players: Vec<ReplayPlayer>,
    /// The next round and player.
    next: (usize, usize),
}

fn numbers(json: &Value) -> Vec<i64> {
    json.as_array().unwrap().iter().map(|n| n.as_i64().unwrap()).collect()
}

/// The numbers of a line of a published table. A colour counts as its index.
fn row(table: &str, id: i64) -> Vec<i64> {
    let line = table.lines().nth(usize::try_from(id).unwrap()).unwrap();
    let number = |text: &str| {
        let color = ["red", "green", "blue", "white", "black"].iter().position(|name| *name == text);
        color.map_or_else(|| text.parse().unwrap(), |place| place as i64)
    };
    line.split(',').map(number).collect()
}

fn card(id: i64) -> Vec<i64> {
    row(include_str!("../cards.csv"), id)
}

fn noble(id: i64) -> Vec<i64> {
    row(include_str!("../nobles.csv"), id)
}

impl ReplayPlayer {
    fn bonuses(&self) -> [i64; 5] {
        let mut bonuses = [0; 5];
        self.cards.iter().for_each(|id| bonuses[card(*id)[2] as usize] += 1);
        bonuses
    }

    fn points(&self) -> i64 {
        let cards: i64 = self.cards.iter().map(|id| card(*id)[3]).sum();
        cards + self.nobles.iter().map(|id| noble(*id)[1]).sum::<i64>()
    }

    /// The chips that a card costs this player.
    fn price(&self, id: i64) -> [i64; 6] {
        let (cost, bonuses) = (card(id), self.bonuses());
        let mut paid = [0; 6];
        for c in 0..5 {
            let due = (cost[4 + c] - bonuses[c]).max(0);
            paid[c] = due.min(self.chips[c]);
            paid[5] += due - paid[c];
        }
        paid
    }
}

impl SavedGameReplay {
    fn start(file: &Value) -> Self {
        let players = file["players"].as_array().unwrap().len();
        let chips = [4, 4, 5, 7][players - 1];
        let mut decks: Vec<Vec<i64>> = file["decks"].as_array().unwrap().iter().map(numbers).collect();
        for (deck, (first, last)) in decks.iter().zip([(1, 40), (41, 70), (71, 90)]) {
            let mut sorted = deck.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (first..=last).collect::<Vec<_>>());
        }
        Self {
            bank: [chips, chips, chips, chips, chips, 5],
            face_up: decks.iter_mut().map(|deck| deck.drain(..4).collect()).collect(),
            decks,
            nobles: numbers(&file["nobles"]),
            players: vec![ReplayPlayer::default(); players],
            next: (0, 0),
        }
    }

    fn draw(&mut self, level: usize) -> i64 {
        if self.decks[level].is_empty() { 0 } else { self.decks[level].remove(0) }
    }

    /// Takes a face-up card. Returns `false` if it is not face up.
    fn lift(&mut self, id: i64) -> bool {
        let level = card(id)[1] as usize - 1;
        let Some(slot) = self.face_up[level].iter().position(|up| *up == id) else { return false };
        self.face_up[level][slot] = self.draw(level);
        true
    }

    /// Moves chips from the bank to a player, or back if `sign` is -1.
    fn shift(&mut self, seat: usize, amounts: &[i64], sign: i64) {
        for (kind, n) in amounts.iter().enumerate() {
            self.bank[kind] -= sign * n;
            self.players[seat].chips[kind] += sign * n;
            assert!(self.bank[kind] >= 0 && self.players[seat].chips[kind] >= 0, "chips from nowhere");
        }
    }

    fn turn(&mut self, seat: usize, turn: &Value) {
        let tokens = numbers(&turn["tokens"]);
        match &tokens[..] {
            [1 | 2, counts @ ..] => {
                assert_eq!(counts.len(), 5, "{tokens:?}");
                assert!(if tokens[0] == 1 { counts.iter().all(|n| *n < 2) } else { counts.contains(&2) });
                self.shift(seat, counts, 1);
            }
            [3, id] => {
                let gold = self.bank[5].min(1);
                self.shift(seat, &[0, 0, 0, 0, 0, gold], 1);
                let drawn = if *id > 0 {
                    assert!(self.lift(*id), "{tokens:?}");
                    *id
                } else {
                    self.draw((-id) as usize - 1)
                };
                assert!(drawn > 0, "{tokens:?} of an empty deck");
                self.players[seat].reserved.push(drawn);
            }
            [4, id, paid @ ..] => {
                assert_eq!(paid, self.players[seat].price(*id), "{tokens:?}");
                self.shift(seat, paid, -1);
                if !self.lift(*id) {
                    let place = self.players[seat].reserved.iter().position(|r| r == id).unwrap();
                    self.players[seat].reserved.remove(place);
                }
                self.players[seat].cards.push(*id);
            }
            _ => panic!("{tokens:?}"),
        }
        for color in numbers(&turn["returns"]) {
            let mut one = [0; 5];
            one[color as usize] = 1;
            self.shift(seat, &one, -1);
        }
        let bonuses = self.players[seat].bonuses();
        let met = |id: &i64| noble(*id)[2..].iter().zip(bonuses).all(|(needs, have)| have >= *needs);
        let due = self.nobles.iter().position(met);
        let mistake = turn["arbiterMsg"] != "";
        let came = if mistake { None } else { due.map(|place| self.nobles.remove(place)) };
        assert_eq!(turn["nobleId"], came.unwrap_or(0));
        self.players[seat].nobles.extend(came);
        assert_eq!(turn["kibitzes"], json!([]));
        assert!(!mistake || (tokens == [1, 0, 0, 0, 0, 0] && turn["returns"] == json!([])));
    }

    /// Replays the whole file.
    fn of(file: &Value) -> Self {
        let mut replay = Self::start(file);
        let rounds = file["rounds"].as_array().unwrap();
        for (round, turns) in rounds.iter().enumerate() {
            let turns = turns.as_array().unwrap();
            let all = replay.players.len();
            assert!(if round + 1 < rounds.len() {
                turns.len() == all
            } else {
                (1..=all).contains(&turns.len())
            });
            for (seat, turn) in turns.iter().enumerate() {
                replay.turn(seat, turn);
                replay.next = if seat + 1 == all { (round + 1, 0) } else { (round, seat + 1) };
            }
        }
        replay
    }

    fn assert_is(&self, state: &State) {
        fn wide<T: Copy + Into<i64>>(list: &[T]) -> Vec<i64> {
            list.iter().map(|n| (*n).into()).collect()
        }
        let Board { bank, face_up, nobles, hands, round, to_move, .. } = &state.board;
        assert_eq!(self.bank[..], wide(bank));
        assert_eq!(self.nobles, wide(nobles));
        assert_eq!(self.next, (usize::from(*round), to_move.index()));
        assert!(self.face_up.iter().eq(face_up.map(|slots| wide(&slots)).iter()));
        let last_first = |deck: &Vec<u8>| wide(deck).into_iter().rev().collect::<Vec<_>>();
        assert_eq!(self.decks, state.decks.iter().map(last_first).collect::<Vec<_>>());
        for (player, hand) in self.players.iter().zip(hands) {
            assert_eq!(player.chips[..], wide(&hand.chips));
            assert_eq!(player.cards, wide(&hand.cards));
            assert_eq!(player.reserved, wide(&hand.reserved));
            assert_eq!(player.nobles, wide(&hand.nobles));
            assert_eq!(player.points(), i64::from(hand.points()));
        }
    }
}

/// A match of at most `plies` plies. `skill` is the share of greedy moves in eighths; one turn in sixteen is a mistake.
fn random_match(players: u8, seed: u64, skill: usize, plies: u32) -> (State, FinishedMatch) {
    let dealt = Splendor::deal(&Options { players }, &Seed::from(seed)).unwrap();
    let mut finished = FinishedMatch {
        dealt: serde_json::to_value(&dealt).unwrap(),
        moves: Vec::new(),
        names: (0..players).map(|seat| format!("Player \"{seat}\" ✓")).collect(),
    };
    let mut rng = Rng::stream(&Seed::from(seed), 5);
    let mut table = Table::<Splendor>::new(dealt);
    let greedy = Splendor::engines().iter().find(|e| e.name == "greedy").unwrap();
    while let Turn::Of(seat) = table.turn()
        && table.ply() < plies
    {
        let view = table.state().view(Viewer::Seat(seat));
        let mut moves = Vec::new();
        view.legal(&mut moves);
        let (notation, mistake) = if rng.below(16) == 0 {
            let mistake = "wrote \"7\", which is no action".to_owned();
            (table.foul(seat, &mistake).unwrap().unwrap().to_string(), Some(mistake))
        } else {
            let mv = if rng.below(8) < skill {
                (greedy.make)().choose(&view, &mut Search::new(Limits::default(), &Patient)).mv
            } else {
                rng.pick(&moves).copied().unwrap()
            };
            table.play(seat, &mv).unwrap();
            (mv.to_string(), None)
        };
        finished.moves.push(FinishedMove { seat, notation, mistake, remarks: Vec::new() });
    }
    (table.state().clone(), finished)
}

fn saved(finished: &FinishedMatch) -> Value {
    serde_json::from_str(&SPLENDOR.export("saved-game", finished).unwrap()).unwrap()
}

#[test]
fn saved_game_has_the_whole_match() {
    let (mut nobles, mut returns, mut unfinished, mut blind) = (0, 0, 0, 0);
    for players in 1..=4 {
        for seed in 0..24 {
            // Some matches end in the middle of a round.
            let plies = if seed % 3 == 0 { 17 + seed as u32 } else { u32::MAX };
            let (state, finished) = random_match(players, seed, [0, 4, 7, 8][seed as usize % 4], plies);
            let file = saved(&finished);
            let replay = SavedGameReplay::of(&file);
            replay.assert_is(&state);
            assert_eq!(file["players"], json!(finished.names));
            let turns: Vec<&Value> =
                file["rounds"].as_array().unwrap().iter().flat_map(|r| r.as_array().unwrap()).collect();
            assert_eq!(turns.len(), finished.moves.len());
            for (turn, finished) in turns.iter().zip(&finished.moves) {
                assert_eq!(turn["arbiterMsg"], finished.mistake.clone().unwrap_or_default());
                nobles += u32::from(turn["nobleId"] != 0);
                returns += u32::from(turn["returns"] != json!([]));
                blind += u32::from(turn["tokens"][0] == 3 && turn["tokens"][1].as_i64() < Some(0));
            }
            unfinished += u32::from(replay.next.1 != 0);
        }
    }
    assert!(
        nobles > 20 && returns > 100 && unfinished > 5 && blind > 100,
        "{nobles} {returns} {unfinished} {blind}"
    );
}

#[test]
fn actions_have_the_documented_numbers() {
    let turn = |text: &str| {
        let mut state = table(2);
        // Seat 0 can buy card 2 (three red) and has eight chips.
        give(&mut state, 0, [3, 0, 2, 0, 2, 1], &[]);
        let played = RecordedMove { seat: Seat(0), mv: super::mv(text), mistake: None, remarks: Vec::new() };
        let names = vec!["a".to_owned(), "b".to_owned()];
        let finished = RecordedMatch::<Splendor> { dealt: state, moves: vec![played], names };
        let file: Value = serde_json::from_str(&(Splendor::formats()[0].write)(&finished)).unwrap();
        let turn = &file["rounds"][0][0];
        (turn["tokens"].to_string(), turn["returns"].to_string())
    };
    let is = |tokens: &str, returns: &str| (tokens.to_owned(), returns.to_owned());
    assert_eq!(turn("1 0"), is("[1,0,0,0,0,0]", "[]"));
    assert_eq!(turn("1 3 1 3 4 0"), is("[1,0,1,0,1,1]", "[0]"));
    assert_eq!(turn("2 3"), is("[2,0,0,0,2,0]", "[]"));
    assert_eq!(turn("3 41"), is("[3,41]", "[]"));
    assert_eq!(turn("3 -2"), is("[3,-2]", "[]"));
    assert_eq!(turn("4 2"), is("[4,2,3,0,0,0,0,0]", "[]"));
    assert_eq!(turn("0"), is("[1,0,0,0,0,0]", "[]"));
}

/// While a noble is due, an explicit pass brings it and a void action does not. The file shows both.
#[test]
fn pass_brings_a_noble_and_mistake_does_not() {
    let mut state = table(1);
    // Noble 1 needs four red and four green bonuses.
    let of_color = |color: &str| {
        let lines = include_str!("../cards.csv").lines().skip(1).map(|l| l.split(',').collect::<Vec<_>>());
        let ids: Vec<u8> =
            lines.filter(|row| row[1] == "1" && row[2] == color).map(|row| row[0].parse().unwrap()).collect();
        ids.into_iter().filter(|id| *id > 4).take(4).collect::<Vec<_>>()
    };
    give(&mut state, 0, [0; 6], &[of_color("red"), of_color("green")].concat());
    let write = |mv: Move, mistake: Option<&str>| {
        let played = RecordedMove {
            seat: Seat(0),
            mv,
            mistake: mistake.map(str::to_owned),
            remarks: vec!["10% sure".to_owned()],
        };
        let names = vec!["alone".to_owned()];
        let finished = RecordedMatch::<Splendor> { dealt: state.clone(), moves: vec![played], names };
        let file: Value = serde_json::from_str(&(Splendor::formats()[0].write)(&finished)).unwrap();
        file["rounds"][0][0].to_string()
    };
    assert_eq!(
        write(Move::PASS, None),
        r#"{"arbiterMsg":"","kibitzes":["10% sure"],"nobleId":1,"returns":[],"tokens":[1,0,0,0,0,0]}"#
    );
    assert_eq!(
        write(Move::Void, Some("time")),
        r#"{"arbiterMsg":"time","kibitzes":["10% sure"],"nobleId":0,"returns":[],"tokens":[1,0,0,0,0,0]}"#
    );
}

/// The file of one match, byte for byte. `KIBITZ_RECORD=1` writes it again.
#[test]
fn recorded_file_is_written_again_byte_for_byte() {
    let (_, finished) = random_match(3, 7, 7, u32::MAX);
    let text = SPLENDOR.export("saved-game", &finished).unwrap();
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src/games/splendor/golden/three-players.saved-game.json");
    if std::env::var_os("KIBITZ_RECORD").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(&path).unwrap());
}

#[test]
fn impossible_matches_are_refused() {
    let (_, good) = random_match(2, 1, 4, 20);
    let refuse = |format: &str, edit: &dyn Fn(&mut FinishedMatch)| {
        let mut finished = good.clone();
        edit(&mut finished);
        SPLENDOR.export(format, &finished).unwrap_err().code.name()
    };
    assert_eq!(refuse("pgn", &|_| {}), "unknown_format");
    assert_eq!(refuse("saved-game", &|t| t.dealt = json!(7)), "bad_state");
    assert_eq!(refuse("saved-game", &|t| t.dealt["decks"][0][0] = json!(90)), "bad_state");
    assert_eq!(refuse("saved-game", &|t| t.names.truncate(1)), "bad_names");
    assert_eq!(refuse("saved-game", &|t| t.moves[1].seat = Seat(0)), "not_your_turn");
    assert_eq!(refuse("saved-game", &|t| t.moves[1].notation = "4 90".into()), "illegal_move");
    assert_eq!(refuse("saved-game", &|t| t.moves[1].notation = "what".into()), "bad_move");
}
