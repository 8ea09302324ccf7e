//! The generator's chance: a keyed stream of numbers that can be opened at any place.
//!
//! **Invariant:** the same (seed, stream, number) gives the same draws on every machine. Hence ChaCha, whose words are
//! specified; hence integers, and floats only through `+ - * /`, which IEEE 754 fixes, and never through the platform's
//! `exp` or `pow`, whose last bit differs.

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{RngCore, SeedableRng},
};

/// What a sequence of draws is about. Two things drawn from different streams are independent.
#[derive(Clone, Copy, Debug)]
pub enum Stream {
    /// The need behind a notice and its contracts; the sources of one market number theirs alike.
    Project(u8),
    /// A supplier of a market.
    Vendor(u8),
    /// A record, by the position of its source in the plan.
    Record(u8),
}

pub struct Dice {
    rng: ChaCha8Rng,
}

impl Dice {
    pub fn new(seed: u64) -> Dice {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Dice {
            rng: ChaCha8Rng::from_seed(key),
        }
    }

    /// Opens the draws of one thing; what was drawn before has no influence.
    pub fn open(&mut self, stream: Stream, number: u64) {
        let (kind, part) = match stream {
            Stream::Project(part) => (0, part),
            Stream::Vendor(part) => (1, part),
            Stream::Record(part) => (2, part),
        };
        self.rng.set_stream(number | u64::from(part) << 48 | kind << 56);
        self.rng.set_word_pos(0);
    }

    /// One of 0 to `end`-1; 0 when `end` is 0.
    pub fn below(&mut self, end: u32) -> u32 {
        ((u64::from(self.rng.next_u32()) * u64::from(end)) >> 32) as u32
    }

    /// From `first` to `last`, both included.
    pub fn between(&mut self, first: i32, last: i32) -> i32 {
        first + self.below((last - first + 1).unsigned_abs()) as i32
    }

    pub fn per_mille(&mut self, share: u32) -> bool {
        self.below(1000) < share
    }

    pub fn percent(&mut self, share: u32) -> bool {
        self.below(100) < share
    }

    /// One of a list that is not empty.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u32) as usize]
    }

    /// From 0 up to, but not including, 1.
    pub fn unit(&mut self) -> f64 {
        f64::from(self.rng.next_u32()) / 4_294_967_296.0
    }

    /// A rank drawn with a chance of about 1/rank.
    pub fn rank(&mut self, ranks: Ranks) -> u32 {
        let rank = exp2(self.unit() * ranks.log2) as u32 - 1;
        rank.min(ranks.count - 1)
    }

    /// Mean 0, deviation 1: twelve uniform draws, summed.
    pub fn normal(&mut self) -> f64 {
        let mut sum = 0;
        for _ in 0..3 {
            let word = self.rng.next_u64();
            sum += (word & 0xffff) + (word >> 16 & 0xffff) + (word >> 32 & 0xffff) + (word >> 48);
        }
        sum as f64 / 65_536.0 - 6.0
    }
}

/// How many things a Zipf draw chooses among.
#[derive(Clone, Copy, Debug)]
pub struct Ranks {
    count: u32,
    log2: f64,
}

impl Ranks {
    /// At least one rank.
    pub fn new(count: u64) -> Ranks {
        let count = count.clamp(1, 1 << 30) as u32;
        let (mut low, mut high) = (0.0, 31.0);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if exp2(middle) < f64::from(count) + 1.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ranks { count, log2: low }
    }
}

/// e to the `x`.
pub fn exp(x: f64) -> f64 {
    exp2(x * std::f64::consts::LOG2_E)
}

/// 2 to the `x`, by its series around the nearest whole power; right to about 13 digits between -60 and 60.
fn exp2(x: f64) -> f64 {
    let whole = x.round().clamp(-60.0, 60.0);
    let y = (x - whole) * std::f64::consts::LN_2;
    let (mut term, mut sum) = (1.0, 1.0);
    for n in 1..=14 {
        term = term * y / f64::from(n);
        sum += term;
    }
    let power = (1_u64 << whole.abs() as u32) as f64;
    if whole < 0.0 { sum / power } else { sum * power }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_the_same_whenever_it_is_opened() {
        let mut dice = Dice::new(7);
        let mut draw = |stream, number| {
            dice.open(stream, number);
            [dice.below(1 << 30), dice.below(1 << 30)]
        };
        let first = draw(Stream::Project(1), 5);
        assert_ne!(first, draw(Stream::Project(1), 6));
        assert_ne!(first, draw(Stream::Project(2), 5));
        assert_ne!(first, draw(Stream::Vendor(1), 5));
        assert_eq!(first, draw(Stream::Project(1), 5));
        // The very words, so that a change of the algorithm cannot slip in with an update.
        assert_eq!(first, GOLDEN);
    }

    const GOLDEN: [u32; 2] = [746_242_348, 662_718_382];

    #[test]
    fn powers_agree_with_the_platforms() {
        for x in [-20.3, -1.0, -0.5, 0.0, 0.1, 0.5, 1.0, 10.3, 17.61, 29.999] {
            assert!((exp2(x) / f64::exp2(x) - 1.0).abs() < 1e-12, "{x}");
        }
    }

    #[test]
    fn the_first_rank_is_drawn_twice_as_often_as_the_next_but_one() {
        let mut dice = Dice::new(1);
        let ranks = Ranks::new(1000);
        let mut seen = vec![0; 1000];
        for _ in 0..100_000 {
            seen[dice.rank(ranks) as usize] += 1;
        }
        assert!((9_000..11_000).contains(&seen[0]), "{}", seen[0]);
        assert!((1.6..2.6).contains(&(f64::from(seen[0]) / f64::from(seen[2]))));
        assert!(seen[999] < 60);
    }

    #[test]
    fn the_normal_draw_has_mean_0_and_deviation_1() {
        let mut dice = Dice::new(2);
        let draws: Vec<f64> = (0..20_000).map(|_| dice.normal()).collect();
        let mean = draws.iter().sum::<f64>() / 20_000.0;
        let variance = draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
    }
}
