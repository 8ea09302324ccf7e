//! Many generations, one after the other, under load.
//!
//! Every build has other records, so an answer shows which generation it belongs to. An answer must belong wholly to
//! one generation, and that generation must be one that can be served: not older than any that was seen before the
//! request was sent, and not newer than the last build that was started. No request is lost; file handles, mapped
//! regions and memory do not grow.

use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use procure::http::encoding::encode;

use super::{
    contracts::{Contracts, Page, Row},
    setup::{Setup, check_log, index_below, mapped_regions},
};
use crate::{
    Common,
    http::{Next, PATIENCE, RawConnection, RawResponse},
    installation::{anonymous_mebibytes, open_files},
    random::Random,
    report::Report,
};

const RECORDS: u64 = 300;

/// Clients that send requests all the time.
const CLIENTS: u64 = 4;

/// A running server has the new generation after this time. Documented as two seconds; a busy machine is slower.
const RELOAD_TIME: Duration = Duration::from_secs(15);

/// Memory is compared with that after so many generations, when all caches are warm.
const WARM: usize = 5;

/// Anonymous memory may grow by this between the first warm generation and the last, in MiB. A request in flight
/// makes this much of a difference.
const GROWTH_MB: u64 = 24;

#[derive(Debug, clap::Args)]
pub struct Options {
    /// Number of generations after the first
    #[arg(long, default_value_t = 50)]
    count: usize,
}

/// What the clients and the builder share.
struct Shared {
    models: Vec<Contracts>,
    /// Index of the last build that was started.
    started: AtomicUsize,
    /// Index of the newest generation that any answer came from.
    seen: AtomicUsize,
    stop: AtomicBool,
}

/// Resources of the server.
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    anonymous_mb: u64,
    handles: usize,
    regions: usize,
}

impl Usage {
    /// All zero if the server has ended.
    fn of(process: u32) -> Usage {
        Usage {
            anonymous_mb: anonymous_mebibytes(process).unwrap_or(0),
            handles: open_files(process).unwrap_or(0),
            regions: mapped_regions(process).unwrap_or(0),
        }
    }
}

pub fn run(options: &Options, common: &Common, seed: u64, report: &Report) -> anyhow::Result<()> {
    let mut setup = Setup::new(common, 1_000)?;
    let mut dumps = Vec::new();
    for build in 0..=options.count {
        dumps.push(setup.sample(RECORDS, seed.wrapping_mul(1_000).wrapping_add(build as u64))?);
    }
    let models: anyhow::Result<Vec<Contracts>> = dumps.iter().map(|dumps| Contracts::of(dumps)).collect();
    let shared = Shared {
        models: models?,
        started: AtomicUsize::new(0),
        seen: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
    };
    setup.index(&dumps[0])?;
    let key = setup.installation.create_key("MEGA", "generations", &[])?;
    let (service, _) = setup.start()?;
    let address = setup.installation.address;

    let series = thread::scope(|scope| {
        for client in 1..=CLIENTS {
            let (shared, key) = (&shared, &key);
            let random = Random::new(seed, &format!("client {client}"));
            scope.spawn(move || {
                if let Err(error) = load(address, key, shared, random, report) {
                    report.violation("a client cannot connect", error.to_string());
                }
            });
        }
        let series = publish(&setup, &dumps, &shared, service.id(), report);
        shared.stop.store(true, Ordering::SeqCst);
        series
    })?;
    // The last requests have ended, and the generation before the last is closed.
    thread::sleep(Duration::from_secs(2));
    let last = Usage::of(service.id());
    let warm = series.get(WARM - 1).copied().unwrap_or(last);
    for (at, usage) in series.iter().enumerate() {
        report.memory(at as u64, usage.anonymous_mb);
    }
    report.note(format!("after generation {WARM}: {warm:?}"));
    report.note(format!("at the end: {last:?}"));
    let bounds = [
        (
            "anonymous memory grows",
            last.anonymous_mb <= warm.anonymous_mb + GROWTH_MB && last.anonymous_mb > 0,
        ),
        ("file handles grow", last.handles <= warm.handles),
        // Stacks and heaps are mapped regions too, and threads start when they are needed.
        ("mapped regions grow", last.regions <= warm.regions + 64),
    ];
    for (kind, holds) in bounds {
        if !holds {
            report.violation(kind, format!("{warm:?}, at the end {last:?}"));
        }
    }
    check_log(&service, report);
    Ok(())
}

/// Builds one generation after the other, and waits until each is served. Returns the server's resources after each.
fn publish(
    setup: &Setup,
    dumps: &[PathBuf],
    shared: &Shared,
    server: u32,
    report: &Report,
) -> anyhow::Result<Vec<Usage>> {
    let mut series = Vec::new();
    for (build, dumps) in dumps.iter().enumerate().skip(1) {
        shared.started.store(build, Ordering::SeqCst);
        setup.index(dumps)?;
        let published = Instant::now();
        while shared.seen.load(Ordering::SeqCst) < build {
            if published.elapsed() > RELOAD_TIME {
                report.violation("a published generation is not served", format!("generation {build}"));
                break;
            }
            thread::sleep(Duration::from_millis(20));
        }
        report.latency("reload", published.elapsed());
        report.count("generations");
        series.push(Usage::of(server));
    }
    Ok(series)
}

/// Sends requests on one connection until the campaign ends. None may be lost.
fn load(address: SocketAddr, key: &str, shared: &Shared, mut random: Random, report: &Report) -> std::io::Result<()> {
    let mut connection = RawConnection::open(address, PATIENCE)?;
    let mut walk = None;
    while !shared.stop.load(Ordering::SeqCst) {
        let oldest = shared.seen.load(Ordering::SeqCst);
        let question = Question::choose(shared, oldest, walk.take(), &mut random);
        let path = question.path(shared);
        let sent = Instant::now();
        let answer = match connection.get(&path, key) {
            Next::Response(answer) => answer,
            other => {
                report.violation("a request is lost", format!("{path} is answered {other:?}"));
                connection = RawConnection::open(address, PATIENCE)?;
                continue;
            }
        };
        report.latency("requests", sent.elapsed());
        if answer.closes() {
            connection = RawConnection::open(address, PATIENCE)?;
        }
        let newest = shared.started.load(Ordering::SeqCst);
        let Some(generation) = (oldest..=newest).find(|generation| question.is_answered(shared, *generation, &answer))
        else {
            let (status, text) = (answer.status, answer.text());
            report.violation(
                "an answer that belongs to no generation",
                format!("{path}, generations {oldest} to {newest}: {status} {text:.600}"),
            );
            continue;
        };
        // A record that is not found is the same answer in every generation without it.
        if answer.status == 200 {
            shared.seen.fetch_max(generation, Ordering::SeqCst);
        }
        walk = question.next(shared, generation, &answer);
        report.count(question.name());
    }
    Ok(())
}

/// A cursor, and the row that it follows.
struct Walk {
    cursor: String,
    generation: usize,
    row: usize,
}

/// A request whose answer the model knows for each generation.
enum Question {
    Page {
        offset: usize,
        limit: usize,
    },
    Municipality {
        generation: usize,
        row: usize,
    },
    Record {
        generation: usize,
        row: usize,
    },
    /// The next page of a walk.
    Cursor(Walk),
}

/// Records on a page of a walk.
const WALK: usize = 17;

impl Question {
    fn choose(shared: &Shared, generation: usize, walk: Option<Walk>, random: &mut Random) -> Question {
        if let Some(walk) = walk {
            return Question::Cursor(walk);
        }
        let row = index_below(random, shared.models[generation].0.len());
        match random.below(4) {
            0 => Question::Page {
                offset: index_below(random, 60),
                limit: 1 + index_below(random, 80),
            },
            1 => Question::Municipality { generation, row },
            2 => Question::Record { generation, row },
            _ => Question::Page { offset: 0, limit: WALK },
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Question::Page { .. } => "pages right",
            Question::Municipality { .. } => "filtered pages right",
            Question::Record { .. } => "records right",
            Question::Cursor(_) => "pages by cursor right",
        }
    }

    fn path(&self, shared: &Shared) -> String {
        match self {
            Question::Page { offset, limit } => format!("/contract?include_total=true&offset={offset}&limit={limit}"),
            Question::Municipality { generation, row } => {
                let municipality = encode(&shared.models[*generation].0[*row].municipality);
                format!("/contract?include_total=true&limit=500&municipality={municipality}")
            }
            Question::Record { generation, row } => {
                format!("/contract/{}", encode(&shared.models[*generation].0[*row].id))
            }
            Question::Cursor(walk) => format!("/contract?limit={WALK}&cursor={}", walk.cursor),
        }
    }

    /// Whether the answer is exactly what this generation answers.
    fn is_answered(&self, shared: &Shared, generation: usize, answer: &RawResponse) -> bool {
        let model = &shared.models[generation];
        match self {
            Question::Page { offset, limit } => {
                model.is_page(answer, model.0.iter().skip(*offset).take(*limit), model.0.len())
            }
            Question::Municipality { generation: asked, row } => {
                let municipality = &shared.models[*asked].0[*row].municipality;
                let rows: Vec<&Row> = model.of_municipality(municipality).collect();
                // A municipality without a record is not in the closed list of this generation.
                let is_unknown = rows.is_empty() && answer.status == 422;
                let total = rows.len();
                is_unknown || model.is_page(answer, rows, total)
            }
            Question::Record { generation: asked, row } => {
                let record = &shared.models[*asked].0[*row];
                match model.0.iter().find(|row| row.id == record.id) {
                    Some(row) => answer.status == 200 && answer.body == row.line.as_bytes(),
                    None => answer.status == 404,
                }
            }
            Question::Cursor(walk) => {
                let rows = model.after(&shared.models[walk.generation].0[walk.row]);
                model.is_page(answer, rows.iter().take(WALK), model.0.len())
            }
        }
    }

    /// The walk that goes on after this answer.
    fn next(&self, shared: &Shared, generation: usize, answer: &RawResponse) -> Option<Walk> {
        let is_walk = matches!(self, Question::Cursor(_) | Question::Page { offset: 0, limit: WALK });
        let page = Page::of(answer).filter(|_| is_walk)?;
        let last = page.records.last()?;
        let row = shared.models[generation].0.iter().position(|row| &row.line == last)?;
        Some(Walk {
            cursor: page.next_cursor?,
            generation,
            row,
        })
    }
}
