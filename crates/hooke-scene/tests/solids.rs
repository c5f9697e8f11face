//! Solids, surfaces and materials of scenes: what they say is what the model holds.

use hooke::Model;
use hooke::compute::{ElementView, Elements};
use hooke::laws::role::Bending;
use hooke::laws::{LAWS, Role};
use hooke_scene::materials::{MATERIALS, find, page};
use hooke_scene::{Compiled, Scene};
use std::path::Path;

/// The laws of a role.
fn of_role(wanted: fn(Role) -> bool) -> impl Iterator<Item = &'static str> {
    LAWS.iter().filter(move |law| law.role.is_some_and(wanted)).map(|law| law.name)
}

fn compiled(body: &str) -> Compiled {
    let scene = Scene::parse(format!("format = 1\n[[deformables]]\n{body}"), "scene.toml");
    let scene = scene.unwrap_or_else(|problems| panic!("{problems}"));
    let compiled = scene.compile().unwrap_or_else(|problems| panic!("{problems}"));
    assert!(compiled.warnings.is_empty(), "{}", compiled.warnings);
    compiled
}

fn batch<'a>(model: &'a Model, law: &str) -> Option<&'a dyn Elements> {
    model.elements().iter().find(|batch| batch.law().name == law).map(AsRef::as_ref)
}

fn laws(model: &Model) -> Vec<(&'static str, usize)> {
    model.elements().iter().map(|batch| (batch.law().name, batch.len())).collect()
}

fn first(model: &Model, law: &str) -> ElementView {
    batch(model, law).unwrap_or_else(|| panic!("{law} is there")).view(0)
}

fn mass(model: &Model) -> f64 {
    model.masses().iter().sum()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs().max(1e-30)
}

#[test]
fn solids_have_the_mass_of_their_volume_and_one_element_for_each_tetrahedron() {
    for (shape, tetrahedra, volume) in [
        ("box = { size = [1, 2, 3], cells = [2, 3, 4] }", 120, 6.0),
        (
            "beam = { from = [0, 1, 0], to = [0, 1, 2], section = [0.5, 0.25], cells = [8, 2, 1] }",
            80,
            0.25,
        ),
        ("ball = { radius = 1, layers = 2 }", 160, 3.6587),
        ("torus = { slices = 12, layers = 1 }", 216, 0.1403),
    ] {
        for law in of_role(|role| matches!(role, Role::Solid)) {
            let body = format!(
                "{shape}\ndensity = 1000\nsolid = {{ law = \"{law}\", young = 5e4, poisson = 0.4 }}\n"
            );
            let model = compiled(&body).model;
            assert_eq!(laws(&model), [(law, tetrahedra)], "{shape}");
            assert_eq!(first(&model, law).material, [5e4, 0.4]);
            assert!(
                (mass(&model) / 1000.0 / volume - 1.0).abs() < 1e-3,
                "{shape}: {}",
                mass(&model)
            );
            assert!(near(mass(&model), 1000.0 * model.volumes().iter().sum::<f64>()));
        }
    }
}

#[test]
fn a_beam_lies_between_its_ends() {
    let text = "beam = { from = [0, 1, 0], to = [0, 1, 2], section = [0.5, 0.25], up = [0, 3, 1], \
                cells = [4, 1, 1] }\nmass = 1\nsolid = { young = 1 }\n";
    let model = compiled(text).model;
    let bounds = |axis: usize| {
        let along = model.rest().iter().map(|x| x[axis]);
        [along.clone().fold(f64::MAX, f64::min), along.fold(f64::MIN, f64::max)]
    };
    for (axis, [low, high]) in [(0, [-0.25, 0.25]), (1, [0.875, 1.125]), (2, [0.0, 2.0])] {
        let [a, b] = bounds(axis);
        assert!((a - low).abs() < 1e-12 && (b - high).abs() < 1e-12, "{axis}: {a} {b}");
    }
}

#[test]
fn hollow_shapes_are_closed_surfaces() {
    for (shape, triangles) in [
        ("box = { cells = [2, 2, 2], hollow = true }", 48),
        ("ball = { layers = 3, hollow = true }", 180),
        ("torus = { slices = 12, layers = 2, hollow = true }", 288),
    ] {
        let text = format!(
            "{shape}\ndensity = 0.3\nmembrane = {{ stiffness = 100 }}\npressure = 50\n\
             bending = {{ law = \"dihedral\", stiffness = 1e-4 }}\n"
        );
        let model = compiled(&text).model;
        let hinges = triangles * 3 / 2;
        let expected =
            [("stvk-membrane", triangles), ("dihedral", hinges), ("pressure", triangles)];
        assert_eq!(laws(&model), expected, "{shape}");
        assert!(model.tetrahedra().is_empty());
        assert_eq!(model.triangles().len(), triangles);
    }
}

#[test]
fn cloth_stretches_by_one_of_two_laws() {
    let grid = "grid = { columns = 4, rows = 3, size = [3, 2], across = [1, 0, 1] }\nmass = 1\n";
    let model =
        compiled(&format!("{grid}membrane = {{ young = 2e6, poisson = 0.1 }}\nthickness = 1e-3\n"))
            .model;
    assert_eq!(laws(&model), [("stvk-membrane", 12)]);
    let [young, poisson, thickness] = first(&model, "stvk-membrane").material[..] else { panic!() };
    assert!(near(young * thickness, 2000.0) && poisson == 0.1);

    let text =
        format!("{grid}membrane = {{ law = \"baraff-witkin\", stiffness = 2000, shear = 50 }}\n");
    let model = compiled(&text).model;
    assert_eq!(laws(&model), [("baraff-witkin-stretch", 12), ("baraff-witkin-shear", 12)]);
    // Half a cell of 1 m × 1 m: the stiffness of the condition is that of the cloth per area.
    let stretch = first(&model, "baraff-witkin-stretch");
    assert!(near(stretch.material[0], 2000.0 / 0.5) && near(stretch.rest[4], 0.5));
    assert!(near(first(&model, "baraff-witkin-shear").material[0], 50.0 / 0.5));
    // Its first axis is the grid's: at rest the inverse of the edges holds 0, 1 and −1 only.
    for value in &stretch.rest[..4] {
        assert!((value.abs() - value.abs().round()).abs() < 1e-12, "{:?}", stretch.rest);
    }
}

#[test]
fn cloth_bends_on_hinges_or_rings() {
    let grid = "grid = { columns = 5, rows = 4 }\nmass = 1\nstructural = { stiffness = 9 }\n";
    let inner_edges = 3 * 24 / 2 - 7;
    let hinges = |role| matches!(role, Role::Bending(Bending::Hinges { .. }));
    for law in of_role(hinges) {
        let model =
            compiled(&format!("{grid}bending = {{ law = \"{law}\", stiffness = 2e-5 }}\n")).model;
        assert_eq!(batch(&model, law).map(|batch| batch.len()), Some(inner_edges), "{law}");
        assert_eq!(first(&model, law).material, [2e-5]);
    }
    let model = compiled(&format!("{grid}bending = {{ rigidity = 3e-5 }}\n")).model;
    assert_eq!(batch(&model, "vertex-bending").map(|batch| batch.len()), Some(6));
    assert_eq!(first(&model, "vertex-bending").material, [3e-5]);
}

/// What fills a closed surface: one element for each part that hangs together.
#[test]
fn closed_surfaces_are_filled_part_by_part() {
    let ball = "ball = { radius = 0.1, layers = 2, hollow = true }\nmass = 1\nbulk_modulus = 2e4\n";
    let model = compiled(&format!("{ball}structural = {{ stiffness = 9 }}\n")).model;
    let filling = batch(&model, "volume").expect("a volume");
    assert_eq!((filling.len(), filling.corners(0).len()), (1, model.particles()));
    let (rest, inside) = (first(&model, "volume").rest[0], 4.0 / 3.0 * std::f64::consts::PI * 1e-3);
    assert!(rest < inside && rest > 0.8 * inside, "{rest}");
    assert_eq!(first(&model, "volume").material, [2e4]);

    let tetrahedron = "[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]";
    let two = format!(
        "positions = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [5, 0, 0], [6, 0, 0], [5, 2, 0], [5, 0, 1]]\n\
         triangles = {tetrahedron}, [4, 6, 5], [4, 5, 7], [4, 7, 6], [5, 6, 7]]\nmass = 1\n\
         structural = {{ stiffness = 9 }}\nbulk_modulus = 1e3\n"
    );
    let model = compiled(&two).model;
    let volumes = batch(&model, "volume").expect("volumes");
    assert_eq!(volumes.len(), 2);
    assert!(near(volumes.view(0).rest[0], 1.0 / 6.0) && near(volumes.view(1).rest[0], 2.0 / 6.0));

    // By hand, with a volume of its own.
    let one = "positions = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]\nmasses = 1\n\
               elements = [{ law = \"volume\", corners = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3], rest = [0.5], \
               material = [1e3] }]\n";
    assert_eq!(first(&compiled(one).model, "volume").rest, [0.5]);
}

/// `damping` stands beside the stiffness: on the folds, and along warp and weft of every triangle.
#[test]
fn folds_and_strains_are_damped_whatever_resists_them() {
    let grid = "grid = { columns = 5, rows = 4, size = [4, 3] }\nmass = 1\n";
    let dampers = |body: &str| -> Vec<(&'static str, usize)> {
        let model = compiled(&format!("{grid}{body}\n")).model;
        model.dampers().iter().map(|batch| (batch.kind().name, batch.len())).collect()
    };
    let inner_edges = 3 * 24 / 2 - 7;
    for bending in ["rigidity = 1e-5", "law = \"dihedral\", stiffness = 1e-5"] {
        let damped = dampers(&format!("bending = {{ {bending}, damping = 1e-6 }}"));
        assert_eq!(damped, [("bending-damper", inner_edges)], "{bending}");
    }
    for law in ["stvk-membrane", "baraff-witkin"] {
        let damped =
            dampers(&format!("membrane = {{ law = \"{law}\", stiffness = 100, damping = 0.2 }}"));
        // Warp and weft count one each.
        assert_eq!(damped, [("stretch-damper", 48), ("shear-damper", 24)], "{law}");
    }
    assert_eq!(dampers("membrane = { stiffness = 100 }\nbending = { rigidity = 1 }"), []);

    // Per area: the whole sheet, stretched along any direction at one rate, loses ½ d A ε̇².
    let body = "membrane = { stiffness = 100, damping = 0.2 }";
    let model = compiled(&format!("{grid}{body}\n")).model;
    for angle in [0.0_f64, 0.4, 1.1] {
        let along = hooke::Vec3::new(angle.cos(), angle.sin(), 0.0);
        let v: Vec<_> = model.rest().iter().map(|x| along * (0.3 * along.dot(*x))).collect();
        let mut lost = 0.0;
        for batch in model.dampers() {
            let mut frozen = vec![hooke::dampers::Frozen::NONE; batch.len()];
            let still = |_| hooke::Vec3::ZERO;
            batch.freeze(model.rest(), &v, &still, &mut frozen, &hooke::ThreadPool::new(1));
            lost += frozen.iter().map(|frozen| frozen.potential(|i| v[i])).sum::<f64>();
        }
        assert!(near(lost, 0.5 * 0.2 * 12.0 * 0.09), "{angle}: {lost}");
    }
}

/// Mass by area: corners have a quarter of a cell, borders a half. Mass of the whole: all alike.
#[test]
fn grids_by_density_are_lighter_at_their_border() {
    let grid = "grid = { columns = 4, rows = 3, size = [3, 2] }\nstructural = { stiffness = 1 }\n";
    let masses = |given: &str| compiled(&format!("{grid}{given}\n")).model.masses().to_vec();
    let by_density = masses("density = 0.8");
    let expected = [1.0, 2.0, 2.0, 1.0, 2.0, 4.0, 4.0, 2.0, 1.0, 2.0, 2.0, 1.0];
    for (mass, quarters) in by_density.iter().zip(expected) {
        assert!(near(*mass, 0.8 * 0.25 * quarters), "{by_density:?}");
    }
    assert!(near(by_density.iter().sum(), 0.8 * 6.0));
    let denim = masses("material = \"denim\"");
    assert!(near(denim[0] * 4.0, denim[5]) && near(denim.iter().sum(), 0.324 * 6.0));
    for given in ["mass = 4.8", "masses = 0.4"] {
        assert!(masses(given).iter().all(|mass| near(*mass, 0.4)), "{given}");
    }
    let line = "grid = { columns = 1, rows = 3, size = [2, 2] }\ndensity = 1\n\
                structural = { stiffness = 1 }\n";
    assert_eq!(compiled(line).model.masses(), [1.0, 2.0, 1.0]);
}

#[test]
fn an_arc_keeps_lengths_along_its_rows() {
    let model = compiled(
        "grid = { columns = 61, rows = 2, size = [3, 1], corner = [0, 0, 0], arc = 180 }\nmass = 1\n\
         structural = { stiffness = 1 }\n",
    )
    .model;
    let x = model.rest();
    let length: f64 = x[..61].windows(2).map(|pair| (pair[1] - pair[0]).norm()).sum();
    assert!((length - 3.0).abs() < 1e-3, "{length}");
    let radius = 3.0 / std::f64::consts::PI;
    assert!((x[30].z - radius).abs() < 1e-12 && x[0].z.abs() < 1e-12 && x[60].z.abs() < 1e-12);
    assert!((x[60].x - x[0].x - 2.0 * radius).abs() < 1e-12);
}

#[test]
fn materials_fill_in_what_is_left_out() {
    let denim = find("denim").expect("a material");
    let grid = "grid = { columns = 6, rows = 6, size = [2, 1] }\nmaterial = \"denim\"\n";
    let model = compiled(grid).model;
    assert_eq!(laws(&model), [("stvk-membrane", 50), ("vertex-bending", 16)]);
    assert!(near(mass(&model), 2.0 * 0.324));
    let [young, _, thickness] = first(&model, "stvk-membrane").material[..] else { panic!() };
    assert!(near(young * thickness, denim.stiffness(9e-4)));
    assert_eq!(first(&model, "vertex-bending").material, [6.4e-5]);

    // What is given goes before it.
    let own = "mass = 5\nbending = { rigidity = 1 }\nstructural = { stiffness = 3 }\n";
    let model = compiled(&format!("{grid}{own}")).model;
    assert!(near(mass(&model), 5.0));
    assert_eq!(first(&model, "vertex-bending").material, [1.0]);
    assert!(batch(&model, "stvk-membrane").is_none());

    let jelly = find("jelly").expect("a material");
    let model = compiled("box = { cells = [1, 1, 1] }\nmaterial = \"jelly\"\n").model;
    assert_eq!(first(&model, "neo-hookean").material, [jelly.mean_young(), jelly.poisson]);
    assert!(near(mass(&model), jelly.density));
    let part = "box = { cells = [1, 1, 1] }\nmaterial = \"jelly\"\nsolid = { law = \"stvk\", poisson = 0.2 }\n";
    assert_eq!(first(&compiled(part).model, "stvk").material, [jelly.mean_young(), 0.2]);

    // A rope of wire: tension E·A and mass per length ρ·A.
    let rope =
        "rope = { from = [0, 0, 0], to = [2, 0, 0], links = 4 }\nmaterial = \"steel-wire\"\n";
    let model = compiled(&format!("{rope}thickness = 2e-3\n")).model;
    let area = std::f64::consts::PI * 1e-6;
    assert!(near(first(&model, "strain-spring").material[0], 2e11 * area));
    assert!(near(mass(&model), 2.0 * 7850.0 * area));
}

#[test]
fn materials_make_sense() {
    for material in MATERIALS {
        assert_eq!(find(material.name), Some(material), "no name is there twice");
        assert!(material.source.len() > 25 && material.about.len() > 5, "{}", material.name);
        assert!((0.0..0.499).contains(&material.poisson));
        assert!((1.0..2e4).contains(&material.density), "{}", material.name);
        if let (Some(t), true) = (material.thickness, material.is_cloth()) {
            let plate =
                material.mean_young() * t.powi(3) / (12.0 * (1.0 - material.poisson.powi(2)));
            assert!(
                material.rigidity(t) < 1.1 * plate,
                "{} folds about as easily as a plate, or more so",
                material.name
            );
            assert!((0.02..1.0).contains(&material.area_density(t)), "{}", material.name);
        }
    }
    let rubber = find("rubber").expect("a material");
    assert!(near(rubber.rigidity(2e-3), 2e6 * 8e-9 / (12.0 * (1.0 - 0.49 * 0.49))));
}

#[test]
fn the_page_of_materials_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/materials.md");
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        written == page(),
        "docs/materials.md is old: hooke materials --markdown > docs/materials.md"
    );
}

#[test]
fn mesh_files_are_solids_too() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let body = "[[deformables]]\nmesh = \"box-4.1-text.msh\"\nmaterial = \"foam\"\n";
    let scene =
        Scene::parse_in(format!("format = 1\n{body}"), "scene.toml", &folder).expect("a scene");
    let model = scene.compile().unwrap_or_else(|problems| panic!("{problems}")).model;
    let elements = batch(&model, "neo-hookean").map(|batch| batch.len());
    assert_eq!(elements, Some(model.tetrahedra().len()));
    assert!(near(mass(&model), 30.0 * model.volumes().iter().sum::<f64>()));
}

#[test]
fn a_pin_turns() {
    let scene = compiled(
        "positions = [[1, 0, 0], [0, 0, 0]]\nmasses = 1\npins = [{ at = 0, rotation_keyframes = { axis = [0, 0, 1], \
         times = [0, 1], degrees = [0, 90] }, keyframes = { times = [0, 1], points = [[0, 0, 0], [0, 0, 5]] } }]\n",
    );
    let [pin] = scene.model.pins() else { panic!("one pin") };
    assert!((pin.motion.at(1.0) - hooke::Vec3::new(0.0, 1.0, 5.0)).norm() < 1e-15);
}
