//! Look-ups of one key while two others send bursts of expensive requests:
//! `cargo bench --bench overload [-- --records N --dir DIR]`.
//!
//! The server has records of all entity types. `lookups` is how many records, pages of ten and lists of names another
//! key got while a burst lasted; `p50`, `p99` and `max` are their times in milliseconds. `200`, `503` and `504` are how
//! often the burst was answered so, and `…_max` the longest time until such an answer.

mod support;

use std::{
    fs,
    net::TcpListener,
    path::Path,
    process::{Child, Command, Stdio},
};

use support::{Arguments, BINARY, load, mixed_index, row, server::wait_for};

fn main() {
    let Arguments { records, dir, .. } = Arguments::parse();
    let index_dir = mixed_index(&dir, records);
    let state = dir.join("overload.db");
    let _ = fs::remove_file(&state);
    let keys: Vec<String> = (0..3).map(|_| create_key(&state)).collect();
    let address = TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a free port")
        .to_string();
    let plans = dir.join("overload.toml");
    fs::write(
        &plans,
        "[MEGA]\nrequests_per_minute = 1_000_000_000\nrequests_per_day = 1_000_000_000\n",
    )
    .expect("writing the plans");
    let server = Command::new(BINARY)
        .args(["serve", "--bind", &address, "--state"])
        .arg(&state)
        .arg("--index-dir")
        .arg(&index_dir)
        .arg("--plans")
        .arg(&plans)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("starting the server");
    let _server = KilledOnDrop(server);
    wait_for(&address);
    eprintln!("\noverload, {records} records (ms)");
    load::table(&address, [&keys[0], &keys[1], &keys[2]], row);
}

fn create_key(state: &Path) -> String {
    let created = Command::new(BINARY)
        .args(["keys", "create", "--plan", "MEGA", "--label", "bench", "--state"])
        .arg(state)
        .output()
        .expect("creating a key");
    String::from_utf8(created.stdout).expect("a key").trim().to_owned()
}

struct KilledOnDrop(Child);

impl Drop for KilledOnDrop {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
