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
class Tensor {}
const nn = { Linear, Tensor } as any;
const x = { size: 6, shape: [2, 3], dtype: "float32", data: () => [1], median: () => ({}) } as any;

test.each([
  [() => nn.Linear(3, 2), ": Linear is a class, so write new before the call."],
  [() => x.size(0), ": of a tensor it is the number of elements, and x.shape[0] the size of its first axis."],
  [() => nn.Tensor([1]), ": write tensor([1, 2])."],
  [
    () => {
      throw new TypeError("fetch failed");
    },
    ': error.cause says why. fetch reads addresses of the web, and readFileSync of "node:fs" files.',
  ],
  [() => (null as any).zero_(), ": a gradient is null before backward() and after zeroGrad()."],
  [() => x.median().item(), ": median gives { values, indices }, so write .values behind it."],
  [() => nn.Linear[(1, 10)](x), ""],
  [
    () => {
      const add = {} as any;
      // biome-ignore lint/complexity/noCommaOperator: it is what Numba's launch is read as.
      add[(1, 10)](x);
    },
    ": brackets launch no kernel here, as they do in Numba: write add.launch({ grid: 1, block: 256 }, …).",
  ],
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
