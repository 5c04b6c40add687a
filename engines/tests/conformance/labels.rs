//! Phases and kinds of decisions: a game that distinguishes some has words for all of them on its pages.

use std::collections::BTreeSet;
use std::path::Path;

use engines::game::{Turn, Viewer};
use engines::games::GAMES;
use engines::label::DecisionLabel;
use engines::rng::{Rng, Seed};
use serde_json::Value;

#[test]
fn every_label_has_a_text() {
    for game in GAMES {
        let info = game.info();
        let (mut phases, mut kinds) = (BTreeSet::new(), BTreeSet::new());
        let mut rng = Rng::new(&Seed::from(12));
        for seed in 0..40 {
            let options = game.options_for(2.clamp(info.min_seats, info.max_seats)).unwrap();
            let mut table = game.deal(&options, &Seed::from(seed)).unwrap();
            while let Turn::Of(seat) = table.turn() {
                let view = table.view(Viewer::Seat(seat));
                let moves = view.legal_moves();
                for mv in &moves {
                    let label = view.label(&mv.notation).unwrap();
                    phases.insert(label.phase);
                    kinds.insert(label.kind);
                }
                table.play(seat, &rng.pick(&moves).unwrap().notation).unwrap();
            }
        }
        let DecisionLabel { phase, kind } = DecisionLabel::PLAIN;
        if phases == BTreeSet::from([phase]) && kinds == BTreeSet::from([kind]) {
            // It distinguishes none; the pages then need no words of its own.
            continue;
        }
        let slug = info.slug;
        assert!(phases.len() == 3 && kinds.len() >= 2, "{slug}: {phases:?} {kinds:?}");
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/games/{slug}/board/en.json"));
        let texts: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let keys = phases.iter().map(|phase| format!("phase.{phase}"));
        for key in keys.chain(kinds.iter().map(|kind| format!("kind.{kind}"))) {
            assert!(texts[&key].is_string(), "{slug} lacks the text {key}");
        }
    }
}
