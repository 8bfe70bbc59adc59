//! Pictures of a take, drawn on one thread and written on another.

use super::draft::Draft;
use super::overlay::Overlay;
use super::render::{Renderer, View};
use super::smooth::smooth;
use super::take::Moment;
use crate::sim::Task;
use crate::{Error, Result};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

/// A format: takes RGB pictures in order, all of one size.
pub trait Format: Send {
    fn add(&mut self, rgb: &[u8]) -> Result<()>;
    /// Completes the file; it does not exist before.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// The file a format writes to, under its temporary name.
pub struct Output {
    file: BufWriter<File>,
    draft: Draft,
}

impl Output {
    /// Says now, before anything is drawn, if the place cannot be written to.
    pub fn new(target: &Path, force: bool) -> Result<Self> {
        let draft = Draft::file(target, force)?;
        let file = File::create(draft.path()).map_err(|e| Error::output(target, e))?;
        Ok(Self { file: BufWriter::new(file), draft })
    }

    /// The content is complete.
    pub fn publish(mut self, target: &Path) -> Result<()> {
        self.file.flush().map_err(|e| Error::output(target, e))?;
        self.draft.publish()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Pictures that wait for the writer: enough to even out the two, few enough to stay small in memory.
const WAITING: usize = 8;

/// Draws the moments and writes them; `drawn` is called after each.
pub fn film(
    task: &Task,
    view: &View,
    moments: &[&Moment],
    mut format: Box<dyn Format>,
    mut drawn: impl FnMut(),
) -> Result<()> {
    let overlay = Overlay::new(view.width, view.height, moments)?;
    thread::scope(|scope| {
        let (to_writer, pictures) = sync_channel::<Vec<u8>>(WAITING);
        let writer = scope.spawn(move || {
            for moment in moments {
                // A channel that closes early means that drawing failed: the format is dropped unfinished.
                let Ok(mut rgb) = pictures.recv() else { return Ok(()) };
                smooth(&mut rgb, view.width);
                overlay.draw(&mut rgb, moment);
                format.add(&rgb)?;
            }
            format.finish()
        });
        let drawing = draw(task, view, moments, to_writer, &mut drawn);
        let writing = writer.join().unwrap_or_else(|_| Err(Error::failed("the thread that writes the film panicked")));
        // A failed writer also ends the drawing, so its reason comes first.
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
        // If the writer is gone, it says why itself.
        if to_writer.send(renderer.draw(&moment.qpos)?).is_err() {
            return Ok(());
        }
        drawn();
    }
    Ok(())
}
