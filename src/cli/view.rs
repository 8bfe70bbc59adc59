use super::chosen::Chosen;
use crate::Result;
use clap::Args;

#[derive(Args)]
pub struct View {
    #[command(flatten)]
    chosen: Chosen,
    /// Reset seed of the first episode; every further one takes the next
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

impl View {
    #[cfg(feature = "viewer")]
    pub fn run(self) -> Result<()> {
        let (task, policy, _) = self.chosen.open()?;
        eprintln!("keys: ] follows the robot, Esc lets the camera go, F1 shows the others, Ctrl+Q closes");
        crate::report::window::show(&task, &policy, self.seed, |seed, seconds, value| {
            eprintln!("seed {seed}: return {value:.1} after {seconds:.1} s");
        })
    }

    #[cfg(not(feature = "viewer"))]
    pub fn run(self) -> Result<()> {
        self.chosen.open()?;
        let env = self.chosen.env.map_or(String::new(), |env| format!(" --env {env}"));
        let again = format!("view {}{env} --seed {}", self.chosen.policy.display(), self.seed);
        Err(crate::Error::failed("this build has no window")
            .hint(format!("`cargo run --release --features viewer -- {again}`; `render` needs no window")))
    }
}
