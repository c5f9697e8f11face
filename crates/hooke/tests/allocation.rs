//! In steady state a step allocates nothing.
#![allow(clippy::unwrap_used, missing_docs)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as required of the caller.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as required of the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as required of the caller.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One after the other: all threads of this program are counted.
#[test]
fn steady_steps_allocate_nothing() {
    particles();
    rigid_bodies();
}

fn particles() {
    let kernels = [hooke::Kernels::Native, hooke::Kernels::Portable];
    let methods = hooke::methods::METHODS.iter();
    let mut runs: Vec<_> =
        methods.flat_map(|method| kernels.map(|kernels| (method, Vec::new(), kernels))).collect();
    for accelerator in ["chebyshev", "anderson", "l-bfgs"] {
        let method = hooke::methods::find("quasi-newton").unwrap();
        let settings = vec![("accelerator".to_string(), accelerator.into())];
        runs.push((method, settings, hooke::Kernels::Native));
    }
    for (method, settings, kernels) in runs {
        let mut model = hooke::Model::new();
        let damped = hooke::model::SpringFamily {
            stiffness: hooke::model::Stiffness::PerLength(500.0),
            damping: hooke::model::SpringDamping::PerVelocity(0.05),
        };
        let grid = hooke::Grid { structural: Some(damped), ..hooke::Grid::square(25) };
        grid.add_to(&mut model).unwrap();
        model.pin_at_rest(0).unwrap();
        let drag = hooke::dampers::find("drag").unwrap();
        for i in 0..model.particles() as u32 {
            model.add_damper(drag, &[i], None, &[0.01]).unwrap();
        }
        let first = model.particles() as u32;
        for x in [[0.0, 2.0, 0.0], [1.0, 2.0, 0.0], [0.0, 3.0, 0.0], [0.0, 2.0, 1.0]] {
            model.add_particle(x.into(), 1.0).unwrap();
        }
        let volume = hooke::laws::find("volume").unwrap();
        let corners = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3].map(|corner| first + corner);
        if !["constrained", "vbd", "pbd", "xpbd", "hierarchical-pbd"].contains(&method.name) {
            model.add_element(volume, &corners, None, &[1e3]).unwrap();
        }
        let stretch = hooke::dampers::find("stretch-damper").unwrap();
        for triangle in model.triangles().to_vec() {
            model.add_damper(stretch, &triangle, None, &[0.1]).unwrap();
        }
        model
            .add_obstacle(hooke::model::Obstacle {
                shape: hooke::model::Shape::HalfSpace,
                pose: hooke::model::ObstacleMotion::still(hooke::Vec3::new(0.0, -1.0, 0.0)),
                thickness: 0.0,
                response: hooke::model::Response::Bounce { restitution: 0.1, friction: 0.2 },
            })
            .unwrap();
        let times = vec![0.0, 0.02, 0.04];
        let points =
            [[0.85, 0.02, 0.0], [0.85, -0.02, 0.01], [0.95, 0.0, 0.0]].map(Into::into).to_vec();
        let track =
            hooke::model::Track::new(times, points, hooke::model::Interpolation::Linear, true);
        let goal = model.add_anchor(hooke::model::Motion::along(track.unwrap())).unwrap();
        for solver in &hooke::chains::SOLVERS {
            use hooke::chains::{Chain, JointLimits, Rig};
            let chain = Chain::straight(&[0.4, 0.3, 0.2], JointLimits::FREE).unwrap();
            let mut rig = Rig::new(chain, solver.name).unwrap();
            rig.add_goal(3, goal);
            rig.carry(0, 0, model.rest()[0]).unwrap();
            model.add_chain(rig).unwrap();
        }
        let method_box = (method.build)(&settings).unwrap();
        let mut simulation =
            hooke::Simulation::with_substeps(model, method_box, 2e-3, hooke::Substeps::Fixed(1))
                .unwrap();
        simulation.set_threads(2);
        simulation.set_kernels(kernels);
        // Twice along the way of the chains.
        for _ in 0..40 {
            simulation.step().unwrap();
        }
        let mut count = 0;
        for _ in 0..20 {
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            let report = simulation.step().unwrap();
            // A factor that serves many steps is made anew where contacts come to stick.
            let anew = report.solve.is_some_and(|solve| solve.factorizations > 0);
            if method.name != "quasi-newton" || !anew {
                count += ALLOCATIONS.load(Ordering::Relaxed) - before;
            }
        }
        // The list of residuals may still grow past its high-water mark.
        assert!(
            count <= 2,
            "{} {settings:?} {kernels:?}: {count} allocations in 20 steps",
            method.name
        );
    }
}

fn rigid_bodies() {
    use hooke::model::{Obstacle, ObstacleMotion, Response, Shape};
    use hooke::rigid::{Pose, RigidBody, RigidBodyMethod, RigidBodySettings};
    for bodies in [RigidBodyMethod::Impulse, RigidBodyMethod::ShapeMatching] {
        let mut model = hooke::Model::new();
        let response = Response::Bounce { restitution: 0.0, friction: 0.5 };
        let pose = ObstacleMotion::default();
        model
            .add_obstacle(Obstacle { shape: Shape::HalfSpace, pose, response, thickness: 0.0 })
            .unwrap();
        let half = hooke::Vec3::new(0.2, 0.1, 0.2);
        for k in 0..3 {
            let shape = Shape::Box { half, inside_out: false };
            let mut body = RigidBody::solid(shape, 500.0).unwrap();
            body.start.pose = Pose::at(hooke::Vec3::new(0.0, 0.1 + 0.2 * f64::from(k), 0.0));
            model.add_rigid_body(body).unwrap();
        }
        // One that rolls away from them.
        let mut ball = RigidBody::solid(Shape::Sphere { radius: 0.1 }, 500.0).unwrap();
        ball.start.pose = Pose::at(hooke::Vec3::new(0.5, 0.1, 0.0));
        ball.start.twist.linear = hooke::Vec3::new(1.0, 0.0, 0.0);
        model.add_rigid_body(ball).unwrap();
        let mut simulation = hooke::Simulation::new(model, "symplectic-euler", 1.0 / 60.0).unwrap();
        simulation
            .set_bodies(RigidBodySettings { name: bodies, ..RigidBodySettings::default() })
            .unwrap();
        (0..120).for_each(|_| drop(simulation.step().unwrap().clone()));
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        for _ in 0..30 {
            simulation.step().unwrap();
        }
        let count = ALLOCATIONS.load(Ordering::Relaxed) - before;
        assert!(count <= 2, "{bodies:?}: {count} allocations in 30 steps");
    }
}
