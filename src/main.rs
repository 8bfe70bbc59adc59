use std::process::ExitCode;

fn main() -> ExitCode {
    locomotion::cli::run()
}
