// Mistakes that JavaScript itself answers: what is added to its words is true of the case, and nothing is to others.
import { expect, test } from "vitest";
import { insteadOfImport, insteadOfMistake, insteadOfPage } from "./javascript-mistakes.ts";

/** What JavaScript says. */
function said(mistake: () => unknown): string {
  try {
    mistake();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("nothing was thrown");
}

class Linear {}
const nn = { Linear } as any;
const x = { size: 6, shape: [2, 3], dtype: "float32", data: () => [1] } as any;

test.each([
  [() => nn.Linear(3, 2), ": Linear is a class, so write new before the call."],
  [() => x.size(0), ": of a tensor it is the number of elements, and x.shape[0] the size of its first axis."],
  [() => x.shape(), ": of a tensor it is a list, so write x.shape[0]."],
  [() => x.dtype("int32"), ": it is not a method, so write x.to(…) to change it."],
  [() => [5n as any].map((i) => i + 1), /^: elements of int64 are BigInt\. Number\(i\) makes a number/],
  [() => Math.max(5n as any), /^: elements of int64 are BigInt\./],
  [() => x.data.mul_(2), ": data() copies elements, and noGrad(() => x.add_(1)) changes a tensor without a gradient."],
  [() => x.other(), ""],
  [() => null!.size, ""],
])("%s", (mistake, advice) => {
  expect(insteadOfMistake(said(mistake))).toEqual(typeof advice === "string" ? advice : expect.stringMatching(advice));
});

test("a file of JSON, and what a web page has", () => {
  expect(insteadOfImport('Module "file:///home/ann/cfg.json" needs an import attribute of type "json"')).toBe(
    ': write import … from "./cfg.json" with { type: "json" }.',
  );
  expect(insteadOfImport("Module not found")).toBe("");
  expect(insteadOfPage("alert is not defined")).toBe(": console.log(x) prints, and display(x) shows a value.");
});
