//! A mail server in the test's own process: SMTP as the `mailin` crate speaks it, over TLS by rustls, with the moods of a real one.

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

/// Where a mail is on its way in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moment {
    Sender,
    Receiver,
    /// `DATA` was asked for.
    Start,
    /// Some of the message has come.
    Middle,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mood {
    Fine,
    Say(u16),
    /// The same, and nothing more until the client leaves.
    SayAndMute(u16),
    /// Hangs up.
    Cut,
    /// Takes the mail, and hangs up instead of saying so.
    TakeAndCut,
    /// Says nothing any more until the client leaves.
    Mute,
}

#[derive(Clone, Debug)]
pub struct Received {
    pub to: String,
    pub bytes: Vec<u8>,
}

/// What is done instead of what the crate would say, which stays in the message when its end is refused.
type Instead = Rc<RefCell<Option<Mood>>>;

type Moods = dyn Fn(Moment, &str) -> Mood + Send + Sync;

struct Inner {
    taken: Mutex<Vec<Received>>,
    /// Messages that came whole and were refused.
    refused: Mutex<Vec<Received>>,
    connections: Mutex<usize>,
    moods: Mutex<Arc<Moods>>,
}

#[derive(Clone)]
pub struct Server {
    pub port: u16,
    inner: Arc<Inner>,
}

impl Server {
    /// Listens on a free port. With TLS its certificate, for `localhost`, is written to `ca`.
    pub fn start(security: Security, ca: &Path) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Server {
            port: listener.local_addr().unwrap().port(),
            inner: Arc::new(Inner {
                taken: Mutex::default(),
                refused: Mutex::default(),
                connections: Mutex::default(),
                moods: Mutex::new(Arc::new(|_, _| Mood::Fine)),
            }),
        };
        let tls = (security != Security::Plain).then(|| certificate(ca));
        let inner = Arc::clone(&server.inner);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (inner, tls) = (Arc::clone(&inner), tls.clone());
                // A client that is killed ends its conversation with an error, which is all there is to say of it.
                thread::spawn(move || drop(talk(stream, security, tls, inner)));
            }
        });
        server
    }

    pub fn behave(&self, moods: impl Fn(Moment, &str) -> Mood + Send + Sync + 'static) {
        *self.inner.moods.lock().unwrap() = Arc::new(moods);
    }

    pub fn taken(&self) -> Vec<Received> {
        self.inner.taken.lock().unwrap().clone()
    }

    pub fn count(&self) -> usize {
        self.inner.taken.lock().unwrap().len()
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

fn talk(stream: TcpStream, security: Security, tls: Option<Arc<ServerConfig>>, inner: Arc<Inner>) -> io::Result<()> {
    *inner.connections.lock().unwrap() += 1;
    stream.set_nodelay(true)?;
    let instead = Instead::default();
    let handler = Clerk {
        inner,
        instead: Rc::clone(&instead),
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
        say(stream.get_mut(), &session.greeting())?;
        return converse(&mut session, &mut stream, &instead).map(drop);
    }
    let mut plain = BufReader::new(stream);
    say(plain.get_mut(), &session.greeting())?;
    if converse(&mut session, &mut plain, &instead)? {
        session.tls_active();
        converse(&mut session, &mut encrypted(plain.into_inner()), &instead)?;
    }
    Ok(())
}

/// Tells whether the client wants TLS from here on.
fn converse<S: Read + Write>(
    session: &mut Session<Clerk>,
    stream: &mut BufReader<S>,
    instead: &Instead,
) -> io::Result<bool> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if stream.read_until(b'\n', &mut line)? == 0 {
            return Ok(false);
        }
        let answer = match (session.process(&line), instead.take()) {
            (_, Some(Mood::Cut | Mood::TakeAndCut)) => return Ok(false),
            (_, Some(Mood::Mute)) => return io::copy(stream, &mut io::sink()).map(|_| false),
            (_, Some(Mood::SayAndMute(code))) => {
                say(stream.get_mut(), &refusal(code))?;
                return io::copy(stream, &mut io::sink()).map(|_| false);
            }
            (_, Some(Mood::Say(code))) => refusal(code),
            (answer, _) => answer,
        };
        match answer.action {
            Action::NoReply => continue,
            _ => say(stream.get_mut(), &answer)?,
        }
        match answer.action {
            Action::UpgradeTls => return Ok(true),
            Action::Close => return Ok(false),
            _ => {}
        }
    }
}

fn refusal(code: u16) -> Response {
    Response::custom(code, "says the mood".to_owned())
}

fn say(stream: &mut impl Write, answer: &Response) -> io::Result<()> {
    answer.write_to(stream)?;
    stream.flush()
}

struct Clerk {
    inner: Arc<Inner>,
    instead: Instead,
    to: String,
    message: Vec<u8>,
}

impl Clerk {
    fn mood(&self, moment: Moment) -> Mood {
        let moods = Arc::clone(&self.inner.moods.lock().unwrap());
        moods(moment, &self.to)
    }

    fn answer(&self, mood: Mood) -> Response {
        match mood {
            Mood::Fine => response::OK,
            Mood::Say(code) => Response::custom(code, format!("not <{}>", self.to)),
            Mood::SayAndMute(_) | Mood::Cut | Mood::TakeAndCut | Mood::Mute => {
                *self.instead.borrow_mut() = Some(mood);
                response::OK
            }
        }
    }
}

impl Handler for Clerk {
    fn mail(&mut self, _: IpAddr, _: &str, _: &str) -> Response {
        self.to.clear();
        self.message.clear();
        self.answer(self.mood(Moment::Sender))
    }

    fn rcpt(&mut self, to: &str) -> Response {
        self.to = to.trim_matches(['<', '>']).to_owned();
        self.answer(self.mood(Moment::Receiver))
    }

    fn data_start(&mut self, _: &str, _: &str, _: bool, _: &[String]) -> Response {
        self.answer(self.mood(Moment::Start))
    }

    fn data(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.message.extend_from_slice(bytes);
        self.answer(self.mood(Moment::Middle));
        Ok(())
    }

    fn data_end(&mut self) -> Response {
        let received = Received {
            to: self.to.clone(),
            bytes: std::mem::take(&mut self.message),
        };
        let mood = self.mood(Moment::End);
        let inbox = match mood {
            Mood::Fine | Mood::TakeAndCut | Mood::Mute => &self.inner.taken,
            Mood::Say(_) | Mood::SayAndMute(_) | Mood::Cut => &self.inner.refused,
        };
        inbox.lock().unwrap().push(received);
        *self.instead.borrow_mut() = Some(mood).filter(|mood| *mood != Mood::Fine);
        response::OK
    }

    fn auth_plain(&mut self, _: &str, user: &str, password: &str) -> Response {
        match (user, password) {
            (USER, PASSWORD) => response::AUTH_OK,
            _ => response::INVALID_CREDENTIALS,
        }
    }
}
