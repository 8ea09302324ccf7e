//! Builds that are killed, concurrent, damaged or of another schema: the served generation stays
//! whole, and every error says how to fix it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use procure::{
    catalog::{
        generation::{self, GenerationStore, KEPT_GENERATIONS},
        indexing,
    },
    engine::Deadline,
    model::entity_type::EntityType,
    query::{Page, SearchQuery, Start},
};

use crate::model::{build, write_dumps};

fn award(number: usize) -> (EntityType, String) {
    let day = number % 28 + 1;
    let json = format!(
        r#"{{"record_id":"{number}","award_date":"2024-01-{day:02}","municipality":"federal","title_en":"Award {number}","fetched_at":"2024-01-01T00:00:00Z"}}"#
    );
    (EntityType::Award, json)
}

fn options(dumps: &Path, index_dir: &Path) -> indexing::IndexOptions {
    indexing::IndexOptions {
        dumps: dumps.into(),
        store: GenerationStore::Folder(index_dir.into()),
        memory_mb: 64,
        strict: false,
    }
}

fn error(result: anyhow::Result<impl Sized>) -> String {
    match result {
        Ok(_) => panic!("it succeeded"),
        Err(e) => format!("{e:#}"),
    }
}

#[test]
fn a_record_over_256_kib_is_left_out_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let dumps = folder.path().join("dumps");
    fs::create_dir_all(dumps.join("award")).unwrap();
    // 256 KiB with everything around the title.
    let line = |id: &str, title: usize| {
        let (start, end) = (format!("{{\"record_id\":\"{id}\",\"title_en\":\""), "\"}\n");
        format!("{start}{}{end}", "x".repeat(title - start.len() - end.len() + 1))
    };
    let whole = line("short", 256 << 10);
    assert_eq!(whole.len(), (256 << 10) + 1, "with its line end");
    let lines = [whole, line("one \\\"more", (256 << 10) + 1), line("long", 9 << 20)];
    fs::write(dumps.join("award/a.ndjson"), lines.concat()).unwrap();
    let index_dir = folder.path().join("index");
    let report = indexing::run(&options(&dumps, &index_dir)).unwrap();
    let [file] = &report.entity_types[EntityType::Award as usize].files[..] else {
        panic!("one file")
    };
    assert_eq!((file.lines, file.records, file.too_long.count), (3, 1, 2));
    for sentence in [
        "a.ndjson: 3 lines, 1 records, 0 duplicates, 2 invalid lines",
        "a.ndjson:2: record 'one \\\"more' is longer than 256 KiB; shorten its texts (left out)",
        "a.ndjson:3: record 'long' is longer than 256 KiB",
    ] {
        assert!(report.to_string().contains(sentence), "{report}");
    }
    let strict = indexing::IndexOptions {
        strict: true,
        ..options(&dumps, &index_dir)
    };
    let error = error(indexing::run(&strict));
    assert!(error.contains("a.ndjson:2: record 'one"), "{error}");
}

#[test]
fn a_pipe_in_place_of_a_file_of_the_index_is_an_error_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (dumps, index_dir) = (folder.path().join("dumps"), folder.path().join("index"));
    write_dumps(&dumps, &[award(1)]);
    let id = indexing::run(&options(&dumps, &index_dir)).unwrap().generation;
    for (name, expected) in [
        ("award/records.ndjson", "0 bytes instead of"),
        ("manifest.json", "manifest.json: it is a named pipe"),
    ] {
        let path = index_dir.join(&id).join(name);
        fs::remove_file(&path).unwrap();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let error = error(generation::open(&index_dir, &id));
        assert!(error.contains(expected), "{name}: {error}");
    }
    fs::remove_file(index_dir.join("CURRENT")).unwrap();
    let made = Command::new("mkfifo").arg(index_dir.join("CURRENT")).status();
    assert!(made.unwrap().success());
    let error = error(generation::current(&index_dir));
    assert!(error.contains("CURRENT: it is a named pipe"), "{error}");
}

#[test]
fn a_pipe_among_the_dumps_is_left_out_without_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let dumps = folder.path().join("dumps");
    write_dumps(&dumps, &[award(1)]);
    let pipe = dumps.join("award/pipe.ndjson");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let report = indexing::run(&options(&dumps, &folder.path().join("index"))).unwrap();
    let sentence = format!("{} is not a dump, left out", pipe.display());
    assert!(report.to_string().contains(&sentence), "{report}");
}

#[test]
fn invalid_lines_are_counted_and_duplicates_removed() {
    let folder = tempfile::tempdir().unwrap();
    let dumps = folder.path().join("dumps");
    fs::create_dir_all(dumps.join("award")).unwrap();
    fs::write(
        dumps.join("award/a.ndjson"),
        concat!(
            "{\"record_id\":\"x\",\"title_en\":\"old\",\"fetched_at\":\"2024-01-02T00:00:00Z\"}\n",
            "{\"record_id\":\"y\",\"title_en\":\"first\"}\n",
            "not json\n",
            "[1]\n",
            "{\"title_en\":\"no id\"}\n",
            "{\"record_id\":\"z\",\"contract_value\":\"12\"}\n",
            "{\"record_id\":\"u\",\"award_date\":\"2024-13-01\"}\n",
        ),
    )
    .unwrap();
    fs::write(
        dumps.join("award/b.ndjson"),
        concat!(
            "{\"record_id\":\"x\",\"title_en\":\"older\",\"fetched_at\":\"2024-01-01T00:00:00Z\"}\n",
            "{\"record_id\":\"y\",\"title_en\":\"second\"}\n",
        ),
    )
    .unwrap();
    let index_dir = folder.path().join("index");
    let report = indexing::run(&options(&dumps, &index_dir)).unwrap();
    let [a, b] = &report.entity_types[EntityType::Award as usize].files[..] else {
        panic!("two files")
    };
    assert_eq!((a.lines, a.records, a.duplicates), (7, 2, 1));
    assert_eq!((b.lines, b.records, b.duplicates), (2, 1, 1));
    let invalid: Vec<_> = a
        .invalid
        .iter()
        .map(|problem| (problem.first_line, problem.count))
        .collect();
    assert_eq!(invalid, [(3, 1), (4, 1), (5, 1), (6, 1)]);
    assert_eq!(
        a.invalid[3].reason,
        "field contract_value must be a number, found a string"
    );
    assert_eq!(a.invalid_dates[0].first_line, 7);
    assert!(
        report
            .to_string()
            .contains("a.ndjson:5: no record_id (1 lines, left out)"),
        "{report}"
    );

    let engine = generation::open(&index_dir, &report.generation).unwrap().engine;
    let title = |id: &str| {
        let found = engine.record(EntityType::Award, id, Deadline::never());
        String::from_utf8(found.unwrap().unwrap().to_vec()).unwrap()
    };
    assert!(title("x").contains("old\""), "the newest fetched_at wins");
    assert!(title("y").contains("second"), "of equal ones the line read last wins");

    let strict = indexing::IndexOptions {
        strict: true,
        ..options(&dumps, &index_dir)
    };
    assert!(error(indexing::run(&strict)).contains("a.ndjson:3: not JSON"));
    assert_eq!(
        generation::current(&index_dir).unwrap().as_deref(),
        Some(report.generation.as_str())
    );
}

#[test]
fn null_members_of_a_foreign_dump_are_dropped_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let dumps = folder.path().join("dumps");
    fs::create_dir_all(dumps.join("award")).unwrap();
    fs::write(
        dumps.join("award/a.ndjson"),
        concat!(
            "{\"record_id\":\"x\",\"title_en\":null,\"own\":null,\"eligibility\":{\"a\":null}}\n",
            "{\"record_id\":\"y\" , \"title_en\":\"null\"}\n",
            "{\"record_id\":null}\n",
        ),
    )
    .unwrap();
    let index_dir = folder.path().join("index");
    let report = indexing::run(&options(&dumps, &index_dir)).unwrap();
    let [file] = &report.entity_types[EntityType::Award as usize].files[..] else {
        panic!("one file")
    };
    assert_eq!((file.lines, file.records, file.null_members), (3, 2, 2));
    assert_eq!(file.invalid[0].reason, "no record_id");
    assert!(
        report.to_string().contains("2 members that are null, dropped"),
        "{report}"
    );
    let engine = generation::open(&index_dir, &report.generation).unwrap().engine;
    for (id, expected) in [
        ("x", "{\"record_id\":\"x\",\"eligibility\":{\"a\":null}}"),
        ("y", "{\"record_id\":\"y\" , \"title_en\":\"null\"}"),
    ] {
        let record = engine
            .record(EntityType::Award, id, Deadline::never())
            .unwrap()
            .unwrap();
        assert_eq!(String::from_utf8(record.to_vec()).unwrap(), expected);
    }
}

#[test]
fn generations_that_killed_builds_left_whole_are_removed_by_the_next_build_even_if_it_fails() {
    let folder = tempfile::tempdir().unwrap();
    let (dumps, index_dir) = (folder.path().join("dumps"), folder.path().join("index"));
    write_dumps(&dumps, &[award(1)]);
    let served = [0, 1].map(|_| indexing::run(&options(&dumps, &index_dir)).unwrap().generation);
    let [_, current] = &served;
    // As if killed between the renaming of the folder and the writing of CURRENT.
    for later in ["20990101T000000000Z", "20990101T000000001Z", "20990101T000000002Z"] {
        let copied = Command::new("cp")
            .arg("-r")
            .arg(index_dir.join(current))
            .arg(index_dir.join(later))
            .status();
        assert!(copied.unwrap().success());
    }
    assert_eq!(generation::list(&index_dir).unwrap().len(), KEPT_GENERATIONS + 3);
    fs::write(dumps.join("award/broken.ndjson"), "not json\n").unwrap();
    let strict = indexing::IndexOptions {
        strict: true,
        ..options(&dumps, &index_dir)
    };
    assert!(error(indexing::run(&strict)).contains("not JSON"));
    assert_eq!(
        generation::list(&index_dir).unwrap(),
        served,
        "the ones that were served stay"
    );
    assert_eq!(generation::current(&index_dir).unwrap().as_ref(), Some(current));
}

#[test]
fn two_generations_are_kept_and_either_can_be_served() {
    let folder = tempfile::tempdir().unwrap();
    let (dumps, index_dir) = (folder.path().join("dumps"), folder.path().join("index"));
    write_dumps(&dumps, &[award(1)]);
    let ids: Vec<String> = (0..4)
        .map(|_| indexing::run(&options(&dumps, &index_dir)).unwrap().generation)
        .collect();
    assert_eq!(generation::list(&index_dir).unwrap(), ids[4 - KEPT_GENERATIONS..]);
    generation::switch_to(&index_dir, &ids[2]).unwrap();
    assert_eq!(generation::current(&index_dir).unwrap().as_ref(), Some(&ids[2]));
    assert!(error(generation::switch_to(&index_dir, &ids[0])).contains("there are:"));
    // The next build does not remove the generation that was rolled back to.
    let next = indexing::run(&options(&dumps, &index_dir)).unwrap().generation;
    assert_eq!(generation::current(&index_dir).unwrap().as_ref(), Some(&next));
    assert_eq!(generation::list(&index_dir).unwrap(), [ids[2].clone(), next]);
}

#[test]
fn a_missing_current_file_loses_no_first_seen_times() {
    let folder = tempfile::tempdir().unwrap();
    let (dumps, index_dir) = (folder.path().join("dumps"), folder.path().join("index"));
    let today = chrono::Utc::now().date_naive();
    let tender = |id: &str| {
        let json = format!(r#"{{"record_id":"{id}","publication_date":"{today}","title_en":"Works"}}"#);
        (EntityType::Tender, json)
    };
    write_dumps(&dumps, &[tender("a")]);
    indexing::run(&options(&dumps, &index_dir)).unwrap();
    fs::remove_file(index_dir.join("CURRENT")).unwrap();
    write_dumps(&dumps, &[tender("a"), tender("b")]);
    let id = indexing::run(&options(&dumps, &index_dir)).unwrap().generation;
    let times = fs::read(index_dir.join(id).join("first_seen.json")).unwrap();
    let times: serde_json::Value = serde_json::from_slice(&times).unwrap();
    assert!(times["a"].is_null() && times["b"].is_string(), "{times}");
}

#[test]
fn a_missing_index_folder_cannot_be_listed() {
    let folder = tempfile::tempdir().unwrap();
    let list = |index_dir: &Path| {
        let command = ["generations", "list", "--index-dir", index_dir.to_str().unwrap()];
        Command::new(env!("CARGO_BIN_EXE_procure"))
            .args(command)
            .output()
            .unwrap()
    };
    assert!(
        list(folder.path()).status.success(),
        "an empty folder has an empty list"
    );
    let refused = list(&folder.path().join("nope"));
    assert!(!refused.status.success());
    assert!(String::from_utf8(refused.stderr).unwrap().contains("no index in"));
}

#[test]
fn only_leftovers_of_builds_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let (dumps, index_dir) = (folder.path().join("dumps"), folder.path().join("index"));
    write_dumps(&dumps, &[award(1)]);
    let others = ["2018", "20260131", "raw.building", "2018.building"].map(|name| index_dir.join(name));
    let leftover = index_dir.join("20200131T000000000Z.building");
    for path in others.iter().chain([&leftover]) {
        fs::create_dir_all(path).unwrap();
        fs::write(path.join("file"), "").unwrap();
    }
    indexing::run(&options(&dumps, &index_dir)).unwrap();
    assert!(others.iter().all(|path| path.join("file").exists()));
    assert!(!leftover.exists());
}

#[test]
fn a_concurrent_build_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (dumps, index_dir) = (folder.path().join("dumps"), folder.path().join("index"));
    write_dumps(&dumps, &[award(1)]);
    let first = generation::Build::start(&index_dir).unwrap();
    assert!(error(indexing::run(&options(&dumps, &index_dir))).contains("another `procure index` is writing"));
    drop(first);
    indexing::run(&options(&dumps, &index_dir)).unwrap();
}

#[test]
fn every_damaged_file_is_an_error_that_names_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let (dumps, index_dir) = (folder.path().join("dumps"), folder.path().join("index"));
    write_dumps(&dumps, &(0..300).map(award).collect::<Vec<_>>());
    let report = indexing::run(&options(&dumps, &index_dir)).unwrap();
    let generation = index_dir.join(&report.generation);
    let mut files = Vec::new();
    all_files(&generation, &mut files);
    assert!(files.len() > 10);
    // The receipt of the verification: without it, all files are verified.
    files.retain(|path| !path.ends_with("verified.json"));
    for path in files {
        let whole = fs::read(&path).unwrap();
        let mut flipped = whole.clone();
        let truncated = whole[..whole.len() / 2].to_vec();
        if let Some(byte) = flipped.get_mut(whole.len() / 2) {
            *byte ^= 0x20;
        }
        for damaged in [Some(truncated), Some(flipped), Some(Vec::new()), None] {
            if damaged.as_ref() == Some(&whole) {
                continue;
            }
            fs::remove_file(&path).unwrap();
            if let Some(bytes) = &damaged {
                fs::write(&path, bytes).unwrap();
            }
            let why = generation::open(&index_dir, &report.generation).map(drop);
            // A flipped bit in the manifest may change a name that is not checked. Then the
            // generation still opens.
            if !(path.ends_with("manifest.json") && why.is_ok()) {
                let why = error(why);
                assert!(why.contains("procure index"), "{}: {why}", path.display());
            }
        }
        fs::write(&path, whole).unwrap();
    }
    generation::open(&index_dir, &report.generation).unwrap();
    for receipt in ["", "{}", "damaged"] {
        fs::write(generation.join("verified.json"), receipt).unwrap();
        generation::open(&index_dir, &report.generation).unwrap();
    }
}

fn all_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all_files(&path, files)
        } else {
            files.push(path)
        }
    }
}

#[test]
fn an_index_of_another_schema_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (dumps, index_dir) = (folder.path().join("dumps"), folder.path().join("index"));
    write_dumps(&dumps, &[award(1)]);
    let report = indexing::run(&options(&dumps, &index_dir)).unwrap();
    let manifest = index_dir.join(&report.generation).join("manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    let fingerprint = procure::model::schema::Schema::of(EntityType::Tender).fingerprint();
    fs::write(&manifest, text.replace(fingerprint, "00000000")).unwrap();
    let why = error(generation::open(&index_dir, &report.generation));
    assert!(
        why.contains("another tender schema") && why.contains("procure index"),
        "{why}"
    );
}

#[test]
fn a_missing_or_empty_dump_folder_is_an_error_and_an_entity_type_without_records_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let index_dir = folder.path().join("index");
    let dumps = folder.path().join("dumps");
    assert!(error(indexing::run(&options(&dumps, &index_dir))).contains("is not a folder"));
    fs::create_dir(&dumps).unwrap();
    assert!(error(indexing::run(&options(&dumps, &index_dir))).contains("holds no record"));
    assert_eq!(generation::current(&index_dir).unwrap(), None);
    write_dumps(&dumps, &[award(1)]);
    let engine = build(&dumps, &index_dir);
    assert_eq!(count(&*engine, EntityType::Award), 1);
    assert_eq!(count(&*engine, EntityType::Tender), 0);
}

fn count(engine: &dyn procure::engine::Engine, entity_type: EntityType) -> usize {
    let query = SearchQuery::newest(entity_type, Vec::new());
    let page = Page {
        limit: 1_000_000,
        start: Start::Offset(0),
    };
    engine.search(&query, &page, Deadline::never()).unwrap().records.len()
}

fn start_index(dumps: &Path, index_dir: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_procure"))
        .arg("index")
        .arg("--dumps")
        .arg(dumps)
        .arg("--index-dir")
        .arg(index_dir)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_build_killed_at_any_moment_leaves_the_served_generation_whole() {
    const KILLS: u32 = 40;
    let folder = tempfile::tempdir().unwrap();
    let (dumps, index_dir) = (folder.path().join("dumps"), folder.path().join("index"));
    write_dumps(&dumps, &(0..4000).map(award).collect::<Vec<_>>());
    let started = Instant::now();
    assert!(start_index(&dumps, &index_dir).wait().unwrap().success());
    // How long a run takes. The load of the machine changes it, so each run that is not killed corrects it, and so does
    // each that is: the next run may take a little longer.
    let mut whole = started.elapsed();
    let mut seed = 0x2545_f491u32;
    let mut killed = 0;
    while killed < KILLS {
        let served = generation::current(&index_dir).unwrap().unwrap();
        let started = Instant::now();
        let mut child = start_index(&dumps, &index_dir);
        // A random moment during the run, or shortly after it.
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let moment = whole.mul_f64(f64::from(seed >> 8) / f64::from(1 << 24) * 1.1);
        while started.elapsed() < moment && child.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            whole = whole.min(started.elapsed());
        } else {
            whole = whole.mul_f64(1.02);
            killed += 1;
        }
        let after = generation::current(&index_dir).unwrap().unwrap();
        assert!(after >= served);
        let generation = generation::open(&index_dir, &after).unwrap();
        assert_eq!(count(&*generation.engine, EntityType::Award), 4000);
    }
    assert!(start_index(&dumps, &index_dir).wait().unwrap().success());
    let left = fs::read_dir(&index_dir)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().path().is_dir())
        .count();
    assert_eq!(left, KEPT_GENERATIONS, "the next run removes what the killed ones left");
}
