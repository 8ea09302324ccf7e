//! Two servers of the same records, one on the embedded engine and one on the cluster, must give the
//! same answers byte for byte.

use std::{env, fs, path::Path, process::Command};

use serde_json::json;
use tempfile::TempDir;

use crate::{
    processes::{BINARY, Engine, Installation, Response, Service},
    requests::{Drawn, Request},
    shared,
};

/// How many pages of one search are followed.
const MAX_PAGES: usize = 60;

/// The two servers.
struct Twins {
    /// Of their generations and state databases. Removed at the end.
    _folder: TempDir,
    name: String,
    embedded: Service,
    cluster: Service,
    /// What differed.
    differences: Vec<String>,
    /// How many answers were compared, and how many of them were pages with records.
    compared: usize,
    found: usize,
}

impl Twins {
    /// Builds both indexes from the dumps and serves them. `None` if this machine has no cluster.
    fn start(name: &str, dumps: &Path) -> Option<Twins> {
        let cluster = shared::cluster()?;
        let folder = tempfile::tempdir().unwrap();
        let on_cluster = Engine::Cluster {
            urls: cluster.urls(),
            prefix: format!("compare-{name}"),
            shards: 2,
            replicas: 1,
        };
        let installation = |name: &str, engine| Installation::new(folder.path().join(name), dumps, engine);
        let (mut embedded, mut on_cluster) = (
            installation("embedded", Engine::Embedded),
            installation("cluster", on_cluster),
        );
        // Answers are compared, not times: three nodes share the processors of this machine.
        for installation in [&mut embedded, &mut on_cluster] {
            installation
                .environment
                .push(("PROCURE_QUERY_TIMEOUT", "60".to_owned()));
        }
        embedded.index();
        on_cluster.index();
        Some(Twins {
            embedded: embedded.serve(),
            cluster: on_cluster.serve(),
            _folder: folder,
            name: name.to_owned(),
            differences: Vec::new(),
            compared: 0,
            found: 0,
        })
    }

    /// Fails if an answer differed.
    fn finish(self) {
        let Twins {
            name,
            differences,
            compared,
            found,
            ..
        } = &self;
        println!("{name}: {compared} answers compared, {found} of them with records");
        let shown = differences[..differences.len().min(12)].join("\n");
        assert!(
            differences.is_empty(),
            "{} of {compared} answers differ:\n{shown}",
            differences.len()
        );
        assert!(found * 4 > *compared, "{found} of {compared} answers have records");
    }

    fn ask(&mut self, request: &Request) -> Response {
        let ask = |service: &Service| match request {
            Request::Get(path) => service.get(path),
            Request::Post(path, body) => service.post(path, body),
        };
        let (embedded, cluster) = (ask(&self.embedded), ask(&self.cluster));
        self.compared += 1;
        self.found += usize::from(embedded.status == 200 && embedded.body.contains("\"record_id\""));
        let (expected, answer) = (comparable(&embedded), comparable(&cluster));
        if answer != expected {
            self.differences
                .push(format!("{request:?}\n{}", first_difference(&expected, &answer)));
        }
        embedded
    }

    /// Follows the cursors of a search to its end, or through [`MAX_PAGES`] pages.
    fn follow(&mut self, path: &str) {
        let mut answer = self.ask(&Request::Get(path.to_owned()));
        for _ in 1..MAX_PAGES {
            let Some(cursor) = next_cursor(&answer) else { return };
            answer = self.ask(&Request::Get(format!("{path}&cursor={cursor}")));
        }
    }
}

fn next_cursor(answer: &Response) -> Option<String> {
    if answer.status != 200 {
        return None;
    }
    answer.json()["next_cursor"].as_str().map(str::to_owned)
}

/// What differs between two builds, each with the character that ends it: the time of the build that
/// first saw a tender and of the one that is served, its id, and how long a search took.
const OF_BUILD: [(&str, char); 4] = [
    ("\"first_seen_at\":\"", '"'),
    ("\"as_of\":\"", '"'),
    ("\"generation\":\"", '"'),
    ("\"timings\":{", '}'),
];

/// The status and the body, without what differs between two builds.
pub fn comparable(response: &Response) -> String {
    let mut body = response.body.clone();
    for (member, end) in OF_BUILD {
        let mut parts = body.split(member);
        let mut without = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            without.push_str(member);
            without.push_str(part.split_once(end).map_or("", |(_, rest)| rest));
        }
        body = without;
    }
    format!("{} {body}", response.status)
}

fn first_difference(expected: &str, answer: &str) -> String {
    let pairs = expected.bytes().zip(answer.bytes());
    let at = pairs.take_while(|(a, b)| a == b).count();
    let around = |text: &str| {
        let bytes = &text.as_bytes()[at.saturating_sub(200)..text.len().min(at + 200)];
        String::from_utf8_lossy(bytes).into_owned()
    };
    format!("  embedded: …{}…\n  cluster:  …{}…", around(expected), around(answer))
}

/// Builds both indexes from the dumps and compares about `count` answers, and the pages of some
/// searches.
fn compare(name: &str, dumps: &Path, seed: u64, count: usize) {
    let Some(mut twins) = Twins::start(name, dumps) else {
        return;
    };
    let drawn = Drawn::from(dumps);
    let requests = drawn.requests(seed, count);
    for (number, request) in requests.iter().enumerate() {
        match request {
            Request::Get(path) if number % 10 == 0 && path.contains("limit=") && !path.contains("offset=") => {
                twins.follow(path);
            }
            _ => drop(twins.ask(request)),
        }
    }
    twins.finish();
}

#[test]
fn generated_records_get_the_same_answers() {
    let folder = tempfile::tempdir().unwrap();
    let dumps = folder.path().join("dumps");
    let sample = Command::new(BINARY)
        .args(["sample", "--records", "2500", "--seed", "5", "--out"])
        .arg(&dumps)
        .status();
    assert!(sample.unwrap().success());
    write_new_tenders(&dumps);
    compare("sample", &dumps, 1, 700);
}

/// Tenders that are new and open today: the generated ones have fixed days.
fn write_new_tenders(dumps: &Path) {
    let today = chrono::Utc::now().date_naive();
    let mut lines = String::new();
    for number in 0..150u64 {
        let published = today - chrono::Days::new(number % 60);
        let closing = today + chrono::Days::new(20 + number % 9);
        let (title, title_fr) = [
            ("Snow removal services", "Services de déneigement"),
            ("Road repair work", "Travaux de réfection de route"),
            ("Cleaning services", "Services d'entretien ménager"),
        ][number as usize % 3];
        let category = ["CNST", "SRV", "GD"][number as usize % 3];
        let record = json!({
            "record_id": format!("new|{number}"),
            "municipality": "montreal",
            "publication_date": published.to_string(),
            "closing_date": closing.to_string(),
            "status": "Open",
            "title_en": title,
            "title_fr": title_fr,
            "department_en": format!("Department of Roads {}", number % 4),
            "procurement_category": category,
            "contract_value": (number % 5 == 0).then_some(10_000 * number),
            "fetched_at": "2024-06-01T00:00:00Z",
        });
        lines.push_str(&format!("{record}\n"));
    }
    fs::create_dir_all(dumps.join("tender")).unwrap();
    fs::write(dumps.join("tender/new.ndjson"), lines).unwrap();
}

/// One search of the cluster has at most 65,535 buckets (`search.max_buckets`).
#[test]
#[ignore = "takes minutes: it indexes more vendors than one search of the cluster can count"]
fn more_vendors_than_a_search_can_count_get_the_same_answers() {
    const VENDORS: usize = 70_000;
    let folder = tempfile::tempdir().unwrap();
    let dumps = folder.path().join("dumps");
    let mut lines = String::new();
    let mut contracts = 0;
    for vendor in 0..VENDORS {
        // Equal counts are in the order of the names, and most vendors have one contract.
        for _ in 0..1 + usize::from(vendor % 20 == 0) + vendor / 69_990 {
            let record = json!({
                "record_id": format!("many|{contracts}"),
                "municipality": (["toronto", "montreal", "ottawa"][vendor % 3]),
                "award_date": format!("{}-06-{:02}", 2012 + contracts % 14, 1 + vendor % 28),
                "vendor_name": format!("{} Québec {vendor} Inc.", ["Snow", "Béton", "Delta"][vendor / 7 % 3]),
                "department_en": format!("Department {}", vendor % 40),
                "title_en": (["Snow removal", "Road repair"][contracts % 2]),
                "contract_value": (contracts % 10 > 0).then_some((contracts * 7919 % 1_000_003) as f64 / 100.0),
                "currency": (contracts % 50 == 3).then_some("USD"),
            });
            lines.push_str(&format!("{record}\n"));
            contracts += 1;
        }
    }
    fs::create_dir_all(dumps.join("contract")).unwrap();
    fs::write(dumps.join("contract/many.ndjson"), lines).unwrap();
    let Some(mut twins) = Twins::start("many", &dumps) else {
        return;
    };
    let last = VENDORS - 1;
    for path in [
        "/contract?facets=vendor,department,year&include_total=true".to_owned(),
        "/contract?q=snow&facets=vendor&include_total=true".to_owned(),
        "/contract?vendor=quebec&facets=vendor&include_total=true".to_owned(),
        "/contract?vendor=699&facets=vendor,year&sort_by=value".to_owned(),
        format!("/contract?vendor=snow+quebec+{last}&include_total=true"),
        "/contract?vendor=inc&offset=9000&limit=50".to_owned(),
        "/contract/stats".to_owned(),
        "/contract/stats?vendor=quebec".to_owned(),
        "/contract/stats?q=road&include=market".to_owned(),
        "/contract/stats?include=market,currencies".to_owned(),
        "/department/Department%2011?include=market".to_owned(),
        "/vendors?q=quebec&limit=100".to_owned(),
        "/vendors?q=inc&offset=9000&limit=100".to_owned(),
        "/vendors?q=6999".to_owned(),
        "/vendor/Snow%20Qu%C3%A9bec%200%20Inc.".to_owned(),
        "/vendor/Snow%20Quebec%20699999".to_owned(),
    ] {
        twins.ask(&Request::Get(path));
    }
    twins.finish();
}

#[test]
fn real_records_get_the_same_answers() {
    let Ok(real) = env::var("PROCURE_REAL_DATA") else {
        eprintln!("SKIPPED: PROCURE_REAL_DATA is not set to a folder of real files");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let dumps = folder.path().join("dumps");
    let normalized = Command::new(BINARY)
        .arg("normalize")
        .arg(Path::new(&real).join("raw"))
        .arg("--out")
        .arg(&dumps)
        .output()
        .unwrap();
    assert!(
        normalized.status.success(),
        "{}",
        String::from_utf8_lossy(&normalized.stderr)
    );
    thin_out(&dumps, 8000);
    compare("real", &dumps, 2, 500);
}

/// Keeps about `records` records of all dumps, spread evenly over each file. Building on a cluster
/// takes time.
fn thin_out(dumps: &Path, records: usize) {
    let mut files = Vec::new();
    let folders = dumps.read_dir().unwrap().map(|entry| entry.unwrap().path());
    // The commodity dictionary is a file next to the folders.
    for folder in folders.filter(|path| path.is_dir()) {
        for file in folder.read_dir().unwrap() {
            let path = file.unwrap().path();
            files.push((fs::read_to_string(&path).unwrap(), path));
        }
    }
    let all: usize = files.iter().map(|(text, _)| text.lines().count()).sum();
    for (text, path) in files {
        let lines = text.lines().step_by((all / records).max(1));
        let kept: String = lines.map(|line| format!("{line}\n")).collect();
        fs::write(path, kept).unwrap();
    }
}
