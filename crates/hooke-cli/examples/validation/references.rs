//! The reference cases: numbers from independent high-precision code, and how closely they are met.

/// A case: its file, the tests that meet it, what is compared and within which tolerance.
pub struct Case {
    /// The file's name.
    pub file: &'static str,
    /// Tests in `reference.rs`, or of bodies.
    #[allow(dead_code, reason = "the test of the page looks the tolerances up there")]
    pub tests: &'static [&'static str],
    /// What is compared.
    pub what: &'static str,
    /// The tolerances, as the tests write them.
    pub tolerances: &'static [(&'static str, &'static str)],
}

/// Every case.
pub const CASES: &[Case] = &[
    Case {
        file: "be_linearized_grid3x3",
        tests: &["linearized_backward_euler_and_beta"],
        what: "one step of linearized backward Euler and of the beta family, on a 3×3 grid",
        tolerances: &[("positions", "1e-11"), ("velocities", "1e-9")],
    },
    Case {
        file: "bending_quadratic_hinge",
        tests: &["quadratic_bending_hinge"],
        what: "matrix, energies and forces of a hinge",
        tolerances: &[("all", "1e-13")],
    },
    Case {
        file: "cantilever_tets",
        tests: &["cantilever_tets"],
        what: "the static answer of a cantilever of 240 tetrahedra",
        tolerances: &[("positions, reaction", "1e-7")],
    },
    Case {
        file: "constrained_kkt_chain4",
        tests: &["constrained_dynamics"],
        what: "one linear solve of constrained dynamics, rigid and compliant, with and without geometric stiffness",
        tolerances: &[("state", "1e-9")],
    },
    Case {
        file: "ie_grid3x3_step1",
        tests: &["backward_euler_step", "newton_iterates", "forces_at_the_start"],
        what: "one step of backward Euler by five solvers, and the iterates of Newton's method",
        tolerances: &[("positions", "1e-9"), ("velocities", "1e-7"), ("iterates, forces", "1e-11")],
    },
    Case {
        file: "ik_ccd_chain4",
        tests: &["cyclic_coordinate_descent"],
        what: "a chain after 1 to 10 sweeps of CCD, with a reachable target, one too far and one too near",
        tolerances: &[("joint positions", "1e-10")],
    },
    Case {
        file: "integrators_oscillator",
        tests: &["oscillator_under_every_method"],
        what: "an oscillator after 10 and 100 steps of eight methods",
        tolerances: &[("state", "1e-10")],
    },
    Case {
        file: "ode_free_tetra",
        tests: &["free_cluster_with_and_without_dashpots"],
        what: "the trajectory of a free cluster of four particles, with and without dashpots",
        tolerances: &[("state, angular momentum", "1e-10"), ("momentum", "1e-13")],
    },
    Case {
        file: "ode_spring_pendulum",
        tests: &["spring_pendulum_under_every_method"],
        what: "the trajectory errors of a spring pendulum at several step sizes",
        tolerances: &[("positions", "1e-10")],
    },
    Case {
        file: "particle_contacts",
        tests: &["particle_contacts"],
        what: "a bounce with friction, projection out of a sphere",
        tolerances: &[
            ("velocities after a bounce, push-out", "1e-13"),
            ("velocity after it", "1e-12"),
        ],
    },
    Case {
        file: "pbd_gauss_seidel_chain4",
        tests: &["position_based_dynamics_by_gauss_and_seidel"],
        what: "a chain after sweeps of position-based dynamics in two orders, and whole steps",
        tolerances: &[("positions", "1e-12"), ("velocities", "1e-10")],
    },
    Case {
        file: "pbd_jacobi_chain4",
        tests: &["position_based_dynamics_by_jacobi"],
        what: "a chain after averaged sweeps of position-based dynamics",
        tolerances: &[("positions", "1e-12")],
    },
    Case {
        file: "pd_grid3x3",
        tests: &["fast_mass_spring_iterates"],
        what: "iterates of the quasi-Newton method, and their limit",
        tolerances: &[("positions", "1e-9"), ("energy gap, relative", "1e-6")],
    },
    Case {
        file: "pin_penalty_limit_grid3x3",
        tests: &["penalty_pins_approach_elimination"],
        what: "soft pins of increasing stiffness, compared with hard pins",
        tolerances: &[("positions", "1e-9"), ("distances, relative", "1e-6")],
    },
    Case {
        file: "projectile",
        tests: &["projectile_under_every_method"],
        what: "free flight under nine methods",
        tolerances: &[("state", "1e-11")],
    },
    Case {
        file: "rigid_impulse",
        tests: &["single_contacts_match_the_reference"],
        what: "impulses of both rules on a body with one contact point: sticking, sliding, elastic, inelastic",
        tolerances: &[("impulse, velocities, K", "1e-11")],
    },
    Case {
        file: "shape_matching",
        tests: &["both_polar_forms_match_the_reference"],
        what: "center, rotation and vertex positions of a matched shape, by both polar forms",
        tolerances: &[("all", "1e-12")],
    },
    Case {
        file: "spring_mass_damping",
        tests: &["damped_oscillator_and_drag", "dashpot_keeps_the_center_of_mass"],
        what: "damped oscillators, drag, a dashpot between free bodies",
        tolerances: &[("state", "1e-11")],
    },
    Case {
        file: "strain_limiting_chain4",
        tests: &["strain_limiting"],
        what: "sweeps of strain limiting over a chain of three springs",
        tolerances: &[("positions, velocities", "1e-12")],
    },
    Case {
        file: "stvk_tetrahedron",
        tests: &["stvk_tetrahedron"],
        what: "energy, forces and Hessian of a tetrahedron, deformed and inverted",
        tolerances: &[("energy, forces, relative", "1e-12"), ("Hessian", "1e-7")],
    },
    Case {
        file: "two_body_and_misc",
        tests: &["small_facts"],
        what: "degrees of freedom of a spring network, Young's modulus, springs in series and in parallel",
        tolerances: &[("force", "1e-12"), ("parallel", "1e-10"), ("series", "1e-9")],
    },
];
