//! Hostile connections: one thread that holds thousands of them in the same bad state.

use std::{
    io::{ErrorKind, Read, Write},
    net::{SocketAddr, TcpStream},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

/// Between two looks at all connections.
const PAUSE: Duration = Duration::from_millis(100);

/// A connection that is not accepted within this time is tried again later.
const CONNECT_TIME: Duration = Duration::from_millis(200);

/// What every connection of an attack does.
pub struct Attack {
    pub name: &'static str,
    /// Sent as fast as the server takes it. The connections take them in turn: each has the key of another attacker.
    pub openings: Vec<Vec<u8>>,
    /// Sent byte by byte after the opening, over and over. Empty: nothing.
    pub drip: &'static [u8],
    pub reading: Reading,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Takes whatever comes.
    Everything,
    /// One byte every 20 s: no pause of 30 s, but far below the least pace of 10 KiB a second.
    OneByteIn20Seconds,
    Never,
    /// Closes with unread input as soon as there is some, which resets the connection, and connects again.
    Reset,
}

/// What became of the connections of an attack.
#[derive(Debug, Default)]
pub struct Fate {
    pub opened: u64,
    pub most_at_once: usize,
    /// Ended by the server.
    pub ended: u64,
    pub not_accepted: u64,
    pub resets: u64,
}

struct Hostile {
    stream: TcpStream,
    /// Index of its opening.
    opening: usize,
    /// Bytes of the opening that are sent.
    sent: usize,
    /// Bytes of the drip that are sent.
    dripped: usize,
    last_drip: Instant,
    last_read: Instant,
}

/// Keeps `count` connections in the state of the attack until `stop`. A connection that is cut off is opened again.
pub fn attack(attack: &Attack, address: SocketAddr, count: usize, stop: &AtomicBool) -> Fate {
    let mut fate = Fate::default();
    let mut connections: Vec<Hostile> = Vec::with_capacity(count);
    while !stop.load(Ordering::SeqCst) {
        let mut ended = 0;
        connections.retain_mut(|hostile| {
            let goes_on = hostile.go_on(attack);
            ended += u64::from(!goes_on);
            goes_on
        });
        if attack.reading == Reading::Reset {
            fate.resets += ended;
        } else {
            fate.ended += ended;
        }
        while connections.len() < count && !stop.load(Ordering::SeqCst) {
            let opening = fate.opened as usize % attack.openings.len();
            let Some(mut hostile) = Hostile::open(address, opening) else {
                fate.not_accepted += 1;
                break;
            };
            fate.opened += 1;
            if hostile.go_on(attack) {
                connections.push(hostile);
            } else {
                fate.ended += 1;
                break;
            }
        }
        fate.most_at_once = fate.most_at_once.max(connections.len());
        thread::sleep(PAUSE);
    }
    fate
}

impl Hostile {
    fn open(address: SocketAddr, opening: usize) -> Option<Hostile> {
        let stream = TcpStream::connect_timeout(&address, CONNECT_TIME).ok()?;
        stream.set_nonblocking(true).ok()?;
        stream.set_nodelay(true).ok()?;
        Some(Hostile {
            stream,
            opening,
            sent: 0,
            dripped: 0,
            last_drip: Instant::now(),
            last_read: Instant::now(),
        })
    }

    /// Sends and reads what is due. Returns whether the connection is still open.
    fn go_on(&mut self, attack: &Attack) -> bool {
        self.write(attack) && self.read(attack.reading)
    }

    fn write(&mut self, attack: &Attack) -> bool {
        let opening = &attack.openings[self.opening];
        while self.sent < opening.len() {
            match self.stream.write(&opening[self.sent..]) {
                Ok(length) => self.sent += length,
                Err(error) => return error.kind() == ErrorKind::WouldBlock,
            }
        }
        if attack.drip.is_empty() || self.last_drip.elapsed() < Duration::from_secs(1) {
            return true;
        }
        let byte = attack.drip[self.dripped % attack.drip.len()];
        self.last_drip = Instant::now();
        self.dripped += 1;
        match self.stream.write_all(&[byte]) {
            Ok(()) => true,
            Err(error) => error.kind() == ErrorKind::WouldBlock,
        }
    }

    fn read(&mut self, reading: Reading) -> bool {
        let mut bytes = [0; 4096];
        match reading {
            Reading::Never => !is_over(&self.stream.peek(&mut [0])),
            Reading::Everything => loop {
                let read = self.stream.read(&mut bytes);
                match read {
                    Ok(1..) => {}
                    other => return !is_over(&other),
                }
            },
            Reading::OneByteIn20Seconds if self.last_read.elapsed() < Duration::from_secs(20) => {
                !is_over(&self.stream.peek(&mut [0]))
            }
            Reading::OneByteIn20Seconds => {
                self.last_read = Instant::now();
                !is_over(&self.stream.read(&mut [0]))
            }
            Reading::Reset => matches!(self.stream.peek(&mut [0]), Err(error) if error.kind() == ErrorKind::WouldBlock),
        }
    }
}

/// Whether a read says that the server has ended the connection.
fn is_over(read: &std::io::Result<usize>) -> bool {
    match read {
        Ok(length) => *length == 0,
        Err(error) => error.kind() != ErrorKind::WouldBlock,
    }
}
