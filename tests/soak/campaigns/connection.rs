//! A keep-alive HTTP/1.1 connection that sends any bytes and checks how responses are framed.

use std::{
    io::{ErrorKind, Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    time::Duration,
};

/// Longer than any deadline of the server.
pub const PATIENCE: Duration = Duration::from_secs(45);

pub struct Connection {
    stream: TcpStream,
    /// Input that is not parsed yet.
    input: Vec<u8>,
}

#[derive(Debug)]
pub struct Response {
    pub status: u16,
    /// Status line and headers.
    pub head: String,
    pub body: Vec<u8>,
}

/// What a connection yielded next.
#[derive(Debug)]
pub enum Received {
    Response(Response),
    /// The connection was closed between two responses.
    Closed,
    /// The connection was reset, ended within a response, stayed silent, or sent what is not a response.
    Broken(String),
}

impl Connection {
    /// `patience` bounds the wait for the connection, and each read and write.
    pub fn open(address: SocketAddr, patience: Duration) -> std::io::Result<Connection> {
        let stream = TcpStream::connect_timeout(&address, patience)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(patience))?;
        stream.set_write_timeout(Some(patience))?;
        Ok(Connection {
            stream,
            input: Vec::new(),
        })
    }

    /// Fails if the server has closed the connection; the response that it sent before can still be received.
    pub fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// Says that nothing follows.
    pub fn half_close(&self) {
        // Fails if the server has closed the connection, which the next read reports.
        let _ = self.stream.shutdown(Shutdown::Write);
    }

    pub fn get(&mut self, path: &str, key: &str) -> Received {
        // A failed write is reported by the read.
        let _ = self.send(get(path, key).as_bytes());
        self.receive(false)
    }

    /// Receives the next final response. A response to HEAD has no body, whatever its `Content-Length`.
    pub fn receive(&mut self, is_head: bool) -> Received {
        loop {
            match parse(&mut self.input, is_head) {
                Err(reason) => return Received::Broken(reason),
                // An interim response, such as `100 Continue`.
                Ok(Some(response)) if response.status < 200 => continue,
                Ok(Some(response)) => return Received::Response(response),
                Ok(None) => {}
            }
            let mut bytes = [0; 16 << 10];
            match self.stream.read(&mut bytes) {
                Ok(0) if self.input.is_empty() => return Received::Closed,
                Ok(0) => return Received::Broken(format!("ended {} bytes into a response", self.input.len())),
                Ok(length) => self.input.extend_from_slice(&bytes[..length]),
                Err(error) if error.kind() == ErrorKind::ConnectionReset && self.input.is_empty() => {
                    return Received::Closed;
                }
                Err(error) => return Received::Broken(error.to_string()),
            }
        }
    }
}

/// A GET request with a key; without one if it is empty.
pub fn get(path: &str, key: &str) -> String {
    let key = if key.is_empty() {
        String::new()
    } else {
        format!("x-gateway-key: {key}\r\n")
    };
    format!("GET {path} HTTP/1.1\r\nhost: soak\r\n{key}\r\n")
}

/// A POST request with a JSON body.
pub fn post(path: &str, key: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nhost: soak\r\nx-gateway-key: {key}\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
}

/// Takes one complete response from the front of `input`, if there is one.
fn parse(input: &mut Vec<u8>, is_head: bool) -> Result<Option<Response>, String> {
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
    let length = match header_of(head, "content-length") {
        _ if !has_body => 0,
        Some(length) => length.parse().map_err(|_| format!("an invalid length: {length}"))?,
        None => return Err(format!("a response without a length: {head:.300}")),
    };
    if input.len() < end + length {
        return Ok(None);
    }
    let response = Response {
        status,
        head: head.to_owned(),
        body: input[end..end + length].to_vec(),
    };
    input.drain(..end + length);
    Ok(Some(response))
}

fn header_of<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines()
        .filter_map(|line| line.split_once(": "))
        .find(|(found, _)| found.eq_ignore_ascii_case(name))
        .map(|(_, value)| value)
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        header_of(&self.head, name)
    }

    pub fn closes(&self) -> bool {
        self.header("connection") == Some("close")
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}
