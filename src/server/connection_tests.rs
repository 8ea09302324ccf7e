//! Tests of the connection with the real framework: what it gets at once, and what waits in it.

use std::{
    cell::Cell,
    future::poll_fn,
    io,
    pin::{Pin, pin},
    rc::Rc,
    sync::Arc,
    task::{Context, Poll},
};

use actix_http::{
    HttpService, Protocol, Request, Response,
    body::{BodyStream, MessageBody},
};
use actix_service::{Service, ServiceFactory, fn_service};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{
    client_socket::ClientSocket,
    connection::{GuardedStream, READ_SIZE},
    connection_limits::ConnectionLimits,
    connection_slots::ConnectionSlots,
};

/// The framework's buffer in its initial size.
const FRAMEWORK_BUFFER: usize = 8 << 10;

const BODY_BYTES: usize = 600_000;

/// Sends all of its input as fast as it is read, and closes its side then.
struct Client {
    input: Vec<u8>,
    /// How many bytes one read gets at most.
    step: usize,
}

impl AsyncRead for Client {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let length = self.input.len().min(buffer.remaining()).min(self.step);
        buffer.put_slice(&self.input[..length]);
        self.input.drain(..length);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Client {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(buffer.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

impl ClientSocket for Client {
    fn discard_unsent(&self) {}
}

/// Records how large the framework's buffer becomes.
struct Recorded {
    stream: GuardedStream<Client>,
    /// The bytes in the buffer since the framework last processed it.
    taken: usize,
    largest: Rc<Cell<usize>>,
}

impl AsyncRead for Recorded {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let room = buffer.remaining();
        self.largest.set(self.largest.get().max(self.taken + room));
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        self.taken = match read {
            Poll::Ready(_) => self.taken + room - buffer.remaining(),
            Poll::Pending => 0,
        };
        read
    }
}

impl AsyncWrite for Recorded {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buffer)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// What became of a request.
#[derive(Clone, Copy, Debug, Default)]
struct Outcome {
    /// The largest size of the framework's buffer.
    largest: usize,
    /// Bytes of the body.
    received: usize,
    parts: usize,
    /// The most parts of the body that waited for their reader.
    most_waiting: usize,
}

/// Sends a request whose body is read as it arrives. One read gets `step` bytes at most.
fn read(request: Vec<u8>, step: usize) -> Outcome {
    let (largest, outcome) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(Outcome::default())));
    let (recorded, counted) = (Rc::clone(&largest), Rc::clone(&outcome));
    // The request, with its head, is kept until the body has arrived.
    let answer = move |mut request: Request| {
        let counted = Rc::clone(&counted);
        async move {
            let mut parts = pin!(BodyStream::new(request.take_payload()));
            poll_fn(|cx| {
                let mut waiting = 0;
                while let Poll::Ready(part) = parts.as_mut().poll_next(cx) {
                    let Some(Ok(part)) = part else {
                        return Poll::Ready(());
                    };
                    waiting += 1;
                    let mut outcome = counted.get();
                    outcome.received += part.len();
                    outcome.parts += 1;
                    outcome.most_waiting = outcome.most_waiting.max(waiting);
                    counted.set(outcome);
                }
                Poll::Pending
            })
            .await;
            drop(request);
            Ok::<_, actix_http::Error>(Response::ok())
        }
    };
    actix_web::rt::System::new().block_on(async move {
        let seat = Arc::new(ConnectionSlots::new(8)).take(false);
        let client = Client { input: request, step };
        let recorded = Recorded {
            stream: GuardedStream::new(client, ConnectionLimits::default(), seat, Arc::default()),
            taken: 0,
            largest: recorded,
        };
        let service = HttpService::build().finish(fn_service(answer));
        let service = service.new_service(()).await.unwrap();
        let _ = service.call((recorded, Protocol::Http1, None)).await;
    });
    Outcome {
        largest: largest.get(),
        ..outcome.get()
    }
}

#[test]
fn the_frameworks_buffer_does_not_grow_with_a_body() {
    let head = "POST /tender/estimate HTTP/1.1\r\nhost: x\r\n";
    let body = "x".repeat(BODY_BYTES);
    let chunk = format!("{:x}\r\n{}\r\n", BODY_BYTES / 4, "x".repeat(BODY_BYTES / 4));
    for request in [
        format!("{head}content-length: {BODY_BYTES}\r\n\r\n{body}"),
        format!("{head}transfer-encoding: chunked\r\n\r\n{}0\r\n\r\n", chunk.repeat(4)),
    ] {
        let outcome = read(request.into(), READ_SIZE);
        assert_eq!((outcome.largest, outcome.received), (FRAMEWORK_BUFFER, BODY_BYTES));
    }
}

#[test]
fn tiny_pieces_of_a_body_do_not_pile_up() {
    let head = "POST /tender/estimate HTTP/1.1\r\nhost: x\r\n";
    let sized = format!("{head}content-length: 4000\r\n\r\n{}", "x".repeat(4_000));
    let chunks = "1\r\nx\r\n".repeat(4_000);
    let chunked = format!("{head}transfer-encoding: chunked\r\n\r\n{chunks}0\r\n\r\n");
    for (request, step, most_parts) in [
        (&sized, 1, 4_000),
        (&chunked, 1, 4_000),
        // What one read gets is one part, or two if it does not fit into the framework's buffer.
        (&chunked, READ_SIZE, 2 * chunked.len().div_ceil(READ_SIZE)),
    ] {
        let outcome = read(request.clone().into(), step);
        assert_eq!((outcome.received, outcome.most_waiting), (4_000, 1), "{outcome:?}");
        assert!(outcome.parts <= most_parts, "{outcome:?}");
    }
}

#[test]
fn a_head_larger_than_the_frameworks_buffer_arrives() {
    let fill = "x".repeat(15_000);
    let head = format!("POST /tender/estimate?{fill} HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nabc");
    assert_eq!(read(head.into(), READ_SIZE).received, 3);
}
