//! An HTTP client with one keep-alive connection. It uses the standard library only, so that it takes next to no time.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpStream, ToSocketAddrs},
    time::{Duration, Instant},
};

/// A keep-alive connection with an API key.
pub struct Client {
    connection: BufReader<TcpStream>,
    key: String,
    /// When the last answer ended.
    idle_since: Instant,
}

/// A connection that was idle for longer is not used again, because servers close idle connections.
const MAX_IDLE: Duration = Duration::from_secs(3);

pub struct Answer {
    pub status: u16,
    pub took: Duration,
    pub body: Vec<u8>,
}

/// A request: its address, and the body if it is a POST.
#[derive(Clone, Debug)]
pub struct Request {
    pub path: String,
    pub body: Option<String>,
}

impl Client {
    pub fn connect(address: &str, key: &str) -> Client {
        Client {
            connection: connection(address),
            key: key.to_owned(),
            idle_since: Instant::now(),
        }
    }

    pub fn ask(&mut self, request: &Request) -> Answer {
        let Request { path, body } = request;
        if self.idle_since.elapsed() > MAX_IDLE {
            let address = self.connection.get_ref().peer_addr().expect("the address");
            self.connection = connection(address);
        }
        let begun = Instant::now();
        let head = format!("host: bench\r\nx-gateway-key: {}\r\n", self.key);
        let text = match body {
            Some(body) => {
                let length = body.len();
                format!(
                    "POST {path} HTTP/1.1\r\n{head}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
                )
            }
            None => format!("GET {path} HTTP/1.1\r\n{head}\r\n"),
        };
        self.connection.get_mut().write_all(text.as_bytes()).expect("sending");
        let (mut status, mut length, mut line) = (None, 0, String::new());
        loop {
            line.clear();
            let bytes = self.connection.read_line(&mut line).expect("a header");
            assert!(bytes > 0, "the server closed the connection");
            if line == "\r\n" {
                break;
            }
            if status.is_none() {
                status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
        }
        let mut body = vec![0; length];
        self.connection.read_exact(&mut body).expect("a body");
        self.idle_since = Instant::now();
        Answer {
            status: status.expect("a status line"),
            took: begun.elapsed(),
            body,
        }
    }

    /// The body of the response to a GET request, which must have status 200.
    pub fn get(&mut self, path: &str) -> Vec<u8> {
        let request = Request {
            path: path.to_owned(),
            body: None,
        };
        let Answer { status, body, .. } = self.ask(&request);
        assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&body));
        body
    }

    /// The same as text.
    pub fn get_text(&mut self, path: &str) -> String {
        String::from_utf8(self.get(path)).expect("a text")
    }
}

fn connection(address: impl ToSocketAddrs) -> BufReader<TcpStream> {
    let stream = TcpStream::connect(address).expect("connecting");
    stream.set_nodelay(true).expect("a socket option");
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .expect("a socket option");
    BufReader::with_capacity(1 << 20, stream)
}
