// A grid that moves by a formula: enough to draw, pull and plot without any simulation.

export const COLUMNS = 24;
const SIZE = 1;

export function grid() {
  const triangles = [];
  const springs = [];
  const at = (row, column) => row * COLUMNS + column;
  for (let row = 0; row < COLUMNS; row += 1) {
    for (let column = 0; column < COLUMNS; column += 1) {
      const here = at(row, column);
      if (column + 1 < COLUMNS) springs.push(here, at(row, column + 1));
      if (row + 1 < COLUMNS) springs.push(here, at(row + 1, column));
      if (column + 1 < COLUMNS && row + 1 < COLUMNS) {
        triangles.push(here, at(row + 1, column), at(row, column + 1));
        triangles.push(at(row, column + 1), at(row + 1, column), at(row + 1, column + 1));
      }
    }
  }
  return { triangles, springs, pins: [0, COLUMNS - 1] };
}

/** A binary frame of the waving grid; `pulled` is a particle and where it is held. */
export function frame(run, number, time, pulled) {
  const particles = COLUMNS * COLUMNS;
  const buffer = new ArrayBuffer(16 + 4 * 4 * particles);
  const header = new DataView(buffer);
  header.setUint32(0, run, true);
  header.setUint32(4, number, true);
  header.setFloat32(8, time, true);
  header.setUint32(12, 2, true);
  const positions = new Float32Array(buffer, 16, 3 * particles);
  const strain = new Float32Array(buffer, 16 + 12 * particles, particles);
  for (let row = 0; row < COLUMNS; row += 1) {
    for (let column = 0; column < COLUMNS; column += 1) {
      const particle = row * COLUMNS + column;
      const [u, v] = [column / (COLUMNS - 1), row / (COLUMNS - 1)];
      const wave = 0.12 * v * Math.sin(6 * u + 3 * time + 0.4 * run) + 0.05 * v * Math.cos(9 * v - 4 * time);
      positions.set([SIZE * (u - 0.5), 0.5 - SIZE * v, wave], 3 * particle);
      strain[particle] = 0.04 * Math.sin(6 * u + 3 * time) * v;
    }
  }
  if (pulled) positions.set(pulled.at, 3 * pulled.particle);
  return buffer;
}
