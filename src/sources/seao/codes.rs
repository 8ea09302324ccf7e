//! The code tables of SEAO, Quebec's tender system, as far as records tell what the codes mean.
//!
//! Labels are the publisher's own words where it publishes them (Secrétariat du Conseil du trésor, CC BY 4.0), with an
//! English translation.

/// How a buyer finds its contractor.
pub struct Method {
    /// The word the same publisher's OCDS releases use.
    pub word: Option<&'static str>,
    pub english: &'static str,
    pub french: &'static str,
}

pub const OPEN: Method = Method {
    word: Some("open"),
    english: "Public call for tenders",
    french: "Appel d’offres public",
};

pub const OPEN_ELSEWHERE: Method = Method {
    word: Some("open"),
    english: "Public call for tenders not published on SEAO",
    french: "Appel d’offres public non publié au SEAO",
};

pub const INVITATION: Method = Method {
    word: Some("limited"),
    english: "Call for tenders by invitation",
    french: "Appel d’offres sur invitation",
};

pub const QUALIFIED: Method = Method {
    word: Some("selective"),
    english: "Request for prices from qualified enterprises",
    french: "Demande de prix auprès des entreprises qualifiées",
};

pub const DIRECT: Method = Method {
    word: Some("direct"),
    english: "Contract by mutual agreement",
    french: "Contrat de gré à gré",
};

/// Another body bought for the buyer; by a public call or not is not told.
pub const MANDATED: Method = Method {
    word: None,
    english: "Mandated purchase or grouping of bodies",
    french: "Achat mandaté ou regroupement d’organismes",
};

pub const TRANSPORT: Method = Method {
    word: None,
    english: "Transport infrastructure contract",
    french: "Contrat relatif aux infrastructures de transport",
};

/// How a contract came about.
pub struct Type {
    pub code: &'static str,
    pub method: &'static Method,
    pub notice_en: &'static str,
    pub notice_fr: &'static str,
}

/// In the words of the publisher's specification of the exports of December 2014.
#[rustfmt::skip]
pub const TYPES: &[Type] = &[
    Type {
        code: "3", method: &OPEN,
        notice_en: "Contract awarded following a public call for tenders",
        notice_fr: "Contrat adjugé suite à un appel d’offres public",
    },
    Type {
        code: "9", method: &DIRECT,
        notice_en: "Contract awarded by mutual agreement",
        notice_fr: "Contrat octroyé de gré à gré",
    },
    Type {
        code: "10", method: &INVITATION,
        notice_en: "Contract awarded following a call for tenders by invitation",
        notice_fr: "Contrat adjugé suite à un appel d’offres sur invitations",
    },
    // Inferred, in the words of the releases: the one of their kinds of contract that no other code stands for. Its notices have no closing, follow
    // the award, and many are of buyers that others buy for (numbers of the central purchasing body, "achats regroupés").
    Type {
        code: "11", method: &MANDATED,
        notice_en: "Contract following a mandated purchase or a grouping of bodies",
        notice_fr: "Contrat à la suite d’un achat mandaté ou d’un regroupement d’organismes",
    },
    // As 10, but published before the award: the invitation itself is on SEAO.
    Type {
        code: "14", method: &INVITATION,
        notice_en: "Contract following a call for tenders by invitation published on SEAO",
        notice_fr: "Contrat suite à un appel d’offres sur invitation publié au SEAO",
    },
    Type {
        code: "16", method: &TRANSPORT,
        notice_en: "Contract concluded concerning transport infrastructure",
        notice_fr: "Contrat conclu relatif aux infrastructures de transport",
    },
    Type {
        code: "17", method: &OPEN_ELSEWHERE,
        notice_en: "Contract concluded - Public call for tenders not published on SEAO",
        notice_fr: "Contrat conclu - Appel d’offres public non publié au SEAO",
    },
];

/// What was bought. Concessions (6), sales (7, 8) and the rest (5, 0) are none of the four categories.
pub fn category(nature: &str) -> Option<&'static str> {
    match nature.trim() {
        "1" => Some("GD"),
        "2" => Some("SRV"),
        "3" => Some("CNST"),
        _ => None,
    }
}

/// The natures that are none of the four categories: sales, concessions, the rest.
pub const OTHER_NATURES: [&str; 5] = ["0", "5", "6", "7", "8"];

/// What a bid's figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Dollars,
    UsDollars,
    /// Dollars a year, a kilometre, a litre, an hour, a tonne …, or no money at all (%, points).
    Rate,
}

impl Unit {
    /// `0` stands where the unit was not asked for, which is dollars; `2` is dollars a year. A code that no table has is
    /// taken for a rate, which never makes a value of what is none.
    pub fn of(code: &str) -> Unit {
        match code.trim().trim_start_matches('0') {
            "" | "1" => Unit::Dollars,
            "7" => Unit::UsDollars,
            _ => Unit::Rate,
        }
    }
}

/// Whether the publisher's table has the unit, or none is given.
pub fn is_known_unit(code: &str) -> bool {
    let code = code.trim().trim_start_matches('0');
    code.is_empty() || code.parse().is_ok_and(|number: u8| (1..=12).contains(&number))
}

/// The table an export numbers the regions of delivery by. The publisher used two; they name the same regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regions {
    /// The one of its specification of 2014, which has no 10.
    Specified,
    /// Quebec's own numbers. 18 is none of them; the few notices that have it agree on no region.
    Administrative,
    /// Either, it is not known which: only what both have alike is told.
    Untold,
}

impl Regions {
    pub fn label(self, code: &str) -> Option<&'static str> {
        let own = match self {
            Regions::Specified => SPECIFIED_REGIONS,
            Regions::Administrative => ADMINISTRATIVE_REGIONS,
            Regions::Untold => &[],
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

const SPECIFIED_REGIONS: &[(&str, &str)] = &[
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

/// The legal ground of a contract without a public call: bodies that are not municipal.
#[rustfmt::skip]
pub const PROVINCIAL_GROUNDS: &[(&str, &str)] = &[
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

/// The same of municipal bodies.
#[rustfmt::skip]
pub const MUNICIPAL_GROUNDS: &[(&str, &str)] = &[
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

/// The label of the first of a field's codes that the table has.
pub fn label(table: &[(&'static str, &'static str)], code: &str) -> Option<&'static str> {
    table
        .iter()
        .find(|(known, _)| *known == code.trim())
        .map(|(_, label)| *label)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number by each table; `None` where it is none of the table's.
    #[test]
    fn a_number_is_another_region_in_each_table() {
        let told = |code| [Regions::Specified, Regions::Administrative, Regions::Untold].map(|table| table.label(code));
        for (code, specified, administrative) in [
            ("10", None, Some("Nord-du-Québec")),
            ("11", Some("Nord-du-Québec"), Some("Gaspésie–Îles-de-la-Madeleine")),
            ("14", Some("Laurentides"), Some("Lanaudière")),
            ("15", Some("Montérégie"), Some("Laurentides")),
            ("16", Some("Lanaudière"), Some("Montérégie")),
            ("18", Some("Gaspésie–Îles-de-la-Madeleine"), None),
            ("20", None, None),
        ] {
            assert_eq!(told(code), [specified, administrative, None], "{code}");
        }
        for (code, region) in [
            (" 3", "Capitale-Nationale"),
            ("12", "Chaudière-Appalaches"),
            ("19", "Hors Québec"),
        ] {
            assert_eq!(told(code), [Some(region); 3], "{code}");
        }
    }

    #[test]
    fn each_table_names_every_region_once() {
        for own in [SPECIFIED_REGIONS, ADMINISTRATIVE_REGIONS] {
            let mut regions: Vec<&str> = COMMON_REGIONS.iter().chain(own).map(|(_, region)| *region).collect();
            regions.sort_unstable();
            regions.dedup();
            assert_eq!(regions.len(), 18, "seventeen, and what lies outside Quebec");
        }
    }
}
