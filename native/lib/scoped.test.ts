// Values that hold for a while: nested, overlapping, ended in any order.
import { expect, test } from "vitest";
import { Scoped } from "./scoped.ts";

test("a value holds while a function runs, and the one before it holds again after, also when it throws", () => {
  const scoped = new Scoped("none");
  const seen = scoped.run("outer", () => {
    const inner = scoped.run("inner", () => scoped.current);
    return [inner, scoped.current];
  });
  expect(seen).toEqual(["inner", "outer"]);
  expect(() =>
    scoped.run("failing", () => {
      throw new RangeError(scoped.current);
    }),
  ).toThrow(new RangeError("failing"));
  expect(scoped.current).toBe("none");
});

test("of two that overlap, the one that ended first does not come back when the other ends", () => {
  const scoped = new Scoped("none");
  const first = scoped.begin("first");
  const second = scoped.begin("second");
  first[Symbol.dispose]();
  expect(scoped.current).toBe("second");
  second[Symbol.dispose]();
  expect(scoped.current).toBe("none");
});

test("one that begins while a function runs outlives it, and one that ends there does not hold after it", () => {
  const scoped = new Scoped("none");
  const before = scoped.begin("before");
  const during = scoped.run("running", () => {
    const begun = scoped.begin("during");
    before[Symbol.dispose]();
    return begun;
  });
  expect(scoped.current).toBe("during");
  during[Symbol.dispose]();
  expect(scoped.current).toBe("none");
});

test("ending twice ends once", () => {
  const scoped = new Scoped(0);
  const one = scoped.begin(1);
  one[Symbol.dispose]();
  scoped.run(2, () => {
    one[Symbol.dispose]();
    expect(scoped.current).toBe(2);
  });
  expect(scoped.current).toBe(0);
});

test("in every order in which four can end, the last that is left holds", () => {
  const permutations = (list: readonly number[]): number[][] =>
    list.length === 0
      ? [[]]
      : list.flatMap((each) => permutations(list.filter((other) => other !== each)).map((rest) => [each, ...rest]));
  for (const order of permutations([1, 2, 3, 4])) {
    const scoped = new Scoped(0);
    const ends = [1, 2, 3, 4].map((value) => scoped.begin(value));
    const left = new Set([0, 1, 2, 3, 4]);
    for (const each of order) {
      ends[each - 1]![Symbol.dispose]();
      left.delete(each);
      expect(scoped.current, `after ${order}`).toBe(Math.max(...left));
    }
  }
});
