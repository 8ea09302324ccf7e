//! Buyers as the data names them, homonyms, every row of the table, and random text.

use proptest::prelude::*;

use super::{
    super::{QUEBEC_MUNICIPAL, is_unknown_city},
    *,
};

/// Buyers' names as in the data, the city of their address, and the expected slug.
const QUEBEC: &[(&str, &str, &str)] = &[
    // A city's government, in every way its name is written.
    ("Ville de Montréal - Arrondissement de Lachine", "Lachine", "montreal"),
    ("Ville De Montréal / SITE", "", "montreal"),
    ("Ville de Montréal Service de l'eau", "", "montreal"),
    ("Ville de Montréal-Est", "Montréal-Est", "montreal-est"),
    ("Ville d'Acton Vale.", "Acton Vale", "acton-vale"),
    ("Ville de Ville-Marie .", "", "ville-marie"),
    ("Ville de l'Île-Perrot", "L'Ile-Perrot", "l-ile-perrot"),
    ("Ville de la Malbaie", "", "la-malbaie"),
    ("Ville de St-Jérôme", "", "saint-jerome"),
    ("Ville de Sorel-Tracy (approvisionnement)", "", "sorel-tracy"),
    ("City of Westmount", "", "westmount"),
    ("Cité de Dorval", "", "dorval"),
    (
        "Corporation municipale de la paroisse de Lac-aux-Sables",
        "",
        "lac-aux-sables",
    ),
    ("Saguenay", "", "saguenay"),
    ("Municipalité  des Iles-de-la-Madeleine", "", "les-iles-de-la-madeleine"),
    ("Municipalité de la Paroisse de Lac-aux-Sables", "", "lac-aux-sables"),
    (
        "Municipalité du Village de Chute-aux-Outardes",
        "",
        "chute-aux-outardes",
    ),
    ("Municipalité du canton de Cleveland", "", "cleveland"),
    ("Cantons-Unis de Stoneham-et-Tewkesbury", "", "stoneham-et-tewkesbury"),
    ("Village nordique de Kuujjuaq", "", "kuujjuaq"),
    ("Ville de Lac-Delage", "", "lac-delage"),
    // The name counts before the address, which may be in a neighbouring town.
    ("Municipalité d'Upton.", "Saint-Hyacinthe", "upton"),
    (
        "Ville de Sainte-Anne-des-Plaines.",
        "Montréal",
        "sainte-anne-des-plaines",
    ),
    // A dash that belongs to the name.
    ("Municipalité de Saint-Côme - Linière", "", "saint-come-liniere"),
    ("Ville de Saint-Lin–Laurentides", "", "saint-lin-laurentides"),
    // Of Quebec, not of the larger city elsewhere.
    ("Ville de Windsor", "", "windsor-qc"),
    ("Ville de Richmond", "", "richmond-qc"),
    ("Canton de Stratford", "", "stratford"),
    // Merged, renamed, boroughs.
    ("Ville Asbestos", "Asbestos", "val-des-sources"),
    ("Municipalité de Laverlochère", "Laverlochère", "laverlochere-angliers"),
    (
        "Municipalité Saint-Mathieu-de-Laprairie",
        "Saint-Mathieu",
        "saint-mathieu",
    ),
    ("Paroisse de L'Épiphanie", "", "l-epiphanie"),
    ("Municipalité du village d'Hébertville-Station", "", "hebertville"),
    ("Municipalité de Saint-Faustin--Lac-Carré", "", "mont-blanc"),
    ("Ville de Chicoutimi", "", "saguenay"),
    ("Arrondissement de Ville-Marie", "", "montreal"),
    ("Arrondissement Saint-Laurent", "", "montreal"),
    // Homonyms, by their designation; the name alone means the first.
    ("Ville de Disraeli", "", "disraeli"),
    ("Paroisse de Disraeli", "Disraeli", "disraeli-paroisse"),
    ("Municipalité de la paroisse de Disraeli", "", "disraeli-paroisse"),
    ("Municipalité de Disraeli", "", "disraeli-paroisse"),
    (
        "Municipalité Paroisse Notre-Dame-du-Bon-Conseil",
        "",
        "notre-dame-du-bon-conseil-paroisse",
    ),
    (
        "Municipalité du village de Notre-Dame-du-Bon-Conseil",
        "",
        "notre-dame-du-bon-conseil",
    ),
    ("Municipalité de Saint-Donat", "Saint-Donat", "saint-donat"),
    ("Municipalité de la paroisse de Saint-Donat", "", "saint-donat-paroisse"),
    ("Canton de Hatley", "", "hatley-canton"),
    ("Municipalité de Saint-Simon", "", "saint-simon"),
    (
        "Municipalité de la paroisse de Saint-Simon",
        "",
        "saint-simon-de-rimouski",
    ),
    ("Office municipal d'habitation de Stanstead", "", "stanstead"),
    ("Régie du lac", "Clermont", "clermont"),
    // Homonyms with the same designation: neither the name nor a neighbouring address identifies
    // one.
    ("Municipalité de L'Ange-Gardien", "Gatineau", QUEBEC_MUNICIPAL),
    ("Municipalité de Saint-Elzéar", "Saint-Elzéar", QUEBEC_MUNICIPAL),
    (
        "Municipalité de Saint-Elzéar (Bonaventure)",
        "",
        "saint-elzear-bonaventure",
    ),
    ("Municipalité d'Ange-Gardien", "", "ange-gardien"),
    // Bodies of one city.
    ("Société de transport de Laval", "", "laval"),
    ("Société de transport du Saguenay", "", "saguenay"),
    ("Société de transport de l'Outaouais", "", "gatineau"),
    ("Réseau de transport de la Capitale.", "", "quebec"),
    ("OMH de Montréal.", "", "montreal"),
    ("OMH de Victoriaville . Warwick", "", "victoriaville"),
    ("Service de police de la Ville de Montréal", "", "montreal"),
    ("Bibliothèque de la Ville de Rosemère", "", "rosemere"),
    ("SPVM", "", "montreal"),
    // Bodies of several cities: the city of their address, never the one that their name resembles.
    ("MRC de Coaticook.", "Coaticook", "coaticook"),
    ("MRC de Montcalm", "Sainte-Julienne", "sainte-julienne"),
    ("MRC de Montcalm", "", QUEBEC_MUNICIPAL),
    ("Municipalité régionale de comté de Lotbinière", "", QUEBEC_MUNICIPAL),
    (
        "Municipalité régionale de comté de Marguerite-D'Youville",
        "Verchères",
        "vercheres",
    ),
    (
        "Régie régionale de gestion des matières résiduelles de Portneuf",
        "",
        QUEBEC_MUNICIPAL,
    ),
    ("Communauté métropolitaine de Montréal", "", QUEBEC_MUNICIPAL),
    // Nothing identifies a city.
    ("Régie d'aqueduc de Grand Pré", "", QUEBEC_MUNICIPAL),
    ("Ville de Nulle-Part", "", QUEBEC_MUNICIPAL),
    ("Ville de Toronto", "Toronto", QUEBEC_MUNICIPAL),
    ("Ville", "", QUEBEC_MUNICIPAL),
    ("", "", QUEBEC_MUNICIPAL),
    (" - ", "…", QUEBEC_MUNICIPAL),
];

#[test]
fn a_quebec_buyer_has_a_city() {
    for (name, city, slug) in QUEBEC {
        assert_eq!(of_quebec_buyer(name, city), *slug, "{name}, {city}");
    }
}

#[test]
fn a_buyer_elsewhere_has_a_city() {
    for (province, name, slug) in [
        ("ON", "City of Toronto", "toronto"),
        ("ON", "The Corporation of the City of Waterloo", "waterloo-on"),
        ("ON", "City of Greater Sudbury", "sudbury"),
        ("ON", "Ville du Grand Sudbury", "sudbury"),
        ("ON", "Town of Oakville", "oakville"),
        ("ON", "Toronto Public Library", "on-municipal"),
        ("ON", "Region of Peel", "on-municipal"),
        ("ON", "Regional Municipality of Waterloo", "on-municipal"),
        ("MB", "Rural Municipality of Portage la Prairie", "mb-municipal"),
        ("NS", "Municipality of the District of Yarmouth", "ns-municipal"),
        ("NS", "Municipality of the County of Antigonish", "ns-municipal"),
        ("NS", "Regional Municipality of Halifax", "halifax"),
        ("ON", "Ville de Montréal", "on-municipal"),
        ("NS", "Halifax Regional Municipality", "halifax"),
        ("NS", "Town of Truro", "truro"),
        ("NS", "Town of Amherst", "amherst-ns"),
        ("NL", "City of St. John's", "saint-john-s"),
        ("NB", "City of Saint John", "saint-john"),
        ("NB", "Grand-Sault", "grand-falls"),
        ("BC", "District of North Vancouver", "north-vancouver-district"),
        ("BC", "City of North Vancouver", "north-vancouver"),
        ("AB", "City of St. Albert", "saint-albert-ab"),
        ("XX", "City of Toronto", QUEBEC_MUNICIPAL),
    ] {
        assert_eq!(of_buyer(province, name, ""), slug, "{name}");
    }
}

#[test]
fn every_city_is_found_by_its_names() {
    for row in TABLE.values().filter(|row| row.is_city()) {
        let city = |name: &str| of_buyer(&row.province, name, "");
        assert_eq!(city(&row.name_fr), row.slug);
        assert_eq!(city(&row.name_en), row.slug);
        if row.designation.is_empty() {
            for name in row.names() {
                assert_eq!(city(name), row.slug, "{name}");
                assert_eq!(city(&format!("Municipalité de {name}")), row.slug, "{name}");
                assert_eq!(of_buyer(&row.province, "", name), row.slug, "{name}");
            }
        }
    }
}

#[test]
fn a_homonym_is_found_by_its_designation_or_is_unknown() {
    let mut found = 0;
    for row in TABLE.values().filter(|row| !row.designation.is_empty()) {
        let short = row.name_en.split(" (").next().unwrap();
        let slug = of_buyer(&row.province, &format!("{} {short}", row.designation), "");
        assert!(slug == row.slug || is_unknown_city(slug), "{row:?}: {slug}");
        found += usize::from(slug == row.slug);
    }
    assert!(found > 40, "{found}");
}

proptest! {
    #[test]
    fn every_slug_found_is_in_the_table(
        province in "QC|ON|NS|[A-Z]{0,2}",
        name in "((Ville|Municipalité|Paroisse|Village|MRC|OMH|City|Service|of|the|de|du|des|la|l'|d'|-|–|\\(|/|\\.|Saint|Montréal|Ville-Marie|Disraeli) ?){0,8}|\\PC{0,40}",
        city in "Montréal|Saint-Elzéar|\\PC{0,20}",
    ) {
        let slug = of_buyer(&province, &name, &city);
        let row = by_slug(slug).expect("a slug of the table");
        prop_assert!(row.province == province || slug == QUEBEC_MUNICIPAL, "{slug}");
    }
}

#[test]
fn a_city_is_named_in_several_forms_but_not_by_its_parts() {
    let slugs = |name: &str| {
        named_cities(name)
            .iter()
            .map(|city| city.slug.as_str())
            .collect::<Vec<_>>()
    };
    for name in [
        "Ville de Montréal",
        "City of Montréal",
        "Montréal (Ville)",
        "MONTREAL",
        "Corporation of the City of Montréal",
    ] {
        assert_eq!(slugs(name), ["montreal"], "{name}");
    }
    assert_eq!(
        slugs("Municipalité des Îles-de-la-Madeleine"),
        ["les-iles-de-la-madeleine"]
    );
    assert_eq!(slugs("Ville de La Tuque"), ["la-tuque"]);
    for name in [
        "Ville de Lachine",
        "Ville de Montréal - Arrondissement de Lachine",
        "Service de police de la Ville de Montréal",
        "MRC de Montcalm",
        "Université de Montréal",
        "Ville",
        "",
    ] {
        assert!(slugs(name).is_empty(), "{name}");
    }
}
