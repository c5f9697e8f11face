//! The header of a recording: what never changes during a run.

use super::bytes::{put_text, take, take_text, take_u64};
use crate::{Compiled, RigidParts};
use hooke::model::Surface;
use hooke::{Model, Vec3};

/// What a recording says once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// The title of the scene.
    pub title: String,
    /// The scene as run.
    pub scene: String,
    /// Recorded frames per second.
    pub fps: f64,
    /// Particles.
    pub particles: u64,
    /// Triangles of the surface.
    pub triangles: Vec<[u32; 3]>,
    /// Springs, as they are drawn.
    pub edges: Vec<[u32; 2]>,
    /// Tetrahedra.
    pub tetrahedra: Vec<[u32; 4]>,
    /// The surfaces that rigid bodies have.
    pub surfaces: Vec<Surface>,
    /// The surface of every rigid body.
    pub rigid_bodies: Vec<u32>,
}

impl Header {
    /// The header of a scene's recording.
    pub fn of(scene: &crate::Scene, compiled: &Compiled) -> Self {
        Self {
            title: scene.document().title.clone(),
            scene: scene.text().to_owned(),
            fps: scene.fps(),
            particles: compiled.model.particles() as u64,
            triangles: compiled.model.triangles().to_vec(),
            edges: compiled.edges.clone(),
            tetrahedra: compiled.model.tetrahedra().to_vec(),
            ..Self::default()
        }
        .with_rigid(&compiled.rigid, &compiled.model)
    }

    /// With the surfaces of rigid bodies.
    pub fn with_rigid(mut self, rigid: &[RigidParts], model: &Model) -> Self {
        for parts in rigid {
            let first = model.rigid_bodies().get(parts.rigid_bodies.start as usize);
            let surface = first.map_or_else(Surface::default, |body| body.shape.surface());
            self.rigid_bodies
                .extend(parts.rigid_bodies.clone().map(|_| self.surfaces.len() as u32));
            self.surfaces.push(surface);
        }
        self
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for text in [&self.title, &self.scene] {
            put_text(text, &mut out);
        }
        out.extend(self.fps.to_le_bytes());
        out.extend(self.particles.to_le_bytes());
        encode_list(&self.triangles, &mut out);
        encode_list(&self.edges, &mut out);
        encode_list(&self.tetrahedra, &mut out);
        if !self.rigid_bodies.is_empty() {
            out.extend((self.surfaces.len() as u64).to_le_bytes());
            for surface in &self.surfaces {
                encode_surface(surface, &mut out);
            }
            let rigid_bodies: Vec<_> = self.rigid_bodies.iter().map(|surface| [*surface]).collect();
            encode_list(&rigid_bodies, &mut out);
        }
        out
    }

    /// Reads what [`Header::encode`] wrote; `None` where it is anything else.
    pub(super) fn decode(mut bytes: &[u8]) -> Option<Self> {
        let bytes = &mut bytes;
        let mut header = Self {
            title: take_text(bytes)?,
            scene: take_text(bytes)?,
            fps: f64::from_bits(take_u64(bytes)?),
            particles: take_u64(bytes)?,
            triangles: take_list(bytes)?,
            edges: take_list(bytes)?,
            tetrahedra: take_list(bytes)?,
            ..Self::default()
        };
        if !bytes.is_empty() {
            for _ in 0..take_u64(bytes)? {
                header.surfaces.push(take_surface(bytes)?);
            }
            header.rigid_bodies =
                take_list::<1>(bytes)?.into_iter().map(|[surface]| surface).collect();
        }
        let below = |i: &u32| u64::from(*i) < header.particles;
        let fine = bytes.is_empty()
            && header.fps.is_finite()
            && header.fps > 0.0
            && header
                .rigid_bodies
                .iter()
                .all(|surface| (*surface as usize) < header.surfaces.len())
            && header.particles <= u64::from(u32::MAX)
            && header.triangles.iter().flatten().all(below)
            && header.edges.iter().flatten().all(below)
            && header.tetrahedra.iter().flatten().all(below);
        fine.then_some(header)
    }
}

fn encode_surface(surface: &Surface, out: &mut Vec<u8>) {
    out.extend((surface.vertices.len() as u64).to_le_bytes());
    for value in surface.vertices.iter().flat_map(|x| x.to_array()) {
        out.extend(value.to_le_bytes());
    }
    encode_list(&surface.triangles, out);
    out.extend((surface.dark.len() as u64).to_le_bytes());
    out.extend(surface.dark.iter().map(|dark| u8::from(*dark)));
}

fn take_surface(bytes: &mut &[u8]) -> Option<Surface> {
    let count = usize::try_from(take_u64(bytes)?).ok()?;
    let (words, _) = take(bytes, count.checked_mul(24)?)?.as_chunks::<8>();
    let (vertices, _) = words.as_chunks::<3>();
    let vertices: Vec<_> = vertices.iter().map(|v| Vec3::from(v.map(f64::from_le_bytes))).collect();
    let triangles: Vec<[u32; 3]> = take_list(bytes)?;
    let dark = usize::try_from(take_u64(bytes)?).ok()?;
    let dark: Vec<_> = take(bytes, dark)?.iter().map(|dark| *dark != 0).collect();
    let fine = vertices.iter().all(|x| x.is_finite())
        && triangles.iter().flatten().all(|corner| (*corner as usize) < vertices.len())
        && (dark.is_empty() || dark.len() == vertices.len());
    fine.then_some(Surface { vertices, triangles, dark })
}

fn encode_list<const N: usize>(list: &[[u32; N]], out: &mut Vec<u8>) {
    out.extend((list.len() as u64).to_le_bytes());
    for index in list.iter().flatten() {
        out.extend(index.to_le_bytes());
    }
}

fn take_list<const N: usize>(bytes: &mut &[u8]) -> Option<Vec<[u32; N]>> {
    let count = usize::try_from(take_u64(bytes)?).ok()?;
    let all = take(bytes, count.checked_mul(4 * N)?)?;
    let (indices, _) = all.as_chunks::<4>();
    let (items, _) = indices.as_chunks::<N>();
    Some(items.iter().map(|item| item.map(u32::from_le_bytes)).collect())
}
