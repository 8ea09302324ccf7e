//! Commodity codes: recognizes the scheme of a code by its form, makes a key that can be searched by
//! prefix, and knows the levels above a code.
//!
//! A key is the scheme, a colon and the code: `unspsc:43211503`, `gsin:n7030`, `object:0430`. All codes
//! below a code have its key as a prefix, and no others have. The schemes are never mapped onto each
//! other.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A list of codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scheme {
    /// United Nations Standard Products and Services Code.
    Unspsc,
    /// Goods and Services Identification Number, of the federal government.
    Gsin,
    /// Economic object codes of the federal government.
    Object,
}

/// The names of the schemes.
pub(crate) const SCHEMES: [&str; 3] = [Scheme::Unspsc.name(), Scheme::Gsin.name(), Scheme::Object.name()];

impl Scheme {
    pub const ALL: [Scheme; 3] = [Scheme::Unspsc, Scheme::Gsin, Scheme::Object];

    pub const fn name(self) -> &'static str {
        match self {
            Scheme::Unspsc => "unspsc",
            Scheme::Gsin => "gsin",
            Scheme::Object => "object",
        }
    }

    pub fn parse(name: &str) -> Option<Scheme> {
        Scheme::ALL.into_iter().find(|scheme| scheme.name() == name)
    }
}

/// A code on any level of its scheme: a segment of UNSPSC as well as a single commodity.
///
/// **Invariant:** it is on a level of its scheme, and has no trailing pairs `00`, which mean a higher
/// level of UNSPSC.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommodityCode {
    scheme: Scheme,
    /// In lower case, after the scheme and a colon.
    key: String,
    /// In upper case.
    code: String,
}

/// A text that is not a commodity code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommodityError(String);

impl fmt::Display for CommodityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "'{}' is not a commodity code; write 2, 4, 6 or 8 digits of UNSPSC (72, 72101700), a GSIN (N70, N7030, K199, \
             gsin:5131), or object: and 2 or 4 digits of an economic object (object:0430)",
            self.0.escape_debug()
        )
    }
}

impl std::error::Error for CommodityError {}

impl CommodityCode {
    /// A code as people write it: `7210`, `72100000`, `unspsc:7210`, `gsin:N7030`, `N7030`, `K199`,
    /// `object:0430`. Digits alone are UNSPSC.
    pub fn parse(text: &str) -> Result<CommodityCode, CommodityError> {
        let error = || CommodityError(text.chars().take(MAX_ERROR_CHARS).collect());
        let lower = text.trim().to_ascii_lowercase();
        let (scheme, code) = match lower.split_once(':') {
            Some((scheme, code)) => (Scheme::parse(scheme.trim()).ok_or_else(error)?, code.trim()),
            None if lower.bytes().all(|b| b.is_ascii_digit()) => (Scheme::Unspsc, lower.as_str()),
            None => (Scheme::Gsin, lower.as_str()),
        };
        let key_code = match scheme {
            Scheme::Unspsc => Some(code.to_owned()),
            Scheme::Object if code.len() == 2 => Some(code.to_owned()),
            Scheme::Object => object_code(code),
            // Two digits or more that are not of construction are goods without their letter.
            Scheme::Gsin if code.starts_with(CONSTRUCTION) => Some(code.to_owned()),
            Scheme::Gsin if code.starts_with(|c: char| c.is_ascii_digit()) => Some(format!("n{code}")),
            Scheme::Gsin => Some(code.to_owned()),
        };
        let key_code = key_code.ok_or_else(error)?;
        let parsed = CommodityCode::of(scheme, &key_code).ok_or_else(error)?;
        // A GSIN that ends between two levels is a slip of the pen.
        let is_cut = scheme == Scheme::Gsin && parsed.code.len() < key_code.len();
        if is_cut { Err(error()) } else { Ok(parsed) }
    }

    /// The code with a key, on the lowest of its levels; `None` if the key is of no code.
    pub fn of_key(key: &str) -> Option<CommodityCode> {
        let (scheme, code) = key.split_once(':')?;
        CommodityCode::of(Scheme::parse(scheme)?, code)
    }

    /// The lowest level of a code, which is in lower case.
    fn of(scheme: Scheme, code: &str) -> Option<CommodityCode> {
        let length = levels(scheme, code).last()?;
        Some(CommodityCode::cut(scheme, &code[..length]))
    }

    fn cut(scheme: Scheme, code: &str) -> CommodityCode {
        CommodityCode {
            scheme,
            key: format!("{}:{code}", scheme.name()),
            code: code.to_ascii_uppercase(),
        }
    }

    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// `unspsc:7210`: what records are searched by, and what names the code everywhere.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The code without its scheme, in upper case: `7210`, `N7030`.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// The codes above it, the nearest first.
    pub fn ancestors(&self) -> Vec<CommodityCode> {
        let code = &self.key[self.scheme.name().len() + 1..];
        let above = levels(self.scheme, code).filter(|length| *length < code.len());
        let mut ancestors: Vec<CommodityCode> = above
            .map(|length| CommodityCode::cut(self.scheme, &code[..length]))
            .collect();
        ancestors.reverse();
        ancestors
    }

    /// The code above it; `None` on the first level.
    pub fn parent(&self) -> Option<CommodityCode> {
        self.ancestors().into_iter().next()
    }

    /// 1 on the first level.
    pub fn level(&self) -> usize {
        self.ancestors().len() + 1
    }
}

/// The key.
impl fmt::Display for CommodityCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.key)
    }
}

/// How much of a wrong code an error repeats.
const MAX_ERROR_CHARS: usize = 60;

/// The lengths of a code's levels, ascending; none for a text that is not a code.
///
/// Decision D-209: a code of one level is never the beginning of another code on the same level, so
/// that a search by prefix finds the codes below a code and no others.
fn levels(scheme: Scheme, code: &str) -> impl Iterator<Item = usize> + use<> {
    let bytes = code.as_bytes();
    // Keys of goods have a letter that a publisher may leave out.
    let is_code = bytes.len() <= MAX_CODE_CHARS + 1 && bytes.iter().all(u8::is_ascii_alphanumeric);
    let are_digits = bytes.iter().all(u8::is_ascii_digit);
    let digits_from = |start: usize| bytes.iter().skip(start).take_while(|b| b.is_ascii_digit()).count();
    let letters = bytes.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let lengths: Vec<usize> = match scheme {
        _ if !is_code => Vec::new(),
        // Pairs of digits. `00` is not a level: 72000017 is right below 72.
        Scheme::Unspsc if are_digits && matches!(bytes.len(), 2 | 4 | 6 | 8) => (2..=bytes.len())
            .step_by(2)
            .filter(|length| bytes[length - 2..*length] != *b"00")
            .collect(),
        Scheme::Object if are_digits && bytes.len() == 2 => vec![2],
        Scheme::Object if are_digits && bytes.len() == 4 => vec![2, 4],
        // Construction: every digit is a level of the Central Product Classification.
        Scheme::Gsin if code.starts_with(CONSTRUCTION) => (CONSTRUCTION.len()..=bytes.len()).collect(),
        // Goods: group and class of the Federal Supply Classification, then three digits, or every
        // character. Anything between two levels counts as the level above it.
        Scheme::Gsin if code.starts_with('n') && letters == 1 => match digits_from(1) {
            0 | 1 => Vec::new(),
            2 | 3 => vec![3],
            4 => [3].into_iter().chain(5..=bytes.len()).collect(),
            5 | 6 => vec![3, 5],
            _ => [3, 5].into_iter().chain(8..=bytes.len()).collect(),
        },
        // Services: a letter, three digits, then every character.
        Scheme::Gsin if letters == 1 && bytes.len() == 1 => vec![1],
        Scheme::Gsin if letters == 1 && digits_from(1) >= 3 => [1].into_iter().chain(4..=bytes.len()).collect(),
        // Services to goods, such as their repair: two letters, then group and class of the goods.
        Scheme::Gsin if letters == 2 && !code.starts_with('n') => match digits_from(2) {
            0 | 1 => Vec::new(),
            2 | 3 => vec![1, 4],
            _ => [1, 4].into_iter().chain(6..=bytes.len()).collect(),
        },
        _ => Vec::new(),
    };
    lengths.into_iter()
}

/// The distinct keys of all codes in a field's text and of all codes above them, in the order of the
/// text, the highest level first.
pub(crate) fn keys_with_ancestors(field: &str, text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for code in codes(field, text) {
        let above = code.ancestors().into_iter().rev();
        for code in above.chain([code.clone()]) {
            if !all.contains(&code.key) {
                all.push(code.key);
            }
        }
    }
    all
}

/// The codes in a field's text, on their lowest levels.
pub(crate) fn codes(field: &str, text: &str) -> impl Iterator<Item = CommodityCode> {
    keys(field, text).filter_map(|key| CommodityCode::of_key(&key))
}

/// The field of economic object codes, which have the same form as some GSIN.
const OBJECT_FIELD: &str = "economic_object_code";

/// The keys of the codes in a field's text, separated by commas, semicolons or spaces. Text that is
/// not a code is skipped.
pub(crate) fn keys(field: &str, text: &str) -> impl Iterator<Item = String> {
    let key = match field {
        OBJECT_FIELD => object,
        "gsin" => gsin,
        "unspsc" => unspsc,
        _ => commodity,
    };
    text.split(|c: char| !c.is_alphanumeric()).filter_map(key)
}

/// The keys of the codes that describe a need. They are read as in a publisher's field of GSIN, which also has UNSPSC
/// with all its digits; else as [`CommodityCode::parse`] does, with a scheme before a colon or on a higher level.
pub(crate) fn keys_of_need(text: &str) -> Vec<String> {
    let published: Vec<String> = keys("gsin", text).collect();
    match CommodityCode::parse(text) {
        // Codes of UNSPSC have all their digits here, as in records.
        Ok(code) if published.is_empty() || text.contains(':') => match code.scheme {
            Scheme::Unspsc => vec![format!("{:0<width$}", code.key, width = "unspsc:00000000".len())],
            Scheme::Gsin | Scheme::Object => vec![code.key],
        },
        _ => published,
    }
}

/// In a field of its own, GSIN may be one letter: a group of services.
fn gsin(code: &str) -> Option<String> {
    // `N` is the letter of all goods.
    match code.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() && !letter.eq_ignore_ascii_case(&b'n') => {
            Some(format!("gsin:{}", code.to_ascii_lowercase()))
        }
        _ => commodity(code),
    }
}

/// In a field of its own, UNSPSC may end at a higher level.
fn unspsc(code: &str) -> Option<String> {
    let is_higher = matches!(code.len(), 2 | 4 | 6) && code.bytes().all(|b| b.is_ascii_digit());
    if is_higher {
        Some(format!("unspsc:{code}"))
    } else {
        commodity(code)
    }
}

fn object(code: &str) -> Option<String> {
    object_code(code).map(|code| format!("object:{code}"))
}

/// A code has four digits; three digits are one without its leading zero.
fn object_code(code: &str) -> Option<String> {
    let is_code = matches!(code.len(), 3 | 4) && code.bytes().all(|b| b.is_ascii_digit());
    is_code.then(|| format!("{code:0>4}"))
}

/// UNSPSC: eight digits. GSIN of goods: `N`, four digits (the Federal Supply Class), then letters
/// or digits; the `N` is often omitted. GSIN of construction: four digits or more that start with
/// 51. GSIN of services: a letter, three digits, then letters; or two letters
/// and the digits of goods.
fn commodity(code: &str) -> Option<String> {
    let digits = code.bytes().take_while(u8::is_ascii_digit).count();
    if !code.is_ascii() || code.len() > MAX_CODE_CHARS {
        return None;
    }
    let lower = code.to_ascii_lowercase();
    let numbered = lower.get(1..).unwrap_or_default();
    let leading = numbered.bytes().take_while(u8::is_ascii_digit).count();
    let of_goods = numbered
        .strip_prefix(|c: char| c.is_ascii_alphabetic())
        .unwrap_or_default();
    let of_goods = of_goods.bytes().take_while(u8::is_ascii_digit).count();
    match digits {
        8 if code.len() == 8 => Some(format!("unspsc:{code}")),
        0 if leading >= 3 || of_goods >= 2 => Some(format!("gsin:{lower}")),
        4.. if lower.starts_with(CONSTRUCTION) => Some(format!("gsin:{lower}")),
        4.. => Some(format!("gsin:n{lower}")),
        _ => None,
    }
}

/// Codes of goods with their letter, where the form alone would make them codes of construction: `N5120`
/// for `5120`. `None` if there are none.
pub(crate) fn of_goods(text: &str) -> Option<String> {
    let is_between = |c: char| !c.is_alphanumeric();
    let mut goods = String::with_capacity(text.len());
    for member in text.split_inclusive(is_between) {
        if commodity(member.trim_end_matches(is_between)).is_some_and(|key| key.starts_with("gsin:51")) {
            goods.push('N');
        }
        goods.push_str(member);
    }
    (goods.len() > text.len()).then_some(goods)
}

/// Division 51 of the Central Product Classification, the source of the GSIN of construction.
const CONSTRUCTION: &str = "51";

/// Characters; longer than any code of either scheme.
const MAX_CODE_CHARS: usize = 12;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn codes_are_recognized_by_their_form() {
        for (field, text, expected) in [
            (
                "unspsc",
                "72101700,72140000",
                vec!["unspsc:72101700", "unspsc:72140000"],
            ),
            ("gsin", "N5610,5131,K199", vec!["gsin:n5610", "gsin:5131", "gsin:k199"]),
            ("gsin", "D302A; r019bf", vec!["gsin:d302a", "gsin:r019bf"]),
            ("gsin", "5131,J,n, é", vec!["gsin:5131", "gsin:j"]),
            ("commodity_code", "J", vec![]),
            (
                "unspsc",
                "721017, 7210,72 7, 721",
                vec!["unspsc:721017", "unspsc:7210", "unspsc:72"],
            ),
            ("commodity_code", "721017", vec!["gsin:n721017"]),
            ("commodity_code", "7030", vec!["gsin:n7030"]),
            ("commodity_code", "N7030AG", vec!["gsin:n7030ag"]),
            ("commodity_code", "7030640", vec!["gsin:n7030640"]),
            ("commodity_code", "43211503", vec!["unspsc:43211503"]),
            ("commodity_code", "JX1680A, JX70", vec!["gsin:jx1680a", "gsin:jx70"]),
            ("commodity_code", "various, N/A, 12, é123, x", vec![]),
            ("economic_object_code", "430", vec!["object:0430"]),
            ("economic_object_code", "0430", vec!["object:0430"]),
            ("economic_object_code", "43", vec![]),
        ] {
            assert_eq!(keys(field, text).collect::<Vec<_>>(), expected, "{field} {text}");
        }
    }

    #[test]
    fn goods_are_not_taken_for_construction() {
        for (text, goods) in [
            ("5120", Some("N5120")),
            (
                "5150AV; N5110,51101500, 6600,5100",
                Some("N5150AV; N5110,51101500, 6600,N5100"),
            ),
            ("N5120", None),
            ("51101500", None),
            ("6600, 51, é5120, ", None),
            ("", None),
        ] {
            assert_eq!(of_goods(text).as_deref(), goods, "{text}");
        }
        assert_eq!(keys("commodity_code", "N5120").collect::<Vec<_>>(), ["gsin:n5120"]);
    }

    #[test]
    fn a_need_names_its_code_as_publishers_or_as_searches_do() {
        for (text, expected) in [
            ("72141003", vec!["unspsc:72141003"]),
            ("72140000, N7030", vec!["unspsc:72140000", "gsin:n7030"]),
            ("7030", vec!["gsin:n7030"]),
            ("unspsc:7030", vec!["unspsc:70300000"]),
            ("unspsc:72140000", vec!["unspsc:72140000"]),
            ("72", vec!["unspsc:72000000"]),
            ("N70", vec!["gsin:n70"]),
            ("gsin:7030", vec!["gsin:n7030"]),
            ("object:430", vec!["object:0430"]),
            ("zz", vec![]),
            ("scheme:7030", vec!["gsin:n7030"]),
            ("", vec![]),
        ] {
            assert_eq!(keys_of_need(text), expected, "{text}");
        }
    }

    #[test]
    fn a_code_is_written_in_several_ways() {
        for (text, key) in [
            ("7210", "unspsc:7210"),
            ("72100000", "unspsc:7210"),
            (" unspsc:72101700 ", "unspsc:721017"),
            ("72000017", "unspsc:72000017"),
            ("72", "unspsc:72"),
            ("7200", "unspsc:72"),
            ("gsin:N7030", "gsin:n7030"),
            ("gsin:7030", "gsin:n7030"),
            ("n70", "gsin:n70"),
            ("N7030AG", "gsin:n7030ag"),
            ("N7030640", "gsin:n7030640"),
            ("GSIN:5131", "gsin:5131"),
            ("gsin:51", "gsin:51"),
            ("K199", "gsin:k199"),
            ("k", "gsin:k"),
            ("JX1680A", "gsin:jx1680a"),
            ("object:0430", "object:0430"),
            ("object:430", "object:0430"),
            ("object:04", "object:04"),
        ] {
            let code = CommodityCode::parse(text).unwrap();
            assert_eq!(code.key(), key, "{text}");
            assert_eq!(CommodityCode::of_key(key), Some(code.clone()), "{text}");
            assert_eq!(CommodityCode::parse(key), Ok(code), "{text}");
        }
        assert_eq!(CommodityCode::parse("n7030ag").unwrap().code(), "N7030AG");
        for text in [
            "",
            "7",
            "721",
            "72101",
            "721017001",
            "00000000",
            "roads",
            "n",
            "n7",
            "n703",
            "n70301",
            "gsin:n70301a",
            "k1",
            "jx",
            "nx1680",
            "object:4",
            "object:04300",
            "cpv:45000000",
            "unspsc:",
            "é1",
            "N7030AGGGGGGGGGGG",
            ":",
            "72:10",
            "\u{0}",
        ] {
            let error = CommodityCode::parse(text).unwrap_err().to_string();
            assert!(error.contains("is not a commodity code; write"), "{text}: {error}");
        }
    }

    #[test]
    fn every_level_above_a_code_is_known() {
        for (field, text, expected) in [
            (
                "unspsc",
                "72101701",
                &["unspsc:72", "unspsc:7210", "unspsc:721017", "unspsc:72101701"][..],
            ),
            ("unspsc", "72140000,72000000", &["unspsc:72", "unspsc:7214"]),
            ("unspsc", "72000017", &["unspsc:72", "unspsc:72000017"]),
            ("unspsc", "00000000, 0, 00, 0000", &[]),
            ("unspsc", "721017,7200", &["unspsc:72", "unspsc:7210", "unspsc:721017"]),
            ("gsin", "J", &["gsin:j"]),
            (
                "gsin",
                "N7030AG",
                &["gsin:n70", "gsin:n7030", "gsin:n7030a", "gsin:n7030ag"],
            ),
            ("gsin", "N7030640", &["gsin:n70", "gsin:n7030", "gsin:n7030640"]),
            ("gsin", "N70301", &["gsin:n70", "gsin:n7030"]),
            ("gsin", "K199A", &["gsin:k", "gsin:k199", "gsin:k199a"]),
            (
                "gsin",
                "JX1680A",
                &["gsin:j", "gsin:jx16", "gsin:jx1680", "gsin:jx1680a"],
            ),
            ("gsin", "5131", &["gsin:51", "gsin:513", "gsin:5131"]),
            ("economic_object_code", "430", &["object:04", "object:0430"]),
        ] {
            assert_eq!(keys_with_ancestors(field, text), expected, "{field} {text}");
        }
        let code = CommodityCode::parse("72101701").unwrap();
        assert_eq!((code.level(), code.parent().unwrap().key()), (4, "unspsc:721017"));
        let segment = CommodityCode::parse("72").unwrap();
        assert_eq!((segment.level(), segment.parent()), (1, None));
    }

    proptest! {
        /// A search by prefix finds the records of a code and of those below it, and no others.
        #[test]
        fn a_key_is_a_prefix_of_those_below_it_and_of_no_others(
            a in "(n|N|[a-z]{1,2})?[0-9]{0,8}[a-c]{0,2}",
            b in "(n|N|[a-z]{1,2})?[0-9]{0,8}[a-c]{0,2}",
            field in prop::sample::select(vec!["unspsc", "gsin", "commodity_code", "economic_object_code"]),
        ) {
            let shared: String = a.chars().take(b.len() / 2).collect();
            for stored in [a.clone(), b.clone(), format!("{shared}{b}")] {
                let searched = keys(field, &stored).collect::<Vec<_>>();
                let above = keys_with_ancestors(field, &stored);
                for other in [&a, &b] {
                    for filter in keys_with_ancestors(field, other) {
                        let is_found = searched.iter().any(|key| key.starts_with(&filter));
                        prop_assert_eq!(is_found, above.contains(&filter), "{} in {}", filter, stored);
                    }
                }
                for (number, key) in above.iter().enumerate() {
                    let code = CommodityCode::of_key(key).unwrap();
                    prop_assert_eq!(code.key(), key);
                    prop_assert_eq!(code.ancestors().len(), number, "{}", key);
                }
            }
        }
    }
}
