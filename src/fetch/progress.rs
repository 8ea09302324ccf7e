//! Progress for the operator: a bar on a terminal, else one log line per file.

use indicatif::{ProgressBar, ProgressStyle};

pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    pub(crate) fn new() -> Progress {
        let bar = ProgressBar::new(0);
        let style = ProgressStyle::with_template("{bar:24} {bytes}/{total_bytes} {bytes_per_sec} {msg}");
        bar.set_style(style.expect("the template is valid"));
        Progress { bar }
    }

    /// Starts a file of which `position` bytes are there already.
    pub(crate) fn start(&self, name: &str, position: u64, total: Option<u64>) {
        self.bar.reset();
        self.bar.set_length(total.unwrap_or(0));
        self.bar.set_position(position);
        self.bar.set_message(name.to_owned());
        if self.bar.is_hidden() {
            match total {
                Some(total) => log::info!("fetching {name}, {total} bytes"),
                None => log::info!("fetching {name}"),
            }
        }
    }

    pub(crate) fn set_position(&self, bytes: u64) {
        self.bar.set_position(bytes);
    }

    pub(crate) fn warn(&self, text: &str) {
        self.bar.suspend(|| log::warn!("{text}"));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
