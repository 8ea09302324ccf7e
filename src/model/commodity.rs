//! Commodity codes: the schemes, told from a code's form, and how a code becomes a key that its level finds by prefix.
//!
//! A key is the scheme, a colon, the code: `unspsc:43211503`, `gsin:n7030`, `object:0430`. The start of a key is the start of its code, so a family is
//! a prefix. The schemes are never mapped onto each other.

/// The field that holds economic object codes, whose form is also that of a GSIN.
const OBJECT_FIELD: &str = "economic_object_code";

/// The keys of the codes that a field's text holds, several being parted by commas, semicolons or blanks. What looks like no code is none.
pub fn keys(field: &str, text: &str) -> impl Iterator<Item = String> {
    let key = if field == OBJECT_FIELD { object } else { commodity };
    text.split(|c: char| !c.is_alphanumeric()).filter_map(key)
}

/// Three digits are a code of four, written without its zero.
fn object(code: &str) -> Option<String> {
    let is_code = matches!(code.len(), 3 | 4) && code.bytes().all(|b| b.is_ascii_digit());
    is_code.then(|| format!("object:{code:0>4}"))
}

/// UNSPSC is eight digits. A GSIN of goods is `N`, four digits (the Federal Supply Class) and letters or digits, the `N` often left out; one of
/// construction four digits or more from 51 on; one of services a letter and three digits, then letters.
fn commodity(code: &str) -> Option<String> {
    let digits = code.bytes().take_while(u8::is_ascii_digit).count();
    if !code.is_ascii() || code.len() > LONGEST {
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

/// Division 51 of the Central Product Classification, from which the GSIN of construction are taken.
const CONSTRUCTION: &str = "51";

/// Longer than any code of either scheme.
const LONGEST: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_told_by_their_form() {
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
