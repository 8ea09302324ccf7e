//! Hostile connections in small number, all the time. Nothing is expected of them but that the others do not notice.

use std::{
    io::{Read, Write},
    net::TcpStream,
    sync::atomic::Ordering,
    time::Duration,
};

use crate::{random::Random, world::World};

/// Connections that are open at the same time.
const OPEN: usize = 24;

pub fn run(world: &World, key: &str) {
    let mut random = Random::new(world.seed, "hostile");
    let mut open: Vec<TcpStream> = Vec::new();
    while !world.is_over() {
        // Open connections delay a stop by some seconds. Most stops are without them.
        if world.is_down.load(Ordering::Relaxed) && !world.lives.load(Ordering::Relaxed).is_multiple_of(4) {
            open.clear();
        }
        if open.len() >= OPEN {
            // Dropped with whatever was unread: the server sees a reset.
            open.swap_remove(random.below(OPEN as u64) as usize);
        }
        let address = world.installation.address;
        if let Ok(mut stream) = TcpStream::connect_timeout(&address, Duration::from_secs(1)) {
            let _ = stream.set_write_timeout(Some(Duration::from_millis(200)));
            let _ = stream.set_read_timeout(Some(Duration::from_millis(50)));
            let (what, bytes) = attack(&mut random, key);
            let _ = stream.write_all(&bytes);
            if random.chance(20) {
                let _ = stream.read(&mut [0; 64]);
            }
            world.report.count(format!("hostile connections: {what}"));
            open.push(stream);
        }
        // Some of them drip.
        for stream in &mut open {
            let _ = stream.write_all(b"x");
        }
        world.sleep(Duration::from_millis(100 + random.below(300)));
    }
}

fn attack(random: &mut Random, key: &str) -> (&'static str, Vec<u8>) {
    let head = |target: &str, more: &str| {
        format!("GET {target} HTTP/1.1\r\nhost: soak\r\nx-gateway-key: {key}\r\n{more}").into_bytes()
    };
    match random.below(8) {
        0 => ("silent", Vec::new()),
        1 => ("half a head", head("/contract", "x-half: ")),
        2 => ("a page that is not read", head("/contract?limit=500", "\r\n")),
        3 => (
            "pipelined requests that are not read",
            head("/contract?limit=100", "\r\n").repeat(50),
        ),
        4 => {
            let post =
                "POST /tender/alerts/unsubscribe?token=x HTTP/1.1\r\nhost: soak\r\ncontent-length: 1000000\r\n\r\n";
            ("a long body without a key", [post.as_bytes(), &[b'x'; 20_000]].concat())
        }
        5 => ("many headers", head("/contract", &"x-many: 1\r\n".repeat(2000))),
        6 => ("random bytes", (0..2000).map(|_| random.next() as u8).collect()),
        _ => (
            "an upgrade",
            head("/health", "connection: upgrade\r\nupgrade: h2c\r\n\r\n"),
        ),
    }
}
