use super::chosen::Chosen;
use super::progress;
use crate::report::View;
use crate::report::film::{self, film};
use crate::report::gif::Gif;
use crate::report::html;
use crate::report::mp4::Mp4;
use crate::report::strip::{PICTURES, Strip};
use crate::report::take::Take;
use crate::sim::Simulator;
use crate::{Error, Result};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use std::path::PathBuf;

#[derive(Args)]
pub struct Render {
    #[command(flatten)]
    chosen: Chosen,
    /// Where to write; the ending decides the format: .mp4, .gif, .png for a strip of the gait, or .html for a
    /// page to play, turn and scrub
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Reset seed of the episode, as in Gymnasium's reset(seed=…)
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Pixels per picture
    #[arg(long, default_value_t = 640, value_parser = pixels())]
    width: usize,
    #[arg(long, default_value_t = 480, value_parser = pixels())]
    height: usize,
    /// Pictures per second of simulated time [default: 50; GIF 25]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=240))]
    fps: Option<u32>,
    /// A camera of the model [default: the task's, which follows the robot]
    #[arg(long, value_name = "NAME")]
    camera: Option<String>,
    /// Only the first seconds of the episode
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

/// Larger pictures than 4K are beyond H.264 encoders and many GL drivers.
fn pixels() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(16..=3840)
}

/// What the ending of `-o` asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Mp4,
    Gif,
    Png,
    Html,
}

impl Render {
    pub fn run(self) -> Result<()> {
        let format = self.format()?;
        if self.seconds.is_some_and(|seconds| !(seconds.is_finite() && seconds > 0.0)) {
            return Err(Error::usage("--seconds needs a number more than 0"));
        }
        let (task, policy, _) = self.chosen.open()?;
        let fps = self.fps.unwrap_or(if format == Format::Gif { 25 } else { 50 });
        let size = (self.width, self.height);
        let file: Box<dyn film::Format> = match format {
            Format::Mp4 => Box::new(Mp4::new(&self.output, self.force, size, fps)?),
            Format::Gif => Box::new(Gif::new(&self.output, self.force, size, fps)?),
            Format::Png => Box::new(Strip::new(&self.output, self.force, size)?),
            Format::Html => {
                let outcome =
                    html::write(&mut Simulator::new(task), &policy, self.seed, self.seconds, &self.output, self.force)?;
                eprintln!("{}: {} steps, return {:.1}", self.output.display(), outcome.length, outcome.value);
                return Ok(());
            }
        };

        let take = Take::record(&task, &policy, self.seed, self.seconds)?;
        let moments = match (format, self.seconds) {
            (Format::Png, None) => take.gait(PICTURES),
            (Format::Png, Some(_)) => take.spread(PICTURES),
            _ => take.frames(fps),
        };
        let view = View { width: self.width, height: self.height, camera: self.camera };
        let bar = progress::bar(moments.len(), "pictures");
        let done = film(&task, &view, &moments, file, || bar.inc(1));
        bar.finish_and_clear();
        done?;
        let (count, seconds, value) = (moments.len(), take.seconds(), take.value());
        eprintln!("{}: {count} pictures of {seconds:.2} s, return {value:.1}", self.output.display());
        Ok(())
    }

    fn format(&self) -> Result<Format> {
        let ending = self.output.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("mp4") => Ok(Format::Mp4),
            Some("gif") => Ok(Format::Gif),
            Some("png") => Ok(Format::Png),
            Some("html") => Ok(Format::Html),
            other => {
                let found = other.map_or("no ending".to_string(), |ending| format!("the ending `.{ending}`"));
                Err(Error::usage(format!(
                    "`{}` has {found}; known are .mp4, .gif, .png and .html",
                    self.output.display()
                ))
                .hint("`-o film.mp4` plays everywhere"))
            }
        }
    }
}
