//! For the games' tests: a search whose host lends cores.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::time::Duration;

use crate::cores::Cores;
use crate::game::{Game, View as _};
use crate::search::{Decision, Host, Limits, Search};

/// Lends two cores, and ends the search when helpers have asked a hundred times whether they may go on.
#[derive(Debug, Default)]
struct Lender {
    lent: AtomicI64,
    taken: AtomicI64,
    asked: AtomicI64,
}

impl Cores for Lender {
    fn take(&self) -> bool {
        let lent = self.taken.fetch_add(1, Relaxed) < 2;
        self.lent.fetch_add(i64::from(lent), Relaxed);
        lent
    }
    fn may_keep(&self) -> bool {
        self.asked.fetch_add(1, Relaxed);
        true
    }
    fn give_back(&self) {
        self.lent.fetch_sub(1, Relaxed);
    }
}

impl Host for Lender {
    fn go_on(&self) -> bool {
        self.asked.load(Relaxed) < 100
    }
    fn remaining(&self) -> Option<Duration> {
        Some(Duration::from_secs(1))
    }
    fn cores(&self) -> Option<&dyn Cores> {
        Some(self)
    }
}

/// The decision of the game's own engine with two lent cores, and the nodes of its search, until the helpers have asked a hundred
/// times whether they may go on.
///
/// # Panics
/// If the engine does not use both cores, keeps one, or borrows any for a search with a node budget.
pub fn decide_with_lent_cores<G: Game>(view: &G::View) -> (Decision<G>, u64) {
    let engine = || (G::engines()[0].make)();
    let lender = Lender::default();
    let mut search = Search::new(Limits::default(), &lender);
    let decision = engine().choose(view, &mut search);
    assert!(view.is_legal(&decision.mv), "{}", decision.mv);
    // The request for a third core was refused, and the two were given back.
    assert_eq!((lender.taken.load(Relaxed), lender.lent.load(Relaxed)), (3, 0));
    let alone = Lender::default();
    let limits = Limits { nodes: Some(50), ..Limits::default() };
    engine().choose(view, &mut Search::new(limits, &alone));
    assert_eq!(alone.taken.load(Relaxed), 0);
    (decision, search.nodes())
}
