//! Draws a pose with MuJoCo, without a display (EGL).

use super::{bare, shadows};
use crate::sim::Task;
use crate::suggest::nearest;
use crate::{Error, Result};
use mujoco_rs::prelude::*;
use mujoco_rs::renderer::MjRenderer;
use std::error::Error as _;
use std::sync::Arc;

/// The size of the picture and the camera it is taken with.
#[derive(Clone, Debug)]
pub struct View {
    pub width: usize,
    pub height: usize,
    /// The name of a camera in the model. By default it is the task's camera, or else one that follows the robot.
    pub camera: Option<String>,
}

/// Draws poses of one task. It stays on the thread that made it, because its GL context must.
pub struct Renderer {
    renderer: MjRenderer,
    /// A simulation of its own, so that drawing never touches the one being drawn.
    data: MjData<Arc<MjModel>>,
}

impl Renderer {
    pub fn new(task: &Task, view: &View) -> Result<Self> {
        let radius = bare::radius(&task.model);
        let mut model = bare::dressed(task, radius);
        shadows::tune(&mut model, radius);
        let visual = model.vis_mut();
        visual.global.offwidth = view.width as i32;
        visual.global.offheight = view.height as i32;
        // Smoothing edges afterwards is cheaper.
        visual.quality.offsamples = 0;
        if view.height <= SMALL {
            visual.quality.numslices = visual.quality.numslices.min(FACETS.0);
            visual.quality.numstacks = visual.quality.numstacks.min(FACETS.1);
        }

        let model = Arc::new(model);
        // Check the user's input first and the machine's abilities second.
        let camera = camera(&model, task, view, radius)?;
        let mut renderer = MjRenderer::new(&model, view.width, view.height, 0).map_err(no_gl)?;
        renderer.set_camera(camera);
        Ok(Self { renderer, data: MjData::new(model) })
    }

    /// Draws a pose as an RGB picture, row by row from the top.
    pub fn draw(&mut self, qpos: &[f64]) -> Result<Vec<u8>> {
        self.data.qpos_mut().copy_from_slice(qpos);
        self.data.kinematics();
        self.data.com_pos();
        self.data.camlight();
        self.renderer.sync_data(&mut self.data).and_then(|()| self.renderer.render()).map_err(failed)?;
        let picture = self.renderer.rgb_flat().map(<[u8]>::to_vec);
        picture.ok_or_else(|| Error::failed("the renderer returned no picture"))
    }
}

/// Up to this height, round shapes need no more facets than these around and along them: the difference is below half a
/// pixel.
const SMALL: usize = 480;
const FACETS: (i32, i32) = (20, 10);

/// Returns the requested camera, the task's own, or one that follows the first body.
fn camera(model: &MjModel, task: &Task, view: &View, radius: Option<f64>) -> Result<MjvCamera> {
    let Some(name) = view.camera.as_ref().or(task.definition.camera.as_ref()) else {
        let mut following = MjvCamera::new_free(model);
        following.distance = bare::distance(model, radius);
        following.elevation = -20.0;
        if model.ffi().nbody > 1 {
            following.track(1);
        }
        return Ok(following);
    };
    match model.name_to_id(MjtObjBase::mjOBJ_CAMERA, name) {
        Some(id) => Ok(MjvCamera::new_fixed(id)),
        None => Err(unknown_camera(model, task.name(), name)),
    }
}

fn unknown_camera(model: &MjModel, task: &str, name: &str) -> Error {
    let count = model.ffi().ncam as usize;
    let known: Vec<&str> = (0..count).filter_map(|id| model.id_to_name(MjtObjBase::mjOBJ_CAMERA, id)).collect();
    if known.is_empty() {
        return Error::usage(format!("unknown camera `{name}`\n  the model of `{task}` has none with a name"))
            .hint("without `camera` the view follows the robot")
            .naming(&["camera"]);
    }
    let error = Error::usage(format!("unknown camera `{name}`\n  cameras of `{task}`: {}", known.join(", ")));
    match nearest(name, known) {
        Some(near) => error.hint(format!("did you mean `camera {near}`?")).naming(&["camera"]),
        None => error,
    }
}

fn no_gl(error: RendererError) -> Error {
    Error::failed(format!("cannot draw without OpenGL: {}", chain(&error))).hint(
        "on Debian or Ubuntu `apt-get install libegl1 libgl1-mesa-dri` is enough, without GPU and display; \
         `-o FILE.html` needs neither",
    )
}

fn failed(error: RendererError) -> Error {
    Error::failed(format!("drawing failed: {}", chain(&error)))
}

/// Joins both errors: the outer one names the layer, the inner one the reason.
fn chain(error: &RendererError) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
