// Normals of a triangle mesh: smooth over folds, sharp over the edges of boxes. A corner where
// surfaces meet at a sharp angle when the scene opens is drawn as several vertices.

/** A mesh to draw: `source[v]` is the particle that vertex v follows. */
export interface DrawnMesh {
  triangles: Uint32Array;
  source: Uint32Array;
  /** Whether vertices are the particles themselves. */
  plain: boolean;
}

const SHARP = Math.cos((50 * Math.PI) / 180);

/** Splits particles where the faces around them meet at more than 50° at the given positions. */
export function splitSharpEdges(triangles: ArrayLike<number>, positions: Float32Array): DrawnMesh {
  const corners = triangles.length;
  const particles = positions.length / 3;
  const faces = faceNormals(triangles, positions);
  const around: number[][] = Array.from({ length: particles }, () => []);
  for (let corner = 0; corner < corners; corner += 1) around[triangles[corner]].push(corner);

  const source = Array.from({ length: particles }, (_, particle) => particle);
  const drawn = Uint32Array.from(triangles);
  for (let particle = 0; particle < particles; particle += 1) {
    // Greedy groups: a face joins the first group whose first face it is nearly parallel to.
    const groups: { face: number; vertex: number }[] = [];
    for (const corner of around[particle]) {
      const face = Math.floor(corner / 3);
      let group = groups.find((each) => dot(faces, each.face, face) > SHARP);
      if (!group) {
        const vertex = groups.length === 0 ? particle : source.push(particle) - 1;
        group = { face, vertex };
        groups.push(group);
      }
      drawn[corner] = group.vertex;
    }
  }
  return { triangles: drawn, source: Uint32Array.from(source), plain: source.length === particles };
}

/** Area-weighted vertex normals, into `normals`. */
export function vertexNormals(
  triangles: Uint32Array,
  positions: Float32Array,
  normals: Float32Array,
): void {
  normals.fill(0);
  for (let corner = 0; corner < triangles.length; corner += 3) {
    const a = 3 * triangles[corner];
    const b = 3 * triangles[corner + 1];
    const c = 3 * triangles[corner + 2];
    const ux = positions[b] - positions[a];
    const uy = positions[b + 1] - positions[a + 1];
    const uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a];
    const vy = positions[c + 1] - positions[a + 1];
    const vz = positions[c + 2] - positions[a + 2];
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    for (const at of [a, b, c]) {
      normals[at] += nx;
      normals[at + 1] += ny;
      normals[at + 2] += nz;
    }
  }
  for (let at = 0; at < normals.length; at += 3) {
    const length = Math.hypot(normals[at], normals[at + 1], normals[at + 2]) || 1;
    normals[at] /= length;
    normals[at + 1] /= length;
    normals[at + 2] /= length;
  }
}

function faceNormals(triangles: ArrayLike<number>, positions: Float32Array): Float32Array {
  const faces = triangles.length / 3;
  // Every face as its own three vertices: the normals of those are the normals of faces.
  const own = new Float32Array(9 * faces);
  for (let corner = 0; corner < triangles.length; corner += 1) {
    for (let axis = 0; axis < 3; axis += 1) {
      own[3 * corner + axis] = positions[3 * triangles[corner] + axis];
    }
  }
  const normals = new Float32Array(own.length);
  vertexNormals(Uint32Array.from({ length: triangles.length }, (_, at) => at), own, normals);
  return normals;
}

function dot(normals: Float32Array, face: number, other: number): number {
  const a = 9 * face;
  const b = 9 * other;
  return normals[a] * normals[b] + normals[a + 1] * normals[b + 1] + normals[a + 2] * normals[b + 2];
}
