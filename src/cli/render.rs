use super::interrupt::Interrupt;
use super::number::{Between, between, flag};
use super::policy_arg::PolicyArg;
use super::{progress, say};
use crate::film::Shots;
use crate::film::View;
use crate::film::contact_sheet::{ContactSheet, PICTURES};
use crate::film::gif::Gif;
use crate::film::html::{self, Shown};
use crate::film::mp4::Mp4;
use crate::film::{self, film};
use crate::rollout::{Channels, Recording};
use crate::sim::Simulator;
use crate::{Error, Result};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct Render {
    #[command(flatten)]
    policy: PolicyArg,
    /// Output file; the extension selects the format: .mp4, .gif, .png (a contact sheet of the gait) or .html (an
    /// interactive page)
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Reset seed of the episode, as in Gymnasium's reset(seed=…)
    #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = flag::<u64>())]
    seed: u64,
    /// Width of a picture in pixels
    #[arg(long, default_value_t = 640, allow_negative_numbers = true, value_parser = pixels())]
    width: usize,
    /// Height of a picture in pixels
    #[arg(long, default_value_t = 480, allow_negative_numbers = true, value_parser = pixels())]
    height: usize,
    /// Pictures per second of simulated time [default: 50; GIF 25]
    #[arg(long, allow_negative_numbers = true, value_parser = between(1, 240u32))]
    fps: Option<u32>,
    /// Camera of the model [default: the task's, which follows the robot]
    #[arg(long, value_name = "NAME")]
    camera: Option<String>,
    /// Show only the first seconds of the episode
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = flag::<f64>())]
    seconds: Option<f64>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

/// H.264 encoders and many GL drivers do not support pictures larger than 4K.
fn pixels() -> Between<usize> {
    between(16, 3840)
}

/// The format that the extension of `-o` selects.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FilmFormat {
    Mp4,
    Gif,
    Png,
    Html,
}

impl Render {
    pub fn run(self) -> Result<()> {
        let format = self.format()?;
        if self.seconds.is_some_and(|seconds| !(seconds.is_finite() && seconds > 0.0)) {
            return Err(Error::usage("--seconds must be more than 0"));
        }
        let (task, policy, about) = self.policy.open()?;
        Interrupt::clean_up()?;
        let fps = self.fps.unwrap_or(if format == FilmFormat::Gif { 25 } else { 50 });
        let size = (self.width, self.height);
        let file: Box<dyn film::FrameWriter> = match format {
            FilmFormat::Mp4 => Box::new(Mp4::new(&self.output, self.force, size, fps)?),
            FilmFormat::Gif => Box::new(Gif::new(&self.output, self.force, size, fps)?),
            FilmFormat::Png => Box::new(ContactSheet::new(&self.output, self.force, size)?),
            FilmFormat::Html => {
                let name = self.policy.policy.display().to_string();
                let shown = Shown { policy: &policy, name: &name, score: about.score.as_ref() };
                let (mut simulator, seconds) = (Simulator::new(task), self.seconds);
                let outcome = html::write(&mut simulator, &shown, self.seed, seconds, &self.output, self.force)?;
                say(&format!("{}: {} steps, return {:.1}", self.output.display(), outcome.length, outcome.value));
                return Ok(());
            }
        };

        let channels = Channels { moments: true, seconds: self.seconds, ..Channels::default() };
        let recording = Recording::new(&mut Simulator::new(task.clone()), &policy, self.seed, channels);
        let shots = Shots::new(recording, self.seconds)?;
        let moments = match (format, self.seconds) {
            (FilmFormat::Png, None) => shots.gait(PICTURES),
            (FilmFormat::Png, Some(_)) => shots.spread(PICTURES),
            _ => shots.frames(fps),
        };
        let view = View { width: self.width, height: self.height, camera: self.camera };
        let bar = progress::bar(moments.len(), "pictures");
        let done = film(&task, &view, &moments, file, || bar.inc(1));
        bar.finish_and_clear();
        done?;
        let (count, seconds, value) = (moments.len(), shots.seconds(), shots.value());
        say(&format!("{}: {count} pictures of {seconds:.2} s, return {value:.1}", self.output.display()));
        Ok(())
    }

    fn format(&self) -> Result<FilmFormat> {
        let ending = self.output.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("mp4") => Ok(FilmFormat::Mp4),
            Some("gif") => Ok(FilmFormat::Gif),
            Some("png") => Ok(FilmFormat::Png),
            Some("html") => Ok(FilmFormat::Html),
            other => {
                let found = other.map_or("no extension".to_string(), |ending| format!("the extension `.{ending}`"));
                Err(Error::usage(format!("`{}` has {found}; use .mp4, .gif, .png or .html", self.output.display()))
                    .hint("`-o film.mp4` plays everywhere"))
            }
        }
    }
}
