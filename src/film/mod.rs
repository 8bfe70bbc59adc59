//! In: a task, a policy, a recorded episode. Out: an MP4, a GIF, a contact sheet (PNG), an interactive HTML page, a
//! window.
//! Must not know: optimizers, runs, the terminal.
//!
//! [`Shots`] chooses the moments of a recording. `render` draws them, `fxaa` and `overlay` finish the pictures, and
//! [`film`] hands them to [`mp4`], [`gif`] or [`contact_sheet`]. [`html`] writes a page that replays an episode.

mod bare;
pub mod contact_sheet;
mod fxaa;
mod gait;
pub mod gif;
pub mod html;
pub mod mp4;
mod overlay;
mod render;
mod shadows;
mod shots;
#[cfg(feature = "viewer")]
pub mod window;

pub use render::View;
pub use shots::Shots;

use crate::atomic::Draft;
use crate::rollout::Moment;
use crate::sim::Task;
use crate::{Error, Result};
use fxaa::fxaa;
use overlay::Overlay;
use render::Renderer;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

/// Receives RGB pictures in order, all of the same size.
pub trait FrameWriter: Send {
    /// Adds the next picture.
    ///
    /// # Errors
    /// If it cannot be encoded or written.
    fn add(&mut self, rgb: &[u8]) -> Result<()>;
    /// Completes the file, which does not exist under its final name until then.
    ///
    /// # Errors
    /// If the file cannot be completed.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// The file that frames are written to, under a temporary name until it is complete.
pub struct Output(BufWriter<Draft>);

impl Output {
    /// Creates the file under a temporary name.
    ///
    /// # Errors
    /// If the target cannot be written, or if it exists and `force` is not set. The error comes before anything is drawn.
    pub fn new(target: &Path, force: bool) -> Result<Self> {
        Draft::file(target, force).map(BufWriter::new).map(Self)
    }

    /// Gives the complete file its final name.
    ///
    /// # Errors
    /// If the rest cannot be written, or if the file cannot be synced or renamed.
    pub fn publish(self, target: &Path) -> Result<()> {
        let draft = self.0.into_inner().map_err(|e| Error::output(target, e.into_error()))?;
        draft.publish()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// How many pictures may wait for the writer: enough to keep both sides busy, few enough to save memory.
const WAITING: usize = 8;

/// Draws the moments and writes them, calling `drawn` after each one.
///
/// # Errors
/// If the camera is unknown, or if drawing or writing fails.
pub fn film(
    task: &Task,
    view: &View,
    moments: &[&Moment],
    mut format: Box<dyn FrameWriter>,
    mut drawn: impl FnMut(),
) -> Result<()> {
    let overlay = Overlay::new(view.width, view.height, moments)?;
    thread::scope(|scope| {
        let (to_writer, pictures) = sync_channel::<Vec<u8>>(WAITING);
        let writer = scope.spawn(move || {
            for moment in moments {
                // The channel closes early only if drawing failed. The unfinished file is dropped then.
                let Ok(mut rgb) = pictures.recv() else { return Ok(()) };
                fxaa(&mut rgb, view.width);
                overlay.draw(&mut rgb, moment);
                format.add(&rgb)?;
            }
            format.finish()
        });
        let drawing = draw(task, view, moments, to_writer, &mut drawn);
        let writing = writer.join().unwrap_or_else(|_| Err(Error::failed("the thread that writes the film panicked")));
        // A failed writer also stops the drawing, so its error is the one to report.
        writing.and(drawing)
    })
}

fn draw(
    task: &Task,
    view: &View,
    moments: &[&Moment],
    to_writer: SyncSender<Vec<u8>>,
    drawn: &mut impl FnMut(),
) -> Result<()> {
    let mut renderer = Renderer::new(task, view)?;
    for moment in moments {
        // If the writer has stopped, it reports the reason itself.
        if to_writer.send(renderer.draw(&moment.qpos)?).is_err() {
            return Ok(());
        }
        drawn();
    }
    Ok(())
}
