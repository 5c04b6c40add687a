//! The random numbers of searches and training: small and fast. Deals and records use [`crate::rng::Rng`] instead, which
//! cannot be predicted from what it has produced.

/// A stream of random numbers: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// 2014). The same seed gives the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct FastRng(u64);

impl FastRng {
    /// The stream of this seed; every seed is as good as any other.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in [0, 1), a multiple of 2^-24.
    #[inline]
    pub fn unit(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// A number in `0..n`. No number is likelier than another by more than one part in 2^32 / `n`: negligible for the
    /// small ranges of a search. `n` is at least 1.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        debug_assert!(n > 0, "a range needs at least one number");
        (((self.next_u64() >> 32) * n as u64) >> 32) as usize
    }

    /// A number in [0, 1), a multiple of 2^-15: coarse, but four of them come from one draw. `held` keeps the unused
    /// bits between calls and starts at 0.
    #[inline]
    pub fn coarse(&mut self, held: &mut u64) -> f32 {
        if *held >> 16 == 0 {
            // The highest bit marks where the numbers end.
            *held = self.next_u64() | 1 << 63;
        }
        let number = *held & 0x7fff;
        *held >>= 15;
        number as f32 / 32_768.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of the published reference implementation (`splitmix64.c` by Sebastiano Vigna) for seed 0.
    #[test]
    fn numbers_are_those_of_the_reference() {
        let mut rng = FastRng::new(0);
        let numbers = [rng.next_u64(), rng.next_u64(), rng.next_u64()];
        assert_eq!(numbers, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
    }

    #[test]
    fn ranges_are_covered_evenly() {
        let mut rng = FastRng::new(1);
        let mut seen = [0u32; 6];
        (0..60_000).for_each(|_| seen[rng.below(6)] += 1);
        assert!(seen.iter().all(|n| (9_600..10_400).contains(n)), "{seen:?}");
        let mut held = 0;
        let mean = (0..60_000).map(|_| f64::from(rng.coarse(&mut held))).sum::<f64>() / 60_000.0;
        assert!((mean - 0.5).abs() < 0.01, "{mean}");
        assert!((0..1_000).map(|_| rng.unit()).all(|x| (0.0..1.0).contains(&x)));
    }
}
