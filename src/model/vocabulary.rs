//! Controlled vocabularies and the ways in which sources write their members.
//!
//! Each vocabulary is one table. Index and query read it through the same function, so that a
//! stored and a queried spelling match.

use crate::model::fold::fold;

/// Procurement categories, in the order in which a record with several joins them.
pub(crate) const CATEGORIES: [&str; 4] = ["CNST", "GD", "SRV", "SRVTGD"];

/// Decision D-34: the four values of `status`, as the filter shows them.
pub(crate) const STATUSES: [&str; 4] = ["Active", "Expired", "Cancelled", "Open"];

/// Levels of government.
pub(crate) const GOVERNMENT_LEVELS: [&str; 3] = ["federal", "provincial", "municipal"];

/// The value is one that publishers type where they have none: 0, 0.01, 1, 9999999.
pub(crate) const PLACEHOLDER_VALUE: &str = "placeholder_value";
/// The value is negative, or far from all others of its source and category.
pub(crate) const IMPLAUSIBLE_VALUE: &str = "implausible_value";
/// The event date is later than the newest file of its source.
pub(crate) const FUTURE_DATE: &str = "future_date";
/// The record of an entity type with vendors names none.
pub(crate) const NO_VENDOR: &str = "no_vendor";
/// Another record has the same buyer, vendor and value, and the same date or solicitation number.
pub(crate) const DUPLICATE_SUSPECT: &str = "duplicate_suspect";

/// What can be doubtful about a record, in the order of `quality_flags`.
pub(crate) const QUALITY_FLAGS: [&str; 5] = [
    PLACEHOLDER_VALUE,
    IMPLAUSIBLE_VALUE,
    FUTURE_DATE,
    NO_VENDOR,
    DUPLICATE_SUSPECT,
];

/// The key of a record without a quality flag, in the filter.
pub(crate) const NO_QUALITY_FLAG: &str = "none";

/// The values of the filter by quality: each flag, and that a record has none.
pub(crate) const QUALITY_FLAG_VALUES: [&str; QUALITY_FLAGS.len() + 1] = {
    let mut values = [NO_QUALITY_FLAG; QUALITY_FLAGS.len() + 1];
    let mut number = 0;
    while number < QUALITY_FLAGS.len() {
        values[number] = QUALITY_FLAGS[number];
        number += 1;
    }
    values
};

/// How publishers write "no value", in addition to an empty field. Compared without case; in
/// a list, without the leading `*` of the item.
pub(crate) const ABSENT: [&str; 10] = [
    "-",
    "--",
    "n/a",
    "n/d",
    "none",
    "aucun",
    "aucune",
    "null",
    "not applicable",
    "sans objet",
];

/// Further folded texts that publishers enter where there is no number.
const NO_NUMBER: [&str; 26] = [
    "n a",
    "na",
    "n d",
    "nd",
    "nil",
    "s o",
    "so",
    "tba",
    "tbc",
    "tbd",
    "to be announced",
    "to be confirmed",
    "to be determined",
    "a confirmer",
    "a determiner",
    "a venir",
    "not available",
    "non applicable",
    "non disponible",
    "unknown",
    "inconnu",
    "inconnue",
    "various",
    "divers",
    "diverses",
    "plusieurs",
];

/// Folded texts of publishers that keep the supplier to themselves.
const WITHHELD: [&str; 3] = ["confidential", "confidentiel", "confidentielle"];

/// Whether a text says that the publisher keeps the supplier to itself.
pub(crate) fn is_withheld(text: &str) -> bool {
    WITHHELD.contains(&fold(text).as_str())
}

/// Whether a text can identify something: not if it means "no value", or consists of punctuation,
/// zeros and x's.
pub(crate) fn identifies(text: &str) -> bool {
    let folded = fold(text);
    let is_blank = folded.chars().all(|c| matches!(c, '0' | 'x' | ' ' | '&'));
    let is_absent = ABSENT.iter().any(|word| word.eq_ignore_ascii_case(text.trim()));
    !(is_blank || is_absent || NO_NUMBER.contains(&folded.as_str()))
}

/// The key of a solicitation number: folded, and without the prefix "Doc" of a long number, which Toronto writes in its
/// tenders and leaves out in most of their contracts.
pub(crate) fn solicitation_number(text: &str) -> String {
    let folded = fold(text);
    match folded.strip_prefix("doc").map(str::trim_start) {
        Some(number) if number.len() >= 6 && number.bytes().all(|b| b.is_ascii_digit()) => number.to_owned(),
        _ => folded,
    }
}

/// The category codes of a stored text: `GD,SRV` → `GD`, `SRV`.
pub(crate) fn categories(text: &str) -> impl Iterator<Item = &'static str> {
    text.split(',').filter_map(|code| category(code.trim()))
}

/// The category code for a text, whatever its case.
pub(crate) fn category(text: &str) -> Option<&'static str> {
    CATEGORIES.into_iter().find(|code| code.eq_ignore_ascii_case(text))
}

/// The member of [`STATUSES`] for each folded status of the sources. Awarded and completed notices
/// accept no more bids: they are Expired.
const STATUS_WORDS: [(&str, &[&str]); 4] = [
    (
        "Active",
        &["active", "actif", "en vigueur", "in force", "en cours", "ongoing"],
    ),
    (
        "Expired",
        &[
            "expired",
            "expire",
            "expiree",
            "closed",
            "clos",
            "close",
            "ferme",
            "fermee",
            "complete",
            "completed",
            "termine",
            "terminee",
            "terminated",
            "resilie",
            "resiliee",
            "awarded",
            "award",
            "adjuge",
            "adjugee",
            "attribue",
            "attribuee",
            "conclu",
            "conclue",
            "archived",
            "evaluation",
            "unsuccessful",
        ],
    ),
    (
        "Cancelled",
        &[
            "cancelled",
            "canceled",
            "annule",
            "annulee",
            "withdrawn",
            "retire",
            "retiree",
            "terminated without award",
        ],
    ),
    (
        "Open",
        &[
            "open",
            "ouvert",
            "ouverte",
            "published",
            "publie",
            "publiee",
            "en appel d offres",
            "planned",
        ],
    ),
];

/// The status for a source's text; `None` for a text that no source is known to use.
pub(crate) fn status(text: &str) -> Option<&'static str> {
    let word = fold(text);
    STATUS_WORDS
        .iter()
        .find(|(_, words)| words.contains(&word.as_str()))
        .map(|(status, _)| *status)
}

/// Decision D-35: the status of a tender. The OCDS code `active` means that bids are accepted; the
/// labels of other publishers, `Active`, are read as [`status`] reads them.
pub(crate) fn tender_status(text: &str) -> Option<&'static str> {
    if text == OCDS_ACTIVE {
        return Some("Open");
    }
    status(text)
}

/// The code of the OCDS list of tender statuses, as written there.
const OCDS_ACTIVE: &str = "active";

/// Canadian provinces and territories: the code and the folded names.
const PROVINCES: [Region; 13] = [
    ("ab", &["alberta"]),
    ("bc", &["british columbia", "colombie britannique"]),
    ("mb", &["manitoba"]),
    ("nb", &["new brunswick", "nouveau brunswick"]),
    (
        "nl",
        &[
            "newfoundland and labrador",
            "terre neuve et labrador",
            "newfoundland & labrador",
            "newfoundland",
            "terre neuve",
        ],
    ),
    ("ns", &["nova scotia", "nouvelle ecosse"]),
    ("nt", &["northwest territories", "territoires du nord ouest"]),
    ("nu", &["nunavut", "nunavut territory"]),
    ("on", &["ontario"]),
    ("pe", &["prince edward island", "ile du prince edouard", "pei"]),
    ("qc", &["quebec"]),
    ("sk", &["saskatchewan"]),
    ("yt", &["yukon", "yukon territory", "territoire du yukon"]),
];

/// The administrative regions of Quebec and the National Capital Region: the key and the other folded names.
const REGIONS: [Region; 18] = [
    ("abitibi temiscamingue", &["abitibi"]),
    ("bas saint laurent", &["lower saint lawrence"]),
    ("capitale nationale", &["quebec city region"]),
    ("centre du quebec", &["central quebec"]),
    ("chaudiere appalaches", &[]),
    ("cote nord", &["north shore"]),
    ("estrie", &["eastern townships", "cantons de l est"]),
    (
        "gaspesie iles de la madeleine",
        &["gaspesie", "gaspe", "iles de la madeleine", "magdalen islands"],
    ),
    ("lanaudiere", &[]),
    ("laurentides", &["laurentians"]),
    ("laval", &[]),
    ("mauricie", &[]),
    ("monteregie", &[]),
    ("montreal", &[]),
    ("nord du quebec", &["northern quebec"]),
    ("outaouais", &[]),
    ("saguenay lac saint jean", &["lac saint jean", "saguenay"]),
    (
        "national capital region",
        &[
            "national capital region ncr",
            "ncr",
            "region de la capitale nationale",
            "region de la capitale nationale rcn",
            "rcn",
        ],
    ),
];

/// What federal notices write after a province: without the National Capital Region, which is named apart.
const EXCEPTIONS: [&str; 2] = [" except ncr", " sauf rcn"];

/// A row of [`PROVINCES`] or [`REGIONS`].
type Region = (&'static str, &'static [&'static str]);

/// The key of the row that has a folded name or key.
fn key_in<'r>(mut rows: impl Iterator<Item = &'r Region>, name: &str) -> Option<&'static str> {
    let row = rows.find(|(key, names)| *key == name || names.contains(&name));
    row.map(|(key, _)| *key)
}

/// The key of a province or another known region, by any of its names or its code. `None` for another text.
pub(crate) fn region(text: &str) -> Option<&'static str> {
    let folded = fold(text);
    let name = EXCEPTIONS.iter().find_map(|exception| folded.strip_suffix(exception));
    key_in(PROVINCES.iter().chain(&REGIONS), name.unwrap_or(&folded))
}

/// The key of a province, by its code, its English or its French name. `None` for another text.
pub(crate) fn known_province(text: &str) -> Option<&'static str> {
    key_in(PROVINCES.iter(), &fold(text))
}

/// The key of a province. For any other place: its folded name.
pub(crate) fn province(text: &str) -> String {
    known_province(text).map_or_else(|| fold(text), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_every_source_map_to_a_status() {
        for (word, expected) in [
            ("Open", Some("Open")),
            ("Ouvert", Some("Open")),
            ("EXPIRÉ", Some("Expired")),
            ("annulée", Some("Cancelled")),
            ("Actif", Some("Active")),
            ("bogus", None),
            ("", None),
        ] {
            assert_eq!(status(word), expected, "{word}");
        }
        for (status_word, words) in STATUS_WORDS {
            assert!(STATUSES.contains(&status_word));
            for word in words {
                assert_eq!(fold(word), *word, "the table contains folded texts");
            }
        }
    }

    #[test]
    fn a_solicitation_number_is_the_same_with_and_without_the_prefix_doc() {
        for (text, key) in [
            ("Doc3512316731", "3512316731"),
            ("DOC 3512316731", "3512316731"),
            ("3512316731", "3512316731"),
            ("Doc12345", "doc12345"),
            ("Doc123456-A", "doc123456 a"),
            ("Docket 123456", "docket 123456"),
        ] {
            assert_eq!(solicitation_number(text), key, "{text}");
        }
    }

    #[test]
    fn an_active_tender_is_open_by_its_ocds_code_only() {
        assert_eq!(tender_status("active"), Some("Open"));
        assert_eq!(tender_status("Active"), Some("Active"), "a label of buyandsell.gc.ca");
        assert_eq!(tender_status("complete"), Some("Expired"));
        assert_eq!(status("active"), Some("Active"), "a contract in force");
    }

    #[test]
    fn texts_that_mean_no_value_identify_nothing() {
        let nothing = "N/A|NA|n.d.|-|--|none|Aucun|TBD|To be determined|À déterminer|s.o.|S/O|0|0000|00-00|XXXX|Sans objet|null| |**";
        for text in nothing.split('|') {
            assert!(!identifies(text), "{text}");
        }
        for text in [
            "2",
            "20",
            "A",
            "NA-1",
            "Huntingdon",
            "x1",
            "0012",
            "TBD-7",
            "So-2024",
            "POSTES",
        ] {
            assert!(identifies(text), "{text}");
        }
        for word in NO_NUMBER {
            assert_eq!(fold(word), word, "the table contains folded texts");
        }
    }

    #[test]
    fn the_names_of_regions_are_folded() {
        for (key, names) in REGIONS {
            assert_eq!(region(key), Some(key));
            for name in names {
                assert_eq!(fold(name), *name);
                assert_eq!(region(name), Some(key), "{name} is no other region");
            }
        }
        assert_eq!(region("Cantons-de-l’Est"), region("Estrie"));
        assert_eq!(region("Île-du-Prince-Édouard"), Some("pe"));
        assert_eq!(region("Saguenay"), region("Saguenay–Lac-Saint-Jean"));
        assert_eq!(region("Ohio"), None);
        for (text, key) in [("Ontario (except NCR)", "on"), ("Québec (sauf RCN)", "qc")] {
            assert_eq!(region(text), Some(key));
        }
    }

    #[test]
    fn all_spellings_of_a_province_have_one_key() {
        for text in ["QC", "qc", "Quebec", "Québec", "QUÉBEC "] {
            assert_eq!(province(text), "qc", "{text}");
        }
        assert_eq!(province("Île-du-Prince-Édouard"), "pe");
        assert_eq!(province("Newfoundland & Labrador"), "nl");
        assert_eq!(province("Ohio"), "ohio");
    }

    #[test]
    fn several_categories_are_split() {
        assert_eq!(categories("GD,SRV").collect::<Vec<_>>(), ["GD", "SRV"]);
        assert_eq!(categories("gd, x").collect::<Vec<_>>(), ["GD"]);
        assert_eq!(categories("").count(), 0);
    }
}
