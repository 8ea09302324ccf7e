//! The binary form of lengths and texts in the spool. Only the run that wrote a spool reads it.

use anyhow::{Context, Result};

/// Appends a length as four bytes, little-endian.
pub(crate) fn put_length(out: &mut Vec<u8>, length: usize) -> Result<()> {
    let length = u32::try_from(length).context("a row is longer than 4 GiB")?;
    out.extend(length.to_le_bytes());
    Ok(())
}

/// Appends a text after its length.
pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) -> Result<()> {
    put_length(out, text.len())?;
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

/// Reads from the start of the bytes that are left.
pub(crate) struct ByteReader<'a>(pub(crate) &'a [u8]);

impl<'a> ByteReader<'a> {
    pub(crate) fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk().context(TOO_SHORT)?;
        self.0 = rest;
        Ok(*taken)
    }

    pub(crate) fn remaining(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn length(&mut self) -> Result<usize> {
        Ok(u32::from_le_bytes(self.take()?) as usize)
    }

    pub(crate) fn text(&mut self) -> Result<&'a str> {
        let length = self.length()?;
        let (text, rest) = self.0.split_at_checked(length).context(TOO_SHORT)?;
        self.0 = rest;
        Ok(std::str::from_utf8(text)?)
    }
}

const TOO_SHORT: &str = "the spool is shorter than what was written to it";
