// A span of time that a view shows: zooming, moving and keeping it inside the whole. Times are nanoseconds.

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** No view is shorter. */
const shortest = 20;

export const lengthOf = ({ start, end }: Span): number => end - start;

/** `span` with its length at most that of `whole` and at least the shortest, moved inside `whole`. */
export function inside(span: Span, whole: Span): Span {
  const most = Math.max(lengthOf(whole), shortest);
  const length = Math.min(most, Math.max(shortest, lengthOf(span)));
  const middle = (span.start + span.end) / 2;
  const start = Math.min(Math.max(middle - length / 2, whole.start), whole.start + most - length);
  return { start, end: start + length };
}

/** `factor` below 1 shows less time. What is at `at` stays where it is. */
export function zoomed(span: Span, factor: number, at: number, whole: Span): Span {
  const length = Math.min(Math.max(lengthOf(span) * factor, shortest), Math.max(lengthOf(whole), shortest));
  const share = (at - span.start) / lengthOf(span);
  return inside({ start: at - share * length, end: at + (1 - share) * length }, whole);
}

export function moved(span: Span, by: number, whole: Span): Span {
  return inside({ start: span.start + by, end: span.end + by }, whole);
}

/** A view of `span` with some room on both sides. */
export function around(span: Span, whole: Span, room = 0.15): Span {
  const margin = Math.max(lengthOf(span), shortest / 2) * room;
  return inside({ start: span.start - margin, end: span.end + margin }, whole);
}

/** The view that shows `span` and is not longer than it has to be. */
export function showing(view: Span, span: Span, whole: Span): Span {
  if (span.start >= view.start && span.end <= view.end) return view;
  if (lengthOf(span) >= lengthOf(view))
    return span.end < view.start || span.start > view.end ? around(span, whole) : view;
  const middle = (span.start + span.end) / 2;
  return moved(view, middle - (view.start + view.end) / 2, whole);
}

export const covers = (outer: Span, inner: Span): boolean => outer.start <= inner.start && outer.end >= inner.end;

/**
 * The times at which an axis has its marks: every `step` nanoseconds, a 1, 2 or 5 with zeros, of which at most `most`
 * fit.
 */
export function ticksOf(span: Span, most: number): { step: number; times: number[] } {
  const least = lengthOf(span) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-3)));
  const step = power * ([1, 2, 5, 10].find((factor) => power * factor >= least * (1 - 1e-9)) ?? 10);
  const times: number[] = [];
  for (let time = Math.ceil(span.start / step) * step; time <= span.end && times.length <= most + 1; time += step)
    times.push(time);
  return { step, times };
}
