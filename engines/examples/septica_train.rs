//! Trains Septica's network and writes its file: matches against itself and against the reference players, each
//! position moved towards what came of it (TD(lambda)). `septica_train GAMES FILE [SEED]`, some 60,000 games a second.

use engines::games::septica::engine::memory::Memory;
use engines::games::septica::engine::net::{FACTS, HIDDEN, Knows, ONE};
use engines::games::septica::engine::position::{DECK, Hand, NONE, Position};
use engines::games::septica::engine::solve::Solver;
use engines::games::septica::engine::yardsticks::{Rule, greedy, page, page_leads, points};
use engines::rng::{Rng, Seed};
use engines::search::{Limits, Patient, Search};

/// Whom it meets in [`AGAINST_OTHERS`] of the games; in the rest itself.
const OTHERS: [Rule; 6] = [page, points, points, points, page_leads, greedy];
const AGAINST_OTHERS: f64 = 0.8;
/// How much later positions tell of earlier ones.
const LAMBDA: f32 = 0.5;
/// The first half of the games learns at this rate, the second half ever slower.
const RATE: f32 = 0.005;
/// In so many games it must do without what is remembered.
const UNTOLD: u64 = 10;

#[derive(Clone)]
struct Net {
    facts: Vec<[f32; HIDDEN]>,
    bias: [f32; HIDDEN],
    out: [f32; HIDDEN],
    base: f32,
}

impl Net {
    fn new(rng: &mut Rng) -> Self {
        let mut some = |scale: f64| ((rng.unit() - 0.5) * scale) as f32;
        Self {
            facts: (0..FACTS).map(|_| std::array::from_fn(|_| some(0.3))).collect(),
            bias: [0.1; HIDDEN],
            out: std::array::from_fn(|_| some(0.6)),
            base: 0.0,
        }
    }

    fn hidden(&self, facts: &[usize]) -> [f32; HIDDEN] {
        let mut sum = self.bias;
        for fact in facts {
            sum.iter_mut().zip(&self.facts[*fact]).for_each(|(s, w)| *s += w);
        }
        sum.map(|s| s.max(0.0))
    }

    fn raw(&self, hidden: &[f32; HIDDEN]) -> f32 {
        let mut lanes = [0.0; 8];
        for (h, w) in hidden.chunks_exact(8).zip(self.out.chunks_exact(8)) {
            (0..8).for_each(|i| lanes[i] += h[i] * w[i]);
        }
        self.base + lanes.iter().sum::<f32>()
    }

    fn value(&self, facts: &[usize]) -> f32 {
        squash(self.raw(&self.hidden(facts)))
    }

    /// One step towards `target`, down the gradient of the logarithmic loss.
    fn learn(&mut self, facts: &[usize], target: f32, rate: f32) {
        let hidden = self.hidden(facts);
        let raw = self.raw(&hidden);
        let step = rate * (target - squash(raw)) * 2.0 / (1.0 + 2.0 * raw.abs());
        let mut back = [0.0; HIDDEN];
        for (i, h) in hidden.iter().enumerate().filter(|(_, h)| **h > 0.0) {
            back[i] = step * self.out[i];
            self.out[i] += step * h;
        }
        self.base += step;
        let add = |row: &mut [f32; HIDDEN]| row.iter_mut().zip(&back).for_each(|(w, b)| *w += b);
        add(&mut self.bias);
        facts.iter().for_each(|fact| add(&mut self.facts[*fact]));
    }

    /// As the engine reads it.
    fn file(&self) -> Vec<u8> {
        let rows = self.facts.iter().chain([&self.bias, &self.out]).flatten().chain([&self.base]);
        rows.flat_map(|w| ((w * f32::from(ONE)).round() as i16).to_le_bytes()).collect()
    }
}

fn squash(raw: f32) -> f32 {
    0.5 + 0.5 * raw / (1.0 + raw.abs())
}

/// A decision of the network.
struct Step {
    facts: Vec<usize>,
    value: f32,
    /// The value of the move it found best, where it tried another one.
    instead_of: Option<f32>,
}

struct Trainer {
    net: Net,
    rng: Rng,
    solver: Solver,
    search: Search<'static>,
}

impl Trainer {
    fn deal(&mut self) -> (Position, [u8; DECK]) {
        let mut cards: Vec<u8> = (0..32).map(|card| card / 4).collect();
        self.rng.shuffle(&mut cards);
        let (deck, hands) = cards.split_at(DECK);
        let hand = |cards: &[u8]| cards.iter().map(|rank| 1 << (4 * rank)).sum::<Hand>();
        let hands = [hand(&hands[..4]), hand(&hands[4..])];
        let p = Position { hands, held: [4; 2], left: DECK as u8, ..Position::EMPTY };
        (p, deck.try_into().expect("24 cards"))
    }

    /// A match; `draws`: what equal points are worth to each seat, in halves. The steps of the seats that the network
    /// played, and their scores. With the deck out it is decided as if both played their best.
    fn play(
        &mut self,
        others: [Option<Rule>; 2],
        draws: [u8; 2],
        told: bool,
        daring: f64,
    ) -> [(Vec<Step>, f32); 2] {
        let (mut p, deck) = self.deal();
        let mut memory = [Memory::BLANK; 2];
        let mut steps = [Vec::new(), Vec::new()];
        while !p.over() && (p.left > 0 || others.iter().any(Option::is_some)) {
            let mover = p.mover();
            let rank = match others[mover] {
                Some(rule) => rule(&p, &mut |n| self.rng.below(n)),
                None if p.left == 0 => self.solve(&p, &deck),
                None => {
                    let (rank, step) = self.step(&Knows::new(&p, &memory, draws[mover]), &p, daring);
                    steps[mover].push(step);
                    rank
                }
            };
            if told {
                memory[mover].note(&p, rank);
            }
            p.play(rank, &deck);
        }
        let first = if p.over() { p.final_points()[0] } else { self.first_points(&p, &deck) };
        let [a, b] = steps;
        let worth = |points: u8, draw: u8| match points {
            0..=3 => 0.0,
            4 => f32::from(draw) / 2.0,
            _ => 1.0,
        };
        [(a, worth(first, draws[0])), (b, worth(8 - first, draws[1]))]
    }

    fn first_points(&mut self, p: &Position, deck: &[u8; DECK]) -> u8 {
        self.solver.begin(deck);
        p.won[0] + self.solver.points(p, -1, 9, &mut self.search).unwrap_or(0) as u8
    }

    fn solve(&mut self, p: &Position, deck: &[u8; DECK]) -> u8 {
        let (cards, may_stop) = p.moves();
        let best = cards.chain(may_stop.then_some(NONE)).max_by_key(|rank| {
            let mut next = *p;
            next.play(*rank, deck);
            let first = self.first_points(&next, deck);
            if p.mover() == 0 { first } else { 8 - first }
        });
        best.expect("the mover has a move")
    }

    /// The move that the network likes best, one about as good, or now and then any.
    fn step(&mut self, knows: &Knows, p: &Position, daring: f64) -> (u8, Step) {
        let (cards, may_stop) = p.moves();
        let moves: Vec<(u8, Vec<usize>, f32)> = cards
            .chain(may_stop.then_some(NONE))
            .map(|rank| (rank, knows.facts(rank)))
            .map(|(rank, facts)| (rank, self.net.value(&facts), facts))
            .map(|(rank, value, facts)| (rank, facts, value))
            .collect();
        let best = moves.iter().map(|m| m.2).fold(0.0, f32::max);
        let dares = self.rng.unit() < daring;
        let slack = 0.01 * self.rng.unit() as f32;
        let fits = |m: &&(u8, Vec<usize>, f32)| dares || m.2 >= best - slack;
        let some: Vec<_> = moves.iter().filter(fits).collect();
        let (rank, facts, value) = some[self.rng.below(some.len())];
        let instead_of = (dares && *value < best).then_some(best);
        (*rank, Step { facts: facts.clone(), value: *value, instead_of })
    }

    fn train(&mut self, games: u64) {
        for game in 0..games {
            let done = game as f32 / games as f32;
            let rate = RATE * (2.0 * (1.0 - done)).clamp(0.02, 1.0);
            let daring = 0.02 + 0.1 * f64::from(1.0 - done);
            let mut others = [None; 2];
            if self.rng.unit() < AGAINST_OTHERS {
                others[self.rng.below(2)] = self.rng.pick(&OTHERS).copied();
            }
            let draw = [0, 0, 1, 1, 2][self.rng.below(5)];
            let told = !game.is_multiple_of(UNTOLD);
            for (steps, score) in self.play(others, [draw, 2 - draw], told, daring) {
                let mut target = score;
                for step in steps.iter().rev() {
                    self.net.learn(&step.facts, target, rate);
                    target = step.instead_of.unwrap_or(LAMBDA * target + (1.0 - LAMBDA) * step.value);
                }
            }
            if (game + 1).is_multiple_of(games.div_ceil(10)) {
                println!("{} games: {}", game + 1, self.test());
            }
        }
    }

    /// The score as the contest's player, of 10,000 matches each.
    fn test(&mut self) -> String {
        let rng = std::mem::replace(&mut self.rng, Rng::stream(&Seed::from(7), 7));
        let against = |name: &str, rule: Rule, trainer: &mut Self| {
            let one = |_| trainer.play([Some(rule), None], [0, 2], true, 0.0)[1].1;
            format!("{name} {:.2}%  ", (0..10_000).map(one).sum::<f32>() / 100.0)
        };
        let rules: [(&str, Rule); 4] =
            [("page", page), ("points", points), ("page_leads", page_leads), ("greedy", greedy)];
        let text = rules.iter().map(|(name, rule)| against(name, *rule, self)).collect();
        self.rng = rng;
        text
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [games, file, seed @ ..] = &args[..] else { panic!("septica_train GAMES FILE [SEED]") };
    let seed = Seed::from(seed.first().map_or(1, |s| s.parse().expect("a seed is a number")));
    let mut rng = Rng::new(&seed);
    let net = Net::new(&mut rng);
    let search = Search::new(Limits::default(), &Patient);
    let mut trainer = Trainer { net, rng, solver: Solver::new(1 << 12), search };
    trainer.train(games.parse().expect("GAMES is a number"));
    std::fs::write(file, trainer.net.file()).expect("the file can be written");
}
