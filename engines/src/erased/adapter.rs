//! The adapter from typed games to the object-safe traits of [`crate::erased`]. Types are erased here and nowhere else.

use std::any::Any;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::conformance;
use crate::cores::Cores;
use crate::dialogue::DialogueInfo;
use crate::erased::{
    AnyGame, AnySession, AnyTable, Awaits, DecisionRequest, EngineDecision, EngineInfo, FinishedMatch,
    FormatInfo, MoveInput, MoveText, Position, RankedMove, ReadMove, Refusal, RefusalCode, Schemas, raw,
};
use crate::game::{
    Finished, Game, Illegal, Info, Outcome, Played, RecordFormat, Seat, State, Table, Turn, View, Viewer,
};
use crate::protocol::{Entry, Lines, PlayerAwaits, PlayerDecision, Settings};
use crate::rng::{Rng, Seed};
use crate::search::{Decision, EngineSpec, Host, Limits, Search};
use crate::session::{Refereed, Session};

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
        Ok(Box::new(Refereed::<G>::new(state)))
    }

    fn restore(&self, state: &Value) -> Result<Box<dyn AnyTable>, Refusal> {
        Ok(Box::new(Refereed::<G>::new(restored::<G>(state)?)))
    }

    fn options_for(&self, seats: u8) -> Option<Value> {
        let fits =
            |options: &G::Options| G::deal(options, &Seed::default()).is_ok_and(|s| s.seats() == seats);
        G::variants().iter().find(|options| fits(options)).map(to_value)
    }

    fn position(&self, json: &Value) -> Result<Box<dyn Position>, Refusal> {
        Ok(Box::new(ErasedPosition::<G>(from_value(RefusalCode::BadPosition, json)?)))
    }

    fn session(&self, settings: &Settings) -> Result<Box<dyn AnySession>, Refusal> {
        let player = G::player(settings).map_err(|e| Refusal::new(RefusalCode::BadOptions, e.0))?;
        Ok(Box::new(Session::new(player)))
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

    fn check_conformance(&self, seed: u64) -> Result<(), String> {
        conformance::check::<G>(seed)
    }
}

/// The finished match with its types. Plays its moves once to check them.
fn finished<G: Game>(record: &FinishedMatch) -> Result<Finished<G>, Refusal> {
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
        moves.push(Played { seat: one.seat, mv, mistake: one.mistake.clone() });
    }
    Ok(Finished { dealt, moves, names: record.names.clone() })
}

fn restored<G: Game>(state: &Value) -> Result<G::State, Refusal> {
    let state: G::State = from_value(RefusalCode::BadState, state)?;
    state.audit().map_err(|e| Refusal::new(RefusalCode::BadState, e))?;
    Ok(state)
}

/// A view without its type.
struct ErasedPosition<G: Game>(G::View);

impl<G: Game> Position for ErasedPosition<G> {
    fn to_json(&self) -> Value {
        to_value(&self.0)
    }

    fn turn(&self) -> Turn {
        self.0.turn()
    }

    fn picture(&self) -> Option<String> {
        self.0.picture()
    }

    fn to_raw(&self) -> Box<RawValue> {
        raw(&self.0)
    }

    fn legal_moves_raw(&self) -> Box<RawValue> {
        /// A [`MoveText`] of a move whose type is known.
        #[derive(Serialize)]
        struct Typed<'a, M> {
            #[serde(rename = "move")]
            mv: &'a M,
            notation: String,
        }
        let mut moves = Vec::new();
        self.0.legal(&mut moves);
        let typed: Vec<_> = moves.iter().map(|mv| Typed { mv, notation: mv.to_string() }).collect();
        raw(&typed)
    }

    fn legal_moves(&self) -> Vec<MoveText> {
        let mut moves = Vec::new();
        self.0.legal(&mut moves);
        moves.iter().map(MoveText::of).collect()
    }

    fn check(&self, notation: &str) -> Result<MoveText, Refusal> {
        let mv = read_move::<G>(notation)?;
        match self.0.turn() {
            Turn::Over => Err(Illegal::Over.into()),
            Turn::Of(seat) if self.0.viewer() != Viewer::Seat(seat) => Err(Illegal::NotYourTurn(seat).into()),
            Turn::Of(_) if !self.0.is_legal(&mv) => Err(Illegal::Rules(mv.to_string()).into()),
            Turn::Of(_) => Ok(MoveText::of(&mv)),
        }
    }

    fn guess(&self, seed: &Seed) -> Result<Box<dyn AnyTable>, Refusal> {
        self.askable()?;
        Ok(Box::new(Refereed::<G>::new(self.0.guess(&mut Rng::new(seed)))))
    }

    fn askable(&self) -> Result<(), Refusal> {
        match self.0.turn() {
            Turn::Over => Err(Refusal::new(
                RefusalCode::PositionFinished,
                "the match is over in this position: there is no move",
            )),
            Turn::Of(seat) if self.0.viewer() == Viewer::Seat(seat) => Ok(()),
            Turn::Of(seat) => Err(Refusal::new(
                RefusalCode::NotToMove,
                format!("the position is not seen by seat {seat}, who is to move"),
            )),
        }
    }

    fn allot(&self, clock: Duration) -> Duration {
        G::allot(&self.0, clock)
    }

    fn analyse(
        &self,
        engine: Option<&str>,
        limits: Limits,
        host: &dyn Host,
        found: &mut dyn FnMut(EngineDecision),
    ) -> Result<EngineDecision, Refusal> {
        self.askable()?;
        let engines = G::engines();
        let spec = engine.map_or(engines.first(), |name| engines.iter().find(|e| e.name == name));
        let Some(spec) = spec else {
            let names: Vec<_> = engines.iter().map(|e| e.name).collect();
            return Err(Refusal::new(
                RefusalCode::UnknownEngine,
                format!("the engines here are {}", names.join(", ")),
            ));
        };
        let wanted = limits.candidates;
        let host_of_game = ErasedHost { host, spec, wanted, found: RefCell::new(found) };
        let mut search = Search::new(limits, &host_of_game);
        let decision = (spec.make)().choose(&self.0, &mut search);
        if !self.0.is_legal(&decision.mv) {
            return Err(Refusal::new(
                RefusalCode::EngineFailed,
                format!("{} chose what the rules forbid", spec.name),
            ));
        }
        Ok(answer(&decision, search.nodes(), spec, wanted))
    }
}

/// A host that passes on the results of a search of `G`, without their types.
struct ErasedHost<'a, G: Game> {
    host: &'a dyn Host,
    spec: &'static EngineSpec<G>,
    /// Number of ranked moves.
    wanted: usize,
    found: RefCell<&'a mut dyn FnMut(EngineDecision)>,
}

impl<G: Game> Host for ErasedHost<'_, G> {
    fn go_on(&self) -> bool {
        self.host.go_on()
    }

    fn remaining(&self) -> Option<Duration> {
        self.host.remaining()
    }

    fn is_curious(&self) -> bool {
        self.host.is_curious()
    }

    fn found(&self, decision: &dyn Any, nodes: u64) {
        if let Some(decision) = decision.downcast_ref::<Decision<G>>() {
            (self.found.borrow_mut())(answer(decision, nodes, self.spec, self.wanted));
        }
    }

    fn note(&self, remark: &str) {
        self.host.note(remark);
    }

    fn cores(&self) -> Option<&dyn Cores> {
        self.host.cores()
    }
}

/// A decision without its types.
fn answer<G: Game>(
    decision: &Decision<G>,
    nodes: u64,
    spec: &EngineSpec<G>,
    wanted: usize,
) -> EngineDecision {
    let ranked = decision.candidates.iter().take(wanted).map(|c| RankedMove {
        mv: MoveText::of(&c.mv),
        value: c.value,
        visits: c.visits,
    });
    EngineDecision {
        mv: MoveText::of(&decision.mv),
        value: decision.value,
        candidates: ranked.collect(),
        line: decision.line.iter().map(MoveText::of).collect(),
        nodes,
        depth: decision.depth,
        engine: format!("{} {}", spec.name, spec.version),
    }
}

impl<G: Game> AnyTable for Refereed<G> {
    fn seats(&self) -> u8 {
        self.table().state().seats()
    }

    fn state_json(&self) -> Value {
        to_value(self.table().state())
    }

    fn fork(&self) -> Box<dyn AnyTable> {
        Box::new(Refereed::of(self.table().clone()))
    }

    fn ply(&self) -> u32 {
        self.table().ply()
    }

    fn turn(&self) -> Turn {
        Refereed::turn(self)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.table().outcome()
    }

    fn view(&self, viewer: Viewer) -> Box<dyn Position> {
        Box::new(ErasedPosition::<G>(self.table().state().view(viewer)))
    }

    fn play(&mut self, seat: Seat, notation: &str) -> Result<(), Refusal> {
        Ok(Refereed::play(self, seat, &read_move::<G>(notation)?)?)
    }

    fn read(&self, mv: MoveInput<'_>) -> Result<ReadMove, Refusal> {
        let mv: G::Move = match mv {
            MoveInput::Json(json) => from_value(RefusalCode::BadMove, json)?,
            MoveInput::Notation(notation) => read_move::<G>(notation)?,
        };
        Ok(ReadMove { text: MoveText::of(&mv), typed: Box::new(mv) })
    }

    fn after(&self, seat: Seat, mv: &ReadMove) -> Result<Box<dyn AnyTable>, Refusal> {
        let mut after = Refereed::of(self.table().clone());
        match mv.typed.downcast_ref::<G::Move>() {
            Some(typed) => Refereed::play(&mut after, seat, typed)?,
            // Another game's table read the move: use its text.
            None => AnyTable::play(&mut after, seat, &mv.text.notation)?,
        }
        Ok(Box::new(after))
    }

    fn foul(&mut self, seat: Seat, reason: &str) -> Result<Option<String>, Refusal> {
        Ok(Refereed::foul(self, seat, reason)?.map(|mv| mv.to_string()))
    }

    fn seat_bot(&mut self, seat: Seat) {
        Refereed::seat_bot(self, seat);
    }

    fn prompt(&mut self, seat: Seat, clock: Option<Duration>) {
        Refereed::prompt(self, seat, clock);
    }

    fn take_lines(&mut self, seat: Seat) -> Lines {
        Refereed::take_lines(self, seat)
    }

    fn hear(&mut self, seat: Seat, line: &str) -> Result<Option<String>, Refusal> {
        Ok(Refereed::hear(self, seat, line)?.map(|mv| mv.to_string()))
    }
}

/// Removes the types from the event that a session waits for.
fn erased<G: Game>(awaits: PlayerAwaits<G>) -> Awaits {
    awaits.map(|PlayerDecision { view, clock }| DecisionRequest {
        position: Box::new(ErasedPosition::<G>(*view)),
        clock,
        limit: G::INFO.move_limit,
        counts: G::DIALOGUE.counts,
        usual: G::INFO.think,
    })
}

impl<G: Game> AnySession for Session<G> {
    fn push(&mut self, entries: Vec<Entry>) {
        Session::push(self, entries);
    }

    fn waiting(&self) -> usize {
        Session::waiting(self)
    }

    fn keep(&self) -> Vec<(&'static str, String)> {
        Session::keep(self)
    }

    fn has_lines(&self) -> bool {
        Session::has_lines(self)
    }

    fn advance(&mut self) -> Result<Awaits, Refusal> {
        Ok(erased(Session::advance(self)?))
    }

    fn silence(&mut self) -> Awaits {
        erased(Session::silence(self))
    }

    fn decide(&mut self, notation: &str) -> Result<Awaits, Refusal> {
        Ok(erased(Session::decide(self, notation)?))
    }

    fn take_lines(&mut self) -> Lines {
        Session::take_lines(self)
    }

    fn take_remarks(&mut self) -> Lines {
        Session::take_remarks(self)
    }

    fn has_understood(&self) -> bool {
        Session::has_understood(self)
    }
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
