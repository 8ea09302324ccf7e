//! What class of public body a buyer is: a hospital, a university, a city. Publishers state only the level of
//! government; this table sorts bodies by words of their names.
//!
//! Health and social service institutions, universities, colleges, school boards and local governments are subsectors
//! of governments in Statistics Canada's *Canadian Classification of Institutional Units and Sectors* (2022). Transit
//! and housing are not: people ask for these bodies.

use crate::model::fold::fold;

/// The values of the filter by class.
pub(crate) const BODY_CLASSES: [&str; 8] = [
    "health",
    "university",
    "college",
    "school",
    "transit",
    "housing",
    MUNICIPALITY,
    OTHER,
];

/// Cities, counties, and boards of several of them.
const MUNICIPALITY: &str = "municipality";

/// Departments, agencies and all that the table has no words for, and every federal body.
const OTHER: &str = "other";

/// The words of a class, folded. A body belongs to the first class with whole words that are in its name.
const CLASSES: [(&str, &[&str]); 7] = [
    (
        OTHER,
        &[
            "assurance maladie",
            "cabinet",
            "college des medecins",
            "college of physicians",
            "department",
            "ministere",
            "ministry",
            "regie du batiment",
            "sante et de la securite",
            "sante et securite",
            "siq",
            "sqi",
        ],
    ),
    (
        "health",
        &[
            "agence de la sante",
            "approvisionnement de l ouest du quebec",
            "approvisionnement en commun",
            "approvisionnement laurentides lanaudiere",
            "approvisionnement monteregie",
            "cancer",
            "centre hospitalier",
            "centre integre universitaire",
            "centre jeunesse",
            "centres jeunesse",
            "chsld",
            "chu",
            "chum",
            "chuq",
            "cisss",
            "ciusss",
            "clsc",
            "covenant health",
            "crdi",
            "csss",
            "cusm",
            "de readaptation",
            "de services sociaux",
            "geriatrie",
            "health authority",
            "health centre",
            "health network",
            "health region",
            "health sciences centre",
            "health services",
            "hema quebec",
            "hopital",
            "hopitaux",
            "hospital",
            "hospitals",
            "institut de cardiologie",
            "institut philippe pinel",
            "jeunesse et de la famille",
            "institut universitaire de cardiologie",
            "medical centre",
            "sante et de services sociaux",
            "sante et des services sociaux",
            "sante et service sociaux",
            "sante et de service sociaux",
            "sante et services sociaux",
            "sante mentale",
            "sante publique",
            "sante quebec",
            "secteur de la sante",
            "service sante et sociaux",
            "sigmasante",
            "universitaire de sante",
            "urgences sante",
        ],
    ),
    (
        "university",
        &[
            "ecole de technologie superieure",
            "ecole des hautes etudes commerciales",
            "ecole nationale d administration publique",
            "ecole polytechnique",
            "hec montreal",
            "inrs",
            "institut national de la recherche scientifique",
            "polytechnique montreal",
            "tele universite",
            "teluq",
            "universite",
            "university",
            "uqam",
        ],
    ),
    (
        "school",
        &[
            "centre de services scolaire",
            "centres de services scolaires",
            "commission scolaire",
            "commission scolaires",
            "commissions scolaires",
            "conseil scolaire",
            "board of education",
            "catholic schools",
            "csdm",
            "public schools",
            "school authority",
            "school board",
            "school district",
            "school division",
            "taxe scolaire",
        ],
    ),
    (
        "college",
        &[
            "cegep",
            "cegeps",
            "college",
            "colleges",
            "institute of technology",
            "polytechnic",
        ],
    ),
    (
        "transit",
        &[
            "agence metropolitaine de transport",
            "autorite regionale de transport",
            "metrolinx",
            "reseau de transport",
            "societe de transport",
            "transit",
            "translink",
        ],
    ),
    (
        "housing",
        &[
            "community housing",
            "housing authority",
            "housing corporation",
            "office d habitation",
            "office municipal d habitation",
            "omh",
            "societe d habitation",
        ],
    ),
];

/// What the names of municipalities begin with, folded. The level of government states others.
const MUNICIPAL: [&str; 9] = [
    "city of",
    "county of",
    "mrc",
    "municipalite",
    "municipality of",
    "regional municipality of",
    "town of",
    "village of",
    "ville de",
];

/// The class of the body with a name, at a level of government.
pub(crate) fn class_of(name: &str, level: Option<&str>) -> &'static str {
    if level == Some("federal") {
        return OTHER;
    }
    let folded = format!(" {} ", fold(name));
    // "Ville de Montréal - Centre hospitalier"
    if MUNICIPAL.iter().any(|start| folded.starts_with(&format!(" {start} "))) {
        return MUNICIPALITY;
    }
    let is_in_name = |phrase: &str| folded.contains(&format!(" {phrase} "));
    // The department of a city is a part of it.
    let may_be = |class: &str| class != OTHER || level != Some("municipal");
    let named = CLASSES
        .iter()
        .filter(|(class, _)| may_be(class))
        .find(|(_, words)| words.iter().any(|phrase| is_in_name(phrase)));
    match named {
        Some((class, _)) => class,
        None if level == Some("municipal") => MUNICIPALITY,
        None => OTHER,
    }
}

/// The class of the buyer of a record, by the names that the record states: of its buyer, then of its departments.
/// `None` without a name.
pub(super) fn body_class<'t>(mut names: impl Iterator<Item = &'t str>, level: Option<&str>) -> Option<&'static str> {
    let name = names.find(|name| !name.trim().is_empty())?;
    Some(class_of(name, level))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_have_the_class_that_their_names_say() {
        for (name, level, expected) in [
            ("Centre universitaire de santé McGill", "provincial", "health"),
            (
                "Centre hospitalier de l'Université de Montréal (CHUM)",
                "provincial",
                "health",
            ),
            ("CHU Ste-Justine", "provincial", "health"),
            ("CIUSSS du Centre-Ouest-de-l'Île-de-Montréal", "provincial", "health"),
            (
                "Centre de santé et de services sociaux de Laval",
                "provincial",
                "health",
            ),
            ("Santé Québec Montérégie-Centre", "provincial", "health"),
            ("Alberta Health Services", "provincial", "health"),
            (
                "Groupe d'approvisionnement en commun de l'Est du Québec",
                "provincial",
                "health",
            ),
            ("Ministère de la Santé et des Services sociaux", "provincial", "other"),
            (
                "Commission de la santé et de la sécurité du travail",
                "provincial",
                "other",
            ),
            ("Régie de l'assurance maladie du Québec", "provincial", "other"),
            ("Health Canada", "federal", "other"),
            ("Université du Québec à Montréal", "provincial", "university"),
            ("HEC Montréal", "provincial", "university"),
            ("École Polytechnique", "provincial", "university"),
            ("University of Calgary", "provincial", "university"),
            ("Le Cégep régional de Lanaudière", "provincial", "college"),
            ("Champlain Regional College", "provincial", "college"),
            ("Northern Alberta Institute of Technology", "provincial", "college"),
            ("Commission scolaire de Montréal - BDA", "provincial", "school"),
            ("Centre de services scolaire des Samares", "provincial", "school"),
            ("Edmonton Public Schools", "provincial", "school"),
            ("École nationale de police du Québec", "provincial", "other"),
            ("Société de transport de Montréal", "municipal", "transit"),
            ("Ministère des Transports du Québec", "provincial", "other"),
            ("OMH de Montréal", "municipal", "housing"),
            ("Société d'habitation du Québec", "provincial", "housing"),
            ("Ville de Montréal", "municipal", "municipality"),
            ("City of Toronto", "municipal", "municipality"),
            ("Town of Olds", "provincial", "municipality"),
            (
                "Régie intermunicipale de police Thérèse-De Blainville",
                "municipal",
                "municipality",
            ),
            (
                "SQI - Direction immobilière - Centre-ville de Québec",
                "provincial",
                "other",
            ),
            ("Revenu Québec", "provincial", "other"),
            ("Chubb", "provincial", "other"),
            ("Corporation d'urgences-santé", "provincial", "health"),
            ("SQI - Bureau de projet CHU de Québec", "provincial", "other"),
            ("Fire Department", "municipal", "municipality"),
            ("Calgary Board of Education", "provincial", "school"),
            ("Collège des médecins du Québec", "provincial", "other"),
        ] {
            assert_eq!(body_class([name].into_iter(), Some(level)), Some(expected), "{name}");
        }
        assert!(CLASSES.iter().all(|(class, _)| BODY_CLASSES.contains(class)));
        assert_eq!(body_class(["", " ", "CHU"].into_iter(), None), Some("health"));
        assert_eq!(body_class([""].into_iter(), Some("municipal")), None);
    }
}
