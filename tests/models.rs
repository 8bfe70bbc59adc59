//! Our own MJCF compiles to Gymnasium's physics: every array of the compiled models is equal bit for bit.
//! Data: tests/data/make_golden.py.

#![cfg(feature = "cli")]

mod common;

use common::data;
use locomotion::sim::find;
use mujoco_rs::prelude::MjModel;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Golden {
    name: String,
    attributes: BTreeMap<String, Value>,
    arrays: BTreeMap<String, Array>,
}

#[derive(Deserialize)]
struct Array {
    dtype: String,
    data: Vec<Value>,
}

impl Array {
    fn bytes(&self) -> Vec<u8> {
        let one = |x: &Value| match self.dtype.as_str() {
            "float64" => x.as_f64().unwrap().to_le_bytes().to_vec(),
            "int32" => (x.as_i64().unwrap() as i32).to_le_bytes().to_vec(),
            "bool" | "uint8" => vec![x.as_u64().unwrap() as u8],
            other => panic!("dtype {other}"),
        };
        self.data.iter().flat_map(one).collect()
    }
}

fn bytes<T>(slice: &[T]) -> Vec<u8> {
    // SAFETY: MuJoCo's arrays are plain numbers without padding, and any byte may be read as u8.
    unsafe { std::slice::from_raw_parts(slice.as_ptr().cast(), size_of_val(slice)) }.to_vec()
}

/// Every physics array of a model, by name.
fn arrays(model: &MjModel) -> BTreeMap<&'static str, Vec<u8>> {
    macro_rules! all {
        ($($field:ident),* $(,)?) => { BTreeMap::from([$((stringify!($field), bytes(model.$field()))),*]) };
    }
    let option = &model.ffi().opt;
    let mut all = all![
        actuator_acc0,
        actuator_actearly,
        actuator_actlimited,
        actuator_actnum,
        actuator_actrange,
        actuator_armature,
        actuator_biasprm,
        actuator_biastype,
        actuator_cranklength,
        actuator_ctrllimited,
        actuator_ctrlnum,
        actuator_ctrlrange,
        actuator_ctrlspec,
        actuator_damping,
        actuator_dampingpoly,
        actuator_delay,
        actuator_dynprm,
        actuator_dyntype,
        actuator_forcelimited,
        actuator_forcerange,
        actuator_gainprm,
        actuator_gaintype,
        actuator_gear,
        actuator_group,
        actuator_history,
        actuator_length0,
        actuator_lengthrange,
        actuator_outnum,
        actuator_trnid,
        actuator_trntype,
        body_bvhnum,
        body_conaffinity,
        body_contype,
        body_dofnum,
        body_geomnum,
        body_gravcomp,
        body_inertia,
        body_invweight0,
        body_ipos,
        body_iquat,
        body_jntnum,
        body_margin,
        body_mass,
        body_mocapid,
        body_parentid,
        body_pos,
        body_quat,
        body_rootid,
        body_sameframe,
        body_simple,
        body_subtreemass,
        body_treeid,
        body_weldid,
        dof_armature,
        dof_bodyid,
        dof_damping,
        dof_dampingpoly,
        dof_frictionloss,
        dof_invweight0,
        dof_jntid,
        dof_length,
        dof_parentid,
        dof_simplenum,
        dof_solimp,
        dof_solref,
        dof_treeid,
        geom_aabb,
        geom_adhesion,
        geom_bodyid,
        geom_conaffinity,
        geom_condim,
        geom_contype,
        geom_dataid,
        geom_fluid,
        geom_friction,
        geom_gap,
        geom_margin,
        geom_pos,
        geom_priority,
        geom_quat,
        geom_rbound,
        geom_sameframe,
        geom_size,
        geom_solimp,
        geom_solmix,
        geom_solref,
        geom_surfacevel,
        geom_type,
        jnt_actfrclimited,
        jnt_actfrcrange,
        jnt_actgravcomp,
        jnt_actuatorid,
        jnt_axis,
        jnt_bodyid,
        jnt_group,
        jnt_limited,
        jnt_margin,
        jnt_pos,
        jnt_range,
        jnt_solimp,
        jnt_solref,
        jnt_stiffness,
        jnt_stiffnesspoly,
        jnt_type,
        qpos0,
        qpos_spring,
        tendon_actfrclimited,
        tendon_actfrcrange,
        tendon_actuatorid,
        tendon_armature,
        tendon_damping,
        tendon_dampingpoly,
        tendon_frictionloss,
        tendon_group,
        tendon_invweight0,
        tendon_length0,
        tendon_lengthspring,
        tendon_limited,
        tendon_margin,
        tendon_num,
        tendon_range,
        tendon_solimp_fri,
        tendon_solimp_lim,
        tendon_solref_fri,
        tendon_solref_lim,
        tendon_stiffness,
        tendon_stiffnesspoly,
        tendon_treeid,
        tendon_treenum,
        tendon_width,
        tree_bodynum,
        tree_dofnum,
        tree_sleep_policy,
        wrap_objid,
        wrap_prm,
        wrap_type,
    ];
    all.insert("B_colind", bytes(model.b_colind()));
    all.insert("B_rownnz", bytes(model.b_rownnz()));
    all.insert("D_colind", bytes(model.d_colind()));
    all.insert("D_diag", bytes(model.d_diag()));
    all.insert("D_rownnz", bytes(model.d_rownnz()));
    all.insert("M_colind", bytes(model.m_colind()));
    all.insert("M_rownnz", bytes(model.m_rownnz()));
    all.insert("dof_M0", bytes(model.dof_m0()));
    all.insert("mapD2M", bytes(model.map_d2_m()));
    all.insert("mapM2D", bytes(model.map_m2_d()));
    all.insert("mapM2M", bytes(model.map_m2_m()));
    all.insert("ten_J_colind", bytes(model.ten_j_colind()));
    all.insert("ten_J_rownnz", bytes(model.ten_j_rownnz()));
    all.insert("opt_gravity", bytes(&option.gravity));
    all.insert("opt_magnetic", bytes(&option.magnetic));
    all.insert("opt_wind", bytes(&option.wind));
    all
}

fn attributes(model: &MjModel) -> BTreeMap<&'static str, f64> {
    let (m, o) = (model.ffi(), &model.ffi().opt);
    BTreeMap::from([
        ("nbody", m.nbody as f64),
        ("ngeom", m.ngeom as f64),
        ("njnt", m.njnt as f64),
        ("nq", m.nq as f64),
        ("nsensor", m.nsensor as f64),
        ("ntendon", m.ntendon as f64),
        ("nu", m.nu as f64),
        ("nv", m.nv as f64),
        ("opt_cone", f64::from(o.cone)),
        ("opt_density", o.density),
        ("opt_disableflags", f64::from(o.disableflags)),
        ("opt_enableflags", f64::from(o.enableflags)),
        ("opt_impratio", o.impratio),
        ("opt_integrator", f64::from(o.integrator)),
        ("opt_iterations", f64::from(o.iterations)),
        ("opt_jacobian", f64::from(o.jacobian)),
        ("opt_ls_iterations", f64::from(o.ls_iterations)),
        ("opt_ls_tolerance", o.ls_tolerance),
        ("opt_solver", f64::from(o.solver)),
        ("opt_timestep", o.timestep),
        ("opt_tolerance", o.tolerance),
        ("opt_viscosity", o.viscosity),
    ])
}

#[test]
fn every_physics_array_is_bit_equal() {
    let task_of = BTreeMap::from([
        ("swimmer", "swimmer"),
        ("hopper", "hopper"),
        ("half_cheetah", "half-cheetah"),
        ("walker2d", "walker"),
        ("walker2d_v5", "walker-v5"),
        ("ant", "ant"),
        ("humanoid", "humanoid"),
    ]);
    let models: Vec<Golden> = data("models.json");
    assert_eq!(models.len(), task_of.len());
    for golden in &models {
        let task = find(task_of[golden.name.as_str()]).unwrap();
        let (ours, numbers) = (arrays(&task.model), attributes(&task.model));
        assert!(golden.arrays.len() >= 120, "{}: only {} arrays", golden.name, golden.arrays.len());
        for (field, array) in &golden.arrays {
            assert_eq!(ours[field.as_str()], array.bytes(), "{}: {field}", golden.name);
        }
        for (field, value) in &golden.attributes {
            assert_eq!(numbers[field.as_str()], value.as_f64().unwrap(), "{}: {field}", golden.name);
        }
    }
}
