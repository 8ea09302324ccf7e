//! Values for parameters, bodies and headers: valid, nearly valid, and hostile.

use std::{fs, path::Path};

use serde_json::Value;

use super::setup::{choose, index_below};
use crate::random::Random;

/// Texts that have broken parsers, foldings and encoders.
const HOSTILE: &[&str] = &[
    "",
    " ",
    "\0",
    "\u{feff}",
    "\u{202e}gnissim",
    "\u{200b}\u{200b}",
    "e\u{301}\u{301}\u{301}\u{301}",
    "\u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f467}",
    "\u{fdfa}\u{fdfa}\u{fdfa}",
    "İıſßﬀǅ",
    "ＡＢＣ．ＥＸＡＭＰＬＥ",
    "\u{10ffff}",
    "\u{fffd}",
    "../../../etc/passwd",
    "..%2f..%2f",
    "' OR 1=1; DROP TABLE keys;--",
    "<script>alert(1)</script>",
    "{{7*7}}",
    "%00",
    "%",
    "%%%",
    "%u0041",
    "\"",
    "\"\"\"\"",
    "\"unclosed phrase",
    "-",
    "--",
    "- - -",
    "-\"",
    "OR",
    "OR OR OR",
    "a OR",
    "OR a OR OR b",
    "(((((",
    "* ? ~ ^ : \\",
    "[1 TO *]",
    "a|b|c",
    ",,,,",
    "null",
    "true",
    "undefined",
    "-1",
    "0",
    "00",
    "+1",
    " 1",
    "1e3",
    "1e308",
    "1e999",
    "-1e308",
    "0.1",
    "NaN",
    "inf",
    "-0",
    "0x10",
    "１２",
    "١٢",
    "1_000",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "99999999999999999999999999999999999999",
    "4294967296",
    "501",
    "9500",
    "9501",
    "2024-02-29",
    "2023-02-29",
    "2024-13-01",
    "0000-00-00",
    "0001-01-01",
    "9999-12-31",
    "10000-01-01",
    "-2024-01-01",
    "2024-1-1",
    "2024-01-01T00:00:00Z",
];

/// Values that parameters accept, by the name of the parameter or a part of it.
const VALID: &[(&str, &[&str])] = &[
    (
        "q",
        &[
            "snow",
            "déneigement",
            "\"snow removal\"",
            "services entretien",
            "snow OR neige -salt",
            "EN578-123/A",
        ],
    ),
    (
        "keyword",
        &["snow", "déneigement,\"snow removal\"", "services", "logiciel,software"],
    ),
    ("municipality", &["montreal", "toronto", "federal"]),
    ("city", &["montreal", "toronto", "federal"]),
    ("category", &["CNST", "GD", "SRV", "SRVTGD"]),
    ("status", &["Active", "Open", "Expired", "Cancelled", "open"]),
    ("sort_by", &["date", "value", "closing", "published"]),
    ("sort_order", &["asc", "desc"]),
    ("include_total", &["true", "false"]),
    (
        "facets",
        &["status", "vendor,department", "status,year,category", "municipality"],
    ),
    ("languages", &["en", "fr", "en,fr"]),
    ("locale", &["en", "fr"]),
    ("vendor_province", &["QC", "Ontario", "Nouveau-Brunswick"]),
    ("value_m", &["0", "1000", "100000", "2500000.55"]),
    ("min_value", &["0", "1000", "100000"]),
    ("_after", &["2019-01-01", "2025-06-01"]),
    ("_before", &["2026-01-01", "2026-12-31"]),
    ("date_", &["2024-02-29", "2025-06-01"]),
    ("days_back", &["1", "7", "90"]),
    ("frequency", &["daily", "weekly"]),
    ("entity_type", &["contract", "tender"]),
    ("vendor", &["construction", "inc", "9123-4567"]),
    ("department", &["ville", "agency", "defence"]),
    ("name", &["construction", "ville"]),
    ("procurement_method", &["Competitive", "Concurrentielle"]),
    ("notice_type", &["Request for Proposal", "Avis d'appel d'offres"]),
    ("limit", &["1", "10", "100", "500"]),
    ("offset", &["0", "10", "9500"]),
    ("email", &["reader@example.org"]),
];

/// Where values come from: the records of the dumps, and what the server answered.
pub struct Values {
    /// Words and whole fields of records.
    fields: Vec<String>,
    /// Entity type, id and line of records.
    pub records: Vec<Known>,
}

/// A record whose answer is known.
pub struct Known {
    pub entity_type: String,
    pub id: String,
    pub line: String,
}

impl Values {
    pub fn of(dumps: &Path) -> anyhow::Result<Values> {
        let mut values = Values {
            fields: Vec::new(),
            records: Vec::new(),
        };
        for folder in fs::read_dir(dumps)? {
            let folder = folder?;
            for file in fs::read_dir(folder.path())? {
                for line in fs::read_to_string(file?.path())?.lines() {
                    let record: Value = serde_json::from_str(line)?;
                    let fields = record.as_object().into_iter().flatten();
                    values
                        .fields
                        .extend(fields.filter_map(|(_, value)| value.as_str().map(str::to_owned)));
                    values.records.push(Known {
                        entity_type: folder.file_name().to_string_lossy().into_owned(),
                        id: record["record_id"].as_str().unwrap_or_default().to_owned(),
                        line: line.to_owned(),
                    });
                }
            }
        }
        Ok(values)
    }

    pub fn record(&self, random: &mut Random) -> &Known {
        &self.records[index_below(random, self.records.len())]
    }

    /// A value that the parameter accepts, if one is known, or any text.
    pub fn of_parameter(&self, name: &str, random: &mut Random) -> String {
        let known = VALID.iter().find(|(part, _)| name.contains(part));
        match known {
            Some((_, values)) if random.chance(60) => random.pick(values).to_string(),
            _ => self.text(random),
        }
    }

    /// A text for any place.
    pub fn text(&self, random: &mut Random) -> String {
        match random.below(20) {
            0..6 => valid(random).to_owned(),
            6..10 => self.fields[index_below(random, self.fields.len())].clone(),
            10..16 => choose(random, HOSTILE).to_string(),
            16 => choose(random, HOSTILE).repeat(1 + index_below(random, 60)),
            17 => random_text(random),
            18 => {
                let list: Vec<&str> = (0..random.below(200)).map(|_| valid(random)).collect();
                list.join(",")
            }
            _ => mutated(self.record(random).id.as_bytes(), random),
        }
    }

    /// A JSON value, nested up to `depth`.
    pub fn json(&self, random: &mut Random, depth: u32) -> Value {
        let kinds = if depth == 0 { 6 } else { 9 };
        match random.below(kinds) {
            0 => Value::Null,
            1 => Value::from(random.chance(50)),
            2 => Value::from(random.next() as i64 >> random.below(64)),
            3 => Value::from(f64::from_bits(random.next())),
            4 => Value::from(self.record(random).id.clone()),
            5 => Value::from(self.text(random)),
            6 => (0..random.below(8)).map(|_| self.json(random, depth - 1)).collect(),
            _ => {
                let member = |random: &mut Random| (choose(random, MEMBERS).to_string(), self.json(random, depth - 1));
                (0..random.below(8)).map(|_| member(random)).collect()
            }
        }
    }

    /// A body: near what some endpoint takes, or far from it.
    pub fn body(&self, random: &mut Random) -> Vec<u8> {
        let text = match random.below(16) {
            0..4 => self.batch(random),
            4..8 => self.subscription(random),
            8..12 => self.json(random, 4).to_string(),
            12 => "[".repeat(index_below(random, 5_000)),
            13 => format!("{}1{}", "{\"items\":".repeat(500), "}".repeat(500)),
            14 => self.text(random),
            _ => mutated(self.batch(random).as_bytes(), random),
        };
        let mut bytes = text.into_bytes();
        if random.chance(5) {
            bytes.truncate(index_below(random, bytes.len() + 1));
        }
        if random.chance(3) && !bytes.is_empty() {
            let at = index_below(random, bytes.len());
            bytes[at] = 0xff;
        }
        bytes
    }

    /// A batch of estimates or comparables that is valid, or nearly.
    fn batch(&self, random: &mut Random) -> String {
        let count = if random.chance(5) { 51 } else { random.below(4) };
        let item = |random: &mut Random| match random.below(4) {
            0 => serde_json::json!({"record_id": self.record(random).id}),
            1 => serde_json::json!({"gsin": choose(random, CODES), "province": "QC", "title": self.text(random)}),
            2 => serde_json::json!({"gsin": self.text(random), "department": self.text(random)}),
            _ => self.json(random, 2),
        };
        let items: Value = (0..count).map(|_| item(random)).collect();
        let mut body = serde_json::json!({"items": items});
        if random.chance(50) {
            body["record_ids"] = (0..random.below(3))
                .map(|_| Value::from(self.record(random).id.clone()))
                .collect();
        }
        if random.chance(30) {
            body[choose(random, MEMBERS)] = self.json(random, 2);
        }
        body.to_string()
    }

    /// A subscription that is valid, or nearly.
    fn subscription(&self, random: &mut Random) -> String {
        // Few addresses: the campaign is not about the number of subscriptions.
        let mut body = serde_json::json!({
            "email": format!("reader{}@example.org", random.below(40)),
            "keywords": [self.text(random)],
        });
        if random.chance(40) {
            body[choose(random, MEMBERS)] = self.json(random, 1);
        }
        if random.chance(20) {
            body["email"] = Value::from(self.text(random));
        }
        body.to_string()
    }
}

/// A value that some parameter accepts.
fn valid(random: &mut Random) -> &'static str {
    let (_, values) = random.pick(VALID);
    choose(random, values)
}

/// Members of the bodies that the API takes, and some that it does not.
const MEMBERS: &[&str] = &[
    "items",
    "record_ids",
    "gsins",
    "record_id",
    "gsin",
    "department",
    "category",
    "province",
    "title",
    "years_back",
    "limit",
    "exclude",
    "email",
    "keyword",
    "keywords",
    "municipality",
    "languages",
    "frequency",
    "locale",
    "",
    "\0",
    "__proto__",
    "detail",
];

/// Commodity codes, valid and not.
const CODES: &[&str] = &["72141003", "81111801", "N7010", "5154A", "0", "99999999", "D302A"];

/// Characters of all planes.
fn random_text(random: &mut Random) -> String {
    let character = |random: &mut Random| {
        let bits = random.below(21);
        char::from_u32((random.below(1 << (bits + 1))) as u32).unwrap_or('\u{fffd}')
    };
    (0..random.below(40)).map(|_| character(random)).collect()
}

/// The text with some bytes replaced, removed or doubled. What is no longer UTF-8 is replaced.
pub fn mutated(text: &[u8], random: &mut Random) -> String {
    let mut bytes = text.to_vec();
    mutate(&mut bytes, random);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Replaces, removes, inserts, doubles or moves some bytes.
pub fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(4) {
        if bytes.is_empty() {
            return;
        }
        let at = index_below(random, bytes.len());
        match random.below(6) {
            0 => bytes[at] = random.below(256) as u8,
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, *random.pick(b"\r\n\0 :;,=&?%\"/x0\x7f\xff")),
            3 => bytes.insert(at, bytes[at]),
            4 => bytes.truncate(at),
            _ => bytes[at] ^= 1 << random.below(8),
        }
    }
}
