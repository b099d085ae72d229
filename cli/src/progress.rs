//! A progress bar on a terminal, nothing elsewhere.

use crate::globals::Globals;
use crate::io::Io;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shorter work than this shows no bar.
const WORTH_A_BAR: usize = 20;

/// The progress of long work.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Starts a bar of `length` steps when a person watches and there is much to do.
    pub fn start(io: &Io<'_>, globals: &Globals, label: &'static str, length: usize) -> Self {
        let output = &globals.output;
        let shown = io.terminal && length >= WORTH_A_BAR && !(output.agent || output.quiet || output.json);
        let bar = ProgressBar::new(length as u64).with_message(label);
        bar.set_draw_target(if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() });
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}") {
            bar.set_style(style);
        }
        Self { bar }
    }

    /// Goes one step on.
    pub fn step(&mut self) {
        self.bar.inc(1);
    }

    /// Removes the bar.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}
