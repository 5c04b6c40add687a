//! Septica's rules by hand-worked cases, its dialogue line by line, and its engines.

mod zeros;

use std::collections::BTreeMap;

use serde_json::json;

use super::protocol::{Bot, Judge};
use super::rules::{Open, PLAYER};
use super::{Draws, Move, Options, Rank, Septica, ShortDeck, State, View};
use crate::game::{Foul, Game, Outcome, Seat, State as _, Table, Turn, View as _, Viewer};
use crate::protocol::{Awaits, Entry, Player, PlayerAwaits, PlayerDecision, Referee, Settings};
use crate::rng::{Rng, Seed};
use crate::session::Session;

fn cards(ranks: &[i64]) -> Vec<Rank> {
    ranks.iter().map(|n| Rank::new(*n).unwrap()).collect()
}

fn play(state: &mut State, moves: &[i64]) {
    for number in moves {
        let Turn::Of(seat) = state.turn() else { panic!("the match is over before {number}") };
        let mv: Move = number.to_string().parse().unwrap();
        assert!(state.view(Viewer::Seat(seat)).is_legal(&mv), "{mv} in {state:?}");
        state.play(&mv);
        state.audit().unwrap();
    }
}

/// A match with these hands and this deck (the next card last); all other cards lie with `rest`.
fn table(hands: [&[i64]; 2], deck: &[i64], leader: u8, rest: [usize; 2], short_deck: ShortDeck) -> State {
    let mut left: Vec<Rank> = Rank::all().flat_map(|r| [r; 4]).collect();
    for card in hands.iter().copied().chain([deck]).flat_map(cards) {
        left.remove(left.iter().position(|c| *c == card).unwrap());
    }
    assert_eq!(left.len(), rest[0] + rest[1]);
    let taken = [left[..rest[0]].to_vec(), left[rest[0]..].to_vec()];
    let state = State {
        options: Options { short_deck, draws: Draws::Split },
        hands: hands.map(cards),
        deck: cards(deck),
        taken,
        leader: Seat(leader),
        trick: Vec::new(),
        past: Vec::new(),
    };
    state.audit().unwrap();
    state
}

fn early(hands: [&[i64]; 2]) -> State {
    let mut deck: Vec<i64> = (7..=14).flat_map(|r| [r; 4]).collect();
    for card in hands.iter().copied().flatten() {
        deck.remove(deck.iter().position(|c| c == card).unwrap());
    }
    table(hands, &deck, 0, [0, 0], ShortDeck::default())
}

#[test]
fn a_trick_without_a_cut_goes_to_the_leader() {
    let mut state = early([&[9, 10, 12, 13], &[7, 8, 11, 14]]);
    play(&mut state, &[9, 14]);
    assert_eq!((state.leader, &state.taken[0]), (Seat(0), &cards(&[9, 14])));
    assert_eq!((state.open().hands, state.open().deck, state.open().points()), ([4, 4], 22, [1, 0]));
}

#[test]
fn a_seven_and_the_led_rank_cut_and_the_last_cut_takes() {
    let mut state = early([&[7, 9, 9, 10], &[7, 9, 12, 13]]);
    play(&mut state, &[9, 9]);
    let mut moves = Vec::new();
    state.view(Viewer::Seat(Seat(0))).legal(&mut moves);
    let texts: Vec<String> = moves.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["7", "9", "0"]);
    let mut stopped = state.clone();
    play(&mut stopped, &[0]);
    assert_eq!((stopped.leader, stopped.taken[1].len()), (Seat(1), 2));
    // The rank of the trick's first card cuts, not the rank of the last.
    play(&mut state, &[7, 7, 9, 13]);
    assert_eq!((state.leader, state.taken[0].len(), state.open().deck), (Seat(0), 6, 18));
}

#[test]
fn when_a_seven_is_led_only_sevens_cut() {
    let mut state = early([&[7, 9, 9, 10], &[8, 9, 12, 13]]);
    play(&mut state, &[7, 9]);
    assert_eq!(state.taken[0], cards(&[7, 9]));
}

#[test]
fn without_a_cut_the_leader_can_only_stop_and_without_a_card_the_trick_is_over() {
    let mut state = early([&[8, 9, 10, 11], &[7, 9, 12, 13]]);
    play(&mut state, &[9, 7]);
    let mut moves = Vec::new();
    state.view(Viewer::Seat(Seat(0))).legal(&mut moves);
    assert_eq!(moves, [Move::Stop]);
    let mut state = table([&[9], &[7]], &[], 0, [14, 16], ShortDeck::default());
    play(&mut state, &[9, 7]);
    assert_eq!(state.turn(), Turn::Over);
    assert_eq!(state.taken[1].len(), 18);
}

/// Seat 1 leads three pairs and takes them; two cards are left, the 13 lies on top.
#[test]
fn a_short_deck_is_dealt_in_four_ways() {
    use ShortDeck::{ComputerAlternates, ComputerFillsFirst, WinnerAlternates, WinnerFillsFirst};
    for (way, expected) in [
        (WinnerAlternates, [vec![7, 12], vec![13, 14]]),
        (WinnerFillsFirst, [vec![7], vec![12, 13, 14]]),
        (ComputerAlternates, [vec![7, 13], vec![12, 14]]),
        (ComputerFillsFirst, [vec![7, 12, 13], vec![14]]),
    ] {
        let mut state = table([&[7, 8, 8, 11], &[7, 8, 8, 14]], &[12, 13], 1, [10, 12], way);
        play(&mut state, &[8, 8, 8, 8, 7, 11]);
        assert_eq!(state.hands, expected.map(|h| cards(&h)), "{way:?}");
        assert_eq!((state.leader, state.deck.len()), (PLAYER, 0));
    }
}

#[test]
fn a_seat_without_cards_ends_the_match_and_the_other_takes_its_rest() {
    let mut state = table([&[9, 10, 14], &[8]], &[], 0, [14, 14], ShortDeck::default());
    let before = state.open().points();
    play(&mut state, &[9, 8]);
    assert_eq!(state.turn(), Turn::Over);
    assert_eq!(state.open().points(), [before[0] + 2, before[1]]);
    // Inside a trick: who cannot answer a cut loses it.
    let mut state = table([&[9, 9, 14], &[9]], &[], 0, [14, 14], ShortDeck::default());
    play(&mut state, &[9, 9, 9]);
    assert_eq!((state.turn(), state.taken[0].len()), (Turn::Over, 18));
}

#[test]
fn a_draw_is_split_or_the_players() {
    let end = |draws| {
        let mut state = table([&[9], &[8]], &[], 0, [14, 16], ShortDeck::default());
        state.options.draws = draws;
        let points: Vec<Rank> = cards(&[10, 10, 14, 14]);
        let mut rest: Vec<Rank> = Rank::all().flat_map(|r| [r; 4]).filter(|c| !c.is_point()).collect();
        for card in cards(&[8, 9]) {
            rest.remove(rest.iter().position(|c| *c == card).unwrap());
        }
        state.taken = [[&points[..], &rest[..10]].concat(), [&points[..], &rest[10..]].concat()];
        state.taken.iter_mut().for_each(|t| t.sort_unstable());
        state.audit().unwrap();
        play(&mut state, &[9, 8]);
        state.outcome().unwrap()
    };
    assert_eq!(end(Draws::Split).ranks, [1, 1]);
    assert_eq!(end(Draws::Player).ranks, [2, 1]);
    assert_eq!(end(Draws::Player).points, [4, 4]);
}

#[test]
fn a_mistake_loses_the_match() {
    let state = early([&[7, 9, 9, 10], &[7, 9, 12, 13]]);
    let Foul::End(outcome) = Septica::foul(&state, PLAYER, "a card it does not hold") else {
        panic!("the match ends");
    };
    assert_eq!(outcome, Outcome::lost_by(PLAYER, vec![0, 0], "a card it does not hold"));
}

#[test]
fn impossible_positions_are_refused_by_name() {
    let good = json!({"hand": [7, 9, 12, 13], "hands": [3, 4], "deck": 24, "leader": 0, "trick": [9],
        "taken": [[], []], "draws": "player"});
    let parse = |v: &serde_json::Value| serde_json::from_value::<View>(v.clone()).map_err(|e| e.to_string());
    assert_eq!(parse(&good).unwrap().viewer(), Viewer::Seat(PLAYER));
    let long: Vec<u8> = vec![8; 300];
    for (field, value, part) in [
        ("hand", json!([7, 9, 12, 15]), "7 to 14"),
        ("hand", json!([7, 9, 12]), "hand"),
        ("hand", json!(long), "hand"),
        ("hand", json!([9, 9, 9, 9]), "rank 9"),
        ("hands", json!([4, 4]), "32 cards"),
        ("hands", json!([255, 255]), "32 cards"),
        ("hands", json!([2, 5]), "hands"),
        ("deck", json!(255), "32 cards"),
        ("leader", json!(2), "leader"),
        ("leader", json!(1), "hands"),
        ("trick", json!([9, 8, 8]), "trick"),
        ("trick", json!(long), "trick"),
        ("taken", json!([long, []]), "taken"),
        ("taken", json!([[], [], []]), "length"),
        ("draws", json!("mine"), "variant"),
        ("past", json!([[9, 9]]), "past"),
        ("past", json!([[]]), "past"),
        ("past", json!([[9], long]), "past"),
        ("viewer", json!({"seat": 7}), "viewer"),
        ("viewer", json!({"seat": 0}), "hand"),
        ("viewer", json!("spectator"), "hand"),
        ("x", json!(1), "x"),
    ] {
        let mut bad = good.clone();
        bad[field] = value;
        let error = parse(&bad).unwrap_err();
        assert!(error.contains(part), "{field}: {error}");
    }
    for (value, part) in [
        // A trick that is over; an odd deck; a hand that should have been filled; nobody to play.
        (
            json!({"hand": [8], "hands": [1, 1], "deck": 0, "leader": 1, "trick": [9, 8],
            "taken": [[], [7, 7, 7, 7]]}),
            "32 cards",
        ),
        (
            json!({"hand": [7, 9, 12, 13], "hands": [3, 4], "deck": 23, "leader": 0, "trick": [9],
            "taken": [[8], []]}),
            "pairs",
        ),
        (
            json!({"hand": [7, 9, 12], "hands": [3, 3], "deck": 24, "leader": 0, "trick": [],
            "taken": [[8, 8], []]}),
            "begins a trick",
        ),
    ] {
        let error = parse(&value).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
}

/// The tricks that are over may be told or not; told, they must have led here.
#[test]
fn the_past_is_told_truly_or_not_at_all() {
    let told = json!({"hand": [7, 9, 12, 13], "hands": [4, 4], "deck": 22, "leader": 1, "trick": [],
        "taken": [[], [9, 7]], "past": [[9, 7]]});
    let parse = |v: &serde_json::Value| serde_json::from_value::<View>(v.clone()).map_err(|e| e.to_string());
    assert_eq!(parse(&told).unwrap().open.past, [cards(&[9, 7])]);
    let mut untold = told.clone();
    untold["past"] = json!([]);
    let mut guess = parse(&untold).unwrap().guess(&mut Rng::new(&Seed::from(1)));
    for past in [json!([[7, 9]]), json!([[9, 8]]), json!([[9, 7], [9, 7]]), json!([[9, 10, 7, 7]])] {
        let mut bad = told.clone();
        bad["past"] = past;
        assert!(parse(&bad).unwrap_err().contains("past"), "{bad}");
    }
    // What began untold stays untold.
    let mut moves = Vec::new();
    for _ in 0..4 {
        let Turn::Of(seat) = guess.turn() else { break };
        moves.clear();
        guess.view(Viewer::Seat(seat)).legal(&mut moves);
        guess.play(&moves[0]);
        guess.audit().unwrap();
    }
    assert_eq!(guess.open().past, Vec::<Vec<Rank>>::new());
}

#[test]
fn any_number_of_hidden_cards_is_checked_without_a_panic() {
    let mut rng = Rng::new(&Seed::from(5));
    for _ in 0..20_000 {
        let some = |rng: &mut Rng, most: usize| -> Vec<Rank> {
            (0..rng.below(most)).map(|_| Rank::from_index(rng.below(8))).collect()
        };
        let taken = [some(&mut rng, 14), some(&mut rng, 14)];
        let (trick, hand) = (some(&mut rng, 4), some(&mut rng, 5));
        let hands = [rng.below(5) as u8, hand.len() as u8];
        let used = taken[0].len() + taken[1].len() + trick.len() + hand.len() + usize::from(hands[0]);
        let deck = 32u8.saturating_sub(used as u8);
        let past = if rng.below(2) == 0 { Vec::new() } else { vec![some(&mut rng, 4)] };
        let open = Open { leader: Seat(rng.below(2) as u8), trick, taken, past, hands, deck };
        if let Ok(view) = View::new(open, hand, Draws::Split, Viewer::Seat(PLAYER)) {
            let guess = view.guess(&mut rng);
            guess.audit().unwrap();
            assert_eq!(guess.view(Viewer::Seat(PLAYER)), view);
        }
    }
}

/// Matches in a row: the player's side and the computer's, both playing at random, as a transcript. `silences`: how
/// often the player waited in vain for a word.
fn talk(short_deck: ShortDeck, awaits: bool, seed: u64, matches: u32, silences: &mut u32) -> String {
    let mut log = format!("# settings: matches={matches}\n");
    let settings = Settings(BTreeMap::from([("matches".to_owned(), matches.to_string())]));
    let mut bot = Bot::new(&settings).unwrap();
    let mut said = Vec::new();
    let mut step = bot.start(&mut said);
    let mut rng = Rng::stream(&Seed::from(seed), 9);
    for number in 0..u64::from(matches) {
        let options = Options { short_deck, draws: Draws::Player };
        let mut table = Table::<Septica>::new(Septica::deal(&options, &Seed::from(seed + number)).unwrap());
        let mut judge = Judge::awaiting_last_zero(awaits);
        let mut inbox = Vec::new();
        judge.open(table.state(), &mut inbox);
        loop {
            let over = table.turn() == Turn::Over;
            let zeros = |said: &mut Vec<String>, judge: &mut Judge, log: &mut String| {
                for line in said.drain(..) {
                    *log += &format!("> {line}\n");
                    assert_eq!(judge.line(table.state(), &line), Ok(None), "{log}");
                }
            };
            for line in std::mem::take(&mut inbox) {
                log += &format!("< {line}\n");
                step = bot.line(&line, &mut said).unwrap();
                zeros(&mut said, &mut judge, &mut log);
            }
            // The judge waits too: for a word on the last trick, or for the player's choice to go on.
            if matches!(step, Awaits::EntryWithin(_)) && (over || table.turn() == Turn::Of(PLAYER)) {
                *silences += 1;
                step = bot.silence(&mut said);
            }
            zeros(&mut said, &mut judge, &mut log);
            if over {
                judge.prompt(table.state(), None, &mut inbox);
                if inbox.is_empty() { break } else { continue }
            }
            let Turn::Of(seat) = table.turn() else { break };
            let mut moves = Vec::new();
            let view = table.state().view(Viewer::Seat(seat));
            view.legal(&mut moves);
            let mv = *rng.pick(&moves).unwrap();
            if seat == PLAYER {
                judge.prompt(table.state(), None, &mut inbox);
                let Awaits::Decision(PlayerDecision { view: told, .. }) = &step else {
                    panic!("no decision asked:\n{log}")
                };
                assert_eq!(**told, view, "{log}");
                step = bot.played(&mv, &mut said);
                log += &format!("> {}\n", said[0]);
                assert_eq!(judge.line(table.state(), &said.remove(0)), Ok(Some(mv)));
            }
            let before = table.state().clone();
            table.play(seat, &mv).unwrap();
            judge.moved(&before, seat, &mv, table.state(), &mut inbox);
        }
    }
    assert_eq!(step, Awaits::Nothing, "{log}");
    log
}

#[test]
fn whole_contests_are_talked_through_with_every_computer() {
    for short_deck in ShortDeck::ALL {
        for awaits in [false, true] {
            let mut silences = 0;
            talk(short_deck, awaits, 100, 300, &mut silences);
            let equal = matches!(short_deck, ShortDeck::WinnerAlternates | ShortDeck::ComputerAlternates);
            if equal {
                assert_eq!(silences, u32::from(awaits), "one silence teaches the rest: {short_deck:?}");
            }
        }
    }
}

/// The files hold what both sides say, byte for byte; the player's side is replayed from them by the tests of all
/// games.
#[test]
fn the_recorded_contests_are_what_both_sides_say() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/games/septica/golden");
    let mut with_zero = 0;
    for short_deck in ShortDeck::ALL {
        let name = serde_json::to_value(short_deck).unwrap().as_str().unwrap().replace('_', "-");
        let said = [false, true].map(|awaits| talk(short_deck, awaits, 7, 4, &mut 0));
        with_zero += u32::from(said[0] != said[1]);
        for (said, ending) in said.iter().zip(["", "-awaits-last-zero"]) {
            let path = folder.join(format!("{name}{ending}.dialogue"));
            if std::env::var_os("KIBITZ_RECORD").is_some() {
                std::fs::write(&path, said).unwrap();
            }
            assert_eq!(*said, std::fs::read_to_string(&path).unwrap(), "{}", path.display());
        }
    }
    assert_eq!(with_zero, 4, "in every way of dealing the last zero matters somewhere");
}

/// The player's side reads these lines; what it said, and what it waits for.
fn hear(settings: &[(&str, &str)], lines: &[&str]) -> (Vec<String>, PlayerAwaits<Septica>) {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let mut bot = Bot::new(&Settings(settings)).unwrap();
    let mut said = Vec::new();
    let mut step = bot.start(&mut said);
    for line in lines {
        match line.strip_prefix("> ") {
            Some("silence") => step = bot.silence(&mut said),
            Some(mv) => {
                assert!(
                    matches!(step, Awaits::Decision(_)),
                    "{mv} was not asked for: {step:?} after {said:?}"
                );
                step = bot.played(&mv.parse().unwrap(), &mut said);
            }
            None => step = bot.line(line, &mut said).unwrap(),
        }
    }
    (said, step)
}

/// Four tricks of three pairs, all led and won by the computer with 7s out of the way: the deck is out, and one card is
/// in each hand when the last trick begins. It ends with ours.
fn to_our_last_trick() -> Vec<&'static str> {
    vec![
        "8 8 9 9", "11", "> 8", "2 1 12", "11", "> 8", "2 1 12", "11", "> 9", "2 1 12", "11", "> 9",
        "2 1 12", "13", "> 12", "2 1 14", "13", "> 12", "2 1 14", "13", "> 12", "2 1 14", "13", "> 12",
        "2 1 14", "7", "> 14", "2 1 10", "7", "> 14", "2 1 10", "7", "> 14", "2 1 8", "7", "> 14", "2 1 8",
        "9", "> 8", "2 0", "9", "> 8", "2 0", "10", "> 10", "3 0", "> 10",
    ]
}

#[test]
fn the_last_zero_is_learned_once() {
    let with = |setting, more: &[&str]| {
        let lines = [&to_our_last_trick()[..], more].concat();
        let settings = [("final_zero", setting)];
        let (said, step) = hear(&settings, &lines);
        (said.last().cloned().unwrap_or_default(), said.len(), step)
    };
    let decisions = to_our_last_trick().iter().filter(|l| l.starts_with('>')).count();
    assert!(matches!(with("auto", &["10"]), (_, n, Awaits::EntryWithin(_)) if n == decisions));
    let zero = |step| ("0".to_owned(), decisions + 1, step);
    assert_eq!(with("auto", &["10", "> silence"]), zero(Awaits::Entry));
    assert_eq!(with("yes", &["10"]), zero(Awaits::Entry));
    assert_eq!(with("no", &["10"]).1, decisions);
    let again = to_our_last_trick();
    let twice = |first: &[&'static str]| {
        let head = [&to_our_last_trick()[..], first].concat();
        let (said, _) = hear(&[], &[&head[..], &again[..], &["10"]].concat());
        said.len()
    };
    assert_eq!(twice(&["10", "4 5 3"]), 2 * decisions, "it came by itself, so no zero is sent again");
    assert_eq!(
        twice(&["10", "> silence", "4 5 3"]),
        2 * decisions + 2,
        "it was awaited, so it is sent again"
    );
}

/// The deck is down to 4; the computer leads a trick of three pairs and takes it.
fn to_a_short_deck() -> Vec<&'static str> {
    let tricks = to_our_last_trick();
    let first_ten = tricks.iter().position(|l| *l == "2 1 10").unwrap();
    let mut lines = tricks[..first_ten + 4].to_vec();
    lines.extend(["10", "> 10", "10", "> 10", "7", "> 14"]);
    lines
}

#[test]
fn any_number_of_drawn_cards_is_accepted_and_an_empty_hand_says_nothing() {
    let seen = |step: PlayerAwaits<Septica>| {
        let Awaits::Decision(PlayerDecision { view, .. }) = step else { panic!("an answer is due") };
        (view.open.hands, view.open.deck)
    };
    let with = |more: &[&str]| hear(&[], &[&to_a_short_deck()[..], more].concat());
    assert_eq!(seen(with(&["2 2 8 9", "7"]).1), ([2, 3], 0));
    assert_eq!(seen(with(&["2 1 8", "7"]).1), ([3, 2], 0));
    assert_eq!(seen(with(&["2 3 8 8 9", "7"]).1), ([1, 4], 0));
    let (before, _) = with(&["2 1 8"]);
    let fewer = ["2 1 8", "7", "> 8", "2 0", "9", "> 14", "2 0"];
    for rest in [&["8", "2 0", "9", "2 0", "4 5 3"][..], &["3 0", "8", "9", "4 5 3"], &["4 5 3"]] {
        let (said, step) = with(&[&fewer[..], rest, &["7 8 9 10"]].concat());
        assert_eq!((said.len() - before.len(), step), (2, Awaits::Entry), "{rest:?}");
    }
    // The other way round: the computer is out of cards, we are not. If it says nothing, our zero ends the trick.
    let more = ["2 3 8 9 9", "7", "> 8", "2 0", "8", "> 9", "3 0"];
    let (said, step) = with(&more);
    assert_eq!(
        (said.last().unwrap().as_str(), &step),
        ("9", &Awaits::EntryWithin(std::time::Duration::from_millis(300)))
    );
    let (said, step) = with(&[&more[..], &["> silence"]].concat());
    assert_eq!((said.last().unwrap().as_str(), step), ("0", Awaits::Entry));
    let (said, step) = with(&[&more[..], &["4 5 3"]].concat());
    assert_eq!((said.last().unwrap().as_str(), step), ("9", Awaits::Entry));
}

#[test]
fn tokens_count_and_not_lines() {
    let (said, step) = hear(&[], &["8 9", "", "  10", "11 12", "> 8", "2", "1", "13  9", "> 9", "3 1 14"]);
    assert_eq!(said, ["8", "9"]);
    let Awaits::Decision(PlayerDecision { view, .. }) = step else { panic!("our lead") };
    assert_eq!((view.hand.clone(), view.open.deck), (cards(&[10, 11, 13, 14]), 20));
}

#[test]
fn what_cannot_be_is_played_on_until_the_next_match() {
    // A fifth 8; a card led twice without a cut between; cards that do not fill the hand.
    let (said, _) = hear(&[], &["8 8 8 8", "8"]);
    assert_eq!(said, ["8"]);
    let (said, _) = hear(&[], &["8 8 9 9", "10", "> 8", "10"]);
    assert_eq!(said, ["8", "8"]);
    let (said, step) = hear(&[], &["8 8 9 9", "10", "> 8", "3 3 11 11 11", "12", "0"]);
    assert_eq!(said, ["8", "8", "0"]);
    assert_eq!(step, Awaits::Entry);
    let (_, step) = hear(&[], &["8 8 8 8", "8", "4 0 8", "7 8 9 10", "14"]);
    assert!(matches!(step, Awaits::Decision(_)), "the next match is a fresh start");
    let refused = ["8 8 8 x", "8 8 8 15", "8 8 8 8 1", "8 8 8 8 -2", "8 8 8 8 5", "8 8 8 8 2 33"];
    for line in refused {
        let mut bot = Bot::new(&Settings::default()).unwrap();
        assert!(bot.line(line, &mut Vec::new()).is_err(), "{line}");
    }
}

/// A card that cannot be read is a card all the same, a word is none: the dialogue stays in step.
#[test]
fn what_cannot_be_read_is_played_on() {
    let session = |lines: &[&str]| {
        let mut session = Session::new(Box::new(Bot::new(&Settings::default()).unwrap()));
        session.push(lines.iter().map(|line| Entry::Read((*line).to_owned())));
        let wants = session.advance().unwrap_or_else(|e| panic!("{lines:?}: {e}"));
        (session, wants)
    };
    for lines in [
        &["8 9 10 15", "12"][..],
        &["15 9 10 8", "12"],
        &["8 9 hello 10 11", "12"],
        &["8 9 10 11", "1"],
        &["8 9 10 11", "15"],
        &["8 8 8 8", "8"],
    ] {
        let (mut session, wants) = session(lines);
        if let Awaits::Decision(PlayerDecision { view, .. }) = wants {
            let mut moves = Vec::new();
            view.legal(&mut moves);
            session.decide(&moves[0].to_string()).unwrap();
        }
        let said = session.take_lines();
        let hand: Vec<i64> = lines[0].split(' ').filter_map(|card| card.parse().ok()).collect();
        assert!(said.len() == 1 && hand.contains(&said[0].parse().unwrap()), "{lines:?}: {said:?}");
        assert!(!session.take_remarks().is_empty(), "{lines:?}");
        // The number of drawn cards is told by the cards themselves.
        session.push(["2 40 13", "14"].map(|line| Entry::Read(line.to_owned())));
        session.advance().unwrap();
        assert!(!session.take_remarks().is_empty(), "{lines:?}");
    }
}

#[test]
fn settings_are_checked() {
    for (name, value) in
        [("matches", "0"), ("matches", "x"), ("final_zero", "maybe"), ("draws", "mine"), ("colour", "red")]
    {
        let settings = Settings(BTreeMap::from([(name.to_owned(), value.to_owned())]));
        assert!(Bot::new(&settings).is_err(), "{name}={value}");
    }
    let (_, step) = hear(&[], &["8 9 10 11", "12"]);
    let Awaits::Decision(PlayerDecision { view, .. }) = step else { panic!("an answer is due") };
    assert_eq!(view.draws, Draws::Player);
    let (_, step) = hear(&[("matches", "1")], &["8 9 10 11", "4 0 0"]);
    assert_eq!(step, Awaits::Nothing);
}

#[test]
fn the_computer_refuses_what_is_no_move_and_wants_its_zeros() {
    let mut state = early([&[9, 10, 12, 13], &[7, 8, 11, 14]]);
    let mut judge = Judge::awaiting_last_zero(false);
    let mut out = Vec::new();
    judge.open(&state, &mut out);
    assert_eq!(out, ["7 8 11 14"]);
    for bad in ["x", "6", "15", "-1", "7 8", "99999999999999999999"] {
        assert!(judge.line(&state, bad).is_err(), "{bad}");
    }
    assert_eq!(judge.line(&state, ""), Ok(None));
    state.leader = PLAYER;
    state.taken[1] = vec![state.deck.pop().unwrap(), state.deck.pop().unwrap()];
    state.taken[1].sort_unstable();
    state.audit().unwrap();
    play(&mut state, &[11]);
    let before = state.clone();
    let mv = Move::Card(Rank::new(9).unwrap());
    state.play(&mv);
    out.clear();
    judge.moved(&before, Seat(0), &mv, &state, &mut out);
    assert_eq!(out[0], "9");
    assert!(out[1].starts_with("3 1 "), "{out:?}");
    assert!(judge.line(&state, "8").is_err(), "the zero is owed first");
    assert_eq!(judge.line(&state, "0 8"), Ok(Some(Move::Card(Rank::new(8).unwrap()))));
}
