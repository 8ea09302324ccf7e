//! Connections that clients had opened when the listener was closed.
//!
//! The system completes connections before the program accepts them. Those that still wait when the
//! framework stops accepting would be reset with the listener. They are accepted once more, answered
//! with 503, and closed.

use std::{
    io::{self, Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    thread,
    time::{Duration, Instant},
};

use actix_web::http::header::{HeaderMap, HeaderValue};

use crate::http::{
    error::ApiError,
    middleware::request_id::{REQUEST_ID, RequestId},
};

/// How long the framework may take until it accepts no more.
const HANDED_OVER: Duration = Duration::from_millis(50);

/// How long all late connections together may take to send their requests and to read the responses.
const LONGEST: Duration = Duration::from_secs(2);

/// How many are answered: more than any backlog of the system.
const MAX_CONNECTIONS: usize = 8192;

/// How much of a request is read: closing a connection with unread bytes would reset it.
const MAX_REQUEST_BYTES: usize = 64 << 10;

/// A second handle of the listener's socket.
pub(super) struct LateConnections(TcpListener);

impl LateConnections {
    pub(super) fn of(listener: &TcpListener) -> io::Result<LateConnections> {
        listener.try_clone().map(LateConnections)
    }

    /// Waits until the framework accepts no more, then accepts what waits, closes the socket and
    /// answers.
    pub(super) fn answer(self) {
        thread::sleep(HANDED_OVER);
        let streams = self.accept();
        drop(self);
        if streams.is_empty() {
            return;
        }
        log::info!("{} connections that waited to be accepted get a 503", streams.len());
        let end = Instant::now() + LONGEST;
        for stream in streams {
            // A client that is gone needs no response.
            let _ = answer(stream, end);
        }
    }

    fn accept(&self) -> Vec<TcpStream> {
        if self.0.set_nonblocking(true).is_err() {
            return Vec::new();
        }
        let accepted = std::iter::from_fn(|| self.0.accept().ok().map(|(stream, _)| stream));
        accepted.take(MAX_CONNECTIONS).collect()
    }
}

/// Reads the head of a request, answers it, and waits until the client has closed its side.
fn answer(mut stream: TcpStream, end: Instant) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_write_timeout(Some(Duration::from_millis(100)))?;
    let mut head = Vec::new();
    read(&mut stream, &mut head, end, |head| {
        head.windows(4).any(|end| end == b"\r\n\r\n")
    })?;
    stream.write_all(response(&request_id(&head)).as_bytes())?;
    stream.shutdown(Shutdown::Write)?;
    read(&mut stream, &mut head, end, |_| false)
}

/// Reads until enough has been read, the client has closed its side, or the time is over.
fn read(
    stream: &mut TcpStream,
    bytes: &mut Vec<u8>,
    end: Instant,
    is_enough: impl Fn(&[u8]) -> bool,
) -> io::Result<()> {
    let mut part = [0; 4096];
    while !is_enough(bytes) && bytes.len() < MAX_REQUEST_BYTES {
        let left = end.saturating_duration_since(Instant::now());
        // No time is no valid time limit.
        stream.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        match stream.read(&mut part) {
            Ok(0) => break,
            Ok(read) => bytes.extend_from_slice(&part[..read]),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => break,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The id that the client sent with its request, or a new one.
fn request_id(head: &[u8]) -> RequestId {
    let mut sent = HeaderMap::new();
    for line in head.split(|byte| *byte == b'\n') {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            continue;
        };
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        if let (true, Ok(value)) = (
            name.eq_ignore_ascii_case(REQUEST_ID.as_str().as_bytes()),
            HeaderValue::from_bytes(value),
        ) {
            sent.insert(REQUEST_ID, value);
        }
    }
    RequestId::of(&sent)
}

fn response(id: &RequestId) -> String {
    let error = ApiError::draining();
    let (body, retry_after) = error.unframed();
    format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: {retry_after}\r\n\
         cache-control: no-store\r\nx-request-id: {}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        id.as_str(),
        body.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_that_nobody_accepted_gets_a_503() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let late = LateConnections::of(&listener).unwrap();
        let mut clients: Vec<TcpStream> = (0..3).map(|_| TcpStream::connect(address).unwrap()).collect();
        for client in &mut clients {
            client
                .write_all(b"GET /health HTTP/1.1\r\nhost: x\r\nX-Request-ID: mine\r\n\r\n")
                .unwrap();
        }
        drop(listener);
        let answering = thread::spawn(|| late.answer());
        for mut client in clients {
            let mut response = String::new();
            client.read_to_string(&mut response).unwrap();
            assert!(response.starts_with("HTTP/1.1 503 "), "{response}");
            assert!(response.contains("\r\nx-request-id: mine\r\n"), "{response}");
            assert!(
                response.ends_with(r#"{"detail":"the server is stopping; try again in a second"}"#),
                "{response}"
            );
        }
        answering.join().unwrap();
        assert!(TcpStream::connect(address).is_err());
    }
}
