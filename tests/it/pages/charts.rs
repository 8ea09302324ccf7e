//! Charts in pages: every drawing has a name, ids are unique, nothing has an inline style or script, and hostile texts
//! of records stay texts.

use std::collections::BTreeSet;

use procure::model::entity_type::EntityType;
use serde_json::{Value, json};

use crate::support::TestServer;

/// A start tag: its name and its attributes as written.
struct Tag<'a> {
    name: &'a str,
    attributes: &'a str,
}

impl<'a> Tag<'a> {
    fn attribute(&self, name: &str) -> Option<&'a str> {
        let (_, rest) = self.attributes.split_once(&format!(" {name}=\""))?;
        rest.split('"').next()
    }
}

/// The start tags of a page. Templates write no `>` in an attribute: it is escaped.
fn tags(html: &str) -> Vec<Tag<'_>> {
    let parts = html.split('<').skip(1);
    let starts = parts.filter(|part| part.starts_with(|c: char| c.is_ascii_alphabetic()));
    let insides = starts.map(|part| part.split('>').next().unwrap());
    let split = |inside: &'_ str| inside.find([' ', '\n']).unwrap_or(inside.len());
    insides
        .map(|inside| Tag {
            name: &inside[..split(inside)],
            attributes: &inside[split(inside)..],
        })
        .collect()
}

/// Checks what holds for every page with charts.
fn check_page(path: &str, html: &str) {
    let tags = tags(html);
    let all: Vec<&str> = tags.iter().filter_map(|tag| tag.attribute("id")).collect();
    let ids: BTreeSet<&str> = all.iter().copied().collect();
    assert_eq!(all.len(), ids.len(), "{path}: an id is used twice: {all:?}");
    for tag in &tags {
        for attribute in ["aria-labelledby", "aria-describedby", "for"] {
            for id in tag.attribute(attribute).unwrap_or_default().split(' ') {
                assert!(
                    id.is_empty() || ids.contains(id),
                    "{path}: {attribute} names {id}, which is missing"
                );
            }
        }
        assert_eq!(tag.attribute("style"), None, "{path}: <{}> has a style", tag.name);
        // Outside of quotes, where values are.
        let outside = tag.attributes.split('"').step_by(2);
        let is_handler = outside
            .flat_map(|part| part.split(' '))
            .any(|part| part.starts_with("on") && part.contains('='));
        assert!(!is_handler, "{path}: <{}{}> has a handler", tag.name, tag.attributes);
        assert_ne!(tag.name, "style", "{path}");
    }
    // A drawing has a name or is decoration; a mark inside another drawing has neither.
    let mut depth = 0;
    for part in html.split('<').skip(1) {
        if part.starts_with("/svg>") {
            depth -= 1;
        } else if part.starts_with("svg ") {
            let tag = part.split('>').next().unwrap();
            // A drawing with links inside is a group.
            let has_role = tag.contains("role=\"img\"") || tag.contains("role=\"group\"");
            let is_image = has_role && (tag.contains("aria-label=") || tag.contains("aria-labelledby="));
            assert!(
                depth > 0 || is_image || tag.contains("aria-hidden=\"true\""),
                "{path}: <{tag}> has no name"
            );
            depth += 1;
        }
    }
    assert_eq!(depth, 0, "{path}: an svg is not closed");
    for markup in ["<script>alert", "<img", "<i>x", "javascript:"] {
        assert!(!html.contains(markup), "{path} contains {markup}");
    }
}

/// Texts that no page may take for markup.
const HOSTILE: &str = "<script>alert(1)</script><img src=x onerror=alert(1)> \u{202e}\"'&<i>x</i>";

fn records() -> Vec<(EntityType, String)> {
    let contract = |number: i32| {
        let json = json!({
            "record_id": format!("c|{number}"),
            "title_en": format!("Snow removal {HOSTILE}"),
            "vendor_name": format!("Vendor {} {HOSTILE}", number % 4),
            "department_en": format!("Ville {HOSTILE}"),
            "award_date": format!("{}-03-0{}", 2012 + number % 13, number % 9 + 1),
            "contract_value": if number == 7 { -5e5 } else { f64::from(number) * 12_345.67 },
            "solicitation_number": "S-1",
            "procurement_category": "SRV",
            "municipality": "laval",
            "fetched_at": "2026-03-01T00:00:00Z",
        });
        (EntityType::Contract, json.to_string())
    };
    let tender = json!({
        "record_id": "t|1",
        "title_en": format!("Snow removal {HOSTILE}"),
        "department_en": format!("Ville {HOSTILE}"),
        "publication_date": "2025-01-10",
        "closing_date": "2025-02-20",
        "solicitation_number": "S-1",
        "procurement_category": "SRV",
        "status": "Closed",
        "municipality": "laval",
        "source_url": "javascript:alert(1)",
        "fetched_at": "2026-03-01T00:00:00Z",
    });
    let tender = (EntityType::Tender, tender.to_string());
    (1..=40).map(contract).chain([tender]).collect()
}

#[test]
fn pages_with_charts_are_sound_in_both_languages() {
    let server = TestServer::own(&records(), |_| {});
    let vendor: String = format!("Vendor 1 {HOSTILE}")
        .bytes()
        .map(|byte| format!("%{byte:02X}"))
        .collect();
    for lang in ["en", "fr"] {
        for path in [
            String::new(),
            "/search?kind=contract&q=snow".to_owned(),
            format!("/vendor/{vendor}"),
            "/solicitation/S-1".to_owned(),
            "/tender/t%7C1/worth".to_owned(),
            "/sources".to_owned(),
        ] {
            let path = format!("/{lang}{path}");
            let response = server.get(&path);
            let html = response.text();
            assert_eq!(response.status, 200, "{path}: {html}");
            assert!(html.contains("<svg"), "{path} has no chart");
            check_page(&path, &html);
        }
    }
}

#[test]
fn a_chart_states_its_figures_as_text() {
    let value = |number: i32, year: i32| -> (EntityType, String) {
        let record: Value = json!({
            "record_id": format!("c|{number}"), "vendor_name": "Acme", "award_date": format!("{year}-05-06"),
            "contract_value": 1_234_567.5, "municipality": "laval", "fetched_at": "2026-03-01T00:00:00Z",
        });
        (EntityType::Contract, record.to_string())
    };
    let server = TestServer::own(&[value(1, 2022), value(2, 2024), value(3, 2024)], |_| {});
    let english = server.get("/en/search?kind=contract").text();
    for part in [
        "<title>2024: $2.5\u{a0}million, 2 records</title>",
        "<title>2023: no source covers it</title>",
        "<td class=\"number\">$2,469,135.00</td>",
    ] {
        assert!(english.contains(part), "{part} is not in {english}");
    }
    let french = server.get("/fr/search?kind=contract").text();
    for part in [
        "<title>2024\u{a0}: 2,5\u{a0}M$, 2 fiches</title>",
        "<td class=\"number\">2\u{202f}469\u{202f}135,00\u{a0}$</td>",
    ] {
        assert!(french.contains(part), "{part} is not in {french}");
    }
}
