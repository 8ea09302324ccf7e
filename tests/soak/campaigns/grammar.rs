//! Requests made from the API description: every endpoint and parameter, with values from valid to hostile.

use anyhow::Context;
use serde_json::Value;

use super::{
    contracts::encode,
    setup::{choose, index_below},
    values::{Values, mutate, mutated},
};
use crate::random::Random;

/// The entity types, for paths.
const ENTITY_TYPES: &[&str] = &[
    "contract",
    "tender",
    "award",
    "disclosure",
    "standing_offer",
    "pre_solicitation",
    "contracts",
    "Contract",
    "",
];

/// A request and what is known about it.
pub struct Request {
    pub bytes: Vec<u8>,
    pub is_head: bool,
    /// The bytes are not surely one request: the server may wait, answer several times, or close.
    pub is_mutated: bool,
    /// The answer must be exactly this body with status 200.
    pub expected: Option<String>,
    /// Whether the path is one that people open in a browser.
    pub is_page: bool,
}

/// Endpoints of the API description.
pub struct Grammar {
    endpoints: Vec<Endpoint>,
    /// Names of all query parameters of all endpoints.
    parameters: Vec<String>,
    pub keys: Keys,
}

/// The keys that requests carry.
pub struct Keys {
    pub all: String,
    pub basic: String,
    pub revoked: String,
}

struct Endpoint {
    path: String,
    methods: Vec<String>,
    parameters: Vec<String>,
}

/// Cursors and entity tags that the server has sent, for later requests.
#[derive(Default)]
pub struct Harvest {
    pub cursors: Vec<String>,
    pub tags: Vec<String>,
}

impl Harvest {
    /// Keeps the newest few.
    pub fn keep(list: &mut Vec<String>, value: &str, random: &mut Random) {
        if list.len() < 64 {
            list.push(value.to_owned());
        } else {
            let at = index_below(random, list.len());
            value.clone_into(&mut list[at]);
        }
    }
}

impl Grammar {
    pub fn of(description: &Value, keys: Keys) -> anyhow::Result<Grammar> {
        let components = &description["components"]["parameters"];
        let mut endpoints = Vec::new();
        for (path, methods) in description["paths"]
            .as_object()
            .context("a description without paths")?
        {
            let methods = methods.as_object().context("a path without methods")?;
            let listed = methods
                .values()
                .filter_map(|method| method["parameters"].as_array())
                .flatten();
            let resolved = listed.map(|parameter| {
                let reference = parameter["$ref"]
                    .as_str()
                    .and_then(|reference| reference.rsplit('/').next());
                reference.map_or(parameter, |name| &components[name])
            });
            let query = resolved.filter(|parameter| parameter["in"] == "query");
            endpoints.push(Endpoint {
                path: path.clone(),
                methods: methods.keys().map(|method| method.to_uppercase()).collect(),
                parameters: query
                    .filter_map(|parameter| Some(parameter["name"].as_str()?.to_owned()))
                    .collect(),
            });
        }
        let mut parameters: Vec<String> = endpoints
            .iter()
            .flat_map(|endpoint| endpoint.parameters.iter().cloned())
            .collect();
        parameters.sort_unstable();
        parameters.dedup();
        Ok(Grammar {
            endpoints,
            parameters,
            keys,
        })
    }

    pub fn endpoints(&self) -> usize {
        self.endpoints.len()
    }

    pub fn parameters(&self) -> usize {
        self.parameters.len()
    }

    pub fn request(&self, values: &Values, harvest: &Harvest, random: &mut Random) -> Request {
        if random.chance(3) {
            return self.known(values, random);
        }
        let endpoint = &self.endpoints[index_below(random, self.endpoints.len())];
        let method = match random.below(20) {
            0..16 => random.pick(&endpoint.methods).clone(),
            16..19 => choose(random, &["GET", "HEAD", "POST", "OPTIONS"]).to_string(),
            _ => random
                .pick(&["PUT", "DELETE", "PATCH", "TRACE", "get", "PROPFIND", "X-y_z!"])
                .to_string(),
        };
        let mut target = path(&endpoint.path, values, random);
        let mut query = self.query(endpoint, values, harvest, random);
        if query.len() + target.len() > 15_000 {
            query.truncate(query.floor_char_boundary(8_000));
        }
        if !query.is_empty() {
            target = format!("{target}?{query}");
        }
        let mut head = format!("{method} {target} HTTP/1.1\r\nhost: soak\r\n");
        self.headers(&mut head, harvest, random);
        let mut bytes = head.into_bytes();
        let has_body = if method == "POST" {
            random.chance(95)
        } else {
            random.chance(2)
        };
        if has_body {
            add_body(&mut bytes, &values.body(random), random);
        } else {
            bytes.extend(b"\r\n");
        }
        let is_mutated = random.chance(4);
        if is_mutated {
            mutate(&mut bytes, random);
        }
        Request {
            is_head: bytes.starts_with(b"HEAD "),
            bytes,
            is_mutated,
            expected: None,
            is_page: endpoint.path.contains("alerts") || endpoint.path.contains("docs"),
        }
    }

    /// A record whose answer is known: it shows that requests and answers are still in step.
    fn known(&self, values: &Values, random: &mut Random) -> Request {
        let record = values.record(random);
        let (entity_type, id) = (&record.entity_type, encode(&record.id));
        let bytes = super::connection::get(&format!("/{entity_type}/{id}"), &self.keys.all).into_bytes();
        Request {
            bytes,
            is_head: false,
            is_mutated: false,
            expected: Some(record.line.clone()),
            is_page: false,
        }
    }

    fn query(&self, endpoint: &Endpoint, values: &Values, harvest: &Harvest, random: &mut Random) -> String {
        let mut pairs: Vec<String> = Vec::new();
        for _ in 0..random.below(5) {
            let name = match random.below(12) {
                0..=9 if !endpoint.parameters.is_empty() => random.pick(&endpoint.parameters).clone(),
                10 => mutated(random.pick(&self.parameters).as_bytes(), random),
                _ => random.pick(&self.parameters).clone(),
            };
            let value = match (name.as_str(), random.below(4)) {
                ("cursor", 0..3) if !harvest.cursors.is_empty() => {
                    let cursor = random.pick(&harvest.cursors);
                    if random.chance(50) {
                        cursor.clone()
                    } else {
                        mutated(cursor.as_bytes(), random)
                    }
                }
                // Most pages are short: the campaign is about requests, not about bytes.
                ("limit", 0..3) => random.below(12).to_string(),
                ("offset", 0..3) => random.below(300).to_string(),
                _ => values.of_parameter(&name, random),
            };
            pairs.push(format!("{}={}", escape(&name, random), escape(&value, random)));
        }
        let has_limit = pairs.iter().any(|pair| pair.starts_with("limit"));
        if !has_limit && random.chance(80) && endpoint.parameters.iter().any(|name| name == "limit") {
            pairs.push(format!("limit={}", 1 + random.below(6)));
        }
        pairs.join(if random.chance(95) {
            "&"
        } else {
            choose(random, &["&&", ";", "&=&"])
        })
    }

    fn headers(&self, head: &mut String, harvest: &Harvest, random: &mut Random) {
        let mut add = |name: &str, value: &str| head.push_str(&format!("{name}: {value}\r\n"));
        match random.below(20) {
            0..16 => add("x-gateway-key", &self.keys.all),
            16 => add("X-Gateway-Key", &self.keys.basic),
            17 => add("x-gateway-key", &self.keys.revoked),
            18 => add("x-gateway-key", choose(random, WRONG_KEYS)),
            _ => {}
        }
        if random.chance(1) {
            add("x-gateway-key", &self.keys.all);
        }
        if random.chance(5) {
            add("accept-encoding", choose(random, ENCODINGS));
        }
        if random.chance(6) {
            if harvest.tags.is_empty() {
                add("if-none-match", "*");
            } else {
                add("if-none-match", random.pick::<String>(&harvest.tags));
            }
        }
        if random.chance(10) {
            let (name, value) = random.pick(HEADERS);
            add(name, value);
        }
        if random.chance(1) {
            for number in 0..random.below(70) {
                add(&format!("x-{number}"), "y");
            }
        }
        if random.chance(1) {
            add("x-long", &"z".repeat(index_below(random, 17_000)));
        }
    }
}

const ENCODINGS: &[&str] = &[
    "gzip",
    "br",
    "zstd",
    "br;q=0.1, gzip;q=0.5",
    "*;q=0",
    "identity;q=0",
    "gzip;q=9",
];

const WRONG_KEYS: &[&str] = &["", "pk_", "pk_0000000000000000000000000000000000000000", "\u{e9}"];

/// Headers that mean something to some server.
const HEADERS: &[(&str, &str)] = &[
    ("origin", "https://evil.example"),
    ("access-control-request-method", "POST"),
    ("access-control-request-headers", "x-gateway-key"),
    ("x-forwarded-for", "1.2.3.4, 5.6.7.8"),
    ("x-forwarded-host", "evil.example"),
    ("forwarded", "for=\"[::1]\";host=evil.example;proto=https"),
    ("x-http-method-override", "DELETE"),
    ("x-original-url", "/metrics"),
    ("range", "bytes=0-1,5-"),
    ("if-match", "*"),
    ("if-modified-since", "Thu, 01 Jan 1970 00:00:00 GMT"),
    ("accept", "text/html"),
    ("accept", "application/xml;q=1"),
    ("accept-language", "fr"),
    ("expect", "100-continue"),
    ("expect", "200-maybe"),
    ("connection", "close"),
    ("connection", "keep-alive, upgrade"),
    ("connection", "x-gateway-key"),
    ("upgrade", "websocket"),
    ("upgrade", "h2c"),
    ("te", "trailers"),
    ("cookie", "a=b; c=d"),
    ("authorization", "Basic Og=="),
    ("x-request-id", "id-1"),
    ("x-request-id", "\u{e9}\u{e9}"),
    ("x-request-id", "a b c"),
    ("x-gateway-host", "evil.example"),
    ("host", "second.example"),
    ("content-encoding", "gzip"),
    ("content-length", "0"),
    ("user-agent", "\u{1f600}"),
    ("", "no name"),
    ("a b", "blank in the name"),
];

/// Fills the parameters of a path.
fn path(template: &str, values: &Values, random: &mut Random) -> String {
    let mut filled = String::new();
    for segment in template.split('/').skip(1) {
        filled.push('/');
        match segment {
            "{entity_type}" => filled.push_str(choose(random, ENTITY_TYPES)),
            "{doc_index}" => filled.push_str(&escape(&random.below(3).to_string(), random)),
            _ if segment.starts_with('{') => {
                let value = if random.chance(50) {
                    values.record(random).id.clone()
                } else {
                    values.text(random)
                };
                filled.push_str(&escape(&value, random));
            }
            _ => filled.push_str(segment),
        }
    }
    if random.chance(2) {
        filled.push_str(choose(
            random,
            &["/", "//", "/..", "/.", "/%2e%2e", ";x", "%00", "#f", "%2f"],
        ));
    }
    filled.truncate(filled.floor_char_boundary(12_000));
    filled
}

/// Writes a text into an address: encoded as it should be, or not.
fn escape(text: &str, random: &mut Random) -> String {
    match random.below(20) {
        // As it is, but for what ends a request line.
        0 => text
            .chars()
            .map(|c| if c.is_ascii_control() || c == ' ' { '+' } else { c })
            .collect(),
        1 => encode(&encode(text)),
        2 => text.bytes().map(|byte| format!("%{byte:02x}")).collect(),
        _ => encode(text),
    }
}

/// Adds a body, with the framing that belongs to it.
fn add_body(bytes: &mut Vec<u8>, body: &[u8], random: &mut Random) {
    let content_type = match random.below(20) {
        0 => "text/plain",
        1 => "application/json; charset=latin1",
        2 => "application/x-www-form-urlencoded",
        3 => "multipart/form-data; boundary=x",
        _ => "application/json",
    };
    bytes.extend(format!("content-type: {content_type}\r\n").as_bytes());
    if random.chance(90) {
        bytes.extend(format!("content-length: {}\r\n\r\n", body.len()).as_bytes());
        bytes.extend(body);
        return;
    }
    bytes.extend(b"transfer-encoding: chunked\r\n\r\n");
    for chunk in body.chunks(1 + index_below(random, 300)) {
        bytes.extend(format!("{:x}\r\n", chunk.len()).as_bytes());
        bytes.extend(chunk);
        bytes.extend(b"\r\n");
    }
    bytes.extend(b"0\r\n\r\n");
}
