// How the canvas is divided among the runs.

/** A part of the canvas, in CSS pixels from its upper left. */
export interface Cell {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Equal parts of the canvas with a thin line between them. */
export function cellsOf(count: number, width: number, height: number): Cell[] {
  const gap = 2;
  const columns = count <= 3 ? (width >= height ? count : 1) : 2;
  const rows = Math.ceil(count / columns);
  const cellWidth = (width - gap * (columns - 1)) / columns;
  const cellHeight = (height - gap * (rows - 1)) / rows;
  return Array.from({ length: count }, (_, index) => ({
    x: (index % columns) * (cellWidth + gap),
    y: Math.floor(index / columns) * (cellHeight + gap),
    width: cellWidth,
    height: cellHeight,
  }));
}
