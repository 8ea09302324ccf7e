//! How the program names the errors of the request framer, which knows nothing of the program.

use crate::{http::refusal::Refusal, server::http1::error::RequestError};

impl From<RequestError> for Refusal {
    fn from(error: RequestError) -> Refusal {
        match error {
            RequestError::RequestLine => Refusal::RequestLine,
            RequestError::Target => Refusal::RequestTarget,
            RequestError::Header => Refusal::Header,
            RequestError::Host => Refusal::Host,
            RequestError::BodyLength => Refusal::BodyLength,
            RequestError::HeadTooLong => Refusal::HeadTooLong,
            RequestError::BodyTooLong(max) => Refusal::BodyTooLong(max),
            RequestError::Timeout => Refusal::Timeout,
        }
    }
}
