//! Bids by bidder, buyer and pair of bidders over HTTP, against brute force over the lines of the dump.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::bids::{BIDDERS, BUYERS, Collection, collection, fold, get, has_lots, is_dollars, server, states_losers};

fn bids(notice: &Value) -> &Vec<Value> {
    notice["bids"].as_array().unwrap()
}

fn of(notice: &Value, name: &str) -> Vec<Value> {
    let own = |bid: &&Value| fold(bid["name"].as_str().unwrap()) == fold(name);
    bids(notice).iter().filter(own).cloned().collect()
}

fn has_won(bids: &[Value]) -> bool {
    bids.iter().any(|bid| bid["won"] == json!(true))
}

fn lowest<'b>(bids: impl IntoIterator<Item = &'b Value>) -> Option<f64> {
    let dollars = bids.into_iter().filter(|bid| is_dollars(bid));
    dollars.filter_map(|bid| bid["amount"].as_f64()).min_by(f64::total_cmp)
}

/// Whether the notice says so; it states a flag only if a winner has it.
fn is_rejected(notice: &Value, bid: &Value) -> bool {
    let has_won = |bid: &Value| bid["won"] == json!(true);
    let states = |flag: &str| bids(notice).iter().any(|bid| has_won(bid) && bid[flag] == json!(true));
    states_losers(notice)
        && ["admissible", "conforming"]
            .iter()
            .any(|flag| states(flag) && bid[*flag] == json!(false))
}

/// The calls of one procedure.
fn calls<'c>(collection: &'c Collection, procedure: &str) -> Vec<&'c Value> {
    let of = |notice: &&Value| notice["procedure"] == json!(procedure);
    collection.notices.iter().filter(of).collect()
}

fn tender<'c>(collection: &'c Collection, notice: &Value) -> &'c Value {
    &collection.tenders[notice["record_id"].as_str().unwrap()]
}

fn encoded(name: &str) -> String {
    percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC).to_string()
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len().div_ceil(2).checked_sub(1)?;
    Some(values[middle])
}

fn is_close(stated: &Value, expected: Option<f64>, about: &str) {
    match (stated.as_f64(), expected) {
        (Some(stated), Some(expected)) => assert!((stated - expected).abs() < 0.01, "{about}: {stated} {expected}"),
        (stated, expected) => assert_eq!(stated, expected, "{about}"),
    }
}

#[test]
fn the_bids_of_a_vendor_are_counted_once_a_call() {
    let collection = collection();
    for name in BIDDERS {
        let figures = get(&format!("/vendor/{}?include=bids", encoded(name)))["bids"].clone();
        let open = calls(&collection, "open");
        let own: Vec<&&Value> = open.iter().filter(|notice| !of(notice, name).is_empty()).collect();
        let won = own.iter().filter(|notice| has_won(&of(notice, name))).count();
        assert_eq!(figures["open_calls"], json!({"calls": own.len(), "won": won}), "{name}");
        is_close(&figures["win_rate"]["rate"], Some(won as f64 / own.len() as f64), name);
        let invited: Vec<Vec<Value>> = calls(&collection, "invitation")
            .iter()
            .map(|notice| of(notice, name))
            .collect();
        let invited: Vec<&Vec<Value>> = invited.iter().filter(|bids| !bids.is_empty()).collect();
        let invited_won = invited.iter().filter(|bids| has_won(bids)).count();
        assert_eq!(
            figures["invitations"],
            json!({"calls": invited.len(), "won": invited_won}),
            "{name}"
        );
        let direct = calls(&collection, "direct");
        let direct = direct.iter().filter(|notice| !of(notice, name).is_empty()).count();
        assert_eq!(figures["direct_awards"], json!(direct), "{name}");

        let mut years: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        let mut rivals: BTreeMap<String, (u64, u64, u64)> = BTreeMap::new();
        let mut distances = Vec::new();
        for notice in &own {
            let own_won = has_won(&of(notice, name));
            if let Some(day) = tender(&collection, notice)["publication_date"].as_str() {
                let year = years.entry(day[..4].to_owned()).or_default();
                *year = (year.0 + 1, year.1 + u64::from(own_won));
            }
            let others: BTreeSet<String> = bids(notice)
                .iter()
                .map(|bid| fold(bid["name"].as_str().unwrap()))
                .collect();
            for rival in others.into_iter().filter(|rival| *rival != fold(name)) {
                let rival_won = has_won(&of(notice, &rival));
                let met = rivals.entry(rival).or_default();
                *met = (met.0 + 1, met.1 + u64::from(rival_won), met.2 + u64::from(own_won));
            }
            let winner = lowest(bids(notice).iter().filter(|bid| bid["won"] == json!(true)));
            if let (false, false, Some(mine), Some(winner)) = (
                own_won,
                has_lots(notice),
                lowest(of(notice, name).iter().filter(|bid| !is_rejected(notice, bid))),
                winner,
            ) {
                distances.push(mine - winner);
            }
        }
        let by_year: Vec<Value> = years
            .into_iter()
            .map(|(year, (calls, won))| json!({"value": year, "calls": calls, "won": won}))
            .collect();
        assert_eq!(figures["by_year"], json!(by_year), "{name}");
        assert_eq!(figures["distinct_rivals"], json!(rivals.len()), "{name}");
        for met in figures["rivals"].as_array().unwrap() {
            let stated = (&met["calls"], &met["won_by_rival"], &met["won"]);
            let (calls, won_by_rival, won) = rivals[&fold(met["vendor_name"].as_str().unwrap())];
            assert_eq!(
                stated,
                (&json!(calls), &json!(won_by_rival), &json!(won)),
                "{name}: {met}"
            );
        }
        assert_eq!(
            figures["lost_by"]["calls"].as_u64().unwrap_or(0),
            distances.len() as u64,
            "{name}"
        );
        is_close(&figures["lost_by"]["median_dollars"], median(distances), name);
    }
}

#[test]
fn a_vendor_that_only_bid_is_found_with_its_bids_alone() {
    let name = encoded("Jean Tremblay");
    let unknown = server().get(&format!("/vendor/{name}"));
    assert_eq!(unknown.status, 404, "without the parameter the answer is as before");
    let found = get(&format!("/vendor/{name}?include=bids"));
    assert_eq!(
        (&found["total_contracts"], &found["contracts"]),
        (&json!(0), &json!([]))
    );
    assert_eq!(found["vendor_name"], json!("Jean Tremblay"));
    assert_eq!(server().get("/vendor/nobody%20at%20all?include=bids").status, 404);
}

#[test]
fn filters_of_a_profile_hold_for_its_bids() {
    let collection = collection();
    let name = BIDDERS[2];
    let path = format!(
        "/vendor/{}?include=bids&category=CNST&department=laval&issued_after=2010-06-01",
        encoded(name)
    );
    let figures = get(&path)["bids"].clone();
    let passes = |notice: &&&Value| {
        let tender = tender(&collection, notice);
        tender["procurement_category"] == json!("CNST")
            && tender["buyer_name"] == json!("Ville de Laval")
            && tender["publication_date"]
                .as_str()
                .is_some_and(|day| day >= "2010-06-01")
            && !of(notice, name).is_empty()
    };
    let open = calls(&collection, "open");
    let expected = open.iter().filter(passes).count();
    assert!(expected > 0);
    assert_eq!(figures["open_calls"]["calls"], json!(expected));
}

/// Whether a tender is one of those that a profile is about.
type IsOf = Box<dyn Fn(&Value) -> bool>;

#[test]
fn departments_and_commodities_state_who_bid_for_their_calls() {
    let collection = collection();
    let of_buyer = |buyer: &'static str| move |tender: &Value| tender["buyer_name"] == json!(buyer);
    let of_code = |tender: &Value| tender["unspsc"].as_str().unwrap().starts_with("7214");
    let mut cases: Vec<(String, IsOf)> = Vec::new();
    for buyer in BUYERS {
        cases.push((
            format!("/department/{}?include=bids", encoded(buyer)),
            Box::new(of_buyer(buyer)),
        ));
    }
    cases.push(("/commodity/7214?include=bids".to_owned(), Box::new(of_code)));
    for (path, passes) in cases {
        let figures = get(&path)["bids"].clone();
        let notices = collection
            .notices
            .iter()
            .filter(|notice| passes(tender(&collection, notice)));
        let notices: Vec<&Value> = notices.collect();
        assert_eq!(figures["notices"], json!(notices.len()), "{path}");
        let open: Vec<&&Value> = notices
            .iter()
            .filter(|notice| notice["procedure"] == json!("open"))
            .collect();
        assert_eq!(figures["open_calls"]["calls"], json!(open.len()), "{path}");
        let mut won: BTreeMap<String, (u64, bool)> = BTreeMap::new();
        for notice in open {
            let names: BTreeSet<String> = bids(notice)
                .iter()
                .map(|bid| fold(bid["name"].as_str().unwrap()))
                .collect();
            for name in names {
                let has_won = has_won(&of(notice, &name));
                let bidder = won.entry(name).or_default();
                *bidder = (bidder.0 + 1, bidder.1 || has_won);
            }
        }
        assert_eq!(figures["bidders"], json!(won.len()), "{path}");
        let losers: BTreeMap<&String, u64> = won
            .iter()
            .filter(|(_, (_, won))| !won)
            .map(|(name, (calls, _))| (name, *calls))
            .collect();
        assert_eq!(figures["never_won"], json!(losers.len()), "{path}");
        for row in figures["top_never_won"].as_array().unwrap() {
            assert_eq!(
                row["calls"],
                json!(losers[&fold(row["vendor_name"].as_str().unwrap())]),
                "{path}"
            );
        }
    }
    let refused = server().get("/tender/stats?include=bids");
    assert_eq!(refused.status, 422);
    assert!(
        refused.detail().contains("/bids?include_statistics=true"),
        "{}",
        refused.detail()
    );
}

#[test]
fn a_solicitation_lists_the_bids_on_its_tenders() {
    let collection = collection();
    let with = get("/procurement/S-7?include=bids");
    let without = get("/procurement/S-7");
    let ids: BTreeSet<&str> = ["seao|014", "seao|015"].into();
    let expected: Vec<&Value> = collection
        .notices
        .iter()
        .filter(|notice| ids.contains(notice["record_id"].as_str().unwrap()))
        .collect();
    assert!(!expected.is_empty());
    let stated = with["bids"].as_array().unwrap();
    assert_eq!(stated.len(), expected.len());
    for notice in stated {
        let id = notice["record_id"].as_str().unwrap().replace('|', "%7C");
        assert_eq!(*notice, get(&format!("/tender/{id}/bids")));
    }
    let mut rest = with.clone();
    rest.as_object_mut().unwrap().remove("bids");
    assert_eq!(rest, without, "nothing else changes");
}

#[test]
fn two_bidders_are_compared_in_the_calls_that_both_bid_on() {
    let collection = collection();
    for (a, b) in [
        (BIDDERS[0], BIDDERS[2]),
        (BIDDERS[3], BIDDERS[5]),
        (BIDDERS[4], BIDDERS[1]),
    ] {
        let pair = get(&format!("/bids/pairs?a={}&b={}", encoded(a), encoded(b)));
        let open = calls(&collection, "open");
        let common: Vec<&&Value> = open
            .iter()
            .filter(|notice| !of(notice, a).is_empty() && !of(notice, b).is_empty())
            .collect();
        assert!(!common.is_empty());
        assert_eq!(pair["calls"], json!(common.len()), "{a} {b}");
        let won = |name: &str| common.iter().filter(|notice| has_won(&of(notice, name))).count();
        assert_eq!((&pair["a"]["won"], &pair["b"]["won"]), (&json!(won(a)), &json!(won(b))));
        let others = common
            .iter()
            .filter(|notice| !has_won(&of(notice, a)) && !has_won(&of(notice, b)));
        assert_eq!(pair["won_by_others"], json!(others.count()));
        let compared = common.iter().filter(|notice| !has_lots(notice));
        let amounts: Vec<(f64, f64)> = compared
            .filter_map(|notice| lowest(&of(notice, a)).zip(lowest(&of(notice, b))))
            .collect();
        let lower = |is: fn(&(f64, f64)) -> bool| amounts.iter().filter(|pair| is(pair)).count();
        assert_eq!(pair["a"]["lower"], json!(lower(|(a, b)| a < b)));
        assert_eq!(pair["b"]["lower"], json!(lower(|(a, b)| b < a)));
        let differences = amounts.iter().map(|(a, b)| (a - b).abs() / a.min(*b)).collect();
        is_close(&pair["median_difference"], median(differences), "the median difference");
        let listed: BTreeSet<Option<&str>> = pair["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|call| call["record_id"].as_str())
            .collect();
        assert_eq!(
            listed,
            common.iter().map(|notice| notice["record_id"].as_str()).collect()
        );
        let swapped = get(&format!("/bids/pairs?a={}&b={}", encoded(b), encoded(a)));
        assert_eq!((&swapped["a"], &swapped["b"]), (&pair["b"], &pair["a"]));
    }
    for (query, status, detail) in [
        (
            "a=deneigement%20deux",
            422,
            "parameter 'b' is required; give a bidder's name or the identifier of a supplier",
        ),
        (
            "a=acme&b=jean%20tremblay",
            404,
            "parameter 'a': no bidder or vendor has the name 'acme'; find bidders with /bids?vendor=…",
        ),
        (
            "a=jean%20tremblay&b=JEAN%20TREMBLAY",
            422,
            "parameters 'a' and 'b' name the same supplier; give two",
        ),
    ] {
        let answer = server().get(&format!("/bids/pairs?{query}"));
        assert_eq!((answer.status, answer.detail()), (status, detail.to_owned()));
    }
}

#[test]
fn a_supplier_stands_for_all_its_names() {
    let found = get("/suppliers?name=deneigement%20deux")["results"][0].clone();
    let id = found["id"].as_str().unwrap();
    let by_name = get("/bids?vendor=deneigement%20deux&include_total=true");
    assert_eq!(
        get(&format!("/bids?supplier={id}&include_total=true"))["total"],
        by_name["total"]
    );
    let profile = get(&format!("/supplier/{id}"));
    assert_eq!(profile["bids"]["open_calls"], found["open_calls"]);
    assert!(found["open_calls"]["calls"].as_u64().unwrap() > 0);
    let rival = encoded(BIDDERS[3]);
    let pair = get(&format!("/bids/pairs?a={id}&b={rival}"));
    assert_eq!(
        pair["calls"],
        get(&format!("/bids/pairs?a=deneigement%20deux&b={rival}"))["calls"]
    );
    let other = get(&format!("/vendor/{rival}?include=bids"))["bids"].clone();
    let met = |rival: &Value| {
        let met = other["rivals"].as_array().unwrap().iter();
        met.clone()
            .find(|met| met["supplier_id"] == *rival)
            .map(|met| met["calls"].clone())
    };
    assert_eq!(
        met(&json!(id)),
        Some(pair["calls"].clone()),
        "a rival has the identifier of its supplier"
    );
    assert!(met(&Value::Null).is_some(), "or none, if its name belongs to none");
    assert_eq!(server().get("/bids?supplier=sup_0").status, 422);
}

#[test]
fn market_figures_of_tenders_count_the_bidders_of_open_calls() {
    let collection = collection();
    let open = calls(&collection, "open");
    for (query, passes) in [
        ("", Box::new(|_: &Value| true) as IsOf),
        (
            "&municipality=laval&category=CNST",
            Box::new(|tender| {
                tender["municipality"] == json!("laval") && tender["procurement_category"] == json!("CNST")
            }),
        ),
        (
            "&q=pavage&issued_after=2010-06-01",
            Box::new(|tender| {
                tender["title_fr"].as_str().unwrap().contains("pavage")
                    && tender["publication_date"]
                        .as_str()
                        .is_some_and(|day| day >= "2010-06-01")
            }),
        ),
    ] {
        let bids = get(&format!("/tender/stats?include=market{query}"))["market"]["bids"].clone();
        let all = collection.tenders.values().filter(|tender| passes(tender)).count();
        let of_calls = open.iter().filter(|notice| passes(tender(&collection, notice)));
        let bidders: Vec<f64> = of_calls.map(|notice| bids_of(notice).len() as f64).collect();
        let coverage = (bidders.len() as f64 / all as f64 * 1e4).round() / 1e4;
        assert!(!bidders.is_empty());
        assert_eq!(bids["coverage"], json!(coverage), "{query}");
        assert_eq!(bids["listed_records"], json!(bidders.len()), "{query}");
        is_close(&bids["median"], median(bidders), query);
    }
    let unknown = get("/tender/stats?include=market&status=Active")["market"]["bids"].clone();
    let nothing = json!({"median": null, "coverage": 0.0, "stated_records": 0, "listed_records": 0});
    assert_eq!(unknown, nothing);
}

/// The folded names of the bidders of a notice.
fn bids_of(notice: &Value) -> BTreeSet<String> {
    bids(notice)
        .iter()
        .map(|bid| fold(bid["name"].as_str().unwrap()))
        .collect()
}
