//! One table of raw requests, valid and hostile. Each is followed by a second request in the same bytes, which is
//! answered exactly if the end of the first one is beyond doubt. So no case can smuggle a request into another one.

use crate::{
    http::{Next, RawConnection, RawResponse},
    support::TestServer,
};

/// The responses to the bytes of a case, and what becomes of the request after it.
#[derive(Clone, Copy, Debug)]
enum Expected {
    /// These statuses; then the next request is answered.
    Then(&'static [u16]),
    /// These statuses, the last one with `connection: close`; then the connection ends.
    Closed(&'static [u16]),
    /// This status or none; then the connection ends.
    Cut(u16),
}
use Expected::{Closed, Cut, Then};

/// A name, the bytes and what is expected. A `$` stands for the header lines `host` and of the key.
type Case = (&'static str, &'static [u8], Expected);

/// How long a body is.
#[rustfmt::skip] // One line for each case.
const LENGTHS: &[Case] = &[
    ("length", b"POST /contract HTTP/1.1\r\n$content-length: 5\r\n\r\nhello", Closed(&[405])),
    ("length 0", b"POST /contract HTTP/1.1\r\n$content-length: 0\r\n\r\n", Then(&[405])),
    ("length with zeros before", b"POST /contract HTTP/1.1\r\n$content-length: 005\r\n\r\nhello", Closed(&[405])),
    ("length between blanks", b"POST /contract HTTP/1.1\r\n$content-length: \t 0 \t\r\n\r\n", Then(&[405])),
    ("no length", b"POST /contract HTTP/1.1\r\n$\r\n", Then(&[405])),
    ("two equal lengths", b"POST /contract HTTP/1.1\r\n$content-length: 5\r\ncontent-length: 5\r\n\r\nhello", Closed(&[400])),
    ("two lengths", b"POST /contract HTTP/1.1\r\n$content-length: 5\r\ncontent-length: 6\r\n\r\nhello", Closed(&[400])),
    ("two lengths in two cases", b"POST /contract HTTP/1.1\r\n$Content-Length: 5\r\nCONTENT-LENGTH: 5\r\n\r\nhello", Closed(&[400])),
    ("list of lengths", b"POST /contract HTTP/1.1\r\n$content-length: 5, 5\r\n\r\nhello", Closed(&[400])),
    ("list with nothing", b"POST /contract HTTP/1.1\r\n$content-length: 5,\r\n\r\nhello", Closed(&[400])),
    ("plus sign", b"POST /contract HTTP/1.1\r\n$content-length: +5\r\n\r\nhello", Closed(&[400])),
    ("minus sign", b"POST /contract HTTP/1.1\r\n$content-length: -5\r\n\r\nhello", Closed(&[400])),
    ("minus zero", b"POST /contract HTTP/1.1\r\n$content-length: -0\r\n\r\n", Closed(&[400])),
    ("hexadecimal length", b"POST /contract HTTP/1.1\r\n$content-length: 0x5\r\n\r\nhello", Closed(&[400])),
    ("decimal fraction", b"POST /contract HTTP/1.1\r\n$content-length: 5.0\r\n\r\nhello", Closed(&[400])),
    ("exponent", b"POST /contract HTTP/1.1\r\n$content-length: 1e1\r\n\r\nhello", Closed(&[400])),
    ("blank inside", b"POST /contract HTTP/1.1\r\n$content-length: 0 5\r\n\r\nhello", Closed(&[400])),
    ("underscore inside", b"POST /contract HTTP/1.1\r\n$content-length: 1_0\r\n\r\nhello", Closed(&[400])),
    ("parameter", b"POST /contract HTTP/1.1\r\n$content-length: 5;a=b\r\n\r\nhello", Closed(&[400])),
    ("empty length", b"POST /contract HTTP/1.1\r\n$content-length:\r\n\r\n", Closed(&[400])),
    ("quoted length", b"POST /contract HTTP/1.1\r\n$content-length: \"5\"\r\n\r\nhello", Closed(&[400])),
    ("digits that are not ASCII", b"POST /contract HTTP/1.1\r\n$content-length: \xd9\xa5\r\n\r\nhello", Closed(&[400])),
    ("length of 2^64", b"POST /contract HTTP/1.1\r\n$content-length: 18446744073709551616\r\n\r\nhello", Closed(&[413])),
    ("length of 2^64 + 5", b"POST /contract HTTP/1.1\r\n$content-length: 18446744073709551621\r\n\r\nhello", Closed(&[413])),
    ("twenty digits", b"POST /contract HTTP/1.1\r\n$content-length: 99999999999999999999\r\n\r\nhello", Closed(&[413])),
    ("length with another name", b"POST /contract HTTP/1.1\r\n$content_length: 5\r\n\r\n", Then(&[405])),
    ("GET with a length", b"GET /contract/c4 HTTP/1.1\r\n$content-length: 5\r\n\r\nhello", Closed(&[200])),
    ("HEAD with a length", b"HEAD /contract/c4 HTTP/1.1\r\n$content-length: 5\r\n\r\nhello", Closed(&[200])),
    ("body that is a request", b"POST /contract HTTP/1.1\r\n$content-length: 27\r\n\r\nGET / HTTP/1.1\r\nhost: x\r\n\r\n", Closed(&[405])),
    ("POST of HTTP/1.0 without a length", b"POST /contract HTTP/1.0\r\n$\r\n", Closed(&[400])),
];

/// Transfer codings.
#[rustfmt::skip] // One line for each case.
const CODINGS: &[Case] = &[
    ("coding after length", b"POST /contract HTTP/1.1\r\n$content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", Closed(&[400])),
    ("length after coding", b"POST /contract HTTP/1.1\r\n$transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n", Closed(&[400])),
    ("coding and length 0", b"POST /contract HTTP/1.1\r\n$transfer-encoding: chunked\r\ncontent-length: 0\r\n\r\n0\r\n\r\n", Closed(&[400])),
    ("coding twice", b"POST /contract HTTP/1.1\r\n$transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", Closed(&[400])),
    ("coding and identity", b"POST /contract HTTP/1.1\r\n$transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n\r\n0\r\n\r\n", Closed(&[400])),
    ("list of chunked", b"POST /contract HTTP/1.1\r\n$transfer-encoding: chunked, chunked\r\n\r\n0\r\n\r\n", Closed(&[400])),
    ("gzip, chunked", b"POST /contract HTTP/1.1\r\n$transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n", Closed(&[400])),
    ("chunked, gzip", b"POST /contract HTTP/1.1\r\n$transfer-encoding: chunked, gzip\r\n\r\n0\r\n\r\n", Closed(&[400])),
    ("identity", b"POST /contract HTTP/1.1\r\n$transfer-encoding: identity\r\n\r\n0\r\n\r\n", Closed(&[400])),
    ("xchunked", b"POST /contract HTTP/1.1\r\n$transfer-encoding: xchunked\r\n\r\n0\r\n\r\n", Closed(&[400])),
    ("chunkedx", b"POST /contract HTTP/1.1\r\n$transfer-encoding: chunkedx\r\n\r\n0\r\n\r\n", Closed(&[400])),
    ("quoted chunked", b"POST /contract HTTP/1.1\r\n$transfer-encoding: \"chunked\"\r\n\r\n0\r\n\r\n", Closed(&[400])),
    ("chunked with a parameter", b"POST /contract HTTP/1.1\r\n$transfer-encoding: chunked;a=b\r\n\r\n0\r\n\r\n", Closed(&[400])),
    ("chunked and a comma", b"POST /contract HTTP/1.1\r\n$transfer-encoding: chunked,\r\n\r\n0\r\n\r\n", Closed(&[400])),
    ("empty coding", b"POST /contract HTTP/1.1\r\n$transfer-encoding:\r\n\r\n0\r\n\r\n", Closed(&[400])),
    ("folded chunked", b"POST /contract HTTP/1.1\r\n$transfer-encoding:\r\n chunked\r\n\r\n0\r\n\r\n", Closed(&[400])),
    ("NUL after chunked", b"POST /contract HTTP/1.1\r\n$transfer-encoding: chunked\0\r\n\r\n0\r\n\r\n", Closed(&[400])),
    ("VT before chunked", b"POST /contract HTTP/1.1\r\n$transfer-encoding: \x0bchunked\r\n\r\n0\r\n\r\n", Closed(&[400])),
    ("NBSP before chunked", b"POST /contract HTTP/1.1\r\n$transfer-encoding: \xa0chunked\r\n\r\n0\r\n\r\n", Closed(&[400])),
    ("blank before the colon", b"POST /contract HTTP/1.1\r\n$transfer-encoding : chunked\r\n\r\n0\r\n\r\n", Closed(&[400])),
    ("tab before the colon", b"POST /contract HTTP/1.1\r\n$transfer-encoding\t: chunked\r\n\r\n0\r\n\r\n", Closed(&[400])),
    ("coding in HTTP/1.0", b"POST /contract HTTP/1.0\r\n$transfer-encoding: chunked\r\n\r\n0\r\n\r\n", Closed(&[400])),
    ("coding hidden behind LF", b"POST /contract HTTP/1.1\r\n$a: b\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", Closed(&[400])),
    ("length hidden behind LF", b"POST /contract HTTP/1.1\r\n$a: b\ncontent-length: 40\r\n\r\n", Closed(&[400])),
    ("length hidden behind CR", b"POST /contract HTTP/1.1\r\n$a: b\rcontent-length: 40\r\n\r\n", Closed(&[400])),
    ("coding with another name", b"POST /contract HTTP/1.1\r\n$transfer_encoding: chunked\r\n\r\n0\r\n\r\n", Closed(&[405, 400])),
    ("CHUNKED", b"POST /contract HTTP/1.1\r\n$Transfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n", Then(&[405])),
    ("chunked between blanks", b"POST /contract HTTP/1.1\r\n$transfer-encoding: \t chunked \t\r\n\r\n0\r\n\r\n", Then(&[405])),
    ("TE is another header", b"GET /contract/c4 HTTP/1.1\r\n$te: chunked\r\n\r\n", Then(&[200])),
];

/// The chunks of a body that is read.
#[rustfmt::skip] // One line for each case.
const CHUNKS: &[Case] = &[
    ("no data", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n0\r\n\r\n", Then(&[422])),
    ("one chunk", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n11\r\n{\"gsins\":[\"N70\"]}\r\n0\r\n\r\n", Then(&[200])),
    ("two chunks", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n9\r\n{\"gsins\":\r\n8\r\n[\"N70\"]}\r\n0\r\n\r\n", Then(&[200])),
    ("capital digits", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\nA\r\n{\"gsins\": \r\n8\r\n[\"N70\"]}\r\n0\r\n\r\n", Then(&[200])),
    ("zeros before", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n0011\r\n{\"gsins\":[\"N70\"]}\r\n000\r\n\r\n", Then(&[200])),
    ("extension", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n11;a=\"b\"\r\n{\"gsins\":[\"N70\"]}\r\n0;c\r\n\r\n", Then(&[200])),
    ("chunk that is a request", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n1b\r\nGET / HTTP/1.1\r\nhost: x\r\n\r\n\r\n0\r\n\r\n", Then(&[422])),
    ("size with 0x", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n", Cut(400)),
    ("blank before the size", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n 2\r\n{}\r\n0\r\n\r\n", Cut(400)),
    ("blank after the size", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n2 \r\n{}\r\n0\r\n\r\n", Cut(400)),
    ("tab after the size", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n2\t\r\n{}\r\n0\r\n\r\n", Cut(400)),
    ("size with a sign", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n+2\r\n{}\r\n0\r\n\r\n", Cut(400)),
    ("negative size", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n", Cut(400)),
    ("size with a comma", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n2,2\r\n{}\r\n0\r\n\r\n", Cut(400)),
    ("no size", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n\r\n{}\r\n0\r\n\r\n", Cut(400)),
    ("size over 64 bits", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n10000000000000002\r\n{}\r\n0\r\n\r\n", Cut(400)),
    ("size ends with LF", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n", Cut(400)),
    ("size ends with CR", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n2\r{}\r\n0\r\n\r\n", Cut(400)),
    ("LF in an extension", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n2;a\n{}\r\n0\r\n\r\n", Cut(400)),
    ("CR in an extension", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n2;a\rb\r\n{}\r\n0\r\n\r\n", Cut(400)),
    ("no CR LF after the data", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n2\r\n{}0\r\n\r\n", Cut(400)),
    ("LF after the data", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n2\r\n{}\n0\r\n\r\n", Cut(400)),
    ("more data than stated", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n", Cut(400)),
    ("LF at the end", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\n", Cut(400)),
    ("trailer", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\na: b\r\n\r\n", Cut(400)),
    ("no last chunk", b"POST /tender/estimate HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n", Cut(400)),
    ("chunks of a body that is not read", b"POST /contract HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", Then(&[405])),
    ("GET with chunks", b"GET /contract/c4 HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", Then(&[200])),
    ("bad chunks of a body that is not read", b"POST /contract HTTP/1.1\r\n$transfer-encoding: chunked\r\n\r\nzz\r\n", Cut(405)),
];

/// Request lines.
#[rustfmt::skip] // One line for each case.
const LINES: &[Case] = &[
    ("empty line before", b"\r\nGET /contract/c4 HTTP/1.1\r\n$\r\n", Then(&[200])),
    ("empty lines before", b"\r\n\r\n\r\nGET /contract/c4 HTTP/1.1\r\n$\r\n", Then(&[200])),
    ("LF before", b"\nGET /contract/c4 HTTP/1.1\r\n$\r\n", Closed(&[400])),
    ("CR before", b"\rGET /contract/c4 HTTP/1.1\r\n$\r\n", Closed(&[400])),
    ("blank before", b" GET /contract/c4 HTTP/1.1\r\n$\r\n", Closed(&[400])),
    ("NUL before", b"\0GET /contract/c4 HTTP/1.1\r\n$\r\n", Closed(&[400])),
    ("two blanks", b"GET  /contract/c4 HTTP/1.1\r\n$\r\n", Closed(&[400])),
    ("tab for a blank", b"GET\t/contract/c4 HTTP/1.1\r\n$\r\n", Closed(&[400])),
    ("blank after the version", b"GET /contract/c4 HTTP/1.1 \r\n$\r\n", Closed(&[400])),
    ("blank in the address", b"GET /contract?q=a b HTTP/1.1\r\n$\r\n", Closed(&[400])),
    ("tab in the address", b"GET /contract?q=a\tb HTTP/1.1\r\n$\r\n", Closed(&[400])),
    ("NUL in the address", b"GET /contract?q=a\0b HTTP/1.1\r\n$\r\n", Closed(&[400])),
    ("CR in the address", b"GET /contract?q=a\rb HTTP/1.1\r\n$\r\n", Closed(&[400])),
    ("DEL in the address", b"GET /contract?q=a\x7fb HTTP/1.1\r\n$\r\n", Closed(&[400])),
    ("line ends with LF", b"GET /contract/c4 HTTP/1.1\n$\r\n", Closed(&[400])),
    ("line ends with CR CR LF", b"GET /contract/c4 HTTP/1.1\r\r\n$\r\n", Closed(&[400])),
    ("no address", b"GET HTTP/1.1\r\n$\r\n", Closed(&[400])),
    ("no version", b"GET /contract/c4\r\n$\r\n", Closed(&[400])),
    ("HTTP/0.9", b"GET /contract/c4\r\n", Closed(&[400])),
    ("HTTP/1.2", b"GET /contract/c4 HTTP/1.2\r\n$\r\n", Closed(&[400])),
    ("HTTP/1.10", b"GET /contract/c4 HTTP/1.10\r\n$\r\n", Closed(&[400])),
    ("HTTP/2.0", b"GET /contract/c4 HTTP/2.0\r\n$\r\n", Closed(&[400])),
    ("http/1.1", b"GET /contract/c4 http/1.1\r\n$\r\n", Closed(&[400])),
    ("preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", Closed(&[400])),
    ("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", Closed(&[400])),
    ("SSH", b"SSH-2.0-OpenSSH_9.6\r\n", Closed(&[400])),
    ("SMTP", b"EHLO example.org\r\n", Closed(&[400])),
    ("method with a percent sign", b"GET% /contract/c4 HTTP/1.1\r\n$\r\n", Closed(&[400])),
    ("method with a colon", b"GET: /contract/c4 HTTP/1.1\r\n$\r\n", Closed(&[400])),
    ("method in small letters", b"get /contract/c4 HTTP/1.1\r\n$\r\n", Then(&[405])),
    ("unknown method", b"BREW /contract HTTP/1.1\r\n$\r\n", Then(&[405])),
    ("absolute address", b"GET http://x/contract/c4 HTTP/1.1\r\n$\r\n", Then(&[200])),
    ("malformed address", b"GET http://[/ HTTP/1.1\r\n$\r\n", Closed(&[400])),
    ("address without a slash", b"GET health HTTP/1.1\r\n$\r\n", Closed(&[400])),
    ("asterisk", b"OPTIONS * HTTP/1.1\r\n$\r\n", Then(&[404])),
    ("UTF-8 in the address", b"GET /contract?q=d\xc3\xa9 HTTP/1.1\r\n$\r\n", Then(&[200])),
    ("Latin-1 in the address", b"GET /contract?q=d\xe9 HTTP/1.1\r\n$\r\n", Then(&[422])),
    ("overlong UTF-8", b"GET /contract/\xc0\xaf HTTP/1.1\r\n$\r\n", Then(&[422])),
    ("fragment", b"GET /contract?q=a#b HTTP/1.1\r\n$\r\n", Then(&[200])),
    ("dots in the path", b"GET /contract/../tender HTTP/1.1\r\n$\r\n", Then(&[404])),
    ("HTTP/1.0", b"GET /contract/c4 HTTP/1.0\r\n$\r\n", Closed(&[200])),
    ("HTTP/1.0 kept alive", b"GET /contract/c4 HTTP/1.0\r\n$connection: keep-alive\r\n\r\n", Then(&[200])),
];

/// Header lines.
#[rustfmt::skip] // One line for each case.
const HEADERS: &[Case] = &[
    ("two keys", b"GET /contract/c4 HTTP/1.1\r\n$x-gateway-key: pk_other\r\n\r\n", Then(&[400])),
    ("folded line", b"GET /contract/c4 HTTP/1.1\r\n$a: b\r\n c\r\n\r\n", Closed(&[400])),
    ("line that starts with a blank", b"GET /contract/c4 HTTP/1.1\r\n a: b\r\n$\r\n", Closed(&[400])),
    ("no colon", b"GET /contract/c4 HTTP/1.1\r\n$a b\r\n\r\n", Closed(&[400])),
    ("no name", b"GET /contract/c4 HTTP/1.1\r\n$: b\r\n\r\n", Closed(&[400])),
    ("blank in the name", b"GET /contract/c4 HTTP/1.1\r\n$a b: c\r\n\r\n", Closed(&[400])),
    ("blank after the name", b"GET /contract/c4 HTTP/1.1\r\n$a : b\r\n\r\n", Closed(&[400])),
    ("control character in the name", b"GET /contract/c4 HTTP/1.1\r\n$a\x01: b\r\n\r\n", Closed(&[400])),
    ("UTF-8 in the name", b"GET /contract/c4 HTTP/1.1\r\n$\xc3\xa9: b\r\n\r\n", Closed(&[400])),
    ("NUL in the value", b"GET /contract/c4 HTTP/1.1\r\n$a: b\0c\r\n\r\n", Closed(&[400])),
    ("control character in the value", b"GET /contract/c4 HTTP/1.1\r\n$a: b\x01\r\n\r\n", Closed(&[400])),
    ("CR in the value", b"GET /contract/c4 HTTP/1.1\r\n$a: b\rc\r\n\r\n", Closed(&[400])),
    ("CR CR LF", b"GET /contract/c4 HTTP/1.1\r\n$a: b\r\r\n\r\n", Closed(&[400])),
    ("line ends with LF", b"GET /contract/c4 HTTP/1.1\r\n$a: b\n\r\n", Closed(&[400])),
    ("head ends with LF", b"GET /contract/c4 HTTP/1.1\r\n$\n", Closed(&[400])),
    ("two hosts", b"GET /contract/c4 HTTP/1.1\r\n$host: y\r\n\r\n", Closed(&[400])),
    ("no host", b"GET /contract/c4 HTTP/1.1\r\na: b\r\n\r\n", Closed(&[400])),
    ("UTF-8 in the value", b"GET /contract/c4 HTTP/1.1\r\n$a: \xc3\xa9\r\n\r\n", Then(&[200])),
    ("empty value", b"GET /contract/c4 HTTP/1.1\r\n$a:\r\n\r\n", Then(&[200])),
    ("method override", b"GET /contract/c4 HTTP/1.1\r\n$x-http-method-override: DELETE\r\n\r\n", Then(&[200])),
    ("no key", b"GET /contract/c4 HTTP/1.1\r\nhost: x\r\n\r\n", Then(&[403])),
];

/// What a client asks of the connection.
#[rustfmt::skip] // One line for each case.
const CONNECTIONS: &[Case] = &[
    ("close", b"GET /contract/c4 HTTP/1.1\r\n$connection: close\r\n\r\n", Closed(&[200])),
    ("CLOSE in a list", b"GET /contract/c4 HTTP/1.1\r\n$connection: keep-alive, CLOSE\r\n\r\n", Closed(&[200])),
    ("close in a second header", b"GET /contract/c4 HTTP/1.1\r\n$connection: keep-alive\r\nconnection: close\r\n\r\n", Closed(&[200])),
    ("keep-alive", b"GET /contract/c4 HTTP/1.1\r\n$connection: keep-alive\r\n\r\n", Then(&[200])),
    ("option with the name of a header", b"GET /contract/c4 HTTP/1.1\r\n$connection: x-gateway-key\r\n\r\n", Then(&[200])),
    ("upgrade", b"GET /contract/c4 HTTP/1.1\r\n$connection: upgrade\r\n\r\n", Then(&[200])),
    ("Upgrade in a list", b"GET /contract/c4 HTTP/1.1\r\n$connection: keep-alive, Upgrade\r\n\r\n", Then(&[200])),
    ("close and upgrade", b"GET /contract/c4 HTTP/1.1\r\n$connection: upgrade, close\r\n\r\n", Closed(&[200])),
    ("h2c", b"GET /contract/c4 HTTP/1.1\r\n$connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n\r\n", Then(&[200])),
    ("h2c with a body", b"POST /tender/estimate HTTP/1.1\r\n$connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\ncontent-length: 17\r\n\r\n{\"gsins\":[\"N70\"]}", Then(&[200])),
    ("WebSocket", b"GET /contract/c4 HTTP/1.1\r\n$connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", Then(&[200])),
    ("WebSocket with a body", b"POST /tender/estimate HTTP/1.1\r\n$connection: Upgrade\r\nupgrade: websocket\r\ncontent-length: 17\r\n\r\n{\"gsins\":[\"N70\"]}", Then(&[200])),
    ("CONNECT", b"CONNECT x:443 HTTP/1.1\r\n$\r\n", Cut(404)),
    ("CONNECT with a body", b"CONNECT x:443 HTTP/1.1\r\n$content-length: 5\r\n\r\nhello", Cut(404)),
    ("TRACE", b"TRACE /contract/c4 HTTP/1.1\r\n$\r\n", Then(&[405])),
    ("HEAD", b"HEAD /contract/c4 HTTP/1.1\r\n$\r\n", Then(&[200])),
    ("304", b"GET /contract/c4 HTTP/1.1\r\n$if-none-match: *\r\n\r\n", Then(&[304])),
    ("204", b"OPTIONS /contract HTTP/1.1\r\nhost: x\r\norigin: http://x\r\naccess-control-request-method: GET\r\n\r\n", Then(&[204])),
    ("body after 100", b"POST /tender/estimate HTTP/1.1\r\n$expect: 100-continue\r\ncontent-length: 17\r\n\r\n{\"gsins\":[\"N70\"]}", Then(&[100, 200])),
    ("chunks after 100", b"POST /tender/estimate HTTP/1.1\r\n$expect: 100-continue\r\ntransfer-encoding: chunked\r\n\r\n11\r\n{\"gsins\":[\"N70\"]}\r\n0\r\n\r\n", Then(&[100, 200])),
    ("three requests", b"GET /contract/c4 HTTP/1.1\r\n$\r\nHEAD /nope HTTP/1.1\r\n$\r\nGET /contract?x=1 HTTP/1.1\r\n$\r\n", Then(&[200, 404, 422])),
    ("malformed after a valid one", b"GET /contract/c4 HTTP/1.1\r\n$\r\nGET / HTTP/1.1\n$\r\n", Closed(&[200, 400])),
];

/// The bytes of a case, with the header lines in place of each `$`.
fn filled(bytes: &[u8], headers: &str) -> Vec<u8> {
    let mut filled = Vec::new();
    for byte in bytes {
        match byte {
            b'$' => filled.extend_from_slice(headers.as_bytes()),
            byte => filled.push(*byte),
        }
    }
    filled
}

/// The methods of the requests in a case, by which its responses are read: those to HEAD have no body.
fn heads(bytes: &[u8], responses: usize) -> Vec<bool> {
    let lines = bytes.split(|byte| *byte == b'\n');
    let mut heads: Vec<bool> = lines
        .filter(|line| line.windows(6).any(|part| part == b" HTTP/"))
        .map(|line| line.starts_with(b"HEAD "))
        .collect();
    heads.resize(responses.max(1), false);
    heads
}

/// What a connection yields for these bytes, sent in pieces of a length; at most three responses more than expected.
fn outcome(server: &TestServer, bytes: &[u8], piece: usize, heads: &[bool]) -> (Vec<RawResponse>, Next) {
    let mut raw = RawConnection::to(server);
    for piece in bytes.chunks(piece) {
        raw.send(piece);
    }
    let mut answers = Vec::new();
    loop {
        let is_head = heads.get(answers.len()).copied().unwrap_or(false);
        match raw.next(is_head) {
            Next::Response(answer) if answers.len() < heads.len() + 3 => answers.push(answer),
            end => return (answers, end),
        }
    }
}

#[test]
fn every_raw_request_is_answered_or_ends_its_connection() {
    let server = TestServer::shared();
    let headers = format!("host: x\r\nx-gateway-key: {}\r\n", server.key);
    let next = format!("GET /contract/c4 HTTP/1.1\r\n{headers}x-request-id: the-next-one\r\nconnection: close\r\n\r\n");
    let mut failures = Vec::new();
    let cases = [LENGTHS, CODINGS, CHUNKS, LINES, HEADERS, CONNECTIONS].concat();
    assert!(cases.len() >= 117, "{} cases", cases.len());
    for (name, bytes, expected) in &cases {
        let sent = [filled(bytes, &headers), next.clone().into_bytes()].concat();
        for piece in [sent.len(), 7] {
            let responses = match expected {
                Then(statuses) | Closed(statuses) => statuses.len(),
                Cut(_) => 1,
            };
            let (answers, end) = outcome(server, &sent, piece, &heads(bytes, responses));
            let found: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
            let is_next = |answer: &RawResponse| answer.header("x-request-id") == Some("the-next-one");
            let last = answers.last();
            // HTTP/1.0 closes without saying so.
            let is_closed = last
                .is_some_and(|last| last.header("connection") == Some("close") || last.head.starts_with("HTTP/1.0"));
            let is_as_expected = match expected {
                Then(statuses) => {
                    let (before, after) = found.split_at(found.len().min(statuses.len()));
                    before == *statuses && after.len() == 1 && last.is_some_and(is_next) && end == Next::Closed
                }
                Closed(statuses) => found == *statuses && is_closed && end == Next::Closed,
                Cut(status) => found.iter().all(|found| found == status) && found.len() <= 1,
            };
            let of_next = answers.iter().filter(|answer| is_next(answer)).count();
            if !is_as_expected || of_next > 1 || (of_next == 1 && !matches!(expected, Then(_))) {
                failures.push(format!(
                    "{name}, in pieces of {piece}: {found:?}, then {end:?}; expected {expected:?}"
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
