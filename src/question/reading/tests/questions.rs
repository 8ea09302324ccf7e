//! What only asks, and what is left of a question.

use super::*;
use crate::{model::Date, question::entity_types::CONTRACT_TYPES};

#[test]
fn words_of_questions_are_not_searched_for() {
    for (text, words) in [
        ("median contract value 2023", ""),
        ("bridge repair 2015 who won", "bridge repair"),
        ("vaccines WHO 2015", "vaccines WHO"),
        ("what share of fuel contracts goes to Acme", "fuel Acme"),
        ("fire trucks price", "fire trucks"),
        ("total des contrats d'Acme", "Acme"),
        ("Acme contracts total", "Acme"),
        ("Acme total contracts", "Acme"),
        ("Acme contract original value", "Acme"),
        ("Acme Zenith total value", "Acme Zenith"),
        ("aviation fuel cost", "aviation fuel"),
        ("when did Acme last win a contract", "Acme"),
        ("salt trend over years", "salt"),
        ("évolution des contrats de sel par année", "sel"),
        ("architectes qui travaillent le plus pour Acme", "architectes Acme"),
        ("combien Acme a reçu de Zenith en 2009", "Acme Zenith"),
        (
            "Combien de contrats de déneigement le ministère des Transports a-t-il donnés en 2009 ?",
            "déneigement ministère des Transports",
        ),
        (
            "combien d’argent le ministère des Transports a dépensé en déneigement en 2009",
            "ministère des Transports déneigement",
        ),
        ("Dessau ou Roche, qui a vendu le plus en 2009 ?", "Dessau ou Roche"),
        ("Qui fait le déneigement ?", "déneigement"),
        ("À qui Acme achète-t-elle ses assurances ?", "Acme assurances"),
        (
            "combien de contrats Acme a-t-elle signés avec Bilodeau Baril",
            "Acme Bilodeau Baril",
        ),
        ("qui a perdu le plus souvent contre Pavex", "Pavex"),
        ("y a-t-il d’autres soumissionnaires pour 1177943", "1177943"),
        ("travaux d’égouts, quel entrepreneur", "travaux d’égouts"),
        ("did anyone bid on garbage collection", "garbage collection"),
        ("Depuis quand Olympus vend-il ?", "Olympus"),
        ("combien coûte l’asphalte acheté par une ville", "asphalte"),
        ("competitors of Acme", "Acme"),
        ("entreprises de sel qui soumissionnent sans gagner", "sel"),
        ("Which school board bought the most roof repairs?", "roof repairs"),
        (
            "qui vend des services au centre de données",
            "services au centre de données",
        ),
        (
            "how much was spent on the Centre de la petite enfance",
            "Centre de la petite enfance",
        ),
        ("water spending by year", "water"),
        ("dépenses en sel par année", "sel"),
        ("how much money did Acme get in 2009", "Acme"),
        ("sans appel d'offres ou appel d'offres", ""),
        ("salt sole source vs competitive", "salt"),
        ("valeur médiane contrats de sel", "sel"),
        ("goods received 2015", "goods received"),
        ("who supplied Value Village", "Value Village"),
        ("latest value engineering studies", "value engineering studies"),
        ("bijoux en or 2018", "bijoux en or"),
        ("médailles d'or 2015", "médailles d'or"),
        ("Combien de fournisseurs Acme a-t-elle eus en 2009 ?", "Acme"),
        ("Combien a été versé à Acme ?", "Acme"),
        ("quels contrats ont été octroyés, conclus ou obtenus par Acme", "Acme"),
        (
            "Avec quelles firmes d'ingénierie Acme a-t-elle fait affaire ?",
            "ingénierie Acme",
        ),
        (
            "Toutes les dépenses d’Acme pour des véhicules",
            "Acme pour des véhicules",
        ),
        ("Où le déneigement coûte-t-il le plus cher ?", "déneigement"),
        ("Auprès de qui Acme se procure-t-elle son bitume ?", "Acme bitume"),
        ("Montrez-moi tous les contrats conclus avec Acme", "Acme"),
        ("who keeps winning salt contracts right now", "salt"),
        ("Could you tell me what Acme has been paying for salt?", "Acme salt"),
        ("Whom did Acme hire for salt?", "Acme salt"),
        ("please show me the contracts that Acme signed", "Acme"),
        ("How many times has Acme supplied salt?", "Acme salt"),
        ("share of salt contracts awarded to Acme", "salt Acme"),
        ("part des contrats de sel d’Acme", "sel d’Acme"),
        ("spare part contracts 2015", "spare part"),
        ("garbage can contracts 2015", "garbage can"),
        ("stabiliser quel versant", "stabiliser versant"),
    ] {
        let question = read(text, Takes::all_but_names()).unwrap();
        assert_eq!(question.words, words, "{text}");
    }
}

#[test]
fn one_record_of_an_order_is_of_its_type_and_a_clause_leaves_no_word() {
    for (text, words, wanted) in [
        ("newest tender for salt", "salt", &[EntityType::Tender][..]),
        ("largest award salt", "salt", &[EntityType::Award]),
        ("largest call centre supplier", "call centre", &[]),
        ("largest call centre contracts", "call centre", CONTRACT_TYPES),
        ("contracts awarded by open tender", "open tender", CONTRACT_TYPES),
        ("tender for salt", "tender for salt", &[]),
    ] {
        let question = read(text, Takes::all_but_names());
        let found = question
            .as_ref()
            .map_or((text, &[][..]), |of| (of.words.as_str(), of.wanted));
        assert_eq!(found, (words, wanted), "{text}");
    }
    let text = "federal contracts that were amended the most";
    let question = read(text, Takes::all_but_names()).unwrap();
    assert!(question.amended && question.words.is_empty(), "{question:?}");
    let question = read("sole source bike share contracts", Takes::all_but_names()).unwrap();
    assert_eq!(
        (question.asks_for_share, question.words.as_str()),
        (false, "bike share")
    );
    let question = read("contrats de l'Union des municipalités en 2009", Takes::all_but_names()).unwrap();
    assert_eq!(
        (question.level, question.words.as_str()),
        (None, "Union des municipalités")
    );
    let text = "sole source share of salt";
    let question = read(text, Takes::all_but_names()).unwrap();
    let found = (
        question.without_competition,
        question.asks_for_share,
        question.words.as_str(),
    );
    assert_eq!(found, (true, true, "salt"));
    let text = "school boards number of contracts";
    let question = read(text, Takes::all_but_names()).unwrap();
    assert_eq!((question.body_class, question.words.as_str()), (Some("school"), ""));
}

#[test]
fn the_subject_of_a_question_is_its_names_and_things() {
    for (text, expected) in [
        ("how much did Acme get in 2018", Some("Acme")),
        ("acme 2024", Some("acme")),
        ("who won paving in Toronto in 2015?", Some("paving in Toronto")),
        ("which tenders are open in Toronto?", Some("Toronto")),
        ("largest tenders in Estrie", Some("Estrie")),
        ("Acme", None),
        ("open tenders", None),
        ("2018", None),
        ("who won", None),
    ] {
        assert_eq!(subject(text, None).as_deref(), expected, "{text}");
    }
}

#[test]
fn which_city_and_which_tenders_are_open_are_conditions() {
    let takes = Takes::all_but_names();
    for (text, words) in [
        ("which city pays most for snow clearing", "snow clearing"),
        ("How much do cities pay for asphalt?", "asphalt"),
        ("Quelle ville paie le plus cher le sel ?", "sel"),
        ("Les villes achètent-elles du sel ?", "sel"),
        ("contrats de sel des villes en 2009", "sel"),
    ] {
        let question = read(text, takes).unwrap();
        assert_eq!(
            (question.words.as_str(), question.level),
            (words, Some("municipal")),
            "{text}"
        );
    }
    for text in ["aid to cities contracts", "which city gets federal salt"] {
        assert_ne!(read(text, takes).unwrap().level, Some("municipal"), "{text}");
    }
    for (text, words) in [
        ("Which salt tenders are open right now?", "salt"),
        ("Which tenders for salt are still open?", "salt"),
        ("Quels appels d'offres de sel sont ouverts en ce moment ?", "sel"),
        ("electrical jobs open right now", "electrical"),
        ("open paving opportunities", "paving"),
        ("contrats de peinture ouverts", "peinture"),
    ] {
        let question = read(text, takes).unwrap();
        assert_eq!((question.words.as_str(), question.open), (words, true), "{text}");
    }
    for text in ["which parks are open", "open source software contracts", "open houses"] {
        assert!(!read(text, takes).unwrap_or_default().open, "{text}");
    }
}

#[test]
fn what_is_bought_is_no_part_of_a_question() {
    let takes = Takes::all_but_names();
    for (text, words) in [
        ("how much is IT support", "IT support"),
        ("combien coûte le stationnement payant", "stationnement payant"),
        ("qui a remplacé le toit existant", "remplacé toit existant"),
    ] {
        let question = read(text, takes).unwrap_or_default();
        assert_eq!(question.words, words, "{text}");
    }
}

#[test]
fn most_contracts_are_a_number_and_firms_at_the_end_are_asked_for() {
    let of = |text: &str| {
        let question = read(text, Takes::all_but_names());
        question.map(|question| (question.words, question.by_number))
    };
    for (text, words, by_number) in [
        ("who won the most snow removal contracts", "snow removal", true),
        ("qui a obtenu le plus de contrats de déneigement", "déneigement", true),
        (
            "who won the most money in snow removal contracts",
            "snow removal",
            false,
        ),
        ("most expensive snow removal contracts", "snow removal", false),
        ("body armour suppliers", "body armour", false),
        ("classement des fournisseurs de sel", "sel", false),
        ("qui vend des systèmes de classement", "systèmes de classement", false),
        ("how many contracts does Acme have", "Acme", false),
    ] {
        assert_eq!(of(text), Some((words.to_owned(), by_number)), "{text}");
    }
    assert_eq!(of("suppliers"), None);
}

#[test]
fn a_share_is_that_of_the_records_with_the_other_conditions() {
    let text = "share of salt contracts over $25,000 without competition";
    let question = read(text, Takes::all_but_names()).unwrap();
    let all = question.of_all().unwrap();
    assert!(question.without_competition && !all.without_competition);
    assert!(question.value_min.is_some() && all.value_min == question.value_min);
}

#[test]
fn a_share_is_asked_for_by_its_words() {
    for (text, asks) in [
        ("share of salt contracts without competition", true),
        ("quelle part des contrats de sel est de gré à gré", true),
        ("what percentage of contracts were amended", true),
        ("spare part contracts without competition", false),
        ("salt contracts without competition", false),
    ] {
        let question = read(text, Takes::all_but_names()).unwrap();
        assert_eq!(question.asks_for_share, asks, "{text}");
    }
}

#[test]
fn revenue_and_growth_are_asked_for_at_the_end_only() {
    for (text, words) in [
        ("how did the revenue of Acme grow", "Acme"),
        ("Acme revenue growth by year", "Acme"),
        ("how did Acme revenue from government grow", "Acme"),
        ("who sells growth hormone", "growth hormone"),
        ("who buys revenue management software", "revenue management software"),
        ("who bought from government buildings", "government buildings"),
    ] {
        let question = read(text, Takes::all_but_names()).unwrap_or_default();
        assert_eq!(question.words, words, "{text}");
    }
    let question = read(
        "how much did Acme get from the Government of Canada",
        Takes::all_but_names(),
    )
    .unwrap();
    assert_eq!((question.level, question.words.as_str()), (Some("federal"), "Acme"));
    let question = read("parking meter revenue 2015", Takes::all_but_names()).unwrap();
    assert_eq!(question.words, "parking meter revenue");
}

#[test]
fn firms_of_a_trade_are_what_they_do() {
    for (text, trade) in [
        ("firmes de génie", "génie"),
        ("entreprises d'excavation", "excavation"),
        ("firms", "firms"),
        ("law firms", "law firms"),
        ("suppliers day", "suppliers day"),
    ] {
        assert_eq!(without_firms(text.to_owned()), trade, "{text}");
    }
}

#[test]
fn what_was_spent_is_asked_of_contracts() {
    for (text, types) in [
        ("how much did Acme pay and what was spent", CONTRACT_TYPES),
        ("combien la ville a dépensé en sel", CONTRACT_TYPES),
        ("spend analytics software", &[]),
        ("how much for open tenders was spent", &[EntityType::Tender]),
    ] {
        assert_eq!(entity_types(text), types, "{text}");
    }
}

#[test]
fn ends_of_contracts_are_asked_for_by_a_time_to_come() {
    let takes = Takes {
        today: Date::parse("2026-11-29").unwrap(),
        ..Takes::all_but_names()
    };
    for (text, words, period) in [
        (
            "software contracts ending in the next 3 months",
            "software",
            (PeriodOf::Ending, "2026-11-29", "2027-02-28"),
        ),
        (
            "contrats de logiciels qui finissent d’ici mars 2027",
            "logiciels",
            (PeriodOf::Ending, "2026-11-29", "2027-03-31"),
        ),
        (
            "contracts expiring before March 2027",
            "",
            (PeriodOf::Ending, "2026-11-29", "2027-02-28"),
        ),
        (
            "tenders closing within 10 days",
            "",
            (PeriodOf::Closing, "2026-11-29", "2026-12-09"),
        ),
        (
            "salt tenders due in 10 days",
            "salt",
            (PeriodOf::Closing, "2026-11-29", "2026-12-09"),
        ),
        (
            "contracts that expire in 6 months",
            "",
            (PeriodOf::Ending, "2026-11-29", "2027-05-29"),
        ),
        (
            "salt contracts ending in 2027",
            "salt",
            (PeriodOf::Ending, "2027", "2027"),
        ),
        (
            "salt contracts of the last five years",
            "salt",
            (PeriodOf::Records, "2021-11-29", "2026-11-29"),
        ),
    ] {
        let question = read(text, takes).unwrap_or_default();
        let found = question.period.as_ref().map(|of| {
            let last = of.last.as_deref().unwrap_or_default();
            (question.period_of, of.first.as_str(), last)
        });
        assert_eq!((question.words.as_str(), found), (words, Some(period)), "{text}");
    }
}
