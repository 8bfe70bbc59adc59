//! Films of policies: what the files, their length and their pictures must be like, and the messages when it fails.
//!
//! Drawing needs EGL. Without it, the tests of pictures only check that the error says what to install.

#![cfg(feature = "cli")]

use openh264::decoder::Decoder;
use openh264::formats::YUVSource;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A folder with a swimmer that does nothing, because its first seconds are cheap to draw.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(TempDir::new().unwrap());
        place.write("still.json", &policy("swimmer", 8, 2, 0.0));
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.at(name), text).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_locomotion"));
        command.current_dir(self.0.path()).args(arguments);
        command
    }

    /// Renders. Returns `false` if there is no EGL, and checks that the error is the helpful one then.
    fn renders(&self, arguments: &[&str]) -> bool {
        let output = self.run(arguments);
        if output.status.success() {
            return true;
        }
        assert!(!egl_is_installed(), "{}", talk(&output));
        assert_no_gl(&output);
        false
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn policy(task: &str, observations: usize, actions: usize, weight: f64) -> String {
    let weights = vec![vec![weight; observations]; actions];
    format!(
        r#"{{"format":"locomotion-policy/1","task":"{task}","observations":{observations},"actions":{actions},"weights":{weights:?},"normalizer":null}}"#
    )
}

fn talk(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Debian's `libegl1` and `libgl1-mesa-dri`, found as a package manager would find them.
fn egl_is_installed() -> bool {
    let library = |name: &str| Path::new("/usr/lib/x86_64-linux-gnu").join(name).exists();
    library("libEGL.so.1") && library("libEGL_mesa.so.0") && library("dri/swrast_dri.so")
}

fn assert_no_gl(output: &Output) {
    assert_eq!(output.status.code(), Some(1), "{}", talk(output));
    for part in ["OpenGL", "libegl1", "libgl1-mesa-dri", ".html"] {
        assert!(talk(output).contains(part), "no {part} in: {}", talk(output));
    }
}

/// Runs the program and checks the exit code, all parts of the message, and that no file is left behind.
fn fails(place: &Place, arguments: &[&str], code: i32, parts: &[&str]) {
    let before = place.files();
    let output = place.run(arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", talk(&output));
    for part in parts {
        assert!(talk(&output).contains(part), "{arguments:?}: no `{part}` in: {}", talk(&output));
    }
    assert_eq!(place.files(), before, "{arguments:?}");
}

const SMALL: [&str; 6] = ["--width", "96", "--height", "64", "--seconds", "0.38"];

fn render<'a>(file: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["render", "still.json", "-o", file];
    arguments.extend(SMALL);
    arguments.extend(more);
    arguments
}

#[test]
fn a_video_is_h264_of_the_right_length_and_shows_something() {
    let place = Place::new();
    if !place.renders(&render("film.mp4", &["--fps", "50"])) {
        return;
    }
    let video = Mp4::read(&place.at("film.mp4"));
    assert_eq!(video.samples.len(), 20, "0.38 s at 50 pictures per second, first and last included");
    assert!((video.seconds - 0.40).abs() < 1e-3, "{}", video.seconds);

    let mut decoder = Decoder::new().unwrap();
    decoder.decode(&video.parameters).unwrap();
    let mut pictures = 0;
    for sample in &video.samples {
        let picture = decoder.decode(sample).unwrap().expect("a picture per sample");
        assert_eq!(picture.dimensions(), (96, 64));
        assert!(contrast(picture.y()) > 40, "the picture is flat");
        pictures += 1;
    }
    assert_eq!(pictures, 20);
    assert_eq!(place.files(), ["film.mp4", "still.json"]);
}

#[test]
fn a_gif_keeps_the_time_even_if_the_rate_does_not_divide_a_hundred() {
    let place = Place::new();
    if !place.renders(&render("film.gif", &["--fps", "30"])) {
        return;
    }
    let mut decoder = gif::Decoder::new(File::open(place.at("film.gif")).unwrap()).unwrap();
    assert_eq!((decoder.width(), decoder.height()), (96, 64));
    let mut delays = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        delays.push(frame.delay);
    }
    assert_eq!(delays.len(), 12);
    assert_eq!(delays.iter().sum::<u16>(), 40, "12 pictures at 30 per second take 0.40 s: {delays:?}");
}

#[test]
fn a_contact_sheet_holds_eight_pictures_in_two_rows() {
    let place = Place::new();
    if !place.renders(&render("gait.PNG", &[])) {
        return;
    }
    let sheet = Sheet::read(&place.at("gait.PNG"));
    assert_eq!((sheet.width, sheet.height), (4 * 96 + 3 * 4, 2 * 64 + 4));
    assert!(contrast(&sheet.rgb) > 100);
}

#[test]
fn a_model_without_light_floor_and_camera_is_bright_colored_and_fills_the_picture() {
    let place = Place::new();
    place.write("bare.xml", BARE_MODEL);
    place.write("bare.toml", &SPIN_TASK.replace("spin", "bare"));
    place.write("bare.json", &policy("bare", 15, 1, 0.0));
    let render = |file: &'static str| ["render", "bare.json", "--env", "bare.toml", "-o", file];
    let size = ["--width", "160", "--height", "120", "--seconds", "0.05"];
    let page = place.run(&render("bare.html"));
    assert!(page.status.success(), "{}", talk(&page));
    let page = fs::read_to_string(place.at("bare.html")).unwrap();
    let data = page.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
    let scene = serde_json::from_str::<serde_json::Value>(data).unwrap()["scene"].clone();
    let (distance, extent) = (scene["camera"]["distance"].as_f64().unwrap(), scene["extent"].as_f64().unwrap());
    assert!((0.8..2.5).contains(&distance) && extent < 2.0, "from {distance} m, a scene of {extent} m");
    let gray = serde_json::json!([0.5, 0.5, 0.5, 1.0]);
    assert!(scene["shapes"].as_array().unwrap().iter().all(|shape| shape["rgba"] != gray));

    if !place.renders(&[&render("bare.png")[..], &size].concat()) {
        return;
    }
    let sheet = Sheet::read(&place.at("bare.png"));
    // The first picture, below its caption.
    let pixels: Vec<[u8; 3]> =
        (30..120).flat_map(|y| (0..160).map(move |x| (x, y))).map(|(x, y)| sheet.at(x, y)).collect();
    let share = |of: fn(&[u8; 3]) -> bool| pixels.iter().filter(|pixel| of(pixel)).count() as f64 / pixels.len() as f64;
    let robot = share(|[r, g, b]| i16::from(*g.max(b)) - i16::from(*r) > 25 && *r < 130);
    assert!((0.04..0.5).contains(&robot), "the robot covers {robot}");
    let bright = share(|pixel| pixel.iter().all(|channel| *channel > 170));
    assert!(bright > 0.4, "the floor and the sky are bright: {bright}");
}

#[test]
fn no_surface_in_the_sun_has_specks_of_shadow() {
    let place = Place::new();
    let arguments = ["render", "swimmer", "-o", "a.png", "--seconds", "4", "--width", "480", "--height", "360"];
    if !place.renders(&arguments) {
        return;
    }
    let sheet = Sheet::read(&place.at("a.png"));
    let sum = |x: usize, y: usize| sheet.at(x, y).iter().map(|channel| u32::from(*channel)).sum::<u32>();
    let around = [(0, 0), (2, 0), (4, 0), (0, 2), (4, 2), (0, 4), (2, 4), (4, 4)];
    // Darker than the pixels around it, which are alike.
    let is_speck = |x: usize, y: usize| {
        let ring = around.map(|(dx, dy)| sum(x + dx, y + dy));
        let (low, high) = (ring.iter().min().unwrap(), ring.iter().max().unwrap());
        100 * sum(x + 2, y + 2) < 92 * low && 100 * high < 125 * low
    };
    // Inside each picture, below its caption.
    let places =
        (0..8).flat_map(|k| (0..476).flat_map(move |x| (40..356).map(move |y| (k % 4 * 484 + x, k / 4 * 364 + y))));
    let specks = places.filter(|(x, y)| is_speck(*x, *y)).count();
    assert!(specks < 10, "{specks} specks");
}

/// A contact sheet.
struct Sheet {
    width: usize,
    height: usize,
    rgb: Vec<u8>,
}

impl Sheet {
    fn read(file: &Path) -> Self {
        let mut reader = png::Decoder::new(std::io::BufReader::new(File::open(file).unwrap())).read_info().unwrap();
        let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut rgb).unwrap();
        Self { width: info.width as usize, height: info.height as usize, rgb }
    }

    fn at(&self, x: usize, y: usize) -> [u8; 3] {
        let at = 3 * (y * self.width + x);
        [self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]]
    }
}

#[test]
fn the_same_episode_gives_the_same_return_as_eval() {
    let place = Place::new();
    place.write("ant.json", &policy("ant", 111, 8, 0.001));
    let arguments = ["render", "ant.json", "-o", "a.png", "--width", "64", "--height", "48", "--seed", "7"];
    if !place.renders(&arguments) {
        return;
    }
    let drawn = talk(&place.run(&[&arguments[..], &["--force"]].concat()));
    let evaluated = place.run(&["eval", "ant.json", "--episodes", "1", "--seed", "7", "--json"]);
    let evaluated: serde_json::Value = serde_json::from_slice(&evaluated.stdout).unwrap();
    let value = evaluated["episodes"][0]["return"].as_f64().unwrap();
    assert!(drawn.contains(&format!("return {value:.1}")), "{drawn} but eval says {value}");
}

#[test]
fn without_gl_the_error_says_what_to_install_and_no_file_appears() {
    let place = Place::new();
    // The vendor-neutral EGL loader looks for drivers where this points, which is nowhere.
    let mut command = place.command(&render("film.mp4", &[]));
    assert_no_gl(&command.env("__EGL_VENDOR_LIBRARY_FILENAMES", "/nowhere").output().unwrap());
    assert_eq!(place.files(), ["still.json"]);
}

#[test]
fn a_wrong_command_line_is_reported_before_anything_is_done() {
    let place = Place::new();
    fails(&place, &render("film.avi", &[]), 2, &["`.avi`", ".mp4, .gif, .png or .html"]);
    fails(&place, &render("film", &[]), 2, &["no extension"]);
    fails(&place, &["render", "still.json", "-o", "a.mp4", "--width", "95"], 2, &["even", "--width 96"]);
    fails(&place, &["render", "still.json", "-o", "a.mp4", "--height", "8"], 2, &["from 16 to 3840"]);
    fails(&place, &["render", "still.json", "-o", "a.gif", "--fps", "60"], 2, &["at most 50"]);
    fails(&place, &["render", "still.json", "-o", "a.mp4", "--seconds", "0"], 2, &["--seconds", "more than 0"]);
    fails(&place, &["render", "still.json", "-o", "a.mp4", "--seconds", "NaN"], 2, &["--seconds", "more than 0"]);
    fails(&place, &render("a.mp4", &["--camera", "trak"]), 2, &["`trak`", "track, front", "--camera track"]);
}

#[test]
fn a_wrong_policy_is_reported_with_its_file() {
    let place = Place::new();
    place.write("broken.json", "{");
    place.write("short.json", &policy("swimmer", 7, 2, 0.0));
    fails(&place, &["render", "missing.json", "-o", "a.mp4"], 3, &["missing.json"]);
    fails(&place, &["render", "broken.json", "-o", "a.mp4"], 3, &["broken.json", "not JSON"]);
    fails(&place, &["render", "short.json", "-o", "a.mp4"], 3, &["short.json", "`observations`", "8"]);
    fails(&place, &["render", "still.json", "-o", "a.mp4", "--env", "ant"], 3, &["`swimmer`", "`ant`"]);
}

#[test]
fn nothing_is_overwritten_unasked_and_no_wrong_place_is_written_to() {
    let place = Place::new();
    place.write("mine.mp4", "precious");
    fails(&place, &render("mine.mp4", &[]), 4, &["mine.mp4", "--force"]);
    fails(&place, &render("nowhere/film.mp4", &[]), 4, &["nowhere/film.mp4"]);
    assert_eq!(fs::read_to_string(place.at("mine.mp4")).unwrap(), "precious");
    if place.renders(&render("mine.mp4", &["--force"])) {
        assert_eq!(Mp4::read(&place.at("mine.mp4")).samples.len(), 20);
    }
}

#[test]
fn an_episode_that_breaks_down_is_a_failure_that_shows_the_way_to_its_start() {
    let place = Place::new();
    place.write("spin.xml", SPIN_MODEL);
    place.write("spin.toml", SPIN_TASK);
    place.write("spin.json", &policy("spin", 2, 1, 1.0));
    let arguments = ["render", "spin.json", "--env", "spin.toml", "-o", "a.mp4", "--width", "64", "--height", "48"];
    fails(&place, &arguments, 1, &["broke down", "s into the episode"]);
}

/// A motor strong enough to overflow the numbers.
const SPIN_MODEL: &str = r#"<mujoco><worldbody><body><joint name="j" type="hinge"/><geom size="0.1"/></body></worldbody>
<actuator><motor joint="j" gear="1e14"/></actuator></mujoco>"#;

/// A box with a leg on a plane, and nothing that is only there to be seen.
const BARE_MODEL: &str = r#"<mujoco><worldbody><geom type="plane" size="20 20 0.1"/>
<body name="trunk" pos="0 0 0.3"><freejoint/><geom type="box" size="0.2 0.1 0.05"/>
<body pos="0.2 0 0"><joint name="j" axis="0 1 0"/><geom type="capsule" size="0.04 0.15"/></body></body></worldbody>
<actuator><motor joint="j"/></actuator></mujoco>"#;

const SPIN_TASK: &str = r#"
name = "spin"
about = "a hinge"
model = "spin.xml"
frame_skip = 1
horizon = 100
reset = { qpos = { uniform = 0.1 }, qvel = { uniform = 0.1 } }
reward = { position = { qpos = 0 }, forward = 1.0, control = 0.0 }
[[observation]]
of = "qpos"
[[observation]]
of = "qvel"
"#;

fn contrast(brightness: &[u8]) -> u8 {
    brightness.iter().max().unwrap() - brightness.iter().min().unwrap()
}

/// As much of an MP4 file as these tests need: one H.264 track with its samples as byte streams.
struct Mp4 {
    seconds: f64,
    parameters: Vec<u8>,
    samples: Vec<Vec<u8>>,
}

impl Mp4 {
    fn read(file: &Path) -> Self {
        let bytes = fs::read(file).unwrap();
        assert_eq!(&bytes[4..8], b"ftyp");
        let media = find(&bytes, &["moov", "trak", "mdia"]);
        let header = find(media, &["mdhd"]);
        assert_eq!(header[0], 0, "version of mdhd");
        let table = find(media, &["minf", "stbl"]);
        let sizes: Vec<usize> = find(table, &["stsz"])[12..].chunks(4).map(|n| number(n) as usize).collect();
        // There may be one chunk or many. With a single track, the samples follow one another from the first chunk on.
        let mut at = number(&find(table, &["stco"])[8..]) as usize;
        let mut samples = Vec::new();
        for size in sizes {
            samples.push(byte_stream(&bytes[at..at + size]));
            at += size;
        }
        let seconds = f64::from(number(&header[16..])) / f64::from(number(&header[12..]));
        Self { seconds, parameters: parameter_sets(&find(table, &["stsd"])[8..]), samples }
    }
}

fn number(bytes: &[u8]) -> u32 {
    u32::from_be_bytes(bytes[..4].try_into().unwrap())
}

/// Returns the content of the box at the end of `path`.
fn find<'a>(mut inside: &'a [u8], path: &[&str]) -> &'a [u8] {
    for name in path {
        let mut rest = inside;
        inside = loop {
            assert!(rest.len() >= 8, "no box `{name}`");
            let (this, next) = rest.split_at(number(rest) as usize);
            if &this[4..8] == name.as_bytes() {
                break &this[8..];
            }
            rest = next;
        };
    }
    inside
}

/// Replaces the lengths in front of the units with start codes.
fn byte_stream(mut sample: &[u8]) -> Vec<u8> {
    let mut stream = Vec::new();
    while !sample.is_empty() {
        let (unit, rest) = sample[4..].split_at(number(sample) as usize);
        stream.extend([0, 0, 0, 1]);
        stream.extend(unit);
        sample = rest;
    }
    stream
}

/// Returns the sequence and picture parameter sets of an `avc1` entry.
fn parameter_sets(entry: &[u8]) -> Vec<u8> {
    assert_eq!(&entry[4..8], b"avc1");
    let record = find(&entry[8 + 78..], &["avcC"]);
    let mut stream = Vec::new();
    let mut rest = &record[5..];
    for _ in 0..2 {
        assert_eq!(rest[0] & 0x1f, 1, "one parameter set of each kind");
        let length = usize::from(u16::from_be_bytes([rest[1], rest[2]]));
        stream.extend([0, 0, 0, 1]);
        stream.extend(&rest[3..3 + length]);
        rest = &rest[3 + length..];
    }
    stream
}
