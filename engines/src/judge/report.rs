//! The analysis of a match as text for people: a table of the decisions, one of the seats, and the costliest decisions.

use std::fmt::Write as _;

use super::{JudgedDecision, JudgedSeat, MatchAnalysis, MoveClass, MoveValue};
use crate::grid::{Grid, row};

/// Moves of an expected line that the text shows.
const LINE: usize = 6;

/// Points of winning probability.
fn points(value: f64) -> String {
    format!("{:.1}", 100.0 * value)
}

/// The same with its sign.
fn change(value: f64) -> String {
    let text = format!("{:+.1}", 100.0 * value);
    if text == "-0.0" || text == "+0.0" { "0.0".to_owned() } else { text }
}

/// The analysis as text. `names`: of the seats. All values are points of winning probability.
pub fn report(analysis: &MatchAnalysis, names: &[String]) -> String {
    let MatchAnalysis { engine, judge, nodes, .. } = analysis;
    let mut text = format!("judged by {engine}, {nodes} nodes a move, judge version {judge}\n\n");
    text += &Grid(decisions(analysis)).to_string();
    text.push('\n');
    text += &Grid(seats(analysis, names)).to_string();
    text.push('\n');
    text += &Grid(accounts(analysis, names)).to_string();
    text.push('\n');
    for (place, ply) in (1..).zip(&analysis.costliest) {
        let found = analysis.decisions.iter().find(|one| one.ply == *ply);
        if let Some((one, value)) = found.and_then(|one| Some((one, one.value.as_ref()?))) {
            text += &format!("{place}. {}\n", in_words(one, value, names));
        }
    }
    if analysis.costliest.is_empty() {
        text += "No decision lost 5 points or more.\n";
    }
    text
}

fn name_of(names: &[String], seat: usize) -> &str {
    names.get(seat).map_or("", String::as_str)
}

fn decisions(analysis: &MatchAnalysis) -> Vec<Vec<String>> {
    let mut rows =
        vec![row(["move", "seat", "played", "class", "before", "after", "loss", "better", "drawn"])];
    for JudgedDecision { ply, seat, played, penalty, drawn, value, .. } in &analysis.decisions {
        let mut cells = row([(ply + 1).to_string(), seat.to_string(), played.notation.clone()]);
        match value {
            None => cells.extend(row(["only move", "", "", "", ""])),
            Some(MoveValue { before, after, loss, class, best, .. }) => {
                let better = if *loss > 0.0 { best.notation.clone() } else { String::new() };
                cells.extend([
                    class.name().to_owned(),
                    points(*before),
                    points(*after),
                    points(*loss),
                    better,
                ]);
            }
        }
        if *penalty {
            cells[3] = "penalty".to_owned();
        }
        cells.push(if *drawn { "yes" } else { "" }.to_owned());
        rows.push(cells);
    }
    rows
}

fn seats(analysis: &MatchAnalysis, names: &[String]) -> Vec<Vec<String>> {
    let mut head = row(["seat", "name", "accuracy", "mean loss", "decisions"]);
    head.extend(MoveClass::ALL.map(|class| class.name().to_owned()));
    let mut rows = vec![head];
    for JudgedSeat { seat, decisions, classes, accuracy, mean_loss, .. } in &analysis.seats {
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let mut cells = row([seat.to_string(), name_of(names, seat.index()).to_owned()]);
        cells.push(or_none(accuracy.map(|accuracy| format!("{accuracy:.1}"))));
        cells.push(or_none(mean_loss.map(points)));
        cells.push(decisions.to_string());
        cells.extend(classes.map(|count| count.to_string()));
        rows.push(cells);
    }
    rows
}

fn accounts(analysis: &MatchAnalysis, names: &[String]) -> Vec<Vec<String>> {
    let head = ["seat", "name", "start", "own", "others", "luck", "(gained", "lost)", "correction", "result"];
    let mut rows = vec![row(head)];
    for JudgedSeat { seat, account, .. } in &analysis.seats {
        let Some(a) = account else { continue };
        let mut cells = row([seat.to_string(), name_of(names, seat.index()).to_owned()]);
        cells.push(points(a.start));
        cells.extend([a.own, a.others, a.luck].map(change));
        cells.extend([a.luck_gained, a.luck_lost].map(points));
        cells.extend([change(a.correction), points(a.result)]);
        rows.push(cells);
    }
    if rows.len() == 1 { vec![row(["The match has no result."])] } else { rows }
}

/// A costly decision in words.
fn in_words(one: &JudgedDecision, value: &MoveValue, names: &[String]) -> String {
    let MoveValue { before, after, loss, class, best, line } = value;
    let mut text = format!(
        "Move {}, seat {} ({}), {}: {} lost {} points ({} -> {}). Better: {}.",
        one.ply + 1,
        one.seat,
        name_of(names, one.seat.index()),
        class.name(),
        one.played.notation,
        points(*loss),
        points(*before),
        points(*after),
        best.notation,
    );
    if line.len() > 1 {
        let moves: Vec<&str> = line.iter().take(LINE).map(|mv| mv.notation.as_str()).collect();
        // Writing to a text cannot fail.
        let _ = write!(text, " Expected then: {}.", moves[1..].join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::erased::MoveText;
    use crate::game::Seat;
    use crate::judge::account::{MatchEnd, summaries};

    #[test]
    fn report_names_the_costliest_decision_and_what_was_better() {
        let mv = |text: &str| MoveText { mv: serde_json::Value::Null, notation: text.to_owned() };
        let value = MoveValue {
            before: 0.71,
            after: 0.37,
            loss: 0.34,
            class: MoveClass::Blunder,
            best: mv("b"),
            line: vec![mv("b"), mv("c"), mv("d")],
        };
        let decisions = vec![
            JudgedDecision {
                ply: 0,
                seat: Seat(0),
                played: mv("a"),
                phase: "ending".to_owned(),
                kind: "gift".to_owned(),
                penalty: false,
                drawn: true,
                value: Some(value),
            },
            JudgedDecision {
                ply: 1,
                seat: Seat(1),
                played: mv("e"),
                phase: "ending".to_owned(),
                kind: "gift".to_owned(),
                penalty: false,
                drawn: false,
                value: None,
            },
        ];
        let end = MatchEnd { scores: vec![0.0, 1.0], forfeited: Vec::new() };
        let analysis = MatchAnalysis {
            engine: "engine 1".to_owned(),
            judge: 1,
            nodes: 10,
            seats: summaries(2, &decisions, Some(&end)),
            decisions,
            costliest: vec![0],
        };
        let text = report(&analysis, &["ana".to_owned(), "bob".to_owned()]);
        let words = "1. Move 1, seat 0 (ana), blunder: a lost 34.0 points (71.0 -> 37.0). Better: b. Expected then: c, d.";
        assert!(text.contains(words), "{text}");
        assert!(text.contains("only move") && text.contains("-34.0") && text.contains("-37.0"), "{text}");
    }
}
