//! The interface for programs: methods by settings, errors to match on, types to name.

use crate::common::*;
use hooke::methods::{
    Firmness, NewtonSettings, NoParticles, Order, PbdSettings, Rk4, Sweeping, XpbdSettings,
};
use hooke::model::{Motion, PinId};
use hooke::rigid::{Joint, RigidBody};
use hooke::{
    AnchorId, ElementId, IntoMethod, MaterialId, Model, ModelError, ParticleId, Refusal,
    RigidBodyId, Simulation, StepError,
};

#[test]
fn settings_a_method_and_a_name_step_alike() {
    let run = |method: Box<dyn hooke::Method>| {
        let mut simulation = Simulation::new(cloth(5), method, 0.01).unwrap();
        run(&mut simulation, 5);
        simulation.state().digest()
    };
    let named = run("newton".into_method().unwrap());
    assert_eq!(run(NewtonSettings::default().into_method().unwrap()), named);
    let coarse = NewtonSettings { iterations: 1, ..Default::default() };
    assert_ne!(run(coarse.into_method().unwrap()), named);
    assert_eq!(run(Rk4::default().into_method().unwrap()), run("rk4".into_method().unwrap()));
    let refused =
        Simulation::new(cloth(5), XpbdSettings { tolerance: 2.0, ..Default::default() }, 0.01);
    assert_eq!(
        refused.err().unwrap().to_string(),
        "the setting 'tolerance' must be a number from 0 to 1 (got 2)"
    );
    let _: (Sweeping, Order, Firmness) = {
        let PbdSettings { sweep, order, stiffness, .. } = PbdSettings::default();
        (sweep, order, stiffness)
    };
}

#[test]
fn errors_are_kinds() {
    let mut model = cloth(3);
    assert!(matches!(
        model.add_spring(0, 9, 1.0, None),
        Err(ModelError::UnknownParticle { particle, count: 9 }) if particle == 9
    ));
    assert!(matches!(
        model.add_particle(p(0.0, 0.0, 0.0), -1.0),
        Err(ModelError::InvalidMass { mass: -1.0, .. })
    ));
    assert!(matches!(model.pin_at_rest(0), Err(ModelError::PinnedTwice { .. })));
    let anchor = AnchorId::new(4);
    assert_eq!(model.attach(1, anchor, 1.0), Err(ModelError::UnknownAnchor { anchor }));
    let body = RigidBodyId::new(2);
    let count = 0;
    assert_eq!(
        model.attach_to_body(1, body, 1.0),
        Err(ModelError::UnknownRigidBody { body, count })
    );
    let joint = Joint::ball([None, Some(body)], p(0.0, 0.0, 0.0));
    assert_eq!(model.add_joint(joint), Err(ModelError::UnknownRigidBody { body, count }));
    let material = MaterialId { batch: 7, group: 0 };
    assert_eq!(model.set_material(material, &[1.0]), Err(ModelError::UnknownMaterial { material }));
    let spring = ElementId { batch: 0, index: 0 };
    let material = model.material_of(spring).unwrap();
    model.set_material(material, &[900.0]).unwrap();
    assert_eq!(model.elements()[0].view(0).material, [900.0]);
    assert_eq!(model.material_of(ElementId { batch: 0, index: 999 }), None);

    let unknown = Simulation::new(cloth(3), "newtonn", 0.01).err().unwrap();
    assert_eq!(unknown, Refusal::UnknownMethod { name: "newtonn".into() });
    let step = Simulation::new(cloth(3), "newton", 0.0).err().unwrap();
    assert_eq!(step, Refusal::InvalidStep { h: 0.0 });
    let unstable = Simulation::new(cloth(3), "forward-euler", 0.01).err().unwrap();
    assert_eq!(unstable, Refusal::Unstable);
    let mut simulation = Simulation::new(cloth(3), "newton", 0.01).unwrap();
    let pin: PinId = simulation.model().pins()[0].id;
    simulation.model_mut().unpin(0);
    assert_eq!(
        simulation.control_mut().set_pin(pin, p(0.0, 0.0, 0.0)),
        Err(ModelError::UnknownPin)
    );
    let _: Option<ParticleId> =
        simulation.pick(p(0.0, -0.4, 1.0), p(0.0, 0.0, -1.0), 0.1).map(|pick| pick.particle);
    simulation.model_mut().add_anchor(Motion::still(p(0.0, 0.0, 0.0))).unwrap();
}

#[test]
fn rigid_bodies_alone_need_no_method() {
    let body = || {
        let mut model = Model::new();
        let shape = hooke::model::Shape::Sphere { radius: 0.1 };
        model.add_rigid_body(RigidBody::solid(shape, 500.0).unwrap()).unwrap();
        model
    };
    let mut alone = Simulation::rigid(body(), 0.01).unwrap();
    let mut named = Simulation::new(body(), "newton", 0.01).unwrap();
    for simulation in [&mut alone, &mut named] {
        run(simulation, 10);
    }
    assert_eq!(alone.state().digest(), named.state().digest());
    assert_eq!(alone.report().solve, None);
    // A particle that is added needs one.
    alone.model_mut().add_particle(p(0.0, 0.0, 0.0), 1.0).unwrap();
    let refused = Refusal::NoMethod { particles: 1 };
    assert_eq!(alone.step().err(), Some(StepError::Refused(refused.clone())));
    assert_eq!(
        Simulation::new(cloth(3), NoParticles, 0.01).err(),
        Some(Refusal::NoMethod { particles: 9 })
    );
    alone.set_method("newton").unwrap();
    alone.step().unwrap();
    assert!(refused.to_string().ends_with("newton would do"));
}
