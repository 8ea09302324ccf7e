//! The content codings, of bodies at once and chunk by chunk, and the encoded forms of bodies that never change.

use std::{
    io::{Read, Write},
    sync::OnceLock,
};

use actix_web::http::header::ContentEncoding;
use bytes::Bytes;

use crate::engine::Deadline;

/// A content coding, in order of preference among codings that a client accepts with equal weight:
/// the time it takes for a page of 100 records.
///
/// Decision D-123: the levels. On one core, 113 KB take: zstd 0.12 ms to 13 % of the size, br 1.1
/// ms to 12 %, gzip 0.7 ms to 14 %. Higher levels cost more time than the saved bytes are worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContentCoding {
    Zstd,
    Brotli,
    Gzip,
}

/// Decision D-123: the size from which a body is encoded, in bytes. A smaller body fits into one
/// packet anyway.
pub(crate) const MIN_BYTES: usize = 1024;

/// The largest body that is encoded on an async worker, in bytes.
pub(crate) const MAX_INLINE_BYTES: usize = 16 * 1024;

/// The bytes that are encoded between two looks at the deadline.
const CHUNK_BYTES: usize = 256 * 1024;

const ZSTD_LEVEL: i32 = 1;
const BROTLI_QUALITY: u32 = 4;
/// The base-2 logarithm of the window size. 256 KiB hold the records of a page, which resemble each
/// other.
const BROTLI_WINDOW: u32 = 18;
const GZIP_LEVEL: u32 = 3;

impl ContentCoding {
    pub(crate) const ALL: [ContentCoding; 3] = [ContentCoding::Zstd, ContentCoding::Brotli, ContentCoding::Gzip];

    pub(crate) const fn name(self) -> ContentEncoding {
        match self {
            ContentCoding::Zstd => ContentEncoding::Zstd,
            ContentCoding::Brotli => ContentEncoding::Brotli,
            ContentCoding::Gzip => ContentEncoding::Gzip,
        }
    }

    /// Whether a whole page is encoded in a fraction of a millisecond.
    pub(crate) const fn is_fast(self) -> bool {
        matches!(self, ContentCoding::Zstd)
    }

    pub(crate) fn encode(self, body: &[u8], deadline: &Deadline) -> std::io::Result<Vec<u8>> {
        match self {
            // At once, since 8 MiB take 20 ms.
            ContentCoding::Zstd => zstd::bulk::compress(body, ZSTD_LEVEL),
            ContentCoding::Brotli => {
                let mut encoded = Vec::with_capacity(body.len() / 4);
                let buffer = body.len().clamp(MIN_BYTES, MAX_INLINE_BYTES);
                let mut writer = brotli::CompressorWriter::new(&mut encoded, buffer, BROTLI_QUALITY, BROTLI_WINDOW);
                write_chunks(&mut writer, body, deadline)?;
                drop(writer);
                Ok(encoded)
            }
            ContentCoding::Gzip => {
                let encoded = Vec::with_capacity(body.len() / 4);
                let mut writer = flate2::write::GzEncoder::new(encoded, flate2::Compression::new(GZIP_LEVEL));
                write_chunks(&mut writer, body, deadline)?;
                writer.finish()
            }
        }
    }
}

/// Encodes a body chunk by chunk, so that each chunk can be decoded when it arrives.
pub(crate) struct StreamEncoder(Writer);

enum Writer {
    Zstd(zstd::stream::write::Encoder<'static, Vec<u8>>),
    Brotli(Box<brotli::CompressorWriter<Vec<u8>>>),
    Gzip(flate2::write::GzEncoder<Vec<u8>>),
}

impl StreamEncoder {
    pub(crate) fn new(coding: ContentCoding) -> std::io::Result<StreamEncoder> {
        let out = Vec::new();
        Ok(StreamEncoder(match coding {
            ContentCoding::Zstd => Writer::Zstd(zstd::stream::write::Encoder::new(out, ZSTD_LEVEL)?),
            ContentCoding::Brotli => {
                let writer = brotli::CompressorWriter::new(out, MAX_INLINE_BYTES, BROTLI_QUALITY, BROTLI_WINDOW);
                Writer::Brotli(Box::new(writer))
            }
            ContentCoding::Gzip => {
                Writer::Gzip(flate2::write::GzEncoder::new(out, flate2::Compression::new(GZIP_LEVEL)))
            }
        }))
    }

    /// What it takes beyond a megabyte, in bytes. Measured: 40 streams took 3.1 MiB each with brotli, 1.2 with zstd.
    pub(crate) const fn memory_bytes(&self) -> usize {
        match self.0 {
            Writer::Brotli(_) => 2 << 20,
            Writer::Zstd(_) | Writer::Gzip(_) => 0,
        }
    }

    /// The encoded form of the next bytes. Nothing may follow the last ones.
    pub(crate) fn encode(&mut self, bytes: &[u8], is_last: bool) -> std::io::Result<Vec<u8>> {
        match &mut self.0 {
            Writer::Zstd(writer) => {
                writer.write_all(bytes)?;
                if is_last {
                    writer.do_finish()?;
                } else {
                    writer.flush()?;
                }
                Ok(std::mem::take(writer.get_mut()))
            }
            Writer::Gzip(writer) => {
                writer.write_all(bytes)?;
                if is_last {
                    writer.try_finish()?;
                } else {
                    writer.flush()?;
                }
                Ok(std::mem::take(writer.get_mut()))
            }
            Writer::Brotli(writer) => {
                writer.write_all(bytes)?;
                if is_last {
                    let unused = brotli::CompressorWriter::new(Vec::new(), 1, 0, 10);
                    return Ok(std::mem::replace(&mut **writer, unused).into_inner());
                }
                writer.flush()?;
                Ok(std::mem::take(writer.get_mut()))
            }
        }
    }
}

/// The encoded forms of a body that never changes: each is made once, for the first client that accepts it.
#[derive(Debug, Default)]
pub(crate) struct KeptCodings([OnceLock<Bytes>; ContentCoding::ALL.len()]);

impl KeptCodings {
    /// Those of a body whose gzip form is known.
    pub(crate) fn with_gzip(gzip: Bytes) -> KeptCodings {
        let kept = KeptCodings::default();
        // The cell is empty.
        let _ = kept.0[ContentCoding::Gzip as usize].set(gzip);
        kept
    }

    pub(crate) fn get(
        &self,
        coding: ContentCoding,
        encode: impl FnOnce() -> std::io::Result<Vec<u8>>,
    ) -> std::io::Result<Bytes> {
        let kept = &self.0[coding as usize];
        if let Some(encoded) = kept.get() {
            return Ok(encoded.clone());
        }
        let encoded = Bytes::from(encode()?);
        Ok(kept.get_or_init(|| encoded).clone())
    }
}

/// Fails if the deadline passes meanwhile.
fn write_chunks(writer: &mut impl Write, body: &[u8], deadline: &Deadline) -> std::io::Result<()> {
    for chunk in body.chunks(CHUNK_BYTES) {
        if deadline.is_over() {
            return Err(std::io::ErrorKind::TimedOut.into());
        }
        writer.write_all(chunk)?;
    }
    Ok(())
}

/// The bytes that a gzip file of this program holds.
pub(crate) fn unpacked(gzip: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(gzip).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoding_returns_the_original_body() {
        let body: Vec<u8> = (0..60_000u32)
            .flat_map(|n| (n % 251).to_string().into_bytes())
            .collect();
        for coding in ContentCoding::ALL {
            let encoded = coding.encode(&body, &Deadline::never()).unwrap();
            assert!(encoded.len() < body.len() / 2, "{coding:?}");
            let mut plain = Vec::new();
            match coding {
                ContentCoding::Zstd => plain = zstd::decode_all(&encoded[..]).unwrap(),
                ContentCoding::Brotli => drop(
                    brotli::Decompressor::new(&encoded[..], 4096)
                        .read_to_end(&mut plain)
                        .unwrap(),
                ),
                ContentCoding::Gzip => drop(
                    flate2::read::GzDecoder::new(&encoded[..])
                        .read_to_end(&mut plain)
                        .unwrap(),
                ),
            }
            assert_eq!(plain, body, "{coding:?}");
        }
    }

    #[test]
    fn chunks_are_decoded_as_they_arrive_and_as_a_whole() {
        let chunks: Vec<Vec<u8>> = (0..5_u32)
            .map(|number| {
                (0..40_000)
                    .flat_map(|n| ((n * number) % 97).to_string().into_bytes())
                    .collect()
            })
            .collect();
        for coding in ContentCoding::ALL {
            let mut encoder = StreamEncoder::new(coding).unwrap();
            let mut encoded = Vec::new();
            for (number, chunk) in chunks.iter().enumerate() {
                let part = encoder.encode(chunk, number + 1 == chunks.len()).unwrap();
                assert!(!part.is_empty() && part.len() < chunk.len() / 2, "{coding:?}");
                encoded.extend(part);
            }
            let mut plain = Vec::new();
            match coding {
                ContentCoding::Zstd => plain = zstd::decode_all(&encoded[..]).unwrap(),
                ContentCoding::Brotli => drop(
                    brotli::Decompressor::new(&encoded[..], 4096)
                        .read_to_end(&mut plain)
                        .unwrap(),
                ),
                ContentCoding::Gzip => drop(
                    flate2::read::GzDecoder::new(&encoded[..])
                        .read_to_end(&mut plain)
                        .unwrap(),
                ),
            }
            assert!(plain == chunks.concat(), "{coding:?}");
        }
    }
}
