//! Bodies: a shape at rest, its masses and springs, and how it starts.

use super::{
    Ball, Beam, Bending, Cuboid, Each, Element, Family, Group, Keyframes, Material, Membrane,
    RotationKeyframes, SolidPart, Spring, Torus, Vertices,
};
use crate::field::{Bounds, above, above_up_to, at_least, between, choice, of, table};
use crate::files::FileName;
use crate::limits::MASS;
use hooke::Vec3;
use hooke::dampers::{Damper, Drag, QuadraticWind};
use hooke::laws::{Attachment, Enclosed, Law, Pressure, Volume};
use hooke::model::Diagonals;
use std::collections::BTreeMap;

table! {
    /// A rectangular cloth.
    pub struct Grid as "grid" {
        /// Particles along `across`.
        columns: u32, within at_least(1.0), eg "20";
        /// Particles along `down`.
        rows: u32, within at_least(1.0), eg "20";
        /// Width and height.
        size: [f64; 2], unit "m", within above(0.0), or "[1.0, 1.0]";
        /// The first particle.
        corner: Vec3, unit "m", or "[-0.5, 0, 0]";
        /// The direction of rows.
        across: Vec3, or "[1, 0, 0]";
        /// The direction of columns.
        down: Vec3, or "[0, -1, 0]";
        /// The diagonals of the cells.
        diagonals: Diagonals, or "\"both\"";
        /// Bend of its rows at rest, as part of a circle; the middle is displaced along `down` ×
        /// `across`.
        arc: f64, unit "°", within between(0.0, 350.0), or "0";
    }
}

table! {
    /// A straight rope.
    pub struct Rope as "rope" {
        /// One end.
        from: Vec3, unit "m", eg "[0, 0, 0]";
        /// The other end.
        to: Vec3, unit "m", eg "[1, 0, 0]";
        /// Springs along it; it has one more particle.
        links: u32, within at_least(1.0), eg "20";
    }
}

choice! {
    /// How the force of the wind grows.
    pub enum WindLaw {
        /// With the relative velocity.
        Linear = "linear",
        /// With its square.
        Quadratic = "quadratic",
    }
}

table! {
    /// Wind coefficients of triangles.
    pub struct SurfaceWind as "wind on a body" {
        /// Dependence of the force on the relative velocity.
        law: WindLaw, or "\"linear\"";
        /// Across the surface: N·s/m³ in the linear law, a coefficient in the quadratic.
        normal: f64, within at_least(0.0), or "1.0";
        /// Along the surface: N·s/m³ in the linear law, a coefficient in the quadratic.
        tangential: f64, within at_least(0.0), or "0.05";
        /// Density of the air, for the quadratic law; default 1.2.
        density: Option<f64>, unit "kg/m³", within of(QuadraticWind::PARAMS[0]), eg "1.2";
    }
}

table! {
    /// A constant force on vertices.
    pub struct Force as "force" {
        /// On the vertices of a group.
        group: Option<String>, eg "\"tip\"";
        /// On one vertex or a list of them.
        at: Option<Vertices>, eg "[3, 4]";
        /// The force on each.
        force: Vec3, unit "N", eg "[0, 0, 1]";
        exactly one of [group, at];
    }
}

choice! {
    /// The enforcement of a pin.
    pub enum How {
        /// Exactly.
        Hard = "hard",
        /// By a stiff spring.
        Penalty = "penalty",
    }
}

table! {
    /// Pins: vertices with a prescribed position.
    pub struct Pin as "pin" {
        /// The vertices of a group.
        group: Option<String>, eg "\"corners\"";
        /// One vertex or a list of them.
        at: Option<Vertices>, eg "[3, 4]";
        /// The pinned axes: any of x, y and z.
        axes: String, or "\"xyz\"";
        /// Exactly, or by a stiff spring.
        how: How, or "\"hard\"";
        /// Stiffness of a pin by penalty.
        stiffness: Option<f64>, unit "N/m", within of(Attachment::PARAMS[0]), eg "1e5";
        /// Motion: displacements (m), added to the initial position of each vertex.
        keyframes: Option<Keyframes>,
            eg "{ times = [0, 1, 2], points = [[0, 0, 0], [0, 0.2, 0], [0, 0, 0]], repeat = true }";
        /// Common rotation about an axis, before displacements are added.
        rotation_keyframes: Option<RotationKeyframes>, eg "{ axis = [1, 0, 0], times = [0, 2], degrees = [0, 180] }";
        exactly one of [group, at];
    }
}

table! {
    /// A rotation about an axis.
    pub struct Rotation as "rotation" {
        /// The axis.
        axis: Vec3, eg "[0, 1, 0]";
        /// Angle, counterclockwise seen against the axis.
        degrees: f64, unit "°", eg "30";
    }
}

table! {
    /// The initial state: scaled, then rotated (both about the center), then translated.
    pub struct Start as "start" {
        /// Displacement.
        translate: Vec3, unit "m", or "[0, 0, 0]";
        /// Rotation.
        rotate: Option<Rotation>, eg "{ axis = [0, 1, 0], degrees = 30 }";
        /// Scale relative to the rest shape.
        scale: f64, within above(0.0), or "1";
        /// All positions, instead of those at rest.
        positions: Option<Vec<Vec3>>, unit "m", eg "[[0, 0, 0], [1, 0, 0]]";
        /// The velocity of all vertices.
        velocity: Vec3, unit "m/s", or "[0, 0, 0]";
        /// All velocities.
        velocities: Option<Vec<Vec3>>, unit "m/s", eg "[[0, 0, 0], [0, 1, 0]]";
        /// Largest random displacement along each axis, to break symmetry.
        noise: f64, unit "m", within at_least(0.0), or "0";
        /// Seed of the random displacements.
        seed: u32, or "1";
    }
}

table! {
    /// A deformable: particles with masses, connected by springs or filled with a material.
    pub struct Deformable as "deformable" {
        /// Its name.
        name: Option<String>, eg "\"cloth\"";
        /// A rectangular cloth.
        grid: Option<Grid>, eg "{ columns = 20, rows = 20, size = [1.0, 1.0] }";
        /// A straight rope.
        rope: Option<Rope>, eg "{ from = [0, 0, 0], to = [1, 0, 0], links = 20 }";
        /// A mesh file, beside the scene: .obj, .ply, .stl, .gltf, .glb, .msh, .node or .ele.
        mesh: Option<FileName>, eg "\"dress.obj\"";
        /// Vertices, one by one.
        positions: Option<Vec<Vec3>>, unit "m", eg "[[0, 0, 0], [1, 0, 0]]";
        /// A box of tetrahedra.
        r#box: Option<Cuboid>, eg "{ size = [0.2, 0.2, 0.2], cells = [4, 4, 4] }";
        /// A beam of tetrahedra.
        beam: Option<Beam>, eg "{ from = [0, 1, 0], to = [1, 1, 0], section = [0.1, 0.1] }";
        /// A ball of tetrahedra.
        ball: Option<Ball>, eg "{ radius = 0.2, layers = 4 }";
        /// A torus of tetrahedra.
        torus: Option<Torus>, eg "{ radius = 0.4, tube = 0.15 }";
        /// Triangles of `positions`, for drawing, wind and export.
        triangles: Option<Vec<[u32; 3]>>, eg "[[0, 1, 2]]";
        /// Tetrahedra of `positions`.
        tetrahedra: Option<Vec<[u32; 4]>>, eg "[[0, 1, 2, 3]]";
        /// Mass of the whole: the same for every vertex of a grid, a rope or `positions`, by area
        /// or volume in a mesh or a solid.
        mass: Option<f64>, unit "kg", within above_up_to(0.0, MASS), eg "0.3";
        /// Mass per area (kg/m² of triangles), length (kg/m of a rope) or volume (kg/m³ of
        /// tetrahedra); default: that of the material. On a grid every cell gives a quarter to each
        /// of its corners, so that its border is lighter than its middle.
        density: Option<f64>, within above_up_to(0.0, MASS), eg "0.3";
        /// Mass of each vertex: one number for all, or a list.
        masses: Option<Each>, unit "kg", within above_up_to(0.0, MASS), eg "0.01";
        /// Volume of the whole, for water; default: that of the tetrahedra.
        volume: Option<f64>, unit "m³", within above(0.0), eg "0.001";
        /// The material: a name that `hooke materials` lists. Explicit fields override
        /// those of the material.
        material: Option<String>, eg "\"cotton\"";
        /// Thickness of a surface, or diameter of a rope; default: that of the material, else 0.001 for contact:
        /// two surfaces touch where their distance is the mean of both.
        thickness: Option<f64>, unit "m", within Bounds { open: true, ..between(0.0, 1e3) }, eg "0.0005";
        /// Whether its surface touches itself.
        self_contact: bool, or "false";
        /// Coefficient of friction with itself and other deformables; that of a pair is √(μ₁μ₂).
        friction: f64, within between(0.0, 1e6), or "0.3";
        /// Elasticity of the tetrahedra.
        solid: Option<SolidPart>, eg "{ young = 1e5, poisson = 0.45 }";
        /// Resistance of the triangles to stretch and shear.
        membrane: Option<Membrane>, eg "{ stiffness = 1000, poisson = 0.3 }";
        /// Resistance of the triangles to bending.
        bending: Option<Bending>, eg "{ rigidity = 1e-5 }";
        /// Pressure inside a closed surface, above that outside.
        pressure: Option<f64>, unit "Pa", within of(Pressure::PARAMS[0]), eg "100";
        /// Bulk modulus of the filling of a closed surface, which resists volume change.
        bulk_modulus: Option<f64>, unit "Pa", within of(Volume::PARAM), eg "1e5";
        /// Springs along rows and columns, along a rope, along the edges of a mesh.
        structural: Option<Family>, eg "{ stiffness = 1000, damping = 0.1 }";
        /// Springs along the diagonals of a grid.
        shear: Option<Family>, eg "{ stiffness = 500 }";
        /// Springs against bending: to the next vertex but one, or across each edge of a mesh.
        bend: Option<Family>, eg "{ stiffness = 100 }";
        /// Other coefficients for the springs inside a group; the first match is used.
        materials: Vec<Material>, eg "[{ group = \"hem\", structural = { stiffness = 5000 } }]", or "[]";
        /// Single springs, kept in this order.
        springs: Vec<Spring>, eg "[{ between = [0, 1], stiffness = 100, rest_length = 1.0 }]", or "[]";
        /// Elements of any law, kept in this order.
        elements: Vec<Element>,
            eg "[{ law = \"spring\", corners = [0, 1], rest = [1.0], material = [100.0] }]", or "[]";
        /// Air drag on each vertex, force per velocity.
        drag: Option<f64>, unit "N·s/m", within of(Drag::PARAMS[0]), eg "0.01";
        /// Wind coefficients of its triangles.
        wind: Option<SurfaceWind>, eg "{ normal = 1.0, tangential = 0.05 }";
        /// Constant forces.
        forces: Vec<Force>, eg "[{ group = \"tip\", force = [0, 0, 1] }]", or "[]";
        /// Named groups of vertices.
        groups: BTreeMap<String, Group>,
            eg "{ corners = { nearest = [[-0.5, 0, 0], [0.5, 0, 0]] } }", or "{}";
        /// Pinned vertices.
        pins: Vec<Pin>, eg "[{ group = \"corners\" }]", or "[]";
        /// Initial state, if not at rest.
        start: Option<Start>, eg "{ translate = [0, 1, 0] }";
        exactly one of [grid, rope, mesh, positions, r#box, beam, ball, torus];
        at most one of [mass, density, masses];
        at least one of [mass, density, masses, material];
    }
}
