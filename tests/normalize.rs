//! `normalize` on the files of `PROCURE_REAL_DATA`.
use procure::normalize::{Options, run};
use std::path::PathBuf;

#[test]
fn real_files() {
    let Ok(real) = std::env::var("PROCURE_REAL_DATA") else {
        eprintln!("skipped: PROCURE_REAL_DATA is not set");
        return;
    };
    let raw = PathBuf::from(real).join("raw");
    let out = PathBuf::from("target/x");
    let report = run(&Options {
        inputs: vec![raw],
        out,
        report: Some("target/x.json".into()),
        strict: false,
    })
    .unwrap();
    println!("{report}");
    for file in &report.files {
        let t = &file.tally;
        assert_eq!(t.rows, t.recorded + t.merged + t.skipped_rows(), "{}", file.path);
    }
}
