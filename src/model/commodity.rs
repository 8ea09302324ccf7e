//! Commodity codes: recognizes the scheme of a code by its form and makes a key that can be
//! searched by prefix.
//!
//! A key is the scheme, a colon and the code: `unspsc:43211503`, `gsin:n7030`, `object:0430`. A
//! family of codes is a prefix of their keys. The schemes are never mapped onto each other.

/// The field of economic object codes, which have the same form as some GSIN.
const OBJECT_FIELD: &str = "economic_object_code";

/// The keys of the codes in a field's text, separated by commas, semicolons or spaces. Text that is
/// not a code is skipped.
pub(crate) fn keys(field: &str, text: &str) -> impl Iterator<Item = String> {
    let key = if field == OBJECT_FIELD { object } else { commodity };
    text.split(|c: char| !c.is_alphanumeric()).filter_map(key)
}

/// A code has four digits; three digits are one without its leading zero.
fn object(code: &str) -> Option<String> {
    let is_code = matches!(code.len(), 3 | 4) && code.bytes().all(|b| b.is_ascii_digit());
    is_code.then(|| format!("object:{code:0>4}"))
}

/// UNSPSC: eight digits. GSIN of goods: `N`, four digits (the Federal Supply Class), then letters
/// or digits; the `N` is often omitted. GSIN of construction: four digits or more that start with
/// 51. GSIN of services: a letter, three digits, then letters.
fn commodity(code: &str) -> Option<String> {
    let digits = code.bytes().take_while(u8::is_ascii_digit).count();
    if !code.is_ascii() || code.len() > MAX_CODE_CHARS {
        return None;
    }
    let lower = code.to_ascii_lowercase();
    let numbered = lower.get(1..).unwrap_or_default();
    let leading = numbered.bytes().take_while(u8::is_ascii_digit).count();
    match digits {
        8 if code.len() == 8 => Some(format!("unspsc:{code}")),
        0 if leading >= 3 => Some(format!("gsin:{lower}")),
        4.. if lower.starts_with(CONSTRUCTION) => Some(format!("gsin:{lower}")),
        4.. => Some(format!("gsin:n{lower}")),
        _ => None,
    }
}

/// Division 51 of the Central Product Classification, the source of the GSIN of construction.
const CONSTRUCTION: &str = "51";

/// Characters; longer than any code of either scheme.
const MAX_CODE_CHARS: usize = 12;

#[cfg(test)]
mod tests {
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
            ("commodity_code", "7030", vec!["gsin:n7030"]),
            ("commodity_code", "N7030AG", vec!["gsin:n7030ag"]),
            ("commodity_code", "7030640", vec!["gsin:n7030640"]),
            ("commodity_code", "43211503", vec!["unspsc:43211503"]),
            ("commodity_code", "various, N/A, 12, é123, x", vec![]),
            ("economic_object_code", "430", vec!["object:0430"]),
            ("economic_object_code", "0430", vec!["object:0430"]),
            ("economic_object_code", "43", vec![]),
        ] {
            assert_eq!(keys(field, text).collect::<Vec<_>>(), expected, "{field} {text}");
        }
    }
}
