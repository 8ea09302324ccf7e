//! Requests of every endpoint, drawn from the records that are searched: most find something, some
//! are refused.

use std::{collections::BTreeMap, fs, path::Path};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::random::Random;

const ENTITY_TYPES: [&str; 6] = [
    "contract",
    "tender",
    "award",
    "disclosure",
    "standing_offer",
    "pre_solicitation",
];

/// How many records of a dump requests are drawn from.
const DRAWN: usize = 400;

#[derive(Clone, Debug)]
pub enum Request {
    Get(String),
    Post(&'static str, Value),
}

/// Some records of each entity type, spread over the dumps.
pub struct Drawn(BTreeMap<String, Vec<Value>>);

impl Drawn {
    /// From plain dumps, `<entity_type>/<source_id>.ndjson`.
    pub fn from(dumps: &Path) -> Drawn {
        let mut drawn: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for entity_type in ENTITY_TYPES {
            let Ok(files) = dumps.join(entity_type).read_dir() else {
                continue;
            };
            let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
            paths.sort();
            for path in paths {
                let text = fs::read_to_string(path).unwrap();
                let lines: Vec<&str> = text.lines().collect();
                let every = (lines.len() / DRAWN).max(1);
                let records = lines
                    .iter()
                    .step_by(every)
                    .map(|line| serde_json::from_str(line).unwrap());
                drawn.entry(entity_type.to_owned()).or_default().extend(records);
            }
        }
        Drawn(drawn)
    }

    fn pick<'a>(&'a self, random: &mut Random, entity_type: &str) -> Option<&'a Value> {
        Some(random.pick(self.0.get(entity_type)?))
    }

    fn types(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    /// About `count` requests, the same ones for the same seed and records.
    pub fn requests(&self, seed: u64, count: usize) -> Vec<Request> {
        let mut random = Random::new(seed, "requests");
        let mut requests = self.fixed();
        while requests.len() < count {
            let entity_type = *random.pick(&self.types());
            let request = match random.below(24) {
                0..=8 => self.search(&mut random, entity_type),
                9 => self.lookup(&mut random, entity_type),
                10 => self.statistics(&mut random, entity_type),
                11 => self.names(&mut random, entity_type),
                12 | 13 => self.profile(&mut random, entity_type),
                14 => self.solicitation(&mut random, entity_type),
                15 | 16 => self.feed(&mut random),
                17 | 18 => self.market(&mut random),
                19 => self.commodities(&mut random, entity_type),
                20 => self.misspelled(&mut random, entity_type),
                21 | 22 => self.bids(&mut random),
                _ => self.mistake(&mut random, entity_type),
            };
            requests.extend(request);
        }
        requests
    }

    /// What has few forms: each once.
    fn fixed(&self) -> Vec<Request> {
        let mut paths = vec!["/sources".to_owned()];
        for entity_type in ENTITY_TYPES {
            for rest in [
                "",
                "?sort_order=asc",
                "?include_total=true",
                "/stats",
                "/coverage",
                "/export?sort_order=asc",
            ] {
                paths.push(format!("/{entity_type}{rest}"));
            }
            paths.push(format!("/departments?entity_type={entity_type}"));
        }
        for entity_type in self.types() {
            paths.push(format!("/{entity_type}?facets=municipality,year&include_total=true"));
            paths.push(format!("/{entity_type}?facets=quality_flag,currency,commodity"));
            paths.push(format!(
                "/{entity_type}?supplier=sup_38416dd947937571&include_total=true"
            ));
            paths.push(format!("/{entity_type}?body=body_d7f311f84c9006a9&include_total=true"));
            paths.push(format!(
                "/{entity_type}/stats?include=quality,market,currencies,supplier"
            ));
            paths.push(format!("/{entity_type}?include=supplier&limit=20"));
            paths.push(format!("/{entity_type}?facets=body,department&limit=1"));
            paths.push(format!("/{entity_type}?q=services&sort_by=relevance&limit=100"));
            paths.push(format!(
                "/{entity_type}?q=snow+removal&translate=true&match_codes=true&sort_by=relevance&explain=true"
            ));
            for place in ["purchase", "purchase_or_vendor", "stated_purchase"] {
                paths.push(format!(
                    "/{entity_type}?q=construction+OR+%22road+work%22&translate=true&q_in={place}&include_total=true"
                ));
            }
        }
        for q in ["construction", "ISED", "montreal", "servces", "national", "de", "43"] {
            paths.push(format!("/suggest?q={q}&limit=20&lang=fr"));
        }
        for rest in ["", "?q=serv", "?scheme=gsin&limit=100", "?q=construction&offset=3"] {
            paths.push(format!("/commodities{rest}"));
        }
        for rest in [
            "",
            "?facets=year,department,municipality,category,vendor,method,won&include_total=true",
            "?include_statistics=true&won=true&limit=500",
        ] {
            paths.push(format!("/bids{rest}"));
        }
        paths.push("/tender/feed?days_back=90&limit=500".to_owned());
        paths.push("/tender/feed?days_back=90&keywords=snow+removal&translate=true".to_owned());
        paths.push("/tender/feed?days_back=90&keywords=snow+removal,roofing&match_codes=true".to_owned());
        paths.push("/tender/feed".to_owned());
        for list in [
            "bids/export",
            "bids/export?q=services&won=true",
            "suppliers/export",
            "suppliers/export?q=inc",
        ] {
            paths.push(format!("/{list}"));
        }
        paths.into_iter().map(Request::Get).collect()
    }

    fn search(&self, random: &mut Random, entity_type: &str) -> Option<Request> {
        let like = self.pick(random, entity_type)?;
        let mut query = Query::default();
        let has_text = random.chance(60);
        if has_text {
            query.add("q", &question(random, like));
            for (parameter, percent) in [("translate", 30), ("match_codes", 30), ("explain", 10), ("suggest", 10)] {
                if random.chance(percent) {
                    query.add(parameter, "true");
                }
            }
            if random.chance(30) {
                let place = random.pick::<&str>(&["purchase", "purchase_or_vendor", "stated_purchase"]);
                query.add("q_in", place);
            }
        }
        for _ in 0..random.below(4) {
            add_filter(&mut query, random, like);
        }
        let is_by_relevance = has_text && random.chance(40);
        if is_by_relevance {
            query.add("sort_by", "relevance");
        } else {
            match random.below(8) {
                0 => query.add("sort_by", "value"),
                1 => query.add("sort_by", "closing"),
                2 => query.add("sort_by", "published"),
                _ => (),
            }
        }
        if !is_by_relevance && random.chance(30) {
            query.add("sort_order", "asc");
        }
        if random.chance(60) {
            query.add("limit", &(1 + random.below(120)).to_string());
        }
        if random.chance(20) {
            query.add("offset", &random.below(400).to_string());
        }
        if random.chance(40) {
            let all = [
                "status",
                "category",
                "municipality",
                "department",
                "vendor",
                "year",
                "commodity",
                "quality_flag",
                "currency",
                "level",
                "body_class",
            ];
            let first = random.below(all.len() as u64) as usize;
            let length = 1 + random.below((all.len() - first) as u64) as usize;
            query.add("facets", &all[first..first + length].join(","));
        }
        if random.chance(40) {
            query.add("include_total", "true");
        }
        Some(Request::Get(query.of(&format!("/{entity_type}"))))
    }

    fn lookup(&self, random: &mut Random, entity_type: &str) -> Option<Request> {
        let id = encoded(self.pick(random, entity_type)?["record_id"].as_str()?);
        Some(Request::Get(match random.below(5) {
            0 => format!("/{entity_type}/{id}x"),
            1 => format!("/tender/{id}/documents/{}", random.below(3)),
            _ => format!("/{entity_type}/{id}"),
        }))
    }

    fn statistics(&self, random: &mut Random, entity_type: &str) -> Option<Request> {
        let like = self.pick(random, entity_type)?;
        let mut query = Query::default();
        for _ in 0..=random.below(2) {
            add_filter(&mut query, random, like);
        }
        add_include(&mut query, random);
        Some(Request::Get(query.of(&format!("/{entity_type}/stats"))))
    }

    fn names(&self, random: &mut Random, entity_type: &str) -> Option<Request> {
        let like = self.pick(random, entity_type)?;
        let mut query = Query::default();
        let is_vendor = random.chance(60);
        let name = if is_vendor { vendor(like) } else { department(like) };
        query.add("q", &part(random, name?, 2));
        if random.chance(30) {
            query.add("limit", &(1 + random.below(100)).to_string());
            query.add("offset", &random.below(50).to_string());
        }
        if !is_vendor && random.chance(50) {
            query.add("entity_type", entity_type);
        }
        Some(Request::Get(query.of(if is_vendor {
            "/vendors"
        } else {
            "/departments"
        })))
    }

    fn profile(&self, random: &mut Random, entity_type: &str) -> Option<Request> {
        let like = self.pick(random, entity_type)?;
        let is_vendor = random.chance(60);
        let name = if is_vendor { vendor(like) } else { department(like) };
        // A name that does not exist is answered with names that begin like it.
        let name = if random.chance(25) {
            format!("{} zzz", part(random, name?, 4))
        } else {
            name?.to_owned()
        };
        let mut query = Query::default();
        if random.chance(30) {
            query.add("sort_by", if random.chance(50) { "value" } else { "date" });
        }
        if random.chance(30) {
            query.add("limit", &(1 + random.below(30)).to_string());
        }
        if random.chance(20) {
            add_dates(&mut query, random, like);
        }
        add_include(&mut query, random);
        let kind = if is_vendor { "vendor" } else { "department" };
        Some(Request::Get(query.of(&format!("/{kind}/{}", encoded(&name)))))
    }

    /// A search for bids, or figures of them.
    fn bids(&self, random: &mut Random) -> Option<Request> {
        let like = self.pick(random, "tender")?;
        let mut query = Query::default();
        let path = match random.below(6) {
            0 => format!("/tender/{}/bids", encoded(like["record_id"].as_str()?)),
            1 => format!("/department/{}", encoded(department(like)?)),
            2 => format!("/commodity/{}", encoded(&commodity(random, like)?)),
            3 => format!("/vendor/{}", encoded(vendor(self.pick(random, "contract")?)?)),
            _ => "/bids".to_owned(),
        };
        if path.ends_with("/bids") && path != "/bids" {
            return Some(Request::Get(path));
        }
        if path != "/bids" {
            query.add("include", "bids,market");
            return Some(Request::Get(query.of(&path)));
        }
        if random.chance(40) {
            query.add("q", &question(random, like));
        }
        if let Some(name) = department(like).filter(|_| random.chance(40)) {
            query.add("department", &part(random, name, 3));
        }
        for (name, percent) in [("municipality", 20), ("procurement_category", 20)] {
            if let Some(value) = like[name].as_str().filter(|_| random.chance(percent)) {
                query.add(name.trim_start_matches("procurement_"), value);
            }
        }
        for (name, value, percent) in [
            ("method", "open", 30),
            ("won", "false", 30),
            ("amount_min", "50000", 20),
            ("facets", "year,department,vendor,won", 30),
            ("include_total", "true", 50),
            ("include_statistics", "true", 40),
            ("limit", "7", 50),
        ] {
            if random.chance(percent) {
                query.add(name, value);
            }
        }
        Some(Request::Get(query.of(&path)))
    }

    fn commodities(&self, random: &mut Random, entity_type: &str) -> Option<Request> {
        let like = self.pick(random, entity_type)?;
        let code = commodity(random, like)?;
        let mut query = Query::default();
        match random.below(3) {
            0 => {
                query.add("parent", &code);
                Some(Request::Get(query.of("/commodities")))
            }
            1 => {
                let words = phrase(random, like);
                query.add("q", &part(random, &words, 3));
                query.add("entity_type", entity_type);
                Some(Request::Get(query.of("/commodities")))
            }
            _ => {
                add_include(&mut query, random);
                Some(Request::Get(query.of(&format!("/commodity/{}", encoded(&code)))))
            }
        }
    }

    /// Words of a record with a letter less, or two that changed places.
    fn misspelled(&self, random: &mut Random, entity_type: &str) -> Option<Request> {
        let like = self.pick(random, entity_type)?;
        let mut letters: Vec<char> = phrase(random, like).chars().collect();
        let at = random.below(letters.len() as u64) as usize;
        if at > 0 && random.chance(50) {
            letters.swap(at, at - 1);
        } else {
            letters.remove(at);
        }
        let mut query = Query::default();
        query.add("q", &letters.into_iter().collect::<String>());
        let parameter = *random.pick(&["suggest", "explain"]);
        query.add(parameter, "true");
        if random.chance(50) {
            add_filter(&mut query, random, like);
        }
        Some(Request::Get(query.of(&format!("/{entity_type}"))))
    }

    fn solicitation(&self, random: &mut Random, entity_type: &str) -> Option<Request> {
        let like = self.pick(random, entity_type)?;
        let number = like["solicitation_number"]
            .as_str()
            .or(like["reference_number"].as_str())?;
        Some(Request::Get(format!("/procurement/{}", encoded(number))))
    }

    fn feed(&self, random: &mut Random) -> Option<Request> {
        let like = self.pick(random, "tender")?;
        let mut query = Query::default();
        query.add("days_back", &(1 + random.below(90)).to_string());
        if random.chance(60) {
            let keywords = [phrase(random, like), phrase(random, like)];
            query.add("keywords", &keywords.join(","));
        }
        if random.chance(30) {
            query.add("min_value", &random.below(200_000).to_string());
        }
        if random.chance(30) {
            query.add("languages", if random.chance(50) { "fr" } else { "en" });
        }
        if random.chance(20) {
            query.add("municipality", like["municipality"].as_str()?);
        }
        for name in ["translate", "match_codes"] {
            if random.chance(30) {
                query.add(name, "true");
            }
        }
        query.add("limit", &(1 + random.below(60)).to_string());
        Some(Request::Get(query.of("/tender/feed")))
    }

    fn market(&self, random: &mut Random) -> Option<Request> {
        let path = if random.chance(50) {
            "/tender/estimate"
        } else {
            "/tender/comps"
        };
        let mut items = Vec::new();
        for _ in 0..=random.below(3) {
            let entity_type = if random.chance(70) { "tender" } else { "contract" };
            let like = self.pick(random, entity_type)?;
            items.push(match random.below(3) {
                0 => json!({ "title": phrase(random, like), "department": department(like) }),
                1 => json!({ "gsin": like["gsin"].as_str().unwrap_or("N7030"), "province": "QC" }),
                _ => json!({ "record_id": like["record_id"] }),
            });
        }
        Some(Request::Post(
            path,
            json!({ "items": items, "years_back": 1 + random.below(20) }),
        ))
    }

    /// Requests that are refused, or whose answer is empty.
    fn mistake(&self, random: &mut Random, entity_type: &str) -> Option<Request> {
        let queries = [
            "municipality=montrael",
            "offset=9501",
            "limit=501",
            "cursor=abc",
            "sort_by=value&cursor=abc",
            "issued_after=2024-02-30",
            "facets=nothing",
            "q=%22%22",
            "q=-a",
            "vendor=zzzzzzzz",
            "value_min=1e300",
            "value_min=5&value_max=1",
            "offset=9500&limit=500",
            "nonsense=1",
            "sort_by=relevance",
            "sort_by=relevance&q=services&cursor=abc",
            "sort_by=relevance&q=services&sort_order=asc",
            "sort_by=relevance&q=-services",
            "commodity=zz",
            "commodity=unspsc:99",
            "quality_flag=odd",
            "competition=odd",
            "amended=true",
            "amended=odd",
            "level=federal&facets=level",
            "body_class=health,other&facets=body_class",
            "body_class=odd",
            "vendor_city=montreal",
            "vendor_country=abroad",
            "q=zzzzzzzz&explain=true",
        ];
        Some(Request::Get(format!("/{entity_type}?{}", random.pick(&queries))))
    }
}

/// The parameters of a request, in order.
#[derive(Default)]
struct Query(Vec<String>);

impl Query {
    fn add(&mut self, name: &str, value: &str) {
        self.0.push(format!("{name}={}", encoded(value)));
    }

    fn of(&self, path: &str) -> String {
        if self.0.is_empty() {
            path.to_owned()
        } else {
            format!("{path}?{}", self.0.join("&"))
        }
    }
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// A filter that the record passes, if it has the field.
fn add_filter(query: &mut Query, random: &mut Random, like: &Value) {
    let text = |field: &str| like[field].as_str().map(str::to_owned);
    let found = match random.below(16) {
        0 => ("municipality", text("municipality")),
        1 => (
            "category",
            text("procurement_category").and_then(|all| all.split(',').next().map(str::to_owned)),
        ),
        2 => (
            "status",
            Some((*random.pick(&["Open", "Active", "Expired", "Cancelled"])).to_owned()),
        ),
        3 => ("department", department(like).map(|name| part(random, name, 3))),
        4 => ("vendor", vendor(like).map(|name| part(random, name, 3))),
        12 => ("department_is", department(like).map(str::to_owned)),
        13 => ("vendor_is", vendor(like).map(str::to_owned)),
        5 => (
            "procurement_method",
            text("procurement_method_en").map(|method| part(random, &method, 4)),
        ),
        6 => ("notice_type", text("notice_type_en").or(text("notice_type_fr"))),
        7 => ("vendor_province", text("vendor_province")),
        14 => (
            "region",
            text("regions_of_delivery_en")
                .or(text("regions_of_delivery_fr"))
                .or(text("province")),
        ),
        8 => ("reference_number", text("reference_number")),
        9 => {
            let value = like["contract_value"].as_f64().unwrap_or(50_000.0);
            query.add("value_min", &(value / 2.0).to_string());
            ("value_max", random.chance(50).then(|| (value * 2.0).to_string()))
        }
        10 => ("commodity", commodity(random, like)),
        11 => {
            let flags = [
                "none",
                "no_vendor",
                "placeholder_value",
                "duplicate_suspect",
                "future_date",
            ];
            ("quality_flag", Some((*random.pick(&flags)).to_owned()))
        }
        _ => return add_dates(query, random, like),
    };
    if let (name, Some(value)) = found {
        query.add(name, &value);
    }
}

fn add_dates(query: &mut Query, random: &mut Random, like: &Value) {
    let day = like["award_date"].as_str().or(like["publication_date"].as_str());
    if let Some(day) = day {
        let name = *random.pick(&["issued_after", "issued_before", "date_from", "date_to"]);
        query.add(name, day);
    }
    if let (Some(day), true) = (like["closing_date"].as_str(), random.chance(30)) {
        let name = *random.pick(&["closing_after", "closing_before"]);
        query.add(name, day);
    }
    let end = like["end_date"].as_str().or(like["expiry_date"].as_str());
    if let (Some(day), true) = (end, random.chance(30)) {
        let name = *random.pick(&["ending_after", "ending_before"]);
        query.add(name, day);
    }
}

/// The first code of a record, or the start of it.
fn commodity(random: &mut Random, record: &Value) -> Option<String> {
    let field = ["unspsc", "gsin", "commodity"]
        .iter()
        .find_map(|field| record[*field].as_str())?;
    let code = field.split([',', ';', ' ']).next()?.trim_matches('*');
    let end = if random.chance(60) {
        code.len()
    } else {
        code.len().min(4)
    };
    code.get(..end).filter(|code| !code.is_empty()).map(str::to_owned)
}

fn add_include(query: &mut Query, random: &mut Random) {
    if random.chance(40) {
        let all = [
            "quality",
            "market",
            "currencies",
            "quality,market,currencies",
            "supplier",
        ];
        let include: &&str = random.pick(&all);
        query.add("include", include);
    }
}

fn vendor(record: &Value) -> Option<&str> {
    record["vendor_name"]
        .as_str()
        .or(record["supplier_legal_name"].as_str())
}

fn department(record: &Value) -> Option<&str> {
    record["department_en"].as_str().or(record["department_fr"].as_str())
}

/// A part of a text of at least `least` characters, if the text is as long.
fn part(random: &mut Random, text: &str, least: usize) -> String {
    let characters: Vec<char> = text.chars().collect();
    let length = (least + random.below(8) as usize).min(characters.len());
    let start = random.below((characters.len() - length + 1) as u64) as usize;
    characters[start..start + length].iter().collect()
}

fn words(record: &Value) -> Vec<&str> {
    let fields = [
        "title_en",
        "title_fr",
        "description_en",
        "description_fr",
        "vendor_name",
        "department_fr",
    ];
    let texts = fields.iter().filter_map(|field| record[*field].as_str());
    texts.flat_map(|text| text.split_whitespace().take(40)).collect()
}

/// One to three successive words of a record's texts.
fn phrase(random: &mut Random, record: &Value) -> String {
    let words = words(record);
    if words.is_empty() {
        return "services".to_owned();
    }
    let length = (1 + random.below(3) as usize).min(words.len());
    let start = random.below((words.len() - length + 1) as u64) as usize;
    words[start..start + length].join(" ")
}

/// A `q`: words and phrases of the record with operators, and sometimes characters that mean nothing.
fn question(random: &mut Random, record: &Value) -> String {
    let odd = [
        "*", "(", ")", "--", "\"", "é", "ß", "\u{301}", "~2", "a:b", "\\", "日本", "&&", "?", "OR", "-",
    ];
    let mut terms: Vec<String> = Vec::new();
    for _ in 0..=random.below(3) {
        let term = phrase(random, record);
        match random.below(10) {
            0 | 1 => terms.push(format!("\"{term}\"")),
            2 => terms.push(format!("-{term}")),
            3 => terms.push(format!(
                "{term} OR {}",
                random.pick(&["snow", "services", "travaux", "route"])
            )),
            4 => terms.push(format!("{term}{}", random.pick(&odd))),
            5 => terms.push(format!("{}{term}", random.pick(&odd))),
            6 => terms.push(part(random, &term, 3)),
            7 => terms.push(term.to_uppercase()),
            _ => terms.push(term),
        }
    }
    terms.join(" ")
}
