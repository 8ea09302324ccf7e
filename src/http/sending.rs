//! Sends response bodies in parts, and bounds the bytes that wait for clients to read them.
//!
//! The framework copies what a body yields into its write buffer. Given at once, a body of megabytes would be copied as
//! a whole, and stay in memory until the client has read it.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use actix_web::{
    HttpRequest, HttpResponse,
    body::{BodySize, BoxBody, MessageBody},
    http::Method,
};
use bytes::Bytes;

use crate::http::{byte_budget::Reservation, connection::ConnectionState, error::ApiError, refusal::Refusal};

/// The maximum size of a part, and of a body that is sent at once, in bytes. So the write buffer of a connection stays
/// below two parts, whatever the client reads.
pub(crate) const PART_BYTES: usize = 16 << 10;

/// The maximum size of a part of a body that holds a reservation, in bytes. Each part is a system call and wakes the
/// client: a page of 100 records (200 KB) arrived 70 µs later in parts of 16 KiB than in one.
const RESERVED_PART_BYTES: usize = 256 << 10;

/// Reserves the memory of a large body, in `memory`, which is a reservation of nothing. Called where the body is made:
/// while a thread of connections is busy, many made bodies wait for it.
///
/// A body that others hold in memory anyway, such as the documentation page, needs no reservation.
///
/// # Errors
/// 503 if the budget is used up.
pub(crate) fn reserve(body: &Bytes, mut memory: Reservation) -> Result<Option<Reservation>, ApiError> {
    if body.len() <= PART_BYTES || !body.is_unique() {
        return Ok(None);
    }
    // The write buffer has a copy of a part.
    if !memory.grow_to(body.len() + RESERVED_PART_BYTES.min(body.len())) {
        return Err(Refusal::TooManyResponses.into());
    }
    Ok(Some(memory))
}

/// Makes a large body one that is sent in parts. Its memory stays reserved until the client has read it.
pub(crate) fn prepare(response: HttpResponse, request: &HttpRequest, memory: Option<Reservation>) -> HttpResponse {
    let Some(connection) = ConnectionState::of(request).filter(|_| request.method() != Method::HEAD) else {
        return response;
    };
    let (response, body) = response.into_parts();
    let bytes = match body.try_into_bytes() {
        Ok(bytes) => bytes,
        Err(body) => return response.set_body(body),
    };
    if bytes.len() <= PART_BYTES {
        return response.set_body(BoxBody::new(bytes));
    }
    let part_bytes = if memory.is_some() {
        RESERVED_PART_BYTES
    } else {
        PART_BYTES
    };
    if let Some(memory) = memory {
        connection.hold(memory);
    }
    let body = PartedBody::new(bytes, part_bytes, connection.clone());
    response.set_body(BoxBody::new(body))
}

/// A body that yields parts of this size.
struct PartedBody {
    rest: Bytes,
    part_bytes: usize,
    connection: ConnectionState,
}

impl PartedBody {
    fn new(bytes: Bytes, part_bytes: usize, connection: ConnectionState) -> PartedBody {
        connection.set_sending(true);
        PartedBody {
            rest: bytes,
            part_bytes,
            connection,
        }
    }
}

impl MessageBody for PartedBody {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.rest.len() as u64)
    }

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        let length = self.rest.len().min(self.part_bytes);
        let part = self.rest.split_to(length);
        if self.rest.is_empty() {
            self.connection.set_sending(false);
        }
        Poll::Ready(Some(Ok(part)))
    }
}

#[cfg(test)]
mod tests {
    use std::{future::poll_fn, pin::pin, sync::Arc};

    use super::*;
    use crate::http::byte_budget::ByteBudget;

    #[test]
    fn a_large_body_is_reserved_where_it_is_made() {
        let budget = ByteBudget::new(16 * PART_BYTES);
        let large = || Bytes::from(vec![b' '; 2 * PART_BYTES]);
        let reserve = |owner, body: &Bytes| super::reserve(body, budget.reservation(Some(owner)));
        let made = [1, 2, 3, 4].map(|owner| reserve(owner, &large()).unwrap().unwrap());
        // With the copy of a part that is written, each is counted twice.
        assert_eq!(budget.used(), 16 * PART_BYTES);
        assert_eq!(reserve(5, &large()).err().unwrap().status.as_u16(), 503);
        drop(made);
        assert_eq!(budget.used(), 0);
        // Small ones wait in the write buffer, and shared ones are in memory anyway.
        let (small, kept) = (Bytes::from(vec![b' '; PART_BYTES]), large());
        let _copy = kept.clone();
        let fixed = Bytes::from_static(&[b' '; 2 * PART_BYTES]);
        assert!(
            [small, kept, fixed]
                .iter()
                .all(|body| reserve(1, body).unwrap().is_none())
        );
    }

    #[test]
    fn the_parts_are_the_body() {
        for length in [1, PART_BYTES, PART_BYTES + 1, 3 * PART_BYTES] {
            let whole: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let connection = ConnectionState::new(None, Arc::default());
            let mut body = pin!(PartedBody::new(
                Bytes::from(whole.clone()),
                PART_BYTES,
                connection.clone()
            ));
            assert_eq!(body.size(), BodySize::Sized(length as u64));
            let mut sent = Vec::new();
            actix_web::rt::System::new().block_on(async {
                while sent.len() < length {
                    assert!(connection.is_sending());
                    let part = poll_fn(|cx| body.as_mut().poll_next(cx)).await.unwrap().unwrap();
                    assert!(part.len() <= PART_BYTES);
                    sent.extend_from_slice(&part);
                }
                assert!(poll_fn(|cx| body.as_mut().poll_next(cx)).await.is_none());
            });
            assert!(!connection.is_sending());
            assert_eq!(sent, whole);
        }
    }
}
