//! The adapter from typed games to the object-safe traits of [`crate::erased`]. Types are erased here and nowhere else.

mod encoded;
mod position;
mod session;
mod table;

use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::conformance;
use crate::dialogue::DialogueInfo;
use crate::encoding::Encoding;
use crate::erased::adapter::position::ErasedPosition;
use crate::erased::start::{STREAM, finished as finished_position, seat_of};
use crate::erased::{
    AnyGame, AnySession, AnyTable, EngineInfo, FinishedMatch, FinishedMove, FormatInfo, MatchStart,
    MoveInput, MoveText, Position, ReadMove, Refusal, RefusalCode, Schemas, StartPosition,
};
use crate::game::{Game, Info, RecordFormat, RecordedMatch, RecordedMove, Seat, State, Table, Turn, View};
use crate::harness_file::{HarnessFile, HarnessFileError};
use crate::protocol::Settings;
use crate::rng::{Rng, Seed};
use crate::search::EngineSpec;
use crate::session::{RefereedMatch, Session};

/// One game without its types. A `const`, so the registry is a plain static list.
pub struct ErasedGame<G>(PhantomData<fn() -> G>);

impl<G> ErasedGame<G> {
    /// The erased form of `G`.
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<G> Default for ErasedGame<G> {
    fn default() -> Self {
        Self::new()
    }
}

impl<G: Game> AnyGame for ErasedGame<G> {
    fn info(&self) -> &'static Info {
        const { &G::INFO }
    }

    fn dialogue(&self) -> &'static DialogueInfo {
        const { &G::DIALOGUE }
    }

    fn schemas(&self) -> Schemas {
        fn schema<T: JsonSchema>() -> Value {
            schemars::schema_for!(T).to_value()
        }
        Schemas { options: schema::<G::Options>(), view: schema::<G::View>(), mv: schema::<G::Move>() }
    }

    fn encoding(&self) -> Option<&'static Encoding> {
        G::encoder().map(|encoder| encoder.encoding())
    }

    fn engines(&self) -> Vec<EngineInfo> {
        let info = |e: &EngineSpec<G>| EngineInfo {
            name: e.name.to_owned(),
            version: e.version,
            summary: e.summary.to_owned(),
            instant: e.instant,
        };
        G::engines().iter().map(info).collect()
    }

    fn deal(&self, options: &Value, seed: &Seed) -> Result<Box<dyn AnyTable>, Refusal> {
        let options: G::Options = from_value(RefusalCode::BadOptions, options)?;
        let state = G::deal(&options, seed).map_err(|e| Refusal::new(RefusalCode::BadOptions, e.0))?;
        Ok(Box::new(RefereedMatch::<G>::new(state)))
    }

    fn restore(&self, state: &Value) -> Result<Box<dyn AnyTable>, Refusal> {
        Ok(Box::new(RefereedMatch::<G>::new(restored::<G>(state)?)))
    }

    fn start(
        &self,
        position: &StartPosition,
        options: Option<&Value>,
        seed: &Seed,
    ) -> Result<MatchStart, Refusal> {
        let options = options.map(|options| from_value(RefusalCode::BadOptions, options)).transpose()?;
        start::<G>(position, options, seed)
    }

    fn options_for(&self, seats: u8) -> Option<Value> {
        usual_options::<G>(seats).as_ref().map(to_value)
    }

    fn options_for_people(&self, seats: u8) -> Option<Value> {
        usual_options::<G>(seats).map(G::for_people).as_ref().map(to_value)
    }

    fn position(&self, json: &Value) -> Result<Box<dyn Position>, Refusal> {
        Ok(Box::new(ErasedPosition::<G>(from_value(RefusalCode::BadPosition, json)?)))
    }

    fn read_move(&self, mv: MoveInput<'_>) -> Result<ReadMove, Refusal> {
        read_input::<G>(mv)
    }

    fn session(&self, settings: &Settings) -> Result<Box<dyn AnySession>, Refusal> {
        let player = G::player(settings).map_err(|e| Refusal::new(RefusalCode::BadOptions, e.0))?;
        Ok(Box::new(Session::new(player)))
    }

    fn check_referee(&self, settings: &Settings) -> Result<(), Refusal> {
        let seat = Seat(G::INFO.bot_seats.first().copied().unwrap_or_default());
        G::referee(seat, settings).map(drop).map_err(|e| Refusal::new(RefusalCode::BadOptions, e.0))
    }

    fn formats(&self) -> Vec<FormatInfo> {
        let info = |f: &RecordFormat<G>| FormatInfo {
            name: f.name.to_owned(),
            media_type: f.media_type.to_owned(),
            summary: f.summary.to_owned(),
        };
        G::formats().iter().map(info).collect()
    }

    fn export(&self, format: &str, record: &FinishedMatch) -> Result<String, Refusal> {
        let Some(found) = G::formats().iter().find(|f| f.name == format) else {
            let names: Vec<_> = G::formats().iter().map(|f| f.name).collect();
            let offer = match &names[..] {
                [] => format!("{} has no format of its own", G::INFO.title),
                names => format!("the formats of {} are {}", G::INFO.title, names.join(", ")),
            };
            return Err(Refusal::new(RefusalCode::UnknownFormat, offer));
        };
        Ok((found.write)(&finished::<G>(record)?))
    }

    fn harness_formats(&self) -> Vec<&'static str> {
        G::harness_formats().iter().map(|format| format.name).collect()
    }

    fn read_file(&self, text: &str) -> Option<Result<HarnessFile<FinishedMatch>, HarnessFileError>> {
        let format = G::harness_formats().iter().find(|format| (format.detect)(text))?;
        Some((format.read)(text).map(|content| content.map(|whole| untyped::<G>(&whole))))
    }

    fn check_conformance(&self, seed: u64) -> Result<(), String> {
        conformance::check::<G>(seed)
    }
}

/// The first variant for this many seats.
fn usual_options<G: Game>(seats: u8) -> Option<G::Options> {
    let fits = |options: &G::Options| G::deal(options, &Seed::default()).is_ok_and(|s| s.seats() == seats);
    G::variants().into_iter().find(fits)
}

/// A match that begins with a position.
fn start<G: Game>(
    position: &StartPosition,
    options: Option<G::Options>,
    seed: &Seed,
) -> Result<MatchStart, Refusal> {
    let mut rng = Rng::stream(seed, STREAM);
    let (mut state, position, own) = match position {
        StartPosition::View { view } => {
            let view: G::View = from_value(RefusalCode::BadPosition, view)?;
            seat_of(view.viewer())?;
            if view.turn() == Turn::Over {
                return Err(finished_position());
            }
            // A view may leave options open, which the game's own bot has to guess: then the usual ones hold.
            let usual = |guess: &G::State| {
                let fits = |o: &G::Options| G::set_options(&mut guess.clone(), o).is_ok();
                std::iter::once(G::Options::default()).chain(G::variants()).find(fits)
            };
            let guess = view.guess(&mut rng);
            guess.audit().map_err(|e| Refusal::new(RefusalCode::BadPosition, e))?;
            let own = usual(&guess);
            (guess, StartPosition::View { view: to_value(&view) }, own)
        }
        StartPosition::Table { state } => {
            let mut state = restored::<G>(state)?;
            if state.turn() == Turn::Over {
                return Err(finished_position());
            }
            // What is replaced has one form in records.
            G::redraw(&mut state, &mut Rng::new(&Seed::default()));
            let position = StartPosition::Table { state: to_value(&state) };
            G::redraw(&mut state, &mut rng);
            (state, position, None)
        }
    };
    let options = options.or(own).unwrap_or_else(|| G::options_of(&state));
    G::set_options(&mut state, &options)
        .map_err(|e| Refusal::new(RefusalCode::BadOptions, format!("options: {}", e.0)))?;
    let options = to_value(&options);
    Ok(MatchStart { table: Box::new(RefereedMatch::<G>::new(state)), options, position })
}

/// The finished match with its types. Plays its moves once to check them.
fn finished<G: Game>(record: &FinishedMatch) -> Result<RecordedMatch<G>, Refusal> {
    let dealt = restored::<G>(&record.dealt)?;
    if record.names.len() != usize::from(dealt.seats()) {
        let count = record.names.len();
        return Err(Refusal::new(
            RefusalCode::BadNames,
            format!("{count} names for {} seats", dealt.seats()),
        ));
    }
    let mut table = Table::<G>::new(dealt.clone());
    let mut moves = Vec::with_capacity(record.moves.len());
    for one in &record.moves {
        let mv = read_move::<G>(&one.notation)?;
        table.play(one.seat, &mv)?;
        let (mistake, remarks) = (one.mistake.clone(), one.remarks.clone());
        moves.push(RecordedMove { seat: one.seat, mv, mistake, remarks });
    }
    Ok(RecordedMatch { dealt, moves, names: record.names.clone() })
}

/// The match without its types.
fn untyped<G: Game>(whole: &RecordedMatch<G>) -> FinishedMatch {
    let moves = whole.moves.iter().map(|one| FinishedMove {
        seat: one.seat,
        notation: one.mv.to_string(),
        mistake: one.mistake.clone(),
        remarks: one.remarks.clone(),
    });
    FinishedMatch { dealt: to_value(&whole.dealt), moves: moves.collect(), names: whole.names.clone() }
}

fn restored<G: Game>(state: &Value) -> Result<G::State, Refusal> {
    let state: G::State = from_value(RefusalCode::BadState, state)?;
    state.audit().map_err(|e| Refusal::new(RefusalCode::BadState, e))?;
    Ok(state)
}

/// A move given as JSON or as notation, in both its forms.
fn read_input<G: Game>(mv: MoveInput<'_>) -> Result<ReadMove, Refusal> {
    let mv: G::Move = match mv {
        MoveInput::Json(json) => from_value(RefusalCode::BadMove, json)?,
        MoveInput::Notation(notation) => read_move::<G>(notation)?,
    };
    Ok(ReadMove { text: MoveText::of(&mv), typed: Box::new(mv) })
}

fn read_move<G: Game>(notation: &str) -> Result<G::Move, Refusal> {
    notation.parse().map_err(|e: <G::Move as std::str::FromStr>::Err| {
        // An error quotes only the beginning of a long text.
        let head = |text: &str| text.chars().take(100).collect::<String>();
        Refusal::new(RefusalCode::BadMove, format!("{:?}: {}", head(notation), head(&e.to_string())))
    })
}

fn to_value<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).expect("the games' types are plain values with text keys")
}

fn from_value<T: DeserializeOwned>(code: RefusalCode, json: &Value) -> Result<T, Refusal> {
    serde_path_to_error::deserialize(json).map_err(|e| {
        let path = e.path().to_string();
        let detail = e.into_inner().to_string();
        Refusal::new(code, if path == "." { detail } else { format!("at {path}: {detail}") })
    })
}

impl MoveText {
    fn of<M: Serialize + std::fmt::Display>(mv: &M) -> Self {
        Self { mv: to_value(mv), notation: mv.to_string() }
    }
}
