//! A relay in front of the mail server, which can be closed: then connections are refused, and open ones end.

use std::{
    io,
    net::{Ipv4Addr, Shutdown, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use crate::world::lock;

/// How soon a change takes effect.
const STEP: Duration = Duration::from_millis(20);

pub struct Door {
    port: u16,
    passage: Arc<Mutex<Passage>>,
}

struct Passage {
    /// `None` while the door is closed.
    listener: Option<TcpListener>,
    streams: Vec<TcpStream>,
}

impl Door {
    /// An open door to this port of the same machine.
    pub fn open(to: u16) -> io::Result<Door> {
        let listener = listen(0)?;
        let port = listener.local_addr()?.port();
        let passage = Arc::new(Mutex::new(Passage {
            listener: Some(listener),
            streams: Vec::new(),
        }));
        let relayed = Arc::clone(&passage);
        thread::spawn(move || {
            loop {
                let mut passage = lock(&relayed);
                // No connection waits, the door is closed, or the connection broke at once.
                if let Some(Ok((client, _))) = passage.listener.as_ref().map(TcpListener::accept) {
                    let _ = passage.relay(&client, to);
                }
                drop(passage);
                thread::sleep(STEP);
            }
        });
        Ok(Door { port, passage })
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn close(&self) {
        let mut passage = lock(&self.passage);
        passage.listener = None;
        for stream in passage.streams.drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    pub fn reopen(&self) {
        // The port was this program's a moment ago; another one takes it only by chance.
        lock(&self.passage).listener = listen(self.port).ok();
    }
}

impl Passage {
    fn relay(&mut self, client: &TcpStream, to: u16) -> io::Result<()> {
        client.set_nonblocking(false)?;
        let server = TcpStream::connect((Ipv4Addr::LOCALHOST, to))?;
        for (mut from, mut into) in [
            (client.try_clone()?, server.try_clone()?),
            (server.try_clone()?, client.try_clone()?),
        ] {
            thread::spawn(move || {
                let _ = io::copy(&mut from, &mut into);
                let _ = into.shutdown(Shutdown::Both);
            });
        }
        self.streams.retain(|stream| stream.peer_addr().is_ok());
        self.streams.extend([client.try_clone()?, server]);
        Ok(())
    }
}

fn listen(port: u16) -> io::Result<TcpListener> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}
