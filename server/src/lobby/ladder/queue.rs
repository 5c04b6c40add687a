//! The fair queue of the ladder: which free bot plays next. The bot with the fewest matches lately comes first; of equal
//! ones, the bot that has waited longest. Pure; the instants come in.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

/// How long a match counts as recent.
const RECENT: Duration = Duration::from_secs(3600);

/// The turns of all bots on the node that runs the ladder.
#[derive(Debug)]
pub(super) struct LadderQueue {
    /// The shortest time between the beginnings of two matches of a bot.
    pace: Duration,
    bots: HashMap<String, BotTurns>,
}

#[derive(Debug)]
struct BotTurns {
    /// The beginnings of its recent matches, the oldest first, with their games.
    begun: VecDeque<(Instant, &'static str)>,
    /// The time since which it waits: its arrival or the beginning of its last match.
    waits_since: Instant,
}

impl BotTurns {
    fn forget_old(&mut self, now: Instant) {
        while self.begun.front().is_some_and(|(at, _)| now.saturating_duration_since(*at) >= RECENT) {
            self.begun.pop_front();
        }
    }
}

impl LadderQueue {
    /// An empty queue. `matches_per_hour`: the most matches that a bot begins in an hour; they are spread evenly.
    pub(super) fn new(matches_per_hour: u32) -> Self {
        Self { pace: RECENT / matches_per_hour.max(1), bots: HashMap::new() }
    }

    /// The free bots whose turn it may be, in the order in which they are paired: places in `free`, which has an entry for
    /// each bot and game.
    pub(super) fn order(&mut self, free: &[(&str, &'static str)], now: Instant) -> Vec<usize> {
        for (bot, _) in free {
            if !self.bots.contains_key(*bot) {
                self.bots.insert((*bot).to_owned(), BotTurns { begun: VecDeque::new(), waits_since: now });
            }
        }
        for turns in self.bots.values_mut() {
            turns.forget_old(now);
        }
        let ids: HashSet<&str> = free.iter().map(|(bot, _)| *bot).collect();
        self.bots.retain(|id, turns| !turns.begun.is_empty() || ids.contains(id.as_str()));
        let rank = |place: &usize| {
            let (bot, game) = free[*place];
            let turns = self.bots.get(bot)?;
            let in_game = turns.begun.iter().filter(|(_, begun)| *begun == game).count();
            let last = turns.begun.back();
            let is_due = last.is_none_or(|(at, _)| now.saturating_duration_since(*at) >= self.pace);
            is_due.then_some((turns.begun.len(), in_game, turns.waits_since, *place))
        };
        let mut ranks: Vec<_> = (0..free.len()).filter_map(|place| rank(&place)).collect();
        ranks.sort_unstable();
        ranks.into_iter().map(|(.., place)| place).collect()
    }

    /// Records that a match of the bot begins.
    pub(super) fn begin(&mut self, bot: &str, game: &'static str, now: Instant) {
        let turns = self.bots.entry(bot.to_owned());
        let turns = turns.or_insert_with(|| BotTurns { begun: VecDeque::new(), waits_since: now });
        turns.begun.push_back((now, game));
        turns.waits_since = now;
    }

    /// Takes the last [`Self::begin`] back: the match could not begin.
    pub(super) fn take_back(&mut self, bot: &str) {
        if let Some(turns) = self.bots.get_mut(bot) {
            turns.begun.pop_back();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn bot_that_has_waited_longest_comes_first() {
        let (mut queue, now) = (LadderQueue::new(60), Instant::now());
        assert_eq!(queue.order(&[("a", "x")], now), [0]);
        assert_eq!(queue.order(&[("b", "x"), ("a", "x")], now + MINUTE), [1, 0]);
        queue.begin("a", "x", now + MINUTE);
        assert_eq!(queue.order(&[("a", "x"), ("b", "x")], now + 2 * MINUTE), [1, 0]);
    }

    #[test]
    fn bot_with_the_fewest_recent_matches_comes_first() {
        let (mut queue, now) = (LadderQueue::new(60), Instant::now());
        for minute in 0..5 {
            queue.begin("often", "x", now + minute * MINUTE);
        }
        queue.begin("seldom", "x", now + 4 * MINUTE + MINUTE / 2);
        let free = [("often", "x"), ("seldom", "x")];
        assert_eq!(queue.order(&free, now + 6 * MINUTE), [1, 0], "though it has waited less");
        // After an hour the matches do not count any more.
        assert_eq!(queue.order(&free, now + 70 * MINUTE), [0, 1]);
    }

    #[test]
    fn games_of_a_bot_take_turns() {
        let (mut queue, now) = (LadderQueue::new(60), Instant::now());
        let free = [("a", "x"), ("a", "y"), ("a", "z")];
        let mut played = Vec::new();
        for minute in 0..6 {
            let at = now + minute * MINUTE;
            let game = free[queue.order(&free, at)[0]].1;
            queue.begin("a", game, at);
            played.push(game);
        }
        assert_eq!(played, ["x", "y", "z", "x", "y", "z"]);
    }

    #[test]
    fn bot_has_no_more_matches_an_hour_than_stated() {
        for most in [1, 7, 60] {
            let (mut queue, begin) = (LadderQueue::new(most), Instant::now());
            let mut begun = Vec::new();
            for second in 0..3 * 3600 {
                let now = begin + Duration::from_secs(second);
                if !queue.order(&[("a", "x")], now).is_empty() {
                    queue.begin("a", "x", now);
                    begun.push(second);
                }
            }
            for hour in 0..7200 {
                let count = begun.iter().filter(|at| (hour..hour + 3600).contains(*at)).count();
                assert!(count <= most as usize, "{most}: {count}");
            }
            assert!(begun.len() >= 3 * most as usize - 3, "{most}: a free bot gets them: {}", begun.len());
        }
    }

    #[test]
    fn scarce_turns_are_divided_equally() {
        let (mut queue, begin) = (LadderQueue::new(3600), Instant::now());
        let names = ["a", "b", "c", "d", "e"];
        let mut counts = [0_i32; 5];
        // One match can begin every ten seconds; the bots come online one after the other, a minute apart.
        for turn in 0..300_u32 {
            let now = begin + turn * Duration::from_secs(10);
            let online = (turn as usize / 6 + 1).min(names.len());
            let free: Vec<(&str, &'static str)> = names[..online].iter().map(|name| (*name, "x")).collect();
            let first = queue.order(&free, now)[0];
            queue.begin(free[first].0, "x", now);
            counts[first] += 1;
        }
        assert!(counts.iter().all(|count| (count - 60).abs() <= 1), "{counts:?}");
    }

    #[test]
    fn match_that_could_not_begin_does_not_count() {
        let (mut queue, now) = (LadderQueue::new(60), Instant::now());
        assert_eq!(queue.order(&[("a", "x")], now), [0]);
        queue.begin("a", "x", now);
        assert_eq!(queue.order(&[("a", "x")], now), [0; 0]);
        queue.take_back("a");
        assert_eq!(queue.order(&[("a", "x")], now), [0]);
    }
}
