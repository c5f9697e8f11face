//! A jelly and a bent cloth come to rest in the same place, however they are computed.
//!
//! The ways are those of the page on invariance.

#[path = "../../../hooke-scene/examples/invariance.rs"]
#[allow(dead_code, reason = "an example that is run by itself, too")]
mod invariance;

use super::Outcome;
pub use invariance::{Rest, Table};

/// A block of jelly, held at its upper face.
const JELLY: &str = r#"
format = 1
title = "Hanging jelly"
[time]
step = "1/60"
duration = 15
[[deformables]]
box = { size = [0.3, 0.3, 0.3], cells = [2, 2, 2] }
density = 1000
solid = { law = "neo-hookean", young = 2e4, poisson = 0.4 }
drag = 8
groups = { top = { plane = { point = [0, 0.3, 0], normal = [0, 1, 0] } } }
pins = [{ group = "top" }]
"#;

/// A cloth that lies over an edge: its first two columns are held.
const CLOTH: &str = r#"
format = 1
title = "Cloth over an edge"
[time]
step = "1/60"
duration = 60
[[deformables]]
grid = { columns = 9, rows = 5, size = [0.2, 0.1], across = [1, 0, 0], down = [0, 0, 1], diagonals = "alternating" }
density = 0.2
membrane = { stiffness = 200 }
bending = { rigidity = 1e-3 }
drag = 8e-4
pins = [{ at = [0, 1, 9, 10, 18, 19, 27, 28, 36, 37] }]
"#;

/// Both tables.
pub fn tables() -> Outcome<Vec<Table>> {
    [JELLY, CLOTH].into_iter().map(invariance::table).collect()
}
