//! The code tables of SEAO, Quebec's tender system, for those codes that records show with a label.
//!
//! French labels are those of the publisher where it publishes them (Secrétariat du Conseil du
//! trésor, CC BY 4.0). The English ones are translations.

/// How a buyer finds its contractor.
pub(crate) struct ProcurementMethod {
    /// The OCDS code that the publisher's releases use for it. `None` if they have no code for it.
    pub(crate) ocds_code: Option<&'static str>,
    pub(crate) english: &'static str,
    pub(crate) french: &'static str,
}

const fn method(ocds_code: Option<&'static str>, english: &'static str, french: &'static str) -> ProcurementMethod {
    ProcurementMethod {
        ocds_code,
        english,
        french,
    }
}

pub(crate) const OPEN: ProcurementMethod = method(Some("open"), "Public call for tenders", "Appel d’offres public");
#[rustfmt::skip]
pub(crate) const OPEN_ELSEWHERE: ProcurementMethod = method(Some("open"), "Public call for tenders not published on SEAO", "Appel d’offres public non publié au SEAO");
#[rustfmt::skip]
pub(crate) const INVITATION: ProcurementMethod = method(Some("limited"), "Call for tenders by invitation", "Appel d’offres sur invitation");
#[rustfmt::skip]
pub(crate) const QUALIFIED: ProcurementMethod = method(Some("selective"), "Request for prices from qualified enterprises", "Demande de prix auprès des entreprises qualifiées");
pub(crate) const DIRECT: ProcurementMethod =
    method(Some("direct"), "Contract by mutual agreement", "Contrat de gré à gré");
/// Another body bought for the buyer. The files do not state whether there was a public call.
#[rustfmt::skip]
pub(crate) const MANDATED: ProcurementMethod = method(None, "Mandated purchase or grouping of bodies", "Achat mandaté ou regroupement d’organismes");
#[rustfmt::skip]
pub(crate) const TRANSPORT: ProcurementMethod = method(None, "Transport infrastructure contract", "Contrat relatif aux infrastructures de transport");

/// A notice type of the XML exports: how the contract came about.
pub(crate) struct XmlNoticeType {
    pub(crate) code: &'static str,
    pub(crate) method: &'static ProcurementMethod,
    pub(crate) notice_en: &'static str,
    pub(crate) notice_fr: &'static str,
}

const fn notice_type(
    code: &'static str,
    method: &'static ProcurementMethod,
    notice_en: &'static str,
    notice_fr: &'static str,
) -> XmlNoticeType {
    XmlNoticeType {
        code,
        method,
        notice_en,
        notice_fr,
    }
}

/// The notice types, as the publisher's specification of the exports of December 2014 words them.
#[rustfmt::skip]
pub(crate) const XML_NOTICE_TYPES: &[XmlNoticeType] = &[
    notice_type("3", &OPEN, "Contract awarded following a public call for tenders",
        "Contrat adjugé suite à un appel d’offres public"),
    notice_type("9", &DIRECT, "Contract awarded by mutual agreement",
        "Contrat octroyé de gré à gré"),
    notice_type("10", &INVITATION, "Contract awarded following a call for tenders by invitation",
        "Contrat adjugé suite à un appel d’offres sur invitations"),
    // Inferred; worded as in the releases. Of the contract types in the releases, it is the only
    // one without another code. Its notices have no closing date and follow the award. Many have a
    // buyer that another body buys for (numbers of the central purchasing body, "achats
    // regroupés").
    notice_type("11", &MANDATED, "Contract following a mandated purchase or a grouping of bodies",
        "Contrat à la suite d’un achat mandaté ou d’un regroupement d’organismes"),
    // Like 10, but published before the award: the invitation itself is on SEAO.
    notice_type("14", &INVITATION, "Contract following a call for tenders by invitation published on SEAO",
        "Contrat suite à un appel d’offres sur invitation publié au SEAO"),
    notice_type("16", &TRANSPORT, "Contract concluded concerning transport infrastructure",
        "Contrat conclu relatif aux infrastructures de transport"),
    notice_type("17", &OPEN_ELSEWHERE, "Contract concluded - Public call for tenders not published on SEAO",
        "Contrat conclu - Appel d’offres public non publié au SEAO"),
];

/// The procurement category of a nature code. Concessions (6), sales (7, 8) and others (5, 0) have
/// none.
pub(crate) fn category(nature: &str) -> Option<&'static str> {
    match nature.trim() {
        "1" => Some("GD"),
        "2" => Some("SRV"),
        "3" => Some("CNST"),
        _ => None,
    }
}

/// The known nature codes without a procurement category: concessions, sales, others.
pub(crate) const OTHER_NATURES: [&str; 5] = ["0", "5", "6", "7", "8"];

/// The unit of a bid's amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BidUnit {
    Dollars,
    UsDollars,
    /// Dollars per year, kilometre, litre, hour, tonne …, or no money at all (%, points).
    Rate,
}

impl BidUnit {
    /// `0` means that the form did not ask for the unit, so it is dollars. `2` is dollars per year.
    /// An unknown code counts as a rate, because a rate never becomes a contract value by mistake.
    pub(crate) fn of(code: &str) -> BidUnit {
        match code.trim().trim_start_matches('0') {
            "" | "1" => BidUnit::Dollars,
            "7" => BidUnit::UsDollars,
            _ => BidUnit::Rate,
        }
    }
}

/// Whether the unit is in the publisher's table or empty.
pub(crate) fn is_known_unit(code: &str) -> bool {
    let code = code.trim().trim_start_matches('0');
    code.is_empty() || code.parse().is_ok_and(|number: u8| (1..=12).contains(&number))
}

/// The numbering of the regions of delivery in an export. The publisher used two numberings of the
/// same regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RegionTable {
    /// The numbering of the specification of 2014. It has no 10.
    Specification,
    /// The numbering of Quebec's administrative regions. It has no 18; the few notices with 18 have
    /// no region in common.
    Administrative,
    /// One of the two; which one is not known. Only numbers that mean the same region in both have a label.
    Unknown,
}

impl RegionTable {
    pub(crate) fn label(self, code: &str) -> Option<&'static str> {
        let own = match self {
            RegionTable::Specification => SPECIFICATION_REGIONS,
            RegionTable::Administrative => ADMINISTRATIVE_REGIONS,
            RegionTable::Unknown => &[],
        };
        label(COMMON_REGIONS, code).or_else(|| label(own, code))
    }
}

const COMMON_REGIONS: &[(&str, &str)] = &[
    ("1", "Bas-Saint-Laurent"),
    ("2", "Saguenay–Lac-Saint-Jean"),
    ("3", "Capitale-Nationale"),
    ("4", "Mauricie"),
    ("5", "Estrie"),
    ("6", "Montréal"),
    ("7", "Outaouais"),
    ("8", "Abitibi-Témiscamingue"),
    ("9", "Côte-Nord"),
    ("12", "Chaudière-Appalaches"),
    ("13", "Laval"),
    ("17", "Centre-du-Québec"),
    ("19", "Hors Québec"),
];

const SPECIFICATION_REGIONS: &[(&str, &str)] = &[
    ("11", NORD_DU_QUEBEC),
    ("14", LAURENTIDES),
    ("15", MONTEREGIE),
    ("16", LANAUDIERE),
    ("18", GASPESIE),
];

const ADMINISTRATIVE_REGIONS: &[(&str, &str)] = &[
    ("10", NORD_DU_QUEBEC),
    ("11", GASPESIE),
    ("14", LANAUDIERE),
    ("15", LAURENTIDES),
    ("16", MONTEREGIE),
];

const NORD_DU_QUEBEC: &str = "Nord-du-Québec";
const GASPESIE: &str = "Gaspésie–Îles-de-la-Madeleine";
const LANAUDIERE: &str = "Lanaudière";
const LAURENTIDES: &str = "Laurentides";
const MONTEREGIE: &str = "Montérégie";

/// The legal grounds for a contract without a public call, for buyers that are not municipal.
#[rustfmt::skip]
pub(crate) const PROVINCIAL_GROUNDS: &[(&str, &str)] = &[
    ("1", "Paragraphe 1° : Situation d'urgence où la sécurité des personnes ou des biens est en cause"),
    ("2", "Paragraphe 2° : Un seul contractant est possible en raison d'une garantie, d'un droit de propriété, d'un droit exclusif, etc."),
    ("3", "Paragraphe 4° : Possibilité de démontrer qu'un appel d'offres public ne servirait pas l'intérêt public"),
    ("4", "Autorisation du gouvernement ou du ministre responsable."),
    ("5", "Acquisition de sable, de pierre, de gravier, ou d'enrobés bitumineux comportant une dépense inférieure à 200 000 $."),
    ("6", "Contrat lié à des activités de recherche et de développement ou à des activités d'enseignement."),
    ("7", "Contrat pour des activités à l'étranger d'une délégation ou organisation permettant la représentation du Québec à l'étranger."),
    ("8", "Contrat pour des activités à l'étranger d'une délégation ou organisation permettant la représentation du Québec à l'étranger."),
    ("9", "Contrat de services juridiques."),
    ("10", "Contrat de services financiers ou bancaires."),
    ("11", "Contrat pour des activités à l’étranger d’une délégation ou organisation permettant la représentation du Québec à l’étranger."),
    ("12", "Contrat de services pour l'engagement d'un enquêteur, d'un conciliateur, d'un négociateur, d'un médiateur, d'un arbitre, d'un médecin ou d'un dentiste en matière d'évaluation médicale liée à leur spécialité ou d'une personne devant agir à titre de témoin expert devant un tribunal."),
    ("13", "Contrat à commandes pour l'acquisition de logiciels."),
    ("14", "Contrat dont le montant est inférieur au seuil d'appel d'offres public."),
];

/// The legal grounds for a contract without a public call, for municipal buyers.
#[rustfmt::skip]
pub(crate) const MUNICIPAL_GROUNDS: &[(&str, &str)] = &[
    ("1", "Renouvellement de contrats d’assurance"),
    ("2", "Situation d’urgence"),
    ("3", "Par. 1° Tarif fixé ou approuvé par le gouvernement ou un de ses ministres"),
    ("4", "Par. 2° Contrat conclu avec un organisme public"),
    ("5", "Par. 2° Possibilité de démontrer qu’il s’agit d’une situation de fournisseur unique"),
    ("6", "Contrat conclu avec un organisme à but non lucratif"),
    ("7", "Contrat de services de camionnage en vrac"),
    ("8", "Contrat de fourniture de biens ou de services liés au domaine artistique ou culturel"),
    ("9", "Contrat de fourniture d’abonnements ou de logiciels destinés à des fins éducatives"),
    ("10", "Contrat de fourniture d’espaces médias"),
    ("11", "Contrat particulier relatif à l’utilisation de logiciels et de progiciels"),
    ("12", "Contrat relatif à des conduites conclu avec leur propriétaire ou avec une entreprise d’utilité publique"),
    ("13", "Contrat conclu avec un fournisseur en situation de monopole dans le domaine des communications, de l’électricité ou du gaz"),
    ("14", "Contrat relatif à l’entretien d’équipements spécialisés qui doit être fait par le fabricant"),
    ("15", "Contrat relatif à des travaux sur l’emprise d’une voie ferrée conclu avec son propriétaire ou son exploitant"),
    ("16", "Contrat de fourniture de biens conclu à des conditions exceptionnellement avantageuses"),
    ("17", "Contrat de services nécessaires dans le cadre d’un recours devant les tribunaux"),
    ("18", "Contrat de services rendus par un dentiste, un infirmier, un médecin, un médecin-vétérinaire ou un pharmacien"),
    ("19", "Autorisation du ministre"),
    ("20", "Concours d’architecture"),
    ("21", "Précisez à l'étape Description"),
    ("22", "Contrat conclu avec le concepteur des plans et devis pour la modification de ceux-ci"),
];

/// The label of a code in a table; blanks around the code are ignored.
pub(crate) fn label(table: &[(&'static str, &'static str)], code: &str) -> Option<&'static str> {
    table
        .iter()
        .find(|(known, _)| *known == code.trim())
        .map(|(_, label)| *label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn region_numbers_differ_between_the_two_tables() {
        let labels = |code| {
            [
                RegionTable::Specification,
                RegionTable::Administrative,
                RegionTable::Unknown,
            ]
            .map(|table| table.label(code))
        };
        for (code, specification, administrative) in [
            ("10", None, Some("Nord-du-Québec")),
            ("11", Some("Nord-du-Québec"), Some("Gaspésie–Îles-de-la-Madeleine")),
            ("14", Some("Laurentides"), Some("Lanaudière")),
            ("15", Some("Montérégie"), Some("Laurentides")),
            ("16", Some("Lanaudière"), Some("Montérégie")),
            ("18", Some("Gaspésie–Îles-de-la-Madeleine"), None),
            ("20", None, None),
        ] {
            assert_eq!(labels(code), [specification, administrative, None], "{code}");
        }
        for (code, region) in [
            (" 3", "Capitale-Nationale"),
            ("12", "Chaudière-Appalaches"),
            ("19", "Hors Québec"),
        ] {
            assert_eq!(labels(code), [Some(region); 3], "{code}");
        }
    }

    #[test]
    fn each_table_names_every_region_once() {
        for own in [SPECIFICATION_REGIONS, ADMINISTRATIVE_REGIONS] {
            let mut regions: Vec<&str> = COMMON_REGIONS.iter().chain(own).map(|(_, region)| *region).collect();
            regions.sort_unstable();
            regions.dedup();
            assert_eq!(regions.len(), 18, "Quebec's 17 regions, and outside Quebec");
        }
    }
}
