//! The generator of deals and records: ChaCha with 12 rounds, keyed by a 256-bit seed. It is frozen: the same seed gives the
//! same deal on every machine and in every version, so that records can always be verified. Shuffling and drawing are
//! written out here because a library may change its own between versions.

use std::fmt::{self, Debug, Display};
use std::str::FromStr;

use rand_chacha::ChaCha12Rng;
use rand_core::{Rng as _, SeedableRng};
use serde::{Deserialize, Serialize};

/// A 256-bit seed; its text is 64 hexadecimal digits. A plain number is a seed too (little-endian, zero-padded).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Seed(pub [u8; 32]);

impl From<u64> for Seed {
    fn from(n: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&n.to_le_bytes());
        Self(bytes)
    }
}

impl Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Seed({self})")
    }
}

/// The error for a text that is no seed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a seed is a number or 64 hexadecimal digits")]
pub struct BadSeed;

impl FromStr for Seed {
    type Err = BadSeed;

    fn from_str(s: &str) -> Result<Self, BadSeed> {
        if s.len() < 64 {
            return s.parse::<u64>().map(Self::from).map_err(|_| BadSeed);
        }
        if s.len() != 64 || !s.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(BadSeed);
        }
        let mut bytes = [0; 32];
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&s[2 * i..2 * i + 2], 16).map_err(|_| BadSeed)?;
        }
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for Seed {
    type Error = BadSeed;

    fn try_from(s: String) -> Result<Self, BadSeed> {
        s.parse()
    }
}

impl From<Seed> for String {
    fn from(s: Seed) -> Self {
        s.to_string()
    }
}

/// A stream of random numbers (ChaCha12).
#[derive(Clone, Debug)]
pub struct Rng(ChaCha12Rng);

impl Rng {
    /// The stream of this seed.
    pub fn new(seed: &Seed) -> Self {
        Self::stream(seed, 0)
    }

    /// One of 2^64 independent streams of the same seed. Use one for each event, such as the n-th refill of a bag, that must
    /// not depend on how many numbers earlier events used.
    pub fn stream(seed: &Seed, n: u64) -> Self {
        let mut rng = ChaCha12Rng::from_seed(seed.0);
        rng.set_stream(n);
        Self(rng)
    }

    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A seed drawn from this stream.
    pub fn seed(&mut self) -> Seed {
        let mut bytes = [0; 32];
        self.0.fill_bytes(&mut bytes);
        Seed(bytes)
    }

    /// A number in `0..n`, each equally likely (Lemire's multiplication method, with rejection).
    ///
    /// # Panics
    /// If `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        assert!(n > 0, "a range needs at least one number");
        let n = u32::try_from(n).expect("ranges here are small");
        let threshold = n.wrapping_neg() % n;
        loop {
            let wide = u64::from(self.0.next_u32()) * u64::from(n);
            if wide as u32 >= threshold {
                return (wide >> 32) as usize;
            }
        }
    }

    /// A number in [0, 1), a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Shuffles the items, all orders equally likely (Fisher and Yates, from the last item down).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// One of the items, each equally likely; `None` if there is none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { Some(&items[self.below(items.len())]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// These numbers are a promise: if they change, every stored record becomes unverifiable.
    #[test]
    fn generator_never_changes() {
        let mut rng = Rng::new(&Seed::from(1));
        assert_eq!([rng.next_u64(), rng.next_u64()], GOLDEN_U64);
        let mut deck: Vec<u8> = (0..16).collect();
        Rng::stream(&Seed::from(1), 7).shuffle(&mut deck);
        assert_eq!(deck, GOLDEN_SHUFFLE);
    }

    const GOLDEN_U64: [u64; 2] = [17775802688163677458, 694158859003031790];
    const GOLDEN_SHUFFLE: [u8; 16] = [11, 12, 1, 13, 8, 2, 3, 4, 10, 0, 14, 9, 5, 6, 7, 15];

    #[test]
    fn seeds_are_numbers_or_64_digits() {
        let seed = Rng::new(&Seed::from(9)).seed();
        assert_eq!(seed.to_string().parse(), Ok(seed));
        assert_eq!("77".parse(), Ok(Seed::from(77)));
        for bad in ["", "-1", "zz", &"g".repeat(64), &"0".repeat(65), "é"] {
            assert_eq!(bad.parse::<Seed>(), Err(BadSeed), "{bad}");
        }
    }

    #[test]
    fn below_reaches_every_number_equally_often() {
        let mut rng = Rng::new(&Seed::from(3));
        let mut seen = [0u32; 6];
        (0..60_000).for_each(|_| seen[rng.below(6)] += 1);
        assert!(seen.iter().all(|n| (9_600..10_400).contains(n)), "{seen:?}");
    }
}
