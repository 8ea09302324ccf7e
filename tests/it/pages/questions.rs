//! Everyday questions as people ask them with a browser, over the publishers' real records. A program recounts each
//! answer from the dumps.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use procure::{
    http::encoding::encode,
    model::{entity_type::EntityType, fold::fold},
};
use serde_json::Value;

use super::html::{between, text};
use crate::support::{TestServer, real_dumps};

/// The records of the dumps, each once.
pub(super) struct Dumps(Vec<(EntityType, Value)>);

impl Dumps {
    pub(super) fn read(folder: &Path) -> Dumps {
        let (mut records, mut known) = (Vec::new(), BTreeSet::new());
        for entity_type in EntityType::ALL {
            let Ok(files) = fs::read_dir(folder.join(entity_type.name())) else {
                continue;
            };
            for file in files {
                for line in fs::read_to_string(file.unwrap().path()).unwrap().lines() {
                    let record: Value = serde_json::from_str(line).unwrap();
                    if known.insert((entity_type, record["record_id"].as_str().unwrap().to_owned())) {
                        records.push((entity_type, record));
                    }
                }
            }
        }
        Dumps(records)
    }

    pub(super) fn of<'d>(
        &'d self,
        of: EntityType,
        accepts: impl Fn(&Value) -> bool + 'd,
    ) -> impl Iterator<Item = &'d Value> {
        let records = self.0.iter().filter(move |(entity_type, _)| *entity_type == of);
        records.map(|(_, record)| record).filter(move |record| accepts(record))
    }

    fn count(&self, of: EntityType, accepts: impl Fn(&Value) -> bool) -> u64 {
        self.of(of, accepts).count() as u64
    }

    /// The name with the largest sum of values, and the sum in cents.
    fn largest(&self, member: &str, accepts: impl Fn(&Value) -> bool) -> (String, i64) {
        let mut sums: BTreeMap<String, i64> = BTreeMap::new();
        for record in self.of(EntityType::Contract, accepts) {
            *sums.entry(fold(word(record, member))).or_default() += cents(record);
        }
        sums.remove("");
        sums.into_iter().max_by_key(|(_, sum)| *sum).unwrap()
    }
}

fn word<'r>(record: &'r Value, member: &str) -> &'r str {
    record[member].as_str().unwrap_or_default()
}

/// The value in Canadian dollars.
fn cents(record: &Value) -> i64 {
    let is_canadian = matches!(word(record, "currency"), "" | "CAD");
    if is_canadian { amount_in_cents(record) } else { 0 }
}

/// The value in the currency of the record, which is what a search for values compares.
fn amount_in_cents(record: &Value) -> i64 {
    (record["contract_value"].as_f64().unwrap_or_default() * 100.0).round() as i64
}

fn year(record: &Value) -> &str {
    let day = ["award_date", "publication_date"].map(|member| word(record, member));
    day.into_iter().find(|day| day.len() == 10).map_or("", |day| &day[..4])
}

/// The number at the beginning of the sentence of a search.
fn found(html: &str) -> u64 {
    let sentence = between(html, "<p class=\"lead\" role=\"status\">", "</p>")[0];
    let number = sentence.chars().take_while(|c| !c.is_alphabetic());
    number.filter(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

/// An amount as a page writes it, in cents.
fn amount(written: &str) -> i64 {
    let digits: String = written.chars().filter(|c| c.is_ascii_digit() || *c == '-').collect();
    digits.parse().unwrap()
}

/// The name and the amount of the first row of a chart of names.
fn first_of(html: &str, chart: &str) -> (String, i64) {
    let chart = html.split(&format!("id=\"{chart}\"")).nth(1).unwrap();
    let row = between(chart, "<tr>", "</tr>")
        .into_iter()
        .find(|row| row.contains("scope=\"row\""))
        .unwrap();
    let (name, figures) = row.split_once("</th>").unwrap();
    let first = between(figures, "\">", "</td>")[0];
    (fold(&text(name)), amount(first))
}

/// How many records a search finds, next to what the dumps have.
fn counts(dumps: &Dumps) -> Vec<(&'static str, &'static str, u64)> {
    use EntityType::{Contract, Disclosure, Tender};
    let of_year = |slug: &'static str, of: &'static str| {
        move |record: &Value| word(record, "municipality") == slug && year(record) == of
    };
    let worth = |from: i64, to: i64| {
        move |record: &Value| record["contract_value"].is_number() && (from..=to).contains(&amount_in_cents(record))
    };
    vec![
        (
            "What did Toronto award in 2024?",
            "/en/search?kind=contract&municipality=toronto&issued_after=2024&issued_before=2024",
            dumps.count(Contract, of_year("toronto", "2024")),
        ),
        (
            "Qu’est-ce que Montréal a accordé en 2014 ?",
            "/fr/search?kind=contract&municipality=montreal&issued_after=2014&issued_before=2014",
            dumps.count(Contract, of_year("montreal", "2014")),
        ),
        (
            "How many contracts do two cities have?",
            "/en/search?kind=contract&municipality=toronto,montreal",
            dumps.count(Contract, |record| {
                matches!(word(record, "municipality"), "toronto" | "montreal")
            }),
        ),
        (
            "Combien d’avis de biens ou de services ?",
            "/fr/search?kind=tender&category=GD,SRV",
            dumps.count(Tender, |record| {
                let mut codes = word(record, "procurement_category").split(',').map(str::trim);
                codes.any(|code| matches!(code, "GD" | "SRV"))
            }),
        ),
        (
            "Which contracts are worth one to ten million?",
            "/en/search?kind=contract&value_min=1000000&value_max=9999999.99",
            dumps.count(Contract, worth(100_000_000, 999_999_999)),
        ),
        (
            "Quels contrats valent moins de 10 000 $ ?",
            "/fr/search?kind=contract&value_max=9999.99",
            dumps.count(Contract, worth(i64::MIN, 999_999)),
        ),
        (
            "What do federal bodies disclose of 2024?",
            "/en/search?kind=disclosure&issued_after=2024&issued_before=2024",
            dumps.count(Disclosure, |record| year(record) == "2024"),
        ),
        (
            "Quels appels d’offres ont paru en 2018 ?",
            "/fr/search?kind=tender&issued_after=2018&issued_before=2018",
            dumps.count(Tender, |record| year(record) == "2018"),
        ),
    ]
}

#[test]
fn everyday_questions_are_answered_as_a_program_counts() {
    let Some(folder) = real_dumps() else {
        return;
    };
    let dumps = Dumps::read(folder);
    let server = TestServer::of_dumps(folder);
    for (question, path, expected) in counts(&dumps) {
        assert!(expected > 0, "{question}: the dumps have none");
        assert_eq!(found(&server.html(path, 200)), expected, "{question} {path}");
    }
    // Who got most? The chart answers, in both languages, over all names and by name.
    for (lang, slug) in [("en", "montreal"), ("fr", "toronto")] {
        let path = format!("/{lang}/search?kind=contract&municipality={slug}");
        let largest = dumps.largest("vendor_name", |record| word(record, "municipality") == slug);
        let by_name = server.html(&format!("{path}&spellings=true"), 200);
        assert_eq!(first_of(&by_name, "chart-suppliers"), largest, "{path}");
        let html = server.html(&path, 200);
        let (_, amount) = first_of(&html, "chart-suppliers");
        let chart = html.split("id=\"chart-suppliers\"").nth(1).unwrap();
        let id = between(chart, &format!("href=\"/{lang}/supplier/"), "\"")[0];
        let names = names_of(&server.get(&format!("/supplier/{id}")).json());
        let is_of =
            |record: &Value| word(record, "municipality") == slug && names.contains(&fold(word(record, "vendor_name")));
        let expected: i64 = dumps.of(EntityType::Contract, is_of).map(cents).sum();
        assert!(
            amount == expected && amount >= largest.1,
            "{path}: {amount}, {expected}, {largest:?}"
        );
    }
    // Nothing of Montréal in 2019 is covered: the page does not say zero without saying so.
    let uncovered = "municipality=montreal&issued_after=2019&issued_before=2019";
    for (lang, sentence) in [
        ("en", "The sources of this page do not cover"),
        ("fr", "Les sources de cette page"),
    ] {
        let html = server.html(&format!("/{lang}/search?kind=contract&{uncovered}"), 200);
        assert!(
            found(&html) == 0 && text(&html).contains(sentence),
            "{lang}: {}",
            text(&html)
        );
    }
    which_sold_more(&server, &dumps);
}

/// The folded names of a supplier.
fn names_of(supplier: &Value) -> BTreeSet<String> {
    let names = supplier["names"].as_array().unwrap().iter();
    names.map(|name| fold(name["name"].as_str().unwrap())).collect()
}

/// Which of two firms sold more? Over all their names.
fn which_sold_more(server: &TestServer, dumps: &Dumps) {
    let suppliers: Vec<Value> = ["deloitte", "bell canada"]
        .iter()
        .map(|words| {
            let listed = server.get(&format!("/suppliers?q={}&limit=1", encode(words))).json();
            let id = listed["results"][0]["id"].as_str().unwrap().to_owned();
            server.get(&format!("/supplier/{id}")).json()
        })
        .collect();
    let sold = |supplier: &Value| {
        let names = names_of(supplier);
        let is_of = |record: &Value| names.contains(&fold(word(record, "vendor_name")));
        dumps.of(EntityType::Contract, is_of).map(cents).sum::<i64>()
    };
    let ids: Vec<&str> = suppliers
        .iter()
        .map(|supplier| supplier["id"].as_str().unwrap())
        .collect();
    for (lang, label) in [("en", "Total value"), ("fr", "Valeur totale")] {
        let path = format!("/{lang}/compare/supplier?kind=contract&of={}&of={}", ids[0], ids[1]);
        let html = server.html(&path, 200);
        let row = html
            .split(&format!("<tr><th scope=\"row\">{label}</th>"))
            .nth(1)
            .unwrap();
        let row = row.split("</tr>").next().unwrap();
        let cells = between(row, "<td class=\"number\"", "</td>");
        let shown = |cell: &str| amount(cell.split_once("\">").unwrap().1.split("<small").next().unwrap());
        let expected: Vec<i64> = suppliers.iter().map(sold).collect();
        assert_eq!(cells.into_iter().map(shown).collect::<Vec<_>>(), expected, "{path}");
    }
    // A comparison is of all places; these are the contracts of one.
    let toronto = |record: &Value| word(record, "municipality") == "toronto";
    let html = server.html("/en/search?q=KPMG+vs+Ernst+%26+Young+Toronto", 200);
    for (name, folded) in [("KPMG", "kpmg"), ("Ernst &#38; Young", "ernst & young")] {
        let named = |record: &Value| toronto(record) && fold(word(record, "vendor_name")).contains(folded);
        let count = dumps.count(EntityType::Contract, named);
        let expected = format!(
            "“{name}” in the supplier’s name, Toronto</bdi></a> <small>Suppliers with these words in their names · {count} contracts"
        );
        assert!(html.contains(&expected), "{expected}");
    }
}
