//! One address to one file, over a network that cuts and a server that lies.
//!
//! **Invariant:** the file changes only by a rename, of a body that came whole and is what it should be. What came so far
//! stands in the work folder as `name.part`, with the note by which to go on in `name.part.json`.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    thread,
    time::Instant,
};

use ureq::{Body, http::Response};

use super::{
    check,
    failure::{Failure, Reach, Retry},
    http::{Client, header},
    note::{self, Note, http_date, retry_after},
    progress::Progress,
    table::Format,
};

/// An attempt that brought so much more than any before is no failed one.
const HEADWAY: u64 = 1 << 20;
/// Bytes a second; a server slower than this, for as long as one may be idle, has stopped.
const SLOWEST: f64 = 1024.0;

const PART: &str = ".part";
const PART_NOTE: &str = ".part.json";

pub struct Target {
    pub url: String,
    pub path: PathBuf,
    /// The folder of what is known and what is unfinished.
    pub work: PathBuf,
    pub format: Format,
    pub referer: Option<String>,
    /// That there is none is no failure.
    pub may_be_absent: bool,
}

impl Target {
    pub fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    Fetched {
        bytes: u64,
        /// How many of them an earlier attempt or run had brought.
        resumed_at: u64,
    },
    Unchanged,
    /// Not published yet.
    NotYet,
}

/// Asks as often as is fair.
pub fn fetch(client: &Client, target: &Target, progress: &Progress) -> Result<Outcome, Failure> {
    let transfer = Transfer::new(client, target, progress);
    let manners = &client.manners;
    let (mut attempt, mut furthest) = (0, transfer.came());
    loop {
        attempt += 1;
        let failure = match transfer.attempt() {
            Ok(outcome) => return Ok(outcome),
            Err(failure) => failure,
        };
        let Retry::After(asked) = failure.retry else {
            return Err(failure);
        };
        if transfer.came() >= furthest + HEADWAY {
            furthest = transfer.came();
            attempt = 1;
        }
        if attempt >= manners.attempts {
            let why = format!("{}; gave up after {attempt} attempts without headway", failure.why);
            return Err(Failure { why, ..failure });
        }
        let wait = asked.unwrap_or_else(|| manners.backoff(attempt));
        if wait > manners.longest_wait {
            let why = format!("{}; it asks to come back in {} s", failure.why, wait.as_secs());
            return Err(Failure { why, ..failure });
        }
        progress.warn(&format!(
            "{}: {}; again in {:.1} s",
            transfer.name,
            failure.why,
            wait.as_secs_f64()
        ));
        thread::sleep(wait);
    }
}

/// Removes the unfinished files that nothing will finish.
pub fn clear(work: &Path, wanted: &[String]) -> io::Result<()> {
    for entry in work.read_dir()? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let of = name.strip_suffix(PART).or_else(|| name.strip_suffix(PART_NOTE));
        if of.is_some_and(|of| !wanted.iter().any(|name| name == of)) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

struct Transfer<'a> {
    client: &'a Client,
    target: &'a Target,
    progress: &'a Progress,
    name: String,
    part: PathBuf,
    part_note: PathBuf,
    note: PathBuf,
}

/// A body that an earlier attempt began.
struct Begun {
    note: Note,
    had: u64,
}

impl<'a> Transfer<'a> {
    fn new(client: &'a Client, target: &'a Target, progress: &'a Progress) -> Transfer<'a> {
        let name = target.name();
        Transfer {
            client,
            target,
            progress,
            part: target.work.join(format!("{name}{PART}")),
            part_note: target.work.join(format!("{name}{PART_NOTE}")),
            note: note::place(&target.work, &name),
            name,
        }
    }

    fn came(&self) -> u64 {
        fs::metadata(&self.part).map_or(0, |facts| facts.len())
    }

    fn attempt(&self) -> Result<Outcome, Failure> {
        let url = self.target.url.as_str();
        let begun = Note::read(&self.part_note, url)
            .map(|note| Begun { note, had: self.came() })
            .filter(|begun| begun.had > 0 && begun.note.resume_by.is_some());
        if let Some(begun) = begun.as_ref().filter(|begun| begun.note.length == Some(begun.had)) {
            // A run that was killed at the last moment.
            return self.finish(begun.note.clone(), begun.had, begun.had);
        }
        let whole = Note::read(&self.note, url)
            .filter(|note| fs::metadata(&self.target.path).is_ok_and(|facts| Some(facts.len()) == note.length));
        let response = self.client.get(url, |mut request| {
            if let Some(referer) = &self.target.referer {
                request = request.header("Referer", referer);
            }
            let conditions = match (&begun, &whole) {
                (Some(Begun { note, had }), _) => [
                    ("Range", Some(format!("bytes={had}-"))),
                    ("If-Range", note.resume_by.clone()),
                ],
                (None, Some(note)) => [
                    ("If-None-Match", note.etag.clone()),
                    ("If-Modified-Since", note.last_modified.clone()),
                ],
                (None, None) => return request,
            };
            for (name, value) in conditions {
                if let Some(value) = value {
                    request = request.header(name, value);
                }
            }
            request
        })?;
        match (response.status().as_u16(), begun) {
            (200, _) => self.receive(response, None),
            (206, Some(begun)) if begun.note.goes_on(&response, begun.had) => self.receive(response, Some(begun)),
            (304, None) if whole.is_some() => Ok(Outcome::Unchanged),
            (206 | 304 | 416, _) => {
                self.drop_part()?;
                Err(Failure::again("the server cannot go on where it stopped"))
            }
            (404 | 410, _) if self.target.may_be_absent && !self.target.path.exists() => Ok(Outcome::NotYet),
            _ => Err(refused(&response)),
        }
    }

    fn receive(&self, response: Response<Body>, begun: Option<Begun>) -> Result<Outcome, Failure> {
        if header(&response, "content-type").is_some_and(|kind| kind.to_ascii_lowercase().contains("html")) {
            return Err(Failure::last("the server sends a web page instead of the file"));
        }
        let fresh = Note::of(&self.target.url, &response);
        let tells_its_end = ["content-length", "transfer-encoding"]
            .iter()
            .any(|name| header(&response, name).is_some());
        let mut body = response.into_body().into_with_config().limit(u64::MAX).reader();
        let (note, had) = match begun {
            Some(Begun { note, had }) => (note, had),
            None => {
                self.begin(&mut body, &fresh)?;
                (fresh, 0)
            }
        };
        let mut file = OpenOptions::new().append(true).open(&self.part)?;
        let mut came = self.came();
        self.progress.begin(&self.name, came, note.length);
        self.copy(&mut body, &mut file, &mut came)?;
        file.sync_all()?;
        match note.length {
            Some(length) if came < length => Err(Failure::again(format!("{came} of {length} bytes came"))),
            Some(length) if came > length => {
                self.drop_part()?;
                Err(Failure::again(format!("{came} bytes came instead of {length}")))
            }
            None if !tells_its_end && self.target.format == Format::Csv && !check::ends_a_row(&self.part)? => {
                self.drop_part()?;
                Err(Failure::again(
                    "the server tells no length, and what came ends within a row",
                ))
            }
            _ => self.finish(note, came, had),
        }
    }

    /// Makes the part of what the body begins with, if that may begin such a file.
    fn begin(&self, body: &mut impl Read, note: &Note) -> Result<(), Failure> {
        let mut head = Vec::new();
        body.take(check::HEAD).read_to_end(&mut head).map_err(Failure::cut)?;
        check::head(&head, self.target.format).map_err(Failure::last)?;
        // Emptied before the note says whose bytes they are.
        let mut part = File::create(&self.part)?;
        note.write(&self.part_note)?;
        Ok(part.write_all(&head)?)
    }

    fn copy(&self, body: &mut impl Read, file: &mut File, came: &mut u64) -> Result<(), Failure> {
        let idle = self.client.manners.idle;
        let (mut since, mut before) = (Instant::now(), *came);
        let mut buffer = vec![0; 64 << 10];
        loop {
            self.progress.at(*came);
            let read = match body.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Failure::cut(error)),
            };
            file.write_all(buffer.get(..read).unwrap_or_default())?;
            *came += read as u64;
            if since.elapsed() >= idle {
                if ((*came - before) as f64) < SLOWEST * idle.as_secs_f64() {
                    return Err(Failure::again("the server is too slow to wait for"));
                }
                (since, before) = (Instant::now(), *came);
            }
        }
    }

    /// The part is whole: it becomes the file.
    fn finish(&self, note: Note, bytes: u64, resumed_at: u64) -> Result<Outcome, Failure> {
        if let Err(why) = check::whole(&self.part, self.target.format) {
            self.drop_part()?;
            // What was put together of two answers deserves one in a piece.
            return Err(match resumed_at {
                0 => Failure::last(why),
                _ => Failure::again(why),
            });
        }
        let target = &self.target.path;
        // A server that tells no time would make every record new with each run.
        let same = target.exists() && check::same(&self.part, target)?;
        let modified = note.last_modified.as_deref().and_then(http_date);
        let file = OpenOptions::new()
            .append(true)
            .open(if same { target } else { &self.part })?;
        if let Some(moment) = modified {
            file.set_modified(moment.into())?;
        }
        file.sync_all()?;
        if !same {
            fs::rename(&self.part, target)?;
        }
        if let Some(folder) = target.parent() {
            File::open(folder)?.sync_all()?;
        }
        let length = Some(bytes);
        Note { length, ..note }.write(&self.note)?;
        self.drop_part()?;
        Ok(match same {
            true => Outcome::Unchanged,
            false => Outcome::Fetched { bytes, resumed_at },
        })
    }

    fn drop_part(&self) -> Result<(), Failure> {
        for path in [&self.part_note, &self.part] {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
        Ok(())
    }
}

/// An answer that brings no file.
fn refused(response: &Response<Body>) -> Failure {
    let status = response.status();
    let why = match status.as_u16() {
        401 | 403 => format!("the server refuses it ({status}); some let only clients in whose --user-agent they know"),
        404 | 410 => format!("the server has it no more ({status}); it may have moved"),
        _ => format!("the server answers {status}"),
    };
    match status.as_u16() {
        // It speaks of us, not of the file.
        429 | 503 => Failure {
            reach: Reach::Host,
            retry: Retry::After(retry_after(response)),
            why,
        },
        408 | 425 | 500..=599 => Failure {
            retry: Retry::After(retry_after(response)),
            ..Failure::last(why)
        },
        _ => Failure::last(why),
    }
}
