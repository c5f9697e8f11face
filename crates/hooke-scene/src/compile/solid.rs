//! Boxes, beams, balls and tori as shapes, through the engine's builders.

use super::mesh::{of_tetrahedra, of_triangles};
use super::shape::Shape;
use crate::estimate::Fill;
use crate::format::{Beam, Deformable};
use crate::problem::{Sink, SourceOffset};
use hooke::Vec3;
use hooke::model::{Ball, Block, ModelError, Solid, Torus};

/// One of the engine's solids, and where the scene has it.
pub(super) struct Of {
    builder: Builder,
    pub(super) field: &'static str,
    pub(super) hollow: bool,
    source_offset: SourceOffset,
}

enum Builder {
    Block(Block),
    Ball(Ball),
    Torus(Torus),
}

impl Of {
    /// The solid that a body is written as, if any.
    pub(super) fn body(body: &Deformable) -> Option<Self> {
        let (builder, field, hollow, source_offset) = if let Some(cuboid) = &body.r#box {
            let edges = [0, 1, 2].map(|axis| Vec3::AXES[axis] * cuboid.size[axis]);
            let block = Block { corner: cuboid.corner, edges, cells: cuboid.cells };
            (Builder::Block(block), "box", cuboid.hollow, cuboid.source_offset)
        } else if let Some(beam) = &body.beam {
            (Builder::Block(block(beam)), "beam", beam.hollow, beam.source_offset)
        } else if let Some(ball) = &body.ball {
            let (center, radius, layers) = (ball.center, ball.radius, ball.layers);
            (
                Builder::Ball(Ball { center, radius, layers }),
                "ball",
                ball.hollow,
                ball.source_offset,
            )
        } else if let Some(torus) = &body.torus {
            let engine = Torus {
                center: torus.center,
                axis: torus.axis,
                radius: torus.radius,
                tube: torus.tube,
                slices: torus.slices,
                layers: torus.layers,
            };
            (Builder::Torus(engine), "torus", torus.hollow, torus.source_offset)
        } else {
            return None;
        };
        Some(Self { builder, field, hollow, source_offset })
    }

    /// How many vertices, tetrahedra and outer triangles it is built of.
    pub(super) fn counts(&self) -> [u64; 3] {
        let counts = match &self.builder {
            Builder::Block(block) => {
                let [x, y, z] = block.cells.map(u128::from);
                [block.vertices(), 5 * x * y * z, 4 * (x * y + y * z + z * x)]
            }
            Builder::Ball(ball) => {
                let n = u128::from(ball.layers);
                [ball.vertices(), 20 * n * n * n, 20 * n * n]
            }
            Builder::Torus(torus) => {
                let (slices, n) = (u128::from(torus.slices), u128::from(torus.layers));
                [torus.vertices(), 18 * n * n * slices, 12 * n * slices]
            }
        };
        counts.map(|count| u64::try_from(count).unwrap_or(u64::MAX))
    }

    /// What it puts into a method's system.
    pub(super) fn fill(&self) -> Fill {
        let [vertices, ..] = self.counts();
        let (width, length) = match &self.builder {
            Builder::Block(block) => {
                let mut sides = block.cells.map(|cells| f64::from(cells) + 1.0);
                sides.sort_by(f64::total_cmp);
                (sides[0].midpoint(sides[1]), sides[2])
            }
            Builder::Ball(_) => (libm::cbrt(vertices as f64), 0.0),
            Builder::Torus(torus) => (2.0 * f64::from(torus.layers) + 1.0, f64::from(torus.slices)),
        };
        Fill::solid(vertices, width.min(libm::cbrt(vertices as f64)), length > 4.0 * width)
    }

    /// Builds it.
    pub(super) fn shape(&self, wanted: [bool; 3]) -> Result<Shape, ModelError> {
        let solid = match &self.builder {
            Builder::Block(block) => block.mesh(),
            Builder::Ball(ball) => ball.mesh(),
            Builder::Torus(torus) => torus.mesh(),
        }?;
        if self.hollow {
            let (positions, triangles) = solid.skin();
            return of_triangles(&positions, &triangles, wanted);
        }
        let Solid { positions, tetrahedra } = &solid;
        of_tetrahedra(positions, tetrahedra, wanted)
    }

    /// Tells directions that span no volume.
    pub(super) fn check(&self, body: &Deformable, sink: &mut Sink) -> Option<()> {
        if let Some(beam) = &body.beam {
            if beam.from == beam.to {
                sink.error_in(self.source_offset, "to", "is the same point as from");
                return None;
            }
            let along = (beam.to - beam.from).unit();
            if along.cross(beam.up.unit()).norm() <= 1e-9 {
                sink.error_in(
                    self.source_offset,
                    "up",
                    "must be across the beam, not along it or zero",
                );
                return None;
            }
        }
        if let Some(torus) = &body.torus {
            if torus.axis == Vec3::ZERO {
                sink.error_in(self.source_offset, "axis", "must not be zero");
                return None;
            }
            if torus.tube >= torus.radius {
                sink.error_in(self.source_offset, "tube", "must be less than radius");
                return None;
            }
        }
        Some(())
    }
}

/// A beam as a block: along it, across it, up.
fn block(beam: &Beam) -> Block {
    let along = beam.to - beam.from;
    let across = along.cross(beam.up).unit();
    let up = across.cross(along).unit();
    let [width, height] = beam.section;
    let edges = [along, across * width, up * height];
    let corner = beam.from - edges[1] * 0.5 - edges[2] * 0.5;
    Block { corner, edges, cells: beam.cells }
}
