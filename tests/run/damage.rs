//! A damaged checkpoint is detected whatever is damaged, and the previous one is offered. A full disk loses nothing.

use super::train::{ok, quick};
use crate::common::{locomotion, stderr};
use std::path::Path;
use std::process::Command;

fn resume(run: &Path, more: &[&str]) -> std::process::Output {
    locomotion(&[&["train", "--quiet", "--resume", run.to_str().unwrap(), "--budget", "108"], more].concat())
}

#[test]
fn every_flipped_byte_and_every_cut_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    ok(&quick(&run, &["--checkpoint-every", "0", "--normalize", "none"]));
    let checkpoint = run.join("checkpoint.bin");
    let good = std::fs::read(&checkpoint).unwrap();
    let check = |bytes: &[u8], what: &str| {
        std::fs::write(&checkpoint, bytes).unwrap();
        let error = locomotion::train::check_checkpoint(&run).expect_err(what);
        assert_eq!(error.exit_code(), 3, "{what}");
        assert!(error.message.contains("checkpoint.bin"), "{what}: {error}");
        assert!(error.hint.as_ref().is_some_and(|hint| hint.contains("`previous`")), "{what}: {error:?}");
    };
    for at in 0..good.len() {
        let mut bytes = good.clone();
        bytes[at] ^= 0x10;
        check(&bytes, &format!("byte {at} flipped"));
        check(&good[..at], &format!("cut to {at} bytes"));
    }
    // The same as a user sees it.
    let output = resume(&run, &[]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stderr(&output).contains("damaged checkpoint") && stderr(&output).contains("--previous"));
    ok(&resume(&run, &["--previous"]));
}

#[test]
fn a_full_disk_is_exit_code_4_and_the_old_checkpoint_stays() {
    let disk = tempfile::tempdir().unwrap();
    let mount = |arguments: &[&str]| Command::new("mount").args(arguments).output().is_ok_and(|o| o.status.success());
    let place = disk.path().to_str().unwrap();
    if !mount(&["-t", "tmpfs", "-o", "size=2m", "tmpfs", place]) {
        // Without the right to mount a file system, /dev/full stands in for the disk: every write to it fails.
        return full_device();
    }
    let run = disk.path().join("run");
    let fill = |bytes: usize| std::fs::write(disk.path().join("ballast"), vec![0u8; bytes]);
    let first = quick(&run, &["--checkpoint-every", "0", "--normalize", "none"]);
    let before = std::fs::read(run.join("checkpoint.bin"));
    let _ = fill(4_000_000);
    let told = std::time::Instant::now();
    let output = resume(&run, &["--checkpoint-every", "0"]);
    let (took, code) = (told.elapsed(), output.status.code());
    let after = std::fs::read(run.join("checkpoint.bin"));
    assert!(Command::new("umount").arg(place).status().unwrap().success());
    ok(&first);
    assert_eq!(code, Some(4), "{}", stderr(&output));
    assert!(took.as_secs() < 5, "{took:?}");
    assert_eq!(before.unwrap(), after.unwrap(), "the old checkpoint is intact");
}

fn full_device() {
    let error = locomotion::atomic::write(Path::new("/dev/full"), b"x").expect_err("nothing can be written there");
    assert_eq!(error.exit_code(), 4);
}
