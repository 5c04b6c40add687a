//! Replays a seat with a program: gives it what the bot of the match read, and compares its answers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::comparison::{Comparison, Replay, ReplayEnd, Verdict};
use super::course::{Course, MatchCourse, OwnTurn};
use super::recording::Recording;
use super::script::ScriptCourse;
use crate::arena::clock::TimeLimits;
use crate::arena::play::command::{BeforeInput, ProgramStart, SeatProgram};
use crate::arena::play::decision::{Attempt, BotFault, DecisionLimits, Interruption, NoMove};
use crate::erased::AnyGame;
use crate::game::{Process, Seat};
use crate::protocol::Settings;

/// The time that the last lines of standard error may need to arrive.
const STDERR_HANDOVER: Duration = Duration::from_millis(20);

/// The program, and how to replay it.
pub struct ReplayBot<'b> {
    /// Its words, the program first.
    pub words: &'b [String],
    /// The settings of the referee's side; `None`: the recorded ones.
    pub referee: Option<&'b Settings>,
    /// The limit of one decision; `None`: the game's own.
    pub move_limit: Option<Duration>,
    /// Stops at the first turn of the seat from this ply on, before the program gets its input.
    pub until: Option<u32>,
    /// Set when the replay is to stop.
    pub stop: &'b AtomicBool,
}

/// Replays a seat of a match, or the bot of a dialogue. `pause`: called once at the ply at which the replay is to stop, with the
/// ply and the number of the process; when it returns, the program gets its input, without a limit of time.
pub fn replay(
    game: &dyn AnyGame,
    recording: &Recording,
    seat: Seat,
    bot: &ReplayBot,
    pause: &mut dyn FnMut(u32, u32),
) -> Replay {
    let mut replay = Replay { comparisons: Vec::new(), end: ReplayEnd::Complete, left_out: 0 };
    replay.end = match course(game, recording, seat, bot) {
        Ok(mut course) => run(game, course.as_mut(), recording, seat, bot, pause, &mut replay),
        Err(why) => ReplayEnd::Void(why),
    };
    replay
}

fn course<'r>(
    game: &dyn AnyGame,
    recording: &'r Recording,
    seat: Seat,
    bot: &ReplayBot,
) -> Result<Box<dyn Course + 'r>, String> {
    Ok(match recording {
        Recording::Dialogue(dialogue) => Box::new(ScriptCourse::new(game, dialogue)),
        Recording::Match(recorded) => {
            let known = recorded.seats.get(seat.index()).map(|seat| &seat.referee);
            let referee = bot.referee.or(known).cloned().unwrap_or_default();
            Box::new(MatchCourse::new(game, recorded, seat, &referee)?)
        }
    })
}

fn run(
    game: &dyn AnyGame,
    course: &mut dyn Course,
    recording: &Recording,
    seat: Seat,
    bot: &ReplayBot,
    pause: &mut dyn FnMut(u32, u32),
    replay: &mut Replay,
) -> ReplayEnd {
    let start = ProgramStart::Command(bot.words.to_vec());
    let mut program = match SeatProgram::seat(game, seat, start, None, bot.stop) {
        Ok(program) if matches!(recording, Recording::Dialogue(_)) => program.without_greetings(),
        Ok(program) => program,
        Err(NoMove::Void(why)) => return ReplayEnd::Void(why),
        Err(NoMove::Stopped | NoMove::Fault { .. }) => return ReplayEnd::Stopped,
    };
    loop {
        let turn = match course.next_turn() {
            Ok(Some(turn)) => turn,
            Ok(None) => break,
            Err(why) => return ReplayEnd::Void(why),
        };
        if bot.stop.load(Ordering::Relaxed) {
            return ReplayEnd::Stopped;
        }
        let is_last = bot.until.is_some_and(|until| turn.ply >= until);
        let mut before = |process: u32| pause(turn.ply, process);
        let before: Option<BeforeInput> = if is_last { Some(&mut before) } else { None };
        let attempt = decide(game, course, &mut program, &turn, bot, before);
        let answer = match attempt.result {
            Err(NoMove::Void(why)) => return ReplayEnd::Void(why),
            Err(NoMove::Stopped) => return ReplayEnd::Stopped,
            Err(NoMove::Fault { kind, detail, .. }) => Err(BotFault { kind, detail }),
            Ok(text) => course.judged(&text),
        };
        let mut compared = Comparison {
            ply: turn.ply,
            recorded: turn.recorded,
            recorded_taken: turn.taken,
            answer,
            taken: attempt.taken,
            errors: Vec::new(),
            read: Vec::new(),
        };
        let verdict = compared.verdict();
        if verdict == Verdict::Same {
            // What it wrote for this answer is not shown.
            program.take_errors();
        } else {
            std::thread::sleep(STDERR_HANDOVER);
            compared.errors = program.take_errors();
            compared.read = program.lines_read().to_vec();
        }
        replay.comparisons.push(compared);
        if is_last {
            replay.left_out = course.left_out();
            return ReplayEnd::Until;
        }
        if verdict != Verdict::Same && game.info().process == Process::PerMatch {
            replay.left_out = course.left_out();
            return if replay.left_out > 0 { ReplayEnd::Diverged } else { ReplayEnd::Complete };
        }
        if let Err(why) = course.follow() {
            return ReplayEnd::Void(why);
        }
    }
    program.leave(course);
    ReplayEnd::Complete
}

/// Lets the program decide. At the ply at which the replay stops it has no limit.
fn decide(
    game: &dyn AnyGame,
    course: &mut dyn Course,
    program: &mut SeatProgram,
    turn: &OwnTurn,
    bot: &ReplayBot,
    before: Option<BeforeInput>,
) -> Attempt {
    let official = TimeLimits::official(game.info());
    let of_match = || turn.left.or(official.per_match);
    let allowed = match before {
        Some(_) => None,
        None => bot.move_limit.or(official.per_move).or_else(of_match),
    };
    let limits = DecisionLimits { allowed, left: turn.left, interruption: Interruption::when(bot.stop) };
    program.decide(course, turn.ply, &limits, before)
}
