//! Bids on the pages of tenders and solicitations, and as a file.

use std::sync::LazyLock;

use procure::{http::encoding::encode, model::entity_type::EntityType};
use serde_json::json;

use super::{
    browser::{Browser, Page},
    html::{self, between, text},
};
use crate::support::TestServer;

const HOSTILE: &str = "<script>alert(1)</script>";

fn server() -> TestServer {
    let tender = |id: &str, number: &str| {
        let record = json!({
            "record_id": id, "title_fr": format!("Pavage {id}"), "buyer_name": "Ville de Laval", "municipality": "laval",
            "publication_date": "2015-05-06", "solicitation_number": number, "unspsc": "72141107", "ocid": format!("ocds-{id}"),
        });
        (EntityType::Tender, record.to_string())
    };
    let contract = json!({
        "record_id": "c1", "vendor_name": "Pavages Un inc.", "award_date": "2015-07-01", "contract_value": 110_000,
        "municipality": "laval", "solicitation_number": "S-1", "ocid": "ocds-open"
    });
    let mut records: Vec<_> = ["open", "none", "lots", "direct", "units", "many", "repeated"]
        .into_iter()
        .map(|id| match id {
            "open" => tender(id, "S-1"),
            "none" => tender(id, "S-3"),
            "repeated" => (
                EntityType::Tender,
                json!({"record_id": id, "title_fr": "Sel"}).to_string(),
            ),
            _ => tender(id, "S-2"),
        })
        .collect();
    records.push((EntityType::Contract, contract.to_string()));
    let without_bids = json!({
        "record_id": "c2", "vendor_name": "Never a bidder", "award_date": "2015-07-01", "contract_value": 5_000,
        "municipality": "gatineau", "department_fr": "Ville de Gatineau", "unspsc": "43211503"
    });
    records.push((EntityType::Contract, without_bids.to_string()));
    let of_bidder = json!({"record_id": "c3", "vendor_name": "Deux", "award_date": "2015-07-01"});
    records.push((EntityType::Contract, of_bidder.to_string()));
    let many: Vec<_> = (0..60)
        .map(|number| json!({"name": format!("Bidder {number}"), "won": number == 0, "amount": 1000 + number}))
        .collect();
    let bids = [
        json!({"record_id": "open", "procedure": "open", "bids": [
            {"name": "Pavages Un inc.", "won": true, "amount": 110_000.0, "admissible": true, "conforming": true},
            {"name": HOSTILE, "won": false, "amount": 100_000.0, "admissible": true, "conforming": false},
            {"name": "Trois ltée", "won": false, "amount": 125_000.0, "admissible": true},
            {"name": "Quatre", "won": false},
        ]}),
        json!({"record_id": "lots", "procedure": "invitation", "bids": [
            {"name": "Un", "won": true, "amount": 10.0, "lots": ["1"]},
            {"name": "Deux", "won": true, "amount": 20.0, "lots": ["2"]},
        ]}),
        json!({"record_id": "direct", "procedure": "direct", "bids": [{"name": "Un", "won": true, "amount": 10.0}]}),
        json!({"record_id": "units", "procedure": "open", "bids": [
            {"name": "Un", "won": true, "amount": 12.5, "unit": "8"},
            {"name": "Deux", "won": false, "amount": 95.0, "unit": "10"},
        ]}),
        json!({"record_id": "many", "procedure": "open", "bids": many}),
        json!({"record_id": "repeated", "procedure": "open", "bids": [
            {"name": "Gilles", "won": false, "amount": 100.0}, {"name": "Gilles", "won": false, "amount": 100.0},
            {"name": "Sylvie", "won": true, "amount": 125.0},
        ]}),
    ];
    let server = TestServer::own(&records, |_| {});
    server.publish_with_bids(&records, &bids);
    server.restart(|_| {})
}

static SERVER: LazyLock<TestServer> = LazyLock::new(server);

fn get(path: &str) -> Page {
    Browser::new(&SERVER).with("x-gateway-key", &SERVER.key).get(path)
}

fn assert_shows(path: &str, parts: &[&str]) {
    html::assert_shows(&SERVER.html(path, 200), parts);
}

#[test]
fn a_tender_shows_who_bid_for_how_much_and_who_was_rejected() {
    assert_shows(
        "/en/record/tender/open",
        &[
            "4 bids from 4 suppliers, in an open call. The highest bid in dollars is 25% above the lowest.",
            "$100,000.00 Rejected yes no lowest",
            "Pavages Un inc. $110,000.00 Won yes yes $10,000.00 (10%)",
            "Trois ltée $125,000.00 Did not win yes not stated $25,000.00 (25%)",
            "Quatre no amount stated Did not win not stated not stated –",
            "Bids in dollars, the lowest first",
        ],
    );
    let page = SERVER.html("/en/record/tender/open", 200);
    assert!(!page.contains(HOSTILE), "names are text");
    assert_eq!(page.matches("<svg class=\"bid won\" x=").count(), 1);
    assert_eq!(page.matches("<svg class=\"bid rejected\" x=").count(), 1);
    assert_eq!(
        page.matches("<svg class=\"bid lost\" x=").count(),
        1,
        "an amount that is not stated has no dot"
    );
    assert!(
        page.contains("href=\"/en/supplier/sup_"),
        "a bidder leads to the supplier"
    );
    assert!(
        page.contains("href=\"/en/vendor/Quatre\""),
        "or to what is known of the name"
    );
    assert_shows(
        "/fr/record/tender/open",
        &[
            "4 soumissions de 4 fournisseurs, lors d’un appel d’offres public.",
            "Rejetée",
        ],
    );
}

#[test]
fn what_the_figures_do_not_say_is_stated() {
    assert_shows(
        "/en/record/tender/none",
        &["The publisher states no bids of this call."],
    );
    assert_shows(
        "/fr/solicitation/S-3",
        &["Le diffuseur n’indique aucune soumission pour cet appel."],
    );
    assert_shows(
        "/en/record/tender/lots",
        &["by invitation", "often list the winner only", "The call has lots"],
    );
    let lots = text(&SERVER.html("/en/record/tender/lots", 200));
    assert!(
        !lots.contains("Above the lowest") && !lots.contains("Bids in dollars"),
        "{lots}"
    );
    assert_shows("/en/record/tender/direct", &["there was no competition"]);
    assert_shows(
        "/en/record/tender/units",
        &["12.5%", "$95.00 an hour", "does not state which bids were admissible"],
    );
    assert_shows(
        "/en/record/tender/repeated",
        &[
            "3 bids from 2 suppliers, in an open call. The highest bid in dollars is 25% above the lowest.",
            "One row repeats a bid that is already listed; the figures count it once.",
            "Above the lowest",
        ],
    );
    assert_shows(
        "/fr/record/tender/repeated",
        &["Une ligne répète une soumission déjà indiquée"],
    );
    assert_shows("/en/record/tender/many", &["The 40 lowest of 60 bids"]);
    assert!(SERVER.html("/en/record/tender/many", 200).len() < 80_000);
}

#[test]
fn a_solicitation_shows_the_bids_on_its_tenders() {
    assert_shows(
        "/en/solicitation/S-1",
        &["Pavage open", "4 bids from 4 suppliers", "Won"],
    );
}

#[test]
fn the_file_has_all_bids_with_the_names_of_the_api() {
    let page = SERVER.html("/en/record/tender/many", 200);
    assert!(page.contains("href=\"/en/tender.csv/many/bids\""));
    let file = SERVER.html("/en/tender.csv/many/bids", 200);
    assert_eq!(file.lines().count(), 61);
    let head = file.trim_start_matches('\u{feff}').lines().next().unwrap();
    assert!(
        head.starts_with("record_id,procedure,award_date,has_lots,vendor_name,"),
        "{head}"
    );
    // As on the page, only bids without lots have distances: the last two cells.
    let open = SERVER.html("/en/tender.csv/open/bids", 200);
    assert!(
        open.contains("\nopen,open,,false,Trois ltée,") && open.contains(",25000.0,15000.0"),
        "{open}"
    );
    for file in ["/en/tender.csv/lots/bids", "/en/vendor.csv/Un/bids"] {
        let file = SERVER.html(file, 200);
        let lots = file.lines().find(|line| line.starts_with("lots,")).unwrap();
        assert!(lots.contains(",true,Un,") && lots.ends_with(",,"), "{lots}");
    }
    assert_eq!(SERVER.html("/fr/tender.csv/none/bids", 200).lines().count(), 1);
    assert_eq!(get("/en/tender.csv/unknown/bids").status, 404);
}

#[test]
fn a_bidder_shows_what_it_won_and_against_whom() {
    let rival = "/en/vendor/Trois%20lt%C3%A9e";
    assert_shows(
        rival,
        &[
            "No contract or award names this supplier.",
            "Open calls 1: 0 won, 1 not",
            "half were at most $15,000.00 (14%) above the winner, of 1 call with both amounts",
            "Pavages Un inc. 1 0 1",
        ],
    );
    assert_shows(
        "/fr/vendor/Pavages%20Un%20inc.",
        &["Soumissions", "1 : 1 remportés, 0 non", "Concurrents"],
    );
    assert_shows(
        "/en/vendor/Un",
        &["Calls by invitation 1: 1 won, 0 not", "Direct awards"],
    );
    assert_shows("/en/vendor/Bidder%200", &["The 20 met most often of 59 rivals."]);
    assert_shows(
        "/en/compare/supplier?of=Pavages%20Un%20inc.&of=Trois%20lt%C3%A9e",
        &["Both bid on 1 open call: Pavages Un inc. won 1, Trois ltée won 0, and 0 went to neither."],
    );
    let found = SERVER.get("/suppliers?name=Pavages%20Un%20inc.").json();
    let id = found["results"][0]["id"].as_str().unwrap();
    assert_shows(&format!("/en/supplier/{id}"), &["Open calls 1: 1 won, 0 not", "Rivals"]);
    let second = "with=Trois%20lt%C3%A9e";
    for page in [format!("supplier/{id}"), "vendor/Pavages%20Un%20inc.".to_owned()] {
        // It leads to the comparison.
        let html = SERVER.html(&format!("/en/{page}?{second}"), 200);
        let link = format!("/en/supplier.csv/{id}/calls?{second}");
        assert!(html.contains(&format!("href=\"{link}\"")), "{link}: {html}");
        let file = format!("/en/{}/calls?{second}", page.replacen('/', ".csv/", 1));
        let calls = SERVER.html(&file, 200);
        let row = "Pavages Un inc.,Trois ltée,open,2015-05-06,Ville de Laval,110000.0,125000.0,true,false,false";
        assert_eq!(calls.lines().skip(1).collect::<Vec<_>>(), [row]);
    }
    assert_shows(
        &format!("/fr/compare/supplier?of={id}&of=Trois%20lt%C3%A9e"),
        &["Les deux ont soumissionné à 1 appel public"],
    );
    assert_eq!(get("/en/vendor/Nobody%20at%20all").status, 404);
}

#[test]
fn a_bidder_shows_its_calls_by_year_body_and_class_and_has_them_as_files() {
    assert_shows(
        "/en/vendor/Pavages%20Un%20inc.",
        &[
            "Open calls by year Year Open calls Won Share won 2015 1 1 100%",
            "Open calls by body Body Open calls Won Share won Ville de Laval 1 1 100%",
            "Open calls by commodity class",
        ],
    );
    let calls = SERVER.html("/en/vendor.csv/Pavages%20Un%20inc./calls", 200);
    for line in [
        "method,open,1,1,",
        "year,2015,1,1,",
        "department,Ville de Laval,1,1,",
        "rival,Trois ltée,1,1,0",
    ] {
        assert!(calls.lines().any(|found| found == line), "{line} is not in {calls}");
    }
    let all = SERVER.html("/en/vendor.csv/Un/bids", 200);
    let ids: Vec<&str> = all.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(ids, ["direct", "lots", "units"]);
    let first = get("/en/vendor.csv/Un/bids?limit=1");
    let link = first.headers["link"].to_str().unwrap();
    let next = link.trim_start_matches('<').split('>').next().unwrap();
    let second = SERVER.html(next, 200);
    assert!(second.lines().nth(1).unwrap().starts_with("lots,"), "{second}");
    assert_eq!(SERVER.html("/en/vendor.csv/Un/bids?won=false", 200).lines().count(), 1);
    let found = SERVER.get("/suppliers?name=Pavages%20Un%20inc.").json();
    let id = found["results"][0]["id"].as_str().unwrap();
    assert_eq!(
        SERVER.html(&format!("/en/supplier.csv/{id}/bids"), 200).lines().count(),
        2
    );
    assert_eq!(SERVER.html(&format!("/en/supplier.csv/{id}/calls"), 200), calls);
    assert_shows(
        "/en/vendor/Never%20a%20bidder",
        &["No publisher states a bid of this supplier."],
    );
}

#[test]
fn the_bids_of_a_supplier_are_taken_along_as_a_whole_file() {
    let found = SERVER.get("/suppliers?name=Pavages%20Un%20inc.").json();
    let id = found["results"][0]["id"].as_str().unwrap();
    let same = SERVER.get(&format!("/bids/export?supplier={id}"));
    assert!(same.status == 200 && !same.body.is_empty());
    for page in [
        format!("/en/supplier/{id}"),
        "/fr/vendor/Pavages%20Un%20inc.".to_owned(),
    ] {
        let html = SERVER.html(&page, 200).replace("&#38;", "&");
        let lang = &page[..3];
        for format in ["csv", "csv&bom=true&excel=true", "parquet", "ndjson"] {
            let file = format!("{lang}/export?supplier={id}&kind=bids&format={format}");
            assert!(html.contains(&format!("href=\"{file}\"")), "{file} is not in {html}");
            assert_eq!(SERVER.get(&file).status, 200, "{file}");
        }
        let file = SERVER.get(&format!("{lang}/export?supplier={id}&kind=bids&format=ndjson"));
        assert_eq!(file.body, same.body);
    }
    // What no supplier is known for has its bids in the search only.
    assert!(!SERVER.html("/en/vendor/Quatre", 200).contains("kind=bids"));
    let all = SERVER.get("/en/export?kind=suppliers&format=ndjson");
    assert_eq!(all.body, SERVER.get("/suppliers/export").body);
    assert_eq!(get("/en/export?kind=nothing").status, 422);
}

#[test]
fn a_body_and_a_commodity_show_competition_by_year_and_who_never_won() {
    for path in ["department/Ville%20de%20Laval", "commodity/72141107"] {
        assert_shows(
            &format!("/en/{path}"),
            &[
                "3 open calls with bids: half had at most 4 bidders; on average 22. One bidder only: 0, that is 0% (95% interval: 0% to 56%).",
                "1 call by invitation",
                "1 direct award, which is no competition.",
                "2015 3 4 0, that is 0% (95% interval: 0% to 56%)",
                "63 of 66 bidders won none of the open calls",
            ],
        );
        let file = format!("/en/{}/calls", path.replace('/', ".csv/"));
        let page = SERVER.html(&format!("/en/{path}"), 200);
        assert!(page.contains(&format!("href=\"{file}\"")), "{file}");
        let file = SERVER.html(&file, 200);
        assert!(file.contains("\nyear,2015,3,4,22.0,0,0.0,0.0,0.561497,0"), "{file}");
        assert_eq!(file.matches("\nnever_won,").count(), 10);
        assert_shows(&format!("/fr/{path}"), &["3 appels publics avec des soumissions"]);
    }
    for path in ["/en/department/Ville%20de%20Gatineau", "/en/commodity/43211503"] {
        assert_shows(path, &["Publishers state no bids for these calls."]);
    }
}

#[test]
fn who_bid_and_who_never_won_are_asked_in_the_box() {
    for (lang, words, label, part) in [
        ("en", "Laval calls with one bidder only", "Who bid: Laval", ""),
        (
            "fr",
            "qui n’a jamais gagné à Laval ?",
            "Qui a soumissionné\u{a0}: Laval",
            "#never-won",
        ),
        (
            "fr",
            "toiture Ville de Laval, qui a perdu ?",
            "Qui a soumissionné\u{a0}: toiture, Ville de Laval",
            "",
        ),
        ("en", "roofs in Laval, who lost", "Who bid: roofs, Laval", ""),
        ("en", "how many bids per tender in Laval", "Who bid: Laval", ""),
        // A bidder instead of what is called for.
        (
            "fr",
            "qui a soumissionné contre Deux à la Ville de Laval",
            "Qui a soumissionné\u{a0}: Deux, Ville de Laval",
            "",
        ),
        (
            "en",
            "how many companies bid on Pavage in Laval in 2015",
            "Who bid: Pavage, Laval, 2015",
            "",
        ),
    ] {
        let html = SERVER.html(&format!("/{lang}/search?q={}", encode(words)), 200);
        let (before, _) = html.split_once(label).unwrap_or_else(|| panic!("{words}: {html}"));
        let href = between(&before[before.rfind("<a ").unwrap()..], "href=\"", "\"")[0];
        let href = href.replace("&#38;", "&");
        let (page, anchor) = href.split_at(href.find('#').unwrap_or(href.len()));
        assert_eq!(anchor, part, "{words}");
        let mark = part.strip_prefix('#').map(|id| format!("id=\"{id}\""));
        let mark = mark.unwrap_or_else(|| "<p class=\"lead\" role=\"status\">".to_owned());
        assert!(SERVER.html(page, 200).contains(&mark), "{page} has no {mark}");
    }
}

#[test]
fn a_search_over_bids_says_how_many_bid_and_who() {
    let html = SERVER.html("/en/search?q=how+many+bids+for+Pavage+in+Laval+in+2015", 200);
    let open = "3 open calls with bids: half had at most 4 bidders; on average 22. One bidder only: 0";
    html::assert_shows(&html, &["Who bid: Pavage, Laval, 2015", open]);
    let page = "/en/bids?q=Pavage&municipality=laval&issued_after=2015-01-01&issued_before=2015-12-31";
    let html = SERVER.html(page, 200);
    let shown = ["69 bids on 5 calls for tenders.", open, "Place: Laval", "Who bid most"];
    html::assert_shows(&html, &shown);
    assert!(!html.contains(HOSTILE), "{html}");
    // The whole list, page by page, is what the API finds.
    let conditions = page.split_once('?').unwrap().1;
    let all = SERVER.json(&format!("/bids?{conditions}&translate=true&match_codes=true&limit=500"));
    let (mut names, mut next) = (Vec::new(), Some(page.to_owned()));
    while let Some(page) = next {
        let html = SERVER.html(&page, 200);
        let rows = between(&html, "<td data-label=\"Supplier\">", "</td>");
        let shown = rows.into_iter().map(text);
        names.extend(shown.map(|name| name.replace("&#60;", "<").replace("&#62;", ">")));
        let link = html
            .split("rel=\"next\"")
            .next()
            .filter(|before| before.len() < html.len());
        next = link.map(|before| {
            let href = between(&before[before.rfind("<a ").unwrap()..], "href=\"", "\"")[0];
            href.replace("&#38;", "&")
        });
    }
    let expected = all["results"].as_array().unwrap().iter();
    let expected: Vec<&str> = expected.map(|bid| bid["vendor_name"].as_str().unwrap()).collect();
    assert_eq!(names, expected);
    let file = SERVER.get(&page.replace("/bids", "/bids.csv"));
    assert_eq!(file.text().lines().count(), 1 + expected.len(), "{}", file.text());
}

#[test]
fn years_without_bids_lead_to_those_with_some() {
    let page = "/en/bids?municipality=laval&issued_after=2012-01-01&issued_before=2012-12-31";
    let shown = [
        "0 bids on 0 calls for tenders.",
        "Publishers state no bids for these calls.",
        "Bids on such calls are stated for 2015.",
    ];
    html::assert_shows(&SERVER.html(page, 200), &shown);
    let html = SERVER.html("/en/bids?vendor=trois&won=false&amount_min=1000&method=open", 200);
    let shown = [
        "1 bid on 1 call for tenders.",
        "Bid: did not win",
        "From $1,000",
        "Method: open call",
    ];
    html::assert_shows(&html, &shown);
}

#[test]
fn what_finds_no_stated_bid_is_no_call_without_bids() {
    for query in ["q=zzyzx", "municipality=laval&vendor=zzyzx", "amount_min=99999999"] {
        let html = SERVER.html(&format!("/en/bids?{query}"), 200);
        html::assert_shows(&html, &["0 bids on 0 calls for tenders.", "No stated bid matches."]);
    }
    // The ways on from the words stay.
    let html = SERVER.html("/en/search?q=who+bid+on+zzyzx+in+Laval", 200);
    html::assert_shows(&html, &["Who bid: zzyzx, Laval", "Nothing found"]);
    // The file has what the page has.
    let file = SERVER.get("/en/bids.csv?q=paving&vendor=");
    assert!(file.text().lines().count() > 1, "{}", file.text());
    let html = SERVER.html("/en/bids?procurement_method=open&method=", 200);
    assert!(
        html.contains("Method:") && !html.contains("All calls for tenders with these"),
        "{html}"
    );
}

#[test]
fn a_search_of_tenders_leads_to_their_bids() {
    for more in ["", "&limit=2&offset=2", "&facets=year"] {
        let html = SERVER.html(&format!("/en/search?kind=tender&municipality=laval{more}"), 200);
        assert!(html.contains("href=\"/en/bids?municipality=laval\""), "{more}: {html}");
    }
    for without in [
        "kind=tender&municipality=laval&status=open",
        "kind=contract&municipality=laval",
    ] {
        let html = SERVER.html(&format!("/en/search?{without}"), 200);
        assert!(!html.contains("href=\"/en/bids?"), "{html}");
    }
}

#[test]
fn a_contract_says_how_many_bid_on_its_call() {
    let html = SERVER.html("/en/record/contract/c1", 200);
    html::assert_shows(&html, &["Bids 4 bids from 4 suppliers, in an open call."]);
    assert!(html.contains("href=\"/en/record/tender/open#bids\""), "{html}");
    assert!(!SERVER.html("/en/record/contract/c2", 200).contains("id=\"bids\""));
}

#[test]
fn a_word_that_finds_nothing_is_left_out() {
    let (label, what) = (
        "Pavages, Laval",
        "Without “zebra”: no record has it next to the rest · 1 contract",
    );
    let html = SERVER.html("/en/search?q=zebra+Pavages+Laval", 200);
    html::assert_shows(&html, &[&format!("{label} {what}")]);
    let (before, _) = html.split_once(what).unwrap();
    let href = between(&before[before.rfind("<a href").unwrap()..], "href=\"", "\"")[0].replace("&#38;", "&");
    assert!(SERVER.html(&href, 200).contains("1 contract worth"), "{href}");
}
