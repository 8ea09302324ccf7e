//! Servers that were taken over, or that pass on what an attacker wrote: they must not fill the
//! disk or the memory, nor lead away from an encrypted connection.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    sync::Arc,
    thread,
};

use procure::fetch::published_sources::{FileFormat, SourceFiles};
use rustls::{ServerConfig, ServerConnection, StreamOwned, pki_types::PrivateKeyDer};

use super::{
    GOOD, Workspace, fetched, large, run_trusting,
    server::{Request, Server, answer, body, head},
};

/// A server that encrypts, and its certificate.
struct EncryptedServer {
    address: String,
    certificate: Vec<u8>,
}

impl EncryptedServer {
    /// `respond` gets the path of a request and returns its response, with the head.
    fn new(respond: impl Fn(&str) -> String + Send + 'static) -> EncryptedServer {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .unwrap();
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("https://localhost:{}", listener.local_addr().unwrap().port());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let connection = ServerConnection::new(config.clone()).unwrap();
                let mut stream = BufReader::new(StreamOwned::new(connection, stream.unwrap()));
                let mut request = String::new();
                // The client does not always read to the end.
                if stream.read_line(&mut request).is_ok() {
                    let path = request.split(' ').nth(1).unwrap_or_default();
                    let _ = stream.get_mut().write_all(respond(path).as_bytes());
                    stream.get_mut().conn.send_close_notify();
                    let _ = stream.get_mut().flush();
                }
            }
        });
        EncryptedServer {
            address,
            certificate: made.cert.der().to_vec(),
        }
    }

    fn fetch(&self, workspace: &Workspace, files: &[SourceFiles]) -> String {
        let roots = Some(vec![self.certificate.clone()]);
        run_trusting(workspace.folder.path(), files, roots).unwrap().to_string()
    }
}

fn ok(bytes: &str) -> String {
    let length = bytes.len();
    format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{bytes}")
}

fn redirect(to: &str) -> String {
    format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}

#[test]
fn an_encrypted_file_list_leads_only_to_encrypted_files() {
    let plain = Server::new(|_: &Request, _, stream: &mut _| answer(stream, "200 OK", &[], GOOD));
    let listed = plain.url("/a.csv");
    let server = EncryptedServer::new(move |path| match path {
        "/list" => ok(&format!(
            "{{\"result\": {{\"resources\": [{{\"id\": \"1\", \"format\": \"CSV\", \"url\": \"{listed}\"}}]}}}}"
        )),
        _ => ok("a,b\n1,2\n"),
    });
    let workspace = Workspace::new();
    let good = format!("{}/good.csv", server.address);
    let report = server.fetch(&workspace, &[SourceFiles::One(&good, FileFormat::Csv)]);
    assert!(report.contains("fetched"), "the certificate is trusted: {report}");
    let list = format!("{}/list", server.address);
    let report = server.fetch(&workspace, &[SourceFiles::Ckan(&list, &[FileFormat::Csv])]);
    let sentence = "the file list came over https, but states the address http://";
    assert!(report.contains(sentence), "{report}");
    assert!(report.contains("https://example.org/page"), "how to get it: {report}");
    assert!(plain.requests().is_empty(), "no request is made in the clear");
}

#[test]
fn no_redirect_leads_from_an_encrypted_address_to_a_plain_one() {
    let plain = Server::new(|_: &Request, _, stream: &mut _| answer(stream, "200 OK", &[], GOOD));
    let target = plain.url("/a.csv");
    let server = EncryptedServer::new(move |path| match path {
        "/first.csv" => redirect("/second.csv"),
        _ => redirect(&target),
    });
    let workspace = Workspace::new();
    for path in ["/first.csv", "/second.csv"] {
        let url = format!("{}{path}", server.address);
        let report = server.fetch(&workspace, &[SourceFiles::One(&url, FileFormat::Csv)]);
        assert!(report.contains("which is not encrypted"), "{path}: {report}");
    }
    assert!(plain.requests().is_empty());
}

#[test]
fn a_file_longer_than_its_source_allows_is_refused_at_once() {
    // The length that the server states is over 64 MiB.
    let server = Server::new(|_: &Request, _, stream: &mut _| {
        head(stream, "200 OK", &[("Content-Length", "100000000")]);
        body(stream, &large(8 << 10));
    });
    let workspace = Workspace::new();
    let expected = "the server sends more than 64 MiB, the maximum for a file of this source";
    let why = workspace.fetch_one(&server.url("/a.csv")).unwrap_err();
    assert!(why.contains(expected), "{why}");
    assert_eq!(server.requests().len(), 1, "a retry would not help");

    // It states none, and does not stop.
    let server = Server::new(|_: &Request, _, stream: &mut _| {
        head(stream, "200 OK", &[("Transfer-Encoding", "chunked")]);
        let rows = large(1 << 20);
        for _ in 0..80 {
            let chunk = [format!("{:x}\r\n", rows.len()).as_bytes(), &rows, b"\r\n"].concat();
            body(stream, &chunk);
        }
    });
    let why = workspace.fetch_one(&server.url("/a.csv")).unwrap_err();
    assert!(why.contains(expected), "{why}");
    assert!(workspace.visible_files().is_empty());
    assert!(
        !workspace.path(".fetch/a.csv.part").exists(),
        "the disk space is free again"
    );
    server.behave(|_, _, stream| answer(stream, "200 OK", &[], GOOD));
    assert_eq!(workspace.fetch_one(&server.url("/a.csv")), fetched(GOOD));
}

#[test]
fn a_file_that_would_fill_the_memory_is_refused() {
    let long = 18 << 20;
    for (name, format, bytes, expected) in [
        (
            "quote.csv",
            FileFormat::Csv,
            [b"a,b\n1,\"".as_slice(), &vec![b'x'; long]].concat(),
            "a row is longer than 16 MiB; is a quote left open?",
        ),
        (
            "commas.csv",
            FileFormat::Csv,
            [b"a,b\n".as_slice(), &vec![b','; 1 << 20], b"\n"].concat(),
            "a row has more than 262144 values",
        ),
        (
            "depth.json",
            FileFormat::Json,
            [b"{\"a\":".as_slice(), &vec![b'['; long]].concat(),
            "it is nested more than 1000 deep",
        ),
    ] {
        let server = Server::new(move |_: &Request, _, stream: &mut _| answer(stream, "200 OK", &[], &bytes));
        let why = Workspace::new()
            .fetch_as(&server.url(&format!("/{name}")), format)
            .unwrap_err();
        assert!(why.contains(expected), "{name}: {why}");
    }
}

#[test]
fn a_short_download_that_unpacks_without_end_is_refused() {
    let blank = vec![b'\n'; 100 << 20];
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(&blank).unwrap();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("a.xml", zip::write::SimpleFileOptions::default())
        .unwrap();
    zip.write_all(&blank).unwrap();
    for (name, format, bytes) in [
        ("a.csv", FileFormat::Csv, gzip.finish().unwrap()),
        ("a.zip", FileFormat::Zip, zip.finish().unwrap().into_inner()),
    ] {
        let server = Server::new(move |_: &Request, _, stream: &mut _| answer(stream, "200 OK", &[], &bytes));
        let why = Workspace::new()
            .fetch_as(&server.url(&format!("/{name}")), format)
            .unwrap_err();
        assert!(why.contains("unpacks to more than"), "{name}: {why}");
    }
}
