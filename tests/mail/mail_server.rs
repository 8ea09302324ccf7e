//! A mail server inside the test process: SMTP by the `mailin` crate, TLS by rustls, with the failures of
//! real servers.

use std::{
    cell::RefCell,
    io::{self, BufRead, BufReader, Read, Write},
    net::{IpAddr, Ipv4Addr, TcpListener, TcpStream},
    path::Path,
    rc::Rc,
    sync::{Arc, Mutex},
    thread,
};

use mailin::{Action, AuthMechanism, Handler, Response, Session, SessionBuilder, response};
use rustls::{ServerConfig, ServerConnection, StreamOwned, pki_types::PrivateKeyDer};

pub const USER: &str = "ann@example.org";
pub const PASSWORD: &str = "pa55-wörd";

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Security {
    Plain,
    StartTls,
    Implicit,
}

/// The stage of an SMTP transaction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stage {
    MailFrom,
    RcptTo,
    Data,
    /// Part of the message has arrived.
    MessageChunk,
    MessageEnd,
}

/// What the server does at a stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Behavior {
    Normal,
    /// Replies with this code.
    Reply(u16),
    /// Replies with this code, then nothing until the client disconnects.
    ReplyThenHang(u16),
    Disconnect,
    /// Accepts the mail and disconnects without confirming it.
    AcceptThenDisconnect,
    /// Replies nothing until the client disconnects.
    Hang,
}

#[derive(Clone, Debug)]
pub struct Received {
    pub to: String,
    pub bytes: Vec<u8>,
}

/// Overrides the reply of the crate, which would not end the transaction if the message were refused.
type Override = Rc<RefCell<Option<Behavior>>>;

type ChooseBehavior = dyn Fn(Stage, &str) -> Behavior + Send + Sync;

struct Inner {
    accepted: Mutex<Vec<Received>>,
    /// Complete messages that were refused.
    refused: Mutex<Vec<Received>>,
    connections: Mutex<usize>,
    behavior: Mutex<Arc<ChooseBehavior>>,
}

#[derive(Clone)]
pub struct MailServer {
    pub port: u16,
    inner: Arc<Inner>,
}

impl MailServer {
    /// Listens on a free port. With TLS, writes its certificate for `localhost` to `ca`.
    pub fn start(security: Security, ca: &Path) -> MailServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = MailServer {
            port: listener.local_addr().unwrap().port(),
            inner: Arc::new(Inner {
                accepted: Mutex::default(),
                refused: Mutex::default(),
                connections: Mutex::default(),
                behavior: Mutex::new(Arc::new(|_, _| Behavior::Normal)),
            }),
        };
        let tls = (security != Security::Plain).then(|| certificate(ca));
        let inner = Arc::clone(&server.inner);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (inner, tls) = (Arc::clone(&inner), tls.clone());
                // A killed client ends its connection with an error, which the tests ignore.
                thread::spawn(move || drop(serve_connection(stream, security, tls, inner)));
            }
        });
        server
    }

    pub fn set_behavior(&self, choose: impl Fn(Stage, &str) -> Behavior + Send + Sync + 'static) {
        *self.inner.behavior.lock().unwrap() = Arc::new(choose);
    }

    pub fn accepted(&self) -> Vec<Received> {
        self.accepted_from(0)
    }

    /// The messages after the first `count`.
    pub fn accepted_from(&self, count: usize) -> Vec<Received> {
        self.inner.accepted.lock().unwrap()[count..].to_vec()
    }

    pub fn accepted_count(&self) -> usize {
        self.inner.accepted.lock().unwrap().len()
    }

    pub fn refused(&self) -> Vec<Received> {
        self.inner.refused.lock().unwrap().clone()
    }

    pub fn connections(&self) -> usize {
        *self.inner.connections.lock().unwrap()
    }
}

fn certificate(ca: &Path) -> Arc<ServerConfig> {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    std::fs::write(ca, made.cert.pem()).unwrap();
    let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap();
    let config = config.with_no_client_auth();
    Arc::new(config.with_single_cert(vec![made.cert.der().clone()], key).unwrap())
}

fn serve_connection(
    stream: TcpStream,
    security: Security,
    tls: Option<Arc<ServerConfig>>,
    inner: Arc<Inner>,
) -> io::Result<()> {
    *inner.connections.lock().unwrap() += 1;
    stream.set_nodelay(true)?;
    let override_reply = Override::default();
    let handler = MailHandler {
        inner,
        override_reply: Rc::clone(&override_reply),
        to: String::new(),
        message: Vec::new(),
    };
    let mut builder = SessionBuilder::new("mail.test");
    if security != Security::Plain {
        builder.enable_start_tls();
        builder.enable_auth(AuthMechanism::Plain);
    }
    let mut session = builder.build(IpAddr::V4(Ipv4Addr::LOCALHOST), handler);
    let encrypted = |stream: TcpStream| {
        let connection = ServerConnection::new(tls.clone().unwrap()).unwrap();
        BufReader::new(StreamOwned::new(connection, stream))
    };
    if security == Security::Implicit {
        session.tls_active();
        let mut stream = encrypted(stream);
        send_reply(stream.get_mut(), &session.greeting())?;
        return run_session(&mut session, &mut stream, &override_reply).map(drop);
    }
    let mut plain = BufReader::new(stream);
    send_reply(plain.get_mut(), &session.greeting())?;
    if run_session(&mut session, &mut plain, &override_reply)? {
        session.tls_active();
        run_session(&mut session, &mut encrypted(plain.into_inner()), &override_reply)?;
    }
    Ok(())
}

/// Returns whether the client wants to continue with TLS.
fn run_session<S: Read + Write>(
    session: &mut Session<MailHandler>,
    stream: &mut BufReader<S>,
    override_reply: &Override,
) -> io::Result<bool> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if stream.read_until(b'\n', &mut line)? == 0 {
            return Ok(false);
        }
        let reply = match (session.process(&line), override_reply.take()) {
            (_, Some(Behavior::Disconnect | Behavior::AcceptThenDisconnect)) => return Ok(false),
            (_, Some(Behavior::Hang)) => return io::copy(stream, &mut io::sink()).map(|_| false),
            (_, Some(Behavior::ReplyThenHang(code))) => {
                send_reply(stream.get_mut(), &refusal(code))?;
                return io::copy(stream, &mut io::sink()).map(|_| false);
            }
            (_, Some(Behavior::Reply(code))) => refusal(code),
            (reply, _) => reply,
        };
        match reply.action {
            Action::NoReply => continue,
            _ => send_reply(stream.get_mut(), &reply)?,
        }
        match reply.action {
            Action::UpgradeTls => return Ok(true),
            Action::Close => return Ok(false),
            _ => {}
        }
    }
}

fn refusal(code: u16) -> Response {
    Response::custom(code, "chosen by the test".to_owned())
}

fn send_reply(stream: &mut impl Write, reply: &Response) -> io::Result<()> {
    reply.write_to(stream)?;
    stream.flush()
}

struct MailHandler {
    inner: Arc<Inner>,
    override_reply: Override,
    to: String,
    message: Vec<u8>,
}

impl MailHandler {
    fn behavior(&self, stage: Stage) -> Behavior {
        let choose = Arc::clone(&self.inner.behavior.lock().unwrap());
        choose(stage, &self.to)
    }

    fn reply(&self, behavior: Behavior) -> Response {
        match behavior {
            Behavior::Normal => response::OK,
            Behavior::Reply(code) => Response::custom(code, format!("not <{}>", self.to)),
            Behavior::ReplyThenHang(_) | Behavior::Disconnect | Behavior::AcceptThenDisconnect | Behavior::Hang => {
                *self.override_reply.borrow_mut() = Some(behavior);
                response::OK
            }
        }
    }
}

impl Handler for MailHandler {
    fn mail(&mut self, _: IpAddr, _: &str, _: &str) -> Response {
        self.to.clear();
        self.message.clear();
        self.reply(self.behavior(Stage::MailFrom))
    }

    fn rcpt(&mut self, to: &str) -> Response {
        self.to = to.trim_matches(['<', '>']).to_owned();
        self.reply(self.behavior(Stage::RcptTo))
    }

    fn data_start(&mut self, _: &str, _: &str, _: bool, _: &[String]) -> Response {
        self.reply(self.behavior(Stage::Data))
    }

    fn data(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.message.extend_from_slice(bytes);
        self.reply(self.behavior(Stage::MessageChunk));
        Ok(())
    }

    fn data_end(&mut self) -> Response {
        let received = Received {
            to: self.to.clone(),
            bytes: std::mem::take(&mut self.message),
        };
        let behavior = self.behavior(Stage::MessageEnd);
        let inbox = match behavior {
            Behavior::Normal | Behavior::AcceptThenDisconnect | Behavior::Hang => &self.inner.accepted,
            Behavior::Reply(_) | Behavior::ReplyThenHang(_) | Behavior::Disconnect => &self.inner.refused,
        };
        inbox.lock().unwrap().push(received);
        *self.override_reply.borrow_mut() = Some(behavior).filter(|behavior| *behavior != Behavior::Normal);
        response::OK
    }

    fn auth_plain(&mut self, _: &str, user: &str, password: &str) -> Response {
        match (user, password) {
            (USER, PASSWORD) => response::AUTH_OK,
            _ => response::INVALID_CREDENTIALS,
        }
    }
}
