//! How SEAO's codes become the type, method, regions and value of a notice.

use super::*;

/// An export with one notice, up to the day `last`.
fn export(last: &str, notice: &str) -> Vec<u8> {
    format!("<export datedebut=\"2009-01-01\" datefin=\"{last}\">{notice}</export>").into_bytes()
}

/// A notice of a buyer that is not municipal, with `more` elements in it.
fn notice(more: &str) -> String {
    format!(
        "<avis><numeroseao>7</numeroseao><organisme>Ministère des Transports du Québec</organisme><municipal>0</municipal>\
         <nature>1</nature><datepublication>2018-01-02 08:00</datepublication>{more}<fournisseurs/></avis>"
    )
}

/// The only tender of a file, and the notes on unknown codes in the report.
fn read(file: &str, bytes: &[u8], dump: &str) -> (Value, Vec<String>) {
    let workspace = Workspace::new();
    workspace.put(file, bytes);
    let report = workspace.run();
    let notes = report.files[0].counts.notes.keys();
    let unknown = notes.filter(|note| note.starts_with("unknown")).cloned().collect();
    let [tender] = workspace.records(dump).try_into().unwrap();
    (tender, unknown)
}

fn exported(last: &str, more: &str) -> (Value, Vec<String>) {
    read("a.xml", &export(last, &notice(more)), "tender/seao-xml")
}

fn released(tender: Value) -> (Value, Vec<String>) {
    let release = json!({"ocid": "ocds-ec9k95-7", "id": "20260702120000", "date": "2026-07-02T08:00:00-04:00",
        "buyer": {"id": "OP-1", "name": "Ministère des Transports"}, "tender": tender});
    let package = json!({"releases": [release]}).to_string();
    read("a.json", package.as_bytes(), "tender/seao-ocds")
}

#[test]
fn region_numbers_are_read_by_the_table_of_their_export() {
    const CODES: &str = "<regionlivraison>3,10,11,14,15,16,18,19</regionlivraison>";
    let old = CODES.to_owned();
    let new = format!("<ville>Québec</ville><titre>Objet</titre>{CODES}");
    let half = format!("<ville>Québec</ville>{CODES}");
    let unknown = |codes: &[&str]| -> Vec<String> {
        let notes = codes.iter().map(|code| format!("unknown '{code}' in regionlivraison"));
        notes.collect()
    };
    let by_specification = "Capitale-Nationale; Nord-du-Québec; Laurentides; Montérégie; Lanaudière; Gaspésie–Îles-de-la-Madeleine; Hors Québec";
    let by_law = "Capitale-Nationale; Nord-du-Québec; Gaspésie–Îles-de-la-Madeleine; Lanaudière; Laurentides; Montérégie; Hors Québec";
    let common = "Capitale-Nationale; Hors Québec";
    let differing = unknown(&["10", "11", "14", "15", "16", "18"]);
    for (last, more, regions, left_out) in [
        ("2009-12-31", &old, by_specification, unknown(&["10"])),
        ("2013-12-31", &old, by_specification, unknown(&["10"])),
        ("2018-01-31", &new, by_law, unknown(&["18"])),
        ("2016-01-01", &new, by_law, unknown(&["18"])),
        // The table is unknown for this layout or these days.
        ("2015-12-31", &new, common, differing.clone()),
        ("2018-01-31", &old, common, differing.clone()),
        ("2009-12-31", &half, common, differing.clone()),
        ("2018-01-31", &half, common, differing),
    ] {
        let (tender, unknown) = exported(last, more);
        assert_eq!(tender["regions_of_delivery_fr"], regions, "{last} {more}");
        assert_eq!(unknown, left_out, "{last} {more}");
    }
}

#[test]
fn notice_types_of_exports_have_the_publishers_labels() {
    for (code, french, method) in [
        ("3", "Contrat adjugé suite à un appel d’offres public", Some("open")),
        (
            "11",
            "Contrat à la suite d’un achat mandaté ou d’un regroupement d’organismes",
            None,
        ),
        (
            "14",
            "Contrat suite à un appel d’offres sur invitation publié au SEAO",
            Some("limited"),
        ),
        ("16", "Contrat conclu relatif aux infrastructures de transport", None),
        (
            "17",
            "Contrat conclu - Appel d’offres public non publié au SEAO",
            Some("open"),
        ),
    ] {
        let (tender, unknown) = exported("2018-01-31", &format!("<type>{code}</type>"));
        assert_eq!(tender["notice_type_fr"], french, "{code}");
        assert_eq!(
            tender.get("procurement_method").and_then(Value::as_str),
            method,
            "{code}"
        );
        assert!(
            tender["procurement_method_fr"].is_string() && tender["notice_type_en"].is_string(),
            "{code}"
        );
        assert_eq!(unknown, [""; 0], "{code}");
    }
}

#[test]
fn legal_grounds_without_a_published_label_are_left_out_and_noted() {
    for (municipal, codes) in [("0", &["17", "18", "19", "20", "22", "29"] as &[&str]), ("1", &["23"])] {
        for code in codes {
            let xml = notice(&format!("<disposition>{code}</disposition>"));
            let xml = xml.replace("<municipal>0<", &format!("<municipal>{municipal}<"));
            let (tender, unknown) = read("a.xml", &export("2018-01-31", &xml), "tender/seao-xml");
            assert_eq!(tender.get("eligibility"), None, "{code}");
            assert_eq!(unknown, [format!("unknown '{code}' in disposition")]);
        }
    }
}

/// The publisher's sixteen notice types, and the former names of two of them.
#[test]
fn every_notice_type_has_an_english_name_and_a_method() {
    let open = ("open", "Public call for tenders");
    let invited = ("limited", "Call for tenders by invitation");
    let direct = ("direct", "Contract by mutual agreement");
    for (french, code, english, method) in [
        ("Avis d’appel d’offres", "open", "Call for tenders", Some(open)),
        ("Avis d’appel d’offres", "limited", "Call for tenders", Some(invited)),
        (
            "Avis d’appel d’offres régionalisé",
            "open",
            "Regionalized call for tenders",
            Some(open),
        ),
        (
            "Avis d’appel d’offres réservé aux petites entreprises du Québec et à celles d’ailleurs au Canada",
            "open",
            "Call for tenders reserved for small enterprises of Quebec and of elsewhere in Canada",
            Some(open),
        ),
        (
            "Avis d’appel d’offres sur invitation",
            "",
            "Call for tenders by invitation",
            Some(invited),
        ),
        (
            "Avis de demande de prix auprès des entreprises qualifiées",
            "open",
            "Request for prices from qualified enterprises",
            Some(("selective", "Request for prices from qualified enterprises")),
        ),
        (
            "Avis d’appel d’intérêt",
            "open",
            "Call for expressions of interest",
            None,
        ),
        ("Avis d’intention", "open", "Notice of intention", Some(direct)),
        ("Avis de qualification", "open", "Qualification notice", None),
        (
            "Avis de qualification d’entrepreneurs (infrastructures de transport)",
            "open",
            "Qualification notice for contractors (transport infrastructure)",
            None,
        ),
        (
            "Avis d’homologation de produits (Approvisionnements)",
            "open",
            "Product certification notice (supplies)",
            None,
        ),
        ("Documents normatifs", "open", "Normative documents", None),
        (
            "Contrat de gré à gré",
            "",
            "Contract awarded by mutual agreement",
            Some(direct),
        ),
        (
            "Contrat à la suite d'un appel d’offres sur invitation",
            "limited",
            "Contract awarded following a call for tenders by invitation",
            Some(invited),
        ),
        (
            "Contrat suite à un appel d'offres sur invitation",
            "",
            "Contract awarded following a call for tenders by invitation",
            Some(invited),
        ),
        (
            "Contrat à la suite d'un achat mandaté ou d'un regroupement d’organismes",
            "open",
            "Contract following a mandated purchase or a grouping of bodies",
            Some(open),
        ),
        (
            "Contrat suite à un achat mandaté ou à un regroupement d'organismes",
            "",
            "Contract following a mandated purchase or a grouping of bodies",
            None,
        ),
        (
            "Contrat conclu - Appel d’offres public non publié au SEAO",
            "",
            "Contract concluded - Public call for tenders not published on SEAO",
            Some(("open", "Public call for tenders not published on SEAO")),
        ),
        (
            "Contrat relatif aux infrastructures de transport",
            "limited",
            "Transport infrastructure contract",
            Some(("limited", "Transport infrastructure contract")),
        ),
    ] {
        for french in [french.to_owned(), french.replace('’', "'"), french.replace('\'', "’")] {
            let (tender, unknown) = released(json!({"id": "N", "title": "Objet", "status": "active",
                "procurementMethodDetails": french, "procurementMethod": code}));
            let text = |field: &str| tender.get(field).and_then(Value::as_str);
            assert_eq!(text("notice_type_en"), Some(english), "{french}");
            assert_eq!(text("notice_type_fr"), Some(french.as_str()));
            let read = text("procurement_method").zip(text("procurement_method_en"));
            assert_eq!(read, method, "{french}, {code}");
            assert_eq!(
                text("procurement_method_fr").is_some(),
                method.is_some(),
                "{french}, {code}"
            );
            assert_eq!(unknown, [""; 0], "{french}");
        }
    }
}

#[test]
fn a_tender_has_the_value_that_the_buyer_expects_to_pay() {
    let value = |stated: Value| {
        let (tender, _) = released(json!({"id": "N", "title": "Objet", "status": "active", "value": stated,
            "minValue": {"amount": 368000}}));
        (tender.get("contract_value").cloned(), tender.get("currency").cloned())
    };
    for (stated, amount, currency) in [
        (json!({"amount": 653199}), Some(json!(653199.0)), Some(json!("CAD"))),
        (
            json!({"amount": 10.5, "currency": "USD"}),
            Some(json!(10.5)),
            Some(json!("USD")),
        ),
        (json!({"amount": 0}), None, None),
        (json!({"amount": -5}), None, None),
        (json!({"currency": "CAD"}), None, None),
        (json!(null), None, None),
    ] {
        assert_eq!(value(stated.clone()), (amount, currency), "{stated}");
    }
}

/// It survives an export that is newer than the release.
#[test]
fn the_expected_value_belongs_to_the_tender_not_to_its_contracts() {
    let release = json!({"ocid": "ocds-ec9k95-7", "id": "20170702120000", "date": "2017-07-02T08:00:00-04:00",
        "tender": {"id": "N", "title": "Objet", "status": "complete", "value": {"amount": 653199}},
        "awards": [{"id": "1", "status": "active", "date": "2017-06-01T00:00:00-04:00",
            "suppliers": [{"id": "FO-1142700724", "name": "Acme inc."}]}]});
    let workspace = Workspace::new();
    workspace.put("a.json", release.to_string().as_bytes());
    workspace.run();
    let [contract] = workspace.records("contract/seao-ocds").try_into().unwrap();
    assert_eq!(
        (contract.get("contract_value"), &contract["vendor_name"]),
        (None, &json!("Acme inc."))
    );
    workspace.put("a.xml", &export("2018-01-31", &notice("<type>3</type>")));
    workspace.run();
    let [tender] = workspace.records("tender/seao-xml").try_into().unwrap();
    assert_eq!(tender["sources"], json!(["seao-ocds", "seao-xml"]));
    assert_eq!(
        (&tender["contract_value"], &tender["currency"]),
        (&json!(653199.0), &json!("CAD"))
    );
}
