//! Trains the network: matches against itself and against the baselines, the value of each position moved towards the later
//! ones and the result (TD(lambda); Sutton, "Learning to predict by the methods of temporal differences", 1988).

use engines::games::septica::engine::baselines::{Rule, greedy, page, page_leads, points};
use engines::games::septica::engine::memory::SeatMemory;
use engines::games::septica::engine::net::{FACTS, HIDDEN, Knows};
use engines::games::septica::engine::position::{DECK, HandCounts, NONE, OpenPosition};
use engines::games::septica::engine::solve::TrickSolver;
use engines::rng::{Rng, Seed};
use engines::search::{Limits, Patient, Search};
use engines::search_kit::curve::softsign;
use engines::search_kit::learn::{Activations, FloatNetwork, NetInputs};
use engines::search_kit::net::ONE;
use engines::search_kit::optimizer::{Optimizer, UpdateRule};

use crate::budget::TrainArgs;

/// Games unless the arguments say otherwise.
const GAMES: u64 = 40_000_000;
/// The opponents in a share [`AGAINST_OTHERS`] of the games; in the other games the network plays both seats.
const OTHERS: [Rule; 6] = [page, points, points, points, page_leads, greedy];
const AGAINST_OTHERS: f64 = 0.8;
/// Weight of a later value for earlier positions.
const LAMBDA: f32 = 0.5;
/// The learning rate of the first half of the training; in the second half it falls to a fiftieth.
const RATE: f32 = 0.005;
/// One in this many games is played without memory of earlier tricks.
const WITHOUT_MEMORY: u64 = 10;
/// Games between two reports.
const REPORT: u64 = 1_000_000;

/// A decision of the network.
struct NetStep {
    facts: Vec<u16>,
    value: f32,
    /// The value of the best move, if another one was tried.
    instead_of: Option<f32>,
}

/// The settings of a match.
#[derive(Clone, Copy)]
struct Pairing {
    /// The seats' rules; `None` for the network.
    others: [Option<Rule>; 2],
    /// The value of equal points to each seat, in halves.
    draws: [u8; 2],
    /// Whether the seats remember earlier tricks.
    remembers: bool,
    /// The probability of a move that only explores.
    daring: f64,
}

fn narrow(facts: &[usize]) -> Vec<u16> {
    facts.iter().map(|fact| u16::try_from(*fact).expect("there are fewer facts")).collect()
}

struct Trainer {
    net: FloatNetwork,
    optimizer: Optimizer,
    found: Activations,
    rng: Rng,
    solver: TrickSolver,
    search: Search<'static>,
}

impl Trainer {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::new(&Seed::from(seed));
        let net = FloatNetwork::random([FACTS, HIDDEN, 1], [0.15, 0.1, 0.3], || rng.unit() as f32);
        let optimizer = Optimizer::new(UpdateRule::Plain, net.weights.len());
        let search = Search::new(Limits::default(), &Patient);
        Self { net, optimizer, found: Activations::default(), rng, solver: TrickSolver::new(1 << 12), search }
    }

    fn value(&mut self, facts: &[u16]) -> f32 {
        self.net.forward(NetInputs::Sparse(facts), &mut self.found);
        softsign(self.found.outputs[0])
    }

    /// One step towards `target`, down the gradient of the logarithmic loss.
    fn learn(&mut self, facts: &[u16], target: f32, rate: f32) {
        let value = self.value(facts);
        let slope = (target - value) * 2.0 / (1.0 + 2.0 * self.found.outputs[0].abs());
        self.optimizer.begin_step();
        self.net.backward(NetInputs::Sparse(facts), &mut self.found, &[slope], |weights, at, piece| {
            self.optimizer.update(weights, at, piece, rate);
        });
    }

    fn deal(&mut self) -> (OpenPosition, [u8; DECK]) {
        let mut cards: Vec<u8> = (0..32).map(|card| card / 4).collect();
        self.rng.shuffle(&mut cards);
        let (deck, hands) = cards.split_at(DECK);
        let hand = |cards: &[u8]| cards.iter().map(|rank| 1 << (4 * rank)).sum::<HandCounts>();
        let hands = [hand(&hands[..4]), hand(&hands[4..])];
        let p = OpenPosition { hands, held: [4; 2], left: DECK as u8, ..OpenPosition::EMPTY };
        (p, deck.try_into().expect("24 cards"))
    }

    /// Plays a match. Returns the steps of the seats that the network played, and their scores. If the network plays both
    /// seats, the match ends with the deck, as if both seats then played their best.
    fn play(&mut self, pairing: &Pairing) -> [(Vec<NetStep>, f32); 2] {
        let Pairing { others, draws, remembers, daring } = *pairing;
        let (mut p, deck) = self.deal();
        let mut memory = [SeatMemory::BLANK; 2];
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
            if remembers {
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

    fn first_points(&mut self, p: &OpenPosition, deck: &[u8; DECK]) -> u8 {
        self.solver.begin(deck);
        p.won[0] + self.solver.points(p, -1, 9, &mut self.search).unwrap_or(0) as u8
    }

    fn solve(&mut self, p: &OpenPosition, deck: &[u8; DECK]) -> u8 {
        let (cards, may_stop) = p.moves();
        let best = cards.chain(may_stop.then_some(NONE)).max_by_key(|rank| {
            let mut next = *p;
            next.play(*rank, deck);
            let first = self.first_points(&next, deck);
            if p.mover() == 0 { first } else { 8 - first }
        });
        best.expect("the mover has a move")
    }

    /// The move with the highest value, one about as good, or with probability `daring` any.
    fn step(&mut self, knows: &Knows, p: &OpenPosition, daring: f64) -> (u8, NetStep) {
        let (cards, may_stop) = p.moves();
        let moves: Vec<(u8, Vec<u16>, f32)> = cards
            .chain(may_stop.then_some(NONE))
            .map(|rank| (rank, narrow(&knows.facts(rank))))
            .map(|(rank, facts)| (rank, self.value(&facts), facts))
            .map(|(rank, value, facts)| (rank, facts, value))
            .collect();
        let best = moves.iter().map(|m| m.2).fold(0.0, f32::max);
        let dares = self.rng.unit() < daring;
        let slack = 0.01 * self.rng.unit() as f32;
        let fits = |m: &&(u8, Vec<u16>, f32)| dares || m.2 >= best - slack;
        let some: Vec<_> = moves.iter().filter(fits).collect();
        let (rank, facts, value) = some[self.rng.below(some.len())];
        let instead_of = (dares && *value < best).then_some(best);
        (*rank, NetStep { facts: facts.clone(), value: *value, instead_of })
    }

    /// Plays and learns one match; `used` is the share of the training that is over.
    fn train(&mut self, game: u64, used: f32) {
        let rate = RATE * (2.0 * (1.0 - used)).clamp(0.02, 1.0);
        let mut others = [None; 2];
        if self.rng.unit() < AGAINST_OTHERS {
            others[self.rng.below(2)] = self.rng.pick(&OTHERS).copied();
        }
        let draw = [0, 0, 1, 1, 2][self.rng.below(5)];
        let pairing = Pairing {
            others,
            draws: [draw, 2 - draw],
            remembers: !game.is_multiple_of(WITHOUT_MEMORY),
            daring: 0.02 + 0.1 * f64::from(1.0 - used),
        };
        for (steps, score) in self.play(&pairing) {
            let mut target = score;
            for step in steps.iter().rev() {
                self.learn(&step.facts, target, rate);
                target = step.instead_of.unwrap_or(LAMBDA * target + (1.0 - LAMBDA) * step.value);
            }
        }
    }

    /// The score as the contest's player, in 10,000 matches against each baseline.
    fn test(&mut self) -> String {
        let rng = std::mem::replace(&mut self.rng, Rng::stream(&Seed::from(7), 7));
        let against = |name: &str, rule: Rule, trainer: &mut Self| {
            let pairing = Pairing { others: [Some(rule), None], draws: [0, 2], remembers: true, daring: 0.0 };
            let score: f32 = (0..10_000).map(|_| trainer.play(&pairing)[1].1).sum();
            format!("{name} {:.2}%  ", score / 100.0)
        };
        let rules: [(&str, Rule); 4] =
            [("page", page), ("points", points), ("page_leads", page_leads), ("greedy", greedy)];
        let text = rules.iter().map(|(name, rule)| against(name, *rule, self)).collect();
        self.rng = rng;
        text
    }
}

/// The command.
pub(crate) fn run(args: &TrainArgs) -> Result<(), String> {
    let mut trainer = Trainer::new(args.seed);
    let mut budget = args.budget(GAMES);
    while let Some(game) = budget.next_game() {
        trainer.train(game, budget.used());
        if (game + 1).is_multiple_of(REPORT) {
            budget.report(&format!("{} games: {}", game + 1, trainer.test()));
        }
    }
    println!("won as the contest's player: {}", trainer.test());
    args.write(&trainer.net.file(ONE as f32))
}
