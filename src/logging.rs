//! How log lines look, and how they get out: one line an event, as text or as JSON, written by a thread of its own.
//!
//! Whoever logs only hands the line over: a terminal or a pipe that is slow holds up nobody who answers requests. What no longer fits between is left out, counted, and reported.
//! **Invariant:** one event is one line. Whatever a stranger's text holds, control characters leave escaped.

use std::{
    io::{self, Write},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, Receiver, SyncSender, TrySendError},
    },
    thread,
    time::Duration,
};

use anyhow::Context;
use chrono::{SecondsFormat, Utc};
use env_logger::{Builder, Env, Target, WriteStyle};
use log::{
    Record,
    kv::{self, Key, Value, VisitSource, VisitValue},
};
use serde_json::Map;

/// The variable that says what is logged, and what is where it is not set.
const VARIABLE: &str = "PROCURE_LOG";
const DEFAULT: &str = "info,actix_server=warn";

/// Spec silent: how a log line looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// `2026-11-21T07:00:00.000Z INFO request: answered id=… status=200`
    #[default]
    Text,
    /// The same as one JSON object: `time`, `level`, `target`, `message`, and what else is known.
    Json,
}

/// The lines that may wait to be written.
const WAITING: usize = 8192;

/// How long the end of the process waits for the last lines to be written.
const PATIENCE: Duration = Duration::from_secs(2);

/// How many bytes are written at once.
const BATCH: usize = 64 * 1024;

static LOST: AtomicU64 = AtomicU64::new(0);

/// How many lines were dropped since the start.
pub fn lost() -> u64 {
    LOST.load(Ordering::Relaxed)
}

enum Message {
    Line(Vec<u8>),
    /// Answered when all lines before it are written.
    Flush(SyncSender<()>),
}

/// Where lines go, from the start on.
static LINES: OnceLock<SyncSender<Message>> = OnceLock::new();

/// The log while it lasts: dropped, it waits for the last lines.
#[derive(Debug)]
pub struct Log(());

/// Logs from now on, to stderr.
pub fn start(format: Format) -> anyhow::Result<Log> {
    let (sender, messages) = mpsc::sync_channel(WAITING);
    let lines = Lines {
        sender: sender.clone(),
        lost: Arc::default(),
    };
    let lost = Arc::clone(&lines.lost);
    thread::Builder::new()
        .name("log".to_owned())
        .spawn(move || write_out(&messages, &lost, format, &mut io::stderr()))
        .context("starting the log thread")?;
    Builder::from_env(Env::new().filter_or(VARIABLE, DEFAULT))
        .target(Target::Pipe(Box::new(lines)))
        .write_style(WriteStyle::Never)
        .format(move |out, record| out.write_all(line(format, record).as_bytes()))
        .try_init()
        .context("starting the log")?;
    // Started once: a second start has failed above.
    let _ = LINES.set(sender);
    Ok(Log(()))
}

/// Waits until all lines so far are written; for who ends the process without dropping its [`Log`].
pub fn flush() {
    let (sender, written) = mpsc::sync_channel(1);
    // A log that is stuck must not keep the process from ending.
    if let Some(lines) = LINES.get()
        && lines.try_send(Message::Flush(sender)).is_ok()
    {
        let _ = written.recv_timeout(PATIENCE);
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        flush();
    }
}

/// Where the logger writes: each write is a line for the thread.
struct Lines {
    sender: SyncSender<Message>,
    lost: Arc<AtomicU64>,
}

impl Write for Lines {
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

/// Writes what comes, as much at once as has come, until nobody can send any more.
fn write_out(messages: &Receiver<Message>, lost: &AtomicU64, format: Format, out: &mut impl Write) {
    let mut batch = Vec::with_capacity(BATCH);
    while let Ok(first) = messages.recv() {
        let mut next = Some(first);
        let mut flushed = Vec::new();
        while let Some(message) = next.take() {
            match message {
                Message::Line(line) => batch.extend_from_slice(&line),
                Message::Flush(sender) => flushed.push(sender),
            }
            if batch.len() < BATCH {
                next = messages.try_recv().ok();
            }
        }
        let lost = lost.swap(0, Ordering::Relaxed);
        if lost > 0 {
            let text = format_args!("{lost} log lines are missing here: they came faster than they could be written");
            let warning = Record::builder()
                .level(log::Level::Warn)
                .target("log")
                .args(text)
                .build();
            batch.extend_from_slice(line(format, &warning).as_bytes());
        }
        // There is nobody left to tell that stderr cannot be written to.
        let _ = out.write_all(&batch);
        batch.clear();
        for sender in flushed {
            let _ = sender.try_send(());
        }
    }
}

/// An event as a line, with its end.
fn line(format: Format, record: &Record) -> String {
    let mut pairs = Pairs(Map::new());
    let time = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true);
    let (level, target, message) = (record.level(), record.target(), record.args().to_string());
    // The visitor takes whatever comes.
    let _ = record.key_values().visit(&mut pairs);
    let mut line = String::with_capacity(256);
    match format {
        Format::Text => {
            line.push_str(&format!("{time} {level} {target}: {}", escaped(&message)));
            for (name, value) in &pairs.0 {
                let value = match value {
                    serde_json::Value::Null => continue,
                    // As it is where it reads as one word, else between quotes.
                    serde_json::Value::String(text) if is_word(text) => text.clone(),
                    value => escaped(&value.to_string()),
                };
                line.push_str(&format!(" {name}={value}"));
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
            object.append(&mut pairs.0);
            // JSON escapes the ASCII control characters; the others are no line ends to anyone who reads JSON.
            line.push_str(&serde_json::Value::Object(object).to_string());
        }
    }
    line.push('\n');
    line
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"')
}

/// The text without any character that moves a cursor or ends a line.
fn escaped(text: &str) -> String {
    let is_harmful = |c: char| {
        c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(is_harmful) {
        return text.to_owned();
    }
    let escape = |c: char| match is_harmful(c) {
        true => c.escape_unicode().to_string(),
        false => c.to_string(),
    };
    text.chars().map(escape).collect()
}

/// What is known of an event besides its message.
struct Pairs(Map<String, serde_json::Value>);

impl<'kvs> VisitSource<'kvs> for Pairs {
    fn visit_pair(&mut self, key: Key<'kvs>, value: Value<'kvs>) -> Result<(), kv::Error> {
        let mut json = Json(serde_json::Value::Null);
        value.visit(&mut json)?;
        self.0.insert(key.as_str().to_owned(), json.0);
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

    fn shown(format: Format, message: &str, pairs: &[(&str, Value)]) -> String {
        let args = format_args!("{message}");
        let record = Record::builder()
            .level(log::Level::Info)
            .target("t")
            .args(args)
            .key_values(&pairs)
            .build();
        let line = line(format, &record);
        // Without the time, which is the first word or field.
        let cut = match format {
            Format::Text => line.find(' ').unwrap() + 1,
            Format::Json => line.find(',').unwrap() + 1,
        };
        line[cut..].to_owned()
    }

    #[test]
    fn an_event_is_one_line_in_either_format() {
        let pairs = &[
            ("status", Value::from(200u64)),
            ("path", Value::from("/a|b")),
            ("text", Value::from("two\nwords")),
        ];
        assert_eq!(
            shown(Format::Text, "on\u{1b}[2J\r\nce", pairs),
            "INFO t: on\\u{1b}[2J\\u{d}\\u{a}ce status=200 path=/a|b text=\"two\\nwords\"\n"
        );
        assert_eq!(
            shown(Format::Json, "on\nce", pairs),
            "\"level\":\"info\",\"target\":\"t\",\"message\":\"on\\nce\",\"status\":200,\"path\":\"/a|b\",\"text\":\"two\\nwords\"}\n"
        );
    }

    #[test]
    fn what_does_not_fit_is_counted_and_told() {
        let (sender, messages) = mpsc::sync_channel(2);
        let lost = Arc::new(AtomicU64::new(0));
        let mut lines = Lines {
            sender: sender.clone(),
            lost: Arc::clone(&lost),
        };
        for number in 0..5 {
            lines.write_all(format!("line {number}\n").as_bytes()).unwrap();
        }
        drop((sender, lines));
        let mut out = Vec::new();
        write_out(&messages, &lost, Format::Text, &mut out);
        let out = String::from_utf8(out).unwrap();
        assert!(out.starts_with("line 0\nline 1\n"), "{out}");
        assert!(out.contains("WARN log: 3 log lines are missing here"), "{out}");
    }

    proptest! {
        #[test]
        fn no_text_makes_two_lines_or_breaks_the_json(message in "\\PC{0,20}|[\\x00-\\x1f]{1,9}", value in any::<String>()) {
            let pairs = [("value", Value::from(value.as_str()))];
            let text = shown(Format::Text, &message, &pairs);
            prop_assert!(!text.trim_end_matches('\n').contains(char::is_control), "{}", text);
            let json: serde_json::Value = serde_json::from_str(&format!("{{{}", shown(Format::Json, &message, &pairs))).unwrap();
            prop_assert_eq!(json["value"].as_str(), Some(value.as_str()));
        }
    }
}
