//! Writes H.264 video (4:2:0) in an MP4 file, which plays everywhere.

use super::{FrameWriter, Output};
use crate::{Error, Result};
use muxide::api::{Muxer, MuxerBuilder, MuxerError, VideoCodec};
use openh264::OpenH264API;
use openh264::encoder::{
    BitRate, ColorPrimaries, Encoder, EncoderConfig, FrameRate, FrameType, IntraFramePeriod, QpRange, RateControlMode,
    TransferCharacteristics, VuiConfig,
};
use openh264::formats::{RgbSliceU8, YUVBuffer};
use std::path::{Path, PathBuf};

/// The quantizer: 50 dB on these scenes at 65 kB per second of film.
const QUALITY: u8 = 22;
/// Seconds between two key frames, which sets how finely a player can seek.
const SEEK: u32 = 2;

/// A video in the making.
pub struct Mp4 {
    encoder: Encoder,
    muxer: Muxer<Output>,
    yuv: YUVBuffer,
    size: (usize, usize),
    fps: u32,
    frames: u32,
    target: PathBuf,
}

impl Mp4 {
    /// Starts a video of pictures of this size.
    ///
    /// # Errors
    /// If the width or height is odd, if the target cannot be written, if it exists and `force` is not set, or if the
    /// encoder fails.
    pub fn new(target: &Path, force: bool, (width, height): (usize, usize), fps: u32) -> Result<Self> {
        if width % 2 == 1 || height % 2 == 1 {
            let even = |n: usize| n + n % 2;
            return Err(Error::usage(format!("an MP4 needs an even width and height, not {width} by {height}"))
                .hint(format!("`width {}`, `height {}`", even(width), even(height)))
                .naming(&["width", "height"]));
        }
        let output = Output::new(target, force)?;
        let encoder = Encoder::with_api_config(OpenH264API::from_source(), settings(fps)).map_err(encoding)?;
        let muxer = MuxerBuilder::new(output)
            .video(VideoCodec::H264, width as u32, height as u32, f64::from(fps))
            .with_fast_start(true)
            .build()
            .map_err(|e| muxing(target, e))?;
        let yuv = YUVBuffer::new(width, height);
        Ok(Self { encoder, muxer, yuv, size: (width, height), fps, frames: 0, target: target.to_path_buf() })
    }
}

fn settings(fps: u32) -> EncoderConfig {
    EncoderConfig::new()
        // This is the only rate control of openh264 that keeps the requested quantizer.
        .rate_control_mode(RateControlMode::Quality)
        .qp(QpRange::new(QUALITY, QUALITY))
        // It warns unless it may skip pictures. Under so high a limit it never does.
        .bitrate(BitRate::from_bps(200_000_000))
        .max_frame_rate(FrameRate::from_hz(fps as f32))
        .intra_frame_period(IntraFramePeriod::from_num_frames(SEEK * fps))
        // These are tuned for webcam footage and leave ghosting artifacts here.
        .background_detection(false)
        .adaptive_quantization(false)
        .vui(colors())
}

/// Declares the conversion that `YUVBuffer` applies: BT.601's matrix in the video range.
fn colors() -> VuiConfig {
    VuiConfig::bt601().color_primaries(ColorPrimaries::Bt709).transfer_characteristics(TransferCharacteristics::Bt709)
}

impl FrameWriter for Mp4 {
    fn add(&mut self, rgb: &[u8]) -> Result<()> {
        self.yuv.read_rgb8(RgbSliceU8::new(rgb, self.size));
        let packet = self.encoder.encode(&self.yuv).map_err(encoding)?;
        let alone = matches!(packet.frame_type(), FrameType::IDR | FrameType::I);
        let time = f64::from(self.frames) / f64::from(self.fps);
        self.muxer.write_video(time, &packet.to_vec(), alone).map_err(|e| muxing(&self.target, e))?;
        self.frames += 1;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.muxer.finish_in_place().map_err(|e| muxing(&self.target, e))?;
        self.muxer.into_writer().publish(&self.target)
    }
}

fn encoding(error: openh264::Error) -> Error {
    Error::failed(format!("the H.264 encoder failed: {error}"))
}

fn muxing(target: &Path, error: MuxerError) -> Error {
    match error {
        MuxerError::Io(e) => Error::output(target, e),
        other => Error::failed(format!("the MP4 file could not be assembled: {other}")),
    }
}
