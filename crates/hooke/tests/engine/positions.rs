//! Position-based methods: what they share with backward Euler, and what they say about it.

use crate::common::*;
use hooke::methods::{Configured, HierarchicalPbd, HierarchicalPbdSettings};
use hooke::model::{Motion, SpringFamily};
use hooke::{End, Grid, Kernels, Method, Model, Rope, Simulation, State, Substeps, Vec3};

/// A rope of 20 links that hangs from its upper end.
fn rope() -> Model {
    let mut model = Model::new();
    let rope = Rope {
        from: Vec3::ZERO,
        to: p(0.0, -1.0, 0.0),
        links: 20,
        mass: 0.2,
        structural: SpringFamily::stiffness(200.0),
        bend: None,
    };
    rope.add_to(&mut model).unwrap();
    model.pin_at_rest(0).unwrap();
    model
}

/// A curtain of 8×8 that hangs from its upper edge.
fn curtain() -> Model {
    let mut model = Model::new();
    let [structural, shear] = [40.0, 10.0].map(|k| Some(SpringFamily::stiffness(k)));
    Grid { structural, shear, bend: None, ..Grid::square(8) }.add_to(&mut model).unwrap();
    for i in 0..8 {
        model.pin_at_rest(i).unwrap();
    }
    model
}

/// How far the last particle has come down when everything rests, and the last report.
fn sag(model: Model, method: Box<dyn hooke::Method>, substeps: u32) -> (f64, hooke::StepReport) {
    let last = model.particles() - 1;
    let top = model.rest()[last].y;
    let mut simulation =
        Simulation::with_substeps(model, method, 1.0 / 60.0, Substeps::Fixed(substeps)).unwrap();
    simulation
        .model_mut()
        .set_global_damping(Some(hooke::model::GlobalDamping::Rate(8.0)))
        .unwrap();
    run(&mut simulation, 400);
    assert!(simulation.report().energy.kinetic < 1e-9, "{}", simulation.report().energy.kinetic);
    (top - simulation.state().positions[last].y, simulation.report().clone())
}

#[test]
fn xpbd_sags_as_statics_say() {
    for (what, model) in [("rope", rope as fn() -> Model), ("curtain", curtain)] {
        let (expected, _) = sag(model(), exact("newton"), 1);
        let settings = [("iterations", "3000"), ("tolerance", "1e-9")];
        let (converged, report) = sag(model(), method("xpbd", &settings), 1);
        assert_eq!(report.solve.unwrap().end, End::Converged, "{what}");
        assert!((converged / expected - 1.0).abs() < 0.01, "{what}: {converged} {expected}");
        // As published: at rest the guard sees a noise of motion.
        let settings = [("iterations", "1"), ("energy_guard", "false")];
        let (small, report) = sag(model(), method("xpbd", &settings), 20);
        assert_eq!(report.solve.unwrap().end, End::Cap, "{what}");
        assert!((small / expected - 1.0).abs() < 0.02, "{what}: {small} {expected}");
    }
}

#[test]
fn one_spring_sags_by_its_weight_over_its_stiffness() {
    for iterations in ["1", "2", "10", "100"] {
        let mut model = Model::new();
        model.add_particle(Vec3::ZERO, 1.0).unwrap();
        model.add_particle(p(0.0, -1.0, 0.0), 0.5).unwrap();
        model.add_spring(0, 1, 50.0, None).unwrap();
        model.pin_at_rest(0).unwrap();
        let (sag, report) = sag(model, method("xpbd", &[("iterations", iterations)]), 1);
        assert!((sag / (0.5 * 9.81 / 50.0) - 1.0).abs() < 1e-9, "{iterations}: {sag}");
        assert_eq!(report.solve.unwrap().end, End::Converged);
        // The pin carries both.
        assert!((report.reactions[0].y - 1.5 * 9.81).abs() < 1e-6, "{:?}", report.reactions);
    }
}

#[test]
fn xpbd_on_a_line_is_backward_euler() {
    let build = || {
        let mut model = Model::new();
        model.set_gravity(p(9.81, 0.0, 0.0)).unwrap();
        let mut numbers = Numbers(3);
        for i in 0..8 {
            model
                .add_particle(p(f64::from(i) * 0.1, 0.0, 0.0), 0.2 + 0.1 * numbers.next())
                .unwrap();
        }
        let dashpot = hooke::dampers::find("dashpot").unwrap();
        let drag = hooke::dampers::find("drag").unwrap();
        for i in 0..7 {
            model.add_spring(i, i + 1, 300.0 + 100.0 * numbers.next(), Some(0.09)).unwrap();
            model.add_damper(dashpot, &[i, i + 1], None, &[0.5]).unwrap();
            model.add_damper(drag, &[i], None, &[0.3]).unwrap();
        }
        let place = model.add_anchor(Motion::still(p(0.8, 0.0, 0.0))).unwrap();
        model.attach(7, place, 20.0).unwrap();
        model.pin_at_rest(0).unwrap();
        let mut state = State::at_rest(&model);
        for (v, i) in state.velocities.iter_mut().zip(0..) {
            v.x = if i == 0 { 0.0 } else { 0.1 * numbers.next() };
        }
        (model, state)
    };
    let steps = |name: &str| {
        let (model, state) = build();
        let mut simulation = simulation(model, exact(name), 0.02, state);
        run(&mut simulation, 20);
        (simulation.state().clone(), simulation.report().clone())
    };
    let ((newton, by_newton), (xpbd, by_xpbd)) = (steps("newton"), steps("xpbd"));
    let error = apart(&newton.positions, &xpbd.positions);
    assert!(error < 1e-11, "{error:e}");
    let reactions = (by_newton.reactions[0] - by_xpbd.reactions[0]).norm();
    assert!(reactions < 1e-7, "{reactions:e}");
    assert!(by_xpbd.solve.unwrap().end.is_settled());
    // Drag and what it drifts with are a constant apart.
    let change = |report: &hooke::StepReport| report.energy.total() + report.numerical;
    assert!((change(&by_newton) - change(&by_xpbd)).abs() < 1e-8);
}

#[test]
fn a_cut_run_says_so_and_how_far_it_came() {
    for (name, orders) in [("pbd", &["colored", "given", "shuffled"][..]), ("xpbd", &["given"])] {
        for order in orders {
            let settings = |count| {
                let mut settings = vec![("iterations", count), ("order", *order)];
                settings.extend((name == "xpbd").then_some(("energy_guard", "false")));
                settings
            };
            let relative = ["0", "1", "200"].map(|count| {
                let start = State::at_rest(&cloth(8));
                let built = method(name, &settings(count));
                let mut simulation = simulation(cloth(8), built, 1.0 / 30.0, start);
                let solve = simulation.step().unwrap().solve.unwrap();
                let count: u32 = count.parse().unwrap();
                assert_eq!((solve.end, solve.iterations), (End::Cap, count), "{name} {order}");
                solve.relative()
            });
            assert!(relative[0] > 0.2 && relative[0] > relative[1], "{name} {order} {relative:?}");
            assert!(relative[1] > 3.0 * relative[2], "{name} {order} {relative:?}");
        }
    }
}

/// A law without rows.
struct Bare;

impl hooke::laws::Law<2, 1, 1> for Bare {
    const NAME: &'static str = "bare";
    const EQUATION: &'static str = "E = ½ k |x_i − x_j|⁴";
    const DOC: &'static str = "Nothing to project.";
    const PARAMS: [hooke::laws::Param; 1] =
        <hooke::laws::Spring as hooke::laws::Law<2, 1, 1>>::PARAMS;
    const PROXY: hooke::laws::Proxy = hooke::laws::Proxy::Estimate;
    fn rest(_: [Vec3; 2]) -> Option<[f64; 1]> {
        Some([1.0])
    }
    fn energy<T: hooke::math::Scalar>(x: [hooke::math::Vec3<T>; 2], _: [T; 1], [k]: [T; 1]) -> T {
        let square = (x[0] - x[1]).norm2();
        T::of(0.5) * k * square * square
    }
    fn proxy(_: [f64; 1], [k]: [f64; 1]) -> [[f64; 2]; 2] {
        [[k, -k], [-k, k]]
    }
}

#[test]
fn a_law_without_rows_is_refused() {
    for name in ["pbd", "xpbd", "hierarchical-pbd"] {
        let mut model = Model::new();
        model.add_particle(Vec3::ZERO, 1.0).unwrap();
        model.add_particle(p(1.0, 0.0, 0.0), 1.0).unwrap();
        model.add_element(&hooke::laws::info::<Bare, 2, 1, 1>(), &[0, 1], None, &[1.0]).unwrap();
        let refusal = Simulation::new(model, name, 0.01).err().unwrap();
        assert_eq!(
            refusal.to_string(),
            format!(
                "{name} cannot hold elements of bare, which has no rows to project; newton or \
                 quasi-newton would do"
            )
        );
    }
}

/// A beam of tetrahedra, held at one end.
fn beam(law: &str) -> Model {
    let mut model = Model::new();
    let edges = [0.4, 0.2, 0.2].into_iter().zip(Vec3::AXES).map(|(s, axis)| axis * s);
    let edges: Vec<Vec3> = edges.collect();
    let block = hooke::model::Block {
        corner: Vec3::ZERO,
        edges: [edges[0], edges[1], edges[2]],
        cells: [4, 2, 2],
    };
    let mesh = block.mesh().unwrap();
    for &x in &mesh.positions {
        model.add_particle(x, 0.3).unwrap();
    }
    let law = hooke::laws::find(law).unwrap();
    let material = if law.name == "strain-band" { &[2e4, 1.0, 1.0][..] } else { &[2e4, 0.3] };
    for corners in &mesh.tetrahedra {
        model.add_element(law, corners, None, material).unwrap();
    }
    for (i, x) in mesh.positions.iter().enumerate().filter(|(_, x)| x.x == 0.0) {
        model.pin(i as u32, [true; 3], Motion::still(*x)).unwrap();
    }
    model
}

/// A sheet of triangles, held at one edge: stiff in its plane by springs unless the law is one of
/// membranes.
fn sheet(law: &str) -> Model {
    let mut model = Model::new();
    let law = hooke::laws::find(law).unwrap();
    let bends = matches!(law.role, Some(hooke::laws::Role::Bending(_)));
    let springs = bends.then_some(SpringFamily::stiffness(100.0));
    Grid {
        structural: springs,
        shear: springs,
        bend: None,
        down: p(0.0, 0.0, 1.0),
        ..Grid::square(6)
    }
    .add_to(&mut model)
    .unwrap();
    let triangles = model.triangles().to_vec();
    let material: Vec<f64> = match law.name {
        "stvk-membrane" => vec![1e4, 0.3, 1e-2],
        "baraff-witkin-stretch" => vec![3e4, 1.0, 1.0],
        "strain-band-membrane" => vec![3e4, 1.0, 1.0],
        _ => law.params.iter().map(|_| 0.05).collect(),
    };
    match law.name {
        "vertex-bending" => {
            for ring in hooke::model::surface::rings(&triangles) {
                model.add_element(law, &ring, None, &material).unwrap();
            }
        }
        _ if law.corners == 4 => {
            for hinge in hooke::model::surface::hinges(&triangles).unwrap() {
                model.add_element(law, &hinge, None, &material).unwrap();
            }
        }
        _ => {
            for corners in &triangles {
                model.add_element(law, corners, None, &material).unwrap();
            }
        }
    }
    if law.name == "baraff-witkin-stretch" {
        let shear = hooke::laws::find("baraff-witkin-shear").unwrap();
        for corners in &triangles {
            model.add_element(shear, corners, None, &[1e4]).unwrap();
        }
    }
    for i in 0..12 {
        model.pin_at_rest(i).unwrap();
    }
    model
}

/// One step under xpbd, converged, stands where backward Euler stands: to first order in h.
#[test]
fn every_elastic_law_moves_as_under_newton() {
    let laws = hooke::laws::LAWS.iter().filter(|law| law.store == hooke::laws::Store::Elastic);
    let mut checked = 0;
    let alone = |law: &&hooke::laws::LawInfo| law.corners > 2 && law.name != "baraff-witkin-shear";
    for law in laws.filter(alone) {
        // Ten rest values: the inverse edges of a tetrahedron and its volume.
        let build = || match law.rest_values {
            10 => beam(law.name),
            _ => sheet(law.name),
        };
        let steps = |name: &str| {
            let model = build();
            let state = State::at_rest(&model);
            let mut simulation = simulation(model, exact(name), 2e-3, state);
            run(&mut simulation, 40);
            let last = simulation.state().positions.clone();
            let fallen = last.iter().zip(simulation.model().rest()).map(|(x, r)| r.y - x.y);
            (fallen.fold(0.0, f64::max), last, simulation.report().clone())
        };
        let ((fallen, newton, by_newton), (_, xpbd, by_xpbd)) = (steps("newton"), steps("xpbd"));
        let error = apart(&newton, &xpbd);
        assert!(fallen > 0.01, "{}: {fallen}", law.name);
        assert!(error < 0.01 * fallen, "{}: {error:e} of {fallen:e}", law.name);
        let [a, b] = [&by_newton, &by_xpbd]
            .map(|report| report.reactions.iter().map(|reaction| reaction.y).sum::<f64>());
        assert!((a / b - 1.0).abs() < 0.02, "{}: reactions {a} {b}", law.name);
        checked += 1;
    }
    assert_eq!(checked, 12);
}

/// A curtain of n×n, held by its upper corners and in the middle between them.
fn wide_curtain(n: u32) -> Model {
    let mut model = Model::new();
    let grid = Grid::square(n).add_to(&mut model).unwrap();
    for column in [0, n / 2, n - 1] {
        model.pin_at_rest(grid.at(column, 0)).unwrap();
    }
    model
}

/// How far springs are stretched beyond their rest length after two seconds (root mean square of strain).
fn stretched(n: u32, method: Box<dyn Method>) -> f64 {
    let mut simulation =
        Simulation::with_substeps(wide_curtain(n), method, 1.0 / 60.0, Substeps::Fixed(1)).unwrap();
    simulation
        .model_mut()
        .set_global_damping(Some(hooke::model::GlobalDamping::Rate(4.0)))
        .unwrap();
    run(&mut simulation, 120);
    let (x, batch) = (&simulation.state().positions, &simulation.model().elements()[0]);
    let mut sum = 0.0;
    for e in 0..batch.len() {
        let [i, j] = [0, 1].map(|k| x[batch.corners(e)[k] as usize]);
        let strain = ((i - j).norm() / batch.view(e).rest[0] - 1.0).max(0.0);
        sum += strain * strain;
    }
    (sum / batch.len() as f64).sqrt()
}

#[test]
fn coarse_levels_are_worth_their_work() {
    let n = 40;
    let settings = HierarchicalPbdSettings::default();
    let (fine, coarse) = (settings.iterations, settings.coarse_iterations);
    let mut hierarchical = HierarchicalPbd::with(settings);
    hierarchical.prepare(&wide_curtain(n), Kernels::Portable).unwrap();
    let rows = hierarchical.rows();
    assert!(rows.len() >= 3, "{rows:?}");
    let work = rows[0] * fine as usize + rows[1..].iter().sum::<usize>() * coarse as usize;
    // As many sweeps over the rows alone as the work pays for.
    let sweeps = work.div_ceil(rows[0]).to_string();
    let flat = stretched(n, method("pbd", &[("iterations", &sweeps), ("tolerance", "0")]));
    let levels = stretched(n, Box::new(hierarchical));
    assert!(3.0 * levels < flat, "{levels} on levels, {flat} with {sweeps} sweeps");
}

#[test]
fn multipliers_are_those_of_the_rows() {
    let h = 0.01;
    for order in ["colored", "given", "shuffled"] {
        // A spring that holds nothing stands between those that do.
        let mut model = curtain();
        model.add_spring(0, 1, 0.0, None).unwrap();
        model.add_spring(1, 2, 50.0, Some(0.1)).unwrap();
        let bending = hooke::laws::find("stvk-membrane").unwrap();
        for triangle in model.triangles().to_vec() {
            model.add_element(bending, &triangle, None, &[1e4, 0.3, 1e-3]).unwrap();
        }
        let settings = [("tolerance", "0"), ("iterations", "3000"), ("order", order)];
        let mut simulation =
            Simulation::with_substeps(model, method("xpbd", &settings), h, Substeps::Fixed(1))
                .unwrap();
        run(&mut simulation, 2);
        let (model, x) = (simulation.model(), &simulation.state().positions);
        let at = hooke::compute::At { x, anchors: &[] };
        let mut known = std::collections::BTreeSet::new();
        simulation.multipliers(|id, own| {
            let rows = model.elements()[id.batch].rows(id.index, at);
            assert_eq!(rows.len(), own.len());
            for ((value, _, compliance), lambda) in rows.into_iter().zip(own) {
                // C + α̃ λ = 0 once sweeps have converged.
                let left = value + compliance * lambda / (h * h);
                assert!(left.abs() < 1e-9, "{order} {id:?}: {left:e} of {value:e}");
            }
            assert!(known.insert((id.batch, id.index)), "{id:?} twice");
        });
        let all: usize = model.elements().iter().map(|batch| batch.len()).sum();
        assert_eq!(known.len(), all - 1, "all but the spring that holds nothing");
    }
}
