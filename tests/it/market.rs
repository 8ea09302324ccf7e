//! Estimates and comparables on hand-made contracts whose answers can be checked by hand, and on
//! real records.

use procure::{
    catalog::{
        estimates::{
            ComparablesOptions, Market,
            answer::{Comps, Confidence, Estimate, EstimateItem, EstimateStatus, MatchLevel, NeedItem, TenderItem},
            backtest::{self, BacktestOptions, BacktestReport},
            calibration::Calibration,
            limits::DEFAULT_YEARS_BACK,
        },
        generation::Generation,
    },
    engine::{Deadline, Engine},
    model::{date::Date, entity_type::EntityType},
};
use serde_json::{Value, json};

use crate::{
    model::{build, write_dumps},
    scan::ScanEngine,
    stores,
    support::real_generation,
};

type Records = Vec<(EntityType, String)>;

fn today() -> Date {
    Date::parse("2025-06-30").unwrap()
}

/// A contract of Laval for snow removal, with its fields overwritten by `more`; null removes a
/// field.
fn contract(id: &str, day: &str, value: f64, more: Value) -> (EntityType, String) {
    record(
        EntityType::Contract,
        id,
        json!({
            "award_date": day, "contract_value": value, "title_fr": "Déneigement des rues", "department_fr": "Ville de Laval",
            "vendor_name": format!("Vendeur {id}"), "procurement_category": "SRV", "government_level": "municipal", "currency": "CAD",
        }),
        more,
    )
}

fn record(entity_type: EntityType, id: &str, base: Value, more: Value) -> (EntityType, String) {
    let mut fields = json!({"record_id": id, "municipality": "laval", "fetched_at": "2025-01-01T00:00:00Z"});
    for part in [base, more] {
        for (name, value) in part.as_object().unwrap() {
            match value {
                Value::Null => fields.as_object_mut().unwrap().remove(name),
                value => fields.as_object_mut().unwrap().insert(name.clone(), value.clone()),
            };
        }
    }
    (entity_type, fields.to_string())
}

fn tender(id: &str, more: Value) -> (EntityType, String) {
    record(
        EntityType::Tender,
        id,
        json!({
            "publication_date": "2025-06-20", "status": "Open", "title_fr": "Déneigement des rues", "department_fr": "Ville de Laval",
            "procurement_category": "SRV", "government_level": "municipal", "solicitation_number": "SP-25-100",
        }),
        more,
    )
}

/// Ten contracts of one day, from 10,000 to 100,000 dollars.
fn ten_contracts() -> Records {
    (1..=10)
        .map(|n| contract(&format!("c{n:02}"), "2025-01-15", f64::from(n) * 10_000.0, json!({})))
        .collect()
}

fn of_record(id: &str) -> EstimateItem {
    EstimateItem::Tender(TenderItem {
        record_id: id.to_owned(),
    })
}

/// Answers over an index, twice, and over an engine that reads every record: all must be equal, bit
/// for bit.
fn answer<T>(records: &Records, ask: impl Fn(&Market) -> T, text: impl Fn(&T) -> String) -> T {
    let folder = tempfile::tempdir().unwrap();
    write_dumps(&folder.path().join("dumps"), records);
    let index = build(&folder.path().join("dumps"), &folder.path().join("index"));
    let scan = ScanEngine::new(records);
    let calibration = Calibration::default();
    let over = |engine: &dyn Engine| {
        ask(&Market {
            engine,
            calibration: &calibration,
            today: today(),
            years_back: DEFAULT_YEARS_BACK,
            deadline: Deadline::never(),
        })
    };
    let answer = over(&*index);
    assert_eq!(text(&answer), text(&over(&*index)), "the second answer");
    assert_eq!(text(&answer), text(&over(&scan)), "the answer of the scanning engine");
    answer
}

fn estimate(records: &Records, item: EstimateItem) -> Estimate {
    let ask = |market: &Market| market.estimate(&item).unwrap();
    answer(records, ask, |answer| serde_json::to_string(answer).unwrap())
}

fn comps(records: &Records, item: EstimateItem, exclude: &[&str]) -> Comps {
    let exclude: Vec<String> = exclude.iter().map(|id| (*id).to_owned()).collect();
    let options = ComparablesOptions {
        limit: 10,
        max_bytes: usize::MAX,
        exclude: &exclude,
    };
    let ask = |market: &Market| market.comps(&item, &options).unwrap();
    answer(records, ask, |answer| serde_json::to_string(answer).unwrap())
}

fn ids(comps: &Comps) -> Vec<String> {
    let id = |record: &str| {
        serde_json::from_str::<Value>(record).unwrap()["record_id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let mut ids: Vec<String> = comps.comparables.iter().map(|row| id(row.record.get())).collect();
    ids.sort();
    ids
}

fn with(mut records: Records, more: impl IntoIterator<Item = (EntityType, String)>) -> Records {
    records.extend(more);
    records
}

#[test]
fn ten_equally_weighted_contracts_give_their_median() {
    let records = with(ten_contracts(), [tender("t", json!({}))]);
    let estimate = estimate(&records, of_record("t"));
    assert_eq!(estimate.status, EstimateStatus::Ok);
    assert_eq!(estimate.match_level, Some(MatchLevel::BuyerAndTitle));
    assert_eq!((estimate.sample_size, estimate.effective_sample_size), (10, 10.0));
    // The geometric mean of the middle two.
    let median = (50_000.0f64 * 60_000.0).sqrt();
    assert!(
        (estimate.estimated_value.unwrap() - median).abs() < 0.01,
        "{estimate:?}"
    );
    let p = estimate.percentiles.unwrap();
    assert!(p.p10 < p.p25 && p.p25 < p.p50 && p.p50 < p.p75 && p.p75 < p.p90);
    let range = estimate.range.unwrap();
    assert_eq!((range.low, range.high), (p.p25, p.p75));
    let days = estimate.date_range.unwrap();
    assert_eq!((days.from.as_str(), days.to.as_str()), ("2025-01-15", "2025-01-15"));
    assert_eq!(estimate.confidence, Some(Confidence::Medium));
}

#[test]
fn every_key_is_present_for_every_status() {
    let records = vec![tender("t", json!({}))];
    let keys = |answer: Value| answer.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let expected = [
        "input",
        "status",
        "estimated_value",
        "range",
        "percentiles",
        "sample_size",
        "effective_sample_size",
        "match_level",
        "confidence",
        "date_range",
        "caveats",
    ];
    for (id, status) in [("t", "insufficient_data"), ("nobody", "not_found")] {
        let estimate = serde_json::to_value(estimate(&records, of_record(id))).unwrap();
        assert_eq!(estimate["status"], status);
        assert_eq!(estimate["input"], json!({"record_id": id}));
        assert!(estimate["estimated_value"].is_null() && estimate["confidence"].is_null());
        assert_eq!(keys(estimate), expected);
        let comps = serde_json::to_value(comps(&records, of_record(id), &[])).unwrap();
        assert_eq!(comps["status"], status);
        assert!(comps["bid_around"].is_null() && comps["incumbent"].is_null() && comps["competition"].is_null());
    }
}

#[test]
fn four_contracts_are_too_few_and_five_are_not() {
    for (count, status) in [(4, EstimateStatus::InsufficientData), (5, EstimateStatus::Ok)] {
        let few: Records = ten_contracts().into_iter().take(count).collect();
        let estimate = estimate(&with(few, [tender("t", json!({}))]), of_record("t"));
        assert_eq!((estimate.status, estimate.sample_size), (status, count));
        assert_eq!(
            estimate.caveats[0].code == "too_few_comparables",
            count == 4,
            "{:?}",
            estimate.caveats
        );
    }
}

#[test]
fn contracts_that_do_not_count_change_nothing() {
    let others = [
        contract("later", "2025-07-01", 9e6, json!({})),
        contract("long ago", "2019-01-01", 9e6, json!({})),
        contract("undated", "2025-01-15", 9e6, json!({"award_date": null})),
        contract("worthless", "2025-01-15", 0.0, json!({})),
        contract("negative", "2025-01-15", -5.0, json!({})),
        contract("a placeholder", "2025-01-15", 1.0, json!({})),
        contract("dollars of others", "2025-01-15", 9e6, json!({"currency": "USD"})),
        contract(
            "agreement",
            "2025-01-15",
            9e6,
            json!({"procurement_method_en": "Standing Offer"}),
        ),
        contract("own", "2025-01-15", 9e6, json!({"solicitation_number": "SP 25-100"})),
        contract(
            "own lot",
            "2025-01-15",
            9e6,
            json!({"contract_number": "SP-25-100/001/ML"}),
        ),
        record(
            EntityType::Disclosure,
            "sosa",
            json!({"award_date": "2025-01-15", "contract_value": 9e6, "instrument_type": "SOSA", "description_fr": "Déneigement des rues",
                "department_fr": "Ville de Laval", "procurement_category": "SRV", "government_level": "municipal"}),
            json!({}),
        ),
    ];
    let without = estimate(&with(ten_contracts(), [tender("t", json!({}))]), of_record("t"));
    let with_others = estimate(
        &with(with(ten_contracts(), [tender("t", json!({}))]), others),
        of_record("t"),
    );
    assert_eq!(with_others, without);
}

#[test]
fn a_contract_published_several_times_counts_once() {
    let award = |id: &str, number: &str, amendment: &str, total: f64| {
        record(
            EntityType::Award,
            id,
            json!({"award_date": "2025-02-01", "total_contract_value": total, "contract_number": number, "amendment_number": amendment,
                "vendor_name": "Neige inc.", "title_fr": "Déneigement des rues", "department_fr": "Ville de Laval",
                "procurement_category": "SRV", "government_level": "municipal"}),
            json!({}),
        )
    };
    let disclosed = record(
        EntityType::Disclosure,
        "d",
        json!({"award_date": "2025-02-01", "contract_value": 44_000.0, "procurement_id": "LAV 2025 001", "vendor_name": "NEIGE LTÉE",
            "description_fr": "Déneigement des rues", "department_fr": "Ville de Laval", "procurement_category": "SRV",
            "government_level": "municipal"}),
        json!({}),
    );
    let sold = json!({"vendor_name": "Neige", "award_date": "2025-02-01"});
    let records = with(
        ten_contracts(),
        [
            tender("t", json!({})),
            award("a0", "LAV-2025-001", "000", 40_000.0),
            award("a1", "LAV-2025-001", "001", 44_000.0),
            disclosed,
            // The same supplier, day and value in another entity type, without a number.
            contract("sale", "2025-02-01", 44_000.0, sold.clone()),
            // Another contract of the same supplier, with another value.
            contract("other", "2025-02-01", 45_000.0, sold),
        ],
    );
    let comps = comps(&records, of_record("t"), &[]);
    let stats = comps.value_stats.as_ref().unwrap();
    assert_eq!(stats.count, 12, "the ten, the repeated one and the other one");
    assert_eq!(stats.histogram.iter().map(|bucket| bucket.count).sum::<usize>(), 12);
    let shown = ids(&comps);
    assert!(
        shown.contains(&"a1".to_owned()),
        "the latest amendment represents the contract: {shown:?}"
    );
    for twin in ["a0", "d", "sale"] {
        assert!(!shown.contains(&twin.to_owned()), "{twin} is the same contract as a1");
    }
}

#[test]
fn excluded_records_are_left_out_of_comparables_and_statistics() {
    let records = with(ten_contracts(), [tender("t", json!({}))]);
    let all = comps(&records, of_record("t"), &[]);
    let fewer = comps(&records, of_record("t"), &["c10", "c09", "nobody"]);
    assert_eq!(all.value_stats.as_ref().unwrap().max, 100_000.0);
    let stats = fewer.value_stats.as_ref().unwrap();
    assert_eq!((stats.count, stats.max, stats.min), (8, 80_000.0, 10_000.0));
    assert_eq!((stats.mean, stats.p50), (45_000.0, 40_000.0));
    assert!(!ids(&fewer).iter().any(|id| id == "c10" || id == "c09"));
    assert!(
        fewer
            .caveats
            .iter()
            .any(|note| note.code == "records_excluded" && note.note_en.ends_with(": 2."))
    );
    assert!(fewer.bid_around.unwrap().competitive < all.bid_around.unwrap().competitive);
}

/// A long notice is mostly its buyer's conditions, which all notices of the buyer share.
#[test]
fn shared_conditions_do_not_make_an_incumbent() {
    let conditions = "Les soumissionnaires doivent s'inscrire au portail d'approvisionnement et déposer leurs documents avant l'heure de clôture. \
        Aucune offre transmise par courriel, télécopieur ou messagerie ne sera acceptée; la ville se réserve tout droit de refus. ";
    let titled = |subject: &str| format!("{subject} {}", conditions.repeat(2));
    let records: Records = (1..=8)
        .map(|n| {
            let title = titled(&format!("Licences du logiciel numéro{n}"));
            contract(&format!("c{n}"), "2025-01-15", 10_000.0, json!({"title_fr": title}))
        })
        .collect();
    let others = (0..40).map(|n| {
        contract(
            &format!("o{n}"),
            "2025-01-15",
            10_000.0,
            json!({"title_fr": "Asphalte"}),
        )
    });
    let long = tender("t", json!({"title_fr": titled("Gestion des talents")}));
    let comps = comps(&with(with(records, others), [long]), of_record("t"), &[]);
    assert!(comps.comparables[0].similarity > 0.7);
    assert_eq!(comps.incumbent, None);
    assert!(comps.caveats.iter().any(|note| note.code == "incumbent_unknown"));
}

#[test]
fn the_names_of_a_federal_body_are_one_buyer() {
    let disclosed = |n: usize, buyer: &str| {
        record(
            EntityType::Disclosure,
            &format!("d{n}"),
            json!({"award_date": "2025-01-15", "contract_value": 10_000.0 * n as f64, "description_en": "Food rations", "department_en": buyer,
                "government_level": "federal", "currency": "CAD"}),
            json!({}),
        )
    };
    for (ours, theirs, is_one) in [
        ("Department of National Defence (DND)", "National Defence", true),
        ("National Defence", "Department of National Defence (DND)", true),
        ("Department of Health (HC)", "Health Canada", true),
        ("Health Canada", "Department of Health", true),
        ("Department of Health (HC)", "Public Health Agency of Canada", false),
    ] {
        let asked = tender(
            "t",
            json!({"department_fr": null, "department_en": ours, "government_level": "federal", "title_fr": null, "title_en": "Food rations",
                "procurement_category": null}),
        );
        let records = (1..=8).map(|n| disclosed(n, theirs)).chain([asked]).collect();
        let comps = comps(&records, of_record("t"), &[]);
        let same = |row: &procure::catalog::estimates::answer::Comparable| {
            row.reasons.iter().any(|note| note.code == "same_buyer")
        };
        assert_eq!(comps.comparables.iter().any(same), is_one, "{ours}, {theirs}");
        assert_eq!(
            comps.match_level == Some(MatchLevel::BuyerAndTitle),
            is_one,
            "{ours}, {theirs}"
        );
    }
}

#[test]
fn an_unspecific_or_unknown_code_gives_a_caveat() {
    let codes = |estimate: &Estimate| estimate.caveats.iter().map(|note| note.code).collect::<Vec<_>>();
    let need = |gsin: &str| {
        EstimateItem::Need(NeedItem {
            gsin: gsin.to_owned(),
            ..NeedItem::default()
        })
    };
    let records: Records = (1..=8)
        .map(|n| contract(&format!("c{n}"), "2025-01-15", 10_000.0, json!({"unspsc": "25000000"})))
        .collect();
    assert!(codes(&estimate(&records, need("hello"))).contains(&"code_not_recognized"));
    // Vehicles, a whole segment: a garbage truck is not comparable with a school bus.
    let segment = estimate(&records, need("25000000"));
    assert_eq!(
        (segment.status, segment.match_level),
        (EstimateStatus::InsufficientData, None)
    );
    assert!(codes(&segment).contains(&"code_is_a_branch"));
    let records: Records = (1..=8)
        .map(|n| contract(&format!("c{n}"), "2025-01-15", 10_000.0, json!({"unspsc": "25101500"})))
        .collect();
    let class = estimate(&records, need("25101500"));
    assert_eq!(
        (class.status, class.match_level),
        (EstimateStatus::Ok, Some(MatchLevel::CodeClass))
    );
    let branch = codes(&class);
    assert!(
        branch.contains(&"code_is_a_branch") && !branch.contains(&"code_not_recognized"),
        "{branch:?}"
    );
}

/// A common segment adds weight and is given as a reason, but does not make a contract comparable.
#[test]
fn a_common_segment_does_not_make_a_comparable() {
    let vehicles = |id: &str, title: &str| {
        let of = json!({"unspsc": "25000000", "title_fr": title, "department_fr": "Ville de Hull"});
        contract(id, "2025-01-15", 10_000.0, of)
    };
    let records: Records = (1..=8)
        .map(|n| vehicles(&format!("bus{n}"), "Autobus scolaires"))
        .chain([vehicles("truck", "Camions à ordures")])
        .chain([tender(
            "t",
            json!({"unspsc": "25000000", "title_fr": "Camion à ordures"}),
        )])
        .collect();
    let comps = comps(&records, of_record("t"), &[]);
    assert_eq!(comps.match_level, Some(MatchLevel::CategoryAndGovernmentLevel));
    let reasons = |n: usize| {
        comps.comparables[n]
            .reasons
            .iter()
            .map(|note| note.code)
            .collect::<Vec<_>>()
    };
    let nearest = comps.comparables[0].record.get();
    assert!(nearest.contains("Camions"), "the closest by its words: {nearest}");
    assert!(reasons(0).contains(&"near_same_title") && reasons(1).contains(&"same_code_segment"));
    assert!(!reasons(0).contains(&"same_code"), "{:?}", reasons(0));
    assert!(comps.caveats.iter().any(|note| note.code == "code_is_a_branch"));
}

/// Eight contracts have the same code; up to sixty others of the buyer, for something else,
/// outweigh them.
#[test]
fn comparables_with_little_weight_give_no_bid_guide() {
    let close = (1..=8).map(|n| {
        let coded = json!({"unspsc": "72102903", "title_fr": "Balayage", "department_fr": "Ville de Hull"});
        contract(&format!("c{n}"), "2025-01-15", 10_000.0, coded)
    });
    let painting = |count: usize| {
        let paint = json!({"title_fr": "Peinture"});
        (0..count).map(move |n| contract(&format!("p{n}"), "2025-01-15", 90_000.0, paint.clone()))
    };
    let of = |count: usize| -> Comps {
        let tender = tender("t", json!({"unspsc": "72102903", "title_fr": "Entretien"}));
        let records = close.clone().chain(painting(count)).chain([tender]).collect();
        comps(&records, of_record("t"), &[])
    };
    for (count, has_guide) in [(0, true), (6, true), (7, false), (60, false)] {
        let comps = of(count);
        assert_eq!(
            (comps.match_level, comps.comparables.len()),
            (Some(MatchLevel::Code), 8)
        );
        let weight: f64 = comps.comparables.iter().map(|row| row.weight).sum();
        let caveats: Vec<&str> = comps.caveats.iter().map(|note| note.code).collect();
        assert_eq!(comps.bid_around.is_some(), has_guide, "{count}: {weight}");
        assert_eq!(caveats.contains(&"no_bid_guide"), !has_guide, "{caveats:?}");
        assert_eq!(weight >= 1.0 / 3.0, has_guide, "{weight}");
    }
}

/// Seven contracts share the code, one too few for that level. The broader level must not hide
/// their reasons.
#[test]
fn a_broad_match_level_keeps_the_reasons_of_close_contracts() {
    let coded = json!({"unspsc": "72102903", "department_fr": "Ville de Gatineau"});
    let close = (1..=7).map(|n| contract(&format!("c{n}"), "2025-01-15", 10_000.0, coded.clone()));
    let far = (1..=9).map(|n| {
        contract(
            &format!("f{n}"),
            "2025-01-15",
            10_000.0,
            json!({"title_fr": "Peinture", "department_fr": "Ville de Hull"}),
        )
    });
    let records = close
        .chain(far)
        .chain([tender("t", json!({"unspsc": "72102903", "title_fr": "Entretien"}))])
        .collect();
    let comps = comps(&records, of_record("t"), &[]);
    assert_eq!(comps.match_level, Some(MatchLevel::CategoryAndGovernmentLevel));
    let reasons: Vec<&str> = comps.comparables[0].reasons.iter().map(|note| note.code).collect();
    assert!(
        reasons.contains(&"same_code") && reasons.contains(&"no_terms_either"),
        "{reasons:?}"
    );
    let broad = comps.caveats.iter().find(|note| note.code == "broad_match").unwrap();
    assert!(broad.note_en.starts_with("Too few"), "{broad:?}");
}

#[test]
fn a_stated_value_is_returned_and_compared_with_the_estimate() {
    let records = with(
        ten_contracts(),
        [
            tender("t", json!({"contract_value": 5e7})),
            tender("u", json!({"contract_value": 50_000.0})),
        ],
    );
    let far = estimate(&records, of_record("t"));
    assert_eq!((far.status, far.estimated_value), (EstimateStatus::Stated, Some(5e7)));
    assert!(far.percentiles.is_some());
    assert!(far.caveats.iter().any(|note| note.code == "stated_value_unusual"));
    let near = estimate(&records, of_record("u"));
    assert_eq!(near.estimated_value, Some(50_000.0));
    assert!(!near.caveats.iter().any(|note| note.code == "stated_value_unusual"));
}

#[test]
fn the_match_level_widens_from_code_to_family() {
    let coded = |id: &str, code: &str, value: f64| {
        contract(
            id,
            "2025-01-15",
            value,
            json!({"gsin": code, "title_fr": "Ordinateurs", "department_fr": "Ville de Québec"}),
        )
    };
    let of = |code: &str, from: usize, count: usize| -> Records {
        (from..from + count)
            .map(|n| coded(&format!("k{n}"), code, 1000.0 * (n + 1) as f64))
            .collect()
    };
    let asked = EstimateItem::Need(NeedItem {
        gsin: "N7030AB".to_owned(),
        ..NeedItem::default()
    });
    for (records, level) in [
        (of("N7030AB", 0, 8), MatchLevel::Code),
        (with(of("N7030AB", 0, 4), of("7030", 10, 4)), MatchLevel::CodeClass),
        (with(of("N7030AB", 0, 2), of("N7010", 10, 6)), MatchLevel::CodeFamily),
    ] {
        let estimate = estimate(&records, asked.clone());
        assert_eq!((estimate.match_level, estimate.sample_size), (Some(level), 8));
    }
    let other = estimate(&of("N7110", 0, 20), asked);
    assert_eq!(
        other.status,
        EstimateStatus::InsufficientData,
        "another family has nothing in common with the need"
    );
}

#[test]
fn comparables_with_incumbent_expiring_contracts_standing_offers_and_competition() {
    let mut records = ten_contracts();
    records.push(contract(
        "now",
        "2024-11-01",
        52_000.0,
        json!({"vendor_name": "Neige inc.", "end_date": "2025-10-31"}),
    ));
    records.push(contract(
        "before",
        "2023-11-01",
        50_000.0,
        json!({"vendor_name": "Neige", "end_date": "2024-10-31"}),
    ));
    records.push(contract(
        "elsewhere",
        "2025-06-01",
        50_000.0,
        json!({"department_fr": "Ville de Gatineau", "end_date": "2025-09-30"}),
    ));
    // Another need of the same buyer.
    records.push(contract(
        "other",
        "2025-06-02",
        50_000.0,
        json!({"title_fr": "Asphalte", "end_date": "2025-09-30"}),
    ));
    let offer = |id: &str, expiry: &str, words: &str| {
        let base = json!({"award_date": "2024-01-01", "expiry_date": expiry, "vendor_name": format!("Offre {id}"), "sosa_description_fr": words,
            "agreement_number": id, "department_fr": "Services publics"});
        record(EntityType::StandingOffer, id, base, json!({}))
    };
    records.push(offer("o1", "2026-01-01", "Déneigement de rues"));
    records.push(offer("o2", "2025-01-01", "Déneigement de rues"));
    records.push(offer("o3", "2026-01-01", "Papeterie"));
    records.push(tender("t", json!({})));
    // The contracts of `ten_contracts` are newer than "now": without them, "now" is the newest.
    let records: Records = records
        .into_iter()
        .filter(|(_, json)| !json.contains("\"c0") && !json.contains("\"c10"))
        .collect();
    let records = with(
        records,
        (0..8).map(|n| {
            contract(
                &format!("x{n}"),
                "2024-01-15",
                40_000.0,
                json!({"department_fr": "Ville de Longueuil"}),
            )
        }),
    );
    let comps = comps(&records, of_record("t"), &[]);
    let incumbent = comps.incumbent.as_ref().unwrap();
    assert_eq!(
        (incumbent.vendor_name.as_str(), incumbent.record_id.as_str()),
        ("Neige inc.", "now")
    );
    assert_eq!(
        (incumbent.contracts, incumbent.of_contracts),
        (2, 2),
        "the legal form of a name does not matter"
    );
    let expiring: Vec<&str> = comps
        .expiring_contracts
        .iter()
        .map(|row| row.record_id.as_str())
        .collect();
    assert_eq!(expiring, ["now"]);
    let offers: Vec<&str> = comps
        .standing_offer_holders
        .iter()
        .map(|row| row.record_id.as_str())
        .collect();
    assert_eq!(offers, ["o1"]);
    let competition = comps.competition.as_ref().unwrap();
    assert_eq!(
        competition.distinct_vendors,
        comps.value_stats.as_ref().unwrap().count - 1
    );
    let bid = comps.bid_around.as_ref().unwrap();
    assert!(bid.aggressive < bid.competitive && bid.competitive < bid.conservative);
    assert!(
        comps.comparables[0]
            .reasons
            .iter()
            .any(|reason| reason.code == "same_buyer")
    );
    let total: f64 = comps.comparables.iter().map(|row| row.weight).sum();
    assert!(total <= 1.001, "{total}");
    assert_eq!(
        serde_json::from_str::<Value>(comps.tender.unwrap().get()).unwrap()["record_id"],
        "t"
    );
}

#[test]
fn a_generation_is_calibrated_on_its_own_contracts() {
    let folder = tempfile::tempdir().unwrap();
    let records: Records = (0..600)
        .map(|n| {
            let day = format!("20{:02}-{:02}-{:02}", 20 + n / 140, n / 12 % 12 + 1, n % 28 + 1);
            contract(
                &format!("c{n:03}"),
                &day,
                10f64.powf(4.0 + (n * 37 % 100) as f64 / 50.0),
                json!({}),
            )
        })
        .collect();
    let (dumps, index_dir) = (folder.path().join("dumps"), folder.path().join("index"));
    write_dumps(&dumps, &records);
    build(&dumps, &index_dir);
    let store = stores::store(&index_dir);
    let generation = store.open(&store.current().unwrap().unwrap()).unwrap();
    let calibration = &generation.calibration;
    assert!(calibration.contracts > 250, "{calibration:?}");
    let backtest = |options: &BacktestOptions| run_backtest(&generation, options);
    let options = BacktestOptions {
        entity_type: Some(EntityType::Contract),
        sample: 500,
        seed: 3,
    };
    let report = backtest(&options).unwrap();
    let all = &report.rows[0];
    // The values are spread evenly from 10^4 to 10^6, so half of them are within half of that
    // range.
    assert!(
        (all.within_p25_p75 - 0.5).abs() < 0.12 && (all.within_p10_p90 - 0.8).abs() < 0.1,
        "{report}"
    );
    assert_eq!(report.other_prices, 0);
    // What follows needs no exact shares.
    let few = BacktestOptions { sample: 60, ..options };
    let report = backtest(&few).unwrap();
    assert_eq!(
        report.to_string(),
        backtest(&few).unwrap().to_string(),
        "equal seeds give equal reports"
    );
    // A price far above the values, for each contract but one.
    let dear = |id: &str| (id != "c000").then_some(1e8);
    let records = |entity_type| generation.manifest_of(entity_type).records;
    let taught = backtest::run(&*generation.engine, records, &dear, &few).unwrap();
    assert_eq!(taught.other_prices, 599);
    assert!(
        taught.rows[0].median_error > report.rows[0].median_error + 1.0,
        "{taught}"
    );
    assert_eq!(taught.rows[1].name, "call with bids");
    assert!(
        taught
            .to_string()
            .contains("estimates learned a bid instead of the price of 599 contracts")
    );
    let wrong = BacktestOptions {
        entity_type: Some(EntityType::Tender),
        ..options
    };
    assert!(
        backtest(&wrong)
            .unwrap_err()
            .to_string()
            .contains("--entity-type is one of contract, award, disclosure")
    );
}

fn run_backtest(generation: &Generation, options: &BacktestOptions) -> anyhow::Result<BacktestReport> {
    let records = |entity_type| generation.manifest_of(entity_type).records;
    backtest::run(&*generation.engine, records, &|_| None, options)
}

#[test]
fn ranges_hold_on_real_contracts() {
    let Some(generation) = real_generation() else {
        return;
    };
    let options = BacktestOptions {
        entity_type: Some(EntityType::Contract),
        sample: 600,
        seed: 11,
    };
    let report = run_backtest(generation, &options).unwrap();
    let row = |name: &str| report.rows.iter().find(|row| row.name == name);
    let all = row("all").unwrap();
    assert!(
        (0.72..0.88).contains(&all.within_p10_p90) && (0.43..0.57).contains(&all.within_p25_p75),
        "{report}"
    );
    assert!(all.gain() > 0.15 && all.answered > 0.95, "{report}");
    let error = |name: &str| row(name).map(|row| row.median_error);
    assert!(error("high confidence") < error("low confidence"), "{report}");
}
