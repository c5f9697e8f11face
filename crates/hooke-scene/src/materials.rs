//! Materials by name, in SI units, each with its source: a measurement where there is one, or a word that
//! it is a typical value.
//!
//! A `material` of a body fills in what the body leaves out: its density, and how its tetrahedra,
//! triangles or links resist. Real cloth is woven of yarns that slide: its flexural rigidity is
//! measured, and far below that of a plate of its thickness and stiffness.

use crate::format::usual_laws;
use crate::words::{short, wrap};

/// What something is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Its name in scenes.
    pub name: &'static str,
    /// What exactly.
    pub about: &'static str,
    /// Mass per volume (kg/m³), of a cloth with the air between its yarns.
    pub density: f64,
    /// Young's modulus (Pa); of a cloth along warp and weft.
    pub young: [f64; 2],
    /// Poisson's ratio.
    pub poisson: f64,
    /// Thickness of the sheet or diameter of the wire it is sold as (m).
    pub thickness: Option<f64>,
    /// Flexural rigidity where it was measured (N·m): woven and knitted cloth.
    pub measured_rigidity: Option<f64>,
    /// Where the numbers are from, or how they were derived.
    pub source: &'static str,
}

impl Material {
    /// Whether it is woven or knitted of yarns.
    pub fn is_cloth(&self) -> bool {
        self.measured_rigidity.is_some()
    }

    /// Young's modulus (Pa) where one number must do: the mean of warp and weft.
    pub fn mean_young(&self) -> f64 {
        0.5 * (self.young[0] + self.young[1])
    }

    /// Mass per area (kg/m²) at a thickness (m).
    pub fn area_density(&self, thickness: f64) -> f64 {
        self.density * thickness
    }

    /// Membrane stiffness E·t (N/m) at a thickness (m).
    pub fn stiffness(&self, thickness: f64) -> f64 {
        self.mean_young() * thickness
    }

    /// Flexural rigidity D (N·m) at a thickness (m): as measured, or that of a plate,
    /// `D = E t³/(12 (1 − ν²))`.
    pub fn rigidity(&self, thickness: f64) -> f64 {
        let cube = thickness * thickness * thickness;
        let plate = self.mean_young() * cube / (12.0 * (1.0 - self.poisson * self.poisson));
        self.measured_rigidity.unwrap_or(plate)
    }
}

/// A cloth by what is measured of it: mass per area (kg/m²), thickness (m), force per width and
/// strain along warp and weft (N/m), flexural rigidity (N·m).
const fn cloth(
    name: &'static str,
    about: &'static str,
    [area_density, thickness, warp, weft, rigidity]: [f64; 5],
    source: &'static str,
) -> Material {
    Material {
        name,
        about,
        density: area_density / thickness,
        young: [warp / thickness, weft / thickness],
        poisson: 0.2,
        thickness: Some(thickness),
        measured_rigidity: Some(rigidity),
        source,
    }
}

/// A material that is alike in all directions: density (kg/m³), Young's modulus (Pa), Poisson's
/// ratio.
const fn alike(
    name: &'static str,
    about: &'static str,
    [density, young, poisson]: [f64; 3],
    thickness: Option<f64>,
    source: &'static str,
) -> Material {
    let young = [young, young];
    Material { name, about, density, young, poisson, thickness, measured_rigidity: None, source }
}

/// Every material, in the order of the documentation: cloth, sheets, soft solids, wire.
pub const MATERIALS: &[Material] = &[
    cloth(
        "cotton",
        "Plain-woven shirting",
        [0.12, 0.30e-3, 9800.0, 4900.0, 5.0e-6],
        "Typical values, of no one sample: in the range that Kawabata's instruments (KES-F) give for \
         shirting, bending B = 0.05 gf·cm²/cm and an extension of 5 % (warp) and 10 % (weft) at 500 \
         gf/cm. Stiffness is the secant there, 490 N/m over the extension; at small loads cloth is \
         softer.",
    ),
    cloth(
        "silk",
        "Plain-woven habotai",
        [0.06, 0.12e-3, 12300.0, 8200.0, 2.0e-6],
        "Typical values, of no one sample: in the range of KES-F results for thin silk, B = 0.02 \
         gf·cm²/cm and an extension of 4 % (warp) and 6 % (weft) at 500 gf/cm. Stiffness is the secant \
         there.",
    ),
    cloth(
        "wool",
        "Worsted suiting",
        [0.19, 0.40e-3, 12300.0, 7000.0, 8.0e-6],
        "Typical values, of no one sample: in the range of KES-F results for men's suiting, B = 0.08 \
         gf·cm²/cm and an extension of 4 % (warp) and 7 % (weft) at 500 gf/cm. Stiffness is the secant \
         there.",
    ),
    cloth(
        "denim",
        "Twill of 11 ounces per square yard",
        [0.324, 0.90e-3, 9400.0, 9400.0, 6.4e-5],
        "Mass per area and rigidity (one direction, least curvature: 0.324 kg/m², 64.2 µN·m) measured by H. \
         Wang, J. O'Brien and R. Ramamoorthi, Data-driven elastic models for cloth, SIGGRAPH 2011 (11oz \
         black denim). Thickness and extension (0.80 to 1.19 mm, 4.7 to 5.7 % at 500 gf/cm) from the KES-F \
         results of six denims in Journal of Textiles 2016, 4614168, table 5: 490 N/m over 5.2 %. The spread \
         is wide: those six bend with 14 to 22 µN·m, and under the small loads of the first paper its denim \
         stretches several times more easily.",
    ),
    cloth(
        "jersey",
        "Interlock knit of cotton and polyester",
        [0.187, 0.70e-3, 800.0, 280.0, 2.3e-5],
        "Mass per area, rigidity (one direction, least curvature) and stiffness along both directions \
         (rounded, at the largest strain measured; at small ones it is a tenth) of H. Wang, J. O'Brien \
         and R. Ramamoorthi, SIGGRAPH 2011 (gray interlock). Thickness typical of such knits.",
    ),
    cloth(
        "nylon",
        "Ripstop of filament yarn",
        [0.05, 0.08e-3, 24500.0, 24500.0, 3.0e-6],
        "Typical values, of no one sample: filament wovens for kites and tents weigh 40 to 60 g/m²; an \
         extension of 2 % at 500 gf/cm and B = 0.03 gf·cm²/cm are estimates for a coated one.",
    ),
    alike(
        "leather",
        "Vegetable-tanned side",
        [860.0, 1.0e8, 0.4],
        Some(1.2e-3),
        "Typical textbook values: 810 to 1050 kg/m³; of 0.1 to 0.5 GPa the lower end, as hides vary with \
         tannage and direction by more than that; rigidity that of a plate.",
    ),
    alike(
        "paper",
        "Copy paper of 80 g/m²",
        [800.0, 3.0e9, 0.2],
        Some(0.10e-3),
        "80 g/m² by definition; Young's modulus a typical textbook value between cross and machine \
         direction (2 to 5 GPa); rigidity that of a plate.",
    ),
    alike(
        "latex",
        "Natural rubber film of a balloon",
        [930.0, 1.17e6, 0.49],
        Some(0.25e-3),
        "E = 3 G with the textbook value G = 0.39 MPa for the vulcanized natural rubber of L. Treloar's \
         stretching experiments of 1944. Poisson's ratio is just below 1/2, which linear elements could not follow.",
    ),
    alike(
        "rubber",
        "Natural rubber",
        [930.0, 2.0e6, 0.49],
        Some(1.0e-3),
        "Typical textbook values for unfilled natural rubber: 1.5 to 2.5 MPa, 920 to 930 kg/m³. Poisson's \
         ratio is just below 1/2, which linear elements could not follow.",
    ),
    alike(
        "silicone",
        "Very soft cast silicone, Shore 00-30",
        [1070.0, 1.18e5, 0.49],
        None,
        "From a maker's data for Shore 00-30: 69 kPa at 100 % strain; ideal rubber, σ = G (λ − 1/λ²), gives \
         G = 39 kPa, E = 3 G.",
    ),
    alike(
        "foam",
        "Flexible polyurethane foam for cushions",
        [30.0, 2.8e4, 0.3],
        None,
        "Open-cell law E = E_s (ρ/ρ_s)² of L. Gibson and M. Ashby, Cellular Solids, with the textbook values \
         E_s = 45 MPa and ρ_s = 1200 kg/m³ of flexible polyurethane.",
    ),
    alike(
        "jelly",
        "Dessert jelly: one part of gelatine to 20 of water",
        [1020.0, 4.3e3, 0.49],
        None,
        "Compression tests of gelatine by J. Bonavia, 4.34 kPa at 20:1, arXiv:2512.20502; density of the \
         mixture.",
    ),
    alike(
        "gelatine",
        "Firm gelatine: one part to ten of water",
        [1030.0, 1.5e4, 0.49],
        None,
        "The power law between 277 kPa at 2:1 and 4.34 kPa at 20:1 of arXiv:2512.20502, at 10:1; density \
         of the mixture.",
    ),
    alike(
        "steel-wire",
        "Drawn steel wire",
        [7850.0, 2.0e11, 0.29],
        Some(1.0e-3),
        "Textbook values of carbon steel.",
    ),
];

/// The material of a name.
pub fn find(name: &str) -> Option<&'static Material> {
    MATERIALS.iter().find(|material| material.name == name)
}

/// `docs/materials.md`: every material with its source.
pub fn page() -> String {
    use std::fmt::Write;
    let [solid, membrane, bending] = usual_laws();
    let mut out = format!(
        "<!-- Written by `hooke materials --markdown`; a test keeps it up to date. -->\n\n\
         # Materials\n\n\
         `material = \"denim\"` in a deformable sets its density and the stiffness of its tetrahedra, triangles or\n\
         links. Explicit fields override those of the material. `hooke materials` prints this table,\n\
         `hooke materials NAME` one material.\n\n\
         - A **solid** takes density, Young's modulus and Poisson's ratio; its law is `{solid}`.\n\
         - A **surface** takes mass per area, membrane stiffness E·t, Poisson's ratio (`{membrane}`, unless it\n\
         \x20 has structural or shear springs) and flexural rigidity D (`{bending}`, unless it has bend\n\
         \x20 springs). A material without a thickness needs the field `thickness`.\n\
         - A **rope** takes mass per length and tension E·A of a round thread with the diameter `thickness`.\n\n\
         The D of cloth is measured: yarns slide, so it is far below that of a plate,\n\
         D = E t³/(12 (1 − ν²)), which applies to all other materials. Warp and weft differ; isotropic laws\n\
         use their mean. The values of a material vary between samples by tens of percent, often more:\n\
         they are a starting point, not a certificate.\n\n\
         | material | description | density kg/m³ | thickness mm | mass per area kg/m² | Young's modulus Pa | Poisson's ratio | E·t N/m | D N·m |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for material in MATERIALS {
        let of = |value: &dyn Fn(f64) -> f64| {
            material.thickness.map_or(String::new(), |t| short(value(t)))
        };
        let [warp, weft] = material.young;
        let young = match warp == weft {
            true => short(warp),
            false => format!("{}, {}", short(warp), short(weft)),
        };
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} | {} | {young} | {} | {} | {} |",
            material.name,
            material.about,
            short(material.density),
            of(&|t| 1e3 * t),
            of(&|t| material.area_density(t)),
            short(material.poisson),
            of(&|t| material.stiffness(t)),
            of(&|t| material.rigidity(t)),
        );
    }
    out.push_str("\n## Sources\n");
    for material in MATERIALS {
        let source = format!("- `{}`: {}", material.name, material.source);
        let _ = write!(out, "\n{}\n", wrap(&source, "  "));
    }
    out
}
