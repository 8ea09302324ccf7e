//! The set phrases of federal notices, in both languages, as their publishers word them.

use super::words::Pair;

pub const fn pair(en: &'static str, fr: &'static str) -> Pair {
    Pair { en, fr }
}

pub const METHODS: &[Pair] = &[
    pair(
        "Competitive - Open bidding",
        "Concurrentielle - Invitation ouverte à soumissionner",
    ),
    pair(
        "Competitive - Open bidding",
        "Concurrentielle - Invitation ouverte à soumissionner",
    ),
    pair(
        "Competitive - Selective tendering",
        "Concurrentielle - Appel d'offres sélectif",
    ),
    pair("Competitive - Traditional", "Concurrentielle - Traditionnelle"),
    pair("Non-competitive", "Non concurrentielle"),
    pair("Advance contract award notice", "Préavis d'attribution du contrat"),
];
pub const TENDER_NOTICES: &[Pair] = &[
    pair("Request for Proposal", "Demande de propositions"),
    pair("Request for Proposal", "Demande de propositions"),
    pair("Invitation to Tender", "Appel d'offres"),
    pair(
        "Request for Supply Arrangement",
        "Demande pour un arrangement en matière d’approvisionnement",
    ),
    pair("Request for Standing Offer", "Demande d'offre à commandes"),
    pair(
        "RFP against Supply Arrangement",
        "DP contre un arrangement en matière d'approvisionnement",
    ),
    pair("Request for Quotation", "Demande de prix"),
];
pub const EARLY_NOTICES: &[Pair] = &[
    pair("Advance Contract Award Notice", "Préavis d'adjudication de contrat"),
    pair("Request for Information", "Demande de renseignements"),
    pair("Letter of Interest", "Lettre d'intérêt"),
    pair("Invitation to Qualify", "Invitation à se qualifier"),
    pair("Notice of Proposed Procurement", "Avis de projet de marché"),
];
pub const REGIONS: &[Pair] = &[
    pair("National Capital Region (NCR)", "Région de la capitale nationale (RCN)"),
    pair("Ontario (except NCR)", "Ontario (sauf RCN)"),
    pair("Quebec (except NCR)", "Québec (sauf RCN)"),
    pair("British Columbia", "Colombie-Britannique"),
    pair("Nova Scotia", "Nouvelle-Écosse"),
    pair("Canada", "Canada"),
    pair("Unspecified", "Non précisée"),
];
/// The column as published, and the short names as an eligibility object lists them.
pub const AGREEMENTS: &[(&str, &str)] = &[
    ("Canadian Free Trade Agreement (CFTA)", "\"CFTA\""),
    (
        "Canadian Free Trade Agreement (CFTA), Canada-European Union Comprehensive Economic and Trade Agreement (CETA)",
        "\"CFTA\",\"CETA\"",
    ),
    (
        "Canadian Free Trade Agreement (CFTA), Comprehensive and Progressive Agreement for Trans-Pacific Partnership (CPTPP), \
         World Trade Organization-Agreement on Government Procurement (WTO-AGP)",
        "\"CFTA\",\"CPTPP\",\"WTO-AGP\"",
    ),
    ("None", ""),
];
pub const CRITERIA: &[Pair] = &[
    pair("Lowest Price", "Prix le plus bas"),
    pair(
        "Highest Combined Rating of Technical Merit and Price",
        "Cote combinée la plus élevée pour le mérite technique et le prix",
    ),
];
pub const REASONS: &[Pair] = &[
    pair("No bids were received", "Aucune soumission reçue"),
    pair("Exclusive rights", "Droits exclusifs"),
    pair("Extreme urgency", "Extrême urgence"),
];
/// Codes of proactive disclosure, with their words.
pub const PROCEDURES: &[(&str, Pair)] = &[
    (
        "TC",
        pair("Competitive - Traditional", "Concurrentielle - Traditionnelle"),
    ),
    (
        "OB",
        pair(
            "Competitive - Open Bidding",
            "Concurrentielle - Invitation ouverte à soumissionner",
        ),
    ),
    (
        "ST",
        pair(
            "Competitive - Selective Tendering",
            "Concurrentielle - Appel d'offres sélectif",
        ),
    ),
    ("TN", pair("Non-Competitive", "Non concurrentielle")),
    (
        "AC",
        pair("Advance Contract Award Notice", "Préavis d'adjudication de contrat"),
    ),
];
pub const AGREEMENT_KINDS: &[(&str, &str)] = &[
    (
        "Supply Arrangement (SA)",
        "Arrangement en matière d'approvisionnement (AMA)",
    ),
    (
        "National Master Standing Offer (NMSO)",
        "Offre à commandes principale et nationale (OCPN)",
    ),
    (
        "Supply Arrangement (SA)",
        "Arrangement en matière d'approvisionnement (AMA)",
    ),
    (
        "Regional Individual Standing Offer (RISO)",
        "Offre à commandes individuelle et régionale (OCIR)",
    ),
    (
        "National Individual Standing Offer (NISO)",
        "Offre à commandes individuelle et nationale (OCIN)",
    ),
    (
        "Regional Master Standing Offer (RMSO)",
        "Offre à commandes principale et régionale (OCPR)",
    ),
];
pub const DELIVERY_POINTS: &[(&str, Pair)] = &[
    ("NC", pair("National Capital Region", "Région de la capitale nationale")),
    ("NA", pair("National", "National")),
    ("QC", pair("Quebec", "Québec")),
    ("ON", pair("Ontario", "Ontario")),
    ("BC", pair("British Columbia", "Colombie-Britannique")),
    ("NS", pair("Nova Scotia", "Nouvelle-Écosse")),
    ("FD", pair("Foreign Destination", "Destination étrangère")),
];
