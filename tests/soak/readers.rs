//! Clients that read: searches, cursors walked to the end, records, counts, and the endpoints of a paid plan.

use std::{collections::HashSet, sync::Arc, time::Duration};

use serde_json::{Value, json};

use crate::{
    builds::{Build, ENTITY_TYPES, text},
    http::{Client, Request},
    queries::{Query, Start},
    random::Random,
    world::{Answered, World, lock},
};

/// The pause between two requests of a client, at most.
const PAUSE: u64 = 30;

/// Runs a step again and again until the run is over.
fn repeat(world: &World, name: &str, mut step: impl FnMut(&mut Random, &mut Client)) {
    let mut random = Random::new(world.seed, name);
    let mut client = world.client();
    while !world.is_over() {
        step(&mut random, &mut client);
        world.sleep(Duration::from_millis(random.below(PAUSE)));
    }
}

/// Random searches.
pub fn search(world: &World, key: &str, name: &str) {
    repeat(world, name, |random, client| {
        let build = lock(&world.timeline).newest();
        let limit = *random.pick(&[1, 10, 37, 100]);
        let query = Query::random(random, &build, limit);
        let request = Request::get(query.target(None), key);
        let Some(answered) = world.send(client, "search", &request) else {
            return;
        };
        let page = check_page(world, &query, None, &Start::Offset(query.offset), &answered);
        let tag = answered.answer.header("etag").map(str::to_owned);
        if let (Some(page), Some(tag)) = (page, tag)
            && random.chance(20)
        {
            search_again(
                world,
                client,
                &query,
                &page,
                Request {
                    known: Some(tag),
                    ..request
                },
            );
        }
    });
}

/// Repeats a search with the tag of its page. The server may answer 304 only while it may serve the
/// build of that page.
fn search_again(world: &World, client: &mut Client, query: &Query, page: &Value, request: Request) {
    let Some(first) = page["results"].get(0) else { return };
    // By then there may be another build.
    world.sleep(Duration::from_millis(500));
    let Some(answered) = world.send(client, "search with a known page", &request) else {
        return;
    };
    if answered.answer.status != 304 {
        check_page(world, query, None, &Start::Offset(query.offset), &answered);
        return;
    }
    let of_page = text(first, "fetched_at");
    if answered.allowed.iter().any(|build| build.fetched_at == of_page) {
        world.report.count("pages that rightly had not changed");
    } else {
        let evidence = format!("{}: page of build {of_page}", request.target);
        world.report.violation("304 for the page of an older build", evidence);
    }
}

/// Searches with the cursors followed to the end, across new builds.
pub fn walk(world: &World, key: &str) {
    repeat(world, "walk", |random, client| {
        let build = lock(&world.timeline).newest();
        let limit = 5 + random.below(60) as usize;
        let mut query = Query::random(random, &build, limit);
        query.offset = 0;
        let (mut start, mut cursor, mut seen) = (Start::Offset(0), None::<String>, HashSet::new());
        let mut builds = HashSet::new();
        while !world.is_over() {
            let request = Request::get(query.target(cursor.as_deref()), key);
            let Some(answered) = world.send(client, "page of a walk", &request) else {
                continue;
            };
            if answered.answer.status != 200 {
                if !is_busy(answered.answer.status) {
                    check_page(world, &query, cursor.as_deref(), &start, &answered);
                    return;
                }
                world.sleep(Duration::from_millis(50));
                continue;
            }
            let Some(page) = check_page(world, &query, cursor.as_deref(), &start, &answered) else {
                return;
            };
            builds.extend(answered.allowed.iter().map(|build| build.number));
            let results = page["results"].as_array().map_or(&[][..], Vec::as_slice);
            for record in results {
                let id = text(record, "record_id");
                if !seen.insert(id.clone()) {
                    world
                        .report
                        .violation("a walk returned a record twice", format!("{id}: {}", request.target));
                }
            }
            let (Some(next), Some(last)) = (page["next_cursor"].as_str(), results.last()) else {
                break;
            };
            let day = if query.entity_type == "contract" {
                "award_date"
            } else {
                "publication_date"
            };
            start = Start::After(text(last, day), text(last, "record_id"));
            cursor = Some(next.to_owned());
        }
        let over = if builds.len() > 1 {
            "several builds"
        } else {
            "one build"
        };
        world.report.count(format!("walks to the end over {over}"));
    });
}

/// Refused or failed for a documented reason: there is no answer to compare.
fn is_busy(status: u16) -> bool {
    matches!(status, 429 | 503 | 504)
}

/// Compares a page with what each build that may have given it holds. Returns the page if it is one.
fn check_page(world: &World, query: &Query, cursor: Option<&str>, start: &Start, answered: &Answered) -> Option<Value> {
    let answer = &answered.answer;
    if is_busy(answer.status) {
        return None;
    }
    let page = answer.json().unwrap_or_default();
    // A municipality is known as long as the build has a record of it.
    let is_unknown_place = |build: &&Arc<Build>| {
        let of_place = |place: &str| {
            build.records[query.entity_type]
                .iter()
                .any(|record| record.json["municipality"] == place)
        };
        query.municipality.as_deref().is_some_and(|place| !of_place(place))
    };
    if answer.status == 422 && answered.allowed.iter().any(|build| is_unknown_place(&build)) {
        world.report.count("municipalities that a build does not have");
        return None;
    }
    if answer.status != 200 {
        let evidence = format!("{}: {} {}", query.target(cursor), answer.status, answer.excerpt());
        world.report.violation("a valid search is refused", evidence);
        return None;
    }
    let differences: Vec<(u64, String)> = answered
        .allowed
        .iter()
        .map_while(|build| Some((build.number, query.difference(build, start, &page)?)))
        .collect();
    if differences.len() == answered.allowed.len() {
        let served = page["results"][0]["fetched_at"].clone();
        let evidence = format!(
            "{} from {start:?}, build of {served}; by build: {differences:?}",
            query.target(cursor)
        );
        world
            .report
            .violation("a page that no build in service holds", evidence);
        return None;
    }
    world.report.count("pages compared with the model");
    Some(page)
}

/// Records by their id, present and absent.
pub fn look_up(world: &World, key: &str) {
    repeat(world, "look up", |random, client| {
        let build = lock(&world.timeline).newest();
        let (entity_type, _) = *random.pick(&ENTITY_TYPES);
        let id = if random.chance(10) {
            format!("none|{}", random.below(1000))
        } else {
            random.pick(&build.records[entity_type]).id.clone()
        };
        let target = format!("/{entity_type}/{}", id.replace('|', "%7C").replace(' ', "%20"));
        let Some(answered) = world.send(client, "record", &Request::get(target, key)) else {
            return;
        };
        let (status, body) = (answered.answer.status, answered.answer.json());
        let is_right = answered
            .allowed
            .iter()
            .any(|build| match build.record(entity_type, &id) {
                Some(record) => status == 200 && body.as_ref() == Some(&record.json),
                None => status == 404,
            });
        if is_right {
            world.report.count("records compared with the model");
        } else if !is_busy(status) {
            let evidence = format!("{id}: {status} {}", answered.answer.excerpt());
            world
                .report
                .violation("a record that no build in service holds", evidence);
        }
    });
}

/// The list of sources, whose counts and times each build knows.
pub fn sources(world: &World, key: &str) {
    repeat(world, "sources", |_, client| {
        world.sleep(Duration::from_millis(200));
        let Some(answered) = world.send(client, "sources", &Request::get("/sources", key)) else {
            return;
        };
        if is_busy(answered.answer.status) {
            return;
        }
        let body = answered.answer.json().unwrap_or_default();
        let sources = body["sources"].as_array().map_or(&[][..], Vec::as_slice);
        let is_right = answered.allowed.iter().any(|build| {
            ENTITY_TYPES.iter().all(|(entity_type, _)| {
                let of_type = sources.iter().filter(|source| source["entity_type"] == *entity_type);
                let records: u64 = of_type.clone().filter_map(|source| source["records"].as_u64()).sum();
                records == build.records[entity_type].len() as u64
                    && of_type
                        .into_iter()
                        .all(|source| text(source, "last_updated") == build.fetched_at)
            })
        });
        if is_right {
            world.report.count("source lists compared with the model");
        } else {
            let builds: Vec<u64> = answered.allowed.iter().map(|build| build.number).collect();
            let evidence = format!("builds {builds:?}: {}", answered.answer.excerpt());
            world
                .report
                .violation("sources that no build in service holds", evidence);
        }
    });
}

/// The feed, estimates and comparables: each record in an answer must be of one build.
pub fn market(world: &World, key: &str) {
    repeat(world, "market", |random, client| {
        let build = lock(&world.timeline).newest();
        let tender = random.pick(&build.records["tender"]).id.clone();
        let batch = json!({ "record_ids": [tender] });
        let (what, request) = match random.below(3) {
            0 => ("feed", Request::get("/tender/feed?days_back=30&limit=40", key)),
            1 => ("estimate", Request::post("/tender/estimate", key, &batch)),
            _ => ("comparables", Request::post("/tender/comps", key, &batch)),
        };
        let Some(answered) = world.send(client, what, &request) else {
            return;
        };
        let body = answered.answer.json().unwrap_or_default();
        if is_busy(answered.answer.status) {
            return;
        }
        let results = body["results"].as_array().map_or(&[][..], Vec::as_slice);
        let records: Vec<(&str, &Value)> = match what {
            "feed" => results.iter().map(|result| ("tender", &result["tender"])).collect(),
            "comparables" => {
                let comparables = results[..]
                    .iter()
                    .filter_map(|result| result["comparables"].as_array())
                    .flatten();
                comparables
                    .map(|comparable| ("contract", &comparable["record"]))
                    .collect()
            }
            _ => Vec::new(),
        };
        let is_whole = answered.answer.status == 200 && (what == "feed" || results.len() == 1);
        let is_of = |build: &Arc<Build>| {
            records.iter().all(|(entity_type, record)| {
                let known = build.record(entity_type, &text(record, "record_id"));
                known.is_some_and(|known| known.json == **record)
            })
        };
        if is_whole && answered.allowed.iter().any(is_of) {
            world.report.count(format!("answers of one build: {what}"));
        } else {
            let evidence = format!(
                "{} {:?}: {} {}",
                request.target,
                request.body,
                answered.answer.status,
                answered.answer.excerpt()
            );
            world
                .report
                .violation("an answer that mixes builds or is incomplete", evidence);
        }
    });
}
