//! Tests of the option that says how melds are checked: by the written rules, or as the contest's referee does.

use serde_json::{Value, json};

use super::super::MeldRules;
use super::*;
use crate::conformance;
use crate::erased::adapter::ErasedGame;
use crate::erased::{AnyGame as _, StartPosition};
use crate::search::Limits;

const WRITTEN: Options = Options { starter: None, meld_rules: MeldRules::Written };

/// The same hands under the written rules.
fn written(hands: [&str; 2], pile: &str, stock: &str) -> State {
    let mut state = state(hands, pile, stock);
    state.open.meld_rules = MeldRules::Written;
    state
}

fn one_suit(meld: &Meld) -> bool {
    let mut natural = meld.cards().iter().filter(|card| card.rank() != 2).map(|card| card.suit());
    let first = natural.next();
    natural.all(|suit| Some(suit) == first)
}

#[test]
fn written_rules_refuse_what_only_the_referee_accepts() {
    let hands = ["A♦ A♠ 2♠ 2♥ 3♠ 4♠ 5♠ 6♠ K♥", "9♥ 3♦"];
    let lenient = [
        (
            "MELD_NEW [ A♦ 2♠ 3♠ ]",
            "by the written rules a meld has one suit, and A♦ and 3♠ are of different suits",
        ),
        ("MELD_NEW [ A♠ 2♠ 2♥ ]", "by the written rules a wild 2 cannot lie below a low ace"),
    ];
    for (text, rule) in lenient {
        let error = play(&mut plays(written(hands, "J♦", "9♦ 4♦"), &["GET_STOCK"]), text).unwrap_err();
        assert!(error.ends_with(rule), "{error}");
        play(&mut plays(state(hands, "J♦", "9♦ 4♦"), &["GET_STOCK"]), text).expect("the referee accepts it");
    }
    let begin = ["GET_STOCK", "MELD_NEW [ 2♠ 3♠ 4♠ ]"];
    for (text, rule) in [
        (
            "MELD_JOIN 0 [ A♦ ]",
            "with meld 0, by the written rules a meld has one suit, and A♦ and 3♠ are of different suits",
        ),
        ("MELD_JOIN 0 [ A♠ 2♥ ]", "with meld 0, by the written rules a wild 2 cannot lie below a low ace"),
        ("MELD_JOIN 0 [  ]", "by the written rules a join adds a card or more"),
    ] {
        let error = play(&mut plays(written(hands, "J♦", "9♦ 4♦"), &begin), text).unwrap_err();
        assert!(error.ends_with(rule), "{error}");
        play(&mut plays(state(hands, "J♦", "9♦ 4♦"), &begin), text).expect("the referee accepts it");
    }
    let mut table = plays(written(["2♠ 2♥ K♥", "9♥ 3♦"], "A♠", "9♦ 4♦"), &[]);
    assert!(play(&mut table, "GET_DISCARD [ 2♠ 2♥ ]").is_err());
    // Both accept an ace and a wild 2 of the written rules.
    for text in ["MELD_NEW [ A♠ 2♠ 3♠ ]", "MELD_NEW [ 2♥ 3♠ 4♠ ]", "MELD_NEW [ 3♠ 2♥ 5♠ ]"]
    {
        play(&mut plays(written(hands, "J♦", "9♦ 4♦"), &["GET_STOCK"]), text).unwrap();
    }
}

/// Plays random matches in which the seats also try any commands. Calls `each` with every position and command.
fn random_matches(options: &Options, seeds: std::ops::Range<u64>, mut each: impl FnMut(&State, &Move)) {
    for seed in seeds {
        let mut rng = Rng::stream(&Seed::from(seed), 7);
        let mut table = Table::<Buraco>::new(Buraco::deal(options, &Seed::from(seed)).unwrap());
        while let Turn::Of(seat) = table.turn() {
            let view = table.state().view(Viewer::Seat(seat));
            for _ in 0..12 {
                let mv = with_aces_and_twos(&view, &mut rng);
                each(table.state(), &mv);
                if rng.below(3) == 0 && !matches!(mv, Move::Discard { .. }) && table.play(seat, &mv).is_ok() {
                    break;
                }
            }
            if table.turn() == Turn::Of(seat) {
                table.play_random(&mut rng);
            }
            table.state().audit().unwrap();
        }
    }
}

/// Any command, or a listed one to which aces and 2s of the hand are added.
fn with_aces_and_twos(view: &View, rng: &mut Rng) -> Move {
    let mut listed = Vec::new();
    view.legal(&mut listed);
    let Some(mv) = rng.pick(&listed).filter(|_| !listed.is_empty()) else { return any_move(view, rng) };
    let low: Vec<Card> = view.hand().iter().copied().filter(|card| card.rank() <= 2).collect();
    let more = (0..1 + rng.below(2)).filter_map(|_| rng.pick(&low).copied());
    let cards = |cards: &[Card]| cards.iter().copied().chain(more).collect::<Vec<_>>().into();
    match mv {
        Move::MeldNew { cards: own } => Move::MeldNew { cards: cards(own) },
        Move::GetDiscard { cards: own } => Move::GetDiscard { cards: cards(own) },
        Move::MeldJoin { meld, .. } => Move::MeldJoin { meld: *meld, cards: cards(&[]) },
        Move::GetStock | Move::Discard { .. } => any_move(view, rng),
    }
}

#[test]
fn written_melds_have_one_suit_and_the_referee_accepts_more() {
    for (options, is_written) in [(WRITTEN, true), (Options::default(), false)] {
        let (mut melds, mut lenient, mut refused) = (0, 0, 0);
        random_matches(&options, 0..60, |state, mv| {
            let Turn::Of(seat) = state.open.turn() else { return };
            let mut table = Table::<Buraco>::new(state.clone());
            match table.play(seat, mv) {
                Ok(()) => {
                    for meld in table.state().open.melds(seat) {
                        melds += 1;
                        lenient += usize::from(meld.needs_leniency());
                        assert!(!is_written || one_suit(meld) && !meld.needs_leniency(), "{meld:?}");
                    }
                }
                Err(_) => {
                    let mut other = state.clone();
                    other.open.meld_rules = MeldRules::Referee;
                    let accepted = other.view(Viewer::Seat(seat)).is_legal(mv);
                    assert!(is_written || !accepted, "{mv}");
                    refused += usize::from(accepted);
                }
            }
        });
        assert!(melds > 1_000, "{melds}");
        assert_eq!((lenient > 0, refused > 0), (!is_written, is_written), "{lenient} {refused}");
    }
}

#[test]
fn every_refused_move_names_its_rule_under_both_rules() {
    for options in [WRITTEN, Options::default()] {
        let mut rng = Rng::new(&Seed::from(3));
        random_matches(&options, 0..10, |state, mv| {
            let Turn::Of(seat) = state.open.turn() else { return };
            let rule = conformance::broken_rule::<Buraco>(state, seat, mv, &mut rng).unwrap();
            assert_ne!(rule.is_some(), state.view(Viewer::Seat(seat)).is_legal(mv), "{mv}: {rule:?}");
        });
    }
}

#[test]
fn lists_and_engines_are_the_same_under_both_rules() {
    for seed in 0..6 {
        let mut table = Table::<Buraco>::new(Buraco::deal(&WRITTEN, &Seed::from(seed)).unwrap());
        let mut rng = Rng::stream(&Seed::from(seed), 2);
        while let Turn::Of(seat) = table.turn() {
            let mut other = table.state().clone();
            other.open.meld_rules = MeldRules::Referee;
            let [view, lenient] = [table.state(), &other].map(|state| state.view(Viewer::Seat(seat)));
            let (mut moves, mut same) = (Vec::new(), Vec::new());
            view.legal(&mut moves);
            lenient.legal(&mut same);
            assert_eq!(moves, same);
            let engine = rng.pick(Buraco::engines()).unwrap();
            let limits = || Limits { nodes: Some(200), ..Limits::default() };
            let chosen = [&view, &lenient].map(|view| engines::think(engine.name, view, limits()).mv);
            assert_eq!(chosen[0], chosen[1], "{}", engine.name);
            table.play(seat, &chosen[0]).unwrap();
        }
    }
}

#[test]
fn positions_and_records_of_the_referee_are_written_as_before() {
    let json =
        |options: &Options| serde_json::to_value(Buraco::deal(options, &Seed::from(4)).unwrap()).unwrap();
    let [old, new] = [Options::default(), WRITTEN].map(|options| json(&options));
    assert_eq!(old["open"].get("meld_rules"), None);
    assert_eq!(new["open"]["meld_rules"], json!("written"));
    assert_eq!(serde_json::to_value(Options::default()).unwrap(), json!({}));
    let back: State = serde_json::from_value(old).unwrap();
    assert_eq!(back.open.meld_rules(), MeldRules::Referee);
    let mut state = Buraco::deal(&WRITTEN, &Seed::from(4)).unwrap();
    let meld: Meld = cards("A♦ 2♠ 3♠").try_into().unwrap();
    state.open.melds[0].push(meld);
    let view = serde_json::to_value(state.view(Viewer::Seat(Seat(0)))).unwrap();
    let error = serde_json::from_value::<View>(view).unwrap_err().to_string();
    assert!(error.starts_with("melds: by the written rules a meld has one suit"), "{error}");
}

#[test]
fn match_from_a_position_has_its_rules() {
    let game = ErasedGame::<Buraco>::new();
    let seed = Seed::from(8);
    for (options, name) in [(WRITTEN, json!("written")), (Options::default(), Value::Null)] {
        let state = Buraco::deal(&options, &seed).unwrap();
        let Turn::Of(seat) = state.open.turn() else { panic!("a dealt match is not over") };
        let view = serde_json::to_value(state.view(Viewer::Seat(seat))).unwrap();
        for position in [
            StartPosition::View { view },
            StartPosition::Table { state: serde_json::to_value(&state).unwrap() },
        ] {
            let start = game.start(&position, None, &seed).unwrap();
            assert_eq!(start.options.get("meld_rules").cloned().unwrap_or_default(), name);
            let again = game.start(&start.position, Some(&start.options), &seed).unwrap();
            assert_eq!(again.table.state_json(), start.table.state_json());
            let other = if options == WRITTEN { json!({}) } else { json!({ "meld_rules": "written" }) };
            let error = game.start(&position, Some(&other), &seed).map(|_| ()).unwrap_err();
            assert!(error.detail.contains("meld_rules"), "{}", error.detail);
        }
    }
}

#[test]
fn people_have_the_written_rules_and_others_the_referees() {
    let game = ErasedGame::<Buraco>::new();
    assert_eq!(game.options_for(2), Some(json!({})));
    assert_eq!(game.options_for_people(2), Some(json!({ "meld_rules": "written" })));
}
