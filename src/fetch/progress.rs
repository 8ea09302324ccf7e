//! What the operator sees meanwhile: a bar on a terminal, a line a file elsewhere.

use indicatif::{ProgressBar, ProgressStyle};

pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    pub fn new() -> Progress {
        let bar = ProgressBar::new(0);
        let style = ProgressStyle::with_template("{bar:24} {bytes}/{total_bytes} {bytes_per_sec} {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Progress { bar }
    }

    pub fn begin(&self, name: &str, at: u64, total: Option<u64>) {
        self.bar.reset();
        self.bar.set_length(total.unwrap_or(0));
        self.bar.set_position(at);
        self.bar.set_message(name.to_owned());
        if self.bar.is_hidden() {
            match total {
                Some(total) => log::info!("fetching {name}, {total} bytes"),
                None => log::info!("fetching {name}"),
            }
        }
    }

    pub fn at(&self, bytes: u64) {
        self.bar.set_position(bytes);
    }

    pub fn warn(&self, text: &str) {
        self.bar.suspend(|| log::warn!("{text}"));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
