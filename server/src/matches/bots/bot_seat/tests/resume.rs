//! Dialogues that break and are resumed from their transcripts.

use crate::matches::bots::bot_seat::tests::*;

fn tell(bot: &mut BotSeat, said: Vec<Entry>, at: Instant) {
    for entry in said {
        match entry {
            Entry::Printed(line) => bot.wrote(line, at),
            Entry::Remark(text) => bot.program_ended(program_ended(&text).unwrap(), at),
            other => panic!("{other:?}"),
        }
    }
}

/// Plays a match; `cut(n)`: the break at the n-th exchange.
fn play(host: &mut TestMatch, mut cut: impl FnMut(usize) -> Break) -> BotRunner {
    let at = Instant::now();
    let (mut bot, mut client) = (host.referee(), BotRunner::new(host.game));
    let mut known = host.log.len();
    for n in 0..5_000 {
        host.now += 7;
        host.others_move();
        host.log[known..].iter().for_each(|stamped| bot.happened(stamped).unwrap());
        known = host.log.len();
        let cut = cut(n);
        bot.advance(host.now).unwrap();
        let entries: Vec<_> = bot.take_entries().collect();
        if !matches!(cut, Break::Before) {
            client.take(entries);
        }
        let said = client.sends();
        if !matches!(cut, Break::Before | Break::Between) {
            tell(&mut bot, said, at);
            bot.advance(host.now).unwrap();
            // The server's reply to this is lost if the connection breaks.
            if let Some(claim) = bot.claim() {
                host.decide(claim);
            }
            assert_eq!(bot.claim(), None, "once");
        }
        match cut {
            Break::No => {}
            Break::Before | Break::Between | Break::After => {
                bot = host.referee();
                known = host.log.len();
                bot.resume(client.transcript.clone(), host.now, at).unwrap();
            }
            Break::Crash => {
                client = BotRunner::new(host.game);
                bot = host.referee();
                known = host.log.len();
            }
        }
        if host.over() && known == host.log.len() {
            bot.advance(host.now).unwrap();
            if bot.is_over() {
                client.take(bot.take_entries().collect());
                return client;
            }
        }
        if let Some(claim) = bot.claim() {
            host.decide(claim);
        }
    }
    panic!(
        "the match of {} does not end at {}: {:?}",
        host.game.info().slug,
        host.truth.ply(),
        client.transcript
    );
}

/// The place at which the connection breaks.
#[derive(Clone, Copy, Debug)]
enum Break {
    No,
    /// The server's message is lost.
    Before,
    /// The bot's answer is lost.
    Between,
    /// Nothing is lost.
    After,
    /// The bot's program is started again.
    Crash,
}

fn everywhere(mut test: impl FnMut(&'static dyn AnyGame, Seat, u64)) {
    for game in GAMES {
        for seat in game.info().bot_seats {
            (0..4).for_each(|seed| test(*game, Seat(*seat), seed));
        }
    }
}

#[test]
fn dialogue_that_breaks_anywhere_yields_the_same_match() {
    everywhere(|game, seat, seed| {
        let mut quiet = TestMatch::new(game, seat, seed, Some(CLOCK));
        let whole = play(&mut quiet, |_| Break::No).transcript;
        let all = [Break::No, Break::Before, Break::Between, Break::After, Break::Crash];
        for (round, cuts) in [&all[..], &all[1..2], &all[2..3], &all[3..4], &all[..4]].iter().enumerate() {
            let mut host = TestMatch::new(game, seat, seed, Some(CLOCK));
            let mut rng = Rng::new(&Seed::from(seed + 100 * round as u64));
            // A connection that always breaks before a message never gets anywhere, nor does a program that always has to
            // start again.
            let mut crashes_left = 3;
            let client = play(&mut host, |n| match cuts[rng.below(cuts.len())] {
                _ if n % 2 == 0 => Break::No,
                Break::Crash if crashes_left == 0 => Break::After,
                cut => {
                    crashes_left -= u32::from(matches!(cut, Break::Crash));
                    cut
                }
            });
            let slug = game.info().slug;
            assert_eq!(host.moves(), quiet.moves(), "{slug}, seat {seat}, seed {seed}, {cuts:?}");
            let crashes = cuts.iter().any(|cut| matches!(cut, Break::Crash));
            if game.info().process == Process::PerMatch && !crashes {
                assert!(client.input_ended);
                let said = |entry: &&Entry| !matches!(entry, Entry::Remark(_));
                let told = |transcript: &[Entry]| {
                    let read = |e: &&Entry| matches!(e, Entry::Read(_));
                    transcript.iter().filter(read).count()
                };
                assert_eq!(told(&client.transcript), told(&whole), "{slug}: each line once");
                assert_eq!(whole.iter().rfind(said), Some(&Entry::End), "{slug}");
            }
        }
    });
}

#[test]
fn transcript_of_another_match_is_refused() {
    everywhere(|game, seat, seed| {
        if game.info().process == Process::PerMove {
            return;
        }
        let mut one = TestMatch::new(game, seat, seed, None);
        let client = play(&mut one, |_| Break::No);
        let mut other = TestMatch::new(game, seat, seed + 77, None);
        other.others_move();
        let resumed = other.referee().resume(client.transcript, other.now, Instant::now());
        assert_eq!(resumed, Err(None), "{}", game.info().slug);
    });
}
