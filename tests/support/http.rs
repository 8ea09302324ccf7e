//! HTTP/1.1 as all test programs and benches speak it: a connection that sends any bytes and checks how responses
//! are framed, and a client that sends requests over it. It uses the standard library only, so that it takes next to
//! no time and nothing is ever sent twice.

use std::{
    io::{self, ErrorKind, Read, Write},
    net::{Shutdown, TcpStream, ToSocketAddrs},
    time::{Duration, Instant},
};

use serde_json::Value;

/// How long a client waits for a connection, and for the next byte of a response. Longer than any deadline of the
/// server.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A keep-alive connection that sends arbitrary bytes, as no well-behaved client does.
pub struct RawConnection {
    stream: TcpStream,
    /// Input that is not parsed yet.
    input: Vec<u8>,
    /// What one read fills.
    buffer: Vec<u8>,
}

/// One complete response.
#[derive(Clone, Debug, PartialEq)]
pub struct RawResponse {
    pub status: u16,
    /// Status line and headers.
    pub head: String,
    pub body: Vec<u8>,
}

/// What a connection yielded next.
#[derive(Debug, PartialEq)]
pub enum Next {
    Response(RawResponse),
    /// The connection was closed between two responses.
    Closed,
    /// The connection was reset, ended within a response, stayed silent, or sent what is not a response.
    Broken(String),
}

impl RawConnection {
    /// Connects to `host:port`, also behind `http://`.
    pub fn connect(address: &str) -> io::Result<RawConnection> {
        RawConnection::open(address.trim_start_matches("http://"), PATIENCE)
    }

    /// `patience` bounds the wait for the connection, and each read and write.
    pub fn open(address: impl ToSocketAddrs, patience: Duration) -> io::Result<RawConnection> {
        let address = address.to_socket_addrs()?.next().ok_or(ErrorKind::NotFound)?;
        let stream = TcpStream::connect_timeout(&address, patience)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(patience))?;
        stream.set_write_timeout(Some(patience))?;
        Ok(RawConnection {
            stream,
            input: Vec::new(),
            buffer: vec![0; 64 << 10],
        })
    }

    /// Bounds each read from now on.
    pub fn set_patience(&mut self, patience: Duration) {
        let _ = self.stream.set_read_timeout(Some(patience));
    }

    /// A write that fails, because the server has closed the connection, is reported by the next read.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut RawConnection {
        let _ = self.stream.write_all(bytes.as_ref());
        self
    }

    /// States that nothing follows.
    pub fn half_close(&mut self) -> &mut RawConnection {
        let _ = self.stream.shutdown(Shutdown::Write);
        self
    }

    /// Whether the server has closed the connection, or has sent more than was asked for.
    pub fn is_closed(&self) -> bool {
        let peek = || -> io::Result<usize> {
            self.stream.set_nonblocking(true)?;
            let peeked = self.stream.peek(&mut [0]);
            self.stream.set_nonblocking(false)?;
            peeked
        };
        !matches!(peek(), Err(error) if error.kind() == ErrorKind::WouldBlock)
    }

    /// Whether no byte has arrived since the last complete response.
    pub fn has_no_input(&self) -> bool {
        self.input.is_empty()
    }

    #[track_caller]
    pub fn answer(&mut self) -> RawResponse {
        match self.next(false) {
            Next::Response(answer) => answer,
            other => panic!("{other:?}"),
        }
    }

    /// Sends a GET request, with this key unless it is empty, and receives its response.
    pub fn get(&mut self, target: &str, key: &str) -> Next {
        self.send(get(target, key)).receive(false)
    }

    /// Reads the next final response: none such as `100 Continue`.
    pub fn receive(&mut self, is_head: bool) -> Next {
        loop {
            match self.next(is_head) {
                Next::Response(interim) if interim.status < 200 => {}
                other => return other,
            }
        }
    }

    /// Reads the next response. A response to HEAD has no body, whatever its `Content-Length`.
    pub fn next(&mut self, is_head: bool) -> Next {
        loop {
            match parse(&mut self.input, is_head) {
                Err(reason) => return Next::Broken(reason),
                Ok(Some(response)) => return Next::Response(response),
                Ok(None) => {}
            }
            match self.stream.read(&mut self.buffer) {
                Ok(0) if self.input.is_empty() => return Next::Closed,
                Ok(0) => return Next::Broken(format!("ended {} bytes into a response", self.input.len())),
                Ok(length) => self.input.extend_from_slice(&self.buffer[..length]),
                Err(error) => return Next::Broken(error.to_string()),
            }
        }
    }
}

/// The text of a GET request, with this key unless it is empty.
pub fn get(target: &str, key: &str) -> String {
    Request::keyless("GET", target).text(Some(key).filter(|key| !key.is_empty()))
}

/// The text of a POST request with a JSON body.
pub fn post(target: &str, key: &str, body: &str) -> String {
    Request::post(target, key, body).text(None)
}

/// Takes one complete response from the front of `input`, if there is one.
fn parse(input: &mut Vec<u8>, is_head: bool) -> Result<Option<RawResponse>, String> {
    let Some(end) = memchr::memmem::find(input, b"\r\n\r\n").map(|at| at + 4) else {
        return Ok(None);
    };
    let head = std::str::from_utf8(&input[..end]).map_err(|_| "a response head that is not UTF-8".to_owned())?;
    let status = head
        .strip_prefix("HTTP/1.1 ")
        // The answer to a request of that version.
        .or_else(|| head.strip_prefix("HTTP/1.0 "))
        .and_then(|rest| rest.get(..3)?.parse().ok())
        .ok_or_else(|| format!("an invalid status line: {head:.100}"))?;
    let has_body = !is_head && status >= 200 && status != 204 && status != 304;
    let length = match header(head, "content-length") {
        _ if !has_body => 0,
        Some(length) => length.parse().map_err(|_| format!("an invalid length: {length}"))?,
        None => return Err(format!("a response without a length: {head:.300}")),
    };
    if input.len() < end + length {
        return Ok(None);
    }
    let response = RawResponse {
        status,
        head: head.to_owned(),
        body: input[end..end + length].to_vec(),
    };
    input.drain(..end + length);
    Ok(Some(response))
}

/// The value of a header of a response head.
pub fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines()
        .filter_map(|line| line.split_once(": "))
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
        .map(|(_, value)| value)
}

impl RawResponse {
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }

    /// Whether the server closes the connection after it.
    pub fn closes(&self) -> bool {
        self.header("connection") == Some("close")
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body for a report, cut to a readable length.
    pub fn excerpt(&self) -> String {
        self.text().chars().take(400).collect()
    }

    /// `None` if the body is not JSON.
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// The text of an error of the API. Panics if it is none.
    #[track_caller]
    pub fn detail(&self) -> String {
        let json = self.json().unwrap_or_else(|| panic!("{self:?}"));
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
        json["detail"].as_str().unwrap_or_else(|| panic!("{self:?}")).to_owned()
    }
}

/// What a [`Client`] sends. The host header and the content length are added.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: &'static str,
    pub target: String,
    /// Instead of the client's.
    pub key: Option<String>,
    /// A body of JSON.
    pub body: Option<String>,
    /// The entity tag that the client already has, for `If-None-Match`.
    pub known: Option<String>,
}

impl Request {
    pub fn keyless(method: &'static str, target: impl Into<String>) -> Request {
        Request {
            method,
            target: target.into(),
            key: None,
            body: None,
            known: None,
        }
    }

    pub fn get(target: impl Into<String>, key: &str) -> Request {
        Request {
            key: Some(key.to_owned()),
            ..Request::keyless("GET", target)
        }
    }

    /// A POST request of JSON with the client's key.
    pub fn json(target: impl Into<String>, body: impl ToString) -> Request {
        Request {
            body: Some(body.to_string()),
            ..Request::keyless("POST", target)
        }
    }

    pub fn post(target: impl Into<String>, key: &str, body: impl ToString) -> Request {
        Request {
            key: Some(key.to_owned()),
            ..Request::json(target, body)
        }
    }

    /// The text of the request, with this key if it has none of its own.
    fn text(&self, key: Option<&str>) -> String {
        let mut text = format!("{} {} HTTP/1.1\r\nhost: tests\r\n", self.method, self.target);
        if let Some(key) = self.key.as_deref().or(key) {
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
        text
    }
}

/// A client that keeps one connection, and connects again when the server has closed it.
pub struct Client {
    address: String,
    key: Option<String>,
    connection: Option<RawConnection>,
}

impl Client {
    pub fn new(address: impl ToString) -> Client {
        Client {
            address: address.to_string(),
            key: None,
            connection: None,
        }
    }

    /// A client whose requests have this key, unless it is empty.
    pub fn with_key(address: impl ToString, key: &str) -> Client {
        Client {
            key: Some(key.to_owned()).filter(|key| !key.is_empty()),
            ..Client::new(address)
        }
    }

    /// Sends the request and reads the answer. After an error it is unknown whether the server has done what was asked.
    pub fn send(&mut self, request: &Request) -> io::Result<RawResponse> {
        Ok(self.timed(request)?.0)
    }

    /// The same, with the time from sending until the whole answer was read.
    pub fn timed(&mut self, request: &Request) -> io::Result<(RawResponse, Duration)> {
        let mut connection = match self.connection.take().filter(|open| !open.is_closed()) {
            Some(connection) => connection,
            None => RawConnection::connect(&self.address)?,
        };
        let text = request.text(self.key.as_deref());
        let started = Instant::now();
        connection.stream.write_all(text.as_bytes())?;
        let answer = match connection.receive(request.method == "HEAD") {
            Next::Response(answer) => answer,
            Next::Closed => return Err(ErrorKind::UnexpectedEof.into()),
            Next::Broken(reason) => return Err(io::Error::other(reason)),
        };
        let took = started.elapsed();
        if !answer.closes() {
            self.connection = Some(connection);
        }
        Ok((answer, took))
    }

    /// The body of the response to a GET request. Panics unless it has status 200.
    #[track_caller]
    pub fn get(&mut self, target: &str) -> Vec<u8> {
        match self.send(&Request::keyless("GET", target)) {
            Ok(answer) if answer.status == 200 => answer.body,
            other => panic!("{target}: {other:?}"),
        }
    }
}
