//! What both publications of Public Services and Procurement Canada share: source ids, row keys,
//! amounts, names, lists.

use std::borrow::Cow;

use crate::sources::{
    disclosure::codes::TRADE_AGREEMENTS,
    reading::{CsvRow, DraftRecord, Recency, text},
};

pub(crate) const CANADABUYS_CONTRACT: &str = "canadabuys-contract";
pub(crate) const BUYANDSELL_CONTRACT: &str = "buyandsell-contract";
pub(crate) const CANADABUYS_TENDER: &str = "canadabuys-tender";
pub(crate) const BUYANDSELL_TENDER: &str = "buyandsell-tender";

/// Prefix of the keys of buyandsell's rows, so that none replaces CanadaBuys' row of the same
/// amendment.
pub(crate) const BUYANDSELL_PREFIX: &str = "buyandsell ";

const OFFICE_PREFIX: &str = "PW-";

/// The merge group of a notice: its reference number without the padding of the office code. Both
/// publications pad the code to four characters (`PW-$$ZT-009-27511` at buyandsell,
/// `PW-_KIN-519-8707` at CanadaBuys); their web pages leave the padding out.
pub(crate) fn notice_group(reference: &str) -> String {
    let rest = reference.strip_prefix(OFFICE_PREFIX);
    match rest.and_then(|rest| rest.split_at_checked(4)) {
        Some((office, number)) => format!("{OFFICE_PREFIX}{}{number}", office.replace(['$', '_'], "")),
        None => reference.to_owned(),
    }
}

/// A contract's amount and its total with all amendments, without placeholder zeros: a zero next to
/// a positive value in the other column means "not stated".
pub(crate) fn without_placeholder_zero(amount: Option<f64>, total: Option<f64>) -> (Option<f64>, Option<f64>) {
    // A total of zero next to a reduction is real.
    let is_value = |value: Option<f64>| value.is_some_and(|value| value > 0.0);
    (
        amount.filter(|amount| *amount != 0.0 || !is_value(total)),
        total.filter(|total| *total != 0.0 || !is_value(amount)),
    )
}

/// Orders rows by amendment number, with `T01` and `S01` (termination, suspension) after all plain
/// numbers; then by the time of the file.
pub(crate) fn recency(row: &CsvRow, amendment: &str) -> Recency {
    let amendment = amendment.trim();
    let digits: String = amendment.chars().filter(char::is_ascii_digit).take(9).collect();
    // Without digits it is the original.
    let mut order = digits.parse::<u64>().unwrap_or(0);
    if amendment.starts_with(|c: char| c.is_ascii_alphabetic()) {
        order += 1_000_000_000;
    }
    Recency(order, row.file.modified.timestamp())
}

/// Sets `vendor_name`: the standardized name, which the publisher gives to all rows of the
/// supplier, or else the legal name.
pub(crate) fn set_vendor_name(record: &mut DraftRecord) {
    let standardized = record.text("vendor_name_standardized");
    let name = standardized.or(record.text("supplier_legal_name"));
    let name = name.map(str::to_owned);
    record.set("vendor_name", name);
}

/// The short name of a trade agreement: `CFTA` for `Canadian Free Trade Agreement (CFTA)`. An
/// unknown name without a short form is returned unchanged.
pub(crate) fn agreement(name: &str) -> &str {
    let (long, short) = match name.rsplit_once(" (") {
        Some((long, short)) => (long, short.strip_suffix(')').unwrap_or(short)),
        None => (name, name),
    };
    let known = TRADE_AGREEMENTS.iter().find(|(_, _, english)| *english == long);
    match (known, short) {
        (Some((_, short, _)), _) => short,
        (None, "WTO GPA" | "WTO-GPA") => "WTO-AGP",
        (None, "Canada-UK TCA") => "TCA",
        (None, short) => short,
    }
}

/// The short names of the agreements in a list of short names (`WTO-AGP/NAFTA/AIT/Canada FTAs with
/// Peru/Colombia/Panama`) or of long names (separated by commas).
pub(crate) fn agreements(stated: &str) -> Vec<Cow<'static, str>> {
    let separator = if stated.contains('(') { ',' } else { '/' };
    let names = stated.split(separator).filter_map(text::line).map(|name| {
        let partner = name.strip_prefix("Canada FTAs with ").unwrap_or(&name);
        let known = PARTNERS.iter().find(|(country, _)| *country == partner);
        known.map_or(agreement(&name), |(_, short)| short).to_owned().into()
    });
    names.collect()
}

/// Agreements that are listed by the partner country alone.
const PARTNERS: [(&str, &str); 6] = [
    ("Chile", "CCFTA"),
    ("Colombia", "CCoFTA"),
    ("Honduras", "CHFTA"),
    ("Korea", "CKFTA"),
    ("Panama", "CPaFTA"),
    ("Peru", "CPFTA"),
];

/// The addresses of a list separated by commas or line breaks. A comma inside an address stays in
/// it.
pub(crate) fn urls(raw: &str) -> Vec<String> {
    let mut urls: Vec<String> = Vec::new();
    for line in text::list(raw) {
        for (number, part) in line.split(',').enumerate() {
            let part = part.trim();
            match urls.last_mut() {
                _ if part.starts_with("http://") || part.starts_with("https://") => urls.push(part.to_owned()),
                Some(url) if number > 0 && !part.is_empty() => {
                    url.push(',');
                    url.push_str(part);
                }
                _ => {}
            }
        }
    }
    urls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_of_the_office_code_is_ignored() {
        assert_eq!(notice_group("PW-$$ZT-009-27511"), notice_group("PW-ZT-009-27511"));
        assert_eq!(notice_group("PW-$KIN-519-8707"), notice_group("PW-_KIN-519-8707"));
        assert_eq!(notice_group("PW-$$QE-450-27248"), notice_group("PW-__QE-450-27248"));
        assert_ne!(notice_group("WS_1$2"), notice_group("WS12"), "not an office number");
        assert_eq!(notice_group("PW-é"), "PW-é");
        assert_ne!(notice_group("PW-$KIN-650-6679"), notice_group("PW-$$ZT-650-6679"));
    }

    #[test]
    fn agreements_have_short_names() {
        for (name, short) in [
            ("Canadian Free Trade Agreement (CFTA)", "CFTA"),
            ("Canada-Panama Free Trade Agreement", "CPaFTA"),
            (
                "World Trade Organization Agreement on Government Procurement (WTO GPA)",
                "WTO-AGP",
            ),
            ("Canada-UK Trade Continuity Agreement (Canada-UK TCA)", "TCA"),
            ("Some Agreement", "Some Agreement"),
            ("(", "("),
        ] {
            assert_eq!(agreement(name), short);
        }
    }

    #[test]
    fn agreements_are_listed_by_short_or_long_names() {
        for (stated, short) in [
            (
                "WTO-AGP/NAFTA/AIT/Canada FTAs with Peru/Colombia/Panama",
                &["WTO-AGP", "NAFTA", "AIT", "CPFTA", "CCoFTA", "CPaFTA"][..],
            ),
            ("Agreement on Internal Trade (AIT)", &["AIT"]),
            (
                "Canada-Chile Free Trade Agreement, Agreement on Internal Trade (AIT)",
                &["CCFTA", "AIT"],
            ),
            ("NONE", &[]),
        ] {
            assert_eq!(agreements(stated), short, "{stated}");
        }
    }

    #[test]
    fn a_comma_separates_addresses_only_before_a_scheme() {
        assert_eq!(
            urls("https://a.ca/x,y.pdf, https://a.ca/z.pdf\n*http://b.ca/1.docx\nnot an address"),
            ["https://a.ca/x,y.pdf", "https://a.ca/z.pdf", "http://b.ca/1.docx"]
        );
    }
}
