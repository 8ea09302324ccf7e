//! The table of attacks: what each hostile connection sends and reads.

use super::hostile::{Attack, Reading};

use crate::http::{get, post};

/// Vendor, and start of the ids, of the large records of a generated index.
pub const LARGE: &str = "Colossus";

/// A body that the keyless one-click endpoint must not collect.
const MEBIBYTE: usize = 1 << 20;

/// A body of a batch that is shorter than its maximum of 640 KiB, so that it is read while there is memory for it.
const BATCH: usize = 250_000;

const TINY_CHUNK: &str = "1\r\nx\r\n";

/// Chunks that arrive at once, of the 4 KiB of data that the keyless one-click endpoint takes at most.
const TINY_CHUNKS: usize = 4_000;

/// All attacks. `keys` share the connections; `large` is the path of a page of several megabytes.
pub fn attacks(keys: &[String], large: &str) -> Vec<Attack> {
    let headers: String = (0..50)
        .map(|number| format!("x-{number}: {}\r\n", "x".repeat(300)))
        .collect();
    let for_each_key =
        |request: &dyn Fn(&String) -> String| keys.iter().map(|key| request(key).into_bytes()).collect::<Vec<_>>();
    vec![
        drip("silent", "", b""),
        drip(
            "half-head",
            "GET /contract?limit=1 HTTP/1.1\r\nhost: soak\r\nx-a: ",
            b"",
        ),
        drip(
            "drip-head",
            "GET /contract?limit=1 HTTP/1.1\r\nhost: soak\r\n",
            b"x: y\r\n",
        ),
        drip(
            "header-bomb",
            &format!("GET / HTTP/1.1\r\nhost: soak\r\n{headers}"),
            b"x",
        ),
        body(
            "body-keyless",
            vec![unfinished("/tender/alerts/unsubscribe?token=x", "", MEBIBYTE)],
        ),
        drip("tiny-chunks", &tiny_chunks(), TINY_CHUNK.as_bytes()),
        body("body-keyless-batch", vec![unfinished("/tender/estimate", "", BATCH)]),
        body(
            "body-with-key",
            keys.iter()
                .map(|key| unfinished("/tender/estimate", key, BATCH))
                .collect(),
        ),
        Attack {
            name: "slow-reader",
            openings: for_each_key(&|key| get(large, key)),
            drip: b"",
            reading: Reading::OneByteIn20Seconds,
        },
        Attack {
            name: "slow-reader-keyless",
            openings: vec![get("/openapi.json", "").repeat(8).into_bytes()],
            drip: b"",
            reading: Reading::OneByteIn20Seconds,
        },
        Attack {
            name: "pipelined-flood",
            openings: for_each_key(&|key| get("/contract?limit=100", key).repeat(64)),
            drip: b"",
            reading: Reading::Never,
        },
        Attack {
            name: "pipelined-keyless",
            openings: vec![get("/health", "").repeat(1_000).into_bytes()],
            drip: b"",
            reading: Reading::Never,
        },
        Attack {
            name: "mixture",
            openings: mixture(keys, large, &headers),
            drip: b"",
            reading: Reading::Never,
        },
        drip("idle", &get("/health", ""), b""),
        drip(
            "upgrade-h2c",
            "GET /health HTTP/1.1\r\nhost: soak\r\nconnection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\n\
             http2-settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n\r\n",
            b"",
        ),
        Attack {
            name: "connect-and-reset",
            openings: vec![get("/health", "").into_bytes()],
            drip: b"",
            reading: Reading::Reset,
        },
    ]
}

/// What takes most memory of each kind, on connections next to one another: bodies and heads without an end, large
/// pages, comparables and pipelined pages that are not read, counts, and keyless requests with large heads.
fn mixture(keys: &[String], large: &str, headers: &str) -> Vec<Vec<u8>> {
    let counts = "/contract/stats?include=market,quality,currencies&q=-zz";
    let comparables = post("/tender/comps", &keys[0], COMPARABLES);
    let head = format!("GET /openapi.json HTTP/1.1\r\nhost: soak\r\n{headers}");
    let mut openings = vec![comparables.into_bytes()];
    for (number, key) in keys.iter().enumerate() {
        openings.push(unfinished("/tender/estimate", key, BATCH));
        openings.push(get(large, key).into_bytes());
        openings.push(get("/contract?limit=100", key).repeat(40).into_bytes());
        openings.push(head.clone().into_bytes());
        openings.push(format!("{head}\r\n").into_bytes());
        if number == 0 {
            openings.push(get(counts, key).into_bytes());
        }
    }
    openings
}

/// A batch with long answers.
const COMPARABLES: &str =
    r#"{"items":[{"title":"snow removal services"},{"title":"supply of road salt"}],"limit":100}"#;

/// Sends the start of a request and then a byte a second.
fn drip(name: &'static str, opening: &str, drip: &'static [u8]) -> Attack {
    Attack {
        name,
        openings: vec![opening.as_bytes().to_vec()],
        drip,
        reading: Reading::Everything,
    }
}

/// Sends bodies at once, but for their last bytes, which drip.
fn body(name: &'static str, openings: Vec<Vec<u8>>) -> Attack {
    Attack {
        name,
        openings,
        drip: b" ",
        reading: Reading::Everything,
    }
}

/// A POST request without a key, with many chunks and without the end of its body.
fn tiny_chunks() -> String {
    let head = "POST /tender/alerts/unsubscribe?token=x HTTP/1.1\r\nhost: soak\r\ntransfer-encoding: chunked\r\n\r\n";
    head.to_owned() + &TINY_CHUNK.repeat(TINY_CHUNKS)
}

/// A POST request without the last 200 bytes of its body. Without a key if that is empty.
fn unfinished(path: &str, key: &str, length: usize) -> Vec<u8> {
    let key = if key.is_empty() {
        String::new()
    } else {
        format!("x-gateway-key: {key}\r\n")
    };
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: soak\r\n{key}content-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    let mut request = head.into_bytes();
    request.resize(request.len() + length - 200, b' ');
    request
}
