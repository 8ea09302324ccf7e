//! How names are joined by claims, and where they stop.

use proptest::prelude::*;

use super::*;
use crate::{
    catalog::suppliers::{Party, claims::Claims, made::MadeSuppliers},
    model::supplier_mention::{MentionLine, OfficialNumber, Relation, SupplierMention},
};

fn mention(name: &str, number: &str, postal_code: &str) -> MentionLine {
    let mention = SupplierMention::of(name, "seao-xml").at(None, Some(postal_code));
    MentionLine {
        mention: mention.with_number(OfficialNumber::neq(number).ok().flatten()),
        count: 2,
        first: None,
    }
}

fn also(name: &str, other: &str, relation: Relation) -> MentionLine {
    MentionLine {
        mention: SupplierMention::of(name, "x").also(other, relation),
        count: 1,
        first: None,
    }
}

/// The names of each supplier with several, and the file.
fn joined(mentions: &[MentionLine], claims: &str) -> (Vec<Vec<String>>, String) {
    let names = Names::new(mentions, Vec::new());
    let claims = Claims::parse(claims.as_bytes()).unwrap();
    let resolved = claims.resolve(Party::Supplier, &names).unwrap();
    let clusters = Clusters::new(&names, &resolved);
    let several = clusters.members.iter().filter(|members| members.len() > 1);
    let keys = |members: &Vec<u32>| members.iter().map(|name| names.get(*name).key.clone()).collect();
    let lines = MadeSuppliers::new(&names, &clusters, Party::Supplier).lines().unwrap();
    let lines = String::from_utf8(lines).unwrap();
    (several.map(keys).collect(), lines)
}

fn claim(claim: &str, a: &str, b: &str) -> String {
    format!("{{\"claim\":\"{claim}\",\"a\":\"{a}\",\"b\":\"{b}\"}}\n")
}

#[test]
fn equal_numbers_equal_cores_and_publishers_join() {
    let (found, _) = joined(
        &[
            mention("Sintra inc.", "1145755295", "H1A1A1"),
            mention("Lamothe div. de Sintra", "1145755295", "H1A1A2"),
            mention("Pavages du Nord inc.", "", "J4B5E4"),
            mention("Les Pavages du Nord ltée", "", "J4B5E4"),
            mention("Pavages du Nord S.E.N.C.", "", "J4B5E5"),
            also(
                "Acme Widgets Canada Inc.",
                "Widgets of the North",
                Relation::OperatingName,
            ),
            also("Acme Widgets Canada Inc.", "Widgets", Relation::OperatingName),
        ],
        "",
    );
    assert_eq!(
        found,
        [
            vec!["acme widgets canada inc", "widgets of the north"],
            vec!["lamothe div de sintra", "sintra inc"],
            vec!["les pavages du nord ltee", "pavages du nord inc"],
        ]
    );
}

#[test]
fn names_of_a_public_body_that_sells_join() {
    let (found, _) = joined(
        &[
            mention("Postes Canada", "", ""),
            mention("SOCIETE CANADIENNE DES POSTES", "", ""),
            mention("Canada Post Corporation", "", ""),
            mention("Société de transport de Montréal (STM)", "", ""),
            mention("STM", "", ""),
            mention("Société de transport de Montréal", "", ""),
            mention("Metrolinx", "", ""),
            mention("Greater Toronto Transportation Authority", "", ""),
        ],
        &claim("different", "Canada Post Corporation", "Postes Canada"),
    );
    assert_eq!(
        found,
        [
            vec!["canada post corporation", "societe canadienne des postes"],
            vec![
                "societe de transport de montreal",
                "societe de transport de montreal stm"
            ],
        ],
        "an acronym and a name of one word may also be those of firms"
    );
}

#[test]
fn equal_cores_join_where_no_place_speaks_against_it() {
    let at = |name: &str, city: &str| MentionLine {
        mention: SupplierMention::of(name, "x").at(Some(city).filter(|city| !city.is_empty()), None),
        count: 1,
        first: None,
    };
    let found = |mentions: &[(&str, &str)]| {
        let mentions: Vec<_> = mentions.iter().map(|(name, city)| at(name, city)).collect();
        joined(&mentions, "").0.concat().len()
    };
    let (plain, form) = ("Automation Anywhere", "Automation Anywhere inc.");
    assert_eq!(found(&[(plain, ""), (form, "")]), 2);
    assert_eq!(found(&[(plain, "Laval"), (form, "")]), 2);
    assert_eq!(found(&[(plain, "LAVAL"), (form, "Laval")]), 2);
    assert_eq!(found(&[(plain, "Laval"), (form, "Gatineau")]), 0);
    // A name without a place may be of either.
    let third = "Automation Anywhere ltd.";
    let numbered = |name: &str, number: &str| mention(name, number, "");
    // Neither is one without a number, where two firms have the name.
    let two = [
        numbered(plain, "1145755295"),
        numbered(form, "1143863539"),
        numbered(third, ""),
    ];
    assert_eq!(joined(&two[..2], "").0.len(), 0);
    assert_eq!(joined(&two, "").0.len(), 0);
    assert_eq!(joined(&two[1..], "").0.len(), 1);
    assert_eq!(found(&[(plain, ""), (form, "Laval"), (third, "Gatineau")]), 0);
    assert_eq!(found(&[(plain, ""), (form, "Laval"), (third, "Laval")]), 3);
    assert_eq!(
        found(&[("Automation Anywhere (Toronto) inc.", ""), (plain, "Ottawa")]),
        0
    );
    for (a, b) in [
        ("Anywhere", "Anywhere inc."),
        ("Services Conseils", "Services Conseils inc."),
        ("Automation Anywhere inc.", "Automation Anywhere S.E.N.C."),
        ("Consortium Automation Anywhere", "Consortium Automation Anywhere inc."),
        ("Jean Tremblay", "Jean Tremblay enr."),
    ] {
        assert_eq!(found(&[(a, "Laval"), (b, "Laval")]), 0, "{a} and {b}");
    }
}

#[test]
fn firms_of_one_group_do_not_join_by_one_statement_of_a_number() {
    let once = |name: &str| MentionLine {
        count: 1,
        ..mention(name, "1160506722", "")
    };
    let found = |a: &str, b: &str| joined(&[once(a), once(b)], "").0.len();
    assert_eq!(
        found("Desjardins Gestion Immobilière", "Desjardins Sécurité Financière"),
        0
    );
    assert_eq!(
        found("Brossard Chevrolet Buick GMC", "Vision Chevrolet Buick GMC Cadillac"),
        0
    );
    assert_eq!(found("Sintra inc.", "Sintra, région Montérégie"), 1);
    assert_eq!(found("Excavation Tourville", "Exavation Tourvile inc."), 1);
}

#[test]
fn near_names_at_one_postal_code_join_unless_a_word_or_a_digit_differs() {
    let are_joined = |a: &str, b: &str| {
        !joined(&[mention(a, "", "H1A1A1"), mention(b, "", "H1A1A1")], "")
            .0
            .is_empty()
    };
    for (a, b) in [
        ("Construction Larco inc.", "Constructions Larco"),
        ("Thomas O'Connel inc.", "Thomas O'Connell inc."),
        ("J.B. Deschamps", "JB Deschamps inc."),
        ("9109-3872 Quebec inc.", "9109-3872Québec inc"),
    ] {
        assert!(are_joined(a, b), "{a} and {b}");
    }
    for (a, b) in [
        ("Pavages Larivière Nord inc.", "Pavages Larivière Sud inc."),
        ("9109-3872 Quebec inc.", "9109-3827 Quebec inc."),
        (
            "Couvreur Gariépy et Léger 2002 inc.",
            "Couvreur Gariépy et Léger 2011 inc.",
        ),
        ("Construction Larco inc.", "Constructions Larco S.E.N.C."),
        ("Wolseley Plomberie", "Wolseley Plomberie Tremblay"),
    ] {
        assert!(!are_joined(a, b), "{a} and {b}");
    }
}

#[test]
fn near_names_of_one_city_are_shown_to_a_person() {
    let of = |name: &str, city: &str| MentionLine {
        mention: SupplierMention::of(name, "seao-xml").at(Some(city), None),
        count: 1,
        first: None,
    };
    let suggested = |mentions: &[MentionLine]| joined(mentions, "").1.contains("\"near_name\"");
    assert!(suggested(&[
        of("Pavages Dorvel inc.", "Laval"),
        of("Pavages Dorvelle", "Laval")
    ]));
    assert!(!suggested(&[
        of("Pavages Dorvel inc.", "Laval"),
        of("Pavages Dorvelle", "Gatineau")
    ]));
    assert!(!suggested(&[
        of("Pavages Dorvel inc.", "Laval"),
        of("Plomberie Zutric", "Laval")
    ]));
    // Most of their letters are those of the trade.
    assert!(!suggested(&[
        of("Construction DVL inc.", "Laval"),
        of("Construction ZUT inc.", "Laval")
    ]));
    assert!(suggested(&[
        of("Construction DVL inc.", "Laval"),
        of("Construction DVL Laval", "Laval")
    ]));
}

#[test]
fn the_stops_hold() {
    for (why, mentions) in [
        (
            "two numbers",
            vec![
                mention("Bell Nord inc.", "1143863539", "H1A1A1"),
                mention("Bell Nord", "1172462849", "H1A1A1"),
            ],
        ),
        (
            "one word",
            vec![
                mention("Deloitte inc.", "", "H1A1A1"),
                mention("Deloitte", "", "H1A1A1"),
            ],
        ),
        (
            "a person",
            vec![
                mention("Jean Tremblay", "", "H1A1A1"),
                mention("JEAN TREMBLAY (Laval)", "", "H1A1A1"),
            ],
        ),
        (
            "a consortium",
            vec![
                mention("Consortium Nord Sud", "", "H1A1A1"),
                mention("Consortium Nord Sud inc.", "", "H1A1A1"),
            ],
        ),
        (
            "two forms",
            vec![
                mention("Protectron Nord SEC", "", "H1A1A1"),
                mention("Protectron Nord inc.", "", "H1A1A1"),
            ],
        ),
        (
            "a consortium with a number",
            vec![
                mention("Arcand et Laporte", "3342204511", "H1A1A1"),
                mention("Arcand et Laporte en consortium", "3342204511", "H1A1A1"),
            ],
        ),
        (
            "a franchise",
            vec![
                also("Smith Hardware Ltd.", "Home Hardware", Relation::OperatingName),
                also("Jones Hardware Ltd.", "Home Hardware", Relation::OperatingName),
            ],
        ),
    ] {
        assert_eq!(joined(&mentions, "").0, Vec::<Vec<String>>::new(), "{why}");
    }
    let many: Vec<MentionLine> = (0..=MAX_NAMES)
        .map(|n| mention(&format!("Nom {n} inc."), "1145755295", ""))
        .collect();
    let (held, lines) = joined(&many, "");
    assert!(held.is_empty(), "more than {MAX_NAMES} names");
    assert!(lines.contains("\"too_many_names\""), "a person is told of them");
    assert_eq!(joined(&many[1..], "").0[0].len(), MAX_NAMES);
    let two: Vec<MentionLine> = (0..22)
        .map(|n| {
            mention(
                &format!("Nom {n} inc."),
                if n % 2 == 0 { "1145755295" } else { "1143863539" },
                "",
            )
        })
        .chain([also("Nom 0 inc.", "Nom 1 inc.", Relation::LegalName)])
        .collect();
    assert_eq!(joined(&two, "").0.len(), 2, "two suppliers of more than ten names");
    let person = joined(&two, &claim("same", "Nom 0 inc.", "Nom 1 inc.")).0;
    assert_eq!(person[0].len(), 22, "a person joins them");
}

#[test]
fn different_beats_every_rule_also_through_other_names() {
    let mentions = [
        mention("Sintra inc.", "1145755295", "H1A1A1"),
        mention("Lamothe", "1145755295", "H1A1A2"),
        mention("Meloche", "1145755295", "H1A1A2"),
    ];
    let (all, before) = joined(&mentions, "");
    assert_eq!(all[0].len(), 3);
    let different = claim("different", "SINTRA INC", "Meloche");
    assert_eq!(joined(&mentions, &different).0, [["lamothe", "meloche"]]);
    let same = different + &claim("same", "Lamothe", "Sintra inc");
    assert_eq!(joined(&mentions, &same).0, [["lamothe", "sintra inc"]]);
    assert_eq!(
        joined(&mentions, "").1,
        before,
        "without the claims, nothing is left of them"
    );
}

fn mentions() -> impl Strategy<Value = Vec<MentionLine>> {
    let name = prop::sample::select(vec![
        "Sintra inc.",
        "SINTRA",
        "Lamothe div. de Sintra",
        "Pavages du Nord inc.",
        "Les Pavages du Nord ltée",
        "Pavages du Nord",
        "Bell Canada",
        "Bell Canada inc.",
        "Jean Tremblay",
        "Consortium A/B",
        "Acme Widgets",
    ]);
    let number = prop::sample::select(vec!["", "", "1145755295", "1143863539", "1172462849", "1172462848"]);
    let code = prop::sample::select(vec!["", "H1A1A1", "H1A1A2"]);
    let line =
        (name.clone(), number, code, name, 0..6, 1..4u64).prop_map(|(name, number, code, other, kind, count)| {
            let mut line = match kind {
                0 if other != name => also(name, other, Relation::LegalName),
                1 if other != name => also(name, other, Relation::OperatingName),
                _ => mention(name, number, code),
            };
            line.count = count;
            line
        });
    prop::collection::vec(line, 1..30)
}

proptest! {
    #[test]
    fn the_order_of_statements_and_claims_does_not_matter(
        (mentions, shuffled) in mentions().prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle())),
    ) {
        let names: Vec<String> = mentions.iter().map(|line| line.mention.name.clone()).collect();
        let mut claims = vec![claim("different", &names[0], names.last().unwrap())];
        if names.len() > 3 {
            claims.push(claim("different", &names[1], &names[2]));
        }
        let is_valid = |claims: &String| {
            let all = Names::new(&mentions, Vec::new());
            Claims::parse(claims.as_bytes()).unwrap().resolve(Party::Supplier, &all).is_ok()
        };
        claims.retain(is_valid);
        let forward = joined(&mentions, &claims.concat());
        claims.reverse();
        prop_assert_eq!(&forward, &joined(&shuffled, &claims.concat()));
    }

    #[test]
    fn a_claim_that_is_taken_back_leaves_no_trace(mentions in mentions(), a in 0..30_usize, b in 0..30_usize, is_same: bool) {
        let name = |number: usize| mentions[number % mentions.len()].mention.name.as_str();
        let before = joined(&mentions, "");
        let text = claim(if is_same { "same" } else { "different" }, name(a), name(b));
        let all = Names::new(&mentions, Vec::new());
        let claims = Claims::parse(text.as_bytes()).unwrap();
        if claims.resolve(Party::Supplier, &all).is_ok() {
            let with = joined(&mentions, &text);
            let find = |key: &str| with.0.iter().position(|names| names.iter().any(|name| name == key));
            let [x, y] = [name(a), name(b)].map(super::super::names::key);
            prop_assert_eq!(find(&x).is_some() && find(&x) == find(&y), is_same);
        }
        prop_assert_eq!(joined(&mentions, ""), before);
    }

    #[test]
    fn rules_never_join_over_two_numbers_unless_a_publisher_says_so(mentions in mentions()) {
        let plain: Vec<MentionLine> = mentions.into_iter().filter(|line| line.mention.relation.is_none()).collect();
        let plain: Vec<MentionLine> = plain.into_iter().filter(|line| !line.mention.name.contains("div.")).collect();
        let names = Names::new(&plain, Vec::new());
        let clusters = Clusters::new(&names, &ResolvedClaims::default());
        for members in &clusters.members {
            let numbers: BTreeSet<_> = members.iter().filter_map(|name| names.get(*name).number()).collect();
            prop_assert!(numbers.len() <= 1, "{:?}", numbers);
        }
    }
}
