//! Which methods of procurement let others bid. Publishers have lists of methods of their own, in two languages; this
//! table sorts them into classes by words of their names.

use crate::model::fold::fold;

/// A class of methods of procurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MethodClass {
    /// The contract was negotiated with one supplier.
    None,
    /// One supplier was announced, and others could object before the award.
    AdvanceNotice,
    /// All could bid.
    Open,
    /// Only invited suppliers could bid.
    Invitation,
    /// More than one supplier could bid; whether all could is not stated.
    Competitive,
    /// The method does not say whether others could bid.
    Unclear,
}

/// The words of a class, and its codes. A method belongs to the first class with a word that its folded name contains,
/// or with a code that it equals.
const CLASSES: [(MethodClass, &[&str], &[&str]); 5] = [
    (
        MethodClass::None,
        &[
            "non competitive",
            "non concurrentiel",
            "mutual agreement",
            "gre a gre",
            "sole source",
            "single source",
            "fournisseur unique",
        ],
        &["limited", "direct", "tn", "noncompetitive"],
    ),
    (
        MethodClass::AdvanceNotice,
        &[
            "advance contract award",
            "preavis d adjudication",
            "preavis d attribution",
        ],
        &["acan", "pac", "ac"],
    ),
    (
        MethodClass::Open,
        &[
            "open bidding",
            "open tender",
            "open competiti",
            "invitation ouverte",
            "public call",
            "offres public",
            "ouvert",
        ],
        &["open", "ob", "rft", "rfq", "rfp", "rfsq", "nrfp"],
    ),
    (
        MethodClass::Invitation,
        &[
            "invitation",
            "selective",
            "selectif",
            "competitive traditional",
            "traditional competitive",
            "concurrentielle traditionnelle",
        ],
        &["st", "tc"],
    ),
    (
        MethodClass::Competitive,
        &["competitive", "concurrentiel", "call for tenders", "appel d offres"],
        &["tender"],
    ),
];

/// The values of the filter by competition.
pub(crate) const COMPETITION: [&str; 4] = ["open", "invitation", "none", UNKNOWN];

/// The method is not stated, or does not say who could bid.
pub(crate) const UNKNOWN: &str = "unknown";

impl MethodClass {
    pub(crate) fn of(method: &str) -> MethodClass {
        let folded = fold(method);
        let found = CLASSES.iter().find(|(_, words, codes)| {
            words.iter().any(|word| folded.contains(word)) || codes.contains(&folded.as_str())
        });
        found.map_or(MethodClass::Unclear, |(class, ..)| *class)
    }

    /// The value of the filter by competition; `None` if the method does not say who could bid.
    const fn competition(self) -> Option<&'static str> {
        match self {
            MethodClass::Open => Some(COMPETITION[0]),
            MethodClass::Invitation => Some(COMPETITION[1]),
            MethodClass::None => Some(COMPETITION[2]),
            MethodClass::AdvanceNotice | MethodClass::Competitive | MethodClass::Unclear => None,
        }
    }
}

/// Who could bid, by the texts that a record states of its method: labels, then codes. The first one that says it
/// decides, because a code can have another meaning than its label: SEAO's `limited` are calls by invitation.
pub(crate) fn competition<'t>(methods: impl Iterator<Item = &'t str>) -> &'static str {
    let mut stated = methods.filter(|method| !method.trim().is_empty());
    let class = stated.find_map(|method| match MethodClass::of(method) {
        MethodClass::Unclear | MethodClass::Competitive => None,
        class => Some(class),
    });
    class.and_then(MethodClass::competition).unwrap_or(UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_of_every_publisher_have_a_class() {
        use MethodClass::{AdvanceNotice, Competitive, Invitation, None, Open, Unclear};
        for (method, expected) in [
            ("Non-competitive", None),
            ("Traditional Non-Competitive", None),
            ("Non concurrentielle - Traditionnelle", None),
            ("Méthode non concurrentielle traditionnelle", None),
            ("Contract by mutual agreement", None),
            ("Contrat de gré à gré", None),
            ("limited", None),
            ("Advance contract award notice", AdvanceNotice),
            ("Préavis d'adjudication de contrat", AdvanceNotice),
            ("Préavis d’attribution du contrat", AdvanceNotice),
            ("Competitive – Open Bidding (GETS)", Open),
            ("Concurrentielle - Invitation ouverte à soumissionner", Open),
            ("Invitation Ouverte", Open),
            ("Open competitive", Open),
            ("OPEN-COMPETITIVE", Open),
            ("Public call for tenders", Open),
            ("Appel d’offres public", Open),
            ("Open Bidding", Open),
            ("RFT", Open),
            ("NRFP", Open),
            ("Concurrentielle - Appel d’offres sélectif", Invitation),
            ("Competitive – Selective Tendering", Invitation),
            ("Competitive – Traditional", Invitation),
            ("Traditional Competitive", Invitation),
            ("Méthode concurrentielle traditionnelle", Invitation),
            ("Call for tenders by invitation", Invitation),
            ("Appel d’offres sur invitation", Invitation),
            ("Competitive", Competitive),
            ("Call for tenders", Competitive),
            ("Transport infrastructure contract", Unclear),
            ("OTP", Unclear),
            ("RFI", Unclear),
            ("limited edition", Unclear),
            ("", Unclear),
        ] {
            assert_eq!(MethodClass::of(method), expected, "{method}");
        }
    }

    #[test]
    fn a_label_decides_before_a_code() {
        for (methods, expected) in [
            (&["Call for tenders by invitation", "limited"][..], "invitation"),
            (&["Competitive", "OB"], "open"),
            (&["", "limited"], "none"),
            (&["Advance contract award notice", "tn"], "unknown"),
            (&["RFI"], "unknown"),
            (&[], "unknown"),
        ] {
            assert_eq!(competition(methods.iter().copied()), expected, "{methods:?}");
        }
    }
}
