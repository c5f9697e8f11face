//! The gallery: the scenes of the crate's `scenes` folder, carried in the program.

/// A scene of the gallery.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name, as given to commands.
    pub name: &'static str,
    /// What it is shown among.
    pub group: &'static str,
    /// Its file.
    pub text: &'static str,
}

/// The mesh files that scenes of the gallery name.
pub(crate) const MESHES: &[(&str, &[u8])] = &[
    ("skirt.obj", include_bytes!("../scenes/skirt.obj")),
    ("jack.obj", include_bytes!("../scenes/jack.obj")),
    ("top.obj", include_bytes!("../scenes/top.obj")),
];

macro_rules! entries {
    ($($group:literal: [$($name:literal,)*])*) => {
        &[$($(Entry {
            name: $name,
            group: $group,
            text: include_str!(concat!("../scenes/", $name, ".toml")),
        },)*)*]
    };
}

/// Every scene of the gallery, in the order they are shown; the first is the default.
pub fn gallery() -> &'static [Entry] {
    entries![
        "Cloth": [
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
        ]
        "Solids and shells": [
            "jelly",
            "jelly-stairs",
            "cantilever",
            "twisting-bar",
            "inflated-ball",
            "water-balloon",
            "curved-shell",
            "table-edge",
        ]
        "Rigid bodies": [
            "wall-and-ball",
            "dominoes",
            "box-stack",
            "wrecking-ball",
            "spinning-tops",
            "bouncing-jack",
            "bouncing-jack-matched",
            "ball-into-curtain",
            "box-on-trampoline",
        ]
        "Nets, ropes and springs": [
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
        ]
        "Chains": [
            "initials",
            "word",
            "snake",
            "two-arms",
            "joint-limits",
            "out-of-reach",
            "shaken-cloth",
        ]
        "Course": [
            "free-fall",
            "walls",
            "room",
            "attractor",
            "drag",
            "dashpot",
            "course-cloth",
            "course-stiffness",
        ]
    ]
}
