//! An HTTP client that knows exactly what it sent and what was answered: one keep-alive connection, and no request is
//! ever sent twice.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use serde_json::Value;

/// How long the client waits for the next byte of an answer. Longer than any deadline of the server.
const PATIENCE: Duration = Duration::from_secs(40);

/// What is sent. The host header and the content length are added.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: &'static str,
    pub target: String,
    pub key: Option<String>,
    /// A body of JSON.
    pub body: Option<String>,
    /// The entity tag that the client already has, for `If-None-Match`.
    pub known: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub took: Duration,
}

pub struct Client {
    address: SocketAddr,
    connection: Option<BufReader<TcpStream>>,
}

impl Request {
    pub fn get(target: impl Into<String>, key: &str) -> Request {
        Request {
            method: "GET",
            target: target.into(),
            key: Some(key.to_owned()),
            body: None,
            known: None,
        }
    }

    pub fn post(target: impl Into<String>, key: &str, body: &Value) -> Request {
        Request {
            method: "POST",
            body: Some(body.to_string()),
            ..Request::get(target, key)
        }
    }

    pub fn keyless(method: &'static str, target: impl Into<String>) -> Request {
        Request {
            method,
            target: target.into(),
            key: None,
            body: None,
            known: None,
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut text = format!("{} {} HTTP/1.1\r\nhost: soak\r\n", self.method, self.target);
        if let Some(key) = &self.key {
            text.push_str(&format!("x-gateway-key: {key}\r\n"));
        }
        if let Some(tag) = &self.known {
            text.push_str(&format!("if-none-match: {tag}\r\n"));
        }
        match &self.body {
            Some(body) => text.push_str(&format!(
                "content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            )),
            None if self.method == "POST" => text.push_str("content-length: 0\r\n\r\n"),
            None => text.push_str("\r\n"),
        }
        text.into_bytes()
    }
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// `None` if the body is not JSON.
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// The body for a report, cut to a readable length.
    pub fn excerpt(&self) -> String {
        let text = String::from_utf8_lossy(&self.body);
        text.chars().take(400).collect()
    }
}

impl Client {
    pub fn new(address: SocketAddr) -> Client {
        Client {
            address,
            connection: None,
        }
    }

    /// Sends the request and reads the answer. After an error it is unknown whether the
    /// server has done what was asked.
    pub fn send(&mut self, request: &Request) -> io::Result<Answer> {
        let mut connection = match self.connection.take().filter(is_open) {
            Some(connection) => connection,
            None => self.connect()?,
        };
        let started = Instant::now();
        connection.get_mut().write_all(&request.bytes())?;
        let (answer, reusable) = read_answer(&mut connection, request.method == "HEAD", started)?;
        if reusable {
            self.connection = Some(connection);
        }
        Ok(answer)
    }

    fn connect(&self) -> io::Result<BufReader<TcpStream>> {
        let stream = TcpStream::connect_timeout(&self.address, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(BufReader::with_capacity(1 << 16, stream))
    }
}

/// Whether the server has not closed the idle connection.
fn is_open(connection: &BufReader<TcpStream>) -> bool {
    let stream = connection.get_ref();
    let peek = || -> io::Result<usize> {
        stream.set_nonblocking(true)?;
        let peeked = stream.peek(&mut [0]);
        stream.set_nonblocking(false)?;
        peeked
    };
    matches!(peek(), Err(error) if error.kind() == io::ErrorKind::WouldBlock)
}

/// Reads one answer. Also returns whether the connection can be used again.
fn read_answer(
    connection: &mut BufReader<TcpStream>,
    has_no_body: bool,
    started: Instant,
) -> io::Result<(Answer, bool)> {
    let status_line = read_line(connection)?;
    let status = status_line.split(' ').nth(1).and_then(|code| code.parse().ok());
    let status: u16 = status.ok_or_else(|| invalid(format!("not a status line: {status_line:?}")))?;
    let mut headers = Vec::new();
    loop {
        let line = read_line(connection)?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line
            .split_once(':')
            .ok_or_else(|| invalid(format!("not a header: {line:?}")))?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut answer = Answer {
        status,
        headers,
        body: Vec::new(),
        took: Duration::ZERO,
    };
    if !has_no_body && !matches!(status, 204 | 304) {
        let length = answer.header("content-length").and_then(|value| value.parse().ok());
        let length: usize = length.ok_or_else(|| invalid("an answer without a content length".to_owned()))?;
        answer.body = vec![0; length];
        connection.read_exact(&mut answer.body)?;
    }
    answer.took = started.elapsed();
    let closes = answer
        .header("connection")
        .is_some_and(|value| value.eq_ignore_ascii_case("close"));
    Ok((answer, !closes))
}

fn read_line(connection: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut line = String::new();
    if connection.read_line(&mut line)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

fn invalid(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
