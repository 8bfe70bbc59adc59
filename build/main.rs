//! Without the feature `mujoco` there is nothing to prepare.

#[cfg(feature = "mujoco")]
mod fingerprint;
#[cfg(feature = "mujoco")]
mod mujoco;

fn main() {
    println!("cargo::rerun-if-changed=build");
    #[cfg(feature = "mujoco")]
    {
        fingerprint::tell();
        mujoco::provide();
    }
}
