use super::number::flag;
use super::policy_arg::PolicyArg;
use crate::Result;
use clap::Args;

#[derive(Args)]
pub struct View {
    #[command(flatten)]
    policy: PolicyArg,
    /// Reset seed of the first episode; later ones count up from it
    #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = flag::<u64>())]
    seed: u64,
}

impl View {
    #[cfg(feature = "viewer")]
    pub fn run(self) -> Result<()> {
        let (task, policy, _) = self.policy.open()?;
        super::say("keys: ] follows the robot, Esc releases the camera, F1 lists all keys, Ctrl+Q closes the window");
        crate::film::window::show(&task, &policy, self.seed, |seed, seconds, value| {
            super::say(&format!("seed {seed}: return {value:.1} after {seconds:.1} s"));
        })
    }

    #[cfg(not(feature = "viewer"))]
    pub fn run(self) -> Result<()> {
        use super::again::{flag, path};
        self.policy.open()?;
        let env = self.policy.env.map_or(String::new(), |env| flag(("env", env)));
        let again = format!("view {}{env} --seed {}", path(&self.policy.policy), self.seed);
        Err(crate::Error::failed("this build has no window")
            .hint(format!("`cargo run --release --features viewer -- {again}`; `render` needs no window")))
    }
}
