//! At which level of their scheme the commodity codes of two purchases match.

/// The most specific level that two codes share, ordered from none to the whole code. The match is
/// never more specific than the codes: two equal UNSPSC codes `25000000` name only a segment, so
/// they match at [`CodeMatch::Segment`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CodeMatch {
    Nothing,
    Segment,
    Family,
    Class,
    Code,
}

/// For each start of a key (see [`crate::model::commodity`]): how many bytes of the key, start
/// included, identify its segment, its family and its class.
///
/// The class of a GSIN is the Federal Supply Class of goods (`n7030`), or a letter and three digits
/// for a service (`d302`). Where a scheme has no segments, the family serves as the segment too.
const PREFIX_LENGTHS: [(&str, [usize; 3]); 4] = [
    (
        "unspsc:",
        ["unspsc:43".len(), "unspsc:4321".len(), "unspsc:432115".len()],
    ),
    ("object:", ["object:04".len(), "object:04".len(), "object:043".len()]),
    ("gsin:n", ["gsin:n70".len(), "gsin:n70".len(), "gsin:n7030".len()]),
    ("gsin:", ["gsin:d".len(), "gsin:d3".len(), "gsin:d302".len()]),
];

/// The start of a key that all codes of its segment, family or class share. `None` if the code is
/// less specific, or for [`CodeMatch::Code`] and [`CodeMatch::Nothing`].
pub(crate) fn code_prefix(key: &str, level: CodeMatch) -> Option<&str> {
    let (_, [segment, family, class]) = PREFIX_LENGTHS.iter().find(|(start, _)| key.starts_with(start))?;
    let bytes = match level {
        CodeMatch::Segment => *segment,
        CodeMatch::Family => *family,
        CodeMatch::Class => *class,
        CodeMatch::Code | CodeMatch::Nothing => return None,
    };
    specific_part(key).get(..bytes)
}

/// The key without the pairs of zeros at the end of a UNSPSC code: these mean "not specified".
fn specific_part(key: &str) -> &str {
    let mut part = key;
    if key.starts_with("unspsc:") {
        while let Some(shorter) = part.strip_suffix("00") {
            part = shorter;
        }
    }
    part
}

/// Whether a key is more specific than a class; those of `72140000` and `N7030` are not.
pub(crate) fn is_specific(key: &str) -> bool {
    code_prefix(key, CodeMatch::Class).is_some_and(|class| specific_part(key).len() > class.len())
}

/// The most specific match between any code of one purchase and any code of the other.
pub(crate) fn code_match(ours: &[String], theirs: &[String]) -> CodeMatch {
    let pairs = ours
        .iter()
        .flat_map(|our| theirs.iter().map(move |their| match_pair(our, their)));
    pairs.max().unwrap_or(CodeMatch::Nothing)
}

fn match_pair(our: &str, their: &str) -> CodeMatch {
    if our == their && is_specific(our) {
        return CodeMatch::Code;
    }
    let is_shared = |level: &CodeMatch| {
        let prefix = code_prefix(our, *level);
        prefix.is_some() && prefix == code_prefix(their, *level)
    };
    let levels = [CodeMatch::Class, CodeMatch::Family, CodeMatch::Segment];
    levels.into_iter().find(is_shared).unwrap_or(CodeMatch::Nothing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_match_by_level_and_never_across_schemes() {
        for (ours, theirs, expected) in [
            ("gsin:n7030ag", "gsin:n7030ag", CodeMatch::Code),
            ("gsin:n7030ag", "gsin:n7030", CodeMatch::Class),
            ("gsin:n7030", "gsin:n7010", CodeMatch::Family),
            ("gsin:d302a", "gsin:d302b", CodeMatch::Class),
            ("gsin:d302a", "gsin:d310", CodeMatch::Family),
            ("unspsc:43211503", "unspsc:43211509", CodeMatch::Class),
            ("unspsc:43211503", "unspsc:43210000", CodeMatch::Family),
            ("unspsc:43211503", "unspsc:44211503", CodeMatch::Nothing),
            ("unspsc:70301500", "gsin:n7030", CodeMatch::Nothing),
            ("object:0430", "object:0431", CodeMatch::Class),
            ("object:0430", "object:0430", CodeMatch::Code),
            // No deeper than the codes are specific.
            ("unspsc:25000000", "unspsc:25000000", CodeMatch::Segment),
            ("unspsc:25000000", "unspsc:25101503", CodeMatch::Segment),
            ("unspsc:25101503", "unspsc:25174004", CodeMatch::Segment),
            ("unspsc:25100000", "unspsc:25100000", CodeMatch::Family),
            ("unspsc:25101500", "unspsc:25101500", CodeMatch::Class),
            ("unspsc:25101503", "unspsc:25101503", CodeMatch::Code),
            ("unspsc:00000000", "unspsc:00000000", CodeMatch::Nothing),
            ("gsin:n7030", "gsin:n7030", CodeMatch::Class),
            ("gsin:n70", "gsin:n7030", CodeMatch::Family),
            ("gsin:d302", "gsin:d302", CodeMatch::Class),
            ("gsin:d302a", "gsin:d410", CodeMatch::Segment),
            ("gsin:5131", "gsin:5131", CodeMatch::Class),
        ] {
            assert_eq!(
                code_match(&[ours.to_owned()], &[theirs.to_owned()]),
                expected,
                "{ours} {theirs}"
            );
        }
        assert_eq!(code_match(&[], &["gsin:n7030".to_owned()]), CodeMatch::Nothing);
        assert!(is_specific("gsin:n7030ag") && !is_specific("gsin:n7030") && !is_specific("unspsc:72140000"));
    }
}
