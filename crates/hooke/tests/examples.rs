//! The numbered examples run as tests: each ends in an assertion.
#![allow(clippy::unwrap_used, missing_docs)]

macro_rules! examples {
    ($($name:ident = $file:literal;)*) => {
        $(
            #[path = $file]
            mod $name;

            #[test]
            fn $name() {
                $name::main().unwrap();
            }
        )*

        #[test]
        fn every_example_is_listed() {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
            let mut found: Vec<String> = std::fs::read_dir(folder)
                .unwrap()
                .map(|entry| format!("../examples/{}", entry.unwrap().file_name().display()))
                .collect();
            found.sort();
            assert_eq!(found, [$($file),*]);
        }
    };
}

/// What the tutorial suggests to change in the first example keeps its assertion.
#[test]
fn the_first_example_under_every_method_and_stiffer() {
    use hooke::Grid;
    use hooke::model::SpringFamily;
    for method in hooke::methods::METHODS {
        match (hanging_cloth::hang(Grid::square(20), method.name), method.name) {
            (Err(refused), "forward-euler") => {
                assert!(
                    refused.to_string().starts_with("forward Euler without damping"),
                    "{refused}"
                );
            }
            (hung, name) => hung.unwrap_or_else(|error| panic!("{name}: {error}")),
        }
    }
    let stiff = Grid { structural: Some(SpringFamily::stiffness(1e5)), ..Grid::square(20) };
    for method in ["newton", "quasi-newton", "rk4"] {
        hanging_cloth::hang(stiff.clone(), method).unwrap();
    }
}

examples! {
    hanging_cloth = "../examples/01_hanging_cloth.rs";
    compare_integrators = "../examples/02_compare_integrators.rs";
    game_loop = "../examples/03_game_loop.rs";
    stability = "../examples/04_stability.rs";
    own_law = "../examples/05_own_law.rs";
    keyframes = "../examples/06_keyframes.rs";
    bending_on_a_cylinder = "../examples/07_bending_on_a_cylinder.rs";
    rigid_bodies = "../examples/08_rigid_bodies.rs";
}
