//! Positions without their types, and the searches of engines in them.

use std::any::Any;
use std::cell::RefCell;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::cores::Cores;
use crate::erased::adapter::{read_move, to_value};
use crate::erased::{AnyTable, EngineDecision, MoveText, Position, RankedMove, Refusal, RefusalCode, raw};
use crate::game::{Game, Illegal, Turn, View, Viewer};
use crate::label::DecisionLabel;
use crate::rng::{Rng, Seed};
use crate::search::{Decision, EngineSpec, Host, Limits, Search};
use crate::session::RefereedMatch;

/// A view without its type.
pub(super) struct ErasedPosition<G: Game>(pub(super) G::View);

impl<G: Game> ErasedPosition<G> {
    /// The move of this notation, if the viewer may play it now.
    pub(super) fn legal_move(&self, notation: &str) -> Result<G::Move, Refusal> {
        let mv = read_move::<G>(notation)?;
        match self.0.turn() {
            Turn::Over => Err(Illegal::Over.into()),
            Turn::Of(seat) if self.0.viewer() != Viewer::Seat(seat) => Err(Illegal::NotYourTurn(seat).into()),
            Turn::Of(_) if !self.0.is_legal(&mv) => Err(Illegal::rules::<G>(&self.0, &mv).into()),
            Turn::Of(_) => Ok(mv),
        }
    }
}

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
        struct TypedMove<'a, M> {
            #[serde(rename = "move")]
            mv: &'a M,
            notation: String,
        }
        let mut moves = Vec::new();
        self.0.legal(&mut moves);
        let typed: Vec<_> = moves.iter().map(|mv| TypedMove { mv, notation: mv.to_string() }).collect();
        raw(&typed)
    }

    fn legal_moves(&self) -> Vec<MoveText> {
        let mut moves = Vec::new();
        self.0.legal(&mut moves);
        moves.iter().map(MoveText::of).collect()
    }

    fn premoves(&self) -> Vec<MoveText> {
        let mut moves = Vec::new();
        self.0.premoves(&mut moves);
        moves.iter().map(MoveText::of).collect()
    }

    fn legal_notations(&self) -> Vec<String> {
        let mut moves = Vec::new();
        self.0.legal(&mut moves);
        moves.iter().map(ToString::to_string).collect()
    }

    fn viewer(&self) -> Viewer {
        self.0.viewer()
    }

    fn check(&self, notation: &str) -> Result<MoveText, Refusal> {
        self.legal_move(notation).map(|mv| MoveText::of(&mv))
    }

    fn label(&self, notation: &str) -> Result<DecisionLabel, Refusal> {
        self.legal_move(notation).map(|mv| G::label(&self.0, &mv))
    }

    fn guess(&self, seed: &Seed) -> Result<Box<dyn AnyTable>, Refusal> {
        self.askable()?;
        Ok(Box::new(RefereedMatch::<G>::new(self.0.guess(&mut Rng::new(seed)))))
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
