//! What texts say: questions, names, periods and values in both languages.

use super::*;
use crate::question::entity_types::entity_types;

mod questions;

fn row(slug: &str, en: &str, fr: &str) -> Coverage {
    Coverage {
        name_en: Some(en.to_owned()),
        name_fr: Some(fr.to_owned()),
        ..Coverage::of_place(slug)
    }
}

#[test]
fn a_place_and_a_year_among_words_are_conditions() {
    let places = [
        row("montreal", "Montreal", "Montréal"),
        row("montreal-est", "Montréal-Est", "Montréal-Est"),
        row("quebec-city", "Quebec City", "Québec"),
        row("toronto", "Toronto", "Toronto"),
    ];
    let takes = |places, year| Takes {
        places,
        year,
        ..Takes::all_but_names()
    };
    let split = |text: &str| {
        let question = read(text, takes(&places, true))?;
        let place = question
            .place
            .map(|place| place.municipality.clone())
            .unwrap_or_default();
        let period = question.period.map(|period| period.label).unwrap_or_default();
        Some((question.words, place, period))
    };
    for (text, words, place, year) in [
        ("road works montreal", "road works", "montreal", ""),
        ("Who won paving in Toronto in 2015?", "paving", "toronto", "2015"),
        (
            "Combien la ville de Montréal a dépensé pour le déneigement ?",
            "déneigement",
            "montreal",
            "",
        ),
        ("pavage montréal-est", "pavage", "montreal-est", ""),
        ("pavage montréal est", "pavage", "montreal-est", ""),
        ("city planning quebec city 2019", "city planning", "quebec-city", "2019"),
        ("qui vend du sel de route", "sel de route", "", ""),
        ("how much did Acme get in 2018", "Acme", "", "2018"),
        (
            "À qui Montréal a-t-elle acheté du sel de route ?",
            "sel de route",
            "montreal",
            "",
        ),
        ("prix habituel d'un contrat de pavage", "pavage", "", ""),
        ("what is the price of asphalt in Toronto", "asphalt", "toronto", ""),
        ("price adjustment Toronto", "price adjustment", "toronto", ""),
        ("how many contracts did Acme Ltd get", "Acme Ltd", "", ""),
        ("contracts in Toronto 2015", "", "toronto", "2015"),
        ("2015 audit", "audit", "", "2015"),
        ("contracts in 2015", "", "", "2015"),
        ("contracts in Toronto", "", "toronto", ""),
        ("À qui Toronto achète-t-elle du sel ?", "sel", "toronto", ""),
        ("how many contracts did Toronto award in 2015", "", "toronto", "2015"),
        ("what does Toronto buy", "", "toronto", ""),
        ("prix du mazout", "mazout", "", ""),
        ("typical price of a photocopier", "photocopier", "", ""),
        ("median barrier Toronto", "median barrier", "toronto", ""),
        ("who sells median barrier in Toronto", "median barrier", "toronto", ""),
        ("moyenne tension Montréal", "moyenne tension", "montreal", ""),
        ("average paving price in Toronto", "paving", "toronto", ""),
        ("prix moyen du mazout", "mazout", "", ""),
        ("prix médian de sel", "sel", "", ""),
        ("dépenses de Toronto en 2015", "", "toronto", "2015"),
        ("architects hired by Toronto", "architects", "toronto", ""),
        ("IBM contracts", "IBM", "", ""),
        ("achats de mobilier", "mobilier", "", ""),
        ("price of d’asphalte", "asphalte", "", ""),
        ("fire truck purchases Toronto", "fire truck", "toronto", ""),
    ] {
        let expected = (words.to_owned(), place.to_owned(), year.to_owned());
        assert_eq!(split(text), Some(expected), "{text}");
    }
    for text in [
        "",
        "montreal",
        "2015",
        "in Toronto",
        "snow removal",
        "the bridge",
        "median barrier",
        "barrier typical",
        "\"snow\" montreal",
        "snow OR montreal",
        "snow -montreal",
        "?",
        "who won",
    ] {
        assert_eq!(split(text), None, "{text}");
    }
    // Conditions of the search stay words.
    assert_eq!(read("paving 2015", takes(&places, false)), None);
    assert_eq!(read("paving Toronto", takes(&[], true)), None);
    let question = read("paving Toronto 2015", takes(&places, false)).unwrap();
    assert_eq!((question.words.as_str(), question.period), ("paving 2015", None));
    // Two years are a period.
    let expected = ("audit".to_owned(), String::new(), "2015–2016".to_owned());
    assert_eq!(split("audit 2015 vs 2016"), Some(expected));
}

#[test]
fn a_method_and_open_tenders_among_words_are_conditions() {
    let places = [row("montreal", "Montreal", "Montréal")];
    let takes = Takes {
        places: &places,
        ..Takes::all_but_names()
    };
    for (text, words, without_competition, open) in [
        ("contrats de gré à gré, Montréal", "", true, false),
        ("gré à gré", "", true, false),
        ("déneigement de gré à gré", "déneigement", true, false),
        ("sole-source consulting", "consulting", true, false),
        ("no-bid contracts for consulting", "consulting", true, false),
        (
            "qui a gagné des contrats d’asphaltage de gré à gré",
            "asphaltage",
            true,
            false,
        ),
        ("who got contracts without competition for salt", "salt", true, false),
        ("logiciels sans appel d’offres", "logiciels", true, false),
        ("open tenders", "", false, true),
        ("which tenders are open for snow removal?", "snow removal", false, true),
        ("appels d'offres ouverts à Montréal, pavage", "pavage", false, true),
    ] {
        let question = read(text, takes).unwrap_or_default();
        let found = (question.words.as_str(), question.without_competition, question.open);
        assert_eq!(found, (words, without_competition, open), "{text}");
    }
    for (text, words, amended) in [
        ("amended contracts for software", "software", true),
        ("contrats modifiés", "", true),
        ("largest amendments", "", true),
        ("contrats avec avenants, Montréal", "", true),
        ("modified starch", "", false),
        ("amidon modifié Montréal", "amidon modifié", false),
        ("contrat modifié", "", true),
        ("amendments to contracts, Montréal", "", true),
        ("contracts with amendments, Montréal", "", true),
        ("contrats avec modifications", "", true),
        (
            "vehicle modifications contracts Montreal",
            "vehicle modifications",
            false,
        ),
        (
            "contrats de modifications mécaniques",
            "modifications mécaniques",
            false,
        ),
        ("soil amendment contracts", "soil amendment", false),
        ("largest building modifications", "building modifications", false),
    ] {
        let question = read(text, takes).unwrap_or_default();
        assert_eq!((question.words.as_str(), question.amended), (words, amended), "{text}");
    }
    // A search that has such a condition keeps the words as they are.
    let taken = Takes {
        competition: false,
        open: false,
        ..takes
    };
    let question = read("travaux de gré à gré, Montréal", taken).unwrap();
    assert_eq!(question.words, "travaux de gré à gré");
}

#[test]
fn words_for_extra_spending_ask_for_amended_contracts() {
    let takes = Takes::all_but_names();
    for (text, words, amended) in [
        ("largest cost overruns", "", true),
        ("contracts with cost overruns for bridges", "bridges", true),
        (
            "which contracts for snow removal went over budget?",
            "snow removal",
            true,
        ),
        ("paving contracts over budget", "paving", true),
        ("contracts with extra spending over $1 million", "", true),
        ("what is the extra spending of contracts?", "", true),
        ("contracts with overruns", "", true),
        ("contrats avec dépassements de coûts, pavage", "pavage", true),
        ("plus gros dépassements", "", true),
        ("contrats de pavage avec dépenses supplémentaires", "pavage", true),
        ("contrats avec dépense supplémentaire", "", true),
        ("quels contrats ont eu un dépassement de coût ?", "", true),
        ("runway overrun contracts", "runway overrun", false),
        ("contrats de voie de dépassement", "voie de dépassement", false),
        ("services supplémentaires, contrats", "services supplémentaires", false),
        ("extra large gloves contracts", "extra large gloves", false),
        ("budget contracts", "budget", false),
    ] {
        let question = read(text, takes).unwrap_or_default();
        assert_eq!((question.words.as_str(), question.amended), (words, amended), "{text}");
    }
}

#[test]
fn tenders_and_their_last_days_among_words_are_conditions() {
    let places = [row("toronto", "Toronto", "Toronto")];
    let takes = Takes {
        places: &places,
        ..Takes::all_but_names()
    };
    for (text, words, period, closing, open) in [
        ("tenders closing in March 2024", "", "March 2024", true, false),
        ("appels d’offres qui ferment en 2023", "", "2023", true, false),
        (
            "Which tenders for salt closed in Toronto in 2015?",
            "salt",
            "2015",
            true,
            false,
        ),
        ("open tenders closing in 2027", "", "2027", true, true),
        ("tenders for snow removal", "snow removal", "", false, false),
        ("appel d'offres pavage, mai 2016", "pavage", "mai 2016", false, false),
        ("tenders published since 2020", "", "since 2020", false, false),
        (
            "closed circuit television tenders 2016",
            "closed circuit television",
            "2016",
            false,
            false,
        ),
        ("tenders closing 2024 for salt", "salt", "2024", true, false),
    ] {
        let question = read(text, takes).unwrap_or_default();
        let label = question.period.map(|period| period.label).unwrap_or_default();
        let found = (
            question.words.as_str(),
            label.as_str(),
            question.period_of == PeriodOf::Closing,
            question.open,
        );
        assert_eq!(found, (words, period, closing, open), "{text}");
    }
    assert_eq!(read("tenders", takes), None);
    assert_eq!(entity_types("avis d’appel d’offres 2015"), [EntityType::Tender]);
    for text in ["logiciels sans appel d’offres", "clôture 2015"] {
        assert!(entity_types(text).is_empty(), "{text}");
    }
}

#[test]
fn a_level_the_end_of_contracts_and_an_entity_type_among_words_are_conditions() {
    let at = Takes {
        closing: false,
        ..Takes::all_but_names()
    };
    for (text, words, level, period, first) in [
        (
            "federal sole source 2024",
            "",
            Some("federal"),
            Some((PeriodOf::Records, "2024")),
            None,
        ),
        (
            "contrats fédéraux de logiciels",
            "logiciels",
            Some("federal"),
            None,
            Some(EntityType::Contract),
        ),
        (
            "Federal Contracts",
            "",
            Some("federal"),
            None,
            Some(EntityType::Contract),
        ),
        (
            "who paid Federal Express in 2023",
            "Federal Express",
            None,
            Some((PeriodOf::Records, "2023")),
            None,
        ),
        (
            "Federal Software Licences 2023",
            "Software Licences",
            Some("federal"),
            Some((PeriodOf::Records, "2023")),
            None,
        ),
        (
            "Federal Suppliers Of Salt 2023",
            "Suppliers Of Salt",
            Some("federal"),
            Some((PeriodOf::Records, "2023")),
            None,
        ),
        (
            "Contrats Fédéraux De Logiciels",
            "Logiciels",
            Some("federal"),
            None,
            Some(EntityType::Contract),
        ),
        (
            "federal and provincial contracts 2020",
            "federal and provincial",
            None,
            Some((PeriodOf::Records, "2020")),
            Some(EntityType::Contract),
        ),
        (
            "which contracts end in 2026",
            "",
            None,
            Some((PeriodOf::Ending, "2026")),
            Some(EntityType::Contract),
        ),
        (
            "contrats qui finissent en 2026 GRC",
            "GRC",
            None,
            Some((PeriodOf::Ending, "2026")),
            Some(EntityType::Contract),
        ),
        (
            "standing offers for paper",
            "paper",
            None,
            None,
            Some(EntityType::StandingOffer),
        ),
        (
            "average contract for paving 2017",
            "paving",
            None,
            Some((PeriodOf::Records, "2017")),
            Some(EntityType::Contract),
        ),
    ] {
        let question = read(text, at).unwrap_or_default();
        let period_of = question.period_of;
        let period_found = question.period.as_ref().map(|of| (period_of, of.label.as_str()));
        let found = (
            question.words.as_str(),
            question.level,
            period_found,
            question.wanted.first().copied(),
        );
        assert_eq!(found, (words, level, period, first), "{text}");
    }
}

#[test]
fn a_region_among_words_is_a_condition_where_no_municipality_is() {
    let places = [
        row("laval", "Laval", "Laval"),
        row("quebec-city", "Quebec City", "Québec"),
    ];
    let takes = Takes {
        places: &places,
        region: true,
        ..Takes::all_but_names()
    };
    for (text, words, expected) in [
        ("tenders in Nunavut", "", Some("Nunavut")),
        ("appels d'offres en Estrie ?", "", Some("Estrie")),
        (
            "pavage dans la région du Bas-Saint-Laurent, 2016",
            "pavage",
            Some("Bas-Saint-Laurent"),
        ),
        ("salt prince edward island", "salt", Some("prince edward island")),
        ("Eastern Townships", "", Some("Eastern Townships")),
        ("contracts in Quebec", "", Some("Quebec")),
        ("appels d’offres au Québec", "", Some("Québec")),
        ("sel à Québec", "sel", None),
        ("sel ville de Québec", "sel", None),
        ("paving in Laval in Ontario", "paving in Ontario", None),
        ("pavage Laval, Québec", "pavage", None),
        ("qui vend du sel au gouvernement du Québec", "sel", Some("Québec")),
        (
            "government office leasing in Nunavut",
            "government office leasing",
            Some("Nunavut"),
        ),
        ("a Quebec supplier of salt", "supplier of salt", Some("Quebec")),
        ("paving in Ontario and Quebec", "", None),
        ("9534-5322 Québec inc.", "", None),
        ("pavage Cantons-de-l’Est", "pavage", Some("Cantons-de-l’Est")),
        ("salt Newfoundland & Labrador", "salt", Some("Newfoundland & Labrador")),
    ] {
        let question = read(text, takes).unwrap_or_default();
        let found = (question.words.as_str(), question.region.as_deref());
        assert_eq!(found, (words, expected), "{text}");
    }
    assert_eq!(read("paving on demand", takes), None);
    for (text, level) in [
        ("qui vend du sel au gouvernement du Québec", Some("provincial")),
        ("Ontario government salt", Some("provincial")),
        ("government office leasing in Nunavut", None),
        ("government in Nunavut salt", None),
        ("federal and provincial government contracts in Quebec", None),
        ("federal and provincial governments of Quebec", None),
        ("federal government contracts in Quebec", Some("federal")),
    ] {
        assert_eq!(read(text, takes).unwrap().level, level, "{text}");
    }
}

#[test]
fn what_ends_or_closes_next_comes_first() {
    for (text, words, order, open) in [
        (
            "software contracts ending soon",
            "software",
            Some(["ending", "asc"]),
            false,
        ),
        (
            "contrats de sel qui se terminent bientôt",
            "sel",
            Some(["ending", "asc"]),
            false,
        ),
        ("tenders for salt closing soon", "salt", Some(["closing", "asc"]), true),
        ("salt closing in 2027", "salt", None, false),
    ] {
        let question = read(text, Takes::all_but_names()).unwrap();
        assert_eq!(
            (question.words.as_str(), question.order, question.open),
            (words, order, open),
            "{text}"
        );
    }
}

#[test]
fn values_and_an_order_among_words_are_conditions() {
    for (text, words, bounds, order) in [
        (
            "largest snow removal contracts",
            "snow removal",
            [None, None],
            Some("value"),
        ),
        (
            "Who are the biggest suppliers of salt?",
            "salt",
            [None, None],
            Some("value"),
        ),
        ("les plus gros contrats", "", [None, None], Some("value")),
        ("top soil suppliers since 2015", "top soil", [None, None], None),
        ("main street contractors since 2015", "main street", [None, None], None),
        ("smallest contracts of salt", "salt", [None, None], Some("value")),
        ("the oldest contracts of salt", "salt", [None, None], Some("date")),
        (
            "who are the top snow removal companies",
            "snow removal",
            [None, None],
            Some("value"),
        ),
        ("main street contracts since 2015", "main street", [None, None], None),
        ("derniers contrats de sel", "sel", [None, None], Some("date")),
        (
            "who won the last road salt contract",
            "road salt",
            [None, None],
            Some("date"),
        ),
        (
            "last mile delivery since 2015",
            "last mile delivery",
            [None, None],
            None,
        ),
        ("contrats de plus d’un million", "", [Some(1_000_000), None], None),
        ("salt under 50,000", "salt", [None, Some(50_000)], None),
        ("who are the top suppliers of salt", "salt", [None, None], Some("value")),
        ("principaux fournisseurs de sel", "sel", [None, None], Some("value")),
        ("top soil since 2015", "top soil", [None, None], None),
        ("top suppliers of salt", "salt", [None, None], Some("value")),
        (
            "quels sont les principaux fournisseurs de sel",
            "sel",
            [None, None],
            Some("value"),
        ),
        ("water main contracts", "water main", [None, None], None),
        ("gas main contractors since 2015", "gas main", [None, None], None),
        ("roof top suppliers since 2015", "roof top", [None, None], None),
        (
            "conduites principales contrats",
            "conduites principales",
            [None, None],
            None,
        ),
    ] {
        let question = read(text, Takes::all_but_names()).unwrap_or_default();
        let order_of = question.order.map(|[of, _]| of);
        let found = (
            question.words.as_str(),
            [question.value_min, question.value_max],
            order_of,
        );
        assert_eq!(found, (words, bounds, order), "{text}");
    }
    let taken = Takes {
        values: false,
        order: false,
        ..Takes::all_but_names()
    };
    assert_eq!(read("largest over 1,000,000", taken), None);
    // A name after an amount is not its unit.
    let places = [row("toronto", "Toronto", "Toronto")];
    let takes = Takes {
        places: &places,
        ..Takes::all_but_names()
    };
    let question = read("paving under 25,000 Toronto", takes).unwrap();
    assert_eq!((question.words.as_str(), question.value_max), ("paving", Some(25_000)));
}
