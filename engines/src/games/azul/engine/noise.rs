//! The search's own randomness: small and fast, seeded from the search's generator, so that it is as reproducible.

use crate::games::azul::rules::Position;

/// A stream of random numbers: SplitMix64 (Steele, Lea and Flood, 2014).
pub struct Noise(u64);

impl Noise {
    /// The stream of this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    #[inline]
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in [0, 1), coarse but cheap: four of them come from one draw, which is kept in `held` (0 at first).
    #[inline]
    pub fn coarse(&mut self, held: &mut u64) -> f32 {
        if *held >> 16 == 0 {
            // The highest bit says when the numbers are used up.
            *held = self.next() | 1 << 63;
        }
        let number = *held & 0x7fff;
        *held >>= 15;
        number as f32 / 32_768.0
    }

    /// A number below `n`, which is small; the bias of some 2^-32 does not matter here.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        (((self.next() >> 32) * n as u64) >> 32) as usize
    }

    /// Fills the displays with what the bag may bring: any order of it, equally likely.
    pub fn refill(&mut self, position: &mut Position) {
        let mut bag = [0u8; 100];
        let mut size = 0;
        for (colour, n) in (0u8..).zip(position.bag()) {
            bag[size..size + usize::from(n)].fill(colour);
            size += usize::from(n);
        }
        loop {
            for i in 0..20.min(size) {
                bag.swap(i, i + self.below(size - i));
            }
            position.fill(&bag[..20]);
            if !position.is_dull() {
                return;
            }
        }
    }
}
