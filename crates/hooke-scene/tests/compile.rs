//! What a scene says is what the model holds.

use hooke::model::{Diagonals, Grid, SpringFamily};
use hooke::{Model, Vec3};
use hooke_scene::json::results;
use hooke_scene::{Compiled, Probe, Scene, What};

fn compiled(text: &str) -> Compiled {
    let scene = Scene::parse(format!("format = 1\n{text}"), "scene.toml");
    let scene = scene.unwrap_or_else(|problems| panic!("{problems}"));
    scene.compile().unwrap_or_else(|problems| panic!("{problems}"))
}

fn springs(model: &Model) -> Vec<(Vec<u32>, f64, f64)> {
    model
        .elements()
        .iter()
        .flat_map(|batch| (0..batch.len()).map(|element| batch.view(element)))
        .map(|view| (view.corners, view.rest[0], view.material[0]))
        .collect()
}

#[test]
fn a_grid_is_the_grid_of_the_engine() {
    let scene = compiled(
        "[[deformables]]\ngrid = { columns = 5, rows = 4, size = [2, 1], corner = [0, 1, 0], \
         diagonals = \"alternating\" }\nmass = 3\nstructural = { stiffness = 7 }\n\
         shear = { stiffness = 5 }\nbend = { stiffness = 2 }\n",
    );
    let mut model = Model::new();
    Grid {
        columns: 5,
        rows: 4,
        origin: Vec3::new(0.0, 1.0, 0.0),
        across: Vec3::new(2.0, 0.0, 0.0),
        down: Vec3::new(0.0, -1.0, 0.0),
        mass: 3.0,
        structural: Some(SpringFamily::stiffness(7.0)),
        shear: Some(SpringFamily::stiffness(5.0)),
        bend: Some(SpringFamily::stiffness(2.0)),
        diagonals: Diagonals::Alternating,
    }
    .add_to(&mut model)
    .expect("a grid");
    assert_eq!(scene.model.rest(), model.rest());
    assert_eq!(scene.model.triangles(), model.triangles());
    assert_eq!(springs(&scene.model), springs(&model));
    for (own, engine) in scene.model.masses().iter().zip(model.masses()) {
        assert!((own - engine).abs() < 1e-15);
    }
    assert_eq!(scene.edges.len(), springs(&model).len());
}

#[test]
fn masses_by_density() {
    let rope = compiled(
        "[[deformables]]\nrope = { from = [0, 0, 0], to = [2, 0, 0], links = 3 }\ndensity = 0.5\n",
    );
    assert!((rope.model.masses().iter().sum::<f64>() - 1.0).abs() < 1e-15);
    let triangles = compiled(
        "[[deformables]]\npositions = [[0,0,0],[2,0,0],[0,1,0],[2,1,0]]\ntriangles = [[0,1,2],[1,3,2]]\n\
         masses = [1, 2, 3, 4]\n",
    );
    assert_eq!(triangles.model.masses(), [1.0, 2.0, 3.0, 4.0]);
    let tets = compiled(
        "[[deformables]]\npositions = [[0,0,0],[1,0,0],[0,1,0],[0,0,1]]\ntetrahedra = [[0,1,2,3]]\n\
         density = 6\nstructural = { stiffness = 1 }\n",
    );
    assert!(tets.model.masses().iter().all(|mass| (mass - 0.25).abs() < 1e-15));
    assert_eq!((springs(&tets.model).len(), tets.model.triangles().len()), (6, 4));
}

#[test]
fn a_mesh_file_beside_the_scene() {
    let folder = std::env::temp_dir().join(format!("hooke-mesh-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let obj = "v 0 0 0\nv 2 0 0\nv 0 1 0\nv 2 1 0\ng lower\nf 1 2 3\ng upper\nf 2 4 3\n";
    std::fs::write(folder.join("quad.obj"), obj).expect("a mesh");
    let body = "[[deformables]]\nmesh = \"quad.obj\"\ndensity = 3\nstructural = { stiffness = 5 }\n\
                bend = { stiffness = 1 }\npins = [{ group = \"upper\" }]\n";
    let path = folder.join("scene.toml");
    std::fs::write(&path, format!("format = 1\n{body}")).expect("a scene");
    let scene = Scene::load(&path).expect("a scene").compile().expect("a model");
    assert_eq!(scene.model.triangles(), [[0, 1, 2], [1, 3, 2]]);
    assert_eq!(springs(&scene.model).len(), 6, "five edges and one across");
    assert!((scene.model.masses().iter().sum::<f64>() - 6.0).abs() < 1e-12);
    assert_eq!(scene.model.pins().len(), 3);
    let missing = std::fs::read_to_string(&path).expect("it").replace("quad", "squad");
    std::fs::write(&path, missing).expect("a scene");
    let problems = Scene::load(&path).expect("a scene").compile().err().expect("no such file");
    assert_eq!(problems.cause(), hooke_scene::Cause::File);
}

#[test]
fn groups_choose_on_the_rest_shape() {
    let scene = compiled(
        "[[deformables]]\ngrid = { columns = 4, rows = 3, corner = [0, 0, 0], size = [3, 2] }\nmass = 1\n\
         start = { translate = [9, 9, 9] }\n\
         [deformables.groups]\ntop = { plane = { point = [0, 0, 0], normal = [0, 2, 0] } }\n\
         left = { box = [[-0.1, -5, -1], [0.1, 5, 1]] }\nrim = { border = true }\n\
         some = { vertices = [7, 2, 7] }\nends = { nearest = [[0, 0.2, 0], [3, -2, 1]] }\n",
    );
    let body = &scene.deformables[0];
    assert_eq!(body.group("top"), Some(&[0, 1, 2, 3][..]));
    assert_eq!(body.group("left"), Some(&[0, 4, 8][..]));
    assert_eq!(body.group("rim"), Some(&[0, 1, 2, 3, 4, 7, 8, 9, 10, 11][..]));
    assert_eq!(body.group("some"), Some(&[2, 7][..]));
    assert_eq!(body.group("ends"), Some(&[0, 11][..]));
    assert_eq!(scene.start.positions[0], Vec3::new(9.0, 9.0, 9.0));
    assert_eq!(scene.model.rest()[0], Vec3::ZERO);
}

#[test]
fn materials_of_groups_and_springs_in_order() {
    let scene = compiled(
        "[[deformables]]\nrope = { from = [0,0,0], to = [3,0,0], links = 3 }\nmass = 1\n\
         structural = { stiffness = 10 }\nmaterials = [{ group = \"end\", structural = { stiffness = 99 } }]\n\
         springs = [{ between = [3, 0], stiffness = 4, rest_length = 0.5 }, { between = [0, 2], stiffness = 3 }]\n\
         groups = { end = { vertices = [2, 3] } }\n",
    );
    assert_eq!(
        springs(&scene.model),
        [
            (vec![0, 1], 1.0, 10.0),
            (vec![1, 2], 1.0, 10.0),
            (vec![2, 3], 1.0, 99.0),
            (vec![3, 0], 0.5, 4.0),
            (vec![0, 2], 2.0, 3.0),
        ]
    );
}

#[test]
fn a_start_turns_about_the_middle() {
    let scene = compiled(
        "[[deformables]]\npositions = [[1, 0, 0], [3, 0, 0]]\nmasses = 1\n[deformables.start]\nscale = 2\n\
         rotate = { axis = [0, 0, 5], degrees = 90 }\ntranslate = [0, 0, 1]\nvelocity = [1, 2, 3]\n",
    );
    let expected = [Vec3::new(2.0, -2.0, 1.0), Vec3::new(2.0, 2.0, 1.0)];
    for (x, expected) in scene.start.positions.iter().zip(expected) {
        assert!((*x - expected).norm() < 1e-15, "{x:?}");
    }
    assert_eq!(scene.start.velocities, [Vec3::new(1.0, 2.0, 3.0); 2]);
}

#[test]
fn noise_is_small_seeded_and_everywhere() {
    let noisy = |seed: u32| {
        let text = format!(
            "[[deformables]]\nrope = {{ from = [0,0,0], to = [1,0,0], links = 50 }}\nmass = 1\n\
             start = {{ noise = 0.01, seed = {seed} }}\n"
        );
        let scene = compiled(&text);
        let away = |(x, rest): (&Vec3, &Vec3)| *x - *rest;
        scene.start.positions.iter().zip(scene.model.rest()).map(away).collect::<Vec<_>>()
    };
    let first = noisy(1);
    assert_eq!(first, noisy(1));
    assert_ne!(first, noisy(2));
    assert!(first.iter().all(|away| away.to_array().iter().all(|d| d.abs() <= 0.01 && *d != 0.0)));
}

#[test]
fn pins_move_from_where_they_start() {
    let scene = compiled(
        "[[deformables]]\npositions = [[0, 0, 0], [1, 0, 0]]\nmasses = 1\nstart = { translate = [0, 5, 0] }\n\
         pins = [{ at = 0, axes = \"xz\", keyframes = { times = [0, 1], points = [[0,0,0],[0,2,0]] } }, \
         { at = 1, how = \"penalty\", stiffness = 50 }]\n",
    );
    let [pin] = scene.model.pins() else { panic!("one hard pin") };
    assert_eq!((pin.particle.index(), pin.axes), (0, [true, false, true]));
    assert_eq!(pin.motion.at(0.5), Vec3::new(0.0, 6.0, 0.0));
    assert_eq!(scene.model.anchors()[0].at(0.0), Vec3::new(1.0, 5.0, 0.0));
}

#[test]
fn water_lifts_what_has_volume() {
    let scene = Scene::parse(
        "format = 1\n[time]\nstep = 0.01\n[method]\nname = \"velocity-verlet\"\n[world]\nwater = { level = 1 }\n\
         [[deformables]]\npositions = [[0, 0, 0], [0, 9, 0]]\nmasses = 1\nvolume = 0.004\n",
        "scene.toml",
    )
    .expect("a scene");
    let probe = Probe::new(&scene).expect("it runs");
    let told = results(&probe.tell(&[What::Forces]));
    let total = told.split("\"elements\"").next().expect("the total");
    // Below the surface: 2 litres of water less 1 kg; above it: the weight alone.
    assert!(total.contains(&format!("{:.16e}", 0.002 * (1000.0 * 9.81) - 9.81)), "{total}");
    assert!(total.contains(&format!("{:.16e}", -9.81)), "{total}");
}

#[test]
fn empty_and_tiny_scenes_run() {
    for text in [
        "",
        "[[deformables]]\npositions = []\nmasses = 1\n",
        "[[deformables]]\npositions = [[0, 0, 0]]\nmasses = 1\n",
        "[[deformables]]\npositions = [[0, 0, 0]]\nmasses = 1\npins = [{ at = 0 }]\n",
        "[[deformables]]\npositions = [[0, 0, 0], [0, 0, 0]]\nmasses = [1e-6, 1e6]\n\
         springs = [{ between = [0, 1], stiffness = 3, rest_length = 0 }]\n",
    ] {
        for method in hooke::methods::METHODS {
            let mut scene = Scene::parse(format!("format = 1\n{text}"), "x").expect(text);
            scene.use_method(method.name).expect(method.name);
            let Ok(mut simulation) = scene.simulation(1) else { continue };
            for _ in 0..3 {
                let stepped = simulation.step().map(|_| ());
                assert!(stepped.is_ok(), "{} of {text}: {stepped:?}", method.name);
            }
        }
    }
}

/// The probe's forces are the slope of the probe's energy.
#[test]
fn forces_are_the_slope_of_the_energy() {
    let text = |shift: f64| {
        format!(
            "format = 1\n[world]\nwater = {{ level = 0.3, depth = 0.5 }}\n[[deformables]]\n\
             positions = [[{shift:?}, 0.2, 0], [1, 0.1, 0.3], [0.2, 0.9, -0.4]]\nmasses = [1, 2, 3]\n\
             volume = 0.01\nsprings = [{{ between = [0, 1], stiffness = 30, rest_length = 0.7 }}, \
             {{ between = [2, 0], tension = 20, rest_length = 0.4 }}]\n\
             pins = [{{ at = 1, how = \"penalty\", stiffness = 7 }}]\n\
             [[attractors]]\nposition = [2, 2, 2]\nstrength = 5\n\
             [[attractors]]\nlaw = \"linear-attractor\"\nposition = [0, 1, 2]\nstrength = 3\n"
        )
    };
    let ask = |shift: f64, what: What, key: &str| {
        let scene = Scene::parse(text(shift), "x").expect("a scene");
        let told = results(&Probe::new(&scene).expect("it runs").tell(&[what]));
        let from = told.find(&format!("\"{key}\":")).expect(key) + key.len() + 3;
        let number = told[from..].trim_start_matches([' ', '\n', '[']);
        let end = number.find([',', '\n', ']']).expect("an end");
        number[..end].parse::<f64>().expect("a number")
    };
    let d = 1e-5;
    let slope = (ask(d, What::Energy, "total") - ask(-d, What::Energy, "total")) / (2.0 * d);
    let force = ask(0.0, What::Forces, "total");
    assert!((slope + force).abs() < 1e-7 * force.abs().max(1.0), "{slope} {force}");
}

/// Obstacles and rigid bodies have one table of shapes: a bar stands where its ends are told.
#[test]
fn a_bar_between_two_places_is_an_obstacle_or_a_rigid_body() {
    let bar = "capsule = { from = [0, 1, 0], to = [0.4, 1, 0], radius = 0.05 }";
    let text = format!(
        "format = 1\n[[obstacles]]\n{bar}\n[[rigid_bodies]]\n{bar}\nposition = [0, 2, 0]\n[[rigid_bodies]]\n\
         capsule = {{ length = 0.4, radius = 0.05 }}\nposition = [0.2, 3, 0]\n\
         rotate = {{ axis = [0, 0, 1], degrees = -90 }}\n"
    );
    let compiled = Scene::parse(text, "scene.toml").expect("a scene").compile().expect("a model");
    let [first, second] = compiled.model.rigid_bodies() else { panic!("two bodies") };
    for (x, distance) in [([-0.05, 1.0, 0.0], 0.0), ([0.2, 1.3, 0.0], 0.25)] {
        let x = hooke::Vec3::from(x);
        let up = |y: f64| hooke::Vec3::new(0.0, y, 0.0);
        let of = |body: &hooke::rigid::RigidBody, x| {
            body.shape.distance(body.start.pose.local(x), 0.0).0
        };
        let obstacle = compiled.model.obstacles()[0].distance(x, 0.0).0;
        let found = [obstacle, of(first, x + up(2.0)), of(second, x + up(2.0))];
        for found in found {
            assert!((found - distance).abs() < 1e-12, "{found} {distance}");
        }
    }
}
