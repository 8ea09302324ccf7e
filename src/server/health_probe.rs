//! `procure health`: asks a running server how it is, as a container's health check does where there is no other program to ask with.

use std::{
    io::{Read, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream},
    time::Duration,
};

use anyhow::{Context, ensure};

/// How long each step of asking may take.
const PATIENCE: Duration = Duration::from_secs(3);

const QUESTION: &[u8] = b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

/// The start of the answer of a server that is well.
const WELL: &[u8] = b"HTTP/1.1 200 ";

/// An error where the server that was told to listen on `bind` does not answer that it is well.
pub fn check(bind: SocketAddr) -> anyhow::Result<()> {
    let address = reachable(bind);
    let answer = ask(address).with_context(|| format!("asking http://{address}/health"))?;
    let first = answer.split(|byte| *byte == b'\r').next().unwrap_or_default();
    ensure!(
        answer.starts_with(WELL),
        "http://{address}/health answered '{}'",
        String::from_utf8_lossy(first).escape_debug()
    );
    Ok(())
}

fn ask(address: SocketAddr) -> std::io::Result<Vec<u8>> {
    let mut socket = TcpStream::connect_timeout(&address, PATIENCE)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.set_write_timeout(Some(PATIENCE))?;
    socket.write_all(QUESTION)?;
    let mut answer = vec![0; 64];
    let mut read = 0;
    while read < WELL.len() {
        match socket.read(&mut answer[read..])? {
            0 => break,
            more => read += more,
        }
    }
    answer.truncate(read);
    Ok(answer)
}

/// A server that listens everywhere is asked here.
fn reachable(bind: SocketAddr) -> SocketAddr {
    let ip = match bind.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, bind.port())
}
