//! The gallery: the scenes of the project's `scenes` folder, carried in the program.

/// A scene of the gallery.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name, as given to commands.
    pub name: &'static str,
    /// Its file.
    pub text: &'static str,
}

/// The mesh files that scenes of the gallery name.
pub(crate) const MESHES: &[(&str, &[u8])] = &[
    ("skirt.obj", include_bytes!("../../../scenes/skirt.obj")),
    ("ring.obj", include_bytes!("../../../scenes/ring.obj")),
];

macro_rules! entries {
    ($($name:literal,)*) => {
        &[$(Entry {
            name: $name,
            text: include_str!(concat!("../../../scenes/", $name, ".toml")),
        }),*]
    };
}

/// Every scene of the gallery, in the order they are shown; the first is the default.
pub fn gallery() -> &'static [Entry] {
    entries![
        "hanging-cloth",
        "curtain",
        "flag",
        "limited-flag",
        "cloth-on-sphere",
        "spinning-sphere",
        "moving-box",
        "cloth-through-ring",
        "flag-against-pole",
        "skirt",
        "jelly",
        "jelly-stairs",
        "cantilever",
        "twisting-bar",
        "inflated-ball",
        "water-balloon",
        "curved-shell",
        "table-edge",
        "net",
        "rod-net",
        "rope",
        "rope-over-bar",
        "chain",
        "pendulum",
        "spring",
        "springs",
        "strip",
        "stiff-cloth",
        "free-fall",
        "walls",
        "room",
        "attractor",
        "drag",
        "dashpot",
        "course-cloth",
        "course-stiffness",
    ]
}
