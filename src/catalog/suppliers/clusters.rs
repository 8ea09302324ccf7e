//! Joins names by claims and rules, the strongest first.
//!
//! Names are joined pair by pair in a fixed order, so the same statements and claims in any order give the same
//! suppliers. `different` beats every rule, through other names too.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rayon::prelude::*;

use super::{
    bodies,
    claims::{Claim, Groups, ResolvedClaims},
    core_names,
    names::Names,
    reason::{Evidence, Rule, Waiting},
    rules::{self, MAX_NAMES, Proposal},
};
use crate::model::supplier_mention::OfficialNumber;

/// The names of all suppliers, and why they are joined.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Clusters {
    /// Each list is one supplier's, in the order of the names' numbers.
    pub(crate) members: Vec<Vec<u32>>,
    /// What joined two names of one supplier; one fewer than it has names.
    pub(crate) joins: Vec<(u32, u32, Evidence)>,
    /// What waits for a person: names of two suppliers, the lesser first.
    pub(crate) waiting: BTreeMap<(u32, u32), WaitingReason>,
    pub(crate) counts: BTreeMap<Rule, RuleCounts>,
}

/// Why a pair waits, and what speaks for it. Few of the pairs have evidence, which is large.
type WaitingReason = (Waiting, Option<Box<Evidence>>);

/// What a rule did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RuleCounts {
    /// Pairs of names that it proposed.
    pub(crate) pairs: u64,
    /// Pairs that joined two suppliers.
    pub(crate) joined: u64,
    /// Pairs whose names are of one supplier already.
    pub(crate) confirmed: u64,
    pub(crate) waiting: u64,
    /// Pairs kept apart by a claim.
    pub(crate) refused: u64,
    /// Pairs of names that both have an official number, by which the rule can be checked.
    pub(crate) checked: u64,
    /// The pairs with equal numbers.
    pub(crate) right: u64,
}

/// The names that a rule joins with another supplier of more names wait for a person.
const MAX_JOINED: usize = 10;

struct Joiner<'n> {
    names: &'n Names,
    groups: Groups,
    /// By the least name of each supplier with several names.
    members: HashMap<u32, Vec<u32>>,
    numbers: HashMap<u32, BTreeSet<&'n OfficialNumber>>,
    /// By name: the names that are claimed to be other suppliers.
    different: HashMap<u32, Vec<u32>>,
    found: Clusters,
}

/// What became of a pair.
enum Outcome {
    Joined,
    Confirmed,
    Refused,
    Waits(Waiting),
}

impl Clusters {
    /// The names of suppliers, joined.
    pub(crate) fn new(names: &Names, claims: &ResolvedClaims) -> Clusters {
        let rules: [fn(&Names) -> Vec<Proposal>; 6] = [
            rules::equal_numbers,
            rules::equated,
            bodies::listed_suppliers,
            core_names::equal_cores,
            rules::near_names,
            core_names::equal_cores_in_one_place,
        ];
        let (proposals, suggestions) = rayon::join(
            || rules.into_par_iter().map(|rule| rule(names)).collect::<Vec<_>>(),
            || rules::suggestions(names),
        );
        Clusters::of(names, claims, proposals.into_iter().flatten(), suggestions)
    }

    /// The names, joined by claims, then by what rules propose, the strongest rule first.
    pub(crate) fn of(
        names: &Names,
        claims: &ResolvedClaims,
        proposals: impl IntoIterator<Item = Proposal>,
        suggestions: Vec<(u32, u32, Waiting)>,
    ) -> Clusters {
        let mut different: HashMap<u32, Vec<u32>> = HashMap::new();
        for (a, b) in &claims.different {
            different.entry(*a).or_default().push(*b);
            different.entry(*b).or_default().push(*a);
        }
        let mut joiner = Joiner {
            names,
            groups: Groups::new(names.all.len()),
            members: HashMap::new(),
            numbers: HashMap::new(),
            different,
            found: Clusters::default(),
        };
        for (a, b, claim) in &claims.same {
            joiner.propose(Proposal {
                a: *a,
                b: *b,
                evidence: evidence_of(claim),
                waiting: None,
            });
        }
        proposals.into_iter().for_each(|proposal| joiner.propose(proposal));
        for (a, b, waiting) in suggestions {
            joiner.suggest(a, b, waiting, None);
        }
        joiner.finish()
    }
}

fn evidence_of(claim: &Claim) -> Evidence {
    Evidence::Claim {
        reason: claim.reason.clone(),
        source: claim.source.clone(),
        date: claim.date.clone(),
    }
}

impl<'n> Joiner<'n> {
    fn propose(&mut self, proposal: Proposal) {
        let Proposal {
            a,
            b,
            evidence,
            waiting,
        } = proposal;
        let rule = evidence.rule();
        let outcome = match waiting {
            Some(_) if self.groups.find(a) == self.groups.find(b) => Outcome::Confirmed,
            Some(waiting) => Outcome::Waits(waiting),
            None => self.join(a, b, rule),
        };
        let counts = self.found.counts.entry(rule).or_default();
        counts.pairs += 1;
        if let ([Some(x), Some(y)], None) = ([a, b].map(|name| self.names.get(name).number()), waiting) {
            counts.checked += 1;
            counts.right += u64::from(x == y);
        }
        match outcome {
            Outcome::Joined => {
                counts.joined += 1;
                self.found.joins.push((a, b, evidence));
            }
            Outcome::Confirmed => counts.confirmed += 1,
            Outcome::Refused => counts.refused += 1,
            Outcome::Waits(why) => {
                counts.waiting += 1;
                self.suggest(a, b, why, Some(Box::new(evidence)));
            }
        }
    }

    /// Joins the suppliers of two names unless a stop forbids it.
    fn join(&mut self, a: u32, b: u32, rule: Rule) -> Outcome {
        let (root_a, root_b) = (self.groups.shorten(a), self.groups.shorten(b));
        if root_a == root_b {
            return Outcome::Confirmed;
        }
        if self.are_different(root_a, root_b) {
            return Outcome::Refused;
        }
        if rule != Rule::Claim
            && let Some(why) = self.stop(root_a, root_b, rule)
        {
            return Outcome::Waits(why);
        }
        let members = [root_a, root_b].map(|root| self.members.remove(&root).unwrap_or_else(|| vec![root]));
        let numbers = [root_a, root_b].map(|root| self.numbers_of(root));
        let root = self.groups.join(a, b);
        let mut all = members.concat();
        all.sort_unstable();
        self.members.insert(root, all);
        let [one, other] = numbers;
        self.numbers.insert(root, one.into_iter().chain(other).collect());
        Outcome::Joined
    }

    fn stop(&self, a: u32, b: u32, rule: Rule) -> Option<Waiting> {
        let sizes = [a, b].map(|root| self.members.get(&root).map_or(1, Vec::len));
        if sizes.iter().sum::<usize>() > MAX_NAMES {
            return Some(Waiting::TooManyNames);
        }
        if sizes.iter().all(|size| *size > MAX_JOINED) {
            return Some(Waiting::TwoLargeSuppliers);
        }
        let [one, other] = [a, b].map(|root| self.numbers_of(root));
        let are_known = !one.is_empty() && !other.is_empty();
        // A publisher, a person or a table joins two legal persons; a rule that compares names does not.
        let is_stated = matches!(rule, Rule::Publisher | Rule::Table | Rule::Municipality);
        (!is_stated && are_known && one.is_disjoint(&other)).then_some(Waiting::DifferentNumbers)
    }

    fn numbers_of(&self, root: u32) -> BTreeSet<&'n OfficialNumber> {
        match self.numbers.get(&root) {
            Some(numbers) => numbers.clone(),
            None => self.names.get(root).number().into_iter().collect(),
        }
    }

    fn are_different(&self, a: u32, b: u32) -> bool {
        if self.different.is_empty() {
            return false;
        }
        let own = [a];
        let members = self.members.get(&a).map_or(&own[..], Vec::as_slice);
        let others = members.iter().filter_map(|name| self.different.get(name)).flatten();
        others.into_iter().any(|other| self.groups.find(*other) == b)
    }

    fn suggest(&mut self, a: u32, b: u32, why: Waiting, evidence: Option<Box<Evidence>>) {
        self.found
            .waiting
            .entry((a.min(b), a.max(b)))
            .or_insert((why, evidence));
    }

    fn finish(mut self) -> Clusters {
        let mut found = std::mem::take(&mut self.found);
        let is_apart = |a: u32, b: u32| self.groups.find(a) != self.groups.find(b);
        let is_open = |a: u32, b: u32| !self.are_different(self.groups.find(a), self.groups.find(b));
        found.waiting.retain(|(a, b), _| is_apart(*a, *b) && is_open(*a, *b));
        let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for name in 0..self.names.all.len() as u32 {
            members.entry(self.groups.find(name)).or_default().push(name);
        }
        found.members = members.into_values().collect();
        found
    }
}

#[cfg(test)]
mod tests {
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
}
