//! Lengths and texts as they lie in the spool, which nobody but the run that wrote it ever reads.

use anyhow::{Context, Result};

pub fn put_length(out: &mut Vec<u8>, length: usize) -> Result<()> {
    let length = u32::try_from(length).context("a row of 4 GiB")?;
    out.extend(length.to_le_bytes());
    Ok(())
}

pub fn put_text(out: &mut Vec<u8>, text: &str) -> Result<()> {
    put_length(out, text.len())?;
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

/// What is left to read.
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    pub fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk().context(CUT)?;
        self.0 = rest;
        Ok(*taken)
    }

    /// How many bytes that is.
    pub fn left(&self) -> usize {
        self.0.len()
    }

    pub fn length(&mut self) -> Result<usize> {
        Ok(u32::from_le_bytes(self.take()?) as usize)
    }

    pub fn text(&mut self) -> Result<&'a str> {
        let length = self.length()?;
        let (text, rest) = self.0.split_at_checked(length).context(CUT)?;
        self.0 = rest;
        Ok(std::str::from_utf8(text)?)
    }
}

const CUT: &str = "the spool is shorter than what was written to it";
