//! Words of commodity codes: who teaches them, which records gain them, and what the report counts.

use std::collections::BTreeSet;

use procure::model::commodity::{CommodityCode, Scheme};

use super::{federal::under_header_of, *};

/// An export of SEAO with a notice for each code. A notice has no words of its own.
fn notices(codes: &[&str]) -> Vec<u8> {
    let notice = |(number, code): (usize, &&str)| {
        format!(
            "<avis><numeroseao>10{number}</numeroseao><organisme>Ministère des Transports du Québec</organisme><municipal>0</municipal>\
             <nature>1</nature><datepublication>2018-01-02 08:00</datepublication><unspscprincipale>{code}</unspscprincipale>\
             <fournisseurs/></avis>"
        )
    };
    let notices: String = codes.iter().enumerate().map(notice).collect();
    format!("<export datedebut=\"2018-01-01\" datefin=\"2018-01-31\">{notices}</export>").into_bytes()
}

/// Releases of SEAO whose items have these codes and French words.
fn releases(items: &[&[(&str, &str)]]) -> Vec<u8> {
    let release = |(number, classes): (usize, &&[(&str, &str)])| {
        let class =
            |(id, description): &(&str, &str)| json!({"scheme": "UNSPSC", "id": id, "description": description});
        let items: Vec<Value> = classes
            .iter()
            .map(|pair| json!({"classification": class(pair)}))
            .collect();
        json!({"ocid": format!("ocds-ec9k95-1{number:03}"), "id": "20260702120000", "date": "2026-07-02T08:00:00-04:00",
            "buyer": {"id": "OP-1", "name": "Ministère des Transports"}, "tender": {"items": items}})
    };
    let releases: Vec<Value> = items.iter().enumerate().map(release).collect();
    json!({"releases": releases}).to_string().into_bytes()
}

/// The French words of each notice of an export, by its code.
fn french_words(workspace: &Workspace) -> BTreeMap<String, String> {
    let tenders = workspace.records("tender/seao-xml");
    let text = |tender: &Value, field: &str| tender[field].as_str().unwrap_or("none").to_owned();
    tenders
        .iter()
        .map(|tender| (text(tender, "unspsc"), text(tender, "unspsc_description_fr")))
        .collect()
}

#[test]
fn codes_gain_the_words_that_other_records_state() {
    let workspace = Workspace::new();
    workspace.put(
        "a.xml",
        &notices(&["72103300", "72103301", "43191908", "31000000", "98000000", "0"]),
    );
    let ocds = releases(&[
        &[("72103300", "Entretien de routes")],
        &[("72103300", "Voirie"), ("72100000", "Immeubles")],
        &[("72103300", "Voirie")],
        &[("43000000", "Informatique publique")],
    ]);
    workspace.put("b.json", &ocds);
    let report = workspace.run();
    let expected = [
        ("0", "none"),
        // No table names the segment 98.
        ("98000000", "none"),
        ("31000000", "Composants et fournitures de fabrication"),
        ("43191908", "Informatique publique"),
        ("72103300", "Voirie"),
        ("72103301", "Voirie"),
    ];
    assert_eq!(
        french_words(&workspace),
        BTreeMap::from(expected.map(|(code, words)| (code.to_owned(), words.to_owned())))
    );
    let published = workspace.records("tender/seao-ocds");
    let words: Vec<&Value> = published
        .iter()
        .map(|tender| &tender["unspsc_description_fr"])
        .collect();
    assert_eq!(
        words,
        [
            "Entretien de routes",
            "Voirie; Immeubles",
            "Voirie",
            "Informatique publique"
        ],
        "the words of a publisher stay"
    );
    let counts = &report.commodities["unspsc"];
    assert_eq!(
        (
            counts.codes,
            counts.known,
            counts.learned,
            counts.covered,
            counts.unknown
        ),
        (7, 1, 3, 2, 1),
        "31: of the program; 43, 721033, 7210: learned; 72103301, 43191908: of a level above; 98: unknown"
    );
    // All but those without words; the releases gain English words.
    assert_eq!(counts.records_completed, 4 + 4);
    assert_eq!(report.fields["tender/seao-xml"]["unspsc_description_fr"], json!(0.6667));
    assert!(
        report.to_string().contains("unspsc  7 codes: 1 known, 3 learned"),
        "{report}"
    );
}

#[test]
fn a_second_run_knows_what_the_first_has_learned() {
    let learning = Workspace::new();
    let xml = notices(&["72103300", "95121699"]);
    learning.put("a.xml", &xml);
    learning.put(
        "b.json",
        &releases(&[&[("72103300", "Voirie")], &[("95121699", "Ponceau")]]),
    );
    learning.run();
    let (dictionary, dumps) = (learning.dictionary(), learning.dumps());
    let report = learning.run();
    assert_eq!(learning.dictionary(), dictionary, "the same inputs teach the same");
    assert_eq!(learning.dumps(), dumps);
    let counts = &report.commodities["unspsc"];
    assert_eq!((counts.codes, counts.known, counts.learned), (2, 0, 2));

    // A run that sees the codes alone remembers their words, and counts the records that it has seen.
    fs::remove_file(learning.folder.path().join("in/b.json")).unwrap();
    let report = learning.run();
    assert_eq!(french_words(&learning)["95121699"], "Ponceau");
    let counts = &report.commodities["unspsc"];
    assert_eq!((counts.codes, counts.known, counts.learned), (2, 2, 0));
    assert!(
        learning
            .dictionary()
            .contains("\"code\":\"95121699\",\"title_fr\":\"Ponceau\",\"records\":1")
    );

    // What a run learns precedes what former runs have learned.
    learning.put("b.json", &releases(&[&[("95121699", "Petit pont")]]));
    learning.run();
    assert_eq!(french_words(&learning)["95121699"], "Petit pont");
    assert_eq!(french_words(&learning)["72103300"], "Voirie");
}

#[test]
fn the_operators_table_precedes_what_is_learned() {
    let workspace = Workspace::new();
    workspace.put("a.xml", &notices(&["72103300", "72103399", "72999999"]));
    workspace.put("b.json", &releases(&[&[("72103300", "Voirie")]]));
    let table = workspace.folder.path().join("table.csv");
    let options = NormalizeOptions {
        commodities: Some(table.clone()),
        ..workspace.options()
    };
    fs::write(
        &table,
        "scheme,code,title_en,title_fr\nunspsc,72103300,Roads,Routes\nunspsc,72,,Chantiers\n",
    )
    .unwrap();
    let report = run(&options).unwrap();
    let words = french_words(&workspace);
    assert_eq!(
        (words["72103300"].as_str(), words["72103399"].as_str()),
        ("Routes", "Routes")
    );
    assert_eq!(words["72999999"], "Chantiers");
    let counts = &report.commodities["unspsc"];
    assert_eq!((counts.known, counts.learned, counts.covered), (1, 0, 2));

    fs::write(
        &table,
        "scheme,code,title_en,title_fr\nunspsc,72103300,Roads,Routes\nunspsc,7a,Roads,\n",
    )
    .unwrap();
    let error = workspace.error(&options);
    assert!(
        error.contains("table.csv line 3: 'unspsc:7a' is not a commodity code; write"),
        "{error}"
    );
    fs::remove_file(&table).unwrap();
    assert!(
        workspace.error(&options).contains("table.csv"),
        "a table that does not exist"
    );

    fs::write(workspace.out().join(DICTIONARY), "{\"scheme\":\"unspsc\"}\n").unwrap();
    let error = workspace.error(&workspace.options());
    assert!(
        error.contains("commodities.ndjson line 1: missing field `code`"),
        "{error}"
    );
    assert!(error.contains("mend the line, or remove the file"), "{error}");
    fs::write(workspace.out().join(DICTIONARY), b"\n\xe9\n").unwrap();
    let error = workspace.error(&workspace.options());
    assert!(
        error.contains("commodities.ndjson line 2: is not UTF-8; mend the line, or remove the file"),
        "{error}"
    );
}

/// A standing offer gives no record, and Alberta's records state the finest level of a code alone.
#[test]
fn what_gives_no_record_teaches_words_too() {
    let workspace = Workspace::new();
    workspace.put("a.xml", &notices(&["73111502", "72141199", "72999999"]));
    let offer = vec![
        ("contractNumber-numeroContrat", "SO1"),
        ("amendmentNumber-numeroModification", "000"),
        ("instrumentType-typeInstrument-eng", "National Master Standing Offer"),
        ("unspsc", "73110000"),
        ("unspscDescription-eng", "Wood and paper industries"),
        ("unspscDescription-fra", "Industries du bois et du papier"),
    ];
    workspace.put("b.csv", &under_header_of("canadabuys-contract.csv", &[offer]));
    workspace.put("c.json", &fixture("alberta-opportunities.json"));
    let report = workspace.run();
    let words: BTreeMap<String, Value> = workspace
        .records("tender/seao-xml")
        .into_iter()
        .map(|tender| (tender["unspsc"].to_string(), tender["unspsc_description_en"].clone()))
        .collect();
    let expected = [
        ("\"72141199\"", "Paving"),
        ("\"72999999\"", "Building services"),
        ("\"73111502\"", "Wood and paper industries"),
    ];
    assert_eq!(
        words,
        BTreeMap::from(expected.map(|(code, words)| (code.to_owned(), json!(words))))
    );
    assert_eq!(french_words(&workspace)["73111502"], "Industries du bois et du papier");
    assert_eq!(
        report.commodities["unspsc"].codes, 5,
        "three of Quebec and two of Alberta: only codes that records state count"
    );
}

/// A record with many codes gains as many words as fit, each once.
#[test]
fn the_words_of_many_codes_are_distinct_and_bounded() {
    let workspace = Workspace::new();
    let long: Vec<String> = (0..40).map(|n| format!("Titre {n} {}", "é".repeat(40))).collect();
    let codes: Vec<String> = (0..40).map(|n| format!("721{n:03}01")).collect();
    let pairs: Vec<Vec<(&str, &str)>> = codes
        .iter()
        .zip(&long)
        .map(|(code, words)| vec![(code.as_str(), words.as_str())])
        .collect();
    let pairs: Vec<&[(&str, &str)]> = pairs.iter().map(Vec::as_slice).collect();
    workspace.put("b.json", &releases(&pairs));
    // Alberta lists codes without French words.
    let listed: Vec<Value> = codes.iter().flat_map(|code| [json!(code), json!(code)]).collect();
    let mut alberta: Value = serde_json::from_slice(&fixture("alberta-opportunities.json")).unwrap();
    let row = first_with(&mut alberta, "commodityCodes");
    row["commodityCodes"] = listed.into();
    row["commodityCodeTitles"] = json!([]);
    workspace.put("a.json", alberta.to_string().as_bytes());
    workspace.run();
    let tenders = workspace.records("tender/alberta");
    let words: Vec<&str> = tenders
        .iter()
        .filter_map(|tender| tender["unspsc_description_fr"].as_str())
        .collect();
    let longest = words.iter().max_by_key(|words| words.len()).unwrap();
    assert!((1_300..=1_500).contains(&longest.len()), "{}", longest.len());
    let members: Vec<&str> = longest.split("; ").collect();
    assert_eq!(members.iter().collect::<BTreeSet<_>>().len(), members.len());
    assert!(
        members.iter().all(|member| long.iter().any(|words| words == member)),
        "{longest}"
    );
}

/// The first object in a JSON value that has a member.
fn first_with<'a>(value: &'a mut Value, member: &str) -> &'a mut Value {
    fn find<'a>(value: &'a mut Value, member: &str) -> Option<&'a mut Value> {
        if value.get(member).is_some() {
            return Some(value);
        }
        match value {
            Value::Array(values) => values.iter_mut().find_map(|value| find(value, member)),
            Value::Object(values) => values.values_mut().find_map(|value| find(value, member)),
            _ => None,
        }
    }
    find(value, member).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Which file is named first, and how the records are spread over files, changes nothing.
    #[test]
    fn the_words_do_not_depend_on_the_order_of_the_inputs(
        pairs in prop::collection::vec(("72(10|14)(00|33)(00|01)", "(a|b|c|d; e)"), 1..12),
        cut in 0_usize..12,
    ) {
        let items: Vec<Vec<(&str, &str)>> = pairs.iter().map(|(code, words)| vec![(code.as_str(), words.as_str())]).collect();
        let items: Vec<&[(&str, &str)]> = items.iter().map(Vec::as_slice).collect();
        let codes = ["72103301", "72140000", "72990000"];
        let one = Workspace::new();
        one.put("a.json", &releases(&items));
        one.put("b.xml", &notices(&codes));
        one.run();
        let other = Workspace::new();
        let (first, second) = items.split_at(cut.min(items.len()));
        let mut turned = second.to_vec();
        turned.extend(first);
        other.put("z.json", &releases(&turned));
        other.put("b.xml", &notices(&codes));
        other.run();
        prop_assert_eq!(other.dictionary(), one.dictionary());
        prop_assert_eq!(french_words(&other), french_words(&one));
    }
}

/// Every record of the XML years whose code, or a code above it, occurs with words anywhere in the input
/// has words.
#[test]
fn real_records_have_the_words_that_occur_anywhere() {
    let Some((workspace, report)) = real_files(&[""]) else {
        return;
    };
    let code = |text: &str| CommodityCode::parse(&format!("unspsc:{text}")).ok();
    // Codes of records that state one code and its words in the files themselves.
    let mut worded: [BTreeSet<CommodityCode>; 2] = Default::default();
    for dump in [
        "tender/seao-ocds",
        "contract/seao-ocds",
        "contract/canadabuys-contract",
        "tender/canadabuys-tender",
        "tender/alberta",
    ] {
        for record in workspace.records(dump) {
            let Some(codes) = record["unspsc"].as_str() else {
                continue;
            };
            for (language, worded) in ["en", "fr"].iter().zip(&mut worded) {
                let is_published = match dump.split_once('/').unwrap().1 {
                    "seao-ocds" => *language == "fr",
                    "alberta" => *language == "en",
                    _ => true,
                };
                if is_published && !codes.contains(',') && record[format!("unspsc_description_{language}")].is_string()
                {
                    worded.extend(code(codes));
                }
            }
        }
    }
    let (mut records, mut with_words, mut with_own) = (0, 0, 0);
    for dump in ["tender/seao-xml", "contract/seao-xml"] {
        for record in workspace.records(dump) {
            let Some(code) = record["unspsc"].as_str().and_then(code) else {
                continue;
            };
            records += 1;
            for (language, worded) in ["en", "fr"].iter().zip(&worded) {
                let known: Vec<CommodityCode> = code
                    .ancestors()
                    .into_iter()
                    .chain([code.clone()])
                    .filter(|code| worded.contains(code))
                    .collect();
                let words = record[format!("unspsc_description_{language}")].as_str();
                assert!(known.is_empty() || words.is_some(), "{record}");
                with_own += u64::from(*language == "fr" && known.contains(&code));
                with_words += u64::from(*language == "fr" && words.is_some());
            }
        }
    }
    println!(
        "of {records} records with a code, {with_words} have French words, {with_own} those of the code itself\n{report}"
    );
    assert!(with_words > 9 * records / 10, "{with_words} of {records}");
    let counts = &report.commodities[Scheme::Unspsc.name()];
    assert_eq!(
        counts.codes,
        counts.known + counts.learned + counts.covered + counts.unknown
    );
}
