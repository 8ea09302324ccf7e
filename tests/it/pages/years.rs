//! Several years among the words of a search: the period and the figures of each year.

use std::sync::LazyLock;

use procure::{http::encoding::encode, model::entity_type::EntityType};
use serde_json::json;

use super::html::{assert_shows, between};
use crate::support::TestServer;

/// The year and the value of each disclosure, and what was bought.
const BOUGHT: [(i32, f64, &str); 6] = [
    (2022, 10.0, "Diesel fuel"),
    (2023, 100.0, "Diesel fuel"),
    (2023, 200.0, "Nets"),
    (2024, 1_000.0, "Diesel fuel"),
    // The words find this record, but it is not all of both years.
    (2024, 2_000.0, "Nets of 2023 and 2024"),
    (2026, 5.0, "Nets"),
];

static SERVER: LazyLock<TestServer> = LazyLock::new(|| {
    let disclosure = |(number, (year, value, title)): (usize, &(i32, f64, &str))| {
        let record = json!({
            "record_id": format!("d{number}"), "municipality": "federal", "award_date": format!("{year}-03-04"),
            "department_en": "Fisheries and Oceans Canada", "department_fr": "Pêches et Océans Canada",
            "vendor_name": "Acme Marine", "description_en": title, "contract_value": value,
        });
        (EntityType::Disclosure, record.to_string())
    };
    TestServer::own(&BOUGHT.iter().enumerate().map(disclosure).collect::<Vec<_>>(), |_| {})
});

fn answer<'h>(question: &str, html: &'h str) -> &'h str {
    let shown = between(html, "<div role=\"status\">", "</section>");
    shown
        .first()
        .unwrap_or_else(|| panic!("{question} has no answer: {html}"))
}

#[test]
fn several_years_are_a_period_with_the_figures_of_each() {
    let of_two = [
        "2023–2024",
        "worth $3,300, 2023–2024",
        "By year",
        "2023 2 $300.00 2024 2 $3,000.00",
    ];
    let of_three = [
        "2022–2024",
        "2022 (no source covers this year) 1 $10.00 2023 2 $300.00 2024 2 $3,000.00",
    ];
    let fuel = ["fuel", "2023 1 $100.00 2024 1 $1,000.00"];
    for (question, shown) in [
        (
            "how much did Fisheries and Oceans Canada spend in 2023 vs 2024",
            &of_two[..],
        ),
        ("Fisheries and Oceans Canada 2023 2024", &of_two),
        ("Fisheries and Oceans Canada 2024 versus 2023", &of_two),
        ("Fisheries and Oceans Canada spending in 2023 and in 2024", &of_two),
        ("Fisheries and Oceans Canada between 2022 and 2024", &of_three),
        ("Fisheries and Oceans Canada 2022, 2023 or 2024", &of_three),
        // All years of a period are stated, also one without data.
        (
            "Fisheries and Oceans Canada 2024 vs 2026",
            &[
                "2024–2026",
                "2024 2 $3,000.00 2025 no data – 2026 (no source covers this year) 1 $5.00",
            ],
        ),
        ("Fisheries and Oceans Canada fuel 2023 2024", &fuel),
    ] {
        let html = SERVER.html(&format!("/en/search?q={}", encode(question)), 200);
        assert_shows(answer(question, &html), shown);
    }
    for (question, shown) in [
        (
            "combien Pêches et Océans Canada a dépensé en 2023 ou 2024",
            "2023 2 300,00 $ 2024 2 3 000,00 $",
        ),
        (
            "Pêches et Océans Canada de 2022 à 2024",
            "2022 (aucune source ne couvre cette année) 1 10,00 $ 2023 2 300,00 $ 2024 2 3 000,00 $",
        ),
        (
            "Pêches et Océans Canada 2023 contre 2024",
            "2023 2 300,00 $ 2024 2 3 000,00 $",
        ),
    ] {
        let html = SERVER.html(&format!("/fr/search?q={}", encode(question)), 200);
        assert_shows(answer(question, &html), &["Par année", shown]);
    }
    // A row leads to the records of its year.
    let html = SERVER.html("/en/search?q=Fisheries+and+Oceans+Canada+2023+2024", 200);
    let year = "issued_after=2023-01-01&#38;issued_before=2023-12-31";
    assert!(html.contains(year), "{html}");
    // One year has no such table.
    let html = SERVER.html("/en/search?q=Fisheries+and+Oceans+Canada+2023", 200);
    assert!(!html.contains("answer-years"), "{html}");
}
