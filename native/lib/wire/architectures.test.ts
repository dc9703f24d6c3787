// A GPU takes machine code that it runs, the best first, and no other.
import { expect, test } from "vitest";
import { runnableArchitectures } from "./architectures.ts";

test.each([
  ["sm_75", ["sm_75", "sm_74", "sm_73", "sm_71", "sm_70"]],
  ["sm_80", ["sm_80"]],
  ["sm_86", ["sm_86", "sm_85", "sm_84", "sm_83", "sm_82", "sm_81", "sm_80"]],
  ["sm_89", ["sm_89", "sm_88", "sm_86", "sm_85", "sm_84", "sm_83", "sm_82", "sm_81", "sm_80"]],
  ["sm_90a", ["sm_90a", "sm_90"]],
  ["sm_100a", ["sm_100a", "sm_100"]],
  ["sm_103a", ["sm_103a", "sm_103", "sm_102", "sm_100"]],
  ["sm_120a", ["sm_120a", "sm_120"]],
  ["sm_121a", ["sm_121a", "sm_121", "sm_120"]],
])("%s runs %j", (own, expected) => {
  expect(runnableArchitectures(own)).toEqual(expected);
});

test("a system on a chip runs its own alone", () => {
  expect(runnableArchitectures("sm_87")).toEqual(["sm_87"]);
});

test("what is no name of an architecture stands for itself", () => {
  expect(runnableArchitectures("x86_64")).toEqual(["x86_64"]);
});
