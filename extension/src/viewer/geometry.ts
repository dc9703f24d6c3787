// Where the elements of a matrix lie on a canvas: zoom and pan, which level of tiles shows them, and which tiles.

export interface Extent {
  readonly rows: number;
  readonly columns: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** CSS pixels of an element each way, and the element, with its part, at the canvas's left and top. */
export interface Camera {
  readonly across: number;
  readonly down: number;
  readonly left: number;
  readonly top: number;
}

export interface TileAt {
  readonly level: number;
  readonly row: number;
  readonly column: number;
}

export const tileSide = 256;
/** Numbers have room in a cell as large as this, which is the largest. */
const largest = { across: 96, down: 48 };
/** A matrix is shown in its proportions, unless one side would be thinner. */
const thinnest = 24;

/** The whole matrix, as large as fits, in the middle. */
export function fit({ rows, columns }: Extent, { width, height }: Size): Camera {
  const even = Math.min(width / columns, height / rows, largest.down);
  const stretched = (length: number, room: number) => Math.min(room, Math.max(thinnest, even * length)) / length;
  const across = Math.min(stretched(columns, width), largest.across);
  const down = Math.min(stretched(rows, height), largest.down);
  return { across, down, left: (columns - width / across) / 2, top: (rows - height / down) / 2 };
}

/** Larger by `factor` about a point of the canvas, which stays where it is; from the whole to single elements. */
export function zoomed(
  camera: Camera,
  factor: number,
  point: { x: number; y: number },
  extent: Extent,
  size: Size,
): Camera {
  const whole = fit(extent, size);
  const within = (value: number, least: number, most: number) => Math.max(Math.min(least, most), Math.min(most, value));
  const across = within(camera.across * factor, whole.across, largest.across);
  const down = within(camera.down * factor, whole.down, largest.down);
  const left = camera.left + point.x / camera.across - point.x / across;
  const top = camera.top + point.y / camera.down - point.y / down;
  return held({ across, down, left, top }, extent, size);
}

/** Moved by pixels. */
export function moved(camera: Camera, x: number, y: number, extent: Extent, size: Size): Camera {
  return held({ ...camera, left: camera.left - x / camera.across, top: camera.top - y / camera.down }, extent, size);
}

/** Moved as little as brings an element into view. */
export function revealing(camera: Camera, row: number, column: number, extent: Extent, size: Size): Camera {
  const along = (start: number, at: number, room: number) =>
    at < start ? at : at + 1 > start + room ? at + 1 - room : start;
  const left = along(camera.left, column, size.width / camera.across);
  const top = along(camera.top, row, size.height / camera.down);
  return held({ ...camera, left, top }, extent, size);
}

/** The canvas shows as much of the matrix as it has room for. */
function held(camera: Camera, { rows, columns }: Extent, { width, height }: Size): Camera {
  const along = (start: number, length: number, room: number) =>
    room >= length ? (length - room) / 2 : Math.max(0, Math.min(length - room, start));
  return {
    ...camera,
    left: along(camera.left, columns, width / camera.across),
    top: along(camera.top, rows, height / camera.down),
  };
}

/** Cells of this level are as large as a pixel of the screen, or up to half as large. */
export function levelOf({ across, down }: Camera, { rows, columns }: Extent, pixelRatio: number): number {
  const finest = Math.min(columns > 1 ? across : Infinity, rows > 1 ? down : Infinity) * pixelRatio;
  return Math.max(0, Math.floor(Math.log2(1 / finest)));
}

/** The level of which one tile has the whole matrix. */
export const overviewLevel = ({ rows, columns }: Extent): number =>
  Math.max(0, Math.ceil(Math.log2(Math.max(rows, columns) / tileSide)));

/** The tiles of a level that are in view, those in its middle first. */
export function tilesInView(
  camera: Camera,
  { rows, columns }: Extent,
  { width, height }: Size,
  level: number,
): TileAt[] {
  const side = tileSide * 2 ** level;
  const along = (start: number, room: number, length: number): [number, number] => [
    Math.max(0, Math.floor(start / side)),
    Math.min(Math.ceil(length / side), Math.ceil((start + room) / side)),
  ];
  const [left, right] = along(camera.left, width / camera.across, columns);
  const [top, bottom] = along(camera.top, height / camera.down, rows);
  const tiles: TileAt[] = [];
  for (let row = top; row < bottom; row++)
    for (let column = left; column < right; column++) tiles.push({ level, row, column });
  const [middleRow, middleColumn] = [(top + bottom - 1) / 2, (left + right - 1) / 2];
  const distance = ({ row, column }: TileAt) => Math.abs(row - middleRow) + Math.abs(column - middleColumn);
  return tiles.sort((a, b) => distance(a) - distance(b));
}

/** The element under a point of the canvas; `null` beside the matrix. */
export function elementAt(
  { across, down, left, top }: Camera,
  { x, y }: { x: number; y: number },
  { rows, columns }: Extent,
): { row: number; column: number } | null {
  const [row, column] = [Math.floor(top + y / down), Math.floor(left + x / across)];
  return row >= 0 && row < rows && column >= 0 && column < columns ? { row, column } : null;
}
