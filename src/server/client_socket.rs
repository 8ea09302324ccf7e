//! The socket of a client: how much of a response the system keeps that the client has not taken.

use std::time::Duration;

use actix_web::rt::net::TcpStream;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite};

/// Decision D-158: the maximum number of bytes of a response that the system has taken and not sent yet.
#[cfg(target_os = "linux")]
const MAX_UNSENT_BYTES: u32 = 64 << 10;

/// What a connection needs of its socket.
pub(crate) trait ClientSocket: AsyncRead + AsyncWrite + Unpin {
    /// Makes closing the socket reset the connection. Otherwise the system keeps what the client has not taken, and
    /// offers it for minutes after the connection has ended.
    fn discard_unsent(&self);
}

impl ClientSocket for TcpStream {
    fn discard_unsent(&self) {
        // Without it, only the system's memory is free later.
        let _ = SockRef::from(self).set_linger(Some(Duration::ZERO));
    }
}

/// Bounds what the system keeps for a client that does not read. Without it, a connection takes megabytes of the memory
/// that all connections of the machine share. On other systems than Linux, their own bound holds.
///
/// What is on its way to the client is not bounded, so a fast client far away gets its response as fast as ever.
/// A client that takes nothing for the time of `patience` is gone for the system, too, also after the connection has
/// ended.
pub(crate) fn bound_unsent(stream: &TcpStream, patience: Duration) {
    #[cfg(target_os = "linux")]
    {
        let socket = SockRef::from(stream);
        // Without these, only hostile clients cost more.
        let _ = socket.set_tcp_notsent_lowat(MAX_UNSENT_BYTES);
        let _ = socket.set_tcp_user_timeout(Some(patience));
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (stream, patience);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_keeps_little_for_a_client_that_does_not_read() {
        actix_web::rt::System::new().block_on(async {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            let stream = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
            let patience = Duration::from_secs(7);
            bound_unsent(&stream, patience);
            let socket = SockRef::from(&stream);
            #[cfg(target_os = "linux")]
            {
                assert_eq!(socket.tcp_notsent_lowat().unwrap(), MAX_UNSENT_BYTES);
                assert_eq!(socket.tcp_user_timeout().unwrap(), Some(patience));
            }
            assert_eq!(socket.linger().unwrap(), None);
            stream.discard_unsent();
            assert_eq!(socket.linger().unwrap(), Some(Duration::ZERO));
        });
    }
}
