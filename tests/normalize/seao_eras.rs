//! SEAO notices that are in both eras: lots with the same price, current values, thousands of
//! awards.

use super::*;

const ACME: &str = "1142700724";

/// An export of one month of 2022.
fn export(month: &str, notices: &[String]) -> Vec<u8> {
    format!(
        "<export datedebut=\"2022-{month}-01\" datefin=\"2022-{month}-28\">{}</export>",
        notices.concat()
    )
    .into_bytes()
}

fn notice(number: u32, winners: &[String]) -> String {
    format!(
        "<avis><numeroseao>{number}</numeroseao><numero>N-{number}</numero><organisme>Ville de Laval</organisme>\
         <municipal>1</municipal><ville>Laval</ville><titre>Objet</titre><type>3</type><nature>1</nature>\
         <datepublication>2022-01-02 08:00</datepublication><datesaisieadjudication>2022-01-15 10:00</datesaisieadjudication>\
         <dateadjudication>2022-01-10</dateadjudication><fournisseurs>{}</fournisseurs></avis>",
        winners.concat()
    )
}

fn winner(name: &str, amount: &str) -> String {
    format!(
        "<fournisseur><nomorganisation>{name}</nomorganisation><neq>{ACME}</neq><adjudicataire>1</adjudicataire>\
         <montantcontrat>{amount}</montantcontrat></fournisseur>"
    )
}

fn award(id: usize, amount: f64) -> Value {
    json!({"id": id.to_string(), "status": "active", "date": "2022-01-10T00:00:00-05:00",
        "value": {"amount": amount, "currency": "CAD"}, "suppliers": [{"id": format!("FO-{ACME}"), "name": "Acme inc."}]})
}

fn release(number: u32, id: &str, awards: &[Value], contracts: &[Value]) -> Vec<u8> {
    let release = json!({"ocid": format!("ocds-ec9k95-{number}"), "id": id, "date": "2022-01-02T08:00:00-05:00",
        "tender": {"id": "N", "title": "Objet", "status": "complete"}, "awards": awards, "contracts": contracts});
    json!({"releases": [release]}).to_string().into_bytes()
}

fn contracts(files: &[(&str, Vec<u8>)], dump: &str) -> Vec<Value> {
    let workspace = Workspace::new();
    for (name, bytes) in files {
        workspace.put(name, bytes);
    }
    workspace.run();
    let mut contracts = workspace.records(dump);
    contracts.sort_by_key(|contract| contract["record_id"].to_string());
    contracts
}

fn ids(contracts: &[Value]) -> Vec<&str> {
    contracts.iter().map(|c| c["record_id"].as_str().unwrap()).collect()
}

#[test]
fn lots_with_the_same_price_are_numbered_by_their_content() {
    let plain = format!("seao|303|{ACME}|2022-01-10|10.00");
    let second = format!("{plain}|2");
    let with_awards = |order: [usize; 2]| {
        let awards = order.map(|id| award(id, 10.0));
        contracts(
            &[("a.json", release(303, "20220116120000", &awards, &[]))],
            "contract/seao-ocds",
        )
    };
    let (forward, reversed) = (with_awards([9, 10]), with_awards([10, 9]));
    assert_eq!(ids(&forward), [&plain, &second]);
    assert_eq!(forward[0]["contract_id"], "9");
    assert_eq!(forward, reversed);

    let with_winners = |names: [&str; 3]| {
        let winners = names.map(|name| winner(name, "10.00"));
        contracts(
            &[("a.xml", export("01", &[notice(303, &winners)]))],
            "contract/seao-xml",
        )
    };
    let (forward, reversed) = (
        with_winners(["Acme", "Acme", "Acme Nord"]),
        with_winners(["Acme Nord", "Acme", "Acme"]),
    );
    assert_eq!(
        ids(&forward),
        [&plain, &second],
        "an entry that is repeated completely is one contract"
    );
    assert_eq!(forward, reversed);
}

#[test]
fn lots_that_only_a_release_distinguishes_survive_a_newer_export() {
    let two = [award(1, 10.0), award(2, 10.0)];
    let twice = [winner("Acme", "10.00"), winner("Acme", "10.00")];
    let files = [
        ("a.json", release(303, "20220116120000", &two, &[])),
        ("b.xml", export("03", &[notice(303, &twice)])),
    ];
    let contracts_read = contracts(&files, "contract/seao-xml");
    assert_eq!(ids(&contracts_read).len(), 2);
    assert!(
        contracts_read
            .iter()
            .all(|contract| contract["sources"] == json!(["seao-ocds", "seao-xml"]))
    );
}

#[test]
fn the_current_value_of_a_release_survives_a_newer_export_of_the_award() {
    let signed = json!({"id": "1", "awardID": "1", "status": "terminated", "dateSigned": "2022-01-12",
        "value": {"amount": 1500.0, "currency": "CAD"}});
    let released = release(200, "20220116120000", &[award(1, 1000.0)], &[signed]);
    for (month, dump) in [("01", "contract/seao-ocds"), ("03", "contract/seao-xml")] {
        let exported = export(month, &[notice(200, &[winner("Acme inc.", "1000.00")])]);
        let contracts_read = contracts(&[("a.xml", exported), ("b.json", released.clone())], dump);
        let [contract] = contracts_read.as_slice() else {
            panic!("{contracts_read:?}")
        };
        assert_eq!(
            (&contract["contract_value"], &contract["original_value"]),
            (&json!(1500.0), &json!(1000.0)),
            "{month}"
        );
        assert_eq!(contract["status"], "terminated");
        assert_eq!(contract["start_date"], "2022-01-12");
    }
}

#[test]
fn an_enterprise_number_that_one_era_lacks_comes_from_the_other() {
    let signed = json!({"id": "1", "awardID": "1", "status": "active", "value": {"amount": 1200.0, "currency": "CAD"}});
    let released = release(210, "20220116120000", &[award(1, 1000.0)], &[signed]);
    let unnumbered = |amount| winner("ACME Inc", amount).replace(&format!("<neq>{ACME}</neq>"), "<neq/>");
    let read = |winners: &[String]| {
        let exported = export("03", &[notice(210, winners)]);
        contracts(
            &[("a.xml", exported), ("b.json", released.clone())],
            "contract/seao-xml",
        )
    };
    let contracts_read = read(&[unnumbered("1000.00")]);
    let [contract] = contracts_read.as_slice() else {
        panic!("{contracts_read:?}")
    };
    assert_eq!(contract["record_id"], format!("seao|210|{ACME}|2022-01-10|1000.00"));
    assert_eq!(contract["vendor_id"], format!("FO-{ACME}"));
    assert_eq!(
        (&contract["contract_value"], &contract["original_value"]),
        (&json!(1200.0), &json!(1000.0))
    );
    let both = read(&[winner("Acme inc.", "1000.00"), unnumbered("1000.00")]);
    let distinct: std::collections::HashSet<&str> = ids(&both).into_iter().collect();
    assert_eq!(distinct.len(), both.len(), "{both:?}");
    let values: Vec<&Value> = both.iter().map(|contract| &contract["contract_value"]).collect();
    assert_eq!(
        values,
        [&json!(1200.0), &json!(1000.0)],
        "one release updates one contract"
    );
    // Each award is matched by its own amount.
    let lots = release(211, "20220116120000", &[award(1, 1000.0), award(2, 500.0)], &[]);
    let exported = export("03", &[notice(211, &[unnumbered("1000.00"), unnumbered("500.00")])]);
    let contracts_read = contracts(&[("a.xml", exported), ("b.json", lots)], "contract/seao-xml");
    let awards: Vec<_> = contracts_read
        .iter()
        .map(|known| (&known["contract_id"], &known["contract_value"]))
        .collect();
    assert_eq!(awards, [(&json!("1"), &json!(1000.0)), (&json!("2"), &json!(500.0))]);
    let other = read(&[unnumbered("900.00")]);
    assert_eq!(ids(&other), [format!("seao|210|{ACME}|2022-01-10|900.00")]);
    assert_eq!(
        other[0]["contract_value"], 900.0,
        "a contract without a matching award is not updated"
    );
}

#[test]
fn a_negative_amount_is_a_value() {
    let reduced = [award(1, -500.0)];
    let contracts_read = contracts(
        &[("a.json", release(301, "20220116120000", &reduced, &[]))],
        "contract/seao-ocds",
    );
    assert_eq!(contracts_read[0]["contract_value"], -500.0);
}

/// Quadratic work per award would take minutes.
#[test]
fn a_notice_with_thousands_of_awards_is_read_in_linear_time() {
    const MANY: usize = 20_000;
    let awards: Vec<Value> = (0..MANY).map(|id| award(id, 1000.0 + id as f64)).collect();
    let contracts_read = contracts(
        &[
            ("a.json", release(1, "20220115120000", &awards, &[])),
            (
                "b.xml",
                export(
                    "03",
                    &[notice(
                        1,
                        &(0..MANY)
                            .map(|n| winner("Acme inc.", &format!("{}.00", 1000 + n)))
                            .collect::<Vec<_>>(),
                    )],
                ),
            ),
        ],
        "contract/seao-xml",
    );
    assert_eq!(contracts_read.len(), MANY);
}
