//! Finds a policy by what people call it: a file, a run folder, or the name of one that ships with the program.

use super::{BEST, FINAL, Folder};
use crate::policy::PolicyFile;
use crate::{Error, Result, sim, suggest};
use std::path::{Path, PathBuf};

/// Defines the table of the policies that ship with the program: the task and the text of each.
macro_rules! shipped {
    ($($task:literal),* $(,)?) => {
        /// The policies that ship with the program: the task and the text of each.
        pub const SHIPPED: &[(&str, &str)] = &[$(($task, include_str!(concat!("../../policies/", $task, ".json")))),*];
    };
}

sim::for_all_tasks!(shipped);

/// Returns the policy called `name`, and the path that errors about it should name. For a run folder, this is the best
/// policy it has. A file comes before a shipped policy of the same name.
///
/// # Errors
/// If there is none, or if it cannot be read.
pub fn find_policy(name: &Path) -> Result<(PathBuf, PolicyFile)> {
    let path = if name.is_dir() { in_folder(name)? } else { name.to_path_buf() };
    let task = name.to_str().filter(|_| !name.exists()).map(sim::canonical);
    let shipped = task.and_then(|task| SHIPPED.iter().find(|(shipped, _)| *shipped == task));
    if let Some((_, text)) = shipped {
        let policy = PolicyFile::from_text(text, &path)?;
        return Ok((path, policy));
    }
    let near = task.and_then(|task| suggest::nearest(task, SHIPPED.iter().map(|(shipped, _)| *shipped)));
    let policy = PolicyFile::read(&path).map_err(|error| match (task, near) {
        (_, Some(near)) => error.hint(format!("did you mean `{near}`? `locomotion policies` lists those that ship")),
        (Some(_), None) => error
            .hint("name a policy file, a run folder, or a policy that ships with the program: `locomotion policies`"),
        (None, None) => error,
    })?;
    Ok((path, policy))
}

fn in_folder(folder: &Path) -> Result<PathBuf> {
    let known = [BEST, FINAL].map(|name| folder.join(name));
    known.into_iter().find(|file| file.is_file()).ok_or_else(|| {
        let none = Error::input(folder, "no policy here: the folder has neither `best.json` nor `final.json`");
        if Folder::new(folder).is_taken() {
            none.hint("the run writes its first one after its first held-out evaluation")
        } else {
            none.hint("name a policy file, or a run folder such as runs/swimmer/syncma/seed-0")
        }
    })
}
