//! Tests of tricks, short decks and the end of a match.

use super::*;

#[test]
fn trick_without_a_cut_goes_to_the_leader() {
    let mut state = early([&[9, 10, 12, 13], &[7, 8, 11, 14]]);
    play(&mut state, &[9, 14]);
    assert_eq!((state.leader, &state.taken[0]), (Seat(0), &cards(&[9, 14])));
    assert_eq!((state.open().hands, state.open().deck, state.open().points()), ([4, 4], 22, [1, 0]));
}

#[test]
fn sevens_and_the_led_rank_cut_and_the_last_cut_takes() {
    let mut state = early([&[7, 9, 9, 10], &[7, 9, 12, 13]]);
    play(&mut state, &[9, 9]);
    let mut moves = Vec::new();
    state.view(Viewer::Seat(Seat(0))).legal(&mut moves);
    let texts: Vec<String> = moves.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["7", "9", "0"]);
    let mut stopped = state.clone();
    play(&mut stopped, &[0]);
    assert_eq!((stopped.leader, stopped.taken[1].len()), (Seat(1), 2));
    // The rank of the trick's first card cuts, not that of the last.
    play(&mut state, &[7, 7, 9, 13]);
    assert_eq!((state.leader, state.taken[0].len(), state.open().deck), (Seat(0), 6, 18));
}

#[test]
fn only_sevens_cut_a_led_seven() {
    let mut state = early([&[7, 9, 9, 10], &[8, 9, 12, 13]]);
    play(&mut state, &[7, 9]);
    assert_eq!(state.taken[0], cards(&[7, 9]));
}

#[test]
fn leader_without_a_cut_can_only_stop_and_without_a_card_is_not_asked() {
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
fn short_deck_is_dealt_in_four_ways() {
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
fn seat_without_cards_ends_the_match_and_the_other_takes_its_rest() {
    let mut state = table([&[9, 10, 14], &[8]], &[], 0, [14, 14], ShortDeck::default());
    let before = state.open().points();
    play(&mut state, &[9, 8]);
    assert_eq!(state.turn(), Turn::Over);
    assert_eq!(state.open().points(), [before[0] + 2, before[1]]);
    // Within a trick: a seat that cannot answer a cut loses it.
    let mut state = table([&[9, 9, 14], &[9]], &[], 0, [14, 14], ShortDeck::default());
    play(&mut state, &[9, 9, 9]);
    assert_eq!((state.turn(), state.taken[0].len()), (Turn::Over, 18));
}

#[test]
fn equal_points_are_split_or_the_players_win() {
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
fn mistake_loses_the_match() {
    let state = early([&[7, 9, 9, 10], &[7, 9, 12, 13]]);
    let Foul::End(outcome) = Septica::foul(&state, PLAYER, "a card it does not hold") else {
        panic!("the match ends");
    };
    assert_eq!(outcome, Outcome::lost_by(PLAYER, vec![0, 0], "a card it does not hold"));
}
