//! A server that sends exactly the bytes that a test chooses, and records its requests.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub headers: HashMap<String, String>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// The first byte of the requested range.
    pub fn range(&self) -> Option<usize> {
        self.header("range")?
            .strip_prefix("bytes=")?
            .strip_suffix('-')?
            .parse()
            .ok()
    }
}

/// Answers a request. The number counts the requests since the behaviour was set. The connection
/// closes afterwards.
type Behaviour = Arc<dyn Fn(&Request, usize, &mut TcpStream) + Send + Sync>;

#[derive(Clone)]
pub struct Server {
    pub address: String,
    behaviour: Arc<Mutex<Behaviour>>,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub fn new(behaviour: impl Fn(&Request, usize, &mut TcpStream) + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Server {
            address: listener.local_addr().unwrap().to_string(),
            behaviour: Arc::new(Mutex::new(Arc::new(behaviour))),
            requests: Arc::default(),
        };
        let shared = server.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let shared = shared.clone();
                thread::spawn(move || shared.answer(stream.unwrap()));
            }
        });
        server
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Sets the behaviour, and forgets the earlier requests.
    pub fn behave(&self, behaviour: impl Fn(&Request, usize, &mut TcpStream) + Send + Sync + 'static) {
        *self.behaviour.lock().unwrap() = Arc::new(behaviour);
        self.requests.lock().unwrap().clear();
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    fn answer(&self, mut stream: TcpStream) {
        let Some(request) = read(&stream) else {
            return head(&mut stream, "400 Bad Request", &[]);
        };
        let mut requests = self.requests.lock().unwrap();
        let nth = requests.len();
        requests.push(request.clone());
        drop(requests);
        let behaviour = self.behaviour.lock().unwrap().clone();
        behaviour(&request, nth, &mut stream);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        // The client closes first, so that it loses no bytes that it has not read.
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let first = lines.next()?;
    let mut words = first.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let headers = lines.take_while(|line| !line.is_empty()).filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_lowercase(), value.trim().to_owned()))
    });
    Some(Request {
        method,
        path,
        headers: headers.collect(),
    })
}

/// Writes a response head. Errors of a closed connection are ignored.
pub fn head(stream: &mut TcpStream, status: &str, headers: &[(&str, &str)]) {
    let lines = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
    let head = format!(
        "HTTP/1.1 {status}\r\n{}Connection: close\r\n\r\n",
        lines.collect::<String>()
    );
    body(stream, head.as_bytes());
}

pub fn body(stream: &mut TcpStream, bytes: &[u8]) {
    let _ = stream.write_all(bytes).and_then(|()| stream.flush());
}

/// Writes a response with its length.
pub fn answer(stream: &mut TcpStream, status: &str, headers: &[(&str, &str)], bytes: &[u8]) {
    let length = bytes.len().to_string();
    head(
        stream,
        status,
        &[&[("Content-Length", length.as_str())], headers].concat(),
    );
    body(stream, bytes);
}

/// Answers a request for a file with this tag like a correct server.
pub fn file(request: &Request, stream: &mut TcpStream, tag: &str, bytes: &[u8]) {
    let tag = format!("\"{tag}\"");
    let headers = [("ETag", tag.as_str()), ("Content-Type", "text/csv")];
    if request.header("if-none-match") == Some(&tag) {
        return head(stream, "304 Not Modified", &headers);
    }
    match request.range().filter(|_| request.header("if-range") == Some(&tag)) {
        Some(from) if from < bytes.len() => {
            let range = format!("bytes {from}-{}/{}", bytes.len() - 1, bytes.len());
            let headers = [headers.as_slice(), &[("Content-Range", range.as_str())]].concat();
            answer(stream, "206 Partial Content", &headers, &bytes[from..]);
        }
        Some(_) => head(stream, "416 Range Not Satisfiable", &[("Content-Length", "0")]),
        None => answer(stream, "200 OK", &headers, bytes),
    }
}
