//! Asks a player for its move in one position: an engine and a server are given the position, a program reads the official
//! dialogue that leads to it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::course::{Course, MatchCourse};
use super::recording::{RecordedAnswer, ReplayMatch};
use crate::arena::clock::{TOLERANCE, TimeLimits};
use crate::arena::play::Backends;
use crate::arena::play::command::{ProgramStart, SeatProgram};
use crate::arena::play::decision::{Attempt, BotFault, DecisionLimits, Interruption, NoMove};
use crate::arena::play::http::ServerPlayer;
use crate::arena::play::thinker::Thinker;
use crate::arena::record::FaultKind;
use crate::arena::spec::PlayerSpec;
use crate::erased::{AnyGame, Position};
use crate::game::{Seat, Turn};
use crate::protocol::Settings;
use crate::rng::Seed;

/// The time that the last lines of standard error may need to arrive.
const STDERR_HANDOVER: Duration = Duration::from_millis(20);

/// A position, and how a match came to it.
pub struct AskedPosition<'p> {
    /// The game, whose engines and dialogue know the position.
    pub game: &'static dyn AnyGame,
    /// The view of the seat to move.
    pub view: &'p dyn Position,
    /// The match up to the position. A program whose dialogue cannot tell the position reads it turn by turn.
    pub history: Option<&'p ReplayMatch>,
    /// The seed of engines, and of what the view leaves unknown.
    pub seed: Seed,
}

/// A player that is asked, and its limits.
pub struct AskedPlayer<'p> {
    /// The player.
    pub spec: &'p PlayerSpec,
    /// Its limits. Of a match's time, a player has all for each position.
    pub limits: TimeLimits,
    /// The network for servers, and the sandbox for programs.
    pub backends: Backends<'p>,
    /// Set when the run is to stop.
    pub stop: Arc<AtomicBool>,
}

/// What a player did in a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PositionAnswer {
    /// A legal move, spelled as in the official protocol.
    Move(String),
    /// A mistake.
    Fault(BotFault),
    /// The program played otherwise before the position, so it never had to decide there. It has one process for the match.
    NotReached {
        /// Moves made before its other move.
        ply: u32,
        /// The move of the match.
        recorded: String,
        /// Its own answer, or its fault in words.
        answer: String,
    },
    /// The program cannot be asked: the contest gives this seat to no bot, or the dialogue cannot tell the position, and there is no
    /// match that leads to it. One sentence.
    Untold(String),
}

/// The answer of a player in a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerAnswer {
    /// What it did.
    pub answer: PositionAnswer,
    /// How long that took.
    pub taken: Duration,
    /// The end of what a program wrote to its standard error.
    pub stderr: String,
}

impl PlayerAnswer {
    /// The player is not asked.
    fn untold(why: String) -> Self {
        Self { answer: PositionAnswer::Untold(why), taken: Duration::ZERO, stderr: String::new() }
    }
}

impl AskedPosition<'_> {
    /// Asks the player. `None`: the run was stopped.
    ///
    /// # Errors
    /// When it cannot be asked, for example because its program cannot be started; one sentence.
    pub fn ask(&self, player: &AskedPlayer) -> Result<Option<PlayerAnswer>, String> {
        let Turn::Of(seat) = self.view.turn() else {
            return Err("the match is over in this position".to_owned());
        };
        let limits = decision_limits(player);
        let info = self.game.info();
        let attempt = match player.spec {
            PlayerSpec::Command { referee, .. } | PlayerSpec::Program { referee, .. } => {
                return match self.ask_program(player, referee, seat) {
                    Ok(answer) => Ok(Some(answer)),
                    Err(NoAnswer::Void(why)) => Err(why),
                    Err(NoAnswer::Stopped) => Ok(None),
                };
            }
            PlayerSpec::Engine { name, level, think, nodes } => {
                let thinker = Thinker { name: name.as_deref(), level: *level, think: *think, nodes: *nodes };
                thinker.decide(self.view, info.think, self.seed, &player.stop, &limits)
            }
            PlayerSpec::Server { url, think, nodes, level, seed } => {
                let server = ServerPlayer { url, think: *think, nodes: *nodes, level: *level, seed: *seed };
                server.decide(info.slug, self.view, info.think, &self.seed, player.backends.http, &limits)
            }
        };
        let taken = attempt.taken;
        let answer = match self.judged(attempt, &limits) {
            Ok(answer) => answer,
            Err(NoAnswer::Void(why)) => return Err(why),
            Err(NoAnswer::Stopped) => return Ok(None),
        };
        Ok(Some(PlayerAnswer { answer, taken, stderr: String::new() }))
    }

    /// What an attempt in the position itself means.
    fn judged(&self, attempt: Attempt, limits: &DecisionLimits) -> Result<PositionAnswer, NoAnswer> {
        let notation = match attempt.result {
            Ok(notation) => notation,
            Err(NoMove::Fault { kind, detail, .. }) => {
                return Ok(PositionAnswer::Fault(BotFault { kind, detail }));
            }
            Err(NoMove::Void(why)) => return Err(NoAnswer::Void(why)),
            Err(NoMove::Stopped) => return Err(NoAnswer::Stopped),
        };
        if limits.allowed.is_some_and(|allowed| attempt.taken > allowed + TOLERANCE) {
            let detail = format!("the move came after {} ms", attempt.taken.as_millis());
            return Ok(PositionAnswer::Fault(BotFault { kind: FaultKind::Time, detail }));
        }
        Ok(match self.view.check(&notation) {
            Ok(mv) => PositionAnswer::Move(mv.notation),
            Err(e) => PositionAnswer::Fault(BotFault::of(&e)),
        })
    }

    /// Asks a program: from the position itself where its dialogue can tell it, and from the beginning of the match otherwise. A bot
    /// that makes a mistake with the first gets the second, because it may ask for a dialogue that cannot tell positions.
    fn ask_program(
        &self,
        player: &AskedPlayer,
        referee: &Settings,
        seat: Seat,
    ) -> Result<PlayerAnswer, NoAnswer> {
        let mut from_position = None;
        if self.can_begin_here(seat) {
            let answer = self.begin_here(player, referee, seat)?;
            if !matches!(answer.answer, PositionAnswer::Fault(_)) || self.history.is_none() {
                return Ok(answer);
            }
            from_position = Some(answer);
        }
        let Some(history) = self.history else {
            let why = "the official dialogue cannot tell this position, and the suite has no match that leads to it";
            return Ok(PlayerAnswer::untold(why.to_owned()));
        };
        let answer = self.follow(player, referee, seat, history)?;
        Ok(match (answer.answer, from_position) {
            (PositionAnswer::NotReached { .. }, Some(first)) => first,
            (other, _) => PlayerAnswer { answer: other, ..answer },
        })
    }

    /// Whether the official dialogue can tell a bot that its match begins with this position.
    fn can_begin_here(&self, seat: Seat) -> bool {
        self.view.guess(&self.seed).is_ok_and(|table| table.can_tell(seat).is_ok())
    }

    /// How the processes of the program are started.
    fn start(&self, player: &AskedPlayer) -> Result<ProgramStart, NoAnswer> {
        match player.spec {
            PlayerSpec::Command { words, .. } => Ok(ProgramStart::Command(words.clone())),
            PlayerSpec::Program { file, .. } => {
                let seated = player.backends.programs.seat(file, self.seed.0);
                Ok(ProgramStart::Sandbox(seated.map_err(NoAnswer::Void)?))
            }
            PlayerSpec::Engine { .. } | PlayerSpec::Server { .. } => {
                Err(NoAnswer::Void("an engine and a server read no dialogue".to_owned()))
            }
        }
    }

    /// Begins a match with the position.
    fn begin_here(
        &self,
        player: &AskedPlayer,
        referee: &Settings,
        seat: Seat,
    ) -> Result<PlayerAnswer, NoAnswer> {
        let mut table = self.view.guess(&self.seed).map_err(|e| NoAnswer::Void(e.detail))?;
        if let Err(e) = table.seat_bot(seat, referee) {
            return Ok(PlayerAnswer::untold(e.detail));
        }
        let mut program = SeatProgram::seat(self.game, seat, self.start(player)?, None, &player.stop)?;
        let limits = decision_limits(player);
        let attempt = program.decide(table.as_mut(), 0, &limits, None);
        let taken = attempt.taken;
        let answer = self.judged(attempt, &limits)?;
        Ok(PlayerAnswer { answer, taken, stderr: stderr_of(&mut program) })
    }

    /// Lets the program play the match again. It must repeat its moves up to the position.
    fn follow(
        &self,
        player: &AskedPlayer,
        referee: &Settings,
        seat: Seat,
        history: &ReplayMatch,
    ) -> Result<PlayerAnswer, NoAnswer> {
        let mut course = match MatchCourse::new(self.game, history, seat, referee) {
            Ok(course) => course,
            Err(why) => return Ok(PlayerAnswer::untold(why)),
        };
        let mut program = SeatProgram::seat(self.game, seat, self.start(player)?, None, &player.stop)?;
        while let Some(turn) = course.next_turn().map_err(NoAnswer::Void)? {
            let limits = decision_limits(player);
            let attempt = program.decide(&mut course, turn.ply, &limits, None);
            let taken = attempt.taken;
            let answer = self.given(&course, attempt)?;
            let RecordedAnswer::Move(recorded) = turn.recorded else {
                let answer = match answer {
                    Ok(notation) => PositionAnswer::Move(notation),
                    Err(fault) => PositionAnswer::Fault(fault),
                };
                return Ok(PlayerAnswer { answer, taken, stderr: stderr_of(&mut program) });
            };
            if answer.as_ref() != Ok(&recorded) {
                let answer = answer.unwrap_or_else(|fault| format!("{}: {}", fault.kind, fault.detail));
                let answer = PositionAnswer::NotReached { ply: turn.ply, recorded, answer };
                return Ok(PlayerAnswer { answer, taken, stderr: stderr_of(&mut program) });
            }
            program.take_errors();
            course.follow().map_err(NoAnswer::Void)?;
        }
        Err(NoAnswer::Void("the match of the suite does not lead to a turn of this seat".to_owned()))
    }

    /// The answer at a turn of the match.
    fn given(&self, course: &MatchCourse, attempt: Attempt) -> Result<Result<String, BotFault>, NoAnswer> {
        match attempt.result {
            Ok(text) => Ok(course.judged(&text)),
            Err(NoMove::Fault { kind, detail, .. }) => Ok(Err(BotFault { kind, detail })),
            Err(NoMove::Void(why)) => Err(NoAnswer::Void(why)),
            Err(NoMove::Stopped) => Err(NoAnswer::Stopped),
        }
    }
}

/// Why there is no answer, by no fault of the player.
enum NoAnswer {
    Void(String),
    Stopped,
}

impl From<NoMove> for NoAnswer {
    fn from(why: NoMove) -> Self {
        match why {
            NoMove::Void(why) => Self::Void(why),
            NoMove::Stopped | NoMove::Fault { .. } => Self::Stopped,
        }
    }
}

/// The limits of one decision: a player has the time of a whole match for each position.
fn decision_limits<'p>(player: &'p AskedPlayer) -> DecisionLimits<'p> {
    let TimeLimits { per_move, per_match } = player.limits;
    let allowed = [per_move, per_match].into_iter().flatten().min();
    DecisionLimits { allowed, left: per_match, interruption: Interruption::when(&player.stop) }
}

/// What the program has written to its standard error, a little later.
fn stderr_of(program: &mut SeatProgram) -> String {
    std::thread::sleep(STDERR_HANDOVER);
    let lines: Vec<String> = program.take_errors().into_iter().map(|line| line.text).collect();
    lines.join("\n")
}
