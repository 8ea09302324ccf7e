//! What the program assumes about the framework beyond its documentation, one test per assumption.
//! The list in [`super`] states which code relies on them.

use std::{
    cell::RefCell,
    convert::Infallible,
    io,
    pin::{Pin, pin},
    rc::Rc,
    task::{Context, Poll},
    time::Duration,
};

use actix_http::{
    Error, HttpService, KeepAlive, Method, Protocol, Request, Response,
    body::{BodySize, MessageBody},
};
use actix_service::{Service, ServiceFactory, fn_service};
use bytes::Bytes;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::Notify,
    time::timeout,
};

/// Long enough for the framework to do all it can do without more input.
const A_MOMENT: Duration = Duration::from_millis(200);

/// The parts that the body of a response yields.
const PARTS: usize = 5;

const PART_BYTES: usize = 1 << 14;

/// The client's end of a connection: sends its input at once, then stays silent, and records what
/// each write of the framework offered.
#[derive(Clone, Default)]
struct Client {
    input: Rc<RefCell<Vec<u8>>>,
    writes: Rc<RefCell<Vec<Vec<u8>>>>,
}

impl AsyncRead for Client {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let mut input = self.input.borrow_mut();
        if input.is_empty() {
            return Poll::Pending;
        }
        let length = input.len().min(buffer.remaining());
        buffer.put_slice(&input[..length]);
        input.drain(..length);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Client {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &[u8]) -> Poll<io::Result<usize>> {
        self.writes.borrow_mut().push(buffer.to_vec());
        Poll::Ready(Ok(buffer.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// A body in parts. Records an empty write when it yields the last one.
struct Parts {
    left: usize,
    writes: Rc<RefCell<Vec<Vec<u8>>>>,
}

impl MessageBody for Parts {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized((PARTS * PART_BYTES) as u64)
    }

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        self.left -= 1;
        if self.left == 0 {
            self.writes.borrow_mut().push(Vec::new());
        }
        Poll::Ready(Some(Ok(Bytes::from(vec![b'x'; PART_BYTES]))))
    }
}

/// Serves a client for a moment, then signals a shutdown. Returns the writes, whether the
/// connection was open before the signal, and whether it is closed a moment after it. A GET is
/// answered with a body in parts; a POST is never answered.
fn serve(request: &str) -> (Vec<Vec<u8>>, bool, bool) {
    let client = Client::default();
    client.input.borrow_mut().extend_from_slice(request.as_bytes());
    let writes = Rc::clone(&client.writes);
    let shutdown = Rc::new(Notify::new());
    let signal = Rc::clone(&shutdown);
    let recorded = Rc::clone(&writes);
    let answer = move |request: Request| {
        let body = Parts {
            left: PARTS,
            writes: Rc::clone(&recorded),
        };
        respond(request, body)
    };
    let (is_open, is_closed) = actix_web::rt::System::new().block_on(async move {
        let service = HttpService::build()
            .keep_alive(KeepAlive::Os)
            .client_request_timeout(Duration::ZERO)
            .h1_write_buffer_size(PART_BYTES)
            .graceful_shutdown_signal(move || {
                let signal = Rc::clone(&signal);
                async move { signal.notified().await }
            })
            .on_connect_ext(|_: &Client, data| {
                data.insert("connection data");
            })
            .finish(fn_service(answer))
            .new_service(())
            .await
            .unwrap();
        let mut connection = pin!(service.call((client, Protocol::Http1, None)));
        let is_open = timeout(A_MOMENT, &mut connection).await.is_err();
        shutdown.notify_one();
        (is_open, timeout(A_MOMENT, connection).await.is_ok())
    });
    let writes = writes.borrow().clone();
    (writes, is_open, is_closed)
}

async fn respond(request: Request, body: Parts) -> Result<Response<Parts>, Error> {
    assert_eq!(
        request.conn_data::<&str>(),
        Some(&"connection data"),
        "actix-http no longer gives requests the data of `on_connect_ext`: a refused request would be answered like a valid one"
    );
    if request.method() == Method::POST {
        std::future::pending::<()>().await;
    }
    Ok(Response::ok().set_body(body))
}

#[test]
fn the_first_write_after_the_last_part_ends_a_response() {
    let (writes, ..) = serve("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    let last_part = writes.iter().position(Vec::is_empty);
    assert_eq!(
        last_part,
        Some(writes.len() - 2),
        "actix-http no longer writes the last part of a response from one buffer, so \
         `GuardedStream::count_written` would not find its end"
    );
    let response = writes.concat();
    assert!(response.starts_with(b"HTTP/1.1 200") && response.len() > PARTS * PART_BYTES);
    assert!(
        writes.iter().all(|write| write.len() < 2 * PART_BYTES),
        "actix-http collects more parts of a response than its write buffer has room for"
    );
}

#[test]
fn continue_is_written_alone_and_unchanged() {
    let (writes, ..) = serve("POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n");
    assert_eq!(
        writes,
        [b"HTTP/1.1 100 Continue\r\n\r\n"],
        "actix-http writes another interim response, which `GuardedStream::count_written` would take for the final one"
    );
}

#[test]
fn the_graceful_shutdown_signal_closes_an_idle_connection() {
    let (_, is_open, is_closed) = serve("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    assert!(
        is_open && is_closed,
        "the hidden `graceful_shutdown_signal` of actix-http no longer closes idle connections, so a stop would wait for them"
    );
}

#[test]
fn the_graceful_shutdown_signal_leaves_a_request_in_flight_alone() {
    let (_, is_open, is_closed) = serve("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n");
    assert!(
        is_open && !is_closed,
        "the hidden `graceful_shutdown_signal` of actix-http ends requests in flight, so a stop would lose them"
    );
}
