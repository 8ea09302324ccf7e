//! Rule 2: a statement without a number gets the one number of its name and place.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::{
    fold::fold,
    supplier_mention::{MentionLine, OfficialNumber},
};

/// The minimum number of statements of a name at one place that give the number. With one, 98.3 % of the numbers that
/// were hidden are found again rightly, with five 99.7 % (`docs/suppliers.md`).
const MIN_STATEMENTS: u64 = 5;

/// The number that each statement without one gets; `None` for the others, which have one or get none. `name_of`: the
/// number of the name of each statement. `only_number`: the only official number that a name has.
pub(super) fn carry<'n>(
    mentions: &[MentionLine],
    name_of: &[Option<u32>],
    only_number: impl Fn(u32) -> Option<&'n OfficialNumber>,
) -> Vec<Option<&'n OfficialNumber>> {
    let lines = || {
        mentions
            .iter()
            .zip(name_of)
            .filter_map(|(line, name)| Some((line, (*name)?)))
    };
    let is_without = |line: &MentionLine| line.mention.number.is_none() && line.mention.other_name.is_none();
    // Few names have both; the places of the others are not counted.
    let without: FxHashSet<u32> = lines()
        .filter(|(line, _)| is_without(line))
        .map(|(_, name)| name)
        .collect();
    // The statements of the number by name and place.
    let mut statements: FxHashMap<(u32, Place), u64> = FxHashMap::default();
    for (line, name) in lines().filter(|(_, name)| without.contains(name)) {
        let has_only = line.mention.number.is_some() && line.mention.number.as_ref() == only_number(name);
        if has_only && line.mention.other_name.is_none() {
            for place in Place::all_of(line) {
                *statements.entry((name, place)).or_default() += line.count;
            }
        }
    }
    let carried = |(line, name): (&MentionLine, &Option<u32>)| {
        let name = name.filter(|_| is_without(line))?;
        let number = only_number(name)?;
        let is_shown = |place: Place| {
            statements
                .get(&(name, place))
                .is_some_and(|count| *count >= MIN_STATEMENTS)
        };
        Place::all_of(line).any(is_shown).then_some(number)
    };
    mentions.iter().zip(name_of).map(carried).collect()
}

/// Where a supplier is.
#[derive(PartialEq, Eq, Hash)]
enum Place {
    /// Folded.
    City(String),
    /// The first three characters of a postal code.
    Area(String),
}

impl Place {
    fn all_of(line: &MentionLine) -> impl Iterator<Item = Place> {
        let mention = &line.mention;
        let city = mention.city.as_deref().map(fold).filter(|city| !city.is_empty());
        let code = mention.postal_code.as_deref().and_then(whole_postal_code);
        let area = code.map(|mut code| {
            code.truncate(3);
            code
        });
        city.map(Place::City).into_iter().chain(area.map(Place::Area))
    }
}

/// A Canadian postal code or a ZIP code; `None` for a part of one.
pub(super) fn whole_postal_code(text: &str) -> Option<String> {
    let code: String = text
        .chars()
        .filter(|c| c.is_ascii_alphanumeric())
        .collect::<String>()
        .to_ascii_uppercase();
    let is_canadian = code.len() == 6
        && code.bytes().enumerate().all(|(place, b)| {
            if place % 2 == 0 {
                b.is_ascii_uppercase()
            } else {
                b.is_ascii_digit()
            }
        });
    let is_zip = matches!(code.len(), 5 | 9) && code.bytes().all(|b| b.is_ascii_digit());
    (is_canadian || is_zip).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{catalog::carried_numbers, model::supplier_mention::SupplierMention};

    fn line(name: &str, number: Option<&str>, place: (&str, &str), count: u64) -> MentionLine {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        MentionLine {
            mention: SupplierMention {
                name: name.to_owned(),
                number: number.map(|digits| OfficialNumber::parse(&format!("neq:{digits}")).unwrap()),
                city: text(place.0),
                postal_code: text(place.1),
                other_name: None,
                relation: None,
                source: "seao-xml".to_owned(),
            },
            count,
            first: None,
        }
    }

    /// The number that a statement of `name` at `place` gets beside the numbered ones.
    fn carried(name: &str, place: (&str, &str), numbered: &[MentionLine]) -> Option<String> {
        let mut all = vec![line(name, None, place, 1)];
        all.extend_from_slice(numbered);
        carried_numbers(&all)[0].as_ref().map(|number| number.number.clone())
    }

    #[test]
    fn a_statement_gets_the_number_that_five_statements_at_its_place_show() {
        let laval = ("Laval", "H7A 1A1");
        let of = |count| [line("Pavage X inc.", Some("1142700724"), laval, count)];
        let get = |place, count| carried("PAVAGE X INC", place, &of(count));
        assert_eq!(get(laval, 5).as_deref(), Some("1142700724"));
        assert_eq!(get(("LAVAL", ""), 5).as_deref(), Some("1142700724"), "equal city");
        assert_eq!(get(("", "H7A2B2"), 5).as_deref(), Some("1142700724"), "equal area");
        assert_eq!(get(laval, 4), None);
        assert_eq!(get(("Québec", "G1A1A1"), 5), None, "another place");
        assert_eq!(get(("", ""), 5), None, "no place");
        assert_eq!(carried("Pavage Y inc.", laval, &of(5)), None, "another name");
    }

    #[test]
    fn a_second_number_of_the_name_stops_it_and_a_typing_error_does_not() {
        let laval = ("Laval", "H7A1A1");
        let with = |digits| {
            let main = line("Pavage X inc.", Some("1142700724"), laval, 9);
            carried(
                "Pavage X inc.",
                laval,
                &[main, line("Pavage X inc.", Some(digits), laval, 1)],
            )
        };
        assert_eq!(with("1142700742").as_deref(), Some("1142700724"));
        assert_eq!(with("1172462849"), None);
    }

    #[test]
    fn consortia_and_persons_get_none() {
        let laval = ("Laval", "H7A1A1");
        for name in ["Consortium Pavage X et Y", "Jean Tremblay"] {
            let numbered = [line(name, Some("1142700724"), laval, 9)];
            assert_eq!(carried(name, laval, &numbered), None, "{name}");
        }
    }

    #[test]
    fn only_whole_postal_codes_are_places() {
        for (text, code) in [
            ("h2x 1y4", Some("H2X1Y4")),
            ("H2X", None),
            ("90210", Some("90210")),
            ("", None),
            ("N/A", None),
        ] {
            assert_eq!(whole_postal_code(text).as_deref(), code, "{text}");
        }
    }
}
