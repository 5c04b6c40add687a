//! The reasons of an engine's decision as lines of text for people. This module does not print them.

use std::time::Duration;

use crate::dialogue::CountedTime;
use crate::erased::EngineDecision;

/// One line about the decision, then one line for each of its candidates, best first. `took`: how long the search took,
/// in the time that `counts` names. No line holds a `%` or a line break.
pub fn remarks(answer: &EngineDecision, took: Duration, counts: CountedTime) -> Vec<String> {
    let clock = match counts {
        CountedTime::Wall => "",
        CountedTime::Processor => " of processor time",
    };
    let first = format!(
        "{}: {}, value {:.3}, {} nodes, depth {}, {} ms{clock}",
        answer.engine,
        answer.mv.notation,
        answer.value,
        answer.nodes,
        answer.depth,
        took.as_millis()
    );
    let ranked = answer.candidates.iter().enumerate().map(|(place, one)| {
        format!("{}. {}: value {:.3}, {} visits", place + 1, one.mv.notation, one.value, one.visits)
    });
    [first].into_iter().chain(ranked).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::erased::{MoveText, RankedMove};

    #[test]
    fn decision_becomes_lines() {
        let mv = |notation: &str| MoveText { mv: Value::Null, notation: notation.to_owned() };
        let answer = EngineDecision {
            mv: mv("1 0"),
            value: 0.5,
            candidates: vec![RankedMove { mv: mv("1 0"), value: 0.25, visits: 7 }],
            line: vec![],
            nodes: 12,
            depth: 3,
            engine: "chess 5".to_owned(),
        };
        let lines = remarks(&answer, Duration::from_micros(2500), CountedTime::Processor);
        let first = "chess 5: 1 0, value 0.500, 12 nodes, depth 3, 2 ms of processor time";
        assert_eq!(lines, [first, "1. 1 0: value 0.250, 7 visits"]);
    }
}
