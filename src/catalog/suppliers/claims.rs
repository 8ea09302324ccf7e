//! The claims of people: a file of the operator, as NDJSON or CSV.
//!
//! A file is taken whole or not at all. What is wrong with it is listed with the lines, and what to do.

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
};

use serde::Deserialize;

use super::{
    names::{Names, key},
    party::Party,
};
use crate::model::printable::printable;

/// What a person says of two names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    /// What the names are names of.
    pub(crate) party: Party,
    pub(crate) is_same: bool,
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) reason: Option<String>,
    pub(crate) source: Option<String>,
    pub(crate) date: Option<String>,
    /// In the file, from 1.
    pub(crate) line: usize,
}

/// The claims of a file, in its order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Claims(pub(crate) Vec<Claim>);

/// Claims whose names exist, by the numbers of the names.
#[derive(Debug, Default)]
pub(crate) struct ResolvedClaims<'c> {
    pub(crate) same: Vec<(u32, u32, &'c Claim)>,
    pub(crate) different: BTreeSet<(u32, u32)>,
}

/// What is wrong with a claims file: all problems, up to [`MAX_PROBLEMS`] of them with their lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ClaimProblems {
    listed: Vec<(usize, String)>,
    further: usize,
}

const MAX_PROBLEMS: usize = 20;

/// The maximum length of a member of a claim, in bytes.
const MAX_TEXT_BYTES: usize = 1_000;

/// The maximum size of the file, in bytes.
pub(crate) const MAX_FILE_BYTES: usize = 512 << 20;

/// A line as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenClaim {
    claim: String,
    #[serde(default)]
    of: Option<String>,
    a: String,
    b: String,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    source: Option<String>,
    #[serde(default)]
    date: Option<String>,
}

impl ClaimProblems {
    fn add(&mut self, line: usize, problem: String) {
        if self.listed.len() < MAX_PROBLEMS {
            self.listed.push((line, problem));
        } else {
            self.further += 1;
        }
    }

    fn or<T>(self, result: T) -> Result<T, ClaimProblems> {
        if self.listed.is_empty() { Ok(result) } else { Err(self) }
    }
}

impl fmt::Display for ClaimProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (line, problem)) in self.listed.iter().enumerate() {
            let before = if number == 0 { "" } else { "\n" };
            write!(f, "{before}line {line}: {problem}")?;
        }
        if self.further > 0 {
            write!(f, "\nand {} more lines", self.further)?;
        }
        Ok(())
    }
}

impl std::error::Error for ClaimProblems {}

/// A text of the file for a message: one line, cut.
fn shown(text: &str) -> String {
    let cut: String = text.chars().take(80).collect();
    let dots = if cut.len() < text.len() { "…" } else { "" };
    format!("'{}{dots}'", printable(&cut.escape_debug().to_string()))
}

impl Claims {
    /// Reads NDJSON if the first character is a brace, else CSV with a header.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Claims, ClaimProblems> {
        let mut problems = ClaimProblems::default();
        if bytes.len() > MAX_FILE_BYTES {
            problems.add(
                1,
                format!(
                    "the file has more than {} MiB; split it or leave claims out",
                    MAX_FILE_BYTES >> 20
                ),
            );
            return Err(problems);
        }
        let Ok(text) = str::from_utf8(bytes) else {
            let line = bytes
                .utf8_chunks()
                .next()
                .map_or(1, |chunk| chunk.valid().lines().count().max(1));
            problems.add(line, "is not UTF-8; save the file as UTF-8".to_owned());
            return Err(problems);
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim_start().starts_with('{') || text.trim().is_empty() {
            read_lines(text, problems)
        } else {
            read_csv(text, problems)
        }
    }

    /// Looks the names up, and checks that no two claims contradict each other, directly or through others.
    pub(crate) fn resolve(&self, party: Party, names: &Names) -> Result<ResolvedClaims<'_>, ClaimProblems> {
        let mut problems = ClaimProblems::default();
        let mut resolved = ResolvedClaims::default();
        let mut different: HashMap<(u32, u32), usize> = HashMap::new();
        let mut groups = Groups::new(names.all.len());
        let (noun, plural) = (party.noun(), party.plural());
        for claim in self.0.iter().filter(|claim| claim.party == party) {
            let [a, b] = [&claim.a, &claim.b].map(|name| names.find(name));
            for (name, found) in [(&claim.a, a), (&claim.b, b)] {
                if found.is_none() {
                    let problem = format!(
                        "no {noun} has the name {}; write it as `procure suppliers list` or /{plural} shows it, or remove the line",
                        shown(name)
                    );
                    problems.add(claim.line, problem);
                }
            }
            let (Some(a), Some(b)) = (a, b) else { continue };
            if a == b {
                let problem = format!(
                    "{} and {} are one name but for case, accents and punctuation; remove the line",
                    shown(&claim.a),
                    shown(&claim.b)
                );
                problems.add(claim.line, problem);
            } else if claim.is_same {
                resolved.same.push((a.min(b), a.max(b), claim));
                groups.join(a, b);
            } else {
                different.entry((a.min(b), a.max(b))).or_insert(claim.line);
            }
        }
        add_contradictions(&mut problems, names, &resolved.same, &different, &groups);
        resolved.same.sort_by_key(|(a, b, claim)| (*a, *b, claim.line));
        resolved.different = different.into_keys().collect();
        problems.or(resolved)
    }
}

/// Lists the names that are claimed to be different, and the same through one or more other claims.
fn add_contradictions(
    problems: &mut ClaimProblems,
    names: &Names,
    same: &[(u32, u32, &Claim)],
    different: &HashMap<(u32, u32), usize>,
    groups: &Groups,
) {
    let mut contradictions: Vec<(usize, (u32, u32))> = different.iter().map(|(pair, line)| (*line, *pair)).collect();
    contradictions.retain(|(_, (a, b))| groups.find(*a) == groups.find(*b));
    contradictions.sort_unstable();
    for (line, _) in contradictions.split_off(contradictions.len().min(MAX_PROBLEMS)) {
        problems.add(line, "contradicts other lines".to_owned());
    }
    for (line, (a, b)) in contradictions {
        let others = same.iter().filter(|(one, ..)| groups.find(*one) == groups.find(a));
        let mut lines: Vec<String> = others.map(|(.., claim)| claim.line.to_string()).take(6).collect();
        if lines.len() == 6 {
            lines[5] = "…".to_owned();
        }
        let [a, b] = [a, b].map(|name| shown(&names.get(name).spelling));
        let lines = lines.join(", ");
        problems.add(
            line,
            format!("{a} and {b} are claimed to be different, and by line {lines} the same; remove one of these lines"),
        );
    }
}

fn read_lines(text: &str, mut problems: ClaimProblems) -> Result<Claims, ClaimProblems> {
    let mut claims = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str::<WrittenClaim>(line) {
            Ok(written) => claims.extend(checked(written, number, &mut problems)),
            Err(error) => {
                let example = r#"{"claim":"same","a":"NAME","b":"OTHER NAME"}"#;
                problems.add(
                    number,
                    format!("{error}; a line is {example}, with `reason`, `source` and `date` if you like"),
                );
            }
        }
    }
    problems.or(Claims(claims))
}

fn read_csv(text: &str, mut problems: ClaimProblems) -> Result<Claims, ClaimProblems> {
    let mut claims = Vec::new();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().cloned().unwrap_or_default();
    let is_known = |name: &&str| ["claim", "of", "a", "b", "reason", "source", "date"].contains(name);
    let has_all = ["claim", "a", "b"]
        .iter()
        .all(|needed| header.iter().any(|name| name == *needed));
    if !has_all || !header.iter().all(|name| is_known(&name)) {
        problems.add(
            1,
            "the header must be claim,a,b and may have of,reason,source,date".to_owned(),
        );
        return Err(problems);
    }
    for row in reader.records() {
        match row {
            Ok(row) => {
                let line = row.position().map_or(1, |position| position.line() as usize);
                match row.deserialize::<WrittenClaim>(Some(&header)) {
                    Ok(written) => claims.extend(checked(written, line, &mut problems)),
                    Err(error) => problems.add(line, format!("{error}; a row is same,NAME,OTHER NAME")),
                }
            }
            Err(error) => {
                let line = error.position().map_or(1, |position| position.line() as usize);
                problems.add(line, format!("{error}; put texts with commas in double quotes"));
            }
        }
    }
    problems.or(Claims(claims))
}

fn checked(written: WrittenClaim, line: usize, problems: &mut ClaimProblems) -> Option<Claim> {
    let is_same = match written.claim.trim() {
        "same" => true,
        "different" => false,
        other => {
            problems.add(line, format!("a claim is 'same' or 'different', not {}", shown(other)));
            return None;
        }
    };
    let of = written.of.as_deref().map(str::trim).filter(|of| !of.is_empty());
    let of = of.unwrap_or(Party::Supplier.noun());
    let Some(party) = Party::ALL.into_iter().find(|party| party.noun() == of) else {
        problems.add(line, format!("`of` is 'supplier' or 'body', not {}", shown(of)));
        return None;
    };
    let given = |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let claim = Claim {
        party,
        is_same,
        a: written.a.trim().to_owned(),
        b: written.b.trim().to_owned(),
        reason: given(written.reason),
        source: given(written.source),
        date: given(written.date),
        line,
    };
    for (member, text) in [("a", &claim.a), ("b", &claim.b)] {
        if key(text).is_empty() {
            problems.add(line, format!("`{member}` is empty; write a name"));
            return None;
        }
    }
    let texts = [
        Some(&claim.a),
        Some(&claim.b),
        claim.reason.as_ref(),
        claim.source.as_ref(),
        claim.date.as_ref(),
    ];
    if texts
        .into_iter()
        .flatten()
        .any(|text| text.len() > MAX_TEXT_BYTES || text.chars().any(char::is_control))
    {
        problems.add(
            line,
            format!("a text of more than {MAX_TEXT_BYTES} bytes, or with control characters; shorten it"),
        );
        return None;
    }
    Some(claim)
}

/// Sets of names that are joined.
pub(crate) struct Groups(Vec<u32>);

impl Groups {
    pub(crate) fn new(names: usize) -> Groups {
        Groups((0..names as u32).collect())
    }

    /// The least name of its set.
    pub(crate) fn find(&self, mut name: u32) -> u32 {
        while self.0[name as usize] != name {
            name = self.0[name as usize];
        }
        name
    }

    /// Joins the sets of two names under the lesser of their least names. Returns it.
    pub(crate) fn join(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.shorten(a), self.shorten(b));
        let (least, other) = (a.min(b), a.max(b));
        self.0[other as usize] = least;
        least
    }

    /// [`Groups::find`], which also shortens the way from the name to the result.
    pub(crate) fn shorten(&mut self, name: u32) -> u32 {
        let root = self.find(name);
        let mut at = name;
        while self.0[at as usize] != root {
            at = std::mem::replace(&mut self.0[at as usize], root);
        }
        root
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::supplier_mention::{MentionLine, SupplierMention};

    fn names() -> Names {
        let line = |name: &&str| MentionLine {
            mention: SupplierMention::of(name, "x"),
            count: 1,
            first: None,
        };
        Names::new(
            &["Acme inc.", "Acme ltée", "Beta", "Gamma"]
                .iter()
                .map(line)
                .collect::<Vec<_>>(),
            Vec::new(),
        )
    }

    fn problems(text: &str) -> String {
        match Claims::parse(text.as_bytes()) {
            Ok(claims) => claims
                .resolve(Party::Supplier, &names())
                .err()
                .map(|problems| problems.to_string())
                .unwrap_or_default(),
            Err(problems) => problems.to_string(),
        }
    }

    #[test]
    fn both_forms_are_read() {
        let lines = "{\"claim\":\"same\",\"a\":\"ACME INC\",\"b\":\"Acme Ltée\",\"source\":\"me\"}\n\n{\"claim\":\"different\",\"a\":\"Beta\",\"b\":\"Gamma\"}\n";
        let rows = "\u{feff}claim,a,b,source\nsame,ACME INC,Acme Ltée,me\n\ndifferent,Beta,Gamma,\n";
        for text in [lines, rows] {
            let claims = Claims::parse(text.as_bytes()).unwrap();
            let resolved = names();
            let resolved = claims.resolve(Party::Supplier, &resolved).unwrap();
            assert_eq!((resolved.same.len(), resolved.different.len()), (1, 1), "{text}");
            assert_eq!(resolved.same[0].2.source.as_deref(), Some("me"));
        }
        assert!(Claims::parse(b"").unwrap().0.is_empty());
    }

    #[test]
    fn what_is_wrong_is_listed_with_its_line() {
        for (text, expected) in [
            (
                "{\"claim\":\"same\",\"a\":\"Acme inc\",\"b\":\"Nobody\"}",
                "line 1: no supplier has the name 'Nobody'",
            ),
            (
                "{\"claim\":\"equal\",\"a\":\"Beta\",\"b\":\"Gamma\"}",
                "line 1: a claim is 'same' or 'different', not 'equal'",
            ),
            (
                "{\"claim\":\"same\",\"a\":\"Beta\",\"b\":\"BETA.\"}",
                "line 1: 'Beta' and 'BETA.' are one name",
            ),
            ("{\"claim\":\"same\",\"a\":\"Beta\"}", "line 1: missing field `b`"),
            (
                "{\"claim\":\"same\",\"a\":\" \",\"b\":\"Beta\"}",
                "line 1: `a` is empty",
            ),
            ("{oops", "line 1: "),
            ("claim,a\nsame,Beta\n", "line 1: the header must be claim,a,b"),
            ("claim,a,b\nsame,Beta\n", "line 2: "),
            (
                "claim,a,b\nsame,Beta,\"Gam\u{7}ma\"\n",
                "line 2: a text of more than 1000 bytes, or with control",
            ),
        ] {
            let found = problems(text);
            assert!(found.starts_with(expected), "{text}: {found}");
        }
        let invalid = Claims::parse(b"claim,a,b\nsame,\xff,Beta\n").unwrap_err().to_string();
        assert!(invalid.contains("is not UTF-8"), "{invalid}");
    }

    #[test]
    fn contradictions_are_found_through_other_claims() {
        let claims = |lines: &[(&str, &str, &str)]| -> String {
            let line =
                |(claim, a, b): &(&str, &str, &str)| format!("{{\"claim\":\"{claim}\",\"a\":\"{a}\",\"b\":\"{b}\"}}\n");
            lines.iter().map(line).collect()
        };
        let cycle = [
            ("same", "Acme inc", "Beta"),
            ("same", "Beta", "Gamma"),
            ("same", "Gamma", "Acme inc"),
        ];
        assert_eq!(
            problems(&claims(&cycle)),
            "",
            "a cycle of equal names is no contradiction"
        );
        let wrong = [
            ("same", "Acme inc", "Beta"),
            ("same", "Beta", "Gamma"),
            ("different", "Gamma", "Acme inc"),
        ];
        let found = problems(&claims(&wrong));
        assert!(
            found.contains("line 3: 'Acme inc.' and 'Gamma' are claimed to be different, and by line 1, 2 the same"),
            "{found}"
        );
        let many: String = (0..100).map(|_| claims(&[("same", "Beta", "Nobody")])).collect();
        assert!(problems(&many).ends_with("and 80 more lines"));
    }

    #[test]
    fn a_file_of_a_million_lines_is_read_and_refused_whole() {
        let mut text = "claim,a,b\n".to_owned();
        (0..1_000_000).for_each(|_| text.push_str("same,Beta,Nobody\n"));
        let found = problems(&text);
        assert!(
            found.starts_with("line 2: no supplier has the name 'Nobody'"),
            "{found}"
        );
        assert!(found.ends_with("and 999980 more lines"), "{found}");
        assert_eq!(found.lines().count(), MAX_PROBLEMS + 1);
    }
}
