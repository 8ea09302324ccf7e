//! Reproducible random numbers: a keyed sequence that can be started at any position.
//!
//! **Invariant:** the same seed, sequence and number give the same draws on every machine. Hence ChaCha, whose output
//! is specified. Hence integers, and floats only through `+ - * /`, which IEEE 754 fixes: the last bit of the
//! platform's `exp` and `pow` differs between machines.

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{RngCore, SeedableRng},
};

/// What a sequence of draws is for. Draws of different sequences are independent.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sequence {
    /// A project of a publisher.
    Project(u8),
    /// A supplier of a market.
    Supplier(u8),
    /// A record, by the position of its source in the list of sources.
    Record(u8),
    /// The bids on a record, by the position of its source.
    Bids(u8),
    /// A bid, by the position of the source of its tender.
    Bid(u8),
}

pub(super) struct Random {
    generator: ChaCha8Rng,
}

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Random {
            generator: ChaCha8Rng::from_seed(key),
        }
    }

    /// Starts the draws of one thing; earlier draws have no influence on them.
    pub(super) fn start(&mut self, sequence: Sequence, number: u64) {
        let (kind, part) = match sequence {
            Sequence::Project(part) => (0, part),
            Sequence::Supplier(part) => (1, part),
            Sequence::Record(part) => (2, part),
            Sequence::Bids(part) => (3, part),
            Sequence::Bid(part) => (4, part),
        };
        self.generator.set_stream(number | u64::from(part) << 48 | kind << 56);
        self.generator.set_word_pos(0);
    }

    /// A number from 0 to `end` - 1; 0 when `end` is 0.
    pub(super) fn below(&mut self, end: u32) -> u32 {
        ((u64::from(self.generator.next_u32()) * u64::from(end)) >> 32) as u32
    }

    /// A number from `first` to `last`, both included.
    pub(super) fn between(&mut self, first: i32, last: i32) -> i32 {
        first + self.below((last - first + 1).unsigned_abs()) as i32
    }

    pub(super) fn percent(&mut self, share: u32) -> bool {
        self.below(100) < share
    }

    /// An element of a list that is not empty.
    pub(super) fn choose<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u32) as usize]
    }

    /// A rank, from 0, drawn with a probability of about 1/(rank + 1).
    pub(super) fn zipf(&mut self, ranks: ZipfRanks) -> u32 {
        let unit = f64::from(self.generator.next_u32()) / 4_294_967_296.0;
        let rank = exp2(unit * ranks.log2) as u32 - 1;
        rank.min(ranks.count - 1)
    }

    /// A normal draw of mean 0 and deviation 1: the sum of twelve uniform ones.
    pub(super) fn normal(&mut self) -> f64 {
        let mut sum = 0;
        for _ in 0..3 {
            let word = self.generator.next_u64();
            sum += (word & 0xffff) + (word >> 16 & 0xffff) + (word >> 32 & 0xffff) + (word >> 48);
        }
        sum as f64 / 65_536.0 - 6.0
    }
}

/// How many ranks a Zipf draw chooses among, and the logarithm that it needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct ZipfRanks {
    count: u32,
    log2: f64,
}

impl ZipfRanks {
    /// At least one rank.
    pub(super) fn new(count: u64) -> ZipfRanks {
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
        ZipfRanks { count, log2: low }
    }
}

/// Maps a number below 90 million to another one without collision, so that consecutive numbers do not look so.
pub(super) fn scatter(number: u64) -> u64 {
    /// A prime, so that any factor maps without collision.
    const MODULUS: u64 = 89_999_999;
    (number + 271_828) % MODULUS * 48_611_587 % MODULUS
}

/// e to the `x`.
pub(super) fn exp(x: f64) -> f64 {
    exp2(x * std::f64::consts::LOG2_E)
}

/// 2 to the `x`, by its series around the nearest whole power; exact to about 13 digits between -60 and 60.
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
    fn a_sequence_is_the_same_whenever_it_is_started() {
        let mut random = Random::new(7);
        let mut draw = |sequence, number| {
            random.start(sequence, number);
            [random.below(1 << 30), random.below(1 << 30)]
        };
        let first = draw(Sequence::Project(1), 5);
        assert_ne!(first, draw(Sequence::Project(1), 6));
        assert_ne!(first, draw(Sequence::Project(2), 5));
        assert_ne!(first, draw(Sequence::Supplier(1), 5));
        assert_eq!(first, draw(Sequence::Project(1), 5));
        // Literal values, so that an update of the library cannot change the algorithm unnoticed.
        assert_eq!(first, [746_242_348, 662_718_382]);
    }

    #[test]
    fn powers_agree_with_those_of_the_platform() {
        for x in [-20.3, -1.0, -0.5, 0.0, 0.1, 0.5, 1.0, 10.3, 17.61, 29.999] {
            assert!((exp2(x) / f64::exp2(x) - 1.0).abs() < 1e-12, "{x}");
        }
    }

    #[test]
    fn the_first_rank_is_drawn_about_twice_as_often_as_the_third() {
        let mut random = Random::new(1);
        let ranks = ZipfRanks::new(1000);
        let mut counts = vec![0; 1000];
        for _ in 0..100_000 {
            counts[random.zipf(ranks) as usize] += 1;
        }
        assert!((9_000..11_000).contains(&counts[0]), "{}", counts[0]);
        assert!((1.6..2.6).contains(&(f64::from(counts[0]) / f64::from(counts[2]))));
        assert!(counts[999] < 60);
    }

    #[test]
    fn the_normal_draw_has_mean_0_and_deviation_1() {
        let mut random = Random::new(2);
        let draws: Vec<f64> = (0..20_000).map(|_| random.normal()).collect();
        let mean = draws.iter().sum::<f64>() / 20_000.0;
        let variance = draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
    }
}
