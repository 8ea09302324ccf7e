//! Writes responses to the socket, as fast as the client reads them, and closes it gently.

use std::{
    io,
    mem::MaybeUninit,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncWrite, ReadBuf},
    time::sleep,
};

use super::{GuardedStream, READ_SIZE};
use crate::server::{client_socket::ClientSocket, http1::framer::Phase};

/// How long input is still read after the last response, so that the client can read that response.
const LINGER: Duration = Duration::from_secs(1);

impl<S: ClientSocket> AsyncWrite for GuardedStream<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        match Pin::new(&mut this.stream).poll_write(cx, buffer) {
            Poll::Ready(Ok(written)) => {
                if this.slot.end_unread() {
                    this.update_slot();
                }
                this.count_written(cx, buffer, written);
                Poll::Ready(Ok(written))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => {
                if !this.slot.leaves_unread(cx) {
                    std::task::ready!(this.poll_too_slow(cx));
                }
                this.stream.discard_unsent();
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.linger.is_none() {
            std::task::ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
        }
        let linger = this.linger.get_or_insert_with(|| Box::pin(sleep(LINGER)));
        let needs_no_response = this.slot.is_evicted() && this.framer.phase() == Phase::Broken;
        if linger.as_mut().poll(cx).is_ready() || this.is_closed_by_client || needs_no_response {
            return Poll::Ready(Ok(()));
        }
        let mut bytes = [MaybeUninit::uninit(); READ_SIZE];
        let mut input = ReadBuf::uninit(&mut bytes);
        match Pin::new(&mut this.stream).poll_read(cx, &mut input) {
            Poll::Ready(Ok(())) if !input.filled().is_empty() => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            // The client has closed its side, too, or is gone.
            Poll::Ready(_) => Poll::Ready(Ok(())),
            Poll::Pending => Poll::Pending,
        }
    }
}
