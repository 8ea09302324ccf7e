//! Tests of the client against nodes that answer over real connections, well or badly.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use rustls::{ServerConfig, ServerConnection, StreamOwned, pki_types::PrivateKeyDer};
use serde_json::json;

use super::{
    client::{Body, Client, ClusterRequest, Method},
    cluster_error::ClusterError,
    settings::{ClusterSettings, Credentials},
};
use crate::engine::deadline::Deadline;

/// How a node treats a request.
#[derive(Clone, Copy)]
pub(crate) enum Reply {
    Answer(u16, &'static str),
    /// The answer follows from the head and the body of the request.
    Computed(fn(&str, &str) -> String),
    /// The same, but the node closes the connection without saying so.
    AnswerAndClose(&'static str),
    Close,
    Stall,
}

/// A node on a port of its own. It keeps the heads of the requests.
pub(crate) struct Node {
    pub(crate) url: String,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Node {
    pub(crate) fn start(reply: Reply) -> Node {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let heads = Arc::<Mutex<Vec<String>>>::default();
        let seen = Arc::clone(&heads);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, seen) = (stream.unwrap(), Arc::clone(&seen));
                thread::spawn(move || serve(BufReader::new(stream), reply, &seen));
            }
        });
        Node { url, heads }
    }

    fn requests(&self) -> usize {
        self.heads.lock().unwrap().len()
    }

    /// The first lines of the requests.
    pub(crate) fn request_lines(&self) -> Vec<String> {
        let first = |head: &String| head.lines().next().unwrap().to_owned();
        self.heads.lock().unwrap().iter().map(first).collect()
    }

    fn last_head(&self) -> String {
        self.heads.lock().unwrap().last().unwrap().clone()
    }
}

fn serve<S: Read + Write>(mut stream: BufReader<S>, reply: Reply, seen: &Mutex<Vec<String>>) {
    while let Some((head, request)) = read_request(&mut stream) {
        seen.lock().unwrap().push(head.clone());
        let (status, body) = match reply {
            Reply::Answer(status, body) => (status, body.to_owned()),
            Reply::Computed(answer) => (200, answer(&head, &request)),
            Reply::AnswerAndClose(body) => (200, body.to_owned()),
            Reply::Close => return,
            Reply::Stall => {
                thread::park();
                return;
            }
        };
        let response = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        let written = stream.get_mut().write_all(response.as_bytes());
        if written.and_then(|()| stream.get_mut().flush()).is_err() || matches!(reply, Reply::AnswerAndClose(_)) {
            return;
        }
    }
}

/// The head of the next request, in lower case, and its body; `None` at the end of the connection.
fn read_request(stream: &mut impl BufRead) -> Option<(String, String)> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let head = head.to_lowercase();
    let length = head.split("content-length: ").nth(1);
    let length: usize = length.map_or(0, |rest| rest.split("\r\n").next().unwrap().parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some((head, String::from_utf8_lossy(&body).into_owned()))
}

/// An address at which nothing listens.
fn closed_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

fn client(urls: &[&str]) -> Client {
    let urls = urls.iter().map(|url| (*url).to_owned()).collect();
    Client::new(&ClusterSettings::new(urls)).unwrap()
}

fn get(client: &Client, deadline: &Deadline) -> Result<serde_json::Value, ClusterError> {
    client.get("/_x", deadline)
}

fn seconds(seconds: u64) -> Deadline {
    Deadline::after(Duration::from_secs(seconds))
}

const OK: Reply = Reply::Answer(200, r#"{"ok":true}"#);

#[test]
fn a_request_goes_to_the_next_address_if_one_refuses_it() {
    let node = Node::start(OK);
    let client = client(&[&closed_address(), &node.url]);
    for _ in 0..4 {
        assert_eq!(get(&client, &seconds(10)).unwrap()["ok"], true);
    }
    assert_eq!(node.requests(), 4);
}

#[test]
fn a_node_that_stalls_delays_one_request() {
    let (stalled, node) = (Node::start(Reply::Stall), Node::start(OK));
    let client = client(&[&stalled.url, &node.url]);
    let start = Instant::now();
    assert!(get(&client, &seconds(2)).is_ok());
    assert!(start.elapsed() >= Duration::from_millis(1500));
    let start = Instant::now();
    for _ in 0..5 {
        assert!(get(&client, &seconds(60)).is_ok());
    }
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "the stalled node is left out"
    );
    // The second one asked whether the node is alive.
    assert_eq!((stalled.requests(), node.requests()), (2, 6));
}

#[test]
fn the_deadline_holds_with_one_address() {
    let stalled = Node::start(Reply::Stall);
    let client = client(&[&stalled.url]);
    let deadline = Deadline::after(Duration::from_millis(200));
    assert_eq!(get(&client, &deadline).unwrap_err(), ClusterError::Timeout);
    assert_eq!(get(&client, &deadline).unwrap_err(), ClusterError::Timeout);
    assert_eq!(stalled.requests(), 1, "no request is sent after the deadline");
}

#[test]
fn a_kept_connection_that_the_node_has_closed_is_replaced() {
    let node = Node::start(Reply::AnswerAndClose("{}"));
    let client = client(&[&node.url]);
    for _ in 0..5 {
        assert!(get(&client, &seconds(10)).is_ok());
    }
}

#[test]
fn only_a_repeatable_request_is_sent_again_after_it_may_have_been_executed() {
    for (is_repeatable, requests) in [(true, [1, 1]), (false, [1, 0])] {
        let (broken, node) = (Node::start(Reply::Close), Node::start(OK));
        let client = client(&[&broken.url, &node.url]);
        let body = json!({});
        let request = ClusterRequest::new(Method::POST, "/_x", Body::Json(&body));
        let request = if is_repeatable { request } else { request.once() };
        assert_eq!(client.send(&request, &seconds(10)).is_ok(), is_repeatable);
        assert_eq!([broken.requests(), node.requests()], requests);
    }
    // What was never sent is sent to the next address in any case.
    let node = Node::start(OK);
    let client = client(&[&closed_address(), &node.url]);
    let body = json!({});
    let request = ClusterRequest::new(Method::PUT, "/_x", Body::Json(&body)).once();
    assert!(client.send(&request, &seconds(10)).is_ok());
}

#[test]
fn a_node_that_cannot_answer_now_is_passed_over_and_a_refusal_is_final() {
    let body = r#"{"error":{"type":"t","reason":"r"}}"#;
    for (status, requests) in [(503, 1), (502, 1), (500, 1), (429, 0), (400, 0), (404, 0), (403, 0)] {
        let (first, second) = (Node::start(Reply::Answer(status, body)), Node::start(OK));
        let client = client(&[&first.url, &second.url]);
        assert_eq!(get(&client, &seconds(10)).is_ok(), requests == 1, "{status}");
        assert_eq!(second.requests(), requests, "{status}");
    }
    let node = Node::start(Reply::Answer(503, body));
    let error = get(&client(&[&node.url]), &seconds(10)).unwrap_err();
    assert_eq!(
        error,
        ClusterError::Unavailable(format!("{} answered 503: t: r", node.url))
    );
}

#[test]
fn a_build_repeats_a_search_that_the_cluster_refuses_for_now() {
    static SEARCHES: AtomicU32 = AtomicU32::new(0);
    // The status of the whole response is 200.
    let node = Node::start(Reply::Computed(|_, _| {
        let refused = json!({ "error": { "type": "circuit_breaking_exception", "reason": "r" }, "status": 429 });
        let found = json!({ "timed_out": false, "_shards": { "total": 1, "successful": 1, "failed": 0 }, "hits": { "hits": [] } });
        let is_first = SEARCHES.fetch_add(1, Ordering::Relaxed) == 0;
        json!({ "responses": [if is_first { refused } else { found }] }).to_string()
    }));
    let settings = ClusterSettings::new(vec![node.url.clone()]);
    let search = |client: Client| client.multi_search(&[("i", json!({}))], &Deadline::never());
    let refused = search(Client::new(&settings).unwrap());
    assert!(matches!(refused, Err(ClusterError::Busy(_))), "{refused:?}");
    SEARCHES.store(0, Ordering::Relaxed);
    assert_eq!(search(Client::patient(&settings).unwrap()).unwrap().len(), 1);
    assert_eq!(SEARCHES.load(Ordering::Relaxed), 2);
}

#[test]
fn a_build_repeats_a_look_up_that_fails_for_one_document() {
    static LOOK_UPS: AtomicU32 = AtomicU32::new(0);
    let node = Node::start(Reply::Computed(|_, _| {
        let is_first = LOOK_UPS.fetch_add(1, Ordering::Relaxed) == 0;
        let error = json!({ "type": "no_shard_available_action_exception", "reason": "r" });
        let lost = json!({ "_id": "b", "error": error });
        let found = json!({ "_id": "b", "found": true, "_source": {} });
        json!({ "docs": [{ "_id": "a", "found": false }, if is_first { lost } else { found }] }).to_string()
    }));
    let settings = ClusterSettings::new(vec![node.url.clone()]);
    let look_up = |client: Client| client.documents("i", &["a".to_owned(), "b".to_owned()], &Deadline::never());
    let lost = look_up(Client::new(&settings).unwrap()).unwrap_err();
    assert!(matches!(lost, ClusterError::Unavailable(_)), "{lost}");
    LOOK_UPS.store(0, Ordering::Relaxed);
    let found = look_up(Client::patient(&settings).unwrap()).unwrap();
    assert_eq!(
        Vec::from_iter(found.iter().map(|document| document.source.is_some())),
        [false, true]
    );
}

#[test]
fn an_unexpected_response_is_an_error() {
    for (status, body) in [(200, "<html>"), (200, ""), (302, "{}"), (301, "")] {
        let node = Node::start(Reply::Answer(status, body));
        assert!(get(&client(&[&node.url]), &seconds(10)).is_err(), "{status} {body}");
    }
}

#[test]
fn requests_carry_the_credentials_and_errors_do_not() {
    let node = Node::start(Reply::Answer(401, "{}"));
    let mut settings = ClusterSettings::new(vec![node.url.clone()]);
    for (credentials, sent) in [
        (
            Credentials::Password {
                user: "u".to_owned(),
                password: "p".to_owned(),
            },
            "authorization: basic dtpw\r\n",
        ),
        (Credentials::ApiKey("Key".to_owned()), "authorization: apikey key\r\n"),
    ] {
        settings.credentials = Some(credentials);
        let error = get(&Client::new(&settings).unwrap(), &seconds(10))
            .unwrap_err()
            .to_string();
        assert!(node.last_head().contains(sent), "{}", node.last_head());
        assert!(
            error.contains("check the credentials") && !error.contains("Key"),
            "{error}"
        );
    }
}

/// A node with TLS, which answers everything with [`OK`]. Its certificate is valid for `localhost`,
/// until the end of a year.
struct TlsNode {
    port: u16,
    certificate: String,
}

impl TlsNode {
    fn start(last_year: i32) -> TlsNode {
        let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        params.not_after = date_time_ymd(last_year, 12, 31);
        let key = KeyPair::generate().unwrap();
        let made = params.self_signed(&key).unwrap();
        let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.der().clone()], key)
            .unwrap();
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
                let stream: StreamOwned<ServerConnection, TcpStream> = StreamOwned::new(connection, stream.unwrap());
                serve(BufReader::new(stream), OK, &Mutex::default());
            }
        });
        TlsNode {
            port,
            certificate: made.pem(),
        }
    }

    /// Settings with these addresses, and with the certificate of the node in a file of the folder.
    fn settings(&self, folder: &Path, urls: Vec<String>) -> ClusterSettings {
        let path = folder.join("ca.pem");
        std::fs::write(&path, &self.certificate).unwrap();
        ClusterSettings {
            ca_file: Some(path),
            ..ClusterSettings::new(urls)
        }
    }
}

const VALID: i32 = 4000;

#[test]
fn a_certificate_of_the_given_file_is_trusted() {
    let node = TlsNode::start(VALID);
    let folder = tempfile::tempdir().unwrap();
    let mut settings = node.settings(folder.path(), vec![format!("https://localhost:{}", node.port)]);
    assert!(get(&Client::new(&settings).unwrap(), &seconds(10)).is_ok());
    let path = settings.ca_file.take().unwrap();
    let untrusted = get(&Client::new(&settings).unwrap(), &seconds(10)).unwrap_err();
    assert!(untrusted.to_string().contains("--engine-ca"), "{untrusted}");
    std::fs::write(&path, "no certificate").unwrap();
    settings.ca_file = Some(path);
    let error = Client::new(&settings).map(|_| ()).unwrap_err();
    assert!(format!("{error:#}").contains("ca.pem"), "{error:#}");
}

#[test]
fn a_connection_that_tls_prevents_is_explained() {
    let (node, expired) = (TlsNode::start(VALID), TlsNode::start(2020));
    // What a server without TLS answers to the first bytes of a handshake.
    let plain = TcpListener::bind("127.0.0.1:0").unwrap();
    let plain_port = plain.local_addr().unwrap().port();
    thread::spawn(move || {
        let mut kept = Vec::new();
        for stream in plain.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
            kept.push(stream);
        }
    });
    let folder = tempfile::tempdir().unwrap();
    for (node, url, expected) in [
        (
            &node,
            format!("https://127.0.0.1:{}", node.port),
            "for another host name",
        ),
        (&expired, format!("https://localhost:{}", expired.port), "has expired"),
        (&node, format!("http://localhost:{}", node.port), "write https://"),
        (&node, format!("https://localhost:{plain_port}"), "does not speak TLS"),
    ] {
        let client = Client::new(&node.settings(folder.path(), vec![url.clone()])).unwrap();
        let error = get(&client, &seconds(10)).unwrap_err();
        assert!(matches!(error, ClusterError::Unavailable(_)), "{url}: {error}");
        let error = error.to_string();
        assert!(error.contains(&url) && error.contains(expected), "{error}");
    }
}

#[test]
fn a_node_whose_certificate_is_refused_has_received_nothing() {
    let (node, expired) = (TlsNode::start(VALID), TlsNode::start(2020));
    let folder = tempfile::tempdir().unwrap();
    let url = |node: &TlsNode| format!("https://localhost:{}", node.port);
    let client = Client::new(&node.settings(folder.path(), vec![url(&expired), url(&node)])).unwrap();
    let body = json!({});
    let request = ClusterRequest::new(Method::PUT, "/_x", Body::Json(&body)).once();
    assert!(client.send(&request, &seconds(10)).is_ok());
}

#[test]
fn what_a_node_answers_is_reported_before_the_silence_of_another() {
    let busy = Node::start(Reply::Answer(503, r#"{"error":{"type":"t","reason":"r"}}"#));
    let client = client(&[&busy.url, &closed_address()]);
    for _ in 0..3 {
        let error = get(&client, &seconds(10)).unwrap_err().to_string();
        assert!(error.contains("answered 503"), "{error}");
    }
}
