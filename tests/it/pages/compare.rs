//! The comparison of suppliers, buyers and commodities.

use std::{fs, sync::LazyLock};

use procure::{http::encoding::encode, model::entity_type::EntityType};
use serde_json::{Value, json};

use super::html::{assert_shows, between, text};
use crate::{folder::folder, support::TestServer};

/// Vendor, year, value, buyer and code of each contract.
const CONTRACTS: [(&str, i32, f64, &str, &str); 7] = [
    ("Acme Paving", 2020, 100_000.0, "Roads", "72141003"),
    ("ACME PAVING", 2021, 300_000.0, "Roads", "72141003"),
    ("Béton & Fils", 2021, 1_000_000.0, "Parks", "72141104"),
    ("Petit", 2021, 5_000.0, "Parks", "72141104"),
    ("Fourth", 2021, 1.0, "Harbour Commission", "72141104"),
    ("Fifth", 2021, 1.0, "Harbour Commission", "72141104"),
    ("Bell Nord", 2021, 7.0, "Harbour Commission", "72141104"),
];

static SERVER: LazyLock<TestServer> = LazyLock::new(|| {
    let contract = |(number, (vendor, year, value, buyer, code)): (usize, (&str, i32, f64, &str, &str))| {
        let record = json!({
            "record_id": format!("c{number}"), "award_date": format!("{year}-02-03"), "vendor_name": vendor,
            "municipality": "laval", "title_en": "Work", "department_en": buyer, "contract_value": value,
            "unspsc": code, "procurement_method_en": "Open bidding",
            "quality_flags": if value == 1_000_000.0 { json!(["implausible_value"]) } else { json!([]) },
        });
        (EntityType::Contract, record.to_string())
    };
    let award = json!({"record_id": "a1", "award_date": "2022-01-01", "vendor_name": "Petit", "contract_value": 9.0});
    let contracts = CONTRACTS.into_iter().enumerate().map(contract);
    let records: Vec<_> = contracts.chain([(EntityType::Award, award.to_string())]).collect();
    TestServer::own(&records, |_| {})
});

fn compared(path: &str) -> String {
    SERVER.html(path, 200)
}

fn id(name: &str) -> String {
    let found = SERVER.get(&format!("/suppliers?name={}", encode(name))).json();
    found["results"][0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn figures_stand_in_rows_with_their_differences() {
    let path = format!(
        "/en/compare/supplier?of={}&of={}&of=Petit",
        id("Acme Paving"),
        encode("béton & fils")
    );
    let html = compared(&path);
    assert_shows(
        &html,
        &[
            "Comparison: ACME PAVING · Béton & Fils · Petit",
            "Contracts 2 1 1 less 1 1 less",
            // An amount in doubt decides which is higher.
            "Total value $400,000.00 $1,000,000.00 $5,000.00 Total value without the records in doubt Records in doubt \
                decide how the total values differ, so that no difference is stated of these. Without them, ACME PAVING \
                has the highest sum. $400,000.00 $0.00 $400,000.00 less $5,000.00 $395,000.00 less",
            "Mean value $200,000.00 $1,000,000.00 $5,000.00",
            "Years 2020–2021 2021 2021",
            "Share without competition 0% 0% the same 0% the same",
            "By year, on one axis",
        ],
    );
    // A total with a doubtful amount says so, as the profile does, and leads to the other records.
    assert_shows(&html, &["100% of this value ($1 million) is of 1 record with a doubt."]);
    let other = format!(
        "/en/search?kind=contract&#38;supplier={}&#38;quality_flag=none",
        id("Béton & Fils")
    );
    assert!(html.contains(&other), "{html}");
    assert_eq!(html.matches("class=\"year-bars\"").count(), 3);
    // A bar leads to the records of its supplier and year.
    let year = format!(
        "/en/search?kind=contract&#38;supplier={}&#38;issued_after=2020-01-01&#38;issued_before=2020-12-31",
        id("Acme Paving")
    );
    assert!(html.contains(&year), "{html}");
    let without = format!("/en/compare/supplier?of={}&#38;of={}\"", id("Acme Paving"), id("Petit"));
    assert!(html.contains(&without), "{html}");
    // Only one of them has awards.
    let awards = compared(&format!(
        "/fr/compare/supplier?kind=award&of=Petit&of={}",
        id("Acme Paving")
    ));
    assert_shows(
        &awards,
        &["Comparaison", "1 0 1 de moins", "Il n’y a aucune fiche de ce type."],
    );
}

#[test]
fn buyers_and_commodities_are_compared_alike() {
    assert_shows(
        &compared("/en/compare/department?of=Roads&of=parks"),
        &[
            "Comparison: Roads · Parks",
            "Total value $400,000.00 $1,005,000.00 Total value without the records in doubt",
            "Without them, Roads has the highest sum. $400,000.00 $5,000.00 $395,000.00 less",
            "Suppliers 1 2 1 more",
        ],
    );
    assert_shows(
        &compared("/fr/compare/commodity?of=72141003&of=7214"),
        &[
            "Comparaison",
            "Contrats 2 7 5 de plus",
            "Acheteurs 1 3 2 de plus",
            "Valeur totale sans les fiches douteuses",
            "Sans elles, la somme la plus élevée est celle de",
        ],
    );
    // Nothing is in doubt.
    let html = compared("/en/compare/supplier?of=Petit&of=Fourth");
    assert_shows(&html, &["Total value $5,000.00 $1.00 $4,999.00 less"]);
    assert!(!text(&html).contains("in doubt"), "{html}");
}

#[test]
fn records_are_compared_under_the_conditions_of_the_address() {
    let (acme, petit) = (id("Acme Paving"), id("Petit"));
    let conditions = "words=work&municipality=laval&issued_after=2021-01-01&issued_before=2021-12-31";
    let html = compared(&format!("/en/compare/supplier?{conditions}&of={acme}&of={petit}"));
    assert_shows(
        &html,
        &[
            "Counted for each: only records under these conditions",
            "Contracts 1 1 the same",
            "Total value $300,000.00 $5,000.00 $295,000.00 less",
        ],
    );
    // Each condition can be left out; the others stay, in the form too.
    let without = "words=work&municipality=laval&issued_after=2021-01-01";
    let without = format!("/en/compare/supplier?{without}&of={acme}&of={petit}").replace('&', "&#38;");
    assert!(html.contains(&without), "{html}");
    assert!(
        html.contains("<input type=\"hidden\" name=\"municipality\" value=\"laval\">"),
        "{html}"
    );
    let search = format!(
        "/en/search?kind=contract&#38;q=work&#38;municipality=laval&#38;issued_after=2021-01-01&#38;issued_before=2021-12-31\
         &#38;supplier={acme}"
    );
    assert!(html.contains(&search), "{html}");
    let suggested: Value = SERVER
        .get(&format!("/en/suggest/supplier?{conditions}&of={petit}&q=bell+nord"))
        .json();
    let href = suggested["results"][0]["href"].as_str().unwrap();
    assert!(
        href.starts_with(&format!("/en/compare/supplier?{conditions}&of=")),
        "{href}"
    );
    let html = compared("/fr/compare/supplier?of=Petit&of=Fourth&issued_before=2019");
    assert_shows(
        &html,
        &["Il n’y a aucune fiche de ce type qui remplisse ces conditions."],
    );
    // The same of buyers and of trades.
    let html = compared("/en/compare/department?issued_before=2020-12-31&of=Roads&of=Parks");
    assert_shows(&html, &["Contracts 1 0 1 less"]);
    let html = compared("/en/compare/commodity?issued_after=2021-01-01&of=72141003&of=7214");
    assert_shows(&html, &["Contracts 1 6 5 more"]);
}

#[test]
fn what_a_question_says_next_to_two_names_are_conditions_of_their_comparison() {
    let (petit, bell) = (id("Petit"), id("Bell Nord"));
    let of = format!("of={petit}&of={bell}");
    let year = "issued_after=2021-01-01&issued_before=2021-12-31&";
    let body = SERVER.get("/bodies?name=Harbour+Commission").json()["results"][0]["id"].clone();
    let body = format!("body={}&", body.as_str().unwrap());
    let place = "municipality=laval&";
    for (lang, question, conditions) in [
        ("en", "Petit or Bell Nord", String::new()),
        ("en", "Petit against Bell Nord", String::new()),
        ("en", "compare Petit and Bell Nord", String::new()),
        ("fr", "petit contre bell nord", String::new()),
        (
            "en",
            "who sold more to the Harbour Commission, Petit or Bell Nord?",
            body.clone(),
        ),
        (
            "en",
            "who got more from the Harbour Commission in 2021, Petit or Bell Nord?",
            format!("{year}{body}"),
        ),
        ("en", "Petit vs Bell Nord 2021", year.to_owned()),
        (
            "en",
            "who got more contracts in Laval: Petit or Bell Nord",
            place.to_owned(),
        ),
        (
            "fr",
            "Petit ou Bell Nord : qui a eu le plus de contrats à Laval?",
            place.to_owned(),
        ),
        (
            "en",
            "who sold more plumbing, Petit or Bell Nord?",
            "words=plumbing&".to_owned(),
        ),
    ] {
        let html = SERVER.html(&format!("/{lang}/search?q={}", encode(question)), 200);
        let href = format!("href=\"/{lang}/compare/supplier?{conditions}{of}\"").replace('&', "&#38;");
        assert!(html.contains(&href), "{question}: {href} {}", text(&html));
        // What each side has is stated next to the link, too.
        let stated = text(&html);
        let page = text(&SERVER.html(&format!("/{lang}/compare/supplier?{conditions}{of}"), 200));
        let kind = if lang == "en" { "Contracts " } else { "Contrats " };
        let is_row = |after: &&str| after.starts_with(|c: char| c.is_ascii_digit());
        let row = page.split(kind).skip(1).find(is_row).unwrap_or("0 0");
        let counts = row.split(' ');
        for (count, name) in counts.zip(["Petit", "Bell Nord"]) {
            let side = format!("{name}{} {count} ", if lang == "en" { ":" } else { " :" });
            assert!(stated.contains(&side), "{question}: {side} in {stated}");
        }
    }
    // Conditions that differ are those of no comparison, and a third name is no word to search for.
    for question in [
        "Petit 2020 vs Bell Nord 2021",
        "who sold more, Acme Paving, Petit or Bell Nord",
    ] {
        let html = SERVER.html(&format!("/en/search?q={}", encode(question)), 200);
        assert!(!html.contains(&of.replace('&', "&#38;")), "{question}");
    }
}

#[test]
fn all_names_that_begin_with_the_words_are_one_side() {
    let names = [
        ("Genitex Consultants", 5.0),
        ("Genitex Laval inc.", 7.0),
        ("Genitex Estrie", 11.0),
        ("Dexanor inc.", 13.0),
        ("Consortium Genitex / Dexanor", 100.0),
    ];
    let contract = |(number, (vendor, value)): (usize, (&str, f64))| {
        let record = json!({
            "record_id": format!("c{number}"), "award_date": "2021-02-03", "title_en": "Paving", "vendor_name": vendor,
            "municipality": "laval", "department_en": "Ville de Laval", "contract_value": value,
        });
        (EntityType::Contract, record.to_string())
    };
    let records: Vec<_> = names.into_iter().enumerate().map(contract).collect();
    let server = TestServer::own(&records, |_| {});
    let html = server.html("/en/search?q=Genitex+vs+Dexanor", 200);
    let hrefs = between(&html, "href=\"/en/compare/supplier?", "\"");
    assert!(
        text(&html).contains("and 2 similar names and Dexanor inc."),
        "{}",
        text(&html)
    );
    let path = format!("/en/compare/supplier?{}", hrefs[0].replace("&#38;", "&"));
    assert_shows(
        &server.html(&path, 200),
        &[
            "Contracts 3 1 2 less",
            "Total value $23.00 $13.00 $10.00 less",
            "is counted here with names that begin alike, which no publisher states to be one firm:",
            "Genitex Estrie",
            "Genitex Laval inc.",
            // Of either firm.
            "Not counted: consortia that name “Dexanor inc.”, each a bidder of its own: Consortium Genitex / Dexanor (1 in all)",
        ],
    );
    // One unknown identifier makes the whole an unknown name.
    let unknown = path.replace("of=sup_", "of=sup_0,sup_");
    assert!(text(&server.html(&unknown, 404)).contains("No supplier has this name"));
}

#[test]
fn two_cities_are_compared_in_what_is_asked_for_before_them() {
    let contract = |(number, city): (usize, &str)| {
        let record = json!({
            "record_id": format!("c{number}"), "award_date": "2021-02-03", "title_en": "Paving",
            "municipality": city.to_lowercase(), "department_en": format!("Ville de {city}"), "contract_value": 5.0,
            "vendor_name": "Pavage Acme",
        });
        (EntityType::Contract, record.to_string())
    };
    let records: Vec<_> = ["Laval", "Longueuil"].into_iter().enumerate().map(contract).collect();
    let server = TestServer::own(&records, |_| {});
    for (lang, question, words) in [
        ("en", "paving contracts in Laval vs Longueuil", "words=paving&"),
        ("fr", "pavage à Laval contre Longueuil", "words=pavage&"),
        ("en", "Laval vs Longueuil", ""),
        // What they are compared for may be at either end.
        ("en", "Laval vs Longueuil paving", "words=paving&"),
        ("fr", "pavage Laval vs Longueuil", "words=pavage&"),
    ] {
        let html = server.html(&format!("/{lang}/search?q={}", encode(question)), 200);
        let href = format!("href=\"/{lang}/compare/department?{words}of=").replace('&', "&#38;");
        assert!(html.contains(&href), "{question}: {}", text(&html));
    }
}

#[test]
fn a_body_is_compared_with_its_divisions() {
    let bodies = [
        "Université Sud",
        "Université Sud - Immeubles",
        "Université Nord",
        "Université Sud de Laval",
    ];
    let contract = |(number, body): (usize, &&str)| {
        let record = json!({
            "record_id": format!("c{number}"), "award_date": "2021-02-03", "title_fr": "Papier",
            "department_fr": body, "contract_value": 5.0, "vendor_name": "Papeterie Acme",
        });
        (EntityType::Contract, record.to_string())
    };
    let records: Vec<_> = bodies.iter().enumerate().map(contract).collect();
    let server = TestServer::own(&records, |_| {});
    let html = server.html(
        "/en/compare/department?of=Universit%C3%A9+Sud&of=Universit%C3%A9+Nord",
        200,
    );
    assert_shows(
        &html,
        &[
            "Contracts 2 1 1 less",
            "Total value $10.00 $5.00 $5.00 less",
            "“Université Sud” is counted here with its divisions: Université Sud - Immeubles (1 in all)",
        ],
    );
}

#[test]
fn a_body_is_compared_by_the_last_word_of_its_name() {
    let bodies = [
        "Université McGill",
        "Centre universitaire de santé McGill",
        "Université Concordia",
        "Hôpital de Rives Nord",
        "Centre de soins de Rives",
    ];
    let contract = |(number, body): (usize, &&str)| {
        let record = json!({
            "record_id": format!("c{number}"), "award_date": "2021-02-03", "title_fr": "Papier",
            "department_fr": body, "contract_value": 5.0, "vendor_name": "Papeterie Acme",
        });
        (EntityType::Contract, record.to_string())
    };
    let mut records: Vec<_> = bodies.iter().enumerate().map(contract).collect();
    // They sell, too, but less than they buy.
    records.extend([(8, bodies[0]), (9, bodies[2])].map(|(number, seller)| {
        let record = json!({"record_id": format!("c{number}"), "vendor_name": seller, "title_fr": "Analyses"});
        (EntityType::Contract, record.to_string())
    }));
    records.extend([(18, bodies[0]), (19, bodies[2])].map(|(number, buyer)| contract((number, &buyer))));
    let server = TestServer::own(&records, |_| {});
    let page = |question: &str| server.html(&format!("/en/search?q={}", encode(question)), 200);
    let href = |of: [&str; 2]| {
        let [one, other] = of.map(encode);
        format!("href=\"/en/compare/department?of={one}&#38;of={other}\"")
    };
    for question in [
        "McGill vs Concordia",
        "Université McGill ou Université Concordia, qui donne le plus de contrats?",
    ] {
        let html = page(question);
        assert!(
            html.contains(&href([bodies[0], bodies[2]])),
            "{question} {}",
            text(&html)
        );
    }
    // Two bodies have the word.
    let html = page("Rives vs Concordia");
    assert!(!html.contains("/en/compare/department?"), "{}", text(&html));
}

#[test]
fn a_name_is_picked_without_script_and_suggested_with_it() {
    let html = compared("/en/compare/supplier?of=Petit&of=Bell&of=PETIT");
    assert_shows(
        &html,
        &["No supplier has this name – Bell", "Perhaps you mean", "Bell Nord"],
    );
    assert_eq!(html.matches("compare-form").count(), 1);
    let (petit, bell) = (id("Petit"), id("Bell Nord"));
    let with = format!("/en/compare/supplier?of={petit}&of={bell}");
    assert!(html.contains(&with.replace('&', "&#38;")), "{html}");
    let answer: Value = SERVER
        .get(&format!("/en/suggest/supplier?of={petit}&q=bell&kind="))
        .json();
    assert_eq!(answer["results"][0]["href"], json!(with), "{answer}");
    // What is compared already is not suggested again.
    let again: Value = SERVER
        .get(&format!("/en/suggest/supplier?of={bell}&q=bell+nord"))
        .json();
    assert_eq!(again["results"], json!([]));
    for path in ["/en/vendor/Petit", "/en/department/Roads", "/en/commodity/7214"] {
        let page = compared(path);
        assert!(page.contains("action=\"/en/compare/"), "{path}: {page}");
    }
}

#[test]
fn a_comparison_has_bounds() {
    let four = "of=Petit&of=Fourth&of=Fifth&of=Bell+Nord";
    let html = compared(&format!("/en/compare/supplier?{four}"));
    assert!(!html.contains("compare-form"), "no fifth one can be added");
    assert_shows(
        &SERVER.html(&format!("/fr/compare/supplier?{four}&of=Roads"), 422),
        &["Au plus 4 valeurs peuvent être données."],
    );
    for (path, status) in [
        ("/en/compare/supplier", 200),
        ("/en/compare/supplier?of=%01%F0%9F%9A%9C", 404),
        ("/en/compare/commodity?of=Roads", 404),
        ("/en/compare/tender?of=Petit", 404),
        ("/en/suggest/tender?q=Petit", 404),
        ("/en/compare/supplier?with=Petit", 422),
        ("/en/compare/supplier?kind=x", 422),
    ] {
        assert_eq!(SERVER.get(path).status, status, "{path}");
    }
    let long = "x".repeat(4_000);
    let html = SERVER.html(&format!("/en/compare/department?of={long}&of=Roads"), 200);
    assert!(text(&html).contains("No buyer has this name"));
}

#[test]
fn a_name_without_records_may_mean_a_longer_one() {
    let folder = folder();
    let dumps = folder.path().join("dumps");
    fs::create_dir_all(dumps.join("contract")).unwrap();
    let contract = |id: &str, name: &str| {
        json!({"record_id": id, "vendor_name": name, "award_date": "2021-02-03", "contract_value": 5.0}).to_string()
    };
    let contracts = [contract("c1", "Pavages Deux inc."), contract("c2", "Petit")].join("\n");
    fs::write(dumps.join("contract/model.ndjson"), contracts + "\n").unwrap();
    let name = |name: &str, code: &str| {
        json!({"name": name, "city": "Laval", "postal_code": code, "source": "seao-xml", "count": 1, "first": "2009-04-06"})
            .to_string()
    };
    let names = [name("Pavages", "H1A1A1"), name("Xyz Qrs", "H1A1A2")].join("\n");
    fs::write(dumps.join("suppliers.ndjson"), names + "\n").unwrap();
    let server = TestServer::of_dumps(&dumps);
    let html = server.html("/en/compare/supplier?of=Pavages&of=Petit", 200);
    assert_shows(
        &html,
        &[
            "Comparison: Petit",
            "The supplier of exactly this name has no records – Pavages",
            "Pavages Deux inc. 1 record",
            "Pavages no records",
        ],
    );
    let bidder = between(&html, "of=sup_", "\"");
    // Its identifier is certain, and so is a name that is like no other.
    let own = bidder.iter().find(|id| {
        server
            .html(&format!("/en/supplier/sup_{}", last(id)), 200)
            .contains("<h1><bdi>Pavages</bdi>")
    });
    let own = format!("sup_{}", last(own.unwrap()));
    assert_shows(
        &server.html(&format!("/en/compare/supplier?of={own}&of=Petit"), 200),
        &["Comparison: Pavages · Petit"],
    );
    assert_shows(&server.html("/fr/compare/supplier?of=Xyz+Qrs", 200), &["Xyz Qrs"]);
    assert_shows(
        &server.html("/en/compare/supplier?of=Xyz+Qrs&of=Petit", 200),
        &["Comparison: Xyz Qrs · Petit"],
    );
    // There is such a supplier, so the page is found although it asks back.
    let only = server.html("/en/compare/supplier?of=Pavages", 200);
    assert_shows(&only, &["Pavages Deux inc. 1 record"]);
}

/// The digits of the last identifier of an address.
fn last(address: &str) -> &str {
    let id = address.rsplit("sup_").next().unwrap();
    id.split('&').next().unwrap()
}
