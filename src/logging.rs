//! The log: one line per event, as text or JSON, written to stderr by a thread of its own.
//!
//! Logging only hands the line over, so a slow terminal or pipe delays no request. Lines that do
//! not fit into the queue are dropped, counted and reported. **Invariant:** one event is one line.
//! Control characters are escaped, whatever text a client sent, and long texts are cut.

use std::{
    env,
    fmt::Write as _,
    io::{self, Write},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, Receiver, SyncSender, TrySendError},
    },
    thread,
    time::Duration,
};

use anyhow::{Context, anyhow, ensure};
use chrono::SecondsFormat;
use env_logger::{Builder, Target, WriteStyle};
use log::{
    LevelFilter, Record,
    kv::{self, Key, Value, VisitSource, VisitValue},
};
use serde_json::Map;

use crate::model::{printable::printable, timestamp};

/// The environment variable with the log filter.
const FILTER_VARIABLE: &str = "PROCURE_LOG";

/// The level of all targets that the filter does not name, if it has no level for them.
const DEFAULT_LEVEL: LevelFilter = LevelFilter::Info;

/// The lines of the framework's server at level info only repeat what the program logs itself.
const FRAMEWORK_TARGET: &str = "actix_server";

/// The format of log lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// `2026-11-21T07:00:00.000Z INFO request: answered id=… status=200`
    #[default]
    Text,
    /// A JSON object with the same content: `time`, `level`, `target`, `message`, and the fields.
    Json,
}

/// Decision D-255: which lines are logged.
#[derive(Debug, PartialEq)]
struct Filter {
    level: LevelFilter,
    /// Targets, by the beginnings of their names, with levels of their own.
    targets: Vec<(String, LevelFilter)>,
}

impl Filter {
    fn from_environment() -> anyhow::Result<Filter> {
        let value = env::var_os(FILTER_VARIABLE).unwrap_or_default();
        Filter::parse(&value.to_string_lossy()).map_err(|why| anyhow!("{FILTER_VARIABLE} {why}"))
    }

    /// Parses levels and `TARGET=LEVEL`, separated by commas. An empty text is the default filter.
    fn parse(text: &str) -> anyhow::Result<Filter> {
        let mut filter = Filter {
            level: DEFAULT_LEVEL,
            targets: Vec::new(),
        };
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                None => filter.level = parse_level(part)?,
                Some((target, level)) => {
                    let (target, level) = (target.trim(), parse_level(level.trim())?);
                    ensure!(
                        !target.is_empty(),
                        "has '{}' without a target before the '='",
                        printable(part)
                    );
                    filter.targets.push((target.to_owned(), level));
                }
            }
        }
        let is_framework_named = filter
            .targets
            .iter()
            .any(|(target, _)| FRAMEWORK_TARGET.starts_with(target.as_str()));
        if filter.level == LevelFilter::Info && !is_framework_named {
            filter.targets.push((FRAMEWORK_TARGET.to_owned(), LevelFilter::Warn));
        }
        Ok(filter)
    }

    fn apply(&self, builder: &mut Builder) {
        builder.filter_level(self.level);
        for (target, level) in &self.targets {
            builder.filter_module(target, *level);
        }
    }
}

fn parse_level(name: &str) -> anyhow::Result<LevelFilter> {
    name.parse().map_err(|_| {
        let mut levels: Vec<String> = LevelFilter::iter().map(|level| level.as_str().to_lowercase()).collect();
        // The one that is not a level of lines comes last.
        levels.rotate_left(1);
        anyhow!(
            "has the unknown level '{}'; use one of {}, and TARGET=LEVEL for a part of the log, such as info,request=off",
            printable(&cut(name.to_owned(), MAX_LEVEL_BYTES)),
            levels.join(", ")
        )
    })
}

/// How much of an unknown level an error shows.
const MAX_LEVEL_BYTES: usize = 64;

/// The maximum number of queued lines.
const MAX_QUEUED: usize = 8192;

/// The maximum length of a message and of a field's text, in bytes before escaping: what follows is cut off. So no
/// event fills the disk with one line.
const MAX_MESSAGE_BYTES: usize = 4096;

const MAX_FIELD_BYTES: usize = 1536;

/// How long the end of the process waits for the last lines to be written.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// The size from which a batch of lines is written, in bytes.
const BATCH_BYTES: usize = 64 * 1024;

/// The number of dropped lines since the start of the process.
static LOST: AtomicU64 = AtomicU64::new(0);

/// The number of lines that were dropped since the start of the process.
pub(crate) fn lost() -> u64 {
    LOST.load(Ordering::Relaxed)
}

enum Message {
    Line(Vec<u8>),
    /// Acknowledged when all lines before it are written.
    Flush(SyncSender<()>),
}

/// The queue of the log thread, once the log is started.
static QUEUE: OnceLock<SyncSender<Message>> = OnceLock::new();

/// Waits for the last lines to be written when it is dropped.
#[derive(Debug)]
pub struct LogGuard(());

/// Starts the log. Fails if it is started already, or if the filter in the environment is invalid.
pub fn start(format: Format) -> anyhow::Result<LogGuard> {
    let filter = Filter::from_environment()?;
    let (sender, messages) = mpsc::sync_channel(MAX_QUEUED);
    let writer = QueueWriter {
        sender: sender.clone(),
        lost: Arc::default(),
    };
    let lost = Arc::clone(&writer.lost);
    thread::Builder::new()
        .name("log".to_owned())
        .spawn(move || write_out(&messages, &lost, format, &mut io::stderr()))
        .context("starting the log thread")?;
    let mut builder = Builder::new();
    filter.apply(&mut builder);
    builder
        .target(Target::Pipe(Box::new(writer)))
        .write_style(WriteStyle::Never)
        .format(move |out, record| out.write_all(line(format, record).as_bytes()))
        .try_init()
        .context("starting the log")?;
    // The first start only gets here, so the queue is not set yet.
    let _ = QUEUE.set(sender);
    Ok(LogGuard(()))
}

/// Waits until all lines so far are written. For code that ends the process without dropping the
/// [`LogGuard`].
pub(crate) fn flush() {
    let (sender, written) = mpsc::sync_channel(1);
    // With a timeout: a blocked log must not keep the process from ending.
    if let Some(queue) = QUEUE.get()
        && queue.try_send(Message::Flush(sender)).is_ok()
    {
        let _ = written.recv_timeout(FLUSH_TIMEOUT);
    }
}

impl Drop for LogGuard {
    fn drop(&mut self) {
        flush();
    }
}

/// The logger's output: each write is one line for the thread.
struct QueueWriter {
    sender: SyncSender<Message>,
    /// Lines dropped since the last report of them.
    lost: Arc<AtomicU64>,
}

impl Write for QueueWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        match self.sender.try_send(Message::Line(line.to_vec())) {
            Ok(()) => {}
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {
                self.lost.fetch_add(1, Ordering::Relaxed);
                LOST.fetch_add(1, Ordering::Relaxed);
            }
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// How long the log thread leaves new lines in the queue after it has written some. A line that finds the thread
/// waiting has to wake it, which takes as long as a look-up.
const GATHERING_TIME: Duration = Duration::from_millis(2);

/// Writes queued lines in batches until all senders are dropped.
fn write_out(messages: &Receiver<Message>, lost: &AtomicU64, format: Format, out: &mut impl Write) {
    let mut batch = Vec::with_capacity(BATCH_BYTES);
    while let Ok(first) = messages.recv() {
        let mut next = Some(first);
        let mut flushes = Vec::new();
        let mut is_drained = false;
        while let Some(message) = next.take() {
            match message {
                Message::Line(line) => batch.extend_from_slice(&line),
                Message::Flush(sender) => flushes.push(sender),
            }
            if batch.len() < BATCH_BYTES {
                next = messages.try_recv().ok();
                is_drained = next.is_none();
            }
        }
        let lost = lost.swap(0, Ordering::Relaxed);
        if lost > 0 {
            let text = format_args!(
                "{lost} log lines were dropped here: they were produced faster than they could be written"
            );
            let warning = Record::builder()
                .level(log::Level::Warn)
                .target("log")
                .args(text)
                .build();
            batch.extend_from_slice(line(format, &warning).as_bytes());
        }
        // An error of stderr cannot be reported anywhere.
        let _ = out.write_all(&batch);
        batch.clear();
        for sender in flushes {
            let _ = sender.try_send(());
        }
        if is_drained {
            thread::sleep(GATHERING_TIME);
        }
    }
}

/// Formats an event, with a line feed at the end.
fn line(format: Format, record: &Record) -> String {
    let mut fields = Fields(Vec::with_capacity(MANY_FIELDS));
    let time = timestamp::now().to_rfc3339_opts(SecondsFormat::Millis, true);
    let (level, target, message) = (record.level(), record.target(), record.args().to_string());
    let message = cut(message, MAX_MESSAGE_BYTES);
    // The visitor returns no errors.
    let _ = record.key_values().visit(&mut fields);
    let mut line = String::with_capacity(256);
    match format {
        Format::Text => {
            let _ = write!(line, "{time} {level} {target}: {}", printable(&message));
            for (name, value) in fields.0 {
                // Writing to a string returns no errors.
                let _ = match value {
                    serde_json::Value::Null => continue,
                    // Text that needs no quotes.
                    serde_json::Value::String(text) if is_plain(&text) => write!(line, " {name}={text}"),
                    value => write!(line, " {name}={}", printable(&value.to_string())),
                };
            }
        }
        Format::Json => {
            let mut object = Map::new();
            for (name, value) in [
                ("time", time),
                ("level", level.as_str().to_lowercase()),
                ("target", target.to_owned()),
                ("message", message),
            ] {
                object.insert(name.to_owned(), value.into());
            }
            object.extend(fields.0);
            // JSON escapes the ASCII control characters. The others do not end a line for a JSON
            // parser.
            line.push_str(&serde_json::Value::Object(object).to_string());
        }
    }
    line.push('\n');
    line
}

/// The text, or its beginning with a mark if it is longer than this.
fn cut(mut text: String, max_bytes: usize) -> String {
    if text.len() > max_bytes {
        text.truncate(text.floor_char_boundary(max_bytes));
        text.push('…');
    }
    text
}

/// Whether the text can be read back without quotes, and cannot be taken for another field.
fn is_plain(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'=');
    !text.is_empty() && text.bytes().all(is_plain)
}

/// The fields of an event, without its message.
struct Fields(Vec<(String, serde_json::Value)>);

/// How many fields the event of a request has.
const MANY_FIELDS: usize = 12;

impl<'kvs> VisitSource<'kvs> for Fields {
    fn visit_pair(&mut self, key: Key<'kvs>, value: Value<'kvs>) -> Result<(), kv::Error> {
        let mut json = Json(serde_json::Value::Null);
        value.visit(&mut json)?;
        let value = match json.0 {
            serde_json::Value::String(text) => cut(text, MAX_FIELD_BYTES).into(),
            value => value,
        };
        self.0.push((key.as_str().to_owned(), value));
        Ok(())
    }
}

struct Json(serde_json::Value);

impl<'v> VisitValue<'v> for Json {
    fn visit_any(&mut self, value: Value) -> Result<(), kv::Error> {
        self.0 = value.to_string().into();
        Ok(())
    }

    fn visit_null(&mut self) -> Result<(), kv::Error> {
        Ok(())
    }

    fn visit_u64(&mut self, value: u64) -> Result<(), kv::Error> {
        self.0 = value.into();
        Ok(())
    }

    fn visit_i64(&mut self, value: i64) -> Result<(), kv::Error> {
        self.0 = value.into();
        Ok(())
    }

    fn visit_f64(&mut self, value: f64) -> Result<(), kv::Error> {
        self.0 = value.into();
        Ok(())
    }

    fn visit_bool(&mut self, value: bool) -> Result<(), kv::Error> {
        self.0 = value.into();
        Ok(())
    }

    fn visit_str(&mut self, value: &str) -> Result<(), kv::Error> {
        self.0 = value.into();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn formatted(format: Format, message: &str, pairs: &[(&str, Value)]) -> String {
        let args = format_args!("{message}");
        let record = Record::builder()
            .level(log::Level::Info)
            .target("t")
            .args(args)
            .key_values(&pairs)
            .build();
        let line = line(format, &record);
        // Without the time, which comes first.
        let start = match format {
            Format::Text => line.find(' ').unwrap() + 1,
            Format::Json => line.find(',').unwrap() + 1,
        };
        line[start..].to_owned()
    }

    fn filter(text: &str) -> Result<Filter, String> {
        Filter::parse(text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_stated_info_is_the_default() {
        let default = Filter {
            level: LevelFilter::Info,
            targets: vec![("actix_server".to_owned(), LevelFilter::Warn)],
        };
        for text in ["", " ", "info", "INFO", " info ,"] {
            assert_eq!(filter(text).as_ref(), Ok(&default), "{text:?}");
        }
    }

    #[test]
    fn a_target_has_a_level_of_its_own() {
        for (text, level, targets) in [
            (
                "info,request=off",
                LevelFilter::Info,
                &[("request", LevelFilter::Off), ("actix_server", LevelFilter::Warn)][..],
            ),
            (
                "request = off",
                LevelFilter::Info,
                &[("request", LevelFilter::Off), ("actix_server", LevelFilter::Warn)],
            ),
            ("info,actix=info", LevelFilter::Info, &[("actix", LevelFilter::Info)]),
            (
                "info,actix_server::worker=debug",
                LevelFilter::Info,
                &[
                    ("actix_server::worker", LevelFilter::Debug),
                    ("actix_server", LevelFilter::Warn),
                ],
            ),
            ("debug", LevelFilter::Debug, &[]),
            ("error", LevelFilter::Error, &[]),
            ("off,procure=warn", LevelFilter::Off, &[("procure", LevelFilter::Warn)]),
        ] {
            let targets = targets.iter().map(|(target, level)| ((*target).to_owned(), *level));
            let expected = Filter {
                level,
                targets: targets.collect(),
            };
            assert_eq!(filter(text), Ok(expected), "{text:?}");
        }
    }

    #[test]
    fn an_unknown_level_is_refused_by_name() {
        for (text, part) in [
            ("inf", "'inf'"),
            ("request", "'request'"),
            ("info,request=none", "'none'"),
            ("info,request=", "''"),
            ("info/text", "'info/text'"),
            ("info\u{1b}[2J", "'info\\u{1b}[2J'"),
            ("=warn", "'=warn'"),
        ] {
            let why = filter(text).unwrap_err();
            assert!(why.contains(part), "{text:?}: {why}");
        }
        let why = filter("verbose").unwrap_err();
        assert!(why.contains("error, warn, info, debug, trace, off,"), "{why}");
    }

    #[test]
    fn an_event_is_one_line_in_either_format() {
        let pairs = &[
            ("status", Value::from(200u64)),
            ("path", Value::from("/a|b")),
            ("id", Value::from("id=1,method=EVIL")),
            ("text", Value::from("two\nwords")),
        ];
        assert_eq!(
            formatted(Format::Text, "on\u{1b}[2J\r\nce", pairs),
            "INFO t: on\\u{1b}[2J\\u{d}\\u{a}ce status=200 path=/a|b id=\"id=1,method=EVIL\" text=\"two\\nwords\"\n"
        );
        assert_eq!(
            formatted(Format::Json, "on\nce", pairs),
            "\"level\":\"info\",\"target\":\"t\",\"message\":\"on\\nce\",\"status\":200,\"path\":\"/a|b\",\"id\":\"id=1,method=EVIL\",\"text\":\"two\\nwords\"}\n"
        );
    }

    #[test]
    fn long_texts_are_cut() {
        let long = "é".repeat(10_000);
        for format in [Format::Text, Format::Json] {
            let line = formatted(format, &long, &[("value", Value::from(long.as_str()))]);
            let marks = line.matches('…').count();
            assert!(
                marks == 2 && line.len() < MAX_MESSAGE_BYTES + MAX_FIELD_BYTES + 100,
                "{line}"
            );
        }
    }

    #[test]
    fn dropped_lines_are_counted_and_reported() {
        let (sender, messages) = mpsc::sync_channel(2);
        let lost = Arc::new(AtomicU64::new(0));
        let mut writer = QueueWriter {
            sender: sender.clone(),
            lost: Arc::clone(&lost),
        };
        for number in 0..5 {
            writer.write_all(format!("line {number}\n").as_bytes()).unwrap();
        }
        drop((sender, writer));
        let mut out = Vec::new();
        write_out(&messages, &lost, Format::Text, &mut out);
        let out = String::from_utf8(out).unwrap();
        assert!(out.starts_with("line 0\nline 1\n"), "{out}");
        assert!(out.contains("WARN log: 3 log lines were dropped here"), "{out}");
    }

    proptest! {
        #[test]
        fn arbitrary_text_yields_one_line_and_valid_json(message in "\\PC{0,20}|[\\x00-\\x1f]{1,9}", value in any::<String>()) {
            let pairs = [("value", Value::from(value.as_str()))];
            let text = formatted(Format::Text, &message, &pairs);
            prop_assert!(!text.trim_end_matches('\n').contains(char::is_control), "{}", text);
            let json: serde_json::Value = serde_json::from_str(&format!("{{{}", formatted(Format::Json, &message, &pairs))).unwrap();
            prop_assert_eq!(json["value"].as_str(), Some(value.as_str()));
        }
    }
}
