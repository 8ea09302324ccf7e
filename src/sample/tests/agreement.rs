//! Records of the sample that belong together agree: notices, awards and contracts, and what is bought of whom.

use super::*;

#[test]
fn a_notice_and_its_amendments_share_a_reference_number() {
    for kind in [EntityType::Award, EntityType::Tender, EntityType::PreSolicitation] {
        let mut amendments: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for record in LARGE[&kind]
            .iter()
            .filter(|record| record.contains_key("reference_number"))
        {
            let number = text(record, "amendment_number");
            amendments
                .entry(text(record, "reference_number"))
                .or_default()
                .push(number);
        }
        assert!(
            amendments.values().any(|numbers| *numbers == ["000", "001", "002"]),
            "{kind}"
        );
        assert!(amendments.values().any(|numbers| *numbers == ["000"]), "{kind}");
    }
}

#[test]
fn a_tender_its_award_and_its_contract_agree() {
    let by_solicitation = |kind| -> BTreeMap<&str, &Record> {
        let records: &Vec<Record> = &LARGE[&kind];
        records
            .iter()
            .map(|record| (text(record, "solicitation_number"), record))
            .collect()
    };
    let (tenders, awards) = (by_solicitation(EntityType::Tender), by_solicitation(EntityType::Award));
    let contracts = by_solicitation(EntityType::Contract);
    let mut whole = 0;
    for (number, tender) in tenders.iter().filter(|(number, _)| !number.is_empty()) {
        let (Some(award), Some(contract)) = (awards.get(number), contracts.get(number)) else {
            continue;
        };
        whole += 1;
        assert_eq!(tender["title_en"], award["title_en"]);
        assert_eq!(tender["department_en"], contract["department_en"]);
        assert!(text(tender, "publication_date") <= text(award, "award_date"));
    }
    assert!(whole > 100, "{whole}");
}

#[test]
fn every_kind_has_edge_cases_one_of_them_without_a_date() {
    for kind in EntityType::ALL {
        let path = committed().join(kind.name()).join("edge-cases.ndjson");
        let text = fs::read_to_string(path).unwrap();
        let cases: Vec<Record> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!((5..=15).contains(&cases.len()), "{kind}: {}", cases.len());
        let schema = Schema::of(kind);
        let date = &schema.fields[schema.role(Role::Date)[0]].name;
        let undated = |case: &Record| case.get(date).is_none_or(Value::is_null);
        assert!(cases.iter().any(undated), "{kind} has only dated edge cases");
        for always in ["record_id", "municipality", "fetched_at"] {
            assert!(
                cases.iter().all(|case| case.contains_key(always)),
                "{kind} without {always}"
            );
        }
    }
}

static TOPICS: LazyLock<topics::TopicTable> = LazyLock::new(topics::TopicTable::read);

fn topic_of(record: &Record) -> Option<&'static topics::Topic> {
    let code = ["unspsc", "commodity", "commodity_code"]
        .map(|field| text(record, field))
        .concat();
    TOPICS.topics.iter().find(|topic| topic.unspsc == code)
}

#[test]
fn title_description_and_codes_are_of_one_topic() {
    let mut checked = 0;
    for record in LARGE.values().flatten() {
        let Some(topic) = topic_of(record) else { continue };
        let titles = [
            ("title_en", topic.name.en),
            ("sosa_description_en", topic.name.en),
            ("description_en", topic.name.en),
        ];
        let french = [
            ("title_fr", topic.name.fr),
            ("sosa_description_fr", topic.name.fr),
            ("description_fr", topic.name.fr),
        ];
        for (field, name) in titles.into_iter().chain(french) {
            let value = text(record, field).to_lowercase();
            assert!(
                value.is_empty() || value.contains(&name.to_lowercase()),
                "{field} of {record:?}"
            );
        }
        let category = text(record, "procurement_category");
        let own = TOPICS.purchases[topic.purchase].category;
        assert!(
            ["", "SRVTGD"].contains(&category) || category.contains(own),
            "{record:?}"
        );
        let trade = &TOPICS.trades[topic.trade];
        for (field, expected) in [("gsin", trade.gsin), ("economic_object_code", trade.economic_object)] {
            assert!(
                ["", "NA", expected].contains(&text(record, field)),
                "{field} of {record:?}"
            );
        }
        checked += 1;
    }
    assert!(checked > 25_000, "{checked}");
}

#[test]
fn a_supplier_sells_what_its_name_says() {
    let mut checked = 0;
    for record in LARGE.values().flatten() {
        let Some(topic) = topic_of(record) else { continue };
        let supplier = crate::model::fold::fold(text(record, "vendor_name"));
        let supplier = format!(" {supplier} ");
        let says = |trade: &topics::Trade| {
            let mut words = trade.words_fr.iter().chain(&trade.words_en);
            words.any(|word| supplier.contains(&format!(" {} ", crate::model::fold::fold(word))))
        };
        let trade = &TOPICS.trades[topic.trade];
        if says(trade) {
            checked += 1;
        } else {
            // Then it is a numbered company, a partnership or a group, whose name states no trade.
            assert!(!TOPICS.trades.iter().any(says), "{} sells {}", supplier, topic.name.en);
        }
    }
    assert!(checked > 10_000, "{checked}");
}

#[test]
fn a_buyer_buys_what_its_sector_needs() {
    let held = |record: &Record, buyer: &str, title: &str| {
        text(record, "department_fr").starts_with(buyer) && text(record, "title_fr").to_lowercase().contains(title)
    };
    for (buyer, title) in [
        ("Cégep", "autopompes"),
        ("Cégep", "souffleuses à neige"),
        ("Bibliothèque", "lits d'hôpital"),
        ("Centre de la petite enfance", "munitions"),
        ("Office municipal d'habitation", "livres de bibliothèque"),
    ] {
        let wrong = LARGE[&EntityType::Contract]
            .iter()
            .find(|record| held(record, buyer, title));
        assert!(wrong.is_none(), "{wrong:?}");
    }
    assert!(
        LARGE[&EntityType::Contract]
            .iter()
            .any(|record| held(record, "Ville", "déneigement"))
    );
}

#[test]
fn a_sample_of_today_has_new_open_tenders_and_closings_within_the_week() {
    let today = Date::parse("2031-02-28").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let options = SampleOptions {
        last_day: today,
        ..SampleOptions::new(4_000, 7, folder.path().to_owned())
    };
    run(&options).unwrap();
    let tenders = records(folder.path(), EntityType::Tender);
    let days = |tender: &Record, field| Date::parse(text(tender, field)).map(|day| day.days() - today.days());
    assert!(
        tenders
            .iter()
            .all(|tender| days(tender, "publication_date").unwrap() <= 0)
    );
    let is_open = |tender: &&Record| ["Open", "active"].contains(&text(tender, "status"));
    let count = |field, range: std::ops::RangeInclusive<i32>| {
        let open = tenders.iter().filter(is_open);
        open.filter(|tender| days(tender, field).is_ok_and(|day| range.contains(&day)))
            .count()
    };
    let (new, closing) = (count("publication_date", -6..=0), count("closing_date", 0..=7));
    assert!(new >= 3 && closing >= 3, "{new} new, {closing} closing");
}

#[test]
fn the_bids_of_the_sample_are_on_its_tenders_and_won_by_the_suppliers_of_its_contracts() {
    use crate::model::{bids::NoticeBids, fold::fold, supplier_mention::MentionLine};

    let folder = tempfile::tempdir().unwrap();
    let options = SampleOptions::new(2_700, 20_261_031, folder.path().to_owned());
    run(&SampleOptions { bids: true, ..options }).unwrap();
    let files = files(folder.path());
    let lines = |name: &str| String::from_utf8(files[name].clone()).unwrap();
    let notices: Vec<NoticeBids> = lines("bids/seao-xml.ndjson")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let tenders = records(&committed(), EntityType::Tender);
    let ids: BTreeSet<&str> = tenders.iter().map(|tender| text(tender, "record_id")).collect();
    let contracts = records(&committed(), EntityType::Contract);
    let mut winners: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for contract in contracts.iter().filter(|contract| contract.contains_key("ocid")) {
        let notice = text(contract, "ocid").trim_start_matches("ocds-ec9k95-");
        let winner = text(contract, "vendor_id").trim_start_matches("FO-");
        winners.entry(notice).or_default().insert(winner);
    }
    let (mut rejected, mut lost, mut flagged) = (0, 0, 0);
    for notice in &notices {
        assert!(ids.contains(notice.record_id.as_str()), "{}", notice.record_id);
        assert_eq!(notice.bids.iter().filter(|bid| bid.won).count(), 1);
        let winner = notice.bids[0].number.as_deref().unwrap();
        let number = notice.record_id.trim_start_matches("seao|");
        assert!(winners[number].contains(winner), "{number}: {winner}");
        let bidders: BTreeSet<&str> = notice.bids.iter().filter_map(|bid| bid.number.as_deref()).collect();
        assert_eq!(bidders.len(), notice.bids.len(), "a supplier bids once");
        rejected += notice.bids.iter().filter(|bid| bid.conforming == Some(false)).count();
        lost += notice.bids.iter().filter(|bid| !bid.won).count();
        flagged += usize::from(notice.bids.iter().any(|bid| bid.conforming.is_some()));
    }
    let share = 100 * flagged / notices.len();
    assert!((50..75).contains(&share), "{share} % of the notices state flags");
    assert!(notices.len() > 100 && notices.len() < tenders.len() && rejected > 10 && lost > 200);
    // Some suppliers are stated under two names.
    let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in lines("suppliers.ndjson").lines() {
        let line: MentionLine = serde_json::from_str(line).unwrap();
        let number = line.mention.number.unwrap().to_string();
        names.entry(number).or_default().insert(fold(&line.mention.name));
    }
    assert!(names.values().filter(|names| names.len() > 1).count() > 20);
}
