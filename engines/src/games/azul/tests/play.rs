//! The clock's shares.

use super::*;

/// Whatever is played, the shares of a match stay within its clock, the reserve is never touched, and there is
/// always some time for a real decision.
#[test]
fn the_clock_lasts_for_every_match() {
    let mut longest = 0;
    for seed in 0..300 {
        let mut rng = Rng::new(&Seed::from(seed));
        let mut state = deal(seed);
        let mut clocks = [Duration::from_secs(30); 2];
        let mut least = Duration::MAX;
        let mut plies = 0;
        while let Turn::Of(seat) = state.turn() {
            let view = state.view(Viewer::Seat(seat));
            let mut moves = Vec::new();
            view.legal(&mut moves);
            let share = Azul::allot(&view, clocks[seat.index()]);
            assert_eq!(share.is_zero(), moves.len() == 1, "a forced move costs nothing, any other gets time");
            clocks[seat.index()] -= share;
            if moves.len() > 1 {
                least = least.min(share);
            }
            // Some players drop much, which makes long matches.
            let dropped = moves.iter().filter(|m| m.line == 5).copied().collect::<Vec<_>>();
            let from = if seed % 3 == 0 && rng.below(2) == 0 { &dropped } else { &moves };
            let chosen = *rng.pick(from).unwrap();
            state.play(&chosen);
            plies += 1;
        }
        assert!(clocks.iter().all(|c| *c >= Duration::from_millis(300)), "{clocks:?}");
        longest = longest.max(plies);
        if seed % 3 != 0 {
            assert!(least > Duration::from_millis(5), "match {seed}: {least:?} in {plies} plies");
        }
    }
    assert!(longest > 100, "long matches were among them");
}

#[test]
fn early_moves_of_a_round_get_more_and_an_empty_clock_gives_nothing() {
    let state = deal(2);
    let view = state.view(Viewer::Seat(Seat(0)));
    let first = Azul::allot(&view, Duration::from_secs(30));
    assert!((Duration::from_millis(600)..Duration::from_secs(3)).contains(&first), "{first:?}");
    for ms in [0, 1, 299, 300] {
        assert_eq!(Azul::allot(&view, Duration::from_millis(ms)), Duration::ZERO);
    }
    let mut late = Position::empty();
    late.sources[0] = [2, 1, 0, 0, 0];
    late.marker = Some(Seat(1));
    late.boards[1].floor = 1;
    let late = View::new(late, Viewer::Seat(Seat(0)));
    assert!(Azul::allot(&late, Duration::from_secs(30)) < first / 3);
}
