//! A position for tests, whose engine does what a test wants.

use std::time::Duration;

use engines::erased::{AnyTable, EncodedPosition, EngineDecision, MoveText, Position, Refusal, RefusalCode};
use engines::game::{Seat, Turn, Viewer};
use engines::label::DecisionLabel;
use engines::rng::Seed;
use engines::search::{Host, Limits};
use serde_json::{Value, json};

/// What an engine does.
pub(super) type SearchBody = Box<dyn Fn(&dyn Host) + Send + Sync>;

/// A position whose engine runs this body.
pub(super) struct ScriptedPosition(pub(super) SearchBody);

impl EncodedPosition for ScriptedPosition {}

impl Position for ScriptedPosition {
    fn picture(&self) -> Option<String> {
        None
    }

    fn to_json(&self) -> Value {
        Value::Null
    }
    fn turn(&self) -> Turn {
        Turn::Of(Seat(0))
    }
    fn viewer(&self) -> Viewer {
        Viewer::Seat(Seat(0))
    }
    fn legal_moves(&self) -> Vec<MoveText> {
        Vec::new()
    }
    fn check(&self, notation: &str) -> Result<MoveText, Refusal> {
        Err(Refusal::new(RefusalCode::IllegalMove, notation))
    }
    fn label(&self, notation: &str) -> Result<DecisionLabel, Refusal> {
        Err(Refusal::new(RefusalCode::IllegalMove, notation))
    }
    fn guess(&self, _: &Seed) -> Result<Box<dyn AnyTable>, Refusal> {
        Err(Refusal::new(RefusalCode::PositionFinished, "a search has no table"))
    }
    fn askable(&self) -> Result<(), Refusal> {
        Ok(())
    }
    fn allot(&self, clock: Duration) -> Duration {
        clock
    }
    fn analyse(
        &self,
        _: Option<&str>,
        limits: Limits,
        host: &dyn Host,
        found: &mut dyn FnMut(EngineDecision),
    ) -> Result<EngineDecision, Refusal> {
        (self.0)(host);
        let mv = MoveText { mv: json!({}), notation: "x".to_owned() };
        let nodes = limits.nodes.unwrap_or(1);
        let (candidates, line, engine) = (Vec::new(), Vec::new(), "test 1".to_owned());
        let answer = EngineDecision { mv, value: 0.5, candidates, line, nodes, depth: 0, engine };
        found(answer.clone());
        Ok(answer)
    }
}
