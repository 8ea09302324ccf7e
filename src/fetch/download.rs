//! Downloads one file, over connections that break and from servers that send the wrong thing.
//!
//! **Invariant:** the file changes only by a rename, after its new content came completely and is
//! valid. A partial download is in the work folder as `name.part`, with the headers needed to
//! resume it in `name.part.json`.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    time::Instant,
};

use ureq::{Body, http::Response};

use super::{
    client::{Client, header, is_encrypted},
    failure::{Failure, FailureScope, Retry},
    progress::Progress,
    published_sources::FileFormat,
    saved_headers::{self, SavedHeaders, http_date, retry_after},
    validate,
};
use crate::storage::durable_file;

/// A download that is slower than this, in bytes per second over the idle timeout, is interrupted.
const MIN_SPEED: f64 = 1024.0;

const PART: &str = ".part";
const PART_HEADERS: &str = ".part.json";

pub(crate) struct DownloadTarget {
    pub(crate) url: String,
    pub(crate) path: PathBuf,
    /// The folder of saved headers and partial downloads.
    pub(crate) work: PathBuf,
    pub(crate) format: FileFormat,
    pub(crate) referer: Option<String>,
    /// Whether a response 404 or 410 is not a failure.
    pub(crate) may_be_unpublished: bool,
    /// Maximum length of the file in bytes.
    pub(crate) max_bytes: u64,
    /// Whether the address comes from a file list that was read over `https`. An address without
    /// encryption would undo the protection of the list.
    pub(crate) must_be_encrypted: bool,
}

impl DownloadTarget {
    pub(crate) fn name(&self) -> String {
        let name = self.path.file_name().expect("the path is a folder and a file name");
        name.to_string_lossy().into_owned()
    }
}

#[derive(Debug, PartialEq, Eq)]
pub enum FetchOutcome {
    Fetched {
        bytes: u64,
        /// How many of the bytes were received by an earlier attempt or run.
        resumed_at: u64,
    },
    Unchanged,
    NotPublished,
}

/// Removes the partial downloads of files that are no longer wanted.
pub(crate) fn remove_unwanted_parts(work: &Path, wanted: &[String]) -> io::Result<()> {
    for entry in work.read_dir()? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let file = name.strip_suffix(PART).or_else(|| name.strip_suffix(PART_HEADERS));
        if file.is_some_and(|file| !wanted.iter().any(|name| name == file)) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// The download of one file.
pub(crate) struct Download<'a> {
    client: &'a Client,
    target: &'a DownloadTarget,
    progress: &'a Progress,
    pub(crate) name: String,
    part: PathBuf,
    part_headers: PathBuf,
    headers: PathBuf,
}

/// What an earlier attempt received.
struct PartialDownload {
    headers: SavedHeaders,
    bytes: u64,
}

impl<'a> Download<'a> {
    pub(crate) fn new(client: &'a Client, target: &'a DownloadTarget, progress: &'a Progress) -> Download<'a> {
        let name = target.name();
        Download {
            client,
            target,
            progress,
            part: target.work.join(format!("{name}{PART}")),
            part_headers: target.work.join(format!("{name}{PART_HEADERS}")),
            headers: saved_headers::path(&target.work, &name),
            name,
        }
    }

    /// The length of the partial download in bytes; 0 if there is none.
    pub(crate) fn received(&self) -> u64 {
        fs::metadata(&self.part).map_or(0, |part| part.len())
    }

    /// The partial download, if it can be resumed.
    fn partial(&self) -> Option<PartialDownload> {
        let headers = SavedHeaders::read(&self.part_headers, &self.target.url)?;
        let bytes = self.received();
        if bytes == 0 || headers.resume_by.is_none() {
            return None;
        }
        Some(PartialDownload { headers, bytes })
    }

    /// The headers of the present file, if it has the length that they state.
    fn present(&self) -> Option<SavedHeaders> {
        let headers = SavedHeaders::read(&self.headers, &self.target.url)?;
        let file = fs::metadata(&self.target.path).ok()?;
        if Some(file.len()) != headers.length {
            return None;
        }
        Some(headers)
    }

    /// Makes one request, and downloads the file or its rest.
    pub(crate) fn attempt(&self) -> Result<FetchOutcome, Failure> {
        if self.target.must_be_encrypted && !is_encrypted(&self.target.url) {
            return Err(Failure::permanent(format!(
                "the file list came over https, but states the address {}, which is not encrypted",
                self.target.url
            )));
        }
        let partial = self.partial();
        if let Some(partial) = partial.as_ref()
            && partial.headers.length == Some(partial.bytes)
        {
            // An earlier run was killed after the last byte.
            return self.finish(partial.headers.clone(), partial.bytes, partial.bytes);
        }
        let present = self.present();
        let response = self.request(partial.as_ref(), present.as_ref())?;
        match (response.status().as_u16(), partial) {
            (200, _) => self.receive(response, None),
            (206, Some(partial)) if partial.headers.is_continued_by(&response, partial.bytes) => {
                self.receive(response, Some(partial))
            }
            (304, None) if present.is_some() => Ok(FetchOutcome::Unchanged),
            (206 | 304 | 416, _) => {
                self.remove_part()?;
                Err(Failure::transient("the server cannot resume the download"))
            }
            (404 | 410, _) if self.target.may_be_unpublished && !self.target.path.exists() => {
                Ok(FetchOutcome::NotPublished)
            }
            _ => Err(error_status(&response)),
        }
    }

    /// Asks for the rest of a partial download, else for the file if it changed, else for the file.
    fn request(
        &self,
        partial: Option<&PartialDownload>,
        present: Option<&SavedHeaders>,
    ) -> Result<Response<Body>, Failure> {
        let mut headers: Vec<(&str, String)> = Vec::new();
        if let Some(referer) = &self.target.referer {
            headers.push(("Referer", referer.clone()));
        }
        if let Some(PartialDownload { headers: saved, bytes }) = partial {
            headers.push(("Range", format!("bytes={bytes}-")));
            headers.extend(saved.resume_by.clone().map(|validator| ("If-Range", validator)));
        } else if let Some(saved) = present {
            headers.extend(saved.etag.clone().map(|etag| ("If-None-Match", etag)));
            headers.extend(saved.last_modified.clone().map(|time| ("If-Modified-Since", time)));
        }
        self.client.get(&self.target.url, |request| {
            headers
                .into_iter()
                .fold(request, |request, (name, value)| request.header(name, value))
        })
    }

    fn receive(&self, response: Response<Body>, partial: Option<PartialDownload>) -> Result<FetchOutcome, Failure> {
        if header(&response, "content-type").is_some_and(|kind| kind.to_ascii_lowercase().contains("html")) {
            return Err(Failure::permanent("the server sends a web page instead of the file"));
        }
        let new_headers = SavedHeaders::of(&self.target.url, &response);
        // Without these headers, the end of the body looks the same as a broken connection.
        let marks_its_end = ["content-length", "transfer-encoding"]
            .iter()
            .any(|name| header(&response, name).is_some());
        let mut body = response.into_body().into_with_config().limit(u64::MAX).reader();
        let (headers, resumed_at) = match partial {
            Some(PartialDownload { headers, bytes }) => (headers, bytes),
            None => {
                self.start_part(&mut body, &new_headers)?;
                (new_headers, 0)
            }
        };
        if headers.length.is_some_and(|length| length > self.target.max_bytes) {
            return Err(self.too_long()?);
        }
        let mut file = OpenOptions::new().append(true).open(&self.part)?;
        let mut received = self.received();
        self.progress.start(&self.name, received, headers.length);
        self.copy(&mut body, &mut file, &mut received)?;
        file.sync_all()?;
        match headers.length {
            Some(length) if received < length => {
                return Err(Failure::transient(format!("{received} of {length} bytes received")));
            }
            Some(length) if received > length => {
                self.remove_part()?;
                return Err(Failure::transient(format!(
                    "{received} bytes received instead of {length}"
                )));
            }
            _ => {}
        }
        let may_be_cut = headers.length.is_none() && !marks_its_end && self.target.format == FileFormat::Csv;
        if may_be_cut && !validate::ends_a_row(&self.part)? {
            self.remove_part()?;
            return Err(Failure::transient(
                "the server does not state the length, and the file ends in the middle of a row",
            ));
        }
        self.finish(headers, received, resumed_at)
    }

    /// Writes the beginning of the body to a new part, if a valid file can begin so.
    fn start_part(&self, body: &mut impl Read, headers: &SavedHeaders) -> Result<(), Failure> {
        let mut head = Vec::new();
        body.take(validate::HEAD_BYTES)
            .read_to_end(&mut head)
            .map_err(Failure::interrupted)?;
        validate::check_head(&head, self.target.format).map_err(Failure::permanent)?;
        // Empty the part first, so that the headers never describe the bytes of another file.
        let mut part = File::create(&self.part)?;
        headers.write(&self.part_headers)?;
        Ok(part.write_all(&head)?)
    }

    fn copy(&self, body: &mut impl Read, file: &mut File, received: &mut u64) -> Result<(), Failure> {
        let span = self.client.config.idle_timeout;
        let (mut span_start, mut bytes_before) = (Instant::now(), *received);
        let mut buffer = vec![0; 64 << 10];
        loop {
            self.progress.set_position(*received);
            let read = match body.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Failure::interrupted(error)),
            };
            *received += read as u64;
            if *received > self.target.max_bytes {
                return Err(self.too_long()?);
            }
            file.write_all(&buffer[..read])?;
            if span_start.elapsed() >= span {
                if ((*received - bytes_before) as f64) < MIN_SPEED * span.as_secs_f64() {
                    return Err(Failure::transient("the server is too slow"));
                }
                (span_start, bytes_before) = (Instant::now(), *received);
            }
        }
    }

    /// Validates the complete part and renames it to the file. If the content is the same as
    /// before, the file stays.
    fn finish(&self, headers: SavedHeaders, bytes: u64, resumed_at: u64) -> Result<FetchOutcome, Failure> {
        if let Err(why) = validate::check_file(&self.part, self.target.format) {
            self.remove_part()?;
            // A file that was joined from two responses may be valid when it comes in one.
            return Err(if resumed_at == 0 {
                Failure::permanent(why)
            } else {
                Failure::transient(why)
            });
        }
        let target = &self.target.path;
        // If the server states no time, a new file would change `fetched_at` in all records.
        let is_same = target.exists() && validate::is_same_content(&self.part, target)?;
        let modified = headers.last_modified.as_deref().and_then(http_date);
        let file = OpenOptions::new()
            .append(true)
            .open(if is_same { target } else { &self.part })?;
        if let Some(modified) = modified {
            file.set_modified(modified.into())?;
        }
        file.sync_all()?;
        if !is_same {
            durable_file::rename(&self.part, target)?;
        }
        let length = Some(bytes);
        SavedHeaders { length, ..headers }.write(&self.headers)?;
        self.remove_part()?;
        Ok(if is_same {
            FetchOutcome::Unchanged
        } else {
            FetchOutcome::Fetched { bytes, resumed_at }
        })
    }

    /// Removes the part, and returns the failure of a file that is longer than its source's files
    /// may be.
    fn too_long(&self) -> Result<Failure, Failure> {
        self.remove_part()?;
        let max = self.target.max_bytes >> 20;
        Ok(Failure::permanent(format!(
            "the server sends more than {max} MiB, the maximum for a file of this source"
        )))
    }

    fn remove_part(&self) -> Result<(), Failure> {
        for path in [&self.part_headers, &self.part] {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
        Ok(())
    }
}

/// The failure for a response without a file.
fn error_status(response: &Response<Body>) -> Failure {
    let status = response.status();
    let why = match status.as_u16() {
        401 | 403 => {
            format!("the server refuses access ({status}); some servers accept only known clients, see --user-agent")
        }
        404 | 410 => format!("the server no longer has the file ({status}); it may have moved"),
        _ => format!("the server answers {status}"),
    };
    match status.as_u16() {
        // These are about the client, not about the file.
        429 | 503 => Failure {
            scope: FailureScope::Host,
            retry: Retry::After(retry_after(response)),
            why,
        },
        408 | 425 | 500..=599 => Failure {
            retry: Retry::After(retry_after(response)),
            ..Failure::permanent(why)
        },
        _ => Failure::permanent(why),
    }
}
