//! The dumps of bids: what notices say of their bidders, and what becomes of each.

use super::*;

/// An export of one notice of this type, with these bidders.
fn export(last_day: &str, number: &str, notice_type: &str, bidders: &[&str]) -> String {
    let bidders: String = bidders
        .iter()
        .map(|bidder| format!("<fournisseur>{bidder}</fournisseur>\n"))
        .collect();
    format!(
        "<export datedebut=\"2018-01-01\" datefin=\"{last_day}\">\n<avis><numeroseao>{number}</numeroseao>\
         <numero>A-{number}</numero><organisme>Ville de Varennes</organisme><municipal>1</municipal><type>{notice_type}</type>\
         <nature>3</nature><datepublication>2018-01-04 09:00</datepublication><dateadjudication>2018-01-19</dateadjudication>\
         <fournisseurs>{bidders}</fournisseurs></avis></export>"
    )
}

/// The notices of a dump of bids.
fn notices(workspace: &Workspace, source: &str) -> Vec<Value> {
    workspace.records(&format!("bids/{source}"))
}

fn total(report: &NormalizeReport) -> (u64, u64, u64, u64) {
    report.files.iter().fold((0, 0, 0, 0), |sum, file| {
        let bidders = &file.counts.bidders;
        let refused = bidders.refused_bidders();
        (
            sum.0 + bidders.listed,
            sum.1 + bidders.kept,
            sum.2 + bidders.replaced,
            sum.3 + refused,
        )
    })
}

/// What is noted of the bidders of the first file, and how often.
fn notes(report: &NormalizeReport) -> Vec<(&str, u64)> {
    let notes = report.files[0].counts.bidders.notes.iter();
    notes.map(|(note, seen)| (note.as_str(), seen.count)).collect()
}

#[test]
fn the_bids_of_an_export_are_kept_as_published() {
    let workspace = Workspace::new();
    let winner = "<nomorganisation>Pavages Un inc.</nomorganisation><adresse1>1, rue A</adresse1><adresse2>bureau 2</adresse2>\
         <ville>Laval</ville><province>QC</province><pays>CAN</pays><codepostal>H7A 1A1</codepostal><neq>1142700724</neq>\
         <admissible>1</admissible><conforme>1</conforme><adjudicataire>1</adjudicataire>\
         <montantsoumis>100000.500000</montantsoumis><montantssoumisunite>1</montantssoumisunite>\
         <montantcontrat>99000.000000</montantcontrat><montanttotalcontrat>0.000000</montanttotalcontrat>";
    let rejected = "<nomorganisation>Consortium Deux / Trois</nomorganisation><neq>1234567890</neq><admissible>0</admissible>\
         <conforme/><adjudicataire>0</adjudicataire><montantsoumis>0.000000</montantsoumis>\
         <montantssoumisunite>8</montantssoumisunite>";
    let nameless = "<nomorganisation> </nomorganisation><montantsoumis>5</montantsoumis>";
    let odd = "<nomorganisation>Quatre</nomorganisation><montantsoumis>beaucoup</montantsoumis>\
         <montantssoumisunite>99</montantssoumisunite><admissible>oui</admissible><adjudicataire>vrai</adjudicataire>";
    workspace.put(
        "a.xml",
        export("2018-01-31", "1", "3", &[winner, rejected, nameless, odd, odd]).as_bytes(),
    );
    let report = workspace.run();
    assert_eq!(
        notices(&workspace, "seao-xml"),
        [json!({
            "record_id": "seao|1", "procedure": "open", "notice_type": "3", "award_date": "2018-01-19", "fetched_at": "2018-01-31T00:00:00Z",
            "bids": [
                {
                    "name": "Pavages Un inc.", "number": "1142700724", "street": "1, rue A, bureau 2", "city": "Laval",
                    "province": "QC", "postal_code": "H7A 1A1", "country": "CAN", "amount": 100000.5, "unit": "1",
                    "won": true, "admissible": true, "conforming": true, "contract_amount": 99000.0,
                },
                {
                    "name": "Consortium Deux / Trois", "number": "1234567890", "unit": "8", "won": false,
                    "admissible": false,
                },
                {"name": "Quatre", "unit": "99", "won": false},
                {"name": "Quatre", "unit": "99", "won": false},
            ],
        })]
    );
    assert_eq!(total(&report), (5, 4, 0, 1));
    let bidders = &report.files[0].counts.bidders;
    assert_eq!(bidders.refused["a bidder without a name"].count, 1);
    assert_eq!(
        notes(&report),
        [
            ("a bid listed twice with identical values, kept", 1),
            ("an amount that is no number, left out", 2),
            ("unknown '99' in montantssoumisunite", 2),
            ("unknown 'oui' in admissible", 2),
            ("unknown 'vrai' in adjudicataire", 2),
        ]
    );
    let text = report.to_string();
    assert!(
        text.contains("1 × refused, first on line") && text.contains("bidders      kept"),
        "{text}"
    );
}

#[test]
fn direct_awards_and_invitations_are_told_apart() {
    let workspace = Workspace::new();
    let bidder = "<nomorganisation>Un</nomorganisation><adjudicataire>1</adjudicataire>";
    for (number, code) in ["3", "9", "10", "14", "17", ""].iter().enumerate() {
        let export = export("2018-01-31", &number.to_string(), code, &[bidder]);
        workspace.put(&format!("{number}.xml"), export.as_bytes());
    }
    workspace.run();
    let kinds: Vec<String> = notices(&workspace, "seao-xml")
        .iter()
        .map(|notice| notice["procedure"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(kinds, ["open", "direct", "invitation", "invitation", "other", "other"]);
}

#[test]
fn the_newest_revision_has_the_bids_and_every_bidder_is_accounted_for() {
    let workspace = Workspace::new();
    let bidder = |name: &str| format!("<nomorganisation>{name}</nomorganisation>");
    let (one, two, three) = (bidder("Un"), bidder("Deux"), bidder("Trois"));
    workspace.put("a.xml", export("2018-02-28", "7", "3", &[&one, &two]).as_bytes());
    workspace.put("b.xml", export("2018-01-31", "7", "3", &[&three]).as_bytes());
    let nameless = export("2018-01-31", "", "3", &[&one, &two]);
    workspace.put("c.xml", nameless.as_bytes());
    let release = json!({"releases": [{
        "ocid": "ocds-ec9k95-7", "id": "20180115120000", "date": "2018-01-15T00:00:00-05:00",
        "tender": {"id": "A-7", "title": "Pavage", "procurementMethod": "open", "tenderers": [{"id": "FO-1", "name": "Ancien"}]},
        "parties": [{"id": "FO-1", "name": "Ancien", "roles": ["tenderer"]}],
    }]});
    workspace.put("d.json", release.to_string().as_bytes());
    let report = workspace.run();
    let kept = notices(&workspace, "seao-xml");
    assert_eq!(kept.len(), 1);
    assert_eq!(
        kept[0]["bids"],
        json!([{"name": "Un", "won": false}, {"name": "Deux", "won": false}])
    );
    assert!(!workspace.out().join("bids/seao-ocds.ndjson").exists());
    assert_eq!(total(&report), (6, 2, 2, 2));
}

#[test]
fn the_bids_of_a_release_know_their_lots_and_winners() {
    let workspace = Workspace::new();
    let party = |id: &str, name: &str| {
        json!({"id": id, "name": name, "roles": ["tenderer"], "details": {"neq": id.trim_start_matches("FO-")},
            "address": {"streetAddress": "1, rue A,", "locality": "Laval", "region": "QC", "postalCode": "H7A1A1"}})
    };
    let award = |id: &str, supplier: &str, amount: f64, status: &str| {
        json!({"id": id, "status": status, "date": "2026-05-01T00:00:00-04:00", "value": {"amount": amount},
            "suppliers": [{"id": supplier, "name": supplier}]})
    };
    let release = json!({"releases": [{
        "ocid": "ocds-ec9k95-9", "id": "20260515120000", "date": "2026-04-15T00:00:00-04:00",
        "tender": {"id": "A-9", "title": "Pièces", "procurementMethod": "open",
            "procurementMethodDetails": "Avis d’appel d’offres", "tenderers": [{"id": "FO-1142700724"}, {"id": "FO-3"}]},
        "parties": [party("FO-1142700724", "Un inc."), party("FO-2", "Deux inc."), party("FO-3", "Trois inc.")],
        "bids": [
            {"id": "FO-1142700724", "value": 10.5, "valueUnit": "1", "relatedLots": ["a"]},
            {"id": "FO-1142700724", "value": 20, "valueUnit": "1", "relatedLots": ["b"], "admissible": "1", "conform": "0"},
            {"id": "FO-2", "value": 9.0, "valueUnit": "1", "relatedLots": ["a"]},
            {"id": "FO-4", "value": 1},
        ],
        "awards": [award("1", "FO-1142700724", 10.5, "active"), award("2", "FO-2", 9.0, "cancelled")],
    }]});
    workspace.put("a.json", release.to_string().as_bytes());
    let report = workspace.run();
    let kept = &notices(&workspace, "seao-ocds")[0];
    assert_eq!(
        (&kept["procedure"], &kept["award_date"]),
        (&json!("open"), &json!("2026-05-01"))
    );
    let bids = kept["bids"].as_array().unwrap();
    let seen: Vec<Value> = bids
        .iter()
        .map(|bid| json!([bid["name"], bid["amount"], bid["won"], bid["lots"]]))
        .collect();
    assert_eq!(
        seen,
        [
            json!(["Un inc.", 10.5, true, ["a"]]),
            json!(["Un inc.", 20.0, false, ["b"]]),
            json!(["Deux inc.", 9.0, false, ["a"]]),
            json!(["Trois inc.", null, false, null]),
        ]
    );
    assert_eq!(
        (&bids[1]["admissible"], &bids[1]["conforming"]),
        (&json!(true), &json!(false))
    );
    let place =
        ["number", "bidder_id", "street", "city", "province", "postal_code"].map(|field| bids[0][field].clone());
    assert_eq!(
        place,
        ["1142700724", "FO-1142700724", "1, rue A", "Laval", "QC", "H7A1A1"].map(|text| json!(text))
    );
    assert_eq!(total(&report), (5, 4, 0, 1), "one is not among the parties");
}

#[test]
fn every_bidder_of_a_release_is_counted_also_where_the_release_is_left_out() {
    let workspace = Workspace::new();
    let tenderer = |id: &str, roles: Value| json!({"id": id, "name": id, "roles": roles});
    let release = |ocid: Value, with_tender: bool| {
        let mut release = json!({
            "ocid": ocid, "id": "20260515120000", "date": "2026-04-15T00:00:00-04:00",
            "bids": [{"id": "A", "value": 5}],
            "parties": [
                tenderer("A", json!(["tenderer"])), tenderer("B", json!(["tenderer", "supplier"])),
                tenderer("C", json!(["supplier"])), tenderer("D", json!(["buyer", "tenderer"])),
            ],
        });
        if with_tender {
            release["tender"] = json!({"id": "A-9", "title": "Pavage", "procurementMethod": "open", "tenderers": [{"id": "B"}, {"name": "E"}]});
        }
        release
    };
    let own = "ocds-ec9k95-9";
    let releases = [
        release(json!(own), true),
        release(json!(own), false),
        release(json!("ocds-other-9"), true),
        release(Value::Null, true),
    ];
    workspace.put("a.json", json!({"releases": releases}).to_string().as_bytes());
    let report = workspace.run();
    let kept = notices(&workspace, "seao-ocds");
    let bids = kept[0]["bids"].as_array().unwrap();
    let seen: Vec<Value> = bids.iter().map(|bid| json!([bid["name"], bid["amount"]])).collect();
    let expected = [
        ("A", json!(5.0)),
        ("B", Value::Null),
        ("E", Value::Null),
        ("D", Value::Null),
    ];
    assert_eq!(seen, expected.map(|(name, amount)| json!([name, amount])));
    // Without a tender: A, B and D.
    assert_eq!(total(&report), (4 + 3 + 4 + 4, 4, 0, 3 + 4 + 4));
    let refused = &report.files[0].counts.bidders.refused;
    assert_eq!(refused["a bidder of a notice that was left out"].count, 11);
}

#[test]
fn bidders_of_alberta_have_names_and_places_and_nothing_of_a_person() {
    let workspace = Workspace::new();
    let posting = json!([{
        "opportunity": {"referenceNumber": "AB-2025-00001", "shortTitle": "Road", "title": "Town of X - Request for Quotes - Road",
            "postingTypeCode": "OPEN-COMPETITIVE"},
        "bidders": [
            {"id": "1", "supplierId": "s1", "alternativeSupplierDisplayName": "Alpha Ltd.", "contactName": "A Person",
                "contactEmail": "person@alpha.example", "phoneNumber": "403 555 0100", "bidAmounts": [{"bidderId": "1", "optionId": "o", "amount": 12.5}],
                "address": {"streetAddress": "1 Road", "city": "Calgary", "stateProvince": "CA-AB", "postalCode": "T2C 2X8", "country": "CA"}},
            {"id": "2", "supplierId": null, "alternativeSupplierDisplayName": "Beta Ltd.", "bidAmounts": [{"amount": 1}, {"amount": 2}]},
            {"id": "3"},
        ],
        "awards": [{"id": "9", "supplierId": null, "alternativeSupplierDisplayName": "BETA LTD", "amount": 5,
            "awardDate": "2025-07-15T00:00:00"}],
    }]);
    workspace.put("a.json", posting.to_string().as_bytes());
    let report = workspace.run();
    assert_eq!(
        notices(&workspace, "alberta"),
        [json!({
            "record_id": "alberta|AB-2025-00001", "procedure": "open", "notice_type": "OPEN-COMPETITIVE",
            "award_date": "2025-07-15",
            "fetched_at": "2026-04-30T12:00:00Z",
            "bids": [
                {"name": "Alpha Ltd.", "bidder_id": "s1", "street": "1 Road", "city": "Calgary", "province": "CA-AB",
                    "postal_code": "T2C 2X8", "country": "CA", "amount": 12.5, "unit": "CAD", "won": false},
                {"name": "Beta Ltd.", "won": true},
            ],
        })]
    );
    assert_eq!(total(&report), (3, 2, 0, 1));
    let dump = fs::read_to_string(workspace.out().join("bids/alberta.ndjson")).unwrap();
    assert!(!dump.contains("erson"), "{dump}");
}

#[test]
fn an_amount_of_alberta_that_is_no_number_and_a_repeated_bidder_are_noted() {
    let workspace = Workspace::new();
    let bidder = |name: &str, amounts: Value| json!({"alternativeSupplierDisplayName": name, "bidAmounts": amounts});
    let amount = |amount: Value| json!([{"optionId": "o", "amount": amount}]);
    let posting = json!([{
        "opportunity": {"referenceNumber": "AB-2025-00002", "title": "Road", "postingTypeCode": "OPEN-COMPETITIVE"},
        "bidders": [
            bidder("A", amount(json!("abc"))),
            bidder("B", amount(json!(true))),
            bidder("C", json!("12")),
            bidder("D", json!([12])),
            bidder("E", amount(json!("7.5"))),
            bidder("F", amount(json!(0))),
            bidder("G", amount(Value::Null)),
            bidder("H", Value::Null),
            bidder("I", amount(json!(8))),
            bidder("I", amount(json!(8))),
        ],
    }]);
    workspace.put("a.json", posting.to_string().as_bytes());
    let report = workspace.run();
    let kept = &notices(&workspace, "alberta")[0]["bids"];
    let amounts: Vec<&Value> = kept.as_array().unwrap().iter().map(|bid| &bid["amount"]).collect();
    let mut expected = vec![Value::Null; 10];
    (expected[4], expected[8], expected[9]) = (json!(7.5), json!(8.0), json!(8.0));
    assert_eq!(amounts, expected.iter().collect::<Vec<_>>());
    assert_eq!(total(&report), (10, 10, 0, 0));
    assert_eq!(
        notes(&report),
        [
            ("a bid listed twice with identical values, kept", 1),
            ("an amount that is no number, left out", 4),
        ]
    );
}

#[test]
fn a_source_without_bidders_has_no_dump_of_bids_any_longer() {
    let workspace = Workspace::new();
    let bidder = "<nomorganisation>Un</nomorganisation>";
    workspace.put("a.xml", export("2018-01-31", "1", "3", &[bidder]).as_bytes());
    workspace.run();
    assert!(workspace.out().join("bids/seao-xml.ndjson").exists());
    workspace.put("a.xml", export("2018-01-31", "1", "3", &[]).as_bytes());
    workspace.run();
    assert!(!workspace.out().join("bids/seao-xml.ndjson").exists());
}
