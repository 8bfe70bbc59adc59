//! What a policy sees: parts of MuJoCo's state, one after the other.

use super::definition::{Field, ObservationPart};
use mujoco_rs::prelude::*;
use std::sync::Arc;

type Data = MjData<Arc<MjModel>>;

impl ObservationPart {
    /// The number of values in this part.
    pub(super) fn len(&self, model: &MjModel) -> usize {
        self.of.len(model).saturating_sub(self.skip)
    }

    /// Writes the part to the front of `out` and returns the rest of it.
    pub(super) fn write<'a>(&self, data: &Data, out: &'a mut [f64]) -> &'a mut [f64] {
        let source = &self.of.slice(data)[self.skip..];
        let (mine, rest) = out.split_at_mut(source.len());
        match self.clip {
            Some(limit) => mine.iter_mut().zip(source).for_each(|(to, from)| *to = from.clamp(-limit, limit)),
            None => mine.copy_from_slice(source),
        }
        rest
    }
}

impl Field {
    pub(super) fn len(self, model: &MjModel) -> usize {
        let model = model.ffi();
        let (nq, nv, nbody) = (model.nq as usize, model.nv as usize, model.nbody as usize);
        match self {
            Field::Qpos => nq,
            Field::Qvel | Field::QfrcActuator => nv,
            Field::Cinert => 10 * nbody,
            Field::Cvel | Field::CfrcExt => 6 * nbody,
        }
    }

    fn slice(self, data: &Data) -> &[f64] {
        match self {
            Field::Qpos => data.qpos(),
            Field::Qvel => data.qvel(),
            Field::QfrcActuator => data.qfrc_actuator(),
            Field::Cinert => data.cinert().as_flattened(),
            Field::Cvel => data.cvel().as_flattened(),
            Field::CfrcExt => data.cfrc_ext().as_flattened(),
        }
    }
}
