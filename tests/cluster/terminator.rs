//! What operators put in front of a cluster: a proxy that ends TLS and asks for a user and a password.

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use rcgen::{BasicConstraints, Certificate, CertificateParams, IsCa, Issuer, KeyPair, KeyUsagePurpose, date_time_ymd};
use rustls::{ServerConfig, ServerConnection, StreamOwned, pki_types::PrivateKeyDer};
use ureq::{Agent, http::Request};

/// A private certificate authority.
pub struct Authority {
    certificate: Certificate,
    issuer: Issuer<'static, KeyPair>,
}

/// What a terminator's certificate says.
#[derive(Clone, Copy)]
pub struct Identity {
    pub host: &'static str,
    /// It is valid until the end of this year.
    pub last_year: i32,
}

pub const VALID: Identity = Identity {
    host: "localhost",
    last_year: 4000,
};

/// A terminator in front of one node. Its threads end with the process.
pub struct Terminator {
    pub port: u16,
    state: Arc<State>,
}

struct State {
    node: String,
    authorization: String,
    agent: Agent,
    is_hanging: AtomicBool,
    /// The paths and the statuses of the requests that were answered.
    answered: Mutex<Vec<(String, u16)>>,
}

impl Authority {
    pub fn new() -> Authority {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        Authority {
            certificate,
            issuer: Issuer::new(params, key),
        }
    }

    pub fn pem(&self) -> String {
        self.certificate.pem()
    }

    /// The settings of a server with a certificate of this authority.
    fn server(&self, identity: Identity) -> ServerConfig {
        let mut params = CertificateParams::new(vec![identity.host.to_owned()]).unwrap();
        params.not_after = date_time_ymd(identity.last_year, 12, 31);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![certificate.der().clone()],
                PrivateKeyDer::Pkcs8(key.serialize_der().into()),
            )
            .unwrap()
    }
}

impl Terminator {
    /// Passes the requests of one user on to a node, which is given with its address.
    pub fn start(authority: &Authority, identity: Identity, node: String, user: &str, password: &str) -> Terminator {
        let config = Arc::new(authority.server(identity));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let credentials = BASE64_STANDARD.encode(format!("{user}:{password}"));
        let state = Arc::new(State {
            node,
            authorization: format!("Basic {credentials}"),
            agent: Agent::config_builder()
                .http_status_as_error(false)
                .accept_encoding("identity")
                .build()
                .into(),
            is_hanging: AtomicBool::new(false),
            answered: Mutex::default(),
        });
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (config, state) = (Arc::clone(&config), Arc::clone(&shared));
                // A client that refuses the certificate ends the connection: nothing is left to do.
                thread::spawn(move || stream.ok().and_then(|stream| state.serve(config, stream)));
            }
        });
        Terminator { port, state }
    }

    pub fn url(&self) -> String {
        format!("https://localhost:{}", self.port)
    }

    /// From now on nothing is answered, and connections stay open.
    pub fn hang(&self) {
        self.state.is_hanging.store(true, Ordering::Relaxed);
    }

    /// Answers again. Connections that hung are closed.
    pub fn resume(&self) {
        self.state.is_hanging.store(false, Ordering::Relaxed);
    }

    /// The paths and the statuses of the requests since the last call.
    pub fn take_answered(&self) -> Vec<(String, u16)> {
        std::mem::take(&mut self.state.answered.lock().unwrap())
    }
}

impl State {
    /// Answers the requests of a connection until it ends.
    fn serve(&self, config: Arc<ServerConfig>, stream: TcpStream) -> Option<()> {
        if self.hangs() {
            return None;
        }
        let connection = ServerConnection::new(config).ok()?;
        let mut stream = BufReader::new(StreamOwned::new(connection, stream));
        loop {
            let (head, body) = read_request(&mut stream)?;
            if self.hangs() {
                return None;
            }
            let (status, answer) = if header(&head, "authorization") == Some(&self.authorization) {
                self.pass_on(&head, &body)?
            } else {
                (
                    401,
                    b"<html><head><title>401 Authorization Required</title></head></html>".to_vec(),
                )
            };
            let path = head.split(' ').nth(1)?.to_owned();
            self.answered.lock().unwrap().push((path, status));
            let response = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n", answer.len());
            let writer = stream.get_mut();
            writer.write_all(&[response.as_bytes(), &answer].concat()).ok()?;
            writer.flush().ok()?;
        }
    }

    /// Waits while the terminator hangs, and returns whether it did.
    fn hangs(&self) -> bool {
        let mut has_hung = false;
        while self.is_hanging.load(Ordering::Relaxed) {
            has_hung = true;
            thread::sleep(std::time::Duration::from_millis(20));
        }
        has_hung
    }

    fn pass_on(&self, head: &str, body: &[u8]) -> Option<(u16, Vec<u8>)> {
        let mut first = head.split(' ');
        let mut request = Request::builder()
            .method(first.next()?)
            .uri(format!("{}{}", self.node, first.next()?));
        for name in ["content-type", "content-encoding"] {
            if let Some(value) = header(head, name) {
                request = request.header(name, value);
            }
        }
        let has_body = header(head, "content-length").is_some();
        let answer = if has_body {
            self.agent.run(request.body(body).ok()?)
        } else {
            self.agent.run(request.body(()).ok()?)
        };
        let mut answer = answer.ok()?;
        let body = answer.body_mut().with_config().limit(1 << 28).read_to_vec().ok()?;
        Some((answer.status().as_u16(), body))
    }
}

/// The head and the body of the next request; `None` at the end of the connection.
fn read_request(stream: &mut impl BufRead) -> Option<(String, Vec<u8>)> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = header(&head, "content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some((head, body))
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    let found = lines.find(|(of, _)| of.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value)
}
