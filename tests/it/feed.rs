//! `GET /tender/feed` over HTTP, compared with a simple model that reads every tender, sorts,
//! groups and cuts pages.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicI64, Ordering},
};

use chrono::{DateTime, Utc};
use procure::model::{
    date::Date,
    entity_type::EntityType,
    fold::{fold, word_list},
    stem::{Language, stem},
};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{RngCore, SeedableRng},
};
use serde_json::{Value, json};

use crate::support::{Response, TestServer, free, merged, noon};

pub fn tender(id: &str, fields: Value) -> (EntityType, String) {
    let record = json!({
        "record_id": id,
        "publication_date": "2026-03-09",
        "status": "Open",
        "municipality": "laval",
        "title_en": "Snow removal",
        "fetched_at": "2026-03-09T00:00:00Z",
    });
    (EntityType::Tender, merged(record, &fields).to_string())
}

pub fn ids(answer: &Response) -> Vec<String> {
    assert_eq!(answer.status, 200, "{}", answer.detail());
    let results = answer.json()["results"].as_array().unwrap().clone();
    results
        .iter()
        .map(|one| one["tender"]["record_id"].as_str().unwrap().to_owned())
        .collect()
}

fn own(records: &[(EntityType, String)]) -> TestServer {
    TestServer::own(records, |config| config.now = noon)
}

#[test]
fn a_value_in_another_currency_counts_as_unknown() {
    let server = own(&[
        tender(
            "cad",
            json!({"contract_value": 7000.0, "currency": "CAD", "title_en": "a"}),
        ),
        tender(
            "usd",
            json!({"contract_value": 7000.0, "currency": "USD", "title_en": "b"}),
        ),
    ]);
    let answer = server.get("/tender/feed");
    assert_eq!(ids(&answer), ["cad", "usd"]);
    let of = |n: usize, key: &str| answer.json()["results"][n][key].clone();
    assert_eq!(
        (of(0, "estimated_value"), of(0, "value_basis")),
        (json!(7000.0), json!("stated"))
    );
    assert_eq!(
        (of(1, "estimated_value"), of(1, "value_basis")),
        (Value::Null, json!("unknown"))
    );
}

#[test]
fn a_translated_keyword_finds_the_other_language() {
    let server = own(&[
        tender("english", json!({})),
        tender("french", json!({"title_en": null, "title_fr": "Déneigement des rues"})),
        tender("other", json!({"title_en": "Paper"})),
    ]);
    for (query, expected) in [
        ("keywords=snow+removal", vec!["english"]),
        ("keywords=snow+removal&translate=false", vec!["english"]),
        ("keywords=snow+removal&translate=true", vec!["english", "french"]),
        ("keywords=d%C3%A9neigement&translate=true", vec!["english", "french"]),
        // Only English texts are looked at, so a French word finds by its translation alone.
        ("keywords=d%C3%A9neigement&translate=true&languages=en", vec!["english"]),
    ] {
        assert_eq!(ids(&server.get(&format!("/tender/feed?{query}"))), expected, "{query}");
    }
}

#[test]
fn a_keyword_finds_what_the_codes_mean() {
    let roofing = json!({"title_en": "Building 12", "unspsc": "72101605"});
    let old = json!({"publication_date": "2020-01-01", "unspsc_description_en": "Roofing and siding repair"});
    let french = json!({"title_en": null, "title_fr": "Édifice", "unspsc": "72101605"});
    let english_code = json!({"title_en": "Lot 5", "gsin": "N5650", "gsin_description_en": "Roofing materials"});
    let server = own(&[
        tender("by_code", roofing.clone()),
        tender("by_word", json!({"title_en": "Roofing of a school"})),
        tender("closed", merged(roofing.clone(), &json!({"status": "Expired"}))),
        tender("french", french),
        tender("gsin", english_code),
        tender("other", json!({"title_en": "Paper", "unspsc": "14111500"})),
        tender("taught", merged(roofing, &old)),
    ]);
    let all = ["by_code", "by_word", "french", "gsin"];
    let by_code = ["by_code", "french"];
    for (query, expected) in [
        ("keywords=roofing", &all[1..2]),
        ("keywords=roofing&match_codes=false", &all[1..2]),
        ("keywords=roofing&match_codes=true", &all),
        ("keywords=zebra,repair+roofing&match_codes=true", &by_code),
        ("keywords=%22repair+roofing%22&match_codes=true", &[]),
        (
            "keywords=roofing&match_codes=true&languages=en",
            &["by_code", "by_word", "gsin"],
        ),
        ("keywords=roofing&match_codes=true&category=SRV", &[]),
        ("keywords=toiture&match_codes=true", &by_code),
        ("keywords=toiture&match_codes=true&translate=true", &all),
        ("match_codes=true", &["by_code", "by_word", "french", "gsin", "other"]),
    ] {
        let found = server.get(&format!("/tender/feed?{query}"));
        assert_eq!(ids(&found), expected, "{query}");
    }
    let answer = server.json("/tender/feed?keywords=zebra,repair+roofing&match_codes=true");
    assert_eq!(answer["results"][0]["matched_keywords"], json!(["repair roofing"]));
    // The cursor of a feed with codes is invalid in a feed without them.
    let with_codes = "/tender/feed?keywords=roofing&match_codes=true";
    let page = server.json(&format!("{with_codes}&limit=1"));
    let cursor = page["next_cursor"].as_str().unwrap();
    let next = server.get(&format!("{with_codes}&cursor={cursor}"));
    assert_eq!(ids(&next), all[1..]);
    let other = server.get(&format!("/tender/feed?keywords=roofing&cursor={cursor}"));
    assert_eq!(other.status, 400);
}

#[test]
fn open_and_new_by_the_day_in_toronto() {
    static CLOCK: AtomicI64 = AtomicI64::new(0);
    fn clock() -> DateTime<Utc> {
        DateTime::from_timestamp(CLOCK.load(Ordering::Relaxed), 0).unwrap()
    }
    let set = |time: &str| CLOCK.store(time.parse::<DateTime<Utc>>().unwrap().timestamp(), Ordering::Relaxed);
    set("2026-03-10T16:00:00Z");
    let records = [
        tender("today", json!({"closing_date": "2026-03-10", "title_en": "a"})),
        tender("yesterday", json!({"closing_date": "2026-03-09", "title_en": "b"})),
        tender("tomorrow", json!({"closing_date": "2026-03-11", "title_en": "c"})),
        tender("never", json!({"title_en": "d"})),
        tender("active", json!({"status": "Active", "title_en": "e"})),
        tender("expired", json!({"status": "Expired", "title_en": "f"})),
        tender("cancelled", json!({"status": "Cancelled", "title_en": "g"})),
        tender("week", json!({"publication_date": "2026-03-03", "title_en": "h"})),
        tender("older", json!({"publication_date": "2026-03-02", "title_en": "i"})),
        tender("undated", json!({"publication_date": null, "title_en": "j"})),
    ];
    let server = TestServer::own(&records, |config| config.now = clock);
    let answer = server.get("/tender/feed");
    assert_eq!(ids(&answer), ["active", "never", "today", "tomorrow", "week"]);
    let body = answer.json();
    assert_eq!(
        (
            &body["count"],
            &body["days_back"],
            &body["since"],
            &body["languages"],
            &body["next_cursor"]
        ),
        (
            &json!(5),
            &json!(7),
            &json!("2026-03-03"),
            &json!(["en", "fr"]),
            &Value::Null
        )
    );
    let days: Vec<&Value> = body["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["days_until_closing"])
        .collect();
    assert_eq!(days, [&Value::Null, &Value::Null, &json!(0), &json!(1), &Value::Null]);
    assert_eq!(ids(&server.get("/tender/feed?days_back=8")).last().unwrap(), "older");
    assert_eq!(ids(&server.get("/tender/feed?days_back=1")).len(), 4);

    // Toronto is four hours behind UTC: its day ends at 04:00 UTC, and the ETag changes.
    set("2026-03-11T03:59:59Z");
    let same = server.get("/tender/feed");
    assert_eq!((same.header("etag"), &same.body), (answer.header("etag"), &answer.body));
    set("2026-03-11T04:00:00Z");
    let known = [
        ("x-gateway-key", server.key.as_str()),
        ("if-none-match", answer.header("etag").unwrap()),
    ];
    let next = server.request("GET", "/tender/feed", &known);
    assert_eq!(ids(&next), ["active", "never", "tomorrow"]);
    assert_ne!(next.header("etag"), answer.header("etag"));
    let known = [
        ("x-gateway-key", server.key.as_str()),
        ("if-none-match", next.header("etag").unwrap()),
    ];
    assert_eq!(server.request("GET", "/tender/feed", &known).status, 304);
}

#[test]
fn one_tender_is_shown_once_by_each_of_the_four_keys() {
    let city = json!({"department_en": "Ville de Laval"});
    let with = |fields: Value, day: &str| merged(merged(fields, &city), &json!({"publication_date": day}));
    let server = own(&[
        // By buyer and number, in any spelling. The same number of another buyer is another tender.
        tender(
            "s1",
            json!({"buyer_name": "VILLE de LAVAL", "solicitation_number": "AO 24-1", "publication_date": "2026-03-08", "title_en": "x"}),
        ),
        tender(
            "s2",
            with(
                json!({"solicitation_number": "ao-24/1", "title_en": "y", "reference_number": "R9"}),
                "2026-03-09",
            ),
        ),
        tender(
            "s3",
            json!({"buyer_name": "Ville de Gatineau", "solicitation_number": "AO 24-1", "title_en": "z"}),
        ),
        // By reference, without the amendment.
        tender(
            "r1",
            json!({"reference_number": "PW-77-001", "amendment_number": "001", "publication_date": "2026-03-07"}),
        ),
        tender(
            "r2",
            json!({"reference_number": "pw-77", "publication_date": "2026-03-06"}),
        ),
        tender(
            "r3",
            json!({"reference_number": "PW-77-002", "publication_date": "2026-03-06"}),
        ),
        // By ocid.
        tender(
            "o1",
            json!({"ocid": "ocds-1", "title_en": "p", "publication_date": "2026-03-05"}),
        ),
        tender(
            "o2",
            json!({"ocid": "OCDS-1", "title_en": "q", "publication_date": "2026-03-05"}),
        ),
        // By department, title and closing day.
        tender(
            "t1",
            with(
                json!({"title_en": "Road works", "closing_date": "2026-03-20"}),
                "2026-03-04",
            ),
        ),
        tender(
            "t2",
            with(
                json!({"title_en": "ROAD  works!", "closing_date": "2026-03-20"}),
                "2026-03-03",
            ),
        ),
        tender(
            "t3",
            with(
                json!({"title_en": "Road works", "closing_date": "2026-03-21"}),
                "2026-03-03",
            ),
        ),
        // Placeholders identify nothing.
        tender(
            "v1",
            with(
                json!({"solicitation_number": "TBD", "reference_number": "N/A", "ocid": "-", "title_en": "v"}),
                "2026-03-03",
            ),
        ),
        tender(
            "v2",
            with(
                json!({"solicitation_number": "tbd", "reference_number": "n/a", "ocid": "-", "title_en": "w"}),
                "2026-03-03",
            ),
        ),
        // Without anything in common.
        tender("n1", json!({"publication_date": "2026-03-03"})),
        tender("n2", json!({"publication_date": "2026-03-03"})),
    ]);
    let answer = server.get("/tender/feed").json();
    let shown: Vec<(String, Value)> = answer["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["tender"]["record_id"].as_str().unwrap().to_owned(),
                one["duplicates"].clone(),
            )
        })
        .collect();
    let expected = [
        ("s2", json!(["s1"])),
        ("s3", json!([])),
        ("r1", json!(["r2"])),
        ("r3", json!([])),
        ("o1", json!(["o2"])),
        ("t1", json!(["t2"])),
        ("n1", json!([])),
        ("n2", json!([])),
        ("t3", json!([])),
        ("v1", json!([])),
        ("v2", json!([])),
    ];
    assert_eq!(shown, expected.map(|(id, duplicates)| (id.to_owned(), duplicates)));
}

#[test]
fn the_newest_notice_says_whether_a_tender_is_open() {
    let notice = |number: &str, id: &str, fields: Value| {
        let named = json!({"buyer_name": "Ville de Laval", "solicitation_number": number});
        tender(id, merged(named, &fields))
    };
    let (cancelled, expired) = (json!("Cancelled"), json!("Expired"));
    let server = own(&[
        // A newer notice closes it, by any of the three ways, even if the query would not find the
        // newer one.
        notice("A-1", "a1", json!({"publication_date": "2026-03-05"})),
        notice(
            "A-1",
            "a2",
            json!({"publication_date": "2026-03-06", "status": cancelled, "title_en": "Ended"}),
        ),
        notice("A-2", "b1", json!({"publication_date": "2026-03-05"})),
        notice(
            "A-2",
            "b2",
            json!({"publication_date": "2026-03-06", "closing_date": "2026-03-08", "status": expired, "municipality": "gatineau"}),
        ),
        notice(
            "A-3",
            "c1",
            json!({"publication_date": "2026-03-05", "closing_date": "2026-03-20"}),
        ),
        notice(
            "A-3",
            "c2",
            json!({"publication_date": "2026-03-06", "closing_date": "2026-03-09"}),
        ),
        // An older notice does not.
        notice(
            "A-4",
            "d1",
            json!({"publication_date": "2026-03-05", "status": cancelled}),
        ),
        notice("A-4", "d2", json!({"publication_date": "2026-03-06"})),
        // An amendment keeps the day of publication and states its own day, or only its number.
        notice("A-5", "e1", json!({"publication_date": "2026-03-06"})),
        notice(
            "A-5",
            "e2",
            json!({"publication_date": "2025-12-06", "amendment_date": "2026-03-07", "status": cancelled}),
        ),
        notice(
            "A-6",
            "f1",
            json!({"publication_date": "2026-03-06", "amendment_number": "010"}),
        ),
        notice(
            "A-6",
            "f2",
            json!({"publication_date": "2026-03-06", "amendment_number": "009", "status": expired}),
        ),
        notice(
            "A-7",
            "g1",
            json!({"publication_date": "2026-03-06", "amendment_number": "010"}),
        ),
        notice(
            "A-7",
            "g2",
            json!({"publication_date": "2026-03-06", "closing_date": "2026-03-08", "amendment_number": "T01", "status": expired}),
        ),
        // A contract awarded without a call for bids states nothing about the call with the same
        // number.
        notice("B-9", "m1", json!({"publication_date": "2026-03-05"})),
        notice(
            "B-9",
            "m2",
            json!({"publication_date": "2026-03-06", "status": expired}),
        ),
        // Of notices of one day, a cancelled one is the newest, then the one that closes last.
        notice("A-8", "h1", json!({"closing_date": "2026-03-21"})),
        notice("A-8", "h2", json!({"closing_date": "2026-03-20", "status": cancelled})),
        notice("A-9", "i1", json!({"closing_date": "2026-03-21"})),
        notice("A-9", "i2", json!({"closing_date": "2026-03-20", "status": expired})),
        notice("B-1", "j1", json!({"closing_date": "2026-03-21"})),
        notice("B-1", "j2", json!({"closing_date": "2026-03-21", "status": expired})),
        // An unknown status states nothing.
        notice("B-2", "k1", json!({})),
        notice("B-2", "k2", json!({"publication_date": "2026-03-10", "status": "?"})),
    ]);
    for query in ["", "?keywords=snow", "?city=laval&days_back=90"] {
        let answer = server.get(&format!("/tender/feed{query}"));
        assert_eq!(ids(&answer), ["i1", "k1", "d2", "f1", "m1"], "{query}");
    }
}

#[test]
fn keywords_match_titles_and_descriptions_by_the_language_of_each() {
    let server = own(&[
        tender(
            "en",
            json!({"title_en": "Roads and bridges", "title_fr": "Chemins et ponts", "gsin_description_en": "Paving"}),
        ),
        tender(
            "fr",
            json!({"title_en": null, "title_fr": "Déneigement des rues", "description_fr": "Travaux d'entretien"}),
        ),
        tender("both", json!({"title_en": "Snow removal", "title_fr": "Déneigement"})),
    ]);
    for (query, expected, matched) in [
        ("keywords=road", &["en"][..], &["road"][..]),
        ("keywords=ROADS,nothing", &["en"], &["ROADS"]),
        ("keywords=paving", &[], &[]),
        ("keywords=deneigements", &["both", "fr"], &["deneigements"]),
        (
            "keywords=d%C3%A9neigement,snow%20removal",
            &["both", "fr"],
            &["déneigement", "snow removal"],
        ),
        ("keywords=removal%20snow", &[], &[]),
        ("keywords=chemin&languages=en", &[], &[]),
        ("keywords=chemin&languages=fr", &["en"], &["chemin"]),
        ("languages=en", &["both", "en"], &[]),
        ("languages=EN", &["both", "en"], &[]),
        ("languages=Fr,%20eN", &["both", "en", "fr"], &[]),
        ("languages=fr", &["both", "en", "fr"], &[]),
        ("keywords=,+,snow,", &["both"], &["snow"]),
    ] {
        let answer = server.get(&format!("/tender/feed?{query}"));
        assert_eq!(ids(&answer), expected, "{query}");
        let answer = answer.json();
        let first = &answer["results"]
            .as_array()
            .unwrap()
            .first()
            .map(|one| one["matched_keywords"].clone());
        assert_eq!(first.clone().unwrap_or(json!([])), json!(matched), "{query}");
    }
}

#[test]
fn invalid_parameters_are_refused() {
    let server = TestServer::shared();
    let many = format!(
        "keywords={}",
        (0..33).map(|n| format!("k{n}")).collect::<Vec<_>>().join(",")
    );
    let long = format!("keywords={}", "a".repeat(513));
    for (query, status, detail) in [
        (
            many.as_str(),
            422,
            "parameter 'keywords': 33 keywords were given; the maximum is 32",
        ),
        (
            &long,
            422,
            "parameter 'keywords': the text has 513 characters; the maximum is 512",
        ),
        (
            "keywords=snow,-ice",
            422,
            "parameter 'keywords': '-ice' excludes a word, which a keyword cannot do; remove the '-'",
        ),
        (
            "keywords=*",
            422,
            "parameter 'keywords': '*' has no letter or digit to search for; give at least one",
        ),
        (
            "keywords=,",
            422,
            "parameter 'keywords': ',' has no letter or digit to search for; give at least one",
        ),
        (
            "days_back=0",
            422,
            "parameter 'days_back': '0' is not an integer from 1 to 90",
        ),
        (
            "days_back=91",
            422,
            "parameter 'days_back': '91' is not an integer from 1 to 90",
        ),
        ("languages=de", 422, "parameter 'languages': 'de' is not one of en, fr"),
        (
            "languages=,",
            422,
            "parameter 'languages': no language was given; give en, fr or both",
        ),
        (
            "min_value=NaN",
            422,
            "parameter 'min_value': 'NaN' is not a finite number such as 25000 or 1999.99",
        ),
        (
            "limit=501",
            422,
            "parameter 'limit': '501' is not an integer from 1 to 500",
        ),
        (
            "department=ab",
            422,
            "parameter 'department': 'ab' is too short; give at least 3 letters or digits",
        ),
        (
            "cursor=x",
            422,
            "parameter 'cursor': invalid cursor 'x'; pass `next_cursor` from a previous response unchanged",
        ),
        (
            "q=snow",
            422,
            "unknown parameter 'q'; this endpoint accepts keywords, min_value, days_back, languages, department, municipality, \
             category, notice_type, translate, match_codes, limit, cursor",
        ),
    ] {
        let answer = server.get(&format!("/tender/feed?{query}"));
        assert_eq!(
            (answer.status, answer.detail().as_str()),
            (status, detail),
            "{query:.80}"
        );
    }
}

/// The clock of the next test.
static PAGING_CLOCK: AtomicI64 = AtomicI64::new(0);

#[test]
fn a_cursor_stays_valid_across_a_reload_and_one_midnight() {
    fn clock() -> DateTime<Utc> {
        DateTime::from_timestamp(PAGING_CLOCK.load(Ordering::Relaxed), 0).unwrap()
    }
    let set = |time: DateTime<Utc>| PAGING_CLOCK.store(time.timestamp(), Ordering::Relaxed);
    set(noon());
    let records: Vec<_> = (0..10)
        .map(|n| {
            tender(
                &format!("t{n}"),
                json!({"title_en": format!("n{n}"), "closing_date": "2026-03-10"}),
            )
        })
        .collect();
    let server = TestServer::own(&records, |config| config.now = clock);
    let first = server.get("/tender/feed?limit=4");
    assert_eq!(ids(&first), ["t0", "t1", "t2", "t3"]);
    let link = first.header("link").unwrap().to_owned();
    let address = link.trim_start_matches('<').split('>').next().unwrap();
    let more: Vec<_> = records
        .iter()
        .cloned()
        .chain([tender("t35", json!({"title_en": "more"}))])
        .collect();
    let generation = server.publish(&more);
    server.wait_until("the new generation", || {
        crate::api::generation_of(&server.get("/health")) == generation
    });
    set(noon() + chrono::Days::new(1));
    let second = server.get(address);
    assert_eq!(
        ids(&second),
        ["t35", "t4", "t5", "t6"],
        "as of the day of the first page"
    );
    let cursor = second.json()["next_cursor"].as_str().unwrap().to_owned();
    assert_eq!(
        ids(&server.get(&format!("/tender/feed?cursor={cursor}"))),
        ["t7", "t8", "t9"]
    );
    assert_eq!(
        server.get(&format!("/tender/feed?cursor={cursor}&days_back=8")).status,
        400
    );
    set(noon() + chrono::Days::new(2));
    assert_eq!(server.get(&format!("/tender/feed?cursor={cursor}")).status, 400);
    assert_eq!(ids(&server.get("/tender/feed")), ["t35"]);
}

#[test]
fn first_seen_at_is_the_time_of_the_first_build_with_the_tender() {
    let yesterday = (Utc::now() - chrono::Days::new(1)).format("%Y-%m-%d").to_string();
    let of = |names: &[&str]| -> Vec<_> {
        let one = |name: &&str| tender(name, json!({"publication_date": yesterday, "title_en": name}));
        names.iter().map(one).collect()
    };
    let seen = |answer: &Response| -> Vec<Value> {
        let results = answer.json()["results"].as_array().unwrap().clone();
        results.iter().map(|one| one["first_seen_at"].clone()).collect()
    };
    let server = TestServer::own(&of(&["a", "b"]), |_| {});
    assert_eq!(
        seen(&server.get("/tender/feed")),
        [Value::Null, Value::Null],
        "the first build cannot know"
    );
    let publish = |names: &[&str]| {
        let generation = server.publish(&of(names));
        server.wait_until("the new generation", || {
            crate::api::generation_of(&server.get("/health")) == generation
        });
        seen(&server.get("/tender/feed"))
    };
    let before = Utc::now().timestamp();
    let [Value::Null, Value::String(first)] = &publish(&["a", "c"])[..] else {
        panic!("'a' was there, 'c' is new");
    };
    let time = DateTime::parse_from_rfc3339(first).unwrap().timestamp();
    assert!((before..=Utc::now().timestamp()).contains(&time), "{first}");
    let third = publish(&["a", "c", "d"]);
    assert_eq!(third[..2], [Value::Null, json!(first)], "it keeps its time");
    assert!(third[2].as_str().unwrap() >= first.as_str());
}

#[test]
fn the_page_cap_of_a_plan_lowers_the_limit() {
    let server = TestServer::own(
        &(0..5)
            .map(|n| tender(&format!("t{n}"), json!({"title_en": n.to_string()})))
            .collect::<Vec<_>>(),
        |config| {
            config.now = noon;
            let path = config.state.with_file_name("plans.toml");
            std::fs::write(&path, "[PRO]\npage_cap = 2\n").unwrap();
            config.plans = Some(path);
        },
    );
    let answer = server.get("/tender/feed?limit=3");
    assert_eq!((ids(&answer).len(), answer.header("x-limit-applied")), (2, Some("2")));
}

#[test]
fn the_value_of_a_tender_that_states_none_is_estimated() {
    let mut records: Vec<_> = (0..40)
        .map(|n| {
            let contract = json!({
                "record_id": format!("c{n:02}"), "award_date": format!("2025-{:02}-10", 1 + n % 12), "municipality": "laval",
                "department_en": "Ville de Laval", "title_en": "Snow removal", "gsin": "N7030", "procurement_category": "SRV",
                "vendor_name": format!("Vendor {n}"), "contract_value": 50_000 + n * 100, "currency": "CAD",
                "fetched_at": "2026-01-01T00:00:00Z",
            });
            (EntityType::Contract, contract.to_string())
        })
        .collect();
    let like = json!({"department_en": "Ville de Laval", "gsin": "N7030", "procurement_category": "SRV", "solicitation_number": "S-1"});
    let other = json!({"title_en": "Submarines", "contract_value": 10.0, "solicitation_number": "S-2"});
    records.push(tender("estimated", like));
    records.push(tender("stated", other));
    records.push(tender(
        "unknown",
        json!({"title_en": "Zeppelin", "title_fr": null, "municipality": "gatineau"}),
    ));
    let server = own(&records);
    let bases = |answer: &Response| -> Vec<(Value, Value)> {
        let results = answer.json()["results"].as_array().unwrap().clone();
        results
            .iter()
            .map(|one| (one["tender"]["record_id"].clone(), one["value_basis"].clone()))
            .collect()
    };
    let answer = server.get("/tender/feed");
    assert_eq!(
        bases(&answer),
        [("estimated", "estimate"), ("stated", "stated"), ("unknown", "unknown")]
            .map(|(id, basis)| (json!(id), json!(basis)))
    );
    let results = &answer.json()["results"];
    let estimate = server
        .post("/tender/estimate", &json!({"record_ids": ["estimated"]}))
        .json();
    assert_eq!(results[0]["estimated_value"], estimate["results"][0]["estimated_value"]);
    assert!(
        (50_000.0..54_000.0).contains(&results[0]["estimated_value"].as_f64().unwrap()),
        "{results}"
    );
    assert_eq!(
        (&results[1]["estimated_value"], &results[2]["estimated_value"]),
        (&json!(10.0), &Value::Null)
    );
    assert_eq!(ids(&server.get("/tender/feed?min_value=11")), ["estimated", "unknown"]);
    assert_eq!(ids(&server.get("/tender/feed?min_value=1000000")), ["unknown"]);
}

/// A tender made from few words, days and names, so that all rules apply to some.
fn random_tender(number: usize, random: &mut ChaCha8Rng) -> (EntityType, String) {
    let mut below = |bound: usize| random.next_u32() as usize % bound;
    let mut record = json!({
        "record_id": format!("t{number:03}"),
        "status": (["Open", "Active", "Open", "Expired", "Cancelled"][below(5)]),
        "publication_date": format!("2026-03-{:02}", 1 + below(12)),
        "municipality": (["laval", "gatineau"][below(2)]),
        "fetched_at": "2026-03-09T00:00:00Z",
    });
    let titles = [
        "Snow removal",
        "Road repairs",
        "Roads",
        "Déneigement",
        "Chemin",
        "Snow",
        "",
    ];
    for (field, odds) in [
        ("title_en", 4),
        ("title_fr", 2),
        ("description_en", 1),
        ("description_fr", 1),
    ] {
        if below(5) < odds {
            record[field] = json!(titles[below(titles.len())]);
        }
    }
    if below(3) > 0 {
        record["closing_date"] = json!(format!("2026-03-{:02}", 8 + below(5)));
    }
    if below(3) > 0 {
        record["department_en"] = json!((["Ville de Laval", "VILLE DE LAVAL", "National Defence"][below(3)]));
    }
    if below(4) == 0 {
        record["solicitation_number"] = json!((["A-1", "a 1", "A-2", "N/A"][below(4)]));
    }
    if below(4) == 0 {
        record["reference_number"] = json!((["R-1", "r-1-001", "R-2", "0"][below(4)]));
        record["amendment_number"] = json!("001");
    }
    if below(4) == 0 {
        record["amendment_date"] = json!(format!("2026-03-{:02}", 1 + below(12)));
    }
    if below(4) == 0 {
        record["ocid"] = json!((["o1", "O1", "o2"][below(3)]));
    }
    if below(2) == 0 {
        record["contract_value"] = json!(([0.0, 10.0, 500.0][below(3)]));
    }
    (EntityType::Tender, record.to_string())
}

/// A query as an address, and as the model reads it.
struct ModelQuery {
    address: String,
    keywords: Vec<&'static str>,
    languages: Vec<Language>,
    since: &'static str,
    min_value: Option<f64>,
    municipality: Option<&'static str>,
}

fn random_query(random: &mut ChaCha8Rng) -> ModelQuery {
    let mut below = |bound: usize| random.next_u32() as usize % bound;
    let (days_back, since) = [("1", "2026-03-09"), ("7", "2026-03-03"), ("90", "2025-12-10")][below(3)];
    let words = ["snow", "roads", "\"snow removal\"", "chemins", "deneigement"];
    let keywords: Vec<&str> = (0..below(3)).map(|_| words[below(words.len())]).collect();
    let keywords: Vec<&str> = keywords
        .iter()
        .enumerate()
        .filter(|(at, word)| !keywords[..*at].contains(word))
        .map(|(_, word)| *word)
        .collect();
    let languages = [&[Language::English][..], &[Language::French], &Language::ALL][below(3)].to_vec();
    let min_value = [None, None, Some(100.0)][below(3)];
    let municipality = [None, None, Some("laval")][below(3)];
    let codes: Vec<&str> = languages.iter().map(|language| language.code()).collect();
    let mut address = format!("/tender/feed?days_back={days_back}&languages={}", codes.join(","));
    if !keywords.is_empty() {
        address += &format!("&keywords={}", procure::http::encoding::encode(&keywords.join(",")));
    }
    if let Some(least) = min_value {
        address += &format!("&min_value={least}");
    }
    if let Some(slug) = municipality {
        address += &format!("&city={slug}");
    }
    ModelQuery {
        address,
        keywords,
        languages,
        since,
        min_value,
        municipality,
    }
}

fn has_keyword(record: &Value, keyword: &str, languages: &[Language]) -> bool {
    let fields = ["title", "description"];
    let texts = languages
        .iter()
        .flat_map(|language| fields.map(|field| record[format!("{field}_{}", language.code())].as_str()));
    let keyword_words = word_list(keyword);
    texts.flatten().any(|text| {
        let words = word_list(text);
        if keyword.starts_with('"') {
            return words.windows(keyword_words.len()).any(|run| run == keyword_words);
        }
        words.iter().any(|word| {
            let has_stem = |language: &Language| stem(*language, word) == stem(*language, &keyword_words[0]);
            *word == keyword_words[0] || languages.iter().any(has_stem)
        })
    })
}

fn group(record: &Value) -> String {
    let raw = |field: &str| record[field].as_str().unwrap_or_default().to_owned();
    let text = |field: &str| match raw(field) {
        placeholder if ["N/A", "0"].contains(&&*placeholder) => String::new(),
        text => text,
    };
    let buyer = fold(&text("department_en"));
    let (number, reference, ocid) = (
        fold(&text("solicitation_number")),
        text("reference_number"),
        text("ocid"),
    );
    let title = [text("title_en"), text("title_fr")]
        .into_iter()
        .find(|title| !title.is_empty())
        .unwrap_or_default();
    if !buyer.is_empty() && !number.is_empty() {
        format!("1 {buyer} {number}")
    } else if !reference.is_empty() {
        format!("2 {}", reference.to_lowercase().trim_end_matches("-001"))
    } else if !ocid.is_empty() {
        format!("3 {}", ocid.to_lowercase())
    } else if !buyer.is_empty() && !title.is_empty() {
        format!("4 {buyer} {} {}", fold(&title), text("closing_date"))
    } else {
        text("record_id")
    }
}

/// Whether bids are accepted, by the newest of a tender's notices: the last by day and amendment,
/// then by the rules for notices of one day.
fn is_open(record: &Value, records: &[Value], today: &str) -> bool {
    let text = |record: &Value, field: &str| record[field].as_str().unwrap_or_default().to_owned();
    let accepts = |record: &Value| ["Open", "Active"].contains(&record["status"].as_str().unwrap());
    let closing = |record: &Value| match text(record, "closing_date") {
        none if none.is_empty() => "9999".to_owned(),
        day => day,
    };
    let mut notices: Vec<&Value> = records.iter().filter(|other| group(other) == group(record)).collect();
    // A contract awarded without a call for bids states nothing about one.
    notices.retain(|one| accepts(one) || one["status"] == "Cancelled" || !text(one, "closing_date").is_empty());
    notices.sort_by_key(|one| !accepts(one));
    notices.sort_by_key(|one| closing(one));
    notices.sort_by_key(|one| one["status"] == "Cancelled");
    notices.sort_by_key(|one| text(one, "amendment_number").parse::<u32>().unwrap_or_default());
    notices.sort_by_key(|one| text(one, "publication_date").max(text(one, "amendment_date")));
    let newest = notices.last().into_iter();
    newest
        .chain([&record])
        .all(|one| accepts(one) && *closing(one) >= *today)
}

/// The results that the feed should return.
fn model(records: &[Value], query: &ModelQuery) -> Vec<Value> {
    let today = Date::in_toronto(noon());
    let text = |record: &Value, field: &str| record[field].as_str().unwrap_or_default().to_owned();
    let mut matching: Vec<&Value> = records
        .iter()
        .filter(|record| {
            let mut languages = query.languages.iter();
            let read = |language: &Language| {
                ["title", "description"]
                    .iter()
                    .any(|field| !text(record, &format!("{field}_{}", language.code())).is_empty())
            };
            is_open(record, records, &today.to_string())
                && *text(record, "publication_date") >= *query.since
                && query.municipality.is_none_or(|slug| record["municipality"] == slug)
                && (query.languages.len() == 2 || languages.any(read))
                && (query.keywords.is_empty()
                    || query
                        .keywords
                        .iter()
                        .any(|keyword| has_keyword(record, keyword, &query.languages)))
        })
        .collect();
    matching.sort_by_key(|record| text(record, "record_id"));
    matching.sort_by_key(|record| std::cmp::Reverse(text(record, "publication_date")));
    let (mut met, mut shown) = (BTreeSet::new(), Vec::new());
    for record in &matching {
        let stated = record["contract_value"].as_f64().filter(|value| *value > 0.0);
        let is_enough = stated.is_none_or(|value| query.min_value.is_none_or(|least| value >= least));
        if met.insert(group(record)) && is_enough {
            let same = matching
                .iter()
                .filter(|other| group(other) == group(record) && other["record_id"] != record["record_id"]);
            let matched: Vec<&&str> = query
                .keywords
                .iter()
                .filter(|keyword| has_keyword(record, keyword, &query.languages))
                .collect();
            let closing = Date::parse(&text(record, "closing_date")).ok();
            shown.push(json!({
                "tender": record,
                "first_seen_at": null,
                "duplicates": same.map(|other| &other["record_id"]).collect::<Vec<_>>(),
                "days_until_closing": closing.map(|closing| closing.days() - today.days()),
                "estimated_value": stated,
                "value_basis": if stated.is_some() { "stated" } else { "unknown" },
                "matched_keywords": matched,
            }));
        }
    }
    shown
}

#[test]
fn the_feed_agrees_with_the_model_page_by_page() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let mut shown = 0;
    for round in 0..3 {
        let records: Vec<_> = (0..50 + 40 * round)
            .map(|number| random_tender(number, &mut random))
            .collect();
        let server = own(&records);
        let records: Vec<Value> = records
            .iter()
            .map(|(_, json)| serde_json::from_str(json).unwrap())
            .collect();
        for _ in 0..30 {
            let query = random_query(&mut random);
            let expected = model(&records, &query);
            let limit = 1 + random.next_u32() as usize % 7;
            let (mut found, mut cursor) = (Vec::new(), String::new());
            loop {
                let answer = server.get(&format!("{}&limit={limit}&cursor={cursor}", query.address));
                assert_eq!(answer.status, 200, "{}: {}", query.address, answer.detail());
                let answer = answer.json();
                let results = answer["results"].as_array().unwrap();
                assert!(results.len() <= limit && answer["count"] == results.len());
                found.extend(results.iter().cloned());
                match answer["next_cursor"].as_str() {
                    Some(next) => cursor = next.to_owned(),
                    None => break,
                }
            }
            // The model makes no estimates.
            let found: Vec<Value> = found
                .into_iter()
                .map(|mut one| {
                    if one["value_basis"] == "estimate" {
                        (one["value_basis"], one["estimated_value"]) = (json!("unknown"), Value::Null);
                    }
                    one
                })
                .collect();
            assert_eq!(found, expected, "{}", query.address);
            shown += found.len();
        }
    }
    assert!(shown > 200, "{shown}");
}

/// The number of estimated values that the served generation keeps; `None` before the address answers.
fn kept_values(admin: &str) -> Option<u64> {
    let mut page = ureq::get(format!("http://{admin}/metrics")).call().ok()?;
    let page = page.body_mut().read_to_string().unwrap();
    let name = "procure_cache_entries{cache=\"tender_values\"} ";
    let value = page.lines().find_map(|line| line.strip_prefix(name));
    Some(value.unwrap().parse().unwrap())
}

#[test]
fn values_are_computed_before_a_request_needs_them() {
    static CLOCK: AtomicI64 = AtomicI64::new(0);
    fn clock() -> DateTime<Utc> {
        DateTime::from_timestamp(CLOCK.load(Ordering::Relaxed), 0).unwrap()
    }
    CLOCK.store(noon().timestamp(), Ordering::Relaxed);
    let open = |number: usize| {
        tender(
            &format!("open{number}"),
            json!({"title_en": format!("Snow removal {number}")}),
        )
    };
    let mut records: Vec<_> = (0..7).map(open).collect();
    records.push(tender(
        "old",
        json!({"publication_date": "2025-12-20", "title_en": "a"}),
    ));
    records.push(tender("stated", json!({"contract_value": 5.0, "title_en": "b"})));
    records.push(tender("closed", json!({"status": "Expired", "title_en": "c"})));
    records.push(tender(
        "older",
        json!({"publication_date": "2025-12-01", "title_en": "d"}),
    ));
    let admin = free();
    let server = TestServer::own(&records, |config| {
        config.now = clock;
        config.admin_bind = Some(admin.parse().unwrap());
    });
    let open_without_value = 8;
    server.wait_until("the values of the day", || {
        kept_values(&admin) == Some(open_without_value)
    });
    let answer = server.get("/tender/feed?days_back=90");
    assert_eq!(ids(&answer).len(), 9);
    assert_eq!(
        kept_values(&admin),
        Some(open_without_value),
        "the request computed nothing"
    );

    // The next day in Toronto has values of its own; those of the day before are kept for its cursors.
    CLOCK.fetch_add(86_400, Ordering::Relaxed);
    server.wait_until("the values of the next day", || {
        kept_values(&admin) == Some(2 * open_without_value)
    });
    server.publish(&(0..3).map(open).collect::<Vec<_>>());
    server.wait_until("the values of the new generation", || kept_values(&admin) == Some(3));
}
