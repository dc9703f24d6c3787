// The path of a quantity over time, in a box of given size: as many points as can be told apart.

export interface Point {
  readonly time: number;
  readonly value: number;
}

/** Samples further apart than this were not taken in one go: no line joins them. In ms. */
const mostGap = 5000;

/**
 * `M x y L x y …` of values between 0 and `top` at times from `start` to `end`, in a box of `width` × `height`; y grows
 * downwards. `close`: down to the base, for an area. Of points in one column the largest is kept.
 */
export function curvePath(
  points: readonly Point[],
  { start, end, top }: { start: number; end: number; top: number },
  { width, height }: { width: number; height: number },
  close = false,
): string {
  const shown = thinned(points, start, (end - start) / width);
  const x = (time: number) => ((time - start) / (end - start)) * width;
  const y = (value: number) => height * (1 - Math.min(1, Math.max(0, top > 0 ? value / top : 0)));
  const runs: Point[][] = [];
  for (const point of shown) {
    const last = runs.at(-1)?.at(-1);
    if (last === undefined || point.time - last.time > mostGap) runs.push([point]);
    else runs.at(-1)!.push(point);
  }
  return runs
    .map((run) =>
      pathOf(
        run.map(({ time, value }) => [x(time), y(value)]),
        height,
        close,
      ),
    )
    .join("");
}

function pathOf(places: readonly (readonly [number, number])[], height: number, close: boolean): string {
  const line = places.map(([x, y], index) => `${index === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  if (!close) return line;
  return `${line}L${places.at(-1)![0].toFixed(1)} ${height}L${places[0]![0].toFixed(1)} ${height}Z`;
}

/** The largest point of each column that is `step` wide; the last before the start begins at it. */
function thinned(points: readonly Point[], start: number, step: number): Point[] {
  const first = points.findIndex(({ time }) => time >= start);
  if (first < 0) return [];
  const before = points[first - 1];
  const shown: Point[] =
    before !== undefined && points[first]!.time - before.time <= mostGap ? [{ ...before, time: start }] : [];
  let column = -1;
  for (const point of points.slice(first)) {
    const next = Math.floor((point.time - start) / step);
    const last = shown.at(-1);
    if (next === column && last !== undefined && last.time > start) {
      if (point.value > last.value) shown[shown.length - 1] = point;
    } else shown.push(point);
    column = next;
  }
  return shown;
}
