//! The memory of the search for the hidden units of positions that it valued, which take a third of an iteration to
//! compute. When the search returns to a position, it gives the position its moves, and needs the hidden units again.

use super::net::Hidden;

/// Number of positions remembered, in 2 MB: those valued last. Two of three that are needed again are still among them.
const PLACES: usize = 1 << 13;

/// The hidden units of positions, by the number of their node. A newer node takes the place of an older one.
#[derive(Default)]
pub(super) struct HiddenMemo {
    places: Vec<Option<(usize, Hidden)>>,
}

impl HiddenMemo {
    /// Remembers the hidden units of a node.
    pub(super) fn keep(&mut self, node: usize, hidden: Hidden) {
        let place = node % PLACES;
        if place >= self.places.len() {
            self.places.resize(place + 1, None);
        }
        self.places[place] = Some((node, hidden));
    }

    /// The hidden units of a node, if they are remembered.
    pub(super) fn find(&self, node: usize) -> Option<&Hidden> {
        let kept = self.places.get(node % PLACES)?.as_ref()?;
        (kept.0 == node).then_some(&kept.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_node_takes_the_place_of_an_older_one() {
        let mut memo = HiddenMemo::default();
        assert!(memo.find(3).is_none());
        memo.keep(3, Hidden([3; _]));
        memo.keep(5, Hidden([5; _]));
        assert_eq!(memo.find(3), Some(&Hidden([3; _])));
        assert!(memo.find(4).is_none() && memo.find(3 + PLACES).is_none());
        memo.keep(3 + PLACES, Hidden([7; _]));
        assert!(memo.find(3).is_none());
        assert_eq!(memo.find(3 + PLACES), Some(&Hidden([7; _])));
        assert_eq!(memo.find(5), Some(&Hidden([5; _])));
    }
}
